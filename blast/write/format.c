#include "blast/write/format.h"

#include <string.h>

#define ADDRESS(name) &format_##name,
const struct alignment_format *const alignment_formats[] = {ALIGNMENT_FORMATS(ADDRESS) NULL};

const struct alignment_format *alignment_format_find(const char *name, size_t length)
{
    for (const struct alignment_format *const *f = alignment_formats; *f; f++)
        for (int i = 0; i < 2; i++)
            if ((*f)->names[i] && strlen((*f)->names[i]) == length &&
                strncmp((*f)->names[i], name, length) == 0)
                return *f;
    return NULL;
}
