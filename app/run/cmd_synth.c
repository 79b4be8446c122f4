#include "app/commands.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "base/words.h"
#include "blast/sequence/fasta.h"
#include "blast/stages12/synth.h"
#include "app/options.inc"

enum { RECORDS_MAX = 10000000, REPEAT_BASES_MAX = 100000, LINE_BASES_MAX = 1000000, NAME_MAX_BYTES = 100 };

struct arguments {
    struct synth_options options;
    char plant[PATH_MAX]; /* empty: none */
    const char *truth;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

/* A seed has 64 bits, which no double can hold. */
static int take_seed(void *data, const char *value, struct why *why)
{
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end || errno)
        return command_refuse("--seed", value, "a whole number from 0 to 18446744073709551615", why);
    ((struct arguments *)data)->options.seed = seed;
    return 0;
}

static int take_repeats(void *data, const char *value, struct why *why)
{
    struct synth_options *o = &((struct arguments *)data)->options;
    struct word rest = word_of(value), fraction = word_cut(&rest, ":"), length = word_cut(&rest, ":"),
                divergence = word_cut(&rest, ":");
    double bases = (double)o->repeat_bases;
    const char *expected = NULL;
    if (rest.text)
        expected = "FRACTION[:LENGTH[:DIVERGENCE]]";
    else if (!word_number_within(fraction, 0, 1, false, &o->repeat_fraction))
        expected = "a fraction from 0 to 1";
    else if (length.text && !word_number_within(length, 10, REPEAT_BASES_MAX, true, &bases))
        expected = "LENGTH, a whole number from 10 to 100000, second";
    else if (divergence.text && !word_number_within(divergence, 0, 0.75, false, &o->repeat_divergence))
        expected = "DIVERGENCE, a number from 0 to 0.75, third";
    o->repeat_bases = (uint64_t)bases;
    return expected ? command_refuse("--repeats", value, expected, why) : 0;
}

static int take_plant(void *data, const char *value, struct why *why)
{
    struct arguments *a = data;
    struct synth_options *o = &a->options;
    struct word rest = word_of(value), file = word_cut(&rest, ":"), copies = word_cut(&rest, ":"),
                identity = word_cut(&rest, ":"), indels = word_cut(&rest, ":");
    double number = (double)o->plant_copies;
    const char *expected = NULL;
    if (a->plant[0])
        expected = "to be given once; put the sequences into one file";
    else if (strlen(value) >= sizeof a->plant)
        expected = "a shorter name";
    else if (rest.text || file.length == 0)
        expected = "FILE[:COPIES[:IDENTITY[:INDELS]]]";
    else if (copies.text && !word_number_within(copies, 1, 10000000, true, &number))
        expected = "COPIES, a whole number from 1 to 10000000, second";
    else if (identity.text && !word_number_within(identity, 0.25, 1, false, &o->plant_identity))
        expected = "IDENTITY, a number from 0.25 to 1, third";
    else if (indels.text && !word_number_within(indels, 0, 0.2, false, &o->plant_indels))
        expected = "INDELS, a number from 0 to 0.2, fourth";
    word_copy(file, a->plant, sizeof a->plant);
    o->plant_copies = (uint64_t)number;
    return expected ? command_refuse("--plant", value, expected, why) : 0;
}

static int take_name(void *data, const char *value, struct why *why)
{
    bool good = *value && strlen(value) <= NAME_MAX_BYTES;
    for (const char *c = value; *c; c++)
        good = good && isgraph((unsigned char)*c) && *c != '>';
    if (!good)
        return command_refuse("--name", value, "1 to 100 visible ASCII characters without '>'", why);
    ((struct arguments *)data)->options.name = value;
    return 0;
}

static const struct command_option options[] = COMMAND_OPTIONS(SYNTH_OPTIONS);

static int check_combination(struct arguments *a)
{
    const struct synth_options *o = &a->options;
    if (o->length == 0)
        return why_refuse(a->why, "needs a length, e.g. --length 12.5M; see mercury help synth");
    if (o->records > o->length)
        return why_refuse(a->why, "--records %" PRIu64 ": expected at most --length, %" PRIu64, o->records,
                          o->length);
    if (!a->plant[0] && a->truth)
        return command_refuse("--truth", a->truth, "--plant with it; nothing is planted", a->why);
    if (!a->plant[0] && o->plant_bases)
        return why_refuse(a->why, "--plant-length: expected --plant with it; nothing is planted");
    if (a->truth && (strcmp(a->truth, "-") == 0 || !*a->truth))
        return command_refuse("--truth", a->truth, "a file name; standard output takes the FASTA", a->why);
    return 0;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int write_genome(struct arguments *a, const struct synth *synth)
{
    struct output truth;
    if (synth_write_fasta(synth, stdout) != 0)
        return why_refuse(a->why, "standard output cannot be written: %s", why_error(errno));
    if (!a->truth)
        return 0;
    int status = output_open(&truth, a->truth, a->why);
    if (status == 0) {
        synth_write_truth(synth, truth.file); /* output_commit() finds out if that failed */
        status = output_commit(&truth, a->why);
    }
    return status ? why_precede(a->why, COMMAND_REFUSED, "--truth ") : 0;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {.options = synth_default(), .why = why};
    a.options.length = 0; /* until it is given */
    int status = command_parse("synth", options, argc, argv, 0, &a, why);
    if (status == 0)
        status = check_combination(&a);
    if (status)
        return status;
    const bool plants = a.plant[0];
    struct sequences source = {0};
    struct synth *synth = NULL;
    struct file_uses uses = {0};
    file_uses_read(&uses, "--plant", a.plant);
    file_uses_write(&uses, "the genome", "-");
    file_uses_write(&uses, "--truth", a.truth);
    status = COMMAND_REFUSED;
    if (file_uses_check(&uses, why) == 0 && (!plants || sequences_read(a.plant, &source, why) == 0)) {
        if (a.truth && output_probe(a.truth, why) != 0)
            why_precede(why, COMMAND_REFUSED, "--truth ");
        else if (synth_new(&a.options, plants ? &source : NULL, &synth, why) == 0)
            status = write_genome(&a, synth);
    }
    synth_destroy(synth);
    sequences_destroy(&source);
    return status;
}

const struct command command_synth = {options, run_command};
