/* Octree kernel, quads: splits polygons of three and four corners into triangles as Blender does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Blender (mesh_tessellate.cc, 4.2 to 5.2) cuts a quad from its first corner to the third, unless
 * the two triangles would face away from each other: then from the second to the fourth. It looks
 * at that in single precision, with fused steps on some machines. Only quads are split where
 * neither matters. The functions allocate nothing and keep no state. */

#include "octree_kernel.h"

#include <math.h>

/* Rounding of the products of sums below in single precision: seven times 2^-24, twice over. And
 * the sums within which nothing underflows or overflows. */
#define QUAD_ROUNDING 0x1p-20
#define LEAST 0x1p-50
#define MOST 0x1p60

enum { FETCHED_AHEAD = 96 }; /* corners: their places, anywhere in memory, are fetched meanwhile */

/* Find a cross product; return the sum of the sizes of its terms. */
static inline double cross_of(const float *a, const float *b, double *product) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        double one = (double)a[next] * b[last], other = (double)a[last] * b[next];
        product[axis] = one - other, sum += fabs(one) + fabs(other);
    }
    return sum;
}

static inline int is_told(double sum) { return sum >= LEAST && sum <= MOST; }

/* Return whether a quad is cut from its second corner to the fourth; -1 if that is not certain. */
static inline int is_flipped(const float *a, const float *b, const float *c, const float *d) {
    float ab[3], ac[3], ad[3];
    for (int axis = 0; axis < 3; axis++)
        ab[axis] = b[axis] - a[axis], ac[axis] = c[axis] - a[axis], ad[axis] = d[axis] - a[axis];
    double one[3], other[3], size = cross_of(ab, ac, one), other_size = cross_of(ad, ac, other);
    double agreement = one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
    int is_certain = fabs(agreement) > size * other_size * QUAD_ROUNDING;
    return is_certain && is_told(size) && is_told(other_size) ? agreement > 0 : -1;
}

/* Write the triangles `from` to `to` of polygons of three and four corners into `faces` (3,
 * count): their vertices or, if `is_by_corner`, their corners. `polygons` names that of each
 * triangle, ascending; a quad that begins before `from` is left out, one that begins before `to`
 * is whole. Returns the first triangle that was not written: less than `to` if Blender's split is
 * not certain. */
EXPORT int64_t octree_kernel_quads(const float *places, int64_t vertex_count,
                                   const int32_t *corners, int64_t corner_count,
                                   const int32_t *polygons, int64_t count, int64_t from,
                                   int64_t to, int64_t is_by_corner, int64_t *faces) {
    static const int8_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
    if (from < 0 || from > to || to > count) return DAMAGED;
    USE_DEFAULT_FLOATS;
    uint64_t most = (uint64_t)vertex_count;
    int64_t done = from + (from > 0 && from < to && polygons[from] == polygons[from - 1]);
    while (done < to) {
        /* Each polygon before has two corners more than it has triangles. */
        int64_t polygon = polygons[done], first = done + 2 * polygon, named[4] = {0};
        int is_quad = done + 1 < count && polygons[done + 1] == polygon, flip = 0, is_good = 1;
        if (is_quad && done + 2 < count && polygons[done + 2] == polygon) return done;
        if (polygon < 0 || first > corner_count - 3 - is_quad) return DAMAGED;
        int64_t ahead = first + FETCHED_AHEAD;
        for (int64_t next = ahead; next < ahead + 4 && next < corner_count; next++)
            if ((uint64_t)corners[next] < most) {
                const float *place = places + 3 * (int64_t)corners[next];
                __builtin_prefetch(place), __builtin_prefetch(place + 2); /* of two lines */
            }
        for (int corner = 0; corner < 3 + is_quad; corner++) {
            named[corner] = corners[first + corner];
            is_good &= (uint64_t)named[corner] < most;
        }
        if (!is_good) return DAMAGED;
        if (is_quad) flip = is_flipped(places + 3 * named[0], places + 3 * named[1],
                                       places + 3 * named[2], places + 3 * named[3]);
        if (flip < 0) return done;
        for (int corner = 0; is_by_corner && corner < 4; corner++) named[corner] = first + corner;
        for (int row = 0; row < 3; row++) {
            int64_t *face = faces + row * count + done;
            face[0] = named[cuts[flip][row]];
            if (is_quad) face[1] = named[cuts[flip][3 + row]];
        }
        done += 1 + is_quad;
    }
    return done;
}
