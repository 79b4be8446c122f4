/* model_error.h - the error codes of all functions of model/.
 *
 * Models    nothing. There is one list, so that a code means the same in every model.
 * Contract  0 is success, and errors are negative. There are three kinds:
 *           - answers: the inputs are valid, but the model has no number for them;
 *           - inputs: one of them is out of its range, or not finite; each has a code whose text names it;
 *           - faults of the computer or the iteration.
 */
#ifndef MERCURY_MODEL_MODEL_ERROR_H
#define MERCURY_MODEL_MODEL_ERROR_H

enum model_error {
    /* answers */
    MODEL_EUNSTABLE = -2,   /* rho >= 1 and an unbounded queue: no steady state */
    MODEL_ENOSOLUTION = -3, /* actual arrivals at or above the service rate: no offered rate explains them */
    MODEL_EUPSTREAM = -4,   /* an earlier stage is overloaded, so the stated arrivals cannot reach this one */
    MODEL_EUNKNOWN = -5,    /* the model was not asked, or a sample is too small */
    MODEL_ESEVERAL = -7,    /* a model of one server, and the stage has several */
    MODEL_EONE = -8,        /* a model of several servers, and the stage has one */
    MODEL_ESINGLY = -9,     /* a model of packed elements, and those of the stage are not */
    MODEL_EUNDETERMINED = -6, /* within its inputs' rounding the load reaches 1, or queues differ tenfold */
    MODEL_ENO_K = -11,     /* inputs that not every model needs: not given */
    MODEL_ENO_SCV = -12,   /* of the services */
    MODEL_ENO_BATCH = -13, /* scv, or the moments of batches */
    MODEL_ENO_TRIPS = -14, /* of stage 1b, from which the scv of its services follows */
    MODEL_ENO_P_1BP = -15,

    /* faults */
    MODEL_ECONVERGE = -10, /* an iteration did not settle */
    MODEL_EMEMORY = -1,

    /* one queue */
    MODEL_EARRIVALS = -20, /* arrival rate negative or not finite */
    MODEL_ESERVICE = -21,  /* service rate or time not positive or not finite */
    MODEL_ELOAD = -22,     /* rho negative, or arrival over service rate too great for a double */
    MODEL_ECAPACITY = -23, /* no place at all, or too many */
    MODEL_ESCV = -24,      /* squared coefficient of variation negative or not finite */
    MODEL_EBATCH = -25,    /* batch size below 1 on average, or a second moment no whole sizes have */

    /* a chain of queues */
    MODEL_ESTAGES = -30,    /* no stage, or too many */
    MODEL_EFACTOR = -31,    /* conversion factor not positive or not finite */
    MODEL_EOVERDRIVE = -32, /* manual overdrive negative or not finite */
    MODEL_EPASS = -33,      /* elements out per element in negative or not finite */
    MODEL_ERETURN = -34,    /* results carried back onto no stage, or by a negative factor */
    MODEL_EINPUT = -35,     /* input rate negative or not finite */
    MODEL_EYIELD =
        -36, /* elements out per element in, of a blocking stage: not positive, or dispersion < 0 */
    MODEL_EDELAY = -37, /* delay negative, not finite, or longer than the places can hold */

    /* Mercury */
    MODEL_ECLOCK = -40,
    MODEL_EBUS = -41,
    MODEL_EWORD = -42, /* bytes or w-mers per word */
    MODEL_EHSP = -43,
    MODEL_EP_1A = -44,
    MODEL_EP_1B = -45,
    MODEL_EP_1BP = -46,
    MODEL_EP_2 = -47,
    MODEL_EM_1B = -48,
    MODEL_EM_2 = -49,
    MODEL_ETRIPS = -50,
    MODEL_ESUPPLY = -51,
    MODEL_EMARGIN = -52,

    /* a closed network */
    MODEL_ECLOSED = -60,     /* no centre or no class, or too many */
    MODEL_EPOPULATION = -61, /* a class without a customer, or too many customers */
    MODEL_EVISITS = -62,     /* visits negative or not finite, or a class that visits nothing */
    MODEL_EREACH = -63,      /* an answer: more states, or greater numbers, than an exact solution can take */
    MODEL_ELOADRATES = -64,  /* an answer: rates by load, for which this approximation has no rule */
    MODEL_EGROUPS = -65,     /* no group of points, or too many */
    MODEL_EREQUESTS = -66,   /* a run without frames, or in which nothing is asked of the shared centre */
};

/** One line of text, without a full stop, for a code of this list; also for 0 and for unknown codes. */
const char *model_error_text(int code);

#endif
