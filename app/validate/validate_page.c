#include "app/validate/validate_page.h"

#include <math.h>

#include "base/draw/figure.h"
#include "app/report/report.h"
#include "app/prose.inc"

/* --- the answer ------------------------------------------------------------------------------------------ */

struct counts {
    unsigned inside, violated, outside, given;
};

static struct counts count_verdicts(const struct verdict_frame *frame)
{
    struct counts counts = {0};
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            const struct verdict_cell *cell = &frame->cells[row][model];
            unsigned *count = cell->why_not   ? &counts.outside
                              : cell->given   ? &counts.given
                              : cell->reasons ? &counts.violated
                                              : &counts.inside;
            ++*count;
        }
    return counts;
}

/* Find the model that is best for most quantities. @param won  out: quantities with a best model. @return the number of
 * those that it is best for */
static unsigned find_nearest(const struct validation *v, enum verdict_model *nearest, unsigned *won)
{
    unsigned wins[VERDICT_MODELS] = {0}, most = 0;
    *won = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (v->best[row].model >= 0) {
            wins[v->best[row].model]++;
            ++*won;
        }
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        if (wins[model] > most) {
            most = wins[model];
            *nearest = (enum verdict_model)model;
        }
    return most;
}

static void write_answer(struct page *p, const void *validation)
{
    const struct validation *v = validation;
    struct counts n = count_verdicts(&v->frames[0]);
    unsigned numbers = n.inside + n.violated;
    enum verdict_model nearest = VERDICT_MM1;
    unsigned won, wins = find_nearest(v, &nearest, &won);
    if (n.inside == 0)
        fputs("<p class=\"answer\"><strong>The run keeps to no model's assumptions.</strong>", p->out);
    else
        page_put(
            p->out,
            "<p class=\"answer\"><strong>The run keeps to the assumptions of %u of %u predictions.</strong>",
            n.inside, numbers);
    if (wins > 0)
        page_put(
            p->out,
            " The nearest model is %s: it is the best one for %u of the %u queues and signals of which any model "
            "is within a factor of %g.",
            nearest == VERDICT_BLOCKING ? "the tandem with blocking"
            : nearest == VERDICT_FIVE   ? "M/M/1/K (Dor) in five stages"
                                        : verdict_model_name(nearest),
            wins, won, VALIDATION_NEAR);
    if (v->reason)
        page_put(p->out, " What theory does not see first of all: %s.", v->reason);
    page_put(p->out, PROSE_VALIDATE_ANSWER, MACHINE_QUANTITIES, MACHINE_QUANTITIES * VERDICT_MODELS, n.inside,
             n.violated, n.outside, n.given);
    if (v->finding_count > 0) {
        fputs("<h3>What the differences say of the machine</h3>\n", p->out);
        report_models_write_findings(v, p->out);
    }
}

/* --- why they differ ------------------------------------------------------------------------------------- */

/* The shares of the models' assumptions in the errors of the mean queues, a panel each: a bar per step, from the value
 * before it to the value after it, and the formulas. A scale reaches from 0 to its greatest value. */
static const double LEFT = 150, RIGHT = 120, TOP = 46, ROW = 17, HEADING = 26, BOTTOM = 48;

enum { LINES = ASSUMPTIONS + 3 }; /* the simulation, the steps, and the two formulas */

/* Beyond this ratio of the greatest value to simulation and formula the scale is logarithmic. */
static const double RATIO_LINEAR = 50;

static bool has_formula(const struct assumption_shares *s, unsigned row)
{
    return s->rests[ASSUMPTION_MM1][row].has_formula || s->rests[ASSUMPTION_MM1K][row].has_formula;
}

static bool is_drawn(const struct assumption_shares *s, unsigned row)
{
    return machine_quantities[row].kind == QUANTITY_N_Q && has_formula(s, row) &&
           isfinite(s->values[0][row].mean);
}

static struct figure_axis axis_of(const struct assumption_shares *s, unsigned row, const char *title)
{
    double most = 0, least = INFINITY, ends = s->values[0][row].mean;
    for (unsigned step = 0; step < ASSUMPTION_VALUES; step++) {
        most = fmax(most, s->values[step][row].mean);
        if (s->values[step][row].mean > 0)
            least = fmin(least, s->values[step][row].mean);
    }
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        ends = fmax(ends, s->rests[model][row].formula);
    if (!(most > 0))
        most = 1;
    return most > RATIO_LINEAR * ends && least < most
               ? figure_axis_logarithmic(fmax(least, most * 1e-6), most, title)
               : figure_axis_to(most, title);
}

/* A bar with its name, and the number beside it. */
static void draw_bar(const struct figure *f, double value, double y, const char *name, const char *class,
                     const char *tip)
{
    svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "bold", name);
    figure_bar(f, f->x.least, value, y, 10, 1, class, tip ? "%s" : NULL, tip);
}

static void draw_step(const struct figure *f, const struct assumption_shares *s, unsigned step, unsigned row,
                      double y)
{
    const struct assumption_spec *spec = &assumptions[s->order[step]];
    double before = s->values[step][row].mean, after = s->values[step + 1][row].mean;
    struct estimate share = assumption_share(s, step, row);
    svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "", spec->name);
    svg_line(f->svg, figure_x(f, before), y - ROW, figure_x(f, before), y + 5, "s4 thin");
    figure_bar(f, fmin(before, after), fmax(before, after), y, 10, 1, after > before ? "f7" : "f8",
               "%s: %+.4g ± %.2g, from %.4g to %.4g; %s", spec->name, share.mean, share.half_width, before,
               after, spec->meaning);
    if (fabs(share.mean) > 1e-9 * fabs(before))
        svg_textf(f->svg, f->x.to + 8, y + 4, 11, SVG_START, fabs(share.mean) > share.half_width ? "" : "f2",
                  "%+.3g", share.mean);
}

static void draw_formula(const struct figure *f, const struct assumption_shares *s,
                         enum assumption_model model, unsigned row, double y)
{
    const struct assumption_rest *rest = &s->rests[model][row];
    const char *name = assumption_model_name(model);
    if (!rest->has_formula) {
        svg_text(f->svg, LEFT - 10, y + 4, 11, SVG_END, "bold", name);
        svg_text(f->svg, f->x.from + 6, y + 4, 11, SVG_START, "f2", rest->remark);
        return;
    }
    draw_bar(f, rest->formula, y, name, rest->remark ? "f9" : "f12", rest->remark);
    svg_textf(f->svg, f->x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g%s", rest->formula,
              rest->remark ? " (not met)" : "");
}

static double draw_panel(struct svg *svg, const struct assumption_shares *s, unsigned row, double top)
{
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    char title[80];
    snprintf(title, sizeof title, "%s [%s]", spec->name, spec->unit);
    struct figure f = {svg, axis_of(s, row, title)};
    double y = top + HEADING + ROW / 2, height = ROW * LINES;
    svg_text(svg, 12, top + 16, 13, SVG_START, "bold", title);
    figure_open(&f, LEFT, top + HEADING, FIGURE_WIDTH - LEFT - RIGHT, height);
    draw_bar(&f, s->values[0][row].mean, y, "simulated", "f6", NULL);
    svg_textf(svg, f.x.to + 8, y + 4, 11, SVG_START, "bold", "%.4g", s->values[0][row].mean);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        if (step == assumption_steps_of(ASSUMPTION_MM1))
            draw_formula(&f, s, ASSUMPTION_MM1, row, y += ROW);
        draw_step(&f, s, step, row, y += ROW);
    }
    draw_formula(&f, s, ASSUMPTION_MM1K, row, y + ROW);
    return top + HEADING + height + BOTTOM;
}

static void draw(const void *shares, struct svg *svg)
{
    const struct assumption_shares *s = shares;
    static const struct figure_style entries[] = {
        {"simulated", SVG_BLUE, FIGURE_AREA, SVG_DISC},
        {"a step that makes the queue longer", SVG_VERMILION, FIGURE_AREA, SVG_DISC},
        {"a step that makes it shorter", SVG_GREEN, FIGURE_AREA, SVG_DISC},
        {"formula, met by the last step", SVG_GREY, FIGURE_AREA, SVG_DISC},
        {"formula that is not met", SVG_ORANGE, FIGURE_AREA, SVG_DISC},
    };
    unsigned panels = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        panels += is_drawn(s, row);
    svg_begin(svg, FIGURE_WIDTH, TOP + panels * (HEADING + ROW * LINES + BOTTOM),
              "Shares of the models' assumptions in the errors of the mean queues");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, entries, sizeof entries / sizeof entries[0]);
    double top = TOP;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (is_drawn(s, row))
            top = draw_panel(svg, s, row, top);
    svg_end(svg);
}

static void write_why(struct page *page, const void *shares)
{
    const struct assumption_shares *s = shares;
    page_put(page->out, PROSE_VALIDATE_WHY, assumption_shares_met(s), s->checks);
    page_picture(page, draw, s);
    fputs("<ul>\n", page->out);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            const struct assumption_rest *rest = &s->rests[model][row];
            if (rest->has_formula && rest->remark)
                page_put(page->out, "<li>%s of %s is not met: %s.</li>\n", machine_quantities[row].name,
                         assumption_model_name(model), rest->remark);
        }
    fputs("</ul>\n<h3>The steps, each with all before it</h3>\n<dl>\n", page->out);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        page_put(page->out, "<dt>%s</dt><dd>%s (%s)</dd>\n", spec->name, spec->meaning, spec->engine);
    }
    fputs("</dl>\n", page->out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static void write_numbers(struct page *p, const void *validation)
{
    fputs(PROSE_VALIDATE_NUMBERS, p->out);
    p->status |= validation_write_html(validation, VALIDATION_ROWS, p->out);
}

static void write_verdicts(struct page *p, const void *validation)
{
    fputs(PROSE_VALIDATE_VERDICTS, p->out);
    p->status |= validation_write_html(validation, VALIDATION_STAGES, p->out);
    p->status |= validation_write_html(validation, VALIDATION_VERDICTS, p->out);
}

static void write_ranges(struct page *p, const void *validation)
{
    const struct validation *v = validation;
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            count += validation_is_ill_conditioned(v, row, model);
    page_put(p->out, "<p>%s by more than 5%% while the inputs move within %u digits' rounding.</p>\n",
             count > 0 ? "These predictions move" : "No prediction moves", v->digits);
    if (count > 0)
        p->status |= validation_write_html(v, VALIDATION_RANGES, p->out);
}

static const char words[] =
#include "app/validate_words.inc"
    ;

/* --- the page -------------------------------------------------------------------------------------------- */

static const char *missing_queues(const struct run_files *run)
{
    return report_queues.missing(run)
               ? "There are no histograms: mercury run -o DIR writes histograms.tsv beside summary.json, and this "
                 "summary.json stands alone."
               : NULL;
}

static void write_windows(struct page *page, const void *data)
{
    const struct window_study *s = data;
    char text[512];
    page_put(page->out, "<p>%s</p>\n", window_study_say(s, text, sizeof text));
    page_picture(page, window_study_draw, s);
    page_put(page->out, PROSE_VALIDATE_WINDOWS);
}

static int write_page(const struct validation *v, const struct assumption_shares *shares,
                      const struct window_study *study, const struct run_files *run, const char *path,
                      struct why *why)
{
    struct report_part models = report_models, queues = report_queues;
    models.follow = NULL; /* the findings are part of the answer */
    queues.missing = missing_queues;
    const struct report_section models_section = {&models, run}, queues_section = {&queues, run};
    const struct page_section sections[] = {
        {"answer", "The answer", write_answer, v, NULL},
        {"models", models.title, report_write_section, &models_section, NULL},
        {"queues", queues.title, report_write_section, &queues_section, NULL},
        {"windows", "Theory in windows", study ? write_windows : NULL, study, NULL},
        {"why", "Why they differ", shares ? write_why : NULL, shares, NULL},
        {"numbers", "All numbers of the run", write_numbers, v, NULL},
        {"verdicts", "The verdicts", write_verdicts, v, NULL},
        {"ranges", "How far rounding moves predictions", write_ranges, v, NULL},
        {"words", "The words", page_words, words, NULL},
    };
    char inputs[RUN_FILES_TITLE_BYTES], title[RUN_FILES_TITLE_BYTES + 40];
    snprintf(title, sizeof title, "%s: theory and simulation", run_files_title(run, inputs));
    return page_write(path, title,
                      "Every model of queueing theory beside a run of the Mercury BLAST accelerator",
                      sections, sizeof sections / sizeof sections[0], why);
}

int validate_page_write(const struct validation *v, const struct assumption_shares *shares,
                        const struct window_study *study, const struct run *of, const char *directory,
                        const char *path, struct why *why)
{
    struct run_files run;
    int status = run_files_open_summary(of, directory, &run, why);
    if (status == 0) {
        run_files_take_models(&run, v);
        status = write_page(v, shares, study, &run, path, why);
    }
    run_files_close(&run);
    return status;
}
