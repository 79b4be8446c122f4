#include "app/run/recorded_run.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/memory.h"
#include "traces/summary.h"

/* --- its machine ----------------------------------------------------------------------------------------- */

/* platform_open() reads files only, and needs this one no longer when it returns. */
static int open_platform(const struct token_record_facts *f, struct hardware *hardware,
                         struct platform **platform, struct why *why)
{
    auto_by(file_io_close) int copy = memfd_create("mercury-recorded-platform", MFD_CLOEXEC);
    if (copy < 0 || !file_io_write_all(copy, f->platform, f->platform_bytes))
        return why_refuse(why, "cannot keep a copy of the recorded platform in memory: %s", why_error(errno));
    return platform_open(file_io_name(copy).path, hardware, platform, why) ? COMMAND_REFUSED : 0;
}

int recorded_machine_open(const struct token_record_facts *f, struct hardware *hardware,
                          struct platform **platform, struct why *why)
{
    int status = open_platform(f, hardware, platform, why);
    *hardware = f->hardware;
    return status;
}

int recorded_machine_base(const struct token_record_facts *f, struct hardware *hardware, struct why *why)
{
    struct platform *platform = NULL;
    *hardware = hardware_default();
    int status = open_platform(f, hardware, &platform, why);
    platform_close(platform);
    return status;
}

/* Values are compared as text, as they would be written. */
bool recorded_machine_differs(const struct token_record_facts *f, const struct hardware *hardware,
                              size_t index)
{
    const bool deals_more = hardware->distribution == DISTRIBUTION_DATABASE &&
                            strcmp(hardware_parameter_name(index), "hosts") == 0;
    return (deals_more || hardware_parameter_role(index) != HARDWARE_TIMING) &&
           strcmp(hardware_parameter_value(hardware, index).text,
                  hardware_parameter_value(&f->hardware, index).text) != 0;
}

int recorded_machine_check(const struct token_record_facts *f, const struct hardware *hardware,
                           const char *record_path, bool named, struct why *why)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        if (!recorded_machine_differs(f, hardware, i))
            continue;
        return why_refuse(
            why, "%s is %s, but was %s when %.400s was recorded; it changes what the stages compute: %s",
            hardware_parameter_name(i), hardware_parameter_value(hardware, i).text,
            hardware_parameter_value(&f->hardware, i).text, record_path,
            named ? "use mercury run, or --set it as it was" : "use mercury run");
    }
    return 0;
}

int recorded_machine_load(const struct run_options *options, const struct token_record_facts *f,
                          const char *record_path, struct hardware *hardware, char path[PATH_MAX],
                          struct platform **platform, struct why *why)
{
    const bool named = run_options_name_machine(options);
    int status = named ? run_options_open_platform(options, path, hardware, platform, why)
                       : recorded_machine_open(f, hardware, platform, why);
    if (status == 0)
        status = run_options_apply_sets(options, hardware, why);
    if (status == 0)
        status = recorded_machine_check(f, hardware, record_path, named, why);
    return status == 0 && hardware_check(hardware, why) != 0 ? COMMAND_REFUSED : status;
}

/* --- its file -------------------------------------------------------------------------------------------- */

bool recorded_run_is_record(const char *path)
{
    static const char magic[] = TOKEN_RECORD_MAGIC;
    char begin[sizeof magic - 1];
    FILE *file = file_io_open(path, O_RDONLY);
    bool is = file && fread(begin, sizeof begin, 1, file) == 1 && memcmp(begin, magic, sizeof begin) == 0;
    file_io_end(file);
    return is;
}

/* The name of a directory may hold what glob() would take as a pattern. @return the number of records */
static size_t find_records(const char *directory, char record[PATH_MAX])
{
    char pattern[2 * PATH_MAX], *to = pattern;
    auto_by(globfree) glob_t found = {0};
    for (const char *c = directory; *c && to < pattern + sizeof pattern - 16; c++) {
        if (strchr("*?[]\\", *c))
            *to++ = '\\';
        *to++ = *c;
    }
    snprintf(to, 16, "/*.tokens");
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (count == 1)
        snprintf(record, PATH_MAX, "%s", found.gl_pathv[0]);
    return count;
}

int recorded_run_look(const struct run_place *place, char record[PATH_MAX], size_t *count, struct why *why)
{
    *count = 1;
    if (access(file_io_path(place->directory, RECORDED_RUN_FILE, record), F_OK) != 0)
        *count = find_records(place->directory, record);
    return command_status_of(run_place_check(place, why));
}

int recorded_run_find(const char *path, char record[PATH_MAX], const char *expected, struct why *why)
{
    struct stat about;
    struct run_place place;
    size_t count;
    snprintf(record, PATH_MAX, "%s", path);
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return 0;
    if (run_place_look(path, &place, why) != 0 || recorded_run_look(&place, record, &count, why) != 0)
        return COMMAND_REFUSED;
    return count == 1
               ? 0
               : why_refuse(why,
                            "%.200s has %s record of tokens (*.tokens); expected %s, which mercury run "
                            "--record FILE writes",
                            path, count == 0 ? "no" : "more than one", expected);
}

int recorded_run_time(const struct token_record *record, struct hardware *hardware, struct platform *platform,
                      struct passes_result *result, struct why *why)
{
    const size_t count = token_record_run(record)->facts.pass_count;
    const struct run_options options = run_options_default();
    if (hardware_check(hardware, why) != 0 || platform_prepare(platform, hardware, why) != 0)
        return COMMAND_REFUSED;
    struct passes passes = passes_of_record(hardware, platform_simgrid_file(platform), record, count,
                                            run_options_jobs(&options, count));
    run_options_bound(&options, &passes.how);
    return command_status_of(passes_run(&passes, result, why));
}

int recorded_run_take(const struct token_record *record, struct hardware *hardware, struct platform *platform,
                      const char *name, struct run *run, struct why *why)
{
    auto_by(passes_result_destroy) struct passes_result result = {0};
    int status = recorded_run_time(record, hardware, platform, &result, why);
    if (status == 0) {
        json_t *summary = summary_json(&result.run, result.passes, token_record_run(record)->facts.pass_count,
                                       &machine_layout, NULL);
        summary_round(summary);
        status = command_status_of(run_take(summary, name, run, why));
    }
    return status;
}
