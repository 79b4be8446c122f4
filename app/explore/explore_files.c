#include "app/explore/explore_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/svg.h"
#include "base/file/whole_file.h"
#include "app/run/run_options.h"

enum { FILE_BYTES_MOST = 1 << 20 };

/* What is served; nothing of a URL ever becomes a path. */
static const struct {
    const char *path, *name, *type;
} served[] = {
    {"/", "index.html", "text/html; charset=utf-8"},
    {"/explore.css", "explore.css", "text/css; charset=utf-8"},
    {"/explore.js", "explore.js", "text/javascript; charset=utf-8"},
    {"/machine.js", "machine.js", "text/javascript; charset=utf-8"},
    {"/answer.js", "answer.js", "text/javascript; charset=utf-8"},
    {"/tokens.js", "tokens.js", "text/javascript; charset=utf-8"},
    {"/server.js", "server.js", "text/javascript; charset=utf-8"},
    {"/estimate", "estimate.html", "text/html; charset=utf-8"},
    {"/estimate.js", "estimate.js", "text/javascript; charset=utf-8"},
};

enum { SERVED = sizeof served / sizeof served[0] };

static int read_file(const char *name, struct explore_file *file, struct why *why)
{
    char path[PATH_MAX], wanted[64];
    snprintf(wanted, sizeof wanted, "explore/%s", name);
    if (!run_options_find_data(wanted, path, sizeof path))
        return why_say(why, COMMAND_FAILED,
                       "data/explore/%s is not where the program was installed; install Mercury again", name);
    return command_status_of(whole_file_read(path, FILE_BYTES_MOST, &file->text, &file->bytes, why));
}

static int make_colours(struct explore_file *file, struct why *why)
{
    FILE *out = open_memstream(&file->text, &file->bytes);
    if (!out)
        return why_no_memory(why, COMMAND_REFUSED);
    svg_write_variables(out);
    return fclose(out) == 0 ? 0 : why_no_memory(why, COMMAND_REFUSED);
}

int explore_files_open(struct explore_files *files, struct why *why)
{
    int status = 0;
    *files = (struct explore_files){0};
    for (unsigned i = 0; i < SERVED && status == 0; i++) {
        struct explore_file *file = &files->items[files->count++];
        *file = (struct explore_file){.path = served[i].path, .type = served[i].type};
        status = read_file(served[i].name, file, why);
    }
    struct explore_file *colours = &files->items[files->count++];
    *colours = (struct explore_file){.path = "/colours.css", .type = "text/css; charset=utf-8"};
    return status ? status : make_colours(colours, why);
}

void explore_files_close(struct explore_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].text);
    *files = (struct explore_files){0};
}

const struct explore_file *explore_files_find(const struct explore_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    return NULL;
}
