#include "app/report/queue_distances.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

enum { TAIL_COLUMNS = 3 + QUEUE_DISTANCES_MODELS, BIN_COLUMNS = 10 };

/* The stages before which the FIFOs lie. */
static const enum quantity_stage stages[QUEUE_DISTANCES_FIFOS] = {QUANTITY_1A, QUANTITY_1BP, QUANTITY_1BD,
                                                                  QUANTITY_2};

const enum verdict_model queue_distances_models[QUEUE_DISTANCES_MODELS] = {
    VERDICT_MM1, VERDICT_MM1K, VERDICT_MM1K_DOR, VERDICT_MD1, VERDICT_MG1, VERDICT_MXG1, VERDICT_BLOCKING};

bool queue_distances_find(const struct run_files *run, unsigned fifo, enum verdict_model model,
                          struct queue_distribution *out)
{
    double places = run->queues[fifo].places;
    if (!run->has_chains || !(places < QUEUE_DISTRIBUTION_MAX))
        return false;
    queue_distribution_find(&run->chains, stages[fifo], model, (unsigned)places, out);
    return !out->why_not;
}

/* --- the distances ----------------------------------------------------------------------------------------- */

/* The table borrows its columns, so one of them is made at a time. */
static struct result_table *new_table(const char *const *own, unsigned own_count, const char *title)
{
    static const char *columns[TAIL_COLUMNS];
    static int widths[TAIL_COLUMNS];
    for (unsigned i = 0; i < own_count; i++) {
        columns[i] = own[i];
        widths[i] = i == 0 ? -12 : i == 1 ? 3 : 8;
    }
    for (unsigned model = 0; model < QUEUE_DISTANCES_MODELS; model++) {
        columns[own_count + model] = verdict_model_name(queue_distances_models[model]);
        widths[own_count + model] = MAX(8, (int)strlen(columns[own_count + model]));
    }
    return result_table_new_styled(
        columns, own_count + QUEUE_DISTANCES_MODELS,
        &(struct result_style){.title = title, .widths = widths, .keys = own_count, .text_number = "%.3g"});
}

static struct result_table *distances(const struct run_files *run)
{
    static const char *const own[] = {"queue"};
    static struct queue_distribution d;
    struct result_table *table =
        new_table(own, 1, "total variation distance of each model's P[N = n] from the run's (0: the same)");
    for (unsigned fifo = 0; fifo < QUEUE_DISTANCES_FIFOS; fifo++) {
        const struct run_queue_state *q = &run->queues[fifo];
        result_table_add(table, TEXT(q->name));
        for (unsigned model = 0; model < QUEUE_DISTANCES_MODELS; model++)
            result_table_add(table, NUMBER(queue_distances_find(run, fifo, queue_distances_models[model], &d)
                                               ? queue_distribution_distance(&d, q->bins, q->bin_count)
                                               : NAN));
    }
    result_table_note(table, "five-stage is M/M/1/K (Dor) here; blocking is the tandem with blocking");
    return table;
}

/* --- every bin --------------------------------------------------------------------------------------------- */

static void write_bins(const struct run_files *run, enum result_format format, FILE *out)
{
    static const char *const columns[BIN_COLUMNS] = {
        "queue", "element",  "model",    "total_variation",   "from",
        "to",    "measured", "expected", "measured_at_least", "expected_at_least"};
    static struct queue_distribution d;
    struct result_table *table = result_table_new_styled(
        columns, BIN_COLUMNS, &(struct result_style){.schema = "mercury-distributions-1"});
    for (unsigned fifo = 0; fifo < QUEUE_DISTANCES_FIFOS; fifo++)
        for (unsigned i = 0; i < QUEUE_DISTANCES_MODELS; i++) {
            enum verdict_model model = queue_distances_models[i];
            const struct run_queue_state *q = &run->queues[fifo];
            const bool has = queue_distances_find(run, fifo, model, &d);
            const double distance = has ? queue_distribution_distance(&d, q->bins, q->bin_count) : NAN;
            if (!has)
                result_table_note(table, "%s has no distribution for %s", verdict_model_name(model), q->name);
            for (const struct queue_bin *b = q->bins; has && b < q->bins + q->bin_count; b++)
                result_table_add(table, TEXT(q->name), TEXT(q->element), TEXT(verdict_model_name(model)),
                                 NUMBER(distance), NUMBER(b->from), NUMBER(isinf(b->to) ? NAN : b->to),
                                 NUMBER(b->fraction), NUMBER(queue_distribution_between(&d, b->from, b->to)),
                                 NUMBER(queue_bins_at_least(q->bins, q->bin_count, b->from)),
                                 NUMBER(queue_distribution_at_least(&d, b->from)));
        }
    result_table_end(table, format, out);
}

void queue_distances_write(const struct run_files *run, enum result_format format, FILE *out)
{
    static const char *const own[] = {"queue", "n", "run"};
    if (format == RESULT_TSV || format == RESULT_JSON)
        write_bins(run, format, out);
    else
        result_table_end(distances(run), format, out);
    if (format != RESULT_TEXT)
        return;
    struct result_table *table = new_table(own, 3, "P[N >= n], in the run and by each model");
    for (unsigned fifo = 0; fifo < QUEUE_DISTANCES_FIFOS; fifo++) {
        static struct queue_distribution of[QUEUE_DISTANCES_MODELS];
        const struct run_queue_state *q = &run->queues[fifo];
        bool has[QUEUE_DISTANCES_MODELS];
        for (unsigned model = 0; model < QUEUE_DISTANCES_MODELS; model++)
            has[model] = queue_distances_find(run, fifo, queue_distances_models[model], &of[model]);
        for (double n = 1; n <= q->places; n = 2 * n > q->places && n < q->places ? q->places : 2 * n) {
            result_table_add(table, TEXT(n == 1 ? q->name : ""), NUMBER(n),
                             NUMBER(queue_bins_at_least(q->bins, q->bin_count, n)));
            for (unsigned model = 0; model < QUEUE_DISTANCES_MODELS; model++)
                result_table_add(table,
                                 NUMBER(has[model] ? queue_distribution_at_least(&of[model], n) : NAN));
        }
    }
    result_table_end(table, RESULT_TEXT, out);
}
