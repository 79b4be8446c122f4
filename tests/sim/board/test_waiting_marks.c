/* test_waiting_marks.c - marks come back as they were added, however many wait, and where they wait. */
#include "sim/board/waiting_marks.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdlib.h>

#include "tests/sim/board/random_tokens.h"

/* One kind after the other: marks of a full stage, one a clock; of records, whose distances take turns; any. */
struct source {
    struct dice dice;
    int64_t time;
    uint64_t number;
    bool regular;
};

struct mark {
    int64_t time;
    uint8_t count;
};

static struct mark next_mark(struct source *s)
{
    const bool any = !s->regular && s->number % 7000 > 3000;
    const uint8_t count = any ? (uint8_t)dice_below(&s->dice, 3) : 2;
    s->time += any ? (int64_t)dice_below(&s->dice, 1 << 20) : s->regular || s->number % 3 > 0 ? 1 : 2;
    s->number++;
    return (struct mark){s->time, count};
}

static void add_marks(struct waiting_marks *w, struct source *s, size_t marks)
{
    for (size_t i = 0; i < marks; i++) {
        const struct mark mark = next_mark(s);
        ck_assert(waiting_marks_add(w, mark.time, mark.count));
    }
}

static void assert_first(struct waiting_marks *w, struct source *s, size_t marks)
{
    for (size_t i = 0; i < marks; i++) {
        const struct mark mark = next_mark(s);
        const struct mark_run *run = waiting_marks_first(w);
        ck_assert(run != NULL);
        ck_assert_int_eq(run->time, mark.time);
        ck_assert_uint_eq(run->count, mark.count);
        waiting_marks_take(w);
    }
}

enum { MANY = 300000 };

START_TEST(test_marks_come_back_in_order)
{
    struct waiting_marks waiting = {0};
    struct source added = {{(uint64_t)_i + 1}, .regular = _i == 0}, taken = added;
    size_t wait = 0;
    ck_assert(waiting_marks_first(&waiting) == NULL);
    for (int turn = 0; turn < 6; turn++) { /* more and more wait; then all come back, and it begins anew */
        add_marks(&waiting, &added, MANY);
        wait += MANY;
        const size_t take = turn % 3 == 2 ? wait : MANY / 7;
        assert_first(&waiting, &taken, take);
        wait -= take;
        ck_assert(_i > 0 || !waiting.file.is_open); /* which are some runs only */
        ck_assert(_i == 0 || turn == 2 || turn == 5 || waiting.file.is_open);
    }
    ck_assert(waiting_marks_first(&waiting) == NULL);
    ck_assert(!waiting.file.is_open);
    waiting_marks_destroy(&waiting);
}
END_TEST

/* Whoever looks how a pass would end takes all marks of a copy. */
START_TEST(test_a_copy_leaves_the_marks)
{
    struct waiting_marks waiting = {0}, copy;
    struct source added = {{9}, .regular = false}, taken = added, of_copy;
    for (int turn = 0; turn < 3; turn++) {
        add_marks(&waiting, &added, MANY);
        assert_first(&waiting, &taken, MANY / 5);
        of_copy = taken;
        ck_assert(waiting_marks_copy(&copy, &waiting));
        assert_first(&copy, &of_copy, (size_t)(added.number - taken.number));
        ck_assert(waiting_marks_first(&copy) == NULL);
        waiting_marks_destroy(&copy);
    }
    assert_first(&waiting, &taken, (size_t)(added.number - taken.number));
    waiting_marks_destroy(&waiting);
}
END_TEST

START_TEST(test_no_place_for_the_file)
{
    struct waiting_marks waiting = {0};
    struct source added = {{3}, .regular = false};
    setenv("TMPDIR", "/nowhere", 1);
    bool room = true;
    for (int i = 0; i < MANY && room; i++) {
        const struct mark mark = next_mark(&added);
        room = waiting_marks_add(&waiting, mark.time, mark.count);
    }
    ck_assert(!room);
    ck_assert(waiting.file_failed);
    waiting_marks_destroy(&waiting);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("waiting_marks");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_marks_come_back_in_order, 0, 3);
    tcase_add_test(core, test_a_copy_leaves_the_marks);
    tcase_add_test(core, test_no_place_for_the_file);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
