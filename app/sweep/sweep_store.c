#include "app/sweep/sweep_store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "base/why.h"
#include "app/run/search_options.h"

enum { APPLICATION_ID = 0x4D537770 }; /* "MSwp" */

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

/* What SQLite says, as one line and code. */
static int explain(const struct sweep_store *s, struct why *why)
{
    int code = sqlite3_errcode(s->database) & 0xff;
    switch (code) {
    case SQLITE_NOTADB:
        return refuse(s, SWEEP_STORE_EFORMAT, "not a store of mercury sweep; name another file", why);
    case SQLITE_CORRUPT:
        return refuse(
            s, SWEEP_STORE_EFORMAT,
            "the store is damaged; keep it aside and begin another (sqlite3's .recover may save points)",
            why);
    case SQLITE_BUSY:
        return refuse(s, SWEEP_STORE_EOPEN, "another process has held the store for a minute", why);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return refuse(s, SWEEP_STORE_EWRITE, "may not be written", why);
    case SQLITE_NOMEM:
        return refuse(s, SWEEP_STORE_EMEMORY, "out of memory", why);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return why_say(
            why, SWEEP_STORE_EWRITE,
            "%.500s: cannot be written: %s; the points so far are whole, and the same command goes on",
            s->path, code == SQLITE_FULL ? "the disk is full" : sqlite3_errmsg(s->database));
    default:
        return refuse(s, SWEEP_STORE_EOPEN, sqlite3_errmsg(s->database), why);
    }
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int execute(struct sweep_store *s, const char *sql, struct why *why)
{
    return sqlite3_exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : explain(s, why);
}

/* A transaction that did not come to its end must leave nothing; an error may have rolled it back already. */
static void roll_back(struct sweep_store *s)
{
    if (!sqlite3_get_autocommit(s->database))
        sqlite3_exec(s->database, "rollback", NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(struct sweep_store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(s->database, sql, -1, &statement, NULL);
    return statement;
}

/* The one number a query gives; `missing` where it gives none.
 * @return 0 or an error code */
static int ask_number(struct sweep_store *s, const char *sql, int64_t missing, int64_t *number,
                      struct why *why)
{
    sqlite3_stmt *q = prepare(s, sql);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW)
        *number = sqlite3_column_int64(q, 0);
    else if (step == SQLITE_DONE)
        *number = missing;
    int status = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite3_finalize(q);
    return status;
}

/* The one text a query gives, empty where it gives none. */
static int ask_text(struct sweep_store *s, const char *sql, char *text, size_t size, struct why *why)
{
    sqlite3_stmt *q = prepare(s, sql);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    const unsigned char *found = step == SQLITE_ROW ? sqlite3_column_text(q, 0) : NULL;
    snprintf(text, size, "%s", found ? (const char *)found : "");
    int status = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite3_finalize(q);
    return status;
}

static bool run_once(sqlite3_stmt *q)
{
    bool done = sqlite3_step(q) == SQLITE_DONE;
    return sqlite3_reset(q) == SQLITE_OK && done;
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

/* Another process may be creating it, too: look again inside the transaction. */
static int create(struct sweep_store *s, struct why *why)
{
    int64_t tables = 0;
    int status = execute(s, "begin immediate", why);
    if (status == 0)
        status = ask_number(s, "select count(*) from sqlite_master", 0, &tables, why);
    if (status == 0 && tables == 0)
        status = create_schema(s, why);
    if (status == 0)
        status = execute(s, "commit", why);
    roll_back(s);
    return status;
}

static int check_version(struct sweep_store *s, struct why *why)
{
    int64_t application = 0, version = 0;
    char program[64] = "";
    int status = ask_number(s, "pragma application_id", 0, &application, why);
    if (status == 0)
        status = ask_number(s, "pragma user_version", 0, &version, why);
    if (status == 0 && application != APPLICATION_ID)
        return refuse(s, SWEEP_STORE_EFORMAT,
                      "an SQLite file, but not a store of mercury sweep; name another file", why);
    if (status == 0 && version != SWEEP_STORE_VERSION)
        return why_say(why, SWEEP_STORE_EVERSION,
                       "%.500s: a store of version %" PRId64
                       ", this mercury knows version %d; begin another store",
                       s->path, version, SWEEP_STORE_VERSION);
    if (status == 0)
        status = ask_text(s, "select value from store where name = 'program'", program, sizeof program, why);
    if (status == 0 && strcmp(program, MERCURY_VERSION) != 0)
        return why_say(
            why, SWEEP_STORE_EVERSION,
            "%.500s: a store of mercury %.20s, this is %s, whose results may differ; begin another store",
            s->path, program, MERCURY_VERSION);
    return status;
}

static int check_whole(struct sweep_store *s, struct why *why)
{
    char found[80];
    int status = ask_text(s, "pragma quick_check(1)", found, sizeof found, why);
    if (status || strcmp(found, "ok") == 0)
        return status;
    return refuse(
        s, SWEEP_STORE_EFORMAT,
        "the store is damaged; keep it aside and begin another (sqlite3's .recover may save points)", why);
}

static int check_file(const struct sweep_store *s, bool may_create, struct why *why)
{
    struct stat status;
    if (!*s->path || strcmp(s->path, "-") == 0 ||
        *s->path == ':') /* what SQLite keeps nowhere, or looks like a stream */
        return refuse(s, SWEEP_STORE_EOPEN, "no name for a store, which is a file", why);
    if (stat(s->path, &status) != 0)
        return errno == ENOENT && may_create ? 0 : refuse(s, SWEEP_STORE_EOPEN, strerror(errno), why);
    if (!S_ISREG(status.st_mode))
        return refuse(s, SWEEP_STORE_EFORMAT, "not a plain file; a store is one", why);
    if (status.st_size == 0 && !may_create)
        return refuse(s, SWEEP_STORE_EFORMAT, "is empty: no store of mercury sweep", why);
    return 0;
}

static int open_database(struct sweep_store *s, bool may_create, struct why *why)
{
    int flags = SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0);
    int64_t tables = 0;
    if (sqlite3_open_v2(s->path, &s->database, flags, NULL) != SQLITE_OK)
        return explain(s, why);
    sqlite3_busy_timeout(s->database, SWEEP_STORE_WAIT_MS);
    int status = ask_number(s, "select count(*) from sqlite_master", 0, &tables, why);
    if (status == 0 && tables == 0 && may_create)
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
    sqlite3_close(s->database);
    free(s->path);
    free(s);
}

/* --- writing --------------------------------------------------------------------------------------------- */

static bool insert_sweep(struct sweep_store *s, const char *description, size_t *sweep)
{
    sqlite3_stmt *q = prepare(s, "insert into sweeps(description) values(?)");
    bool done = q && sqlite3_bind_text(q, 1, description, -1, SQLITE_STATIC) == SQLITE_OK && run_once(q);
    *sweep = (size_t)sqlite3_last_insert_rowid(s->database);
    sqlite3_finalize(q);
    return done;
}

static bool insert_planned(struct sweep_store *s, const struct sweep_plan *plan, size_t sweep)
{
    sqlite3_stmt *q = prepare(s, "insert into planned values(?, ?)");
    bool done = q != NULL;
    for (size_t i = 0; i < plan->point_count && done; i++) {
        sqlite3_bind_int64(q, 1, (sqlite3_int64)sweep);
        sqlite3_bind_text(q, 2, plan->points[i].identity, -1, SQLITE_STATIC);
        done = run_once(q);
    }
    sqlite3_finalize(q);
    return done;
}

/* End a transaction: commit what was `done`, or say why it was not.
 * @return 0 or an error code */
static int end_transaction(struct sweep_store *s, bool done, struct why *why)
{
    int status = done ? execute(s, "commit", why) : explain(s, why);
    roll_back(s);
    return status;
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
    sqlite3_stmt *q = prepare(s, "select 1 from points where identity = ?");
    if (q)
        sqlite3_bind_text(q, 1, identity, -1, SQLITE_STATIC);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    int found = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite3_finalize(q);
    return found;
}

/* @return -1 on error, 0 where the point was there, 1 where it has come */
static int insert_point(struct sweep_store *s, const struct sweep_plan *plan, size_t point)
{
    const struct sweep_input *input = sweep_plan_input(plan, point);
    char query[24], database[24];
    snprintf(query, sizeof query, "%016" PRIx64, input->query->digest);
    snprintf(database, sizeof database, "%016" PRIx64, input->database->digest);
    sqlite3_stmt *q =
        prepare(s, "insert or ignore into points(identity, query, query_xxh3, database, database_xxh3,"
                   " strand, evalue) values(?, ?, ?, ?, ?, ?, ?)");
    if (!q)
        return -1;
    sqlite3_bind_text(q, 1, plan->points[point].identity, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, input->query_path, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, query, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, input->database_path, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, database, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, search_options_strand_name(plan->request->strands), -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 7, plan->request->e_value);
    bool done = run_once(q);
    sqlite3_finalize(q);
    return done ? sqlite3_changes(s->database) : -1;
}

static bool insert_settings(struct sweep_store *s, sqlite3_int64 row, const struct hardware *hardware)
{
    sqlite3_stmt *q = prepare(s, "insert into settings values(?, ?, ?)");
    bool done = q != NULL;
    for (size_t i = 0; i < hardware_parameter_count() && done; i++) {
        char value[64];
        hardware_parameter_value(hardware, i, value, sizeof value);
        sqlite3_bind_int64(q, 1, row);
        sqlite3_bind_text(q, 2, hardware_parameter_name(i), -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, value, -1, SQLITE_TRANSIENT);
        done = run_once(q);
    }
    sqlite3_finalize(q);
    return done;
}

static bool insert_measures(struct sweep_store *s, sqlite3_int64 row, const struct sweep_measures *measures)
{
    sqlite3_stmt *q = prepare(s, "insert into measures values(?, ?, ?)");
    bool done = q != NULL;
    for (unsigned i = 0; i < measures->count && done; i++) {
        const struct sweep_measure *m = &measures->items[i];
        sqlite3_bind_int64(q, 1, row);
        sqlite3_bind_text(q, 2, m->name, -1, SQLITE_STATIC);
        if (m->kind == MEASURE_TEXT)
            sqlite3_bind_text(q, 3, m->text, -1, SQLITE_STATIC);
        else if (m->kind == MEASURE_WHOLE)
            sqlite3_bind_int64(q, 3, (sqlite3_int64)m->whole);
        else if (isnan(m->number))
            sqlite3_bind_null(q, 3);
        else
            sqlite3_bind_double(q, 3, m->number);
        done = run_once(q);
    }
    sqlite3_finalize(q);
    return done;
}

int sweep_store_put(struct sweep_store *s, const struct sweep_plan *plan, size_t point,
                    const struct sweep_measures *measures, struct why *why)
{
    int status = execute(s, "begin immediate", why);
    if (status)
        return status;
    int inserted = insert_point(s, plan, point);
    sqlite3_int64 row = sqlite3_last_insert_rowid(s->database);
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
    int step = SQLITE_ERROR;
    fprintf(out, "sweep\tpoints\tdone\tdescription\n");
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW)
        fprintf(out, "%lld\t%lld\t%lld\t%s\n", sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                sqlite3_column_int64(q, 2), (const char *)sqlite3_column_text(q, 3));
    int status = step == SQLITE_DONE ? 0 : explain(s, why);
    sqlite3_finalize(q);
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------- */

/* A value as it is exported: the shortest text that is enough to tell numbers apart. */
static char *field_text(sqlite3_stmt *q, int column)
{
    char number[40];
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_NULL:
        return strdup("NA");
    case SQLITE_FLOAT:
        snprintf(number, sizeof number, "%.12g", sqlite3_column_double(q, column));
        return strdup(number);
    default:
        return strdup((const char *)sqlite3_column_text(q, column));
    }
}

static bool read_points(struct sweep_store *s, struct sweep_table *t)
{
    sqlite3_stmt *q =
        prepare(s, "select point, identity, query, query_xxh3, database, database_xxh3, strand, evalue"
                   " from points order by point");
    int step = SQLITE_ERROR;
    bool room = true;
    while (q && room && (step = sqlite3_step(q)) == SQLITE_ROW) {
        room = sweep_table_add_row(t, sqlite3_column_int64(q, 0));
        for (int i = 0; i < SWEEP_TABLE_INPUTS && room; i++)
            room = (t->rows[t->count - 1].fields[i] = field_text(q, i + 1)) != NULL;
    }
    sqlite3_finalize(q);
    return room && step == SQLITE_DONE;
}

/* Rows come in order of their point, as the table's do. */
static bool read_fields(struct sweep_store *s, struct sweep_table *t, const char *sql)
{
    sqlite3_stmt *q = prepare(s, sql);
    int step = SQLITE_ERROR;
    size_t at = 0;
    bool room = true;
    while (q && room && (step = sqlite3_step(q)) == SQLITE_ROW) {
        int column = sweep_table_column((const char *)sqlite3_column_text(q, 1));
        while (at < t->count && t->rows[at].point < sqlite3_column_int64(q, 0))
            at++;
        if (column < 0 || at == t->count || t->rows[at].point != sqlite3_column_int64(q, 0))
            continue;
        char **field = &t->rows[at].fields[column];
        free(*field);
        room = (*field = field_text(q, 2)) != NULL;
    }
    sqlite3_finalize(q);
    return room && step == SQLITE_DONE;
}

static int read_table(struct sweep_store *s, struct sweep_table *t, struct why *why)
{
    bool read = read_points(s, t) &&
                read_fields(s, t, "select point, name, value from settings order by point, name") &&
                read_fields(s, t, "select point, name, value from measures order by point, name");
    if (read)
        return 0;
    int code = sqlite3_errcode(s->database);
    return code == SQLITE_ROW || code == SQLITE_DONE || code == SQLITE_OK
               ? refuse(s, SWEEP_STORE_EMEMORY, "out of memory", why)
               : explain(s, why);
}

int sweep_store_load(struct sweep_store *s, struct sweep_table *table, struct why *why)
{
    *table = sweep_table_empty();
    int status = execute(s, "begin", why); /* one state of the store, whoever writes to it */
    if (status)
        return status;
    status = read_table(s, table, why);
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
    int status = sweep_store_load(s, &table, why);
    if (status)
        return status;
    sweep_table_write(&table, &chosen, out);
    sweep_table_destroy(&table);
    return 0;
}
