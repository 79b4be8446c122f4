/* closed_file.h - a closed network from a text file.
 *
 * Grammar   one centre or class a line; words are separated by blanks, and # begins a comment.
 *               centre NAME time=T | rate=R [servers=C|all] [service=S] [speeds=V,V,... | power=A:N]
 *               class NAME population=N visits=CENTRE:V,... | route=FROM>TO[:P],...
 *           `time` is the mean service, and `rate` is 1 / time. `service` is exponential (default), deterministic or
 *           mixture:F:R, as in `mercury queue`. `speeds` gives the rate with 1, 2, ... customers in units of `rate`,
 *           the last for all above; power=A:N is (k / N)^A up to N customers. Visits are per passage. Of routes, the
 *           first one's centre FROM is visited once a passage; P is 1 if it is not given.
 * Errors    a negative CLOSED_FILE_E* code and one line: file, line, what was expected.
 */
#pragma once

#include "base/why.h"
#include "sim/simgrid/queue_network.h"

enum closed_file_error {
    CLOSED_FILE_EMEMORY = -1,
    CLOSED_FILE_EREAD = -2, /* there is no such file, or it cannot be read */
    CLOSED_FILE_EFORMAT =
        -3, /* a line is not as the grammar says, or the network has no centre or no class */
};

enum { CLOSED_FILE_SPEEDS_MAX = 1000 };

/** Read the centres and the classes of a network; the rest of it stays as it is.
 *
 * @param path     "-": standard input
 * @param network  its speeds must be released by closed_file_release(), also after an error
 */
int closed_file_read(const char *path, struct queue_network *network, struct why *why);

void closed_file_release(struct queue_network *network);
