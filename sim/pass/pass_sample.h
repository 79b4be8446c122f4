/* pass_sample.h - which passes of a run are drawn if not all of them are simulated.
 *
 * Models    a stratified random sample without replacement (model/forecast/sample_forecast.h). A stratum is a record
 *           of the query on one strand, that is, the passes whose segments begin there; neighbours are put together
 *           until each stratum is expected to have PASS_STRATUM_LEAST drawn passes. Each stratum is drawn in proportion
 *           to its size. The last pass, which is often short, and with whose end the run ends, is always drawn if
 *           PASS_LAST_LEAST are: it is a stratum of its own. Of fewer, those at random would become too few.
 * Growth    a sample can grow: the passes that were drawn remain. Strata stay as they are.
 * Random    the Mersenne twister of GSL: the same seed draws the same passes everywhere.
 * Memory    two numbers per pass of the run.
 * Source    Cochran, "Sampling techniques", Wiley 1977, chapter 5.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "model/forecast/sample_forecast.h"

/* Fewer passes a stratum would say too little of how different its passes are. */
enum { PASS_STRATUM_LEAST = 4, PASS_LAST_LEAST = 8, PASS_SAMPLE_LEAST = 2 };

struct pass_sample {
    uint64_t seed;
    size_t passes;   /* of the whole run */
    size_t count;    /* of those that are drawn */
    size_t *numbers; /* of the drawn passes in the run, from 0, in rising order: `count` of them */
    struct sample_stratum *strata; /* their passes are neighbours: `numbers` are in the strata's order */
    size_t stratum_count;
    size_t *order; /* all passes, stratum after stratum, each in the order in which its passes are drawn */
};

/** Draw a sample.
 *
 * @param segments  one per pass of the run, `passes` of them: a strand after the other, each in strand order
 * @param count     number of passes that are drawn, PASS_SAMPLE_LEAST .. passes
 * @param seed      1 .. 2^32 - 1
 */
struct pass_sample *pass_sample_new(const struct query_segment *segments, size_t passes,
                                    const struct sequences *query, size_t count, uint64_t seed);

/** Draw further passes, up to `count` of the run's. */
void pass_sample_grow(struct pass_sample *sample, size_t count);

void pass_sample_destroy(struct pass_sample *sample);
