/* synth.h - synthetic genomes: databases of any size with known contents, for scaling runs and for tests of recall.
 *
 * Makes     records of equal length (the first ones a base longer where it does not divide) of
 *             background   independent bases with the given GC content, A as frequent as T, C as G;
 *             repeats      mutated copies (substitutions only, both strands) of SYNTH_FAMILIES random sequences;
 *             runs of N    SYNTH_N_RUN bases each, as between the scaffolds of an assembly;
 *             plants       mutated copies of given sequences, at random places that do not overlap.
 * Leaves out what real genomes have besides: isochores, codons, low-complexity and tandem repeats, families of
 *           different ages. A synthetic database loads the machine as chance does, plus what is planted.
 * Layout    repeats, runs of N and background form one stream; plants are inserted into it, and records cut it. So
 *           a plant is never broken, while a repeat may be interrupted by a plant or by the end of a record.
 *           Fractions are of all bases and kept to within about one copy or run: the background before each
 *           is uniform in [0, 2 x what is due], and what it was too short or long is made up for by the next.
 * Mutations a source base is substituted with probability 1 - identity; behind an inner base begins, with
 *           probability `indels`, an insertion or a deletion (even chances) of 1 to 8 bases, each length half as
 *           likely as the one before. Ambiguous bases are copied. The truth's identity is BLAST's: equal bases
 *           over alignment columns, indels included.
 * Random    xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47:36,
 *           2021; reference code at prng.di.unimi.it), its state filled by SplitMix64 (hash_derive_seed), as the
 *           authors advise. A generator each for background, repeats, N, pieces and places, and one a plant.
 *           Integers and exact doubles only: equal options give equal bytes on every machine.
 * Memory    some 100 bytes a plant, 8 a record where there are plants, two a base of the longest plant, and the
 *           families; it does not grow with the length. The sequences planted stay the caller's and must outlive it.
 * Errors    a SYNTH_E* code and one line; never prints, never exits.
 */
#ifndef MERCURY_BLAST_SYNTH_SYNTH_H
#define MERCURY_BLAST_SYNTH_SYNTH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

enum synth_error {
    SYNTH_EMEMORY = -1, /* out of memory */
    SYNTH_EFIT = -2,    /* the parts do not fit into the length or its records */
    SYNTH_EWRITE = -3,  /* the stream failed; errno says why */
};

enum {
    SYNTH_FAMILIES = 5,
    SYNTH_N_RUN = 100, /* the length databases use for gaps of unknown size (AGP 2.1, type U) */
    SYNTH_INDEL_MAX = 8,
};

#define SYNTH_LENGTH_MAX UINT64_C(1000000000000)

struct synth_options {
    uint64_t length;  /* bases of all records, 1 .. SYNTH_LENGTH_MAX */
    uint64_t records; /* 1 .. length */
    double gc;        /* 0 .. 1 */

    double repeat_fraction;   /* of all bases, 0 .. 1 */
    uint64_t repeat_bases;    /* a family's length, >= 1 */
    double repeat_divergence; /* substitutions a base, 0 .. 1 */
    double n_fraction;        /* of all bases, 0 .. 1 */
    uint64_t plant_copies;    /* of each source record */
    uint64_t plant_bases;  /* 0: whole records; otherwise random pieces of so many, or what the record has */
    double plant_identity; /* 0 .. 1 */
    double plant_indels;   /* a base, 0 .. 1 */
    uint64_t seed;
    uint64_t line_bases; /* >= 1 */
    const char *name;    /* records are called name_1, name_2, ... */
};

/** A planted copy. */
struct synth_plant {
    uint64_t record;       /* 0-based */
    uint64_t begin, bases; /* in that record, 0-based */
    enum strand strand;    /* minus: the record holds the reverse complement of the copy */
    size_t source;         /* record of the sequences planted */
    uint64_t source_begin, source_bases;
    uint64_t equal, substituted, inserted, deleted;
    uint64_t seed; /* of its mutations */
};

struct synth;

/** 12.5 million bases, one record, GC 0.41, seed 1, lines of 70; no repeats (but 300 bases and 0.1 if a fraction is
 * set), no N; one exact copy of each source record. */
struct synth_options synth_default(void);

/** Lay a genome out; after this only writing can fail.
 *
 * @param options  within the ranges above (asserted); `name` must outlive the result
 * @param plant    sequences to plant, or NULL
 * @param out      untouched on error
 * @return 0, SYNTH_EFIT or SYNTH_EMEMORY
 */
int synth_new(const struct synth_options *options, const struct sequences *plant, struct synth **out,
                 struct why *why);

void synth_destroy(struct synth *synth);

/** The plants, by record and position. */
const struct synth_plant *synth_plants(const struct synth *synth, size_t *count);

/** Equal bases over alignment columns. */
double synth_plant_identity(const struct synth_plant *plant);

/** Write the genome as FASTA, the same every time. @return 0, SYNTH_EWRITE or SYNTH_EMEMORY */
int synth_write_fasta(const struct synth *synth, FILE *out);

/** Write the plants as TSV, positions 1-based and inclusive like BLAST's, start < end on both strands.
 * @return 0 or SYNTH_EWRITE */
int synth_write_truth(const struct synth *synth, FILE *out);

#endif
