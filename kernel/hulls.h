/* Distance of convex hulls, against a radius, and separating axes of a box and another solid; as
 * in core/touch/convex_distance.py and separating_axis.py, to the last bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two hulls that share no point are nearest at a corner and a face, at two edges, or at corners
 * and edges that bound these. Each pair of features is asked on its own, so the first that is near
 * enough decides. Squares are compared, and nothing is divided. */

#ifndef OCTREE_KERNEL_HULLS_H
#define OCTREE_KERNEL_HULLS_H

#include "exact.h"

/* Rounding of a projection of points on an axis, or of a distance, as a part of the largest of
 * their coordinates: `ROUNDING` in core/touch/separating_axis.py. */
#define PROJECTION_ROUNDING 0x1p-48

/* A hull's topology: by numbers of corners, the ends of edges, and rings around faces. */
typedef struct {
    int corner_count, edge_count, face_count, ring;
    int8_t edges[12][2], rings[6][4];
} Kind;

typedef struct {
    const Kind *kind;
    double corners[8][3];
} Hull;

static const Kind POINT_HULL = {1, 0, 0, 0, {{0}}, {{0}}};
static const Kind SEGMENT_HULL = {2, 1, 0, 0, {{0, 1}}, {{0}}};
static const Kind TRIANGLE_HULL = {3, 3, 1, 3, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1, 2}}};
/* Corner `i` is the upper one in x where bit 0 of `i` is set, in y bit 1, in z bit 2. */
static const Kind BOX_HULL = {
    8, 12, 6, 4,
    {{0, 1}, {1, 3}, {3, 2}, {2, 0}, {4, 5}, {5, 7}, {7, 6}, {6, 4},
     {0, 4}, {1, 5}, {3, 7}, {2, 6}},
    {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}},
};

/* An oriented box or a segment, as seen from the middle of a box: from its own middle it extends
 * `reach` times along perpendicular axes. */
typedef struct {
    double middle[3], axes[3][3], reach[3];
    int axis_count;
} Solid;

/* The relation of two solids: they share a point; they lie apart at an unknown distance; they are
 * farther apart than the radius. */
enum { OVERLAPPING, UNDECIDED, FAR_APART };

/* Set a cross product, exact where the vectors are nearly parallel, and its square; return whether
 * they are: a small part of `full`. */
static inline int robust_cross(const double *a, const double *b, double full, double *product,
                        double *square) {
    cross(a, b, product);
    *square = dot(product, product);
    int is_thin = *square <= NEARLY_PARALLEL * full;
    if (is_thin && *square > 0) exact_cross(a, b, product), *square = dot(product, product);
    return is_thin;
}

static inline int corners_near_corners(const Hull *ones, const Hull *others, double squared) {
    for (int i = 0; i < ones->kind->corner_count; i++)
        for (int j = 0; j < others->kind->corner_count; j++) {
            double apart[3];
            subtract(ones->corners[i], others->corners[j], apart);
            if (dot(apart, apart) <= squared) return 1;
        }
    return 0;
}

/* Return whether the foot of a perpendicular from a corner lies on an edge, and is near. */
static inline int corners_near_edges(const Hull *points, const Hull *hull, double squared) {
    for (int n = 0; n < hull->kind->edge_count; n++) {
        const double *start = hull->corners[hull->kind->edges[n][0]];
        double edge[3], apart[3], moment[3];
        subtract(hull->corners[hull->kind->edges[n][1]], start, edge);
        double length = dot(edge, edge);
        for (int i = 0; i < points->kind->corner_count && length > 0; i++) {
            subtract(points->corners[i], start, apart);
            double along = dot(apart, edge);
            if (!(along >= 0 && along <= length)) continue;
            cross(apart, edge, moment);
            if (dot(moment, moment) <= squared * length) return 1;
        }
    }
    return 0;
}

/* A face: its ring, the edges from each corner to the next, what of the plane is outwards from
 * these, and the normal. */
typedef struct {
    int ring, is_thin;
    double corners[4][3], edges[4][3], outwards[4][3], normal[3], area;
} HullFace;

static inline void set_face(const Hull *hull, int number, HullFace *face) {
    double full = 0, one[3], other[3];
    int ring = face->ring = hull->kind->ring;
    for (int n = 0; n < ring; n++)
        memcpy(face->corners[n], hull->corners[hull->kind->rings[number][n]], sizeof one);
    for (int n = 0; n < ring; n++) {
        subtract(face->corners[(n + 1) % ring], face->corners[n], face->edges[n]);
        full = maximum(full, dot(face->edges[n], face->edges[n]));
    }
    subtract(face->corners[2], face->corners[0], one);
    subtract(face->corners[ring - 1], face->corners[1], other);
    face->is_thin = robust_cross(one, other, full * full, face->normal, &face->area);
    for (int n = 0; n < ring; n++) cross(face->edges[n], face->normal, face->outwards[n]);
}

/* Return whether the foot of a perpendicular from a point lies in a face, and is near. */
static inline int is_near_face(const HullFace *face, const double *point, double squared) {
    double apart[3], sides[4], height = 0;
    for (int n = 0; n < face->ring; n++) {
        subtract(point, face->corners[n], apart);
        sides[n] = dot(apart, face->outwards[n]);
        if (n == 0) height = dot(apart, face->normal);
    }
    return have_one_sign(sides, face->ring) && height * height <= squared * face->area
        && (!face->is_thin || is_within_ring(point, face->corners[0], face->edges[0], face->ring));
}

static inline int corners_near_faces(const Hull *points, const Hull *hull, double squared) {
    HullFace face;
    for (int n = 0; n < hull->kind->face_count; n++) {
        set_face(hull, n, &face);
        for (int i = 0; i < points->kind->corner_count && face.area > 0; i++)
            if (is_near_face(&face, points->corners[i], squared)) return 1;
    }
    return 0;
}

/* Return whether a common perpendicular of two edges ends on both, and is short. */
static inline int is_near_edge(const double *start, const double *edge, const double *other_start,
                        const double *other, double squared) {
    double apart[3], normal[3], moment[3], end[3], area, length = dot(edge, edge);
    int is_parallel = robust_cross(edge, other, length * dot(other, other), normal, &area);
    if (!(area > 0)) return 0;
    subtract(other_start, start, apart);
    double height = dot(apart, normal);
    if (!(height * height <= squared * area)) return 0;
    cross(apart, other, moment);
    double here = dot(moment, normal);
    if (!(here >= 0 && here <= area)) return 0;
    cross(apart, edge, moment);
    double there = dot(moment, normal);
    if (!(there >= 0 && there <= area)) return 0;
    if (!is_parallel) return 1;
    /* Lines that are nearly parallel meet anywhere, edges only where they pass each other. */
    for (int axis = 0; axis < 3; axis++) end[axis] = apart[axis] + other[axis];
    double first = dot(apart, edge), last = dot(end, edge);
    return minimum(first, last) <= length && maximum(first, last) >= 0;
}

static inline int edges_near_edges(const Hull *ones, const Hull *others, double squared) {
    for (int i = 0; i < ones->kind->edge_count; i++)
        for (int j = 0; j < others->kind->edge_count; j++) {
            const int8_t *one = ones->kind->edges[i], *other = others->kind->edges[j];
            const double *start = ones->corners[one[0]], *from = others->corners[other[0]];
            double edge[3], along[3];
            subtract(ones->corners[one[1]], start, edge);
            subtract(others->corners[other[1]], from, along);
            if (is_near_edge(start, edge, from, along, squared)) return 1;
        }
    return 0;
}

/* The largest coordinate of a hull. */
static inline double size_of_hull(const Hull *hull) {
    return largest_of(hull->corners[0], 3 * hull->kind->corner_count);
}

/* Scale two hulls to about one by a power of two; return the squared radius there. */
static inline double scale_hulls(Hull *one, Hull *other, double radius) {
    double scale = power_of_two_scale(maximum(maximum(size_of_hull(one), size_of_hull(other)),
                                              radius));
    for (int n = 0; n < 3 * one->kind->corner_count; n++) one->corners[n / 3][n % 3] *= scale;
    for (int n = 0; n < 3 * other->kind->corner_count; n++) other->corners[n / 3][n % 3] *= scale;
    return (radius * scale) * (radius * scale);
}

/* Return whether hulls that share no point are no farther apart than the radius. */
static inline int hulls_are_near(const Hull *one, const Hull *other, double radius) {
    Hull ours = {.kind = one->kind}, theirs = {.kind = other->kind};
    for (int n = 0; n < one->kind->corner_count; n++)
        subtract(one->corners[n], one->corners[0], ours.corners[n]);
    for (int n = 0; n < other->kind->corner_count; n++)
        subtract(other->corners[n], one->corners[0], theirs.corners[n]);
    double largest = maximum(maximum(radius, size_of_hull(&ours)), size_of_hull(&theirs));
    double squared = scale_hulls(&ours, &theirs, radius + PROJECTION_ROUNDING * largest);
    return corners_near_corners(&ours, &theirs, squared)
        || corners_near_edges(&ours, &theirs, squared)
        || corners_near_edges(&theirs, &ours, squared)
        || corners_near_faces(&ours, &theirs, squared)
        || corners_near_faces(&theirs, &ours, squared)
        || edges_near_edges(&ours, &theirs, squared);
}

/* Return the same of a hull and of a box of half sizes around the origin. */
static inline int is_near_box(const Hull *hull, const double *half, double radius) {
    Hull ours = *hull, box = {.kind = &BOX_HULL};
    double largest = maximum(maximum(radius, size_of_hull(hull)), largest_of(half, 3)), beside[3];
    radius += PROJECTION_ROUNDING * largest;
    for (int n = 0; n < hull->kind->corner_count; n++) {
        for (int axis = 0; axis < 3; axis++)
            beside[axis] = maximum(fabs(hull->corners[n][axis]) - half[axis], 0.0);
        if (dot(beside, beside) <= radius * radius) return 1;
    }
    for (int n = 0; n < 24; n++)
        box.corners[n / 3][n % 3] = n / 3 >> n % 3 & 1 ? half[n % 3] : -half[n % 3];
    double squared = scale_hulls(&ours, &box, radius);
    return corners_near_edges(&box, &ours, squared) || corners_near_faces(&box, &ours, squared)
        || edges_near_edges(&ours, &box, squared);
}

/* Return the relation by an axis along which two solids are `gap` apart; `square` is its squared
 * length. */
static inline int told_by(double gap, double square, double squared) {
    return !(gap > 0) ? OVERLAPPING : gap * gap > squared * square ? FAR_APART : UNDECIDED;
}

/* Return the relation by the axes of a box and of another solid. */
static inline int told_by_axes(const Solid *solid, const double *half, double squared) {
    int told = OVERLAPPING;
    for (int axis = 0; axis < 3 && told < FAR_APART; axis++) {
        double sum = 0;
        for (int n = 0; n < solid->axis_count; n++)
            sum += solid->reach[n] * fabs(solid->axes[n][axis]);
        int each = told_by(fabs(solid->middle[axis]) - half[axis] - sum, 1, squared);
        told = each > told ? each : told;
    }
    for (int n = 0; n < solid->axis_count && told < FAR_APART; n++) {
        const double *way = solid->axes[n], size[3] = {fabs(way[0]), fabs(way[1]), fabs(way[2])};
        double square = dot(way, way);
        double gap = fabs(dot(solid->middle, way)) - dot(half, size) - solid->reach[n] * square;
        int each = told_by(gap, square, squared);
        told = each > told ? each : told;
    }
    return told;
}

/* Return the relation by the cross products of an axis of each. */
static inline int told_by_products(const Solid *solid, const double *half, double squared) {
    const double *middle = solid->middle;
    int told = OVERLAPPING;
    for (int n = 0; n < 3 * solid->axis_count && told < FAR_APART; n++) {
        int j = OTHER[n % 3][0], k = OTHER[n % 3][1];
        const double *way = solid->axes[n / 3];
        double gap = fabs(middle[k] * way[j] - middle[j] * way[k]);
        gap -= half[j] * fabs(way[k]) + half[k] * fabs(way[j]);
        for (int m = 0; m < solid->axis_count; m++) {
            const double *other = solid->axes[m];
            if (m != n / 3) gap -= solid->reach[m] * fabs(other[k] * way[j] - other[j] * way[k]);
        }
        int each = told_by(gap, way[j] * way[j] + way[k] * way[k], squared);
        told = each > told ? each : told;
    }
    return told;
}

/* Return whether an axis separates a solid from a box of half sizes around the origin, and by
 * more than the radius. */
static inline int separated(const double *half, const Solid *solid, double radius) {
    double largest = maximum(largest_of(half, 3), largest_of(solid->middle, 3)), grown[3];
    for (int n = 0; n < 3 * solid->axis_count; n++)
        largest = maximum(largest, fabs(solid->reach[n / 3] * solid->axes[n / 3][n % 3]));
    for (int axis = 0; axis < 3; axis++) grown[axis] = half[axis] + PROJECTION_ROUNDING * largest;
    int told = told_by_axes(solid, grown, radius * radius);
    if (told == FAR_APART) return told;
    int other = told_by_products(solid, grown, radius * radius);
    return other > told ? other : told;
}

#endif
