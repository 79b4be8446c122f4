#include "app/share/share_range.h"

#include <math.h>
#include <stdio.h>

#include "base/draw/figure.h"
#include "base/draw/picture.h"

/* Clocks as parts of the machine's own; of the default machine, 0.7 to 133 MHz. Their utilisations are nearly equally
 * far apart, as long as the clock limits. */
static const double clocks[] = {0.7 / 133, 2. / 133,  4. / 133,  7. / 133,   10. / 133,
                                15. / 133, 20. / 133, 26. / 133, 33. / 133,  42. / 133,
                                52. / 133, 65. / 133, 80. / 133, 100. / 133, 1};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

/* What is drawn: the simulation, then the models. */
enum { SIMULATED, FIRST_MODEL, LINES = FIRST_MODEL + PARALLEL_MODELS };

/* The names of the models are share_theory's. The simulation is drawn as rings around what agrees with it. */
static const struct figure_style styles[LINES] = {
    [SIMULATED] = {"simulated", SVG_INK, FIGURE_RING, SVG_DISC},
    [FIRST_MODEL + PARALLEL_MVA] = {NULL, SVG_VERMILION, FIGURE_MARK, SVG_SQUARE},
    [FIRST_MODEL + PARALLEL_FAIR_SHARES] = {NULL, SVG_GREEN, FIGURE_MARK, SVG_DIAMOND},
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
    return line == SIMULATED ? styles[line].text : share_theory_names[line - FIRST_MODEL];
}

static void draw_panel(const struct range *r, bool errors, struct svg *svg)
{
    double y[LINES][CLOCKS], least = 0, most = 0.1;
    for (unsigned line = 0; line < LINES; line++)
        for (unsigned i = 0; i < CLOCKS; i++) {
            y[line][i] = r->slower[line][i] - (errors ? r->slower[SIMULATED][i] : 0);
            least = fmin(least, y[line][i]);
            most = fmax(most, y[line][i]);
        }
    struct figure f = {svg, figure_axis_to(100, "bus, one board alone [%]"),
                       figure_axis_to(most, errors ? "model − simulation [points]" : "slower [%]")};
    if (least < 0)
        f.y.least = -figure_axis_to(-least, NULL).most;
    f.x.plain = f.y.plain = true;
    figure_open(&f, LEFT + (errors ? PANEL_WIDTH + GAP : 0), TOP, PANEL_WIDTH, PANEL_HEIGHT);
    for (unsigned line = errors ? FIRST_MODEL : SIMULATED; line < LINES; line++) {
        char class[16];
        snprintf(class, sizeof class, "s%d w2", (int)styles[line].colour);
        if (line != SIMULATED)
            figure_line(&f, r->bus, y[line], CLOCKS, class);
        for (unsigned i = 0; i < CLOCKS; i++)
            figure_mark(&f, r->bus[i], y[line][i], line == SIMULATED ? 5 : 3, &styles[line],
                        errors ? "%s, %.4g MHz, %.3g%% of the bus: %+.3g points"
                               : "%s, %.4g MHz, %.3g%% of the bus: %.4g%% slower",
                        name_of(line), 1e-6 * r->clock_hz[i], r->bus[i], y[line][i]);
    }
}

static void draw(const void *range, struct svg *svg)
{
    const struct range *r = range;
    struct figure_style key[LINES];
    char title[120];
    snprintf(title, sizeof title,
             "Slowdown of %u boards on one bus, and the models' errors, over its utilisation", r->boards);
    svg_begin(svg, WIDTH, TOP + PANEL_HEIGHT + 52, title);
    for (unsigned line = 0; line < LINES; line++) {
        key[line] = styles[line];
        key[line].text = name_of(line);
    }
    svg_textf(svg, LEFT, 16, 12, SVG_START, "f2", "%u boards", r->boards);
    figure_draw_legend(svg, LEFT + 70, 4, WIDTH - LEFT - 80, key, LINES);
    draw_panel(r, false, svg);
    draw_panel(r, true, svg);
    svg_end(svg);
}

int share_range_write(const struct share_runs *runs, const struct hardware *machine,
                      const struct share_choice *choice, const char *path, struct why *why)
{
    struct range r = {.boards = runs->count};
    int status = compute(runs, machine, choice, &r, why);
    return status ? status : picture_save(draw, &r, path, why);
}
