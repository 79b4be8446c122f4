#include "sim/board/bus_balance.h"

#include <math.h>
#include <string.h>

#include "base/shown.h"

#include "blast/sequence/sequence.h"

double bus_balance_point(const struct hardware *h)
{
    double words_per_s = fmin(h->fpga_clock_hz, h->host_supply / BYTES_PER_WORD);
    double left = hardware_bus_bytes_per_s(h) - words_per_s * BYTES_PER_WORD; /* of the bus, for records */
    return fmax(0, left) / (words_per_s * BASES_PER_WORD * h->hsp_bytes);
}

struct bus_balance bus_balance_find(const struct hardware *hardware, double hsps, double wmers, double busy)
{
    double on_a_bus = fmax(1, (double)hardware->boards / hardware->buses);
    return (struct bus_balance){.balance = bus_balance_point(hardware),
                                .hsps = wmers > 0 ? hsps / wmers : NAN,
                                .boards = busy > 0 ? on_a_bus / busy : NAN,
                                .beside = on_a_bus > 1};
}

bool bus_balance_say(const struct bus_balance *b, char *line, size_t size)
{
    if (!(b->boards > 0) || isnan(b->hsps))
        return false;
    char boards[40];
    snprintf(boards, sizeof boards, "%.3g such boards that stream", b->boards);
    if (strncmp(boards, "1 ", 2) == 0)
        snprintf(boards, sizeof boards, "one such board that streams");
    int length = snprintf(line, size, "full with %s%s; ", boards, b->beside ? " beside each other" : "");
    if (!(b->balance > 0))
        snprintf(line + length, size - (size_t)length, "the database alone fills it");
    else if (b->balance > 1)
        snprintf(line + length, size - (size_t)length,
                 "one alone cannot fill it, even if each w-mer becomes an HSP");
    else
        snprintf(
            line + length, size - (size_t)length,
            "one that nothing else holds fills it from %.3g%% of w-mers on that become HSPs (here %.3g%%)",
            100 * b->balance, 100 * b->hsps);
    return true;
}

void bus_balance_write_text(const struct bus_balance *b, FILE *out)
{
    char line[200];
    if (bus_balance_say(b, line, sizeof line))
        shown_print(out, "  bus: %s", line);
}
