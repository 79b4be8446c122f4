#include "validate/run_models.h"

#include <math.h>
#include <string.h>

#include "validate/validation.h"

const char *run_model(unsigned model)
{
    return verdict_model_name((enum verdict_model)model);
}

static double find_value(const struct verdict_frame *frame, unsigned model, const char *parameter)
{
    for (unsigned row = 0; row < VERDICT_ROWS; row++)
        if (strcmp(verdict_rows[row].parameter, parameter) == 0)
            return frame->cells[row][model].predicted;
    return NAN;
}

int run_models_predict(const struct frame *frame, const struct frame_layout *layout,
                       const char *const *parameters, unsigned count, double *values)
{
    struct validation validation;
    char why[256];
    int status = validation_of_frame(frame, layout, &validation, why, sizeof why);
    if (status)
        return status;
    for (unsigned model = 0; model < RUN_MODELS; model++)
        for (unsigned i = 0; i < count; i++)
            *values++ = find_value(&validation.frames[0], model, parameters[i]);
    validation_destroy(&validation);
    return 0;
}
