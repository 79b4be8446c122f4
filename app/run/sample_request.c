#include "app/run/sample_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sim/pass/pass_sample.h"
#include "app/options.inc"

enum { SEED = 1, UNTIL_FIRST = 2 * PASS_STRATUM_LEAST };

enum { WARM_UP = 8192, WARM_UPS_PER_WINDOW = 4, WINDOWS = 100, WINDOW_LEAST = 1024, WINDOW_MOST = 1 << 20 };

#define COUNT_MOST 1e15
#define SEED_MOST  4294967295.0

/* "5%": a fraction above 0, up to 1. @return whether it is one */
static bool read_percent(const char *argument, double *fraction)
{
    struct number percent;
    const char *sign = number_read(argument, NULL, &percent);
    if (!sign || strcmp(sign, "%") != 0 || !(percent.value > 0 && percent.value <= 100))
        return false;
    *fraction = percent.value / 100;
    return true;
}

/* A number, or a part of all. */
static int take_amount(const char *option, const char *argument, double least, const char *expected,
                       struct sample_amount *amount, struct why *why)
{
    struct sample_amount taken = {0};
    if (!read_percent(argument, &taken.part) && command_whole(argument, least, COUNT_MOST, &taken.count) != 0)
        return command_refuse(option, argument, expected, why);
    *amount = taken;
    return 0;
}

static int take_sample(void *data, const char *argument, struct why *why)
{
    return take_amount("--sample", argument, PASS_SAMPLE_LEAST,
                       "2 passes or more, or a part of all, such as 20 or 5%",
                       &((struct sample_request *)data)->passes, why);
}

static int take_database(void *data, const char *argument, struct why *why)
{
    return take_amount(
        "--sample-database", argument, 1,
        "a part of the database, above 0% and up to 100%, or a number of bases, such as 1% or 30M",
        &((struct sample_request *)data)->database, why);
}

static int take_until(void *data, const char *argument, struct why *why)
{
    struct sample_request *r = data;
    return read_percent(argument, &r->until)
               ? 0
               : command_refuse("--until", argument, "a percentage above 0%, up to 100%, such as 2%", why);
}

const struct command_option sample_request_options[] = COMMAND_OPTIONS(SAMPLE_REQUEST_OPTIONS);

bool sample_request_is_made(const struct sample_request *r)
{
    return r->passes.count > 0 || r->passes.part > 0 || r->until > 0;
}

bool sample_request_is_of_database(const struct sample_request *r)
{
    return r->database.count > 0 || r->database.part > 0;
}

int sample_request_check(const struct sample_request *r, struct why *why)
{
    const bool of_passes = sample_request_is_made(r), of_database = sample_request_is_of_database(r);
    const struct {
        bool is_refused;
        const char *line;
    } rows[] = {
        {!of_database && (r->window_bases > 0 || r->warm_up_bases > 0),
         "--sample-window and --sample-warm-up are of windows of the database; they need "
         "--sample-database"},
        {of_database && r->until > 0, "--until draws whole passes; with --sample-database use --sample N"},
        {r->until > 0 && (r->passes.count > 0 || r->passes.part > 0),
         "--sample and --until both say how many passes are drawn: expected one of them"},
        {r->seed > 0 && !of_passes && !of_database,
         "--seed draws a sample; it needs --sample or --until or --sample-database"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is_refused)
            return why_refuse(why, "%s", rows[i].line);
    if (r->window_bases == 0 || r->warm_up_bases <= r->window_bases)
        return 0;
    return why_refuse(why,
                      "--sample-window %llu is shorter than its warm-up of %llu bases; expected a window at "
                      "least as long, at best many times as long",
                      (unsigned long long)r->window_bases, (unsigned long long)r->warm_up_bases);
}

uint64_t sample_request_seed(const struct sample_request *r)
{
    return r->seed > 0 ? r->seed : SEED;
}

size_t sample_request_most(size_t passes)
{
    size_t half = passes - passes / 2;
    return half > UNTIL_FIRST ? half : UNTIL_FIRST < passes ? UNTIL_FIRST : passes;
}

int sample_request_count(const struct sample_request *r, size_t passes, size_t *count, struct why *why)
{
    *count = r->passes.part > 0 ? (size_t)ceil(r->passes.part * (double)passes - 1e-9) : r->passes.count;
    if (r->until > 0)
        *count = UNTIL_FIRST < passes ? UNTIL_FIRST : passes;
    else if (r->passes.part > 0 && *count < PASS_SAMPLE_LEAST)
        *count = PASS_SAMPLE_LEAST < passes ? PASS_SAMPLE_LEAST : passes;
    if (*count > passes)
        return why_refuse(why, "--sample %zu: the run has %zu pass%s", *count, passes,
                          passes == 1 ? "; there is nothing to draw from" : "es; draw fewer");
    return 0;
}

int sample_request_windows(const struct sample_request *r, uint64_t positions, struct sample_windows *windows,
                           struct why *why)
{
    const double all = (double)positions;
    const double bases = r->database.part > 0 ? r->database.part * all : (double)r->database.count;
    struct sample_windows w = {.window_bases = r->window_bases, .warm_up_bases = r->warm_up_bases};
    if (w.warm_up_bases == 0)
        w.warm_up_bases = w.window_bases > 0 && w.window_bases < WARM_UPS_PER_WINDOW * WARM_UP
                              ? w.window_bases / WARM_UPS_PER_WINDOW
                              : WARM_UP;
    if (w.window_bases == 0)
        w.window_bases = (uint64_t)fmax(fmin(bases / WINDOWS, WINDOW_MOST),
                                        (double)WARM_UPS_PER_WINDOW * (double)w.warm_up_bases);
    if (bases > all)
        return why_refuse(why, "--sample-database %.0f: the database has %.0f bases; draw fewer", bases, all);
    w.windows = (size_t)llround(all / (double)w.window_bases);
    if (w.windows < PASS_SAMPLE_LEAST && bases < all)
        return why_refuse(
            why,
            "--sample-database: the database has %.0f bases, fewer than 2 windows of %llu; give a "
            "shorter --sample-window, or leave the option out",
            all, (unsigned long long)w.window_bases);
    w.drawn = (size_t)ceil(bases / all * (double)w.windows - 1e-9);
    if (w.drawn < PASS_SAMPLE_LEAST && w.drawn < w.windows)
        w.drawn = PASS_SAMPLE_LEAST;
    *windows = w;
    return 0;
}

const char *sample_request_text(const struct sample_request *r, char text[64])
{
    text[0] = '\0';
    if (r->until > 0)
        snprintf(text, 64, " --until %.9g%%", 100 * r->until);
    else if (r->passes.part > 0)
        snprintf(text, 64, " --sample %.9g%%", 100 * r->passes.part);
    else if (r->passes.count > 0)
        snprintf(text, 64, " --sample %zu", r->passes.count);
    if (r->seed > 0)
        snprintf(text + strlen(text), 64 - strlen(text), " --seed %llu", (unsigned long long)r->seed);
    return text;
}
