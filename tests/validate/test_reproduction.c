#include "validate/dor2010.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/queue/single_queue.h"
#include "model/model_error.h"
#include "tests/run_suite.h"

/* Printed to three digits, or as far as the decimals go. */
START_TEST(test_rounding_is_told_from_the_text)
{
    static const struct {
        const char *text;
        double value, half_unit;
    } figures[] = {{"895", 895, 0.5},           {"50.0", 50, 0.05},    {"1790", 1790, 5},
                   {"7470", 7470, 5},           {"0.08", 0.08, 0.005}, {"0.000", 0, 0.00005},
                   {"0.000204", 2.04e-4, 5e-7}, {"1.000", 1, 0.0005}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct dor2010_number n = dor2010_number(figures[i].text);
        ck_assert_double_eq(n.value, figures[i].value);
        ck_assert_double_eq_tol(n.high - n.value, figures[i].half_unit, 1e-12);
    }
}
END_TEST

START_TEST(test_every_cell_is_admitted_by_one_vector)
{
    struct reproduction r;

    ck_assert_int_eq(reproduction_make(_i, false, &r), 0);
    for (size_t i = 0; i < dor2010_cell_count; i++) {
        const struct reproduced_cell *c = &r.cells[i];
        ck_assert_msg(c->admitted, "%s: %.10g is not %s", dor2010_cells[i].parameter, c->ours,
                      dor2010_cells[i].predicted[_i]);
        ck_assert_double_le(fabs(c->ours - c->printed.value),
                            (c->printed.high - c->printed.value) * (1 + 1e-9));
        ck_assert(c->admitted_alone);
        ck_assert(c->least <= c->ours * (1 + 1e-9) && c->ours <= c->most * (1 + 1e-9));
    }
    ck_assert_uint_eq(r.not_admitted, 0);
}
END_TEST

START_TEST(test_vector_lies_inside_the_printed_rounding)
{
    struct reproduction r;

    ck_assert_int_eq(reproduction_make(_i, false, &r), 0);
    for (int i = 0; i < DOR2010_INPUTS; i++) {
        const struct dor2010_number n = dor2010_number(dor2010_inputs[i].value[_i]);
        ck_assert_double_eq_tol(r.inputs[i], n.value, n.high - n.value);
    }
}
END_TEST

/* Negative control: the printed digits themselves give 368, 97.1, 1328 and 0.637 for run 2's four cells of a 1b near
 * saturation, and run 1's N_Q,1a as 4.45. */
START_TEST(test_printed_digits_do_not_give_the_printed_results)
{
    static const struct {
        int run;
        enum dor2010_figure figure;
        const char *parameter;
        double ours, within;
    } known[] = {
        {DOR2010_RUN_2, DOR2010_FIGURE_12, "N_Q_1b", 368, 0.5},
        {DOR2010_RUN_2, DOR2010_FIGURE_15, "N_Q_1bp", 97.1, 0.05},
        {DOR2010_RUN_2, DOR2010_FIGURE_17, "N_Q_1b", 1328, 0.5},
        {DOR2010_RUN_2, DOR2010_FIGURE_17, "P_BP_1b", 0.637, 0.0005},
        {DOR2010_RUN_1, DOR2010_FIGURE_12, "N_Q_1a", 4.45, 0.005},
    };
    struct reproduction r[DOR2010_RUNS];

    ck_assert_int_eq(reproduction_make(DOR2010_RUN_1, true, &r[DOR2010_RUN_1]), 0);
    ck_assert_int_eq(reproduction_make(DOR2010_RUN_2, true, &r[DOR2010_RUN_2]), 0);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int found = 0;
        for (size_t i = 0; i < dor2010_cell_count; i++) {
            const struct reproduced_cell *c = &r[known[k].run].cells[i];
            if (dor2010_cells[i].figure != known[k].figure ||
                strcmp(dor2010_cells[i].parameter, known[k].parameter) != 0)
                continue;
            found++;
            ck_assert_double_eq_tol(c->ours, known[k].ours, known[k].within);
            ck_assert(!c->admitted);
        }
        ck_assert_int_eq(found, 1);
    }
    ck_assert_uint_gt(r[DOR2010_RUN_1].not_admitted, 0);
}
END_TEST

/* Dor 2010, section 6.3: with the vector that gives the figures, N_Q_1bd is over 400 at 1/M_2 = 2.761, and 1bd is
 * overloaded at 2.762. Figure 15's 7.40 belongs to 2.464, where mu_1bd is mu_1b. The highest P_1bp that is printed
 * as 0.892 gives 407. */
START_TEST(test_section_6_3_has_the_same_inputs)
{
    struct reproduction r;
    struct queue_result q;
    char note[REPRODUCTION_NOTE_BYTES];
    ck_assert_int_eq(reproduction_make(DOR2010_RUN_2, false, &r), 0);
    const double *in = r.inputs;
    double lambda_1bd = 2 * in[DOR2010_LAMBDA_IN] * in[DOR2010_P_1A] * in[DOR2010_P_1BP];
    ck_assert_int_eq(mm1k_solve_actual(lambda_1bd, in[DOR2010_MU_1B] * 2.464 / 2.761, 500, &q), 0);
    ck_assert(q.n_q >= 400.5 && q.n_q <= 407);
    ck_assert_double_eq_tol(r.n_q_1bd, q.n_q, 1e-3);
    ck_assert_int_eq(mm1k_solve_actual(lambda_1bd, in[DOR2010_MU_1B] * 2.464 / 2.762, 500, &q),
                     MODEL_ENOSOLUTION);
    ck_assert_double_eq_tol(r.rho_1bd_beyond, 1.0003, 5e-5);
    ck_assert_uint_eq(r.cell_count, 38);
    ck_assert_ptr_nonnull(strstr(reproduction_note_1bd(&r, note), "(printed: over 400)"));
}
END_TEST

static Suite *reproduction_suite(void)
{
    Suite *suite = suite_create("reproduction");
    TCase *core = tcase_create("core");

    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_rounding_is_told_from_the_text);
    tcase_add_loop_test(core, test_every_cell_is_admitted_by_one_vector, 0, DOR2010_RUNS);
    tcase_add_loop_test(core, test_vector_lies_inside_the_printed_rounding, 0, DOR2010_RUNS);
    tcase_add_test(core, test_section_6_3_has_the_same_inputs);
    tcase_add_test(core, test_printed_digits_do_not_give_the_printed_results);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(reproduction_suite());
}
