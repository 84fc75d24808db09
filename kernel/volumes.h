/* Exact tests of volumes against triangles, and against boxes grown round.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Triangles are nine coordinates, corner by corner. Formulas and their order are those of
 * core/touch/: the same decisions, to the last bit. */

#ifndef OCTREE_KERNEL_VOLUMES_H
#define OCTREE_KERNEL_VOLUMES_H

/* A box grown round by a radius; or a sphere, whose box is a point. */
typedef struct {
    double lower[3], upper[3], radius;
    int is_point;
} Rounded;

/* Return whether a triangle touches a capsule (start, end, radius): as `touched_by_triangles` in
 * core/touch/capsules.py. */
int touches_capsule(const double *corners, const double *capsule);

/* Return whether a triangle touches a region (lower, upper, radius), or DOUBTFUL (see boxes.h): as
 * `triangles_touch_regions` in core/touch/rounded.py. */
int touches_region(const double *corners, const double *region);

/* Return whether a triangle touches an oriented box (center, half sizes, three axes): as
 * `touched_by_triangles` in core/touch/oriented_boxes.py. */
int touches_oriented(const double *corners, const double *box);

/* Return whether a box grown round, or a sphere, touches a capsule, or an oriented box: as
 * `touched_by_rounded` in these files. */
int rounded_touches_capsule(const Rounded *item, const double *capsule);
int rounded_touches_oriented(const Rounded *item, const double *box);

#endif
