#include "app/explain/explain_words.h"

#include <stdlib.h>
#include <string.h>

#include "traces/sources.h"
#include "sim/board/hardware.h"
#include "app/estimate/estimate_report.h"
#include "app/sweep/point/sweep_measure.h"
#include "app/why/assumptions.h"

#define PETASIM "Wen and Fox, PetaSIM, 1998"

/* Owner, name and meaning; the source if a publication has the word. */
#define WORD(name, meaning, source)                                                                          \
    {                                                                                                        \
        "word", name, "", meaning, NULL, source                                                              \
    }
#define ESTIMATED(name, meaning)                                                                             \
    {                                                                                                        \
        "estimate", name, "", meaning, NULL, PETASIM                                                         \
    }
#define MODEL(name, meaning, source)                                                                         \
    {                                                                                                        \
        "model", name, "", meaning, NULL, source                                                             \
    }
#define COLUMN(name, meaning)                                                                                \
    {                                                                                                        \
        "column", name, "", meaning                                                                          \
    }
#define KLEINROCK "Kleinrock, Queueing Systems 1, 1975"
#define VERDICT(name, meaning)                                                                               \
    {                                                                                                        \
        "verdict", name, "", meaning                                                                         \
    }

static const struct explanation words[] = {
    WORD(
        "building",
        "time for which boards wait until the host's cores have built Bloom filter and hash tables of their passes",
        "docs/hardware.md, building tables"),
    WORD("build", "building tables, as a part of the machine that takes no time",
         "docs/hardware.md, what limits a run"),
    WORD("w-mer", "11 consecutive bases, each A, C, G or T; stage 1a looks up each w-mer of the database",
         DOR),
    WORD("seed",
         "a w-mer of the database that passes the Bloom filter: it is in the query, or a false positive",
         DOR),
    WORD("lookup", "what stage 1bp passes on to 1bd: a seed, and what the primary table says of it", DOR),
    WORD("match", "a pair of positions, one in the query and one in the database, that have the same w-mer",
         DOR),
    WORD("HSP", "high-scoring segment pair: a match whose extension without gaps reaches stage 2's threshold",
         DOR),
    WORD("alignment", "an HSP that stage 3 has extended with gaps, and whose E-value is small enough", NULL),
    WORD("E-value", "number of alignments of at least this score that are expected between random sequences",
         "Karlin, Altschul, PNAS 87, 1990"),
    WORD(
        "MAPQ",
        "of a mapping in SAM, BAM, PAF and BED: min(60, 40 (1 - r) ln b), where b is its bit score and r the mean "
        "over its bases of the next best score there over b; 0 if there is a place as good",
        "Li, Bioinformatics 34, 2018, equation 5"),
    WORD("pass", "one segment of the query, on one strand, against the whole database", DOR),
    WORD("segment", "the part of the query that one pass holds in its tables (query.segment bases)", DOR),
    WORD("block", "pcix.block bytes of the database, which cross the bus in one transfer", DOR),
    WORD("record", "an HSP on its way to the host (hsp.bytes); also a file of mercury run --record", NULL),
    WORD("host", "the computer that the boards are in; its column tells how fast it supplies blocks", NULL),
    WORD("bus", "the PCI-X bus between host and board", DOR),
    WORD("jsimg",
         "a model of JSIMgraph (Java Modelling Tools): mercury export writes the measured board as one",
         "Bertoli, Casale, Serazzi, ACM SIGMETRICS Performance Evaluation Review 36(4), 2009"),
    WORD("1a", "the stage that looks w-mers up in the Bloom filter, 16 in a clock", DOR),
    WORD("1bp", "the part of stage 1b that reads the primary table, a seed in a clock", DOR),
    WORD("1bd", "the part of stage 1b that takes lookups to the duplicate table", DOR),
    WORD("stage 2", "the stage that extends matches without gaps, one in a clock", DOR),
    WORD("stage 3", "the host's cores, which extend HSPs with gaps", DOR),
    WORD("primary table", "hash table in SRAM: for each slot, one w-mer and the first positions in the query",
         DOR),
    WORD("duplicate table",
         "lists in SRAM of further positions of a w-mer, and of w-mers that collide in a slot", DOR),
    WORD(
        "block RAM",
        "a memory of 18 Kb (RAMB18) or 36 Kb (RAMB36) with two ports in an FPGA; Bloom filter, displacement table "
        "and FIFOs are made of them (mercury platforms --devices)",
        NULL),
    WORD("RAMB18", "a block RAM of 18 Kb: 16,384 bits of data and 2,048 of parity", NULL),
    WORD("RAMB36", "a block RAM of 36 Kb, as FPGAs from Virtex-5 on have; it can be used as two RAMB18",
         NULL),
    WORD("energy", "what the counts and the time of a run cost at the prices energy.* of the machine", NULL),
    WORD("trip", "one access to the duplicate table; it takes sram.trip_cycles clocks", TIMETRIAL),
    WORD("collision", "a first access to the tables that leads to the duplicate table", TIMETRIAL),
    WORD("busy", "share of the time in which a stage works on an element", NULL),
    WORD(
        "stalled",
        "share of the time in which a stage has an element and is held up, because the queue behind it is full",
        NULL),
    WORD("starved",
         "share of the time in which a stage has nothing to do, because the queue before it is empty", NULL),
    WORD("queue", "mean number of elements that wait before a stage, over the places that there are", NULL),
    WORD("back-pressure", "the signal by which a queue that is (almost) full holds up the stage before it",
         DOR),
    WORD(
        "bottleneck",
        "what limits: of a run, the part without which it would be shortest (limit_of_run); of the stream, the "
        "stage that is busy for the largest share of its time (limit), which more of it need not make quicker",
        "Denning, Buzen, ACM Computing Surveys 10, 1978"),
    WORD("tables",
         "time in which a pass waits until its Bloom filter and hash tables are loaded; also a value of "
         "schedule.overlap",
         NULL),
    WORD("streaming", "time in which the database streams through the boards", NULL),
    WORD("serial", "of schedule.overlap: a pass begins when stage 3 of the pass before has ended", NULL),
    WORD(
        "drain",
        "time in which only stage 3 works; also the value of schedule.overlap by which a pass begins as soon "
        "as the board is empty",
        NULL),
    WORD(
        "tandem",
        "a row of queues in which each stage feeds the next; a full queue holds up the stage before it (blocking)",
        "Perros, Queueing Networks with Blocking, 1994"),
    WORD("offered rate", "elements per second that would come to a stage if nothing held them up", DOR),
    WORD("half_width", "half of the 95% confidence interval of a mean",
         "Schmeiser, Operations Research 30, 1982"),
    WORD("knee", "of a sweep: the cheapest machine that keeps nearly all of the best one's speed (--keep)",
         NULL),
    WORD("Pareto", "of a sweep: machines to which no other one is both cheaper and faster", NULL),
    WORD("displaced", "of table.family: a second table moves colliding w-mers to free slots", NULL),
    WORD("h3", "of hash families: the exclusive or of a random word for each bit of the key",
         "Carter, Wegman, Journal of Computer and System Sciences 18, 1979"),
    WORD("xxh3", "of hash families: a hash function of general use", "Collet, xxHash"),
    ESTIMATED("node",
              "a member of the first nodeset of type memory, with what grows with it; --nodes counts them"),
    ESTIMATED("nodeset", "a class of equal members of a machine: memories, caches, disks, CPUs or pathways"),
    ESTIMATED("linkset", "a class of equal links between two nodesets (updown) or inside one (across)"),
    ESTIMATED("member", "one of the equal memories, disks, CPUs or links of a nodeset or linkset"),
    ESTIMATED("flow", "what one member of the larger nodeset at a transfer's ends sends or gets"),
    ESTIMATED("pathway", "a nodeset through which data only pass; its bandwidth bounds all that does"),
    ESTIMATED("distribution",
              "how the units of a dataset are dealt over members; without one each has them all"),
    ESTIMATED("dataset",
              "data with a number of units, the bytes of a unit, and the operations that it takes"),
    ESTIMATED("move", "to bring data in pieces, each of which can be worked on when it has come"),
    ESTIMATED("send", "to bring data that a CPU waits for until it has all of them"),
    ESTIMATED("synchronize", "nothing begins before all that was begun has ended"),
    ESTIMATED("duplex", "full: both directions share a link's bandwidth; half: it has one direction"),
    ESTIMATED("parallel",
              "number of members that can compute a dataset at once, such as 1 for a chain of extensions"),
    ESTIMATED("varies", "factors of a dataset in each iteration that is dealt, such as each pass of a run"),
    ESTIMATED("round", "the iterations of a repeat that all members over which they are dealt do at a time"),
    VERDICT("inside", "the run keeps to all assumptions of the model"),
    VERDICT(
        "violated",
        "the run does not keep to an assumption of the model, which is named; the prediction keeps its number"),
    VERDICT("outside", "the model has no prediction here, for the reason that is named"),
    VERDICT("given", "the number repeats an input of the model, so that it can neither be right nor wrong"),
    VERDICT("best",
            "the model with the least mean distance of a queue or signal over the passes; - for rates and "
            "utilisations, which are inputs of most models"),
    VERDICT("none",
            "every model of this queue or signal is off by more than a factor of 2, so that none is best"),
    VERDICT(
        "rounds",
        "the simulated number is the published one, as far as its digits tell; a printed zero stands for less "
        "than a twentieth of its unit"),
    VERDICT("within", "the simulated number differs from the published one by no more than --tolerance"),
    VERDICT("OFF", "the simulated number differs from the published one by more than --tolerance"),
    VERDICT("rho_o near 1",
            "the load is so close to 1 that the queue has no steady state in the time of the run"),
    VERDICT("N_Q near K",
            "the mean queue is close to its number of places, which the model takes for unlimited"),
    VERDICT(
        "arrivals' scv",
        "times between arrivals vary more, or less, than the model assumes (squared coefficient of variation)"),
    VERDICT("arrivals' lag1", "times between neighbouring arrivals are correlated"),
    VERDICT("services' scv", "service times vary more, or less, than the model assumes"),
    VERDICT("services' lag1", "neighbouring service times are correlated"),
    VERDICT("held up from behind",
            "the stage is stalled, so that its service takes longer than the model knows"),
    VERDICT("holds up what is before", "the queue's back-pressure changes its own arrivals"),
    VERDICT(
        "elements come together",
        "here, or at a later stage that holds this one up, several elements come at once, and the tandem with "
        "blocking takes them one by one"),
    MODEL("M/D/1", "one server with services of one length, and no bound: N_Q is rho^2 / (1 - rho) / 2",
          KLEINROCK),
    MODEL(
        "M/G/1",
        "one server with services of any mean and scv, and no bound: N_Q is rho^2 / (1 - rho) x (1 + scv) / 2",
        KLEINROCK),
    MODEL("M^[X]/G/1",
          "M/G/1 to which several elements come at once: each also waits for those of its batch before it",
          "Burke, Operations Research 23(4), 1975"),
    MODEL(
        "E_n/M/1",
        "one server with exponential services, for elements of which each is packed of n that come one by one",
        KLEINROCK),
    MODEL("five-stage", "M/M/1/K (Dor) in the chain of five stages, in which 1b is 1bp and 1bd",
          DOR ", Figure 15"),
    MODEL("4-stage", "the chain of bus, 1a, 1b and 2", DOR ", Figure 9"),
    MODEL("5-stage", "the chain of bus, 1a, 1bp, 1bd and 2", DOR ", section 6.1"),
    MODEL("blocking",
          "the tandem with blocking: a full stage holds up the one before it, so that rates are answers, too",
          "Perros, Altiok, IEEE Transactions on Software Engineering 12(3), 1986"),
    COLUMN("model", "the model of queueing theory whose answer the row has"),
    COLUMN("lambda_per_s", "elements per second that come to a stage; of mercury queue, to the first one"),
    COLUMN("mu_per_s", "elements per second that a stage can serve, by all of its servers"),
    COLUMN("lambda_1bp", "seeds per second, in millions, into 1bp in the chain of five stages"),
    COLUMN("lambda_1bd", "lookups per second, in millions, into 1bd in the chain of five stages"),
    COLUMN("rho_1bp", "utilisation of 1bp in the chain of five stages"),
    COLUMN("rho_1bd", "utilisation of 1bd in the chain of five stages"),
    COLUMN("rho", "utilisation of a stage: the share of the time in which a server works, lambda / mu"),
    COLUMN("p_0", "probability that a stage is empty"),
    COLUMN("p_k", "probability that all K places of a stage are taken"),
    COLUMN(
        "P_BP",
        "back-pressure: probability that all K places are taken, or more would be; simulated: share of the time"),
    COLUMN("p_bp",
           "P_BP, back-pressure: probability that all K places of a stage are taken, or more would be"),
    COLUMN("lambda_offered_per_s", "elements per second that come to a stage, those that are lost included"),
    COLUMN("rho_offered", "lambda_offered_per_s over the service rate"),
    COLUMN("n_q", "N_Q: mean number of elements that wait at a stage"),
    COLUMN("n_g", "N_G: mean number of elements at a stage, those in service included"),
    COLUMN("w_q_s", "W_Q: mean time in seconds that an element waits at a stage"),
    COLUMN("W_Q_s", "W_Q: mean time in seconds that an element waits at a stage"),
    COLUMN("w_g_s", "W_G: mean time in seconds of an element at a stage"),
    COLUMN("saturating_input_bytes_per_s", "input at which the stage would have no time left"),
    COLUMN("saturating_input_per_s",
           "input, in elements of the chain, at which the stage would have no time left"),
    COLUMN("input_per_s", "elements per second that come to a chain, beside those of its overdrives"),
    COLUMN("status", "ok, or why the model has no number for the stage"),
    COLUMN("cautions",
           "what makes a number doubtful: queue, N_Q is above K/2; back-pressure, P_BP is above 0.01"),
    COLUMN("remark", "why the model has no number for the stage, or what makes it doubtful"),
    COLUMN("case", "name of a case of mercury predict"),
    COLUMN("chain", "queue, or the chain of four or five stages"),
    COLUMN("predicted", "the model's number; NA if it has none"),
    COLUMN("error", "predicted / simulated - 1"),
    COLUMN("covers", "yes if the 95% interval of the simulation covers the model's number, else no"),
    COLUMN("verdict", "whether the run keeps to what the model assumes: inside, violated, outside or given"),
    COLUMN("why", "the reason of a verdict"),
    COLUMN("offered", "elements per second that come to a stage, those that are lost included"),
    COLUMN(
        "holds_up",
        "share of the time in which somebody waits outside of a full stage, and holds up what is before it"),
    COLUMN("overflow", "what a full stage does: loss, who comes is lost; block, what is before it waits"),
    COLUMN("arrivals", "of mercury queue: poisson, deterministic, or batch, several at once"),
    COLUMN("customers", "number of customers that came to the first stage during the run"),
    COLUMN("services", "number of services during the run of a closed network"),
    COLUMN("warm_up_s", "time at the beginning of the run that is left out"),
    COLUMN("batch_s", "length of a batch of the run, for its intervals"),
    COLUMN("measured_s", "time of the run without its warm-up"),
    COLUMN("centre", "a place of a closed network at which customers are served"),
    COLUMN("class", "customers of a closed network that go the same ways"),
    COLUMN("step", "an assumption of the models that is made true, with all before it"),
    COLUMN("both", "of validate --why: a step of M/M/1 and of M/M/1/K (Dor)"),
    COLUMN("engine", "what simulates the machine after a step of validate --why"),
    COLUMN("share_half_width", "half of the 95% interval of a step's share"),
    COLUMN("meaning", "what is true after a step of validate --why"),
    COLUMN("met", "the last step of validate --why gives the model's formula within its interval"),
    COLUMN("missed", "the last step of validate --why does not give the model's formula within its interval"),
    COLUMN("interval", "how the interval of validate --why is found; also its row"),
    COLUMN("from", "least number of elements of a histogram's bin"),
    COLUMN("to", "greatest number of elements of a histogram's bin"),
    COLUMN("fraction", "share of the time in which a queue held as many elements as the bin says"),
    COLUMN("difference_percent", "simulated / published - 1, in per cent"),
    COLUMN("printed_M/M/1", "what the publication prints for M/M/1"),
    COLUMN("printed_M/M/1/K (Dor)_4", "what the publication prints for M/M/1/K in the chain of four stages"),
    COLUMN("printed_M/M/1/K (Dor)_5", "what the publication prints for M/M/1/K in the chain of five stages"),
    COLUMN("title", "what a published run compared"),
    COLUMN("draws", "number of draws of a replayed run"),
    COLUMN("warm_up_clocks", "clocks at the beginning of a replay that are left out"),
    COLUMN("frames", "number of parts of a replay, for its intervals"),
    COLUMN("run", "a published run, or the record of a run"),
    COLUMN("figure", "of the publication"),
    COLUMN("section", "of the publication"),
    COLUMN("equation", "of the publication"),
    COLUMN("network", "a closed network of the publication"),
    COLUMN("printed", "the publication's number, as it is printed"),
    COLUMN("ours", "Mercury's number for what the publication prints"),
    COLUMN("formula", "what the publication's formula gives"),
    COLUMN("known", "the exact value that the formula must give"),
    COLUMN("admitted",
           "yes if the published number is possible for inputs that are inside of their rounding"),
    COLUMN("admitted_alone", "yes if the row alone could be so, with inputs of its own"),
    COLUMN("least", "the least possible number"),
    COLUMN("most", "the greatest possible number"),
    COLUMN("bus_bytes_per_s", "bytes per second that the bus can carry"),
    COLUMN("block_us", "time of a block alone on the bus"),
    COLUMN("stepsize_us", "length of the frames of mercury share"),
    COLUMN("server", "part of the machine whose operations are counted"),
    COLUMN("operation", "type of operation of a server"),
    COLUMN("a", "of mercury diff: the first run and its numbers"),
    COLUMN("b", "of mercury diff: the second run and its numbers"),
    COLUMN("kind", "of mercury diff: what the row is of"),
    COLUMN("name", "of the row's thing"),
    COLUMN("change_percent", "b / a - 1, in per cent"),
    COLUMN("part", "of mercury advise: a candidate, or a FIFO of the chosen machine"),
    COLUMN("place", "of a candidate: chosen, beside it, or below it"),
    COLUMN("unbounded_max", "greatest number of elements of the FIFO if it has no bound"),
    COLUMN("as_given", "the FIFO's places in the machine that was given"),
    COLUMN("family", "series of an FPGA"),
    COLUMN("source", "where a number comes from"),
    COLUMN("machine", "name or file of the machine"),
    COLUMN("ramb18_needed", "block RAMs of 18 Kb that the machine needs"),
    COLUMN("ramb36_needed", "block RAMs of 36 Kb that the machine needs"),
    COLUMN("file", "of a machine that comes with Mercury"),
    COLUMN("purpose", "what a machine that comes with Mercury is for"),
    COLUMN("identity", "digest of all that decides on a sweep's point"),
    COLUMN("query_xxh3", "digest of the query's file"),
    COLUMN("database_xxh3", "digest of the database's file"),
    COLUMN("query", "file or record that is looked for"),
    COLUMN("database", "file or record in which is looked"),
    COLUMN("evalue", "greatest E-value of alignments that count"),
    COLUMN("strand", "of the query in a pass: plus or minus"),
    COLUMN("query_ranges", "what a pass's segment holds of the query: name:first-last of every sequence"),
    COLUMN("segment_begin", "begin of a pass's segment on the strand of all sequences together, from 1"),
    COLUMN("segment_bases", "number of bases of a pass's segment"),
    COLUMN("board", "number of the board of a pass, from 1"),
    COLUMN("build_s", "time of a core for building a pass's Bloom filter and tables"),
    COLUMN("build_wait_s", "time for which a pass's board waits for its tables to be built"),
    COLUMN("tables_s", "time of the load of a pass's tables"),
    COLUMN("stream_begin_s", "time at which the database begins to stream"),
    COLUMN("board_free_s", "time at which the board has done a pass"),
    COLUMN("end_s", "time at which stage 3 has done a pass"),
    COLUMN("bus_busy", "share of a pass's clocks in which the bus moves data"),
    COLUMN("stage_1a_busy", "share of a pass's clocks in which stage 1a works"),
    COLUMN("stage_1bp_busy", "share of a pass's clocks in which stage 1bp works"),
    COLUMN("stage_1bd_busy", "share of a pass's clocks in which stage 1bd works"),
    COLUMN("stage_2_busy", "share of a pass's clocks in which stage 2 works"),
    COLUMN("stage3_core_s", "time of the cores for the tasks of a pass"),
    COLUMN("side", "of records.tsv: query or database"),
    COLUMN("bases", "number of bases of a record"),
    COLUMN("bases_before", "number of bases of the records before it"),
};

enum { WORD_COUNT = sizeof words / sizeof words[0] };

static struct explanation explain_parameter(size_t index)
{
    struct explanation e = {
        "parameter", "", hardware_parameter_unit(index), hardware_parameter_range(index).meaning,
        "chosen: --set NAME=VALUE or a <prop>; mercury run --dump-config shows its range"};
    snprintf(e.name, sizeof e.name, "%s", hardware_parameter_name(index));
    return e;
}

static struct explanation explain_column(size_t index)
{
    struct explanation e = {"sweep", "", sweep_measure_unit(index), sweep_measure_meaning(index),
                            "of every point of a sweep: mercury sweep export"};
    snprintf(e.name, sizeof e.name, "%s", sweep_measure_name(index));
    return e;
}

static struct explanation explain_step(size_t index)
{
    struct explanation e = {"step", "", "", assumptions[index].meaning, "a step of mercury validate --why"};
    snprintf(e.name, sizeof e.name, "%s", assumptions[index].name);
    return e;
}

static struct explanation explain_estimate(size_t index)
{
    const struct estimate_column *c = &estimate_columns[index];
    struct explanation e = {"estimate", "", c->unit, c->meaning,
                            "of every number of nodes: mercury estimate"};
    snprintf(e.name, sizeof e.name, "%s", c->name);
    return e;
}

bool explain_words_add(struct explanations *all)
{
    const size_t parameters = hardware_parameter_count(), columns = sweep_measure_count();
    struct explanation *items = realloc(
        all->items,
        (all->count + WORD_COUNT + parameters + columns + ASSUMPTIONS + ESTIMATE_COLUMNS) * sizeof *items);
    if (!items)
        return false;
    all->items = items;
    memcpy(items + all->count, words, sizeof words);
    all->count += WORD_COUNT;
    for (size_t i = 0; i < parameters; i++)
        items[all->count++] = explain_parameter(i);
    for (size_t i = 0; i < columns; i++)
        items[all->count++] = explain_column(i);
    for (size_t i = 0; i < ASSUMPTIONS; i++)
        items[all->count++] = explain_step(i);
    for (size_t i = 0; i < ESTIMATE_COLUMNS; i++)
        items[all->count++] = explain_estimate(i);
    return true;
}
