/* Where the alignments are: a dot plot, and the best of them as a table.
 *
 * Axes      positions in the database and in the query, record after record, with a line between records. Of a database
 *           100 times as long as the query the part with alignments is shown.
 * Strands   differ by colour, and by slope: the query's minus strand runs down.
 * Identity  makes a line stronger.
 * Many      an alignment that is shorter than a pixel, on a pixel that has one of its strand, is left out; LINES_MAX
 *           lines are drawn at most, those of the highest scores. The picture says how many it leaves out, and why.
 * Reads     Many records of a query that are short in the mean lie in no order that means anything: then the picture is
 *           how many alignments cover each part of the database, unless the region is of one of the records.
 */
#include "app/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/command.h"
#include "base/words.h"
#include "blast/write/aligned.h"
#include "app/prose.inc"

enum { LINES_MAX = 20000, BEST = 20, MANY = 3000, READS = 50, PER_STEP = 4 };

/* The mean record of reads is less than this part of the database. */
static const double READ_PART = 1.0 / 500;

static const struct figure_style strands[] = {{"plus strand of the query", SVG_BLUE, FIGURE_LINE},
                                              {"minus strand of the query", SVG_VERMILION, FIGURE_LINE}};

static const double LEFT = 84, RIGHT = 24, TOP = 52, BOTTOM = 50, HEIGHT_MOST = 760, HEIGHT_LEAST = 430;

/* --- places of records ----------------------------------------------------------------------------------- */

/* The records of one side, in the order of their places, and their names in the order of a search. */
struct side {
    struct run_record *records;
    const struct run_record **by_name;
    size_t count;
    bool has_twins;         /* two records have one name, so that a table does not tell them apart */
    double bases, from, to; /* the part that is shown */
    double per;             /* bases of a unit of the axis */
    bool has_region;        /* the part is the region that was asked */
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

static struct side open_side(const struct run_records *records)
{
    struct side side = {.records = records->items, .count = records->count};
    if (side.count > 0)
        side.bases = side.records[side.count - 1].before + side.records[side.count - 1].bases;
    side.by_name = memory_take(side.count * sizeof *side.by_name);
    for (size_t i = 0; i < side.count; i++)
        side.by_name[i] = &side.records[i];
    qsort(side.by_name, side.count, sizeof *side.by_name, compare_names);
    for (size_t i = 1; i < side.count; i++)
        side.has_twins |= compare_names(&side.by_name[i - 1], &side.by_name[i]) == 0;
    return side;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* An alignment in positions of both sides, or in pixels; y runs down if it is of the query's minus strand. */
struct dot_line {
    double x1, y1, x2, y2;
    bool minus;
    double identity; /* per cent */
};

/* Identities, per cent, from which a line is as dark as its class makes it. */
static const struct {
    double least;
    const char *class;
} shades[] = {{97, ""}, {90, " pale1"}, {80, " pale2"}, {0, " pale3"}};
enum { SHADES = sizeof shades / sizeof shades[0] };

struct plot {
    const struct run_files *run;
    struct side query, database;
    struct figure f;
    unsigned char *pixels; /* whether a line of a strand lies there: bit 0 plus, bit 1 minus */
    size_t columns, rows;
    struct dot_line *lines; /* that are drawn, `drawn` of them */
    size_t drawn;
    size_t outside, shorter, covered, weaker; /* numbers of those left out: see say_left_out() */
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
    *line = (struct dot_line){subject->before + (double)hit->subject_begin,
                              query->before + first,
                              subject->before + (double)hit->subject_end,
                              query->before + last,
                              minus,
                              hit->identity};
    return true;
}

/* Cut a line to the part of one side that is shown. @param along_x  the side is the database
 *  @return whether some of it is shown */
static bool cut(struct dot_line *l, const struct side *side, bool along_x)
{
    double *a = along_x ? &l->x1 : &l->y1, *b = along_x ? &l->x2 : &l->y2;
    double *a_other = along_x ? &l->y1 : &l->x1, *b_other = along_x ? &l->y2 : &l->x2;
    const double length = *b - *a, slope = length == 0 ? 0 : (*b_other - *a_other) / length;
    if (fmax(*a, *b) <= side->from || fmin(*a, *b) >= side->to)
        return false; /* ends are half-open: a neighbour only touches the part */
    const double from = fmin(fmax(*a, side->from), side->to), to = fmin(fmax(*b, side->from), side->to);
    *b_other += (to - *b) * slope;
    *a_other += (from - *a) * slope;
    *a = from;
    *b = to;
    return true;
}

/* Whether a line in pixels is shorter than one and another of its strand lies there. */
static bool is_covered(struct plot *p, const struct dot_line *l)
{
    size_t column = (size_t)(l->x1 - p->f.x.from), row = (size_t)(l->y1 - p->f.y.to);
    if (column >= p->columns || row >= p->rows)
        return false;
    unsigned char bit = l->minus ? 2 : 1, *pixel = &p->pixels[row * p->columns + column];
    bool covered = *pixel & bit && fabs(l->x2 - l->x1) < 1 && fabs(l->y2 - l->y1) < 1;
    *pixel |= bit;
    return covered;
}

/* Find where an alignment is shown, or count it with those left out. */
static bool is_shown(struct plot *p, const struct hit *hit, struct dot_line *line)
{
    if (hit->columns < p->run->dots.least_columns)
        p->shorter++;
    else if (!place_hit(p, hit, line) || !cut(line, &p->database, true) || !cut(line, &p->query, false))
        p->outside++;
    else
        return true;
    return false;
}

static int compare_bits(const void *a, const void *b)
{
    const struct hit *left = *(const struct hit *const *)a, *right = *(const struct hit *const *)b;
    if (left->bits != right->bits)
        return left->bits < right->bits ? 1 : -1;
    return left->line < right->line ? -1 : left->line > right->line;
}

/* The alignments of a table by score: the table has them by record of the query first. @return for free() */
static const struct hit **best_first(const struct hit_table *hits)
{
    const struct hit **best = memory_take(hits->count * sizeof *best);
    for (size_t i = 0; i < hits->count; i++)
        best[i] = &hits->hits[i];
    qsort(best, hits->count, sizeof *best, compare_bits);
    return best;
}

static void choose_lines(struct plot *p)
{
    auto_free const struct hit **best = best_first(&p->run->hits);
    for (size_t i = 0; i < p->run->hits.count; i++) {
        struct dot_line line;
        if (!is_shown(p, best[i], &line))
            continue;
        line = (struct dot_line){figure_x(&p->f, line.x1 / p->database.per),
                                 figure_y(&p->f, line.y1 / p->query.per),
                                 figure_x(&p->f, line.x2 / p->database.per),
                                 figure_y(&p->f, line.y2 / p->query.per),
                                 line.minus,
                                 line.identity};
        if (p->drawn == LINES_MAX)
            p->weaker++;
        else if (is_covered(p, &line))
            p->covered++;
        else
            p->lines[p->drawn++] = line;
    }
}

static unsigned shade_of(const struct dot_line *line)
{
    unsigned shade = 0;
    while (line->identity < shades[shade].least)
        shade++;
    return shade;
}

/* The palest first, so that stronger ones lie on them. */
static void draw_lines(const struct plot *p)
{
    for (unsigned shade = SHADES; shade-- > 0;)
        for (int minus = 0; minus < 2; minus++) {
            char class[48];
            snprintf(class, sizeof class, "%s %s round%s", minus ? "s7" : "s6",
                     p->run->hits.count > MANY ? "w2" : "w3", shades[shade].class);
            svg_path_begin(p->f.svg, class);
            for (const struct dot_line *l = p->lines; l < p->lines + p->drawn; l++) {
                const bool has_length = fabs(l->x2 - l->x1) >= 0.01 || fabs(l->y2 - l->y1) >= 0.01;
                if (l->minus != minus || shade_of(l) != shade)
                    continue;
                svg_move(p->f.svg, l->x1, l->y1);
                svg_to(p->f.svg, has_length ? l->x2 : l->x1 + 0.01, l->y2); /* or it would not be drawn */
            }
            svg_path_end(p->f.svg);
        }
}

/* Say how many lines are drawn, and why the others are not. */
static void say_left_out(const struct plot *p)
{
    char text[240];
    int said = snprintf(text, sizeof text, "%zu of %zu alignments", p->drawn, p->run->hits.count);
    const struct {
        size_t count;
        const char *why;
    } reasons[] = {{p->outside, "outside"},
                   {p->shorter, "shorter than asked"},
                   {p->covered, "below a pixel, on others"},
                   {p->weaker, "of lower or equal scores"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].count > 0)
            said += snprintf(text + said, sizeof text - (size_t)said, "; %zu %s", reasons[i].count,
                             reasons[i].why);
    svg_text(p->f.svg, FIGURE_WIDTH - RIGHT, 16, 11, SVG_END, "f2", text);
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

/* The axis of a side, in units of the last base that is shown. @param title  out: 160 bytes */
static struct figure_axis axis_of(struct side *side, const char *what, char *title)
{
    const char *unit = side->to >= 1e6 ? "Mb" : side->to >= 1e4 ? "kb" : "bases";
    const double per = side->to >= 1e6 ? 1e6 : side->to >= 1e4 ? 1e3 : 1;
    if (side->count == 1)
        snprintf(title, 160, "position in %s, %.*s [%s]", what, (int)printable_fit(side->records[0].name, 40),
                 side->records[0].name, unit);
    else
        snprintf(title, 160, "position in %s, %zu records one after the other [%s]", what, side->count, unit);
    side->per = per;
    return (struct figure_axis){.least = side->from / per, .most = side->to / per, .title = title};
}

/* What has alignments is shown of a side, with a margin: of those that the part of the other side has. */
static void show_hits(struct plot *p, struct side *side, bool along_x)
{
    static const double PART = 0.05;
    double from = INFINITY, to = 0;
    for (size_t i = 0; i < p->run->hits.count; i++) {
        struct dot_line l;
        if (p->run->hits.hits[i].columns < p->run->dots.least_columns ||
            !place_hit(p, &p->run->hits.hits[i], &l) ||
            !cut(&l, along_x ? &p->query : &p->database, !along_x))
            continue;
        from = fmin(from, along_x ? l.x1 : fmin(l.y1, l.y2));
        to = fmax(to, along_x ? l.x2 : fmax(l.y1, l.y2));
    }
    if (to <= from)
        return;
    side->from = fmax(0, from - PART * (to - from));
    side->to = fmin(side->bases, to + PART * (to - from));
}

/* Find a region on a side. @return whether it has such a record, and the region in it */
static bool find_region(struct side *side, const char *region)
{
    const struct run_record *record = find_record(side, region);
    const char *colon = strrchr(region, ':');
    unsigned long long from, to;
    char name[256], rest;
    if (record) {
        side->from = record->before;
        side->to = record->before + record->bases;
        return true;
    }
    if (!colon || colon - region >= (int)sizeof name ||
        sscanf(colon, ":%llu-%llu%c", &from, &to, &rest) != 2 || from < 1 || to < from)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - region), region);
    record = find_record(side, name);
    if (!record || (double)to > record->bases)
        return false;
    side->from = record->before + (double)from - 1;
    side->to = record->before + (double)to;
    return true;
}

/* Find the part of both sides that is shown: the region; or what has alignments, if the database is MANY_TIMES as long
 * as the query. */
static bool find_part(struct plot *p)
{
    static const double MANY_TIMES = 100;
    const char *region = p->run->dots.region;
    p->query.to = p->query.bases;
    p->database.to = p->database.bases;
    p->database.has_region = region && find_region(&p->database, region);
    p->query.has_region = region && !p->database.has_region && find_region(&p->query, region);
    if (p->database.has_region)
        show_hits(p, &p->query, false);
    else if (p->query.has_region || (!region && p->database.bases >= MANY_TIMES * p->query.bases))
        show_hits(p, &p->database, true);
    return !region || p->database.has_region || p->query.has_region;
}

static struct plot open_sides(const struct run_files *run)
{
    return (struct plot){.run = run, .query = open_side(&run->query), .database = open_side(&run->database)};
}

static void close_sides(struct plot *p)
{
    free(p->query.by_name);
    free(p->database.by_name);
}

int report_dots_check(const struct run_files *run, struct why *why)
{
    struct nearest nearest = {.wanted = run->dots.region};
    if (!run->dots.region)
        return COMMAND_OK;
    auto_by(close_sides) struct plot p = open_sides(run);
    if (find_part(&p))
        return COMMAND_OK;
    const char *colon = strrchr(run->dots.region, ':');
    nearest.length = colon ? (size_t)(colon - run->dots.region) : strlen(run->dots.region);
    for (size_t i = 0; i < run->database.count; i++)
        nearest_look_at(&nearest, run->database.items[i].name);
    for (size_t i = 0; i < run->query.count; i++)
        nearest_look_at(&nearest, run->query.items[i].name);
    why_refuse(why,
               "--region '%.200s': expected a record of the database or of the query, or a part of it as "
               "NAME:FROM-TO, from 1 to its length",
               run->dots.region);
    if (nearest.distance > 0)
        nearest_suggest(&nearest, why);
    return COMMAND_REFUSED;
}

/* --- many reads ------------------------------------------------------------------------------------------ */

/* Dots would not tell records of one name apart, coverage need not. */
static bool is_of_reads(const struct plot *p)
{
    return p->query.count >= READS && (!p->query.has_region || p->query.has_twins) &&
           p->query.bases / (double)p->query.count < READ_PART * p->database.bases;
}

/* Add the part of each column of PER_STEP pixels that an alignment covers. */
static void cover(const struct plot *p, const struct dot_line *l, double *depth)
{
    const double per_column = (p->database.to - p->database.from) / (double)p->columns;
    const double from = (l->x1 - p->database.from) / per_column, to = (l->x2 - p->database.from) / per_column;
    for (size_t c = (size_t)from; c < p->columns && (double)c < to; c++)
        depth[c] += fmin(to, (double)c + 1) - fmax(from, (double)c);
}

static void draw_coverage(struct plot *p, struct svg *svg)
{
    char x_title[160];
    double most = 0;
    p->columns = (size_t)(FIGURE_WIDTH - LEFT - RIGHT) / PER_STEP;
    auto_free double *depth = memory_new(2 * p->columns, sizeof *depth);
    for (size_t i = 0; i < p->run->hits.count; i++) {
        struct dot_line line;
        if (!is_shown(p, &p->run->hits.hits[i], &line))
            continue;
        p->drawn++;
        cover(p, &line, depth + (line.minus ? p->columns : 0));
    }
    for (size_t c = 0; c < 2 * p->columns; c++)
        most = fmax(most, depth[c]);
    p->f = (struct figure){svg, axis_of(&p->database, "the database", x_title),
                           figure_axis_to(most > 0 ? most : 1, "alignments that cover a base, mean")};
    svg_begin(svg, FIGURE_WIDTH, TOP + HEIGHT_LEAST + BOTTOM, "How many alignments cover the database");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, strands, 2);
    figure_open(&p->f, LEFT, TOP, FIGURE_WIDTH - LEFT - RIGHT, HEIGHT_LEAST);
    draw_borders(p, &p->database, true);
    for (unsigned strand = 0; strand < 2; strand++) {
        figure_path(&p->f, strand ? "s7 w2" : "s6 w2");
        for (size_t c = 0; c < p->columns; c++)
            figure_to(&p->f,
                      (p->database.from +
                       ((double)c + 0.5) * (p->database.to - p->database.from) / (double)p->columns) /
                          p->database.per,
                      depth[strand * p->columns + c]);
        svg_path_end(svg);
    }
    say_left_out(p);
    svg_end(svg);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static void draw_plot(struct plot *p, struct svg *svg)
{
    char x_title[160], y_title[160];
    double width = FIGURE_WIDTH - LEFT - RIGHT;
    double height = fmin(HEIGHT_MOST, fmax(HEIGHT_LEAST, width * (p->query.to - p->query.from) /
                                                             (p->database.to - p->database.from)));
    p->f = (struct figure){svg, axis_of(&p->database, "the database", x_title),
                           axis_of(&p->query, "the query", y_title)};
    svg_begin(svg, FIGURE_WIDTH, TOP + height + BOTTOM, "Dot plot of the alignments");
    figure_draw_legend(svg, LEFT, 4, FIGURE_WIDTH - LEFT, strands, 2);
    figure_open(&p->f, LEFT, TOP, width, height);
    draw_borders(p, &p->database, true);
    draw_borders(p, &p->query, false);
    p->columns = (size_t)width + 1;
    p->rows = (size_t)height + 1;
    p->pixels = memory_new(p->columns * p->rows, 1);
    p->lines = memory_take(LINES_MAX * sizeof *p->lines);
    choose_lines(p);
    draw_lines(p);
    free(p->pixels);
    free(p->lines);
    say_left_out(p);
    svg_textf(svg, FIGURE_WIDTH - RIGHT, 32, 11, SVG_END, "f2",
              "stronger: more alike (from %g, %g, %g%%, less)", shades[0].least, shades[1].least,
              shades[2].least);
    svg_end(svg);
}

static void draw(const void *data, struct svg *svg)
{
    auto_by(close_sides) struct plot plot = open_sides(data);
    find_part(&plot);
    if (is_of_reads(&plot))
        draw_coverage(&plot, svg);
    else
        draw_plot(&plot, svg);
}

/* Positions as BLAST's tables have them: from 1, and falling on the minus strand of the query's subject. */
static void write_hit(const struct hit *hit, FILE *out)
{
    bool minus = hit->strand == STRAND_MINUS;
    int64_t begin = minus ? 1 - hit->query_end : hit->query_begin + 1,
            end = minus ? -hit->query_begin : hit->query_end;
    char e_value[PRINTED_SCORE_BYTES], bits[PRINTED_SCORE_BYTES];
    printed_e_value(hit->e_value, e_value);
    printed_bits(hit->bits, bits);
    page_put(out, "<tr><td>%.*s</td><td>%.*s</td>", (int)printable_fit(hit->query, 60), hit->query,
             (int)printable_fit(hit->subject, 60), hit->subject);
    fprintf(out,
            "<td>%s</td><td class=\"n\">%.2f</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRId64
            "–%" PRId64 "</td><td class=\"n\">%" PRId64 "–%" PRId64
            "</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
            minus ? "minus" : "plus", hit->identity, hit->columns, begin, end, hit->subject_begin + 1,
            hit->subject_end, e_value, bits);
}

/* --- the part -------------------------------------------------------------------------------------------- */

static const char *missing(const struct run_files *run)
{
    if (!run->alignments_name)
        return "The directory has no alignments.";
    if (!run->has_hits)
        return "The alignments are in a format or in columns of your choice. A dot plot needs a table (-f 6) with the "
               "twelve standard columns.";
    if (report_is_of_windows(run))
        return "Windows of the database leave no alignments.";
    if (run->hits.count == 0)
        return "No alignment is significant enough: a larger E-value (-e), another threshold of stage 2 (--set "
               "stage2.threshold) or other scores (--scores) may find weaker ones.";
    if (run->query.count == 0 || run->database.count == 0)
        return "This run has no records.tsv: an older version of Mercury wrote it.";
    auto_by(close_sides) struct plot plot = open_sides(run);
    const bool lost = plot.database.has_twins || (plot.query.has_twins && !is_of_reads(&plot));
    return lost ? "Two records have the same name: give each its own, so that the table tells them apart."
                : NULL;
}

static void follow(const struct run_files *run, FILE *out)
{
    const struct hit_table *hits = &run->hits;
    auto_free const struct hit **best = best_first(hits);
    fputs(PROSE_DOTS_FOLLOW, out);
    for (size_t i = 0; i < hits->count && i < BEST; i++)
        write_hit(best[i], out);
    fputs("</tbody></table></div>\n", out);
    if (hits->count > BEST)
        fprintf(out, "<p class=\"note\">%d of %zu alignments by score; all are in %s.</p>\n", (int)BEST,
                hits->count, run->alignments_name);
}

static void introduce(const struct run_files *run, FILE *out)
{
    auto_by(close_sides) struct plot plot = open_sides(run);
    fputs(is_of_reads(&plot) ? PROSE_DOTS_READS : PROSE_DOTS_LINES, out);
}

const struct report_part report_dots = {
    .title = "Where the alignments are",
    .missing = missing,
    .draw = draw,
    .introduce = introduce,
    .follow = follow,
};
