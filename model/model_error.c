#include "model/model_error.h"

#include <stddef.h>

static const struct {
    int code;
    const char *text;
} texts[] = {
    {0, "success"},
    {MODEL_EUNSTABLE, "no steady state: arrivals reach or exceed the service rate"},
    {MODEL_ENOSOLUTION, "no solution: actual arrivals reach or exceed the service rate"},
    {MODEL_EUPSTREAM, "no prediction: an earlier stage is overloaded"},
    {MODEL_EUNKNOWN, "no prediction: the model was not asked, or its sample is too small"},
    {MODEL_ENO_K, "no prediction: K is not given"},
    {MODEL_ENO_SCV, "no prediction: scv, of the services, is not given"},
    {MODEL_ENO_BATCH, "no prediction: scv, batch_mean or batch_second is not given"},
    {MODEL_ENO_TRIPS, "no prediction: M_1b, mu_1b or trips is not given"},
    {MODEL_ENO_P_1BP, "no prediction: P_1bp is not given"},
    {MODEL_ESEVERAL, "a model of one server, and the stage has several"},
    {MODEL_EONE, "a model of several servers, and the stage has one"},
    {MODEL_ESINGLY, "a model of packed elements, and those of the stage are not packed"},
    {MODEL_EUNDETERMINED,
     "not determined: within the rounding of its inputs the load reaches 1, or the queue differs tenfold"},
    {MODEL_ECONVERGE, "the iteration did not converge"},
    {MODEL_EMEMORY, "out of memory"},
    {MODEL_EARRIVALS, "the arrival rate is negative or no finite number"},
    {MODEL_ESERVICE, "the service rate or time is not positive or no finite number"},
    {MODEL_ELOAD, "the load is negative or no finite number"},
    {MODEL_ECAPACITY, "the capacity is not 1 or more, or beyond what this model can solve"},
    {MODEL_ESCV, "the squared coefficient of variation is negative or no finite number"},
    {MODEL_EBATCH, "no whole batch sizes of 1 and more have this mean and second moment"},
    {MODEL_ESTAGES, "the number of stages is not 1 or more, or beyond what this model can solve"},
    {MODEL_EFACTOR, "a conversion factor is not positive or no finite number"},
    {MODEL_EOVERDRIVE, "a manual overdrive is negative or no finite number"},
    {MODEL_EPASS, "the elements a stage passes on are negative or no finite number"},
    {MODEL_ERETURN, "results are carried back onto no stage, or by a negative factor"},
    {MODEL_EINPUT, "the input rate is negative or no finite number"},
    {MODEL_EYIELD, "the elements out per element in are not positive, or their dispersion is negative"},
    {MODEL_EDELAY, "a delay is negative, no finite number, or fills the queue by itself"},
    {MODEL_ECLOCK, "the clock is not positive or no finite number"},
    {MODEL_EBUS, "the rate of the bus is not positive or no finite number"},
    {MODEL_EWORD, "bytes or w-mers a word are not positive or no finite number"},
    {MODEL_EHSP, "the bytes of an HSP record are negative or no finite number"},
    {MODEL_EP_1A, "P_1a (seeds a w-mer) is not in [0, 1], or is 0 for the blocking model"},
    {MODEL_EP_1B, "P_1b (matches a seed) is negative or no finite number"},
    {MODEL_EP_1BP, "P_1bp (seeds the primary lookup passes on) is not in (0, 1]"},
    {MODEL_EP_2, "P_2 (HSPs a match) is not in [0, 1]"},
    {MODEL_EM_1B, "M_1b (SRAM reads a seed) is not positive or no finite number"},
    {MODEL_EM_2, "M_2 (SRAM utilisation of a saturated 1b) is not in (0, 1]"},
    {MODEL_ETRIPS,
     "trips or duplicate lookups a seed, or their clocks, contradict each other or are negative"},
    {MODEL_ESUPPLY, "the host's supply is not positive or no finite number"},
    {MODEL_EMARGIN, "a margin leaves no place in its queue"},
    {MODEL_ECLOSED, "the number of centres or classes is not 1 or more, or beyond what this model can solve"},
    {MODEL_EPOPULATION, "a class has no customer, or there are more than this model can solve"},
    {MODEL_EVISITS, "visits are negative or no finite number, or a class visits no centre"},
    {MODEL_EREACH, "the network has more states, or greater numbers, than an exact solution can take"},
    {MODEL_ELOADRATES, "the approximation has no rule for a centre whose rate depends on its load"},
    {MODEL_EGROUPS, "there is no group of points, or there are too many"},
    {MODEL_EREQUESTS, "a run has no frames, or asks nothing of the shared centre"},
};

const char *model_error_text(int code)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "unknown model error";
}
