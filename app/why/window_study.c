#include "app/why/window_study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/figure.h"
#include "base/progress.h"
#include "base/shown.h"
#include "model/queue/mercury_tandem.h"
#include "model/queue/mmpp_fit.h"
#include "model/queue/mmpp_queue.h"
#include "validate/queue_distribution.h"

#define ALIKE 0.01 /* errors that differ by less are alike */

enum { WINDOWS_MOST = STREAM_WINDOWS_MOST, LENGTH_FIRST = 64, LENGTH_STEP = 4 };

/* --- lengths --------------------------------------------------------------------------------------------- */

int window_study_lengths(const char *text, uint64_t *lengths, struct why *why)
{
    int count = 0;
    while (count < WINDOW_LENGTHS_MAX) {
        const size_t length = strcspn(text, ",");
        char *end = NULL;
        const bool is_pass = length == 4 && strncmp(text, "pass", 4) == 0;
        const uint64_t words = is_pass ? UINT64_MAX : strtoull(text, &end, 10);
        if (!is_pass && (end != text + length || words == 0 || words >> 40 || !strchr("123456789", *text)))
            break;
        lengths[count++] = words;
        if (text[length] == '\0')
            return count;
        text += length + 1;
    }
    why_refuse(
        why,
        "--windows: expected up to %d numbers of words from 1 to 2^40, or pass, separated by commas, but found "
        "'%.40s'",
        WINDOW_LENGTHS_MAX, text);
    return -COMMAND_REFUSED;
}

static unsigned choose(const struct assumption_tokens *tokens, uint64_t *lengths)
{
    size_t longest = 0, begin = 0;
    unsigned count = 0;
    for (size_t pass = 0; pass < tokens->pass_count; begin = tokens->pass_ends[pass++])
        longest = tokens->pass_ends[pass] - begin > longest ? tokens->pass_ends[pass] - begin : longest;
    for (uint64_t words = LENGTH_FIRST; words < longest && count < WINDOW_LENGTHS_MAX - 1;
         words *= LENGTH_STEP)
        if (tokens->word_count / words <= WINDOWS_MOST)
            lengths[count++] = words;
    lengths[count++] = UINT64_MAX;
    return count;
}

/* --- the run --------------------------------------------------------------------------------------------- */

static void take_run(struct window_study *s, const struct run_files *run, const struct validation *v)
{
    static const int rows[WINDOW_FIFOS] = {N_Q_1A, N_Q_1BP, N_Q_1BD, N_Q_2, -1};
    s->simulated = (struct window_point){.stream_s = v->frames[0].terms[N_Q_2].whole /
                                                     (v->frames[0].inputs.value[PREDICT_CLOCK] * 1e6)};
    for (unsigned i = 0; i < WINDOW_FIFOS; i++) {
        const struct run_queue_state *q = &run->queues[i];
        const double wmers = i == 0 ? BASES_PER_WORD : 1;
        s->simulated.n_q[i] = q->mean;
        s->simulated.p_bp[i] = i == FIFO_EGRESS ? NAN : q->back_pressure;
        s->half_width[i] = rows[i] < 0 ? NAN : v->intervals[0][rows[i]].estimate.half_width / wmers;
    }
}

/* The error of a mean queue: its fraction of the simulated one. */
static double error_of(const struct window_study *s, const struct window_point *point, unsigned fifo)
{
    return point->n_q[fifo] / s->simulated.n_q[fifo] - 1;
}

static double largest_error(const struct window_study *s, const struct window_point *point, unsigned *fifo)
{
    return window_largest_error(point->n_q, s->simulated.n_q, fifo);
}

/* --- points ---------------------------------------------------------------------------------------------- */

static void ask(const struct hardware *hardware, const struct assumption_tokens *tokens,
                const struct run_files *run, enum window_model model, enum window_order order, uint64_t words,
                struct window_study *s)
{
    static struct window_answer answer;
    static struct queue_distribution d;
    struct window_point *point = &s->points[s->count];
    window_theory_ask(hardware, tokens, model, order, words, &answer);
    *point = (struct window_point){model,         order, words, answer.clocks / hardware->fpga_clock_hz,
                                   answer.beyond, {0}};
    for (unsigned i = 0; i < WINDOW_FIFOS; i++) {
        const struct run_queue_state *q = &run->queues[i];
        d = (struct queue_distribution){.count = WINDOW_LEVELS};
        memcpy(d.p, answer.queue[i].p, sizeof d.p);
        point->n_q[i] = answer.queue[i].n_q;
        point->p_bp[i] = i == FIFO_EGRESS ? NAN : answer.queue[i].p_bp;
        point->total_variation[i] = queue_distribution_distance(&d, q->bins, q->bin_count);
    }
    s->count++;
}

/* --- a source of two rates ------------------------------------------------------------------------------- */

/* Central moments of the numbers of seeds in intervals of so many words, inside passes. */
static void take_moments(const struct assumption_tokens *t, uint64_t words, double *mean, double *variance,
                         double *third)
{
    *mean = 0;
    for (unsigned round = 0; round < 2; round++) { /* the mean, then what deviates from it */
        double sums[4] = {0};
        for (size_t pass = 0, begin = 0; pass < t->pass_count; begin = t->pass_ends[pass++])
            for (size_t word = begin; word + words <= t->pass_ends[pass]; word += words) {
                double seeds = round > 0 ? -*mean : 0;
                for (uint64_t i = 0; i < words; i++)
                    seeds += t->words[word + i];
                sums[0]++;
                sums[1] += seeds;
                sums[2] += seeds * seeds;
                sums[3] += seeds * seeds * seeds;
            }
        *mean = round == 0 ? sums[1] / sums[0] : *mean;
        *variance = sums[2] / sums[0];
        *third = sums[3] / sums[0];
    }
}

/* Fit a MMPP to the seeds, in clocks of a stream that nothing holds up, and ask MMPP/M/1/K of both queues of 1b. */
static void fit_mmpp(const struct hardware *hardware, const struct assumption_tokens *t, double clocks_a_word,
                     struct window_mmpp *mmpp)
{
    enum { LONGEST = 16384, SHORTEST = 4096, INTERVALS = 32 };
    uint64_t words[3] = {64, 1024, LONGEST};
    static double p[WINDOW_LEVELS];
    struct mmpp_moments m = {.short_length = (double)words[0] * clocks_a_word};
    double mean, variance, third, mean_time;
    while (words[2] > SHORTEST && t->word_count / words[2] < INTERVALS)
        words[2] /= 2;
    mmpp->longest_words = words[2];
    for (unsigned i = 0; i < 3; i++) {
        take_moments(t, words[i], &mean, &variance, &third);
        if (i == 0)
            m.third_moment = third;
        else
            m.dispersion[i - 1] = variance / mean;
        if (i > 0)
            m.length[i - 1] = (double)words[i] * clocks_a_word;
    }
    m.rate = (double)t->lookup_count / ((double)t->word_count * clocks_a_word);
    mmpp->is_fitted = mmpp_fit(&m, mmpp->rate, mmpp->leave);
    if (!mmpp->is_fitted)
        return;
    const struct duration arrivals = duration_mmpp(mmpp->rate, mmpp->leave, &mean_time);
    const struct board_rules *r = &hardware->board;
    const double lookups = (double)t->lookup_count;
    const struct mercury_lookup lookup = mercury_lookup_service(
        (double)t->trips / lookups, (double)t->duplicates / lookups, board_trip_cycles(r));
    const double mu[2] = {1, 1 / lookup.clocks};
    const unsigned places[2] = {r->wmer_seeds, r->sram_lookups - r->sram_margin};
    for (unsigned i = 0; i < 2; i++) {
        struct queue_result result;
        mmpp->n_q[i] =
            mmppm1k_solve(m.rate, mu[i], &arrivals, places[i], true, p, WINDOW_LEVELS, &result) == 0
                ? result.n_q
                : NAN;
    }
}

static void find_best(struct window_study *s)
{
    double least = INFINITY;
    s->best = s->count - 1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->points[i].model == WINDOW_CLOCKED)
            least = fmin(least, largest_error(s, &s->points[i], NULL));
    for (unsigned i = 0; i < s->count; i++)
        if (s->points[i].model == WINDOW_CLOCKED && largest_error(s, &s->points[i], NULL) <= least + ALIKE &&
            (largest_error(s, &s->points[s->best], NULL) > least + ALIKE ||
             s->points[i].words > s->points[s->best].words))
            s->best = i;
}

void window_study_make(const struct hardware *hardware, const struct assumption_tokens *tokens,
                       const struct run_files *run, const struct validation *v, const uint64_t *lengths,
                       unsigned count, struct window_study *s)
{
    uint64_t chosen[WINDOW_LENGTHS_MAX];
    struct progress progress;
    memset(s, 0, sizeof *s);
    if (count == 0)
        count = choose(tokens, chosen);
    else
        memcpy(chosen, lengths, count * sizeof *chosen);
    take_run(s, run, v);
    progress_begin(&progress, "windows", WINDOW_MODELS * count + WINDOW_ORDERS, false);
    for (unsigned model = 0; model < WINDOW_MODELS; model++)
        for (unsigned i = 0; i < count; i++) {
            ask(hardware, tokens, run, model, WINDOW_AS_IS, chosen[i], s);
            progress_update(&progress, s->count);
        }
    find_best(s);
    fit_mmpp(hardware, tokens,
             s->points[s->count - 1].stream_s * hardware->fpga_clock_hz / (double)tokens->word_count,
             &s->mmpp);
    ask(hardware, tokens, run, WINDOW_MM1K, WINDOW_SHUFFLED, s->points[s->best].words, s);
    for (enum window_order order = WINDOW_SHUFFLED; order < WINDOW_ORDERS; order++)
        ask(hardware, tokens, run, WINDOW_CLOCKED, order, s->points[s->best].words, s);
    progress_end(&progress);
}

/* --- writing --------------------------------------------------------------------------------------------- */

static const char *const order_names[WINDOW_ORDERS] = {"as they are", "windows shuffled", "words shuffled"};

static const char *length_name(uint64_t words, char text[32])
{
    if (words == UINT64_MAX)
        strcpy(text, "pass");
    else
        snprintf(text, 32, "%" PRIu64, words);
    return text;
}

const char *window_study_say(const struct window_study *s, char *text, size_t size)
{
    const struct window_point *best = &s->points[s->best];
    double distance = 0, alone = NAN;
    unsigned fifo = 0, of_distance = 0;
    char length[32], in[48], how[40];
    const double largest = largest_error(s, best, &fifo);
    for (unsigned i = 0; i < WINDOW_FIFOS; i++)
        if (best->total_variation[i] > distance) {
            distance = best->total_variation[i];
            of_distance = i;
        }
    for (unsigned i = 0; i < s->count; i++)
        if (s->points[i].model == WINDOW_CLOCKED && s->points[i].order == WINDOW_WORDS_SHUFFLED)
            alone = largest_error(s, &s->points[i], NULL);
    length_name(best->words, length);
    snprintf(in, sizeof in, best->words == UINT64_MAX ? "In whole passes" : "In windows of %s words", length);
    if (largest < 0) {
        snprintf(text, size, "No mean queue is above 0.1: there is nothing that theory could miss.");
        return text;
    }
    snprintf(how, sizeof how, largest <= WINDOW_NEAR ? "within %.1f%% of every" : "up to %.1f%% off a",
             100 * largest);
    snprintf(
        text, size,
        "%s theory is %s mean queue above %g (%s); total variation is at most %.2f (%s). With the words in "
        "random order it would be %.0f%% off.",
        in, how, window_least_queue(s->simulated.n_q), board_fifos[fifo].title, distance,
        board_fifos[of_distance].title, 100 * alone);
    return text;
}

/* What a source of two rates says of the queues of 1b. */
static void note_mmpp(const struct window_study *s, struct result_table *table)
{
    const struct window_mmpp *m = &s->mmpp;
    if (m->is_fitted)
        result_table_note(
            table,
            "MMPP/M/1/K: seeds at %.3g or %.3g per clock, for %.3g and %.3g clocks on average, have the "
            "same mean, dispersion in 1024 and in %.0f words and third moment in 64; N_Q would be %.4g "
            "(wmer) and %.4g (sram)",
            m->rate[0], m->rate[1], 1 / m->leave[0], 1 / m->leave[1], (double)m->longest_words, m->n_q[0],
            m->n_q[1]);
    else
        result_table_note(table, "MMPP/M/1/K: no stream of two rates has the moments of the seeds");
}

static void write_rows(const struct window_study *s, enum result_format format, FILE *out)
{
    static const char *const columns[] = {
        "model",      "order", "words", "queue",          "element",         "n_q",      "simulated",
        "half_width", "error", "p_bp",  "p_bp_simulated", "total_variation", "stream_s", "beyond"};
    struct result_table *table = result_table_new_styled(
        columns, sizeof columns / sizeof columns[0], &(struct result_style){.schema = "mercury-windows-1"});
    char text[512];
    result_table_note(table, "%s", window_study_say(s, text, sizeof text));
    note_mmpp(s, table);
    for (const struct window_point *p = s->points; p < s->points + s->count; p++)
        for (unsigned i = 0; i < WINDOW_FIFOS; i++)
            result_table_add(table, TEXT(window_model_name(p->model)), TEXT(order_names[p->order]),
                             NUMBER(p->words == UINT64_MAX ? NAN : (double)p->words),
                             TEXT(board_fifos[i].name), TEXT(board_fifos[i].element), NUMBER(p->n_q[i]),
                             NUMBER(s->simulated.n_q[i]), NUMBER(s->half_width[i]), NUMBER(error_of(s, p, i)),
                             NUMBER(p->p_bp[i]), NUMBER(s->simulated.p_bp[i]), NUMBER(p->total_variation[i]),
                             NUMBER(p->stream_s), NUMBER(p->beyond));
    result_table_end(table, format, out);
}

/* A row per length: mean queues, or total variations. */
static void write_matrix(const struct window_study *s, enum window_model model, bool distances, FILE *out)
{
    const char *columns[WINDOW_FIFOS + 2] = {"words"};
    static const int widths[WINDOW_FIFOS + 2] = {-16, 9, 9, 9, 9, 9, 9};
    char title[80], length[32];
    for (unsigned i = 0; i < WINDOW_FIFOS; i++)
        columns[i + 1] = board_fifos[i].key;
    columns[WINDOW_FIFOS + 1] = "stream_ms";
    snprintf(title, sizeof title,
             distances ? "total variation of P[N = n], %s" : "N_Q by %s, in windows of so many words",
             window_model_name(model));
    struct result_table *table = result_table_new_styled(
        columns, WINDOW_FIFOS + 2,
        &(struct result_style){.title = title, .widths = widths, .keys = 1, .text_number = "%.4g"});
    if (!distances) {
        result_table_add(table, TEXT("simulated"));
        for (unsigned i = 0; i < WINDOW_FIFOS; i++)
            result_table_add(table, NUMBER(s->simulated.n_q[i]));
        result_table_add(table, NUMBER(1e3 * s->simulated.stream_s));
    }
    for (unsigned point = 0; point < s->count; point++) {
        const struct window_point *p = &s->points[point];
        if (p->model != model)
            continue;
        result_table_add(
            table, TEXT(p->order == WINDOW_AS_IS ? length_name(p->words, length) : order_names[p->order]));
        for (unsigned i = 0; i < WINDOW_FIFOS; i++)
            result_table_add(table, NUMBER(distances ? p->total_variation[i] : p->n_q[i]));
        result_table_add(table, NUMBER(1e3 * p->stream_s));
    }
    if ((model == WINDOW_MM1K || model == WINDOW_CLOCKED) && !distances)
        result_table_note(table,
                          "shuffled: in windows of the best length, these, or all words, in random order");
    if (model == WINDOW_MM1K)
        note_mmpp(s, table);
    result_table_end(table, RESULT_TEXT, out);
}

void window_study_write(const struct window_study *s, enum result_format format, FILE *out)
{
    char text[512];
    if (format != RESULT_TEXT) {
        write_rows(s, format, out);
        return;
    }
    shown_words(window_study_say(s, text, sizeof text), 0, 0, out);
    for (unsigned model = WINDOW_MODELS; model-- > 0;)
        write_matrix(s, model, false, out);
    write_matrix(s, WINDOW_CLOCKED, true, out);
}

/* --- the picture ----------------------------------------------------------------------------------------- */

struct panel {
    const struct window_study *study;
    struct figure figure;
    bool distances; /* total variations instead of errors */
    double longest; /* of the windows; behind it is the whole pass */
};

static const enum svg_colour colours[WINDOW_FIFOS] = {SVG_BLUE, SVG_VERMILION, SVG_GREEN, SVG_ORANGE,
                                                      SVG_GREY};

static void draw_curve(struct panel *panel, enum window_model model, unsigned fifo)
{
    const struct window_study *s = panel->study;
    const bool is_solid = model == WINDOW_CLOCKED;
    const struct figure_style line = {"", colours[fifo], is_solid ? FIGURE_LINE : FIGURE_DASHED, SVG_DISC, 0},
                              mark = {"", colours[fifo], FIGURE_MARK, SVG_DISC, 0};
    double x[WINDOW_LENGTHS_MAX], y[WINDOW_LENGTHS_MAX];
    char length[32];
    size_t count = 0;
    for (const struct window_point *p = s->points; p < s->points + s->count; p++)
        if (p->model == model && p->order == WINDOW_AS_IS) {
            x[count] = p->words == UINT64_MAX ? LENGTH_STEP * panel->longest : (double)p->words;
            y[count] = panel->distances ? p->total_variation[fifo] : 100 * error_of(s, p, fifo);
            if (is_solid)
                figure_mark(&panel->figure, x[count], y[count], 3.5, &mark,
                            "%s, %s: N_Q %.3g, simulated %.3g; total variation %.2g", board_fifos[fifo].title,
                            length_name(p->words, length), p->n_q[fifo], s->simulated.n_q[fifo],
                            p->total_variation[fifo]);
            count++;
        }
    figure_line(&panel->figure, x, y, count, figure_stroke(&line).text);
}

static void draw_panel(const struct window_study *s, struct svg *svg, double top, bool distances)
{
    double longest = 1, least = INFINITY;
    for (unsigned i = 0; i < s->count; i++)
        if (s->points[i].words != UINT64_MAX) {
            longest = fmax(longest, (double)s->points[i].words);
            least = fmin(least, (double)s->points[i].words);
        }
    struct panel panel = {
        s,
        {svg,
         figure_axis_logarithmic(fmin(least, longest), LENGTH_STEP * longest, "words in a window"),
         {.least = distances ? 0 : -100,
          .most = distances ? 1 : 100,
          .title = distances ? "total variation of P[N = n]" : "error of N_Q [%]"}},
        distances,
        longest};
    panel.figure.x.by_two = true;
    figure_open(&panel.figure, 80, top, FIGURE_WIDTH - 110, 240);
    for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
        draw_curve(&panel, WINDOW_MM1K, fifo);
        draw_curve(&panel, WINDOW_CLOCKED, fifo);
    }
    figure_close(&panel.figure);
}

void window_study_draw(const void *data, struct svg *svg)
{
    const struct window_study *s = data;
    struct figure_style entries[WINDOW_FIFOS + 2] = {
        [WINDOW_FIFOS] = {"fluid and clocks", SVG_INK, FIGURE_LINE}, {"M/M/1/K", SVG_INK, FIGURE_DASHED}};
    for (unsigned i = 0; i < WINDOW_FIFOS; i++)
        entries[i] = (struct figure_style){board_fifos[i].title, colours[i], FIGURE_LINE};
    svg_begin(svg, FIGURE_WIDTH, 660, "Error of theory over the length of the windows it is asked in");
    figure_draw_legend(svg, 12, 4, FIGURE_WIDTH - 24, entries, sizeof entries / sizeof entries[0]);
    draw_panel(s, svg, 50, false);
    draw_panel(s, svg, 360, true);
    svg_end(svg);
}
