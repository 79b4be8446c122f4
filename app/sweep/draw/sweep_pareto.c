/* Speed over one of the costs: the Pareto front, the knee, and all other machines (sweep_picture.h).
 *
 * Front     is that of all costs together (front.h). A line goes through the greatest speeds for so much of this one;
 *           points of the front below it need less of another.
 * Labels    the points of the front and the knee have numbers; if there is one search, a list below has what varies.
 */
#include "app/sweep/draw/sweep_picture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "app/sweep/draw/sweep_answer.h"
#include "base/memory.h"

enum { ROWS_MOST = 20 };

static const double TALL = 420, SHORT = 280, NOTE = 20, LINE = 17;

struct pareto {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    struct sweep_panels panels;           /* a search each */
    size_t front[ROWS_MOST], front_count; /* of the only search, by time, then its knee; more may count */
    double best_s;                        /* the shortest time of the panel that is being drawn */
    struct figure_axis x, y;
    struct sweep_scale time; /* of all that is written of times */
    char title[120];         /* of y */
    struct figure f;         /* the present panel */
};

static double cost_of(const struct pareto *p, size_t row)
{
    return p->view->points[row].costs[p->picture->cost];
}

/* On the y axis, in per cent. */
static double speed_of(const struct pareto *p, size_t row)
{
    return 100 * p->best_s / p->view->points[row].time_s;
}

static bool is_alone(const struct pareto *p)
{
    return p->view->searches.count == 1;
}

/* Unbounded FIFOs have more block RAMs than any axis should show. */
static bool is_shown(const struct pareto *p, size_t row)
{
    const struct front_point *point = &p->view->points[row];
    enum sweep_kind kind = p->view->kinds[row];
    bool shows = p->picture->cost != FRONT_RAMB18 || kind != SWEEP_UNBOUNDED;
    return point->counts ||
           (kind != SWEEP_MACHINE && shows && is_alone(p) && cost_of(p, row) > 0 && point->time_s > 0);
}

static void look_at(struct pareto *p, size_t panel)
{
    const struct sweep_groups *s = &p->view->searches;
    p->best_s = HUGE_VAL;
    for (size_t i = s->begins[panel]; i < s->begins[panel + 1]; i++)
        if (p->view->points[s->rows[i]].counts)
            p->best_s = fmin(p->best_s, p->view->points[s->rows[i]].time_s);
}

static void make_axes(struct pareto *p)
{
    static const char *const titles[FRONT_COSTS] = {"block RAMs of 18 Kb, of all boards",
                                                    "SRAM chips, of all boards", "energy of the run [J]"};
    double *costs = memory_take(p->view->table->count * sizeof *costs), most = 0;
    size_t count = 0;
    snprintf(p->title, sizeof p->title, "speed [%% of the quickest]");
    if (is_alone(p)) {
        look_at(p, 0);
        snprintf(p->title, sizeof p->title, "speed [%% of the quickest, which takes %s]",
                 sweep_scale_label(&p->time, p->best_s * p->time.factor).text);
    }
    for (size_t i = 0; i < p->view->table->count; i++)
        if (is_shown(p, i)) {
            costs[count++] = cost_of(p, i);
            most = fmax(most, is_alone(p) ? speed_of(p, i) : 100);
        }
    gsl_sort(costs, 1, count);
    p->x = figure_axis_along(costs, count, titles[p->picture->cost]);
    p->x.whole = p->x.whole && p->picture->cost != FRONT_ENERGY;
    p->x.by_two = p->x.plain = false;
    p->y = sweep_scale_axis_to(most, p->title);
    free(costs);
}

/* --- marks ----------------------------------------------------------------------------------------------- */

/* Machines of a front by their place. */
static const struct figure_style styles[] = {
    [SWEEP_BESIDE] = {"machines", SVG_GREY, FIGURE_MARK, SVG_DISC},
    [SWEEP_ON_FRONT] = {"Pareto front", SVG_BLUE, FIGURE_MARK, SVG_DISC},
    [SWEEP_KNEE] = {NULL, SVG_VERMILION, FIGURE_MARK, SVG_DIAMOND}};
static const double sizes[] = {[SWEEP_BESIDE] = 3.5, [SWEEP_ON_FRONT] = 4.5, [SWEEP_KNEE] = 7};

static void draw_point(struct pareto *p, size_t row)
{
    const struct sweep_view *v = p->view;
    char what[160];
    const bool is_machine = v->kinds[row] == SWEEP_MACHINE;
    const struct figure_style style =
        is_machine ? styles[v->places[row]] : sweep_picture_probe(v->kinds[row]);
    const double *costs = v->points[row].costs;
    figure_mark(&p->f, cost_of(p, row), speed_of(p, row), is_machine ? sizes[v->places[row]] : 4.5, &style,
                "%s: %s, %.0f RAMB18, %.0f chips, %.4g J",
                is_machine ? sweep_view_describe(v, row, ~v->inputs, SWEEP_BOTH, what, sizeof what)
                           : style.text,
                sweep_scale_label(&p->time, sweep_scale_value(&p->time, v, row)).text, costs[FRONT_RAMB18],
                costs[FRONT_SRAM_CHIPS], costs[FRONT_ENERGY]);
}

/* The cheapest point of a panel's front that is quicker than the last one; SIZE_MAX after the quickest. */
static size_t next_step(const struct pareto *p, size_t panel, size_t last)
{
    const struct sweep_groups *s = &p->view->searches;
    size_t next = SIZE_MAX;
    for (size_t i = s->begins[panel]; i < s->begins[panel + 1]; i++) {
        const size_t row = s->rows[i];
        const double time_s = p->view->points[row].time_s;
        if (p->view->places[row] != SWEEP_BESIDE &&
            (last == SIZE_MAX || time_s < p->view->points[last].time_s) &&
            (next == SIZE_MAX || cost_of(p, row) < cost_of(p, next) ||
             (cost_of(p, row) <= cost_of(p, next) && time_s < p->view->points[next].time_s)))
            next = row;
    }
    return next;
}

/* Steps: between two points the speed is that of the cheaper one. */
static void draw_front(struct pareto *p, size_t panel)
{
    double speed = NAN;
    figure_path(&p->f, "s6 w2");
    for (size_t row = next_step(p, panel, SIZE_MAX); row != SIZE_MAX; row = next_step(p, panel, row)) {
        if (!isnan(speed))
            figure_to(&p->f, cost_of(p, row), speed);
        speed = speed_of(p, row);
        figure_to(&p->f, cost_of(p, row), speed);
    }
    figure_to(&p->f, p->x.most, speed);
    svg_path_end(p->f.svg);
}

static void draw_labels(struct pareto *p)
{
    for (size_t i = 0; i < p->front_count && i < ROWS_MOST; i++) {
        size_t row = p->front[i];
        figure_label_point(&p->f, figure_x(&p->f, cost_of(p, row)), figure_y(&p->f, speed_of(p, row)),
                           p->view->places[row] == SWEEP_KNEE ? "f7 bold" : "",
                           shown_text("%zu", i + 1).text);
    }
    for (size_t i = 0; i < p->view->table->count; i++) {
        const char *mark = p->view->points[i].counts || p->view->kinds[i] == SWEEP_TRIED
                               ? sweep_picture_mark(p->picture, i)
                               : NULL;
        if (mark)
            sweep_picture_draw_mark(&p->f, cost_of(p, i), speed_of(p, i), mark);
    }
}

/* --- the picture ----------------------------------------------------------------------------------------- */

static void draw_panel(struct pareto *p, struct svg *svg, size_t place, double top)
{
    const struct sweep_view *v = p->view;
    const struct sweep_groups *s = &v->searches;
    const struct sweep_panel at = sweep_panels_place(&p->panels, place, top);
    const size_t panel = p->panels.group[place];
    p->f = (struct figure){svg, p->x, p->y, .has_labels = true};
    sweep_panels_head(&p->panels, svg, place, at, SWEEP_VALUES);
    if (panel == SIZE_MAX)
        return;
    look_at(p, panel);
    figure_open(&p->f, at.left, at.top, at.width, at.height);
    for (size_t i = 0; i < v->table->count; i++)
        if (v->kinds[i] != SWEEP_MACHINE && is_shown(p, i))
            draw_point(p, i);
    for (int pass = 0; pass < 2; pass++) { /* the front is above the others */
        if (pass == 1)
            draw_front(p, panel);
        for (size_t i = s->begins[panel]; i < s->begins[panel + 1]; i++)
            if (is_shown(p, s->rows[i]) && (v->places[s->rows[i]] != SWEEP_BESIDE) == pass)
                draw_point(p, s->rows[i]);
    }
    if (is_alone(p))
        draw_labels(p);
    figure_close(&p->f);
}

/* @param svg  NULL: draw nothing. @return its height */
static double draw_legend(const struct pareto *p, struct svg *svg, double top)
{
    char knee[128];
    struct figure_style entries[3 + SWEEP_KINDS] = {styles[SWEEP_BESIDE], styles[SWEEP_ON_FRONT],
                                                    styles[SWEEP_KNEE]};
    snprintf(knee, sizeof knee, "knee: %s", p->view->knee_meaning);
    entries[2].text = knee;
    size_t count = is_alone(p) ? sweep_picture_add_probes(p->view, entries, 3) : 3;
    double height = figure_draw_legend(svg, 16, top, FIGURE_WIDTH - 32, entries, count);
    if (svg)
        sweep_panels_say_left_out(&p->panels, svg, top + height);
    return height + (p->panels.groups.count > p->panels.drawn ? NOTE : 0);
}

static void write_row(struct svg *svg, double y, const char *class, const char *const texts[7])
{
    static const double right[] = {50, 140, 210, 285, 345, 425};
    for (unsigned i = 0; i < 6; i++)
        svg_text(svg, right[i], y, 12, SVG_END, class, texts[i]);
    svg_text(svg, right[5] + 24, y, 12, SVG_START, class, texts[6]);
}

/* The points of the front: as many rows as are numbered. */
static void draw_rows(const struct pareto *p, struct svg *svg, double top)
{
    const struct sweep_view *v = p->view;
    char text[400];
    size_t count = p->front_count < ROWS_MOST ? p->front_count : ROWS_MOST;
    write_row(svg, top + 12, "f2",
              (const char *[]){"", "time", "speed", "RAMB18", "chips", "J",
                               sweep_view_describe(v, 0, ~v->inputs, SWEEP_NAMES, text, sizeof text)});
    for (size_t i = 0; i < count; i++) {
        const size_t row = p->front[i];
        const struct front_point *point = &v->points[row];
        write_row(svg, top + 12 + LINE * (double)(i + 1), v->places[row] == SWEEP_KNEE ? "f7 bold" : "",
                  (const char *[]){shown_text("%zu", i + 1).text,
                                   sweep_scale_label(&p->time, sweep_scale_value(&p->time, v, row)).text,
                                   shown_text("%.1f%%", speed_of(p, row)).text,
                                   shown_text("%.0f", point->costs[FRONT_RAMB18]).text,
                                   shown_text("%.0f", point->costs[FRONT_SRAM_CHIPS]).text,
                                   shown_text("%.4g", point->costs[FRONT_ENERGY]).text,
                                   sweep_view_describe(v, row, ~v->inputs, SWEEP_VALUES, text, sizeof text)});
    }
    if (p->front_count > count)
        svg_textf(svg, 80, top + 12 + LINE * (double)(count + 1), 12, SVG_START, "f2",
                  "The table beside the picture has all %zu points of the front.", p->front_count);
}

static double height_of_rows(const struct pareto *p)
{
    size_t count = p->front_count < ROWS_MOST ? p->front_count + 1 : ROWS_MOST + 2;
    return p->front_count > 0 ? 10 + LINE * (double)count : 0;
}

void sweep_pareto_draw(const struct sweep_picture *picture, struct svg *svg)
{
    struct pareto p = {.view = picture->view, .picture = picture};
    p.time = sweep_scale_for(p.view, NULL, (size_t)sweep_table_column(FRONT_TIME));
    p.panels = sweep_panels_arrange(p.view, p.view->inputs, 2, (struct sweep_margins){74, 20, 24, 48});
    p.panels.height = p.panels.shown == 1 ? TALL : SHORT;
    const size_t count = p.view->table->count, knee = sweep_answer_knee(p.view);
    for (size_t row = SIZE_MAX;
         is_alone(&p) && (row = front_next(p.view->points, count, true, row)) != SIZE_MAX; p.front_count++)
        if (p.front_count < ROWS_MOST)
            p.front[p.front_count] = row;
    if (knee != SIZE_MAX && p.front_count < ROWS_MOST && !front_has(p.view->points, count, knee))
        p.front[p.front_count++] = knee;
    make_axes(&p);
    const double legend = draw_legend(&p, NULL, 0), charts = sweep_panels_height(&p.panels);
    double top = sweep_picture_begin(picture, svg, legend + charts + height_of_rows(&p));
    draw_legend(&p, svg, top);
    for (size_t i = 0; i < p.panels.shown; i++)
        draw_panel(&p, svg, i, top + legend);
    if (height_of_rows(&p) > 0)
        draw_rows(&p, svg, top + legend + charts);
    svg_end(svg);
    sweep_groups_destroy(&p.panels.groups);
}
