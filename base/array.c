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

void *array_read(size_t count, size_t element_bytes, FILE *in)
{
    enum { PORTION = 1 << 14 }; /* elements */
    char *array = NULL;
    size_t room = 0, taken = 0;
    bool whole = array_reserve(&array, &room, 0, 1, element_bytes);
    while (whole && taken < count) {
        size_t left = count - taken, portion = left < PORTION ? left : PORTION;
        whole = array_reserve(&array, &room, taken, portion, element_bytes) &&
                fread(array + taken * element_bytes, element_bytes, portion, in) == portion;
        taken += portion;
    }
    if (whole)
        return array;
    free(array);
    return NULL;
}
