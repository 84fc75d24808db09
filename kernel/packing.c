/* Packing: puts triangles or boxes into a wide tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wide tree only tells which items a question may meet. Its coordinates are single precision,
 * relative to the middle of all items and divided by a power of two, so that they lie in [-1, 1].
 * Boxes are MARGIN larger than their items. The functions allocate nothing and keep no state: all
 * arrays are the caller's. */

#include "packed.h"
#include "exact.h"

/* Subtrees with fewer entries are divided at medians, not at the planes of cells. */
#define SMALL 64

static int64_t entries_in(const Part *part) { return part->to - part->from; }

static int64_t entry_at(const Packing *cells, int64_t place) {
    return cells->entries ? cells->entries[place] : place - cells->start;
}

/* Return the largest undivided number of entries: a block of triangles, or one box. */
static int64_t fewest(const Tree *tree) { return tree->boxes ? 1 : WIDE; }

/* Put the smallest `left` of the entries from `from` to `to` first, by their middles. */
static void select_smallest(int32_t *entries, const float *key, int64_t from, int64_t to,
                            int64_t left) {
    int64_t low = from, high = to - 1, place = from + left;
    while (low < high) {
        float a = key[entries[low]], b = key[entries[(low + high) / 2]], c = key[entries[high]];
        float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = low, j = high;
        while (i <= j) {
            while (key[entries[i]] < pivot) i++;
            while (key[entries[j]] > pivot) j--;
            if (i > j) break;
            int32_t other = entries[i];
            entries[i++] = entries[j];
            entries[j--] = other;
        }
        if (place <= j) high = j;
        else if (place >= i) low = i;
        else return;
    }
}

static void split_at_median(const Tree *tree, const Packing *cells, const Part *part, Part *one,
                            Part *other) {
    float extent = -1;
    const float *key = cells->middles;
    for (int axis = 0; axis < 3; axis++) {
        const float *row = cells->middles + axis * tree->entry_count;
        float low = row[cells->entries[part->from]], high = low;
        for (int64_t i = part->from + 1; i < part->to; i++) {
            float value = row[cells->entries[i]];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > extent) extent = high - low, key = row;
    }
    int64_t leaf = fewest(tree), left = (entries_in(part) / 2 + leaf - 1) / leaf * leaf;
    select_smallest(cells->entries, key, part->from, part->to, left);
    *one = (Part){part->from, part->from + left, -1, 0, 0};
    *other = (Part){part->from + left, part->to, -1, 0, 0};
}

/* Divide a part into two that are not empty; 0 if the cells contradict each other. */
static int split_part(const Tree *tree, const Packing *cells, Part part, Part *one, Part *other) {
    while (entries_in(&part) > SMALL && part.cell >= 0) {
        int64_t first_child = cells->first_child[part.cell], middle;
        if (part.last == 0) { /* a whole cell: its own entries, then those of its children */
            if (first_child < 0) break;
            if (first_child <= part.cell || first_child > cells->cell_count - 8) return 0;
            middle = cells->own_end[part.cell];
            *one = (Part){part.from, middle, -1, 0, 0};
            *other = (Part){middle, part.to, part.cell, 0, 8};
        } else if (part.last - part.first == 1) {
            part.cell = first_child + part.first, part.first = part.last = 0;
            if (cells->begin[part.cell] != part.from || cells->end[part.cell] != part.to) return 0;
            continue;
        } else {
            int64_t half = (part.first + part.last) / 2;
            middle = cells->begin[first_child + half];
            *one = (Part){part.from, middle, part.cell, part.first, half};
            *other = (Part){middle, part.to, part.cell, half, part.last};
        }
        if (middle < part.from || middle > part.to) return 0;
        if (entries_in(one) > 0 && entries_in(other) > 0) return 1;
        part = entries_in(one) > 0 ? *one : *other;
    }
    split_at_median(tree, cells, &part, one, other);
    return 1;
}

/* Divide a part until there are eight, or none is more than a leaf; return how many. */
static int divide_part(const Tree *tree, const Packing *cells, Part *parts) {
    int count = 1;
    while (count < WIDE) {
        int most = 0;
        for (int i = 1; i < count; i++)
            if (entries_in(&parts[i]) > entries_in(&parts[most])) most = i;
        if (entries_in(&parts[most]) <= fewest(tree)) break;
        if (!split_part(tree, cells, parts[most], &parts[most], &parts[count])) return 0;
        count++;
    }
    return count;
}

/* Put the children of a node in its place and behind the others; 0 if they do not divide it. */
static int open_node(const Packing *cells, Part node, Part *place, Part *behind) {
    int64_t first = cells->first_child[node.cell], count = cells->child_count[node.cell];
    int64_t from = node.from;
    if (first <= node.cell || count < 2 || first > cells->cell_count - count) return 0;
    for (int64_t child = first; child < first + count; child++) {
        Part part = {cells->begin[child], cells->end[child], child, 0, 0};
        if (part.from != from || part.to <= from) return 0;
        *(child == first ? place : behind++) = part, from = part.to;
    }
    return from == node.to;
}

/* Open the largest node whose children find room among eight parts, until there is none; return
 * how many parts there are, or 0 if the nodes contradict each other. */
static int open_nodes(const Packing *cells, Part *parts) {
    int count = 1;
    while (1) {
        int most = -1;
        for (int i = 0; i < count; i++)
            if (entries_in(&parts[i]) > (most < 0 ? WIDE : entries_in(&parts[most]))
                && cells->child_count[parts[i].cell] <= WIDE + 1 - count)
                most = i;
        if (most < 0) return count > 1 || entries_in(parts) <= WIDE ? count : 0;
        int more = (int)cells->child_count[parts[most].cell] - 1;
        if (!open_node(cells, parts[most], &parts[most], parts + count)) return 0;
        count += more;
    }
}

/* Find the box around an entry; 0 if it is too large, or there are no such corners. */
static int bounds_of(const Tree *tree, int64_t entry, double *low, double *high) {
    double corners[9];
    int64_t count = tree->entry_count;
    if (tree->boxes) {
        double radius = tree->radii ? tree->radii[entry] : 0;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = tree->boxes[axis * count + entry] - radius;
            high[axis] = tree->boxes[axis * count + entry + tree->upper] + radius;
        }
    } else {
        if (!corners_in(tree, NULL, entry, corners)) return 0;
        if (!(largest_of(corners, 9) <= 1e150)) return 0;
        for (int axis = 0; axis < 3; axis++)
            span_of(corners + axis, 3, 3, &low[axis], &high[axis]);
    }
    for (int axis = 0; axis < 3; axis++)
        if (!(low[axis] >= -1e150 && low[axis] <= high[axis] && high[axis] <= 1e150)) return 0;
    return 1;
}

static float seen_in(const Frame *frame, double value, int axis) {
    return (float)((value - frame->center[axis]) * frame->scale);
}

/* Check the entries, set the frame in which all lie in [-1, 1], and, for cells, the entries'
 * middles. Returns 0 if an entry does not exist or the extent is too large or too small. */
static int frame_of(Tree *tree, const Packing *cells) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double lower[3], upper[3], extent = 0;
    for (int64_t i = cells->start; i < cells->stop; i++) {
        int64_t entry = entry_at(cells, i);
        if (entry < 0 || entry >= tree->entry_count) return 0;
        if (!bounds_of(tree, entry, lower, upper)) return 0;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = minimum(low[axis], lower[axis]);
            high[axis] = maximum(high[axis], upper[axis]);
        }
    }
    Frame *frame = &tree->frame;
    for (int axis = 0; axis < 3; axis++) {
        frame->center[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        extent = maximum(extent, high[axis] - frame->center[axis]);
        extent = maximum(extent, frame->center[axis] - low[axis]);
    }
    frame->scale = power_of_two_scale(extent);
    for (int64_t i = cells->start; i < cells->stop && !cells->child_count; i++) {
        int64_t entry = entry_at(cells, i);
        bounds_of(tree, entry, lower, upper);
        for (int axis = 0; axis < 3; axis++) {
            double center = frame->center[axis];
            double middle = (lower[axis] - center) + (upper[axis] - center);
            cells->middles[axis * tree->entry_count + entry] = (float)(middle * frame->scale);
        }
    }
    return extent == 0 || extent >= 1e-150;
}

/* Initialize a slot with an empty box, to be enlarged. */
static void empty_slot(Node *node, int slot) {
    for (int axis = 0; axis < 3; axis++)
        node->box[axis][0][slot] = 1e30f, node->box[axis][1][slot] = -1e30f;
    node->child[slot] = node->count[slot] = 0;
}

static void enlarge_slot(Node *node, int slot, int axis, float low, float high) {
    float *box = &node->box[axis][0][slot];
    if (low < box[0]) box[0] = low;
    if (high > box[WIDE]) box[WIDE] = high;
}

static void fill_block(const Tree *tree, const Packing *cells, const Part *part, Block *block,
                       Node *node, int slot) {
    memset(block, 0, sizeof *block);
    for (int i = 0; i < entries_in(part); i++) {
        double corners[9];
        int64_t entry = entry_at(cells, part->from + i);
        corners_in(tree, NULL, entry, corners);
        for (int n = 0; n < 9; n++) {
            float value = seen_in(&tree->frame, corners[n], n % 3);
            block->corner[n / 3][n % 3][i] = value;
            enlarge_slot(node, slot, n % 3, value - MARGIN, value + MARGIN);
        }
        block->entry[i] = (int32_t)entry;
    }
}

static void fill_slot(const Tree *tree, int64_t entry, Node *node, int slot) {
    double low[3], high[3];
    bounds_of(tree, entry, low, high);
    for (int axis = 0; axis < 3; axis++)
        enlarge_slot(node, slot, axis, seen_in(&tree->frame, low[axis], axis) - MARGIN,
                seen_in(&tree->frame, high[axis], axis) + MARGIN);
    node->child[slot] = (int32_t)~entry;
}

/* Let the box of each slot be that of all slots of the node it holds. */
static void enclose_all(Node *nodes, int64_t count) {
    for (int64_t at = count - 1; at >= 0; at--)
        for (int slot = 0; slot < WIDE; slot++)
            for (int n = 0; n < 3 * WIDE && nodes[at].child[slot] > 0; n++) {
                const Node *below = &nodes[nodes[at].child[slot]];
                int axis = n / WIDE, i = n % WIDE;
                const float *box = &below->box[axis][0][i];
                enlarge_slot(&nodes[at], slot, axis, box[0], box[WIDE]);
            }
}

/* Pack a tree. There is room for `node_room` nodes, parts and depths and for `block_room` blocks.
 * Sets the counts, depth and frame of the tree; returns 0, DAMAGED or NO_ROOM. */
EXPORT int64_t octree_kernel_pack(Tree *tree, const Packing *cells, Node *nodes, Block *blocks,
                                  int64_t node_room, int64_t block_room, Part *work,
                                  int32_t *depths) {
    int64_t node_count = 1, block_count = 0, deepest = 1;
    if (cells->stop <= cells->start || tree->entry_count >= INT32_MAX / 2) return DAMAGED;
    if (node_room < 1 || cells->root >= cells->cell_count) return DAMAGED;
    if (cells->root < 0 && cells->child_count) return DAMAGED;
    if (!frame_of(tree, cells)) return DAMAGED;
    work[0] = (Part){cells->start, cells->stop, cells->root, 0, 0}, depths[0] = 1;
    for (int64_t at = 0; at < node_count; at++) {
        Part parts[WIDE] = {work[at]};
        int parted = cells->child_count ? open_nodes(cells, parts)
                                        : divide_part(tree, cells, parts);
        if (parted == 0) return DAMAGED;
        if (depths[at] > deepest) deepest = depths[at];
        Node *node = &nodes[at];
        for (int slot = 0; slot < WIDE; slot++) {
            empty_slot(node, slot);
            if (slot >= parted) continue;
            int64_t held = entries_in(&parts[slot]);
            if (held > fewest(tree)) {
                if (node_count == node_room) return NO_ROOM;
                work[node_count] = parts[slot], depths[node_count] = depths[at] + 1;
                node->child[slot] = (int32_t)node_count++;
                continue;
            }
            node->count[slot] = (int32_t)held;
            if (tree->boxes) {
                fill_slot(tree, entry_at(cells, parts[slot].from), node, slot);
                continue;
            }
            if (block_count == block_room) return NO_ROOM;
            fill_block(tree, cells, &parts[slot], &blocks[block_count], node, slot);
            node->child[slot] = (int32_t)~block_count++;
        }
    }
    enclose_all(nodes, node_count);
    tree->nodes = nodes, tree->blocks = blocks;
    tree->node_count = node_count, tree->block_count = block_count, tree->depth = deepest;
    return 0;
}
