/* estimate_text.h - the language of an estimate: machine, workload and script, read from one text or several.
 *
 * Model     PetaSIM (Wen and Fox, Northeast Parallel Architectures Center, 1998): nodesets and linksets are the
 *           machine; datasets and their distributions are the workload; send, move, compute and synchronize are the
 *           script.
 * Grammar   a line is an object or a statement; words are separated by blanks, and # begins a comment. The order of the
 *           KEY VALUE pairs is free. docs/estimating.md explains every word.
 *               nodeset NAME type memory|cache|disk|CPU|pathway [number N [per node]] [bandwidth B/s] [floatspeed /s]
 *                       [grainsize BYTES] [ports N] [compute sequential|pipelined] [cacherule none|lru]
 *                       [unlike N, N ...]
 *               linkset NAME type updown from NODESET to NODESET [duplex full|half] [number N [per node]]
 *                       [bandwidth B/s] [latency TIME]
 *               linkset NAME type across on NODESET [topology crossbar|ring|bus] ... (as above)
 *               distribution NAME type block1dim|block2dim|block3dim [ghost UNITS] [shares N, N ...]
 *               dataset NAME type grid1dim|grid2dim|grid3dim units N[xN[xN]] [bytesperunit N] [operationsperunit N]
 *                       [floatsperunit N] [aggregate BYTES] [parallel N] [varies N, N ...]
 *               use distribution NAME on NAME, NAME ...
 *               repeat N [over NODESET]         its body is the lines after it that are indented further
 *               send|move DATASET from NODESET to NODESET
 *               compute DATASET, DATASET ... on NODESET
 *               synchronize
 *               #include "FILE"
 * Order     a name stands after the line that defines it; names are unique over all kinds.
 * Values    an object's numbers can be changed afterwards: estimate_text_set(), NAME.KEY=VALUE.
 * Errors    a negative ESTIMATE_TEXT_E* code and one line: file, line, column, what was expected, the nearest word.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

enum {
    ESTIMATE_NAME_BYTES = 32,
    ESTIMATE_NODESETS_MAX = 32,
    ESTIMATE_LINKSETS_MAX = 32,
    ESTIMATE_DISTRIBUTIONS_MAX = 16,
    ESTIMATE_DATASETS_MAX = 64,
    ESTIMATE_STATEMENTS_MAX = 256,
    ESTIMATE_COMPUTED_MAX = 8, /* datasets of one compute statement */
    ESTIMATE_FILES_MAX = 32,
    ESTIMATE_NESTED_MAX = 8, /* repeats in repeats; files in files */
    ESTIMATE_BYTES_MAX = 1 << 20,
    ESTIMATE_FACTORS_MAX = 1 << 16, /* of all objects */
};

/** The greatest number of members of a nodeset or linkset. */
#define ESTIMATE_MEMBERS_MAX 1e6

/** What a number counts, with its unit and others that it may be given in; without one it is in the first. A blank may
 *  stand before a unit; the rest is base/number.h's: 895 MB/s, 2.4 G/s, 50 us, 2^17. */
enum estimate_kind {
    ESTIMATE_COUNT,      /* no unit */
    ESTIMATE_BYTES,      /* B */
    ESTIMATE_BYTES_RATE, /* B/s; also bit/s */
    ESTIMATE_RATE,       /* operations: /s, Hz, op/s, flop/s */
    ESTIMATE_TIME,       /* s */
};

enum estimate_text_error {
    ESTIMATE_TEXT_EREAD = -2,    /* there is no such file, or it cannot be read */
    ESTIMATE_TEXT_EREFUSED = -3, /* a line is not as the grammar says */
};

enum estimate_nodeset_type { ESTIMATE_MEMORY, ESTIMATE_CACHE, ESTIMATE_DISK, ESTIMATE_CPU, ESTIMATE_PATHWAY };
enum estimate_linkset_type { ESTIMATE_UPDOWN, ESTIMATE_ACROSS };
enum estimate_duplex { ESTIMATE_FULL, ESTIMATE_HALF };
enum estimate_topology { ESTIMATE_CROSSBAR, ESTIMATE_RING, ESTIMATE_BUS };

/** Numbers in the text's `factors`; none: each is 1. */
struct estimate_factors {
    uint32_t first, count;
};

/** What every object has. 0 of a number that is optional: it was not given. */
struct estimate_object {
    char name[ESTIMATE_NAME_BYTES];
    unsigned given; /* bits of the keys that were given */
};

struct estimate_nodeset {
    struct estimate_object object;
    unsigned type; /* enum estimate_nodeset_type */
    double number;
    bool per_node;
    double bandwidth;   /* B/s through a member; 0: no bound */
    double floatspeed;  /* operations per second of a member */
    double grainsize;   /* bytes of a member; 0: no bound */
    double ports;       /* of a member to each linkset; 0: one for each link */
    unsigned compute;   /* 0: datasets of one statement one after the other; 1: each in a stage of its own */
    unsigned cacherule; /* 1: it keeps the datasets that were used last */
    struct estimate_factors unlike; /* of the floatspeed, on node 0, 1, ... and from the first one on again */
};

struct estimate_linkset {
    struct estimate_object object;
    unsigned type; /* enum estimate_linkset_type */
    int from, to;  /* nodesets; equal if it is across */
    unsigned duplex, topology;
    double number; /* 0: as many as members of the larger nodeset */
    bool per_node;
    double bandwidth; /* B/s of a member; 0: no bound */
    double latency_s;
};

struct estimate_distribution {
    struct estimate_object object;
    unsigned dimensions;            /* 0, 1 and 2 for 1, 2 and 3 */
    double ghost;                   /* layers of units of the neighbours that a member also holds */
    struct estimate_factors shares; /* of nodes 0, 1, ... and from the first one on again, in proportion */
};

struct estimate_dataset {
    struct estimate_object object;
    unsigned dimensions;            /* 0, 1 and 2 for 1, 2 and 3 */
    double units[3];                /* 1 beyond its dimensions */
    double bytes;                   /* per unit */
    double operations;              /* per unit */
    double floats;                  /* per unit, counted as operations */
    double aggregate;               /* bytes in which it is moved; 0: a 32nd part of what is moved */
    double parallel;                /* members that can compute it at once; 0: all */
    struct estimate_factors varies; /* no factors: it does not vary */
    int distribution;               /* -1: it is whole on every member */
    int over;                       /* nodeset over which it is dealt; -1: whichever it is on */
};

enum estimate_verb {
    ESTIMATE_SEND,
    ESTIMATE_MOVE,
    ESTIMATE_COMPUTE,
    ESTIMATE_SYNCHRONIZE,
    ESTIMATE_REPEAT,
};

struct estimate_statement {
    unsigned verb; /* enum estimate_verb */
    unsigned file; /* index of its file */
    uint64_t line;
    int from, to;                        /* nodesets; of compute, `to` is where */
    int datasets[ESTIMATE_COMPUTED_MAX]; /* of send and move: one */
    unsigned dataset_count;
    double count; /* of repeat */
    int over;     /* of repeat: nodeset over whose members the iterations are dealt; -1: all do each */
    unsigned end; /* of repeat: index of the first statement after its body */
};

struct estimate_text {
    struct estimate_nodeset nodesets[ESTIMATE_NODESETS_MAX];
    struct estimate_linkset linksets[ESTIMATE_LINKSETS_MAX];
    struct estimate_distribution distributions[ESTIMATE_DISTRIBUTIONS_MAX];
    struct estimate_dataset datasets[ESTIMATE_DATASETS_MAX];
    struct estimate_statement statements[ESTIMATE_STATEMENTS_MAX];
    unsigned nodeset_count, linkset_count, distribution_count, dataset_count, statement_count;
    double *factors; /* of all objects */
    uint32_t factor_count;
    char *files[ESTIMATE_FILES_MAX]; /* names, for messages */
    unsigned file_count;
};

/** Find the path of a file that is named in a text, or on the command line. @return for free() */
typedef char *estimate_find_file(const char *name, const char *from);

/** Read a file and what it includes. Start with a struct of zeros; also after an error, release it. */
int estimate_text_read(struct estimate_text *text, const char *path, estimate_find_file *find,
                       struct why *why);

/** Read a text that is in memory. @param name  for messages; @param find  NULL: it can include nothing */
int estimate_text_parse(struct estimate_text *text, const char *bytes, size_t count, const char *name,
                        estimate_find_file *find, struct why *why);

/** Change a value: NAME.KEY=VALUE. */
int estimate_text_set(struct estimate_text *text, const char *assignment, struct why *why);

/** A number of a text that estimate_text_set() can change. */
struct estimate_number {
    char name[2 * ESTIMATE_NAME_BYTES]; /* "board.number" */
    const char *object;                 /* "nodeset", "linkset", "distribution" or "dataset" */
    const char *meaning;                /* in a few words */
    double value;
    enum estimate_kind kind;
    double least, most;
    bool whole;
};

/** The numbers that the texts give, in the order of their objects; units of several dimensions are not
 * among them. @param index  from 0 on; @return whether there is such a number */
bool estimate_text_number(const struct estimate_text *text, unsigned index, struct estimate_number *number);

void estimate_text_release(struct estimate_text *text);
