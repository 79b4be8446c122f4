#include "app/commands.h"

#include <stddef.h>

#include "app/report/report.h"

/* What the line {PICTURES} of a help text stands for. */
#define HELP(name, help) "                         " help
#define PICTURES         REPORT_PARTS(HELP)

/* The texts: help_run and the others. */
#include "app/help.inc"

#define COMMAND_PLACE(name, usage, purpose) {#name, usage, purpose, help_##name, &command_##name},

const struct command_row commands[] = {COMMAND_ROWS(COMMAND_PLACE){NULL}};
