/* Triangles that are placed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_PLACED_H
#define OCTREE_KERNEL_PLACED_H

#include "octree_kernel.h"
#include "corners.h"

/* Coordinates that cannot overflow when they are subtracted. */
#define LARGE 1e300

/* Put a triangle where a matrix does, if there is one; 0 if it does not exist. */
static inline int place(const Batch *batch, int64_t face, const double *matrix, double *corners) {
    if (face < 0 || face >= batch->face_count) return 0;
    return read_corners(batch->vertices, batch->vertex_step, batch->vertex_count,
                        batch->faces + face, batch->face_step, matrix, corners);
}

#endif
