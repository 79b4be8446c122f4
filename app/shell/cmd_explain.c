#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "traces/explain.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "app/shell/explain_words.h"

static const char command_help[] =
    "Usage: mercury explain [WORD...]\n"
    "\n"
    "Says what a word means that Mercury prints: a number of summary.json,\n"
    "validation.tsv or a file of directives, with its unit, how it is computed, and\n"
    "from which paper it comes; a parameter of the machine; a column of any table; a\n"
    "model; a verdict; or a word such as stalled. Without WORD it lists all of them.\n"
    "\n"
    "  WORD                   a name, such as input_utilisation, or a path of\n"
    "                         summary.json with '.' or '/' between its parts. If\n"
    "                         several stages have the name, it is explained for each\n"
    "                         of them, unless a path says which; a name with blanks\n"
    "                         stands in quotes\n"
    "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  mercury explain stage_1b.trips_per_seed\n"
    "  mercury explain back_pressure_fraction rho_1b batch_means\n"
    "  mercury explain stalled fifo.wmer 'held up from behind' 'M^[X]/G/1'\n";

static const struct command_option options[] = {COMMAND_OPTIONS_END};

/* A model's column "M/M/1_covers" is explained once for all models, and so are quantiles and P[N >= n] for all n. */
static const char *word_of(const char *name)
{
    if (strncmp(name, "P[N", 3) == 0)
        return "P[N=n]";
    if (strncmp(name, "N_G_p", 5) == 0 || strncmp(name, "W_G_p", 5) == 0)
        return "N_G_p90";
    static const char end[] = "_covers";
    size_t length = strlen(name), ends = sizeof end - 1;
    return length > ends && strcmp(name + length - ends, end) == 0 ? end + 1 : name;
}

static int explain(const struct explanations *all, char **names, int count, struct why *why)
{
    if (count == 0)
        explain_write_list(all, stdout);
    for (int i = 0; i < count; i++) {
        if (explain_knows(all, word_of(names[i])))
            continue;
        const char *nearest = explain_nearest(all, names[i]);
        return why_say(why, COMMAND_REFUSED, "explain '%.100s': no such word; %s%s%s", names[i],
                       nearest ? "did you mean '" : "", nearest ? nearest : "mercury explain lists all",
                       nearest ? "'?" : "");
    }
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        explain_write(all, word_of(names[i]), stdout);
    }
    return COMMAND_OK;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct explanations all;
    int status = command_parse("explain", options, argc, argv, argc, NULL, why);
    if (status)
        return status;
    if (!explain_begin(&all, &machine_layout, &machine_catalogue) || !explain_words_add(&all)) {
        explain_end(&all);
        return why_no_memory(why, COMMAND_REFUSED);
    }
    status = explain(&all, argv + optind, argc - optind, why);
    explain_end(&all);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .usage = "explain WORD",
    .purpose = "say what a number or a word means",
    .help = command_help,
    .options = options,
    .call = run_command,
};
