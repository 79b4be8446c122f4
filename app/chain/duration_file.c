#include "app/chain/duration_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/line_reader.h"

/* @param d  its times are the numbers; it is a trace after an error, too, and the caller closes it */
static int read_list(const char *path, bool times, struct duration *d, struct why *why)
{
    const double most = times ? 1e15 : 1e4;
    struct line_reader lines;
    size_t room = 0;
    int status = line_reader_open(&lines, path, times ? "a list of times" : "a list of outputs", why);
    *d = (struct duration){.law = DURATION_TRACE};
    while (status == 0 && (status = line_reader_next(&lines)) == 1) {
        struct words words = {.word_bytes = word_bytes_to_blank};
        words_set_line(&words, lines.line.s, lines.line.l, lines.number);
        const struct word number = words_next(&words);
        status = 0;
        if (!number.text || *number.text == '#')
            continue;
        if (!array_reserve(&d->times, &room, d->count, 1, sizeof *d->times))
            status = line_reader_fail_memory(&lines);
        else if (!word_number_within(number, 0, most, !times, &d->times[d->count++]) ||
                 words_next(&words).text)
            status = line_reader_refuse_line(
                &lines, LINE_READER_EREAD, "'%s': expected one %s a line, from 0 to %g",
                word_show(word_of(lines.line.s)).text, times ? "time in seconds" : "whole number", most);
    }
    double sum = 0;
    for (size_t i = 0; i < d->count; i++)
        sum += d->times[i];
    if (status == 0 && !(sum > 0))
        status = line_reader_refuse(&lines, LINE_READER_EREAD, "expected %s, one above 0 at least",
                                    times ? "times in seconds" : "whole numbers");
    return command_status_of(line_reader_close(&lines, status));
}

int duration_file_read_outputs(struct word text, const char *what, double **counts, size_t *count,
                               struct why *why)
{
    struct word rest = text, kind = word_cut(&rest, ":");
    char path[PATH_MAX];
    struct duration list;
    if (!word_is(kind, "trace") || rest.length == 0 || rest.length >= sizeof path)
        return command_refuse(what, word_show(text).text, "trace:FILE, whole numbers of outputs, one a line",
                              why);
    int status = read_list(word_copy(rest, path, sizeof path), false, &list, why);
    *counts = list.times;
    *count = list.count;
    return status;
}

int duration_file_read(struct word text, const char *what, const char *expected, struct duration *d,
                       double *mean_s, struct why *why)
{
    struct word rest = text, kind = word_cut(&rest, ":");
    double number = 1, ratio = 1;
    char path[PATH_MAX];
    *mean_s = NAN;
    if (word_is(kind, "trace") && rest.length > 0 && rest.length < sizeof path) {
        const int status = read_list(word_copy(rest, path, sizeof path), true, d, why);
        if (status == 0)
            *d = duration_trace(d->times, d->count, mean_s);
        return status;
    }
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
