#include "sim/run_input.h"

#include <stdio.h>
#include <string.h>

#include "blast/wmer.h"
#include "sim/command.h"

int run_input_read(const char *path, const char *what, struct sequences *out, char *why, size_t why_size)
{
    if (sequences_read(path, out, why, why_size) != 0)
        return COMMAND_REFUSED;
    if (wmer_in_sequences(out))
        return 0;
    snprintf(
        why, why_size,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        strcmp(path, "-") == 0 ? "standard input" : path, what, WMER_BASES);
    return COMMAND_REFUSED;
}
