#include "sim/pass/event_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/process/child_words.h"
#include "sim/simgrid/simgrid_module.h"

/* --- keeping blocks ------------------------------------------------------------------------------------------- */

static void copy(void *to, const void *from, size_t count, size_t bytes)
{
    if (count > 0)
        memcpy(to, from, count * bytes);
}

static bool copy_tokens(struct tokens *to, const struct tokens *from)
{
    *to = (struct tokens){0};
    if (!tokens_reserve(to, from->word_count, from->seed_count, from->group_count, from->match_count))
        return false;
    copy(to->words, from->words, from->word_count, sizeof *to->words);
    copy(to->seeds, from->seeds, from->seed_count, sizeof *to->seeds);
    copy(to->groups, from->groups, from->group_count, sizeof *to->groups);
    copy(to->matches, from->matches, from->match_count, sizeof *to->matches);
    to->word_count = from->word_count;
    to->seed_count = from->seed_count;
    to->group_count = from->group_count;
    to->match_count = from->match_count;
    return true;
}

bool event_log_block(void *data, const struct tokens *tokens, const struct bus_share *share)
{
    struct event_log *log = data;
    if (!array_reserve(&log->blocks, &log->room, log->count, 1, sizeof *log->blocks) ||
        !copy_tokens(&log->blocks[log->count].tokens, tokens))
        return false;
    log->blocks[log->count++].share = *share;
    return true;
}

void event_log_destroy(struct event_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        tokens_destroy(&log->blocks[i].tokens);
    free(log->blocks);
    *log = (struct event_log){0};
}

/* --- running them --------------------------------------------------------------------------------------------- */

struct events_call {
    const struct event_log *log;
    const struct hardware *hardware;
    bool started;
    struct events_result *result;
    struct why *why;
    int status;
};

static void call_events(void *data)
{
    struct events_call *c = data;
    c->status = simgrid_module(c->why)->run_events(&c->hardware->board, c->log->blocks, c->log->count,
                                                   c->started, c->result, c->why);
}

/* @param started  SimGrid has run in this process; else it is tried in a child first, where it may run out of memory */
static int run_events(const struct event_log *log, const struct hardware *hardware, bool started,
                      struct events_result *result, struct why *why)
{
    struct events_call call = {log, hardware, started, result, why, 0};
    if (!simgrid_module(why))
        return started ? EVENT_ENGINE_ERUN : EVENT_ENGINE_EMODULE;
    if (!started && !child_words_try(call_events, &call))
        return why_no_memory(why, EVENT_ENGINE_EMEMORY);
    call_events(&call);
    return call.status == EVENTS_EMEMORY && !started ? EVENT_ENGINE_EMEMORY
           : call.status                             ? EVENT_ENGINE_ERUN
                                                     : 0;
}

static bool same_clocks(const int64_t *events, const int64_t *recurrences, size_t count)
{
    return count == 0 || memcmp(events, recurrences, count * sizeof *events) == 0;
}

static bool same_times(const struct tokens *t, const struct board_times *e, const struct board_times *r)
{
    size_t records = 0;
    for (size_t i = 0; i < t->match_count; i++)
        records += t->matches[i];
    return same_clocks(e->word_delivered, r->word_delivered, t->word_count) &&
           same_clocks(e->word_taken, r->word_taken, t->word_count) &&
           same_clocks(e->seed_issued, r->seed_issued, t->seed_count) &&
           same_clocks(e->seed_taken, r->seed_taken, t->seed_count) &&
           same_clocks(e->seed_done, r->seed_done, t->seed_count) &&
           same_clocks(e->group_entered, r->group_entered, t->group_count) &&
           same_clocks(e->match_taken, r->match_taken, t->match_count) &&
           same_clocks(e->record_left, r->record_left, records);
}

/* Compare every clock of every element: what directives measure follows from these. */
static int compare_times(const struct event_log *log, const struct hardware *hardware,
                         const struct events_result *result, struct why *why)
{
    struct board *board = board_new(&hardware->board);
    struct board_times times = {0};
    int status = board ? 0 : why_no_memory(why, EVENT_ENGINE_EMEMORY);
    for (size_t i = 0; i < log->count && status == 0; i++)
        if (!board_advance(board, &log->blocks[i].tokens, &log->blocks[i].share, &times))
            status = why_no_memory(why, EVENT_ENGINE_EMEMORY);
        else if (!same_times(&log->blocks[i].tokens, &result->times[i], &times))
            status = why_say(
                why, EVENT_ENGINE_EDIFFERS,
                "the engines disagree about an element's clock: a bug of Mercury's, please report it");
    board_times_destroy(&times);
    board_destroy(board);
    return status;
}

int event_engine_compare(const struct event_log *log, const struct hardware *hardware,
                         const struct frame *frame, struct why *why)
{
    struct events_result result;
    int status = run_events(log, hardware, frame, &result, why);
    if (status)
        return status;
    status = compare_times(log, hardware, &result, why);
    if (status == 0 && frame && (uint64_t)result.drained != frame->clocks)
        status = why_say(
            why, EVENT_ENGINE_EDIFFERS,
            "the engines disagree about the clock in which the board has drained: a bug of Mercury's, "
            "please report it");
    events_result_destroy(&result);
    return status;
}
