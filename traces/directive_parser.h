/* directive_parser.h - the parser's state between lines; directive.c and directive_file.c only. */
#ifndef MERCURY_TRACES_DIRECTIVE_PARSER_H
#define MERCURY_TRACES_DIRECTIVE_PARSER_H

#include "traces/directive.h"
#include "traces/directive_line.h"

struct directive_parser {
    const struct catalogue *catalogue;
    struct directive_line line;
    uint64_t bins; /* of all directives so far */
};

/** Take a whole line's directive, which begins at the next token.
 *  @return false when it is refused */
bool directive_take(struct directive_parser *parser, struct directive *directive);

#endif
