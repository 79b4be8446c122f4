#include "model/forecast/crossed_sample.h"

#include <math.h>

/* Estimate the total of a row or a column from its drawn values, which are `step` apart: each stands for as many as its
 * stratum has for each drawn one. */
static double weighted_sum(const struct sample_stratum *strata, size_t count, const double *values,
                           size_t step)
{
    double sum = 0;
    for (size_t h = 0; h < count; h++)
        for (size_t i = 0; i < strata[h].drawn; i++, values += step)
            sum += (double)strata[h].passes / (double)strata[h].drawn * *values;
    return sum;
}

/* A stratum of passes and one of windows: drawn values, `step` from row to row. */
struct cell {
    const double *values;
    size_t rows, columns, step;
};

static double mean_of(struct cell c)
{
    double sum = 0;
    for (size_t i = 0; i < c.rows; i++)
        for (size_t j = 0; j < c.columns; j++)
            sum += c.values[i * c.step + j];
    return sum / (double)(c.rows * c.columns);
}

/* The mean square of what neither its pass nor its window explains of a value. */
static double interaction_of(struct cell c)
{
    const double mean = mean_of(c);
    double squares = 0;
    if (c.rows < 2 || c.columns < 2)
        return 0;
    for (size_t i = 0; i < c.rows; i++) {
        const double row = mean_of((struct cell){c.values + i * c.step, 1, c.columns, c.step});
        for (size_t j = 0; j < c.columns; j++)
            squares += pow(c.values[i * c.step + j] - row, 2);
    }
    for (size_t j = 0; j < c.columns; j++)
        squares -= (double)c.rows * pow(mean_of((struct cell){c.values + j, c.rows, 1, c.step}) - mean, 2);
    return fmax(squares, 0) / (double)((c.rows - 1) * (c.columns - 1));
}

/* N^2 (1 - n / N) / n */
static double factor_of(const struct sample_stratum *s)
{
    return (double)s->passes * (double)(s->passes - s->drawn) / (double)s->drawn;
}

static double interaction_variance(const struct crossed_strata *s, const double *values, size_t columns)
{
    double sum = 0;
    for (size_t g = 0; g < s->row_strata; g++) {
        const double *first = values;
        for (size_t h = 0; h < s->column_strata; h++) {
            struct cell cell = {first, s->rows[g].drawn, s->columns[h].drawn, columns};
            double factor = factor_of(&s->rows[g]) * factor_of(&s->columns[h]);
            sum += factor > 0 ? factor * interaction_of(cell) : 0;
            first += s->columns[h].drawn;
        }
        values += s->rows[g].drawn * columns;
    }
    return sum;
}

/* What strata leave of the drawn values: its skewness, and the excess of its kurtosis; 0 if they leave nothing. */
struct shape {
    double count, skewness, excess;
};

static struct shape shape_of(const struct sample_stratum *strata, size_t count, const double *values)
{
    double squares = 0, cubes = 0, fourths = 0, n = (double)sample_drawn(strata, count);
    for (size_t h = 0; h < count; values += strata[h].drawn, h++) {
        const double mean = mean_of((struct cell){values, 1, strata[h].drawn, 0});
        for (size_t i = 0; i < strata[h].drawn; i++) {
            const double rest = values[i] - mean;
            squares += rest * rest / n;
            cubes += rest * rest * rest / n;
            fourths += rest * rest * rest * rest / n;
        }
    }
    return squares > 0 ? (struct shape){n, cubes / pow(squares, 1.5), fourths / (squares * squares) - 3}
                       : (struct shape){n, 0, 0};
}

/* Fewer degrees of freedom if tails are heavier than normal ones: Var s^2 / sigma^4 = 2 / f + k / n, with the excess k
 * of the kurtosis. */
static double freedom_of(struct shape s, double freedom)
{
    return fmax(1, 1 / (1 / freedom + fmax(s.excess, 0) / (2 * s.count)));
}

/* Cochran's rule, section 2.15: an interval fails in 6% of samples at most if n > 25 G^2, with the skewness G. Fewer
 * than ten values do not show theirs, even if they seem to make little of the error. */
static bool is_skewed(struct shape s, double error, double whole)
{
    return error > 0 && (s.count < 10 || (error > whole / 2 && s.count <= 25 * s.skewness * s.skewness));
}

int crossed_sample_total(const struct crossed_strata *s, const double *values, double *row_totals,
                         double *column_totals, struct crossed_estimate *out)
{
    const size_t rows = sample_drawn(s->rows, s->row_strata),
                 columns = sample_drawn(s->columns, s->column_strata);
    struct crossed_estimate found;
    for (size_t i = 0; i < rows; i++)
        row_totals[i] = weighted_sum(s->columns, s->column_strata, values + i * columns, 1);
    for (size_t j = 0; j < columns; j++)
        column_totals[j] = weighted_sum(s->rows, s->row_strata, values + j, columns);
    int status = sample_total(s->rows, s->row_strata, row_totals, &found.of_rows);
    if (status == 0)
        status = sample_total(s->columns, s->column_strata, column_totals, &found.of_columns);
    if (status)
        return status;
    const struct shape of_rows = shape_of(s->rows, s->row_strata, row_totals),
                       of_columns = shape_of(s->columns, s->column_strata, column_totals);
    found.of_rows.freedom = freedom_of(of_rows, found.of_rows.freedom);
    found.of_columns.freedom = freedom_of(of_columns, found.of_columns.freedom);
    found.whole = sample_sum(found.of_rows, found.of_columns); /* which share the interaction */
    found.whole.total = found.of_rows.total;
    const double variance = found.whole.error * found.whole.error - interaction_variance(s, values, columns);
    found.whole.error = fmax(sqrt(fmax(variance, 0)), fmax(found.of_rows.error, found.of_columns.error));
    found.is_skewed = is_skewed(of_rows, found.of_rows.error, found.whole.error) ||
                      is_skewed(of_columns, found.of_columns.error, found.whole.error);
    *out = found;
    return 0;
}
