/* The table that explains a search by probe sets: figure 4 of Kastenberg & Rensink, table 2.2 of the thesis. */
#include "search/probe/probe.h"

static bool listening(const struct prober *p)
{
    return p->search->options->callbacks.explain != NULL;
}

void explain_start(struct prober *p)
{
    (void)p;
}
void explain_vector(struct prober *p)
{
    (void)listening(p);
}
void explain_missing(struct prober *p, const uint64_t *prefix, uint32_t action, bool is_new)
{
    (void)p;
    (void)prefix;
    (void)action;
    (void)is_new;
}
void explain_choice(struct prober *p)
{
    (void)p;
}
void explain_flush(struct prober *p)
{
    (void)p;
}
