#include "model/model_error.h"

const char *model_error_text(int code)
{
    switch (code) {
    case 0:
        return "success";
    case MODEL_EDOMAIN:
        return "an argument is outside the model's range";
    case MODEL_EUNSTABLE:
        return "no steady state: arrivals reach or exceed the service rate";
    case MODEL_ENOSOLUTION:
        return "no solution: actual arrivals reach or exceed the service rate";
    case MODEL_EUPSTREAM:
        return "no prediction: an earlier stage is overloaded";
    case MODEL_ECONVERGE:
        return "the root finder did not converge";
    case MODEL_EMEMORY:
        return "out of memory";
    default:
        return "unknown model error";
    }
}
