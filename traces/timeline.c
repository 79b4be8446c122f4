#include "traces/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* Bytes of a text as JSON, of an event without its arguments, of an argument, and of the end of the file, at most. */
enum {
    TEXT_MAX = 6 * TIMELINE_LABEL_MAX + 3,
    EVENT_MAX = 2 * TEXT_MAX + 400,
    ARGUMENT_MAX = 2 * TEXT_MAX + 40,
    END_MAX = 700
};

struct track {
    int process;
    char *name, *unit;            /* as JSON strings; a track without a unit has slices */
    uint64_t at_ps, value;        /* of a counter: the value not yet written */
    uint64_t written, written_ps; /* of a counter: the value in the file, and since when */
    bool is_pending, is_begun, is_ended;
};

struct timeline {
    FILE *out;
    uint64_t bytes_max, begin_ps, end_ps; /* the cap, and the window */
    struct drawing_report report;
    bool is_cut, is_first;
    int processes, count; /* number of processes, and of tracks */
    struct track tracks[TIMELINE_TRACKS_MAX];
};

/* --- text ------------------------------------------------------------------------------------------------ */

static char *json_text(const char *text)
{
    char cut[TIMELINE_LABEL_MAX + 1];
    snprintf(cut, sizeof cut, "%s", text);
    json_t *string = json_string(cut);
    for (char *c = cut; !string && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    if (!string)
        string = json_string(cut);
    char *json = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    json_decref(string);
    return json;
}

/* Write an event. The first that does not fit under the cap ends the writing. */
__attribute__((format(printf, 3, 4))) static void put(struct timeline *t, uint64_t at_ps, const char *format,
                                                      ...)
{
    char event[EVENT_MAX + TIMELINE_ARGUMENTS_MAX * ARGUMENT_MAX];
    if (t->is_cut) {
        t->report.missing++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(event, sizeof event, format, arguments);
    va_end(arguments);
    assert(length > 0 && length < (int)sizeof event);
    if (t->report.bytes + (uint64_t)length + 2 + END_MAX > t->bytes_max) {
        t->is_cut = true;
        t->report.missing = 1;
        t->report.cut_ps = at_ps;
        return;
    }
    t->report.bytes += (uint64_t)fprintf(t->out, "%s\n%s", t->is_first ? "" : ",", event);
    t->report.events++;
    t->is_first = false;
}

#define MICROSECONDS        "%" PRIu64 ".%06" PRIu64
#define AS_MICROSECONDS(ps) (ps) / 1000000, (ps) % 1000000

static void destroy(struct timeline *t)
{
    for (int i = 0; i < t->count; i++) {
        free(t->tracks[i].name);
        free(t->tracks[i].unit);
    }
    free(t);
}

/* --- tracks ---------------------------------------------------------------------------------------------- */

struct timeline *timeline_open(FILE *out, uint64_t bytes_max)
{
    struct timeline *t = calloc(1, sizeof *t);
    assert(bytes_max >= DRAWING_BYTES_LEAST);
    if (!t)
        return NULL;
    *t = (struct timeline){.out = out, .bytes_max = bytes_max, .end_ps = UINT64_MAX, .is_first = true};
    t->report.bytes = (uint64_t)fprintf(out, "{\"traceEvents\": [");
    return t;
}

int timeline_add_process(struct timeline *t, const char *name)
{
    char *text = json_text(name);
    if (!text)
        return DRAWING_EMEMORY;
    put(t, 0,
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"tid\": 0, \"args\": {\"name\": %s}}",
        ++t->processes, text);
    free(text);
    return t->processes;
}

static int add_track(struct timeline *t, int process, const char *name, const char *unit)
{
    assert(t->count < TIMELINE_TRACKS_MAX && process >= 1 && process <= t->processes);
    struct track *track = &t->tracks[t->count];
    *track =
        (struct track){.process = process, .name = json_text(name), .unit = unit ? json_text(unit) : NULL};
    if (track->name && (!unit || track->unit))
        return t->count++;
    free(track->name);
    free(track->unit);
    *track = (struct track){0};
    return DRAWING_EMEMORY;
}

int timeline_add_counter(struct timeline *t, int process, const char *name, const char *unit)
{
    return add_track(t, process, name, unit);
}

int timeline_add_slices(struct timeline *t, int process, const char *name)
{
    int track = add_track(t, process, name, NULL);
    if (track >= 0)
        put(t, 0,
            "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %d, \"tid\": %d, \"args\": {\"name\": %s}}",
            process, track + 1, t->tracks[track].name);
    return track;
}

/* --- events ---------------------------------------------------------------------------------------------- */

static void write_count(struct timeline *t, int number, uint64_t at_ps, uint64_t value)
{
    struct track *track = &t->tracks[number];
    put(t, at_ps,
        "{\"ph\": \"C\", \"name\": %s, \"pid\": %d, \"ts\": " MICROSECONDS ", \"args\": {%s: %" PRIu64 "}}",
        track->name, track->process, AS_MICROSECONDS(at_ps), track->unit, value);
    track->written = value;
    track->written_ps = at_ps;
    track->is_begun = true;
}

/* Write the pending value, which holds until `until_ps`: no other came at its time. */
static void settle(struct timeline *t, int number, uint64_t until_ps)
{
    struct track *track = &t->tracks[number];
    uint64_t begin = t->begin_ps, at_ps = track->at_ps < begin ? begin : track->at_ps;
    if (!track->is_pending || until_ps <= begin || at_ps >= t->end_ps)
        return;
    if (!track->is_begun || track->value != track->written)
        write_count(t, number, at_ps, track->value);
    track->is_pending = false;
}

void timeline_count(struct timeline *t, int number, uint64_t at_ps, uint64_t value)
{
    struct track *track = &t->tracks[number];
    assert(number >= 0 && number < t->count && t->tracks[number].unit && at_ps >= track->at_ps);
    if (at_ps > track->at_ps)
        settle(t, number, at_ps);
    track->at_ps = at_ps;
    track->value = value;
    track->is_pending = true;
}

/* Write arguments as JSON, with the comma before them. */
static void write_arguments(const struct timeline_argument *arguments, unsigned count, char *text)
{
    *text = '\0';
    for (unsigned i = 0; i < count; i++) {
        char *name = json_text(arguments[i].name),
             *value = arguments[i].text ? json_text(arguments[i].text) : NULL;
        text += sprintf(text, "%s%s: ", i ? ", " : ", \"args\": {", name ? name : "\"?\"");
        text += arguments[i].text ? sprintf(text, "%s", value ? value : "\"?\"")
                                  : sprintf(text, "%.12g", arguments[i].number);
        free(name);
        free(value);
    }
    if (count > 0)
        strcpy(text, "}");
}

void timeline_slice_with(struct timeline *t, int number, uint64_t begin_ps, uint64_t end_ps, const char *what,
                         const struct timeline_argument *arguments, unsigned count)
{
    char text[TIMELINE_ARGUMENTS_MAX * ARGUMENT_MAX];
    uint64_t begin = begin_ps > t->begin_ps ? begin_ps : t->begin_ps;
    uint64_t end = end_ps < t->end_ps ? end_ps : t->end_ps;
    assert(number >= 0 && number < t->count && end_ps >= begin_ps && count <= TIMELINE_ARGUMENTS_MAX);
    if (begin >= end)
        return;
    if (t->is_cut) {
        t->report.missing++;
        return;
    }
    char *name = json_text(what);
    write_arguments(arguments, count, text);
    put(t, begin,
        "{\"ph\": \"X\", \"name\": %s, \"pid\": %d, \"tid\": %d, \"ts\": " MICROSECONDS
        ", \"dur\": " MICROSECONDS "%s}",
        name ? name : "\"?\"", t->tracks[number].process, number + 1, AS_MICROSECONDS(begin),
        AS_MICROSECONDS(end - begin), text);
    free(name);
}

void timeline_slice(struct timeline *t, int number, uint64_t begin_ps, uint64_t end_ps, const char *what)
{
    timeline_slice_with(t, number, begin_ps, end_ps, what, NULL, 0);
}

/* --- the end --------------------------------------------------------------------------------------------- */

/* Write a last event for every counter: viewers draw a counter up to its last event only. */
static void end_counters(struct timeline *t, uint64_t end_ps)
{
    uint64_t end = end_ps < t->end_ps ? end_ps : t->end_ps;
    for (int i = 0; i < t->count; i++) {
        struct track *track = &t->tracks[i];
        if (!track->unit || track->is_ended)
            continue;
        track->is_ended = true;
        settle(t, i, end_ps);
        if (track->is_begun && end > track->written_ps)
            write_count(t, i, end, track->written);
    }
}

void timeline_begin_window(struct timeline *t, uint64_t begin_ps, uint64_t end_ps, uint64_t counters_end_ps)
{
    end_counters(t, counters_end_ps);
    t->begin_ps = begin_ps;
    t->end_ps = end_ps;
}

/* Write at most END_MAX bytes, which put() has kept free. */
static void write_end(struct timeline *t)
{
    struct drawing_report *r = &t->report;
    uint64_t window_end = r->end_ps < t->end_ps && !r->is_beyond ? r->end_ps : t->end_ps;
    int written = 0;
    if (t->is_cut)
        written += fprintf(
            t->out,
            "%s\n{\"ph\": \"i\", \"s\": \"g\", \"name\": \"timeline cut here: it reached its cap of %" PRIu64
            " bytes\", \"pid\": 1, \"tid\": 0, \"ts\": " MICROSECONDS "}",
            t->is_first ? "" : ",", t->bytes_max, AS_MICROSECONDS(r->cut_ps));
    written +=
        fprintf(t->out,
                "\n], \"displayTimeUnit\": \"ns\", \"otherData\": {\"cut\": %s, \"events_missing\": %" PRIu64
                ", \"bytes_max\": %" PRIu64 ", \"window_begin_us\": " MICROSECONDS
                ", \"window_end_us\": " MICROSECONDS,
                t->is_cut ? "true" : "false", r->missing, t->bytes_max, AS_MICROSECONDS(t->begin_ps),
                AS_MICROSECONDS(window_end));
    if (r->is_beyond)
        written +=
            fprintf(t->out, ", \"beyond\": true, \"end_us\": " MICROSECONDS, AS_MICROSECONDS(r->end_ps));
    if (t->is_cut)
        written += fprintf(t->out, ", \"cut_us\": " MICROSECONDS, AS_MICROSECONDS(r->cut_ps));
    written += fprintf(t->out, "}}\n");
    r->bytes += (uint64_t)written;
}

int timeline_close(struct timeline *t, uint64_t end_ps, struct drawing_report *report)
{
    t->report.end_ps = end_ps;
    t->report.is_beyond = t->begin_ps > 0 && t->begin_ps >= end_ps;
    end_counters(t, end_ps);
    write_end(t);
    int status = fflush(t->out) != 0 || ferror(t->out) ? DRAWING_EWRITE
                 : t->is_cut                           ? DRAWING_CUT
                                                       : DRAWING_WHOLE;
    if (report)
        *report = t->report;
    destroy(t);
    return status;
}
