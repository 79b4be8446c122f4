#include "model/root.h"

#include <stdbool.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include "base/memory.h"
#include "model/model_error.h"

int root_find(double (*function)(double x, void *data), void *data, double low, double high, double absolute,
              double relative, double *root)
{
    enum { ITERATIONS_MAX = 500 };
    gsl_function of_gsl = {function, data};
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver)
        memory_exhausted();
    int status = MODEL_ECONVERGE;
    bool goes_on = gsl_root_fsolver_set(solver, &of_gsl, low, high) == GSL_SUCCESS;
    for (int i = 0; i < ITERATIONS_MAX && goes_on && gsl_root_fsolver_iterate(solver) == GSL_SUCCESS; i++)
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver),
                                   absolute, relative) == GSL_SUCCESS) {
            *root = gsl_root_fsolver_root(solver);
            status = 0;
            goes_on = false;
        }
    gsl_root_fsolver_free(solver);
    gsl_set_error_handler(handler);
    return status;
}
