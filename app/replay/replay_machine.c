#include "app/replay/replay_machine.h"

#include <inttypes.h>
#include <math.h>

#include "base/command.h"
#include "sim/platform/platform.h"
#include "app/replay/replay.h"
#include "app/replay/seed_draws.h"

/* Matches that enter together must have room; hardware_check() checks this for the groups of the table. */
static int check_groups(const struct hardware *hardware, struct why *why)
{
    if (hardware->board.stage2_matches >= SEED_DRAWS_LARGEST_GROUP)
        return 0;
    return why_say(why, COMMAND_REFUSED,
                   "fifo.stage2 %" PRIu32
                   ": expected at least %d, the matches of the largest trip that is drawn",
                   hardware->board.stage2_matches, SEED_DRAWS_LARGEST_GROUP);
}

/* Ticks are counted in 63 bits; a machine that would need more than a thousandth of them is refused. */
static int check_ticks(const struct hardware *h, struct why *why)
{
    double slowest = fmin(h->host_supply, hardware_bus_bytes_per_s(h));
    double frame_bytes = fmax(REPLAY_FRAME_WORDS * (double)BYTES_PER_WORD, h->pcix_block_bytes);
    double frame_clocks = frame_bytes / slowest * h->fpga_clock_hz;
    if (frame_clocks < REPLAY_CLOCKS_MOST)
        return 0;
    return why_say(
        why, COMMAND_REFUSED,
        "host.supply or pcix.* is too slow for fpga.clock: a frame of %g bytes would take %.3g clocks, "
        "expected less "
        "than %g",
        frame_bytes, frame_clocks, REPLAY_CLOCKS_MOST);
}

int replay_machine_load(const struct run_options *options, struct hardware *hardware, struct why *why)
{
    char path[PATH_MAX];
    struct platform *platform = NULL;
    int status = run_options_open_platform(options, path, hardware, &platform, why);
    platform_close(platform);
    if (status == 0)
        status = run_options_apply_sets(options, hardware, why);
    if (status == 0 && hardware_check(hardware, why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = check_groups(hardware, why);
    return status ? status : check_ticks(hardware, why);
}
