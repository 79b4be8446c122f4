#include "model/model_error.h"

#define CASE(name, code, text)                                                                               \
    case name:                                                                                               \
        return text;

const char *model_error_text(int code)
{
    switch (code) {
    case 0:
        return "success";
        MODEL_ERROR_ROWS(CASE)
    default:
        return "unknown model error";
    }
}
