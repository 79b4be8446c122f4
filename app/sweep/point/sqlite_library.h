/* sqlite_library.h - the functions of SQLite that a store of sweeps calls, loaded when one is opened.
 *
 * Why       to load the library and to bind its 1,600 symbols took every start of the program 0.4 ms. What is linked
 *           to it is a module, mercury-sqlite.so (base/process/module.h), which holds nothing but this table.
 * Linked    tests are linked to the table instead (sqlite_library_linked.c).
 */
#ifndef MERCURY_APP_SWEEP_SQLITE_LIBRARY_H
#define MERCURY_APP_SWEEP_SQLITE_LIBRARY_H

#include <sqlite3.h>

#include "base/why.h"

/** The functions by their names without sqlite3_; SQLite's header describes them. */
struct sqlite_library {
    __typeof__(sqlite3_bind_double) *bind_double;
    __typeof__(sqlite3_bind_int64) *bind_int64;
    __typeof__(sqlite3_bind_text) *bind_text;
    __typeof__(sqlite3_busy_timeout) *busy_timeout;
    __typeof__(sqlite3_close) *close;
    __typeof__(sqlite3_column_count) *column_count;
    __typeof__(sqlite3_column_double) *column_double;
    __typeof__(sqlite3_column_int64) *column_int64;
    __typeof__(sqlite3_column_name) *column_name;
    __typeof__(sqlite3_column_text) *column_text;
    __typeof__(sqlite3_column_type) *column_type;
    __typeof__(sqlite3_errcode) *errcode;
    __typeof__(sqlite3_errmsg) *errmsg;
    __typeof__(sqlite3_exec) *exec;
    __typeof__(sqlite3_finalize) *finalize;
    __typeof__(sqlite3_get_autocommit) *get_autocommit;
    __typeof__(sqlite3_last_insert_rowid) *last_insert_rowid;
    __typeof__(sqlite3_open_v2) *open_v2;
    __typeof__(sqlite3_prepare_v2) *prepare_v2;
    __typeof__(sqlite3_reset) *reset;
    __typeof__(sqlite3_step) *step;
};

/** The one symbol that is looked up in the module. */
extern const struct sqlite_library mercury_sqlite;

/** Load the module. @return NULL if it cannot be loaded: see why */
const struct sqlite_library *sqlite_library(struct why *why);

#endif
