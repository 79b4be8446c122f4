/* fair_shares.h - boards on one bus that overlap their transfers with their work: how fast each goes on.
 *
 * Models    a bus without any randomness. A board asks for a block while it works on the last one, so that it waits for
 *           the bus only if its part of it is too small: alone, it would use a fraction `in` of the bus to be fed, and
 *           `out` for its records. Each direction of each board gets as much as any other, but no more than it needs;
 *           what it leaves is divided among the others: max-min fair shares. A board that gets less than it needs, in
 *           one direction, is slower by as much, and needs less in the other one.
 * Against   mean value analysis, in which a board does nothing while its transfer waits, and every transfer may meet
 *           others. If the bus has room for all, MVA says that boards wait, and fair shares say that none does.
 * Leaves out chance: two transfers that meet though the bus has room for both on average.
 * Source    Bertsekas and Gallager, Data Networks, 1992, section 6.5.2 (max-min fair flow control).
 */
#ifndef MERCURY_MODEL_FAIR_SHARES_H
#define MERCURY_MODEL_FAIR_SHARES_H

struct fair_shares_board {
    double in, out;  /* fractions of the bus that the board uses alone, >= 0 */
    double progress; /* out: its speed beside the others, divided by that alone: above 0, up to 1 */
};

/** Divide the bus. @return the fraction of it that is used, at most 1 */
double fair_shares_divide(struct fair_shares_board *boards, unsigned count);

#endif
