#include "model/queue/mercury_tandem.h"

#include <math.h>
#include <pthread.h>
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

double mercury_trip_share(const double *v)
{
    double trips = v[PREDICT_TRIPS], singles = v[PREDICT_SINGLE_MATCHES];
    if (isnan(singles))
        singles = fmax(0, v[PREDICT_P_1B] - MERCURY_TANDEM_TRIP_MATCHES * trips);
    const struct mercury_tandem_lookups seed = {
        .seeds = 1,
        .reads = v[PREDICT_M_1B] > 1 ? v[PREDICT_M_1B] : 1 + MERCURY_TANDEM_TRIP_READS * trips,
        .trips = trips,
        .duplicates = v[PREDICT_DUPLICATES],
        .singles = singles,
    };
    return mercury_tandem_trip_share(v[PREDICT_TRIP_CYCLES], v[PREDICT_TRIPS_IN_FLIGHT], &seed);
}

struct mercury_lookup mercury_lookup_service(double trips, double duplicates, double trip_clocks)
{
    double each = trips > 0 ? trips / duplicates * trip_clocks : 0;
    double mean = 1 - duplicates + duplicates * each;
    return (struct mercury_lookup){mean,
                                   fmax(0, (1 - duplicates + duplicates * each * each) / (mean * mean) - 1)};
}

/* --- checks ---------------------------------------------------------------------------------------------- */

static int check_fractions(const double *v)
{
    const double trips = v[PREDICT_TRIPS], lists = v[PREDICT_DUPLICATES], singles = v[PREDICT_SINGLE_MATCHES];
    if (isnan(trips) || isnan(lists))
        return MODEL_ENO_TRIPS;
    if (!(v[PREDICT_P_1A] > 0 && v[PREDICT_P_1A] <= 1))
        return MODEL_EP_1A;
    if (!is_positive(v[PREDICT_P_1B]))
        return MODEL_EP_1B;
    if (!is_between(v[PREDICT_P_2], 0, 1))
        return MODEL_EP_2;
    const double clocks = mercury_trip_share(v);
    bool consistent = isfinite(trips) && is_between(lists, 0, fmin(1, trips)) && (lists > 0) == (trips > 0) &&
                      isfinite(clocks) && clocks >= 1 &&
                      (isnan(singles) || is_between(singles, 0, 1 - lists));
    return consistent ? 0 : MODEL_ETRIPS;
}

/* Seeds that 1bd serves per second if that is given, of which P_1bp are the lookups of Dor's; NaN if it is not. */
static double seeds_1bd_per_s(const double *v)
{
    return v[PREDICT_MU_1BD] * 1e6 / (isnan(v[PREDICT_P_1BP]) ? 1 : v[PREDICT_P_1BP]);
}

static int check_machine(const double *v)
{
    if (!is_positive(v[PREDICT_SUPPLY]))
        return MODEL_ESUPPLY;
    if (!is_positive(v[PREDICT_BUS]))
        return MODEL_EBUS;
    if (!isnan(v[PREDICT_MU_1BD]) && !is_positive(seeds_1bd_per_s(v)))
        return MODEL_ESERVICE;
    if (!is_positive(v[PREDICT_CLOCK]))
        return MODEL_ECLOCK;
    if (!is_positive(v[PREDICT_BYTES_PER_WORD]) || !is_positive(v[PREDICT_WMERS_PER_WORD]))
        return MODEL_EWORD;
    if (!is_not_negative(v[PREDICT_HSP_BYTES]))
        return MODEL_EHSP;
    if (v[PREDICT_FIFO_INGRESS] < 1 || v[PREDICT_FIFO_WMER] < 1 || v[PREDICT_FIFO_SRAM] < 1 ||
        v[PREDICT_FIFO_STAGE2] < 1)
        return MODEL_ECAPACITY;
    if (v[PREDICT_WMER_MARGIN] > v[PREDICT_FIFO_WMER] || v[PREDICT_SRAM_MARGIN] >= v[PREDICT_FIFO_SRAM] ||
        v[PREDICT_STAGE2_MARGIN] > v[PREDICT_FIFO_STAGE2])
        return MODEL_EMARGIN;
    return is_not_negative(v[PREDICT_FETCH_CYCLES]) ? 0 : MODEL_EDELAY;
}

/* --- the machine as a tandem ----------------------------------------------------------------------------- */

/* A seed has no match, or those of a lookup without a trip, or those of a duplicate list. */
static void set_yield_1bd(const double *v, struct tandem_stage *stage)
{
    double singles = v[PREDICT_SINGLE_MATCHES], lists = v[PREDICT_DUPLICATES], matches = v[PREDICT_P_1B];
    if (isnan(singles))
        singles = fmin(1 - lists, fmax(0, matches - MERCURY_TANDEM_TRIP_MATCHES * v[PREDICT_TRIPS]));
    double of_singles = fmin(singles, matches);
    if (lists == 0)
        of_singles = matches;
    double of_lists = matches - of_singles, second = 0;
    second += singles > 0 ? of_singles * of_singles / singles : of_singles;
    second += lists > 0 ? of_lists * of_lists / lists : 0;
    stage->yield = matches;
    stage->yield_dispersion = fmax(0, second / matches - matches);
}

static void make_stages(const double *v, struct tandem_stage *stages)
{
    const double clock_hz = v[PREDICT_CLOCK] * 1e6, clock_s = 1 / clock_hz, p_1a = v[PREDICT_P_1A];
    const double wmers = v[PREDICT_WMERS_PER_WORD], lists = v[PREDICT_DUPLICATES], trips = v[PREDICT_TRIPS];
    const unsigned ingress = (unsigned)v[PREDICT_FIFO_INGRESS], wmer = (unsigned)v[PREDICT_FIFO_WMER],
                   sram = (unsigned)v[PREDICT_FIFO_SRAM] - (unsigned)v[PREDICT_SRAM_MARGIN],
                   stage2 = (unsigned)v[PREDICT_FIFO_STAGE2];
    const double unused = fmax(0, (wmers - 1) * p_1a / 2); /* places of the FIFO, on average */
    const unsigned used = (unsigned)fmax(0, round(wmer - 1 - unused));
    /* a service of 1bd takes 1 clock, or trip_clocks for each of trips / lists trips */
    const double trip_clocks = mercury_trip_share(v),
                 list_clocks = lists > 0 ? trip_clocks * (trips / lists) : 0;
    const double mean_1bd = 1 - lists + trip_clocks * trips;
    const double second_1bd = 1 - lists + lists * list_clocks * list_clocks, rate_1bd = seeds_1bd_per_s(v);
    stages[MERCURY_TANDEM_1A] = (struct tandem_stage){.places = ingress - 1,
                                                      .back_pressure_from = ingress - 1,
                                                      .service_s = clock_s,
                                                      .yield = wmers * p_1a,
                                                      .yield_dispersion = 1 - p_1a};
    stages[MERCURY_TANDEM_1BP] =
        (struct tandem_stage){.places = used,
                              .back_pressure_from = MIN(used, wmer - (unsigned)v[PREDICT_WMER_MARGIN]),
                              .service_s = clock_s,
                              .yield = 1};
    stages[MERCURY_TANDEM_1BD] =
        (struct tandem_stage){.places = sram,
                              .back_pressure_from = sram,
                              .service_s = isnan(rate_1bd) ? mean_1bd / clock_hz : 1 / rate_1bd,
                              .service_scv = fmax(0, second_1bd / (mean_1bd * mean_1bd) - 1)};
    set_yield_1bd(v, &stages[MERCURY_TANDEM_1BD]);
    stages[MERCURY_TANDEM_2] = (struct tandem_stage){
        .places = stage2,
        .back_pressure_from = MIN(stage2, stage2 - (unsigned)v[PREDICT_STAGE2_MARGIN] + 1),
        .delay_s = v[PREDICT_FETCH_CYCLES] * clock_s,
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
    return status ? 0 : f->results[MERCURY_TANDEM_1A].mean.lambda_per_s;
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
    double inputs[PREDICT_INPUTS];
    struct mercury_tandem_prediction prediction;
    struct feeding feeding; /* its stages and their lengths, `places` + 2 of each */
} last = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int predict(const double *v)
{
    struct feeding *f = &last.feeding;
    struct mercury_tandem_prediction *out = &last.prediction;
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++)
        free(f->lengths[i]);
    *f = (struct feeding){.supply_per_s = v[PREDICT_SUPPLY] * 1e6 / v[PREDICT_BYTES_PER_WORD],
                          .bus_per_s = v[PREDICT_BUS] * 1e6 / v[PREDICT_BYTES_PER_WORD],
                          .returned = v[PREDICT_WMERS_PER_WORD] * v[PREDICT_P_1A] * v[PREDICT_P_1B] *
                                      v[PREDICT_P_2] * v[PREDICT_HSP_BYTES] / v[PREDICT_BYTES_PER_WORD]};
    make_stages(v, f->stages);
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++)
        f->lengths[i] = memory_new(f->stages[i].places + 2, sizeof *f->lengths[i]);
    feed(f, out);
    if (f->status)
        return f->status;
    out->held = f->results[MERCURY_TANDEM_1A].p_blocked;
    out->lambda_in_bytes_per_s = f->results[MERCURY_TANDEM_1A].mean.lambda_per_s * v[PREDICT_BYTES_PER_WORD];
    out->latency_s = 0;
    for (enum mercury_tandem_stage i = 0; i < MERCURY_TANDEM_STAGES; i++) {
        const struct tandem_result *r = &f->results[i];
        struct queue_result *queue = &out->queue[i];
        *queue = r->mean;
        queue->n_q += is_left_in_fifo(i) ? r->blocked : 0;
        queue->w_q_s = queue->n_q / queue->lambda_per_s;
        queue->p_bp = i == MERCURY_TANDEM_1A ? r->p_blocked : queue->p_bp;
        out->latency_s += queue->w_g_s;
        if (is_left_in_fifo(i))
            add_blocked(queue->p_0, r->blocked, f->lengths[i], f->stages[i].places);
    }
    return 0;
}

/* Make the last answer that of these inputs. The lock is held. */
static int ask(const double *v)
{
    int status = check_fractions(v);
    if (status == 0)
        status = check_machine(v);
    if (status || (last.known && memcmp(v, last.inputs, sizeof last.inputs) == 0))
        return status;
    status = predict(v);
    last.known = status == 0;
    memcpy(last.inputs, v, sizeof last.inputs);
    return status;
}

int mercury_tandem_predict(const double *v, struct mercury_tandem_prediction *out)
{
    pthread_mutex_lock(&last.lock);
    int status = ask(v);
    if (status == 0)
        *out = last.prediction;
    pthread_mutex_unlock(&last.lock);
    return status;
}

int mercury_tandem_lengths(const double *v, enum mercury_tandem_stage stage, double *lengths, size_t count)
{
    pthread_mutex_lock(&last.lock);
    int status = ask(v);
    size_t known = status ? 0 : last.feeding.stages[stage].places + 1 + is_left_in_fifo(stage);
    if (status == 0 && count < known)
        status = MODEL_ECAPACITY;
    for (size_t n = 0; n < count && status == 0; n++)
        lengths[n] = n < known ? last.feeding.lengths[stage][n] : 0;
    pthread_mutex_unlock(&last.lock);
    return status;
}
