/* window_theory.h - queueing theory in windows of the stream: what it says of the FIFOs if each window has rates of its
 * own.
 *
 * Given     tokens alone (assumption_board.h), what each word does in stages 1a to 2, before any clock;
 *           and the machine.
 *           Nothing is fitted to a simulation.
 * Models    WINDOW_MM1K  in each window M/M/1/K at every FIFO, with the offered rates of the window, as if it were all;
 *                        a window takes as long as the stage that takes longest. It knows no order of windows.
 *           WINDOW_MXG1  likewise M^[X]/G/1, with the window's seeds per word, matches per lookup and services of
 *                        1bd. Where a window has no steady state, its FIFO counts as full.
 *           WINDOW_FLUID the windows as a fluid through finite FIFOs (fluid_line.h): host, bus, 1a, 1bp, 1bd, 2 and the
 *                        egress FIFO, whose levels go on from window to window.
 *           WINDOW_CLOCKED
 *                        the same, and inside a window what the clock rules make of its words. Where the fluid leaves
 *                        a FIFO empty, its elements are counted clock by clock (clocked_queue.h), with the window's
 *                        numbers of seeds per word and of matches per lookup. Where it is full, the rules of
 *                        docs/hardware.md say how far it is drained until it is filled up again: a word waits until
 *                        all of its seeds have room, reads in flight enter beyond the mark, a trip lasts.
 *           Words and records share the bus, as fluid_line.h says.
 * Average   over time: under the model's own time.
 * Omits     the pattern of words and lookups inside a window; blocks of the host; how services of neighbours are alike.
 * Order     windows, or words, may be shuffled, as controls: the first changes nothing in a model without order, the
 *           second makes all windows alike.
 * Memory    600 bytes per window, and some 24 per word, of one pass at a time.
 */
#pragma once

#include "base/why.h"
#include "app/why/assumption_machine.h"
#include "app/why/window_laws.h"

enum window_model { WINDOW_MM1K, WINDOW_MXG1, WINDOW_FLUID, WINDOW_CLOCKED, WINDOW_MODELS };

/** An error within which theory is said to hold. */
#define WINDOW_NEAR 0.2

/** How the stream is cut up. */
enum window_order { WINDOW_AS_IS, WINDOW_SHUFFLED, WINDOW_WORDS_SHUFFLED, WINDOW_ORDERS };

enum { WINDOW_FIFOS = FIFO_EGRESS + 1 };

/** What a model says of a FIFO. */
struct window_queue {
    double n_q;  /* mean number of elements in it */
    double p_bp; /* fraction of the time with so many that its signal is on; 0 of the egress FIFO */
    double p[WINDOW_LEVELS]; /* P[N = n]; more count as the last */
};

struct window_answer {
    double clocks; /* of all passes */
    double beyond; /* fraction of the windows in which a stage is at its limit: a queue has no steady state */
    struct window_queue queue[WINDOW_FIFOS];
};

/** Whether theory knows such a machine: of one board, which makes one trip at a time, with a fair bus. */
bool window_theory_takes(const struct hardware *hardware);

/** Ask a model.
 *
 * @param words  of a window, >= 1; UINT64_MAX: the whole pass
 */
void window_theory_ask(const struct hardware *hardware, const struct assumption_tokens *tokens,
                       enum window_model model, enum window_order order, uint64_t words,
                       struct window_answer *out);

/** Ask WINDOW_CLOCKED of windows that were counted while their passes ran.
 *
 * @param windows  of all passes, in their order
 * @param counts   one per pass: number of its windows, >= 1
 */
void window_theory_ask_counted(const struct hardware *hardware, const struct stream_window *windows,
                               const size_t *counts, size_t pass_count, struct window_answer *out);

/** The largest error of a mean queue that is above 1 in the simulation, or above 0.1 if none is.
 *
 * @param said, simulated  mean numbers of elements
 * @param fifo             out: whose it is, if there is one; or NULL
 * @return its fraction of what is simulated; negative if no queue is above 0.1
 */
double window_largest_error(const double said[WINDOW_FIFOS], const double simulated[WINDOW_FIFOS],
                            unsigned *fifo);

/** The mean queue above which errors count: 1, or 0.1 if none is above 1. */
double window_least_queue(const double simulated[WINDOW_FIFOS]);

const char *window_model_name(enum window_model model);
