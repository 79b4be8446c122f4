#include "traces/directive/directive_parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "traces/statistics/quantile.h"

static const double QUANTILE_ERROR = 0.01, QUANTILE_ERROR_LEAST = 0.0001, QUANTILE_ERROR_MOST = 0.25;
static const double SECONDS_MOST = 1e9;

/* --- metric and taps ------------------------------------------------------------------------------------- */

static bool refuse_metric(struct directive_parser *p)
{
    struct expected expected;
    struct token *token = &p->token;
    expected_begin(&expected, "a metric (");
    for (size_t i = 0; i < p->catalogue->metric_count; i++)
        expected_add(&expected, p->catalogue->metrics[i].name);
    return parser_refuse(p, token, expected_end(&expected),
                         catalogue_nearest_metric(p->catalogue, token->text, token->length));
}

static bool take_metric(struct directive_parser *p, struct directive *d)
{
    int found = p->token.kind == TOKEN_WORD
                    ? catalogue_find_metric(p->catalogue, p->token.text, p->token.length)
                    : -1;
    if (found < 0)
        return refuse_metric(p);
    d->metric = (unsigned)found;
    parser_advance(p);
    return true;
}

/* Which taps are allowed: those that offer a metric, those that can end a span, or all. */
struct tap_filter {
    int metric; /* < 0 if the tap may offer anything */
    bool span_end;
};

static bool fits(const struct catalogue *catalogue, size_t tap, struct tap_filter filter)
{
    if (filter.span_end)
        return catalogue->taps[tap].has_spans;
    return filter.metric < 0 || catalogue_offers(catalogue, tap, (size_t)filter.metric);
}

static bool refuse_tap(struct directive_parser *p, struct tap_filter filter)
{
    struct expected expected;
    struct token *token = &p->token;
    bool offers = !filter.span_end && filter.metric >= 0;
    expected_begin(&expected, "a tap%s%s%s (", filter.span_end ? " that ends a span" : "",
                   offers ? " that offers " : "", offers ? p->catalogue->metrics[filter.metric].name : "");
    for (size_t i = 0; i < p->catalogue->tap_count; i++)
        if (fits(p->catalogue, i, filter))
            expected_add(&expected, p->catalogue->taps[i].name);
    bool known = catalogue_find_tap(p->catalogue, token->text, token->length) >= 0;
    return parser_refuse(p, token, expected_end(&expected),
                         known ? NULL
                               : catalogue_nearest_tap(p->catalogue, token->text, token->length,
                                                       filter.span_end ? -1 : filter.metric));
}

static bool take_tap(struct directive_parser *p, struct tap_filter filter, unsigned *tap)
{
    int found =
        p->token.kind == TOKEN_WORD ? catalogue_find_tap(p->catalogue, p->token.text, p->token.length) : -1;
    if (found < 0 || !fits(p->catalogue, (size_t)found, filter))
        return refuse_tap(p, filter);
    *tap = (unsigned)found;
    parser_advance(p);
    return true;
}

/* Whether "to" follows the next token. */
static bool is_span(const struct directive_parser *p)
{
    struct token next = parser_second(p);
    return next.kind == TOKEN_WORD && token_is(&next, "to");
}

static bool take_span(struct directive_parser *p, struct directive *d)
{
    struct tap_filter filter = {.metric = -1, .span_end = true};
    if (!take_tap(p, filter, &d->tap))
        return false;
    parser_advance(p);
    struct token end = p->token;
    if (!take_tap(p, filter, &d->to))
        return false;
    if (d->tap >= d->to)
        return parser_refuse(p, &end, "a tap further down the pipeline than the span's beginning", NULL);
    return true;
}

static bool take_where(struct directive_parser *p, struct directive *d)
{
    const struct metric_spec *metric = &p->catalogue->metrics[d->metric];
    if (!parser_demand(p, "at", "'at' and a tap"))
        return false;
    if (metric->spans && is_span(p))
        return take_span(p, d);
    if (!take_tap(p, (struct tap_filter){.metric = (int)d->metric}, &d->tap))
        return false;
    d->to = d->tap;
    if (p->token.kind == TOKEN_WORD && token_is(&p->token, "to"))
        return parser_refuse_at(p, p->token.text, "found 'to', expected no second tap: %s is measured at one",
                                metric->name);
    return true;
}

/* --- aggregates ------------------------------------------------------------------------------------------ */

static bool take_range(struct directive_parser *p, const struct token *begin, struct bins_spec *bins)
{
    uint64_t high = 0;
    bins->low = bins->count;
    struct token end = p->token;
    if (!parser_take_whole(p, 0, WHOLE_MOST, "the range's upper end, a whole number", &high) ||
        !parser_demand(p, "/", "'/' and the width of a bin"))
        return false;
    struct token width = p->token;
    if (!parser_take_whole(p, 1, WHOLE_MOST, "the width of a bin, a whole number from 1", &bins->width))
        return false;
    if (high <= bins->low)
        return parser_refuse(p, &end, "an upper end above the lower one", NULL);
    if ((high - bins->low) % bins->width != 0)
        return parser_refuse(p, &width, "a width that divides the range into whole bins", NULL);
    bins->count = (high - bins->low) / bins->width;
    if (bins->count > DIRECTIVE_BINS_MAX)
        return parser_refuse_at(p, begin->text, "found %llu bins, expected at most %d",
                                (unsigned long long)bins->count, DIRECTIVE_BINS_MAX);
    return true;
}

/* Count the bins of all measurements, whose memory is bounded. */
static bool add_bins(struct directive_parser *p, const struct token *where, uint64_t bins)
{
    p->bins += bins;
    if (p->bins <= DIRECTIVE_BINS_ALL_MAX)
        return true;
    return parser_refuse_at(
        p, where->text, "found %llu bins of histograms and quantiles in all up to here, expected at most %d",
        (unsigned long long)p->bins, DIRECTIVE_BINS_ALL_MAX);
}

static bool take_histogram(struct directive_parser *p, struct directive *d)
{
    static const char expected[] =
        "the number of bins, 1 to 65536, or a range LOW..HIGH/WIDTH of whole numbers";
    if (!parser_demand(p, "(", "'(' and the number of bins, or a range LOW..HIGH/WIDTH"))
        return false;
    struct token begin = p->token;
    d->bins = (struct bins_spec){0};
    if (!parser_take_whole(p, 0, WHOLE_MOST, expected, &d->bins.count))
        return false;
    if (parser_take(p, "..")) {
        if (!take_range(p, &begin, &d->bins))
            return false;
    } else if (d->bins.count < 1 || d->bins.count > DIRECTIVE_BINS_MAX) {
        return parser_refuse(p, &begin, expected, NULL);
    }
    return add_bins(p, &begin, d->bins.count) && parser_demand(p, ")", "')'");
}

static bool take_one_quantile(struct directive_parser *p, struct directive *d)
{
    struct token token = p->token;
    double *quantile = &d->quantiles[d->quantile_count];
    if (d->quantile_count == DIRECTIVE_QUANTILES_MAX)
        return parser_refuse(p, &token, "at most 16 quantiles", NULL);
    if (!parser_take_number(p, "a quantile between 0 and 1, such as 0.5", quantile))
        return false;
    if (*quantile > 1)
        return parser_refuse(p, &token, "a quantile between 0 and 1, such as 0.5", NULL);
    for (unsigned i = 0; i < d->quantile_count; i++)
        if (d->quantiles[i] == *quantile)
            return parser_refuse(p, &token, "each quantile once", NULL);
    d->quantile_count++;
    return true;
}

static bool take_quantile_error(struct directive_parser *p, struct directive *d)
{
    static const char expected[] = "the relative error of a quantile, 0.01 % to 25 %, such as 'within 1 %'";
    struct token token = p->token;
    double percent = 0;
    if (!parser_take_number(p, expected, &percent))
        return false;
    d->quantile_error = percent / 100;
    if (d->quantile_error < QUANTILE_ERROR_LEAST || d->quantile_error > QUANTILE_ERROR_MOST)
        return parser_refuse(p, &token, expected, NULL);
    return parser_demand(p, "%", "'%'");
}

static bool take_quantiles(struct directive_parser *p, struct directive *d)
{
    struct token begin = p->token;
    d->quantile_error = QUANTILE_ERROR;
    if (!parser_demand(p, "(", "'(' and quantiles between 0 and 1, such as (0.5, 0.99)"))
        return false;
    do {
        if (!take_one_quantile(p, d))
            return false;
    } while (parser_take(p, ","));
    if (parser_take(p, "within") && !take_quantile_error(p, d))
        return false;
    return parser_demand(p, ")", "',' and another quantile, 'within' and its error, or ')'") &&
           add_bins(p, &begin, quantile_buckets(quantile_bits(d->quantile_error, 0)));
}

static unsigned aggregate_kind(const struct token *token)
{
    for (unsigned kind = 1; kind < AGGREGATE_ALL; kind <<= 1)
        if (token_is(token, catalogue_aggregate_name(kind)))
            return kind;
    return 0;
}

static bool refuse_aggregate(struct directive_parser *p, unsigned allowed)
{
    struct expected expected;
    struct nearest search = {.wanted = p->token.text, .length = p->token.length};
    expected_begin(&expected, "an aggregate of this metric (");
    for (unsigned kind = 1; kind < AGGREGATE_ALL; kind <<= 1) {
        if ((kind & allowed) == 0)
            continue;
        expected_add(&expected, catalogue_aggregate_name(kind));
        nearest_look_at(&search, catalogue_aggregate_name(kind));
    }
    return parser_refuse(p, &p->token, expected_end(&expected), search.name);
}

static bool take_aggregate(struct directive_parser *p, struct directive *d)
{
    unsigned allowed = p->catalogue->metrics[d->metric].aggregates, kind = aggregate_kind(&p->token);
    if (p->token.kind != TOKEN_WORD || (kind & allowed) == 0)
        return refuse_aggregate(p, allowed);
    if (kind & d->aggregates)
        return parser_refuse(p, &p->token, "each aggregate once", NULL);
    d->aggregates |= kind;
    parser_advance(p);
    if (kind == AGGREGATE_HISTOGRAM)
        return take_histogram(p, d);
    return kind != AGGREGATE_QUANTILE || take_quantiles(p, d);
}

static bool take_aggregates(struct directive_parser *p, struct directive *d)
{
    if (!parser_take(p, ":")) {
        d->aggregates = AGGREGATE_MEAN;
        return true;
    }
    do {
        if (!take_aggregate(p, d))
            return false;
    } while (parser_take(p, ","));
    return true;
}

/* --- the frame ------------------------------------------------------------------------------------------- */

static double seconds_of(const struct token *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        if (token_is(unit, units[i].name))
            return units[i].seconds;
    return 0;
}

static bool set_whole_frame(struct directive_parser *p, const struct token *token, double amount,
                            struct frame_spec *frame)
{
    if (amount != floor(amount) || amount < 1 || amount > WHOLE_MOST)
        return parser_refuse(p, token, "a frame of a whole number, 1 or more", NULL);
    frame->amount = (uint64_t)amount;
    return true;
}

/* The unit that the frame's elements were given in must be what the tap counts. */
static bool take_data_frame(struct directive_parser *p, struct token unit, struct frame_spec *frame)
{
    char expected[256];
    if (!parser_demand(p, "at", "'at' and the tap whose elements or bytes are counted") ||
        !take_tap(p, (struct tap_filter){.metric = -1}, &frame->tap))
        return false;
    const struct tap_spec *tap = &p->catalogue->taps[frame->tap];
    frame->kind = token_is(&unit, "bytes") ? FRAME_BYTES : FRAME_ELEMENTS;
    if (token_is(&unit, "elements") || token_is(&unit, tap->element) ||
        (frame->kind == FRAME_BYTES && tap->element_bytes > 0))
        return true;
    snprintf(expected, sizeof expected, "what is counted at %s (%s%s)", tap->name, tap->element,
             tap->element_bytes > 0 ? ", bytes" : "");
    return parser_refuse(p, &unit, expected, NULL);
}

static bool is_element(const struct directive_parser *p, const struct token *unit)
{
    for (size_t i = 0; i < p->catalogue->tap_count; i++)
        if (token_is(unit, p->catalogue->taps[i].element))
            return true;
    return token_is(unit, "bytes") || token_is(unit, "elements");
}

static bool refuse_unit(struct directive_parser *p, const struct token *unit)
{
    struct nearest search = {.wanted = unit->text, .length = unit->length};
    static const char *const units[] = {"s", "ms", "us", "ns", "clocks", "elements", "bytes"};
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        nearest_look_at(&search, units[i]);
    for (size_t i = 0; i < p->catalogue->tap_count; i++)
        nearest_look_at(&search, p->catalogue->taps[i].element);
    return parser_refuse(p, unit, "a unit: s, ms, us, ns, clocks, or elements or bytes 'at' a tap",
                         search.name);
}

/* Whether a frame is one of time that is not of the run yet. */
static bool can_be_of_run(const struct frame_spec *frame)
{
    return (frame->kind == FRAME_SECONDS || frame->kind == FRAME_CLOCKS) && !frame->of_run;
}

/* Only the time of a run is known while it runs, not how many elements come. */
static bool refuse_run(struct directive_parser *p)
{
    struct token of = p->token;
    if (of.kind != TOKEN_WORD || !token_is(&of, "of"))
        return true;
    return parser_refuse(p, &of, "no 'of run' here: only frames of time, such as 100 ms of run, divide a run",
                         NULL);
}

/* Take the words that make a frame of time one of the run. */
static bool take_run(struct directive_parser *p, struct frame_spec *frame)
{
    frame->of_run = parser_take(p, "of");
    if (!frame->of_run || parser_take(p, "run"))
        return true;
    struct nearest search = {.wanted = p->token.text, .length = p->token.length};
    nearest_look_at(&search, "run");
    return parser_refuse(p, &p->token, "'run', as in 100 ms of run", search.name);
}

static bool take_frame(struct directive_parser *p, struct directive *d)
{
    if (parser_take(p, "pass"))
        return refuse_run(p);
    struct token number = p->token;
    double amount = 0;
    if (!parser_take_number(p, "'pass', or the length of a frame, such as 1 ms or 65536 words at a tap",
                            &amount))
        return false;
    struct token unit = p->token;
    if (unit.kind == TOKEN_WORD && seconds_of(&unit) > 0) {
        double seconds = amount * seconds_of(&unit);
        if (!(seconds > 0) || seconds > SECONDS_MOST)
            return parser_refuse(p, &number, "a frame longer than 0, up to 1e9 s", NULL);
        d->frame = (struct frame_spec){.kind = FRAME_SECONDS, .seconds = seconds};
        parser_advance(p);
        return take_run(p, &d->frame);
    }
    if (unit.kind == TOKEN_WORD && token_is(&unit, "clocks")) {
        d->frame.kind = FRAME_CLOCKS;
        parser_advance(p);
        return set_whole_frame(p, &number, amount, &d->frame) && take_run(p, &d->frame);
    }
    if (unit.kind != TOKEN_WORD || !is_element(p, &unit))
        return refuse_unit(p, &unit);
    parser_advance(p);
    return set_whole_frame(p, &number, amount, &d->frame) && take_data_frame(p, unit, &d->frame) &&
           refuse_run(p);
}

/* --- the name -------------------------------------------------------------------------------------------- */

static bool take_name(struct directive_parser *p, struct directive *d)
{
    struct token begin = p->token;
    size_t length = 0;
    do {
        if (p->token.kind != TOKEN_WORD)
            return parser_refuse(p, &p->token,
                                 "a name: words of letters, digits and '_', with '.' between them", NULL);
        if (length + 1 + p->token.length >= sizeof d->name)
            return parser_refuse_at(p, begin.text, "found a longer name, expected at most %zu bytes",
                                    sizeof d->name - 1);
        if (length > 0)
            d->name[length++] = '.';
        memcpy(d->name + length, p->token.text, p->token.length);
        length += p->token.length;
        parser_advance(p);
    } while (parser_take(p, "."));
    d->name[length] = '\0';
    return true;
}

static void derive_name(const struct catalogue *catalogue, struct directive *d)
{
    const char *metric = catalogue->metrics[d->metric].name, *tap = catalogue->taps[d->tap].name;
    if (d->to == d->tap)
        snprintf(d->name, sizeof d->name, "%.40s.%.40s", metric, tap);
    else
        snprintf(d->name, sizeof d->name, "%.29s.%.30s_to_%.30s", metric, tap, catalogue->taps[d->to].name);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

bool directive_take(struct directive_parser *p, struct directive *d)
{
    if (!take_metric(p, d) || !take_where(p, d) || !take_aggregates(p, d))
        return false;
    bool has_aggregates = d->aggregates != AGGREGATE_MEAN, has_frame = parser_take(p, "every");
    if (has_frame && !take_frame(p, d))
        return false;
    bool has_name = parser_take(p, "as");
    if (has_name && !take_name(p, d))
        return false;
    if (!has_name)
        derive_name(p->catalogue, d);
    if (p->token.kind == TOKEN_END)
        return true;
    return parser_refuse(p, &p->token,
                         has_name                   ? "the end of the line"
                         : can_be_of_run(&d->frame) ? "'of run', 'as' and a name, or the end of the line"
                         : has_frame                ? "'as' and a name, or the end of the line"
                         : has_aggregates ? "',' and another aggregate, 'every', 'as' or the end of the line"
                                          : "':', 'every', 'as' or the end of the line",
                         NULL);
}
