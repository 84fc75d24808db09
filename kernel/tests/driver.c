/* Repeats recorded calls of the kernel and compares all memory they reached: driver FILE
 *
 * For emulated machines without Python. `recorded.py` writes the file, and `calls.h`, which calls
 * each function of the kernel. */

#include "calls.h" /* int64_t call(int64_t function, const Word *given), NAMES */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An address within a piece of memory, at `at`: the target piece and the offset in it. */
typedef struct {
    int64_t at, piece, offset;
} Link;

/* A piece of memory that a call may reach, and its contents before and after the call. */
typedef struct {
    char *held, *after, *space[2];
    int64_t size, link_count, after_count;
    Link *links, *after_links;
} Piece;

static void read_into(FILE *file, void *array, int64_t size) {
    if (fread(array, 1, (size_t)size, file) != (size_t)size) exit(2);
}

static int64_t read_number(FILE *file) {
    int64_t number;
    read_into(file, &number, sizeof number);
    return number;
}

static Link *read_links(FILE *file, int64_t count) {
    Link *links = malloc((size_t)count * sizeof(Link) + 1);
    read_into(file, links, count * (int64_t)sizeof(Link));
    return links;
}

/* Read the contents of a piece, aligned to a cache line as in the record. */
static char *read_bytes(FILE *file, int64_t behind, int64_t size, char **space) {
    char *held = *space = malloc((size_t)size + 128);
    while ((uintptr_t)held % 64 != (uintptr_t)behind) held++;
    read_into(file, held, size);
    return held;
}

static void set_links(const Piece *pieces, char *held, const Link *links, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        void *place = pieces[links[i].piece].held + links[i].offset;
        memcpy(held + links[i].at, &place, sizeof place);
    }
}

/* The sign of NaN differs between machines. */
static int are_equal(const char *one, const char *other) {
    uint64_t a, b, sign = (uint64_t)1 << 63;
    memcpy(&a, one, sizeof a), memcpy(&b, other, sizeof b);
    return a == b || ((a ^ b) == sign && (a & ~sign) == 0x7ff8000000000000);
}

static int64_t differing(const Piece *piece) {
    if (!memcmp(piece->held, piece->after, (size_t)piece->size)) return -1;
    for (int64_t at = 0; at < piece->size; at += 8)
        if (piece->size - at < 8 ? memcmp(piece->held + at, piece->after + at,
                                          (size_t)(piece->size - at))
                                 : !are_equal(piece->held + at, piece->after + at))
            return at;
    return -1;
}

/* Call once more what is recorded; 1 if something is other than then. */
static int ask(FILE *file, int64_t function, int64_t number) {
    int64_t answered = read_number(file), given_count = read_number(file);
    int64_t count = read_number(file), wrong = 0;
    Word given[32];
    Link arguments[32];
    Piece *pieces = calloc((size_t)count + 1, sizeof(Piece));
    read_into(file, arguments, given_count * (int64_t)sizeof(Link));
    for (Piece *piece = pieces; piece < pieces + count; piece++) {
        int64_t behind = read_number(file);
        piece->size = read_number(file), piece->link_count = read_number(file);
        piece->links = read_links(file, piece->link_count);
        piece->held = read_bytes(file, behind, piece->size, &piece->space[0]);
        piece->after_count = read_number(file);
        piece->after_links = read_links(file, piece->after_count);
        piece->after = read_bytes(file, behind, piece->size, &piece->space[1]);
    }
    for (Piece *piece = pieces; piece < pieces + count; piece++) {
        set_links(pieces, piece->held, piece->links, piece->link_count);
        set_links(pieces, piece->after, piece->after_links, piece->after_count);
    }
    for (int64_t i = 0; i < given_count; i++) {
        given[i].number = arguments[i].offset;
        if (arguments[i].piece >= 0)
            given[i].address = pieces[arguments[i].piece].held + arguments[i].offset;
    }
    int64_t found = call(function, given);
    if (found != answered)
        wrong = printf("call %lld: %s returns %lld, not %lld\n", (long long)number,
                       NAMES[function], (long long)found, (long long)answered);
    for (int64_t n = 0; n < count && !wrong; n++) {
        int64_t at = differing(&pieces[n]);
        if (at >= 0)
            wrong = printf("call %lld: %s writes something else at %lld of %lld bytes\n",
                           (long long)number, NAMES[function], (long long)at,
                           (long long)pieces[n].size);
    }
    for (Piece *piece = pieces; piece < pieces + count; piece++)
        free(piece->space[0]), free(piece->space[1]), free(piece->links), free(piece->after_links);
    free(pieces);
    return wrong != 0;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    int64_t asked = 0, wrong = 0;
    if (!file) return 2;
    for (int64_t function; fread(&function, sizeof function, 1, file) == 1; asked++)
        wrong += ask(file, function, asked);
    printf("%lld calls of %d functions, %lld answered otherwise\n", (long long)asked,
           (int)(sizeof NAMES / sizeof *NAMES), (long long)wrong);
    return wrong ? 1 : 0;
}
