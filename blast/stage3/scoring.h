/* scoring.h - scores of nucleotide alignments and what they mean: bits, E-values, cutoffs.
 *
 * Models    BLASTN's score system (match, mismatch, affine gaps: a gap of n bases costs gap_open + n gap_extend)
 *           and its Karlin-Altschul statistics: lambda, K, H of ungapped alignments are computed for a composition
 *           of 0.25 per base. Those of gapped alignments are taken from published tables; gap costs that no row has and
 *           that are at least the large ones of the table have the ungapped values.
 *           Gap costs 0 and 0 are linear gaps, as megablast has them: a gap column costs match / 2 - mismatch, so
 *           that an alignment's score follows from its length and its differences. With an odd match that cost is not
 *           whole, and everything is computed in units of half a score (struct scoring_statistics, units).
 * Leaves out other compositions, position dependent scores, sum statistics, greedy extension.
 * Units     raw scores are integers; bits are bits; lambda is nats per raw unit; E-values are expected counts.
 * Memory    plain values, nothing to free.
 * Errors    0, or WHY_SAID and one line that lists what is supported.
 * Source    Karlin and Altschul, PNAS 87 (1990) 2264; Altschul et al., Nucl. Acids Res. 29 (2001) 351 (finite
 *           lengths); Zhang, Schwartz, Wagner, Miller, J. Comput. Biol. 7 (2000) 203 (linear gaps); gapped numbers
 *           from NCBI's blast_stat.c (public domain), tables blastn_values_*.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

struct scoring {
    int match;      /* > 0 */
    int mismatch;   /* < 0 */
    int gap_open;   /* >= 0, charged once per gap, besides its extensions */
    int gap_extend; /* >= 0, charged for every base of a gap; 0 only with gap_open 0: linear gaps */
};

enum { SCORING_PRESETS = 3 };

/** Score systems that have a name, then NULL; the first is the default. */
extern const struct scoring scoring_presets[SCORING_PRESETS];
extern const char *const scoring_preset_names[SCORING_PRESETS + 1];

/** The score of every pair of codes, in units: match or mismatch of two bases. An ambiguity code has, as at NCBI, the
 * mean score of the bases that it may be, rounded; of two such codes the one with the higher number has it. Codes that
 * have no base in common are a mismatch. */
struct pair_scores {
    int16_t of[BASE_CODES][BASE_CODES];
    int8_t bytes[BASE_CODES][BASE_CODES]; /* the same, if all of them fit */
};

void scoring_pair_scores(const struct scoring *scoring, struct pair_scores *out);

struct karlin {
    double lambda;
    double k;
    double h; /* nats per column */
};

/* A score system with its statistics and the thresholds BLASTN derives from them. */
struct scoring_statistics {
    struct pair_scores pairs;
    struct scoring scoring; /* what extensions compute with: in units, like all scores below; gap costs > 0 */
    int units;              /* per score: 2 for linear gaps with an odd match, else 1 */
    struct karlin ungapped;
    struct karlin gapped;
    double alpha; /* length adjustment: alpha / lambda x ln(K m n) + beta */
    double beta;
    bool even_scores;      /* E-values hold for even scores only; odd ones are rounded down first */
    int xdrop_ungapped;    /* raw, of 20 bits */
    int xdrop_preliminary; /* raw, of 30 bits */
    int xdrop_final;       /* raw, of 100 bits */
    int gap_trigger;       /* least ungapped score that is extended with gaps, raw, of 27 bits */
};

/** Statistics and thresholds of a score system.
 *
 * @param out  untouched on error
 * @param why  on error, one line that names the system and lists the supported ones
 * @return 0 or WHY_SAID
 */
int scoring_statistics_compute(const struct scoring *scoring, struct scoring_statistics *out,
                               struct why *why);

/** Effective search space of one query record: (m - a) (n - records a) with the length
 * adjustment a, by which the expected length of an alignment shortens query and every record of the database. */
double scoring_search_space(const struct scoring_statistics *s, uint64_t query_bases, uint64_t database_bases,
                            uint64_t database_records);

/** The score as BLASTN reports it: whole scores, rounded down. */
int scoring_reported(const struct scoring_statistics *s, int score);

double scoring_bits(const struct scoring_statistics *s, int score);

double scoring_e_value(const struct scoring_statistics *s, int score, double search_space);

/** Least score whose E-value does not exceed e_value (> 0); at least 1. */
int scoring_least_score(const struct scoring_statistics *s, double e_value, double search_space);

/** Convert stage 2's threshold to another score system, in whole scores: to the score that is worth as many bits, but
 * to no more than the gap trigger. With mismatches and gaps that cost little, the ungapped pieces of an alignment are
 * worth fewer bits, and an HSP that BLAST would extend must pass.
 */
int scoring_threshold_convert(int threshold, const struct scoring *from, const struct scoring_statistics *to);
