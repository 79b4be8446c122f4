#include "app/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>
#include <gsl/gsl_randist.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/progress.h"
#include "base/words.h"
#include "blast/sequence/sequence.h"
#include "sim/board/steady_bus.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/platform/platform.h"
#include "sim/simgrid/simgrid_module.h"
#include "app/published.inc"

const char *const seed_fraction_names[SEED_FRACTIONS] = {"p_1a", "trips", "no_match", "two_positions", "p_2"};
const char *const seed_fraction_titles[SEED_FRACTIONS] = {
    "seeds per w-mer", "trips per seed", "share of other seeds without a match",
    "share of the rest with two matches", "HSPs per match"};

double *seed_fraction_at(struct seed_fractions *f, unsigned which)
{
    return (double *[SEED_FRACTIONS]){&f->p_1a, &f->trips, &f->no_match, &f->two_positions, &f->p_2}[which];
}

int seed_fraction_find(const char *option, const char *text, struct why *why)
{
    struct nearest search = {.wanted = text, .length = strcspn(text, "=")};
    for (unsigned i = 0; i < SEED_FRACTIONS; i++) {
        if (strlen(seed_fraction_names[i]) == search.length &&
            strncmp(seed_fraction_names[i], text, search.length) == 0)
            return (int)i;
        nearest_look_at(&search, seed_fraction_names[i]);
    }
    command_refuse(option, text, "p_1a, trips, no_match, two_positions or p_2, then = and what it is", why);
    nearest_suggest(&search, why);
    return -1;
}

int seed_fraction_set(const char *option, double *fraction, const char *text, struct why *why)
{
    if (command_number(text, 0, 1, fraction) == 0)
        return 0;
    command_refuse(option, text, "a fraction from 0 to 1 after the =", why);
    return -1;
}

enum { LEAST_TRIP_MATCHES = 3 };

/* The ends that a lookup can have; one of them is drawn. */
enum ending { FALSE_POSITIVE, ONE_POSITION, TWO_POSITIONS, TRIP_OF_3, TRIP_OF_4, TRIP_OF_5, ENDINGS };

struct seed_draws {
    gsl_rng *random;
    gsl_ran_discrete_t *seeds_a_word, *ending;
    double p_2;
};

struct seed_draws *seed_draws_new(const struct seed_fractions *f, unsigned long seed)
{
    struct seed_draws *d = memory_new(1, sizeof *d);
    double seeds_a_word[BASES_PER_WORD + 1], primary = 1 - f->trips, matching = primary * (1 - f->no_match);
    const double endings[ENDINGS] = {
        [FALSE_POSITIVE] = primary * f->no_match,
        [ONE_POSITION] = matching * (1 - f->two_positions),
        [TWO_POSITIONS] = matching * f->two_positions,
        [TRIP_OF_3] = f->trips / 3,
        [TRIP_OF_4] = f->trips / 3,
        [TRIP_OF_5] = f->trips / 3,
    };
    for (unsigned seeds = 0; seeds <= BASES_PER_WORD; seeds++)
        seeds_a_word[seeds] = gsl_ran_binomial_pdf(seeds, f->p_1a, BASES_PER_WORD);
    d->random = random_new(seed);
    d->seeds_a_word = gsl_ran_discrete_preproc(BASES_PER_WORD + 1, seeds_a_word);
    d->ending = gsl_ran_discrete_preproc(ENDINGS, endings);
    d->p_2 = f->p_2;
    if (!d->seeds_a_word || !d->ending)
        memory_exhausted();
    return d;
}

void seed_draws_destroy(struct seed_draws *d)
{
    gsl_rng_free(d->random);
    gsl_ran_discrete_free(d->seeds_a_word);
    gsl_ran_discrete_free(d->ending);
    free(d);
}

static void draw_matches(struct seed_draws *d, unsigned matches, struct tokens *tokens,
                         struct pass_counts *counts)
{
    for (unsigned i = 0; i < matches; i++) {
        bool passes = gsl_rng_uniform(d->random) < d->p_2;
        tokens_add_match(tokens, passes);
        if (!passes)
            continue;
        tokens_add_hsp(tokens, (struct hsp){0});
        counts->hsps++;
    }
    counts->matches += matches;
}

static void draw_seed(struct seed_draws *d, struct tokens *tokens, struct pass_counts *counts)
{
    unsigned ending = (unsigned)gsl_ran_discrete(d->random, d->ending);
    counts->sram_reads++;
    if (ending == FALSE_POSITIVE) {
        tokens_add_seed(tokens, LOOKUP_EMPTY, 0);
        counts->lookups_empty++;
        counts->bloom_false++;
    } else if (ending == ONE_POSITION || ending == TWO_POSITIONS) {
        unsigned matches = ending == ONE_POSITION ? 1 : 2;
        tokens_add_seed(tokens, LOOKUP_MATCH, 1);
        tokens_add_group(tokens, matches, 0);
        counts->lookups_match++;
        draw_matches(d, matches, tokens, counts);
    } else {
        unsigned matches = LEAST_TRIP_MATCHES + ending - TRIP_OF_3;
        tokens_add_seed(tokens, LOOKUP_DUPLICATE, 1);
        tokens_add_group(tokens, matches, matches);
        counts->sram_reads += group_sram_reads((struct group_token){(uint8_t)matches, (uint8_t)matches});
        counts->lookups_duplicate++;
        counts->trips++;
        draw_matches(d, matches, tokens, counts);
    }
}

void seed_draws_block(struct seed_draws *d, uint64_t words, struct tokens *tokens, struct pass_counts *counts)
{
    uint64_t seeds = counts->seeds;
    tokens_clear(tokens);
    tokens_reserve(tokens, words, 0, 0, 0);
    for (uint64_t word = 0; word < words; word++) {
        unsigned in_word = (unsigned)gsl_ran_discrete(d->random, d->seeds_a_word);
        tokens_add_word(tokens, in_word);
        counts->seeds += in_word;
    }
    for (; seeds < counts->seeds; seeds++)
        draw_seed(d, tokens, counts);
    counts->words += words;
    counts->wmers += words * BASES_PER_WORD;
}

/* --- the runs and their cells ---------------------------------------------------------------------------- */

/* The rows of data/words/published.tsv. */
#define SCENARIO(p_1a, trips, no_match, two_positions, p_2, per_read, query, database, spread, clocks, name, \
                 title)                                                                                      \
    {                                                                                                        \
        name, title, {p_1a, trips, no_match, two_positions, p_2}, per_read, query, database, spread, clocks  \
    }
static const struct replay_scenario scenarios[] = {REPLAY_SCENARIO_ROWS(SCENARIO)};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

const struct replay_scenario *replay_find(const char *name)
{
    for (unsigned i = 0; i < SCENARIOS; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

const enum machine_quantity replay_cells[REPLAY_CELLS] = {LAMBDA_1A, LAMBDA_1B, LAMBDA_2, RHO_1A,  RHO_1B,
                                                          RHO_2,     N_Q_1B,    N_Q_1BP,  N_Q_1BD, N_Q_2,
                                                          P_BP_1A,   P_BP_1B,   P_BP_2};

/* A tenth of the least place printed for queue lengths (1.2), a fifth of that of utilisations (0.0). */
double replay_floor(enum machine_quantity quantity)
{
    const enum quantity_kind kind = machine_quantities[quantity].kind;
    return quantity == N_Q_2 ? 0.1 : kind == QUANTITY_N_Q ? 1 : kind == QUANTITY_P_BP ? 0.01 : 0;
}

/* The counts of a frame, without those of the bus, which a replay does not have. */
static struct quantity_counts counts_of(const struct frame *frame)
{
    struct quantity_counts counts = {
        .clocks = (double)frame->clocks,
        .seconds = frame_measured_s(frame),
        .words = frame_count(frame, S1A_WORDS),
        .wmers = frame_count(frame, S1A_WMERS),
        .seeds = frame_count(frame, S1B_SEEDS),
        .lookups = frame_count(frame, S1B_SEEDS),
        .sram_reads = frame_count(frame, S1B_SRAM_READS),
        .matches = frame_count(frame, S2_MATCHES),
    };
    for (unsigned i = 0; i < FIFO_EGRESS; i++) {
        const struct fifo_measure *queue = &frame->queues[i];
        counts.occupancy[i] = (double)queue->integral;
        counts.signal[i] = (double)queue->back_pressure_clocks;
    }
    return counts;
}

struct replay {
    const struct replay_options *options;
    uint64_t words_a_block, blocks, blocks_a_frame;
    struct seed_draws *draws;
    struct board *board;
    struct steady_bus bus;
    struct tokens tokens;
    struct overdrive overdrive;
    struct board_times times;
    struct host_queue {
        double *entered, *left; /* clocks of the last blocks, as many as there are places */
        double supplied, sum;   /* when the host is done with the last block; clocks that blocks were in it */
    } queue;
    struct event_log log;             /* events only */
    struct stream_windows windows[2]; /* and all in one; if theory is asked */

    /* The measurements so far. */
    struct board_taps taps;
    struct pass_counts counts;
    struct bus_counts moved;
    struct frame reading;                         /* of everything so far */
    struct frame steady;                          /* of the measured frames */
    struct batch_term (*terms)[REPLAY_ESTIMATES]; /* of each measured frame */
    size_t room, frames;                          /* warm-up left out */
    size_t warm_up_left;
    uint64_t warm_up_clocks;
    struct why *why;
};

/* --- measuring ------------------------------------------------------------------------------------------ */

/* Read everything so far as if the board drained. A tap that is closed is at its end, so copies are closed. */
static bool read_taps(struct replay *r, struct frame *frame)
{
    static const struct fifo_measure no_queue;
    const struct hardware *hardware = r->options->hardware;
    struct board_taps copy;
    int64_t end = board_drained(r->board);
    r->moved.record_bytes = r->counts.hsps * hardware->hsp_bytes;
    r->moved.bus_busy_ps = frame_picoseconds((double)(r->moved.database_bytes + r->moved.record_bytes) /
                                             hardware_bus_bytes_per_s(hardware));
    if (!board_taps_close_copy(&r->taps, end, &copy))
        return false;
    machine_frame_fill(frame, &copy, end, hardware, &r->counts, &r->moved, &no_queue);
    frame->duration_s = (double)end / hardware->fpga_clock_hz;
    return true;
}

/* Histograms are left out: the time of a bin may be less in the later reading, because the board has not drained at the
 * moment of the earlier one. */
static void subtract_measure(struct fifo_measure *from, const struct fifo_measure *earlier)
{
    from->clocks -= earlier->clocks;
    from->elements -= earlier->elements;
    from->integral -= earlier->integral;
    from->sojourn_clocks -= earlier->sojourn_clocks;
    from->back_pressure_clocks -= earlier->back_pressure_clocks;
    from->overflow = 0;
    memset(from->bins, 0, sizeof from->bins);
}

/* The difference begins with the last time of the earlier reading, whose neighbour came later. */
static void subtract_intervals(struct interval_moments *from, const struct interval_moments *earlier)
{
    if (earlier->count == 0)
        return;
    wide_uint last = earlier->lasts;
    from->count -= earlier->count - 1;
    from->firsts = earlier->lasts;
    from->sum -= earlier->sum - last;
    from->squares -= earlier->squares - last * last;
    from->products -= earlier->products;
}

static void add_frame(struct replay *r, const struct frame *frame)
{
    if (r->warm_up_left > 0) {
        r->warm_up_left--;
        r->warm_up_clocks += frame->clocks;
        return;
    }
    array_reserve(&r->terms, &r->room, r->frames, 1, sizeof *r->terms);
    struct quantity_counts counts = counts_of(frame);
    machine_quantity_terms(&counts, r->options->scenario->rho_1b_per_read, r->terms[r->frames]);
    r->terms[r->frames][REPLAY_MU_1B] = (struct batch_term){
        counts.seeds / 1e6, frame_count(frame, S1B_DUPLICATE_STAGE) / r->options->hardware->fpga_clock_hz};
    r->frames++;
    frame_add(&r->steady, frame, &machine_layout);
}

static int end_frame(struct replay *r)
{
    struct frame reading, frame;
    if (!read_taps(r, &reading))
        return scratch_file_refuse_bytes("what waits in a FIFO", r->why, COMMAND_REFUSED);
    const char *broken = frame_find_inconsistency(&reading, &machine_layout);
    if (broken)
        return why_say(r->why, COMMAND_FAILED,
                       "Little's law does not hold for %s: a bug of Mercury's, please report it", broken);
    frame = reading; /* the largest occupancies stay those of the whole run */
    frame.duration_s -= r->reading.duration_s;
    frame.clocks -= r->reading.clocks;
    for (unsigned i = 0; i < machine_layout.counter_count; i++)
        frame.counters[i] -= r->reading.counters[i];
    for (unsigned i = 0; i < machine_layout.queue_count; i++)
        subtract_measure(&frame.queues[i], &r->reading.queues[i]);
    for (unsigned i = 0; i < machine_layout.interval_count; i++)
        subtract_intervals(&frame.intervals[i], &r->reading.intervals[i]);
    r->reading = reading;
    add_frame(r, &frame);
    return 0;
}

/* --- when to stop --------------------------------------------------------------------------------------- */

/* Find all estimates, of which those of the cells must be narrow; one without a mean (a ratio over 0) is. What Dor
 * prints of a utilisation is a median over frames, where the estimate has the ratio of sums. */
static void find_estimates(const struct replay *r, struct replay_result *out)
{
    auto_free struct batch_term *terms = memory_take(r->frames * sizeof *terms);
    auto_free double *values = memory_take(r->frames * sizeof *values);
    *out = (struct replay_result){
        .steady = r->steady, .frames = r->frames, .warm_up_clocks = r->warm_up_clocks, .narrow = true};
    for (unsigned which = 0; which < REPLAY_ESTIMATES; which++) {
        bool numbers = r->frames > 0;
        for (size_t i = 0; i < r->frames; i++) {
            terms[i] = r->terms[i][which];
            values[i] = terms[i].part / terms[i].whole;
            numbers = numbers && isfinite(values[i]);
        }
        out->of[which] = batch_means(terms, r->frames);
        out->medians[which] = numbers ? gsl_stats_median(values, 1, r->frames) : NAN;
    }
    for (unsigned i = 0; i < REPLAY_CELLS; i++) {
        const struct estimate *e = &out->of[replay_cells[i]];
        double wanted = r->options->interval * fmax(fabs(e->mean), replay_floor(replay_cells[i]));
        out->narrow = out->narrow && (isnan(e->mean) || e->half_width <= wanted);
        out->correlated += batch_means_are_correlated(e, r->frames);
    }
}

/* Called after every frame. */
static bool is_enough(const struct replay *r)
{
    const struct replay_options *o = r->options;
    if (r->frames < 2)
        return false;
    if (o->clocks > 0)
        return r->steady.clocks >= o->clocks;
    if (r->steady.clocks >= o->most_clocks)
        return true;
    if (r->frames < REPLAY_LEAST_FRAMES || r->frames % REPLAY_LOOK_FRAMES != 0)
        return false;
    struct replay_result so_far;
    find_estimates(r, &so_far);
    return so_far.narrow;
}

/* --- engines -------------------------------------------------------------------------------------------- */

/* A block enters when the host is done with the one before and the bus has freed a place, and leaves when the bus has
 * moved it. @param bus_free  ticks, when it has moved the block before */
static void enter_host_queue(struct replay *r, uint64_t block, int64_t bus_free)
{
    struct host_queue *q = &r->queue;
    const uint64_t places = r->options->hardware->host_queue_blocks, at = block % places;
    if (block > 0) {
        const uint64_t before = (block - 1) % places;
        q->left[before] = (double)bus_free / (double)BOARD_TICKS_PER_CLOCK;
        q->sum += q->left[before] - q->entered[before];
    }
    q->entered[at] = block < places ? q->supplied : fmax(q->supplied, q->left[at]);
    q->supplied = q->entered[at] + (double)r->words_a_block * r->bus.supply_clocks;
}

/* Draw a block, move it through the board and measure it. */
static int move_block(struct replay *r, uint64_t block)
{
    seed_draws_block(r->draws, r->words_a_block, &r->tokens, &r->counts);
    overdrive_add(&r->overdrive, &r->tokens, &r->counts);
    int64_t bus_free = block > 0 ? board_bus_free(r->board) : 0;
    enter_host_queue(r, block, bus_free);
    struct bus_share share = steady_bus_block(&r->bus, r->words_a_block, bus_free);
    board_advance(r->board, &r->tokens, &share, &r->times);
    if (r->options->events)
        event_log_block(&r->log, &r->tokens, &share);
    steady_bus_records(&r->bus, r->times.record_left, r->tokens.hsp_count);
    if (!board_taps_block(&r->taps, &r->tokens, &r->times))
        return scratch_file_refuse_bytes("what waits in a FIFO", r->why, COMMAND_REFUSED);
    for (unsigned i = 0; r->options->windows && i < 2; i++)
        stream_windows_add(&r->windows[i], &r->options->hardware->board, &r->tokens);
    r->moved.database_bytes += r->tokens.word_count * BYTES_PER_WORD;
    return (block + 1) % r->blocks_a_frame == 0 ? end_frame(r) : 0;
}

static int run_fast(struct replay *r)
{
    const struct replay_options *o = r->options;
    struct progress progress;
    progress_begin(&progress, o->clocks > 0 ? "million clocks" : "million clocks at most",
                   (double)(o->clocks > 0 ? o->clocks : o->most_clocks) / 1e6, o->quiet);
    int status = 0;
    for (bool enough = false; status == 0 && !enough; r->blocks++) {
        status = move_block(r, r->blocks);
        if ((r->blocks + 1) % r->blocks_a_frame != 0)
            continue;
        progress_update(&progress, (double)r->steady.clocks / 1e6);
        enough = is_enough(r);
    }
    progress_end(&progress);
    return status;
}

/* --- theory in windows ------------------------------------------------------------------------------------ */

static void ask_theory(const struct replay *r, struct replay_result *result)
{
    auto_free struct window_answer *answer = memory_take(sizeof *answer);
    for (unsigned i = 0; i < 2; i++) {
        const struct stream_windows *windows = &r->windows[i];
        window_theory_ask_counted(r->options->hardware, windows->items, &windows->count, 1, answer);
        for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++)
            result->by_theory[i][fifo] = answer->queue[fifo].n_q;
    }
}

/* --- the machine ----------------------------------------------------------------------------------------- */

/* Ticks are counted in 63 bits; a machine that would need more than a thousandth of them is refused. */
static int check_ticks(const struct hardware *h, struct why *why)
{
    double slowest = fmin(h->host_supply, hardware_bus_bytes_per_s(h));
    double frame_bytes = fmax(REPLAY_FRAME_WORDS * (double)BYTES_PER_WORD, h->pcix_block_bytes);
    double frame_clocks = frame_bytes / slowest * h->fpga_clock_hz;
    if (frame_clocks < REPLAY_CLOCKS_MOST)
        return 0;
    return why_refuse(
        why,
        "host.supply or pcix.* is too slow for fpga.clock: a frame of %g bytes would take %.3g clocks, "
        "expected less "
        "than %g",
        frame_bytes, frame_clocks, REPLAY_CLOCKS_MOST);
}

int replay_machine_load(const struct run_options *options, struct hardware *hardware, struct why *why)
{
    char path[PATH_MAX];
    struct platform *platform = NULL;
    int status = run_options_open_platform(options, path, hardware, &platform, why);
    platform_close(platform);
    if (status == 0)
        status = run_options_apply_sets(options, hardware, why);
    if (status == 0 && hardware_check(hardware, why) != 0)
        status = COMMAND_REFUSED;
    if (status)
        return status;
    hardware->boards = hardware->hosts = 1; /* a replay is of one board */
    /* matches that enter together must have room; hardware_check() looks at the groups of the table */
    if (hardware->board.stage2_matches < SEED_DRAWS_LARGEST_GROUP)
        return why_refuse(why,
                          "fifo.stage2 %" PRIu32
                          ": expected at least %d, the matches of the largest trip that is drawn",
                          hardware->board.stage2_matches, SEED_DRAWS_LARGEST_GROUP);
    return check_ticks(hardware, why);
}

int replay_run(const struct replay_options *options, struct replay_result *result, struct why *why)
{
    struct replay r = {
        .options = options,
        .words_a_block = options->hardware->pcix_block_bytes / BYTES_PER_WORD,
        .draws = seed_draws_new(&options->scenario->fractions, options->seed),
        .board = board_new(&options->hardware->board),
        .overdrive = hardware_overdrive(options->hardware),
        .bus = steady_bus_begin(options->hardware),
        .queue = {memory_new(options->hardware->host_queue_blocks, sizeof(double)),
                  memory_new(options->hardware->host_queue_blocks, sizeof(double))},
        .warm_up_left = REPLAY_WARM_UP_FRAMES,
        .windows = {{.words = REPLAY_WINDOW_WORDS}, {.words = UINT64_MAX}},
        .why = why,
    };
    r.blocks_a_frame = (REPLAY_FRAME_WORDS + r.words_a_block - 1) / r.words_a_block;
    board_taps_init(&r.taps, &options->hardware->board);
    int status = run_fast(&r);
    if (status == 0 && options->events && !simgrid_module(why))
        status = COMMAND_REFUSED;
    if (status == 0 && options->events) /* every clock must be that of the recurrences */
        status = event_log_compare(&r.log, options->hardware, NULL, why) != 0 ? COMMAND_FAILED : 0;
    if (status == 0) {
        find_estimates(&r, result);
        result->host_queue = r.queue.sum * (double)BOARD_TICKS_PER_CLOCK / (double)board_bus_free(r.board);
    }
    if (status == 0 && options->windows)
        ask_theory(&r, result);
    free(r.queue.entered);
    free(r.queue.left);
    free(r.windows[0].items);
    free(r.windows[1].items);
    board_taps_destroy(&r.taps);
    free(r.terms);
    event_log_destroy(&r.log);
    seed_draws_destroy(r.draws);
    board_destroy(r.board);
    tokens_destroy(&r.tokens);
    tokens_destroy(&r.overdrive.out);
    board_times_destroy(&r.times);
    return status;
}
