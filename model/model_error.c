#include "model/model_error.h"

#include <stddef.h>

#define ROW(name, code, text)                                                                                \
    {                                                                                                        \
        code, text                                                                                           \
    }

const char *model_error_text(int code)
{
    static const struct {
        int code;
        const char *text;
    } rows[] = {{0, "success"}, MODEL_ERROR_ROWS(ROW)};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return rows[i].text;
    return "unknown model error";
}
