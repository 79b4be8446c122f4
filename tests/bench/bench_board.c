/* bench_board.c - the board's work without the system around it: nanoseconds a w-mer, by part.
 *
 * Usage: bench_board QUERY DATABASE [SEGMENTS [FIRST]]: that number of segments of the query's first record, plus
 * strand, from number FIRST on, counted from 0; a line a part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/why.h"
#include "blast/sequence/fasta.h"
#include "blast/stages12/bloom.h"
#include "blast/stages12/pass.h"
#include "sim/board/board.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_frame.h"

enum part { PART_TABLES, PART_STAGES, PART_TIMING, PART_TAPS, PARTS };

static const char *const part_names[PARTS] = {"tables (host)", "stages 1a-2", "timing", "taps"};

struct bench {
    struct hardware hardware;
    struct sequences query, database;
    struct bloom_index *index;
    struct query_segment *segments;
    size_t segment_count;
    struct tokens tokens;
    struct board_times times;
    double seconds[PARTS];
    uint64_t clocks, seeds;
};

static double lap(double *since)
{
    double now = progress_wall_s(), seconds = now - *since;
    *since = now;
    return seconds;
}

static struct bus_share share_at(const struct bench *b, const struct board *board, uint64_t first)
{
    double clock_hz = b->hardware.fpga_clock_hz, ticks = (double)BOARD_TICKS_PER_CLOCK;
    double word_s = BYTES_PER_WORD / hardware_bus_bytes_per_s(&b->hardware);
    double supply_ticks = BYTES_PER_WORD / b->hardware.host_supply * clock_hz * ticks;
    return (struct bus_share){
        .begin = first ? board_bus_free(board) : 0,
        .word_ticks = (int64_t)(word_s * clock_hz * ticks),
        .record_ticks = (int64_t)(2 * word_s * clock_hz * ticks),
        .supply_first = (int64_t)((double)first * supply_ticks),
        .supply_ticks = (int64_t)supply_ticks,
    };
}

static void run_pass(struct bench *b, const struct query_segment *segment)
{
    double since = progress_wall_s();
    struct pass *pass = pass_new(&b->hardware.pass, &b->query, segment, &b->database, b->index);
    struct board *board = board_new(&b->hardware.board);
    struct board_taps taps;
    struct pass_counts counts = {0};
    board_taps_init(&taps, &b->hardware.board);
    b->seconds[PART_TABLES] += lap(&since);
    uint64_t block = b->hardware.pcix_block_bytes / BYTES_PER_WORD;
    for (uint64_t first = 0; first < b->database.word_count; first += block) {
        uint64_t left = b->database.word_count - first;
        pass_scan(pass, first, left < block ? left : block, &b->tokens, &counts);
        b->seconds[PART_STAGES] += lap(&since);
        struct bus_share share = share_at(b, board, first);
        board_advance(board, &b->tokens, &share, &b->times);
        b->seconds[PART_TIMING] += lap(&since);
        if (!board_taps_block(&taps, &b->tokens, &b->times))
            exit(1);
        b->seconds[PART_TAPS] += lap(&since);
    }
    b->clocks += (uint64_t)board_drained(board);
    b->seeds += counts.seeds;
    board_taps_destroy(&taps);
    board_destroy(board);
    pass_destroy(pass);
}

static void report(const struct bench *b, size_t passes)
{
    double wmers = (double)b->database.word_count * BASES_PER_WORD * (double)passes;
    double simulated_s = (double)b->clocks / b->hardware.fpga_clock_hz, board_s = 0;
    printf("%zu passes, %.4g Mwmers, %.3f%% seeds, %.4g ms simulated\n", passes, wmers / 1e6,
           100 * (double)b->seeds / wmers, 1e3 * simulated_s);
    for (int part = 0; part < PARTS; part++) {
        printf("%-14s %8.3f ms  %7.4f ns/w-mer  %7.2f ns/seed  %6.3f x simulated\n", part_names[part],
               1e3 * b->seconds[part], 1e9 * b->seconds[part] / wmers,
               1e9 * b->seconds[part] / (double)b->seeds, b->seconds[part] / simulated_s);
        board_s += part == PART_TABLES ? 0 : b->seconds[part];
    }
    printf("%-14s %8.3f ms  %7.4f ns/w-mer  %7.2f ns/seed  %6.3f x simulated\n", "board", 1e3 * board_s,
           1e9 * board_s / wmers, 1e9 * board_s / (double)b->seeds, board_s / simulated_s);
}

int main(int argc, char **argv)
{
    struct bench b = {.hardware = hardware_default()};
    struct why why;
    if (argc < 3 || hardware_check(&b.hardware, &why) || sequences_read(argv[1], &b.query, &why) ||
        sequences_read(argv[2], &b.database, &why)) {
        fprintf(stderr, "bench_board: %s\n", argc < 3 ? "needs QUERY DATABASE [SEGMENTS [FIRST]]" : why.line);
        return 2;
    }
    b.segments = segments_cut(b.query.records[0].bases, b.hardware.query_segment, b.hardware.query_overlap,
                              STRANDS_PLUS, &b.segment_count);
    size_t passes = argc > 3 ? strtoul(argv[3], NULL, 10) : b.segment_count;
    size_t first = argc > 4 ? strtoul(argv[4], NULL, 10) : 0, done = 0;
    double since = progress_wall_s();
    if (bloom_index_pays(&b.hardware.pass.bloom, b.database.word_count, passes))
        b.index = bloom_index_new(&b.hardware.pass.bloom, &b.database);
    b.seconds[PART_TABLES] += lap(&since);
    for (; done < passes && first + done < b.segment_count; done++)
        run_pass(&b, &b.segments[first + done]);
    report(&b, done);
    bloom_index_destroy(b.index);
    return 0;
}
