/* test_validation.c - verdicts on made-up runs whose answers are known: what each piece of evidence decides, what is a
 * number and what is a reason, intervals over passes, ranges of predictions, what --fail-over counts, findings, bad
 * input.
 */
#include "validate/validation.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "tests/run_suite.h"

/* A frame of 100,000 clocks. Stage 2's arrivals are Poisson and its services exponential unless said otherwise, rho_2
   0.2. */
struct made_up {
    double words, seeds, matches, reads, duplicates, trips;
    double n_q_2, p_bp_1a, p_bp_1b, p_bp_2;
    double arrivals_scv, arrivals_lag1, services_scv, services_lag1, services_mean;
    double seeds_scv, n_q_1bp;
};

static const struct made_up quiet = {
    .words = 50000,
    .seeds = 25000,
    .matches = 20000,
    .reads = 25000,
    .n_q_2 = 0.05,
    .arrivals_scv = 1,
    .services_scv = 1,
    .services_mean = 1,
    .seeds_scv = 1.5,
    .n_q_1bp = 1.1,
};

/* A clock that elements are in the FIFO is little of 4 elements. */
static struct made_up waiting(void)
{
    struct made_up m = quiet;
    m.n_q_2 = 4;
    return m;
}

static json_t *times(double count, double mean, double scv, double lag1)
{
    if (count == 0)
        return json_pack("{s:f, s:n, s:n, s:n}", "count", count, "mean_clocks", "scv", "lag1");
    return json_pack("{s:f, s:f, s:f, s:f}", "count", count, "mean_clocks", mean, "scv", scv, "lag1", lag1);
}

static json_t *fifo(int places, double mean, double signal)
{
    return json_pack("{s:i, s:f, s:f}", "places", places, "mean", mean, "back_pressure_fraction", signal);
}

static json_t *frame_of(const struct made_up *m)
{
    const double clocks = 1e5, clock_hz = 133e6;
    json_t *frame =
        json_pack("{s:f, s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:{s:f, s:f, s:f, s:o, s:o, s:o}}", "clocks",
                  clocks, "pcix", "database_bytes", 8 * m->words, "record_bytes", 0.0, "measured_time_s",
                  clocks / clock_hz, "capacity_bytes_per_s", 1.0108e9, "host_supply_bytes_per_s", 895e6,
                  "hsp_bytes", 16.0, "stage_1a", "words", m->words, "wmers", 16 * m->words, "clock_hz",
                  clock_hz, "ingress_fifo", fifo(8, 0.1, m->p_bp_1a), "arrival_times",
                  times(m->words, clocks / m->words, 0.1, 0), "service_times", times(m->words, 1, 0, 0));
    json_t *stage_1b = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "seeds", m->seeds,
        "sram_reads_clocks", m->reads, "lookups_empty", m->seeds * 0.1, "lookups_match",
        fmin(m->matches, m->seeds - m->duplicates), "lookups_duplicate", m->duplicates, "trips", m->trips,
        "wmer_fifo", fifo(130, m->n_q_1bp, m->p_bp_1b), "sram_fifo", fifo(500, 1.1, 0), "arrival_times",
        times(m->seeds, clocks / fmax(m->seeds, 1), m->seeds_scv, 0), "read_times", times(m->seeds, 1, 0, 0),
        "lookup_times", times(m->seeds, clocks / fmax(m->seeds, 1), 1, 0), "service_times",
        times(m->seeds, m->seeds > 0 ? 1 + (m->trips * 60 - m->duplicates) / m->seeds : 0, 0, 0));
    json_object_set_new(frame, "stage_1b", stage_1b);
    json_t *stage_2 =
        json_pack("{s:f, s:f, s:o, s:o, s:o}", "matches", m->matches, "hsps_out", 0.0, "stage2_fifo",
                  fifo(10, m->n_q_2, m->p_bp_2), "arrival_times",
                  times(m->matches, clocks / fmax(m->matches, 1), m->arrivals_scv, m->arrivals_lag1),
                  "service_times", times(m->matches, m->services_mean, m->services_scv, m->services_lag1));
    json_object_set_new(frame, "stage_2", stage_2);
    return frame;
}

/* A summary of a run and of passes: as JSON text. The older layout may have few numbers. */
static char *summary_of(const struct made_up *run, const struct made_up *passes, size_t count)
{
    json_t *root = frame_of(run), *per_pass = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(per_pass, frame_of(&passes[i]));
    json_object_set_new(root, "per_pass", per_pass);
    json_object_set_new(root, "schema", json_string("mercury-summary-1"));
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    json_decref(root);
    return text;
}

static int make(const char *text, const char *name, bool ranges, struct validation *v, struct why *why)
{
    struct run run;
    int status = run_parse(text, name, &run, why);
    if (status == 0)
        status = validation_make(&run, 3, ranges ? VERDICT_ALL_RANGES : VERDICT_EVERY_MODEL,
                                 ranges ? VERDICT_CHAIN_RANGES : VERDICT_EVERY_MODEL, v, why);
    run_close(&run);
    return status;
}

static struct validation validate(const struct made_up *run, const struct made_up *passes, size_t count,
                                  bool ranges)
{
    struct validation v;
    struct why why = {""};
    char *text = summary_of(run, passes, count);
    int status = make(text, "made up", ranges, &v, &why);
    ck_assert_msg(status == 0, "%s", why.line);
    free(text);
    return v;
}

/* A model is never far off what is near 0: 0.04 elements of 0.1, 0.005 of 0.01, 0.0005 of 0.001 million a second. */
START_TEST(test_distances_of_small_values)
{
    ck_assert_double_eq_tol(verdict_distance(N_Q_2, 0.05, 0.01), 0.4, 1e-12);
    ck_assert_double_eq_tol(verdict_distance(N_Q_2, 0.3, 0.2), 0.5, 1e-12);
    ck_assert_double_eq_tol(verdict_distance(RHO_2, 0.003, 0.008), 0.5, 1e-12);
    ck_assert_double_eq_tol(verdict_distance(LAMBDA_2, 0.0006, 0.0001), 0.5, 1e-12);
}
END_TEST

/* --- verdicts -------------------------------------------------------------------------------------------- */

static unsigned reasons_at_2(const struct made_up *m, enum verdict_model model)
{
    struct validation v = validate(m, m, 1, false);
    unsigned reasons = v.frames[0].cells[N_Q_2][model].reasons;
    validation_destroy(&v);
    return reasons;
}

START_TEST(test_inside)
{
    struct made_up calm = waiting(), beat = calm;
    ck_assert_uint_eq(reasons_at_2(&calm, VERDICT_MM1), 0);
    ck_assert_uint_eq(reasons_at_2(&calm, VERDICT_MM1K_DOR), 0);
    ck_assert_uint_eq(reasons_at_2(&calm, VERDICT_MD1), VERDICT_SERVICES);
    beat.services_scv = 0;
    ck_assert_uint_eq(reasons_at_2(&beat, VERDICT_MD1), 0);
    ck_assert_uint_eq(reasons_at_2(&beat, VERDICT_MM1), VERDICT_SERVICES);
}
END_TEST

/* Each piece of evidence alone gives its own reason, on this side of its level none. */
START_TEST(test_each_reason)
{
    static const struct {
        size_t field;
        double within, beyond;
        unsigned reason;
    } pieces[] = {
        {offsetof(struct made_up, arrivals_scv), 1.49, 1.51, VERDICT_ARRIVALS},
        {offsetof(struct made_up, arrivals_scv), 0.67, 0.66, VERDICT_ARRIVALS},
        {offsetof(struct made_up, arrivals_lag1), 0.09, 0.11, VERDICT_ARRIVALS_ALIKE},
        {offsetof(struct made_up, arrivals_lag1), -0.09, -0.11, VERDICT_ARRIVALS_ALIKE},
        {offsetof(struct made_up, services_scv), 1.49, 1.51, VERDICT_SERVICES},
        {offsetof(struct made_up, services_lag1), 0.09, 0.11, VERDICT_SERVICES_ALIKE},
        {offsetof(struct made_up, services_mean), 1.04, 1.06,
         VERDICT_HELD}, /* 20,000 x 0.05 of 100,000 clocks */
        {offsetof(struct made_up, p_bp_2), 0.009, 0.011, VERDICT_FULL},
        {offsetof(struct made_up, n_q_2), 4.9, 5.1, VERDICT_BOUND},
        {offsetof(struct made_up, matches), 94000, 96000, VERDICT_LOADED},
        {offsetof(struct made_up, n_q_2), 0.81, 0.79, VERDICT_A_CLOCK}, /* 20,000 clocks of 100,000 */
    };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i += tests_are_few() ? 4 : 1) {
        struct made_up m = waiting();
        double *field = (double *)(void *)((char *)&m + pieces[i].field);
        *field = pieces[i].within;
        ck_assert_msg(reasons_at_2(&m, VERDICT_MM1) == 0, "piece %zu, within", i);
        *field = pieces[i].beyond;
        ck_assert_msg(reasons_at_2(&m, VERDICT_MM1) == pieces[i].reason, "piece %zu, beyond", i);
    }
}
END_TEST

/* Records that hold stage 2 up put the tandem outside at every stage; blocking within it does not. */
START_TEST(test_tandem)
{
    struct made_up m = quiet;
    m.p_bp_1a = m.p_bp_1b = 0.3;
    struct validation v = validate(&m, &m, 1, false);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_BLOCKING].reasons, 0);
    ck_assert(v.frames[0].cells[N_Q_1B][VERDICT_MG1].reasons & VERDICT_FULL);
    validation_destroy(&v);
    m.p_bp_2 = 0.4; /* however full: a trip's matches come at once */
    m.arrivals_scv = 15;
    v = validate(&m, &m, 1, false);
    ck_assert_uint_eq(v.frames[0].cells[P_BP_2][VERDICT_BLOCKING].reasons, VERDICT_ARRIVALS);
    validation_destroy(&v);
    m = quiet;
    m.p_bp_1a = m.p_bp_1b = 0.3;
    m.services_mean = 1.1;
    v = validate(&m, &m, 1, false);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_BLOCKING].reasons, VERDICT_HELD);
    ck_assert_uint_eq(v.frames[0].cells[P_BP_1A][VERDICT_BLOCKING].reasons, VERDICT_HELD);
    validation_destroy(&v);
}
END_TEST

/* Elements are in each FIFO for a clock, 1b's in two: that is more than a quarter of N_Q, but no matter of signals. */
START_TEST(test_clock)
{
    struct made_up m = quiet;
    m.n_q_1bp = 0.8; /* and 1.1 behind the SRAM: 0.25 elements a clock come to each */
    struct validation v = validate(&m, &m, 1, false);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1BP][VERDICT_MM1].reasons & VERDICT_A_CLOCK, VERDICT_A_CLOCK);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_MM1].reasons & VERDICT_A_CLOCK, VERDICT_A_CLOCK);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1BD][VERDICT_MM1].reasons & VERDICT_A_CLOCK, 0);
    ck_assert_uint_eq(v.frames[0].cells[P_BP_1B][VERDICT_MM1].reasons & VERDICT_A_CLOCK, 0);
    validation_destroy(&v);
}
END_TEST

/* Words of independent seeds: 16 w-mers of which 1 in 32 is one; given that there are any, 16 p / (1 - (1 - p)^16) of
   them. */
START_TEST(test_batches)
{
    double p = 1 / 32.0, expected = 2 * 16 * p / (1 - pow(1 - p, 16)) - 1;
    struct made_up m = quiet;
    m.seeds_scv = expected * 1.49;
    struct validation v = validate(&m, &m, 1, false);
    ck_assert_double_eq_tol(v.frames[0].evidence[QUANTITY_1B].expected_scv, expected, 1e-12);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_MXG1].reasons, 0);
    validation_destroy(&v);
    m.seeds_scv = expected * 1.51;
    v = validate(&m, &m, 1, false);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_MXG1].reasons, VERDICT_ARRIVALS);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_1B][VERDICT_BLOCKING].reasons, VERDICT_ARRIVALS);
    ck_assert(strstr(v.findings[0], "Clumps") || strstr(v.findings[1], "Clumps") ||
              strstr(v.findings[2], "Clumps"));
    validation_destroy(&v);
}
END_TEST

/* Whatever the run: a finite number or a reason, never both, never neither. */
START_TEST(test_number_or_reason)
{
    const struct made_up runs[] = {
        quiet,
        {.words = 10},                                                        /* no seeds at all */
        {.words = 50000, .seeds = 25000, .reads = 25000, .services_mean = 1}, /* no matches */
        {.words = 50000,
         .seeds = 40000,
         .matches = 40000,
         .reads = 42000,
         .duplicates = 600,
         .trips = 1000,
         .p_bp_1b = 0.97,
         .p_bp_1a = 0.7,
         .n_q_2 = 3,
         .services_mean = 1}, /* saturated */
        {.words = 50000,
         .seeds = 90000,
         .matches = 99999,
         .reads = 99999,
         .services_mean = 1}, /* nearly all loaded */
        {.words = 50000,
         .seeds = 120000,
         .matches = 300000,
         .reads = 120000,
         .services_mean = 1}, /* more than is possible */
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct validation v = validate(&runs[i], &runs[i], 1, true);
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            for (unsigned model = 0; model < VERDICT_MODELS; model++) {
                const struct verdict_cell *cell = &v.frames[0].cells[row][model];
                ck_assert_msg(isfinite(cell->predicted) == !cell->why_not, "run %zu, %s of %s: %g, %s", i,
                              machine_quantities[row].name, verdict_model_name(model), cell->predicted,
                              cell->why_not ? cell->why_not : "no reason");
                ck_assert(cell->given || cell->why_not ||
                          !(cell->low > cell->predicted || cell->high < cell->predicted));
            }
        validation_destroy(&v);
    }
}
END_TEST

START_TEST(test_saturated_has_reasons)
{
    struct made_up m = quiet;
    m.p_bp_1b = 0.97;
    struct validation v = validate(&m, &m, 1, false);
    ck_assert_ptr_nonnull(v.frames[0].cells[N_Q_1B][VERDICT_MM1].why_not);
    ck_assert_ptr_nonnull(v.frames[0].cells[N_Q_1B][VERDICT_MM1K_DOR].why_not);
    ck_assert(isnan(v.frames[0].cells[N_Q_1B][VERDICT_MM1].predicted));
    ck_assert_ptr_nonnull(v.frames[0].cells[RHO_1B][VERDICT_MM1].why_not);
    ck_assert_double_eq(verdict_simulated(&v.frames[0], RHO_1B), 1); /* a read a seed */
    validation_destroy(&v);
}
END_TEST

/* --- intervals, ranges, the best ------------------------------------------------------------------------- */

/* Ten passes are replications: t of 9 degrees over values 1 and 3 in turn, standard error 1 / 3. */
START_TEST(test_interval_over_passes)
{
    struct made_up passes[ROW_PASSES], run = quiet;
    for (int i = 0; i < ROW_PASSES; i++) {
        passes[i] = quiet;
        passes[i].n_q_2 = i % 2 ? 3 : 1;
    }
    run.n_q_2 = 2;
    struct validation v = validate(&run, passes, ROW_PASSES, false);
    const struct row_interval *of_run = v.intervals[0];
    ck_assert_double_eq_tol(of_run[N_Q_2].estimate.half_width, 2.2621572 / 3, 1e-6);
    ck_assert_double_eq_tol(of_run[N_Q_2].estimate.lag1, -0.9, 1e-9);
    ck_assert_double_eq_tol(of_run[RHO_1B].estimate.half_width, 0, 1e-15);
    ck_assert_uint_eq(of_run[N_Q_2].batches, ROW_PASSES);
    ck_assert_ptr_null(of_run[N_Q_2].none);
    validation_destroy(&v);
}
END_TEST

/* A pass's intervals of some quantities, as summary.json has them; lambda's is in elements a second. */
static json_t *intervals_of(int batches, double n_q_2, double half_width, double lag1)
{
    return json_pack("{s:i, s:i, s:{s:s, s:f, s:f, s:f, s:f}, s:{s:s, s:f, s:f, s:f}, s:{s:f, s:f, s:f}, "
                     "s:{s:f, s:f, s:f}}",
                     "batches", batches, "blocks_a_batch", 2, "N_Q_2", "unit", "matches", "mean", n_q_2,
                     "half_width", half_width, "lag1", lag1, "largest_share", 0.6, "lambda_1a", "unit",
                     "wmers/s", "mean", 1e9, "half_width", 2e6, "lag1", 0.0, "rho_1b", "mean", 0.5,
                     "half_width", 0.01, "lag1", 0.0, "rho_1b_saturated", "mean", 1.0, "half_width", 0.03,
                     "lag1", 0.0);
}

/* A run of passes of equal length, each with its own intervals or with none. */
static struct validation validate_batches(json_t *const *intervals, size_t passes, const struct made_up *made)
{
    struct why why = {""};
    json_t *root = frame_of(made), *per_pass = json_array();
    for (size_t i = 0; i < passes; i++) {
        json_t *pass = frame_of(made);
        if (intervals[i])
            json_object_set_new(pass, "intervals", intervals[i]);
        json_array_append_new(per_pass, pass);
    }
    json_object_set_new(root, "schema", json_string("mercury-summary-1"));
    json_object_set_new(root, "per_pass", per_pass);
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    struct validation v;
    int status = make(text, "made up", false, &v, &why);
    ck_assert_msg(status == 0, "%s", why.line);
    json_decref(root);
    free(text);
    return v;
}

/* Two passes have one length: the standard errors' squares add up, each a quarter of its own; the second's is 0. */
START_TEST(test_interval_over_batches)
{
    json_t *intervals[] = {intervals_of(19, 1, 2.1009220 * 0.1, 0.7), intervals_of(22, 3, 0, 0)};
    struct validation v = validate_batches(intervals, 2, &quiet);
    ck_assert_double_eq_tol(v.intervals[1][N_Q_2].estimate.half_width, 0.2100922, 1e-9);
    ck_assert_double_eq_tol(v.intervals[1][LAMBDA_1A].estimate.half_width, 2, 1e-9); /* Mwmers/s */
    ck_assert_double_eq(v.intervals[2][N_Q_2].estimate.half_width, 0);
    ck_assert_double_eq_tol(v.intervals[0][N_Q_2].estimate.half_width, 2.1009220 * 0.05,
                            1e-7); /* 18 degrees */
    ck_assert_uint_eq(v.intervals[0][N_Q_2].batches, 41);
    ck_assert_double_eq_tol(v.intervals[0][RHO_1B].estimate.half_width, 0.01 / sqrt(2), 3e-4);
    ck_assert(row_interval_is_too_narrow(&v.intervals[1][N_Q_2])); /* 0.7 > 2.6 / sqrt(19) */
    ck_assert(!row_interval_is_too_narrow(&v.intervals[2][N_Q_2]));
    ck_assert(row_interval_is_too_narrow(&v.intervals[0][N_Q_2]));
    ck_assert(batch_means_rest_on_one(&v.intervals[1][N_Q_2].estimate)); /* 0.6 */
    ck_assert(batch_means_rest_on_one(&v.intervals[0][N_Q_2].estimate));
    ck_assert(!batch_means_rest_on_one(&v.intervals[1][RHO_1B].estimate));
    validation_destroy(&v);
}
END_TEST

START_TEST(test_interval_of_a_saturated_1b)
{
    struct made_up saturated = quiet;
    saturated.p_bp_1b = 0.9;
    json_t *intervals[] = {intervals_of(19, 1, 0.1, 0)};
    struct validation v = validate_batches(intervals, 1, &saturated);
    ck_assert_double_eq(v.intervals[1][RHO_1B].estimate.half_width, 0.03);
    ck_assert_double_eq_tol(v.intervals[0][RHO_1B].estimate.half_width, 0.03,
                            1e-12); /* one pass: the run's is its */
    validation_destroy(&v);
}
END_TEST

static void expect_none(struct validation v, size_t frame, const char *why)
{
    const struct row_interval *interval = &v.intervals[frame][N_Q_2];
    ck_assert(isnan(interval->estimate.half_width));
    ck_assert_ptr_nonnull(interval->none);
    ck_assert_msg(strstr(interval->none, why), "%s", interval->none);
    ck_assert(!row_interval_is_too_narrow(interval));
    validation_destroy(&v);
}

/* An older summary, a pass of few blocks, a quantity of no value; what one pass has not the run has not. */
START_TEST(test_no_interval)
{
    json_t *const older[] = {NULL, NULL};
    expect_none(validate_batches(older, 2, &quiet), 0, "no batches inside");
    expect_none(validate_batches(older, 2, &quiet), 2, "no batches inside");
    for (size_t frame = 0; frame < 3; frame += 2) {
        json_t *few[] = {intervals_of(19, 1, 0.1, 0), intervals_of(9, 1, 0, 0)};
        json_object_set_new(json_object_get(few[1], "N_Q_2"), "half_width", json_null());
        expect_none(validate_batches(few, 2, &quiet), frame, "fewer than 10");
    }
    json_t *odd[] = {json_string("nonsense")};
    expect_none(validate_batches(odd, 1, &quiet), 1, "no batches inside");
    json_t *wrong[] = {intervals_of(19, 1, -0.1, 0)};
    json_object_set_new(json_object_get(wrong[0], "N_Q_2"), "mean", json_null());
    expect_none(validate_batches(wrong, 1, &quiet), 1, "no batch has a value");
    expect_none(validate(&quiet, NULL, 0, false), 0, "without its passes");
}
END_TEST

/* M/M/1 at stage 2 by hand: lambda_2 = lambda_in / 8 x 16 x P_1a x P_1b, each within half a unit of its third digit. */
START_TEST(test_range)
{
    struct validation v = validate(&quiet, &quiet, 1, true);
    const struct verdict_cell *cell = &v.frames[0].cells[N_Q_2][VERDICT_MM1];
    const double lambda_in = 532, p_1a = 1 / 32.0, p_1b = 0.8; /* units: 0.5, 0.00005, 0.0005 */
    double n_q[2];
    for (int high = 0; high < 2; high++) {
        double sign = high ? 1 : -1;
        double rho = (lambda_in + sign * 0.5) * 2 * (p_1a + sign * 0.00005) * (p_1b + sign * 0.0005) / 133;
        n_q[high] = rho * rho / (1 - rho);
    }
    ck_assert_double_eq_tol(cell->predicted, 0.05, 1e-12);
    ck_assert_double_eq_tol(cell->low, n_q[0], 1e-12);
    ck_assert_double_eq_tol(cell->high, n_q[1], 1e-12);
    ck_assert(!cell->edge);
    validation_destroy(&v);
}
END_TEST

/* The load of stage 2 with all inputs as they are, 0.97; with each half a unit of its third digit up, 0.9736: 1 - rho
 * differs by 28%. At 0.9999 it may be 1: outside, whatever else the run does, with ranges or without. Only M/M/1/K
 * has a number, because it loses what finds K matches. */
START_TEST(test_a_load_of_1_within_rounding_is_outside)
{
    for (int ranges = 0; ranges < 2; ranges++) {
        struct made_up loaded = quiet, balanced = quiet;
        loaded.matches = 97000;
        balanced.matches = 99990;
        struct validation is_loaded = validate(&loaded, &loaded, 1, ranges);
        struct validation is_balanced = validate(&balanced, &balanced, 1, ranges);
        for (int model = 0; model < VERDICT_FIVE; model++) {
            ck_assert(isfinite(is_loaded.frames[0].cells[N_Q_2][model].predicted));
            const struct verdict_cell *cell = &is_balanced.frames[0].cells[N_Q_2][model];
            if (model == VERDICT_MM1K) {
                ck_assert(cell->predicted > 1 && cell->predicted < 10);
                continue;
            }
            ck_assert(isnan(cell->predicted) && isnan(cell->low) && isnan(cell->high));
            ck_assert_ptr_nonnull(strstr(cell->why_not, "not determined"));
        }
        validation_destroy(&is_loaded);
        validation_destroy(&is_balanced);
    }
}
END_TEST

START_TEST(test_best)
{
    struct made_up passes[] = {quiet, quiet};
    passes[0].n_q_2 = passes[1].n_q_2 = 0.05; /* rho^2 / (1 - rho) of 0.2 */
    struct validation v = validate(&quiet, passes, 2, false);
    ck_assert_int_eq(v.best[N_Q_2].model, VERDICT_MM1);
    ck_assert_uint_eq(v.best[N_Q_2].frames, 2);
    validation_destroy(&v);
    passes[0].n_q_2 = passes[1].n_q_2 = 1.1; /* the fetch alone holds 1 */
    v = validate(&passes[0], passes, 2, false);
    ck_assert_int_eq(v.best[N_Q_2].model, VERDICT_BLOCKING);
    ck_assert_str_eq(validation_best_name(&v.best[N_Q_2]), "blocking");
    ck_assert_str_eq(validation_best_name(&v.best[RHO_2]), "-"); /* an input of the chains */
    ck_assert_str_eq(validation_best_name(&v.best[LAMBDA_1A]), "-");
    validation_destroy(&v);
    /* M/M/1 is 18 times too low, at a distance of 0.94; the tandem is within a factor of 2, at more than that */
    passes[0].n_q_2 = passes[1].n_q_2 = 0.89;
    v = validate(&passes[0], passes, 2, false);
    ck_assert_double_lt(verdict_distance(N_Q_2, v.frames[1].cells[N_Q_2][VERDICT_MM1].predicted, 0.89),
                        verdict_distance(N_Q_2, v.frames[1].cells[N_Q_2][VERDICT_BLOCKING].predicted, 0.89));
    ck_assert_int_eq(v.best[N_Q_2].model, VERDICT_BLOCKING);
    validation_destroy(&v);
    passes[0].n_q_2 = passes[1].n_q_2 = 9; /* the tandem's is about 1 */
    v = validate(&passes[0], passes, 2, false);
    ck_assert_str_eq(validation_best_name(&v.best[N_Q_2]), "none");
    validation_destroy(&v);
    passes[1] = quiet; /* every model is near there, at 0, which must not make up for the first pass */
    passes[0].n_q_2 = 0.05;
    passes[0].p_bp_2 = 0.035;
    v = validate(&passes[0], passes, 2, false);
    ck_assert_str_eq(validation_best_name(&v.best[P_BP_2]), "none");
    validation_destroy(&v);
    passes[0].p_bp_2 = 0;
    v = validate(&quiet, passes, 2, false);
    ck_assert_int_ge(v.best[P_BP_2].model, 0); /* a signal that is never on is as predicted */
    validation_destroy(&v);
}
END_TEST

START_TEST(test_count_over)
{
    unsigned row = 99, model = 99;
    struct made_up m = quiet;
    m.matches = 50000; /* M/M/1 has 0.5, inside its domain: four fifths off */
    m.n_q_2 = 2.5;
    struct validation v = validate(&m, &m, 1, false);
    unsigned without = validation_count_over(&v, 1e6, &row, &model);
    ck_assert_uint_eq(without, 0);
    ck_assert_uint_gt(validation_count_over(&v, 0.79, &row, &model), 0);
    ck_assert(v.frames[0].cells[row][model].reasons == 0 && !v.frames[0].cells[row][model].given);
    unsigned below = validation_count_over(&v, 0.79, &row, &model),
             above = validation_count_over(&v, 0.81, &row, &model);
    ck_assert_uint_ge(below, above + 2); /* M/M/1, M/M/1/K (Dor) and the chain of five at stage 2 */
    validation_destroy(&v);
}
END_TEST

/* --- findings -------------------------------------------------------------------------------------------- */

static bool finds(const struct validation *v, const char *what)
{
    for (unsigned i = 0; i < v->finding_count; i++)
        if (strncmp(v->findings[i], what, strlen(what)) == 0)
            return true;
    return false;
}

START_TEST(test_findings)
{
    struct validation v = validate(&quiet, &quiet, 1, false);
    ck_assert(!finds(&v, "Blocking") && !finds(&v, "Clumps") && !finds(&v, "Stage 1b") &&
              !finds(&v, "The bus"));
    validation_destroy(&v);
    struct made_up m = quiet;
    m.p_bp_1a = 0.3;
    m.p_bp_1b = 0.6;
    m.services_mean = 1.2;
    m.n_q_2 = 1.2;
    v = validate(&m, &m, 1, false);
    ck_assert(finds(&v, "Blocking") && finds(&v, "Stage 1b") && finds(&v, "The bus") &&
              finds(&v, "Fetch latency"));
    ck_assert(!finds(&v, "Clumps"));
    validation_destroy(&v);
}
END_TEST

/* --- bad input ------------------------------------------------------------------------------------------- */

START_TEST(test_bad_input)
{
    static const char *const texts[] = {"", "{", "[]", "{}", "null", "{\"per_pass\": []}", "\xff\xfe"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct validation v;
        struct why why = {""};
        ck_assert_int_eq(make(texts[i], "some.json", true, &v, &why), VALIDATION_EINPUT);
        ck_assert_ptr_nonnull(strstr(why.line, "some.json"));
        ck_assert_ptr_null(strchr(why.line, '\n'));
    }
}
END_TEST

START_TEST(test_other_schema)
{
    char *text = summary_of(&quiet, &quiet, 1);
    struct validation v;
    struct why why;
    strstr(text, "mercury-summary-1")[strlen("mercury-summary-")] = '3';
    ck_assert_int_eq(make(text, "later", false, &v, &why), VALIDATION_EINPUT);
    ck_assert_str_eq(why.line, "later: schema 'mercury-summary-3'; this is mercury " MERCURY_VERSION
                               ", which reads mercury-summary-2 (or -1); read it with the version that wrote "
                               "it, or run mercury again");
    free(text);
}
END_TEST

/* No steady state of the bus, so no number of anything behind it: sentences say so, none has a nan. */
START_TEST(test_findings_without_numbers)
{
    struct made_up m = quiet;
    m.words = 99900; /* 1.06e9 bytes a second */
    m.arrivals_scv = 3;
    struct validation v = validate(&m, &m, 1, false);
    ck_assert(isnan(v.frames[0].cells[N_Q_2][VERDICT_MM1].predicted));
    unsigned without = 0;
    for (size_t i = 0; i < v.finding_count; i++) {
        without += strstr(v.findings[i], "no number") != NULL;
        ck_assert_ptr_null(strstr(v.findings[i], "nan"));
    }
    ck_assert_uint_gt(without, 0);
    validation_destroy(&v);
}
END_TEST

/* A summary without times between elements: judged by what there is, and said so. */
START_TEST(test_older_summary)
{
    char *text = summary_of(&quiet, &quiet, 1), *at;
    while ((at = strstr(text, "_times\"")))
        memcpy(at, "_tamed\"", strlen("_tamed\""));
    struct validation v;
    struct why why;
    ck_assert_int_eq(make(text, "old", false, &v, &why), 0);
    ck_assert_uint_eq(v.frames[0].cells[N_Q_2][VERDICT_MD1].reasons, 0);
    ck_assert(finds(&v, "The file holds no scv"));
    validation_destroy(&v);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("validation");
    TCase *tests = tcase_create("validation");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_distances_of_small_values);
    tcase_add_test(tests, test_inside);
    tcase_add_test(tests, test_each_reason);
    tcase_add_test(tests, test_tandem);
    tcase_add_test(tests, test_clock);
    tcase_add_test(tests, test_batches);
    tcase_add_test(tests, test_number_or_reason);
    tcase_add_test(tests, test_saturated_has_reasons);
    tcase_add_test(tests, test_interval_over_passes);
    tcase_add_test(tests, test_interval_over_batches);
    tcase_add_test(tests, test_interval_of_a_saturated_1b);
    tcase_add_test(tests, test_no_interval);
    tcase_add_test(tests, test_range);
    tcase_add_test(tests, test_a_load_of_1_within_rounding_is_outside);
    tcase_add_test(tests, test_best);
    tcase_add_test(tests, test_count_over);
    tcase_add_test(tests, test_findings);
    tcase_add_test(tests, test_bad_input);
    tcase_add_test(tests, test_other_schema);
    tcase_add_test(tests, test_findings_without_numbers);
    tcase_add_test(tests, test_older_summary);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
