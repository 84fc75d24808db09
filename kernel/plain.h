/* Walks of plain cells, for single questions before anything is packed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_PLAIN_H
#define OCTREE_KERNEL_PLAIN_H

#include "steps.h"

/* The most cells that wait; beyond that the question is left to the caller. */
#define MOST_CELLS 512

typedef struct {
    int64_t cell;
    double enter;
} Later;

/* Return the remaining range of the walk. */
static double looks_up_to(const Walk *walk) {
    return walk->reach * (1 + 0x1p-36) + (walk->kind == RAY ? 0 : walk->slack);
}

/* Return the position at which the walk enters a cell: in steps of a ray, or as a distance;
 * infinity if it misses the cell. */
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
        enter = max_else_second(enter, min_else_second(one, other));
        leave = min_else_second(leave, max_else_second(one, other));
    }
    enter = walk->kind != RAY ? sqrt(square) : enter <= leave ? enter : INFINITY;
    return enter <= looks_up_to(walk) ? enter : INFINITY;
}

/* Test some entries; 0 if an entry or a vertex does not exist, or room ran out. */
static int test_entries(Walk *walk, const int64_t *entries, int64_t count, int64_t from,
                        int64_t to) {
    const Tree *items = &walk->plain->items;
    double corners[9];
    if (from < 0 || to > count || from > to) return 0;
    for (int64_t i = from; i < to; i++) {
        int64_t entry = entries[i];
        if (entry < 0 || entry >= items->entry_count) return 0;
        if (!items->boxes && !corners_in(items, NULL, entry, corners)) return 0;
        int is_triangle = walk->kind == POINT && !items->boxes;
        if (is_triangle && !may_be_near(walk, corners, looks_up_to(walk))) continue;
        if (!test(walk, entry, 0)) return 0;
    }
    return 1;
}

/* Visit cells, the nearest first, from a point or a box; returns 0 if that is too far away, or
 * cells contradict each other, or too many wait. Coordinates are wrong by some 2^-48 of the
 * largest. */
static int visit_cells(Walk *walk) {
    const Plain *plain = walk->plain;
    const int64_t cells = plain->cell_count;
    double one = largest_of(walk->lower, 3), largest = maximum(one, largest_of(walk->upper, 3));
    for (int wall = 0; wall < 6; wall++)
        largest = maximum(largest, fabs(plain->walls[wall * cells]));
    if (!(one <= 1e150 && largest <= 1e150)) return 0;
    walk->slack = plain->slack + largest * 0x1p-36;
    Later stack[MOST_CELLS];
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
        if (child <= cell || child > cells - 8 || height + 8 > MOST_CELLS) return 0;
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

#endif
