#include "app/share/share_range.h"

#include <math.h>
#include <stdio.h>

#include "base/draw/chart.h"
#include "base/command.h"
#include "base/file/output.h"

/* Clocks as parts of the machine's own; of the default machine, 0.7 to 133 MHz. Their utilisations are nearly equally
 * far apart, as long as the clock limits. */
static const double clocks[] = {0.7 / 133, 2. / 133,  4. / 133,  7. / 133,   10. / 133,
                                15. / 133, 20. / 133, 26. / 133, 33. / 133,  42. / 133,
                                52. / 133, 65. / 133, 80. / 133, 100. / 133, 1};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

/* What is drawn: the simulation, then the models. */
enum { SIMULATED, FIRST_MODEL, LINES = FIRST_MODEL + PARALLEL_MODELS };

static const struct {
    enum svg_colour colour;
    enum svg_shape shape;
} looks[LINES] = {
    [SIMULATED] = {SVG_INK, SVG_DISC},
    [FIRST_MODEL + PARALLEL_MVA] = {SVG_VERMILION, SVG_SQUARE},
    [FIRST_MODEL + PARALLEL_FAIR_SHARES] = {SVG_GREEN, SVG_DIAMOND},
};

struct range {
    unsigned boards;
    double clock_hz[CLOCKS];
    double bus[CLOCKS];           /* per cent */
    double slower[LINES][CLOCKS]; /* per cent */
};

static void mean_over_runs(const struct share_case *boards, const struct share_prediction *prediction,
                           unsigned at, struct range *r)
{
    double part = 100. / boards->count;
    r->clock_hz[at] = boards->hardware->fpga_clock_hz;
    for (unsigned run = 0; run < boards->count; run++) {
        r->bus[at] += part * share_theory_bus(boards, run);
        r->slower[SIMULATED][at] += part * share_theory_simulated(boards, run);
        for (unsigned model = 0; model < PARALLEL_MODELS; model++)
            r->slower[FIRST_MODEL + model][at] +=
                part * share_theory_modelled(boards, prediction, (enum parallel_model)model, run);
    }
}

static int compute(const struct share_runs *runs, const struct hardware *machine,
                   const struct share_choice *choice, struct range *r, struct why *why)
{
    struct hardware machines[CLOCKS];
    struct share_boards boards;
    for (unsigned i = 0; i < CLOCKS; i++) {
        machines[i] = *machine;
        machines[i].fpga_clock_hz *= clocks[i];
    }
    int status = share_boards_time(runs, machines, CLOCKS, &boards, why);
    for (unsigned i = 0; i < CLOCKS && status == 0; i++) {
        struct share_prediction prediction;
        status = share_theory_predict(&boards.cases[i], choice, &prediction, why);
        if (status == 0)
            mean_over_runs(&boards.cases[i], &prediction, i, r);
    }
    share_boards_destroy(&boards);
    return status;
}

/* --- drawing ------------------------------------------------------------------------------------------------ */

static const double WIDTH = 860, LEFT = 66, GAP = 88, TOP = 44, PANEL_WIDTH = 340, PANEL_HEIGHT = 260;

static const char *name_of(unsigned line)
{
    return line == SIMULATED ? "simulated" : share_theory_names[line - FIRST_MODEL];
}

/* The simulation comes first, as rings around what agrees with it. */
static void draw_line(const struct range *r, unsigned line, bool errors, const struct chart *c)
{
    double y[CLOCKS];
    char class[16], tip[120];
    for (unsigned i = 0; i < CLOCKS; i++)
        y[i] = r->slower[line][i] - (errors ? r->slower[SIMULATED][i] : 0);
    snprintf(class, sizeof class, "s%d w2", (int)looks[line].colour);
    if (line != SIMULATED)
        chart_draw_line(c, r->bus, y, CLOCKS, class);
    for (unsigned i = 0; i < CLOCKS; i++) {
        snprintf(tip, sizeof tip,
                 errors ? "%s, %.4g MHz, %.3g%% of the bus: %+.3g points"
                        : "%s, %.4g MHz, %.3g%% of the bus: %.4g%% slower",
                 name_of(line), 1e-6 * r->clock_hz[i], r->bus[i], y[i]);
        svg_mark(c->svg, chart_place(&c->x, r->bus[i]), chart_place(&c->y, y[i]), line == SIMULATED ? 5 : 3,
                 looks[line].shape, looks[line].colour, line == SIMULATED, tip);
    }
}

static void draw_panel(const struct range *r, bool errors, struct svg *svg)
{
    struct chart c = {svg, chart_axis_to(100, "bus, one board alone [%]"), {0}};
    double least = 0, most = 0;
    for (unsigned i = 0; i < CLOCKS; i++)
        for (unsigned line = 0; line < LINES; line++) {
            double y = r->slower[line][i] - (errors ? r->slower[SIMULATED][i] : 0);
            least = fmin(least, y);
            most = fmax(most, y);
        }
    c.y = chart_axis_to(fmax(most, 0.1), errors ? "model − simulation [points]" : "slower [%]");
    if (least < 0)
        c.y.least = -chart_axis_to(-least, NULL).most;
    c.x.plain = c.y.plain = true;
    chart_put(&c, LEFT + (errors ? PANEL_WIDTH + GAP : 0), TOP, PANEL_WIDTH, PANEL_HEIGHT);
    chart_draw_axes(&c);
    for (unsigned line = errors ? FIRST_MODEL : SIMULATED; line < LINES; line++)
        draw_line(r, line, errors, &c);
}

static void draw(const struct range *r, struct svg *svg)
{
    struct chart_legend_entry entries[LINES];
    char title[120];
    snprintf(title, sizeof title,
             "Slowdown of %u boards on one bus, and the models' errors, over its utilisation", r->boards);
    svg_begin(svg, WIDTH, TOP + PANEL_HEIGHT + 52, title);
    for (unsigned line = 0; line < LINES; line++)
        entries[line] = (struct chart_legend_entry){name_of(line), looks[line].colour,
                                                    line == SIMULATED ? CHART_KEY_OPEN_MARK : CHART_KEY_MARK,
                                                    looks[line].shape};
    svg_textf(svg, LEFT, 16, 12, SVG_START, "f2", "%u boards", r->boards);
    chart_draw_legend(svg, LEFT + 70, 4, WIDTH - LEFT - 80, entries, LINES);
    draw_panel(r, false, svg);
    draw_panel(r, true, svg);
    svg_end(svg);
}

int share_range_write(const struct share_runs *runs, const struct hardware *machine,
                      const struct share_choice *choice, const char *path, struct why *why)
{
    struct range r = {.boards = runs->count};
    struct output output;
    int status = compute(runs, machine, choice, &r, why);
    if (status)
        return status;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    draw(&r, &(struct svg){.out = output.file});
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}
