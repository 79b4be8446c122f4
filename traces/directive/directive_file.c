#include "traces/directive/directive_parser.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/whole_file.h"

enum { TEXT_MAX = 8 << 20 };

struct file_parser {
    struct directive_parser parser;
    struct directives *list;
    size_t room;
};

/* --- names that overlap ---------------------------------------------------------------------------------- */

/* '.' sorts before everything else, so that all "a. ..." follow "a". */
static int compare_names(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int left = *a == '.' ? 1 : (unsigned char)*a, right = *b == '.' ? 1 : (unsigned char)*b;
    return left - right;
}

static int compare_directives(const void *a, const void *b)
{
    const struct directive *left = *(const struct directive *const *)a,
                           *right = *(const struct directive *const *)b;
    int order = compare_names(left->name, right->name);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static bool overlap(const char *name, const char *longer)
{
    size_t length = strlen(name);
    return strncmp(name, longer, length) == 0 && (longer[length] == '\0' || longer[length] == '.');
}

/* Refuse overlapping names; of several pairs, the one whose later line comes first. */
static bool refuse_overlap(struct file_parser *f, const struct directive *const *sorted)
{
    const struct directive *first = NULL, *second = NULL;
    for (size_t i = 1; i < f->list->count; i++) {
        const struct directive *a = sorted[i - 1], *b = sorted[i];
        if (!overlap(a->name, b->name))
            continue;
        const struct directive *earlier = a->line < b->line ? a : b, *later = a->line < b->line ? b : a;
        if (!second || later->line < second->line) {
            first = earlier;
            second = later;
        }
    }
    if (!second)
        return true;
    return why_say(f->parser.why, false,
                   "%.200s:%u:1: found the name '%s', which overlaps '%s' of line %u; expected a "
                   "different name for every measurement: give one with 'as NAME'",
                   f->parser.file, second->line, second->name, first->name, first->line);
}

static int check_names(struct file_parser *f)
{
    const struct directive **sorted = malloc((f->list->count + 1) * sizeof(struct directive *));
    if (!sorted)
        return why_no_memory(f->parser.why, DIRECTIVE_EMEMORY);
    for (size_t i = 0; i < f->list->count; i++)
        sorted[i] = &f->list->items[i];
    qsort(sorted, f->list->count, sizeof(struct directive *), compare_directives);
    bool apart = refuse_overlap(f, sorted);
    free(sorted);
    return apart ? 0 : DIRECTIVE_EREFUSED;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

static bool is_text(struct file_parser *f)
{
    if (f->parser.end - f->parser.begin > DIRECTIVE_LINE_MAX)
        return parser_refuse_at(&f->parser, f->parser.begin + DIRECTIVE_LINE_MAX,
                                "found a line of more than %d bytes, expected one measurement per line",
                                DIRECTIVE_LINE_MAX);
    for (const char *c = f->parser.begin; c < f->parser.end; c++)
        if (iscntrl((unsigned char)*c) && *c != '\t')
            return parser_refuse_at(
                &f->parser, c,
                "found byte 0x%02X, expected a text file of directives; see mercury help measure",
                (unsigned)(unsigned char)*c);
    return true;
}

static int parse_line(struct file_parser *f)
{
    if (!is_text(f))
        return DIRECTIVE_EREFUSED;
    f->parser.token = token_at(f->parser.begin, f->parser.end);
    if (f->parser.token.kind == TOKEN_END)
        return 0;
    if (f->list->count == DIRECTIVES_MAX) {
        parser_refuse(&f->parser, &f->parser.token, "at most 1000 measurements in a file", NULL);
        return DIRECTIVE_EREFUSED;
    }
    if (!array_reserve(&f->list->items, &f->room, f->list->count, 1, sizeof *f->list->items))
        return why_no_memory(f->parser.why, DIRECTIVE_EMEMORY);
    struct directive *d = &f->list->items[f->list->count];
    *d = (struct directive){.line = f->parser.line};
    if (!directive_take(&f->parser, d))
        return DIRECTIVE_EREFUSED;
    f->list->count++;
    return 0;
}

static int parse_lines(struct file_parser *f, const char *text, const char *end)
{
    int status = 0;
    while (status == 0 && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        f->parser.line++;
        f->parser.begin = text;
        f->parser.end = newline ? newline : end;
        text = newline ? newline + 1 : end;
        if (f->parser.end > f->parser.begin && f->parser.end[-1] == '\r')
            f->parser.end--;
        status = parse_line(f);
    }
    return status;
}

int directives_parse(const char *text, size_t bytes, const char *file, const struct catalogue *catalogue,
                     struct directives *list, struct why *why)
{
    struct file_parser f = {
        .parser = {.catalogue = catalogue, .file = file, .why = why},
        .list = list,
    };
    *list = (struct directives){0};
    size_t mark = bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* the byte order mark */
    int status = bytes > mark ? parse_lines(&f, text + mark, text + bytes) : 0;
    if (status == 0 && list->count == 0)
        status = why_say(
            why, DIRECTIVE_EREFUSED,
            "%.200s: found no measurement, expected one per line, such as 'occupancy at TAP: mean'", file);
    if (status == 0)
        status = check_names(&f);
    if (status != 0)
        directives_destroy(list);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

int directives_read(const char *path, const struct catalogue *catalogue, struct directives *list,
                    struct why *why)
{
    char *text;
    size_t bytes;
    *list = (struct directives){0};
    int status = whole_file_read(path, TEXT_MAX, &text, &bytes, why);
    if (status == 0)
        status = directives_parse(text, bytes, whole_file_name(path), catalogue, list, why);
    else if (status != WHOLE_FILE_EMEMORY)
        status = status == WHOLE_FILE_EREAD ? DIRECTIVE_EREAD : DIRECTIVE_EREFUSED;
    free(text);
    return status;
}

void directives_destroy(struct directives *list)
{
    free(list->items);
    *list = (struct directives){0};
}

/* --- the help -------------------------------------------------------------------------------------------- */

const char directive_help[] =
    "A file of directives says what to measure, one measurement per line:\n"
    "\n"
    "    METRIC at TAP [to TAP] [: AGGREGATE, ...] [every FRAME] [as NAME]  # comment\n"
    "\n"
    "    directive = metric , \"at\" , tap , [ \"to\" , tap ] ,\n"
    "                [ \":\" , aggregate , { \",\" , aggregate } ] ,\n"
    "                [ \"every\" , frame ] , [ \"as\" , name ] ;\n"
    "    aggregate = \"mean\" | \"min\" | \"max\" | \"deviation\"\n"
    "              | \"histogram\" , \"(\" , bins , \")\"\n"
    "              | \"quantile\" , \"(\" , number , { \",\" , number } ,\n"
    "                [ \"within\" , number , \"%\" ] , \")\" ;\n"
    "    bins      = whole | whole , \"..\" , whole , \"/\" , whole ;\n"
    "    frame     = \"pass\"\n"
    "              | number , ( \"s\" | \"ms\" | \"us\" | \"ns\" | \"clocks\" ) ,\n"
    "                [ \"of\" , \"run\" ]\n"
    "              | whole , ( element | \"elements\" | \"bytes\" ) , \"at\" , tap ;\n"
    "    name      = word , { \".\" , word } ;\n"
    "    word      = letter or \"_\" , { letter | digit | \"_\" } ;\n"
    "    whole, number = decimal, also with an exponent: 65536, 0.99, 1e6 ;\n"
    "\n"
    "  histogram(N)           N bins from 0 on, each one wide, or wider if the queue\n"
    "                         has more places than bins\n"
    "  histogram(LOW..HIGH/WIDTH)\n"
    "                         bins [LOW, LOW + WIDTH), ... up to HIGH; values below\n"
    "                         or above are counted separately\n"
    "  quantile(Q, ... within E %)\n"
    "                         the least value that a fraction Q of the weight does\n"
    "                         not exceed, wrong by at most E % of itself (default 1)\n"
    "  every FRAME            one record per FRAME: per pass (default), per time, or\n"
    "                         per number of elements or bytes that came to a tap; a\n"
    "                         frame of bytes ends with the element that completes it.\n"
    "                         Frames begin anew with every pass, but for frames of\n"
    "                         time 'of run': these divide the time of the run, from\n"
    "                         its begin to its end, so that a frame may hold several\n"
    "                         passes, parts of passes, and the loading of tables\n"
    "  as NAME                name in the output (default METRIC.TAP). No two names\n"
    "                         may be equal, and none may be the other's beginning up\n"
    "                         to a '.'\n"
    "\n"
    "Without aggregates the mean is measured. A file has at most 1000 measurements,\n"
    "each has at most 65536 bins, and all have at most 4194304 bins together.\n"
    "\n"
    "Examples:\n"
    "  occupancy at wmer_fifo: mean, max, histogram(131) every 1 ms as queue.wmer\n"
    "  latency at ingress_fifo to egress_fifo: mean, quantile(0.5, 0.99 within 0.5 %)\n"
    "  latency at bus_in to stage_3: mean, max every 1000 elements at stage_3 as long\n"
    "  rate at bus_in every 65536 words at bus_in\n"
    "  rate at bus_in every 100 ms of run as words\n";
