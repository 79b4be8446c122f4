#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(void *array, size_t *room, size_t extra, size_t element_bytes)
{
    size_t most = SIZE_MAX / 4 / element_bytes;
    if (extra > most || *room > most)
        return false;
    size_t larger = *room + *room / 2 + extra + 64;
    void *elements;
    memcpy(&elements, array, sizeof elements); /* the pointer may have any type */
    elements = realloc(elements, larger * element_bytes);
    if (!elements)
        return false;
    memcpy(array, &elements, sizeof elements);
    *room = larger;
    return true;
}
