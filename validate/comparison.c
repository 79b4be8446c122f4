#include "validate/comparison.h"

#include <math.h>
#include <stddef.h>

#include "model/model_error.h"
#include "model/predict_inputs.h"

/* rho nearer to 1 than this is 1: it came out of the same counts twice. */
#define RHO_ONE_WITHIN 1e-9

/* --- reading the frame ----------------------------------------------------------------------------------- */

/* A frame with the names this file asks for; `missing` once one was not there. */
struct reading {
    const struct frame *frame;
    const struct frame_layout *layout;
    bool missing;
};

static double counter(struct reading *r, const char *stage, const char *name)
{
    int index = frame_find_counter(r->layout, stage, name);
    r->missing |= index < 0;
    return index < 0 ? 0 : (double)r->frame->counters[index];
}

static double gauge(struct reading *r, const char *stage, const char *name)
{
    int index = frame_find_gauge(r->layout, stage, name);
    r->missing |= index < 0;
    return index < 0 ? 0 : r->frame->gauges[index];
}

static const struct fifo_measure *queue(struct reading *r, const char *name)
{
    static const struct fifo_measure none;
    int index = frame_find_queue(r->layout, name);
    r->missing |= index < 0;
    return index < 0 ? &none : &r->frame->queues[index];
}

/* What theory asks of a run, in plain numbers. */
struct measured {
    double seconds, clocks;
    double words, wmers, seeds, sram_reads, matches, hsps;
    double database_bytes, record_bytes;
    double hsp_bytes; /* that crossed in time, a record */
    double bus_bytes_per_s;
    double n_q_1a, n_q_1b, n_q_2;
    double p_bp_1a, p_bp_1b, p_bp_2;
    double wmers_per_word;
};

static struct measured read_measured(struct reading *r, const struct fifo_measure *ingress,
                                     const struct fifo_measure *wmer, const struct fifo_measure *sram,
                                     const struct fifo_measure *stage2)
{
    struct measured m = {
        .seconds = frame_measured_s(r->frame),
        .clocks = (double)r->frame->clocks,
        .words = counter(r, "stage_1a", "words"),
        .wmers = counter(r, "stage_1a", "wmers"),
        .seeds = counter(r, "stage_1b", "seeds"),
        .sram_reads = counter(r, "stage_1b", "sram_reads"),
        .matches = counter(r, "stage_2", "matches"),
        .hsps = counter(r, "stage_2", "hsps_out"),
        .database_bytes = counter(r, "pcix", "database_bytes"),
        .record_bytes = counter(r, "pcix", "record_bytes"),
        .hsp_bytes = gauge(r, "pcix", "hsp_bytes"),
        .bus_bytes_per_s = gauge(r, "pcix", "capacity_bytes_per_s"),
        .p_bp_1a = fifo_measure_back_pressure(ingress),
        .p_bp_1b = fifo_measure_back_pressure(wmer),
        .p_bp_2 = fifo_measure_back_pressure(stage2),
        .n_q_1b = fifo_measure_mean(wmer) + fifo_measure_mean(sram),
        .n_q_2 = fifo_measure_mean(stage2),
    };
    double moved = counter(r, "pcix", "busy") / 1e12 * m.bus_bytes_per_s;
    if (moved > 0 && m.hsps > 0) {
        m.record_bytes = mercury_records_crossed(m.record_bytes, m.hsp_bytes, m.database_bytes, moved);
        m.hsp_bytes = m.record_bytes / m.hsps;
    }
    m.wmers_per_word = m.words > 0 ? m.wmers / m.words : 0;
    m.n_q_1a = fifo_measure_mean(ingress) * m.wmers_per_word;
    return m;
}

static struct mercury_inputs model_inputs(struct reading *r, const struct measured *m, bool saturated)
{
    struct mercury_inputs in = mercury_model_defaults();
    in.lambda_in_bytes_per_s = m->database_bytes / m->seconds;
    in.clock_hz = r->frame->clock_hz;
    in.pci_bytes_per_s = m->bus_bytes_per_s;
    in.wmers_per_word = m->wmers_per_word;
    in.bytes_per_word = m->database_bytes / m->words;
    in.hsp_bytes = m->hsp_bytes;
    in.k_1a = (unsigned)(queue(r, "ingress_fifo")->places * m->wmers_per_word);
    in.k_1b = (unsigned)(queue(r, "wmer_fifo")->places + queue(r, "sram_fifo")->places);
    in.k_2 = (unsigned)queue(r, "stage2_fifo")->places;
    in.p_1a = m->seeds / m->wmers;
    in.p_1b = m->seeds > 0 ? m->matches / m->seeds : 0;
    in.p_2 = m->matches > 0 ? m->hsps / m->matches : 0;
    in.m_1b = m->seeds > 0 ? m->sram_reads / m->seeds : 1;
    in.digits = PREDICT_MEASURED_DIGITS;
    in.m_2 = saturated ? fmin(1, m->sram_reads / m->clocks) : 1;
    return in;
}

/* --- the table ------------------------------------------------------------------------------------------- */

enum quantity { LAMBDA, RHO, N_Q, P_BP };

static struct comparison_cell cell_of(const struct pipeline_prediction *stage,
                                      const struct pipeline_queue *queue, enum quantity quantity,
                                      double scale)
{
    switch (quantity) {
    case LAMBDA:
        return (struct comparison_cell){stage->lambda_per_s / scale, 0};
    case RHO:
        return (struct comparison_cell){stage->rho, 0};
    case N_Q:
        return (struct comparison_cell){queue->mean.n_q, queue->status};
    case P_BP:
        return (struct comparison_cell){queue->mean.p_bp, queue->status};
    }
    return (struct comparison_cell){NAN, MODEL_EUNKNOWN};
}

static void fill_rows(struct comparison *c, const struct measured *m)
{
    double s = m->seconds;
    double rho_1b = c->saturated ? m->seeds / m->sram_reads : m->sram_reads / m->clocks;
    const struct {
        const char *parameter, *unit;
        enum mercury_stage stage;
        enum quantity quantity;
        double scale, simulated;
    } rows[COMPARISON_ROWS] = {
        {"lambda_1a", "Mwmers/s", MERCURY_1A, LAMBDA, 1e6, m->wmers / s / 1e6},
        {"lambda_1b", "Mseeds/s", MERCURY_1B, LAMBDA, 1e6, m->seeds / s / 1e6},
        {"lambda_2", "Mmatches/s", MERCURY_2, LAMBDA, 1e6, m->matches / s / 1e6},
        {"rho_pci", "1", MERCURY_PCI, RHO, 1, (m->database_bytes + m->record_bytes) / s / m->bus_bytes_per_s},
        {"rho_1a", "1", MERCURY_1A, RHO, 1, m->words / m->clocks},
        {"rho_1b", "1", MERCURY_1B, RHO, 1, rho_1b},
        {"rho_2", "1", MERCURY_2, RHO, 1, m->matches / m->clocks},
        {"N_Q_1a", "wmers", MERCURY_1A, N_Q, 1, m->n_q_1a},
        {"N_Q_1b", "seeds", MERCURY_1B, N_Q, 1, m->n_q_1b},
        {"N_Q_2", "matches", MERCURY_2, N_Q, 1, m->n_q_2},
        {"P_BP_1a", "1", MERCURY_1A, P_BP, 1, m->p_bp_1a},
        {"P_BP_1b", "1", MERCURY_1B, P_BP, 1, m->p_bp_1b},
        {"P_BP_2", "1", MERCURY_2, P_BP, 1, m->p_bp_2},
    };
    for (unsigned i = 0; i < COMPARISON_ROWS; i++) {
        const struct pipeline_prediction *stage = &c->prediction.stage[rows[i].stage];
        c->rows[i] = (struct comparison_row){
            .parameter = rows[i].parameter,
            .unit = rows[i].unit,
            .simulated = rows[i].simulated,
            .mm1 = cell_of(stage, &stage->queue[PIPELINE_MM1], rows[i].quantity, rows[i].scale),
            .mm1k = cell_of(stage, &stage->queue[PIPELINE_MM1K], rows[i].quantity, rows[i].scale),
        };
    }
}

/* A saturated 1b has M_2 = its own SRAM utilisation, so that rho_1b is 1 by construction (Dor's own numbers lived on
 * the rounding of mu_1b): whatever the last bits say, neither model has an answer there. */
static void refuse_at_saturation(struct pipeline_prediction *stage)
{
    if (fabs(stage->rho - 1) > RHO_ONE_WITHIN)
        return;
    stage->queue[PIPELINE_MM1] =
        (struct pipeline_queue){.status = MODEL_EUNSTABLE, .mean = queue_result_none()};
    stage->queue[PIPELINE_MM1K] =
        (struct pipeline_queue){.status = MODEL_ENOSOLUTION, .mean = queue_result_none()};
}

int comparison_make(const struct frame *frame, const struct frame_layout *layout, struct comparison *out)
{
    struct reading r = {frame, layout, false};
    const struct fifo_measure *wmer = queue(&r, "wmer_fifo");
    struct measured m =
        read_measured(&r, queue(&r, "ingress_fifo"), wmer, queue(&r, "sram_fifo"), queue(&r, "stage2_fifo"));
    if (r.missing)
        return COMPARISON_ELAYOUT;
    if (m.words == 0 || m.clocks == 0)
        return COMPARISON_EEMPTY;
    *out = (struct comparison){.saturated = m.p_bp_1b > COMPARISON_SATURATED};
    out->inputs = model_inputs(&r, &m, out->saturated);
    struct mercury_inputs asked = out->inputs;
    if (out->saturated) /* a hair below rho_1b = 1, or the last bits would decide whether stage 2 is reached */
        asked.m_2 *= 1 + RHO_ONE_WITHIN / 2;
    if (r.missing || mercury_model_predict(&asked, &out->prediction) != 0)
        return COMPARISON_ELAYOUT;
    refuse_at_saturation(&out->prediction.stage[MERCURY_1B]);
    fill_rows(out, &m);
    return 0;
}

double comparison_difference(double predicted, double simulated)
{
    return simulated > 0 || simulated < 0 ? (predicted - simulated) / simulated : NAN;
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* What is too small to be told from 0 is 0. */
static void number_text(double value, const char *format, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "NA");
    else
        snprintf(text, size, format, fabs(value) < 1e-300 ? 0.0 : value);
}

static void difference_text(double predicted, double simulated, char *text, size_t size)
{
    double difference = comparison_difference(predicted, simulated);
    if (fabs(difference) < 5e-5)
        difference = 0; /* not "-0.00%" */
    if (isnan(difference))
        snprintf(text, size, "NA");
    else if (fabs(difference) >= 10)
        snprintf(text, size, "%+.3g%%", 100 * difference);
    else
        snprintf(text, size, "%+.2f%%", 100 * difference);
}

static void write_text_row(const struct comparison_row *row, const char *format, FILE *out)
{
    char simulated[32], mm1[32], mm1k[32], mm1_difference[32], mm1k_difference[32];
    number_text(row->simulated, "%.5g", simulated, sizeof simulated);
    number_text(row->mm1.value, "%.5g", mm1, sizeof mm1);
    number_text(row->mm1k.value, "%.5g", mm1k, sizeof mm1k);
    difference_text(row->mm1.value, row->simulated, mm1_difference, sizeof mm1_difference);
    difference_text(row->mm1k.value, row->simulated, mm1k_difference, sizeof mm1k_difference);
    fprintf(out, format, row->parameter, row->unit, simulated, mm1, mm1k, mm1_difference, mm1k_difference);
}

static void write_tsv_row(const struct comparison_row *row, FILE *out)
{
    const double numbers[] = {row->simulated, row->mm1.value, row->mm1k.value,
                              comparison_difference(row->mm1.value, row->simulated),
                              comparison_difference(row->mm1k.value, row->simulated)};
    fprintf(out, "%s\t%s", row->parameter, row->unit);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[32];
        number_text(numbers[i], "%.9g", text, sizeof text);
        fprintf(out, "\t%s", text);
    }
    fputc('\n', out);
}

/* Why a model has no number, once a stage and model. */
static void write_reasons(const struct comparison *c, const char *prefix, FILE *out)
{
    for (unsigned i = 0; i < MERCURY_STAGES; i++) {
        const struct pipeline_prediction *stage = &c->prediction.stage[i];
        if (stage->queue[PIPELINE_MM1].status)
            fprintf(out, "%sM/M/1 has no prediction for stage %s: %s\n", prefix, stage->name,
                    model_error_text(stage->queue[PIPELINE_MM1].status));
        if (stage->queue[PIPELINE_MM1K].status)
            fprintf(out, "%sM/M/1/K has no prediction for stage %s: %s\n", prefix, stage->name,
                    model_error_text(stage->queue[PIPELINE_MM1K].status));
    }
}

static void write_inputs(const struct comparison *c, const char *prefix, FILE *out)
{
    const struct mercury_inputs *in = &c->inputs;
    fprintf(out,
            "%slambda_in %.6g MB/s, P_1a %.6g, P_1b %.6g, P_2 %.6g, M_1b %.6g SRAM reads/seed, M_2 %.6g%s\n",
            prefix, in->lambda_in_bytes_per_s / 1e6, in->p_1a, in->p_1b, in->p_2, in->m_1b, in->m_2,
            c->saturated ? " (1b is saturated)" : "");
    fprintf(out,
            "%smu_pci %.6g MB/s, mu_1a %.6g Mwmers/s, mu_1b %.6g Mseeds/s, mu_2 %.6g Mmatches/s, "
            "K_1a %u wmers, K_1b %u seeds, K_2 %u matches\n",
            prefix, in->pci_bytes_per_s / 1e6, c->prediction.stage[MERCURY_1A].mu_per_s / 1e6,
            c->prediction.stage[MERCURY_1B].mu_per_s / 1e6, c->prediction.stage[MERCURY_2].mu_per_s / 1e6,
            in->k_1a, in->k_1b, in->k_2);
}

static int written(FILE *out)
{
    return ferror(out) ? COMPARISON_EWRITE : 0;
}

int comparison_write_tsv(const struct comparison *c, FILE *out)
{
    fprintf(out,
            "# measured run against the four-stage models of Dor 2010 (Figures 12 and 17); NA: no number\n");
    write_inputs(c, "# ", out);
    write_reasons(c, "# ", out);
    fprintf(out, "parameter\tunit\tsimulated\tM/M/1\tM/M/1/K\tM/M/1_difference\tM/M/1/K_difference\n");
    for (unsigned i = 0; i < COMPARISON_ROWS; i++)
        write_tsv_row(&c->rows[i], out);
    return written(out);
}

int comparison_write_text(const struct comparison *c, FILE *out)
{
    static const char format[] = "  %-10s %-11s %12s %12s %12s %12s %12s\n";
    fprintf(out, format, "parameter", "unit", "simulated", "M/M/1", "M/M/1/K", "M/M/1 diff", "M/M/1/K diff");
    for (unsigned i = 0; i < COMPARISON_ROWS; i++)
        write_text_row(&c->rows[i], format, out);
    write_inputs(c, "  ", out);
    write_reasons(c, "  ", out);
    return written(out);
}
