#include "base/draw/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. */
static const double TICK_SIZE = 11, TITLE_SIZE = 12, TICK_LENGTH = 4;
static const double X_TICK_ROOM = 58, Y_TICK_ROOM = 26; /* between two ticks, at least */

/* A logarithmic axis of a wider range has powers of ten as labels. */
static const double PLAIN_RANGE = 1.01e4;

/* --- ticks ----------------------------------------------------------------------------------------------- */

/* The least of 1, 2, 5 times a power of ten that is not below `value`. */
static double round_up(double value)
{
    double power = pow(10, floor(log10(value)));
    double digits = value / power;
    return power * (digits <= 1 + 1e-9 ? 1 : digits <= 2 + 1e-9 ? 2 : digits <= 5 + 1e-9 ? 5 : 10);
}

/* The greatest that is not above it. */
static double round_down(double value)
{
    double power = pow(10, floor(log10(value)));
    double digits = value / power;
    return power * (digits >= 5 - 1e-9 ? 5 : digits >= 2 - 1e-9 ? 2 : 1);
}

static struct chart_ticks linear_ticks(const struct chart_axis *axis, unsigned most)
{
    struct chart_ticks ticks = {.count = 0};
    double step = round_up((axis->most - axis->least) / most);
    if (axis->whole && step < 1)
        step = 1;
    double first = ceil(axis->least / step - 1e-9), last = floor(axis->most / step + 1e-9);
    for (double i = first; i <= last && ticks.count < CHART_TICKS_MAX; i++)
        ticks.at[ticks.count++] = i * step + 0.0;
    return ticks;
}

/* Every power of ten, or every second, third, ... one; 2 and 5 times the powers if there are few of these. */
static struct chart_ticks logarithmic_ticks(const struct chart_axis *axis, unsigned most)
{
    struct chart_ticks ticks = {.count = 0};
    static const double between[] = {1, 2, 5};
    int first = (int)floor(log10(axis->least) + 1e-9), last = (int)floor(log10(axis->most) + 1e-9);
    int powers = last - first + 1, step = (powers + (int)most - 1) / (int)most;
    unsigned parts = (unsigned)powers * 3 <= most ? 3 : 1;
    for (int power = first; power <= last; power += step)
        for (unsigned i = 0; i < parts && ticks.count < CHART_TICKS_MAX; i++) {
            double at = between[i] * pow(10, power);
            if (at >= axis->least * (1 - 1e-9) && at <= axis->most * (1 + 1e-9))
                ticks.at[ticks.count++] = at;
        }
    return ticks;
}

/* Every power of two, or every second, third, ... one. */
static struct chart_ticks ticks_by_two(const struct chart_axis *axis, unsigned most)
{
    struct chart_ticks ticks = {.count = 0};
    int first = (int)ceil(log2(axis->least) - 1e-9), last = (int)floor(log2(axis->most) + 1e-9);
    int powers = last - first + 1, step = (powers + (int)most - 1) / (int)most;
    for (int power = first; power <= last && ticks.count<CHART_TICKS_MAX; power += step> 0 ? step : 1)
        ticks.at[ticks.count++] = exp2(power);
    return ticks;
}

struct chart_ticks chart_find_ticks(const struct chart_axis *axis, unsigned most)
{
    if (most < 2)
        most = 2;
    if (most > CHART_TICKS_MAX)
        most = CHART_TICKS_MAX;
    if (axis->logarithmic)
        return axis->by_two ? ticks_by_two(axis, most) : logarithmic_ticks(axis, most);
    return linear_ticks(axis, most);
}

/* --- labels ---------------------------------------------------------------------------------------------- */

/* Write a number of three digits without the zeros at its end; printf() would take the decimal point of the locale. */
static void write_digits(double value, char text[SVG_NUMBER_BYTES])
{
    static const double least[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995};
    static const double scales[] = {1, 10, 100, 1000, 1e4, 1e5};
    char fraction[8] = ".";
    int decimals = 0;
    while (decimals < 5 && value < least[decimals])
        decimals++;
    long long units = llround(value * scales[decimals]);
    for (; decimals > 0 && units % 10 == 0; decimals--)
        units /= 10;
    for (int i = decimals; i > 0; i--, units /= 10)
        fraction[i] = (char)('0' + units % 10);
    fraction[decimals + 1] = '\0';
    snprintf(text, SVG_NUMBER_BYTES, "%lld%s", units, decimals > 0 ? fraction : "");
}

const char *chart_label(double value, char text[CHART_LABEL_BYTES])
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
    enum { ONE = 4, LAST = 9 };
    char number[SVG_NUMBER_BYTES];
    int prefix = ONE;
    double size = fabs(value);
    if (!(size > 1e-14) || !isfinite(value))
        return strcpy(text, isfinite(value) ? "0" : "-");
    for (; size >= 999.5 && prefix < LAST; prefix++)
        size /= 1000;
    /* 0.002 is easier to read than 2 m. */
    for (; (size < 0.0009995 || (prefix < ONE && size < 0.9995)) && prefix > 0; prefix--)
        size *= 1000;
    write_digits(size, number);
    snprintf(text, CHART_LABEL_BYTES, "%s%s%s%s", value < 0 ? "-" : "", number, prefix == ONE ? "" : " ",
             prefixes[prefix]);
    return text;
}

/* Write a power as base and raised digits. */
static const char *write_power(const char *base, int power, char text[CHART_LABEL_BYTES])
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    snprintf(text, CHART_LABEL_BYTES, "%s%s%s%s", base, power < 0 ? "⁻" : "",
             abs(power) > 9 ? digits[abs(power) / 10] : "", digits[abs(power) % 10]);
    return text;
}

const char *chart_power_label(double value, char text[CHART_LABEL_BYTES])
{
    double exponent = log10(value);
    int power = (int)lround(exponent);
    if (fabs(exponent - power) > 1e-6 || (power >= 0 && power <= 1) || abs(power) > 99)
        return chart_label(value, text);
    return write_power("10", power, text);
}

const char *chart_two_label(double value, char text[CHART_LABEL_BYTES])
{
    double exponent = log2(value);
    int power = (int)lround(exponent);
    if (fabs(exponent - power) > 1e-6 || abs(power) > 99)
        return chart_label(value, text);
    return write_power("2", power, text);
}

const char *chart_plain_label(double value, char text[CHART_LABEL_BYTES])
{
    char number[SVG_NUMBER_BYTES];
    if (!isfinite(value) || fabs(value) > 1e15)
        return chart_label(value, text);
    write_digits(fabs(value), number);
    snprintf(text, CHART_LABEL_BYTES, "%s%s", value < 0 ? "-" : "", number);
    return text;
}

/* --- axes ------------------------------------------------------------------------------------------------ */

struct chart_axis chart_axis_to(double most, const char *title)
{
    struct chart_axis axis = {.most = most > 0 && isfinite(most) ? most : 1, .title = title};
    double step = round_up(axis.most / 8);
    axis.most = ceil(axis.most / step - 1e-9) * step;
    return axis;
}

struct chart_axis chart_axis_logarithmic(double least, double most, const char *title)
{
    struct chart_axis axis = {.logarithmic = true, .title = title};
    if (!(least > 0) || !isfinite(least))
        least = 1;
    if (!(most > least) || !isfinite(most))
        most = least;
    axis.least = round_down(least);
    axis.most = round_up(most);
    if (axis.most <= axis.least)
        axis.most = axis.least * 10;
    return axis;
}

double chart_place(const struct chart_axis *axis, double value)
{
    double share;
    if (axis->logarithmic)
        share = value > 0 ? log(value / axis->least) / log(axis->most / axis->least) : 0;
    else
        share = (value - axis->least) / (axis->most - axis->least);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return axis->from + share * (axis->to - axis->from);
}

void chart_put(struct chart *chart, double left, double top, double width, double height)
{
    chart->x.from = left;
    chart->x.to = left + width;
    chart->y.from = top + height;
    chart->y.to = top;
}

static const char *tick_label(const struct chart_axis *axis, double value, char text[CHART_LABEL_BYTES])
{
    bool powers = axis->logarithmic && axis->most / axis->least > PLAIN_RANGE;
    if (axis->plain)
        return chart_plain_label(value, text);
    if (axis->by_two)
        return chart_two_label(value, text);
    return powers ? chart_power_label(value, text) : chart_label(value, text);
}

static void draw_x_axis(const struct chart *c)
{
    const struct chart_axis *axis = &c->x;
    struct chart_ticks ticks = chart_find_ticks(axis, (unsigned)((axis->to - axis->from) / X_TICK_ROOM));
    for (unsigned i = 0; i < ticks.count && !axis->bare; i++) {
        char text[CHART_LABEL_BYTES];
        double at = chart_place(axis, ticks.at[i]);
        svg_line(c->svg, at, c->y.to, at, c->y.from, "s4 thin");
        svg_line(c->svg, at, c->y.from, at, c->y.from + TICK_LENGTH, "s3");
        svg_text(c->svg, at, c->y.from + TICK_LENGTH + TICK_SIZE + 1, TICK_SIZE, SVG_MIDDLE, "f2",
                 tick_label(axis, ticks.at[i], text));
    }
    if (axis->title)
        svg_text(c->svg, (axis->from + axis->to) / 2, c->y.from + (axis->bare ? 16 : 33), TITLE_SIZE,
                 SVG_MIDDLE, "", axis->title);
}

static void draw_y_axis(const struct chart *c)
{
    const struct chart_axis *axis = &c->y;
    struct chart_ticks ticks = chart_find_ticks(axis, (unsigned)((axis->from - axis->to) / Y_TICK_ROOM));
    for (unsigned i = 0; i < ticks.count && !axis->bare; i++) {
        char text[CHART_LABEL_BYTES];
        double at = chart_place(axis, ticks.at[i]);
        svg_line(c->svg, c->x.from, at, c->x.to, at, "s4 thin");
        svg_text(c->svg, c->x.from - TICK_LENGTH - 2, at + TICK_SIZE / 3, TICK_SIZE, SVG_END, "f2",
                 tick_label(axis, ticks.at[i], text));
    }
    if (axis->title)
        svg_text_upwards(c->svg, c->x.from - 46, (axis->from + axis->to) / 2, TITLE_SIZE, axis->title);
}

void chart_draw_axes(const struct chart *c)
{
    draw_x_axis(c);
    draw_y_axis(c);
    svg_path_begin(c->svg, "s3");
    svg_move(c->svg, c->x.from, c->y.to);
    svg_to(c->svg, c->x.from, c->y.from);
    svg_to(c->svg, c->x.to, c->y.from);
    svg_path_end(c->svg);
}

/* --- values ---------------------------------------------------------------------------------------------- */

void chart_draw_line(const struct chart *c, const double *x, const double *y, size_t count, const char *class)
{
    bool goes_on = false;
    svg_path_begin(c->svg, class);
    for (size_t i = 0; i < count; i++) {
        bool is_number = !isnan(x[i]) && !isnan(y[i]);
        if (is_number)
            (goes_on ? svg_to : svg_move)(c->svg, chart_place(&c->x, x[i]), chart_place(&c->y, y[i]));
        goes_on = is_number;
    }
    svg_path_end(c->svg);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The value below which a share of the sorted values lies, between two of them by linear interpolation. */
static double find_quantile(const double *values, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    return below + 1 < count ? values[below] + (at - (double)below) * (values[below + 1] - values[below])
                             : values[below];
}

struct chart_box chart_find_box(double *values, size_t count)
{
    struct chart_box box = {.count = count};
    if (count == 0)
        return (struct chart_box){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
    qsort(values, count, sizeof *values, compare);
    box.lower_quartile = find_quantile(values, count, 0.25);
    box.median = find_quantile(values, count, 0.5);
    box.upper_quartile = find_quantile(values, count, 0.75);
    box.least = values[0];
    box.most = values[count - 1];
    double reach = 1.5 * (box.upper_quartile - box.lower_quartile);
    size_t first = 0, last = count - 1;
    while (values[first] < box.lower_quartile - reach)
        first++;
    while (values[last] > box.upper_quartile + reach)
        last--;
    box.low = values[first];
    box.high = values[last];
    box.outliers = first + count - 1 - last;
    return box;
}

void chart_draw_box(const struct chart *c, const struct chart_box *box, double y, double height,
                    enum svg_colour colour, const char *tip)
{
    char stroke[16], fill[24];
    if (box->count == 0)
        return;
    snprintf(stroke, sizeof stroke, "s%d w2", (int)colour);
    snprintf(fill, sizeof fill, "f%d half", (int)colour);
    double low = chart_place(&c->x, box->low), high = chart_place(&c->x, box->high);
    double left = chart_place(&c->x, box->lower_quartile), right = chart_place(&c->x, box->upper_quartile);
    double median = chart_place(&c->x, box->median);
    svg_line(c->svg, low, y, left, y, stroke);
    svg_line(c->svg, right, y, high, y, stroke);
    svg_line(c->svg, low, y - height / 4, low, y + height / 4, stroke);
    svg_line(c->svg, high, y - height / 4, high, y + height / 4, stroke);
    svg_rectangle(c->svg, left, y - height / 2, right - left, height, fill, tip);
    svg_line(c->svg, median, y - height / 2, median, y + height / 2, "s1 w3");
    if (box->least < box->low)
        svg_mark(c->svg, chart_place(&c->x, box->least), y, 3, SVG_DISC, colour, true, NULL);
    if (box->most > box->high)
        svg_mark(c->svg, chart_place(&c->x, box->most), y, 3, SVG_DISC, colour, true, NULL);
}

/* --- legends --------------------------------------------------------------------------------------------- */

static void draw_key(struct svg *svg, double x, double y, const struct chart_legend_entry *entry)
{
    char class[24];
    switch (entry->key) {
    case CHART_KEY_AREA:
        snprintf(class, sizeof class, "f%d", (int)entry->colour);
        svg_rectangle(svg, x, y - 9, 18, 10, class, NULL);
        break;
    case CHART_KEY_LINE:
    case CHART_KEY_DASHED:
    case CHART_KEY_DOTTED:
        snprintf(class, sizeof class, "s%d w2%s", (int)entry->colour,
                 entry->key == CHART_KEY_DASHED   ? " dash"
                 : entry->key == CHART_KEY_DOTTED ? " dots"
                                                  : "");
        svg_line(svg, x, y - 4, x + 18, y - 4, class);
        break;
    default:
        svg_mark(svg, x + 9, y - 4, 5, entry->shape, entry->colour, entry->key == CHART_KEY_OPEN_MARK, NULL);
    }
}

double chart_draw_legend(struct svg *svg, double x, double y, double width,
                         const struct chart_legend_entry *entries, size_t count)
{
    static const double LINE = 18, KEY = 24, GAP = 18;
    double at = x, line = y + 12;
    for (size_t i = 0; i < count; i++) {
        double entry = KEY + svg_text_width(entries[i].text, TITLE_SIZE) + GAP;
        if (at > x && at + entry - GAP > x + width) {
            at = x;
            line += LINE;
        }
        if (svg) {
            draw_key(svg, at, line, &entries[i]);
            svg_text(svg, at + KEY, line, TITLE_SIZE, SVG_START, "", entries[i].text);
        }
        at += entry;
    }
    return line + LINE - 12 - y;
}
