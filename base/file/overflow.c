#include "base/file/overflow.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <lz4.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"

/* Little, since actors of SimGrid have small stacks. */
enum { COPY_BYTES = 1 << 13 };

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
    char *memory = malloc((size_t)most + 1);
    int packed = 0;
    const uint64_t begin = end_of(o);
    bool added = memory && open_file(o) &&
                 array_reserve(&o->pieces, &o->room, o->count, 1, sizeof *o->pieces) &&
                 (packed = LZ4_compress_default(bytes, memory, (int)count, most)) > 0 &&
                 file_io_write_at(o->file, memory, (size_t)packed, (off_t)begin);
    if (added)
        o->pieces[o->count++] = (struct overflow_piece){begin, (uint32_t)packed, (uint32_t)count};
    free(memory);
    return added;
}

bool overflow_read(const struct overflow *o, size_t piece, void *bytes)
{
    const struct overflow_piece *p = &o->pieces[piece];
    uint8_t *packed = malloc(p->packed);

    bool whole =
        packed && file_io_read_at(o->file, packed, p->packed, (off_t)p->begin) &&
        (LZ4_decompress_safe((const char *)packed, bytes, (int)p->packed, (int)p->bytes) == (int)p->bytes ||
         file_io_fail(EIO));
    free(packed);
    return whole;
}

bool overflow_write_bytes(const struct overflow *o, FILE *out)
{
    uint8_t bytes[COPY_BYTES];
    const uint64_t end = end_of(o);
    bool written = true;
    for (uint64_t at = 0, part; written && at < end; at += part) {
        part = end - at < sizeof bytes ? end - at : sizeof bytes;
        written = file_io_read_at(o->file, bytes, part, (off_t)at) && fwrite(bytes, 1, part, out) == part;
    }
    return written;
}

bool overflow_read_bytes(struct overflow *o, FILE *in)
{
    uint8_t bytes[COPY_BYTES];
    const uint64_t end = end_of(o);
    bool read = end == 0 || open_file(o);
    for (uint64_t at = 0, part; read && at < end; at += part) {
        part = end - at < sizeof bytes ? end - at : sizeof bytes;
        read = fread(bytes, 1, part, in) == part && file_io_write_at(o->file, bytes, part, (off_t)at);
    }
    return read;
}
