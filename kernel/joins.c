/* Joins: descends two octrees together, down to pairs of leaves, and lists pairs of triangles
 * that touch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing is allocated; trees that contradict themselves are left to the caller. */

#include "triangles.h"

/* Room for pairs of cells that wait; slots for pairs of entries that have been tested; a part of
 * a leaf. */
#define MOST_PAIRS 1024
#define TESTED 8192
#define CHUNK 256

struct Join {
    int64_t height, compared, stack[MOST_PAIRS][2];
    uint64_t tested[TESTED]; /* the names of pairs, turned to be none of 0 */
};

EXPORT int64_t octree_kernel_join_size(void) { return sizeof(Join); }

static double *slot_of(const Cells *tree, int64_t leaf) {
    return tree->slots + leaf % tree->slot_count * 6 * (1 + tree->most);
}

/* Set the bounds of a leaf's content: its walls, enlarged by `slack`. */
static void set_walls(const Cells *tree, int64_t leaf, double slack, double *content) {
    for (int n = 0; n < 6; n++)
        content[n] = tree->walls[n * tree->cell_count + leaf] + (n < 3 ? -slack : slack);
}

/* Make boxes of the triangles in a leaf, unless they are held; 0 if one does not exist or is too
 * large. */
static int make_leaf(Cells *tree, int64_t leaf, double slack) {
    double *content = slot_of(tree, leaf), *box = content, low[3], high[3], corners[9];
    int64_t begin = tree->begin[leaf], end = tree->end[leaf];
    if (tree->held[leaf % tree->slot_count] == leaf) return 1;
    if (begin < 0 || end > tree->reference_count || end - begin > tree->most) return 0;
    tree->held[leaf % tree->slot_count] = -1;
    for (int n = 0; n < 3; n++) low[n] = INFINITY, high[n] = -INFINITY;
    for (int64_t i = begin; i < end; i++) {
        if (!corners_of(&tree->items, tree->references[i], corners)) return 0;
        box += 6;
        for (int n = 0; n < 3; n++) {
            span_of(corners + n, 3, 3, &box[n], &box[n + 3]);
            low[n] = minimum(low[n], box[n]), high[n] = maximum(high[n], box[n + 3]);
        }
    }
    set_walls(tree, leaf, slack, content);
    for (int n = 0; n < 3; n++) {
        if (!(low[n] >= -LARGE && high[n] <= LARGE)) return 0;
        content[n] = maximum(content[n], low[n]);
        content[n + 3] = minimum(content[n + 3], high[n]);
    }
    tree->held[leaf % tree->slot_count] = leaf;
    return 1;
}

/* Find the box that the contents of two leaves share; 0 if they share none. Contents that are
 * unknown count as large as their leaves. */
static int share(const Cells *trees, const int64_t *leaves, double slack, double *shared) {
    for (int n = 0; n < 2; n++) {
        const Cells *tree = &trees[n];
        double walls[6], *content = slot_of(tree, leaves[n]);
        if (tree->held[leaves[n] % tree->slot_count] != leaves[n])
            set_walls(tree, leaves[n], slack, content = walls);
        for (int axis = 0; axis < 3; axis++) {
            double low = content[axis], high = content[axis + 3];
            shared[axis] = n ? maximum(shared[axis], low) : low;
            shared[axis + 3] = n ? minimum(shared[axis + 3], high) : high;
        }
    }
    return shared[0] <= shared[3] && shared[1] <= shared[4] && shared[2] <= shared[5];
}

static inline int boxes_meet(const double *one, const double *other) {
    return (one[0] <= other[3]) & (one[1] <= other[4]) & (one[2] <= other[5])
         & (other[0] <= one[3]) & (other[1] <= one[4]) & (other[2] <= one[5]);
}

/* Test two triangles, unless that was done lately; 2 if one does not exist. */
static int meet(Cells *trees, Join *join, int64_t one, int64_t other) {
    double corners[2][9];
    uint64_t name = ~((uint64_t)one << 32 | (uint64_t)other);
    uint64_t *tested = &join->tested[(name * 0x9e3779b97f4a7c15u) >> 51];
    if (*tested == name) return 0;
    if (!corners_of(&trees[0].items, one, corners[0])) return 2;
    if (!corners_of(&trees[1].items, other, corners[1])) return 2;
    *tested = name;
    return touch(corners[0], corners[1]);
}

/* Name the touching pairs of two leaves; returns their number, NO_ROOM or GIVEN_UP. */
static int64_t join_leaves(Cells *trees, Join *join, const int64_t *leaves, double slack,
                           int64_t crowd, int64_t *names, int64_t room) {
    double shared[6];
    int64_t found = 0, near[CHUNK];
    for (int n = 0; n < 2; n++) {
        if (!share(trees, leaves, slack, shared)) return 0;
        if (!make_leaf(&trees[n], leaves[n], slack)) return GIVEN_UP;
    }
    if (!share(trees, leaves, slack, shared)) return 0;
    const double *here = slot_of(&trees[0], leaves[0]), *there = slot_of(&trees[1], leaves[1]) + 6;
    int64_t begin = trees[1].begin[leaves[1]], end = trees[1].end[leaves[1]];
    int64_t start = trees[0].begin[leaves[0]], stop = trees[0].end[leaves[0]];
    if (stop > start && end - begin > crowd / (stop - start)) return GIVEN_UP;
    for (int64_t from = begin, count = 0; from < end; count = 0) {
        for (; from < end && count < CHUNK; from++)
            if (boxes_meet(there + 6 * (from - begin), shared)) near[count++] = from;
        for (int64_t i = start; i < stop && count; i++) {
            const double *box = here + 6 * (1 + i - start);
            if (!boxes_meet(box, shared)) continue;
            join->compared += count;
            for (int64_t n = 0; n < count; n++) {
                if (!boxes_meet(box, there + 6 * (near[n] - begin))) continue;
                int64_t one = trees[0].references[i], other = trees[1].references[near[n]];
                int state = meet(trees, join, one, other);
                if (state == 2) return GIVEN_UP;
                if (state && found == room) return NO_ROOM;
                if (state) names[found++] = one << 32 | other;
            }
        }
    }
    return found;
}

/* Push the children of a cell that are as near as `reach` to a cell of the other tree. */
static int divide_cell(Cells *trees, Join *join, int which, const int64_t *pair, double reach) {
    const Cells *tree = &trees[which], *other = &trees[!which];
    int64_t child = tree->first_child[pair[which]], beside = pair[!which];
    if (child <= pair[which] || child > tree->cell_count - 8) return 0;
    if (join->height > MOST_PAIRS - 8) return 0;
    for (int64_t last = child + 8; child < last; child++) {
        int is_near = 1;
        for (int n = 0; n < 3; n++) {
            const double *low = tree->walls + n * tree->cell_count;
            const double *low_too = other->walls + n * other->cell_count;
            is_near &= low[child] - low_too[3 * other->cell_count + beside] <= reach;
            is_near &= low_too[beside] - low[3 * tree->cell_count + child] <= reach;
        }
        if (!is_near || tree->begin[child] >= tree->end[child]) continue;
        int64_t *next = join->stack[join->height++];
        next[which] = child, next[!which] = beside;
    }
    return 1;
}

/* Find pairs of entries of two trees that touch, shifted by 32 bits, in any order, some more than
 * once: of leaves that come as near as twice the slack. A join is zero at first, but for the
 * pairs of cells that wait. Ends once no pair of cells waits, `most` pairs have been compared, or
 * room has run out. Returns the number of pairs; or GIVEN_UP if two leaves make more than a
 * `crowd` of pairs, or the trees are too large or contradict themselves; or NO_ROOM if there is
 * too little for two leaves. */
EXPORT int64_t octree_kernel_join(Cells *trees, Join *join, double slack, int64_t crowd,
                                  int64_t most, int64_t *names, int64_t room) {
    USE_DEFAULT_FLOATS;
    int64_t found = 0, more = 0, until = join->compared + most;
    while (more >= 0 && join->height > 0 && join->compared < until) {
        int64_t pair[2], sizes = 0;
        memcpy(pair, join->stack[--join->height], sizeof pair);
        int inner[2];
        for (int n = 0; n < 2; n++)
            inner[n] = trees[n].first_child[pair[n]] >= 0, sizes += inner[n];
        join->compared += 4;
        if (sizes) {
            const double *here = trees[0].walls + pair[0], *there = trees[1].walls + pair[1];
            int which = !inner[0] || (inner[1] && here[3 * trees[0].cell_count] - here[0]
                                                < there[3 * trees[1].cell_count] - there[0]);
            more = divide_cell(trees, join, which, pair, 2 * slack) ? 0 : GIVEN_UP;
            continue;
        }
        more = join_leaves(trees, join, pair, slack, crowd, names + found, room - found);
        if (more == NO_ROOM) { /* another time, and then as if nothing had been tested */
            join->height++;
            memset(join->tested, 0, sizeof join->tested);
            break;
        }
        found += more > 0 ? more : 0;
    }
    return more == GIVEN_UP || (more == NO_ROOM && found == 0) ? more : found;
}
