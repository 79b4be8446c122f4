#include "base/background.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct asked {
    void (*call)(void *subject, void *argument);
    void *subject, *argument;
};

struct background {
    pthread_t thread;
    pthread_mutex_t lock;   /* of all that follows */
    pthread_cond_t changed; /* one of the numbers, `awaited` or `ending` */
    uint64_t added, made;   /* numbers of calls; call c is waiting[c % BACKGROUND_CALLS] */
    unsigned at_once;       /* number of calls for which the thread is woken */
    bool started, awaited, ending;
    struct asked waiting[BACKGROUND_CALLS];
};

/* Sleep until enough calls wait, or somebody waits for some. */
static void sleep_on(struct background *b)
{
    uint64_t waiting;
    while ((waiting = b->added - b->made) < b->at_once && !(b->awaited && waiting > 0) && !b->ending)
        pthread_cond_wait(&b->changed, &b->lock);
}

static void make_next(struct background *b)
{
    struct asked next = b->waiting[b->made % BACKGROUND_CALLS];
    pthread_mutex_unlock(&b->lock);
    next.call(next.subject, next.argument);
    pthread_mutex_lock(&b->lock);
    b->made++;
    pthread_cond_broadcast(&b->changed);
}

static void *make_calls(void *data)
{
    struct background *b = data;
    pthread_mutex_lock(&b->lock);
    for (sleep_on(b); b->made < b->added; sleep_on(b))
        while (b->made < b->added)
            make_next(b);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

struct background *background_new(unsigned at_once)
{
    struct background *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->at_once = at_once;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->started = pthread_create(&b->thread, NULL, make_calls, b) == 0;
    return b;
}

void background_add(struct background *b, void (*call)(void *subject, void *argument), void *subject,
                    void *argument)
{
    if (!b->started) {
        call(subject, argument);
        return;
    }
    pthread_mutex_lock(&b->lock);
    while (b->added - b->made == BACKGROUND_CALLS)
        pthread_cond_wait(&b->changed, &b->lock);
    b->waiting[b->added++ % BACKGROUND_CALLS] = (struct asked){call, subject, argument};
    const bool may_wake = b->added - b->made == b->at_once;
    pthread_mutex_unlock(&b->lock); /* first, for the thread to have it when it wakes */
    if (may_wake)
        pthread_cond_broadcast(&b->changed);
}

void background_wait(struct background *b)
{
    pthread_mutex_lock(&b->lock);
    b->awaited = b->made < b->added;
    if (b->awaited)
        pthread_cond_broadcast(&b->changed);
    while (b->made < b->added)
        pthread_cond_wait(&b->changed, &b->lock);
    b->awaited = false;
    pthread_mutex_unlock(&b->lock);
}

void background_destroy(struct background *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->ending = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (b->started)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
