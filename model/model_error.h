/* model_error.h - the named codes with which every function of model/ answers.
 *
 * Models    nothing; it keeps one list, so that a code means the same in every model.
 * Contract  0 is success and every fault is negative. Some faults are answers: MODEL_EUNSTABLE,
 *           MODEL_ENOSOLUTION and MODEL_EUPSTREAM say that the inputs are sound and that the model has no
 *           number for them.
 */
#ifndef MERCURY_MODEL_MODEL_ERROR_H
#define MERCURY_MODEL_MODEL_ERROR_H

enum model_error {
    MODEL_EDOMAIN = -1,     /* an argument is outside its stated range, or is not a finite number */
    MODEL_EUNSTABLE = -2,   /* rho >= 1 and an unbounded queue: no steady state */
    MODEL_ENOSOLUTION = -3, /* actual arrivals at or above the service rate: no offered rate explains them */
    MODEL_EUPSTREAM = -4,   /* an earlier stage is overloaded, so the stated arrivals cannot reach this one */
    MODEL_ECONVERGE = -5,   /* the root finder did not settle */
    MODEL_EMEMORY = -6,
};

/** One line of text, without a full stop, for a code of this list; also for 0 and for unknown codes. */
const char *model_error_text(int code);

#endif
