#include "base/background.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

struct asked {
    void (*call)(void *subject, void *argument);
    void *subject, *argument;
};

struct background {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;   /* of all that follows */
    pthread_cond_t changed; /* one of the numbers, or `ending` */
    uint64_t added, made;   /* numbers of calls; call c is waiting[c % BACKGROUND_CALLS] */
    bool making, ending;    /* a thread is making call `made` */
    struct asked waiting[BACKGROUND_CALLS];
};

static bool may_make(const struct background *b)
{
    return b->made < b->added && !b->making;
}

static void make_next(struct background *b)
{
    struct asked next = b->waiting[b->made % BACKGROUND_CALLS];
    b->making = true;
    pthread_mutex_unlock(&b->lock);
    next.call(next.subject, next.argument);
    pthread_mutex_lock(&b->lock);
    b->making = false;
    b->made++;
    pthread_cond_broadcast(&b->changed);
}

/* Make a call, or wait for something to change where none may be made. */
static void make_or_wait(struct background *b)
{
    if (may_make(b))
        make_next(b);
    else
        pthread_cond_wait(&b->changed, &b->lock);
}

static void *make_calls(void *data)
{
    struct background *b = data;
    pthread_mutex_lock(&b->lock);
    while (!b->ending)
        make_or_wait(b);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

struct background *background_new(bool has_thread)
{
    struct background *b = memory_new(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->has_thread = has_thread && pthread_create(&b->thread, NULL, make_calls, b) == 0;
    return b;
}

void background_add(struct background *b, void (*call)(void *subject, void *argument), void *subject,
                    void *argument)
{
    pthread_mutex_lock(&b->lock);
    while (b->added - b->made == BACKGROUND_CALLS)
        make_or_wait(b);
    b->waiting[b->added++ % BACKGROUND_CALLS] = (struct asked){call, subject, argument};
    pthread_mutex_unlock(&b->lock); /* first, for the thread to have it when it wakes */
    if (b->has_thread)
        pthread_cond_broadcast(&b->changed);
}

bool background_help(struct background *b)
{
    pthread_mutex_lock(&b->lock);
    const bool may = may_make(b);
    if (may)
        make_next(b);
    pthread_mutex_unlock(&b->lock);
    return may;
}

unsigned background_due(struct background *b)
{
    pthread_mutex_lock(&b->lock);
    const unsigned due = b->making ? 0 : (unsigned)(b->added - b->made);
    pthread_mutex_unlock(&b->lock);
    return due;
}

void background_wait(struct background *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->made < b->added)
        make_or_wait(b);
    pthread_mutex_unlock(&b->lock);
}

void background_destroy(struct background *b)
{
    if (!b)
        return;
    background_wait(b);
    pthread_mutex_lock(&b->lock);
    b->ending = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (b->has_thread)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
