/* The exact mask for freely movable jokers in plain C: what `solver.playable_counts` answers, for the standard tiles.

   The same algorithm as rummikub_env/kernels (plain.py, what it imports, graphs.py, masks.py), written by hand for one
   tile set, one thread and one purpose: to see how far the compiled Python is from the machine. Its docstrings explain
   the sweep. A state is 7 bits a colour for the row of the table of open runs, and above them the jokers used. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 4, VALUES = 13, KINDS = 53, JOKERS = 2, LIMIT = 4, ROWS = 35, WILD = 28, BARE = 62, NEVER = 99 };
#define SLOT(key, colour) ((key) >> 7 * (colour) & 0x7F)
#define IN_ALL(table, a, b)                                                              \
    (table[SLOT(a, 0)][SLOT(b, 0)] && table[SLOT(a, 1)][SLOT(b, 1)] &&                   \
     table[SLOT(a, 2)][SLOT(b, 2)] && table[SLOT(a, 3)][SLOT(b, 3)])
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct { int need[COLOURS][VALUES], may[COLOURS][VALUES], wild_min, wild_max; } Question;
typedef struct { uint32_t source, target; uint16_t laid; } Edge; /* laid: 3 bits a colour, beyond what must be */
typedef struct { uint8_t tiles, wild, then, still; } Option;
typedef struct { uint8_t tiles[COLOURS], wild; } Choice;

typedef struct {
    uint32_t *keys;
    uint8_t *follow;
    uint64_t *past; /* a bit for each tile of the rack that the paths to a state lay; `BARE`: one of them lays none */
    int32_t *slots; /* open addressing, a power of two and at least twice the room for states */
    Edge *edges;
    size_t room, edge_room, layer[VALUES + 2], edge_layer[VALUES + 1];
} Graph;

static int triples[ROWS][3], first_row[LIMIT + 2], after[ROWS][LIMIT + 1];
static uint8_t surpasses[ROWS][ROWS];
static uint8_t groups[JOKERS + 1][LIMIT + 1][LIMIT + 1][LIMIT + 1][LIMIT + 1];
static Graph graph; /* kept from call to call, so that nothing is allocated in the end */

/* Tables */

void make_tables(void) {
    int index[LIMIT + 1][LIMIT + 1][LIMIT + 1], n = 0;
    for (int total = 0; total <= LIMIT; total++) {
        first_row[total] = n;
        for (int one = 0; one <= total; one++)
            for (int two = 0; two <= total - one; two++, n++) {
                triples[n][0] = one, triples[n][1] = two, triples[n][2] = total - one - two;
                index[one][two][total - one - two] = n;
            }
    }
    first_row[LIMIT + 1] = n;
    for (int i = 0; i < ROWS; i++) {
        int one = triples[i][0], two = triples[i][1], lengthy = triples[i][2];
        for (int tiles = one + two; tiles <= LIMIT; tiles++) {
            int longer = MIN(tiles - one - two, lengthy);
            after[i][tiles] = index[tiles - one - two - longer][one][two + longer];
        }
        for (int j = 0; j < ROWS; j++) {
            const int *a = triples[i], *b = triples[j];
            surpasses[i][j] = a[0] <= b[0] && a[0] + a[1] <= b[0] + b[1] && a[0] + a[1] + a[2] >= b[0] + b[1] + b[2];
        }
    }
    for (int i = 0; i < (int)sizeof groups; i++) { /* possible if some number of groups can hold them */
        int a = i % 5, b = i / 5 % 5, c = i / 25 % 5, d = i / 125 % 5, wild = i / 625, all = a + b + c + d + wild;
        for (int n_groups = MAX(MAX(a, b), MAX(c, d)); n_groups <= 6; n_groups++)
            groups[wild][a][b][c][d] |= 3 * n_groups <= all && all <= 4 * n_groups;
    }
}

/* The sweep */

static void *more(void *old, size_t bytes) {
    void *new_ = realloc(old, bytes);
    if (!new_) abort();
    return new_;
}

static void room_for_states(Graph *g) {
    g->room = g->room ? 2 * g->room : 1024;
    g->keys = more(g->keys, g->room * sizeof *g->keys);
    g->follow = more(g->follow, g->room);
    g->past = more(g->past, g->room * sizeof *g->past);
    g->slots = more(g->slots, 2 * g->room * sizeof *g->slots);
    memset(g->slots, -1, 2 * g->room * sizeof *g->slots);
}

static void jokers_needed(const Question *q, uint8_t least[COLOURS][VALUES + 1][ROWS]) {
    int jokers = MAX(0, q->wild_max);
    memset(least, NEVER, COLOURS * (VALUES + 1) * ROWS);
    for (int colour = 0; colour < COLOURS; colour++)
        for (int at = 0; at < ROWS; at++)
            if (surpasses[at][0]) least[colour][VALUES][at] = 0;
    for (int value = VALUES - 1; value >= 0; value--) {
        int at_hand = jokers;
        for (int colour = 0; colour < COLOURS; colour++) at_hand += q->need[colour][value] + q->may[colour][value] > 0;
        for (int colour = 0; colour < COLOURS; colour++) {
            int most = q->need[colour][value] + q->may[colour][value];
            int fewest = at_hand - (most > 0) >= 2 ? 0 : q->need[colour][value];
            int before = value ? q->need[colour][value - 1] + q->may[colour][value - 1] : 0;
            int rows = value ? first_row[MIN(LIMIT, before + jokers) + 1] : 1;
            for (int at = 0; at < rows; at++) {
                int best = NEVER, must = MAX(fewest, triples[at][0] + triples[at][1]);
                for (int tiles = must; tiles <= MIN(LIMIT, most + jokers); tiles++)
                    best = MIN(best, least[colour][value + 1][after[at][tiles]] + MAX(0, tiles - most));
                least[colour][value][at] = best;
            }
        }
    }
}

static int options_of(uint32_t key, int wild, int limit_next, const int *top, const int *low,
                      uint8_t least[COLOURS][VALUES + 1][ROWS], Option options[COLOURS][32],
                      int start[COLOURS][LIMIT + 2], uint8_t can[COLOURS]) {
    for (int colour = 0; colour < COLOURS; colour++) {
        int at = SLOT(key, colour), must = triples[at][0] + triples[at][1], n = 0;
        for (int tiles = 0; tiles <= top[colour]; tiles++) {
            start[colour][tiles] = n;
            for (int n_wild = MAX(0, must - tiles); n_wild <= MIN(wild, LIMIT - tiles); n_wild++) {
                int then = after[at][tiles + n_wild], still = least[colour][limit_next][then];
                if (n_wild + still <= wild) options[colour][n++] = (Option){tiles, n_wild, then, still};
            }
        }
        start[colour][top[colour] + 1] = n;
        if (!n) return 0;
        can[colour] = 0; /* bit g: what g tiles in groups leave can be laid in runs */
        for (int g = 0; g <= top[colour]; g++)
            if (start[colour][MAX(0, low[colour] - g)] < start[colour][top[colour] - g + 1]) can[colour] |= 1 << g;
    }
    return 1;
}

static size_t place_of(Graph *g, uint32_t key, size_t first, size_t *n) {
    size_t mask = 2 * g->room - 1, slot = (key & 0xFFFFFFF) * 0x9E3779B1u;
    slot = (slot ^ slot >> 15 ^ key >> WILD) & mask;
    for (; g->slots[slot] >= (int32_t)first; slot = (slot + 1) & mask)
        if (g->keys[g->slots[slot]] == key) return g->slots[slot];
    g->slots[slot] = *n;
    g->keys[*n] = key;
    return (*n)++;
}

static void find_surpassed(Graph *g, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        if (!g->follow[i]) continue;
        uint32_t key = g->keys[i];
        for (size_t j = first; j < last; j++) {
            uint32_t other = g->keys[j];
            int can_less = (key ^ other) >> WILD == 0 && g->follow[j] && i != j && (g->past[j] & ~g->past[i]) == 0;
            if (can_less && IN_ALL(surpasses, key, other)) g->follow[j] = 0;
        }
    }
}

static uint64_t past_after(uint64_t past, uint16_t laid, int value) {
    uint64_t bits = (laid | laid >> 1 | laid >> 2) & 01111;
    if (!bits) return past;
    bits = (bits & 1) | (bits >> 2 & 2) | (bits >> 4 & 4) | (bits >> 6 & 8);
    return (past & ~(1ull << BARE)) | bits << 4 * value;
}

static int choices_of(const int *top, int wild, Choice *choices) {
    int n = 0;
    for (int w = 0; w <= wild; w++)
        for (int a = 0; a <= top[0]; a++)
            for (int b = 0; b <= top[1]; b++)
                for (int c = 0; c <= top[2]; c++)
                    for (int d = 0; d <= top[3]; d++)
                        if (groups[w][a][b][c][d]) choices[n++] = (Choice){{a, b, c, d}, w};
    return n;
}

/* All steps over a value; 0 where there is no room for the states, which makes more of it. */
static int cross(Graph *g, const Question *q, int value, uint8_t least[COLOURS][VALUES + 1][ROWS]) {
    static Choice choices[(JOKERS + 1) * 625];
    Option options[COLOURS][32];
    int low[COLOURS], top[COLOURS], start[COLOURS][LIMIT + 2];
    uint8_t can[COLOURS];
    size_t first = g->layer[value + 1], n = first, n_edges = g->edge_layer[value];
    for (int colour = 0; colour < COLOURS; colour++)
        low[colour] = q->need[colour][value], top[colour] = low[colour] + q->may[colour][value];
    int n_choices = choices_of(top, q->wild_max, choices);
    for (size_t state = g->layer[value]; state < first; state++) {
        uint32_t key = g->keys[state];
        int used = key >> WILD, wild = q->wild_max - used;
        if (!g->follow[state] || !options_of(key, wild, value + 1, top, low, least, options, start, can)) continue;
        for (const Choice *choice = choices; choice < choices + n_choices; choice++) {
            const uint8_t *in = choice->tiles;
            if (choice->wild > wild || !(can[0] >> in[0] & can[1] >> in[1] & can[2] >> in[2] & can[3] >> in[3] & 1))
                continue;
            const Option *from[COLOURS], *to[COLOURS];
            for (int colour = 0; colour < COLOURS; colour++) {
                from[colour] = options[colour] + start[colour][MAX(0, low[colour] - in[colour])];
                to[colour] = options[colour] + start[colour][top[colour] - in[colour] + 1];
            }
            for (const Option *a = from[0]; a < to[0]; a++) {
                int wild_a = choice->wild + a->wild, still_a = a->still;
                if (wild_a + still_a > wild) continue;
                for (const Option *b = from[1]; b < to[1]; b++) {
                    int wild_b = wild_a + b->wild, still_b = still_a + b->still;
                    if (wild_b + still_b > wild) continue;
                    for (const Option *c = from[2]; c < to[2]; c++) {
                        int wild_c = wild_b + c->wild, still_c = still_b + c->still;
                        if (wild_c + still_c > wild) continue;
                        for (const Option *d = from[3]; d < to[3]; d++) {
                            int wild_d = wild_c + d->wild;
                            if (wild_d + still_c + d->still > wild) continue;
                            if (n == g->room) return room_for_states(g), 0;
                            if (n_edges == g->edge_room) {
                                g->edge_room = g->edge_room ? 2 * g->edge_room : 4096;
                                g->edges = more(g->edges, g->edge_room * sizeof *g->edges);
                            }
                            uint32_t then = a->then | b->then << 7 | c->then << 14 | d->then << 21;
                            then |= (uint32_t)(used + wild_d) << WILD;
                            uint16_t laid = (a->tiles + in[0] - low[0]) | (b->tiles + in[1] - low[1]) << 3 |
                                            (c->tiles + in[2] - low[2]) << 6 | (d->tiles + in[3] - low[3]) << 9;
                            size_t known = n, to = place_of(g, then, first, &n);
                            if (to == known) g->past[to] = 0;
                            g->past[to] |= past_after(g->past[state], laid, value);
                            g->edges[n_edges++] = (Edge){state, to, laid};
                        }
                    }
                }
            }
        }
    }
    g->layer[value + 2] = n, g->edge_layer[value + 1] = n_edges;
    return 1;
}

static void sweep(Graph *g, const Question *q) {
    static uint8_t least[COLOURS][VALUES + 1][ROWS];
    jokers_needed(q, least);
    if (!g->room) room_for_states(g);
    memset(g->slots, -1, 2 * g->room * sizeof *g->slots);
    g->keys[0] = 0, g->follow[0] = 1, g->past[0] = 1ull << BARE;
    g->layer[0] = 0, g->layer[1] = 1, g->edge_layer[0] = 0;
    for (int value = 0; value < VALUES; value++) {
        while (!cross(g, q, value, least)) continue;
        memset(g->follow + g->layer[value + 1], 1, g->layer[value + 2] - g->layer[value + 1]);
        find_surpassed(g, g->layer[value + 1], g->layer[value + 2]);
    }
}

/* What a graph says */

static void note(uint8_t *mask, int value, uint16_t laid) {
    for (int colour = 0; colour < COLOURS; colour++)
        if (laid >> 3 * colour & 7) mask[colour * VALUES + value] = 1;
}

/* Writes the mask; can the table stand as it is? The marks of `follow` are not needed any more: here they say which
   states lie on a complete path (1), and which of these a path leads to that lays nothing of the rack (2). */
static int laid_in(Graph *g, int wild_min, uint8_t *mask) {
    size_t first = g->layer[VALUES], last = g->layer[VALUES + 1];
    int bare = 0;
    memset(g->follow, 0, first);
    for (size_t i = first; i < last; i++) g->follow[i] = (int)(g->keys[i] >> WILD) >= wild_min;
    for (int value = VALUES - 1; value >= 0; value--)
        for (size_t e = g->edge_layer[value + 1]; e-- > g->edge_layer[value];)
            if (g->follow[g->edges[e].target]) g->follow[g->edges[e].source] = 1, note(mask, value, g->edges[e].laid);
    g->follow[0] *= 2;
    for (int value = 0; value < VALUES; value++)
        for (size_t e = g->edge_layer[value]; e < g->edge_layer[value + 1]; e++)
            if (!g->edges[e].laid && g->follow[g->edges[e].source] == 2 && g->follow[g->edges[e].target])
                g->follow[g->edges[e].target] = 2;
    for (size_t i = first; i < last; i++) {
        int more_wild = (int)(g->keys[i] >> WILD) > wild_min;
        if (g->follow[i] && more_wild) mask[KINDS - 1] = 1;
        bare |= g->follow[i] == 2 && !more_wild;
    }
    return bare;
}

/* table, rack: tiles of each kind, the jokers last. Writes the mask; returns whether the table can be completed. */
int playable(const uint8_t *table, const uint8_t *rack, uint8_t *mask) {
    Question q = {.wild_min = table[KINDS - 1], .wild_max = table[KINDS - 1] + rack[KINDS - 1]};
    for (int kind = 0; kind < KINDS - 1; kind++)
        q.need[kind / VALUES][kind % VALUES] = table[kind], q.may[kind / VALUES][kind % VALUES] = rack[kind];
    memset(mask, 0, KINDS);
    sweep(&graph, &q);
    return laid_in(&graph, q.wild_min, mask) || memchr(mask, 1, KINDS);
}
