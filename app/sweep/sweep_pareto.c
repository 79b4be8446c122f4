#include "app/sweep/sweep_pareto.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "app/sweep/sweep_label.h"

enum { PANELS_MOST = 6, ROWS_MOST = 20 };

static const double LEFT = 74, RIGHT = 20, TOP = 24, BOTTOM = 48, TALL = 420, SHORT = 280, NOTE = 20,
                    LINE = 17;

struct pareto {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    struct svg *svg;
    struct sweep_fronts fronts;
    struct sweep_groups panels; /* a search each */
    struct sweep_set searches, numbers;
    size_t panel_count;
    size_t front[ROWS_MOST], front_count; /* of the only search, by bits; front_count may be greater */
    struct chart_axis x, y;
    struct sweep_obstacles obstacles;
};

static bool is_of_energy(const struct pareto *p)
{
    return p->picture->trade == &sweep_trade_energy;
}

/* Unbounded FIFOs have more memory than any axis should show. */
static bool is_shown(const struct pareto *p, size_t row)
{
    enum sweep_kind kind = p->view->kinds[row];
    bool shows = is_of_energy(p) || kind != SWEEP_UNBOUNDED;
    return p->fronts.points[row].counts ||
           (kind != SWEEP_MACHINE && shows && p->panels.count == 1 && p->fronts.points[row].bits > 0 &&
            p->fronts.points[row].speed > 0);
}

/* What stands on the y axis: Mw-mers/s, or milliseconds. */
static double shown_merit(const struct pareto *p, size_t row)
{
    double speed = p->fronts.points[row].speed;
    return is_of_energy(p) ? 1e3 / speed : speed;
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static int make_axes(struct pareto *p, struct why *why)
{
    double *bits = malloc((p->view->table->count + 1) * sizeof *bits), merit = 0;
    size_t count = 0;
    if (!bits)
        return why_no_memory(why, -1);
    for (size_t i = 0; i < p->view->table->count; i++)
        if (is_shown(p, i)) {
            bits[count++] = p->fronts.points[i].bits;
            merit = fmax(merit, shown_merit(p, i));
        }
    qsort(bits, count, sizeof *bits, compare_numbers);
    p->x = sweep_scale_axis(bits, count,
                            is_of_energy(p) ? "energy of the run [J]"
                                            : "memory: Bloom filter, tables, displacements, FIFOs [bits]");
    p->x.by_two = p->x.whole = p->x.plain = false;
    p->y = sweep_scale_axis_to(merit, is_of_energy(p) ? "simulated time [ms]" : "throughput [Mw-mers/s]");
    free(bits);
    return 0;
}

/* --- marks ----------------------------------------------------------------------------------------------- */

static void draw_point(struct pareto *p, const struct chart *c, size_t row)
{
    char what[160], tip[240];
    double x = chart_place(&c->x, p->fronts.points[row].bits), y = chart_place(&c->y, shown_merit(p, row));
    bool is_machine = p->view->kinds[row] == SWEEP_MACHINE;
    struct chart_legend_entry probe = sweep_picture_probe(p->view->kinds[row]);
    snprintf(tip, sizeof tip, is_of_energy(p) ? "%s: %.4g J, %.6g ms" : "%s: %.0f bits, %.2f Mw-mers/s",
             is_machine ? sweep_view_describe(p->view, row, &p->numbers, false, what, sizeof what)
                        : probe.text,
             p->fronts.points[row].bits, shown_merit(p, row));
    if (!is_machine)
        svg_mark(p->svg, x, y, 4.5, probe.shape, probe.colour, true, tip);
    else if (p->fronts.places[row] == SWEEP_KNEE)
        svg_mark(p->svg, x, y, 7, SVG_DIAMOND, SVG_VERMILION, false, tip);
    else
        svg_mark(p->svg, x, y, p->fronts.places[row] == SWEEP_ON_FRONT ? 4.5 : 3.5, SVG_DISC,
                 p->fronts.places[row] == SWEEP_ON_FRONT ? SVG_BLUE : SVG_GREY, false, tip);
    sweep_obstacles_add(&p->obstacles, x, y);
}

/* The point of a panel on the front with the fewest bits above `beyond`; SIZE_MAX after the last. */
static size_t next_of_panel(const struct pareto *p, size_t panel, double beyond)
{
    size_t next = SIZE_MAX;
    for (size_t i = p->panels.begins[panel]; i < p->panels.begins[panel + 1]; i++) {
        size_t row = p->panels.rows[i];
        if (p->fronts.places[row] != SWEEP_BESIDE && p->fronts.points[row].bits > beyond &&
            (next == SIZE_MAX || p->fronts.points[row].bits < p->fronts.points[next].bits))
            next = row;
    }
    return next;
}

/* Steps: between two points the throughput is that of the smaller one. */
static void draw_front(struct pareto *p, const struct chart *c, size_t panel)
{
    double last_x = NAN, last_y = NAN;
    svg_path_begin(p->svg, "s6 w2");
    for (size_t row = next_of_panel(p, panel, -1); row != SIZE_MAX;
         row = next_of_panel(p, panel, p->fronts.points[row].bits)) {
        double x = chart_place(&c->x, p->fronts.points[row].bits),
               y = chart_place(&c->y, shown_merit(p, row));
        if (isnan(last_x)) {
            svg_move(p->svg, x, y);
        } else {
            svg_to(p->svg, x, last_y);
            svg_to(p->svg, x, y);
            sweep_obstacles_add_line(&p->obstacles, last_x, last_y, x, last_y);
            sweep_obstacles_add_line(&p->obstacles, x, last_y, x, y);
        }
        last_x = x, last_y = y;
    }
    if (!isnan(last_x)) {
        svg_to(p->svg, c->x.to, last_y);
        sweep_obstacles_add_line(&p->obstacles, last_x, last_y, c->x.to, last_y);
    }
    svg_path_end(p->svg);
}

static void draw_labels(struct pareto *p, const struct chart *c)
{
    for (size_t i = 0; i < p->front_count && i < ROWS_MOST; i++) {
        const struct front_point *point = &p->fronts.points[p->front[i]];
        char text[24];
        snprintf(text, sizeof text, "%zu", i + 1);
        sweep_label(p->svg, &p->obstacles, chart_place(&c->x, point->bits),
                    chart_place(&c->y, shown_merit(p, p->front[i])),
                    p->fronts.places[p->front[i]] == SWEEP_KNEE ? "f7 bold" : "", text);
    }
    for (size_t i = 0; i < p->view->table->count; i++) {
        const char *mark =
            p->fronts.points[i].counts ? sweep_picture_mark(p->view, p->picture->ask, i) : NULL;
        double x = chart_place(&c->x, p->fronts.points[i].bits), y = chart_place(&c->y, shown_merit(p, i));
        if (mark) {
            svg_mark(p->svg, x, y, 8, SVG_DISC, SVG_VERMILION, true, mark);
            svg_mark(p->svg, x, y, 4, SVG_DISC, SVG_VERMILION, false, mark);
            sweep_label(p->svg, &p->obstacles, x, y, "f7 bold", mark);
        }
    }
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static void draw_panel(struct pareto *p, size_t panel, double left, double top, double width, double height)
{
    char text[200];
    struct chart c = {p->svg, p->x, p->y};
    chart_put(&c, left + LEFT, top + TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
    chart_draw_axes(&c);
    p->obstacles = (struct sweep_obstacles){c.x.from, c.y.to - 12, c.x.to + 8, c.y.from, NULL, 0, 0};
    if (p->panels.count > 1)
        svg_text(p->svg, c.x.from, top + TOP - 7, 12, SVG_START, "bold",
                 sweep_view_describe(p->view, p->panels.rows[p->panels.begins[panel]], &p->searches, true,
                                     text, sizeof text));
    for (size_t i = 0; i < p->view->table->count; i++)
        if (p->view->kinds[i] != SWEEP_MACHINE && is_shown(p, i))
            draw_point(p, &c, i);
    for (int pass = 0; pass < 2; pass++) { /* the front is above the others */
        if (pass == 1)
            draw_front(p, &c, panel);
        for (size_t i = p->panels.begins[panel]; i < p->panels.begins[panel + 1]; i++)
            if (is_shown(p, p->panels.rows[i]) &&
                (p->fronts.places[p->panels.rows[i]] != SWEEP_BESIDE) == pass)
                draw_point(p, &c, p->panels.rows[i]);
    }
    if (p->panels.count == 1)
        draw_labels(p, &c);
    sweep_obstacles_destroy(&p->obstacles);
}

/* @param svg  NULL: draw nothing. @return its height */
static double draw_legend(const struct pareto *p, struct svg *svg, double top)
{
    char knee[96];
    snprintf(knee, sizeof knee, "knee: %s with %g%% of the best",
             is_of_energy(p) ? "the least energy" : "fewest bits", 100 * p->picture->ask->keep);
    struct chart_legend_entry entries[3 + SWEEP_KINDS] = {
        {"machines", SVG_GREY, CHART_KEY_MARK, SVG_DISC},
        {"Pareto front", SVG_BLUE, CHART_KEY_MARK, SVG_DISC},
        {knee, SVG_VERMILION, CHART_KEY_MARK, SVG_DIAMOND}};
    size_t count = p->panels.count == 1 ? sweep_picture_add_probes(p->view, entries, 3) : 3;
    double height = chart_draw_legend(svg, 16, top, SWEEP_PICTURE_WIDTH - 32, entries, count);
    if (p->panels.count <= p->panel_count)
        return height;
    if (svg)
        svg_textf(svg, 16, top + height + 12, 12, SVG_START, "f2", "The first %zu of %zu searches.",
                  p->panel_count, p->panels.count);
    return height + NOTE;
}

/* The names of what varies, in the order in which the rows have their values. */
static void list_names(const struct pareto *p, char *names, size_t size)
{
    *names = '\0';
    for (size_t i = 0, length = 0; i < p->view->varied_count && length < size; i++)
        if (p->numbers.has[i])
            length += (size_t)snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       sweep_view_name(p->view, i));
}

static void write_row(const struct pareto *p, double y, const char *class, const char *const texts[5])
{
    static const double right[] = {90, 210, 310, 390};
    for (unsigned i = 0; i < 4; i++)
        svg_text(p->svg, right[i], y, 12, SVG_END, class, texts[i]);
    svg_text(p->svg, right[3] + 24, y, 12, SVG_START, class, texts[4]);
}

/* The points of the front: as many rows as are numbered. */
static void draw_rows(const struct pareto *p, double top)
{
    char text[400], number[24], bits[CHART_LABEL_BYTES], speed[CHART_LABEL_BYTES], share[24];
    size_t count = p->front_count < ROWS_MOST ? p->front_count : ROWS_MOST;
    double best = p->fronts.points[p->front[count - 1]].speed;
    list_names(p, text, sizeof text);
    write_row(p, top + 12, "f2",
              is_of_energy(p) ? (const char *[]){"", "J", "ms", "of best", text}
                              : (const char *[]){"", "bits", "Mw-mers/s", "of best", text});
    for (size_t i = 0; i < count; i++) {
        size_t row = p->front[i];
        snprintf(number, sizeof number, "%zu", i + 1);
        snprintf(share, sizeof share, "%.1f%%", 100 * p->fronts.points[row].speed / best);
        chart_label(p->fronts.points[row].bits, bits);
        chart_plain_label(shown_merit(p, row), speed);
        sweep_view_describe(p->view, row, &p->numbers, true, text, sizeof text);
        write_row(p, top + 12 + LINE * (double)(i + 1), p->fronts.places[row] == SWEEP_KNEE ? "f7 bold" : "",
                  (const char *[]){number, bits, speed, share, text});
    }
    if (p->front_count > count)
        svg_textf(p->svg, 80, top + 12 + LINE * (double)(count + 1), 12, SVG_START, "f2",
                  "The table beside the picture has all %zu points of the front.", p->front_count);
}

static double height_of_rows(const struct pareto *p)
{
    size_t count = p->front_count < ROWS_MOST ? p->front_count + 1 : ROWS_MOST + 2;
    return p->panels.count == 1 && p->front_count > 0 ? 10 + LINE * (double)count : 0;
}

static void draw_all(struct pareto *p)
{
    size_t columns = p->panel_count == 1 ? 1 : 2, rows = (p->panel_count + columns - 1) / columns;
    double height = columns == 1 ? TALL : SHORT, width = SWEEP_PICTURE_WIDTH / (double)columns;
    double legend = draw_legend(p, NULL, 0), charts = height * (double)rows;
    double top = sweep_picture_begin(p->view, p->picture, p->svg, legend + charts + height_of_rows(p));
    draw_legend(p, p->svg, top);
    for (size_t i = 0; i < p->panel_count; i++) {
        size_t row = i / columns;
        draw_panel(p, i, (double)(i % columns) * width, top + legend + height * (double)row, width, height);
    }
    if (height_of_rows(p) > 0)
        draw_rows(p, top + legend + charts);
    svg_end(p->svg);
}

static void list_front(struct pareto *p)
{
    for (size_t row = next_of_panel(p, 0, -1); row != SIZE_MAX;
         row = next_of_panel(p, 0, p->fronts.points[row].bits), p->front_count++)
        if (p->front_count < ROWS_MOST)
            p->front[p->front_count] = row;
}

int sweep_pareto_draw(const struct sweep_view *v, const struct sweep_picture *picture, struct svg *svg,
                      struct why *why)
{
    struct pareto p = {.view = v, .picture = picture, .svg = svg, .searches = sweep_view_searches(v)};
    for (size_t i = 0; i < v->varied_count; i++)
        p.numbers.has[i] = !p.searches.has[i];
    int status = sweep_fronts_make(v, picture->trade, picture->ask->keep, &p.fronts, why);
    if (status == 0)
        status = sweep_view_group(v, &p.searches, SIZE_MAX, &p.panels, why);
    p.panel_count = p.panels.count < PANELS_MOST ? p.panels.count : PANELS_MOST;
    if (status == 0)
        status = make_axes(&p, why);
    if (status == 0) {
        if (p.panels.count == 1)
            list_front(&p);
        draw_all(&p);
    }
    sweep_groups_destroy(&p.panels);
    sweep_fronts_destroy(&p.fronts);
    return status;
}
