/* Pairs of placed surfaces: which triangles touch, how far surfaces are apart, and which cross.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of the NumPy functions in `core`. Nothing is allocated. Pairs that
 * overflow or do not fit are left to the caller. Arguments are not trusted: each index is
 * checked. */

#include "dual.h"
#include "triangles.h"

/* Flag the pairs of triangles that touch, 1 or 0; 2 of pairs that are left to the caller. */
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

/* ---- The search of a pair of placements ---- */

/* Rounding of a gap of boxes, and of equal gaps of triangles, as in core/place; and of placed
 * coordinates, as a part of the largest coordinate on their way. */
#define GAP_ROUNDING 0x1p-44
#define EQUAL 0x1p-46
#define PLACING 0x1p-46

typedef struct {
    double corners[9];
    Box box; /* along the axes, and along the shortest way */
    int64_t entry;
} Face;

typedef struct {
    int64_t entries[2], items[2];
    double length, slack;
} Way;

/* Kinds of searches; and findings of a search for crossings. */
enum { GAPS = 0, CROSSINGS = 1, TOUCHINGS = 2, ALL_TOUCHINGS = 3 };
enum { APART = 0, TOUCHES = 1, CROSSES = 2 };

/* The state between calls. Ways longer than `limit` are ignored. */
struct Search {
    Descent descent;
    double seen[2][4]; /* coordinates along the shortest way, as each mesh sees it */
    double slack, equal, limit, best, way[3];
    int64_t kind, is_unsure, is_within; /* both surfaces are one, whose pairs are wanted once */
    Way named;     /* the lowest of the ways that are as short as the shortest */
    double passed; /* no other way that was passed over is shorter */
    Face placed[2][RUN];
    int64_t leaves[2]; /* whose triangles are `placed` */
};

/* The arguments of a call, and the findings (3, room) of ALL_TOUCHINGS. */
typedef struct {
    const Pool *pool;
    Search *state;
    int is_turned;
    int64_t pair, *found, room, made;
} Call;

EXPORT int64_t octree_kernel_search_size(void) { return sizeof(Search); }

static Box box_of(const void *search, int which, int64_t node) {
    const Call *call = search;
    const Pool *pool = &call->pool[which];
    const double *seen = call->state->seen[which], *row = pool->boxes + node;
    const double *matrix = call->state->descent.sides[which].matrix;
    double middle[3], half[3], along = seen[3], reach = 0;
    Box box;
    for (int n = 0; n < 3; n++) {
        double low = row[n * pool->node_step], high = row[(n + 3) * pool->node_step];
        middle[n] = (low + high) / 2, half[n] = (high - low) / 2;
        along += seen[n] * middle[n], reach += fabs(seen[n]) * half[n];
    }
    for (int n = 0; n < 3; n++, matrix += 4) {
        double center = dot(matrix, middle) + matrix[3];
        double extent = fabs(matrix[0]) * half[0] + fabs(matrix[1]) * half[1]
                      + fabs(matrix[2]) * half[2];
        box.low[n] = center - extent, box.high[n] = center + extent;
    }
    box.low[3] = along - reach, box.high[3] = along + reach, box.low[4] = box.high[4] = 0;
    return box;
}

/* Return how far boxes are apart along an axis; NaN counts as near. */
static inline double apart_along(const Box *one, const Box *other, int axis) {
    return max_else_second(one->low[axis] - other->high[axis], other->low[axis] - one->high[axis]);
}

/* Return a lower bound of how far boxes are apart. */
static double apart_of(const Search *state, const Box *one, const Box *other) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double gap = max_else_second(apart_along(one, other, axis) - state->slack, 0);
        square += gap * gap;
    }
    double along = other->low[3] - one->high[3] - state->slack;
    return max_else_second(along, sqrt(square)) * (1 - GAP_ROUNDING);
}

/* Return whether boxes may be as near as is looked for: crossings only where boxes meet. */
static int are_near(const Search *state, const Box *one, const Box *other) {
    double reach = state->limit * (1 + 2 * GAP_ROUNDING) + state->slack;
    for (int axis = 0; axis < 3; axis++)
        if (apart_along(one, other, axis) > reach) return 0;
    return state->kind != GAPS || apart_of(state, one, other) <= state->limit;
}

static int may_count(void *search, const int64_t *nodes, const Box *one, const Box *other) {
    const Call *call = search;
    const Pool *pool = call->pool;
    if (call->state->is_within && pool->begin[nodes[0]] >= pool->end[nodes[1]]) return 0;
    return are_near(call->state, one, other);
}

/* Return the squared distance of middles, four times. */
static double middles_apart(const Box *one, const Box *other) {
    double way[3];
    for (int n = 0; n < 3; n++)
        way[n] = (one->low[n] + one->high[n]) - (other->low[n] + other->high[n]);
    return dot(way, way);
}

/* Set the shortest way, and how both meshes see it. */
static void set_way(Search *state, const double *way) {
    double length = sqrt(dot(way, way));
    for (int n = 0; n < 3; n++) state->way[n] = length > 0 ? way[n] / length : 0;
    memset(state->seen, 0, sizeof state->seen);
    for (int which = 0; which < 2; which++)
        for (int n = 0; n < 12; n++)
            state->seen[which][n % 4] +=
                state->way[n / 4] * state->descent.sides[which].matrix[n];
}

/* Return the largest coordinate on the way to where a side is placed. */
static double farthest_of(const Pool *pool, const Side *side) {
    double sizes[3], largest = 0;
    sizes_of(pool, side, sizes);
    for (const double *row = side->matrix; row < side->matrix + 12; row += 4) {
        double size = fabs(row[3]);
        for (int i = 0; i < 3; i++) size += fabs(row[i]) * sizes[i];
        largest = max_else_second(size, largest);
    }
    return largest;
}

/* Name a way, unless it is longer than the shortest; of equally short ways, the lowest. If the
 * named way is too long by now, a way that it replaced may not be: then `is_unsure` is set, and
 * all pairs are looked at once more. */
static void name(Search *state, const Way *way) {
    Way *named = &state->named;
    if (!(way->length <= state->best + way->slack)) return;
    if (!(named->length <= state->best + named->slack)) {
        state->is_unsure |= state->passed <= state->best;
        state->passed = INFINITY, *named = *way;
        return;
    }
    int is_lower = are_lower(way->items, named->items);
    const Way *passed = is_lower ? named : way;
    state->passed = minimum((passed->length - passed->slack) * (1 - EQUAL), state->passed);
    if (is_lower) *named = *way;
}

/* Set where a triangle lies along the shortest way. */
static void see_along(const Search *state, Face *face) {
    double along[3];
    for (int c = 0; c < 3; c++) along[c] = dot(state->way, face->corners + 3 * c);
    span_of(along, 1, 3, &face->box.low[3], &face->box.high[3]);
}

/* Place a triangle; 0 if it does not exist. */
static int place_face(const Pool *pool, const double *matrix, int64_t entry, Face *face) {
    face->entry = entry, face->box.low[3] = face->box.high[3] = 0;
    if (!place(&pool->triangles, entry, matrix, face->corners)) return 0;
    for (int n = 0; n < 3; n++)
        span_of(face->corners + n, 3, 3, &face->box.low[n], &face->box.high[n]);
    return 1;
}

/* Place the triangles of a leaf, unless they were placed last, and find those that may be
 * near a box; returns their number, or IS_LEFT if one does not exist. */
static int place_faces(const Call *call, int which, int64_t leaf, const Box *box, Face **faces) {
    const Pool *pool = &call->pool[which];
    Search *state = call->state;
    int near = 0, is_known = state->leaves[which] == leaf;
    if (!is_sound_leaf(pool, leaf)) return IS_LEFT;
    state->leaves[which] = -1;
    for (int64_t entry = pool->begin[leaf]; entry < pool->end[leaf]; entry++) {
        Face *face = &state->placed[which][entry - pool->begin[leaf]];
        if (!is_known && !place_face(pool, state->descent.sides[which].matrix, entry, face))
            return IS_LEFT;
        if (state->kind == GAPS) see_along(state, face);
        if (which ? are_near(state, box, &face->box) : are_near(state, &face->box, box))
            faces[near++] = face;
    }
    state->leaves[which] = leaf;
    return near;
}

/* Measure two triangles; return whether their way is shorter than the others. */
static int measure(Call *call, const Face *one, const Face *other) {
    Search *state = call->state;
    double way[3], extent = 0;
    Way found = {.entries = {one->entry, other->entry}};
    found.length = gap_of(one->corners, other->corners, way);
    if (!(found.length <= state->limit)) return 0;
    for (int n = 0; n < 3; n++) {
        double high = maximum(one->box.high[n], other->box.high[n]);
        extent = maximum(extent, high - minimum(one->box.low[n], other->box.low[n]));
    }
    found.slack = extent * EQUAL;
    for (int n = 0; n < 2; n++)
        found.items[n ^ call->is_turned] = call->pool[n].order[found.entries[n]];
    int is_shorter = found.length < state->best;
    if (is_shorter) {
        state->best = found.length;
        state->limit = minimum(found.length + state->equal, state->limit);
        set_way(state, way);
    }
    name(state, &found);
    return is_shorter;
}

/* Test two triangles, as in core/place/guests.py: an edge of one surely pierces the other; or, if
 * the search is for touches or no crossing is known yet, the triangles touch. */
static double relation(const Search *state, const double *ones, const double *others) {
    double one[9], other[9];
    if (state->kind == TOUCHINGS) return touch(ones, others) ? CROSSES : APART;
    seen_from_within(ones, others, one, other);
    if (!reaches_plane(one, other) || !reaches_plane(other, one)) return APART;
    if (edges_pass(one, other) == 1) return CROSSES;
    return state->best == APART && touch(ones, others) ? TOUCHES : APART;
}

/* List the triangles of two leaves that touch, for which there is room. */
static int64_t list(Call *call, Face *faces[2][RUN], const int *counts) {
    int64_t tested = 0;
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++) {
            const Face *one = faces[0][i], *other = faces[1][j];
            if (call->state->is_within && one->entry >= other->entry) continue;
            if (!are_near(call->state, &one->box, &other->box)) continue;
            tested++;
            if (!touch(one->corners, other->corners)) continue;
            int64_t *at = call->found + call->made++;
            at[0] = call->pair, at[call->room] = one->entry, at[2 * call->room] = other->entry;
        }
    return 8 + tested;
}

/* Measure the triangles of two leaves that may be near, the nearest first. */
static int64_t look(void *search, const int64_t *nodes, const Box *boxes) {
    Call *call = search;
    Search *state = call->state;
    Face *faces[2][RUN];
    int counts[2], measured = 0;
    double apart[RUN * RUN];
    for (int n = 0; n < 2; n++) {
        counts[n] = place_faces(call, n, nodes[n], &boxes[!n], faces[n]);
        if (counts[n] < 1) return counts[n] ? IS_LEFT : 4 + n;
    }
    int pairs = counts[0] * counts[1], nearest;
    if (state->kind == ALL_TOUCHINGS) return list(call, faces, counts);
    for (int n = 0; n < pairs; n++)
        apart[n] = apart_of(state, &faces[0][n / counts[1]]->box, &faces[1][n % counts[1]]->box);
    while ((nearest = least_up_to(state->limit, apart, pairs)) >= 0) {
        const Face *one = faces[0][nearest / counts[1]], *other = faces[1][nearest % counts[1]];
        apart[nearest] = NAN;
        if (state->kind != GAPS) {
            state->best = maximum(relation(state, one->corners, other->corners), state->best);
            measured++;
            if (state->best == CROSSES) break;
            continue;
        }
        if (!(apart_of(state, &one->box, &other->box) <= state->limit)) continue;
        measured++;
        if (!measure(call, one, other)) continue;
        for (int n = 0; n < counts[0]; n++) see_along(state, faces[0][n]);
        for (int n = 0; n < counts[1]; n++) see_along(state, faces[1][n]);
    }
    return 8 + measured;
}

static const Rules SEARCH = {box_of, may_count, middles_apart, look};

/* Begin the search of a pair; 0 if it is left to the caller. */
static int begin_search(Call *call, int64_t one, int64_t other, double limit, double slack) {
    Search *state = call->state;
    const double nowhere[3] = {0, 0, 0};
    Side *sides = state->descent.sides;
    state->named = (Way){.entries = {-1, -1}, .length = NAN};
    if (!set_side(&call->pool[0], one, &sides[0])) return 0;
    if (!set_side(&call->pool[1], other, &sides[1])) return 0;
    double largest = farthest_of(&call->pool[1], &sides[1]);
    largest = maximum(farthest_of(&call->pool[0], &sides[0]), largest);
    if (!(largest <= LARGE)) return 0;
    state->equal = slack, state->slack = slack + 2 * largest * PLACING;
    state->limit = state->kind == GAPS ? limit : 0;
    state->best = state->kind == GAPS ? INFINITY : APART;
    state->passed = INFINITY, state->is_unsure = 0;
    state->is_within = state->kind == ALL_TOUCHINGS && one == other;
    state->leaves[0] = state->leaves[1] = -1;
    set_way(state, nowhere);
    begin_phase(&SEARCH, call, &state->descent, LOOKS);
    return 1;
}

/* Begin the next phase once no pair of nodes waits; 0 if the last phase has ended. */
static int goes_on(Call *call) {
    Search *state = call->state;
    int64_t phase = state->descent.phase;
    if (state->kind != GAPS && state->best == CROSSES) return 0;
    if (state->descent.height > 0) return 1;
    if (phase == LOOKS_AGAIN || !state->is_unsure) return 0;
    state->passed = INFINITY, state->named.length = NAN;
    begin_phase(&SEARCH, call, &state->descent, LOOKS_AGAIN);
    return 1;
}

/* Search a pair, as far as `most` and room allow: 1 once that is done, IS_LEFT if the pair is left
 * to the caller, or 0 if the search has to go on another time. */
static int64_t search_pair(Call *call, int64_t one, int64_t other, double limit, double slack,
                           int64_t most, int64_t *cost) {
    Descent *descent = &call->state->descent;
    const Pool *pool[2] = {&call->pool[0], &call->pool[1]};
    int64_t spent = descent->phase != NOT_BEGUN || begin_search(call, one, other, limit, slack)
                  ? 0 : IS_LEFT;
    while (spent >= 0 && goes_on(call)) {
        if (*cost >= most || (call->found && call->room - call->made < RUN * RUN)) return 0;
        spent = descent->height ? descend(&SEARCH, call, pool, descent) : 1;
        *cost += spent;
    }
    descent->phase = NOT_BEGUN;
    return spent < 0 ? spent : 1;
}

/* Search pairs of rows (2, count) of two pool, from pair `from` to `to`.
 *
 * GAPS: how far surfaces are apart that share no point, up to `limits`; `slacks` are roundings of
 * the gaps of their boxes. Writes lengths, and entries (2, count), -1 of pairs that are farther
 * apart: of equally short ways the lowest triangles, first of side 0, or of side 1 where the pair
 * is `turned`. CROSSINGS, TOUCHINGS: whether surfaces surely cross, or touch. Writes APART,
 * TOUCHES or CROSSES, of TOUCHINGS only APART and CROSSES. If there are flags of the rows of side
 * 0, `refused`, flagged rows are APART, and rows that cross are flagged. NaN of pairs that are
 * left to the caller. `search` is zero at first, and kept from call to call. Returns where to go
 * on once the cost is `most`, or `to`. */
EXPORT int64_t octree_kernel_search(const Pool *pool, int64_t kind, const int64_t *rows,
                                    int64_t count, const double *limits, const double *slacks,
                                    const int64_t *turned, uint8_t *refused, int64_t from,
                                    int64_t to, int64_t most, Search *search, double *lengths,
                                    int64_t *entries) {
    USE_DEFAULT_FLOATS;
    int64_t cost = 0;
    search->kind = kind;
    for (int64_t pair = from; pair < to; pair++, cost += 16) {
        int64_t row = rows[pair], is_known = row >= 0 && row < pool[0].triangles.place_count;
        uint8_t *flag = refused && is_known ? &refused[row] : NULL;
        if (flag && *flag) {
            lengths[pair] = APART;
            continue;
        }
        Call call = {.pool = pool, .state = search, .is_turned = turned[pair] == 1};
        int64_t done = search_pair(&call, row, rows[count + pair], limits[pair], slacks[pair],
                                   most, &cost);
        if (!done) return pair;
        lengths[pair] = done < 0 ? NAN : search->best;
        if (flag && lengths[pair] == CROSSES) *flag = 1;
        for (int n = 0; n < 2; n++) entries[n * count + pair] = search->named.entries[n];
    }
    return to;
}

/* List the touching triangles of placed surfaces, for pairs of rows (2, count) from pair `from` to
 * `to`: (3, room), the pair and the entries of both sides, each once; `made` is their number. If a
 * row is paired with itself, pairs of two triangles are listed, the lower entry first. `slacks`
 * and `search` are as above. `left` (count) is set for pairs that are left to the caller, even if
 * some of their triangles are listed. Returns the next pair once the cost reaches `most` or room
 * may run out, else `to`. */
EXPORT int64_t octree_kernel_list(const Pool *pool, const int64_t *rows, int64_t count,
                                  const double *slacks, int64_t from, int64_t to, int64_t most,
                                  Search *search, int64_t *found, int64_t room, int64_t *made,
                                  uint8_t *left) {
    USE_DEFAULT_FLOATS;
    Call call = {.pool = pool, .state = search, .found = found, .room = room};
    int64_t cost = 0;
    search->kind = ALL_TOUCHINGS;
    for (call.pair = from; call.pair < to; call.pair++, cost += 16) {
        int64_t row = rows[call.pair], other = rows[count + call.pair];
        int64_t done = search_pair(&call, row, other, 0, slacks[call.pair], most, &cost);
        if (!done) break;
        left[call.pair] = done < 0;
    }
    *made = call.made;
    return call.pair;
}
