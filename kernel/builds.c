/* Octree kernel, builds: sorts items into cells.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/construction` and `core/child_masks.py`: the same formulas in
 * the same order of operations. The functions allocate nothing and keep no state. Coordinates are
 * finite unless a comment says otherwise; 0 and -0 may replace each other. */

#include "octree_kernel.h"
#include "vectors.h"

/* Digits of a radix sort. */
#define DIGITS 2048

/* The four children on either side of the dividing plane of each axis. */
static const unsigned LOWER[3] = {0x55, 0x33, 0x0F}, UPPER[3] = {0xAA, 0xCC, 0xF0};

/* Arrays of the divided cells (count), one after the other: where the pairs of each end, bounds
 * of its children's slices (count, 9), and how many items each child is handed, and holds in all,
 * (count, 8). */
typedef struct {
    int64_t *ends, *bounds, *copied, *held;
} Children;

static Children children_in(int64_t *found, int64_t count) {
    return (Children){found, found + count, found + 10 * count, found + 18 * count};
}

static int is_within(int64_t begin, int64_t end, int64_t count) {
    return begin >= 0 && begin <= end && end <= count;
}

/* ---- Entering: bounds, codes, and sorting ---- */

static int64_t clamp_index(int64_t number, int64_t count) {
    return number < 0 ? 0 : number < count ? number : count - 1;
}

/* Write the bounds of the triangles `from` to `to` into `lower` and `upper`, (3, face_count). */
EXPORT int64_t octree_kernel_bounds(const double *vertices, int64_t vertex_count,
                                    const int64_t *faces, int64_t face_count, int64_t from,
                                    int64_t to, double *lower, double *upper) {
    if (vertex_count <= 0 || !is_within(from, to, face_count)) return DAMAGED;
    for (int64_t i = from; i < to; i++) {
        int64_t a = clamp_index(faces[i], vertex_count);
        int64_t b = clamp_index(faces[face_count + i], vertex_count);
        int64_t c = clamp_index(faces[2 * face_count + i], vertex_count);
        for (int axis = 0; axis < 3; axis++) {
            const double *row = vertices + axis * vertex_count;
            lower[axis * face_count + i] = minimum(minimum(row[a], row[b]), row[c]);
            upper[axis * face_count + i] = maximum(maximum(row[a], row[b]), row[c]);
        }
    }
    return to;
}

/* Write the first and last finest cells that the bounds (3, count) of items touch, packed, their
 * codes, and how deep they sink. `starts` (6) is where the root begins, a rounding more and less;
 * what is NaN has cell 0. */
EXPORT int64_t octree_kernel_enter(const double *lower, const double *upper, int64_t count,
                                   int64_t from, int64_t to, const double *starts,
                                   const double *scale, int64_t depth, int64_t *first,
                                   int64_t *last, int64_t *codes, uint8_t *depths) {
    USE_DEFAULT_FLOATS;
    double widest = (double)(((int64_t)1 << depth) - 1);
    if (!is_within(from, to, count) || depth < 0 || depth > GRID_BITS) return DAMAGED;
    for (int64_t i = from; i < to; i++) {
        int64_t one = 0, other = 0, code = 0;
        for (int axis = 0; axis < 3; axis++) {
            double low = (lower[axis * count + i] - starts[axis]) * scale[axis];
            double high = (upper[axis * count + i] - starts[3 + axis]) * scale[axis];
            int64_t cell = (int64_t)(low > 0 ? low < widest ? low : widest : 0);
            one |= cell << FIELD * axis, code |= spread_bits(cell) << axis;
            other |= (int64_t)(high > 0 ? high < widest ? high : widest : 0) << FIELD * axis;
        }
        int64_t differing = one ^ other;
        differing |= differing >> FIELD | differing >> 2 * FIELD;
        unsigned bits = (unsigned)differing & ((1 << GRID_BITS) - 1);
        depths[i] = (uint8_t)(depth - (bits ? 32 - __builtin_clz(bits) : 0));
        first[i] = one, last[i] = other, codes[i] = code;
    }
    return to;
}

/* Count in `counts` (DIGITS) how often each digit of the keys from `from` to `to` occurs. */
EXPORT int64_t octree_kernel_count(const int64_t *keys, int64_t from, int64_t to, int64_t shift,
                                   int64_t *counts) {
    for (int64_t i = from; i < to; i++) counts[keys[i] >> shift & (DIGITS - 1)]++;
    return to;
}

/* Put keys and their numbers, from `from` to `to`, where `places` (DIGITS) tell of each digit. A
 * pass of a stable radix sort; what is sorted first has no numbers, NULL, but is in order. */
EXPORT int64_t octree_kernel_sort(const int64_t *keys, const int64_t *numbers, int64_t from,
                                  int64_t to, int64_t shift, int64_t *places, int64_t *sorted,
                                  int64_t *order, int64_t room) {
    for (int64_t i = from; i < to; i++) {
        int64_t place = places[keys[i] >> shift & (DIGITS - 1)]++;
        if (place < 0 || place >= room) return DAMAGED;
        sorted[place] = keys[i], order[place] = numbers ? numbers[i] : i;
    }
    return to;
}

/* ---- Which children of its cell an entry touches ---- */

/* Two triangles at once. */
enum { LANES = 2 };
typedef double Lanes __attribute__((vector_size(16)));
typedef int64_t Bits __attribute__((vector_size(16)));
#define SIGN INT64_MIN

static Lanes lanes_max(Lanes a, Lanes b) {
    Bits is_first = a > b;
    return (Lanes)(((Bits)a & is_first) | ((Bits)b & ~is_first));
}

/* Sizes of the lower and the upper children of a cell along an axis. */
typedef struct { double below, above; } Reach;

/* Set how far the lower and the upper children reach in a direction along an axis. */
static void reach_sideways(Lanes direction, Reach reach, Lanes *sides) {
    Lanes upper = (Lanes)((Bits)direction & (direction > 0.0));
    sides[0] = (upper - direction) * reach.below;
    sides[1] = upper * reach.above;
}

/* The children beside neither the planes of triangles nor, in projection, an edge: `_of_triangles`
 * in core/child_masks.py. Children meet in the origin. */
static Bits touched(const Lanes corners[3][3], double margin, const Reach reach[3]) {
    Lanes edges[3][3], normal[3], ahead[3][2], behind[3][2], greatest = {0};
    for (int axis = 0; axis < 3; axis++)
        for (int edge = 0; edge < 3; edge++) {
            edges[edge][axis] = corners[(edge + 1) % 3][axis] - corners[edge][axis];
            if (edge == 2) continue;
            greatest = lanes_max(greatest, (Lanes)((Bits)edges[edge][axis] & ~SIGN));
        }
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        normal[axis] = edges[0][i] * edges[1][j] - edges[0][j] * edges[1][i];
        reach_sideways(normal[axis], reach[axis], ahead[axis]);
        reach_sideways(-normal[axis], reach[axis], behind[axis]);
    }
    greatest *= 2.0;
    Lanes slack = 3.0 * (margin * (greatest * greatest));
    Lanes distance = normal[0] * corners[0][0] + normal[1] * corners[0][1];
    distance += normal[2] * corners[0][2];
    Lanes front = distance - slack, back = -distance - slack;
    Bits masks = {0};
    for (int child = 0; child < 8; child++) {
        int x = child & 1, y = child >> 1 & 1, z = child >> 2;
        Bits ahead_of = ahead[0][x] + ahead[1][y] + ahead[2][z] >= front;
        Bits behind_it = behind[0][x] + behind[1][y] + behind[2][z] >= back;
        masks |= ahead_of & behind_it & ((int64_t)1 << child);
    }
    slack = 4.0 * margin * greatest;
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        Lanes sign = (Lanes)(((Bits)normal[axis] & SIGN) | (Bits)((Lanes){1.0, 1.0}));
        Bits beside[4] = {0};
        for (int edge = 0; edge < 3; edge++) {
            Lanes inward_i = -sign * edges[edge][j], inward_j = sign * edges[edge][i];
            Lanes needed = inward_i * corners[edge][i] + inward_j * corners[edge][j] - slack;
            Lanes far_i[2], far_j[2];
            reach_sideways(inward_i, reach[i], far_i), reach_sideways(inward_j, reach[j], far_j);
            for (int side = 0; side < 4; side++)
                beside[side] |= ~(far_j[side & 1] >= needed - far_i[side >> 1]);
        }
        for (int side = 0; side < 4; side++)
            masks &= ~(beside[side] & (int64_t)((side >> 1 ? UPPER : LOWER)[i] &
                                                (side & 1 ? UPPER : LOWER)[j]));
    }
    return masks;
}

/* The cell that is divided: its middle, the unit of its children, and the pairs of entries and
 * masks that are tested together. */
typedef struct {
    int64_t walls;
    double middle[3], scale[3], margin;
    Reach reach[3];
    Lanes corners[3][3];
    int64_t waiting[LANES], count;
} Cut;

/* Return the children that the bounds of an entry overlap; the entry waits unless it surely
 * touches them. */
static unsigned overlapped_by(const Entries *all, Cut *cut, int64_t entry, int is_in_cell) {
    int64_t below = ~((all->first[entry] | GUARD_BITS) - cut->walls);
    int64_t above = (all->last[entry] | GUARD_BITS) - cut->walls;
    unsigned overlapped = 0xFF, crossed = 0;
    for (int axis = 0; axis < 3; axis++) {
        int guard = GRID_BITS + FIELD * axis;
        unsigned one = below >> guard & 1, other = above >> guard & 1;
        overlapped &= ((0u - one) & LOWER[axis]) | ((0u - other) & UPPER[axis]);
        crossed += one & other;
    }
    /* An entry in the cell that crosses one dividing plane touches both of its sides. */
    if (crossed <= (unsigned)is_in_cell || !all->faces) return overlapped;
    for (int corner = 0; corner < 3; corner++) {
        int64_t named = all->faces[corner * all->face_count + entry];
        int64_t vertex = clamp_index(named, all->vertex_count);
        for (int axis = 0; axis < 3; axis++) {
            double number = all->vertices[axis * all->vertex_count + vertex];
            cut->corners[corner][axis][cut->count] =
                (number - cut->middle[axis]) * cut->scale[axis];
        }
    }
    cut->count++;
    return overlapped;
}

/* Remove the children that are not touched from the masks of waiting entries. If rounding would
 * remove all children, they stay, and the entry is noted in `strays`. */
static void decide(Cut *cut, const int32_t *pairs, uint8_t *masks, uint8_t *strays) {
    Bits found = touched((const Lanes(*)[3])cut->corners, cut->margin, cut->reach);
    for (int64_t lane = 0; lane < cut->count; lane++) {
        int64_t pair = cut->waiting[lane];
        uint8_t kept = masks[pair] & (uint8_t)found[lane];
        if (kept) masks[pair] = kept;
        else strays[pairs[pair]] = 1;
    }
    cut->count = 0;
}

/* A wall of the grid, as `Grid.walls` has it. */
static double wall_at(const Entries *all, int axis, int64_t finest) {
    double inner = all->lower[axis] + (double)finest * all->step[axis];
    return finest >> all->grid_depth == 1 ? all->upper[axis] : inner;
}

/* Find the entries that the cells `which` (count) hand down, from `from` to `to`: first the
 * entries that leave the slice. Writes `pairs` and the `masks` of their children, from `found`
 * on, and the arrays of `children`. Returns the number of pairs so far. */
EXPORT int64_t octree_kernel_classify(const Entries *all, const Level *level,
                                      const int64_t *which, int64_t from, int64_t to,
                                      int64_t found, int32_t *pairs, uint8_t *masks, int64_t room,
                                      int64_t *children, int64_t cell_count) {
    Children told = children_in(children, cell_count);
    int64_t finer = all->grid_depth - level->depth - 1, depth = level->depth;
    if (depth < 0 || finer < 0 || finer >= GRID_BITS || !is_within(from, to, cell_count))
        return DAMAGED;
    if (all->faces && (all->vertex_count <= 0 || all->face_count < all->entry_count))
        return DAMAGED;
    USE_DEFAULT_FLOATS;
    Cut cut = {.margin = ldexp(1.0, (int)depth + 1 - 48)};
    for (int64_t c = from; c < to; c++) {
        int64_t i = which[c], count = level->count, code = 0, start = found;
        if (i < 0 || i >= count) return DAMAGED;
        int64_t begin = level->slices[i], end = level->slices[count + i];
        int64_t at = level->copied[i], stop = level->copied[count + i];
        int64_t *bound = told.bounds + 9 * c, *copy = told.copied + 8 * c;
        int64_t *hold = told.held + 8 * c;
        if (!is_within(begin, end, all->entry_count) || !is_within(at, stop, level->copy_count))
            return DAMAGED;
        cut.walls = 0;
        for (int axis = 0; axis < 3; axis++) {
            int64_t cell = level->cells[axis * count + i];
            int64_t finest = (2 * cell + 1) << finer;
            code |= spread_bits(cell) << axis, cut.walls |= finest << FIELD * axis;
            double middle = wall_at(all, axis, finest);
            double scale = all->scale[axis] / (double)((int64_t)1 << finer);
            double below = middle - wall_at(all, axis, (2 * cell) << finer);
            double above = wall_at(all, axis, (2 * cell + 2) << finer) - middle;
            cut.middle[axis] = middle, cut.scale[axis] = scale;
            cut.reach[axis] = (Reach){below * scale, above * scale};
        }
        bound[0] = begin, bound[8] = end;
        for (int child = 0; child < 8; child++) {
            int64_t low = bound[child], high = end, wanted = (8 * code + child + 1) << 3 * finer;
            while (child < 7 && low < high) {
                int64_t middle = low + (high - low) / 2;
                if (all->codes[middle] < wanted) low = middle + 1;
                else high = middle;
            }
            if (child < 7) bound[child + 1] = low;
            int64_t first = bound[child], last = bound[child + 1], deep = 0, here = 0;
            for (int64_t e = first; e < last; e++) deep += all->depths[e] > depth;
            for (int64_t e = first; e < last; e++) here += all->depths[e] == depth;
            hold[child] = deep;
            if (here > room - found) return DAMAGED;
            for (int64_t e = first, until = found + here; found < until; e++)
                pairs[found] = (int32_t)e, found += all->depths[e] == depth;
        }
        if (stop - at > room - found) return DAMAGED;
        int64_t fresh = found, copies[8] = {0};
        memcpy(pairs + found, level->copies + at, (size_t)(stop - at) * sizeof *pairs);
        found += stop - at;
        for (int64_t n = start; n < found; n++) {
            if (pairs[n] < 0 || pairs[n] >= all->entry_count) return DAMAGED;
            cut.waiting[cut.count] = n;
            masks[n] = (uint8_t)overlapped_by(all, &cut, pairs[n], n < fresh);
            if (cut.count == LANES) decide(&cut, pairs, masks, all->strays);
        }
        if (cut.count) decide(&cut, pairs, masks, all->strays);
        for (int64_t n = start; n < found; n++)
            for (int child = 0; child < 8; child++) copies[child] += masks[n] >> child & 1;
        for (int child = 0; child < 8; child++)
            copy[child] = copies[child], hold[child] += copies[child];
        told.ends[c] = found;
    }
    return found;
}

/* The judgment of the division of a cell: `judged` in core/construction/levels.py. */
typedef struct {
    int is_worth, separates;
    int64_t spread, copies;
    double allowance;
} Verdict;

static Verdict judged(const Level *level, int64_t cell, const int64_t *copied,
                      const int64_t *held, int64_t most) {
    Verdict found = {0};
    int64_t occupied = 0, together = 0, count = level->held[cell];
    for (int child = 0; child < 8; child++) {
        occupied += held[child] > 0, together += held[child], found.copies += copied[child];
        found.separates |= held[child] > 0 && held[child] < count;
    }
    found.spread = found.separates ? 1 : level->spread[cell] * occupied;
    found.allowance = level->allowance[cell] * (double)count;
    found.allowance /= (double)(together > 1 ? together : 1);
    found.is_worth = together <= most * count && found.spread <= most && occupied > 0 &&
                     found.allowance >= 1;
    return found;
}

/* Judge the divisions of cells, `which` (count). Writes which are worth it, and which separate
 * items, `verdicts` (2, count). `made` gets how many are worth it; how many copies those make
 * that are allowed; where in the copies to come those of each child begin, (count, 8); and of
 * children that there will be what a `Level` has, in 9 rows, their depths, and, behind the room
 * for all, their allowance. Returns how many copies there will be. */
EXPORT int64_t octree_kernel_judge(const Level *level, const int64_t *which, int64_t count,
                                   int64_t *children, int64_t most, uint8_t *verdicts,
                                   int64_t *made) {
    USE_DEFAULT_FLOATS;
    Children told = children_in(children, count);
    int64_t *starts = made + 2, *rows = starts + 8 * count, kept = 0, total = 0;
    double *allowance = (double *)(rows + 80 * count);
    made[0] = made[1] = 0;
    for (int64_t c = 0; c < count; c++) {
        if (which[c] < 0 || which[c] >= level->count) return DAMAGED;
        Verdict one = judged(level, which[c], told.copied + 8 * c, told.held + 8 * c, most);
        verdicts[c] = (uint8_t)one.is_worth, verdicts[count + c] = (uint8_t)one.separates;
        made[0] += one.is_worth, made[1] += one.allowance >= 1 ? one.copies : 0;
    }
    for (int64_t c = 0, room = 8 * made[0]; c < count; c++) {
        Verdict one = judged(level, which[c], told.copied + 8 * c, told.held + 8 * c, most);
        for (int64_t side = 0; side < 8; side++) {
            int64_t *row = rows + kept;
            starts[8 * c + side] = total;
            if (!one.is_worth) continue;
            for (int axis = 0; axis < 3; axis++, row += room)
                *row = 2 * level->cells[axis * level->count + which[c]] + (side >> axis & 1);
            *row = told.bounds[9 * c + side], row += room;
            *row = told.bounds[9 * c + side + 1], row += room;
            *row = total, row += room, total += told.copied[8 * c + side];
            *row = total, row += room;
            *row = told.held[8 * c + side], row += room;
            *row = one.spread, row += room;
            *row = level->depth + 1, allowance[kept++] = one.allowance;
        }
    }
    return total;
}

/* Hand the pairs of the cells from `from` to `to` down to their children, if the cells are
 * `kept`: copies of each child from its place in `starts` (count, 8) on. */
EXPORT int64_t octree_kernel_hand_down(const int32_t *pairs, const uint8_t *masks,
                                       int64_t pair_count, const int64_t *ends,
                                       const int64_t *starts, const uint8_t *kept, int64_t from,
                                       int64_t to, int32_t *copies, int64_t room) {
    for (int64_t c = from; c < to; c++) {
        int64_t at = c ? ends[c - 1] : 0, places[8];
        if (!is_within(at, ends[c], pair_count)) return DAMAGED;
        memcpy(places, starts + 8 * c, sizeof places);
        for (; kept[c] && at < ends[c]; at++)
            for (unsigned rest = masks[at]; rest; rest &= rest - 1) {
                int64_t place = places[__builtin_ctz(rest)]++;
                if (place < 0 || place >= room) return DAMAGED;
                copies[place] = pairs[at];
            }
    }
    return to;
}

/* Write the walls (6, count) of cells of these depths, given their numbers on the grid (3, count):
 * `Grid.walls`. */
EXPORT int64_t octree_kernel_walls(const Entries *all, const int64_t *cells,
                                   const int64_t *depths, int64_t count, double *walls) {
    USE_DEFAULT_FLOATS;
    for (int64_t c = 0; c < count; c++)
        for (int row = 0; row < 6; row++) {
            int axis = row % 3;
            int64_t finer = (all->grid_depth - depths[c]) & 31;
            int64_t finest = (cells[axis * count + c] + row / 3) << finer;
            walls[row * count + c] = wall_at(all, axis, finest);
        }
    return count;
}

/* Write what the leaves among the cells from `from` to `to` hold into `references`, where `begin`
 * tells: the entries of the slice that have not been handed down, then the copies. */
EXPORT int64_t octree_kernel_file(const Entries *all, const Level *level, const uint8_t *is_leaf,
                                  int64_t from, int64_t to, const int64_t *begin,
                                  int64_t *references, int64_t room) {
    uint8_t *times = all->times;
    if (!is_within(from, to, level->count)) return DAMAGED;
    for (int64_t c = from; c < to; c++) {
        int64_t e = level->slices[c], end = level->slices[level->count + c], place = begin[c];
        int64_t at = level->copied[c], stop = level->copied[level->count + c];
        if (!is_leaf[c]) continue;
        if (!is_within(e, end, all->entry_count) || !is_within(at, stop, level->copy_count) ||
            place < 0)
            return DAMAGED;
        for (; e < end; e++) {
            if (all->depths[e] < level->depth) continue;
            if (place >= room) return DAMAGED;
            references[place++] = e, times[e] += times[e] < 2;
        }
        if (stop - at > room - place) return DAMAGED;
        for (; at < stop; at++) {
            if (level->copies[at] < 0 || level->copies[at] >= all->entry_count) return DAMAGED;
            e = references[place++] = level->copies[at], times[e] += times[e] < 2;
        }
    }
    return to;
}
