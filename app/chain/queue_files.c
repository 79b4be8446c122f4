#include "app/chain/queue_files.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/file/whole_file.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "app/chain/chain_validate.h"
#include "app/chain/queue_report.h"
#include "app/report/line_page.h"
#include "app/report/line_run.h"
#include "app/run/run_output.h"

struct files {
    const struct queue_judged *judged;
    const struct queue_line *line;
    const struct queue_line_result *result;
    const char *chain;
    enum result_format format;
};

/* --- contents: output_end() finds out about a full disk ------------------------------------------------------ */

static void write_summary(const struct files *f, FILE *out)
{
    result_table_end(queue_report_make(f->judged, f->format), f->format, out);
}

static void write_verdicts(const struct files *f, FILE *out)
{
    chain_verdicts_write(f->judged, f->format, out);
}

static void write_histograms(const struct files *f, FILE *out)
{
    const double length_s = f->result->batch_s * f->line->run.batches;
    fputs("# share of the time in which each stage holds so many elements, those at its servers included\n"
          "queue\telement\tfrom\tto\tseconds\tfraction\tpass\n",
          out);
    for (unsigned i = 0; i < f->line->stage_count; i++)
        for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++) {
            const double p = f->result->number_p[i][n];
            if (!(p > 0))
                continue;
            result_table_write_field(f->line->stages[i].name, out);
            fprintf(out, n + 1 < QUEUE_LINE_NUMBERS ? "\telements\t%u\t%u" : "\telements\t%u\tinf", n, n);
            fprintf(out, "\t%.9g\t%.9g\trun\n", p * length_s, p);
        }
}

static void write_frames(const struct files *f, FILE *out)
{
    const struct queue_line_result *r = f->result;
    fputs("# what was measured in each batch of the run\n"
          "stage\tparameter\tunit\tframe\tbegin_s\tend_s\tvalue\n",
          out);
    for (unsigned i = 0; i < f->line->stage_count; i++)
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
            for (unsigned batch = 0; batch < f->line->run.batches; batch++) {
                const double value = queue_line_frames(f->line, r, i, q)[batch];
                result_table_write_field(f->line->stages[i].name, out);
                fprintf(out, "\t%s\t%s\t%u\t%.9g\t%.9g\t", queue_line_quantities[q].name,
                        queue_line_quantities[q].unit, batch + 1, r->warm_up_s + batch * r->batch_s,
                        r->warm_up_s + (batch + 1) * r->batch_s);
                fprintf(out, isnan(value) ? "NA\n" : "%.9g\n", value);
            }
}

static void write_about(const struct files *f, FILE *out)
{
    char shown[PATH_MAX]; /* JSON may not hold every byte that a path may hold */
    json_write(json_pack("{s:s, s:s, s:s, s:s*}", "schema", LINE_RUN_SCHEMA, "program", "mercury", "version",
                         MERCURY_VERSION, "chain",
                         f->chain ? printable_copy(shown, sizeof shown, f->chain, SIZE_MAX) : NULL),
               12, out);
}

/* In the order in which they are written. */
static const struct {
    const char *name;
    void (*write)(const struct files *f, FILE *out);
    enum result_format format;
} files[] = {
    {"summary.json", write_summary, RESULT_JSON},     {"summary.txt", write_verdicts, RESULT_TEXT},
    {"validation.tsv", write_verdicts, RESULT_TSV},   {"validation.json", write_verdicts, RESULT_JSON},
    {"histograms.tsv", write_histograms, RESULT_TSV}, {"frames.tsv", write_frames, RESULT_TSV},
    {"run.json", write_about, RESULT_JSON},
};

enum { FILES = sizeof files / sizeof files[0] };

const char *queue_files_measured(const char *directory, const char *directives, char path[PATH_MAX])
{
    return directory && directives ? file_io_path(directory, "measured.tsv", path) : NULL;
}

/* --- the directory ------------------------------------------------------------------------------------------ */

int queue_files_hold(const char *directory, const char *read, struct why *why)
{
    struct file_uses uses = {0};
    char path[FILES][PATH_MAX], kept[PATH_MAX];
    file_uses_read(&uses, "--chain", read);
    for (unsigned i = 0; i < FILES; i++)
        file_uses_write(&uses, "-o", file_io_path(directory, files[i].name, path[i]));
    if ((access(path[FILES - 1], F_OK) == 0 && !line_run_is_in(directory)) ||
        access(file_io_path(directory, RUN_UNFINISHED, kept), F_OK) == 0) {
        file_uses_destroy(&uses);
        return why_refuse(why, "-o %.400s: holds a run of another kind; name another directory", directory);
    }
    return command_status_of(file_uses_check(&uses, why)) || output_hold_directory(directory, why) != 0
               ? COMMAND_REFUSED
               : 0;
}

int queue_files_write(const struct queue_judged *judged, const char *chain, const char *directory,
                      bool measured, struct why *why)
{
    struct files all = {judged, judged->line, judged->result, chain, RESULT_TEXT};
    char path[PATH_MAX];
    int status = output_remove(file_io_path(directory, "run.json", path), why);
    if (status == 0 && !measured)
        status = output_remove(file_io_path(directory, "measured.tsv", path), why);
    for (unsigned i = 0; i < FILES && status == 0; i++) {
        struct output output;
        status = output_open(&output, file_io_path(directory, files[i].name, path), why);
        if (status == 0) {
            all.format = files[i].format;
            files[i].write(&all, output.file);
            status = output_end(&output, 0, why);
        }
    }
    return status ? COMMAND_REFUSED : line_page_write(directory, REPORT_PART_COUNT, NULL, why);
}

static void add_distributions(const struct line_run *run, bool is_text, struct result_table *table)
{
    for (unsigned stage = 0; stage < run->stage_count; stage++)
        for (unsigned n = 0; n < (is_text ? 1 : LINE_NUMBERS); n++) {
            const double simulated = run->stages[stage].p[n];
            if (!is_text && simulated == 0 && !(line_run_p(run, stage, n, "M/M/1") >= 1e-9))
                continue;
            result_table_add(table, TEXT(run->stages[stage].name));
            if (!is_text)
                result_table_add(table, NUMBER(n), NUMBER(simulated));
            for (unsigned m = 0; m < run->model_count; m++)
                result_table_add(table, NUMBER(is_text ? line_run_number(run, stage, "tv", run->models[m])
                                                       : line_run_p(run, stage, n, run->models[m])));
        }
}

int queue_files_show_distributions(const char *directory, enum result_format format, struct why *why)
{
    const char *columns[LINE_MODELS_MAX + 3] = {"stage", "n", "simulated"};
    const bool is_text = format == RESULT_TEXT;
    unsigned count = is_text ? 1 : 3;
    auto_by(line_run_close) struct line_run run;
    int status = line_run_open(directory, &run, why);
    unsigned models = 0; /* that have a distribution anywhere */
    for (unsigned m = 0; m < run.model_count; m++) {
        bool any = false;
        for (unsigned stage = 0; stage < run.stage_count; stage++)
            any = any || !isnan(line_run_number(&run, stage, "tv", run.models[m]));
        if (any)
            columns[count++] = run.models[models++] = run.models[m];
    }
    run.model_count = models;
    if (status)
        return status;
    struct result_table *table = result_table_new_styled(
        columns, count, &(struct result_style){.schema = "mercury-queue-distributions-1"});
    add_distributions(&run, is_text, table);
    if (is_text)
        result_table_note(table, "total variation of P[N = n] of each model from the simulated one: 0 if "
                                 "both are the same, 1 if they have no n in common");
    return result_table_save(table, format, NULL, why);
}

int queue_files_show_verdicts(const char *directory, enum result_format format, struct why *why)
{
    static const unsigned of[] = {[RESULT_TEXT] = 1, [RESULT_TSV] = 2, [RESULT_JSON] = 3};
    char path[PATH_MAX], *text;
    size_t bytes;
    struct line_run run;
    int status = line_run_open(directory, &run, why);
    line_run_close(&run);
    if (status == 0 && format == RESULT_JSON) {
        json_auto_t *verdicts = line_run_read(directory, "validation.json", CHAIN_VERDICTS_SCHEMA, why);
        status = verdicts ? 0 : COMMAND_REFUSED;
    }
    if (status || whole_file_read(file_io_path(directory, files[of[format]].name, path), SIZE_MAX / 2, &text,
                                  &bytes, why) != 0)
        return COMMAND_REFUSED;
    const bool written = fwrite(text, 1, bytes, stdout) == bytes && fflush(stdout) == 0;
    free(text);
    return written ? 0 : why_refuse(why, "standard output cannot be written");
}
