#include "base/file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/memory.h"

enum { PARTIALS_MAX = 16, NAMES_MAX = 100 /* tries until a name is found that nobody uses */ };

/* Names that a signal handler may unlink; an empty name is a free slot. */
static char partials[PARTIALS_MAX][OUTPUT_NAME_MAX];

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
    if (output->slot > 0)
        partials[output->slot - 1][0] = '\0';
    output->slot = 0;
}

const char *output_shown(const char *path)
{
    return strncmp(path, "/proc/self/fd/", 14) == 0 ? "a temporary file" : path;
}

static int refuse_for(int error, const char *path, const char *doing, int code, struct why *why)
{
    return why_say(why, code, "%s: cannot be %s: %s", output_shown(path), doing, why_error(error));
}

static int refuse(const char *path, const char *doing, struct why *why)
{
    return refuse_for(errno, path, doing, OUTPUT_EOPEN, why);
}

/* The directories that this process holds. */
static struct {
    dev_t device;
    ino_t node;
} held[4];
static unsigned held_count;

/* Async-signal-safe. */
static void remove_name(const char *path)
{
    if (TEMP_FAILURE_RETRY(unlink(path)) != 0 && (errno == EISDIR || errno == EPERM))
        rmdir(path);
}

static bool is_special(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Number of bytes of the path up to its last slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

static void name_folder(const char *path, char folder[OUTPUT_PATH_MAX])
{
    const int length = folder_length(path);
    snprintf(folder, OUTPUT_PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
}

enum link { LINK_NONE, LINK_FOLLOWED, LINK_REPLACED, LINK_STRANGE };

/* What becomes of a link. Files of a directory that is held are this process' own; elsewhere a link is followed that
 * the user or root has made, or that lies where only the user can make one: who may write to a folder that all share,
 * such as /tmp, could otherwise choose which of the user's files is overwritten. */
static enum link link_at(const char *path)
{
    char folder[OUTPUT_PATH_MAX];
    struct stat about, around;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode) || is_special(path))
        return LINK_NONE;
    name_folder(path, folder);
    if (stat(folder, &around) != 0)
        return LINK_FOLLOWED;
    for (unsigned i = 0; i < held_count; i++)
        if (held[i].device == around.st_dev && held[i].node == around.st_ino)
            return LINK_REPLACED;
    return about.st_uid == geteuid() || about.st_uid == 0 ||
                   (around.st_uid == geteuid() && !(around.st_mode & S_IWOTH))
               ? LINK_FOLLOWED
               : LINK_STRANGE;
}

static int refuse_link(const char *path, struct why *why)
{
    return why_say(
        why, OUTPUT_EOPEN,
        "%s: this link was made by another user and is not followed; remove it, or name the file that it "
        "leads to",
        path);
}

/* True for pipes, devices and names of open files, also if a link that is followed leads to them. */
static bool is_written_directly(const char *path)
{
    char target[OUTPUT_PATH_MAX] = "";
    struct stat status;
    if (link_at(path) == LINK_REPLACED)
        return false;
    if (readlink(path, target, sizeof target - 1) > 0 && is_special(target))
        return true;
    if (stat(path, &status) != 0)
        return false;
    return is_special(path) || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/* Draw a name beside the target. It is short, because the target's own may be as long as names can be. It gets its slot
 * first, so that no signal finds a file without one. */
static void draw_partial(struct output *output)
{
    static uint64_t drawn;
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = (uint64_t)getpid() << 32;
    free_slot(output);
    snprintf(output->partial, sizeof output->partial, "%.*s.mercury-%016" PRIx64 ".partial",
             folder_length(output->path), output->path, number + drawn++);
    output->slot = take_slot(output->partial) + 1;
}

static void forget_partial(struct output *output)
{
    free_slot(output);
    output->partial[0] = '\0';
}

/* Without /proc the file could never take a name. @return its descriptor, or -1 */
static int open_unnamed(struct output *output)
{
    char folder[OUTPUT_PATH_MAX];
    name_folder(output->path, folder);
    int file = TEMP_FAILURE_RETRY(open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666));
    if (file >= 0 && access(file_io_name(file).path, F_OK) != 0)
        file_io_close(&file);
    output->unnamed = file >= 0;
    return file;
}

static int open_partial(struct output *output, bool named, struct why *why)
{
    struct stat status;
    auto_free char *target = link_at(output->path) == LINK_FOLLOWED ? realpath(output->path, NULL) : NULL;
    if (target && strlen(target) < sizeof output->path)
        strcpy(output->path, target);
    if (lstat(output->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return refuse(output->path, "written", why);
    }
    int file = named ? -1 : open_unnamed(output);
    for (int i = 0; i < NAMES_MAX && file < 0 && (i == 0 || errno == EEXIST); i++) {
        draw_partial(output);
        file = TEMP_FAILURE_RETRY(
            open(output->partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)); /* follows no link, either */
    }
    output->file = file_io_stream(file, "w");
    if (output->file)
        return 0;
    int error = errno;
    forget_partial(output);
    return refuse_for(error, output->path, "written", OUTPUT_EOPEN, why);
}

static int open_output(struct output *output, const char *path, bool named, struct why *why)
{
    *output = (struct output){0};
    if (!*path || strlen(path) >= OUTPUT_PATH_MAX) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        return refuse(*path ? path : "''", "written", why);
    }
    strcpy(output->path, path);
    if (strcmp(path, "-") == 0) {
        output->file = file_io_stream(dup(STDOUT_FILENO), "w");
        return output->file ? 0 : refuse("standard output", "opened", why);
    }
    if (link_at(path) == LINK_STRANGE)
        return refuse_link(path, why);
    if (!is_written_directly(path))
        return open_partial(output, named, why);
    output->file = file_io_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    return output->file ? 0 : refuse(path, "written", why);
}

int output_open(struct output *output, const char *path, struct why *why)
{
    return open_output(output, path, false, why);
}

int output_open_named(struct output *output, const char *path, struct why *why)
{
    return open_output(output, path, true, why);
}

static bool is_direct(const struct output *output)
{
    return !output->unnamed && !output->partial[0];
}

/* The steps of a commit return 0 or an errno. */
static int settle(struct output *output)
{
    const bool settled = file_io_flush(output->file) &&
                         (is_direct(output) || TEMP_FAILURE_RETRY(fsync(fileno(output->file))) == 0);
    return settled ? 0 : errno;
}

/* Give a file without a name its first one. @return 0 or an errno */
static int link_to(const struct output *output, const char *path)
{
    const struct file_name name = file_io_name(fileno(output->file));
    return TEMP_FAILURE_RETRY(linkat(AT_FDCWD, name.path, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) == 0 ? 0
                                                                                                   : errno;
}

static int refuse_to_commit(struct output *output, int error, struct why *why)
{
    const char *shown = strcmp(output->path, "-") == 0 ? "standard output" : output->path;
    output_discard(output);
    return refuse_for(error, shown, "written", OUTPUT_EWRITE, why);
}

int output_settle(struct output *output, struct why *why)
{
    int error = settle(output);
    return error ? refuse_to_commit(output, error, why) : 0;
}

int output_commit(struct output *output, struct why *why)
{
    int error = settle(output);
    if (error == 0 && output->unnamed) {
        error = link_to(output, output->path);
        output->unnamed = false;
        /* a link cannot take the place of an older file, so the file then has a partial's name for a moment */
        for (int i = 0; i < NAMES_MAX && error == EEXIST; i++) {
            draw_partial(output);
            error = link_to(output, output->partial);
        }
        if (error)
            forget_partial(output);
    }
    if (fclose(output->file) != 0 && error == 0)
        error = errno;
    output->file = NULL;
    if (error == 0 && output->partial[0] && TEMP_FAILURE_RETRY(rename(output->partial, output->path)) != 0)
        error = errno;
    if (error)
        return refuse_to_commit(output, error, why);
    forget_partial(output);
    return 0;
}

void output_discard(struct output *output)
{
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    if (output->partial[0])
        remove_name(output->partial);
    forget_partial(output);
}

int output_end(struct output *output, int status, struct why *why)
{
    if (status == 0)
        return output_commit(output, why) != 0 ? COMMAND_REFUSED : 0;
    output_discard(output);
    return status;
}

int output_remove(const char *path, struct why *why)
{
    return TEMP_FAILURE_RETRY(unlink(path)) == 0 || errno == ENOENT ? 0 : refuse(path, "removed", why);
}

int output_probe(const char *path, struct why *why)
{
    struct output output;
    if (strcmp(path, "-") == 0)
        return 0;
    if (link_at(path) != LINK_STRANGE && is_written_directly(path))
        return access(path, W_OK) == 0 ? 0 : refuse(path, "written", why);
    int status = output_open(&output, path, why);
    if (status == 0)
        output_discard(&output);
    return status;
}

int output_hold_directory(const char *path, struct why *why)
{
    struct stat about;
    if (strcmp(path, "-") == 0)
        return why_say(why, OUTPUT_EOPEN,
                       "-: expected the name of a directory; standard output is none (./- may be one)");
    if (TEMP_FAILURE_RETRY(mkdir(path, 0777)) == 0)
        output_guard(path);
    else if (errno != EEXIST || stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return refuse(path, "made a directory", why);
    if (stat(path, &about) == 0 && held_count < sizeof held / sizeof held[0]) {
        held[held_count].device = about.st_dev;
        held[held_count++].node = about.st_ino;
    }
    int directory = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory < 0 || TEMP_FAILURE_RETRY(flock(directory, LOCK_EX | LOCK_NB)) == 0)
        return 0; /* the lock is that of the descriptor, which stays open */
    int error = errno;
    close(directory);
    if (error != EWOULDBLOCK)
        return 0;
    return why_say(why, OUTPUT_EBUSY,
                   "%.500s: another mercury is writing to this directory; wait until it has ended, or name "
                   "another directory",
                   path);
}

int output_guard(const char *path)
{
    return strlen(path) < OUTPUT_NAME_MAX ? take_slot(path) : -1;
}

void output_guard_end(int guard)
{
    if (guard < 0)
        return;
    remove_name(partials[guard]);
    partials[guard][0] = '\0';
}

/* A directory may have come before the files in it: it is empty when they are gone. */
void output_remove_partials(void)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < PARTIALS_MAX; i++)
            if (partials[i][0])
                remove_name(partials[i]);
}
