#include "app/theory/theory_callbacks.h"

#include <assert.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "validate/published_run.h"
#include "validate/queue_theory.h"
#include "validate/run_models.h"

/* --- mercury queue --------------------------------------------------------------------------------------- */

static void take_answer(const struct queue_theory_answer *answer, double *values)
{
    values[QUEUE_LINE_OFFERED] = answer->offered_per_s;
    values[QUEUE_LINE_THROUGHPUT] = answer->throughput_per_s;
    values[QUEUE_LINE_UTILISATION] = answer->rho;
    values[QUEUE_LINE_N] = answer->n_g;
    values[QUEUE_LINE_N_Q] = answer->n_q;
    values[QUEUE_LINE_W_Q] = answer->w_q_s;
    values[QUEUE_LINE_W] = answer->w_g_s;
    values[QUEUE_LINE_LOSS] = answer->loss;
    values[QUEUE_LINE_FULL] = answer->p_bp;
    values[QUEUE_LINE_BLOCKING] = answer->blocking;
}

static void ask_model(unsigned model, const struct queue_theory_question *question,
                      struct queue_prediction *prediction)
{
    struct queue_theory_answer answers[QUEUE_LINE_STAGES_MAX];
    queue_theory_predict(model, question, answers);
    prediction->model = queue_theory_model(model);
    for (unsigned i = 0; i < question->stage_count; i++) {
        take_answer(&answers[i], prediction->values[i]);
        prediction->exact[i] = answers[i].exact;
        prediction->no_answer[i] = answers[i].why_not;
    }
}

/* Of a mixture: a time 1, or `long_ratio` with its fraction. */
static double service_scv(const struct queue_line_stage *s)
{
    if (s->service != SERVICE_MIXTURE)
        return s->service == SERVICE_EXPONENTIAL;
    double f = s->long_fraction, mean = 1 + f * (s->long_ratio - 1);
    return (1 - f + f * s->long_ratio * s->long_ratio) / (mean * mean) - 1;
}

unsigned ask_queue_theory(const struct queue_line *tandem, const struct queue_line_result *result,
                          struct queue_prediction *predictions)
{
    struct queue_theory_stage stages[QUEUE_LINE_STAGES_MAX];
    for (unsigned i = 0; i < tandem->stage_count; i++)
        stages[i] = (struct queue_theory_stage){
            .mu_per_s = tandem->stages[i].mu_per_s,
            .k = tandem->stages[i].places,
            .exponential = tandem->stages[i].service == SERVICE_EXPONENTIAL,
            .service_scv = service_scv(&tandem->stages[i]),
            .entering_per_s = result->stage[i][QUEUE_LINE_THROUGHPUT].mean,
            .entering_half_width = result->stage[i][QUEUE_LINE_THROUGHPUT].half_width,
        };
    struct queue_theory_question question = {
        .lambda_per_s = tandem->lambda_per_s,
        .poisson = tandem->arrivals == ARRIVALS_POISSON ||
                   (tandem->arrivals == ARRIVALS_BATCH && tandem->batch == 1),
        .batch = tandem->arrivals == ARRIVALS_BATCH ? tandem->batch : 1,
        .beat = tandem->arrivals == ARRIVALS_DETERMINISTIC,
        .blocking = tandem->overflow == OVERFLOW_BLOCK,
        .stage_count = tandem->stage_count,
        .stages = stages,
    };
    unsigned count = 0;
    for (; count < QUEUE_MODELS_MAX && queue_theory_model(count); count++)
        ask_model(count, &question, &predictions[count]);
    return count;
}

/* --- mercury replay -------------------------------------------------------------------------------------- */

static_assert((int)REPLAY_CELLS == (int)PUBLISHED_CELLS,
              "the cells that are replayed are those that were measured");

static unsigned find_cell(enum replay_cell cell)
{
    int found = published_cell_find(replay_cell_name(cell));
    assert(found >= 0);
    return (unsigned)found;
}

static struct replay_prediction *next_prediction(struct replay_comparison *out, const char *model)
{
    assert(out->prediction_count < REPLAY_MODELS_MAX);
    struct replay_prediction *prediction = &out->predictions[out->prediction_count++];
    prediction->model = model;
    return prediction;
}

static void take_printed(int run, unsigned model, struct replay_comparison *out)
{
    struct replay_prediction *prediction = next_prediction(out, published_model_names[model]);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        prediction->values[cell] =
            published_number(published_predicted((unsigned)run, find_cell(cell), model)).value;
}

static int take_models(const struct replay_result *result, struct replay_comparison *out)
{
    const char *parameters[REPLAY_CELLS];
    static_assert((int)REPLAY_VERDICT_BYTES >= (int)RUN_MODEL_VERDICT_BYTES, "a verdict fits");
    struct run_model_cell cells[RUN_MODELS][REPLAY_CELLS];
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        parameters[cell] = replay_cell_name(cell);
    int status = run_models_predict(&result->steady, &machine_layout, parameters, REPLAY_CELLS, cells[0]);
    for (unsigned model = 0; status == 0 && model < RUN_MODELS; model++) {
        struct replay_prediction *prediction = next_prediction(out, run_model(model));
        for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
            prediction->values[cell] = cells[model][cell].value;
            memcpy(prediction->verdicts[cell], cells[model][cell].verdict, RUN_MODEL_VERDICT_BYTES);
        }
    }
    return status;
}

int ask_replay_theory(const char *run_name, const struct replay_result *result, struct replay_comparison *out)
{
    int run = published_run_find(run_name);
    if (run < 0)
        return -1;
    *out = (struct replay_comparison){0};
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++) {
        struct published_number number = published_number(published_measured((unsigned)run, find_cell(cell)));
        out->published[cell] = (struct replay_published){number.text, number.value, number.low, number.high};
    }
    for (unsigned model = 0; model < PUBLISHED_MODELS; model++)
        take_printed(run, model, out);
    return take_models(result, out);
}
