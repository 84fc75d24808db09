/* Placed patches as they are seen along a way, as in core/gaps/seen.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_SEEN_H
#define OCTREE_KERNEL_SEEN_H

#include "shadows.h"
#include "sheets.h"

/* By how much boxes are larger than they have to be, as a part of the terms of their coordinates;
 * and what rounding does to heights above tilted planes. */
#define GROWN 0x1p-40
#define TILTING 0x1p-47
/* How far rounding may move triangles, with what it does to altitudes, as a part of the terms. */
#define MOVED 0x1p-46

/* Bounds as seen along the way: of the shadow, of what lies along the way, and of that above a
 * plane that is tilted as surfaces are where they are nearest so far; and those along the axis that
 * is nearest to the way, without any rounding, or no numbers. */
typedef struct {
    double low[5], high[5];
} Box;
enum { TILTED = 3, EXACT = 4 };

/* The rows that place what is seen, how large their terms are, and the largest patches. Along axes
 * that are plain, what a box becomes is known without rounding. Of triangles with an altitude above
 * `thin`, rounding takes no area; it is negative as long as nobody has asked. */
typedef struct {
    double matrix[12], rows[4][4], terms[4][4], thin;
    int64_t top, count, plain[3]; /* the axis of the mesh that each is; or none, -1 */
} Side;

/* Two placements along a way, and how the plane is tilted above which heights are taken. */
typedef struct {
    Along along;
    Side sides[2];
    double slopes[2];
} Seen;

/* Set how planes are tilted; what is tilted is the height less its shadow's place times slopes. */
static void tilt(Seen *seen, const double *slopes) {
    memcpy(seen->slopes, slopes, sizeof seen->slopes);
    for (Side *side = seen->sides; side < seen->sides + 2; side++)
        for (int n = 0; n < 4; n++) {
            side->rows[3][n] = side->rows[2][n] - slopes[0] * side->rows[0][n]
                             - slopes[1] * side->rows[1][n];
            side->terms[3][n] = side->terms[2][n] + fabs(slopes[0]) * side->terms[0][n]
                              + fabs(slopes[1]) * side->terms[1][n];
        }
}

/* Up to which altitude a triangle may have no area where it is placed: rounding moves corners, and
 * the least singular value of the matrix tells how far that is where they came from. */
static double thin_of(const Sheets *sheets, const Side *side) {
    const double *one = side->matrix, *two = one + 4, *three = one + 8;
    double normal[3], size[3] = {0, 0, 0}, square = 0, largest = 0;
    for (int64_t patch = side->top; patch < side->top + side->count; patch++)
        for (int n = 0; n < 6; n++) {
            double end = fabs(sheets->boxes[n * sheets->patch_step + patch]);
            size[n % 3] = end > size[n % 3] ? end : size[n % 3];
        }
    for (const double *row = one; row < one + 12; row += 4) {
        double reach = fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
        square += dot(row, row), reach += fabs(row[3]);
        largest = reach > largest ? reach : largest;
    }
    cross(two, three, normal);
    return largest * square / fabs(dot(one, normal)) * MOVED;
}

/* Put a side where its placement does; 0 if there is none, or no mesh that was laid out. */
static int set_side(const Sheets *sheets, const Along *along, Side *side, int64_t row) {
    if (!find_tops(sheets, row, &side->top, &side->count, side->matrix)) return 0;
    if (!(largest_of(side->matrix, 12) <= LARGE)) return 0;
    const double *far = side->matrix + 4 * along->axes[2];
    double longest = along->direction[along->axes[2]];
    for (int n = 0; n < 4; n++) {
        for (int axis = 0; axis < 2; axis++) {
            const double *near = side->matrix + 4 * along->axes[axis];
            side->rows[axis][n] =
                near[n] - far[n] * (along->direction[along->axes[axis]] / longest);
            side->terms[axis][n] = fabs(near[n]) + fabs(far[n]);
        }
        side->rows[2][n] = far[n] / longest, side->terms[2][n] = 2 * fabs(far[n]);
    }
    for (int n = 0; n < 3; n++) {
        const double *row = side->matrix + 4 * along->axes[n];
        int is_plain = (n == 2 || along->direction[along->axes[n]] == 0)
                    && (row[0] != 0) + (row[1] != 0) + (row[2] != 0) <= 1;
        side->plain[n] = !is_plain ? -1 : row[1] != 0 ? 1 : row[2] != 0 ? 2 : 0;
    }
    side->thin = -1;
    return 1;
}

static Box box_of(const Sheets *sheets, const Seen *seen, int which, int64_t patch) {
    const Side *side = &seen->sides[which];
    const Along *along = &seen->along;
    double lows[3], highs[3], middle[3], half[3], size[3];
    int is_level = seen->slopes[0] == 0 && seen->slopes[1] == 0, are_known[4] = {0, 0, 0, 0};
    Box box;
    for (int n = 0; n < 3; n++) {
        double low = lows[n] = sheets->boxes[n * sheets->patch_step + patch];
        double high = highs[n] = sheets->boxes[(n + 3) * sheets->patch_step + patch];
        middle[n] = (low + high) / 2, half[n] = (high - low) / 2;
        size[n] = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
    }
    box.low[EXACT] = box.high[EXACT] = NAN;
    for (int n = 0; n < 3; n++) {
        const double *row = side->matrix + 4 * along->axes[n];
        int64_t at = side->plain[n];
        if (at < 0) continue;
        double one = row[at] * lows[at] + row[3], other = row[at] * highs[at] + row[3];
        if (n == 2 && along->direction[along->axes[2]] < 0) one = -one, other = -other;
        double low = one < other ? one : other, high = one < other ? other : one;
        if (n == 2) box.low[EXACT] = low, box.high[EXACT] = high;
        if (n == 2 && is_level) box.low[TILTED] = low, box.high[TILTED] = high;
        box.low[n] = low, box.high[n] = high;
        are_known[n] = n < 2 || along->error == 0;
    }
    are_known[TILTED] = are_known[2] && is_level;
    for (int n = 0; n < 4; n++) {
        const double *row = side->rows[n], *terms = side->terms[n];
        if (are_known[n]) continue;
        double center = dot(row, middle) + row[3];
        double extent = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        extent += (dot(terms, size) + terms[3]) * GROWN;
        box.low[n] = center - extent, box.high[n] = center + extent;
    }
    return box;
}

/* How many of two patches may hold triangles without area. */
static int count_thin(const Sheets *sheets, Seen *seen, const int64_t *patches) {
    int count = 0;
    for (int n = 0; n < 2; n++) {
        Side *side = &seen->sides[n];
        if (side->thin < 0) side->thin = thin_of(sheets, side);
        count += !(sheets->altitudes[patches[n]] > side->thin);
    }
    return count;
}

/* Whether the shadows of two patches, or of triangles in them, surely only graze: where they are
 * known without rounding. Triangles whose shadows are points meet though these have no inside. */
static int only_graze(const Sheets *sheets, Seen *seen, const int64_t *patches, const Box *one,
                      const Box *other) {
    for (int n = 0; n < 2; n++)
        if ((one->low[n] == other->high[n] || one->high[n] == other->low[n])
            && seen->sides[0].plain[n] >= 0 && seen->sides[1].plain[n] >= 0)
            return count_thin(sheets, seen, patches) < 2;
    return 0;
}

/* Whether two boxes lie in one plane across the way. */
static int are_flat(const Box *one, const Box *other) {
    double height = one->low[EXACT];
    return one->high[EXACT] == height && other->low[EXACT] == height
        && other->high[EXACT] == height;
}

/* The lowest entry in a patch; -1 if that is not there. */
static int64_t lowest_in(const Sheets *sheets, int64_t patch) {
    while (!sheets->are_small[patch]) {
        int64_t first = sheets->firsts[patch];
        if (first < 0 || first >= patch) return -1;
        patch = first;
    }
    return sheets->firsts[patch];
}

#endif
