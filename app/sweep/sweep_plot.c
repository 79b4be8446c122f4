#include "app/sweep/sweep_plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "sim/board/board_fifos.h"

extern char **environ;

struct plotter {
    const char *directory;
    const struct sweep_table *table;
    struct why *why;
};

struct picture {
    const char *name;
    const char *varied; /* the column that must vary; NULL if it is the depth of any FIFO */
    void (*write_data)(const struct sweep_table *table, FILE *out);
    void (*write_script)(const struct sweep_table *table, FILE *out);
};

static const char throughput[] = "throughput_mwmers_per_s";

/* --- data ------------------------------------------------------------------------------------------------ */

static const char *field(const struct sweep_table *t, size_t row, const char *name)
{
    const char *text = t->rows[row].fields[sweep_table_column(name)];
    return text ? text : "NA";
}

static double number(const struct sweep_table *t, size_t row, const char *name)
{
    return strtod(field(t, row, name), NULL);
}

static bool varies(const struct sweep_table *t, const char *name)
{
    for (size_t i = 1; i < t->count; i++)
        if (strcmp(field(t, i, name), field(t, 0, name)) != 0)
            return true;
    return false;
}

/* Whether no row before this one has its value: blocks are in the order in which their values first appear. */
static bool is_first_of(const struct sweep_table *t, size_t row, const char *name)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(field(t, i, name), field(t, row, name)) == 0)
            return false;
    return true;
}

/* gnuplot separates blocks by two empty lines; a block's title is its first line. */
static void begin_block(size_t *blocks, const char *title, FILE *out)
{
    fprintf(out, "%s\"%s\"\n", (*blocks)++ > 0 ? "\n\n" : "", title);
}

/* --- throughput and collisions over table sizes ---------------------------------------------------------- */

static void write_tables(const struct sweep_table *t, FILE *out)
{
    size_t blocks = 0;
    for (size_t first = 0; first < t->count; first++) {
        if (!is_first_of(t, first, "table.family"))
            continue;
        begin_block(&blocks, field(t, first, "table.family"), out);
        for (size_t i = first; i < t->count; i++)
            if (strcmp(field(t, i, "table.family"), field(t, first, "table.family")) == 0)
                fprintf(out, "%s\t%s\t%s\n", field(t, i, "table.slots"), field(t, i, throughput),
                        field(t, i, "first_access_collisions"));
    }
}

static void write_tables_script(const struct sweep_table *t, FILE *out)
{
    size_t families = 0;
    for (size_t i = 0; i < t->count; i++)
        families += is_first_of(t, i, "table.family");
    fprintf(
        out,
        "set title 'Primary table: size, collisions, throughput'\nset logscale x 2\nset format x '2^{%%L}'\n"
        "set xlabel 'slots'\nset ylabel 'throughput [Mw-mers/s]'\nset yrange [0:*]\nset ytics nomirror\n"
        "set y2label 'first accesses that collide [%%]'\nset y2range [0:100]\nset y2tics\nplot \\\n");
    for (size_t i = 0; i < families; i++)
        fprintf(out,
                "  'tables.tsv' index %zu using 1:2 with linespoints lt %zu title columnheader(1).': "
                "throughput', \\\n"
                "  '' index %zu using 1:(100*$3) axes x1y2 with linespoints lt %zu dt 2 title "
                "columnheader(1).': collisions'%s\n",
                i, i + 1, i, i + 1, i + 1 < families ? ", \\" : "");
}

/* --- throughput over memory ------------------------------------------------------------------------------ */

/* Whether no other point is as fast with less memory, or faster with as much. */
static bool is_on_front(const struct sweep_table *t, size_t row)
{
    double bits = number(t, row, "memory_bits"), speed = number(t, row, throughput);
    for (size_t i = 0; i < t->count; i++) {
        double other_bits = number(t, i, "memory_bits"), other_speed = number(t, i, throughput);
        if (other_bits <= bits && other_speed >= speed && (other_bits < bits || other_speed > speed))
            return false;
    }
    return true;
}

static void write_point(const struct sweep_table *t, size_t row, FILE *out)
{
    fprintf(out, "%s\t%s\n", field(t, row, "memory_bits"), field(t, row, throughput));
}

/* Write the front by rising memory: each time, the smallest point that has not been written. */
static void write_front(const struct sweep_table *t, FILE *out)
{
    double beyond = -1;
    while (true) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < t->count; i++)
            if (is_on_front(t, i) && number(t, i, "memory_bits") > beyond &&
                (next == SIZE_MAX || number(t, i, "memory_bits") < number(t, next, "memory_bits")))
                next = i;
        if (next == SIZE_MAX)
            return;
        write_point(t, next, out);
        beyond = number(t, next, "memory_bits");
    }
}

static void write_pareto(const struct sweep_table *t, FILE *out)
{
    size_t blocks = 0;
    begin_block(&blocks, "all points", out);
    for (size_t i = 0; i < t->count; i++)
        write_point(t, i, out);
    begin_block(&blocks, "Pareto front", out);
    write_front(t, out);
}

static void write_pareto_script(const struct sweep_table *t, FILE *out)
{
    (void)t;
    fprintf(
        out,
        "set title 'Throughput for memory'\nset logscale x 2\nset format x '2^{%%L}'\n"
        "set xlabel 'block RAM, SRAM and displacement table [bits]'\nset ylabel 'throughput [Mw-mers/s]'\n"
        "set yrange [0:*]\n"
        "plot 'pareto.tsv' index 0 using 1:2 with points pt 6 title columnheader(1), \\\n"
        "  '' index 1 using 1:2 with steps lw 2 title columnheader(1)\n");
}

/* --- throughput over FIFO depths ------------------------------------------------------------------------- */

static unsigned count_varied_fifos(const struct sweep_table *t)
{
    unsigned count = 0;
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        count += varies(t, board_fifos[f].parameter);
    return count;
}

static void write_fifos(const struct sweep_table *t, FILE *out)
{
    size_t blocks = 0;
    for (unsigned f = 0; f < BOARD_FIFOS; f++) {
        const char *depth = board_fifos[f].parameter;
        if (!varies(t, depth))
            continue;
        begin_block(&blocks, depth, out);
        for (size_t i = 0; i < t->count; i++)
            fprintf(out, "%s\t%s\n", field(t, i, depth), field(t, i, throughput));
    }
}

static void write_fifos_script(const struct sweep_table *t, FILE *out)
{
    unsigned count = count_varied_fifos(t);
    fprintf(out, "set title 'FIFO depths and throughput'\nset logscale x 2\nset xlabel 'places'\n"
                 "set ylabel 'throughput [Mw-mers/s]'\nplot \\\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "  'fifos.tsv' index %u using 1:2 with points title columnheader(1)%s\n", i,
                i + 1 < count ? ", \\" : "");
}

static const struct picture pictures[] = {
    {"tables", "table.slots", write_tables, write_tables_script},
    {"pareto", "memory_bits", write_pareto, write_pareto_script},
    {"fifos", NULL, write_fifos, write_fifos_script},
};

enum { PICTURES = sizeof pictures / sizeof pictures[0] };

/* --- files ----------------------------------------------------------------------------------------------- */

static int open_file(const struct plotter *p, const char *name, const char *suffix, struct output *output)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->directory, name, suffix);
    return output_open(output, path, p->why) ? SWEEP_PLOT_EFILE : 0;
}

static int write_files(const struct plotter *p, const struct picture *picture)
{
    struct output data, script;
    if (open_file(p, picture->name, "tsv", &data) != 0)
        return SWEEP_PLOT_EFILE;
    picture->write_data(p->table, data.file);
    if (output_commit(&data, p->why) != 0 || open_file(p, picture->name, "gp", &script) != 0)
        return SWEEP_PLOT_EFILE;
    fprintf(script.file, "# mercury sweep plot; data: %s.tsv\n", picture->name);
    fprintf(script.file, "set datafile separator '\\t'\nset datafile missing 'NA'\nset grid\nset key outside "
                         "below\nset offsets 0, 0, graph 0.05, 0\n");
    picture->write_script(p->table, script.file);
    return output_commit(&script, p->why) ? SWEEP_PLOT_EFILE : 0;
}

/* gnuplot runs in the directory, so that scripts name files without it. */
static int run_gnuplot(const struct plotter *p, const char *name, const char *terminal, const char *suffix)
{
    char set_terminal[160], set_output[160], script[64];
    snprintf(set_terminal, sizeof set_terminal, "set terminal %s", terminal);
    snprintf(set_output, sizeof set_output, "set output '%s.%s'", name, suffix);
    snprintf(script, sizeof script, "%s.gp", name);
    char *arguments[] = {"gnuplot", "-e", set_terminal, "-e", set_output, script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, p->directory);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    pid_t process;
    int error = posix_spawnp(&process, "gnuplot", &actions, NULL, arguments, environ), exit_status = 0;
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return why_say(
            p->why, SWEEP_PLOT_EGNUPLOT,
            "no gnuplot was found to draw with; install gnuplot-nox (data and scripts are written)");
    if (error || waitpid(process, &exit_status, 0) != process || exit_status != 0)
        return why_say(p->why, SWEEP_PLOT_EGNUPLOT, "gnuplot failed; try it by hand: cd %.300s && gnuplot %s",
                       p->directory, script);
    return 0;
}

static int draw(const struct plotter *p, const struct picture *picture)
{
    int status = write_files(p, picture);
    if (status == 0)
        status = run_gnuplot(p, picture->name, "svg size 800,500 background rgb 'white'", "svg");
    return status ? status : run_gnuplot(p, picture->name, "pngcairo size 800,500", "png");
}

static int draw_all(const struct plotter *p)
{
    bool drawn = false;
    int status = 0;
    for (unsigned i = 0; i < PICTURES && status == 0; i++) {
        const char *varied = pictures[i].varied;
        if (varied ? !varies(p->table, varied) : count_varied_fifos(p->table) == 0)
            continue;
        if (!drawn && output_make_directory(p->directory, p->why) != 0)
            return SWEEP_PLOT_EFILE;
        drawn = true;
        status = draw(p, &pictures[i]);
    }
    return drawn ? status
                 : why_say(p->why, SWEEP_PLOT_ENOTHING,
                           "nothing to draw: no table size, no memory and no FIFO varies in this store");
}

int sweep_plot(struct sweep_store *store, const char *directory, struct why *why)
{
    struct sweep_table table;
    if (sweep_store_load(store, &table, why) != 0)
        return SWEEP_PLOT_EFILE;
    int status = draw_all(&(struct plotter){.directory = directory, .table = &table, .why = why});
    sweep_table_destroy(&table);
    return status;
}
