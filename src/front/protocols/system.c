/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a protocol: read, unfold, lower. */
#include "front/protocols/protocols.h"

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "front/protocols/lowering.h"

#include <string.h>

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

/* The name in the file, or that of the file without directories and ".mp". */
static const char *model_name(struct model *m, const struct syntax *syntax, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    size_t length = strlen(start);
    if (syntax->name)
        return model_copy(m, syntax->name);
    if (length > 3 && strcmp(start + length - 3, ".mp") == 0)
        length -= 3;
    const char *name = arena_copy(&m->arena, start, length);
    m->failed |= !name;
    return name;
}

static enum portolan_status unfold(struct lowering *l, const char *path, size_t length,
                                   const struct protocols_options *options, struct portolan_error *error)
{
    struct protocol *p = &l->protocol;
    enum portolan_status status = protocols_read(&p->syntax, path, p->text, length, error);
    if (status == PORTOLAN_OK)
        status = protocols_define(&p->syntax, options->definitions, options->definition_count, error);
    if (status == PORTOLAN_OK)
        status = protocols_resolve(&p->syntax, error);
    return status == PORTOLAN_OK ? protocol_unfold(p, error) : status;
}

/* Takes the text. */
static enum portolan_status open_owned(const char *path, char *text, size_t length,
                                       const struct protocols_options *options, struct portolan_system **system,
                                       struct portolan_error *error)
{
    struct lowering *l = calloc(1, sizeof *l);
    struct model *m = model_new("mp");
    if (!l || !m) {
        free(l);
        free(text);
        model_free(m);
        return fail_memory(error);
    }
    l->protocol.text = text;
    m->extras.language = l;
    m->extras.free = lowering_free;
    m->too_large = "the same message is on its way more than 255 times";
    enum portolan_status status = unfold(l, path, length, options, error);
    if (status == PORTOLAN_OK && (!list_actions(l) || !find_queues(l) || !find_dead(l) || !lower(l, m)))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        model_free(m);
        return status;
    }
    lower_variables(l, m);
    m->name = model_name(m, &l->protocol.syntax, path);
    return model_system(m, system, error);
}

enum portolan_status protocols_open_text_with(const char *path, const char *text, size_t length,
                                              const struct protocols_options *options, struct portolan_system **system,
                                              struct portolan_error *error)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return fail_memory(error);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return open_owned(path, copy, length, options, system, error);
}

enum portolan_status protocols_open_text(const char *path, const char *text, size_t length,
                                         struct portolan_system **system, struct portolan_error *error)
{
    return protocols_open_text_with(path, text, length, &(struct protocols_options){0}, system, error);
}

enum portolan_status protocols_open(const char *path, const char *const *definitions, size_t count,
                                    struct portolan_system **system, struct portolan_error *error)
{
    struct protocols_options options = {.definitions = definitions, .definition_count = count};
    char *text = NULL;
    size_t length = 0;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    return status == PORTOLAN_OK ? open_owned(path, text, length, &options, system, error) : status;
}
