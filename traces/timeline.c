#include "traces/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { EVENT_MAX = 6 * TIMELINE_LABEL_MAX * 2 + 400, END_MAX = 700 };

struct track {
    char *name, *unit; /* as JSON strings; a track without a unit has slices */
};

struct timeline {
    FILE *out;
    struct timeline_options options;
    struct timeline_state state;
    int count; /* number of tracks that have been added, again if the timeline was resumed */
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
    char event[EVENT_MAX];
    if (t->state.is_cut) {
        t->state.report.missing++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(event, sizeof event, format, arguments);
    va_end(arguments);
    assert(length > 0 && length < EVENT_MAX);
    if (t->state.report.bytes + (uint64_t)length + 2 + END_MAX > t->options.bytes_max) {
        t->state.is_cut = true;
        t->state.report.missing = 1;
        t->state.report.cut_ps = at_ps;
        return;
    }
    t->state.report.bytes += (uint64_t)fprintf(t->out, "%s\n%s", t->state.is_first ? "" : ",", event);
    t->state.report.events++;
    t->state.is_first = false;
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

struct timeline *timeline_open(FILE *out, const struct timeline_options *options)
{
    struct timeline *t = calloc(1, sizeof *t);
    char *process = json_text(options->process);
    assert(options->bytes_max >= DRAWING_BYTES_LEAST);
    if (t && process) {
        t->out = out;
        t->options = *options;
        t->state.is_first = true;
        t->state.report.bytes = (uint64_t)fprintf(out, "{\"traceEvents\": [");
        put(t, 0,
            "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"tid\": 0, \"args\": {\"name\": %s}}",
            process);
        free(process);
        return t;
    }
    free(process);
    free(t);
    return NULL;
}

void timeline_suspend(struct timeline *t, struct timeline_state *state)
{
    fflush(t->out);
    *state = t->state;
    destroy(t);
}

struct timeline *timeline_resume(FILE *out, const struct timeline_options *options,
                                 const struct timeline_state *state)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t)
        *t = (struct timeline){.out = out, .options = *options, .state = *state};
    return t;
}

static int add_track(struct timeline *t, const char *name, const char *unit)
{
    assert(t->count < TIMELINE_TRACKS_MAX);
    struct track *track = &t->tracks[t->count];
    *track = (struct track){.name = json_text(name), .unit = unit ? json_text(unit) : NULL};
    if (!track->name || (unit && !track->unit)) {
        free(track->name);
        free(track->unit);
        *track = (struct track){0};
        return DRAWING_EMEMORY;
    }
    if (t->count == t->state.count)
        t->state.tracks[t->state.count++] = (struct timeline_track){0};
    return t->count++;
}

int timeline_add_counter(struct timeline *t, const char *name, const char *unit)
{
    return add_track(t, name, unit);
}

int timeline_add_slices(struct timeline *t, const char *name)
{
    bool is_new = t->count == t->state.count;
    int track = add_track(t, name, NULL);
    if (track >= 0 && is_new)
        put(t, 0,
            "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": %d, \"args\": {\"name\": %s}}",
            track + 1, t->tracks[track].name);
    return track;
}

/* --- events ---------------------------------------------------------------------------------------------- */

static void write_count(struct timeline *t, int number, uint64_t at_ps, uint64_t value)
{
    struct timeline_track *track = &t->state.tracks[number];
    put(t, at_ps,
        "{\"ph\": \"C\", \"name\": %s, \"pid\": 1, \"ts\": " MICROSECONDS ", \"args\": {%s: %" PRIu64 "}}",
        t->tracks[number].name, AS_MICROSECONDS(at_ps), t->tracks[number].unit, value);
    track->written = value;
    track->written_ps = at_ps;
    track->is_begun = true;
}

/* Write the pending value, which holds until `until_ps`: no other came at its time. */
static void settle(struct timeline *t, int number, uint64_t until_ps)
{
    struct timeline_track *track = &t->state.tracks[number];
    uint64_t begin = t->options.begin_ps, at_ps = track->at_ps < begin ? begin : track->at_ps;
    if (!track->is_pending || until_ps <= begin || at_ps >= t->options.end_ps)
        return;
    if (!track->is_begun || track->value != track->written)
        write_count(t, number, at_ps, track->value);
    track->is_pending = false;
}

void timeline_count(struct timeline *t, int number, uint64_t at_ps, uint64_t value)
{
    struct timeline_track *track = &t->state.tracks[number];
    assert(number >= 0 && number < t->count && t->tracks[number].unit && at_ps >= track->at_ps);
    if (at_ps > track->at_ps)
        settle(t, number, at_ps);
    track->at_ps = at_ps;
    track->value = value;
    track->is_pending = true;
}

void timeline_slice(struct timeline *t, int number, uint64_t begin_ps, uint64_t end_ps, const char *what)
{
    uint64_t begin = begin_ps > t->options.begin_ps ? begin_ps : t->options.begin_ps;
    uint64_t end = end_ps < t->options.end_ps ? end_ps : t->options.end_ps;
    assert(number >= 0 && number < t->count && end_ps >= begin_ps);
    if (begin >= end)
        return;
    if (t->state.is_cut) {
        t->state.report.missing++;
        return;
    }
    char *name = json_text(what);
    put(t, begin,
        "{\"ph\": \"X\", \"name\": %s, \"pid\": 1, \"tid\": %d, \"ts\": " MICROSECONDS
        ", \"dur\": " MICROSECONDS "}",
        name ? name : "\"?\"", number + 1, AS_MICROSECONDS(begin), AS_MICROSECONDS(end - begin));
    free(name);
}

/* --- the end --------------------------------------------------------------------------------------------- */

/* Write a last event for every counter: viewers draw a counter up to its last event only. */
static void end_counters(struct timeline *t, uint64_t end_ps)
{
    uint64_t end = end_ps < t->options.end_ps ? end_ps : t->options.end_ps;
    for (int i = 0; i < t->count; i++) {
        const struct timeline_track *track = &t->state.tracks[i];
        if (!t->tracks[i].unit)
            continue;
        settle(t, i, end_ps);
        if (track->is_begun && end > track->written_ps)
            write_count(t, i, end, track->written);
    }
}

/* Write at most END_MAX bytes, which put() has kept free. */
static void write_end(struct timeline *t)
{
    struct drawing_report *r = &t->state.report;
    uint64_t window_end = r->end_ps < t->options.end_ps && !r->is_beyond ? r->end_ps : t->options.end_ps;
    int written = 0;
    if (t->state.is_cut)
        written += fprintf(
            t->out,
            "%s\n{\"ph\": \"i\", \"s\": \"g\", \"name\": \"timeline cut here: it reached its cap of %" PRIu64
            " bytes\", \"pid\": 1, \"tid\": 0, \"ts\": " MICROSECONDS "}",
            t->state.is_first ? "" : ",", t->options.bytes_max, AS_MICROSECONDS(r->cut_ps));
    written +=
        fprintf(t->out,
                "\n], \"displayTimeUnit\": \"ns\", \"otherData\": {\"cut\": %s, \"events_missing\": %" PRIu64
                ", \"bytes_max\": %" PRIu64 ", \"window_begin_us\": " MICROSECONDS
                ", \"window_end_us\": " MICROSECONDS,
                t->state.is_cut ? "true" : "false", r->missing, t->options.bytes_max,
                AS_MICROSECONDS(t->options.begin_ps), AS_MICROSECONDS(window_end));
    if (r->is_beyond)
        written +=
            fprintf(t->out, ", \"beyond\": true, \"end_us\": " MICROSECONDS, AS_MICROSECONDS(r->end_ps));
    if (t->state.is_cut)
        written += fprintf(t->out, ", \"cut_us\": " MICROSECONDS, AS_MICROSECONDS(r->cut_ps));
    written += fprintf(t->out, "}}\n");
    r->bytes += (uint64_t)written;
}

int timeline_close(struct timeline *t, uint64_t end_ps, struct drawing_report *report)
{
    t->state.report.end_ps = end_ps;
    t->state.report.is_beyond = t->options.begin_ps > 0 && t->options.begin_ps >= end_ps;
    end_counters(t, end_ps);
    write_end(t);
    int status = fflush(t->out) != 0 || ferror(t->out) ? DRAWING_EWRITE
                 : t->state.is_cut                     ? DRAWING_CUT
                                                       : DRAWING_WHOLE;
    if (report)
        *report = t->state.report;
    destroy(t);
    return status;
}
