/* model_error.h - the error codes of all functions of model/.
 *
 * Models    nothing. There is one list, so that a code means the same in every model.
 * Contract  0 is success, and errors are negative. There are three kinds:
 *           - answers: the inputs are valid, but the model has no number for them;
 *           - inputs: one of them is out of its range, or not finite; each has a code whose text names it;
 *           - faults of the computer or the iteration.
 */
#pragma once

/* The rows of data/words/model_errors.tsv. */
#include "model/model_errors.inc"

#define MODEL_ERROR_CODE(name, code, text) name = (code)
enum model_error { MODEL_ERROR_ROWS(MODEL_ERROR_CODE) };

/** One line of text, without a full stop, for a code of this list; also for 0 and for unknown codes. */
const char *model_error_text(int code);
