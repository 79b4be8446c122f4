/* timetrial2011.h - what TimeTrial's paper prints of its own cost and of the machine that it measured, computed again.
 *
 * Models    sizes and shares from the counts that the paper gives: records of the software's events, records of the
 *           board's frames, their share of what crossed the bus, a histogram beside the raw events, the time of the
 *           run at the line rate. Its MB are 2^20 bytes, its GB and TB powers of ten.
 * Omits     Table I and the impact on user, system and wall time, which rest on counts that are not published: what
 *           measuring costs on the simulated machine is sim/pass/measuring_cost.h.
 * Source    Lancaster, Shands, Buhler, Chamberlain: TimeTrial, ASAP 2011, sections III, IV.B and IV.C; SRAM reads per
 *           seed: Dor 2010 (WUCSE-2010-30), sections 4.3.5 and 6.1.
 */
#ifndef MERCURY_VALIDATE_TIMETRIAL2011_H
#define MERCURY_VALIDATE_TIMETRIAL2011_H

#include "validate/published.h"

void timetrial2011_make(struct published *out);

#endif
