#include "app/chain/queue_service.h"

#include <string.h>

#include "base/command.h"

static int parse_mixture(const char *text, struct queue_line_stage *stage)
{
    char fraction[64];
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof fraction)
        return -1;
    memcpy(fraction, text, (size_t)(colon - text));
    fraction[colon - text] = '\0';
    stage->service = SERVICE_MIXTURE;
    return command_number(fraction, 0, 1, &stage->long_fraction) == 0 &&
                   command_number(colon + 1, 1, 1e6, &stage->long_ratio) == 0
               ? 0
               : -1;
}

int queue_service_parse(const char *text, struct queue_line_stage *stage)
{
    if (strcmp(text, "exponential") == 0)
        stage->service = SERVICE_EXPONENTIAL;
    else if (strcmp(text, "deterministic") == 0)
        stage->service = SERVICE_DETERMINISTIC;
    else
        return strncmp(text, "mixture:", 8) == 0 ? parse_mixture(text + 8, stage) : -1;
    return 0;
}
