#include "app/sweep/sweep_plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "base/output.h"
#include "sim/board/board_fifos.h"

extern char **environ;

/* One picture: its data, and what gnuplot is told about them. */
struct picture {
    const char *name;
    const char *directory;
    const struct sweep_table *table;
    struct why *why;
};

static const char throughput[] = "throughput_mwmers_per_s";

static int refuse(struct picture *p, int code, const char *what)
{
    return why_say(p->why, code, "%s", what);
}

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

/* Index of the first row with the same text in a column: blocks of data are in this order. */
static bool is_first_of(const struct sweep_table *t, size_t row, const char *name)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(field(t, i, name), field(t, row, name)) == 0)
            return false;
    return true;
}

/* One block of lines "x y z" for every value of `by`, whose name is its title. */
static size_t write_blocks(const struct picture *p, FILE *out, const char *by, const char *x, const char *y,
                           const char *z)
{
    const struct sweep_table *t = p->table;
    size_t blocks = 0;
    for (size_t first = 0; first < t->count; first++) {
        if (!is_first_of(t, first, by))
            continue;
        fprintf(out, "%s\"%s\"\n", blocks++ > 0 ? "\n\n" : "", field(t, first, by));
        for (size_t i = first; i < t->count; i++)
            if (strcmp(field(t, i, by), field(t, first, by)) == 0)
                fprintf(out, "%s\t%s\t%s\n", field(t, i, x), field(t, i, y), field(t, i, z));
    }
    return blocks;
}

/* --- files ----------------------------------------------------------------------------------------------- */

typedef void text_writer(const struct picture *, FILE *);

static int write_file(struct picture *p, const char *suffix, text_writer *write)
{
    char path[PATH_MAX];
    struct output output;
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->directory, p->name, suffix);
    if (output_open(&output, path, p->why) != 0)
        return SWEEP_PLOT_EFILE;
    write(p, output.file);
    return output_commit(&output, p->why) ? SWEEP_PLOT_EFILE : 0;
}

/* gnuplot runs in the directory, so that the script names its files without it. */
static int run_gnuplot(struct picture *p, const char *terminal, const char *suffix)
{
    char set_terminal[160], set_output[160], script[64];
    snprintf(set_terminal, sizeof set_terminal, "set terminal %s", terminal);
    snprintf(set_output, sizeof set_output, "set output '%s.%s'", p->name, suffix);
    snprintf(script, sizeof script, "%s.gp", p->name);
    char *arguments[] = {"gnuplot", "-e", set_terminal, "-e", set_output, script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, p->directory);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    pid_t process;
    int error = posix_spawnp(&process, "gnuplot", &actions, NULL, arguments, environ), exit_status = 0;
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return refuse(p, SWEEP_PLOT_EGNUPLOT,
                      "no gnuplot here to draw with; install gnuplot-nox (data and scripts are written)");
    if (error || waitpid(process, &exit_status, 0) != process || exit_status != 0)
        return why_say(p->why, SWEEP_PLOT_EGNUPLOT, "gnuplot failed; try it by hand: cd %.300s && gnuplot %s",
                       p->directory, script);
    return 0;
}

static int draw(struct picture *p, text_writer *data, text_writer *script)
{
    int status = write_file(p, "tsv", data);
    if (status == 0)
        status = write_file(p, "gp", script);
    if (status == 0)
        status = run_gnuplot(p, "svg size 800,500 background rgb 'white'", "svg");
    return status ? status : run_gnuplot(p, "pngcairo size 800,500", "png");
}

static void write_preamble(const struct picture *p, FILE *out)
{
    fprintf(out, "# mercury sweep plot; data: %s.tsv\n", p->name);
    fprintf(out, "set datafile separator '\\t'\nset datafile missing 'NA'\nset grid\nset key outside "
                 "below\nset offsets 0, 0, graph 0.05, 0\n");
}

/* --- throughput and collisions over table size ----------------------------------------------------------- */

static void tables_data(const struct picture *p, FILE *out)
{
    write_blocks(p, out, "table.family", "table.slots", throughput, "first_access_collisions");
}

static size_t count_values(const struct picture *p, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < p->table->count; i++)
        count += is_first_of(p->table, i, name);
    return count;
}

static void tables_script(const struct picture *p, FILE *out)
{
    size_t families = count_values(p, "table.family");
    write_preamble(p, out);
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

/* No other point is as quick with less memory, or quicker with as much. */
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

/* The front by memory: of points not drawn yet, the smallest. */
static void write_front(const struct sweep_table *t, FILE *out)
{
    double beyond = -1;
    for (bool more = true; more;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < t->count; i++)
            if (is_on_front(t, i) && number(t, i, "memory_bits") > beyond &&
                (next == SIZE_MAX || number(t, i, "memory_bits") < number(t, next, "memory_bits")))
                next = i;
        more = next != SIZE_MAX;
        if (more) {
            write_point(t, next, out);
            beyond = number(t, next, "memory_bits");
        }
    }
}

static void pareto_data(const struct picture *p, FILE *out)
{
    fprintf(out, "\"all points\"\n");
    for (size_t i = 0; i < p->table->count; i++)
        write_point(p->table, i, out);
    fprintf(out, "\n\n\"Pareto front\"\n");
    write_front(p->table, out);
}

static void pareto_script(const struct picture *p, FILE *out)
{
    write_preamble(p, out);
    fprintf(
        out,
        "set title 'Throughput for memory'\nset logscale x 2\nset format x '2^{%%L}'\n"
        "set xlabel 'block RAM, SRAM and displacement table [bits]'\nset ylabel 'throughput [Mw-mers/s]'\n"
        "set yrange [0:*]\n"
        "plot 'pareto.tsv' index 0 using 1:2 with points pt 6 title columnheader(1), \\\n"
        "  '' index 1 using 1:2 with steps lw 2 title columnheader(1)\n");
}

/* --- throughput over FIFO depths ------------------------------------------------------------------------- */

static void fifos_data(const struct picture *p, FILE *out)
{
    size_t blocks = 0;
    for (unsigned f = 0; f < BOARD_FIFOS; f++) {
        if (!varies(p->table, board_fifos[f].parameter))
            continue;
        fprintf(out, "%s\"%s\"\n", blocks++ > 0 ? "\n\n" : "", board_fifos[f].parameter);
        for (size_t i = 0; i < p->table->count; i++)
            fprintf(out, "%s\t%s\n", field(p->table, i, board_fifos[f].parameter),
                    field(p->table, i, throughput));
    }
}

static void fifos_script(const struct picture *p, FILE *out)
{
    unsigned count = 0, drawn = 0;
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        count += varies(p->table, board_fifos[f].parameter);
    write_preamble(p, out);
    fprintf(out, "set title 'FIFO depths and throughput'\nset logscale x 2\nset xlabel 'places'\n"
                 "set ylabel 'throughput [Mw-mers/s]'\nplot \\\n");
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        if (varies(p->table, board_fifos[f].parameter)) {
            fprintf(out, "  'fifos.tsv' index %u using 1:2 with points title columnheader(1)%s\n", drawn,
                    drawn + 1 < count ? ", \\" : "");
            drawn++;
        }
}

/* --- all ------------------------------------------------------------------------------------------------- */

static bool any_fifo_varies(const struct sweep_table *t)
{
    for (unsigned f = 0; f < BOARD_FIFOS; f++)
        if (varies(t, board_fifos[f].parameter))
            return true;
    return false;
}

static int draw_all(struct picture *p)
{
    bool tables = varies(p->table, "table.slots"), memory = varies(p->table, "memory_bits");
    bool queues = any_fifo_varies(p->table);
    if (!tables && !memory && !queues)
        return refuse(p, SWEEP_PLOT_ENOTHING,
                      "nothing to draw: neither tables, nor memory, nor a FIFO varies in this store");
    int status = output_make_directory(p->directory, p->why) ? SWEEP_PLOT_EFILE : 0;
    p->name = "tables";
    if (status == 0 && tables)
        status = draw(p, tables_data, tables_script);
    p->name = "pareto";
    if (status == 0 && memory)
        status = draw(p, pareto_data, pareto_script);
    p->name = "fifos";
    if (status == 0 && queues)
        status = draw(p, fifos_data, fifos_script);
    return status;
}

int sweep_plot(struct sweep_store *store, const char *directory, struct why *why)
{
    struct sweep_table table;
    if (sweep_store_load(store, &table, why) != 0)
        return SWEEP_PLOT_EFILE;
    struct picture picture = {.directory = directory, .table = &table, .why = why};
    int status = draw_all(&picture);
    sweep_table_destroy(&table);
    return status;
}
