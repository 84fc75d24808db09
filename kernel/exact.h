/* Products without rounding, as in core/arrays.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_EXACT_H
#define OCTREE_KERNEL_EXACT_H

#include "vectors.h"

/* Vectors are nearly parallel if their squared sine is less. */
#define NEARLY_PARALLEL 0x1p-20

/* One by the power of two next above a number that is not negative. */
static inline double power_of_two_scale(double largest) {
    uint64_t bits;
    memcpy(&bits, &largest, 8);
    uint64_t exponent = bits >> 52;
    if (exponent >= 1 && exponent <= 2044) {
        bits = (2045 - exponent) << 52;
        memcpy(&largest, &bits, 8);
        return largest;
    }
    int power;
    frexp(largest, &power);
    return ldexp(1.0, power < -1023 ? 1023 : -power);
}

/* Multiply numbers with a power of two, so that the largest is about one; return that power. */
static inline double scale_to_one(double *numbers, int count) {
    double scale = power_of_two_scale(largest_of(numbers, count));
    for (int n = 0; n < count; n++) numbers[n] *= scale;
    return scale;
}

static inline double split(double number, double *low) {
    double wide = number * 134217729.0; /* 2^27 + 1 */
    double high = wide - (wide - number);
    *low = number - high;
    return high;
}

/* Return the rounding error of a product. Dekker, 1971. */
static inline double product_error(double a, double b) {
    double a_low, b_low, a_high = split(a, &a_low), b_high = split(b, &b_low);
    double lost = a_high * b_high - a * b;
    lost += a_high * b_low;
    lost += a_low * b_high;
    lost += a_low * b_low;
    return lost;
}

static inline double exact_difference(double a, double b, double c, double d) {
    return (a * b - c * d) + (product_error(a, b) - product_error(c, d));
}

static inline void exact_cross(const double *a, const double *b, double *product) {
    product[0] = exact_difference(a[1], b[2], a[2], b[1]);
    product[1] = exact_difference(a[2], b[0], a[0], b[2]);
    product[2] = exact_difference(a[0], b[1], a[1], b[0]);
}

#endif
