#include "sim/tokens/scan_ahead.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    SLOTS = SCAN_AHEAD_THREADS_MAX * SCAN_AHEAD_BLOCKS,
    SPARE_BYTES = 1 << 20 /* of tokens that are kept as room for others */
};

/* A block that is being scanned, or has been scanned and not been taken. */
struct slot {
    struct tokens tokens;
    struct pass_counts counts;
    bool scanned;
    uint64_t words; /* number of words of which the tokens are */
};

struct helper {
    struct scan_ahead *scan;
    unsigned number; /* from 1; the taker is number 0 */
    pthread_t thread;
};

struct scan_ahead {
    const struct pass *pass;
    struct pass_scanner *scanner; /* the taker's */
    const atomic_uint *threads;
    uint64_t words, block_words, block_count; /* both of blocks are 0 before the first is taken */

    pthread_mutex_t lock;   /* of all that follows */
    pthread_cond_t room;    /* a helper may have something to do, or is to end */
    pthread_cond_t scanned; /* a block has been scanned */
    uint64_t taken, begun;  /* numbers of blocks; block b is in slot b % SLOTS */
    size_t bytes;           /* of the blocks that are scanned and not taken */
    struct slot slots[SLOTS];
    struct tokens spare[SLOTS]; /* room for tokens to come; what was used last comes last, and is used next */
    unsigned spare_count;
    struct helper helpers[SCAN_AHEAD_THREADS_MAX];
    unsigned helper_count;
    bool cannot_start, ending;
};

static size_t bytes_of(const struct tokens *t)
{
    return t->word_room * sizeof *t->words + t->seed_room * sizeof *t->seeds +
           t->group_room * sizeof *t->groups + t->match_room * (sizeof *t->matches + sizeof *t->hsps);
}

/* The number of threads that may scan now. */
static unsigned threads_of(const struct scan_ahead *s)
{
    unsigned threads = s->threads ? atomic_load(s->threads) : 1;
    return threads < 1 ? 1 : threads < SCAN_AHEAD_THREADS_MAX ? threads : SCAN_AHEAD_THREADS_MAX;
}

/* --- scanning, by any thread, which holds the lock ----------------------------------------------------------- */

/* Whether there is a block that may be begun. The next to be taken always may. */
static bool may_begin(const struct scan_ahead *s)
{
    uint64_t most = (uint64_t)threads_of(s) * SCAN_AHEAD_BLOCKS;
    return s->begun < s->block_count &&
           (s->begun == s->taken || (s->begun - s->taken < most && s->bytes < SCAN_AHEAD_BYTES));
}

/* Begin the next block, and scan it without the lock. */
static void scan_next(struct scan_ahead *s, struct pass_scanner *scanner)
{
    uint64_t first = s->begun * s->block_words, left = s->words - first;
    struct slot *slot = &s->slots[s->begun++ % SLOTS];
    if (s->spare_count > 0)
        slot->tokens = s->spare[--s->spare_count];
    slot->counts = (struct pass_counts){0};
    slot->scanned = false;
    pthread_mutex_unlock(&s->lock);
    uint64_t count = left < s->block_words ? left : s->block_words;
    uint64_t words = pass_scanner_part(scanner, first, count, &slot->tokens, &slot->counts);
    pthread_mutex_lock(&s->lock);
    slot->words = words;
    slot->scanned = true;
    s->bytes += bytes_of(&slot->tokens);
}

/* --- helpers ----------------------------------------------------------------------------------------------- */

static bool may_scan(const struct helper *h)
{
    return h->number < threads_of(h->scan) && may_begin(h->scan);
}

static void *help(void *data)
{
    const struct helper *h = data;
    struct scan_ahead *s = h->scan;
    struct pass_scanner *scanner = pass_scanner_new(s->pass);
    pthread_mutex_lock(&s->lock);
    while (!s->ending && s->begun < s->block_count) {
        if (may_scan(h)) {
            scan_next(s, scanner);
            pthread_cond_signal(&s->scanned);
        } else {
            pthread_cond_wait(&s->room, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    pass_scanner_destroy(scanner);
    return NULL;
}

/* Start the helpers that may work and have blocks to scan, besides the one that the taker scans. */
static void start_helpers(struct scan_ahead *s)
{
    unsigned threads = threads_of(s);
    uint64_t left = s->block_count - s->begun;
    while (!s->cannot_start && s->helper_count + 1 < threads && s->helper_count + 1 < left) {
        struct helper *h = &s->helpers[s->helper_count];
        *h = (struct helper){.scan = s, .number = s->helper_count + 1};
        if (pthread_create(&h->thread, NULL, help, h) == 0)
            s->helper_count++;
        else
            s->cannot_start = true;
    }
}

/* --- the taker --------------------------------------------------------------------------------------------- */

/* Until the block is there, scan, or wait where nothing may be begun. */
static void await(struct scan_ahead *s, uint64_t block)
{
    while (s->begun <= block || !s->slots[block % SLOTS].scanned)
        if (may_begin(s))
            scan_next(s, s->scanner);
        else
            pthread_cond_wait(&s->scanned, &s->lock);
}

/* The tokens that the taker had are room for others, unless they are large. There are never more of these than blocks
 * have been ahead at once. */
static void hand_over(struct scan_ahead *s, struct slot *slot, struct tokens *tokens)
{
    if (bytes_of(tokens) > SPARE_BYTES)
        tokens_destroy(tokens);
    else
        s->spare[s->spare_count++] = *tokens;
    s->bytes -= bytes_of(&slot->tokens);
    *tokens = slot->tokens;
    slot->tokens = (struct tokens){0};
}

static uint64_t take_scanned(struct scan_ahead *s, struct tokens *tokens, struct pass_counts *counts)
{
    struct slot *slot = &s->slots[s->taken % SLOTS];
    await(s, s->taken);
    hand_over(s, slot, tokens);
    pass_counts_add(counts, &slot->counts);
    s->taken++;
    /* helpers are woken for several blocks at a time */
    if (s->begun - s->taken <= (uint64_t)threads_of(s) * SCAN_AHEAD_BLOCKS / 2)
        pthread_cond_broadcast(&s->room);
    return slot->words;
}

uint64_t scan_ahead_take(struct scan_ahead *s, uint64_t first, uint64_t count, struct tokens *tokens,
                         struct pass_counts *counts)
{
    if (s->taken > 0 && first % s->block_words > 0) /* the rest of the block that was taken last */
        return pass_scanner_part(s->scanner, first, count, tokens, counts);
    pthread_mutex_lock(&s->lock);
    if (s->taken == 0 && s->begun == 0) {
        s->block_words = count;
        s->block_count = (s->words + count - 1) / count;
    }
    assert(first == s->taken * s->block_words);
    start_helpers(s);
    bool alone = s->helper_count == 0;
    uint64_t words = alone ? 0 : take_scanned(s, tokens, counts);
    if (alone)
        s->begun = ++s->taken;
    pthread_mutex_unlock(&s->lock);
    return alone ? pass_scanner_part(s->scanner, first, count, tokens, counts) : words;
}

/* --- the whole --------------------------------------------------------------------------------------------- */

struct scan_ahead *scan_ahead_new(const struct pass *pass, uint64_t words, const atomic_uint *threads)
{
    struct scan_ahead *s = memory_new(1, sizeof *s);
    s->pass = pass;
    s->scanner = pass_scanner_new(pass);
    s->words = words;
    s->threads = threads;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->room, NULL);
    pthread_cond_init(&s->scanned, NULL);
    return s;
}

void scan_ahead_destroy(struct scan_ahead *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->helper_count; i++)
        pthread_join(s->helpers[i].thread, NULL);
    for (unsigned i = 0; i < SLOTS; i++)
        tokens_destroy(&s->slots[i].tokens);
    for (unsigned i = 0; i < s->spare_count; i++)
        tokens_destroy(&s->spare[i]);
    pthread_cond_destroy(&s->scanned);
    pthread_cond_destroy(&s->room);
    pthread_mutex_destroy(&s->lock);
    pass_scanner_destroy(s->scanner);
    free(s);
}
