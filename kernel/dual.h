/* Two placed meshes whose patches are descended together, the most promising pair first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A search gives its rules. They are inlined, so that each search has a descent of its own. */

#ifndef OCTREE_KERNEL_DUAL_H
#define OCTREE_KERNEL_DUAL_H

#include "sheets.h"

/* Triangles of a small patch, and children of another; the largest patches of a mesh. */
#define RUN 8
#define TOPS 1
/* Room for pairs of patches that wait. */
#define WAITING (TOPS * TOPS + 512)

/* Bounds along three axes, and two more of the search. */
typedef struct {
    double low[5], high[5];
} Box;

/* A pair of patches that waits: the lower its rank, the sooner it is taken. */
typedef struct {
    int64_t patches[2];
    double rank;
} Waiting;

/* A placed mesh, and its largest patches. */
typedef struct {
    double matrix[12];
    int64_t top, count;
} Side;

/* A descent starts from the top pair of lowest rank, which lowers limits, then from all others;
 * and, if the search wants that, from all pairs once more. */
enum { NOT_BEGUN = 0, DIVES = 1, FOLLOWS = 2, LOOKS_AGAIN = 3 };

typedef struct {
    Side sides[2];
    int64_t phase, height, first; /* which top pair came first */
    Box tops[2][TOPS];
    Waiting stack[WAITING];
} Descent;

/* Rules of a search. `look` tests the triangles of two small patches, and returns its cost, or a
 * code below 0. */
typedef struct {
    Box (*box_of)(const void *search, int which, int64_t patch);
    int (*may_count)(void *search, const int64_t *patches, const Box *one, const Box *other);
    double (*rank_of)(const Box *one, const Box *other);
    int64_t (*look)(void *search, const int64_t *patches, const Box *boxes);
} Rules;

/* Put a side where its placement is; 0 if there is no such placement, or no mesh of it. */
static inline int set_side(const Sheets *sheets, int64_t row, Side *side) {
    const Batch *placed = &sheets->triangles;
    if (row < 0 || row >= placed->place_count) return 0;
    int64_t mesh = sheets->meshes[row];
    if (mesh < 0 || mesh >= sheets->mesh_count) return 0;
    side->top = sheets->tops[mesh], side->count = sheets->top_counts[mesh];
    if (side->count < 1 || side->count > TOPS) return 0;
    if (side->top < 0 || side->top > sheets->patch_count - side->count) return 0;
    for (int n = 0; n < 12; n++)
        side->matrix[n] = placed->matrices[n * placed->place_count + row];
    return 1;
}

/* Find the largest coordinates of a mesh along each axis. */
static inline void sizes_of(const Sheets *sheets, const Side *side, double *sizes) {
    for (int axis = 0; axis < 3; axis++) sizes[axis] = 0;
    for (int64_t patch = side->top; patch < side->top + side->count; patch++)
        for (int n = 0; n < 6; n++) {
            double size = fabs(sheets->boxes[n * sheets->patch_step + patch]);
            sizes[n % 3] = max_else_second(size, sizes[n % 3]);
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

/* Return whether a small patch names existing triangles, and another one patches behind it. */
static inline int is_sound_run(const Sheets *sheets, int64_t patch) {
    int64_t first = sheets->firsts[patch], count = sheets->counts[patch];
    int is_small = sheets->are_small[patch];
    int64_t end = is_small ? sheets->triangles.face_count : sheets->patch_count;
    return count >= 0 && count <= RUN && first > (is_small ? -1 : patch) && first <= end - count;
}

/* Push a pair of patches, sorted among the pairs from `bottom` on: the last pair is taken next. */
static inline void push_waiting(Descent *descent, Waiting next, int64_t bottom) {
    int64_t at = descent->height++;
    Waiting *stack = descent->stack;
    for (; at > bottom && stack[at - 1].rank < next.rank; at--) stack[at] = stack[at - 1];
    stack[at] = next;
}

/* Begin a phase: push the top pairs that may count. */
static INLINED void begin_phase(const Rules *rules, void *search, Descent *descent,
                                int64_t phase) {
    const Side *sides = descent->sides;
    descent->phase = phase, descent->height = 0;
    for (int which = 0; which < 2; which++)
        for (int64_t i = 0; i < sides[which].count; i++)
            descent->tops[which][i] = rules->box_of(search, which, sides[which].top + i);
    if (phase == DIVES) descent->first = -1;
    /* Pairs of equal rank are taken from the lowest patches on. */
    for (int64_t i = sides[0].count - 1; i >= 0; i--)
        for (int64_t j = sides[1].count - 1; j >= 0; j--) {
            const Box *one = &descent->tops[0][i], *other = &descent->tops[1][j];
            Waiting both = {{sides[0].top + i, sides[1].top + j}, 0};
            if (phase == FOLLOWS && i * TOPS + j == descent->first) continue;
            if (!rules->may_count(search, both.patches, one, other)) continue;
            both.rank = rules->rank_of(one, other);
            if (phase == DIVES) {
                if (descent->height && !(both.rank <= descent->stack[0].rank)) continue;
                descent->height = 0, descent->first = i * TOPS + j;
            }
            push_waiting(descent, both, 0);
        }
}

/* Take the pair of patches that is next; divide the larger patch, or look. Returns the cost, or a
 * code below 0. */
static INLINED int64_t descend(const Rules *rules, void *search, const Sheets *const *sheets,
                               Descent *descent) {
    Waiting next = descent->stack[--descent->height];
    Box boxes[2];
    double sizes[2];
    for (int n = 0; n < 2; n++) {
        const double *low = boxes[n].low, *high = boxes[n].high;
        boxes[n] = rules->box_of(search, n, next.patches[n]);
        sizes[n] = sheets[n]->are_small[next.patches[n]] ? -1.0
                 : (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]);
    }
    if (!rules->may_count(search, next.patches, &boxes[0], &boxes[1])) return 1;
    if (sizes[0] < 0 && sizes[1] < 0) return rules->look(search, next.patches, boxes);
    int which = sizes[0] < 0 || sizes[1] > sizes[0]; /* not small, even if a size is NaN */
    int64_t parent = next.patches[which], bottom = descent->height;
    int64_t first = sheets[which]->firsts[parent], count = sheets[which]->counts[parent];
    if (!is_sound_run(sheets[which], parent) || bottom > WAITING - RUN) return IS_LEFT;
    for (int64_t child = first + count - 1; child >= first; child--) {
        Box box = rules->box_of(search, which, child);
        const Box *one = which ? &boxes[0] : &box, *other = which ? &box : &boxes[1];
        next.patches[which] = child;
        if (!rules->may_count(search, next.patches, one, other)) continue;
        next.rank = rules->rank_of(one, other);
        push_waiting(descent, next, bottom);
    }
    return 4;
}

#endif
