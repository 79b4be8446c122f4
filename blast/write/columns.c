#include "blast/write/columns.h"

#include <string.h>

#include "base/nearest.h"

static const struct {
    const char *name, *field;
    bool needs_bases;
} kinds[COLUMN_KINDS] = {
    [COLUMN_QSEQID] = {"qseqid", "query id"},
    [COLUMN_QACC] = {"qacc", "query acc."},
    [COLUMN_QACCVER] = {"qaccver", "query acc.ver"},
    [COLUMN_QLEN] = {"qlen", "query length"},
    [COLUMN_SSEQID] = {"sseqid", "subject id"},
    [COLUMN_SALLSEQID] = {"sallseqid", "subject ids"},
    [COLUMN_SACC] = {"sacc", "subject acc."},
    [COLUMN_SACCVER] = {"saccver", "subject acc.ver"},
    [COLUMN_SALLACC] = {"sallacc", "subject accs."},
    [COLUMN_SLEN] = {"slen", "subject length"},
    [COLUMN_QSTART] = {"qstart", "q. start"},
    [COLUMN_QEND] = {"qend", "q. end"},
    [COLUMN_SSTART] = {"sstart", "s. start"},
    [COLUMN_SEND] = {"send", "s. end"},
    [COLUMN_QSEQ] = {"qseq", "query seq", true},
    [COLUMN_SSEQ] = {"sseq", "subject seq", true},
    [COLUMN_EVALUE] = {"evalue", "evalue"},
    [COLUMN_BITSCORE] = {"bitscore", "bit score"},
    [COLUMN_SCORE] = {"score", "score"},
    [COLUMN_LENGTH] = {"length", "alignment length"},
    [COLUMN_PIDENT] = {"pident", "% identity"},
    [COLUMN_NIDENT] = {"nident", "identical"},
    [COLUMN_MISMATCH] = {"mismatch", "mismatches"},
    [COLUMN_POSITIVE] = {"positive", "positives"},
    [COLUMN_GAPOPEN] = {"gapopen", "gap opens"},
    [COLUMN_GAPS] = {"gaps", "gaps"},
    [COLUMN_PPOS] = {"ppos", "% positives"},
    [COLUMN_FRAMES] = {"frames", "query/sbjct frames"},
    [COLUMN_QFRAME] = {"qframe", "query frame"},
    [COLUMN_SFRAME] = {"sframe", "sbjct frame"},
    [COLUMN_BTOP] = {"btop", "BTOP", true},
    [COLUMN_STITLE] = {"stitle", "subject title"},
    [COLUMN_SALLTITLES] = {"salltitles", "subject titles"},
    [COLUMN_SSTRAND] = {"sstrand", "subject strand"},
    [COLUMN_QCOVS] = {"qcovs", "% query coverage per subject"},
    [COLUMN_QCOVHSP] = {"qcovhsp", "% query coverage per hsp"},
};

static const enum column standard[] = {COLUMN_QACCVER,  COLUMN_SACCVER, COLUMN_PIDENT, COLUMN_LENGTH,
                                       COLUMN_MISMATCH, COLUMN_GAPOPEN, COLUMN_QSTART, COLUMN_QEND,
                                       COLUMN_SSTART,   COLUMN_SEND,    COLUMN_EVALUE, COLUMN_BITSCORE};

enum { STANDARD_COUNT = sizeof standard / sizeof standard[0] };

static const char spaces[] = " \t\n";

bool columns_contain(const struct columns *columns, enum column column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i] == column)
            return true;
    return false;
}

static void add(struct columns *columns, enum column column)
{
    if (!columns_contain(columns, column))
        columns->items[columns->count++] = column;
}

static void add_standard(struct columns *columns)
{
    for (int i = 0; i < STANDARD_COUNT; i++)
        add(columns, standard[i]);
}

struct columns columns_standard(void)
{
    struct columns columns = {.count = 0};
    add_standard(&columns);
    return columns;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static int refuse(const char *name, size_t length, struct why *why)
{
    struct nearest search = {.wanted = name, .length = length};
    for (int i = 0; i < COLUMN_KINDS; i++)
        nearest_look_at(&search, kinds[i].name);
    why_say(why, COLUMNS_EUNKNOWN, "no column is called '%.*s'", (int)(length < 40 ? length : 40), name);
    nearest_suggest(&search, why);
    why_append(why, "%s there are std", search.name ? "" : ";");
    for (int i = 0; i < COLUMN_KINDS; i++)
        why_append(why, " %s", kinds[i].name);
    return COLUMNS_EUNKNOWN;
}

static int add_named(struct columns *columns, const char *name, size_t length, struct why *why)
{
    if (is_named("std", name, length)) {
        add_standard(columns);
        return 0;
    }
    for (int i = 0; i < COLUMN_KINDS; i++)
        if (is_named(kinds[i].name, name, length)) {
            add(columns, (enum column)i);
            return 0;
        }
    return refuse(name, length, why);
}

int columns_parse(const char *names, struct columns *columns, struct why *why)
{
    struct columns parsed = {.count = 0};
    for (names += strspn(names, spaces); *names; names += strspn(names, spaces)) {
        size_t length = strcspn(names, spaces);
        if (add_named(&parsed, names, length, why) != 0)
            return COLUMNS_EUNKNOWN;
        names += length;
    }
    *columns = parsed.count > 0 ? parsed : columns_standard();
    return 0;
}

const char *columns_first_of_bases(const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (kinds[columns->items[i]].needs_bases)
            return kinds[columns->items[i]].name;
    return NULL;
}

const char *column_name(enum column column)
{
    return kinds[column].name;
}

const char *column_field(enum column column)
{
    return kinds[column].field;
}
