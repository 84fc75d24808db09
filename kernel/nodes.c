/* Octree kernel, nodes: octrees of meshes along a Morton curve, with tight boxes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/scene/nodes.py`: the same formulas in the same order of
 * operations. The functions allocate nothing and keep no state. 0 and -0 may replace each
 * other. */

#include "octree_kernel.h"
#include "enlarged.h"

/* Levels of a key, the level at which equal keys differ, and triangles in a leaf and in a node
 * that is cut at medians, as in nodes.py. */
enum { LEVELS = 10, SAME_KEY = 20, LEAF = 8, CELL = 64, MOST_CHILDREN = 8 };

/* A place along each axis, below 1024, and their key: all three are spread at once, with a free
 * bit above each three. */
typedef uint64_t Places __attribute__((vector_size(32)));

static int64_t spread(Places places) {
    places = (places | places << 16) & 0x030000ff; /* ten bits, each to every third place */
    places = (places | places << 8) & 0x0300f00f;
    places = (places | places << 4) & 0x030c30c3;
    places = (places | places << 2) & 0x09249249;
    uint64_t code = places[0] | places[1] << 1 | places[2] << 2, key = 0;
    for (int level = 0; level < LEVELS; level++) key |= (code >> 3 * level & 7) << 4 * level;
    return (int64_t)key;
}

/* Write the keys of faces (3, face_count) from `from` to `to`, each in the frame (5, mesh_count)
 * of its mesh, its owner, above which the number of the mesh stands: `keys_of` in nodes.py. */
EXPORT int64_t octree_kernel_keys(const double *vertices, int64_t count, const int64_t *faces,
                                  int64_t face_count, int64_t from, int64_t to,
                                  const double *frames, const int64_t *owners,
                                  int64_t mesh_count, int64_t *keys) {
    USE_DEFAULT_FLOATS;
    const double last = (1 << LEVELS) - 1;
    for (int64_t face = from; face < to; face++) {
        int64_t mesh = owners[face], corners[3];
        double extent = 0;
        Places places = {0};
        if (mesh < 0 || mesh >= mesh_count || face >= face_count) return DAMAGED;
        const double *frame = frames + mesh;
        for (int corner = 0; corner < 3; corner++) {
            corners[corner] = faces[corner * face_count + face];
            if (!is_corner(corners[corner], count)) return DAMAGED;
        }
        double unit = frame[3 * mesh_count], scale = frame[4 * mesh_count];
        for (int axis = 0; axis < 3; axis++) {
            double low = INFINITY, high = -INFINITY;
            for (int corner = 0; corner < 3; corner++) {
                double number = vertices[axis * count + corners[corner]];
                low = min_else_second(number, low), high = max_else_second(number, high);
            }
            low *= unit, high *= unit;
            double place = ((low + high) / 2 - frame[axis * mesh_count]) * scale;
            places[axis] = place > 0 ? (uint64_t)(place < last ? place : last) : 0;
            extent = max_else_second((high - low) * scale, extent);
        }
        int kept = 0; /* levels at which the triangle is larger than twice the cell */
        for (int cells = 2; kept < LEVELS && extent >= cells; cells *= 2) kept++;
        int64_t markers = (0x8888888888 >> 4 * kept << 4 * kept);
        keys[face] = mesh << 4 * LEVELS | markers | spread(places);
    }
    return to;
}

/* Put the children of a node behind all nodes, each ending at one of the stops; 0 without room. */
static int put_children(const Divided *nodes, int64_t parent, const int64_t *stops, int count) {
    int64_t begin = nodes->begin[parent], *counts = nodes->counts;
    if (counts[1] > nodes->room - count) return 0;
    nodes->first_child[parent] = counts[1], nodes->child_count[parent] = count;
    for (int child = 0; child < count; child++) {
        int64_t at = counts[1]++;
        nodes->begin[at] = begin, nodes->end[at] = begin = stops[child];
        nodes->first_child[at] = -1, nodes->child_count[at] = 0;
    }
    return 1;
}

/* Cut a node that is no leaf where `_cuts` in nodes.py does; returns how many parts end where. */
static int cut_node(const uint8_t *levels, int64_t begin, int64_t end, int64_t *stops) {
    int count = 0;
    int64_t start = begin, step = LEAF, before = begin;
    uint8_t least = SAME_KEY;
    for (int64_t n = begin + 1; n < end && end - begin > CELL; n++)
        least = levels[n] < least ? levels[n] : least;
    if (least == SAME_KEY) {
        if (end - begin > CELL) step = (end - begin + CELL - 1) / CELL * LEAF;
        for (int64_t stop = begin + step; stop < end; stop += step) stops[count++] = stop;
        stops[count++] = end;
        return count;
    }
    /* A part ends where one more neighbor would make it too large. */
    for (int64_t n = begin + 1; n <= end; n++) {
        if (n < end && levels[n] != least) continue;
        if (before > start && n - start > CELL) {
            if (count == MOST_CHILDREN - 1) return 0; /* the levels contradict themselves */
            stops[count++] = start = before;
        }
        before = n;
    }
    stops[count++] = end;
    return count;
}

/* Divide nodes until entries as many as `most` have been looked at: `divided` in nodes.py. Returns
 * 1 once all are divided, else 0; NO_ROOM. */
EXPORT int64_t octree_kernel_divide(const uint8_t *levels, int64_t entry_count,
                                    const Divided *nodes, int64_t most) {
    int64_t *counts = nodes->counts, stops[MOST_CHILDREN], looked = 0;
    if (counts[0] < 0 || counts[1] > nodes->room) return DAMAGED;
    for (; counts[0] < counts[1]; counts[0]++) {
        int64_t begin = nodes->begin[counts[0]], end = nodes->end[counts[0]];
        if (begin < 0 || begin >= end || end > entry_count) return DAMAGED;
        if (end - begin <= LEAF) continue;
        if (looked > most) return 0;
        int count = cut_node(levels, begin, end, stops);
        if (count == 0) return DAMAGED;
        if (!put_children(nodes, counts[0], stops, count)) return NO_ROOM;
        looked += end - begin;
    }
    return 1;
}

/* Sort places of a node so that its leaves are cut at medians: `medians_order` in nodes.py. */
static void cut_at_medians(const double (*middles)[CELL], uint8_t *places, int count) {
    if (count <= LEAF) return;
    double extent = -1;
    const double *along = middles[0];
    for (int axis = 0; axis < 3; axis++) {
        double low = middles[axis][places[0]], high = low;
        for (int n = 1; n < count; n++) {
            double middle = middles[axis][places[n]];
            low = middle < low ? middle : low, high = middle > high ? middle : high;
        }
        if (high - low > extent) extent = high - low, along = middles[axis];
    }
    for (int n = 1; n < count; n++) {
        uint8_t place = places[n];
        int at = n;
        for (; at > 0 && along[places[at - 1]] > along[place]; at--) places[at] = places[at - 1];
        places[at] = place;
    }
    int left = (count / 2 + LEAF - 1) / LEAF * LEAF;
    cut_at_medians(middles, places, left);
    cut_at_medians(middles, places + left, count - left);
}

/* Sort what nodes from `from` to `to` hold, `sizes` entries from their `begins` on, in place: the
 * numbers of faces (3, face_count) in `order`. */
EXPORT int64_t octree_kernel_medians(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, const int64_t *begins,
                                     const int64_t *sizes, int64_t from, int64_t to,
                                     int64_t *order) {
    USE_DEFAULT_FLOATS;
    for (int64_t node = from; node < to; node++) {
        double middles[3][CELL];
        uint8_t places[CELL];
        int64_t sorted[CELL], begin = begins[node], size = sizes[node];
        if (size < 0 || size > CELL || begin < 0 || begin > face_count - size) return DAMAGED;
        for (int n = 0; n < size; n++) {
            int64_t face = order[begin + n];
            if (face < 0 || face >= face_count) return DAMAGED;
            double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
            for (int corner = 0; corner < 3; corner++) {
                int64_t vertex = faces[corner * face_count + face];
                if (!is_corner(vertex, count)) return DAMAGED;
                enlarge_box(box, vertices, count, vertex);
            }
            for (int axis = 0; axis < 3; axis++)
                middles[axis][n] = box[axis] / 2 + box[3 + axis] / 2;
            places[n] = (uint8_t)n;
        }
        cut_at_medians((const double (*)[CELL])middles, places, (int)size);
        for (int n = 0; n < size; n++) sorted[n] = order[begin + places[n]];
        memcpy(order + begin, sorted, (size_t)size * sizeof *order);
    }
    return to;
}

/* Return the altitude above the longest edge; 0 if it is unknown. */
static double altitude_of(const double *rows, int64_t count, const int64_t *corners) {
    double edges[3][3], normal[3], longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = rows + axis * count;
        double first = row[corners[0]], second = row[corners[1]], third = row[corners[2]];
        edges[0][axis] = second - first, edges[1][axis] = third - first;
        edges[2][axis] = third - second;
    }
    for (int n = 0; n < 3; n++) {
        double size = dot(edges[n], edges[n]);
        longest = max_else_second(size, longest);
    }
    cross(edges[0], edges[1], normal);
    double altitude = sqrt(dot(normal, normal) / longest);
    return altitude < INFINITY ? altitude : 0;
}

/* Write the bounds of runs of faces (3, face_count), of those from `from` to `to`, into `rows`
 * (6, run_count), and the least altitude of each: `counts` faces from its `starts` on. */
EXPORT int64_t octree_kernel_runs(const double *vertices, int64_t count, const int64_t *faces,
                                  int64_t face_count, const int64_t *starts,
                                  const int64_t *counts, int64_t run_count, int64_t from,
                                  int64_t to, double *rows, double *altitudes) {
    if (from < 0 || from > to || to > run_count) return DAMAGED;
    USE_DEFAULT_FLOATS;
    for (int64_t run = from; run < to; run++) {
        int64_t start = starts[run], faces_of = counts[run];
        double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        double least = INFINITY;
        if (start < 0 || faces_of < 0 || start > face_count - faces_of) return DAMAGED;
        for (int64_t face = start; face < start + faces_of; face++) {
            int64_t corners[3];
            for (int corner = 0; corner < 3; corner++) {
                corners[corner] = faces[corner * face_count + face];
                if (!is_corner(corners[corner], count)) return DAMAGED;
            }
            for (int corner = 0; corner < 3; corner++)
                enlarge_box(box, vertices, count, corners[corner]);
            double altitude = altitude_of(vertices, count, corners);
            least = min_else_second(altitude, least);
        }
        altitudes[run] = least;
        for (int row = 0; row < 6; row++) rows[row * run_count + run] = box[row];
    }
    return to;
}
