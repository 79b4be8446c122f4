#include "app/run/recorded_run.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"

bool recorded_run_is_record(const char *path)
{
    static const char magic[] = "MERCTOKN";
    char begin[sizeof magic - 1];
    FILE *file = fopen(path, "rb");
    bool is = file && fread(begin, sizeof begin, 1, file) == 1 && memcmp(begin, magic, sizeof begin) == 0;
    if (file)
        fclose(file);
    return is;
}

/* The name of a directory may hold what glob() would take as a pattern. */
int recorded_run_find(const char *directory, char record[PATH_MAX], const char *expected, struct why *why)
{
    char pattern[2 * PATH_MAX], *to = pattern;
    glob_t found = {0};
    for (const char *c = directory; *c && to < pattern + sizeof pattern - 16; c++) {
        if (strchr("*?[]\\", *c))
            *to++ = '\\';
        *to++ = *c;
    }
    snprintf(to, 16, "/*.tokens");
    int status = glob(pattern, 0, NULL, &found);
    size_t count = status == 0 ? found.gl_pathc : 0;
    if (count == 1)
        snprintf(record, PATH_MAX, "%s", found.gl_pathv[0]);
    globfree(&found);
    if (count == 1)
        return 0;
    return why_say(why, COMMAND_REFUSED,
                   "%.200s has %s record of tokens (*.tokens); expected %s, which mercury run "
                   "--record FILE writes",
                   directory, count == 0 ? "no" : "more than one", expected);
}
