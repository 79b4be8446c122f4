#include "traces/bottleneck.h"

#include <assert.h>
#include <math.h>

#include "base/shown.h"

static double saturation(const struct stage_evidence *stage)
{
    return stage->active + stage->stalled;
}

double stage_starved(const struct stage_evidence *stage)
{
    double starved = 1 - saturation(stage);
    return fabs(starved) < 1e-9 ? 0 : starved;
}

/* The stage most at work other than `but`; the last of equals. */
static size_t most_active(const struct stage_evidence *stages, size_t count, size_t but)
{
    size_t most = count;
    for (size_t i = 0; i < count; i++)
        if (i != but && (most == count || stages[i].active >= stages[most].active))
            most = i;
    return most;
}

static double growth_to(const struct stage_evidence *stage)
{
    return stage->active > 0 ? fmax(1, 1 / stage->active) : INFINITY;
}

struct bottleneck bottleneck_find(const struct stage_evidence *stages, size_t count)
{
    assert(count >= 1);
    struct bottleneck b = {.limit = most_active(stages, count, count)};
    b.saturation = saturation(&stages[b.limit]);
    b.growth_to_limit = growth_to(&stages[b.limit]);
    for (size_t i = 0; i < count; i++)
        if (saturation(&stages[i]) >= BOTTLENECK_SATURATED) {
            b.has_source = true;
            b.source = i;
        }
    b.confirmed = b.has_source && (b.source == b.limit || stages[b.source].active >= BOTTLENECK_SATURATED);
    b.next = most_active(stages, count, b.limit);
    b.has_next = b.next < count;
    b.growth_to_next = b.has_next ? growth_to(&stages[b.next]) : INFINITY;
    return b;
}

enum stage_role bottleneck_role(const struct bottleneck *b, const struct stage_evidence *stages, size_t i)
{
    if (i == b->limit)
        return STAGE_LIMITS;
    if (stages[i].active >= BOTTLENECK_SATURATED)
        return STAGE_LIMITS_TOO;
    if (b->has_source && i <= b->source && saturation(&stages[i]) >= BOTTLENECK_SATURATED)
        return STAGE_VICTIM;
    return stages[i].stalled >= 1 - BOTTLENECK_SATURATED ? STAGE_HELD : STAGE_RESERVE;
}

/* --- text ------------------------------------------------------------------------------------------------ */

static void write_verdict(const struct bottleneck *b, const struct stage_evidence *stages, FILE *out)
{
    const struct stage_evidence *limit = &stages[b->limit];
    if (b->confirmed)
        shown_print(
            out,
            "%s limits: it is at work in %.2f%% of the time, and its stalls and activity add up to one (%.4f)",
            limit->name, 100 * limit->active, b->saturation);
    else
        shown_print(
            out,
            "%s is nearest to a limit: it is at work in %.2f%% of the time, stalled in %.2f%% and starved in "
            "the rest",
            limit->name, 100 * limit->active, 100 * limit->stalled);
    if (b->has_source && !b->confirmed)
        shown_print(out, "  but %s is the last stage that never starves (%.4f): stalls begin after it",
                    stages[b->source].name, saturation(&stages[b->source]));
}

void bottleneck_write_text(const struct bottleneck *b, const struct stage_evidence *stages, size_t count,
                           FILE *out)
{
    const char *const parts[] = {
        [STAGE_LIMITS] = b->confirmed ? "limits" : "busiest",
        [STAGE_LIMITS_TOO] = "limits, too",
        [STAGE_VICTIM] = b->confirmed ? "held by the limit" : "held from behind",
        [STAGE_HELD] = "held at times",
        [STAGE_RESERVE] = "waits for work",
    };
    write_verdict(b, stages, out);
    fprintf(out, "  %-10s %9s %9s %9s  %17s\n", "stage", "at work", "stalled", "starved", "queue before it");
    for (size_t i = 0; i < count; i++) {
        const struct stage_evidence *s = &stages[i];
        fprintf(out, "  %-10s %8.2f%% %8.2f%% %8.2f%%", s->name, 100 * s->active, 100 * s->stalled,
                100 * stage_starved(s));
        if (s->has_queue)
            fprintf(out, "  %8.4g of %-5llu", s->queue_mean, (unsigned long long)s->queue_places);
        else
            fprintf(out, "  %17s", "-");
        fprintf(out, "  %s\n", parts[bottleneck_role(b, stages, i)]);
    }
    char now[96], without[160] = "";
    const char *limit = stages[b->limit].name;
    if (b->growth_to_limit < 1.0005)
        snprintf(now, sizeof now, "not faster: %s is at work all the time", limit);
    else
        snprintf(now, sizeof now, "at most %.4g times faster (then %s is at work all the time)",
                 b->growth_to_limit, limit);
    if (b->has_next)
        snprintf(
            without, sizeof without,
            "; at most %.4g times without the limit of %s (then %s is), if elements make as much work as now",
            b->growth_to_next, limit, stages[b->next].name);
    shown_print(out, "  %s%s", now, without);
}
