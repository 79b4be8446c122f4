#include "app/report/report.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/file/file_uses.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "sim/measure/machine_energy.h"
#include "app/prose.inc"

#define PART(name, help) &report_##name,
const struct report_part *const report_parts[REPORT_PART_COUNT] = {REPORT_PARTS(PART)};

#define NAME(name, help) #name,
const char *const report_names[] = {REPORT_PARTS(NAME) NULL};

bool report_is_sample(const struct run_files *run)
{
    return json_object_get(run->summary, "sample") != NULL;
}

bool report_is_of_windows(const struct run_files *run)
{
    return json_object_get(json_object_get(run->summary, "sample"), "database") != NULL;
}

const char *report_missing_passes(const struct run_files *run)
{
    return run->pass_count > 0 ? NULL : "This run has no passes.tsv: an older version of Mercury wrote it.";
}

void report_introduce(const void *section, FILE *out)
{
    const struct report_section *s = section;
    if (s->part->says)
        fputs(s->part->says, out);
    if (s->part->introduce)
        s->part->introduce(s->run, out);
}

void report_write_section(const void *section, FILE *out)
{
    const struct report_section *s = section;
    const char *missing = s->part->missing ? s->part->missing(s->run) : NULL;
    if (missing) {
        page_put(out, "<p class=\"empty\">%s</p>\n", missing);
        return;
    }
    report_introduce(section, out);
    page_picture(s->part->draw, s->run, out);
    if (s->part->follow)
        s->part->follow(s->run, out);
}

/* --- what was run ---------------------------------------------------------------------------------------- */

static void write_row(const char *name, const char *value, FILE *out)
{
    page_put(out, "<tr><th>%s</th><td>%s</td></tr>\n", name, value);
}

static void write_value(const char *name, const json_t *value, FILE *out)
{
    char text[64];
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, sizeof text, "%.9g", json_number_value(value));
    write_row(name, json_is_string(value) ? json_string_value(value) : text, out);
}

static void write_input(const json_t *run, const char *side, FILE *out)
{
    const json_t *input = json_object_get(run, side);
    double records = json_number_at(input, "records");
    char text[600];
    snprintf(text, sizeof text, "%.400s: %.0f bases in %.0f record%s (XXH3 %.32s)",
             json_text_at(input, "file"), json_number_at(input, "bases"), records, records == 1 ? "" : "s",
             json_text_at(input, "xxh3"));
    write_row(side, text, out);
}

/* What differs between equal runs would change the page: wall clocks, the engine, whether the run was timed again. */
static void write_setup(const void *data, FILE *out)
{
    static const char *const facts[] = {"version", "platform", "e_value", "passes", "seed"};
    const struct run_files *run = data;
    const char *name;
    json_t *value;
    fputs("<table>\n", out);
    write_input(run->run, "query", out);
    write_input(run->run, "database", out);
    for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if ((value = json_object_get(run->run, facts[i])))
            write_value(facts[i], value, out);
    fputs(PROSE_REPORT_SETUP, out);
    json_object_foreach(json_object_get(run->run, "configuration"), name, value)
        write_value(name, value, out);
    fputs("</table></details>\n", out);
}

/* --- energy ---------------------------------------------------------------------------------------------- */

/* The table of where the energy of a run goes. */
static void write_energy(const void *data, FILE *out)
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

/* An interval is of the steady mean, and may be of fewer frames than the mean; without enough frames there is none.
 * @param scale  1, or the ns of a clock */
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

static void write_measured(const void *data, FILE *out)
{
    static const char *const columns[] = {"measurement", "at",  "unit", "mean",      "steady mean",
                                          "+-",          "min", "max",  "deviation", "quantiles"};
    const struct run_files *run = data;
    struct result_table *table = result_table_new(columns, sizeof columns / sizeof columns[0]);
    add_measurements(table, "", json_object_get(run->summary, "measurements"), 1e9 / run->clock_hz);
    fputs(PROSE_REPORT_MEASURED, out);
    result_table_end(table, RESULT_HTML, out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

/* A forecast is a part only of a sample's page, which says at its top that it is one. */
static void write_banner(const void *data, FILE *out)
{
    const struct run_files *run = data;
    const json_t *sample = json_object_get(run->summary, "sample"),
                 *windows = json_object_get(sample, "database");
    if (!sample)
        return;
    page_put(out, "<p class=\"empty\"><strong>A sample: %.0f of the run's %.0f passes",
             json_number_at(sample, "drawn"), json_number_at(sample, "run_passes"));
    if (windows)
        page_put(out, " over %.0f of the database's %.0f windows", json_number_at(windows, "drawn"),
                 json_number_at(windows, "windows"));
    page_put(out, PROSE_REPORT_BANNER, json_number_at(sample, "seed"), windows ? " and windows" : "");
}

static int write_page(const struct run_files *run, const char *path, struct why *why)
{
    struct page_section sections[REPORT_PART_COUNT + 5] = {{NULL, NULL, write_banner, run}};
    struct report_section described[REPORT_PART_COUNT];
    char title[RUN_FILES_TITLE_BYTES];
    size_t count = 1;
    for (unsigned i = 0; i < REPORT_PART_COUNT; i++) {
        bool has = i != REPORT_PART_forecast || report_is_sample(run);
        described[i] = (struct report_section){report_parts[i], run};
        sections[count++] = (struct page_section){report_names[i], report_parts[i]->title,
                                                  has ? report_write_linked : NULL, &described[i]};
    }
    sections[count++] = (struct page_section){
        "measured", "What was measured",
        json_object_size(json_object_get(run->summary, "measurements")) > 0 ? write_measured : NULL, run};
    sections[count++] = (struct page_section){
        "energy", "Energy", json_object_get(run->summary, "energy") ? write_energy : NULL, run};
    sections[count++] = (struct page_section){"setup", "What was run", write_setup, run};
    sections[count++] = (struct page_section){"words", "The words", report_write_words, run};
    return page_write(path, run_files_title(run, title), "A run of the Mercury BLAST accelerator", sections,
                      count, why);
}

int report_check_output(const char *directory, enum report_number what, const char *path, struct why *why)
{
    struct file_uses uses = {0};
    if (what < REPORT_PART_COUNT && !picture_format(path))
        return why_say(why, COMMAND_REFUSED,
                       "-o '%.200s': expected a name that ends in .svg, .png or .pdf, or - for SVG", path);
    run_files_note(directory, file_uses_read, "a file of the run", &uses);
    file_uses_write(&uses, "-o", path);
    return command_status_of(file_uses_check(&uses, why));
}

/* A picture of its own says whose it is, and of which machine. */
static int save_picture(const struct run_files *r, const struct report_part *part, const char *path,
                        struct why *why)
{
    char run[RUN_FILES_TITLE_BYTES], title[200];
    const int letters = (int)printable_fit(run_files_title(r, run), 80);
    const json_t *sample = json_object_get(r->summary, "sample");
    const bool of_passes = json_number_at(sample, "drawn") < json_number_at(sample, "run_passes");
    snprintf(title, sizeof title, "%.*s, %u board%s at %.4g MHz%s", letters, run, r->board_count,
             r->board_count == 1 ? "" : "s", r->clock_hz / 1e6,
             !report_is_of_windows(r) ? sample ? ", a sample of its passes" : ""
             : of_passes              ? ", a sample of its passes and of the database"
                                      : ", a sample of the database");
    return picture_save(part->draw, r, title, path, why);
}

int report_write(const char *directory, enum report_number what, const char *path,
                 const struct dots_choice *dots, json_t *summary, struct why *why)
{
    auto_by(run_files_close) struct run_files run = {0};
    char own[PATH_MAX];
    int status = report_check_output(directory, what, path, why);
    if (status)
        return status;
    status = run_files_open(directory, summary, &run, why);
    const struct report_part *part = what < REPORT_PART_COUNT ? report_parts[what] : NULL;
    const char *missing = status == 0 && part && part->missing ? part->missing(&run) : NULL;
    if (missing)
        return why_say(why, COMMAND_REFUSED, "%.400s: nothing to draw: %s", directory, missing);
    if (status == 0 && dots) {
        run.dots = *dots;
        status = report_dots_check(&run, why);
    }
    return status ? status
           : part ? save_picture(&run, part, path, why)
                  : write_page(&run, path ? path : file_io_path(directory, REPORT_FILE, own), why);
}
