/* SPDX-License-Identifier: Apache-2.0 */
/* Path expressions of random grammars as relations between nodes, by their definition. */
#include "random_graph.h"

#include <string.h>

typedef uint16_t relation[GRAPH_NODES];

static void joined(unsigned nodes, const uint16_t *a, const uint16_t *b, relation result)
{
    relation sum = {0};
    for (unsigned i = 0; i < nodes; i++)
        for (unsigned k = 0; k < nodes; k++)
            if (a[i] >> k & 1)
                sum[i] |= b[k];
    memcpy(result, sum, sizeof sum);
}

static void either(const uint16_t *a, const uint16_t *b, relation result)
{
    for (unsigned i = 0; i < GRAPH_NODES; i++)
        result[i] = a[i] | b[i];
}

static void reversed(unsigned nodes, const uint16_t *a, relation result)
{
    memset(result, 0, sizeof(relation));
    for (unsigned i = 0; i < nodes; i++)
        for (unsigned k = 0; k < nodes; k++)
            if (a[i] >> k & 1)
                result[k] |= (uint16_t)(1U << i);
}

static void same(unsigned nodes, relation result)
{
    memset(result, 0, sizeof(relation));
    for (unsigned i = 0; i < nodes; i++)
        result[i] = (uint16_t)(1U << i);
}

static void repeated(unsigned nodes, const uint16_t *a, relation result)
{
    relation more;
    same(nodes, result);
    for (unsigned i = 0; i < nodes; i++) {
        joined(nodes, result, a, more);
        either(result, more, result);
    }
}

void draft_path_pairs(uint8_t expression, unsigned nodes, const uint16_t edge[GRAPH_ALL_LABELS][GRAPH_NODES],
                      uint16_t pairs[GRAPH_NODES])
{
    const uint16_t *a = edge[0], *b = edge[1], *c = edge[2];
    relation one, two;
    switch (expression) {
    case 0: /* a.b */ joined(nodes, a, b, pairs); break;
    case 1: /* a|b */ either(a, b, pairs); break;
    case 2: /* a* */ repeated(nodes, a, pairs); break;
    case 3: /* a+ */
        repeated(nodes, a, one);
        joined(nodes, a, one, pairs);
        break;
    case 4: /* -a.b: the minus binds more closely */
        reversed(nodes, a, one);
        joined(nodes, one, b, pairs);
        break;
    case 5: /* (a|b)*.c */
        either(a, b, one);
        repeated(nodes, one, two);
        joined(nodes, two, c, pairs);
        break;
    case 6: /* b*.c */
        repeated(nodes, b, one);
        joined(nodes, one, c, pairs);
        break;
    case 7: /* =|a */
        same(nodes, one);
        either(one, a, pairs);
        break;
    case 8: /* -a|b */
        reversed(nodes, a, one);
        either(one, b, pairs);
        break;
    case 9: /* ?.b */
        either(a, b, one);
        either(one, c, two);
        joined(nodes, two, b, pairs);
        break;
    case 10: /* -a */ reversed(nodes, a, pairs); break;
    case 11: /* -(a.b) */
        joined(nodes, a, b, one);
        reversed(nodes, one, pairs);
        break;
    case 12: /* (-a|b)* */
        reversed(nodes, a, one);
        either(one, b, two);
        repeated(nodes, two, pairs);
        break;
    default: /* a.-b.c */
        reversed(nodes, b, one);
        joined(nodes, a, one, two);
        joined(nodes, two, c, pairs);
    }
}
