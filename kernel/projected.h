/* Placed nodes, projected along a way, as in core/gaps/seen.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_PROJECTED_H
#define OCTREE_KERNEL_PROJECTED_H

#include "dual.h"
#include "shadows.h"

/* By how much boxes are larger than they have to be, as a part of the terms of their coordinates;
 * and what rounding does to heights above tilted planes. */
#define GROWN 0x1p-40
#define TILTING 0x1p-47
/* Rounding of placed triangles and their altitudes, as a part of the terms. */
#define MOVED 0x1p-46

/* The bounds of a box: along both axes of its shadow; heights along the way; heights above a plane
 * that is tilted as surfaces are where they are nearest so far; and heights along the axis nearest
 * to the way, without rounding, or NaN. */
enum { TILTED = 3, EXACT = 4 };

/* The rows that project a placed mesh, and how large their terms are. Along plain axes, a box is
 * projected without rounding. Rounding takes no area from triangles with an altitude above `thin`,
 * which is negative until it is known. */
typedef struct {
    double rows[4][4], terms[4][4], thin;
    int64_t plain[3]; /* the axis of the mesh that each is; or none, -1 */
} Projection;

/* A descent of two placements along a way, and the slopes of the tilted plane. */
typedef struct {
    Descent descent;
    Along along;
    Projection sides[2];
    double slopes[2];
} Projected;

/* Set slopes: tilted heights are heights less the place of the shadow times slopes. */
static void tilt(Projected *seen, const double *slopes) {
    memcpy(seen->slopes, slopes, sizeof seen->slopes);
    for (Projection *side = seen->sides; side < seen->sides + 2; side++)
        for (int n = 0; n < 4; n++) {
            side->rows[3][n] = side->rows[2][n] - slopes[0] * side->rows[0][n]
                             - slopes[1] * side->rows[1][n];
            side->terms[3][n] = side->terms[2][n] + fabs(slopes[0]) * side->terms[0][n]
                              + fabs(slopes[1]) * side->terms[1][n];
        }
}

/* Return up to which altitude a triangle may have no area where it is placed: rounding moves
 * corners, and the least singular value of the matrix tells how far that is in the mesh. */
static double thin_of(const Pool *pool, const Side *side) {
    const double *one = side->matrix, *two = one + 4, *three = one + 8;
    double normal[3], size[3], square = 0, largest = 0;
    sizes_of(pool, side, size);
    for (const double *row = one; row < one + 12; row += 4) {
        double reach = fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
        square += dot(row, row), largest = max_else_second(reach + fabs(row[3]), largest);
    }
    cross(two, three, normal);
    return largest * square / fabs(dot(one, normal)) * MOVED;
}

/* Place a side, and project it; 0 if it does not exist or is too large. */
static int project_side(const Pool *pool, Projected *seen, int which, int64_t row) {
    const Along *along = &seen->along;
    Side *placed = &seen->descent.sides[which];
    Projection *side = &seen->sides[which];
    if (!set_side(pool, row, placed)) return 0;
    if (!(largest_of(placed->matrix, 12) <= LARGE)) return 0;
    const double *far = placed->matrix + 4 * along->axes[2];
    double longest = along->direction[along->axes[2]];
    for (int n = 0; n < 4; n++) {
        for (int axis = 0; axis < 2; axis++) {
            const double *near = placed->matrix + 4 * along->axes[axis];
            side->rows[axis][n] =
                near[n] - far[n] * (along->direction[along->axes[axis]] / longest);
            side->terms[axis][n] = fabs(near[n]) + fabs(far[n]);
        }
        side->rows[2][n] = far[n] / longest, side->terms[2][n] = 2 * fabs(far[n]);
    }
    for (int n = 0; n < 3; n++) {
        const double *axis = placed->matrix + 4 * along->axes[n];
        int is_plain = (n == 2 || along->direction[along->axes[n]] == 0)
                    && (axis[0] != 0) + (axis[1] != 0) + (axis[2] != 0) <= 1;
        side->plain[n] = !is_plain ? -1 : axis[1] != 0 ? 1 : axis[2] != 0 ? 2 : 0;
    }
    side->thin = -1;
    return 1;
}

/* Return the bounds of a node. */
static Box projected_box(const Pool *pool, const Projected *seen, int which, int64_t node) {
    const Projection *side = &seen->sides[which];
    const double *matrix = seen->descent.sides[which].matrix;
    const Along *along = &seen->along;
    double lows[3], highs[3], middle[3], half[3], size[3];
    int is_level = seen->slopes[0] == 0 && seen->slopes[1] == 0, are_known[4] = {0, 0, 0, 0};
    Box box;
    for (int n = 0; n < 3; n++) {
        double low = lows[n] = pool->boxes[n * pool->node_step + node];
        double high = highs[n] = pool->boxes[(n + 3) * pool->node_step + node];
        middle[n] = (low + high) / 2, half[n] = (high - low) / 2;
        size[n] = max_else_second(fabs(low), fabs(high));
    }
    box.low[EXACT] = box.high[EXACT] = NAN;
    for (int n = 0; n < 3; n++) {
        const double *row = matrix + 4 * along->axes[n];
        int64_t at = side->plain[n];
        if (at < 0) continue;
        double one = row[at] * lows[at] + row[3], other = row[at] * highs[at] + row[3];
        if (n == 2 && along->direction[along->axes[2]] < 0) one = -one, other = -other;
        double low = minimum(one, other), high = maximum(one, other);
        if (n == 2) box.low[EXACT] = low, box.high[EXACT] = high;
        if (n == 2 && is_level) box.low[TILTED] = low, box.high[TILTED] = high;
        box.low[n] = low, box.high[n] = high;
        are_known[n] = n < 2 || along->error == 0;
    }
    are_known[TILTED] = are_known[2] && is_level;
    for (int n = 0; n < 4; n++) {
        const double *row = side->rows[n], *terms = side->terms[n];
        if (are_known[n]) continue;
        double center = dot(row, middle) + row[3];
        double extent = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        extent += (dot(terms, size) + terms[3]) * GROWN;
        box.low[n] = center - extent, box.high[n] = center + extent;
    }
    return box;
}

/* Return how many of two nodes may hold triangles without area. */
static int count_thin(const Pool *pool, Projected *seen, const int64_t *nodes) {
    int count = 0;
    for (int n = 0; n < 2; n++) {
        Projection *side = &seen->sides[n];
        if (side->thin < 0) side->thin = thin_of(pool, &seen->descent.sides[n]);
        count += !(pool->altitudes[nodes[n]] > side->thin);
    }
    return count;
}

/* Return whether the shadows of two nodes, or of their triangles, surely only graze, which is
 * decided only where they are known without rounding. Triangles whose shadows are points meet
 * though these have no inside. */
static int only_graze(const Pool *pool, Projected *seen, const int64_t *nodes,
                      const Box *one, const Box *other) {
    for (int n = 0; n < 2; n++)
        if ((one->low[n] == other->high[n] || one->high[n] == other->low[n])
            && seen->sides[0].plain[n] >= 0 && seen->sides[1].plain[n] >= 0)
            return count_thin(pool, seen, nodes) < 2;
    return 0;
}

/* Return whether two boxes lie in one plane across the way. */
static int are_flat(const Box *one, const Box *other) {
    double height = one->low[EXACT];
    return one->high[EXACT] == height && other->low[EXACT] == height
        && other->high[EXACT] == height;
}

#endif
