/* SPDX-License-Identifier: Apache-2.0 */
/* What a Promela model states: never claims and formulas. */
#include "front/promela/variables.h"

enum portolan_status promela_properties(struct parser *parser, struct lowering *l)
{
    (void)l;
    return parser->status;
}
