/* test_host_events.c - the host over a run: passes told in any order, against what counting clock by clock says of all
 * of them together.
 */
#include "sim/host/host_events.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/measure/frame_record.h"
#include "sim/measure/machine_taps.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { PASSES_MAX = 7, HSPS_MAX = 40, CLOCKS_MAX = 40000, RUNS = 60 };

static struct why why;
static struct hardware hardware;

static const char directives[] =
    "occupancy at inbox: max, histogram(64)   every 700 clocks of run as inside\n"
    "utilisation at stage_3                   every 700 clocks of run as busy\n"
    "rate at job                              every 700 clocks of run as begun\n"
    "latency at inbox to stage_3: max         every 700 clocks of run as whole\n"
    "latency at bus_in to stage_3: min, max   every 1e9 clocks of run as span\n"
    "latency at inbox to job                  as of_passes\n";
enum { INSIDE, BUSY, BEGUN, WHOLE, SPAN, OF_PASSES, MEASUREMENTS };

/* --- passes ---------------------------------------------------------------------------------------------- */

/* An HSP's clocks, and the stamp that it carries, in clocks of its pass. */
struct timed_hsp {
    int64_t clocks[HOST_EVENTS], stamp;
};

struct pass {
    struct timed_hsp hsps[HSPS_MAX];
    int64_t stamps[HSPS_MAX];
    size_t count;
};

static struct pass passes[PASSES_MAX];
static int64_t origins[PASSES_MAX];
static struct run_times times = {.origins = origins, .firsts = origins};
static size_t pass_count;

static void make_pass(struct pass *p, struct dice *dice)
{
    int64_t clock = 0;
    p->count = dice_below(dice, HSPS_MAX + 1);
    for (size_t i = 0; i < p->count; i++) {
        int64_t *clocks = p->hsps[i].clocks;
        clock += (int64_t)dice_below(dice, 90);
        clocks[HOST_ARRIVED] = clock;
        clocks[HOST_TAKEN] = clock + (int64_t)(dice_chance(dice, 50) ? 0 : dice_below(dice, 900));
        clocks[HOST_DONE] = clocks[HOST_TAKEN] + (int64_t)dice_below(dice, 300);
        p->stamps[i] = p->hsps[i].stamp = clock - (int64_t)dice_below(dice, (uint64_t)clock + 1);
    }
}

static void make_passes(struct dice *dice)
{
    int64_t origin = (int64_t)dice_below(dice, 3000), last = 0;
    pass_count = dice_between(dice, 1, PASSES_MAX);
    for (size_t i = 0; i < pass_count; i++) {
        make_pass(&passes[i], dice);
        origins[i] = origin;
        for (size_t h = 0; h < passes[i].count; h++)
            last = passes[i].hsps[h].clocks[HOST_DONE] + origin > last
                       ? passes[i].hsps[h].clocks[HOST_DONE] + origin
                       : last;
        origin += (int64_t)dice_below(dice, 4000); /* before the pass has ended, or after it */
    }
    times.end = (last > origin ? last : origin) + 1;
    ck_assert_int_lt(times.end, CLOCKS_MAX);
}

static void tell(struct host_events *events, size_t number)
{
    const struct pass *p = &passes[number];
    int64_t clocks[HOST_EVENTS][HSPS_MAX];
    struct host_part part = {.stamps = p->stamps, .stamp_count = 1};
    for (unsigned event = 0; event < HOST_EVENTS; event++) {
        for (size_t i = 0; i < p->count; i++)
            clocks[event][i] = p->hsps[i].clocks[event];
        part.hsps[event] = clocks[event];
        part.lists[event] = (struct host_list){clocks[event], NULL, p->count};
    }
    host_events_add(events, number, &part);
}

/* Tell of all passes in a random order. */
static void tell_all(struct host_events *events, struct dice *dice)
{
    size_t order[PASSES_MAX];
    for (size_t i = 0; i < pass_count; i++) {
        size_t at = dice_below(dice, i + 1);
        if (at < i)
            order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < pass_count; i++)
        tell(events, order[i]);
}

/* --- counting -------------------------------------------------------------------------------------------- */

/* Number of HSPs between two events at a clock of the run. */
static uint64_t number_between(enum host_event from, enum host_event to, int64_t clock)
{
    uint64_t number = 0;
    for (size_t i = 0; i < pass_count; i++)
        for (size_t h = 0; h < passes[i].count; h++) {
            const int64_t *clocks = passes[i].hsps[h].clocks;
            number += clock >= clocks[from] + origins[i] && clock < clocks[to] + origins[i];
        }
    return number;
}

/* Latencies of HSPs that are done in [begin, end), from their arrival or from their stamps. */
static struct moments latencies(bool of_stamps, int64_t begin, int64_t end)
{
    struct moments sum = {0};
    for (size_t i = 0; i < pass_count; i++)
        for (size_t h = 0; h < passes[i].count; h++) {
            const struct timed_hsp *hsp = &passes[i].hsps[h];
            int64_t done = hsp->clocks[HOST_DONE] + origins[i];
            int64_t from = (of_stamps ? hsp->stamp : hsp->clocks[HOST_ARRIVED]) + origins[i];
            if (done >= begin && done < end)
                moments_add(&sum, (uint64_t)(done - from), 1);
        }
    return sum;
}

static uint64_t begun_in(int64_t begin, int64_t end)
{
    uint64_t begun = 0;
    for (size_t i = 0; i < pass_count; i++)
        for (size_t h = 0; h < passes[i].count; h++) {
            int64_t clock = passes[i].hsps[h].clocks[HOST_TAKEN] + origins[i];
            begun += clock >= begin && clock < end;
        }
    return begun;
}

static void check_moments(const struct moments *found, const struct moments *wanted)
{
    ck_assert_uint_eq(found->weight, wanted->weight);
    ck_assert(found->sum == wanted->sum);
    ck_assert(found->weight == 0 || (found->least == wanted->least && found->most == wanted->most));
}

static void check_frame(const struct frame_head *head, const struct measured *m)
{
    const int64_t begin = head->begin, end = begin + (int64_t)head->clocks;
    struct moments inside = {0};
    uint64_t busy = 0;
    for (int64_t clock = begin; clock < end; clock++) {
        moments_add(&inside, number_between(HOST_ARRIVED, HOST_TAKEN, clock), 1);
        busy += number_between(HOST_TAKEN, HOST_DONE, clock);
    }
    struct moments spans = latencies(head->measurement == SPAN, begin, end);
    if (head->measurement == INSIDE)
        check_moments(&m->aggregate.moments, &inside);
    else if (head->measurement == BUSY)
        ck_assert_uint_eq(m->fraction.part, busy);
    else if (head->measurement == BEGUN)
        ck_assert_uint_eq(m->fraction.part, begun_in(begin, end));
    else
        check_moments(&m->aggregate.moments, &spans);
}

/* Frames follow each other from 0 to the run's end, and hold what counting says. */
static void check_records(const struct measure_plan *plan, int records)
{
    FILE *file = fdopen(dup(records), "r");
    int64_t ends[MEASUREMENTS] = {0};
    struct frame_head head;
    rewind(file);
    while (frame_record_read_head(file, &head)) {
        struct measured measured;
        ck_assert_uint_ne(head.measurement, OF_PASSES);
        measured_init(&measured, &plan->measurements[head.measurement]);
        ck_assert(frame_record_read(file, &measured));
        if (!head.is_pass) {
            ck_assert_int_eq(head.begin, ends[head.measurement]);
            ends[head.measurement] += (int64_t)head.clocks;
            check_frame(&head, &measured);
        }
        measured_destroy(&measured);
    }
    for (unsigned i = 0; i < OF_PASSES; i++)
        ck_assert_int_eq(ends[i], times.end);
    fclose(file);
}

START_TEST(test_the_host_of_all_passes_is_what_counting_says)
{
    struct directives list;
    struct measure_plan *plan;
    hardware = hardware_default();
    ck_assert_msg(directives_parse(directives, strlen(directives), "m.tt", &machine_catalogue, &list, &why) ==
                      0,
                  "%s", why.line);
    ck_assert_msg(measure_plan_make(&list, &hardware, "m.tt", &plan, &why) == 0, "%s", why.line);
    for (int n = 0; n < tests_some(RUNS); n++) {
        struct dice dice = {UINT64_C(880000) + (uint64_t)n};
        times.end = 0;
        make_passes(&dice);
        struct host_events *events = host_events_new(plan, &times, pass_count);
        ck_assert_ptr_nonnull(events);
        tell_all(events, &dice);
        ck_assert_msg(host_events_end(events, &why) == 0, "%s", why.line);
        check_records(plan, fileno(host_events_records(events).file));
        host_events_destroy(events);
    }
    measure_plan_destroy(plan);
    directives_destroy(&list);
}
END_TEST

/* What is kept of a run that fails is freed. */
START_TEST(test_a_run_can_end_early)
{
    struct dice dice = {UINT64_C(5)};
    struct directives list;
    struct measure_plan *plan;
    hardware = hardware_default();
    ck_assert_int_eq(
        directives_parse(directives, strlen(directives), "m.tt", &machine_catalogue, &list, &why), 0);
    ck_assert_int_eq(measure_plan_make(&list, &hardware, "m.tt", &plan, &why), 0);
    do
        make_passes(&dice);
    while (pass_count < 3);
    struct host_events *events = host_events_new(plan, &times, pass_count);
    tell(events, 1);
    tell(events, 2);
    host_events_destroy(events);
    measure_plan_destroy(plan);
    directives_destroy(&list);
}
END_TEST

static Suite *host_events_suite(void)
{
    Suite *suite = suite_create("host_events");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_the_host_of_all_passes_is_what_counting_says);
    tcase_add_test(core, test_a_run_can_end_early);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(host_events_suite());
}
