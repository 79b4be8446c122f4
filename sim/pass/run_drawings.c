#include "sim/pass/run_drawings.h"

#include <errno.h>
#include <string.h>

#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/process/child_words.h"
#include "sim/pass/pass_simulation.h"

/* --- opening --------------------------------------------------------------------------------------------- */

/* @param by_name  vcd2fst finds it by its name */
static int open_file(struct output *output, const char *path, bool by_name, struct why *why)
{
    return path && (by_name ? output_open_named : output_open)(output, path, why) != 0 ? PASS_EFILE : 0;
}

/* Open the FST file and, if nobody asked for it, the VCD file beside it. */
static int open_fst(struct run_drawings *d, const char *path, struct why *why)
{
    char vcd[OUTPUT_PATH_MAX + 8];
    int status = open_file(&d->fst, path, true, why);
    if (status == 0 && path && !d->fst.partial[0])
        return why_say(why, PASS_EFILE, "--fst '%.200s': expected the name of a plain file", path);
    if (status || !path || d->vcd_is_asked_for)
        return status;
    snprintf(vcd, sizeof vcd, "%s.vcd", path);
    return open_file(&d->vcd, vcd, true, why);
}

static int open_all(struct run_drawings *d, const struct drawing_request *r, struct why *why)
{
    int status = open_file(&d->timeline, r->timeline_path, false, why);
    if (status == 0 && r->timeline_path && !(d->board_events = scratch_file_open()))
        status = scratch_file_refuse(why, PASS_EFILE);
    if (status == 0)
        status = open_file(&d->vcd, r->vcd_path, r->fst_path, why);
    if (status == 0)
        status = open_fst(d, r->fst_path, why);
    return status ? status : open_file(&d->times, r->times_path, false, why);
}

int run_drawings_open(struct run_drawings *d, const struct drawing_request *request, struct why *why)
{
    *d = (struct run_drawings){.timeline = {.slot = -1},
                               .vcd = {.slot = -1},
                               .fst = {.slot = -1},
                               .times = {.slot = -1},
                               .vcd_is_asked_for = request && request->vcd_path};
    int status = request ? open_all(d, request, why) : 0;
    if (status)
        run_drawings_discard(d);
    return status;
}

void run_drawings_discard(struct run_drawings *d)
{
    struct output *files[] = {&d->timeline, &d->vcd, &d->fst, &d->times};
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i]->file)
            output_discard(files[i]);
    file_io_end(d->board_events);
    d->board_events = NULL;
}

/* --- vcd2fst --------------------------------------------------------------------------------------------- */

int run_drawings_find_vcd2fst(struct why *why)
{
    char *const help[] = {"vcd2fst", "--help", NULL};
    if (child_words_program(help, -1, -1) != ENOENT)
        return 0;
    return why_say(why, PASS_EPROCESS,
                   "--fst: needs the program vcd2fst, which was not found; install gtkwave, or use --vcd");
}

/* While vcd2fst runs there is FSTFILE.hier, which is left if it fails. */
static int convert(struct run_drawings *d, struct why *why)
{
    char hierarchy[OUTPUT_NAME_MAX];
    char *const arguments[] = {"vcd2fst", "-v",           d->vcd.partial[0] ? d->vcd.partial : d->vcd.path,
                               "-f",      d->fst.partial, NULL};
    snprintf(hierarchy, sizeof hierarchy, "%.*s.hier", (int)sizeof hierarchy - 6, d->fst.partial);
    int guard = output_guard(hierarchy);
    bool converted = file_io_flush(d->vcd.file) && child_words_program(arguments, -1, -1) == 0;
    output_guard_end(guard);
    if (!converted)
        return why_say(
            why, PASS_EFILE,
            "%.400s: vcd2fst failed to write it; is there room on the disk? --vcd writes what it reads",
            d->fst.path);
    return 0;
}

/* --- the end --------------------------------------------------------------------------------------------- */

int run_drawings_commit(struct run_drawings *d, const struct drawn *timeline, const struct drawn *waves,
                        struct why *why)
{
    /* a VCD file that only vcd2fst needed is dropped */
    struct output *const files[] = {&d->timeline, d->vcd_is_asked_for ? &d->vcd : &d->fst, &d->fst,
                                    &d->times};
    if ((d->timeline.file && timeline->status < 0) || (d->vcd.file && waves->status < 0))
        return why_say(why, PASS_EFILE, "the %s cannot be written: %s",
                       d->timeline.file && timeline->status < 0 ? "timeline" : "waveforms",
                       why_error(file_io_fault()));
    int status = d->fst.file ? convert(d, why) : 0;
    for (unsigned i = 0; i < sizeof files / sizeof files[0] && status == 0; i++)
        if (files[i]->file && output_commit(files[i], why) != 0)
            status = PASS_EFILE;
    run_drawings_discard(d);
    return status;
}
