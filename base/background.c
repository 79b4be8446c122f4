#include "base/background.h"

void background_begin(struct background *b, void *(*work)(void *data), void *data)
{
    b->has_thread = pthread_create(&b->thread, NULL, work, data) == 0;
    if (!b->has_thread)
        work(data);
}

void background_wait(struct background *b)
{
    if (b->has_thread)
        pthread_join(b->thread, NULL);
    b->has_thread = false;
}
