/* test_result_table.c - one table in three forms, to the byte. */
#include "base/draw/result_table.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/why.h"
#include "tests/run_suite.h"

static const char *const columns[] = {"cell", "value", "verdict"};

static struct result_table *example(void)
{
    struct result_table *table = result_table_new(columns, 3);
    result_table_add_fact(table, "run", TEXT("a \"b\""));
    result_table_add_fact(table, "clocks", NUMBER(12345678901));
    const struct result_member members[] = {
        {"rate", NUMBER(0.5)}, {"kind", TEXT("x")}, {"none", NUMBER(NAN)}};
    result_table_add_object(table, "stage", "rate 0.5, x", members, 3);
    result_table_add(table, TEXT("N_Q"), NUMBER(1.23456789012), TEXT("in"), TEXT("P"), NUMBER(NAN),
                     TEXT("-"));
    result_table_note(table, "%d of %d", 1, 2);
    return table;
}

/* Kept out of line: gcc 12 takes what open_memstream() leaves in `text` for a pointer to it. */
__attribute__((noinline)) static char *written(const struct result_table *table, enum result_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    result_table_write(table, format, out);
    fclose(out);
    return text;
}

static const char *const expected[] = {
    [RESULT_TEXT] = "run                  a \"b\"\n"
                    "clocks               12345678901\n"
                    "stage                rate 0.5, x\n"
                    "\n"
                    "  cell   value  verdict\n"
                    "  N_Q   1.2346  in\n"
                    "  P          -  -\n"
                    "\n"
                    "1 of 2\n",
    [RESULT_TSV] = "# run\ta \"b\"\n"
                   "# clocks\t12345678901\n"
                   "# stage\trate 0.5, x\n"
                   "# 1 of 2\n"
                   "cell\tvalue\tverdict\n"
                   "N_Q\t1.23456789\tin\n"
                   "P\tNA\t-\n",
    [RESULT_JSON] = "{\n"
                    "  \"run\": \"a \\\"b\\\"\",\n"
                    "  \"clocks\": 12345678901,\n"
                    "  \"stage\": {\n"
                    "    \"rate\": 0.5,\n"
                    "    \"kind\": \"x\",\n"
                    "    \"none\": null\n"
                    "  },\n"
                    "  \"rows\": [\n"
                    "    {\n"
                    "      \"cell\": \"N_Q\",\n"
                    "      \"value\": 1.23456789,\n"
                    "      \"verdict\": \"in\"\n"
                    "    },\n"
                    "    {\n"
                    "      \"cell\": \"P\",\n"
                    "      \"value\": null,\n"
                    "      \"verdict\": \"-\"\n"
                    "    }\n"
                    "  ],\n"
                    "  \"notes\": [\n"
                    "    \"1 of 2\"\n"
                    "  ]\n"
                    "}\n",
};

START_TEST(test_the_three_forms)
{
    struct result_table *table = example();
    char *text = written(table, (enum result_format)_i);
    ck_assert_str_eq(text, expected[_i]);
    free(text);
    result_table_destroy(table);
}
END_TEST

START_TEST(test_inputs_stand_below_what_was_found)
{
    static const char *const names[] = {"cell"};
    struct result_table *table =
        result_table_new_styled(names, 1, &(struct result_style){.facts_last = true});
    result_table_add_fact(table, "seed", NUMBER(1));
    result_table_add(table, TEXT("N_Q"));
    result_table_note(table, "1 of 2");
    char *text = written(table, RESULT_TEXT);
    ck_assert_str_eq(text, "  cell\n  N_Q\n\n1 of 2\n\nseed                 1\n");
    free(text);
    result_table_destroy(table);
}
END_TEST

START_TEST(test_html_has_rows_and_notes)
{
    static const char *const names[] = {"a<b", "value"};
    struct result_table *table = result_table_new(names, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    result_table_add(table, TEXT("\"x\" & y"), MARKED(1.23456789, '*'), TEXT("z"), NUMBER(NAN));
    result_table_note(table, "1 < 2");
    result_table_end(table, RESULT_HTML, out);
    fclose(out);
    ck_assert_str_eq(text, "<div class=\"scroll\"><table class=\"numbers\">\n"
                           "<thead><tr><th>a&lt;b</th><th class=\"n\">value</th></tr></thead>\n"
                           "<tbody>\n"
                           "<tr><td>&quot;x&quot; &amp; y</td><td class=\"n\">1.2346*</td></tr>\n"
                           "<tr><td>z</td><td class=\"n\">-</td></tr>\n"
                           "</tbody></table></div>\n"
                           "<p class=\"note\">1 &lt; 2</p>\n");
    free(text);
}
END_TEST

/* Each of the others has room beside the key (2 + 30 + 1 + 38 columns), both have not. */
START_TEST(test_what_is_too_wide_goes_on_below)
{
    static const char *const names[] = {"key", "left", "right"};
    static const int widths[] = {-30, 38, 38};
    const struct result_style narrow = {.title = "", .widths = widths},
                              wide = {.title = "", .widths = widths, .wide = true};
    static const char *const texts[] = {
        "  key                                                              left\n"
        "  a                                                                   1\n"
        "\n"
        "  key                                                             right\n"
        "  a                                                                   2\n",
        "  key                                                              left"
        "                                  right\n"
        "  a                                                                   1"
        "                                      2\n"};
    for (int i = 0; i < 2; i++) {
        struct result_table *table = result_table_new_styled(names, 3, i == 0 ? &narrow : &wide);
        result_table_add(table, TEXT("a"), NUMBER(1), NUMBER(2));
        char *text = written(table, RESULT_TEXT);
        ck_assert_str_eq(text, texts[i]);
        free(text);
        result_table_destroy(table);
    }
}
END_TEST

START_TEST(test_a_table_without_rows)
{
    struct result_table *table = result_table_new(columns, 3);
    char *text = written(table, RESULT_TSV);
    ck_assert_str_eq(text, "cell\tvalue\tverdict\n");
    free(text);
    free(written(table, RESULT_JSON));
    result_table_note(table, "a note");
    text = written(table, RESULT_TEXT);
    ck_assert_str_eq(text, "\na note\n");
    free(text);
    result_table_destroy(table);
    result_table_destroy(NULL);
}
END_TEST

/* A part of a document: a title, given widths, marks, other formats; in TSV it goes on where another part ended. */
static struct result_table *part(void)
{
    static const int widths[] = {-5, 8, -1};
    static const struct result_style style = {.title = "part 2",
                                              .widths = widths,
                                              .text_number = "%.2f",
                                              .tsv_number = RESULT_EXACT,
                                              .text_missing = "NA",
                                              .goes_on = true};
    struct result_table *table = result_table_new_styled(columns, 3, &style);
    result_table_add(table, TEXT("a\tb"), MARKED(0.1, '*'), TEXT("in"));
    result_table_add(table, TEXT(""), MARKED(NAN, '*'));
    result_table_add(table, TEXT(""), TEXT("c"), NUMBER(2.0 / 3), TEXT("out"));
    result_table_note(table, "a note");
    return table;
}

START_TEST(test_a_part_of_a_document)
{
    struct result_table *table = part();
    char *text = written(table, RESULT_TEXT), *tsv = written(table, RESULT_TSV);
    ck_assert_str_eq(text, "\npart 2\n"
                           "  cell     value  verdict\n"
                           "  a\\x09b    0.10*  in\n"
                           "              NA\n"
                           "  c         0.67  out\n"
                           "  a note\n");
    ck_assert_str_eq(tsv, "# a note\na\\x09b\t0.1\tin\n\tNA\t\nc\t0.6666666666666666\tout\n");
    free(text);
    free(tsv);
    result_table_destroy(table);
}
END_TEST

START_TEST(test_a_full_disk_is_found_out)
{
    struct why why = {""};
    if (access("/dev/full", W_OK) == 0) {
        for (int format = RESULT_TEXT; format <= RESULT_JSON; format++) {
            ck_assert_int_eq(result_table_save(example(), (enum result_format)format, "/dev/full", &why),
                             COMMAND_REFUSED);
            ck_assert_ptr_nonnull(strstr(why.line, "/dev/full"));
        }
    }
    ck_assert_int_eq(result_table_save(example(), RESULT_TSV, "no/such/place", &why), COMMAND_REFUSED);
    ck_assert_ptr_nonnull(strstr(why.line, "no/such/place"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("result_table");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_the_three_forms, 0, 3);
    tcase_add_test(core, test_inputs_stand_below_what_was_found);
    tcase_add_test(core, test_html_has_rows_and_notes);
    tcase_add_test(core, test_what_is_too_wide_goes_on_below);
    tcase_add_test(core, test_a_table_without_rows);
    tcase_add_test(core, test_a_part_of_a_document);
    tcase_add_test(core, test_a_full_disk_is_found_out);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
