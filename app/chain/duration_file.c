#include "app/chain/duration_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/line_reader.h"

static int read_times(struct line_reader *lines, struct duration *d)
{
    size_t room = 0;
    int status;
    while ((status = line_reader_next(lines)) == 1) {
        struct words words = {.word_bytes = word_bytes_to_blank};
        words_set_line(&words, lines->line.s, lines->line.l, lines->number);
        const struct word time = words_next(&words);
        if (!time.text || *time.text == '#')
            continue;
        if (!array_reserve(&d->times, &room, d->count, 1, sizeof *d->times))
            return line_reader_fail_memory(lines);
        if (!word_number_within(time, 0, 1e15, false, &d->times[d->count++]) || words_next(&words).text)
            return line_reader_refuse_line(lines, LINE_READER_EREAD,
                                           "'%s': expected one time in seconds a line, from 0 to 1e15",
                                           word_show(word_of(lines->line.s)).text);
    }
    return status;
}

static int read_trace(const char *path, struct duration *d, double *mean_s, struct why *why)
{
    struct line_reader lines;
    int status = line_reader_open(&lines, path, "a list of times", why);
    *d = (struct duration){.law = DURATION_TRACE};
    if (status == 0)
        status = read_times(&lines, d);
    if (status == 0 && d->count > 0)
        *d = duration_trace(d->times, d->count, mean_s);
    if (status == 0 && (d->count == 0 || !(*mean_s > 0)))
        status =
            line_reader_refuse(&lines, LINE_READER_EREAD, "expected times in seconds, one above 0 at least");
    return command_status_of(line_reader_close(&lines, status));
}

int duration_file_read(struct word text, const char *what, const char *expected, struct duration *d,
                       double *mean_s, struct why *why)
{
    struct word rest = text, kind = word_cut(&rest, ":");
    double number = 1, ratio = 1;
    char path[PATH_MAX];
    *mean_s = NAN;
    if (word_is(kind, "trace") && rest.length > 0 && rest.length < sizeof path)
        return read_trace(word_copy(rest, path, sizeof path), d, mean_s, why);
    bool good = true;
    if (word_is(kind, "mixture")) {
        struct word fraction = word_cut(&rest, ":");
        good = word_number_within(fraction, 0, 1, false, &number) &&
               word_number_within(rest, 1, 1e6, false, &ratio);
        *d = duration_mixture(number, ratio);
    } else if (word_is(kind, "erlang")) {
        good = word_number_within(rest, 1, 10000, true, &number);
        *d = duration_gamma(1 / number);
    } else if (word_is(kind, "gamma")) {
        good = word_number_within(rest, 1e-4, 1e4, false, &number);
        *d = duration_gamma(number);
    } else {
        const bool constant = word_is(kind, "deterministic");
        good = !rest.text && (constant || word_is(kind, "exponential") || word_is(kind, "poisson"));
        *d = duration_gamma(constant ? 0 : 1);
    }
    return good ? 0 : command_refuse(what, word_show(text).text, expected, why);
}

void duration_file_close(struct duration *d)
{
    if (d->law == DURATION_TRACE)
        free(d->times);
    *d = (struct duration){.law = DURATION_EXPONENTIAL};
}
