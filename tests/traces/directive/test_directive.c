/* test_directive.c - the language of directives: what each sentence means, and what a wrong one is told.
 *
 * The catalogue is the machine's (sim/machine_taps.h).
 */
#include "base/words.h"
#include "base/why.h"
#include "traces/directive/directive.h"
#include "sim/measure/machine_taps.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct directives list;
static struct why why;

static int parse_bytes(const char *text, size_t bytes)
{
    why.line[0] = '\0';
    return directives_parse(text, bytes, "m.tt", &machine_catalogue, &list, &why);
}

static int parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static const struct directive *parse_one(const char *text)
{
    ck_assert_msg(parse(text) == 0, "%s: %s", text, why.line);
    ck_assert_uint_eq(list.count, 1);
    return &list.items[0];
}

static const char *metric_of(const struct directive *d)
{
    return machine_catalogue.metrics[d->metric].name;
}

static const char *tap_of(const struct directive *d)
{
    return machine_catalogue.taps[d->tap].name;
}

static void forget(void)
{
    directives_destroy(&list);
}

/* --- sentences ------------------------------------------------------------------------------------------- */

START_TEST(test_metric_and_tap_alone_are_a_mean_a_pass)
{
    const struct directive *d = parse_one("occupancy at wmer_fifo\n");
    ck_assert_str_eq(metric_of(d), "occupancy");
    ck_assert_str_eq(tap_of(d), "wmer_fifo");
    ck_assert_uint_eq(d->to, d->tap);
    ck_assert_uint_eq(d->aggregates, AGGREGATE_MEAN);
    ck_assert_int_eq(d->frame.kind, FRAME_PASS);
    ck_assert_str_eq(d->name, "occupancy.wmer_fifo");
    ck_assert_uint_eq(d->line, 1);
}
END_TEST

START_TEST(test_blanks_and_comments_count_as_nothing)
{
    const struct directive *d =
        parse_one("\t # a comment\n\n occupancy  at sram_fifo : min,max ,mean, deviation, histogram ( 512 ),"
                  "quantile(0.5,0.99 within 2 %)every 1.5ms as q.a_1 # more");
    ck_assert_uint_eq(d->aggregates, AGGREGATE_ALL);
    ck_assert_uint_eq(d->bins.count, 512);
    ck_assert_uint_eq(d->bins.width, 0);
    ck_assert_uint_eq(d->quantile_count, 2);
    ck_assert_double_eq(d->quantiles[0], 0.5);
    ck_assert_double_eq(d->quantiles[1], 0.99);
    ck_assert_double_eq(d->quantile_error, 0.02);
    ck_assert_int_eq(d->frame.kind, FRAME_SECONDS);
    ck_assert_double_eq_tol(d->frame.seconds, 1.5e-3, 1e-18);
    ck_assert_str_eq(d->name, "q.a_1");
    ck_assert_uint_eq(d->line, 3);
}
END_TEST

START_TEST(test_range_of_a_histogram)
{
    const struct directive *d = parse_one("latency at wmer_fifo: histogram(10..130/5)");
    ck_assert_uint_eq(d->bins.low, 10);
    ck_assert_uint_eq(d->bins.width, 5);
    ck_assert_uint_eq(d->bins.count, 24);
}
END_TEST

START_TEST(test_span)
{
    const struct directive *d = parse_one("latency at bus_in to bus_out: max");
    ck_assert_str_eq(tap_of(d), "bus_in");
    ck_assert_str_eq(machine_catalogue.taps[d->to].name, "bus_out");
    ck_assert_str_eq(d->name, "latency.bus_in_to_bus_out");
}
END_TEST

static const struct {
    const char *text;
    enum frame_kind kind;
    double seconds;
    uint64_t amount;
    const char *tap;
    bool of_run;
} frames[] = {
    {"pass", FRAME_PASS, 0, 0, "bus_in"},
    {"2 s", FRAME_SECONDS, 2, 0, "bus_in"},
    {"0.25us", FRAME_SECONDS, 0.25e-6, 0, "bus_in"},
    {"1e3 ns", FRAME_SECONDS, 1e-6, 0, "bus_in"},
    {"1 clocks", FRAME_CLOCKS, 0, 1, "bus_in"},
    {"1e6 clocks", FRAME_CLOCKS, 0, 1000000, "bus_in"},
    {"100 ms of run", FRAME_SECONDS, 0.1, 0, "bus_in", true},
    {"2s of\trun", FRAME_SECONDS, 2, 0, "bus_in", true},
    {"5 clocks of run", FRAME_CLOCKS, 0, 5, "bus_in", true},
    {"65536 words at ingress_fifo", FRAME_ELEMENTS, 0, 65536, "ingress_fifo"},
    {"7 elements at stage2_fifo", FRAME_ELEMENTS, 0, 7, "stage2_fifo"},
    {"1e6 bytes at bus_out", FRAME_BYTES, 0, 1000000, "bus_out"},
};

START_TEST(test_frames)
{
    char text[200];
    snprintf(text, sizeof text, "rate at bus_in every %s as x", frames[_i].text);
    const struct directive *d = parse_one(text);
    ck_assert_int_eq(d->frame.kind, frames[_i].kind);
    ck_assert_double_eq_tol(d->frame.seconds, frames[_i].seconds, 1e-18);
    ck_assert_uint_eq(d->frame.amount, frames[_i].amount);
    ck_assert_str_eq(machine_catalogue.taps[d->frame.tap].name, frames[_i].tap);
    ck_assert_int_eq(d->frame.of_run, frames[_i].of_run);
}
END_TEST

/* What editors put around lines changes nothing. */
START_TEST(test_line_ends)
{
    static const char *const texts[] = {
        "rate at bus_in\noccupancy at inbox: max\n", "rate at bus_in\noccupancy at inbox: max",
        "rate at bus_in\r\noccupancy at inbox: max\r\n",
        "\xEF\xBB\xBFrate at bus_in\noccupancy at inbox: max\n",
        "# h\xC3\xA9 \xE2\x82\xAC\nrate at bus_in\n\n\noccupancy at inbox: max # \xC2\xB5s\n\n"};
    ck_assert_msg(parse(texts[_i]) == 0, "%s", why.line);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(list.items[1].aggregates, AGGREGATE_MAX);
}
END_TEST

START_TEST(test_default_directives_answer_by_this_catalogue)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/directives/default.tt", getenv("MERCURY_SOURCE_DIR"));
    ck_assert_msg(directives_read(path, &machine_catalogue, &list, &why) == 0, "%s", why.line);
    ck_assert_uint_gt(list.count, 30);
    bool tapped[64] = {false};
    for (size_t i = 0; i < list.count; i++)
        tapped[list.items[i].tap] = tapped[list.items[i].to] = true;
    tapped[TAP_HOST_QUEUE] = true; /* which costs events, four of which the paper has, and is in every summary */
    for (size_t tap = 0; tap < machine_catalogue.tap_count; tap++)
        ck_assert_msg(tapped[tap], "nothing is measured at %s", machine_catalogue.taps[tap].name);
}
END_TEST

/* --- refusals -------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *where, *found, *expected;
} refusals[] = {
    {"", "m.tt: ", "no measurement", "one per line"},
    {"# nothing\n\n", "m.tt: ", "no measurement", "one per line"},
    {"ocupancy at wmer_fifo", "m.tt:1:1: ", "'ocupancy'", "did you mean 'occupancy'?"},
    {"\n  Rate at bus_in", "m.tt:2:3: ", "'Rate'", "did you mean 'rate'?"},
    {"zebra at bus_in", "m.tt:1:1: ", "'zebra'", "expected a metric (rate, byte_rate, utilisation,"},
    {"12 at bus_in", "m.tt:1:1: ", "'12'", "a metric"},
    {"rate", "m.tt:1:5: ", "the end of the line", "'at' and a tap"},
    {"rate bus_in", "m.tt:1:6: ", "'bus_in'", "'at' and a tap"},
    {"rate at", "m.tt:1:8: ", "the end of the line", "a tap that offers rate (bus_in,"},
    {"rate at bus_inn", "m.tt:1:9: ", "'bus_inn'", "did you mean 'bus_in'?"},
    {"occupancy at wmre_fifo: mean", "m.tt:1:14: ", "'wmre_fifo'", "did you mean 'wmer_fifo'?"},
    {"occupancy at stage_2", "m.tt:1:14: ", "'stage_2'", "a tap that offers occupancy (ingress_fifo,"},
    {"rate at bus_in to bus_out", "m.tt:1:16: ", "'to'", "rate is measured at one"},
    {"latency at bus_out to bus_in", "m.tt:1:23: ", "'bus_in'", "further down the pipeline"},
    {"latency at bus_in to bus_in", "m.tt:1:22: ", "'bus_in'", "further down the pipeline"},
    {"latency at bus_in to sram", "m.tt:1:22: ", "'sram'", "a tap that ends a span (bus_in,"},
    {"latency at bus_in: max", "m.tt:1:12: ", "'bus_in'", "a tap that offers latency"},
    {"rate at bus_in:", "m.tt:1:16: ", "the end of the line", "an aggregate of this metric (mean)"},
    {"rate at bus_in: max", "m.tt:1:17: ", "'max'", "an aggregate of this metric (mean)"},
    {"occupancy at inbox: meen", "m.tt:1:21: ", "'meen'", "did you mean 'mean'?"},
    {"occupancy at inbox: mean, mean", "m.tt:1:27: ", "'mean'", "each aggregate once"},
    {"occupancy at inbox: mean max", "m.tt:1:26: ", "'max'", "':', 'every', 'as' or the end of the line"},
    {"occupancy at inbox: max min", "m.tt:1:25: ", "'min'", "',' and another aggregate"},
    {"occupancy at inbox: histogram", "m.tt:1:30: ", "the end of the line", "'(' and the number of bins"},
    {"occupancy at inbox: histogram(0)", "m.tt:1:31: ", "'0'", "1 to 65536"},
    {"occupancy at inbox: histogram(-1)", "m.tt:1:31: ", "'-'", "1 to 65536"},
    {"occupancy at inbox: histogram(1.5)", "m.tt:1:31: ", "'1.5'", "1 to 65536"},
    {"occupancy at inbox: histogram(65537)", "m.tt:1:31: ", "'65537'", "1 to 65536"},
    {"occupancy at inbox: histogram(1e400)", "m.tt:1:31: ", "'1e400'", "1 to 65536"},
    {"occupancy at inbox: histogram(nan)", "m.tt:1:31: ", "'nan'", "1 to 65536"},
    {"occupancy at inbox: histogram(0x10)", "m.tt:1:31: ", "'0'", "1 to 65536"},
    {"occupancy at inbox: histogram(512", "m.tt:1:34: ", "the end of the line", "')'"},
    {"occupancy at inbox: histogram(0..10)", "m.tt:1:36: ", "')'", "'/' and the width of a bin"},
    {"occupancy at inbox: histogram(0..10/0)", "m.tt:1:37: ", "'0'", "a whole number from 1"},
    {"occupancy at inbox: histogram(0..10/3)", "m.tt:1:37: ", "'3'", "divides the range"},
    {"occupancy at inbox: histogram(10..10/1)", "m.tt:1:35: ", "'10'", "above the lower"},
    {"occupancy at inbox: histogram(10..5/1)", "m.tt:1:35: ", "'5'", "above the lower"},
    {"occupancy at inbox: histogram(0..1e6/1)", "m.tt:1:31: ", "1000000 bins", "at most 65536"},
    {"occupancy at inbox: quantile()", "m.tt:1:30: ", "')'", "between 0 and 1"},
    {"occupancy at inbox: quantile(1.5)", "m.tt:1:30: ", "'1.5'", "between 0 and 1"},
    {"occupancy at inbox: quantile(0.5, 0.5)", "m.tt:1:35: ", "'0.5'", "each quantile once"},
    {"occupancy at inbox: quantile(0.5 within 0 %)", "m.tt:1:41: ", "'0'", "0.01 % to 25 %"},
    {"occupancy at inbox: quantile(0.5 within 1)", "m.tt:1:42: ", "')'", "'%'"},
    {"occupancy at inbox: quantile(0.5 0.6)", "m.tt:1:34: ", "'0.6'", "',' and another quantile"},
    {"rate at bus_in every", "m.tt:1:21: ", "the end of the line", "'pass', or the length"},
    {"rate at bus_in every 0 ms", "m.tt:1:22: ", "'0'", "longer than 0"},
    {"rate at bus_in every 1e-400 s", "m.tt:1:22: ", "'1e-400'", "longer than 0"},
    {"rate at bus_in every 0 clocks", "m.tt:1:22: ", "'0'", "1 or more"},
    {"rate at bus_in every 0 words at bus_in", "m.tt:1:22: ", "'0'", "1 or more"},
    {"rate at bus_in every 0.5 words at bus_in", "m.tt:1:22: ", "'0.5'", "a whole number"},
    {"rate at bus_in every 5", "m.tt:1:23: ", "the end of the line", "a unit: s, ms"},
    {"rate at bus_in every 5 clokcs", "m.tt:1:24: ", "'clokcs'", "did you mean 'clocks'?"},
    {"rate at bus_in every 5 words", "m.tt:1:29: ", "the end of the line", "'at' and the tap"},
    {"rate at bus_in every 5 words at wmer_fifo", "m.tt:1:24: ", "'words'", "counted at wmer_fifo (seeds)"},
    {"rate at bus_in every 5 bytes at wmer_fifo", "m.tt:1:24: ", "'bytes'", "counted at wmer_fifo (seeds)"},
    {"rate at bus_in every 5 hsps at bus_out", "m.tt:1:24: ", "'hsps'",
     "counted at bus_out (records, bytes)"},
    {"rate at bus_in every 0 ms of run", "m.tt:1:22: ", "'0'", "longer than 0"},
    {"rate at bus_in every 0 clocks of run", "m.tt:1:22: ", "'0'", "1 or more"},
    {"rate at bus_in every pass of run", "m.tt:1:27: ", "'of'", "only frames of time, such as 100 ms of run"},
    {"rate at bus_in every 1000 elements at bus_in of run", "m.tt:1:46: ", "'of'",
     "only frames of time, such as 100 ms of run"},
    {"rate at bus_in every 8 bytes at bus_in of run", "m.tt:1:40: ", "'of'", "only frames of time"},
    {"rate at bus_in every 1 ms of runs", "m.tt:1:30: ", "'runs'", "did you mean 'run'?"},
    {"rate at bus_in every 1 ms of pass", "m.tt:1:30: ", "'pass'", "'run', as in 100 ms of run"},
    {"rate at bus_in every 1 ms of", "m.tt:1:29: ", "the end of the line", "'run', as in 100 ms of run"},
    {"rate at bus_in every 1 ms run", "m.tt:1:27: ", "'run'", "'of run', 'as' and a name"},
    {"rate at bus_in every 1 ms of run run", "m.tt:1:34: ", "'run'", "'as' and a name"},
    {"rate at bus_in of run", "m.tt:1:16: ", "'of'", "':', 'every', 'as'"},
    {"rate at bus_in as", "m.tt:1:18: ", "the end of the line", "a name"},
    {"rate at bus_in as 1a", "m.tt:1:19: ", "'1'", "a name"},
    {"rate at bus_in as a.", "m.tt:1:21: ", "the end of the line", "a name"},
    {"rate at bus_in as a b", "m.tt:1:21: ", "'b'", "the end of the line"},
    {"rate at bus_in as a every pass", "m.tt:1:21: ", "'every'", "the end of the line"},
    {"rate at bus_in ; mean", "m.tt:1:16: ", "';'", "':', 'every', 'as'"},
    {"rate at bus_in\nrate at bus_in", "m.tt:2:1: ", "'rate.bus_in'", "overlaps 'rate.bus_in' of line 1"},
    {"rate at bus_in as a\nrate at inbox as b\nrate at bus_out as a.c", "m.tt:3:1: ", "'a.c'",
     "'a' of line 1"},
    {"rate at bus_in as a.c\nrate at inbox as a", "m.tt:2:1: ", "'a'", "'a.c' of line 1"},
    {"rate at bus_in as a\nrate at inbox as a_b\nrate at bus_out as a.c", "m.tt:3:1: ", "'a.c'",
     "'a' of line 1"},
    {"rate at bus_in as z\nrate at bus_in as b\nrate at bus_in as z\nrate at bus_in as b",
     "m.tt:3:1: ", "'z'", "'z' of line 1"},
    {"rate at bus_in\x01", "m.tt:1:15: ", "byte 0x01", "a text file"},
    {"rate at bus_in\rrate at inbox", "m.tt:1:15: ", "byte 0x0D", "a text file"},
    {"rate at b\xC3\xBCs", "m.tt:1:9: ", "'b'", "a tap"},
    {"\xC3\xBC", "m.tt:1:1: ", "byte 0xC3", "a metric"},
};

START_TEST(test_refusals_name_place_found_and_expected)
{
    ck_assert_int_eq(parse(refusals[_i].text), DIRECTIVE_EREFUSED);
    ck_assert_msg(strncmp(why.line, refusals[_i].where, strlen(refusals[_i].where)) == 0, "%s: %s",
                  refusals[_i].where, why.line);
    ck_assert_msg(strstr(why.line, refusals[_i].found) != NULL, "%s: %s", refusals[_i].found, why.line);
    ck_assert_msg(strstr(why.line, refusals[_i].expected) != NULL, "%s: %s", refusals[_i].expected, why.line);
    ck_assert_ptr_null(list.items);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(test_names_that_only_begin_alike_do_not_overlap)
{
    ck_assert_msg(
        parse("rate at bus_in as ab\nrate at inbox as a\nrate at bus_out as a_b\nrate at stage_2 as abc.d\n"
              "rate at stage_3 as abc.e") == 0,
        "%s", why.line);
}
END_TEST

START_TEST(test_binary_file_is_refused)
{
    const char elf[] = "\x7F"
                       "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0";
    ck_assert_int_eq(parse_bytes(elf, sizeof elf), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "m.tt:1:1: found byte 0x7F, expected a text file") == why.line, "%s",
                  why.line);
    ck_assert_int_eq(parse_bytes("rate at bus_in\n\0", 16), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "m.tt:2:1: found byte 0x00") == why.line, "%s", why.line);
}
END_TEST

START_TEST(test_long_line_is_refused)
{
    static char text[DIRECTIVE_LINE_MAX + 20];
    memset(text, ' ', sizeof text);
    memcpy(text, "rate at bus_in", 14);
    ck_assert_int_eq(parse_bytes(text, DIRECTIVE_LINE_MAX), 0);
    directives_destroy(&list);
    ck_assert_int_eq(parse_bytes(text, DIRECTIVE_LINE_MAX + 1), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "a line of more than 4096 bytes") != NULL, "%s", why.line);
}
END_TEST

START_TEST(test_long_name_is_refused)
{
    char text[200] = "rate at bus_in as ";
    memset(text + 18, 'x', DIRECTIVE_NAME_MAX - 1);
    ck_assert_int_eq(parse(text), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "expected at most 95 bytes") != NULL, "%s", why.line);
    text[18 + DIRECTIVE_NAME_MAX - 2] = '\0';
    ck_assert_msg(parse(text) == 0, "%s", why.line);
}
END_TEST

static char *many(size_t count, const char *aggregates)
{
    char *text = malloc(count * 100 + 1);
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "occupancy at inbox: %s as m%zu\n", aggregates, i);
    return text;
}

START_TEST(test_number_of_measurements_is_bounded)
{
    char *text = many(DIRECTIVES_MAX, "mean");
    ck_assert_msg(parse(text) == 0, "%s", why.line);
    ck_assert_uint_eq(list.count, DIRECTIVES_MAX);
    directives_destroy(&list);
    free(text);
    text = many(10000, "mean");
    ck_assert_int_eq(parse(text), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "m.tt:1001:1: found 'occupancy', expected at most 1000 measurements") ==
                      why.line,
                  "%s", why.line);
    free(text);
}
END_TEST

/* 64 histograms of 65536 bins are 4194304; a sketch of 1 % has (65 - 6) 2^6 = 3776 buckets. */
START_TEST(test_memory_of_all_measurements_is_bounded)
{
    char *text = many(64, "histogram(65536)");
    ck_assert_msg(parse(text) == 0, "%s", why.line);
    directives_destroy(&list);
    strcat(text, "occupancy at inbox: histogram(1)\n");
    ck_assert_int_eq(parse(text), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "m.tt:65:31: found 4194305 bins of histograms and quantiles") == why.line,
                  "%s", why.line);
    free(text);
    text = many(1000, "quantile(0.5, 0.9 within 0.01 %)");
    ck_assert_int_eq(parse(text), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "bins of histograms and quantiles") != NULL, "%s", why.line);
    free(text);
}
END_TEST

/* Every beginning of a good file is taken or refused with a place, and never read past its end (ASan). */
START_TEST(test_every_beginning_and_every_changed_byte_gets_an_answer)
{
    static const char text[] =
        "occupancy at sram_fifo: max, histogram(0..500/10), quantile(0.5, 0.99 within 2 %) every "
        "1e3 words at bus_in as q.a\nlatency at bus_in to bus_out every 5 ms";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length ? length : 1);
        memcpy(copy, text, length);
        int status = parse_bytes(copy, length);
        ck_assert(status == 0 || (status == DIRECTIVE_EREFUSED && strncmp(why.line, "m.tt:", 5) == 0));
        directives_destroy(&list);
        for (int byte = 0; length > 0 && byte < 256; byte++) {
            copy[length - 1] = (char)byte;
            status = parse_bytes(copy, length);
            ck_assert(status == 0 || (status == DIRECTIVE_EREFUSED && strncmp(why.line, "m.tt:", 5) == 0));
            directives_destroy(&list);
        }
        free(copy);
    }
}
END_TEST

/* More taps than a message has room for: some, and that there are more. */
START_TEST(test_long_lists_are_cut)
{
    static char names[CATALOGUE_NAMES_MAX][NEAREST_NAME_MAX];
    static struct tap_spec taps[CATALOGUE_NAMES_MAX];
    const struct metric_spec metric = {"rate", "1", "of them", "counted", NULL, AGGREGATE_MEAN, false};
    const struct catalogue crowded = {&metric, 1, taps, CATALOGUE_NAMES_MAX};
    for (int length = 8; length < 60; length++) {
        for (int i = 0; i < CATALOGUE_NAMES_MAX; i++) {
            snprintf(names[i], sizeof names[i], "%0*d", i % 7 ? length : 3, i);
            taps[i] = (struct tap_spec){names[i], "words", 8, 0, 1, "one of many"};
        }
        ck_assert_int_eq(directives_parse("rate at nothing", 15, "m.tt", &crowded, &list, &why),
                         DIRECTIVE_EREFUSED);
        ck_assert_str_eq(why.line + strlen(why.line) - 6, ", ...)");
        ck_assert_uint_gt(strlen(why.line), 400);
    }
}
END_TEST

START_TEST(test_files_that_cannot_be_read)
{
    ck_assert_int_eq(directives_read("missing.tt", &machine_catalogue, &list, &why), DIRECTIVE_EREAD);
    ck_assert_str_eq(why.line, "missing.tt: cannot be read: No such file or directory");
    ck_assert_int_eq(directives_read("/", &machine_catalogue, &list, &why), DIRECTIVE_EREAD);
    ck_assert_str_eq(why.line, "/: cannot be read: Is a directory");
    ck_assert_int_eq(directives_read("/dev/null", &machine_catalogue, &list, &why), DIRECTIVE_EREFUSED);
    ck_assert_int_eq(directives_read("/dev/zero", &machine_catalogue, &list, &why), DIRECTIVE_EREFUSED);
    ck_assert_msg(strstr(why.line, "no text: its bytes are 0") != NULL, "%s", why.line);
}
END_TEST

/* --- names ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *a, *b;
    unsigned distance;
} distances[] = {
    {"", "", 0},       {"", "abc", 3},     {"abc", "abc", 0},   {"abc", "abd", 1},
    {"abc", "ab", 1},  {"abc", "xabc", 1}, {"abc", "acb", 1},   {"kitten", "sitting", 3},
    {"ABC", "abc", 0}, {"ca", "abc", 3},   {"flaw", "lawn", 2}, {"wmre_fifo", "wmer_fifo", 1},
};

START_TEST(test_distances)
{
    const char *a = distances[_i].a, *b = distances[_i].b;
    ck_assert_uint_eq(nearest_distance(a, strlen(a), b, strlen(b)), distances[_i].distance);
    ck_assert_uint_eq(nearest_distance(b, strlen(b), a, strlen(a)), distances[_i].distance);
}
END_TEST

START_TEST(test_nothing_is_near_a_name_of_another_kind)
{
    struct nearest search = {.wanted = "zebra", .length = 5};
    nearest_look_at(&search, "rate");
    nearest_look_at(&search, "latency");
    ck_assert_ptr_null(search.name);
}
END_TEST

START_TEST(test_catalogue_lists_every_tap_and_metric)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(catalogue_write_text(&machine_catalogue, out), 0);
    fclose(out);
    suite_one_line(text);
    for (size_t i = 0; i < machine_catalogue.tap_count; i++)
        ck_assert_ptr_nonnull(strstr(text, machine_catalogue.taps[i].meaning));
    for (size_t i = 0; i < machine_catalogue.metric_count; i++)
        ck_assert_ptr_nonnull(strstr(text, machine_catalogue.metrics[i].meaning));
    free(text);
}
END_TEST

static Suite *directive_suite(void)
{
    Suite *suite = suite_create("directive");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_add_checked_fixture(core, NULL, forget);
    tcase_add_checked_fixture(limits, NULL, forget);
    tcase_add_checked_fixture(errors, NULL, forget);
    tcase_add_test(core, test_metric_and_tap_alone_are_a_mean_a_pass);
    tcase_add_test(core, test_blanks_and_comments_count_as_nothing);
    tcase_add_test(core, test_range_of_a_histogram);
    tcase_add_test(core, test_span);
    tcase_add_loop_test(core, test_frames, 0, sizeof frames / sizeof frames[0]);
    tcase_add_loop_test(core, test_line_ends, 0, 5);
    tcase_add_test(core, test_default_directives_answer_by_this_catalogue);
    tcase_add_test(core, test_names_that_only_begin_alike_do_not_overlap);
    tcase_add_loop_test(core, test_distances, 0, sizeof distances / sizeof distances[0]);
    tcase_add_test(core, test_nothing_is_near_a_name_of_another_kind);
    tcase_add_test(core, test_catalogue_lists_every_tap_and_metric);
    tcase_add_loop_test(errors, test_refusals_name_place_found_and_expected, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(errors, test_binary_file_is_refused);
    tcase_add_test(errors, test_long_line_is_refused);
    tcase_add_test(errors, test_long_name_is_refused);
    tcase_add_test(errors, test_long_lists_are_cut);
    tcase_add_test(errors, test_files_that_cannot_be_read);
    tcase_add_test(limits, test_number_of_measurements_is_bounded);
    tcase_add_test(limits, test_memory_of_all_measurements_is_bounded);
    tcase_add_test(limits, test_every_beginning_and_every_changed_byte_gets_an_answer);
    tcase_set_timeout(limits, 60);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(directive_suite());
}
