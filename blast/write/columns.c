#include "blast/write/columns.h"

#include <stdio.h>
#include <string.h>

#include "base/why.h"

static const struct {
    const char *name, *field;
    int of_bases;
} kinds[COLUMN_KINDS] = {
    [COLUMN_QSEQID] = {"qseqid", "query id", 0},
    [COLUMN_QACC] = {"qacc", "query acc.", 0},
    [COLUMN_QACCVER] = {"qaccver", "query acc.ver", 0},
    [COLUMN_QLEN] = {"qlen", "query length", 0},
    [COLUMN_SSEQID] = {"sseqid", "subject id", 0},
    [COLUMN_SALLSEQID] = {"sallseqid", "subject ids", 0},
    [COLUMN_SACC] = {"sacc", "subject acc.", 0},
    [COLUMN_SACCVER] = {"saccver", "subject acc.ver", 0},
    [COLUMN_SALLACC] = {"sallacc", "subject accs.", 0},
    [COLUMN_SLEN] = {"slen", "subject length", 0},
    [COLUMN_QSTART] = {"qstart", "q. start", 0},
    [COLUMN_QEND] = {"qend", "q. end", 0},
    [COLUMN_SSTART] = {"sstart", "s. start", 0},
    [COLUMN_SEND] = {"send", "s. end", 0},
    [COLUMN_QSEQ] = {"qseq", "query seq", 1},
    [COLUMN_SSEQ] = {"sseq", "subject seq", 1},
    [COLUMN_EVALUE] = {"evalue", "evalue", 0},
    [COLUMN_BITSCORE] = {"bitscore", "bit score", 0},
    [COLUMN_SCORE] = {"score", "score", 0},
    [COLUMN_LENGTH] = {"length", "alignment length", 0},
    [COLUMN_PIDENT] = {"pident", "% identity", 0},
    [COLUMN_NIDENT] = {"nident", "identical", 0},
    [COLUMN_MISMATCH] = {"mismatch", "mismatches", 0},
    [COLUMN_POSITIVE] = {"positive", "positives", 0},
    [COLUMN_GAPOPEN] = {"gapopen", "gap opens", 0},
    [COLUMN_GAPS] = {"gaps", "gaps", 0},
    [COLUMN_PPOS] = {"ppos", "% positives", 0},
    [COLUMN_FRAMES] = {"frames", "query/sbjct frames", 0},
    [COLUMN_QFRAME] = {"qframe", "query frame", 0},
    [COLUMN_SFRAME] = {"sframe", "sbjct frame", 0},
    [COLUMN_BTOP] = {"btop", "BTOP", 1},
    [COLUMN_STITLE] = {"stitle", "subject title", 0},
    [COLUMN_SALLTITLES] = {"salltitles", "subject titles", 0},
    [COLUMN_SSTRAND] = {"sstrand", "subject strand", 0},
    [COLUMN_QCOVS] = {"qcovs", "% query coverage per subject", 0},
    [COLUMN_QCOVHSP] = {"qcovhsp", "% query coverage per hsp", 0},
};

static const enum column standard[] = {COLUMN_QACCVER,  COLUMN_SACCVER, COLUMN_PIDENT, COLUMN_LENGTH,
                                       COLUMN_MISMATCH, COLUMN_GAPOPEN, COLUMN_QSTART, COLUMN_QEND,
                                       COLUMN_SSTART,   COLUMN_SEND,    COLUMN_EVALUE, COLUMN_BITSCORE};

enum { STANDARD_COUNT = sizeof standard / sizeof standard[0] };

static const char spaces[] = " \t\n";

int columns_contain(const struct columns *columns, enum column column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i] == column)
            return 1;
    return 0;
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

static int names_it(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static int refuse(const char *name, size_t length, struct why *why)
{
    why_say(why, 0, "no column is called '%.*s'; there are std", (int)(length < 40 ? length : 40), name);
    for (int i = 0; i < COLUMN_KINDS; i++)
        why_append(why, " %s", kinds[i].name);
    return COLUMNS_EUNKNOWN;
}

static int add_named(struct columns *columns, const char *name, size_t length, struct why *why)
{
    if (names_it("std", name, length)) {
        add_standard(columns);
        return 0;
    }
    for (int i = 0; i < COLUMN_KINDS; i++)
        if (names_it(kinds[i].name, name, length)) {
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

enum column columns_first_of_bases(const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (kinds[columns->items[i]].of_bases)
            return columns->items[i];
    return COLUMN_KINDS;
}

const char *column_name(enum column column)
{
    return kinds[column].name;
}

const char *column_field(enum column column)
{
    return kinds[column].field;
}
