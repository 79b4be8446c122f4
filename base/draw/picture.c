#include "base/draw/picture.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/file/output.h"
#include "base/file/scratch_file.h"
#include "base/process/child_words.h"

const char *const picture_formats[PICTURE_FORMATS] = {"svg", "png", "pdf"};

const char *picture_format(const char *path)
{
    const char *dot = strcmp(path, "-") == 0 ? ".svg" : strrchr(path, '.');
    for (unsigned i = 0; dot && i < PICTURE_FORMATS; i++)
        if (strcasecmp(dot + 1, picture_formats[i]) == 0)
            return picture_formats[i];
    return NULL;
}

/* @param svg  an unnamed file, which is read from its begin */
static int convert(FILE *svg, const char *format, FILE *out, struct why *why)
{
    char *arguments[] = {
        "rsvg-convert", "-f", (char *)format, "-z", strcmp(format, "png") == 0 ? "2" : "1", NULL};
    if (!file_io_flush(svg) || !file_io_flush(out) || lseek(fileno(svg), 0, SEEK_SET) != 0)
        return why_refuse(why, "the picture cannot be written: %s", why_error(errno));
    const int status = child_words_program(arguments, fileno(svg), fileno(out));
    if (status == ENOENT)
        return why_refuse(
            why,
            "no rsvg-convert was found to make %s of SVG; install librsvg2-bin, or write a file that ends in .svg",
            format);
    if (status)
        return why_refuse(
            why,
            "rsvg-convert failed to make %s of SVG; is there room on the disk? A file that ends in .svg needs it not",
            format);
    return 0;
}

int picture_write(picture_draw *draw, const void *picture, const char *title, const char *format, FILE *out,
                  struct why *why)
{
    const bool is_svg = strcmp(format, "svg") == 0;
    struct svg svg = {.out = is_svg ? out : scratch_file_open(), .title = title};
    if (!svg.out)
        return scratch_file_refuse(why, COMMAND_REFUSED);
    draw(picture, &svg);
    if (is_svg)
        return 0;
    int status = convert(svg.out, format, out, why);
    fclose(svg.out);
    return status;
}

int picture_save(picture_draw *draw, const void *picture, const char *title, const char *path,
                 struct why *why)
{
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    return output_end(&output, picture_write(draw, picture, title, picture_format(path), output.file, why),
                      why);
}
