/* Minima and maxima, and vectors of three numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_VECTORS_H
#define OCTREE_KERNEL_VECTORS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The other two axes, in the order of cross products. */
static const int OTHER[3][2] = {{1, 2}, {2, 0}, {0, 1}};

/* As np.minimum and np.maximum: NaN if either number is NaN, else the second of equal numbers. */
static inline double minimum(double a, double b) { return a < b || a != a ? a : b; }
static inline double maximum(double a, double b) { return a > b || a != a ? a : b; }

/* One instruction each, for loops where that shows: the second number, unless the first is less
 * or greater, so that a NaN in `a` is lost. Their callers reject or never see NaN. */
static inline double min_else_second(double a, double b) { return a < b ? a : b; }
static inline double max_else_second(double a, double b) { return a > b ? a : b; }

/* Find the least and the greatest of some numbers, `step` apart. */
static inline void span_of(const double *numbers, int step, int count, double *low, double *high) {
    *low = *high = numbers[0];
    for (int n = step; n < step * count; n += step) {
        *low = min_else_second(numbers[n], *low);
        *high = max_else_second(numbers[n], *high);
    }
}

/* Return the largest absolute value; NaN only if the last number is NaN. */
static inline double largest_of(const double *numbers, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = max_else_second(largest, fabs(numbers[i]));
    return largest;
}

static inline int sign(double value) { return (value > 0) - (value < 0); }

static inline void subtract(const double *a, const double *b, double *difference) {
    for (int axis = 0; axis < 3; axis++) difference[axis] = a[axis] - b[axis];
}

static inline double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double *a, const double *b, double *product) {
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* Return whether numbers are all not negative, or all not positive. */
static inline int have_one_sign(const double *numbers, int count) {
    int positive = 1, negative = 1;
    for (int i = 0; i < count; i++) positive &= numbers[i] >= 0, negative &= numbers[i] <= 0;
    return positive | negative;
}

/* Set a normal of a triangle, twice as long as the area. */
static inline void normal_of(const double *corners, double *normal) {
    double first[3], last[3];
    subtract(corners + 3, corners, first), subtract(corners + 6, corners, last);
    cross(first, last, normal);
}

/* Find between which heights a triangle lies above a point, along a direction. */
static inline void heights_of(const double *corners, const double *point, const double *direction,
                              double *low, double *high) {
    double heights[3], apart[3];
    for (int c = 0; c < 3; c++)
        subtract(corners + 3 * c, point, apart), heights[c] = dot(direction, apart);
    span_of(heights, 1, 3, low, high);
}

/* Set the edges of a triangle, from each corner to the next. */
static inline void edges_of(const double *corners, double *edges) {
    for (int n = 0; n < 9; n++) edges[n] = corners[(n + 3) % 9] - corners[n];
}

/* Return whether a point lies between the corners of a ring along each of its edges. */
static inline int is_within_ring(const double *point, const double *ring, const double *edges,
                                 int count) {
    for (int edge = 0; edge < 3 * count; edge += 3) {
        double least = INFINITY, most = -INFINITY;
        for (int corner = 0; corner < 3 * count; corner += 3) {
            double apart[3];
            subtract(point, ring + corner, apart);
            double along = dot(apart, edges + edge);
            least = minimum(along, least), most = maximum(along, most);
        }
        if (!(least <= 0 && most >= 0)) return 0;
    }
    return 1;
}

#endif
