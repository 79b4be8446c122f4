#include "app/commands.h"

#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/rank/rank_link.h"
#include "app/advise/advise.h"
#include "app/sweep/sweep_setup.h"

static const char command_help[] =
    "Usage: mercury advise [SCENARIO] -q QUERY -d DATABASE [options]\n"
    "\n"
    "Says which machine to build for a query and a database: tables, depths of FIFOs,\n"
    "the Pareto front of the time of the run against what it costs (block RAMs, SRAM\n"
    "chips and joules, of all boards), and which stage to improve next. Everything\n"
    "that it says was simulated. No machine that was simulated is as good as what it\n"
    "advises in time and all costs and better in one of them, and the machine as\n"
    "given is not quicker, unless it is beyond a limit. The advice goes to standard\n"
    "output.\n"
    "\n"
    "Input\n"
    "  SCENARIO               a file with one option per line, without dashes, or a\n"
    "                         name from data/scenarios; it is the first argument\n"
    "  -q, --query FILE       FASTA, plain or compressed\n"
    "  -d, --database FILE    the same\n"
    "  -s, --strand S         strands of the query: plus, minus or both (default\n"
    "                         both)\n"
    "  -e, --evalue E         greatest E-value that stage 3 keeps (default 1e-3)\n"
    "\n"
    "Choice\n"
    "      --vary NAME=RANGE  candidates, as in mercury sweep; may be repeated\n"
    "                         (default: table.slots=2^14..2^18,\n"
    "                         table.family=xxh3,displaced,\n"
    "                         bloom.bank_bits=2^14..2^18)\n"
    "      --keep P           of the tables that keep P per cent of the greatest\n"
    "                         speed, that of the shortest time, those with the least\n"
    "                         RAMB18 x chips x J are chosen (default 95)\n"
    "      --loss P           per cent of the speed that fewer block RAMs for FIFOs\n"
    "                         may cost (default 0.1)\n"
    "      --block-ram BITS   limit of Bloom filter and displacement table of a board\n"
    "                         together, from 16384 (default: no limit)\n"
    "      --sram BITS        limit of primary and duplicate table of a board\n"
    "                         together, from 16384 (default: no limit)\n"
    "      --energy J         limit of the energy of the run (default: no limit)\n"
    "      --time S           limit of the time of the run (default: no limit)\n"
    "      --device NAME      FPGA whose block RAM must hold filter, displacements,\n"
    "                         FIFOs and stage 2's windows: see mercury platforms\n"
    "                         --devices (default:\n"
    "                         fpga.device of the machine, which is none)\n"
    "\n"
    "Machine and output\n"
    "      --set NAME=VALUE   change one number of the machine; may be repeated\n"
    "      --store FILE       keep every point there, for mercury sweep export and\n"
    "                         plot\n"
    "      --write-platform FILE\n"
    "                         write the advised machine as a platform, for -p of the\n"
    "                         other commands\n"
    "  -f, --format F         text (default), tsv or json\n" RUN_OPTIONS_HELP_MACHINE
    "  -j, --jobs N           use N processors: N passes at a time, and if there are\n"
    "                         fewer, threads that scan the database (default: every\n"
    "                         processor); the results do not depend on it\n"
    "      --quiet            show no progress\n"
    "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  mercury advise -q lambda.fa -d coli.fa\n"
    "  mercury advise -q lambda.fa -d coli.fa --keep 99 --sram 16e6 --energy 0.49\n"
    "  mercury advise -q lambda.fa -d coli.fa --device xc7vx690t \\\n"
    "      --write-platform best.xml\n"
    "  mercury advise -q lambda.fa -d coli.fa \\\n"
    "      --vary table.slots=40000..200000+10000 --store sizes.db\n";

static const struct command_option options[] = {
    COMMAND_TABLE(sweep_options_shared, struct sweep_options, shared),
    COMMAND_PERCENT("keep", 0, struct sweep_options, ask.keep, 1, 100, "a percentage from 1 to 100"),
    COMMAND_PERCENT("loss", 0, struct sweep_options, loss, 0, 100, "a percentage from 0 to 100"),
    COMMAND_NUMBER("block-ram", 0, struct sweep_options, block_ram_bits, 16384, 1e15,
                   "a number of bits from 16384, a block RAM of 18 Kb, to 1e15"),
    COMMAND_TEXT("write-platform", 0, struct sweep_options, best_platform),
    COMMAND_CHOICE("format", 'f', struct sweep_options, answer, result_format_names),
    COMMAND_NUMBER("energy", 0, struct sweep_options, energy_j, 1e-12, 1e12, "joules, from 1e-12 to 1e12"),
    COMMAND_NUMBER("time", 0, struct sweep_options, time_s, 1e-12, 1e12, "seconds, from 1e-12 to 1e12"),
    COMMAND_NUMBER("sram", 0, struct sweep_options, sram_bits, 16384, 1e15,
                   "a number of bits from 16384 to 1e15"),
    COMMAND_OPTIONS_END,
};

static const char *const candidates[] = {"table.slots=2^14..2^18", "table.family=xxh3,displaced",
                                         "bloom.bank_bits=2^14..2^18"};

/* Refuse a file that cannot be written before anything is simulated. */
static int check_best_platform(const struct sweep_options *o, const struct sweep_setup *setup,
                               struct why *why)
{
    struct file_uses uses = {0};
    if (!o->best_platform)
        return 0;
    file_uses_read(&uses, "the query", o->queries[0]);
    file_uses_read(&uses, "the database", o->databases[0]);
    file_uses_read(&uses, "the platform", setup->platform_path);
    file_uses_write(&uses, "--store", o->store);
    file_uses_write(&uses, "--write-platform", o->best_platform);
    return file_uses_check(&uses, why) != 0 || output_probe(o->best_platform, why) != 0 ? COMMAND_REFUSED : 0;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct sweep_options o;
    struct sweep_setup setup = {0};
    int status;
    if (rank_link_refuse(
            "advice is found by one process, one question leading to the next; use -j instead of mpirun",
            &status, why))
        return status;
    status = sweep_options_parse("advise", options, argc, argv, &o, why);
    if (status == 0 && (o.query_count > 1 || o.database_count > 1))
        status =
            why_say(why, COMMAND_REFUSED, "advice is for one query and one database; give one -q and one -d");
    for (unsigned i = 0; i < sizeof candidates / sizeof candidates[0] && o.axis_count == i; i++)
        o.axes[o.axis_count++] = candidates[i];
    if (status == 0)
        status = sweep_setup_read(&setup, &o, why);
    if (status == 0)
        status = check_best_platform(&o, &setup, why);
    if (status == 0 && sweep_plan_make(&setup.request, &setup.plan, why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = advise(&o, &setup, stdout, why);
    sweep_setup_destroy(&setup);
    sweep_options_destroy(&o);
    return status;
}

const struct command command_advise = {
    .name = "advise",
    .usage = "advise -q QUERY -d DATABASE",
    .purpose = "find tables and FIFOs worth building",
    .help = command_help,
    .options = options,
    .call = run_command,
};
