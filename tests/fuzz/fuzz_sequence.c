/* fuzz_sequence.c - FASTA: any bytes are sequences whose numbers agree, or are refused. */
#include <string.h>

#include "blast/sequence/fasta.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct sequences *s)
{
    uint64_t position = 0, bases = 0;
    fuzz_demand(s->record_count >= 1);
    for (size_t i = 0; i < s->record_count; i++) {
        const struct sequence_record *r = &s->records[i];
        fuzz_demand(r->begin == position && r->bases >= 1);
        fuzz_demand(r->name && r->name[0] && strcspn(r->name, " \t\r\n") == strlen(r->name));
        fuzz_demand(sequences_record_at(s, r->begin) == i);
        for (uint64_t at = r->begin; at < r->begin + r->bases; at++)
            fuzz_demand(sequences_code(s, at) <= BASE_N);
        position += r->bases + 1;
        bases += r->bases;
    }
    fuzz_demand(s->positions == position - 1 && s->bases == bases && s->ambiguous <= bases);
    fuzz_demand(s->word_count == (s->positions + BASES_PER_WORD - 1) / BASES_PER_WORD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sequences sequences = {0};
    struct why why;
    if (fuzz_succeeded(sequences_read(fuzz_file(data, size), &sequences, &why), &why))
        check(&sequences);
    sequences_destroy(&sequences);
    return 0;
}
