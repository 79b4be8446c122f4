/* machine_frame.h - the frame of a pass on the machine: which counters, queues, ratios and limits it has.
 *
 * Models    TimeTrial's taps at every FIFO and port of the board (docs/measuring.md): queue occupancies with their
 *           histograms, back-pressure signals, elements in and out of every stage. docs/hardware.md defines the
 *           signals and utilisations at the end of "One clock, in this order".
 * Names     the frame's layout (traces/frame.h) groups numbers under the papers' stage names: pcix, stage_1a,
 *           stage_1b, stage_2, stage_3. An enumerator is its number's name in summary.json: S1A_WMERS is
 *           stage_1a.wmers.
 * Adding    a counter needs its row here, which is what summary.json, passes.tsv, their schemas and `mercury explain`
 *           say about it, and the line that fills it in machine_frame.c.
 * Memory    values are aggregated while the pass runs; nothing is kept per element.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "traces/frame.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"

/* clang-format off */
/* ROW(id, members of struct counter_spec ...): the sources are those of traces/sources.h. */
#define MACHINE_COUNTER_ROWS(ROW) \
    ROW(PCIX_WORDS_IN, "pcix", "words_in", COUNTER_FLOW, "words", "database words of 16 bases that were " \
        "delivered to the board", "counted at the ingress FIFO", TIMETRIAL), \
    ROW(PCIX_DATABASE_BYTES, "pcix", "database_bytes", COUNTER_FLOW, "bytes", "bytes of the database that " \
        "crossed the bus", "words_in x 8 bytes", TIMETRIAL ", section IV.B"), \
    ROW(PCIX_TABLE_BYTES, "pcix", "table_bytes", COUNTER_COUNT, "bytes", "hash tables and Bloom filters that " \
        "crossed the bus before the passes", "sizes of the tables in hardware, added over all passes"), \
    ROW(PCIX_RECORD_BYTES, "pcix", "record_bytes", COUNTER_FLOW, "bytes", "HSP records that crossed the bus to " \
        "the host", "HSPs x hsp_bytes"), \
    ROW(PCIX_RECORD_BURSTS, "pcix", "record_bursts", COUNTER_COUNT, "bursts", "bursts in which HSP records " \
        "crossed the bus", "counted: a burst that is full, has waited for hsp.flush_clocks, or ends a block"), \
    ROW(PCIX_TABLE_LOAD, "pcix", "table_load", COUNTER_TIME, "s", "time in which filters and tables cross the " \
        "bus while their passes wait", "timed on the bus that all passes share"), \
    ROW(PCIX_BUSY, "pcix", "busy", COUNTER_TIME, "s", "time in which the bus moves data while the board works", \
        "timed while any transfer is under way, at the full rate; records of the last block that cross after the " \
        "board is empty are left out"), \
    ROW(PCIX_STALLED, "pcix", "stalled", COUNTER_TIME, "s", "time in which words wait on the bus for room on the " \
        "board, and nothing else crosses", "delay of each block by the board's full queues, less the time in " \
        "which records cross", TIMETRIAL), \
    ROW(PCIX_MEASURED_TIME, "pcix", "measured_time", COUNTER_TIME, "s", "time in which the board works", \
        "clocks / clock_hz"), \
    ROW(S1A_WORDS, "stage_1a", "words", COUNTER_FLOW, "words", "words of 16 w-mers each that the Bloom filter " \
        "took", "counted", TIMETRIAL), \
    ROW(S1A_INPUT, "stage_1a", "input", COUNTER_BUSY, "clocks", "clocks in which stage 1a took a word", "counted", \
        TIMETRIAL, "fraction of clocks in which stage 1a took a word; the model's rho_1a", DOR_FIGURES), \
    ROW(S1A_WMERS, "stage_1a", "wmers", COUNTER_FLOW, "w-mers", "11-base words of the database that were looked " \
        "up in the Bloom filter", "words x 16", MERCURY), \
    ROW(S1A_INVALID_WMERS, "stage_1a", "invalid_wmers", COUNTER_COUNT, "w-mers", \
        "w-mers with a base other than A, C, G, T, or across two records; they never match", \
        "counted; they pass through stage 1a like the others"), \
    ROW(S1A_SEEDS_OUT, "stage_1a", "seeds_out", COUNTER_FLOW, "seeds", "w-mers that passed the Bloom filter", \
        "counted", MERCURY), \
    ROW(S1A_FALSE_POSITIVES, "stage_1a", "false_positives", COUNTER_COUNT, "w-mers", \
        "seeds whose w-mer is not in the query: the mistakes of the Bloom filter", \
        "counted if stage 1b finds nothing", DOR ", section 2.4"), \
    ROW(S1A_WMERS_FILTERED, "stage_1a", "wmers_filtered", COUNTER_COUNT, "w-mers", \
        "w-mers that the Bloom filter kept away", "wmers - seeds_out"), \
    ROW(S1B_SEEDS, "stage_1b", "seeds", COUNTER_FLOW, "seeds", "seeds that entered stage 1b", \
        "counted at the wmer FIFO", TIMETRIAL), \
    ROW(S1B_INPUT, "stage_1b", "input", COUNTER_BUSY, "clocks", "clocks in which stage 1bp issued the primary " \
        "read of a seed", "counted", TIMETRIAL, "fraction of clocks in which stage 1bp issued a read", TIMETRIAL), \
    ROW(S1B_SRAM_READS, "stage_1b", "sram_reads", COUNTER_BUSY, "clocks", "reads of the SRAM, which takes one " \
        "per clock", "a primary lookup takes 1 read, a trip of n positions ceil(n/2)", DOR ", section 6.1", \
        "fraction of clocks in which the SRAM is read (with sram.trips_in_flight above 1, the sum of both " \
        "tables' fractions); the model's M_2 if 1b is saturated", DOR ", section 6.1"), \
    ROW(S1B_DUPLICATE_STAGE, "stage_1b", "duplicate_stage", COUNTER_BUSY, "clocks", \
        "clocks in which stage 1bd holds a lookup or makes a trip", "sum over lookups, from the clock it is " \
        "taken to the clock the next may be taken", NULL, "fraction of clocks in which stage 1bd is busy; near 1 " \
        "it limits the pipeline"), \
    ROW(S1B_LOOKUPS_EMPTY, "stage_1b", "lookups_empty", COUNTER_COUNT, "lookups", \
        "lookups that met a free slot: false positives, seen at once", "counted", MERCURY), \
    ROW(S1B_LOOKUPS_MISMATCH, "stage_1b", "lookups_mismatch", COUNTER_COUNT, "lookups", \
        "lookups that met the slot of another w-mer: also false positives", "counted", MERCURY), \
    ROW(S1B_LOOKUPS_MATCH, "stage_1b", "lookups_match", COUNTER_COUNT, "lookups", \
        "lookups that the primary table answered with one or two positions", "counted", DOR ", section 6.1"), \
    ROW(S1B_LOOKUPS_DUPLICATE, "stage_1b", "lookups_duplicate", COUNTER_COUNT, "lookups", \
        "lookups that were sent on to the duplicate table, because there are more than two positions or two " \
        "w-mers collide in the slot", "counted", DOR ", section 6.1"), \
    ROW(S1B_LOOKUPS_DUPLICATE_WITHOUT_MATCH, "stage_1b", "lookups_duplicate_without_match", COUNTER_COUNT, \
        "lookups", "lookups that found nothing in the duplicate table either", "counted"), \
    ROW(S1B_SEEDS_FILTERED, "stage_1b", "seeds_filtered", COUNTER_COUNT, "seeds", "seeds that yield no match", \
        "lookups_empty + lookups_mismatch + lookups_duplicate_without_match"), \
    ROW(S1B_TRIPS, "stage_1b", "trips", COUNTER_COUNT, "trips", "trips to the duplicate table; each takes 60 " \
        "clocks and brings up to 5 positions (probes of the primary table with table.collision = probe)", \
        "counted", DOR ", section 6.1"), \
    ROW(S1B_MATCHES_OUT, "stage_1b", "matches_out", COUNTER_FLOW, "matches", "pairs of a query position and a " \
        "database position that were handed to stage 2", "counted", MERCURY), \
    ROW(S2_MATCHES, "stage_2", "matches", COUNTER_FLOW, "matches", "matches that stage 2 extended without gaps", \
        "counted", TIMETRIAL), \
    ROW(S2_INPUT, "stage_2", "input", COUNTER_BUSY, "clocks", "clocks in which stage 2 took a match", "counted", \
        TIMETRIAL, "fraction of clocks in which stage 2 took a match; the model's rho_2", DOR_FIGURES), \
    ROW(S2_MATCHES_FILTERED, "stage_2", "matches_filtered", COUNTER_COUNT, "matches", \
        "matches whose extension in the 64-base window stays below the threshold", "matches - hsps_out", MERCURY), \
    ROW(S2_HSPS_OUT, "stage_2", "hsps_out", COUNTER_FLOW, "HSPs", "matches whose best ungapped extension reaches " \
        "the threshold", "counted", MERCURY), \
    ROW(S3_HSPS, "stage_3", "hsps", COUNTER_FLOW, "HSPs", "HSPs that reached the host", "counted at the inbox", \
        TIMETRIAL), \
    ROW(S3_HSPS_CONTAINED, "stage_3", "hsps_contained", COUNTER_COUNT, "HSPs", "HSPs inside an alignment that " \
        "was already found; they cost only the check", "counted", "Altschul et al., Nucleic Acids Research 25, " \
        "1997"), \
    ROW(S3_HSPS_EXTENDED, "stage_3", "hsps_extended", COUNTER_COUNT, "HSPs", "HSPs that stage 3 extended with " \
        "gaps", "hsps - hsps_contained"), \
    ROW(S3_CELLS, "stage_3", "cells", COUNTER_COUNT, "cells", "cells of dynamic programming that stage 3 computed" \
        , "counted in the extension itself"), \
    ROW(S3_DRAIN, "stage_3", "drain", COUNTER_TIME, "s", "time in which only stage 3 works: of a pass, from its " \
        "board's last element to the last aligned HSP; of a run, what building and loading tables and streaming " \
        "leave of it: joining, and of several boards or hosts also the time for which they are free, as the mean " \
        "over those that had passes", "timed; passes overlap (schedule.overlap), so that theirs do not add up"), \
    ROW(S3_CORE_BUSY, "stage_3", "core_busy", COUNTER_TIME, "s", "time in which the cores extend, added over the " \
        "cores; of a run, in which they build tables, too", "(cells x stage3.cycles_per_cell + checks x " \
        "stage3.cycles_per_check) / host.clock, and build_s"), \
    ROW(S3_CORE_TIME, "stage_3", "core_time", COUNTER_TIME, "s", "time for which the cores are available, added " \
        "over the cores", "simulated time x cores"), \
    ROW(S3_BUILD_OPERATIONS, "stage_3", "build_operations", COUNTER_COUNT, "operations", \
        "operations of the host's cores that build Bloom filters and tables of the passes", \
        "w-mers that are put in + slots of the primary table + displacements that are tried"), \
    ROW(S3_BUILD, "stage_3", "build", COUNTER_TIME, "s", "time in which the cores build Bloom filters and " \
        "tables, added over the cores", "build_operations x host.build_clocks / host.clock"), \
    ROW(S3_BUILD_WAIT, "stage_3", "build_wait", COUNTER_TIME, "s", "time for which boards wait for tables to be " \
        "built, added over the boards", "timed; a pass begins when its board is free and its tables are built"), \
    ROW(S3_ALIGNMENTS_JOINED, "stage_3", "alignments_joined", COUNTER_COUNT, "alignments", \
        "alignments that borders of segments cut and that were joined at the end", "counted"), \
    ROW(S3_JOIN_CELLS, "stage_3", "join_cells", COUNTER_COUNT, "cells", "cells of dynamic programming that were " \
        "computed for joining", "counted"), \
    ROW(S3_JOIN, "stage_3", "join", COUNTER_TIME, "s", "time that joining takes, at the end of the drain", \
        "the jobs run in order, each on the core that is free first")

/* ROW(id, members of struct gauge_spec ...) */
#define MACHINE_GAUGE_ROWS(ROW) \
    ROW(GAUGE_CAPACITY_BYTES_PER_S, "pcix", "capacity_bytes_per_s", "bytes/s", "bytes that the bus can move per " \
        "second", "pcix.bandwidth x pcix.efficiency", DOR ", section 4.3.5"), \
    ROW(GAUGE_HOST_SUPPLY_BYTES_PER_S, "pcix", "host_supply_bytes_per_s", "bytes/s", \
        "bytes of the database that the host can supply per second", "parameter host.supply", DOR \
        ", Figure 11 (lambda_in of run 1)"), \
    ROW(GAUGE_HSP_BYTES, "pcix", "hsp_bytes", "bytes", "size of an HSP's record on the bus", "parameter hsp.bytes"), \
    ROW(GAUGE_CLOCK_HZ, "stage_1a", "clock_hz", "Hz", "frequency of the FPGA's clock", "parameter fpga.clock", DOR \
        ", section 4.3.5"), \
    ROW(GAUGE_CORES, "stage_3", "cores", "cores", "number of the host's cores that extend with gaps", \
        "parameter host.cores", TIMETRIAL ", section IV.B"), \
    ROW(GAUGE_TRIP_CYCLES, "stage_1b", "trip_cycles", "clocks", "duration of a trip to the duplicate table", \
        "parameter sram.trip_cycles, or sram.read_cycles with table.collision = probe"), \
    ROW(GAUGE_TRIPS_IN_FLIGHT, "stage_1b", "trips_in_flight", "trips", "results of trips and matches that may be " \
        "under way to stage 2", "parameter sram.trips_in_flight"), \
    ROW(GAUGE_FETCH_CYCLES, "stage_2", "fetch_cycles", "clocks", "time until the bases around a match have " \
        "arrived", "parameter stage2.fetch_cycles"), \
    ROW(GAUGE_WMER_MARGIN, "stage_1b", "wmer_margin", "seeds", "the wmer FIFO signals back-pressure if fewer " \
        "places than this are free", "parameter fifo.wmer_margin"), \
    ROW(GAUGE_SRAM_MARGIN, "stage_1b", "sram_margin", "lookups", "places of the SRAM FIFO that are kept for " \
        "reads in flight", "parameter fifo.sram_margin"), \
    ROW(GAUGE_STAGE2_MARGIN, "stage_2", "stage2_margin", "matches", "the stage-2 FIFO signals back-pressure if " \
        "fewer places than this are free", "parameter fifo.stage2_margin")
/* clang-format on */

#define MACHINE_FRAME_ID(id, ...) id

/** Indices of a frame's counters, and of its gauges. */
enum machine_counter { MACHINE_COUNTER_ROWS(MACHINE_FRAME_ID), MACHINE_COUNTERS };
enum machine_gauge { MACHINE_GAUGE_ROWS(MACHINE_FRAME_ID), MACHINE_GAUGES };

/** Indices of a frame's queues: the board's FIFOs (enum board_fifo), then the queues in software, before the bus and
 *  before stage 3. */
enum { QUEUE_HOST = BOARD_FIFOS, QUEUE_INBOX, MACHINE_QUEUES };

extern const struct frame_layout machine_layout;

/** What the bus did in a pass; struct pass_counts has what the board did. */
struct bus_counts {
    uint64_t table_bytes, database_bytes, record_bytes; /* over the bus */
    uint64_t record_bursts;
    wide_uint bus_busy_ps;    /* time in which the bus moved data, until the board was empty */
    wide_uint bus_stalled_ps; /* time in which words waited on the bus for room, and nothing else moved */
    wide_uint load_ps;        /* loading tables, before the first word */
};

/** What stage 3 did in a pass. */
struct host_counts {
    uint64_t hsps;                /* HSPs that stage 3 looked at */
    uint64_t hsps_contained;      /* HSPs inside an alignment that was already found */
    uint64_t cells;               /* cells of dynamic programming */
    double begin_s;               /* of the pass, since the run began */
    double busy_s;                /* sum over the cores */
    double build_s, build_wait_s; /* of its tables: the time of a core, and that for which its board waited */
    uint64_t build_operations;
    double drain_s;    /* from the board's last element to the last aligned HSP */
    double duration_s; /* from the pass's begin until board and stage 3 have finished with it */
};

/** Write a pass's frame, but for the host's side.
 *
 * @param taps        closed at clock `end`, when the board is empty
 * @param host_queue  tap on the host queue, already closed
 */
void machine_frame_fill(struct frame *frame, const struct board_taps *taps, int64_t end,
                        const struct hardware *hardware, const struct pass_counts *counts,
                        const struct bus_counts *bus, const struct fifo_measure *host_queue);

/** Write the host's side of a pass's frame. @param inbox  tap on stage 3's queue, already closed */
void machine_frame_fill_host(struct frame *frame, const struct hardware *hardware,
                             const struct host_counts *counts, const struct fifo_measure *inbox);

/** Set what passes that overlap do not add up to: the run's duration, its number of boards, its drain (mean over the
 * boards that had passes), the time of all cores, and stage 3's queue over the run.
 *
 * @param run    the sum over the passes' frames
 * @param passes their number
 * @param inbox  from the begin of the run to its end; of several hosts the sum of theirs, whose clocks are added, too
 */
void machine_frame_end_run(struct frame *run, const struct hardware *hardware, size_t passes,
                           double duration_s, const struct fifo_measure *inbox);

/** Seconds of joining: until the last core has finished. */
double machine_frame_join_s(const struct stitch_work *join, const struct hardware *hardware);

/** Add the host's last work to a run's frame: joining the alignments that borders of segments cut. Each job runs on the
 * core of the first host that is free first. Duration and drain grow by the time of the last core. */
void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware);

/** Check conservation: what enters a stage leaves it or is filtered, by the stages' counts and by the queues' own.
 * @return NULL, or the name of the balance that is broken, which is a bug in the simulator */
const char *machine_frame_find_loss(const struct frame *frame);
