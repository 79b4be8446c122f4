/* shell_word.h - an argument of a command line that a person can paste into a shell. */
#ifndef MERCURY_APP_EXPLORE_SHELL_WORD_H
#define MERCURY_APP_EXPLORE_SHELL_WORD_H

#include <stdio.h>

/** Append a blank and the argument, in quotes unless the shell leaves it as it is. */
void shell_word_append(const char *text, FILE *out);

#endif
