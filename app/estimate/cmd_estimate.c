#include "app/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/draw/result_table.h"
#include "base/memory.h"
#include "base/why.h"
#include "app/estimate/estimate_page.h"
#include "app/estimate/estimate_session.h"
#include "app/run/run_output.h"
#include "app/options.inc"

struct arguments {
    struct estimate_session session;
    const char *write, *path, *report, *plot, *against, *vary; /* NULL: not given */
    enum result_format format;
    struct why *why;
};

static const struct command_option options[] = COMMAND_OPTIONS(ESTIMATE_OPTIONS);

/* --- arguments ------------------------------------------------------------------------------------------- */

static int check_arguments(struct arguments *a)
{
    const struct estimate_session *s = &a->session;
    const char *needs_run = s->scale.segments > 0  ? "--segments"
                            : s->scale.bases > 0   ? "--database-bases"
                            : s->scale.synchronize ? "--synchronize"
                            : a->write             ? "--write-workload"
                            : s->record            ? "--record"
                            : s->scale.by_database ? "--distribution"
                                                   : NULL;
    if (needs_run && !s->from)
        return why_refuse(a->why, "%s is for the workload of a run: expected --from RUN beside it",
                          needs_run);
    bool only_writes = a->write && strcmp(a->write, "-") == 0 && !a->against && !a->vary;
    return s->file_count > 0 || only_writes
               ? estimate_session_spread(&a->session, a->against, a->vary, a->why)
               : why_refuse(
                     a->why,
                     "needs a machine: a file, or a name such as mercury-2010; see mercury help estimate");
}

static int note_uses(struct arguments *a)
{
    const struct estimate_session *s = &a->session;
    struct file_uses uses = {0};
    for (const struct estimate_session *one = s; one; one = one->next) {
        for (size_t i = 0; one->value == 0 && i < one->file_count; i++) {
            auto_free char *path = estimate_session_find_file(one->files[i], NULL);
            file_uses_read(&uses, "a text", path);
        }
        for (unsigned i = 0; one->value == 0 && i < one->text.file_count; i++)
            file_uses_read(&uses, "a text",
                           strcmp(one->text.files[i], "standard input") == 0 ? "-" : one->text.files[i]);
    }
    file_uses_read(&uses, "--from", s->from ? s->workload.path : NULL);
    file_uses_read(&uses, "--record", s->record);
    file_uses_write(&uses, "-o", a->path);
    file_uses_write(&uses, "--report", a->report);
    file_uses_write(&uses, "--plot", a->plot);
    file_uses_write(&uses, "--write-workload", a->write);
    int status = command_status_of(file_uses_probe(&uses, a->why));
    if (status == 0 && s->record && access(s->record, R_OK) != 0) /* it is read only where it is needed */
        status = why_refuse(a->why, "--record %.400s: %s", s->record, why_error(errno));
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int write_workload(struct arguments *a)
{
    struct output output;
    if (output_open(&output, a->write, a->why) != 0)
        return COMMAND_REFUSED;
    fputs(a->session.workload_text, output.file);
    return output_commit(&output, a->why) != 0 ? COMMAND_REFUSED : 0;
}

static int estimate_all(struct arguments *a)
{
    run_output_begin();
    struct estimate_session *s;
    int status = 0;
    for (s = &a->session; s && status == 0; s = s->next)
        status = estimate_session_read(s, a->why);
    if (status == 0)
        status = note_uses(a);
    if (status == 0 && a->write && strcmp(a->write, "-") == 0)
        return write_workload(a);
    for (s = &a->session; s && status == 0; s = s->next)
        status = estimate_session_make(s, a->why);
    if (status == 0 && a->write)
        status = write_workload(a);
    if (status == 0 && a->report)
        status = estimate_page_write(&a->session, a->report, a->why);
    if (status == 0 && a->plot)
        status = estimate_page_plot(&a->session, a->plot, a->why);
    if (status || (a->report && strcmp(a->report, "-") == 0))
        return status;
    return result_table_save(estimate_page_table(&a->session), a->format, a->path, a->why);
}

static int run_command(int argc, char **argv, struct why *why)
{
    auto_free struct arguments *a = memory_new(1, sizeof *a);
    a->why = why;
    int status = command_parse("estimate", options, argc, argv, ESTIMATE_SESSION_FILES, a, why);
    for (int i = optind; status == 0 && i < argc; i++)
        a->session.files[a->session.file_count++] = argv[i];
    if (status == 0)
        status = check_arguments(a);
    if (status == 0)
        status = estimate_all(a);
    estimate_session_release(&a->session);
    return status;
}

const struct command command_estimate = {options, run_command};
