/* module.h - a part of the program that is linked to large libraries, loaded when it is needed.
 *
 * Where     modules are in the folders sim and app beside the program in a build, and in Mercury's directory of libdir
 *           after installation. They are looked for nowhere else: what LD_LIBRARY_PATH leads to may be of another
 *           version.
 * Binding   is done when a module is loaded: to find all of SimGrid's 2800 functions at once takes less time than to
 *           find those that the smallest run calls, one by one, in each of its processes.
 * Memory    a module stays loaded until the program ends. Initializers of C++ libraries end the process if memory is
 *           exhausted: where there is a limit on addresses (ulimit -v) a child tries to load the module first. Then no
 *           other thread may take memory meanwhile, so that the process finds the memory that its child has found.
 */
#pragma once

#include <limits.h>

#include "base/why.h"

/* The functions of a library as a table, which is the one symbol of a module: from a list of FUNCTION(member, function)
 * the members of the table's struct, and their values. */
#define MODULE_MEMBER(member, function)   __typeof__(function) *(member);
#define MODULE_FUNCTION(member, function) .member = (function),

/** The directory of the program; empty if it cannot be told. */
void module_program_directory(char directory[PATH_MAX]);

/** Load a module.
 *
 * @param file    its name, "mercury-simgrid.so"
 * @param symbol  the one symbol that is looked up in it
 * @param why     if it cannot be loaded: that memory is exhausted, or that the program is to be built or installed
 *                again, and the reason
 * @return the symbol's address, or NULL
 */
const void *module_load(const char *file, const char *symbol, struct why *why);
