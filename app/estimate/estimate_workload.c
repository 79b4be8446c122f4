#include "app/estimate/estimate_workload.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "sim/run/run.h"

/* The share of the time for which cores work where they limit. */
#define SATURATED 0.9

enum { STRANDS = 2, BASES_OF_WORD = 16 };

/* --- reading --------------------------------------------------------------------------------------------- */

/* Sums over the run at first, join_clocks and build_clocks in seconds. */
static int take_numbers(const struct run *run, struct estimate_workload *w, struct why *why)
{
    const double *n = run->whole.counters;
    w->simulated_s = run->whole.simulated_s;
    w->passes = (double)run->pass_count;
    w->bases = n[S1A_WORDS];
    w->seeds = n[S1B_SEEDS];
    w->matches = n[S2_MATCHES];
    w->hsps = n[S3_HSPS];
    w->table_bytes = n[PCIX_TABLE_BYTES];
    w->hsp_bytes = run->whole.gauges[GAUGE_HSP_BYTES];
    w->join_clocks = n[S3_JOIN];
    w->build_clocks = n[S3_BUILD];
    w->stage_limits = !(n[S1B_SRAM_READS] > n[S1B_DUPLICATE_STAGE]);
    w->lookup_clocks = fmax(n[S1B_DUPLICATE_STAGE], n[S1B_SRAM_READS]);
    if (w->passes >= 1 && w->simulated_s > 0 && w->bases > 0 && w->join_clocks + w->build_clocks >= 0)
        return 0;
    return why_refuse(why, "%.300s: the run has no passes, no words or no time", w->path);
}

/* What is left of passes for the cores when they have been streamed. */
struct tails {
    double work_s;         /* of cores, for all passes */
    double all_s, alone_s; /* sum over all passes but the last; over those that no earlier pass held up */
    double others, alone;  /* number of these */
    double earlier_end_s;  /* when stage 3 of all passes so far had ended */
};

/* @return what is left of this pass */
static double take_pass(const struct frame_values *pass, double longest_s, bool is_last, struct tails *t)
{
    double drain_s = pass->counters[S3_DRAIN], end_s = pass->begin_s + pass->simulated_s;
    double left_s = longest_s >= 0 ? fmin(drain_s, longest_s) : drain_s;
    bool is_alone = t->earlier_end_s <= end_s - drain_s;
    t->work_s += pass->counters[S3_CORE_BUSY];
    t->earlier_end_s = fmax(t->earlier_end_s, end_s);
    if (is_last)
        return left_s;
    t->others++;
    t->all_s += left_s;
    t->alone += is_alone;
    t->alone_s += is_alone ? left_s : 0;
    return left_s;
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
static void tell_apart(const struct run *run, struct estimate_workload *w, double own, double clock_hz)
{
    double sum;
    w->factor_count = (unsigned)run->pass_count;
    for (unsigned i = 0; i < w->factor_count; i++) {
        const double *n = run->passes[i].counters;
        double left_s = fmin(w->factors[VARIES_CLUSTERS][i] * own, n[S3_CORE_BUSY]);
        w->factors[VARIES_CLUSTERS][i] = left_s;
        w->factors[VARIES_HSPS][i] = n[S3_CORE_BUSY] - left_s;
        w->factors[VARIES_LOOKUPS][i] = n[w->stage_limits ? S1B_DUPLICATE_STAGE : S1B_SRAM_READS];
        w->factors[VARIES_MATCHES][i] = n[S2_MATCHES];
    }
    take_mean(w, VARIES_LOOKUPS, &sum);
    take_mean(w, VARIES_MATCHES, &sum);
    take_mean(w, VARIES_HSPS, &sum);
    w->cores_clocks = sum * clock_hz;
    take_mean(w, VARIES_CLUSTERS, &sum);
    w->cluster_clocks = sum * clock_hz;
    w->last_clocks = 0;
}

static void take_cores(const struct run *run, struct estimate_workload *w)
{
    double longest_s = json_number_at(run->summary, "bottleneck.longest_cluster_s"),
           drain_s = json_number_at(run->summary, "bottleneck.phases.drain_s");
    double clock_hz = w->hardware.host_clock_hz, join_s = w->join_clocks;
    struct tails t = {0};
    for (size_t i = 0; i < run->pass_count; i++) {
        double left_s = take_pass(&run->passes[i], longest_s, i + 1 == run->pass_count, &t);
        if (i < ESTIMATE_PASSES_MAX)
            w->factors[VARIES_CLUSTERS][i] = left_s;
    }
    /* Where the cores limit, passes end late because of earlier ones: those that none held up tell their own part. */
    double cores = run->whole.gauges[GAUGE_CORES];
    bool saturated = t.work_s > SATURATED * cores * w->hardware.hosts * (w->simulated_s - join_s);
    double tails_s = saturated && t.alone > 0 ? t.alone_s / t.alone * t.others : t.all_s;
    double left_s = fmin(tails_s, t.work_s);
    w->cluster_clocks = left_s * clock_hz;
    w->cores_clocks = (t.work_s - left_s) * clock_hz;
    w->last_clocks = fmax((drain_s >= 0 ? drain_s : 0) - join_s, 0) * clock_hz;
    w->join_clocks = join_s * clock_hz;
    w->build_clocks *= clock_hz;
    if (run->pass_count > 1 && run->pass_count <= ESTIMATE_PASSES_MAX)
        tell_apart(run, w, left_s / fmax(t.all_s, DBL_MIN), clock_hz);
}

int estimate_workload_read(const char *path, struct estimate_workload *w, struct why *why)
{
    struct run run;
    memset(w, 0, sizeof *w);
    int status = command_status_of(run_read(path, &run, why));
    snprintf(w->path, sizeof w->path, "%s", run.path);
    w->has_machine = run.has_machine;
    w->hardware = run.has_machine ? run.hardware : hardware_default();
    if (status == 0)
        status = take_numbers(&run, w, why);
    if (status == 0) {
        take_cores(&run, w);
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
    run_close(&run);
    return status;
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* The datasets, in the order in which they are written. */
enum { BUILDS, TABLES, DATABASE, LOOKUPS, MATCHES, HSPS, CLUSTERS, LAST, JOINS, DATASETS };

enum { VARIES_NOT = -1 };

struct dataset {
    const char *name;
    double units, bytes, operations; /* of a unit */
    const char *more;
    int varies; /* an enum estimate_variation: what of it differs from pass to pass; or VARIES_NOT */
};

/* A dataset without units has none. @return whether it was written */
static bool write_dataset(const struct estimate_workload *w, const struct dataset *d, FILE *out)
{
    if (!(d->units > 0 && d->bytes + d->operations > 0))
        return false;
    fprintf(out, "dataset %-8s type grid1dim  units %.12g", d->name, d->units);
    if (d->bytes > 0)
        fprintf(out, "  bytesperunit %.9g", d->bytes);
    if (d->operations > 0)
        fprintf(out, "  operationsperunit %.9g", d->operations);
    fputs(d->more, out);
    for (unsigned i = 0; d->varies != VARIES_NOT && i < w->factor_count; i++)
        fprintf(out, "%s %.4g", i > 0 ? "," : "  varies", w->factors[d->varies][i]);
    fputc('\n', out);
    return true;
}

/* @param is  out: which of them are written */
static void write_datasets(const struct estimate_workload *w, double longer, double more_segments, FILE *out,
                           bool is[DATASETS])
{
    char block[64];
    double hsp_clocks = w->hsps > 0 ? (w->cores_clocks + w->build_clocks) / w->hsps : 0;
    snprintf(block, sizeof block, "  aggregate %g B", (double)w->hardware.pcix_block_bytes);
    const struct dataset sets[DATASETS] = {
        [BUILDS] = {"builds", 1, 0, w->build_clocks, "  parallel 1", VARIES_NOT},
        [TABLES] = {"tables", 1, w->table_bytes, 0, "", VARIES_NOT},
        [DATABASE] = {"database", w->bases * longer, 0.5, 1.0 / BASES_OF_WORD, block, VARIES_NOT},
        [LOOKUPS] = {"lookups", w->seeds * longer, 0, w->lookup_clocks, "", VARIES_LOOKUPS},
        [MATCHES] = {"matches", w->matches * longer, 0, 1, "", VARIES_MATCHES},
        [HSPS] = {"hsps", w->hsps * longer, w->hsp_bytes, hsp_clocks, "", VARIES_HSPS},
        [CLUSTERS] = {"clusters", 1, 0, w->cluster_clocks, "  parallel 1", VARIES_CLUSTERS},
        [LAST] = {"last", 1, 0, w->last_clocks, "  parallel 1", VARIES_NOT},
        [JOINS] = {"joins", 1, 0, w->join_clocks * more_segments, "  parallel 1", VARIES_NOT},
    };
    for (unsigned i = 0; i < DATASETS; i++)
        is[i] = write_dataset(w, &sets[i], out);
}

static void write_script(const bool is[DATASETS], const struct estimate_scale *scale, double passes,
                         bool told_apart, FILE *out)
{
    fputs("\ndistribution blocks type block1dim\nuse distribution blocks on ", out);
    if (scale->by_database)
        fprintf(out, "database%s%s%s", is[LOOKUPS] ? ", lookups" : "", is[MATCHES] ? ", matches" : "",
                is[HSPS] ? ", hsps" : "");
    else
        fputs(is[HSPS] ? "hsps" : "database", out);
    if (is[BUILDS])
        fputs("\n\ncompute builds on core\nsynchronize", out);
    fprintf(out, "\n\nrepeat %.0f%s\n", passes, scale->by_database ? "" : " over board");
    if (is[CLUSTERS] && !told_apart)
        fputs("  compute clusters on core  # of the pass before\n", out);
    if (scale->synchronize)
        fputs("  synchronize\n", out);
    if (is[TABLES])
        fputs("  send tables from host to board\n", out);
    fputs("  move database from disk to host\n  move database from host to board\n", out);
    fprintf(out, "  compute database%s%s on board\n", is[LOOKUPS] ? ", lookups" : "",
            is[MATCHES] ? ", matches" : "");
    if (is[HSPS])
        fputs("  move hsps from board to host\n  compute hsps on core\n", out);
    if (is[CLUSTERS] && told_apart)
        fputs("  compute clusters on core\n", out);
    if (is[LAST] || is[JOINS])
        fputs("synchronize\n", out);
    if (is[LAST])
        fputs("compute last on core\n", out);
    if (is[JOINS])
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
    bool is[DATASETS];
    write_datasets(w, longer, passes / w->passes, out, is);
    write_script(is, scale, passes, w->factor_count > 0, out);
}
