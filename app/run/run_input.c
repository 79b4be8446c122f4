#include "app/run/run_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "blast/stages12/wmer.h"
#include "base/command.h"

int run_input_read(const char *path, const char *what, struct sequences *out, struct why *why)
{
    if (sequences_read(path, out, why) != 0)
        return COMMAND_REFUSED;
    if (wmer_in_sequences(out))
        return 0;
    return why_say(
        why, COMMAND_REFUSED,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        strcmp(path, "-") == 0 ? "standard input" : path, what, WMER_BASES);
}

char *run_input_read_text(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, '\0', file);
    int error = ferror(file) ? errno : text ? 0 : ENOMEM;
    fclose(file);
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    *bytes = length > 0 ? (size_t)length : 0;
    text[*bytes] = '\0';
    return text;
}
