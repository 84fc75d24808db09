/* Octree kernel, moves: finds the cells of items that have moved, and the items of cells.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/dynamic`. The functions allocate nothing and keep no state;
 * items are finite. */

#include "octree_kernel.h"

#include <string.h>

/* ---- Where items stand ---- */

/* Return whether an item lies in the child of a cell around its center, enlarged by `factor`; and
 * which child that is. `_holding` in core/construction/off_grid.py. */
static int is_held(const double *walls, const double *middles, int64_t row, const double *lower,
                   const double *upper, double factor, int64_t *child) {
    *child = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = walls[axis * row], high = walls[(3 + axis) * row];
        double middle = middles[axis * row], center = (lower[axis] + upper[axis]) / 2;
        int is_above = center >= middle;
        /* The larger child grows further beyond the wall; none grows that has no extent. */
        if (center == middle) is_above = middle - low <= high - middle && high - middle > 0;
        if (is_above) low = middle, *child |= 1 << axis;
        else high = middle;
        if (factor != 1) {
            double growth = (high - low) * ((factor - 1) / 2);
            low -= growth, high += growth;
        }
        if (!(lower[axis] >= low && upper[axis] <= high)) return 0;
    }
    return 1;
}

/* ---- What cells hold ---- */

/* Find the place of each cell in preorder, and how many cells its subtree has, `span` (count). */
EXPORT int64_t octree_kernel_preorder(const int64_t *parent, const int64_t *first_child,
                                      int64_t count, int64_t *place, int64_t *span) {
    for (int64_t c = 0; c < count; c++) place[c] = 0, span[c] = 1;
    for (int64_t c = count - 1; c > 0; c--) {
        if (parent[c] < 0 || parent[c] >= c) return DAMAGED;
        span[parent[c]] += span[c];
    }
    for (int64_t c = 0; c < count; c++) {
        int64_t first = first_child[c], at = place[c] + 1;
        if (first < 0) continue;
        if (first <= c || first > count - 8) return DAMAGED;
        for (int64_t child = first; child < first + 8; child++)
            place[child] = at, at += span[child];
    }
    return count;
}

/* Find where in the references each cell's own items begin and end, and where its subtree's end,
 * `slices` (3, count): `outside` come first, then the `own` items of the cells in preorder, where
 * `place` and `span` tell. `ends` (count + 1) are where those of each place end. `masks` (count)
 * get a bit for each child that holds items. */
EXPORT int64_t octree_kernel_slices(const int64_t *parent, const int64_t *place,
                                    const int64_t *span, int64_t count, const int64_t *own,
                                    int64_t outside, int64_t *ends, int64_t *slices,
                                    uint8_t *masks) {
    for (int64_t c = 0; c < count; c++) {
        if (place[c] < 0 || place[c] >= count || span[c] < 1 || span[c] > count - place[c])
            return DAMAGED;
        if (c && (parent[c] < 0 || parent[c] >= c)) return DAMAGED;
        ends[place[c] + 1] = own[c], masks[c] = 0;
    }
    ends[0] = outside;
    for (int64_t at = 0; at < count; at++) ends[at + 1] += ends[at];
    for (int64_t c = 0; c < count; c++) {
        int64_t begin = ends[place[c]], end = ends[place[c] + span[c]];
        slices[c] = begin;
        slices[count + c] = ends[place[c] + 1];
        slices[2 * count + c] = end;
        if (c && end > begin) masks[parent[c]] |= (uint8_t)(1 << ((c - 1) & 7));
    }
    return count;
}

/* Find the cell of an item that was in another, -1 for none: walk up to the first cell that holds
 * it, enlarged as in `loose`, and down while a child does. LOST if cells contradict each other. */
static int64_t place_of(const double *walls, const double *loose, const double *middles,
                        const int64_t *parent, const int64_t *first_child, int64_t cell_count,
                        double factor, const double *lower, const double *upper, int64_t cell) {
    int64_t child;
    cell = cell < 0 ? 0 : cell;
    for (; cell >= 0; cell = parent[cell]) {
        int holds = 1;
        for (int axis = 0; axis < 3 && holds; axis++)
            holds = lower[axis] >= loose[axis * cell_count + cell] &&
                    upper[axis] <= loose[(3 + axis) * cell_count + cell];
        if (holds) break;
        /* Cells come after their parents, so the loop ends. */
        if (parent[cell] >= cell || parent[cell] < -1) return LOST;
    }
    while (cell >= 0 && first_child[cell] >= 0) {
        int64_t first = first_child[cell];
        if (!is_held(walls + cell, middles + cell, cell_count, lower, upper, factor, &child))
            break;
        if (first <= cell || first > cell_count - 8) return LOST;
        cell = first + child;
    }
    return cell;
}

/* Counts of `move`: items that the root does not hold; the most items of a leaf that an item has
 * left or come to; the fewest below a divided cell; and the most below a child of the root. */
enum { OUTSIDE, CROWD, FEWEST, FULLEST, TALLIES };

/* Find where items of `rows` (7, count) stand after some of them, `moved`, have moved. `before`
 * (count) are the cells that they were in, -1 for none, and `own` (cell_count) how many each
 * held. `found` gets the tallies, where all stand now (count), what cells hold now (cell_count),
 * `ends` and `slices` as above, and the items that have changed cells. Returns their number. */
EXPORT int64_t octree_kernel_move(const double *walls, const double *loose, const double *middles,
                                  const int64_t *parent, const int64_t *first_child,
                                  const int64_t *place, const int64_t *span, int64_t cell_count,
                                  double factor, const double *rows, const int64_t *moved,
                                  const int64_t *before, const int64_t *own, int64_t count,
                                  int64_t moved_count, int64_t *found, uint8_t *masks) {
    int64_t *stands = found + TALLIES, *held = stands + count, *ends = held + cell_count;
    int64_t *slices = ends + cell_count + 1, *gone = slices + 3 * cell_count, gone_count = 0;
    USE_DEFAULT_FLOATS;
    memcpy(stands, before, (size_t)count * sizeof *stands);
    memcpy(held, own, (size_t)cell_count * sizeof *held);
    for (int64_t n = 0; n < moved_count && gone_count >= 0; n++) {
        int64_t item = moved[n], was = -1, now = LOST;
        if (item >= 0 && item < count) was = before[item];
        if (item >= 0 && item < count && was >= -1 && was < cell_count) {
            double lower[3], upper[3], radius = rows[6 * count + item];
            for (int axis = 0; axis < 3; axis++) {
                lower[axis] = rows[axis * count + item] - radius;
                upper[axis] = rows[(3 + axis) * count + item] + radius;
            }
            now = place_of(walls, loose, middles, parent, first_child, cell_count, factor, lower,
                           upper, was);
        }
        if (now < -1) {
            gone_count = DAMAGED;
        } else if (now != was) {
            stands[item] = now, gone[gone_count++] = item;
            if (was >= 0) held[was]--;
            if (now >= 0) held[now]++;
        }
    }
    if (gone_count < 0) return DAMAGED;
    found[OUTSIDE] = count, found[CROWD] = found[FULLEST] = 0, found[FEWEST] = count;
    for (int64_t c = 0; c < cell_count; c++) found[OUTSIDE] -= held[c];
    if (octree_kernel_slices(parent, place, span, cell_count, held, found[OUTSIDE], ends, slices,
                             masks) < 0)
        return DAMAGED;
    for (int64_t c = 0; c < cell_count; c++) {
        int64_t below = slices[2 * cell_count + c] - slices[c];
        if (first_child[c] >= 0 && below < found[FEWEST]) found[FEWEST] = below;
        if (c && parent[c] == 0 && below > found[FULLEST]) found[FULLEST] = below;
    }
    for (int64_t n = 0; n < moved_count; n++)
        for (int side = 0; side < 2; side++) {
            int64_t cell = (side ? stands : before)[moved[n]];
            if (cell >= 0 && first_child[cell] < 0 && held[cell] > found[CROWD])
                found[CROWD] = held[cell];
        }
    return gone_count;
}

enum { HAS_MOVED = 1, IS_NEW = 2 };

/* Write `references` (count) anew into `found`, after items have moved to the cells where `stands`
 * (count) tells, -1 for none: these are the last in their cells, ascending. `place` (cell_count)
 * and `ends` (cell_count + 1) are as above; `waiting` is 0 on entry, numbers for (cell_count + 1)
 * and bytes for (count). */
EXPORT int64_t octree_kernel_refer(const int64_t *references, int64_t count, const int64_t *moved,
                                   int64_t moved_count, const int64_t *stands,
                                   const int64_t *place, const int64_t *ends, int64_t cell_count,
                                   int64_t *waiting, int64_t *found) {
    uint8_t *flags = (uint8_t *)(waiting + cell_count + 1);
    for (int64_t n = 0; n < moved_count; n++) {
        int64_t item = moved[n], cell;
        if (item < 0 || item >= count) return DAMAGED;
        if (flags[item] & HAS_MOVED) continue;
        flags[item] = HAS_MOVED, cell = stands[item];
        if (cell < -1 || cell >= cell_count) return DAMAGED;
        if (cell >= 0 && (place[cell] < 0 || place[cell] >= cell_count)) return DAMAGED;
        waiting[cell < 0 ? 0 : place[cell] + 1]++;
    }
    for (int64_t item = 0; item < count; item++) {
        if (!(flags[item] & HAS_MOVED)) continue;
        int64_t key = stands[item] < 0 ? 0 : place[stands[item]] + 1;
        int64_t at = ends[key] - waiting[key]--;
        if (at < 0 || at >= count) return DAMAGED;
        found[at] = item, flags[at] |= IS_NEW;
    }
    int64_t at = 0;
    for (int64_t n = 0; n < count; n++) {
        int64_t item = references[n];
        if (item < 0 || item >= count) return DAMAGED;
        if (flags[item] & HAS_MOVED) continue;
        while (at < count && flags[at] & IS_NEW) at++;
        if (at == count) return DAMAGED;
        found[at++] = item;
    }
    return count;
}
