#include "sim/run/run_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/words.h"
#include "sim/tokens/token_record.h"

static const char summary_name[] = "summary.json";

static const char *text_of(const json_t *root, const char *name)
{
    return json_string_value(json_object_get(root, name));
}

static bool begins(const char *text, const char *with)
{
    return text && strncmp(text, with, strlen(with)) == 0;
}

/* Name the files that are beside a summary, or beside the verdicts on a pipeline, if it has its usual name. */
static void look_beside(const char *summary, struct run_place *place)
{
    const char *slash = strrchr(summary, '/'), *last = slash ? slash + 1 : summary;
    if (strcmp(last, summary_name) != 0 && strcmp(last, "validation.json") != 0)
        return;
    snprintf(place->run, sizeof place->run, "%.*srun.json", (int)(last - summary), summary);
    snprintf(place->directory, sizeof place->directory, "%.*s", slash > summary ? (int)(slash - summary) : 1,
             slash ? summary : ".");
}

/* --- versions -------------------------------------------------------------------------------------------- */

int run_place_refuse(const json_t *root, const char *path, const char *known, struct why *why)
{
    struct run_place place = {.kind = RUN_OF_UNKNOWN};
    const char *version = text_of(root, "version");
    look_beside(path, &place);
    json_auto_t *beside = version ? NULL : json_load_file(place.run, 0, NULL);
    version = beside ? text_of(beside, "version") : version;
    why_say(why, RUN_EINPUT,
            "%.300s: schema '%.60s'%s%.20s; this is mercury " MERCURY_VERSION
            ", which reads %s; read it with the version that wrote it, or run mercury again",
            path, text_of(root, "schema"), version ? ", written by mercury " : "", version ? version : "",
            known);
    return RUN_EINPUT;
}

static int refuse_pipeline(const char *path, struct why *why)
{
    return why_say(
        why, RUN_EINPUT,
        "%.400s: is the run of a pipeline, whose directory mercury validate, report, plot and diff "
        "read; expected one of mercury run or retime",
        path);
}

int run_place_know_summary(const json_t *root, const char *path, struct why *why)
{
    struct run_place place = {.kind = RUN_OF_UNKNOWN};
    const char *schema = text_of(root, "schema");
    if (schema && (strcmp(schema, SUMMARY_SCHEMA) == 0 || strcmp(schema, SUMMARY_SCHEMA_BEFORE) == 0))
        return 0;
    if (begins(schema, "mercury-summary-"))
        return run_place_refuse(root, path, SUMMARY_SCHEMA " (or -1)", why);
    look_beside(path, &place);
    if (begins(schema, "mercury-queue-"))
        return refuse_pipeline(*place.directory ? place.directory : path, why);
    if (begins(schema, "mercury-run-"))
        return why_say(why, RUN_EINPUT,
                       "%.300s: is the run.json of a run; expected its directory, or summary.json there",
                       path);
    return why_say(why, RUN_EINPUT,
                   "%.300s: schema %s%.60s%s; expected " SUMMARY_SCHEMA
                   " (or -1), a summary.json of mercury run or retime%s",
                   path, schema ? "'" : "", schema ? schema : "is missing", schema ? "'" : "",
                   schema ? "" : "; run mercury again to write it");
}

int run_place_check(const struct run_place *place, struct why *why)
{
    json_auto_t *summary = json_load_file(place->summary, 0, NULL);
    if (place->kind == RUN_OF_PIPELINE)
        return refuse_pipeline(place->directory, why);
    return summary ? run_place_know_summary(summary, place->summary, why) : 0;
}

/* What is no JSON, or tells no schema, is refused by who reads it. */
static int find_kind(struct run_place *place, struct why *why)
{
    json_auto_t *run = json_load_file(place->run, 0, NULL);
    const char *schema = text_of(run, "schema");
    const bool of_pipeline = begins(schema, "mercury-queue-run-");
    const char *known = of_pipeline ? LINE_RUN_SCHEMA : RUN_SCHEMA;
    int status = 0;
    if (schema && strcmp(schema, known) == 0)
        place->kind = of_pipeline ? RUN_OF_PIPELINE : RUN_OF_BOARDS;
    else if (schema && text_of(run, "version"))
        status = run_place_refuse(run, place->run, known, why);
    return status;
}

/* --- the directory --------------------------------------------------------------------------------------- */

/* The name in the folder of `path` that is nearest to its last part, if a run is there. */
static bool find_nearest(const char *path, char *nearest, size_t size)
{
    const char *last = basename(path); /* of string.h, which changes nothing */
    const int length = (int)(last - path);
    char folder[PATH_MAX], summary[PATH_MAX + 300], name[256];
    struct nearest search = {.wanted = last, .length = strlen(last)};
    snprintf(folder, sizeof folder, "%.*s", length, path);
    DIR *names = opendir(length > 0 ? folder : ".");
    for (struct dirent *entry; names && (entry = readdir(names));) {
        struct stat about;
        snprintf(summary, sizeof summary, "%s%s/run.json", folder, entry->d_name);
        if (*entry->d_name == '.' || stat(summary, &about) != 0)
            continue;
        nearest_look_at(&search, entry->d_name);
        if (search.name == entry->d_name) { /* which the next entry overwrites */
            snprintf(name, sizeof name, "%s", entry->d_name);
            search.name = name;
        }
    }
    if (names)
        closedir(names);
    snprintf(nearest, size, "%s%s", folder, search.name ? search.name : "");
    return search.name;
}

static int refuse_directory(const char *directory, const char *problem, struct why *why)
{
    char nearest[PATH_MAX];
    bool found = find_nearest(directory, nearest, sizeof nearest);
    return why_say(why, RUN_EINPUT, "%.400s: %s; %s%.400s%s", directory, problem,
                   found ? "did you mean " : "mercury run -q QUERY -d DATABASE -o DIR writes a run",
                   found ? nearest : "", found ? "?" : "");
}

int run_place_know_file(const char *begin, const char *path, struct why *why)
{
    static const struct {
        const char *begin, *text;
    } others[] = {
        {"SQLite format 3",
         "seems to be a sweep's store; mercury sweep report --store STORE -o FILE.html writes its page"},
        {TOKEN_RECORD_MAGIC, "a token record; mercury retime RECORD -o DIR writes its run"},
        {">", "seems to be FASTA; mercury run -q QUERY -d DATABASE -o DIR writes a run"},
        {"\x1f\x8b", "is compressed; mercury run -q QUERY -d DATABASE -o DIR writes a run"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (begins(begin, others[i].begin))
            return why_say(why, RUN_EINPUT, "%.400s: is no run, but %s", path, others[i].text);
    return 0;
}

static int refuse_file(const char *path, struct why *why)
{
    char begin[20] = "";
    FILE *file = file_io_open(path, O_RDONLY);
    const size_t bytes = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
    file_io_end(file);
    const int status = bytes > 0 ? run_place_know_file(begin, path, why) : 0;
    const int folder = (int)(basename(path) - path);
    char run[PATH_MAX];
    snprintf(run, sizeof run, "%.*srun.json", folder, path);
    if (status == 0 && access(run, F_OK) == 0)
        return why_say(why, RUN_EINPUT, "%.400s: is a file of a run; name its directory, %.*s", path,
                       folder > 0 ? folder : 1, folder > 0 ? path : ".");
    return status ? status : refuse_directory(path, "is no directory", why);
}

static int check_directory(const char *path, const struct run_place *place, struct why *why)
{
    struct stat about;
    char kept[PATH_MAX];
    if (stat(path, &about) != 0)
        return refuse_directory(path, errno == ENOENT ? "no such directory" : why_error(errno), why);
    if (S_ISREG(about.st_mode))
        return refuse_file(path, why);
    if (!S_ISDIR(about.st_mode))
        return refuse_directory(path, "is no directory", why);
    const bool goes_on = access(file_io_path(path, RUN_UNFINISHED, kept), F_OK) == 0;
    if (stat(place->summary, &about) != 0 && !goes_on)
        return refuse_directory(path, "holds no run (no summary.json)", why);
    if (stat(place->run, &about) == 0)
        return 0;
    return why_say(
        why, RUN_EINPUT,
        "%.400s: its run has not finished, or was interrupted (no run.json); wait until it has, or %s%.400s",
        path, goes_on ? "go on with mercury run --resume " : "run it again", goes_on ? path : "");
}

/* --- finding it ------------------------------------------------------------------------------------------ */

static bool is_directory(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int run_place_look(const char *path, struct run_place *place, struct why *why)
{
    *place = (struct run_place){.kind = RUN_OF_UNKNOWN};
    if (strlen(path) >= PATH_MAX - 16)
        return why_say(why, RUN_EINPUT, "%.300s: the path is too long", path);
    snprintf(place->summary, sizeof place->summary, is_directory(path) ? "%s/%s" : "%s", path, summary_name);
    look_beside(place->summary, place);
    return find_kind(place, why);
}

int run_place_find(const char *path, struct run_place *place, struct why *why)
{
    const int status = run_place_look(path, place, why);
    return status == 0 && is_directory(path) ? check_directory(path, place, why) : status;
}

int run_place_find_directory(const char *path, struct run_place *place, struct why *why)
{
    const int status = run_place_look(path, place, why);
    return status == 0 ? check_directory(path, place, why) : status;
}
