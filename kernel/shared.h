/* Shared by all files of the kernel: exports, the state of floats, words of the grid, and bits of
 * Morton codes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_SHARED_H
#define OCTREE_KERNEL_SHARED_H

#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAS_SSE2 1
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* For functions as short as a call, and functions that constant arguments specialize. */
#define INLINED inline __attribute__((always_inline))

/* A host may flush subnormal numbers to zero. */
#ifdef HAS_SSE2
#define DEFAULT_FLOATS 0x1f80
static inline uint64_t set_floats(uint64_t state) {
    uint64_t before = _mm_getcsr();
    _mm_setcsr((unsigned)state);
    return before;
}
#elif defined(__aarch64__)
#define DEFAULT_FLOATS 0
static inline uint64_t set_floats(uint64_t state) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
    return before;
}
#else
#define DEFAULT_FLOATS 0
static inline uint64_t set_floats(uint64_t state) { return state; }
#endif

static inline void restore_floats(const uint64_t *state) { set_floats(*state); }

/* Compute with the default state of floats until the function returns, then restore the host's. */
#define USE_DEFAULT_FLOATS                                                                      \
    uint64_t host_floats __attribute__((cleanup(restore_floats))) = set_floats(DEFAULT_FLOATS)

/* As in core/grid.py: bits of a number, of a field with its guard bit, and the guard bits. */
#define GRID_BITS 20
#define FIELD 21
#define GUARD_BITS ((int64_t)1 << 20 | (int64_t)1 << 41 | (int64_t)1 << 62)

/* Return a number of 20 bits, each moved to every third place. */
static inline int64_t spread_bits(int64_t bits) {
    uint64_t number = (uint64_t)bits;
    number = (number | number << 32) & 0x1f00000000ffff;
    number = (number | number << 16) & 0x1f0000ff0000ff;
    number = (number | number << 8) & 0x100f00f00f00f00f;
    number = (number | number << 4) & 0x10c30c30c30c30c3;
    return (int64_t)((number | number << 2) & 0x1249249249249249);
}

#endif
