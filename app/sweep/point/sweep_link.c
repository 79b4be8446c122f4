#include "app/sweep/point/sweep_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rank_link_writer of outcomes. */
static bool write_outcome(const void *data, FILE *out)
{
    const struct sweep_outcome *outcome = data;
    size_t count = outcome->alignment_count;
    return fwrite(outcome, sizeof *outcome, 1, out) == 1 &&
           fwrite(outcome->alignments, sizeof *outcome->alignments, count, out) == count &&
           stage3_tasks_write(&outcome->host.tasks, true, out);
}

void sweep_link_report(const struct sweep_outcome *outcome)
{
    rank_link_report(write_outcome, outcome);
}

static bool read_outcome(FILE *in, struct sweep_outcome *outcome)
{
    if (fread(outcome, sizeof *outcome, 1, in) != 1)
        return false;
    size_t count = outcome->alignment_count;
    outcome->host.tasks = (struct stage3_tasks){0}; /* pointers of another rank mean nothing here */
    outcome->alignments = malloc((count + 1) * sizeof *outcome->alignments);
    if (outcome->alignments && fread(outcome->alignments, sizeof *outcome->alignments, count, in) == count &&
        stage3_tasks_read(&outcome->host.tasks, in))
        return true;
    sweep_outcome_destroy(outcome);
    return false;
}

bool sweep_link_read(const struct rank_letter *letter, struct sweep_outcome *outcome)
{
    FILE *in = fmemopen(letter->bytes, letter->size, "r");
    bool whole = in && read_outcome(in, outcome);
    if (in)
        fclose(in);
    return whole;
}

enum rank_word sweep_link_hear(struct rank_link *link, int *rank, uint64_t *plan,
                               struct sweep_outcome *outcome, struct why *why)
{
    struct rank_letter letter = {0};
    enum rank_word word = rank_link_hear(link, &letter, why);
    *rank = letter.rank;
    if (word == WORD_ASKS && letter.size == sizeof *plan)
        memcpy(plan, letter.bytes, sizeof *plan);
    else if (word == WORD_OUTCOME && !sweep_link_read(&letter, outcome))
        word = why_no_memory(why, WORD_FAILED);
    free(letter.bytes);
    return word;
}
