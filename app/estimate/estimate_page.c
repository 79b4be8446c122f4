#include "app/estimate/estimate_page.h"

#include <math.h>
#include <stdio.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"

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

static void find_times(const struct estimate_report *r, struct times *t)
{
    *t = (struct times){.count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        const struct estimate_row *row = &r->rows[i];
        const double times[SERIES] = {row->detailed_s, row->executed_s, row->estimated_s,
                                      estimate_row_time_s(&r->rows[0]) * r->rows[0].nodes / row->nodes};
        t->nodes[i] = row->nodes;
        for (unsigned k = 0; k < SERIES; k++) {
            t->s[k][i] = times[k] > 0 ? times[k] : NAN;
            t->has[k] |= k == IDEAL ? r->count > 1 : !isnan(times[k]);
        }
    }
}

static void draw_series(struct figure *f, const struct times *t, enum series which)
{
    if (lines[which])
        figure_line(f, t->nodes, t->s[which], t->count, lines[which]);
    for (unsigned i = 0; i < t->count && which != IDEAL; i++) {
        char time[32];
        if (!isnan(t->s[which][i]))
            figure_mark(f, t->nodes[i], t->s[which][i], 4.5, &styles[which], "%.0f nodes, %s: %s",
                        t->nodes[i], styles[which].text, figure_time(t->s[which][i], time));
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
    for (unsigned k = SERIES; k-- > 0;)
        if (k != IDEAL || t.count > 1)
            draw_series(&f, &t, k);
    svg_end(svg);
}

/* --- the parts of the page ------------------------------------------------------------------------------- */

static void tell_errors(const struct estimate_report *r, FILE *out)
{
    double least = INFINITY, most = -INFINITY;
    unsigned count = 0;
    for (unsigned i = 0; i < r->count; i++) {
        if (isnan(r->rows[i].detailed_s))
            continue;
        count++;
        least = fmin(least, 100 * estimate_row_error(&r->rows[i]));
        most = fmax(most, 100 * estimate_row_error(&r->rows[i]));
    }
    if (count == 1)
        page_put(out, " The detailed simulator knows one row: the estimate is off by %+.1f%%.", most);
    else if (count > 1)
        page_put(out, " The detailed simulator knows %u rows: the estimate is off by %+.1f to %+.1f%%.",
                 count, least, most);
}

static void write_answer(struct page *p, const void *report)
{
    const struct estimate_report *r = report;
    const struct estimate_row *first = &r->rows[0], *last = &r->rows[r->count - 1];
    const char *plural = last->nodes == 1 ? "" : "s";
    double busy = 100 * last->limit_s / estimate_row_time_s(last);
    char time[32];
    page_put(p->out, "<p class=\"answer\"><strong>%u node%s take%s %s", first->nodes,
             first->nodes == 1 ? "" : "s", first->nodes == 1 ? "s" : "",
             figure_time(estimate_row_time_s(first), time));
    if (r->count > 1)
        page_put(p->out, ", %u nodes %s: %.3g times faster", last->nodes,
                 figure_time(estimate_row_time_s(last), time),
                 estimate_row_time_s(first) / estimate_row_time_s(last));
    if (estimate_row_is_serial(last))
        page_put(
            p->out,
            ".</strong> On %u node%s most of the time is serial: %.0f%% of it is the step &quot;%s&quot;, while "
            "what is busy longest, %s, works in %.0f%% of it.",
            last->nodes, plural, 100 * last->serial_share, last->serial, last->limit, busy);
    else
        page_put(p->out, ".</strong> On %u node%s %s is busy longest, in %.0f%% of the time.", last->nodes,
                 plural, last->limit, busy);
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
    page_table(p, estimate_report_table(report));
}

static struct result_cell number_or_none(double value)
{
    return NUMBER(value > 0 ? value : NAN);
}

static void write_machine(struct page *p, const void *text)
{
    static const char *const nodeset_columns[] = {
        "nodeset", "type", "number", "bandwidth [B/s]", "floatspeed [1/s]", "grainsize [B]"};
    static const char *const linkset_columns[] = {"linkset",         "from",       "to", "duplex",
                                                  "bandwidth [B/s]", "latency [s]"};
    static const int widths[] = {-1, -1, 1, 1, 1, 1}, link_widths[] = {-1, -1, -1, -1, 1, 1};
    const struct estimate_text *t = text;
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

static const char *const words[][2] = {
    {"detailed",
     "The time of the detailed simulator: of the run that the workload is of, or of a re-timing of its record."},
    {"executed",
     "The script in SimGrid: an actor for each member that computes and for each flow of data. Flows that "
     "meet on a link share it at every moment."},
    {"estimated",
     "Arithmetic on classes of equal members: between two synchronize, the largest sum of work on a "
     "resource, and the first piece's way through the chain."},
    {"error",
     "How far the estimate is from the detailed time, or, where there is none, from the executed one."},
    {"limit", "The resource or CPU that is busy longest, by arithmetic."},
};

static const struct page_words explained = {
    words, sizeof words / sizeof words[0],
    "<code>mercury help estimate</code> says what the words of the texts mean."};

enum { PARTS = 3, SECTIONS = 5 };

static int write_sections(const struct estimate_report *report, const struct estimate_text *text, FILE *out,
                          const char *path, struct why *why)
{
    const struct page_section sections[SECTIONS] = {
        {"answer", "The answer", write_answer, report, NULL},
        {"times", "Times", write_picture, report, NULL},
        {"numbers", "The numbers", write_numbers, report, NULL},
        {"machine", "The machine", write_machine, text, NULL},
        {"words", "The words", page_words, &explained, NULL},
    };
    return out ? page_write_sections(sections, PARTS, out)
               : page_write(path, "An estimate",
                            "A machine, a workload and a script in the manner of PetaSIM", sections, SECTIONS,
                            why);
}

int estimate_page_write_parts(const struct estimate_report *report, FILE *out)
{
    return write_sections(report, NULL, out, NULL, NULL);
}

int estimate_page_write(const struct estimate_report *report, const struct estimate_text *text,
                        const char *path, struct why *why)
{
    return write_sections(report, text, NULL, path, why);
}
