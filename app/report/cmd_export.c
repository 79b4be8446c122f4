/* cmd_export.c - the measured board as a model of JSIMgraph, the simulator of the Java Modelling Tools (JMT).
 *
 * Models    the tandem bus -> 1a -> 1bp -> 1bd -> 2 -> HSPs. A customer is a database word, then a seed, a lookup and a
 *           match. A station is a finite queue of the FIFO's places with one server; its customers wait in the station
 *           before if it is full ("BAS blocking"). After a station the measured share of the customers goes on, the
 *           rest leaves into a sink of its own.
 *             bus   times between words at the ingress FIFO as measured: gamma by mean and scv, or a file of times
 *                   (JMT's Replayer)
 *             1a, 1bp, 2   one clock
 *             1bd   one clock, or those by which its trips hold it (mercury_tandem.h): gamma by mean and scv of the
 *                   mixture
 * Units     seconds, customers.
 * Omits     that seeds of a word and matches of a group come together, correlations, fetch and read latency, margins of
 *           back-pressure signals, and what limits after stage 2.
 * Domain    at most one seed per word and one match per seed, on the mean: a station of JMT cannot multiply customers.
 * Format    archive of Archive.xsd and SIMmodeldefinition.xsd of JMT; UTF-8. The same run gives the same bytes.
 * Source    JMT 1.2 (Bertoli, Casale, Serazzi, JMT: performance engineering tools for system modeling, ACM SIGMETRICS
 *           Performance Evaluation Review 36(4), 2009).
 */
#include "app/commands.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file_uses.h"
#include "base/file/line_reader.h"
#include "base/file/output.h"
#include "base/draw/svg.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/why.h"
#include "base/words.h"
#include "model/queue/mercury_tandem.h"
#include "sim/run/run.h"
#include "validate/run_operations.h"
#include "app/report/run_files.h"
#include "app/jsimg.inc"
#include "app/options.inc"

/* A time by its first two moments; scv 0: it does not vary. */
struct fitted_time {
    double mean_s, scv;
};

struct station {
    const char *name;
    double places;
    struct fitted_time service;
    double passes_on; /* share of its customers that go on */
};

enum { STATIONS = 4, COLUMN_PIXELS = 160, ROW_PIXELS = 120 };

struct model {
    struct fitted_time arrivals;
    struct station stations[STATIONS];
};

/* --- the measured tandem --------------------------------------------------------------------------------- */

static struct model model_of(const struct run *run)
{
    const struct frame_values *f = &run->whole;
    const double clock_s = 1 / f->clock_hz, *n = f->counters;
    const struct interval_values *arrivals = &f->intervals[ARRIVALS_1A];
    const struct fitted_time clock = {clock_s, 0};
    const struct mercury_lookup lookup = mercury_lookup_service(
        n[S1B_TRIPS] / n[S1B_SEEDS], n[S1B_LOOKUPS_DUPLICATE] / n[S1B_SEEDS], run_trip_share(f));
    return (struct model){.arrivals = {arrivals->mean_clocks * clock_s, arrivals->scv},
                          .stations = {
                              {"1a", f->queues[FIFO_INGRESS].places, clock, n[S1B_SEEDS] / n[S1A_WORDS]},
                              {"1bp", f->queues[FIFO_WMER].places, clock, 1},
                              {"1bd",
                               f->queues[FIFO_SRAM].places,
                               {lookup.clocks * clock_s, lookup.scv},
                               n[S2_MATCHES] / n[S1B_SEEDS]},
                              {"2", f->queues[FIFO_STAGE2].places, clock, n[S2_HSPS_OUT] / n[S2_MATCHES]},
                          }};
}

static int check(const struct model *m, struct why *why)
{
    if (!(m->arrivals.mean_s > 0) || !(m->arrivals.scv >= 0))
        return why_refuse(why, "the run has no times between words (stage_1a.arrival_times)");
    for (int i = 0; i < STATIONS; i++) {
        const struct station *s = &m->stations[i];
        if (!(s->places >= 1) || !(s->service.mean_s > 0) || !(s->service.scv >= 0) || !(s->passes_on >= 0))
            return why_refuse(why, "too little passed through stage %s for a model", s->name);
        if (s->passes_on > 1)
            return why_refuse(
                why,
                "stage %s passed on %.9g elements for each it took, and a station of JMT passes on one at most",
                s->name, s->passes_on);
    }
    return 0;
}

/* --- XML ------------------------------------------------------------------------------------------------- */

/* @param file  of times, as XML has it; NULL: there is none */
static void write_service(FILE *out, const struct fitted_time *time, const char *file)
{
    const char *name = file ? "Replayer" : time->scv == 0 ? "Deterministic" : "Gamma";
    const char *class_path = file ? "Replayer" : time->scv == 0 ? "DeterministicDistr" : "GammaDistr";
    fprintf(out, JSIM_SERVICE, class_path, name, class_path);
    if (file) {
        fprintf(out, JSIM_FILE, file);
    } else if (time->scv == 0) {
        fprintf(out, JSIM_NUMBER, "t", time->mean_s);
    } else { /* of mean alpha beta and scv 1 / alpha */
        fprintf(out, JSIM_NUMBER, "alpha", 1 / time->scv);
        fprintf(out, JSIM_NUMBER, "beta", time->mean_s * time->scv);
    }
    fputs(JSIM_SERVICE_END, out);
}

/* --- stations -------------------------------------------------------------------------------------------- */

static const char *next_name(const struct model *m, int station)
{
    return station + 1 < STATIONS ? m->stations[station + 1].name : "HSPs";
}

static bool loses(const struct station *s)
{
    return s->passes_on < 1;
}

/* @param s  that loses some; NULL: all go on */
static void write_router(FILE *out, const char *next, const struct station *s)
{
    fputs(JSIM_ROUTER, out);
    if (s) {
        fputs(JSIM_SHARES, out);
        fprintf(out, JSIM_ROUTE, "", next, s->passes_on);
        fprintf(out, JSIM_ROUTE, "filtered by ", s->name, 1 - s->passes_on);
    }
    fputs(s ? JSIM_SHARES_END : JSIM_ALL_GO_ON, out);
    fputs(JSIM_ROUTER_END, out);
}

static void write_station(FILE *out, const struct model *m, int station)
{
    const struct station *s = &m->stations[station];
    fprintf(out, JSIM_STATION, s->name, s->places);
    write_service(out, &s->service, NULL);
    write_router(out, next_name(m, station), loses(s) ? s : NULL);
    if (loses(s))
        fprintf(out, JSIM_SINK, "filtered by ", s->name);
}

/* --- the model ------------------------------------------------------------------------------------------- */

/* @param name, arrivals  as XML has them */
static void write_simulation(FILE *out, const struct model *m, const char *name, const char *arrivals)
{
    static const char *const types[] = {"Number of Customers", "Utilization", "Throughput", "Response Time"};
    fprintf(out, JSIM_BEGIN, name, name);
    write_service(out, &m->arrivals, arrivals);
    fputs(JSIM_TUNNEL, out);
    write_router(out, m->stations[0].name, NULL);
    for (int i = 0; i < STATIONS; i++)
        write_station(out, m, i);
    fprintf(out, JSIM_SINK, "", "HSPs");
    for (int i = 0; i < STATIONS; i++)
        for (unsigned j = 0; j < sizeof types / sizeof types[0]; j++)
            fprintf(out, JSIM_MEASURE, m->stations[i].name, types[j], m->stations[i].name, types[j]);
    fprintf(out, JSIM_CONNECTION, "bus", "", m->stations[0].name);
    for (int i = 0; i < STATIONS; i++) {
        const char *from = m->stations[i].name;
        fprintf(out, JSIM_CONNECTION, from, "", next_name(m, i));
        if (loses(&m->stations[i]))
            fprintf(out, JSIM_CONNECTION, from, "filtered by ", from);
    }
}

/* Where the editor draws a station. */
static void write_position(FILE *out, const char *before, const char *name, int column, int row)
{
    fprintf(out, JSIM_POSITION, before, name, (column + 1) * COLUMN_PIXELS, (row + 1) * ROW_PIXELS);
}

enum export_format { EXPORT_NOTHING, EXPORT_JSIMG };

struct arguments {
    const char *output, *arrivals; /* NULL if not given */
    enum export_format format;
};

static const char *const formats[] = {"jsimg", NULL};

static const struct command_option options[] = COMMAND_OPTIONS(EXPORT_OPTIONS);

static char *escaped(const char *text)
{
    char *copy;
    size_t bytes;
    FILE *out = memory_stream(&copy, &bytes);
    svg_escape(text, out);
    memory_stream_end(out);
    return copy;
}

/* Write the model of a run. A time is required, and equal runs are to give equal bytes.
 *
 * @param arrivals  absolute path of a file of times between words in seconds, one per line; NULL: gamma */
static int write_model(const struct run_files *run, const char *path, const char *arrivals, struct why *why)
{
    const struct model model = model_of(&run->numbers);
    const char *last = basename(path), *name = strcmp(last, "-") != 0 ? last : "mercury.jsimg";
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    int status = check(&model, why) ? why_precede(why, COMMAND_REFUSED, "%.400s: ", run->directory) : 0;
    FILE *out = output.file;
    char *of = escaped(name), *times = arrivals ? escaped(arrivals) : NULL;
    if (status == 0) {
        write_simulation(out, &model, of, times);
        fputs(JSIM_PICTURE, out);
        write_position(out, "", "bus", 0, 0);
        for (int i = 0; i < STATIONS; i++) {
            write_position(out, "", model.stations[i].name, i + 1, 0);
            if (loses(&model.stations[i]))
                write_position(out, "filtered by ", model.stations[i].name, i + 2, 1);
        }
        write_position(out, "", "HSPs", STATIONS + 1, 0);
        fputs(JSIM_END, out);
    }
    free(of);
    free(times);
    return output_end(&output, status, why);
}

/* What JMT cannot read as a time, it finds out only as it simulates. */
static int check_times(const char *path, struct why *why)
{
    struct line_reader lines;
    double time_s = 0, most_s = 0;
    int status = line_reader_open(&lines, path, "a list of times", why);
    while (status == 0 && (status = line_reader_next(&lines)) == 1) {
        status = 0;
        if (number_of(lines.line.s, NULL, &time_s) != 0 || time_s < 0)
            status = line_reader_refuse_line(&lines, LINE_READER_EREAD,
                                             "'%s': expected one time in seconds a line, such as 7.5e-9",
                                             word_show(word_of(lines.line.s)).text);
        most_s = time_s > most_s ? time_s : most_s;
    }
    if (status == 0 && most_s == 0)
        status =
            line_reader_refuse(&lines, LINE_READER_EREAD, "expected times in seconds, one above 0 at least");
    return command_status_of(line_reader_close(&lines, status));
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    auto_by(run_files_close) struct run_files files = {0};
    struct file_uses uses = {0};
    char arrivals[PATH_MAX];
    int status = command_parse("export", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc || a.format == EXPORT_NOTHING)
        return why_refuse(
            why, "needs %s, e.g. mercury export out --as jsimg -o board.jsimg; see mercury help export",
            optind == argc ? "the directory of a run" : "a format (--as jsimg)");
    if (a.arrivals && !realpath(a.arrivals, arrivals)) /* JMT needs the whole path */
        return why_refuse(why, "--arrivals %.400s: %s", a.arrivals, why_error(errno));
    const char *output = a.output ? a.output : "-";
    run_files_note(argv[optind], file_uses_read, "a file of the run", &uses);
    file_uses_read(&uses, "--arrivals", a.arrivals);
    file_uses_write(&uses, "-o", output);
    status = command_status_of(file_uses_check(&uses, why));
    if (status == 0 && a.arrivals)
        status = check_times(a.arrivals, why);
    if (status == 0)
        status = run_files_open_numbers(argv[optind], &files, why);
    return status ? status : write_model(&files, output, a.arrivals ? arrivals : NULL, why);
}

const struct command command_export = {options, run_command};
