/* Boxes that are enlarged vertex by vertex.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_ENLARGED_H
#define OCTREE_KERNEL_ENLARGED_H

#include "vectors.h"

static inline int is_corner(int64_t vertex, int64_t count) {
    return vertex >= 0 && vertex < count;
}

/* Enlarge a box by a point. */
static inline void enlarge_box(double *box, const double *rows, int64_t count, int64_t vertex) {
    for (int axis = 0; axis < 3; axis++) {
        double number = rows[axis * count + vertex], *low = box + axis, *high = box + 3 + axis;
        *low = min_else_second(number, *low), *high = max_else_second(number, *high);
    }
}

#endif
