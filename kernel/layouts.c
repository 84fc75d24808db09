/* Octree kernel, layouts: bounds of meshes without octrees, and triangles along a curve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/scene/store.py`, `sheets.py` and `patches.py`: the same formulas
 * in the same order of operations. The functions allocate nothing and keep no state. 0 and -0 may
 * replace each other. */

#include "octree_kernel.h"
#include "vectors.h"

/* Parts of a mesh along each axis, as `_PARTS` in store.py; bits of a place, as `_BITS` in
 * sheets.py. */
enum { COARSE_PARTS = 4, ALL_PARTS = 64, PLACE_BITS = 10 };

static int is_corner(int64_t vertex, int64_t count) { return vertex >= 0 && vertex < count; }

/* Enlarge a box by a point. */
static inline void enlarge_box(double *box, const double *rows, int64_t count, int64_t vertex) {
    for (int axis = 0; axis < 3; axis++) {
        double number = rows[axis * count + vertex], *low = box + axis, *high = box + 3 + axis;
        *low = min_else_second(number, *low), *high = max_else_second(number, *high);
    }
}

/* Find which vertices are used by faces with finite corners, and which faces (3, face_count)
 * these are: `flags`, of vertices, then of faces, 0 on entry. The first of `boxes` holds used
 * vertices, the others, ALL_PARTS, the ones in each cell of a coarse grid; empty ones have
 * infinite bounds. `boxes` may be NULL. Returns the number of these faces. */
EXPORT int64_t octree_kernel_outline(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, uint8_t *flags, double *boxes) {
    USE_DEFAULT_FLOATS;
    uint8_t *used = flags, *good = flags + count;
    int64_t found = 0;
    for (int row = 0; row < 6 * (1 + ALL_PARTS) && boxes; row++)
        boxes[row] = row % 6 < 3 ? INFINITY : -INFINITY;
    int are_finite = 1;
    for (int64_t n = 0; n < 3 * count; n++) are_finite &= isfinite(vertices[n]) != 0;
    for (int64_t face = 0; face < face_count; face++) {
        int64_t a = faces[face], b = faces[face_count + face], c = faces[2 * face_count + face];
        if (!is_corner(a, count) || !is_corner(b, count) || !is_corner(c, count)) return DAMAGED;
        int is_good = 1;
        for (int axis = 0; axis < 3 && !are_finite; axis++) {
            const double *row = vertices + axis * count;
            is_good &= isfinite(row[a]) && isfinite(row[b]) && isfinite(row[c]);
        }
        good[face] = (uint8_t)is_good, found += is_good;
        if (is_good) used[a] = used[b] = used[c] = 1;
    }
    if (!boxes || found == 0) return found;
    double *bounds = boxes, *parts = boxes + 6;
    for (int64_t vertex = 0; vertex < count; vertex++)
        if (used[vertex]) enlarge_box(bounds, vertices, count, vertex);
    double scale[3];
    for (int axis = 0; axis < 3; axis++) {
        double size = bounds[3 + axis] - bounds[axis];
        scale[axis] = size > 0 ? COARSE_PARTS / size : 0;
    }
    for (int64_t vertex = 0; vertex < count; vertex++) {
        int part = 0;
        if (!used[vertex]) continue;
        for (int axis = 0; axis < 3; axis++) {
            double cell = (vertices[axis * count + vertex] - bounds[axis]) * scale[axis];
            const int last = COARSE_PARTS - 1;
            part = part * COARSE_PARTS + (cell >= last ? last : cell > 0 ? (int)cell : 0);
        }
        enlarge_box(parts + 6 * part, vertices, count, vertex);
    }
    return found;
}

/* Write the boxes (6, count) of placed meshes, around their placed parts: `_boxes` in
 * core/scene/placements.py. Each mesh (mesh_count) has `counts` of the parts (part_count, 6) from
 * its `starts` on, `meshes` (count) are placed by `matrices` (12, count). */
EXPORT int64_t octree_kernel_surround(const double *parts, int64_t part_count,
                                      const int64_t *starts, const int64_t *counts,
                                      int64_t mesh_count, const int64_t *meshes,
                                      const double *matrices, int64_t count, double *boxes) {
    USE_DEFAULT_FLOATS;
    for (int64_t n = 0; n < count; n++) {
        int64_t mesh = meshes[n], start = 0, stop = 0;
        if (mesh >= 0 && mesh < mesh_count) start = starts[mesh], stop = counts[mesh];
        if (start < 0 || stop < 1 || stop > part_count - start) return DAMAGED;
        for (const double *part = parts + 6 * start; part < parts + 6 * (start + stop); part += 6)
            for (int axis = 0; axis < 3; axis++) {
                const double *row = matrices + 4 * axis * count + n;
                double x = row[0], y = row[count], z = row[2 * count];
                double center = x * ((part[0] + part[3]) / 2) + y * ((part[1] + part[4]) / 2);
                double extent = fabs(x) * ((part[3] - part[0]) / 2);
                extent += fabs(y) * ((part[4] - part[1]) / 2);
                center = center + z * ((part[2] + part[5]) / 2) + row[3 * count];
                extent += fabs(z) * ((part[5] - part[2]) / 2);
                double *low = boxes + axis * count + n, *high = low + 3 * count;
                int is_first = part == parts + 6 * start;
                *low = is_first ? center - extent : minimum(*low, center - extent);
                *high = is_first ? center + extent : maximum(*high, center + extent);
            }
    }
    return count;
}

/* A place along each axis, below 1024, and their Morton code: all three are spread at once. */
typedef uint32_t Places __attribute__((vector_size(16)));

static int64_t code_of(Places places) {
    places = (places | places << 16) & 0x030000ff;
    places = (places | places << 8) & 0x0300f00f;
    places = (places | places << 4) & 0x030c30c3;
    places = (places | places << 2) & 0x09249249;
    return (int64_t)(places[0] | places[1] << 1 | places[2] << 2);
}

/* Return the place of a face along the curve, above its number; DAMAGED if a corner does not
 * exist. */
static int64_t key_of(const Mesh *mesh, int64_t number) {
    const double last = (1 << PLACE_BITS) - 1;
    int64_t face = mesh->valid[number], count = mesh->vertex_count;
    Places places = {0};
    if (face < 0 || face >= mesh->face_count) return DAMAGED;
    int64_t a = mesh->faces[face], b = mesh->faces[mesh->face_count + face];
    int64_t c = mesh->faces[2 * mesh->face_count + face];
    if (!is_corner(a, count) || !is_corner(b, count) || !is_corner(c, count)) return DAMAGED;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = mesh->vertices + axis * count;
        double place = ((row[a] + row[b] + row[c]) / 3 - mesh->lower[axis]) * mesh->scale;
        places[axis] = place > 0 ? (uint32_t)(place < last ? place : last) : 0;
    }
    return code_of(places) << 32 | number;
}

/* Sort keys by their places, stably, by three digits from one array into the other and back;
 * returns the sorted one. */
static int64_t *sorted(int64_t *keys, int64_t *other, int64_t count) {
    enum { DIGIT = (1 << PLACE_BITS) - 1 };
    int32_t places[3][DIGIT + 1] = {{0}};
    for (int64_t n = 0; n < count; n++)
        for (int digit = 0; digit < 3; digit++)
            places[digit][keys[n] >> (32 + digit * PLACE_BITS) & DIGIT]++;
    for (int digit = 0; digit < 3; digit++) {
        int32_t sum = 0;
        for (int place = 0; place <= DIGIT; place++) {
            int32_t here = places[digit][place];
            places[digit][place] = sum, sum += here;
        }
        for (int64_t n = 0; n < count; n++)
            other[places[digit][keys[n] >> (32 + digit * PLACE_BITS) & DIGIT]++] = keys[n];
        int64_t *before = keys;
        keys = other, other = before;
    }
    return keys;
}

/* Lay meshes out, the finite faces of each along its Morton curve. Returns how many faces there
 * are. */
EXPORT int64_t octree_kernel_lay_out(const Mesh *meshes, int64_t mesh_count, const Laid *laid) {
    USE_DEFAULT_FLOATS;
    int64_t first = 0, corner = 0;
    for (const Mesh *mesh = meshes; mesh < meshes + mesh_count; mesh++) {
        int64_t count = mesh->valid_count, *keys = laid->keys;
        if (count < 0 || count > laid->key_count || count > INT32_MAX ||
            count > laid->face_count - first || mesh->vertex_count < 0 ||
            mesh->vertex_count > laid->vertex_count - corner)
            return DAMAGED;
        for (int axis = 0; axis < 3; axis++)
            memcpy(laid->vertices + axis * laid->vertex_count + corner,
                   mesh->vertices + axis * mesh->vertex_count,
                   (size_t)mesh->vertex_count * sizeof(double));
        int64_t all = 0;
        for (int64_t n = 0; n < count; n++) all |= keys[n] = key_of(mesh, n);
        if (all < 0) return DAMAGED;
        keys = sorted(keys, keys + laid->key_count, count);
        for (int64_t n = 0; n < count; n++) {
            int64_t face = mesh->valid[keys[n] & UINT32_MAX];
            laid->order[first + n] = face;
            for (int row = 0; row < 3; row++)
                laid->faces[row * laid->face_count + first + n] =
                    mesh->faces[row * mesh->face_count + face] + corner;
        }
        first += count, corner += mesh->vertex_count;
    }
    return first;
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
