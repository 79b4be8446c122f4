/* test_board_waves.c - waveforms of random passes, read back, against what the judge saw in every clock. */
#include "sim/drawing/board_waves.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"
#include "tests/traces/drawing/read_vcd.h"

enum { CASES_A_TEST = 25 };

/* The judge's FIFOs, and the signals that show them. */
static const struct {
    const char *scope, *level;
    enum judge_fifo judge;
} fifos[] = {
    {"stage_1a.ingress_fifo", "words", JUDGE_INGRESS}, {"stage_1bp.wmer_fifo", "seeds", JUDGE_WMER},
    {"stage_1bd.sram_fifo", "lookups", JUDGE_SRAM},    {"stage_2.stage2_fifo", "matches", JUDGE_STAGE2},
    {"bus_out.egress_fifo", "records", JUDGE_EGRESS},
};

/* Every clock as the judge saw it. */
struct film {
    size_t count, room;
    struct film_clock {
        size_t occupancy[JUDGE_FIFOS];
        bool signal[JUDGE_FIFOS];
        struct judge_moves moves;
    } * clocks;
};

static void film_moves(void *data, const struct judge_moves *moves)
{
    struct film *film = data;
    if (film->count == film->room) {
        film->room = 2 * film->room + 1024;
        film->clocks = realloc(film->clocks, film->room * sizeof *film->clocks);
    }
    film->clocks[film->count].moves = *moves;
}

static void film_clock(void *data, const size_t occupancy[JUDGE_FIFOS], const bool signal[JUDGE_FIFOS])
{
    struct film *film = data;
    struct film_clock *clock = &film->clocks[film->count++];
    memcpy(clock->occupancy, occupancy, sizeof clock->occupancy);
    memcpy(clock->signal, signal, sizeof clock->signal);
}

static struct judge_verdict *judge_case(const struct random_case *made, struct film *film)
{
    struct judge_block blocks[CASE_BLOCKS];
    const struct judge_watch watch = {film_clock, film_moves, film};
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    struct judge_verdict *verdict = judge_run_watched(&made->rules, blocks, made->block_count, &watch);
    ck_assert_msg(!verdict->stuck, "seed %llu: %s", (unsigned long long)made->seed, verdict->stuck);
    return verdict;
}

/* Draw a case as a pass does. */
static char *draw_case(const struct random_case *made, const struct hardware *hardware, int64_t end)
{
    const struct drawing_request request = {.pass = 7, .waves_bytes = 100000000};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct board_waves *waves = board_waves_new(out, &request, hardware);
    struct board *board = board_new(&made->rules);
    struct board_times times = {0};
    struct board_taps taps;
    ck_assert(waves && board);
    board_taps_init(&taps, &made->rules);
    board_waves_attach(waves, &taps);
    for (size_t b = 0; b < made->block_count; b++) {
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        board_waves_block(waves, &made->tokens[b], &times, &made->shares[b]);
        ck_assert(board_taps_block(&taps, &made->tokens[b], &times));
    }
    board_taps_close(&taps, end);
    ck_assert_int_eq(board_waves_close(waves, end, NULL), DRAWING_WHOLE);
    fclose(out);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
    return text;
}

struct check {
    const struct random_case *made;
    const struct film *film;
    const struct read_vcd *vcd;
    double clock_hz;
};

/* A signal in every clock, in the middle of it. @param seen  the judge's value */
static void check_signal(const struct check *c, const char *name,
                         uint64_t (*seen)(const struct film_clock *, int), int which)
{
    const struct read_signal *signal = read_vcd_find(c->vcd, name);
    for (size_t clock = 0; clock < c->film->count; clock++) {
        uint64_t at_ps = (uint64_t)(((double)clock + 0.5) * 1e12 / c->clock_hz);
        uint64_t drawn = read_signal_at(signal, at_ps), expected = seen(&c->film->clocks[clock], which);
        if (drawn != expected)
            ck_abort_msg("seed %llu, clock %zu: %s is %llu, not %llu", (unsigned long long)c->made->seed,
                         clock, name, (unsigned long long)drawn, (unsigned long long)expected);
    }
}

static uint64_t see_valid(const struct film_clock *c, int fifo)
{
    return c->moves.offered[fifo];
}

static uint64_t see_ready(const struct film_clock *c, int fifo)
{
    return !c->moves.offered[fifo] || c->moves.taken[fifo];
}

static uint64_t see_level(const struct film_clock *c, int fifo)
{
    return c->occupancy[fifo];
}

static uint64_t see_signal(const struct film_clock *c, int fifo)
{
    return c->signal[fifo];
}

static uint64_t see_taken(const struct film_clock *c, int fifo)
{
    return c->moves.taken[fifo];
}

static uint64_t see_held(const struct film_clock *c, int fifo)
{
    return c->moves.held[fifo];
}

static uint64_t see_delivered(const struct film_clock *c, int fifo)
{
    (void)fifo;
    return c->moves.delivered;
}

static uint64_t see_serves(const struct film_clock *c, int fifo)
{
    (void)fifo;
    return c->moves.serves;
}

static void check_fifos(const struct check *c)
{
    for (unsigned i = 0; i < JUDGE_FIFOS; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s.valid", fifos[i].scope);
        check_signal(c, name, see_valid, fifos[i].judge);
        snprintf(name, sizeof name, "%s.ready", fifos[i].scope);
        check_signal(c, name, see_ready, fifos[i].judge);
        snprintf(name, sizeof name, "%s.level_%s", fifos[i].scope, fifos[i].level);
        check_signal(c, name, see_level, fifos[i].judge);
        snprintf(name, sizeof name, "%s.back_pressure", fifos[i].scope);
        if (fifos[i].judge != JUDGE_EGRESS) /* for which the judge knows no signal */
            check_signal(c, name, see_signal, fifos[i].judge);
    }
}

static void check_stages(const struct check *c)
{
    check_signal(c, "bus_in.busy", see_delivered, 0);
    check_signal(c, "bus_in.stall", see_held, JUDGE_INGRESS);
    check_signal(c, "stage_1a.busy", see_taken, JUDGE_INGRESS);
    check_signal(c, "stage_1a.stall", see_held, JUDGE_WMER);
    check_signal(c, "stage_1bp.busy", see_taken, JUDGE_WMER);
    check_signal(c, "stage_1bp.stall", see_held, JUDGE_SRAM);
    check_signal(c, "stage_1bd.busy", see_serves, 0);
    check_signal(c, "stage_1bd.stall", see_held, JUDGE_STAGE2);
    check_signal(c, "stage_2.busy", see_taken, JUDGE_STAGE2);
    check_signal(c, "stage_2.stall", see_held, JUDGE_EGRESS);
    check_signal(c, "bus_out.busy", see_taken, JUDGE_EGRESS);
}

static void check_case(const struct random_case *made, double clock_hz)
{
    struct film film = {0};
    struct hardware hardware = hardware_default();
    hardware.board = made->rules;
    hardware.fpga_clock_hz = clock_hz;
    struct judge_verdict *verdict = judge_case(made, &film);
    char *text = draw_case(made, &hardware, verdict->end);
    struct read_vcd *vcd = read_vcd(text);
    const struct check c = {made, &film, vcd, clock_hz};
    ck_assert_uint_eq(film.count, (size_t)verdict->end);
    ck_assert_uint_eq(vcd->last_ps, drawing_clock_ps(verdict->end, clock_hz));
    check_fifos(&c);
    check_stages(&c);
    read_vcd_destroy(vcd);
    free(text);
    free(film.clocks);
    judge_verdict_destroy(verdict);
}

START_TEST(test_waves_show_what_the_judge_sees)
{
    static const double clocks_hz[] = {133e6, 1e9, 3.7e9, 1e11};
    enum stream_kind stream = (enum stream_kind)(_i % STREAM_KINDS);
    enum rules_kind rules = (enum rules_kind)(_i / STREAM_KINDS);
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        struct random_case made;
        case_make(&made, UINT64_C(71000000) + (uint64_t)_i * 1000 + (uint64_t)n, stream, rules,
                  (enum bus_kind)(n % BUS_KINDS));
        check_case(&made, clocks_hz[n % 4]);
        case_destroy(&made);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_waves");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_waves_show_what_the_judge_sees, 0, STREAM_KINDS * RULES_KINDS);
    tcase_set_timeout(core, 120);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
