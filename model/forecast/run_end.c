#include "model/forecast/run_end.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_statistics_double.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/model_error.h"

/* --- one run --------------------------------------------------------------------------------------------- */

/* fmax() of numbers, without a call. */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

struct board {
    double stream_begin_s, free_s; /* of its last pass */
};

/* What is known of a run up to a pass. */
struct state {
    const struct run_machine *machine;
    struct board boards[RUN_BOARDS_MAX];
    double backlog_s; /* work of stage 3 that is left at `now_s`, summed over the cores */
    double now_s, end_s;
    double waited_s; /* for tables to be built, summed over the boards */
    size_t passes;   /* number of those that have begun */
    double begins_s[RUN_AHEAD_MAX],
        built_s[RUN_AHEAD_MAX]; /* of the last ones, by their numbers modulo this */
};

/* The cores work until a time, in which `work_s` more comes to them. With RUN_SERIAL a pass waits for that as a part of
 * its rest. */
static void work_until(struct state *s, double until_s, double work_s)
{
    double passed_s = greater(until_s - s->now_s, 0);
    if (s->machine->overlap == RUN_SERIAL)
        return;
    s->backlog_s = greater(s->backlog_s + work_s - passed_s * s->machine->cores, 0);
    s->now_s += passed_s;
}

/* Time that the cores need for the backlog. */
static double backlog_s(const struct state *s)
{
    return s->backlog_s / s->machine->cores;
}

/* When the tables of the next pass are built. */
static double built_s(const struct state *s, const struct run_pass *pass)
{
    const unsigned ahead = s->machine->build_ahead, cores = s->machine->cores;
    const size_t i = s->passes;
    if (ahead == 0)
        return 0;
    const double ready_s = i < ahead ? 0 : s->begins_s[(i - ahead) % RUN_AHEAD_MAX];
    const double core_s = i < cores ? 0 : s->built_s[(i - cores) % RUN_AHEAD_MAX];
    return greater(ready_s, core_s) + pass->build_s + fmin(pass->held_s, 0);
}

/* The board that is free first. */
static struct board *first_board(struct state *s)
{
    struct board *first = s->boards;
    for (unsigned i = 1; i < s->machine->boards; i++)
        if (s->boards[i].free_s < first->free_s)
            first = &s->boards[i];
    return first;
}

/* When the next pass begins, which is not before the last one. */
static double begin_s(const struct state *s, const struct board *board, double tables_s)
{
    const double last_s = s->passes > 0 ? s->begins_s[(s->passes - 1) % RUN_AHEAD_MAX] : 0,
                 free_s = s->machine->overlap == RUN_TABLES ? board->stream_begin_s : board->free_s;
    return greater(greater(free_s, last_s), tables_s);
}

/* A pass goes to a board. The present is then when that is free of it. @return the board */
static struct board *add_pass(struct state *s, const struct run_pass *pass)
{
    struct board *board = first_board(s);
    const double tables_s = built_s(s, pass),
                 pass_begin_s = begin_s(s, board, tables_s) + greater(pass->held_s, 0),
                 loaded_s = pass_begin_s + pass->load_s;
    s->waited_s += greater(pass_begin_s - board->free_s, 0);
    s->built_s[s->passes % RUN_AHEAD_MAX] = pass->held_s > 0 ? pass_begin_s : tables_s;
    s->begins_s[s->passes++ % RUN_AHEAD_MAX] = pass_begin_s;
    board->stream_begin_s = greater(loaded_s, board->free_s);
    board->free_s = board->stream_begin_s + pass->stream_s;
    work_until(s, board->stream_begin_s, 0);
    work_until(s, board->free_s, pass->work_s);
    return board;
}

static void end_pass(struct state *s, struct board *board, double rest_s)
{
    double end_s = board->free_s + greater(backlog_s(s) + rest_s, 0);
    s->end_s = greater(s->end_s, end_s);
    if (s->machine->overlap == RUN_SERIAL)
        board->free_s = end_s;
}

double run_pass_board_s(const struct run_machine *machine, const struct run_pass *pass)
{
    switch (machine->overlap) {
    case RUN_SERIAL:
        return pass->load_s + pass->stream_s + greater(pass->rest_s, 0);
    case RUN_DRAIN:
        return pass->load_s + pass->stream_s;
    default:
        return greater(pass->load_s, pass->stream_s);
    }
}

void run_end_find_rests(const struct run_machine *machine, struct run_pass *passes, size_t count)
{
    struct state s = {.machine = machine};
    struct timed {
        double free_s, built_s, waits_s; /* of the board; of the tables; for the end */
    };
    auto_free struct timed *timed = memory_new(count, sizeof *timed);
    for (size_t i = 0; i < count; i++) {
        struct run_pass *pass = &passes[i];
        pass->held_s = 0;
        struct board *board = first_board(&s);
        const double free_s = board->free_s, model_s = begin_s(&s, board, built_s(&s, pass));
        pass->held_s = (pass->wait_s > 0 ? free_s + pass->wait_s : fmin(free_s, model_s)) - model_s;
        add_pass(&s, pass);
        timed[i] = (struct timed){board->free_s, s.built_s[i % RUN_AHEAD_MAX], pass->rest_s};
        pass->rest_s -= backlog_s(&s);
        end_pass(&s, board, pass->rest_s);
    }
    for (size_t i = 0; i < count && machine->overlap != RUN_SERIAL; i++)
        for (size_t k = i + 1; k < count && timed[k].built_s < timed[i].free_s + timed[i].waits_s; k++)
            if (timed[k].built_s > timed[i].free_s)
                passes[i].rest_s -= passes[k].build_s / machine->cores;
}

/* --- replicas -------------------------------------------------------------------------------------------- */

/* A number below `count`, which is 1 or more. */
static size_t below(gsl_rng *random, size_t count)
{
    return (size_t)((double)count * gsl_rng_uniform(random));
}

void run_end_replica(const struct sample_stratum *strata, size_t count, const size_t *numbers,
                     gsl_rng *random, size_t *taken, size_t *replica)
{
    size_t pass = 0, drawn = 0; /* those before the stratum */
    for (const struct sample_stratum *s = strata; s < strata + count; s++) {
        /* n a of the header: the weight with which the urn begins */
        const double n = (double)s->drawn, others = (double)(s->passes - s->drawn),
                     weight = others > 0 ? fmax((n - 1) * (others - 1) / (others + 1) - 1, 0) : 0;
        const size_t first = drawn, end = pass + s->passes;
        for (size_t from_urn = 0; pass < end; pass++) {
            if (drawn < first + s->drawn && numbers[drawn] == pass) {
                replica[pass] = drawn++;
                continue;
            }
            bool is_new = from_urn == 0 || gsl_rng_uniform(random) * (weight + (double)from_urn) < weight;
            replica[pass] = is_new ? first + below(random, s->drawn) : taken[below(random, from_urn)];
            taken[from_urn++] = replica[pass];
        }
    }
}

/* --- the estimate ---------------------------------------------------------------------------------------- */

/* Number of replicas: as many as have so many passes, between two limits. */
enum { REPLICA_PASSES = 1000000, REPLICAS_LEAST = 100, REPLICAS_MOST = 1000 };

/* When a replica ends, and what is told of it (struct run_end). */
struct ended {
    double end_s, sum_s, build_s, rest_s;
};

enum { ENDED_NUMBERS = sizeof(struct ended) / sizeof(double) };

static struct ended run_replica(const struct run_machine *machine, const struct run_pass *passes,
                                const size_t *replica, size_t count, bool is_of_cores)
{
    struct state s = {.machine = machine};
    double sum_s = 0, busy_s = 0; /* busy: boards load, unless they stream meanwhile, and stream */
    for (size_t i = 0; i < count; i++) {
        const struct run_pass *pass = &passes[replica[i]];
        end_pass(&s, add_pass(&s, pass), pass->rest_s);
        sum_s += is_of_cores ? pass->work_s : run_pass_board_s(machine, pass);
        busy_s += pass->stream_s + (machine->overlap == RUN_TABLES ? 0 : pass->load_s);
    }
    const double boards = machine->boards, build_s = s.waited_s / boards;
    return (struct ended){s.end_s, sum_s / (is_of_cores ? machine->cores : boards), build_s,
                          s.end_s - build_s - busy_s / boards};
}

/* The sums over all passes decide what has more to do: their expectations, so that it is no chance of a replica. */
static bool cores_have_more(const struct run_machine *machine, const struct sample_stratum *strata,
                            size_t count, const struct run_pass *passes)
{
    double boards_s = 0, cores_s = 0;
    for (size_t h = 0; h < count; h++) {
        const double factor = (double)strata[h].passes / (double)strata[h].drawn;
        for (size_t i = 0; i < strata[h].drawn; i++, passes++) {
            boards_s += factor * run_pass_board_s(machine, passes) / machine->boards;
            cores_s += factor * passes->work_s / machine->cores;
        }
    }
    return machine->overlap != RUN_SERIAL && cores_s > boards_s;
}

/* @param of  a number of each replica */
static struct sample_estimate estimate(const double *of, size_t replicas, double freedom)
{
    return (struct sample_estimate){gsl_stats_mean(of, ENDED_NUMBERS, replicas),
                                    gsl_stats_sd(of, ENDED_NUMBERS, replicas), freedom};
}

void run_end_estimate(const struct run_machine *machine, const struct sample_stratum *strata, size_t count,
                      const size_t *numbers, const struct run_pass *passes, uint64_t seed,
                      struct run_end *out)
{
    const double freedom = fmax((double)sample_drawn(strata, count) - 1, 1);
    const bool is_of_cores = cores_have_more(machine, strata, count, passes);
    struct ended ended[REPLICAS_MOST];
    size_t all = 0;
    for (size_t h = 0; h < count; h++)
        all += strata[h].passes;
    const size_t many = REPLICA_PASSES / all, n = many < REPLICAS_LEAST  ? REPLICAS_LEAST
                                                  : many > REPLICAS_MOST ? REPLICAS_MOST
                                                                         : many;
    gsl_rng *random = random_new(seed);
    auto_free size_t *replica = memory_new(2 * all, sizeof *replica);
    for (size_t i = 0; i < n; i++) {
        run_end_replica(strata, count, numbers, random, replica + all, replica);
        ended[i] = run_replica(machine, passes, replica, all, is_of_cores);
    }
    gsl_rng_free(random);
    const double more = gsl_stats_variance(&ended->end_s, ENDED_NUMBERS, n) -
                        gsl_stats_variance(&ended->sum_s, ENDED_NUMBERS, n);
    *out = (struct run_end){
        is_of_cores,
        {gsl_stats_mean(&ended->end_s, ENDED_NUMBERS, n) - gsl_stats_mean(&ended->sum_s, ENDED_NUMBERS, n),
         sqrt(fmax(more, 0)), freedom},
        estimate(&ended->build_s, n, freedom),
        estimate(&ended->rest_s, n, freedom)};
}
