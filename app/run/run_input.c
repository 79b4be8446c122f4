#include "app/run/run_input.h"

#include "base/command.h"
#include "base/whole_file.h"
#include "blast/stages12/wmer.h"

static int check(int status, const char *name, const char *what, const struct sequences *out, struct why *why)
{
    status = command_status_of(status);
    if (status || wmer_in_sequences(out))
        return status;
    return why_say(
        why, COMMAND_REFUSED,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        whole_file_name(name), what, WMER_BASES);
}

int run_input_read(const char *path, const char *what, unsigned threads, struct sequences *out,
                   struct why *why)
{
    return check(sequences_read_on(threads, path, out, why), path, what, out, why);
}

int run_input_read_files(const struct search_files *files, const char *name, const char *what,
                         unsigned threads, struct sequences *out, struct why *why)
{
    return check(sequences_read_files(threads, files->paths, files->count, out, why), name, what, out, why);
}
