/* rank_link_mpi.h - the part of Mercury that is linked to MPI: all that the rest of Mercury knows of MPI.
 *
 * Models    MPI brings a dozen libraries, which take 1.5 ms to load, and few runs have ranks. So what calls it is a
 *           module, mercury-mpi.so (base/process/module.h), which is loaded under mpirun. Without MPI there is no
 * such module.
 */
#ifndef MERCURY_APP_RUN_RANK_LINK_MPI_H
#define MERCURY_APP_RUN_RANK_LINK_MPI_H

#include "base/why.h"
#include "app/rank/rank_message.h"

/** The functions of rank_link.h without their prefix; `link` is never NULL. */
struct rank_link_mpi {
    struct rank_link *(*join)(void); /* NULL if MPI cannot be started, or memory is exhausted */
    void (*close)(struct rank_link *link, bool together);
    int (*rank)(const struct rank_link *link);
    int (*size)(const struct rank_link *link);
    enum rank_word (*hear)(struct rank_link *link, struct rank_letter *letter, struct why *why);
    bool (*is_silent)(const struct rank_link *link, int rank);
    void (*order)(int rank, enum rank_order order, struct rank_job job);
    bool (*dismiss)(struct rank_link *link, rank_link_taker *take, void *data);
    void (*say)(enum rank_word word, const void *bytes, size_t size);
    void (*report)(rank_link_writer *write, const void *outcome);
    enum rank_order (*listen)(struct rank_link *link, struct rank_job *job);
    bool (*leave)(struct rank_link *link, enum rank_order order, const char *problem);
    void (*sleep)(void);
};

/** The one symbol that is looked up in the module. */
extern const struct rank_link_mpi mercury_mpi;

#endif
