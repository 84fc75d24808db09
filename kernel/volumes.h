/* Exact tests of volumes against triangles and against boxes grown round, and distances of these,
 * as in core/touch/ and core/nearest/closest.py, to the last bit. Triangles are nine coordinates,
 * corner by corner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_VOLUMES_H
#define OCTREE_KERNEL_VOLUMES_H

#include "boxes.h"
#include "hulls.h"

/* Rounding of a squared distance from a segment, as a part of the squared lengths in it;
 * triangles that are thinner than this part of their length are pierced at their edges. */
#define DOUBT 0x1p-44
#define THINNEST 0x1p-34

/* The sphere around a triangle: the center of its bounds, and the radius. */
static inline double bounding_sphere(const double *corners, double *center) {
    double square = 0, largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low, high;
        span_of(corners + axis, 3, 3, &low, &high);
        center[axis] = (low + high) / 2;
        square += (high - low) * (high - low);
        largest = maximum(largest, maximum(fabs(low), fabs(high)));
    }
    return sqrt(square) * (0.5 + 0x1p-40) + largest * 0x1p-50;
}

/* Return 1 if a triangle is surely near a solid, -1 if it is surely far, else 0: as
 * `decided_by_closest_point` in core/touch/separating_axis.py. */
static inline int decide_by_foot(const double *foot, const double *toward, const double *corners,
                          double squared, double doubt) {
    double way[3], apart[3], gap = INFINITY, farthest = 0;
    int is_close = 0;
    memcpy(way, toward, sizeof way), scale_to_one(way, 3);
    for (int c = 0; c < 9; c += 3) {
        subtract(corners + c, foot, apart);
        double square = dot(apart, apart);
        is_close |= square <= squared - doubt;
        gap = minimum(dot(apart, way), gap), farthest = maximum(square, farthest);
    }
    if (is_close) return 1;
    double beyond = squared + doubt + PROJECTION_ROUNDING * farthest;
    return gap > 0 && gap * gap > beyond * dot(way, way) ? -1 : 0;
}

/* Return whether a segment passes through the plane of a triangle inside of it: as `_pierced` in
 * core/touch/capsules.py. */
static inline int is_pierced(const double *corners, const double *capsule) {
    double seen[4][3], edges[3][3], normal[3], place[3], apart[3], product[3], area, full = 0;
    for (int c = 0; c < 4; c++) subtract(c < 3 ? corners + 3 * c : capsule + 3, capsule, seen[c]);
    double scale = scale_to_one(seen[0], 12);
    for (int n = 0; n < 9; n++) edges[n / 3][n % 3] = (corners[(n + 3) % 9] - corners[n]) * scale;
    for (int c = 0; c < 3; c++) full = maximum(full, dot(edges[c], edges[c]));
    full *= full;
    int is_thin = robust_cross(edges[0], edges[1], full, normal, &area);
    subtract(seen[3], seen[0], apart);
    double here = -dot(seen[0], normal), there = dot(apart, normal);
    int is_across = (here <= 0 && there >= 0) || (here >= 0 && there <= 0);
    if (!is_across || here == there) return 0;
    for (int axis = 0; axis < 3; axis++) place[axis] = seen[3][axis] * (here / (here - there));
    for (int c = 0; c < 3; c++) {
        subtract(place, seen[c], apart);
        cross(edges[c], apart, product);
        if (!(dot(product, normal) >= 0)) return 0;
    }
    if (!is_thin) return 1;
    return is_within_ring(place, seen[0], edges[0], 3) && area > THINNEST * THINNEST * full;
}

/* Return whether a triangle touches a capsule (start, end, radius): as `touched_by_triangles` in
 * core/touch/capsules.py. */
static inline int touches_capsule(const double *corners, const double *capsule) {
    const double *start = capsule, *end = capsule + 3, radius = capsule[6];
    double center[3], along[3], middle[3], foot[3], toward[3], seen[9], share = 0;
    double reach = bounding_sphere(corners, center) + radius;
    subtract(center, start, middle), subtract(end, start, along);
    double length = dot(along, along);
    if (length > 0) share = dot(middle, along) / length;
    share = minimum(maximum(share, 0.0), 1.0);
    double doubt = DOUBT * (dot(middle, middle) + length + radius * radius);
    for (int axis = 0; axis < 3; axis++) foot[axis] = share * along[axis];
    subtract(middle, foot, toward);
    if (!(dot(toward, toward) - doubt <= reach * reach)) return 0;
    for (int c = 0; c < 9; c += 3) subtract(corners + c, start, seen + c);
    int decided = decide_by_foot(foot, toward, seen, radius * radius, doubt);
    if (decided) return decided > 0;
    Hull segment = {.kind = &SEGMENT_HULL}, triangle = {.kind = &TRIANGLE_HULL};
    memcpy(segment.corners, capsule, 6 * sizeof *capsule);
    memcpy(triangle.corners, corners, 9 * sizeof *corners);
    return hulls_are_near(&segment, &triangle, radius) || is_pierced(corners, capsule);
}

/* Return whether a triangle touches a region (lower, upper, radius), or DOUBTFUL (see boxes.h): as
 * `triangles_touch_regions` in core/touch/rounded.py. */
static inline int touches_region(const double *corners, const double *region) {
    double center[3], foot[3], toward[3], half[3];
    double radius = region[6], reach = bounding_sphere(corners, center) + radius;
    for (int axis = 0; axis < 3; axis++)
        foot[axis] = minimum(maximum(center[axis], region[axis]), region[3 + axis]);
    subtract(center, foot, toward);
    if (!(dot(toward, toward) <= reach * reach)) return 0;
    int decided = decide_by_foot(foot, toward, corners, radius * radius, 0);
    if (decided) return decided > 0;
    int met = touches_box(corners, region, region + 3);
    if (met || radius == 0) return met;
    Hull triangle = {.kind = &TRIANGLE_HULL};
    for (int axis = 0; axis < 3; axis++) half[axis] = (region[3 + axis] - region[axis]) / 2;
    for (int n = 0; n < 9; n++)
        triangle.corners[n / 3][n % 3] = corners[n] - region[n % 3] - half[n % 3];
    return is_near_box(&triangle, half, radius);
}

/* Set a point as an oriented box sees it, along its own axes. */
static inline void see_from_box(const double *box, const double *point, double *seen) {
    double apart[3];
    subtract(point, box, apart);
    for (int axis = 0; axis < 3; axis++) seen[axis] = dot(apart, box + 6 + 3 * axis);
}

/* Return whether no axis, apart from the box's own, separates a triangle from a box around the
 * origin, whose half sizes include rounding: `_axes_overlap` in core/touch/oriented_boxes.py. */
static inline int turned_axes_overlap(const double (*corners)[3], const double *half) {
    double edges[3][3], normal[3], size[3], area, low = INFINITY, high = -INFINITY;
    edges_of(corners[0], edges[0]);
    scale_to_one(edges[0], 9);
    robust_cross(edges[0], edges[1], 1.0, normal, &area);
    for (int c = 0; c < 3; c++) {
        double height = dot(corners[c], normal);
        low = minimum(height, low), high = maximum(height, high), size[c] = fabs(normal[c]);
    }
    double reach = dot(half, size);
    if (!(low <= reach && high >= -reach)) return 0;
    for (int n = 0; n < 9; n++) {
        int i = OTHER[n % 3][0], j = OTHER[n % 3][1];
        const double *edge = edges[n / 3], *one = corners[n / 3];
        const double *other = corners[(n / 3 + 2) % 3];
        double on_edge = edge[i] * one[j] - edge[j] * one[i];
        double beside = edge[i] * other[j] - edge[j] * other[i];
        reach = half[i] * fabs(edge[j]) + half[j] * fabs(edge[i]);
        if (!(minimum(on_edge, beside) <= reach && maximum(on_edge, beside) >= -reach)) return 0;
    }
    return 1;
}

/* Return whether a triangle touches an oriented box (center, half sizes, three axes): as
 * `touched_by_triangles` in core/touch/oriented_boxes.py. */
static inline int touches_oriented(const double *corners, const double *box) {
    double seen[3][3], half[3], largest = largest_of(box + 3, 3);
    for (int c = 0; c < 3; c++) {
        see_from_box(box, corners + 3 * c, seen[c]);
        largest = maximum(largest, largest_of(seen[c], 3));
    }
    int is_beyond = 0;
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = box[3 + axis] + PROJECTION_ROUNDING * largest;
        double a = seen[0][axis], b = seen[1][axis], c = seen[2][axis], most = half[axis];
        is_beyond |= (a > most && b > most && c > most) || (a < -most && b < -most && c < -most);
    }
    if (is_beyond) return 0;
    for (int c = 0; c < 3; c++)
        if (fabs(seen[c][0]) <= half[0] && fabs(seen[c][1]) <= half[1]
            && fabs(seen[c][2]) <= half[2]) return 1;
    return turned_axes_overlap(seen, half);
}

/* A box grown round by a radius, as an item; of a sphere, a point. */
typedef struct {
    double lower[3], upper[3], radius;
    int is_point;
} Rounded;

/* Set half the size of a box, and points as they are seen from its middle. */
static inline void see_from_middle(const Rounded *item, double *half, const double *points,
                                   int count, double *seen) {
    for (int axis = 0; axis < 3; axis++) half[axis] = (item->upper[axis] - item->lower[axis]) / 2;
    for (int n = 0; n < 3 * count; n++) seen[n] = points[n] - item->lower[n % 3] - half[n % 3];
}

/* Return the squared distance of two boxes. */
static inline double square_between(const Rounded *item, const double *lower,
                                    const double *upper) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double gap = maximum(item->lower[axis] - upper[axis], lower[axis] - item->upper[axis]);
        gap = maximum(gap, 0), square += gap * gap;
    }
    return square;
}

static inline int boxes_overlap(const Rounded *item, const double *lower, const double *upper) {
    for (int axis = 0; axis < 3; axis++)
        if (!(item->lower[axis] <= upper[axis] && item->upper[axis] >= lower[axis])) return 0;
    return 1;
}

/* Return how far an item is from a point: as `_of_rounded` in core/nearest/closest.py. */
static inline double distance_to_rounded(const Rounded *item, const double *point) {
    return maximum(sqrt(square_between(item, point, point)) - item->radius, 0);
}

/* Set where an item is closest to a point; the point itself if it lies in it: as `_on_rounded` in
 * core/nearest/closest.py. */
static inline void position_on_rounded(const Rounded *item, const double *point,
                                       double *position) {
    double inner[3], way[3];
    for (int axis = 0; axis < 3; axis++)
        inner[axis] = minimum(maximum(point[axis], item->lower[axis]), item->upper[axis]);
    subtract(point, inner, way);
    double length = sqrt(dot(way, way)), share = item->radius / length;
    for (int axis = 0; axis < 3; axis++)
        position[axis] = length > item->radius ? inner[axis] + way[axis] * share : point[axis];
}

/* Return whether an item touches a capsule: as `touched_by_rounded` in core/touch/capsules.py. */
static inline int rounded_touches_capsule(const Rounded *item, const double *capsule) {
    double half[3], radius = item->radius + capsule[6];
    Hull segment = {.kind = &SEGMENT_HULL};
    if (item->is_point) {
        Hull point = {.kind = &POINT_HULL};
        memcpy(point.corners, item->lower, sizeof item->lower);
        memcpy(segment.corners, capsule, 6 * sizeof *capsule);
        return hulls_are_near(&point, &segment, radius);
    }
    see_from_middle(item, half, capsule, 2, segment.corners[0]);
    Solid solid = {.axis_count = 1};
    for (int axis = 0; axis < 3; axis++) {
        solid.axes[0][axis] = (segment.corners[1][axis] - segment.corners[0][axis]) / 2;
        solid.middle[axis] = segment.corners[0][axis] + solid.axes[0][axis];
    }
    solid.reach[0] = 1 / scale_to_one(solid.axes[0], 3);
    int told = separated(half, &solid, radius);
    return told == OVERLAPPING || (told == UNDECIDED && is_near_box(&segment, half, radius));
}

/* Return whether an item touches an oriented box: as `touched_by_rounded` in
 * core/touch/oriented_boxes.py. */
static inline int rounded_touches_oriented(const Rounded *item, const double *box) {
    double half[3], seen[3], beside[3];
    if (item->is_point) {
        see_from_box(box, item->lower, seen);
        double largest = maximum(largest_of(box + 3, 3), largest_of(seen, 3));
        for (int axis = 0; axis < 3; axis++) {
            half[axis] = box[3 + axis] + PROJECTION_ROUNDING * largest;
            beside[axis] = maximum(fabs(seen[axis]) - half[axis], 0.0);
        }
        return dot(beside, beside) <= item->radius * item->radius;
    }
    Solid solid = {.axis_count = 3};
    see_from_middle(item, half, box, 1, solid.middle);
    memcpy(solid.reach, box + 3, sizeof solid.reach);
    memcpy(solid.axes, box + 6, sizeof solid.axes);
    int told = separated(half, &solid, item->radius);
    if (told != UNDECIDED) return told == OVERLAPPING;
    Hull turned = {.kind = &BOX_HULL};
    for (int n = 0; n < 24; n++) {
        double ends[3], along[3];
        for (int axis = 0; axis < 3; axis++) {
            ends[axis] = n / 3 >> axis & 1 ? solid.reach[axis] : -solid.reach[axis];
            along[axis] = solid.axes[axis][n % 3];
        }
        turned.corners[n / 3][n % 3] = solid.middle[n % 3] + dot(ends, along);
    }
    return is_near_box(&turned, half, item->radius);
}

#endif
