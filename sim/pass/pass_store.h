/* pass_store.h - the passes of a run that have ended, kept in a file, so that the run can go on after it was stopped.
 *
 * Format    native bytes, for a program of the same build:
 *
 *               "MERCPASS" u64 version, digest of the run, passes, bytes of the command | command
 *               pass:  u64 number, bytes, XXH3 of the bytes | bytes of pass_report_write()
 *
 *           Passes come in any order. A file that ends within a pass, because a process was killed, is cut there.
 * Digest    of all that decides what a pass leaves (pass_set_digest()). Whoever opens a store compares it with the
 *           run's.
 * Memory    a place in the file per pass.
 * Errors    an enum pass_error and one line that names the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/pass/pass_report.h"

/** The run that passes are kept for. */
struct pass_store_run {
    uint64_t digest;
    uint64_t passes;     /* of the whole run */
    const char *command; /* what its user asked for: the caller's */
    uint64_t command_bytes;
    void (*begun)(void *data); /* is told that the file has been made; or NULL */
    void *data;
};

struct pass_store;

/** Make a store that keeps nothing yet. Its file is made, or replaced, when the first pass is added.
 *
 * @param path  NULL: a temporary file without a name
 * @param run   borrowed
 */
struct pass_store *pass_store_new(const char *path, const struct pass_store_run *run);

/** Open a store and read what it was begun with. @param store  out: NULL after an error */
int pass_store_open(const char *path, struct pass_store **store, struct why *why);

/** Find the passes of a store that was opened: they can be read, and others be added. Every checksum is tested. The
 * number of passes is the file's: compare it with the run's before, as memory is taken for it. */
int pass_store_find_passes(struct pass_store *store, struct why *why);

/** Close a store; its file stays. NULL is allowed. */
void pass_store_close(struct pass_store *store);

/** What it was begun with; the command is the store's. */
const struct pass_store_run *pass_store_run(const struct pass_store *store);

/** Number of passes that it keeps. */
size_t pass_store_count(const struct pass_store *store);

bool pass_store_has(const struct pass_store *store, size_t pass);

/** Read a pass that it has; the report's job is as its writer had it. Its checksum is tested once more: hours may have
 *  gone since the passes were found. */
int pass_store_read(struct pass_store *store, size_t pass, struct pass_report **report, struct why *why);

/** Add a pass of the run that it does not have. */
int pass_store_add(struct pass_store *store, size_t pass, const struct pass_report *report, struct why *why);
