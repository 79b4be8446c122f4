#include "base/draw/svg_convert.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.h"

extern char **environ;

static int start(FILE *svg, const char *format, FILE *out, pid_t *process)
{
    char *arguments[] = {
        "rsvg-convert", "-f", (char *)format, "-z", strcmp(format, "png") == 0 ? "2" : "1", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    int error = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int svg_convert(FILE *svg, const char *format, FILE *out, struct why *why)
{
    pid_t process;
    int exit_status = 0;
    if (fflush(svg) != 0 || fflush(out) != 0 || lseek(fileno(svg), 0, SEEK_SET) != 0)
        return why_say(why, COMMAND_REFUSED, "the picture cannot be written: is the disk full?");
    int error = start(svg, format, out, &process);
    if (error == ENOENT)
        return why_say(
            why, COMMAND_REFUSED,
            "no rsvg-convert was found to make %s of SVG; install librsvg2-bin, or write a file that ends in .svg",
            format);
    if (error || waitpid(process, &exit_status, 0) != process || exit_status != 0)
        return why_say(
            why, COMMAND_REFUSED,
            "rsvg-convert failed to make %s of SVG: is the disk full? A file that ends in .svg needs it not",
            format);
    return 0;
}
