/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a protocol: read, unfold, lower. */
#include "front/protocols/protocols.h"

#include "base/diagnostic.h"
#include "front/protocols/lowering.h"

void lowering_free(void *lowering)
{
    struct lowering *l = lowering;
    for (uint32_t i = 0; l->inboxes && i < l->protocol.process_count; i++) {
        free(l->inboxes[i].messages.item);
        free(l->inboxes[i].set_of);
        sequences_clear(&l->inboxes[i].sets);
    }
    protocol_clear(&l->protocol);
    lists_clear(&l->candidates);
    free(l->actions.item);
    free(l->needs.item);
    free(l->first_state);
    free(l->queues);
    free(l->in_queue);
    free(l->cell_of);
    free(l->inboxes);
    free(l->variables.item);
    free(l);
}

static enum portolan_status unfold(struct protocol *p, const char *path, const char *text, size_t length,
                                   const char *const *definitions, size_t count, struct portolan_error *error)
{
    enum portolan_status status = protocols_read(&p->syntax, path, text, length, error);
    if (status == PORTOLAN_OK)
        status = protocols_define(&p->syntax, definitions, count, error);
    if (status == PORTOLAN_OK)
        status = protocols_resolve(&p->syntax, error);
    return status == PORTOLAN_OK ? protocol_unfold(p, error) : status;
}

enum portolan_status protocols_open_text(const char *path, const char *text, size_t length,
                                         const char *const *definitions, size_t count, struct portolan_system **system,
                                         struct portolan_error *error)
{
    struct lowering *l = calloc(1, sizeof *l);
    struct model *m = model_new("mp");
    const char *copy = l && m ? arena_copy(&m->arena, text, length) : NULL; /* errors show lines of it */
    if (!copy) {
        free(l);
        model_free(m);
        return fail_memory(error);
    }
    m->extras.language = l;
    m->extras.free = lowering_free;
    m->too_large = "the same message is on its way more than 255 times";
    enum portolan_status status = unfold(&l->protocol, path, copy, length, definitions, count, error);
    if (status == PORTOLAN_OK && (!list_actions(l) || !find_queues(l) || !find_dead(l) || !lower(l, m)))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        model_free(m);
        return status;
    }
    lower_variables(l, m);
    if (l->protocol.syntax.name)
        m->name = model_copy(m, l->protocol.syntax.name);
    else
        model_name_after(m, path, ".mp");
    return model_system(m, system, error);
}
