/* Octree kernel, outlines: bounds of meshes, and of placed meshes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/scene/store.py` and `placements.py`: the same formulas
 * in the same order of operations. The functions allocate nothing and keep no state. 0 and -0 may
 * replace each other. */

#include "octree_kernel.h"
#include "enlarged.h"

/* Parts of a mesh along each axis, as `_PARTS` in store.py, and all of them. */
enum { COARSE_PARTS = 4, ALL_PARTS = 64 };

/* Find which vertices are used by faces with finite corners, and which faces (3, face_count)
 * these are: `flags`, of vertices, then of faces, 0 on entry. The first of `boxes` holds used
 * vertices, the others, ALL_PARTS, the ones in each cell of a coarse grid; empty ones have
 * infinite bounds. `boxes` may be NULL. Returns the number of these faces. */
EXPORT int64_t octree_kernel_outline(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, uint8_t *flags, double *boxes) {
    USE_DEFAULT_FLOATS;
    uint8_t *used = flags, *good = flags + count;
    int64_t found = 0;
    for (int row = 0; row < 6 * (1 + ALL_PARTS) && boxes; row++)
        boxes[row] = row % 6 < 3 ? INFINITY : -INFINITY;
    int are_finite = 1;
    for (int64_t n = 0; n < 3 * count; n++) are_finite &= isfinite(vertices[n]) != 0;
    for (int64_t face = 0; face < face_count; face++) {
        int64_t a = faces[face], b = faces[face_count + face], c = faces[2 * face_count + face];
        if (!is_corner(a, count) || !is_corner(b, count) || !is_corner(c, count)) return DAMAGED;
        int is_good = 1;
        for (int axis = 0; axis < 3 && !are_finite; axis++) {
            const double *row = vertices + axis * count;
            is_good &= isfinite(row[a]) && isfinite(row[b]) && isfinite(row[c]);
        }
        good[face] = (uint8_t)is_good, found += is_good;
        if (is_good) used[a] = used[b] = used[c] = 1;
    }
    if (!boxes || found == 0) return found;
    double *bounds = boxes, *parts = boxes + 6;
    for (int64_t vertex = 0; vertex < count; vertex++)
        if (used[vertex]) enlarge_box(bounds, vertices, count, vertex);
    double scale[3];
    for (int axis = 0; axis < 3; axis++) {
        double size = bounds[3 + axis] - bounds[axis];
        scale[axis] = size > 0 ? COARSE_PARTS / size : 0;
    }
    for (int64_t vertex = 0; vertex < count; vertex++) {
        int part = 0;
        if (!used[vertex]) continue;
        for (int axis = 0; axis < 3; axis++) {
            double cell = (vertices[axis * count + vertex] - bounds[axis]) * scale[axis];
            const int last = COARSE_PARTS - 1;
            part = part * COARSE_PARTS + (cell >= last ? last : cell > 0 ? (int)cell : 0);
        }
        enlarge_box(parts + 6 * part, vertices, count, vertex);
    }
    return found;
}

/* Write the boxes (6, count) of placed meshes, around their placed parts: `_boxes` in
 * core/scene/placements.py. Each mesh (mesh_count) has `counts` of the parts (part_count, 6) from
 * its `starts` on, `meshes` (count) are placed by `matrices` (12, count). */
EXPORT int64_t octree_kernel_surround(const double *parts, int64_t part_count,
                                      const int64_t *starts, const int64_t *counts,
                                      int64_t mesh_count, const int64_t *meshes,
                                      const double *matrices, int64_t count, double *boxes) {
    USE_DEFAULT_FLOATS;
    for (int64_t n = 0; n < count; n++) {
        int64_t mesh = meshes[n], start = 0, stop = 0;
        if (mesh >= 0 && mesh < mesh_count) start = starts[mesh], stop = counts[mesh];
        if (start < 0 || stop < 1 || stop > part_count - start) return DAMAGED;
        for (const double *part = parts + 6 * start; part < parts + 6 * (start + stop); part += 6)
            for (int axis = 0; axis < 3; axis++) {
                const double *row = matrices + 4 * axis * count + n;
                double x = row[0], y = row[count], z = row[2 * count];
                double center = x * ((part[0] + part[3]) / 2) + y * ((part[1] + part[4]) / 2);
                double extent = fabs(x) * ((part[3] - part[0]) / 2);
                extent += fabs(y) * ((part[4] - part[1]) / 2);
                center = center + z * ((part[2] + part[5]) / 2) + row[3 * count];
                extent += fabs(z) * ((part[5] - part[2]) / 2);
                double *low = boxes + axis * count + n, *high = low + 3 * count;
                int is_first = part == parts + 6 * start;
                *low = is_first ? center - extent : minimum(*low, center - extent);
                *high = is_first ? center + extent : maximum(*high, center + extent);
            }
    }
    return count;
}
