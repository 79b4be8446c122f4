#include "app/run/sample_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/pass/pass_sample.h"

enum { SEED = 1, UNTIL_FIRST = 2 * PASS_STRATUM_LEAST };

#define COUNT_MOST 1e15
#define SEED_MOST  4294967295.0

/* "5%": a fraction above 0, up to 1. @return whether it is one */
static bool read_percent(const char *argument, double *fraction)
{
    char number[40];
    size_t length = strlen(argument);
    double percent = 0;
    if (length < 2 || length > sizeof number || argument[length - 1] != '%')
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length - 1, argument);
    bool is_read = command_number(number, 0, 100, &percent) == 0 && percent > 0;
    *fraction = percent / 100;
    return is_read;
}

static int take_sample(void *data, const char *argument, struct why *why)
{
    struct sample_request *r = data;
    uint64_t count = 0;
    bool is_part = read_percent(argument, &r->part);
    if (!is_part && command_whole(argument, PASS_SAMPLE_LEAST, COUNT_MOST, &count) != 0)
        return command_refuse("--sample", argument, "2 passes or more, or a part of all, such as 20 or 5%",
                              why);
    r->count = count;
    if (!is_part)
        r->part = 0;
    return 0;
}

static int take_until(void *data, const char *argument, struct why *why)
{
    struct sample_request *r = data;
    return read_percent(argument, &r->until)
               ? 0
               : command_refuse("--until", argument, "a percentage above 0%, up to 100%, such as 2%", why);
}

const struct command_option sample_request_options[] = {
    COMMAND_OWN("sample", 0, take_sample),
    COMMAND_OWN("until", 0, take_until),
    COMMAND_WHOLE("seed", 0, struct sample_request, seed, 1, SEED_MOST, NULL),
    COMMAND_OPTIONS_END,
};

bool sample_request_is_made(const struct sample_request *r)
{
    return r->count > 0 || r->part > 0 || r->until > 0;
}

int sample_request_check(const struct sample_request *r, struct why *why)
{
    if (r->until > 0 && (r->count > 0 || r->part > 0))
        return why_say(why, COMMAND_REFUSED,
                       "--sample and --until both say how many passes are drawn: expected one of them");
    if (r->seed > 0 && !sample_request_is_made(r))
        return why_say(why, COMMAND_REFUSED,
                       "--seed draws the passes of a sample; it needs --sample or --until");
    return 0;
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
    *count = r->part > 0 ? (size_t)ceil(r->part * (double)passes - 1e-9) : r->count;
    if (r->until > 0)
        *count = UNTIL_FIRST < passes ? UNTIL_FIRST : passes;
    else if (r->part > 0 && *count < PASS_SAMPLE_LEAST)
        *count = PASS_SAMPLE_LEAST < passes ? PASS_SAMPLE_LEAST : passes;
    if (*count > passes)
        return why_say(why, COMMAND_REFUSED, "--sample %zu: the run has %zu pass%s", *count, passes,
                       passes == 1 ? "; there is nothing to draw from" : "es; draw fewer");
    return 0;
}

const char *sample_request_text(const struct sample_request *r, char text[64])
{
    text[0] = '\0';
    if (r->until > 0)
        snprintf(text, 64, " --until %.9g%%", 100 * r->until);
    else if (r->part > 0)
        snprintf(text, 64, " --sample %.9g%%", 100 * r->part);
    else if (r->count > 0)
        snprintf(text, 64, " --sample %zu", r->count);
    if (r->seed > 0)
        snprintf(text + strlen(text), 64 - strlen(text), " --seed %llu", (unsigned long long)r->seed);
    return text;
}
