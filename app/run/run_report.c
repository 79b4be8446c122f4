#include "app/run/run_report.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/json_number.h"
#include "base/draw/result_table.h"
#include "base/printable.h"
#include "blast/stage3/search.h"
#include "sim/board/board_costs.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "app/run/run_forecast.h"

struct run_bottleneck run_report_bottleneck(const struct run_facts *f)
{
    return run_bottleneck_find(&f->result->run, &f->of.hardware, f->result->host.longest_s,
                               &f->result->network, f->run_limits);
}

/* --- the readable summary -------------------------------------------------------------------------------- */

static void write_input(const char *side, const char *path, const struct sequences *s, FILE *out)
{
    char shown[PATH_MAX];
    fprintf(out, "%-9s %s: %" PRIu64 " bases in %zu record%s\n", side,
            printable_copy(shown, sizeof shown, path, SIZE_MAX), s->bases, s->record_count,
            s->record_count == 1 ? "" : "s");
}

bool run_report_tell_threshold(const struct run_facts *f, char *words, size_t size)
{
    const int threshold = f->of.hardware.pass.stage2.threshold;
    int lowest = threshold;
    size_t records = 0;
    struct scoring_statistics statistics;
    struct why ignored;
    int *least = scoring_statistics_compute(&f->of.hardware.scoring, &statistics, &ignored) == 0
                     ? search_least_scores(&statistics, f->of.query, f->of.database, f->of.e_value)
                     : NULL;
    for (size_t i = 0; least && i < f->of.query->record_count; i++) {
        const int score = scoring_reported(&statistics, least[i]);
        records += score < threshold;
        lowest = score < lowest ? score : lowest;
    }
    free(least);
    snprintf(words, size,
             "%d in stage 2, where E <= %g allows a score of %d (%zu of %zu records): alignments may be "
             "missed (--set stage2.threshold=%d)",
             threshold, f->of.e_value, lowest, records, f->of.query->record_count, lowest);
    return records > 0;
}

static void write_inputs(const struct run_facts *f, FILE *out)
{
    write_input("query", f->of.query_path, f->of.query, out);
    write_input("database", f->of.database_path, f->of.database, out);
    if (f->of.query->ambiguous + f->of.database->ambiguous > 0)
        fprintf(out,
                "          %" PRIu64 " query and %" PRIu64 " database bases are ambiguous and in no seed\n",
                f->of.query->ambiguous, f->of.database->ambiguous);
    char words[300];
    if (run_report_tell_threshold(f, words, sizeof words))
        fprintf(out, "          threshold %s\n", words);
    if (f->of.masking.bases > 0)
        fprintf(out, "          %" PRIu64 " query bases are masked and start no alignment\n",
                f->of.masking.bases);
}

static void write_misfit(const struct run_facts *f, FILE *out)
{
    char missing[BOARD_MISFIT_BYTES];
    if (*board_costs_misfit(&f->of.hardware, 0, missing))
        fprintf(out, "FPGA      does not fit: %s\n", missing);
}

static void write_network(const struct run_facts *f, FILE *out)
{
    const struct network_use *n = &f->result->network;
    fprintf(
        out,
        "%u hosts, %s dealt: %" PRIu64 " bytes of query (there after %.6g ms) and %" PRIu64
        " of results on the network,\n  busy for %.6g ms; a host waits for it %.6g ms, and %.6g ms for other hosts\n",
        f->of.hardware.hosts, hardware_deals_database(&f->of.hardware) ? "the database" : "queries",
        n->query_bytes, 1e3 * n->queries_s, n->result_bytes, 1e3 * n->busy_s, 1e3 * n->wait_s,
        1e3 * n->idle_s);
}

static void write_times(const struct run_facts *f, FILE *out)
{
    const struct frame *frame = &f->result->run;
    uint32_t hosts = f->of.hardware.hosts, boards = frame->boards, all = f->of.hardware.boards * hosts;
    double load_s = frame_seconds(frame, PCIX_TABLE_LOAD) / boards, drain_s = frame_seconds(frame, S3_DRAIN);
    double join_s = frame_seconds(frame, S3_JOIN), build_s = frame_seconds(frame, S3_BUILD);
    fprintf(out, "\n%zu pass%s, %.6g ms on the simulated machine", f->of.pass_count,
            f->of.pass_count == 1 ? "" : "es", 1e3 * frame->duration_s);
    if (boards < all)
        fprintf(out, ", %u of whose %u boards had passes", boards, all);
    fprintf(out, boards > 1 ? "; means of %u boards:\n" : ":\n", boards);
    if (build_s > 0)
        fprintf(out, "  %10.6g ms waiting for tables to be built (%.6g ms of the cores)\n",
                1e3 * frame_seconds(frame, S3_BUILD_WAIT) / boards, 1e3 * build_s);
    fprintf(out, "  %10.6g ms loading tables over the bus\n", 1e3 * load_s);
    fprintf(out, "  %10.6g ms streaming the database (%" PRIu64 " clocks)\n",
            1e3 * frame_measured_s(frame) / boards, frame->clocks);
    fprintf(out, "  %10.6g ms %s", 1e3 * drain_s,
            hosts > 1    ? "free, while others, stage 3 or the network worked"
            : boards > 1 ? "free, while others or stage 3 worked"
                         : "in which only stage 3 worked");
    if (join_s > 0)
        fprintf(out, "; %.6g ms of it to join alignments", 1e3 * join_s);
    fputc('\n', out);
    if (hosts > 1)
        write_network(f, out);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* What this computer took. The board's time is that of stages 1 and 2, their clocks and their taps. */
static void write_wall(const struct run_facts *f, FILE *out)
{
    fprintf(
        out,
        "simulated in %.3g s of wall clock (%.3g s reading); simulating took %.3g times the machine's time\n",
        f->wall_s, f->read_s, f->simulate_s / f->result->run.duration_s);
    const struct system_wall *wall = &f->result->wall.system;
    double board_s = wall->stages_s + wall->board_s;
    fprintf(
        out,
        "the board alone: %.3g s, %.3g times its own time, %.3g ns a w-mer (%s %.3g, clocks and taps %.3g)",
        board_s, board_s / frame_measured_s(&f->result->run),
        1e9 * board_s / frame_count(&f->result->run, S1A_WMERS),
        f->record_path ? "reading the record" : "stages",
        1e9 * wall->stages_s / frame_count(&f->result->run, S1A_WMERS),
        1e9 * wall->board_s / frame_count(&f->result->run, S1A_WMERS));
    fprintf(out, "; tables %.3g s, stage 3 %.3g s\n", f->result->wall.tables_s, wall->stage3_s);
}

/* If several trips may be under way, they read the duplicate table while the primary table is read, too. */
static void write_reads(const struct frame *f, const struct board_rules *board, FILE *out)
{
    double seeds = frame_count(f, S1B_SEEDS), reads = frame_count(f, S1B_SRAM_READS),
           clocks = (double)f->clocks;
    if (board->trips_in_flight == 1)
        fprintf(out, "  SRAM: read in %.3f%% of the clocks;", 100 * share(reads, clocks));
    else
        fprintf(out, "  SRAM: primary table read in %.3f%% of the clocks, %s in %.3f%%;\n   ",
                100 * share(seeds, clocks), board->probes ? "probed" : "duplicate table",
                100 * share(reads - seeds, clocks));
    fprintf(out, " SRAM reads per seed %.4g, trips per seed %.4g\n", share(reads, seeds),
            share(frame_count(f, S1B_TRIPS), seeds));
}

static void write_filters(const struct frame *f, const struct board_rules *board, FILE *out)
{
    double seeds = frame_count(f, S1B_SEEDS), false_seeds = share(frame_count(f, S1A_FALSE_POSITIVES), seeds);
    fprintf(out, "  at work: the time that its elements need; pcix to 2 while streaming, 3 over the\n"
                 "           whole run\n");
    write_reads(f, board, out);
    fprintf(out,
            "  false positives of the Bloom filter: %.4g per w-mer, %.4g per seed (PFP);\n"
            "    P_1bp is 1 - PFP, %.4g; %.4g of the seeds are not seen to be false at once\n",
            share(frame_count(f, S1A_FALSE_POSITIVES), frame_count(f, S1A_WMERS)), false_seeds,
            1 - false_seeds, 1 - share(frame_count(f, S1B_LOOKUPS_EMPTY), seeds));
    fprintf(out, "  stage 3: %.4g cells\n", frame_count(f, S3_CELLS));
}

/* What each stage takes and gives; `stage` is its evidence for the bottleneck, so that both tables say the same. */
static const struct {
    const char *name;
    unsigned stage;
    enum machine_counter takes, gives;
    const char *taken, *given;
} stage_rows[] = {
    {"pcix", STAGE_BUS, PCIX_WORDS_IN, S1A_WORDS, "words", "words"},
    {"1a", STAGE_OF_BOARD + BOARD_STAGE_1A, S1A_WMERS, S1A_SEEDS_OUT, "w-mers", "seeds"},
    {"1bp", STAGE_OF_BOARD + BOARD_STAGE_1BP, S1B_SEEDS, S1B_SEEDS, "seeds", "lookups"},
    {"1bd", STAGE_OF_BOARD + BOARD_STAGE_1BD, S1B_SEEDS, S1B_MATCHES_OUT, "lookups", "matches"},
    {"2", STAGE_OF_BOARD + BOARD_STAGE_2, S2_MATCHES, S2_HSPS_OUT, "matches", "HSPs"},
    {"3", STAGE_3, S3_HSPS, S3_HSPS, "HSPs", "alignments"}, /* whose number is no counter */
};

static void write_stages(const struct run_facts *f, FILE *out)
{
    const struct frame *fr = &f->result->run;
    const struct run_bottleneck b = run_report_bottleneck(f);
    fprintf(out, "\n  %-9s %14s %-8s %13s %10s\n", "stage", "elements in", "", "rate", "at work");
    for (unsigned i = 0; i < sizeof stage_rows / sizeof stage_rows[0]; i++) {
        const bool of_host = stage_rows[i].stage == STAGE_3;
        const double taken = frame_count(fr, stage_rows[i].takes);
        fprintf(out, "  %-9s %14.0f %-8s %9.4g M/s %9.3f%%  -> %12.0f %s\n", stage_rows[i].name, taken,
                stage_rows[i].taken, taken / (of_host ? fr->duration_s : frame_measured_s(fr)) / 1e6,
                100 * b.stages[stage_rows[i].stage].active,
                of_host ? (double)f->alignments->count : frame_count(fr, stage_rows[i].gives),
                stage_rows[i].given);
    }
    write_filters(fr, &f->of.hardware.board, out);
}

static void write_queues(const struct run_facts *f, FILE *out)
{
    fprintf(out, "\n  %-13s %-8s %7s %10s %7s %14s %14s\n", "queue", "holds", "places", "mean", "max",
            "mean wait ns", "back-pressure");
    for (unsigned i = 0; i < machine_layout.queue_count; i++) {
        const struct fifo_measure *m = &f->result->run.queues[i];
        char places[24] = "-", back_pressure[24] = "-";
        if (m->places) {
            snprintf(places, sizeof places, "%" PRIu64, m->places);
            snprintf(back_pressure, sizeof back_pressure, "%.4g%%", 100 * fifo_measure_back_pressure(m));
        }
        fprintf(out, "  %-13s %-8s %7s %10.4g %7" PRIu64 " %14.4g %14s\n", machine_layout.queues[i].name,
                machine_layout.queues[i].element, places, fifo_measure_mean(m), m->most,
                1e9 * fifo_measure_mean_sojourn(m) / f->result->run.clock_hz, back_pressure);
    }
}

/* Say what a drawing lacks. */
static void report_missing(const char *cut, const char *empty, const char *whose, const struct drawn *drawn,
                           FILE *out)
{
    const struct drawing_report *r = &drawn->report;
    if (drawn->status == DRAWING_CUT)
        fprintf(out,
                "\nthe %s cap (--timeline-cap) after %.6g ms: %" PRIu64 " of %" PRIu64
                " events are missing\n",
                cut, (double)r->cut_ps / 1e9, r->missing, r->missing + r->events);
    if (r->is_beyond)
        fprintf(out, "\nthe %s empty: %s window (--timeline-window) begins after the pass ends, at %.6g ms\n",
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

void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out)
{
    if (facts->forecast)
        run_forecast_write_text(facts->forecast, wall, out);
    write_inputs(facts, out);
    write_misfit(facts, out);
    write_times(facts, out);
    if (wall)
        write_wall(facts, out);
    write_stages(facts, out);
    write_queues(facts, out);
    struct machine_energy energy =
        machine_energy_of(&facts->result->run, &facts->of.hardware, facts->of.pass_count);
    machine_energy_write_text(&energy, out);
    struct run_bottleneck bottleneck = run_report_bottleneck(facts);
    run_bottleneck_write_text(&bottleneck, out);
    machine_clocks_write_text(facts->result->clocks, out);
    run_report_write_asked(facts, out);
    fprintf(out, "\n%zu alignment%s with E <= %g\n", facts->alignments->count,
            facts->alignments->count == 1 ? "" : "s", facts->of.e_value);
}

/* --- passes.tsv ---------------------------------------------------------------------------------------------- */

static const char *const pass_columns[] = {
    "pass",           "strand",         "query_ranges",   "segment_begin", "segment_bases", "board",
    "begin_s",        "tables_s",       "stream_begin_s", "board_free_s",  "end_s",         "clocks",
    "words",          "seeds",          "matches",        "hsps",          "bus_busy",      "stage_1a_busy",
    "stage_1bp_busy", "stage_1bd_busy", "stage_2_busy",   "stage3_core_s", "ingress_fifo",  "wmer_fifo",
    "sram_fifo",      "stage2_fifo",    "egress_fifo",    "limit",         "build_s",       "build_wait_s"};

enum { PASS_COLUMNS = sizeof pass_columns / sizeof pass_columns[0] };

static void add_times(const struct frame *frame, const struct pass_times *times, struct result_table *table)
{
    result_table_add(table, NUMBER(times->board + 1), NUMBER(times->begin_s),
                     NUMBER(frame_seconds(frame, PCIX_TABLE_LOAD)), NUMBER(times->stream_begin_s),
                     NUMBER(times->board_free_s), NUMBER(times->end_s), NUMBER((double)frame->clocks));
}

static void add_work(const struct frame *frame, const struct run_bottleneck *found,
                     struct result_table *table)
{
    result_table_add(table, NUMBER(frame_count(frame, PCIX_WORDS_IN)), NUMBER(frame_count(frame, S1B_SEEDS)),
                     NUMBER(frame_count(frame, S2_MATCHES)), NUMBER(frame_count(frame, S2_HSPS_OUT)));
    for (unsigned i = STAGE_BUS; i < STAGE_3; i++)
        result_table_add(table, NUMBER(found->stages[i].active));
    result_table_add(table, NUMBER(frame_seconds(frame, S3_CORE_BUSY)));
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        result_table_add(table, NUMBER(fifo_measure_mean(&frame->queues[i])));
    result_table_add(table, TEXT(found->stages[found->board.limit].name),
                     NUMBER(frame_seconds(frame, S3_BUILD)), NUMBER(frame_seconds(frame, S3_BUILD_WAIT)));
}

/* Which positions of which records a segment holds, from 1, each record's in its own order: "name:first-last ...".
 * @return NULL if memory is exhausted */
static char *print_ranges(const struct sequences *query, const struct query_segment *segment)
{
    const uint64_t begin =
        segment->strand == STRAND_PLUS ? segment->begin : query->positions - segment->begin - segment->length;
    const uint64_t end = begin + segment->length;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    for (size_t i = sequences_record_at(query, begin); i < query->record_count; i++) {
        const struct sequence_record *r = &query->records[i];
        const uint64_t first = begin > r->begin ? begin - r->begin : 0;
        if (r->begin >= end)
            break;
        const uint64_t last = end - r->begin < r->bases ? end - r->begin : r->bases;
        if (first < last)
            fprintf(out, "%s%s:%" PRIu64 "-%" PRIu64, ftell(out) > 0 ? " " : "", r->name,
                    r->cut_before + first + 1, r->cut_before + last);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* @return false if memory is exhausted */
static bool add_pass(const struct run_facts *facts, size_t pass, struct result_table *table)
{
    const struct query_segment *segment = &facts->of.segments[pass];
    const struct frame *frame = &facts->result->passes[pass];
    struct run_bottleneck found = run_bottleneck_find(frame, &facts->of.hardware, 0, NULL, NULL);
    const size_t number = facts->forecast ? facts->forecast->sample->numbers[pass] : pass;
    char *ranges = print_ranges(facts->of.query, segment);
    if (!ranges)
        return false;
    result_table_add(table, NUMBER((double)number + 1),
                     TEXT(segment->strand == STRAND_PLUS ? "plus" : "minus"), TEXT(ranges),
                     NUMBER((double)segment->begin + 1), NUMBER(segment->length));
    free(ranges);
    add_times(frame, &facts->result->pass_times[pass], table);
    add_work(frame, &found, table);
    return true;
}

int run_report_write_passes(const struct run_facts *facts, FILE *out)
{
    struct result_style style = {.tsv_number = "%.12g"};
    struct result_table *table = result_table_new_styled(pass_columns, PASS_COLUMNS, &style);
    result_table_note(
        table, "%stimes since the run began; *_busy: share of the clocks; *_fifo: mean number of elements",
        facts->forecast ? "a sample of the run's passes; " : "");
    bool complete = true;
    for (size_t i = 0; i < facts->of.pass_count && complete; i++)
        complete = add_pass(facts, i, table);
    return result_table_end(table, RESULT_TSV, out) == 0 && complete ? 0 : -1;
}

/* --- records.tsv --------------------------------------------------------------------------------------------- */

static void write_sequences(const char *side, const struct sequences *s, FILE *out)
{
    uint64_t before = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        fprintf(out, "%s\t", side);
        result_table_write_field(s->records[i].name, out);
        fprintf(out, "\t%llu\t%llu\n", (unsigned long long)sequence_record_whole(&s->records[i]),
                (unsigned long long)before);
        before += sequence_record_whole(&s->records[i]);
    }
}

int run_report_write_records(const struct run_facts *facts, FILE *out)
{
    fputs("side\trecord\tbases\tbases_before\n", out);
    write_sequences("query", facts->of.query, out);
    write_sequences("database", facts->of.database, out);
    return ferror(out) ? -1 : 0;
}

/* --- run.json -------------------------------------------------------------------------------------------- */

static json_t *input_object(const char *path, const struct sequences *s)
{
    char digest[24], shown[PATH_MAX];
    snprintf(digest, sizeof digest, "%016" PRIx64, s->digest);
    return json_pack("{s:s, s:s, s:I, s:I, s:I}", "file", printable_copy(shown, sizeof shown, path, SIZE_MAX),
                     "xxh3", digest, "records", (json_int_t)s->record_count, "bases", (json_int_t)s->bases,
                     "ambiguous_bases", (json_int_t)s->ambiguous);
}

/* What was searched of each sequence of the query; NULL if all was. */
static json_t *query_loc_object(const struct run_facts *f)
{
    const struct sequence_range *r = &f->query_loc;
    return r->last > 0 ? json_sprintf("%" PRIu64 "-%" PRIu64, r->first, r->last) : NULL;
}

/* How the query was masked; NULL if it was not. */
static json_t *masking_object(const struct run_facts *f)
{
    const struct token_record_masking *m = &f->of.masking;
    json_t *dust = NULL;
    if (m->dust)
        dust = json_sprintf("%u %u %u", m->rule.level, m->rule.window, m->rule.linker);
    if (!m->dust && !m->lower_case)
        return NULL;
    return json_pack("{s:o*, s:b, s:I}", "dust", dust, "lower_case", m->lower_case, "masked_bases",
                     (json_int_t)m->bases);
}

/* Limits of the alignments that were kept; NULL if all were. */
static json_t *limits_object(const struct run_facts *f)
{
    const struct alignment_limits *l = &f->of.limits;
    json_t *object = json_object();
    if (l->identity > 0)
        json_object_set_new(object, "perc_identity", json_real(l->identity));
    if (l->coverage > 0)
        json_object_set_new(object, "qcov_hsp_perc", json_real(l->coverage));
    if (l->subjects > 0)
        json_object_set_new(object, "max_target_seqs", json_integer((json_int_t)l->subjects));
    if (l->alignments > 0)
        json_object_set_new(object, "max_hsps", json_integer((json_int_t)l->alignments));
    if (json_object_size(object) > 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *configuration_object(const struct hardware *hardware)
{
    json_t *object = json_object();
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        char text[40];
        hardware_parameter_value(hardware, i, text, sizeof text);
        json_object_set_new(object, hardware_parameter_name(i), json_string(text));
    }
    return object;
}

json_t *run_report_json(const struct run_facts *f)
{
    const struct system_wall *wall = &f->result->wall.system;
    char platform[PATH_MAX], record[PATH_MAX]; /* JSON may not hold every byte that a path may hold */
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:o?, s:o?, s:s, s:o?, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:f, "
        "s:f, s:f, s:f, s:f, s:f, s:s*, s:s*, s:s*, s:o*, s:o*, s:o*, s:o*}",
        "schema", "mercury-run-1", "program", "mercury", "version", MERCURY_VERSION, "seed",
        (json_int_t)f->of.hardware.hash_seed, "query", input_object(f->of.query_path, f->of.query),
        "database", input_object(f->of.database_path, f->of.database), "platform",
        printable_copy(platform, sizeof platform, f->of.platform_path, SIZE_MAX), "configuration",
        configuration_object(&f->of.hardware), "passes", (json_int_t)f->of.pass_count, "jobs",
        (json_int_t)f->jobs, "e_value", f->of.e_value, "alignments", (json_int_t)f->alignments->count,
        "simulated_time_s", f->result->run.duration_s, "wall_time_s", f->wall_s, "wall_read_s", f->read_s,
        "wall_simulate_s", f->simulate_s, "wall_tables_s", f->result->wall.tables_s, "wall_stages_s",
        wall->stages_s, "wall_board_s", wall->board_s, "wall_stage3_s", wall->stage3_s, "wall_host_s",
        f->result->wall.host_s, "record",
        f->record_path ? printable_copy(record, sizeof record, f->record_path, SIZE_MAX) : NULL, "strand",
        f->strand, "engine", f->engine, "query_loc", query_loc_object(f), "masking", masking_object(f),
        "limits", limits_object(f), "sample", f->forecast ? run_forecast_run_json(f->forecast) : NULL);
}

int run_report_write_json(const struct run_facts *f, FILE *out)
{
    return json_write(run_report_json(f), 12, out);
}

json_t *run_report_network_json(const struct run_facts *f)
{
    const struct network_use *n = &f->result->network;
    return json_pack("{s:I, s:s, s:I, s:I, s:f, s:f, s:f, s:f}", "hosts", (json_int_t)f->of.hardware.hosts,
                     "distribution", hardware_deals_database(&f->of.hardware) ? "database" : "queries",
                     "query_bytes", (json_int_t)n->query_bytes, "result_bytes", (json_int_t)n->result_bytes,
                     "queries_s", n->queries_s, "busy_s", n->busy_s, "wait_s", n->wait_s, "idle_s",
                     n->idle_s);
}
