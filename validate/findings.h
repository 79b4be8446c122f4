/* findings.h - what the differences between models and machine say of the machine, in sentences. */
#ifndef MERCURY_VALIDATE_FINDINGS_H
#define MERCURY_VALIDATE_FINDINGS_H

#include "validate/validation.h"

/** Fill in the findings of a validation that is complete otherwise. */
void findings_make(struct validation *validation);

#endif
