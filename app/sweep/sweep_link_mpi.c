#include "app/sweep/sweep_link.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/progress.h"

enum { TAG_WORD = 1, TAG_ORDER = 2 };

/* Seconds between two signs of life of rank 0, and seconds of silence after which it is taken for dead. */
static const double SIGN_S = 5, SILENCE_S = 120;

/* A message that is on its way. A large one never arrives if its rank dies meanwhile. */
struct arrival {
    MPI_Request request; /* MPI_REQUEST_NULL if there is no message */
    char *bytes;
    size_t size;
};

struct sweep_link {
    int rank, size;
    struct arrival *arrivals; /* one per rank */
    int turn;                 /* the rank that was looked at last */
    double sign_s;            /* when the last sign of life of rank 0 was sent, or heard */
};

/* The first part of a message to rank 0; after an outcome its alignments and its tasks of stage 3 follow. */
struct word {
    enum sweep_word kind;
    uint64_t plan;
    struct why why;
    struct sweep_outcome outcome;
};

struct order {
    enum sweep_order kind;
    struct sweep_job job;
};

int sweep_link_open(struct sweep_link **out, struct why *why)
{
    *out = NULL;
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
        return 0; /* not under mpirun */
    struct sweep_link *link = calloc(1, sizeof *link);
    if (!link || MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        free(link);
        return why_say(why, SWEEP_LINK_EMPI, "MPI cannot be started");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &link->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &link->size);
    link->arrivals = calloc((size_t)link->size, sizeof *link->arrivals);
    if (!link->arrivals) {
        sweep_link_close(link, true);
        return why_no_memory(why, SWEEP_LINK_EMEMORY);
    }
    for (int i = 0; i < link->size; i++)
        link->arrivals[i].request = MPI_REQUEST_NULL;
    link->sign_s = progress_wall_s();
    *out = link;
    return 0;
}

void sweep_link_close(struct sweep_link *link, bool together)
{
    if (!link)
        return;
    if (together)
        MPI_Finalize();
    for (int i = 0; link->arrivals && together && i < link->size; i++)
        free(link->arrivals[i].bytes);
    free(link->arrivals);
    free(link);
}

int sweep_link_rank(const struct sweep_link *link)
{
    return link ? link->rank : 0;
}

int sweep_link_size(const struct sweep_link *link)
{
    return link ? link->size : 1;
}

/* --- rank 0 ---------------------------------------------------------------------------------------------- */

void sweep_link_order(int rank, enum sweep_order kind, struct sweep_job job)
{
    struct order order = {kind, job};
    MPI_Send(&order, sizeof order, MPI_BYTE, rank, TAG_ORDER, MPI_COMM_WORLD);
}

/* @return false if memory is exhausted */
static bool take_outcome(const struct arrival *arrival, struct sweep_outcome *outcome)
{
    const struct word *word = (const struct word *)arrival->bytes;
    size_t count = word->outcome.alignment_count;
    FILE *in = fmemopen(arrival->bytes + sizeof *word, arrival->size - sizeof *word, "r");
    *outcome = word->outcome; /* pointers of another rank mean nothing here */
    outcome->host.tasks = (struct stage3_tasks){0};
    outcome->alignments = malloc((count + 1) * sizeof *outcome->alignments);
    bool whole = in && outcome->alignments &&
                 fread(outcome->alignments, sizeof *outcome->alignments, count, in) == count &&
                 stage3_tasks_read(&outcome->host.tasks, in);
    if (in)
        fclose(in);
    if (!whole)
        sweep_outcome_destroy(outcome);
    return whole;
}

/* Begin to receive what a rank has sent. @return false if memory is exhausted */
static bool begin_arrival(struct sweep_link *link, int rank)
{
    int there = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    if (MPI_Improbe(rank, TAG_WORD, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS || !there)
        return true;
    struct arrival *arrival = &link->arrivals[rank];
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    arrival->size = (size_t)bytes;
    arrival->bytes = malloc(arrival->size);
    return arrival->bytes &&
           MPI_Imrecv(arrival->bytes, bytes, MPI_BYTE, &message, &arrival->request) == MPI_SUCCESS;
}

/* @return whether the whole message of a rank has arrived */
static bool has_arrived(struct sweep_link *link, int rank)
{
    struct arrival *arrival = &link->arrivals[rank];
    int done = 0;
    return arrival->request != MPI_REQUEST_NULL &&
           MPI_Test(&arrival->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
}

static enum sweep_word take_word(struct sweep_link *link, int rank, uint64_t *plan,
                                 struct sweep_outcome *outcome, struct why *why)
{
    struct arrival *arrival = &link->arrivals[rank];
    const struct word *word = (const struct word *)arrival->bytes;
    enum sweep_word kind = word->kind;
    *plan = word->plan;
    if (kind == WORD_OUTCOME && !take_outcome(arrival, outcome))
        kind = why_no_memory(why, WORD_FAILED);
    else if (kind == WORD_FAILED)
        why_say(why, WORD_FAILED, "rank %d: %s", rank, word->why.line);
    free(arrival->bytes);
    arrival->bytes = NULL;
    return kind;
}

static void show_life(struct sweep_link *link)
{
    if (progress_wall_s() < link->sign_s + SIGN_S)
        return;
    link->sign_s = progress_wall_s();
    for (int rank = 1; rank < link->size; rank++)
        sweep_link_order(rank, ORDER_NONE, (struct sweep_job){0});
}

enum sweep_word sweep_link_hear(struct sweep_link *link, int *rank, uint64_t *plan,
                                struct sweep_outcome *outcome, struct why *why)
{
    for (int i = 1; link && i < link->size; i++) {
        *rank = link->turn = link->turn % (link->size - 1) + 1;
        if (link->arrivals[*rank].request == MPI_REQUEST_NULL && !begin_arrival(link, *rank))
            return why_no_memory(why, WORD_FAILED);
        if (has_arrived(link, *rank))
            return take_word(link, *rank, plan, outcome, why);
    }
    if (link)
        show_life(link);
    return WORD_NONE;
}

/* --- the others ------------------------------------------------------------------------------------------ */

/* @param bytes  a struct word, and what follows it */
static void send_word(const void *bytes, size_t size)
{
    MPI_Send(bytes, (int)size, MPI_BYTE, 0, TAG_WORD, MPI_COMM_WORLD);
}

void sweep_link_say(enum sweep_word kind, uint64_t plan, const char *line)
{
    struct word *word = calloc(1, sizeof *word);
    if (!word)
        return;
    word->kind = kind;
    word->plan = plan;
    snprintf(word->why.line, sizeof word->why.line, "%s", line);
    send_word(word, sizeof *word);
    free(word);
}

static bool write_outcome(const struct sweep_outcome *outcome, FILE *out)
{
    struct word *word = calloc(1, sizeof *word);
    size_t count = outcome->alignment_count;
    if (!word)
        return false;
    word->kind = WORD_OUTCOME;
    word->outcome = *outcome;
    bool written = fwrite(word, sizeof *word, 1, out) == 1 &&
                   fwrite(outcome->alignments, sizeof *outcome->alignments, count, out) == count &&
                   stage3_tasks_write(&outcome->host.tasks, out);
    free(word);
    return written;
}

void sweep_link_report(const struct sweep_outcome *outcome)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    bool written = out && write_outcome(outcome, out);
    written = out && fclose(out) == 0 && written;
    if (!written)
        sweep_link_say(WORD_FAILED, 0, "out of memory");
    else if (size > INT_MAX)
        sweep_link_say(WORD_FAILED, 0, "what a pass has found is larger than a message of MPI can be");
    else
        send_word(bytes, size);
    free(bytes);
}

enum sweep_order sweep_link_listen(struct sweep_link *link, struct sweep_job *job)
{
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(0, TAG_ORDER, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return progress_wall_s() < link->sign_s + SILENCE_S ? ORDER_NONE : ORDER_GIVEN_UP;
    struct order order;
    MPI_Recv(&order, sizeof order, MPI_BYTE, 0, TAG_ORDER, MPI_COMM_WORLD, &status);
    link->sign_s = progress_wall_s();
    *job = order.job;
    return order.kind;
}
