/* seal.c - seal record|store FILE: make the checksums of a changed token record, or of an unfinished run, right
 * again. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/whole_file.h"
#include "tests/fuzz/records.h"

enum { BYTES_MOST = 1 << 24 };

int main(int argc, char **argv)
{
    struct why why;
    char *bytes;
    size_t size;
    if (argc != 3 || whole_file_read(argv[2], BYTES_MOST, &bytes, &size, &why) != 0) {
        fprintf(stderr, "usage: seal record|store FILE\n");
        return 2;
    }
    if (strcmp(argv[1], "record") == 0)
        token_record_seal((uint8_t *)bytes, size);
    else
        pass_store_seal((uint8_t *)bytes, size);
    FILE *file = fopen(argv[2], "w");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    written = file && fclose(file) == 0 && written;
    free(bytes);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
