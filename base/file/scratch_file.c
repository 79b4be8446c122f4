#include "base/file/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/array.h"
#include "base/memory.h"

static bool open_file(struct overflow *o)
{
    if (!o->is_open) {
        o->file = scratch_file_descriptor();
        o->is_open = o->file >= 0;
    }
    return o->is_open;
}

void overflow_destroy(struct overflow *o)
{
    if (o->is_open)
        close(o->file);
    free(o->pieces);
    *o = (struct overflow){0};
}

static uint64_t end_of(const struct overflow *o)
{
    return o->count > 0 ? o->pieces[o->count - 1].begin + o->pieces[o->count - 1].packed : 0;
}

bool overflow_add(struct overflow *o, const void *bytes, size_t count)
{
    const int most = LZ4_compressBound((int)count);
    auto_free char *memory = memory_take((size_t)most + 1);
    const int packed = LZ4_compress_default(bytes, memory, (int)count, most);
    const uint64_t begin = end_of(o);
    const bool added =
        open_file(o) && packed > 0 && file_io_write_at(o->file, memory, (size_t)packed, (off_t)begin);
    array_reserve(&o->pieces, &o->room, o->count, 1, sizeof *o->pieces);
    if (added)
        o->pieces[o->count++] = (struct overflow_piece){begin, (uint32_t)packed, (uint32_t)count};
    return added;
}

bool overflow_read(const struct overflow *o, size_t piece, void *bytes)
{
    const struct overflow_piece *p = &o->pieces[piece];
    auto_free uint8_t *packed = memory_take(p->packed);

    bool whole =
        file_io_read_at(o->file, packed, p->packed, (off_t)p->begin) &&
        (LZ4_decompress_safe((const char *)packed, bytes, (int)p->packed, (int)p->bytes) == (int)p->bytes ||
         file_io_fail(EIO));
    return whole;
}

bool overflow_write_bytes(const struct overflow *o, FILE *out)
{
    return file_io_copy(out, false, o->file, end_of(o));
}

bool overflow_read_bytes(struct overflow *o, FILE *in)
{
    const uint64_t end = end_of(o);
    return end == 0 || (open_file(o) && file_io_copy(in, true, o->file, end));
}

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
