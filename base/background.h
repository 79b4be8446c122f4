/* background.h - calls that a thread of its own makes one after the other, in the order in which they were asked for.
 *
 * Threads   what calls use is theirs until background_wait(): they may change it without a lock. If no thread can be
 *           started, whoever asks makes the calls.
 * Memory    at most BACKGROUND_CALLS wait; who asks for one more waits for the first of them.
 */
#ifndef MERCURY_BASE_BACKGROUND_H
#define MERCURY_BASE_BACKGROUND_H

enum { BACKGROUND_CALLS = 32 };

struct background;

/** Start the thread.
 *
 * @param at_once  number of calls, 1 to BACKGROUND_CALLS, that wait until the thread wakes up and makes them, unless
 *                 somebody waits for them: waking it may take longer than a short call
 * @return NULL if memory is exhausted
 */
struct background *background_new(unsigned at_once);

/** Ask for call(subject, argument). */
void background_add(struct background *background, void (*call)(void *subject, void *argument), void *subject,
                    void *argument);

/** Wait until all calls have been made. */
void background_wait(struct background *background);

/** Wait, and end the thread; NULL is allowed. */
void background_destroy(struct background *background);

#endif
