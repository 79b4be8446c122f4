#include "blast/write/columns.h"

#include "base/words.h"

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

static const struct names kind_names = {kinds, sizeof *kinds, COLUMN_KINDS, false};

static int refuse(struct word name, struct why *why)
{
    const char *nearest = names_nearest(kind_names, name);
    why_say(why, COLUMNS_EUNKNOWN, "no column is called '%.*s'; %s%s%sthere are std",
            (int)(name.length < 40 ? name.length : 40), name.text, nearest ? "did you mean " : "",
            nearest ? nearest : "", nearest ? "? " : "");
    for (int i = 0; i < COLUMN_KINDS; i++)
        why_append(why, " %s", kinds[i].name);
    return COLUMNS_EUNKNOWN;
}

int columns_parse(const char *names, struct columns *columns, struct why *why)
{
    struct columns parsed = {.count = 0};
    for (struct word rest = word_of(names); rest.text;) {
        struct word name = word_cut(&rest, " \t\n");
        int found = names_find(kind_names, name);
        if (found >= 0)
            add(&parsed, (enum column)found);
        else if (word_is(name, "std"))
            add_standard(&parsed);
        else if (name.length > 0)
            return refuse(name, why);
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
