/* machine_catalogue.h - Mercury's taps and metrics as a catalogue (traces/catalogue.h), for the tests of what reads one. */
#ifndef MERCURY_TESTS_MACHINE_CATALOGUE_H
#define MERCURY_TESTS_MACHINE_CATALOGUE_H

#include "traces/catalogue.h"

extern const struct catalogue machine_catalogue;

#endif
