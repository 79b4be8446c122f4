/* format.h - the formats in which alignments are written.
 *
 * A format is a row, which stands beside its writer: columns.c, pairwise.c, sam.c, paf.c. A new one needs its source
 * with its row, and its place and its words below.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"
#include "blast/write/aligned.h"

/** The names of both files. */
#define FORMAT_FILES(ending)                                                                                 \
    {                                                                                                        \
        "alignments" ending, "alignments.sample" ending                                                      \
    }

struct alignment_format {
    const char *names[2]; /* words that choose it: blastn's number (-outfmt), its name; NULL: it has none */
    const char *files[2]; /* in a run's directory: of all alignments, and of a sample's, which are not all */
    const char *remark;   /* begins a line that is no alignment; NULL: reported_search.comment says it */
    const char *shows;    /* what bases are shown in; NULL: in nothing, or in columns that the user chooses */
    bool has_columns;     /* of reported_search.columns */
    bool has_quality;     /* of mappings */

    /** Refuse sequences whose names or lengths cannot be written, by one line; NULL if all can. */
    int (*check)(const struct sequences *query, const struct sequences *database, struct why *why);

    /** Write a finished list in this format. @return 0 or a WRITE_E* code (aligned.h) */
    int (*write)(const struct alignment_format *format, FILE *file, const struct reported_search *search,
                 const struct alignment_list *list);
};

/** All of them, the default first; neighbours may have the same files. Each is format_NAME. */
/* clang-format off */
#define ALIGNMENT_FORMATS(FORMAT) \
    FORMAT(tabular) FORMAT(commented) FORMAT(csv) FORMAT(pairwise) FORMAT(sam) FORMAT(bam) FORMAT(paf) FORMAT(bed)

/** Their words: for the refusal of another, and those that have a mapping quality. */
#define ALIGNMENT_FORMATS_EXPECTED \
    "0 (pairwise text), 6 or 7 (tables, e.g. \"6 std btop\"), 10 or csv, 17 or sam, bam, paf or bed"
#define ALIGNMENT_FORMATS_MAPPED   "sam, bam, paf and bed"
/* clang-format on */

#define ALIGNMENT_FORMAT_DECLARE(name) extern const struct alignment_format format_##name;
ALIGNMENT_FORMATS(ALIGNMENT_FORMAT_DECLARE)

/** ALIGNMENT_FORMATS as a list that NULL ends. */
extern const struct alignment_format *const alignment_formats[];

/** The format of a name or number of `length` letters; NULL if there is none. */
const struct alignment_format *alignment_format_find(const char *name, size_t length);
