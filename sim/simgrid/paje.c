#include "sim/simgrid/paje.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct paje {
    FILE *file;
    int error; /* errno of the first write that failed, or 0 */
};

/* Numbers of the events, whose fields the header below defines. */
enum event {
    DEFINE_CONTAINER_TYPE,
    DEFINE_STATE_TYPE,
    DEFINE_VARIABLE_TYPE,
    DEFINE_ENTITY_VALUE,
    CREATE_CONTAINER,
    DESTROY_CONTAINER,
    SET_STATE,
    SET_VARIABLE
};

static const char header[] = "%EventDef PajeDefineContainerType 0\n"
                             "% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                             "%EventDef PajeDefineStateType 1\n"
                             "% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                             "%EventDef PajeDefineVariableType 2\n"
                             "% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
                             "%EventDef PajeDefineEntityValue 3\n"
                             "% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
                             "%EventDef PajeCreateContainer 4\n"
                             "% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeDestroyContainer 5\n"
                             "% Time date\n% Name string\n% Type string\n%EndEventDef\n"
                             "%EventDef PajeSetState 6\n"
                             "% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
                             "%EventDef PajeSetVariable 7\n"
                             "% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n";

__attribute__((format(printf, 2, 3))) static void write_line(struct paje *paje, const char *format, ...)
{
    if (!paje || paje->error)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(paje->file, format, arguments) < 0)
        paje->error = errno ? errno : EIO;
    va_end(arguments);
}

struct paje *paje_open(const char *path)
{
    struct paje *paje = calloc(1, sizeof *paje);
    if (!paje)
        return NULL;
    paje->file = fopen(path, "w");
    if (!paje->file) {
        int error = errno;
        free(paje);
        errno = error;
        return NULL;
    }
    write_line(paje, "%s", header);
    return paje;
}

int paje_close(struct paje *paje)
{
    if (!paje)
        return PAJE_DONE;
    int error = paje->error;
    if (fclose(paje->file) != 0 && !error)
        error = errno;
    free(paje);
    errno = error;
    return error ? PAJE_EWRITE : PAJE_DONE;
}

void paje_container_type(struct paje *paje, const char *alias, const char *parent, const char *name)
{
    write_line(paje, "%d %s %s \"%s\"\n", DEFINE_CONTAINER_TYPE, alias, parent, name);
}

void paje_state_type(struct paje *paje, const char *alias, const char *container_type, const char *name)
{
    write_line(paje, "%d %s %s \"%s\"\n", DEFINE_STATE_TYPE, alias, container_type, name);
}

void paje_variable_type(struct paje *paje, const char *alias, const char *container_type, const char *name)
{
    write_line(paje, "%d %s %s \"%s\" \"0.2 0.4 0.8\"\n", DEFINE_VARIABLE_TYPE, alias, container_type, name);
}

void paje_state_value(struct paje *paje, const char *alias, const char *state_type, const char *name,
                      const char *colour)
{
    write_line(paje, "%d %s %s \"%s\" \"%s\"\n", DEFINE_ENTITY_VALUE, alias, state_type, name, colour);
}

void paje_create_container(struct paje *paje, double time, const char *alias, const char *type,
                           const char *parent, const char *name)
{
    write_line(paje, "%d %.6f %s %s %s \"%s\"\n", CREATE_CONTAINER, time, alias, type, parent, name);
}

void paje_destroy_container(struct paje *paje, double time, const char *alias, const char *type)
{
    write_line(paje, "%d %.6f %s %s\n", DESTROY_CONTAINER, time, alias, type);
}

void paje_set_state(struct paje *paje, double time, const char *type, const char *container,
                    const char *value)
{
    write_line(paje, "%d %.6f %s %s %s\n", SET_STATE, time, type, container, value);
}

void paje_set_variable(struct paje *paje, double time, const char *type, const char *container, double value)
{
    write_line(paje, "%d %.6f %s %s %.15g\n", SET_VARIABLE, time, type, container, value);
}
