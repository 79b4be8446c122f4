#include "app/theory/cmd_synth.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"
#include "blast/synth/synth.h"

const char cmd_synth_help[] =
    "Usage: mercury synth --length BASES [options] > FILE\n"
    "\n"
    "Writes a synthetic genome of any size as FASTA to standard output: databases for\n"
    "runs of growing size, and databases whose contents are known.\n"
    "\n"
    "  -l, --length BASES    bases of all records together, up to 1000G; suffixes k,\n"
    "                        M and G (12.5M)\n"
    "      --records N       number of records, of equal length (default 1)\n"
    "      --gc F            fraction of G and C in the background (default 0.41)\n"
    "      --repeats FRACTION[:LENGTH[:DIVERGENCE]]\n"
    "                        FRACTION of the bases consists of copies of 5 random\n"
    "                        sequences of LENGTH bases (default 300); a fraction\n"
    "                        DIVERGENCE of each copy is substituted (default 0.1)\n"
    "      --plant FILE[:COPIES[:IDENTITY[:INDELS]]]\n"
    "                        plant COPIES (default 1) of every record of a FASTA file\n"
    "                        at random places on random strands; a fraction 1 -\n"
    "                        IDENTITY of their bases is substituted (default 1), with\n"
    "                        INDELS insertions or deletions per base (default 0); the\n"
    "                        name of the file may not contain ':'\n"
    "      --plant-length N  plant random pieces of N bases instead of whole records\n"
    "      --n-runs FRACTION FRACTION of the bases is N, in runs of 100 (default 0)\n"
    "      --seed S          seed of the random numbers (default 1); the same seed\n"
    "                        and options give the same bytes\n"
    "      --line N          bases per line (default 70)\n"
    "      --name PREFIX     name the records PREFIX_1, PREFIX_2, ... (default synth)\n"
    "      --truth FILE      write where the plants are (TSV): record, start, end\n"
    "                        (from 1, inclusive), strand, source, range in the\n"
    "                        source, identity over the alignment, and how many bases\n"
    "                        were substituted, inserted and deleted\n"
    "  -h, --help            print this text\n"
    "\n"
    "Examples:\n"
    "  mercury synth --length 200M --repeats 0.3 > big.fa\n"
    "  mercury synth -l 5M --plant lambda_virus.fa.gz:20:0.9:0.01 --plant-length 2k \\\n"
    "                --truth truth.tsv > d.fa\n"
    "  mercury synth -l 1G --records 24 --n-runs 0.02 --seed 7 | gzip > genome.fa.gz\n"
    "\n"
    "Memory does not grow with the length.\n";

enum status { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_REFUSED = 2 };

enum { RECORDS_MAX = 10000000, REPEAT_BASES_MAX = 100000, LINE_BASES_MAX = 1000000, NAME_MAX_BYTES = 100 };

struct arguments {
    struct synth_options options;
    bool has_length, help;
    char plant[PATH_MAX]; /* empty: none */
    const char *truth;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static int refuse(struct arguments *a, const char *what)
{
    return why_say(a->why, STATUS_REFUSED, "%s", what);
}

static int refuse_option(struct arguments *a, const char *option, const char *value, const char *expected)
{
    return why_say(a->why, STATUS_REFUSED, "%s %.60s: expected %s", option, value, expected);
}

/* Plain decimal: strtod would take nan, inf, hexadecimal and leading space, too. */
static int parse_decimal(const char *text, double *number, const char **end)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return -1;
    if (text[strcspn(text, "xX")] != '\0')
        return -1;
    char *behind;
    *number = strtod(text, &behind);
    *end = behind;
    return behind == text ? -1 : 0;
}

static int parse_fraction(const char *text, double least, double most, double *fraction)
{
    double number;
    const char *end;
    if (parse_decimal(text, &number, &end) != 0 || *end || number < least || number > most)
        return -1;
    *fraction = number;
    return 0;
}

/* A whole number, perhaps written as 12.5M. */
static int parse_bases(const char *text, uint64_t least, uint64_t most, uint64_t *bases)
{
    static const char suffixes[] = "kMG";
    double number, scale = 1;
    const char *end;
    if (parse_decimal(text, &number, &end) != 0)
        return -1;
    const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        scale *= 1000;
    if (end[suffix != NULL] != '\0')
        return -1;
    number *= scale;
    if (!(number >= (double)least - 0.5 && number <= (double)most))
        return -1;
    uint64_t whole = (uint64_t)(number + 0.5);
    double beside = number - (double)whole;
    if (beside > 1e-3 || beside < -1e-3 || whole < least) /* 1.1M is no exact double */
        return -1;
    *bases = whole;
    return 0;
}

static int parse_seed(const char *text, uint64_t *seed)
{
    if (!isdigit((unsigned char)text[0]))
        return -1;
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 ? 0 : -1;
}

/* Cut a text at its colons, in place. @return the fields, or -1 when there are more than `most` */
static int split(char *text, char **fields, int most)
{
    int count = 0;
    for (char *rest = text; rest;) {
        if (count == most)
            return -1;
        fields[count++] = strsep(&rest, ":");
    }
    return count;
}

static int take_repeats(struct arguments *a, const char *value)
{
    char copy[256], *fields[3];
    if (strlen(value) >= sizeof copy)
        return refuse_option(a, "--repeats", value, "FRACTION[:LENGTH[:DIVERGENCE]]");
    strcpy(copy, value);
    int count = split(copy, fields, 3);
    if (count < 0)
        return refuse_option(a, "--repeats", value, "FRACTION[:LENGTH[:DIVERGENCE]]");
    if (parse_fraction(fields[0], 0, 1, &a->options.repeat_fraction) != 0)
        return refuse_option(a, "--repeats", value, "a fraction from 0 to 1");
    if (count > 1 && parse_bases(fields[1], 10, REPEAT_BASES_MAX, &a->options.repeat_bases) != 0)
        return refuse_option(a, "--repeats", value, "LENGTH, a whole number from 10 to 100000, second");
    if (count > 2 && parse_fraction(fields[2], 0, 0.75, &a->options.repeat_divergence) != 0)
        return refuse_option(a, "--repeats", value, "DIVERGENCE, a number from 0 to 0.75, third");
    return 0;
}

static int take_plant(struct arguments *a, const char *value)
{
    char *fields[4];
    if (a->plant[0])
        return refuse_option(a, "--plant", value, "to be given once; put the sequences into one file");
    if (strlen(value) >= sizeof a->plant)
        return refuse_option(a, "--plant", value, "a shorter name");
    strcpy(a->plant, value);
    int count = split(a->plant, fields, 4);
    if (count < 0 || !a->plant[0])
        return refuse_option(a, "--plant", value, "FILE[:COPIES[:IDENTITY[:INDELS]]]");
    if (count > 1 && parse_bases(fields[1], 1, 10000000, &a->options.plant_copies) != 0)
        return refuse_option(a, "--plant", value, "COPIES, a whole number from 1 to 10000000, second");
    if (count > 2 && parse_fraction(fields[2], 0.25, 1, &a->options.plant_identity) != 0)
        return refuse_option(a, "--plant", value, "IDENTITY, a number from 0.25 to 1, third");
    if (count > 3 && parse_fraction(fields[3], 0, 0.2, &a->options.plant_indels) != 0)
        return refuse_option(a, "--plant", value, "INDELS, a number from 0 to 0.2, fourth");
    return 0;
}

static int take_name(struct arguments *a, const char *value)
{
    bool good = *value && strlen(value) <= NAME_MAX_BYTES;
    for (const char *c = value; *c; c++)
        good = good && isgraph((unsigned char)*c) && *c != '>';
    if (!good)
        return refuse_option(a, "--name", value, "1 to 100 visible ASCII characters without '>'");
    a->options.name = value;
    return 0;
}

enum {
    OPTION_RECORDS = 256,
    OPTION_GC,
    OPTION_REPEATS,
    OPTION_PLANT,
    OPTION_PLANT_LENGTH,
    OPTION_N_RUNS,
    OPTION_SEED,
    OPTION_LINE,
    OPTION_NAME,
    OPTION_TRUTH,
};

static const struct option long_options[] = {
    {"length", required_argument, NULL, 'l'},
    {"records", required_argument, NULL, OPTION_RECORDS},
    {"gc", required_argument, NULL, OPTION_GC},
    {"repeats", required_argument, NULL, OPTION_REPEATS},
    {"plant", required_argument, NULL, OPTION_PLANT},
    {"plant-length", required_argument, NULL, OPTION_PLANT_LENGTH},
    {"n-runs", required_argument, NULL, OPTION_N_RUNS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"line", required_argument, NULL, OPTION_LINE},
    {"name", required_argument, NULL, OPTION_NAME},
    {"truth", required_argument, NULL, OPTION_TRUTH},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_option(struct arguments *a, int option, const char *value)
{
    struct synth_options *o = &a->options;
    switch (option) {
    case 'l':
        a->has_length = true;
        return parse_bases(value, 1, SYNTH_LENGTH_MAX, &o->length) == 0
                   ? 0
                   : refuse_option(a, "--length", value, "whole bases from 1 to 1000G, e.g. 12.5M");
    case OPTION_RECORDS:
        return parse_bases(value, 1, RECORDS_MAX, &o->records) == 0
                   ? 0
                   : refuse_option(a, "--records", value, "a whole number from 1 to 10000000");
    case OPTION_GC:
        return parse_fraction(value, 0, 1, &o->gc) == 0
                   ? 0
                   : refuse_option(a, "--gc", value, "a fraction from 0 to 1");
    case OPTION_REPEATS:
        return take_repeats(a, value);
    case OPTION_PLANT:
        return take_plant(a, value);
    case OPTION_PLANT_LENGTH:
        return parse_bases(value, 1, SYNTH_LENGTH_MAX, &o->plant_bases) == 0
                   ? 0
                   : refuse_option(a, "--plant-length", value, "whole bases from 1 to 1000G");
    case OPTION_N_RUNS:
        return parse_fraction(value, 0, 1, &o->n_fraction) == 0
                   ? 0
                   : refuse_option(a, "--n-runs", value, "a fraction from 0 to 1");
    case OPTION_SEED:
        return parse_seed(value, &o->seed) == 0
                   ? 0
                   : refuse_option(a, "--seed", value, "a whole number from 0 to 18446744073709551615");
    case OPTION_LINE:
        return parse_bases(value, 1, LINE_BASES_MAX, &o->line_bases) == 0
                   ? 0
                   : refuse_option(a, "--line", value, "a whole number from 1 to 1000000");
    case OPTION_NAME:
        return take_name(a, value);
    case OPTION_TRUTH:
        a->truth = value;
        return 0;
    default:
        a->help = true;
        return 0;
    }
}

static int check_combination(struct arguments *a)
{
    const struct synth_options *o = &a->options;
    if (!a->has_length)
        return refuse(a, "needs a length, e.g. --length 12.5M; see mercury help synth");
    if (o->records > o->length)
        return why_say(a->why, STATUS_REFUSED, "--records %" PRIu64 ": expected at most --length, %" PRIu64,
                       o->records, o->length);
    if (!a->plant[0] && a->truth)
        return refuse_option(a, "--truth", a->truth, "--plant with it; nothing is planted");
    if (!a->plant[0] && o->plant_bases)
        return refuse(a, "--plant-length: expected --plant with it; nothing is planted");
    if (a->truth && (strcmp(a->truth, "-") == 0 || !*a->truth))
        return refuse_option(a, "--truth", a->truth, "a file name; standard output takes the FASTA");
    return 0;
}

static int parse_arguments(int argc, char **argv, struct arguments *a)
{
    opterr = 0;
    optind = 0; /* glibc: start afresh */
    int option;
    while ((option = getopt_long(argc, argv, ":l:h", long_options, NULL)) != -1) {
        if (option == ':' || option == '?')
            return why_say(a->why, STATUS_REFUSED, "%.60s: %s; see mercury help synth", argv[optind - 1],
                           option == ':' ? "needs a value" : "no such option");
        int status = take_option(a, option, optarg);
        if (status)
            return status;
    }
    if (optind < argc)
        return why_say(a->why, STATUS_REFUSED,
                       "%.60s: what is this? options take a value behind them; see mercury help synth",
                       argv[optind]);
    return a->help ? 0 : check_combination(a);
}

/* --- the truth file -------------------------------------------------------------------------------------- */

struct truth {
    FILE *file;
    char *partial; /* written there first; NULL where the file is no plain one */
};

static int refuse_truth(struct arguments *a)
{
    return why_say(a->why, STATUS_REFUSED, "--truth %s: cannot be written: %s", a->truth, strerror(errno));
}

static void discard_truth(struct truth *truth)
{
    int error = errno;
    if (truth->file)
        fclose(truth->file);
    if (truth->partial)
        unlink(truth->partial);
    free(truth->partial);
    *truth = (struct truth){0};
    errno = error;
}

static int open_truth(struct arguments *a, struct truth *truth)
{
    *truth = (struct truth){0};
    struct stat status;
    bool exists = stat(a->truth, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return refuse_truth(a);
    }
    if ((!exists || S_ISREG(status.st_mode)) && asprintf(&truth->partial, "%s.partial", a->truth) < 0) {
        truth->partial = NULL;
        return refuse_truth(a);
    }
    truth->file = fopen(truth->partial ? truth->partial : a->truth, "w");
    if (truth->file)
        return 0;
    free(truth->partial);
    truth->partial = NULL;
    return refuse_truth(a);
}

/* Find out that it cannot be written before the work, and leave nothing there during it. */
static int probe_truth(struct arguments *a)
{
    struct truth truth;
    int status = a->truth ? open_truth(a, &truth) : 0;
    if (a->truth && status == 0)
        discard_truth(&truth);
    return status;
}

static int write_truth(struct arguments *a, const struct synth *synth)
{
    struct truth truth;
    int status = open_truth(a, &truth);
    if (status)
        return status;
    bool good = synth_write_truth(synth, truth.file) == 0;
    int error = errno;
    bool closed = fclose(truth.file) == 0;
    error = good && !closed ? errno : error;
    truth.file = NULL;
    if (good && closed && truth.partial && rename(truth.partial, a->truth) != 0) {
        error = errno;
        good = false;
    }
    if (!good || !closed) {
        discard_truth(&truth);
        errno = error;
        return refuse_truth(a);
    }
    free(truth.partial);
    return 0;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int write_genome(struct arguments *a, const struct synth *synth)
{
    int status = synth_write_fasta(synth, stdout);
    if (status == SYNTH_EMEMORY) {
        refuse(a, "out of memory");
        return STATUS_FAILED;
    }
    if (status != 0)
        return why_say(a->why, STATUS_REFUSED, "standard output cannot be written: %s", strerror(errno));
    return a->truth ? write_truth(a, synth) : 0;
}

static int make_genome(struct arguments *a)
{
    struct sequences source = {0};
    struct synth *synth = NULL;
    if (a->plant[0]) {
        int status = sequences_read(a->plant, &source, a->why);
        if (status != 0)
            return status == SEQUENCE_EMEMORY ? STATUS_FAILED : STATUS_REFUSED;
    }
    int status = probe_truth(a);
    if (status == 0) {
        int created = synth_new(&a->options, a->plant[0] ? &source : NULL, &synth, a->why);
        status = created == 0 ? 0 : created == SYNTH_EMEMORY ? STATUS_FAILED : STATUS_REFUSED;
    }
    if (status == 0)
        status = write_genome(a, synth);
    synth_destroy(synth);
    sequences_destroy(&source);
    return status;
}

int cmd_synth(int argc, char **argv, struct why *why)
{
    struct arguments a = {.options = synth_default(), .why = why};
    int status = parse_arguments(argc, argv, &a);
    if (status == 0 && a.help) {
        fputs(cmd_synth_help, stdout);
        return STATUS_OK;
    }
    return status == 0 ? make_genome(&a) : status;
}
