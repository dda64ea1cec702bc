/* SPDX-License-Identifier: Apache-2.0 */
/* Random nets for tests of simplification. */
#ifndef TESTS_STRETCHED_NET_H
#define TESTS_STRETCHED_NET_H

#include "random_net.h"

/* Draws a net as draft_random does, and stretches and doubles parts of it, so that rules have something to do. */
void draft_stretched(struct draft *draft, struct random *random);

#endif
