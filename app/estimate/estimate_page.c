#include "app/estimate/estimate_page.h"

#include <math.h>
#include <stdio.h>

#include "base/draw/chart.h"
#include "base/command.h"
#include "app/report/report_page.h"
#include "app/report/report_part.h"

struct page {
    const struct estimate_report *report;
    const struct estimate_text *text;
    FILE *out;
    int status; /* of the tables, whose only error is memory */
};

/* --- the picture ----------------------------------------------------------------------------------------- */

static const double LEFT = 80, TOP = 44, HEIGHT = 380, FOOT = 54, RIGHT = 24;

enum series { DETAILED, EXECUTED, ESTIMATED, IDEAL, SERIES };

static const struct {
    const char *text;
    enum svg_colour colour;
    enum svg_shape shape;
    const char *line; /* class */
} series[SERIES] = {
    [DETAILED] = {"detailed", SVG_INK, SVG_DISC, NULL},
    [EXECUTED] = {"executed in SimGrid", SVG_BLUE, SVG_SQUARE, "s6 w2"},
    [ESTIMATED] = {"estimated by arithmetic", SVG_VERMILION, SVG_DIAMOND, "s7 w2"},
    [IDEAL] = {"time of the first row / nodes", SVG_MUTED, SVG_DISC, "s2 dash"},
};

static double value_of(const struct estimate_report *r, const struct estimate_row *row, enum series which)
{
    const struct estimate_row *first = &r->rows[0];
    return which == DETAILED    ? row->detailed_s
           : which == EXECUTED  ? row->executed_s
           : which == ESTIMATED ? row->estimated_s
                                : estimate_row_time_s(first) * first->nodes / row->nodes;
}

static void draw_series(const struct chart *c, const struct estimate_report *r, enum series which)
{
    double x[ESTIMATE_ROWS_MAX], y[ESTIMATE_ROWS_MAX];
    for (unsigned i = 0; i < r->count; i++) {
        x[i] = r->rows[i].nodes;
        y[i] = value_of(r, &r->rows[i], which);
        y[i] = y[i] > 0 ? y[i] : NAN;
    }
    if (series[which].line)
        chart_draw_line(c, x, y, r->count, series[which].line);
    for (unsigned i = 0; i < r->count && which != IDEAL; i++) {
        char time[32], tip[120];
        if (isnan(y[i]))
            continue;
        snprintf(tip, sizeof tip, "%u nodes, %s: %s", r->rows[i].nodes, series[which].text,
                 report_time(y[i], time));
        svg_mark(c->svg, chart_place(&c->x, x[i]), chart_place(&c->y, y[i]), 4.5, series[which].shape,
                 series[which].colour, which != DETAILED, tip);
    }
}

static void draw_key(struct svg *svg, const struct estimate_report *r)
{
    struct chart_legend_entry entries[SERIES];
    unsigned count = 0;
    for (unsigned i = 0; i < SERIES; i++) {
        bool any = i == IDEAL && r->count > 1;
        for (unsigned k = 0; k < r->count && i != IDEAL; k++)
            any |= !isnan(value_of(r, &r->rows[k], i));
        if (any)
            entries[count++] = (struct chart_legend_entry){series[i].text, series[i].colour,
                                                           i == IDEAL      ? CHART_KEY_DASHED
                                                           : i == DETAILED ? CHART_KEY_MARK
                                                                           : CHART_KEY_OPEN_MARK,
                                                           series[i].shape};
    }
    chart_draw_legend(svg, 12, 6, REPORT_WIDTH - 24, entries, count);
}

static void draw(const struct estimate_report *r, struct svg *svg)
{
    double least = INFINITY, most = 0, few = INFINITY, many = 1;
    for (unsigned i = 0; i < r->count; i++) {
        few = fmin(few, r->rows[i].nodes);
        many = fmax(many, r->rows[i].nodes);
        for (unsigned k = 0; k < SERIES; k++) {
            double value = value_of(r, &r->rows[i], k);
            least = value > 0 ? fmin(least, value) : least;
            most = value > 0 ? fmax(most, value) : most;
        }
    }
    least = most > 0 ? least : 0.1;
    most = most > 0 ? most : 1;
    struct chart c = {svg, chart_axis_logarithmic(few, many > few ? many : 2 * few, "nodes"),
                      chart_axis_logarithmic(least / 1.05, most * 1.05, "simulated time [s]")};
    c.x.least = few / 1.1;
    c.x.most = fmax(many, 2 * few) * 1.1;
    c.x.by_two = c.x.plain = true;
    svg_begin(svg, REPORT_WIDTH, TOP + HEIGHT + FOOT, "Simulated time over the number of nodes");
    draw_key(svg, r);
    chart_put(&c, LEFT, TOP, REPORT_WIDTH - LEFT - RIGHT, HEIGHT);
    chart_draw_axes(&c);
    for (unsigned i = SERIES; i > 0; i--)
        if (i - 1 != IDEAL || r->count > 1)
            draw_series(&c, r, i - 1);
    svg_end(svg);
}

/* --- the parts of the page ------------------------------------------------------------------------------- */

static void tell_errors(const struct page *p)
{
    const struct estimate_report *r = p->report;
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
        report_text(p->out, " The detailed simulator knows one row: the estimate is off by %+.1f%%.", most);
    else if (count > 1)
        report_text(p->out, " The detailed simulator knows %u rows: the estimate is off by %+.1f to %+.1f%%.",
                    count, least, most);
}

static void write_answer(const struct page *p)
{
    const struct estimate_report *r = p->report;
    const struct estimate_row *first = &r->rows[0], *last = &r->rows[r->count - 1];
    char begin[32], end[32];
    fputs("<section id=\"answer\">\n<h2>The answer</h2>\n<p class=\"answer\"><strong>", p->out);
    report_text(p->out, "%u node%s take%s %s", first->nodes, first->nodes == 1 ? "" : "s",
                first->nodes == 1 ? "s" : "", report_time(estimate_row_time_s(first), begin));
    if (r->count > 1)
        report_text(p->out, ", %u nodes %s: %.3g times faster", last->nodes,
                    report_time(estimate_row_time_s(last), end),
                    estimate_row_time_s(first) / estimate_row_time_s(last));
    fputs(".</strong> ", p->out);
    const char *plural = last->nodes == 1 ? "" : "s";
    double busy = 100 * last->limit_s / estimate_row_time_s(last);
    if (estimate_row_is_serial(last))
        report_text(
            p->out,
            "On %u node%s most of the time is serial: %.0f%% of it is the step \"%s\", while what is busy "
            "longest, %s, works in %.0f%% of it.",
            last->nodes, plural, 100 * last->serial_share, last->serial, last->limit, busy);
    else
        report_text(p->out, "On %u node%s %s is busy longest, in %.0f%% of the time.", last->nodes, plural,
                    last->limit, busy);
    tell_errors(p);
    fputs("</p>\n</section>\n", p->out);
}

static void write_picture(const struct page *p)
{
    struct svg svg = {.out = p->out, .in_page = true};
    fputs(
        "<section id=\"times\">\n<h2>Times</h2>\n<p>Both axes are logarithmic: time that falls as nodes grow is a "
        "line as steep as the dashed one.</p>\n<figure>\n",
        p->out);
    draw(p->report, &svg);
    fputs("</figure>\n</section>\n", p->out);
}

static void write_numbers(struct page *p)
{
    fputs("<section id=\"numbers\">\n<h2>The numbers</h2>\n", p->out);
    p->status |= result_table_end_html(estimate_report_table(p->report), p->out);
    fputs("</section>\n", p->out);
}

static struct result_cell number_or_none(double value)
{
    return NUMBER(value > 0 ? value : NAN);
}

static void write_machine(struct page *p)
{
    static const char *const nodeset_columns[] = {
        "nodeset", "type", "number", "bandwidth [B/s]", "floatspeed [1/s]", "grainsize [B]"};
    static const char *const linkset_columns[] = {"linkset",         "from",       "to", "duplex",
                                                  "bandwidth [B/s]", "latency [s]"};
    static const int widths[] = {-1, -1, 1, 1, 1, 1}, link_widths[] = {-1, -1, -1, -1, 1, 1};
    const struct estimate_text *t = p->text;
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
    fputs(
        "<section id=\"machine\">\n<h2>The machine</h2>\n<p>As its text gives it, before it grows with the number of "
        "nodes.</p>\n",
        p->out);
    p->status |= result_table_end_html(nodesets, p->out);
    p->status |= result_table_end_html(linksets, p->out);
    fputs("</section>\n", p->out);
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

static void write_page(struct page *p)
{
    report_page_begin("An estimate", "A machine, a workload and a script in the manner of PetaSIM", p->out);
    fputs(
        "<nav><a href=\"#answer\">The answer</a> · <a href=\"#times\">Times</a> · <a href=\"#numbers\">The numbers</a> "
        "· <a href=\"#machine\">The machine</a> · <a href=\"#words\">The words</a></nav>\n",
        p->out);
    write_answer(p);
    write_picture(p);
    write_numbers(p);
    write_machine(p);
    report_page_write_words(words, sizeof words / sizeof words[0],
                            "<code>mercury help estimate</code> says what the words of the texts mean.",
                            p->out);
    report_page_end(p->out);
}

static int write_content(void *page, FILE *out, struct why *why)
{
    struct page *p = page;
    p->out = out;
    write_page(p);
    return p->status ? why_no_memory(why, COMMAND_FAILED) : 0;
}

int estimate_page_write_parts(const struct estimate_report *report, const struct estimate_text *text,
                              FILE *out)
{
    struct page p = {.report = report, .text = text, .out = out};
    write_answer(&p);
    write_picture(&p);
    write_numbers(&p);
    return p.status ? -1 : 0;
}

int estimate_page_write(const struct estimate_report *report, const struct estimate_text *text,
                        const char *path, struct why *why)
{
    return report_page_write_file(path, write_content, &(struct page){.report = report, .text = text}, why);
}
