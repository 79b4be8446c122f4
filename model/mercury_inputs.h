/* mercury_inputs.h - the inputs of predictions by their numbers: all models of the accelerator take them as an array.
 *
 * Units     and meanings, ranges and defaults are those of data/words/predict_inputs.tsv: MB/s, MHz, millions per
 *           second. What is not known is NaN. predict_case_default() (model/predict/predict_inputs.h) makes an array.
 */
#pragma once

#include "model/predict_inputs.inc"

#define PREDICT_INPUT_ID(id, ...) id
enum predict_input { PREDICT_INPUT_ROWS(PREDICT_INPUT_ID) PREDICT_INPUTS };
