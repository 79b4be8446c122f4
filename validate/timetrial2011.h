/* timetrial2011.h - what TimeTrial's paper prints of its own cost, computed again.
 *
 * Models    sizes and shares from the counts that the paper gives: a histogram beside the raw events, records of the
 *           software's events, records of the board's frames and their share of what crossed the bus, and what
 *           TimeTrial takes of the FPGA (Table I: 5,164 of 98,304, 6,980 of 98,304, 2 of 240, 1 of 96).
 * Units     An MB is 2^20 bytes, since 2.86 and 124 come out so; GB and TB are powers of ten. Mercury reads the paper's
 *           line rate, 875 MB/s, likewise: as 917.5e6 bytes/s (docs/hardware.md).
 * Omits     the impact on user, system and wall time, which rests on counts that are not published: what measuring
 *           costs on the simulated machine is sim/run/measuring_cost.h.
 * Source    Lancaster, Shands, Buhler, Chamberlain: TimeTrial, ASAP 2011, sections III and IV.C, Table I.
 */
#ifndef MERCURY_VALIDATE_TIMETRIAL2011_H
#define MERCURY_VALIDATE_TIMETRIAL2011_H

#include "validate/published.h"

void timetrial2011_make(struct published *out);

#endif
