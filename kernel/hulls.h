/* Convex hulls grown round by a radius, against triangles and boxes: exact tests of volumes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas and their order are those of core/touch/: the same decisions, to the last bit. */

#ifndef OCTREE_KERNEL_HULLS_H
#define OCTREE_KERNEL_HULLS_H

/* Return whether a triangle of nine coordinates, corner by corner, touches a capsule (start, end,
 * radius): as `touched_by_triangles` in core/touch/capsules.py. */
int touches_capsule(const double *corners, const double *capsule);

#endif
