/* State of a query that walks a packed tree or a scene, and its results so far.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_WALK_H
#define OCTREE_KERNEL_WALK_H

#include "packed.h"

/* Number of rays that are walked alternately, so that memory latency is hidden. */
#define IN_FLIGHT 8

/* A node, block or item that waits, and where it begins: along a ray, or how far it is, squared;
 * or CERTAIN, where all that it holds is met. A single triangle that waits to be fetched has a
 * count below zero. */
struct Pending {
    int32_t child, count;
    float enter;
};

#define CERTAIN (-1.0f)
enum { FETCHED = -2, FETCHING = -1 };

/* The question: what a ray crosses; the nearest items of a point; what meets a sphere, a box, a
 * region, which is a box grown round, a capsule or an oriented box; or what comes near the box
 * around a volume that the caller then tests. */
enum { POINT = 0, SPHERE, BOX, AROUND, RAY, REGION, CAPSULE, ORIENTED };

/* A ray as in core/rays/crossings.py, in double precision. */
typedef struct {
    double origin[3], direction[3], length, limit, reach;
    int axis;
} Ray;

/* A ray in the coordinates of a frame, from the point at which it enters the items' bounds:
 * `start` is the distance to that point, `far` the remaining range. A step of the ray has the
 * length `pace`. */
typedef struct {
    float point[3], inverse[3], shear[2], far;
    int backwards[3], axis;
    double start, pace;
} Line;

/* How a point or a volume is seen from its own middle: `half` its sizes, `reach` how far it looks
 * beyond. Coordinates of a tree are put there by `turn`, where it is placed, and `shift`. `spans`
 * is how far the volume extends along each of its ways, `halves` the vectors that reach from the
 * middle to the ends of its core; none of both where the box is cut. */
typedef struct {
    double scale;
    float half[3], shift[3], turn[3][3], reach, wrong, within, spans[3], halves[3][3];
    int way_count, half_count, is_cut;
} View;

/* The core of a volume that fills little of its bounding box: unit vectors, and how far it
 * extends along each from its middle; its core, as the vectors from its middle to its ends. */
typedef struct {
    float ways[3][3];
    double spans[3], halves[3][3];
    int way_count, half_count;
} Core;

/* State of a query: a ray, a point, or a volume; a sphere is a point with a radius. The walk is at
 * the top (`matrix` is NULL), or in the tree placed in row `place`; then the stack below `floor`
 * holds pending nodes of the top. `lines` and `views` have two levels: the top and the placed
 * tree. `reach` is the search range: in steps of a ray, or from a point or volume. */
typedef struct {
    const Scene *scene;
    const Plain *plain;
    const Tree *tree;
    const double *matrix;
    Pending *stack;
    int64_t place, height, floor, state;
    int kind, any, level, missing;
    double limit, reach;
    /* For rays: the ray and its latest hit. */
    int64_t number, item, item_place, entry;
    double distance, corners[9], weights[3];
    Ray ray;
    Line lines[2];
    /* For points, volumes and plain cells; cells are enlarged by `slack`. */
    double lower[3], upper[3], radius, slack;
    const double *volume;
    Core core;
    View views[2];
    /* The `held` nearest of at most `wanted`, ascending, none farther than `limit`; or the names
     * of all that is met. */
    int64_t *items, *places, *entries, *names, wanted, held, count, room;
    double *distances;
    /* For winding numbers, how the triangles of the placed tree count, by item, else NULL; and
     * the counts so far. */
    const int64_t *codes;
    int64_t winding, odd;
} Walk;

/* Entries of a stack: seven wait on each level, and a block's triangles. */
static int64_t stack_of(int64_t depth) { return (WIDE - 1) * depth + 2 * WIDE + 1; }

/* Begin at the top, with nothing met. */
static void begin_walk(Walk *walk, const Walked *walked, int kind) {
    walk->scene = walked->scene, walk->plain = walked->plain;
    walk->tree = walked->scene ? &walked->scene->top : walked->tree;
    walk->matrix = NULL, walk->state = MISS, walk->kind = kind;
    walk->place = walk->height = walk->floor = walk->held = walk->count = 0;
    walk->level = walk->missing = 0;
    walk->codes = NULL;
}

static void push_pending(Walk *walk, int32_t child, int32_t count, float enter) {
    walk->stack[walk->height++] = (Pending){child, count, enter};
}

/* Push some slots of a node, the nearest on top. */
static INLINED void push(Walk *walk, const Node *node, Eight enter, unsigned slots,
                        unsigned certain) {
    float when[WIDE];
    store(when, enter);
    Pending *bottom = walk->stack + walk->height, *top = bottom;
    for (; slots; slots &= slots - 1) {
        int slot = __builtin_ctz(slots);
        if (certain >> slot & 1) when[slot] = CERTAIN;
        Pending *place = top++;
        for (; place > bottom && place[-1].enter < when[slot]; place--) *place = place[-1];
        *place = (Pending){node->child[slot], node->count[slot], when[slot]};
    }
    walk->height += top - bottom;
}

/* Sort the findings of a question by distance, unless that is NULL, and by name: Shell, 1959.
 * Several cells may find one item: each name remains once. Returns the number that remains. */
static int64_t sort_met(int64_t *names, double *distances, int64_t count) {
    int64_t gap = 1, each = 0;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap, at; i < count; i++) {
            int64_t name = names[i];
            double distance = distances ? distances[i] : 0;
            for (at = i; at >= gap; at -= gap) {
                double before = distances ? distances[at - gap] : 0;
                if (before < distance || (before == distance && names[at - gap] <= name)) break;
                names[at] = names[at - gap];
                if (distances) distances[at] = before;
            }
            names[at] = name;
            if (distances) distances[at] = distance;
        }
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && names[i] == names[i - 1]) continue;
        names[each] = names[i];
        if (distances) distances[each] = distances[i];
        each++;
    }
    return each;
}

/* Return whether one of the nearest comes before a triangle at a distance: at equal distances,
 * the smaller place, then the smaller item comes first. */
static int is_nearer(const Walk *walk, int64_t at, double distance, int64_t item) {
    int64_t place = walk->places ? walk->places[at] : 0;
    if (walk->distances[at] != distance) return walk->distances[at] < distance;
    return place != walk->place ? place < walk->place : walk->items[at] <= item;
}

/* Insert a triangle into the nearest ones; 0 if it is farther. With `any`, the walk ends. */
static int take(Walk *walk, int64_t entry, double distance) {
    if (!(distance <= walk->limit)) return 0;
    int64_t item = walk->tree->order[entry], last = walk->wanted - 1;
    if (walk->held > last && is_nearer(walk, last, distance, item)) return 0;
    int64_t at = walk->held > last ? last : walk->held++;
    for (; at > 0 && !is_nearer(walk, at - 1, distance, item); at--) {
        walk->distances[at] = walk->distances[at - 1], walk->items[at] = walk->items[at - 1];
        walk->entries[at] = walk->entries[at - 1];
        if (walk->places) walk->places[at] = walk->places[at - 1];
    }
    walk->distances[at] = distance, walk->items[at] = item, walk->entries[at] = entry;
    if (walk->places) walk->places[at] = walk->place;
    if (walk->held > last) walk->limit = walk->distances[last];
    if (walk->any) walk->height = 0;
    return 1;
}

/* Record a result of a query for all results. 0 if room ran out. */
static int note(Walk *walk, int64_t entry, double distance) {
    if (walk->count == walk->room) return 0;
    walk->names[walk->count] = walk->place << 32 | walk->tree->order[entry];
    if (walk->distances) walk->distances[walk->count] = distance;
    walk->count++;
    if (walk->any) walk->height = 0;
    return 1;
}

/* Read the corners of a hit triangle, in a scene by its place. */
static void corners_met(const Walk *walk, int64_t place, int64_t entry, double *corners) {
    const Scene *scene = walk->scene;
    corners_in(scene ? &scene->trees[scene->meshes[place]] : walk->tree,
               scene ? scene->matrices + 12 * place : NULL, entry, corners);
}

#endif
