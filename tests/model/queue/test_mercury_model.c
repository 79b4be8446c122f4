#include "model/queue/mercury_model.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_error.h"
#include "model/predict/predict_inputs.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* Both runs of Dor 2010, Figures 11 and 16 (four stages): inputs that lie inside the printed rounding and
 * from which every printed model cell of Figures 12 and 17 follows. Printed digits alone do not give them
 * all:
 *
 * Run 1, printed 895 MB/s, mu_1b 128. N_Q,1a = 4.47 needs rho_1a = 0.84143 .. 0.84169 and rho_1a prints as
 * 0.841, so lambda_1a = rho_1a x 2128 = 1790.6 .. 1790.7 Mwmers/s and lambda_in = 895.28 .. 895.35 MB/s (895
 * gives 4.45). rho_1b = 0.250 (at least 0.2495) with lambda_1b = 895.3 x 2 x 0.0178 = 31.87 needs mu_1b of
 * 127.5 .. 127.7.
 *
 * Run 2, printed 722 MB/s, P_1a 0.0346, mu_1b 50.0. The printed digits give lambda_1b = 722 x 2 x 0.0346
 * = 49.9624 Mseeds/s (see test_run_2_needs_one_mu_1b) and lambda_2 = 49.9624 x 0.765 = 38.22, but 38.3 and
 * rho_2 = 0.288 are printed: P_1a = 0.03464 gives 50.020 and 38.27. What the queue of 1b depends on is rho_1b
 * alone; it must be 1 - 1/7472 (there: why), so mu_1b = 50.0202 x 7472/7471 = 50.0269. */
enum run { RUN_1, RUN_2 };

static const double run_2_rho_1b = 1 - 1.0 / 7472;

/* The machine of both published runs; what the data decide is NaN, and so is what the host could supply. */
static struct predict_case defaults(void)
{
    struct predict_case inputs = predict_case_default("");

    inputs.value[PREDICT_SUPPLY] = NAN;
    return inputs;
}

static int ask(const struct predict_case *inputs, bool five, struct mercury_prediction *out)
{
    return mercury_model_predict(inputs->value, inputs->digits, five, out);
}

static struct predict_case run_inputs(enum run run)
{
    struct predict_case inputs = defaults();

    if (run == RUN_1) {
        inputs.value[PREDICT_LAMBDA_IN] = 895.32;
        inputs.value[PREDICT_P_1A] = 0.0178;
        inputs.value[PREDICT_P_1B] = 0.877;
        inputs.value[PREDICT_P_2] = 0.000204;
        inputs.value[PREDICT_M_1B] = 133 / 127.6;
        inputs.value[PREDICT_M_2] = 1;
    } else {
        inputs.value[PREDICT_LAMBDA_IN] = 722;
        inputs.value[PREDICT_P_1A] = 0.03464;
        inputs.value[PREDICT_P_1B] = 0.765;
        inputs.value[PREDICT_P_2] = 0.000350;
        inputs.value[PREDICT_M_2] = 0.406;
        inputs.value[PREDICT_M_1B] =
            133e6 * 0.406 * run_2_rho_1b / (722e6 * 2 * 0.03464); /* 1.0794, printed as 1.08 */
    }
    return inputs;
}

static struct predict_case run_2_as_printed(double mu_1b_per_s)
{
    struct predict_case inputs = run_inputs(RUN_2);

    inputs.value[PREDICT_P_1A] = 0.0346;
    inputs.value[PREDICT_M_1B] = 133e6 * 0.406 / mu_1b_per_s;
    return inputs;
}

static struct mercury_prediction predict(const struct predict_case *inputs)
{
    struct mercury_prediction out;

    ck_assert_int_eq(ask(inputs, false, &out), 0);
    return out;
}

enum column { LAMBDA, RHO, NQ_MM1, NQ_MM1K, PBP_MM1 };

/* Figure 12 (M/M/1/K (Dor)) and Figure 17 (M/M/1): value and half a unit of the last printed digit, run 1 and
 * run 2. Rates are the same in both figures; so is every N_Q but 1b's in run 2. 7470 is read as three digits.
 */
static const struct {
    enum mercury_stage stage;
    enum column column;
    double value[2], half_unit[2];
} figures[] = {
    {MERCURY_1A, LAMBDA, {1790e6, 1440e6}, {5e6, 5e6}},
    {MERCURY_1B, LAMBDA, {31.9e6, 50.0e6}, {0.05e6, 0.05e6}},
    {MERCURY_2, LAMBDA, {28.0e6, 38.3e6}, {0.05e6, 0.05e6}},
    {MERCURY_PCI, RHO, {0.995, 0.802}, {0.0005, 0.0005}},
    {MERCURY_1A, RHO, {0.841, 0.679}, {0.0005, 0.0005}},
    {MERCURY_1B, RHO, {0.250, 1.000}, {0.0005, 0.0005}},
    {MERCURY_2, RHO, {0.210, 0.288}, {0.0005, 0.0005}},
    {MERCURY_1A, NQ_MM1K, {4.47, 1.43}, {0.005, 0.005}},
    {MERCURY_1B, NQ_MM1K, {0.08, 458}, {0.005, 0.5}},
    {MERCURY_2, NQ_MM1K, {0.06, 0.12}, {0.005, 0.005}},
    {MERCURY_1A, NQ_MM1, {4.47, 1.43}, {0.005, 0.005}},
    {MERCURY_1B, NQ_MM1, {0.08, 7470}, {0.005, 5}},
    {MERCURY_2, NQ_MM1, {0.06, 0.12}, {0.005, 0.005}},
    {MERCURY_1A, PBP_MM1, {0.0, 0.0}, {0.05, 0.05}},
    {MERCURY_1B, PBP_MM1, {0.0, 0.923}, {0.05, 0.0005}},
    {MERCURY_2, PBP_MM1, {0.0, 0.000}, {0.05, 0.0005}},
};

static double cell(const struct mercury_prediction *prediction, int row)
{
    const struct pipeline_prediction *stage = &prediction->stage[figures[row].stage];

    switch (figures[row].column) {
    case LAMBDA:
        return stage->lambda_per_s;
    case RHO:
        return stage->rho;
    case NQ_MM1:
        return stage->queue[PIPELINE_MM1].mean.n_q;
    case NQ_MM1K:
        return stage->queue[PIPELINE_MM1K_DOR].mean.n_q;
    default:
        return stage->queue[PIPELINE_MM1].mean.p_bp;
    }
}

static int cells_reproduced(const struct predict_case *inputs, enum run run)
{
    struct mercury_prediction prediction = predict(inputs);
    int reproduced = 0;

    for (int row = 0; row < COUNT_OF(figures); row++)
        reproduced += fabs(cell(&prediction, row) - figures[row].value[run]) <= figures[row].half_unit[run];
    return reproduced;
}

START_TEST(test_run_1_reproduces_figures_12_and_17)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction prediction = predict(&inputs);

    ck_assert_double_eq_tol(cell(&prediction, _i), figures[_i].value[RUN_1], figures[_i].half_unit[RUN_1]);
}
END_TEST

START_TEST(test_run_2_reproduces_figures_12_and_17)
{
    struct predict_case inputs = run_inputs(RUN_2);
    struct mercury_prediction prediction = predict(&inputs);

    ck_assert_double_eq_tol(cell(&prediction, _i), figures[_i].value[RUN_2], figures[_i].half_unit[RUN_2]);
}
END_TEST

START_TEST(test_reproducing_inputs_lie_inside_the_printed_rounding)
{
    struct predict_case one = run_inputs(RUN_1), two = run_inputs(RUN_2);

    ck_assert_double_eq_tol(one.value[PREDICT_LAMBDA_IN] * 1e6, 895e6, 0.5e6);
    ck_assert_double_eq_tol(two.value[PREDICT_P_1A], 0.0346, 0.00005);
    ck_assert_double_eq_tol(two.value[PREDICT_M_1B], 1.08, 0.005);
    ck_assert_double_eq_tol(predict(&one).stage[MERCURY_1B].mu_per_s, 128e6, 0.5e6);
    ck_assert_double_eq_tol(predict(&two).stage[MERCURY_1B].mu_per_s, 50.0e6, 0.05e6);
    ck_assert_double_eq_tol(predict(&one).stage[MERCURY_1A].mu_per_s, 2130e6, 5e6);
}
END_TEST

/* Run 2 with lambda_1b as the printed inputs give it, 722 MB/s x 2 w-mers/byte x 0.0346 = 49.9624 Mseeds/s.
 * M/M/1: N_Q = rho^2/(1-rho) = 1/(1-rho) - 1 - rho, so 7465 .. 7475 needs 1/(1-rho) = 7467 .. 7477 and
 * mu_1b = 49.9624/rho = 49.969083 .. 49.969092 Mseeds/s; 49.96909 prints as 50.0. There rho^600 =
 * exp(-600/7470) = 0.9228, and M/M/1/K (Dor) with K = 600 has N_Q = 457.98: the three cells of 1b (458 alone would
 * admit 49.96899 .. 49.96918). mu_1b = 49.9691 is 7456 already. */
START_TEST(test_run_2_needs_one_mu_1b)
{
    struct predict_case inputs = run_2_as_printed(49.96909e6);
    struct pipeline_prediction stage = predict(&inputs).stage[MERCURY_1B];

    assert_close(stage.lambda_per_s, 49.9624e6, 1e-12);
    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1].mean.n_q, 7470, 5);
    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1].mean.p_bp, 0.923, 0.0005);
    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1K_DOR].mean.n_q, 458, 0.5);

    double ends_per_s[] = {49.969082e6, 49.969093e6};
    for (int i = 0; i < 2; i++) {
        inputs = run_2_as_printed(ends_per_s[i]);
        ck_assert_double_gt(fabs(predict(&inputs).stage[MERCURY_1B].queue[PIPELINE_MM1].mean.n_q - 7470), 5);
    }
}
END_TEST

/* Run 2 as it was offered: 895 MB/s x 2 w-mers/byte x 0.0346 = 61.934 Mseeds/s at mu_1b = 49.97, K = 600. With rho_o =
 * 1.23942 nearly all places are full: N_G = K - 1/(rho_o - 1) = 600 - 4.177, N_Q = N_G - 1 = 594.82 (measured: 580;
 * printed: 458 and 7470), P_K = 1 - 1/rho_o = 0.19317 (measured: 1 - 1440/1790 = 0.196). What is served goes on. */
START_TEST(test_offered_rate_of_run_2_has_a_number)
{
    struct predict_case inputs = run_2_as_printed(49.97e6);
    inputs.value[PREDICT_SUPPLY] = 895;
    struct mercury_prediction out = predict(&inputs);
    const struct pipeline_queue *queue = &out.stage[MERCURY_1B].queue[PIPELINE_MM1K];

    ck_assert_int_eq(queue->status, 0);
    assert_close(queue->mean.lambda_offered_per_s, 61.934e6, 1e-9);
    ck_assert_double_eq_tol(queue->mean.n_q, 594.823, 0.001);
    ck_assert_double_eq_tol(queue->mean.p_k, 0.193173, 1e-6);
    assert_close(queue->mean.lambda_per_s, 49.97e6, 1e-9);
    assert_close(out.stage[MERCURY_2].queue[PIPELINE_MM1K].mean.lambda_offered_per_s,
                 49.97e6 * inputs.value[PREDICT_P_1B], 1e-9);
    inputs.digits = 3; /* which leaves the other models without a number */
    out = predict(&inputs);
    ck_assert_int_eq(out.stage[MERCURY_1B].queue[PIPELINE_MM1K_DOR].status, MODEL_EUNDETERMINED);
    ck_assert_double_eq_tol(out.stage[MERCURY_1B].queue[PIPELINE_MM1K].mean.n_q, 594.823, 0.001);
}
END_TEST

/* Two elements a second come to a bus that serves one, and a quarter of what leaves the chain returns over it: a
 * share s = 1 / (2 + r) of all is served, so r = 2 s / 4, r^2 + 2 r = 1/2, r = sqrt(1.5) - 1, and 2 s = 4 r go on. */
START_TEST(test_overloaded_bus_passes_on_what_it_serves)
{
    const struct pipeline_stage stages[] = {
        {.name = "bus", .factor = 1, .mu_per_s = 1, .pass_fraction = 1},
        {.name = "next", .factor = 1, .mu_per_s = 10, .k = 50, .pass_fraction = 1},
    };
    const struct pipeline_return back = {0, 0.25};
    struct pipeline_prediction out[2];
    struct pipeline_summary summary;

    ck_assert_int_eq(pipeline_predict(stages, 2, &back, 0.1, 2, out, &summary), 0);
    ck_assert_int_eq(out[0].queue[PIPELINE_MM1K].status, MODEL_EUNSTABLE);
    assert_close(out[1].queue[PIPELINE_MM1K].mean.lambda_offered_per_s, 4 * (sqrt(1.5) - 1), 1e-12);
    assert_close(out[1].lambda_per_s, 0.1, 1e-15); /* the other models know nothing of it */
}
END_TEST

/* Negative control: the same formulas with mu_1b = 50.0 exactly. rho = 0.999248, 1/(1-rho) = 1329.8: N_Q =
 * 1327.8, P_BP = 0.6368, and 368.0 for K = 600. */
START_TEST(test_rounded_mu_1b_does_not_reproduce_run_2)
{
    struct predict_case inputs = run_2_as_printed(50.0e6);
    struct pipeline_prediction stage = predict(&inputs).stage[MERCURY_1B];

    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1].mean.n_q, 1328, 0.5);
    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1].mean.p_bp, 0.637, 0.0005);
    ck_assert_double_eq_tol(stage.queue[PIPELINE_MM1K_DOR].mean.n_q, 368, 0.5);
}
END_TEST

/* Negative control on the tables: a clock 1 % off leaves the rates, which it does not touch, and breaks 7 of
 * the 16 cells of run 1 and 10 of run 2: every rho but pci's, and most queues. */
START_TEST(test_wrong_clock_does_not_reproduce_the_figures)
{
    for (int run = RUN_1; run <= RUN_2; run++) {
        struct predict_case inputs = run_inputs(run);
        ck_assert_int_eq(cells_reproduced(&inputs, run), COUNT_OF(figures));
        inputs.value[PREDICT_CLOCK] *= 1.01;
        ck_assert_int_le(cells_reproduced(&inputs, run), COUNT_OF(figures) - 7);
    }
}
END_TEST

/* Dor 2010, Figure 15, run 2: the mu_1b of four stages gives N_Q,1bp = 107 with K = 130. P_1bp x P_1bd of Figure 14 is
 * 0.892 x 0.857 = 0.7644, inside the rounding of Figure 11's 0.765. */
START_TEST(test_five_stages_reproduce_figure_15)
{
    struct predict_case inputs = run_2_as_printed(49.96909e6);
    struct mercury_prediction out;

    inputs.value[PREDICT_P_1BP] = 0.892;
    inputs.value[PREDICT_P_1B] = 0.892 * 0.857;
    ck_assert_int_eq(ask(&inputs, true, &out), 0);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1BP].queue[PIPELINE_MM1K_DOR].mean.n_q, 107, 0.5);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1BP].rho, 1, 0.0005);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1BD].lambda_per_s, 44.6e6, 0.05e6);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1BD].rho, 0.892, 0.0005);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1A].queue[PIPELINE_MM1K_DOR].mean.n_q, 1.43, 0.005);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_2].queue[PIPELINE_MM1K_DOR].mean.n_q, 0.12, 0.005);
    ck_assert_int_eq(out.whole.bottleneck.stage, MERCURY_FIVE_1BP);
    ck_assert_str_eq(out.stage[MERCURY_FIVE_1BP].name, "1bp");
    ck_assert_int_eq(out.whole.next.stage, MERCURY_FIVE_1BD); /* the same mu, 0.892 of the load */
    assert_close(out.whole.next.input_per_s, out.whole.bottleneck.input_per_s / 0.892, 1e-12);
}
END_TEST

/* All seeds are seen to be false at once: as if 1a had found none, 1bd and 2 have nothing to do. */
START_TEST(test_seeds_that_are_all_false_load_1bp_alone)
{
    struct predict_case inputs = run_2_as_printed(49.96909e6);
    struct mercury_prediction out;
    inputs.value[PREDICT_P_1B] = inputs.value[PREDICT_P_1BP] = 0;
    ck_assert_int_eq(ask(&inputs, true, &out), 0);
    ck_assert_double_eq_tol(out.stage[MERCURY_FIVE_1BP].queue[PIPELINE_MM1K_DOR].mean.n_q, 107, 0.5);
    for (unsigned stage = MERCURY_FIVE_1BD; stage <= MERCURY_FIVE_2; stage++) {
        ck_assert_double_eq(out.stage[stage].lambda_per_s, 0);
        ck_assert_double_eq(out.stage[stage].rho, 0);
        ck_assert_double_eq(out.stage[stage].queue[PIPELINE_MM1].mean.n_q, 0);
    }
}
END_TEST

/* A service rate of its own for 1bd (section 6.3) moves the queue of 1bd and nothing else: 44.6 Mlookups/s at
 * 44.60273. */
START_TEST(test_1bd_has_a_rate_of_its_own)
{
    struct predict_case inputs = run_2_as_printed(49.96909e6);
    struct mercury_prediction as_1b, own;

    inputs.value[PREDICT_P_1BP] = 44.6e6 / (722e6 * 2 * 0.0346);
    ck_assert_int_eq(ask(&inputs, true, &as_1b), 0);
    inputs.value[PREDICT_MU_1BD] = 133 / (1.08 * 2.761);
    ck_assert_int_eq(ask(&inputs, true, &own), 0);
    ck_assert_double_lt(as_1b.stage[MERCURY_FIVE_1BD].queue[PIPELINE_MM1K_DOR].mean.n_q, 8);
    ck_assert_double_eq_tol(own.stage[MERCURY_FIVE_1BD].queue[PIPELINE_MM1K_DOR].mean.n_q, 404.8, 0.05);
    ck_assert_mem_eq(&own.stage[MERCURY_FIVE_1BP], &as_1b.stage[MERCURY_FIVE_1BP], sizeof own.stage[0]);
    inputs.value[PREDICT_MU_1BD] = 133 / (1.08 * 2.762);
    ck_assert_int_eq(ask(&inputs, true, &own), 0);
    ck_assert_int_eq(own.stage[MERCURY_FIVE_1BD].queue[PIPELINE_MM1K_DOR].status, MODEL_ENOSOLUTION);
    inputs.value[PREDICT_MU_1BD] = 0;
    ck_assert_int_eq(ask(&inputs, true, &own), MODEL_ESERVICE);
}
END_TEST

/* The bus, 1a and 2 do not see whether 1b is one stage or two. */
START_TEST(test_four_and_five_stages_agree_around_1b)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction five;
    struct mercury_prediction four = predict(&inputs);

    inputs.value[PREDICT_P_1BP] = 0.923;
    ck_assert_int_eq(ask(&inputs, true, &five), 0);
    ck_assert_mem_eq(&five.stage[MERCURY_FIVE_1A], &four.stage[MERCURY_1A], sizeof four.stage[0]);
    assert_close(five.stage[MERCURY_FIVE_2].lambda_per_s, four.stage[MERCURY_2].lambda_per_s, 1e-14);
    assert_close(five.stage[MERCURY_FIVE_PCI].lambda_per_s, four.stage[MERCURY_PCI].lambda_per_s, 1e-14);
}
END_TEST

/* 1 Mseed/s by hand at 1b: 1b's load rises by it, 1a's does not, the saturating input falls. */
START_TEST(test_overdrive_of_any_stage)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction plain = predict(&inputs);

    inputs.value[PREDICT_MO_1B] = 1;
    struct mercury_prediction out = predict(&inputs);
    assert_close(out.stage[MERCURY_1B].lambda_per_s, plain.stage[MERCURY_1B].lambda_per_s + 1e6, 1e-14);
    assert_close(out.stage[MERCURY_1A].lambda_per_s, plain.stage[MERCURY_1A].lambda_per_s, 1e-15);
    ck_assert_double_lt(out.stage[MERCURY_1B].saturating_input_per_s,
                        plain.stage[MERCURY_1B].saturating_input_per_s);
    inputs.value[PREDICT_MO_1B] = 0;
    inputs.value[PREDICT_MO_PCI] = 8;
    inputs.value[PREDICT_MO_1A] = 2;
    out = predict(&inputs);
    assert_close(out.stage[MERCURY_1A].lambda_per_s, plain.stage[MERCURY_1A].lambda_per_s + 16 * 3e6, 1e-14);
}
END_TEST

/* M/G/1 of 1b takes its own mean and variance, M^[X]/G/1 the seeds of a word together; without a variance no number. */
START_TEST(test_general_models_of_1b)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction out = predict(&inputs);
    const struct pipeline_queue *queue = out.stage[MERCURY_1B].queue;

    ck_assert_int_eq(queue[PIPELINE_MG1].status, MODEL_ENO_SCV);
    ck_assert_int_eq(queue[PIPELINE_MXG1].status, MODEL_ENO_SCV);
    ck_assert_double_nan(queue[PIPELINE_MG1].mean.n_q);
    /* a lookup in 0.8 / 41.3 makes a trip of 42.3 clocks: 1.8 clocks on average, whose squares have the mean 35.64, 11
     * times that of 1.8 */
    inputs.value[PREDICT_TRIPS] = inputs.value[PREDICT_DUPLICATES] = 0.8 / 41.3;
    inputs.value[PREDICT_TRIP_CYCLES] = 42.3;
    out = predict(&inputs);
    double rho = out.stage[MERCURY_1B].lambda_per_s * 1.8 / 133e6;
    assert_close(queue[PIPELINE_MG1].mean.rho, rho, 1e-14);
    assert_close(queue[PIPELINE_MG1].mean.n_q, rho * rho / (1 - rho) * 11 / 2, 1e-12);
    assert_close(queue[PIPELINE_MD1].mean.n_q, rho * rho / (1 - rho) / 2, 1e-12);
    /* E[X] / E[X] = 15 p for a binomial */
    assert_close(queue[PIPELINE_MXG1].mean.n_q,
                 queue[PIPELINE_MG1].mean.n_q + rho * 15 * 0.0178 / 2 / (1 - rho), 1e-12);
}
END_TEST

/* All 16 w-mers of a word come to 1a at once, each after 15 / 2 others of its word on average. */
START_TEST(test_words_bring_w_mers_together)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction out = predict(&inputs);
    const struct pipeline_queue *queue = out.stage[MERCURY_1A].queue;
    double rho = queue[PIPELINE_MD1].mean.rho;

    assert_close(queue[PIPELINE_MXG1].mean.n_q, queue[PIPELINE_MD1].mean.n_q + rho * 15 / 2 / (1 - rho),
                 1e-12);
}
END_TEST

/* 80 bytes/s, one match in 16 w-mers, all of them HSPs of 8 bytes: 10 words, 160 w-mers, 10 seeds, 10 HSPs,
 * and 10 more words back over the bus. The returned words do not become w-mers. */
START_TEST(test_bus_carries_results_but_does_not_pass_them_on)
{
    struct predict_case inputs = defaults();
    inputs.value[PREDICT_LAMBDA_IN] = 80 / 1e6;
    inputs.value[PREDICT_P_1A] = 1.0 / 16;
    inputs.value[PREDICT_P_1B] = 1;
    inputs.value[PREDICT_P_2] = 1;
    inputs.value[PREDICT_HSP_BYTES] = 8;

    struct mercury_prediction out = predict(&inputs);
    assert_close(out.stage[MERCURY_PCI].lambda_per_s, 20, 1e-15);
    assert_close(out.stage[MERCURY_1A].lambda_per_s, 160, 1e-15);
    /* each byte in costs one byte back: the bus saturates at half its rate */
    assert_close(out.stage[MERCURY_PCI].saturating_input_per_s, 450e6, 1e-15);
}
END_TEST

/* Run 1: pci saturates first, at 900 MB/s less the HSPs' share; then 1a, at 2128e6/2 = 1064 MB/s.
 * Run 2: 1b, at 722 MB/s / rho_1b; then pci. */
START_TEST(test_bottleneck_and_the_next_one)
{
    struct predict_case inputs = run_inputs(RUN_1);
    struct mercury_prediction out = predict(&inputs);
    double share = 2 * 0.0178 * 0.877 * 0.000204 * 16;

    ck_assert_int_eq(out.whole.bottleneck.stage, MERCURY_PCI);
    assert_close(out.whole.bottleneck.input_per_s, 900e6 / (1 + share), 1e-14);
    ck_assert_int_eq(out.whole.next.stage, MERCURY_1A);
    assert_close(out.whole.next.input_per_s, 1064e6, 1e-14);

    inputs = run_inputs(RUN_2);
    out = predict(&inputs);
    share = 2 * 0.03464 * 0.765 * 0.000350 * 16;
    ck_assert_int_eq(out.whole.bottleneck.stage, MERCURY_1B);
    assert_close(out.whole.bottleneck.input_per_s, 722e6 / run_2_rho_1b, 1e-14);
    ck_assert_int_eq(out.whole.next.stage, MERCURY_PCI);
    assert_close(out.whole.next.input_per_s, 900e6 / (1 + share), 1e-14);
}
END_TEST

START_TEST(test_saturating_input_makes_rho_one)
{
    struct predict_case inputs = run_inputs(RUN_2);
    double saturating = predict(&inputs).stage[_i].saturating_input_per_s;

    inputs.value[PREDICT_LAMBDA_IN] = saturating / 1e6;
    assert_close(predict(&inputs).stage[_i].rho, 1, 1e-14);
}
END_TEST

/* Two M/M/1 stages, lambda 1/s then 0.5/s, mu 2/s each: 1/(2-1) + 1/(2-0.5) = 5/3 s. */
START_TEST(test_latency_is_the_sum_of_the_stages)
{
    const struct pipeline_stage stages[] = {
        {.name = "a", .factor = 1, .mu_per_s = 2, .pass_fraction = 0.5},
        {.name = "b", .factor = 1, .mu_per_s = 2, .pass_fraction = 1},
    };
    struct pipeline_prediction out[2];
    struct pipeline_summary summary;

    ck_assert_int_eq(pipeline_predict(stages, 2, NULL, 1, 1, out, &summary), 0);
    ck_assert_int_eq(summary.latency[PIPELINE_MM1].status, 0);
    assert_close(summary.latency[PIPELINE_MM1].latency_s, 5.0 / 3, 1e-15);
    ck_assert_int_eq(summary.latency[PIPELINE_MM1K_DOR].status, 0); /* no capacity given: unbounded, M/M/1 */
    assert_close(summary.latency[PIPELINE_MM1K_DOR].latency_s, 5.0 / 3, 1e-15);
    ck_assert_double_nan(out[0].queue[PIPELINE_MM1K_DOR].mean.p_bp);
}
END_TEST

/* 3/s in, 2/s by hand, 4 elements each: 20/s, of which a quarter leaves. The next stage halves: 5 x 0.5
 * = 2.5/s. Saturation of the first: (x + 2) 4 = 40, x = 8. */
START_TEST(test_overdrive_is_added_before_conversion)
{
    const struct pipeline_stage stages[] = {
        {.name = "a", .factor = 4, .overdrive_per_s = 2, .mu_per_s = 40, .pass_fraction = 0.25},
        {.name = "b", .factor = 0.5, .mu_per_s = 40, .pass_fraction = 1},
    };
    struct pipeline_prediction out[2];
    struct pipeline_summary summary;

    ck_assert_int_eq(pipeline_predict(stages, 2, NULL, 3, 3, out, &summary), 0);
    assert_close(out[0].lambda_per_s, 20, 1e-15);
    assert_close(out[1].lambda_per_s, 2.5, 1e-15);
    assert_close(out[0].saturating_input_per_s, 8, 1e-15);
}
END_TEST

START_TEST(test_cautions_beside_the_numbers)
{
    struct predict_case inputs = run_inputs(RUN_2);
    struct mercury_prediction out = predict(&inputs);

    ck_assert_uint_eq(out.stage[MERCURY_1B].queue[PIPELINE_MM1].cautions,
                      PIPELINE_CAUTION_QUEUE | PIPELINE_CAUTION_BACK_PRESSURE); /* 7470 of 600, 0.923 */
    ck_assert_uint_eq(out.stage[MERCURY_1B].queue[PIPELINE_MM1K_DOR].cautions,
                      PIPELINE_CAUTION_QUEUE); /* 458 of 600, 0.0066 */
    ck_assert_uint_eq(out.stage[MERCURY_1A].queue[PIPELINE_MM1].cautions, 0);
    ck_assert_uint_eq(out.stage[MERCURY_PCI].queue[PIPELINE_MM1].cautions, 0);
}
END_TEST

static void assert_no_prediction(const struct pipeline_queue *queue, int status)
{
    ck_assert_int_eq(queue->status, status);
    ck_assert_double_nan(queue->mean.rho);
    ck_assert_double_nan(queue->mean.n_q);
    ck_assert_double_nan(queue->mean.w_g_s);
    ck_assert_double_nan(queue->mean.p_bp);
}

/* 800 MB/s through run 2's 1b: 55.4 of 50.0 Mseeds/s. Stages before it are sound, the one after it gets no
 * number. */
START_TEST(test_overloaded_stage_has_a_status_instead_of_numbers)
{
    struct predict_case inputs = run_inputs(RUN_2);
    inputs.value[PREDICT_LAMBDA_IN] = 800;
    struct mercury_prediction out = predict(&inputs);

    ck_assert_int_eq(out.stage[MERCURY_1A].queue[PIPELINE_MM1K_DOR].status, 0);
    assert_no_prediction(&out.stage[MERCURY_1B].queue[PIPELINE_MM1], MODEL_EUNSTABLE);
    assert_no_prediction(&out.stage[MERCURY_1B].queue[PIPELINE_MM1K_DOR], MODEL_ENOSOLUTION);
    assert_no_prediction(&out.stage[MERCURY_2].queue[PIPELINE_MM1], MODEL_EUPSTREAM);
    assert_no_prediction(&out.stage[MERCURY_2].queue[PIPELINE_MM1K_DOR], MODEL_EUPSTREAM);
    ck_assert_double_gt(out.stage[MERCURY_1B].rho, 1);
    ck_assert_int_eq(out.whole.latency[PIPELINE_MM1].status, MODEL_EUNSTABLE);
    ck_assert_double_nan(out.whole.latency[PIPELINE_MM1].latency_s);
    ck_assert_int_eq(out.whole.latency[PIPELINE_MM1K_DOR].status, MODEL_ENOSOLUTION);
    ck_assert_double_nan(out.whole.latency[PIPELINE_MM1K_DOR].latency_s);
    ck_assert_int_eq(out.whole.bottleneck.stage, MERCURY_1B);
}
END_TEST

/* rho_1b of run 2 is 1 - 1/7472 at its inputs, and anything around 1 within their third digits: no number of any model
 * that goes by mu_1b, but M/M/1/K's, whose places bound it. What is before it and after it has its own load, and the
 * same numbers as ever. With all digits known, or in run 1, nothing is taken away. */
START_TEST(test_a_load_that_may_be_1_is_not_determined)
{
    struct predict_case inputs = run_inputs(RUN_2);
    struct mercury_prediction exact = predict(&inputs);
    inputs.digits = 3;
    struct mercury_prediction rounded = predict(&inputs);
    for (int model = 0; model < PIPELINE_MODELS; model++) {
        if (model == PIPELINE_MM1K)
            continue;
        const struct pipeline_queue *at_1b = &rounded.stage[MERCURY_1B].queue[model];
        ck_assert(at_1b->status != 0 && isnan(at_1b->mean.n_q));
        ck_assert(rounded.whole.latency[model].status != 0 && isnan(rounded.whole.latency[model].latency_s));
        if (exact.stage[MERCURY_1B].queue[model].status == 0)
            ck_assert_int_eq(at_1b->status, MODEL_EUNDETERMINED);
        for (int stage = 0; stage < MERCURY_STAGES; stage++)
            if (stage != MERCURY_1B && exact.stage[stage].queue[model].status == 0)
                ck_assert_double_eq(rounded.stage[stage].queue[model].mean.n_q,
                                    exact.stage[stage].queue[model].mean.n_q);
    }
    inputs.digits = 9;
    ck_assert_int_eq(predict(&inputs).stage[MERCURY_1B].queue[PIPELINE_MM1].status, 0);
    inputs = run_inputs(RUN_1);
    inputs.digits = 3;
    ck_assert_int_eq(predict(&inputs).stage[MERCURY_1B].queue[PIPELINE_MM1].status, 0);
}
END_TEST

/* Half a unit of the last digit to either side. */
START_TEST(test_rounding_ends)
{
    assert_close(mercury_rounding_end(722, false, 3), 721.5, 1e-15);
    assert_close(mercury_rounding_end(722, true, 3), 722.5, 1e-15);
    assert_close(mercury_rounding_end(0.0346, true, 3), 0.03465, 1e-15);
    assert_close(mercury_rounding_end(722, true, 2), 727, 1e-15);
    ck_assert_double_eq(mercury_rounding_end(722, true, 0), 722);
    ck_assert_double_eq(mercury_rounding_end(0, true, 3), 0);
    ck_assert(isnan(mercury_rounding_end(NAN, true, 3)));
}
END_TEST

START_TEST(test_nothing_passed_means_no_later_bottleneck)
{
    const struct pipeline_stage stages[] = {
        {.name = "a", .factor = 1, .mu_per_s = 2, .pass_fraction = 0},
        {.name = "b", .factor = 1, .mu_per_s = 4, .k = 3, .pass_fraction = 1},
    };
    struct pipeline_prediction out[2];
    struct pipeline_summary summary;

    ck_assert_int_eq(pipeline_predict(stages, 2, NULL, 1, 1, out, &summary), 0);
    ck_assert_double_eq(out[1].lambda_per_s, 0);
    ck_assert_double_eq(out[1].queue[PIPELINE_MM1K_DOR].mean.w_g_s, 0.25);
    ck_assert(isinf(out[1].saturating_input_per_s));
    ck_assert_int_eq(summary.bottleneck.stage, 0);
    ck_assert_int_eq(summary.next.stage, -1);
    ck_assert_double_nan(summary.next.input_per_s);
}
END_TEST

START_TEST(test_overdrive_alone_can_overload)
{
    const struct pipeline_stage stage = {
        .name = "a", .factor = 1, .overdrive_per_s = 5, .mu_per_s = 2, .pass_fraction = 1};
    struct pipeline_prediction out;
    struct pipeline_summary summary;

    ck_assert_int_eq(pipeline_predict(&stage, 1, NULL, 0, 0, &out, &summary), 0);
    ck_assert_int_eq(out.queue[PIPELINE_MM1].status, MODEL_EUNSTABLE);
    ck_assert_double_eq(summary.bottleneck.input_per_s, 0);
    ck_assert_int_eq(summary.next.stage, -1);
}
END_TEST

/* Every field in turn set to what its contract excludes; `out` must stay as it was. */
START_TEST(test_inputs_outside_the_domain)
{
    struct predict_case bad[25];
    int expected[COUNT_OF(bad)], count = 0;

    for (int i = 0; i < COUNT_OF(bad); i++)
        bad[i] = run_inputs(RUN_2);
    bad[count].value[PREDICT_LAMBDA_IN] = -1;
    expected[count++] = MODEL_EINPUT;
    bad[count].value[PREDICT_LAMBDA_IN] = NAN;
    expected[count++] = MODEL_EINPUT;
    bad[count].value[PREDICT_CLOCK] = 0;
    expected[count++] = MODEL_ECLOCK;
    bad[count].value[PREDICT_CLOCK] = INFINITY;
    expected[count++] = MODEL_ECLOCK;
    bad[count].value[PREDICT_MU_PCI] = -900;
    expected[count++] = MODEL_EBUS;
    bad[count].value[PREDICT_WMERS_PER_WORD] = 0;
    expected[count++] = MODEL_EWORD;
    bad[count].value[PREDICT_BYTES_PER_WORD] = 0;
    expected[count++] = MODEL_EWORD;
    bad[count].value[PREDICT_BYTES_PER_WORD] = NAN;
    expected[count++] = MODEL_EWORD;
    bad[count].value[PREDICT_HSP_BYTES] = -16;
    expected[count++] = MODEL_EHSP;
    bad[count].value[PREDICT_P_1A] = 1.1;
    expected[count++] = MODEL_EP_1A;
    bad[count].value[PREDICT_P_1A] = NAN;
    expected[count++] = MODEL_EP_1A;
    bad[count].value[PREDICT_P_1B] = -0.1;
    expected[count++] = MODEL_EP_1B;
    bad[count].value[PREDICT_P_1B] = INFINITY;
    expected[count++] = MODEL_EP_1B;
    bad[count].value[PREDICT_P_2] = -0.1;
    expected[count++] = MODEL_EP_2;
    bad[count].value[PREDICT_P_2] = 2;
    expected[count++] = MODEL_EP_2;
    bad[count].value[PREDICT_M_1B] = 0;
    expected[count++] = MODEL_EM_1B;
    bad[count].value[PREDICT_M_1B] = NAN;
    expected[count++] = MODEL_EM_1B;
    bad[count].value[PREDICT_M_2] = 0;
    expected[count++] = MODEL_EM_2;
    bad[count].value[PREDICT_M_2] = 1.5;
    expected[count++] = MODEL_EM_2;
    bad[count].value[PREDICT_P_1BP] = 0;
    expected[count++] = MODEL_EP_1BP;
    bad[count].value[PREDICT_P_1BP] = 1.5;
    expected[count++] = MODEL_EP_1BP;
    bad[count].value[PREDICT_MU_1BD] = 0;
    expected[count++] = MODEL_ESERVICE;
    bad[count].value[PREDICT_MO_1A] = -1;
    expected[count++] = MODEL_EOVERDRIVE;
    bad[count].value[PREDICT_MO_2] = NAN;
    expected[count++] = MODEL_EOVERDRIVE;
    bad[count] = defaults(); /* the data not filled in */
    expected[count++] = MODEL_EINPUT;
    ck_assert_int_eq(count, COUNT_OF(bad));

    for (int i = 0; i < count; i++) {
        struct mercury_prediction out, before;
        memset(&out, 0x5a, sizeof(out));
        memcpy(&before, &out, sizeof(out));
        ck_assert_msg(ask(&bad[i], false, &out) == expected[i], "row %d", i);
        ck_assert_msg(ask(&bad[i], true, &out) == expected[i] ||
                          (isnan(bad[i].value[PREDICT_P_1BP]) && ask(&bad[i], true, &out) == MODEL_ENO_P_1BP),
                      "row %d", i);
        ck_assert_mem_eq(&out, &before, sizeof(out));
    }
}
END_TEST

START_TEST(test_chains_outside_the_domain)
{
    const struct pipeline_stage stage = {.name = "a", .factor = 1, .mu_per_s = 2, .pass_fraction = 1};
    const struct pipeline_return beyond = {1, 1}, negative = {0, -1};
    struct pipeline_stage negative_overdrive = stage;
    struct pipeline_prediction out;
    struct pipeline_summary summary;

    negative_overdrive.overdrive_per_s = -1;
    ck_assert_int_eq(pipeline_predict(&stage, 0, NULL, 1, 1, &out, &summary), MODEL_ESTAGES);
    ck_assert_int_eq(pipeline_predict(&stage, 1, &beyond, 1, 1, &out, &summary), MODEL_ERETURN);
    ck_assert_int_eq(pipeline_predict(&stage, 1, &negative, 1, 1, &out, &summary), MODEL_ERETURN);
    ck_assert_int_eq(pipeline_predict(&stage, 1, NULL, INFINITY, INFINITY, &out, &summary), MODEL_EINPUT);
    ck_assert_int_eq(pipeline_predict(&negative_overdrive, 1, NULL, 1, 1, &out, &summary), MODEL_EOVERDRIVE);
}
END_TEST

static Suite *mercury_model_suite(void)
{
    Suite *suite = suite_create("mercury_model");
    TCase *published = tcase_create("published");
    TCase *core = tcase_create("core");
    TCase *limits = tcase_create("limits");
    TCase *errors = tcase_create("errors");

    tcase_add_loop_test(published, test_run_1_reproduces_figures_12_and_17, 0, COUNT_OF(figures));
    tcase_add_loop_test(published, test_run_2_reproduces_figures_12_and_17, 0, COUNT_OF(figures));
    tcase_add_test(published, test_reproducing_inputs_lie_inside_the_printed_rounding);
    tcase_add_test(published, test_seeds_that_are_all_false_load_1bp_alone);
    tcase_add_test(published, test_1bd_has_a_rate_of_its_own);
    tcase_add_test(published, test_run_2_needs_one_mu_1b);
    tcase_add_test(published, test_offered_rate_of_run_2_has_a_number);
    tcase_add_test(published, test_overloaded_bus_passes_on_what_it_serves);
    tcase_add_test(published, test_rounded_mu_1b_does_not_reproduce_run_2);
    tcase_add_test(published, test_wrong_clock_does_not_reproduce_the_figures);
    tcase_add_test(published, test_five_stages_reproduce_figure_15);
    tcase_add_test(core, test_four_and_five_stages_agree_around_1b);
    tcase_add_test(core, test_overdrive_of_any_stage);
    tcase_add_test(core, test_general_models_of_1b);
    tcase_add_test(core, test_words_bring_w_mers_together);
    tcase_add_test(core, test_bus_carries_results_but_does_not_pass_them_on);
    tcase_add_test(core, test_bottleneck_and_the_next_one);
    tcase_add_loop_test(core, test_saturating_input_makes_rho_one, 0, MERCURY_STAGES);
    tcase_add_test(core, test_latency_is_the_sum_of_the_stages);
    tcase_add_test(core, test_overdrive_is_added_before_conversion);
    tcase_add_test(core, test_cautions_beside_the_numbers);
    tcase_add_test(limits, test_a_load_that_may_be_1_is_not_determined);
    tcase_add_test(limits, test_rounding_ends);
    tcase_add_test(limits, test_overloaded_stage_has_a_status_instead_of_numbers);
    tcase_add_test(limits, test_nothing_passed_means_no_later_bottleneck);
    tcase_add_test(limits, test_overdrive_alone_can_overload);
    tcase_add_test(errors, test_inputs_outside_the_domain);
    tcase_add_test(errors, test_chains_outside_the_domain);
    suite_add_tcase(suite, published);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(mercury_model_suite());
}
