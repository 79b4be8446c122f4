/* test_script_actors.c - the scripts of estimates executed in SimGrid: the same times as by hand, and as by arithmetic
 * where no assumption differs.
 *
 * One simulation a process: Check runs every test in a child.
 */
#include "sim/simgrid/script_actors.h"

#include <check.h>
#include <string.h>

#include "model/estimate/estimate_arithmetic.h"
#include "tests/assert_close.h"
#include "tests/model/estimate/estimate_cases.h"
#include "tests/run_suite.h"

static double execute(const char *source, uint32_t nodes, struct estimate_program *program)
{
    static struct estimate_text text;
    struct why why = {""};
    double time_s = -1;
    ck_assert_msg(estimate_text_parse(&text, source, strlen(source), "case", NULL, &why) == 0, "%s",
                  why.line);
    ck_assert_msg(estimate_program_make(&text, nodes, program, &why) == 0, "%s", why.line);
    ck_assert_msg(estimate_execution_check(program, &why) == 0, "%s", why.line);
    ck_assert_msg(script_actors_run(program, &time_s, &why) == 0, "%s", why.line);
    estimate_text_release(&text);
    return time_s;
}

START_TEST(test_time)
{
    static struct estimate_program program;
    const struct estimate_case *c = &estimate_cases[_i];
    assert_close(execute(c->text, c->nodes, &program), c->time_s, c->tolerance);
}
END_TEST

/* A script as of the machine, on four hosts: nothing is known by hand, but the two agree within 2%. */
START_TEST(test_machine)
{
    static struct estimate_program program;
    static const char source[] =
        "nodeset disk type disk number 4\nnodeset host type memory number 4 bandwidth 6 GB/s\n"
        "nodeset core type CPU number 32 floatspeed 2.4 G/s\n"
        "nodeset board type CPU number 8 floatspeed 133 M/s\n"
        "linkset storage type updown from disk to host bandwidth 895 MB/s\n"
        "linkset pcix type updown from host to board number 4 bandwidth 1064 MB/s\n"
        "distribution blocks type block1dim\ndataset tables type grid1dim units 1 bytesperunit 1.18 MB\n"
        "dataset database type grid1dim units 8e8 bytesperunit 0.5 operationsperunit 0.0625 aggregate 1 MiB\n"
        "dataset hsps type grid1dim units 1e5 bytesperunit 16 operationsperunit 800\n"
        "use distribution blocks on host, database, hsps\n"
        "repeat 3\n  send tables from host to board\n  move database from disk to board\n  compute database on board\n"
        "  move hsps from board to host\n  compute hsps on core\n";
    struct estimate_result result;
    double time_s = execute(source, 4, &program);
    estimate_arithmetic(&program, &result);
    assert_close(result.time_s, time_s, 0.02);
}
END_TEST

/* Far more nodes than a test needs are refused before SimGrid starts. */
START_TEST(test_too_many)
{
    static struct estimate_text text;
    static struct estimate_program program;
    struct why why = {""};
    ck_assert_int_eq(estimate_text_parse(&text, SLOW_SWITCH, strlen(SLOW_SWITCH), "case", NULL, &why), 0);
    ck_assert_int_eq(estimate_program_make(&text, 100000, &program, &why), 0);
    ck_assert_int_eq(estimate_execution_check(&program, &why), ESTIMATE_PROGRAM_EREFUSED);
    ck_assert_ptr_nonnull(strstr(why.line, "100000 nodes have 200000 members and flows"));
    estimate_text_release(&text);
}
END_TEST

static Suite *script_actors_suite(void)
{
    Suite *suite = suite_create("script_actors");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_time, 0, COUNT_OF(estimate_cases));
    tcase_add_test(core, test_machine);
    tcase_add_test(core, test_too_many);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(script_actors_suite());
}
