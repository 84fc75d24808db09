/* Triangles relative to points: closest points, and contact with spheres; as in
 * core/touch/triangles.py, to the last bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_CLOSEST_H
#define OCTREE_KERNEL_CLOSEST_H

#include "exact.h"

/* A triangle relative to a point, as in core/touch/triangles.py: its edges; `units`, the edges
 * scaled by a power of two; `normal`, the cross product of two units, exact if these are nearly
 * parallel; for each edge, the point's position `along` it and its side. */
typedef struct {
    double corners[3][3], edges[3][3], units[3][3], normal[3], size;
    double moments[3][3], along[3], lengths[3], sides[3];
    int is_thin, is_inside;
} SeenTriangle;

static inline void see_from(const double *corners, const double *point, SeenTriangle *seen) {
    for (int n = 0; n < 9; n++) seen->corners[n / 3][n % 3] = corners[n] - point[n % 3];
    edges_of(seen->corners[0], seen->edges[0]);
    double scale = power_of_two_scale(largest_of(seen->edges[0], 9));
    for (int n = 0; n < 9; n++)
        seen->units[n / 3][n % 3] = seen->edges[n / 3][n % 3] * scale;
    cross(seen->units[0], seen->units[1], seen->normal);
    seen->size = dot(seen->normal, seen->normal);
    seen->is_thin = seen->size <= NEARLY_PARALLEL;
    if (seen->is_thin && seen->size > 0) {
        exact_cross(seen->units[0], seen->units[1], seen->normal);
        seen->size = dot(seen->normal, seen->normal);
    }
}

static inline void see_edges(SeenTriangle *seen) {
    for (int k = 0; k < 3; k++) {
        cross(seen->corners[k], seen->units[k], seen->moments[k]);
        seen->along[k] = -dot(seen->corners[k], seen->units[k]);
        seen->lengths[k] = dot(seen->units[k], seen->units[k]);
        seen->sides[k] = dot(seen->moments[k], seen->normal);
    }
    seen->is_inside = have_one_sign(seen->sides, 3) && seen->size > 0;
}

/* Features of a triangle, as the rows of `ClosestFeatures` in core/touch/triangles.py. `squares`
 * are the squared distances of three corners, three edges and the face. */
typedef struct {
    SeenTriangle seen;
    double span[3], shares[3], foot[3], squares[7], least;
    int above;
} Features;

static inline void set_features(const double *corners, const double *point, Features *found) {
    SeenTriangle *seen = &found->seen;
    double longest = 0;
    int beside[3], on_longest = 0;
    see_from(corners, point, seen), see_edges(seen);
    for (int k = 0; k < 3; k++) {
        double along = seen->along[k], length = seen->lengths[k];
        found->span[k] = dot(seen->edges[k], seen->units[k]);
        longest = max_else_second(length, longest);
        beside[k] = along >= 0 && along <= found->span[k] && length > 0;
        found->squares[k] = dot(seen->corners[k], seen->corners[k]);
        found->squares[3 + k] =
            beside[k] ? dot(seen->moments[k], seen->moments[k]) / length : INFINITY;
    }
    for (int k = 0; k < 3; k++) on_longest |= beside[k] && seen->lengths[k] == longest;
    double total = seen->sides[0] + seen->sides[1] + seen->sides[2];
    double height = dot(seen->corners[0], seen->normal);
    found->above = seen->is_inside && on_longest && total != 0;
    for (int k = 0; k < 3; k++) {
        found->shares[k] = found->above ? seen->sides[(k + 1) % 3] / total : 0.0;
        found->foot[k] = seen->normal[k] * (height / seen->size); /* where it is above */
    }
    found->squares[6] = found->above ? height * height / seen->size : INFINITY;
    found->least = found->squares[0];
    for (int n = 1; n < 7; n++)
        if (found->squares[n] < found->least) found->least = found->squares[n];
}

/* Set the closest point of a triangle; the point itself if it lies in the triangle. */
static inline void closest_point(const Features *found, const double *corners, const double *point,
                          double *position) {
    const SeenTriangle *seen = &found->seen;
    double weights[4][3] = {{0}}, least = INFINITY;
    int best = 0;
    for (int k = 0; k < 3; k++) {
        double share = found->span[k] > 0 ? seen->along[k] / found->span[k] : 0.0;
        share = share > 0 ? (share < 1 ? share : 1.0) : 0.0;
        weights[k][k] = 1 - share, weights[k][(k + 1) % 3] = share;
    }
    memcpy(weights[3], found->above ? found->shares : weights[0], sizeof weights[3]);
    for (int row = 0; row < 4; row++) {
        double foot[3];
        for (int axis = 0; axis < 3; axis++)
            foot[axis] = weights[row][0] * seen->corners[0][axis]
                       + weights[row][1] * seen->corners[1][axis]
                       + weights[row][2] * seen->corners[2][axis];
        double square = dot(foot, foot);
        if (square < least) least = square, best = row;
    }
    const double *w = weights[best];
    int on_face = found->above && seen->is_thin && found->squares[6] == found->least;
    for (int axis = 0; axis < 3; axis++) {
        double value = w[0] * corners[axis] + w[1] * corners[3 + axis] + w[2] * corners[6 + axis];
        if (on_face) value = point[axis] + found->foot[axis];
        position[axis] = found->least > 0 ? value : point[axis];
    }
}

/* Return whether a triangle has a point no farther from a center than the root of `squared`: as
 * `touch_spheres` in core/touch/triangles.py. */
static inline int touches_sphere(const double *corners, const double *center, double squared) {
    static const double origin[3];
    SeenTriangle seen;
    see_from(corners, center, &seen);
    for (int k = 0; k < 3; k++)
        if (dot(seen.corners[k], seen.corners[k]) <= squared) return 1;
    see_edges(&seen);
    for (int k = 0; k < 3; k++) {
        double along = seen.along[k], length = seen.lengths[k];
        int beside = along >= 0 && along <= dot(seen.edges[k], seen.units[k]) && length > 0;
        if (beside && dot(seen.moments[k], seen.moments[k]) <= squared * length) return 1;
    }
    if (!seen.is_inside) return 0;
    if (seen.is_thin && !is_within_ring(origin, seen.corners[0], seen.edges[0], 3)) return 0;
    double height = dot(seen.corners[0], seen.normal);
    return height * height <= squared * seen.size;
}

#endif
