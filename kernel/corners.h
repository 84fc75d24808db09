/* Corners of triangles of indexed meshes, maybe placed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_CORNERS_H
#define OCTREE_KERNEL_CORNERS_H

#include "vectors.h"

/* Read the corners of the triangle whose vertices are `face_step` apart from `face` on, and put
 * them where a matrix, three rows of four, does, unless that is NULL: as `placed` in
 * core/scene/placed.py, in its order of operations. Returns 0 if a vertex does not exist. */
static inline int read_corners(const double *vertices, int64_t step, int64_t vertex_count,
                               const int64_t *face, int64_t face_step, const double *matrix,
                               double *corners) {
    for (int c = 0; c < 3; c++, corners += 3) {
        int64_t vertex = face[c * face_step];
        if (vertex < 0 || vertex >= vertex_count) return 0;
        double x = vertices[vertex], y = vertices[step + vertex], z = vertices[2 * step + vertex];
        corners[0] = x, corners[1] = y, corners[2] = z;
        const double *row = matrix;
        for (int n = 0; n < 3 && matrix; n++, row += 4)
            corners[n] = x * row[0] + y * row[1] + z * row[2] + row[3];
    }
    return 1;
}

#endif
