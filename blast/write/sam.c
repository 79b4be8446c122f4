/* sam.c - alignments as SAM and BAM, the formats of sequencing's tools; the subjects are its references.
 *
 * Models    one line per alignment: CIGAR of = X I D between clips, SEQ in the reference's direction, no qualities.
 *           Flags and MAPQ are those of mapping.h: a query's first alignment is primary and has the whole query, soft
 *           clipped; supplementary (0x800) and secondary ones (0x100) are hard clipped. A query without alignments has
 *           a line with flag 4.
 * Tags      AS raw score, EV E-value, NM differing bases and gap columns, PI per cent identity, BS bit score, as
 *           blastn's -outfmt 17 has them. SAM's numbers are of single precision: E-values below 1e-45 are written as 0.
 *           MD, the reference where bases differ; SA, the other pieces (primary and supplementary) of a query that is
 *           aligned in several, with CIGARs that only have their lengths, as minimap2's: all in the primary line, 64 at
 *           most in a supplementary one, the primary one first.
 * Memory    the header, and one query at a time.
 * Source    SAM specification 1.6; written by htslib.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <htslib/hfile.h>
#include <htslib/kstring.h>
#include <htslib/sam.h>

#include "blast/write/format.h"
#include "base/memory.h"
#include "base/file/file_io.h"
#include "blast/write/mapping.h"

/* If supplementary lines named more than SPLITS_MAX others, SA would be longer than all else. */
enum { NAME_BYTES_MAX = 254, SPLITS_MAX = 64 };

/* A list that is being written. */
struct writer {
    FILE *file;
    htsFile *bam; /* NULL: text */
    const struct reported_search *search;
    const struct alignment_list *list;
    sam_hdr_t *header;
    bam1_t *line;
    kstring_t text, md;
    struct cigar cigar;
};

/* The query whose lines are being written. */
struct sam_query {
    const struct sequence_record *record;
    char *letters[2]; /* of both strands */
    const struct alignment *items;
    struct mapping *mappings;  /* of its alignments */
    size_t count, split_count; /* split: of the primary and supplementary ones */
};

/* What is made in memory by htslib fails for want of it only. */
static void made(bool whole)
{
    if (!whole)
        memory_exhausted();
}

/* --- names ----------------------------------------------------------------------------------------------- */

/* Whether a name is printable ASCII, has no letter of `nowhere`, and does not begin with a letter of `not_first`. */
static bool has_only_allowed(const char *name, const char *nowhere, const char *not_first)
{
    if (strchr(not_first, name[0]))
        return false;
    for (; *name != '\0'; name++)
        if (*name <= ' ' || *name > '~' || strchr(nowhere, *name))
            return false;
    return true;
}

static int check_records(const char *what, const struct sequences *s, size_t longest, const char *nowhere,
                         const char *not_first, const char *allowed, struct why *why)
{
    for (size_t i = 0; i < s->record_count; i++) {
        const struct sequence_record *r = &s->records[i];
        const char *problem = strlen(r->name) > longest                        ? "longer than 254 letters"
                              : !has_only_allowed(r->name, nowhere, not_first) ? allowed
                              : r->bases > INT_MAX                             ? "longer than 2^31 - 1 bases"
                                                                               : NULL;
        if (problem)
            return why_say(why, WRITE_ENAME,
                           "SAM cannot name the %s '%.60s': %s; change it, or write a table (-f 6)", what,
                           r->name, problem);
    }
    return 0;
}

/* Whether names and lengths can be written: no two references have the same name, and no name has a letter that SAM
 * does not allow. */
static int check(const struct sequences *query, const struct sequences *database, struct why *why)
{
    if (check_records("query", query, NAME_BYTES_MAX, "@", "", "only printable ASCII without @", why) != 0 ||
        sequences_check_names(database, "the database", why) != 0 ||
        check_records("reference", database, SIZE_MAX, "\\,\"'`()[]{}<>", "*=",
                      "only printable ASCII without \\ , \" ' ` ( ) [ ] { } < >, nor * = at the beginning",
                      why) != 0)
        return WRITE_ENAME;
    return 0;
}

/* --- a line ---------------------------------------------------------------------------------------------- */

/* Strand position of a record's first base on that strand */
static uint64_t strand_begin(const struct sequences *s, const struct sequence_record *record, unsigned strand)
{
    return strand == STRAND_MINUS ? s->positions - record->begin - record->bases : record->begin;
}

static int write_line(struct writer *w)
{
    if (w->bam)
        return sam_write1(w->bam, w->header, w->line) >= 0 ? 0 : WRITE_EFILE;
    w->text.l = 0;
    made(sam_format1(w->header, w->line, &w->text) >= 0 && kputc('\n', &w->text) >= 0);
    return fwrite(w->text.s, 1, w->text.l, w->file) == w->text.l ? 0 : WRITE_EFILE;
}

/* Only the lengths of an alignment's CIGAR matter in SA: matches in one piece, and the gaps that make up the rest. */
static void print_split(struct writer *w, const struct sam_query *q, size_t i)
{
    const struct alignment *a = &q->items[i];
    const struct sequence_record *subject = &w->search->database->records[a->database_record];
    struct aligned_range range = aligned_query_range(w->search->query, a);
    bool minus = a->strand == STRAND_MINUS;
    uint64_t head = range.first - 1, tail = sequence_record_whole(q->record) - range.last;
    uint64_t bases = range.last - range.first + 1, span = a->database_end - a->database_begin;
    uint64_t pairs = bases < span ? bases : span, gap = bases < span ? span - bases : bases - span;
    uint64_t before = minus ? tail : head, after = minus ? head : tail;
    ksprintf(&w->text, "%s,%" PRIu64 ",%c,", subject->name, a->database_begin - subject->begin + 1,
             minus ? '-' : '+');
    if (before > 0)
        ksprintf(&w->text, "%" PRIu64 "S", before);
    ksprintf(&w->text, "%" PRIu64 "M", pairs);
    if (gap > 0)
        ksprintf(&w->text, "%" PRIu64 "%c", gap, bases < span ? 'D' : 'I');
    if (after > 0)
        ksprintf(&w->text, "%" PRIu64 "S", after);
    made(ksprintf(&w->text, ",%u,%" PRIu64 ";", q->mappings[i].quality, a->mismatches + a->gaps) >= 0);
}

/* The other pieces of a query that is aligned in several: all of them in the primary line, in others the first ones, of
 * which the primary one is the very first. */
static void add_splits(struct writer *w, const struct sam_query *q, size_t index)
{
    const enum mapping_role role = q->mappings[index].role;
    if (role == MAPPING_SECONDARY || q->split_count < 2)
        return;
    size_t left = role == MAPPING_PRIMARY ? q->count : SPLITS_MAX;
    w->text.l = 0;
    for (size_t i = 0; i < q->count && left > 0; i++)
        if (i != index && q->mappings[i].role != MAPPING_SECONDARY) {
            print_split(w, q, i);
            left--;
        }
    made(bam_aux_update_str(w->line, "SA", (int)w->text.l + 1, w->text.s) == 0);
}

static void add_tags(struct writer *w, const struct alignment *a)
{
    double identity = 100.0 * (double)a->identities / (double)a->columns;
    made(bam_aux_update_int(w->line, "AS", scoring_reported(w->search->statistics, a->score)) == 0 &&
         bam_aux_update_float(w->line, "EV", (float)a->e_value) == 0 &&
         bam_aux_update_int(w->line, "NM", (int64_t)(a->mismatches + a->gaps)) == 0 &&
         bam_aux_update_str(w->line, "MD", (int)w->md.l + 1, w->md.s) == 0 &&
         bam_aux_update_float(w->line, "PI", (float)identity) == 0 &&
         bam_aux_update_float(w->line, "BS", (float)a->bits) == 0);
}

/* What the line leaves out of the query (hard), and has without aligning it (soft): bases before and after, on the
 * strand that is written. */
struct clips {
    uint64_t hard_before, soft_before, soft_after, hard_after;
};

/* A line has what was searched of the query if it is the primary one, else what is aligned. */
static struct clips clips_of(const struct writer *w, const struct sequence_record *query,
                             const struct alignment *a, bool is_primary)
{
    struct aligned_range range = aligned_query_range(w->search->query, a);
    uint64_t head = range.first - 1, tail = sequence_record_whole(query) - range.last;
    uint64_t cut_head = is_primary ? query->cut_before : head,
             cut_tail = is_primary ? query->cut_after : tail;
    if (a->strand == STRAND_MINUS)
        return (struct clips){cut_tail, tail - cut_tail, head - cut_head, cut_head};
    return (struct clips){cut_head, head - cut_head, tail - cut_tail, cut_tail};
}

/* The CIGAR between clips, and the text of MD. */
static void make_cigar(struct writer *w, const struct alignment *a, const struct clips *clips)
{
    auto_by(aligned_destroy) struct aligned aligned = aligned_new(w->search, w->list, a);
    enum strand strand = (enum strand)a->strand;
    w->cigar.count = 0;
    w->md.l = 0;
    cigar_add(&w->cigar, BAM_CHARD_CLIP, clips->hard_before);
    cigar_add(&w->cigar, BAM_CSOFT_CLIP, clips->soft_before);
    cigar_add_columns(&w->cigar, &aligned, strand);
    cigar_add(&w->cigar, BAM_CSOFT_CLIP, clips->soft_after);
    cigar_add(&w->cigar, BAM_CHARD_CLIP, clips->hard_after);
    cigar_print_md(&aligned, strand, &w->md);
}

static unsigned flag_of(const struct alignment *a, enum mapping_role role)
{
    static const unsigned flags[] = {[MAPPING_PRIMARY] = 0,
                                     [MAPPING_SUPPLEMENTARY] = BAM_FSUPPLEMENTARY,
                                     [MAPPING_SECONDARY] = BAM_FSECONDARY};
    return flags[role] | (a->strand == STRAND_MINUS ? BAM_FREVERSE : 0);
}

static int write_alignment(struct writer *w, const struct sam_query *q, size_t index)
{
    const struct alignment *a = &q->items[index];
    struct mapping mapping = q->mappings[index];
    uint64_t position = a->database_begin - w->search->database->records[a->database_record].begin;
    bool whole = mapping.role == MAPPING_PRIMARY;
    const struct clips clips = clips_of(w, q->record, a, whole);
    const uint64_t skipped =
        whole ? 0 : a->query_begin - strand_begin(w->search->query, q->record, a->strand);
    make_cigar(w, a, &clips);
    made(bam_set1(w->line, strlen(q->record->name), q->record->name, (uint16_t)flag_of(a, mapping.role),
                  (int32_t)a->database_record, (hts_pos_t)position, mapping.quality, w->cigar.count,
                  w->cigar.operations, -1, -1, 0, whole ? q->record->bases : a->query_end - a->query_begin,
                  q->letters[a->strand] + skipped, NULL, 0) >= 0);
    add_tags(w, a);
    add_splits(w, q, index);
    return write_line(w);
}

static int write_unaligned(struct writer *w, const struct sam_query *q)
{
    made(bam_set1(w->line, strlen(q->record->name), q->record->name, BAM_FUNMAP, -1, -1, 0, 0, NULL, -1, -1,
                  0, q->record->bases, q->letters[STRAND_PLUS], NULL, 0) >= 0);
    return write_line(w);
}

/* --- a query --------------------------------------------------------------------------------------------- */

static void query_destroy(struct sam_query *q)
{
    free(q->letters[STRAND_PLUS]);
    free(q->letters[STRAND_MINUS]);
    free(q->mappings);
}

/* @param items  its alignments, `count` of them */
static struct sam_query query_new(const struct sequences *s, const struct sequence_record *record,
                                  const struct alignment *items, size_t count)
{
    uint64_t bases = record->bases;
    struct sam_query q = {
        .record = record,
        .letters = {sequences_letters(s, STRAND_PLUS, strand_begin(s, record, STRAND_PLUS), bases),
                    sequences_letters(s, STRAND_MINUS, strand_begin(s, record, STRAND_MINUS), bases)},
        .items = items,
        .mappings = mapping_new(s, items, count),
        .count = count,
    };
    for (size_t i = 0; i < count; i++)
        q.split_count += q.mappings[i].role != MAPPING_SECONDARY;
    return q;
}

/* Write the lines of a query record and its alignments [begin, end). */
static int write_query(struct writer *w, size_t record, size_t begin, size_t end)
{
    const struct sequences *query = w->search->query;
    auto_by(query_destroy) struct sam_query q =
        query_new(query, &query->records[record], begin < end ? &w->list->items[begin] : NULL, end - begin);
    int status = 0;
    for (size_t i = 0; i < q.count && status == 0; i++)
        if (q.mappings[i].quality >= w->search->mapq_least)
            status = write_alignment(w, &q, i);
    if (q.count == 0 && w->search->mapq_least == 0)
        status = write_unaligned(w, &q);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static int add_comment(sam_hdr_t *header, const char *comment)
{
    char line[256];
    snprintf(line, sizeof line, "@CO\t%s\n", comment);
    return sam_hdr_add_lines(header, line, 0);
}

static void fill_header(sam_hdr_t *header, const struct reported_search *search)
{
    int status = sam_hdr_add_line(header, "HD", "VN", "1.6", "SO", "unsorted", "GO", "query", NULL);
    for (size_t i = 0; i < search->database->record_count && status == 0; i++) {
        char length[24];
        snprintf(length, sizeof length, "%" PRIu64, search->database->records[i].bases);
        status = sam_hdr_add_line(header, "SQ", "SN", search->database->records[i].name, "LN", length, NULL);
    }
    if (status == 0)
        status = sam_hdr_add_line(header, "PG", "ID", "mercury", "PN", "mercury", "VN", search->version,
                                  search->command_line ? "CL" : NULL, search->command_line, NULL);
    if (status == 0 && search->comment)
        status = add_comment(header, search->comment);
    made(status == 0);
}

static int write_header(struct writer *w)
{
    fill_header(w->header, w->search);
    if (w->bam)
        return sam_hdr_write(w->bam, w->header) == 0 ? 0 : WRITE_EFILE;
    const char *text = sam_hdr_str(w->header);
    made(text);
    return fputs(text, w->file) != EOF ? 0 : WRITE_EFILE;
}

static int write_all(struct writer *w)
{
    w->header = sam_hdr_init();
    w->line = bam_init1();
    made(w->header && w->line);
    int status = write_header(w);
    for (size_t i = 0, begin = 0, end; i < w->search->query->record_count && status == 0; i++, begin = end) {
        end = aligned_query_end(w->list, begin, i);
        status = write_query(w, i, begin, end);
    }
    cigar_destroy(&w->cigar);
    ks_free(&w->text);
    ks_free(&w->md);
    bam_destroy1(w->line);
    sam_hdr_destroy(w->header);
    return status;
}

/* Htslib closes what it writes to. */
static htsFile *open_bam(FILE *file)
{
    int descriptor = file_io_flush(file) ? dup(fileno(file)) : -1;
    hFILE *stream = descriptor >= 0 ? hdopen(descriptor, "w") : NULL;
    htsFile *bam = stream ? hts_hopen(stream, "alignments.bam", "wb") : NULL;
    if (!bam && stream)
        hclose_abruptly(stream);
    else if (!bam && descriptor >= 0)
        close(descriptor);
    return bam;
}

/* BAM goes to a file that has a descriptor. */
static int write_list(const struct alignment_format *format, FILE *file, const struct reported_search *search,
                      const struct alignment_list *list)
{
    const bool is_bam = format == &format_bam;
    struct writer w = {.file = file, .bam = is_bam ? open_bam(file) : NULL, .search = search, .list = list};
    int status = is_bam && !w.bam ? WRITE_EFILE : write_all(&w);
    if (w.bam && hts_close(w.bam) != 0 && status == 0)
        status = WRITE_EFILE;
    return status == 0 && !is_bam ? aligned_flush(file) : status;
}

const struct alignment_format format_sam = {.names = {"17", "sam"},
                                            .files = FORMAT_FILES(".sam"),
                                            .shows = "sam",
                                            .has_quality = true,
                                            .check = check,
                                            .write = write_list};
const struct alignment_format format_bam = {.names = {NULL, "bam"},
                                            .files = FORMAT_FILES(".bam"),
                                            .shows = "sam",
                                            .has_quality = true,
                                            .check = check,
                                            .write = write_list};
