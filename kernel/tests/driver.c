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
        double *slack = read_array(file, &n);
        plain.slack = *slack;
        double *origins = read_array(file, &n), *directions = read_array(file, &n);
        int64_t count = n / 3;
        double *rays = read_array(file, &n), *nearest = read_array(file, &n);
        double *found = malloc((size_t)count * 11 * 8);
        if (!octree_kernel_lone_rays(&plain, origins, directions, INFINITY, count, CLOSEST, found))
            return 3;
        wrong += differs("rays", world, found, rays, 11 * count);
        if (!octree_kernel_lone_nearest(&plain, origins, INFINITY, count, found)) return 3;
        wrong += differs("nearest points", world, found, nearest, 5 * count);
        total += 2 * count;
    }
    printf("%lld questions, %lld of %lld worlds differ\n", (long long)total, (long long)wrong,
           (long long)worlds);
    return wrong ? 1 : 0;
}
