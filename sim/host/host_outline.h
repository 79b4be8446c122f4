/* host_outline.h - what a timeline shows of all hosts of a run: when each core is at work, and how full the inboxes
 * are, as finely as the file has room for.
 *
 * Time      picoseconds since the host began.
 * Cores     are tracks of busy_steps.h: host x cores + core. What a core does for a step or longer is a span, with
 *           its pass: a cluster, or HSPs without a pause between them.
 * Inboxes   of each step and host the mean number of HSPs in the inbox is known, exactly. The last step of a host
 *           ends when its inbox becomes empty for good.
 * Shown     are up to HOST_OUTLINE_HOSTS hosts and HOST_OUTLINE_CORES cores of all hosts.
 * Size      a share of the file's cap. All hosts have the same steps, the shortest with which the slices of the cores
 *           and the values of the inboxes fit. What is told comes in any order, and the outline does not depend on
 *           it.
 * Memory    that of busy_steps.h, and 32 bytes per step and host: together 3/7 of the cap at most.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"
#include "sim/drawing/busy_steps.h"

enum { HOST_OUTLINE_HOSTS = 16, HOST_OUTLINE_CORES = 64 };

struct host_outline {
    uint32_t hosts, cores; /* shown; cores are those of all hosts */
    uint32_t host_cores;   /* cores of a host */
    uint64_t share;        /* bytes that the outline may take in the file */
    struct busy_steps busy;
    struct inbox_step {
        int64_t change;             /* HSPs that came minus HSPs that were begun */
        wide_int area;              /* HSPs x ps in the step that `change` adds to those of the HSPs before */
    } * inbox;                      /* [step x hosts + host] */
    unsigned inbox_step;            /* logarithm of the ps in a step, as in `busy` after host_outline_fit() */
    size_t inbox_count, inbox_room; /* in steps */
    int64_t inbox_ends_ps[HOST_OUTLINE_HOSTS]; /* when the last HSP was begun */
};

/** Start an outline.
 *
 * @param bytes_max   cap of the file, of which the outline takes up to an eighth
 * @param hosts       number of hosts, >= 1
 * @param host_cores  number of cores of a host, >= 1
 */
void host_outline_init(struct host_outline *outline, uint64_t bytes_max, uint32_t hosts, uint32_t host_cores);
void host_outline_destroy(struct host_outline *outline);

/** A core was at work. @param span  its track is the number of the core in its host */
void host_outline_add_work(struct host_outline *outline, uint32_t host, const struct busy_span *span);

/** An HSP was in the inbox. */
void host_outline_add_waiting(struct host_outline *outline, uint32_t host, int64_t arrived_ps,
                              int64_t begun_ps);

/** Nothing is added any more: make the steps as long as the share asks for. Comes before what follows. */
void host_outline_fit(struct host_outline *outline);

/** Where host_outline_next_level() is in an inbox; begin with the number of the host, and zeros. */
struct inbox_cursor {
    uint32_t host;
    size_t step;
    uint64_t level; /* at the begin of the step */
    double mean;    /* the last that was found */
};

/** Find from when on an inbox has another mean than before; it is 0 at first and at the end.
 *  @return false if there is none */
bool host_outline_next_level(const struct host_outline *outline, struct inbox_cursor *cursor, int64_t *at_ps);
