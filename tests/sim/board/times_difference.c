#include "tests/sim/board/times_difference.h"

void times_compare(struct times_difference *found, const char *what, const int64_t *one, const int64_t *other,
                   size_t count)
{
    for (size_t i = 0; i < count && !found->what; i++)
        if (one[i] != other[i]) {
            found->what = what;
            found->number = i;
            found->one = one[i];
            found->other = other[i];
        }
}

size_t times_records(const struct tokens *tokens)
{
    size_t records = 0;
    for (size_t m = 0; m < tokens->match_count; m++)
        records += tokens->matches[m] != 0;
    return records;
}

void times_compare_block(struct times_difference *found, const struct tokens *t,
                         const struct board_times *one, const struct board_times *other)
{
    times_compare(found, "word_delivered", one->word_delivered, other->word_delivered, t->word_count);
    times_compare(found, "word_taken", one->word_taken, other->word_taken, t->word_count);
    times_compare(found, "seed_issued", one->seed_issued, other->seed_issued, t->seed_count);
    times_compare(found, "seed_taken", one->seed_taken, other->seed_taken, t->seed_count);
    times_compare(found, "seed_done", one->seed_done, other->seed_done, t->seed_count);
    times_compare(found, "group_entered", one->group_entered, other->group_entered, t->group_count);
    times_compare(found, "match_taken", one->match_taken, other->match_taken, t->match_count);
    times_compare(found, "record_left", one->record_left, other->record_left, times_records(t));
}

struct board_times times_skip(struct board_times times, const struct tokens *first)
{
    times.word_delivered += first->word_count;
    times.word_taken += first->word_count;
    times.seed_issued += first->seed_count;
    times.seed_taken += first->seed_count;
    times.seed_done += first->seed_count;
    times.group_entered += first->group_count;
    times.match_taken += first->match_count;
    times.record_left += times_records(first);
    return times;
}
