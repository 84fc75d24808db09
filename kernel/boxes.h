/* Triangle against axis-aligned box, as in rational arithmetic: `meet_boxes` in
 * core/touch/triangle_boxes.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_BOXES_H
#define OCTREE_KERNEL_BOXES_H

#include "sums.h"

#include <math.h>
#include <string.h>

/* The third result of a test beside 0 and 1: undecided, left to the caller. */
enum { DOUBTFUL = 2 };

/* Where points and edges have coordinates up to 1: rounding of projections on a product of edges,
 * as a part of its size, and on the normal. Edges below the shortest may lose bits there. */
#define EDGE_ROUNDING 0x1p-48
#define PLANE_ROUNDING 0x1p-46
#define SHORTEST_EDGE 0x1p-900
/* Coordinates between these neither overflow nor lose bits where they are scaled or halved. */
#define SAFE_LEAST 0x1p-900
#define SAFE_MOST 0x1p900
/* Rounding of a sum of products of differences, as a part of its terms. */
#define TERMS_ROUNDING 0x1p-49
/* Exact coordinates are up to EXACT_MOST, and at least EXACT_LEAST of that: so products of three
 * lose no bit. */
#define EXACT_MOST 0x1p300
#define EXACT_LEAST 0x1p-560

/* Make numbers at most 1 by a power of two, where that is safe. */
static inline int scale_to_unit(double *numbers, int count) {
    double largest = largest_of(numbers, count);
    scale_to_one(numbers, count);
    return largest >= SAFE_LEAST && largest <= SAFE_MOST;
}

/* Return whether no axis separates a triangle and a box whose bounds overlap. */
static inline int axes_overlap(const double *corners, const double *lower, const double *upper) {
    double seen[12], *half = seen + 9, edges[9], normal[3];
    int is_flat = 0; /* a bit for each coordinate of an edge */
    for (int axis = 0; axis < 3; axis++) half[axis] = (upper[axis] - lower[axis]) / 2;
    for (int n = 0; n < 9; n++) seen[n] = (corners[n] - lower[n % 3]) - half[n % 3];
    edges_of(corners, edges);
    for (int n = 0; n < 9; n++) is_flat |= (edges[n] == 0) << n;
    if (!scale_to_unit(seen, 12) || !scale_to_unit(edges, 9)) return DOUBTFUL;
    cross(edges, edges + 3, normal);
    double gap = fabs(dot(seen, normal));
    for (int axis = 0; axis < 3; axis++) gap -= half[axis] * fabs(normal[axis]);
    if (gap > PLANE_ROUNDING) return 0;
    int is_sure = gap < -PLANE_ROUNDING;
    for (int n = 0; n < 9; n++) {
        int start = n - n % 3, i = start + (n + 1) % 3, j = start + (n + 2) % 3;
        int opposite_i = (i + 6) % 9, opposite_j = (j + 6) % 9;
        double one = edges[i], other = edges[j], size = fabs(one) + fabs(other);
        double on_edge = one * seen[j] - other * seen[i];
        double beside = one * seen[opposite_j] - other * seen[opposite_i];
        gap = maximum(minimum(on_edge, beside), -maximum(on_edge, beside));
        gap -= half[i - start] * fabs(other) + half[j - start] * fabs(one);
        if (gap > size * EDGE_ROUNDING && size >= SHORTEST_EDGE) return 0;
        is_sure &= gap <= -size * EDGE_ROUNDING;
        is_sure &= (is_flat >> n & 1 || fabs(edges[n]) >= SHORTEST_EDGE);
    }
    return is_sure ? 1 : DOUBTFUL;
}

static inline Sum difference(double a, double b) {
    Sum sum = sum_of(a);
    add_number(&sum, -b);
    return sum;
}

static inline int is_certain_sum(double value, double terms) {
    return terms == 0 || fabs(value) > terms * TERMS_ROUNDING;
}

/* Return the orientation of an edge and a corner in the plane of the axes i and j. */
static inline Sum exact_turn(const double *start, const double *stop, const double *corner, int i,
                             int j) {
    Sum edge[2] = {difference(stop[i], start[i]), difference(stop[j], start[j])};
    Sum apart[2] = {difference(corner[i], start[i]), difference(corner[j], start[j])};
    return determinant(&edge[0], &apart[1], &edge[1], &apart[0]);
}

static inline int turn(const double *start, const double *stop, const double *corner, int i,
                       int j) {
    double one = (stop[i] - start[i]) * (corner[j] - start[j]);
    double other = (stop[j] - start[j]) * (corner[i] - start[i]);
    if (is_certain_sum(one - other, fabs(one) + fabs(other))) return sign(one - other);
    Sum exact = exact_turn(start, stop, corner, i, j);
    return sign_of(&exact);
}

/* Return whether all of a rectangle lies beside an edge of a triangle that faces one way. */
static inline int is_beside(const double *start, const double *stop, const double *lower,
                            const double *upper, int i, int j, int facing) {
    double corner[3];
    int along_i = stop[i] > start[i], along_j = stop[j] > start[j];
    corner[j] = along_i == (facing > 0) ? upper[j] : lower[j];
    corner[i] = along_j == (facing > 0) ? lower[i] : upper[i];
    return turn(start, stop, corner, i, j) * facing < 0;
}

/* Return the side of a triangle's plane on which a point lies (-1, 0, 1), given the sign of the
 * normal along each axis; DOUBTFUL if numbers have too many bits. */
static inline int side_of_plane(const double *corners, const double *point, const int *facing) {
    double value = 0, terms = 0;
    Sum exact = sum_of(0);
    const double *second = corners + 3, *third = corners + 6;
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        double one = (second[i] - corners[i]) * (third[j] - corners[j]);
        double other = (second[j] - corners[j]) * (third[i] - corners[i]);
        double apart = point[axis] - corners[axis];
        if (facing[axis] == 0) continue;
        value += (one - other) * apart;
        terms += (fabs(one) + fabs(other)) * fabs(apart);
    }
    if (is_certain_sum(value, terms)) return sign(value);
    for (int axis = 0; axis < 3; axis++) {
        if (facing[axis] == 0) continue;
        Sum part = exact_turn(corners, second, third, (axis + 1) % 3, (axis + 2) % 3);
        Sum apart = difference(point[axis], corners[axis]);
        add_product(&exact, &part, &apart, 1);
    }
    return exact.is_lost ? DOUBTFUL : sign_of(&exact);
}

/* Return whether a triangle and a box meet, exactly, or DOUBTFUL if numbers have too many bits. */
static inline int surely_meets(const double *corners, const double *lower, const double *upper) {
    double points[15];
    int facing[3];
    memcpy(points, corners, 9 * sizeof *points);
    memcpy(points + 9, lower, 3 * sizeof *points), memcpy(points + 12, upper, 3 * sizeof *points);
    for (int axis = 0; axis < 3; axis++) {
        double largest = 0;
        for (int n = axis; n < 15; n += 3) largest = maximum(fabs(points[n]), largest);
        double scale = power_of_two_scale(largest);
        for (int n = axis; n < 15; n += 3) {
            if (points[n] != 0 && !(fabs(points[n] * scale) >= EXACT_LEAST)) return DOUBTFUL;
            points[n] = points[n] * scale * EXACT_MOST;
        }
    }
    lower = points + 9, upper = points + 12;
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        facing[axis] = turn(points, points + 3, points + 6, i, j);
        for (int n = 0; n < 9; n += 3) {
            const double *start = points + n, *stop = points + (n + 3) % 9;
            if (facing[axis] >= 0 && is_beside(start, stop, lower, upper, i, j, 1)) return 0;
            if (facing[axis] <= 0 && is_beside(start, stop, lower, upper, i, j, -1)) return 0;
        }
    }
    for (int way = -1; way <= 1; way += 2) {
        double farthest[3];
        for (int axis = 0; axis < 3; axis++)
            farthest[axis] = facing[axis] * way > 0 ? upper[axis] : lower[axis];
        int side = side_of_plane(points, farthest, facing);
        if (side == DOUBTFUL) return DOUBTFUL;
        if (side * way < 0) return 0;
    }
    return 1;
}

/* Return whether a triangle and a box share a point. */
static inline int touches_box(const double *corners, const double *lower, const double *upper) {
    int above = 0, below = 0;
    for (int c = 0; c < 9; c += 3) {
        int over = 0, under = 0;
        for (int axis = 0; axis < 3; axis++) {
            over |= (corners[c + axis] >= lower[axis]) << axis;
            under |= (corners[c + axis] <= upper[axis]) << axis;
        }
        if ((over & under) == 7) return 1;
        above |= over, below |= under;
    }
    if ((above & below) != 7) return 0;
    int met = axes_overlap(corners, lower, upper);
    return met == DOUBTFUL ? surely_meets(corners, lower, upper) : met;
}

#endif
