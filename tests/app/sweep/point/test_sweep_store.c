/* test_sweep_store.c - a store holds whole points or none, whoever writes to it, is killed or finds the disk full. */
#include "base/why.h"
#include "app/sweep/point/sweep_store.h"
#include "tests/app/sweep/point/sweep_fixture.h"
#include "tests/run_suite.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char directory[64], path[96];
struct why why;
static struct sweep_fixture fixture;

static void set_up(void)
{
    bool memory = access("/dev/shm", W_OK) == 0; /* syncing costs nothing there */
    snprintf(directory, sizeof directory, "%s/mercury_store.XXXXXX", memory ? "/dev/shm" : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/store.db", directory);
    fixture_begin(&fixture);
    fixture_vary(&fixture, "fifo.wmer=16..35");
    fixture_plan(&fixture);
}

static void tear_down(void)
{
    char journal[128];
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(journal);
    unlink(path);
    rmdir(directory);
    fixture_end(&fixture);
}

static struct sweep_store *open_store(void)
{
    struct sweep_store *store = NULL;
    ck_assert_msg(sweep_store_open(path, true, &store, &why) == 0, "%s", why.line);
    return store;
}

/* Measures that tell which point they are of. */
static struct sweep_measures measures_of(size_t point)
{
    struct sweep_measures m = sweep_measures_of_nothing;
    for (unsigned i = 0; i < m.count; i++) {
        m.items[i].kind = MEASURE_NUMBER;
        m.items[i].number = i % 7 == 3 ? NAN : 1000.0 * (double)point + i;
    }
    m.items[0].kind = MEASURE_TEXT;
    m.items[0].text = "text";
    return m;
}

static int put(struct sweep_store *store, size_t point)
{
    struct sweep_measures m = measures_of(point);
    return sweep_store_put(store, &fixture.plan, point, POINT_PLANNED, &m, &why);
}

static char *export_text(struct sweep_store *store)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_msg(sweep_store_export(store, NULL, out, &why) == 0, "%s", why.line);
    fclose(out);
    return text;
}

static size_t count_points(struct sweep_store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < fixture.plan.point_count; i++) {
        int found = sweep_store_has(store, fixture.plan.points[i].identity, &why);
        ck_assert_msg(found >= 0, "%s", why.line);
        count += found == 1;
    }
    return count;
}

/* Every point that is there has all its numbers and measures. */
static void check_whole(struct sweep_store *store)
{
    struct sweep_table table;
    ck_assert_msg(sweep_store_load(store, 0, &table, &why) == 0, "%s", why.line);
    for (size_t i = 0; i < table.count; i++)
        for (size_t column = 0; column < sweep_table_columns(); column++)
            ck_assert_ptr_nonnull(table.rows[i].fields[column]);
    sweep_table_destroy(&table);
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_an_export_does_not_depend_on_the_order_of_points)
{
    struct sweep_store *store = open_store();
    for (size_t i = 0; i < 20; i++)
        ck_assert_int_eq(put(store, i), 0);
    char *forth = export_text(store);
    sweep_store_close(store);
    unlink(path);
    store = open_store();
    for (size_t i = 20; i-- > 0;)
        ck_assert_int_eq(put(store, i * 7 % 20), 0);
    char *back = export_text(store);
    ck_assert_str_eq(forth, back);
    sweep_store_close(store);
    free(forth);
    free(back);
}
END_TEST

START_TEST(test_what_goes_in_comes_out)
{
    struct sweep_store *store = open_store();
    struct sweep_table table;
    ck_assert_int_eq(put(store, 5), 0);
    ck_assert_int_eq(sweep_store_load(store, 0, &table, &why), 0);
    ck_assert_uint_eq(table.count, 1);
    char **fields = table.rows[0].fields;
    ck_assert_str_eq(fields[sweep_table_column("identity")], fixture.plan.points[5].identity);
    ck_assert_str_eq(fields[sweep_table_column("fifo.wmer")], "21");
    ck_assert_str_eq(fields[sweep_table_column("query")], "q.fa");
    ck_assert_str_eq(fields[sweep_table_column("strand")], "both");
    ck_assert_str_eq(fields[sweep_table_column("evalue")], "0.001");
    ck_assert_str_eq(fields[sweep_table_column(sweep_measures_of_nothing.items[0].name)], "text");
    ck_assert_str_eq(fields[sweep_table_column(sweep_measures_of_nothing.items[2].name)], "5002");
    ck_assert_str_eq(fields[sweep_table_column(sweep_measures_of_nothing.items[3].name)], "NA");
    sweep_table_destroy(&table);
    sweep_store_close(store);
}
END_TEST

START_TEST(test_a_point_that_is_there_stays_as_it_is)
{
    struct sweep_store *store = open_store();
    ck_assert_int_eq(put(store, 1), 0);
    char *before = export_text(store);
    struct sweep_measures other = measures_of(2);
    ck_assert_int_eq(sweep_store_put(store, &fixture.plan, 1, POINT_PLANNED, &other, &why), 0);
    char *after = export_text(store);
    ck_assert_str_eq(before, after);
    sweep_store_close(store);
    free(before);
    free(after);
}
END_TEST

START_TEST(test_status_counts_what_was_planned_and_done)
{
    struct sweep_store *store = open_store();
    size_t sweep = 0;
    ck_assert_int_eq(sweep_store_plan(store, &fixture.plan, "vary x", &sweep, &why), 0);
    ck_assert_uint_eq(sweep, 1);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(put(store, i), 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(sweep_store_write_status(store, out, &why), 0);
    fclose(out);
    double per_second = 0, left_s = 0;
    ck_assert_int_eq(
        sscanf(text, "sweep\tpoints\tdone\tper_second\tleft_s\tdescription\n1\t20\t3\t%lf\t%lf\tvary x",
               &per_second, &left_s),
        2);
    ck_assert_double_gt(per_second, 0);
    ck_assert_double_eq_tol(left_s * per_second, 17,
                            1); /* of points that are left; written with few digits */
    free(text);
    sweep_store_close(store);
}
END_TEST

/* --- faults ---------------------------------------------------------------------------------------------- */

/* Puts points until the file may not grow any more. */
static int write_until_full(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {bytes, bytes};
    struct sweep_store *store = NULL;
    setrlimit(RLIMIT_FSIZE, &limit);
    int status = sweep_store_open(path, true, &store, &why);
    for (size_t i = 0; i < 20 && status == 0; i++)
        status = put(store, i);
    sweep_store_close(store);
    return status;
}

/* An error of writing in the middle of any transaction leaves the points before it, whole. */
START_TEST(test_a_full_disk_leaves_whole_points)
{
    pid_t writer = fork();
    if (writer == 0)
        _exit(write_until_full((rlim_t)(8192 + 3500 * _i)) == WHY_SAID ? 0 : 1);
    int status = 1;
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert_int_eq(status, 0);
    struct sweep_store *store = open_store();
    size_t before = count_points(store);
    ck_assert_uint_lt(before, 20);
    check_whole(store);
    for (size_t i = 0; i < 20; i++)
        ck_assert_int_eq(put(store, i), 0);
    ck_assert_uint_eq(count_points(store), 20);
    sweep_store_close(store);
}
END_TEST

START_TEST(test_a_writer_that_is_killed_leaves_whole_points)
{
    pid_t writer = fork();
    if (writer == 0) {
        struct sweep_store *store = open_store();
        for (size_t i = 0; i < 20; i++)
            put(store, i);
        pause();
    }
    usleep((useconds_t)(500 + 1500 * _i));
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    struct sweep_store *store = open_store();
    check_whole(store);
    sweep_store_close(store);
}
END_TEST

START_TEST(test_two_writers_leave_every_point_once)
{
    pid_t writers[2];
    for (int w = 0; w < 2; w++) {
        writers[w] = fork();
        if (writers[w] != 0)
            continue;
        struct sweep_store *store = NULL;
        int status = sweep_store_open(path, true, &store, &why);
        for (size_t i = 0; i < 20 && status == 0; i++)
            status = put(store, w == 0 ? i : 19 - i);
        sweep_store_close(store);
        _exit(status ? 1 : 0);
    }
    for (int w = 0; w < 2; w++) {
        int status = 1;
        waitpid(writers[w], &status, 0);
        ck_assert_int_eq(status, 0);
    }
    struct sweep_store *store = open_store();
    struct sweep_table table;
    check_whole(store);
    ck_assert_int_eq(sweep_store_load(store, 0, &table, &why), 0);
    ck_assert_uint_eq(table.count, 20);
    sweep_table_destroy(&table);
    sweep_store_close(store);
}
END_TEST

/* --- what is no store ------------------------------------------------------------------------------------ */

START_TEST(test_no_store_is_changed_by_looking_at_it)
{
    static const char *const contents[] = {"", "text\n", "SQLite format 3"};
    struct sweep_store *store = NULL;
    FILE *file = fopen(path, "w");
    fputs(contents[_i], file);
    fclose(file);
    ck_assert_int_eq(sweep_store_open(path, false, &store, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "store.db: is "));
    ck_assert_ptr_nonnull(strstr(why.line, "not a store of mercury sweep"));
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq((int)status.st_size, (int)strlen(contents[_i]));
}
END_TEST

START_TEST(test_a_store_that_is_not_there_is_not_made_by_looking_for_it)
{
    struct sweep_store *store = NULL;
    ck_assert_int_eq(sweep_store_open(path, false, &store, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "No such file"));
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep_store");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_an_export_does_not_depend_on_the_order_of_points);
    tcase_add_test(core, test_what_goes_in_comes_out);
    tcase_add_test(core, test_a_point_that_is_there_stays_as_it_is);
    tcase_add_test(core, test_status_counts_what_was_planned_and_done);
    suite_add_tcase(suite, core);
    TCase *faults = tcase_create("faults");
    tcase_add_checked_fixture(faults, set_up, tear_down);
    tcase_set_timeout(faults, 60);
    tcase_add_loop_test(faults, test_a_full_disk_leaves_whole_points, 0, 12);
    tcase_add_loop_test(faults, test_a_writer_that_is_killed_leaves_whole_points, 0, 12);
    tcase_add_test(faults, test_two_writers_leave_every_point_once);
    suite_add_tcase(suite, faults);
    TCase *errors = tcase_create("errors");
    tcase_add_checked_fixture(errors, set_up, tear_down);
    tcase_add_loop_test(errors, test_no_store_is_changed_by_looking_at_it, 0, 3);
    tcase_add_test(errors, test_a_store_that_is_not_there_is_not_made_by_looking_for_it);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
