#include "blast/stage3/scoring.h"

#include <math.h>
#include <stddef.h>

/* Gapped statistics for one pair of gap costs. */
struct gap_row {
    int open, extend;
    double lambda, k, h, alpha, beta;
};

enum { ROWS_MAX = 9 };

/* With gap costs of at least large_open and large_extend, gaps are so rare that the ungapped statistics hold. */
struct score_table {
    int match, mismatch;
    int large_open, large_extend;
    bool even_scores;
    struct gap_row rows[ROWS_MAX]; /* those after the last have lambda 0 */
};

static const struct score_table tables[] = {
#include "blast/scoring_tables.inc"
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

const char *const scoring_preset_names[] = {"classic", "blastn", "megablast", NULL};

const struct scoring scoring_presets[SCORING_PRESETS] = {
    {.match = 1, .mismatch = -3, .gap_open = 5, .gap_extend = 2},
    {.match = 2, .mismatch = -3, .gap_open = 5, .gap_extend = 2},
    {.match = 1, .mismatch = -2, .gap_open = 0, .gap_extend = 0},
};

/* The mean is that of the code with the higher number. */
static int pair_score(const struct scoring *s, unsigned a, unsigned b)
{
    const unsigned higher = a > b ? a : b;
    const int bases = __builtin_popcount(base_sets[higher]);
    if ((base_sets[a] & base_sets[b]) == 0)
        return s->mismatch;
    return (int)round((double)((bases - 1) * s->mismatch + s->match) / bases);
}

void scoring_pair_scores(const struct scoring *s, struct pair_scores *out)
{
    for (unsigned a = 0; a < BASE_CODES; a++)
        for (unsigned b = 0; b < BASE_CODES; b++) {
            const int score = pair_score(s, a, b);
            out->of[a][b] = (int16_t)score;
            out->bytes[a][b] = (int8_t)score;
        }
}

/* The positive root of 1/4 e^(lambda match) + 3/4 e^(lambda mismatch) = 1. */
static double solve_lambda(const struct scoring *s)
{
    double low = 0.0;
    double high = log(4.0) / s->match; /* at which the first term alone is 1 */
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        double sum = 0.25 * exp(middle * s->match) + 0.75 * exp(middle * s->mismatch);
        if (sum < 1.0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static int greatest_common_divisor(int a, int b)
{
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

/* Sum over k of (E[e^(lambda S_k); S_k < 0] + P(S_k >= 0)) / k, S_k the score of k random columns: with i
 * matches, S_k = i match + (k - i) mismatch. It is cut where BLAST cuts its series, so that K agrees in all
 * printed digits. */
static double ladder_sum(const struct scoring *s, double lambda)
{
    double outer = 0.0;
    double term = 1.0;
    for (int k = 1; k <= 100 && term > 1e-4; k++) {
        double probability = pow(0.75, k); /* of i matches among k columns */
        term = 0.0;
        for (int i = 0; i <= k; i++) {
            int sum = i * s->match + (k - i) * s->mismatch;
            term += probability * (sum < 0 ? exp(lambda * sum) : 1.0);
            probability *= (double)(k - i) / (i + 1) / 3.0;
        }
        term /= k;
        outer += term;
    }
    return outer;
}

/* K of scores divided by their greatest common divisor, hence with the lattice span 1. */
static double compute_k(const struct scoring *s, double lambda, double h)
{
    double drop = 1.0 - exp(-lambda);
    double mean = 0.25 * s->match + 0.75 * s->mismatch;
    if (s->match == 1 && s->mismatch == -1)
        return (0.75 - 0.25) * (0.75 - 0.25) / 0.75;
    if (s->match == 1)
        return h / lambda * drop;
    if (s->mismatch == -1)
        return mean * mean / (h / lambda) * drop;
    return exp(-2.0 * ladder_sum(s, lambda)) / (h / lambda * drop);
}

static struct karlin compute_karlin(const struct scoring *scoring)
{
    int span = greatest_common_divisor(scoring->match, -scoring->mismatch);
    struct scoring s = {.match = scoring->match / span, .mismatch = scoring->mismatch / span};
    double lambda = solve_lambda(&s);
    double h =
        lambda * (0.25 * s.match * exp(lambda * s.match) + 0.75 * s.mismatch * exp(lambda * s.mismatch));
    return (struct karlin){.lambda = lambda / span, .k = compute_k(&s, lambda, h), .h = h};
}

static const struct score_table *find_table(const struct scoring *s)
{
    for (int i = 0; i < TABLE_COUNT; i++)
        if (tables[i].match == s->match && tables[i].mismatch == s->mismatch)
            return &tables[i];
    return NULL;
}

static const struct gap_row *find_row(const struct score_table *table, const struct scoring *s)
{
    for (int i = 0; i < ROWS_MAX && table->rows[i].lambda > 0; i++)
        if (table->rows[i].open == s->gap_open && table->rows[i].extend == s->gap_extend)
            return &table->rows[i];
    return NULL;
}

static int refuse_scores(const struct scoring *s, struct why *why)
{
    why_say(why, WHY_SAID, "no statistics for match %d, mismatch %d; supported:", s->match, s->mismatch);
    for (int i = 0; i < TABLE_COUNT; i++)
        why_append(why, " %d/%d", tables[i].match, tables[i].mismatch);
    return WHY_SAID;
}

static int refuse_gaps(const struct score_table *table, const struct scoring *s, struct why *why)
{
    why_say(why, WHY_SAID, "no statistics for gap costs %d/%d with scores %d/%d; supported:", s->gap_open,
            s->gap_extend, s->match, s->mismatch);
    for (int i = 0; i < ROWS_MAX && table->rows[i].lambda > 0; i++)
        why_append(why, " %d/%d,", table->rows[i].open, table->rows[i].extend);
    why_append(why, " or at least %d/%d", table->large_open, table->large_extend);
    return WHY_SAID;
}

static bool gaps_are_linear(const struct scoring *s)
{
    return s->gap_open == 0 && s->gap_extend == 0;
}

/* Units per score: 2 if half of an odd match score must be a whole number, else 1. */
static int units_per_score(const struct scoring *s)
{
    return gaps_are_linear(s) && s->match % 2 != 0 ? 2 : 1;
}

static struct scoring in_units(const struct scoring *s, int units)
{
    struct scoring u = {units * s->match, units * s->mismatch, units * s->gap_open, units * s->gap_extend};
    if (gaps_are_linear(s))
        u.gap_extend = u.match / 2 - u.mismatch;
    return u;
}

static void use_ungapped(struct scoring_statistics *s)
{
    bool shallow = (s->scoring.match == 1 && s->scoring.mismatch == -1) ||
                   (s->scoring.match == 2 && s->scoring.mismatch == -3);
    s->gapped = s->ungapped;
    s->alpha = s->ungapped.lambda / s->ungapped.h;
    s->beta = shallow ? -2.0 : 0.0;
}

static void use_row(struct scoring_statistics *s, const struct gap_row *row)
{
    s->gapped = (struct karlin){.lambda = row->lambda / s->units, .k = row->k, .h = row->h};
    s->alpha = row->alpha / s->units;
    s->beta = row->beta;
}

/* As BLAST converts X-drops: without K, rounded down. */
static int raw_from_bits(const struct karlin *karlin, double bits)
{
    return (int)(bits * M_LN2 / karlin->lambda);
}

static void set_thresholds(struct scoring_statistics *s)
{
    s->xdrop_ungapped = (int)ceil(20.0 * M_LN2 / s->ungapped.lambda);
    s->xdrop_preliminary = raw_from_bits(&s->gapped, 30.0);
    s->xdrop_final = raw_from_bits(&s->gapped, 100.0);
    s->gap_trigger = (int)((27.0 * M_LN2 + log(s->ungapped.k)) / s->ungapped.lambda);
}

int scoring_statistics_compute(const struct scoring *scoring, struct scoring_statistics *out, struct why *why)
{
    struct scoring_statistics s = {.units = units_per_score(scoring)};
    const struct score_table *table = find_table(scoring);
    if (!table)
        return refuse_scores(scoring, why);
    const struct gap_row *row = find_row(table, scoring);
    if (!row && (scoring->gap_open < table->large_open || scoring->gap_extend < table->large_extend))
        return refuse_gaps(table, scoring, why);
    s.scoring = in_units(scoring, s.units);
    s.ungapped = compute_karlin(&s.scoring);
    s.even_scores = table->even_scores;
    if (row)
        use_row(&s, row);
    else
        use_ungapped(&s);
    set_thresholds(&s);
    scoring_pair_scores(&s.scoring, &s.pairs);
    *out = s;
    return 0;
}

struct lengths {
    double query, database, records;
};

static double expected_length(const struct scoring_statistics *s, const struct lengths *l, double shortened)
{
    double space = (l->query - shortened) * (l->database - l->records * shortened);
    return s->alpha / s->gapped.lambda * (log(s->gapped.k) + log(space)) + s->beta;
}

/* The largest a with K (m - a) (n - N a) >= max(m, n), or -1: the smaller root of a quadratic equation. */
static double adjustment_limit(const struct scoring_statistics *s, const struct lengths *l)
{
    double c = l->database * l->query - fmax(l->query, l->database) / s->gapped.k;
    double b = l->query * l->records + l->database;
    return c < 0 ? -1.0 : 2 * c / (b + sqrt(b * b - 4 * l->records * c));
}

/* Fixed point of expected_length by iteration, kept between bounds; the order of the tests decides the last
 * base. */
static uint64_t length_adjustment(const struct scoring_statistics *s, uint64_t query_bases,
                                  uint64_t database_bases, uint64_t database_records)
{
    struct lengths l = {(double)query_bases, (double)database_bases, (double)database_records};
    double low = 0.0, next = 0.0, high = adjustment_limit(s, &l);
    bool converged = false;
    if (high < 0)
        return 0;
    for (int i = 0; i < 20 && !converged; i++) {
        double now = next;
        double proposed = expected_length(s, &l, now);
        if (proposed >= now) {
            low = now;
            converged = proposed - low <= 1.0;
            if (low == high)
                break;
        } else {
            high = now;
        }
        if (low <= proposed && proposed <= high)
            next = proposed;
        else
            next = i == 0 ? high : (low + high) / 2;
    }
    if (converged && ceil(low) <= high && expected_length(s, &l, ceil(low)) >= ceil(low))
        return (uint64_t)ceil(low);
    return (uint64_t)low;
}

double scoring_search_space(const struct scoring_statistics *s, uint64_t query_bases, uint64_t database_bases,
                            uint64_t database_records)
{
    double a = (double)length_adjustment(s, query_bases, database_bases, database_records);
    double database = fmax((double)database_bases - (double)database_records * a, 1.0);
    return database * ((double)query_bases - a);
}

int scoring_reported(const struct scoring_statistics *s, int score)
{
    return score / s->units;
}

double scoring_bits(const struct scoring_statistics *s, int score)
{
    return (s->gapped.lambda * (score - score % s->units) - log(s->gapped.k)) / M_LN2;
}

double scoring_e_value(const struct scoring_statistics *s, int score, double search_space)
{
    /* E-values are computed from whole scores, and from even ones if the system requires it. */
    int effective = s->even_scores ? score & ~1 : score - score % s->units;
    return search_space * exp(log(s->gapped.k) - s->gapped.lambda * effective);
}

int scoring_least_score(const struct scoring_statistics *s, double e_value, double search_space)
{
    double exact = log(s->gapped.k * search_space / e_value) / s->gapped.lambda;
    int score = exact > 1.0 ? (int)ceil(exact) : 1;
    while (score > 1 && scoring_e_value(s, score - 1, search_space) <= e_value)
        score--;
    while (scoring_e_value(s, score, search_space) > e_value)
        score++;
    return score;
}

int scoring_threshold_convert(int threshold, const struct scoring *from, const struct scoring_statistics *to)
{
    double same_bits = threshold * solve_lambda(from) / (to->ungapped.lambda * to->units);
    double converted = floor(same_bits + 1e-9); /* 1e-9 keeps a whole number whole */
    int highest = to->gap_trigger / to->units;
    return (int)fmax(fmin(converted, highest), -1e6);
}
