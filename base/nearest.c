#include "base/nearest.h"

#include <ctype.h>
#include <string.h>
#include <sys/param.h>

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

static int fold(char letter)
{
    return tolower((unsigned char)letter);
}

unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][NEAREST_NAME_MAX + 1]; /* edits from a's first i, i - 1, i - 2 letters to b's first j */
    a_length = MIN(a_length, NEAREST_NAME_MAX);
    b_length = MIN(b_length, NEAREST_NAME_MAX);
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned differs = fold(a[i - 1]) != fold(b[j - 1]);
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + differs);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], second[j - 2] + 1, row[j]);
        }
    }
    return rows[a_length % 3][b_length];
}

void nearest_look_at(struct nearest *search, const char *known)
{
    unsigned enough = search->length < 6 ? 1 : ((unsigned)MIN(search->length, NEAREST_NAME_MAX) + 2) / 3;
    unsigned distance = nearest_distance(search->wanted, search->length, known, strlen(known));
    if (distance > enough || (search->name && distance >= search->distance))
        return;
    search->name = known;
    search->distance = distance;
}

void nearest_suggest(const struct nearest *search, struct why *why)
{
    if (search->name)
        why_append(why, "; did you mean %s?", search->name);
}
