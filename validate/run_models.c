#include "validate/run_models.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "validate/comparison.h"

static const struct comparison_row *find_row(const struct comparison *comparison, const char *parameter)
{
    for (unsigned i = 0; i < COMPARISON_ROWS; i++)
        if (strcmp(comparison->rows[i].parameter, parameter) == 0)
            return &comparison->rows[i];
    return NULL;
}

static double predict_mm1(const struct comparison *comparison, const char *parameter)
{
    const struct comparison_row *row = find_row(comparison, parameter);
    return row ? row->mm1.value : NAN;
}

static double predict_mm1k(const struct comparison *comparison, const char *parameter)
{
    const struct comparison_row *row = find_row(comparison, parameter);
    return row ? row->mm1k.value : NAN;
}

static const struct {
    const char *name;
    double (*predict)(const struct comparison *, const char *parameter);
} models[] = {
    {"M/M/1", predict_mm1},
    {"M/M/1/K", predict_mm1k},
};

const char *run_model(unsigned model)
{
    return model < sizeof models / sizeof models[0] ? models[model].name : NULL;
}

int run_model_predict(unsigned model, const struct frame *frame, const struct frame_layout *layout,
                      const char *const *parameters, unsigned count, double *values)
{
    struct comparison comparison;
    int status = comparison_make(frame, layout, &comparison);
    for (unsigned i = 0; status == 0 && i < count; i++)
        values[i] = models[model].predict(&comparison, parameters[i]);
    return status;
}
