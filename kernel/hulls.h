/* Distance of convex hulls, against a radius, and separating axes of a box and another solid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas and their order are those of core/touch/: the same decisions, to the last bit. */

#ifndef OCTREE_KERNEL_HULLS_H
#define OCTREE_KERNEL_HULLS_H

#include "exact.h"

/* Rounding of a projection of points on an axis, or of a distance, as a part of the largest of
 * their coordinates: `ROUNDING` in core/touch/separating_axis.py. */
#define ROUNDING 0x1p-48

/* A hull's topology: by numbers of corners, the ends of edges, and rings around faces. */
typedef struct {
    int corner_count, edge_count, face_count, ring;
    int8_t edges[12][2], rings[6][4];
} Kind;

typedef struct {
    const Kind *kind;
    double corners[8][3];
} Hull;

extern const Kind POINT_HULL, SEGMENT_HULL, TRIANGLE_HULL, BOX_HULL;

/* An oriented box or a segment, as seen from the middle of a box: from its own middle it extends
 * `reach` times along perpendicular axes. */
typedef struct {
    double middle[3], axes[3][3], reach[3];
    int axis_count;
} Solid;

/* Whether two solids share a point; or lie apart, at a distance that is not known; or are farther
 * apart than the radius. */
enum { TOUCHING, APART, FAR_APART };

static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

static inline void subtract(const double *a, const double *b, double *difference) {
    for (int axis = 0; axis < 3; axis++) difference[axis] = a[axis] - b[axis];
}

/* Return whether numbers are all not negative, or all not positive. */
int have_one_sign(const double *numbers, int count);

/* Set a cross product, exact where the vectors are nearly parallel, and its square; return whether
 * they are: a small part of `full`. */
int robust_cross(const double *a, const double *b, double full, double *product, double *square);

/* Return whether a point lies between the corners of a ring along each of its edges. */
int is_within_spans(const double *point, const double (*ring)[3], const double (*edges)[3],
                    int count);

/* Return whether hulls that share no point are no farther apart than the radius. */
int are_near(const Hull *one, const Hull *other, double radius);

/* Return the same of a hull and of a box of half sizes around the origin. */
int is_near_box(const Hull *hull, const double *half, double radius);

/* Tell whether an axis separates a solid from a box of half sizes around the origin, and by more
 * than the radius. */
int separated(const double *half, const Solid *solid, double radius);

#endif
