#include "sim/pass/pass_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"

static const char magic[8] = {'M', 'E', 'R', 'C', 'P', 'A', 'S', 'S'};

enum { VERSION = 14, COMMAND_BYTES_MAX = 1 << 20 };

struct head {
    char magic[sizeof magic];
    uint64_t version, digest, passes, command_bytes;
};

struct pass_head {
    uint64_t number, bytes, hash;
};

struct pass_store {
    char path[PATH_MAX]; /* for messages if it has no name */
    bool has_name;
    FILE *file;
    struct pass_store_run run;
    char *command;
    off_t *places; /* of each pass: where its head is; 0 if it is not there */
    size_t count;
    off_t end; /* of the last whole pass */
};

static int fail(const struct pass_store *s, const char *what, struct why *why)
{
    return why_say(why, PASS_EFILE, "%.400s: a pass that has ended cannot be %s: %s", s->path, what,
                   why_error(errno));
}

static int refuse(const struct pass_store *s, const char *what, struct why *why)
{
    return why_say(why, PASS_ERECORD, "%.400s: %s", s->path, what);
}

static struct pass_store *new_store(const char *path)
{
    struct pass_store *s = memory_new(1, sizeof *s);
    s->has_name = path != NULL;
    snprintf(s->path, sizeof s->path, "%s", path ? path : "the temporary file of passes");
    return s;
}

void pass_store_close(struct pass_store *s)
{
    if (!s)
        return;
    file_io_end(s->file);
    free(s->command);
    free(s->places);
    free(s);
}

/* --- beginning -------------------------------------------------------------------------------------------- */

static int write_head(struct pass_store *s, struct why *why)
{
    struct head head = {.version = VERSION,
                        .digest = s->run.digest,
                        .passes = s->run.passes,
                        .command_bytes = s->run.command_bytes};
    memcpy(head.magic, magic, sizeof magic);
    errno = ENODATA;
    bool written = fwrite(&head, sizeof head, 1, s->file) == 1 &&
                   fwrite(s->run.command, 1, s->run.command_bytes, s->file) == s->run.command_bytes &&
                   fflush(s->file) == 0;
    s->end = (off_t)(sizeof head + s->run.command_bytes);
    return written ? 0 : fail(s, "kept", why);
}

struct pass_store *pass_store_new(const char *path, const struct pass_store_run *run)
{
    struct pass_store *s = new_store(path);
    s->run = *run;
    s->places = memory_new(run->passes, sizeof *s->places);
    return s;
}

/* Who still has an older file open keeps it. */
static int begin(struct pass_store *s, struct why *why)
{
    if (s->has_name)
        TEMP_FAILURE_RETRY(unlink(s->path));
    s->file = s->has_name ? file_io_open(s->path, O_RDWR | O_CREAT | O_EXCL) : scratch_file_open();
    int status = s->file ? write_head(s, why) : fail(s, "kept", why);
    if (status == 0 && s->run.begun)
        s->run.begun(s->run.data);
    return status;
}

/* --- opening ---------------------------------------------------------------------------------------------- */

static int read_head(struct pass_store *s, struct why *why)
{
    struct head head;
    if (fread(&head, sizeof head, 1, s->file) != 1 || memcmp(head.magic, magic, sizeof magic) != 0)
        return refuse(s, "is no file of passes that have ended", why);
    if (head.version != VERSION || head.passes == 0 || head.passes > SIZE_MAX / sizeof *s->places ||
        head.command_bytes > COMMAND_BYTES_MAX)
        return refuse(
            s, "was written by another version of Mercury, or is damaged; begin the run anew with -o", why);
    s->run = (struct pass_store_run){
        .digest = head.digest, .passes = head.passes, .command_bytes = head.command_bytes};
    s->command = memory_new(1, head.command_bytes + 1);
    s->run.command = s->command;
    if (fread(s->command, 1, head.command_bytes, s->file) != head.command_bytes)
        return refuse(s, "was cut short before its first pass", why);
    s->end = ftello(s->file);
    return 0;
}

/* Read `bytes` bytes from here on. @param hash  out */
static bool hash_bytes(FILE *file, uint64_t bytes, uint64_t *hash)
{
    char part[1 << 16];
    XXH3_state_t *state = XXH3_createState();
    bool whole = state && XXH3_64bits_reset(state) == XXH_OK;
    while (whole && bytes > 0) {
        size_t size = bytes < sizeof part ? (size_t)bytes : sizeof part;
        whole = fread(part, 1, size, file) == size && XXH3_64bits_update(state, part, size) == XXH_OK;
        bytes -= size;
    }
    *hash = whole ? XXH3_64bits_digest(state) : 0;
    XXH3_freeState(state);
    return whole;
}

/* Whether the bytes of a pass, from here on, are those that were written. */
static bool is_whole(FILE *file, const struct pass_head *head)
{
    uint64_t hash;
    return hash_bytes(file, head->bytes, &hash) && hash == head->hash;
}

int pass_store_find_passes(struct pass_store *s, struct why *why)
{
    struct pass_head head;
    s->places = memory_new(s->run.passes, sizeof *s->places);
    errno = ENODATA;
    while (fread(&head, sizeof head, 1, s->file) == 1 && head.number < s->run.passes &&
           is_whole(s->file, &head)) {
        s->count += s->places[head.number] == 0;
        s->places[head.number] = s->end;
        s->end = ftello(s->file);
    }
    return !ferror(s->file) && TEMP_FAILURE_RETRY(ftruncate(fileno(s->file), s->end)) == 0
               ? 0
               : fail(s, "read", why);
}

int pass_store_open(const char *path, struct pass_store **store, struct why *why)
{
    struct pass_store *s = *store = new_store(path);
    s->file = file_io_open(path, O_RDWR);
    int status = s->file ? read_head(s, why) : fail(s, "read", why);
    if (status == 0)
        return 0;
    pass_store_close(s);
    *store = NULL;
    return status;
}

const struct pass_store_run *pass_store_run(const struct pass_store *s)
{
    return &s->run;
}

size_t pass_store_count(const struct pass_store *s)
{
    return s->count;
}

bool pass_store_has(const struct pass_store *s, size_t pass)
{
    return s->places[pass] > 0;
}

/* --- passes ----------------------------------------------------------------------------------------------- */

int pass_store_read(struct pass_store *s, size_t pass, struct pass_report **report, struct why *why)
{
    struct pass_head head;
    const off_t place = s->places[pass];
    errno = ENODATA;
    if (fseeko(s->file, place, SEEK_SET) != 0 || fread(&head, sizeof head, 1, s->file) != 1)
        return fail(s, "read", why);
    if (head.number != pass || !is_whole(s->file, &head))
        return refuse(s, "was changed while it was read; remove it and run again", why);
    if (fseeko(s->file, place + (off_t)sizeof head, SEEK_SET) != 0)
        return fail(s, "read", why);
    int status = pass_report_read(s->file, report, why);
    if (status == 0)
        (*report)->job.pass = pass; /* the bytes have the number among the passes that were simulated then */
    if (status == 0 ? (*report)->status == 0 : !feof(s->file))
        return status;
    pass_report_destroy(*report);
    *report = NULL;
    return refuse(s, "contradicts itself; remove it and run again", why);
}

/* Write a pass after the last whole one: first what it has left, then its head, without which it is no pass. */
int pass_store_add(struct pass_store *s, size_t pass, const struct pass_report *report, struct why *why)
{
    struct pass_head head = {.number = pass};
    int status = s->file ? 0 : begin(s, why);
    if (status)
        return status;
    const off_t place = s->end, bytes = place + (off_t)sizeof head;
    errno = ENODATA;
    bool written =
        fseeko(s->file, bytes, SEEK_SET) == 0 && pass_report_write(report, s->file) && fflush(s->file) == 0;
    const off_t end = ftello(s->file);
    head.bytes = (uint64_t)(end - bytes);
    written = written && fseeko(s->file, bytes, SEEK_SET) == 0 &&
              hash_bytes(s->file, head.bytes, &head.hash) && fseeko(s->file, place, SEEK_SET) == 0 &&
              fwrite(&head, sizeof head, 1, s->file) == 1 && fflush(s->file) == 0;
    if (!written)
        return fail(s, "kept", why);
    s->places[pass] = place;
    s->end = end;
    s->count++;
    return 0;
}
