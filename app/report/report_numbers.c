/* The tables of a run's page that have no picture: where its energy goes, and every value that its directives measured.
 *
 * Source    "energy" and "measurements" of summary.json.
 * Interval  is of the steady mean, and may be of fewer frames than the mean; without enough frames there is none.
 */
#include "app/report/report.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "sim/measure/machine_energy.h"
#include "app/prose.inc"

/* --- energy ---------------------------------------------------------------------------------------------- */

void report_write_energy(const void *data, FILE *out)
{
    static const char *const columns[] = {"part", "J", "nJ per w-mer", "share [%]", "number", "of"};
    const struct run_files *run = data;
    const json_t *energy = json_object_get(run->summary, "energy");
    const double total = json_number_at(energy, "total_j"), total_j = total > 0 ? total : NAN,
                 per_wmer = json_number_at(energy, "nj_per_wmer");
    double most_j = 0;
    const char *most = "";
    struct result_table *table = result_table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        const struct machine_energy_words *part = &machine_energy_words[i];
        const double j = json_number_at(energy, shown_text("%s_j", part->name).text),
                     count = i == ENERGY_IDLE ? run->simulated_s : json_number_at(energy, part->count_name);
        if (j > most_j) {
            most_j = j;
            most = part->title;
        }
        result_table_add(table, TEXT(part->title), NUMBER(j), NUMBER(j / total_j * per_wmer),
                         NUMBER(100 * j / total_j), NUMBER(count), TEXT(part->unit));
    }
    if (!isnan(total_j) && !isnan(per_wmer)) /* numbers of the file may be missing, or wrong */
        page_put(out, PROSE_REPORT_ENERGY, total_j, per_wmer, most, 100 * most_j / total_j);
    result_table_end(table, RESULT_HTML, out);
}

/* --- what was measured ----------------------------------------------------------------------------------- */

/* @param scale  1, or the ns of a clock */
static void add_row(struct result_table *table, const char *name, const json_t *m, double scale,
                    const char *unit)
{
    const json_t *steady = json_object_get(json_object_get(m, "frames"), "steady"),
                 *quantiles = json_object_get(m, "quantiles"), *quantile;
    const double half = json_number_at(steady, "half_width");
    char texts[200] = "";
    size_t i;
    json_array_foreach(quantiles, i, quantile)
    {
        const size_t length = strlen(texts);
        const double q = json_number_at(quantile, "q"), value = json_number_at(quantile, "value");
        if (!isnan(q) && !isnan(value))
            snprintf(texts + length, sizeof texts - length, "%s%g%%: %.4g", length ? ", " : "", 100 * q,
                     scale * value);
    }
    result_table_add(table, TEXT(name), TEXT(json_string_value(json_object_get(m, "tap"))), TEXT(unit),
                     NUMBER(scale * json_number_at(m, "mean")),
                     NUMBER(isnan(half) ? NAN : scale * json_number_at(steady, "mean")),
                     MARKED(scale * half, json_is_false(json_object_get(steady, "independent")) ? '!' : 0),
                     NUMBER(scale * json_number_at(m, "min")), NUMBER(scale * json_number_at(m, "max")),
                     NUMBER(scale * json_number_at(m, "deviation")), TEXT(texts));
}

/* Measurements lie in groups by the dots of their names. */
static void add_measurements(struct result_table *table, const char *before, const json_t *group,
                             double clock_ns)
{
    const char *member;
    json_t *value;
    json_object_foreach((json_t *)group, member, value)
    {
        const char *unit = json_string_value(json_object_get(value, "unit"));
        char name[200];
        snprintf(name, sizeof name, "%s%s%s", before, *before ? "." : "", member);
        if (!unit) {
            add_measurements(table, name, value, clock_ns);
            continue;
        }
        add_row(table, name, value, 1, unit);
        if (strcmp(unit, "clocks") == 0)
            add_row(table, name, value, clock_ns, "ns");
    }
}

void report_write_measured(const void *data, FILE *out)
{
    static const char *const columns[] = {"measurement", "at",  "unit", "mean",      "steady mean",
                                          "+-",          "min", "max",  "deviation", "quantiles"};
    const struct run_files *run = data;
    struct result_table *table = result_table_new(columns, sizeof columns / sizeof columns[0]);
    add_measurements(table, "", json_object_get(run->summary, "measurements"), 1e9 / run->clock_hz);
    fputs(PROSE_REPORT_MEASURED, out);
    result_table_end(table, RESULT_HTML, out);
}
