/* Asks recorded questions, and compares answers with NumPy's, bit by bit: driver FILE
 *
 * For machines that emulators play, where there is no Python: see `recorded.py`. */

#include "../kernel.c"

#include <stdio.h>
#include <stdlib.h>

static void *read_array(FILE *file, int64_t *count) {
    int64_t size[2]; /* how many, and of how many bytes each */
    if (fread(size, sizeof size, 1, file) != 1) exit(2);
    void *array = malloc((size_t)(size[0] * size[1]) + 1);
    if (fread(array, (size_t)size[1], (size_t)size[0], file) != (size_t)size[0]) exit(2);
    *count = size[0];
    return array;
}

static int differs(const char *what, int64_t world, const void *one, const void *other,
                   int64_t count) {
    if (!memcmp(one, other, (size_t)count * 8)) return 0;
    printf("world %lld: other %s\n", (long long)world, what);
    return 1;
}

/* Put items into an answer: of each an item, a distance and some vectors, one kind after the
 * other. What is left to NumPy is as expected. */
static void leave(const int64_t *items, int64_t count, int vectors, double *found,
                  const double *expected) {
    for (int64_t i = 0; i < count; i++) {
        found[i] = (double)items[i];
        for (int n = 0; n < 2 + 3 * vectors && items[i] == NOT_TAKEN; n++) {
            int64_t first = n < 2 ? n * count : (3 * ((n - 2) / 3) + 2) * count;
            int64_t at = n < 2 ? first + i : first + 3 * i + (n - 2) % 3;
            found[at] = expected[at];
        }
    }
}

/* Ask all questions of what is walked, and compare; returns how many answers differ. */
static int64_t ask(const Walked *walked, int64_t world, int64_t depth, const double *origins,
                   const double *directions, int64_t count, const double *volumes,
                   double *const *expected) {
    int64_t room = 2 * count * walked->tree->entry_count + 1, found = 0, wrong = 0;
    Waiting *stack = malloc((size_t)octree_kernel_size(2, depth));
    int64_t *items = malloc((size_t)count * 8), *entries = malloc((size_t)count * 8);
    int64_t *counts = malloc((size_t)count * 16), *names = malloc((size_t)room * 8);
    double *rays = malloc((size_t)count * 11 * 8), limit = INFINITY;
    Asked asked = {origins, directions, &limit, 0};
    Hits hits = {items, NULL, rays + count, rays + 2 * count, rays + 5 * count, rays + 8 * count};
    if (octree_kernel_cast(walked, &asked, 0, count, CLOSEST, 1, depth, stack, &hits) < count)
        exit(3);
    leave(items, count, 3, rays, expected[0]);
    wrong += differs("rays", world, rays, expected[0], 11 * count);
    octree_kernel_nearest(walked, origins, NULL, 0, count, 1, INFINITY, stack, items, NULL,
                          entries, rays + count, rays + 2 * count);
    leave(items, count, 1, rays, expected[1]);
    wrong += differs("nearest points", world, rays, expected[1], 5 * count);
    for (int64_t kind = SPHERE; kind <= BOX; kind++) {
        const double *known = expected[kind + 1], *some = volumes + (kind - 1) * 7 * count;
        int64_t turn = octree_kernel_touch(walked, some, NULL, 0, count, kind, 0, stack, names,
                                           room, counts);
        if (turn < count) exit(4);
        found = 0;
        for (int64_t i = 0, at = count; i < count; at += (int64_t)known[i++]) {
            if (counts[i] == NOT_TAKEN) continue;
            int is_same = counts[i] == (int64_t)known[i];
            for (int64_t n = 0; is_same && n < counts[i]; n++)
                is_same = names[found + n] == (int64_t)known[at + n];
            if (!is_same) printf("world %lld: other volumes of kind %d\n", (long long)world,
                                 (int)kind), wrong++;
            found += counts[i];
        }
    }
    free(stack), free(items), free(entries), free(counts), free(names), free(rays);
    return wrong;
}

/* Pack the triangles, divided at medians. */
static Tree packed(const Tree *items) {
    size_t count = (size_t)items->entry_count, room = count + 1;
    Tree tree = *items;
    int32_t *entries = malloc(count * 4), *depths = malloc(room * 4);
    for (size_t i = 0; i < count; i++) entries[i] = (int32_t)i;
    float *middles = malloc(count * 12);
    Part *work = malloc(room * sizeof(Part));
    Node *nodes = malloc(room * sizeof(Node));
    Block *blocks = malloc(room * sizeof(Block));
    if (octree_kernel_pack(&tree, nodes, blocks, (int64_t)room, (int64_t)room, NULL, NULL, NULL,
                           NULL, 0, entries, items->entry_count, middles, work, depths))
        exit(5);
    free(entries), free(depths), free(middles), free(work);
    return tree;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    int64_t worlds, n, total = 0, wrong = 0;
    if (!file) return 2;
    int64_t *many = read_array(file, &worlds);
    worlds = many[0];
    for (int64_t world = 0; world < worlds; world++) {
        Plain plain = {0};
        Tree *tree = &plain.items;
        tree->vertices = read_array(file, &n), tree->vertex_count = n / 3;
        tree->faces = read_array(file, &n);
        tree->order = read_array(file, &tree->entry_count);
        plain.walls = read_array(file, &n);
        plain.first_child = read_array(file, &plain.cell_count);
        plain.begin = read_array(file, &n), plain.own_end = read_array(file, &n);
        plain.end = read_array(file, &n);
        plain.references = read_array(file, &plain.reference_count);
        plain.strays = read_array(file, &plain.stray_count);
        double *slack = read_array(file, &n), *expected[4];
        plain.slack = *slack;
        double *origins = read_array(file, &n), *directions = read_array(file, &n);
        int64_t count = n / 3;
        double *volumes = read_array(file, &n);
        for (int i = 0; i < 4; i++) expected[i] = read_array(file, &n);
        Tree whole = packed(tree);
        Walked cells = {tree, NULL, &plain}, nodes = {&whole, NULL, NULL};
        wrong += ask(&cells, world, 0, origins, directions, count, volumes, expected);
        wrong += ask(&nodes, world, whole.depth, origins, directions, count, volumes, expected);
        total += 8 * count;
    }
    printf("%lld questions, %lld answers differ in %lld worlds\n", (long long)total,
           (long long)wrong, (long long)worlds);
    return wrong ? 1 : 0;
}
