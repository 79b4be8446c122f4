/* pass_simulation.h - one pass through the whole machine: the stages, or a record of them, in a simulated system.
 *
 * Models    a query segment against the database. Stages 1a to 2 (blast/stages12/pass.h) and 3 (blast/stage3/stage3.h)
 *           really compute; sim/simgrid/system.h says when, up to where the board is free. Their tokens can be
 *           recorded, and timed again (sim/tokens/token_record.h).
 * Limits    one call per process: SimGrid has one engine per process (pass_pool.h).
 * Errors    an enum pass_error; the result's `why` says what failed.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "blast/stages12/bloom.h"
#include "traces/frame.h"
#include "sim/board/hardware.h"
#include "sim/tokens/stream_windows.h"
#include "sim/tokens/token_record.h"
#include "sim/drawing/pass_outline.h"
#include "sim/simgrid/events.h"
#include "sim/simgrid/system.h"

/** The errors of everything that simulates passes: also of pass_pool.h, passes.h and app/sweep/point/sweep_run.c. */
enum pass_error {
    PASS_EMEMORY = -1,   /* a process of a pass has exhausted memory, or files */
    PASS_EPROCESS = -2,  /* a pass's process could not be started, or died */
    PASS_EBUG = -3,      /* a measurement contradicts itself: Little's law, conservation */
    PASS_ERECORD = -4,   /* a record contradicts itself */
    PASS_EENGINE = -5,   /* SimGrid is missing, or the events cannot be run or differ from the recurrences */
    PASS_EPLATFORM = -8, /* SimGrid refuses the platform */
    PASS_ELONG = -7,     /* the simulated time is longer than clocks can be counted */
    PASS_EROOM = -9,     /* two passes' tables have no room in the board's SRAM (sram.bytes) */
    PASS_EFILE = -6, /* a file of the run, or a temporary one, cannot be made or written: the disk is full */
};

/** Refuse a run whose clocks cannot be counted: hardware_counts_clocks(). @return PASS_ELONG */
int pass_explain_long_run(struct why *why);

/** Usual blocks have some thousands of matches. */
enum { PASS_CROWD = 1 << 20 };

struct pass_simulation {
    const struct hardware *hardware;
    const char *platform_file; /* that simgrid_load_platform() takes; the platform is checked */
    const struct sequences *query;
    const uint8_t *query_codes; /* of the segment's strand, the whole query */
    const struct sequences *database;
    const struct bloom_index *index; /* of the database under the hardware's Bloom filter, or NULL (pass.h) */
    struct query_segment segment;
    const struct scoring_statistics *statistics;
    struct stage3_least least;
    /* If tables overlap: what the next pass loads meanwhile, pass_table_bytes(), and whether this pass did. */
    uint64_t next_table_bytes;
    bool tables_are_loaded;
    const atomic_uint *threads; /* that may scan: scan_ahead.h; NULL is one */
    atomic_ullong *crowd;     /* receives the number of matches of a block with PASS_CROWD or more; or NULL */
    uint64_t window_words;    /* count tokens in windows of so many words; 0: in none */
    bool events;              /* run the board by events, too (event_log_compare()) */
    bool only_tokens;         /* compute and record, but simulate no time */
    struct stage3_tasks room; /* for HSPs: system_pass.h */
    bool record;              /* record the tokens */
    int spool;                /* file of token_record_spool() that the tokens are recorded in */
    struct pass_instruments instruments;
};

/** End a recorded pass on a board, which has an enum system_error or 0. @return an enum pass_error and one line */
int pass_end_recorded(int status, struct token_reader *reader, struct why *why);

/** The blocks of a pass that is run by events, too (`--engine events`): what bus and host gave every one (w, v, h),
 *  and its tokens. After the pass every word, seed, trip, match and record goes through SimGrid actors (events.h). */
struct event_log {
    struct events_block *blocks;
    size_t count, room;
};

/** Keep a block: the `watch_block` of struct pass_instruments, whose `watcher` is a struct event_log. */
void event_log_block(void *log, const struct tokens *tokens, const struct bus_share *share);
void event_log_destroy(struct event_log *log);

/** Run blocks by events. Every clock of every element must be the one that the recurrences gave, so that taps and
 *  directives measure the same by either engine: a difference is a bug of Mercury's.
 *
 * @param frame  of their pass, after SimGrid has run in this process; NULL: it has not
 * @return 0, PASS_EMEMORY or PASS_EENGINE
 */
int event_log_compare(const struct event_log *log, const struct hardware *hardware, const struct frame *frame,
                      struct why *why);

struct pass_result {
    struct why why;        /* says what failed */
    struct frame frame;    /* without the host's side (joined_hosts.h) */
    struct host_pass host; /* the tasks of stage 3: the caller's to destroy */
    struct system_wall wall;
    double wall_tables_s; /* wall clock of building Bloom filter and tables */
    struct sram_load tables;
    bool searched;                    /* stage 3 computed, so that there are alignments */
    struct alignment_list alignments; /* of this pass, not culled */
    struct pass_outline outline;      /* for the timeline; empty if there is none */
    struct stream_windows windows;    /* that were asked for */
};

/** Number of bytes that the tables of a segment take on the bus. */
uint64_t pass_table_bytes(const struct hardware *hardware, const struct sequences *query,
                          const struct query_segment *segment);

/** Refuse a pass on a board that loads tables while it streams, if its SRAM has no room for two such tables.
 *
 * @param table_bytes  of the pass, on the bus
 * @return 0 or PASS_EROOM
 */
int pass_check_room(const struct hardware *hardware, uint64_t table_bytes, struct why *why);

/** Simulate a pass.
 *
 * @param result  filled on success; its alignments and tasks are the caller's to destroy
 */
int pass_simulate(const struct pass_simulation *pass, struct pass_result *result);

/** Simulate a recorded pass with another Bloom filter or other tables. Stages 1a to 2 compute; what stage 3 did with
 * their HSPs is read from the record, since Bloom filter and tables change which seeds are false and where trips are
 * made, but not which HSPs are found (HARDWARE_STRUCTURE).
 *
 * @param pass    as for pass_simulate(); statistics, codes and least scores are ignored
 * @param record  its pass `recorded_pass` is of the same segment, under the same parameters of the search
 * @param result  filled on success, without alignments
 * @return also PASS_ERECORD, if the HSPs differ from those of the record
 */
int pass_rescan(const struct pass_simulation *pass, const struct token_record *record, size_t recorded_pass,
                struct pass_result *result);

/** Time a recorded pass again; the parameters that change what the stages compute must be the recorded ones.
 *
 * @param pass    hardware, platform file and instruments; the rest is ignored
 * @param result  filled on success, without tables and alignments
 */
int pass_retime(const struct pass_simulation *pass, const struct token_record *record, size_t recorded_pass,
                struct pass_result *result);
