/* Octree kernel, layouts: what is known of meshes without octrees, and triangles along a curve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `core/scene/store.py`, `sheets.py` and `patches.py` do, their formulas in their order of
 * operations. Nothing is allocated and no state is kept. Of 0 and -0, which are equal, either may
 * stand for both. */

#include "shared.h"

#include <math.h>
#include <string.h>

/* Parts of a mesh along each axis, as `_PARTS` in store.py; bits of a place, as `_BITS` in
 * sheets.py. */
enum { PARTS = 4, ALL_PARTS = 64, BITS = 10 };

static int is_corner(int64_t vertex, int64_t count) { return vertex >= 0 && vertex < count; }

/* Enlarge a box, lower and upper values `step` apart along each axis, by a point. */
static inline void enlarge(double *box, int64_t step, const double *rows, int64_t count,
                           int64_t vertex) {
    for (int axis = 0; axis < 3; axis++) {
        double number = rows[axis * count + vertex];
        double *low = box + axis * step, *high = box + (3 + axis) * step;
        *low = number < *low ? number : *low, *high = number > *high ? number : *high;
    }
}

/* Find which faces (3, face_count) have finite corners, `good`, and which vertices these use: both
 * are flags, `used` 0 on entry. `bounds` (6) are those of used vertices, `parts` (6, ALL_PARTS)
 * those of the ones in each cell of a coarse grid; empty ones have infinite bounds. Without
 * `parts`, neither is looked for. Returns how many faces are good. */
EXPORT int64_t octree_kernel_outline(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, uint8_t *good, uint8_t *used,
                                     double *bounds, double *parts) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    int64_t found = 0;
    for (int row = 0; row < 6 && parts; row++) {
        bounds[row] = row < 3 ? INFINITY : -INFINITY;
        for (int part = 0; part < ALL_PARTS; part++) parts[ALL_PARTS * row + part] = bounds[row];
    }
    int are_finite = 1;
    for (int64_t n = 0; n < 3 * count; n++) are_finite &= isfinite(vertices[n]) != 0;
    for (int64_t face = 0; face < face_count; face++) {
        int64_t a = faces[face], b = faces[face_count + face], c = faces[2 * face_count + face];
        if (!is_corner(a, count) || !is_corner(b, count) || !is_corner(c, count)) {
            found = DAMAGED;
            break;
        }
        int is_good = 1;
        for (int axis = 0; axis < 3 && !are_finite; axis++) {
            const double *row = vertices + axis * count;
            is_good &= isfinite(row[a]) && isfinite(row[b]) && isfinite(row[c]);
        }
        good[face] = (uint8_t)is_good, found += is_good;
        if (is_good) used[a] = used[b] = used[c] = 1;
    }
    if (!parts || found <= 0) {
        set_floats(before);
        return found;
    }
    for (int64_t vertex = 0; vertex < count; vertex++)
        if (used[vertex]) enlarge(bounds, 1, vertices, count, vertex);
    double scale[3];
    for (int axis = 0; axis < 3; axis++) {
        double size = bounds[3 + axis] - bounds[axis];
        scale[axis] = size > 0 ? PARTS / size : 0;
    }
    for (int64_t vertex = 0; vertex < count; vertex++) {
        int part = 0;
        if (!used[vertex]) continue;
        for (int axis = 0; axis < 3; axis++) {
            double cell = (vertices[axis * count + vertex] - bounds[axis]) * scale[axis];
            part = part * PARTS + (cell >= PARTS - 1 ? PARTS - 1 : cell > 0 ? (int)cell : 0);
        }
        enlarge(parts + part, ALL_PARTS, vertices, count, vertex);
    }
    set_floats(before);
    return found;
}

/* A mesh: its finite faces are those that `valid` (valid_count) names, ascending. */
typedef struct {
    const double *vertices; /* (3, vertex_count) */
    const int64_t *faces;   /* (3, face_count) */
    const int64_t *valid;
    int64_t vertex_count, face_count, valid_count;
    double lower[3], scale; /* where its curve begins, and how many places a unit has */
} Mesh;

/* What is laid out, one mesh after the other; `keys` (2, key_count) is for the sort. */
typedef struct {
    double *vertices; /* (3, vertex_count) */
    int64_t *faces;   /* (3, face_count) */
    int64_t *order;   /* (face_count) */
    int64_t *keys;
    int64_t vertex_count, face_count, key_count;
} Laid;

/* Where a face is along the curve, and its number below; DAMAGED if a corner is not there. */
static int64_t key_of(const Mesh *mesh, int64_t number) {
    const double last = (1 << BITS) - 1;
    int64_t face = mesh->valid[number], code = 0, count = mesh->vertex_count;
    if (face < 0 || face >= mesh->face_count) return DAMAGED;
    int64_t a = mesh->faces[face], b = mesh->faces[mesh->face_count + face];
    int64_t c = mesh->faces[2 * mesh->face_count + face];
    if (!is_corner(a, count) || !is_corner(b, count) || !is_corner(c, count)) return DAMAGED;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = mesh->vertices + axis * count;
        double place = ((row[a] + row[b] + row[c]) / 3 - mesh->lower[axis]) * mesh->scale;
        code |= spread_bits(place > 0 ? (int64_t)(place < last ? place : last) : 0) << axis;
    }
    return code << 32 | number;
}

/* Sort keys by what is above their numbers, stably, there and back: three digits. */
static int64_t *sorted(int64_t *keys, int64_t *other, int64_t count) {
    int32_t places[3][1 << BITS] = {{0}};
    for (int64_t n = 0; n < count; n++)
        for (int digit = 0; digit < 3; digit++)
            places[digit][keys[n] >> (32 + digit * BITS) & ((1 << BITS) - 1)]++;
    for (int digit = 0; digit < 3; digit++) {
        int32_t sum = 0;
        for (int place = 0; place < 1 << BITS; place++) {
            int32_t here = places[digit][place];
            places[digit][place] = sum, sum += here;
        }
        for (int64_t n = 0; n < count; n++)
            other[places[digit][keys[n] >> (32 + digit * BITS) & ((1 << BITS) - 1)]++] = keys[n];
        int64_t *before = keys;
        keys = other, other = before;
    }
    return keys;
}

/* Lay meshes out, the finite faces of each along its Morton curve. Returns how many faces there
 * are. */
EXPORT int64_t octree_kernel_lay_out(const Mesh *meshes, int64_t mesh_count, const Laid *laid) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    int64_t first = 0, corner = 0;
    for (const Mesh *mesh = meshes; mesh < meshes + mesh_count && first >= 0; mesh++) {
        int64_t count = mesh->valid_count, *keys = laid->keys;
        if (count < 0 || count > laid->key_count || count > INT32_MAX ||
            count > laid->face_count - first || mesh->vertex_count < 0 ||
            mesh->vertex_count > laid->vertex_count - corner) {
            first = DAMAGED;
            break;
        }
        for (int axis = 0; axis < 3; axis++)
            memcpy(laid->vertices + axis * laid->vertex_count + corner,
                   mesh->vertices + axis * mesh->vertex_count,
                   (size_t)mesh->vertex_count * sizeof(double));
        int64_t all = 0;
        for (int64_t n = 0; n < count; n++) all |= keys[n] = key_of(mesh, n);
        if (all < 0) {
            first = DAMAGED;
            break;
        }
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
    set_floats(before);
    return first;
}

/* Write the bounds of runs of faces (3, face_count), of those from `from` to `to`, into `rows`
 * (6, run_count): each has `counts` faces from its `starts` on. */
EXPORT int64_t octree_kernel_runs(const double *vertices, int64_t count, const int64_t *faces,
                                  int64_t face_count, const int64_t *starts,
                                  const int64_t *counts, int64_t run_count, int64_t from,
                                  int64_t to, double *rows) {
    if (from < 0 || from > to || to > run_count) return DAMAGED;
    uint64_t before = set_floats(DEFAULT_FLOATS);
    int64_t found = to;
    for (int64_t run = from; run < to && found >= 0; run++) {
        int64_t start = starts[run], faces_of = counts[run];
        double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        if (start < 0 || faces_of < 0 || start > face_count - faces_of) found = DAMAGED;
        for (int64_t face = start; found >= 0 && face < start + faces_of; face++)
            for (int corner = 0; corner < 3; corner++) {
                int64_t vertex = faces[corner * face_count + face];
                if (is_corner(vertex, count)) enlarge(box, 1, vertices, count, vertex);
                else found = DAMAGED;
            }
        for (int row = 0; row < 6; row++) rows[row * run_count + run] = box[row];
    }
    set_floats(before);
    return found;
}
