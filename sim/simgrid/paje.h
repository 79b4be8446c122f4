/* paje.h - writes a trace in the Paje format: containers with states and variables over time.
 *
 * Models    the part of the format that Paje, ViTE and PajeNG (pj_dump) all read: types, containers, states that are
 *           set, variables that are set. No links, no events, no pushed states.
 * Leaves out checking: types before what has them, containers before what happens in them, times that never fall
 *           are the caller's duty. So are names without a double quote and aliases without a space.
 * Why       not SimGrid's own tracing: its C calls for variables are gone from 3.34 on, and it aborts the process where
 *           the file cannot be written.
 * Time      whatever unit the caller counts in; six decimals are written.
 * Errors    a failed write is kept until paje_close, which returns it; nothing is lost silently.
 * Memory    a trace belongs to whoever opened it, up to paje_close. Calls on NULL do nothing: no trace was asked for.
 * Source    Schnorr, Stein de Oliveira, Chassin de Kergommeaux, "Paje trace file format", version 1.2.5 (2013).
 */
#ifndef MERCURY_SIM_SIMGRID_PAJE_H
#define MERCURY_SIM_SIMGRID_PAJE_H

struct paje;

enum { PAJE_DONE = 0, PAJE_EWRITE = -1 };

/** Create or overwrite a trace file; NULL, with errno, when that fails. */
struct paje *paje_open(const char *path);

/** Write the rest, close and free.
 *  @return 0, or PAJE_EWRITE with errno when the file is incomplete */
int paje_close(struct paje *paje);

/* Types: `alias` is what later calls use, `name` what people read; the outermost parent is "0". */
void paje_container_type(struct paje *paje, const char *alias, const char *parent, const char *name);
void paje_state_type(struct paje *paje, const char *alias, const char *container_type, const char *name);
void paje_variable_type(struct paje *paje, const char *alias, const char *container_type, const char *name);

/** A value of a state. @param colour  red, green, blue in 0 .. 1, such as "0.1 0.6 0.2" */
void paje_state_value(struct paje *paje, const char *alias, const char *state_type, const char *name,
                      const char *colour);

void paje_create_container(struct paje *paje, double time, const char *alias, const char *type,
                           const char *parent, const char *name);
void paje_destroy_container(struct paje *paje, double time, const char *alias, const char *type);

void paje_set_state(struct paje *paje, double time, const char *type, const char *container,
                    const char *value);
void paje_set_variable(struct paje *paje, double time, const char *type, const char *container, double value);

#endif
