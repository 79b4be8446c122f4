#include "app/rank/rank_link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/memory.h"
#include "base/progress.h"
#include "sim/pass/pass_pool.h"

/* What another rank says comes in pieces: the last one has its word as the tag, those before it another tag. */
enum { TAG_MORE = WORD_GONE + 1, TAG_ORDER };

/* Bytes of a message at most: MPI counts them in an int, and each that arrives is a sign of life. */
enum { PIECE_BYTES = 1 << 24 };

/* Seconds between two signs of life of rank 0, and of another rank. */
static const double SIGN_S = 5, OTHERS_SIGN_S = 1;

/* Seconds of silence after which rank 0 is taken for dead, and another rank. */
static const double SILENCE_S = 120, OTHERS_SILENCE_S = 5;

/* The longest time to sleep. A child that ends wakes a process earlier; a message does not. */
static const double MESSAGE_SLEEP_S = 0.0005;

/* What is on its way from a rank. The rest never arrives if its rank dies meanwhile. */
struct arrival {
    char *bytes;
    size_t size;         /* number of bytes that have arrived, or are arriving */
    MPI_Request request; /* of the last piece; MPI_REQUEST_NULL if it has arrived */
    int tag;             /* of this piece */
    double heard_s;      /* when the rank was heard last; 0: never */
};

struct rank_link {
    int rank, size;
    struct arrival *arrivals; /* one per rank */
    int turn;                 /* the rank that was looked at last */
    double sign_s;            /* when this rank has given its last sign of life */
    double order_s;           /* when rank 0 was heard last; 0: nobody has listened yet */
};

struct order {
    enum rank_order kind;
    struct rank_job job;
};

static void end(struct rank_link *link, bool together)
{
    if (together)
        MPI_Finalize();
    for (int i = 0; together && i < link->size; i++)
        free(link->arrivals[i].bytes);
    free(link->arrivals);
    free(link);
}

static struct rank_link *join(int *rank, int *size)
{
    struct rank_link *link = memory_new(1, sizeof *link);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        free(link);
        return NULL;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &link->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &link->size);
    link->arrivals = memory_new((size_t)link->size, sizeof *link->arrivals);
    for (int i = 0; i < link->size; i++)
        link->arrivals[i].request = MPI_REQUEST_NULL;
    *rank = link->rank;
    *size = link->size;
    return link;
}

static void sleep_a_little(void)
{
    pass_pool_sleep(MESSAGE_SLEEP_S);
}

/* --- rank 0 ---------------------------------------------------------------------------------------------- */

static void give_order(int rank, enum rank_order kind, struct rank_job job)
{
    struct order order = {kind, job};
    MPI_Send(&order, sizeof order, MPI_BYTE, rank, TAG_ORDER, MPI_COMM_WORLD);
}

/* Take the pieces that are there. @return the word whose last piece has arrived */
static enum rank_word take_pieces(struct arrival *a, int rank)
{
    MPI_Status piece;
    int there, bytes;
    for (;;) {
        if (a->request != MPI_REQUEST_NULL) {
            if (MPI_Test(&a->request, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || !there)
                return WORD_NONE;
            a->heard_s = progress_wall_s();
            if (a->tag != TAG_MORE)
                return (enum rank_word)a->tag;
        }
        if (MPI_Iprobe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &piece) != MPI_SUCCESS || !there)
            return WORD_NONE;
        MPI_Get_count(&piece, MPI_BYTE, &bytes);
        a->bytes = memory_grow(a->bytes, a->size + (size_t)bytes + 1);
        a->heard_s = progress_wall_s();
        a->tag = piece.MPI_TAG;
        if (MPI_Irecv(a->bytes + a->size, bytes, MPI_BYTE, rank, a->tag, MPI_COMM_WORLD, &a->request) !=
            MPI_SUCCESS)
            return WORD_NONE;
        a->size += (size_t)bytes;
        a->bytes[a->size] = '\0';
    }
}

static void show_life(struct rank_link *link)
{
    if (progress_wall_s() < link->sign_s + SIGN_S)
        return;
    link->sign_s = progress_wall_s();
    for (int rank = 1; rank < link->size; rank++)
        give_order(rank, ORDER_NONE, (struct rank_job){0});
}

static int read_report(const struct arrival *a, struct pass_report **report, struct why *why)
{
    FILE *in = fmemopen(a->bytes, a->size, "r");
    if (!in)
        memory_exhausted();
    int status = pass_report_read(in, report, why);
    fclose(in);
    return status;
}

static enum rank_word hear(struct rank_link *link, struct rank_letter *letter, struct why *why)
{
    for (int i = 1; i < link->size; i++) {
        const int rank = link->turn = link->turn % (link->size - 1) + 1;
        struct arrival *a = &link->arrivals[rank];
        const enum rank_word word = take_pieces(a, rank);
        if (word == WORD_NONE)
            continue;
        *letter = (struct rank_letter){.rank = rank};
        if (word == WORD_ASKS && a->size == sizeof letter->digest)
            memcpy(&letter->digest, a->bytes, a->size);
        else if (word == WORD_OUTCOME)
            letter->status = read_report(a, &letter->report, why);
        else if (word == WORD_FAILED)
            why_say(why, WORD_FAILED, "rank %d: %s", rank, a->bytes);
        free(a->bytes);
        a->bytes = NULL;
        a->size = 0;
        return word;
    }
    show_life(link);
    return WORD_NONE;
}

static bool is_silent(const struct rank_link *link, int rank)
{
    double heard_s = link->arrivals[rank].heard_s;
    return heard_s > 0 && progress_wall_s() > heard_s + OTHERS_SILENCE_S;
}

/* Whether a rank may still say goodbye. One that was never heard is still reading its input. */
static bool may_say_goodbye(const struct rank_link *link, int rank, double begin_s)
{
    bool heard = link->arrivals[rank].heard_s > 0;
    return heard ? !is_silent(link, rank) : progress_wall_s() < begin_s + SILENCE_S;
}

/* Wait for the goodbyes. @return whether a rank is lost */
static bool wait_for_goodbyes(struct rank_link *link, bool *gone, rank_link_taker *take, void *data)
{
    double begin_s = progress_wall_s();
    int left = link->size - 1, hoped = left;
    while (left > 0 && hoped > 0) {
        struct rank_letter letter = {0};
        struct why why;
        enum rank_word word = hear(link, &letter, &why);
        if (take && letter.report)
            take(data, &letter);
        else
            pass_report_destroy(letter.report);
        gone[letter.rank] = gone[letter.rank] || word == WORD_GONE;
        left -= word == WORD_GONE;
        if (word == WORD_NONE)
            sleep_a_little();
        hoped = 0;
        for (int rank = 1; rank < link->size; rank++)
            hoped += !gone[rank] && may_say_goodbye(link, rank, begin_s);
    }
    return left > 0;
}

static bool dismiss(struct rank_link *link, rank_link_taker *take, void *data)
{
    int size = link->size;
    const struct rank_job none = {0};
    bool *gone = memory_new((size_t)size, sizeof *gone);
    for (int rank = 1; rank < size; rank++)
        give_order(rank, ORDER_STOP, none);
    bool lost = size > 1 && wait_for_goodbyes(link, gone, take, data);
    for (int rank = 1; rank < size; rank++)
        give_order(rank, lost ? ORDER_LEAVE_ALONE : ORDER_LEAVE_TOGETHER, none);
    free(gone);
    return lost;
}

/* --- the others ------------------------------------------------------------------------------------------ */

static void say(enum rank_word word, const void *bytes, size_t size)
{
    const char *piece = bytes;
    for (; size > PIECE_BYTES; size -= PIECE_BYTES, piece += PIECE_BYTES)
        MPI_Send(piece, PIECE_BYTES, MPI_BYTE, 0, TAG_MORE, MPI_COMM_WORLD);
    MPI_Send(piece, (int)size, MPI_BYTE, 0, (int)word, MPI_COMM_WORLD);
}

static void report(const struct pass_report *report)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = memory_stream(&bytes, &size);
    pass_report_write(report, out);
    memory_stream_end(out);
    say(WORD_OUTCOME, bytes, size);
    free(bytes);
}

static enum rank_order listen(struct rank_link *link, struct rank_job *job)
{
    int there = 0;
    double now_s = progress_wall_s();
    link->order_s = link->order_s > 0 ? link->order_s : now_s;
    if (now_s > link->sign_s + OTHERS_SIGN_S) {
        say(WORD_NONE, NULL, 0);
        link->sign_s = now_s;
    }
    if (MPI_Iprobe(0, TAG_ORDER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || !there)
        return now_s < link->order_s + SILENCE_S ? ORDER_NONE : ORDER_GIVEN_UP;
    struct order order;
    MPI_Recv(&order, sizeof order, MPI_BYTE, 0, TAG_ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    link->order_s = now_s;
    *job = order.job;
    return order.kind;
}

/* Wait for an order, or until rank 0 is taken for dead. */
static enum rank_order wait_for(struct rank_link *link, enum rank_order least)
{
    struct rank_job ignored;
    enum rank_order order;
    while ((order = listen(link, &ignored)) < least)
        sleep_a_little();
    return order;
}

static bool leave(struct rank_link *link, enum rank_order order, const char *problem)
{
    if (problem)
        say(WORD_FAILED, problem, strlen(problem));
    if (order < ORDER_STOP)
        order = wait_for(link, ORDER_STOP);
    if (order == ORDER_STOP) {
        say(WORD_GONE, NULL, 0);
        link->sign_s = INFINITY; /* its last word */
        order = wait_for(link, ORDER_LEAVE_TOGETHER);
    }
    return order == ORDER_LEAVE_TOGETHER;
}

const struct rank_link_calls mercury_mpi = {
    .join = join,
    .close = end,
    .hear = hear,
    .is_silent = is_silent,
    .order = give_order,
    .dismiss = dismiss,
    .say = say,
    .report = report,
    .listen = listen,
    .leave = leave,
    .sleep = sleep_a_little,
};
