#include "base/range.h"

int range_check(const struct range *ranges, size_t count, struct why *why, int code)
{
    for (size_t i = 0; i < count; i++)
        if (!(ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most))
            return why_say(why, code, "%s %g: expected %s", ranges[i].name, ranges[i].value,
                           ranges[i].expected);
    return 0;
}
