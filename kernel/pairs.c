/* Pairs of triangles: whether they touch; and the shortest ways between placed surfaces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As `kernel.c`: answers have the bits of the NumPy functions in `core`, nothing is allocated, and
 * what does not fit is left to the caller. What is given is not trusted: each index is checked. */

#include "triangles.h"

/* Tell which pairs of triangles touch, 1 or 0; 2 of those that are left to the caller. */
EXPORT int64_t octree_kernel_touching(const Batch *ones, const int64_t *ids, const Batch *others,
                                      const int64_t *numbers, int64_t count, uint8_t *flags) {
    USE_DEFAULT_FLOATS;
    double one[9], other[9];
    for (int64_t i = 0; i < count; i++)
        flags[i] = !corners_of(ones, ids[i], one) || !corners_of(others, numbers[i], other)
                || !(largest_of(one, 9) <= LARGE && largest_of(other, 9) <= LARGE)
                 ? 2 : (uint8_t)touch(one, other);
    return count;
}

/* ---- Surfaces that are placed ---- */

/* What rounding may take from a gap of boxes, and from triangles that are equally near, as in
 * core/place; and from what is placed, as a part of the largest coordinate on its way. */
#define GAP_ROUNDING 0x1p-44
#define EQUAL 0x1p-46
#define PLACING 0x1p-46

/* A box as it is placed, and where it lies along the shortest way. */
typedef struct {
    double middle[3], half[3], along, reach;
} Box;

typedef struct {
    double corners[9];
    Box box;
    int64_t entry;
} Face;

typedef struct {
    int64_t entries[2], items[2];
    double length, slack;
} Way;

typedef struct {
    double matrix[12], seen[4]; /* the shortest way as the mesh sees it */
    int64_t top, count;         /* its largest patches */
} Side;

/* A search first goes down from one pair of patches, then from the others; and from all once more,
 * if it cannot tell which way is to be named. */
enum { NOT_BEGUN = 0, DIVES = 1, FOLLOWS = 2, LOOKS_AGAIN = 3 };
/* What is searched; and what is found of crossings. */
enum { GAPS = 0, CROSSINGS = 1, TOUCHINGS = 2, ALL_TOUCHINGS = 3 };
enum { APART = 0, TOUCHES = 1, CROSSES = 2 };

/* The search of a pair of placements: what it looks for is no farther than `limit`. */
struct Search {
    Side sides[2];
    double slack, equal, limit, best, way[3];
    int64_t kind, phase, height, is_unsure, first;
    Way named;     /* of those that are as short as the shortest */
    double passed; /* how short the others are at least */
    Box tops[2][TOPS];
    Waiting stack[WAITING];
    Face placed[2][RUN];
    int64_t patches[2]; /* whose triangles are `placed` */
    int64_t *found, room, made, pair; /* of ALL_TOUCHINGS: (3, room) pairs of rows, entries */
};

EXPORT int64_t octree_kernel_search_size(void) { return sizeof(Search); }

static Box box_of(const Sheets *sheets, const Search *search, int which, int64_t patch) {
    const Side *side = &search->sides[which];
    Box box = {.along = side->seen[3]};
    const double *row = sheets[which].boxes + patch, *matrix = side->matrix;
    double middle[3], half[3];
    for (int n = 0; n < 3; n++) {
        int64_t step = sheets[which].patch_step;
        double low = row[n * step], high = row[(n + 3) * step];
        middle[n] = (low + high) / 2, half[n] = (high - low) / 2;
        box.along += side->seen[n] * middle[n], box.reach += fabs(side->seen[n]) * half[n];
    }
    for (int n = 0; n < 3; n++, matrix += 4) {
        box.middle[n] = dot(matrix, middle) + matrix[3];
        box.half[n] = fabs(matrix[0]) * half[0] + fabs(matrix[1]) * half[1]
                    + fabs(matrix[2]) * half[2];
    }
    return box;
}

/* How far two boxes are apart at least; what is no number counts as near. */
static double apart_of(const Search *search, const Box *one, const Box *other) {
    double square = 0;
    for (int n = 0; n < 3; n++) {
        double gap = fabs(one->middle[n] - other->middle[n]) - one->half[n] - other->half[n];
        gap = gap > search->slack ? gap - search->slack : 0;
        square += gap * gap;
    }
    double along = other->along - one->along - one->reach - other->reach - search->slack;
    double least = sqrt(square);
    return (along > least ? along : least) * (1 - GAP_ROUNDING);
}

/* Whether two boxes may be as near as is looked for: where that is to touch, whether they meet. */
static int are_near(const Search *search, const Box *one, const Box *other) {
    if (search->kind == GAPS) return apart_of(search, one, other) <= search->limit;
    for (int n = 0; n < 3; n++) {
        double gap = fabs(one->middle[n] - other->middle[n]) - one->half[n] - other->half[n];
        if (gap > search->slack) return 0;
    }
    return 1;
}

static double middles_apart(const Box *one, const Box *other) {
    double way[3];
    for (int n = 0; n < 3; n++) way[n] = one->middle[n] - other->middle[n];
    return dot(way, way);
}

/* Let the way be seen from both meshes. */
static void set_way(Search *search, const double *way) {
    double length = sqrt(dot(way, way));
    for (int n = 0; n < 3; n++) search->way[n] = length > 0 ? way[n] / length : 0;
    for (Side *side = search->sides; side < search->sides + 2; side++) {
        memset(side->seen, 0, sizeof side->seen);
        for (int row = 0; row < 3; row++)
            for (int n = 0; n < 4; n++)
                side->seen[n] += search->way[row] * side->matrix[4 * row + n];
    }
}

/* Put a side where its placement does; 0 if there is none, or no mesh that was laid out. */
static int set_side(const Sheets *sheets, Side *side, int64_t row, double *largest) {
    if (!find_tops(sheets, row, &side->top, &side->count, side->matrix)) return 0;
    double sizes[3] = {0, 0, 0};
    for (int64_t patch = side->top; patch < side->top + side->count; patch++)
        for (int n = 0; n < 6; n++) {
            double size = fabs(sheets->boxes[n * sheets->patch_step + patch]);
            sizes[n % 3] = size > sizes[n % 3] ? size : sizes[n % 3];
        }
    for (int n = 0; n < 12; n += 4) {
        double size = fabs(side->matrix[n + 3]);
        for (int i = 0; i < 3; i++) size += fabs(side->matrix[n + i]) * sizes[i];
        *largest = size > *largest ? size : *largest;
    }
    return 1;
}

/* Let largest patches wait that are near enough: those whose middles are the nearest; or, later,
 * all others, or all. */
static void start(const Sheets *sheets, Search *search, int64_t phase) {
    int64_t counts[2];
    search->phase = phase, search->height = 0;
    for (int which = 0; which < 2; which++) {
        Side *side = &search->sides[which];
        counts[which] = side->count;
        for (int64_t i = 0; i < side->count; i++)
            search->tops[which][i] = box_of(sheets, search, which, side->top + i);
    }
    for (int64_t n = 0; n < counts[0] * counts[1]; n++) {
        int64_t i = n / counts[1], j = n % counts[1];
        const Box *one = &search->tops[0][i], *other = &search->tops[1][j];
        double apart = middles_apart(one, other);
        if (phase == DIVES ? n && !(apart < search->stack[0].rank)
                           : (phase == FOLLOWS && n == search->first)
                                 || !are_near(search, one, other)) continue;
        if (phase == DIVES) search->height = 0, search->first = n;
        Waiting both = {{search->sides[0].top + i, search->sides[1].top + j}, apart};
        wait_for(search->stack, &search->height, both, 0);
    }
}

/* Begin the search of a pair; 0 if it is left to the caller. */
static int begin(const Sheets *sheets, Search *search, int64_t one, int64_t other, double limit,
                 double slack) {
    double largest = 0, nowhere[3] = {0, 0, 0};
    search->named = (Way){.entries = {-1, -1}, .length = NAN};
    if (!set_side(&sheets[0], &search->sides[0], one, &largest)) return 0;
    if (!set_side(&sheets[1], &search->sides[1], other, &largest)) return 0;
    if (!(largest <= LARGE)) return 0;
    search->equal = slack, search->slack = slack + 2 * largest * PLACING;
    search->limit = limit, search->best = search->kind == GAPS ? INFINITY : APART;
    search->passed = INFINITY, search->is_unsure = 0;
    search->patches[0] = search->patches[1] = -1;
    set_way(search, nowhere);
    start(sheets, search, DIVES);
    return 1;
}

/* Go on to the next phase, once nothing waits; 0 if that was the last. */
static int goes_on(const Sheets *sheets, Search *search) {
    if (search->kind != GAPS && search->best == CROSSES) return 0;
    if (search->height > 0) return 1;
    if (search->phase == LOOKS_AGAIN || (search->phase == FOLLOWS && !search->is_unsure)) return 0;
    if (search->phase == FOLLOWS) search->passed = INFINITY, search->named.length = NAN;
    start(sheets, search, search->phase + 1);
    return 1;
}

/* The lower of two ways is named of those that are equally short. */
static int is_lower(const Way *one, const Way *other) {
    return one->items[0] < other->items[0]
        || (one->items[0] == other->items[0] && one->items[1] < other->items[1]);
}

/* Name a way, unless it is longer than the shortest. Whoever was to be named instead, and is too
 * long by now, may have stood before one that is not: then all has to be looked at once more. */
static void name(Search *search, const Way *way) {
    Way *named = &search->named;
    if (!(way->length <= search->best + way->slack)) return;
    if (!(named->length <= search->best + named->slack)) {
        search->is_unsure |= search->passed <= search->best;
        search->passed = INFINITY, *named = *way;
        return;
    }
    Way passed = is_lower(way, named) ? *named : *way;
    double least = (passed.length - passed.slack) * (1 - EQUAL);
    search->passed = least < search->passed ? least : search->passed;
    if (is_lower(way, named)) *named = *way;
}

/* Place a triangle, with the box around it; 0 if it is not there. */
static int place_face(const Sheets *sheets, const double *matrix, int64_t entry, Face *face) {
    face->entry = entry, face->box.along = face->box.reach = 0;
    if (!place(&sheets->triangles, entry, matrix, face->corners)) return 0;
    for (int n = 0; n < 3; n++) {
        double low, high;
        span_of(face->corners + n, 3, 3, &low, &high);
        face->box.middle[n] = (low + high) / 2, face->box.half[n] = (high - low) / 2;
    }
    return 1;
}

static void see_along(const Search *search, Face *face) {
    double along[3], low, high;
    for (int c = 0; c < 3; c++) along[c] = dot(search->way, face->corners + 3 * c);
    span_of(along, 1, 3, &low, &high);
    face->box.along = (low + high) / 2, face->box.reach = (high - low) / 2;
}

/* Place the triangles of a small patch, unless they are those that were placed last, and copy the
 * ones that may be near a box; returns how many, -1 if they are not there. */
static int place_faces(const Sheets *sheets, Search *search, int which, int64_t patch,
                       const Box *box, Face *faces) {
    const double *matrix = search->sides[which].matrix;
    int64_t first = sheets->firsts[patch], count = sheets->counts[patch];
    Face *placed = search->placed[which];
    int near = 0, is_known = search->patches[which] == patch;
    if (count < 0 || count > RUN || first < 0 || first > sheets->triangles.face_count - count)
        return -1;
    search->patches[which] = -1;
    for (int64_t i = 0; i < count; i++) {
        Face *face = &placed[i];
        if (!is_known && !place_face(sheets, matrix, first + i, face)) return -1;
        if (search->kind == GAPS) see_along(search, face);
        if (which ? are_near(search, box, &face->box) : are_near(search, &face->box, box))
            faces[near++] = *face;
    }
    search->patches[which] = patch;
    return near;
}

/* Measure two triangles; tell whether their way is shorter than others. */
static int measure(const Sheets *sheets, Search *search, Face *one, Face *other, int is_turned) {
    double way[3], extent = 0;
    Way found = {.entries = {one->entry, other->entry}};
    found.length = gap_of(one->corners, other->corners, way);
    if (!(found.length <= search->limit)) return 0;
    for (int n = 0; n < 3; n++) {
        double low, high, other_low, other_high;
        span_of(one->corners + n, 3, 3, &low, &high);
        span_of(other->corners + n, 3, 3, &other_low, &other_high);
        extent = maximum(extent, maximum(high, other_high) - minimum(low, other_low));
    }
    found.slack = extent * EQUAL;
    for (int n = 0; n < 2; n++) found.items[n ^ is_turned] = sheets[n].order[found.entries[n]];
    int is_shorter = found.length < search->best;
    if (is_shorter) {
        search->best = found.length;
        double limit = found.length + search->equal;
        search->limit = limit < search->limit ? limit : search->limit;
        set_way(search, way);
    }
    name(search, &found);
    return is_shorter;
}

/* Test two triangles, as in core/place/guests.py: whether an edge of one surely pierces the other,
 * or, where that is no fault, whether they touch, unless this is known. */
static double relation(const Search *search, const double *ones, const double *others) {
    double one[9], other[9];
    if (search->kind == TOUCHINGS) return touch(ones, others) ? CROSSES : APART;
    seen_from_within(ones, others, one, other);
    if (!reaches_plane(one, other) || !reaches_plane(other, one)) return APART;
    if (edges_pass(one, other) == 1) return CROSSES;
    return search->best == APART && touch(ones, others) ? TOUCHES : APART;
}

/* List the triangles of two small patches that touch, for which there is room. */
static int64_t list(Search *search, Face faces[2][RUN], const int *counts) {
    int64_t *found = search->found, room = search->room, tested = 0;
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++) {
            const Face *one = &faces[0][i], *other = &faces[1][j];
            if (!are_near(search, &one->box, &other->box)) continue;
            tested++;
            if (!touch(one->corners, other->corners)) continue;
            int64_t at = search->made++;
            found[at] = search->pair;
            found[room + at] = one->entry, found[2 * room + at] = other->entry;
        }
    return 8 + tested;
}

/* Measure what may be near of two small patches, the nearest first; -1 if it is left to the
 * caller, else how much that cost. */
static int64_t look(const Sheets *sheets, Search *search, const int64_t *patches,
                    const Box *boxes, int is_turned) {
    Face faces[2][RUN];
    int counts[2];
    double apart[RUN * RUN];
    for (int n = 0; n < 2; n++) {
        counts[n] = place_faces(&sheets[n], search, n, patches[n], &boxes[!n], faces[n]);
        if (counts[n] < 1) return counts[n] ? -1 : 4 + n;
    }
    int pairs = counts[0] * counts[1], measured = 0;
    if (search->kind == ALL_TOUCHINGS) return list(search, faces, counts);
    for (int n = 0; n < pairs; n++)
        apart[n] = apart_of(search, &faces[0][n / counts[1]].box, &faces[1][n % counts[1]].box);
    for (;;) {
        int nearest = -1;
        for (int n = 0; n < pairs; n++)
            if (apart[n] <= search->limit && (nearest < 0 || apart[n] < apart[nearest]))
                nearest = n;
        if (nearest < 0) return 8 + measured;
        Face *one = &faces[0][nearest / counts[1]], *other = &faces[1][nearest % counts[1]];
        apart[nearest] = NAN;
        if (search->kind != GAPS) {
            double state = relation(search, one->corners, other->corners);
            search->best = state > search->best ? state : search->best, measured++;
            if (state == CROSSES) return 8 + measured;
            continue;
        }
        if (!(apart_of(search, &one->box, &other->box) <= search->limit)) continue;
        measured++;
        if (!measure(sheets, search, one, other, is_turned)) continue;
        for (int n = 0; n < counts[0]; n++) see_along(search, &faces[0][n]);
        for (int n = 0; n < counts[1]; n++) see_along(search, &faces[1][n]);
    }
}

/* Take the pair of patches that came last; divide the larger, or look. Returns what it cost, or
 * -1 if the pair of placements is left to the caller. */
static int64_t step(const Sheets *sheets, Search *search, int is_turned) {
    Waiting next = search->stack[--search->height];
    Box boxes[2];
    double sizes[2];
    for (int n = 0; n < 2; n++) {
        boxes[n] = box_of(sheets, search, n, next.patches[n]);
        sizes[n] = sheets[n].are_small[next.patches[n]] ? -1.0
                 : boxes[n].half[0] + boxes[n].half[1] + boxes[n].half[2];
    }
    if (!are_near(search, &boxes[0], &boxes[1])) return 1;
    if (sizes[0] < 0 && sizes[1] < 0) return look(sheets, search, next.patches, boxes, is_turned);
    int which = sizes[1] > sizes[0];
    int64_t parent = next.patches[which], bottom = search->height;
    int64_t first = sheets[which].firsts[parent], count = sheets[which].counts[parent];
    if (count < 0 || count > RUN || first < 0 || first > parent - count) return -1;
    if (search->height > WAITING - RUN) return -1;
    for (int64_t child = first; child < first + count; child++) {
        Box box = box_of(sheets, search, which, child);
        const Box *one = which ? &boxes[0] : &box, *other = which ? &box : &boxes[1];
        if (!are_near(search, one, other)) continue;
        next.patches[which] = child, next.rank = middles_apart(one, other);
        wait_for(search->stack, &search->height, next, bottom);
    }
    return 4;
}

/* Search pairs of rows (2, count) of two sheets, from pair `from` to `to`.
 *
 * GAPS: how far surfaces are apart that share no point, up to `limits`; `slacks` are what rounding
 * may do to the gaps of their boxes. Writes lengths, and entries (2, count), -1 of pairs that are
 * farther apart: of equally short ways the lowest triangles, first of side 0, or of side 1 where
 * the pair is `turned`. CROSSINGS, TOUCHINGS: whether surfaces surely cross, or touch. Writes
 * APART, TOUCHES or CROSSES, the latter of what touches if that is asked; where there are flags of
 * the rows of side 0, those that are `refused` are passed over, as those are that cross. NaN of
 * pairs that are left to the caller. `search` is zero at first, and kept from call to call.
 * Returns where to go on once it has cost as much as `most`, or `to`. */
EXPORT int64_t octree_kernel_search(const Sheets *sheets, int64_t kind, const int64_t *rows,
                                    int64_t count, const double *limits, const double *slacks,
                                    const int64_t *turned, uint8_t *refused, int64_t from,
                                    int64_t to, int64_t most, Search *search, double *lengths,
                                    int64_t *entries) {
    USE_DEFAULT_FLOATS;
    int64_t pair = from, cost = 0;
    for (; pair < to; pair++, cost += 16) {
        int64_t row = rows[pair], is_known = row >= 0 && row < sheets[0].triangles.place_count;
        uint8_t *flag = refused && is_known ? &refused[row] : NULL;
        if (flag && *flag) {
            lengths[pair] = APART;
            continue;
        }
        search->kind = kind;
        int64_t spent = search->phase != NOT_BEGUN
                     || begin(sheets, search, row, rows[count + pair], limits[pair],
                              slacks[pair]) ? 0 : -1;
        while (spent >= 0 && goes_on(sheets, search)) {
            if (cost >= most) return pair; /* another time */
            spent = search->height ? step(sheets, search, turned[pair] == 1) : 1;
            cost += spent;
        }
        lengths[pair] = spent < 0 ? NAN : search->best;
        if (flag && lengths[pair] == CROSSES) *flag = 1;
        for (int n = 0; n < 2; n++) entries[n * count + pair] = search->named.entries[n];
        search->phase = NOT_BEGUN;
    }
    return pair;
}

/* List the triangles that touch of surfaces in pairs of rows (2, count), from pair `from` to `to`:
 * (3, room), pairs and the entries of both sides, each once; `made` is how many. `slacks` and
 * `search` are as above. `left` (count) is set for pairs that are left to the caller, whatever was
 * listed of them. Returns where to go on once it has cost as much as `most`, or there may be too
 * little room, or `to`. */
EXPORT int64_t octree_kernel_list(const Sheets *sheets, const int64_t *rows, int64_t count,
                                  const double *slacks, int64_t from, int64_t to, int64_t most,
                                  Search *search, int64_t *found, int64_t room, int64_t *made,
                                  uint8_t *left) {
    USE_DEFAULT_FLOATS;
    int64_t pair = from, cost = 0;
    search->found = found, search->room = room, search->made = 0;
    for (; pair < to; pair++, cost += 16) {
        search->kind = ALL_TOUCHINGS, search->pair = pair;
        int64_t spent = search->phase != NOT_BEGUN
                     || begin(sheets, search, rows[pair], rows[count + pair], 0, slacks[pair])
                      ? 0 : -1;
        while (spent >= 0 && goes_on(sheets, search)) {
            if (cost >= most || room - search->made < RUN * RUN) { /* another time */
                *made = search->made, search->found = NULL; /* no address is kept */
                return pair;
            }
            spent = search->height ? step(sheets, search, 0) : 1;
            cost += spent;
        }
        left[pair] = spent < 0, search->phase = NOT_BEGUN;
    }
    *made = search->made, search->found = NULL;
    return pair;
}
