#include "tests/traces/drawing/read_vcd.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For what is asked often: Check logs every assertion that holds. */
static void demand(bool holds, const char *what, const char *where)
{
    if (!holds)
        ck_abort_msg("%s: %s", where, what);
}

/* The next word of the text, or an empty one at its end. */
static const char *next_word(const char **at, char word[200])
{
    size_t length;
    *at += strspn(*at, " \n");
    length = strcspn(*at, " \n");
    demand(length < 200, "a word is too long", "VCD");
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return word;
}

static void skip_to_end(const char **at)
{
    char word[200];
    while (strcmp(next_word(at, word), "$end") != 0)
        ck_assert_msg(word[0] != '\0', "no $end");
}

static void read_signal(struct read_vcd *vcd, const char **at, const char *scopes)
{
    char word[200];
    struct read_signal *s = &vcd->signals[vcd->count++];
    ck_assert_uint_le(vcd->count, 100);
    ck_assert_str_eq(next_word(at, word), "wire");
    s->bits = (unsigned)atoi(next_word(at, word));
    ck_assert_uint_lt(strlen(next_word(at, word)), sizeof s->id);
    memcpy(s->id, word, sizeof s->id);
    next_word(at, word);
    ck_assert_uint_lt(strlen(scopes) + strlen(word), sizeof s->name);
    strcpy(s->name, scopes);
    strcat(s->name, word);
    skip_to_end(at);
}

static void leave_scope(char *scopes)
{
    ck_assert_msg(scopes[0] != '\0', "a scope ends that did not begin");
    scopes[strlen(scopes) - 1] = '\0';
    char *dot = strrchr(scopes, '.');
    *(dot ? dot + 1 : scopes) = '\0';
}

static void read_definitions(struct read_vcd *vcd, const char **at)
{
    char word[200], scopes[200] = "";
    for (;;) {
        next_word(at, word);
        ck_assert_msg(word[0] == '$', "%s is no keyword", word);
        if (strcmp(word, "$scope") == 0) {
            ck_assert_str_eq(next_word(at, word), "module");
            strcat(strcat(scopes, next_word(at, word)), ".");
        } else if (strcmp(word, "$upscope") == 0) {
            leave_scope(scopes);
        } else if (strcmp(word, "$var") == 0) {
            read_signal(vcd, at, scopes);
            continue;
        } else if (strcmp(word, "$timescale") == 0) {
            ck_assert_str_eq(next_word(at, word), "1");
            ck_assert_str_eq(next_word(at, word), "ps");
        }
        bool is_last = strcmp(word, "$enddefinitions") == 0;
        skip_to_end(at);
        if (is_last)
            break;
    }
    ck_assert_str_eq(scopes, "");
}

static void add_change(struct read_vcd *vcd, const char *id, uint64_t at_ps, const char *digits)
{
    size_t i = 0;
    while (i < vcd->count && strcmp(vcd->signals[i].id, id) != 0)
        i++;
    demand(i < vcd->count, "no such signal", id);
    struct read_signal *s = &vcd->signals[i];
    demand(s->count == 0 || s->changes[s->count - 1].at_ps < at_ps, "it changes twice at a time", s->name);
    if (s->count == s->room) {
        s->room = 2 * s->room + 64;
        s->changes = realloc(s->changes, s->room * sizeof *s->changes);
    }
    char *end;
    demand(strlen(digits) <= s->bits, "too many digits", s->name);
    s->changes[s->count++] = (struct read_change){at_ps, strtoull(digits, &end, 2)};
    demand(*end == '\0', "no binary digits", s->name);
    vcd->changes++;
}

struct read_vcd *read_vcd(const char *text)
{
    struct read_vcd *vcd = calloc(1, sizeof *vcd);
    char word[200], id[200];
    uint64_t at_ps = 0;
    bool timed = false;
    ck_assert_ptr_nonnull(vcd);
    read_definitions(vcd, &text);
    while (*next_word(&text, word)) {
        if (word[0] == '#') {
            uint64_t next = strtoull(word + 1, NULL, 10);
            demand(!timed || next > at_ps, "time goes back", word);
            vcd->first_ps = timed ? vcd->first_ps : next;
            vcd->last_ps = at_ps = next;
            timed = true;
        } else if (strcmp(word, "$comment") == 0) {
            skip_to_end(&text);
        } else if (word[0] == 'b') {
            add_change(vcd, next_word(&text, id), at_ps, word + 1);
        } else if (word[0] != '$') {
            char digit[2] = {word[0], '\0'};
            add_change(vcd, word + 1, at_ps, digit);
        } else {
            demand(strcmp(word, "$dumpvars") == 0 || strcmp(word, "$end") == 0, "no change", word);
        }
    }
    return vcd;
}

void read_vcd_destroy(struct read_vcd *vcd)
{
    for (size_t i = 0; i < vcd->count; i++)
        free(vcd->signals[i].changes);
    free(vcd);
}

const struct read_signal *read_vcd_find(const struct read_vcd *vcd, const char *name)
{
    for (size_t i = 0; i < vcd->count; i++) {
        size_t length = strlen(vcd->signals[i].name);
        if (length >= strlen(name) && strcmp(vcd->signals[i].name + length - strlen(name), name) == 0)
            return &vcd->signals[i];
    }
    ck_abort_msg("no signal %s", name);
}

uint64_t read_signal_at(const struct read_signal *s, uint64_t at_ps)
{
    size_t low = 0, high = s->count; /* the last change at or before the time is in [low, high) */
    demand(s->count > 0 && s->changes[0].at_ps <= at_ps, "it has no value", s->name);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(s->changes[middle].at_ps <= at_ps ? &low : &high) = middle;
    }
    return s->changes[low].value;
}
