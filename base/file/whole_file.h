/* whole_file.h - a text file read whole; "-" is standard input.
 *
 * Errors    a negative WHOLE_FILE_E* code and one line that names the file.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"

enum whole_file_error {
    WHOLE_FILE_EREAD = -2, /* there is no such file, it is a directory, or the medium failed */
    WHOLE_FILE_ESIZE = -3, /* it has more bytes than expected */
    WHOLE_FILE_ETEXT = -4, /* it begins with 64 KiB of zeros, perhaps without end */
};

/** Read all bytes of a file.
 *
 * @param bytes_most  number of bytes that the file may have
 * @param text        out, for free(): the bytes, then a NUL; NULL on error
 * @param bytes       out: number of bytes before that NUL; a NUL may be among them
 */
int whole_file_read(const char *path, size_t bytes_most, char **text, size_t *bytes, struct why *why);

/** The file's name for messages: its path, or "standard input". */
const char *whole_file_name(const char *path);
