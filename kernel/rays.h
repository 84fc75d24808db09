/* Rays: conservative tests against packed boxes and triangles, and exact crossings, as in
 * core/rays/crossings.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_RAYS_H
#define OCTREE_KERNEL_RAYS_H

#include "closest.h"
#include "walk.h"

/* Rays that begin farther away are not taken. */
#define FAR 0x1p20
/* A direction is never slower than this along an axis. */
#define SLOWEST 0x1p-60

static int is_sound(const double *row) {
    return isfinite(row[0]) && isfinite(row[1]) && isfinite(row[2]);
}

static int longest_axis(const double *vector) {
    int longest = fabs(vector[1]) > fabs(vector[0]);
    return fabs(vector[2]) > fabs(vector[longest]) ? 2 : longest;
}

/* Scale a direction so that products neither overflow nor underflow. */
static void set_ray(Ray *ray, const double *origin, const double *direction, double limit) {
    int moving = 0, power = 0;
    double largest = largest_of(direction, 3), scale = 2 * power_of_two_scale(largest);
    if (largest < 0x1p-1000) frexp(largest, &power); /* there is no such number as `scale` */
    ray->axis = longest_axis(direction);
    for (int axis = 0; axis < 3; axis++) moving += direction[axis] != 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = direction[axis];
        ray->origin[axis] = origin[axis];
        ray->direction[axis] = moving == 1 ? (d > 0) - (d < 0)
                             : power < 0 ? ldexp(d, 1 - power) : d * scale;
    }
    ray->length = sqrt(dot(ray->direction, ray->direction));
    ray->limit = limit;
    ray->reach = limit / ray->length;
}

static void look_up_to(Line *line, double steps) {
    double far = steps * line->pace - line->start;
    float rounded = far < 16 ? (float)far : 16.0f;
    line->far = rounded + 0x1p-20f;
}

/* Begin a line where it enters the frame's bounds; the largest coordinate of `direction` is at
 * least 1 and below 2. Returns 0 if the line misses the bounds, -1 if it begins too far away. */
static int set_line(Line *line, const Frame *frame, const double *origin, const double *direction,
                    double pace, double steps) {
    double seen[3], enter = 0, leave = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        seen[axis] = (origin[axis] - frame->center[axis]) * frame->scale;
        if (!(fabs(seen[axis]) <= FAR)) return -1;
    }
    for (int axis = 0; axis < 3; axis++) {
        double speed = direction[axis], wide = 1.0 + 0x1p-10;
        line->backwards[axis] = speed < 0;
        if (fabs(speed) < SLOWEST) {
            if (fabs(seen[axis]) > wide) return 0;
            line->inverse[axis] = (float)(speed < 0 ? -1 / SLOWEST : 1 / SLOWEST);
            continue;
        }
        double inverse = 1 / speed;
        double one = (-wide - seen[axis]) * inverse, other = (wide - seen[axis]) * inverse;
        line->inverse[axis] = (float)inverse;
        enter = max_else_second(enter, min_else_second(one, other));
        leave = min_else_second(leave, max_else_second(one, other));
    }
    if (enter > leave) return 0;
    line->start = enter, line->pace = pace, line->axis = longest_axis(direction);
    for (int axis = 0; axis < 3; axis++)
        line->point[axis] = (float)(seen[axis] + enter * direction[axis]);
    double along = direction[line->axis];
    for (int i = 0; i < 2; i++)
        line->shear[i] = (float)(direction[OTHER[line->axis][i]] / along);
    look_up_to(line, steps);
    return 1;
}

/* Return twice the area that the ray spans with an edge, exactly if products are nearly equal. */
static double area(double ax, double ay, double bx, double by) {
    double one = ax * by, other = ay * bx, difference = one - other;
    if (fabs(difference) <= 0x1p-50 * (fabs(one) + fabs(other))) {
        difference += product_error(ax, by);
        difference -= product_error(ay, bx);
    }
    return difference;
}

/* Return the distance at which the ray meets a triangle, or NaN. Sets `steps`, the distance in
 * lengths of the direction, and the barycentric `weights`. */
static double crossing(const Ray *ray, const double *corners, double *steps, double *weights) {
    int i = OTHER[ray->axis][0], j = OTHER[ray->axis][1];
    double x[3], y[3], depths[3], from[9], step = ray->direction[ray->axis];
    for (int n = 0; n < 9; n++) from[n] = corners[n] - ray->origin[n % 3];
    double scale = power_of_two_scale(largest_of(from, 9));
    for (int n = 0; n < 9; n++) from[n] *= scale;
    for (int c = 0; c < 3; c++) {
        depths[c] = from[3 * c + ray->axis];
        x[c] = from[3 * c + i] * step - ray->direction[i] * depths[c];
        y[c] = from[3 * c + j] * step - ray->direction[j] * depths[c];
    }
    for (int c = 0; c < 3; c++) {
        int a = OTHER[c][0], b = OTHER[c][1];
        weights[c] = area(x[a], y[a], x[b], y[b]);
    }
    double total = weights[0] + weights[1] + weights[2];
    if (!have_one_sign(weights, 3) || total == 0) return NAN;
    *steps = dot(weights, depths) / (total * step) / scale;
    if (!(*steps >= 0 && *steps <= ray->reach)) return NAN;
    double reached = *steps * ray->length;
    return (reached < ray->limit ? reached : ray->limit) + 0.0;
}

/* Count a triangle that the ray crosses, by its code: not at all (0), signed by its side (-1), or
 * by parity together with all triangles of the same code. */
static int wind(Walk *walk, int64_t entry, const double *weights) {
    int64_t code = walk->codes[walk->tree->order[entry]];
    int is_right = weights[0] + weights[1] + weights[2] > 0;
    if (code < 0) walk->winding += is_right == (walk->ray.direction[walk->ray.axis] > 0) ? 1 : -1;
    else walk->odd ^= code;
    return 1;
}

/* Test a triangle exactly. Returns 0 if room ran out. */
static int test_crossing(Walk *walk, int64_t entry) {
    double corners[9], weights[3], steps = 0;
    __builtin_prefetch(&walk->tree->order[entry]);
    corners_in(walk->tree, walk->matrix, entry, corners);
    double distance = crossing(&walk->ray, corners, &steps, weights);
    if (!(distance <= walk->limit)) return 1;
    if (walk->codes) return wind(walk, entry, weights);
    if (!walk->wanted) return note(walk, entry, distance);
    if (!take(walk, entry, distance)) return 1;
    memcpy(walk->corners, corners, sizeof corners);
    memcpy(walk->weights, weights, sizeof weights);
    walk->reach = steps;
    for (int level = 0; level <= walk->level; level++) look_up_to(&walk->lines[level], steps);
    return 1;
}

/* Return a bit for each of eight triangles, set where the ray may cross it.
 *
 * Coordinates across the ray, x and y, are at most 4 and wrong by at most 2^-20: 2^-22 of each
 * corner and the point, twice, and the roundings of a product and a difference. The area
 * of an edge is then wrong by 2^-20 times the coordinates of its ends and their roundings, less
 * than the slack. Depths along the ray are wrong by 2^-21. */
static INLINED unsigned may_cross(const Line *line, const Block *block) {
    int k = line->axis, i = OTHER[k][0], j = OTHER[k][1];
    Eight x[3], y[3], near = all(INFINITY), beyond = all(-INFINITY), sum = all(0x1p-18f);
    for (int c = 0; c < 3; c++) {
        Eight depth = minus(load(block->corner[c][k]), all(line->point[k]));
        x[c] = minus(minus(load(block->corner[c][i]), all(line->point[i])),
                     times(all(line->shear[0]), depth));
        y[c] = minus(minus(load(block->corner[c][j]), all(line->point[j])),
                     times(all(line->shear[1]), depth));
        sum = plus(sum, plus(size_of(x[c]), size_of(y[c])));
        Eight when = times(depth, all(line->inverse[k]));
        near = eight_min(near, when), beyond = eight_max(beyond, when);
    }
    Eight slack = times(sum, all(0x1p-19f)), low = all(INFINITY), high = all(-INFINITY);
    for (int c = 0; c < 3; c++) {
        int a = OTHER[c][0], b = OTHER[c][1];
        Eight side = minus(times(x[a], y[b]), times(y[a], x[b]));
        low = eight_min(low, side), high = eight_max(high, side);
    }
    unsigned met = up_to(minus(all(0), slack), low) | up_to(high, slack);
    met &= up_to(near, all(line->far + MARGIN));
    return met & up_to(all(-MARGIN), beyond);
}

/* Return the boxes of a node that the ray meets, and where it enters them. */
static INLINED unsigned crossed_boxes(const Line *line, const Node *node, Eight *when) {
    Eight enter = all(0), leave = all(line->far);
    for (int axis = 0; axis < 3; axis++) {
        Eight point = all(line->point[axis]), inverse = all(line->inverse[axis]);
        int back = line->backwards[axis];
        enter = eight_max(enter, times(minus(load(node->box[axis][back]), point), inverse));
        leave = eight_min(leave, times(minus(load(node->box[axis][!back]), point), inverse));
    }
    *when = enter;
    return up_to(enter, leave);
}

/* The allowed error of a line that was taken back into a tree, in its frame; and the rounding of
 * sums of products, as in core/scene/rays.py. */
#define SAME 0x1p-24
#define TAKING_BACK 0x1p-46

static void take_back(const double *inverse, const double *vector, double *found) {
    for (int axis = 0; axis < 3; axis++) found[axis] = dot(inverse + 3 * axis, vector);
}

static double reach_of(const double *inverse) {
    double most = 0;
    for (int row = 0; row < 9; row += 3) {
        double sum = fabs(inverse[row]) + fabs(inverse[row + 1]) + fabs(inverse[row + 2]);
        most = sum <= most ? most : sum;
    }
    return most;
}

/* Transform the ray into the space of a placed tree. Returns 0 if the ray misses the tree, -1 if
 * rounding is too large: the inverse is missing or too large, or the ray begins far away. */
static int set_placed_line(Walk *walk) {
    const double *matrix = walk->matrix, *inverse = walk->scene->inverses + 9 * walk->place;
    const Frame *frame = &walk->tree->frame;
    double from[3], start[3], way[3], shift[3] = {matrix[3], matrix[7], matrix[11]};
    for (int axis = 0; axis < 3; axis++) from[axis] = walk->ray.origin[axis] - shift[axis];
    take_back(inverse, from, start);
    take_back(inverse, walk->ray.direction, way);
    double size = reach_of(inverse), fast = largest_of(way, 3);
    if (!(fast >= 0x1p-500 && fast <= 0x1p500)) return -1;
    double bound = largest_of(frame->center, 3) + 1 / frame->scale + largest_of(start, 3);
    double wrong = largest_of(walk->ray.origin, 3) + largest_of(shift, 3) + 2 / fast * bound;
    double slack = walk->scene->slacks[walk->place] + TAKING_BACK * size * wrong;
    if (!(slack * frame->scale <= SAME)) return -1;
    double turn = 2 * power_of_two_scale(fast);
    for (int axis = 0; axis < 3; axis++) way[axis] *= turn;
    return set_line(&walk->lines[1], frame, start, way, frame->scale / turn, walk->reach);
}

/* Set the normal of a triangle by its winding, computed from its two shorter edges. */
static void crossing_normal(const double *corners, const Ray *ray, double *normal) {
    double edges[3][3], across[3];
    for (int n = 0; n < 9; n++) edges[n / 3][n % 3] = corners[(n + 3) % 9] - corners[n];
    double scale = power_of_two_scale(largest_of(edges[0], 9));
    for (int n = 0; n < 9; n++) edges[n / 3][n % 3] *= scale;
    int longest = 0;
    for (int edge = 1; edge < 3; edge++)
        if (dot(edges[edge], edges[edge]) > dot(edges[longest], edges[longest])) longest = edge;
    exact_cross(edges[(longest + 1) % 3], edges[(longest + 2) % 3], normal);
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) {
        cross(ray->direction, edges[longest], across);
        cross(across, edges[longest], normal);
    }
    scale = power_of_two_scale(largest_of(normal, 3));
    for (int axis = 0; axis < 3; axis++) normal[axis] *= scale;
    double length = sqrt(dot(normal, normal));
    for (int axis = 0; axis < 3; axis++) normal[axis] /= length;
}

static void write_hit(const Walk *walk, const Hits *hits) {
    int64_t at = walk->number, item = walk->held ? walk->item : MISS;
    if (walk->missing && !(walk->any && walk->held)) item = NOT_PACKED;
    if (walk->state != MISS) item = walk->state;
    hits->items[at] = item;
    if (hits->places) hits->places[at] = item < 0 ? -1 : walk->item_place;
    if (!hits->distances) return;
    hits->distances[at] = item < 0 ? INFINITY : walk->distance;
    double *position = hits->positions + 3 * at, *normal = hits->normals + 3 * at;
    double *weights = hits->weights + 3 * at;
    if (item < 0) {
        for (int axis = 0; axis < 3; axis++) position[axis] = normal[axis] = weights[axis] = NAN;
        return;
    }
    double steps = walk->distance / walk->ray.length, total = 0;
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = walk->ray.origin[axis] + steps * walk->ray.direction[axis];
        total += walk->weights[axis];
    }
    crossing_normal(walk->corners, &walk->ray, normal);
    for (int axis = 0; axis < 3; axis++) weights[axis] = walk->weights[axis] / total;
}

#endif
