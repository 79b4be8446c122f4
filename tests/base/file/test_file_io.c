/* test_file_io.c - does a signal stop what is written or read, and is the reason of a fault kept? */
#include "base/file/file_io.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "tests/run_suite.h"

enum { MANY = 1 << 20 /* a pipe has room for much less */ };

static char sent[MANY], got[MANY];

static void note(int number)
{
    (void)number;
}

/* Signals whose handler is no reason to stop, every millisecond; without SA_RESTART they interrupt what waits. */
static void interrupt(void)
{
    struct sigaction action = {.sa_handler = note};
    struct itimerval often = {{0, 1000}, {0, 1000}};
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void fill(void)
{
    for (size_t i = 0; i < MANY; i++)
        sent[i] = (char)(i * 2654435761U >> 13);
}

/* Is the other end of a pipe, which waits before each part.
 * @param reads  whether it reads what must come, or writes it */
static pid_t begin_other_end(int ends[2], bool reads)
{
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t process = fork();
    if (process != 0) {
        close(ends[reads ? 0 : 1]);
        return process;
    }
    close(ends[reads ? 1 : 0]);
    bool whole = true;
    for (size_t at = 0, part = MANY / 8; at < MANY && whole; at += part) {
        usleep(20000);
        whole = reads ? file_io_read_at(ends[0], got + at, part, -1)
                      : file_io_write_all(ends[1], sent + at, part);
    }
    _exit(whole && (!reads || memcmp(sent, got, MANY) == 0) ? 0 : 1);
}

static void assert_ended_well(pid_t process)
{
    int status = 1;
    while (waitpid(process, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(status, 0);
}

START_TEST(test_a_stream_writes_on_after_signals)
{
    int ends[2];
    fill();
    const pid_t reader = begin_other_end(ends, true);
    FILE *out = file_io_stream(ends[1], "w");
    interrupt();
    ck_assert_uint_eq(fwrite(sent, 1, 10, out), 10);
    ck_assert_uint_eq(fwrite(sent + 10, 1, MANY - 10, out), MANY - 10);
    ck_assert(file_io_flush(out));
    ck_assert_int_eq(fclose(out), 0);
    assert_ended_well(reader);
}
END_TEST

START_TEST(test_a_stream_reads_on_after_signals)
{
    int ends[2];
    fill();
    const pid_t writer = begin_other_end(ends, false);
    FILE *in = file_io_stream(ends[0], "r");
    interrupt();
    ck_assert_uint_eq(fread(got, 1, MANY, in), MANY);
    ck_assert_mem_eq(got, sent, MANY);
    ck_assert_int_eq(fgetc(in), EOF);
    ck_assert(!ferror(in));
    fclose(in);
    assert_ended_well(writer);
}
END_TEST

START_TEST(test_a_stream_is_read_where_it_was_written)
{
    char path[] = "/tmp/test_file_io.XXXXXX", text[20] = "";
    close(mkstemp(path));
    FILE *file = file_io_open(path, O_RDWR);
    fputs("one two", file);
    ck_assert_int_eq(ftello(file), 7);
    ck_assert_int_eq(fseeko(file, 4, SEEK_SET), 0);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "two");
    fseeko(file, 0, SEEK_SET);
    fputs("ONE", file);
    ck_assert(file_io_flush(file));
    ck_assert(file_io_read_at(fileno(file), text, 7, 0));
    ck_assert_str_eq(text, "ONE two");
    fclose(file);
    unlink(path);
}
END_TEST

START_TEST(test_the_first_fault_of_a_stream_stays)
{
    char path[] = "/tmp/test_file_io.XXXXXX";
    struct rlimit limit = {1000, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(file_io_fault(), ENOMEM);
    FILE *file = file_io_stream(mkstemp(path), "w");
    unlink(path);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fwrite(sent, 1, MANY, file);
    errno = 0;
    ck_assert(!file_io_flush(file));
    ck_assert_int_eq(errno, EFBIG);
    ck_assert_str_eq(why_error(errno), "File too large; raise the limit (ulimit -f)");
    limit.rlim_cur = RLIM_INFINITY;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_str_eq(why_error(EFBIG), "File too large");
    fputs("what follows a hole", file);
    errno = 0;
    ck_assert_int_eq(fclose(file), EOF);
    ck_assert_int_eq(errno, EFBIG);
    ck_assert_int_eq(file_io_fault(), EFBIG);
}
END_TEST

START_TEST(test_a_short_file_is_not_a_lack_of_memory)
{
    char byte;
    FILE *empty = tmpfile();
    ck_assert(!file_io_read_at(fileno(empty), &byte, 1, 0));
    ck_assert_str_eq(why_error(errno), "the file is too short");
    ck_assert_int_eq(file_io_fault(), errno);
    fclose(empty);
}
END_TEST

/* More bytes than are copied at a time; of those after them nothing is copied. */
START_TEST(test_bytes_are_copied_to_a_stream_and_back)
{
    enum { BYTES = 100000 };
    char *copy = NULL, first[] = "/tmp/test_file_io.XXXXXX", second[] = "/tmp/test_file_io.XXXXXX";
    size_t size;
    const int from = mkstemp(first), to = mkstemp(second);
    fill();
    unlink(first);
    unlink(second);
    ck_assert(file_io_write_all(from, sent, BYTES + 1));
    ck_assert_int_eq(file_io_bytes(from), BYTES + 1);
    FILE *stream = open_memstream(&copy, &size);
    ck_assert(file_io_copy(stream, false, from, BYTES));
    ck_assert(!file_io_copy(stream, false, from, BYTES + 2));
    ck_assert(!file_io_copy(stream, false, -1, 1));
    fclose(stream);
    stream = fmemopen(copy, BYTES, "r");
    ck_assert(file_io_copy(stream, true, to, BYTES));
    ck_assert(!file_io_copy(stream, true, to, 1));
    ck_assert_int_eq(file_io_bytes(to), BYTES);
    ck_assert(file_io_read_at(to, got, BYTES, 0));
    ck_assert_mem_eq(got, sent, BYTES);
    ck_assert_int_eq(file_io_bytes(-1), -1);
    fclose(stream);
    free(copy);
    close(from);
    close(to);
}
END_TEST

START_TEST(test_what_cannot_be_opened_is_no_stream)
{
    ck_assert_ptr_null(file_io_open("/none/name", O_RDONLY));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_null(file_io_stream(-1, "w"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("file_io");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_a_stream_writes_on_after_signals);
    tcase_add_test(core, test_a_stream_reads_on_after_signals);
    tcase_add_test(core, test_a_stream_is_read_where_it_was_written);
    tcase_add_test(core, test_the_first_fault_of_a_stream_stays);
    tcase_add_test(core, test_a_short_file_is_not_a_lack_of_memory);
    tcase_add_test(core, test_bytes_are_copied_to_a_stream_and_back);
    tcase_add_test(core, test_what_cannot_be_opened_is_no_stream);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
