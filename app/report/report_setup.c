#include "app/report/report_setup.h"

#include <string.h>

#include "base/json_number.h"
#include "traces/explain.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "app/report/report_part.h"

static void write_row(const char *name, const char *value, FILE *out)
{
    fputs("<tr><th>", out);
    report_text(out, "%s", name);
    fputs("</th><td>", out);
    report_text(out, "%s", value);
    fputs("</td></tr>\n", out);
}

static const char *text_of(const json_t *value, char text[64])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        snprintf(text, 64, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, 64, "%.9g", json_number_value(value));
    return text;
}

static void write_input(const json_t *run, const char *side, FILE *out)
{
    const json_t *input = json_object_get(run, side);
    const char *file = json_string_value(json_object_get(input, "file"));
    const char *digest = json_string_value(json_object_get(input, "xxh3"));
    double records = json_number_at(input, "records");
    char text[600];
    snprintf(text, sizeof text, "%.400s: %.0f bases in %.0f record%s (XXH3 %.32s)", file ? file : "",
             json_number_at(input, "bases"), records, records == 1 ? "" : "s", digest ? digest : "");
    write_row(side, text, out);
}

/* What differs between equal runs would change the page: wall clocks, the engine, whether the run was timed again. */
static void write_facts(const json_t *run, FILE *out)
{
    static const char *const names[] = {"version", "platform", "e_value", "passes", "seed"};
    fputs("<table>\n", out);
    write_input(run, "query", out);
    write_input(run, "database", out);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[64];
        const json_t *value = json_object_get(run, names[i]);
        if (value)
            write_row(names[i], text_of(value, text), out);
    }
    fputs("</table>\n", out);
}

void report_setup_write(const struct run_files *run, FILE *out)
{
    const char *name;
    json_t *value;
    write_facts(run->run, out);
    fputs(
        "<details><summary>Every number of the machine (<code>--set NAME=VALUE</code> changes one)</summary>\n<table "
        "class=\"columns\">\n",
        out);
    json_object_foreach(json_object_get(run->run, "configuration"), name, value)
    {
        char text[64];
        write_row(name, text_of(value, text), out);
    }
    fputs("</table></details>\n", out);
}

/* --- words ----------------------------------------------------------------------------------------------- */

/* Owner and name of each, as mercury explain has them. */
static const char *const words[][2] = {
    {"bottleneck", "active_fraction"},
    {"bottleneck", "stalled_fraction"},
    {"bottleneck", "starved_fraction"},
    {"bottleneck", "growth_to_limit"},
    {"queue", "mean"},
    {"queue", "mean_wait_s"},
    {"queue", "back_pressure_fraction"},
    {"pcix", "words_in"},
    {"stage_1a", "wmers"},
    {"stage_1a", "seeds_out"},
    {"stage_1b", "trips"},
    {"stage_1b", "matches_out"},
    {"stage_2", "hsps_out"},
    {"stage_3", "drain_s"},
    {"pcix", "table_load_s"},
    {"stage_3", "build_wait_s"},
    {"model", "lambda_1a"},
    {"model", "rho_1a"},
    {"model", "N_Q_1a"},
    {"model", "P_BP_1a"},
};

static void write_word(const struct explanation *e, FILE *out)
{
    fputs("<dt><code>", out);
    report_text(out, "%s.%s", e->owner, e->name);
    fputs("</code>", out);
    if (*e->unit && strcmp(e->unit, "1") != 0)
        report_text(out, " [%s]", e->unit);
    fputs("</dt><dd>", out);
    report_text(out, "%s", e->meaning);
    if (e->computed || *e->formula)
        report_text(out, "; computed: %s", e->computed ? e->computed : e->formula);
    if (e->source)
        report_text(out, " (%s)", e->source);
    fputs("</dd>\n", out);
}

void report_setup_write_words(FILE *out)
{
    struct explanations all;
    if (!explain_begin(&all, &machine_layout, &machine_catalogue))
        return; /* a page without its words is better than none */
    fputs("<dl>\n", out);
    for (unsigned w = 0; w < sizeof words / sizeof words[0]; w++)
        for (size_t i = 0; i < all.count; i++)
            if (strcmp(all.items[i].owner, words[w][0]) == 0 && strcmp(all.items[i].name, words[w][1]) == 0)
                write_word(&all.items[i], out);
    fputs(
        "</dl>\n<p class=\"note\"><code>mercury explain WORD</code> says the same of every number of a run.</p>\n",
        out);
    explain_end(&all);
}
