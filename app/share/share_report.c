#include "app/share/share_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/board/bus_balance.h"
#include "app/share/isolated_frames.h"

/* A criterion is met if the model is off by less. */
static const double CRITERION = 0.05;

/* R keeps the names of a file; a text has room for shorter ones. */
enum { COLUMNS = 9, NAME_BYTES = 256 };
static const char *const columns[COLUMNS] = {
    "run", "bus_percent",   "alone_ms", "slower_percent", "MVA_percent", "Reiser_percent", "shares_percent",
    "fit", "little_percent"};
static const char *const text_columns[COLUMNS] = {"run",      "bus_%",    "alone_ms", "slower_%", "MVA_%",
                                                  "Reiser_%", "shares_%", "fit",      "little_%"};

/* The name of a record without its folder and ".tokens", or that of a directory. */
static void shorten(const char *path, char name[NAME_BYTES])
{
    static const char ending[] = ".tokens";
    size_t length = strlen(path), end = sizeof ending - 1;
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *slash = memrchr(path, '/', length);
    const char *from = slash && length > 1 ? slash + 1 : path;
    snprintf(name, NAME_BYTES, "%.*s", (int)(path + length - from), from);
    length = strlen(name);
    if (length > end && strcmp(name + length - end, ending) == 0)
        name[length - end] = 0;
}

/* The short name of a run; its path if another record has the same short name. */
static const char *name_of(const struct share_case *b, unsigned run, char name[NAME_BYTES])
{
    char other[NAME_BYTES];
    shorten(b->names[run], name);
    for (unsigned i = 0; i < b->count; i++) {
        shorten(b->names[i], other);
        if (strcmp(b->names[i], b->names[run]) != 0 && strcmp(other, name) == 0)
            return b->names[run];
    }
    return name;
}

static void add_facts(struct result_table *table, const struct share_case *b, const struct share_choice *c)
{
    double rate = hardware_bus_bytes_per_s(b->hardware);
    result_table_add_fact(table, "boards", NUMBER(b->count));
    result_table_add_fact(table, "bus_bytes_per_s", NUMBER(rate));
    result_table_add_fact(table, "block_us", NUMBER(1e6 * share_theory_block_s(b)));
    result_table_add_fact(table, "balance_percent", NUMBER(100 * bus_balance_point(b->hardware)));
    result_table_add_fact(table, "stepsize_us", NUMBER(1e6 * share_theory_step_s(b, c)));
    result_table_add_fact(table, "clusters", NUMBER(c->clusters));
    result_table_add_fact(table, "seed", NUMBER((double)c->seed));
    if (c->bus_rate != 1)
        result_table_add_fact(table, "bus_rate", NUMBER(c->bus_rate));
}

/* The criteria that are met, by their letters. */
static const char *criteria_met(const struct isolated_fit *fit, char text[4])
{
    const double off[] = {fit->throughput, fit->time, fit->number};
    for (unsigned i = 0; i < 3; i++)
        text[i] = "-xwn"[off[i] < CRITERION ? i + 1 : 0];
    text[3] = 0;
    return text;
}

static void add_row(struct result_table *table, const struct share_case *b, const struct share_prediction *p,
                    unsigned i)
{
    char name[NAME_BYTES], met[4];
    result_table_add(table, TEXT(name_of(b, i, name)), NUMBER(100 * share_theory_bus(b, i)),
                     NUMBER(1e3 * b->alone[i]->end_s), NUMBER(100 * share_theory_simulated(b, i)));
    for (unsigned model = 0; model < PARALLEL_MODELS; model++)
        result_table_add(table, NUMBER(100 * share_theory_modelled(b, p, (enum parallel_model)model, i)));
    result_table_add(table, TEXT(criteria_met(&p->fit[i], met)), NUMBER(100 * p->fit[i].little));
}

static double bytes_of_others(const struct share_case *b)
{
    double all = 0, awaited = 0;
    for (unsigned i = 0; i < b->count; i++) {
        all += isolated_frames_bytes(b->alone[i], false);
        awaited += isolated_frames_bytes(b->alone[i], true);
    }
    return all > 0 ? 1 - awaited / all : 0;
}

static void add_notes(struct result_table *table, const struct share_case *b,
                      const struct share_prediction *p)
{
    result_table_note(table, "mean difference from slower_%%, in points: MVA %.2f, Reiser %.2f, shares %.2f",
                      100 * share_theory_error(b, p, PARALLEL_MVA),
                      100 * share_theory_error(b, p, PARALLEL_RESIDUAL_LIFE),
                      100 * share_theory_error(b, p, PARALLEL_FAIR_SHARES));
    double busy = 0;
    for (unsigned i = 0; i < b->count; i++)
        busy += share_theory_bus(b, i);
    result_table_note(table,
                      "tables included, these boards ask for %.3g of the bus; %.3g such boards fill it", busy,
                      b->count / busy);
    if (bytes_of_others(b) > 0)
        result_table_note(table, "no board waits for %.2g%% of the bytes, and only shares counts them",
                          100 * bytes_of_others(b));
    if (p->is_linearized)
        result_table_note(table, "MVA is an approximation here: Linearizer, for many customers");
}

int share_report_save(const struct share_case *b, const struct share_choice *choice,
                      const struct share_prediction *prediction, enum result_format format, const char *path,
                      struct why *why)
{
    struct result_table *table =
        result_table_new_styled(format == RESULT_TEXT ? text_columns : columns, COLUMNS,
                                &(struct result_style){.text_number = "%.4g", .schema = "mercury-share-1"});
    add_facts(table, b, choice);
    for (unsigned i = 0; i < b->count; i++)
        add_row(table, b, prediction, i);
    add_notes(table, b, prediction);
    int status = result_table_save(table, format, path, why);
    result_table_destroy(table);
    return status;
}
