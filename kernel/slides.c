/* Gaps of placed surfaces along a direction: how far they slide until they touch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of the NumPy functions in `core`. Nothing is allocated. Pairs that
 * overflow or do not fit are left to the caller. Arguments are not trusted: each index is
 * checked. */

#include "projected.h"

/* ---- The least gap of placed surfaces: branch and bound, as in core/gaps/search.py ---- */

/* Added to the rank of boxes beside each other, which are searched last. */
#define BESIDE 64.0

typedef struct {
    double corners[3][3], seen[3][3];
    Box box;
    int64_t entry, item;
} SeenFace;

/* A triangle of either side, and their numbers in their meshes, by which ties are decided. */
typedef struct {
    int64_t entries[2], items[2];
} Named;

/* The search of a pair of placements, between calls. */
struct Slide {
    Projected seen;
    double gap, limit; /* nothing is looked for at the limit, or beyond */
    Named named, face; /* the triangles of the gap, and the lowest in one plane; -1 if none */
    int64_t corner, is_crossing, first_face;
};

/* The arguments of a call. */
typedef struct {
    const Pool *pool;
    Slid *asked;
    Slide *state;
    int64_t pair;
} Turn;

EXPORT int64_t octree_kernel_slide_size(void) { return sizeof(Slide); }

/* Return whether two boxes may hold a gap below the limit; boxes with NaN may. */
static int may_be_ahead(const Slid *asked, const Slide *search, const Box *one,
                        const Box *other) {
    for (int n = 0; n < 2; n++)
        if (one->low[n] > other->high[n] || one->high[n] < other->low[n]) return 0;
    for (int n = 2; n < 4; n++) {
        if (other->low[n] - one->high[n] >= search->limit) return 0;
        if (!asked->is_signed && other->high[n] < one->low[n]) return 0;
    }
    return 1;
}

/* Return whether surely nothing in two boxes is nearer than the known gap. A gap is the distance
 * along the nearest axis, divided by the way's part there. */
static int is_no_nearer(const Slide *search, const Box *one, const Box *other) {
    const Along *along = &search->seen.along;
    double gap = search->gap, low = other->low[EXACT], high = one->high[EXACT];
    for (int n = 2; n < 4; n++)
        if (other->low[n] - one->high[n] > gap) return 1;
    double part = fabs(along->direction[along->axes[2]]), far = gap * part;
    double apart = low - high, back = apart - low;
    if (!(apart >= far - fabs(far) * 0x1p-50)) return 0; /* by far, or unknown */
    double lost = (low - (apart - back)) + (-high - back), error = product_error(gap, part);
    double doubt = error == 0 ? 0 : (fabs(lost) + fabs(error)) * 0x1p-50;
    return (apart - far) + (lost - error) >= doubt;
}

/* Return the numbers of the known triangles if only lower triangles, in the boxes of two nodes,
 * may replace them; else NULL. */
static const int64_t *known_of(const Turn *turn, const int64_t *nodes, const Box *one,
                               const Box *other) {
    static const int64_t lowest[2] = {-1, -1};
    const Slid *asked = turn->asked;
    Slide *search = turn->state;
    int is_flat = !asked->is_signed && are_flat(one, other)
               && !count_thin(turn->pool, &search->seen, nodes);
    int is_cut = !asked->is_signed && search->is_crossing;
    if (asked->wants_faces) return NULL;
    if (is_flat && search->gap <= 0) return lowest;
    if (is_flat && search->face.items[0] >= 0) return search->face.items;
    if (search->gap < INFINITY && (is_cut || is_no_nearer(search, one, other)))
        return search->named.items;
    return NULL;
}

/* Return whether two nodes may hold a gap that replaces the known one. */
static int may_change(void *search, const int64_t *nodes, const Box *one, const Box *other) {
    const Turn *turn = search;
    if (!may_be_ahead(turn->asked, turn->state, one, other)) return 0;
    if (only_graze(turn->pool, &turn->state->seen, nodes, one, other)) return 0;
    const int64_t *known = known_of(turn, nodes, one, other);
    if (!known) return 1;
    const int64_t *lowest = turn->pool->lowest_items;
    int64_t items[2] = {lowest[nodes[0]], lowest[nodes[1]]};
    return are_lower(items, known);
}

/* Return how far boxes are apart at their middles; boxes beside each other come last. */
static double rank_ahead(const Box *one, const Box *other) {
    double rank = (other->low[3] + other->high[3]) - (one->low[3] + one->high[3]);
    for (int n = 0; n < 2; n++) {
        double apart = fabs((other->low[n] + other->high[n]) - (one->low[n] + one->high[n]));
        if (apart > one->high[n] - one->low[n] && apart > other->high[n] - other->low[n])
            rank += BESIDE;
    }
    return rank;
}

/* Project a triangle that is placed. */
static void project_face(const Projected *seen, SeenFace *face) {
    const Along *along = &seen->along;
    const double *slopes = seen->slopes;
    double tilted[3], low, high, error = along->error;
    for (int c = 0; c < 3; c++) {
        double *point = face->seen[c];
        see(along, face->corners[c], point);
        tilted[c] = point[2] - (slopes[0] * point[0] + slopes[1] * point[1]);
    }
    for (int n = 0; n < 3; n++) {
        span_of(&face->seen[0][n], 3, 3, &low, &high);
        face->box.low[n] = low - error, face->box.high[n] = high + error;
    }
    error += (fabs(slopes[0]) + fabs(slopes[1])) * (TILTING + error);
    span_of(tilted, 1, 3, &low, &high);
    face->box.low[TILTED] = low - error, face->box.high[TILTED] = high + error;
    span_of(&face->corners[0][along->axes[2]], 3, 3, &low, &high);
    int is_backwards = along->direction[along->axes[2]] < 0;
    face->box.low[EXACT] = is_backwards ? -high : low;
    face->box.high[EXACT] = is_backwards ? -low : high;
}

/* Place the triangles of a leaf that may be ahead of a box; IS_LEFT if one does not exist
 * or is too large. */
static int place_seen(const Turn *turn, int which, int64_t leaf, const Box *box,
                      SeenFace *faces) {
    const Pool *pool = turn->pool;
    const Projected *seen = &turn->state->seen;
    int placed = 0;
    if (!is_sound_leaf(pool, leaf)) return IS_LEFT;
    for (int64_t entry = pool->begin[leaf]; entry < pool->end[leaf]; entry++) {
        SeenFace *face = &faces[placed];
        face->entry = entry;
        if (!place(&pool->triangles, face->entry, seen->descent.sides[which].matrix,
                   face->corners[0])) return IS_LEFT;
        if (!(largest_of(face->corners[0], 9) <= ABOUT_ONE)) return IS_LEFT;
        face->item = pool->order[face->entry];
        project_face(seen, face);
        placed += which ? may_be_ahead(turn->asked, turn->state, box, &face->box)
                        : may_be_ahead(turn->asked, turn->state, &face->box, box);
    }
    return placed;
}

/* Keep the smaller gap; if equal, crossing triangles come first, then the lowest entries. */
static void keep_gap(Slide *search, double gap, int is_crossing, const Named *named,
                     int corner) {
    int is_lower = is_crossing == search->is_crossing
                 ? are_lower(named->items, search->named.items) : is_crossing;
    if (!(gap < search->gap || (gap == search->gap && is_lower))) return;
    search->gap = gap, search->is_crossing = is_crossing, search->corner = corner;
    search->named = *named;
    search->limit = minimum(search->limit, gap + TIE);
}

/* List two triangles that lie in one plane; 0 if room ran out. */
static int tell_faces(Slid *asked, const Slide *search, int64_t pair, const int64_t *entries) {
    if (search->gap <= 0) return 1;
    if (asked->face_count == asked->room) return 0;
    int64_t *kept = asked->faces + asked->face_count++;
    kept[0] = pair, kept[asked->room] = entries[0], kept[2 * asked->room] = entries[1];
    return 1;
}

/* Keep two triangles that lie in one plane, if they are lower than the known ones. */
static void keep_faces(Slide *search, const Named *named) {
    if (search->face.items[0] >= 0 && !are_lower(named->items, search->face.items)) return;
    search->face = *named;
}

/* Look at the triangles of two small nodes, the nearest first; returns the cost, IS_LEFT or
 * NO_ROOM. */
static int64_t look_ahead(void *context, const int64_t *nodes, const Box *boxes) {
    const Turn *turn = context;
    const Pool *pool = turn->pool;
    Slid *asked = turn->asked;
    Slide *search = turn->state;
    SeenFace faces[2][RUN];
    int counts[2], looked = 0;
    double least[RUN * RUN];
    for (int n = 0; n < 2; n++) {
        counts[n] = place_seen(turn, n, nodes[n], &boxes[!n], faces[n]);
        if (counts[n] < 1) return counts[n] ? IS_LEFT : 4 + n;
    }
    int pairs = counts[0] * counts[1];
    for (int n = 0; n < pairs; n++) {
        const Box *one = &faces[0][n / counts[1]].box, *other = &faces[1][n % counts[1]].box;
        double flat = other->low[2] - one->high[2], tilted = other->low[3] - one->high[3];
        int counts_here = may_be_ahead(asked, search, one, other)
                      && !only_graze(pool, &search->seen, nodes, one, other);
        least[n] = counts_here ? maximum(flat, tilted) : NAN;
    }
    int next, corner;
    while ((next = least_up_to(search->limit, least, pairs)) >= 0 && least[next] < search->limit) {
        const SeenFace *one = &faces[0][next / counts[1]], *other = &faces[1][next % counts[1]];
        const Named named = {{one->entry, other->entry}, {one->item, other->item}};
        Both both;
        double gap = least[next];
        least[next] = NAN;
        const int64_t *known = known_of(turn, nodes, &one->box, &other->box);
        if (known && !are_lower(named.items, known)) continue;
        looked++;
        memcpy(both.corners, one->corners, sizeof one->corners);
        memcpy(both.corners[3], other->corners, sizeof other->corners);
        memcpy(both.seen, one->seen, sizeof one->seen);
        memcpy(both.seen[3], other->seen, sizeof other->seen);
        int state = gap_along(&search->seen.along, &both, asked->is_signed != 0, search->limit,
                              &gap, &corner);
        if (state == LEFT) return IS_LEFT;
        if (state == FACES && !asked->wants_faces) keep_faces(search, &named);
        else if (state == FACES && !tell_faces(asked, search, turn->pair, named.entries))
            return NO_ROOM;
        if (state == CROSSING || state == EDGES) gap = 0;
        if (gap < search->gap && state == AHEAD) {
            double slopes[2];
            slope_at(&both, corner, slopes), tilt(&search->seen, slopes);
        }
        if (gap < INFINITY) keep_gap(search, gap, state == CROSSING, &named, corner);
    }
    return 8 + 2 * looked;
}

static Box box_ahead(const void *search, int which, int64_t node) {
    const Turn *turn = search;
    return projected_box(turn->pool, &turn->state->seen, which, node);
}

static const Rules SLIDING = {box_ahead, may_change, rank_ahead, look_ahead};

/* Begin the search of a pair; 0 if it is left to the caller. */
static int begin_slide(Turn *turn) {
    const Slid *asked = turn->asked;
    Slide *search = turn->state;
    const double flat[2] = {0, 0};
    double size = 0;
    int64_t pair = turn->pair, key = asked->keys[pair];
    if (key < 0 || key >= asked->key_count) return 0;
    Along *along = &search->seen.along;
    along->error = asked->direction[3], along->axes[2] = 0;
    for (int n = 0; n < 3; n++) {
        along->direction[n] = asked->direction[n];
        if (fabs(along->direction[n]) > size)
            size = fabs(along->direction[n]), along->axes[2] = n;
    }
    if (!(size > 0.4 && size <= 1)) return 0;
    along->axes[0] = NEXT[along->axes[2]], along->axes[1] = NEXT[along->axes[0]];
    for (int which = 0; which < 2; which++)
        if (!project_side(turn->pool, &search->seen, which,
                          asked->rows[which * asked->count + pair])) return 0;
    search->gap = INFINITY, search->limit = asked->limits[key] + TIE;
    search->corner = -1, search->is_crossing = 0;
    search->named = search->face = (Named){{-1, -1}, {-1, -1}};
    search->first_face = asked->face_count;
    tilt(&search->seen, flat);
    begin_phase(&SLIDING, turn, &search->seen.descent, LOOKS);
    return 1;
}

/* Write the answer of a pair; NaN if it is left to the caller. */
static void answer(Slid *asked, const Slide *search, int64_t pair, int is_left) {
    double *limit = &asked->limits[asked->keys[pair]];
    if (is_left || search->gap <= 0) asked->face_count = search->first_face;
    asked->gaps[pair] = is_left ? NAN : search->gap;
    if (is_left) return;
    asked->are_crossing[pair] = (uint8_t)search->is_crossing;
    asked->corners[pair] = search->corner;
    for (int n = 0; n < 2; n++) asked->entries[n * asked->count + pair] = search->named.entries[n];
    if (asked->is_shared) *limit = minimum(*limit, search->gap);
}

/* Find the least gaps of pairs of rows from pair `from` on: how far the first row may move until
 * it touches the second, over the inside of the overlap of their shadows.
 *
 * Gaps above the limit of their key may be infinite or any existing gap; if `is_shared`, found
 * gaps lower the limits. Writes gaps, multiples of the quantum; their entries, -1 if nothing is
 * ahead (of equal gaps, crossing triangles before others, then the smallest numbers in their
 * meshes, first of side 0); the corner of their shadow, -1 of triangles that cross or lie in one
 * plane; which pairs cross; and of pairs without a gap of 0 the lowest faces in one plane, or all
 * of them if they are wanted.
 * If `is_signed`, triangles that cross or are behind have gaps, too. NaN of pairs that are left
 * to the caller. `search` is zero at first, and kept from call to call. Returns where to go on
 * once the cost is `most`, or the count; if it `needs_room`, faces want more room. */
EXPORT int64_t octree_kernel_slide(const Pool *pool, Slid *asked, int64_t from, int64_t most,
                                   Slide *search) {
    USE_DEFAULT_FLOATS;
    const Pool *both[2] = {pool, pool};
    Descent *descent = &search->seen.descent;
    Turn turn = {pool, asked, search, from};
    int64_t cost = 0;
    asked->needs_room = 0;
    for (; turn.pair < asked->count; turn.pair++, cost += 16) {
        int64_t spent = 0, pair = turn.pair;
        if (descent->phase == NOT_BEGUN && !begin_slide(&turn)) {
            search->first_face = asked->face_count;
            asked->gaps[pair] = NAN;
            continue;
        }
        while (spent >= 0 && descent->height > 0) {
            if (cost >= most) return pair; /* another time */
            spent = descend(&SLIDING, &turn, both, descent);
            cost += spent;
        }
        const Named *face = &search->face;
        if (spent >= 0 && face->items[0] >= 0 && !tell_faces(asked, search, pair, face->entries))
            spent = NO_ROOM;
        descent->phase = NOT_BEGUN;
        if (spent == NO_ROOM) {
            asked->face_count = search->first_face, asked->needs_room = 1;
            return pair;
        }
        answer(asked, search, pair, spent < 0);
    }
    return asked->count;
}
