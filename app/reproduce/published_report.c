#include "app/reproduce/published_report.h"

#include <stdio.h>

#include "base/command.h"
#include "model/model_error.h"
#include "validate/published.h"

enum { COLUMNS = 6 };

static int write_values(const struct published *l, const char *where, enum result_format format)
{
    const char *const columns[COLUMNS] = {where, "quantity", "unit", "expected", "ours", "fits"};
    static const int widths[COLUMNS] = {-18, -8, -4, -18, -18, -1};
    struct result_table *table = result_table_new_styled(
        columns, COLUMNS,
        &(struct result_style){.title = "", .widths = widths, .text_number = "%.15g", .tsv_number = "%.15g"});
    for (size_t i = 0; i < l->value_count; i++) {
        const struct published_value *v = &l->values[i];
        result_table_add(table, TEXT(v->where), TEXT(v->quantity), TEXT(v->unit), TEXT(v->expected),
                         NUMBER(v->ours), TEXT(v->admitted ? "yes" : "NO"));
    }
    for (size_t i = 0; i < l->statement_count; i++) {
        const struct published_statement *s = &l->statements[i];
        result_table_note(table, "%s: %s (%s)", s->holds ? "holds" : "FAILS", s->text, s->evidence);
    }
    return result_table_end(table, format, stdout);
}

static int leonards2023(struct published *out, struct why *why)
{
    int error = leonards2023_make(out);
    return error ? why_say(why, COMMAND_FAILED, "leonards2023: %s", model_error_text(error)) : 0;
}

static int timetrial2011(struct published *out, struct why *why)
{
    (void)why;
    timetrial2011_make(out);
    return 0;
}

static const struct {
    const char *name, *title, *expected, *where;
    int (*make)(struct published *out, struct why *why);
} reports[] = {
    [PUBLISHED_LEONARDS2023] =
        {"leonards2023", "Leonards 2023: closed networks of cores and memory (Algorithm 1, Figure 4.9)",
         "product form, state by state", "network", leonards2023},
    [PUBLISHED_TIMETRIAL2011] = {"timetrial2011",
                                 "Lancaster et al. 2011: what TimeTrial costs (sections III, IV.C, Table I)",
                                 "as printed", "section", timetrial2011},
};

int published_report(enum published_report which, enum result_format format, struct why *why)
{
    struct published p;
    int status = reports[which].make(&p, why);
    if (status)
        return status;
    const char *mark = format == RESULT_TSV ? "# " : "";
    printf("%s%s\n%sexpected: %s; fits: ours rounds to it\n", mark, reports[which].title, mark,
           reports[which].expected);
    if (write_values(&p, reports[which].where, format) != 0)
        return why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    if (p.not_admitted == 0)
        return COMMAND_OK;
    return why_say(why, COMMAND_FAILED, "%zu values or statements of %s are not as expected", p.not_admitted,
                   reports[which].name);
}
