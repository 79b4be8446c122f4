#include "sim/run/run_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "base/memory.h"
#include "base/shown.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/run/stream_stages.h"

/* Number of passes that are timed again: this part of all, or those that have together this number of w-mers, if that
 * is more; but their tokens shall not fill a disk, and two tell how much they differ. If some say little of the run,
 * all are timed that have together no more than ROUGH_WMERS. */
enum { SAMPLE_PART = 16, SAMPLE_LEAST = 2, SAMPLE_MOST = 32 };
static const double SAMPLE_WMERS = 14e6, SAMPLE_WMERS_MOST = 2e9, ROUGH_WMERS = 50e6;

/* Seconds that a pass takes this program, by its w-mers and its matches: to be timed again, and at first. They were
 * measured on lambda x E. coli and on H. pylori. */
static const double AGAIN_S[2] = {0.9e-9, 25e-9}, FIRST_S[2] = {5e-9, 75e-9};

/* How many times as fast the run is without a part. */
static double gain_without(const struct run_limits *limits, enum machine_part part)
{
    return limits->run_s / limits->parts[part].run_s;
}

bool run_limits_are_shared(const struct run_limits *limits)
{
    return gain_without(limits, limits->first) < RUN_LIMITS_LEAST_GAIN;
}

/* Whether boards depend on each other, or on the tables of the next pass, so that some passes say little of the run. */
static bool is_rough(const struct hardware *h)
{
    return hardware_couples_boards(h) || h->overlap == OVERLAP_TABLES;
}

static size_t divisor(size_t a, size_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

size_t run_limits_every(const struct hardware *hardware, size_t pass_count, size_t words)
{
    const double wmers = fmax(1, (double)words * BASES_PER_WORD), count = (double)pass_count;
    const double most = fmin(SAMPLE_MOST, SAMPLE_WMERS_MOST / wmers);
    const double wanted = fmax(SAMPLE_LEAST, fmin(most, fmax(count / SAMPLE_PART, SAMPLE_WMERS / wmers)));
    size_t every = is_rough(hardware) && count * wmers <= ROUGH_WMERS ? 1 : (size_t)ceil(count / wanted);
    while (every > 1 && divisor(every, hardware->hosts) > 1) /* passes of each host */
        every++;
    return every > 1 ? every : 0;
}

/* --- finding --------------------------------------------------------------------------------------------- */

struct search {
    struct passes recorded; /* those that are timed again: machine, record and tasks in brief */
    size_t every; /* number of passes of the run of which one is recorded (pass_set.h); 0: the first are */
    size_t pass_count; /* of the run */
    const struct passes_result *run;
    struct run_limits *limits;
    struct brief_pass *was, *now; /* of all passes of the run */
    double *least; /* of each pass: what its stream needs without the part looked at, of what it took */
    double brief_s, boards_s; /* the run as it was, in brief; and with cores that take no time */
    double error_s;           /* by which its tasks end later than in brief */
    double join_s;
    double left_s;             /* that may be taken to find the limits */
    struct passes_result base; /* the timed passes with all parts, if boards depend on each other */
    struct why *why;
};

/* --- in brief -------------------------------------------------------------------------------------------- */

/* The seconds of joining with a part free. */
static double join_s(const struct search *s, enum machine_part part)
{
    struct hardware free_of = *s->recorded.hardware;
    if (part < MACHINE_PARTS)
        machine_part_free(&free_of, part);
    return machine_frame_join_s(&s->run->join, &free_of);
}

/* The tasks in brief with `s->now`. */
static int time_tasks(const struct search *s, enum machine_part part, double *tasks_s)
{
    return host_brief_time(s->recorded.how.brief, part, s->now, s->run->host_begins_s, tasks_s) == 0
               ? 0
               : pass_explain_long_run(s->why);
}

/* The run with `s->now`. Tasks are off by as much less as the run waits for them less; sending results takes as long as
 * it did. */
static int time_in_brief(const struct search *s, enum machine_part part, double *run_s)
{
    double tasks_s = 0, boards_s = 0;
    int status = time_tasks(s, part, &tasks_s);
    if (status == 0)
        status = time_tasks(s, PART_CORES, &boards_s);
    const double waited_s = s->brief_s - s->boards_s,
                 left = waited_s > 0 ? fmin(1, fmax(0, tasks_s - boards_s) / waited_s) : 1;
    *run_s =
        s->limits->run_s + (tasks_s - s->brief_s) - (1 - left) * s->error_s + (join_s(s, part) - s->join_s);
    return status;
}

/* @param least_ratio  by how much streams are longer than what they need without the part; INFINITY: they are as they
 *                      were */
static void set_times(struct search *s, double load_ratio, double least_ratio)
{
    for (size_t i = 0; i < s->pass_count; i++) {
        const double ratio = fmin(1, least_ratio * s->least[i]);
        s->now[i] = (struct brief_pass){s->was[i].load_s * load_ratio, s->was[i].stream_s * ratio};
    }
}

static void set_limit(struct search *s, enum machine_part part, double run_s, enum part_certainty certainty)
{
    s->limits->parts[part] = (struct part_limit){run_s, certainty};
}

/* Hosts begin at once, and nothing is sent: the run ends with the host that works longest. */
static double without_network_s(const struct search *s)
{
    double end_s = 0;
    for (size_t i = 0; i < s->pass_count; i++)
        end_s = fmax(end_s, s->run->pass_times[i].end_s -
                                s->run->host_begins_s[hardware_host_of(s->recorded.hardware, i)]);
    return end_s + s->join_s;
}

/* What a stage needs at least for what it did. A burst of records may have left before it was full: a quicker stream
 * fills it. */
static double stage_needs_s(const struct frame *pass, const struct hardware *h,
                            const struct stage_evidence *stages, unsigned stage)
{
    const double bursts = frame_count(pass, PCIX_RECORD_BURSTS),
                 full = (double)hardware_bursts(h, pass->counters[PCIX_RECORD_BYTES]),
                 needs_s = stages[stage].active * frame_measured_s(pass);
    return stage == PART_BUS ? needs_s - fmax(0, bursts - full) * (double)hardware_link_bytes(h, 0, 1) /
                                             hardware_link_bytes_per_s(h)
                             : needs_s;
}

/* What tables take of the bus if nothing else crosses it. */
static double tables_need_s(const struct search *s, size_t pass)
{
    return frame_count(&s->run->passes[pass], PCIX_TABLE_BYTES) /
           hardware_bus_bytes_per_s(s->recorded.hardware);
}

/* A stream takes at least as long as what is most at work beside the free part. Where the next tables are loaded beside
 * it, the bus is at work for them, too, unless they are free. */
static void find_least(struct search *s, enum machine_part part)
{
    const struct hardware *h = s->recorded.hardware;
    const bool loads_beside = h->overlap == OVERLAP_TABLES;
    for (size_t i = 0; i < s->pass_count; i++) {
        const struct frame *pass = &s->run->passes[i];
        struct stage_evidence stages[STREAM_STAGES];
        double most_s =
            loads_beside && part != PART_TABLES && part != PART_BUS
                ? tables_need_s(s, i) + frame_count(pass, PCIX_DATABASE_BYTES) / hardware_bus_bytes_per_s(h)
                : 0;
        stream_stages_find(pass, h, stages);
        for (unsigned stage = 0; stage < STREAM_STAGES; stage++)
            if (stage != (unsigned)part && !(stage == PART_BUS && part == PART_TABLES && loads_beside))
                most_s = fmax(most_s, stage_needs_s(pass, h, stages, stage));
        s->least[i] = s->was[i].stream_s > 0 ? fmin(1, most_s / s->was[i].stream_s) : 1;
    }
}

/* The cores without a part, if they share all their work evenly. */
static double cores_s(const struct search *s, enum machine_part part)
{
    const struct frame *run = &s->run->run;
    const struct hardware *h = s->recorded.hardware;
    const double build_s = part == PART_TABLES || part == PART_BUILD ? frame_seconds(run, S3_BUILD) : 0;
    return part == PART_CORES ? 0 : (frame_seconds(run, S3_CORE_BUSY) - build_s) / (h->host_cores * h->hosts);
}

/* Boards whose work is as `s->now` has it. Where a board is dealt its next pass while it works, none may be dealt as in
 * brief: they share their work evenly at best. */
static int share_boards(const struct search *s, double *at_least_s)
{
    const struct hardware *h = s->recorded.hardware;
    if (h->overlap != OVERLAP_TABLES)
        return time_tasks(s, PART_CORES, at_least_s);
    double all_s = 0, longest_s = 0;
    for (size_t i = 0; i < s->pass_count; i++) {
        all_s += s->now[i].load_s + s->now[i].stream_s;
        longest_s = fmax(longest_s, s->now[i].stream_s);
    }
    *at_least_s = fmax(longest_s, all_s / (h->boards * h->hosts));
    return 0;
}

/* How much of what the tasks in brief say a run takes surely, if they know all that passes wait for: a time was found
 * to be 9.9% below. */
static const double BRIEF_SURELY = 0.9;

/* The run is not shorter than its boards work and joining takes, nor than its cores work, nor much shorter than its
 * tasks in brief say. Tables that are loaded while the board is at work may take no time beside it. */
static int find_bound(struct search *s, enum machine_part part)
{
    const struct hardware *h = s->recorded.hardware;
    double at_least_s, brief_s = 0;
    find_least(s, part);
    set_times(s, part == PART_BUS || part == PART_TABLES || h->overlap == OVERLAP_TABLES ? 0 : 1, 1);
    for (size_t i = 0; i < s->pass_count; i++)
        s->now[i].load_s = fmin(s->now[i].load_s, tables_need_s(s, i));
    int status = share_boards(s, &at_least_s);
    if (status == 0 && !is_rough(h))
        status = time_in_brief(s, part, &brief_s);
    if (status == 0)
        set_limit(s, part, fmax(fmax(at_least_s + join_s(s, part), cores_s(s, part)), BRIEF_SURELY * brief_s),
                  PART_BOUND);
    return status;
}

/* --- timing passes again --------------------------------------------------------------------------------- */

/* Time recorded passes again. @param part  that is free, or MACHINE_PARTS: none is */
static int time_without(const struct passes *recorded, enum machine_part part, struct passes_result *result,
                        struct why *why)
{
    struct hardware hardware = *recorded->hardware;
    struct passes again = passes_again(recorded, recorded->recorded);
    again.hardware = &hardware;
    again.how.only_times = true;
    if (part < MACHINE_PARTS)
        machine_part_free(&hardware, part);
    return passes_run(&again, result, why);
}

/* A pass of a run: of all its passes, or of those that were timed again. */
static struct brief_pass pass_of(const struct passes_result *run, size_t pass)
{
    const struct pass_times *t = &run->pass_times[pass];
    return (struct brief_pass){t->stream_begin_s - t->begin_s, t->board_free_s - t->stream_begin_s};
}

/* A pass that was timed again: its number in the run, and what it took with all parts. */
static size_t number_of(const struct search *s, size_t nth)
{
    return pass_set_nth_taken(nth, s->every);
}

static struct brief_pass pass_before(const struct search *s, size_t nth)
{
    return s->base.pass_times ? pass_of(&s->base, nth) : s->was[number_of(s, nth)];
}

/* Number of passes that were timed again as in the run. No tables are loaded beside the last one. */
static size_t timed_alike(const struct search *s)
{
    const size_t timed = s->limits->timed;
    return s->recorded.hardware->overlap == OVERLAP_TABLES && timed > 1 ? timed - 1 : timed;
}

/* By how much streams are longer than what they need without the part, so that those that were timed again take as long
 * together as they did; none is longer than it was. */
static double stream_ratio(const struct search *s, const struct passes_result *timed)
{
    double ratio = 1;
    for (unsigned round = 0; round < 50; round++) {
        double now_s = 0, with_ratio_s = 0;
        for (size_t i = 0; i < timed_alike(s); i++) {
            now_s += pass_of(timed, i).stream_s;
            with_ratio_s += pass_before(s, i).stream_s * fmin(1, ratio * s->least[number_of(s, i)]);
        }
        ratio = with_ratio_s > 0 ? ratio * now_s / with_ratio_s : INFINITY;
    }
    return ratio;
}

static double load_ratio(const struct search *s, const struct passes_result *timed)
{
    double was_s = 0, now_s = 0;
    for (size_t i = 0; i < timed_alike(s); i++) {
        was_s += pass_before(s, i).load_s;
        now_s += pass_of(timed, i).load_s;
    }
    return was_s > 0 ? now_s / was_s : 1;
}

/* Passes of boards that depend on each other are in other company when all are timed: they are not set. */
static int estimate(struct search *s, enum machine_part part, const struct passes_result *timed)
{
    find_least(s, part);
    double run_s = 0;
    set_times(s, load_ratio(s, timed), stream_ratio(s, timed));
    for (size_t nth = 0; nth < timed_alike(s) && !s->base.pass_times; nth++)
        s->now[number_of(s, nth)] = pass_of(timed, nth);
    const int status = time_in_brief(s, part, &run_s);
    set_limit(s, part, fmax(run_s, s->limits->parts[part].run_s), PART_SAMPLED);
    return status;
}

static int time_part(struct search *s, enum machine_part part)
{
    auto_by(passes_result_destroy) struct passes_result timed = {0};
    int status = time_without(&s->recorded, part, &timed, s->why);
    if (status)
        return status;
    if (s->limits->timed == s->limits->passes)
        set_limit(s, part, timed.run.duration_s, PART_EXACT);
    return s->limits->timed == s->limits->passes ? 0 : estimate(s, part, &timed);
}

/* --- the order ------------------------------------------------------------------------------------------- */

/* Seconds that passes take this program. */
static double cost_s(const struct search *s, const double of[2])
{
    const struct frame *run = &s->run->run;
    return of[0] * frame_count(run, S1A_WMERS) + of[1] * frame_count(run, S2_MATCHES);
}

/* Whether the tasks in brief give the run as it is so well that they are as good as a timing. */
static bool is_near(const struct run_limits *l, const struct part_limit *p)
{
    return p->certainty == PART_IN_BRIEF && l->brief_error_s <= RUN_LIMITS_NEAR * p->run_s;
}

/* The part without which the run would be shortest, of those of which that is as sure; of equals the one of which it is
 * surest. -1: there is none. */
static int shortest(const struct run_limits *l, enum part_certainty least, enum part_certainty most)
{
    int first = -1;
    for (int part = 0; part < MACHINE_PARTS; part++) {
        const struct part_limit *p = &l->parts[part], *best = &l->parts[first < 0 ? part : first];
        if (p->certainty >= least && p->certainty <= most &&
            (first < 0 || p->run_s < best->run_s ||
             (p->run_s == best->run_s && p->certainty > best->certainty)))
            first = part;
    }
    return first;
}

/* The part that was not timed and may save most, if that may be RUN_LIMITS_LEAST_GAIN more than is known; or -1. */
static int perhaps(const struct run_limits *l)
{
    const int known = shortest(l, PART_IN_BRIEF, PART_EXACT), bound = shortest(l, PART_BOUND, PART_BOUND);
    return bound >= 0 &&
                   l->parts[bound].run_s * RUN_LIMITS_LEAST_GAIN <= fmin(l->parts[known].run_s, l->run_s)
               ? bound
               : -1;
}

/* Time the part that seems to save most until that is one that was timed, as long as there is time. Of the tasks of the
 * host only all passes say more than is known. */
static int time_parts(struct search *s)
{
    struct run_limits *l = s->limits;
    const double again_s = cost_s(s, AGAIN_S) * ((double)l->timed / (double)l->passes);
    const enum part_certainty unsure = l->timed == l->passes ? PART_IN_BRIEF : PART_BOUND;
    int status = 0;
    while (status == 0 && l->timed > 0) {
        const int next = shortest(l, PART_BOUND, PART_EXACT);
        const struct part_limit *p = &l->parts[next];
        if (p->certainty > unsure || is_near(l, p) || l->run_s < RUN_LIMITS_LEAST_GAIN * p->run_s ||
            again_s > s->left_s)
            break;
        s->left_s -= again_s;
        status = time_part(s, (enum machine_part)next);
    }
    l->first = (enum machine_part)shortest(l, PART_IN_BRIEF, PART_EXACT);
    const int bound = perhaps(l);
    const double known = gain_without(l, l->first);
    if (bound >= 0 &&
        (known < RUN_LIMITS_LEAST_GAIN ||
         BRIEF_SURELY * gain_without(l, (enum machine_part)bound) >= RUN_LIMITS_LEAST_GAIN * known))
        l->first = (enum machine_part)bound;
    return status;
}

static int find_all(struct search *s)
{
    const struct hardware *h = s->recorded.hardware;
    const bool coupled = hardware_couples_boards(h), waits = coupled && h->overlap == OVERLAP_TABLES;
    set_times(s, 1, INFINITY);
    int status = time_tasks(s, MACHINE_PARTS, &s->brief_s);
    if (status == 0)
        status = time_tasks(s, PART_CORES, &s->boards_s);
    double last_s = 0;
    for (size_t i = 0; i < s->pass_count; i++)
        last_s = fmax(last_s, s->run->pass_times[i].end_s);
    s->error_s = fmax(0, last_s - s->brief_s);
    s->limits->brief_error_s = coupled ? INFINITY : fabs(last_s - s->brief_s);
    for (enum machine_part part = 0; part < MACHINE_PARTS && status == 0; part++) {
        double run_s;
        if (machine_part_is_of_stream(part) || (part == PART_TABLES && is_rough(h)) ||
            (waits && (part == PART_CORES || part == PART_ALIGNMENT || part == PART_BUILD))) {
            status = find_bound(s, part);
            continue;
        }
        set_times(s, part == PART_TABLES ? 0 : 1, INFINITY);
        status = time_in_brief(s, part, &run_s);
        set_limit(s, part, run_s, part == PART_JOIN ? PART_EXACT : PART_IN_BRIEF);
    }
    set_limit(s, PART_NETWORK, without_network_s(s), PART_EXACT);
    if (status == 0 && s->limits->timed > 0 && s->limits->timed < s->limits->passes && coupled)
        status = time_without(&s->recorded, MACHINE_PARTS, &s->base, s->why);
    return status ? status : time_parts(s);
}

/* If boards depend on each other, the first passes are timed, and enough to keep every board at work. */
int run_limits_find(const struct passes *passes, size_t every, bool is_whole, const struct passes_result *run,
                    struct run_limits *limits, struct why *why)
{
    const struct hardware *h = passes->hardware;
    const size_t count = passes->pass_count, boards = 2 * (size_t)h->boards * h->hosts,
                 taken = pass_set_taken(count, every);
    struct search s = {.recorded = *passes,
                       .every = every,
                       .pass_count = count,
                       .run = run,
                       .limits = limits,
                       .was = memory_new(count, sizeof *s.was),
                       .now = memory_new(count, sizeof *s.now),
                       .least = memory_new(count, sizeof *s.least),
                       .why = why};
    s.recorded.how.quiet = true;
    s.recorded.pass_count = taken;
    s.recorded.recorded_every = is_whole ? every : 0;
    if (hardware_couples_boards(h)) {
        s.every = s.recorded.recorded_every = 0;
        s.recorded.pass_count = count < boards || count < taken ? count : taken > boards ? taken : boards;
    }
    *limits =
        (struct run_limits){.run_s = run->run.duration_s, .timed = s.recorded.pass_count, .passes = count};
    s.join_s = join_s(&s, MACHINE_PARTS);
    s.left_s = fmax(RUN_LIMITS_S, RUN_LIMITS_SHARE * cost_s(&s, FIRST_S));
    for (size_t i = 0; i < count; i++)
        s.was[i] = host_brief_pass(passes->how.brief, i);
    int status = find_all(&s);
    passes_result_destroy(&s.base);
    free(s.was);
    free(s.now);
    free(s.least);
    return status;
}

/* --- output ---------------------------------------------------------------------------------------------- */

void run_limits_say(const struct run_limits *l, char *words, size_t size)
{
    const struct part_limit *first = &l->parts[l->first];
    const int known = shortest(l, PART_IN_BRIEF, PART_EXACT), bound = perhaps(l);
    const char *title = machine_parts[l->first].title, *name = machine_parts[l->first].name;
    const struct shown gain = shown_digits(gain_without(l, l->first), 3);
    const bool sampled = first->certainty == PART_SAMPLED,
               about = sampled || (first->certainty == PART_IN_BRIEF && !is_near(l, first));
    if (run_limits_are_shared(l))
        snprintf(words, size, "no part alone: none makes the run 2%% shorter if it takes no time");
    else if (first->certainty == PART_BOUND)
        snprintf(
            words, size,
            "perhaps %s: without it the run would be at most %s times as fast (not timed; retime --free %s "
            "does that), without %s %s times",
            title, gain.text, name, machine_parts[known].title,
            shown_digits(gain_without(l, (enum machine_part)known), 3).text);
    else {
        const int used = snprintf(
            words, size, "%s; without it the run would be %s%s times as fast%s", title, about ? "about " : "",
            gain.text, sampled ? shown_text(" (from %zu of %zu passes)", l->timed, l->passes).text : "");
        if (bound >= 0)
            snprintf(words + used, size - (size_t)used, "; perhaps %s: at most %s times (not timed)",
                     machine_parts[bound].title,
                     shown_digits(gain_without(l, (enum machine_part)bound), 3).text);
    }
}

static int compare_parts(const void *a, const void *b, void *limits)
{
    const struct run_limits *l = limits;
    const enum machine_part left = *(const enum machine_part *)a, right = *(const enum machine_part *)b;
    if (l->parts[left].run_s != l->parts[right].run_s)
        return l->parts[left].run_s < l->parts[right].run_s ? -1 : 1;
    return (int)left - (int)right;
}

/* Write the run's time with a part free, how much shorter it is, and words after both. */
static void write_part(const struct run_limits *l, enum machine_part part, int width, const char *words,
                       FILE *out)
{
    const struct part_limit *p = &l->parts[part];
    const bool about = p->certainty == PART_SAMPLED || p->certainty == PART_IN_BRIEF;
    fprintf(out, "  %-*s %12s %8s  %s\n", width, machine_parts[part].name,
            shown_digits(1e3 * p->run_s, about ? 3 : 6).text,
            shown_digits(gain_without(l, part), about ? 3 : 4).text, words);
}

int run_limits_write_free(const struct passes *recorded, const char *name, FILE *out, struct why *why)
{
    struct run_limits l;
    enum machine_part parts[MACHINE_PARTS];
    size_t count = 0;
    for (int part = MACHINE_PARTS; part >= 0; part--) { /* first the run with all parts */
        auto_by(passes_result_destroy) struct passes_result result = {0};
        if (part < MACHINE_PARTS && strcmp(name, "all") != 0 && strcmp(name, machine_parts[part].name) != 0)
            continue;
        int status = time_without(recorded, (enum machine_part)part, &result, why);
        if (status)
            return status;
        if (part < MACHINE_PARTS)
            l.parts[parts[count++] = (enum machine_part)part] =
                (struct part_limit){result.run.duration_s, PART_EXACT};
        else
            l.run_s = result.run.duration_s;
    }
    qsort_r(parts, count, sizeof *parts, compare_parts, &l);
    fprintf(out, "  %-10s %12s %8s  then\n", "free", "simulated ms", "faster");
    fprintf(out, "  %-10s %12.6g %8d  the machine is as given\n", "nothing", 1e3 * l.run_s, 1);
    for (size_t i = 0; i < count; i++)
        write_part(&l, parts[i], 10, machine_parts[parts[i]].meaning, out);
    return 0;
}

void run_limits_write_text(const struct run_limits *limits, FILE *out)
{
    struct run_limits l = *limits;
    enum machine_part parts[MACHINE_PARTS];
    char words[256];
    run_limits_say(&l, words, sizeof words);
    for (enum machine_part part = 0; part < MACHINE_PARTS; part++)
        parts[part] = part;
    qsort_r(parts, MACHINE_PARTS, sizeof *parts, compare_parts, &l);
    fputc('\n', out);
    shown_print(out, "limit of the run: %s", words);
    fprintf(out, "  %-12s %12s %8s\n", "without", "the run: ms", "faster");
    for (unsigned i = 0; i < MACHINE_PARTS; i++) {
        const struct part_limit *p = &l.parts[parts[i]];
        char how[64] = "";
        if (p->certainty == PART_SAMPLED)
            snprintf(how, sizeof how, "about, from %zu of %zu passes", l.timed, l.passes);
        else if (p->certainty == PART_BOUND)
            snprintf(how, sizeof how, "not timed: this time or longer");
        else if (p->certainty == PART_IN_BRIEF)
            snprintf(how, sizeof how, "about, from the tasks of the host alone");
        write_part(&l, parts[i], 12, how, out);
    }
}

static const char *const certainties[] = {
    [PART_BOUND] = "bound", [PART_IN_BRIEF] = "tasks", [PART_SAMPLED] = "sampled", [PART_EXACT] = "exact"};

json_t *run_limits_json(const struct run_limits *l)
{
    json_t *parts = json_array();
    for (enum machine_part part = 0; part < MACHINE_PARTS; part++) {
        const struct part_limit *p = &l->parts[part];
        json_array_append_new(parts,
                              json_pack("{s:s, s:o, s:o, s:s}", "part", machine_parts[part].name, "run_s",
                                        json_number(p->run_s), "gain", json_number(gain_without(l, part)),
                                        "from", certainties[p->certainty]));
    }
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:I, s:I, s:o}", "part", machine_parts[l->first].name, "from",
                     certainties[l->parts[l->first].certainty], "shared", run_limits_are_shared(l), "gain",
                     json_number(gain_without(l, l->first)), "run_s", json_number(l->run_s), "passes_timed",
                     (json_int_t)l->timed, "passes", (json_int_t)l->passes, "parts", parts);
}

bool run_limits_read(const json_t *object, struct run_limits *l)
{
    const json_t *parts = json_object_get(object, "parts");
    const char *first = json_string_value(json_object_get(object, "part"));
    struct why unknown;
    const int part = first ? machine_part_find(first, &unknown) : -1;
    bool whole = part >= 0 && json_array_size(parts) == MACHINE_PARTS;
    *l = (struct run_limits){.run_s = json_number_at(object, "run_s"),
                             .timed = (size_t)json_integer_value(json_object_get(object, "passes_timed")),
                             .passes = (size_t)json_integer_value(json_object_get(object, "passes"))};
    for (size_t i = 0; whole && i < MACHINE_PARTS; i++) {
        const json_t *of_part = json_array_get(parts, i);
        const char *from = json_string_value(json_object_get(of_part, "from"));
        struct part_limit *p = &l->parts[i];
        *p = (struct part_limit){json_number_at(of_part, "run_s"), PART_BOUND};
        for (unsigned k = 0; from && k < sizeof certainties / sizeof *certainties; k++)
            p->certainty = strcmp(from, certainties[k]) == 0 ? k : p->certainty;
        whole = from && p->run_s >= 0;
    }
    l->first = whole ? (enum machine_part)part : 0;
    return whole && l->run_s >= 0 && shortest(l, PART_IN_BRIEF, PART_EXACT) >= 0;
}
