#include "model/queue/mercury_tandem.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/memory.h"
#include "model/model_error.h"
#include "model/numbers.h"
#include "model/root.h"

/* A throughput that differs less from the supply equals it. */
#define SUPPLY_MET_WITHIN 1e-8

double mercury_tandem_trips(double m_1b, double m_2, double trip_cycles)
{
    double trips = m_2 < 1 ? (m_1b / m_2 - 1) / (trip_cycles - 1) : (m_1b - 1) / MERCURY_TANDEM_TRIP_READS;
    return fmax(0, trips);
}

/* The port holds the next list for `port` clocks, but 1bd takes the lookups between them meanwhile, in a clock each:
 * their number K is geometric, and the mean of max(port, 1 + K), less that of K, is what a list holds 1bd. */
static double port_share(double trip_cycles, const struct mercury_tandem_lookups *l)
{
    double trips_each = l->trips / l->duplicates, list = l->duplicates / l->seeds;
    double port = fmax(1, trips_each * fmin(trip_cycles, (l->reads - l->seeds) / l->trips));
    return (port + (pow(1 - list, port) - (1 - list)) / list) / trips_each;
}

/* In every round the oldest of the results under way is a trip: in_flight of them, a share of which are trips, take
 * trip_cycles instead of a clock each, or instead of what the port makes of it. */
double mercury_tandem_trip_share(double trip_cycles, double in_flight, const struct mercury_tandem_lookups *l)
{
    if (!(in_flight > 1) || !(l->trips > 0))
        return trip_cycles;
    double of_results = l->trips / (l->trips + l->singles);
    double of_port = port_share(trip_cycles, l), result_clocks = 1 + of_results * (of_port - 1);
    return of_port + fmax(0, trip_cycles - in_flight * result_clocks) / (1 + of_results * (in_flight - 1));
}

struct mercury_lookup mercury_lookup_service(double trips, double duplicates, double trip_clocks)
{
    double each = trips > 0 ? trips / duplicates * trip_clocks : 0;
    double mean = 1 - duplicates + duplicates * each;
    return (struct mercury_lookup){mean,
                                   fmax(0, (1 - duplicates + duplicates * each * each) / (mean * mean) - 1)};
}

/* --- checks ---------------------------------------------------------------------------------------------- */

static int check_fractions(const struct mercury_tandem_inputs *in)
{
    if (isnan(in->trips) || isnan(in->duplicates))
        return MODEL_ENO_TRIPS;
    if (!(in->p_1a > 0 && in->p_1a <= 1))
        return MODEL_EP_1A;
    if (!is_positive(in->p_1b))
        return MODEL_EP_1B;
    if (!is_between(in->p_2, 0, 1))
        return MODEL_EP_2;
    bool consistent = isfinite(in->trips) && is_between(in->duplicates, 0, fmin(1, in->trips)) &&
                      (in->duplicates > 0) == (in->trips > 0) && isfinite(in->trip_cycles) &&
                      in->trip_cycles >= 1 &&
                      (isnan(in->single_matches) || is_between(in->single_matches, 0, 1 - in->duplicates));
    return consistent ? 0 : MODEL_ETRIPS;
}

static int check_machine(const struct mercury_tandem_inputs *in)
{
    if (!is_positive(in->supply_bytes_per_s))
        return MODEL_ESUPPLY;
    if (!is_positive(in->bus_bytes_per_s))
        return MODEL_EBUS;
    if (!isnan(in->seeds_1bd_per_s) && !is_positive(in->seeds_1bd_per_s))
        return MODEL_ESERVICE;
    if (!is_positive(in->clock_hz))
        return MODEL_ECLOCK;
    if (!is_positive(in->bytes_per_word) || !is_positive(in->wmers_per_word))
        return MODEL_EWORD;
    if (!isfinite(in->hsp_bytes) || in->hsp_bytes < 0)
        return MODEL_EHSP;
    if (in->ingress_words < 1 || in->wmer_seeds < 1 || in->sram_lookups < 1 || in->stage2_matches < 1)
        return MODEL_ECAPACITY;
    if (in->wmer_margin > in->wmer_seeds || in->sram_margin >= in->sram_lookups ||
        in->stage2_margin > in->stage2_matches)
        return MODEL_EMARGIN;
    return isfinite(in->fetch_cycles) && in->fetch_cycles >= 0 ? 0 : MODEL_EDELAY;
}

/* --- the machine as a tandem ----------------------------------------------------------------------------- */

/* A seed has no match, or those of a lookup without a trip, or those of a duplicate list. */
static void set_yield_1bd(const struct mercury_tandem_inputs *in, struct tandem_stage *stage)
{
    double singles = in->single_matches, lists = in->duplicates;
    if (isnan(singles))
        singles = fmin(1 - lists, fmax(0, in->p_1b - MERCURY_TANDEM_TRIP_MATCHES * in->trips));
    double of_singles = fmin(singles, in->p_1b);
    if (lists == 0)
        of_singles = in->p_1b;
    double of_lists = in->p_1b - of_singles, second = 0;
    second += singles > 0 ? of_singles * of_singles / singles : of_singles;
    second += lists > 0 ? of_lists * of_lists / lists : 0;
    stage->yield = in->p_1b;
    stage->yield_dispersion = fmax(0, second / in->p_1b - in->p_1b);
}

static void make_stages(const struct mercury_tandem_inputs *in, struct tandem_stage *stages)
{
    double clock_s = 1 / in->clock_hz;
    double unused = fmax(0, (in->wmers_per_word - 1) * in->p_1a / 2); /* places of the FIFO, on average */
    unsigned wmer = (unsigned)fmax(0, round(in->wmer_seeds - 1 - unused));
    unsigned sram = in->sram_lookups - in->sram_margin;
    /* a service of 1bd takes 1 clock, or trip_cycles for each of trips / duplicates trips */
    double list_clocks = in->duplicates > 0 ? in->trip_cycles * (in->trips / in->duplicates) : 0;
    double mean_1bd = 1 - in->duplicates + in->trip_cycles * in->trips;
    double second_1bd = 1 - in->duplicates + in->duplicates * list_clocks * list_clocks;
    stages[MERCURY_TANDEM_1A] = (struct tandem_stage){.name = "1a",
                                                      .places = in->ingress_words - 1,
                                                      .back_pressure_from = in->ingress_words - 1,
                                                      .service_s = clock_s,
                                                      .yield = in->wmers_per_word * in->p_1a,
                                                      .yield_dispersion = 1 - in->p_1a};
    stages[MERCURY_TANDEM_1BP] =
        (struct tandem_stage){.name = "1bp",
                              .places = wmer,
                              .back_pressure_from = MIN(wmer, in->wmer_seeds - in->wmer_margin),
                              .service_s = clock_s,
                              .yield = 1};
    stages[MERCURY_TANDEM_1BD] = (struct tandem_stage){
        .name = "1bd",
        .places = sram,
        .back_pressure_from = sram,
        .service_s = isnan(in->seeds_1bd_per_s) ? mean_1bd / in->clock_hz : 1 / in->seeds_1bd_per_s,
        .service_scv = fmax(0, second_1bd / (mean_1bd * mean_1bd) - 1)};
    set_yield_1bd(in, &stages[MERCURY_TANDEM_1BD]);
    stages[MERCURY_TANDEM_2] = (struct tandem_stage){
        .name = "2",
        .places = in->stage2_matches,
        .back_pressure_from = MIN(in->stage2_matches, in->stage2_matches - in->stage2_margin + 1),
        .delay_s = in->fetch_cycles * clock_s,
        .service_s = clock_s,
        .yield = 1};
}

/* --- the source ------------------------------------------------------------------------------------------ */

struct feeding {
    struct tandem_stage stages[MERCURY_TANDEM_STAGES];
    struct tandem_result results[MERCURY_TANDEM_STAGES];
    double supply_per_s, bus_per_s;         /* words */
    double returned;                        /* time of the bus that the results of a word take, in words */
    double *lengths[MERCURY_TANDEM_STAGES]; /* of the last solution */
    int status;                             /* of the first solution that failed */
};

/* Rate of words through the board at an offered rate. */
static double carried(double offered_per_s, struct feeding *f)
{
    struct tandem_source source = {offered_per_s, 0};
    int status = tandem_solve(&source, f->stages, MERCURY_TANDEM_STAGES, f->results, f->lengths);
    if (status && !f->status)
        f->status = status;
    return status ? 0 : f->results[MERCURY_TANDEM_1A].lambda_per_s;
}

/* Words have the part of the bus that results leave to them, which is the larger the fewer words are carried: there is
 * one fixed point. What is carried rises with what is offered, by no more than that. So the difference between words
 * carried and `words` falls 1 to 1 + returned times as fast as `words` rises: a secant's slope is kept within that. */
static double carried_by_bus(struct feeding *f, double *offered_per_s)
{
    enum { ROUNDS_MAX = 100 };
    double words = f->bus_per_s / (1 + f->returned), slope = -(1 + f->returned), words_before = 0,
           more_before = 0;
    for (int i = 0; i < ROUNDS_MAX && !f->status; i++) {
        *offered_per_s = f->bus_per_s - f->returned * words;
        double next = carried(*offered_per_s, f), more = next - words;
        if (fabs(more) <= SUPPLY_MET_WITHIN * words)
            return next;
        if (i > 0)
            slope = fmax(-(1 + f->returned), fmin(-1, (more - more_before) / (words - words_before)));
        words_before = words;
        more_before = more;
        words -= more / slope;
    }
    if (!f->status)
        f->status = MODEL_ECONVERGE;
    return words;
}

static double lacking(double offered_per_s, void *feeding)
{
    struct feeding *f = feeding;
    return carried(offered_per_s, f) - f->supply_per_s;
}

/* The results of `f` are then those of the rate that is offered in the end. */
static void feed(struct feeding *f, struct mercury_tandem_prediction *out)
{
    double most_per_s = f->bus_per_s;
    double words = carried_by_bus(f, &most_per_s);
    out->saturated = words < f->supply_per_s * (1 - SUPPLY_MET_WITHIN);
    out->source_per_s = most_per_s;
    if (out->saturated || f->status)
        return;
    out->source_per_s = f->supply_per_s;
    if (carried(f->supply_per_s, f) < f->supply_per_s * (1 - SUPPLY_MET_WITHIN) &&
        most_per_s > f->supply_per_s) {
        int status =
            root_find(lacking, f, f->supply_per_s, most_per_s, 0, SUPPLY_MET_WITHIN, &out->source_per_s);
        if (status && !f->status)
            f->status = status;
        carried(out->source_per_s, f);
    }
}

/* --- answers --------------------------------------------------------------------------------------------- */

/* A FIFO also holds the element that is blocked in the server of 1a or 1bp in the tandem. */
static bool is_left_in_fifo(enum mercury_tandem_stage stage)
{
    return stage == MERCURY_TANDEM_1A || stage == MERCURY_TANDEM_1BP;
}

/* With a share `blocked` of the busy time, one more element is in the FIFO. There is room for it. */
static void add_blocked(double starved, double blocked, double *p, unsigned places)
{
    double share = starved < 1 ? fmin(1, blocked / (1 - starved)) : 0;
    double busy = p[0] - starved; /* and nobody waits */
    for (unsigned n = places + 1; n > 1; n--)
        p[n] = (n <= places ? (1 - share) * p[n] : 0) + share * p[n - 1];
    p[1] = (places > 0 ? (1 - share) * p[1] : 0) + share * fmax(0, busy);
    p[0] = starved + (1 - share) * fmax(0, busy);
}

/* --- the last answer ------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    bool known;
    struct mercury_tandem_inputs inputs;
    struct mercury_tandem_prediction prediction;
    struct feeding feeding; /* its stages and their lengths, `places` + 2 of each */
} last = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The bytes of inputs, without padding. */
enum { INPUT_BYTES = offsetof(struct mercury_tandem_inputs, stage2_margin) + sizeof(unsigned) };

static int predict(const struct mercury_tandem_inputs *inputs)
{
    struct feeding *f = &last.feeding;
    struct mercury_tandem_prediction *out = &last.prediction;
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++)
        free(f->lengths[i]);
    *f = (struct feeding){.supply_per_s = inputs->supply_bytes_per_s / inputs->bytes_per_word,
                          .bus_per_s = inputs->bus_bytes_per_s / inputs->bytes_per_word,
                          .returned = inputs->wmers_per_word * inputs->p_1a * inputs->p_1b * inputs->p_2 *
                                      inputs->hsp_bytes / inputs->bytes_per_word};
    make_stages(inputs, f->stages);
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++)
        f->lengths[i] = memory_new(f->stages[i].places + 2, sizeof *f->lengths[i]);
    feed(f, out);
    if (f->status)
        return f->status;
    out->held = f->results[MERCURY_TANDEM_1A].p_blocked;
    out->lambda_in_bytes_per_s = f->results[MERCURY_TANDEM_1A].lambda_per_s * inputs->bytes_per_word;
    out->latency_s = 0;
    for (enum mercury_tandem_stage i = 0; i < MERCURY_TANDEM_STAGES; i++) {
        const struct tandem_result *r = &f->results[i];
        out->queue[i] =
            (struct mercury_tandem_queue){.stage = *r,
                                          .n_q = r->n_q + (is_left_in_fifo(i) ? r->blocked : 0),
                                          .p_bp = i == MERCURY_TANDEM_1A ? r->p_blocked : r->p_back_pressure};
        out->latency_s += r->w_g_s;
        if (is_left_in_fifo(i))
            add_blocked(r->starved, r->blocked, f->lengths[i], f->stages[i].places);
    }
    return 0;
}

/* Make the last answer that of these inputs. The lock is held. */
static int ask(const struct mercury_tandem_inputs *inputs)
{
    int status = check_fractions(inputs);
    if (status == 0)
        status = check_machine(inputs);
    if (status || (last.known && memcmp(inputs, &last.inputs, INPUT_BYTES) == 0))
        return status;
    status = predict(inputs);
    last.known = status == 0;
    last.inputs = *inputs;
    return status;
}

int mercury_tandem_predict(const struct mercury_tandem_inputs *inputs, struct mercury_tandem_prediction *out)
{
    pthread_mutex_lock(&last.lock);
    int status = ask(inputs);
    if (status == 0)
        *out = last.prediction;
    pthread_mutex_unlock(&last.lock);
    return status;
}

int mercury_tandem_lengths(const struct mercury_tandem_inputs *inputs, enum mercury_tandem_stage stage,
                           double *lengths, size_t count)
{
    pthread_mutex_lock(&last.lock);
    int status = ask(inputs);
    size_t known = status ? 0 : last.feeding.stages[stage].places + 1 + is_left_in_fifo(stage);
    if (status == 0 && count < known)
        status = MODEL_ECAPACITY;
    for (size_t n = 0; n < count && status == 0; n++)
        lengths[n] = n < known ? last.feeding.lengths[stage][n] : 0;
    pthread_mutex_unlock(&last.lock);
    return status;
}
