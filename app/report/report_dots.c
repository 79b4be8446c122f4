/* Where the alignments are: a dot plot, and the best of them as a table.
 *
 * Axes      positions in the database and in the query, record after record, with a line between records. Without
 *           records.tsv a record is as long as its last alignment. Of a database 100 times as long as the query the
 *           part with alignments is shown.
 * Strands   differ by colour, and by slope: the query's minus strand runs down.
 * Many      an alignment that is shorter than a pixel, on a pixel that has one of its strand, is left out; LINES_MAX
 *           lines are drawn at most, the longest ones.
 */
#include "app/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/figure.h"
#include "base/printable.h"
#include "app/prose.inc"

enum { LINES_MAX = 20000, BEST = 20, MANY = 3000 };

static const double LEFT = 84, RIGHT = 24, TOP = 52, BOTTOM = 50, HEIGHT_MOST = 760, HEIGHT_LEAST = 430;

/* --- places of records ----------------------------------------------------------------------------------- */

/* The records of one side, in the order of their places, and their names in the order of a search. */
struct side {
    struct run_record *records;
    const struct run_record **by_name;
    size_t count;
    double bases, from, to; /* the part that is shown */
    double per;             /* bases of a unit of the axis */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct run_record *const *)a)->name, (*(const struct run_record *const *)b)->name);
}

static const struct run_record *find_record(const struct side *side, const char *name)
{
    const struct run_record key = {.name = (char *)name}, *pointer = &key;
    const struct run_record *const *found =
        side->count ? bsearch(&pointer, side->by_name, side->count, sizeof *side->by_name, compare_names)
                    : NULL;
    return found ? *found : NULL;
}

static bool open_side(const struct run_records *records, struct side *side)
{
    *side = (struct side){.records = records->items, .count = records->count};
    if (side->count > 0)
        side->bases = side->records[side->count - 1].before + side->records[side->count - 1].bases;
    side->by_name = malloc((side->count + 1) * sizeof *side->by_name);
    for (size_t i = 0; side->by_name && i < side->count; i++)
        side->by_name[i] = &side->records[i];
    if (side->by_name)
        qsort(side->by_name, side->count, sizeof *side->by_name, compare_names);
    return side->by_name;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* An alignment in positions of both sides; y runs down if it is of the query's minus strand. */
struct dot_line {
    double x1, y1, x2, y2;
    bool minus;
};

struct plot {
    const struct run_files *run;
    struct side query, database;
    struct figure f;
    unsigned char *pixels; /* whether a line of a strand lies there: bit 0 plus, bit 1 minus */
    size_t columns, rows;
    size_t drawn;
};

/* Find where an alignment lies. @return whether its records are known */
static bool place_hit(const struct plot *p, const struct hit *hit, struct dot_line *line)
{
    const struct run_record *query = find_record(&p->query, hit->query);
    const struct run_record *subject = find_record(&p->database, hit->subject);
    if (!query || !subject)
        return false;
    bool minus = hit->strand == STRAND_MINUS;
    /* positions of the minus strand are negative, so that both sides grow along the alignment */
    double first = minus ? (double)-hit->query_begin : (double)hit->query_begin;
    double last = minus ? (double)-hit->query_end : (double)hit->query_end;
    *line = (struct dot_line){subject->before + (double)hit->subject_begin, query->before + first,
                              subject->before + (double)hit->subject_end, query->before + last, minus};
    return true;
}

/* A line shorter than a pixel is left out where another one of its strand lies. */
static void draw_line(struct plot *p, const struct dot_line *line)
{
    double x1 = figure_x(&p->f, line->x1 / p->database.per), y1 = figure_y(&p->f, line->y1 / p->query.per);
    double x2 = figure_x(&p->f, line->x2 / p->database.per), y2 = figure_y(&p->f, line->y2 / p->query.per);
    size_t column = (size_t)(x1 - p->f.x.from), row = (size_t)(y1 - p->f.y.to);
    if (column < p->columns && row < p->rows) {
        unsigned char bit = line->minus ? 2 : 1, *pixel = &p->pixels[row * p->columns + column];
        bool covered = *pixel & bit && fabs(x2 - x1) < 1 && fabs(y2 - y1) < 1;
        *pixel |= bit;
        if (covered)
            return;
    }
    if (fabs(x2 - x1) < 0.01 && fabs(y2 - y1) < 0.01)
        x2 = x1 + 0.01; /* a line without length would not be drawn */
    p->drawn++;
    svg_move(p->f.svg, x1, y1);
    svg_to(p->f.svg, x2, y2);
}

/* The table is sorted by score, so that its first lines are the longest. */
static void draw_strand(struct plot *p, bool minus)
{
    const struct hit_table *hits = &p->run->hits;
    char class[32];
    snprintf(class, sizeof class, "%s %s round", minus ? "s7" : "s6", hits->count > MANY ? "w2" : "w3");
    svg_path_begin(p->f.svg, class);
    for (size_t i = 0; i < hits->count && p->drawn < LINES_MAX; i++) {
        struct dot_line line;
        if (place_hit(p, &hits->hits[i], &line) && line.minus == minus)
            draw_line(p, &line);
    }
    svg_path_end(p->f.svg);
}

/* --- axes ------------------------------------------------------------------------------------------------ */

/* Lines between records; those that lie closer than NARROW pixels to the one before are left out. */
static void draw_borders(const struct plot *p, const struct side *side, bool along_x)
{
    static const double NARROW = 3;
    const struct figure *f = &p->f;
    double last = NAN;
    for (const struct run_record *r = side->records; r < side->records + side->count; r++) {
        const struct figure_axis *axis = along_x ? &f->x : &f->y;
        const double at = figure_place(axis, r->before / side->per),
                     end = figure_place(axis, (r->before + r->bases) / side->per);
        const int letters = (int)((end - at - 6) / 6.2); /* as many as stand above its part of the axis */
        if (r > side->records && !(fabs(at - last) < NARROW) && fabs(at - axis->from) > 0.01 &&
            fabs(at - axis->to) > 0.01) {
            svg_line(f->svg, along_x ? at : f->x.from, along_x ? f->y.to : at, along_x ? at : f->x.to,
                     along_x ? f->y.from : at, "s3 dash");
            last = at;
        }
        if (along_x && side->count > 1 && letters >= 6)
            svg_textf(f->svg, at + 3, f->y.to - 6, 10, SVG_START, "f2", "%.*s",
                      (int)printable_fit(r->name, (size_t)letters), r->name);
    }
}

/* The axis of a side, in units of its bases. @param title  out: 160 bytes */
static struct figure_axis axis_of(struct side *side, const char *what, char *title)
{
    const char *unit = side->bases >= 1e6 ? "Mb" : side->bases >= 1e4 ? "kb" : "bases";
    const double per = side->bases >= 1e6 ? 1e6 : side->bases >= 1e4 ? 1e3 : 1;
    if (side->count == 1)
        snprintf(title, 160, "position in %s, %.*s [%s]", what, (int)printable_fit(side->records[0].name, 40),
                 side->records[0].name, unit);
    else
        snprintf(title, 160, "position in %s, %zu records one after the other [%s]", what, side->count, unit);
    side->per = per;
    return (struct figure_axis){.least = side->from / per, .most = side->to / per, .title = title};
}

/* What has alignments is shown, with a margin, if the database is MANY_TIMES as long as the query. */
static void find_part(struct plot *p)
{
    static const double MANY_TIMES = 100, PART = 0.05;
    struct dot_line line;
    double from = INFINITY, to = 0;
    p->query.to = p->query.bases;
    p->database.to = p->database.bases;
    for (size_t i = 0; i < p->run->hits.count && p->database.bases >= MANY_TIMES * p->query.bases; i++)
        if (place_hit(p, &p->run->hits.hits[i], &line)) {
            from = fmin(from, line.x1);
            to = fmax(to, line.x2);
        }
    if (to > from) {
        p->database.from = fmax(0, from - PART * (to - from));
        p->database.to = fmin(p->database.bases, to + PART * (to - from));
    }
}

static void draw_plot(struct plot *p, struct svg *svg)
{
    static const struct figure_style strands[] = {{"plus strand of the query", SVG_BLUE, FIGURE_LINE},
                                                  {"minus strand of the query", SVG_VERMILION, FIGURE_LINE}};
    char x_title[160], y_title[160];
    double width = FIGURE_WIDTH - LEFT - RIGHT;
    find_part(p);
    double height =
        fmin(HEIGHT_MOST, fmax(HEIGHT_LEAST, width * p->query.bases / (p->database.to - p->database.from)));
    p->f = (struct figure){svg, axis_of(&p->database, "the database", x_title),
                           axis_of(&p->query, "the query", y_title)};
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM, "Dot plot of the alignments");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, strands, 2);
    figure_open(&p->f, LEFT, TOP, width, height);
    draw_borders(p, &p->database, true);
    draw_borders(p, &p->query, false);
    p->columns = (size_t)width + 1;
    p->rows = (size_t)height + 1;
    p->pixels = calloc(p->columns * p->rows, 1);
    for (int minus = 0; minus < 2 && p->pixels; minus++)
        draw_strand(p, minus);
    free(p->pixels);
    svg_textf(svg, FIGURE_WIDTH - RIGHT, 16, 11, SVG_END, "f2",
              p->drawn == p->run->hits.count ? "%zu alignments"
              : p->drawn < LINES_MAX ? "%zu of %zu alignments; the others, shorter than a pixel, lie on them"
                                     : "the longest %zu of %zu alignments",
              p->drawn, p->run->hits.count);
    svg_end(svg);
}

static void draw(const void *data, struct svg *svg)
{
    const struct run_files *run = data;
    struct plot plot = {.run = run};
    if (open_side(&run->query, &plot.query) && open_side(&run->database, &plot.database))
        draw_plot(&plot, svg);
    free(plot.query.by_name);
    free(plot.database.by_name);
}

/* Positions as BLAST's tables have them: from 1, and falling on the minus strand of the query's subject. */
static void write_hit(const struct hit *hit, FILE *out)
{
    bool minus = hit->strand == STRAND_MINUS;
    int64_t begin = minus ? 1 - hit->query_end : hit->query_begin + 1,
            end = minus ? -hit->query_begin : hit->query_end;
    page_put(out, "<tr><td>%.*s</td><td>%.*s</td>", (int)printable_fit(hit->query, 60), hit->query,
             (int)printable_fit(hit->subject, 60), hit->subject);
    fprintf(out,
            "<td>%s</td><td class=\"n\">%.2f</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRId64
            "–%" PRId64 "</td><td class=\"n\">%" PRId64 "–%" PRId64
            "</td><td class=\"n\">%.3g</td><td class=\"n\">%.*f</td></tr>\n",
            minus ? "minus" : "plus", hit->identity, hit->columns, begin, end, hit->subject_begin + 1,
            hit->subject_end, hit->e_value, hit->bits < 1000 ? 1 : 0, hit->bits);
}

static int compare_bits(const void *a, const void *b)
{
    const struct hit *left = *(const struct hit *const *)a, *right = *(const struct hit *const *)b;
    if (left->bits != right->bits)
        return left->bits < right->bits ? 1 : -1;
    return left->line < right->line ? -1 : left->line > right->line;
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    if (!run->alignments_name)
        return "The directory has no alignments.";
    if (!run->has_hits)
        return strcmp(run->alignments_name, "alignments.tsv") == 0
                   ? "The alignments are in alignments.tsv, with columns of your choice. A dot plot needs the twelve "
                     "standard columns (-f 6)."
                   : "The alignments are in a format of your choice. A dot plot needs a table (-f 6).";
    if (run->hits.count == 0)
        return "No alignment is significant enough: a larger E-value (-e), another threshold of stage 2 (--set "
               "stage2.threshold) or other scores (--scores) may find weaker ones.";
    return run->query.count > 0 && run->database.count > 0
               ? NULL
               : "This run has no records.tsv: an older version of Mercury wrote it.";
}

static void follow(const struct run_files *run, FILE *out)
{
    const struct hit_table *hits = &run->hits;
    const struct hit **best = malloc((hits->count + 1) * sizeof *best);
    if (!best)
        return;
    for (size_t i = 0; i < hits->count; i++)
        best[i] = &hits->hits[i];
    qsort(best, hits->count, sizeof *best, compare_bits);
    fputs(PROSE_DOTS_FOLLOW, out);
    for (size_t i = 0; i < hits->count && i < BEST; i++)
        write_hit(best[i], out);
    fputs("</tbody></table></div>\n", out);
    if (hits->count > BEST)
        fprintf(out, "<p class=\"note\">%d of %zu alignments by score; all are in alignments.tsv.</p>\n",
                (int)BEST, hits->count);
    free(best);
}

const struct report_part report_dots = {
    .title = "Where the alignments are",
    .missing = missing,
    .draw = draw,
    .says =
        "<p>Each line is an alignment. A line that runs up is of the query's plus strand; one that runs down is of its "
        "minus strand, an inversion. Gaps in the diagonal are what only one of the two has.</p>\n",
    .follow = follow,
};
