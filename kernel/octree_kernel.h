/* The interface of the kernel: its structures, its codes and its functions, once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All files include this header, and bindings.py writes octree_kernel/structures.py from it. A
 * digest of its declarations is the number by which Python and the library know each other.
 *
 * All arrays belong to the caller. Shapes are given as in NumPy, axis first. Functions return a
 * count, a place to go on from, or a code below 0. */

#ifndef OCTREE_KERNEL_H
#define OCTREE_KERNEL_H

#include "shared.h"

/* Codes of refusals: an index is out of range; an array is too small; a join does not pay; a pair
 * is left to the caller; an item has no cell. */
enum { DAMAGED = -1, NO_ROOM = -2, GIVEN_UP = -3, IS_LEFT = -4, LOST = -5 };

/* Codes of questions, instead of items: nothing was met; the question is left to the caller; it
 * came to a tree that is not packed. */
enum { MISS = -1, NOT_TAKEN = -2, NOT_PACKED = -3 };

/* Sizes in bytes that `octree_kernel_size` returns; that of SCRATCH depends on the depth of a
 * tree. */
enum { NODE = 0, BLOCK = 1, SCRATCH = 2, PART = 3 };

/* The wanted crossings of a ray. */
enum { CLOSEST = 0, ANY = 1, ALL = 2 };

/* ---- Trees and questions (packing.c, walks.c) ---- */

/* A node and a block of a packed tree, a part that is still to be packed, a node on a stack. */
typedef struct Node Node;
typedef struct Block Block;
typedef struct Part Part;
typedef struct Pending Pending;

/* The origin and scale by which coordinates of items are mapped to [-1, 1]. */
typedef struct {
    double center[3], scale;
} Frame;

/* Triangles; or, where `boxes` is not NULL, boxes that are grown round by a radius. */
typedef struct {
    const Node *nodes;
    const Block *blocks;
    const double *vertices; /* (3, vertex_step) */
    const int64_t *faces;   /* (3, face_step) */
    const int64_t *order;   /* (entry_count): which item each entry is */
    const double *boxes;    /* (6, entry_count): lower, upper; (3, entry_count) of points */
    const double *radii;    /* (entry_count), or NULL where all are 0 */
    int64_t upper;          /* from a lower coordinate to the upper one: 0 of points */
    int64_t vertex_step, vertex_count, face_step, entry_count;
    int64_t node_count, block_count, depth;
    Frame frame;
} Tree;

/* Entries to pack, at the places from `start` to `stop`, and what divides them, from `root` on.
 * Cells of an octree, and -1 without: cell c holds the places from `begin[c]` to `end[c]`, its own
 * to `own_end[c]`, then those of eight children; small ones are divided at medians. Nodes, where
 * there are `child_count`: see core/scene/nodes.py; the first place is entry 0. */
typedef struct {
    const int64_t *first_child, *child_count, *begin, *own_end, *end; /* (cell_count) */
    int32_t *entries; /* (stop): the entry at each place; NULL of nodes */
    float *middles;   /* (3, entry_count): room; NULL of nodes */
    int64_t cell_count, root, start, stop;
} Packing;

/* Placed trees. Entries of the top are the boxes of placements, each a row. */
typedef struct {
    Tree top;
    const Tree *trees;      /* (mesh_count), without nodes where one is not packed */
    const int64_t *meshes;  /* (entry_count): the number of each one's tree */
    const double *matrices; /* (entry_count, 12): three rows of four */
    const double *inverses; /* (entry_count, 9): of the first three columns, NaN without one */
    const double *slacks;   /* (entry_count): how wrong a point is that the inverse takes back */
    uint8_t *wanted;        /* (mesh_count): set where a tree would have been needed */
    int64_t mesh_count;
} Scene;

/* Cells of an octree and references, as they are: see `Octree` in core/octree.py. `items` has
 * triangles or boxes and the order, no nodes; boxes are only asked by volumes. The arrays have
 * not been checked. */
typedef struct {
    Tree items;
    const double *walls; /* (6, cell_count) */
    const int64_t *first_child, *begin, *own_end, *end, *references, *strays;
    int64_t cell_count, reference_count, stray_count;
    double slack;
} Plain;

/* The target of a walk: a scene or plain cells unless these are NULL, else a tree. */
typedef struct {
    const Tree *tree;
    const Scene *scene;
    const Plain *plain;
} Walked;

/* Rays: `limits` has a number for each (limit_step 1) or one for all (0). */
typedef struct {
    const double *origins, *directions, *limits;
    int64_t limit_step;
} Asked;

/* The arrays of an answer; unwanted arrays are NULL. Only scenes have `places`. */
typedef struct {
    int64_t *items, *places;
    double *distances, *positions, *normals, *weights;
} Hits;

EXPORT int64_t octree_kernel_abi(void);
EXPORT int64_t octree_kernel_pack(Tree *tree, const Packing *cells, Node *nodes, Block *blocks,
                                  int64_t node_room, int64_t block_room, Part *work,
                                  int32_t *depths);
EXPORT int64_t octree_kernel_size(int64_t which, int64_t depth);
EXPORT int64_t octree_kernel_cast(const Walked *walked, const Asked *asked, int64_t from,
                                  int64_t to, int64_t mode, int64_t together, int64_t depth,
                                  Pending *scratch, const Hits *hits);
EXPORT int64_t octree_kernel_cast_all(const Walked *walked, const Asked *asked, int64_t from,
                                      int64_t to, Pending *scratch, int64_t *names,
                                      double *distances, int64_t room, int64_t *counts);
EXPORT int64_t octree_kernel_wound(const Walked *walked, const Asked *asked, int64_t from,
                                   int64_t to, const int64_t *rows, const int64_t *codes,
                                   const int64_t *starts, int64_t code_count, Pending *scratch,
                                   int64_t *states);
EXPORT int64_t octree_kernel_nearest(const Walked *walked, const double *points,
                                     const int64_t *turns, int64_t from, int64_t to,
                                     int64_t wanted, double limit, Pending *stack, int64_t *items,
                                     int64_t *places, int64_t *entries, double *distances,
                                     double *positions);
EXPORT int64_t octree_kernel_nearest_in(const Walked *walked, const double *points, int64_t count,
                                        const int64_t *rows, const double *limits, int64_t from,
                                        int64_t to, Pending *stack, int64_t *items,
                                        double *distances, double *corners);
EXPORT int64_t octree_kernel_touch(const Walked *walked, const double *volumes,
                                   const int64_t *turns, int64_t from, int64_t to, int64_t kind,
                                   int64_t any, Pending *stack, int64_t *names, int64_t room,
                                   int64_t *counts);

/* ---- Builds (builds.c) ---- */

/* Triangles, or boxes if `faces` is NULL, sorted by code, and how their cells are divided: see
 * `Entries` and `Grid`. `step` is the size of the finest cell, `scale` one by it. */
typedef struct {
    const double *vertices; /* (3, vertex_count) */
    const int64_t *faces;   /* (3, face_count), face_count >= entry_count */
    const int64_t *codes, *first, *last;
    const uint8_t *depths;
    uint8_t *strays, *times; /* which touch nothing, and how often each was filed, up to two */
    int64_t vertex_count, face_count, entry_count, grid_depth;
    double lower[3], upper[3], step[3], scale[3];
} Entries;

/* Some cells of one depth: numbers on the grid (3, count), slices of the entries (2, count), and
 * slices of `copies`, the entries that cells above have handed down; how many entries each holds,
 * and `spread` and `allowance` as in core/construction/levels.py. */
typedef struct {
    const int64_t *cells, *slices, *copied, *held, *spread;
    const double *allowance;
    const int32_t *copies;
    int64_t count, copy_count, depth;
} Level;

EXPORT int64_t octree_kernel_bounds(const double *vertices, int64_t vertex_count,
                                    const int64_t *faces, int64_t face_count, int64_t from,
                                    int64_t to, double *lower, double *upper);
EXPORT int64_t octree_kernel_enter(const double *lower, const double *upper, int64_t count,
                                   int64_t from, int64_t to, const double *starts,
                                   const double *scale, int64_t depth, int64_t *first,
                                   int64_t *last, int64_t *codes, uint8_t *depths);
EXPORT int64_t octree_kernel_count(const int64_t *keys, int64_t from, int64_t to, int64_t shift,
                                   int64_t *counts);
EXPORT int64_t octree_kernel_sort(const int64_t *keys, const int64_t *numbers, int64_t from,
                                  int64_t to, int64_t shift, int64_t *places, int64_t *sorted,
                                  int64_t *order, int64_t room);
EXPORT int64_t octree_kernel_classify(const Entries *all, const Level *level, const int64_t *which,
                                      int64_t from, int64_t to, int64_t found, int32_t *pairs,
                                      uint8_t *masks, int64_t room, int64_t *children,
                                      int64_t cell_count);
EXPORT int64_t octree_kernel_judge(const Level *level, const int64_t *which, int64_t count,
                                   int64_t *children, int64_t most, uint8_t *verdicts,
                                   int64_t *made);
EXPORT int64_t octree_kernel_hand_down(const int32_t *pairs, const uint8_t *masks,
                                       int64_t pair_count, const int64_t *ends,
                                       const int64_t *starts, const uint8_t *kept, int64_t from,
                                       int64_t to, int32_t *copies, int64_t room);
EXPORT int64_t octree_kernel_walls(const Entries *all, const int64_t *cells, const int64_t *depths,
                                   int64_t count, double *walls);
EXPORT int64_t octree_kernel_file(const Entries *all, const Level *level, const uint8_t *is_leaf,
                                  int64_t from, int64_t to, const int64_t *begin,
                                  int64_t *references, int64_t room);

/* ---- Moves (moves.c) ---- */

EXPORT int64_t octree_kernel_preorder(const int64_t *parent, const int64_t *first_child,
                                      int64_t count, int64_t *place, int64_t *span);
EXPORT int64_t octree_kernel_slices(const int64_t *parent, const int64_t *place,
                                    const int64_t *span, int64_t count, const int64_t *own,
                                    int64_t outside, int64_t *ends, int64_t *slices,
                                    uint8_t *masks);
EXPORT int64_t octree_kernel_move(const double *walls, const double *loose, const double *middles,
                                  const int64_t *parent, const int64_t *first_child,
                                  const int64_t *place, const int64_t *span, int64_t cell_count,
                                  double factor, const double *rows, const int64_t *moved,
                                  const int64_t *before, const int64_t *own, int64_t count,
                                  int64_t moved_count, int64_t *found, uint8_t *masks);
EXPORT int64_t octree_kernel_refer(const int64_t *references, int64_t count, const int64_t *moved,
                                   int64_t moved_count, const int64_t *stands,
                                   const int64_t *place, const int64_t *ends, int64_t cell_count,
                                   int64_t *waiting, int64_t *found);

/* ---- Outlines (outlines.c) ---- */

EXPORT int64_t octree_kernel_outline(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, uint8_t *flags, double *boxes);
EXPORT int64_t octree_kernel_surround(const double *parts, int64_t part_count,
                                      const int64_t *starts, const int64_t *counts,
                                      int64_t mesh_count, const int64_t *meshes,
                                      const double *matrices, int64_t count, double *boxes);

/* ---- Nodes (nodes.c) ---- */

/* The nodes of meshes while they are divided, (room) each, as `Nodes` in core/scene/nodes.py; and
 * two counts: how many have been divided, and how many there are. */
typedef struct {
    int64_t *begin, *end, *first_child, *child_count, *counts;
    int64_t room;
} Divided;

EXPORT int64_t octree_kernel_keys(const double *vertices, int64_t count, const int64_t *faces,
                                  int64_t face_count, int64_t from, int64_t to,
                                  const double *frames, const int64_t *owners,
                                  int64_t mesh_count, int64_t *keys);
EXPORT int64_t octree_kernel_divide(const uint8_t *levels, int64_t entry_count,
                                    const Divided *nodes, int64_t most);
EXPORT int64_t octree_kernel_medians(const double *vertices, int64_t count, const int64_t *faces,
                                     int64_t face_count, const int64_t *begins,
                                     const int64_t *sizes, int64_t from, int64_t to,
                                     int64_t *order);
EXPORT int64_t octree_kernel_runs(const double *vertices, int64_t count, const int64_t *faces,
                                  int64_t face_count, const int64_t *starts, const int64_t *counts,
                                  int64_t run_count, int64_t from, int64_t to, double *rows,
                                  double *altitudes);

/* ---- Placed triangles (placed.h) ---- */

/* Triangles of an indexed mesh; or, where there are entries, item i is triangle `entries[i]` where
 * column `places[i]` of the matrices puts it. */
typedef struct {
    const double *vertices;          /* (3, vertex_step) */
    const int64_t *faces;            /* (3, face_step) */
    const int64_t *entries, *places; /* (count) */
    const double *matrices;          /* (12, place_count): three rows of four */
    int64_t vertex_step, vertex_count, face_step, face_count, count, place_count;
} Batch;

/* The triangle pool (core/scene/pool.py) with its nodes (core/scene/nodes.py), parents before
 * their children, and placements, each a row. */
typedef struct {
    Batch triangles;
    const int64_t *order;                     /* (face_count): triangles of their meshes */
    const double *boxes;                      /* (6, node_step) */
    const int64_t *first_child, *child_count; /* (node_count): -1 and 0 of leaves */
    const int64_t *begin, *end;               /* (node_count): entries */
    const double *altitudes;                  /* (node_count): of no triangle a lower one */
    const int64_t *lowest_items;              /* (node_count): least `order` of a triangle */
    const int64_t *roots;                     /* (mesh_count): nodes */
    const int64_t *meshes;                    /* (place_count): of each row */
    int64_t node_step, node_count, mesh_count;
} Pool;

/* ---- Pairs of triangles and of placed surfaces (joins.c, pairs.c) ---- */

/* The state of a search and of a join, between calls. */
typedef struct Search Search;
typedef struct Join Join;

/* An octree of triangles that are in all leaves they touch, and slots for the bounds of leaves:
 * the bounds of the content, and of at most `most` triangles. */
typedef struct {
    Batch items;
    const double *walls; /* (6, cell_count) */
    const int64_t *first_child, *begin, *end, *references;
    double *slots; /* (slot_count, 1 + most, 6) */
    int64_t *held; /* (slot_count): the leaf in each slot, -1 at first */
    int64_t cell_count, reference_count, slot_count, most;
} Cells;

EXPORT int64_t octree_kernel_touching(const Batch *ones, const int64_t *ids, const Batch *others,
                                      const int64_t *numbers, int64_t count, uint8_t *flags);
EXPORT int64_t octree_kernel_search_size(void);
EXPORT int64_t octree_kernel_search(const Pool *pool, int64_t kind, const int64_t *rows,
                                    int64_t count, const double *limits, const double *slacks,
                                    const int64_t *turned, uint8_t *refused, int64_t from,
                                    int64_t to, int64_t most, Search *search, double *lengths,
                                    int64_t *entries);
EXPORT int64_t octree_kernel_list(const Pool *pool, const int64_t *rows, int64_t count,
                                  const double *slacks, int64_t from, int64_t to, int64_t most,
                                  Search *search, int64_t *found, int64_t room, int64_t *made,
                                  uint8_t *left);
EXPORT int64_t octree_kernel_join_size(void);
EXPORT int64_t octree_kernel_join(Cells *trees, Join *join, double slack, int64_t crowd,
                                  int64_t most, int64_t *names, int64_t room);

/* ---- Broad phase (broad.c) ---- */

/* Boxes of one level of a hierarchy: first and last cells of the grid, packed as in core/grid.py,
 * the last with guard bits; the lowest and the highest owner in each, or NULL if none matter. */
typedef struct {
    const int64_t *first, *last, *lowest, *highest; /* (count) */
    int64_t count;
} Layer;

/* Pairs of children of two boxes; the most pairs of boxes that wait, of 13 levels. */
enum { GROUP_PAIRS = 36, MOST_WAITING = 468 };

/* A walk between calls: pairs of boxes that wait, their level, and their share of the work; how
 * many there are, and the part of the work that is done. Begins with the roots. */
typedef struct {
    int64_t one[MOST_WAITING], other[MOST_WAITING], level[MOST_WAITING];
    double share[MOST_WAITING], done;
    int64_t height;
} BoxPairs;

EXPORT int64_t octree_kernel_pair_boxes(const Layer *ones, const Layer *others,
                                        const int64_t *order, const int64_t *orders,
                                        BoxPairs *waiting, int64_t most, int64_t *found,
                                        int64_t room);

/* ---- Slides (slides.c) ---- */

/* The state of a slide, between calls. */
typedef struct Slide Slide;

/* The questions and answers of octree_kernel_slide. */
typedef struct {
    const double *direction;           /* (4): a vector, and the error of projected coordinates */
    const int64_t *rows, *keys;        /* (2, count), (count) */
    double *limits, *gaps;             /* (key_count), (count) */
    int64_t *entries, *corners;        /* (2, count), (count) */
    uint8_t *are_crossing;             /* (count) */
    int64_t *faces;                    /* (3, room) */
    int64_t count, key_count, room, face_count, is_signed, is_shared, wants_faces, needs_room;
} Slid;

EXPORT int64_t octree_kernel_slide_size(void);
EXPORT int64_t octree_kernel_slide(const Pool *pool, Slid *asked, int64_t from, int64_t most,
                                   Slide *search);

/* ---- Audits (audits.c) ---- */

/* Triangles that cut (9, count), and whether each lies in the other's plane, as that sees it: its
 * normal (3, count), points near its plane (3, PLANE_POINTS, count), their bounds (6, count). */
typedef struct {
    const double *corners, *normals, *points, *bounds;
    const uint8_t *flat;
    int64_t count;
} Cutters;

EXPORT int64_t octree_kernel_measure(const Batch *items, int64_t count, double margin,
                                     double *lengths);
EXPORT int64_t octree_kernel_heights(const double *points, int64_t point_step,
                                     const double *triangles, int64_t step, int64_t count,
                                     double *heights);
EXPORT int64_t octree_kernel_beside(const double *parts, int64_t part_count,
                                    const Cutters *cutters, const int64_t *numbers,
                                    const int64_t *theirs, int64_t count, double band,
                                    uint8_t *flags);
EXPORT int64_t octree_kernel_cut(const double *triangles, int64_t count, const Cutters *cutters,
                                 const int64_t *theirs, double band, double through, double *parts,
                                 int64_t *whose, int64_t room);
EXPORT int64_t octree_kernel_see_cutters(const double *triangles, const double *cutters,
                                         int64_t count, double band, double *normals,
                                         uint8_t *flat, double *points);
EXPORT int64_t octree_kernel_split(const double *pieces, const double *nearest, int64_t count,
                                   int64_t from, double through, double *parts, int64_t *whose,
                                   double *uppers, int64_t *turns, int64_t room, int64_t *made);
EXPORT int64_t octree_kernel_share(const double *ones, const double *others, int64_t count,
                                   double band, double *areas, double *middles);

/* ---- Pictures (pictures.c) ---- */

/* The frames that triangles are drawn into: one for all, or one for each; see `Frames`. */
typedef struct {
    const int64_t *numbers; /* (6, count) */
    int64_t count;
    int64_t pixels; /* of all frames */
    int64_t *keys;  /* (pixels): the largest sample of each; or NULL */
    uint8_t *flags; /* (pixels): set where there is a sample, where there are no keys */
} Target;

EXPORT int64_t octree_kernel_project(const double *vertices, int64_t vertex_count,
                                     int64_t vertex_step, const double *matrices,
                                     const int64_t *starts, const int64_t *counts,
                                     int64_t placed, double *clip, int64_t room);
EXPORT int64_t octree_kernel_draw(const Target *target, const Target *alone, const double *places,
                                  int64_t place_count, const int64_t *faces, int64_t face_step,
                                  const int64_t *names, int64_t from, int64_t to);

/* ---- Quads (quads.c) ---- */

EXPORT int64_t octree_kernel_quads(const float *places, int64_t vertex_count,
                                   const int32_t *corners, int64_t corner_count,
                                   const int32_t *polygons, int64_t count, int64_t from,
                                   int64_t to, int64_t is_by_corner, int64_t *faces);

/* ---- Checksums (checksums.c) ---- */

EXPORT int64_t octree_kernel_sum_words(const uint64_t *words, int64_t count, int64_t sum_count,
                                       uint64_t *sums);

#endif
