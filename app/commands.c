#include "app/commands.h"

#define COMMAND_PLACE(name) &command_##name,

const struct command *const commands[] = {COMMAND_ROWS(COMMAND_PLACE) NULL};
