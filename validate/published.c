#include "validate/published.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "model/closed/closed_network.h"
#include "model/closed/private_centre.h"
#include "validate/dor2010.h"

void published_add_value(struct published *out, const char *where, const char *quantity, const char *unit,
                         const char *expected, double ours)
{
    assert(out->value_count < PUBLISHED_VALUES_MAX);
    const struct dor2010_number printed = dor2010_number(expected);
    bool admitted = ours >= printed.low && ours <= printed.high;
    out->values[out->value_count++] =
        (struct published_value){where, quantity, unit, expected, ours, admitted};
    out->not_admitted += !admitted;
}

void published_add_statement(struct published *out, const char *text, bool holds, const char *evidence, ...)
{
    assert(out->statement_count < PUBLISHED_STATEMENTS_MAX);
    struct published_statement *s = &out->statements[out->statement_count++];
    va_list arguments;
    *s = (struct published_statement){.text = text, .holds = holds};
    va_start(arguments, evidence);
    vsnprintf(s->evidence, sizeof s->evidence, evidence, arguments);
    va_end(arguments);
    out->not_admitted += !holds;
}

static const double MB = 1 << 20, GB = 1e9;

/* Section IV.C. */
static const double software_events = 46912, event_bytes = 64, frames = 11728, record_bytes = 11056,
                    run_bytes = 4.2e12;

/* Section III: a histogram of 512 bins, and two stamps of 4 bytes for each of 1e9 elements. */
static const double bins = 512, bin_bytes = 8, raw_events = 2e9, raw_bytes = 4;

/* Table I: what the FPGA has and what TimeTrial takes of it. */
static const struct {
    const char *quantity, *percent;
    double available, used;
} table_i[] = {{"98304", "5.3", 98304, 5164},
               {"98304", "7.1", 98304, 6980},
               {"240", "0.8", 240, 2},
               {"96", "1.0", 96, 1}};

void timetrial2011_make(struct published *out)
{
    *out = (struct published){.value_count = 0};
    published_add_value(out, "III, histogram", "bins", "B", "4096", bins * bin_bytes);
    published_add_value(out, "III, raw events", "bytes", "GB", "8", raw_events * raw_bytes / GB);
    published_add_value(out, "IV.C, software", "events", "MB", "2.86", software_events * event_bytes / MB);
    published_add_value(out, "IV.C, board", "records", "MB", "124", frames * record_bytes / MB);
    published_add_value(out, "IV.C, board", "share", "%", "0.003", 100 * frames * record_bytes / run_bytes);
    for (size_t i = 0; i < sizeof table_i / sizeof table_i[0]; i++)
        published_add_value(out, "Table I, used of", table_i[i].quantity, "%", table_i[i].percent,
                            100 * table_i[i].used / table_i[i].available);
    published_add_statement(out, "an MB is 2^20 bytes",
                            fabs(software_events * event_bytes / 1e6 - 2.86) > 0.005,
                            "with 10^6 these would be %.2f and %.0f MB", software_events * event_bytes / 1e6,
                            frames * record_bytes / 1e6);
}

#define SHARED_NS     9.01
#define X_PER_NS      0.07
#define REQUEST_BYTES 64.0

/* --- Algorithm 1 ----------------------------------------------------------------------------------------- */

/* Rates 4, 3 and 8; routes 1 to 3, 2 to 1, and 3 to 1 with probability 1/4, else to 2: visits 1, 0.75, 1. */
static int add_example(struct published *out)
{
    static const char *const names[2][3] = {{"w_1", "w_2", "w_3"}, {"n_1", "n_2", "n_3"}};
    static const char *const expected[2][3] = {{"0.25", "0.333333", "0.125"}, {"0.4", "0.4", "0.2"}};
    static const char where[] = "rates 4, 3, 8";
    const struct closed_network network = {
        .centre_count = 3,
        .class_count = 1,
        .population = {1},
        .centres = {{4, 1, .visits = {1}}, {3, 1, .visits = {0.75}}, {8, 1, .visits = {1}}}};
    struct closed_result r;
    int status = closed_network_solve(&network, &r);
    published_add_value(out, where, "x", "1/s", "1.6", r.x_per_s[0]);
    for (int i = 0; i < 3; i++)
        published_add_value(out, where, names[0][i], "s", expected[0][i], r.w_s[i][0]);
    for (int i = 0; i < 3; i++)
        published_add_value(out, where, names[1][i], "1", expected[1][i], r.n[i][0]);
    return status;
}

static int add_classes(struct published *out)
{
    static const struct {
        const char *where, *expected[2];
        unsigned servers[3], population[2];
    } cases[] = {
        {"N (3,2), C 1", {"0.0150753351905304", "0.0237244902080405"}, {1, 1, 1}, {3, 2}},
        {"N (4,3), C (2,1,3)", {"0.0302243121416231", "0.0249576921160482"}, {2, 1, 3}, {4, 3}},
    };
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        const struct closed_network network = {
            .centre_count = 3,
            .class_count = 2,
            .population = {cases[i].population[0], cases[i].population[1]},
            .centres = {{1 / 66.07, cases[i].servers[0], .visits = {1, 0}},
                        {1 / 40.0, cases[i].servers[1], .visits = {0, 1}},
                        {1 / SHARED_NS, cases[i].servers[2], .visits = {1, 1}}}};
        struct closed_result r;
        status = closed_network_solve(&network, &r);
        published_add_value(out, cases[i].where, "x_1", "1/ns", cases[i].expected[0], r.x_per_s[0]);
        published_add_value(out, cases[i].where, "x_2", "1/ns", cases[i].expected[1], r.x_per_s[1]);
    }
    return status;
}

/* Where the recursion of Algorithm 1 loses all digits. */
static int add_many_customers(struct published *out)
{
    const struct closed_network network = {
        .centre_count = 2,
        .class_count = 1,
        .population = {200},
        .centres = {{X_PER_NS / 4, 4, .visits = {1}}, {1 / SHARED_NS, 1, .visits = {1}}}};
    struct closed_result r;
    int status = closed_network_solve(&network, &r);
    published_add_value(out, "N 200, C_0 4", "x", "1/ns", "0.0700", r.x_per_s[0]);
    return status;
}

/* --- Figure 4.9 ------------------------------------------------------------------------------------------ */

enum { POINTS = 6 };

static const struct {
    unsigned population;
    const char *where, *private_ns, *w_ns[2];
} figure_4_9[POINTS] = {
    {1, "Fig. 4.9, N_0 1", "5.2757", {"9.0100", "9.0100"}},
    {2, "Fig. 4.9, N_0 2", "10.0198", {"13.2760", "12.2096"}},
    {3, "Fig. 4.9, N_0 3", "12.1163", {"16.2663", "15.1494"}},
    {5, "Fig. 4.9, N_0 5", "13.6165", {"20.0881", "19.3469"}},
    {10, "Fig. 4.9, N_0 10", "14.2311", {"23.6163", "23.4510"}},
    {20, "Fig. 4.9, N_0 20", "14.2852", {"24.3811", "24.3771"}},
};

static int add_figure(struct published *out, double w_ns[2][POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        struct private_centre p[2];
        for (unsigned c = 0; c < 2; c++) {
            int status =
                private_centre_of_population(X_PER_NS, SHARED_NS, c + 1, figure_4_9[i].population, &p[c]);
            if (status)
                return status;
            w_ns[c][i] = p[c].w_s;
        }
        const char *where = figure_4_9[i].where;
        published_add_value(out, where, "1/mu_0", "ns", figure_4_9[i].private_ns, 1 / p[0].mu_per_s);
        published_add_value(out, where, "w, C_0 1", "ns", figure_4_9[i].w_ns[0], w_ns[0][i]);
        published_add_value(out, where, "w, C_0 2", "ns", figure_4_9[i].w_ns[1], w_ns[1][i]);
    }
    published_add_value(out, "Fig. 4.9, infinite", "1/mu_0", "ns", "14.2857", 1 / X_PER_NS);
    published_add_value(out, "Fig. 4.9, infinite", "w", "ns", "24.3975",
                        private_centre_limit_s(X_PER_NS, SHARED_NS));
    return 0;
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int add_statements(struct published *out, double w_ns[2][POINTS])
{
    double limit_ns = private_centre_limit_s(X_PER_NS, SHARED_NS);
    bool grows = true, falls = true, met;
    for (int i = 1; i < POINTS; i++) {
        grows = grows && w_ns[0][i] > w_ns[0][i - 1] && w_ns[1][i] > w_ns[1][i - 1];
        falls = falls && w_ns[1][i] < w_ns[0][i];
    }
    struct private_centre p;
    int status = private_centre_fit(X_PER_NS, 25, SHARED_NS, 1, &p, &met);
    if (status)
        return status;
    published_add_statement(out, "the time at the shared centre grows with N_0", grows, "%.4f to %.4f ns",
                            w_ns[0][0], w_ns[0][POINTS - 1]);
    published_add_statement(out, "and flattens", w_ns[0][5] - w_ns[0][4] < w_ns[0][1] - w_ns[0][0],
                            "10 more: %.2f ns, the second: %.2f ns", w_ns[0][5] - w_ns[0][4],
                            w_ns[0][1] - w_ns[0][0]);
    published_add_statement(out, "and falls with C_0", falls, "N_0 5: %.4f, %.4f ns", w_ns[0][3], w_ns[1][3]);
    published_add_statement(out, "25 ns is met only nearly", !met && limit_ns > 0.97 * 25, "at most %.4f ns",
                            limit_ns);
    status = private_centre_fit(X_PER_NS, 100, SHARED_NS, 1, &p, &met);
    published_add_statement(out, "100 ns is never met: the set is empty", !met && limit_ns < 50,
                            "at most %.4f ns", limit_ns);
    double gigabytes_per_s = REQUEST_BYTES / SHARED_NS;
    published_add_statement(out, "the \"7,110 GB/s\" of DRAM are 7.1 GB/s",
                            fabs(gigabytes_per_s - 7.1) < 0.05, "64 B / 9.01 ns = %.3f GB/s",
                            gigabytes_per_s);
    const double modelled = 2.1, simulated = 2.2; /* increase of bodytrack's time in per cent, Table 5.2 */
    published_add_statement(out, "the model is no upper bound: bodytrack", modelled < simulated,
                            "modelled %.1f%%, simulated %.1f%%", modelled, simulated);
    return status;
}

int leonards2023_make(struct published *out)
{
    double w_ns[2][POINTS];
    *out = (struct published){.value_count = 0};
    int status = add_example(out);
    if (status == 0)
        status = add_classes(out);
    if (status == 0)
        status = add_many_customers(out);
    if (status == 0)
        status = add_figure(out, w_ns);
    return status ? status : add_statements(out, w_ns);
}
