#include "app/validate/validate_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "app/report/report_models.h"
#include "app/report/report_page.h"
#include "app/report/report_part.h"
#include "app/report/report_queues.h"
#include "app/report/run_files.h"
#include "app/why/assumption_picture.h"

struct page {
    const struct validation *validation;
    const struct assumption_shares *shares; /* NULL if they were not asked for */
    const struct run_files *run;
    FILE *out;
    int status; /* of the tables, whose only error is memory */
};

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

static void write_answer(const struct page *p)
{
    const struct validation *v = p->validation;
    struct counts n = count_verdicts(&v->frames[0]);
    unsigned numbers = n.inside + n.violated;
    enum verdict_model nearest = VERDICT_MM1;
    unsigned won, wins = find_nearest(v, &nearest, &won);
    fputs("<section id=\"answer\">\n<h2>The answer</h2>\n<p class=\"answer\"><strong>", p->out);
    if (n.inside == 0)
        report_text(p->out, "The run keeps to no model's assumptions.");
    else
        report_text(p->out, "The run keeps to the assumptions of %u of %u predictions.", n.inside, numbers);
    fputs("</strong>", p->out);
    if (wins > 0)
        report_text(
            p->out,
            " The nearest model is %s: it is the best one for %u of the %u queues and signals of which any model "
            "is within a factor of %g.",
            spoken(nearest), wins, won, VALIDATION_NEAR);
    if (v->reason)
        report_text(p->out, " What theory does not see first of all: %s.", v->reason);
    fputs("</p>\n<p>", p->out);
    report_text(
        p->out,
        "Eight models and %d quantities make %d cells. The run keeps to the assumptions of %u; it "
        "violates one or more of %u; %u are outside of the model's domain, and have a reason instead of "
        "a number; %u repeat an input.",
        MACHINE_QUANTITIES, MACHINE_QUANTITIES * VERDICT_MODELS, n.inside, n.violated, n.outside, n.given);
    fputs("</p>\n", p->out);
    if (v->finding_count > 0) {
        fputs("<h3>What the differences say of the machine</h3>\n", p->out);
        report_models_write_findings(v, p->out);
    }
    fputs("</section>\n", p->out);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static void begin_section(const struct page *p, const char *name, const char *title, const char *introduction)
{
    fprintf(p->out, "<section id=\"%s\">\n<h2>%s</h2>\n<p>%s</p>\n", name, title, introduction);
}

static void write_table(struct page *p, enum validation_table table)
{
    if (validation_write_html(p->validation, table, p->out) != 0)
        p->status = -1;
}

/* The lines of the text on intervals, a paragraph each. */
static void write_intervals(struct page *p)
{
    char *text = NULL, *rest, *line;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory && validation_write_intervals(p->validation, memory) != 0)
        p->status = -1;
    if (!memory || fclose(memory) != 0) {
        p->status = -1;
        free(text);
        return;
    }
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        fputs("<p class=\"note\">", p->out);
        report_text(p->out, "%s", line + strspn(line, " "));
        fputs("</p>\n", p->out);
    }
    free(text);
}

static void write_numbers(struct page *p)
{
    begin_section(
        p, "numbers", "All numbers of the run",
        "What was simulated, half of its 95% interval (+-), and every model's prediction. "
        "= repeats an input; * violates an assumption; - is outside of the model's domain. The last "
        "column is the model that is nearest over the passes, and how far it is off on average.");
    write_table(p, VALIDATION_ROWS);
    write_intervals(p);
    fputs("</section>\n", p->out);
}

static void write_verdicts(struct page *p)
{
    begin_section(p, "verdicts", "The verdicts",
                  "What was measured of each stage's arrivals and services decides which assumptions hold. "
                  "scv is the squared coefficient of variation (1 if times are exponential, 0 if they are "
                  "constant), lag1 the correlation of neighbours.");
    write_table(p, VALIDATION_STAGES);
    write_table(p, VALIDATION_VERDICTS);
    fputs("</section>\n", p->out);
}

static unsigned count_ill_conditioned(const struct validation *v)
{
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            count += validation_is_ill_conditioned(v, row, model);
    return count;
}

static void write_ranges(struct page *p)
{
    char introduction[200];
    unsigned count = count_ill_conditioned(p->validation);
    snprintf(introduction, sizeof introduction,
             count > 0
                 ? "These predictions move by more than 5%% while the inputs move within %u digits' rounding."
                 : "No prediction moves by more than 5%% while the inputs move within %u digits' rounding.",
             p->validation->digits);
    begin_section(p, "ranges", "How far rounding moves predictions", introduction);
    if (count > 0)
        write_table(p, VALIDATION_RANGES);
    fputs("</section>\n", p->out);
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

static void write_words(const struct page *p)
{
    static const char note[] = "<code>mercury help validate</code> says how verdicts and intervals are made.";
    report_page_write_words(words, sizeof words / sizeof words[0], note, p->out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_head(const struct page *p)
{
    char inputs[RUN_FILES_TITLE_BYTES], title[RUN_FILES_TITLE_BYTES + 40];
    snprintf(title, sizeof title, "%s: theory and simulation", run_files_title(p->run, inputs));
    report_page_begin(title, "Every model of queueing theory beside a run of the Mercury BLAST accelerator",
                      p->out);
    fprintf(p->out,
            "<nav><a href=\"#answer\">The answer</a> · <a href=\"#%s\">%s</a> · <a href=\"#%s\">%s</a> · ",
            report_models.what, report_models.title, report_queues.what, report_queues.title);
    if (p->shares)
        fputs("<a href=\"#why\">" ASSUMPTION_PICTURE_TITLE "</a> · ", p->out);
    fputs(
        "<a href=\"#numbers\">All numbers of the run</a> · <a href=\"#verdicts\">The verdicts</a> · "
        "<a href=\"#ranges\">How far rounding moves predictions</a> · <a href=\"#words\">The words</a></nav>\n",
        p->out);
}

static const char *missing_queues(const struct run_files *run)
{
    return report_queues.missing(run)
               ? "There are no histograms: mercury run -o DIR writes histograms.tsv beside summary.json, and this "
                 "summary.json stands alone."
               : NULL;
}

static void write_page(struct page *p)
{
    struct report_part models = report_models, queues = report_queues;
    models.follow = NULL; /* the findings are part of the answer */
    queues.missing = missing_queues;
    write_head(p);
    write_answer(p);
    report_part_write(&models, p->run, p->out);
    report_part_write(&queues, p->run, p->out);
    if (p->shares)
        assumption_picture_write(p->shares, p->out);
    write_numbers(p);
    write_verdicts(p);
    write_ranges(p);
    write_words(p);
    report_page_end(p->out);
}

static int write_content(void *page, FILE *out, struct why *why)
{
    struct page *p = page;
    p->out = out;
    write_page(p);
    return p->status ? why_no_memory(why, COMMAND_REFUSED) : 0;
}

int validate_page_write(const struct validation *v, const struct assumption_shares *shares,
                        const struct run *of, const char *directory, const char *path, struct why *why)
{
    struct run_files run;
    int status = run_files_open_summary(of, directory, &run, why);
    if (status == 0) {
        run_files_take_models(&run, v);
        struct page page = {.validation = v, .shares = shares, .run = &run};
        status = report_page_write_file(path, write_content, &page, why);
    }
    run_files_close(&run);
    return status;
}
