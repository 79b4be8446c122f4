/* machine_taps.h - what can be measured in the machine: its taps and metrics, by the names that directives use.
 *
 * Models    TimeTrial's taps (Lancaster et al. 2011, section III) at every FIFO, port and software queue.
 * Catalogue the metrics and taps of machine_catalogue are indexed by the enums below; the rows of its FIFO taps are
 *           those of sim/board/board_fifos.h.
 */
#pragma once

#include "traces/catalogue.h"
#include "sim/board/board_fifos.h"

/* The rows of data/words/machine_metrics.tsv. */
#include "sim/machine_metrics.inc"

#define MACHINE_METRIC_ID(id, ...) id
enum machine_metric { MACHINE_METRIC_ROWS(MACHINE_METRIC_ID) MACHINE_METRICS };

#define MACHINE_TAPS_OF_STAGE(id, name, takes, ...) TAP_##takes##_FIFO, TAP_STAGE_##id

enum machine_tap {
    TAP_BUS_IN,
    BOARD_STAGE_ROWS(MACHINE_TAPS_OF_STAGE),
    TAP_EGRESS_FIFO,
    TAP_BUS_OUT,
    TAP_SRAM,
    TAP_INBOX, /* this tap and the following ones are in the host's software */
    TAP_JOB,
    TAP_STAGE_3,
    TAP_HOST_QUEUE, /* before the board */
    MACHINE_TAPS
};

/** The events of an HSP in software, in this order; the HSPs of a block have them together. A block of the database in
 *  the host queue has the first two: the host has begun to prepare it, and it has crossed the bus. */
enum host_event {
    HOST_ARRIVED, /* they are in the inbox */
    HOST_TAKEN,   /* a core begins to extend them */
    HOST_DONE,    /* the core has finished */
    HOST_EVENTS
};

/** Queues that are measured: those of the board (board_fifos.h), and in software the inbox and the cores, from the job
 *  that takes an HSP until it is done. */
enum { QUEUE_OF_INBOX = BOARD_QUEUES, QUEUE_OF_CORES, MEASURED_QUEUES };

/** Where the elements of a tap are seen: at an end of a queue. */
struct tap_place {
    unsigned queue;
    bool leaves;           /* seen as they leave the queue */
    enum host_event event; /* in software: with which they are there */
};

extern const struct catalogue machine_catalogue;
extern const struct tap_place machine_tap_places[MACHINE_TAPS];
