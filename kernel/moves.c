/* Octree kernel, moves: finds where items stand that have moved, and what cells hold then.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `core/dynamic` does, to the last bit. Nothing is allocated and no state is kept; items are
 * finite. */

#include "shared.h"

/* ---- Where items stand ---- */

/* Tell whether an item lies in the child of a cell around its center, enlarged by `factor`; and
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

/* Find where items (7, count) stand that were in `cells`, -1 for none: up to the first cell that
 * holds them, enlarged as in `loose` (6, cell_count), and down to where no child does. */
EXPORT int64_t octree_kernel_place(const double *walls, const double *loose, const double *middles,
                                   const int64_t *parent, const int64_t *first_child,
                                   int64_t cell_count, const double *rows, int64_t count,
                                   double factor, int64_t *cells) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    int64_t found = count, child;
    for (int64_t i = 0; i < count && found >= 0; i++) {
        int64_t cell = cells[i] < 0 ? 0 : cells[i];
        double lower[3], upper[3], radius = rows[6 * count + i];
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = rows[axis * count + i] - radius;
            upper[axis] = rows[(3 + axis) * count + i] + radius;
        }
        while (cell >= 0) {
            int holds = cell < cell_count;
            for (int axis = 0; axis < 3 && holds; axis++)
                holds = lower[axis] >= loose[axis * cell_count + cell] &&
                        upper[axis] <= loose[(3 + axis) * cell_count + cell];
            if (holds) break;
            /* Cells stand behind their parents: nothing goes round in circles. */
            if (cell >= cell_count || parent[cell] >= cell) found = DAMAGED, cell = 0;
            cell = found < 0 ? -1 : parent[cell];
        }
        while (cell >= 0 && first_child[cell] >= 0) {
            int64_t first = first_child[cell];
            if (!is_held(walls + cell, middles + cell, cell_count, lower, upper, factor, &child))
                break;
            if (first <= cell || first > cell_count - 8) {
                found = DAMAGED;
                break;
            }
            cell = first + child;
        }
        cells[i] = cell < 0 ? -1 : cell;
    }
    set_floats(before);
    return found;
}

/* ---- What cells hold ---- */

/* Find where in the references each cell's own items begin and end, and where its subtree's end,
 * `slices` (3, count): `outside` come first, then the `own` items of the cells in preorder, where
 * `place` and `span` tell. `ends` (count + 1) are where those of each place end. */
EXPORT int64_t octree_kernel_slices(const int64_t *place, const int64_t *span, const int64_t *own,
                                    int64_t count, int64_t outside, int64_t *ends,
                                    int64_t *slices) {
    for (int64_t c = 0; c < count; c++) {
        if (place[c] < 0 || place[c] >= count || span[c] < 1 || span[c] > count - place[c])
            return DAMAGED;
        ends[place[c] + 1] = own[c];
    }
    ends[0] = outside;
    for (int64_t at = 0; at < count; at++) ends[at + 1] += ends[at];
    for (int64_t c = 0; c < count; c++) {
        slices[c] = ends[place[c]];
        slices[count + c] = ends[place[c] + 1];
        slices[2 * count + c] = ends[place[c] + span[c]];
    }
    return count;
}

enum { HAS_MOVED = 1, IS_NEW = 2 };

/* Write `references` (count) anew into `found`, after items have moved to the cells where `stands`
 * (count) tells, -1 for none: these are the last in their cells, ascending. `place` (cell_count)
 * and `ends` (cell_count + 1) are as above; `flags` (count) and `waiting` (cell_count + 1) are 0
 * on entry. */
EXPORT int64_t octree_kernel_refer(const int64_t *references, int64_t count, const int64_t *moved,
                                   int64_t moved_count, const int64_t *stands,
                                   const int64_t *place, const int64_t *ends, int64_t cell_count,
                                   uint8_t *flags, int64_t *waiting, int64_t *found) {
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
