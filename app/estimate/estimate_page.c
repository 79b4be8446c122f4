#include "app/estimate/estimate_page.h"

#include <math.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"

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
static unsigned find_disagreeing(const struct estimate_session *r, double *widest, unsigned *differences)
{
    unsigned count = 0;
    *widest = 0;
    *differences = 0;
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

static void add_notes(struct result_table *table, const struct estimate_session *r)
{
    double widest;
    unsigned differences, apart = find_disagreeing(r, &widest, &differences);
    const struct estimate_row *row = r->rows, *last = &r->rows[r->count - 1];
    while (row < last && isnan(row->detailed_s))
        row++;
    result_table_note(table, "times are simulated seconds; the error is that of the estimated time, against");
    result_table_note(table, "%s",
                      isnan(row->detailed_s) ? "the executed one"
                                             : "the detailed one or, where there is none, the executed one");
    result_table_note(table, "limit: what is busy longest, by arithmetic, and in which share of the time");
    if (is_serial(last))
        result_table_note(table, "serial: on %u nodes %.0f%% of the time is '%s'", last->nodes,
                          100 * last->limits.serial_share, last->limits.serial);
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

struct result_table *estimate_page_table(const struct estimate_session *r)
{
    static const char *columns[ESTIMATE_COLUMNS]; /* a table borrows them */
    static int widths[ESTIMATE_COLUMNS];
    for (unsigned i = 0; i < ESTIMATE_COLUMNS; i++) {
        columns[i] = estimate_columns[i].name;
        widths[i] = estimate_columns[i].width;
    }
    struct result_table *table = result_table_new_styled(
        columns, r->wall ? ESTIMATE_COLUMNS : ESTIMATE_COLUMNS - ESTIMATE_WALL_COLUMNS,
        &(struct result_style){.widths = widths, .schema = "mercury-estimate-1"});
    for (size_t i = 0; i < r->file_count + (r->from != NULL); i++) {
        char name[32] = "file";
        if (i > 0)
            snprintf(name, sizeof name, "file_%zu", i + 1);
        result_table_add_fact(table, name, TEXT(i < r->file_count ? r->files[i] : r->workload.path));
    }
    for (const struct estimate_row *row = r->rows; row < r->rows + r->count; row++) {
        result_table_add(table, NUMBER(row->nodes), NUMBER(row->detailed_s), NUMBER(row->executed_s),
                         NUMBER(row->estimated_s), NUMBER(100 * row_error(row)), TEXT(row->limits.busy),
                         NUMBER(100 * row->limits.busy_s / row_time_s(row)));
        if (r->wall)
            result_table_add(table, NUMBER(row->detailed_wall_s), NUMBER(row->executed_wall_s),
                             NUMBER(row->estimated_wall_s));
    }
    add_notes(table, r);
    return table;
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static const double LEFT = 80, TOP = 44, HEIGHT = 380, FOOT = 54, RIGHT = 24;

enum series { DETAILED, EXECUTED, ESTIMATED, IDEAL, SERIES };

static const struct figure_style styles[SERIES] = {
    [DETAILED] = {"detailed", SVG_INK, FIGURE_MARK, SVG_DISC},
    [EXECUTED] = {"executed in SimGrid", SVG_BLUE, FIGURE_RING, SVG_SQUARE},
    [ESTIMATED] = {"estimated by arithmetic", SVG_VERMILION, FIGURE_RING, SVG_DIAMOND},
    [IDEAL] = {"time of the first row / nodes", SVG_MUTED, FIGURE_DASHED, SVG_DISC},
};

/* Classes of lines; NULL: marks alone. */
static const char *const lines[SERIES] = {[EXECUTED] = "s6 w2", [ESTIMATED] = "s7 w2", [IDEAL] = "s2 dash"};

/* Points of the picture; NaN: none. */
struct times {
    unsigned count;
    double nodes[ESTIMATE_ROWS_MAX], s[SERIES][ESTIMATE_ROWS_MAX];
    bool has[SERIES];
};

static void find_times(const struct estimate_session *r, struct times *t)
{
    *t = (struct times){.count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        const struct estimate_row *row = &r->rows[i];
        const double times[SERIES] = {row->detailed_s, row->executed_s, row->estimated_s,
                                      row_time_s(&r->rows[0]) * r->rows[0].nodes / row->nodes};
        t->nodes[i] = row->nodes;
        for (unsigned k = 0; k < SERIES; k++) {
            t->s[k][i] = times[k] > 0 ? times[k] : NAN;
            t->has[k] |= k == IDEAL ? r->count > 1 : !isnan(times[k]);
        }
    }
}

static void draw(const void *report, struct svg *svg)
{
    struct times t;
    struct figure_style key[SERIES];
    double least = INFINITY, most = 0, few = INFINITY, many = 1;
    size_t entries = 0;
    find_times(report, &t);
    for (unsigned i = 0; i < t.count; i++) {
        few = fmin(few, t.nodes[i]);
        many = fmax(many, t.nodes[i]);
        for (unsigned k = 0; k < SERIES; k++) {
            least = fmin(least, t.s[k][i]);
            most = fmax(most, t.s[k][i]);
        }
    }
    least = most > 0 ? least : 0.1;
    most = most > 0 ? most : 1;
    struct figure f = {svg, figure_axis_logarithmic(few, many > few ? many : 2 * few, "nodes"),
                       figure_axis_logarithmic(least / 1.05, most * 1.05, "simulated time [s]")};
    f.x.least = few / 1.1;
    f.x.most = fmax(many, 2 * few) * 1.1;
    f.x.by_two = f.x.plain = true;
    svg_begin(svg, FIGURE_WIDTH, TOP + HEIGHT + FOOT, "Simulated time over the number of nodes");
    for (unsigned k = 0; k < SERIES; k++)
        if (t.has[k])
            key[entries++] = styles[k];
    figure_draw_legend(svg, 12, 6, FIGURE_WIDTH - 24, key, entries);
    figure_open(&f, LEFT, TOP, FIGURE_WIDTH - LEFT - RIGHT, HEIGHT);
    for (unsigned k = SERIES; k-- > 0;) {
        if (lines[k] && (k != IDEAL || t.count > 1))
            figure_line(&f, t.nodes, t.s[k], t.count, lines[k]);
        for (unsigned i = 0; i < t.count && k != IDEAL; i++) {
            char time[32];
            if (!isnan(t.s[k][i]))
                figure_mark(&f, t.nodes[i], t.s[k][i], 4.5, &styles[k], "%.0f nodes, %s: %s", t.nodes[i],
                            styles[k].text, figure_time(t.s[k][i], time));
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

static void write_answer(struct page *p, const void *report)
{
    const struct estimate_session *r = report;
    const struct estimate_row *first = &r->rows[0], *last = &r->rows[r->count - 1];
    const char *plural = last->nodes == 1 ? "" : "s";
    double busy = 100 * last->limits.busy_s / row_time_s(last);
    char time[32];
    page_put(p->out, "<p class=\"answer\"><strong>%u node%s take%s %s", first->nodes,
             first->nodes == 1 ? "" : "s", first->nodes == 1 ? "s" : "",
             figure_time(row_time_s(first), time));
    if (r->count > 1)
        page_put(p->out, ", %u nodes %s: %.3g times faster", last->nodes, figure_time(row_time_s(last), time),
                 row_time_s(first) / row_time_s(last));
    if (is_serial(last))
        page_put(
            p->out,
            ".</strong> On %u node%s most of the time is serial: %.0f%% of it is the step &quot;%s&quot;, while "
            "what is busy longest, %s, works in %.0f%% of it.",
            last->nodes, plural, 100 * last->limits.serial_share, last->limits.serial, last->limits.busy,
            busy);
    else
        page_put(p->out, ".</strong> On %u node%s %s is busy longest, in %.0f%% of the time.", last->nodes,
                 plural, last->limits.busy, busy);
    tell_errors(r, p->out);
    fputs("</p>\n", p->out);
}

static void write_picture(struct page *p, const void *report)
{
    fputs(
        "<p>Both axes are logarithmic: time that falls as nodes grow is a line as steep as the dashed one.</p>\n",
        p->out);
    page_picture(p, draw, report);
}

static void write_numbers(struct page *p, const void *report)
{
    page_table(p, estimate_page_table(report));
}

static struct result_cell number_or_none(double value)
{
    return NUMBER(value > 0 ? value : NAN);
}

static void write_machine(struct page *p, const void *session)
{
    static const char *const nodeset_columns[] = {
        "nodeset", "type", "number", "bandwidth [B/s]", "floatspeed [1/s]", "grainsize [B]"};
    static const char *const linkset_columns[] = {"linkset",         "from",       "to", "duplex",
                                                  "bandwidth [B/s]", "latency [s]"};
    static const int widths[] = {-1, -1, 1, 1, 1, 1}, link_widths[] = {-1, -1, -1, -1, 1, 1};
    const struct estimate_text *t = &((const struct estimate_session *)session)->text;
    struct result_table *nodesets =
        result_table_new_styled(nodeset_columns, 6, &(struct result_style){.widths = widths});
    struct result_table *linksets =
        result_table_new_styled(linkset_columns, 6, &(struct result_style){.widths = link_widths});
    for (unsigned i = 0; i < t->nodeset_count; i++) {
        const struct estimate_nodeset *n = &t->nodesets[i];
        result_table_add(nodesets, TEXT(n->object.name), TEXT(estimate_text_type_name(n->type)),
                         NUMBER(n->number), number_or_none(n->bandwidth), number_or_none(n->floatspeed),
                         number_or_none(n->grainsize));
    }
    for (unsigned i = 0; i < t->linkset_count; i++) {
        const struct estimate_linkset *l = &t->linksets[i];
        result_table_add(linksets, TEXT(l->object.name), TEXT(t->nodesets[l->from].object.name),
                         TEXT(t->nodesets[l->to].object.name),
                         TEXT(l->duplex == ESTIMATE_FULL ? "full" : "half"), number_or_none(l->bandwidth),
                         NUMBER(l->latency_s));
    }
    fputs("<p>As its text gives it, before it grows with the number of nodes.</p>\n", p->out);
    page_table(p, nodesets);
    page_table(p, linksets);
}

static const char words[] =
#include "app/estimate_words.inc"
    ;

enum { PARTS = 3, SECTIONS = 5 };

static int write_sections(const struct estimate_session *session, FILE *out, const char *path,
                          struct why *why)
{
    const struct page_section sections[SECTIONS] = {
        {"answer", "The answer", write_answer, session, NULL},
        {"times", "Times", write_picture, session, NULL},
        {"numbers", "The numbers", write_numbers, session, NULL},
        {"machine", "The machine", write_machine, session, NULL},
        {"words", "The words", page_words, words, NULL},
    };
    return out ? page_write_sections(sections, PARTS, out)
               : page_write(path, "An estimate",
                            "A machine, a workload and a script in the manner of PetaSIM", sections, SECTIONS,
                            why);
}

int estimate_page_write_parts(const struct estimate_session *session, FILE *out)
{
    return write_sections(session, out, NULL, NULL);
}

int estimate_page_write(const struct estimate_session *session, const char *path, struct why *why)
{
    return write_sections(session, NULL, path, why);
}
