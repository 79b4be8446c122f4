#include "model/mercury_model.h"

#include <math.h>
#include <stdbool.h>

#include "model/model_error.h"

struct mercury_inputs mercury_model_defaults(void)
{
    return (struct mercury_inputs){
        .lambda_in_bytes_per_s = NAN,
        .clock_hz = 133e6,        /* section 4.3.5 */
        .pci_bytes_per_s = 900e6, /* section 4.3.5, of a peak of 1064e6 */
        .wmers_per_word = 16,     /* Figure 9 */
        .bytes_per_word = 8,      /* Figure 9 */
        .hsp_bytes = 16,
        .k_1a = 130, /* Figure 11, as the next two */
        .k_1b = 600,
        .k_2 = 10,
        .p_1a = NAN,
        .p_1b = NAN,
        .p_2 = NAN,
        .m_1b = 1,
        .m_2 = 1,
    };
}

static bool positive(double value)
{
    return isfinite(value) && value > 0;
}

static bool is_fraction(double value)
{
    return value >= 0 && value <= 1;
}

/* pipeline_predict checks the rest: what is not finite, negative, or no rate. */
static bool inputs_valid(const struct mercury_inputs *inputs)
{
    return positive(inputs->wmers_per_word) && positive(inputs->bytes_per_word) && positive(inputs->m_1b) &&
           inputs->m_2 > 0 && is_fraction(inputs->m_2) && is_fraction(inputs->p_1a) &&
           is_fraction(inputs->p_2);
}

int mercury_model_predict(const struct mercury_inputs *inputs, struct mercury_prediction *out)
{
    if (!inputs_valid(inputs))
        return MODEL_EDOMAIN;

    const struct pipeline_stage stages[MERCURY_STAGES] = {
        [MERCURY_PCI] = {.name = "pci",
                         .factor = 1 / inputs->bytes_per_word,
                         .mu_per_s = inputs->pci_bytes_per_s / inputs->bytes_per_word,
                         .pass_fraction = 1},
        [MERCURY_1A] = {.name = "1a",
                        .factor = inputs->wmers_per_word,
                        .mu_per_s = inputs->wmers_per_word * inputs->clock_hz,
                        .k = inputs->k_1a,
                        .pass_fraction = inputs->p_1a},
        [MERCURY_1B] = {.name = "1b",
                        .factor = 1,
                        .mu_per_s = inputs->clock_hz / inputs->m_1b * inputs->m_2,
                        .k = inputs->k_1b,
                        .pass_fraction = inputs->p_1b},
        [MERCURY_2] = {.name = "2",
                       .factor = 1,
                       .mu_per_s = inputs->clock_hz,
                       .k = inputs->k_2,
                       .pass_fraction = inputs->p_2},
    };
    const struct pipeline_return hsps = {MERCURY_PCI, inputs->hsp_bytes / inputs->bytes_per_word};

    return pipeline_predict(stages, MERCURY_STAGES, &hsps, inputs->lambda_in_bytes_per_s, out->stage,
                            &out->whole);
}
