#include "app/commands.h"

#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/rank/rank_link.h"
#include "app/advise/advise.h"
#include "app/sweep/sweep_setup.h"

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

const struct command command_advise = {options, run_command};
