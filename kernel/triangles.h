/* Triangles that may be placed: whether two touch, and the shortest way between them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arguments are not trusted: each index is checked. */

#ifndef OCTREE_KERNEL_TRIANGLES_H
#define OCTREE_KERNEL_TRIANGLES_H

#include "exact.h"
#include "placed.h"

/* ---- Triangles, maybe placed ---- */

static inline int corners_of(const Batch *batch, int64_t item, double *corners) {
    double matrix[12];
    if (item < 0 || item >= batch->count) return 0;
    if (!batch->entries) return place(batch, item, NULL, corners);
    int64_t column = batch->places[item];
    if (column < 0 || column >= batch->place_count) return 0;
    for (int n = 0; n < 12; n++) matrix[n] = batch->matrices[n * batch->place_count + column];
    return place(batch, batch->entries[item], matrix, corners);
}

/* See both from the first corner of one, multiplied with a power of two so that they are about
 * one, which is returned. */
static inline double seen_from_within(const double *ones, const double *others, double *one,
                               double *other) {
    for (int n = 0; n < 9; n++) one[n] = ones[n] - ones[n % 3], other[n] = others[n] - ones[n % 3];
    double scale = power_of_two_scale(maximum(largest_of(one, 9), largest_of(other, 9)));
    for (int n = 0; n < 9; n++) one[n] *= scale, other[n] *= scale;
    return scale;
}

/* ---- Whether two triangles touch, as in core/touch/triangle_pairs.py ---- */

/* In coordinates of about one: what rounding does to a distance from a plane, and, as a part of a
 * direction's length, to a projection on it; and more than it could ever do. */
#define PLANE 0x1p-44
#define PROJECTION 0x1p-49
#define SURE 0x1p-40

static inline int bounds_meet(const double *one, const double *other) {
    for (int axis = 0; axis < 3; axis++) {
        double low, high, other_low, other_high;
        span_of(one + axis, 3, 3, &low, &high);
        span_of(other + axis, 3, 3, &other_low, &other_high);
        if (low > other_high || other_low > high) return 0;
    }
    return 1;
}

static inline int share_a_corner(const double *one, const double *other) {
    for (int i = 0; i < 9; i += 3)
        for (int j = 0; j < 9; j += 3)
            if (one[i] == other[j] && one[i + 1] == other[j + 1] && one[i + 2] == other[j + 2])
                return 1;
    return 0;
}

static inline int reaches_plane(const double *one, const double *other) {
    double normal[3], low, high;
    normal_of(one, normal), heights_of(other, one, normal, &low, &high);
    return low <= PLANE && high >= -PLANE;
}

/* On which sides of a plane corners surely lie: whether edge i begins and ends on two. */
static inline void begin_and_end_apart(const double *corners, const double *from,
                                       const double *normal, int *apart) {
    int sides[3];
    for (int c = 0; c < 3; c++) {
        double way[3];
        subtract(corners + 3 * c, from, way);
        double height = dot(normal, way);
        sides[c] = (height > SURE) - (height < -SURE);
    }
    for (int c = 0; c < 3; c++) apart[c] = sides[c] * sides[(c + 1) % 3] < 0;
}

/* Return 1 if an edge of one surely pierces the other, 2 if they may touch, else 0. */
static inline int edges_pass(const double *one, const double *other) {
    double edges[2][9], moments[2][9], normals[2][3], apart[3][3];
    const double *corners[2] = {one, other};
    int crosses[2][3], passing = 1;
    for (int n = 0; n < 2; n++) {
        edges_of(corners[n], edges[n]);
        for (int c = 0; c < 9; c += 3) cross(edges[n] + c, corners[n] + c, moments[n] + c);
        cross(edges[n], edges[n] + 3, normals[n]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            apart[i][j] = dot(edges[0] + 3 * i, moments[1] + 3 * j);
            apart[i][j] += dot(edges[1] + 3 * j, moments[0] + 3 * i);
            double reach = dot(normals[1], edges[0] + 3 * i);
            double other_reach = -dot(normals[0], edges[1] + 3 * j);
            double low = min_else_second(reach, 0), high = max_else_second(reach, 0);
            passing &= apart[i][j] + low <= max_else_second(other_reach, 0) + PLANE
                    && apart[i][j] + high >= min_else_second(other_reach, 0) - PLANE;
        }
    begin_and_end_apart(one, other, normals[1], crosses[0]);
    begin_and_end_apart(other, one, normals[0], crosses[1]);
    for (int n = 0; n < 3; n++) {
        double low, high;
        span_of(apart[n], 1, 3, &low, &high);
        if (crosses[0][n] && (low > SURE || high < -SURE)) return 1;
        span_of(&apart[0][n], 3, 3, &low, &high);
        if (crosses[1][n] && (low > SURE || high < -SURE)) return 1;
    }
    return passing ? 2 : 0;
}

static inline int overlap(const double *way, const double *one, const double *other) {
    double here[3], there[3], low, high, other_low, other_high;
    double reach = PROJECTION * (fabs(way[0]) + fabs(way[1]) + fabs(way[2]));
    for (int c = 0; c < 3; c++)
        here[c] = dot(way, one + 3 * c), there[c] = dot(way, other + 3 * c);
    span_of(here, 1, 3, &low, &high), span_of(there, 1, 3, &other_low, &other_high);
    return low <= other_high + reach && other_low <= high + reach;
}

/* Return whether no product of an edge with an axis, or of two edges, separates them. */
static inline int unseparated(const double *one, const double *other) {
    double edges[18], way[3]; /* of both */
    edges_of(one, edges), edges_of(other, edges + 9);
    for (int n = 0; n < 18; n += 3)
        for (int axis = 0; axis < 3; axis++) {
            int i = (axis + 1) % 3, j = (axis + 2) % 3;
            way[axis] = 0, way[i] = edges[n + j], way[j] = -edges[n + i];
            if (!overlap(way, one, other)) return 0;
        }
    for (int n = 0; n < 18; n += 9) {
        exact_cross(edges + n, edges + n + 3, way);
        if (!overlap(way, one, other)) return 0;
    }
    for (int i = 0; i < 9; i += 3)
        for (int j = 9; j < 18; j += 3) {
            exact_cross(edges + i, edges + j, way);
            if (!overlap(way, one, other)) return 0;
        }
    return 1;
}

static inline int touch(const double *ones, const double *others) {
    double one[9], other[9];
    if (!bounds_meet(ones, others)) return 0;
    seen_from_within(ones, others, one, other);
    if (!reaches_plane(one, other) || !reaches_plane(other, one)) return 0;
    if (share_a_corner(ones, others)) return 1;
    int state = edges_pass(one, other);
    return state == 2 ? unseparated(one, other) : state;
}

/* ---- The shortest way between two triangles, as in core/touch/triangle_distance.py ---- */

/* Edges are parallel if their squared sine is less. */
#define ALONG 0x1p-52

/* The shortest way so far: its square, and from the one triangle to the other. */
typedef struct {
    double square, way[3];
} Shortest;

static inline double quotient(double a, double b) { return b > 0 ? a / b : 0; }

/* Return a share from 0 to 1. NumPy may have -0 for 0, which no square shows. */
static inline double clamp_share(double share) { return share < 0 ? 0 : share > 1 ? 1 : share; }

static inline void consider(Shortest *shortest, const double *from, const double *to) {
    double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    double square = dot(way, way);
    if (square < shortest->square) shortest->square = square, memcpy(shortest->way, way, 24);
}

/* Consider the ways between `count` corners and the face of another triangle, or its first
 * corner. */
static inline void corners_to_face(const double *corners, int count, const double *triangle,
                                   const double *edges, int is_back, Shortest *shortest) {
    double normal[3], beside[9];
    cross(edges, edges + 3, normal);
    double area = dot(normal, normal);
    int thin = area <= NEARLY_PARALLEL;
    if (thin && area > 0) exact_cross(edges, edges + 3, normal), area = dot(normal, normal);
    for (int n = 0; n < 9; n += 3) cross(normal, edges + n, beside + n);
    for (int c = 0; c < 3 * count; c += 3) {
        double apart[9], foot[3];
        for (int n = 0; n < 9; n++) apart[n] = corners[c + n % 3] - triangle[n];
        int above = area > 0 && dot(apart, beside) >= 0 && dot(apart + 3, beside + 3) >= 0
                 && dot(apart + 6, beside + 6) >= 0
                 && (!thin || is_within_ring(corners + c, triangle, edges, 3));
        double height = quotient(dot(apart, normal), area);
        for (int n = 0; n < 3; n++)
            foot[n] = above ? corners[c + n] - height * normal[n] : triangle[n];
        consider(shortest, is_back ? foot : corners + c, is_back ? corners + c : foot);
    }
}

/* Return the distance of two triangles that share no point, and set the way from one to the
 * other. */
static inline double gap_of(const double *ones, const double *others, double *way) {
    double one[9], other[9], here[9], there[9];
    double scale = seen_from_within(ones, others, one, other);
    edges_of(one, here), edges_of(other, there);
    Shortest shortest = {INFINITY, {0, 0, 0}};
    for (int i = 0; i < 9; i += 3) {
        for (int j = 0; j < 9; j += 3) {
            double apart[3], from[3], to[3], *start = one + i, *stop = other + j;
            subtract(start, stop, apart);
            double a = dot(here + i, here + i), e = dot(there + j, there + j);
            double b = dot(here + i, there + j), c = dot(here + i, apart);
            double f = dot(there + j, apart), across = a * e - b * b;
            double along = clamp_share(quotient(f, e)), back = clamp_share(quotient(-c, a));
            for (int n = 0; n < 3; n++) to[n] = stop[n] + along * there[j + n];
            consider(&shortest, start, to);
            for (int n = 0; n < 3; n++) from[n] = start[n] + back * here[i + n];
            consider(&shortest, from, stop);
            double first = across > ALONG * a * e ? quotient(b * f - c * e, across) : 0;
            first = clamp_share(first);
            double second = clamp_share(quotient(b * first + f, e));
            first = clamp_share(quotient(b * second - c, a));
            for (int n = 0; n < 3; n++) {
                from[n] = start[n] + first * here[i + n];
                to[n] = stop[n] + second * there[j + n];
            }
            consider(&shortest, from, to);
        }
    }
    corners_to_face(one, 3, other, there, 0, &shortest);
    corners_to_face(other, 3, one, here, 1, &shortest);
    memcpy(way, shortest.way, sizeof shortest.way);
    return sqrt(shortest.square) / scale;
}

/* Return whether differences of coordinates cannot overflow. */
static inline int fit(const double *corners) {
    for (int n = 0; n < 9; n++)
        if (!(fabs(corners[n]) <= LARGE)) return 0;
    return 1;
}

#endif
