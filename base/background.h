/* background.h - a call that a thread of its own makes, while its caller goes on.
 *
 * Threads   what the call uses is its own until background_wait().
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/** Start with {0}. */
struct background {
    pthread_t thread;
    bool has_thread;
};

/** Begin work(data), after the call before was waited for; if there can be no thread, it is made at once. */
void background_begin(struct background *background, void *(*work)(void *data), void *data);

/** Wait until the call has been made, if one was begun. */
void background_wait(struct background *background);
