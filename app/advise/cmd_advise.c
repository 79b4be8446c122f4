#include "app/commands.h"

#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/rank/rank_link.h"
#include "app/advise/advise.h"
#include "app/sweep/sweep_setup.h"
#include "app/options.inc"

static const struct command_option options[] = COMMAND_OPTIONS(ADVISE_OPTIONS);

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
        status = why_refuse(why, "advice is for one query and one database; give one -q and one -d");
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
