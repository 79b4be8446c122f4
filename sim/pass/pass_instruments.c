#include "sim/pass/pass_instruments.h"

#include <unistd.h>

#include "base/file/scratch_file.h"

bool pass_is_drawn(const struct passes *passes, size_t pass)
{
    return passes->how.drawing && pass + 1 == passes->how.drawing->pass;
}

int pass_finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why)
{
    struct why bug;
    int status = measure_finish(measure, &bug);
    if (status && status != MEASURE_EWRITE)
        return why_say(why, PASS_EBUG, "pass %zu: %s: a bug of Mercury's, please report it", pass + 1,
                       bug.line);
    if (status || fflush(records) != 0)
        return scratch_file_refuse_bytes("what a pass measures", why, PASS_EFILE);
    return 0;
}

int pass_instruments_open(struct open_instruments *open, const struct passes *passes,
                          const struct run_drawings *drawings, atomic_ullong *words,
                          struct pass_report *report)
{
    size_t pass = report->job.pass;
    bool drawn = pass_is_drawn(passes, pass),
         timeline = passes->how.drawing && passes->how.drawing->timeline_path,
         waves = drawn && drawings->vcd.file, arrivals = drawn && drawings->times.file;
    *open = (struct open_instruments){
        .records = report->job.records >= 0 ? fdopen(dup(report->job.records), "w") : NULL};
    if (passes->how.only_times) {
        open->tools = (struct pass_instruments){.only_times = true, .words_done = words};
        return 0;
    }
    open->tools = (struct pass_instruments){
        .words_done = words,
        .measure = open->records ? measure_new(passes->how.measure, SIDE_BOARD, open->records) : NULL,
        .timeline = timeline ? machine_timeline_new(passes->how.drawing, passes->hardware, passes->pass_count,
                                                    drawn ? drawings->board_events : NULL)
                             : NULL,
        .waves = waves ? board_waves_new(drawings->vcd.file, passes->how.drawing, passes->hardware) : NULL,
        .arrivals = arrivals ? arrival_list_new(drawings->times.file, passes->how.drawing->times_fifo,
                                                passes->hardware->fpga_clock_hz)
                             : NULL,
        .stamps = &report->stamps,
        .windows = passes->how.windows ? &passes->how.windows[pass] : NULL,
        .charge = passes->how.charge ? &report->charge : NULL,
    };
    if (open->tools.measure && passes->how.run_times)
        measure_place(open->tools.measure, passes->how.run_times->origins[pass]);
    if ((report->job.records < 0 || open->tools.measure) && (!timeline || open->tools.timeline) &&
        (!waves || open->tools.waves) && (!arrivals || open->tools.arrivals))
        return 0;
    return pass_instruments_close(open, report, why_no_memory(&report->result.why, PASS_EMEMORY));
}

int pass_instruments_close(struct open_instruments *open, struct pass_report *report, int status)
{
    if (open->tools.timeline)
        report->board_drawn.status = machine_timeline_close(open->tools.timeline, &report->result.outline,
                                                            &report->board_drawn.report.missing);
    if (open->tools.waves)
        report->waves.status =
            board_waves_close(open->tools.waves, report->result.host.board_end, &report->waves.report);
    if (!arrival_list_close(open->tools.arrivals) && status == 0)
        status = why_say(&report->result.why, PASS_EFILE,
                         "--export-times: the file cannot be written: is the disk full?");
    if (status == 0 && open->tools.measure)
        status =
            pass_finish_measure(open->tools.measure, open->records, report->job.pass, &report->result.why);
    measure_destroy(open->tools.measure);
    if (open->records)
        fclose(open->records);
    *open = (struct open_instruments){0};
    return status;
}
