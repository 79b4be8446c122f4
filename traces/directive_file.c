#include "traces/directive_parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"

enum { TEXT_MAX = 8 << 20 };

/* A file under way. */
struct file_parser {
    struct directive_parser parser;
    struct directives *list;
    size_t room;
};

/* --- names that overlap ---------------------------------------------------------------------------------- */

/* '.' before everything else, so that "a" is followed by all "a. ...". */
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

/* The pair of overlapping names whose later line comes first. */
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
    return why_say(f->parser.line.why, false,
                   "%.200s:%u:1: found the name '%s', which overlaps '%s' of line %u; expected every "
                   "measurement under a name of its own: give one with 'as NAME'",
                   f->parser.line.file, second->line, second->name, first->name, first->line);
}

/* 0, or an error. */
static int check_names(struct file_parser *f)
{
    const struct directive **sorted = malloc((f->list->count + 1) * sizeof(struct directive *));
    if (!sorted)
        return DIRECTIVE_EMEMORY;
    for (size_t i = 0; i < f->list->count; i++)
        sorted[i] = &f->list->items[i];
    qsort(sorted, f->list->count, sizeof(struct directive *), compare_directives);
    bool apart = refuse_overlap(f, sorted);
    free(sorted);
    return apart ? 0 : DIRECTIVE_EREFUSED;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* Room for one more; DIRECTIVES_MAX is checked by the caller. */
static struct directive *new_directive(struct file_parser *f)
{
    if (f->list->count == f->room) {
        size_t room = 2 * f->room + 16;
        struct directive *moved = realloc(f->list->items, room * sizeof *moved);
        if (!moved)
            return NULL;
        f->list->items = moved;
        f->room = room;
    }
    struct directive *d = &f->list->items[f->list->count];
    *d = (struct directive){.line = f->parser.line.number};
    return d;
}

static bool is_text(struct file_parser *f)
{
    if (f->parser.line.end - f->parser.line.begin > DIRECTIVE_LINE_MAX)
        return line_refuse_at(&f->parser.line, f->parser.line.begin + DIRECTIVE_LINE_MAX,
                              "found a line of more than %d bytes, expected one measurement a line",
                              DIRECTIVE_LINE_MAX);
    for (const char *c = f->parser.line.begin; c < f->parser.line.end; c++)
        if (iscntrl((unsigned char)*c) && *c != '\t')
            return line_refuse_at(
                &f->parser.line, c,
                "found byte 0x%02X, expected a text file of directives; see mercury help measure",
                (unsigned)(unsigned char)*c);
    return true;
}

static int parse_line(struct file_parser *f)
{
    if (!is_text(f))
        return DIRECTIVE_EREFUSED;
    f->parser.line.token = token_at(f->parser.line.begin, f->parser.line.end);
    if (f->parser.line.token.kind == TOKEN_END)
        return 0;
    if (f->list->count == DIRECTIVES_MAX) {
        line_refuse(&f->parser.line, &f->parser.line.token, "at most 1000 measurements in a file", NULL);
        return DIRECTIVE_EREFUSED;
    }
    struct directive *d = new_directive(f);
    if (!d)
        return DIRECTIVE_EMEMORY;
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
        f->parser.line.number++;
        f->parser.line.begin = text;
        f->parser.line.end = newline ? newline : end;
        text = newline ? newline + 1 : end;
        if (f->parser.line.end > f->parser.line.begin && f->parser.line.end[-1] == '\r')
            f->parser.line.end--;
        status = parse_line(f);
    }
    return status;
}

static size_t byte_order_mark(const char *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

int directives_parse(const char *text, size_t bytes, const char *file, const struct catalogue *catalogue,
                     struct directives *list, struct why *why)
{
    struct file_parser f = {
        .parser = {.catalogue = catalogue, .line = {.file = file, .why = why}},
        .list = list,
    };
    *list = (struct directives){0};
    size_t mark = byte_order_mark(text, bytes);
    int status = bytes > mark ? parse_lines(&f, text + mark, text + bytes) : 0;
    if (status == 0 && list->count == 0) {
        why_say(why, 0, "%.200s: found no measurement, expected one a line, such as 'occupancy at TAP: mean'",
                file);
        status = DIRECTIVE_EREFUSED;
    }
    if (status == 0)
        status = check_names(&f);
    if (status == DIRECTIVE_EMEMORY)
        why_say(why, 0, "%.200s: out of memory", file);
    if (status != 0)
        directives_destroy(list);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

/* Everything up to the end; NULL with *status set. */
static char *read_all(FILE *in, const char *file, size_t *bytes, int *status, struct why *why)
{
    char *text = malloc(TEXT_MAX + 1);
    *status = text ? DIRECTIVE_EREFUSED : DIRECTIVE_EMEMORY;
    *bytes = text ? fread(text, 1, TEXT_MAX + 1, in) : 0;
    if (!text) {
        why_say(why, 0, "%.200s: out of memory", file);
    } else if (ferror(in)) {
        why_say(why, 0, "%.200s: cannot be read: %s", file, strerror(errno));
        *status = DIRECTIVE_EREAD;
    } else if (*bytes > TEXT_MAX) {
        why_say(why, 0, "%.200s: found more than %d bytes, expected a file of directives", file, TEXT_MAX);
    } else {
        return text;
    }
    free(text);
    return NULL;
}

int directives_read(const char *path, const struct catalogue *catalogue, struct directives *list,
                    struct why *why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *file = is_stdin ? "standard input" : path;
    FILE *in = is_stdin ? stdin : fopen(path, "rb");
    *list = (struct directives){0};
    if (!in)
        return why_say(why, DIRECTIVE_EREAD, "%.200s: cannot be read: %s", file, strerror(errno));
    int status;
    size_t bytes;
    char *text = read_all(in, file, &bytes, &status, why);
    if (text)
        status = directives_parse(text, bytes, file, catalogue, list, why);
    free(text);
    if (!is_stdin)
        fclose(in);
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
    "    frame     = \"pass\" | number , ( \"s\" | \"ms\" | \"us\" | \"ns\" | \"clocks\" )\n"
    "              | whole , ( element | \"elements\" | \"bytes\" ) , \"at\" , tap ;\n"
    "    name      = word , { \".\" , word } ;\n"
    "\n"
    "  histogram(N)           N bins from 0 on, each one wide, or wider if the queue\n"
    "                         has more places than bins\n"
    "  histogram(LOW..HIGH/WIDTH)\n"
    "                         bins [LOW, LOW + WIDTH), ... up to HIGH; values below\n"
    "                         or above are counted separately\n"
    "  quantile(Q, ... within E %) the least value that a fraction Q of the weight\n"
    "                         does not exceed, at most E % of itself off (default 1\n"
    "                         %)\n"
    "  every FRAME            one record per FRAME: per pass (default), per time, or\n"
    "                         per number of elements or bytes that came to a tap; a\n"
    "                         frame of bytes ends with the element that completes it\n"
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
    "  rate at bus_in every 65536 words at bus_in\n";
