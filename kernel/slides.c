/* Gaps of placed surfaces along a direction: how far they slide until they touch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As `kernel.c`: answers have the bits of the NumPy functions in `core`, nothing is allocated, and
 * what does not fit is left to the caller. What is given is not trusted: each index is checked.
 */

#include "octree_kernel.h"
#include "seen.h"

#include <math.h>
#include <string.h>

/* ---- The least gap of placed surfaces: branch and bound, as in core/gaps/search.py ---- */

/* Boxes that lie beside each other are the last to be looked at. */
#define BESIDE 64.0

typedef struct {
    double corners[3][3], seen[3][3];
    Box box;
    int64_t entry;
} Face;

enum { NOT_BEGUN = 0, DIVES = 1, FOLLOWS = 2 };

/* The search of a pair of placements. */
struct Slide {
    Seen seen;
    double gap, limit; /* nothing is looked for at the limit, or beyond */
    int64_t phase, height, first, entries[2], face[2], corner, is_crossing, first_face;
    Box tops[2][TOPS];
    Waiting stack[WAITING];
};

EXPORT int64_t octree_kernel_slide_size(void) { return sizeof(Slide); }

/* Whether two boxes may hold what is looked for; what is no number may. */
static int may_count(const Slid *asked, const Slide *search, const Box *one, const Box *other) {
    for (int n = 0; n < 2; n++)
        if (one->low[n] > other->high[n] || one->high[n] < other->low[n]) return 0;
    for (int n = 2; n < 4; n++) {
        if (other->low[n] - one->high[n] >= search->limit) return 0;
        if (!asked->is_signed && other->high[n] < one->low[n]) return 0;
    }
    return 1;
}

/* Whether nothing in two boxes is nearer than what is known; not, if that cannot be told. Gaps are
 * as long as what lies between along the nearest axis, divided by the way's part there. */
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

/* Whether two triangles are lower than others: first of side 0. */
static int are_lower(const int64_t *entries, const int64_t *known) {
    return entries[0] < known[0] || (entries[0] == known[0] && entries[1] < known[1]);
}

/* The triangles than which only lower ones, in boxes of two patches, may change what is known; or
 * NULL. */
static const int64_t *known_of(const Sheets *sheets, const Slid *asked, Slide *search,
                               const int64_t *patches, const Box *one, const Box *other) {
    static const int64_t lowest[2] = {-1, -1};
    int is_flat = !asked->is_signed && are_flat(one, other)
               && !count_thin(sheets, &search->seen, patches);
    int is_cut = !asked->is_signed && search->is_crossing;
    if (asked->wants_faces) return NULL;
    if (is_flat && search->gap <= 0) return lowest;
    if (is_flat && search->face[0] >= 0) return search->face;
    if (search->gap < INFINITY && (is_cut || is_no_nearer(search, one, other)))
        return search->entries;
    return NULL;
}

/* Whether two patches may change what is known. */
static int may_change(const Sheets *sheets, const Slid *asked, Slide *search,
                      const int64_t *patches, const Box *one, const Box *other) {
    if (only_graze(sheets, &search->seen, patches, one, other)) return 0;
    const int64_t *known = known_of(sheets, asked, search, patches, one, other);
    if (!known) return 1;
    int64_t entries[2] = {lowest_in(sheets, patches[0]), lowest_in(sheets, patches[1])};
    return are_lower(entries, known);
}

/* How far boxes are apart at their middles, the promising ones first. */
static double promise_of(const Box *one, const Box *other) {
    double promise = (other->low[3] + other->high[3]) - (one->low[3] + one->high[3]);
    for (int n = 0; n < 2; n++) {
        double apart = fabs((other->low[n] + other->high[n]) - (one->low[n] + one->high[n]));
        if (apart > one->high[n] - one->low[n] && apart > other->high[n] - other->low[n])
            promise += BESIDE;
    }
    return promise;
}

/* Let largest patches wait that may count: the most promising pair; or, later, all others. */
static void start(const Sheets *sheets, const Slid *asked, Slide *search, int64_t phase) {
    int64_t counts[2];
    search->phase = phase, search->height = 0;
    for (int which = 0; which < 2; which++) {
        Side *side = &search->seen.sides[which];
        counts[which] = side->count;
        for (int64_t i = 0; i < side->count; i++)
            search->tops[which][i] = box_of(sheets, &search->seen, which, side->top + i);
    }
    /* Of equal promise, the lowest come last, and are taken first. */
    for (int64_t n = counts[0] * counts[1] - 1; n >= 0; n--) {
        int64_t i = n / counts[1], j = n % counts[1];
        const Box *one = &search->tops[0][i], *other = &search->tops[1][j];
        Waiting both = {{search->seen.sides[0].top + i, search->seen.sides[1].top + j}, 0};
        if (phase == FOLLOWS && n == search->first) continue;
        if (!may_count(asked, search, one, other)) continue;
        if (!may_change(sheets, asked, search, both.patches, one, other)) continue;
        both.rank = promise_of(one, other);
        if (phase == DIVES) {
            if (search->height && !(both.rank <= search->stack[0].rank)) continue;
            search->height = 0, search->first = n;
        }
        wait_for(search->stack, &search->height, both, 0);
    }
}

/* Begin the search of a pair; 0 if it is left to the caller. */
static int begin(const Sheets *sheets, const Slid *asked, Slide *search, int64_t pair) {
    double flat[2] = {0, 0}, size = 0;
    int64_t key = asked->keys[pair];
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
        if (!set_side(sheets, along, &search->seen.sides[which],
                      asked->rows[which * asked->count + pair])) return 0;
    search->gap = INFINITY, search->limit = asked->limits[key] + TIE;
    search->corner = search->entries[0] = search->entries[1] = -1, search->is_crossing = 0;
    search->face[0] = search->face[1] = -1;
    search->first_face = asked->face_count;
    tilt(&search->seen, flat);
    start(sheets, asked, search, DIVES);
    return 1;
}

/* Place the triangles of a small patch that may count beside a box; -1 if they are not there, or
 * not of a size that is foreseen. */
static int place_faces(const Sheets *sheets, const Slid *asked, const Slide *search, int which,
                       int64_t patch, const Box *box, Face *faces) {
    int64_t first = sheets->firsts[patch], count = sheets->counts[patch];
    const Along *along = &search->seen.along;
    const double *slopes = search->seen.slopes;
    int placed = 0;
    if (count < 0 || count > RUN || first < 0 || first > sheets->triangles.face_count - count)
        return -1;
    for (int64_t entry = first; entry < first + count; entry++) {
        Face *face = &faces[placed];
        double tilted[3];
        face->entry = entry;
        if (!place(&sheets->triangles, entry, search->seen.sides[which].matrix, face->corners[0]))
            return -1;
        if (!(largest_of(face->corners[0], 9) <= ABOUT_ONE)) return -1;
        for (int c = 0; c < 3; c++) {
            double *seen = face->seen[c];
            see(along, face->corners[c], seen);
            tilted[c] = seen[2] - (slopes[0] * seen[0] + slopes[1] * seen[1]);
        }
        for (int n = 0; n < 4; n++) {
            double moved = along->error;
            span_of(n < 3 ? &face->seen[0][n] : tilted, n < 3 ? 3 : 1, 3, &face->box.low[n],
                    &face->box.high[n]);
            if (n == 3) moved += (fabs(slopes[0]) + fabs(slopes[1])) * (TILTING + along->error);
            face->box.low[n] -= moved, face->box.high[n] += moved;
        }
        double low, high;
        span_of(&face->corners[0][along->axes[2]], 3, 3, &low, &high);
        int is_back = along->direction[along->axes[2]] < 0;
        face->box.low[EXACT] = is_back ? -high : low;
        face->box.high[EXACT] = is_back ? -low : high;
        placed += which ? may_count(asked, search, box, &face->box)
                        : may_count(asked, search, &face->box, box);
    }
    return placed;
}

/* Keep a smaller gap than the known one; of equals, crossing triangles, then the lowest. */
static void take(Slide *search, double gap, int is_crossing, const int64_t *entries, int corner) {
    int is_lower = is_crossing == search->is_crossing ? are_lower(entries, search->entries)
                                                      : is_crossing;
    if (!(gap < search->gap || (gap == search->gap && is_lower))) return;
    search->gap = gap, search->is_crossing = is_crossing, search->corner = corner;
    memcpy(search->entries, entries, sizeof search->entries);
    search->limit = minimum(search->limit, gap + TIE);
}

/* Tell two triangles that lie in one plane; 0 if there is no room. */
static int tell_faces(Slid *asked, const Slide *search, int64_t pair, const int64_t *entries) {
    if (search->gap <= 0) return 1;
    if (asked->face_count == asked->room) return 0;
    int64_t *kept = asked->faces + asked->face_count++;
    kept[0] = pair, kept[asked->room] = entries[0], kept[2 * asked->room] = entries[1];
    return 1;
}

/* Keep two triangles that lie in one plane, if they are lower than what is known. */
static void keep_faces(Slide *search, const int64_t *entries) {
    if (search->face[0] >= 0 && !are_lower(entries, search->face)) return;
    memcpy(search->face, entries, sizeof search->face);
}

/* Look at the triangles of two small patches, the nearest first; IS_LEFT or NO_ROOM, else how much
 * that cost. */
static int64_t look(const Sheets *sheets, Slid *asked, Slide *search, int64_t pair,
                    const int64_t *patches, const Box *boxes) {
    Face faces[2][RUN];
    int counts[2], looked = 0;
    double least[RUN * RUN];
    for (int n = 0; n < 2; n++) {
        counts[n] = place_faces(sheets, asked, search, n, patches[n], &boxes[!n], faces[n]);
        if (counts[n] < 1) return counts[n] ? IS_LEFT : 4 + n;
    }
    int pairs = counts[0] * counts[1];
    for (int n = 0; n < pairs; n++) {
        const Box *one = &faces[0][n / counts[1]].box, *other = &faces[1][n % counts[1]].box;
        double flat = other->low[2] - one->high[2], tilted = other->low[3] - one->high[3];
        int counts_here = may_count(asked, search, one, other)
                      && !only_graze(sheets, &search->seen, patches, one, other);
        least[n] = counts_here ? flat > tilted ? flat : tilted : NAN;
    }
    for (;;) {
        int next = -1, corner;
        for (int n = 0; n < pairs; n++)
            if (least[n] < search->limit && (next < 0 || least[n] < least[next])) next = n;
        if (next < 0) return 8 + 2 * looked;
        const Face *one = &faces[0][next / counts[1]], *other = &faces[1][next % counts[1]];
        int64_t entries[2] = {one->entry, other->entry};
        Both both;
        double gap = least[next];
        least[next] = NAN;
        const int64_t *known = known_of(sheets, asked, search, patches, &one->box, &other->box);
        if (known && !are_lower(entries, known)) continue;
        looked++;
        memcpy(both.corners, one->corners, sizeof one->corners);
        memcpy(both.corners[3], other->corners, sizeof other->corners);
        memcpy(both.seen, one->seen, sizeof one->seen);
        memcpy(both.seen[3], other->seen, sizeof other->seen);
        int state = gap_along(&search->seen.along, &both, asked->is_signed != 0, search->limit,
                              &gap, &corner);
        if (state == LEFT) return IS_LEFT;
        if (state == FACES && !asked->wants_faces) keep_faces(search, entries);
        else if (state == FACES && !tell_faces(asked, search, pair, entries)) return NO_ROOM;
        if (state == CROSSING || state == EDGES) gap = 0;
        if (gap < search->gap && state == AHEAD) {
            double slopes[2];
            slope_at(&both, corner, slopes), tilt(&search->seen, slopes);
        }
        if (gap < INFINITY) take(search, gap, state == CROSSING, entries, corner);
    }
}

/* Take the pair of patches that came last; divide the larger, or look. Returns what it cost, or
 * as `look`. */
static int64_t step(const Sheets *sheets, Slid *asked, Slide *search, int64_t pair) {
    Waiting next = search->stack[--search->height];
    Box boxes[2];
    double sizes[2];
    for (int n = 0; n < 2; n++) {
        const double *low = boxes[n].low, *high = boxes[n].high;
        boxes[n] = box_of(sheets, &search->seen, n, next.patches[n]);
        sizes[n] = sheets->are_small[next.patches[n]] ? -1.0
                 : (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]);
    }
    if (!may_count(asked, search, &boxes[0], &boxes[1])) return 1;
    if (!may_change(sheets, asked, search, next.patches, &boxes[0], &boxes[1])) return 1;
    if (sizes[0] < 0 && sizes[1] < 0)
        return look(sheets, asked, search, pair, next.patches, boxes);
    int which = sizes[1] > sizes[0];
    int64_t parent = next.patches[which], bottom = search->height;
    int64_t first = sheets->firsts[parent], count = sheets->counts[parent];
    if (count < 0 || count > RUN || first < 0 || first > parent - count) return IS_LEFT;
    if (search->height > WAITING - RUN) return IS_LEFT;
    for (int64_t child = first + count - 1; child >= first; child--) {
        Box box = box_of(sheets, &search->seen, which, child);
        const Box *one = which ? &boxes[0] : &box, *other = which ? &box : &boxes[1];
        next.patches[which] = child;
        if (!may_count(asked, search, one, other)) continue;
        if (!may_change(sheets, asked, search, next.patches, one, other)) continue;
        next.rank = promise_of(one, other);
        wait_for(search->stack, &search->height, next, bottom);
    }
    return 4;
}

/* Write what is found of a pair; NaN if it is left to the caller. */
static void answer(Slid *asked, const Slide *search, int64_t pair, int is_left) {
    double *limit = &asked->limits[asked->keys[pair]];
    if (is_left || search->gap <= 0) asked->face_count = search->first_face;
    asked->gaps[pair] = is_left ? NAN : search->gap;
    if (is_left) return;
    asked->are_crossing[pair] = (uint8_t)search->is_crossing;
    asked->corners[pair] = search->corner;
    for (int n = 0; n < 2; n++) asked->entries[n * asked->count + pair] = search->entries[n];
    if (asked->is_shared) *limit = minimum(*limit, search->gap);
}

/* Find the least gaps of pairs of rows, of which the first moves, from pair `from` on: how far the
 * first may go until it touches the second, over the inside of the overlap of their shadows.
 *
 * Above the limit of its key, gaps are infinite or any that there are; if `is_shared`, limits fall
 * with what is found. Writes gaps, multiples of the quantum; the entries that have them, of equals
 * those that cross, of these the lowest triangles, first of side 0, -1 if nothing is ahead; at
 * which corner of their shadow, -1 of what crosses or lies in one plane; which pairs cross; and of
 * pairs without a gap of 0 the lowest faces in one plane, or all of them, if that is wanted. If
 * `is_signed`, what crosses or is behind has gaps, too. NaN of pairs that are left to the caller.
 * `search` is zero at first, and kept from call to call. Returns where to go on once it has cost
 * as much as `most`, or the count; with more room for faces, if it `needs_room`. */
EXPORT int64_t octree_kernel_slide(const Sheets *sheets, Slid *asked, int64_t from, int64_t most,
                                   Slide *search) {
    uint64_t before = set_floats(DEFAULT_FLOATS);
    int64_t pair = from, cost = 0;
    asked->needs_room = 0;
    for (; pair < asked->count; pair++, cost += 16) {
        int64_t spent = 0;
        if (search->phase == NOT_BEGUN && !begin(sheets, asked, search, pair)) {
            search->first_face = asked->face_count;
            asked->gaps[pair] = NAN;
            continue;
        }
        while (spent >= 0 && (search->height > 0 || search->phase == DIVES)) {
            if (cost >= most) { /* another time */
                set_floats(before);
                return pair;
            }
            if (search->height == 0) start(sheets, asked, search, FOLLOWS);
            spent = search->height ? step(sheets, asked, search, pair) : 1;
            cost += spent;
        }
        if (spent >= 0 && search->face[0] >= 0 && !tell_faces(asked, search, pair, search->face))
            spent = NO_ROOM;
        search->phase = NOT_BEGUN;
        if (spent == NO_ROOM) {
            asked->face_count = search->first_face, asked->needs_room = 1;
            break;
        }
        answer(asked, search, pair, spent < 0);
    }
    set_floats(before);
    return pair;
}
