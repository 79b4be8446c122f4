#include "base/file/file_uses.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/file/output.h"

struct file_use {
    const char *name;
    char *path, *resolved; /* resolved: NULL if the file is there */
    dev_t device;
    ino_t inode;
    bool written;
    bool matters; /* it may be another one, too */
};

/* The path without links and dots, of which the last parts need not be there. @return for free() */
static char *resolve(const char *path)
{
    char *resolved = realpath(path, NULL);
    if (resolved)
        return resolved;
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    auto_free char *folder =
        slash > path ? memory_text_part(path, (size_t)(slash - path)) : memory_text(slash ? "/" : ".");
    char *before = resolve(folder);
    if (!*last || strcmp(last, ".") == 0)
        return before;
    resolved = memory_print("%s%s%s", before, before[strlen(before) - 1] == '/' ? "" : "/", last);
    free(before);
    return resolved;
}

static void add(struct file_uses *uses, const char *name, const char *path, bool written)
{
    struct file_use use = {.name = name, .written = written};
    struct stat about;
    if (!path)
        return;
    const bool standard = strcmp(path, "-") == 0;
    const int file = written ? STDOUT_FILENO : STDIN_FILENO;
    if ((standard ? fstat(file, &about) : stat(path, &about)) == 0) {
        use.device = about.st_dev;
        use.inode = about.st_ino;
        use.matters = S_ISREG(about.st_mode); /* pipes, devices and directories do not */
    } else
        use.matters = *path && !standard;
    use.path = memory_text(path);
    use.resolved = use.inode || !use.matters ? NULL : resolve(path);
    *ARRAY_NEXT(uses->items, uses->count, uses->room) = use;
}

void file_uses_read(struct file_uses *uses, const char *name, const char *path)
{
    add(uses, name, path, false);
}

void file_uses_write(struct file_uses *uses, const char *name, const char *path)
{
    add(uses, name, path, true);
}

/* The later one of two that are written is at fault. */
static int check(const struct file_uses *uses, struct why *why)
{
    for (size_t i = 0; i < uses->count; i++)
        for (size_t j = 0; j < uses->count; j++) {
            const struct file_use *written = &uses->items[i], *other = &uses->items[j];
            const bool are_same =
                written->resolved || other->resolved
                    ? written->resolved && other->resolved && strcmp(written->resolved, other->resolved) == 0
                    : written->device == other->device && written->inode == other->inode;
            if (written->written && (j < i || !other->written) && written->matters && other->matters &&
                are_same)
                return why_say(
                    why, FILE_USES_ECLASH,
                    other->written
                        ? "%s %.300s: %s is to be written to the same file (%.300s); name another one"
                        : "%s %.300s: this would overwrite %s (%.300s), which is read; name another "
                          "file",
                    written->name, written->path, other->name, other->path);
        }
    return 0;
}

void file_uses_destroy(struct file_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        free(uses->items[i].path);
        free(uses->items[i].resolved);
    }
    free(uses->items);
    *uses = (struct file_uses){0};
}

int file_uses_probe(struct file_uses *uses, struct why *why)
{
    int status = check(uses, why);
    for (size_t i = 0; i < uses->count && status == 0; i++)
        if (uses->items[i].written)
            status = output_probe(uses->items[i].path, why);
    file_uses_destroy(uses);
    return status;
}

int file_uses_check(struct file_uses *uses, struct why *why)
{
    int status = check(uses, why);
    file_uses_destroy(uses);
    return status;
}
