/* Points and volumes: exact tests, and bounds of packed boxes and triangles as seen from their
 * middle.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_NEAR_H
#define OCTREE_KERNEL_NEAR_H

#include "closest.h"
#include "volumes.h"
#include "walk.h"
#include "rays.h"

/* Return whether a triangle touches the volume that was set, or DOUBTFUL. */
static int touches_volume(const Walk *walk, const double *corners) {
    switch (walk->kind) {
    case BOX: return touches_box(corners, walk->lower, walk->upper);
    case REGION: return touches_region(corners, walk->volume);
    case CAPSULE: return touches_capsule(corners, walk->volume);
    case ORIENTED: return touches_oriented(corners, walk->volume);
    default: return touches_sphere(corners, walk->lower, walk->radius * walk->radius);
    }
}

/* Return an item that is a box grown round. */
static INLINED Rounded rounded_item(const Tree *tree, int64_t entry) {
    Rounded item = {.radius = tree->radii ? tree->radii[entry] : 0.0, .is_point = !tree->upper};
    for (int axis = 0; axis < 3; axis++) {
        item.lower[axis] = tree->boxes[axis * tree->entry_count + entry];
        item.upper[axis] = tree->boxes[axis * tree->entry_count + entry + tree->upper];
    }
    return item;
}

/* Return whether a box, sphere or region touches a volume; boxes, regions and spheres as
 * `rounded_touch_rounded` and `boxes_touch_boxes` in core/touch/rounded.py. */
static int rounded_touches(const Walk *walk, int64_t entry) {
    Rounded item = rounded_item(walk->tree, entry);
    if (walk->kind == CAPSULE) return rounded_touches_capsule(&item, walk->volume);
    if (walk->kind == ORIENTED) return rounded_touches_oriented(&item, walk->volume);
    double radius = item.radius + walk->radius;
    if (radius == 0) return boxes_overlap(&item, walk->lower, walk->upper);
    return square_between(&item, walk->lower, walk->upper) <= radius * radius;
}

/* Limits, beyond which queries are left to the caller: of distances from the middle and of radii;
 * and of the coordinates of volumes that the caller tests. */
#define NEAR 8.0
#define LONG 0x1p10
/* The least error of distances in single precision; see `see_in`. */
#define WRONG 0x1p-16f

/* Shorten the reach to `limit`. */
static void narrow(Walk *walk, double limit) {
    walk->reach = limit;
    for (int level = 0; level <= walk->level; level++) {
        View *view = &walk->views[level];
        float reach = (float)minimum(limit * view->scale, 0x1p40);
        reach = reach * (1 + 0x1p-20f) + view->wrong;
        if (reach < view->reach) view->reach = reach;
    }
}

/* Finish the view of the present level. Coordinates are rounded to 2^-23 of the sizes in `away`,
 * and each is a sum of four: everything nearer than WRONG is seen. */
static void see_in(Walk *walk, double away) {
    View *view = &walk->views[walk->level];
    int is_known = away < 0x1p40; /* else all is near */
    if (!is_known) *view = (View){.scale = view->scale};
    view->wrong = is_known ? WRONG + (float)(away * 0x1p-19) : INFINITY, view->reach = INFINITY;
    for (int n = 0; n < view->way_count; n++)
        view->spans[n] = (float)(walk->core.spans[n] * view->scale) * (1 + 0x1p-20f)
                       + 2 * view->wrong;
    for (int n = 0; n < 3 * view->half_count; n++)
        view->halves[n / 3][n % 3] = (float)(walk->core.halves[n / 3][n % 3] * view->scale);
    double within = walk->radius * view->scale * (1 - 0x1p-10);
    int is_rounded = walk->kind == SPHERE || walk->kind == BOX || walk->kind == REGION;
    view->within = is_rounded && !view->is_cut ? (float)(within * within) : -1.0f;
    narrow(walk, walk->reach);
}

/* Set the view of a point or a volume at the top; 0 if it is too far away. Boxes are clipped at
 * NEAR, beyond all items. */
static int see_top(Walk *walk) {
    const Frame *frame = &walk->tree->frame;
    View *view = &walk->views[0];
    double farthest = walk->radius * frame->scale;
    int may_be_cut = walk->kind >= BOX;
    /* Rounding of bounds and of the exact test must stay below WRONG. */
    int is_near = largest_of(frame->center, 3) * frame->scale <= FAR;
    if (!is_near && (may_be_cut || walk->tree->radii)) return 0;
    view->scale = frame->scale, view->is_cut = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = (walk->lower[axis] - frame->center[axis]) * view->scale;
        double high = (walk->upper[axis] - frame->center[axis]) * view->scale;
        if (may_be_cut) {
            if (walk->kind != BOX && !(maximum(-low, high) <= LONG)) return 0;
            view->is_cut |= low < -NEAR || high > NEAR;
            low = minimum(maximum(low, -NEAR), NEAR), high = minimum(maximum(high, -NEAR), NEAR);
        }
        farthest = maximum(farthest, maximum(fabs(low), fabs(high)));
        view->half[axis] = (float)((high - low) / 2);
        view->shift[axis] = (float)-(low + (high - low) / 2);
    }
    view->way_count = view->is_cut ? 0 : walk->core.way_count;
    view->half_count = view->is_cut ? 0 : walk->core.half_count;
    see_in(walk, 0);
    return farthest <= NEAR;
}

/* Set the view of the point or volume in a placed tree, at the scale of the scene. */
static void see_placed(Walk *walk) {
    const Frame *frame = &walk->tree->frame;
    View *view = &walk->views[1];
    double extent = 0, away = 0;
    for (int n = 0; n < 12; n += 4) {
        const double *row = walk->matrix + n;
        extent = maximum(extent, (fabs(row[0]) + fabs(row[1]) + fabs(row[2])) / frame->scale);
    }
    view->scale = power_of_two_scale(extent);
    for (int axis = 0; axis < 3; axis++) {
        const double *row = walk->matrix + 4 * axis;
        double half = (walk->upper[axis] - walk->lower[axis]) / 2;
        double middle = walk->lower[axis] + half, size = fabs(row[3]) + fabs(middle);
        double shift = (dot(row, frame->center) + row[3] - middle) * view->scale;
        for (int i = 0; i < 3; i++) {
            view->turn[axis][i] = (float)(row[i] / frame->scale * view->scale);
            size += fabs(row[i] * frame->center[i]);
        }
        view->half[axis] = (float)(half * view->scale), view->shift[axis] = (float)shift;
        away += fabs(shift) + half * view->scale + size * view->scale * 0x1p-24;
    }
    view->way_count = walk->core.way_count, view->half_count = walk->core.half_count;
    view->is_cut = 0;
    see_in(walk, away);
}

/* Turn eight points, or sizes, by the matrix of the placed tree. */
static void turned(const View *view, Eight *points, int is_size) {
    Eight found[3];
    for (int axis = 0; axis < 3; axis++) {
        const float *row = view->turn[axis];
        found[axis] = all(0);
        for (int i = 0; i < 3; i++)
            found[axis] = plus(found[axis],
                               times(points[i], all(is_size ? fabsf(row[i]) : row[i])));
    }
    memcpy(points, found, sizeof found);
}

/* Return the product of eight vectors with one, coordinate by coordinate or of their sizes. */
static INLINED Eight along(const Eight *vectors, const float *way, int is_size) {
    Eight sum = all(0);
    for (int axis = 0; axis < 3; axis++)
        sum = plus(sum, times(vectors[axis], all(is_size ? fabsf(way[axis]) : way[axis])));
    return sum;
}

/* Return which of eight boxes, as middles and half sizes, no way of the volume separates. */
static unsigned not_beside(const Walk *walk, const Eight *middle, const Eight *half) {
    const View *view = &walk->views[walk->level];
    unsigned met = 255;
    for (int n = 0; n < view->way_count; n++) {
        const float *way = walk->core.ways[n];
        Eight reach = plus(along(half, way, 1), all(view->spans[n]));
        met &= up_to(size_of(along(middle, way, 0)), reach);
    }
    return met;
}

/* Return the boxes of a node within reach; set their squared distances, and the boxes that are
 * certainly met. */
static unsigned near_boxes(const Walk *walk, const Node *node, int is_certain, Eight *when,
                           unsigned *certain) {
    const View *view = &walk->views[walk->level];
    Eight middle[3], half[3], near = all(0), far = all(0);
    for (int axis = 0; axis < 3; axis++) {
        Eight low = load(node->box[axis][0]), high = load(node->box[axis][1]);
        middle[axis] = times(plus(low, high), all(0.5f));
        half[axis] = times(minus(high, low), all(0.5f));
    }
    unsigned there = up_to(all(0), half[0]);
    if (walk->matrix) turned(view, middle, 0), turned(view, half, 1);
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = plus(middle[axis], all(view->shift[axis]));
        Eight apart = minus(size_of(middle[axis]), all(view->half[axis]));
        Eight gap = eight_max(minus(apart, half[axis]), all(0));
        near = plus(near, times(gap, gap));
        gap = eight_max(plus(plus(apart, half[axis]), all(2 * view->wrong)), all(0));
        far = plus(far, times(gap, gap));
    }
    *when = near;
    if (view->way_count) there &= not_beside(walk, middle, half);
    *certain = is_certain ? there : up_to(far, all(view->within)) & there;
    return *certain | (up_to(near, all(view->reach * view->reach)) & there);
}

/* Return a bit for each of eight triangles, set where it may be within reach: along each axis,
 * and along the way to its middle, not all corners are beyond. That holds for any way. */
static unsigned may_reach(Walk *walk, const Block *block, int count) {
    View *view = &walk->views[walk->level];
    Eight corners[3][3], way[3], ahead = all(INFINITY), square = all(0), nearest = all(INFINITY);
    if (view->wrong == INFINITY) return 255;
    for (int c = 0; c < 3; c++) {
        for (int axis = 0; axis < 3; axis++) corners[c][axis] = load(block->corner[c][axis]);
        if (walk->matrix) turned(view, corners[c], 0);
        for (int axis = 0; axis < 3; axis++)
            corners[c][axis] = plus(corners[c][axis], all(view->shift[axis]));
    }
    unsigned met = 255;
    Eight beside = all(0);
    for (int axis = 0; axis < 3; axis++) {
        Eight one = corners[0][axis], two = corners[1][axis], three = corners[2][axis];
        way[axis] = plus(plus(one, two), three);
        square = plus(square, times(way[axis], way[axis]));
        if (walk->kind == POINT) continue;
        if (!view->half_count)
            beside = plus(beside, times(size_of(way[axis]), all(view->half[axis])));
        float reach = view->half[axis] + view->reach;
        met &= up_to(eight_min(eight_min(one, two), three), all(reach));
        met &= up_to(all(-reach), eight_max(eight_max(one, two), three));
    }
    for (int n = 0; n < view->half_count; n++)
        beside = plus(beside, size_of(along(way, view->halves[n], 0)));
    for (int n = 0; n < view->way_count; n++) {
        Eight low = all(INFINITY), high = all(-INFINITY), span = all(view->spans[n]);
        for (int c = 0; c < 3; c++) {
            Eight height = along(corners[c], walk->core.ways[n], 0);
            low = eight_min(low, height), high = eight_max(high, height);
        }
        met &= up_to(low, span) & up_to(minus(all(0), span), high);
    }
    for (int c = 0; c < 3; c++) {
        const Eight *corner = corners[c];
        Eight part = plus(times(corner[0], way[0]), times(corner[1], way[1]));
        ahead = eight_min(ahead, plus(part, times(corner[2], way[2])));
        part = plus(times(corner[0], corner[0]), times(corner[1], corner[1]));
        nearest = eight_min(nearest, plus(part, times(corner[2], corner[2])));
    }
    if (walk->kind == POINT && walk->wanted == 1) { /* it is no farther than any corner */
        float apart[WIDE];
        store(apart, root(nearest));
        for (int i = 0; i < count; i++) {
            float far = apart[i] * (1 + 0x1p-20f) + 2 * view->wrong;
            if (far < view->reach) view->reach = far;
        }
    }
    return met & up_to(ahead, plus(times(root(square), all(view->reach)), beside));
}

/* Return whether a triangle may be near a point: no corner is nearer along the way to its middle.
 * The point looks no farther than the nearest corner, and moves the corners to where it is 0. */
static int may_be_near(Walk *walk, double *corners, double far) {
    double way[3] = {0}, along = INFINITY, nearest = INFINITY;
    for (int n = 0; n < 9; n++) way[n % 3] += corners[n] -= walk->lower[n % 3];
    for (int n = 0; n < 9; n += 3) {
        along = min_else_second(along, dot(corners + n, way));
        nearest = min_else_second(nearest, dot(corners + n, corners + n));
    }
    if (along > far * sqrt(dot(way, way))) return 0;
    walk->reach = walk->limit = min_else_second(walk->limit, sqrt(nearest));
    return 1;
}

/* Return the squared distance of a placed triangle. */
static double square_to(const Walk *walk, const double *corners) {
    Features found;
    set_features(corners, walk->lower, &found);
    return found.least;
}

/* Return the distance of an item, in a scene by its place. */
static double distance_to(const Walk *walk, int64_t place, int64_t entry) {
    double corners[9];
    if (walk->tree->boxes && !walk->scene) {
        Rounded item = rounded_item(walk->tree, entry);
        return distance_to_rounded(&item, walk->lower);
    }
    corners_met(walk, place, entry, corners);
    return sqrt(square_to(walk, corners));
}

/* Set the closest point of an item; the point itself if it lies in the item. */
static void position_on(const Walk *walk, int64_t place, int64_t entry, double *position) {
    double corners[9];
    Features found;
    if (walk->tree->boxes && !walk->scene) {
        Rounded item = rounded_item(walk->tree, entry);
        position_on_rounded(&item, walk->lower, position);
        return;
    }
    corners_met(walk, place, entry, corners);
    set_features(corners, walk->lower, &found);
    closest_point(&found, corners, walk->lower, position);
}

#endif
