/* Distance of convex hulls, against a radius: see core/touch/convex_distance.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two hulls that share no point are nearest at a corner and a face, at two edges, or at corners
 * and edges that bound these. Each pair of features is asked on its own, so the first that is near
 * enough decides. Squares are compared, and nothing is divided. */

#include "hulls.h"
#include "exact.h"

/* The most corners, edges and faces that a hull has. */
#define CORNERS 8
#define EDGES 12
#define FACES 6
/* Products whose squares are such a part of full ones are of nearly parallel vectors. */
#define NEARLY_PARALLEL 0x1p-20
/* What rounding may do to a squared distance, in squared lengths that it was made from; triangles
 * that are thinner than this part of their length are pierced at their edges only. */
#define ROUNDING 0x1p-44
#define THINNEST 0x1p-34

/* Corners; and by their numbers the ends of edges, and rings around faces. */
typedef struct {
    int corner_count, edge_count, face_count, ring;
    int8_t edges[EDGES][2], rings[FACES][4];
} Kind;

typedef struct {
    const Kind *kind;
    double corners[CORNERS][3];
} Hull;

static const Kind SEGMENT = {2, 1, 0, 0, {{0, 1}}, {{0}}};
static const Kind TRIANGLE = {3, 3, 1, 3, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1, 2}}};

static void subtract(const double *a, const double *b, double *difference) {
    for (int axis = 0; axis < 3; axis++) difference[axis] = a[axis] - b[axis];
}

static double lesser(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Return whether numbers are all not negative, or all not positive. */
static int have_one_sign(const double *numbers, int count) {
    int positive = 1, negative = 1;
    for (int i = 0; i < count; i++) positive &= numbers[i] >= 0, negative &= numbers[i] <= 0;
    return positive | negative;
}

/* Set a cross product, exact where the vectors are nearly parallel, and its square; return whether
 * they are: a small part of `full`. */
static int robust_cross(const double *a, const double *b, double full, double *product,
                        double *square) {
    cross(a, b, product);
    *square = dot(product, product);
    int is_thin = *square <= NEARLY_PARALLEL * full;
    if (is_thin && *square > 0) exact_cross(a, b, product), *square = dot(product, product);
    return is_thin;
}

/* Return whether a point lies between the corners of a ring along each of its edges. */
static int is_within_spans(const double *point, const double (*ring)[3], const double (*edges)[3],
                           int count) {
    for (int edge = 0; edge < count; edge++) {
        double least = INFINITY, most = -INFINITY;
        for (int corner = 0; corner < count; corner++) {
            double apart[3];
            subtract(point, ring[corner], apart);
            double along = dot(apart, edges[edge]);
            least = lesser(along, least), most = larger(along, most);
        }
        if (!(least <= 0 && most >= 0)) return 0;
    }
    return 1;
}

static int corners_near_corners(const Hull *ones, const Hull *others, double squared) {
    for (int i = 0; i < ones->kind->corner_count; i++)
        for (int j = 0; j < others->kind->corner_count; j++) {
            double apart[3];
            subtract(ones->corners[i], others->corners[j], apart);
            if (dot(apart, apart) <= squared) return 1;
        }
    return 0;
}

/* Return whether the foot of a perpendicular from a corner lies on an edge, and is near. */
static int corners_near_edges(const Hull *points, const Hull *hull, double squared) {
    for (int n = 0; n < hull->kind->edge_count; n++) {
        const double *start = hull->corners[hull->kind->edges[n][0]];
        double edge[3], apart[3], moment[3];
        subtract(hull->corners[hull->kind->edges[n][1]], start, edge);
        double length = dot(edge, edge);
        for (int i = 0; i < points->kind->corner_count && length > 0; i++) {
            subtract(points->corners[i], start, apart);
            double along = dot(apart, edge);
            if (!(along >= 0 && along <= length)) continue;
            cross(apart, edge, moment);
            if (dot(moment, moment) <= squared * length) return 1;
        }
    }
    return 0;
}

/* A face: its ring, the edges from each corner to the next, what of the plane is outwards from
 * these, and the normal. */
typedef struct {
    int ring, is_thin;
    double corners[4][3], edges[4][3], outwards[4][3], normal[3], area;
} Face;

static void set_face(const Hull *hull, int number, Face *face) {
    double full = 0, one[3], other[3];
    int ring = face->ring = hull->kind->ring;
    for (int n = 0; n < ring; n++)
        memcpy(face->corners[n], hull->corners[hull->kind->rings[number][n]], sizeof one);
    for (int n = 0; n < ring; n++) {
        subtract(face->corners[(n + 1) % ring], face->corners[n], face->edges[n]);
        full = larger(full, dot(face->edges[n], face->edges[n]));
    }
    subtract(face->corners[2], face->corners[0], one);
    subtract(face->corners[ring - 1], face->corners[1], other);
    face->is_thin = robust_cross(one, other, full * full, face->normal, &face->area);
    for (int n = 0; n < ring; n++) cross(face->edges[n], face->normal, face->outwards[n]);
}

/* Return whether the foot of a perpendicular from a point lies in a face, and is near. */
static int is_near_face(const Face *face, const double *point, double squared) {
    double apart[3], sides[4], height = 0;
    for (int n = 0; n < face->ring; n++) {
        subtract(point, face->corners[n], apart);
        sides[n] = dot(apart, face->outwards[n]);
        if (n == 0) height = dot(apart, face->normal);
    }
    return have_one_sign(sides, face->ring) && height * height <= squared * face->area
        && (!face->is_thin || is_within_spans(point, face->corners, face->edges, face->ring));
}

static int corners_near_faces(const Hull *points, const Hull *hull, double squared) {
    Face face;
    for (int n = 0; n < hull->kind->face_count; n++) {
        set_face(hull, n, &face);
        for (int i = 0; i < points->kind->corner_count && face.area > 0; i++)
            if (is_near_face(&face, points->corners[i], squared)) return 1;
    }
    return 0;
}

/* Return whether a common perpendicular of two edges ends on both, and is short. */
static int is_near_edge(const double *start, const double *edge, const double *other_start,
                        const double *other, double squared) {
    double apart[3], normal[3], moment[3], end[3], area, length = dot(edge, edge);
    int is_parallel = robust_cross(edge, other, length * dot(other, other), normal, &area);
    if (!(area > 0)) return 0;
    subtract(other_start, start, apart);
    double height = dot(apart, normal);
    if (!(height * height <= squared * area)) return 0;
    cross(apart, other, moment);
    double here = dot(moment, normal);
    if (!(here >= 0 && here <= area)) return 0;
    cross(apart, edge, moment);
    double there = dot(moment, normal);
    if (!(there >= 0 && there <= area)) return 0;
    if (!is_parallel) return 1;
    /* Lines that are nearly parallel meet anywhere, edges only where they pass each other. */
    for (int axis = 0; axis < 3; axis++) end[axis] = apart[axis] + other[axis];
    double first = dot(apart, edge), last = dot(end, edge);
    return lesser(first, last) <= length && larger(first, last) >= 0;
}

static int edges_near_edges(const Hull *ones, const Hull *others, double squared) {
    for (int i = 0; i < ones->kind->edge_count; i++)
        for (int j = 0; j < others->kind->edge_count; j++) {
            const int8_t *one = ones->kind->edges[i], *other = others->kind->edges[j];
            const double *start = ones->corners[one[0]], *from = others->corners[other[0]];
            double edge[3], along[3];
            subtract(ones->corners[one[1]], start, edge);
            subtract(others->corners[other[1]], from, along);
            if (is_near_edge(start, edge, from, along, squared)) return 1;
        }
    return 0;
}

/* Scale two hulls to about one by a power of two; return the squared radius there. */
static double scale_hulls(Hull *one, Hull *other, double radius) {
    double largest = larger(largest_of(one->corners[0], 3 * one->kind->corner_count),
                            largest_of(other->corners[0], 3 * other->kind->corner_count));
    double scale = power_of_two_scale(larger(largest, radius));
    for (int n = 0; n < 3 * one->kind->corner_count; n++) one->corners[n / 3][n % 3] *= scale;
    for (int n = 0; n < 3 * other->kind->corner_count; n++) other->corners[n / 3][n % 3] *= scale;
    return (radius * scale) * (radius * scale);
}

/* Return whether hulls that share no point are no farther apart than the radius. */
static int are_near(const Hull *one, const Hull *other, double radius) {
    Hull ours = {.kind = one->kind}, theirs = {.kind = other->kind};
    for (int n = 0; n < one->kind->corner_count; n++)
        subtract(one->corners[n], one->corners[0], ours.corners[n]);
    for (int n = 0; n < other->kind->corner_count; n++)
        subtract(other->corners[n], one->corners[0], theirs.corners[n]);
    double squared = scale_hulls(&ours, &theirs, radius);
    return corners_near_corners(&ours, &theirs, squared)
        || corners_near_edges(&ours, &theirs, squared)
        || corners_near_edges(&theirs, &ours, squared)
        || corners_near_faces(&ours, &theirs, squared)
        || corners_near_faces(&theirs, &ours, squared)
        || edges_near_edges(&ours, &theirs, squared);
}

/* The sphere around a triangle: the center of its bounds, and the radius. */
static double bounding_sphere(const double *corners, double *center) {
    double square = 0, largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double a = corners[axis], b = corners[3 + axis], c = corners[6 + axis];
        double low = lesser(lesser(a, b), c), high = larger(larger(a, b), c);
        center[axis] = (low + high) / 2;
        square += (high - low) * (high - low);
        largest = larger(largest, larger(fabs(low), fabs(high)));
    }
    return sqrt(square) * (0.5 + 0x1p-40) + largest * 0x1p-50;
}

/* Return 1 if a triangle is surely near a solid, -1 if it is surely far, else 0: as
 * `decided_by_closest_point` in core/touch/separating_axis.py. */
static int decide_by_foot(const double *foot, const double *toward, const double *corners,
                          double squared, double doubt) {
    double way[3], apart[3], gap = INFINITY, scale = power_of_two_scale(largest_of(toward, 3));
    int is_close = 0;
    for (int axis = 0; axis < 3; axis++) way[axis] = toward[axis] * scale;
    for (int c = 0; c < 9; c += 3) {
        subtract(corners + c, foot, apart);
        is_close |= dot(apart, apart) <= squared - doubt;
        gap = lesser(dot(apart, way), gap);
    }
    if (is_close) return 1;
    return gap > 0 && gap * gap > (squared + doubt) * dot(way, way) ? -1 : 0;
}

/* Return whether a segment passes through the plane of a triangle inside of it. */
static int is_pierced(const double *corners, const double *start, const double *end) {
    double seen[4][3], edges[3][3], normal[3], product[3], sides[3], apart[3], area, full = 0;
    for (int c = 0; c < 3; c++) subtract(corners + 3 * c, start, seen[c]);
    subtract(end, start, seen[3]);
    double scale = power_of_two_scale(largest_of(seen[0], 12));
    for (int n = 0; n < 12; n++) seen[n / 3][n % 3] *= scale;
    for (int c = 0; c < 3; c++) {
        subtract(seen[(c + 1) % 3], seen[c], edges[c]);
        full = larger(full, dot(edges[c], edges[c]));
    }
    full *= full;
    int is_thin = robust_cross(edges[0], edges[1], full, normal, &area);
    subtract(seen[3], seen[0], apart);
    double here = -dot(seen[0], normal), there = dot(apart, normal);
    int is_across = (here <= 0 && there >= 0) || (here >= 0 && there <= 0);
    if (!is_across || here == there) return 0;
    for (int c = 0; c < 3; c++) {
        cross(seen[c], seen[(c + 1) % 3], product);
        sides[c] = dot(seen[3], product);
    }
    if (!have_one_sign(sides, 3)) return 0;
    if (!is_thin) return 1;
    for (int axis = 0; axis < 3; axis++) apart[axis] = seen[3][axis] * (here / (here - there));
    return is_within_spans(apart, seen, edges, 3) && area > THINNEST * THINNEST * full;
}

int touches_capsule(const double *corners, const double *capsule) {
    const double *start = capsule, *end = capsule + 3, radius = capsule[6];
    double center[3], along[3], middle[3], foot[3], toward[3], seen[9], share = 0;
    double reach = bounding_sphere(corners, center) + radius;
    subtract(center, start, middle), subtract(end, start, along);
    double length = dot(along, along);
    if (length > 0) share = dot(middle, along) / length;
    share = lesser(larger(share, 0.0), 1.0);
    double doubt = ROUNDING * (dot(middle, middle) + length + radius * radius);
    for (int axis = 0; axis < 3; axis++) foot[axis] = share * along[axis];
    subtract(middle, foot, toward);
    if (!(dot(toward, toward) - doubt <= reach * reach)) return 0;
    for (int c = 0; c < 9; c += 3) subtract(corners + c, start, seen + c);
    int decided = decide_by_foot(foot, toward, seen, radius * radius, doubt);
    if (decided) return decided > 0;
    Hull segment = {.kind = &SEGMENT}, triangle = {.kind = &TRIANGLE};
    memcpy(segment.corners, capsule, 6 * sizeof *capsule);
    memcpy(triangle.corners, corners, 9 * sizeof *corners);
    return are_near(&segment, &triangle, radius) || is_pierced(corners, start, end);
}
