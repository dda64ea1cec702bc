/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/packed.h"

#include <stdlib.h>

void packed_describe(struct portolan_system *system, const struct packed *packed)
{
    system->state_bytes = (size_t)packed->layout.words * 8;
    system->key_bytes = packed->layout.key_bytes;
}

static void convert(const void *model, const void *old_state, void *new_state)
{
    conversion_run(&((const struct packed *)model)->conversion, old_state, new_state);
}

static void open_state(const void *model, const void *state, void *opened_state)
{
    const struct packed *packed = model;
    layout_convert(&packed->layout, state, &packed->opened->layout, opened_state);
}

static enum portolan_fired close_state(void *model, const void *opened_state, void *state)
{
    struct packed *packed = model;
    bool fits = layout_fit(&packed->opened->layout, opened_state, &packed->layout, state);
    return fits ? PORTOLAN_FIRED : PORTOLAN_TOO_NARROW;
}

static size_t describe_layout(const void *model, void *description)
{
    return layout_describe(&((const struct packed *)model)->layout, description);
}

static bool open_described(const void *model, const void *description, const void *state, void *opened_state)
{
    return layout_open(description, state, &((const struct packed *)model)->opened->layout, opened_state);
}

struct portolan_system *packed_compact(const struct portolan_system *opened, struct packed *packed,
                                       enum portolan_status (*widen)(struct portolan_system *system))
{
    struct portolan_system *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *opened;
    copy->model = packed;
    copy->compact = NULL;
    copy->opened = opened;
    copy->open_state = open_state;
    copy->close_state = close_state;
    copy->describe_layout = describe_layout;
    copy->open_described = open_described;
    copy->widen = widen;
    copy->convert = convert;
    packed_describe(copy, packed);
    return copy;
}

bool packed_wider(struct packed *packed, const struct range *limits, const uint64_t *alike, const uint32_t *order,
                  struct layout *layout)
{
    uint32_t fields = packed->layout.fields;
    ranges_widen(packed->ranges, limits, fields, misfit.field, misfit.value, packed->widenings++, alike);
    return layout_make_with_key(layout, packed->ranges, fields, order, packed->layout.key_fields);
}

enum portolan_status packed_widen(struct portolan_system *system, struct layout *layout, const uint32_t *order)
{
    struct packed *packed = system->model;
    struct conversion conversion = {0};
    if (!conversion_make(&conversion, &packed->layout, layout, order)) {
        conversion_clear(&conversion);
        layout_clear(layout);
        return PORTOLAN_NO_MEMORY;
    }
    conversion_clear(&packed->conversion);
    layout_clear(&packed->layout);
    packed->conversion = conversion;
    packed->layout = *layout;
    packed_describe(system, packed);
    return PORTOLAN_OK;
}

void packed_clear(struct packed *packed)
{
    layout_clear(&packed->layout);
    conversion_clear(&packed->conversion);
    free(packed->ranges);
}
