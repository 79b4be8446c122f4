#include "app/report/jsimg.h"

#include <math.h>
#include <stdbool.h>

#include <libxml/xmlwriter.h>

#include "base/command.h"
#include "model/queue/mercury_tandem.h"
#include "validate/run_operations.h"

#define STRATEGIES "jmt.engine.NetStrategies."

/* Parts of a JMT model have names that its editor shows; the class of customers has one. */
static const char class_name[] = "element";

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

static const char source_name[] = "bus", sink_name[] = "HSPs";

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
        return why_say(why, COMMAND_REFUSED,
                       "summary.json: the run has no times between words (stage_1a.arrival_times)");
    for (int i = 0; i < STATIONS; i++) {
        const struct station *s = &m->stations[i];
        if (!(s->places >= 1) || !(s->service.mean_s > 0) || !(s->service.scv >= 0) || !(s->passes_on >= 0))
            return why_say(why, COMMAND_REFUSED,
                           "summary.json: too little passed through stage %s for a model", s->name);
        if (s->passes_on > 1)
            return why_say(
                why, COMMAND_REFUSED,
                "stage %s passed on %.3g elements for each it took, and a station of JMT passes on one at most",
                s->name, s->passes_on);
    }
    return 0;
}

/* --- XML ------------------------------------------------------------------------------------------------- */

/* The writer remembers no error: the first one stays. */
struct xml {
    xmlTextWriterPtr writer;
    bool failed;
};

static void note(struct xml *x, int written)
{
    x->failed |= written < 0;
}

static void begin(struct xml *x, const char *element)
{
    note(x, xmlTextWriterStartElement(x->writer, BAD_CAST element));
}

static void end(struct xml *x)
{
    note(x, xmlTextWriterEndElement(x->writer));
}

static void attribute(struct xml *x, const char *name, const char *value)
{
    note(x, xmlTextWriterWriteAttribute(x->writer, BAD_CAST name, BAD_CAST value));
}

static void text_element(struct xml *x, const char *element, const char *text)
{
    note(x, xmlTextWriterWriteElement(x->writer, BAD_CAST element, BAD_CAST text));
}

/* @param element  parameter or subParameter */
static void begin_parameter(struct xml *x, const char *element, bool array, const char *class_path,
                            const char *name)
{
    begin(x, element);
    if (array)
        attribute(x, "array", "true");
    attribute(x, "classPath", class_path);
    attribute(x, "name", name);
}

static void value_parameter(struct xml *x, const char *element, const char *class_path, const char *name,
                            const char *value)
{
    begin_parameter(x, element, false, class_path, name);
    text_element(x, "value", value);
    end(x);
}

static void number_parameter(struct xml *x, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    value_parameter(x, "subParameter", "java.lang.Double", name, text);
}

static void empty_parameter(struct xml *x, const char *element, const char *class_path, const char *name)
{
    begin_parameter(x, element, false, class_path, name);
    end(x);
}

/* A parameter that each class of customers has; its value follows. */
static void begin_class_parameter(struct xml *x, const char *class_path, const char *name)
{
    begin_parameter(x, "parameter", true, class_path, name);
    text_element(x, "refClass", class_name);
}

/* --- times ----------------------------------------------------------------------------------------------- */

static void begin_distribution(struct xml *x, const char *class_path, const char *parameters,
                               const char *name)
{
    empty_parameter(x, "subParameter", class_path, name);
    begin_parameter(x, "subParameter", false, parameters, "distrPar");
}

static void write_distribution(struct xml *x, const struct fitted_time *time, const char *file)
{
    if (file) {
        begin_distribution(x, "jmt.engine.random.Replayer", "jmt.engine.random.ReplayerPar", "Replayer");
        value_parameter(x, "subParameter", "java.lang.String", "fileName", file);
    } else if (time->scv == 0) {
        begin_distribution(x, "jmt.engine.random.DeterministicDistr",
                           "jmt.engine.random.DeterministicDistrPar", "Deterministic");
        number_parameter(x, "t", time->mean_s);
    } else { /* of mean alpha beta and scv 1 / alpha */
        begin_distribution(x, "jmt.engine.random.GammaDistr", "jmt.engine.random.GammaDistrPar", "Gamma");
        number_parameter(x, "alpha", 1 / time->scv);
        number_parameter(x, "beta", time->mean_s * time->scv);
    }
    end(x);
}

static void write_service(struct xml *x, const struct fitted_time *time, const char *file)
{
    begin_class_parameter(x, STRATEGIES "ServiceStrategy", "ServiceStrategy");
    begin_parameter(x, "subParameter", false, STRATEGIES "ServiceStrategies.ServiceTimeStrategy",
                    "ServiceTimeStrategy");
    write_distribution(x, time, file);
    end(x);
    end(x);
}

/* --- stations -------------------------------------------------------------------------------------------- */

static void lost_name(const struct station *s, char name[40])
{
    snprintf(name, 40, "filtered by %s", s->name);
}

static const char *next_name(const struct model *m, int station)
{
    return station + 1 < STATIONS ? m->stations[station + 1].name : sink_name;
}

static bool loses(const struct station *s)
{
    return s->passes_on < 1;
}

static void write_route(struct xml *x, const char *station, double probability)
{
    begin_parameter(x, "subParameter", false, "jmt.engine.random.EmpiricalEntry", "EmpiricalEntry");
    value_parameter(x, "subParameter", "java.lang.String", "stationName", station);
    number_parameter(x, "probability", probability);
    end(x);
}

/* @param lost  sink of those that do not go on; NULL: all do */
static void write_router(struct xml *x, const char *next, double passes_on, const char *lost)
{
    begin(x, "section");
    attribute(x, "className", "Router");
    begin_class_parameter(x, STRATEGIES "RoutingStrategy", "RoutingStrategy");
    if (lost) {
        begin_parameter(x, "subParameter", false, STRATEGIES "RoutingStrategies.EmpiricalStrategy",
                        "Probabilities");
        begin_parameter(x, "subParameter", true, "jmt.engine.random.EmpiricalEntry", "EmpiricalEntryArray");
        write_route(x, next, passes_on);
        write_route(x, lost, 1 - passes_on);
        end(x);
        end(x);
    } else {
        empty_parameter(x, "subParameter", STRATEGIES "RoutingStrategies.RandomStrategy", "Random");
    }
    end(x);
    end(x);
}

static void write_queue(struct xml *x, double places)
{
    char size[24];
    snprintf(size, sizeof size, "%.0f", places);
    begin(x, "section");
    attribute(x, "className", "Queue");
    value_parameter(x, "parameter", "java.lang.Integer", "size", size);
    begin_class_parameter(x, "java.lang.String", "dropStrategies");
    value_parameter(x, "subParameter", "java.lang.String", "dropStrategy", "BAS blocking");
    end(x);
    empty_parameter(x, "parameter", STRATEGIES "QueueGetStrategies.FCFSstrategy", "FCFSstrategy");
    begin_class_parameter(x, STRATEGIES "QueuePutStrategy", "QueuePutStrategy");
    empty_parameter(x, "subParameter", STRATEGIES "QueuePutStrategies.TailStrategy", "TailStrategy");
    end(x);
    end(x);
}

static void write_server(struct xml *x, const struct fitted_time *service)
{
    begin(x, "section");
    attribute(x, "className", "Server");
    value_parameter(x, "parameter", "java.lang.Integer", "maxJobs", "1");
    begin_class_parameter(x, "java.lang.Integer", "numberOfVisits");
    value_parameter(x, "subParameter", "java.lang.Integer", "numberOfVisits", "1");
    end(x);
    write_service(x, service, NULL);
    end(x);
}

static void write_source(struct xml *x, const struct model *m, const char *arrivals)
{
    begin(x, "node");
    attribute(x, "name", source_name);
    begin(x, "section");
    attribute(x, "className", "RandomSource");
    write_service(x, &m->arrivals, arrivals);
    end(x);
    begin(x, "section");
    attribute(x, "className", "ServiceTunnel");
    end(x);
    write_router(x, m->stations[0].name, 1, NULL);
    end(x);
}

static void write_sink(struct xml *x, const char *name)
{
    begin(x, "node");
    attribute(x, "name", name);
    begin(x, "section");
    attribute(x, "className", "JobSink");
    end(x);
    end(x);
}

static void write_station(struct xml *x, const struct model *m, int station)
{
    const struct station *s = &m->stations[station];
    char lost[40];
    lost_name(s, lost);
    begin(x, "node");
    attribute(x, "name", s->name);
    write_queue(x, s->places);
    write_server(x, &s->service);
    write_router(x, next_name(m, station), s->passes_on, loses(s) ? lost : NULL);
    end(x);
    if (loses(s))
        write_sink(x, lost);
}

/* --- the model ------------------------------------------------------------------------------------------- */

static void write_measure(struct xml *x, const char *station, const char *type)
{
    char name[80];
    snprintf(name, sizeof name, "%s_%s", station, type);
    begin(x, "measure");
    attribute(x, "alpha", "0.01");
    attribute(x, "name", name);
    attribute(x, "nodeType", "station");
    attribute(x, "precision", "0.03");
    attribute(x, "referenceNode", station);
    attribute(x, "referenceUserClass", class_name);
    attribute(x, "type", type);
    attribute(x, "verbose", "false");
    end(x);
}

static void write_connection(struct xml *x, const char *from, const char *to)
{
    begin(x, "connection");
    attribute(x, "source", from);
    attribute(x, "target", to);
    end(x);
}

static void write_simulation(struct xml *x, const struct model *m, const char *name, const char *arrivals)
{
    static const char *const types[] = {"Number of Customers", "Utilization", "Throughput", "Response Time"};
    begin(x, "sim");
    attribute(x, "disableStatisticStop", "false");
    attribute(x, "logDecimalSeparator", ".");
    attribute(x, "logDelimiter", ",");
    attribute(x, "logPath", "");
    attribute(x, "logReplaceMode", "0");
    attribute(x, "maxSamples", "1000000");
    attribute(x, "name", name);
    attribute(x, "polling", "1.0");
    attribute(x, "xsi:noNamespaceSchemaLocation", "SIMmodeldefinition.xsd");
    begin(x, "userClass");
    attribute(x, "name", class_name);
    attribute(x, "priority", "0");
    attribute(x, "referenceSource", source_name);
    attribute(x, "type", "open");
    end(x);
    write_source(x, m, arrivals);
    for (int i = 0; i < STATIONS; i++)
        write_station(x, m, i);
    write_sink(x, sink_name);
    for (int i = 0; i < STATIONS; i++)
        for (unsigned j = 0; j < sizeof types / sizeof types[0]; j++)
            write_measure(x, m->stations[i].name, types[j]);
    write_connection(x, source_name, m->stations[0].name);
    for (int i = 0; i < STATIONS; i++) {
        char lost[40];
        lost_name(&m->stations[i], lost);
        write_connection(x, m->stations[i].name, next_name(m, i));
        if (loses(&m->stations[i]))
            write_connection(x, m->stations[i].name, lost);
    }
    end(x);
}

static void write_position(struct xml *x, const char *name, int column, int row)
{
    char text[16];
    begin(x, "station");
    attribute(x, "name", name);
    begin(x, "position");
    attribute(x, "rotate", "false");
    snprintf(text, sizeof text, "%d", (column + 1) * COLUMN_PIXELS);
    attribute(x, "x", text);
    snprintf(text, sizeof text, "%d", (row + 1) * ROW_PIXELS);
    attribute(x, "y", text);
    end(x);
    end(x);
}

/* Where the editor draws what. */
static void write_picture(struct xml *x, const struct model *m)
{
    begin(x, "jmodel");
    attribute(x, "xsi:noNamespaceSchemaLocation", "JModelGUI.xsd");
    begin(x, "userClass");
    attribute(x, "color", "#FF0000FF");
    attribute(x, "name", class_name);
    end(x);
    write_position(x, source_name, 0, 0);
    for (int i = 0; i < STATIONS; i++) {
        char lost[40];
        lost_name(&m->stations[i], lost);
        write_position(x, m->stations[i].name, i + 1, 0);
        if (loses(&m->stations[i]))
            write_position(x, lost, i + 2, 1);
    }
    write_position(x, sink_name, STATIONS + 1, 0);
    end(x);
}

static void write_archive(struct xml *x, const struct model *m, const char *name, const char *arrivals)
{
    note(x, xmlTextWriterSetIndent(x->writer, 1));
    note(x, xmlTextWriterStartDocument(x->writer, NULL, "UTF-8", "no"));
    begin(x, "archive");
    attribute(x, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    attribute(x, "name", name);
    attribute(x, "timestamp",
              "Thu Jan 01 00:00:00 UTC 1970"); /* is required; equal runs are to give equal bytes */
    attribute(x, "xsi:noNamespaceSchemaLocation", "Archive.xsd");
    write_simulation(x, m, name, arrivals);
    write_picture(x, m);
    end(x);
    note(x, xmlTextWriterEndDocument(x->writer));
}

int jsimg_write(const struct run *run, const char *name, const char *arrivals, FILE *out, struct why *why)
{
    const struct model model = model_of(run);
    int status = check(&model, why);
    if (status)
        return status;
    xmlBufferPtr buffer = xmlBufferCreate();
    struct xml x = {.writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL};
    if (x.writer)
        write_archive(&x, &model, name, arrivals);
    const bool whole = x.writer && !x.failed;
    if (x.writer)
        xmlFreeTextWriter(x.writer);
    if (whole)
        fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), out);
    if (buffer)
        xmlBufferFree(buffer);
    return whole ? 0 : why_no_memory(why, COMMAND_FAILED);
}
