#include "sim/measure/window_log.h"

#include "base/memory.h"

/* Where the elements of the words before a word end in a part. */
struct place {
    size_t words, seeds, groups, matches;
    uint64_t trips, hsps;
};

static void pass_group(struct place *p, const struct tokens *t)
{
    for (size_t end = p->matches + t->groups[p->groups++].matches; p->matches < end; p->matches++)
        p->hsps += t->matches[p->matches];
}

static void pass_seed(struct place *p, const struct tokens *t)
{
    const struct seed_token *seed = &t->seeds[p->seeds++];
    p->trips += seed->outcome == LOOKUP_DUPLICATE ? seed->groups : 0;
    for (unsigned group = 0; group < seed->groups; group++)
        pass_group(p, t);
}

static void go_to(struct place *p, const struct tokens *t, size_t word)
{
    for (; p->words < word; p->words++)
        for (unsigned seed = 0; seed < t->words[p->words]; seed++)
            pass_seed(p, t);
}

void window_log_part(struct window_log *log, const struct tokens *tokens, const struct board_times *times)
{
    struct place place = {0};
    const uint64_t end = log->words + tokens->word_count;
    for (; log->next < log->count && log->marks[log->next] < end; log->next++) {
        size_t word = (size_t)(log->marks[log->next] - log->words);
        go_to(&place, tokens, word);
        log->readings[log->next] = (struct window_reading){
            .clock = times->word_delivered[word],
            .hsps = log->hsps + place.hsps,
            .trips = log->trips + place.trips,
        };
    }
    go_to(&place, tokens, tokens->word_count);
    log->words = end;
    log->hsps += place.hsps;
    log->trips += place.trips;
}

bool window_log_end(struct window_log *log, const struct stage3_tasks *tasks)
{
    auto_by(stage3_cursor_destroy) struct stage3_cursor cursor = stage3_cursor_new(tasks);
    uint64_t cells = 0;
    size_t hsp = 0, cluster = 0;
    for (size_t i = 0; i < log->next; i++) {
        for (; hsp < log->readings[i].hsps && hsp < tasks->hsp_count; hsp++) {
            const struct stage3_hsp *task = stage3_cursor_hsp(&cursor, hsp);
            cells += task->cells;
            if (task->closes && cluster < tasks->cluster_count)
                cells += tasks->clusters[cluster++];
        }
        log->readings[i].cells = cells;
    }
    return !cursor.failed;
}
