#include "sim/measure/machine_energy.h"

#include <math.h>

#include "base/json_number.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_frame.h"

enum { LOAD_BYTES = 4 };

/* --- counts ---------------------------------------------------------------------------------------------- */

static double bytes_of_block_ram(const struct hardware *h)
{
    return (double)bloom_bytes(&h->pass.bloom) + (double)board_costs_displacement_bits(h) / 8;
}

/* A slot, or a place of a chain, is read whole. */
static double count_sram(const struct frame *run, const struct hardware *h, size_t passes)
{
    const double loaded = frame_count(run, PCIX_TABLE_BYTES) - (double)passes * bytes_of_block_ram(h);
    const double lookups = frame_count(run, S1B_SEEDS), slots = lookups + frame_count(run, S1B_TRIPS),
                 of_slot = (double)h->pass.sram.slot_bytes / SRAM_WORD_BYTES;
    const bool probes = h->pass.sram.collision == COLLISION_PROBE;
    const double reads =
        probes ? slots * of_slot : lookups * of_slot + frame_count(run, S1B_SRAM_READS) - lookups;
    return reads + fmax(0, loaded) / SRAM_WORD_BYTES;
}

static double count_fifos(const struct frame *run, const struct hardware *h)
{
    double accesses = 0;
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        accesses +=
            2.0 * board_costs_accesses(board_costs_element_bits(i, h)) * (double)run->queues[i].elements;
    }
    return accesses;
}

/* Each word is written; a match reads two rows of the query, and the words that its window can touch. */
static double count_windows(const struct frame *run, const struct hardware *h)
{
    const uint32_t row = board_costs_accesses(board_costs_row_bits(h)),
                   word = board_costs_accesses(BOARD_WORD_BITS);
    return frame_count(run, S1A_WORDS) * word +
           frame_count(run, S2_MATCHES) * (2 * row + board_costs_window_words(h) * word);
}

static double count_block_ram(const struct frame *run, const struct hardware *h, size_t passes)
{
    double lookups = frame_count(run, S1A_WORDS) * BASES_PER_WORD * h->pass.bloom.hashes;
    double displaced = board_costs_displacement_bits(h) > 0 ? frame_count(run, S1B_SEEDS) : 0;
    double filter = (double)bloom_bytes(&h->pass.bloom) * (h->bloom_copies - 1.0);
    double loaded = (double)passes * (bytes_of_block_ram(h) + filter) / LOAD_BYTES;
    return lookups + displaced + count_fifos(run, h) + count_windows(run, h) + loaded;
}

/* --- energy ---------------------------------------------------------------------------------------------- */

struct machine_energy machine_energy_of(const struct frame *run, const struct hardware *h, size_t passes)
{
    return machine_energy_of_work(run, h, passes, (double)machine_frame_bus_bytes(run),
                                  frame_seconds(run, S3_CORE_BUSY));
}

struct machine_energy machine_energy_of_work(const struct frame *run, const struct hardware *h, size_t passes,
                                             double bus_bytes, double core_s)
{
    const struct energy_costs *c = &h->energy;
    const double idle_w = h->hosts * (c->host_idle_w + h->boards * c->board_idle_w);
    const double prices_j[ENERGY_PARTS] = {1e-12 * c->sram_access_pj, 1e-12 * c->block_ram_access_pj,
                                           1e-12 * c->bus_byte_pj, 1e-12 * c->core_cycle_pj, idle_w};
    struct machine_energy e = {.counts = {count_sram(run, h, passes), count_block_ram(run, h, passes),
                                          bus_bytes, core_s * h->host_clock_hz, run->duration_s}};
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        e.parts_j[i] = e.counts[i] * prices_j[i];
        e.total_j += e.parts_j[i];
        if (e.parts_j[i] > e.parts_j[e.largest])
            e.largest = i;
    }
    double wmers = frame_count(run, S1A_WMERS);
    e.nj_per_wmer = wmers > 0 ? 1e9 * e.total_j / wmers : NAN;
    return e;
}

/* --- words ----------------------------------------------------------------------------------------------- */

const struct machine_energy_words machine_energy_words[ENERGY_PARTS] = {
    [ENERGY_SRAM] = {"sram", "SRAM", "sram_accesses", "accesses"},
    [ENERGY_BLOCK_RAM] = {"block_ram", "block RAM", "block_ram_accesses", "accesses"},
    [ENERGY_BUS] = {"bus", "bus", "bus_bytes", "bytes"},
    [ENERGY_CORES] = {"cores", "host's cores", "core_cycles", "clocks"},
    [ENERGY_IDLE] = {"idle", "idle", "idle_s", "s"},
};

void machine_energy_write_text(const struct machine_energy *e, FILE *out)
{
    double nj_per_j = e->total_j > 0 ? e->nj_per_wmer / e->total_j : NAN;
    fprintf(out, "\n  %-13s %10s %12s %8s %14s\n", "energy", "J", "nJ per w-mer", "share", "of");
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        fprintf(out, "  %-13s %10.4g %12.4g %7.1f%% %14.*f %s\n", machine_energy_words[i].title,
                e->parts_j[i], e->parts_j[i] * nj_per_j,
                e->total_j > 0 ? 100 * e->parts_j[i] / e->total_j : 0, i == ENERGY_IDLE ? 6 : 0, e->counts[i],
                machine_energy_words[i].unit);
    fprintf(out, "  %-13s %10.4g %12.4g\n  the largest part is that of %s%s\n", "all", e->total_j,
            e->nj_per_wmer, e->largest == ENERGY_IDLE ? "idling" : "the ",
            e->largest == ENERGY_IDLE ? "" : machine_energy_words[e->largest].title);
}

json_t *machine_energy_json(const struct machine_energy *e)
{
    json_t *object = json_object();
    char name[32];
    json_object_set_new(object, "total_j", json_number(e->total_j));
    json_object_set_new(object, "nj_per_wmer", json_number(e->nj_per_wmer));
    json_object_set_new(object, "largest", json_string(machine_energy_words[e->largest].name));
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        snprintf(name, sizeof name, "%s_j", machine_energy_words[i].name);
        json_object_set_new(object, name, json_number(e->parts_j[i]));
    }
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        if (i != ENERGY_IDLE)
            json_object_set_new(object, machine_energy_words[i].count_name, json_number(e->counts[i]));
    return object;
}
