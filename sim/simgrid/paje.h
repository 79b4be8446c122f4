/* paje.h - writes a trace in the Paje format: containers with states and variables over time.
 *
 * Models    the part of the format that Paje, ViTE and PajeNG (pj_dump) all read: types, containers, states and
 *           variables that are set. It has no links, no events and no pushed states.
 * Leaves out checks. The caller must define types before what has them and containers before what happens in them, must
 *           let time never decrease, and must use names without double quotes and aliases without spaces.
 * Why       not SimGrid's own tracing: its C functions for variables are gone from 3.34 on, and it aborts the process
 *           if the file cannot be written.
 * Time      in the caller's unit; six decimals are written.
 * Errors    a failed write is kept until paje_close(), which returns it: nothing is lost silently.
 * Memory    a trace belongs to its opener until paje_close(). Calls on NULL do nothing: no trace is wanted.
 * Source    Schnorr, Stein de Oliveira, Chassin de Kergommeaux, "Paje trace file format", version 1.2.5 (2013).
 */
#ifndef MERCURY_SIM_SIMGRID_PAJE_H
#define MERCURY_SIM_SIMGRID_PAJE_H

struct paje;

enum { PAJE_DONE = 0, PAJE_EWRITE = -1 };

/** Create or overwrite a trace file. @return NULL, with errno set, if that fails */
struct paje *paje_open(const char *path);

/** Write the rest, close and free.
 *  @return 0, or PAJE_EWRITE with errno set if the file is incomplete */
int paje_close(struct paje *paje);

/* Define types: later calls use `alias`, people read `name`; the outermost parent is "0". */
void paje_container_type(struct paje *paje, const char *alias, const char *parent, const char *name);
void paje_state_type(struct paje *paje, const char *alias, const char *container_type, const char *name);
void paje_variable_type(struct paje *paje, const char *alias, const char *container_type, const char *name);

/** Define a value of a state. @param colour  red, green and blue from 0 to 1, such as "0.1 0.6 0.2" */
void paje_state_value(struct paje *paje, const char *alias, const char *state_type, const char *name,
                      const char *colour);

void paje_create_container(struct paje *paje, double time, const char *alias, const char *type,
                           const char *parent, const char *name);
void paje_destroy_container(struct paje *paje, double time, const char *alias, const char *type);

void paje_set_state(struct paje *paje, double time, const char *type, const char *container,
                    const char *value);
void paje_set_variable(struct paje *paje, double time, const char *type, const char *container, double value);

#endif
