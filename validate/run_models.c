#include "validate/run_models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

const char *run_model(unsigned model)
{
    return verdict_model_name((enum verdict_model)model);
}

static void take_cell(const struct verdict_cell *cell, struct run_model_cell *out)
{
    char why[RUN_MODEL_VERDICT_BYTES - 20];
    out->value = cell->predicted;
    verdict_why(cell, why, sizeof why);
    if (!cell->given)
        snprintf(out->verdict, sizeof out->verdict, "%s%s%s", verdict_word(cell), *why ? ": " : "", why);
}

static struct run_model_cell find_cell(const struct verdict_frame *frame, unsigned model,
                                       const char *parameter)
{
    struct run_model_cell out = {NAN, ""};
    for (unsigned row = 0; row < VERDICT_ROWS; row++)
        if (strcmp(verdict_rows[row].parameter, parameter) == 0)
            take_cell(&frame->cells[row][model], &out);
    return out;
}

int run_models_predict(const struct frame *frame, const struct frame_layout *layout,
                       const char *const *parameters, unsigned count, struct run_model_cell *cells)
{
    struct validation validation;
    struct why why;
    int status = validation_of_frame(frame, layout, &validation, &why);
    if (status)
        return status;
    for (unsigned model = 0; model < RUN_MODELS; model++)
        for (unsigned i = 0; i < count; i++)
            *cells++ = find_cell(&validation.frames[0], model, parameters[i]);
    validation_destroy(&validation);
    return 0;
}
