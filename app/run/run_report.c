#include "app/run/run_output.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/shown.h"
#include "blast/stage3/search.h"
#include "sim/board/board_costs.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "app/run/run_forecast.h"
#include "app/why/window_theory.h"
#include "app/prose.inc"

struct run_bottleneck run_report_bottleneck(const struct run_facts *f)
{
    struct run_bottleneck b = run_bottleneck_find(&f->result->run, &f->of.hardware, f->result->host.longest_s,
                                                  &f->result->network, f->run_limits);
    b.has_frame_records = f->cost && f->cost->charge.bus_bytes > 0;
    return b;
}

struct machine_energy run_report_energy(const struct run_facts *f)
{
    const struct measuring_cost *c = f->cost;
    return c ? machine_energy_of_work(&f->result->run, &f->of.hardware, f->of.pass_count,
                                      (double)c->bus_bytes, c->charged.user_s)
             : machine_energy_of(&f->result->run, &f->of.hardware, f->of.pass_count);
}

/* Say if stage 2 asks for a higher score than the E-value does of some record's alignments. @return whether it does */
static bool tell_threshold(const struct run_facts *f, char *words, size_t size)
{
    const int threshold = f->of.hardware.pass.stage2.threshold;
    int lowest = threshold;
    size_t records = 0;
    struct scoring_statistics statistics;
    struct why ignored;
    auto_free int *least = scoring_statistics_compute(&f->of.hardware.scoring, &statistics, &ignored) == 0
                               ? search_least_scores(&statistics, f->of.query, f->of.database, f->of.e_value)
                               : NULL;
    for (size_t i = 0; least && i < f->of.query->record_count; i++) {
        const int score = scoring_reported(&statistics, least[i]);
        records += score < threshold;
        lowest = score < lowest ? score : lowest;
    }
    snprintf(words, size,
             "%d in stage 2, where E <= %g allows a score of %d (%zu of %zu record%s): alignments may be "
             "missed (--set stage2.threshold=%d)",
             threshold, f->of.e_value, lowest, records, f->of.query->record_count,
             f->of.query->record_count == 1 ? "" : "s", lowest);
    return records > 0;
}

/* --- the readable summary -------------------------------------------------------------------------------- */

/* Why the board does not hold the machine and the tables of this run; "" if it does. @return `text` */
static const char *misfit(const struct run_facts *f, char text[BOARD_MISFIT_BYTES])
{
    double bytes = 0; /* of the largest tables */
    for (size_t i = 0; i < f->of.pass_count; i++)
        bytes = fmax(bytes, frame_count(&f->result->passes[i], PCIX_TABLE_BYTES));
    return board_costs_misfit(&f->of.hardware, board_costs_sram_bits(&f->of.hardware, bytes), text);
}

static void write_input(const char *side, const char *path, const struct sequences *s, FILE *out)
{
    char shown[PATH_MAX];
    fprintf(out, "%-9s %s: %" PRIu64 " bases in %zu record%s\n", side,
            printable_copy(shown, sizeof shown, path, SIZE_MAX), s->bases, s->record_count,
            s->record_count == 1 ? "" : "s");
}

static void write_compared(const struct run_facts *f, FILE *out)
{
    char words[300], missing[BOARD_MISFIT_BYTES];
    write_input("query", f->of.query_path, f->of.query, out);
    write_input("database", f->of.database_path, f->of.database, out);
    if (f->of.query->ambiguous + f->of.database->ambiguous > 0)
        fprintf(out,
                "          %" PRIu64 " query and %" PRIu64 " database bases are ambiguous and in no seed\n",
                f->of.query->ambiguous, f->of.database->ambiguous);
    if (tell_threshold(f, words, sizeof words))
        shown_print(out, "          threshold %s", words);
    if (f->of.masking.bases > 0)
        fprintf(out, "          %" PRIu64 " query bases are masked and start no alignment\n",
                f->of.masking.bases);
    if (*misfit(f, missing))
        fprintf(out, "board     does not fit: %s\n", missing);
}

static void write_phases(const struct run_facts *f, const struct run_bottleneck *b, FILE *out)
{
    const struct frame *frame = &f->result->run;
    uint32_t hosts = f->of.hardware.hosts, boards = frame->boards, all = f->of.hardware.boards * hosts;
    double join_s = frame_seconds(frame, S3_JOIN), build_s = frame_seconds(frame, S3_BUILD);
    fprintf(out, "\n%zu pass%s, %.6g ms on the simulated machine", f->of.pass_count,
            f->of.pass_count == 1 ? "" : "es", 1e3 * frame->duration_s);
    if (boards < all)
        fprintf(out, ", %u of whose %u boards had passes", boards, all);
    fprintf(out, boards > 1 ? ":\n  means of %u boards\n" : ":\n", boards);
    if (build_s > 0)
        fprintf(out, "  %10.6g ms waiting for tables to be built (%.6g ms of the cores)\n",
                1e3 * b->phase_s[PHASE_BUILD], 1e3 * build_s);
    fprintf(out, "  %10.6g ms loading tables over the bus\n", 1e3 * b->phase_s[PHASE_LOAD]);
    fprintf(out, "  %10.6g ms streaming the database (%" PRIu64 " clocks)\n", 1e3 * b->phase_s[PHASE_STREAM],
            frame->clocks);
    fprintf(out, "  %10.6g ms %s\n", 1e3 * frame_seconds(frame, S3_DRAIN),
            hosts > 1    ? "boards idle, while others, stage 3 or the network worked"
            : boards > 1 ? "boards idle, while others or stage 3 worked"
                         : "in which only stage 3 worked");
    if (b->has_frame_records)
        fputs("             or frame records (--charge-measurement) crossed the bus\n", out);
    if (join_s > 0)
        fprintf(out, "             (%.6g ms of it to join alignments)\n", 1e3 * join_s);
    const struct network_use *n = &f->result->network;
    if (hosts > 1)
        shown_print(
            out,
            "%u hosts, %s dealt: %" PRIu64 " bytes of query (there after %.6g ms) and %" PRIu64
            " of results on the network, busy for %.6g ms; a host waits for it %.6g ms, and %.6g ms for "
            "other hosts",
            hosts, hardware_deals_database(&f->of.hardware) ? "the database" : "queries", n->query_bytes,
            1e3 * n->queries_s, n->result_bytes, 1e3 * n->busy_s, 1e3 * n->wait_s, 1e3 * n->idle_s);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* What this computer took. The board's time is that of stages 1 and 2, their clocks and their taps. */
static void write_wall(const struct run_facts *f, FILE *out)
{
    const struct frame *frame = &f->result->run;
    const struct system_wall *wall = &f->result->wall.system;
    const double board_s = wall->stages_s + wall->board_s, wmer_ns = 1e9 / frame_count(frame, S1A_WMERS);
    fprintf(out, PROSE_RUN_REPORT_WALL, f->wall_s, f->simulate_s / frame->duration_s, f->read_s,
            f->result->wall.tables_s, wall->stage3_s, board_s, board_s / frame_measured_s(frame),
            wmer_ns * board_s, f->record_path ? "reading the record" : "stages", wmer_ns * wall->stages_s,
            wmer_ns * wall->board_s);
}

/* If several trips may be under way, they read the duplicate table while the primary table is read, too. */
static void write_filters(const struct frame *f, const struct hardware *hardware, FILE *out)
{
    const struct board_rules *board = &hardware->board;
    const double seeds = frame_count(f, S1B_SEEDS), reads = frame_count(f, S1B_SRAM_READS),
                 clocks = (double)f->clocks, false_positives = frame_count(f, S1A_FALSE_POSITIVES);
    char read[128];
    if (board->trips_in_flight == 1)
        snprintf(read, sizeof read, "read in %.3f%% of the clocks", 100 * share(reads, clocks));
    else
        snprintf(read, sizeof read, "primary table read in %.3f%% of the clocks, %s in %.3f%%",
                 100 * share(seeds, clocks), board->probes ? "probed" : "duplicate table",
                 100 * share(reads - seeds, clocks));
    fprintf(out, "  at work: the time that its elements need; bus to 2 while streaming,\n"
                 "    3 over the whole run\n");
    shown_print(out, "  SRAM: %s; SRAM reads per seed %.4g, trips per seed %.4g", read, share(reads, seeds),
                share(frame_count(f, S1B_TRIPS), seeds));
    shown_print(
        out,
        "  false positives of the Bloom filter%s: %.4g per w-mer, %.4g per seed (PFP); P_1bp is 1 - PFP, "
        "%.4g; %.4g of the seeds are not seen to be false at once",
        hardware->overdrive_seeds > 0 ? " and seeds of the overdrive" : "",
        share(false_positives, frame_count(f, S1A_WMERS)), share(false_positives, seeds),
        1 - share(false_positives, seeds), 1 - share(frame_count(f, S1B_LOOKUPS_EMPTY), seeds));
    fprintf(out, "  stage 3: %.4g cells\n", frame_count(f, S3_CELLS));
}

/* What each stage takes and gives; `stage` is its evidence for the bottleneck, so that both tables say the same. */
static const struct {
    const char *name;
    unsigned stage;
    enum machine_counter takes, gives;
    const char *taken, *given;
} stage_rows[] = {
    {"bus", STAGE_BUS, PCIX_WORDS_IN, S1A_WORDS, "words", "words"},
    {"1a", STAGE_OF_BOARD + BOARD_STAGE_1A, S1A_WMERS, S1A_SEEDS_OUT, "w-mers", "seeds"},
    {"1bp", STAGE_OF_BOARD + BOARD_STAGE_1BP, S1B_SEEDS, S1B_SEEDS, "seeds", "lookups"},
    {"1bd", STAGE_OF_BOARD + BOARD_STAGE_1BD, S1B_SEEDS, S1B_MATCHES_OUT, "lookups", "matches"},
    {"2", STAGE_OF_BOARD + BOARD_STAGE_2, S2_MATCHES, S2_HSPS_OUT, "matches", "HSPs"},
    {"3", STAGE_3, S3_HSPS, S3_HSPS, "HSPs", "alignments"}, /* whose number is no counter */
};

/* Windows of the database leave no alignments, although they have some. */
static bool is_of_windows(const struct run_facts *f)
{
    return f->forecast && f->forecast->windows;
}

static void write_stage_table(const struct run_facts *f, const struct run_bottleneck *b, FILE *out)
{
    const struct frame *fr = &f->result->run;
    fprintf(out, "\n  %-5s %12s %-8s %13s %9s\n", "stage", "elements in", "", "rate", "at work");
    for (unsigned i = 0; i < sizeof stage_rows / sizeof stage_rows[0]; i++) {
        const bool of_host = stage_rows[i].stage == STAGE_3;
        const double taken = frame_count(fr, stage_rows[i].takes),
                     given = of_host ? (double)f->alignments->count : frame_count(fr, stage_rows[i].gives);
        char count[32] = "-";
        if (!of_host || !is_of_windows(f))
            snprintf(count, sizeof count, "%.0f", given);
        fprintf(out, "  %-5s %12.0f %-8s %9.4g M/s %8.3f%%  -> %11s %s\n", stage_rows[i].name, taken,
                stage_rows[i].taken, taken / (of_host ? fr->duration_s : frame_measured_s(fr)) / 1e6,
                100 * b->stages[stage_rows[i].stage].active, count, stage_rows[i].given);
    }
    write_filters(fr, &f->of.hardware, out);
}

static void write_queues(const struct run_facts *f, FILE *out)
{
    fprintf(out, "\n  %-13s %-8s %7s %10s %7s %12s %14s\n", "queue", "holds", "places", "mean", "max",
            "mean wait ns", "back-pressure");
    for (unsigned i = 0; i < machine_layout.queue_count; i++) {
        const struct fifo_measure *m = &f->result->run.queues[i];
        char places[24] = "-", back_pressure[24] = "-";
        if (m->places) {
            snprintf(places, sizeof places, "%" PRIu64, m->places);
            snprintf(back_pressure, sizeof back_pressure, "%.4g%%", 100 * fifo_measure_back_pressure(m));
        }
        fprintf(out, "  %-13s %-8s %7s %10.4g %7" PRIu64 " %12.4g %14s\n", machine_layout.queues[i].name,
                machine_layout.queues[i].element, places, fifo_measure_mean(m), m->most,
                1e9 * fifo_measure_mean_sojourn(m) / f->result->run.clock_hz, back_pressure);
    }
}

/* Say what a drawing lacks. */
static void report_missing(const char *cut, const char *empty, const char *whose, const struct drawn *drawn,
                           FILE *out)
{
    const struct drawing_report *r = &drawn->report;
    if (drawn->status == DRAWING_CUT || r->is_beyond)
        fputc('\n', out);
    if (drawn->status == DRAWING_CUT)
        shown_print(
            out, "the %s cap (--timeline-cap) after %.6g ms: %" PRIu64 " of %" PRIu64 " events are missing",
            cut, (double)r->cut_ps / 1e9, r->missing, r->missing + r->events);
    if (r->is_beyond)
        shown_print(out, "the %s empty: %s window (--timeline-window) begins after the pass ends, at %.6g ms",
                    empty, whose, (double)r->end_ps / 1e9);
}

/* Say how finely a timeline shows the run. */
static void report_grain(const struct run_facts *f, FILE *out)
{
    const struct outline_grain *passes = &f->result->grain.passes;
    const uint64_t clocks = UINT64_C(1) << passes->step, blocks = UINT64_C(1) << passes->blocks;
    if (f->result->timeline.report.bytes == 0)
        return;
    fprintf(out, "\nthe timeline shows when stages are busy in steps of %" PRIu64 " clock%s, %.4g us,\n",
            clocks, clocks == 1 ? "" : "s", 1e6 * (double)clocks / f->of.hardware.fpga_clock_hz);
    fprintf(out, "the hosts' cores and inboxes in steps of %.4g us",
            1e-6 * (double)(UINT64_C(1) << f->result->grain.host_step));
    if (blocks > 1)
        fprintf(out, ", every %" PRIu64 " blocks as one", blocks);
    fputc('\n', out);
}

void run_report_write_asked(const struct run_facts *facts, FILE *out)
{
    if (facts->cost)
        measuring_cost_write_text(facts->cost, out);
    report_grain(facts, out);
    report_missing("timeline reached its", "timeline is", "its", &facts->result->timeline, out);
    report_missing("waveforms reached their", "waveforms are", "their", &facts->result->waves, out);
}

/* --- the answer: numbers --------------------------------------------------------------------------------- */

enum { LABEL_WIDTH = 12, COLUMN_WIDTH = 9 };

/* Three digits, and a prefix of the unit. */
static struct shown scaled(double value, double scale, const char *const *units, unsigned unit_count)
{
    unsigned unit = 0;
    while (unit + 1 < unit_count && value * scale >= 999.5) {
        value /= 1000;
        unit++;
    }
    return shown_text(*units[unit] ? "%.3g %s" : "%.3g", value * scale, units[unit]);
}

static struct shown bases(uint64_t count)
{
    static const char *const units[] = {"b", "kb", "Mb", "Gb"};
    return scaled((double)count, 1, units, 4);
}

static struct shown duration(double seconds)
{
    static const char *const units[] = {"us", "ms", "s"};
    return scaled(seconds, 1e6, units, 3);
}

/* --- the answer: rows ------------------------------------------------------------------------------------ */

/* A label, and words after it in lines of at most 80 columns. */
struct answer {
    FILE *out;
    const char *label; /* of the row that is put together; NULL: there is none */
    char words[512];
};

/* End the row that is put together, and begin another one. @param label  NULL: none */
static void begin(struct answer *a, const char *label)
{
    if (a->label) {
        int column = fprintf(a->out, "%-*s ", LABEL_WIDTH - 1, a->label);
        shown_words(a->words, column, LABEL_WIDTH, a->out);
    }
    a->label = label;
    *a->words = '\0';
}

__attribute__((format(printf, 2, 3))) static void add(struct answer *a, const char *format, ...)
{
    size_t length = strlen(a->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->words + length, sizeof a->words - length, format, arguments);
    va_end(arguments);
}

/* --- what was compared ----------------------------------------------------------------------------------- */

/* The name of a file without its directories and endings, at most `most` columns of it. */
static struct shown name_of(const char *path, int most)
{
    struct shown shown;
    const char *name = basename(path);
    int length = (int)strcspn(name, ".");
    if (length == 0)
        length = (int)strlen(name);
    printable_copy(shown.text, (size_t)most + 1, name, (size_t)length);
    return shown;
}

static void write_inputs(const struct run_facts *f, FILE *out)
{
    fprintf(out, "%s (%s) x %s (%s)", name_of(f->of.query_path, 17).text, bases(f->of.query->bases).text,
            name_of(f->of.database_path, 17).text, bases(f->of.database->bases).text);
}

/* What to know of the search and the machine. */
static void write_warnings(const struct run_facts *f, struct answer *a)
{
    char threshold[300], missing[BOARD_MISFIT_BYTES];
    if (tell_threshold(f, threshold, sizeof threshold)) {
        begin(a, "threshold");
        add(a, "%s", threshold);
    }
    if (*misfit(f, missing)) {
        begin(a, "board");
        add(a, "does not fit: %s", missing);
    }
}

static void write_times(const struct run_facts *f, const struct run_bottleneck *b, struct answer *a)
{
    const struct network_use *n = &f->result->network;
    const uint32_t boards = f->result->run.boards, all = f->of.hardware.boards * f->of.hardware.hosts;
    const double join_s = frame_seconds(&f->result->run, S3_JOIN);
    begin(a, "simulated");
    add(a, "%s: ", duration(f->result->run.duration_s).text);
    if (b->phase_s[PHASE_BUILD] > 0)
        add(a, "building %s, ", duration(b->phase_s[PHASE_BUILD]).text);
    add(a, "tables %s, streaming %s, %s %s", duration(b->phase_s[PHASE_LOAD]).text,
        duration(b->phase_s[PHASE_STREAM]).text, run_bottleneck_drain(b, "last of stage 3"),
        duration(b->phase_s[PHASE_DRAIN]).text);
    if (join_s > 0)
        add(a, " (%s of it to join)", duration(join_s).text);
    if (boards > 1)
        add(a, "; means of %" PRIu32 " boards", boards);
    if (boards < all)
        add(a, "; only %" PRIu32 " of %" PRIu32 " boards had passes", boards, all);
    if (f->of.hardware.hosts > 1) {
        begin(a, "network");
        add(a, "%" PRIu32 " hosts; one waits %s for %.3g MB of query and results, %s for other hosts (means)",
            f->of.hardware.hosts, duration(b->phase_s[PHASE_NETWORK]).text,
            (double)(n->query_bytes + n->result_bytes) / 1e6, duration(b->phase_s[PHASE_OTHERS]).text);
    }
    begin(a, "computed in");
    add(a, "%s", duration(f->wall_s).text);
}

/* --- what the stages did --------------------------------------------------------------------------------- */

/* At most five columns: "0.026", "1.4", "456", "29.8k". */
static struct shown short_number(double value)
{
    static const char prefixes[] = {' ', 'k', 'M', 'G', 'T'};
    unsigned prefix = 0;
    if (value < 9999.5)
        return shown_text(value >= 99.5 ? "%.0f" : "%.2g", value);
    for (; value >= 999.5 && prefix < 4; prefix++)
        value /= 1000;
    return shown_text("%.3g%c", value, prefixes[prefix]);
}

static struct shown queue_of(const struct stage_evidence *s)
{
    const bool is_little = s->queue_mean > 0 && s->queue_mean < 0.01;
    const bool has_places = s->queue_places > 0;
    if (!s->has_queue)
        return shown_text("-");
    return shown_text("%s%s%s", is_little ? "~0" : short_number(s->queue_mean).text, has_places ? "/" : "",
                      has_places ? short_number((double)s->queue_places).text : "");
}

/* The rows of the table of stages. */
enum row { ROW_NAME, ROW_BUSY, ROW_STALLED, ROW_QUEUE, ROWS };

static struct shown cell_of(const struct run_bottleneck *b, enum row row, unsigned stage)
{
    const struct stage_evidence *s = &b->stages[stage];
    if (row == ROW_NAME)
        return shown_text("%s", stage == STAGE_3 ? "stage 3" : s->name);
    if (row == ROW_BUSY)
        return shown_percent(s->active, 1);
    if (row == ROW_QUEUE)
        return queue_of(s);
    return stage == STAGE_3 ? shown_text("-") : shown_percent(s->stalled, 1); /* stage 3 stalls no one */
}

static void write_stages(const struct run_bottleneck *b, FILE *out)
{
    static const char *const labels[ROWS] = {"", "busy", "stalled", "queue"};
    int widths[RUN_STAGES];
    for (unsigned stage = 0; stage < RUN_STAGES; stage++) {
        widths[stage] = COLUMN_WIDTH;
        for (enum row row = 0; row < ROWS; row++) {
            int length = (int)strlen(cell_of(b, row, stage).text);
            widths[stage] = length < widths[stage] ? widths[stage] : length + 1;
        }
    }
    fputc('\n', out);
    for (enum row row = 0; row < ROWS; row++) {
        fprintf(out, "%-*s", LABEL_WIDTH, labels[row]);
        for (unsigned stage = 0; stage < RUN_STAGES; stage++)
            fprintf(out, "%-*s%s", stage + 1 < RUN_STAGES ? widths[stage] : 0, cell_of(b, row, stage).text,
                    stage + 1 < RUN_STAGES ? "" : "\n");
    }
}

static struct shown stage_name(const struct run_bottleneck *b, size_t stage)
{
    const char *const outside[STAGE_OF_BOARD] = {[STAGE_HOST] = "the host's supply", [STAGE_BUS] = "the bus"};
    return stage < STAGE_OF_BOARD ? shown_text("%s", outside[stage])
                                  : shown_text("stage %s", b->stages[stage].name);
}

/* By how much M/M/1's mean queues differ. */
static void compare_queues(const struct validation *v, struct answer *a)
{
    static const enum machine_quantity queues[] = {N_Q_1A, N_Q_1B, N_Q_2};
    double least = INFINITY, most = -INFINITY;
    for (unsigned i = 0; i < 3; i++) {
        double simulated = verdict_simulated(&v->frames[0], queues[i]);
        double predicted = verdict_of_four_stages(&v->frames[0], queues[i], PIPELINE_MM1);
        if (isnan(predicted) || !(simulated > 0))
            continue;
        least = fmin(least, predicted / simulated - 1);
        most = fmax(most, predicted / simulated - 1);
    }
    if (least > most)
        add(a, "M/M/1 has no answer");
    else if (least <= 0 && most >= 0)
        add(a, "M/M/1 with these rates: queues %s%% too low to %s%% too high",
            shown_digits(-100 * least, 3).text, shown_digits(100 * most, 3).text);
    else {
        const struct shown from = shown_digits(100 * fmin(fabs(least), fabs(most)), 3),
                           to = shown_digits(100 * fmax(fabs(least), fabs(most)), 3);
        const bool one = strcmp(from.text, to.text) == 0;
        add(a, "M/M/1 with these rates: queues %s%s%s%% too %s", one ? "" : from.text, one ? "" : " to ",
            to.text, most < 0 ? "low" : "high");
    }
}

/* --- a sample -------------------------------------------------------------------------------------------- */

/* Long times are this computer's. */
static struct shown amount_of(enum forecast_quantity q, double value)
{
    static const char *const counts[] = {"", "k", "M", "G", "T"}, *const minutes[] = {"min"},
                             *const hours[] = {"h"};
    if (q == FORECAST_WALL && value >= 600)
        return value < 36000 ? scaled(value, 1.0 / 60, minutes, 1) : scaled(value, 1.0 / 3600, hours, 1);
    return *forecast_rows[q].unit == 's' ? duration(value) : scaled(value, 1, counts, 5);
}

/* The quantity that one pass dominates most, and what else there is, but that joining is unknown only if nothing else
 * is: the page has the reasons of each. @param interval  also that of the run in which no other pass is like it, for
 * which the answer has no room */
static void write_doubts(const struct run_forecast *f, bool interval, struct answer *a)
{
    const struct forecast_total *worst = NULL;
    bool doubtful = false, skewed = false, cut = false, unaligned = false;
    for (enum forecast_quantity q = FORECAST_TIME; q < FORECAST_WALL; q++) {
        const struct forecast_total *t = &f->totals[q];
        if (!run_forecast_is_doubtful(f, q))
            continue;
        doubtful = true;
        skewed = skewed || (t->is_skewed && !t->is_dominated);
        cut = cut || t->is_cut;
        unaligned = unaligned || t->is_unaligned;
        if (t->is_dominated && (!worst || t->largest.share > worst->largest.share))
            worst = t;
    }
    if (!doubtful)
        return;
    begin(a, "doubt");
    add(a, "no interval with (!) is to be relied on");
    if (worst) {
        const enum forecast_quantity quantity = worst - f->totals;
        const struct sample_interval apart = sample_interval(worst->apart);
        add(a, ": pass %zu has %s of the drawn passes' %s; if no other is like it, the run has %s",
            f->sample->numbers[worst->largest.index] + 1, shown_percent(worst->largest.share, 1).text,
            forecast_rows[quantity].title, amount_of(quantity, worst->apart.total).text);
        if (interval)
            add(a, " (%s to %s)", amount_of(quantity, apart.low).text, amount_of(quantity, apart.high).text);
    }
    if (skewed)
        add(a, "%s so few passes or windows are too unequal", worst ? ";" : ":");
    if (cut)
        add(a, "%s windows cut alignments", worst || skewed ? ";" : ":");
    if (unaligned)
        add(a, "%s no drawn pass has an alignment", worst || skewed || cut ? ";" : ":");
    if (!worst && !skewed && !cut && !unaligned)
        add(a, ": joining at borders is unknown");
}

/* @param wall  also the time of this computer, which differs every time */
static void write_forecast(const struct run_facts *facts, bool wall, FILE *out)
{
    const struct run_forecast *f = facts->forecast;
    const bool has_records = run_report_bottleneck(facts).has_frame_records;
    fprintf(out, "%-16s %10s   %s\n", "the whole run", "forecast", "95% interval");
    for (enum forecast_quantity q = FORECAST_TIME; q < FORECAST_QUANTITIES; q++) {
        const struct sample_estimate e = f->totals[q].estimate;
        const struct sample_interval i = sample_interval(e);
        const char *title = q == FORECAST_STAGE3 && has_records ? "stage 3, records" : forecast_rows[q].title;
        if (!run_forecast_has(f, q) || (q == FORECAST_WALL && !wall))
            continue;
        if (run_forecast_is_unseen(f, q))
            fprintf(out, "%-16s %10s   unknown: the drawn passes have none\n", title, "-");
        else
            fprintf(out, "%-16s %10s   %10s to %-10s +- %.3g%%%s\n", title, amount_of(q, e.total).text,
                    amount_of(q, i.low).text, amount_of(q, i.high).text, 100 * sample_width(e),
                    run_forecast_is_doubtful(f, q) ? " (!)" : "");
    }
    run_forecast_write_needed(f, out);
}

static void write_sample(const struct run_facts *f, struct answer *a)
{
    char title[128];
    fprintf(a->out, "%s\n", run_forecast_title(f->forecast, title));
    write_inputs(f, a->out);
    fprintf(a->out, ", E <= %g\n", f->of.e_value);
    write_forecast(f, true, a->out);
    write_warnings(f, a);
    write_doubts(f->forecast, false, a);
}

bool run_report_say_windows(const struct run_theory *theory, char *text, size_t size)
{
    const double error = theory->window_error;
    if (theory->window_words == 0 || error < 0)
        return false;
    snprintf(text, size, "Fluid and clocks in windows of %" PRIu64 " words: %s %s%%%s", theory->window_words,
             error <= WINDOW_NEAR ? "within" : "up to", shown_digits(100 * error, 2).text,
             error <= WINDOW_NEAR ? "" : " off");
    return true;
}

static void write_run(const struct run_facts *f, const struct run_theory *theory, struct answer *a)
{
    const struct validation *validation = &theory->validation;
    char windows[120];
    const struct run_bottleneck b = run_report_bottleneck(f);
    write_inputs(f, a->out);
    fprintf(a->out, ": %zu alignment%s, E <= %g\n", f->alignments->count,
            f->alignments->count == 1 ? "" : "s", f->of.e_value);
    if (f->of.masking.bases > 0) {
        begin(a, "masked");
        add(a, "%" PRIu64 " of the query's %" PRIu64 " bases, which start no alignment", f->of.masking.bases,
            f->of.query->bases);
    }
    write_warnings(f, a);
    write_times(f, &b, a);
    begin(a, NULL);
    write_stages(&b, a->out);
    if (b.limits) {
        begin(a, "bottleneck");
        run_limits_say(b.limits, a->words, sizeof a->words);
    }
    begin(a, "streaming");
    add(a, "%s is busiest, %s of the time", stage_name(&b, b.board.limit).text,
        shown_percent(b.stages[b.board.limit].active, 1).text);
    if (b.board.has_next)
        add(a, ", then %s, %s", stage_name(&b, b.board.next).text,
            shown_percent(b.stages[b.board.next].active, 1).text);
    begin(a, "theory");
    if (validation->count > 0)
        compare_queues(validation, a);
    else
        add(a, "no answer: the rates are outside every model's domain");
    if (validation->reason)
        add(a, "; %s", validation->reason);
    if (run_report_say_windows(theory, windows, sizeof windows))
        add(a, ". %s", windows);
}

void run_report_write_answer(const struct run_facts *f, const struct run_theory *theory, const char *files,
                             FILE *out)
{
    struct answer answer = {.out = out};
    if (f->forecast)
        write_sample(f, &answer);
    else
        write_run(f, theory, &answer);
    begin(&answer, NULL);
    if (files)
        fputs(files, out);
}

void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out)
{
    const struct run_bottleneck bottleneck = run_report_bottleneck(facts);
    const struct machine_energy energy = run_report_energy(facts);
    char title[128];
    struct answer answer = {.out = out};
    if (facts->forecast) {
        fprintf(out, "%s\n\n", run_forecast_title(facts->forecast, title));
        write_forecast(facts, wall, out);
        write_doubts(facts->forecast, true, &answer);
        begin(&answer, NULL);
        fprintf(out, "\nWhat follows is of the drawn passes only, numbered as if they were a run:\n\n");
    }
    write_compared(facts, out);
    write_phases(facts, &bottleneck, out);
    if (wall)
        write_wall(facts, out);
    write_stage_table(facts, &bottleneck, out);
    write_queues(facts, out);
    machine_energy_write_text(&energy, out);
    run_bottleneck_write_text(&bottleneck, out);
    machine_clocks_write_text(facts->result->clocks, out);
    run_report_write_asked(facts, out);
    if (!is_of_windows(facts))
        fprintf(out, "\n%zu alignment%s with E <= %g\n", facts->alignments->count,
                facts->alignments->count == 1 ? "" : "s", facts->of.e_value);
}
