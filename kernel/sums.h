/* Exact sums and products of floats: growing expansions (J. R. Shewchuk, "Adaptive Precision
 * Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_SUMS_H
#define OCTREE_KERNEL_SUMS_H

#include "exact.h"

#include <math.h>
#include <stdint.h>

/* Parts of a sum: most numbers need a handful. */
#define MOST_PARTS 40

/* A number as a sum of floats that share no bits, the smallest first, none of them 0. `is_lost` if
 * there were too many, or so small a one that products lose bits. */
typedef struct {
    int count, is_lost;
    double parts[MOST_PARTS];
} Sum;

/* Make its parts as few as can be. */
static void compress(Sum *sum) {
    double *parts = sum->parts, carry;
    int bottom = sum->count - 1, top = 0;
    if (sum->count < 2) return;
    carry = parts[bottom];
    for (int i = sum->count - 2; i >= 0; i--) {
        double total = carry + parts[i], lost = parts[i] - (total - carry);
        carry = total;
        if (lost != 0) parts[bottom--] = total, carry = lost;
    }
    parts[bottom] = carry;
    carry = parts[bottom];
    for (int i = bottom + 1; i < sum->count; i++) {
        double total = parts[i] + carry, lost = carry - (total - parts[i]);
        if (lost != 0) parts[top++] = lost;
        carry = total;
    }
    if (carry != 0) parts[top++] = carry;
    sum->count = top;
}

static void add_number(Sum *sum, double number) {
    int count = 0;
    if (sum->count > MOST_PARTS - 2) compress(sum);
    if (sum->count > MOST_PARTS - 2) sum->is_lost = 1, sum->count = 0;
    for (int i = 0; i < sum->count; i++) {
        double part = sum->parts[i], total = number + part, back = total - number;
        double lost = (number - (total - back)) + (part - back);
        if (lost != 0) sum->parts[count++] = lost;
        number = total;
    }
    if (number != 0) sum->parts[count++] = number;
    sum->count = count;
}

static inline Sum sum_of(double number) {
    Sum sum = {.count = number != 0, .is_lost = 0};
    sum.parts[0] = number;
    return sum;
}

/* Add a product to a sum, or, with a sign of -1, take it away. */
static void add_product(Sum *sum, const Sum *one, const Sum *other, double sign) {
    sum->is_lost |= one->is_lost | other->is_lost;
    for (int i = 0; i < one->count; i++)
        for (int j = 0; j < other->count; j++) {
            double a = one->parts[i] * sign, b = other->parts[j];
            add_number(sum, product_error(a, b)), add_number(sum, a * b);
        }
    compress(sum);
}

/* a * b - c * d */
static Sum determinant(const Sum *a, const Sum *b, const Sum *c, const Sum *d) {
    Sum sum = sum_of(0);
    add_product(&sum, a, b, 1), add_product(&sum, c, d, -1);
    return sum;
}

/* Return a number near the sum, and its sign: the largest part has both. */
static inline double about(const Sum *sum) { return sum->count ? sum->parts[sum->count - 1] : 0; }

static inline int sign_of(const Sum *sum) { return (about(sum) > 0) - (about(sum) < 0); }

#endif
