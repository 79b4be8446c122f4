#include "traces/drawing/vcd.h"
#include "base/memory.h"
#include "base/file/file_io.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* Bytes of a change at most: "b", 64 digits, a space, an identifier, a newline; of a time; and of all that can follow
 * the changes. */
enum { CHANGE_MAX = 68, TIME_MAX = 24, END_MAX = 400 };

struct vcd_signal {
    uint64_t value;
    unsigned bits;
};

struct vcd {
    FILE *out;
    struct vcd_options options;
    struct drawing_report report;
    bool is_begun; /* the values at the window's begin are written */
    bool is_cut;
    struct vcd_signal signals[VCD_SIGNALS_MAX];
    unsigned count;
    /* The changes of one time, which are written together. */
    uint64_t step_ps, step_changes;
    size_t step_bytes;
    char step[TIME_MAX + VCD_SIGNALS_MAX * CHANGE_MAX + 32];
};

/* --- definitions ----------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put(struct vcd *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(v->out, format, arguments);
    va_end(arguments);
    v->report.bytes += written > 0 ? (uint64_t)written : 0;
}

struct vcd *vcd_open(FILE *out, const struct vcd_options *options)
{
    struct vcd *v = memory_new(1, sizeof *v);
    assert(options->bytes_max >= DRAWING_BYTES_LEAST);
    v->out = out;
    v->options = *options;
    put(v, "$version Mercury $end\n$comment\n%s$end\n$timescale 1 ps $end\n", options->comment);
    return v;
}

void vcd_begin_scope(struct vcd *v, const char *name)
{
    put(v, "$scope module %s $end\n", name);
}

void vcd_end_scope(struct vcd *v)
{
    put(v, "$upscope $end\n");
}

static char identifier(unsigned signal)
{
    return (char)('!' + signal);
}

unsigned vcd_add_signal(struct vcd *v, const char *name, unsigned bits)
{
    assert(v->count < VCD_SIGNALS_MAX && bits >= 1 && bits <= 64 && !v->is_begun);
    v->signals[v->count].bits = bits;
    put(v, "$var wire %u %c %s", bits, identifier(v->count), name);
    if (bits > 1)
        put(v, " [%u:0]", bits - 1);
    put(v, " $end\n");
    return v->count++;
}

/* --- changes --------------------------------------------------------------------------------------------- */

static void add_to_step(struct vcd *v, unsigned number)
{
    const struct vcd_signal *signal = &v->signals[number];
    char *to = v->step + v->step_bytes;
    size_t length = 0;
    if (signal->bits > 1)
        to[length++] = 'b';
    for (unsigned left = signal->value ? 64 - (unsigned)__builtin_clzll(signal->value) : 1; left-- > 0;)
        to[length++] = (char)('0' + (signal->value >> left & 1)); /* without leading zeros */
    if (signal->bits > 1)
        to[length++] = ' ';
    to[length++] = identifier(number);
    to[length++] = '\n';
    v->step_bytes += length;
    v->step_changes++;
}

/* Write the changes of a time, all or none. */
static void end_step(struct vcd *v)
{
    if (v->step_changes == 0)
        return;
    if (!v->is_cut && v->report.bytes + v->step_bytes + END_MAX > v->options.bytes_max) {
        v->is_cut = true;
        v->report.cut_ps = v->step_ps;
    }
    if (v->is_cut) {
        v->report.missing += v->step_changes;
    } else {
        v->report.bytes += fwrite(v->step, 1, v->step_bytes, v->out);
        v->report.events += v->step_changes;
    }
    v->step_changes = v->step_bytes = 0;
}

static void begin_step(struct vcd *v, uint64_t at_ps)
{
    v->step_ps = at_ps;
    v->step_bytes = (size_t)snprintf(v->step, TIME_MAX, "#%" PRIu64 "\n", at_ps);
}

/* The values of all signals at the window's begin. */
static void begin_values(struct vcd *v)
{
    v->is_begun = true;
    put(v, "$enddefinitions $end\n");
    begin_step(v, v->options.begin_ps);
    v->step_bytes += (size_t)sprintf(v->step + v->step_bytes, "$dumpvars\n");
    for (unsigned i = 0; i < v->count; i++)
        add_to_step(v, i);
    v->step_bytes += (size_t)sprintf(v->step + v->step_bytes, "$end\n");
    end_step(v);
}

void vcd_change(struct vcd *v, unsigned number, uint64_t at_ps, uint64_t value)
{
    struct vcd_signal *signal = &v->signals[number];
    assert(number < v->count && (signal->bits == 64 || value >> signal->bits == 0));
    if (value == signal->value || at_ps >= v->options.end_ps)
        return;
    if (at_ps <= v->options.begin_ps) {
        assert(!v->is_begun);
        signal->value = value;
        return;
    }
    if (!v->is_begun)
        begin_values(v);
    if (v->step_changes > 0 && at_ps != v->step_ps) {
        assert(at_ps > v->step_ps);
        end_step(v);
    }
    if (v->step_changes == 0)
        begin_step(v, at_ps);
    signal->value = value;
    add_to_step(v, number);
}

/* --- the end --------------------------------------------------------------------------------------------- */

int vcd_close(struct vcd *v, uint64_t end_ps, struct drawing_report *report)
{
    v->report.end_ps = end_ps;
    v->report.is_beyond = v->options.begin_ps > 0 && v->options.begin_ps >= end_ps;
    end_step(v);
    if (!v->is_begun && !v->report.is_beyond)
        begin_values(v);
    else if (!v->is_begun)
        put(v, "$enddefinitions $end\n");
    /* What follows are at most END_MAX bytes, which end_step() has kept free. */
    uint64_t end = v->is_cut ? v->report.cut_ps : end_ps < v->options.end_ps ? end_ps : v->options.end_ps;
    if (v->is_cut)
        put(v,
            "$comment the waveforms end here: the file reached its cap of %" PRIu64 " bytes, and %" PRIu64
            " changes are missing $end\n",
            v->options.bytes_max, v->report.missing);
    if (v->report.is_beyond)
        put(v, "$comment the waveforms are empty: what is drawn ends at %" PRIu64 " ps $end\n", end_ps);
    else if (end > v->options.begin_ps)
        put(v, "#%" PRIu64 "\n", end);
    int status = !file_io_flush(v->out) ? DRAWING_EWRITE : v->is_cut ? DRAWING_CUT : DRAWING_WHOLE;
    if (report)
        *report = v->report;
    free(v);
    return status;
}
