#include "app/report/line_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/file_io.h"
#include "base/file/tsv.h"
#include "base/json_number.h"
#include "base/memory.h"

/* --- what is there --------------------------------------------------------------------------------------- */

static json_t *read_json(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return json_load_file(file_io_path(directory, name, path), 0, NULL);
}

bool line_run_is_in(const char *directory)
{
    json_auto_t *about = read_json(directory, "run.json");
    return strncmp(json_text_at(about, "schema"), LINE_RUN_SCHEMA, sizeof LINE_RUN_SCHEMA - 2) == 0;
}

json_t *line_run_read(const char *directory, const char *name, const char *schema, struct why *why)
{
    char path[PATH_MAX];
    json_t *value = read_json(directory, name);
    const char *found = json_text_at(value, "schema");
    if (strcmp(found, schema) == 0)
        return value;
    file_io_path(directory, name, path);
    if (*found)
        run_place_refuse(value, path, schema, why);
    else
        why_refuse(why, "%.400s: expected JSON as mercury queue -o writes it; run it again", path);
    json_decref(value);
    return NULL;
}

/* --- rows ------------------------------------------------------------------------------------------------- */

static const json_t *row_of(const struct line_run *run, size_t row)
{
    return json_array_get(json_object_get(run->summary, "rows"), row);
}

static int find_stages(struct line_run *run, const char *directory, struct why *why)
{
    const size_t rows = json_array_size(json_object_get(run->summary, "rows"));
    for (size_t i = 0; i < rows; i++) {
        const char *name = json_text_at(row_of(run, i), "stage");
        if (run->stage_count == 0 || strcmp(run->stages[run->stage_count - 1].name, name) != 0) {
            if (run->stage_count == LINE_STAGES_MAX)
                break;
            run->stages[run->stage_count].name = name;
            run->stages[run->stage_count].p_first = rows; /* there are none */
            run->stages[run->stage_count++].first = i;
        }
        run->stages[run->stage_count - 1].end = i + 1;
        if (strcmp(json_text_at(row_of(run, i), "parameter"), "P[N=0]") == 0)
            run->stages[run->stage_count - 1].p_first = i;
    }
    const char *column;
    json_t *value;
    json_object_foreach((json_t *)row_of(run, 0), column, value)
    {
        char covers[LINE_NAME_BYTES + 16];
        snprintf(covers, sizeof covers, "%.40s_covers", column);
        if (json_object_get(row_of(run, 0), covers) && run->model_count < LINE_MODELS_MAX)
            run->models[run->model_count++] = column;
    }
    return run->stage_count > 0
               ? 0
               : why_refuse(why,
                            "%.400s/summary.json: expected rows of stages, as mercury queue -o "
                            "writes them; run it again",
                            directory);
}

double line_run_number(const struct line_run *run, unsigned stage, const char *parameter, const char *column)
{
    for (size_t i = run->stages[stage].first; i < run->stages[stage].end; i++) {
        const json_t *row = row_of(run, i);
        if (strcmp(json_text_at(row, "parameter"), parameter) == 0)
            return json_number_at(row, column);
    }
    return NAN;
}

double line_run_p(const struct line_run *run, unsigned stage, unsigned n, const char *model)
{
    return n <= 100 ? json_number_at(row_of(run, run->stages[stage].p_first + n), model) : NAN;
}

const json_t *line_run_rule(const struct line_run *run, unsigned stage, const char *member)
{
    static const char *const formats[] = {"stage %s", "stage_%s"};
    const json_t *rules = NULL;
    char name[LINE_NAME_BYTES + 16];
    for (unsigned i = 0; i < 2 && !rules; i++) {
        snprintf(name, sizeof name, formats[i], run->stages[stage].name);
        rules = json_object_get(run->summary, name);
    }
    return json_object_get(rules, member);
}

json_t *line_run_measured(const struct line_run *run)
{
    json_t *all = json_object();
    for (unsigned i = 0; i < run->stage_count; i++) {
        json_t *stage = json_object();
        for (size_t k = run->stages[i].first; k < run->stages[i].end; k++)
            json_object_set(stage, json_text_at(row_of(run, k), "parameter"),
                            json_object_get(row_of(run, k), "simulated"));
        json_object_set_new(all, run->stages[i].name, stage);
    }
    return all;
}

/* --- tables ------------------------------------------------------------------------------------------------ */

static unsigned stage_named(const struct line_run *run, const char *name)
{
    unsigned i = 0;
    while (i < run->stage_count && strcmp(run->stages[i].name, name) != 0)
        i++;
    return i;
}

static int take_frame(struct line_run *run, const struct tsv *t)
{
    static const char *const names[LINE_SERIES] = {"throughput", "N_G"};
    const unsigned stage = stage_named(run, t->texts[0]);
    const double frame = t->numbers[0], begin_s = t->numbers[1], end_s = t->numbers[2];
    if (stage == run->stage_count || !(frame >= 1 && frame <= (double)run->frame_count))
        return tsv_refuse(t, "a stage and a frame of summary.json");
    if (frame == 1) {
        run->frames_begin_s = begin_s;
        run->frame_s = end_s - begin_s;
    }
    for (unsigned k = 0; k < LINE_SERIES; k++) {
        if (strcmp(t->texts[1], names[k]) != 0)
            continue;
        double **series = &run->stages[stage].series[k];
        *series = *series ? *series : memory_new(run->frame_count, sizeof **series);
        (*series)[(size_t)frame - 1] = t->numbers[3];
    }
    return 0;
}

static int take_bin(struct line_run *run, const struct tsv *t)
{
    const unsigned stage = stage_named(run, t->texts[0]);
    if (stage == run->stage_count || !(t->numbers[0] >= 0 && t->numbers[0] < LINE_NUMBERS))
        return tsv_refuse(t, "a stage of summary.json, and a number from 0 to %d", LINE_NUMBERS - 1);
    run->stages[stage].p[(unsigned)t->numbers[0]] = t->numbers[1];
    return 0;
}

static int take_verdict(struct line_run *run, const struct tsv *t)
{
    if (strcmp(t->texts[1], "N_Q") != 0)
        return 0;
    struct line_verdict *v = ARRAY_NEXT(run->verdicts, run->verdict_count, run->verdict_room);
    *v =
        (struct line_verdict){.simulated = t->numbers[0], .predicted = t->numbers[1], .error = t->numbers[2]};
    snprintf(v->stage, sizeof v->stage, "%s", t->texts[0]);
    snprintf(v->model, sizeof v->model, "%s", t->texts[2]);
    snprintf(v->word, sizeof v->word, "%s", t->texts[3]);
    snprintf(v->why, sizeof v->why, "%s", t->texts[4]);
    return 0;
}

static int read_table(struct line_run *run, const char *directory, const char *name,
                      const struct tsv_columns *columns, int (*take)(struct line_run *, const struct tsv *),
                      struct why *why)
{
    char path[PATH_MAX];
    auto_by(tsv_close) struct tsv table;
    int status = tsv_open(&table, file_io_path(directory, name, path), columns, why);
    while (status == 0 && (status = tsv_next(&table)) == 1)
        status = take(run, &table);
    return status ? COMMAND_REFUSED : 0;
}

/* --- the run ----------------------------------------------------------------------------------------------- */

int line_run_open(const char *directory, struct line_run *run, struct why *why)
{
    static const struct tsv_columns bins = {{"queue"}, {"from", "fraction"}},
                                    frames = {{"stage", "parameter"}, {"frame", "begin_s", "end_s", "value"}},
                                    verdicts = {{"stage", "parameter", "model", "verdict", "why"},
                                                {"simulated", "predicted", "error"}};
    *run = (struct line_run){.about = line_run_read(directory, "run.json", LINE_RUN_SCHEMA, why)};
    if (!run->about || !(run->summary = line_run_read(directory, "summary.json", LINE_SUMMARY_SCHEMA, why)))
        return COMMAND_REFUSED;
    const double batches = json_number_at(run->summary, "batches");
    if (!(batches >= 1 && batches <= LINE_FRAMES_MAX))
        return why_refuse(
            why, "%.400s/summary.json: batches: expected 1 to %d, as mercury queue writes them; run it again",
            directory, LINE_FRAMES_MAX);
    run->frame_count = (size_t)batches;
    int status = find_stages(run, directory, why);
    if (status == 0)
        status = read_table(run, directory, "frames.tsv", &frames, take_frame, why);
    if (status == 0)
        status = read_table(run, directory, "histograms.tsv", &bins, take_bin, why);
    if (status == 0)
        status = read_table(run, directory, "validation.tsv", &verdicts, take_verdict, why);
    return status;
}

void line_run_close(struct line_run *run)
{
    for (unsigned i = 0; i < run->stage_count; i++)
        for (unsigned k = 0; k < LINE_SERIES; k++)
            free(run->stages[i].series[k]);
    free(run->verdicts);
    json_decref(run->summary);
    json_decref(run->about);
}
