#include "traces/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "base/shown.h"

static const struct explain_row numbers[] = {
#include "traces/numbers_rows.inc"
};

static const struct explain_row words[] = {
#include "traces/words_rows.inc"
};

/* --- a layout's explanations ------------------------------------------------------------------------------ */

static const char OBJECT_OF_QUEUE[] = "an object: see the names under queue";
static const char OBJECT_OF_TIMES[] = "an object: see the names under times";

/* What a row says, NULL if it says nothing. */
static const char *said(const char *text)
{
    return text && *text ? text : NULL;
}

/* There is room. @param row  has an owner */
static struct explanation *append(struct explanations *all, const char *suffix, struct explain_row row)
{
    struct explanation *e = &all->items[all->count++];
    *e = (struct explanation){.owner = row.owner,
                              .meaning = row.meaning,
                              .unit = row.unit ? row.unit : "",
                              .computed = said(row.computed),
                              .source = said(row.source)};
    snprintf(e->name, sizeof e->name, "%s%s", row.name, suffix);
    return e;
}

static void reserve(struct explanations *all, size_t count)
{
    array_reserve(&all->items, &all->room, all->count, count, sizeof *all->items);
}

static void append_layout(struct explanations *all, const struct frame_layout *layout)
{
    for (const struct counter_spec *c = layout->counters; c < layout->counters + layout->counter_count; c++) {
        struct explanation *e =
            append(all, frame_suffix(c->kind),
                   (struct explain_row){c->name, c->meaning, c->unit, c->computed, c->source, c->stage});
        e->is_flow = c->kind == COUNTER_FLOW;
        if (c->kind != COUNTER_BUSY)
            continue;
        e = append(all, "_utilisation",
                   (struct explain_row){c->name, c->utilisation, "1", NULL, c->utilisation_source, c->stage});
        snprintf(e->formula, sizeof e->formula, "%s_clocks / clocks", c->name);
    }
    for (const struct ratio_spec *r = layout->ratios; r < layout->ratios + layout->ratio_count; r++) {
        const struct counter_spec *part = &layout->counters[r->numerator],
                                  *whole = &layout->counters[r->denominator];
        struct explanation *e =
            append(all, "", (struct explain_row){r->name, r->meaning, r->unit, NULL, r->source, r->stage});
        snprintf(e->formula, sizeof e->formula, "%s%s / %s%s", part->name, frame_suffix(part->kind),
                 whole->name, frame_suffix(whole->kind));
    }
    for (const struct gauge_spec *g = layout->gauges; g < layout->gauges + layout->gauge_count; g++)
        append(all, "", (struct explain_row){g->name, g->meaning, g->unit, g->computed, g->source, g->stage});
    for (const struct queue_spec *q = layout->queues; q < layout->queues + layout->queue_count; q++)
        append(all, "",
               (struct explain_row){q->name, q->meaning, q->element, OBJECT_OF_QUEUE, q->source, q->stage});
    for (const struct interval_spec *t = layout->intervals; t < layout->intervals + layout->interval_count;
         t++)
        append(all, "", (struct explain_row){t->name, t->meaning, "clocks", OBJECT_OF_TIMES, NULL, t->stage});
}

void explain_add(struct explanations *all, const struct explain_row *rows, size_t count)
{
    reserve(all, count);
    for (const struct explain_row *row = rows; row < rows + count; row++) {
        struct explain_row whole = *row;
        if (!row->name) {
            all->owner = row->owner;
            all->source = row->source;
            continue;
        }
        whole.owner = all->owner;
        whole.source = said(row->source) ? row->source : all->source;
        append(all, "", whole);
    }
}

void explain_add_words(struct explanations *all)
{
    explain_add(all, words, sizeof words / sizeof words[0]);
}

void explain_begin(struct explanations *all, const struct frame_layout *layout,
                   const struct catalogue *catalogue)
{
    *all = (struct explanations){0};
    reserve(all, 2 * layout->counter_count + layout->ratio_count + layout->gauge_count + layout->queue_count +
                     layout->interval_count);
    append_layout(all, layout);
    explain_add(all, numbers, sizeof numbers / sizeof numbers[0]);
    explain_add(all, &(struct explain_row){.owner = "directive"}, 1);
    for (const struct metric_spec *m = catalogue->metrics; m < catalogue->metrics + catalogue->metric_count;
         m++)
        explain_add(all, &(struct explain_row){m->name, m->meaning, m->unit, m->computed, m->source}, 1);
}

void explain_end(struct explanations *all)
{
    free(all->items);
    *all = (struct explanations){0};
}

/* --- finding --------------------------------------------------------------------------------------------- */

static const char PER_SECOND[] = "_per_s";
enum { PATH_MAX_BYTES = 256 };

static bool names(const struct explanation *e, const char *name)
{
    size_t length = strlen(e->name);
    if (strncmp(e->name, name, length) != 0)
        return false;
    return name[length] == '\0' || (e->is_flow && strcmp(name + length, PER_SECOND) == 0);
}

static bool is_known(const struct explanations *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (names(&all->items[i], name))
            return true;
    return false;
}

/* The last part of a path, and the part before it. */
struct wanted {
    char path[PATH_MAX_BYTES];
    const char *owner; /* NULL if the path has one part */
    const char *name;
};

static void split(const struct explanations *all, const char *path, struct wanted *w)
{
    size_t length = strlen(path);
    if (length > 2 && strcmp(path + length - 2, "_%") == 0) /* so a text heads a column of _percent */
        snprintf(w->path, sizeof w->path, "%.*spercent", (int)length - 1, path);
    else
        snprintf(w->path, sizeof w->path, "%s", path);
    w->owner = NULL;
    w->name = w->path;
    if (is_known(all, w->path)) /* M/M/1 is a name, not a path */
        return;
    for (char *c = w->path; *c; c++)
        if (*c == '/')
            *c = '.';
    char *dot = strrchr(w->path, '.');
    if (!dot)
        return;
    w->name = dot + 1;
    *dot = '\0';
    char *before = strrchr(w->path, '.');
    w->owner = before ? before + 1 : w->path;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* A pass's intervals have quantities of Dor's tables. */
static bool owns(const struct explanation *e, const char *owner)
{
    static const char *const quantities[] = {"lambda_", "rho_", "N_Q_", "P_BP_"};
    bool is_queue =
             ends_with(owner, "_fifo") || strcmp(owner, "host_queue") == 0 || strcmp(owner, "inbox") == 0,
         is_quantity = false;
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        is_quantity |= strncmp(owner, quantities[i], strlen(quantities[i])) == 0;
    return strcmp(e->owner, owner) == 0 || (strcmp(e->owner, "queue") == 0 && is_queue) ||
           (strcmp(e->owner, "times") == 0 && ends_with(owner, "_times")) ||
           (strcmp(e->owner, "interval") == 0 && is_quantity);
}

bool explain_knows(const struct explanations *all, const char *name)
{
    struct wanted w;
    split(all, name, &w);
    return is_known(all, w.name);
}

const char *explain_nearest(const struct explanations *all, const char *name)
{
    struct wanted w;
    split(all, name, &w);
    struct nearest search = {.wanted = w.name, .length = strlen(w.name)};
    for (size_t i = 0; i < all->count; i++)
        nearest_look_at(&search, all->items[i].name);
    return search.name;
}

/* --- writing --------------------------------------------------------------------------------------------- */

enum { INDENT = 12 };

static void write_part(const char *title, const char *text, FILE *out)
{
    fprintf(out, "  %-*s", INDENT - 2, title);
    shown_words(text, INDENT, INDENT, out);
}

size_t explain_write(const struct explanations *all, const char *name, FILE *out)
{
    struct wanted w;
    split(all, name, &w);
    bool of_one_owner = false; /* an explanation of the wanted name belongs to the wanted owner */
    size_t written = 0;
    for (size_t i = 0; w.owner && i < all->count; i++)
        of_one_owner |= names(&all->items[i], w.name) && owns(&all->items[i], w.owner);
    for (size_t i = 0; i < all->count; i++) {
        const struct explanation *e = &all->items[i];
        if (!names(e, w.name) || (of_one_owner && !owns(e, w.owner)))
            continue;
        const bool is_rate = strcmp(e->name, w.name) != 0;
        char computed[1024];
        snprintf(computed, sizeof computed, "%s%s", e->computed ? e->computed : e->formula,
                 is_rate ? "; divided by measured_time_s" : "");
        fprintf(out, "%s%s.%s%s", written++ > 0 ? "\n" : "", e->owner, e->name, is_rate ? PER_SECOND : "");
        if (e->unit[0] != '\0')
            fprintf(out, "  [%s%s]", strcmp(e->unit, "1") == 0 ? "a fraction, no unit" : e->unit,
                    is_rate ? "/s" : "");
        fprintf(out, "\n  ");
        shown_words(e->meaning, 2, 2, out);
        if (computed[0] != '\0')
            write_part("computed", computed, out);
        write_part("source", e->source ? e->source : "this program; no publication reports it", out);
    }
    return written;
}

void explain_write_list(const struct explanations *all, FILE *out)
{
    for (size_t first = 0; first < all->count; first++) {
        const char *owner = all->items[first].owner;
        size_t before = 0;
        while (before < first && strcmp(all->items[before].owner, owner) != 0)
            before++;
        if (before < first)
            continue;
        fprintf(out, "%s%s\n", first == 0 ? "" : "\n", owner);
        for (size_t i = first; i < all->count; i++) {
            const struct explanation *e = &all->items[i];
            if (strcmp(e->owner, owner) == 0)
                shown_words(e->meaning, fprintf(out, "  %-30s %-10s ", e->name, e->unit), INDENT, out);
        }
    }
}
