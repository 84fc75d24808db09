/* Triangles that are placed, and meshes that are laid out, with boxes around runs of triangles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_SHEETS_H
#define OCTREE_KERNEL_SHEETS_H

#include "octree_kernel.h"
#include "corners.h"

/* Coordinates that cannot overflow when they are subtracted. */
#define LARGE 1e300

/* Put a triangle where a matrix does, if there is one; 0 if it is not there. */
static inline int place(const Batch *batch, int64_t face, const double *matrix, double *corners) {
    if (face < 0 || face >= batch->face_count) return 0;
    return read_corners(batch->vertices, batch->vertex_step, batch->vertex_count,
                        batch->faces + face, batch->face_step, matrix, corners);
}

/* Triangles of a small patch, children of another; the largest patches of a mesh. */
#define RUN 8
#define TOPS 64
/* Pairs of patches that a search has room for. */
#define WAITING (TOPS * TOPS + 512)

/* A pair of patches that waits: of lower rank, the sooner it is looked at. */
typedef struct {
    int64_t patches[2];
    double rank;
} Waiting;

/* Let a pair of patches wait, sorted among those from `bottom` on: the last one is next. */
static inline void wait_for(Waiting *stack, int64_t *height, Waiting next, int64_t bottom) {
    int64_t at = (*height)++;
    for (; at > bottom && stack[at - 1].rank < next.rank; at--) stack[at] = stack[at - 1];
    stack[at] = next;
}

/* Find the largest patches of a placed mesh, and its matrix; 0 if there is no such placement, or no
 * mesh that was laid out. */
static inline int find_tops(const Sheets *sheets, int64_t row, int64_t *top, int64_t *count,
                            double *matrix) {
    const Batch *placed = &sheets->triangles;
    if (row < 0 || row >= placed->place_count) return 0;
    int64_t mesh = sheets->meshes[row];
    if (mesh < 0 || mesh >= sheets->mesh_count) return 0;
    *top = sheets->tops[mesh], *count = sheets->top_counts[mesh];
    if (*count < 1 || *count > TOPS) return 0;
    if (*top < 0 || *top > sheets->patch_count - *count) return 0;
    for (int n = 0; n < 12; n++) matrix[n] = placed->matrices[n * placed->place_count + row];
    return 1;
}

#endif
