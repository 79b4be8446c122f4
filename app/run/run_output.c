#include "app/run/run_output.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/background.h"
#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/file/file_io.h"
#include "base/file/output.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/process/signals.h"
#include "traces/summary.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/machine_frame.h"
#include "app/report/report.h"
#include "app/report/run_files.h"
#include "app/rank/rank_link.h"
#include "app/run/run_forecast.h"
#include "app/why/window_theory.h"

/* The output while it is written. */
struct writing {
    const struct run_facts *facts;
    json_t *summary;
    struct background *models; /* asks the models meanwhile */
    struct run_theory theory;  /* their answers */
};

/* --- alignments, what was measured ----------------------------------------------------------------------- */

static int write_alignments(struct writing *w, FILE *out)
{
    const struct run_facts *o = w->facts;
    struct scoring_statistics statistics;
    struct why why;
    char database[PATH_MAX], title[128];
    struct reported_search search = {
        .query = o->of.query,
        .database = o->of.database,
        .database_name = printable_copy(database, sizeof database, o->of.database_path, SIZE_MAX),
        .version = MERCURY_VERSION,
        .statistics = &statistics,
        .command_line = o->command_line,
        .mapq_least = o->options->mapq,
        .columns = &o->options->columns,
    };
    const struct alignment_format *format = o->options->format;
    int status = scoring_statistics_compute(&o->of.hardware.scoring, &statistics, &why);
    if (status == 0 && o->forecast) /* say that these are not all */
        search.comment = run_forecast_title(o->forecast, title);
    if (search.comment && format->remark)
        fprintf(out, "%s%s\n", format->remark, search.comment);
    return status ? status : format->write(format, out, &search, o->alignments);
}

json_t *run_output_summary(const struct run_facts *o)
{
    const struct run_bottleneck bottleneck = run_report_bottleneck(o);
    const struct machine_energy energy = run_report_energy(o);
    const struct network_use *n = &o->result->network;
    json_t *network =
        o->of.hardware.hosts == 1
            ? NULL
            : json_pack("{s:I, s:s, s:I, s:I, s:f, s:f, s:f, s:f}", "hosts", (json_int_t)o->of.hardware.hosts,
                        "distribution", hardware_deals_database(&o->of.hardware) ? "database" : "queries",
                        "query_bytes", (json_int_t)n->query_bytes, "result_bytes",
                        (json_int_t)n->result_bytes, "queries_s", n->queries_s, "busy_s", n->busy_s, "wait_s",
                        n->wait_s, "idle_s", n->idle_s);
    json_auto_t *sections = json_pack(
        "{s:o, s:o, s:o*, s:o*, s:o, s:o*, s:o*}", "bottleneck", run_bottleneck_json(&bottleneck), "energy",
        machine_energy_json(&energy), "network", network, "sample",
        o->forecast ? run_forecast_json(o->forecast) : NULL, "local_clocks",
        machine_clocks_json(o->result->clocks), "measuring", o->cost ? measuring_cost_json(o->cost) : NULL,
        "measurements", o->measured ? measure_report_json(o->measured) : NULL);
    json_t *summary =
        summary_json(&o->result->run, o->result->passes, o->of.pass_count, &machine_layout, sections);
    return summary;
}

static int write_summary(struct writing *w, FILE *out)
{
    w->summary = run_output_summary(w->facts);
    return summary_write_object(w->summary, out);
}

static int write_histograms(struct writing *w, FILE *out)
{
    const struct run_facts *o = w->facts;
    return summary_write_histograms(&o->result->run, o->result->passes, o->of.pass_count, &machine_layout,
                                    out);
}

static int write_frames(struct writing *w, FILE *out)
{
    return measure_report_write_frames(w->facts->measured, out);
}

static int write_frame_histograms(struct writing *w, FILE *out)
{
    return measure_report_write_histograms(w->facts->measured, out);
}

/* --- passes.tsv ---------------------------------------------------------------------------------------------- */

static const char *const pass_columns[] = {
    "pass",           "strand",         "query_ranges",   "segment_begin", "segment_bases", "board",
    "begin_s",        "tables_s",       "stream_begin_s", "board_free_s",  "end_s",         "clocks",
    "words",          "seeds",          "matches",        "hsps",          "bus_busy",      "stage_1a_busy",
    "stage_1bp_busy", "stage_1bd_busy", "stage_2_busy",   "stage3_core_s", "ingress_fifo",  "wmer_fifo",
    "sram_fifo",      "stage2_fifo",    "egress_fifo",    "limit",         "build_s",       "build_wait_s"};

enum { PASS_COLUMNS = sizeof pass_columns / sizeof pass_columns[0] };

/* Which positions of which records a segment holds, from 1, each record's in its own order: "name:first-last ...".
 * @return for free() */
static char *print_ranges(const struct sequences *query, const struct query_segment *segment)
{
    const uint64_t begin =
        segment->strand == STRAND_PLUS ? segment->begin : query->positions - segment->begin - segment->length;
    const uint64_t end = begin + segment->length;
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_stream(&text, &bytes);
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
    memory_stream_end(out);
    return text;
}

static void add_pass(const struct run_facts *facts, size_t pass, struct result_table *table)
{
    const struct query_segment *segment = &facts->of.segments[pass];
    const struct frame *f = &facts->result->passes[pass];
    const struct pass_times *times = &facts->result->pass_times[pass];
    const struct run_bottleneck found = run_bottleneck_find(f, &facts->of.hardware, 0, NULL, NULL);
    const size_t number = facts->forecast ? facts->forecast->sample->numbers[pass] : pass;
    auto_free char *ranges = print_ranges(facts->of.query, segment);
    result_table_add(
        table, NUMBER((double)number + 1), TEXT(segment->strand == STRAND_PLUS ? "plus" : "minus"),
        TEXT(ranges), NUMBER((double)segment->begin + 1), NUMBER(segment->length), NUMBER(times->board + 1),
        NUMBER(times->begin_s), NUMBER(frame_seconds(f, PCIX_TABLE_LOAD)), NUMBER(times->stream_begin_s),
        NUMBER(times->board_free_s), NUMBER(times->end_s), NUMBER((double)f->clocks),
        NUMBER(frame_count(f, PCIX_WORDS_IN)), NUMBER(frame_count(f, S1B_SEEDS)),
        NUMBER(frame_count(f, S2_MATCHES)), NUMBER(frame_count(f, S2_HSPS_OUT)));
    for (unsigned i = STAGE_BUS; i < STAGE_3; i++)
        result_table_add(table, NUMBER(found.stages[i].active));
    result_table_add(table, NUMBER(frame_seconds(f, S3_CORE_BUSY)));
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        result_table_add(table, NUMBER(fifo_measure_mean(&f->queues[i])));
    result_table_add(table, TEXT(found.stages[found.board.limit].name), NUMBER(frame_seconds(f, S3_BUILD)),
                     NUMBER(frame_seconds(f, S3_BUILD_WAIT)));
}

static int write_passes(struct writing *w, FILE *out)
{
    const struct run_facts *facts = w->facts;
    struct result_style style = {.tsv_number = "%.12g"};
    struct result_table *table = result_table_new_styled(pass_columns, PASS_COLUMNS, &style);
    result_table_note(
        table, "%stimes since the run began; *_busy: share of the clocks; *_fifo: mean number of elements",
        facts->forecast ? "a sample of the run's passes; " : "");
    for (size_t i = 0; i < facts->of.pass_count; i++)
        add_pass(facts, i, table);
    result_table_end(table, RESULT_TSV, out);
    return 0;
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

static int write_records(struct writing *w, FILE *out)
{
    fputs("side\trecord\tbases\tbases_before\n", out);
    write_sequences("query", w->facts->of.query, out);
    write_sequences("database", w->facts->of.database, out);
    return ferror(out) ? -1 : 0;
}

/* --- run.json -------------------------------------------------------------------------------------------- */

static json_t *digest_text(uint64_t digest)
{
    return json_sprintf("%016" PRIx64, digest);
}

static json_t *input_object(const char *path, const struct sequences *s)
{
    char shown[PATH_MAX];
    return json_pack("{s:s, s:o, s:I, s:I, s:I}", "file", printable_copy(shown, sizeof shown, path, SIZE_MAX),
                     "xxh3", digest_text(s->digest), "records", (json_int_t)s->record_count, "bases",
                     (json_int_t)s->bases, "ambiguous_bases", (json_int_t)s->ambiguous);
}

/* How the query was masked; NULL if it was not. */
static json_t *masking_object(const struct token_record_masking *m)
{
    if (!m->dust && !m->lower_case)
        return NULL;
    return json_pack("{s:o*, s:b, s:I}", "dust",
                     m->dust ? json_sprintf("%u %u %u", m->rule.level, m->rule.window, m->rule.linker) : NULL,
                     "lower_case", m->lower_case, "masked_bases", (json_int_t)m->bases);
}

static json_t *count_above_0(uint64_t count)
{
    return count > 0 ? json_integer((json_int_t)count) : NULL;
}

/* Limits of the alignments that were kept; NULL if all were. */
static json_t *limits_object(const struct alignment_limits *l)
{
    if (!(l->identity > 0 || l->coverage > 0 || l->subjects > 0 || l->alignments > 0))
        return NULL;
    return json_pack("{s:o*, s:o*, s:o*, s:o*}", "perc_identity",
                     l->identity > 0 ? json_real(l->identity) : NULL, "qcov_hsp_perc",
                     l->coverage > 0 ? json_real(l->coverage) : NULL, "max_target_seqs",
                     count_above_0(l->subjects), "max_hsps", count_above_0(l->alignments));
}

json_t *run_output_run(const struct run_facts *f)
{
    const struct system_wall *wall = &f->result->wall.system;
    char platform[PATH_MAX], record[PATH_MAX]; /* JSON may not hold every byte that a path may hold */
    json_t *configuration = json_object();
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        json_object_set_new(configuration, hardware_parameter_name(i),
                            json_string(hardware_parameter_value(&f->of.hardware, i).text));
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:o?, s:o?, s:s, s:o*, s:o?, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:f, "
        "s:f, s:f, s:f, s:f, s:f, s:s*, s:s*, s:s*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}",
        "schema", "mercury-run-1", "program", "mercury", "version", MERCURY_VERSION, "seed",
        (json_int_t)f->of.hardware.hash_seed, "query", input_object(f->of.query_path, f->of.query),
        "database", input_object(f->of.database_path, f->of.database), "platform",
        printable_copy(platform, sizeof platform, f->of.platform_path, SIZE_MAX), "platform_xxh3",
        f->of.platform ? digest_text(XXH3_64bits(f->of.platform, f->of.platform_bytes)) : NULL,
        "configuration", configuration, "passes", (json_int_t)f->of.pass_count, "jobs", (json_int_t)f->jobs,
        "e_value", f->of.e_value, "alignments", (json_int_t)f->alignments->count, "simulated_time_s",
        f->result->run.duration_s, "wall_time_s", f->wall_s, "wall_read_s", f->read_s, "wall_simulate_s",
        f->simulate_s, "wall_tables_s", f->result->wall.tables_s, "wall_stages_s", wall->stages_s,
        "wall_board_s", wall->board_s, "wall_stage3_s", wall->stage3_s, "wall_host_s", f->result->wall.host_s,
        "record", f->record_path ? printable_copy(record, sizeof record, f->record_path, SIZE_MAX) : NULL,
        "strand", f->strand, "engine", f->engine, "query_loc",
        f->query_loc.last > 0 ? json_sprintf("%" PRIu64 "-%" PRIu64, f->query_loc.first, f->query_loc.last)
                              : NULL,
        "charge_measurement", f->cost ? json_true() : NULL, "mapq", count_above_0(f->options->mapq),
        "masking", masking_object(&f->of.masking), "limits", limits_object(&f->of.limits), "sample",
        f->forecast ? run_forecast_run_json(f->forecast) : NULL);
}

static int write_run(struct writing *w, FILE *out)
{
    json_write(run_output_run(w->facts), 12, out);
    return 0;
}

/* --- what models and people are told --------------------------------------------------------------------- */

/* What the models say of the run, as soon as they have been asked. */
static const struct run_theory *theory_of(const struct writing *w)
{
    background_wait(w->models);
    return &w->theory;
}

static int write_validation(struct writing *w, FILE *out)
{
    const struct validation *validation = &theory_of(w)->validation;
    if (validation->count > 0)
        validation_write_four_stages(validation, RESULT_TSV, out);
    else
        fprintf(out, "# no answer: this run's rates are outside every model's domain\n");
    return 0;
}

static void write_all_text(const struct writing *w, bool wall, FILE *out)
{
    const struct validation *validation = &theory_of(w)->validation;
    char windows[120];
    run_report_write_text(w->facts, wall, out);
    fprintf(out, "\nqueueing theory, fed with this run's rates (Dor 2010, four stages):\n");
    if (validation->count > 0) {
        validation_write_four_stages(validation, RESULT_TEXT, out);
        validation_write_findings(validation, out);
    } else {
        fprintf(out, "  no answer: this run's rates are outside every model's domain\n");
    }
    if (run_report_say_windows(theory_of(w), windows, sizeof windows))
        fprintf(out, "%s\n", windows);
}

static int write_text(struct writing *w, FILE *out)
{
    write_all_text(w, false, out);
    return 0;
}

/* --- the files ------------------------------------------------------------------------------------------- */

/* Files that need the models' answers come late, since these may still be computed. If run.json exists, those before it
 * are whole; the page is made of them. The name of the first depends on its format. */
static const struct {
    const char *name;
    int (*write)(struct writing *, FILE *);
    bool measured; /* written only if something is measured */
} files[] = {
#define WRITTEN(what, name, is_measured) {name, write_##what, is_measured},
    {"alignments", write_alignments, false},
    RUN_FILES(WRITTEN){REPORT_FILE, NULL, false},
};

enum {
    FILE_COUNT = sizeof files / sizeof files[0],
    FILE_ALIGNMENTS = 0,
    FILE_REPORT = FILE_COUNT - 1,
    FILE_RUN = FILE_REPORT - 1
};

static const char *path_of(const struct run_options *o, unsigned file, bool of_sample, char path[PATH_MAX])
{
    const bool alignments = file == FILE_ALIGNMENTS;
    return file_io_path(o->directory, alignments ? o->format->files[of_sample] : files[file].name, path);
}

/* --- before ---------------------------------------------------------------------------------------------- */

/* What a run writes to its directory, and what it removes there. */
static void note_directory(const struct run_options *o, struct file_uses *uses)
{
    char path[PATH_MAX];
    run_files_note(o->directory, file_uses_write, "-o", uses);
    file_uses_write(uses, "-o", file_io_path(o->directory, REPORT_FILE, path));
}

/* The last words are those of run_output_keeps(). */
static bool keeps_passes;

/* Say from now on what a signal finds. @param format  of a line with a name in it */
static void set_last_words(const char *format, const char *name)
{
    static char words[2][2 * PATH_MAX + 100]; /* a signal may come while the next ones are written */
    static bool turn;
    char shown[PATH_MAX];
    if (keeps_passes || rank_link_processes() > 1) /* mpirun ends ranks by signals, and speaks for itself */
        return;
    turn = !turn;
    snprintf(words[turn], sizeof words[turn], format, printable_copy(shown, sizeof shown, name, SIZE_MAX));
    signals_set_last_words(words[turn]);
}

void run_output_keeps(void *resumed)
{
    set_last_words(
        "\nmercury: ended by a signal; the passes that have ended are kept: mercury run --resume %s\n",
        resumed);
    keeps_passes = true;
}

void run_output_begin(void)
{
    keeps_passes = false;
    set_last_words("\nmercury: ended by a signal; nothing was written%s\n", "");
}

/* What mercury queue alone writes would stay, and look like the run's. */
static int refuse_pipeline(const char *directory, struct why *why)
{
    static const char *const names[] = {"validation.json", "measured.tsv"};
    char path[PATH_MAX];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (access(file_io_path(directory, names[i], path), F_OK) == 0)
            return why_refuse(why, "-o %.400s: holds a run of mercury queue (%s); name another directory",
                              directory, names[i]);
    }
    return 0;
}

int run_output_probe(const struct run_options *o, bool of_sample, struct file_uses *uses, struct why *why)
{
    char path[PATH_MAX];
    if (o->measure && access(o->measure, F_OK) == 0)
        file_uses_read(uses, "--measure", o->measure);
    if (o->directory)
        note_directory(o, uses);
    file_uses_write(uses, "-a", o->alignments ? o->alignments : o->directory ? NULL : "-");
    for (unsigned i = 0; i < RUN_DRAWINGS; i++)
        file_uses_write(uses, run_options_drawn(o, i).option, run_options_drawn(o, i).path);
    int status = command_status_of(file_uses_check(uses, why));
    if (status == 0 && o->directory)
        status = refuse_pipeline(o->directory, why);
    if (status == 0 && o->directory)
        status = command_status_of(output_hold_directory(o->directory, why));
    for (unsigned i = 0; i < FILE_COUNT && status == 0 && o->directory; i++) {
        if (i != FILE_REPORT || !o->no_report)
            status = command_status_of(output_probe(path_of(o, i, of_sample, path), why));
    }
    if (o->directory)
        set_last_words("\nmercury: ended by a signal; nothing was written to %s\n", o->directory);
    for (unsigned i = 0; i <= RUN_DRAWINGS && status == 0; i++) {
        const char *file = i < RUN_DRAWINGS ? run_options_drawn(o, i).path : o->alignments;
        if (file && output_probe(file, why) != 0)
            status = COMMAND_REFUSED;
    }
    return status;
}

int run_output_status(int pass_error)
{
    if (pass_error == 0)
        return 0;
    bool refused = pass_error == PASS_EMEMORY || pass_error == PASS_EFILE || pass_error == PASS_ERECORD ||
                   pass_error == PASS_ELONG || pass_error == PASS_EPLATFORM || pass_error == PASS_EROOM;
    return refused ? COMMAND_REFUSED : COMMAND_FAILED;
}

/* --- after ----------------------------------------------------------------------------------------------- */

enum { ANSWER_FILES_BYTES = 512 };

/* The last line of the answer: what is where. @return NULL if nothing is in a directory */
static const char *list_files(const struct run_facts *output, char *text, size_t size)
{
    const struct run_options *o = output->options;
    if (!o->directory)
        return NULL;
    char shown[200], kept[PATH_MAX];
    int length = (int)strlen(printable_copy(shown, sizeof shown, o->directory, SIZE_MAX));
    bool slash = length > 0 && shown[length - 1] == '/';
    snprintf(text, size, "%s%-*s %s  %s  %s%s\n", shown, length < 10 ? 11 - length : 1, slash ? "" : "/",
             o->no_report ? "summary.txt" : REPORT_FILE, o->format->files[output->forecast != NULL],
             "summary.json", output->forecast ? "" : "  (mercury explain WORD)");
    if (output->forecast && !output->forecast->windows &&
        access(file_io_path(o->directory, RUN_UNFINISHED, kept), F_OK) == 0)
        snprintf(text + strlen(text), size - strlen(text),
                 "the rest   mercury run --resume %s  simulates the other passes, too\n", shown);
    return text;
}

static int write_file(struct writing *w, const char *path, unsigned file, struct why *why)
{
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    int status = files[file].write(w, output.file);
    if (status != 0 && !ferror(output.file)) {
        const char *reason = why_error(errno);
        bool own_file = status == WRITE_EFILE && file == FILE_ALIGNMENTS; /* BAM has a file of its own */
        output_discard(&output);
        return own_file ? why_refuse(why, "%.500s: cannot be written: %s", path, reason)
                        : why_say(why, COMMAND_FAILED, "%.500s: cannot be made from this run: %s", path,
                                  why_error(file_io_fault()));
    }
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}

/* Remove files of an older run: its run.json would vouch for a mixture of files while they are replaced, and its
 * alignments in another format, or its measurements, would seem to be this run's. */
static int forget_older_run(const struct run_facts *output, struct why *why)
{
    const struct run_options *o = output->options;
    char path[PATH_MAX];
    int status = 0;
    for (unsigned i = 0; i < FILE_COUNT && status == 0; i++) {
        if (i >= FILE_RUN || (files[i].measured && !output->measured))
            status = output_remove(path_of(o, i, output->forecast, path), why);
    }
    for (const struct alignment_format *const *f = alignment_formats; *f; f++)
        for (int i = 0; i < 2 && status == 0; i++) {
            if (strcmp((*f)->files[i], o->format->files[output->forecast != NULL]) != 0)
                status = output_remove(file_io_path(o->directory, (*f)->files[i], path), why);
        }
    return status ? COMMAND_REFUSED : 0;
}

static int write_directory(struct writing *w, struct why *why)
{
    const struct run_facts *o = w->facts;
    const char *directory = o->options->directory;
    set_last_words(
        "\nmercury: ended by a signal while %s was written: it is incomplete, and has no run.json\n",
        directory);
    int status = forget_older_run(o, why);
    for (unsigned i = 0; i < FILE_REPORT && status == 0; i++) {
        char path[PATH_MAX];
        if (!files[i].measured || o->measured)
            status = write_file(w, path_of(o->options, i, o->forecast, path), i, why);
    }
    signals_set_last_words(NULL);
    return status || o->options->no_report
               ? status
               : report_write(directory, REPORT_PART_COUNT, NULL, NULL, w->summary, why);
}

/* The answer, or all of the summary, and what was asked for beside it. */
static int write_answer(const struct writing *w, FILE *out, struct why *why)
{
    const struct run_facts *o = w->facts;
    char where[ANSWER_FILES_BYTES] = "";
    bool whole = true;
    if (o->options->json) {
        json_auto_t *summary = run_output_summary(o);
        whole = summary_write_object(summary, out) == 0;
    } else if (o->options->full) {
        write_all_text(w, true, out);
    } else {
        run_report_write_answer(o, theory_of(w), list_files(o, where, sizeof where), out);
        run_report_write_asked(o, out);
    }
    if (o->options->measure && o->measured && !o->options->json) {
        fputc('\n', out);
        measure_report_write_text(o->measured, out);
    }
    bool written = file_io_flush(out) && whole;
    return written ? 0 : why_refuse(why, "the summary cannot be written: %s", why_error(file_io_fault()));
}

static void ask_windows(struct writing *w)
{
    const struct passes_result *result = w->facts->result;
    auto_free struct window_answer *answer = memory_take(sizeof *answer);
    double said[WINDOW_FIFOS], simulated[WINDOW_FIFOS];
    window_theory_ask_counted(&w->facts->of.hardware, result->windows.items, result->window_counts,
                              w->facts->of.pass_count, answer);
    for (unsigned i = 0; i < WINDOW_FIFOS; i++) {
        said[i] = answer->queue[i].n_q;
        simulated[i] = fifo_measure_mean(&result->run.queues[i]);
    }
    w->theory.window_words = result->windows.words;
    w->theory.window_error = window_largest_error(said, simulated, NULL);
}

static void *ask_models(void *writing)
{
    struct writing *w = writing;
    struct why no_models; /* such a run has no table, and the reader is told so there */
    validation_of_frame(&w->facts->result->run, VERDICT_EVERY_MODEL, &w->theory.validation, &no_models);
    if (w->facts->result->windows.count > 0 && !w->facts->forecast)
        ask_windows(w);
    return NULL;
}

/* The directory comes after all that may fail beside it, because it holds a whole run if run.json is there; but before
 * the answer, which tells of it and which a reader may break off. */
int run_output_write(const struct run_facts *facts, struct why *why)
{
    const struct run_options *o = facts->options;
    const bool on_stdout = !o->directory && !facts->forecast && !o->json, /* who samples wants a forecast */
        alignments_on_stdout = o->alignments ? strcmp(o->alignments, "-") == 0 : on_stdout;
    struct background models = {0};
    struct writing w = {.facts = facts, .models = &models};
    const bool needs_models = o->directory || !o->quiet;
    if (needs_models && facts->jobs > 1)
        background_begin(&models, ask_models, &w);
    else if (needs_models)
        ask_models(&w);
    int status = 0;
    if (o->alignments || on_stdout)
        status = write_file(&w, o->alignments ? o->alignments : "-", FILE_ALIGNMENTS, why);
    if (status == 0 && o->directory)
        status = write_directory(&w, why);
    if (status == 0 && (!o->quiet || o->json)) {
        status = write_answer(&w, alignments_on_stdout ? stderr : stdout, why);
        if (status && o->directory)
            why_append(why, "; the files of %.400s are whole", o->directory);
    }
    background_wait(&models);
    validation_destroy(&w.theory.validation);
    json_decref(w.summary);
    return status;
}
