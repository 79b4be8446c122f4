#include "base/file/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file_io.h"

static const char *place(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

int scratch_file_descriptor_in(const char *directory)
{
    char name[PATH_MAX];
    int file = TEMP_FAILURE_RETRY(open(directory, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600));
    if (file >= 0)
        return file;
    /* for file systems that know no files without a name */
    if (snprintf(name, sizeof name, "%s/.mercury-XXXXXX", directory) >= (int)sizeof name) {
        file_io_fail(ENAMETOOLONG);
        return -1;
    }
    file = mkostemp(name, O_CLOEXEC);
    if (file < 0)
        file_io_fail(errno);
    else
        unlink(name);
    return file;
}

/* The kernel tells where a file without a name is. */
int scratch_file_descriptor_beside(const char *path)
{
    char folder[PATH_MAX] = "";
    if (strncmp(path, "/proc/self/fd/", 14) != 0 || readlink(path, folder, sizeof folder - 1) < 0)
        snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return scratch_file_descriptor_in(".");
    slash[slash == folder] = '\0';
    return scratch_file_descriptor_in(folder);
}

int scratch_file_descriptor(void)
{
    return scratch_file_descriptor_in(place());
}

FILE *scratch_file_open(void)
{
    return file_io_stream(scratch_file_descriptor(), "w+");
}

int scratch_file_probe(struct why *why)
{
    int file = scratch_file_descriptor();
    if (file < 0)
        return scratch_file_refuse(why, SCRATCH_FILE_EOPEN);
    close(file);
    return 0;
}

int scratch_file_refuse_bytes(const char *what, struct why *why, int code)
{
    const int fault = file_io_fault();
    if (fault == ENOMEM)
        return why_precede(why, why_no_memory(why, code), "%s cannot be kept: ", what);
    return why_say(why, code, "%s cannot be kept in %.500s: %s; TMPDIR may name another directory", what,
                   place(), why_error(fault));
}

int scratch_file_refuse(struct why *why, int code)
{
    return why_say(why, code,
                   "%.500s: no temporary file can be made there: %s; set TMPDIR to another directory",
                   place(), why_error(errno));
}
