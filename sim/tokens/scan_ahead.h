/* scan_ahead.h - stages 1a to 2 on several threads: blocks are scanned side by side, and taken in stream order.
 *
 * Models    nothing: what a block causes depends on the tables and on the words around it only, so that its tokens and
 *           counts are those of pass_scan(), on however many threads the blocks are scanned.
 * Threads   the one that takes the blocks, and helpers, which scan blocks that it will take. While a block is not
 *           there yet, the taker scans, too. So as many threads as may work are busy, and no more. Helpers are started
 *           when a block is taken, so that a process may fork between making a scan_ahead and taking the first block.
 * Memory    up to SCAN_AHEAD_BLOCKS blocks a thread, of SCAN_AHEAD_BYTES of tokens in all; besides, one block, or a
 *           part of it (pass.h), and a scanner for each thread.
 * Errors    a thread that cannot be started is done without.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

/** Timing the blocks stays on one thread and takes half as long as scanning them: more threads would wait for it. */
enum { SCAN_AHEAD_THREADS_MAX = 16, SCAN_AHEAD_BLOCKS = 8, SCAN_AHEAD_BYTES = 64 << 20 };

struct scan_ahead;

/** Scan words [0, words) of a pass's database.
 *
 * @param pass     must outlive the scan
 * @param threads  the number of threads that may scan, the taker among them; another process may change it at any
 *                 time. NULL is one: nothing is scanned ahead.
 */
struct scan_ahead *scan_ahead_new(const struct pass *pass, uint64_t words, const atomic_uint *threads);

/** Wait for the helpers to finish their blocks, and free everything; NULL is allowed. */
void scan_ahead_destroy(struct scan_ahead *scan);

/** Take the next block, words [first, first + count), or of a block with very many matches its next part, as
 * pass_scanner_part(). All blocks have as many words as the first, but for the last one; a block that was not taken to
 * its end is asked for again from there.
 *
 * @return number of words taken */
uint64_t scan_ahead_take(struct scan_ahead *scan, uint64_t first, uint64_t count, struct tokens *tokens,
                         struct pass_counts *counts);
