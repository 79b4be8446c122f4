/* background.h - calls that are made one after the other, in the order in which they were asked for, by a thread of
 * their own or by any thread that has nothing better to do.
 *
 * Threads   what calls use is theirs until background_wait(): they may change it without a lock.
 * Memory    at most BACKGROUND_CALLS wait; who asks for one more makes the first of them, or waits for it.
 */
#pragma once

#include <stdbool.h>

enum { BACKGROUND_CALLS = 32 };

struct background;

/** @param has_thread  whether to start a thread for the calls; if there can be none, whoever waits makes them */
struct background *background_new(bool has_thread);

/** Ask for call(subject, argument). */
void background_add(struct background *background, void (*call)(void *subject, void *argument), void *subject,
                    void *argument);

/** Make the next call, unless none waits or another thread is making one. @return whether a call was made */
bool background_help(struct background *background);

/** The number of calls that wait; 0 while one is being made. */
unsigned background_due(struct background *background);

/** Wait until all calls have been made; make those that nobody else makes. */
void background_wait(struct background *background);

/** Wait, and end the thread; NULL is allowed. */
void background_destroy(struct background *background);
