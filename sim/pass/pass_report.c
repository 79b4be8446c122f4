#include "sim/pass/pass_report.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"

/* --- the report ------------------------------------------------------------------------------------------ */

struct pass_report *pass_report_new(const struct pass_job *job)
{
    struct pass_report *report = memory_shared(sizeof *report);
    report->job = *job;
    report->status = PASS_NOT_ENDED;
    return report;
}

void pass_report_destroy(struct pass_report *report)
{
    if (!report)
        return;
    file_io_close(&report->job.spool);
    file_io_close(&report->job.records);
    file_io_close(&report->job.hsps);
    alignment_list_destroy(&report->result.alignments);
    pass_outline_destroy(&report->result.outline);
    free(report->result.windows.items);
    stage3_tasks_destroy(&report->result.host.tasks);
    munmap(report, sizeof *report);
}

struct stage3_tasks pass_report_room(const struct pass_report *report, size_t hsps_in_memory)
{
    if (report->job.hsps < 0)
        return (struct stage3_tasks){0};
    return (struct stage3_tasks){.expected = report->job.hsps_before,
                                 .in_memory_most = hsps_in_memory,
                                 .file = {.is_open = true, .file = report->job.hsps}};
}

/* --- results --------------------------------------------------------------------------------------------- */

bool pass_report_write_results(const struct pass_result *result, bool with_file, FILE *out)
{
    const struct alignment_list *list = &result->alignments;
    return stage3_tasks_write(&result->host.tasks, with_file, out) &&
           array_write(list->items, list->count, sizeof *list->items, out) &&
           array_write(list->runs, list->run_count, sizeof *list->runs, out) &&
           pass_outline_write(&result->outline, out) &&
           array_write(result->windows.items, result->windows.count, sizeof *result->windows.items, out);
}

static bool read_alignments(struct alignment_list *list, FILE *in)
{
    list->room = list->count;
    list->run_room = list->run_count;
    list->items = array_read(list->count, sizeof *list->items, in);
    list->runs = list->items ? array_read(list->run_count, sizeof *list->runs, in) : NULL;
    return list->runs != NULL;
}

static bool read_windows(struct stream_windows *windows, FILE *in)
{
    windows->room = windows->count;
    windows->items = array_read(windows->count, sizeof *windows->items, in);
    return windows->items != NULL;
}

void pass_report_forget_results(struct pass_result *result)
{
    struct alignment_list *list = &result->alignments;
    *list = (struct alignment_list){.count = list->count, .run_count = list->run_count};
    result->host.tasks = (struct stage3_tasks){0};
    result->host.hsps = result->host.clusters = NULL;
    result->outline = (struct pass_outline){0};
    result->windows.items = NULL;
}

bool pass_report_read_results(struct pass_result *result, int *hsps, FILE *in)
{
    pass_report_forget_results(result);
    return stage3_tasks_read(&result->host.tasks, hsps, in) && read_alignments(&result->alignments, in) &&
           pass_outline_read(&result->outline, in) && read_windows(&result->windows, in);
}

/* --- all of a report as bytes ---------------------------------------------------------------------------- */

/* Write the number of a file's bytes, or -1 if there is no file, and then its bytes. */
static bool write_file(int file, FILE *out)
{
    const int64_t bytes = file < 0 ? -1 : file_io_bytes(file);
    return (file < 0 || bytes >= 0) && fwrite(&bytes, sizeof bytes, 1, out) == 1 &&
           (file < 0 || file_io_copy(out, false, file, (uint64_t)bytes));
}

/* @param file  out: -1 if there is none */
static bool read_file(int *file, FILE *in)
{
    int64_t bytes;
    if (fread(&bytes, sizeof bytes, 1, in) != 1)
        return false;
    *file = bytes < 0 ? -1 : scratch_file_descriptor();
    return bytes < 0 || (*file >= 0 && file_io_copy(in, true, *file, (uint64_t)bytes));
}

bool pass_report_write(const struct pass_report *report, FILE *out)
{
    return fwrite(report, sizeof *report, 1, out) == 1 &&
           pass_report_write_results(&report->result, true, out) && write_file(report->job.spool, out) &&
           write_file(report->job.records, out);
}

int pass_report_read(FILE *in, struct pass_report **out, struct why *why)
{
    struct pass_report *report = pass_report_new(&(struct pass_job){.spool = -1, .records = -1, .hsps = -1});
    *out = NULL;
    bool whole = fread(report, sizeof *report, 1, in) == 1;
    report->job.spool = report->job.records = report->job.hsps = -1; /* the numbers are another process's */
    const struct host_pass *host = &report->result.host;
    whole = whole && host->board_s >= 0 && host->board_s <= STAGE3_SECONDS_MOST &&
            host->stream_begin_s >= 0 && host->stream_begin_s <= STAGE3_SECONDS_MOST;
    whole = pass_report_read_results(&report->result, NULL, in) && whole &&
            read_file(&report->job.spool, in) && read_file(&report->job.records, in);
    if (whole) {
        *out = report;
        return 0;
    }
    pass_report_destroy(report);
    return scratch_file_refuse_bytes("what another process found in a pass", why, PASS_EFILE);
}
