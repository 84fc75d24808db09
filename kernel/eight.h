/* Eight floats at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OCTREE_KERNEL_EIGHT_H
#define OCTREE_KERNEL_EIGHT_H

#include "shared.h"
#include <math.h>
#include <string.h>

#define WIDE 8

/* `eight_min` and `eight_max` return the second number where either is NaN, as SSE2 does. */
#ifdef HAS_SSE2
typedef struct { __m128 a, b; } Eight;
#define BINARY(name, op)                                                                        \
    static inline Eight name(Eight x, Eight y) {                                                \
        return (Eight){op(x.a, y.a), op(x.b, y.b)};                                             \
    }
static inline Eight load(const float *p) { return (Eight){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }
static inline void store(float *p, Eight x) { _mm_storeu_ps(p, x.a), _mm_storeu_ps(p + 4, x.b); }
static inline Eight all(float x) { return (Eight){_mm_set1_ps(x), _mm_set1_ps(x)}; }
BINARY(plus, _mm_add_ps)
BINARY(minus, _mm_sub_ps)
BINARY(times, _mm_mul_ps)
BINARY(eight_min, _mm_min_ps)
BINARY(eight_max, _mm_max_ps)
static inline Eight size_of(Eight x) {
    __m128 sign = _mm_set1_ps(-0.0f);
    return (Eight){_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
}
static inline Eight root(Eight x) { return (Eight){_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)}; }
/* A bit for each of eight, set where x <= y. */
static inline unsigned up_to(Eight x, Eight y) {
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.a, y.a))
         | (unsigned)_mm_movemask_ps(_mm_cmple_ps(x.b, y.b)) << 4;
}
#else
typedef struct { float n[WIDE]; } Eight;
#define BINARY(name, expression)                                                                \
    static inline Eight name(Eight x, Eight y) {                                                \
        Eight z;                                                                                \
        for (int i = 0; i < WIDE; i++) z.n[i] = expression;                                     \
        return z;                                                                               \
    }
static inline Eight load(const float *p) { Eight x; memcpy(x.n, p, sizeof x.n); return x; }
static inline void store(float *p, Eight x) { memcpy(p, x.n, sizeof x.n); }
static inline Eight all(float f) { Eight x; for (int i = 0; i < WIDE; i++) x.n[i] = f; return x; }
BINARY(plus, x.n[i] + y.n[i])
BINARY(minus, x.n[i] - y.n[i])
BINARY(times, x.n[i] * y.n[i])
BINARY(eight_min, x.n[i] < y.n[i] ? x.n[i] : y.n[i])
BINARY(eight_max, x.n[i] > y.n[i] ? x.n[i] : y.n[i])
static inline Eight size_of(Eight x) {
    for (int i = 0; i < WIDE; i++) x.n[i] = fabsf(x.n[i]);
    return x;
}
static inline Eight root(Eight x) {
    for (int i = 0; i < WIDE; i++) x.n[i] = sqrtf(x.n[i]);
    return x;
}
static inline unsigned up_to(Eight x, Eight y) {
    unsigned bits = 0;
    for (int i = 0; i < WIDE; i++) bits |= (unsigned)(x.n[i] <= y.n[i]) << i;
    return bits;
}
#endif

#endif
