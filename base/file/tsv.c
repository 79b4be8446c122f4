#include "base/file/tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/whole_file.h"

int tsv_refuse(const struct tsv *t, const char *expected, ...)
{
    va_list arguments;
    va_start(arguments, expected);
    why_say(t->why, TSV_EFORMAT, "%.600s:%" PRIu64 ": expected ", t->path, t->line);
    why_append_list(t->why, expected, arguments);
    va_end(arguments);
    why_append(t->why, "; is the file whole? run mercury again to write it");
    return TSV_EFORMAT;
}

/* Cut the next line that is no comment into its fields. @return whether there is one */
static bool take_fields(struct tsv *t, char *fields[TSV_COLUMNS_MAX], unsigned *count)
{
    char *line, *end;
    do {
        line = *t->rest ? t->rest : NULL;
        if (line) {
            t->line++;
            end = strchr(line, '\n'); /* tsv_open() has checked that the last line has an end */
            *end = '\0';
            t->rest = end + 1;
        }
    } while (line && *line == '#');
    bool has_line = line;
    for (*count = 0; line && *count < TSV_COLUMNS_MAX; (*count)++) {
        fields[*count] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = '\0';
    }
    return has_line;
}

/* Find columns by their names. @return 0 or TSV_EFORMAT */
static int find_columns(struct tsv *t, char *const *names, const char *const *wanted, int *columns,
                        unsigned *count)
{
    for (; *wanted; wanted++) {
        unsigned i = 0;
        while (i < t->columns && strcmp(names[i], *wanted) != 0)
            i++;
        if (i == t->columns)
            return why_say(t->why, TSV_EFORMAT, "%.600s: has no column '%s'; run mercury again to write it",
                           t->path, *wanted);
        columns[(*count)++] = (int)i;
    }
    return 0;
}

int tsv_open(struct tsv *t, const char *path, const struct tsv_columns *wanted, struct why *why)
{
    size_t bytes;
    char *names[TSV_COLUMNS_MAX];
    *t = (struct tsv){.path = path, .why = why};
    if (whole_file_read(path, SIZE_MAX, &t->text, &bytes, why) != 0)
        return TSV_EREAD;
    t->rest = t->text;
    if (strlen(t->text) != bytes || (bytes > 0 && t->text[bytes - 1] != '\n'))
        return why_say(why, TSV_EFORMAT,
                       "%.600s: was cut short, it ends within a line; run mercury again to write it", path);
    if (!take_fields(t, names, &t->columns))
        return tsv_refuse(t, "a line with the names of the columns");
    int status = find_columns(t, names, wanted->texts, t->text_columns, &t->text_count);
    return status ? status : find_columns(t, names, wanted->numbers, t->number_columns, &t->number_count);
}

void tsv_close(struct tsv *t)
{
    free(t->text);
    t->text = NULL;
}

int tsv_next(struct tsv *t)
{
    char *fields[TSV_COLUMNS_MAX];
    unsigned count = 0;
    if (!take_fields(t, fields, &count))
        return 0;
    if (count != t->columns)
        return tsv_refuse(t, "as many fields as the table has columns");
    for (unsigned i = 0; i < t->text_count; i++)
        t->texts[i] = fields[t->text_columns[i]];
    for (unsigned i = 0; i < t->number_count; i++) {
        const char *field = fields[t->number_columns[i]];
        char *end;
        const bool lacks = strcmp(field, "NA") == 0;
        t->numbers[i] = lacks ? NAN : strtod(field, &end);
        if (!lacks && (!*field || *end || !(fabs(t->numbers[i]) <= 1e30 || strcmp(field, "inf") == 0)))
            return tsv_refuse(t, "a number or NA");
    }
    return 1;
}
