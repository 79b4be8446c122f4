#include "app/sweep/point/sweep_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/printable.h"
#include "app/run/search_options.h"
#include "app/sweep/point/sqlite_library.h"

enum { APPLICATION_ID = 0x4D537770 }; /* "MSwp" */

static const struct sqlite_library *sqlite; /* NULL until a store is opened */

struct sweep_store {
    sqlite3 *database;
    char *path;
};

static const char schema[] =
    "create table store(name text primary key, value text not null) without rowid;"
    "create table sweeps(sweep integer primary key, description text not null);"
    "create table planned(sweep integer not null, identity text not null, primary key(sweep, identity)) "
    "without rowid;"
    "create table points(point integer primary key, identity text not null unique, query text not null,"
    " query_xxh3 text not null, database text not null, database_xxh3 text not null, strand text not null,"
    " evalue real not null);"
    "create table settings(point integer not null, name text not null, value text not null,"
    " primary key(point, name)) without rowid;"
    "create table measures(point integer not null, name text not null, value,"
    " primary key(point, name)) without rowid;";

/* --- errors ---------------------------------------------------------------------------------------------- */

static int refuse(const struct sweep_store *s, int code, const char *what, struct why *why)
{
    return why_say(why, code, "%.500s: %s", s->path, what);
}

static int refuse_damaged(const struct sweep_store *s, struct why *why)
{
    return refuse(s, SWEEP_STORE_EFORMAT,
                  "the store is damaged; keep it and start another one (.recover of sqlite3 may save points)",
                  why);
}

/* Turn SQLite's last error into one line and a code. */
static int refuse_memory(const struct sweep_store *s, struct why *why)
{
    why_no_memory(why, SWEEP_STORE_EMEMORY);
    return why_precede(why, SWEEP_STORE_EMEMORY, "%.500s: ", s->path);
}

static int explain(const struct sweep_store *s, struct why *why)
{
    int code = sqlite->errcode(s->database) & 0xff;
    switch (code) {
    case SQLITE_NOTADB:
        return refuse(s, SWEEP_STORE_EFORMAT, "is not a store of mercury sweep; name another file", why);
    case SQLITE_CORRUPT:
        return refuse_damaged(s, why);
    case SQLITE_BUSY:
        return refuse(s, SWEEP_STORE_EOPEN, "another process has locked the store for a minute", why);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return refuse(s, SWEEP_STORE_EWRITE, "may not be written", why);
    case SQLITE_NOMEM:
        return refuse_memory(s, why);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return why_say(
            why, SWEEP_STORE_EWRITE,
            "%.500s: cannot be written: %s; the points stored so far are whole, and the same command continues",
            s->path, code == SQLITE_FULL ? "the disk is full" : sqlite->errmsg(s->database));
    default:
        return refuse(s, SWEEP_STORE_EOPEN, sqlite->errmsg(s->database), why);
    }
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int execute(struct sweep_store *s, const char *sql, struct why *why)
{
    return sqlite->exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : explain(s, why);
}

/* A transaction that was not completed must leave nothing; after an error SQLite may have rolled it back already. */
static void roll_back(struct sweep_store *s)
{
    if (!sqlite->get_autocommit(s->database))
        sqlite->exec(s->database, "rollback", NULL, NULL, NULL);
}

/* End a transaction: commit if all was `done`, else say what failed. */
static int end_transaction(struct sweep_store *s, bool done, struct why *why)
{
    int status = done ? execute(s, "commit", why) : explain(s, why);
    roll_back(s);
    return status;
}

static sqlite3_stmt *prepare(struct sweep_store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite->prepare_v2(s->database, sql, -1, &statement, NULL);
    return statement;
}

/* Run a statement that gives no rows with the values of its parameters, one letter each: t const char *, i int64_t,
 * d double (NaN is stored as null). */
static bool run(sqlite3_stmt *q, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    for (int i = 1; q && *types; i++, types++)
        if (*types == 't')
            sqlite->bind_text(q, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        else if (*types == 'i')
            sqlite->bind_int64(q, i, va_arg(values, int64_t));
        else
            sqlite->bind_double(q, i, va_arg(values, double));
    va_end(values);
    bool done = q && sqlite->step(q) == SQLITE_DONE;
    return q && sqlite->reset(q) == SQLITE_OK && done;
}

enum { ANSWER_BYTES = 80 };

/* Ask for one value, which is empty if there is none. @param key  the query's parameter, or NULL if it has none */
static int ask(struct sweep_store *s, const char *sql, const char *key, char answer[ANSWER_BYTES],
               struct why *why)
{
    sqlite3_stmt *q = prepare(s, sql);
    if (q && key)
        sqlite->bind_text(q, 1, key, -1, SQLITE_STATIC);
    int step = q ? sqlite->step(q) : SQLITE_ERROR;
    const unsigned char *text = step == SQLITE_ROW ? sqlite->column_text(q, 0) : NULL;
    snprintf(answer, ANSWER_BYTES, "%s", text ? (const char *)text : "");
    int status = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite->finalize(q);
    return status;
}

static int ask_whether_empty(struct sweep_store *s, bool *empty, struct why *why)
{
    char tables[ANSWER_BYTES];
    int status = ask(s, "select count(*) from sqlite_master", NULL, tables, why);
    *empty = strcmp(tables, "0") == 0;
    return status;
}

/* --- opening --------------------------------------------------------------------------------------------- */

static int create_schema(struct sweep_store *s, struct why *why)
{
    char sql[256];
    snprintf(
        sql, sizeof sql,
        "pragma application_id = %d; pragma user_version = %d; insert into store values('program', '%s');",
        APPLICATION_ID, SWEEP_STORE_VERSION, MERCURY_VERSION);
    int status = execute(s, schema, why);
    return status ? status : execute(s, sql, why);
}

/* Another process may be creating the store at the same time: look again inside the transaction. */
static int create(struct sweep_store *s, struct why *why)
{
    bool empty = false;
    int status = execute(s, "begin immediate", why);
    if (status == 0)
        status = ask_whether_empty(s, &empty, why);
    if (status == 0 && empty)
        status = create_schema(s, why);
    if (status == 0)
        status = execute(s, "commit", why);
    roll_back(s);
    return status;
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
        return refuse(s, SWEEP_STORE_EFORMAT,
                      "is an SQLite file, but not a store of mercury sweep; name another file", why);
    if (atoi(version) != SWEEP_STORE_VERSION)
        return why_say(why, SWEEP_STORE_EVERSION,
                       "%.500s: is a store of version %s; this mercury knows version %d; start another store",
                       s->path, version, SWEEP_STORE_VERSION);
    status = ask(s, "select value from store where name = 'program'", NULL, program, why);
    if (status == 0 && strcmp(program, MERCURY_VERSION) != 0)
        return why_say(
            why, SWEEP_STORE_EVERSION,
            "%.500s: is a store of mercury %.20s; this is %s, whose results may differ; start another"
            " store",
            s->path, program, MERCURY_VERSION);
    return status;
}

static int check_whole(struct sweep_store *s, struct why *why)
{
    char verdict[ANSWER_BYTES];
    int status = ask(s, "pragma quick_check(1)", NULL, verdict, why);
    return status || strcmp(verdict, "ok") == 0 ? status : refuse_damaged(s, why);
}

static int check_file(const struct sweep_store *s, bool may_create, struct why *why)
{
    struct stat status;
    if (!*s->path || strcmp(s->path, "-") == 0 || *s->path == ':') /* SQLite keeps such files in memory */
        return refuse(s, SWEEP_STORE_EOPEN, "cannot be the name of a store, which is a file", why);
    if (stat(s->path, &status) != 0)
        return errno == ENOENT && may_create ? 0 : refuse(s, SWEEP_STORE_EOPEN, strerror(errno), why);
    if (!S_ISREG(status.st_mode))
        return refuse(s, SWEEP_STORE_EFORMAT, "is not a plain file, as a store is", why);
    if (status.st_size == 0 && !may_create)
        return refuse(s, SWEEP_STORE_EFORMAT, "is empty, so it is not a store of mercury sweep", why);
    return 0;
}

static int open_database(struct sweep_store *s, bool may_create, struct why *why)
{
    int flags = SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0);
    bool empty = false;
    sqlite = sqlite_library(why);
    if (!sqlite)
        return SWEEP_STORE_EOPEN;
    if (sqlite->open_v2(s->path, &s->database, flags, NULL) != SQLITE_OK)
        return explain(s, why);
    sqlite->busy_timeout(s->database, SWEEP_STORE_WAIT_MS);
    int status = ask_whether_empty(s, &empty, why);
    if (status == 0 && empty && may_create)
        status = create(s, why);
    if (status == 0)
        status = check_version(s, why);
    if (status == 0)
        status = check_whole(s, why);
    return status ? status : execute(s, "pragma synchronous = extra", why);
}

int sweep_store_open(const char *path, bool may_create, struct sweep_store **out, struct why *why)
{
    struct sweep_store *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return why_no_memory(why, SWEEP_STORE_EMEMORY);
    }
    int status = check_file(s, may_create, why);
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
        sqlite->close(s->database);
    free(s->path);
    free(s);
}

/* --- writing --------------------------------------------------------------------------------------------- */

static bool insert_sweep(struct sweep_store *s, const char *description, size_t *sweep)
{
    sqlite3_stmt *q = prepare(s, "insert into sweeps(description) values(?)");
    bool done = run(q, "t", description);
    *sweep = (size_t)sqlite->last_insert_rowid(s->database);
    sqlite->finalize(q);
    return done;
}

static bool insert_planned(struct sweep_store *s, const struct sweep_plan *plan, size_t sweep)
{
    sqlite3_stmt *q = prepare(s, "insert into planned values(?, ?)");
    bool done = q != NULL;
    for (size_t i = 0; i < plan->point_count && done; i++)
        done = run(q, "it", (int64_t)sweep, plan->points[i].identity);
    sqlite->finalize(q);
    return done;
}

int sweep_store_plan(struct sweep_store *s, const struct sweep_plan *plan, const char *description,
                     size_t *sweep, struct why *why)
{
    int status = execute(s, "begin immediate", why);
    if (status)
        return status;
    bool done = insert_sweep(s, description, sweep) && insert_planned(s, plan, *sweep);
    return end_transaction(s, done, why);
}

int sweep_store_has(struct sweep_store *s, const char *identity, struct why *why)
{
    char answer[ANSWER_BYTES];
    int status = ask(s, "select 1 from points where identity = ?", identity, answer, why);
    return status ? status : *answer != '\0';
}

/* @return -1 on error, 0 if the point was in the store, 1 if it was added */
static int insert_point(struct sweep_store *s, const struct sweep_plan *plan, size_t point)
{
    const struct sweep_input *input = sweep_plan_input(plan, point);
    char query[24], database[24];
    snprintf(query, sizeof query, "%016" PRIx64, input->query->digest);
    snprintf(database, sizeof database, "%016" PRIx64, input->database->digest);
    sqlite3_stmt *q =
        prepare(s, "insert or ignore into points(identity, query, query_xxh3, database, database_xxh3,"
                   " strand, evalue) values(?, ?, ?, ?, ?, ?, ?)");
    bool done =
        run(q, "ttttttd", plan->points[point].identity, input->query_path, query, input->database_path,
            database, search_options_strand_name(plan->request->strands), plan->request->e_value);
    sqlite->finalize(q);
    return done ? sqlite->changes(s->database) : -1;
}

static bool insert_settings(struct sweep_store *s, int64_t row, const struct hardware *hardware)
{
    sqlite3_stmt *q = prepare(s, "insert into settings values(?, ?, ?)");
    bool done = q != NULL;
    for (size_t i = 0; i < hardware_parameter_count() && done; i++) {
        char value[64];
        hardware_parameter_value(hardware, i, value, sizeof value);
        done = run(q, "itt", row, hardware_parameter_name(i), value);
    }
    sqlite->finalize(q);
    return done;
}

static bool insert_measures(struct sweep_store *s, int64_t row, const struct sweep_measures *measures)
{
    sqlite3_stmt *q = prepare(s, "insert into measures values(?, ?, ?)");
    bool done = q != NULL;
    for (unsigned i = 0; i < measures->count && done; i++) {
        const struct sweep_measure *m = &measures->items[i];
        done = m->kind == MEASURE_TEXT    ? run(q, "itt", row, m->name, m->text)
               : m->kind == MEASURE_WHOLE ? run(q, "iti", row, m->name, (int64_t)m->whole)
                                          : run(q, "itd", row, m->name, m->number);
    }
    sqlite->finalize(q);
    return done;
}

int sweep_store_put(struct sweep_store *s, const struct sweep_plan *plan, size_t point,
                    const struct sweep_measures *measures, struct why *why)
{
    int status = execute(s, "begin immediate", why);
    if (status)
        return status;
    int inserted = insert_point(s, plan, point);
    int64_t row = sqlite->last_insert_rowid(s->database);
    bool done = inserted == 0 || (inserted > 0 && insert_settings(s, row, &plan->points[point].hardware) &&
                                  insert_measures(s, row, measures));
    return end_transaction(s, done, why);
}

/* --- status ---------------------------------------------------------------------------------------------- */

int sweep_store_write_status(struct sweep_store *s, FILE *out, struct why *why)
{
    sqlite3_stmt *q =
        prepare(s, "select sweep, count(*), count(points.point), description from sweeps"
                   " join planned using (sweep) left join points using (identity) group by sweep"
                   " order by sweep");
    int step = q ? sqlite->step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW || step == SQLITE_DONE)
        fprintf(out, "sweep\tpoints\tdone\tdescription\n");
    for (; step == SQLITE_ROW; step = sqlite->step(q)) {
        const char *text = (const char *)sqlite->column_text(q, 3);
        char description[8192];
        printable_copy(description, sizeof description, text ? text : "", SIZE_MAX);
        fprintf(out, "%lld\t%lld\t%lld\t%s\n", sqlite->column_int64(q, 0), sqlite->column_int64(q, 1),
                sqlite->column_int64(q, 2), description);
    }
    int status = step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite->finalize(q);
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------- */

/* A value as it is exported; 12 digits tell all numbers apart that differ for a reason. */
static char *field_text(sqlite3_stmt *q, int column)
{
    char number[40];
    switch (sqlite->column_type(q, column)) {
    case SQLITE_NULL:
        return strdup("NA");
    case SQLITE_FLOAT:
        snprintf(number, sizeof number, "%.12g", sqlite->column_double(q, column));
        return strdup(number);
    default:
        return strdup((const char *)sqlite->column_text(q, column));
    }
}

static bool read_points(struct sweep_store *s, size_t sweep, struct sweep_table *t)
{
    sqlite3_stmt *q =
        prepare(s, "select point, identity, query, query_xxh3, database, database_xxh3, strand, evalue,"
                   " identity in (select identity from planned) from points where ?1 = 0"
                   " or identity in (select identity from planned where sweep = ?1) order by point");
    int step = SQLITE_ERROR;
    bool room = q && sqlite->bind_int64(q, 1, (sqlite3_int64)sweep) == SQLITE_OK;
    while (q && room && (step = sqlite->step(q)) == SQLITE_ROW) {
        room = sweep_table_add_row(t, sqlite->column_int64(q, 0));
        for (int i = 0; i < SWEEP_TABLE_INPUTS && room; i++)
            room = (t->rows[t->count - 1].fields[i] = field_text(q, i + 1)) != NULL;
        if (room)
            t->rows[t->count - 1].planned = sqlite->column_int(q, SWEEP_TABLE_INPUTS + 1) != 0;
    }
    sqlite->finalize(q);
    return room && step == SQLITE_DONE;
}

/* Both the rows of the query and those of the table are in the order of their points. */
static bool read_fields(struct sweep_store *s, struct sweep_table *t, const char *sql)
{
    sqlite3_stmt *q = prepare(s, sql);
    int step = SQLITE_ERROR;
    size_t at = 0;
    bool room = true;
    while (q && room && (step = sqlite->step(q)) == SQLITE_ROW) {
        int column = sweep_table_column((const char *)sqlite->column_text(q, 1));
        while (at < t->count && t->rows[at].point < sqlite->column_int64(q, 0))
            at++;
        if (column < 0 || at == t->count || t->rows[at].point != sqlite->column_int64(q, 0))
            continue;
        char **field = &t->rows[at].fields[column];
        free(*field);
        room = (*field = field_text(q, 2)) != NULL;
    }
    sqlite->finalize(q);
    return room && step == SQLITE_DONE;
}

static int read_table(struct sweep_store *s, size_t sweep, struct sweep_table *t, struct why *why)
{
    bool read = read_points(s, sweep, t) &&
                read_fields(s, t, "select point, name, value from settings order by point, name") &&
                read_fields(s, t, "select point, name, value from measures order by point, name");
    if (read)
        return 0;
    int code = sqlite->errcode(s->database);
    return code == SQLITE_ROW || code == SQLITE_DONE || code == SQLITE_OK ? refuse_memory(s, why)
                                                                          : explain(s, why);
}

int sweep_store_load(struct sweep_store *s, size_t sweep, struct sweep_table *table, struct why *why)
{
    *table = sweep_table_empty();
    int status = execute(s, "begin", why); /* one state of the store, while others may write to it */
    if (status)
        return status;
    status = read_table(s, sweep, table, why);
    roll_back(s);
    if (status)
        sweep_table_destroy(table);
    else
        sweep_table_sort(table);
    return status;
}

int sweep_store_export(struct sweep_store *s, const char *columns, FILE *out, struct why *why)
{
    struct sweep_table table;
    struct sweep_columns chosen;
    if (sweep_columns_choose(columns, &chosen, why) != 0)
        return SWEEP_STORE_ECOLUMN;
    int status = sweep_store_load(s, 0, &table, why);
    if (status)
        return status;
    sweep_table_write(&table, &chosen, out);
    sweep_table_destroy(&table);
    return 0;
}
