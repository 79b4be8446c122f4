/* test_explain.c - the table behind `mercury explain`: whole, free of contradictions, and covering what can be asked
 * for.
 *
 * That every number of a real run has its explanation is tested from the outside: cli/test_explain.sh.
 */
#include "traces/explain.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

static struct explanations all;

static void set_up(void)
{
    explain_begin(&all, &machine_layout, &machine_catalogue);
}

static void tear_down(void)
{
    explain_end(&all);
}

static char *explained(const char *name, size_t *written)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    *written = explain_write(&all, name, out);
    fclose(out);
    return text;
}

START_TEST(test_every_row_is_whole)
{
    for (size_t i = 0; i < all.count; i++) {
        const struct explanation *e = &all.items[i];
        ck_assert_msg(e->owner && e->owner[0] && e->name[0] && e->unit, "row %zu", i);
        ck_assert_msg(strlen(e->name) + 1 < sizeof e->name && strlen(e->formula) + 1 < sizeof e->formula,
                      "%s is cut", e->name);
        ck_assert_msg(e->meaning && strlen(e->meaning) > 8, "%s.%s: no meaning", e->owner, e->name);
        ck_assert_msg(strlen(e->computed ? e->computed : e->formula) > 4,
                      "%s.%s: not said how it is computed", e->owner, e->name);
        ck_assert_msg(!e->source || strlen(e->source) > 8, "%s.%s: no source", e->owner, e->name);
    }
}
END_TEST

START_TEST(test_no_name_twice)
{
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = i + 1; j < all.count; j++)
            ck_assert_msg(strcmp(all.items[i].owner, all.items[j].owner) != 0 ||
                              strcmp(all.items[i].name, all.items[j].name) != 0,
                          "%s.%s twice", all.items[i].owner, all.items[i].name);
}
END_TEST

START_TEST(test_what_directives_ask_for_is_explained)
{
    for (size_t i = 0; i < machine_catalogue.metric_count; i++)
        ck_assert_msg(explain_knows(&all, machine_catalogue.metrics[i].name), "%s",
                      machine_catalogue.metrics[i].name);
    for (unsigned i = 0; 1U << i < AGGREGATE_ALL; i++)
        ck_assert_msg(explain_knows(&all, catalogue_aggregates[i]), "%s", catalogue_aggregates[i]);
}
END_TEST

START_TEST(test_a_path_chooses_its_owner)
{
    size_t written;
    free(explained("utilisation", &written));
    ck_assert_uint_eq(written, 3);
    char *text = explained("per_pass.3.stage_3.utilisation", &written);
    ck_assert_uint_eq(written, 1);
    ck_assert_ptr_nonnull(strstr(text, "stage_3.utilisation"));
    free(text);
    text = explained("stage_2/stage2_fifo/mean", &written);
    ck_assert_uint_eq(written, 1);
    ck_assert_ptr_nonnull(strstr(text, "queue.mean"));
    free(text);
}
END_TEST

START_TEST(test_the_list_names_an_owner_once)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    explain_write_list(&all, out);
    fclose(out);
    const char *owner = strstr(text, "\nstage_1a\n");
    ck_assert_ptr_nonnull(owner);
    ck_assert_ptr_null(strstr(owner + 1, "\nstage_1a\n"));
    free(text);
}
END_TEST

/* A layout's formulas are made of the names that summary.json has. */
START_TEST(test_a_ratio_is_computed_from_counters)
{
    size_t written;
    char *text = explained("stage_1b.input_per_sram_read", &written);
    ck_assert_ptr_nonnull(strstr(text, "computed  input_clocks / sram_reads_clocks\n"));
    free(text);
    text = explained("pcix.utilisation", &written);
    ck_assert_ptr_nonnull(strstr(text, "computed  busy_s / measured_time_s\n"));
    free(text);
}
END_TEST

START_TEST(test_only_flows_have_rates)
{
    ck_assert(explain_knows(&all, "seeds_out_per_s"));
    ck_assert(!explain_knows(&all, "trips_per_s"));
    ck_assert(!explain_knows(&all, "seeds_out_per_"));
    ck_assert(!explain_knows(&all, ""));
    ck_assert(!explain_knows(&all, "."));
    ck_assert(!explain_knows(&all, "stage_1a."));
}
END_TEST

START_TEST(test_long_names_are_unknown)
{
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert(!explain_knows(&all, name));
    ck_assert_ptr_null(explain_nearest(&all, name));
}
END_TEST

static Suite *explain_suite(void)
{
    Suite *suite = suite_create("explain");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_test(core, test_every_row_is_whole);
    tcase_add_test(core, test_no_name_twice);
    tcase_add_test(core, test_what_directives_ask_for_is_explained);
    tcase_add_test(core, test_a_path_chooses_its_owner);
    tcase_add_test(core, test_the_list_names_an_owner_once);
    tcase_add_test(core, test_a_ratio_is_computed_from_counters);
    tcase_add_test(core, test_only_flows_have_rates);
    tcase_add_test(core, test_long_names_are_unknown);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(explain_suite());
}
