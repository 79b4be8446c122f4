/* test_pass_sample.c - which passes are drawn, and whether intervals hold the truth as often as they say: over
 * samples of a run that was simulated whole. */
#include "sim/pass/pass_sample.h"

#include <check.h>
#include <stdlib.h>

#include "tests/run_suite.h"

/* --- the run --------------------------------------------------------------------------------------------- */

enum quantity { CLOCKS, HSPS, ALIGNMENTS, BUS_BYTES, BOARD_NS, QUANTITIES };

/* Every pass of Helicobacter pylori F32 against Gambia94/24 (NC_017366 x NC_017371, sibelia-examples) on mercury-2010:
 * clocks of the board, HSPs, alignments that begin in the segment, bytes on the bus, nanoseconds on the board. */
enum { RUN_PASSES = 50, PER_STRAND = 25 };
static const double run[RUN_PASSES][QUANTITIES] = {
    {414419, 59644, 52, 2996088, 4290076},  {374727, 73258, 27, 3212520, 3990262},
    {429600, 76822, 46, 3270392, 4403680},  {410903, 76432, 71, 3263400, 4262357},
    {500874, 79484, 13, 3315232, 4941799},  {449566, 45896, 8, 2778768, 4556958},
    {339063, 39892, 5, 2678920, 3722365},   {444010, 55222, 23, 2925992, 4513213},
    {611488, 80583, 203, 3347224, 5787737}, {474016, 78274, 27, 3296472, 4740453},
    {333151, 53961, 10, 2903056, 3676956},  {509032, 62933, 36, 3050984, 5003699},
    {427946, 77050, 35, 3274808, 4392004},  {375739, 71885, 34, 3190216, 3997539},
    {473406, 46161, 4, 2782432, 4735637},   {385584, 44773, 2, 2758744, 4073857},
    {454071, 57339, 20, 2962352, 4591321},  {412458, 74836, 26, 3238064, 4274247},
    {435849, 78878, 50, 3304128, 4451496},  {517643, 79333, 47, 3311760, 5066837},
    {497411, 71523, 27, 3189040, 4916933},  {418607, 71440, 51, 3183952, 4320702},
    {547186, 81988, 27, 3355856, 5290564},  {523007, 77279, 21, 3279888, 5108149},
    {138606, 11740, 6, 2222520, 2209266},   {454199, 46244, 0, 2782904, 4590376},
    {443775, 46995, 1, 2794752, 4511834},   {389411, 46205, 12, 2781320, 4102299},
    {492293, 56492, 13, 2949784, 4879678},  {388982, 41883, 8, 2711960, 4098867},
    {347265, 40775, 5, 2694520, 3785491},   {336529, 38711, 9, 2659664, 3702956},
    {388743, 52339, 48, 2879232, 4097047},  {556197, 79941, 25, 3326544, 5361719},
    {536134, 80421, 23, 3330256, 5206943},  {388518, 49885, 12, 2839536, 4094928},
    {374758, 42914, 4, 2728600, 3992063},   {486244, 56347, 13, 2944904, 4831664},
    {387317, 66479, 21, 3104352, 4085217},  {352461, 40838, 3, 2696872, 3825888},
    {411470, 36542, 0, 2643176, 4284444},   {471311, 62155, 75, 3037440, 4718998},
    {400945, 75355, 39, 3246400, 4187715},  {471274, 79976, 33, 3322896, 4719037},
    {436500, 46517, 2, 2787320, 4457349},   {372248, 43745, 20, 2741040, 3972343},
    {366585, 42206, 6, 2716016, 3929369},   {310190, 39970, 6, 2680232, 3505338},
    {446813, 66376, 17, 3103928, 4533766},  {127080, 6451, 3, 2137880, 2122588},
};

enum { LENGTH = 65400, OVERLAP = 64, LAST_LENGTH = 10760 };

static struct sequence_record genome = {.name = "genome"};
static const struct sequences one_record = {
    .records = &genome, .record_count = 1, .positions = (PER_STRAND - 1) * (LENGTH - OVERLAP) + LAST_LENGTH};

static struct query_segment *cut(const struct sequences *query, size_t *passes)
{
    return segments_cut(query->positions, LENGTH, OVERLAP, STRANDS_BOTH, passes);
}

static struct pass_sample *draw(const struct sequences *query, size_t count, uint64_t seed)
{
    size_t passes;
    struct query_segment *segments = cut(query, &passes);
    struct pass_sample *sample = pass_sample_new(segments, passes, query, count, seed);
    ck_assert_ptr_nonnull(sample);
    free(segments);
    return sample;
}

/* --- coverage -------------------------------------------------------------------------------------------- */

enum { DRAWS = 200 };

static double total_of(enum quantity quantity)
{
    double sum = 0;
    for (size_t i = 0; i < RUN_PASSES; i++)
        sum += run[i][quantity];
    return sum;
}

static struct sample_estimate estimate(const struct pass_sample *sample, enum quantity quantity)
{
    double values[RUN_PASSES];
    struct sample_estimate e;
    for (size_t i = 0; i < sample->count; i++)
        values[i] = run[sample->numbers[i]][quantity];
    ck_assert_int_eq(sample_total(sample->strata, sample->stratum_count, values, &e), 0);
    return e;
}

/* 95% of 200 samples hold the truth; 90 to 99% is what chance leaves of that. */
START_TEST(test_intervals_hold_the_truth)
{
    static const size_t counts[] = {5, 10, 20};
    static const char *const names[QUANTITIES] = {"clocks", "HSPs", "alignments", "bytes", "time"};
    const size_t count = counts[_i];
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        unsigned held = 0;
        for (uint64_t seed = 1; seed <= DRAWS; seed++) {
            struct pass_sample *sample = draw(&one_record, count, seed);
            struct sample_interval i = sample_interval(estimate(sample, q));
            held += i.low <= total_of(q) && total_of(q) <= i.high;
            pass_sample_destroy(sample);
        }
        ck_assert_msg(held >= 0.9 * DRAWS && held <= 0.99 * DRAWS, "%u of %u samples of %zu: %s", held, DRAWS,
                      count, names[q]);
    }
}
END_TEST

/* The mean is 420,712, the deviation 87,799: random samples of 5 miss the total by 0.2087 sqrt(0.9 / 5) = 8.9%,
 * strata help little. The last pass, which is drawn with 10 and 20, has 127,080 clocks. Without it the deviation is
 * 77,868, 18.2% of the mean of the 49 others: 10 of 50 miss the total by 0.182 sqrt((1 - 9 / 49) / 9) x 49 / 50 =
 * 5.4%, 20 by 3.2%. */
START_TEST(test_errors_are_those_of_sampling)
{
    static const size_t counts[] = {5, 10, 20};
    static const double deviations[] = {0.0885, 0.0540, 0.0320};
    double squares = 0, truth = total_of(CLOCKS), deviation = deviations[_i];
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        struct pass_sample *sample = draw(&one_record, counts[_i], seed);
        double error = estimate(sample, CLOCKS).total / truth - 1;
        squares += error * error / DRAWS;
        pass_sample_destroy(sample);
    }
    ck_assert_double_eq_tol(squares, deviation * deviation, 0.25 * deviation * deviation);
}
END_TEST

/* --- which passes ---------------------------------------------------------------------------------------- */

START_TEST(test_strands_are_strata)
{
    struct pass_sample *fewest = draw(&one_record, PASS_LAST_LEAST - 1, 1);
    struct pass_sample *few = draw(&one_record, PASS_LAST_LEAST, 1), *more = draw(&one_record, 11, 1);
    ck_assert_uint_eq(fewest->stratum_count, 1);
    ck_assert_uint_eq(fewest->strata[0].passes, RUN_PASSES);
    ck_assert_uint_eq(few->stratum_count, 2);
    ck_assert_uint_eq(few->strata[0].passes, RUN_PASSES - 1);
    ck_assert_uint_eq(few->strata[0].drawn, PASS_LAST_LEAST - 1);
    ck_assert_uint_eq(more->stratum_count, 3);
    ck_assert_uint_eq(more->strata[0].passes, PER_STRAND);
    ck_assert_uint_eq(more->strata[1].passes, PER_STRAND - 1);
    ck_assert_uint_eq(more->strata[0].drawn + more->strata[1].drawn, 10);
    ck_assert_uint_ge(more->strata[1].drawn, 5);
    for (size_t i = 0; i < more->count; i++)
        ck_assert_int_eq(more->numbers[i] >= PER_STRAND, i >= more->strata[0].drawn);
    pass_sample_destroy(fewest);
    pass_sample_destroy(few);
    pass_sample_destroy(more);
}
END_TEST

/* Records of 40, 8 and 2 passes on each strand: of 45 passes the first two are expected to have 18 and 3.6, so that the
 * two small ones are one stratum; on the minus strand they come first. The last pass is drawn anyway; of 44 others the
 * last one that is shared out goes to the 39, whose share is 17.55. */
START_TEST(test_records_are_strata)
{
    static struct sequence_record records[] = {
        {.begin = 0}, {.begin = 40 * (LENGTH - OVERLAP)}, {.begin = 48 * (LENGTH - OVERLAP)}};
    static const struct sequences query = {
        .records = records, .record_count = 3, .positions = 50 * (LENGTH - OVERLAP)};
    struct pass_sample *sample = draw(&query, 45, 1);
    ck_assert_uint_eq(sample->passes, 100);
    ck_assert_uint_eq(sample->stratum_count, 5);
    static const size_t passes[] = {40, 10, 10, 39, 1}, drawn[] = {18, 4, 4, 18, 1};
    for (size_t h = 0; h < 5; h++) {
        ck_assert_uint_eq(sample->strata[h].passes, passes[h]);
        ck_assert_uint_eq(sample->strata[h].drawn, drawn[h]);
    }
    pass_sample_destroy(sample);
}
END_TEST

/* Each pass but the last is drawn as often as any other: 500 times of 9 of 49 are 92 each, with a deviation of 9. The
 * last one is always drawn, unless all others would be too few. */
START_TEST(test_every_pass_is_as_likely)
{
    unsigned drawn[RUN_PASSES] = {0};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct pass_sample *sample = draw(&one_record, 10, seed);
        ck_assert_uint_eq(sample->count, 10);
        for (size_t i = 0; i < sample->count; i++) {
            ck_assert(i == 0 || sample->numbers[i] > sample->numbers[i - 1]);
            drawn[sample->numbers[i]]++;
        }
        pass_sample_destroy(sample);
    }
    for (size_t i = 0; i + 1 < RUN_PASSES; i++)
        ck_assert_msg(drawn[i] > 55 && drawn[i] < 130, "pass %zu was drawn %u times", i + 1, drawn[i]);
    ck_assert_uint_eq(drawn[RUN_PASSES - 1], 500);
    struct pass_sample *few = draw(&one_record, PASS_STRATUM_LEAST, 1);
    ck_assert_uint_eq(few->stratum_count, 1);
    ck_assert_uint_eq(few->strata[0].passes, RUN_PASSES);
    pass_sample_destroy(few);
}
END_TEST

static bool has(const struct pass_sample *sample, size_t number)
{
    for (size_t i = 0; i < sample->count; i++)
        if (sample->numbers[i] == number)
            return true;
    return false;
}

/* A sample that grows keeps its passes, until it is the run. The same seed draws the same passes. */
START_TEST(test_growth)
{
    struct pass_sample *sample = draw(&one_record, 10, 3), *again = draw(&one_record, 10, 3),
                       *other = draw(&one_record, 10, 4);
    bool differs = false;
    for (size_t i = 0; i < 10; i++)
        differs = differs || !has(sample, other->numbers[i]);
    ck_assert(differs);
    for (size_t count = 11; count <= RUN_PASSES; count += 3) {
        pass_sample_grow(sample, count);
        ck_assert_uint_eq(sample->count, count);
        ck_assert_uint_eq(sample->strata[0].drawn + sample->strata[1].drawn + 1, count);
        for (size_t i = 0; i < 10; i++)
            ck_assert(has(sample, again->numbers[i]));
    }
    pass_sample_grow(sample, 1000);
    ck_assert_uint_eq(sample->count, RUN_PASSES);
    ck_assert_uint_eq(sample->numbers[RUN_PASSES - 1], RUN_PASSES - 1);
    ck_assert_double_eq(estimate(sample, CLOCKS).total, total_of(CLOCKS));
    ck_assert_double_eq(estimate(sample, CLOCKS).error, 0);
    pass_sample_destroy(sample);
    pass_sample_destroy(again);
    pass_sample_destroy(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_sample");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_intervals_hold_the_truth, 0, 3);
    tcase_add_loop_test(core, test_errors_are_those_of_sampling, 0, 3);
    tcase_add_test(core, test_strands_are_strata);
    tcase_add_test(core, test_records_are_strata);
    tcase_add_test(core, test_every_pass_is_as_likely);
    tcase_add_test(core, test_growth);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
