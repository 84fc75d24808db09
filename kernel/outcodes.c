/* Octree kernel, outcodes: compares the vertices of a mesh with planes, and sorts its triangles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As `core/scene/vertex_blocks.py`. Only vertices that are surely beyond a plane, or surely
 * inside of all planes, are told apart; the caller tests the rest exactly, so that answers do not
 * depend on the rounding of heights. Numbers may be anything. The functions allocate nothing and
 * keep no state. */

#include "octree_kernel.h"

#include <string.h>

/* As in vertex_blocks.py. */
#define BEYOND 0x3f

enum { MOST_PLANES = 6 };

/* Write the outcodes of `count` vertices, `step` apart along each axis. */
static void encode(const double *vertices, int64_t step, int64_t count, const Planes *planes,
                   int64_t volume, uint8_t *codes) {
    const double *x = vertices, *y = x + step, *z = y + step;
    memset(codes, 0, (size_t)count);
    for (int64_t n = 0; n < planes->count; n++) {
        int64_t at = volume * planes->count + n;
        const double *plane = planes->rows + 4 * at, slack = planes->slacks[at];
        for (int64_t i = 0; i < count; i++) {
            double height = plane[0] * x[i] + plane[1] * y[i] + plane[2] * z[i] + plane[3];
            codes[i] |= (uint8_t)((height < -slack) << n | !(height >= slack) << 6);
        }
    }
}

static int holds_corner(const uint8_t *codes, const uint8_t *used, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (codes[i] == 0 && used[i]) return 1;
    return 0;
}

/* Write the outcodes (volumes, vertex_count) of the blocks, of `length` vertices each, that are
 * `open` (volumes, blocks) to some volumes, by their `numbers`, and close them. If one corner is
 * enough, a volume that `holds` one looks no further. Blocks are looked at in an order. Returns
 * how many outcodes were written. */
EXPORT int64_t octree_kernel_outcodes(const double *vertices, int64_t step, int64_t vertex_count,
                                      const Planes *planes, const int64_t *numbers, int64_t count,
                                      const int64_t *order, int64_t blocks, int64_t length,
                                      const uint8_t *used, int64_t is_enough, uint8_t *open,
                                      uint8_t *codes, uint8_t *holds) {
    if (planes->count < 0 || planes->count > MOST_PLANES || length < 1 || step < vertex_count ||
        blocks != vertex_count / length + (vertex_count % length != 0))
        return DAMAGED;
    USE_DEFAULT_FLOATS;
    int64_t written = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t volume = numbers[i];
        if (volume < 0 || volume >= planes->volumes) return DAMAGED;
        for (int64_t b = 0; b < blocks; b++) {
            int64_t block = order[b], first = block * length;
            if (block < 0 || block >= blocks) return DAMAGED;
            if (!open[volume * blocks + block]) continue;
            int64_t some = vertex_count - first < length ? vertex_count - first : length;
            uint8_t *found = codes + volume * vertex_count + first;
            encode(vertices + first, step, some, planes, volume, found);
            open[volume * blocks + block] = 0;
            written += some;
            if (is_enough && holds_corner(found, used + first, some)) {
                holds[volume] = 1;
                break;
            }
        }
    }
    return written;
}

/* List the triangles from `start` to `stop` that are surely inside by the outcodes of their
 * corners, and those that may be inside: `counts` of them. */
EXPORT int64_t octree_kernel_coded(const int64_t *faces, int64_t step, int64_t start, int64_t stop,
                                   const uint8_t *codes, int64_t vertex_count, int64_t *sure,
                                   int64_t *unsure, int64_t *counts) {
    int64_t inside = 0, open = 0;
    if (start < 0 || stop > step) return DAMAGED;
    for (int64_t i = start; i < stop; i++) {
        uint64_t a = (uint64_t)faces[i], b = (uint64_t)faces[step + i],
                 c = (uint64_t)faces[2 * step + i], most = (uint64_t)vertex_count;
        if (a >= most || b >= most || c >= most) return DAMAGED;
        uint8_t any = codes[a] | codes[b] | codes[c], all = codes[a] & codes[b] & codes[c];
        sure[inside] = unsure[open] = i;
        inside += !any;
        open += any && !(all & BEYOND);
    }
    counts[0] = inside, counts[1] = open;
    return 0;
}
