#include "app/theory/leonards_report.h"

#include <stdio.h>

#include "base/command.h"
#include "model/model_error.h"
#include "validate/leonards2023.h"

enum { COLUMNS = 6 };

static int write_values(const struct leonards2023 *l, enum result_format format)
{
    static const char *const columns[COLUMNS] = {"network", "quantity", "unit", "expected", "ours", "fits"};
    static const int widths[COLUMNS] = {-18, -8, -4, -18, -18, -1};
    struct result_table *table = result_table_new_styled(
        columns, COLUMNS,
        &(struct result_style){.title = "", .widths = widths, .text_number = "%.15g", .tsv_number = "%.15g"});
    for (size_t i = 0; i < l->value_count; i++) {
        const struct leonards_value *v = &l->values[i];
        result_table_add(table, TEXT(v->where), TEXT(v->quantity), TEXT(v->unit), TEXT(v->expected),
                         NUMBER(v->ours), TEXT(v->admitted ? "yes" : "NO"));
    }
    for (size_t i = 0; i < l->statement_count; i++) {
        const struct leonards_statement *s = &l->statements[i];
        result_table_note(table, "%s: %s (%s)", s->holds ? "holds" : "FAILS", s->text, s->evidence);
    }
    return result_table_end(table, format, stdout);
}

int leonards_report(enum result_format format, struct why *why)
{
    struct leonards2023 l;
    int error = leonards2023_make(&l);
    if (error)
        return why_say(why, COMMAND_FAILED, "leonards2023: %s", model_error_text(error));
    const char *mark = format == RESULT_TSV ? "# " : "";
    printf("%sLeonards 2023: closed networks of cores and memory (Algorithm 1, Figure 4.9)\n"
           "%sexpected: product form, state by state; fits: ours rounds to it\n",
           mark, mark);
    if (write_values(&l, format) != 0)
        return why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    if (l.not_admitted == 0)
        return COMMAND_OK;
    return why_say(why, COMMAND_FAILED, "%zu values or statements of leonards2023 are not as expected",
                   l.not_admitted);
}
