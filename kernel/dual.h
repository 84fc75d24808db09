/* Two placed meshes whose nodes are descended together, the most promising pair first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A search gives its rules. They are inlined, so that each search has a descent of its own. */

#ifndef OCTREE_KERNEL_DUAL_H
#define OCTREE_KERNEL_DUAL_H

#include "placed.h"

/* Triangles of a leaf, and children of another node. */
#define RUN 8
/* Room for pairs of nodes that wait. */
#define WAITING 512

/* Bounds along three axes, and two more of the search. */
typedef struct {
    double low[5], high[5];
} Box;

/* A pair of nodes that waits: the lower its rank, the sooner it is taken. */
typedef struct {
    int64_t nodes[2];
    double rank;
} Waiting;

/* A placed mesh, and its root. */
typedef struct {
    double matrix[12];
    int64_t root;
} Side;

/* A descent starts from both roots; and, if the search wants that, once more. */
enum { NOT_BEGUN = 0, LOOKS = 1, LOOKS_AGAIN = 2 };

typedef struct {
    Side sides[2];
    int64_t phase, height;
    Waiting stack[WAITING];
} Descent;

/* Rules of a search. `look` tests the triangles of two leaves, and returns its cost, or a code
 * below 0. */
typedef struct {
    Box (*box_of)(const void *search, int which, int64_t node);
    int (*may_count)(void *search, const int64_t *nodes, const Box *one, const Box *other);
    double (*rank_of)(const Box *one, const Box *other);
    int64_t (*look)(void *search, const int64_t *nodes, const Box *boxes);
} Rules;

/* Put a side where its placement is; 0 if there is no such placement, or no mesh of it. */
static inline int set_side(const Pool *pool, int64_t row, Side *side) {
    const Batch *placed = &pool->triangles;
    if (row < 0 || row >= placed->place_count) return 0;
    int64_t mesh = pool->meshes[row];
    if (mesh < 0 || mesh >= pool->mesh_count) return 0;
    side->root = pool->roots[mesh];
    if (side->root < 0 || side->root >= pool->node_count) return 0;
    for (int n = 0; n < 12; n++)
        side->matrix[n] = placed->matrices[n * placed->place_count + row];
    return 1;
}

/* Find the largest coordinates of a mesh along each axis. */
static inline void sizes_of(const Pool *pool, const Side *side, double *sizes) {
    const double *box = pool->boxes + side->root;
    for (int axis = 0; axis < 3; axis++) {
        double low = fabs(box[axis * pool->node_step]);
        double high = fabs(box[(axis + 3) * pool->node_step]);
        sizes[axis] = max_else_second(high, max_else_second(low, 0));
    }
}

/* Return whether two numbers are lower than others, first by the first. */
static inline int are_lower(const int64_t *ones, const int64_t *others) {
    return ones[0] < others[0] || (ones[0] == others[0] && ones[1] < others[1]);
}

/* Return the place of the first least number up to a limit, or -1. */
static inline int least_up_to(double limit, const double *numbers, int count) {
    int least = -1;
    for (int n = 0; n < count; n++)
        if (numbers[n] <= limit && (least < 0 || numbers[n] < numbers[least])) least = n;
    return least;
}

/* Return whether a leaf holds existing triangles. */
static inline int is_sound_leaf(const Pool *pool, int64_t leaf) {
    int64_t begin = pool->begin[leaf], size = pool->end[leaf] - begin;
    return begin >= 0 && size >= 0 && size <= RUN && begin <= pool->triangles.face_count - size;
}

/* Return whether the children of a node exist, behind it. */
static inline int are_sound_children(const Pool *pool, int64_t node) {
    int64_t first = pool->first_child[node], count = pool->child_count[node];
    return first > node && count >= 0 && count <= RUN && first <= pool->node_count - count;
}

/* Push a pair of nodes, sorted among the pairs from `bottom` on: the last pair is taken next. */
static inline void push_waiting(Descent *descent, Waiting next, int64_t bottom) {
    int64_t at = descent->height++;
    Waiting *stack = descent->stack;
    for (; at > bottom && stack[at - 1].rank < next.rank; at--) stack[at] = stack[at - 1];
    stack[at] = next;
}

/* Begin a phase: push the pair of roots, if it may count. */
static INLINED void begin_phase(const Rules *rules, void *search, Descent *descent,
                                int64_t phase) {
    Waiting both = {{descent->sides[0].root, descent->sides[1].root}, 0};
    Box one = rules->box_of(search, 0, both.nodes[0]);
    Box other = rules->box_of(search, 1, both.nodes[1]);
    descent->phase = phase, descent->height = 0;
    if (rules->may_count(search, both.nodes, &one, &other)) push_waiting(descent, both, 0);
}

/* Take the pair of nodes that is next; divide the larger node, or look. Returns the cost, or a
 * code below 0. */
static INLINED int64_t descend(const Rules *rules, void *search, const Pool *const *pool,
                               Descent *descent) {
    Waiting next = descent->stack[--descent->height];
    Box boxes[2];
    double sizes[2];
    for (int n = 0; n < 2; n++) {
        const double *low = boxes[n].low, *high = boxes[n].high;
        boxes[n] = rules->box_of(search, n, next.nodes[n]);
        sizes[n] = pool[n]->first_child[next.nodes[n]] < 0 ? -1.0
                 : (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]);
    }
    if (!rules->may_count(search, next.nodes, &boxes[0], &boxes[1])) return 1;
    if (sizes[0] < 0 && sizes[1] < 0) return rules->look(search, next.nodes, boxes);
    int which = sizes[0] < 0 || sizes[1] > sizes[0]; /* no leaf, even if a size is NaN */
    int64_t parent = next.nodes[which], bottom = descent->height;
    int64_t first = pool[which]->first_child[parent], count = pool[which]->child_count[parent];
    if (!are_sound_children(pool[which], parent) || bottom > WAITING - RUN) return IS_LEFT;
    for (int64_t child = first + count - 1; child >= first; child--) {
        Box box = rules->box_of(search, which, child);
        const Box *one = which ? &boxes[0] : &box, *other = which ? &box : &boxes[1];
        next.nodes[which] = child;
        if (!rules->may_count(search, next.nodes, one, other)) continue;
        next.rank = rules->rank_of(one, other);
        push_waiting(descent, next, bottom);
    }
    return 4;
}

#endif
