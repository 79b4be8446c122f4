/* synth.h - synthetic genomes: databases of any size with known contents, for scaling runs and for tests of recall.
 *
 * Makes     records of equal length (if it does not divide, the first ones are a base longer) of
 *             background   independent bases with the given GC content, A as frequent as T, C as G;
 *             repeats      mutated copies (substitutions only, both strands) of SYNTH_FAMILIES random sequences;
 *             runs of N    SYNTH_N_RUN bases each, as between the scaffolds of an assembly;
 *             plants       mutated copies of given sequences, at random places that do not overlap.
 * Leaves out what real genomes have besides: isochores, codons, low-complexity and tandem repeats, families of
 *           different ages. A synthetic database loads the machine as chance does, plus what is planted.
 * Layout    repeats, runs of N and background form one stream, into which plants are inserted and which records cut. So
 *           a plant is never broken, while a plant or the end of a record may interrupt a repeat. Fractions refer to
 *           all bases and are kept to within about one copy or run: the number of background bases before each is
 *           uniform in [0, 2 x the number due], and the next number makes up for the difference.
 * Mutations a source base is substituted with probability 1 - identity; after an inner base, an insertion or a deletion
 *           (equally likely) begins with probability `indels`; it has 1 to 8 bases, and each length is half as likely
 *           as the one before. Ambiguous bases are copied. The truth's identity is that of BLAST: equal bases divided
 *           by alignment columns, indels included.
 * Random    xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47:36,
 *           2021; reference code at prng.di.unimi.it), its state filled by SplitMix64 (hash_derive_seed), as the
 *           authors advise. Background, repeats, N, pieces, places and each plant have a generator of their own.
 *           Only integers and exact doubles are used: equal options give equal bytes on every machine.
 * Memory    some 100 bytes per plant, 8 per record if there are plants, two per base of the longest plant, and the
 *           families; it does not grow with the length. The planted sequences stay the caller's and must outlive it.
 * Errors    a SYNTH_E* code and one line; never prints, never exits.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

enum synth_error {
    SYNTH_EFIT = -2,   /* the parts do not fit into the length or its records */
    SYNTH_EWRITE = -3, /* the stream failed; errno says why */
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
    double gc;        /* fraction of G and C in the background, 0 .. 1 */

    double repeat_fraction;   /* fraction of all bases, 0 .. 1 */
    uint64_t repeat_bases;    /* length of a family, >= 1 */
    double repeat_divergence; /* substitutions per base, 0 .. 1 */
    double n_fraction;        /* fraction of all bases, 0 .. 1 */
    uint64_t plant_copies;    /* copies of each source record, >= 1 */
    uint64_t plant_bases;     /* length of the random pieces that are planted; 0 for whole records */
    double plant_identity;    /* 0 .. 1 */
    double plant_indels;      /* insertions and deletions per base, 0 .. 1 */
    uint64_t seed;
    uint64_t line_bases; /* bases per line, >= 1 */
    const char *name;    /* records are called name_1, name_2, ... */
};

/** A planted copy. */
struct synth_plant {
    uint64_t record;       /* number of the record, from 0 */
    uint64_t begin, bases; /* place in the record, from 0 */
    enum strand strand;    /* minus if the record holds the reverse complement of the copy */
    size_t source;         /* number of the source record, from 0 */
    uint64_t source_begin, source_bases;
    uint64_t equal, substituted, inserted, deleted; /* numbers of bases */
    uint64_t seed;                                  /* seed of the mutations */
};

struct synth;

/** The defaults: 12.5 million bases, one record, GC 0.41, seed 1, lines of 70; no N and no repeats, but if their
 * fraction is set, families of 300 bases and divergence 0.1; one exact copy of each source record. */
struct synth_options synth_default(void);

/** Lay a genome out; after this only writing can fail.
 *
 * @param options  within the ranges above (asserted); `name` must outlive the result
 * @param plant    sequences to plant, or NULL
 * @param out      untouched on error
 * @return 0 or SYNTH_EFIT
 */
int synth_new(const struct synth_options *options, const struct sequences *plant, struct synth **out,
              struct why *why);

void synth_destroy(struct synth *synth);

/** Write the genome as FASTA, the same every time. @return 0 or SYNTH_EWRITE */
int synth_write_fasta(const struct synth *synth, FILE *out);

/** Write the plants as TSV, positions from 1 and inclusive as BLAST's, start < end on both strands.
 * @return 0 or SYNTH_EWRITE */
int synth_write_truth(const struct synth *synth, FILE *out);
