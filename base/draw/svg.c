#include "base/draw/svg.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"
#include "base/printable.h"

/* Okabe and Ito's hues, lighter on a dark screen. Yellow is left out: it cannot be seen on white. */
static const struct {
    const char *name, *light, *dark;
} palette[SVG_COLOURS] = {
    [SVG_PAPER] = {"paper", "#ffffff", "#15181c"},   [SVG_INK] = {"ink", "#1b1f24", "#e6e9ec"},
    [SVG_MUTED] = {"muted", "#57606a", "#a5aeb8"},   [SVG_AXIS] = {"axis", "#848d97", "#77818c"},
    [SVG_GRID] = {"grid", "#dfe3e8", "#353d46"},     [SVG_PANEL] = {"panel", "#f4f6f8", "#1e2227"},
    [SVG_BLUE] = {"blue", "#0072b2", "#4aa6e0"},     [SVG_VERMILION] = {"vermilion", "#d55e00", "#ff8a45"},
    [SVG_GREEN] = {"green", "#009e73", "#2dc79a"},   [SVG_ORANGE] = {"orange", "#e69f00", "#f2b632"},
    [SVG_PURPLE] = {"purple", "#b6578a", "#e39cc5"}, [SVG_SKY] = {"sky", "#56b4e9", "#8ccff5"},
    [SVG_GREY] = {"grey", "#8b9199", "#8b949e"},
};

/* Blues of ColorBrewer (Brewer 2003), interpolated between four of them. */
static const unsigned char ramp_stops[][3] = {
    {0xec, 0xf3, 0xf9}, {0x9e, 0xca, 0xe1}, {0x31, 0x82, 0xbd}, {0x08, 0x30, 0x6b}};

enum {
    RAMP_STOPS = sizeof ramp_stops / sizeof ramp_stops[0],
    RAMP_DARK = 7 /* the first step for white letters */
};

static const char further_rules[] =
    ".w2{stroke-width:2}.w3{stroke-width:3}.w5{stroke-width:5}.w8{stroke-width:8}.thin{stroke-width:.75}"
    ".dash{stroke-dasharray:5 4}.dots{stroke-dasharray:1.5 3}.round{stroke-linecap:round}"
    ".half{fill-opacity:.45}.faint{fill-opacity:.2}"
    ".pale1{stroke-opacity:.7}.pale2{stroke-opacity:.45}.pale3{stroke-opacity:.25}"
    ".bold{font-weight:600}.tip{fill-opacity:0}";

/* --- numbers and text ------------------------------------------------------------------------------------ */

/* A page has thousands of numbers, for which printf() would take most of the time, and the decimal point of the
 * locale. */
const char *svg_number(double value, char text[SVG_NUMBER_BYTES])
{
    char *at = text;
    if (!isfinite(value) || fabs(value) > 1e12)
        value = value > 0 ? 1e12 : value < 0 ? -1e12 : 0;
    unsigned long long hundredths = (unsigned long long)llround(fabs(value) * 100);
    if (value < 0 && hundredths > 0)
        *at++ = '-';
    at = number_put_whole(at, hundredths / 100);
    if (hundredths % 100 > 0) {
        *at++ = '.';
        *at++ = (char)('0' + hundredths / 10 % 10);
    }
    if (hundredths % 10 > 0)
        *at++ = (char)('0' + hundredths % 10);
    *at = '\0';
    return text;
}

void svg_escape(const char *text, FILE *out)
{
    char shown[PRINTABLE_BYTES];
    for (const char *at = text ? text : ""; *at;) {
        size_t taken = printable_next(at, shown);
        fputs(*at == '&'   ? "&amp;"
              : *at == '<' ? "&lt;"
              : *at == '>' ? "&gt;"
              : *at == '"' ? "&quot;"
                           : shown,
              out);
        at += taken;
    }
}

/* The first byte of a character is none of 10xxxxxx in UTF-8. */
double svg_text_width(const char *text, double size)
{
    double width = 0;
    for (; *text; text++)
        if ((*text & 0xc0) != 0x80)
            width += strchr("il.,:;'|!()[] ", *text)                 ? 0.37
                     : isupper((unsigned char)*text) || *text == 'm' ? 0.72
                                                                     : 0.61;
    return width * size;
}

/* --- the style sheet ------------------------------------------------------------------------------------- */

struct shown svg_fill(enum svg_colour colour)
{
    return shown_text("f%d", (int)colour);
}

struct shown svg_ramp_class(char how, double share)
{
    const int step = share >= 1 ? SVG_RAMP - 1 : share > 0 ? (int)(share * SVG_RAMP) : 0;
    return how == 't' ? shown_text(step < RAMP_DARK ? "tl" : "td") : shown_text("%c%d", how, step);
}

static void write_step(const char *class, const char *property, int at, int step, FILE *out)
{
    int place = step * (RAMP_STOPS - 1) * 100 / (SVG_RAMP - 1), stop = place / 100, rest = place % 100,
        mix[3];
    for (int c = 0; c < 3; c++) {
        int next = ramp_stops[stop + (stop + 1 < RAMP_STOPS)][c];
        mix[c] = (ramp_stops[stop][c] * (100 - rest) + next * rest) / 100;
    }
    fprintf(out, ".%s%d{%s:#%02x%02x%02x}", class, at, property, mix[0], mix[1], mix[2]);
}

/* Lines and marks must stand out from the paper: on a dark screen high values of the ramp are light. */
static void write_rules(bool variables, FILE *out)
{
    for (int i = 0; i < SVG_COLOURS; i++) {
        char colour[32];
        snprintf(colour, sizeof colour, variables ? "var(--%s)" : "%s",
                 variables ? palette[i].name : palette[i].light);
        fprintf(out, ".f%d{fill:%s}.s%d{stroke:%s;fill:none}.o%d{stroke:%s;stroke-width:1.5;fill:%s}", i,
                colour, i, colour, i, colour, variables ? "var(--paper)" : palette[SVG_PAPER].light);
    }
    for (int i = 0; i < SVG_RAMP; i++) {
        write_step("h", "fill", i, i, out);
        write_step("k", "fill:none;stroke", i, i, out);
        write_step("m", "fill", i, i, out);
    }
    fputs(".tl{fill:#1b1f24}.td{fill:#fff}", out);
    if (variables) {
        fputs("@media screen and (prefers-color-scheme:dark){", out);
        for (int i = 0; i < SVG_RAMP; i++) {
            write_step("k", "fill:none;stroke", i, SVG_RAMP - 1 - i, out);
            write_step("m", "fill", i, SVG_RAMP - 1 - i, out);
        }
        fputc('}', out);
    }
    fputs(further_rules, out);
}

static void write_colours(bool dark, FILE *out)
{
    for (int i = 0; i < SVG_COLOURS; i++)
        fprintf(out, "--%s:%s;", palette[i].name, dark ? palette[i].dark : palette[i].light);
}

void svg_write_variables(FILE *out)
{
    fputs(":root{color-scheme:light dark;", out);
    write_colours(false, out);
    fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", out);
    write_colours(true, out);
    fputs("}}\nsvg text{fill:var(--ink)}\n", out);
    write_rules(true, out);
    fputc('\n', out);
}

const enum svg_colour svg_series_colours[SVG_SERIES] = {SVG_BLUE, SVG_GREEN, SVG_ORANGE,    SVG_PURPLE,
                                                        SVG_SKY,  SVG_GREY,  SVG_VERMILION, SVG_INK};

/* --- elements -------------------------------------------------------------------------------------------- */

/* Write a format, in which each # stands for the next number. */
static void put(struct svg *svg, const char *format, ...)
{
    char text[SVG_NUMBER_BYTES];
    va_list numbers;
    va_start(numbers, format);
    for (; *format; format++)
        if (*format == '#')
            fputs(svg_number(va_arg(numbers, double), text), svg->out);
        else
            fputc(*format, svg->out);
    va_end(numbers);
}

static void put_class(struct svg *svg, const char *class)
{
    if (class && *class)
        fprintf(svg->out, " class=\"%s\"", class);
}

/* End an element that holds nothing but its tip. */
static void end_element(struct svg *svg, const char *name, const char *tip)
{
    if (tip) {
        fputs("><title>", svg->out);
        svg_escape(tip, svg->out);
        fprintf(svg->out, "</title></%s>\n", name);
    } else {
        fputs("/>\n", svg->out);
    }
}

void svg_begin(struct svg *svg, double width, double height, const char *title)
{
    const double above = svg->title ? 28 : 0;
    put(svg, "<svg viewBox=\"0 # # #\" role=\"img\" aria-label=\"", -above, width, height + above);
    svg_escape(title, svg->out);
    fputs("\" font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\"", svg->out);
    if (!svg->in_page) {
        put(svg, " width=\"#\" height=\"#\" xmlns=\"http://www.w3.org/2000/svg\">\n", width, height + above);
        fprintf(svg->out, "<style>text{fill:%s}", palette[SVG_INK].light);
        write_rules(false, svg->out);
        put(svg, "</style>\n<rect y=\"#\" width=\"100%\" height=\"100%\" class=\"f0\"/", -above);
    }
    fputs(">\n", svg->out);
    if (svg->title)
        svg_text(svg, 12, -8, 14, SVG_START, "f1 bold", svg->title);
}

void svg_end(struct svg *svg)
{
    fputs("</svg>\n", svg->out);
}

void svg_group(struct svg *svg, const char *class)
{
    fprintf(svg->out, "<g class=\"%s\">\n", class);
}

void svg_group_end(struct svg *svg)
{
    fputs("</g>\n", svg->out);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *class)
{
    svg_polyline(svg, class, (const double[][2]){{x1, y1}, {x2, y2}}, 2, false);
}

void svg_rectangle(struct svg *svg, double x, double y, double width, double height, const char *class,
                   const char *tip)
{
    put(svg, "<rect x=\"#\" y=\"#\" width=\"#\" height=\"#\"", x, y, fmax(width, 0), fmax(height, 0));
    put_class(svg, class);
    end_element(svg, "rect", tip);
}

/* Corners of a mark around (0, 0) for radius 1; plus and cross are lines between pairs of them. */
static const struct {
    unsigned count;
    double corners[4][2];
} shapes[SVG_SHAPES] = {
    [SVG_SQUARE] = {4, {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}}},
    [SVG_TRIANGLE] = {3, {{0, -1.1}, {1, 0.8}, {-1, 0.8}}},
    [SVG_DIAMOND] = {4, {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}},
    [SVG_TRIANGLE_DOWN] = {3, {{0, 1.1}, {1, -0.8}, {-1, -0.8}}},
    [SVG_PLUS] = {4, {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}},
    [SVG_CROSS] = {4, {{-0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}, {0.8, -0.8}}},
};

void svg_mark(struct svg *svg, double x, double y, double radius, enum svg_shape shape,
              enum svg_colour colour, bool open, const char *tip)
{
    bool strokes = shape == SVG_PLUS || shape == SVG_CROSS;
    if (shape == SVG_DISC)
        put(svg, "<circle cx=\"#\" cy=\"#\" r=\"#\"", x, y, radius);
    else
        fputs("<path d=\"", svg->out);
    for (unsigned i = 0; i < shapes[shape].count; i++)
        ((strokes ? i % 2 == 0 : i == 0) ? svg_move : svg_to)(svg, x + radius * shapes[shape].corners[i][0],
                                                              y + radius * shapes[shape].corners[i][1]);
    if (shape != SVG_DISC)
        fputs(strokes ? "\"" : "z\"", svg->out);
    put_class(svg, shown_text(strokes ? open ? "s%d" : "s%d w3" : open ? "o%d" : "f%d", (int)colour).text);
    end_element(svg, shape == SVG_DISC ? "circle" : "path", tip);
}

static void put_text(struct svg *svg, const char *text)
{
    fputc('>', svg->out);
    svg_escape(text, svg->out);
    fputs("</text>\n", svg->out);
}

void svg_text(struct svg *svg, double x, double y, double size, enum svg_anchor anchor, const char *class,
              const char *text)
{
    put(svg, "<text x=\"#\" y=\"#\" font-size=\"#\"", x, y, size);
    if (anchor != SVG_START)
        fprintf(svg->out, " text-anchor=\"%s\"", anchor == SVG_MIDDLE ? "middle" : "end");
    put_class(svg, class);
    put_text(svg, text);
}

void svg_textf(struct svg *svg, double x, double y, double size, enum svg_anchor anchor, const char *class,
               const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    svg_text(svg, x, y, size, anchor, class, text);
}

void svg_text_upwards(struct svg *svg, double x, double y, double size, const char *text)
{
    put(svg, "<text x=\"#\" y=\"#\" font-size=\"#\" text-anchor=\"middle\" transform=\"rotate(-90 # #)\"", x,
        y, size, x, y);
    put_text(svg, text);
}

/* --- paths ----------------------------------------------------------------------------------------------- */

void svg_path_begin(struct svg *svg, const char *class)
{
    fputs("<path", svg->out);
    put_class(svg, class);
    fputs(" d=\"", svg->out);
}

void svg_move(struct svg *svg, double x, double y)
{
    put(svg, "M# #", x, y);
}

void svg_to(struct svg *svg, double x, double y)
{
    put(svg, "L# #", x, y);
}

void svg_path_close(struct svg *svg)
{
    fputc('z', svg->out);
}

void svg_path_end(struct svg *svg)
{
    fputs("\"/>\n", svg->out);
}

void svg_polyline(struct svg *svg, const char *class, const double (*points)[2], size_t count, bool closed)
{
    svg_path_begin(svg, class);
    for (size_t i = 0; i < count; i++)
        (i == 0 ? svg_move : svg_to)(svg, points[i][0], points[i][1]);
    if (closed)
        svg_path_close(svg);
    svg_path_end(svg);
}

void svg_arrow_head(struct svg *svg, double x, double y, double dx, double dy, const char *class)
{
    svg_path_begin(svg, class);
    put(svg, "M# #L# #L# #z", x, y, x - 7 * dx - 3.5 * dy, y - 7 * dy - 3.5 * dx, x - 7 * dx + 3.5 * dy,
        y - 7 * dy + 3.5 * dx);
    svg_path_end(svg);
}
