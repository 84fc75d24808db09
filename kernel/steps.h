/* Steps of a walk down a packed tree, and into the placed trees of a scene.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_STEPS_H
#define OCTREE_KERNEL_STEPS_H

#include "near.h"
#include "rays.h"

/* Test an entry exactly; returns 0 if room ran out. */
static int test(Walk *walk, int64_t entry, int is_certain) {
    double corners[9];
    int met = is_certain || walk->kind == AROUND;
    if (walk->kind == RAY) return test_crossing(walk, entry);
    if (met) return note(walk, entry, 0);
    if (walk->kind == POINT) {
        if (take(walk, entry, distance_to(walk, walk->place, entry)) && walk->held == walk->wanted)
            narrow(walk, walk->limit);
        return 1;
    }
    if (walk->tree->boxes) return !rounded_touches(walk, entry) || note(walk, entry, 0);
    corners_in(walk->tree, walk->matrix, entry, corners);
    met = touches_volume(walk, corners);
    if (met == DOUBTFUL) walk->state = NOT_TAKEN;
    return !met || note(walk, entry, 0);
}

/* Return whether the walk needs one item and has found it. */
static int is_done(const Walk *walk) { return walk->any && walk->held + walk->count > 0; }

static void leave_place(Walk *walk) {
    walk->tree = &walk->scene->top, walk->matrix = NULL;
    walk->level = 0, walk->place = 0, walk->floor = 0;
}

/* Enter a placed tree, if it is packed; test all of its items if it cannot be walked. */
static int enter_place(Walk *walk, int64_t row, int is_certain) {
    const Scene *scene = walk->scene;
    assert(row >= 0 && row < scene->top.entry_count);
    int64_t mesh = scene->meshes[row];
    int state = 1, there = 1;
    if (scene->trees[mesh].node_count == 0) {
        __atomic_store_n(&scene->wanted[mesh], 1, __ATOMIC_RELAXED);
        walk->missing = 1;
        return 1;
    }
    walk->tree = &scene->trees[mesh], walk->matrix = scene->matrices + 12 * row;
    walk->place = row, walk->level = 1, walk->floor = walk->height;
    if (walk->kind == RAY) state = set_placed_line(walk);
    else see_placed(walk);
    if (state > 0) {
        push_pending(walk, 0, 0, is_certain ? CERTAIN : 0.0f);
        return 1;
    }
    for (int64_t entry = 0; state < 0 && entry < walk->tree->entry_count && there; entry++) {
        there = test(walk, entry, 0);
        if (is_done(walk)) break;
    }
    leave_place(walk);
    return there;
}

/* Push a triangle while its data is prefetched: first the vertex indices, then the corners. */
static void fetch_triangle(Walk *walk, int64_t entry, int count) {
    const Tree *tree = walk->tree;
    for (int c = 0; c < 3; c++) {
        const int64_t *vertex = tree->faces + c * tree->face_step + entry;
        if (count == FETCHING) __builtin_prefetch(vertex);
        for (int axis = 0; axis < 3 && count == FETCHED; axis++)
            __builtin_prefetch(tree->vertices + axis * tree->vertex_step + *vertex);
    }
    push_pending(walk, (int32_t)~entry, count, 0.0f);
}

/* Take the nearest box from the stack, and go on from there; returns 0 if room ran out. `alone`:
 * no other rays are walked by turns, so that waiting gains nothing. */
static INLINED int step_walk(Walk *walk, int is_ray, int alone) {
    Pending next = walk->stack[--walk->height];
    if (walk->height < walk->floor) leave_place(walk);
    const Line *line = &walk->lines[walk->level];
    const View *view = &walk->views[walk->level];
    const Tree *tree = walk->tree;
    int is_certain = next.enter < 0;
    if (next.enter > (is_ray ? line->far : view->reach * view->reach)) return 1;
    while (next.child >= 0) {
        assert(next.child < tree->node_count);
        const Node *node = &tree->nodes[next.child];
        Eight when;
        unsigned certain = 0, slots = is_ray ? crossed_boxes(line, node, &when)
                                             : near_boxes(walk, node, is_certain, &when, &certain);
        if (slots == 0) return 1;
        if (is_ray && alone && (slots & (slots - 1)) == 0) { /* the only one, without the stack */
            int slot = __builtin_ctz(slots);
            next.child = node->child[slot], next.count = node->count[slot];
            continue;
        }
        push(walk, node, when, slots, certain);
        if (!alone) return 1;
        next = walk->stack[--walk->height], is_certain = next.enter < 0;
    }
    int64_t number = ~(int64_t)next.child;
    if (walk->scene && !walk->matrix) return enter_place(walk, number, is_certain);
    if (next.count == FETCHING && !alone) {
        fetch_triangle(walk, number, FETCHED);
        return 1;
    }
    if (next.count < 0) return test_crossing(walk, number);
    const Block *block = tree->boxes ? NULL : &tree->blocks[number];
    assert(number < (block ? tree->block_count : tree->entry_count) && next.count <= WIDE);
    unsigned left = (1u << next.count) - 1;
    if (is_ray) left &= may_cross(line, block);
    else if (block && !is_certain) left &= may_reach(walk, block, next.count);
    for (; left && !is_done(walk); left &= left - 1) {
        int64_t entry = block ? block->entry[__builtin_ctz(left)] : number;
        if (!alone) fetch_triangle(walk, entry, FETCHING);
        else if (!(is_ray ? test_crossing(walk, entry) : test(walk, entry, is_certain))) return 0;
    }
    return 1;
}

/* Walk until the stack is empty; returns 0 if room ran out. */
static int go_on(Walk *walk) {
    int there = 1;
    if (walk->kind == RAY)
        while (walk->height && there) there = step_walk(walk, 1, 1);
    else
        while (walk->height && there) there = step_walk(walk, 0, 1);
    return there;
}

static void fetch_next(const Walk *walk) {
    const Pending *next = &walk->stack[walk->height - 1];
    const Tree *tree = walk->height - 1 < walk->floor ? &walk->scene->top : walk->tree;
    int64_t number = next->child < 0 ? ~(int64_t)next->child : next->child;
    const char *at = next->child >= 0 ? (const char *)&tree->nodes[number]
                   : tree->boxes      ? (const char *)&walk->scene->matrices[12 * number]
                                      : (const char *)&tree->blocks[number];
    for (int line = 0; line < 5 && next->count >= 0; line++) __builtin_prefetch(at + 64 * line);
}

#endif
