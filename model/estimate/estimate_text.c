#include "model/estimate/estimate_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/words.h"
#include "base/file/whole_file.h"

enum { TAB = 8, UNITS_MOST = 5, NUMBER_BYTES = 64 };

#define MANY 1e18 /* the most of anything that is counted */

static const struct word nothing = {NULL, 0};

/* --- the keys of objects --------------------------------------------------------------------------------- */

enum value { VALUE_CHOICE, VALUE_NUMBER, VALUE_MEMBERS, VALUE_NODESET, VALUE_GRID, VALUE_FACTORS };

struct key {
    const char *name; /* NULL: there is none */
    enum value value;
    size_t offset; /* of the field; of a number a double, of a choice an unsigned, of a nodeset an int */
    const char *const *choices;
    enum estimate_kind kind;
    double least, most;
    const char *meaning; /* of a number */
};

static const char *const nodeset_types[] = {"memory", "cache", "disk", "CPU", "pathway", NULL};
static const char *const linkset_types[] = {"updown", "across", NULL};
static const char *const duplexes[] = {"full", "half", NULL};
static const char *const topologies[] = {"crossbar", "ring", "bus", NULL};
static const char *const distribution_types[] = {"block1dim", "block2dim", "block3dim", NULL};
static const char *const dataset_types[] = {"grid1dim", "grid2dim", "grid3dim", NULL};
static const char *const computes[] = {"sequential", "pipelined", NULL};
static const char *const cacherules[] = {"none", "lru", NULL};

#define NODES(member) offsetof(struct estimate_nodeset, member)
#define LINKS(member) offsetof(struct estimate_linkset, member)
#define DEALS(member) offsetof(struct estimate_distribution, member)
#define DATA(member)  offsetof(struct estimate_dataset, member)

enum object { NODESET, LINKSET, DISTRIBUTION, DATASET, OBJECTS };
enum { KEYS_MAX = 12 };

#include "model/estimate_keys.inc"

#define KEY(value, at, choices, kind, least, most, name, meaning)                                            \
    {                                                                                                        \
        name, value, at, choices, kind, least, most, meaning                                                 \
    }

/* The rows of data/words/estimate_keys.tsv. */
static const struct key keys[OBJECTS][KEYS_MAX] = {[NODESET] = {NODESET_KEYS(KEY)},
                                                   [LINKSET] = {LINKSET_KEYS(KEY)},
                                                   [DISTRIBUTION] = {DISTRIBUTION_KEYS(KEY)},
                                                   [DATASET] = {DATASET_KEYS(KEY)}};

enum { KEY_TYPE, LINK_FROM = 1, LINK_TO, LINK_ON, LINK_TOPOLOGY = 5, DATA_UNITS = 1 };

static struct names keys_of(enum object object)
{
    struct names names = {keys[object], sizeof keys[object][0], 0, false};
    while (keys[object][names.count].name)
        names.count++;
    return names;
}

/* --- objects --------------------------------------------------------------------------------------------- */

/* The word for an object, and where the text has all of them. */
static const struct {
    const char *word;
    size_t offset, row_bytes, count_offset;
    unsigned most;
} objects[OBJECTS] = {
    [NODESET] = {"nodeset", offsetof(struct estimate_text, nodesets), sizeof(struct estimate_nodeset),
                 offsetof(struct estimate_text, nodeset_count), ESTIMATE_NODESETS_MAX},
    [LINKSET] = {"linkset", offsetof(struct estimate_text, linksets), sizeof(struct estimate_linkset),
                 offsetof(struct estimate_text, linkset_count), ESTIMATE_LINKSETS_MAX},
    [DISTRIBUTION] = {"distribution", offsetof(struct estimate_text, distributions),
                      sizeof(struct estimate_distribution),
                      offsetof(struct estimate_text, distribution_count), ESTIMATE_DISTRIBUTIONS_MAX},
    [DATASET] = {"dataset", offsetof(struct estimate_text, datasets), sizeof(struct estimate_dataset),
                 offsetof(struct estimate_text, dataset_count), ESTIMATE_DATASETS_MAX},
};

static unsigned *count_of(const struct estimate_text *t, enum object object)
{
    return (unsigned *)(void *)((char *)t + objects[object].count_offset);
}

/* Every object begins with a struct estimate_object, and that with its name. */
static struct names names_of(const struct estimate_text *t, enum object object)
{
    return (struct names){(const char *)t + objects[object].offset, objects[object].row_bytes,
                          *count_of(t, object), true};
}

static struct estimate_object *object_at(const struct estimate_text *t, enum object object, unsigned i)
{
    return (void *)((char *)t + objects[object].offset + i * objects[object].row_bytes);
}

static struct estimate_object *find_object(const struct estimate_text *t, struct word name,
                                           enum object *object)
{
    for (*object = NODESET; *object < OBJECTS; ++*object) {
        int found = names_find(names_of(t, *object), name);
        if (found >= 0)
            return object_at(t, *object, (unsigned)found);
    }
    return NULL;
}

/* Take the name of an object that is defined. @return its index, or -1: it is refused */
static int take_defined(struct words *w, const struct estimate_text *t, enum object object)
{
    return words_take_name(w, objects[object].word, names_of(t, object));
}

static bool is_given(const struct estimate_object *o, unsigned key)
{
    return o->given >> key & 1;
}

/* --- values ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *expected;
    const char *units[UNITS_MOST]; /* up to the first NULL */
} kinds[] = {
    [ESTIMATE_COUNT] = {"a number, such as 16 or 2.7G", {""}},
    [ESTIMATE_BYTES] = {"bytes, such as 64 KiB", {"B"}},
    [ESTIMATE_BYTES_RATE] = {"bytes per second, such as 895 MB/s", {"B/s", "bit/s"}},
    [ESTIMATE_RATE] = {"operations per second, such as 133 M/s", {"/s", "Hz", "op/s", "flop/s"}},
    [ESTIMATE_TIME] = {"a time, such as 50 us", {"s"}},
};

/* Read a number from a word and the one behind it, which may be missing. @return whether they are one number */
static bool read_number(struct word word, struct word unit, enum estimate_kind kind, double *number)
{
    char text[NUMBER_BYTES];
    struct word whole = {text, word.length + unit.length};
    bool can_be_unit = true; /* digits are another number: "4 5" is not 45 */
    for (size_t i = 0; i < unit.length; i++)
        can_be_unit = can_be_unit && (isalpha((unsigned char)unit.text[i]) || unit.text[i] == '/');
    if (word.length == 0 || whole.length >= sizeof text || !can_be_unit)
        return false;
    word_copy(word, text, sizeof text);
    word_copy(unit, text + word.length, sizeof text - word.length);
    for (unsigned i = 0; i < UNITS_MOST && kinds[kind].units[i]; i++)
        if (word_number(whole, kinds[kind].units[i], number)) {
            const char *bits = strstr(text, "bit/s");
            *number /= bits && !bits[strlen("bit/s")] ? 8 : 1;
            return true;
        }
    return false;
}

static void check_range(struct words *w, const char *at, const struct key *k, double value)
{
    if (!(value >= k->least && value <= k->most))
        words_refuse(w, at, "%s is %g: expected %g to %g", k->name, value, k->least, k->most);
}

/* A number, and its unit in the same word or in the next one. */
static double take_number(struct words *w, const struct key *k)
{
    struct word word = words_next(w), unit = words_peek(w);
    double number = 0;
    if (!word.text)
        words_refuse(w, NULL, "%s has no value: expected %s", k->name, kinds[k->kind].expected);
    else if (unit.text && read_number(word, unit, k->kind, &number))
        words_next(w);
    else if (!read_number(word, nothing, k->kind, &number))
        words_refuse(w, word.text, "%s '%s': expected %s", k->name, word_show(word).text,
                     kinds[k->kind].expected);
    check_range(w, word.text, k, number);
    return number;
}

static double take_whole(struct words *w, const struct key *k)
{
    struct word word = words_peek(w);
    double number = take_number(w, k);
    if (number != floor(number))
        words_refuse(w, word.text, "%s is %g: expected a whole number", k->name, number);
    return number;
}

/* 2.7e9, or 1000x500, or 100x100x100 */
static void take_grid(struct words *w, const struct key *k, double *units)
{
    struct word word = words_next(w), rest = word;
    bool good = word.text;
    units[0] = units[1] = units[2] = 1;
    for (unsigned i = 0; good && rest.text; i++) {
        good = i < 3 && read_number(word_cut(&rest, "x"), nothing, k->kind, &units[i]);
        if (good)
            check_range(w, word.text, k, units[i]);
    }
    if (!good)
        words_refuse(w, word.text,
                     "units '%s': expected one number for each dimension, such as 2.7e9 or 1000x500",
                     word_show(word).text);
}

static void take_members(struct words *w, const struct key *k, double *number, bool *per_node)
{
    *number = take_whole(w, k);
    *per_node = words_take(w, "per");
    struct word node = words_peek(w);
    if (*per_node && !words_take(w, "node"))
        words_refuse(w, node.text, "expected 'per node'");
}

/* 0.9, 1.2, 0.9 */
static void take_factors(struct words *w, const struct key *k, struct estimate_text *t,
                         struct estimate_factors *factors)
{
    factors->first = t->factor_count;
    t->factors = memory_grow(t->factors, ESTIMATE_FACTORS_MAX * sizeof *t->factors);
    do {
        struct word word = words_peek(w);
        double factor = take_number(w, k);
        if (t->factor_count == ESTIMATE_FACTORS_MAX)
            words_refuse(w, word.text, "more than %d numbers that vary from one to the next",
                         ESTIMATE_FACTORS_MAX);
        if (w->status == 0)
            t->factors[t->factor_count++] = factor;
    } while (words_take(w, ","));
    factors->count = t->factor_count - factors->first;
}

static void take_value(struct words *w, struct estimate_text *t, enum object object, const struct key *k,
                       struct estimate_object *o)
{
    void *field = (char *)o + k->offset;
    switch (k->value) {
    case VALUE_CHOICE:
        *(unsigned *)field = (unsigned)words_take_name(w, k->name, names_listed(k->choices));
        break;
    case VALUE_NUMBER:
        *(double *)field = take_number(w, k);
        break;
    case VALUE_MEMBERS:
        take_members(w, k, field,
                     object == NODESET ? &((struct estimate_nodeset *)o)->per_node
                                       : &((struct estimate_linkset *)o)->per_node);
        break;
    case VALUE_NODESET:
        *(int *)field = take_defined(w, t, NODESET);
        break;
    case VALUE_FACTORS:
        take_factors(w, k, t, field);
        break;
    case VALUE_GRID:
        take_grid(w, k, field);
    }
}

/* --- what an object needs -------------------------------------------------------------------------------- */

static void check_linkset(struct words *w, const struct estimate_text *t, struct estimate_linkset *n)
{
    const struct estimate_object *o = &n->object;
    const bool updown = n->type == ESTIMATE_UPDOWN, from = is_given(o, LINK_FROM), to = is_given(o, LINK_TO),
               on = is_given(o, LINK_ON);
    if (updown && !(from && to))
        words_refuse(w, NULL, "linkset '%s' of type updown: expected from NODESET to NODESET", o->name);
    if (!updown && !on)
        words_refuse(w, NULL, "linkset '%s' of type across: expected on NODESET", o->name);
    if (updown ? on || is_given(o, LINK_TOPOLOGY) : from || to)
        words_refuse(w, NULL,
                     "linkset '%s': from and to belong to type updown, on and topology to type across",
                     o->name);
    if (!updown)
        n->to = n->from;
    else if (w->status == 0 && n->from == n->to)
        words_refuse(w, NULL, "linkset '%s' joins '%s' with itself: expected type across", o->name,
                     t->nodesets[n->from].object.name);
}

static void check_dataset(struct words *w, const struct estimate_dataset *d)
{
    if (!is_given(&d->object, DATA_UNITS))
        words_refuse(w, NULL, "dataset '%s' has no units: expected a number of units", d->object.name);
    for (unsigned i = d->dimensions + 1; i < 3; i++)
        if (d->units[i] != 1)
            words_refuse(w, NULL, "dataset '%s' of type %s has more dimensions of units", d->object.name,
                         dataset_types[d->dimensions]);
    if (d->units[0] * d->units[1] * d->units[2] > MANY)
        words_refuse(w, NULL, "dataset '%s' has more than %g units", d->object.name, MANY);
}

static void check_object(struct words *w, const struct estimate_text *t, enum object object,
                         struct estimate_object *o)
{
    const struct estimate_nodeset *n = (struct estimate_nodeset *)o; /* if it is one */
    if (w->status)
        return;
    if (object == NODESET && n->type == ESTIMATE_CPU && n->floatspeed == 0)
        words_refuse(w, NULL, "CPU '%s' has no floatspeed: expected operations per second, such as 133 M/s",
                     o->name);
    else if (object == NODESET && n->type != ESTIMATE_CPU && n->floatspeed > 0)
        words_refuse(w, NULL, "'%s' has a floatspeed: expected it of a nodeset of type CPU only", o->name);
    else if (object == NODESET && n->type != ESTIMATE_CPU && n->unlike.count > 0)
        words_refuse(w, NULL, "'%s' has members that are unlike: expected it of a nodeset of type CPU only",
                     o->name);
    else if (object == NODESET && n->cacherule > 0 &&
             ((n->type != ESTIMATE_MEMORY && n->type != ESTIMATE_CACHE) || n->grainsize == 0))
        words_refuse(
            w, NULL,
            "'%s' has a cacherule: expected it of a memory or cache with a grainsize, which it holds",
            o->name);
    else if (object == LINKSET)
        check_linkset(w, t, (struct estimate_linkset *)o);
    else if (object == DATASET)
        check_dataset(w, (struct estimate_dataset *)o);
}

/* --- lines that define an object ------------------------------------------------------------------------- */

static void take_name(struct words *w, const struct estimate_text *t, char *to)
{
    struct word word = words_next(w);
    enum object other;
    bool fits = word.text && word.length < ESTIMATE_NAME_BYTES && isalpha((unsigned char)*word.text);
    for (size_t i = 0; fits && i < word.length; i++)
        fits = word.text[i] && (isalnum((unsigned char)word.text[i]) || strchr("_-", word.text[i]));
    if (!fits)
        words_refuse(w, word.text, "name '%s': expected a letter, then up to %d letters, digits, - or _",
                     word_show(word).text, ESTIMATE_NAME_BYTES - 2);
    if (find_object(t, word, &other))
        words_refuse(w, word.text, "'%s' is already the name of a %s: expected another name",
                     word_show(word).text, objects[other].word);
    word_copy(word, to, ESTIMATE_NAME_BYTES);
}

/* The type, on which it depends what an object can do, is always given. */
static void take_keys(struct words *w, struct estimate_text *t, enum object object, struct estimate_object *o)
{
    for (struct word word = words_peek(w); word.text; word = words_peek(w)) {
        int key = words_take_name(w, "key", keys_of(object));
        if (key >= 0 && is_given(o, (unsigned)key))
            words_refuse(w, word.text, "%s is given twice", word_show(word).text);
        if (w->status)
            return;
        take_value(w, t, object, &keys[object][key], o);
        o->given |= 1U << key;
    }
    if (!is_given(o, KEY_TYPE))
        words_refuse_name(w, nothing, "type", names_listed(keys[object][KEY_TYPE].choices));
}

static void take_object(struct words *w, struct estimate_text *t, enum object object)
{
    const unsigned i = *count_of(t, object);
    if (i == objects[object].most) {
        words_refuse(w, w->begin, "more than %u of %s", objects[object].most, objects[object].word);
        return;
    }
    struct estimate_object *o = object_at(t, object, i);
    memset(o, 0, objects[object].row_bytes);
    if (object == NODESET)
        t->nodesets[i].number = 1;
    else if (object == LINKSET)
        t->linksets[i].from = t->linksets[i].to = -1;
    else if (object == DATASET)
        t->datasets[i] = (struct estimate_dataset){.units = {1, 1, 1}, .distribution = -1, .over = -1};
    take_name(w, t, o->name);
    take_keys(w, t, object, o);
    check_object(w, t, object, o);
    *count_of(t, object) += w->status == 0;
}

/* --- statements ------------------------------------------------------------------------------------------ */

static void expect(struct words *w, const char *text)
{
    struct word word = words_peek(w);
    if (!words_take(w, text))
        words_refuse(w, word.text, "%s%s%s: expected '%s'", word.text ? "'" : "",
                     word.text ? word_show(word).text : "the line ends", word.text ? "'" : "", text);
}

static void expect_end(struct words *w)
{
    struct word word = words_peek(w);
    if (word.text)
        words_refuse(w, word.text, "'%s': expected the end of the line", word_show(word).text);
}

/* use distribution NAME on NODESET, DATASET, ... */
static void take_use(struct words *w, struct estimate_text *t)
{
    int over = -1, dealt[ESTIMATE_DATASETS_MAX];
    unsigned count = 0;
    expect(w, "distribution");
    int distribution = take_defined(w, t, DISTRIBUTION);
    expect(w, "on");
    do {
        if (names_find(names_of(t, NODESET), words_peek(w)) >= 0)
            over = take_defined(w, t, NODESET);
        else {
            int dataset = take_defined(w, t, DATASET);
            if (dataset >= 0 && count < ESTIMATE_DATASETS_MAX)
                dealt[count++] = dataset;
        }
    } while (words_take(w, ","));
    expect_end(w);
    if (count == 0)
        words_refuse(w, NULL, "no dataset: expected one that is dealt, as in 'on host, database'");
    for (unsigned i = 0; w->status == 0 && i < count; i++) {
        t->datasets[dealt[i]].distribution = distribution;
        t->datasets[dealt[i]].over = over;
    }
}

static void take_transfer(struct words *w, const struct estimate_text *t, struct estimate_statement *s)
{
    s->datasets[0] = take_defined(w, t, DATASET);
    s->dataset_count = 1;
    expect(w, "from");
    s->from = take_defined(w, t, NODESET);
    expect(w, "to");
    s->to = take_defined(w, t, NODESET);
}

static void take_compute(struct words *w, const struct estimate_text *t, struct estimate_statement *s)
{
    do {
        if (s->dataset_count == ESTIMATE_COMPUTED_MAX)
            words_refuse(w, NULL, "more than %d datasets in one statement", ESTIMATE_COMPUTED_MAX);
        else
            s->datasets[s->dataset_count++] = take_defined(w, t, DATASET);
    } while (words_take(w, ","));
    expect(w, "on");
    struct word on = words_peek(w);
    s->to = take_defined(w, t, NODESET);
    if (s->to >= 0 && t->nodesets[s->to].type != ESTIMATE_CPU)
        words_refuse(w, on.text, "'%s' is a %s: expected a nodeset of type CPU", word_show(on).text,
                     nodeset_types[t->nodesets[s->to].type]);
}

/* --- blocks: repeats and their bodies, told by indentation ----------------------------------------------- */

struct block {
    unsigned repeat; /* index of its statement */
    unsigned indent; /* columns of the repeat */
    unsigned body;   /* columns of its body; 0: none yet */
    struct words line;
};

struct reader {
    struct estimate_text *text;
    estimate_find_file *find;
    struct block blocks[ESTIMATE_NESTED_MAX];
    unsigned block_count, nested_files;
    unsigned file; /* index of the file that is being read */
    struct why *why;
};

static unsigned indent_of(const struct words *w)
{
    unsigned columns = 0;
    for (const char *at = w->begin; at < w->end && word_is_blank(*at); at++)
        columns = *at == '\t' ? (columns / TAB + 1) * TAB : columns + 1;
    return columns;
}

/* End the blocks that a line which is indented so far does not belong to. @return 0, or the status of a fault */
static int close_blocks(struct reader *r, unsigned indent)
{
    while (r->block_count > 0 && indent <= r->blocks[r->block_count - 1].indent) {
        struct block *b = &r->blocks[--r->block_count];
        r->text->statements[b->repeat].end = r->text->statement_count;
        if (r->text->statement_count == b->repeat + 1)
            return words_refuse(&b->line, NULL,
                                "repeat has no body: expected statements that are indented further");
    }
    return 0;
}

/* Find the block that a statement belongs to. */
static void place(struct reader *r, struct words *w)
{
    unsigned indent = indent_of(w);
    w->status = close_blocks(r, indent);
    if (w->status || r->block_count == 0)
        return;
    struct block *b = &r->blocks[r->block_count - 1];
    if (b->body == 0)
        b->body = indent;
    if (indent != b->body)
        words_refuse(w, w->begin + indent, "indented by %u columns: expected %u, as the lines before it",
                     indent, b->body);
}

static void open_block(struct reader *r, struct words *w)
{
    const struct estimate_statement *all = r->text->statements;
    unsigned repeat = r->text->statement_count;
    for (unsigned i = 0; i < r->block_count; i++)
        if (all[r->blocks[i].repeat].over >= 0 && all[repeat].over >= 0)
            words_refuse(w, NULL, "repeat ... over in another one: expected one of them without over");
    if (r->block_count == ESTIMATE_NESTED_MAX)
        words_refuse(w, w->begin, "more than %d repeats in each other", ESTIMATE_NESTED_MAX);
    if (w->status == 0)
        r->blocks[r->block_count++] = (struct block){.repeat = repeat, .indent = indent_of(w), .line = *w};
}

static void take_statement(struct reader *r, struct words *w, enum estimate_verb verb)
{
    struct estimate_text *t = r->text;
    place(r, w);
    if (t->statement_count == ESTIMATE_STATEMENTS_MAX)
        words_refuse(w, w->begin, "more than %d statements", ESTIMATE_STATEMENTS_MAX);
    if (w->status)
        return;
    struct estimate_statement *s = &t->statements[t->statement_count];
    *s = (struct estimate_statement){
        .verb = verb, .file = r->file, .line = w->line, .from = -1, .to = -1, .over = -1};
    if (verb == ESTIMATE_SEND || verb == ESTIMATE_MOVE)
        take_transfer(w, t, s);
    else if (verb == ESTIMATE_COMPUTE)
        take_compute(w, t, s);
    else if (verb == ESTIMATE_REPEAT) {
        static const struct key count = {"repeat", VALUE_NUMBER, 0, NULL, ESTIMATE_COUNT, 1, 1e9, NULL};
        s->count = take_whole(w, &count);
        s->over = words_take(w, "over") ? take_defined(w, t, NODESET) : -1;
    }
    expect_end(w);
    if (verb == ESTIMATE_REPEAT)
        open_block(r, w);
    t->statement_count += w->status == 0;
}

/* --- lines and files ------------------------------------------------------------------------------------- */

/* Objects, use, and statements, each in the order of its enum. */
static const char *const line_words[] = {"nodeset", "linkset", "distribution", "dataset", "use", "send",
                                         "move",    "compute", "synchronize",  "repeat",  NULL};
enum { USE = OBJECTS, STATEMENTS };

static int read_file(struct reader *r, const char *path);

static void include(struct reader *r, struct words *w)
{
    struct word file = words_rest(w);
    const char *begin = file.text ? file.text : w->end;
    if (file.length >= 2 && *file.text == '"' && file.text[file.length - 1] == '"')
        file = (struct word){++begin, file.length - 2};
    if (file.length == 0 || memchr(file.text, '\0', file.length))
        words_refuse(w, begin, "expected #include \"FILE\"");
    else if (!r->find)
        words_refuse(w, begin, "#include: a text that is no file can include none");
    else if (r->nested_files == ESTIMATE_NESTED_MAX)
        words_refuse(w, begin, "more than %d files in each other: does one include itself?",
                     ESTIMATE_NESTED_MAX);
    if (w->status)
        return;
    char *name = memory_text_part(file.text, file.length), *path = r->find(name, w->file);
    w->status = read_file(r, path);
    free(path);
    free(name);
}

static void take_line(struct reader *r, struct words *w)
{
    static const char directive[] = "#include";
    const size_t length = sizeof directive - 1, bytes = (size_t)(w->end - w->begin);
    if (bytes >= length && memcmp(w->begin, directive, length) == 0 &&
        (bytes == length || word_is_blank(w->begin[length]) || w->begin[length] == '"')) {
        w->at += length;
        include(r, w);
        return;
    }
    words_drop_comment(w);
    if (!words_peek(w).text)
        return;
    int found = words_take_name(w, "word", names_listed(line_words));
    if (found >= STATEMENTS)
        take_statement(r, w, (enum estimate_verb)(found - STATEMENTS));
    else if (found == USE)
        take_use(w, r->text);
    else if (found >= 0)
        take_object(w, r->text, (enum object)found);
}

static int read_lines(struct reader *r, const char *bytes, size_t count, const char *name)
{
    struct estimate_text *t = r->text;
    const unsigned around = r->file;
    if (t->file_count == ESTIMATE_FILES_MAX)
        return why_say(r->why, ESTIMATE_TEXT_EREFUSED, "%.300s: more than %d files", name,
                       ESTIMATE_FILES_MAX);
    r->file = t->file_count++;
    t->files[r->file] = memory_text(name);
    struct words w = {
        .file = t->files[r->file], .tells_column = true, .code = ESTIMATE_TEXT_EREFUSED, .why = r->why};
    words_begin(&w, bytes, count);
    while (words_next_line(&w))
        take_line(r, &w);
    r->file = around;
    return w.status;
}

static int read_file(struct reader *r, const char *path)
{
    char *bytes;
    size_t count;
    if (whole_file_read(path, ESTIMATE_BYTES_MAX, &bytes, &count, r->why) != 0)
        return ESTIMATE_TEXT_EREAD;
    r->nested_files++;
    int status = read_lines(r, bytes, count, whole_file_name(path));
    r->nested_files--;
    free(bytes);
    return status;
}

int estimate_text_read(struct estimate_text *text, const char *path, estimate_find_file *find,
                       struct why *why)
{
    struct reader r = {.text = text, .find = find, .why = why};
    int status = read_file(&r, path);
    return status ? status : close_blocks(&r, 0);
}

int estimate_text_parse(struct estimate_text *text, const char *bytes, size_t count, const char *name,
                        estimate_find_file *find, struct why *why)
{
    struct reader r = {.text = text, .find = find, .why = why};
    int status = read_lines(&r, bytes, count, name);
    return status ? status : close_blocks(&r, 0);
}

/* --- values that are changed afterwards ------------------------------------------------------------------ */

/* Refuse a name that no object has. */
static int refuse_object(struct words *w, const struct estimate_text *t, struct word word)
{
    const char *all[ESTIMATE_NODESETS_MAX + ESTIMATE_LINKSETS_MAX + ESTIMATE_DISTRIBUTIONS_MAX +
                    ESTIMATE_DATASETS_MAX + 1] = {NULL};
    size_t count = 0;
    for (enum object object = NODESET; object < OBJECTS; object++)
        for (unsigned i = 0; i < *count_of(t, object); i++)
            all[count++] = object_at(t, object, i)->name;
    return words_refuse_name(w, word, "name", names_listed(all));
}

int estimate_text_set(struct estimate_text *t, const char *assignment, struct why *why)
{
    struct words w = {.file = "--set", .tells_column = true, .code = ESTIMATE_TEXT_EREFUSED, .why = why};
    struct word value = word_of(assignment), key = word_cut(&value, "="), name = word_cut(&key, ".");
    enum object object;
    if (!value.text || !key.text)
        return why_say(why, ESTIMATE_TEXT_EREFUSED,
                       "--set '%.60s': expected NAME.KEY=VALUE, such as board.number=4", assignment);
    words_set_line(&w, assignment, strlen(assignment), 1);
    struct estimate_object *o = find_object(t, name, &object);
    if (!o)
        return refuse_object(&w, t, name);
    int found = names_find(keys_of(object), key);
    if (found < 0)
        return words_refuse_name(&w, key, "key", keys_of(object));
    w.at = value.text;
    take_value(&w, t, object, &keys[object][found], o);
    o->given |= 1U << found;
    expect_end(&w);
    check_object(&w, t, object, o);
    return w.status;
}

/* --- the numbers that can be changed --------------------------------------------------------------------- */

bool estimate_text_number(const struct estimate_text *t, unsigned index, struct estimate_number *number)
{
    for (enum object object = NODESET; object < OBJECTS; object++)
        for (unsigned i = 0; i < *count_of(t, object); i++)
            for (unsigned key = 0; key < keys_of(object).count; key++) {
                const struct key *k = &keys[object][key];
                const struct estimate_object *o = object_at(t, object, i);
                bool is_number =
                    k->value == VALUE_NUMBER || k->value == VALUE_MEMBERS ||
                    (k->value == VALUE_GRID && ((const struct estimate_dataset *)o)->dimensions == 0);
                if (!is_given(o, key) || !is_number || index-- > 0)
                    continue;
                *number = (struct estimate_number){.object = objects[object].word,
                                                   .meaning = k->meaning,
                                                   .kind = k->kind,
                                                   .least = k->least,
                                                   .most = k->most,
                                                   .whole = k->value == VALUE_MEMBERS};
                snprintf(number->name, sizeof number->name, "%s.%s", o->name, k->name);
                memcpy(&number->value, (const char *)o + k->offset, sizeof number->value);
                return true;
            }
    return false;
}

void estimate_text_release(struct estimate_text *text)
{
    for (unsigned i = 0; i < text->file_count; i++)
        free(text->files[i]);
    free(text->factors);
    text->factors = NULL;
    text->file_count = text->factor_count = 0;
}
