/* scratch_file.h - files for what is too large to be kept in memory. They have no name, so that nothing is left of them
 * however the process ends.
 *
 * Where     in the directory that TMPDIR names; in /tmp without TMPDIR.
 * Errors    SCRATCH_FILE_EOPEN and one line, which names the directory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"

/* Pieces of a long list that has no room in memory: compressed, in a file without a name.
 *
 * Workload  10^5 to 10^11 numbers that a repeat makes, which repeat themselves as it does: LZ4 makes them many times
 *           smaller, at some hundred MB/s.
 * Memory    16 bytes per piece, and a compressed piece while one is added.
 * Errors    false: the file cannot be written or read, or a piece is damaged (file_io_fault()).
 */

struct overflow_piece {
    uint64_t begin;         /* in the file */
    uint32_t packed, bytes; /* number of bytes there, and of those that were added */
};

/** Start with {0}, or with a file, which belongs to the overflow then. */
struct overflow {
    bool is_open; /* there is a file: the first piece makes one */
    int file;
    struct overflow_piece *pieces;
    size_t count, room;
};

/** Close the file and free the pieces. */
void overflow_destroy(struct overflow *overflow);

/** Add a piece of up to 2^30 bytes. */
bool overflow_add(struct overflow *overflow, const void *bytes, size_t count);

/** Read a piece into `bytes`, which have room for all bytes of the piece. */
bool overflow_read(const struct overflow *overflow, size_t piece, void *bytes);

/** Write the pieces' bytes as they are in the file, and read them into a new file. */
bool overflow_write_bytes(const struct overflow *overflow, FILE *out);
bool overflow_read_bytes(struct overflow *overflow, FILE *in);

enum { SCRATCH_FILE_EOPEN = -2 };

/** Open a file to read and to write; children inherit it, other programs do not.
 *  @return its descriptor, or -1, with errno */
int scratch_file_descriptor(void);

/** Open a scratch file as a stream. @return NULL, with errno, if it cannot be made */
FILE *scratch_file_open(void);

/** Open one in another directory, where large files are expected, and beside a file, which may be one that
 * /proc/self/fd names. @return its descriptor, or -1, with errno */
int scratch_file_descriptor_in(const char *directory);
int scratch_file_descriptor_beside(const char *path);

/** Check that such files can be made, before hours of work that needs them. */
int scratch_file_probe(struct why *why);

/** Say, from errno, why a file cannot be made. @return `code` */
int scratch_file_refuse(struct why *why, int code);

/** Say that a file cannot be written or read, or memory is exhausted, from file_io_fault().
 *  @param what  does not fit, such as "what a pass measured". @return `code` */
int scratch_file_refuse_bytes(const char *what, struct why *why, int code);
