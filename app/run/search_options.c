#include "app/run/search_options.h"

static const char *const strand_names[] = {
    [STRANDS_PLUS] = "plus", [STRANDS_MINUS] = "minus", [STRANDS_BOTH] = "both", NULL};

const struct command_option search_options_of_files[] = {
    COMMAND_TEXT("query", 'q', struct search_options, query),
    COMMAND_TEXT("database", 'd', struct search_options, database),
    COMMAND_SPELLING("-query", "--query"), /* blastn's names */
    COMMAND_SPELLING("-db", "--database"),
    COMMAND_SPELLING("-subject", "--database"),
    COMMAND_OPTIONS_END,
};

const struct command_option search_options_of_limits[] = {
    {COMMAND_FIELD("strand", 's', COMMAND_TAKES_CHOICE, struct search_options, strands),
     .least = STRANDS_PLUS, .choices = strand_names + STRANDS_PLUS},
    COMMAND_NUMBER("evalue", 'e', struct search_options, e_value, 1e-300, 1e6, "a number from 1e-300 to 1e6"),
    COMMAND_SPELLING("-strand", "--strand"),
    COMMAND_SPELLING("-evalue", "--evalue"),
    COMMAND_OPTIONS_END,
};

struct search_options search_options_default(void)
{
    return (struct search_options){.strands = STRANDS_BOTH, .e_value = 1e-3};
}

const char *search_options_strand_name(enum strand_choice strands)
{
    return strand_names[strands];
}
