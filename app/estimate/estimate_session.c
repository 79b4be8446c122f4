#include "app/estimate/estimate_session.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command.h"
#include "app/estimate/estimate_detailed.h"
#include "app/run/run_options.h"

/* --- numbers of nodes ------------------------------------------------------------------------------------ */

static int add_nodes(struct estimate_session *s, uint64_t nodes, struct why *why)
{
    if (s->count == ESTIMATE_ROWS_MAX)
        return why_say(why, COMMAND_REFUSED, "--nodes '%.60s': more than %d numbers", s->nodes,
                       ESTIMATE_ROWS_MAX);
    s->rows[s->count++] =
        (struct estimate_row){.nodes = (uint32_t)nodes, .detailed_s = NAN, .detailed_wall_s = NAN};
    return 0;
}

static int refuse_nodes(const struct estimate_session *s, struct why *why)
{
    return command_refuse("--nodes", s->nodes, "numbers from 1 to 1000000, such as 1,15,64 or 1..64", why);
}

/* A..B: A, 2A, 4A ... and B */
static int take_range(struct estimate_session *s, char *item, struct why *why)
{
    uint64_t from = 0, to = 0;
    char *dots = strstr(item, "..");
    if (dots)
        *dots = '\0';
    if (command_whole(item, 1, ESTIMATE_NODES_MAX, &from) != 0 ||
        (dots && (command_whole(dots + 2, 1, ESTIMATE_NODES_MAX, &to) != 0 || to < from)))
        return refuse_nodes(s, why);
    int status = 0;
    for (uint64_t nodes = from; dots && nodes < to && status == 0; nodes *= 2)
        status = add_nodes(s, nodes, why);
    return status ? status : add_nodes(s, dots ? to : from, why);
}

static int take_nodes(struct estimate_session *s, struct why *why)
{
    char copy[512], *rest = copy, *item;
    int status = 0;
    if (!s->nodes)
        return add_nodes(s, estimate_program_nodes(&s->text), why);
    if (strlen(s->nodes) >= sizeof copy)
        return refuse_nodes(s, why);
    strcpy(copy, s->nodes);
    while (status == 0 && (item = strsep(&rest, ",")))
        status = take_range(s, item, why);
    return status;
}

/* --- texts ----------------------------------------------------------------------------------------------- */

/* A name on the command line is a file, or else one of data/machines. A name in a file is beside that file, or else one
 * of data/machines. @return for free() */
char *estimate_session_find_file(const char *name, const char *from)
{
    char path[2 * PATH_MAX], shipped[PATH_MAX + 16];
    struct stat about;
    const char *slash = from && *name != '/' ? strrchr(from, '/') : NULL;
    snprintf(path, sizeof path, "%.*s%.4000s", slash ? (int)(slash + 1 - from) : 0, slash ? from : "", name);
    snprintf(shipped, sizeof shipped, "machines/%.4000s", name);
    bool is_file = stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
    if (strcmp(name, "-") != 0 && !is_file && *name)
        run_options_find_data(shipped, path, sizeof path);
    return strdup(path);
}

static int read_file(struct estimate_session *s, const char *name, struct why *why)
{
    char *path = estimate_session_find_file(name, NULL);
    int status = path ? estimate_text_read(&s->text, path, estimate_session_find_file, why) : -1;
    if (!path)
        why_no_memory(why, -1);
    free(path);
    return command_status_of(status);
}

static int make_workload(struct estimate_session *s, struct why *why)
{
    size_t bytes = 0;
    if (!s->from)
        return 0;
    int status = estimate_workload_read(s->from, &s->workload, why);
    if (status)
        return status;
    FILE *memory = open_memstream(&s->workload_text, &bytes);
    if (memory)
        estimate_workload_write(&s->workload, &s->scale, memory);
    if (!memory || fclose(memory) != 0)
        return why_no_memory(why, COMMAND_FAILED);
    if (s->file_count == 0)
        return 0;
    return command_status_of(
        estimate_text_parse(&s->text, s->workload_text, bytes, "the workload of --from", NULL, why));
}

int estimate_session_read(struct estimate_session *s, struct why *why)
{
    int status = 0;
    for (size_t i = 0; i < s->file_count && status == 0; i++)
        status = read_file(s, s->files[i], why);
    if (status == 0)
        status = make_workload(s, why);
    for (size_t i = 0; i < s->set_count && status == 0; i++)
        status = command_status_of(estimate_text_set(&s->text, s->sets[i], why));
    return status ? status : take_nodes(s, why);
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static int find_detailed(struct estimate_session *s, struct why *why)
{
    const struct estimate_detailed d = {&s->text, &s->workload, &s->scale, s->record};
    int status = 0;
    for (unsigned i = 0; s->from && i < s->count && status == 0; i++)
        status = estimate_detailed_find(&d, &s->rows[i], why);
    return status;
}

int estimate_session_make(struct estimate_session *s, struct why *why)
{
    int status = estimate_rows_make(&s->text, s->mode, s->quiet, s->rows, s->count, why);
    return status ? status : find_detailed(s, why);
}

struct estimate_report estimate_session_report(struct estimate_session *s)
{
    struct estimate_report r = {s->files, s->file_count, s->rows, s->count, false};
    if (s->from)
        s->files[r.file_count++] = s->workload.path;
    return r;
}

void estimate_session_release(struct estimate_session *s)
{
    estimate_text_release(&s->text);
    free(s->workload_text);
    s->workload_text = NULL;
}
