#include "app/estimate/estimate_workload.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "base/file/whole_file.h"

/* The share of the time for which cores work where they limit. */
#define SATURATED 0.9

enum { SUMMARY_BYTES_MAX = 1 << 28, STRANDS = 2, BASES_OF_WORD = 16 };

/* --- reading --------------------------------------------------------------------------------------------- */

static int load(const char *path, json_t **root, struct why *why)
{
    char *text;
    size_t bytes;
    json_error_t error;
    int status = command_status_of(whole_file_read(path, SUMMARY_BYTES_MAX, &text, &bytes, why));
    if (status)
        return status;
    *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    free(text);
    return *root ? 0
                 : why_say(why, COMMAND_REFUSED,
                           "%.300s:%d: is no JSON: %.200s; expected a file that mercury wrote", path,
                           error.line, error.text);
}

struct number {
    const char *path;
    size_t offset;
};

#define NUMBER_AT(json, member)                                                                              \
    {                                                                                                        \
        json, offsetof(struct estimate_workload, member)                                                     \
    }

/* Sums over the run at first, join_clocks and build_clocks in seconds. */
static const struct number numbers[] = {
    NUMBER_AT("simulated_time_s", simulated_s), NUMBER_AT("passes", passes),
    NUMBER_AT("stage_1a.words", bases),         NUMBER_AT("stage_1b.seeds", seeds),
    NUMBER_AT("stage_2.matches", matches),      NUMBER_AT("stage_3.hsps", hsps),
    NUMBER_AT("pcix.table_bytes", table_bytes), NUMBER_AT("pcix.hsp_bytes", hsp_bytes),
    NUMBER_AT("stage_3.join_s", join_clocks),   NUMBER_AT("stage_1b.duplicate_stage_clocks", lookup_clocks),
    NUMBER_AT("stage_3.build_s", build_clocks),
};

static int take_numbers(const json_t *root, struct estimate_workload *w, struct why *why)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value = json_number_at(root, numbers[i].path);
        if (!(value >= 0))
            return why_say(
                why, COMMAND_REFUSED,
                "%.300s: has no number %s: expected the summary.json of mercury run or retime; run "
                "mercury again to write it",
                w->path, numbers[i].path);
        memcpy((char *)w + numbers[i].offset, &value, sizeof value);
    }
    if (!(w->passes >= 1) || !(w->simulated_s > 0) || !(w->bases > 0))
        return why_say(why, COMMAND_REFUSED, "%.300s: the run has no passes, no words or no time", w->path);
    double reads = json_number_at(root, "stage_1b.sram_reads_clocks");
    w->stage_limits = !(reads > w->lookup_clocks);
    w->lookup_clocks = fmax(w->lookup_clocks, reads);
    return 0;
}

/* What is left of passes for the cores when they have been streamed. */
struct tails {
    double work_s;         /* of cores, for all passes */
    double all_s, alone_s; /* sum over all passes but the last; over those that no earlier pass held up */
    double others, alone;  /* number of these */
    double earlier_end_s;  /* when stage 3 of all passes so far had ended */
};

/* @param left_s  out: what is left of this pass */
static int take_pass(const json_t *pass, double longest_s, bool is_last, struct tails *t, double *left_s)
{
    double drain_s = json_number_at(pass, "stage_3.drain_s"),
           busy_s = json_number_at(pass, "stage_3.core_busy_s");
    double end_s = json_number_at(pass, "begin_s") + json_number_at(pass, "simulated_time_s");
    if (!(drain_s >= 0) || !(busy_s >= 0) || !(end_s >= 0))
        return -1;
    bool is_alone = t->earlier_end_s <= end_s - drain_s;
    t->work_s += busy_s;
    t->earlier_end_s = fmax(t->earlier_end_s, end_s);
    *left_s = longest_s >= 0 ? fmin(drain_s, longest_s) : drain_s;
    if (is_last)
        return 0;
    t->others++;
    t->all_s += *left_s;
    t->alone += is_alone;
    t->alone_s += is_alone ? *left_s : 0;
    return 0;
}

/* Where the cores limit, passes end late because of earlier ones: those that none held up tell what is their own. */
static double own_tails_s(const struct estimate_workload *w, const struct tails *t, double cores,
                          double join_s)
{
    bool saturated = t->work_s > SATURATED * cores * w->hardware.hosts * (w->simulated_s - join_s);
    double tails_s = saturated && t->alone > 0 ? t->alone_s / t->alone * t->others : t->all_s;
    return fmin(tails_s, t->work_s);
}

/* Factors from values, whose sum is left in `sum`. */
static void take_mean(struct estimate_workload *w, enum estimate_variation of, double *sum)
{
    double *factors = w->factors[of];
    *sum = 0;
    for (unsigned i = 0; i < w->factor_count; i++)
        *sum += factors[i];
    for (unsigned i = 0; i < w->factor_count; i++)
        factors[i] = *sum > 0 ? factors[i] * w->factor_count / *sum : 1;
}

/* What each pass has of its own. The work of clusters is that of all passes then, the last one among them.
 *
 * @param own  share of what is left of a pass that is its own, and not of earlier ones */
static void tell_apart(const json_t *passes, struct estimate_workload *w, double own, double clock_hz)
{
    double sum;
    const char *lookups = w->stage_limits ? "stage_1b.duplicate_stage_clocks" : "stage_1b.sram_reads_clocks";
    w->factor_count = (unsigned)json_array_size(passes);
    for (unsigned i = 0; i < w->factor_count; i++) {
        const json_t *pass = json_array_get(passes, i);
        double busy_s = json_number_at(pass, "stage_3.core_busy_s");
        double left_s = fmin(w->factors[VARIES_CLUSTERS][i] * own, busy_s);
        w->factors[VARIES_CLUSTERS][i] = left_s;
        w->factors[VARIES_HSPS][i] = busy_s - left_s;
        w->factors[VARIES_LOOKUPS][i] = fmax(json_number_at(pass, lookups), 0);
        w->factors[VARIES_MATCHES][i] = fmax(json_number_at(pass, "stage_2.matches"), 0);
    }
    take_mean(w, VARIES_LOOKUPS, &sum);
    take_mean(w, VARIES_MATCHES, &sum);
    take_mean(w, VARIES_HSPS, &sum);
    w->cores_clocks = sum * clock_hz;
    take_mean(w, VARIES_CLUSTERS, &sum);
    w->cluster_clocks = sum * clock_hz;
    w->last_clocks = 0;
}

static int take_cores(const json_t *root, struct estimate_workload *w, struct why *why)
{
    const json_t *passes = json_object_get(root, "per_pass");
    double longest_s = json_number_at(root, "bottleneck.longest_cluster_s"),
           clock_hz = w->hardware.host_clock_hz;
    double drain_s = json_number_at(root, "bottleneck.phases.drain_s"), join_s = w->join_clocks;
    struct tails t = {0};
    double pass_left_s = 0;
    size_t count = json_array_size(passes);
    if ((double)count != w->passes)
        return why_say(why, COMMAND_REFUSED,
                       "%.300s: has no per_pass: expected a summary.json of this version", w->path);
    for (size_t i = 0; i < count; i++) {
        if (take_pass(json_array_get(passes, i), longest_s, i + 1 == count, &t, &pass_left_s) != 0)
            return why_say(why, COMMAND_REFUSED, "%.300s: per_pass[%zu] lacks a time of stage 3", w->path, i);
        if (i < ESTIMATE_PASSES_MAX)
            w->factors[VARIES_CLUSTERS][i] = pass_left_s;
    }
    double left_s = own_tails_s(w, &t, json_number_at(root, "stage_3.cores"), join_s);
    w->cluster_clocks = left_s * clock_hz;
    w->cores_clocks = (t.work_s - left_s) * clock_hz;
    w->last_clocks = fmax((drain_s >= 0 ? drain_s : 0) - join_s, 0) * clock_hz;
    w->join_clocks = join_s * clock_hz;
    w->build_clocks *= clock_hz;
    if (count > 1 && count <= ESTIMATE_PASSES_MAX)
        tell_apart(passes, w, left_s / fmax(t.all_s, DBL_MIN), clock_hz);
    return 0;
}

static void take_means(struct estimate_workload *w)
{
    w->lookup_clocks = w->seeds > 0 ? w->lookup_clocks / w->seeds : 0;
    w->bases *= BASES_OF_WORD / w->passes;
    w->seeds /= w->passes;
    w->matches /= w->passes;
    w->hsps /= w->passes;
    w->table_bytes /= w->passes;
    w->cores_clocks /= w->passes;
    w->build_clocks /= w->passes;
    w->cluster_clocks /= w->passes;
}

static int take_configuration(struct estimate_workload *w, const char *path, struct why *why)
{
    json_t *root;
    const char *name;
    json_t *value;
    int status = load(path, &root, why);
    if (status)
        return status;
    json_object_foreach(json_object_get(root, "configuration"), name, value)
    {
        const char *text = json_string_value(value);
        if (status == 0 && text && hardware_parameter_find(name) >= 0 &&
            hardware_set(&w->hardware, name, text, why) != 0)
            status = why_precede(why, COMMAND_REFUSED, "%.300s: ", path);
    }
    if (status == 0 && hardware_check(&w->hardware, why) != 0)
        status = why_precede(why, COMMAND_REFUSED, "%.300s: ", path);
    w->has_machine = status == 0;
    json_decref(root);
    return status;
}

static int find_machine(struct estimate_workload *w, struct why *why)
{
    char path[PATH_MAX];
    struct stat about;
    const char *slash = strrchr(w->path, '/');
    int folder = slash ? (int)(slash + 1 - w->path) : 0;
    w->hardware = hardware_default();
    snprintf(path, sizeof path, "%.*srun.json", folder < PATH_MAX - 16 ? folder : 0, w->path);
    bool is_summary = strcmp(slash ? slash + 1 : w->path, "summary.json") == 0;
    return is_summary && stat(path, &about) == 0 ? take_configuration(w, path, why) : 0;
}

int estimate_workload_read(const char *path, struct estimate_workload *w, struct why *why)
{
    struct stat about;
    json_t *root = NULL;
    memset(w, 0, sizeof *w);
    bool is_directory = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(w->path, sizeof w->path, "%.4000s%s", path, is_directory ? "/summary.json" : "");
    int status = load(w->path, &root, why);
    if (status)
        return status;
    status = find_machine(w, why);
    if (status == 0)
        status = take_numbers(root, w, why);
    if (status == 0)
        status = take_cores(root, w, why);
    if (status == 0)
        take_means(w);
    json_decref(root);
    return status;
}

/* --- writing --------------------------------------------------------------------------------------------- */

static double per(double value, double units)
{
    return units > 0 ? value / units : 0;
}

/* Where a dataset is written to, and what of it differs from pass to pass. */
struct writer {
    FILE *out;
    const struct estimate_workload *workload;
    int varies; /* an enum estimate_variation; negative: nothing */
};

static void write_factors(const struct writer *to)
{
    for (unsigned i = 0; to->varies >= 0 && i < to->workload->factor_count; i++)
        fprintf(to->out, "%s %.4g", i > 0 ? "," : "  varies", to->workload->factors[to->varies][i]);
}

/* A dataset without units has none. @return whether it was written */
static bool write_dataset(const struct writer *to, const char *name, double units, double bytes,
                          double operations, const char *more)
{
    FILE *out = to->out;
    if (units > 0 && bytes + operations > 0) {
        fprintf(out, "dataset %-8s type grid1dim  units %.12g", name, units);
        if (bytes > 0)
            fprintf(out, "  bytesperunit %.9g", bytes);
        if (operations > 0)
            fprintf(out, "  operationsperunit %.9g", operations);
        fputs(more, out);
        write_factors(to);
        fputc('\n', out);
    }
    return units > 0 && bytes + operations > 0;
}

struct written {
    bool builds, tables, lookups, matches, hsps, clusters, last, joins;
};

static struct written write_datasets(const struct estimate_workload *w, double longer, double more_segments,
                                     FILE *out)
{
    struct written is;
    char block[64];
    const struct writer same = {out, w, -1}, lookups = {out, w, VARIES_LOOKUPS},
                        matches = {out, w, VARIES_MATCHES}, hsps = {out, w, VARIES_HSPS},
                        clusters = {out, w, VARIES_CLUSTERS};
    snprintf(block, sizeof block, "  aggregate %g B", (double)w->hardware.pcix_block_bytes);
    is.builds = write_dataset(&same, "builds", 1, 0, w->build_clocks, "  parallel 1");
    is.tables = write_dataset(&same, "tables", 1, w->table_bytes, 0, "");
    write_dataset(&same, "database", w->bases * longer, 0.5, 1.0 / BASES_OF_WORD, block);
    is.lookups = write_dataset(&lookups, "lookups", w->seeds * longer, 0, w->lookup_clocks, "");
    is.matches = write_dataset(&matches, "matches", w->matches * longer, 0, 1, "");
    is.hsps = write_dataset(&hsps, "hsps", w->hsps * longer, w->hsp_bytes,
                            per(w->cores_clocks + w->build_clocks, w->hsps), "");
    is.clusters = write_dataset(&clusters, "clusters", 1, 0, w->cluster_clocks, "  parallel 1");
    is.last = write_dataset(&same, "last", 1, 0, w->last_clocks, "  parallel 1");
    is.joins = write_dataset(&same, "joins", 1, 0, w->join_clocks * more_segments, "  parallel 1");
    return is;
}

static void write_script(const struct written *is, const struct estimate_scale *scale, double passes,
                         bool told_apart, FILE *out)
{
    fputs("\ndistribution blocks type block1dim\nuse distribution blocks on ", out);
    if (scale->by_database)
        fprintf(out, "database%s%s%s", is->lookups ? ", lookups" : "", is->matches ? ", matches" : "",
                is->hsps ? ", hsps" : "");
    else
        fputs(is->hsps ? "hsps" : "database", out);
    if (is->builds)
        fputs("\n\ncompute builds on core\nsynchronize", out);
    fprintf(out, "\n\nrepeat %.0f%s\n", passes, scale->by_database ? "" : " over board");
    if (is->clusters && !told_apart)
        fputs("  compute clusters on core  # of the pass before\n", out);
    if (scale->synchronize)
        fputs("  synchronize\n", out);
    if (is->tables)
        fputs("  send tables from host to board\n", out);
    fputs("  move database from disk to host\n  move database from host to board\n", out);
    fprintf(out, "  compute database%s%s on board\n", is->lookups ? ", lookups" : "",
            is->matches ? ", matches" : "");
    if (is->hsps)
        fputs("  move hsps from board to host\n  compute hsps on core\n", out);
    if (is->clusters && told_apart)
        fputs("  compute clusters on core\n", out);
    if (is->last || is->joins)
        fputs("synchronize\n", out);
    if (is->last)
        fputs("compute last on core\n", out);
    if (is->joins)
        fputs("compute joins on core\n", out);
}

void estimate_workload_write(const struct estimate_workload *w, const struct estimate_scale *scale, FILE *out)
{
    double longer = scale->bases > 0 ? scale->bases / w->bases : 1;
    double passes = scale->segments > 0 ? STRANDS * scale->segments : w->passes;
    char name[256];
    fprintf(out, "# The workload of %s: %.0f passes of %.0f bases, by its means over %.0f passes.\n#\n",
            printable_copy(name, sizeof name, w->path, sizeof name), passes, w->bases * longer, w->passes);
    fputs(
        "# Operations are clocks: of a board for a word of 16 bases, for a lookup in SRAM, for a match in stage 2; of\n"
        "# a core for an HSP, with its part of building tables. builds: the tables of the first pass; those of others\n"
        "# are built meanwhile. clusters: what is left for one core when a pass has been streamed; ",
        out);
    fputs(
        w->factor_count > 0
            ? "joins: alignments\n# that segments share; varies: what each pass of the run had, over the mean.\n"
            : "last: after the last\n# pass; joins: alignments that segments share.\n",
        out);
    struct written is = write_datasets(w, longer, passes / w->passes, out);
    write_script(&is, scale, passes, w->factor_count > 0, out);
}
