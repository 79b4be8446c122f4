#include "app/run/unfinished_run.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/printable.h"

int command_line_take(int argc, char **argv, struct command_line *line, struct why *why)
{
    char here[PATH_MAX] = "";
    FILE *out = open_memstream(&line->bytes, &line->count);
    if (!out)
        return why_no_memory(why, COMMAND_REFUSED);
    if (!getcwd(here, sizeof here)) /* it was removed: names that do not begin there are still good */
        here[0] = '\0';
    fwrite(here, 1, strlen(here) + 1, out);
    for (int i = 1; i < argc; i++)
        fwrite(argv[i], 1, strlen(argv[i]) + 1, out);
    bool taken = !ferror(out);
    return fclose(out) == 0 && taken ? 0 : why_no_memory(why, COMMAND_REFUSED);
}

/* Number of arguments, 0 to 2, from this one on that do not change what a run finds: -j, --memory, --quiet. */
static int count_idle(const char *argument)
{
    static const char *const with_value[] = {"-j", "--jobs", "--memory"};
    if (strcmp(argument, "--quiet") == 0)
        return 1;
    for (unsigned i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        size_t length = strlen(with_value[i]);
        if (strncmp(argument, with_value[i], length) != 0)
            continue;
        bool is_letter = length == 2;
        if (argument[length] == '\0')
            return 2;
        if (is_letter || argument[length] == '=')
            return 1;
    }
    return 0;
}

char *command_line_print(int argc, char **argv)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs("mercury", out);
    for (int i = 0; i < argc; i++) {
        int idle = count_idle(argv[i]);
        if (idle > 0)
            i += idle - 1;
        else
            printable_append_argument(argv[i], out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

const char *unfinished_run_path(const char *directory, char *path, size_t size)
{
    snprintf(path, size, "%s/unfinished.passes", directory);
    return path;
}

int unfinished_run_open(const char *directory, struct pass_store **store, struct why *why)
{
    char path[PATH_MAX], finished[PATH_MAX];
    *store = NULL;
    snprintf(finished, sizeof finished, "%.3800s/run.json", directory);
    if (access(unfinished_run_path(directory, path, sizeof path), F_OK) != 0)
        return why_say(why, COMMAND_REFUSED, "--resume %.400s: %s", directory,
                       access(finished, F_OK) == 0 ? "that run has finished; there is nothing to resume"
                                                   : "holds no unfinished run (no unfinished.passes)");
    return command_status_of(pass_store_open(path, store, why));
}

int unfinished_run_enter(const struct pass_store *store, char *name, int *argc, char ***argv, struct why *why)
{
    const struct pass_store_run *run = pass_store_run(store);
    char *at = (char *)run->command, *end = at + run->command_bytes;
    size_t count = 1; /* the last one may lack its NUL */
    for (const char *byte = at; byte < end; byte++)
        count += *byte == '\0';
    *argv = calloc(count + 1, sizeof **argv); /* `name` instead of the working directory, and NULL */
    if (!*argv)
        return why_no_memory(why, COMMAND_REFUSED);
    (*argv)[0] = name;
    *argc = 1;
    const char *directory = at;
    for (at += strlen(at) + 1; at < end; at += strlen(at) + 1)
        (*argv)[(*argc)++] = at;
    if (*directory && chdir(directory) != 0)
        return why_say(why, COMMAND_REFUSED, "--resume: the run was begun in %.400s: %s", directory,
                       strerror(errno));
    return 0;
}
