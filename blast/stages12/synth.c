#include "blast/stages12/synth.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/order.h"
#include "blast/stages12/hash.h"

enum { CHUNK_BASES = 1 << 16 };

/* --- random numbers -------------------------------------------------------------------------------------- */

enum stream {
    STREAM_BACKGROUND,
    STREAM_FAMILIES,
    STREAM_REPEATS,
    STREAM_N,
    STREAM_PIECES,
    STREAM_PLACES,
    STREAM_MUTATIONS,
};

/* The state of xoshiro256** (synth.h). */
struct random {
    uint64_t state[4];
};

static struct random random_seeded(uint64_t seed)
{
    struct random random;
    for (unsigned i = 0; i < 4; i++)
        random.state[i] = hash_derive_seed(seed, i);
    return random;
}

static struct random random_stream(uint64_t seed, enum stream stream)
{
    return random_seeded(hash_derive_seed(seed, stream));
}

static inline uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

__extension__ typedef unsigned __int128 uint128;

/* A number in [0, sides), sides >= 1. The bias is below sides / 2^64, which is 5e-8 for the longest genome. */
static uint64_t random_below(struct random *random, uint64_t sides)
{
    return (uint64_t)((uint128)random_next(random) * sides >> 64);
}

/* A number uniform in [0, 1). */
static double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* The number of values, of 2^bits equally likely ones, that stand for an event of this probability. */
static uint64_t threshold_of(double probability, unsigned bits)
{
    return (uint64_t)(probability * (double)(UINT64_C(1) << bits) + 0.5);
}

/* --- the genome's parts ---------------------------------------------------------------------------------- */

/* Tells where the next copy or run of a kind (repeats, or runs of N) begins, in background bases. */
struct spacer {
    struct random random;
    uint64_t bases; /* of one copy or run */
    double target;  /* bases of the kind in the whole genome; 0 if there are none */
    double ratio;   /* background bases per base of the kind */
    double carry;   /* background bases by which earlier gaps were too short (+) or too long (-) */
    double written; /* bases of the kind so far */
    uint64_t due;   /* background bases before the next copy or run */
    uint64_t left;  /* bases of the present copy or run that are not written yet */
};

struct synth {
    struct synth_options options;
    const struct sequences *source;
    struct synth_plant *plants;
    size_t plant_count;
    uint64_t planted_bases;
    /* For each family, the repeat_bases codes of the plus strand, then of the minus strand. */
    uint8_t *families;
};

/* The state of writing a genome. */
struct writer {
    const struct synth *synth;
    FILE *out;
    uint64_t column;
    struct random background;
    struct spacer repeats, n_runs;
    const uint8_t *copy; /* codes of the present repeat that are not written yet */
    uint64_t gc_threshold, divergence_threshold;
    uint8_t *source_codes, *plant_codes; /* each has room for the longest plant */
    char text[2 * CHUNK_BASES];
};

/* --- background and repeats ------------------------------------------------------------------------------ */

/* Take 32 random bits per base: 31 choose between A/T and C/G, one chooses within the pair. */
static inline char background_letter(uint32_t bits, uint64_t gc_threshold)
{
    static const char by_pair[] = "ATCG";
    return by_pair[2 * ((bits >> 1) < gc_threshold) + (bits & 1)];
}

static void fill_background(struct random *random, uint64_t gc_threshold, char *text, uint64_t bases)
{
    struct random local =
        *random; /* stays in registers: the compiler does not know that the text is not the state */
    uint64_t i = 0;
    for (; i + 2 <= bases; i += 2) {
        uint64_t bits = random_next(&local);
        text[i] = background_letter((uint32_t)bits, gc_threshold);
        text[i + 1] = background_letter((uint32_t)(bits >> 32), gc_threshold);
    }
    if (i < bases)
        text[i] = background_letter((uint32_t)random_next(&local), gc_threshold);
    *random = local;
}

/* Replace a base by one of the three others, which are equally likely. */
static inline unsigned substitute(unsigned code, uint32_t bits)
{
    return (code + 1 + (unsigned)((uint64_t)bits * 3 >> 32)) & 3;
}

static void fill_repeat(struct writer *w, char *text, uint64_t bases)
{
    struct random random = w->repeats.random;
    for (uint64_t i = 0; i < bases; i++) {
        uint64_t bits = random_next(&random);
        unsigned code = w->copy[i];
        unsigned other = substitute(code, (uint32_t)bits);
        text[i] = base_letters[(bits >> 32) < w->divergence_threshold ? other : code];
    }
    w->repeats.random = random;
    w->copy += bases;
}

static bool make_families(struct synth *synth)
{
    uint64_t bases = synth->options.repeat_bases;
    synth->families = malloc(2 * SYNTH_FAMILIES * bases);
    char *text = malloc(bases);
    struct random random = random_stream(synth->options.seed, STREAM_FAMILIES);
    for (unsigned family = 0; synth->families && text && family < SYNTH_FAMILIES; family++) {
        uint8_t *plus = synth->families + 2 * family * bases;
        fill_background(&random, threshold_of(synth->options.gc, 31), text, bases);
        for (uint64_t i = 0; i < bases; i++) {
            plus[i] = (uint8_t)(strchr(base_letters, text[i]) - base_letters);
            plus[2 * bases - 1 - i] = (uint8_t)(BASE_T - plus[i]);
        }
    }
    bool made = synth->families && text;
    free(text);
    return made;
}

static void space_next(struct spacer *spacer)
{
    double ideal = (double)spacer->bases * spacer->ratio + spacer->carry;
    double gap = ideal > 0 ? 2 * ideal * random_unit(&spacer->random) : 0;
    spacer->due = (uint64_t)(gap + 0.5);
    spacer->carry = ideal - (double)spacer->due;
    spacer->left = 0;
}

static void begin_repeat(struct writer *w)
{
    uint64_t family = random_below(&w->repeats.random, 2 * SYNTH_FAMILIES);
    w->copy = w->synth->families + family * w->repeats.bases;
    w->repeats.left = w->repeats.bases;
}

static bool is_due(const struct spacer *spacer)
{
    return spacer->target > 0 && spacer->due == 0;
}

/* Whether a run of N comes next; if a repeat is also due, the kind that is further from its target comes first. */
static bool n_run_comes_first(const struct writer *w)
{
    const struct spacer *n = &w->n_runs, *repeats = &w->repeats;
    return is_due(n) && (!is_due(repeats) || n->written * repeats->target < repeats->written * n->target);
}

static uint64_t continue_spacer(struct writer *w, struct spacer *spacer, char *text, uint64_t bases)
{
    bases = MIN(bases, spacer->left);
    if (spacer == &w->repeats)
        fill_repeat(w, text, bases);
    else
        memset(text, 'N', bases);
    spacer->written += (double)bases;
    spacer->left -= bases;
    if (spacer->left == 0)
        space_next(spacer);
    return bases;
}

static uint64_t continue_background(struct writer *w, char *text, uint64_t bases)
{
    struct spacer *spacers[] = {&w->repeats, &w->n_runs};
    for (int i = 0; i < 2; i++)
        bases = spacers[i]->target > 0 ? MIN(bases, spacers[i]->due) : bases;
    fill_background(&w->background, w->gc_threshold, text, bases);
    for (int i = 0; i < 2; i++)
        spacers[i]->due -= spacers[i]->target > 0 ? bases : 0;
    return bases;
}

/* Write the next bases of the stream into which plants are inserted. */
static void fill_stream(struct writer *w, char *text, uint64_t bases)
{
    for (uint64_t done = 0; done < bases;) {
        if (w->n_runs.left > 0)
            done += continue_spacer(w, &w->n_runs, text + done, bases - done);
        else if (w->repeats.left > 0)
            done += continue_spacer(w, &w->repeats, text + done, bases - done);
        else if (n_run_comes_first(w))
            w->n_runs.left = SYNTH_N_RUN;
        else if (is_due(&w->repeats))
            begin_repeat(w);
        else
            done += continue_background(w, text + done, bases - done);
    }
}

/* --- plants ---------------------------------------------------------------------------------------------- */

static unsigned draw_indel_bases(struct random *random)
{
    unsigned zeros = (unsigned)__builtin_ctzll(random_next(random) | UINT64_C(1) << (SYNTH_INDEL_MAX - 1));
    return 1 + zeros;
}

/* What a copy is made with. `out` receives its codes; it may be NULL to find out the length only. */
struct mutation {
    struct random random;
    uint64_t substitution_threshold, indel_threshold;
    uint8_t *out;
};

static void put_code(struct mutation *m, struct synth_plant *plant, unsigned code)
{
    if (m->out)
        m->out[plant->bases] = (uint8_t)code;
    plant->bases++;
}

static void copy_base(struct mutation *m, struct synth_plant *plant, unsigned code, uint32_t bits)
{
    bool changes = bits < m->substitution_threshold && code <= BASE_T;
    if (changes)
        code = substitute(code, (uint32_t)(random_next(&m->random) >> 32));
    plant->substituted += changes;
    plant->equal += !changes && code <= BASE_T;
    put_code(m, plant, code);
}

/* Make an insertion or a deletion after source base i. @return the number of source bases deleted */
static uint64_t make_indel(struct mutation *m, struct synth_plant *plant, uint64_t i)
{
    uint64_t bases = draw_indel_bases(&m->random);
    if (random_next(&m->random) >> 63) {
        for (uint64_t k = 0; k < bases; k++)
            put_code(m, plant, (unsigned)(random_next(&m->random) >> 62));
        plant->inserted += bases;
        return 0;
    }
    bases = MIN(bases, plant->source_bases - i - 2); /* the last base stays */
    plant->deleted += bases;
    return bases;
}

/* Derive a copy, on the strand of the source, from its seed: counts and codes are the same every time. */
static void mutate(const struct synth_options *o, const uint8_t *source, struct synth_plant *plant,
                   uint8_t *out)
{
    struct mutation m = {
        .random = random_seeded(plant->seed),
        .substitution_threshold = threshold_of(1 - o->plant_identity, 32),
        .indel_threshold = threshold_of(o->plant_indels, 32),
        .out = out,
    };
    plant->bases = plant->equal = plant->substituted = plant->inserted = plant->deleted = 0;
    for (uint64_t i = 0; i < plant->source_bases; i++) {
        uint64_t bits = random_next(&m.random);
        copy_base(&m, plant, source[i], (uint32_t)(bits >> 32));
        if ((uint32_t)bits < m.indel_threshold && i > 0 && i + 2 < plant->source_bases)
            i += make_indel(&m, plant, i);
    }
}

static void unpack_source(const struct sequences *source, const struct synth_plant *plant, uint8_t *codes)
{
    sequences_unpack(source, STRAND_PLUS, source->records[plant->source].begin + plant->source_begin,
                     plant->source_bases, codes);
}

/* Draw copy number `index`; copies of the records, or of pieces of them, come in the order of the records. */
static void draw_plant(const struct synth *synth, struct random *random, size_t index,
                       struct synth_plant *plant)
{
    const struct synth_options *o = &synth->options;
    size_t source = index / o->plant_copies;
    uint64_t record_bases = synth->source->records[source].bases;
    uint64_t bases = o->plant_bases ? MIN(o->plant_bases, record_bases) : record_bases;
    *plant = (struct synth_plant){
        .source = source,
        .source_begin = random_below(random, record_bases - bases + 1),
        .source_bases = bases,
        .strand = random_next(random) >> 63 ? STRAND_MINUS : STRAND_PLUS,
        .seed = hash_derive_seed(hash_derive_seed(o->seed, STREAM_MUTATIONS), index),
    };
}

/* The longest plant is placed first, so that records fill up well. */
static int compare_lengths(const void *left, const void *right)
{
    const struct synth_plant *a = left, *b = right;
    int order = ORDER_BY({(int64_t)b->bases, (int64_t)a->bases});
    return order ? order : (a->seed > b->seed) - (a->seed < b->seed);
}

static int compare_places(const void *left, const void *right)
{
    const struct synth_plant *a = left, *b = right;
    int order = ORDER_BY({(int64_t)a->record, (int64_t)b->record}, {(int64_t)a->begin, (int64_t)b->begin});
    return order ? order : (a->seed > b->seed) - (a->seed < b->seed);
}

static uint64_t record_bases(const struct synth_options *o, uint64_t record)
{
    return o->length / o->records + (record < o->length % o->records);
}

/* Find a record with room for `bases` bases: a random one, or the next that has room. @return `records` if none has */
static uint64_t find_room(const uint64_t *room, uint64_t records, uint64_t bases, struct random *random)
{
    uint64_t first = random_below(random, records);
    for (uint64_t i = 0; i < records; i++) {
        uint64_t record = (first + i) % records;
        if (room[record] >= bases)
            return record;
    }
    return records;
}

static int refuse_fit(const struct synth *synth, const struct synth_plant *plant, struct why *why)
{
    return why_say(why, SYNTH_EFIT,
                   "--plant: no room left for a copy of '%.80s' (%" PRIu64 " bases; a record has %" PRIu64
                   "); give fewer copies, shorter pieces or a greater --length",
                   synth->source->records[plant->source].name, plant->bases,
                   record_bases(&synth->options, 0));
}

/* Give each plant a record, then a place in the free bases of the record: all arrangements within a record are equally
 * likely. */
static int place_plants(struct synth *synth, uint64_t *room, struct why *why)
{
    const struct synth_options *o = &synth->options;
    struct random random = random_stream(o->seed, STREAM_PLACES);
    for (uint64_t i = 0; i < o->records; i++)
        room[i] = record_bases(o, i);
    qsort(synth->plants, synth->plant_count, sizeof *synth->plants, compare_lengths);
    for (size_t i = 0; i < synth->plant_count; i++) {
        struct synth_plant *plant = &synth->plants[i];
        plant->record = find_room(room, o->records, plant->bases, &random);
        if (plant->record == o->records)
            return refuse_fit(synth, plant, why);
        room[plant->record] -= plant->bases;
    }
    for (size_t i = 0; i < synth->plant_count; i++)
        synth->plants[i].begin = random_below(&random, room[synth->plants[i].record] + 1);
    qsort(synth->plants, synth->plant_count, sizeof *synth->plants, compare_places);
    uint64_t before = 0; /* bases of the earlier plants of the record */
    for (size_t i = 0; i < synth->plant_count; i++) {
        before = i > 0 && synth->plants[i].record == synth->plants[i - 1].record ? before : 0;
        synth->plants[i].begin += before;
        before += synth->plants[i].bases;
    }
    return 0;
}

static uint64_t longest_source(const struct synth *synth)
{
    uint64_t longest = 1;
    for (size_t i = 0; i < synth->plant_count; i++)
        longest = synth->plants[i].source_bases > longest ? synth->plants[i].source_bases : longest;
    return longest;
}

static bool make_plants(struct synth *synth)
{
    struct random random = random_stream(synth->options.seed, STREAM_PIECES);
    for (size_t i = 0; i < synth->plant_count; i++)
        draw_plant(synth, &random, i, &synth->plants[i]);
    uint8_t *codes = malloc(longest_source(synth));
    for (size_t i = 0; codes && i < synth->plant_count; i++) {
        unpack_source(synth->source, &synth->plants[i], codes);
        mutate(&synth->options, codes, &synth->plants[i], NULL);
        synth->planted_bases += synth->plants[i].bases;
    }
    free(codes);
    return codes != NULL;
}

/* Refuse, before memory is reserved, copies that do not fit even if all their indels, of two bases on average, are
 * deletions. */
static int check_plant_size(const struct synth_options *o, const struct sequences *source, struct why *why)
{
    double bases = 0;
    for (size_t i = 0; i < source->record_count; i++) {
        uint64_t of_record = source->records[i].bases;
        bases +=
            (double)(o->plant_bases ? MIN(o->plant_bases, of_record) : of_record) * (double)o->plant_copies;
    }
    if (bases * (1 - 2 * o->plant_indels) <= (double)o->length)
        return 0;
    return why_say(why, SYNTH_EFIT,
                   "--plant: copies of %.0f bases do not fit into --length %" PRIu64
                   "; expected at most that",
                   bases, o->length);
}

static int add_plants(struct synth *synth, struct why *why)
{
    const struct synth_options *o = &synth->options;
    int status = check_plant_size(o, synth->source, why);
    if (status)
        return status;
    synth->plant_count = synth->source->record_count * o->plant_copies;
    synth->plants = calloc(synth->plant_count, sizeof *synth->plants);
    uint64_t *room = calloc(o->records, sizeof *room);
    status = synth->plants && room && make_plants(synth) ? 0 : SYNTH_EMEMORY;
    if (status == 0)
        status = place_plants(synth, room, why);
    free(room);
    return status;
}

/* --- creation -------------------------------------------------------------------------------------------- */

struct synth_options synth_default(void)
{
    return (struct synth_options){
        .length = 12500000,
        .records = 1,
        .gc = 0.41,
        .repeat_bases = 300,
        .repeat_divergence = 0.1,
        .plant_copies = 1,
        .plant_identity = 1,
        .seed = 1,
        .line_bases = 70,
        .name = "synth",
    };
}

static bool is_fraction(double x)
{
    return x >= 0 && x <= 1;
}

static void assert_ranges(const struct synth_options *o)
{
    assert(o->length >= 1 && o->length <= SYNTH_LENGTH_MAX);
    assert(o->records >= 1 && o->records <= o->length);
    assert(is_fraction(o->gc) && is_fraction(o->repeat_fraction) && is_fraction(o->repeat_divergence));
    assert(is_fraction(o->n_fraction) && is_fraction(o->plant_identity) && is_fraction(o->plant_indels));
    assert(o->repeat_bases >= 1 && o->plant_copies >= 1 && o->line_bases >= 1 && o->name);
    (void)o;
}

static double background_bases(const struct synth *synth)
{
    const struct synth_options *o = &synth->options;
    double length = (double)o->length;
    return length - (double)synth->planted_bases - (o->repeat_fraction + o->n_fraction) * length;
}

/* The fractions are rounded, so that half a base too many is allowed. */
static int check_fractions(const struct synth *synth, struct why *why)
{
    const struct synth_options *o = &synth->options;
    if (background_bases(synth) >= -0.5)
        return 0;
    return why_say(why, SYNTH_EFIT,
                   "--repeats %g, --n-runs %g and plants of %" PRIu64
                   " bases do not fit into --length %" PRIu64 "; expected at most 1 together",
                   o->repeat_fraction, o->n_fraction, synth->planted_bases, o->length);
}

int synth_new(const struct synth_options *options, const struct sequences *plant, struct synth **out,
              struct why *why)
{
    assert_ranges(options);
    struct synth *synth = calloc(1, sizeof *synth);
    if (!synth)
        return why_no_memory(why, SYNTH_EMEMORY);
    synth->options = *options;
    synth->source = plant;
    int status = plant ? add_plants(synth, why) : 0;
    if (status == 0)
        status = check_fractions(synth, why);
    if (status == 0 && options->repeat_fraction > 0 && !make_families(synth))
        status = SYNTH_EMEMORY;
    if (status == 0) {
        *out = synth;
        return 0;
    }
    synth_destroy(synth);
    return status == SYNTH_EMEMORY ? why_no_memory(why, status) : status;
}

void synth_destroy(struct synth *synth)
{
    if (!synth)
        return;
    free(synth->plants);
    free(synth->families);
    free(synth);
}

/* Equal bases divided by alignment columns. */
static double identity_of(const struct synth_plant *plant)
{
    return (double)plant->equal / (double)(plant->bases + plant->deleted);
}

/* --- writing --------------------------------------------------------------------------------------------- */

static bool put(struct writer *w, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, w->out) == bytes;
}

/* Write at most CHUNK_BASES / 2 bases, broken into lines, which the second half of the text buffer takes. */
static bool put_bases(struct writer *w, uint64_t count)
{
    uint64_t line_bases = w->synth->options.line_bases;
    const char *bases = w->text;
    char *lines = w->text + CHUNK_BASES;
    size_t bytes = 0;
    while (count > 0) {
        uint64_t part = MIN(count, line_bases - w->column);
        memcpy(lines + bytes, bases, part);
        bytes += part;
        bases += part;
        count -= part;
        w->column += part;
        if (w->column == line_bases) {
            lines[bytes++] = '\n';
            w->column = 0;
        }
    }
    return put(w, lines, bytes);
}

static bool put_stream(struct writer *w, uint64_t bases)
{
    bool good = true;
    for (uint64_t done = 0, part; good && done < bases; done += part) {
        part = MIN(bases - done, CHUNK_BASES / 2);
        fill_stream(w, w->text, part);
        good = put_bases(w, part);
    }
    return good;
}

static bool put_plant(struct writer *w, const struct synth_plant *plant)
{
    struct synth_plant again = *plant;
    unpack_source(w->synth->source, plant, w->source_codes);
    mutate(&w->synth->options, w->source_codes, &again, w->plant_codes);
    assert(again.bases == plant->bases);
    if (plant->strand == STRAND_MINUS)
        base_codes_reverse_complement(w->plant_codes, plant->bases);
    bool good = true;
    for (uint64_t done = 0, part; good && done < plant->bases; done += part) {
        part = MIN(plant->bases - done, CHUNK_BASES / 2);
        for (uint64_t i = 0; i < part; i++)
            w->text[i] = base_letters[w->plant_codes[done + i]];
        good = put_bases(w, part);
    }
    return good;
}

static bool put_header(struct writer *w, uint64_t record)
{
    const struct synth_options *o = &w->synth->options;
    return fprintf(w->out, ">%s_%" PRIu64 " length=%" PRIu64 " gc=%g seed=%" PRIu64 "\n", o->name, record + 1,
                   record_bases(o, record), o->gc, o->seed) > 0;
}

/* @param plant  number of the first plant that is not written yet; moved on */
static bool put_record(struct writer *w, uint64_t record, size_t *plant)
{
    const struct synth *synth = w->synth;
    uint64_t position = 0, end = record_bases(&synth->options, record);
    bool good = put_header(w, record);
    for (; good && *plant < synth->plant_count && synth->plants[*plant].record == record; ++*plant) {
        const struct synth_plant *next = &synth->plants[*plant];
        good = put_stream(w, next->begin - position) && put_plant(w, next);
        position = next->begin + next->bases;
    }
    good = good && put_stream(w, end - position) && (w->column == 0 || put(w, "\n", 1));
    w->column = 0;
    return good;
}

static struct spacer spacer_for(double target, double background, uint64_t bases, struct random random)
{
    struct spacer spacer = {.random = random, .bases = bases, .target = target};
    if (target > 0) {
        spacer.ratio = background > 0 ? background / target : 0;
        space_next(&spacer);
    }
    return spacer;
}

static void start(struct writer *w)
{
    const struct synth_options *o = &w->synth->options;
    double length = (double)o->length, background = background_bases(w->synth);
    w->background = random_stream(o->seed, STREAM_BACKGROUND);
    w->repeats = spacer_for(o->repeat_fraction * length, background, o->repeat_bases,
                            random_stream(o->seed, STREAM_REPEATS));
    w->n_runs = spacer_for(o->n_fraction * length, background, SYNTH_N_RUN, random_stream(o->seed, STREAM_N));
    w->gc_threshold = threshold_of(o->gc, 31);
    w->divergence_threshold = threshold_of(o->repeat_divergence, 32);
}

static bool reserve_plants(struct writer *w)
{
    uint64_t longest = 1;
    for (size_t i = 0; i < w->synth->plant_count; i++)
        longest = w->synth->plants[i].bases > longest ? w->synth->plants[i].bases : longest;
    w->source_codes = malloc(longest_source(w->synth));
    w->plant_codes = malloc(longest);
    return w->source_codes && w->plant_codes;
}

int synth_write_fasta(const struct synth *synth, FILE *out)
{
    struct writer *w = calloc(1, sizeof *w);
    if (!w)
        return SYNTH_EMEMORY;
    w->synth = synth;
    w->out = out;
    start(w);
    int status = reserve_plants(w) ? 0 : SYNTH_EMEMORY;
    size_t plant = 0;
    for (uint64_t record = 0; record < synth->options.records && status == 0; record++)
        status = put_record(w, record, &plant) ? 0 : SYNTH_EWRITE;
    if (status == 0 && fflush(out) != 0)
        status = SYNTH_EWRITE;
    int error = errno;
    free(w->source_codes);
    free(w->plant_codes);
    free(w);
    errno = error;
    return status;
}

int synth_write_truth(const struct synth *synth, FILE *out)
{
    fputs(
        "record\tstart\tend\tstrand\tsource\tsource_start\tsource_end\tidentity\tsubstituted\tinserted\tdeleted\n",
        out);
    for (size_t i = 0; i < synth->plant_count; i++) {
        const struct synth_plant *p = &synth->plants[i];
        fprintf(out, "%s_%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%c\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.6f",
                synth->options.name, p->record + 1, p->begin + 1, p->begin + p->bases,
                p->strand == STRAND_MINUS ? '-' : '+', synth->source->records[p->source].name,
                p->source_begin + 1, p->source_begin + p->source_bases, identity_of(p));
        fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", p->substituted, p->inserted, p->deleted);
    }
    return fflush(out) == 0 && !ferror(out) ? 0 : SYNTH_EWRITE;
}
