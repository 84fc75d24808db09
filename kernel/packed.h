/* Packed trees: nodes of eight boxes, and blocks of eight triangles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_PACKED_H
#define OCTREE_KERNEL_PACKED_H

#include "octree_kernel.h"
#include "eight.h"
#include "corners.h"
#include <assert.h>

/* Boxes are enlarged by this much. */
#define MARGIN 0x1p-18f

/* Eight boxes, lower and upper along each axis, and what they hold: a node; or the block ~child
 * of `count` triangles; or the item ~child, where these are boxes. Empty slots have boxes that
 * nothing meets. */
struct Node {
    float box[3][2][WIDE];
    int32_t child[WIDE];
    int32_t count[WIDE];
};

/* Eight triangles, coordinate by coordinate, and which entries they are. */
struct Block {
    float corner[3][3][WIDE];
    int32_t entry[WIDE];
};

/* Entries of a cell, of some of its children, or of no cell (-1), while a tree is packed. */
struct Part {
    int64_t from, to, cell, first, last;
};

/* Find the corners of a triangle, placed by `matrix` unless that is NULL; 0 if it has no such
 * vertex, which packed trees never have. */
static inline int corners_in(const Tree *tree, const double *matrix, int64_t entry,
                             double *corners) {
    assert(entry >= 0 && entry < tree->entry_count);
    return read_corners(tree->vertices, tree->vertex_step, tree->vertex_count,
                        tree->faces + entry, tree->face_step, matrix, corners);
}

#endif
