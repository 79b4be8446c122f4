#include "model/closed/fair_shares.h"

#include <math.h>

/* The fraction of the bus that all use if no direction of a board gets more than `share`. */
static double used_with(struct fair_shares_board *boards, unsigned count, double share)
{
    double used = 0;
    for (unsigned i = 0; i < count; i++) {
        struct fair_shares_board *b = &boards[i];
        double most = fmax(b->in, b->out);
        b->progress = most > share ? share / most : 1;
        used += b->progress * (b->in + b->out);
    }
    return used;
}

double fair_shares_divide(struct fair_shares_board *boards, unsigned count)
{
    enum { HALVINGS = 60 };
    double least = 0, most = 1; /* with shares of `least`, the bus has room */
    double used = used_with(boards, count, HUGE_VAL);
    if (used <= 1)
        return used;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (least + most) / 2;
        if (used_with(boards, count, middle) > 1)
            most = middle;
        else
            least = middle;
    }
    return used_with(boards, count, most);
}
