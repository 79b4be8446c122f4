#include "traces/directive/directive.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/array.h"
#include "base/words.h"
#include "base/file/whole_file.h"
#include "traces/statistics/quantile.h"

static const double QUANTILE_ERROR = 0.01, QUANTILE_ERROR_LEAST = 0.0001, QUANTILE_ERROR_MOST = 0.25;
static const double SECONDS_MOST = 1e9;

#define WHOLE_MOST 9007199254740992.0 /* 2^53; a double cannot represent every larger whole number */

enum { TEXT_MAX = 8 << 20, NUMBER_MAX = 40, FOUND_MAX = 40 };

struct parser {
    struct words w;
    const struct catalogue *catalogue;
    uint64_t bins; /* of all directives so far */
    struct directives *list;
    size_t room;
};

/* --- tokens ---------------------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t digits_at(const char *text, const char *end)
{
    size_t count = 0;
    while (text + count < end && isdigit((unsigned char)text[count]))
        count++;
    return count;
}

/* A number, a word of letters, digits and '_', or a mark: ".." or one character. "0..130" is a number, a mark and a
 * number; "1es" a number and a word. */
static size_t token_bytes(const char *text, const char *end)
{
    size_t length = digits_at(text, end), more;
    if (length == 0 && !is_word_byte(*text))
        return text + 1 < end && text[0] == '.' && text[1] == '.' ? 2 : 1;
    if (length == 0) {
        while (text + length < end && is_word_byte(text[length]))
            length++;
        return length;
    }
    if (text + length < end && text[length] == '.' && (more = digits_at(text + length + 1, end)) > 0)
        length += 1 + more;
    if (text + length < end && (text[length] == 'e' || text[length] == 'E')) {
        size_t sign = text + length + 1 < end && (text[length + 1] == '+' || text[length + 1] == '-');
        if ((more = digits_at(text + length + 1 + sign, end)) > 0)
            length += 1 + sign + more;
    }
    return length;
}

static bool is_number(struct word token)
{
    return token.text && isdigit((unsigned char)*token.text);
}

/* --- refusing -------------------------------------------------------------------------------------------- */

/* Say that a token was found and something else was expected; `nearest` may be NULL. */
static void refuse_for(struct parser *p, struct word token, const char *expected, const char *nearest)
{
    char found[FOUND_MAX + 16] = "the end of the line";
    if (token.text && !isprint((unsigned char)*token.text))
        snprintf(found, sizeof found, "byte 0x%02X", (unsigned)(unsigned char)*token.text);
    else if (token.text)
        snprintf(found, sizeof found, "'%.*s'%s", (int)(token.length < FOUND_MAX ? token.length : FOUND_MAX),
                 token.text, token.length > FOUND_MAX ? "..." : "");
    words_refuse(&p->w, token.text, "found %s, expected %s%s%s%s", found, expected,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void refuse(struct parser *p, struct word token, const char *expected)
{
    refuse_for(p, token, expected, NULL);
}

/* --- taking ---------------------------------------------------------------------------------------------- */

static struct word peek(const struct parser *p)
{
    return words_peek(&p->w);
}

static bool take(struct parser *p, const char *text)
{
    return words_take(&p->w, text);
}

static void demand(struct parser *p, const char *text, const char *expected)
{
    if (!take(p, text))
        refuse(p, peek(p), expected);
}

static double take_number(struct parser *p, const char *expected)
{
    struct word token = peek(p);
    double number = 0;
    if (is_number(token) && token.length <= NUMBER_MAX && word_number(token, NULL, &number))
        words_next(&p->w);
    else
        refuse(p, token, expected);
    return number;
}

static uint64_t take_whole(struct parser *p, double least, const char *expected)
{
    struct word token = peek(p);
    double number = take_number(p, expected);
    bool fits = number == floor(number) && number >= least && number <= WHOLE_MOST;
    if (!fits)
        refuse(p, token, expected);
    return fits ? (uint64_t)number : 0;
}

static bool has_member(uint64_t set, size_t i)
{
    return (set >> i & 1) != 0;
}

/* Take one of the names whose numbers are in a set; otherwise they are listed, with "..." for what has no room.
 * @param what  they are: "a tap that offers rate" */
static unsigned take_name_of(struct parser *p, struct names names, uint64_t set, const char *what)
{
    struct word token = peek(p);
    const int found = names_find(names, token);
    struct nearest nearest = {.wanted = token.text ? token.text : "", .length = token.length};
    char text[512];
    int length = snprintf(text, sizeof text, "%.200s (", what), begin = length;
    bool is_full = false;
    assert(names.count <= CATALOGUE_NAMES_MAX);
    if (found >= 0 && has_member(set, (size_t)found)) {
        words_next(&p->w);
        return (unsigned)found;
    }
    for (size_t i = 0; i < names.count; i++) {
        if (!has_member(set, i))
            continue;
        const char *name = names_at(names, i);
        nearest_look_at(&nearest, name);
        if (is_full)
            continue;
        is_full = (size_t)length + strlen(name) + sizeof ", , ...)" > sizeof text;
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%s", length > begin ? ", " : "",
                           is_full ? "..." : name);
    }
    strcat(text, ")");
    refuse_for(p, token, text, found < 0 ? nearest.name : NULL);
    return 0;
}

/* --- metric and taps ------------------------------------------------------------------------------------- */

/* Which taps are allowed: those that offer a metric, those that can end a span, or all. */
enum { ANY_TAP = -1, SPAN_END = -2 };

/* @param metric  one that the tap has to offer, ANY_TAP or SPAN_END */
static unsigned take_tap(struct parser *p, int metric)
{
    const struct catalogue *c = p->catalogue;
    char what[80] = "a tap";
    uint64_t set = 0;
    assert(c->tap_count <= CATALOGUE_NAMES_MAX);
    if (metric == SPAN_END)
        strcpy(what, "a tap that ends a span");
    else if (metric >= 0)
        snprintf(what, sizeof what, "a tap that offers %s", c->metrics[metric].name);
    for (size_t i = 0; i < c->tap_count; i++) {
        const bool fits = metric == SPAN_END ? c->taps[i].has_spans
                                             : metric == ANY_TAP || catalogue_offers(c, i, (size_t)metric);
        set |= (uint64_t)fits << i;
    }
    return take_name_of(p, (struct names){c->taps, sizeof *c->taps, c->tap_count, false}, set, what);
}

static void take_where(struct parser *p, struct directive *d)
{
    const struct metric_spec *metric = &p->catalogue->metrics[d->metric];
    demand(p, "at", "'at' and a tap");
    struct words ahead = p->w; /* "to" may follow the next word */
    words_next(&ahead);
    const bool span = metric->spans && words_take(&ahead, "to");
    d->tap = d->to = take_tap(p, span ? SPAN_END : (int)d->metric);
    struct word to = peek(p);
    if (word_is(to, "to") && !span)
        words_refuse(&p->w, to.text, "found 'to', expected no second tap: %s is measured at one",
                     metric->name);
    if (!take(p, "to"))
        return;
    struct word end = peek(p);
    d->to = take_tap(p, SPAN_END);
    if (d->tap >= d->to)
        refuse(p, end, "a tap further down the pipeline than the span's beginning");
}

/* --- aggregates ------------------------------------------------------------------------------------------ */

static void take_range(struct parser *p, struct word begin, struct bins_spec *bins)
{
    struct word end = peek(p);
    bins->low = bins->count;
    uint64_t high = take_whole(p, 0, "the range's upper end, a whole number");
    demand(p, "/", "'/' and the width of a bin");
    struct word width = peek(p);
    bins->width = take_whole(p, 1, "the width of a bin, a whole number from 1");
    if (high <= bins->low)
        refuse(p, end, "an upper end above the lower one");
    if (p->w.status)
        return;
    if ((high - bins->low) % bins->width != 0)
        refuse(p, width, "a width that divides the range into whole bins");
    bins->count = (high - bins->low) / bins->width;
    if (bins->count > DIRECTIVE_BINS_MAX)
        words_refuse(&p->w, begin.text, "found %llu bins, expected at most %d",
                     (unsigned long long)bins->count, DIRECTIVE_BINS_MAX);
}

/* Count the bins of all measurements, whose memory is bounded. */
static void add_bins(struct parser *p, struct word where, uint64_t bins)
{
    p->bins += bins;
    if (p->bins > DIRECTIVE_BINS_ALL_MAX)
        words_refuse(&p->w, where.text,
                     "found %llu bins of histograms and quantiles in all up to here, expected at most %d",
                     (unsigned long long)p->bins, DIRECTIVE_BINS_ALL_MAX);
}

static void take_histogram(struct parser *p, struct directive *d)
{
    static const char expected[] =
        "the number of bins, 1 to 65536, or a range LOW..HIGH/WIDTH of whole numbers";
    demand(p, "(", "'(' and the number of bins, or a range LOW..HIGH/WIDTH");
    struct word begin = peek(p);
    d->bins = (struct bins_spec){.count = take_whole(p, 0, expected)};
    if (take(p, ".."))
        take_range(p, begin, &d->bins);
    else if (d->bins.count < 1 || d->bins.count > DIRECTIVE_BINS_MAX)
        refuse(p, begin, expected);
    add_bins(p, begin, d->bins.count);
    demand(p, ")", "')'");
}

static void take_one_quantile(struct parser *p, struct directive *d)
{
    struct word token = peek(p);
    if (d->quantile_count == DIRECTIVE_QUANTILES_MAX) {
        refuse(p, token, "at most 16 quantiles");
        return;
    }
    double quantile = take_number(p, "a quantile between 0 and 1, such as 0.5");
    if (quantile > 1)
        refuse(p, token, "a quantile between 0 and 1, such as 0.5");
    for (unsigned i = 0; i < d->quantile_count; i++)
        if (d->quantiles[i] == quantile)
            refuse(p, token, "each quantile once");
    d->quantiles[d->quantile_count++] = quantile;
}

static void take_quantiles(struct parser *p, struct directive *d)
{
    static const char expected[] = "the relative error of a quantile, 0.01 % to 25 %, such as 'within 1 %'";
    struct word begin = peek(p);
    d->quantile_error = QUANTILE_ERROR;
    demand(p, "(", "'(' and quantiles between 0 and 1, such as (0.5, 0.99)");
    do
        take_one_quantile(p, d);
    while (take(p, ","));
    if (take(p, "within")) {
        struct word token = peek(p);
        d->quantile_error = take_number(p, expected) / 100;
        if (!(d->quantile_error >= QUANTILE_ERROR_LEAST && d->quantile_error <= QUANTILE_ERROR_MOST))
            refuse(p, token, expected);
        demand(p, "%", "'%'");
    }
    demand(p, ")", "',' and another quantile, 'within' and its error, or ')'");
    if (p->w.status == 0)
        add_bins(p, begin, quantile_buckets(quantile_bits(d->quantile_error)));
}

static void take_aggregate(struct parser *p, struct directive *d)
{
    const unsigned allowed = p->catalogue->metrics[d->metric].aggregates;
    struct word token = peek(p);
    const unsigned kind =
        1U << take_name_of(p, names_listed(catalogue_aggregates), allowed, "an aggregate of this metric");
    if (kind & d->aggregates)
        refuse(p, token, "each aggregate once");
    d->aggregates |= kind;
    if (kind == AGGREGATE_HISTOGRAM)
        take_histogram(p, d);
    if (kind == AGGREGATE_QUANTILE)
        take_quantiles(p, d);
}

/* --- the frame ------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double seconds;
} time_units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

static const struct names time_unit_names = {time_units, sizeof *time_units, 4, false};

static void refuse_unit(struct parser *p, struct word unit)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "clocks", "elements", "bytes"};
    struct nearest nearest = {.wanted = unit.text ? unit.text : "", .length = unit.length};
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        nearest_look_at(&nearest, units[i]);
    for (size_t i = 0; i < p->catalogue->tap_count; i++)
        nearest_look_at(&nearest, p->catalogue->taps[i].element);
    refuse_for(p, unit, "a unit: s, ms, us, ns, clocks, or elements or bytes 'at' a tap", nearest.name);
}

/* The unit that the frame's elements were given in must be what the tap counts. */
static void take_data_frame(struct parser *p, struct word unit, struct frame_spec *frame)
{
    char expected[256];
    demand(p, "at", "'at' and the tap whose elements or bytes are counted");
    frame->tap = take_tap(p, ANY_TAP);
    const struct tap_spec *tap = &p->catalogue->taps[frame->tap];
    frame->kind = word_is(unit, "bytes") ? FRAME_BYTES : FRAME_ELEMENTS;
    snprintf(expected, sizeof expected, "what is counted at %s (%s%s)", tap->name, tap->element,
             tap->element_bytes > 0 ? ", bytes" : "");
    if (!word_is(unit, "elements") && !word_is(unit, tap->element) &&
        !(frame->kind == FRAME_BYTES && tap->element_bytes > 0))
        refuse(p, unit, expected);
}

/* Frames of time may be those of the run; how many elements come in a run is not known while it runs. */
static bool is_of_time(const struct frame_spec *frame)
{
    return frame->kind == FRAME_SECONDS || frame->kind == FRAME_CLOCKS;
}

static void take_length(struct parser *p, struct frame_spec *frame)
{
    struct word number = peek(p);
    const double amount =
        take_number(p, "'pass', or the length of a frame, such as 1 ms or 65536 words at a tap");
    struct word unit = peek(p);
    const int time = names_find(time_unit_names, unit);
    bool is_element = word_is(unit, "bytes") || word_is(unit, "elements");
    for (size_t i = 0; i < p->catalogue->tap_count; i++)
        is_element = is_element || word_is(unit, p->catalogue->taps[i].element);
    if (time < 0 && !word_is(unit, "clocks") && !is_element)
        refuse_unit(p, unit);
    words_next(&p->w);
    if (time >= 0) {
        *frame = (struct frame_spec){.kind = FRAME_SECONDS, .seconds = amount * time_units[time].seconds};
        if (!(frame->seconds > 0) || frame->seconds > SECONDS_MOST)
            refuse(p, number, "a frame longer than 0, up to 1e9 s");
        return;
    }
    frame->kind = FRAME_CLOCKS;
    if (amount == floor(amount) && amount >= 1 && amount <= WHOLE_MOST)
        frame->amount = (uint64_t)amount;
    else
        refuse(p, number, "a frame of a whole number, 1 or more");
    if (!word_is(unit, "clocks"))
        take_data_frame(p, unit, frame);
}

static void take_frame(struct parser *p, struct frame_spec *frame)
{
    if (!take(p, "pass"))
        take_length(p, frame);
    struct word of = peek(p);
    if (!take(p, "of"))
        return;
    frame->of_run = is_of_time(frame);
    if (!frame->of_run)
        refuse(p, of, "no 'of run' here: only frames of time, such as 100 ms of run, divide a run");
    struct word run = peek(p);
    if (!take(p, "run")) {
        struct nearest search = {.wanted = run.text ? run.text : "", .length = run.length};
        nearest_look_at(&search, "run");
        refuse_for(p, run, "'run', as in 100 ms of run", search.name);
    }
}

/* --- the name -------------------------------------------------------------------------------------------- */

static void take_name(struct parser *p, struct directive *d)
{
    struct word begin = peek(p);
    size_t length = 0;
    do {
        struct word token = words_next(&p->w);
        if (!token.text || !is_word_byte(*token.text) || is_number(token))
            refuse(p, token, "a name: words of letters, digits and '_', with '.' between them");
        if (length + 1 + token.length >= sizeof d->name)
            words_refuse(&p->w, begin.text, "found a longer name, expected at most %zu bytes",
                         sizeof d->name - 1);
        if (p->w.status)
            return;
        if (length > 0)
            d->name[length++] = '.';
        word_copy(token, d->name + length, sizeof d->name - length);
        length += token.length;
    } while (take(p, "."));
}

/* --- a line ---------------------------------------------------------------------------------------------- */

static void take_directive(struct parser *p, struct directive *d)
{
    const struct catalogue *c = p->catalogue;
    d->metric = take_name_of(p, (struct names){c->metrics, sizeof *c->metrics, c->metric_count, false},
                             UINT64_MAX, "a metric");
    take_where(p, d);
    const bool has_aggregates = take(p, ":");
    if (!has_aggregates)
        d->aggregates = AGGREGATE_MEAN;
    else
        do
            take_aggregate(p, d);
        while (take(p, ","));
    const bool has_frame = take(p, "every");
    if (has_frame)
        take_frame(p, &d->frame);
    const bool has_name = take(p, "as");
    if (has_name)
        take_name(p, d);
    else if (d->to == d->tap)
        snprintf(d->name, sizeof d->name, "%.40s.%.40s", c->metrics[d->metric].name, c->taps[d->tap].name);
    else
        snprintf(d->name, sizeof d->name, "%.29s.%.30s_to_%.30s", c->metrics[d->metric].name,
                 c->taps[d->tap].name, c->taps[d->to].name);
    if (peek(p).text)
        refuse(p, peek(p),
               has_name ? "the end of the line"
               : is_of_time(&d->frame) && !d->frame.of_run
                   ? "'of run', 'as' and a name, or the end of the line"
               : has_frame ? "'as' and a name, or the end of the line"
               : d->aggregates != AGGREGATE_MEAN
                   ? "',' and another aggregate, 'every', 'as' or the end of the line"
                   : "':', 'every', 'as' or the end of the line");
}

static void take_line(struct parser *p)
{
    struct directives *list = p->list;
    struct words *w = &p->w;
    if (w->end - w->begin > DIRECTIVE_LINE_MAX)
        words_refuse(w, w->begin + DIRECTIVE_LINE_MAX,
                     "found a line of more than %d bytes, expected one measurement per line",
                     DIRECTIVE_LINE_MAX);
    for (const char *at = w->begin; at < w->end; at++)
        if (iscntrl((unsigned char)*at) && *at != '\t')
            words_refuse(w, at,
                         "found byte 0x%02X, expected a text file of directives; see mercury help measure",
                         (unsigned)(unsigned char)*at);
    words_drop_comment(w);
    if (!peek(p).text)
        return;
    if (list->count == DIRECTIVES_MAX) {
        refuse(p, peek(p), "at most 1000 measurements in a file");
        return;
    }
    array_reserve(&list->items, &p->room, list->count, 1, sizeof *list->items);
    struct directive *d = &list->items[list->count];
    *d = (struct directive){.line = (unsigned)w->line};
    take_directive(p, d);
    list->count += w->status == 0;
}

/* --- names that overlap ---------------------------------------------------------------------------------- */

/* Whether a name is another one's beginning up to a '.', or the same. */
static bool begins(const char *name, const char *longer)
{
    const size_t length = strlen(name);
    return strncmp(name, longer, length) == 0 && (longer[length] == '\0' || longer[length] == '.');
}

/* --- files ----------------------------------------------------------------------------------------------- */

int directives_parse(const char *text, size_t bytes, const char *file, const struct catalogue *catalogue,
                     struct directives *list, struct why *why)
{
    struct parser p = {.w = {.file = file,
                             .tells_column = true,
                             .code = DIRECTIVE_EREFUSED,
                             .why = why,
                             .word_bytes = token_bytes},
                       .catalogue = catalogue,
                       .list = list};
    *list = (struct directives){0};
    size_t mark = bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* the byte order mark */
    words_begin(&p.w, text + mark, bytes - mark);
    while (words_next_line(&p.w))
        take_line(&p);
    int status = p.w.status;
    if (status == 0 && list->count == 0)
        status = why_say(
            why, DIRECTIVE_EREFUSED,
            "%.200s: found no measurement, expected one per line, such as 'occupancy at TAP: mean'", file);
    for (size_t late = 1; late < list->count; late++)
        for (size_t early = 0; early < late && status == 0; early++)
            if (begins(list->items[early].name, list->items[late].name) ||
                begins(list->items[late].name, list->items[early].name))
                status =
                    why_say(why, DIRECTIVE_EREFUSED,
                            "%.200s:%u:1: found the name '%s', which overlaps '%s' of line %u; expected a "
                            "different name for every measurement: give one with 'as NAME'",
                            file, list->items[late].line, list->items[late].name, list->items[early].name,
                            list->items[early].line);
    if (status != 0)
        directives_destroy(list);
    return status;
}

int directives_read(const char *path, const struct catalogue *catalogue, struct directives *list,
                    struct why *why)
{
    auto_free char *text = NULL;
    size_t bytes;
    *list = (struct directives){0};
    int status = whole_file_read(path, TEXT_MAX, &text, &bytes, why);
    if (status == 0)
        status = directives_parse(text, bytes, whole_file_name(path), catalogue, list, why);
    else
        status = status == WHOLE_FILE_EREAD ? DIRECTIVE_EREAD : DIRECTIVE_EREFUSED;
    return status;
}

void directives_destroy(struct directives *list)
{
    free(list->items);
    *list = (struct directives){0};
}
