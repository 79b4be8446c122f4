#include "sim/run/run_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/json_number.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/run/stream_stages.h"

/* Number of passes that are timed again: this part of all, or those that have together this number of w-mers, if that
 * is more; but their tokens shall not fill a disk, and two tell how much they differ. */
enum { SAMPLE_PART = 16, SAMPLE_LEAST = 2, SAMPLE_MOST = 32 };
static const double SAMPLE_WMERS = 14e6, SAMPLE_WMERS_MOST = 2e9;

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

static size_t divisor(size_t a, size_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

size_t run_limits_every(const struct hardware *hardware, size_t pass_count, size_t words)
{
    const double wmers = fmax(1, (double)words * BASES_PER_WORD), count = (double)pass_count;
    const double most = fmin(SAMPLE_MOST, SAMPLE_WMERS_MOST / wmers);
    const double wanted = fmax(SAMPLE_LEAST, fmin(most, fmax(count / SAMPLE_PART, SAMPLE_WMERS / wmers)));
    size_t every = (size_t)ceil(count / wanted);
    while (every > 1 && divisor(every, hardware->hosts) > 1) /* passes of each host */
        every++;
    return every > 1 ? every : 0;
}

/* --- finding --------------------------------------------------------------------------------------------- */

struct search {
    struct passes recorded; /* those that are timed again */
    size_t every; /* number of passes of the run of which one is recorded (pass_set.h); 0: the first are */
    size_t pass_count; /* of the run */
    const struct host_brief *brief;
    const struct passes_result *run;
    const struct hardware *hardware;
    struct run_limits *limits;
    struct brief_pass *was, *now; /* of all passes of the run */
    double
        *least; /* of each pass: what its stream needs without the part that is looked at, of what it took */
    double brief_s; /* the run as it was, in brief */
    double join_s;
    double left_s;             /* that may be taken to find the limits */
    struct passes_result base; /* the timed passes with all parts, if boards depend on each other */
    struct why *why;
};

static int explain_brief(int status, struct why *why)
{
    return status == HOST_RUN_ELONG ? pass_explain_long_run(why) : why_no_memory(why, PASS_EMEMORY);
}

/* The seconds of joining with a part free. */
static double join_s(const struct search *s, enum machine_part part)
{
    struct hardware free_of = *s->hardware;
    if (part < MACHINE_PARTS)
        machine_part_free(&free_of, part);
    return machine_frame_join_s(&s->run->join, &free_of);
}

/* The run with `s->now`. What the tasks in brief leave out, sending results too, is as long as it was. */
static int time_in_brief(const struct search *s, enum machine_part part, double *run_s)
{
    static const double at_once_s[HARDWARE_HOSTS_MAX];
    const double *begins_s = part == PART_NETWORK ? at_once_s : s->run->host_begins_s;
    double now_s;
    int status = host_brief_time(s->brief, part, s->now, begins_s, &now_s);
    if (status)
        return explain_brief(status, s->why);
    *run_s = s->limits->run_s + (now_s - s->brief_s) + (join_s(s, part) - s->join_s);
    return 0;
}

/* @param least_ratio  by how much streams are longer than what they need without the part; 0: they are as they were */
static void set_times(struct search *s, double load_ratio, double least_ratio)
{
    for (size_t i = 0; i < s->pass_count; i++) {
        const double ratio = least_ratio > 0 ? fmin(1, least_ratio * s->least[i]) : 1;
        s->now[i] = (struct brief_pass){s->was[i].load_s * load_ratio, s->was[i].stream_s * ratio};
    }
}

static int find_in_brief(struct search *s, enum machine_part part)
{
    struct part_limit *limit = &s->limits->parts[part];
    set_times(s, part == PART_TABLES ? 0 : 1, 0);
    int status = time_in_brief(s, part, &limit->run_s);
    limit->low_s = limit->high_s = limit->run_s;
    limit->certainty = PART_IN_BRIEF;
    return status;
}

/* A stream takes at least as long as what is most at work beside the free part. */
static void find_least(struct search *s, enum machine_part part)
{
    for (size_t i = 0; i < s->pass_count; i++) {
        struct stage_evidence stages[STREAM_STAGES];
        double most = 0;
        stream_stages_find(&s->run->passes[i], s->hardware, stages);
        for (unsigned stage = 0; stage < STREAM_STAGES; stage++)
            if (stage != (unsigned)part)
                most = fmax(most, stages[stage].active);
        s->least[i] = fmin(1, most);
    }
}

/* Tasks in brief come as much sooner as the stream is shorter. They would be known better if passes were timed: a time
 * was found to be up to 3.2% below that in brief. */
static const double BRIEF_SURELY = 0.95;

/* The run is not shorter than its boards work and joining takes, nor much shorter than its tasks in brief say. */
static int find_bound(struct search *s, enum machine_part part)
{
    double boards_s, brief_s = 0;
    find_least(s, part);
    set_times(s, part == PART_BUS || part == PART_TABLES ? 0 : 1, 1);
    int status = host_brief_time(s->brief, PART_CORES, s->now, s->run->host_begins_s, &boards_s);
    if (status)
        return explain_brief(status, s->why);
    status = time_in_brief(s, part, &brief_s);
    if (status)
        return status;
    const double run_s = fmax(boards_s + s->join_s, BRIEF_SURELY * brief_s);
    s->limits->parts[part] = (struct part_limit){run_s, run_s, run_s, PART_BOUND};
    return 0;
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

static int time_of_run(const struct passes *recorded, enum machine_part part, double *run_s, struct why *why)
{
    struct passes_result result;
    int status = time_without(recorded, part, &result, why);
    if (status)
        return status;
    *run_s = result.run.duration_s;
    passes_result_destroy(&result);
    return 0;
}

/* Sums over the passes that were timed again. */
struct sums {
    double least_s, now_s, load_was_s, load_now_s;
};

static struct brief_pass timed_pass(const struct passes_result *timed, size_t nth)
{
    const struct pass_times *t = &timed->pass_times[nth];
    return (struct brief_pass){t->stream_begin_s - t->begin_s, t->board_free_s - t->stream_begin_s};
}

static size_t number_in_run(const struct search *s, size_t nth)
{
    return pass_set_nth_taken(nth, s->every);
}

/* A pass with all parts. */
static struct brief_pass pass_before(const struct search *s, size_t nth)
{
    return s->base.pass_times ? timed_pass(&s->base, nth) : s->was[number_in_run(s, nth)];
}

/* What its stream needs without the part. */
static double least_s(const struct search *s, size_t nth)
{
    return pass_before(s, nth).stream_s * s->least[number_in_run(s, nth)];
}

static struct sums add_up(const struct search *s, const struct passes_result *timed)
{
    struct sums sums = {0};
    for (size_t i = 0; i < s->limits->timed; i++) {
        const struct brief_pass now = timed_pass(timed, i);
        sums.least_s += least_s(s, i);
        sums.now_s += now.stream_s;
        sums.load_was_s += pass_before(s, i).load_s;
        sums.load_now_s += now.load_s;
    }
    return sums;
}

/* Half of the 95% interval of the ratio of streams that were not timed; they are a finite population. */
static double half_width(const struct search *s, const struct passes_result *timed, const struct sums *sums)
{
    const double n = (double)s->limits->timed, ratio = sums->now_s / sums->least_s;
    double squares = 0;
    for (size_t i = 0; i < s->limits->timed; i++) {
        const double off = timed_pass(timed, i).stream_s - ratio * least_s(s, i);
        squares += off * off;
    }
    if (n < 2)
        return ratio;
    return gsl_cdf_tdist_Pinv(0.975, n - 1) *
           sqrt((1 - n / (double)s->limits->passes) * squares / (n * (n - 1))) / (sums->least_s / n);
}

/* Passes of boards that depend on each other are in other company when all are timed. */
static void set_timed_passes(struct search *s, const struct passes_result *timed)
{
    for (size_t i = 0; i < s->limits->timed && !s->base.pass_times; i++)
        s->now[number_in_run(s, i)] = timed_pass(timed, i);
}

static int estimate(struct search *s, enum machine_part part, const struct passes_result *timed)
{
    struct part_limit *limit = &s->limits->parts[part];
    find_least(s, part);
    const struct sums sums = add_up(s, timed);
    const double ratio = sums.least_s > 0 ? sums.now_s / sums.least_s : 0,
                 load = sums.load_was_s > 0 ? sums.load_now_s / sums.load_was_s : 1,
                 half = sums.least_s > 0 ? half_width(s, timed, &sums) : 0,
                 ratios[] = {fmax(1, ratio - half), ratio, ratio + half};
    double *const times[] = {&limit->low_s, &limit->run_s, &limit->high_s};
    int status = 0;
    for (unsigned i = 0; i < 3 && status == 0; i++) {
        set_times(s, load, ratios[i]);
        set_timed_passes(s, timed);
        status = time_in_brief(s, part, times[i]);
    }
    const double low_s = limit->low_s; /* a longer stream can end sooner: its tasks are spread better */
    limit->low_s = fmin(fmin(low_s, limit->run_s), limit->high_s);
    limit->high_s = fmax(fmax(low_s, limit->run_s), limit->high_s);
    limit->certainty = PART_SAMPLED;
    return status;
}

static int time_part(struct search *s, enum machine_part part)
{
    struct part_limit *limit = &s->limits->parts[part];
    struct passes_result timed;
    int status = time_without(&s->recorded, part, &timed, s->why);
    if (status)
        return status;
    if (s->limits->timed == s->limits->passes)
        *limit =
            (struct part_limit){timed.run.duration_s, timed.run.duration_s, timed.run.duration_s, PART_EXACT};
    else
        status = estimate(s, part, &timed);
    passes_result_destroy(&timed);
    return status;
}

/* --- the order ------------------------------------------------------------------------------------------- */

/* Seconds that passes take this program. */
static double cost_s(const struct search *s, const double of[2])
{
    const struct frame *run = &s->run->run;
    return of[0] * frame_count(run, S1A_WMERS) + of[1] * frame_count(run, S2_MATCHES);
}

/* Whether the part is worth the time, and there is time: then it is taken. */
static bool take_time(struct search *s)
{
    const double share = (double)s->limits->timed / (double)s->limits->passes,
                 again_s = cost_s(s, AGAIN_S) * share;
    if (s->limits->timed == 0 || again_s > s->left_s)
        return false;
    s->left_s -= again_s;
    return true;
}

/* The part without which the run would be shortest, of those that are bounds, or of the others. */
static int shortest(const struct run_limits *l, bool bounds)
{
    int first = -1;
    for (int part = 0; part < MACHINE_PARTS; part++)
        if ((l->parts[part].certainty == PART_BOUND) == bounds &&
            (first < 0 || l->parts[part].run_s < l->parts[first].run_s))
            first = part;
    return first;
}

/* Time parts as long as one could save more than all that are known. */
static int time_parts(struct search *s)
{
    struct run_limits *l = s->limits;
    int status = 0, next;
    while (status == 0 && (next = shortest(l, true)) >= 0) {
        const double known_s = fmin(l->run_s, l->parts[shortest(l, false)].run_s);
        if (l->parts[next].run_s >= known_s || l->run_s < RUN_LIMITS_LEAST_GAIN * l->parts[next].run_s ||
            !take_time(s))
            break;
        status = time_part(s, (enum machine_part)next);
    }
    l->first = (enum machine_part)shortest(l, false);
    return status;
}

static bool is_bound_first(const struct hardware *h, enum machine_part part)
{
    return machine_part_is_of_stream(part) || (part == PART_TABLES && hardware_couples_boards(h));
}

static int find_all(struct search *s)
{
    int status = host_brief_time(s->brief, MACHINE_PARTS, s->was, s->run->host_begins_s, &s->brief_s);
    if (status)
        return explain_brief(status, s->why);
    for (enum machine_part part = 0; part < MACHINE_PARTS && status == 0; part++)
        status = is_bound_first(s->hardware, part) ? find_bound(s, part) : find_in_brief(s, part);
    if (status == 0 && s->limits->timed > 0 && s->limits->timed < s->limits->passes &&
        hardware_couples_boards(s->hardware))
        status = time_without(&s->recorded, MACHINE_PARTS, &s->base, s->why);
    return status ? status : time_parts(s);
}

static int search_limits(struct search *s)
{
    const size_t count = s->pass_count;
    s->was = calloc(count, sizeof *s->was);
    s->now = calloc(count, sizeof *s->now);
    s->least = calloc(count, sizeof *s->least);
    *s->limits = (struct run_limits){
        .run_s = s->run->run.duration_s, .timed = s->recorded.pass_count, .passes = count};
    int status = s->was && s->now && s->least ? 0 : why_no_memory(s->why, PASS_EMEMORY);
    for (size_t i = 0; status == 0 && i < count; i++)
        s->was[i] = host_brief_pass(s->brief, i);
    s->join_s = join_s(s, MACHINE_PARTS);
    s->left_s = fmax(RUN_LIMITS_S, RUN_LIMITS_SHARE * cost_s(s, FIRST_S));
    status = status ? status : find_all(s);
    passes_result_destroy(&s->base);
    free(s->was);
    free(s->now);
    free(s->least);
    return status;
}

/* If boards depend on each other, the first passes are timed, and enough to keep every board at work. */
int run_limits_find(const struct passes *passes, size_t every, bool is_whole, const struct passes_result *run,
                    struct run_limits *limits, struct why *why)
{
    const struct hardware *h = passes->hardware;
    const size_t count = passes->pass_count, boards = 2 * (size_t)h->boards * h->hosts;
    struct search s = {.recorded = *passes,
                       .every = every,
                       .pass_count = count,
                       .brief = passes->how.brief,
                       .run = run,
                       .hardware = h,
                       .limits = limits,
                       .why = why};
    s.recorded.how.quiet = true;
    s.recorded.pass_count = pass_set_taken(count, every);
    if (!hardware_couples_boards(h)) {
        s.recorded.recorded_every = is_whole ? every : 0;
    } else {
        s.every = 0;
        s.recorded.pass_count = s.recorded.pass_count > boards ? s.recorded.pass_count : boards;
        s.recorded.pass_count = s.recorded.pass_count < count ? s.recorded.pass_count : count;
    }
    return search_limits(&s);
}

/* --- output ---------------------------------------------------------------------------------------------- */

/* How sure a gain is, after it. */
static void say_interval(const struct run_limits *l, enum machine_part part, char *words, size_t size)
{
    const struct part_limit *p = &l->parts[part];
    *words = '\0';
    if (p->certainty == PART_SAMPLED)
        snprintf(words, size, " (%.3g to %.3g, from %zu of %zu passes)", l->run_s / p->high_s,
                 l->run_s / p->low_s, l->timed, l->passes);
}

/* The part that was not timed and may save more than the one that is said to limit; -1 if there is none. */
static int unknown_part(const struct run_limits *l)
{
    const int part = shortest(l, true);
    const double known = fmax(gain_without(l, l->first), 1);
    return part >= 0 && gain_without(l, (enum machine_part)part) >= RUN_LIMITS_LEAST_GAIN * known ? part : -1;
}

void run_limits_say(const struct run_limits *l, char *words, size_t size)
{
    const int unknown = unknown_part(l);
    char interval[96];
    int length;
    say_interval(l, l->first, interval, sizeof interval);
    if (run_limits_are_shared(l))
        length = snprintf(words, size, "no part alone: none makes the run 2%% shorter if it takes no time");
    else
        length = snprintf(words, size, "%s; without it the run would be %.3g times as fast%s",
                          machine_parts[l->first].title, gain_without(l, l->first), interval);
    if (unknown >= 0)
        snprintf(words + length, size - (size_t)length, "; %s was not timed, without it at most %.3g times",
                 machine_parts[unknown].title, gain_without(l, (enum machine_part)unknown));
}

static int compare_parts(const void *a, const void *b, void *limits)
{
    const struct run_limits *l = limits;
    const enum machine_part left = *(const enum machine_part *)a, right = *(const enum machine_part *)b;
    if (l->parts[left].run_s != l->parts[right].run_s)
        return l->parts[left].run_s < l->parts[right].run_s ? -1 : 1;
    return (int)left - (int)right;
}

static void write_part(const struct run_limits *l, enum machine_part part, FILE *out)
{
    const struct part_limit *p = &l->parts[part];
    char how[64] = "";
    if (p->certainty == PART_SAMPLED)
        snprintf(how, sizeof how, "(%.6g to %.6g)", 1e3 * p->low_s, 1e3 * p->high_s);
    else if (p->certainty == PART_BOUND)
        snprintf(how, sizeof how, "not timed: this time or longer");
    fprintf(out, "  %-12s %12.6g %8.4g  %s\n", machine_parts[part].name, 1e3 * p->run_s,
            gain_without(l, part), how);
}

/* Write a time, how much shorter it is than that of the run, and words after both. */
static void write_row(const char *name, double run_s, double gain, const char *words, FILE *out)
{
    fprintf(out, "  %-10s %12.6g %8.4g  %s\n", name, 1e3 * run_s, gain, words);
}

int run_limits_write_free(const struct passes *recorded, const char *name, FILE *out, struct why *why)
{
    struct run_limits l;
    enum machine_part parts[MACHINE_PARTS];
    size_t count = 0;
    int status = time_of_run(recorded, MACHINE_PARTS, &l.run_s, why);
    for (enum machine_part part = 0; part < MACHINE_PARTS && status == 0; part++)
        if (strcmp(name, "all") == 0 || strcmp(name, machine_parts[part].name) == 0) {
            parts[count++] = part;
            status = time_of_run(recorded, part, &l.parts[part].run_s, why);
        }
    if (status)
        return status;
    qsort_r(parts, count, sizeof *parts, compare_parts, &l);
    fprintf(out, "  %-10s %12s %8s  %s\n", "free", "simulated ms", "faster", "then");
    write_row("nothing", l.run_s, 1, "the machine is as given", out);
    for (size_t i = 0; i < count; i++)
        write_row(machine_parts[parts[i]].name, l.parts[parts[i]].run_s, gain_without(&l, parts[i]),
                  machine_parts[parts[i]].meaning, out);
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
    fprintf(out, "\nlimit of the run: %s\n", words);
    fprintf(out, "  %-12s %12s %8s\n", "without", "the run: ms", "faster");
    for (unsigned i = 0; i < MACHINE_PARTS; i++)
        write_part(&l, parts[i], out);
}

static const char *const certainties[] = {
    [PART_BOUND] = "bound", [PART_IN_BRIEF] = "tasks", [PART_SAMPLED] = "sampled", [PART_EXACT] = "exact"};

static json_t *part_object(const struct run_limits *l, enum machine_part part)
{
    const struct part_limit *p = &l->parts[part];
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "part", machine_parts[part].name, "run_s",
                     json_number(p->run_s), "low_s", json_number(p->low_s), "high_s", json_number(p->high_s),
                     "gain", json_number(gain_without(l, part)), "from", certainties[p->certainty]);
}

json_t *run_limits_json(const struct run_limits *l)
{
    json_t *parts = json_array();
    for (enum machine_part part = 0; parts && part < MACHINE_PARTS; part++)
        json_array_append_new(parts, part_object(l, part));
    return json_pack("{s:s, s:b, s:o, s:o, s:I, s:I, s:o}", "part", machine_parts[l->first].name, "shared",
                     run_limits_are_shared(l), "gain", json_number(gain_without(l, l->first)), "run_s",
                     json_number(l->run_s), "passes_timed", (json_int_t)l->timed, "passes",
                     (json_int_t)l->passes, "parts", parts);
}

static bool read_part(const json_t *object, struct part_limit *p)
{
    const char *from = json_string_value(json_object_get(object, "from"));
    *p = (struct part_limit){json_number_at(object, "run_s"), json_number_at(object, "low_s"),
                             json_number_at(object, "high_s"), PART_BOUND};
    for (unsigned i = 0; from && i < sizeof certainties / sizeof *certainties; i++)
        if (strcmp(from, certainties[i]) == 0)
            p->certainty = i;
    return from && p->run_s >= 0;
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
    for (size_t i = 0; whole && i < MACHINE_PARTS; i++)
        whole = read_part(json_array_get(parts, i), &l->parts[i]);
    l->first = whole ? (enum machine_part)part : 0;
    return whole && l->run_s >= 0;
}
