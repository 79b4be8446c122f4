#include "traces/explain.h"

#include <stdbool.h>
#include <string.h>

#include "base/nearest.h"

/* --- finding --------------------------------------------------------------------------------------------- */

static const char PER_SECOND[] = "_per_s";
enum { PATH_MAX_BYTES = 256 };

/* Whether `length` bytes are an explanation's name, or its rate's. */
static bool names(const struct explanation *e, const char *name, size_t length)
{
    size_t own = strlen(e->name);
    if (length == own && memcmp(e->name, name, length) == 0)
        return true;
    return e->is_flow && length == own + strlen(PER_SECOND) && memcmp(e->name, name, own) == 0 &&
           memcmp(name + own, PER_SECOND, strlen(PER_SECOND)) == 0;
}

/* A path's last part and the one before it. */
struct wanted {
    char path[PATH_MAX_BYTES];
    const char *owner, *name; /* owner NULL: none given */
};

static bool is_known(const char *name)
{
    size_t count;
    const struct explanation *all = explain_all(&count);
    for (size_t i = 0; i < count; i++)
        if (names(&all[i], name, strlen(name)))
            return true;
    return false;
}

static struct wanted *split(const char *path, struct wanted *w)
{
    snprintf(w->path, sizeof w->path, "%s", path);
    w->owner = NULL;
    w->name = w->path;
    if (is_known(w->path)) /* M/M/1 is a name, not a path */
        return w;
    for (char *c = w->path; *c; c++)
        if (*c == '/')
            *c = '.';
    char *dot = strrchr(w->path, '.');
    if (!dot)
        return w;
    w->name = dot + 1;
    *dot = '\0';
    char *before = strrchr(w->path, '.');
    w->owner = before ? before + 1 : w->path;
    return w;
}

static bool is_queue(const char *owner)
{
    const char *end = strrchr(owner, '_');
    return (end && strcmp(end, "_fifo") == 0) || strcmp(owner, "inbox") == 0;
}

static bool is_times(const char *owner)
{
    const char *end = strrchr(owner, '_');
    return end && strcmp(end, "_times") == 0;
}

/* A quantity of Dor's tables, as a pass's intervals have them. */
static bool is_quantity(const char *owner)
{
    static const char *const kinds[] = {"lambda_", "rho_", "N_Q_", "P_BP_"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(owner, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static bool owns(const struct explanation *e, const char *owner)
{
    return strcmp(e->owner, owner) == 0 || (strcmp(e->owner, "queue") == 0 && is_queue(owner)) ||
           (strcmp(e->owner, "times") == 0 && is_times(owner)) ||
           (strcmp(e->owner, "interval") == 0 && is_quantity(owner));
}

/* How many of the name there are at all, and of this owner. */
static void count_named(const struct wanted *w, size_t *of_name, size_t *of_owner)
{
    size_t count;
    const struct explanation *all = explain_all(&count);
    *of_name = *of_owner = 0;
    for (size_t i = 0; i < count; i++) {
        if (!names(&all[i], w->name, strlen(w->name)))
            continue;
        ++*of_name;
        *of_owner += w->owner && owns(&all[i], w->owner);
    }
}

const char *explain_nearest(const char *name)
{
    size_t count;
    const struct explanation *all = explain_all(&count);
    struct wanted w;
    split(name, &w);
    struct nearest search = {.wanted = w.name, .length = strlen(w.name)};
    for (size_t i = 0; i < count; i++)
        nearest_look_at(&search, all[i].name);
    return search.name;
}

/* --- writing --------------------------------------------------------------------------------------------- */

static void write_one(const struct explanation *e, bool is_rate, FILE *out)
{
    bool has_unit = e->unit[0] != '\0' || is_rate;
    fprintf(out, "%s.%s%s", e->owner, e->name, is_rate ? PER_SECOND : "");
    if (has_unit)
        fprintf(out, "  [%s%s]", strcmp(e->unit, "1") == 0 ? "a fraction, no unit" : e->unit,
                is_rate ? "/s" : "");
    fprintf(out, "\n  %s\n", e->meaning);
    fprintf(out, "  computed  %s%s\n", e->computed, is_rate ? "; divided by measured_time_s" : "");
    fprintf(out, "  source    %s\n", e->source ? e->source : "this program; no paper reports it");
}

bool explain_knows(const char *name)
{
    size_t of_name, of_owner;
    struct wanted w;
    count_named(split(name, &w), &of_name, &of_owner);
    return of_name > 0;
}

size_t explain_write(const char *name, FILE *out)
{
    size_t count, of_name, of_owner, written = 0;
    const struct explanation *all = explain_all(&count);
    struct wanted w;
    count_named(split(name, &w), &of_name, &of_owner);
    for (size_t i = 0; i < count; i++) {
        const struct explanation *e = &all[i];
        if (!names(e, w.name, strlen(w.name)) || (of_owner > 0 && !owns(e, w.owner)))
            continue;
        if (written++ > 0)
            fputc('\n', out);
        write_one(e, strcmp(e->name, w.name) != 0, out);
    }
    return written;
}

void explain_write_list(FILE *out)
{
    size_t count;
    const struct explanation *all = explain_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(all[i].owner, all[i - 1].owner) != 0)
            fprintf(out, "%s%s\n", i == 0 ? "" : "\n", all[i].owner);
        fprintf(out, "  %-30s %-10s %s\n", all[i].name, all[i].unit, all[i].meaning);
    }
}
