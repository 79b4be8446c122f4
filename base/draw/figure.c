#include "base/draw/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TIP_BYTES = 512 };

/* Sizes in pixels. */
static const double TICK_SIZE = 11, TITLE_SIZE = 12, TICK_LENGTH = 4;
static const double NOTED = 5; /* between points that are noted of a line */
static const double INSET = 1.5;
static const double X_TICK_ROOM = 58, Y_TICK_ROOM = 26; /* between two ticks, at least */

/* A logarithmic axis of a wider range has powers of ten as labels. */
static const double PLAIN_RANGE = 1.01e4;

/* An axis along values has labels without prefixes up to PLAIN. One that is logarithmic spans at least the factor WIDE;
 * the margins of an axis are the share MARGIN of it. */
static const double PLAIN = 1e5, WIDE = 7.9, MARGIN = 0.04;

/* --- ticks ----------------------------------------------------------------------------------------------- */

/* The least of 1, 2, 5 times a power of ten that is not below `value`, or the greatest that is not above it. */
static double round_to(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(value))), digits = value / power;
    int i = up ? 0 : 2;
    while (up && i < 3 && digits > steps[i] + 1e-9)
        i++;
    while (!up && i > 0 && digits < steps[i] - 1e-9)
        i--;
    return power * steps[i];
}

/* Ticks at powers of ten or of two: at every one, or at every second, third, ... one;
 * of few powers of ten also at 2 and 5 times. */
static struct figure_ticks ticks_at_powers(const struct figure_axis *axis, unsigned most)
{
    struct figure_ticks ticks = {.count = 0};
    static const double between[] = {1, 2, 5};
    double (*const logarithm)(double) = axis->by_two ? log2 : log10;
    int first = (int)(axis->by_two ? ceil(log2(axis->least) - 1e-9) : floor(log10(axis->least) + 1e-9)),
        powers = (int)floor(logarithm(axis->most) + 1e-9) - first + 1,
        step = powers > 0 ? (powers + (int)most - 1) / (int)most : 1;
    unsigned parts = !axis->by_two && (unsigned)powers * 3 <= most ? 3 : 1;
    for (int i = 0; i < powers; i += step)
        for (unsigned part = 0; part < parts && ticks.count < FIGURE_TICKS_MAX; part++) {
            double at = between[part] * pow(axis->by_two ? 2 : 10, first + i);
            if (at >= axis->least * (1 - 1e-9) && at <= axis->most * (1 + 1e-9))
                ticks.at[ticks.count++] = at;
        }
    return ticks;
}

struct figure_ticks figure_find_ticks(const struct figure_axis *axis, unsigned most)
{
    struct figure_ticks ticks = {.count = 0};
    most = most < 2 ? 2 : most > FIGURE_TICKS_MAX ? FIGURE_TICKS_MAX : most;
    if (axis->logarithmic)
        return ticks_at_powers(axis, most);
    double step = round_to((axis->most - axis->least) / most, true);
    if (axis->whole && step < 1)
        step = 1;
    double first = ceil(axis->least / step - 1e-9), last = floor(axis->most / step + 1e-9);
    for (double i = first; i <= last && ticks.count < FIGURE_TICKS_MAX; i++)
        ticks.at[ticks.count++] = i * step + 0.0;
    return ticks;
}

/* --- labels ---------------------------------------------------------------------------------------------- */

/* Write a number of three digits, or of as many as tell `finest`, without the zeros at its end; printf() would take the
 * decimal point of the locale. */
static void write_digits(double value, double finest, char text[SVG_NUMBER_BYTES])
{
    static const double least[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995, 0, 0, 0, 0};
    static const double scales[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    char fraction[12] = ".";
    int decimals = 0;
    while (decimals < 9 && (value < least[decimals] || finest * scales[decimals] < 1))
        decimals++;
    long long units = llround(value * scales[decimals]);
    for (; decimals > 0 && units % 10 == 0; decimals--)
        units /= 10;
    for (int i = decimals; i > 0; i--, units /= 10)
        fraction[i] = (char)('0' + units % 10);
    fraction[decimals + 1] = '\0';
    snprintf(text, SVG_NUMBER_BYTES, "%lld%s", units, decimals > 0 ? fraction : "");
}

/* A number with or without a prefix, and with as many digits as tell `finest`. */
static struct shown label_of(double value, double finest, bool prefixed)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
    enum { ONE = 4, LAST = 9 };
    char number[SVG_NUMBER_BYTES];
    int prefix = ONE;
    double size = fabs(value);
    if (!(size > 1e-14) || !isfinite(value))
        return shown_text(isfinite(value) ? "0" : "-");
    for (; prefixed && size >= 999.5 && prefix < LAST; prefix++, finest /= 1000)
        size /= 1000;
    /* 0.002 is easier to read than 2 m. */
    for (; prefixed && (size < 0.0009995 || (prefix < ONE && size < 0.9995)) && prefix > 0;
         prefix--, finest *= 1000)
        size *= 1000;
    write_digits(size, finest, number);
    return shown_text("%s%s%s%s", value < 0 ? "-" : "", number, prefix == ONE ? "" : " ", prefixes[prefix]);
}

struct shown figure_label(double value)
{
    return label_of(value, INFINITY, true);
}

/* Write a power as base and raised digits. @return whether the exponent is a whole number */
static bool write_power(const char *base, double exponent, struct shown *label)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int power = (int)lround(exponent), size = abs(power);
    if (fabs(exponent - power) > 1e-6 || size > 99)
        return false;
    snprintf(label->text, sizeof label->text, "%s%s%s%s", base, power < 0 ? "⁻" : "",
             size > 9 ? digits[size / 10] : "", digits[size % 10]);
    return true;
}

struct shown figure_plain_label(double value)
{
    return label_of(value, INFINITY, fabs(value) > 1e15);
}

struct shown figure_time(double seconds)
{
    const struct figure_unit unit = figure_time_unit(seconds);
    return shown_text("%s %s", figure_label(seconds * unit.per_s).text, unit.name);
}

struct figure_unit figure_time_unit(double most_s)
{
    static const struct figure_unit units[] = {{"s", 1}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}};
    unsigned i = 0;
    while (i < 3 && most_s < 1 / units[i].per_s)
        i++;
    return most_s > 0 ? units[i] : units[1];
}

struct shown figure_tick_label(const struct figure_axis *axis, double value)
{
    const bool powers = axis->logarithmic && axis->most / axis->least > PLAIN_RANGE;
    const double span = axis->most - axis->least; /* far from 0 three digits do not tell ticks apart */
    const double finest = axis->logarithmic || fabs(value) < 2 * span ? INFINITY : span / 1000;
    struct shown power;
    if (axis->times)
        return figure_time(value);
    if (axis->plain)
        return label_of(value, finest, false);
    if (axis->by_two ? write_power("2", log2(value), &power)
                     : powers && fabs(log10(value) - 0.5) > 0.6 && write_power("10", log10(value), &power))
        return power; /* 1 and 10 are no powers of ten */
    return label_of(value, finest, true);
}

/* --- axes ------------------------------------------------------------------------------------------------ */

struct figure_axis figure_axis_to(double most, const char *title)
{
    struct figure_axis axis = {.most = most > 0 && isfinite(most) ? most : 1, .title = title};
    double step = round_to(axis.most / 8, true);
    axis.most = ceil(axis.most / step - 1e-9) * step;
    return axis;
}

struct figure_axis figure_axis_logarithmic(double least, double most, const char *title)
{
    struct figure_axis axis = {.logarithmic = true, .title = title};
    if (!(least > 0) || !isfinite(least))
        least = 1;
    if (!(most > least) || !isfinite(most))
        most = least;
    axis.least = round_to(least, false);
    axis.most = round_to(most, true);
    if (axis.most <= axis.least)
        axis.most = axis.least * 10;
    return axis;
}

double figure_share_end(const struct svg *svg, double most)
{
    double *end = svg->ends && svg->ends->count < SVG_ENDS ? &svg->ends->at[svg->ends->count++] : &most;
    return *end = fmax(*end, most);
}

/* Whether the middle value lies nearer to the geometric mean of the ends than to the arithmetic one. */
static bool is_spread_like_powers(const double *values, size_t count)
{
    double least = values[0], most = values[count - 1];
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    if (!(least > 0) || most / least < WIDE)
        return false;
    if (count == 2)
        return most / least > 2 * WIDE;
    return middle < (sqrt(least * most) + (least + most) / 2) / 2;
}

struct figure_axis figure_axis_along(const double *values, size_t count, const char *title)
{
    struct figure_axis axis = {.least = 0, .most = 1, .title = title};
    if (count == 0)
        return axis;
    const double least = values[0], most = values[count - 1], span = most - least;
    size_t powers = 0, wholes = 0;
    int exponent;
    for (size_t i = 0; i < count; i++) {
        powers += values[i] > 0 && frexp(values[i], &exponent) <= 0.5;
        wholes += !(values[i] < rint(values[i])) && !(values[i] > rint(values[i]));
    }
    if (is_spread_like_powers(values, count)) {
        double margin = pow(most / least, MARGIN);
        axis.least = least / margin;
        axis.most = most * margin;
        axis.logarithmic = true;
        axis.by_two = 2 * powers > count;
        axis.plain = axis.by_two && most < PLAIN;
    } else {
        double margin = span > 0 ? MARGIN * span : fmax(fabs(least) / 2, 0.5);
        axis.least = least - margin;
        axis.most = most + margin;
        axis.whole = wholes == count;
        axis.plain = axis.most < PLAIN;
    }
    return axis;
}

double figure_place(const struct figure_axis *axis, double value)
{
    double share;
    if (axis->logarithmic)
        share = value > 0 ? log(value / axis->least) / log(axis->most / axis->least) : 0;
    else
        share = (value - axis->least) / (axis->most - axis->least);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return axis->from + share * (axis->to - axis->from);
}

static void draw_x_axis(const struct figure *c)
{
    const struct figure_axis *axis = &c->x;
    struct figure_ticks ticks = figure_find_ticks(axis, (unsigned)((axis->to - axis->from) / X_TICK_ROOM));
    for (unsigned i = 0; i < ticks.count && !axis->bare; i++) {
        double at = figure_place(axis, ticks.at[i]);
        svg_line(c->svg, at, c->y.to, at, c->y.from, "s4 thin");
        svg_line(c->svg, at, c->y.from, at, c->y.from + TICK_LENGTH, "s3");
        svg_text(c->svg, at, c->y.from + TICK_LENGTH + TICK_SIZE + 1, TICK_SIZE, SVG_MIDDLE, "f2",
                 figure_tick_label(axis, ticks.at[i]).text);
    }
    if (axis->title)
        svg_text(c->svg, (axis->from + axis->to) / 2, c->y.from + (axis->bare ? 16 : 33), TITLE_SIZE,
                 SVG_MIDDLE, "", axis->title);
}

static void draw_y_axis(const struct figure *c)
{
    const struct figure_axis *axis = &c->y;
    struct figure_ticks ticks = figure_find_ticks(axis, (unsigned)((axis->from - axis->to) / Y_TICK_ROOM));
    double title_at = c->x.from - 46;
    for (unsigned i = 0; i < ticks.count && !axis->bare; i++) {
        const struct shown label = figure_tick_label(axis, ticks.at[i]);
        double at = figure_place(axis, ticks.at[i]);
        svg_line(c->svg, c->x.from, at, c->x.to, at, "s4 thin");
        svg_text(c->svg, c->x.from - TICK_LENGTH - 2, at + TICK_SIZE / 3, TICK_SIZE, SVG_END, "f2",
                 label.text);
        title_at = fmin(title_at, c->x.from - TICK_LENGTH - 5 - svg_text_width(label.text, TICK_SIZE));
    }
    if (axis->title)
        svg_text_upwards(c->svg, title_at, (axis->from + axis->to) / 2, TITLE_SIZE, axis->title);
}

double figure_x(const struct figure *f, double value)
{
    return figure_place(&f->x, value);
}

double figure_y(const struct figure *f, double value)
{
    return figure_place(&f->y, value);
}

void figure_open(struct figure *f, double left, double top, double width, double height)
{
    f->x.from = left;
    f->x.to = left + width;
    f->y.from = top + height;
    f->y.to = top;
    if (!(f->y.most > f->y.least)) {
        f->y.least = f->y.from;
        f->y.most = f->y.to;
        f->y.bare = true;
    }
    draw_x_axis(f);
    draw_y_axis(f);
    svg_polyline(f->svg, "s3",
                 (const double[][2]){{left, top}, {left, top + height}, {f->x.to, top + height}}, 3, false);
}

void figure_close(struct figure *f)
{
    free(f->drawn);
}

void figure_say_ends(const struct figure *f)
{
    svg_text(f->svg, f->x.from + 2, f->y.from + 33, TICK_SIZE, SVG_START, "f2", "◀ and below");
    svg_text(f->svg, f->x.to, f->y.from + 33, TICK_SIZE, SVG_END, "f2", "and above ▶");
}

/* --- values ---------------------------------------------------------------------------------------------- */

static void note_point(struct figure *f, double x, double y, bool is_mark)
{
    if (f->has_labels)
        *ARRAY_NEXT(f->drawn, f->drawn_count, f->drawn_room) = (struct figure_point){x, y, is_mark};
}

static void note_line(struct figure *f, double x1, double y1, double x2, double y2)
{
    int steps = (int)ceil(hypot(x2 - x1, y2 - y1) / NOTED);
    for (int i = 0; i <= steps; i++) {
        double share = steps > 0 ? (double)i / steps : 0;
        note_point(f, x1 + share * (x2 - x1), y1 + share * (y2 - y1), false);
    }
}

/* @return `text`, or NULL without a tip */
static const char *write_tip(char text[TIP_BYTES], const char *tip, va_list arguments)
{
    if (tip)
        vsnprintf(text, TIP_BYTES, tip, arguments);
    return tip ? text : NULL;
}

void figure_mark(struct figure *f, double x, double y, double radius, const struct figure_style *style,
                 const char *tip, ...)
{
    char text[TIP_BYTES];
    double inset = !f->x.inset ? 0 : x < f->x.least ? INSET : x > f->x.most ? -INSET : 0;
    double at_x = figure_x(f, x) + inset, at_y = figure_y(f, y);
    va_list arguments;
    va_start(arguments, tip);
    const char *said = write_tip(text, tip, arguments);
    va_end(arguments);
    if (style->ramp > 0)
        svg_rectangle(f->svg, at_x - 2.5, at_y - 2.5, 5, 5, svg_ramp_class('m', style->ramp).text, said);
    else
        svg_mark(f->svg, at_x, at_y, radius, style->shape, style->colour, style->key == FIGURE_RING, said);
    note_point(f, at_x, at_y, true);
}

void figure_bar(const struct figure *f, double from, double to, double y, double height, double least,
                const char *class, const char *tip, ...)
{
    char text[TIP_BYTES];
    double left = figure_x(f, from);
    va_list arguments;
    va_start(arguments, tip);
    svg_rectangle(f->svg, left, y - height / 2, fmax(figure_x(f, to) - left, least), height, class,
                  write_tip(text, tip, arguments));
    va_end(arguments);
}

void figure_interval(const struct figure *f, double low, double high, double y, double height,
                     const char *class, const char *tip)
{
    figure_bar(f, low, high, y, height, 1, class, tip ? "%s" : NULL, tip);
    if (low < f->x.least)
        svg_arrow_head(f->svg, f->x.from - 8, y, -1, 0, class);
    if (high > f->x.most)
        svg_arrow_head(f->svg, f->x.to + 8, y, 1, 0, class);
}

void figure_rule(const struct figure *f, double x, double y, double half, const char *class)
{
    svg_line(f->svg, figure_x(f, x), y - half, figure_x(f, x), y + half, class);
}

struct shown figure_stroke(const struct figure_style *style)
{
    if (style->ramp > 0)
        return shown_text("%s w2", svg_ramp_class('k', style->ramp).text);
    return shown_text("s%d w2%s", (int)style->colour,
                      style->key == FIGURE_DASHED   ? " dash"
                      : style->key == FIGURE_DOTTED ? " dots"
                                                    : "");
}

void figure_path(struct figure *f, const char *class)
{
    svg_path_begin(f->svg, class);
    f->last_x = f->last_y = NAN;
}

void figure_to(struct figure *f, double x, double y)
{
    bool is_number = !isnan(x) && !isnan(y);
    double at_x = is_number ? figure_x(f, x) : NAN, at_y = is_number ? figure_y(f, y) : NAN;
    if (is_number)
        (isnan(f->last_x) ? svg_move : svg_to)(f->svg, at_x, at_y);
    if (is_number && !isnan(f->last_x))
        note_line(f, f->last_x, f->last_y, at_x, at_y);
    f->last_x = at_x, f->last_y = at_y;
}

void figure_line(struct figure *f, const double *x, const double *y, size_t count, const char *class)
{
    figure_path(f, class);
    for (size_t i = 0; i < count; i++)
        figure_to(f, x[i], y[i]);
    svg_path_end(f->svg);
}

void figure_step(struct figure *f, double from, double to, double y, double base)
{
    static const double TOUCH = 0.01;
    const double left = figure_x(f, from), right = figure_x(f, to), at_y = figure_y(f, y);
    const bool goes_on = left <= f->last_x + TOUCH;
    if (!goes_on && !isnan(base) && !isnan(f->last_x))
        svg_to(f->svg, f->last_x, base);
    if (!goes_on)
        svg_move(f->svg, left, isnan(base) ? at_y : base);
    if (goes_on || !isnan(base))
        svg_to(f->svg, goes_on ? f->last_x : left, at_y);
    f->last_x = goes_on ? fmax(f->last_x, right) : right;
    svg_to(f->svg, f->last_x, at_y);
}

void figure_steps_end(struct figure *f, double base, bool closed)
{
    if (!isnan(base) && !isnan(f->last_x))
        svg_to(f->svg, f->last_x, base);
    if (closed)
        svg_path_close(f->svg);
    svg_path_end(f->svg);
}

/* --- legends --------------------------------------------------------------------------------------------- */

double figure_draw_legend(struct svg *svg, double x, double y, double width,
                          const struct figure_style *styles, size_t count)
{
    static const double LINE = 18, KEY = 24, GAP = 18;
    double at = x, line = y + 12;
    for (size_t i = 0; i < count; i++) {
        double entry = KEY + svg_text_width(styles[i].text, TITLE_SIZE) + GAP;
        if (at > x && at + entry - GAP > x + width) {
            at = x;
            line += LINE;
        }
        const struct figure_style *style = &styles[i];
        if (svg && style->key == FIGURE_AREA)
            svg_rectangle(svg, at, line - 9, 18, 10, svg_fill(style->colour).text, NULL);
        else if (svg && style->key < FIGURE_MARK)
            svg_line(svg, at, line - 4, at + 18, line - 4, figure_stroke(style).text);
        else if (svg)
            svg_mark(svg, at + 9, line - 4, 5, style->shape, style->colour, style->key == FIGURE_RING, NULL);
        if (svg)
            svg_text(svg, at + KEY, line, TITLE_SIZE, SVG_START, "", style->text);
        at += entry;
    }
    return line + LINE - 12 - y;
}

/* --- labels ---------------------------------------------------------------------------------------------- */

static const double LABEL_SIZE = 11.5, ASCENT = 10, DESCENT = 4, NEAR = 24;

/* Places of a label beside its point, the best first: of its first letter, or of its last one. */
static const struct place {
    double dx, dy;
    bool ends;
} places[] = {
    {9, -7, false},   {9, 15, false},  {-9, -7, true},   {-9, 15, true},  {22, -26, false},  {22, 34, false},
    {-22, -26, true}, {-22, 34, true}, {36, -52, false}, {36, 60, false}, {-36, -52, true},  {-36, 60, true},
    {60, -84, false}, {60, 90, false}, {-60, -84, true}, {-60, 90, true}, {80, -120, false}, {80, 126, false},
};

struct place_box {
    double left, top, right, bottom;
};

static struct place_box box_at(const struct place *p, double x, double y, double width)
{
    double left = x + p->dx - (p->ends ? width : 0), base = y + p->dy;
    return (struct place_box){left, base - ASCENT, left + width, base + DESCENT};
}

static bool is_beside(const struct place *p)
{
    return fabs(p->dx) + fabs(p->dy) <= NEAR;
}

static double distance(const struct place_box *box, double x, double y)
{
    return hypot(fmax(0, fmax(box->left - x, x - box->right)), fmax(0, fmax(box->top - y, y - box->bottom)));
}

/* Whether a label at (x, y) is as near to another mark: who reads it would take it to be of that one. */
static bool is_of_another(const struct figure *f, const struct place_box *box, double x, double y)
{
    static const double SAME = 2; /* pixels */
    for (size_t i = 0; i < f->drawn_count; i++) {
        const struct figure_point *point = &f->drawn[i];
        if (point->is_mark && hypot(point->x - x, point->y - y) > SAME &&
            distance(box, point->x, point->y) < distance(box, x, y) + SAME)
            return true;
    }
    return false;
}

static const struct place *find_place(const struct figure *f, double x, double y, double width)
{
    const struct place *best = &places[0];
    size_t least = (size_t)-1;
    for (unsigned i = 0; i < sizeof places / sizeof places[0] && least > 0; i++) {
        struct place_box box = box_at(&places[i], x, y, width);
        size_t covered = is_beside(&places[i]) && is_of_another(f, &box, x, y) ? f->drawn_count : 0;
        for (size_t k = 0; k < f->drawn_count; k++)
            covered += f->drawn[k].x > box.left - 3 && f->drawn[k].x < box.right + 3 &&
                       f->drawn[k].y > box.top - 2 && f->drawn[k].y < box.bottom + 2;
        /* labels stay above the axis, and hardly leave the panel to the other sides */
        bool is_inside = box.left >= f->x.from && box.right <= f->x.to + 8 && box.top >= f->y.to - 12 &&
                         box.bottom <= f->y.from;
        if (is_inside && covered < least) {
            least = covered;
            best = &places[i];
        }
    }
    return best;
}

void figure_label_point(struct figure *f, double x, double y, const char *class, const char *text)
{
    double width = svg_text_width(text, LABEL_SIZE);
    const struct place *place = find_place(f, x, y, width);
    struct place_box box = box_at(place, x, y, width);
    if (!is_beside(place) || is_of_another(f, &box, x, y))
        svg_line(f->svg, place->ends ? box.right : box.left,
                 place->dy < 0 ? box.bottom - DESCENT / 2 : box.top, x, y, "s3 thin");
    svg_text(f->svg, x + place->dx, y + place->dy, LABEL_SIZE, place->ends ? SVG_END : SVG_START, class,
             text);
    for (double line = box.top; line <= box.bottom; line += NOTED)
        note_line(f, box.left, line, box.right, line);
}
