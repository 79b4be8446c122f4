/* dust.h - low complexity by symmetric DUST, as blastn -dust and dustmasker find it.
 *
 * Models    The score of an interval of l triplets is the sum over the 64 triplets of c (c - 1) / 2, c how often one
 *           occurs, divided by l - 1. Perfect is an interval inside a window that scores more than level / 10 and not
 *           less than any interval inside it. Masked are the bases of all perfect intervals, and gaps between two that
 *           are shorter than the linker. The reverse complement is masked alike.
 * Leaves out ambiguous bases: no interval contains one (dustmasker takes them for other bases).
 * Cost      a constant an ordinary base, up to `window` steps a base where much is of low complexity.
 * Errors    0 or a negative DUST_E* code.
 * Source    Morgulis, Gertz, Schaffer, Agarwala, J. Comput. Biol. 13 (2006) 1028 (SDUST).
 */
#ifndef MERCURY_BLAST_SEQUENCE_DUST_H
#define MERCURY_BLAST_SEQUENCE_DUST_H

#include <stddef.h>

#include "base/why.h"
#include "blast/sequence/mask.h"
#include "blast/sequence/sequence.h"

enum dust_error { DUST_EMEMORY = -1, DUST_ERULE = -2 };

enum { DUST_WINDOW_MAX = 64 };

struct dust_rule {
    unsigned level;  /* ten times the least score, 2 .. 64 */
    unsigned window; /* bases, 8 .. DUST_WINDOW_MAX */
    unsigned linker; /* bases, 1 .. 32 */
};

/** blastn's: 20 64 1. */
struct dust_rule dust_rule_default(void);

/** Take a rule from text: "20 64 1", or "yes" for the default.
 *
 * @param why  on error, one line
 * @return 0 or DUST_ERULE
 */
int dust_rule_parse(const char *text, struct dust_rule *rule, struct why *why);

/** Mask every record.
 *
 * @param out  an empty mask; in positions of the plus strand
 * @return 0 or DUST_EMEMORY
 */
int dust_sequences(const struct sequences *sequences, const struct dust_rule *rule, struct mask *out);

#endif
