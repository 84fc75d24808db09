/* Octree kernel: packs an octree's triangles into a wide tree, and asks it with rays and points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers are equal, to the last bit, to those of the NumPy functions in `core/rays` and
 * `core/nearest`: the same formulas in the same order of operations, in double precision.
 * Compile with -ffp-contract=off, and never with -ffast-math.
 *
 * The wide tree only tells which triangles a ray may meet. Its coordinates are single
 * precision, relative to the middle of all items and divided by a power of two, so that they
 * lie in [-1, 1]. Where a ray begins and how it turns is rounded to 2^-23; boxes are MARGIN
 * larger than their items, and the edges of triangles have the slack that `may_cross` derives.
 * So no hit is ever lost, and what remains is decided exactly. A ray that begins farther away
 * than FAR, or does not fit otherwise, is left to the caller.
 *
 * Nothing is allocated and no state is kept: all arrays are the caller's. */

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAS_SSE2 1
#endif

#define ABI 2
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

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

/* What packing returns if it did not succeed. */
enum { TOO_LITTLE_ROOM = -2, DAMAGED = -1 };
/* The item of a ray that met nothing, and of one that is left to the caller. */
enum { MISS = -1, NOT_TAKEN = -2 };
enum { CLOSEST = 0, ANY = 1, ALL = 2 };

/* Eight boxes, lower and upper along each axis, and what they hold: a node, or the block ~child
 * of `count` triangles. Empty slots have boxes that nothing meets. */
typedef struct {
    float box[3][2][WIDE];
    int32_t child[WIDE];
    int32_t count[WIDE];
} Node;

/* Eight triangles, coordinate by coordinate, and which entries they are. */
typedef struct {
    float corner[3][3][WIDE];
    int32_t entry[WIDE];
} Block;

typedef struct {
    const Node *nodes;
    const Block *blocks;
    const double *vertices; /* (3, vertex_count) */
    const int64_t *faces;   /* (3, entry_count) */
    const int64_t *order;   /* (entry_count) */
    int64_t node_count, block_count, vertex_count, entry_count, depth;
    double center[3], scale;
} Tree;

EXPORT int64_t octree_kernel_abi(void) { return ABI; }

/* ---- Floating-point state: a host may flush what is nearly zero ---- */

#ifdef HAS_SSE2
typedef unsigned int FloatState;
static FloatState default_floats(void) {
    FloatState before = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return before;
}
static void restore_floats(FloatState before) { _mm_setcsr(before); }
#elif defined(__aarch64__)
typedef uint64_t FloatState;
static FloatState default_floats(void) {
    FloatState before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return before;
}
static void restore_floats(FloatState before) {
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}
#else
typedef int FloatState;
static FloatState default_floats(void) { return 0; }
static void restore_floats(FloatState before) { (void)before; }
#endif

/* ---- Exact arithmetic, as in core/arrays.py ---- */

/* One by the power of two next above a number that is not negative. */
static double power_of_two_scale(double largest) {
    uint64_t bits;
    memcpy(&bits, &largest, 8);
    uint64_t exponent = bits >> 52;
    if (exponent >= 1 && exponent <= 2044) {
        bits = (2045 - exponent) << 52;
        memcpy(&largest, &bits, 8);
        return largest;
    }
    int power;
    frexp(largest, &power);
    return ldexp(1.0, -power);
}

static double split(double number, double *low) {
    double wide = number * 134217729.0; /* 2^27 + 1 */
    double high = wide - (wide - number);
    *low = number - high;
    return high;
}

/* What rounding takes from a product. Dekker, 1971. */
static double product_error(double a, double b) {
    double a_low, b_low, a_high = split(a, &a_low), b_high = split(b, &b_low);
    double lost = a_high * b_high - a * b;
    lost += a_high * b_low;
    lost += a_low * b_high;
    lost += a_low * b_low;
    return lost;
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *product) {
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static double exact_difference(double a, double b, double c, double d) {
    return (a * b - c * d) + (product_error(a, b) - product_error(c, d));
}

static void exact_cross(const double *a, const double *b, double *product) {
    product[0] = exact_difference(a[1], b[2], a[2], b[1]);
    product[1] = exact_difference(a[2], b[0], a[0], b[2]);
    product[2] = exact_difference(a[0], b[1], a[1], b[0]);
}

static double largest_of(const double *numbers, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) {
        double size = fabs(numbers[i]);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* ---- Packing ---- */

/* Entries of a cell, of some of its children, or of none in particular (cell -1). */
typedef struct {
    int64_t from, to, cell, first, last;
} Part;

typedef struct {
    const int64_t *first_child, *begin, *own_end, *end;
    int64_t cell_count;
    int32_t *entries;     /* in the order of the cells; put into that of blocks */
    const float *middles; /* (3, entry_count) */
    int64_t entry_count;
} Cells;

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

static void split_at_median(const Cells *cells, const Part *part, Part *one, Part *other) {
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
    int64_t left = (entries_in(part) / 2 + WIDE - 1) / WIDE * WIDE;
    select_smallest(cells->entries, key, part->from, part->to, left);
    *one = (Part){part->from, part->from + left, -1, 0, 0};
    *other = (Part){part->from + left, part->to, -1, 0, 0};
}

/* Divide a part in two that hold something; 0 if the cells contradict each other. */
static int split_part(const Cells *cells, Part part, Part *one, Part *other) {
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

/* Divide a part until there are eight, or none that needs more than a block; return how many. */
static int divide(const Cells *cells, Part *parts) {
    int count = 1;
    while (count < WIDE) {
        int most = 0;
        for (int i = 1; i < count; i++)
            if (entries_in(&parts[i]) > entries_in(&parts[most])) most = i;
        if (entries_in(&parts[most]) <= WIDE) break;
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

static void empty_slot(Node *node, int slot) {
    for (int axis = 0; axis < 3; axis++)
        node->box[axis][0][slot] = 1e30f, node->box[axis][1][slot] = -1e30f;
    node->child[slot] = node->count[slot] = 0;
}

static void fill_block(const Tree *tree, const int32_t *entries, int count, Block *block,
                       Node *node, int slot) {
    empty_slot(node, slot);
    memset(block, 0, sizeof *block);
    for (int i = 0; i < count; i++) {
        double corners[9];
        corners_of(tree, entries[i], corners);
        for (int n = 0; n < 9; n++) {
            int axis = n % 3;
            float value = (float)((corners[n] - tree->center[axis]) * tree->scale);
            float *low = &node->box[axis][0][slot], *high = &node->box[axis][1][slot];
            block->corner[n / 3][axis][i] = value;
            if (value - MARGIN < *low) *low = value - MARGIN;
            if (value + MARGIN > *high) *high = value + MARGIN;
        }
        block->entry[i] = entries[i];
    }
}

/* Let the box of a slot be that of all slots of the node it holds. */
static void enclose(const Node *below, Node *node, int slot) {
    for (int axis = 0; axis < 3; axis++) {
        float low = below->box[axis][0][0], high = below->box[axis][1][0];
        for (int i = 1; i < WIDE; i++) {
            if (below->box[axis][0][i] < low) low = below->box[axis][0][i];
            if (below->box[axis][1][i] > high) high = below->box[axis][1][i];
        }
        node->box[axis][0][slot] = low, node->box[axis][1][slot] = high;
    }
}

/* Check what triangles are made of, and find the frame in which all coordinates lie in [-1, 1].
 * Fills `middles`; returns whether all can be packed. */
static int frame_of(Tree *tree, float *middles) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = 0;
    for (int64_t i = 0; i < 3 * tree->entry_count; i++)
        if (tree->faces[i] < 0 || tree->faces[i] >= tree->vertex_count) return 0;
    for (int64_t entry = 0; entry < tree->entry_count; entry++) {
        double corners[9];
        corners_of(tree, entry, corners);
        for (int n = 0; n < 9; n++) {
            double value = corners[n];
            if (!(fabs(value) <= 1e150)) return 0;
            if (value < low[n % 3]) low[n % 3] = value;
            if (value > high[n % 3]) high[n % 3] = value;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        tree->center[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        double half = fmax(high[axis] - tree->center[axis], tree->center[axis] - low[axis]);
        extent = half > extent ? half : extent;
    }
    if (extent != 0 && !(extent >= 1e-150)) return 0;
    tree->scale = power_of_two_scale(extent);
    for (int64_t entry = 0; entry < tree->entry_count; entry++) {
        double corners[9];
        corners_of(tree, entry, corners);
        for (int axis = 0; axis < 3; axis++) {
            double a = corners[axis], b = corners[3 + axis], c = corners[6 + axis];
            double least = a < b ? a : b, most = a > b ? a : b;
            least = c < least ? c : least, most = c > most ? c : most;
            double middle = (least - tree->center[axis]) + (most - tree->center[axis]);
            middles[axis * tree->entry_count + entry] = (float)(middle * tree->scale);
        }
    }
    return 1;
}

/* Pack a tree. `entries` are all entries in the order of the cells, each once; cell c holds
 * those from `begin[c]` to `end[c]`, its own to `own_end[c]`. There is room for `node_room` nodes
 * and parts and for `block_room` blocks, and for three numbers of each entry in `middles`.
 * Sets the counts, depth and frame of the tree; returns 0, DAMAGED or TOO_LITTLE_ROOM. */
EXPORT int64_t octree_kernel_pack(Tree *tree, Node *nodes, Block *blocks, int64_t node_room,
                                  int64_t block_room, const int64_t *first_child,
                                  const int64_t *begin, const int64_t *own_end, const int64_t *end,
                                  int64_t cell_count, int32_t *entries, float *middles,
                                  Part *work, int32_t *depths) {
    Cells cells = {first_child, begin, own_end, end, cell_count, entries, middles,
                   tree->entry_count};
    int64_t node_count = 1, block_count = 0, deepest = 1;
    if (tree->entry_count < 1 || tree->entry_count >= INT32_MAX / 2 || cell_count < 1)
        return DAMAGED;
    for (int64_t i = 0; i < tree->entry_count; i++)
        if (entries[i] < 0 || entries[i] >= tree->entry_count) return DAMAGED;
    if (!frame_of(tree, middles)) return DAMAGED;
    work[0] = (Part){0, tree->entry_count, 0, 0, 0}, depths[0] = 1;
    for (int64_t at = 0; at < node_count; at++) {
        Part parts[WIDE] = {work[at]};
        int count = divide(&cells, parts);
        if (count == 0) return DAMAGED;
        if (depths[at] > deepest) deepest = depths[at];
        for (int slot = 0; slot < WIDE; slot++) {
            Node *node = &nodes[at];
            empty_slot(node, slot);
            if (slot >= count) continue;
            int64_t held = entries_in(&parts[slot]);
            node->count[slot] = held <= WIDE ? (int32_t)held : 0;
            if (held <= WIDE) {
                if (block_count == block_room) return TOO_LITTLE_ROOM;
                fill_block(tree, entries + parts[slot].from, (int)held, &blocks[block_count], node,
                           slot);
                node->count[slot] = (int32_t)held;
                node->child[slot] = (int32_t)~block_count++;
            } else {
                if (node_count == node_room) return TOO_LITTLE_ROOM;
                work[node_count] = parts[slot], depths[node_count] = depths[at] + 1;
                node->child[slot] = (int32_t)node_count++;
            }
        }
    }
    for (int64_t at = node_count - 1; at >= 0; at--)
        for (int slot = 0; slot < WIDE; slot++)
            if (nodes[at].child[slot] > 0)
                enclose(&nodes[nodes[at].child[slot]], &nodes[at], slot);
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

/* ---- The stack of a walk ---- */

/* A node or block that waits, and where it begins: along a ray, or squared, from a point. */
typedef struct {
    int32_t child, count;
    float enter;
} Waiting;

/* The bytes of a node and of a block, and of the scratch for walks in a tree. */
EXPORT int64_t octree_kernel_size(int64_t which, int64_t depth) {
    int64_t stack = (WIDE - 1) * depth + WIDE + 1;
    return which == 0 ? (int64_t)sizeof(Node)
         : which == 1 ? (int64_t)sizeof(Block)
                      : stack * IN_FLIGHT * (int64_t)sizeof(Waiting);
}

/* Put some slots of a node on the stack, those that begin first on top; return its height. */
static int64_t push(const Node *node, Eight enter, unsigned slots, Waiting *stack,
                    int64_t height) {
    float when[WIDE];
    store(when, enter);
    Waiting *bottom = stack + height;
    for (; slots; slots &= slots - 1) {
        int slot = __builtin_ctz(slots);
        Waiting *place = stack + height++;
        for (; place > bottom && place[-1].enter < when[slot]; place--) *place = place[-1];
        *place = (Waiting){node->child[slot], node->count[slot], when[slot]};
    }
    return height;
}

/* ---- Rays ---- */

/* A ray as in core/rays/crossings.py, in double precision. */
typedef struct {
    double origin[3], direction[3], length, limit, reach;
    int axis;
} Ray;

/* A ray on its way. `start` is where it comes near to the items, in steps of its direction in the
 * tree's frame, `far` how much farther it looks. */
typedef struct {
    Ray ray;
    float point[3], inverse[3], shear[2], far;
    int backwards[3];
    double start;
    int64_t number, item, entry;
    double distance;
    Waiting *stack;
    int64_t height;
} Walk;

/* Crossings found by a walk for all of them. */
typedef struct {
    int64_t *rays, *items;
    double *distances;
    int64_t count, room, first;
} Crossings;

/* The other two axes, in the order that makes cross products. */
static const int OTHER[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static int is_sound(const double *row) {
    return isfinite(row[0]) && isfinite(row[1]) && isfinite(row[2]);
}

/* Scale a direction so that products neither overflow nor underflow. */
static void set_ray(Ray *ray, const double *origin, const double *direction, double limit) {
    int power, moving = 0;
    double largest = largest_of(direction, 3);
    frexp(largest, &power);
    ray->axis = 0;
    for (int axis = 0; axis < 3; axis++) {
        moving += direction[axis] != 0;
        if (fabs(direction[axis]) > fabs(direction[ray->axis])) ray->axis = axis;
    }
    for (int axis = 0; axis < 3; axis++) {
        double d = direction[axis];
        ray->origin[axis] = origin[axis];
        ray->direction[axis] = moving == 1 ? (d > 0) - (d < 0) : ldexp(d, 1 - power);
    }
    ray->length = sqrt(dot(ray->direction, ray->direction));
    ray->limit = limit;
    ray->reach = limit / ray->length;
}

static void look_up_to(const Tree *tree, Walk *walk, double steps) {
    double far = steps * tree->scale - walk->start;
    float rounded = far < 16 ? (float)far : 16.0f;
    walk->far = rounded + 0x1p-20f;
}

/* Begin a walk where the ray comes near. Returns 0 if it meets nothing, -1 if it is not taken. */
static int begin_walk(const Tree *tree, Walk *walk) {
    const Ray *ray = &walk->ray;
    double seen[3], enter = 0, leave = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        seen[axis] = (ray->origin[axis] - tree->center[axis]) * tree->scale;
        if (!(fabs(seen[axis]) <= FAR)) return -1;
    }
    for (int axis = 0; axis < 3; axis++) {
        double speed = ray->direction[axis], wide = 1.0 + 0x1p-10;
        if (fabs(speed) < SLOWEST) {
            if (fabs(seen[axis]) > wide) return 0;
            continue;
        }
        double one = (-wide - seen[axis]) / speed, other = (wide - seen[axis]) / speed;
        enter = fmax(enter, fmin(one, other)), leave = fmin(leave, fmax(one, other));
    }
    if (enter > leave) return 0;
    walk->start = enter;
    for (int axis = 0; axis < 3; axis++) {
        double speed = ray->direction[axis];
        walk->point[axis] = (float)(seen[axis] + enter * speed);
        walk->backwards[axis] = speed < 0;
        if (fabs(speed) < SLOWEST) speed = speed < 0 ? -SLOWEST : SLOWEST;
        walk->inverse[axis] = 1.0f / (float)speed;
    }
    double along = ray->direction[ray->axis];
    for (int i = 0; i < 2; i++)
        walk->shear[i] = (float)(ray->direction[OTHER[ray->axis][i]] / along);
    look_up_to(tree, walk, ray->reach);
    walk->item = MISS, walk->distance = ray->limit;
    walk->stack[0] = (Waiting){0, 0, 0.0f};
    walk->height = 1;
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

/* Look at a triangle along the ray: weights and depths of its corners, and their scale. */
static double seen_along(const Ray *ray, double *corners, double *weights, double *depths) {
    int i = OTHER[ray->axis][0], j = OTHER[ray->axis][1];
    double x[3], y[3], step = ray->direction[ray->axis];
    for (int n = 0; n < 9; n++) corners[n] -= ray->origin[n % 3];
    double scale = power_of_two_scale(largest_of(corners, 9));
    for (int n = 0; n < 9; n++) corners[n] *= scale;
    for (int c = 0; c < 3; c++) {
        depths[c] = corners[3 * c + ray->axis];
        x[c] = corners[3 * c + i] * step - ray->direction[i] * depths[c];
        y[c] = corners[3 * c + j] * step - ray->direction[j] * depths[c];
    }
    for (int c = 0; c < 3; c++) {
        int a = OTHER[c][0], b = OTHER[c][1];
        weights[c] = area(x[a], y[a], x[b], y[b]);
    }
    return scale;
}

/* Return at which distance the ray meets a triangle, or NaN; and in `steps`, of its direction. */
static double crossing(const Tree *tree, const Ray *ray, int64_t entry, double *steps) {
    double corners[9], w[3], depths[3];
    corners_of(tree, entry, corners);
    double scale = seen_along(ray, corners, w, depths);
    double total = w[0] + w[1] + w[2];
    int same_side = (w[0] >= 0 && w[1] >= 0 && w[2] >= 0) || (w[0] <= 0 && w[1] <= 0 && w[2] <= 0);
    if (!same_side || total == 0) return NAN;
    double depth = w[0] * depths[0] + w[1] * depths[1] + w[2] * depths[2];
    *steps = depth / (total * ray->direction[ray->axis]) / scale;
    if (!(*steps >= 0 && *steps <= ray->reach)) return NAN;
    double reached = *steps * ray->length;
    return (reached < ray->limit ? reached : ray->limit) + 0.0;
}

/* Return a bit for each of eight triangles, set where the ray may cross it.
 *
 * Coordinates across the ray, x and y, are at most 4 and wrong by at most 2^-20: 2^-22 of each
 * corner and the point, twice, and the roundings of a product and a difference. The area
 * of an edge is then wrong by 2^-20 times the coordinates of its ends and their roundings, less
 * than the slack. Depths along the ray are wrong by 2^-21. */
static unsigned may_cross(const Walk *walk, const Block *block) {
    int k = walk->ray.axis, i = OTHER[k][0], j = OTHER[k][1];
    Eight x[3], y[3], near = all(INFINITY), beyond = all(-INFINITY), sum = all(0x1p-18f);
    for (int c = 0; c < 3; c++) {
        Eight depth = minus(load(block->corner[c][k]), all(walk->point[k]));
        x[c] = minus(minus(load(block->corner[c][i]), all(walk->point[i])),
                     times(all(walk->shear[0]), depth));
        y[c] = minus(minus(load(block->corner[c][j]), all(walk->point[j])),
                     times(all(walk->shear[1]), depth));
        sum = plus(sum, plus(size_of(x[c]), size_of(y[c])));
        Eight when = times(depth, all(walk->inverse[k]));
        near = least(near, when), beyond = most(beyond, when);
    }
    Eight slack = times(sum, all(0x1p-19f)), low = all(INFINITY), high = all(-INFINITY);
    for (int c = 0; c < 3; c++) {
        int a = OTHER[c][0], b = OTHER[c][1];
        Eight side = minus(times(x[a], y[b]), times(y[a], x[b]));
        low = least(low, side), high = most(high, side);
    }
    unsigned met = up_to(minus(all(0), slack), low) | up_to(high, slack);
    met &= up_to(near, all(walk->far + MARGIN));
    return met & up_to(all(-MARGIN), beyond);
}

/* Test the triangles of a block. Returns 0 if there was no room for what was met. */
static int visit_block(const Tree *tree, Walk *walk, int64_t number, int count, int mode,
                       Crossings *found) {
    assert(number >= 0 && number < tree->block_count && count > 0 && count <= WIDE);
    const Block *block = &tree->blocks[number];
    for (unsigned left = may_cross(walk, block) & ((1u << count) - 1); left; left &= left - 1) {
        int32_t entry = block->entry[__builtin_ctz(left)];
        double steps = 0, distance = crossing(tree, &walk->ray, entry, &steps);
        if (!(distance <= walk->distance)) continue;
        int64_t item = tree->order[entry];
        if (mode == ALL) {
            if (found->count == found->room) return 0;
            found->rays[found->count] = walk->number;
            found->items[found->count] = item;
            found->distances[found->count++] = distance;
        } else if (distance < walk->distance || walk->item < 0 || item < walk->item) {
            walk->item = item, walk->entry = entry, walk->distance = distance;
            look_up_to(tree, walk, steps);
            if (mode == ANY) {
                walk->height = 0;
                return 1;
            }
        }
    }
    return 1;
}

/* Put the boxes of a node that the ray meets on the stack, the nearest on top. */
static void visit_node(const Tree *tree, Walk *walk, int64_t number) {
    assert(number >= 0 && number < tree->node_count);
    const Node *node = &tree->nodes[number];
    Eight enter = all(0), leave = all(walk->far);
    for (int axis = 0; axis < 3; axis++) {
        Eight point = all(walk->point[axis]), inverse = all(walk->inverse[axis]);
        int back = walk->backwards[axis];
        enter = most(enter, times(minus(load(node->box[axis][back]), point), inverse));
        leave = least(leave, times(minus(load(node->box[axis][!back]), point), inverse));
    }
    walk->height = push(node, enter, up_to(enter, leave), walk->stack, walk->height);
}

/* Take the nearest box from the stack; returns 0 if there was no room for what was met. */
static int step(const Tree *tree, Walk *walk, int mode, Crossings *found) {
    Waiting next = walk->stack[--walk->height];
    if (next.enter > walk->far) return 1;
    if (next.child < 0)
        return visit_block(tree, walk, ~(int64_t)next.child, next.count, mode, found);
    visit_node(tree, walk, next.child);
    return 1;
}

static void fetch_next(const Tree *tree, const Walk *walk) {
    int32_t child = walk->stack[walk->height - 1].child;
    const char *at = child < 0 ? (const char *)&tree->blocks[~child]
                               : (const char *)&tree->nodes[child];
    for (int line = 0; line < 4; line++) __builtin_prefetch(at + 64 * line);
}

/* The arrays of an answer; those that are NULL are not wanted. */
typedef struct {
    int64_t *items;
    double *distances, *positions, *normals, *weights;
} Hits;

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

static void write_hit(const Tree *tree, const Walk *walk, const Hits *hits) {
    int64_t at = walk->number;
    hits->items[at] = walk->item;
    if (!hits->distances) return;
    hits->distances[at] = walk->item < 0 ? INFINITY : walk->distance;
    double *position = hits->positions + 3 * at, *normal = hits->normals + 3 * at;
    double *weights = hits->weights + 3 * at;
    if (walk->item < 0) {
        for (int axis = 0; axis < 3; axis++) position[axis] = normal[axis] = weights[axis] = NAN;
        return;
    }
    const Ray *ray = &walk->ray;
    double corners[9], depths[3], steps = walk->distance / ray->length;
    corners_of(tree, walk->entry, corners);
    for (int axis = 0; axis < 3; axis++)
        position[axis] = ray->origin[axis] + steps * ray->direction[axis];
    normal_of(corners, ray, normal);
    seen_along(ray, corners, weights, depths);
    double total = weights[0] + weights[1] + weights[2];
    for (int axis = 0; axis < 3; axis++) weights[axis] /= total;
}

/* Set up the walk of a ray; writes the answer if there is nothing to walk. */
static int begin_ray(const Tree *tree, Walk *walk, const double *origins, const double *directions,
                     double limit, int64_t number, const Hits *hits) {
    walk->number = number, walk->height = 0;
    set_ray(&walk->ray, origins + 3 * number, directions + 3 * number, limit);
    int state = begin_walk(tree, walk);
    if (state <= 0) {
        walk->item = state < 0 ? NOT_TAKEN : MISS;
        if (hits) write_hit(tree, walk, hits);
    }
    return state > 0;
}

/* Return the first of these rays that is no sound question, or `to`. */
static int64_t first_unsound(const double *origins, const double *directions, const double *limits,
                             int64_t limit_step, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        const double *d = directions + 3 * i;
        if (!is_sound(origins + 3 * i) || !is_sound(d)) return i;
        if ((d[0] == 0 && d[1] == 0 && d[2] == 0) || !(limits[i * limit_step] >= 0)) return i;
    }
    return to;
}

/* Find the closest item, or any, of the rays `from` to `to`. `limits` holds a number for each
 * (limit_step 1) or one for all (0); `together` says to walk several by turns, which pays where
 * rays are far from their neighbors. Returns `to`, or the first ray that is unsound, having done
 * nothing. */
EXPORT int64_t octree_kernel_cast(const Tree *tree, const double *origins,
                                  const double *directions, const double *limits,
                                  int64_t limit_step, int64_t from, int64_t to, int64_t mode,
                                  int64_t together, Waiting *scratch, const Hits *hits) {
    int64_t bad = first_unsound(origins, directions, limits, limit_step, from, to);
    if (bad < to) return bad;
    FloatState before = default_floats();
    int64_t stack = (WIDE - 1) * tree->depth + WIDE + 1, next = from;
    Walk walks[IN_FLIGHT];
    int flying = 0, most = together ? IN_FLIGHT : 1;
    for (int i = 0; i < IN_FLIGHT; i++) walks[i].stack = scratch + i * stack;
    while (next < to || flying) {
        while (flying < most && next < to) {
            flying += begin_ray(tree, &walks[flying], origins, directions,
                                limits[next * limit_step], next, hits);
            next++;
        }
        if (flying == 1)
            while (walks[0].height) step(tree, &walks[0], (int)mode, NULL);
        for (int i = 0; i < flying; i++) {
            Walk *walk = &walks[i];
            if (walk->height) step(tree, walk, (int)mode, NULL);
            if (walk->height) {
                fetch_next(tree, walk);
                continue;
            }
            write_hit(tree, walk, hits);
            Waiting *free_stack = walk->stack;
            *walk = walks[--flying];
            walks[flying].stack = free_stack;
            i--;
        }
    }
    restore_floats(before);
    return to;
}

static int comes_before(const Crossings *found, int64_t a, int64_t b) {
    double one = found->distances[a], other = found->distances[b];
    return one < other || (one == other && found->items[a] < found->items[b]);
}

static void swap(const Crossings *found, int64_t a, int64_t b) {
    double distance = found->distances[a];
    int64_t item = found->items[a];
    found->distances[a] = found->distances[b], found->distances[b] = distance;
    found->items[a] = found->items[b], found->items[b] = item;
}

/* Sort the crossings of one ray by distance, then by item: a heap sort. */
static void sort_crossings(const Crossings *found, int64_t first, int64_t count) {
    for (int64_t start = count / 2, end = count; end > 1;) {
        if (start > 0) start--;
        else swap(found, first, first + --end);
        for (int64_t at = start, child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && comes_before(found, first + child, first + child + 1)) child++;
            if (!comes_before(found, first + at, first + child)) break;
            swap(found, first + at, first + child);
        }
    }
}

/* Find all crossings of the rays `from` to `to`, sorted by ray, distance and item, as long as
 * there is room. Rays that are not taken are flagged in `not_taken`, from `from` on. Returns
 * where to go on, and sets `count`; or -1 - i if ray i is unsound. */
EXPORT int64_t octree_kernel_cast_all(const Tree *tree, const double *origins,
                                      const double *directions, const double *limits,
                                      int64_t limit_step, int64_t from, int64_t to,
                                      Waiting *scratch, int64_t *rays, int64_t *items,
                                      double *distances, int64_t room, int64_t *count,
                                      uint8_t *not_taken) {
    *count = 0;
    int64_t bad = first_unsound(origins, directions, limits, limit_step, from, to), at;
    if (bad < to) return -1 - bad;
    FloatState before = default_floats();
    Crossings found = {rays, items, distances, 0, room, 0};
    Walk walk;
    walk.stack = scratch;
    for (at = from; at < to; at++) {
        int there = 1;
        found.first = found.count;
        if (begin_ray(tree, &walk, origins, directions, limits[at * limit_step], at, NULL))
            while (walk.height && there) there = step(tree, &walk, ALL, &found);
        not_taken[at] = walk.item == NOT_TAKEN;
        if (!there) {
            found.count = found.first;
            break;
        }
        sort_crossings(&found, found.first, found.count - found.first);
    }
    *count = found.count;
    restore_floats(before);
    return at;
}

/* ---- Nearest triangles ---- */

/* Points farther away than this from the middle are left to the caller. */
#define NEAR 8.0
/* What single precision may add to the distance of a triangle. */
#define WRONG 0x1p-16f

/* A triangle as seen from a point: as `_Features` in core/nearest/closest.py, whose rows these
 * are. `squares` are the squared distances of three corners, three edges and the face. */
typedef struct {
    double corners[3][3], along[3], span[3], shares[3], foot[3], squares[7], least;
    int above, is_thin;
} Features;

static void set_features(const double *corners, const double *point, Features *seen) {
    double edges[3][3], units[3][3], moments[3][3], sides[3], normal[3], lengths[3];
    int beside[3], on_longest = 0;
    for (int n = 0; n < 9; n++) seen->corners[n / 3][n % 3] = corners[n] - point[n % 3];
    for (int n = 0; n < 9; n++)
        edges[n / 3][n % 3] = seen->corners[(n / 3 + 1) % 3][n % 3] - seen->corners[n / 3][n % 3];
    double scale = power_of_two_scale(largest_of(edges[0], 9)), longest = 0;
    for (int n = 0; n < 9; n++) units[n / 3][n % 3] = edges[n / 3][n % 3] * scale;
    cross(units[0], units[1], normal);
    double size = dot(normal, normal);
    int thin = size <= 0x1p-20;
    if (thin && size > 0) {
        exact_cross(units[0], units[1], normal);
        size = dot(normal, normal);
    }
    for (int k = 0; k < 3; k++) {
        cross(seen->corners[k], units[k], moments[k]);
        seen->along[k] = -dot(seen->corners[k], units[k]);
        seen->span[k] = dot(edges[k], units[k]);
        lengths[k] = dot(units[k], units[k]);
        longest = lengths[k] > longest ? lengths[k] : longest;
        beside[k] = seen->along[k] >= 0 && seen->along[k] <= seen->span[k] && lengths[k] > 0;
        sides[k] = dot(moments[k], normal);
        seen->squares[k] = dot(seen->corners[k], seen->corners[k]);
        seen->squares[3 + k] = beside[k] ? dot(moments[k], moments[k]) / lengths[k] : INFINITY;
    }
    for (int k = 0; k < 3; k++) on_longest |= beside[k] && lengths[k] == longest;
    double total = sides[0] + sides[1] + sides[2], height = dot(seen->corners[0], normal);
    int same_side = (sides[0] >= 0 && sides[1] >= 0 && sides[2] >= 0)
                 || (sides[0] <= 0 && sides[1] <= 0 && sides[2] <= 0);
    seen->above = same_side && size > 0 && on_longest && total != 0;
    seen->is_thin = seen->above && thin;
    for (int k = 0; k < 3; k++) {
        seen->shares[k] = seen->above ? sides[(k + 1) % 3] / total : 0.0;
        seen->foot[k] = normal[k] * (seen->is_thin ? height / size : 0.0);
    }
    seen->squares[6] = seen->above ? height * height / size : INFINITY;
    seen->least = seen->squares[0];
    for (int n = 1; n < 7; n++)
        if (seen->squares[n] < seen->least) seen->least = seen->squares[n];
}

/* Where a triangle is closest to a point; the point itself if it lies on it. */
static void closest_point(const Features *seen, const double *corners, const double *point,
                          double *found) {
    double weights[4][3] = {{0}}, least = INFINITY;
    int best = 0;
    for (int k = 0; k < 3; k++) {
        double share = seen->span[k] > 0 ? seen->along[k] / seen->span[k] : 0.0;
        share = share > 0 ? (share < 1 ? share : 1.0) : 0.0;
        weights[k][k] = 1 - share, weights[k][(k + 1) % 3] = share;
    }
    memcpy(weights[3], seen->above ? seen->shares : weights[0], sizeof weights[3]);
    for (int row = 0; row < 4; row++) {
        double foot[3];
        for (int axis = 0; axis < 3; axis++)
            foot[axis] = weights[row][0] * seen->corners[0][axis]
                       + weights[row][1] * seen->corners[1][axis]
                       + weights[row][2] * seen->corners[2][axis];
        double square = dot(foot, foot);
        if (square < least) least = square, best = row;
    }
    const double *w = weights[best];
    int on_face = seen->is_thin && seen->squares[6] == seen->least;
    for (int axis = 0; axis < 3; axis++) {
        double value = w[0] * corners[axis] + w[1] * corners[3 + axis] + w[2] * corners[6 + axis];
        if (on_face) value = point[axis] + seen->foot[axis];
        found[axis] = seen->least > 0 ? value : point[axis];
    }
}

/* The nearest so far of one point: `held` of at most `wanted`, ascending. */
typedef struct {
    double point[3], limit;
    float seen[3], reach;
    int64_t wanted, held;
    int64_t *items, *entries;
    double *distances;
} Search;

static void tighten(const Tree *tree, Search *search, double limit) {
    double exact = limit * tree->scale;
    float reach = (exact < 64 ? (float)exact : 64.0f) * (1 + 0x1p-20f) + WRONG;
    search->limit = limit;
    if (reach < search->reach) search->reach = reach;
}

/* Put a triangle among the nearest, if it is one. */
static void take(const Tree *tree, Search *search, int64_t entry, double distance) {
    int64_t item = tree->order[entry], at = search->held;
    if (!(distance <= search->limit)) return;
    if (at == search->wanted) {
        at--;
        if (distance == search->distances[at] && item > search->items[at]) return;
    } else {
        search->held++;
    }
    for (; at > 0; at--) {
        double before = search->distances[at - 1];
        if (before < distance || (before == distance && search->items[at - 1] < item)) break;
        search->distances[at] = before;
        search->items[at] = search->items[at - 1];
        search->entries[at] = search->entries[at - 1];
    }
    search->distances[at] = distance, search->items[at] = item, search->entries[at] = entry;
    if (search->held == search->wanted)
        tighten(tree, search, search->distances[search->wanted - 1]);
}

/* Return a bit for each of eight triangles, set where it may be within reach: seen along the way
 * to its middle, not all corners are beyond. That holds for any way. Coordinates are wrong by
 * 2^-20, and lengths, of at most 16, by 2^-18: less than WRONG together. */
static unsigned may_reach(Search *search, const Block *block, int count) {
    Eight corners[3][3], way[3], along = all(INFINITY), square = all(0), nearest = all(INFINITY);
    for (int axis = 0; axis < 3; axis++) {
        Eight point = all(search->seen[axis]);
        for (int c = 0; c < 3; c++) corners[c][axis] = minus(load(block->corner[c][axis]), point);
        way[axis] = plus(plus(corners[0][axis], corners[1][axis]), corners[2][axis]);
        square = plus(square, times(way[axis], way[axis]));
    }
    for (int c = 0; c < 3; c++) {
        Eight part = plus(times(corners[c][0], way[0]), times(corners[c][1], way[1]));
        along = least(along, plus(part, times(corners[c][2], way[2])));
        part = plus(times(corners[c][0], corners[c][0]), times(corners[c][1], corners[c][1]));
        nearest = least(nearest, plus(part, times(corners[c][2], corners[c][2])));
    }
    if (search->wanted == 1) { /* the nearest is no farther than any corner */
        float squares[WIDE], far;
        store(squares, root(nearest));
        for (int i = 0; i < count; i++) {
            far = squares[i] * (1 + 0x1p-20f) + WRONG;
            if (far < search->reach) search->reach = far;
        }
    }
    return up_to(along, times(root(square), all(search->reach)));
}

static void search_block(const Tree *tree, Search *search, int64_t number, int count) {
    assert(number >= 0 && number < tree->block_count && count > 0 && count <= WIDE);
    const Block *block = &tree->blocks[number];
    unsigned left = may_reach(search, block, count) & ((1u << count) - 1);
    for (; left; left &= left - 1) {
        double corners[9];
        Features seen;
        int32_t entry = block->entry[__builtin_ctz(left)];
        corners_of(tree, entry, corners);
        set_features(corners, search->point, &seen);
        take(tree, search, entry, sqrt(seen.least));
    }
}

/* Put the boxes of a node within reach on the stack, the nearest on top; return its height. */
static int64_t search_node(const Tree *tree, const Search *search, int64_t number, Waiting *stack,
                           int64_t height) {
    assert(number >= 0 && number < tree->node_count);
    const Node *node = &tree->nodes[number];
    Eight square = all(0);
    for (int axis = 0; axis < 3; axis++) {
        Eight point = all(search->seen[axis]);
        Eight gap = most(minus(load(node->box[axis][0]), point),
                         minus(point, load(node->box[axis][1])));
        gap = most(gap, all(0));
        square = plus(square, times(gap, gap));
    }
    return push(node, square, up_to(square, all(search->reach * search->reach)), stack, height);
}

/* Find the nearest triangles of the points `from` to `to`, `wanted` of each, none farther than
 * `limit`. Rows of `items`, `entries` and `distances` are `wanted` long; those of points that are
 * not taken begin with the item NOT_TAKEN. Returns `to`, or the first point that is unsound. */
EXPORT int64_t octree_kernel_nearest(const Tree *tree, const double *points, int64_t from,
                                     int64_t to, int64_t wanted, double limit, Waiting *stack,
                                     int64_t *items, int64_t *entries, double *distances,
                                     double *positions) {
    for (int64_t i = from; i < to; i++)
        if (!is_sound(points + 3 * i)) return i;
    FloatState before = default_floats();
    for (int64_t i = from; i < to; i++) {
        Search search = {.wanted = wanted, .items = items + i * wanted,
                         .entries = entries + i * wanted, .distances = distances + i * wanted};
        int64_t height = 1;
        double farthest = 0;
        for (int axis = 0; axis < 3; axis++) {
            double place = (points[3 * i + axis] - tree->center[axis]) * tree->scale;
            farthest = fabs(place) > farthest ? fabs(place) : farthest;
            search.point[axis] = points[3 * i + axis], search.seen[axis] = (float)place;
        }
        stack[0] = (Waiting){0, 0, 0.0f};
        search.reach = INFINITY;
        tighten(tree, &search, limit);
        if (!(farthest <= NEAR)) height = 0;
        while (height) {
            Waiting next = stack[--height];
            if (next.enter > search.reach * search.reach) continue;
            if (next.child < 0) search_block(tree, &search, ~(int64_t)next.child, next.count);
            else height = search_node(tree, &search, next.child, stack, height);
        }
        for (int64_t n = 0; n < wanted; n++) {
            double *position = positions + 3 * (i * wanted + n), corners[9];
            if (n >= search.held) {
                search.items[n] = search.entries[n] = farthest <= NEAR ? MISS : NOT_TAKEN;
                search.distances[n] = INFINITY;
                position[0] = position[1] = position[2] = NAN;
                continue;
            }
            Features seen;
            corners_of(tree, search.entries[n], corners);
            set_features(corners, search.point, &seen);
            closest_point(&seen, corners, search.point, position);
        }
    }
    restore_floats(before);
    return to;
}

/* ---- Lone questions: the cells of the octree as they are, not packed ---- */

/* Cells and references: `Octree` in core/octree.py tells of each. Boxes are (6, cell_count); of
 * `items`, only triangles and order are there. Nothing here has been checked before. */
typedef struct {
    Tree items;
    const double *boxes;
    const int64_t *first_child, *begin, *own_end, *end, *references, *strays;
    int64_t cell_count, reference_count, stray_count;
    double slack;
} Plain;

/* Cells that wait; where there are more, all is left to the caller. */
#define CELLS 512

typedef struct {
    int64_t cell;
    double enter;
} Later;

/* A ray or a point on its way through cells. `room` is how much larger they are taken, beyond
 * which nothing matters that roundings may do. */
typedef struct {
    const Plain *plain;
    Walk *walk;
    Search *search;
    double origin[3], room;
    int64_t mode;
    int is_damaged;
} Visit;

static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

/* Set out from a point, unless it is too far away. Coordinates are wrong by some 2^-48 of the
 * largest. */
static int set_out(Visit *visit, const Plain *plain, const double *origin) {
    double largest = largest_of(origin, 3);
    for (int wall = 0; wall < 6; wall++)
        largest = larger(largest, fabs(plain->boxes[wall * plain->cell_count]));
    memcpy(visit->origin, origin, sizeof visit->origin);
    visit->plain = plain;
    visit->room = plain->slack + largest * 0x1p-36;
    return largest <= 1e150;
}

/* When the visit comes to a cell: in steps of a ray, or how far from a point; else infinity. */
static double comes_to(const Visit *visit, int64_t cell) {
    const double *box = visit->plain->boxes + cell;
    int64_t row = visit->plain->cell_count;
    double enter = 0, leave = INFINITY, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = box[axis * row] - visit->room - visit->origin[axis];
        double high = box[(axis + 3) * row] + visit->room - visit->origin[axis];
        if (visit->search) {
            double gap = low > 0 ? low : high < 0 ? -high : 0;
            square += gap * gap;
            continue;
        }
        double speed = visit->walk->ray.direction[axis];
        if (speed == 0) {
            if (low > 0 || high < 0) return INFINITY;
            continue;
        }
        double one = low / speed, other = high / speed;
        enter = larger(enter, lesser(one, other)), leave = lesser(leave, larger(one, other));
    }
    return visit->search ? sqrt(square) : enter <= leave ? enter : INFINITY;
}

/* How far the visit still looks. */
static double looks_up_to(const Visit *visit) {
    if (visit->search) return visit->search->limit * (1 + 0x1p-36) + visit->room;
    return (visit->walk->item < 0 ? visit->walk->ray.reach
                                  : visit->walk->distance / visit->walk->ray.length)
         * (1 + 0x1p-36);
}

/* Test one entry; the visit ends where it is none, or its triangle has no such vertex. */
static void test_entry(Visit *visit, int64_t entry) {
    const Tree *items = &visit->plain->items;
    Walk *walk = visit->walk;
    double corners[9], steps = 0;
    if (entry < 0 || entry >= items->entry_count) visit->is_damaged = 1;
    for (int corner = 0; corner < 3 && !visit->is_damaged; corner++) {
        int64_t vertex = items->faces[corner * items->entry_count + entry];
        visit->is_damaged = vertex < 0 || vertex >= items->vertex_count;
    }
    if (visit->is_damaged) return;
    if (visit->search) {
        Features seen;
        double way[3], seen_at[3][3], along = INFINITY, nearest = INFINITY;
        corners_of(items, entry, corners);
        for (int n = 0; n < 9; n++) seen_at[n / 3][n % 3] = corners[n] - visit->origin[n % 3];
        for (int axis = 0; axis < 3; axis++)
            way[axis] = seen_at[0][axis] + seen_at[1][axis] + seen_at[2][axis];
        for (int c = 0; c < 3; c++) {
            along = lesser(along, dot(seen_at[c], way));
            nearest = lesser(nearest, dot(seen_at[c], seen_at[c]));
        }
        /* No corner is nearer along the way to its middle; and it is no farther than a corner. */
        if (along > looks_up_to(visit) * sqrt(dot(way, way))) return;
        visit->search->limit = lesser(visit->search->limit, sqrt(nearest));
        set_features(corners, visit->origin, &seen);
        take(items, visit->search, entry, sqrt(seen.least));
        return;
    }
    double distance = crossing(items, &walk->ray, entry, &steps);
    int64_t item = items->order[entry];
    if (distance <= walk->distance && (distance < walk->distance || walk->item < 0
                                       || item < walk->item))
        walk->item = item, walk->entry = entry, walk->distance = distance;
}

static void test_entries(Visit *visit, const int64_t *entries, int64_t count, int64_t from,
                         int64_t to) {
    if (from < 0 || to > count || from > to) visit->is_damaged = 1;
    for (int64_t i = from; i < to && !visit->is_damaged; i++) test_entry(visit, entries[i]);
}

/* Visit cells, the nearest first; returns 0 if they contradict each other or wait in crowds. */
static int visit_cells(Visit *visit) {
    const Plain *plain = visit->plain;
    const int64_t cells = plain->cell_count;
    Later stack[CELLS];
    int64_t height = 1;
    stack[0] = (Later){0, comes_to(visit, 0)};
    test_entries(visit, plain->strays, plain->stray_count, 0, plain->stray_count);
    while (height && !visit->is_damaged) {
        Later next = stack[--height];
        int64_t cell = next.cell, child = plain->first_child[cell], bottom = height;
        double far = looks_up_to(visit);
        if (!(next.enter <= far) || next.enter == INFINITY) continue;
        if (visit->mode == ANY && visit->walk->item >= 0) break;
        test_entries(visit, plain->references, plain->reference_count, plain->begin[cell],
                     plain->own_end[cell]);
        if (child < 0) continue;
        if (child <= cell || child > cells - 8 || height + 8 > CELLS) return 0;
        for (far = looks_up_to(visit); child < plain->first_child[cell] + 8; child++) {
            if (plain->begin[child] >= plain->end[child]) continue;
            double enter = comes_to(visit, child);
            if (!(enter <= far) || enter == INFINITY) continue;
            int64_t at = height++;
            for (; at > bottom && stack[at - 1].enter < enter; at--) stack[at] = stack[at - 1];
            stack[at] = (Later){child, enter};
        }
    }
    return !visit->is_damaged;
}

/* Cast `count` rays through plain cells. Returns whether all were sound, and could be taken. */
EXPORT int64_t octree_kernel_lone_rays(const Plain *plain, const double *origins,
                                       const double *directions, double limit, int64_t count,
                                       int64_t mode, double *found) {
    if (first_unsound(origins, directions, &limit, 0, 0, count) < count) return 0;
    FloatState before = default_floats();
    int taken = 1;
    for (int64_t i = 0; i < count && taken; i++) {
        int64_t item = MISS;
        double *each = found + i;
        Hits hits = {&item, mode == ANY ? NULL : each + count, found + 2 * count + 3 * i,
                     found + 5 * count + 3 * i, found + 8 * count + 3 * i};
        Walk walk = {.item = MISS, .distance = limit};
        Visit visit = {.walk = &walk, .mode = mode};
        set_ray(&walk.ray, origins + 3 * i, directions + 3 * i, limit);
        taken = set_out(&visit, plain, origins + 3 * i) && visit_cells(&visit);
        if (taken) write_hit(&plain->items, &walk, &hits);
        *each = (double)item;
    }
    restore_floats(before);
    return taken;
}

/* Find the nearest triangle of each of `count` points through plain cells, as above. */
EXPORT int64_t octree_kernel_lone_nearest(const Plain *plain, const double *points, double limit,
                                          int64_t count, double *found) {
    FloatState before = default_floats();
    int taken = 1;
    for (int64_t i = 0; i < count && taken; i++) {
        int64_t item = MISS, entry = MISS;
        double distance = INFINITY, corners[9], *position = found + 2 * count + 3 * i;
        Search search = {.wanted = 1, .items = &item, .entries = &entry, .limit = limit,
                         .distances = &distance, .reach = INFINITY};
        Visit visit = {.search = &search};
        taken = is_sound(points + 3 * i) && set_out(&visit, plain, points + 3 * i)
             && visit_cells(&visit);
        found[i] = (double)item, found[count + i] = distance;
        position[0] = position[1] = position[2] = NAN;
        if (!taken || entry < 0) continue;
        Features seen;
        corners_of(&plain->items, entry, corners);
        set_features(corners, visit.origin, &seen);
        closest_point(&seen, corners, visit.origin, position);
    }
    restore_floats(before);
    return taken;
}
