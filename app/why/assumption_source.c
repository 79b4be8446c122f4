#include "app/why/assumption_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "blast/sequence/sequence.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"
#include "traces/summary.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "app/run/recorded_run.h"

int assumption_source_find(const char *directory, const char *named, struct assumption_source *s,
                           struct why *why)
{
    if (named) {
        snprintf(s->path, sizeof s->path, "%s", named);
        return 0;
    }
    if (*directory)
        return recorded_run_find(directory, s->path, "--record FILE", why) == 0
                   ? 0
                   : why_precede(why, COMMAND_REFUSED, "--why: ");
    return why_say(
        why, COMMAND_REFUSED,
        "--why: the run's tokens are needed; expected --record FILE, which mercury run --record FILE writes");
}

static int check_machine(const struct assumption_source *s, struct why *why)
{
    if (s->hardware.board.trips_in_flight > 1)
        return why_say(
            why, COMMAND_REFUSED,
            "--why: %.300s was recorded with sram.trips_in_flight = %u; expected 1, since theory knows one "
            "trip at a time: record the run again with --set sram.trips_in_flight=1",
            s->path, s->hardware.board.trips_in_flight);
    if (s->hardware.boards == 1 && s->hardware.hosts == 1)
        return 0;
    return why_say(why, COMMAND_REFUSED,
                   "--why: %.300s was recorded on a machine of several boards or hosts; expected one board: "
                   "record the run again with --set boards=1 --set hosts=1",
                   s->path);
}

int assumption_source_open(struct assumption_source *s, struct why *why)
{
    struct platform *platform = NULL;
    int status = command_status_of(token_record_open(s->path, &s->record, why));
    if (status)
        return status;
    const struct token_record_facts *facts = &token_record_run(s->record)->facts;
    s->hardware = hardware_default();
    status = recorded_machine_open(facts, &s->hardware, &platform, why);
    platform_close(platform);
    if (status == 0 && hardware_check(&s->hardware, why) != 0)
        status = COMMAND_REFUSED;
    return status ? status : check_machine(s, why);
}

int assumption_source_retime(const struct assumption_source *s, struct run *run, struct why *why)
{
    const struct token_record_facts *facts = &token_record_run(s->record)->facts;
    struct passes_result result = {0};
    struct hardware hardware = hardware_default();
    struct platform *platform = NULL;
    int status = recorded_machine_open(facts, &hardware, &platform, why);
    if (status == 0)
        status = recorded_run_time(s->record, &hardware, platform, &result, why);
    json_t *summary = status == 0
                          ? summary_json(&result.run, result.passes, facts->pass_count, &machine_layout, NULL)
                          : NULL;
    summary_round(summary);
    if (status == 0)
        status = summary ? command_status_of(run_take(summary, s->path, run, why))
                         : why_no_memory(why, COMMAND_FAILED);
    passes_result_destroy(&result);
    platform_close(platform);
    return status;
}

static int check_run(const struct assumption_source *s, const struct verdict_frame *run, const char *name,
                     struct why *why)
{
    const double *in = run->inputs.value;
    const struct hardware *h = &s->hardware;
    const struct assumption_tokens *t = &s->tokens;
    double wmers = (double)t->word_count * BASES_PER_WORD, seeds = (double)t->lookup_count;
    bool same_data = fabs(in[PREDICT_P_1A] * wmers - seeds) < 0.5 &&
                     fabs(in[PREDICT_P_1B] * seeds - (double)t->match_count) < 0.5 &&
                     fabs(in[PREDICT_M_1B] * seeds - (double)t->reads) < 0.5;
    if (!same_data)
        return why_say(
            why, COMMAND_REFUSED,
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
    return why_say(
        why, COMMAND_REFUSED,
        "%.200s was timed on another machine than %.200s; expected the run that wrote the record, or the "
        "record alone",
        name, s->path);
}

/* --- formulas -------------------------------------------------------------------------------------------- */

static struct assumption_loss_queue loss_of(const struct prediction_stage *stage, uint64_t places)
{
    const struct pipeline_queue *queue = &stage->queue[PIPELINE_MM1K_DOR];
    bool has = queue->status == 0 && places > 0 && queue->mean.lambda_offered_per_s > 0;
    return (struct assumption_loss_queue){has ? queue->mean.lambda_offered_per_s : NAN, stage->mu_per_s,
                                          places};
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
        f->loss[stage] = loss_of(of, m->places[stage]);
    }
    return 0;
}

/* --- all ------------------------------------------------------------------------------------------------- */

int assumption_source_explain(struct assumption_source *s, const char *name, const struct validation *v,
                              const enum assumption *order, unsigned long seed,
                              struct assumption_shares *shares, struct why *why)
{
    enum { LEAST_WORDS = 2000000 };
    const struct verdict_frame *frame = &v->frames[0];
    struct estimate simulated[MACHINE_QUANTITIES];
    struct assumption_formulas formulas;
    int status = assumption_tokens_read(s->record, s->path, &s->tokens, why);
    if (status)
        return command_status_of(status);
    status = check_run(s, frame, name, why);
    if (status)
        return status;
    struct assumption_machine machine = {
        .hardware = &s->hardware,
        .tokens = &s->tokens,
        .clocks = frame->terms[N_Q_2].whole,
        .record_bytes = frame->inputs.value[PREDICT_HSP_BYTES],
        .least_words = LEAST_WORDS,
        .seed = seed,
    };
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        simulated[row] = (struct estimate){.mean = verdict_simulated(frame, row),
                                           .half_width = v->intervals[0][row].estimate.half_width};
    if (frame->saturated) /* as the steps have it: reads per clock, and not seeds per read */
        simulated[RHO_1B] =
            (struct estimate){.mean = (double)s->tokens.reads / machine.clocks, .half_width = NAN};
    status = take_formulas(frame, &formulas, &machine, why);
    if (status == 0)
        status = assumption_shares_find(&machine, simulated, &formulas, order, false, shares, why);
    return command_status_of(status);
}

void assumption_source_close(struct assumption_source *s)
{
    assumption_tokens_destroy(&s->tokens);
    token_record_close(s->record);
    s->record = NULL;
}
