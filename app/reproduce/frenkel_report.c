#include "app/reproduce/frenkel_report.h"

#include <stdio.h>

#include "base/command.h"
#include "validate/frenkel.h"

/* Units are in TSV only: a line for people has 80 columns. */
static int write_cells(const struct frenkel *f, enum result_format format)
{
    static const char *const columns[][8] = {
        [RESULT_TEXT] = {"eq.", "quantity", "known", "formula", "simulated", "+-", "admitted"},
        [RESULT_TSV] = {"equation", "quantity", "known", "formula", "simulated", "half_width", "admitted",
                        "unit"}};
    static const int widths[] = {-5, -19, 8, 11, 9, 10, -8};
    bool text = format == RESULT_TEXT;
    struct result_table *table = result_table_new_styled(
        columns[format], text ? 7 : 8,
        &(struct result_style){
            .title = text ? "" : NULL, .widths = widths, .text_number = "%.6g", .tsv_number = "%.12g"});
    for (size_t i = 0; i < f->count; i++) {
        const struct frenkel_cell *c = &f->cells[i];
        result_table_add(table, TEXT(c->equation), TEXT(c->quantity), NUMBER(c->known), NUMBER(c->formula),
                         NUMBER(c->simulated), NUMBER(c->half_width),
                         TEXT(c->admitted ? "yes"
                              : text      ? "NO"
                                          : "no"));
        if (!text)
            result_table_add(table, TEXT(c->unit));
    }
    result_table_note(table, "where p varies from pass to pass, (5.3) gives %.6g: it needs independence",
                      f->by_53_where_p_varies);
    result_table_note(table, "%zu of %zu cells admitted", f->count - f->not_admitted, f->count);
    return result_table_end(table, format, stdout);
}

int frenkel_report(unsigned long seed, enum result_format format, struct why *why)
{
    struct frenkel f;
    if (frenkel_make(seed, &f) != 0)
        return why_no_memory(why, COMMAND_REFUSED);
    printf("%sFrenkel: random sums, by formula and by simulation (seed %lu, 99.9%% intervals)\n",
           format == RESULT_TEXT ? "" : "# ", seed);
    if (write_cells(&f, format) != 0)
        return why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    if (f.not_admitted == 0)
        return COMMAND_OK;
    return why_say(why, COMMAND_FAILED,
                   "%zu of %zu cells are not admitted; another --seed tells chance from a fault",
                   f.not_admitted, f.count);
}
