/* report_setup.h - what was run: inputs with digests, version, the machine's numbers; and the words of the page. */
#ifndef MERCURY_APP_REPORT_REPORT_SETUP_H
#define MERCURY_APP_REPORT_REPORT_SETUP_H

#include <stdio.h>

#include "app/report/run_files.h"

void report_setup_write(const struct run_files *run, FILE *out);

/** Write the words that the page uses, with the texts of `mercury explain`. */
void report_setup_write_words(FILE *out);

#endif
