#include "app/estimate/estimate_page.h"

#include <math.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"
#include "base/draw/picture.h"
#include "base/shown.h"

/* Arithmetic and execution agree if they differ by less. */
#define AGREE 0.02

/* --- rows ------------------------------------------------------------------------------------------------ */

/* The time that a row's errors are of: estimated, or executed if nothing was estimated. */
static double row_time_s(const struct estimate_row *row)
{
    return isnan(row->estimated_s) ? row->executed_s : row->estimated_s;
}

/* Whether its resources wait for most of the time, so that a serial step says more than the limit. */
static bool is_serial(const struct estimate_row *row)
{
    return row->limits.busy_s < row_time_s(row) / 2 && row->limits.serial_share > 0;
}

/* The time that it is compared with: detailed, or else executed; NaN if there is none. */
static double reference_s(const struct estimate_row *row)
{
    return !isnan(row->detailed_s) ? row->detailed_s : isnan(row->estimated_s) ? NAN : row->executed_s;
}

/* Whether a session is the only one. */
static bool is_alone(const struct estimate_session *r)
{
    return r->machine == 0 && r->value == 0 && !r->next;
}

enum series { DETAILED, EXECUTED, ESTIMATED, IDEAL, SERIES };

/* A time of a row; NaN: there is none. IDEAL is that of the first row over the nodes. */
static double time_of(const struct estimate_session *r, unsigned i, unsigned k)
{
    const struct estimate_row *row = &r->rows[i];
    const double times[SERIES] = {
        row->detailed_s, row->executed_s, row->estimated_s,
        is_alone(r) && r->count > 1 ? row_time_s(r->rows) * r->rows[0].nodes / row->nodes : NAN};
    return times[k] > 0 ? times[k] : NAN;
}

/* Whether a session, or another one of its machine after it, has such a time. */
static bool is_drawn(const struct estimate_session *r, unsigned k)
{
    const unsigned machine = r->machine;
    for (; r && r->machine == machine; r = r->next)
        for (unsigned i = 0; i < r->count; i++)
            if (!isnan(time_of(r, i, k)))
                return true;
    return false;
}

/* --- the table ------------------------------------------------------------------------------------------- */

#include "app/estimate_columns.inc"

#define COLUMN(width, ...)                                                                                   \
    {                                                                                                        \
        __VA_ARGS__, width                                                                                   \
    }
const struct estimate_column estimate_columns[ESTIMATE_COLUMNS] = {ESTIMATE_COLUMN_ROWS(COLUMN)};

static double row_error(const struct estimate_row *row)
{
    static const double ROUNDING = 1e-9; /* errors below it are of floating point */
    double error = (row_time_s(row) - reference_s(row)) / reference_s(row);
    return fabs(error) < ROUNDING ? 0 : error;
}

/* Find the rows on which arithmetic and execution do not agree, and the assumptions that these do not meet. */
static unsigned find_disagreeing(const struct estimate_session *first, double *widest, unsigned *differences)
{
    unsigned count = 0;
    *widest = 0;
    *differences = 0;
    for (const struct estimate_session *r = first; r; r = r->next)
        for (unsigned i = 0; i < r->count; i++) {
            double apart = r->rows[i].estimated_s / r->rows[i].executed_s - 1;
            if (!(fabs(apart) > AGREE))
                continue;
            count++;
            *differences |= r->rows[i].differences;
            *widest = fabs(apart) > fabs(*widest) ? apart : *widest;
        }
    return count;
}

/* The session of the second machine with the same value; NULL: there is none. */
static const struct estimate_session *find_other(const struct estimate_session *r)
{
    const unsigned machine = r->machine, value = r->value;
    while (r && !(r->machine > machine && r->value == value))
        r = r->next;
    return r;
}

/* "b takes 1.02 (16 nodes) to 1.29 times (64 nodes) as long as a"; NULL: there is one machine. Without --nodes each has
 * its own number of them: "(16 nodes beside 1)". */
static const char *tell_machines(const struct estimate_session *first, char text[400])
{
    double bounds[2] = {INFINITY, -INFINITY};
    char at[2][100] = {"", ""};
    const struct estimate_session *r, *other;
    for (r = first; r && (other = find_other(r)); r = r->next)
        for (unsigned i = 0; i < r->count; i++) {
            const double ratio = row_time_s(&other->rows[i]) / row_time_s(&r->rows[i]);
            const unsigned nodes = other->rows[i].nodes, beside = r->rows[i].nodes;
            for (unsigned k = 0; k < 2; k++)
                if (k == 0 ? ratio < bounds[k] : ratio > bounds[k]) {
                    bounds[k] = ratio;
                    snprintf(at[k], sizeof at[k], "%u node%s%s%s%s", nodes, nodes == 1 ? "" : "s",
                             nodes == beside ? "" : shown_text(" beside %u", beside).text,
                             r->varied ? ", " : "", r->varied ? r->varied : "");
                }
        }
    if (!(other = find_other(first)))
        return NULL;
    snprintf(text, 400, "%.60s takes %.2f (%s) to %.2f times (%s) as long as %.60s", other->files[0],
             bounds[0], at[0], bounds[1], at[1], first->files[0]);
    return text;
}

/* "rack-detailed, disk.number=2" and what follows; empty for one that is alone. */
static const char *name_session(const struct estimate_session *r, const char *after, char text[400])
{
    snprintf(text, 400, "%.200s%s%.150s%s", r->files[0], r->varied ? ", " : "", r->varied ? r->varied : "",
             after);
    return is_alone(r) ? "" : text;
}

static void add_notes(struct result_table *table, const struct estimate_session *r)
{
    double widest;
    unsigned differences, apart = find_disagreeing(r, &widest, &differences);
    char machines[400], name[400];
    result_table_note(table, "times are simulated seconds; error: of the estimated time, against the %s",
                      is_drawn(r, DETAILED) || (find_other(r) && is_drawn(find_other(r), DETAILED))
                          ? "detailed or else executed"
                          : "executed one");
    result_table_note(table, "limit: what is busy longest, by arithmetic, and in which share of the time");
    if (tell_machines(r, machines))
        result_table_note(table, "%s", machines);
    for (const struct estimate_session *s = r; s; s = s->next) {
        const struct estimate_row *last = &s->rows[s->count - 1];
        if (is_serial(last))
            result_table_note(table, "serial: %son %u node%s %.0f%% of the time is '%s'",
                              name_session(s, ", ", name), last->nodes, last->nodes == 1 ? "" : "s",
                              100 * last->limits.serial_share, last->limits.serial);
    }
    if (r->rows[r->count - 1].other_cores)
        result_table_note(
            table,
            "the work that is left when a pass has been streamed is that of the run, on hosts of %u "
            "core%s; this machine's have another number",
            r->workload.hardware.host_cores, r->workload.hardware.host_cores == 1 ? "" : "s");
    if (apart == 0)
        return;
    result_table_note(table,
                      "arithmetic and execution differ by more than %.0f%% in %u rows, by %+.1f%% at most:",
                      100 * AGREE, apart, 100 * widest);
    for (unsigned i = 0; i < ESTIMATE_DIFFERENCES; i++)
        if (differences >> i & 1)
            result_table_note(table, "%s", estimate_difference_text((enum estimate_difference)i));
    if (differences == 0)
        result_table_note(
            table, "pieces are large: arithmetic lets a resource work on while execution waits for one");
}

static void add_rows(struct result_table *table, const struct estimate_session *r, bool machines, bool varies)
{
    for (const struct estimate_row *row = r->rows; row < r->rows + r->count; row++) {
        if (machines)
            result_table_add(table, TEXT(r->files[0]));
        if (varies)
            result_table_add(table, NUMBER(r->varied_to));
        result_table_add(table, NUMBER(row->nodes), NUMBER(row->detailed_s), NUMBER(row->executed_s),
                         NUMBER(row->estimated_s), NUMBER(100 * row_error(row)), TEXT(row->limits.busy),
                         NUMBER(100 * row->limits.busy_s / row_time_s(row)));
        if (r->wall)
            result_table_add(table, NUMBER(row->detailed_wall_s), NUMBER(row->executed_wall_s),
                             NUMBER(row->estimated_wall_s));
    }
}

struct result_table *estimate_page_table(const struct estimate_session *r)
{
    static const char *columns[2 + ESTIMATE_COLUMNS]; /* a table borrows them */
    static int widths[2 + ESTIMATE_COLUMNS];
    static char varied[2 * ESTIMATE_NAME_BYTES];
    const bool machines = find_other(r), varies = r->varied;
    const unsigned keys = machines + varies;
    snprintf(varied, sizeof varied, "%.*s", varies ? (int)strcspn(r->varied, "=") : 0,
             varies ? r->varied : "");
    for (unsigned i = 0; i < keys + ESTIMATE_COLUMNS; i++) {
        columns[i] = i >= keys ? estimate_columns[i - keys].name : i == 0 && machines ? "machine" : varied;
        widths[i] = i >= keys ? estimate_columns[i - keys].width : i == 0 && machines ? -12 : 6;
    }
    struct result_table *table = result_table_new_styled(
        columns, keys + ESTIMATE_COLUMNS - (r->wall ? 0 : ESTIMATE_WALL_COLUMNS),
        &(struct result_style){
            .widths = widths, .schema = "mercury-estimate-1", .keys = keys ? keys + 1 : 0});
    for (size_t i = 0; i < r->file_count + (r->from != NULL); i++) {
        char name[32] = "file";
        if (i > 0)
            snprintf(name, sizeof name, "file_%zu", i + 1);
        result_table_add_fact(table, name, TEXT(i < r->file_count ? r->files[i] : r->workload.path));
    }
    if (machines)
        result_table_add_fact(table, "against", TEXT(find_other(r)->files[0]));
    for (const struct estimate_session *s = r; s; s = s->next)
        add_rows(table, s, machines, varies);
    add_notes(table, r);
    return table;
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static const double LEFT = 80, TOP = 44, HEIGHT = 380, FOOT = 54, RIGHT = 24, SMALL = 250, TITLE = 24;

/* The first row is for a picture of one machine, the second one for several, which have a colour each. */
static const struct figure_style styles[2][SERIES] = {
    {{"detailed", SVG_INK, FIGURE_MARK, SVG_DISC},
     {"executed in SimGrid", SVG_BLUE, FIGURE_RING, SVG_SQUARE},
     {"estimated by arithmetic", SVG_VERMILION, FIGURE_RING, SVG_DIAMOND},
     {"time of the first row / nodes", SVG_MUTED, FIGURE_DASHED, SVG_DISC}},
    {{"detailed simulator", SVG_BLUE, FIGURE_MARK, SVG_DISC},
     {"executed", SVG_BLUE, FIGURE_RING, SVG_SQUARE},
     {"estimated", SVG_BLUE, FIGURE_DASHED, SVG_DIAMOND}},
};

static struct figure_style style_of(const struct estimate_session *r, unsigned k)
{
    struct figure_style style = styles[!is_alone(r)][k];
    style.colour = r->machine > 0 ? SVG_VERMILION : style.colour;
    return style;
}

static void draw_session(struct figure *f, const struct estimate_session *r)
{
    for (unsigned k = SERIES; k-- > 0;) {
        const struct figure_style style = style_of(r, k);
        const bool has_line = is_alone(r) ? k != DETAILED : k == ESTIMATED;
        figure_path(f, figure_stroke(&style).text);
        for (unsigned i = 0; i < r->count; i++)
            figure_to(f, r->rows[i].nodes, has_line ? time_of(r, i, k) : NAN);
        svg_path_end(f->svg);
        for (unsigned i = 0; i < r->count && style.key != FIGURE_DASHED; i++)
            if (!isnan(time_of(r, i, k)))
                figure_mark(f, r->rows[i].nodes, time_of(r, i, k), k == ESTIMATED ? 7 : 4.5, &style,
                            "%u nodes, %s%s%s: %s", r->rows[i].nodes, is_alone(r) ? "" : r->files[0],
                            is_alone(r) ? "" : ", ", style.text, figure_time(time_of(r, i, k)).text);
    }
}

/* The axes that all panels have. */
static void find_axes(const struct estimate_session *first, struct figure *f)
{
    double least = INFINITY, most = 0, few = INFINITY, many = 1;
    for (const struct estimate_session *r = first; r; r = r->next)
        for (unsigned i = 0; i < r->count; i++) {
            few = fmin(few, r->rows[i].nodes);
            many = fmax(many, r->rows[i].nodes);
            for (unsigned k = 0; k < SERIES; k++) {
                least = fmin(least, time_of(r, i, k));
                most = fmax(most, time_of(r, i, k));
            }
        }
    least = most > 0 ? least : 0.1;
    most = most > 0 ? most : 1;
    f->x = figure_axis_logarithmic(few, many > few ? many : 2 * few, "nodes");
    f->y = figure_axis_logarithmic(least / 1.05, most * 1.05, "simulated time [s]");
    f->x.least = few / 1.1;
    f->x.most = fmax(many, 2 * few) * 1.1;
    f->x.by_two = f->x.plain = true;
}

/* @return the number of entries of the legend */
static size_t find_legend(const struct estimate_session *first, struct figure_style *key, char (*texts)[120])
{
    size_t count = 0;
    for (const struct estimate_session *r = first; r; r = r->next)
        for (unsigned k = 0; k < SERIES && r->value == 0; k++)
            if (is_drawn(r, k)) {
                key[count] = style_of(r, k);
                snprintf(texts[count], 120, "%.80s%s%s", is_alone(r) ? "" : r->files[0],
                         is_alone(r) ? "" : ", ", key[count].text);
                key[count].text = texts[count];
                count++;
            }
    return count;
}

/* A panel for each value of what varies, all with the same axes; both machines are in each. */
static void draw(const void *report, struct svg *svg)
{
    const struct estimate_session *first = report;
    struct figure_style key[ESTIMATE_MACHINES * SERIES];
    char texts[ESTIMATE_MACHINES * SERIES][120];
    struct figure f = {svg};
    const size_t entries = find_legend(first, key, texts);
    unsigned values = 1;
    find_axes(first, &f);
    for (const struct estimate_session *r = first; r; r = r->next)
        values = r->value >= values ? r->value + 1 : values;
    const bool many = values > 1;
    const double legend = fmax(TOP, 12 + figure_draw_legend(NULL, 12, 6, FIGURE_WIDTH - 24, key, entries)),
                 height = many ? SMALL : HEIGHT, down = height + FOOT + (many ? TITLE : 0),
                 across = many ? FIGURE_WIDTH / 2 : FIGURE_WIDTH;
    svg_begin(svg, FIGURE_WIDTH, legend + ceil(values / 2.0) * down,
              "Simulated time over the number of nodes");
    figure_draw_legend(svg, 12, 6, FIGURE_WIDTH - 24, key, entries);
    for (unsigned value = 0; value < values; value++) {
        const double left = LEFT + (value % 2 ? across : 0),
                     top = legend + floor(value / 2.0) * down + (many ? TITLE : 0);
        figure_open(&f, left, top, across - LEFT - RIGHT, height);
        for (const struct estimate_session *r = first; r; r = r->next) {
            if (r->value != value)
                continue;
            if (many && r->machine == 0)
                svg_text(svg, left, top - 8, 13, SVG_START, "bold", r->varied);
            draw_session(&f, r);
        }
    }
    svg_end(svg);
}

/* --- the parts of the page ------------------------------------------------------------------------------- */

static void tell_errors(const struct estimate_session *r, FILE *out)
{
    double least = INFINITY, most = -INFINITY;
    unsigned count = 0;
    for (unsigned i = 0; i < r->count; i++) {
        if (isnan(r->rows[i].detailed_s))
            continue;
        count++;
        least = fmin(least, 100 * row_error(&r->rows[i]));
        most = fmax(most, 100 * row_error(&r->rows[i]));
    }
    if (count == 1)
        page_put(out, " The detailed simulator knows one row: the estimate is off by %+.1f%%.", most);
    else if (count > 1)
        page_put(out, " The detailed simulator knows %u rows: the estimate is off by %+.1f to %+.1f%%.",
                 count, least, most);
}

static void write_answer(const void *report, FILE *out)
{
    const struct estimate_session *r = report;
    const struct estimate_row *first = &r->rows[0], *last = &r->rows[r->count - 1];
    const char *plural = last->nodes == 1 ? "" : "s";
    double busy = 100 * last->limits.busy_s / row_time_s(last);
    char machines[400], name[400];
    fputs("<p class=\"answer\">", out);
    if (tell_machines(r, machines))
        page_put(out, "<strong>%s.</strong> ", machines);
    page_put(out, "%s<strong>%u node%s take%s %s", name_session(r, ": ", name), first->nodes,
             first->nodes == 1 ? "" : "s", first->nodes == 1 ? "s" : "", figure_time(row_time_s(first)).text);
    if (r->count > 1)
        page_put(out, ", %u nodes %s: %.3g times faster", last->nodes, figure_time(row_time_s(last)).text,
                 row_time_s(first) / row_time_s(last));
    if (is_serial(last))
        page_put(
            out,
            ".</strong> On %u node%s most of the time is serial: %.0f%% of it is the step &quot;%s&quot;, while "
            "what is busy longest, %s, works in %.0f%% of it.",
            last->nodes, plural, 100 * last->limits.serial_share, last->limits.serial, last->limits.busy,
            busy);
    else
        page_put(out, ".</strong> On %u node%s %s is busy longest, in %.0f%% of the time.", last->nodes,
                 plural, last->limits.busy, busy);
    tell_errors(r, out);
    fputs("</p>\n", out);
}

static void write_axes(const void *report, FILE *out)
{
    const struct estimate_session *r = report;
    page_put(out, "<p>Both axes are logarithmic%s.</p>\n",
             r->next ? ", and the same in all panels"
                     : ": time that falls as nodes grow is a line as steep as the dashed one");
}

static void write_numbers(const void *report, FILE *out)
{
    result_table_end(estimate_page_table(report), RESULT_HTML, out);
}

static void write_machine(const void *session, FILE *out)
{
    static const char *const columns[] = {"number", "value", "kind", "meaning"};
    static const int widths[] = {-1, 1, -1, -1};
    struct result_table *table =
        result_table_new_styled(columns, 4, &(struct result_style){.widths = widths});
    struct estimate_number n;
    for (unsigned i = 0; estimate_text_number(&((const struct estimate_session *)session)->text, i, &n); i++)
        result_table_add(table, TEXT(n.name), NUMBER(n.value), TEXT(n.object), TEXT(n.meaning));
    fputs(
        "<p>What its texts give, before it grows with the number of nodes. <code>--set</code> changes each.</p>\n",
        out);
    result_table_end(table, RESULT_HTML, out);
}

static const char words[] =
#include "app/estimate_words.inc"
    ;

enum { PARTS = 3, SECTIONS = 5 };

/* Machines that are compared are named below. */
static const char *find_title(const struct estimate_session *s, char title[200])
{
    const char *workload = s->file_count > 1 ? s->files[1] : "";
    const bool has_both = is_alone(s) && *workload;
    snprintf(title, 200, "%.80s%s%.80s", has_both || !*workload ? s->files[0] : "", has_both ? " × " : "",
             workload);
    return title;
}

/* @param out  of a part; NULL: the page of that path */
static int write_sections(const struct estimate_session *session, FILE *out, const char *path,
                          struct why *why)
{
    char title[200];
    const struct page_section sections[SECTIONS] = {
        {"answer", "The answer", write_answer, session},
        {"times", "Times", write_axes, session, .draw = draw},
        {"numbers", "The numbers", write_numbers, session},
        {"machine", "The machine", write_machine, session},
        {"words", "The words", page_words, words},
    };
    if (out)
        page_write_sections(sections, PARTS, out);
    return out ? 0
               : page_write(path, find_title(session, title),
                            "An estimate of a machine, a workload and a script in the manner of PetaSIM",
                            sections, SECTIONS, why);
}

void estimate_page_write_parts(const void *session, FILE *out)
{
    write_sections(session, out, NULL, NULL);
}

int estimate_page_write(const struct estimate_session *session, const char *path, struct why *why)
{
    return write_sections(session, NULL, path, why);
}

int estimate_page_plot(const struct estimate_session *session, const char *path, struct why *why)
{
    char title[200];
    return picture_save(draw, session, find_title(session, title), path, why);
}
