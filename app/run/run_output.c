#include "app/run/run_output.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/background.h"
#include "base/printable.h"
#include "base/process/signals.h"
#include "traces/summary.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "validate/validation.h"
#include "app/report/report.h"
#include "app/rank/rank_link.h"
#include "app/run/run_answer.h"
#include "app/run/run_forecast.h"
#include "app/run/unfinished_run.h"

/* --- the files ------------------------------------------------------------------------------------------- */

static int write_alignments(const struct run_facts *o, FILE *out)
{
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
    return status ? status : format->write(out, &search, o->alignments);
}

json_t *run_output_summary(const struct run_facts *o)
{
    json_t *sections = json_object();
    struct run_bottleneck bottleneck = run_report_bottleneck(o);
    struct machine_energy energy = machine_energy_of(&o->result->run, &o->of.hardware, o->of.pass_count);
    json_object_set_new(sections, "bottleneck", run_bottleneck_json(&bottleneck));
    json_object_set_new(sections, "energy", machine_energy_json(&energy));
    if (sections && o->of.hardware.hosts > 1)
        json_object_set_new(sections, "network", run_report_network_json(o));
    if (sections && o->forecast)
        json_object_set_new(sections, "sample", run_forecast_json(o->forecast));
    json_object_set_new(sections, "local_clocks", machine_clocks_json(o->result->clocks));
    if (sections && o->cost)
        json_object_set_new(sections, "measuring", measuring_cost_json(o->cost));
    if (sections && o->measured)
        json_object_set_new(sections, "measurements", measure_report_json(o->measured));
    json_t *summary =
        summary_json(&o->result->run, o->result->passes, o->of.pass_count, &machine_layout, sections);
    json_decref(sections);
    return summary;
}

/* The output while it is written. */
struct writing {
    const struct run_facts *facts;
    json_t *summary;
    struct background *models;           /* asks the models meanwhile; NULL: they have answered */
    struct validation answers;           /* of the models */
    const struct validation *validation; /* the same; NULL: no model takes the run */
};

static int write_summary(struct writing *w, FILE *out)
{
    w->summary = run_output_summary(w->facts);
    return w->summary ? summary_write_object(w->summary, out) : SUMMARY_EMEMORY;
}

static int write_histograms(const struct run_facts *o, FILE *out)
{
    return summary_write_histograms(&o->result->run, o->result->passes, o->of.pass_count, &machine_layout,
                                    out);
}

static int write_frames(const struct run_facts *o, FILE *out)
{
    return measure_report_write_frames(o->measured, out);
}

static int write_frame_histograms(const struct run_facts *o, FILE *out)
{
    return measure_report_write_histograms(o->measured, out);
}

/* What the models say of the run, as soon as they have been asked. */
static const struct validation *validation_of(const struct writing *w)
{
    if (w->models)
        background_wait(w->models);
    return w->validation;
}

static int write_validation(struct writing *w, FILE *out)
{
    const struct validation *validation = validation_of(w);
    return validation ? validation_write_four_stages(validation, RESULT_TSV, out) : -1;
}

static int write_all_text(const struct writing *w, bool wall, FILE *out)
{
    const struct validation *validation = validation_of(w);
    run_report_write_text(w->facts, wall, out);
    fprintf(out, "\nqueueing theory, fed with this run's rates and fractions (Dor 2010, four stages):\n");
    if (!validation)
        fprintf(out, "  no answer: this run's rates are outside every model's domain\n");
    else if (validation_write_four_stages(validation, RESULT_TEXT, out) != 0)
        return -1;
    else
        validation_write_findings(validation, out);
    return 0;
}

static int write_text(struct writing *w, FILE *out)
{
    return write_all_text(w, false, out);
}

/* Files that need the models' answers come late, since these may still be computed. If run.json exists, those before it
 * are whole; the page is made of them. The name of the first depends on its format. */
static const struct {
    const char *name;
    int (*write)(const struct run_facts *, FILE *);
    int (*complete)(struct writing *, FILE *); /* instead, of what more than the run must be known */
    bool measured;                             /* written only if something is measured */
} files[] = {{"alignments", write_alignments},
             {"summary.json", NULL, write_summary},
             {"histograms.tsv", write_histograms},
             {"frames.tsv", write_frames, .measured = true},
             {"frame_histograms.tsv", write_frame_histograms, .measured = true},
             {"passes.tsv", run_report_write_passes},
             {"records.tsv", run_report_write_records},
             {"validation.tsv", NULL, write_validation},
             {"summary.txt", NULL, write_text},
             {"run.json", run_report_write_json},
             {REPORT_FILE}};

enum {
    FILE_COUNT = sizeof files / sizeof files[0],
    FILE_ALIGNMENTS = 0,
    FILE_REPORT = FILE_COUNT - 1,
    FILE_RUN = FILE_REPORT - 1
};

static int write_one(struct writing *w, unsigned file, FILE *out)
{
    return files[file].write ? files[file].write(w->facts, out) : files[file].complete(w, out);
}

static void name_file(const struct run_options *o, unsigned file, bool of_sample, char *path, size_t size)
{
    const bool alignments = file == FILE_ALIGNMENTS;
    snprintf(path, size, "%s/%s", o->directory, alignments ? o->format->files[of_sample] : files[file].name);
}

/* --- before ---------------------------------------------------------------------------------------------- */

/* What a run writes to its directory, and what it removes there. */
static void note_directory(const struct run_options *o, struct file_uses *uses)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < FILE_COUNT; i++)
        if (i != FILE_ALIGNMENTS) {
            name_file(o, i, false, path, sizeof path);
            file_uses_write(uses, "-o", path);
        }
    for (const struct alignment_format *const *f = alignment_formats; *f; f++)
        for (int i = 0; i < 2 && (f == alignment_formats || strcmp(f[-1]->files[i], f[0]->files[i]) != 0);
             i++) {
            snprintf(path, sizeof path, "%s/%s", o->directory, (*f)->files[i]);
            file_uses_write(uses, "-o", path);
        }
}

static int check_uses(const struct run_options *o, struct file_uses *uses, struct why *why)
{
    if (o->measure && access(o->measure, F_OK) == 0)
        file_uses_read(uses, "--measure", o->measure);
    if (o->directory)
        note_directory(o, uses);
    file_uses_write(uses, "-a", o->alignments ? o->alignments : o->directory ? NULL : "-");
    file_uses_write(uses, "--timeline", o->drawing.timeline_path);
    file_uses_write(uses, "--vcd", o->drawing.vcd_path);
    file_uses_write(uses, "--fst", o->drawing.fst_path);
    file_uses_write(uses, "--export-times", o->drawing.times_path);
    return command_status_of(file_uses_check(uses, why));
}

static int probe_directory(const struct run_options *o, bool of_sample, struct why *why)
{
    int status = output_hold_directory(o->directory, why);
    char path[PATH_MAX];
    for (unsigned i = 0; i < FILE_COUNT && status == 0; i++) {
        name_file(o, i, of_sample, path, sizeof path);
        if (i != FILE_REPORT || !o->no_report)
            status = output_probe(path, why);
    }
    return status ? COMMAND_REFUSED : 0;
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

int run_output_probe(const struct run_options *o, bool of_sample, struct file_uses *uses, struct why *why)
{
    int status = check_uses(o, uses, why);
    if (status == 0 && o->directory)
        status = probe_directory(o, of_sample, why);
    if (o->directory)
        set_last_words("\nmercury: ended by a signal; nothing was written to %s\n", o->directory);
    const char *others[] = {o->drawing.timeline_path, o->drawing.vcd_path, o->drawing.fst_path,
                            o->drawing.times_path, o->alignments};
    for (unsigned i = 0; i < sizeof others / sizeof others[0] && status == 0; i++)
        if (others[i] && output_probe(others[i], why) != 0)
            status = COMMAND_REFUSED;
    return status;
}

int run_output_status(int pass_error)
{
    if (pass_error == 0)
        return 0;
    bool refused = pass_error == PASS_EMEMORY || pass_error == PASS_EFILE || pass_error == PASS_ERECORD ||
                   pass_error == PASS_ELONG || pass_error == PASS_EPLATFORM;
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
    char shown[200];
    int length = (int)strlen(printable_copy(shown, sizeof shown, o->directory, SIZE_MAX));
    bool slash = length > 0 && shown[length - 1] == '/';
    snprintf(text, size, "%s%-*s %s  %s  %s%s\n", shown, length < 10 ? 11 - length : 1, slash ? "" : "/",
             o->no_report ? "summary.txt" : REPORT_FILE, o->format->files[output->forecast != NULL],
             "summary.json", output->forecast ? "" : "  (mercury explain WORD)");
    char kept[PATH_MAX];
    if (output->forecast && !output->forecast->windows &&
        access(unfinished_run_path(o->directory, kept, sizeof kept), F_OK) == 0)
        snprintf(text + strlen(text), size - strlen(text),
                 "the rest%*s mercury run --resume %s  simulates the other passes, too\n", 2, "", shown);
    return text;
}

static int write_file(struct writing *w, const char *path, unsigned file, struct why *why)
{
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    int status = write_one(w, file, output.file);
    if (status != 0 && !ferror(output.file)) {
        const char *reason = strerror(errno);
        bool own_file = status == WRITE_EFILE && file == FILE_ALIGNMENTS; /* BAM has a file of its own */
        output_discard(&output);
        return own_file ? why_say(why, COMMAND_REFUSED, "%.500s: cannot be written: %s", path, reason)
                        : why_say(why, COMMAND_FAILED, "%.500s: cannot be made from this run", path);
    }
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}

/* Remove files of an older run: its run.json would vouch for a mixture of files while they are replaced, and its
 * alignments in another format, or its measurements, would seem to be this run's. */
static void forget_older_run(const struct run_facts *output)
{
    const struct run_options *o = output->options;
    char path[PATH_MAX];
    for (unsigned i = 0; i < FILE_COUNT; i++) {
        name_file(o, i, output->forecast, path, sizeof path);
        if (i >= FILE_RUN || (files[i].measured && !output->measured))
            unlink(path);
    }
    for (const struct alignment_format *const *f = alignment_formats; *f; f++)
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%s", o->directory, (*f)->files[i]);
            if (strcmp((*f)->files[i], o->format->files[output->forecast != NULL]) != 0)
                unlink(path);
        }
}

static int write_directory(struct writing *w, struct why *why)
{
    const struct run_facts *o = w->facts;
    const char *directory = o->options->directory;
    int status = 0;
    set_last_words(
        "\nmercury: ended by a signal while %s was written: it is incomplete, and has no run.json\n",
        directory);
    forget_older_run(o);
    for (unsigned i = 0; i < FILE_REPORT && status == 0; i++) {
        char path[PATH_MAX];
        if (files[i].measured && !o->measured)
            continue;
        name_file(o->options, i, o->forecast, path, sizeof path);
        status = write_file(w, path, i, why);
    }
    signals_set_last_words(NULL);
    return status || o->options->no_report
               ? status
               : report_write(directory, REPORT_PART_COUNT, NULL, w->summary, why);
}

/* The answer, or all of the summary, and what was asked for beside it. */
static int write_answer(const struct writing *w, FILE *out, struct why *why)
{
    const struct run_facts *o = w->facts;
    char where[ANSWER_FILES_BYTES] = "";
    bool whole = true;
    if (o->options->full) {
        whole = write_all_text(w, true, out) == 0;
    } else {
        run_answer_write(o, validation_of(w), list_files(o, where, sizeof where), out);
        run_report_write_asked(o, out);
    }
    if (o->options->measure && o->measured) {
        fputc('\n', out);
        whole = measure_report_write_text(o->measured, out) == 0 && whole;
    }
    bool written = fflush(out) == 0 && !ferror(out) && whole;
    return written ? 0 : why_say(why, COMMAND_REFUSED, "the summary cannot be written");
}

/* The directory comes after all that may fail beside it, because it holds a whole run if run.json is there; but before
 * the answer, which tells of it and which a reader may break off. */
static int write_all(struct writing *w, struct why *why)
{
    const struct run_options *o = w->facts->options;
    bool on_stdout = !o->directory && !w->facts->forecast; /* who samples wants a forecast */
    bool alignments_on_stdout = o->alignments ? strcmp(o->alignments, "-") == 0 : on_stdout;
    int status = 0;
    if (o->alignments || on_stdout)
        status = write_file(w, o->alignments ? o->alignments : "-", FILE_ALIGNMENTS, why);
    if (status == 0 && o->directory)
        status = write_directory(w, why);
    if (status || o->quiet)
        return status;
    status = write_answer(w, alignments_on_stdout ? stderr : stdout, why);
    if (status && o->directory)
        why_append(why, "; the files of %.400s are whole", o->directory);
    return status;
}

static void ask_models(void *writing, void *unused)
{
    struct writing *w = writing;
    struct why no_models; /* such a run has no table, and the reader is told so there */
    (void)unused;
    if (validation_of_frame(&w->facts->result->run, VERDICT_EVERY_MODEL, &w->answers, &no_models) == 0)
        w->validation = &w->answers;
}

int run_output_write(const struct run_facts *facts, struct why *why)
{
    struct writing w = {.facts = facts};
    bool needs_models = facts->options->directory || !facts->options->quiet;
    w.models = needs_models && facts->jobs > 1 ? background_new(true) : NULL;
    if (w.models)
        background_add(w.models, ask_models, &w, NULL);
    else if (needs_models)
        ask_models(&w, NULL);
    int status = write_all(&w, why);
    background_destroy(w.models);
    if (w.validation)
        validation_destroy(&w.answers);
    json_decref(w.summary);
    return status;
}
