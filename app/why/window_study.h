/* window_study.h - theory in windows beside a run: the curve of its error over the length of the windows.
 *
 * Models    those of window_theory.h, in windows of several lengths, up to the whole pass.
 * Best      of the last model: the greatest length at which its largest error in a mean queue above 1 is at most 0.01
 *           above the smallest one. In longer windows homologous regions are averaged with what is beside them.
 * Controls  at that length: windows in shuffled order, which say the same in a model that knows no order; and windows
 *           of shuffled words, which have the same rates as the whole run, and must lose what clumps do.
 * Distance  total variation of P[N = n], in the bins of the run's histograms (queue_distribution.h).
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/draw/svg.h"
#include "validate/validation.h"
#include "app/report/run_files.h"
#include "app/why/window_theory.h"

enum { WINDOW_LENGTHS_MAX = 16, WINDOW_POINTS_MAX = WINDOW_MODELS * WINDOW_LENGTHS_MAX + 3 };

/** What a model says in windows of one length. */
struct window_point {
    enum window_model model;
    enum window_order order;
    uint64_t words;  /* of a window; UINT64_MAX: the whole pass */
    double stream_s; /* of all passes */
    double beyond;   /* fraction of the windows in which a stage is at its limit */
    double n_q[WINDOW_FIFOS], p_bp[WINDOW_FIFOS], total_variation[WINDOW_FIFOS];
};

/** A Poisson stream of two rates that has the moments of the run's seeds (mmpp_fit.h), before M/M/1/K. */
struct window_mmpp {
    bool is_fitted;
    uint64_t longest_words;   /* of the intervals whose dispersions it has; the shorter ones have 1,024 */
    double rate[2], leave[2]; /* seeds per clock; how often a rate is left, per clock */
    double n_q[2];            /* of the w-mer FIFO and the SRAM FIFO */
};

struct window_study {
    struct window_point simulated;   /* without total_variation */
    double half_width[WINDOW_FIFOS]; /* of the interval of n_q; NaN if there is none */
    struct window_point points[WINDOW_POINTS_MAX];
    unsigned count, best; /* index of the best point */
    struct window_mmpp mmpp;
};

/** Read lengths: "64,1024,pass". @return number of them, or COMMAND_REFUSED as a negative number and one line */
int window_study_lengths(const char *text, uint64_t *lengths, struct why *why);

/** @param lengths  `count` of them; 0: powers of 4, as many as a few seconds have time for */
void window_study_make(const struct hardware *hardware, const struct assumption_tokens *tokens,
                       const struct run_files *run, const struct validation *validation,
                       const uint64_t *lengths, unsigned count, struct window_study *study);

/** The answer in a sentence. @return `text` */
const char *window_study_say(const struct window_study *study, char *text, size_t size);

void window_study_write(const struct window_study *study, enum result_format format, FILE *out);

/** Draw the errors of the last model, and of M/M/1/K, over the length of the windows. */
void window_study_draw(const void *study, struct svg *svg);
