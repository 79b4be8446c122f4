#include "app/validate/validate_page.h"

#include <stdlib.h>
#include <string.h>

#include "app/report/report.h"
#include "app/why/assumption_picture.h"

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

/* What a model is called in a sentence. */
static const char *spoken(enum verdict_model model)
{
    return model == VERDICT_BLOCKING ? "the tandem with blocking"
           : model == VERDICT_FIVE   ? "M/M/1/K (Dor) in five stages"
                                     : verdict_model_name(model);
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
            spoken(nearest), wins, won, VALIDATION_NEAR);
    if (v->reason)
        page_put(p->out, " What theory does not see first of all: %s.", v->reason);
    page_put(
        p->out,
        "</p>\n<p>Eight models and %d quantities make %d cells. The run keeps to the assumptions of %u; it "
        "violates one or more of %u; %u are outside of the model's domain, and have a reason instead of "
        "a number; %u repeat an input.</p>\n",
        MACHINE_QUANTITIES, MACHINE_QUANTITIES * VERDICT_MODELS, n.inside, n.violated, n.outside, n.given);
    if (v->finding_count > 0) {
        fputs("<h3>What the differences say of the machine</h3>\n", p->out);
        report_models_write_findings(v, p->out);
    }
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* The lines of the text on intervals, a paragraph each. */
static void write_intervals(struct page *p, const struct validation *v)
{
    char *text = NULL, *rest, *line;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory || validation_write_intervals(v, memory) != 0)
        p->status = -1;
    if (!memory || fclose(memory) != 0) {
        p->status = -1;
        free(text);
        return;
    }
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        page_put(p->out, "<p class=\"note\">%s</p>\n", line + strspn(line, " "));
    free(text);
}

static void write_numbers(struct page *p, const void *validation)
{
    fputs("<p>What was simulated, half of its 95% interval (+-), and every model's prediction. "
          "= repeats an input; * violates an assumption; - is outside of the model's domain. The last "
          "column is the model that is nearest over the passes, and how far it is off on average.</p>\n",
          p->out);
    p->status |= validation_write_html(validation, VALIDATION_ROWS, p->out);
    write_intervals(p, validation);
}

static void write_verdicts(struct page *p, const void *validation)
{
    fputs("<p>What was measured of each stage's arrivals and services decides which assumptions hold. "
          "scv is the squared coefficient of variation (1 if times are exponential, 0 if they are "
          "constant), lag1 the correlation of neighbours.</p>\n",
          p->out);
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

/* --- words ----------------------------------------------------------------------------------------------- */

static const char *const words[][2] = {
    {"lambda, rho, N_Q, P_BP",
     "Arrival rate of a stage; its utilisation; mean number of elements that wait before it; share of the time in "
     "which its queue's back-pressure signal is on. The stages are pci (the bus), 1a, 1b (of 1bp and 1bd) and 2."},
    {"M/M/1", "Poisson arrivals, exponential services, no bound of the queue (Dor 2010, Figure 17)."},
    {"M/M/1/K", "The same with K places, from what the host could supply; who finds no place is lost."},
    {"M/M/1/K (Dor)", "The same from the rate that enters, which no loss explains (Dor 2010, Figure 12)."},
    {"M/D/1", "Poisson arrivals, constant services."},
    {"M/G/1", "Poisson arrivals, services of the measured mean and variance."},
    {"M^[X]/G/1", "The same, with arrivals in batches as 16 w-mers of a word make them."},
    {"five-stage", "M/M/1/K (Dor) with 1b split into 1bp and 1bd (Dor 2010, Figure 15)."},
    {"blocking",
     "A tandem of finite queues in which a full queue stops the stage before it (Perros and Altiok 1986)."},
    {"inside", "The run keeps to all assumptions of the model."},
    {"violated",
     "The run does not keep to one: rho_o below 0.95, N_Q below K/2, scv within a factor of 1.5 of the model's, lag1 "
     "below 0.1, stages held up or queues' signals on in less than 1% of the time."},
    {"outside", "There is no steady state, or a load is 1 within the rounding of the inputs."},
    {"given", "The number repeats an input of the model."},
};

/* --- the page -------------------------------------------------------------------------------------------- */

static const char *missing_queues(const struct run_files *run)
{
    return report_queues.missing(run)
               ? "There are no histograms: mercury run -o DIR writes histograms.tsv beside summary.json, and this "
                 "summary.json stands alone."
               : NULL;
}

static int write_page(const struct validation *v, const struct assumption_shares *shares,
                      const struct run_files *run, const char *path, struct why *why)
{
    static const struct page_words explained = {
        words, sizeof words / sizeof words[0],
        "<code>mercury help validate</code> says how verdicts and intervals are made."};
    struct report_part models = report_models, queues = report_queues;
    models.follow = NULL; /* the findings are part of the answer */
    queues.missing = missing_queues;
    const struct report_section models_section = {&models, run}, queues_section = {&queues, run};
    const struct page_section sections[] = {
        {"answer", "The answer", write_answer, v, NULL},
        {"models", models.title, report_write_section, &models_section, NULL},
        {"queues", queues.title, report_write_section, &queues_section, NULL},
        {"why", "Why they differ", shares ? assumption_picture_write : NULL, shares, NULL},
        {"numbers", "All numbers of the run", write_numbers, v, NULL},
        {"verdicts", "The verdicts", write_verdicts, v, NULL},
        {"ranges", "How far rounding moves predictions", write_ranges, v, NULL},
        {"words", "The words", page_words, &explained, NULL},
    };
    char inputs[RUN_FILES_TITLE_BYTES], title[RUN_FILES_TITLE_BYTES + 40];
    snprintf(title, sizeof title, "%s: theory and simulation", run_files_title(run, inputs));
    return page_write(path, title,
                      "Every model of queueing theory beside a run of the Mercury BLAST accelerator",
                      sections, sizeof sections / sizeof sections[0], why);
}

int validate_page_write(const struct validation *v, const struct assumption_shares *shares,
                        const struct run *of, const char *directory, const char *path, struct why *why)
{
    struct run_files run;
    int status = run_files_open_summary(of, directory, &run, why);
    if (status == 0) {
        run_files_take_models(&run, v);
        status = write_page(v, shares, &run, path, why);
    }
    run_files_close(&run);
    return status;
}
