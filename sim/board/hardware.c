#include "sim/board/hardware.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/number.h"

enum kind {
    KIND_DOUBLE,
    KIND_UNSIGNED,
    KIND_UNSIGNED64,
    KIND_SIGNED,
    KIND_FLAG,
    KIND_NAME, /* an enumeration, as large as an unsigned number */
};

struct parameter {
    const char *name;
    const char *unit;
    enum kind kind;
    size_t offset;
    const char *initial;
    double least, most;
    const char *meaning;
    const char *const *names; /* of an enumeration, up to number `most` */
};

static const char *const family_names[] = {
    [HASH_XXH3] = "xxh3", [HASH_H3] = "h3", [HASH_DISPLACED] = "displaced"};
static const char *const collision_names[] = {[COLLISION_TRIP] = "trip", [COLLISION_PROBE] = "probe"};
static const char *const overlap_names[] = {
    [OVERLAP_SERIAL] = "serial", [OVERLAP_DRAIN] = "drain", [OVERLAP_TABLES] = "tables"};
static const char *const priority_names[] = {
    [BUS_FAIR] = "fair", [BUS_BLOCKS_FIRST] = "blocks", [BUS_RECORDS_FIRST] = "records"};
static const char *const distribution_names[] = {
    [DISTRIBUTION_QUERIES] = "queries", [DISTRIBUTION_DATABASE] = "database"};

/* No bus, host or clock of such a machine is slower, in bytes/s or Hz. Who writes less means MB/s or MHz. */
#define SLOWEST 1e5

#include "sim/parameters.inc"

#define PARAMETER(kind, member, least, most, names, name, unit, initial, meaning)                            \
    {                                                                                                        \
        name, unit, KIND_##kind, offsetof(struct hardware, member), initial, least, most, meaning, names     \
    }

/* The rows of data/words/parameters.tsv. */
static const struct parameter parameters[] = {PARAMETER_ROWS(PARAMETER)};

enum { PARAMETER_COUNT = sizeof parameters / sizeof parameters[0] };

static void *field(struct hardware *hardware, const struct parameter *p)
{
    return (char *)hardware + p->offset;
}

/* --- setting --------------------------------------------------------------------------------------------- */

static struct why range_of(const struct parameter *p)
{
    struct why range = {""};
    for (unsigned i = 0; p->names && i <= p->most; i++)
        why_append(&range, "%s%s", i == 0 ? "" : i < p->most ? ", " : " or ", p->names[i]);
    if (!p->names)
        why_append(&range, "a %snumber from %.*g to %.*g", p->kind == KIND_DOUBLE ? "" : "whole ",
                   p->kind == KIND_DOUBLE ? 6 : 16, p->least, p->kind == KIND_DOUBLE ? 6 : 16, p->most);
    return range;
}

static int refuse_value(const struct parameter *p, const char *value, struct why *why)
{
    double number;
    why_say(why, WHY_SAID, "%s = '%.40s': expected %s%s%s%s (%s)", p->name, value, range_of(p).line,
            *p->unit ? " [" : "", p->unit, *p->unit ? "]" : "", p->meaning);
    if (p->least == SLOWEST && number_of(value, NULL, &number) == 0 && number > 0 && number < p->least)
        why_append(why, "; did you mean %.15gM%s?", number, p->unit);
    return WHY_SAID;
}

static int set_name(struct hardware *hardware, const struct parameter *p, const char *value)
{
    for (unsigned i = 0; i <= p->most; i++)
        if (strcmp(value, p->names[i]) == 0) {
            *(unsigned *)field(hardware, p) = i;
            return 0;
        }
    return WHY_SAID;
}

static int set_large_number(struct hardware *hardware, const struct parameter *p, const char *value)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    if (*end || (double)number > p->most || number > (unsigned long long)p->most)
        return WHY_SAID;
    *(uint64_t *)field(hardware, p) = number;
    return 0;
}

static int set_number(struct hardware *hardware, const struct parameter *p, const char *value)
{
    double number;
    if (number_of(value, p->unit, &number) != 0 || !(number >= p->least && number <= p->most))
        return WHY_SAID;
    if (p->kind == KIND_UNSIGNED64 && number > 1e15) /* a double would round it: only digits are exact */
        return set_large_number(hardware, p, value);
    if (p->kind != KIND_DOUBLE && number != floor(number))
        return WHY_SAID;
    void *to = field(hardware, p);
    if (p->kind == KIND_DOUBLE)
        *(double *)to = number;
    else if (p->kind == KIND_UNSIGNED)
        *(uint32_t *)to = (uint32_t)number;
    else if (p->kind == KIND_UNSIGNED64)
        *(uint64_t *)to = (uint64_t)number;
    else if (p->kind == KIND_SIGNED)
        *(int *)to = (int)number;
    else
        *(bool *)to = number > 0;
    return 0;
}

static int set_parameter(struct hardware *hardware, const struct parameter *p, const char *value)
{
    return p->names ? set_name(hardware, p, value) : set_number(hardware, p, value);
}

/* The nearest name; a part after the dot counts as a name, too. */
static const char *nearest_name(const char *name)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    const char *found = NULL;
    for (size_t i = 0; i < PARAMETER_COUNT; i++) {
        const char *before = search.name, *dot = strchr(parameters[i].name, '.');
        nearest_look_at(&search, parameters[i].name);
        if (dot)
            nearest_look_at(&search, dot + 1);
        found = search.name != before ? parameters[i].name : found;
    }
    return found;
}

int hardware_set(struct hardware *hardware, const char *name, const char *value, struct why *why)
{
    const int found = hardware_parameter_find(name);
    if (found >= 0)
        return set_parameter(hardware, &parameters[found], value)
                   ? refuse_value(&parameters[found], value, why)
                   : 0;
    const char *nearest = nearest_name(name);
    return why_say(why, WHY_SAID, "no parameter is called '%.40s'%s%s%s (all: mercury run --dump-config)",
                   name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

int hardware_set_assignment(struct hardware *hardware, const char *assignment, struct why *why)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return why_say(why, WHY_SAID, "'%.60s': expected name=value, e.g. fifo.wmer=64", assignment);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    return hardware_set(hardware, name, equals + 1, why);
}

struct hardware hardware_default(void)
{
    struct hardware hardware = {0};
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        set_parameter(&hardware, &parameters[i], parameters[i].initial);
    return hardware;
}

/* --- checking -------------------------------------------------------------------------------------------- */

static int check_queues(const struct hardware *h, struct why *why)
{
    const struct board_rules *b = &h->board;
    const struct sram_geometry *t = &h->pass.sram;
    if (b->sram_lookups <= b->sram_margin)
        return why_say(why, WHY_SAID,
                       "fifo.sram must be larger than fifo.sram_margin; otherwise no read is ever issued");
    if (b->sram_margin + 1 < b->sram_read_cycles)
        return why_say(why, WHY_SAID,
                       "fifo.sram_margin must be at least sram.read_cycles - 1: reads in flight need places");
    if (b->wmer_margin > b->wmer_seeds)
        return why_say(why, WHY_SAID, "fifo.wmer_margin must not exceed fifo.wmer");
    if (b->stage2_margin > b->stage2_matches)
        return why_say(why, WHY_SAID, "fifo.stage2_margin must not exceed fifo.stage2");
    if (b->probes && b->sram_read_cycles < (t->inline_positions + 1) / 2)
        return why_say(
            why, WHY_SAID,
            "table.collision = probe: sram.read_cycles must be at least half of table.inline_positions, "
            "rounded up: a probe reads two positions a clock");
    if (b->sram_trip_cycles < (t->trip_positions + 1) / 2)
        return why_say(why, WHY_SAID,
                       "sram.trip_cycles must be at least half of table.trip_positions, rounded up: a trip "
                       "reads two positions a clock");
    uint32_t group = t->inline_positions > t->trip_positions ? t->inline_positions : t->trip_positions;
    if (b->stage2_matches < group)
        return why_say(why, WHY_SAID,
                       "fifo.stage2 must hold what enters together: at least table.inline_positions and "
                       "table.trip_positions");
    return 0;
}

uint32_t hardware_fifo_least(const struct hardware *h, enum board_fifo fifo)
{
    const struct sram_geometry *t = &h->pass.sram;
    const uint32_t together[BOARD_FIFOS] = {
        [FIFO_WMER] = BASES_PER_WORD, /* the seeds of a word */
        [FIFO_STAGE2] = t->inline_positions > t->trip_positions ? t->inline_positions : t->trip_positions,
    };
    const enum board_signal signal = board_fifos[fifo].signal;
    uint32_t least =
        signal == SIGNAL_FULL ? 1 : board_fifo_margin(fifo, &h->board) + (signal == SIGNAL_RESERVE);
    return least > together[fifo] ? least : together[fifo];
}

static int check_structures(const struct hardware *h, struct why *why)
{
    if (!hash_family_allows_range(h->pass.bloom.family, h->pass.bloom.bank_bits))
        return why_say(why, WHY_SAID, "bloom.bank_bits must be a power of two for bloom.family = h3");
    enum hash_family table = h->pass.sram.family == HASH_DISPLACED ? HASH_XXH3 : h->pass.sram.family;
    if (!hash_family_allows_range(table, h->pass.sram.slots))
        return why_say(why, WHY_SAID, "table.slots must be a power of two for table.family = h3");
    if (h->pcix_block_bytes % BYTES_PER_WORD != 0)
        return why_say(why, WHY_SAID, "pcix.block must be a multiple of 8 bytes, whole words");
    if (h->pcix_burst_bytes < h->hsp_bytes || h->pcix_burst_bytes > h->pcix_block_bytes)
        return why_say(why, WHY_SAID,
                       "pcix.burst = %" PRIu32 " must hold a record (hsp.bytes = %" PRIu32
                       ") and fit a block (pcix.block = %" PRIu32 ")",
                       h->pcix_burst_bytes, h->hsp_bytes, h->pcix_block_bytes);
    if (h->query_overlap + 1 < h->pass.stage2.window)
        return why_say(
            why, WHY_SAID,
            "query.overlap must be at least stage2.window - 1; otherwise segments' borders lose alignments");
    if (h->query_segment <= h->query_overlap)
        return why_say(why, WHY_SAID, "query.segment must be larger than query.overlap");
    return 0;
}

static int check_slots(const struct hardware *h, struct why *why)
{
    const struct sram_geometry *t = &h->pass.sram;
    const unsigned fit = sram_positions_that_fit(t->slot_bytes);
    if (t->slot_bytes % SRAM_WORD_BYTES != 0)
        return why_say(why, WHY_SAID,
                       "table.slot_bytes must be a multiple of 8 bytes, the width of two SRAM chips");
    if (t->inline_positions <= fit)
        return 0;
    return why_say(
        why, HARDWARE_ESLOT,
        "table.inline_positions = %u: a slot of table.slot_bytes = %u holds %u (24 bits of key tag and "
        "flags, and 16 of each position); table.slot_bytes = %u would do",
        t->inline_positions, t->slot_bytes, fit, sram_slot_bytes_for(t->inline_positions));
}

/* Two banks of SRAM hold at least two primary tables. */
static int check_banks(const struct hardware *h, struct why *why)
{
    const uint64_t bank = (uint64_t)h->pass.sram.slot_bytes * h->pass.sram.slots;
    if (h->overlap != OVERLAP_TABLES || 2 * bank <= h->sram_bytes)
        return 0;
    return why_say(why, WHY_SAID,
                   "schedule.overlap = tables needs two banks of SRAM: sram.bytes must be at least %" PRIu64
                   ", for two tables of table.slots = %" PRIu32,
                   2 * bank, h->pass.sram.slots);
}

/* A board that loads the tables of the next pass waits for those before it begins. */
static int check_building(const struct hardware *h, struct why *why)
{
    if (h->overlap != OVERLAP_TABLES || h->host_build_clocks == 0 || h->host_build_ahead > 1)
        return 0;
    return why_say(
        why, WHY_SAID,
        "schedule.overlap = tables needs the tables of two passes: host.build_ahead must be at least 2");
}

/* A board that waits for stage 3 would depend on the cores' time, which is known only when all boards have worked. */
static int check_boards(const struct hardware *h, struct why *why)
{
    if (h->buses > h->boards)
        return why_say(why, WHY_SAID,
                       "bus.count = %" PRIu32 " must not exceed boards = %" PRIu32
                       ": a bus without a board moves nothing",
                       h->buses, h->boards);
    if (h->overlap == OVERLAP_SERIAL && h->buses < h->boards)
        return why_say(why, WHY_SAID,
                       "schedule.overlap = serial: %" PRIu32 " boards that share bus.count = %" PRIu32
                       " do not wait for stage 3; use drain or tables, or a bus for each board",
                       h->boards, h->buses);
    return 0;
}

int hardware_check(struct hardware *h, struct why *why)
{
    h->pass.bloom.seed = hash_derive_seed(h->hash_seed, 0);
    h->pass.sram.seed = hash_derive_seed(h->hash_seed, 1);
    h->board.probes = h->pass.sram.collision == COLLISION_PROBE;
    h->pass.stage2.match = h->scoring.match;
    h->pass.stage2.mismatch = h->scoring.mismatch;
    h->fpga_time.resolution_s = 1 / h->fpga_clock_hz; /* its stamps count its clocks */
    int status = check_queues(h, why);
    if (status == 0)
        status = check_structures(h, why);
    if (status == 0)
        status = check_slots(h, why);
    if (status == 0)
        status = check_boards(h, why);
    if (status == 0)
        status = check_building(h, why);
    return status ? status : check_banks(h, why);
}

/* --- showing --------------------------------------------------------------------------------------------- */

size_t hardware_parameter_count(void)
{
    return PARAMETER_COUNT;
}

const char *hardware_parameter_name(size_t index)
{
    return parameters[index].name;
}

const char *hardware_parameter_unit(size_t index)
{
    return parameters[index].unit;
}

struct hardware_range hardware_parameter_range(size_t index)
{
    const struct parameter *p = &parameters[index];
    return (struct hardware_range){.least = p->least,
                                   .most = p->names ? 0 : p->most,
                                   .whole = p->kind != KIND_DOUBLE,
                                   .meaning = p->meaning,
                                   .names = p->names,
                                   .name_count = p->names ? (unsigned)p->most + 1 : 0};
}

int hardware_parameter_find(const char *name)
{
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The parameters of each role; a name that ends in a dot stands for all parameters that begin with it. All others
 * belong to the search. */
static const struct {
    const char *name;
    enum hardware_role role;
} roles[] = {{"fpga.", HARDWARE_TIMING},       {"pcix.", HARDWARE_TIMING},
             {"host.", HARDWARE_TIMING},       {"fifo.", HARDWARE_TIMING},
             {"hsp.", HARDWARE_TIMING},        {"sram.", HARDWARE_TIMING},
             {"stage3.", HARDWARE_TIMING},     {"stage2.fetch_cycles", HARDWARE_TIMING},
             {"schedule.", HARDWARE_TIMING},   {"measure.", HARDWARE_TIMING},
             {"boards", HARDWARE_TIMING},      {"bus.", HARDWARE_TIMING},
             {"hosts", HARDWARE_TIMING},       {"network.", HARDWARE_TIMING},
             {"clock.", HARDWARE_TIMING},      {"energy.", HARDWARE_TIMING},
             {"overdrive.", HARDWARE_TIMING},  {"bloom.copies", HARDWARE_TIMING},
             {"bloom.", HARDWARE_STRUCTURE},   {"table.", HARDWARE_STRUCTURE},
             {"hash.seed", HARDWARE_STRUCTURE}};

enum hardware_role hardware_parameter_role(size_t index)
{
    const char *name = parameters[index].name;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        size_t length = strlen(roles[i].name);
        bool all = roles[i].name[length - 1] == '.';
        if (all ? strncmp(name, roles[i].name, length) == 0 : strcmp(name, roles[i].name) == 0)
            return roles[i].role;
    }
    return HARDWARE_SEARCH;
}

struct overdrive hardware_overdrive(const struct hardware *h)
{
    return (struct overdrive){h->overdrive_seeds, h->overdrive_matches, hardware_fifo_least(h, FIFO_STAGE2)};
}

struct shown hardware_parameter_value(const struct hardware *hardware, size_t index)
{
    const struct parameter *p = &parameters[index];
    const void *from = (const char *)hardware + p->offset;
    struct shown text = {""};
    switch (p->kind) {
    case KIND_DOUBLE:
        text = shown_text("%.15g", *(const double *)from);
        return strtod(text.text, NULL) == *(const double *)from ? text
                                                                : shown_text("%.17g", *(const double *)from);
    case KIND_UNSIGNED:
        return shown_text("%" PRIu32, *(const uint32_t *)from);
    case KIND_UNSIGNED64:
        return shown_text("%" PRIu64, *(const uint64_t *)from);
    case KIND_SIGNED:
        return shown_text("%d", *(const int *)from);
    case KIND_FLAG:
        return shown_text("%d", *(const bool *)from);
    case KIND_NAME:
        return shown_text("%s", p->names[*(const unsigned *)from]);
    }
    return text;
}

int hardware_follow_scores(struct hardware *hardware, const struct scoring *chosen_for, struct why *why)
{
    const struct scoring *scores = &hardware->scoring;
    struct scoring_statistics statistics;
    if (scores->match == chosen_for->match && scores->mismatch == chosen_for->mismatch)
        return 0;
    if (scoring_statistics_compute(scores, &statistics, why) != 0)
        return -1;
    hardware->pass.stage2.threshold =
        scoring_threshold_convert(hardware->pass.stage2.threshold, chosen_for, &statistics);
    return 0;
}

void hardware_dump(const struct hardware *hardware, FILE *out)
{
    fprintf(out, "name\tvalue\tunit\tallowed\tmeaning\n");
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        fprintf(out, "%s\t%s\t%s\t%s\t%s\n", parameters[i].name, hardware_parameter_value(hardware, i).text,
                *parameters[i].unit ? parameters[i].unit : "-", range_of(&parameters[i]).line,
                parameters[i].meaning);
}

bool hardware_couples_boards(const struct hardware *hardware)
{
    return hardware->buses < hardware->boards ||
           (hardware->boards > 1 && hardware->overlap == OVERLAP_TABLES);
}

bool hardware_deals_database(const struct hardware *hardware)
{
    return hardware->hosts > 1 && hardware->distribution == DISTRIBUTION_DATABASE;
}

uint32_t hardware_host_of(const struct hardware *hardware, size_t pass)
{
    return (uint32_t)(pass % hardware->hosts);
}

size_t hardware_pass_of(const struct hardware *hardware, uint32_t host, size_t nth)
{
    return nth * hardware->hosts + host;
}

size_t hardware_passes_of(const struct hardware *hardware, uint32_t host, size_t pass_count)
{
    return (pass_count + hardware->hosts - 1 - host) / hardware->hosts;
}

uint32_t hardware_boards_at_work(const struct hardware *hardware, uint32_t host, size_t pass_count)
{
    size_t passes = hardware_passes_of(hardware, host, pass_count);
    return passes < hardware->boards ? (uint32_t)passes : hardware->boards;
}

void hardware_element_name(const char *element, uint32_t number, char *name)
{
    if (number == 0)
        snprintf(name, HARDWARE_NAME_SIZE, "%s", element);
    else
        snprintf(name, HARDWARE_NAME_SIZE, "%s-%" PRIu32, element, number + 1);
}

double hardware_link_bytes_per_s(const struct hardware *hardware)
{
    return hardware->pcix_bandwidth * hardware->pcix_efficiency;
}

double hardware_bus_bytes_per_s(const struct hardware *hardware)
{
    const uint64_t block = hardware->pcix_block_bytes;
    return hardware_link_bytes_per_s(hardware) * (double)block /
           (double)hardware_link_bytes(hardware, block, hardware_bursts(hardware, block));
}

uint64_t hardware_bursts(const struct hardware *hardware, uint64_t bytes)
{
    return (bytes + hardware->pcix_burst_bytes - 1) / hardware->pcix_burst_bytes;
}

uint64_t hardware_link_bytes(const struct hardware *hardware, uint64_t bytes, uint64_t bursts)
{
    const uint64_t setup = bytes > 0 ? hardware->pcix_setup_clocks : 0;
    return bytes + (bursts * hardware->pcix_burst_clocks + setup) * BYTES_PER_WORD;
}
