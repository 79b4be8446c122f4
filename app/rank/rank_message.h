/* rank_message.h - what the ranks of a command say to each other (rank_link.h). */
#ifndef MERCURY_APP_RUN_RANK_MESSAGE_H
#define MERCURY_APP_RUN_RANK_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** A rank's connection to the others. */
struct rank_link;

/** What another rank says to rank 0: nothing, it asks for a job, the outcome of a job, it has failed, goodbye. */
enum rank_word { WORD_NONE, WORD_ASKS, WORD_OUTCOME, WORD_FAILED, WORD_GONE };

/** What rank 0 says to another rank: nothing, a job, stop. After a rank has said goodbye, rank 0 says whether all ranks
 * leave together or each alone (rank_link_close()). ORDER_GIVEN_UP: rank 0 has been silent for so long that it must be
 * dead. */
enum rank_order {
    ORDER_NONE,
    ORDER_JOB,
    ORDER_STOP,
    ORDER_LEAVE_TOGETHER,
    ORDER_LEAVE_ALONE,
    ORDER_GIVEN_UP
};

/** A pass, and of which point of a sweep; 0 if there is only one. */
struct rank_job {
    size_t point, pass;
};

/** What another rank has sent. */
struct rank_letter {
    int rank;
    char *bytes; /* of WORD_ASKS and WORD_OUTCOME: the receiver's, for free() */
    size_t size;
};

/** Takes an outcome that was on its way; the bytes stay the link's. */
typedef void rank_link_taker(void *data, const struct rank_letter *letter);

/** Writes an outcome. @return false if memory is exhausted */
typedef bool rank_link_writer(const void *outcome, FILE *out);

#endif
