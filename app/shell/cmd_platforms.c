#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "sim/board/board_costs.h"
#include "sim/board/hardware.h"
#include "sim/platform/platform.h"
#include "app/run/run_options.h"
#include "app/options.inc"

struct session {
    enum result_format format;
    bool devices;
    struct why *why;
};

static const struct command_option options[] = COMMAND_OPTIONS(PLATFORMS_OPTIONS);

static int write_list(const struct session *s)
{
    static const char *const columns[] = {"name", "purpose"}, *const files[] = {"name", "file", "purpose"};
    const bool text = s->format == RESULT_TEXT;
    struct result_table *table =
        result_table_new_styled(text ? columns : files, text ? 2 : 3,
                                &(struct result_style){.title = "", .schema = "mercury-platforms-1"});
    char path[PATH_MAX] = "";
    int status = 0;
    for (const struct machine_preset *preset = machine_presets; preset->name && status == 0; preset++) {
        status = run_options_find_machine(preset->name, path, s->why);
        result_table_add(table, TEXT(preset->name));
        if (!text)
            result_table_add(table, TEXT(path));
        result_table_add(table, TEXT(preset->purpose));
    }
    if (text)
        result_table_note(table, "The files NAME.xml are in %.*s", (int)(strrchr(path, '/') - path), path);
    if (status == 0)
        return result_table_save(table, s->format, NULL, s->why);
    result_table_destroy(table);
    return status;
}

/* A number of the machine is a number of the table, too; the name of a hash family is a text. */
static struct result_cell cell_of(const char *text)
{
    double number;
    return command_number(text, -HUGE_VAL, HUGE_VAL, &number) == 0 ? NUMBER(number) : TEXT(text);
}

static struct result_table *make_differences(const struct machine_preset *preset, const char *path,
                                             const struct hardware *machine)
{
    static const char *const columns[] = {"name", "value", "default", "unit"};
    static const struct result_style style = {
        .text_number = RESULT_EXACT, .tsv_number = RESULT_EXACT, .schema = "mercury-machine-1"};
    const struct hardware standard = hardware_default();
    struct result_table *table = result_table_new_styled(columns, 4, &style);
    bool differs = false;
    result_table_add_fact(table, "machine", TEXT(preset->name));
    result_table_add_fact(table, "file", TEXT(path));
    result_table_add_fact(table, "purpose", TEXT(preset->purpose));
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        const struct shown value = hardware_parameter_value(machine, i),
                           standard_value = hardware_parameter_value(&standard, i);
        if (strcmp(value.text, standard_value.text) == 0)
            continue;
        differs = true;
        result_table_add(table, TEXT(hardware_parameter_name(i)), cell_of(value.text),
                         cell_of(standard_value.text), TEXT(hardware_parameter_unit(i)));
    }
    if (!differs)
        result_table_note(table, "no number differs from those of the default machine");
    return table;
}

static struct result_table *make_devices(const struct machine_preset *preset, const struct hardware *machine)
{
    static const char *const columns[] = {"name", "family", "ramb18", "ramb36", "fits", "source"};
    static const int widths[] = {-10, -18, 6, 6, -4, -24};
    static const struct result_style style = {.widths = widths, .schema = "mercury-devices-1"};
    struct result_table *table = result_table_new_styled(columns, 6, &style);
    struct board_costs needs = board_costs_of(machine);
    result_table_add_fact(table, "machine", TEXT(preset->name));
    result_table_add_fact(table, "ramb18_needed", NUMBER((double)needs.ramb18));
    result_table_add_fact(table, "ramb36_needed", NUMBER((double)needs.ramb36));
    for (unsigned i = FPGA_NONE + 1; i < FPGA_DEVICES; i++) {
        const struct fpga_device_row *d = &fpga_devices[i];
        result_table_add(table, TEXT(fpga_device_names[i]), TEXT(d->family), NUMBER(d->ramb18),
                         NUMBER(d->ramb36 > 0 ? d->ramb36 : NAN),
                         TEXT(needs.ramb18 <= d->ramb18 ? "yes" : "no"), TEXT(d->source));
    }
    result_table_note(table,
                      "bloom.copies = %u: a word asks for 16 w-mers per clock, and a block has two ports",
                      machine->bloom_copies);
    return table;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.why = why};
    int status = command_parse("platforms", options, argc, argv, 1, &s, why);
    if (status)
        return status;
    if (optind == argc && !s.devices)
        return write_list(&s);
    const struct machine_preset *preset =
        optind == argc ? &machine_presets[0] : machine_preset_find(argv[optind], why);
    struct hardware machine = hardware_default();
    struct platform *platform = NULL;
    char path[PATH_MAX];
    if (!preset || run_options_find_machine(preset->name, path, why) != 0 ||
        platform_open(path, &machine, &platform, why) != 0)
        return COMMAND_REFUSED;
    platform_close(platform);
    return result_table_save(s.devices ? make_devices(preset, &machine)
                                       : make_differences(preset, path, &machine),
                             s.format, NULL, why);
}

const struct command command_platforms = {options, run_command};
