/* fuzz_store.c - a store of points: a file of SQLite, or SQL that changes an empty store. Its points are read, or are
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "app/sweep/point/sweep_store.h"
#include "tests/fuzz/fuzz.h"

static char path[64];
static uint8_t *empty; /* the file of an empty store */
static size_t empty_bytes;

static void remove_files(void)
{
    char journal[80];
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(journal);
    unlink(path);
}

static void make_empty(void)
{
    struct sweep_store *store = NULL;
    struct why why;
    strcpy(path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX");
    close(mkstemp(path));
    fuzz_demand(atexit(remove_files) == 0 && sweep_store_open(path, true, &store, &why) == 0);
    sweep_store_close(store);
    FILE *file = fopen(path, "r");
    empty = malloc(1 << 20);
    fuzz_demand(file != NULL && empty != NULL);
    empty_bytes = fread(empty, 1, 1 << 20, file);
    fclose(file);
}

static void put(const void *bytes, size_t size)
{
    remove_files();
    FILE *file = fopen(path, "w");
    fuzz_demand(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static int count_steps(void *steps)
{
    return ++*(int *)steps > 1000;
}

static void change(const uint8_t *data, size_t size)
{
    sqlite3 *database = NULL;
    int steps = 0;
    char *sql = fuzz_text(data, size);
    fuzz_demand(sqlite3_open(path, &database) == SQLITE_OK);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(database, 1000, count_steps, &steps);
    sqlite3_exec(database, "pragma synchronous = off; pragma journal_mode = memory", NULL, NULL, NULL);
    sqlite3_exec(database, sql, NULL, NULL, NULL);
    sqlite3_close(database);
    free(sql);
}

static void read_points(struct sweep_store *store)
{
    struct sweep_table table;
    struct why why;
    FILE *out = fopen("/dev/null", "w");
    fuzz_demand(out != NULL);
    fuzz_demand(sweep_store_has(store, "none", &why) <= 1);
    fuzz_succeeded(sweep_store_write_status(store, out, &why), &why);
    fuzz_succeeded(sweep_store_export(store, NULL, out, &why), &why);
    fclose(out);
    if (!fuzz_succeeded(sweep_store_load(store, 0, &table, &why), &why))
        return;
    for (size_t i = 0; i < table.count; i++)
        for (size_t c = SWEEP_TABLE_INPUTS; c < sweep_table_columns(); c++) {
            const char *text = table.rows[i].fields[c];
            fuzz_demand(strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0);
        }
    sweep_table_destroy(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep_store *store = NULL;
    struct why why;
    const bool is_file = size >= 6 && memcmp(data, "SQLite", 6) == 0;
    if (!empty)
        make_empty();
    put(is_file ? data : empty, is_file ? size : empty_bytes);
    if (!is_file)
        change(data, size);
    if (fuzz_succeeded(sweep_store_open(path, false, &store, &why), &why)) {
        read_points(store);
        sweep_store_close(store);
    }
    return 0;
}
