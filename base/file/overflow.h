/* overflow.h - pieces of a long list that has no room in memory: compressed, in a file without a name.
 *
 * Workload  10^5 to 10^11 numbers that a repeat makes, which repeat themselves as it does: LZ4 makes them many times
 *           smaller, at some hundred MB/s.
 * Memory    16 bytes per piece, and a compressed piece while one is added.
 * Errors    false: memory is exhausted, the file cannot be written or read, or a piece is damaged (file_io_fault()).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
