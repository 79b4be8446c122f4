#include "traces/drawing/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/number.h"

/* Bytes of a text as JSON, of an event without its arguments, of an argument, and of the end of the file, at most. */
enum {
    TEXT_MAX = 6 * TIMELINE_LABEL_MAX + 3,
    EVENT_MAX = 2 * TEXT_MAX + 400,
    ARGUMENT_MAX = 2 * TEXT_MAX + 40,
    FACTS_MAX = 300,
    END_MAX = 700 + FACTS_MAX
};

struct track {
    int process;
    char *name;                 /* as a JSON string */
    const char *unit;           /* a track without a unit has slices */
    double value, written;      /* of a counter: not yet written, and in the file */
    uint64_t at_ps, written_ps; /* since when the counter has these values */
    bool is_pending, is_begun, is_ended;
};

struct timeline {
    FILE *out;
    uint64_t bytes_max, begin_ps, end_ps; /* the cap, and the window */
    struct drawing_report report;
    bool is_cut, is_first;
    char facts[FACTS_MAX]; /* as JSON, for the end of the file */
    int processes, count;  /* number of processes, and of tracks */
    struct track tracks[TIMELINE_TRACKS_MAX];
};

/* --- text ------------------------------------------------------------------------------------------------ */

static char *json_text(const char *text)
{
    char cut[TIMELINE_LABEL_MAX + 1];
    snprintf(cut, sizeof cut, "%s", text);
    json_auto_t *string = json_string(cut);
    for (char *c = cut; !string && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    if (!string)
        string = json_string(cut);
    return json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* An event as JSON, after the comma and the line's end that part it from the event before. Most of a file's events are
 * slices and values of counters, millions of them: they are put together without printf(). */
struct line {
    char text[2 + EVENT_MAX + TIMELINE_ARGUMENTS_MAX * ARGUMENT_MAX], *end;
};

static void begin_line(struct line *line)
{
    line->text[0] = ',';
    line->text[1] = '\n';
    line->end = line->text + 2;
}

static void add_bytes(struct line *line, const char *bytes, size_t count)
{
    memcpy(line->end, bytes, count);
    line->end += count;
}

static void add_text(struct line *line, const char *text)
{
    add_bytes(line, text, strlen(text));
}

static void add_whole(struct line *line, uint64_t value)
{
    line->end = number_put_whole(line->end, value);
}

static void add_microseconds(struct line *line, uint64_t ps)
{
    char decimals[7] = ".";
    uint64_t left = ps % 1000000;
    for (unsigned i = 6; i > 0; i--, left /= 10)
        decimals[i] = (char)('0' + left % 10);
    add_whole(line, ps / 1000000);
    add_bytes(line, decimals, sizeof decimals);
}

static void add_number(struct line *line, double number, int digits)
{
    if (number >= 0 && number < 1e12 && number == (double)(uint64_t)number)
        add_whole(line, (uint64_t)number);
    else
        line->end += sprintf(line->end, "%.*g", digits, number);
}

/* Add a text as JSON: as it is between quotes, unless a byte of it must be escaped. */
static void add_json_text(struct line *line, const char *text)
{
    size_t length = 0;
    while (length < TIMELINE_LABEL_MAX && text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
           text[length] != '\\')
        length++;
    if (length == TIMELINE_LABEL_MAX || !text[length]) {
        *line->end++ = '"';
        add_bytes(line, text, length);
        *line->end++ = '"';
        return;
    }
    auto_free char *json = json_text(text);
    add_text(line, json ? json : "\"?\"");
}

/* Write an event. The first that does not fit under the cap ends the writing. */
static void put_line(struct timeline *t, uint64_t at_ps, const struct line *line)
{
    size_t bytes = (size_t)(line->end - line->text), begin = t->is_first ? 1 : 0;
    assert(bytes <= sizeof line->text);
    if (t->is_cut) {
        t->report.missing++;
    } else if (t->report.bytes + bytes + END_MAX > t->bytes_max) {
        t->is_cut = true;
        t->report.missing = 1;
        t->report.cut_ps = at_ps;
    } else {
        t->report.bytes += fwrite(line->text + begin, 1, bytes - begin, t->out);
        t->report.events++;
        t->is_first = false;
    }
}

/* Write what names a process or a track. */
__attribute__((format(printf, 2, 3))) static void put_name(struct timeline *t, const char *format, ...)
{
    struct line line;
    va_list arguments;
    begin_line(&line);
    va_start(arguments, format);
    line.end += vsnprintf(line.end, EVENT_MAX, format, arguments);
    va_end(arguments);
    put_line(t, 0, &line);
}

#define MICROSECONDS        "%" PRIu64 ".%06" PRIu64
#define AS_MICROSECONDS(ps) (ps) / 1000000, (ps) % 1000000

/* --- tracks ---------------------------------------------------------------------------------------------- */

struct timeline *timeline_open(FILE *out, uint64_t bytes_max)
{
    struct timeline *t = memory_new(1, sizeof *t);
    assert(bytes_max >= DRAWING_BYTES_LEAST);
    *t = (struct timeline){.out = out, .bytes_max = bytes_max, .end_ps = UINT64_MAX, .is_first = true};
    t->report.bytes = (uint64_t)fprintf(out, "{\"traceEvents\": [");
    return t;
}

static char *name_text(const char *format, va_list arguments)
{
    char name[TIMELINE_LABEL_MAX + 1];
    vsnprintf(name, sizeof name, format, arguments);
    return json_text(name);
}

int timeline_add_process(struct timeline *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    auto_free char *text = name_text(format, arguments);
    va_end(arguments);
    t->processes++;
    put_name(t,
             "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"tid\": 0, \"args\": {\"name\": %s}}",
             t->processes, text);
    return t->processes;
}

int timeline_add_track(struct timeline *t, int process, const char *unit, const char *format, ...)
{
    va_list arguments;
    assert(t->count < TIMELINE_TRACKS_MAX && process >= 1 && process <= t->processes);
    struct track *track = &t->tracks[t->count++];
    va_start(arguments, format);
    *track = (struct track){.process = process, .name = name_text(format, arguments), .unit = unit};
    va_end(arguments);
    if (!unit)
        put_name(
            t,
            "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %d, \"tid\": %d, \"args\": {\"name\": %s}}",
            process, t->count, track->name);
    return t->count - 1;
}

/* --- events ---------------------------------------------------------------------------------------------- */

static void write_count(struct timeline *t, int number, uint64_t at_ps, double value)
{
    struct track *track = &t->tracks[number];
    struct line line;
    begin_line(&line);
    add_text(&line, "{\"ph\": \"C\", \"name\": ");
    add_text(&line, track->name);
    add_text(&line, ", \"pid\": ");
    add_whole(&line, (uint64_t)track->process);
    add_text(&line, ", \"ts\": ");
    add_microseconds(&line, at_ps);
    add_text(&line, ", \"args\": {");
    add_json_text(&line, track->unit);
    add_text(&line, ": ");
    add_number(&line, value, TIMELINE_DIGITS);
    add_text(&line, "}}");
    put_line(t, at_ps, &line);
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

void timeline_count(struct timeline *t, int number, uint64_t at_ps, double value)
{
    struct track *track = &t->tracks[number];
    assert(number >= 0 && number < t->count && t->tracks[number].unit && at_ps >= track->at_ps);
    if (at_ps > track->at_ps)
        settle(t, number, at_ps);
    track->at_ps = at_ps;
    track->value = value;
    track->is_pending = true;
}

void timeline_slice_with(struct timeline *t, int number, uint64_t begin_ps, uint64_t end_ps, const char *what,
                         const struct timeline_argument *arguments, unsigned count)
{
    uint64_t begin = begin_ps > t->begin_ps ? begin_ps : t->begin_ps;
    uint64_t end = end_ps < t->end_ps ? end_ps : t->end_ps;
    struct line line;
    assert(number >= 0 && number < t->count && end_ps >= begin_ps && count <= TIMELINE_ARGUMENTS_MAX);
    if (begin >= end)
        return;
    begin_line(&line);
    add_text(&line, "{\"ph\": \"X\", \"name\": ");
    add_json_text(&line, what);
    add_text(&line, ", \"pid\": ");
    add_whole(&line, (uint64_t)t->tracks[number].process);
    add_text(&line, ", \"tid\": ");
    add_whole(&line, (uint64_t)number + 1);
    add_text(&line, ", \"ts\": ");
    add_microseconds(&line, begin);
    add_text(&line, ", \"dur\": ");
    add_microseconds(&line, end - begin);
    for (unsigned i = 0; i < count; i++) {
        add_text(&line, i ? ", " : ", \"args\": {");
        add_json_text(&line, arguments[i].name);
        add_text(&line, ": ");
        if (arguments[i].text)
            add_json_text(&line, arguments[i].text);
        else
            add_number(&line, arguments[i].number, 12);
    }
    add_text(&line, count > 0 ? "}}" : "}");
    put_line(t, begin, &line);
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

void timeline_add_fact(struct timeline *t, const char *name, double number)
{
    size_t length = strlen(t->facts);
    int added = snprintf(t->facts + length, sizeof t->facts - length, ", \"%s\": %.12g", name, number);
    assert(added > 0 && length + (size_t)added < sizeof t->facts);
}

void timeline_begin_window(struct timeline *t, uint64_t begin_ps, uint64_t end_ps, uint64_t counters_end_ps)
{
    end_counters(t, counters_end_ps);
    t->begin_ps = begin_ps;
    t->end_ps = end_ps;
}

int timeline_close(struct timeline *t, uint64_t end_ps, struct drawing_report *report)
{
    struct drawing_report *r = &t->report;
    r->missing += report ? report->missing : 0;
    r->end_ps = end_ps;
    r->is_beyond = t->begin_ps > 0 && t->begin_ps >= end_ps;
    end_counters(t, end_ps);
    /* What follows are at most END_MAX bytes, which put_line() has kept free. */
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
    written += fprintf(t->out, "%s}}\n", t->facts);
    r->bytes += (uint64_t)written;
    int status = !file_io_flush(t->out) ? DRAWING_EWRITE : t->is_cut ? DRAWING_CUT : DRAWING_WHOLE;
    if (report)
        *report = *r;
    for (int i = 0; i < t->count; i++)
        free(t->tracks[i].name);
    free(t);
    return status;
}
