#include "app/run/run_ranks.h"

#include <stdlib.h>

#include "base/command.h"
#include "base/memory.h"
#include "sim/pass/pass_set.h"
#include "sim/pass/pass_slots.h"
#include "app/rank/rank_link.h"

struct run_ranks {
    struct rank_link *link; /* NULL after the others have been dismissed */
    enum rank_order order;  /* of another rank: the last one that it has heard */
    struct passes_others others;
    size_t pass_count;
    uint64_t digest; /* of the passes */
    int *givers;     /* of every pass: the rank that it was given to, or 0 */
    unsigned *asked; /* of every rank: number of passes that it waits for */
    int turn;        /* the rank that was given a pass last */
};

bool run_ranks_open(struct run_ranks **out, int *status, struct why *why)
{
    struct rank_link *link;
    *out = NULL;
    if (!rank_link_open("the run", &link, status, why))
        return false;
    if (!link)
        return true;
    *out = memory_new(1, sizeof **out);
    (*out)->link = link;
    *status = COMMAND_OK;
    return true;
}

bool run_ranks_lead(const struct run_ranks *ranks)
{
    return !ranks || rank_link_rank(ranks->link) == 0;
}

bool run_ranks_are_many(const struct run_ranks *ranks)
{
    return ranks && rank_link_size(ranks->link) > 1;
}

/* --- rank 0 ---------------------------------------------------------------------------------------------- */

/* Find the next rank that waits for a pass and lives; 0 if there is none. */
static int find_waiting(const struct run_ranks *r)
{
    int others = rank_link_size(r->link) - 1;
    for (int i = 0; i < others; i++) {
        int rank = (r->turn + i) % others + 1;
        if (r->asked[rank] > 0 && !rank_link.is_silent(r->link, rank))
            return rank;
    }
    return 0;
}

static bool waits(void *data)
{
    return find_waiting(data) > 0;
}

static void give(void *data, size_t pass)
{
    struct run_ranks *r = data;
    int rank = r->turn = find_waiting(r);
    r->asked[rank]--;
    r->givers[pass] = rank;
    rank_link.order(rank, ORDER_JOB, (struct rank_job){.pass = pass});
}

static int collect(void *data, struct pass_report **report, struct why *why)
{
    struct run_ranks *r = data;
    struct rank_letter letter = {0};
    enum rank_word word = rank_link.hear(r->link, &letter, why);
    if (word == WORD_FAILED)
        return PASS_EPROCESS;
    if (word == WORD_ASKS && letter.digest != r->digest)
        return why_say(
            why, PASS_EPROCESS,
            "rank %d has another run: are its inputs, its options and its mercury the same as those of rank 0?",
            letter.rank);
    if (letter.status)
        return letter.status;
    r->asked[letter.rank] += word == WORD_ASKS || word == WORD_OUTCOME;
    if (word != WORD_OUTCOME)
        return 0;
    *report = letter.report;
    r->givers[letter.report->job.pass] = 0;
    return 1;
}

static bool find_lost(void *data, size_t *pass)
{
    struct run_ranks *r = data;
    for (*pass = 0; *pass < r->pass_count; (*pass)++)
        if (r->givers[*pass] > 0 && rank_link.is_silent(r->link, r->givers[*pass])) {
            r->givers[*pass] = 0;
            return true;
        }
    return false;
}

/* MPI is left, too, since the other ranks could not end before. */
static void dismiss(void *data)
{
    struct run_ranks *r = data;
    bool lost = rank_link_dismiss(r->link, NULL, NULL);
    rank_link_close(r->link, !lost);
    r->link = NULL;
}

const struct passes_others *run_ranks_others(struct run_ranks *r, const struct passes *passes)
{
    if (!run_ranks_are_many(r))
        return NULL;
    r->givers = memory_new(passes->pass_count, sizeof *r->givers);
    r->asked = memory_new((size_t)rank_link_size(r->link), sizeof *r->asked);
    r->pass_count = passes->pass_count;
    r->digest = pass_set_digest(passes);
    r->others = (struct passes_others){.data = r,
                                       .waits = waits,
                                       .give = give,
                                       .collect = collect,
                                       .find_lost = find_lost,
                                       .dismiss = dismiss};
    return &r->others;
}

/* --- the others ------------------------------------------------------------------------------------------ */

int run_ranks_serve(struct run_ranks *r, const struct passes *passes, struct why *why)
{
    struct pass_slots *slots = pass_slots_new(passes, NULL);
    uint64_t digest = pass_set_digest(passes);
    int status = 0;
    pass_slots_index_database(slots);
    for (unsigned i = 0; i < passes->how.jobs; i++)
        rank_link.say(WORD_ASKS, &digest, sizeof digest);
    while (status >= 0 && r->order < ORDER_STOP) {
        struct pass_report *report;
        struct rank_job job;
        r->order = rank_link.listen(r->link, &job);
        status = r->order == ORDER_JOB ? pass_slots_start(slots, job.pass, why) : 0;
        if (status == 0)
            status = pass_slots_collect(slots, &report, why);
        if (status > 0) {
            rank_link.report(report);
            pass_report_destroy(report);
        } else if (status == 0 && r->order == ORDER_NONE)
            rank_link.sleep();
    }
    pass_slots_destroy(slots);
    return status < 0 ? COMMAND_FAILED : 0;
}

/* --- the end --------------------------------------------------------------------------------------------- */

int run_ranks_close(struct run_ranks *r, int status, const struct why *why)
{
    if (!r)
        return status;
    bool leads = run_ranks_lead(r), failed = status == COMMAND_FAILED || status == COMMAND_REFUSED;
    if (r->link && leads)
        dismiss(r);
    else if (r->link)
        rank_link_close(r->link, rank_link.leave(r->link, r->order, failed ? why->line : NULL));
    free(r->givers);
    free(r->asked);
    free(r);
    return leads ? status : COMMAND_OK;
}
