#include "app/sweep/draw/sweep_pareto.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "app/report/report_part.h"
#include "app/sweep/draw/sweep_answer.h"
#include "app/sweep/draw/sweep_label.h"

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
    size_t front[ROWS_MOST], front_count; /* of the only search, by time; front_count may be greater */
    double best_s;                        /* the shortest time of the panel that is being drawn */
    struct chart_axis x, y;
    char title[120]; /* of y */
    struct sweep_obstacles obstacles;
};

static double cost_of(const struct pareto *p, size_t row)
{
    return p->fronts.points[row].costs[p->picture->cost];
}

/* On the y axis, in per cent. */
static double speed_of(const struct pareto *p, size_t row)
{
    return 100 * p->best_s / p->fronts.points[row].time_s;
}

/* Unbounded FIFOs have more block RAMs than any axis should show. */
static bool is_shown(const struct pareto *p, size_t row)
{
    enum sweep_kind kind = p->view->kinds[row];
    bool shows = p->picture->cost != FRONT_RAMB18 || kind != SWEEP_UNBOUNDED;
    return p->fronts.points[row].counts || (kind != SWEEP_MACHINE && shows && p->panels.count == 1 &&
                                            cost_of(p, row) > 0 && p->fronts.points[row].time_s > 0);
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void look_at(struct pareto *p, size_t panel)
{
    p->best_s = HUGE_VAL;
    for (size_t i = p->panels.begins[panel]; i < p->panels.begins[panel + 1]; i++)
        if (p->fronts.points[p->panels.rows[i]].counts)
            p->best_s = fmin(p->best_s, p->fronts.points[p->panels.rows[i]].time_s);
}

static int make_axes(struct pareto *p, struct why *why)
{
    static const char *const titles[FRONT_COSTS] = {"block RAMs of 18 Kb, of all boards",
                                                    "SRAM chips, of all boards", "energy of the run [J]"};
    double *costs = malloc((p->view->table->count + 1) * sizeof *costs), most = 0;
    size_t count = 0;
    if (!costs)
        return why_no_memory(why, -1);
    snprintf(p->title, sizeof p->title, "speed [%% of the quickest]");
    if (p->panels.count == 1) {
        char time[32];
        look_at(p, 0);
        snprintf(p->title, sizeof p->title, "speed [%% of the quickest, which takes %s]",
                 report_time(p->best_s, time));
    }
    for (size_t i = 0; i < p->view->table->count; i++)
        if (is_shown(p, i)) {
            costs[count++] = cost_of(p, i);
            most = fmax(most, p->panels.count == 1 ? speed_of(p, i) : 100);
        }
    qsort(costs, count, sizeof *costs, compare_numbers);
    p->x = sweep_scale_axis(costs, count, titles[p->picture->cost]);
    p->x.whole = p->x.whole && p->picture->cost == FRONT_SRAM_CHIPS;
    p->x.by_two = p->x.plain = false;
    p->y = sweep_scale_axis_to(most, p->title);
    free(costs);
    return 0;
}

/* --- marks ----------------------------------------------------------------------------------------------- */

static void draw_point(struct pareto *p, const struct chart *c, size_t row)
{
    char what[160], time[32], tip[320];
    double x = chart_place(&c->x, cost_of(p, row)), y = chart_place(&c->y, speed_of(p, row));
    bool is_machine = p->view->kinds[row] == SWEEP_MACHINE;
    struct chart_legend_entry probe = sweep_picture_probe(p->view->kinds[row]);
    const double *costs = p->fronts.points[row].costs;
    snprintf(tip, sizeof tip, "%s: %s, %.0f RAMB18, %.0f chips, %.4g J",
             is_machine ? sweep_view_describe(p->view, row, &p->numbers, false, what, sizeof what)
                        : probe.text,
             report_time(p->fronts.points[row].time_s, time), costs[FRONT_RAMB18], costs[FRONT_SRAM_CHIPS],
             costs[FRONT_ENERGY]);
    if (!is_machine)
        svg_mark(p->svg, x, y, 4.5, probe.shape, probe.colour, true, tip);
    else if (p->fronts.places[row] == SWEEP_KNEE)
        svg_mark(p->svg, x, y, 7, SVG_DIAMOND, SVG_VERMILION, false, tip);
    else
        svg_mark(p->svg, x, y, p->fronts.places[row] == SWEEP_ON_FRONT ? 4.5 : 3.5, SVG_DISC,
                 p->fronts.places[row] == SWEEP_ON_FRONT ? SVG_BLUE : SVG_GREY, false, tip);
    sweep_obstacles_add(&p->obstacles, x, y);
}

/* The cheapest point of a panel's front that is quicker than the last one; SIZE_MAX after the quickest. */
static size_t next_step(const struct pareto *p, size_t panel, size_t last)
{
    size_t next = SIZE_MAX;
    for (size_t i = p->panels.begins[panel]; i < p->panels.begins[panel + 1]; i++) {
        size_t row = p->panels.rows[i];
        double time_s = p->fronts.points[row].time_s;
        if (p->fronts.places[row] == SWEEP_BESIDE ||
            (last != SIZE_MAX && time_s >= p->fronts.points[last].time_s))
            continue;
        if (next == SIZE_MAX || cost_of(p, row) < cost_of(p, next) ||
            (cost_of(p, row) <= cost_of(p, next) && time_s < p->fronts.points[next].time_s))
            next = row;
    }
    return next;
}

/* Steps: between two points the speed is that of the cheaper one. */
static void draw_front(struct pareto *p, const struct chart *c, size_t panel)
{
    double last_x = NAN, last_y = NAN;
    svg_path_begin(p->svg, "s6 w2");
    for (size_t row = next_step(p, panel, SIZE_MAX); row != SIZE_MAX; row = next_step(p, panel, row)) {
        double x = chart_place(&c->x, cost_of(p, row)), y = chart_place(&c->y, speed_of(p, row));
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
        char text[24];
        snprintf(text, sizeof text, "%zu", i + 1);
        sweep_label(p->svg, &p->obstacles, chart_place(&c->x, cost_of(p, p->front[i])),
                    chart_place(&c->y, speed_of(p, p->front[i])),
                    p->fronts.places[p->front[i]] == SWEEP_KNEE ? "f7 bold" : "", text);
    }
    for (size_t i = 0; i < p->view->table->count; i++) {
        const char *mark =
            p->fronts.points[i].counts ? sweep_picture_mark(p->view, p->picture->ask, i) : NULL;
        double x = chart_place(&c->x, cost_of(p, i)), y = chart_place(&c->y, speed_of(p, i));
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
    look_at(p, panel);
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
    snprintf(knee, sizeof knee, "knee: " SWEEP_KNEE_MEANING, 100 * p->picture->ask->keep);
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

static void write_row(const struct pareto *p, double y, const char *class, const char *const texts[7])
{
    static const double right[] = {50, 140, 210, 285, 345, 425};
    for (unsigned i = 0; i < 6; i++)
        svg_text(p->svg, right[i], y, 12, SVG_END, class, texts[i]);
    svg_text(p->svg, right[5] + 24, y, 12, SVG_START, class, texts[6]);
}

/* The points of the front: as many rows as are numbered. */
static void draw_rows(const struct pareto *p, double top)
{
    char text[400], number[24], time[32], share[24], blocks[24], chips[24], energy[24];
    size_t count = p->front_count < ROWS_MOST ? p->front_count : ROWS_MOST;
    list_names(p, text, sizeof text);
    write_row(p, top + 12, "f2", (const char *[]){"", "time", "speed", "RAMB18", "chips", "J", text});
    for (size_t i = 0; i < count; i++) {
        size_t row = p->front[i];
        const struct front_point *point = &p->fronts.points[row];
        snprintf(number, sizeof number, "%zu", i + 1);
        snprintf(share, sizeof share, "%.1f%%", speed_of(p, row));
        snprintf(blocks, sizeof blocks, "%.0f", point->costs[FRONT_RAMB18]);
        snprintf(chips, sizeof chips, "%.0f", point->costs[FRONT_SRAM_CHIPS]);
        snprintf(energy, sizeof energy, "%.4g", point->costs[FRONT_ENERGY]);
        report_time(point->time_s, time);
        sweep_view_describe(p->view, row, &p->numbers, true, text, sizeof text);
        write_row(p, top + 12 + LINE * (double)(i + 1), p->fronts.places[row] == SWEEP_KNEE ? "f7 bold" : "",
                  (const char *[]){number, time, share, blocks, chips, energy, text});
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
    size_t count = p->view->table->count, row = SIZE_MAX;
    for (; (row = front_next(p->fronts.points, count, row)) != SIZE_MAX; p->front_count++)
        if (p->front_count < ROWS_MOST)
            p->front[p->front_count] = row;
}

int sweep_pareto_draw(const struct sweep_view *v, const struct sweep_picture *picture, struct svg *svg,
                      struct why *why)
{
    struct pareto p = {.view = v, .picture = picture, .svg = svg, .searches = sweep_view_searches(v)};
    for (size_t i = 0; i < v->varied_count; i++)
        p.numbers.has[i] = !p.searches.has[i];
    int status = sweep_fronts_make(v, picture->ask->keep, &p.fronts, why);
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
