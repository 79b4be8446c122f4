#include "app/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/file/whole_file.h"
#include "base/json_number.h"
#include "base/shown.h"
#include "base/why.h"
#include "blast/sequence/fasta.h"
#include "blast/compare/agreement.h"
#include "sim/board/hardware.h"
#include "sim/platform/platform.h"
#include "sim/run/run.h"
#include "sim/run/run_place.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/run/search_options.h"
#include "app/options.inc"

struct options {
    struct run_options shared;
    struct search_options search;
    const char *with;
    double least_percent, fail_under_percent;
};

struct session {
    struct options options;
    struct hardware hardware;
    char platform_path[PATH_MAX];
    struct platform *platform;
    struct run_place run; /* of -a; without a directory if that is a table, or is not given */
    struct scoring_statistics statistics;
    struct sequences query, database;
    uint8_t *codes[2];
    struct query_segment *segments;
    size_t segment_count;
    int *least_scores; /* of the query's records */
    struct hit_table other_table, mercury_table;
    struct located_hit *other, *mercury;
    struct alignment_list alignments;
    struct search_counts counts; /* of the search; zeros if there was none */
    struct agreement agreement;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const struct command_option options[] = COMMAND_OPTIONS(COMPARE_OPTIONS);

static int check_options(struct session *s)
{
    const struct options *o = &s->options;
    const char *query = o->search.query, *database = o->search.database;
    if (!o->with)
        return why_refuse(s->why,
                          "needs the other program's alignments (--with TABLE); see mercury help compare");
    if (!query != !database)
        return why_refuse(s->why, "needs query and database, or neither of them: -q FILE -d FILE");
    if (!query && !o->shared.alignments)
        return why_refuse(
            s->why,
            "needs query and database (-q FILE -d FILE) or Mercury's alignments (-a TABLE or directory); "
            "see mercury help compare");
    if (search_options_read_standard_input(&o->search) + (strcmp(o->with, "-") == 0) +
            (o->shared.alignments && strcmp(o->shared.alignments, "-") == 0) >
        1)
        return why_refuse(s->why, "only one of the inputs can be standard input");
    return 0;
}

/* --- the machine and the limits -------------------------------------------------------------------------- */

/* What the user does not give is as it was in the run: the machine, the strands and the E-value. */
static int take_run(struct session *s)
{
    struct search_options *o = &s->options.search;
    struct run run;
    json_auto_t *facts =
        run_read(s->run.summary, &run, s->why) == 0 ? run_read_json(s->run.run, RUN_JSON, s->why) : NULL;
    if (!run_options_name_machine(&s->options.shared))
        s->hardware = run.hardware;
    if (!o->strands)
        o->strands = search_options_find_strands(json_string_value(json_object_get(facts, "strand")));
    if (facts && !(o->e_value > 0))
        o->e_value = json_number_at(facts, "e_value");
    run_close(&run);
    return facts ? 0 : COMMAND_REFUSED;
}

static int open_run(struct session *s)
{
    const char *path = s->options.shared.alignments;
    if (!path)
        return 0;
    if (run_place_find(path, &s->run, s->why) != 0 ||
        (*s->run.directory && run_place_check(&s->run, s->why) != 0))
        return COMMAND_REFUSED;
    return *s->run.directory && s->run.kind == RUN_OF_BOARDS ? take_run(s) : 0;
}

static int open_machine(struct session *s)
{
    const struct search_options standard = search_options_default();
    struct search_options *o = &s->options.search;
    if (run_options_open_platform(&s->options.shared, s->platform_path, &s->hardware, &s->platform, s->why) ||
        open_run(s))
        return COMMAND_REFUSED;
    if (!o->strands)
        o->strands = standard.strands;
    if (!(o->e_value > 0))
        o->e_value = standard.e_value;
    return run_options_change_machine(&s->options.shared, 0, &s->hardware, &s->statistics, s->why);
}

/* --- input ----------------------------------------------------------------------------------------------- */

static int read_sequences(struct session *s)
{
    if (!s->options.search.query)
        return 0;
    const unsigned jobs = run_options_jobs(&s->options.shared, SIZE_MAX);
    const struct search_files *queries = &s->options.search.queries,
                              *databases = &s->options.search.databases;
    if (sequences_read_files(jobs, queries->paths, queries->count, &s->query, s->why) != 0 ||
        sequences_read_files(jobs, databases->paths, databases->count, &s->database, s->why) != 0 ||
        sequences_check_names(&s->query, s->options.search.query, s->why) != 0 ||
        sequences_check_names(&s->database, s->options.search.database, s->why) != 0)
        return COMMAND_REFUSED;
    for (enum strand strand = STRAND_PLUS; strand <= STRAND_MINUS; strand++)
        s->codes[strand] = sequences_unpack_strand(&s->query, strand);
    s->segments = segments_cut(s->query.positions, s->hardware.query_segment, s->hardware.query_overlap,
                               s->options.search.strands, &s->segment_count);
    s->least_scores = search_least_scores(&s->statistics, &s->query, &s->database, s->options.search.e_value);
    return 0;
}

static struct stage3_query searched_in(const struct session *s)
{
    return (struct stage3_query){.query = &s->query,
                                 .database = &s->database,
                                 .codes = {s->codes[0], s->codes[1]},
                                 .statistics = &s->statistics,
                                 .least.scores = s->least_scores};
}

static int place(struct session *s, const struct hit_table *table, const char *name,
                 struct located_hit **list)
{
    const struct search_options *o = &s->options.search;
    const struct stage3_query searched = searched_in(s);
    const struct hit_sources places = {&searched, o->query, o->database};
    return located_hits_new(table, o->query ? &places : NULL, name, list, s->why) ? COMMAND_REFUSED : 0;
}

static int read_hits(struct session *s, const char *path, struct hit_table *table, struct located_hit **list)
{
    return hit_table_read(path, table, s->why) ? COMMAND_REFUSED
                                               : place(s, table, whole_file_name(path), list);
}

static int check_table(const struct session *s)
{
    for (size_t i = 0; i < s->other_table.count; i++)
        if (s->other_table.hits[i].e_value <= s->options.search.e_value)
            return 0;
    return why_refuse(s->why,
                      "%s has no alignment with an E-value up to %g, so that there is nothing to compare",
                      whole_file_name(s->options.with), s->options.search.e_value);
}

static int compare_queries(const void *left, const void *right)
{
    return strcmp(((const struct hit *)left)->query, ((const struct hit *)right)->query);
}

/* Without sequences, names that only differ would make all alignments missed. Those of Mercury are placed before. */
static int check_names(struct session *s)
{
    const struct hit_table *other = &s->other_table, *mercury = &s->mercury_table;
    if (s->options.search.query || mercury->count == 0)
        return 0;
    qsort(mercury->hits, mercury->count, sizeof *mercury->hits, compare_queries);
    for (size_t i = 0; i < other->count; i++)
        if (bsearch(&other->hits[i], mercury->hits, mercury->count, sizeof *mercury->hits, compare_queries))
            return 0;
    return why_refuse(s->why, "%.400s and %.400s share no query; give alignments of the same sequences",
                      whole_file_name(s->options.with), whole_file_name(s->options.shared.alignments));
}

/* --- Mercury's alignments -------------------------------------------------------------------------------- */

static struct search search_of(const struct session *s)
{
    return (struct search){
        .rules = &s->hardware.pass,
        .searched = searched_in(s),
        .segments = s->segments,
        .segment_count = s->segment_count,
        .quiet = s->options.shared.quiet,
        .jobs = run_options_jobs(&s->options.shared, s->segment_count),
    };
}

static int compute_mercury(struct session *s)
{
    struct search search = search_of(s);
    search_run(&search, &s->alignments, &s->counts);
    alignment_list_finish(&s->alignments, &s->statistics, &s->query, &s->database, s->options.search.e_value);
    hit_table_of_alignments(&s->alignments, &s->query, &s->database, &s->mercury_table);
    return place(s, &s->mercury_table, "Mercury's alignments", &s->mercury);
}

/* A sample's alignments have another name, and passes over windows keep nothing to go on with. */
static int refuse_run(const char *directory, struct why *why)
{
    char path[PATH_MAX];
    if (access(file_io_path(directory, "alignments.sample.tsv", path), F_OK) != 0)
        return why_refuse(why, "%.400s: holds no alignments.tsv; run again with -f 6, or leave out -a",
                          directory);
    const bool goes_on = access(file_io_path(directory, RUN_UNFINISHED, path), F_OK) == 0;
    return why_refuse(why,
                      "%.400s: is a sample; %s%.400s simulates the other passes, and "
                      "-a %.400s/alignments.sample.tsv compares the drawn ones",
                      directory, goes_on ? "mercury run --resume " : "a run without --sample of ",
                      goes_on ? directory : "the same input", directory);
}

static int read_mercury(struct session *s)
{
    const char *path = s->options.shared.alignments;
    char in_directory[PATH_MAX];
    if (*s->run.directory)
        path = file_io_path(s->run.directory, "alignments.tsv", in_directory);
    if (*s->run.directory && access(path, F_OK) != 0)
        return refuse_run(s->run.directory, s->why);
    return read_hits(s, path, &s->mercury_table, &s->mercury) || check_names(s) ? COMMAND_REFUSED : 0;
}

/* --- output ---------------------------------------------------------------------------------------------- */

static int write_each(struct session *s)
{
    struct output output;
    if (output_open(&output, s->options.shared.directory, s->why) != 0)
        return COMMAND_REFUSED;
    agreement_write_tsv(&s->agreement, s->hardware.pass.stage2.threshold, output.file);
    return output_end(&output, 0, s->why);
}

static int write_text(struct session *s)
{
    const char *path = s->options.shared.directory;
    FILE *file = path && strcmp(path, "-") == 0 ? stderr : stdout;
    const struct pass_counts *p = &s->counts.pass;
    int status = agreement_write_text(&s->agreement, s->hardware.pass.stage2.threshold, file);
    if (p->words > 0 && status == 0) {
        fputc('\n', file);
        shown_print(
            file,
            "%llu matches -> %llu HSPs (P_2 %.4f, %.3f per thousand w-mers) -> %llu extended; stage 3: %.4g cells",
            (unsigned long long)p->matches, (unsigned long long)p->hsps,
            p->matches ? (double)p->hsps / (double)p->matches : 0,
            p->wmers ? 1e3 * (double)p->hsps / (double)p->wmers : 0,
            (unsigned long long)s->counts.stage3.of[STAGE3_ALIGNED], (double)s->counts.cells);
    }
    return status == 0 && fflush(file) == 0 ? 0 : why_refuse(s->why, "the text cannot be written");
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int judge(struct session *s)
{
    const struct search search = search_of(s);
    agreement_judge(s->other, s->other_table.count, s->mercury, s->mercury_table.count,
                    s->options.least_percent / 100, s->options.search.e_value, &s->agreement);
    if (s->options.search.query)
        agreement_trace(&s->agreement, &search);
    return 0;
}

static int check_output(struct session *s)
{
    const struct options *o = &s->options;
    struct file_uses uses = {0};
    if (!o->shared.directory)
        return 0;
    file_uses_read(&uses, "--with", o->with);
    search_options_note(&o->search, &uses);
    file_uses_read(&uses, "-a", o->shared.alignments);
    file_uses_read(&uses, "the platform", s->platform_path);
    file_uses_write(&uses, "-o", o->shared.directory);
    return file_uses_check(&uses, s->why) || output_probe(o->shared.directory, s->why) ? COMMAND_REFUSED : 0;
}

static int compare_tables(struct session *s)
{
    const struct run_options *o = &s->options.shared;
    run_output_begin();
    if (open_machine(s) || check_output(s) || read_sequences(s) ||
        read_hits(s, s->options.with, &s->other_table, &s->other) || check_table(s) ||
        (o->alignments ? read_mercury(s) : compute_mercury(s)) || judge(s) ||
        (o->directory && write_each(s)) || (!o->quiet && write_text(s)))
        return COMMAND_REFUSED;
    /* everything was written; now what ends the command with an error */
    const double percent = 100 * agreement_share(&s->agreement);
    if (s->agreement.lost[LOST_AT_STAGE_1] > 0)
        return why_say(s->why, COMMAND_FAILED,
                       "a seed was lost in stage 1: a bug of Mercury's, please report it");
    if (percent >= s->options.fail_under_percent)
        return 0;
    return why_say(s->why, COMMAND_FAILED,
                   "%.4f%% of the other program's alignments are covered; expected at least %g%%", percent,
                   s->options.fail_under_percent);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.options = {.least_percent = 90}, .why = why};
    int status = command_parse("compare", options, argc, argv, 0, &s.options, why);
    if (status == 0)
        status = search_options_complete(&s.options.search, why);
    if (status == 0)
        status = check_options(&s);
    if (status == 0)
        status = compare_tables(&s);
    agreement_destroy(&s.agreement);
    located_hits_destroy(s.other, s.other_table.count);
    located_hits_destroy(s.mercury, s.mercury_table.count);
    hit_table_destroy(&s.other_table);
    hit_table_destroy(&s.mercury_table);
    alignment_list_destroy(&s.alignments);
    free(s.segments);
    free(s.least_scores);
    free(s.codes[0]);
    free(s.codes[1]);
    sequences_destroy(&s.query);
    sequences_destroy(&s.database);
    platform_close(s.platform);
    return status;
}

const struct command command_compare = {options, run_command};
