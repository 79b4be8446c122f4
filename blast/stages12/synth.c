#include "blast/stages12/synth.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/file/file_io.h"
#include "base/memory.h"
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
    uint64_t due;   /* background bases before the next copy or run; UINT64_MAX if there are none */
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
    char text[CHUNK_BASES];
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

static void make_families(struct synth *synth)
{
    const uint64_t bases = synth->options.repeat_bases;
    struct random random = random_stream(synth->options.seed, STREAM_FAMILIES);
    auto_free char *text = memory_take(bases);
    synth->families = memory_take(2 * SYNTH_FAMILIES * bases);
    for (unsigned family = 0; family < SYNTH_FAMILIES; family++) {
        uint8_t *plus = synth->families + 2 * family * bases;
        fill_background(&random, threshold_of(synth->options.gc, 31), text, bases);
        for (uint64_t i = 0; i < bases; i++) {
            plus[i] = (uint8_t)(strchr(base_letters, text[i]) - base_letters);
            plus[2 * bases - 1 - i] = (uint8_t)(BASE_T - plus[i]);
        }
    }
}

static void space_next(struct spacer *spacer)
{
    double ideal = (double)spacer->bases * spacer->ratio + spacer->carry;
    double gap = ideal > 0 ? 2 * ideal * (double)(random_next(&spacer->random) >> 11) * 0x1p-53 : 0;
    spacer->due = (uint64_t)(gap + 0.5);
    spacer->carry = ideal - (double)spacer->due;
    spacer->left = 0;
}

/* The copy or run that comes next, if none is due, NULL: the background. If both kinds are due, the one that is further
 * from its target comes first. */
static struct spacer *next_part(struct writer *w)
{
    struct spacer *n = &w->n_runs, *repeats = &w->repeats;
    if (n->left > 0 || repeats->left > 0)
        return n->left > 0 ? n : repeats;
    if (n->due == 0 && (repeats->due > 0 || n->written * repeats->target < repeats->written * n->target)) {
        n->left = n->bases;
        return n;
    }
    if (repeats->due > 0)
        return NULL;
    w->copy = w->synth->families + random_below(&repeats->random, 2 * SYNTH_FAMILIES) * repeats->bases;
    repeats->left = repeats->bases;
    return repeats;
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
    bases = MIN(bases, MIN(w->repeats.due, w->n_runs.due));
    fill_background(&w->background, w->gc_threshold, text, bases);
    w->repeats.due -= bases;
    w->n_runs.due -= bases;
    return bases;
}

/* Write the next bases of the stream into which plants are inserted. */
static void fill_stream(struct writer *w, char *text, uint64_t bases)
{
    for (uint64_t done = 0; done < bases;) {
        struct spacer *part = next_part(w);
        done += part ? continue_spacer(w, part, text + done, bases - done)
                     : continue_background(w, text + done, bases - done);
    }
}

/* --- plants ---------------------------------------------------------------------------------------------- */

/* Derives the codes of a plant's copy, on the strand of the source, and its numbers of bases. */
struct mutation {
    struct random random;
    struct synth_plant *plant;
    uint8_t *out; /* NULL to find out the numbers only */
};

static void put_code(struct mutation *m, unsigned code)
{
    if (m->out)
        m->out[m->plant->bases] = (uint8_t)code;
    m->plant->bases++;
}

static void copy_base(struct mutation *m, unsigned code, bool changes)
{
    if (code <= BASE_T && changes)
        code = substitute(code, (uint32_t)(random_next(&m->random) >> 32));
    m->plant->substituted += code <= BASE_T && changes;
    m->plant->equal += code <= BASE_T && !changes;
    put_code(m, code);
}

/* Make an insertion or a deletion after source base i. @return the number of source bases deleted */
static uint64_t make_indel(struct mutation *m, uint64_t i)
{
    uint64_t bases =
        1 + (uint64_t)__builtin_ctzll(random_next(&m->random) | UINT64_C(1) << (SYNTH_INDEL_MAX - 1));
    if (random_next(&m->random) >> 63) {
        m->plant->inserted += bases;
        for (; bases > 0; bases--)
            put_code(m, (unsigned)(random_next(&m->random) >> 62));
        return 0;
    }
    bases = MIN(bases, m->plant->source_bases - i - 2); /* the last base stays */
    m->plant->deleted += bases;
    return bases;
}

/* Derive a copy from its seed: counts and codes are the same every time. */
static void mutate(const struct synth *synth, struct synth_plant *plant, uint8_t *out)
{
    const uint64_t substituted = threshold_of(1 - synth->options.plant_identity, 32);
    const uint64_t shifted = threshold_of(synth->options.plant_indels, 32), bases = plant->source_bases;
    struct mutation m = {random_seeded(plant->seed), plant, out};
    auto_free uint8_t *source = memory_take(bases);
    sequences_unpack(synth->source, STRAND_PLUS,
                     synth->source->records[plant->source].begin + plant->source_begin, bases, source);
    plant->bases = plant->equal = plant->substituted = plant->inserted = plant->deleted = 0;
    for (uint64_t i = 0; i < bases; i++) {
        uint64_t bits = random_next(&m.random);
        copy_base(&m, source[i], bits >> 32 < substituted);
        if ((uint32_t)bits < shifted && i > 0 && i + 2 < bases)
            i += make_indel(&m, i);
    }
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

/* Whatever else is equal, seeds are not. */
static int compare_seeds(const struct synth_plant *a, const struct synth_plant *b)
{
    return (a->seed > b->seed) - (a->seed < b->seed);
}

/* The longest plant is placed first, so that records fill up well. */
static int compare_lengths(const void *left, const void *right)
{
    const struct synth_plant *a = left, *b = right;
    return ORDER_BY({b->bases, a->bases}, {compare_seeds(a, b), 0});
}

static int compare_places(const void *left, const void *right)
{
    const struct synth_plant *a = left, *b = right;
    return ORDER_BY({a->record, b->record}, {a->begin, b->begin}, {compare_seeds(a, b), 0});
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
            return why_say(why, SYNTH_EFIT,
                           "--plant: no room left for a copy of '%.80s' (%" PRIu64
                           " bases; a record has %" PRIu64
                           "); give fewer copies, shorter pieces or a greater --length",
                           synth->source->records[plant->source].name, plant->bases, record_bases(o, 0));
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

static void make_plants(struct synth *synth)
{
    struct random random = random_stream(synth->options.seed, STREAM_PIECES);
    for (size_t i = 0; i < synth->plant_count; i++) {
        struct synth_plant *plant = &synth->plants[i];
        draw_plant(synth, &random, i, plant);
        mutate(synth, plant, NULL);
        synth->planted_bases += plant->bases;
    }
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
    synth->plants = memory_new(synth->plant_count, sizeof *synth->plants);
    auto_free uint64_t *room = memory_new(o->records, sizeof *room);
    make_plants(synth);
    return place_plants(synth, room, why);
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
    struct synth *synth = memory_new(1, sizeof *synth);
    synth->options = *options;
    synth->source = plant;
    int status = plant ? add_plants(synth, why) : 0;
    if (status == 0)
        status = check_fractions(synth, why);
    if (status == 0 && options->repeat_fraction > 0)
        make_families(synth);
    if (status == 0)
        *out = synth;
    else
        synth_destroy(synth);
    return status;
}

void synth_destroy(struct synth *synth)
{
    if (!synth)
        return;
    free(synth->plants);
    free(synth->families);
    free(synth);
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* Write bases, broken into lines. @return false if the stream has failed */
static bool put_bases(struct writer *w, const char *bases, uint64_t count)
{
    const uint64_t line_bases = w->synth->options.line_bases;
    for (uint64_t part; count > 0; bases += part, count -= part) {
        part = MIN(count, line_bases - w->column);
        fwrite_unlocked(bases, 1, part, w->out);
        w->column = (w->column + part) % line_bases;
        if (w->column == 0)
            putc_unlocked('\n', w->out);
    }
    return !ferror(w->out);
}

static bool put_stream(struct writer *w, uint64_t bases)
{
    bool good = true;
    for (uint64_t done = 0, part; good && done < bases; done += part) {
        part = MIN(bases - done, CHUNK_BASES);
        fill_stream(w, w->text, part);
        good = put_bases(w, w->text, part);
    }
    return good;
}

/* @return false if the stream has failed */
static bool put_plant(struct writer *w, const struct synth_plant *plant)
{
    struct synth_plant again = *plant;
    auto_free uint8_t *codes = memory_take(plant->bases);
    mutate(w->synth, &again, codes);
    if (plant->strand == STRAND_MINUS)
        base_codes_reverse_complement(codes, plant->bases);
    for (uint64_t i = 0; i < plant->bases; i++)
        codes[i] = (uint8_t)base_letters[codes[i]];
    return put_bases(w, (const char *)codes, plant->bases);
}

/* @param plant  number of the first plant that is not written yet; moved on  @return false if the stream has failed */
static bool put_record(struct writer *w, uint64_t record, size_t *plant)
{
    const struct synth *synth = w->synth;
    const struct synth_options *o = &synth->options;
    uint64_t position = 0, end = record_bases(o, record);
    bool good = fprintf(w->out, ">%s_%" PRIu64 " length=%" PRIu64 " gc=%g seed=%" PRIu64 "\n", o->name,
                        record + 1, end, o->gc, o->seed) > 0;
    w->column = 0;
    for (; good && *plant < synth->plant_count && synth->plants[*plant].record == record; ++*plant) {
        const struct synth_plant *next = &synth->plants[*plant];
        good = put_stream(w, next->begin - position) && put_plant(w, next);
        position = next->begin + next->bases;
    }
    return good && put_stream(w, end - position) && (w->column == 0 || putc('\n', w->out) != EOF);
}

static struct spacer spacer_for(const struct synth *synth, double fraction, uint64_t bases,
                                enum stream stream)
{
    const struct synth_options *o = &synth->options;
    const double background = background_bases(synth);
    struct spacer spacer = {.random = random_stream(o->seed, stream),
                            .bases = bases,
                            .target = fraction * (double)o->length,
                            .due = UINT64_MAX};
    if (spacer.target > 0) {
        spacer.ratio = background > 0 ? background / spacer.target : 0;
        space_next(&spacer);
    }
    return spacer;
}

int synth_write_fasta(const struct synth *synth, FILE *out)
{
    const struct synth_options *o = &synth->options;
    auto_free struct writer *w = memory_take(sizeof *w);
    size_t plant = 0;
    bool good = true;
    w->synth = synth;
    w->out = out;
    w->background = random_stream(o->seed, STREAM_BACKGROUND);
    w->repeats = spacer_for(synth, o->repeat_fraction, o->repeat_bases, STREAM_REPEATS);
    w->n_runs = spacer_for(synth, o->n_fraction, SYNTH_N_RUN, STREAM_N);
    w->gc_threshold = threshold_of(o->gc, 31);
    w->divergence_threshold = threshold_of(o->repeat_divergence, 32);
    for (uint64_t record = 0; record < o->records && good; record++)
        good = put_record(w, record, &plant);
    return good && file_io_flush(out) ? 0 : SYNTH_EWRITE;
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
                p->source_begin + 1, p->source_begin + p->source_bases,
                (double)p->equal / (double)(p->bases + p->deleted)); /* of alignment columns */
        fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", p->substituted, p->inserted, p->deleted);
    }
    return file_io_flush(out) ? 0 : SYNTH_EWRITE;
}
