/* paf.c - alignments as PAF, the format of long-read mappers, and as BED, that of genome browsers.
 *
 * PAF       one line per alignment: query, its length, begin and end (from 0, on its plus strand), strand; the same of
 *           the subject; equal bases, columns, mapping quality (mapping.h). Tags: tp:A:P of primary and supplementary
 *           alignments, S of secondary ones; NM and AS as in SAM; de, the share of differing columns, with a gap of any
 *           length as one; cg, the CIGAR with = and X.
 * BED       one line per alignment: subject, begin and end (from 0), query, mapping quality, strand; the first three
 *           columns are those of `bedtools bamtobed`, in the order of the alignments.
 * Source    Li, minimap2's manual page, "Output format"; the BED specification 1.0 of hts-specs
 */
#include <inttypes.h>
#include <stdlib.h>

#include <htslib/kstring.h>

#include "base/memory.h"
#include "blast/write/format.h"
#include "blast/write/mapping.h"

/* A list that is being written. */
struct writer {
    FILE *file;
    const struct reported_search *search;
    const struct alignment_list *list;
    struct cigar cigar;
    kstring_t text;
};

/* Both ends count from 0, on the plus strands. */
struct place {
    const char *name;
    uint64_t bases, begin, end;
};

static struct place query_place(const struct writer *w, const struct alignment *a)
{
    const struct sequence_record *r = &w->search->query->records[a->query_record];
    struct aligned_range range = aligned_query_range(w->search->query, a);
    return (struct place){r->name, sequence_record_whole(r), range.first - 1, range.last};
}

static struct place subject_place(const struct writer *w, const struct alignment *a)
{
    const struct sequence_record *r = &w->search->database->records[a->database_record];
    return (struct place){r->name, r->bases, a->database_begin - r->begin, a->database_end - r->begin};
}

static char strand_of(const struct alignment *a)
{
    return a->strand == STRAND_MINUS ? '-' : '+';
}

static void print_cigar(struct writer *w, const struct alignment *a)
{
    auto_by(aligned_destroy) struct aligned aligned = aligned_new(w->search, w->list, a);
    w->cigar.count = 0;
    w->text.l = 0;
    cigar_add_columns(&w->cigar, &aligned, (enum strand)a->strand);
    cigar_print(&w->cigar, &w->text);
}

static void write_paf_line(struct writer *w, const struct alignment *a, struct mapping mapping)
{
    struct place q = query_place(w, a), s = subject_place(w, a);
    print_cigar(w, a);
    double divergence = 1 - (double)a->identities / (double)(a->identities + a->mismatches + a->gap_openings);
    fprintf(w->file,
            "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%c\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t%" PRIu64 "\t%u\ttp:A:%c\tNM:i:%" PRIu64 "\tAS:i:%d\tde:f:%.4f\tcg:Z:%s\n",
            q.name, q.bases, q.begin, q.end, strand_of(a), s.name, s.bases, s.begin, s.end, a->identities,
            a->columns, mapping.quality, mapping.role == MAPPING_SECONDARY ? 'S' : 'P',
            a->mismatches + a->gaps, scoring_reported(w->search->statistics, a->score), divergence,
            w->text.s);
}

static void write_bed_line(struct writer *w, const struct alignment *a, struct mapping mapping)
{
    struct place q = query_place(w, a), s = subject_place(w, a);
    fprintf(w->file, "%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%u\t%c\n", s.name, s.begin, s.end, q.name,
            mapping.quality, strand_of(a));
}

static void write_query(struct writer *w, const struct alignment_format *format, size_t begin, size_t end)
{
    const struct alignment *items = w->list->items;
    auto_free struct mapping *mappings = mapping_new(w->search->query, items + begin, end - begin);
    for (size_t i = begin; i < end && !ferror(w->file); i++)
        if (mappings[i - begin].quality >= w->search->mapq_least)
            (format == &format_bed ? write_bed_line : write_paf_line)(w, &items[i], mappings[i - begin]);
}

static int write_lines(const struct alignment_format *format, FILE *file,
                       const struct reported_search *search, const struct alignment_list *list)
{
    struct writer w = {.file = file, .search = search, .list = list};
    for (size_t begin = 0, end; begin < list->count && !ferror(file); begin = end) {
        end = aligned_query_end(list, begin, list->items[begin].query_record);
        write_query(&w, format, begin, end);
    }
    cigar_destroy(&w.cigar);
    ks_free(&w.text);
    return aligned_flush(file);
}

const struct alignment_format format_paf = {.names = {NULL, "paf"},
                                            .files = FORMAT_FILES(".paf"),
                                            .remark = "# ",
                                            .shows = "paf",
                                            .has_quality = true,
                                            .write = write_lines};
const struct alignment_format format_bed = {.names = {NULL, "bed"},
                                            .files = FORMAT_FILES(".bed"),
                                            .remark = "# ",
                                            .has_quality = true,
                                            .write = write_lines};
