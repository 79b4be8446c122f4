/* test_memory.c - is what is asked for there, and does the process end as it was told where it cannot be? */
#include "base/memory.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/child_words.h"
#include "base/process/signals.h"
#include "tests/run_suite.h"

enum { ENDED_AS_SET = 7 };

/* AddressSanitizer ends the process by itself unless it is told that malloc() may refuse. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void end(void)
{
    _exit(ENDED_AS_SET);
}

START_TEST(test_no_bytes_are_no_null_pointer)
{
    void *memory[] = {memory_take(0), memory_new(0, 8), memory_new(8, 0), memory_grow(NULL, 0)};
    for (int i = 0; i < COUNT_OF(memory); i++) {
        ck_assert_ptr_nonnull(memory[i]);
        free(memory[i]);
    }
}
END_TEST

START_TEST(test_what_there_was_stays)
{
    uint32_t *numbers = memory_new(1000, sizeof *numbers);
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(numbers[i], 0);
    numbers[999] = 5;
    numbers = memory_grow(numbers, 1000000 * sizeof *numbers);
    ck_assert_uint_eq(numbers[999], 5);
    free(numbers);
}
END_TEST

START_TEST(test_texts_and_streams)
{
    char *text = memory_text("w-mer"), *printed = memory_print("%s %d", text, 11), *written;
    size_t bytes;
    FILE *stream = memory_stream(&written, &bytes);
    fputs(printed, stream);
    memory_stream_end(stream);
    ck_assert_str_eq(printed, "w-mer 11");
    ck_assert_str_eq(written, printed);
    ck_assert_uint_eq(bytes, strlen(printed));
    free(text);
    free(printed);
    free(written);
}
END_TEST

static volatile size_t most = SIZE_MAX / 2; /* the compiler refuses what it knows to be too much */

static void ask_too_much(int how)
{
    switch (how) {
    case 0:
        memory_take(most);
        break;
    case 1:
        memory_new(most, 8); /* whose product is no number */
        break;
    case 2:
        memory_grow(NULL, most);
        break;
    default:
        memory_exhausted();
    }
}

START_TEST(test_where_there_is_none_the_process_ends)
{
    ck_assert_int_eq(suite_status_of(ask_too_much, _i), 1);
}
END_TEST

START_TEST(test_where_there_is_none_the_process_ends_as_it_was_set)
{
    memory_set_end(end);
    ck_assert_int_eq(suite_status_of(ask_too_much, _i), ENDED_AS_SET);
    memory_set_end(NULL);
}
END_TEST

static void ask_in_child(void *how)
{
    ask_too_much(*(int *)how);
}

/* Loop index = whether the stream knows of its error before it is closed. */
static void end_full_stream(int known)
{
    FILE *full = fopen("/dev/full", "w");
    if (known)
        setvbuf(full, NULL, _IONBF, 0);
    fputs("w-mer", full);
    memory_stream_end(full);
}

START_TEST(test_a_stream_that_is_not_whole_ends_the_process)
{
    ck_assert_int_eq(suite_status_of(end_full_stream, _i), 1);
}
END_TEST

/* It does not end as its parent would, who has files to remove. */
START_TEST(test_a_child_tells_its_parent)
{
    int status = 0;
    memory_set_end(end);
    ck_assert_int_eq(child_words_run(ask_in_child, &_i, &status), CHILD_NO_MEMORY);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    memory_set_end(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_no_bytes_are_no_null_pointer);
    tcase_add_test(core, test_what_there_was_stays);
    tcase_add_test(core, test_texts_and_streams);
    tcase_add_loop_test(errors, test_where_there_is_none_the_process_ends, 0, 4);
    tcase_add_loop_test(errors, test_where_there_is_none_the_process_ends_as_it_was_set, 0, 4);
    tcase_add_loop_test(errors, test_a_stream_that_is_not_whole_ends_the_process, 0, 2);
    /* what AddressSanitizer says besides would be told as its finding */
    tcase_add_loop_test(errors, test_a_child_tells_its_parent, tests_are_few() ? 3 : 0, 4);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
