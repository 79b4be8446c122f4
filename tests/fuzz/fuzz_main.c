/* fuzz_main.c - the plain engine of a harness: fuzz_NAME CASES SEED [FILE...] gives it every file as it is, and CASES
 * mutations of them. What ends the process is left in crash-NAME-SEED-CASE, and named on standard error. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file/whole_file.h"
#include "tests/fuzz/fuzz.h"

enum { FILES_MOST = 256, BYTES_MOST = 1 << 18, STEPS_MOST = 6, SECONDS_MOST = 5 /* of the processor */ };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input files[FILES_MOST];
static size_t file_count;
static uint8_t present[BYTES_MOST]; /* the input that is being tried */
static size_t present_size;
static char crash_path[256];

/* --- random numbers (splitmix64) ------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(size_t limit)
{
    return limit ? draw() % limit : 0;
}

/* --- mutations ------------------------------------------------------------------------------------------- */

static void replace(size_t at, size_t old_size, const void *bytes, size_t size)
{
    if (present_size - old_size + size > sizeof present)
        return;
    memmove(present + at + size, present + at + old_size, present_size - at - old_size);
    memcpy(present + at, bytes, size);
    present_size += size - old_size;
}

static void insert_part(size_t at)
{
    const struct input *other = &files[below(file_count)];
    size_t begin = below(other->size), rest = other->size - begin;
    size_t size = below(rest < 64 ? rest + 1 : 65), old_size = below(2) ? size : 0;
    replace(at, old_size < present_size - at ? old_size : present_size - at, other->bytes + begin, size);
}

static void repeat(size_t at)
{
    uint8_t part[256];
    size_t rest = present_size - at, size = below(rest < sizeof part ? rest + 1 : sizeof part);
    memcpy(part, present + at, size);
    for (size_t times = 1 + below(8); times > 0; times--)
        replace(at, 0, part, size);
}

static void put_number(size_t at)
{
    static const uint64_t numbers[] = {
        0,         1, 2, 127, 255, UINT16_MAX, INT32_MAX, 1u << 31, UINT32_MAX, INT64_MAX, UINT64_C(1) << 63,
        UINT64_MAX};
    uint64_t number = numbers[below(sizeof numbers / sizeof numbers[0])] - below(2);
    size_t size = (size_t)1 << below(4);
    if (size <= present_size - at)
        memcpy(present + at, &number, size);
}

static void put_text(size_t at)
{
    static const char *const texts[] = {"0",          "-1",
                                        "nan",        "inf",
                                        "1e999",      "18446744073709551616",
                                        "1e-320",     "..",
                                        "\t",         "\n",
                                        "\r\n",       "\"",
                                        "=",          ",",
                                        "%s%n",       ">",
                                        "^64",        "2147483648",
                                        "\xff\xfe",   "\xc3",
                                        "4294967296", "-9223372036854775808"};
    const char *text = texts[below(sizeof texts / sizeof texts[0])];
    replace(at, below(2) && at < present_size ? 1 : 0, text, strlen(text));
}

static void mutate(void)
{
    size_t at = below(present_size);
    uint8_t byte = (uint8_t)draw();
    switch (below(8)) {
    case 0:
        if (present_size)
            present[at] ^= (uint8_t)(1u << below(8));
        return;
    case 1:
        replace(at, present_size ? 1 : 0, &byte, 1);
        return;
    case 2: {
        size_t rest = present_size - at;
        replace(at, below(rest < 32 ? rest + 1 : 33), "", 0);
        return;
    }
    case 3:
        put_number(at);
        return;
    case 4:
        put_text(at);
        return;
    case 5:
        repeat(at);
        return;
    case 6:
        if (below(8) == 0)
            present_size = at;
        return;
    default:
        insert_part(at);
    }
}

/* --- cases ----------------------------------------------------------------------------------------------- */

static void leave_input(int number)
{
    int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool left = file >= 0 && write(file, present, present_size) == (ssize_t)present_size;
    const char *end = left ? "\n" : " could not be written\n";
    (void)!write(STDERR_FILENO, crash_path, strlen(crash_path));
    (void)!write(STDERR_FILENO, end, strlen(end));
    signal(number, SIG_DFL);
    raise(number);
}

static void try_input(const char *name, const char *seed, long number)
{
    snprintf(crash_path, sizeof crash_path, "crash-%.100s-%.20s-%ld", name, seed, number);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = SECONDS_MOST}, NULL);
    LLVMFuzzerTestOneInput(present, present_size);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
}

static void take(const struct input *input)
{
    present_size = input->size < sizeof present ? input->size : sizeof present;
    memcpy(present, input->bytes, present_size);
}

static void read_file(const char *path)
{
    struct why why;
    char *text;
    size_t size;
    if (whole_file_read(path, BYTES_MOST, &text, &size, &why) != 0) {
        fprintf(stderr, "%s\n", why.line);
        exit(EXIT_FAILURE);
    }
    if (file_count < FILES_MOST)
        files[file_count++] = (struct input){(uint8_t *)text, size};
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    if (argc < 3) {
        fprintf(stderr, "usage: %s CASES SEED [FILE...]\n", name);
        return 2;
    }
    long cases = strtol(argv[1], NULL, 10);
    uint64_t seed = strtoull(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++)
        read_file(argv[i]);
    if (file_count == 0)
        files[file_count++] = (struct input){calloc(1, 1), 0};
    const int ends[] = {SIGABRT, SIGVTALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        signal(ends[i], leave_input);
    for (size_t i = 0; i < file_count; i++) {
        take(&files[i]);
        try_input(name, argv[2], -(long)i - 1);
    }
    for (long i = 0; i < cases; i++) {
        state = seed * UINT64_C(1000003) + (uint64_t)i;
        take(&files[below(file_count)]);
        for (size_t steps = 1 + below(STEPS_MOST); steps > 0; steps--)
            mutate();
        try_input(name, argv[2], i);
    }
    printf("%s: %zu files, %ld mutations, seed %" PRIu64 "\n", name, file_count, cases, seed);
    return 0;
}
