#include "app/sweep/point/sweep_store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "base/draw/result_table.h"
#include "base/array.h"
#include "base/words.h"
#include "sim/board/hardware.h"
#include "app/run/search_options.h"

static const char *const first_names[SWEEP_TABLE_INPUTS] = {
    "identity", "query", "query_xxh3", "database", "database_xxh3", "strand", "evalue"};

size_t sweep_table_columns(void)
{
    return SWEEP_TABLE_INPUTS + hardware_parameter_count() + sweep_measures_of_nothing.count;
}

void sweep_table_destroy(struct sweep_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        for (size_t column = 0; column < sweep_table_columns(); column++)
            free(t->rows[i].fields[column]);
        free(t->rows[i].fields);
    }
    free(t->rows);
    *t = (struct sweep_table){0};
}

void sweep_table_add_row(struct sweep_table *t, enum point_kind kind)
{
    *ARRAY_NEXT(t->rows, t->count, t->room) =
        (struct sweep_row){memory_new(sweep_table_columns(), sizeof(char *)), kind};
}

int sweep_table_column(const char *name)
{
    int parameter = hardware_parameter_find(name);
    if (parameter >= 0)
        return SWEEP_TABLE_INPUTS + parameter;
    for (int i = 0; i < SWEEP_TABLE_INPUTS; i++)
        if (strcmp(first_names[i], name) == 0)
            return i;
    const struct sweep_measure *measure = sweep_measures_find(&sweep_measures_of_nothing, name);
    return measure ? (int)(SWEEP_TABLE_INPUTS + hardware_parameter_count()) +
                         (int)(measure - sweep_measures_of_nothing.items)
                   : -1;
}

const char *sweep_table_column_name(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? first_names[column]
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_name(column - SWEEP_TABLE_INPUTS)
               : sweep_measures_of_nothing.items[column - SWEEP_TABLE_INPUTS - parameters].name;
}

const char *sweep_table_column_unit(size_t column)
{
    size_t parameters = hardware_parameter_count();
    return column < SWEEP_TABLE_INPUTS ? ""
           : column < SWEEP_TABLE_INPUTS + parameters
               ? hardware_parameter_unit(column - SWEEP_TABLE_INPUTS)
               : sweep_measures_of_nothing.items[column - SWEEP_TABLE_INPUTS - parameters].unit;
}

/* The column whose begin is nearest to a name, of which the unit was left out; NULL if none is near enough. */
static const char *find_begin(const char *name)
{
    size_t length = strlen(name);
    const char *best = NULL;
    unsigned least = (unsigned)(length / 3) + 1;
    for (size_t i = 0; i < sweep_table_columns(); i++) {
        const char *known = sweep_table_column_name(i);
        for (size_t end = length > 0 ? length - 1 : 0; end <= length + 1 && end <= strlen(known); end++) {
            unsigned distance = nearest_distance(name, length, known, end);
            if (distance < least) {
                least = distance;
                best = known;
            }
        }
    }
    return best;
}

int sweep_table_refuse_column(const char *option, const char *name, int code, struct why *why)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (size_t i = 0; i < sweep_table_columns(); i++)
        nearest_look_at(&search, sweep_table_column_name(i));
    if (!search.name)
        search.name = find_begin(name);
    why_say(why, code, "%s: no column is called '%.60s'", option, name);
    nearest_suggest(&search, why);
    why_append(why, " (measures: mercury sweep columns)");
    return code;
}

enum { APPLICATION_ID = 0x4D537770 }; /* "MSwp" */

struct sweep_store {
    sqlite3 *database;
    char *path;
};

/* What a point is, as it was stored; a sweep that plans it later makes it a machine. */
static const char *const kinds[] = {
    [POINT_PLANNED] = "planned", [POINT_TRIED] = "tried", [POINT_FREE] = "free"};

/* --- errors ---------------------------------------------------------------------------------------------- */

static int refuse(const struct sweep_store *s, const char *what, struct why *why)
{
    return why_say(why, WHY_SAID, "%.500s: %s", s->path, what);
}

static const char damaged[] =
    "the store is damaged; keep it and start another one (.recover of sqlite3 may save points)";

static const struct fault {
    int of_sqlite;
    const char *what;
} faults[] = {
    {SQLITE_NOTADB, "is not a store of mercury sweep; name another file"},
    {SQLITE_CORRUPT, damaged},
    {SQLITE_BUSY, "another process has locked the store for a minute"},
    {SQLITE_READONLY, "may not be written"},
    {SQLITE_PERM, "may not be written"},
};

/* Turn SQLite's last error into one line. */
static int explain(const struct sweep_store *s, struct why *why)
{
    const int code = sqlite3_errcode(s->database) & 0xff;
    const int number = code == SQLITE_FULL || code == SQLITE_IOERR ? sqlite3_system_errno(s->database) : 0;
    const char *words = number                ? why_error(number)
                        : code == SQLITE_FULL ? "the disk is full"
                                              : sqlite3_errmsg(s->database);
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i].of_sqlite == code)
            return refuse(s, faults[i].what, why);
    if (code == SQLITE_NOMEM)
        memory_exhausted();
    if (code != SQLITE_FULL && code != SQLITE_IOERR)
        return refuse(s, words, why);
    return why_say(
        why, WHY_SAID,
        "%.500s: cannot be written: %s; the points stored so far are whole, and the same command continues",
        s->path, words);
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int execute(struct sweep_store *s, const char *sql, struct why *why)
{
    return sqlite3_exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : explain(s, why);
}

/* End a transaction, which leaves nothing unless all was done: after an error SQLite may have rolled it back already.
 * @return `status`, or why the transaction could not be committed */
static int end_transaction(struct sweep_store *s, int status, struct why *why)
{
    if (status == 0)
        status = execute(s, "commit", why);
    if (!sqlite3_get_autocommit(s->database))
        sqlite3_exec(s->database, "rollback", NULL, NULL, NULL);
    return status;
}

static sqlite3_stmt *prepare(struct sweep_store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(s->database, sql, -1, &statement, NULL);
    return statement;
}

/* @return for sqlite3_free() */
static char *finish(sqlite3_str *sql)
{
    char *text = sqlite3_str_finish(sql);
    if (!text)
        memory_exhausted();
    return text;
}

/* @return NULL if SQLite refuses it */
static sqlite3_stmt *prepare_made(struct sweep_store *s, sqlite3_str *sql)
{
    char *text = finish(sql);
    sqlite3_stmt *statement = prepare(s, text);
    sqlite3_free(text);
    return statement;
}

/* Append a format with the names of columns, which are those of the table. */
static void add_columns(sqlite3_str *sql, const char *format, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        sqlite3_str_appendf(sql, format, sweep_table_column_name(i), sweep_table_column_name(i));
}

/* Rows are in the order of their inputs and parameters, whatever order they were added in; numbers by their size. */
static void add_order(sqlite3_str *select)
{
    sqlite3_str_appendall(select, " order by null");
    add_columns(select, ", \"%s\"", 1, SWEEP_TABLE_INPUTS);
    add_columns(select, ", cast(\"%s\" as real), \"%s\"", SWEEP_TABLE_INPUTS,
                SWEEP_TABLE_INPUTS + hardware_parameter_count());
    sqlite3_str_appendall(select, ", identity");
}

static void bind(sqlite3_stmt *q, int parameter, const char *text)
{
    sqlite3_bind_text(q, parameter, text, -1, SQLITE_TRANSIENT);
}

/* Run a statement that gives no rows; SQLite refuses NULL. */
static int run(struct sweep_store *s, sqlite3_stmt *q, struct why *why)
{
    bool done = sqlite3_step(q) == SQLITE_DONE;
    return sqlite3_reset(q) == SQLITE_OK && done ? 0 : explain(s, why);
}

/* End a walk over rows. */
static int end_rows(struct sweep_store *s, sqlite3_stmt *q, int step, struct why *why)
{
    int status = step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite3_finalize(q);
    return status;
}

enum { ANSWER_BYTES = 80 };

/* Ask for one value, which is empty if there is none. @param key  the query's parameter, or NULL if it has none */
static int ask(struct sweep_store *s, const char *sql, const char *key, char answer[ANSWER_BYTES],
               struct why *why)
{
    sqlite3_stmt *q = prepare(s, sql);
    if (key)
        bind(q, 1, key);
    int step = sqlite3_step(q);
    const unsigned char *text = step == SQLITE_ROW ? sqlite3_column_text(q, 0) : NULL;
    snprintf(answer, ANSWER_BYTES, "%s", text ? (const char *)text : "");
    return end_rows(s, q, step == SQLITE_ROW ? SQLITE_DONE : step, why);
}

static int ask_whether_empty(struct sweep_store *s, bool *empty, struct why *why)
{
    char tables[ANSWER_BYTES];
    int status = ask(s, "select count(*) from sqlite_master", NULL, tables, why);
    *empty = strcmp(tables, "0") == 0;
    return status;
}

/* --- opening --------------------------------------------------------------------------------------------- */

/* Another process may be creating the store at the same time: look again inside the transaction. */
static int create(struct sweep_store *s, struct why *why)
{
    bool empty = false;
    int status = execute(s, "begin immediate", why);
    if (status == 0)
        status = ask_whether_empty(s, &empty, why);
    if (status || !empty)
        return end_transaction(s, status, why);
    sqlite3_str *sql = sqlite3_str_new(s->database);
    sqlite3_str_appendf(
        sql,
        "create table store(name text primary key, value text not null) without rowid;"
        "create table sweeps(sweep integer primary key, description text not null);"
        "create table planned(sweep integer not null, identity text not null, primary key(sweep, identity)) "
        "without rowid;"
        " pragma application_id = %d; pragma user_version = %d;"
        "insert into store values('program', %Q);"
        "create table points(point integer primary key, kind text not null",
        APPLICATION_ID, SWEEP_STORE_VERSION, MERCURY_VERSION);
    add_columns(sql, ", \"%s\"", 0, sweep_table_columns());
    /* what `sweep export` prints, for other programs */
    sqlite3_str_appendf(sql, ", stored real not null, unique(identity)); create view export as select \"%s\"",
                        sweep_table_column_name(0));
    add_columns(sql, ", \"%s\"", 1, sweep_table_columns());
    sqlite3_str_appendall(sql, " from points");
    add_order(sql);
    char *text = finish(sql);
    status = execute(s, text, why);
    sqlite3_free(text);
    return end_transaction(s, status, why);
}

static int check_version(struct sweep_store *s, struct why *why)
{
    char application[ANSWER_BYTES], version[ANSWER_BYTES], program[ANSWER_BYTES];
    int status = ask(s, "pragma application_id", NULL, application, why);
    if (status == 0)
        status = ask(s, "pragma user_version", NULL, version, why);
    if (status)
        return status;
    if (atoi(application) != APPLICATION_ID)
        return refuse(s, "is an SQLite file, but not a store of mercury sweep; name another file", why);
    if (atoi(version) != SWEEP_STORE_VERSION)
        return why_say(why, WHY_SAID,
                       "%.500s: is a store of version %s; this mercury knows version %d; start another store",
                       s->path, version, SWEEP_STORE_VERSION);
    status = ask(s, "select value from store where name = 'program'", NULL, program, why);
    if (status == 0 && strcmp(program, MERCURY_VERSION) != 0)
        return why_say(
            why, WHY_SAID,
            "%.500s: is a store of mercury %.20s; this is %s, whose results may differ; start another"
            " store",
            s->path, program, MERCURY_VERSION);
    return status;
}

static int check_file(const struct sweep_store *s, bool may_create, struct why *why)
{
    struct stat status;
    if (!*s->path || strcmp(s->path, "-") == 0 || *s->path == ':') /* SQLite keeps such files in memory */
        return refuse(s, "cannot be the name of a store, which is a file", why);
    if (stat(s->path, &status) != 0)
        return errno == ENOENT && may_create ? 0 : refuse(s, why_error(errno), why);
    if (!S_ISREG(status.st_mode))
        return refuse(s, "is not a plain file, as a store is", why);
    if (status.st_size == 0 && !may_create)
        return refuse(s, "is empty, so it is not a store of mercury sweep", why);
    return 0;
}

static int open_database(struct sweep_store *s, bool may_create, struct why *why)
{
    int flags = SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0);
    bool empty = false;
    if (sqlite3_open_v2(s->path, &s->database, flags, NULL) != SQLITE_OK)
        return explain(s, why);
    sqlite3_busy_timeout(s->database, SWEEP_STORE_WAIT_MS);
    int status = ask_whether_empty(s, &empty, why);
    if (status == 0 && empty && may_create)
        status = create(s, why);
    if (status == 0)
        status = check_version(s, why);
    char verdict[ANSWER_BYTES];
    if (status == 0)
        status = ask(s, "pragma quick_check(1)", NULL, verdict, why);
    if (status == 0 && strcmp(verdict, "ok") != 0)
        status = refuse(s, damaged, why);
    return status ? status : execute(s, "pragma synchronous = extra", why);
}

int sweep_store_open(const char *path, bool may_create, struct sweep_store **out, struct why *why)
{
    struct sweep_store *s = memory_new(1, sizeof *s);
    s->path = memory_text(path ? path : ":memory:");
    int status = path ? check_file(s, may_create, why) : 0;
    if (status == 0)
        status = open_database(s, may_create, why);
    if (status) {
        sweep_store_close(s);
        return status;
    }
    *out = s;
    return 0;
}

void sweep_store_close(struct sweep_store *s)
{
    if (!s)
        return;
    if (s->database)
        sqlite3_close(s->database);
    free(s->path);
    free(s);
}

/* --- writing --------------------------------------------------------------------------------------------- */

int sweep_store_plan(struct sweep_store *s, const struct sweep_plan *plan, const char *description,
                     size_t *sweep, struct why *why)
{
    int status = execute(s, "begin immediate", why);
    if (status)
        return status;
    sqlite3_stmt *of_sweep = prepare(s, "insert into sweeps(description) values(?)"),
                 *of_point = prepare(s, "insert into planned values(last_insert_rowid(), ?)");
    bind(of_sweep, 1, description);
    status = run(s, of_sweep, why);
    *sweep = (size_t)sqlite3_last_insert_rowid(s->database);
    for (size_t i = 0; i < plan->point_count && status == 0; i++) {
        bind(of_point, 1, plan->points[i].identity);
        status = run(s, of_point, why);
    }
    sqlite3_finalize(of_sweep);
    sqlite3_finalize(of_point);
    return end_transaction(s, status, why);
}

int sweep_store_has(struct sweep_store *s, const char *identity, struct why *why)
{
    char answer[ANSWER_BYTES];
    int status = ask(s, "select 1 from points where identity = ?", identity, answer, why);
    return status ? status : *answer != '\0';
}

/* The columns before the parameters, in their order. @return the number of the next parameter of the statement */
static int bind_inputs(sqlite3_stmt *q, int at, const struct sweep_plan *plan, size_t point)
{
    const struct sweep_input *input = sweep_plan_input(plan, point);
    char query[24], database[24];
    snprintf(query, sizeof query, "%016" PRIx64, input->query->digest);
    snprintf(database, sizeof database, "%016" PRIx64, input->database->digest);
    const char *const texts[SWEEP_TABLE_INPUTS - 1] = {
        plan->points[point].identity, input->query_path, query,
        input->database_path,         database,          search_options_strand_name(plan->request->strands)};
    for (int i = 0; i < SWEEP_TABLE_INPUTS - 1; i++)
        bind(q, at++, texts[i]);
    sqlite3_bind_double(q, at++, plan->request->e_value);
    return at;
}

int sweep_store_put(struct sweep_store *s, const struct sweep_plan *plan, size_t point, enum point_kind kind,
                    const struct sweep_measures *measures, struct why *why)
{
    sqlite3_str *insert = sqlite3_str_new(s->database);
    sqlite3_str_appendall(insert, "insert or ignore into points values(null, ?");
    add_columns(insert, ", ?", 0, sweep_table_columns());
    sqlite3_str_appendall(insert, ", julianday('now'))");
    sqlite3_stmt *q = prepare_made(s, insert);
    int at = 1;
    bind(q, at++, kinds[kind]);
    at = bind_inputs(q, at, plan, point);
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        bind(q, at++, hardware_parameter_value(&plan->points[point].hardware, i).text);
    for (const struct sweep_measure *m = measures->items; m < measures->items + measures->count; m++, at++)
        if (m->kind == MEASURE_TEXT)
            bind(q, at, m->text);
        else if (m->kind == MEASURE_WHOLE)
            sqlite3_bind_int64(q, at, (int64_t)m->number);
        else
            sqlite3_bind_double(q, at, m->number); /* SQLite takes NaN for null */
    int status = run(s, q, why);
    sqlite3_finalize(q);
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------- */

/* A value as it is exported; 12 digits tell all numbers apart that differ for a reason. An infinite number, which
 * another program has put there, is none. */
static char *field_text(sqlite3_stmt *q, int column)
{
    char number[40];
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_NULL:
        return memory_text("NA");
    case SQLITE_FLOAT:
        if (!isfinite(sqlite3_column_double(q, column)))
            return memory_text("NA");
        snprintf(number, sizeof number, "%.12g", sqlite3_column_double(q, column));
        return memory_text(number);
    default:
        return memory_text((const char *)sqlite3_column_text(q, column));
    }
}

static enum point_kind kind_of(const unsigned char *text)
{
    enum point_kind kind = POINT_FREE;
    while (kind > POINT_PLANNED && !(text && strcmp((const char *)text, kinds[kind]) == 0))
        kind--;
    return kind;
}

int sweep_store_load(struct sweep_store *s, size_t sweep, struct sweep_table *t, struct why *why)
{
    sqlite3_str *select = sqlite3_str_new(s->database);
    sqlite3_str_appendall(
        select, "select case when identity in (select identity from planned) then 'planned' else kind end");
    add_columns(select, ", \"%s\"", 0, sweep_table_columns());
    sqlite3_str_appendall(
        select, " from points where ?1 = 0 or identity in (select identity from planned where sweep = ?1)");
    add_order(select);
    sqlite3_stmt *q = prepare_made(s, select);
    sqlite3_bind_int64(q, 1, (sqlite3_int64)sweep);
    *t = (struct sweep_table){0};
    int step;
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        sweep_table_add_row(t, kind_of(sqlite3_column_text(q, 0)));
        for (size_t i = 0; i < sweep_table_columns(); i++)
            t->rows[t->count - 1].fields[i] = field_text(q, (int)i + 1);
    }
    int status = end_rows(s, q, step, why);
    if (status)
        sweep_table_destroy(t);
    return status;
}

/* The columns that are exported. @param names  separated by commas, or NULL for all columns */
static int add_chosen(sqlite3_str *select, const char *names, struct why *why)
{
    if (!names)
        add_columns(select, ", \"%s\"", 0, sweep_table_columns());
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        int column = sweep_table_column(name);
        if (column < 0)
            return sweep_table_refuse_column("--columns", name, WHY_SAID, why);
        add_columns(select, ", \"%s\"", (size_t)column, (size_t)column + 1);
    }
    return 0;
}

/* Write what a query gives, from a column on, with its names. @param q  is finalized */
static int write_rows(struct sweep_store *s, sqlite3_stmt *q, int first, FILE *out, struct why *why)
{
    const int columns = sqlite3_column_count(q);
    int step = sqlite3_step(q);
    for (int i = first; i < columns && (step == SQLITE_ROW || step == SQLITE_DONE); i++)
        fprintf(out, "%s%c", sqlite3_column_name(q, i), i + 1 < columns ? '\t' : '\n');
    for (; step == SQLITE_ROW; step = sqlite3_step(q))
        for (int i = first; i < columns; i++) {
            auto_free char *field = field_text(q, i);
            result_table_write_field(field, out);
            fputc(i + 1 < columns ? '\t' : '\n', out);
        }
    return end_rows(s, q, step, why);
}

int sweep_store_export(struct sweep_store *s, const char *columns, FILE *out, struct why *why)
{
    sqlite3_str *select = sqlite3_str_new(s->database);
    sqlite3_str_appendall(select, "select null");
    int status = add_chosen(select, columns, why);
    sqlite3_str_appendall(select, " from export");
    sqlite3_stmt *q = prepare_made(s, select);
    if (status == 0)
        return write_rows(s, q, 1, out, why);
    sqlite3_finalize(q);
    return status;
}

/* How many points a sweep has stored in the last ten minutes tells how long the others take. */
int sweep_store_write_status(struct sweep_store *s, FILE *out, struct why *why)
{
    return write_rows(
        s,
        prepare(
            s,
            "with latest as (select *, julianday('now', '-10 minutes') as since from sweeps"
            "  where sweep in (select max(sweep) from sweeps group by description)),"
            " progress as (select sweep, count(*) as points, count(points.point) as done, description,"
            "  sum(stored > since) / max(86400 * (julianday('now') - max(min(stored), since)), 1e-3) as rate"
            "  from latest join planned using (sweep) left join points using (identity) group by sweep)"
            " select sweep, points, done,"
            "  case when rate > 0 and done < points then printf('%.3g', rate) end as per_second,"
            "  case when done = points then 0 when rate > 0 then printf('%.3g', (points - done) / rate) end"
            "  as left_s, description from progress order by sweep"),
        0, out, why);
}
