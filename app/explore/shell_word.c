#include "app/explore/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

void shell_word_append(const char *text, FILE *out)
{
    bool plain = *text != '\0';
    for (const char *at = text; *at && plain; at++)
        plain = isalnum((unsigned char)*at) || strchr("/._-+=,:@%", *at);
    fputs(plain ? " " : " '", out);
    for (const char *at = text; *at; at++) {
        if (*at == '\'')
            fputs("'\\''", out);
        else
            fputc(*at, out);
    }
    if (!plain)
        fputc('\'', out);
}
