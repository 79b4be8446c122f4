/* fuzz_token_record.c - token records with right checksums: what is opened agrees with itself, and its passes are read
 * to their end or found damaged. */
#include <math.h>
#include <stdlib.h>

#include "sim/tokens/token_record.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/records.h"

enum { BLOCK_WORDS = 8192, BLOCKS_MOST = 64 };

static void check_run(const struct recorded_run *run)
{
    const struct token_record_facts *f = &run->facts;
    const struct sequences *q = f->query, *d = f->database;
    for (size_t i = 0; i < f->pass_count; i++)
        fuzz_demand(f->segments[i].length >= 1 && f->segments[i].length <= q->positions &&
                    f->segments[i].begin <= q->positions - f->segments[i].length);
    for (size_t i = 0; i < run->alignments.count; i++) {
        const struct alignment *a = &run->alignments.items[i];
        fuzz_demand(a->query_record < q->record_count && a->database_record < d->record_count);
        fuzz_demand(a->query_begin < a->query_end && a->query_end <= q->positions);
        fuzz_demand(a->database_begin < a->database_end && a->database_end <= d->positions);
        fuzz_demand(a->columns == a->identities + a->mismatches + a->gaps);
        fuzz_demand(isfinite(a->bits) && a->e_value >= 0 && a->e_value <= f->e_value);
    }
}

/* As the engines do: blocks, then what stage 3 did with their HSPs. */
static void read_pass(const struct token_record *record, size_t pass)
{
    struct token_reader reader;
    struct stage_source source = token_reader_begin(&reader, record, pass);
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    uint64_t first = 0, cells;
    bool whole = true;
    for (unsigned block = 0; whole && block < BLOCKS_MOST && first < source.database_words; block++) {
        uint64_t left = source.database_words - first, count = left < BLOCK_WORDS ? left : BLOCK_WORDS;
        whole = source.scan(source.data, first, count, &tokens, &counts);
        struct stage3_work *work = malloc((tokens.hsp_count + 1) * sizeof *work);
        whole = whole && source.extend(source.data, tokens.hsps, tokens.hsp_count, work);
        free(work);
        first += count;
    }
    if (whole && first == source.database_words && source.finish(source.data, &cells))
        token_reader_is_whole(&reader);
    token_reader_destroy(&reader);
    tokens_destroy(&tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct token_record *record = NULL;
    struct why why;
    uint8_t *bytes = fuzz_copy(data, size);
    token_record_seal(bytes, size);
    if (fuzz_succeeded(token_record_open(fuzz_file(bytes, size), &record, &why), &why)) {
        check_run(token_record_run(record));
        for (size_t i = 0; i < token_record_run(record)->facts.pass_count; i++)
            read_pass(record, i);
        token_record_close(record);
    }
    free(bytes);
    return 0;
}
