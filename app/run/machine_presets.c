#include "app/run/machine_presets.h"

#include <stddef.h>
#include <string.h>

#include "base/command.h"
#include "base/nearest.h"

const struct machine_preset machine_presets[] = {
    {"mercury-2010", "to compare genomes: finds nearly all alignments of blastn"},
    {"dor2010", "to hold against the papers: the machine as it was measured"},
    {"pcie-gen2-x8", "the default machine on a PCI Express board, 8 lanes of generation 2"},
    {"pcie-gen3-x16", "the same on 16 lanes of generation 3: for several boards"},
    {"modern-host", "the same in a host of 32 cores, on a network of 100 Gbit/s"},
    {NULL, NULL},
};

const struct machine_preset *machine_preset_find(const char *name, struct why *why)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (const struct machine_preset *preset = machine_presets; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return preset;
        nearest_look_at(&search, preset->name);
    }
    why_say(why, COMMAND_REFUSED, "no machine is called '%.60s'", name);
    nearest_suggest(&search, why);
    why_append(why, " (all: mercury platforms)");
    return NULL;
}
