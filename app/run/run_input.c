#include "app/run/run_input.h"

#include "base/command.h"
#include "base/whole_file.h"
#include "blast/stages12/wmer.h"

int run_input_read(const char *path, const char *what, unsigned threads, struct sequences *out,
                   struct why *why)
{
    int status = command_status_of(sequences_read_on(threads, path, out, why));
    if (status || wmer_in_sequences(out))
        return status;
    return why_say(
        why, COMMAND_REFUSED,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        whole_file_name(path), what, WMER_BASES);
}
