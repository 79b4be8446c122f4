/* test_database_parts.c - parts of a database have all its records, nearly equal shares of its bases, and every base at
 * its place.
 */
#include "blast/sequence/database_parts.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"

enum { RECORDS_MAX = 40 };

static struct sequence_record records[RECORDS_MAX];
static struct sequences database;

/* Records with a separator between two of them; base p of the concatenation is p % 4. */
static void make_database(const uint64_t *bases, size_t count)
{
    uint64_t at = 0;
    database = (struct sequences){.records = records, .record_count = count};
    for (size_t i = 0; i < count; i++) {
        records[i] = (struct sequence_record){.name = "record", .begin = at, .bases = bases[i]};
        database.bases += bases[i];
        at += bases[i] + 1;
    }
    database.positions = at - 1;
    database.word_count = (at - 1 + BASES_PER_WORD - 1) / BASES_PER_WORD;
    database.words = malloc(database.word_count * sizeof *database.words);
    ck_assert_ptr_nonnull(database.words);
    for (uint64_t i = 0; i < database.word_count; i++)
        database.words[i] = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        for (uint64_t p = records[i].begin; p < records[i].begin + bases[i]; p++)
            database.words[p / 16] &= ~((15 - p % 4) << (4 * (p % 16)));
}

/* Every place of a part is that of the database, or a separator where the part has no record. */
static void assert_same_bases(const struct database_part *part)
{
    const struct sequences *s = &part->sequences;
    for (uint64_t p = 0; p < s->word_count * BASES_PER_WORD; p++) {
        const struct sequence_record *r = &s->records[sequences_record_at(s, p)];
        bool inside = p >= r->begin && p < r->begin + r->bases;
        unsigned expected = inside ? sequences_code(&database, p + part->first_position) : BASE_SEPARATOR;
        ck_assert_uint_eq(sequences_code(s, p), expected);
    }
}

static void assert_same_records(const struct database_part *part)
{
    const struct sequences *s = &part->sequences;
    uint64_t bases = 0;
    ck_assert_uint_eq(part->first_position % BASES_PER_WORD, 0);
    for (size_t i = 0; i < s->record_count; i++) {
        const struct sequence_record *r = &records[part->first_record + i];
        ck_assert_uint_eq(s->records[i].begin + part->first_position, r->begin);
        ck_assert_uint_eq(s->records[i].bases, r->bases);
        bases += r->bases;
    }
    ck_assert_uint_eq(s->bases, bases);
    ck_assert_uint_lt(s->records[0].begin, BASES_PER_WORD);
}

static void assert_dealt(const struct database_part *parts, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(parts[i].first_record, next);
        ck_assert_uint_ge(parts[i].sequences.record_count, 1);
        next += parts[i].sequences.record_count;
        assert_same_records(&parts[i]);
        assert_same_bases(&parts[i]);
    }
    ck_assert_uint_eq(next, database.record_count);
}

/* Loop index = number of parts. Lengths around a word's, so that borders lie at any place of a word. */
START_TEST(test_parts_have_all_records_at_their_places)
{
    uint64_t bases[RECORDS_MAX];
    for (size_t i = 0; i < RECORDS_MAX; i++)
        bases[i] = 1 + i * 7 % 37;
    make_database(bases, RECORDS_MAX);
    struct database_part *parts = database_parts_new(&database, (size_t)_i);
    ck_assert_ptr_nonnull(parts);
    assert_dealt(parts, (size_t)_i);
    database_parts_destroy(parts, (size_t)_i);
    free(database.words);
}
END_TEST

/* Records have 10, 10, 10, 50, 10, 10 bases: two parts have 50 each if the border were inside the fourth record.
 * Before it are 30, behind it 80: 30 is 20 away from 50, 80 is 30 away. Three parts: 33 and 67 are nearest to 30 and
 * 80. */
START_TEST(test_borders_are_nearest_to_equal_shares)
{
    static const uint64_t bases[] = {10, 10, 10, 50, 10, 10};
    make_database(bases, 6);
    struct database_part *two = database_parts_new(&database, 2), *three = database_parts_new(&database, 3);
    ck_assert(two && three);
    ck_assert_uint_eq(two[1].first_record, 3);
    ck_assert_uint_eq(three[1].first_record, 3);
    ck_assert_uint_eq(three[2].first_record, 4);
    database_parts_destroy(two, 2);
    database_parts_destroy(three, 3);
    free(database.words);
}
END_TEST

/* The last record has nearly everything; the parts before it still need a record each. */
START_TEST(test_every_part_has_a_record)
{
    static const uint64_t first[] = {1000, 1, 1, 1}, last[] = {1, 1, 1, 1000};
    for (unsigned i = 0; i < 2; i++) {
        make_database(i ? last : first, 4);
        struct database_part *parts = database_parts_new(&database, 4);
        ck_assert_ptr_nonnull(parts);
        assert_dealt(parts, 4);
        database_parts_destroy(parts, 4);
        free(database.words);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("database_parts");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_parts_have_all_records_at_their_places, 1, RECORDS_MAX + 1);
    tcase_add_test(core, test_borders_are_nearest_to_equal_shares);
    tcase_add_test(core, test_every_part_has_a_record);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
