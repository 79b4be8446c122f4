#include "base/file/lines_ahead.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <htslib/bgzf.h>

/* A thread that has to wait sleeps until half of the texts are there for it: waking it for each would take longer than
 * its work on the text. */
enum { TEXTS = LINES_AHEAD_TEXTS, HALF = TEXTS / 2 };

enum { END_OF_FILE = -1, FAILED = -2, NO_MEMORY = -3 };

/* Whole lines; only the file's last one may have no line end. */
struct text {
    char *bytes;
    size_t count, room; /* room: with one for a NUL */
    int end;            /* 0, or END_OF_FILE, FAILED or NO_MEMORY after the last line */
};

struct lines_ahead {
    struct BGZF *file;
    kstring_t rest; /* the reader's: the begin of a line whose end has not been read */
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;     /* of what follows, but for what the texts hold */
    pthread_cond_t changed;   /* half of the texts are filled, or all; or half are empty, or `ending` */
    uint64_t filled, emptied; /* number of texts so far; text t is texts[t % TEXTS] */
    bool all_filled, ending;
    struct text texts[TEXTS];
    struct text *held; /* the text that lines are taken of, or NULL */
    size_t taken;      /* bytes taken of it */
};

/* --- the reading thread ------------------------------------------------------------------------------------ */

static bool make_room(struct text *t, size_t room)
{
    if (room <= t->room)
        return true;
    char *bytes = realloc(t->bytes, room);
    if (!bytes)
        return false;
    t->bytes = bytes;
    t->room = room;
    return true;
}

/* Begin a text with the rest of the one before. Memory that a long line has taken is given back. */
static bool begin_text(struct text *t, const kstring_t *rest)
{
    if (t->room > 3 * LINES_AHEAD_BYTES) {
        free(t->bytes);
        *t = (struct text){0};
    }
    t->count = 0;
    if (!make_room(t, rest->l + LINES_AHEAD_BYTES + BGZF_MAX_BLOCK_SIZE + 1))
        return false;
    if (rest->l > 0)
        memcpy(t->bytes, rest->s, rest->l);
    t->count = rest->l;
    return true;
}

/* Read the rest of a block, or the first byte of the next one: htslib drops what it has read when it comes to a block
 * that is damaged. A file that is not compressed has no blocks, and is read without a copy. */
static ssize_t read_block(struct BGZF *file, char *bytes)
{
    int there = file->block_length - file->block_offset;
    return file->is_compressed ? bgzf_read(file, bytes, there > 0 ? (size_t)there : 1)
                               : bgzf_raw_read(file, bytes, BGZF_MAX_BLOCK_SIZE);
}

/* @return number of bytes, 0 at the file's end, FAILED or NO_MEMORY */
static ssize_t append_block(struct text *t, struct BGZF *file)
{
    if (t->room <= t->count + BGZF_MAX_BLOCK_SIZE && !make_room(t, 2 * t->room))
        return NO_MEMORY;
    errno = 0;
    ssize_t got = read_block(file, t->bytes + t->count);
    t->count += got > 0 ? (size_t)got : 0;
    return got >= 0 ? got : errno == ENOMEM ? NO_MEMORY : FAILED;
}

/* @return END_OF_FILE, FAILED, NO_MEMORY, or 0 if there is more to read */
static int fill(struct text *t, kstring_t *rest, struct BGZF *file)
{
    size_t whole = 0; /* bytes of whole lines */
    ssize_t got = 1;
    if (!begin_text(t, rest))
        return NO_MEMORY;
    while (got > 0 && (t->count < LINES_AHEAD_BYTES || whole == 0)) {
        size_t before = t->count;
        got = append_block(t, file);
        const char *last = memrchr(t->bytes + before, '\n', t->count - before);
        whole = last ? (size_t)(last + 1 - t->bytes) : whole;
    }
    if (got == 0)
        return END_OF_FILE; /* the last line may lack its end */
    rest->l = 0;
    bool kept = kputsn(t->bytes + whole, t->count - whole, rest) >= 0;
    t->count = whole;
    return !kept ? NO_MEMORY : got > 0 ? 0 : (int)got;
}

/* Wait for a text that is empty. @return NULL if nothing is to be read any more */
static struct text *find_empty(struct lines_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->filled - a->emptied == TEXTS)
        while (a->filled - a->emptied > HALF && !a->ending)
            pthread_cond_wait(&a->changed, &a->lock);
    struct text *text = a->ending ? NULL : &a->texts[a->filled % TEXTS];
    pthread_mutex_unlock(&a->lock);
    return text;
}

/* A text more has been filled, or emptied. */
static void raise_number(struct lines_ahead *a, uint64_t *number, bool is_last)
{
    pthread_mutex_lock(&a->lock);
    ++*number;
    a->all_filled = a->all_filled || is_last;
    const bool may_wake = is_last || a->filled - a->emptied == HALF;
    pthread_mutex_unlock(&a->lock); /* first, for the other thread to have it when it wakes */
    if (may_wake)
        pthread_cond_signal(&a->changed);
}

static void *read_on(void *data)
{
    struct lines_ahead *a = data;
    struct text *text;
    int end = 0;
    while (end == 0 && (text = find_empty(a))) {
        end = text->end = fill(text, &a->rest, a->file);
        raise_number(a, &a->filled, end != 0);
    }
    return NULL;
}

/* --- whoever takes the lines ------------------------------------------------------------------------------- */

static struct text *next_text(struct lines_ahead *a)
{
    if (!a->has_thread) {
        a->texts[0].end = fill(&a->texts[0], &a->rest, a->file);
        return &a->texts[0];
    }
    pthread_mutex_lock(&a->lock);
    if (a->filled == a->emptied)
        while (a->filled - a->emptied < HALF && !a->all_filled)
            pthread_cond_wait(&a->changed, &a->lock);
    pthread_mutex_unlock(&a->lock);
    return &a->texts[a->emptied % TEXTS];
}

/* Hold a text with more lines. @return 0, or how the file has ended */
static int find_line(struct lines_ahead *a)
{
    while (!a->held || a->taken == a->held->count) {
        if (a->held && a->held->end)
            return a->held->end;
        if (a->held && a->has_thread)
            raise_number(a, &a->emptied, false);
        a->held = next_text(a);
        a->taken = 0;
    }
    return 0;
}

int lines_ahead_next(struct lines_ahead *a, kstring_t *line)
{
    *line = (kstring_t){0};
    int end = find_line(a);
    if (end)
        return end;
    char *begin = a->held->bytes + a->taken;
    size_t left = a->held->count - a->taken;
    const char *line_end = memchr(begin, '\n', left);
    size_t length = line_end ? (size_t)(line_end - begin) : left;
    a->taken += line_end ? length + 1 : left;
    length -= length > 0 && begin[length - 1] == '\r';
    begin[length] = '\0';
    *line = (kstring_t){.s = begin, .l = length, .m = length + 1};
    return length < INT_MAX ? (int)length : INT_MAX;
}

const char *lines_ahead_ready(const struct lines_ahead *a, size_t *bytes)
{
    *bytes = a->held ? a->held->count - a->taken : 0;
    return a->held ? a->held->bytes + a->taken : NULL;
}

void lines_ahead_skip(struct lines_ahead *a, size_t bytes)
{
    a->taken += bytes;
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void free_texts(struct lines_ahead *a)
{
    for (unsigned i = 0; i < TEXTS; i++)
        free(a->texts[i].bytes);
    ks_free(&a->rest);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

struct lines_ahead *lines_ahead_new(struct BGZF *file, bool with_thread)
{
    struct lines_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->file = file;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->has_thread = with_thread;
    if (!with_thread || pthread_create(&a->thread, NULL, read_on, a) == 0)
        return a;
    free_texts(a);
    return NULL;
}

void lines_ahead_destroy(struct lines_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->ending = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    if (a->has_thread)
        pthread_join(a->thread, NULL);
    free_texts(a);
}
