#include "app/run/run_windows.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/order.h"
#include "blast/stages12/wmer.h"

/* The number of drawn windows of which one is streamed twice. */
enum { DRAWN_PER_REPEATED = 8, EDGE_BASES = 64 };

static size_t cut_count(const struct run_windows *w)
{
    return w->sample->count + w->repeated;
}

/* Number among the drawn windows of the one that a cut has. */
static size_t window_of(const struct run_windows *w, size_t cut)
{
    const size_t drawn = w->sample->count;
    return cut < drawn ? cut : (cut - drawn) * (drawn / w->repeated);
}

/* --- drawing --------------------------------------------------------------------------------------------- */

static void draw(struct run_windows *w, uint64_t seed)
{
    const size_t drawn = w->sizes.drawn, count = w->sizes.windows;
    w->all = memory_new(count, sizeof *w->all);
    for (size_t i = 0; i < count; i++) { /* windows differ by one position at most */
        const uint64_t begin = (uint64_t)((long double)w->whole.positions * i / count),
                       end = (uint64_t)((long double)w->whole.positions * (i + 1) / count);
        w->all[i] = (struct query_segment){STRAND_PLUS, begin, (uint32_t)(end - begin)};
    }
    w->sample = pass_sample_new(w->all, count, &w->whole, drawn, seed);
    w->repeated = drawn / DRAWN_PER_REPEATED > 0 ? drawn / DRAWN_PER_REPEATED : 1;
    w->cuts = memory_new(drawn + w->repeated, sizeof *w->cuts);
    w->begins = memory_new(drawn + w->repeated, sizeof *w->begins);
    w->ends = memory_new(drawn + w->repeated, sizeof *w->ends);
    w->marks = memory_new(2 * (drawn + w->repeated) + 2, sizeof *w->marks);
}

/* --- reading --------------------------------------------------------------------------------------------- */

static int read_cuts(struct run_windows *w, const struct search_options *search, struct sequences *database,
                     struct why *why)
{
    /* a cut is the warm-up, the window, and a run-out as long as a warm-up */
    for (size_t i = 0; i < cut_count(w); i++) {
        const struct query_segment *window = &w->all[w->sample->numbers[window_of(w, i)]];
        const uint64_t warm_up = w->sizes.warm_up_bases / (i < w->sample->count ? 1 : 2),
                       end = window->begin + window->length + w->sizes.warm_up_bases;
        w->cuts[i].begin = window->begin > warm_up ? window->begin - warm_up : 0;
        w->cuts[i].end = end < w->whole.positions ? end : w->whole.positions;
    }
    int status =
        command_status_of(database_cuts_read(&w->whole, w->index, w->cuts, cut_count(w), database, why));
    if (status == 0 && !wmer_in_sequences(database))
        status =
            why_refuse(why,
                       "%.400s: no drawn window has %d consecutive bases of A, C, G and T; draw more of the "
                       "database, or with another --seed",
                       search->database, WMER_BASES);
    sequences_forget_words(&w->whole);
    if (status)
        return status;
    w->mark_count = 1;
    for (size_t i = 0; i < cut_count(w); i++) {
        const struct query_segment *window = &w->all[w->sample->numbers[window_of(w, i)]];
        w->begins[i] = w->cuts[i].there + (window->begin - w->cuts[i].begin);
        w->ends[i] = w->begins[i] + window->length;
        w->marks[w->mark_count++] = w->begins[i] / BASES_PER_WORD;
        w->marks[w->mark_count++] = w->ends[i] / BASES_PER_WORD;
    }
    w->marks[w->mark_count++] = database->word_count - 1;
    w->streamed = database->positions;
    return 0;
}

int run_windows_open(const struct sample_request *request, const struct search_options *search,
                     unsigned threads, struct sequences *database, struct run_windows **windows,
                     struct why *why)
{
    struct run_windows *w = memory_new(1, sizeof *w);
    *windows = NULL;
    const struct search_files *files = &search->databases;
    int status = command_status_of(fasta_index_open(files->paths, files->count, &w->index, why));
    if (status == 0) /* the records of the whole: from the index, or from all of the files */
        status = w->index ? command_status_of(fasta_index_records(w->index, &w->whole, why))
                          : search_options_read(files->paths, files->count, search->database, "database",
                                                threads, &w->whole, why);
    if (status == 0)
        status = sample_request_windows(request, w->whole.positions, &w->sizes, why);
    bool all = status == 0 && w->sizes.drawn == w->sizes.windows;
    if (all)
        status = search_options_read(files->paths, files->count, search->database, "database", threads,
                                     database, why);
    else if (status == 0) {
        draw(w, sample_request_seed(request));
        status = read_cuts(w, search, database, why);
    }
    if (status == 0 && !all)
        *windows = w;
    else
        run_windows_close(w);
    return status;
}

/* --- watching -------------------------------------------------------------------------------------------- */

void run_windows_watch(struct run_windows *w, size_t passes)
{
    const size_t reading_bytes = w->mark_count * sizeof(struct window_reading);
    w->passes = passes;
    w->shared_bytes = passes * (sizeof *w->logs + reading_bytes);
    w->logs = memory_shared(w->shared_bytes);
    struct window_reading *readings = (struct window_reading *)(w->logs + passes);
    for (size_t i = 0; i < passes; i++)
        w->logs[i] = (struct window_log){
            .marks = w->marks, .count = w->mark_count, .readings = readings + i * w->mark_count};
}

void run_windows_close(struct run_windows *w)
{
    if (!w)
        return;
    if (w->logs)
        munmap(w->logs, w->shared_bytes);
    sequences_destroy(&w->whole);
    fasta_index_close(w->index);
    pass_sample_destroy(w->sample);
    free(w->all);
    free(w->cuts);
    free(w->begins);
    free(w->ends);
    free(w->marks);
    free(w);
}

/* --- what it is ------------------------------------------------------------------------------------------ */

double run_windows_scale(const struct run_windows *w)
{
    return (double)w->whole.positions / (double)w->streamed;
}

size_t run_windows_at(const struct run_windows *w, uint64_t position)
{
    const size_t at = ORDER_FIRST(i, w->sample->count, w->ends[i] > position);
    return at < w->sample->count && w->begins[at] <= position ? at : SIZE_MAX;
}

/* Extensions end a few bases before an edge, if these do not pay. */
bool run_windows_cuts(const struct run_windows *w, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < cut_count(w); i++) {
        const struct database_cut *c = &w->cuts[i];
        const uint64_t there = c->there, last = there + (c->end - c->begin);
        if (begin >= there && end <= last)
            return (c->begin > 0 && begin < there + EDGE_BASES) ||
                   (c->end < w->whole.positions && end + EDGE_BASES > last);
    }
    return false;
}

/* --- what was done --------------------------------------------------------------------------------------- */

struct window_reading run_windows_growth(const struct run_windows *w, size_t pass, size_t window)
{
    const bool all = window == RUN_WINDOWS_ALL;
    const struct window_reading *r = w->logs[pass].readings, *a = &r[all ? 0 : 1 + 2 * window],
                                *b = &r[all ? w->mark_count - 1 : 2 + 2 * window];
    return (struct window_reading){b->clock - a->clock, b->hsps - a->hsps, b->trips - a->trips,
                                   b->cells - a->cells};
}

struct warm_up_bias run_windows_bias(const struct run_windows *w)
{
    double clocks = 0, hsps = 0, more_clocks = 0, more_hsps = 0;
    for (size_t pass = 0; pass < w->passes; pass++)
        for (size_t i = w->sample->count; i < cut_count(w); i++) {
            struct window_reading once = run_windows_growth(w, pass, window_of(w, i)),
                                  again = run_windows_growth(w, pass, i);
            clocks += (double)once.clock;
            hsps += (double)once.hsps;
            more_clocks += (double)(again.clock - once.clock);
            more_hsps += (double)again.hsps - (double)once.hsps;
        }
    return (struct warm_up_bias){clocks > 0 ? more_clocks / clocks : NAN, hsps > 0 ? more_hsps / hsps : NAN};
}
