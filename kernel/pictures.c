/* Octree kernel, pictures: puts vertices on the screen, and triangles into a z-buffer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/item_buffer/stage.py`, `scan_conversion.py` and `z_buffer.py`:
 * the same formulas in the same order of operations. Numbers may be anything; NaN samples are not
 * drawn. The functions allocate nothing and keep no state. */

#include "octree_kernel.h"
#include "vectors.h"

/* As in scan_conversion.py. */
#define SLACK 0x1p-30
#define THIN 0x1p-20

/* Put the vertices of some placements on the screen, one placement after the other: `clip`
 * (4, room) are `starts` and `counts` of `vertices`, in rows `vertex_step` apart, times `matrices`
 * (4, 4, placed). Returns how many lie before the near plane. */
EXPORT int64_t octree_kernel_project(const double *vertices, int64_t vertex_count,
                                     int64_t vertex_step, const double *matrices,
                                     const int64_t *starts, const int64_t *counts,
                                     int64_t placed, double *clip, int64_t room) {
    USE_DEFAULT_FLOATS;
    int64_t at = 0, front = 0;
    for (int64_t p = 0; p < placed; p++) {
        double rows[16];
        if (starts[p] < 0 || counts[p] < 0 || counts[p] > vertex_count - starts[p] ||
            counts[p] > room - at)
            return DAMAGED;
        for (int n = 0; n < 16; n++) rows[n] = matrices[n * placed + p];
        const double *x = vertices + starts[p], *y = x + vertex_step, *z = y + vertex_step;
        for (int64_t i = 0; i < counts[p]; i++, at++) {
            double found[4];
            for (int n = 0; n < 4; n++) {
                const double *by = rows + 4 * n;
                found[n] = by[0] * x[i] + by[1] * y[i] + by[2] * z[i] + by[3];
                clip[n * room + at] = found[n];
            }
            front += (found[3] - found[2] >= 0) & (found[3] > 0);
        }
    }
    return front;
}

/* Set the first and last centers between the least and greatest of three numbers. */
static void reached(const double *values, double lower, double upper, double *first,
                    double *last) {
    double least = minimum(minimum(values[0], values[1]), values[2]);
    double greatest = maximum(maximum(values[0], values[1]), values[2]);
    *first = maximum(ceil(least - (0.5 + SLACK)), lower);
    *last = minimum(floor(greatest - (0.5 - SLACK)), upper - 1);
}

/* A triangle on the screen: corners from below upward, and nearness at 0, 0, by x and by y. */
typedef struct {
    double x[3], y[3], at, by_x, by_y, limits[2];
    int is_thin;
} Shown;

/* Set up a triangle; returns whether it has an area. */
static int set_up(Shown *shown, const double *nearness) {
    double *x = shown->x, *y = shown->y;
    double x1 = x[1] - x[0], y1 = y[1] - y[0], near1 = nearness[1] - nearness[0];
    double x2 = x[2] - x[0], y2 = y[2] - y[0], near2 = nearness[2] - nearness[0];
    double area = x1 * y2 - x2 * y1, size = fabs(x1) + fabs(y1) + fabs(x2) + fabs(y2);
    if (!isfinite(area) || area == 0) return 0;
    shown->by_x = (near1 * y2 - near2 * y1) / area;
    shown->by_y = (x1 * near2 - x2 * near1) / area;
    shown->at = nearness[0] - shown->by_x * x[0] - shown->by_y * y[0];
    shown->is_thin = fabs(area) <= THIN * size * size;
    shown->limits[0] = minimum(minimum(nearness[0], nearness[1]), nearness[2]);
    shown->limits[1] = maximum(maximum(nearness[0], nearness[1]), nearness[2]);
    for (int turn = 0; turn < 3; turn++) {
        int one = turn == 1, other = one + 1;
        if (!(y[one] > y[other])) continue;
        double swapped_x = x[one], swapped_y = y[one];
        x[one] = x[other], y[one] = y[other], x[other] = swapped_x, y[other] = swapped_y;
    }
    return 1;
}

/* Put the samples of a row into the target, from `place` on. */
static void put(const Target *target, const Shown *shown, double nearness, int64_t place,
                int64_t count, int64_t name) {
    for (int64_t step = 0; step < count; step++) {
        double near = shown->by_x * (double)step + nearness;
        if (shown->is_thin) near = minimum(maximum(near, shown->limits[0]), shown->limits[1]);
        if (!target->keys) {
            if (near >= 0) target->flags[place + step] = 1;
            continue;
        }
        float single = (float)near;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        int64_t key = (int64_t)((uint64_t)bits << 32) | name;
        /* Below zero, -0.0 too, the sign makes a key that is less than all. */
        if (single == single && key > target->keys[place + step]) target->keys[place + step] = key;
    }
}

/* Flag the samples of a row, from `begin` to `end` in the picture, in the triangle's own frame.
 * Returns 0 if the frame reaches beyond the pixels of `target`. */
static int put_alone(const Target *target, int64_t number, const Shown *shown, int64_t row,
                     double begin, double end, double nearness) {
    const int64_t step = target->count, *frame = target->numbers + (step == 1 ? 0 : number);
    double left = (double)frame[0], right = (double)frame[2 * step] - 1;
    if (row < frame[step] || row >= frame[3 * step]) return 1;
    double first = maximum(begin, left), last = minimum(end, right);
    if (!(first <= last)) return 1;
    int64_t count = (int64_t)(last - first) + 1;
    int64_t place = row * frame[5 * step] + ((int64_t)first + frame[4 * step]);
    if (place < 0 || count > target->pixels - place) return 0;
    if (first != begin)
        nearness = shown->at + shown->by_y * ((double)row + 0.5) + shown->by_x * (first + 0.5);
    put(target, shown, nearness, place, count, 0);
    return 1;
}

/* Draw triangles from `from` to `to`: corners (3, place_count) are x and y in pixels, pixel i
 * from i to i + 1, and nearness; faces (3, to) in rows `face_step` apart. Samples are nearness in
 * single precision above `names` (to), whole numbers of 32 bits. If `alone` is not NULL,
 * triangles are also drawn into frames of their own within the others, as flags. */
EXPORT int64_t octree_kernel_draw(const Target *target, const Target *alone, const double *places,
                                  int64_t place_count, const int64_t *faces, int64_t face_step,
                                  const int64_t *names, int64_t from, int64_t to) {
    if (from < 0 || (target->count != 1 && to > target->count)) return DAMAGED;
    if (alone && (alone->keys || (alone->count != 1 && to > alone->count))) return DAMAGED;
    USE_DEFAULT_FLOATS;
    for (int64_t i = from; i < to; i++) {
        const int64_t *frame = target->numbers + (target->count == 1 ? 0 : i);
        double nearness[3], first, last, left, right, offsets[3], slopes[3], limits[4];
        Shown shown;
        for (int corner = 0; corner < 3; corner++) {
            int64_t vertex = faces[corner * face_step + i];
            if (vertex < 0 || vertex >= place_count) return DAMAGED;
            shown.x[corner] = places[vertex], shown.y[corner] = places[place_count + vertex];
            nearness[corner] = places[2 * place_count + vertex];
        }
        for (int n = 0; n < 4; n++) limits[n] = (double)frame[n * target->count];
        reached(shown.y, limits[1], limits[3], &first, &last);
        reached(shown.x, limits[0], limits[2], &left, &right);
        if (!(first <= last && left <= right) || !set_up(&shown, nearness)) continue;
        for (int edge = 0; edge < 3; edge++) { /* as `_edges` */
            int one = edge == 1, other = edge ? 2 : 1;
            double rise = shown.y[other] - shown.y[one];
            double crossed = shown.x[one] * shown.y[other] - shown.x[other] * shown.y[one];
            slopes[edge] = rise == 0 ? 0.0 : (shown.x[other] - shown.x[one]) / rise;
            offsets[edge] = rise == 0 ? shown.x[one] : crossed / rise;
        }
        for (int64_t row = (int64_t)first; row <= (int64_t)last; row++) {
            double center = (double)row + 0.5, middle = shown.y[1];
            double along = slopes[2] * center + offsets[2];
            int edge = center >= middle;
            double broken = slopes[edge] * center + offsets[edge];
            double low = minimum(along, broken), high = maximum(along, broken);
            /* A row may lead through the middle corner, or do so but for a rounding. */
            if (fabs(center - middle) <= SLACK)
                low = minimum(low, shown.x[1]), high = maximum(high, shown.x[1]);
            double begin = maximum(ceil(low - (0.5 + SLACK)), left);
            double end = minimum(floor(high - (0.5 - SLACK)), right);
            if (!(begin <= end)) continue;
            int64_t width = frame[5 * target->count], count = (int64_t)(end - begin) + 1;
            int64_t place = row * width + ((int64_t)begin + frame[4 * target->count]);
            if (place < 0 || count > target->pixels - place) return DAMAGED;
            double there = shown.at + shown.by_y * center + shown.by_x * (begin + 0.5);
            put(target, &shown, there, place, count, names ? names[i] : 0);
            if (alone && !put_alone(alone, i, &shown, row, begin, end, there)) return DAMAGED;
        }
    }
    return to;
}
