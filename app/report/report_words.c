/* What the words of a run's page mean, and links to that from where they stand.
 *
 * Rows      of data/words/report.tsv: owner and name, as mercury explain has them, and how the word is spelled on the
 *           page, also in the plural; a row without a spelling is explained, but nothing is linked to it.
 * Links     of a section: from the first place in its text; words that stand only in its picture, which has no links,
 *           are named below it.
 */
#include "app/report/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/explain.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "app/report.inc"

#define WORD(none, owner, name, spelled)                                                                     \
    {                                                                                                        \
        owner, name, spelled                                                                                 \
    }
static const struct {
    const char *owner, *name, *spelled;
} words[] = {REPORT_WORD_ROWS(WORD)};
enum { WORDS = sizeof words / sizeof words[0] };

/* Elements in whose text nothing is linked; the first one is a picture. */
static const char *const apart[] = {"svg", "h2", "h3", "code", "label", "a"};
enum { APART = sizeof apart / sizeof apart[0] };

static bool goes_on(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* @return the length of the word if it begins here, or 0 */
static size_t find_length(const char *text, unsigned word)
{
    size_t length = words[word].spelled ? strlen(words[word].spelled) : 0;
    if (length == 0 || strncmp(text, words[word].spelled, length) != 0)
        return 0;
    length += strncmp(text + length, "es", 2) == 0 ? 2 : text[length] == 's';
    return goes_on(text[length]) ? 0 : length;
}

static void write_link(unsigned word, const char *text, size_t length, FILE *out)
{
    page_put(out, "<a class=\"w\" href=\"#%s.%s\">%.*s</a>", words[word].owner, words[word].name, (int)length,
             text);
}

/* The element of `apart` that a tag, behind its '<' or "</", is of; or NULL. */
static const char *find_apart(const char *tag)
{
    for (unsigned i = 0; i < APART; i++)
        if (strncmp(tag, apart[i], strlen(apart[i])) == 0 && !isalnum((unsigned char)tag[strlen(apart[i])]))
            return apart[i];
    return NULL;
}

static void link_words(const char *html, FILE *out)
{
    enum { PICTURE = 1, TEXT = 2 };
    unsigned char found[WORDS] = {0};
    const char *within = NULL, *before = "<p class=\"note words\">Words in the picture: ";
    for (const char *c = html; *c;) {
        size_t length = 1;
        unsigned word = WORDS;
        if (*c == '<') {
            length = strcspn(c, ">");
            const bool ends = c[1] == '/';
            const char *element = find_apart(c + 1 + ends);
            within = !within && !ends ? element : ends && element == within ? NULL : within;
        } else if (c == html || !goes_on(c[-1]))
            for (word = 0; word < WORDS && !(length = find_length(c, word));)
                word++;
        length = length ? length : 1;
        if (word < WORDS && !within && !(found[word] & TEXT))
            write_link(word, c, length, out);
        else
            fwrite(c, 1, length, out);
        if (word < WORDS && (!within || within == apart[0]))
            found[word] |= within ? PICTURE : TEXT;
        c += length;
    }
    for (unsigned w = 0; w < WORDS; w++)
        if (found[w] == PICTURE) {
            fputs(before, out);
            write_link(w, words[w].spelled, strlen(words[w].spelled), out);
            before = ", ";
        }
    fputs(*before == ',' ? ".</p>\n" : "", out);
}

void report_write_linked(const void *section, FILE *out)
{
    auto_free char *text = NULL;
    size_t size = 0;
    FILE *own = memory_stream(&text, &size);
    report_write_section(section, own);
    memory_stream_end(own);
    link_words(text, out);
}

static void write_meaning(unsigned word, const struct explanation *e, FILE *out)
{
    const char *spelled = words[word].spelled ? words[word].spelled : "";
    page_put(out, "<dt id=\"%s.%s\">%s", e->owner, e->name, spelled);
    if (strcmp(e->owner, "word") != 0 && strcmp(e->name, spelled) != 0)
        page_put(out, " <code>%s.%s</code>", e->owner, e->name);
    if (*e->unit && strcmp(e->unit, "1") != 0)
        page_put(out, " [%s]", e->unit);
    page_put(out, "</dt><dd>%s", e->meaning);
    if ((e->computed && *e->computed) || *e->formula)
        page_put(out, "; computed: %s", e->computed ? e->computed : e->formula);
    if (e->source)
        page_put(out, " (%s)", e->source);
    fputs("</dd>\n", out);
}

void report_write_words(const void *data, FILE *out)
{
    auto_by(explain_end) struct explanations all;
    (void)data;
    explain_begin(&all, &machine_layout, &machine_catalogue);
    explain_add_words(&all);
    fputs("<dl>\n", out);
    for (unsigned w = 0; w < WORDS; w++)
        for (const struct explanation *e = all.items; e < all.items + all.count; e++)
            if (strcmp(e->owner, words[w].owner) == 0 && strcmp(e->name, words[w].name) == 0)
                write_meaning(w, e, out);
    fputs(
        "</dl>\n<p class=\"note\"><code>mercury explain WORD</code> says the same of every number of a run.</p>\n",
        out);
}
