#include "sim/simgrid/pass_actors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "traces/queue_tap.h"
#include "sim/board/machine_part.h"
#include "sim/board/record_bursts.h"
#include "sim/measure/machine_quantities.h"
#include "sim/measure/machine_frame.h"
#include "sim/simgrid/bus_use.h"

/* A block of database on its way to the board. */
struct block {
    uint64_t first_word, words;
    double supply_begin_s; /* the host begins to supply it */
    double begin_s;        /* its transfer begins */
    double records_s;      /* for which records have been on the bus by then */
};

/* The records of one block on their way to the host. What stage 3 does with them is in the pass's tasks already, which
 * have the ticks in which they left the egress FIFO until it is known when they arrive. */
struct extension {
    struct extension *next;
    size_t first, count; /* among the pass's HSPs */
    struct record_bursts bursts;
    int64_t last_left; /* tick of the board in which the last left the egress FIFO */
    double entered_s;  /* time at which the last HSP entered the egress FIFO */
};

/* First-in first-out between two actors of one host; taking from an empty queue blocks. */
struct extension_queue {
    struct extension *first, **last;
    sg_sem_t filled;
};

/* HSPs that stage 3 takes at once. */
enum { WORK_HSPS = 1024 };

enum { ACTORS_MAX = 11 };

struct pass_actors {
    struct pass_actor {
        struct pass_actors *pass;
        void (*work)(struct pass_actors *);
    } actors[ACTORS_MAX];
    unsigned actor_count;
    const struct board_place *place;
    const struct pass_instruments *tools;
    const struct hardware *hardware;
    const struct stage_source *source;
    struct frame *frame;
    struct host_pass *pass;
    struct system_wall *wall;
    int status;
    unsigned users; /* number of actors that have not ended, and the caller */
    double begin_s; /* all other times are since then */

    sg_mailbox_t to_board, to_tables, to_host;
    sg_sem_t tables_loaded, next_loaded, host_queue_places, supply_begun, bus_free, results_home, ended;
    bool tables_are_loaded;
    uint64_t next_table_bytes; /* that load while this pass streams; 0 if none do */
    double next_built_s;       /* when these were built, or as early as they can load */
    double next_wait_s;        /* until then, since the board was free */
    double *supply_begin_s;    /* of every block; until known, when it gets its place in the host queue */
    uint64_t block_count, words_per_block;

    struct block block; /* the block on the bus or being worked on */

    double stream_begin_s; /* clock 0 of the board */
    /* The turns of blocks and of records, unless they share the bus. */
    bool block_moves, block_waits, records_move, records_wait;
    unsigned records_left; /* transfers of records that have not ended */
    double next_block_s;   /* before that the next block cannot begin */
    sg_sem_t block_turn, records_turn;

    struct bus_use bus;         /* from stream_begin_s until the board is empty */
    struct bus_use records_out; /* by the pass's own records, since then */
    int64_t block_delay;        /* bus_use_delay() of the block being worked on */
    int64_t block_delivered;    /* clock in which its first word was on the board */
    struct extension records;   /* its records so far */
    double bus_stalled_s;
    struct extension_queue egress;
    struct extension end_mark;            /* follows the last extension through all queues */
    struct extension_queue frame_records; /* if measuring is charged: `count` is in bytes there */
    struct extension records_end_mark;
    sg_mailbox_t to_agent;
    sg_sem_t records_home;
    uint64_t records_waiting; /* bytes */
    struct stage3_work work[WORK_HSPS];
    size_t hsps_left;     /* number of HSPs that have left the board so far */
    int64_t last_arrived; /* ticks in which the last record was in the host's memory */

    struct board *board;
    struct tokens tokens;
    struct overdrive overdrive;
    struct board_times times;
    struct board_taps taps;
    struct machine_batches batches;
    /* For each block that has left the host queue: the clocks in which it came and left. */
    int64_t *queue_arrivals, *queue_departures;
    size_t queue_left;
    struct pass_counts counts;
    struct bus_counts bus_counts;
};

static void fail(struct pass_actors *m)
{
    if (m->status != SYSTEM_ELONG)
        m->status =
            m->pass->tasks.file_failed || board_taps_file_failed(&m->taps) ? SYSTEM_EFILE : SYSTEM_EPASS;
}

/* --- time ------------------------------------------------------------------------------------------------ */

static double clocks_between(const struct pass_actors *m, double from_s, double to_s)
{
    return (to_s - from_s) * m->hardware->fpga_clock_hz;
}

/* A pass of more clocks than can be timed is refused. */
static int64_t ticks_of(struct pass_actors *m, double clocks)
{
    if (clocks < (double)BOARD_CLOCKS_MAX)
        return llround(clocks * (double)BOARD_TICKS_PER_CLOCK);
    m->status = SYSTEM_ELONG;
    return 0;
}

static double clocks_of(int64_t ticks)
{
    return (double)ticks / (double)BOARD_TICKS_PER_CLOCK;
}

static int64_t ticks_at(struct pass_actors *m, double time_s)
{
    return ticks_of(m, clocks_between(m, m->stream_begin_s, time_s));
}

static double time_at(const struct pass_actors *m, int64_t ticks)
{
    return m->stream_begin_s + clocks_of(ticks) / m->hardware->fpga_clock_hz;
}

static int64_t clock_at(struct pass_actors *m, double time_s)
{
    return board_clock_at(ticks_at(m, time_s));
}

static double now_s(const struct pass_actors *m)
{
    return simgrid_get_clock() - m->begin_s;
}

/* SimGrid would lengthen a shorter sleep, such as a rounding, to its precision. */
static void sleep_until(const struct pass_actors *m, double time_s)
{
    if (time_s - now_s(m) > SIMGRID_PRECISION_S)
        sg_actor_sleep_until(m->begin_s + time_s);
}

/* --- actors ---------------------------------------------------------------------------------------------- */

/* An actor ends, or the caller has what it wants: some actors end after that. */
static void end_use(struct pass_actors *m)
{
    if (--m->users > 0)
        return;
    free(m->supply_begin_s);
    record_bursts_destroy(&m->records.bursts);
    board_destroy(m->board);
    tokens_destroy(&m->tokens);
    tokens_destroy(&m->overdrive.out);
    board_times_destroy(&m->times);
    board_taps_destroy(&m->taps);
    free(m->queue_arrivals);
    free(m->queue_departures);
    free(m);
}

/* The code of every actor of a pass. */
static void act(int argc, char **argv)
{
    (void)argc, (void)argv;
    const struct pass_actor *actor = sg_actor_self_get_data();
    struct pass_actors *m = actor->pass;
    actor->work(m);
    end_use(m);
}

static void start_actor(struct pass_actors *m, const char *name, sg_host_t host,
                        void (*work)(struct pass_actors *))
{
    struct pass_actor *actor = &m->actors[m->actor_count++];
    *actor = (struct pass_actor){m, work};
    m->users++;
    simgrid_engine_add_actor(name, host, act, actor);
}

/* --- the bus --------------------------------------------------------------------------------------------- */

static void log_transfer(struct pass_actors *m, sg_mailbox_t to, double begin_s, uint64_t bytes)
{
    struct transfer_log *log = m->tools->transfers;
    struct transfer transfer = {.begin_s = m->begin_s + begin_s,
                                .end_s = m->begin_s + now_s(m),
                                .bytes = bytes,
                                .kind = to != m->to_board && to != m->to_tables         ? TRANSFER_RECORDS
                                        : to == m->to_tables && m->next_table_bytes > 0 ? TRANSFER_AHEAD
                                                                                        : TRANSFER_AWAITED};
    if (log && bytes > 0)
        transfer_log_add(log, &transfer);
}

/* Move bytes over the bus in a number of bursts; SimGrid requires a payload. */
static void move_bursts(struct pass_actors *m, sg_mailbox_t to, void *payload, uint64_t bytes,
                        uint64_t bursts)
{
    struct shared_bus *bus = m->place->bus;
    double begin_s = now_s(m);
    bus->transfers++;
    for (unsigned i = 0; i < bus->stream_count; i++)
        bus_use_begin(&bus->streams[i]->bus, now_s(bus->streams[i]));
    sg_mailbox_put(to, payload, (long)hardware_link_bytes(m->hardware, bytes, bursts));
    bus->transfers--;
    for (unsigned i = 0; i < bus->stream_count; i++)
        bus_use_end(&bus->streams[i]->bus, now_s(bus->streams[i]));
    log_transfer(m, to, begin_s, bytes);
}

static void move(struct pass_actors *m, sg_mailbox_t to, void *payload, uint64_t bytes)
{
    move_bursts(m, to, payload, bytes, hardware_bursts(m->hardware, bytes));
}

/* --- turns on the bus (pcix.priority) -------------------------------------------------------------------- */

static void take_turn(bool *waits, sg_sem_t turn)
{
    *waits = true;
    sg_sem_acquire(turn);
}

static void give_turn(bool *waits, sg_sem_t turn)
{
    const bool waited = *waits;
    *waits = false; /* who is let go may wait again at once */
    if (waited)
        sg_sem_release(turn);
}

/* A block can begin. What has begun before ends first, and records that go first do. */
static void begin_block(struct pass_actors *m)
{
    const enum bus_priority priority = m->hardware->pcix_priority;
    while ((priority == BUS_BLOCKS_FIRST && m->records_move) ||
           (priority == BUS_RECORDS_FIRST && m->records_left > 0))
        take_turn(&m->block_waits, m->block_turn);
    m->block_moves = true;
}

/* A block has crossed. Records whose last word is a clock before the next block leave the bus to it. */
static void end_block(struct pass_actors *m, const struct block *block)
{
    const uint64_t next = block->first_word / m->words_per_block + 1;
    const double supplied_s =
        block->supply_begin_s + (double)(block->words * BYTES_PER_WORD) / m->hardware->host_supply;
    m->block_moves = false;
    m->next_block_s = INFINITY;
    if (m->status == 0 && next < m->block_count)
        m->next_block_s =
            fmax(fmax(supplied_s, m->supply_begin_s[next]), time_at(m, board_bus_free(m->board)));
    give_turn(&m->records_wait, m->records_turn);
}

static void begin_records(struct pass_actors *m)
{
    const enum bus_priority priority = m->hardware->pcix_priority;
    const double clock_s = 1 / m->hardware->fpga_clock_hz;
    while (priority == BUS_BLOCKS_FIRST && (m->block_moves || now_s(m) + clock_s >= m->next_block_s))
        take_turn(&m->records_wait, m->records_turn);
    m->records_move = true;
}

static void end_records(struct pass_actors *m)
{
    m->records_move = false;
    m->records_left--;
    give_turn(&m->block_waits, m->block_turn);
}

/* --- queues of extensions ---------------------------------------------------------------------------------- */

static void extension_queue_init(struct extension_queue *q)
{
    *q = (struct extension_queue){.filled = sg_sem_init(0)};
    q->last = &q->first;
}

static void extension_queue_put(struct extension_queue *q, struct extension *extension)
{
    extension->next = NULL;
    *q->last = extension;
    q->last = &extension->next;
    sg_sem_release(q->filled);
}

static struct extension *extension_queue_take(struct extension_queue *q)
{
    sg_sem_acquire(q->filled);
    struct extension *extension = q->first;
    q->first = extension->next;
    if (!q->first)
        q->last = &q->first;
    return extension;
}

/* --- host to board --------------------------------------------------------------------------------------- */

static struct block block_number(const struct pass_actors *m, uint64_t number)
{
    uint64_t first = number * m->words_per_block;
    uint64_t left = m->source->database_words - first;
    return (struct block){.first_word = first,
                          .words = left < m->words_per_block ? left : m->words_per_block};
}

/* Supplies the host's memory with one block after the other, while the host queue has a place. SimGrid ends reads
 * within 1e-5 of their time, but when the host begins with a block is known exactly: it is done with the block before,
 * and the block has a place. */
static void storage_reader(struct pass_actors *m)
{
    sg_sem_acquire(m->tables_loaded);
    double anchor_s = now_s(m); /* since then the reader has not waited */
    uint64_t anchor_word = 0;
    for (uint64_t i = 0; i < m->block_count; i++) {
        struct block block = block_number(m, i);
        double free_s =
            anchor_s + (double)((block.first_word - anchor_word) * BYTES_PER_WORD) / m->hardware->host_supply;
        sg_sem_acquire(m->host_queue_places);
        if (m->supply_begin_s[i] > free_s) {
            anchor_s = free_s = m->supply_begin_s[i];
            anchor_word = block.first_word;
        }
        m->supply_begin_s[i] = free_s;
        sg_sem_release(m->supply_begun);
        if (!machine_part_is_free(m->hardware,
                                  PART_HOST)) /* the disk is that of the machine with all its parts */
            sg_disk_read(m->place->memory, block.words * BYTES_PER_WORD);
    }
}

/* Takes the tables that arrive on the board. */
static void table_bank(struct pass_actors *m)
{
    sg_mailbox_get(m->to_tables);
}

static void move_tables(struct pass_actors *m, uint64_t bytes)
{
    m->bus_counts.table_bytes += bytes;
    start_actor(m, "table bank", m->place->fpga, table_bank);
    move(m, m->to_tables, m, bytes);
}

/* Loads the tables of the next pass into the other bank while the database streams. */
static void dma_tables(struct pass_actors *m)
{
    m->place->wait_for_next(m->place);
    m->next_built_s = now_s(m);
    move_tables(m, m->next_table_bytes);
    sg_sem_release(m->next_loaded);
}

/* Loads the tables, then moves each block as soon as the bus has finished the one before and the host supplies it. */
static void dma_in(struct pass_actors *m)
{
    struct shared_bus *bus = m->place->bus;
    if (!m->tables_are_loaded && !machine_part_is_free(m->hardware, PART_TABLES))
        move_tables(m, m->source->table_bytes);
    const double begin_s = m->stream_begin_s = now_s(m);
    m->bus_counts.load_ps = frame_picoseconds(begin_s);
    m->bus = (struct bus_use){.transfers = bus->transfers, .from_s = begin_s, .to_s = begin_s};
    m->records_out = (struct bus_use){.from_s = begin_s, .to_s = begin_s};
    bus->streams[bus->stream_count++] = m;
    sg_sem_release(m->tables_loaded);
    m->next_table_bytes = m->place->load_ahead ? m->place->load_ahead(m->place) : m->source->next_table_bytes;
    if (machine_part_is_free(m->hardware, PART_TABLES))
        m->next_table_bytes = 0;
    if (m->next_table_bytes > 0)
        start_actor(m, "DMA tables", m->place->host, dma_tables);
    for (uint64_t i = 0; i < m->block_count; i++) {
        sg_sem_acquire(m->supply_begun);
        sg_sem_acquire(m->bus_free); /* until the board has finished the block before */
        begin_block(m);
        m->block = block_number(m, i);
        m->block.supply_begin_s = m->supply_begin_s[i];
        m->block.begin_s = now_s(m);
        m->block.records_s = bus_use_until(&m->records_out, m->block.begin_s);
        move(m, m->to_board, &m->block, m->block.words * BYTES_PER_WORD);
    }
}

/* --- the board ------------------------------------------------------------------------------------------- */

/* The shares of bus and host that a block had; it has just arrived on the board. While its transfer and that of the
 * records of the block before were both under way, each had as much of the bus: half of that time was the records'. */
static struct bus_share share_of(struct pass_actors *m, const struct block *block)
{
    double clocks_a_second = m->hardware->fpga_clock_hz;
    double supply_clocks = BYTES_PER_WORD / m->hardware->host_supply * clocks_a_second;
    double records_s = bus_use_until(&m->records_out, now_s(m)) - block->records_s;
    double beside_clocks = records_s * clocks_a_second / 2;
    double block_clocks = clocks_between(m, block->begin_s, now_s(m)) - beside_clocks;
    int64_t word_ticks = ticks_of(m, block_clocks / (double)block->words);
    return (struct bus_share){
        .begin = ticks_at(m, block->begin_s),
        .word_ticks = word_ticks > 0 ? word_ticks : 1,
        .record_ticks = ticks_of(m, block_clocks * record_bus_share(m->hardware, block->words)),
        .beside_ticks = ticks_of(m, beside_clocks),
        .supply_first = ticks_at(m, block->supply_begin_s) + ticks_of(m, supply_clocks),
        .supply_ticks = ticks_of(m, supply_clocks),
    };
}

/* Send the block's records. */
static void send_records(struct pass_actors *m)
{
    if (m->records.count == 0)
        return;
    struct extension *extension = memory_take(sizeof *extension);
    record_bursts_close(&m->records.bursts);
    *extension = m->records;
    m->records.bursts = (struct record_bursts){0};
    m->records_left++;
    extension_queue_put(&m->egress, extension);
}

/* Compute what stage 3 has to do with the HSPs of a part. When it can do so is known when they arrive: until then the
 * tasks have the ticks in which their records left. */
static bool extend_hsps(struct pass_actors *m)
{
    const size_t all = m->tokens.hsp_count;
    const int64_t *stamps = m->tools->measure ? measure_stamps(m->tools->measure) : NULL;
    double begin_s = progress_wall_s();
    struct stage3_tasks *tasks = &m->pass->tasks;
    bool extended = true;
    for (size_t first = 0, count; first < all && extended; first += count) {
        count = all - first < WORK_HSPS ? all - first : WORK_HSPS;
        extended = m->source->extend(m->source->data, m->tokens.hsps + first, count, m->work) &&
                   stage3_tasks_add(tasks, count, m->times.record_left + first, m->work,
                                    stamps ? stamps + first * tasks->stamp_count : NULL);
    }
    m->wall->stage3_s += progress_wall_s() - begin_s;
    return extended;
}

static bool extend_part(struct pass_actors *m)
{
    const size_t count = m->tokens.hsp_count;
    const int64_t *left = m->times.record_left;
    if (count == 0)
        return true;
    if (m->records.count == 0)
        m->records = (struct extension){.first = m->hsps_left};
    m->records.count += count;
    m->hsps_left += count;
    m->records.last_left = left[count - 1];
    record_bursts_add(&m->records.bursts, m->hardware, left, count);
    size_t last = m->tokens.match_count - 1;
    while (!m->tokens.matches[last])
        last--;
    m->records.entered_s = time_at(m, m->times.match_taken[last] * BOARD_TICKS_PER_CLOCK);
    return extend_hsps(m);
}

/* @param block_words  number of words of the block, if it ends with this part; else 0 */
static bool tap_part(struct pass_actors *m, const struct bus_share *share, uint64_t block_words)
{
    struct measure *measure = m->tools->measure;
    if (m->tools->only_times)
        return true;
    if (measure)
        measure_sample(measure, &m->tokens, &m->times);
    if (m->tools->waves)
        board_waves_block(m->tools->waves, &m->tokens, &m->times, share);
    if (m->tools->arrivals)
        arrival_list_block(m->tools->arrivals, &m->tokens, &m->times);
    if (!board_taps_block(&m->taps, &m->tokens, &m->times))
        return false;
    machine_batches_part(&m->batches, &m->tokens);
    if (m->tools->windows)
        window_log_part(m->tools->windows, &m->tokens, &m->times);
    if (block_words > 0)
        machine_batches_end_block(&m->batches, &m->taps);
    if (measure)
        measure_settle(measure);
    if (m->tools->timeline)
        machine_timeline_part(m->tools->timeline, &m->tokens, &m->times, share, block_words);
    return true;
}

/* Whether everything that a part does has surely left the board before BOARD_TICKS_MAX, because it would even if one
 * thing happened after the other. */
static bool part_fits(const struct pass_actors *m, const struct bus_share *share)
{
    const struct tokens *t = &m->tokens;
    const struct board_rules *rules = &m->hardware->board;
    const double bus = (double)share->begin + (double)share->supply_first +
                       (double)t->word_count * (double)(share->word_ticks + share->supply_ticks) +
                       (double)t->hsp_count * (double)share->record_ticks;
    const double board = (double)board_drained(m->board) + (double)t->word_count + (double)t->match_count +
                         (double)(t->seed_count + 1) * (rules->sram_read_cycles + 1.0) +
                         (double)t->group_count * (board_trip_cycles(rules) + 1.0) +
                         (rules->stage2_fetch_cycles + 1.0);
    return m->status == 0 && bus + board * (double)BOARD_TICKS_PER_CLOCK < (double)BOARD_TICKS_MAX;
}

/* Run the stages, the timing and the taps of the next part of a block, whose first `done` words are done.
 * @return number of words of the part; 0 if the pass fails */
static uint64_t process_part(struct pass_actors *m, const struct block *block, const struct bus_share *share,
                             uint64_t done)
{
    struct bus_share of_part = *share;
    double begin_s = progress_wall_s();
    uint64_t words = m->source->scan(m->source->data, block->first_word + done, block->words - done,
                                     &m->tokens, &m->counts);
    double scanned_s = progress_wall_s();
    m->wall->stages_s += scanned_s - begin_s;
    if (words == 0)
        return 0;
    overdrive_add(&m->overdrive, &m->tokens, &m->counts);
    of_part.supply_first += (int64_t)done * share->supply_ticks;
    of_part.beside_ticks = done > 0 ? 0 : share->beside_ticks;
    if (!part_fits(m, &of_part)) {
        m->status = SYSTEM_ELONG;
        return 0;
    }
    board_advance(m->board, &m->tokens, &of_part, &m->times);
    if (!tap_part(m, &of_part, done + words == block->words ? block->words : 0))
        return 0;
    m->wall->board_s += progress_wall_s() - scanned_s;
    if (done == 0)
        m->block_delivered = m->times.word_delivered[0];
    if (m->tools->words_done)
        atomic_fetch_add(m->tools->words_done, words);
    if (m->tools->watch_block)
        m->tools->watch_block(m->tools->watcher, &m->tokens, &of_part);
    return extend_part(m) ? words : 0;
}

/* Run the stages, the timing and the taps of one block. */
static bool process_block(struct pass_actors *m, const struct block *block)
{
    const struct bus_share share = share_of(m, block);
    const int64_t bus_free = board_bus_free(m->board);
    record_bursts_destroy(&m->records.bursts);
    m->records = (struct extension){0};
    for (uint64_t done = 0, words; done < block->words; done += words) {
        words = process_part(m, block, &share, done);
        if (words == 0)
            return false;
    }
    m->block_delay = bus_use_delay(&share, block->words, bus_free, board_bus_free(m->board));
    return true;
}

static bool charges_bus(const struct pass_actors *m)
{
    return m->tools->charge && measure_has_records(m->tools->measure);
}

/* Send the records of the frames that have ended since the last call, or that end with the board at clock `end`. */
static void send_frame_records(struct pass_actors *m, int64_t end)
{
    struct measuring_charge *charge = m->tools->charge;
    uint64_t bytes;
    charge->frames = measure_frames_ended(m->tools->measure, end, &bytes);
    bytes -= charge->bus_bytes;
    if (bytes == 0)
        return;
    struct extension *extension = memory_new(1, sizeof *extension);
    extension->count = bytes;
    charge->bus_bytes += bytes;
    m->records_waiting += bytes;
    if (m->records_waiting > charge->most_waiting)
        charge->most_waiting = m->records_waiting;
    extension_queue_put(&m->frame_records, extension);
}

/* The board holds the bus until the block's last word is in. Its delay is a stall, except for the time in which records
 * crossed. */
static void hold_bus(struct pass_actors *m)
{
    double begin_s = now_s(m), moved_s = bus_use_until(&m->bus, begin_s);
    double delay_s = clocks_of(m->block_delay) / m->hardware->fpga_clock_hz;
    sleep_until(m, time_at(m, board_bus_free(m->board)));
    double end_s = now_s(m), records_s = bus_use_until(&m->bus, end_s) - moved_s;
    m->bus_stalled_s += fmax(0, fmin(delay_s, end_s - begin_s) - records_s);
}

/* The host stamps the begin of a transfer, the board its first word, which rounding to ticks may place before it. When
 * the block is in, its place in the host queue is free for the block that comes as many blocks later as there are
 * places. */
static void work_on_block(struct pass_actors *m, const struct block *block)
{
    const uint64_t next = block->first_word / m->words_per_block + m->hardware->host_queue_blocks;
    if (m->status == 0 && !process_block(m, block))
        fail(m);
    end_block(m, block);
    if (m->status == 0) {
        const double there_s = time_at(m, m->block_delivered * BOARD_TICKS_PER_CLOCK);
        if (m->tools->stamps)
            stamp_log_add(&m->tools->stamps->messages, STAMP_TO_CLOCK, fmax(there_s, block->begin_s),
                          block->begin_s);
        send_records(m);
        if (m->tools->charge)
            send_frame_records(m, 0);
        m->bus_counts.database_bytes += block->words * BYTES_PER_WORD;
        hold_bus(m);
    }
    m->queue_arrivals[m->queue_left] = clock_at(m, block->supply_begin_s);
    m->queue_departures[m->queue_left++] = clock_at(m, now_s(m));
    if (next < m->block_count)
        m->supply_begin_s[next] = now_s(m);
    sg_sem_release(m->host_queue_places);
}

/* Round down, so that the parts of a time do not exceed the whole. */
static wide_uint whole_picoseconds(double time_s)
{
    return (wide_uint)(time_s * 1e12);
}

static void board_actor(struct pass_actors *m)
{
    for (uint64_t i = 0; i < m->block_count; i++) {
        work_on_block(m, sg_mailbox_get(m->to_board));
        sg_sem_release(m->bus_free);
    }
    int64_t drained = board_drained(m->board);
    double drained_s = time_at(m, drained * BOARD_TICKS_PER_CLOCK);
    if (m->status == 0)
        sleep_until(m, drained_s);
    m->bus_counts.bus_busy_ps = whole_picoseconds(
        fmin(bus_use_until(&m->bus, drained_s), (double)drained / m->hardware->fpga_clock_hz));
    m->bus_counts.bus_stalled_ps = whole_picoseconds(m->bus_stalled_s);
    struct shared_bus *bus = m->place->bus;
    unsigned at = 0;
    while (bus->streams[at] != m)
        at++;
    bus->streams[at] = bus->streams[--bus->stream_count]; /* the pass streams no longer */
    if (m->status == 0 && !m->tools->only_times)
        board_taps_close(&m->taps, drained);
    if (board_taps_file_failed(&m->taps))
        fail(m);
    if (m->tools->charge)
        send_frame_records(m, drained);
    if (charges_bus(m))
        extension_queue_put(&m->frame_records, &m->records_end_mark);
    m->records_left++;
    extension_queue_put(&m->egress, &m->end_mark);
}

/* --- board to host --------------------------------------------------------------------------------------- */

static void dma_out(struct pass_actors *m)
{
    for (bool more = true; more;) {
        struct extension *extension = extension_queue_take(&m->egress);
        const size_t bytes = extension->count * m->hardware->hsp_bytes, bursts = extension->bursts.count;
        more = extension != &m->end_mark;
        begin_records(m);
        bus_use_begin(&m->records_out, now_s(m));
        move_bursts(m, m->to_host, extension, bytes, bursts); /* who receives the extension frees it */
        bus_use_end(&m->records_out, now_s(m));
        end_records(m);
        m->bus_counts.record_bytes += bytes;
        m->bus_counts.record_bursts += bursts;
    }
}

/* A record is in memory when its burst has closed, or as much later as SimGrid moves the last one of its block; but not
 * before the record that left earlier. */
static void delay_records(struct pass_actors *m, struct extension *extension)
{
    int64_t late = later(0, ticks_at(m, now_s(m)) - extension->last_left);
    size_t first = extension->first;
    for (size_t i = 0; i < extension->bursts.run_count; i++) {
        const struct burst_run *run = &extension->bursts.runs[i];
        stage3_tasks_delay(&m->pass->tasks, first, run, late, m->last_arrived);
        first += run->times * run->bursts * run->records;
    }
    record_bursts_destroy(&extension->bursts);
    m->last_arrived = later(extension->last_left + late, m->last_arrived);
}

/* Takes what DMA out brings into the host's memory as soon as it is there. */
static void results(struct pass_actors *m)
{
    struct extension *extension;
    sg_mailbox_set_receiver(sg_mailbox_get_name(m->to_host));
    while ((extension = sg_mailbox_get(m->to_host)) != &m->end_mark) {
        sleep_until(m, time_at(m, extension->last_left));
        delay_records(m, extension);
        if (m->tools->stamps)
            stamp_log_add(&m->tools->stamps->messages, STAMP_FROM_CLOCK, extension->entered_s,
                          fmax(now_s(m), extension->entered_s));
        free(extension);
    }
    double begin_s = progress_wall_s();
    uint64_t cells = 0; /* of what stage 3 has held back */
    bool failed = m->source->finish && !m->source->finish(m->source->data, &cells);
    stage3_tasks_end(&m->pass->tasks, now_s(m), cells);
    if (!failed && m->tools->windows)
        m->pass->tasks.file_failed |= !window_log_end(m->tools->windows, &m->pass->tasks);
    if (failed || m->pass->tasks.file_failed)
        fail(m);
    m->wall->stage3_s += progress_wall_s() - begin_s;
    sg_sem_release(m->results_home);
}

/* --- measuring ------------------------------------------------------------------------------------------- */

/* Moves frame records to the host. */
static void record_dma(struct pass_actors *m)
{
    for (bool more = true; more;) {
        struct extension *extension = extension_queue_take(&m->frame_records);
        uint64_t bytes = extension->count;
        more = extension != &m->records_end_mark;
        move(m, m->to_agent, extension, bytes);
        m->records_waiting -= bytes;
    }
}

static void records(struct pass_actors *m)
{
    struct extension *extension;
    while ((extension = sg_mailbox_get(m->to_agent)) != &m->records_end_mark)
        free(extension);
    sg_sem_release(m->records_home);
}

/* What of the next tables' load does not overlap is a part of this pass, unless they are built only when the board is
 * free: then the next pass has waited for them, and begins with their load. */
static void wait_for_end(struct pass_actors *m)
{
    sg_sem_acquire(m->results_home);
    if (charges_bus(m))
        sg_sem_acquire(m->records_home);
    m->pass->board_s = now_s(m);
    if (m->next_table_bytes == 0)
        return;
    sg_sem_acquire(m->next_loaded);
    m->next_wait_s = fmax(0, m->next_built_s - m->pass->board_s);
    if (m->next_wait_s > 0)
        return;
    m->bus_counts.load_ps += frame_picoseconds(now_s(m) - m->pass->board_s);
    m->pass->board_s = now_s(m);
}

/* Closes the board's side of the pass when its last record has arrived. */
static void measurement_agent(struct pass_actors *m)
{
    wait_for_end(m);
    int64_t drained = board_drained(m->board);
    m->pass->stream_begin_s = m->stream_begin_s;
    m->pass->board_end = drained;
    if (m->tools->stamps) {
        m->tools->stamps->stream_begin_s = m->stream_begin_s;
        m->tools->stamps->board_end = drained;
    }
    if (m->status == 0 && !m->tools->only_times) {
        auto_by(queue_tap_destroy) struct queue_tap queue;
        const double moved_bytes = /* for which the bus had time while the board worked */
            1e-12 * (double)m->bus_counts.bus_busy_ps * hardware_bus_bytes_per_s(m->hardware);
        queue_tap_init(&queue, m->hardware->host_queue_blocks, false);
        int64_t left = m->queue_departures[m->queue_left - 1]; /* rounded up, so that it may be later */
        queue_tap_add(&queue, m->queue_arrivals, m->queue_left, m->queue_departures, m->queue_left);
        queue_tap_run(&queue, drained > left ? drained : left + 1);
        machine_frame_fill(m->frame, &m->taps, drained, m->hardware, &m->counts, &m->bus_counts,
                           &queue.measure);
        machine_batches_close(&m->batches, &m->taps, m->hardware, m->frame);
        if (m->tools->measure) {
            measure_end_board(m->tools->measure, drained, (uint64_t)llround(moved_bytes));
            measure_host_queue(m->tools->measure, m->queue_arrivals, m->queue_departures, m->queue_left,
                               drained);
        }
    }
    sg_sem_release(m->ended);
}

/* --- setting up ------------------------------------------------------------------------------------------ */

/* Whether bus and host can bring the database in time. */
static bool stream_fits(const struct pass_actors *m)
{
    double bytes_per_s = fmin(hardware_bus_bytes_per_s(m->hardware), m->hardware->host_supply);
    double stream_s = (double)(m->source->database_words * BYTES_PER_WORD) / bytes_per_s;
    return stream_s * m->hardware->fpga_clock_hz < (double)BOARD_CLOCKS_MAX;
}

static void set_up_work(struct pass_actors *m)
{
    m->words_per_block = m->hardware->pcix_block_bytes / BYTES_PER_WORD;
    m->block_count = (m->source->database_words + m->words_per_block - 1) / m->words_per_block;
    m->supply_begin_s = memory_new(m->block_count, sizeof *m->supply_begin_s);
    m->queue_arrivals = memory_new(m->block_count, sizeof *m->queue_arrivals);
    m->queue_departures = memory_new(m->block_count, sizeof *m->queue_departures);
    m->board = board_new(&m->hardware->board);
    m->overdrive = hardware_overdrive(m->hardware);
    if (m->tools->measure)
        m->pass->tasks.stamp_count = measure_stamp_count(m->tools->measure);
    board_taps_init(&m->taps, &m->hardware->board);
    if (m->tools->timeline)
        machine_timeline_attach(m->tools->timeline, &m->taps);
    if (m->tools->waves)
        board_waves_attach(m->tools->waves, &m->taps);
    if (m->tools->measure)
        measure_attach(m->tools->measure, &m->taps);
}

static void start_actors(struct pass_actors *m)
{
    sg_host_t host = m->place->host, fpga = m->place->fpga;
    m->to_board = simgrid_engine_mailbox("to board", m->place->board);
    m->to_tables = simgrid_engine_mailbox("to tables", m->place->board);
    m->to_host = simgrid_engine_mailbox("to host", m->place->board);
    m->tables_loaded = sg_sem_init(0);
    m->next_loaded = sg_sem_init(0);
    m->supply_begun = sg_sem_init(0);
    m->bus_free = sg_sem_init(1);
    m->block_turn = sg_sem_init(0);
    m->records_turn = sg_sem_init(0);
    m->host_queue_places = sg_sem_init((int)m->hardware->host_queue_blocks);
    m->results_home = sg_sem_init(0);
    m->ended = sg_sem_init(0);
    extension_queue_init(&m->egress);
    start_actor(m, "storage reader", host, storage_reader);
    start_actor(m, "DMA in", host, dma_in);
    start_actor(m, "board", fpga, board_actor);
    start_actor(m, "DMA out", fpga, dma_out);
    start_actor(m, "results", host, results);
    start_actor(m, "measurement agent", host, measurement_agent);
    if (charges_bus(m)) {
        m->to_agent = simgrid_engine_mailbox("to agent", m->place->board);
        m->records_home = sg_sem_init(0);
        extension_queue_init(&m->frame_records);
        start_actor(m, "record DMA", fpga, record_dma);
        start_actor(m, "records", host, records);
    }
}

int pass_actors_run(const struct board_place *place, const struct system_pass *pass,
                    struct ready_tables *tables)
{
    struct pass_actors *m = memory_take(sizeof *m);
    *pass->host = (struct host_pass){.begin_s = tables->begin_s,
                                     .build_wait_s = tables->wait_s,
                                     .board = place->board,
                                     .build_operations = pass->source.build_operations,
                                     .tasks = pass->room};
    *m = (struct pass_actors){.place = place,
                              .tools = &pass->instruments,
                              .hardware = place->hardware,
                              .source = &pass->source,
                              .frame = pass->frame,
                              .pass = pass->host,
                              .wall = pass->wall,
                              .users = 1,
                              .begin_s = pass->host->begin_s,
                              .tables_are_loaded = tables->are_loaded || pass->source.tables_are_loaded};
    if (!stream_fits(m)) {
        m->status = SYSTEM_ELONG;
    } else {
        set_up_work(m);
        start_actors(m);
        sg_sem_acquire(m->ended);
        tables->wait_s = m->next_wait_s;
        tables->begin_s = m->next_wait_s > 0 ? m->begin_s + m->next_built_s : simgrid_get_clock();
        pass->host->alignments = pass->source.alignments ? *pass->source.alignments : 0;
    }
    int status = m->status;
    if (status)
        stage3_tasks_destroy(&pass->host->tasks);
    end_use(m);
    return status;
}
