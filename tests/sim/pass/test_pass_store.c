/* test_pass_store.c - passes that are kept come back, also after the file was cut anywhere or changed. */
#include "sim/pass/pass_store.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tests/run_suite.h"

enum { PASSES = 7, KEPT = 3 };

static const size_t kept[KEPT] = {4, 0, 6}; /* in the order in which they end */
static const char command[] = "run\0-q\0query.fa";
static struct pass_store_run run = {99, PASSES, command, sizeof command, NULL, NULL};
static char path[] = "/tmp/test_pass_store_XXXXXX";
static struct why why;

static void name_file(void)
{
    close(mkstemp(path));
}

static void remove_file(void)
{
    unlink(path);
}

/* What a pass has left tells its number. */
static struct pass_report *report_of(size_t pass)
{
    struct pass_report *report =
        pass_report_new(&(struct pass_job){.pass = pass, .spool = -1, .records = -1, .hsps = -1});
    struct stage3_work work = {.cells = 10};
    int64_t arrived = (int64_t)pass;
    for (size_t i = 0; i <= pass; i++)
        ck_assert(stage3_tasks_add(&report->result.host.tasks, 1, &arrived, &work, NULL));
    report->status = 0;
    report->stamps.board_end = 1000 + (int64_t)pass;
    return report;
}

static void add(struct pass_store *store, size_t pass)
{
    struct pass_report *report = report_of(pass);
    ck_assert_int_eq(pass_store_add(store, report->job.pass, report, &why), 0);
    pass_report_destroy(report);
}

static off_t write_store(void)
{
    struct stat facts;
    struct pass_store *store = pass_store_new(path, &run);
    for (size_t i = 0; i < KEPT; i++)
        add(store, kept[i]);
    ck_assert_uint_eq(pass_store_count(store), KEPT);
    pass_store_close(store);
    ck_assert_int_eq(stat(path, &facts), 0);
    return facts.st_size;
}

static void check_pass(struct pass_store *store, size_t pass)
{
    struct pass_report *report;
    ck_assert(pass_store_has(store, pass));
    ck_assert_int_eq(pass_store_read(store, pass, &report, &why), 0);
    ck_assert_uint_eq(report->job.pass, pass);
    ck_assert_int_eq(report->stamps.board_end, 1000 + (int64_t)pass);
    ck_assert_uint_eq(report->result.host.tasks.hsp_count, pass + 1);
    pass_report_destroy(report);
}

static void open_store(struct pass_store **store)
{
    ck_assert_int_eq(pass_store_open(path, store, &why), 0);
    ck_assert_int_eq(pass_store_find_passes(*store, &why), 0);
}

/* The store has the first `count` passes that were added, and no other. */
static void check_first(struct pass_store *store, size_t count)
{
    ck_assert_uint_eq(pass_store_count(store), count);
    for (size_t i = 0; i < KEPT; i++)
        if (i < count)
            check_pass(store, kept[i]);
        else
            ck_assert(!pass_store_has(store, kept[i]));
}

START_TEST(test_passes_come_back)
{
    struct pass_store *store;
    write_store();
    open_store(&store);
    ck_assert_uint_eq(pass_store_run(store)->digest, 99);
    ck_assert_uint_eq(pass_store_run(store)->passes, PASSES);
    ck_assert_uint_eq(pass_store_run(store)->command_bytes, sizeof command);
    ck_assert_mem_eq(pass_store_run(store)->command, command, sizeof command);
    check_first(store, KEPT);
    ck_assert(!pass_store_has(store, 1));
    pass_store_close(store);
}
END_TEST

/* Wherever a process was killed, all whole passes are there, and further ones can be added. */
START_TEST(test_a_file_that_was_cut_has_its_whole_passes)
{
    const off_t size = write_store(), head = (off_t)(5 * sizeof(uint64_t) + sizeof command);
    struct pass_store *store;
    for (off_t cut = head; cut <= size; cut += cut + 400 < size ? 397 : 1) {
        write_store();
        ck_assert_int_eq(truncate(path, cut), 0);
        open_store(&store);
        size_t whole = pass_store_count(store);
        ck_assert(whole <= KEPT && (whole == KEPT) == (cut == size));
        check_first(store, whole);
        add(store, 2);
        pass_store_close(store);
        open_store(&store);
        ck_assert_uint_eq(pass_store_count(store), whole + 1);
        check_pass(store, 2);
        pass_store_close(store);
    }
}
END_TEST

/* The number is not among the bytes whose sum is kept: in the place of a pass another one is refused. */
START_TEST(test_a_pass_that_took_the_place_of_another_is_refused)
{
    const off_t head = (off_t)(5 * sizeof(uint64_t) + sizeof command);
    const uint64_t other = kept[1];
    struct pass_report *report;
    struct pass_store *store;
    write_store();
    open_store(&store);
    int file = open(path, O_WRONLY);
    ck_assert_int_eq(pwrite(file, &other, sizeof other, head), sizeof other);
    close(file);
    ck_assert_int_eq(pass_store_read(store, kept[0], &report, &why), PASS_ERECORD);
    ck_assert_ptr_nonnull(strstr(why.line, "was changed while it was read"));
    pass_store_close(store);
}
END_TEST

START_TEST(test_a_changed_byte_ends_what_is_kept)
{
    const off_t size = write_store();
    struct pass_store *store;
    int file = open(path, O_WRONLY);
    ck_assert_int_eq(pwrite(file, "#", 1, size - 5), 1);
    close(file);
    open_store(&store);
    check_first(store, KEPT - 1);
    pass_store_close(store);
}
END_TEST

/* If HSPs have no room in memory, compressed pieces of them are kept. */
enum { PIECES = 2 };

static void write_store_with_pieces(void)
{
    struct pass_store *store = pass_store_new(path, &run);
    struct pass_report *report = report_of(kept[0]);
    struct stage3_tasks *tasks = &report->result.host.tasks;
    struct stage3_work work = {.cells = 10};
    tasks->in_memory_most = 1;
    for (int64_t i = 0; tasks->hsp_count < PIECES * STAGE3_CHUNK_HSPS + 5; i++)
        ck_assert(stage3_tasks_add(tasks, 1, &i, &work, NULL));
    ck_assert_uint_eq(tasks->file.count, PIECES);
    ck_assert_int_eq(pass_store_add(store, report->job.pass, report, &why), 0);
    pass_report_destroy(report);
    pass_store_close(store);
}

/* Change a byte in the middle of the file, where the pieces are. */
static void change_a_piece(void)
{
    struct stat facts;
    char byte;
    int file = open(path, O_RDWR);
    ck_assert_int_eq(fstat(file, &facts), 0);
    ck_assert_int_eq(pread(file, &byte, 1, facts.st_size - 5000), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(file, &byte, 1, facts.st_size - 5000), 1);
    close(file);
}

static uint64_t sum_cells(const struct stage3_tasks *tasks)
{
    struct stage3_cursor cursor = stage3_cursor_new(tasks);
    uint64_t cells = 0;
    for (size_t i = 0; i < tasks->hsp_count; i++)
        cells += stage3_cursor_hsp(&cursor, i)->cells;
    ck_assert(!cursor.failed);
    stage3_cursor_destroy(&cursor);
    return cells;
}

START_TEST(test_pieces_come_back_or_not_at_all)
{
    struct pass_store *store;
    struct pass_report *report;
    write_store_with_pieces();
    open_store(&store);
    ck_assert_int_eq(pass_store_read(store, kept[0], &report, &why), 0);
    ck_assert_uint_eq(sum_cells(&report->result.host.tasks), 10 * (PIECES * STAGE3_CHUNK_HSPS + 5));
    pass_report_destroy(report);

    change_a_piece(); /* after the passes were found */
    ck_assert_int_eq(pass_store_read(store, kept[0], &report, &why), PASS_ERECORD);
    ck_assert_ptr_nonnull(strstr(why.line, "was changed while it was read"));
    pass_store_close(store);

    open_store(&store); /* and before */
    ck_assert_uint_eq(pass_store_count(store), 0);
    pass_store_close(store);
}
END_TEST

/* Write a number into the first pass that is kept, and make its checksum right. */
static void forge(size_t offset, uint64_t number)
{
    const size_t head = 5 * sizeof(uint64_t) + sizeof command;
    static char bytes[1 << 20];
    uint64_t pass[3]; /* number, bytes, checksum */
    int file = open(path, O_RDWR);
    ck_assert_int_eq(pread(file, pass, sizeof pass, head), sizeof pass);
    ck_assert_uint_le(pass[1], sizeof bytes);
    ck_assert_int_eq(pread(file, bytes, pass[1], head + sizeof pass), pass[1]);
    memcpy(bytes + offset, &number, sizeof number);
    pass[2] = XXH3_64bits(bytes, pass[1]);
    ck_assert_int_eq(pwrite(file, pass, sizeof pass, head), sizeof pass);
    ck_assert_int_eq(pwrite(file, bytes, pass[1], head + sizeof pass), pass[1]);
    close(file);
}

/* Numbers of elements that no file has; the second is 0 when one is added, the third wraps when it is multiplied. */
START_TEST(test_counts_beyond_the_file_are_refused)
{
    static const size_t places[] = {offsetof(struct pass_report, result.alignments.count),
                                    offsetof(struct pass_report, result.alignments.run_count)};
    static const uint64_t numbers[] = {1000000, UINT64_MAX, UINT64_C(1) << 61};
    struct pass_store *store;
    struct pass_report *report;
    write_store();
    forge(places[_i / COUNT_OF(numbers)], numbers[_i % COUNT_OF(numbers)]);
    open_store(&store);
    ck_assert_int_lt(pass_store_read(store, kept[0], &report, &why), 0);
    ck_assert_ptr_null(report);
    pass_store_close(store);
}
END_TEST

/* Tasks begin after the report; as many HSPs as before are in memory. Pieces that are not there would be read. */
START_TEST(test_pieces_that_contradict_the_tasks_are_refused)
{
    static const uint64_t in_file[] = {2 * PIECES * STAGE3_CHUNK_HSPS, 0, 1};
    const size_t tasks = sizeof(struct pass_report);
    struct pass_store *store;
    struct pass_report *report;
    write_store_with_pieces();
    forge(tasks + offsetof(struct stage3_tasks, in_file), in_file[_i]);
    forge(tasks + offsetof(struct stage3_tasks, hsp_count), in_file[_i] + 5);
    open_store(&store);
    ck_assert_int_lt(pass_store_read(store, kept[0], &report, &why), 0);
    ck_assert_ptr_null(report);
    pass_store_close(store);
}
END_TEST

static const struct {
    const char *bytes;
    size_t count;
    const char *expected;
} others[] = {
    {"", 0, "is no file of passes"},
    {">sequence\nACGT\nACGTACGTACGTACGTACGTACGTACGTACGTACGT\n", 51, "is no file of passes"},
    {"MERCPASS\x0F\0\0\0\0\0\0\0aaaaaaaa\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 40, "another version"},
    {"MERCPASS\x0E\0\0\0\0\0\0\0aaaaaaaa\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 40, "another version"},
    {"MERCPASS\x0E\0\0\0\0\0\0\0aaaaaaaa\1\0\0\0\0\0\0\0\377\377\377\377\0\0\0\0", 40, "another version"},
    {"MERCPASS\x0E\0\0\0\0\0\0\0aaaaaaaa\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 40, "cut short"},
};

START_TEST(test_other_files_are_refused)
{
    struct pass_store *store;
    FILE *out = fopen(path, "w");
    fwrite(others[_i].bytes, 1, others[_i].count, out);
    fclose(out);
    ck_assert_int_eq(pass_store_open(path, &store, &why), PASS_ERECORD);
    ck_assert_msg(strstr(why.line, others[_i].expected) != NULL, "%s", why.line);
    ck_assert_msg(strstr(why.line, path) != NULL, "%s", why.line);
    pass_store_close(store);
}
END_TEST

START_TEST(test_a_store_that_keeps_nothing_has_no_file)
{
    struct pass_store *store = pass_store_new(path, &run);
    unlink(path);
    ck_assert(!pass_store_has(store, 0));
    pass_store_close(store);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(pass_store_open(path, &store, &why), PASS_EFILE);
    pass_store_close(store);
}
END_TEST

START_TEST(test_a_file_that_cannot_be_made_is_told)
{
    struct pass_store *store = pass_store_new("/nowhere/passes", &run);
    struct pass_report *report = report_of(1);
    ck_assert_int_eq(pass_store_add(store, report->job.pass, report, &why), PASS_EFILE);
    ck_assert_ptr_nonnull(strstr(why.line, "/nowhere/passes"));
    ck_assert(!pass_store_has(store, 1));
    pass_report_destroy(report);
    pass_store_close(store);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_store");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_unchecked_fixture(core, name_file, remove_file);
    tcase_add_unchecked_fixture(errors, name_file, remove_file);
    tcase_add_test(core, test_passes_come_back);
    tcase_add_test(core, test_a_file_that_was_cut_has_its_whole_passes);
    tcase_add_test(core, test_a_store_that_keeps_nothing_has_no_file);
    tcase_add_test(errors, test_a_pass_that_took_the_place_of_another_is_refused);
    tcase_add_test(errors, test_a_changed_byte_ends_what_is_kept);
    tcase_add_test(errors, test_pieces_come_back_or_not_at_all);
    tcase_add_loop_test(errors, test_pieces_that_contradict_the_tasks_are_refused, 0, 3);
    tcase_add_loop_test(errors, test_counts_beyond_the_file_are_refused, 0, 6);
    tcase_add_loop_test(errors, test_other_files_are_refused, 0, COUNT_OF(others));
    tcase_add_test(errors, test_a_file_that_cannot_be_made_is_told);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
