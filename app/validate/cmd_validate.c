#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/result_table.h"
#include "base/file/file_uses.h"
#include "base/file/whole_file.h"
#include "base/memory.h"
#include "base/why.h"
#include "base/draw/figure.h"
#include "blast/sequence/sequence.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "sim/simgrid/queue_network.h"
#include "validate/run_bounds.h"
#include "validate/validation.h"
#include "app/report/queue_distances.h"
#include "app/report/run_files.h"
#include "app/run/recorded_run.h"
#include "app/run/run_output.h"
#include "app/why/assumption_shares.h"
#include "app/why/window_study.h"
#include "app/chain/chain_validate.h"
#include "app/chain/queue_files.h"
#include "app/report/line_run.h"
#include "app/report/report.h"
#include "app/prose.inc"
#include "app/options.inc"

/* --- the page -------------------------------------------------------------------------------------------- */

/* The page of a validation: what the differences say of the machine, every model beside the
 * simulation as a picture, the queues' histograms with the models' distributions, and the numbers of the text
 * (base/draw/page.h). */

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

static void write_answer(const void *validation, FILE *out)
{
    const struct validation *v = validation;
    struct counts n = count_verdicts(&v->frames[0]);
    unsigned numbers = n.inside + n.violated;
    enum verdict_model nearest = VERDICT_MM1;
    unsigned won, wins = find_nearest(v, &nearest, &won);
    if (n.inside == 0)
        fputs("<p class=\"answer\"><strong>The run keeps to no model's assumptions.</strong>", out);
    else
        page_put(
            out,
            "<p class=\"answer\"><strong>The run keeps to the assumptions of %u of %u predictions.</strong>",
            n.inside, numbers);
    if (wins > 0)
        page_put(
            out,
            " The nearest model is %s: it is the best one for %u of the %u queues and signals of which any model "
            "is within a factor of %g.",
            nearest == VERDICT_BLOCKING ? "the tandem with blocking"
            : nearest == VERDICT_FIVE   ? "M/M/1/K (Dor) in five stages"
                                        : verdict_model_name(nearest),
            wins, won, VALIDATION_NEAR);
    if (v->reason)
        page_put(out, " What theory does not see first of all: %s.", v->reason);
    page_put(out, PROSE_VALIDATE_ANSWER, MACHINE_QUANTITIES, MACHINE_QUANTITIES * VERDICT_MODELS, n.inside,
             n.violated, n.outside, n.given);
    if (v->finding_count > 0) {
        fputs("<h3>What the differences say of the machine</h3>\n", out);
        report_models_write_findings(v, out);
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
        if (step == assumption_models[ASSUMPTION_MM1].steps)
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

static void write_why(const void *shares, FILE *out)
{
    const struct assumption_shares *s = shares;
    page_put(out, PROSE_VALIDATE_WHY, assumption_shares_met(s), s->checks);
    page_picture(draw, s, out);
    fputs("<ul>\n", out);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            const struct assumption_rest *rest = &s->rests[model][row];
            if (rest->has_formula && rest->remark)
                page_put(out, "<li>%s of %s is not met: %s.</li>\n", machine_quantities[row].name,
                         assumption_model_name(model), rest->remark);
        }
    fputs("</ul>\n<h3>The steps, each with all before it</h3>\n<dl>\n", out);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        page_put(out, "<dt>%s</dt><dd>%s (%s)</dd>\n", spec->name, spec->meaning, spec->engine);
    }
    fputs("</dl>\n", out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static void write_numbers(const void *validation, FILE *out)
{
    validation_write_rows(validation, 0, RESULT_HTML, out);
}

static void write_verdicts(const void *validation, FILE *out)
{
    validation_write_stages(validation, out);
    validation_write_verdicts(validation, out);
}

static void write_ranges(const void *validation, FILE *out)
{
    const struct validation *v = validation;
    const unsigned count = validation_ill_conditioned(v);
    page_put(out, "<p>%s by over 5%% (or to none) while inputs move within %u digits' rounding.</p>\n",
             count > 0 ? "These predictions move" : "No prediction moves", v->digits);
    if (count > 0)
        validation_write_ranges(v, RESULT_HTML, out);
}

static const char words[] =
#include "app/validate_words.inc"
    ;

/* --- the session ----------------------------------------------------------------------------------------- */

struct arguments {
    const char *path, *report; /* report: NULL if not given */
    enum result_format format;
    bool passes, wide, distributions, bounds;
    unsigned digits;
    double fail_over;    /* per cent; NaN: never */
    bool why_wrong;      /* --why */
    const char *windows; /* --windows: its lengths; NULL if not given */
    uint64_t lengths[WINDOW_LENGTHS_MAX];
    unsigned length_count;
    const char *record, *order; /* NULL if not given */
    uint64_t seed;              /* 0 if not given */
    enum assumption steps[ASSUMPTIONS];
    const char *chain;              /* NULL if not given */
    double lambda_per_s, customers; /* NaN if not given */
    unsigned overflow;              /* enum queue_line_overflow; OVERFLOWS if not given */
    struct why *why;
};

enum { OVERFLOWS = OVERFLOW_BLOCK + 1 };

/* --- arguments ------------------------------------------------------------------------------------------- */

static const char *const overflow_names[] = {[OVERFLOW_LOSS] = "loss", [OVERFLOW_BLOCK] = "block", NULL};

static const struct command_option options[] = COMMAND_OPTIONS(VALIDATE_OPTIONS);

/* There is no run, and so nothing of one. */
static int check_chain(const struct arguments *a, bool has_summary)
{
    const char *other = has_summary        ? "SUMMARY"
                        : a->why_wrong     ? "--why"
                        : a->windows       ? "--windows"
                        : a->passes        ? "--passes"
                        : a->distributions ? "--distributions"
                        : a->bounds        ? "--bounds"
                        : a->report        ? "--report"
                        : a->record        ? "--record"
                        : a->order         ? "--order"
                                           : NULL;
    if (!other)
        return 0;
    return why_refuse(a->why, "--chain describes the whole system: expected no %s beside it", other);
}

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    int status = command_parse("validate", options, argc, argv, 1, a, a->why);
    if (status == 0 && a->chain)
        return check_chain(a, optind < argc);
    if (status == 0 && (!isnan(a->lambda_per_s) || !isnan(a->customers) || a->overflow != OVERFLOWS))
        return why_refuse(a->why, "%s is for --chain; see mercury help validate",
                          !isnan(a->lambda_per_s) ? "--lambda"
                          : !isnan(a->customers)  ? "--customers"
                                                  : "--overflow");
    if (status == 0 && optind == argc)
        return why_refuse(a->why,
                          "needs the summary.json of a run, or its directory; see mercury help validate");
    const bool why_only = a->order || a->seed || (a->record && !a->windows && !a->bounds);
    if (status == 0 && !a->why_wrong && why_only)
        return why_refuse(a->why, "%s; see mercury help validate",
                          a->record  ? "--record is for --why, --windows and --bounds"
                          : a->order ? "--order is for --why"
                                     : "--seed is for --why and --chain");
    if (status == 0 && a->why_wrong + a->distributions + a->bounds + (a->windows != NULL) > 1)
        return why_refuse(
            a->why, "--why, --windows, --distributions and --bounds print different things; ask for one");
    if (status == 0 && a->windows && *a->windows) {
        const int count = window_study_lengths(a->windows, a->lengths, a->why);
        if (count < 0)
            return -count;
        a->length_count = (unsigned)count;
    }
    a->path = argv[optind];
    return status == 0 ? command_status_of(assumptions_order(a->order, a->steps, a->why)) : status;
}

/* --- a record, for --why, --windows and --bounds --------------------------------------------------------- */

/* The tokens and the machine of a run. A run's directory has a summary.json, and the record is a file of its own: the
 * one *.tokens in the directory, or one that is named. The run's machine must be the record's, and so must its counts.
 * A record may also stand alone: it is then timed again on its own machine, as `mercury retime` does, which makes the
 * summary. */
struct recording {
    const char *option; /* that needs it, for messages */
    char path[PATH_MAX];
    struct token_record *record;
    struct platform *platform;
    struct hardware hardware;
    struct assumption_tokens tokens;
};

/* A run that is validated. */
struct job {
    const struct arguments *a;
    struct run_place place;
    bool stands_alone; /* it is a record, without a summary */
    struct recording recorded;
    struct run_files files;           /* its tables only if a page, windows or distributions are asked for */
    struct assumption_shares *shares; /* NULL unless they were asked for */
    struct window_study *study;       /* likewise */
    struct run_bounds bounds;
    bool unbounded; /* there are none, for this reason */
    struct why no_bounds;
    struct why *why;
};

/* Find the record of a run. @param directory  "" if only `named` can be meant; @param named  or NULL */
static int find_record(const char *directory, const char *named, struct recording *s, struct why *why)
{
    const char *path = named ? named : directory;
    if (*path)
        return recorded_run_find(path, s->path, "--record FILE", why) == 0
                   ? 0
                   : why_precede(why, COMMAND_REFUSED, "%s: ", s->option);
    return why_refuse(
        why,
        "%s: the run's tokens are needed; expected --record FILE, which mercury run --record FILE writes",
        s->option);
}

static int check_machine(const struct recording *s, struct why *why)
{
    if (s->hardware.board.trips_in_flight > 1)
        return why_refuse(
            why,
            "%s: %.300s was recorded with sram.trips_in_flight = %u; expected 1, since theory knows one "
            "trip at a time: record the run again with --set sram.trips_in_flight=1",
            s->option, s->path, s->hardware.board.trips_in_flight);
    if (s->hardware.pcix_priority != BUS_FAIR)
        return why_refuse(
            why,
            "%s: %.300s was recorded with a pcix.priority; expected fair, since theory has blocks and "
            "records share the bus: record the run again with --set pcix.priority=fair",
            s->option, s->path);
    if (s->hardware.boards == 1 && s->hardware.hosts == 1)
        return 0;
    return why_refuse(why,
                      "%s: %.300s was recorded on a machine of several boards or hosts; expected one board: "
                      "record the run again with --set boards=1 --set hosts=1",
                      s->option, s->path);
}

/* @param of_theory  it is for models, which do not have every machine */
static int open_record(struct recording *s, bool of_theory, struct why *why)
{
    int status = command_status_of(token_record_open(s->path, &s->record, why));
    s->hardware = hardware_default();
    if (status == 0)
        status = recorded_machine_open(&token_record_run(s->record)->facts, &s->hardware, &s->platform, why);
    if (status == 0 && hardware_check(&s->hardware, why) != 0)
        status = COMMAND_REFUSED;
    return status || !of_theory ? status : check_machine(s, why);
}

/* Read the tokens, which must be the run's, as the machine must. */
static int take_tokens(struct job *job)
{
    struct recording *s = &job->recorded;
    const double *in = job->files.validation.frames[0].inputs.value;
    const char *name = whole_file_name(job->place.summary);
    const struct hardware *h = &s->hardware;
    const struct assumption_tokens *t = &s->tokens;
    int status = assumption_tokens_read(s->record, s->path, h, &s->tokens, job->why);
    if (status)
        return command_status_of(status);
    double wmers = (double)t->word_count * BASES_PER_WORD, seeds = (double)t->lookup_count;
    bool same_data = fabs(in[PREDICT_P_1A] * wmers - seeds) < 0.5 &&
                     fabs(in[PREDICT_P_1B] * seeds - (double)t->match_count) < 0.5 &&
                     fabs(in[PREDICT_M_1B] * seeds - (double)t->reads) < 0.5;
    if (!same_data)
        return why_refuse(
            job->why,
            "%.200s is not the run that %.200s was recorded of: seeds, matches or SRAM reads differ", name,
            s->path);
    bool same_machine =
        fabs(in[PREDICT_CLOCK] * 1e6 / h->fpga_clock_hz - 1) < 1e-9 &&
        fabs(in[PREDICT_SUPPLY] * 1e6 / h->host_supply - 1) < 1e-9 &&
        fabs(in[PREDICT_BUS] * 1e6 / hardware_bus_bytes_per_s(h) - 1) < 1e-9 &&
        in[PREDICT_FIFO_INGRESS] == h->board.ingress_words && in[PREDICT_FIFO_WMER] == h->board.wmer_seeds &&
        in[PREDICT_FIFO_SRAM] == h->board.sram_lookups &&
        in[PREDICT_FIFO_STAGE2] == h->board.stage2_matches &&
        in[PREDICT_WMER_MARGIN] == h->board.wmer_margin && in[PREDICT_SRAM_MARGIN] == h->board.sram_margin &&
        in[PREDICT_STAGE2_MARGIN] == h->board.stage2_margin &&
        in[PREDICT_TRIP_CYCLES] == fmax(1, board_trip_cycles(&h->board)) &&
        in[PREDICT_FETCH_CYCLES] == h->board.stage2_fetch_cycles;
    if (same_machine)
        return 0;
    return why_refuse(
        job->why,
        "%.200s was timed on another machine than %.200s; expected the run that wrote the record, or the "
        "record alone",
        name, s->path);
}

/* What the formulas say of the machine's queues, and what they take of it. */
static int take_formulas(const struct verdict_frame *frame, struct assumption_formulas *f,
                         struct assumption_machine *m, struct why *why)
{
    static const int k[QUANTITY_STAGES] = {
        -1, PREDICT_K_1A, PREDICT_K_1B, PREDICT_K_1BP, PREDICT_K_1BD, PREDICT_K_2};
    const double *in = frame->inputs.value;
    struct prediction p;
    int status = prediction_make_chains(&frame->inputs, &p);
    if (status == 0)
        status = p.parts[PREDICTION_FOUR].status;
    if (status == 0)
        status = p.parts[PREDICTION_FIVE].status;
    if (status)
        return why_say(why, ASSUMPTION_EINPUT, "the models have no numbers for this run: %s",
                       model_error_text(status));
    f->frame = frame;
    m->service_1b_clocks = in[PREDICT_CLOCK] * 1e6 / verdict_stage(&p, QUANTITY_1B, false)->mu_per_s;
    for (unsigned stage = 0; stage < QUANTITY_STAGES; stage++) {
        const struct prediction_stage *of = verdict_stage(&p, stage, false);
        m->places[stage] = k[stage] < 0 ? 0 : (uint64_t)in[k[stage]];
        f->rho[stage] = of->rho;
        const struct pipeline_queue *queue = &of->queue[PIPELINE_MM1K_DOR];
        bool has = queue->status == 0 && m->places[stage] > 0 && queue->mean.lambda_offered_per_s > 0;
        f->loss[stage] =
            (struct assumption_loss_queue){has ? queue->mean.lambda_offered_per_s : NAN, of->mu_per_s};
    }
    return 0;
}

static int explain(struct job *job)
{
    enum { LEAST_WORDS = 2000000 };
    struct recording *s = &job->recorded;
    const struct verdict_frame *frame = &job->files.validation.frames[0];
    struct estimate simulated[MACHINE_QUANTITIES];
    struct assumption_formulas formulas;
    int status = take_tokens(job);
    if (status)
        return status;
    struct assumption_machine machine = {
        .hardware = &s->hardware,
        .tokens = &s->tokens,
        .clocks = frame->terms[N_Q_2].whole,
        .record_bytes = frame->inputs.value[PREDICT_HSP_BYTES],
        .least_words = LEAST_WORDS,
        .seed = job->a->seed ? job->a->seed : 1,
    };
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        simulated[row] =
            (struct estimate){.mean = verdict_simulated(frame, row),
                              .half_width = job->files.validation.intervals[0][row].estimate.half_width};
    if (frame->saturated) /* as the steps have it: reads per clock, and not seeds per read */
        simulated[RHO_1B] =
            (struct estimate){.mean = (double)s->tokens.reads / machine.clocks, .half_width = NAN};
    status = take_formulas(frame, &formulas, &machine, job->why);
    if (status)
        return command_status_of(status);
    job->shares = memory_take(sizeof *job->shares);
    assumption_shares_find(&machine, simulated, &formulas, job->a->steps, false, job->shares);
    return 0;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static bool needs_record(const struct arguments *a)
{
    return a->why_wrong || a->windows || a->bounds;
}

/* A run may have no bounds: that is told in place of them. */
static int bear_no_bounds(struct job *job, int status)
{
    if (status == 0 || !job->a->bounds)
        return status;
    job->unbounded = status == COMMAND_REFUSED && !job->stands_alone;
    *job->why = job->no_bounds;
    return job->unbounded ? 0 : status;
}

/* The record comes first: without it there is nothing to simulate again. */
static int open_source(struct job *job)
{
    int status = 0;
    job->recorded.option = job->a->windows ? "--windows" : job->a->bounds ? "--bounds" : "--why";
    job->stands_alone = needs_record(job->a) && recorded_run_is_record(job->place.summary);
    if (!needs_record(job->a))
        return 0;
    struct why *why = job->a->bounds ? &job->no_bounds : job->why;
    status = find_record(job->place.directory, job->stands_alone ? job->place.summary : job->a->record,
                         &job->recorded, why);
    if (status == 0)
        status = open_record(&job->recorded, !job->a->bounds, why);
    return bear_no_bounds(job, status);
}

static int check_page(const struct job *job)
{
    const char *page = job->a->report;
    struct file_uses uses = {0};
    if (!page)
        return 0;
    file_uses_read(&uses, job->stands_alone ? "the record" : "the summary", job->place.summary);
    if (job->recorded.record && !job->stands_alone)
        file_uses_read(&uses, "the record", job->recorded.path);
    if (*job->place.directory)
        run_files_note(job->place.directory, file_uses_read, "a file of the run", &uses);
    file_uses_write(&uses, "--report", page);
    return command_status_of(file_uses_probe(&uses, job->why));
}

/* Only a page does without histograms. */
static int open_files(struct job *job)
{
    const char *needs = job->a->windows ? "--windows" : job->a->distributions ? "--distributions" : NULL;
    int status = run_files_complete(job->place.directory, &job->files, job->why);
    return status || !needs || job->files.queues[FIFO_INGRESS].bin_count > 0
               ? status
               : why_refuse(job->why,
                            "%s: expected histograms.tsv beside %.300s; mercury run -o DIR writes it", needs,
                            whole_file_name(job->place.summary));
}

static int study_windows(struct job *job)
{
    struct recording *s = &job->recorded;
    int status = take_tokens(job);
    if (status)
        return status;
    job->study = memory_take(sizeof *job->study);
    window_study_make(&s->hardware, &s->tokens, &job->files, &job->files.validation, job->a->lengths,
                      job->a->length_count, job->study);
    return 0;
}

static int find_bounds(struct job *job)
{
    struct recording *s = &job->recorded;
    const struct hardware *hardware =
        job->files.numbers.has_machine ? &job->files.numbers.hardware : &s->hardware;
    int status = job->unbounded ? COMMAND_REFUSED : run_bounds_check(hardware, &job->no_bounds);
    if (status == 0)
        status =
            run_bounds_find(s->record, s->path, hardware, &job->files.numbers, &job->bounds, &job->no_bounds);
    status = bear_no_bounds(job, status);
    job->files.validation.bounds = job->unbounded ? NULL : &job->bounds;
    job->files.validation.no_bounds = job->unbounded ? job->no_bounds.line : NULL;
    return status;
}

static int judge(struct job *job)
{
    const struct arguments *a = job->a;
    struct recording *r = &job->recorded;
    int status = job->stands_alone ? recorded_run_take(r->record, &r->hardware, r->platform, r->path,
                                                       &job->files.numbers, job->why)
                                   : run_read(job->place.summary, &job->files.numbers, job->why);
    if (status == 0)
        status = validation_make(&job->files.numbers, a->digits, VERDICT_ALL_RANGES, VERDICT_CHAIN_RANGES,
                                 &job->files.validation, job->why);
    if (status == 0 && a->bounds)
        status = find_bounds(job);
    if (status == 0 && (a->report || a->windows || a->distributions))
        status = open_files(job);
    if (status == 0 && a->windows)
        status = study_windows(job);
    if (status == 0 && a->why_wrong)
        status = explain(job);
    return command_status_of(status);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static const char *missing_queues(const struct run_files *run)
{
    return report_queues.missing(run)
               ? "There are no histograms: mercury run -o DIR writes histograms.tsv beside summary.json, and this "
                 "summary.json stands alone."
               : NULL;
}

static void write_windows(const void *data, FILE *out)
{
    const struct window_study *s = data;
    char text[512];
    page_put(out, "<p>%s</p>\n", window_study_say(s, text, sizeof text));
    page_picture(window_study_draw, s, out);
    page_put(out, PROSE_VALIDATE_WINDOWS);
}

static int write_page(const struct job *job)
{
    const struct run_files *run = &job->files;
    const struct validation *v = &job->files.validation;
    struct report_part models = report_models, queues = report_queues;
    models.follow = NULL; /* the findings are part of the answer */
    queues.missing = missing_queues;
    const struct report_section models_section = {&models, run}, queues_section = {&queues, run};
    const struct page_section sections[] = {
        {"answer", "The answer", write_answer, v},
        {"models", models.title, report_write_section, &models_section},
        {"queues", queues.title, report_write_section, &queues_section},
        {"windows", "Theory in windows", job->study ? write_windows : NULL, job->study},
        {"why", "Why they differ", job->shares ? write_why : NULL, job->shares},
        {"numbers", "All numbers of the run", write_numbers, v, .says = PROSE_VALIDATE_NUMBERS},
        {"verdicts", "The verdicts", write_verdicts, v, .says = PROSE_VALIDATE_VERDICTS},
        {"ranges", "How far rounding moves predictions", write_ranges, v},
        {"words", "The words", page_words, words},
    };
    char inputs[RUN_FILES_TITLE_BYTES], title[RUN_FILES_TITLE_BYTES + 40];
    snprintf(title, sizeof title, "%s: theory and simulation", run_files_title(run, inputs));
    return page_write(job->a->report, title,
                      "Every model of queueing theory beside a run of the Mercury BLAST accelerator",
                      sections, sizeof sections / sizeof sections[0], job->why);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

/* The page comes first, so that nothing is printed if it cannot be written. */
static int answer(const struct job *job)
{
    const struct arguments *a = job->a;
    const bool only_page = a->report && strcmp(a->report, "-") == 0 && !a->distributions;
    int status = a->report ? write_page(job) : 0;
    if (status || only_page)
        return status;
    if (a->distributions)
        queue_distances_write(&job->files, a->format, stdout);
    else if (job->shares)
        assumption_shares_write(job->shares, a->path, a->format, stdout);
    else if (job->study)
        window_study_write(job->study, a->format, stdout);
    else
        validation_write(&job->files.validation, a->passes, a->wide, a->format, stdout);
    return 0;
}

static int check_over(const struct job *job)
{
    const struct validation *v = &job->files.validation;
    double most = job->a->fail_over;
    unsigned row = 0, model = 0, count = isnan(most) ? 0 : validation_count_over(v, most / 100, &row, &model);
    if (count == 0)
        return 0;
    return why_say(
        job->why, COMMAND_FAILED,
        "%u %s inside the model's domain and more than %g%% off; farthest: %s of %s, %.5g where %.5g "
        "was simulated",
        count, count == 1 ? "prediction is" : "predictions are", most, machine_quantities[row].name,
        verdict_model_name(model), v->frames[0].cells[row][model].predicted,
        verdict_simulated(&v->frames[0], row));
}

static int validate_file(const struct arguments *a, const struct run_place *place)
{
    struct job job = {.a = a, .place = *place, .why = a->why};
    int status = open_source(&job);
    if (status == 0)
        status = check_page(&job);
    if (status == 0)
        status = judge(&job);
    if (status == 0)
        status = answer(&job);
    if (status == 0)
        status = check_over(&job);
    run_files_close(&job.files);
    assumption_tokens_destroy(&job.recorded.tokens);
    token_record_close(job.recorded.record);
    platform_close(job.recorded.platform);
    free(job.shares);
    free(job.study);
    return status;
}

/* The verdicts on a pipeline are files of its run. */
static int validate_line(const struct arguments *a, const char *directory)
{
    const char *other = a->why_wrong           ? "--why"
                        : a->bounds            ? "--bounds"
                        : a->windows           ? "--windows"
                        : a->passes            ? "--passes"
                        : a->report            ? "--report (mercury report writes the page)"
                        : !isnan(a->fail_over) ? "--fail-over (mercury validate --chain has it)"
                                               : NULL;
    return other ? why_refuse(a->why, "%.400s is the run of a pipeline: expected no %s", directory, other)
           : a->distributions ? queue_files_show_distributions(directory, a->format, a->why)
                              : queue_files_show_verdicts(directory, a->format, a->why);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.digits = 3,
                          .fail_over = NAN,
                          .lambda_per_s = NAN,
                          .customers = NAN,
                          .overflow = OVERFLOWS,
                          .why = why};
    struct run_place place;
    int status = parse_arguments(argc, argv, &a);
    if (status == 0 && !a.chain)
        status = command_status_of(run_place_find(a.path, &place, why));
    if (status)
        return status;
    if (!a.chain)
        return place.kind == RUN_OF_PIPELINE ? validate_line(&a, place.directory) : validate_file(&a, &place);
    const struct chain_validation request = {.path = a.chain,
                                             .input_per_s = a.lambda_per_s,
                                             .customers = a.customers,
                                             .seed = (unsigned long)a.seed,
                                             .blocks = a.overflow != OVERFLOW_LOSS,
                                             .fail_over = a.fail_over};
    run_output_begin();
    return chain_validate(&request, a.format, why);
}

const struct command command_validate = {options, run_command};
