/* model_error.h - the error codes of all functions of model/.
 *
 * Models    nothing. There is one list, so that a code means the same in every model.
 * Contract  0 is success, and errors are negative. There are three kinds:
 *           - answers: the inputs are valid, but the model has no number for them;
 *           - inputs: one of them is out of its range, or not finite; each has a code whose text names it;
 *           - faults of the computer or the iteration.
 */
#pragma once

/* ERROR(name, code, text) */
/* clang-format off */
#define MODEL_ERROR_ROWS(ERROR) \
    ERROR(MODEL_EUNSTABLE, -2, "no steady state: arrivals reach or exceed the service rate") \
    ERROR(MODEL_ENOSOLUTION, -3, "no solution: actual arrivals reach or exceed the service rate") \
    ERROR(MODEL_EUPSTREAM, -4, "no prediction: an earlier stage is overloaded") \
    ERROR(MODEL_EUNKNOWN, -5, "no prediction: the model was not asked, or its sample is too small") \
    ERROR(MODEL_ENO_K, -11, "no prediction: K is not given") \
    ERROR(MODEL_ENO_SCV, -12, "no prediction: scv, of the services, is not given") \
    ERROR(MODEL_ENO_BATCH, -13, "no prediction: scv, batch_mean or batch_second is not given") \
    ERROR(MODEL_ENO_TRIPS, -14, "no prediction: M_1b, mu_1b or trips is not given") \
    ERROR(MODEL_ENO_P_1BP, -15, "no prediction: P_1bp is not given") \
    ERROR(MODEL_ESEVERAL, -7, "a model of one server, and the stage has several") \
    ERROR(MODEL_EONE, -8, "a model of several servers, and the stage has one") \
    ERROR(MODEL_ESINGLY, -9, "a model of packed elements, and those of the stage are not packed") \
    ERROR(MODEL_ESHARED, -16, "no prediction: the stage shares its server with another one") \
    ERROR(MODEL_EUNDETERMINED, -6, \
          "not determined: within the rounding of its inputs the load reaches 1, or the queue differs tenfold") \
    ERROR(MODEL_ECONVERGE, -10, "the iteration did not converge") \
    ERROR(MODEL_EMEMORY, -1, "out of memory") \
    ERROR(MODEL_EARRIVALS, -20, "the arrival rate is negative or no finite number") \
    ERROR(MODEL_ESERVICE, -21, "the service rate or time is not positive or no finite number") \
    ERROR(MODEL_ELOAD, -22, "the load is negative or no finite number") \
    ERROR(MODEL_ECAPACITY, -23, "the capacity is not 1 or more, or beyond what this model can solve") \
    ERROR(MODEL_ESCV, -24, "the squared coefficient of variation is negative or no finite number") \
    ERROR(MODEL_EBATCH, -25, "no whole batch sizes of 1 and more have this mean and second moment") \
    ERROR(MODEL_ESTAGES, -30, "the number of stages is not 1 or more, or beyond what this model can solve") \
    ERROR(MODEL_EFACTOR, -31, "a conversion factor is not positive or no finite number") \
    ERROR(MODEL_EOVERDRIVE, -32, "a manual overdrive is negative or no finite number") \
    ERROR(MODEL_EPASS, -33, "the elements a stage passes on are negative or no finite number") \
    ERROR(MODEL_EBACK, -38, \
          "what goes back never becomes less, or it goes to a later stage, or a server is that of one") \
    ERROR(MODEL_ERETURN, -34, "results are carried back onto no stage, or by a negative factor") \
    ERROR(MODEL_EINPUT, -35, "the input rate is negative or no finite number") \
    ERROR(MODEL_EYIELD, -36, \
          "the elements out per element in are not positive, or their dispersion is negative") \
    ERROR(MODEL_EDELAY, -37, "a delay is negative, no finite number, or fills the queue by itself") \
    ERROR(MODEL_ECLOCK, -40, "the clock is not positive or no finite number") \
    ERROR(MODEL_EBUS, -41, "the rate of the bus is not positive or no finite number") \
    ERROR(MODEL_EWORD, -42, "bytes or w-mers a word are not positive or no finite number") \
    ERROR(MODEL_EHSP, -43, "the bytes of an HSP record are negative or no finite number") \
    ERROR(MODEL_EP_1A, -44, "P_1a (seeds a w-mer) is not in [0, 1], or is 0 for the blocking model") \
    ERROR(MODEL_EP_1B, -45, "P_1b (matches a seed) is negative or no finite number") \
    ERROR(MODEL_EP_1BP, -46, "P_1bp (seeds the primary lookup passes on) is not in (0, 1]") \
    ERROR(MODEL_EP_2, -47, "P_2 (HSPs a match) is not in [0, 1]") \
    ERROR(MODEL_EM_1B, -48, "M_1b (SRAM reads a seed) is not positive or no finite number") \
    ERROR(MODEL_EM_2, -49, "M_2 (SRAM utilisation of a saturated 1b) is not in (0, 1]") \
    ERROR(MODEL_ETRIPS, -50, \
          "trips or duplicate lookups a seed, or their clocks, contradict each other or are negative") \
    ERROR(MODEL_ESUPPLY, -51, "the host's supply is not positive or no finite number") \
    ERROR(MODEL_EMARGIN, -52, "a margin leaves no place in its queue") \
    ERROR(MODEL_ESTATES, -53, "its Markov chain has more states than this model solves") \
    ERROR(MODEL_ECLOSED, -60, \
          "the number of centres or classes is not 1 or more, or beyond what this model can solve") \
    ERROR(MODEL_EPOPULATION, -61, "a class has no customer, or there are more than this model can solve") \
    ERROR(MODEL_EVISITS, -62, "visits are negative or no finite number, or a class visits no centre") \
    ERROR(MODEL_EREACH, -63, \
          "the network has more states, or greater numbers, than an exact solution can take") \
    ERROR(MODEL_ELOADRATES, -64, \
          "the approximation has no rule for a centre whose rate depends on its load") \
    ERROR(MODEL_EGROUPS, -65, "there is no group of points, or there are too many") \
    ERROR(MODEL_EREQUESTS, -66, "a run has no frames, or asks nothing of the shared centre")
/* clang-format on */

#define MODEL_ERROR_CODE(name, code, text) name = (code),
enum model_error { MODEL_ERROR_ROWS(MODEL_ERROR_CODE) };

/** One line of text, without a full stop, for a code of this list; also for 0 and for unknown codes. */
const char *model_error_text(int code);
