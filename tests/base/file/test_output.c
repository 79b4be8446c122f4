/* test_output.c - files that are whole or not there, in a directory of each test's own. */
#include "base/file/output.h"
#include "base/why.h"
#include "tests/run_suite.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WHY_SIZE = 5000 };

static char directory[64];
static struct why why;

static void enter_directory(void)
{
    strcpy(directory, "/tmp/test_output.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void remove_directory(void)
{
    static const char *const names[] = {"result", "result.partial", "other", "other.partial", "pipe", "log"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("folder");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(rmdir(directory) == 0, "something is left in %s", directory);
}

/* In the place of the C library's: files that were brought to the disk, and whether "result" was there then. */
static int synced;
static bool synced_early;

int fsync(int file)
{
    synced_early = access("result", F_OK) != 0;
    synced++;
    return (int)syscall(SYS_fsync, file);
}

/* Likewise: with `chance`, all random numbers are this. */
static const uint64_t *chance;

ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
    if (!chance || count != sizeof *chance)
        return syscall(SYS_getrandom, bytes, count, flags);
    memcpy(bytes, chance, count);
    return (ssize_t)count;
}

static int count_files(void)
{
    int count = -2; /* . and .. */
    DIR *names = opendir(".");
    ck_assert_ptr_nonnull(names);
    while (readdir(names))
        count++;
    closedir(names);
    return count;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *path, const char *expected)
{
    char text[100] = "";
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no file %s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, expected);
}

static struct output *open_output(const char *path)
{
    static struct output outputs[32];
    static int next;
    struct output *output = &outputs[next++];
    ck_assert_msg(output_open(output, path, &why) == 0, "%s", why.line);
    return output;
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_a_committed_file_has_its_name_and_text)
{
    struct output *output = open_output("result");
    fputs("whole\n", output->file);
    ck_assert_int_eq(output_commit(output, &why), 0);
    assert_text("result", "whole\n");
    ck_assert(!is_there("result.partial"));
}
END_TEST

START_TEST(test_nothing_has_the_name_before_commit)
{
    struct output *output = open_output("result");
    char name[OUTPUT_NAME_MAX];
    fputs("half", output->file);
    fflush(output->file);
    ck_assert(!is_there("result"));
    if (output->partial[0])
        snprintf(name, sizeof name, "%s", output->partial);
    else
        snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(output->file));
    assert_text(name, "half");
    output_discard(output);
    ck_assert_int_eq(count_files(), 0);
}
END_TEST

/* Otherwise a power cut may leave the name of a file whose bytes never came to the disk. */
START_TEST(test_bytes_are_on_the_disk_before_the_name)
{
    struct output named = {0}, *output = open_output("result");
    fputs("whole", output->file);
    synced = 0;
    ck_assert_int_eq(output_commit(output, &why), 0);
    ck_assert_int_eq(synced, 1);
    ck_assert(synced_early);
    unlink("result");
    ck_assert_int_eq(output_open_named(&named, "result", &why), 0);
    ck_assert_int_eq(output_commit(&named, &why), 0);
    ck_assert_int_eq(synced, 2);
    ck_assert(synced_early);
}
END_TEST

/* Whoever guesses the next partial's name, and plants a link of that name, gains nothing. */
START_TEST(test_a_planted_partial_is_not_written)
{
    static const uint64_t number = 7;
    char planted[OUTPUT_NAME_MAX];
    unsigned long long last = 0;
    struct output output = {0};
    put_text("other", "victim");
    chance = &number;
    ck_assert_int_eq(output_open_named(&output, "result", &why), 0);
    ck_assert_int_eq(sscanf(output.partial, ".mercury-%llx.partial", &last), 1);
    output_discard(&output);
    snprintf(planted, sizeof planted, ".mercury-%016llx.partial", last + 1);
    ck_assert_int_eq(symlink("other", planted), 0);
    ck_assert_int_eq(output_open_named(&output, "result", &why), 0);
    fputs("new", output.file);
    ck_assert_int_eq(output_commit(&output, &why), 0);
    chance = NULL;
    assert_text("other", "victim");
    assert_text("result", "new");
    ck_assert_int_eq(unlink(planted), 0);
}
END_TEST

START_TEST(test_an_older_file_stays_until_commit)
{
    put_text("result", "old");
    struct output *output = open_output("result");
    fputs("new", output->file);
    fflush(output->file);
    assert_text("result", "old");
    ck_assert_int_eq(output_commit(output, &why), 0);
    assert_text("result", "new");
}
END_TEST

START_TEST(test_an_older_file_survives_a_discard)
{
    put_text("result", "old");
    struct output *output = open_output("result");
    fputs("new", output->file);
    output_discard(output);
    assert_text("result", "old");
    ck_assert(!is_there("result.partial"));
}
END_TEST

START_TEST(test_discard_after_commit_is_harmless)
{
    struct output *output = open_output("result");
    fputs("whole", output->file);
    ck_assert_int_eq(output_commit(output, &why), 0);
    output_discard(output);
    output_discard(output);
    assert_text("result", "whole");
}
END_TEST

START_TEST(test_an_empty_file_can_be_committed)
{
    ck_assert_int_eq(output_commit(open_output("result"), &why), 0);
    assert_text("result", "");
}
END_TEST

START_TEST(test_no_other_file_is_touched)
{
    put_text("other", "precious");
    ck_assert_int_eq(symlink("other", "result.partial"), 0);
    struct output *output = open_output("result");
    fputs("new", output->file);
    ck_assert_int_eq(output_commit(output, &why), 0);
    assert_text("result", "new");
    assert_text("other", "precious");
    ck_assert_int_eq(count_files(), 3);
}
END_TEST

START_TEST(test_a_link_in_a_directory_that_is_held_is_replaced)
{
    struct stat about;
    put_text("other", "precious");
    ck_assert_int_eq(mkdir("folder", 0755), 0);
    ck_assert_int_eq(symlink("../other", "folder/result"), 0);
    ck_assert_int_eq(symlink("/dev/full", "folder/device"), 0);
    ck_assert_int_eq(symlink("..", "folder/directory"), 0);
    ck_assert_int_eq(output_hold_directory("folder", &why), 0);
    static const char *const paths[] = {"folder/result", "folder/device", "folder/directory"};
    for (unsigned i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ck_assert_int_eq(output_probe(paths[i], &why), 0);
        struct output *output = open_output(paths[i]);
        fputs("new", output->file);
        ck_assert_int_eq(output_commit(output, &why), 0);
        assert_text(paths[i], "new");
        ck_assert_int_eq(lstat(paths[i], &about), 0);
        ck_assert(S_ISREG(about.st_mode));
        ck_assert_int_eq(unlink(paths[i]), 0);
    }
    assert_text("other", "precious");
    ck_assert_int_eq(rmdir("folder"), 0);
}
END_TEST

/* Only root can make a link of another user; 65534 is nobody. */
START_TEST(test_a_link_of_another_user_is_followed_only_where_nobody_else_writes)
{
    static const struct {
        mode_t folder;
        uid_t link;
        int status;
    } cases[] = {{01777, 65534, OUTPUT_EOPEN}, {0757, 65534, OUTPUT_EOPEN}, {0755, 65534, 0}, {01777, 0, 0}};
    if (geteuid() != 0)
        return;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text("other", "precious");
        ck_assert_int_eq(mkdir("folder", 0755), 0);
        ck_assert_int_eq(chmod("folder", cases[i].folder), 0);
        ck_assert_int_eq(symlink("../other", "folder/result"), 0);
        ck_assert_int_eq(lchown("folder/result", cases[i].link, (gid_t)-1), 0);
        ck_assert_int_eq(output_probe("folder/result", &why), cases[i].status);
        struct output output;
        ck_assert_int_eq(output_open(&output, "folder/result", &why), cases[i].status);
        if (cases[i].status != 0)
            ck_assert_str_eq(why.line,
                             "folder/result: this link was made by another user and is not followed; "
                             "remove it, or name the file that it leads to");
        else
            ck_assert_int_eq(output_commit(&output, &why), 0);
        assert_text("other", cases[i].status == 0 ? "" : "precious");
        ck_assert_int_eq(unlink("folder/result"), 0);
        ck_assert_int_eq(rmdir("folder"), 0);
    }
}
END_TEST

/* Both are begun before either ends. */
START_TEST(test_the_last_of_two_files_of_one_name_wins_whole)
{
    struct output *one = open_output("result"), *two = open_output("result");
    fputs("one, the longer", one->file);
    fflush(one->file);
    fputs("two", two->file);
    ck_assert_int_eq(output_commit(two, &why), 0);
    assert_text("result", "two");
    ck_assert_int_eq(output_commit(one, &why), 0);
    assert_text("result", "one, the longer");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_a_file_for_another_program_has_a_name)
{
    struct output output;
    ck_assert_int_eq(output_open_named(&output, "result", &why), 0);
    put_text(output.partial, "written by its name");
    ck_assert(!is_there("result"));
    ck_assert_int_eq(output_commit(&output, &why), 0);
    assert_text("result", "written by its name");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_the_mode_follows_the_umask)
{
    struct output named;
    struct stat status;
    umask(027);
    struct output *output = open_output("result");
    ck_assert_int_eq(output_open_named(&named, "other", &why), 0);
    ck_assert_int_eq(output_commit(output, &why), 0);
    ck_assert_int_eq(output_commit(&named, &why), 0);
    ck_assert_int_eq(stat("result", &status), 0);
    ck_assert_int_eq(status.st_mode & 07777, 0640);
    ck_assert_int_eq(stat("other", &status), 0);
    ck_assert_int_eq(status.st_mode & 07777, 0640);
}
END_TEST

START_TEST(test_a_settled_file_has_no_name_yet)
{
    struct output *output = open_output("result");
    fputs("text", output->file);
    ck_assert_int_eq(output_settle(output, &why), 0);
    ck_assert(!is_there("result"));
    ck_assert_int_eq(output_commit(output, &why), 0);
    assert_text("result", "text");
}
END_TEST

START_TEST(test_dash_is_standard_output)
{
    int before = dup(STDOUT_FILENO), log = open("log", O_WRONLY | O_CREAT, 0666);
    ck_assert_int_ge(dup2(log, STDOUT_FILENO), 0);
    struct output *output = open_output("-");
    fputs("to standard output\n", output->file);
    int status = output_commit(output, &why);
    bool still_open = write(STDOUT_FILENO, "more\n", 5) == 5;
    dup2(before, STDOUT_FILENO);
    close(log);
    ck_assert_int_eq(status, 0);
    ck_assert(still_open);
    assert_text("log", "to standard output\nmore\n");
    ck_assert(!is_there("-"));
    ck_assert(!is_there("-.partial"));
}
END_TEST

/* Opened for both directions first, so that neither end waits for the other. */
START_TEST(test_a_pipe_is_written_directly)
{
    char text[10] = "";
    ck_assert_int_eq(mkfifo("pipe", 0666), 0);
    int reader = open("pipe", O_RDWR);
    struct output *output = open_output("pipe");
    fputs("through", output->file);
    ck_assert_int_eq(output_commit(output, &why), 0);
    ck_assert_int_eq(read(reader, text, sizeof text - 1), 7);
    ck_assert_str_eq(text, "through");
    ck_assert(!is_there("pipe.partial"));
    close(reader);
    struct stat status;
    ck_assert_int_eq(stat("pipe", &status), 0);
    ck_assert(S_ISFIFO(status.st_mode));
}
END_TEST

START_TEST(test_remove_partials_unlinks_what_is_open)
{
    struct output one, *two = open_output("other");
    ck_assert_int_eq(output_open_named(&one, "result", &why), 0);
    fputs("half", one.file);
    fputs("half", two->file);
    output_remove_partials();
    ck_assert_int_eq(count_files(), 0);
    output_discard(&one);
    output_discard(two);
}
END_TEST

START_TEST(test_remove_partials_leaves_what_is_done)
{
    struct output done, gone;
    char names[2][OUTPUT_NAME_MAX];
    ck_assert_int_eq(output_open_named(&done, "result", &why), 0);
    strcpy(names[0], done.partial);
    ck_assert_int_eq(output_commit(&done, &why), 0);
    ck_assert_int_eq(output_open_named(&gone, "other", &why), 0);
    strcpy(names[1], gone.partial);
    output_discard(&gone);
    put_text(names[0], "somebody else's");
    put_text(names[1], "somebody else's");
    output_remove_partials();
    assert_text("result", "");
    for (int i = 0; i < 2; i++) {
        assert_text(names[i], "somebody else's");
        unlink(names[i]);
    }
}
END_TEST

START_TEST(test_a_probe_leaves_nothing)
{
    put_text("other", "old");
    ck_assert_int_eq(output_probe("result", &why), 0);
    ck_assert_int_eq(output_probe("other", &why), 0);
    ck_assert(!is_there("result"));
    ck_assert(!is_there("result.partial"));
    ck_assert(!is_there("other.partial"));
    assert_text("other", "old");
}
END_TEST

START_TEST(test_a_directory_is_made)
{
    ck_assert_int_eq(output_hold_directory("folder", &why), 0);
    ck_assert(is_there("folder"));
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* More files at a time than a signal handler knows of: each is whole or not there all the same. */
START_TEST(test_many_files_at_a_time)
{
    struct output *outputs[20];
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "f%d", i);
        outputs[i] = open_output(name);
        fputs(name, outputs[i]->file);
    }
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(output_commit(outputs[i], &why), 0);
        snprintf(name, sizeof name, "f%d", i);
        assert_text(name, name);
        unlink(name);
    }
}
END_TEST

/* Slots are given back: a run of many files one after another never runs out of them. */
START_TEST(test_the_hundredth_file_is_still_removed_by_a_signal)
{
    struct output output;
    for (int i = 0; i < 99; i++) {
        ck_assert_int_eq(output_open_named(&output, "result", &why), 0);
        if (i % 2)
            output_discard(&output);
        else
            ck_assert_int_eq(output_commit(&output, &why), 0);
    }
    ck_assert_int_eq(output_open_named(&output, "other", &why), 0);
    output_remove_partials();
    ck_assert_int_eq(count_files(), 1);
    output_discard(&output);
}
END_TEST

START_TEST(test_a_path_that_is_too_long_is_refused)
{
    static char path[OUTPUT_PATH_MAX + 100];
    struct output output;
    memset(path, 'x', sizeof path - 1);
    ck_assert_int_eq(output_open(&output, path, &why), OUTPUT_EOPEN);
    path[OUTPUT_PATH_MAX] = '\0';
    ck_assert_int_eq(output_open(&output, path, &why), OUTPUT_EOPEN);
    output_discard(&output);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static void assert_full_disk_is_found(size_t bytes)
{
    struct output *output = open_output("/dev/full");
    for (size_t i = 0; i < bytes; i++)
        fputc('x', output->file);
    ck_assert_int_eq(output_commit(output, &why), OUTPUT_EWRITE);
    ck_assert_ptr_nonnull(strstr(why.line, "/dev/full"));
    ck_assert_ptr_nonnull(strstr(why.line, "No space left"));
    ck_assert(!is_there("/dev/full.partial"));
    ck_assert(is_there("/dev/full"));
}

START_TEST(test_a_full_disk_is_found_at_commit)
{
    assert_full_disk_is_found(1);
}
END_TEST

/* The stream has failed long before commit, which alone looks. */
START_TEST(test_a_disk_that_fills_up_on_the_way_is_found_at_commit)
{
    assert_full_disk_is_found(1000000);
}
END_TEST

/* Nothing is left to flush, and the failure is known to the stream alone. */
START_TEST(test_a_failure_of_an_unbuffered_stream_is_found_at_commit)
{
    struct output *output = open_output("/dev/full");
    setvbuf(output->file, NULL, _IONBF, 0);
    ck_assert_int_eq(fputc('x', output->file), EOF);
    ck_assert_int_eq(output_commit(output, &why), OUTPUT_EWRITE);
}
END_TEST

/* The name has become a directory meanwhile, so that the last step fails. */
START_TEST(test_a_failed_rename_leaves_no_partial)
{
    struct output *output = open_output("folder");
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    errno = ENOSPC; /* of something that was long ago */
    ck_assert_int_eq(output_commit(output, &why), OUTPUT_EWRITE);
    ck_assert_str_eq(why.line, "folder: cannot be written: Is a directory");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* The stream forgets why: the buffer that could not be written is gone when commit looks. */
START_TEST(test_the_reason_of_an_earlier_write_is_told)
{
    struct rlimit limit = {100000, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    struct output *output = open_output("result");
    setvbuf(output->file, NULL, _IONBF, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int i = 0; i < 30000; i++)
        fputs("many bytes", output->file);
    ck_assert_int_eq(output_commit(output, &why), OUTPUT_EWRITE);
    ck_assert_str_eq(why.line, "result: cannot be written: File too large; raise the limit (ulimit -f)");
    ck_assert_int_eq(count_files(), 0);
}
END_TEST

/* A lock is that of an open file: a second one of the same process is another's, too. */
START_TEST(test_a_directory_is_held_once)
{
    ck_assert_int_eq(output_hold_directory("folder", &why), 0);
    ck_assert_int_eq(output_hold_directory("folder", &why), OUTPUT_EBUSY);
    ck_assert_ptr_nonnull(strstr(why.line, "folder: another mercury is writing"));
}
END_TEST

START_TEST(test_discarding_what_was_never_begun_forgets_no_other_file)
{
    struct output begun, none = {0};
    ck_assert_int_eq(output_open_named(&begun, "result", &why), 0);
    output_discard(&none);
    output_remove_partials();
    ck_assert_int_eq(count_files(), 0);
    output_discard(&begun);
}
END_TEST

/* One that was there before, or that has something in it, stays. */
START_TEST(test_remove_partials_removes_the_directory_that_stayed_empty)
{
    ck_assert_int_eq(mkdir("before", 0777), 0);
    ck_assert_int_eq(output_hold_directory("before", &why), 0);
    output_remove_partials();
    ck_assert_int_eq(rmdir("before"), 0);
    ck_assert_int_eq(output_hold_directory("now", &why), 0);
    put_text("now/result", "whole");
    output_remove_partials();
    ck_assert(is_there("now/result"));
    ck_assert_int_eq(unlink("now/result"), 0);
    output_remove_partials();
    ck_assert(!is_there("now"));
}
END_TEST

/* The partial's descriptor leads to a full disk, behind the stream's back. */
START_TEST(test_an_older_file_survives_a_failed_write)
{
    put_text("result", "old");
    struct output *output = open_output("result");
    fputs("new", output->file);
    int full = open("/dev/full", O_WRONLY);
    ck_assert_int_ge(dup2(full, fileno(output->file)), 0);
    close(full);
    ck_assert_int_eq(output_commit(output, &why), OUTPUT_EWRITE);
    assert_text("result", "old");
    ck_assert(!is_there("result.partial"));
}
END_TEST

START_TEST(test_a_directory_is_refused)
{
    struct output output;
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    ck_assert_int_eq(output_open(&output, "folder", &why), OUTPUT_EOPEN);
    ck_assert_ptr_nonnull(strstr(why.line, "folder"));
    ck_assert_ptr_nonnull(strstr(why.line, "directory"));
    ck_assert(!is_there("folder.partial"));
    output_discard(&output);
    ck_assert_int_eq(output_probe("folder", &why), OUTPUT_EOPEN);
}
END_TEST

START_TEST(test_a_folder_that_is_not_there_is_refused)
{
    struct output output;
    ck_assert_int_eq(output_open(&output, "nowhere/result", &why), OUTPUT_EOPEN);
    ck_assert_ptr_nonnull(strstr(why.line, "nowhere/result"));
    ck_assert_int_eq(output_probe("nowhere/result", &why), OUTPUT_EOPEN);
    ck_assert_int_eq(output_hold_directory("nowhere/result", &why), OUTPUT_EOPEN);
    ck_assert_int_eq(output_open(&output, "", &why), OUTPUT_EOPEN);
}
END_TEST

START_TEST(test_a_file_is_no_directory)
{
    put_text("other", "a file");
    ck_assert_int_eq(output_hold_directory("other", &why), OUTPUT_EOPEN);
    ck_assert_ptr_nonnull(strstr(why.line, "other"));
    assert_text("other", "a file");
}
END_TEST

START_TEST(test_a_full_standard_output_is_found_at_commit)
{
    int before = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    ck_assert_int_ge(dup2(full, STDOUT_FILENO), 0);
    struct output *output = open_output("-");
    fputs("text", output->file);
    int status = output_commit(output, &why);
    dup2(before, STDOUT_FILENO);
    close(full);
    ck_assert_int_eq(status, OUTPUT_EWRITE);
    ck_assert_ptr_nonnull(strstr(why.line, "standard output"));
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, enter_directory, remove_directory);
    tcase_add_test(tcase, test_a_committed_file_has_its_name_and_text);
    tcase_add_test(tcase, test_nothing_has_the_name_before_commit);
    tcase_add_test(tcase, test_bytes_are_on_the_disk_before_the_name);
    tcase_add_test(tcase, test_a_planted_partial_is_not_written);
    tcase_add_test(tcase, test_an_older_file_stays_until_commit);
    tcase_add_test(tcase, test_an_older_file_survives_a_discard);
    tcase_add_test(tcase, test_discard_after_commit_is_harmless);
    tcase_add_test(tcase, test_an_empty_file_can_be_committed);
    tcase_add_test(tcase, test_no_other_file_is_touched);
    tcase_add_test(tcase, test_a_link_in_a_directory_that_is_held_is_replaced);
    tcase_add_test(tcase, test_a_link_of_another_user_is_followed_only_where_nobody_else_writes);
    tcase_add_test(tcase, test_the_last_of_two_files_of_one_name_wins_whole);
    tcase_add_test(tcase, test_a_file_for_another_program_has_a_name);
    tcase_add_test(tcase, test_the_mode_follows_the_umask);
    tcase_add_test(tcase, test_a_settled_file_has_no_name_yet);
    tcase_add_test(tcase, test_dash_is_standard_output);
    tcase_add_test(tcase, test_a_pipe_is_written_directly);
    tcase_add_test(tcase, test_remove_partials_unlinks_what_is_open);
    tcase_add_test(tcase, test_remove_partials_leaves_what_is_done);
    tcase_add_test(tcase, test_discarding_what_was_never_begun_forgets_no_other_file);
    tcase_add_test(tcase, test_remove_partials_removes_the_directory_that_stayed_empty);
    tcase_add_test(tcase, test_a_probe_leaves_nothing);
    tcase_add_test(tcase, test_a_directory_is_made);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, enter_directory, remove_directory);
    tcase_add_test(tcase, test_many_files_at_a_time);
    tcase_add_test(tcase, test_the_hundredth_file_is_still_removed_by_a_signal);
    tcase_add_test(tcase, test_a_path_that_is_too_long_is_refused);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_checked_fixture(tcase, enter_directory, remove_directory);
    tcase_add_test(tcase, test_a_full_disk_is_found_at_commit);
    tcase_add_test(tcase, test_a_disk_that_fills_up_on_the_way_is_found_at_commit);
    tcase_add_test(tcase, test_a_failure_of_an_unbuffered_stream_is_found_at_commit);
    tcase_add_test(tcase, test_a_failed_rename_leaves_no_partial);
    tcase_add_test(tcase, test_the_reason_of_an_earlier_write_is_told);
    tcase_add_test(tcase, test_a_directory_is_held_once);
    tcase_add_test(tcase, test_an_older_file_survives_a_failed_write);
    tcase_add_test(tcase, test_a_directory_is_refused);
    tcase_add_test(tcase, test_a_folder_that_is_not_there_is_refused);
    tcase_add_test(tcase, test_a_file_is_no_directory);
    tcase_add_test(tcase, test_a_full_standard_output_is_found_at_commit);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("output");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
