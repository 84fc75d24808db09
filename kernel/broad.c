/* Broad phase: descends two hierarchies of quantized boxes together, or one and itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pairs and the order of core/pairs/broad_phase.py. Nothing is allocated. */

#include "octree_kernel.h"

/* Boxes in one box of the next level. */
#define GROUP 6

/* Some boxes of a layer, read: their numbers, and first and last cells. */
typedef struct {
    int64_t box[GROUP], first[GROUP], last[GROUP];
    int count;
} Group;

/* Return whether boxes may overlap, given the first and last cells of both. */
static inline int cells_meet(int64_t first, int64_t last, int64_t first_too, int64_t last_too) {
    return ((last - first_too) & (last_too - first) & GUARD_BITS) == GUARD_BITS;
}

/* Return whether two boxes hold several owners, or owners do not matter. */
static inline int have_owners(const Layer *one, int64_t box, const Layer *other,
                              int64_t partner) {
    if (!one->lowest) return 1;
    return (one->lowest[box] != other->highest[partner])
         | (one->highest[box] != other->lowest[partner]);
}

/* Read the boxes in a box that may overlap a box of the other hierarchy. */
static inline void read_group(const Layer *layer, int64_t box, const Layer *beyond, int64_t other,
                              Group *group) {
    int64_t stop = GROUP * box + GROUP < layer->count ? GROUP * box + GROUP : layer->count;
    int64_t first_too = beyond->first[other], last_too = beyond->last[other];
    int count = 0;
    for (int64_t child = GROUP * box; child < stop; child++) {
        int64_t first = layer->first[child], last = layer->last[child];
        group->box[count] = child, group->first[count] = first, group->last[count] = last;
        count += cells_meet(first, last, first_too, last_too);
    }
    group->count = count;
}

/* List the pairs of boxes in two boxes that may overlap, (2, GROUP_PAIRS); returns their number.
 * Within one hierarchy, the first box of a pair is not behind the second. */
static int divide_pair(const Layer *ones, const Layer *others, int64_t level, int64_t one,
                       int64_t other, int64_t pairs[2][GROUP_PAIRS]) {
    const Layer *here = &ones[level - 1], *there = &others[level - 1];
    int is_one = ones == others, is_last = level == 1, count = 0;
    Group firsts, seconds;
    read_group(here, one, &others[level], other, &firsts);
    read_group(there, other, &ones[level], one, &seconds);
    for (int i = 0; i < firsts.count; i++) {
        int64_t box = firsts.box[i], first = firsts.first[i], last = firsts.last[i];
        for (int j = 0; j < seconds.count; j++) {
            int64_t partner = seconds.box[j];
            pairs[0][count] = box, pairs[1][count] = partner;
            count += cells_meet(first, last, seconds.first[j], seconds.last[j])
                   & (!is_one | (box + is_last <= partner))
                   & have_owners(here, box, there, partner);
        }
    }
    return count;
}

/* Find pairs of bounds that may overlap: the numbers in `order` and `orders` of what the lowest
 * layers hold, (2, room), in the order of a walk from the roots. The same layers twice make each
 * pair once. Ends once no pair of boxes waits, `most` have been divided, or room may run out.
 * Returns the number of pairs, or GIVEN_UP if too many pairs of boxes wait. */
EXPORT int64_t octree_kernel_pair_boxes(const Layer *ones, const Layer *others,
                                        const int64_t *order, const int64_t *orders,
                                        BoxPairs *waiting, int64_t most, int64_t *found,
                                        int64_t room) {
    int64_t count = 0, pairs[2][GROUP_PAIRS];
    for (; waiting->height > 0 && most > 0 && count <= room - GROUP_PAIRS; most--) {
        int64_t at = waiting->height - 1, level = waiting->level[at];
        double share = waiting->share[at];
        int made = divide_pair(ones, others, level, waiting->one[at], waiting->other[at], pairs);
        waiting->height--;
        if (level == 1 || made == 0) waiting->done += share;
        if (level == 1) {
            for (int n = 0; n < made; n++, count++)
                found[count] = order[pairs[0][n]], found[room + count] = orders[pairs[1][n]];
            continue;
        }
        if (at + made > MOST_WAITING) return GIVEN_UP;
        for (int n = made - 1; n >= 0; n--) {
            at = waiting->height++;
            waiting->one[at] = pairs[0][n], waiting->other[at] = pairs[1][n];
            waiting->level[at] = level - 1, waiting->share[at] = share / made;
        }
    }
    return count;
}
