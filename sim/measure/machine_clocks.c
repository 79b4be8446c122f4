#include "sim/measure/machine_clocks.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_number.h"
#include "base/memory.h"

struct machine_clocks {
    const struct hardware *hardware;
    struct stamp_log run; /* the stamps of the run so far */
    double greatest_s;    /* greatest absolute value of a stamp */
    struct clock_map map; /* of the stamps so far */
    bool has_map;
    uint64_t passes, passes_without_map;
    double stream_begin_s;    /* clock 0 of the last pass, in true time of the run */
    struct clock_error error; /* the worst in the frames of all passes */
};

/* --- messages -------------------------------------------------------------------------------------------- */

static void make_room(struct stamp_log *log)
{
    log->count = stamp_pairs_thin(log->pairs, log->count);
    if (log->count <= STAMPS_MAX / 2)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < log->count; i += 2)
        log->pairs[kept++] = log->pairs[i];
    log->count = kept;
}

static void keep_pair(struct stamp_log *log, struct stamp_pair pair)
{
    if (log->count == STAMPS_MAX)
        make_room(log);
    log->pairs[log->count++] = pair;
}

void stamp_log_add(struct stamp_log *log, enum stamp_direction direction, double board_s, double host_s)
{
    keep_pair(log, (struct stamp_pair){board_s, host_s, direction});
    log->to_board += direction == STAMP_TO_CLOCK;
    log->from_board += direction == STAMP_FROM_CLOCK;
}

/* --- the map --------------------------------------------------------------------------------------------- */

static void stamp_messages(struct machine_clocks *c, const struct stamp_log *messages, double begin_s)
{
    for (size_t i = 0; i < messages->count; i++) {
        const struct stamp_pair *truth = &messages->pairs[i];
        struct stamp_pair stamped = {
            local_clock_stamp_s(&c->hardware->fpga_time, begin_s + truth->clock_s),
            local_clock_stamp_s(&c->hardware->host_time, begin_s + truth->reference_s),
            truth->direction,
        };
        keep_pair(&c->run, stamped);
        c->greatest_s = fmax(c->greatest_s, fmax(fabs(stamped.clock_s), fabs(stamped.reference_s)));
    }
    c->run.to_board += messages->to_board;
    c->run.from_board += messages->from_board;
}

static int estimate(struct machine_clocks *c, struct why *why)
{
    double rounding_s = 4 * DBL_EPSILON * c->greatest_s; /* of stamps, which are doubles */
    struct stamp_exchange known = {.clock_resolution_s = c->hardware->fpga_time.resolution_s + rounding_s,
                                   .reference_resolution_s = rounding_s};
    int status = clock_map_estimate(&c->map, c->run.pairs, c->run.count, &known);
    c->run.count = c->map.count;
    c->has_map = status == 0;
    if (status == CLOCKS_EINCONSISTENT)
        return why_say(why, MACHINE_CLOCKS_EBUG, "no line satisfies the stamps of host and board");
    c->passes_without_map += status == CLOCKS_EFEW;
    return 0;
}

static struct clock_line true_line(const struct machine_clocks *c)
{
    return local_clock_line(&c->hardware->fpga_time, &c->hardware->host_time);
}

/* The frames of a pass lie between its first clock and the board's last; the error is greatest at one of the two. */
static int check_frames(struct machine_clocks *c, int64_t board_end, struct why *why)
{
    if (!c->has_map)
        return 0;
    struct clock_error error =
        clock_map_error(&c->map, true_line(c), machine_clocks_read(c, DOMAIN_FPGA, 0, false).local_s,
                        machine_clocks_read(c, DOMAIN_FPGA, board_end, false).local_s);
    c->error.worst_s = fmax(c->error.worst_s, error.worst_s);
    c->error.bound_s = fmax(c->error.bound_s, error.bound_s);
    if (error.within)
        return 0;
    return why_say(why, MACHINE_CLOCKS_EBUG,
                   "virtual time is wrong by %.3g s; the stamps allow at most %.3g s", error.worst_s,
                   error.bound_s);
}

int machine_clocks_add_pass(struct machine_clocks *c, const struct pass_stamps *stamps, double begin_s,
                            struct why *why)
{
    c->passes++;
    c->stream_begin_s = begin_s + stamps->stream_begin_s;
    stamp_messages(c, &stamps->messages, begin_s);
    int status = estimate(c, why);
    return status ? status : check_frames(c, stamps->board_end, why);
}

struct clock_reading machine_clocks_read(const struct machine_clocks *c, enum clock_domain domain,
                                         int64_t clock, bool of_run)
{
    const bool host = domain == DOMAIN_HOST;
    const double true_s = (of_run ? 0 : c->stream_begin_s) + (double)clock / c->hardware->fpga_clock_hz;
    double local_s = local_clock_stamp_s(host ? &c->hardware->host_time : &c->hardware->fpga_time, true_s);
    double virtual_s = host ? local_s : c->has_map ? clock_map_virtual_s(&c->map, local_s) : NAN;
    return (struct clock_reading){local_s, virtual_s};
}

struct machine_clocks *machine_clocks_new(const struct hardware *hardware)
{
    struct machine_clocks *c = memory_new(1, sizeof *c);
    c->hardware = hardware;
    return c;
}

void machine_clocks_destroy(struct machine_clocks *c)
{
    free(c);
}

/* --- output ---------------------------------------------------------------------------------------------- */

/* What was estimated is null if nothing could be. */
json_t *machine_clocks_json(const struct machine_clocks *c)
{
    const struct local_clock *fpga = &c->hardware->fpga_time, *host = &c->hardware->host_time;
    const struct clock_line truth = true_line(c),
                            line = c->has_map ? c->map.line : (struct clock_line){NAN, NAN};
    double offsets_s[2] = {NAN, NAN};
    if (c->has_map)
        clock_map_bounds_s(&c->map, 0, &offsets_s[0], &offsets_s[1]);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"rate", line.rate},
        {"rate_least", c->has_map ? c->map.rate_least : NAN},
        {"rate_most", c->has_map ? c->map.rate_most : NAN},
        {"offset_s", line.offset_s},
        {"offset_least_s", offsets_s[0]},
        {"offset_most_s", offsets_s[1]},
        {"virtual_error_s", c->has_map ? c->error.worst_s : NAN},
        {"virtual_error_bound_s", c->has_map ? c->error.bound_s : NAN},
        {"true_rate", truth.rate},
        {"true_offset_s", truth.offset_s},
        {"fpga_rate_error", fpga->rate_error},
        {"fpga_clock_offset_s", fpga->offset_s},
        {"fpga_resolution_s", fpga->resolution_s},
        {"host_rate_error", host->rate_error},
        {"host_clock_offset_s", host->offset_s},
    };
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:b, s:I}", "reference", "host", "messages_to_board",
                  (json_int_t)c->run.to_board, "messages_from_board", (json_int_t)c->run.from_board,
                  "estimated", c->has_map, "passes_without_estimate", (json_int_t)c->passes_without_map);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(object, numbers[i].name, json_number(numbers[i].value));
    return object;
}

void machine_clocks_write_text(const struct machine_clocks *c, FILE *out)
{
    const struct local_clock *fpga = &c->hardware->fpga_time, *host = &c->hardware->host_time;
    struct clock_line truth = true_line(c);
    if (fpga->rate_error == 0 && fpga->offset_s == 0 && host->rate_error == 0 && host->offset_s == 0)
        return;
    fprintf(out, "\nclocks: board %+.6g us per second and %+.9g s, host %+.6g us per second and %+.9g s\n",
            1e6 * fpga->rate_error, fpga->offset_s, 1e6 * host->rate_error, host->offset_s);
    if (!c->has_map) {
        fprintf(out,
                "  there are too few messages between them for a map: %" PRIu64 " to the board, %" PRIu64
                " back\n",
                c->run.to_board, c->run.from_board);
        return;
    }
    struct clock_line line = c->map.line;
    fprintf(out,
            "  virtual time = %.12g x the board's stamp %+.9f s, from %" PRIu64
            " messages to the board and %" PRIu64 " back;\n  true: %.12g, %+.9f s; wrong by at most %.4g us "
            "in this run's frames, where the stamps alone allow "
            "%.4g us\n",
            line.rate, line.offset_s, c->run.to_board, c->run.from_board, truth.rate, truth.offset_s,
            1e6 * c->error.worst_s, 1e6 * c->error.bound_s);
}
