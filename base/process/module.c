#include "base/process/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/process/child_words.h"

enum { PLACE_BYTES = 2 * PATH_MAX + 100 };

/* Without /proc the kernel still tells by which name the program was started. */
void module_program_directory(char directory[PATH_MAX])
{
    const char *name = (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr) */
    const ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    directory[length > 0 ? length : 0] = '\0';
    if (length <= 0 && (!name || !realpath(name, directory)))
        *directory = '\0';
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
}

/* @param path  out: where the module is, or the last place that was looked at */
static void find(const char *file, char path[PLACE_BYTES])
{
    static const char *const places[] = {MODULE_DIRECTORY, "app", "sim", "sim/simgrid"};
    char program[PATH_MAX];
    module_program_directory(program);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *before = *places[i] == '/' ? "" : program;
        snprintf(path, 2 * PATH_MAX, "%s/%s/%s", before, places[i], file);
        if (access(path, F_OK) == 0)
            return;
    }
}

/* Most of the many symbols of a module's libraries are found sooner if they are looked for in these libraries first.
 * But that would part them from a malloc() that takes the place of the C library's: a sanitizer's, or one by
 * LD_PRELOAD. */
static void *open_library(const char *path)
{
    int order = 0;
#ifdef RTLD_DEEPBIND
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (libc && dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc"))
        order = RTLD_DEEPBIND;
#endif
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | order);
}

static void try_library(void *path)
{
    open_library(path);
}

/* What was cut short would end the process by a signal when it is loaded: a library's last bytes are the headers of its
 * sections. */
static bool is_cut(const char *path)
{
    ElfW(Ehdr) head;
    struct stat about;
    FILE *file = file_io_open(path, O_RDONLY);
    bool cut = file && fread(&head, sizeof head, 1, file) == 1 && fstat(fileno(file), &about) == 0 &&
               head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize > (uint64_t)about.st_size;
    file_io_end(file);
    return cut;
}

static const void *fail(const char *file, const char *reason, struct why *why)
{
    if (!reason || strstr(reason, "failed to map") || strstr(reason, "annot allocate")) {
        why_no_memory(why, 0);
        why_precede(why, 0, "%s and its libraries cannot be loaded: ", file);
    } else {
        why_say(why, 0, "a part of Mercury cannot be loaded; build or install it again: %s", reason);
    }
    return NULL;
}

const void *module_load(const char *file, const char *symbol, struct why *why)
{
    char path[PLACE_BYTES];
    find(file, path);
    if (is_cut(path))
        return fail(file, strcat(strcat(path, ": "), why_error(ENODATA)), why);
    if (!child_words_try(try_library, path))
        return fail(file, NULL, why);
    void *library = open_library(path);
    const void *address = library ? dlsym(library, symbol) : NULL;
    return address ? address : fail(file, dlerror(), why);
}
