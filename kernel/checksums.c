/* Octree kernel, checksums: sums of mixed words, block by block, that tell contents apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers have the bits of `core/checksumming.py`. The functions allocate nothing and keep no
 * state. */

#include "octree_kernel.h"

/* As in checksums.py. */
enum { SUMMED_TOGETHER = 4096 };
#define STRIDE 0x9e3779b97f4a7c15u
#define FACTOR 0xd6e8feb86659fd93u

/* Write the sums of blocks of `count` words, one for each, into `sums` (sum_count). */
EXPORT int64_t octree_kernel_sum_words(const uint64_t *words, int64_t count, int64_t sum_count,
                                       uint64_t *sums) {
    if (count < 0 || sum_count != count / SUMMED_TOGETHER + (count % SUMMED_TOGETHER != 0))
        return DAMAGED;
    for (int64_t block = 0; block < sum_count; block++) {
        const uint64_t *first = words + block * SUMMED_TOGETHER;
        int64_t left = count - block * SUMMED_TOGETHER;
        uint64_t sum = 0;
        for (uint64_t n = 0; n < SUMMED_TOGETHER && (int64_t)n < left; n++) {
            uint64_t word = first[n] + n * STRIDE;
            word = (word ^ word >> 32) * FACTOR;
            sum += word ^ word >> 29;
        }
        sums[block] = sum;
    }
    return sum_count;
}
