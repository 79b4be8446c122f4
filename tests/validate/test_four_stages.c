/* test_four_stages.c - a run's frame beside the chain of four stages that is predicted from it, with both published
 * runs as input: the numbers of Figures 12 and 17, validation.tsv, and frames that no model takes.
 */
#include "validate/validation.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_error.h"
#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"

/* 1000 s of 133 MHz: counts are so large that rounding them to whole numbers changes no printed digit. */
static const double clock_hz = 133e6, seconds = 1000;

/* What Dor 2010 fed the models with (Figures 11, 16): lambda_in [bytes/s], fractions, SRAM reads a seed. */
struct published {
    double lambda_in, p_1a, p_1b, p_2, m_1b;
    double back_pressure_1b; /* fraction of the clocks */
};

/* Inside the printed rounding, chosen so that every printed cell follows (derivation: test_mercury_model.c):
 * N_Q,1a = 4.47 needs 895.28 .. 895.35 MB/s, rho_1b = 0.250 needs mu_1b = 133/M_1b of 127.5 .. 127.7. */
static const struct published run_1 = {895.32e6, 0.0178, 0.877, 0.000204, 133 / 127.6, 0};

/* 722 MB/s; SRAM reads in 0.406 of the clocks: M_1b = 0.406 x 133e6 / (722e6 x 2 x 0.03464) = 1.0795. */
static const struct published run_2 = {722e6, 0.03464, 0.765, 0.000350, 1.07953, 0.604};

static uint64_t whole(double value)
{
    return (uint64_t)llround(value);
}

static void set_queue(struct frame *frame, unsigned queue, uint64_t places, double mean, double back_pressure)
{
    frame->queues[queue] = (struct fifo_measure){
        .places = places,
        .clocks = frame->clocks,
        .integral = whole(mean * (double)frame->clocks),
        .back_pressure_clocks = whole(back_pressure * (double)frame->clocks),
    };
}

/* 8-byte words of 16 w-mers; K_1b = 100 + 500 = 600 and K_2 = 10 as published, K_1a = 8 words of 16 = 128. */
static struct frame frame_of(const struct published *run)
{
    struct frame frame = {.duration_s = seconds, .clock_hz = clock_hz, .clocks = whole(seconds * clock_hz)};
    double bytes = run->lambda_in * seconds, wmers = 2 * bytes, seeds = wmers * run->p_1a;
    double matches = seeds * run->p_1b, hsps = matches * run->p_2;
    frame.counters[PCIX_DATABASE_BYTES] = whole(bytes);
    frame.counters[PCIX_RECORD_BYTES] = whole(16 * hsps);
    frame.counters[S1A_WORDS] = whole(bytes / 8);
    frame.counters[S1A_WMERS] = whole(wmers);
    frame.counters[S1B_SEEDS] = whole(seeds);
    frame.counters[S1B_SRAM_READS] = whole(seeds * run->m_1b);
    frame.counters[S2_MATCHES] = whole(matches);
    frame.counters[S2_HSPS_OUT] = whole(hsps);
    frame.gauges[GAUGE_CAPACITY_BYTES_PER_S] = 900e6;
    frame.gauges[GAUGE_HSP_BYTES] = 16;
    frame.gauges[GAUGE_HOST_SUPPLY_BYTES_PER_S] = 895e6; /* what run 1 took */
    frame.gauges[GAUGE_CLOCK_HZ] = clock_hz;
    frame.counters[PCIX_BUSY] = whole((bytes + 16 * hsps) / 900e6 * 1e12);
    set_queue(&frame, FIFO_INGRESS, 8, 0.25, 0.01);
    set_queue(&frame, FIFO_WMER, 100, 1.5, run->back_pressure_1b);
    set_queue(&frame, FIFO_SRAM, 500, 2.25, 0.3);
    set_queue(&frame, FIFO_STAGE2, 10, 1.2, 0.002);
    return frame;
}

static struct validation validate(const struct frame *frame)
{
    struct validation v;
    struct why why = {""};
    ck_assert_msg(validation_of_frame(frame, VERDICT_CHAINS, &v, &why) == 0, "%s", why.line);
    return v;
}

static struct validation validate_run(const struct published *run)
{
    struct frame frame = frame_of(run);
    return validate(&frame);
}

struct row {
    const char *unit;
    double simulated, mm1, mm1k;
    int status; /* of the stage's M/M/1 and M/M/1/K (Dor) */
};

static struct row row_of(const struct validation *v, const char *parameter)
{
    static const int stages[QUANTITY_STAGES] = {MERCURY_PCI, MERCURY_1A, MERCURY_1B, -1, -1, MERCURY_2};
    unsigned quantity = 0;
    while (quantity < MACHINE_QUANTITIES && strcmp(machine_quantities[quantity].name, parameter) != 0)
        quantity++;
    ck_assert_msg(quantity < MACHINE_QUANTITIES && verdict_is_of_four_stages(quantity), "no row %s",
                  parameter);
    const struct verdict_frame *run = &v->frames[0];
    const struct pipeline_queue *queue =
        run->four_stages.stages[stages[machine_quantities[quantity].stage]].queue;
    return (struct row){machine_quantities[quantity].unit, verdict_simulated(run, quantity),
                        verdict_of_four_stages(run, quantity, PIPELINE_MM1),
                        verdict_of_four_stages(run, quantity, PIPELINE_MM1K_DOR),
                        queue[PIPELINE_MM1].status ? queue[PIPELINE_MM1].status
                                                   : queue[PIPELINE_MM1K_DOR].status};
}

static double input_of(const struct validation *v, enum predict_input input)
{
    return v->frames[0].inputs.value[input];
}

/* Kept out of line: gcc 12 takes what open_memstream() leaves in `text` for a pointer to it. */
__attribute__((noinline)) static char *written(const struct validation *validation, enum result_format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    validation_write_four_stages(validation, format, out);
    fclose(out);
    return text;
}

/* --- core ------------------------------------------------------------------------------------------------ */

/* Model columns of Figures 12 (M/M/1/K (Dor)) and 17 (M/M/1), run 1, with half a unit of the last printed digit. */
static const struct {
    const char *parameter, *unit;
    double value, half_unit;
} figures[] = {
    {"lambda_1a", "Mwmers/s", 1790, 5},
    {"lambda_1b", "Mseeds/s", 31.9, 0.05},
    {"lambda_2", "Mmatches/s", 28.0, 0.05},
    {"rho_pci", "1", 0.995, 0.0005},
    {"rho_1a", "1", 0.841, 0.0005},
    {"rho_1b", "1", 0.250, 0.0005},
    {"rho_2", "1", 0.210, 0.0005},
    {"N_Q_1a", "wmers", 4.47, 0.005},
    {"N_Q_1b", "seeds", 0.08, 0.005},
    {"N_Q_2", "matches", 0.06, 0.005},
    {"P_BP_1a", "1", 0.0, 0.05},
    {"P_BP_1b", "1", 0.0, 0.05},
    {"P_BP_2", "1", 0.0, 0.05},
};

START_TEST(test_run_1_gives_the_cells_of_figures_12_and_17)
{
    struct validation c = validate_run(&run_1);
    struct row row = row_of(&c, figures[_i].parameter);
    ck_assert_str_eq(row.unit, figures[_i].unit);
    ck_assert_int_eq(row.status, 0);
    ck_assert_double_eq_tol(row.mm1, figures[_i].value, figures[_i].half_unit);
    ck_assert_double_eq_tol(row.mm1k, figures[_i].value, figures[_i].half_unit);
    ck_assert(!c.frames[0].saturated);
    validation_destroy(&c);
}
END_TEST

START_TEST(test_inputs_are_the_frames_own)
{
    struct validation c = validate_run(&run_1);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_LAMBDA_IN) * 1e6, 895.32e6, 1);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_CLOCK) * 1e6, clock_hz, 1e-6);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_MU_PCI) * 1e6, 900e6, 1e-6);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_WMERS_PER_WORD), 16, 1e-12);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_BYTES_PER_WORD), 8, 1e-12);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_HSP_BYTES), 16, 1e-6);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_P_1A), 0.0178, 1e-9);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_P_1B), 0.877, 1e-9);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_P_2), 0.000204, 1e-9);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_M_1B), 133 / 127.6, 1e-9);
    ck_assert_double_eq(input_of(&c, PREDICT_M_2), 1);
    ck_assert_double_eq(input_of(&c, PREDICT_K_1A), 128);
    ck_assert_double_eq(input_of(&c, PREDICT_K_1B), 600);
    ck_assert_double_eq(input_of(&c, PREDICT_K_2), 10);
    validation_destroy(&c);
}
END_TEST

/* By hand from the frame: rates over 1000 s, N_Q of 1a 0.25 words of 16 w-mers, of 1b 1.5 + 2.25; rho_1b is
 * SRAM reads a clock, 31.873392e6 x 133/127.6 / 133e6; the bus carries 895.32 MB/s and 16-byte records. */
START_TEST(test_simulated_column_is_the_frames)
{
    struct validation c = validate_run(&run_1);
    double matches = 895.32e6 * 2 * 0.0178 * 0.877;
    ck_assert_double_eq_tol(row_of(&c, "lambda_1a").simulated, 1790.64, 1e-6);
    ck_assert_double_eq_tol(row_of(&c, "lambda_1b").simulated, 31.873392, 1e-6);
    ck_assert_double_eq_tol(row_of(&c, "lambda_2").simulated, matches / 1e6, 1e-6);
    ck_assert_double_eq_tol(row_of(&c, "rho_pci").simulated, (895.32e6 + 16 * matches * 0.000204) / 900e6,
                            1e-9);
    ck_assert_double_eq_tol(row_of(&c, "rho_1a").simulated, 895.32 / 8 / 133, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "rho_1b").simulated, 31.873392 / 127.6, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "rho_2").simulated, matches / 133e6, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "N_Q_1a").simulated, 4, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "N_Q_1b").simulated, 3.75, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "N_Q_2").simulated, 1.2, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "P_BP_1a").simulated, 0.01, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "P_BP_1b").simulated, 0, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "P_BP_2").simulated, 0.002, 1e-9);
    validation_destroy(&c);
}
END_TEST

/* Rates and utilisations that are not the queues' follow from the same counts, so that theory must agree. */
START_TEST(test_rates_agree_by_construction)
{
    static const char *const same[] = {"lambda_1a", "lambda_1b", "lambda_2", "rho_pci",
                                       "rho_1a",    "rho_1b",    "rho_2"};
    struct validation c = validate_run(&run_1);
    for (int i = 0; i < COUNT_OF(same); i++) {
        struct row row = row_of(&c, same[i]);
        ck_assert_msg(fabs(row.mm1 - row.simulated) < 1e-9 * row.simulated, "%s", same[i]);
    }
    validation_destroy(&c);
}
END_TEST

/* A bus at work for all of the time, and records of the last block that cross after it: what crossed in time is what
 * the run and theory have on the bus, and theory has a steady state. */
START_TEST(test_late_records_are_not_the_bus_load)
{
    struct published run = run_1;
    run.p_2 = 0.02; /* 16 bytes each: 9 MB/s, more than the bus has left */
    struct frame frame = frame_of(&run);
    frame.counters[PCIX_BUSY] = whole(1.2 * seconds * 1e12);
    struct validation late = validate(&frame);
    ck_assert_double_gt(row_of(&late, "rho_pci").mm1, 1);
    frame.counters[PCIX_BUSY] = whole(0.9999 * seconds * 1e12);
    struct validation timed = validate(&frame);
    ck_assert_double_eq_tol(row_of(&timed, "rho_pci").simulated, 0.9999, 1e-9);
    ck_assert_double_eq_tol(row_of(&timed, "rho_pci").mm1, 0.9999, 1e-9);
    ck_assert_int_eq(row_of(&timed, "N_Q_2").status, 0);
    ck_assert_double_eq(row_of(&timed, "lambda_1a").mm1, row_of(&late, "lambda_1a").mm1);
    validation_destroy(&late);
    validation_destroy(&timed);
}
END_TEST

/* Negative control: a frame with 1 % more seeds does not give the figures. */
START_TEST(test_a_wrong_fraction_does_not_give_the_figures)
{
    struct published wrong = run_1;
    wrong.p_1a *= 1.01;
    struct validation c = validate_run(&wrong);
    ck_assert_double_gt(fabs(row_of(&c, "lambda_1b").mm1 - 31.9), 0.05);
    ck_assert_double_gt(fabs(row_of(&c, "lambda_2").mm1k - 28.0), 0.05);
    validation_destroy(&c);
}
END_TEST

/* --- core: a saturated 1b -------------------------------------------------------------------------------- */

/* Figure 12 and 17, run 2, but for 1b's queue, which no input of the run's own decides. */
START_TEST(test_run_2_uses_the_srams_utilisation)
{
    struct validation c = validate_run(&run_2);
    ck_assert(c.frames[0].saturated);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_M_2), 0.406, 0.0005);
    ck_assert_double_eq_tol(row_of(&c, "lambda_1a").mm1, 1440, 5);
    ck_assert_double_eq_tol(row_of(&c, "lambda_1b").mm1, 50.0, 0.05);
    ck_assert_double_eq_tol(row_of(&c, "lambda_2").mm1k, 38.3, 0.05);
    ck_assert_double_eq_tol(row_of(&c, "rho_1b").mm1, 1.000, 0.0005);
    ck_assert_double_eq_tol(row_of(&c, "N_Q_1a").mm1k, 1.43, 0.005);
    validation_destroy(&c);
}
END_TEST

/* 1 / M_1b, the papers' 0.927: seeds over reads. */
START_TEST(test_simulated_rho_of_a_saturated_1b_is_seeds_over_reads)
{
    struct validation c = validate_run(&run_2);
    ck_assert_double_eq_tol(row_of(&c, "rho_1b").simulated, 1 / 1.07953, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "rho_1b").simulated, 0.927, 0.001);
    validation_destroy(&c);
}
END_TEST

/* rho_1b is 1 by construction; what the last bits make of it must not decide: a hundred runs. */
START_TEST(test_a_saturated_1b_has_no_number_whatever_the_last_bits)
{
    struct published run = run_2;
    run.p_1a *= 1 + _i * 1e-5;
    struct validation c = validate_run(&run);
    static const char *const cells[] = {"N_Q_1b", "P_BP_1b"};
    for (int i = 0; i < COUNT_OF(cells); i++) {
        struct row row = row_of(&c, cells[i]);
        ck_assert(isnan(row.mm1));
        ck_assert(isnan(row.mm1k));
        ck_assert_int_eq(row.status, MODEL_EUNDETERMINED);
    }
    validation_destroy(&c);
}
END_TEST

/* Stage 2 is behind a 1b that is full, not overloaded: Figure 12 has 0.12 there, and so it must be for every
 * rounding of rho_1b. */
START_TEST(test_stage_2_behind_a_saturated_1b_has_its_number_whatever_the_last_bits)
{
    struct published run = run_2;
    for (int i = 0; i < 100; i++) {
        run.p_1a = run_2.p_1a * (1 + i * 1e-5);
        struct validation c = validate_run(&run);
        struct row row = row_of(&c, "N_Q_2");
        ck_assert_msg(row.status == 0, "none in case %d", i);
        ck_assert_double_eq_tol(row.mm1, 0.12, 0.005);
        ck_assert_double_eq_tol(row.mm1k, 0.12, 0.005);
        validation_destroy(&c);
    }
}
END_TEST

START_TEST(test_why_there_is_no_number_is_written)
{
    struct validation c = validate_run(&run_2);
    char *tsv = written(&c, RESULT_TSV), *text = written(&c, RESULT_TEXT);
    ck_assert_ptr_nonnull(strstr(tsv, "# M/M/1 has no prediction for stage 1b: "));
    ck_assert_ptr_nonnull(strstr(tsv, "# M/M/1/K (Dor) has no prediction for stage 1b: "));
    ck_assert_ptr_nonnull(strstr(tsv, model_error_text(MODEL_EUNDETERMINED)));
    ck_assert_ptr_nonnull(strstr(tsv, "saturated"));
    const char *row = strstr(tsv, "\nN_Q_1b\tseeds\t3.75\tNA\t");
    double mm1k; /* the only one that has a number */
    int end = 0;
    ck_assert_ptr_nonnull(row);
    ck_assert_int_eq(sscanf(row, "\nN_Q_1b seeds 3.75 NA %lf NA NA %*f NA\n%n", &mm1k, &end), 1);
    ck_assert_int_gt(end, 0);
    ck_assert_double_eq_tol(mm1k, 600 - 1 / (895.0 / 722 - 1) - 1, 1e-3);
    ck_assert_ptr_nonnull(strstr(text, "M/M/1 has no prediction for stage 1b: "));
    free(tsv);
    free(text);
    validation_destroy(&c);
}
END_TEST

/* --- core: TSV ------------------------------------------------------------------------------------------- */

static int fields_of(const char *line)
{
    int fields = 1;
    for (; *line; line++)
        fields += *line == '\t';
    return fields;
}

START_TEST(test_tsv_has_a_header_13_rows_and_notes)
{
    struct validation c = validate_run(&run_1);
    char *text = written(&c, RESULT_TSV), *rest = text, *line;
    int notes = 0, rows = -1;
    while ((line = strsep(&rest, "\n")) && *line) {
        if (*line == '#') {
            ck_assert_int_eq(rows, -1);
            notes++;
            continue;
        }
        ck_assert_int_eq(fields_of(line), 9);
        if (rows < 0)
            ck_assert_str_eq(line, "parameter\tunit\tsimulated\tM/M/1\tM/M/1/K\tM/M/1/K (Dor)\t"
                                   "M/M/1_difference\tM/M/1/K_difference\tM/M/1/K (Dor)_difference");
        else
            ck_assert_int_eq(strncmp(line, figures[rows].parameter, strlen(figures[rows].parameter)), 0);
        rows++;
    }
    ck_assert_int_eq(rows, COUNT_OF(figures));
    ck_assert_int_gt(notes, 0);
    free(text);
    validation_destroy(&c);
}
END_TEST

/* M/M/1 of stage 2: rho = 0.21014, N_Q = 0.0559 against 1.2 measured: -95.34 %. Over 0: NA. */
START_TEST(test_tsv_has_signed_differences)
{
    struct validation c = validate_run(&run_1);
    char *text = written(&c, RESULT_TSV), *row = strstr(text, "\nN_Q_2\t");
    double simulated, mm1, mm1k, dor, mm1_difference, mm1k_difference, dor_difference;
    ck_assert_ptr_nonnull(row);
    ck_assert_int_eq(sscanf(row, " N_Q_2 matches %lf %lf %lf %lf %lf %lf %lf", &simulated, &mm1, &mm1k, &dor,
                            &mm1_difference, &mm1k_difference, &dor_difference),
                     7);
    ck_assert_double_eq_tol(simulated, 1.2, 1e-4);
    ck_assert_double_eq_tol(mm1, 0.0559, 0.0001);
    ck_assert_double_eq_tol(mm1_difference, (mm1 - 1.2) / 1.2, 1e-7);
    ck_assert_double_eq_tol(mm1k_difference, (mm1k - 1.2) / 1.2, 1e-7);
    ck_assert_double_eq_tol(dor_difference, (dor - 1.2) / 1.2, 1e-7);
    row = strstr(text, "\nP_BP_1b\t");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(row, "\tNA\tNA\tNA\n"));
    free(text);
    validation_destroy(&c);
}
END_TEST

START_TEST(test_text_has_the_same_13_rows)
{
    struct validation c = validate_run(&run_1);
    char *text = written(&c, RESULT_TEXT);
    for (int i = 0; i < COUNT_OF(figures); i++)
        ck_assert_msg(strstr(text, figures[i].parameter) != NULL, "%s", figures[i].parameter);
    free(text);
    validation_destroy(&c);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

static bool is_saturated(const struct published *run)
{
    struct validation v = validate_run(run);
    bool saturated = v.frames[0].saturated;
    validation_destroy(&v);
    return saturated;
}

/* Saturated is more than MERCURY_SATURATED of the clocks. */
START_TEST(test_saturation_begins_above_its_level)
{
    struct published run = run_2;
    run.back_pressure_1b = MERCURY_SATURATED;
    ck_assert(!is_saturated(&run));
    run.back_pressure_1b = MERCURY_SATURATED + 1e-6;
    ck_assert(is_saturated(&run));
}
END_TEST

/* No seed passes: no M_1b, nothing in 1b and 2, and predictions of 0. */
START_TEST(test_a_run_without_seeds_is_predicted)
{
    struct published run = {.lambda_in = 895.32e6};
    struct validation c = validate_run(&run);
    ck_assert_double_eq(input_of(&c, PREDICT_M_1B), 1);
    ck_assert_double_eq(row_of(&c, "lambda_1b").mm1, 0);
    ck_assert_double_eq(row_of(&c, "N_Q_1b").mm1, 0);
    ck_assert_double_eq(row_of(&c, "rho_2").mm1k, 0);
    validation_destroy(&c);
}
END_TEST

/* Repeats: more matches than seeds. */
START_TEST(test_more_matches_than_seeds_are_predicted)
{
    struct published run = run_1;
    run.p_1b = 3.5;
    struct validation c = validate_run(&run);
    ck_assert_double_eq_tol(input_of(&c, PREDICT_P_1B), 3.5, 1e-9);
    ck_assert_double_eq_tol(row_of(&c, "lambda_2").mm1, 31.873392 * 3.5, 1e-6);
    validation_destroy(&c);
}
END_TEST

/* More than the bus can carry, as a frame may say by a hair: no number, no failure. */
START_TEST(test_a_full_bus_has_no_queue_but_a_row)
{
    struct published run = run_1;
    run.lambda_in = 910e6;
    struct validation c = validate_run(&run);
    ck_assert_double_gt(row_of(&c, "rho_pci").mm1, 1);
    ck_assert(isnan(row_of(&c, "N_Q_1a").mm1));
    ck_assert_int_ne(row_of(&c, "N_Q_1a").status, 0);
    validation_destroy(&c);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static void assert_refused(const struct frame *frame, const char *line)
{
    struct validation v;
    struct why why = {""};
    ck_assert_int_eq(validation_of_frame(frame, VERDICT_CHAINS, &v, &why), VALIDATION_EINPUT);
    ck_assert_msg(strstr(why.line, line) != NULL, "%s", why.line);
}

START_TEST(test_an_empty_frame_is_refused)
{
    struct frame frame = frame_of(&run_1);
    frame.clocks = 0;
    assert_refused(&frame, "the run");
    frame = frame_of(&run_1);
    frame.counters[S1A_WORDS] = whole(0);
    assert_refused(&frame, "streamed nothing");
}
END_TEST

START_TEST(test_a_full_disk_is_reported)
{
    struct validation c = validate_run(&run_1);
    for (enum result_format format = RESULT_TEXT; format <= RESULT_TSV; format++) {
        FILE *out = fopen("/dev/full", "w");
        setvbuf(out, NULL, _IONBF, 0);
        validation_write_four_stages(&c, format, out);
        ck_assert(ferror(out));
        fclose(out);
    }
    validation_destroy(&c);
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_loop_test(tcase, test_run_1_gives_the_cells_of_figures_12_and_17, 0, COUNT_OF(figures));
    tcase_add_test(tcase, test_inputs_are_the_frames_own);
    tcase_add_test(tcase, test_simulated_column_is_the_frames);
    tcase_add_test(tcase, test_rates_agree_by_construction);
    tcase_add_test(tcase, test_late_records_are_not_the_bus_load);
    tcase_add_test(tcase, test_a_wrong_fraction_does_not_give_the_figures);
    tcase_add_test(tcase, test_run_2_uses_the_srams_utilisation);
    tcase_add_test(tcase, test_simulated_rho_of_a_saturated_1b_is_seeds_over_reads);
    tcase_add_loop_test(tcase, test_a_saturated_1b_has_no_number_whatever_the_last_bits, 0, 100);
    tcase_add_test(tcase, test_stage_2_behind_a_saturated_1b_has_its_number_whatever_the_last_bits);
    tcase_add_test(tcase, test_why_there_is_no_number_is_written);
    tcase_add_test(tcase, test_tsv_has_a_header_13_rows_and_notes);
    tcase_add_test(tcase, test_tsv_has_signed_differences);
    tcase_add_test(tcase, test_text_has_the_same_13_rows);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_test(tcase, test_saturation_begins_above_its_level);
    tcase_add_test(tcase, test_a_run_without_seeds_is_predicted);
    tcase_add_test(tcase, test_more_matches_than_seeds_are_predicted);
    tcase_add_test(tcase, test_a_full_bus_has_no_queue_but_a_row);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_test(tcase, test_an_empty_frame_is_refused);
    tcase_add_test(tcase, test_a_full_disk_is_reported);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("four_stages");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
