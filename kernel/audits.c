/* Audits: how far placed triangles are apart, pair by pair, and points from triangles; cuts of
 * surfaces by others, and what faces share in one plane.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of the NumPy functions in `core`. Nothing is allocated. Triangles that
 * overflow or do not fit are left to the caller. */

#include "octree_kernel.h"
#include "closest.h"
#include "exact.h"
#include "triangles.h"

/* Read `count` numbers of a column. */
static void read_column(const double *rows, int64_t step, int64_t column, int count,
                        double *numbers) {
    for (int n = 0; n < count; n++) numbers[n] = rows[n * step + column];
}

/* ---- Pairs of triangles within a margin, as in core/clash/contacts.py ---- */

/* Return the largest coordinate difference between a triangle's corners and a point. */
static double farthest_coordinate(const double *corners, const double *from) {
    double away[9];
    for (int n = 0; n < 9; n++) away[n] = corners[n] - from[n % 3];
    return largest_of(away, 9);
}

/* Return whether `other` surely lies beyond the margin on one side of the plane of `one`. */
static int is_beyond_plane(const double *one, const double *other, double margin) {
    double normal[3], low, high;
    normal_of(one, normal), heights_of(other, one, normal, &low, &high);
    double size = farthest_coordinate(other, one) + farthest_coordinate(one, one);
    double reach = sqrt(dot(normal, normal)) * (margin + size * 0x1p-44);
    reach += size * size * size * 0x1p-48;
    return low > reach || high < -reach;
}

/* Measure how far items i and count + i are apart: infinity if surely beyond the margin, NaN of
 * pairs that are left to the caller. */
EXPORT int64_t octree_kernel_measure(const Batch *items, int64_t count, double margin,
                                     double *lengths) {
    USE_DEFAULT_FLOATS;
    double one[9], other[9], way[3];
    for (int64_t i = 0; i < count; i++)
        lengths[i] = !corners_of(items, i, one) || !corners_of(items, count + i, other)
                  || !fit(one) || !fit(other) ? NAN
                   : is_beyond_plane(one, other, margin)
                  || is_beyond_plane(other, one, margin) ? INFINITY
                   : touch(one, other) ? 0 : gap_of(one, other, way);
    return count;
}

/* ---- Points and triangles, as in core/touch/triangle_distance.py ---- */

/* Return the distance of a point from a triangle, NaN if it overflows. */
static double height_of(const double *point, const double *corners) {
    const double origin[3] = {0, 0, 0};
    double seen[9];
    Features found;
    for (int n = 0; n < 9; n++) seen[n] = corners[n] - point[n % 3];
    if (!fit(seen)) return NAN;
    double scale = scale_to_one(seen, 9);
    set_features(seen, origin, &found);
    return sqrt(found.least) / scale;
}

/* Measure how far points, of (3, point_step), are from triangles, of (9, step): NaN of points
 * that are left to the caller. */
EXPORT int64_t octree_kernel_heights(const double *points, int64_t point_step,
                                     const double *triangles, int64_t step, int64_t count,
                                     double *heights) {
    USE_DEFAULT_FLOATS;
    double point[3], corners[9];
    for (int64_t i = 0; i < count; i++) {
        read_column(points, point_step, i, 3, point), read_column(triangles, step, i, 9, corners);
        heights[i] = height_of(point, corners);
    }
    return count;
}

/* ---- Cuts of surfaces by triangles, as in core/clash/cutting.py and core/clash/pieces.py ---- */

/* The most parts of a triangle that three planes cut, and the points of a cutter near the other's
 * plane. */
#define MOST_PIECES 27
#define PLANE_POINTS 6

/* Return whether a triangle comes near points (3, PLANE_POINTS) in its plane: no edge separates
 * them. */
static int is_near(const double *corners, const double *points, const double *normal,
                   double band) {
    double one[3], other[3], across[3];
    for (int axis = 0; axis < 3; axis++) {
        double low, high, least, most;
        span_of(corners + axis, 3, 3, &low, &high);
        span_of(points + axis * PLANE_POINTS, 1, PLANE_POINTS, &least, &most);
        if (!(least <= high + 2 * band && most >= low - 2 * band)) return 0;
    }
    normal_of(corners, across);
    if (dot(across, normal) <= 0) return 1;
    for (int c = 0; c < 9; c += 3) {
        const double *start = corners + c;
        double beyond = INFINITY;
        subtract(corners + (c + 3) % 9, start, one), cross(one, normal, across);
        for (int n = 0; n < PLANE_POINTS; n++) {
            for (int axis = 0; axis < 3; axis++)
                other[axis] = points[axis * PLANE_POINTS + n] - start[axis];
            double out = dot(across, other);
            beyond = min_else_second(out, beyond);
        }
        if (!(beyond <= 2 * band * sqrt(dot(across, across)))) return 0;
    }
    return 1;
}

/* Flag the pairs of parts (9, part_count) and cutters that come near each other; returns how many
 * pairs had valid indices. */
EXPORT int64_t octree_kernel_beside(const double *parts, int64_t part_count,
                                    const Cutters *cutters, const int64_t *numbers,
                                    const int64_t *theirs, int64_t count, double band,
                                    uint8_t *flags) {
    USE_DEFAULT_FLOATS;
    double corners[9], bounds[6], points[3 * PLANE_POINTS], normal[3];
    int64_t latest = -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t part = numbers[i], cutter = theirs[i];
        if (part < 0 || part >= part_count || cutter < 0 || cutter >= cutters->count) return i;
        if (part != latest) {
            read_column(parts, part_count, part, 9, corners), latest = part;
            for (int axis = 0; axis < 3; axis++) {
                span_of(corners + axis, 3, 3, &bounds[axis], &bounds[axis + 3]);
                bounds[axis] -= 2 * band, bounds[axis + 3] += 2 * band;
            }
        }
        const double *there = cutters->bounds + cutter;
        int met = 1;
        for (int axis = 0; axis < 3; axis++)
            met &= bounds[axis] <= there[(axis + 3) * cutters->count]
                && bounds[axis + 3] >= there[axis * cutters->count];
        if (met) {
            read_column(cutters->points, cutters->count, cutter, 3 * PLANE_POINTS, points);
            read_column(cutters->normals, cutters->count, cutter, 3, normal);
            met = is_near(corners, points, normal, band);
        }
        flags[i] = (uint8_t)met;
    }
    return count;
}

/* Find the unit normal of the plane through an edge, or of the triangle (3); return its height. */
static double plane_through(const double *corners, int number, double *normal) {
    double edge[3], up[3];
    const double *start = corners + 3 * (number % 3);
    normal_of(corners, up), memcpy(normal, up, sizeof up);
    if (number < 3)
        subtract(corners + 3 * ((number + 1) % 3), start, edge), cross(up, edge, normal);
    double length = sqrt(dot(normal, normal));
    for (int axis = 0; axis < 3; axis++) normal[axis] = length > 0 ? normal[axis] / length : 0;
    return dot(normal, start);
}

/* Divide a triangle by a plane that has a corner on each side: into a tip, a base, and a third
 * part where the base has four corners. Returns the number of parts, 1 if it is whole. */
static int cut(const double *corners, const double *normal, double height, double through,
               double parts[3][9]) {
    double sides[3];
    int signs[3], low = 1, high = -1, total = 0, alone = 0;
    for (int c = 0; c < 3; c++) {
        sides[c] = dot(normal, corners + 3 * c) - height;
        if (fabs(sides[c]) <= through) sides[c] = 0;
        signs[c] = (sides[c] > 0) - (sides[c] < 0), total += signs[c];
        low = signs[c] < low ? signs[c] : low, high = signs[c] > high ? signs[c] : high;
    }
    if (!(high > 0 && low < 0)) return 1;
    while (signs[alone] != (total > 0 ? -1 : 1)) alone++;
    const double *first = corners + 3 * alone, *second = corners + 3 * ((alone + 1) % 3);
    const double *third = corners + 3 * ((alone + 2) % 3);
    double a = sides[alone], b = sides[(alone + 1) % 3], c = sides[(alone + 2) % 3];
    for (int axis = 0; axis < 3; axis++) {
        double one = first[axis] + a / (a - b) * (second[axis] - first[axis]);
        double other = first[axis] + a / (a - c) * (third[axis] - first[axis]);
        const double rows[3][3] = {{first[axis], one, other},
                                   {one, second[axis], third[axis]},
                                   {one, third[axis], other}};
        for (int part = 0; part < 3; part++)
            for (int corner = 0; corner < 3; corner++)
                parts[part][3 * corner + axis] = rows[part][corner];
    }
    return c != 0 ? 3 : 2;
}

/* Cut each of some parts that has both sides of the plane, if it comes near points, unless these
 * are NULL; whole ones stay before tips, these before bases, and these before rests. `codes` grow
 * by 0 to 3 times a digit for which of these a part is. */
static int cut_all(double parts[MOST_PIECES][9], int *codes, int digit, int count,
                   const double *normal, double height, double through, const double *points,
                   const double *facing, double band) {
    double made[3][MOST_PIECES][9];
    int whole = 0, counts[3] = {0}, before[3][MOST_PIECES];
    for (int i = 0; i < count; i++) {
        double three[3][9];
        int each = points && !is_near(parts[i], points, facing, band)
                 ? 1 : cut(parts[i], normal, height, through, three);
        if (each == 1) {
            codes[whole] = codes[i];
            memmove(parts[whole++], parts[i], sizeof parts[i]);
        }
        for (int n = 0; n < each && each > 1; n++) {
            before[n][counts[n]] = codes[i];
            memcpy(made[n][counts[n]++], three[n], sizeof three[n]);
        }
    }
    count = whole;
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < counts[n]; i++) {
            codes[count] = before[n][i] + (n + 1) * digit;
            memcpy(parts[count++], made[n][i], sizeof made[n][i]);
        }
    return count;
}

/* Return whether all corners of a triangle lie within the band of another: 1, 0, or -1 if
 * unknown. */
static int is_on(const double *corners, const double *cutter, double band) {
    double far = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low, high, least, most;
        span_of(corners + axis, 3, 3, &low, &high);
        span_of(cutter + axis, 3, 3, &least, &most);
        if (!(low >= least - 2 * band && high <= most + 2 * band)) return 0;
    }
    for (int c = 0; c < 9; c += 3) {
        double height = height_of(corners + c, cutter);
        if (isnan(height)) return -1;
        far = max_else_second(height, far);
    }
    return far <= band;
}

/* Divide triangles (9, count) each by its cutter, without the parts that lie on the cutter: parts
 * (9, room), and the triangle of each, ascending. Returns how many parts; -1 if they are left to
 * the caller. */
EXPORT int64_t octree_kernel_cut(const double *triangles, int64_t count, const Cutters *cutters,
                                 const int64_t *theirs, double band, double through,
                                 double *parts, int64_t *whose, int64_t room) {
    USE_DEFAULT_FLOATS;
    double cutter[9], points[3 * PLANE_POINTS], facing[3], normal[3], found[MOST_PIECES][9];
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t number = theirs[i];
        int each = 1, is_flat, codes[MOST_PIECES] = {0};
        if (number < 0 || number >= cutters->count) return DAMAGED;
        read_column(triangles, count, i, 9, found[0]);
        read_column(cutters->corners, cutters->count, number, 9, cutter);
        read_column(cutters->points, cutters->count, number, 3 * PLANE_POINTS, points);
        read_column(cutters->normals, cutters->count, number, 3, facing);
        is_flat = cutters->flat[number] != 0;
        for (int plane = is_flat ? 0 : 3; plane < (is_flat ? 3 : 4); plane++) {
            double height = plane_through(cutter, plane, normal);
            each = cut_all(found, codes, 0, each, normal, height, through,
                           plane == 0 || plane == 3 ? NULL : points, facing, band);
        }
        for (int n = 0; n < each; n++) {
            int state = is_on(found[n], cutter, band);
            if (state > 0) continue;
            if (state < 0 || made == room) return DAMAGED;
            for (int c = 0; c < 9; c++) parts[c * room + made] = found[n][c];
            whose[made++] = i;
        }
    }
    return made;
}

/* Return whether two triangles may share an area in one plane. */
static int are_in_one_plane(const double *one, const double *other, double band) {
    double normal[3], other_normal[3], turned[3], low, high;
    normal_of(one, normal), normal_of(other, other_normal), cross(normal, other_normal, turned);
    heights_of(other, one, normal, &low, &high);
    double sizes = dot(normal, normal) * dot(other_normal, other_normal);
    double squared = dot(turned, turned), length = sqrt(dot(normal, normal));
    double away = maximum(-low, high);
    return squared <= 0.5 * sizes && (away <= 4 * band * length || squared <= 0x1p-30 * sizes);
}

/* Set the arrays of `Cutters`, except the bounds, for pairs of a triangle (9, count) and its
 * cutter. */
EXPORT int64_t octree_kernel_see_cutters(const double *triangles, const double *cutters,
                                         int64_t count, double band, double *normals,
                                         uint8_t *flat, double *points) {
    USE_DEFAULT_FLOATS;
    for (int64_t i = 0; i < count; i++) {
        double one[9], other[9], normal[3], heights[3], seen[3][2 * 3];
        read_column(triangles, count, i, 9, one), read_column(cutters, count, i, 9, other);
        flat[i] = (uint8_t)are_in_one_plane(one, other, band);
        double start = plane_through(one, 3, normal);
        double reach = 4 * band + largest_of(one, 9) * 0x1p-40;
        for (int axis = 0; axis < 3; axis++) normals[axis * count + i] = normal[axis];
        for (int c = 0; c < 3; c++) heights[c] = dot(normal, other + 3 * c) - start;
        int first = -1, counts[3];
        for (int c = 0; c < 3; c++) {
            double height = heights[c], step = heights[(c + 1) % 3] - height;
            double from = step != 0 ? (-reach - height) / step : 0;
            double to = step != 0 ? (reach - height) / step : 1;
            double begin = minimum(from, to), end = maximum(from, to);
            counts[c] = step != 0 ? begin <= 1 && end >= 0 : fabs(height) <= reach;
            if (counts[c] && first < 0) first = c;
            begin = clamp_share(begin), end = clamp_share(end);
            for (int axis = 0; axis < 3; axis++) {
                double here = other[3 * c + axis], way = other[(3 * c + 3) % 9 + axis] - here;
                seen[axis][c] = here + begin * way, seen[axis][3 + c] = here + end * way;
            }
        }
        for (int axis = 0; axis < 3; axis++)
            for (int n = 0; n < PLANE_POINTS; n++)
                points[(axis * PLANE_POINTS + n) * count + i] = counts[n % 3] ? seen[axis][n]
                                                        : first < 0 ? INFINITY : seen[axis][first];
    }
    return count;
}

/* ---- Pieces of a surface in a solid, as in core/clash/depth.py ---- */

/* Divide pieces (9, count), those `from` one on, each along the edges of its nearest triangle:
 * parts (9, room) of the divided pieces, the piece of each part, and the distance of its farthest
 * corner from that triangle, NaN if it is left to the caller. `turns` sort the parts; parts of
 * equal turns are in the order of their pieces. `made` is the number of parts. Returns the piece
 * for which room ran out, or `count`. */
EXPORT int64_t octree_kernel_split(const double *pieces, const double *nearest, int64_t count,
                                   int64_t from, double through, double *parts, int64_t *whose,
                                   double *uppers, int64_t *turns, int64_t room, int64_t *made) {
    USE_DEFAULT_FLOATS;
    double triangle[9], normal[3], found[MOST_PIECES][9];
    *made = 0;
    for (int64_t i = from; i < count; i++) {
        int codes[MOST_PIECES] = {0}, each = 1;
        read_column(pieces, count, i, 9, found[0]), read_column(nearest, count, i, 9, triangle);
        for (int edge = 0; edge < 3; edge++) {
            double height = plane_through(triangle, edge, normal);
            each = cut_all(found, codes, 1 << 2 * edge, each, normal, height, through, NULL,
                           NULL, 0);
        }
        if (each == 1) continue;
        if (*made + each > room) return i;
        for (int n = 0; n < each; n++) {
            int64_t at = *made + n;
            uppers[at] = 0;
            for (int c = 0; c < 9; c += 3) {
                double height = height_of(found[n] + c, triangle);
                if (!(height <= uppers[at]) && !isnan(uppers[at])) uppers[at] = height;
            }
            for (int c = 0; c < 9; c++) parts[c * room + at] = found[n][c];
            whose[at] = i, turns[at] = codes[n];
        }
        *made += each;
    }
    return count;
}

/* ---- Areas in one plane, as in core/clash/coplanar.py ---- */

/* Corners of a triangle that was clipped three times, at most. */
#define CLIPPED 6

/* Clip a convex polygon (count, 3) to the side that is not negative. Surplus corners repeat the
 * last one. If nothing is left, the first corner stays. */
static void clip(double polygon[][3], int count, const double *sides) {
    double found[CLIPPED][3];
    int kept = 0;
    for (int n = 0; n < count; n++) {
        int next = (n + 1) % count;
        double side = sides[n], next_side = sides[next];
        if (side >= 0 && kept <= count) memcpy(found[kept++], polygon[n], sizeof found[0]);
        if (((side > 0 && next_side < 0) || (side < 0 && next_side > 0)) && kept <= count) {
            double share = side / (side - next_side);
            for (int axis = 0; axis < 3; axis++)
                found[kept][axis] = polygon[n][axis]
                                  + share * (polygon[next][axis] - polygon[n][axis]);
            kept++;
        }
    }
    if (kept == 0) memcpy(found[kept++], polygon[0], sizeof found[0]);
    for (int n = 0; n <= count; n++)
        memcpy(polygon[n], found[n < kept ? n : kept - 1], sizeof found[0]);
}

/* Return the area that two triangles share in one plane within the band, and set its middle. */
static double share_of(const double *ones, const double *others, double band, double *middle) {
    double triangle[9], polygon[CLIPPED][3], normal[3], edge[3], inwards[3], sides[CLIPPED];
    double one[9], moment[3] = {0}, area = 0, square = 0, high = 0;
    for (int n = 0; n < 9; n++) one[n] = ones[n] - others[n % 3];
    for (int n = 0; n < 9; n++) triangle[n] = others[n] - others[n % 3];
    double scale = power_of_two_scale(maximum(largest_of(one, 9), largest_of(triangle, 9)));
    double slack = band * scale * (1 + 0x1p-20);
    for (int n = 0; n < 9; n++) polygon[n / 3][n % 3] = one[n] * scale, triangle[n] *= scale;
    cross(triangle + 3, triangle + 6, normal);
    double length = sqrt(dot(normal, normal));
    for (int axis = 0; axis < 3; axis++) normal[axis] /= length;
    for (int start = 0; start < 3; start++) {
        const double *from = triangle + 3 * start;
        subtract(triangle + 3 * ((start + 1) % 3), from, edge), cross(normal, edge, inwards);
        for (int n = 0; n < 3 + start; n++)
            subtract(polygon[n], from, edge), sides[n] = dot(inwards, edge);
        clip(polygon, 3 + start, sides);
    }
    for (int n = 0; n < CLIPPED; n++) {
        double height = fabs(dot(normal, polygon[n]));
        high = max_else_second(height, high);
    }
    for (int n = 1; n < CLIPPED - 1; n++) {
        double to[3], next[3], part[3];
        subtract(polygon[n], polygon[0], to), subtract(polygon[n + 1], polygon[0], next);
        cross(to, next, part);
        double share = fabs(dot(normal, part)) / 2;
        area += share;
        for (int axis = 0; axis < 3; axis++)
            moment[axis] += share * ((polygon[0][axis] + polygon[n][axis] + polygon[n + 1][axis])
                                     / 3);
    }
    for (int axis = 0; axis < 3; axis++) {
        double low, most;
        span_of(&polygon[0][axis], 3, CLIPPED, &low, &most);
        square += (most - low) * (most - low);
    }
    int counts = high <= slack && area > band * scale * sqrt(square);
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = counts ? moment[axis] / area / scale + others[axis] : 0;
    return counts ? area / (scale * scale) : 0;
}

/* Find the areas that pairs of triangles (9, count) share in one plane, and their middles (3,
 * count). No normal is zero. */
EXPORT int64_t octree_kernel_share(const double *ones, const double *others, int64_t count,
                                   double band, double *areas, double *middles) {
    USE_DEFAULT_FLOATS;
    double one[9], other[9], middle[3];
    for (int64_t i = 0; i < count; i++) {
        read_column(ones, count, i, 9, one), read_column(others, count, i, 9, other);
        areas[i] = share_of(one, other, band, middle);
        for (int axis = 0; axis < 3; axis++) middles[axis * count + i] = middle[axis];
    }
    return count;
}
