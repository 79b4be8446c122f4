#include "app/run/run_input.h"

#include <inttypes.h>

#include "base/command.h"
#include "base/file/whole_file.h"
#include "blast/sequence/fasta.h"
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

int run_input_read(const char *const *paths, size_t count, const char *name, const char *what,
                   unsigned threads, struct sequences *out, struct why *why)
{
    return check(sequences_read_files(threads, paths, count, out, why), name, what, out, why);
}

int run_input_cut(const char *name, struct sequence_range range, struct sequences *query, struct why *why)
{
    int status = sequences_cut(query, range);
    if (status == SEQUENCE_EEMPTY)
        return why_say(why, COMMAND_REFUSED,
                       "--query-loc %" PRIu64 "-%" PRIu64 ": no sequence of %.400s has a base %" PRIu64,
                       range.first, range.last, whole_file_name(name), range.first);
    if (status)
        return why_no_memory(why, COMMAND_REFUSED);
    if (check(0, name, "query", query, why) != 0)
        return why_precede(why, COMMAND_REFUSED, "--query-loc %" PRIu64 "-%" PRIu64 ": ", range.first,
                           range.last);
    return 0;
}
