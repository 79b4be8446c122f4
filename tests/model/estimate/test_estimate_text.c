/* test_estimate_text.c - the language of estimates: what its words give, and what every kind of mistake is told. */
#include "model/estimate/estimate_text.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

static struct estimate_text text;

static int parse(const char *source, struct why *why)
{
    memset(&text, 0, sizeof text);
    int status = estimate_text_parse(&text, source, strlen(source), "t", NULL, why);
    estimate_text_release(&text);
    return status;
}

START_TEST(test_objects)
{
    struct why why = {""};
    static const char source[] =
        "# a comment\n\n"
        "nodeset host  number 3 per node type memory grainsize 16 GiB bandwidth 6GB/s  # the rest\r\n"
        "nodeset core  type CPU number 2^7 floatspeed 2.4 GHz compute pipelined\n"
        "linkset bus   type updown from host to core duplex half bandwidth 8 Mbit/s latency 50 us\n"
        "linkset net   type across on host topology ring\n"
        "distribution tiles type block2dim ghost 2\n"
        "dataset image type grid2dim units 1kx500 bytesperunit 64 KiB operationsperunit 1e-3 parallel 2.5\n"
        "dataset hsps  type grid1dim units 1 varies 0.5, 1,1.5\n"
        "use distribution tiles on host, image\n";
    ck_assert_msg(parse(source, &why) == 0, "%s", why.line);
    ck_assert(text.nodesets[0].per_node && text.nodesets[0].type == ESTIMATE_MEMORY);
    assert_close(text.nodesets[0].number, 3, 0);
    assert_close(text.nodesets[0].grainsize, 16.0 * 1073741824, 0);
    assert_close(text.nodesets[0].bandwidth, 6e9, 0);
    assert_close(text.nodesets[1].number, 128, 0);
    assert_close(text.nodesets[1].floatspeed, 2.4e9, 1e-15);
    ck_assert_uint_eq(text.nodesets[1].compute, 1);
    assert_close(text.linksets[0].bandwidth, 1e6, 0);
    assert_close(text.linksets[0].latency_s, 50e-6, 1e-15);
    ck_assert(text.linksets[0].duplex == ESTIMATE_HALF && text.linksets[1].from == 0 &&
              text.linksets[1].to == 0);
    assert_close(text.datasets[0].units[0] * text.datasets[0].units[1], 5e5, 0);
    assert_close(text.datasets[0].bytes, 65536, 0);
    ck_assert(text.datasets[0].distribution == 0 && text.datasets[0].over == 0);
    ck_assert(text.datasets[0].varies.count == 0 && text.datasets[1].varies.count == 3);
}
END_TEST

START_TEST(test_factors_of_datasets)
{
    struct why why = {""};
    static const char source[] = "dataset a type grid1dim units 1 varies 0.5, 1\n"
                                 "dataset b type grid1dim units 1 varies 3, 4,5\n";
    const double factors[] = {0.5, 1, 3, 4, 5};
    memset(&text, 0, sizeof text);
    ck_assert_int_eq(estimate_text_parse(&text, source, strlen(source), "t", NULL, &why), 0);
    ck_assert_uint_eq(text.datasets[0].varies.first, 0);
    ck_assert_uint_eq(text.datasets[0].varies.count, 2);
    ck_assert_uint_eq(text.datasets[1].varies.first, 2);
    ck_assert_uint_eq(text.datasets[1].varies.count, 3);
    ck_assert_mem_eq(text.factors, factors, sizeof factors);
    estimate_text_release(&text);
}
END_TEST

/* As many as there may be, in two datasets; and one more. */
START_TEST(test_too_many_factors)
{
    struct why why = {""};
    static char source[3 * ESTIMATE_FACTORS_MAX];
    char *to = source;
    to += sprintf(to, "dataset a type grid1dim units 1 varies 1\ndataset b type grid1dim units 1 varies 1");
    for (int i = 2; i < ESTIMATE_FACTORS_MAX; i++, to += 2)
        memcpy(to, ",1", 3);
    ck_assert_msg(parse(source, &why) == 0, "%s", why.line);
    ck_assert_uint_eq(text.datasets[1].varies.count, ESTIMATE_FACTORS_MAX - 1);
    memcpy(to, ",1", 3);
    ck_assert_int_eq(parse(source, &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_ptr_nonnull(strstr(why.line, ": more than 65536 numbers that vary from one to the next"));
}
END_TEST

#define HEAD "nodeset a type memory\nnodeset c type CPU floatspeed 1\ndataset d type grid1dim units 1\n"

/* Bodies are what is indented further; a repeat ends with the first line that is not. */
START_TEST(test_repeats)
{
    struct why why = {""};
    ck_assert_msg(parse(HEAD "repeat 2\n  compute d on c\n  repeat 3\n\tcompute d on c\n\n  # still inside\n"
                             "  synchronize\ncompute d on c\n",
                        &why) == 0,
                  "%s", why.line);
    ck_assert_uint_eq(text.statement_count, 6);
    ck_assert_uint_eq(text.statements[0].end, 5);
    ck_assert_uint_eq(text.statements[2].end, 4);
}
END_TEST

START_TEST(test_set)
{
    struct why why = {""};
    ck_assert_int_eq(parse(HEAD, &why), 0);
    ck_assert_int_eq(estimate_text_set(&text, "a.number=4", &why), 0);
    assert_close(text.nodesets[0].number, 4, 0);
    ck_assert_int_eq(estimate_text_set(&text, "c.floatspeed=2 G/s", &why), 0);
    assert_close(text.nodesets[1].floatspeed, 2e9, 0);
    ck_assert_int_eq(estimate_text_set(&text, "b.number=4", &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_str_eq(why.line, "--set:1:1: name 'b' is not known; expected a, c or d");
    ck_assert_int_eq(estimate_text_set(&text, "a.nubmer=4", &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_str_eq(why.line, "--set:1:3: key 'nubmer' is not known; did you mean 'number'?");
    ck_assert_int_eq(estimate_text_set(&text, "a.number", &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_int_eq(estimate_text_set(&text, "a.number=4 5", &why), ESTIMATE_TEXT_EREFUSED); /* not 45 */
    ck_assert_int_eq(estimate_text_set(&text, "c.type=disk", &why), ESTIMATE_TEXT_EREFUSED);
}
END_TEST

/* What a page can offer to change: the numbers that the text gives, in its order. */
START_TEST(test_numbers)
{
    struct why why = {""};
    struct estimate_number number;
    static const char *const names[] = {"a.number", "c.floatspeed", "d.units", "d.bytesperunit"};
    ck_assert_int_eq(parse("nodeset a type memory number 3\nnodeset c type CPU floatspeed 1 M/s\n"
                           "dataset i type grid2dim units 2x3\n"
                           "dataset d type grid1dim units 5 bytesperunit 2 KB varies 1, 2\n",
                           &why),
                     0);
    for (unsigned i = 0; i < COUNT_OF(names); i++) {
        ck_assert(estimate_text_number(&text, i, &number));
        ck_assert_str_eq(number.name, names[i]);
        ck_assert_ptr_nonnull(number.meaning);
    }
    assert_close(number.value, 2000, 0);
    ck_assert_str_eq(number.object, "dataset");
    ck_assert(!estimate_text_number(&text, COUNT_OF(names), &number));
}
END_TEST

static const struct {
    const char *text, *line;
} mistakes[] = {
    {"nodset a type memory\n", "t:1:1: word 'nodset' is not known; did you mean 'nodeset'?"},
    {HEAD "  fetch d\n",
     "t:4:3: word 'fetch' is not known; expected nodeset, linkset, distribution, dataset, use, "
     "send, move, compute, synchronize or repeat"},
    {"nodeset a type memroy\n", "t:1:16: type 'memroy' is not known; did you mean 'memory'?"},
    {"nodeset a number 3\n",
     "t:1:19: the line ends where type is expected: memory, cache, disk, CPU or pathway"},
    {"nodeset a type memory bandwith 3\n", "t:1:23: key 'bandwith' is not known; did you mean 'bandwidth'?"},
    {"nodeset a type memory number 1.5\n", "t:1:30: number is 1.5: expected a whole number"},
    {"nodeset a type memory number 0\n", "t:1:30: number is 0: expected 1 to 1e+06"},
    {"nodeset a type memory number 2 number 3\n", "t:1:32: number is given twice"},
    {"nodeset a type memory number 2 per host\n", "t:1:36: expected 'per node'"},
    {"nodeset a type memory bandwidth 3 s\n",
     "t:1:35: key 's' is not known; expected type, number, bandwidth, floatspeed, grainsize, ports, "
     "compute, cacherule or unlike"},
    {"nodeset a type memory bandwidth 3GHz\n",
     "t:1:33: bandwidth '3GHz': expected bytes per second, such as 895 MB/s"},
    {"nodeset a type memory bandwidth\n",
     "t:1:32: bandwidth has no value: expected bytes per second, such as 895 MB/s"},
    {"nodeset a type CPU\n",
     "t:1:19: CPU 'a' has no floatspeed: expected operations per second, such as 133 M/s"},
    {"nodeset 3a type memory\n",
     "t:1:9: name '3a': expected a letter, then up to 30 letters, digits, - or _"},
    {HEAD "dataset a type grid1dim units 1\n",
     "t:4:9: 'a' is already the name of a nodeset: expected another name"},
    {HEAD "linkset l type updown from a to a\n",
     "t:4:34: linkset 'l' joins 'a' with itself: expected type across"},
    {HEAD "linkset l type updown from a\n",
     "t:4:29: linkset 'l' of type updown: expected from NODESET to NODESET"},
    {HEAD "linkset l type across on a from c\n",
     "t:4:34: linkset 'l': from and to belong to type updown, on and topology to type across"},
    {HEAD "dataset e type grid1dim\n", "t:4:24: dataset 'e' has no units: expected a number of units"},
    {HEAD "dataset e type grid1dim units 10x10\n",
     "t:4:36: dataset 'e' of type grid1dim has more dimensions of units"},
    {HEAD "dataset e type grid1dim units 10xx\n",
     "t:4:31: units '10xx': expected one number for each dimension, such as 2.7e9 or 1000x500"},
    {HEAD "dataset e type grid1dim units 1 varies 1, 2,\n",
     "t:4:45: varies has no value: expected a number, such as 16 or 2.7G"},
    {HEAD "dataset e type grid1dim units 1 varies 1, -2\n", "t:4:43: varies is -2: expected 0 to 1e+06"},
    {HEAD "use distribution d on d\n",
     "t:4:18: distribution 'd' is not known; expected a line before this one that defines it"},
    {HEAD "distribution b type block1dim\nuse distribution b on a\n",
     "t:5:24: no dataset: expected one that is dealt, as in 'on host, database'"},
    {HEAD "send d to a\n", "t:4:8: 'to': expected 'from'"},
    {HEAD "send d from a to\n", "t:4:17: the line ends where nodeset is expected: a or c"},
    {HEAD "compute d on a\n", "t:4:14: 'a' is a memory: expected a nodeset of type CPU"},
    {HEAD "synchronize now\n", "t:4:13: 'now': expected the end of the line"},
    {HEAD "repeat 2\ncompute d on c\n",
     "t:4:9: repeat has no body: expected statements that are indented further"},
    {HEAD "repeat 2\n", "t:4:9: repeat has no body: expected statements that are indented further"},
    {HEAD "repeat 2\n  compute d on c\n   compute d on c\n",
     "t:6:4: indented by 3 columns: expected 2, as the lines before it"},
    {HEAD "repeat 2 over c\n  repeat 2 over c\n    compute d on c\n",
     "t:5:18: repeat ... over in another one: expected one of them without over"},
    {"nodeset a type CPU floatspeed 1 unlike\n",
     "t:1:39: unlike has no value: expected a number, such as 16 or 2.7G"},
    {"nodeset a type CPU floatspeed 1 unlike number 2\n",
     "t:1:40: unlike 'number': expected a number, such as 16 or 2.7G"},
    {"nodeset a type CPU floatspeed 1 unlike 1, 0\n", "t:1:43: unlike is 0: expected 0.001 to 1000"},
    {"nodeset a type memory unlike 1, 2\n",
     "t:1:34: 'a' has members that are unlike: expected it of a nodeset of type CPU only"},
    {"nodeset a type cache cacherule lru\n",
     "t:1:35: 'a' has a cacherule: expected it of a memory or cache with a grainsize, which it holds"},
    {"nodeset a type disk grainsize 1 KB cacherule lru\n",
     "t:1:49: 'a' has a cacherule: expected it of a memory or cache with a grainsize, which it holds"},
    {"distribution d type block1dim shares\n",
     "t:1:37: shares has no value: expected a number, such as 16 or 2.7G"},
    {"#include \"x\"\n", "t:1:11: #include: a text that is no file can include none"},
    {"#include\n", "t:1:9: expected #include \"FILE\""},
    {"nodeset a\x01 type memory\n",
     "t:1:9: name 'a\\x01': expected a letter, then up to 30 letters, digits, - or _"},
};

START_TEST(test_mistake)
{
    struct why why = {""};
    ck_assert_int_eq(parse(mistakes[_i].text, &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_str_eq(why.line, mistakes[_i].line);
}
END_TEST

/* One more than there is room for, of everything. */
START_TEST(test_too_many)
{
    static const char *const lines[] = {"nodeset n%d type memory\n", "dataset n%d type grid1dim units 1\n",
                                        "distribution n%d type block1dim\n"};
    static const int most[] = {ESTIMATE_NODESETS_MAX, ESTIMATE_DATASETS_MAX, ESTIMATE_DISTRIBUTIONS_MAX};
    char source[8192];
    struct why why;
    size_t used = 0, last = 0;
    for (int i = 0; i <= most[_i]; i++) {
        last = used;
        used += (size_t)snprintf(source + used, sizeof source - used, lines[_i], i);
    }
    ck_assert_int_eq(parse(source, &why), ESTIMATE_TEXT_EREFUSED);
    ck_assert_ptr_nonnull(strstr(why.line, "more than"));
    source[last] = '\0';
    ck_assert_int_eq(parse(source, &why), 0);
}
END_TEST

static Suite *estimate_text_suite(void)
{
    Suite *suite = suite_create("estimate_text");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_objects);
    tcase_add_test(core, test_factors_of_datasets);
    tcase_add_test(core, test_too_many_factors);
    tcase_add_test(core, test_repeats);
    tcase_add_test(core, test_set);
    tcase_add_test(core, test_numbers);
    tcase_add_loop_test(core, test_mistake, 0, COUNT_OF(mistakes));
    tcase_add_loop_test(core, test_too_many, 0, 3);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(estimate_text_suite());
}
