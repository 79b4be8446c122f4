#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTIALS_MAX = 16 };

/* Names that a signal handler may unlink; an empty name is a free slot. */
static char partials[PARTIALS_MAX][OUTPUT_PATH_MAX + 16];

static int take_slot(const char *partial)
{
    for (int i = 0; i < PARTIALS_MAX; i++)
        if (partials[i][0] == '\0') {
            strcpy(partials[i] + 1, partial + 1);
            partials[i][0] = partial[0]; /* last, so that a signal sees a whole name or none */
            return i;
        }
    return -1;
}

static void free_slot(struct output *output)
{
    if (output->slot >= 0)
        partials[output->slot][0] = '\0';
    output->slot = -1;
}

static int refuse(const char *path, const char *doing, int code, struct why *why)
{
    return why_say(why, code, "%s: cannot be %s: %s", path, doing, strerror(errno));
}

static bool is_special(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* True for pipes, devices and names of open files, also if a link leads to them. */
static bool is_written_directly(const char *path)
{
    char target[OUTPUT_PATH_MAX] = "";
    struct stat status;
    if (readlink(path, target, sizeof target - 1) > 0 && is_special(target))
        return true;
    if (stat(path, &status) != 0)
        return false;
    return is_special(path) || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/* Replace the name of a link by that of the file that it leads to. */
static void follow_link(struct output *output)
{
    struct stat status;
    char *target =
        lstat(output->path, &status) == 0 && S_ISLNK(status.st_mode) ? realpath(output->path, NULL) : NULL;
    if (target && strlen(target) < sizeof output->path)
        strcpy(output->path, target);
    free(target);
}

static int open_standard_output(struct output *output, struct why *why)
{
    int copy = dup(STDOUT_FILENO);
    output->file = copy >= 0 ? fdopen(copy, "w") : NULL;
    return output->file ? 0 : refuse("standard output", "opened", OUTPUT_EOPEN, why);
}

static int open_partial(struct output *output, struct why *why)
{
    struct stat status;
    follow_link(output);
    if (stat(output->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return refuse(output->path, "written", OUTPUT_EOPEN, why);
    }
    snprintf(output->partial, sizeof output->partial, "%s.partial", output->path);
    output->slot = take_slot(output->partial); /* first, so that no signal finds a file without a slot */
    output->file = fopen(output->partial, "w");
    if (output->file)
        return 0;
    free_slot(output);
    output->partial[0] = '\0';
    return refuse(output->path, "written", OUTPUT_EOPEN, why);
}

int output_open(struct output *output, const char *path, struct why *why)
{
    *output = (struct output){.slot = -1};
    if (!*path || strlen(path) >= OUTPUT_PATH_MAX) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        return refuse(*path ? path : "''", "written", OUTPUT_EOPEN, why);
    }
    strcpy(output->path, path);
    if (strcmp(path, "-") == 0)
        return open_standard_output(output, why);
    if (!is_written_directly(path))
        return open_partial(output, why);
    output->file = fopen(path, "w");
    return output->file ? 0 : refuse(path, "written", OUTPUT_EOPEN, why);
}

int output_commit(struct output *output, struct why *why)
{
    const char *shown = strcmp(output->path, "-") == 0 ? "standard output" : output->path;
    bool good = fflush(output->file) == 0 && !ferror(output->file);
    if (good && output->partial[0])
        good = fsync(fileno(output->file)) == 0;
    int error = errno;
    good = fclose(output->file) == 0 && good;
    output->file = NULL;
    if (good && output->partial[0])
        good = rename(output->partial, output->path) == 0;
    if (!good) {
        errno = error ? error : errno;
        output_discard(output);
        return refuse(shown, "written", OUTPUT_EWRITE, why);
    }
    free_slot(output);
    output->partial[0] = '\0';
    return 0;
}

void output_discard(struct output *output)
{
    int error = errno;
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    if (output->partial[0])
        unlink(output->partial);
    output->partial[0] = '\0';
    free_slot(output);
    errno = error;
}

int output_probe(const char *path, struct why *why)
{
    struct output output;
    if (strcmp(path, "-") == 0)
        return 0;
    if (is_written_directly(path))
        return access(path, W_OK) == 0 ? 0 : refuse(path, "written", OUTPUT_EOPEN, why);
    int status = output_open(&output, path, why);
    if (status == 0)
        output_discard(&output);
    return status;
}

int output_make_directory(const char *path, struct why *why)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    return refuse(path, "made a directory", OUTPUT_EOPEN, why);
}

void output_remove_partials(void)
{
    for (int i = 0; i < PARTIALS_MAX; i++)
        if (partials[i][0])
            unlink(partials[i]);
}

bool output_write_all(int file, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = write(file, from, bytes);
        if (written <= 0)
            return false;
        from += written;
        bytes -= (size_t)written;
    }
    return true;
}
