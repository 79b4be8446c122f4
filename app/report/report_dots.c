/* Where the alignments are: a dot plot, and the best of them as a table.
 *
 * Axes      positions in the database and in the query, record after record, with a line between records. Without
 *           records.tsv a record is as long as its last alignment.
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

enum { LINES_MAX = 20000, BEST = 20, LABELS_MAX = 12, MANY = 3000 };

static const double LEFT = 84, RIGHT = 24, TOP = 52, BOTTOM = 50, HEIGHT_MOST = 760, HEIGHT_LEAST = 430;

/* --- places of records ----------------------------------------------------------------------------------- */

/* The records of one side, in the order of their places, and their names in the order of a search. */
struct side {
    struct run_record *records;
    const struct run_record **by_name;
    size_t count;
    double bases;
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
    double x1 = figure_x(&p->f, line->x1), y1 = figure_y(&p->f, line->y1);
    double x2 = figure_x(&p->f, line->x2), y2 = figure_y(&p->f, line->y2);
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

static void draw_borders(const struct plot *p)
{
    const struct figure *f = &p->f;
    for (size_t i = 1; i < p->database.count && p->database.count <= LABELS_MAX; i++) {
        double x = figure_x(f, p->database.records[i].before);
        svg_line(f->svg, x, f->y.to, x, f->y.from, "s3 dash");
    }
    for (size_t i = 0; i < p->database.count && p->database.count > 1 && p->database.count <= LABELS_MAX;
         i++) {
        const struct run_record *record = &p->database.records[i];
        double from = figure_x(f, record->before), to = figure_x(f, record->before + record->bases);
        int letters = (int)((to - from - 6) / 6.2); /* as many as stand above its part of the axis */
        if (letters >= 6)
            svg_textf(f->svg, from + 3, f->y.to - 6, 10, SVG_START, "f2", "%.*s",
                      (int)printable_fit(record->name, (size_t)letters), record->name);
    }
    for (size_t i = 1; i < p->query.count && p->query.count <= LABELS_MAX; i++) {
        double y = figure_y(f, p->query.records[i].before);
        svg_line(f->svg, f->x.from, y, f->x.to, y, "s3 dash");
    }
}

static void name_side(const struct side *side, const char *what, char *text, size_t size)
{
    if (side->count == 1)
        snprintf(text, size, "position in %s, %.*s [bases]", what,
                 (int)printable_fit(side->records[0].name, 40), side->records[0].name);
    else
        snprintf(text, size, "position in %s, %zu records one after the other [bases]", what, side->count);
}

static void draw_plot(struct plot *p, struct svg *svg)
{
    static const struct figure_style strands[] = {{"plus strand of the query", SVG_BLUE, FIGURE_LINE},
                                                  {"minus strand of the query", SVG_VERMILION, FIGURE_LINE}};
    char x_title[160], y_title[160];
    double width = FIGURE_WIDTH - LEFT - RIGHT;
    double height = fmin(HEIGHT_MOST, fmax(HEIGHT_LEAST, width * p->query.bases / p->database.bases));
    name_side(&p->database, "the database", x_title, sizeof x_title);
    name_side(&p->query, "the query", y_title, sizeof y_title);
    p->f = (struct figure){
        svg, {.most = p->database.bases, .title = x_title}, {.most = p->query.bases, .title = y_title}};
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM, "Dot plot of the alignments");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, strands, 2);
    figure_open(&p->f, LEFT, TOP, width, height);
    draw_borders(p);
    p->columns = (size_t)width + 1;
    p->rows = (size_t)height + 1;
    p->pixels = calloc(p->columns * p->rows, 1);
    for (int minus = 0; minus < 2 && p->pixels; minus++)
        draw_strand(p, minus);
    free(p->pixels);
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
    if (run->hits.count > LINES_MAX)
        fprintf(out, "<p class=\"note\">At most %d lines are drawn.</p>\n", (int)LINES_MAX);
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
