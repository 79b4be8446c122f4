/* fuzz_tables.c - the tables that a run has left in its directory, one behind the other with form feeds between them:
 * histograms.tsv, passes.tsv, records.tsv and frames.tsv. Any bytes are numbers that can be drawn, or are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/run_files.h"
#include "tests/fuzz/fuzz.h"

static const char *const names[] = {"histograms.tsv", "passes.tsv", "records.tsv", "frames.tsv"};
enum { TABLES = sizeof names / sizeof *names };

static char directory[64], paths[TABLES][96];

static void remove_directory(void)
{
    for (int i = 0; i < TABLES; i++)
        unlink(paths[i]);
    rmdir(directory);
}

static void make_directory(void)
{
    strcpy(directory, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX");
    fuzz_demand(mkdtemp(directory) != NULL && atexit(remove_directory) == 0);
    for (int i = 0; i < TABLES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", directory, names[i]);
}

static void write_tables(const uint8_t *data, size_t size)
{
    for (int i = 0; i < TABLES; i++) {
        const uint8_t *end = size > 0 ? memchr(data, '\f', size) : NULL;
        const size_t bytes = end && i + 1 < TABLES ? (size_t)(end - data) : size;
        FILE *file = fopen(paths[i], "w");
        fuzz_demand(file != NULL && fwrite(bytes ? data : (const uint8_t *)"", 1, bytes, file) == bytes);
        fuzz_demand(fclose(file) == 0);
        data += bytes + (bytes < size);
        size -= bytes + (bytes < size);
    }
}

static void demand_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fuzz_demand(values[i] >= 0 && values[i] <= 1e30);
}

static void look_at(const struct run_files *f)
{
    for (size_t i = 0; i < f->pass_count; i++) {
        demand_finite(&f->passes[i].build_wait_s, offsetof(struct run_pass, busy) / sizeof(double));
        fuzz_demand(f->passes[i].board >= 1 &&
                    f->passes[i].board <= HARDWARE_BOARDS_MAX * HARDWARE_HOSTS_MAX);
    }
    for (size_t r = 0; r < f->rate_count; r++)
        for (size_t i = 0; i < f->rates[r].count; i++) {
            const struct rate_point *p = &f->rates[r].points[i];
            fuzz_demand(isfinite(p->begin_s) && isfinite(p->end_s) && isfinite(p->value));
        }
    for (unsigned q = 0; q < MACHINE_QUEUES; q++)
        for (size_t i = 0; i < f->queues[q].bin_count; i++) {
            const struct queue_bin *bin = &f->queues[q].bins[i];
            fuzz_demand(isfinite(bin->from) && !isnan(bin->to) && bin->fraction >= 0 &&
                        bin->fraction <= 1e30);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why;
    if (!*directory)
        make_directory();
    struct run_files files = {.directory = directory, .simulated_s = 0.01, .clock_hz = 133e6};
    write_tables(data, size);
    for (unsigned i = 0; i < MACHINE_QUEUES; i++)
        files.queues[i].name = machine_layout.queues[i].name;
    if (fuzz_succeeded(run_files_read_tables(&files, &why), &why))
        look_at(&files);
    run_files_close(&files);
    return 0;
}
