#include "app/run/search_options.h"

#include <string.h>

#include "base/why.h"
#include "app/run/run_options.h"

static const char *const strand_names[] = {
    [STRANDS_PLUS] = "plus", [STRANDS_MINUS] = "minus", [STRANDS_BOTH] = "both"};

struct search_options search_options_default(void)
{
    return (struct search_options){.strands = STRANDS_BOTH, .e_value = 1e-3};
}

const char *search_options_strand_name(enum strand_choice strands)
{
    return strand_names[strands];
}

static int take_strand(struct search_options *o, const char *argument, struct why *why)
{
    for (enum strand_choice strands = STRANDS_PLUS; strands <= STRANDS_BOTH; strands++)
        if (strcmp(argument, strand_names[strands]) == 0) {
            o->strands = strands;
            return 0;
        }
    return run_options_refuse("--strand", argument, "plus, minus or both", why);
}

int search_options_take(struct search_options *o, int option, const char *argument, struct why *why)
{
    switch (option) {
    case 'q':
        o->query = argument;
        return 0;
    case 'd':
        o->database = argument;
        return 0;
    case 's':
        return take_strand(o, argument, why);
    default:
        return run_options_take_number("--evalue", argument, 1e-300, 1e6, "a number from 1e-300 to 1e6",
                                       &o->e_value, why);
    }
}
