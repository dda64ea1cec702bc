/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

static struct foreign *foreign_of(struct model *m)
{
    if (!m->foreign)
        m->foreign = calloc(1, sizeof *m->foreign);
    m->failed |= !m->foreign;
    return m->foreign;
}

void model_foreign_declaration(struct model *m, const char *text)
{
    struct foreign *f = foreign_of(m);
    const char *copy = model_copy(m, text);
    if (f)
        m->failed |= !vector_push(&f->declarations, copy);
}

uint32_t model_foreign_block(struct model *m, struct foreign_block block)
{
    struct foreign *f = foreign_of(m);
    if (!f)
        return 0;
    block.text = model_copy(m, block.text);
    block.declarations = block.declarations ? model_copy(m, block.declarations) : "";
    block.first_value = (uint32_t)f->lvalues.count;
    block.values = 0;
    m->failed |= !vector_push(&f->blocks, block);
    if (block.is_expression && !m->failed)
        model_foreign_value(m, NULL);
    return f->blocks.count ? (uint32_t)f->blocks.count - 1 : 0;
}

void model_foreign_value(struct model *m, const char *lvalue)
{
    struct foreign *f = foreign_of(m);
    const char *copy = lvalue ? model_copy(m, lvalue) : NULL;
    if (!f || m->failed)
        return;
    m->failed |= !vector_push(&f->lvalues, copy);
    f->blocks.item[f->blocks.count - 1].values++;
}

void foreign_free(struct foreign *f)
{
    if (!f)
        return;
    if (f->object)
        f->close(f->object);
    free(f->declarations.item);
    free(f->blocks.item);
    free(f->lvalues.item);
    free(f);
}
