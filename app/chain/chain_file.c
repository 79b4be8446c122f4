#include "app/chain/chain_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/nearest.h"
#include "base/number.h"
#include "app/chain/queue_service.h"

enum column {
    STAGE,
    CLOCK,
    PER_CLOCK,
    PER_ELEMENT,
    SERVERS,
    FACTOR,
    PASS,
    PLACES,
    OVERDRIVE,
    SERVICE,
    COLUMNS
};

static const struct {
    const char *name, *unit, *expected;
    double least, most, otherwise; /* otherwise NaN: the column is needed */
    bool whole;
} columns[COLUMNS] = {
    [STAGE] = {.name = "stage", .otherwise = NAN},
    [CLOCK] = {"C", "Hz", "a clock from 1e-6 to 1e12 Hz", 1e-6, 1e12, NAN, false},
    [PER_CLOCK] = {"R", "", "operations per clock, from 1e-9 to 1e9", 1e-9, 1e9, 1, false},
    [PER_ELEMENT] = {"M", "", "operations per element, from 1e-9 to 1e9", 1e-9, 1e9, 1, false},
    [SERVERS] = {"S", "", "a whole number of servers, 1 to 1000", 1, 1000, 1, true},
    [FACTOR] = {"F", "", "elements per element of the stage before: 1/n, such as 1/16, or 1 to 10000", 1e-6,
                1e4, 1, false},
    [PASS] =
        {"P_f", "",
         "a fraction from 0 to 1, of elements that are passed on; several for one are F of the next stage", 0,
         1, 1, false},
    [PLACES] = {"K", "", "a whole number of places up to 1000000, or 0 for no bound", 0, 1e6, 0, true},
    [OVERDRIVE] = {"overdrive", "", "elements per second, from 0 to 1e15", 0, 1e15, 0, false},
    [SERVICE] = {.name = "service"},
};

struct reader {
    struct line_reader lines;
    struct chain *chain;
    int order[64]; /* enum column of each column of the table */
    unsigned count;
};

#define REFUSE(reader, ...) line_reader_refuse_line(&(reader)->lines, CHAIN_FILE_EFORMAT, __VA_ARGS__)

/* --- the header ------------------------------------------------------------------------------------------ */

static int find_column(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

static int refuse_column(const struct reader *r, const char *name)
{
    struct nearest near = {.wanted = name, .length = strlen(name)};
    for (unsigned i = 0; i < COLUMNS; i++)
        nearest_look_at(&near, columns[i].name);
    REFUSE(r, "column %u, '%.40s': expected stage, C, R, M, S, F, P_f, K, overdrive or service", r->count + 1,
           name);
    nearest_suggest(&near, r->lines.why);
    return CHAIN_FILE_EFORMAT;
}

static int take_header(struct reader *r, char *rest)
{
    for (char *name; (name = strsep(&rest, "\t"));) {
        int column = find_column(name);
        if (column < 0 || r->count == sizeof r->order / sizeof r->order[0])
            return refuse_column(r, name);
        for (unsigned i = 0; i < r->count; i++)
            if (r->order[i] == column)
                return REFUSE(r, "column %u, '%s': columns %u and %u have one name", r->count + 1, name,
                              i + 1, r->count + 1);
        r->order[r->count++] = column;
    }
    for (int column = 0; column < COLUMNS; column++) {
        bool has = false;
        for (unsigned i = 0; i < r->count; i++)
            has = has || r->order[i] == column;
        if (!has && isnan(columns[column].otherwise))
            return REFUSE(r,
                          "no column '%s': expected a header line with tabs, such as stage<TAB>C<TAB>M<TAB>K",
                          columns[column].name);
    }
    return 0;
}

/* --- a stage --------------------------------------------------------------------------------------------- */

/* F below 1 packs whole numbers of elements: 1/n, as a quotient or rounded to six digits. */
static int factor_of(const char *field, double *factor)
{
    bool quotient = strncmp(field, "1/", 2) == 0;
    int status = number_of(quotient ? field + 2 : field, "", factor);
    double packed = quotient ? *factor : 1 / *factor;
    if (status || (!quotient && *factor >= 1))
        return status;
    *factor = 1 / round(packed);
    return fabs(packed / round(packed) - 1) < 1e-6 ? 0 : -1;
}

static int take_number(const struct reader *r, unsigned at, const char *field, double *to)
{
    enum column column = (enum column)r->order[at];
    bool given = *field && strcmp(field, "NA") != 0;
    *to = columns[column].otherwise;
    if (given &&
        ((column == FACTOR ? factor_of(field, to) : number_of(field, columns[column].unit, to)) != 0 ||
         !(*to >= columns[column].least && *to <= columns[column].most) ||
         (columns[column].whole && *to != floor(*to))))
        return REFUSE(r, "column %u, %s '%.40s': expected %s", at + 1, columns[column].name, field,
                      columns[column].expected);
    return given || !isnan(*to) ? 0
                                : REFUSE(r, "column %u, %s: expected %s", at + 1, columns[column].name,
                                         columns[column].expected);
}

static int take_name(const struct reader *r, unsigned at, const char *field, char name[CHAIN_NAME_BYTES])
{
    bool fits = *field && strlen(field) < CHAIN_NAME_BYTES;
    for (const char *c = field; *c; c++)
        fits = fits && (isgraph((unsigned char)*c) || *c == ' ');
    for (size_t i = 0; fits && i < r->chain->count; i++)
        if (strcmp(r->chain->stages[i].name, field) == 0)
            return REFUSE(r, "column %u, stage '%s': an earlier stage has this name", at + 1, field);
    if (!fits)
        return REFUSE(r, "column %u, stage '%.40s': expected a name of 1 to %d ASCII characters", at + 1,
                      field, CHAIN_NAME_BYTES - 1);
    strcpy(name, field);
    return 0;
}

static int take_service(const struct reader *r, unsigned at, const char *field,
                        struct queue_line_stage *service)
{
    if (!*field || strcmp(field, "NA") == 0 || queue_service_parse(field, service) == 0)
        return 0;
    return REFUSE(r, "column %u, service '%.40s': expected " QUEUE_SERVICE_EXPECTED, at + 1, field);
}

static int take_field(const struct reader *r, unsigned at, const char *field, struct chain_stage *s,
                      double numbers[COLUMNS])
{
    int column = r->order[at];
    return column == STAGE     ? take_name(r, at, field, s->name)
           : column == SERVICE ? take_service(r, at, field, &s->line)
                               : take_number(r, at, field, &numbers[column]);
}

static int take_stage(struct reader *r, char *rest)
{
    struct chain *chain = r->chain;
    struct chain_stage stage = {.line = {.service = SERVICE_EXPONENTIAL}};
    double numbers[COLUMNS];
    unsigned at = 0;
    int status = 0;
    for (int column = 0; column < COLUMNS; column++)
        numbers[column] = columns[column].otherwise;
    for (char *field; status == 0 && (field = strsep(&rest, "\t")); at++)
        status = at < r->count
                     ? take_field(r, at, field, &stage, numbers)
                     : REFUSE(r, "column %u: expected %u columns, as the header has", at + 1, r->count);
    if (status)
        return status;
    if (at < r->count)
        return REFUSE(r, "column %u: nothing; expected %u columns, as the header has", at + 1, r->count);
    struct queue_line_stage *line = &stage.line;
    line->factor = numbers[FACTOR];
    line->added_per_s = numbers[OVERDRIVE];
    line->pass_fraction = numbers[PASS];
    line->mu_per_s = numbers[PER_CLOCK] * numbers[CLOCK] / numbers[PER_ELEMENT];
    line->places = (uint32_t)numbers[PLACES];
    line->servers = (uint32_t)numbers[SERVERS];
    if (line->places > 0 && line->places < line->servers)
        return REFUSE(r, "K %u: expected at least the places of the %u servers", line->places, line->servers);
    if (chain->count == CHAIN_STAGES_MAX)
        return REFUSE(r, "stage %d: expected at most %d stages", CHAIN_STAGES_MAX + 1, CHAIN_STAGES_MAX);
    if (!array_reserve(&chain->stages, &chain->room, chain->count, 1, sizeof *chain->stages))
        return why_no_memory(r->lines.why, CHAIN_FILE_EMEMORY);
    chain->stages[chain->count++] = stage;
    return 0;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static int take_line(struct reader *r)
{
    char *line = r->lines.line.s;
    if (strlen(line) != r->lines.line.l)
        return REFUSE(r, "a NUL character: expected text");
    if (*line == '#' || line[strspn(line, " \t")] == '\0')
        return 0;
    return r->count == 0 ? take_header(r, line) : take_stage(r, line);
}

int chain_file_read(const char *path, struct chain *chain, struct why *why)
{
    struct reader r = {.chain = chain};
    *chain = (struct chain){0};
    int status = line_reader_open(&r.lines, path, "a table of stages", why);
    while (status == 0 && (status = line_reader_next(&r.lines)) == 1)
        status = take_line(&r);
    if (status == 0 && chain->count == 0)
        status = line_reader_refuse(&r.lines, CHAIN_FILE_EFORMAT,
                                    "no stage: expected a header line and a line per stage");
    status = line_reader_close(&r.lines, status);
    if (status)
        chain_file_close(chain);
    return status;
}

void chain_file_close(struct chain *chain)
{
    free(chain->stages);
    *chain = (struct chain){0};
}

double chain_first_rate_per_s(const struct chain *chain, double input_per_s)
{
    return (input_per_s + chain->stages[0].line.added_per_s) * chain->stages[0].line.factor;
}
