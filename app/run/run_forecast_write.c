#include <inttypes.h>
#include <math.h>

#include "base/json_number.h"
#include "app/run/run_forecast.h"

static const struct {
    const char *name, *title, *unit;
} quantities[FORECAST_QUANTITIES] = {
    [FORECAST_TIME] = {"simulated_time_s", "simulated time", "s"},
    [FORECAST_BUILD] = {"build_wait_s", "building tables", "s"},
    [FORECAST_LOAD] = {"table_load_s", "loading tables", "s"},
    [FORECAST_STREAM] = {"streaming_s", "streaming", "s"},
    [FORECAST_STAGE3] = {"stage_3_alone_s", "last of stage 3", "s"},
    [FORECAST_HSPS] = {"hsps", "HSPs", "HSPs"},
    [FORECAST_ALIGNMENTS] = {"alignments", "alignments", "alignments"},
    [FORECAST_CELLS] = {"cells", "cells", "cells"},
    [FORECAST_TRIPS] = {"trips", "trips", "trips"},
    [FORECAST_BUS_BYTES] = {"bus_bytes", "bytes on the bus", "bytes"},
    [FORECAST_WALL] = {"wall_time_s", "wall time here", "s"},
};

const char *forecast_quantity_name(enum forecast_quantity quantity)
{
    return quantities[quantity].name;
}

const char *forecast_quantity_title(enum forecast_quantity quantity)
{
    return quantities[quantity].title;
}

const char *forecast_quantity_unit(enum forecast_quantity quantity)
{
    return quantities[quantity].unit;
}

/* --- for people ------------------------------------------------------------------------------------------ */

const char *run_forecast_title(const struct run_forecast *f, char text[128])
{
    if (f->windows)
        snprintf(text, 128,
                 "SAMPLE of %zu of %zu passes and %zu of %zu windows (seed %" PRIu64 "): a forecast",
                 f->sample->count, f->sample->passes, run_windows_sample(f->windows)->count,
                 run_windows_sample(f->windows)->passes, f->sample->seed);
    else
        snprintf(text, 128, "SAMPLE of %zu of %zu passes (seed %" PRIu64 "): a forecast, not the whole run",
                 f->sample->count, f->sample->passes, f->sample->seed);
    return text;
}

static void write_numbers(const size_t *needed, size_t all, FILE *out)
{
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++) {
        char number[24] = "all";
        if (needed[i] < all)
            snprintf(number, sizeof number, "%zu", needed[i]);
        fprintf(out, "%s %g%%: %s", i > 0 ? "," : "", 100 * run_forecast_widths[i], number);
    }
    fputc('\n', out);
}

static void write_windows(const struct run_forecast *f, FILE *out)
{
    const struct sample_windows sizes = run_windows_sizes(f->windows);
    fputs("or windows", out);
    write_numbers(f->needed_windows, run_windows_sample(f->windows)->passes, out);
    fprintf(out,
            "windows of %.4g kb, warm-up %.4g kb; with half of it: time %+.2g%%, HSPs %+.2g%% (%zu twice)\n",
            1e-3 * (double)sizes.window_bases, 1e-3 * (double)sizes.warm_up_bases, 100 * f->bias.time,
            100 * (isnan(f->bias.hsps) ? 0 : f->bias.hsps), run_windows_repeated(f->windows));
}

void run_forecast_write_needed(const struct run_forecast *f, FILE *out)
{
    if (run_forecast_is_narrow(f))
        fputs("passes to draw for a time within", out);
    else
        fprintf(out, "half of the passes are too few for %.3g%%; draw for", 100 * f->until);
    write_numbers(f->needed, f->sample->passes, out);
    if (f->windows)
        write_windows(f, out);
}

static void write_total(const struct run_forecast *f, enum forecast_quantity q, FILE *out)
{
    const struct sample_estimate e = f->totals[q].estimate;
    struct sample_interval i = sample_interval(e);
    if (run_forecast_is_unseen(f, q)) {
        fprintf(out, "  %-16s %12s   unknown: the drawn passes have none\n", quantities[q].title, "-");
        return;
    }
    fprintf(out, "  %-16s %12.5g %12.5g %12.5g   +- %.3g%%\n", quantities[q].title, e.total, i.low, i.high,
            100 * sample_width(e));
}

void run_forecast_write_text(const struct run_forecast *f, bool wall, FILE *out)
{
    char title[128];
    fprintf(out, "%s\n\n  %-16s %12s %12s %12s\n", run_forecast_title(f, title), "the whole run", "forecast",
            "95% from", "to");
    for (enum forecast_quantity q = 0; q < FORECAST_QUANTITIES; q++)
        if (run_forecast_has(f, q) && (wall || q != FORECAST_WALL))
            write_total(f, q, out);
    fprintf(out, "  times in s; ");
    run_forecast_write_needed(f, out);
    run_forecast_write_doubts(f, FORECAST_QUANTITIES, out);
    fprintf(out, "\nWhat follows is of the drawn passes only, as if they were a run:\n\n");
}

static void write_doubt(const struct run_forecast *f, enum forecast_quantity q, FILE *out)
{
    const struct forecast_total *t = &f->totals[q];
    struct sample_interval i = sample_interval(t->apart);
    fprintf(out, "  %s: pass %zu has %.0f%% of the drawn ones', so do not rely on the interval",
            quantities[q].title, f->sample->numbers[t->largest.index] + 1, 100 * t->largest.share);
    fprintf(out, "; if no other pass is\n    like it: %.4g (%.4g to %.4g)\n", t->apart.total, i.low, i.high);
}

bool run_forecast_write_doubts(const struct run_forecast *f, unsigned most, FILE *out)
{
    unsigned written = 0;
    for (enum forecast_quantity q = 0; q < FORECAST_WALL && written < most; q++) {
        const struct forecast_total *t = &f->totals[q];
        if (!run_forecast_is_doubtful(f, q))
            continue;
        if (t->is_dominated)
            write_doubt(f, q, out);
        if (t->is_cut || (t->is_skewed && !t->is_dominated))
            fprintf(out, "  %s: %s, so do not rely on the interval\n", quantities[q].title,
                    t->is_cut ? "windows cut alignments" : "so few passes or windows are too unequal");
        written++;
    }
    return written > 0;
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *estimate_object(struct sample_estimate e)
{
    struct sample_interval i = sample_interval(e);
    if (!(e.total > 0))
        i.high = INFINITY;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "total", json_number(e.total), "low", json_number(i.low),
                     "high", json_number(i.high), "standard_error", json_number(e.error),
                     "degrees_of_freedom", json_number(e.freedom));
}

/* Numbers of passes are from 1. */
static json_t *largest_object(const struct run_forecast *f, const struct forecast_total *t)
{
    const struct sample_largest *l = &t->largest;
    return json_pack("{s:I, s:o, s:b, s:b, s:b, s:b, s:o}", "largest_pass",
                     (json_int_t)f->sample->numbers[l->index] + 1, "largest_share", json_number(l->share),
                     "dominated", (int)t->is_dominated, "skewed", (int)t->is_skewed, "cut", (int)t->is_cut,
                     "doubtful", (int)run_forecast_is_doubtful(f, (enum forecast_quantity)(t - f->totals)),
                     "total_if_alone", t->is_dominated ? json_number(t->apart.total) : json_null());
}

static json_t *total_object(const struct run_forecast *f, enum forecast_quantity q)
{
    json_t *object = json_pack("{s:s, s:s}", "quantity", quantities[q].name, "unit", quantities[q].unit);
    json_t *estimate = estimate_object(f->totals[q].estimate);
    json_object_update(object, estimate);
    json_decref(estimate);
    if (!isnan(f->totals[q].largest.share)) {
        json_t *largest = largest_object(f, &f->totals[q]);
        json_object_update(object, largest);
        json_decref(largest);
    }
    return object;
}

static json_t *drawn_array(const struct pass_sample *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(array, json_integer((json_int_t)s->numbers[i] + 1));
    return array;
}

static json_t *strata_array(const struct pass_sample *s, const char *what)
{
    json_t *array = json_array();
    for (size_t h = 0; h < s->stratum_count; h++)
        json_array_append_new(array, json_pack("{s:I, s:I}", what, (json_int_t)s->strata[h].passes, "drawn",
                                               (json_int_t)s->strata[h].drawn));
    return array;
}

static json_t *draw_object(const struct run_forecast *f)
{
    return json_pack("{s:I, s:I, s:I}", "run_passes", (json_int_t)f->sample->passes, "drawn",
                     (json_int_t)f->sample->count, "seed", (json_int_t)f->sample->seed);
}

static json_t *windows_object(const struct run_forecast *f)
{
    const struct run_windows *w = f->windows;
    const struct pass_sample *s = run_windows_sample(w);
    const struct sample_windows sizes = run_windows_sizes(w);
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:I}", "windows", (json_int_t)s->passes,
        "drawn", (json_int_t)s->count, "drawn_windows", drawn_array(s), "strata", strata_array(s, "windows"),
        "window_bases", (json_int_t)sizes.window_bases, "warm_up_bases", (json_int_t)sizes.warm_up_bases,
        "repeated", (json_int_t)run_windows_repeated(w), "bias_of_time", json_number(f->bias.time),
        "bias_of_hsps", json_number(f->bias.hsps), "streamed_share", json_number(1 / run_windows_scale(w)),
        "windows_for_5_percent", (json_int_t)f->needed_windows[0], "windows_for_2_percent",
        (json_int_t)f->needed_windows[1], "windows_for_1_percent", (json_int_t)f->needed_windows[2]);
}

json_t *run_forecast_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f), *totals = json_array();
    for (enum forecast_quantity q = 0; q < FORECAST_WALL; q++)
        if (run_forecast_has(f, q))
            json_array_append_new(totals, total_object(f, q));
    json_object_set_new(object, "drawn_passes", drawn_array(f->sample));
    json_object_set_new(object, "strata", strata_array(f->sample, "passes"));
    json_object_set_new(object, "forecast", totals);
    json_object_set_new(object, "passes_for_5_percent", json_integer((json_int_t)f->needed[0]));
    json_object_set_new(object, "passes_for_2_percent", json_integer((json_int_t)f->needed[1]));
    json_object_set_new(object, "passes_for_1_percent", json_integer((json_int_t)f->needed[2]));
    if (f->windows)
        json_object_set_new(object, "database", windows_object(f));
    if (f->until > 0) {
        json_object_set_new(object, "until", json_number(f->until));
        json_object_set_new(object, "reached", json_boolean(run_forecast_is_narrow(f)));
    }
    return object;
}

json_t *run_forecast_run_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f);
    json_object_set_new(object, "wall_time_s", estimate_object(f->totals[FORECAST_WALL].estimate));
    return object;
}
