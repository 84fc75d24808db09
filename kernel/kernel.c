/* Octree kernel: packs triangles or boxes into a wide tree, and asks it with rays, points and
 * volumes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers are equal, to the last bit, to those of the NumPy functions in `core`: the same
 * formulas in the same order of operations, in double precision.
 * Compile with -ffp-contract=off, and never with -ffast-math.
 *
 * The wide tree only tells which items a question may meet. Its coordinates are single
 * precision, relative to the middle of all items and divided by a power of two, so that they
 * lie in [-1, 1]. Where a question begins and how it turns is rounded to 2^-23; boxes are MARGIN
 * larger than their items, and the edges of triangles have the slack that `may_cross` derives.
 * So nothing is ever lost, and what remains is decided exactly. What is farther away than FAR or
 * NEAR, or does not fit otherwise, is left to the caller.
 *
 * Nothing is allocated and no state is kept: all arrays are the caller's. */

#include "octree_kernel.h"
#include "exact.h"
#include "closest.h"
#include "volumes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What every step of a walk does: a call costs as much. */
#define INLINED inline __attribute__((always_inline))

/* Slots of a node and of a block. */
#define WIDE 8
/* Subtrees with fewer entries are divided at medians, not at the planes of cells. */
#define SMALL 64
/* By how much boxes are enlarged; rays that begin farther away are not taken. */
#define MARGIN 0x1p-18f
#define FAR 0x1p20
/* A direction is never slower than this along an axis. */
#define SLOWEST 0x1p-60
/* Rays that are walked by turns, so that one waits for memory while others compute. */
#define IN_FLIGHT 8

/* Eight boxes, lower and upper along each axis, and what they hold: a node; or the block ~child
 * of `count` triangles; or the item ~child, where these are boxes. Empty slots have boxes that
 * nothing meets. */
struct Node {
    float box[3][2][WIDE];
    int32_t child[WIDE];
    int32_t count[WIDE];
};

/* Eight triangles, coordinate by coordinate, and which entries they are. */
struct Block {
    float corner[3][3][WIDE];
    int32_t entry[WIDE];
};

static const Tree *top_of(const Walked *walked) {
    return walked->scene ? &walked->scene->top : walked->tree;
}

EXPORT int64_t octree_kernel_abi(void) { return OCTREE_KERNEL_ABI; }

/* ---- Packing ---- */

/* Entries of a cell, of some of its children, or of none in particular (cell -1). */
struct Part {
    int64_t from, to, cell, first, last;
};

typedef struct {
    const int64_t *first_child, *begin, *own_end, *end;
    int64_t cell_count;
    int32_t *entries;     /* in the order of the cells; put into that of blocks */
    const float *middles; /* (3, entry_count) */
    int64_t entry_count, leaf; /* `leaf` entries need not be divided */
} PackedCells;

static int64_t entries_in(const Part *part) { return part->to - part->from; }

/* Put the smallest `left` of the entries from `from` to `to` first, by their middles. */
static void select_smallest(int32_t *entries, const float *key, int64_t from, int64_t to,
                            int64_t left) {
    int64_t low = from, high = to - 1, place = from + left;
    while (low < high) {
        float a = key[entries[low]], b = key[entries[(low + high) / 2]], c = key[entries[high]];
        float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = low, j = high;
        while (i <= j) {
            while (key[entries[i]] < pivot) i++;
            while (key[entries[j]] > pivot) j--;
            if (i > j) break;
            int32_t other = entries[i];
            entries[i++] = entries[j];
            entries[j--] = other;
        }
        if (place <= j) high = j;
        else if (place >= i) low = i;
        else return;
    }
}

static void split_at_median(const PackedCells *cells, const Part *part, Part *one, Part *other) {
    float extent = -1;
    const float *key = cells->middles;
    for (int axis = 0; axis < 3; axis++) {
        const float *row = cells->middles + axis * cells->entry_count;
        float low = row[cells->entries[part->from]], high = low;
        for (int64_t i = part->from + 1; i < part->to; i++) {
            float value = row[cells->entries[i]];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > extent) extent = high - low, key = row;
    }
    int64_t left = (entries_in(part) / 2 + cells->leaf - 1) / cells->leaf * cells->leaf;
    select_smallest(cells->entries, key, part->from, part->to, left);
    *one = (Part){part->from, part->from + left, -1, 0, 0};
    *other = (Part){part->from + left, part->to, -1, 0, 0};
}

/* Divide a part in two that hold something; 0 if the cells contradict each other. */
static int split_part(const PackedCells *cells, Part part, Part *one, Part *other) {
    while (entries_in(&part) > SMALL && part.cell >= 0) {
        int64_t first_child = cells->first_child[part.cell], middle;
        if (part.last == 0) { /* a whole cell: its own entries, then those of its children */
            if (first_child < 0) break;
            if (first_child <= part.cell || first_child > cells->cell_count - 8) return 0;
            middle = cells->own_end[part.cell];
            *one = (Part){part.from, middle, -1, 0, 0};
            *other = (Part){middle, part.to, part.cell, 0, 8};
        } else if (part.last - part.first == 1) {
            part.cell = first_child + part.first, part.first = part.last = 0;
            if (cells->begin[part.cell] != part.from || cells->end[part.cell] != part.to) return 0;
            continue;
        } else {
            int64_t half = (part.first + part.last) / 2;
            middle = cells->begin[first_child + half];
            *one = (Part){part.from, middle, part.cell, part.first, half};
            *other = (Part){middle, part.to, part.cell, half, part.last};
        }
        if (middle < part.from || middle > part.to) return 0;
        if (entries_in(one) > 0 && entries_in(other) > 0) return 1;
        part = entries_in(one) > 0 ? *one : *other;
    }
    split_at_median(cells, &part, one, other);
    return 1;
}

/* Divide a part until there are eight, or none is more than a leaf; return how many. */
static int divide(const PackedCells *cells, Part *parts) {
    int count = 1;
    while (count < WIDE) {
        int most = 0;
        for (int i = 1; i < count; i++)
            if (entries_in(&parts[i]) > entries_in(&parts[most])) most = i;
        if (entries_in(&parts[most]) <= cells->leaf) break;
        if (!split_part(cells, parts[most], &parts[most], &parts[count])) return 0;
        count++;
    }
    return count;
}

static void corners_of(const Tree *tree, int64_t entry, double *corners) {
    assert(entry >= 0 && entry < tree->entry_count);
    for (int corner = 0; corner < 3; corner++) {
        int64_t vertex = tree->faces[corner * tree->entry_count + entry];
        assert(vertex >= 0 && vertex < tree->vertex_count);
        for (int axis = 0; axis < 3; axis++)
            corners[3 * corner + axis] = tree->vertices[axis * tree->vertex_count + vertex];
    }
}

/* Find the box around an entry; 0 if it is too large, or there are no such corners. */
static int bounds_of(const Tree *tree, int64_t entry, double *low, double *high) {
    double corners[9];
    int64_t count = tree->entry_count;
    if (tree->boxes) {
        double radius = tree->radii ? tree->radii[entry] : 0;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = tree->boxes[axis * count + entry] - radius;
            high[axis] = tree->boxes[axis * count + entry + tree->upper] + radius;
        }
    } else {
        for (int c = 0; c < 3; c++) {
            int64_t vertex = tree->faces[c * count + entry];
            if (vertex < 0 || vertex >= tree->vertex_count) return 0;
        }
        corners_of(tree, entry, corners);
        if (!(largest_of(corners, 9) <= 1e150)) return 0;
        for (int axis = 0; axis < 3; axis++) {
            double a = corners[axis], b = corners[3 + axis], c = corners[6 + axis];
            low[axis] = lesser(c, lesser(a, b)), high[axis] = larger(c, larger(a, b));
        }
    }
    for (int axis = 0; axis < 3; axis++)
        if (!(low[axis] >= -1e150 && low[axis] <= high[axis] && high[axis] <= 1e150)) return 0;
    return 1;
}

static float seen_in(const Frame *frame, double value, int axis) {
    return (float)((value - frame->center[axis]) * frame->scale);
}

/* Check the entries, and find the frame in which all of them lie in [-1, 1], and their middles.
 * Returns whether all can be packed: they are there, neither too large nor too small. */
static int frame_of(Tree *tree, const int32_t *entries, int64_t count, float *middles) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double lower[3], upper[3], extent = 0;
    for (int64_t i = 0; i < count; i++) {
        if (entries[i] < 0 || entries[i] >= tree->entry_count) return 0;
        if (!bounds_of(tree, entries[i], lower, upper)) return 0;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = lesser(low[axis], lower[axis]);
            high[axis] = larger(high[axis], upper[axis]);
        }
    }
    Frame *frame = &tree->frame;
    for (int axis = 0; axis < 3; axis++) {
        frame->center[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        extent = larger(extent, high[axis] - frame->center[axis]);
        extent = larger(extent, frame->center[axis] - low[axis]);
    }
    frame->scale = power_of_two_scale(extent);
    for (int64_t i = 0; i < count; i++) {
        bounds_of(tree, entries[i], lower, upper);
        for (int axis = 0; axis < 3; axis++) {
            double center = frame->center[axis];
            double middle = (lower[axis] - center) + (upper[axis] - center);
            middles[axis * tree->entry_count + entries[i]] = (float)(middle * frame->scale);
        }
    }
    return extent == 0 || extent >= 1e-150;
}

/* Let a slot begin as the box of nothing, to be enlarged. */
static void empty_slot(Node *node, int slot) {
    for (int axis = 0; axis < 3; axis++)
        node->box[axis][0][slot] = 1e30f, node->box[axis][1][slot] = -1e30f;
    node->child[slot] = node->count[slot] = 0;
}

static void enlarge(Node *node, int slot, int axis, float low, float high) {
    float *box = &node->box[axis][0][slot];
    if (low < box[0]) box[0] = low;
    if (high > box[WIDE]) box[WIDE] = high;
}

static void fill_block(const Tree *tree, const int32_t *entries, int count, Block *block,
                       Node *node, int slot) {
    memset(block, 0, sizeof *block);
    for (int i = 0; i < count; i++) {
        double corners[9];
        corners_of(tree, entries[i], corners);
        for (int n = 0; n < 9; n++) {
            float value = seen_in(&tree->frame, corners[n], n % 3);
            block->corner[n / 3][n % 3][i] = value;
            enlarge(node, slot, n % 3, value - MARGIN, value + MARGIN);
        }
        block->entry[i] = entries[i];
    }
}

static void fill_slot(const Tree *tree, int32_t entry, Node *node, int slot) {
    double low[3], high[3];
    bounds_of(tree, entry, low, high);
    for (int axis = 0; axis < 3; axis++)
        enlarge(node, slot, axis, seen_in(&tree->frame, low[axis], axis) - MARGIN,
                seen_in(&tree->frame, high[axis], axis) + MARGIN);
    node->child[slot] = ~entry;
}

/* Let the box of each slot be that of all slots of the node it holds. */
static void enclose_all(Node *nodes, int64_t count) {
    for (int64_t at = count - 1; at >= 0; at--)
        for (int slot = 0; slot < WIDE; slot++)
            for (int n = 0; n < 3 * WIDE && nodes[at].child[slot] > 0; n++) {
                const Node *below = &nodes[nodes[at].child[slot]];
                int axis = n / WIDE, i = n % WIDE;
                enlarge(&nodes[at], slot, axis, below->box[axis][0][i], below->box[axis][1][i]);
            }
}

/* Pack a tree. `entries`, `count` of them, are those to be packed, each once, in the order of the
 * cells: c holds those from `begin[c]` to `end[c]`, its own to `own_end[c]`. Without cells, all is
 * divided at medians. There is room for `node_room` nodes and parts and for `block_room` blocks,
 * and for three numbers of each entry in `middles`. Sets the counts, depth and frame of the tree;
 * returns 0, DAMAGED or NO_ROOM. */
EXPORT int64_t octree_kernel_pack(Tree *tree, Node *nodes, Block *blocks, int64_t node_room,
                                  int64_t block_room, const int64_t *first_child,
                                  const int64_t *begin, const int64_t *own_end, const int64_t *end,
                                  int64_t cell_count, int32_t *entries, int64_t count,
                                  float *middles, Part *work, int32_t *depths) {
    PackedCells cells = {first_child, begin, own_end, end, cell_count, entries, middles,
                   tree->entry_count, tree->boxes ? 1 : WIDE};
    int64_t node_count = 1, block_count = 0, deepest = 1;
    if (count < 1 || tree->entry_count >= INT32_MAX / 2 || node_room < 1) return DAMAGED;
    if (!frame_of(tree, entries, count, middles)) return DAMAGED;
    work[0] = (Part){0, count, cell_count > 0 ? 0 : -1, 0, 0}, depths[0] = 1;
    for (int64_t at = 0; at < node_count; at++) {
        Part parts[WIDE] = {work[at]};
        int parted = divide(&cells, parts);
        if (parted == 0) return DAMAGED;
        if (depths[at] > deepest) deepest = depths[at];
        Node *node = &nodes[at];
        for (int slot = 0; slot < WIDE; slot++) {
            empty_slot(node, slot);
            if (slot >= parted) continue;
            int64_t held = entries_in(&parts[slot]);
            if (held > cells.leaf) {
                if (node_count == node_room) return NO_ROOM;
                work[node_count] = parts[slot], depths[node_count] = depths[at] + 1;
                node->child[slot] = (int32_t)node_count++;
                continue;
            }
            node->count[slot] = (int32_t)held;
            if (tree->boxes) {
                fill_slot(tree, entries[parts[slot].from], node, slot);
                continue;
            }
            if (block_count == block_room) return NO_ROOM;
            fill_block(tree, entries + parts[slot].from, (int)held, &blocks[block_count], node,
                       slot);
            node->child[slot] = (int32_t)~block_count++;
        }
    }
    enclose_all(nodes, node_count);
    tree->nodes = nodes, tree->blocks = blocks;
    tree->node_count = node_count, tree->block_count = block_count, tree->depth = deepest;
    return 0;
}

/* ---- Eight numbers at once ---- */

#ifdef HAS_SSE2
typedef struct { __m128 a, b; } Eight;
#define BINARY(name, op)                                                                        \
    static inline Eight name(Eight x, Eight y) {                                                \
        return (Eight){op(x.a, y.a), op(x.b, y.b)};                                             \
    }
static inline Eight load(const float *p) { return (Eight){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }
static inline void store(float *p, Eight x) { _mm_storeu_ps(p, x.a), _mm_storeu_ps(p + 4, x.b); }
static inline Eight all(float x) { return (Eight){_mm_set1_ps(x), _mm_set1_ps(x)}; }
BINARY(plus, _mm_add_ps)
BINARY(minus, _mm_sub_ps)
BINARY(times, _mm_mul_ps)
BINARY(least, _mm_min_ps)
BINARY(most, _mm_max_ps)
static inline Eight size_of(Eight x) {
    __m128 sign = _mm_set1_ps(-0.0f);
    return (Eight){_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
}
static inline Eight root(Eight x) { return (Eight){_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)}; }
/* A bit for each of eight, set where x <= y. */
static inline unsigned up_to(Eight x, Eight y) {
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.a, y.a))
         | (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.b, y.b)) << 4;
}
#else
typedef struct { float n[WIDE]; } Eight;
#define BINARY(name, expression)                                                                \
    static inline Eight name(Eight x, Eight y) {                                                \
        Eight z;                                                                                \
        for (int i = 0; i < WIDE; i++) z.n[i] = expression;                                     \
        return z;                                                                               \
    }
static inline Eight load(const float *p) { Eight x; memcpy(x.n, p, sizeof x.n); return x; }
static inline void store(float *p, Eight x) { memcpy(p, x.n, sizeof x.n); }
static inline Eight all(float f) { Eight x; for (int i = 0; i < WIDE; i++) x.n[i] = f; return x; }
BINARY(plus, x.n[i] + y.n[i])
BINARY(minus, x.n[i] - y.n[i])
BINARY(times, x.n[i] * y.n[i])
BINARY(least, x.n[i] < y.n[i] ? x.n[i] : y.n[i])
BINARY(most, x.n[i] > y.n[i] ? x.n[i] : y.n[i])
static inline Eight size_of(Eight x) {
    for (int i = 0; i < WIDE; i++) x.n[i] = fabsf(x.n[i]);
    return x;
}
static inline Eight root(Eight x) {
    for (int i = 0; i < WIDE; i++) x.n[i] = sqrtf(x.n[i]);
    return x;
}
static inline unsigned up_to(Eight x, Eight y) {
    unsigned bits = 0;
    for (int i = 0; i < WIDE; i++) bits |= (unsigned)(x.n[i] <= y.n[i]) << i;
    return bits;
}
#endif

/* ---- A question on its way ---- */

/* A node, block or item that waits, and where it begins: along a ray, or how far it is, squared;
 * or CERTAIN, where all that it holds is met. A triangle that waits alone, while it is fetched,
 * has a count below zero. */
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

/* A ray as it is seen in a frame, from where it comes near to the items: `start` is the way to
 * there, `far` how much farther it looks. A step of the ray is a way of `pace`. */
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

/* Of a volume that fills little of the box around it: unit vectors, and how far it extends along
 * each from its middle; its core, as the vectors from its middle to its ends. */
typedef struct {
    float ways[3][3];
    double spans[3], halves[3][3];
    int way_count, half_count;
} Core;

/* A ray, a point, a box or a sphere, the latter as a point with a radius, and what it has met. It
 * is at the top (`matrix` is NULL), or in a tree that is placed in row `place`; then the stack
 * holds what waits at the top below `floor`. `lines` and `views` are those at the top and in the
 * placed tree. `reach` is how far it looks: in steps of a ray, or from a point or volume. */
typedef struct {
    const Scene *scene;
    const Plain *plain;
    const Tree *tree;
    const double *matrix;
    Pending *stack;
    int64_t place, height, floor, state;
    int kind, any, level, missing;
    double limit, reach;
    /* Of a ray; and of the triangle that it met last. */
    int64_t number, item, item_place, entry;
    double distance, corners[9], weights[3];
    Ray ray;
    Line lines[2];
    /* Of others, and in plain cells, where `slack` is how much larger these are taken. */
    double lower[3], upper[3], radius, slack;
    const double *volume;
    Core core;
    View views[2];
    /* The `held` nearest of at most `wanted`, ascending, none farther than `limit`; or the names
     * of all that is met. */
    int64_t *items, *places, *entries, *names, wanted, held, count, room;
    double *distances;
    /* How the triangles of the placed tree count where it is asked what winds about the origin,
     * by item, else NULL; and what has been crossed. */
    const int64_t *codes;
    int64_t winding, odd;
} Walk;

/* Entries of a stack: seven wait on each level, and a block's triangles. */
static int64_t stack_of(int64_t depth) { return (WIDE - 1) * depth + 2 * WIDE + 1; }

/* The bytes of a node and of a block, and of the scratch for walks in a tree. */
EXPORT int64_t octree_kernel_size(int64_t which, int64_t depth) {
    return which == NODE  ? (int64_t)sizeof(Node)
         : which == BLOCK ? (int64_t)sizeof(Block)
         : which == PART  ? (int64_t)sizeof(Part)
                          : stack_of(depth) * IN_FLIGHT * (int64_t)sizeof(Pending);
}

/* Be at the top, and have met nothing. */
static void begin(Walk *walk, const Walked *walked, int kind) {
    walk->scene = walked->scene, walk->plain = walked->plain, walk->tree = top_of(walked);
    walk->matrix = NULL, walk->state = MISS, walk->kind = kind;
    walk->place = walk->height = walk->floor = walk->held = walk->count = 0;
    walk->level = walk->missing = 0;
    walk->codes = NULL;
}

static void wait_for(Walk *walk, int32_t child, int32_t count, float enter) {
    walk->stack[walk->height++] = (Pending){child, count, enter};
}

/* Let some slots of a node wait, those that begin first on top. */
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

/* Sort what a question has met by distance, if that is told, and by name: Shell, 1959. */
static void sort_met(int64_t *names, double *distances, int64_t count) {
    int64_t gap = 1;
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
}

/* Tell whether one of the nearest comes before a triangle that is so far away: of equals the one
 * in the smaller place, then the smaller item. */
static int is_nearer(const Walk *walk, int64_t at, double distance, int64_t item) {
    int64_t place = walk->places ? walk->places[at] : 0;
    if (walk->distances[at] != distance) return walk->distances[at] < distance;
    return place != walk->place ? place < walk->place : walk->items[at] <= item;
}

/* Put a triangle among the nearest; 0 if it is none. Where any will do, nothing waits any more. */
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

/* Put down what is met, where all is asked for; of what the caller tests, the entry. 0 if there is
 * no room. */
static int note(Walk *walk, int64_t entry, double distance) {
    int64_t name = walk->kind == AROUND ? entry : walk->tree->order[entry];
    if (walk->count == walk->room) return 0;
    walk->names[walk->count] = walk->place << 32 | name;
    if (walk->distances) walk->distances[walk->count] = distance;
    walk->count++;
    if (walk->any) walk->height = 0;
    return 1;
}

/* Corners of a triangle, put where a matrix puts them, unless it is NULL: as `placed` in
 * core/scene/placed.py, in its order. */
static void placed_corners(const Tree *tree, const double *matrix, int64_t entry,
                           double *corners) {
    corners_of(tree, entry, corners);
    if (!matrix) return;
    for (int c = 0; c < 9; c += 3) {
        double x = corners[c], y = corners[c + 1], z = corners[c + 2];
        for (int axis = 0; axis < 3; axis++) {
            const double *row = matrix + 4 * axis;
            corners[c + axis] = x * row[0] + y * row[1] + z * row[2] + row[3];
        }
    }
}

/* Corners of a triangle that was met, in a scene by its place. */
static void corners_met(const Walk *walk, int64_t place, int64_t entry, double *corners) {
    const Scene *scene = walk->scene;
    placed_corners(scene ? &scene->trees[scene->meshes[place]] : walk->tree,
                   scene ? scene->matrices + 12 * place : NULL, entry, corners);
}

/* ---- Rays ---- */

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

/* Begin a line where it comes near; the largest coordinate of `direction` is at least 1 and below
 * 2. Returns 0 if it meets nothing, -1 if it begins too far away. */
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
        enter = larger(enter, lesser(one, other)), leave = lesser(leave, larger(one, other));
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

/* Twice the area that the ray spans with an edge; where products are nearly equal, exactly. */
static double area(double ax, double ay, double bx, double by) {
    double one = ax * by, other = ay * bx, difference = one - other;
    if (fabs(difference) <= 0x1p-50 * (fabs(one) + fabs(other))) {
        difference += product_error(ax, by);
        difference -= product_error(ay, bx);
    }
    return difference;
}

/* Return at which distance the ray meets a triangle, or NaN; in `steps`, of its direction; and the
 * weights of the corners. */
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
    if (!are_on_one_side(weights) || total == 0) return NAN;
    *steps = dot(weights, depths) / (total * step) / scale;
    if (!(*steps >= 0 && *steps <= ray->reach)) return NAN;
    double reached = *steps * ray->length;
    return (reached < ray->limit ? reached : ray->limit) + 0.0;
}

/* Count a triangle that the ray crosses, by its code: not at all (0), signed by the side that is
 * met (-1), or by parity together with all that have the same code. */
static int wind(Walk *walk, int64_t entry, const double *weights) {
    int64_t code = walk->codes[walk->tree->order[entry]];
    int is_right = weights[0] + weights[1] + weights[2] > 0;
    if (code < 0) walk->winding += is_right == (walk->ray.direction[walk->ray.axis] > 0) ? 1 : -1;
    else walk->odd ^= code;
    return 1;
}

/* Test a triangle exactly. Returns 0 if there was no room for what was met. */
static int test_crossing(Walk *walk, int64_t entry) {
    double corners[9], weights[3], steps = 0;
    __builtin_prefetch(&walk->tree->order[entry]);
    placed_corners(walk->tree, walk->matrix, entry, corners);
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
        near = least(near, when), beyond = most(beyond, when);
    }
    Eight slack = times(sum, all(0x1p-19f)), low = all(INFINITY), high = all(-INFINITY);
    for (int c = 0; c < 3; c++) {
        int a = OTHER[c][0], b = OTHER[c][1];
        Eight side = minus(times(x[a], y[b]), times(y[a], x[b]));
        low = least(low, side), high = most(high, side);
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
        enter = most(enter, times(minus(load(node->box[axis][back]), point), inverse));
        leave = least(leave, times(minus(load(node->box[axis][!back]), point), inverse));
    }
    *when = enter;
    return up_to(enter, leave);
}

/* How wrong a line may be that was taken back into a tree, in its frame; what a few roundings
 * leave in sums of products, as in core/scene/rays.py. */
#define SAME 0x1p-24
#define ROUNDING 0x1p-46

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

/* See the ray in the space of a placed tree. Returns 0 if it meets nothing, -1 if what is seen is
 * too far from what is: there is no inverse, or it is too large, or the ray begins far away. */
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
    double slack = walk->scene->slacks[walk->place] + ROUNDING * size * wrong;
    if (!(slack * frame->scale <= SAME)) return -1;
    double turn = 2 * power_of_two_scale(fast);
    for (int axis = 0; axis < 3; axis++) way[axis] *= turn;
    return set_line(&walk->lines[1], frame, start, way, frame->scale / turn, walk->reach);
}

/* The normal of a triangle by its winding: of a sliver too, from its short edges. */
static void normal_of(const double *corners, const Ray *ray, double *normal) {
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
    normal_of(walk->corners, &walk->ray, normal);
    for (int axis = 0; axis < 3; axis++) weights[axis] = walk->weights[axis] / total;
}

/* ---- Exact tests ---- */

/* Tell whether a triangle touches a volume of a kind that was set; or it is DOUBTFUL. */
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

/* Tell whether an item that is no triangle touches a volume; boxes, regions and spheres as
 * `rounded_touch_rounded` and `boxes_touch_boxes` in core/touch/rounded.py. */
static int rounded_touches(const Walk *walk, int64_t entry) {
    Rounded item = rounded_item(walk->tree, entry);
    if (walk->kind == CAPSULE) return rounded_touches_capsule(&item, walk->volume);
    if (walk->kind == ORIENTED) return rounded_touches_oriented(&item, walk->volume);
    double radius = item.radius + walk->radius;
    if (radius == 0) return boxes_overlap(&item, walk->lower, walk->upper);
    return square_between(&item, walk->lower, walk->upper) <= radius * radius;
}

/* ---- What is near a point, or meets a volume ---- */

/* Points farther away than this from the middle are left to the caller, and radii this large; and
 * volumes that the caller tests, where they are this long. */
#define NEAR 8.0
#define LONG 0x1p10
/* What single precision may add to a distance, at least; see `see_in`. */
#define WRONG 0x1p-16f

/* Look no farther than `limit`. */
static void narrow(Walk *walk, double limit) {
    walk->reach = limit;
    for (int level = 0; level <= walk->level; level++) {
        View *view = &walk->views[level];
        float reach = (float)lesser(limit * view->scale, 0x1p40);
        reach = reach * (1 + 0x1p-20f) + view->wrong;
        if (reach < view->reach) view->reach = reach;
    }
}

/* Finish the view of the present level. Coordinates are rounded to 2^-23 of those that are
 * `away`, and each is a sum of four: what is nearer than WRONG is always seen. */
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

/* See a point or a volume from the top; 0 if it is too far away. Boxes are cut where there is
 * nothing. */
static int see_top(Walk *walk) {
    const Frame *frame = &walk->tree->frame;
    View *view = &walk->views[0];
    double farthest = walk->radius * frame->scale;
    int may_be_cut = walk->kind >= BOX;
    /* Roundings of bounds and of the exact test must not be larger than what is seen. */
    int is_near = largest_of(frame->center, 3) * frame->scale <= FAR;
    if (!is_near && (may_be_cut || walk->tree->radii)) return 0;
    view->scale = frame->scale, view->is_cut = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = (walk->lower[axis] - frame->center[axis]) * view->scale;
        double high = (walk->upper[axis] - frame->center[axis]) * view->scale;
        if (may_be_cut) {
            if (walk->kind != BOX && !(larger(-low, high) <= LONG)) return 0;
            view->is_cut |= low < -NEAR || high > NEAR;
            low = lesser(larger(low, -NEAR), NEAR), high = lesser(larger(high, -NEAR), NEAR);
        }
        farthest = larger(farthest, larger(fabs(low), fabs(high)));
        view->half[axis] = (float)((high - low) / 2);
        view->shift[axis] = (float)-(low + (high - low) / 2);
    }
    view->way_count = view->is_cut ? 0 : walk->core.way_count;
    view->half_count = view->is_cut ? 0 : walk->core.half_count;
    see_in(walk, 0);
    return farthest <= NEAR;
}

/* See it in a placed tree, as large as it is there. */
static void see_placed(Walk *walk) {
    const Frame *frame = &walk->tree->frame;
    View *view = &walk->views[1];
    double extent = 0, away = 0;
    for (int n = 0; n < 12; n += 4) {
        const double *row = walk->matrix + n;
        extent = larger(extent, (fabs(row[0]) + fabs(row[1]) + fabs(row[2])) / frame->scale);
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

/* Put three coordinates of eight where the matrix does. */
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

/* Return the boxes of a node that come near, how near, squared, and those that lie within. */
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
        Eight gap = most(minus(apart, half[axis]), all(0));
        near = plus(near, times(gap, gap));
        gap = most(plus(plus(apart, half[axis]), all(2 * view->wrong)), all(0));
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
        met &= up_to(least(least(one, two), three), all(reach));
        met &= up_to(all(-reach), most(most(one, two), three));
    }
    for (int n = 0; n < view->half_count; n++)
        beside = plus(beside, size_of(along(way, view->halves[n], 0)));
    for (int n = 0; n < view->way_count; n++) {
        Eight low = all(INFINITY), high = all(-INFINITY), span = all(view->spans[n]);
        for (int c = 0; c < 3; c++) {
            Eight height = along(corners[c], walk->core.ways[n], 0);
            low = least(low, height), high = most(high, height);
        }
        met &= up_to(low, span) & up_to(minus(all(0), span), high);
    }
    for (int c = 0; c < 3; c++) {
        const Eight *corner = corners[c];
        Eight part = plus(times(corner[0], way[0]), times(corner[1], way[1]));
        ahead = least(ahead, plus(part, times(corner[2], way[2])));
        part = plus(times(corner[0], corner[0]), times(corner[1], corner[1]));
        nearest = least(nearest, plus(part, times(corner[2], corner[2])));
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

/* Tell whether a triangle may be near a point: no corner is nearer along the way to its middle.
 * The point looks no farther than the nearest corner. */
static int may_be_near(Walk *walk, int64_t entry, double far) {
    double corners[9], way[3] = {0}, along = INFINITY, nearest = INFINITY;
    corners_of(walk->tree, entry, corners);
    for (int n = 0; n < 9; n++) way[n % 3] += corners[n] -= walk->lower[n % 3];
    for (int n = 0; n < 9; n += 3) {
        along = lesser(along, dot(corners + n, way));
        nearest = lesser(nearest, dot(corners + n, corners + n));
    }
    if (along > far * sqrt(dot(way, way))) return 0;
    walk->reach = walk->limit = lesser(walk->limit, sqrt(nearest));
    return 1;
}

/* How far a placed triangle is from the point, squared. */
static double square_to(const Walk *walk, const double *corners) {
    Features found;
    set_features(corners, walk->lower, &found);
    return found.least;
}

/* How far an item is from the point, in a scene by its place. */
static double distance_to(const Walk *walk, int64_t place, int64_t entry) {
    double corners[9];
    if (walk->tree->boxes && !walk->scene) {
        Rounded item = rounded_item(walk->tree, entry);
        return distance_to_rounded(&item, walk->lower);
    }
    corners_met(walk, place, entry, corners);
    return sqrt(square_to(walk, corners));
}

/* Where an item is closest to the point; the point itself if it lies in it. */
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

/* ---- The walk ---- */

/* Test an entry exactly; returns 0 if there was no room for what was met. */
static int test(Walk *walk, int64_t entry, int is_certain) {
    double corners[9];
    int met = is_certain || walk->kind == AROUND;
    if (walk->kind == RAY) return test_crossing(walk, entry);
    if (met) return note(walk, entry, 0);
    if (walk->kind == POINT) {
        if (take(walk, entry, distance_to(walk, walk->place, entry)) && walk->held == walk->wanted)
            narrow(walk, walk->limit);
        return 1;
    }
    if (walk->tree->boxes) return !rounded_touches(walk, entry) || note(walk, entry, 0);
    placed_corners(walk->tree, walk->matrix, entry, corners);
    met = touches_volume(walk, corners);
    if (met == DOUBTFUL) walk->state = NOT_TAKEN;
    return !met || note(walk, entry, 0);
}

/* Tell whether one is enough, and there is one. */
static int is_done(const Walk *walk) { return walk->any && walk->held + walk->count > 0; }

static void leave_place(Walk *walk) {
    walk->tree = &walk->scene->top, walk->matrix = NULL;
    walk->level = 0, walk->place = 0, walk->floor = 0;
}

/* Go on in a placed tree, if it is packed; test all that it holds if it can not be walked. */
static int enter_place(Walk *walk, int64_t row, int is_certain) {
    const Scene *scene = walk->scene;
    assert(row >= 0 && row < scene->top.entry_count);
    int64_t mesh = scene->meshes[row];
    int state = 1, there = 1;
    if (scene->trees[mesh].node_count == 0) {
        __atomic_store_n(&scene->wanted[mesh], 1, __ATOMIC_RELAXED);
        walk->missing = 1;
        return 1;
    }
    walk->tree = &scene->trees[mesh], walk->matrix = scene->matrices + 12 * row;
    walk->place = row, walk->level = 1, walk->floor = walk->height;
    if (walk->kind == RAY) state = set_placed_line(walk);
    else see_placed(walk);
    if (state > 0) {
        wait_for(walk, 0, 0, is_certain ? CERTAIN : 0.0f);
        return 1;
    }
    for (int64_t entry = 0; state < 0 && entry < walk->tree->entry_count && there; entry++) {
        there = test(walk, entry, 0);
        if (is_done(walk)) break;
    }
    leave_place(walk);
    return there;
}

/* Let a triangle wait while its corners are fetched: first their numbers, then themselves. */
static void fetch_triangle(Walk *walk, int64_t entry, int count) {
    const Tree *tree = walk->tree;
    for (int c = 0; c < 3; c++) {
        const int64_t *vertex = tree->faces + c * tree->entry_count + entry;
        if (count == FETCHING) __builtin_prefetch(vertex);
        for (int axis = 0; axis < 3 && count == FETCHED; axis++)
            __builtin_prefetch(tree->vertices + axis * tree->vertex_count + *vertex);
    }
    wait_for(walk, (int32_t)~entry, count, 0.0f);
}

/* Take the nearest box from the stack; returns 0 if there was no room for what was met. `alone`
 * says that no others are walked by turns meanwhile, so that nothing is gained by waiting. */
static INLINED int step(Walk *walk, int is_ray, int alone) {
    Pending next = walk->stack[--walk->height];
    if (walk->height < walk->floor) leave_place(walk);
    const Line *line = &walk->lines[walk->level];
    const View *view = &walk->views[walk->level];
    const Tree *tree = walk->tree;
    int is_certain = next.enter < 0;
    if (next.enter > (is_ray ? line->far : view->reach * view->reach)) return 1;
    while (next.child >= 0) {
        assert(next.child < tree->node_count);
        const Node *node = &tree->nodes[next.child];
        Eight when;
        unsigned certain = 0, slots = is_ray ? crossed_boxes(line, node, &when)
                                             : near_boxes(walk, node, is_certain, &when, &certain);
        if (slots == 0) return 1;
        if (is_ray && alone && (slots & (slots - 1)) == 0) { /* the only one, without the stack */
            int slot = __builtin_ctz(slots);
            next.child = node->child[slot], next.count = node->count[slot];
            continue;
        }
        push(walk, node, when, slots, certain);
        if (!alone) return 1;
        next = walk->stack[--walk->height], is_certain = next.enter < 0;
    }
    int64_t number = ~(int64_t)next.child;
    if (walk->scene && !walk->matrix) return enter_place(walk, number, is_certain);
    if (next.count == FETCHING && !alone) {
        fetch_triangle(walk, number, FETCHED);
        return 1;
    }
    if (next.count < 0) return test_crossing(walk, number);
    const Block *block = tree->boxes ? NULL : &tree->blocks[number];
    assert(number < (block ? tree->block_count : tree->entry_count) && next.count <= WIDE);
    unsigned left = (1u << next.count) - 1;
    if (is_ray) left &= may_cross(line, block);
    else if (block && !is_certain) left &= may_reach(walk, block, next.count);
    for (; left && !is_done(walk); left &= left - 1) {
        int64_t entry = block ? block->entry[__builtin_ctz(left)] : number;
        if (!alone) fetch_triangle(walk, entry, FETCHING);
        else if (!(is_ray ? test_crossing(walk, entry) : test(walk, entry, is_certain))) return 0;
    }
    return 1;
}

/* Walk until nothing waits; returns 0 if there was no room for what was met. */
static int go_on(Walk *walk) {
    int there = 1;
    if (walk->kind == RAY)
        while (walk->height && there) there = step(walk, 1, 1);
    else
        while (walk->height && there) there = step(walk, 0, 1);
    return there;
}

static void fetch_next(const Walk *walk) {
    const Pending *next = &walk->stack[walk->height - 1];
    const Tree *tree = walk->height - 1 < walk->floor ? &walk->scene->top : walk->tree;
    int64_t number = next->child < 0 ? ~(int64_t)next->child : next->child;
    const char *at = next->child >= 0 ? (const char *)&tree->nodes[number]
                   : tree->boxes      ? (const char *)&walk->scene->matrices[12 * number]
                                      : (const char *)&tree->blocks[number];
    for (int line = 0; line < 5 && next->count >= 0; line++) __builtin_prefetch(at + 64 * line);
}

/* ---- Lone questions: walks of plain cells ---- */

/* PackedCells that wait; where there are more, all is left to the caller. */
#define CELLS 512

typedef struct {
    int64_t cell;
    double enter;
} Later;

/* How far the walk still looks. */
static double looks_up_to(const Walk *walk) {
    return walk->reach * (1 + 0x1p-36) + (walk->kind == RAY ? 0 : walk->slack);
}

/* When the walk comes to a cell: in steps of a ray, or how far away; infinity if it does not. */
static double comes_to(const Walk *walk, int64_t cell) {
    const double *walls = walk->plain->walls + cell;
    int64_t row = walk->plain->cell_count;
    double enter = 0, leave = INFINITY, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = walls[axis * row] - walk->slack - walk->upper[axis];
        double high = walls[(axis + 3) * row] + walk->slack - walk->lower[axis];
        if (walk->kind != RAY) {
            double gap = low > 0 ? low : high < 0 ? -high : 0;
            square += gap * gap;
            continue;
        }
        double speed = walk->ray.direction[axis];
        if (speed == 0) {
            if (low > 0 || high < 0) return INFINITY;
            continue;
        }
        double one = low / speed, other = high / speed;
        enter = larger(enter, lesser(one, other)), leave = lesser(leave, larger(one, other));
    }
    enter = walk->kind != RAY ? sqrt(square) : enter <= leave ? enter : INFINITY;
    return enter <= looks_up_to(walk) ? enter : INFINITY;
}

/* Test some entries; 0 where one is none, or its triangle has no such vertex, or there is no
 * room. */
static int test_entries(Walk *walk, const int64_t *entries, int64_t count, int64_t from,
                        int64_t to) {
    const Tree *items = &walk->plain->items;
    if (from < 0 || to > count || from > to) return 0;
    for (int64_t i = from; i < to; i++) {
        int64_t entry = entries[i];
        if (entry < 0 || entry >= items->entry_count) return 0;
        for (int corner = 0; corner < 3 && !items->boxes; corner++) {
            int64_t vertex = items->faces[corner * items->entry_count + entry];
            if (vertex < 0 || vertex >= items->vertex_count) return 0;
        }
        int is_triangle = walk->kind == POINT && !items->boxes;
        if (is_triangle && !may_be_near(walk, entry, looks_up_to(walk))) continue;
        if (!test(walk, entry, 0)) return 0;
    }
    return 1;
}

/* Visit cells, the nearest first, from a point or a box; returns 0 if that is too far away, or
 * they contradict each other or wait in crowds. Coordinates are wrong by some 2^-48 of the
 * largest. */
static int visit_cells(Walk *walk) {
    const Plain *plain = walk->plain;
    const int64_t cells = plain->cell_count;
    double one = largest_of(walk->lower, 3), largest = larger(one, largest_of(walk->upper, 3));
    for (int wall = 0; wall < 6; wall++)
        largest = larger(largest, fabs(plain->walls[wall * cells]));
    if (!(one <= 1e150 && largest <= 1e150)) return 0;
    walk->slack = plain->slack + largest * 0x1p-36;
    Later stack[CELLS];
    int64_t height = 1;
    stack[0] = (Later){0, comes_to(walk, 0)};
    if (!test_entries(walk, plain->strays, plain->stray_count, 0, plain->stray_count)) return 0;
    while (height && !is_done(walk)) {
        Later next = stack[--height];
        int64_t cell = next.cell, child = plain->first_child[cell], bottom = height;
        if (!(next.enter <= looks_up_to(walk)) || next.enter == INFINITY) continue;
        if (!test_entries(walk, plain->references, plain->reference_count, plain->begin[cell],
                          plain->own_end[cell])) return 0;
        if (child < 0) continue;
        if (child <= cell || child > cells - 8 || height + 8 > CELLS) return 0;
        for (; child < plain->first_child[cell] + 8; child++) {
            if (plain->begin[child] >= plain->end[child]) continue;
            double enter = comes_to(walk, child);
            if (enter == INFINITY) continue;
            int64_t at = height++;
            for (; at > bottom && stack[at - 1].enter < enter; at--) stack[at] = stack[at - 1];
            stack[at] = (Later){child, enter};
        }
    }
    return 1;
}

/* ---- Questions, as the caller asks them ---- */

/* Begin the walk of a ray, where there is something to be walked; 0 if it is no sound question. */
static int begin_ray(Walk *walk, const Walked *walked, const Asked *asked, int64_t number,
                     int mode) {
    const double *origin = asked->origins + 3 * number, *way = asked->directions + 3 * number;
    double limit = asked->limits[number * asked->limit_step];
    int moves = way[0] != 0 || way[1] != 0 || way[2] != 0;
    if (!(is_sound(origin) && is_sound(way) && moves && limit >= 0)) return 0;
    begin(walk, walked, RAY);
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
    if (state > 0) wait_for(walk, 0, 0, 0.0f);
    return 1;
}

/* Whether a scene is walked, and has a placement in a row, of a mesh that is there. */
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

/* Begin to look from a point or around a volume, which are set, where that is taken. */
static void begin_look(Walk *walk, const Walked *walked, int kind) {
    begin(walk, walked, kind);
    walk->reach = kind == POINT ? walk->limit : walk->radius;
    if (walk->plain ? !visit_cells(walk) : !see_top(walk)) walk->state = NOT_TAKEN;
    else if (!walk->plain) wait_for(walk, 0, 0, 0.0f);
}

/* Find the closest item, or any, of the rays `from` to `to`, in a tree or in a scene; `depth` is
 * that of the deepest walk, which the scratch is for. `together` says to walk several rays by
 * turns, which pays where they are far from their neighbors. Returns `to`, or the first ray that
 * is unsound. */
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
            if (walk->height) step(walk, 1, 0);
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

/* Find all crossings of the rays `from` to `to`, sorted by ray, distance, place and item, as long
 * as there is room. `names` are items, and places shifted by 32 bits. `counts` are how many each
 * ray has, or NOT_TAKEN or NOT_PACKED. Returns where to go on; or -1 - i if ray i is unsound. */
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
        sort_met(walk.names, walk.distances, walk.count);
        first += walk.count;
    }
    return to;
}

/* Tell which of the rays `from` to `to` begin inside the mesh placed in their row of `rows`: where
 * the winding number is not 0, or triangles that count by parity are crossed an odd number of
 * times. `codes`, `code_count` of them, are how triangles count, by item, those of each mesh from
 * its `starts` on. `states` are 1 or 0, or NOT_TAKEN or NOT_PACKED. Returns `to`; or -1 - i if ray
 * i is unsound, its row is not there, or its mesh has no codes. */
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

/* Find the nearest items of points, `wanted` of each, none farther than `limit`: of those
 * that `turns` names from `from` to `to`, neighbors in space best one after the other. Rows of
 * `items`, `places` (of a scene), `entries` and `distances` are `wanted` long; those of points
 * that are not taken, or came to a tree that is not packed, begin with the item NOT_TAKEN or
 * NOT_PACKED. Returns `to`, or the first turn of a point that is unsound. */
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
        /* None is farther than the nearest of the point before. */
        if (walk.height && latest >= 0) {
            double most = 0;
            for (int64_t at = latest; at < latest + wanted; at++)
                most = larger(most, distance_to(&walk, places ? places[at] : 0, entries[at]));
            narrow(&walk, lesser(limit, most));
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
 * in its row alone, if it is no farther than the point's limit: its item, or MISS, NOT_TAKEN or
 * NOT_PACKED; how far it is; and its corners, of (9, count). Returns `to`, or DAMAGED if a row is
 * not there. */
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
        /* None is farther than the nearest of the point before. */
        if (walk.height && i > from && rows[i] == rows[i - 1] && items[i - 1] >= 0)
            narrow(&walk, lesser(limits[i], sqrt(square_to(&walk, found))));
        if (walk.height) walk.height = 0, enter_place(&walk, rows[i], 0);
        go_on(&walk);
        int64_t state = walk.missing ? NOT_PACKED : walk.state;
        if (!walk.held || state != MISS) items[i] = state;
        else corners_met(&walk, place, entry, found);
        for (int n = 0; n < 9 && items[i] >= 0; n++) corners[n * count + i] = found[n];
    }
    return to;
}

/* How many numbers a volume of each kind has; whether the last one is a radius. */
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
        walk->lower[axis] = kind == CAPSULE ? lesser(one, other) : one;
        walk->upper[axis] = kind == CAPSULE ? larger(one, other) : other;
    }
}

/* Find what meets the volumes (see `set_volume`) of a kind that `turns` names from `from` to `to`:
 * items of each, ascending, with their places shifted by 32 bits; entries if the kind is AROUND;
 * or one if `any`. `counts` are how many each meets, or NOT_TAKEN or NOT_PACKED. Returns where
 * there is no more room, or `to`. */
EXPORT int64_t octree_kernel_touch(const Walked *walked, const double *volumes,
                                   const int64_t *turns, int64_t from, int64_t to, int64_t kind,
                                   int64_t any, Pending *stack, int64_t *names, int64_t room,
                                   int64_t *counts) {
    int64_t found = 0;
    USE_DEFAULT_FLOATS;
    Walk walk = {.stack = stack, .any = (int)any};
    for (int64_t turn = from; turn < to; turn++) {
        int64_t i = turns ? turns[turn] : turn, each = 0;
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
        sort_met(walk.names, NULL, walk.count);
        for (int64_t n = 0; n < walk.count; n++) /* what was met in several cells, once */
            if (n == 0 || walk.names[n] != walk.names[n - 1]) walk.names[each++] = walk.names[n];
        counts[i] = each, found += each;
    }
    return to;
}
