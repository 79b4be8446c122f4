/* json_number.h - numbers in JSON, which has neither NaN nor infinity: NaN stands for no number; and texts. */
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"

/** @return a new reference: null for NaN and infinity */
static inline json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/** @param path  of objects' names, "stage_1b.wmer_fifo.places"; @return NaN if there is no number */
static inline double json_number_at(const json_t *at, const char *path)
{
    while (at && *path) {
        size_t length = strcspn(path, ".");
        char name[48];
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        at = json_object_get(at, name);
        path += length + (path[length] == '.');
    }
    return json_is_number(at) ? json_number_value(at) : NAN;
}

/** @return a member that is a text; "" if there is none */
static inline const char *json_text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/** Write an object, indented, and release it. Its texts are UTF-8: without that it could not be made. */
static inline void json_write(json_t *root, unsigned digits, FILE *out)
{
    assert(root);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    fputc('\n', out);
    json_decref(root);
}

/** The text that a function writes. @return NULL if it is no UTF-8 */
static inline json_t *json_written(void (*write)(const void *data, FILE *out), const void *data)
{
    auto_free char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_stream(&text, &bytes);
    write(data, out);
    memory_stream_end(out);
    return json_stringn(text, bytes);
}
