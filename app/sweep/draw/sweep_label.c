#include "app/sweep/draw/sweep_label.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

static const double SIZE = 11.5, ASCENT = 10, DESCENT = 4, STEP = 5, NEAR = 24;

/* Places of a label beside its point, the best first: of its first letter, or of its last one. */
static const struct place {
    double dx, dy;
    bool ends;
} places[] = {
    {9, -7, false},   {9, 15, false},  {-9, -7, true},   {-9, 15, true},  {22, -26, false},  {22, 34, false},
    {-22, -26, true}, {-22, 34, true}, {36, -52, false}, {36, 60, false}, {-36, -52, true},  {-36, 60, true},
    {60, -84, false}, {60, 90, false}, {-60, -84, true}, {-60, 90, true}, {80, -120, false}, {80, 126, false},
};

struct box {
    double left, top, right, bottom;
};

void sweep_obstacles_add(struct sweep_obstacles *o, double x, double y)
{
    if (!array_reserve(&o->points, &o->room, o->count, 1, sizeof *o->points))
        return;
    o->points[o->count][0] = x;
    o->points[o->count][1] = y;
    o->count++;
}

void sweep_obstacles_add_line(struct sweep_obstacles *o, double x1, double y1, double x2, double y2)
{
    int steps = (int)ceil(hypot(x2 - x1, y2 - y1) / STEP);
    for (int i = 0; i <= steps; i++) {
        double share = steps > 0 ? (double)i / steps : 0;
        sweep_obstacles_add(o, x1 + share * (x2 - x1), y1 + share * (y2 - y1));
    }
}

void sweep_obstacles_destroy(struct sweep_obstacles *o)
{
    free(o->points);
    o->points = NULL;
    o->count = o->room = 0;
}

static struct box box_at(const struct place *p, double x, double y, double width)
{
    double left = x + p->dx - (p->ends ? width : 0), base = y + p->dy;
    return (struct box){left, base - ASCENT, left + width, base + DESCENT};
}

static bool is_inside(const struct sweep_obstacles *o, const struct box *b)
{
    return b->left >= o->left && b->right <= o->right && b->top >= o->top && b->bottom <= o->bottom;
}

static size_t count_covered(const struct sweep_obstacles *o, const struct box *b)
{
    size_t covered = 0;
    for (size_t i = 0; i < o->count; i++)
        covered += o->points[i][0] > b->left - 3 && o->points[i][0] < b->right + 3 &&
                   o->points[i][1] > b->top - 2 && o->points[i][1] < b->bottom + 2;
    return covered;
}

static const struct place *find_place(const struct sweep_obstacles *o, double x, double y, double width)
{
    const struct place *best = &places[0];
    size_t least = (size_t)-1;
    for (unsigned i = 0; i < sizeof places / sizeof places[0] && least > 0; i++) {
        struct box box = box_at(&places[i], x, y, width);
        size_t covered = count_covered(o, &box);
        if (is_inside(o, &box) && covered < least) {
            least = covered;
            best = &places[i];
        }
    }
    return best;
}

static void draw_leader(struct svg *svg, const struct place *p, const struct box *box, double x, double y)
{
    double from_x = p->ends ? box->right : box->left;
    double from_y = p->dy < 0 ? box->bottom - DESCENT / 2 : box->top;
    if (fabs(p->dx) + fabs(p->dy) > NEAR)
        svg_line(svg, from_x, from_y, x, y, "s3 thin");
}

void sweep_label(struct svg *svg, struct sweep_obstacles *o, double x, double y, const char *class,
                 const char *text)
{
    double width = svg_text_width(text, SIZE);
    const struct place *place = find_place(o, x, y, width);
    struct box box = box_at(place, x, y, width);
    draw_leader(svg, place, &box, x, y);
    svg_text(svg, x + place->dx, y + place->dy, SIZE, place->ends ? SVG_END : SVG_START, class, text);
    for (double line = box.top; line <= box.bottom; line += STEP)
        sweep_obstacles_add_line(o, box.left, line, box.right, line);
}
