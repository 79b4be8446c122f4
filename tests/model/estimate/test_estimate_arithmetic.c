/* test_estimate_arithmetic.c - times that follow by hand; what a program refuses. */
#include "model/estimate/estimate_arithmetic.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/assert_close.h"
#include "tests/model/estimate/estimate_cases.h"
#include "tests/run_suite.h"

static struct estimate_text text;
static struct estimate_program program;

static int make(const char *source, uint32_t nodes, struct why *why)
{
    estimate_text_release(&text); /* that of the program before */
    memset(&text, 0, sizeof text);
    ck_assert_msg(estimate_text_parse(&text, source, strlen(source), "case", NULL, why) == 0, "%s",
                  why->line);
    return estimate_program_make(&text, nodes, &program, why);
}

START_TEST(test_time)
{
    const struct estimate_case *c = &estimate_cases[_i];
    struct why why = {""};
    struct estimate_result result;
    ck_assert_msg(make(c->text, c->nodes, &why) == 0, "%s: %s", c->name, why.line);
    estimate_arithmetic(&program, &result);
    assert_close(result.time_s, c->time_s, c->tolerance);
    struct estimate_limits limits;
    estimate_limits(&program, &result, &limits);
    ck_assert_str_eq(limits.busy, c->limit);
    double ended_s = 0; /* the steps move the end from 0 to the time */
    for (unsigned i = 0; i < program.step_count; i++)
        ended_s += result.ended_s[i];
    assert_close(ended_s, result.time_s, 1e-9);
}
END_TEST

/* On 10 nodes the first step takes 100 / 10 s of each core, and the second 40 s of one: 40 of 50 s. */
START_TEST(test_serial_step)
{
    struct why why;
    struct estimate_result result;
    struct estimate_limits limits;
    static const char source[] =
        "nodeset host type memory\nnodeset core type CPU number 1 per node floatspeed 1\n"
        "dataset all type grid1dim units 100 operationsperunit 1\n"
        "dataset one type grid1dim units 40 operationsperunit 1 parallel 1\n"
        "distribution blocks type block1dim\nuse distribution blocks on all\n"
        "compute all on core\ncompute one on core\n";
    ck_assert_msg(make(source, 10, &why) == 0, "%s", why.line);
    estimate_arithmetic(&program, &result);
    assert_close(result.time_s, 50, 1e-12);
    estimate_limits(&program, &result, &limits);
    ck_assert_str_eq(limits.serial, "compute one on core");
    assert_close(limits.serial_share, 0.8, 1e-12);
}
END_TEST

/* What goes either way takes time of the one bus: (4938928 + 901440) / 1010.8 MB/s. */
START_TEST(test_both_ways)
{
    struct why why;
    struct estimate_result result;
    ck_assert_int_eq(
        make(IN_AND_OUT("linkset bus type updown from host to board bandwidth 1010.8 MB/s\n"), 1, &why), 0);
    estimate_arithmetic(&program, &result);
    assert_close(result.resource_s[0], 5840368 / 1010.8e6, 1e-12);
}
END_TEST

/* A node is a member of the first memory; what is a multiple of its number grows, the one switch does not. */
START_TEST(test_nodes_grow)
{
    struct why why;
    static const char source[] =
        "nodeset disk type disk number 16\nnodeset host type memory number 16\n"
        "nodeset core type CPU number 128 floatspeed 1\nnodeset one type disk number 1\n"
        "dataset d type grid1dim units 1 operationsperunit 1\ncompute d on core\n";
    static const uint32_t expected[] = {4, 4, 32, 1};
    ck_assert_int_eq(make(source, 0, &why), 0);
    ck_assert_uint_eq(program.nodes, 16);
    ck_assert_int_eq(make(source, 4, &why), 0);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(program.members[i], expected[i]);
}
END_TEST

static const struct {
    const char *text, *line;
} refused[] = {
    {"nodeset a type memory\nnodeset b type memory\ndataset d type grid1dim units 1\nsend d from a to b\n",
     "case:4: no linkset leads from 'a' to 'b'"},
    {"nodeset a type memory\nnodeset b type memory\nlinkset l type updown from a to b duplex half\n"
     "dataset d type grid1dim units 1\nsend d from b to a\n",
     "case:5: linkset 'l' is half duplex and leads from 'a' to 'b' only"},
    {"nodeset a type memory\ndataset d type grid1dim units 1\nsend d from a to a\n",
     "case:3: no linkset of type across is on 'a'"},
    {"nodeset a type disk\nnodeset b type memory grainsize 1 KB\nlinkset l type updown from a to b\n"
     "dataset d type grid1dim units 1001 bytesperunit 1\nmove d from a to b\n",
     "case:5: dataset 'd' has 1001 bytes on each 'b', which holds 1000: expected more members or a distribution"},
    {"nodeset a type memory\n",
     "no script: expected statements such as send, move or compute in one of the files"},
    {UNLIKE("shares 1, 2") "dataset e type grid1dim units 1\ndistribution own type block1dim\n"
                           "use distribution own on e\ncompute d, e on cpu\n",
     "case:11: datasets 'd' and 'e' are computed together: expected the same shares of both"},
    {"nodeset host type memory number 4\nnodeset cpu type CPU number 2 floatspeed 1 unlike 1, 2\n"
     "dataset d type grid1dim units 1 operationsperunit 1\nrepeat 4 over cpu\n  compute d on cpu\n",
     "4 nodes are unlike: expected at most 4096, and members of each over which a repeat deals"},
    {"nodeset a type CPU floatspeed 1\ndataset d type grid1dim units 1\nrepeat 1e5\n  repeat 1e5\n    compute d on a\n",
     "the script has 1e+10 steps with all its repeats: expected at most 1e+07"},
};

START_TEST(test_refused)
{
    struct why why = {""};
    ck_assert_int_eq(make(refused[_i].text, 0, &why), ESTIMATE_PROGRAM_EREFUSED);
    ck_assert_str_eq(why.line, refused[_i].line);
}
END_TEST

static Suite *estimate_arithmetic_suite(void)
{
    Suite *suite = suite_create("estimate_arithmetic");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_time, 0, COUNT_OF(estimate_cases));
    tcase_add_test(core, test_serial_step);
    tcase_add_test(core, test_both_ways);
    tcase_add_test(core, test_nodes_grow);
    tcase_add_loop_test(core, test_refused, 0, COUNT_OF(refused));
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(estimate_arithmetic_suite());
}
