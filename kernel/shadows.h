/* Gaps of two triangles along a direction, as in core/gaps/shadows.py: the least gap is at a
 * corner of the overlap of their shadows. Signs are exact, and gaps rounded down.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_SHADOWS_H
#define OCTREE_KERNEL_SHADOWS_H

#include "exact.h"
#include "sums.h"

#include <math.h>
#include <string.h>

/* Rounding of a product of two differences, and of three, as a part of the terms. */
#define TWO 0x1p-50
#define THREE 0x1p-49
/* Gaps are multiples of this, rounded down; gaps that differ by less than TIE may be equal. */
#define QUANTUM 0x1p-50
#define TIE (2 * QUANTUM)
/* Coordinates are about one; smaller ones than this have products that lose bits. */
#define ABOUT_ONE 4.0
#define TINY 0x1p-120
/* Corners of overlaps from POINTS on are pairs of corners whose projections coincide. */
#define POINTS 15
#define SHADOW (POINTS + 9)

/* A direction of about one; by how much coordinates that are seen along it may be wrong; the axis
 * along which it is longest, and the two after that. */
typedef struct {
    double direction[3], error;
    int axes[3];
} Along;

/* Six corners of two triangles, as they are and as they are seen: the place of the shadow, and
 * that along the way. */
typedef struct {
    double corners[6][3], seen[6][3];
} Both;

/* The relation of two triangles along the way: nothing is ahead; they cross; all gaps are 0, of
 * faces or of edges; or a gap is ahead, at a corner of the overlap. */
enum { NOTHING, CROSSING, FACES, EDGES, AHEAD, LEFT };

static inline void see(const Along *along, const double *point, double *seen) {
    int i = along->axes[0], j = along->axes[1], k = along->axes[2];
    double far = point[k] / along->direction[k];
    seen[0] = point[i] - far * along->direction[i];
    seen[1] = point[j] - far * along->direction[j];
    seen[2] = far;
}

static const int NEXT[3] = {1, 2, 0};

/* The three points of orientation n: an edge of one and a corner of the other; or a face. */
static inline void triple(int n, int *points) {
    if (n >= 18) {
        for (int i = 0; i < 3; i++) points[i] = 3 * (n - 18) + i;
        return;
    }
    int here = n < 9 ? 0 : 3, edge = n % 9 / 3;
    points[0] = here + edge, points[1] = here + NEXT[edge], points[2] = 3 - here + n % 3;
}

/* A vector between two corners, exactly, and as large as the longest part of the direction. */
static void exact_vector(const Along *along, const Both *both, int stop, int start, Sum *vector) {
    Sum apart[3], way[3];
    for (int n = 0; n < 3; n++) {
        int axis = along->axes[n];
        double to = both->corners[stop][axis], from = both->corners[start][axis];
        apart[n] = sum_of(to), way[n] = sum_of(along->direction[axis]);
        add_number(&apart[n], -from);
        apart[n].is_lost |= (to != 0 && fabs(to) < TINY) || (from != 0 && fabs(from) < TINY)
                         || (way[n].count && fabs(way[n].parts[0]) < TINY);
    }
    for (int n = 0; n < 2; n++) vector[n] = determinant(&apart[n], &way[2], &apart[2], &way[n]);
    vector[2] = apart[2];
}

/* Return an exact orientation; 2 if it is lost. */
static int exact_orientation(const Along *along, const Both *both, const int *points) {
    Sum edge[3], way[3];
    exact_vector(along, both, points[1], points[0], edge);
    exact_vector(along, both, points[2], points[0], way);
    Sum area = determinant(&edge[0], &way[1], &edge[1], &way[0]);
    return area.is_lost ? 2 : sign_of(&area);
}

/* Return whether the line through an edge of one surely keeps the other outside, if no sign is in
 * doubt that counts (3). */
static int are_separated(const int8_t *signs) {
    for (int side = 0; side < 2; side++) {
        int face = signs[18 + side];
        if (face == 3 || face == 0) continue;
        for (int edge = 9 * side; edge < 9 * side + 9; edge += 3) {
            int outside = 1;
            for (int n = edge; n < edge + 3; n++)
                outside &= signs[n] != 3 && signs[n] * face <= 0;
            if (outside) return 1;
        }
    }
    return 0;
}

/* Find the orientations of edges and corners, and how either faces; 1 if shadows may share an
 * inside, 0 if not, LEFT if they are lost. */
static int orient(const Along *along, const Both *both, int8_t *signs) {
    int in_doubt = 0, points[3];
    double error = along->error;
    for (int n = 0; n < 20; n++) {
        triple(n, points);
        const double *start = both->seen[points[0]], *stop = both->seen[points[1]];
        const double *point = both->seen[points[2]];
        double edge[2] = {stop[0] - start[0], stop[1] - start[1]};
        double way[2] = {point[0] - start[0], point[1] - start[1]};
        double one = edge[0] * way[1], other = edge[1] * way[0], value = one - other;
        double most = (fabs(one) + fabs(other)) * TWO;
        if (error > 0)
            most += (fabs(edge[0]) + fabs(edge[1]) + fabs(way[0]) + fabs(way[1]) + 4 * error)
                  * 4 * error;
        signs[n] = value > most ? 1 : value < -most ? -1 : most > 0 ? 3 : 0;
        in_doubt |= signs[n] == 3;
    }
    if (are_separated(signs)) return 0;
    if (!in_doubt) return 1;
    for (int n = 0; n < 20; n++) {
        if (signs[n] != 3) continue;
        triple(n, points);
        int sign = exact_orientation(along, both, points);
        if (sign == 2) return LEFT;
        signs[n] = (int8_t)sign;
    }
    return !are_separated(signs);
}

/* Return whether the projections of two corners coincide; 2 if unknown. */
static int have_one_place(const Along *along, const Both *both, int one, int other) {
    if (along->error == 0)
        return both->seen[one][0] == both->seen[other][0]
            && both->seen[one][1] == both->seen[other][1];
    Sum vector[3];
    exact_vector(along, both, one, other, vector);
    if (vector[0].is_lost | vector[1].is_lost) return 2;
    return !vector[0].count && !vector[1].count;
}

/* Flag the corners of the shadow that both share, of none that only grazes; 0 if they are lost. */
static int share_corners(const Along *along, const Both *both, const int8_t *signs,
                         uint8_t *flags) {
    int reached[2], is_point[2] = {0, 0}, is_met = 0;
    memset(flags, 0, SHADOW);
    for (int side = 0; side < 2; side++) {
        const int8_t *sides = signs + 9 * side;
        int face = signs[18 + side], within = 1, divided = 0;
        for (int edge = 0; edge < 9; edge += 3) {
            int before = 0, behind = 0;
            for (int n = edge; n < edge + 3; n++) before |= sides[n] > 0, behind |= sides[n] < 0;
            within &= face > 0 ? before : behind, divided |= before && behind;
        }
        reached[side] = face ? within : divided;
    }
    if (!signs[18] || !signs[19]) {
        for (int side = 0; side < 2; side++) {
            int one = have_one_place(along, both, 3 * side, 3 * side + 1);
            int two = have_one_place(along, both, 3 * side, 3 * side + 2);
            if (one == 2 || two == 2) return 0;
            is_point[side] = one && two;
        }
        is_met = have_one_place(along, both, 0, 3);
        if (is_met == 2) return 0;
        is_met = is_met && is_point[0] && is_point[1];
        for (int side = 0; side < 2; side++)
            reached[side] |= is_point[side] && signs[18 + !side];
    }
    for (int n = POINTS; n < SHADOW; n++) flags[n] = (uint8_t)is_met;
    if (!reached[0] || !reached[1]) return 1;
    for (int side = 0; side < 2; side++)
        for (int corner = 0; corner < 3 && signs[18 + side]; corner++) {
            int inside = 1;
            for (int n = 9 * side + corner; n < 9 * side + 9; n += 3)
                inside &= signs[n] * signs[18 + side] >= 0;
            flags[side ? corner : 3 + corner] = (uint8_t)inside;
        }
    for (int e = 0; e < 3; e++)
        for (int f = 0; f < 3; f++) {
            int begin = signs[9 + 3 * f + e], end = signs[9 + 3 * f + NEXT[e]];
            int first = signs[3 * e + f], last = signs[3 * e + NEXT[f]];
            flags[6 + 3 * e + f] = begin * end <= 0 && (begin || end) && first * last <= 0
                                && (first || last);
        }
    return 1;
}

/* Three vectors at a corner of a shadow, as ends and starts among the six corners: x and y span
 * the plane that the gap is measured in, z lies between the surfaces. */
static void ends_at(int which, int ends[3][2]) {
    if (which < 6) {
        int there = which < 3 ? 3 : 0;
        ends[0][0] = there + 1, ends[1][0] = there + 2, ends[2][0] = which;
        ends[0][1] = ends[1][1] = ends[2][1] = there;
        return;
    }
    int n = which < POINTS ? which - 6 : 8, e = n / 3, f = n % 3;
    ends[0][0] = NEXT[e], ends[0][1] = e;
    ends[1][0] = 3 + NEXT[f], ends[1][1] = 3 + f;
    if (which >= POINTS) e = (which - POINTS) / 3, f = (which - POINTS) % 3;
    ends[2][0] = 3 + f, ends[2][1] = e;
}

static inline double sign_at(int which) { return which < 3 ? -1 : 1; }

/* Return whether a difference is exact. */
static int is_exact(double difference, double one, double other) {
    double back = difference - one;
    return (one - (difference - back)) + (-other - back) == 0;
}

/* Set the bounds of the gap at a corner of a shadow. */
static void bound(const Along *along, const Both *both, int which, double *least, double *most) {
    int ends[3][2];
    double vectors[3][3], sizes[3][3], error = along->error;
    ends_at(which, ends);
    for (int v = 0; v < 3; v++)
        for (int n = 0; n < 3; n++) {
            vectors[v][n] = both->seen[ends[v][0]][n] - both->seen[ends[v][1]][n];
            sizes[v][n] = fabs(vectors[v][n]);
        }
    const double *x = vectors[0], *y = vectors[1], *z = vectors[2];
    if (which >= POINTS) {
        double wide = sizes[2][2] * 0x1p-50 + 4 * error;
        *least = z[2] - wide, *most = z[2] + wide;
        return;
    }
    double sum = fabs(x[0] * y[1]) + fabs(x[1] * y[0]);
    double area = x[0] * y[1] - x[1] * y[0], area_error = sum * TWO;
    double one = x[1] * y[2] - x[2] * y[1], other = x[2] * y[0] - x[0] * y[2];
    double volume = area * z[2] + one * z[0] + other * z[1], off = sum * sizes[2][2];
    off += (sizes[0][1] * sizes[1][2] + sizes[0][2] * sizes[1][1]) * sizes[2][0];
    off += (sizes[0][2] * sizes[1][0] + sizes[0][0] * sizes[1][2]) * sizes[2][1];
    off *= THREE;
    if (error > 0) {
        double largest = largest_of(sizes[0], 9) + error;
        area_error += 16 * error * largest, off += 64 * error * largest * largest;
    }
    if (!(fabs(area) > area_error)) {
        *least = -INFINITY, *most = INFINITY;
        return;
    }
    double gap = volume / area * sign_at(which);
    double wide = (off + fabs(gap) * area_error) / (fabs(area) - area_error);
    wide += fabs(gap) * 0x1p-52;
    if (error == 0 && x[2] == 0 && y[2] == 0) {
        gap = z[2] * sign_at(which);
        if (is_exact(z[2], both->seen[ends[2][0]][2], both->seen[ends[2][1]][2])) wide = 0;
    }
    *least = gap - wide, *most = gap + wide;
}

/* Return the sign of the gap at a corner of the overlap; 2 if unknown. Sets the gap, rounded down
 * to a multiple of the quantum, unless `gap` is NULL. */
static int exact_gap(const Along *along, const Both *both, int which, double *gap) {
    int ends[3][2];
    Sum vectors[3][3], area = sum_of(1), volume, longest;
    ends_at(which, ends);
    longest = sum_of(along->direction[along->axes[2]]);
    for (int v = 0; v < 3; v++) exact_vector(along, both, ends[v][0], ends[v][1], vectors[v]);
    const Sum *x = vectors[0], *y = vectors[1], *z = vectors[2];
    volume = z[2];
    if (which < POINTS) {
        area = determinant(&x[0], &y[1], &x[1], &y[0]);
        Sum one = determinant(&x[1], &y[2], &x[2], &y[1]);
        Sum other = determinant(&x[2], &y[0], &x[0], &y[2]);
        volume = sum_of(0);
        add_product(&volume, &area, &z[2], 1);
        add_product(&volume, &one, &z[0], 1), add_product(&volume, &other, &z[1], 1);
    }
    Sum below = sum_of(0), unit = sum_of(sign_at(which)), above = sum_of(0);
    add_product(&below, &area, &longest, 1), add_product(&above, &volume, &unit, 1);
    if (below.is_lost | above.is_lost | !below.count) return 2;
    int sign = sign_of(&above) * sign_of(&below);
    if (!gap) return sign;
    double many = floor(about(&above) / about(&below) / QUANTUM);
    for (int turn = 0; turn < 8; turn++) {
        if (!(fabs(many) < 0x1p52)) return 2;
        Sum share = sum_of(many * QUANTUM), next = sum_of(QUANTUM), rest = above;
        add_product(&rest, &share, &below, -1);
        int is_low = sign_of(&rest) * sign_of(&below) < 0;
        add_product(&rest, &next, &below, -1);
        if (rest.is_lost) return 2;
        int is_high = sign_of(&rest) * sign_of(&below) >= 0;
        *gap = many * QUANTUM;
        if (!is_low && !is_high) return sign;
        many += is_low ? -1 : 1;
    }
    return 2;
}

/* Return the relation of two triangles; if it is AHEAD, set the least gap below `limit`, and the
 * corner of the overlap that has it, -1 for none. If `is_signed`, what crosses or is behind has
 * gaps, too. */
static int gap_along(const Along *along, const Both *both, int is_signed, double limit,
                     double *gap, int *corner) {
    int8_t signs[20];
    uint8_t flags[SHADOW];
    double least[SHADOW], most[SHADOW];
    int lowest_side = 1, highest_side = -1;
    *corner = -1, *gap = INFINITY;
    int state = orient(along, both, signs);
    if (state != 1) return state == LEFT ? LEFT : NOTHING;
    if (!share_corners(along, both, signs, flags)) return LEFT;
    for (int n = 0; n < SHADOW; n++) {
        if (!flags[n]) continue;
        bound(along, both, n, &least[n], &most[n]);
        int side = (least[n] > 0) - (most[n] < 0);
        if (!is_signed && ((least[n] < 0 && most[n] > 0) || (least[n] == 0) != (most[n] == 0))) {
            side = exact_gap(along, both, n, NULL);
            if (side == 2) return LEFT;
        }
        lowest_side = side < lowest_side ? side : lowest_side;
        highest_side = side > highest_side ? side : highest_side;
    }
    if (!is_signed) {
        if (lowest_side < 0 && highest_side > 0) return CROSSING;
        if (lowest_side == 0 && highest_side == 0) return signs[18] && signs[19] ? FACES : EDGES;
        if (lowest_side < 0 || highest_side <= 0) return NOTHING;
    }
    for (int n = 0; n < SHADOW; n++) {
        if (!flags[n] || !(least[n] < limit)) continue;
        double value = floor(least[n] / QUANTUM) * QUANTUM;
        if (!(value == floor(most[n] / QUANTUM) * QUANTUM)
            && exact_gap(along, both, n, &value) == 2)
            return LEFT;
        if (value < *gap) *gap = value + 0.0, *corner = n; /* no -0 */
        limit = value + TIE < limit ? value + TIE : limit;
    }
    return AHEAD;
}

/* Set the slopes of the surfaces where the gap is; 0 where they are steep. */
static void slope_at(const Both *both, int which, double *slopes) {
    int ends[3][2];
    double x[3], y[3];
    ends_at(which, ends);
    for (int n = 0; n < 3; n++) {
        x[n] = both->seen[ends[0][0]][n] - both->seen[ends[0][1]][n];
        y[n] = both->seen[ends[1][0]][n] - both->seen[ends[1][1]][n];
    }
    double area = x[0] * y[1] - x[1] * y[0];
    slopes[0] = (x[2] * y[1] - x[1] * y[2]) / area;
    slopes[1] = (x[0] * y[2] - x[2] * y[0]) / area;
    if (!(fabs(slopes[0]) <= 8 && fabs(slopes[1]) <= 8)) slopes[0] = slopes[1] = 0;
}

#endif
