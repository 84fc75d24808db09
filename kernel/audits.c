/* Audits: how far placed triangles are apart, pair by pair, and points from triangles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As `kernel.c`: answers have the bits of the NumPy functions in `core`, nothing is allocated, and
 * what does not fit is left to the caller. */

#include "shared.h"
#include "exact.h"
#include "triangles.h"

#include <math.h>

/* ---- Pairs of triangles within a margin, as in core/audit/contacts.py ---- */

/* How far the farthest coordinate of a triangle is from those of a corner. */
static double farthest(const double *corners, const double *from) {
    double away[9];
    for (int n = 0; n < 9; n++) away[n] = corners[n] - from[n % 3];
    return largest_of(away, 9);
}

/* Whether `other` surely lies beyond the margin on one side of the plane of `one`. */
static int is_beyond_plane(const double *one, const double *other, double margin) {
    double first[3], last[3], normal[3], heights[3];
    subtract(one + 3, one, first), subtract(one + 6, one, last), cross(first, last, normal);
    for (int c = 0; c < 3; c++)
        subtract(other + 3 * c, one, first), heights[c] = dot(normal, first);
    double size = farthest(other, one) + farthest(one, one);
    double reach = sqrt(dot(normal, normal)) * (margin + size * 0x1p-44);
    reach += size * size * size * 0x1p-48;
    return lowest(heights[0], heights[1], heights[2]) > reach
        || highest(heights[0], heights[1], heights[2]) < -reach;
}

/* Measure how far items i and count + i are apart: infinity if surely beyond the margin, NaN of
 * those that are left to the caller. */
EXPORT int64_t octree_kernel_measure(const Batch *items, int64_t count, double margin,
                                     double *lengths) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    double one[9], other[9], way[3];
    for (int64_t i = 0; i < count; i++)
        lengths[i] = !corners_of(items, i, one) || !corners_of(items, count + i, other)
                  || !(largest_of(one, 9) <= LARGE && largest_of(other, 9) <= LARGE) ? NAN
                   : is_beyond_plane(one, other, margin)
                  || is_beyond_plane(other, one, margin) ? INFINITY
                   : touch(one, other) ? 0 : gap_of(one, other, way);
    set_floats(before);
    return count;
}

/* ---- Points and triangles, as in core/touch/triangle_distance.py ---- */

/* Measure how far points, of (3, point_step), are from triangles, of (9, step): NaN of those that
 * are left to the caller. */
EXPORT int64_t octree_kernel_heights(const double *points, int64_t point_step,
                                     const double *triangles, int64_t step, int64_t count,
                                     double *heights) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    double point[3], corners[9];
    for (int64_t i = 0; i < count; i++) {
        for (int n = 0; n < 3; n++) point[n] = points[n * point_step + i];
        for (int n = 0; n < 9; n++) corners[n] = triangles[n * step + i];
        heights[i] = height_of(point, corners);
    }
    set_floats(before);
    return count;
}
