/* Walks: queries of packed trees, scenes and plain cells by rays, points and volumes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers are equal, to the last bit, to those of the NumPy functions in `core`: the same
 * formulas in the same order of operations, in double precision. Compile with -ffp-contract=off,
 * and never with -ffast-math.
 *
 * Where a question begins and how it turns is rounded to 2^-23 of the wide tree's coordinates
 * (see packing.c); boxes are MARGIN larger than their items, and the edges of triangles have the
 * slack that `may_cross` derives. So no item is lost, and what remains is tested exactly.
 * Questions that begin farther away than FAR or NEAR, or do not fit otherwise, are left to the
 * caller.
 *
 * The functions allocate nothing and keep no state: all arrays are the caller's. */

#include "plain.h"

EXPORT int64_t octree_kernel_abi(void) { return OCTREE_KERNEL_ABI; }

/* The bytes of a node and of a block, and of the scratch for walks in a tree. */
EXPORT int64_t octree_kernel_size(int64_t which, int64_t depth) {
    return which == NODE  ? (int64_t)sizeof(Node)
         : which == BLOCK ? (int64_t)sizeof(Block)
         : which == PART  ? (int64_t)sizeof(Part)
                          : stack_of(depth) * IN_FLIGHT * (int64_t)sizeof(Pending);
}

/* Begin the walk of a ray; 0 if the ray is invalid. */
static int begin_ray(Walk *walk, const Walked *walked, const Asked *asked, int64_t number,
                     int mode) {
    const double *origin = asked->origins + 3 * number, *way = asked->directions + 3 * number;
    double limit = asked->limits[number * asked->limit_step];
    int moves = way[0] != 0 || way[1] != 0 || way[2] != 0;
    if (!(is_sound(origin) && is_sound(way) && moves && limit >= 0)) return 0;
    begin_walk(walk, walked, RAY);
    walk->number = number, walk->any = mode == ANY, walk->wanted = mode != ALL;
    Ray *ray = &walk->ray;
    set_ray(ray, origin, way, limit);
    walk->limit = limit, walk->reach = ray->reach;
    if (mode != ALL) {
        walk->items = &walk->item, walk->places = &walk->item_place;
        walk->entries = &walk->entry, walk->distances = &walk->distance;
    }
    if (walk->plain) {
        memcpy(walk->lower, origin, sizeof walk->lower);
        memcpy(walk->upper, origin, sizeof walk->upper);
        if (!visit_cells(walk)) walk->state = NOT_TAKEN;
        return 1;
    }
    const Frame *frame = &walk->tree->frame;
    int state = set_line(&walk->lines[0], frame, origin, ray->direction, frame->scale, ray->reach);
    if (state < 0) walk->state = NOT_TAKEN;
    if (state > 0) push_pending(walk, 0, 0, 0.0f);
    return 1;
}

/* Return whether a scene has a placement in a row, of an existing mesh. */
static int is_row(const Walked *walked, int64_t row) {
    const Scene *scene = walked->scene;
    return scene && row >= 0 && row < scene->top.entry_count && scene->meshes[row] >= 0
        && scene->meshes[row] < scene->mesh_count;
}

/* Set the core of a capsule, and ways across it: its products with the axes. */
static void set_capsule(Core *core, const double *capsule) {
    double half[3];
    for (int axis = 0; axis < 3; axis++) half[axis] = (capsule[3 + axis] - capsule[axis]) / 2;
    double scale = power_of_two_scale(largest_of(half, 3));
    core->half_count = 1;
    memcpy(core->halves[0], half, sizeof half);
    for (int axis = 0; axis < 3; axis++) half[axis] *= scale;
    for (int axis = 0; axis < 3; axis++) {
        int i = OTHER[axis][0], j = OTHER[axis][1];
        double size = sqrt(half[i] * half[i] + half[j] * half[j]);
        if (!(size >= 0x1p-4)) continue; /* nearly along the axis */
        float *way = core->ways[core->way_count];
        way[axis] = 0, way[i] = (float)(half[j] / size), way[j] = (float)(-half[i] / size);
        core->spans[core->way_count++] = capsule[6];
    }
}

/* Set the core of an oriented box, which is all of it, and its axes. */
static void set_oriented(Core *core, const double *box) {
    core->way_count = core->half_count = 3;
    for (int n = 0; n < 9; n++) {
        core->ways[n / 3][n % 3] = (float)box[6 + n];
        core->halves[n / 3][n % 3] = box[6 + n] * box[3 + n / 3];
    }
    memcpy(core->spans, box + 3, sizeof core->spans);
}

/* Begin the walk of the point or volume that is set, unless it is left to the caller. */
static void begin_look(Walk *walk, const Walked *walked, int kind) {
    begin_walk(walk, walked, kind);
    walk->reach = kind == POINT ? walk->limit : walk->radius;
    if (walk->plain ? !visit_cells(walk) : !see_top(walk)) walk->state = NOT_TAKEN;
    else if (!walk->plain) push_pending(walk, 0, 0, 0.0f);
}

/* Find the closest item, or any, of the rays `from` to `to`, in a tree or in a scene; `depth` is
 * that of the deepest tree, for which the scratch has room. If `together`, several rays are
 * walked by turns, which pays where they are far from their neighbors. Returns `to`, or the first
 * ray that is unsound. */
EXPORT int64_t octree_kernel_cast(const Walked *walked, const Asked *asked, int64_t from,
                                  int64_t to, int64_t mode, int64_t together, int64_t depth,
                                  Pending *scratch, const Hits *hits) {
    USE_DEFAULT_FLOATS;
    Walk walks[IN_FLIGHT], *flights[IN_FLIGHT];
    int64_t next = from, flying = 0, most = together ? IN_FLIGHT : 1;
    for (int i = 0; i < most; i++)
        flights[i] = &walks[i], walks[i].stack = scratch + i * stack_of(depth);
    while (next < to || flying) {
        while (flying < most && next < to) {
            if (!begin_ray(flights[flying], walked, asked, next, (int)mode)) {
                to = next; /* only those before are walked to their end */
                break;
            }
            next++, flying++;
        }
        if (flying == 1) go_on(flights[0]);
        for (int i = 0; i < flying; i++) {
            Walk *walk = flights[i];
            if (walk->height) step_walk(walk, 1, 0);
            if (walk->height) {
                fetch_next(walk);
                continue;
            }
            write_hit(walk, hits);
            flights[i--] = flights[--flying], flights[flying] = walk;
        }
    }
    return to;
}

/* Find all crossings of the rays `from` to `to`, sorted by ray, distance, place and item, until
 * room runs out. `names` are items, and places shifted by 32 bits. `counts` are the crossings of
 * each ray, or NOT_TAKEN or NOT_PACKED. Returns where to go on; or -1 - i if ray i is unsound. */
EXPORT int64_t octree_kernel_cast_all(const Walked *walked, const Asked *asked, int64_t from,
                                      int64_t to, Pending *scratch, int64_t *names,
                                      double *distances, int64_t room, int64_t *counts) {
    int64_t first = 0;
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = scratch};
    for (int64_t at = from; at < to; at++) {
        walk.names = names + first, walk.distances = distances + first;
        walk.room = room - first;
        if (!begin_ray(&walk, walked, asked, at, ALL)) return -1 - at;
        if (!go_on(&walk)) return at;
        counts[at] = walk.state != MISS ? walk.state : walk.missing ? NOT_PACKED : walk.count;
        if (counts[at] < 0) continue;
        first += counts[at] = sort_met(walk.names, walk.distances, walk.count);
    }
    return to;
}

/* Flag the rays `from` to `to` that begin inside the mesh placed in their row of `rows`: the
 * winding number is not 0, or triangles that count by parity are crossed an odd number of times.
 * `codes` (code_count) are how triangles count, by item; those of each mesh begin at its
 * `starts`. `states` are 1 or 0, or NOT_TAKEN or NOT_PACKED. Returns `to`; or -1 - i if ray i is
 * unsound, its row does not exist, or its mesh has no codes. */
EXPORT int64_t octree_kernel_wound(const Walked *walked, const Asked *asked, int64_t from,
                                   int64_t to, const int64_t *rows, const int64_t *codes,
                                   const int64_t *starts, int64_t code_count, Pending *scratch,
                                   int64_t *states) {
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = scratch};
    for (int64_t at = from; at < to; at++) {
        int64_t start = is_row(walked, rows[at]) ? starts[walked->scene->meshes[rows[at]]] : -1;
        if (start < 0 || start >= code_count || !begin_ray(&walk, walked, asked, at, ALL))
            return -1 - at;
        walk.codes = codes + start, walk.winding = walk.odd = 0;
        if (walk.height) walk.height = 0, enter_place(&walk, rows[at], 0);
        go_on(&walk);
        states[at] = walk.state != MISS ? walk.state
                   : walk.missing       ? NOT_PACKED
                                        : walk.winding != 0 || walk.odd != 0;
    }
    return to;
}

/* Find the nearest items of points, `wanted` of each, none farther than `limit`: of the points
 * that `turns` names from `from` to `to`, best ordered so that neighbors in space follow each
 * other. Rows of `items`, `places` (of a scene), `entries` and `distances` are `wanted` long;
 * those of points that are not taken, or came to a tree that is not packed, begin with the item
 * NOT_TAKEN or NOT_PACKED. Returns `to`, or the first turn of a point that is unsound. */
EXPORT int64_t octree_kernel_nearest(const Walked *walked, const double *points,
                                     const int64_t *turns, int64_t from, int64_t to,
                                     int64_t wanted, double limit, Pending *stack, int64_t *items,
                                     int64_t *places, int64_t *entries, double *distances,
                                     double *positions) {
    int64_t latest = MISS;
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = stack, .wanted = wanted};
    for (int64_t turn = from; turn < to; turn++) {
        int64_t i = turns ? turns[turn] : turn, row = i * wanted;
        const double *point = points + 3 * i;
        if (!is_sound(point)) return turn;
        memcpy(walk.lower, point, sizeof walk.lower), memcpy(walk.upper, point, sizeof walk.upper);
        walk.limit = limit, walk.items = items + row, walk.places = places ? places + row : NULL;
        walk.entries = entries + row, walk.distances = distances + row;
        begin_look(&walk, walked, POINT);
        /* The nearest items of the previous point bound the distance. */
        if (walk.height && latest >= 0) {
            double most = 0;
            for (int64_t at = latest; at < latest + wanted; at++)
                most = maximum(most, distance_to(&walk, places ? places[at] : 0, entries[at]));
            narrow(&walk, minimum(limit, most));
        }
        go_on(&walk);
        int64_t state = walk.missing ? NOT_PACKED : walk.state;
        for (int64_t n = 0; n < wanted; n++) {
            double *position = positions + 3 * (row + n);
            if (n < walk.held && state == MISS) {
                position_on(&walk, places ? walk.places[n] : 0, walk.entries[n], position);
                continue;
            }
            walk.items[n] = walk.entries[n] = state, walk.distances[n] = INFINITY;
            if (places) walk.places[n] = -1;
            position[0] = position[1] = position[2] = NAN;
        }
        if (walk.held == wanted && state == MISS) latest = row;
    }
    return to;
}

/* Find the nearest triangle of each of the points `from` to `to`, of (3, count), in the placement
 * in the point's row, if it is no farther than the point's limit: its item, or MISS, NOT_TAKEN or
 * NOT_PACKED; how far it is; and its corners, of (9, count). Returns `to`, or DAMAGED if a row
 * does not exist. */
EXPORT int64_t octree_kernel_nearest_in(const Walked *walked, const double *points, int64_t count,
                                        const int64_t *rows, const double *limits, int64_t from,
                                        int64_t to, Pending *stack, int64_t *items,
                                        double *distances, double *corners) {
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = stack, .wanted = 1};
    double found[9];
    for (int64_t i = from; i < to; i++) {
        int64_t place, entry;
        if (!is_row(walked, rows[i])) return DAMAGED;
        for (int axis = 0; axis < 3; axis++)
            walk.lower[axis] = walk.upper[axis] = points[axis * count + i];
        walk.limit = limits[i], walk.items = items + i, walk.distances = distances + i;
        walk.places = &place, walk.entries = &entry;
        begin_look(&walk, walked, POINT);
        /* The nearest items of the previous point bound the distance. */
        if (walk.height && i > from && rows[i] == rows[i - 1] && items[i - 1] >= 0)
            narrow(&walk, minimum(limits[i], sqrt(square_to(&walk, found))));
        if (walk.height) walk.height = 0, enter_place(&walk, rows[i], 0);
        go_on(&walk);
        int64_t state = walk.missing ? NOT_PACKED : walk.state;
        if (!walk.held || state != MISS) items[i] = state;
        else corners_met(&walk, place, entry, found);
        for (int n = 0; n < 9 && items[i] >= 0; n++) corners[n * count + i] = found[n];
    }
    return to;
}

/* Return how many numbers a volume of each kind has, and whether the last one is a radius. */
static int64_t size_of_volume(int kind) {
    return kind == SPHERE ? 4 : kind == BOX || kind == AROUND ? 6 : kind == ORIENTED ? 15 : 7;
}
static int is_round(int kind) { return kind == SPHERE || kind == REGION || kind == CAPSULE; }

/* Set a volume: center and radius of a sphere; lower and upper of a box, and of a region a radius;
 * start, end and radius of a capsule; center, half sizes and three axes of an oriented box. */
static void set_volume(Walk *walk, int kind, const double *volume) {
    walk->volume = volume, walk->radius = is_round(kind) ? volume[size_of_volume(kind) - 1] : 0;
    walk->core.way_count = walk->core.half_count = 0;
    if (kind == CAPSULE) set_capsule(&walk->core, volume);
    if (kind == ORIENTED) set_oriented(&walk->core, volume);
    for (int axis = 0; axis < 3; axis++) {
        double one = volume[axis], other = kind == SPHERE ? one : volume[3 + axis];
        if (kind == ORIENTED) {
            double reach = 0;
            for (int n = 0; n < 3; n++) reach += fabs(walk->core.halves[n][axis]);
            one = volume[axis] - reach, other = volume[axis] + reach;
        }
        walk->lower[axis] = kind == CAPSULE ? minimum(one, other) : one;
        walk->upper[axis] = kind == CAPSULE ? maximum(one, other) : other;
    }
}

/* Find the items that meet volumes of a kind (see `set_volume`): the volumes that `turns` lists
 * from `from` to `to`. `names` are the items of each volume, ascending, with their places shifted
 * by 32 bits; or one item if `any`. `counts` are the numbers of items, or NOT_TAKEN or NOT_PACKED.
 * Returns the turn for which room ran out, or `to`. */
EXPORT int64_t octree_kernel_touch(const Walked *walked, const double *volumes,
                                   const int64_t *turns, int64_t from, int64_t to, int64_t kind,
                                   int64_t any, Pending *stack, int64_t *names, int64_t room,
                                   int64_t *counts) {
    int64_t found = 0;
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = stack, .any = (int)any};
    for (int64_t turn = from; turn < to; turn++) {
        int64_t i = turns ? turns[turn] : turn;
        walk.names = names + found, walk.room = room - found;
        set_volume(&walk, (int)kind, volumes + size_of_volume((int)kind) * i);
        double square = walk.radius * walk.radius;
        /* The square of a radius must not underflow. */
        if ((walk.radius == 0 || square >= 0x1p-500) && walk.radius <= 1e150)
            begin_look(&walk, walked, (int)kind);
        else
            walk.state = NOT_TAKEN, walk.height = 0, walk.missing = 0;
        if (!go_on(&walk)) return turn;
        if (walk.missing || walk.state != MISS) {
            counts[i] = walk.missing ? NOT_PACKED : NOT_TAKEN;
            continue;
        }
        found += counts[i] = sort_met(walk.names, NULL, walk.count);
    }
    return to;
}
