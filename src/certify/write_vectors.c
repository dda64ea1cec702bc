/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the probe set of each vector that was explored, in the order in which
 * the checker will find the vectors.
 */
#include "certify/write_vectors.h"

#include "base/diagnostic.h"
#include "certify/vectors.h"

#include <inttypes.h>

enum { COUNTS, TRACE, EXPLORED, DISCHARGED, LISTS, HEAD = LISTS + 1 };

struct vector_writer {
    const struct record *record;
    struct vectors vectors;
    struct sequences keys; /* of the recorded vectors, as the checker has them */
    VECTOR(size_t) place;  /* of each in the record */
    struct probe_set set;
    FILE *out;
    struct certificate_size *size;
    struct portolan_error *error;
};

/* A list of the vector that is recorded there. */
static const uint32_t *list_of(const struct vector_writer *w, size_t place, int list)
{
    const uint32_t *at = w->record->vectors.item + place, *item = at + HEAD;
    for (int i = 0; i < list; i++)
        item += at[i];
    return item;
}

/* Where each recorded vector stands, by its key. */
static bool find_places(struct vector_writer *w)
{
    for (size_t place = 0; place < w->record->vectors.count;) {
        const uint32_t *at = w->record->vectors.item + place;
        bool is_new;
        if (!vectors_key(&w->vectors, list_of(w, place, COUNTS), list_of(w, place, TRACE), at[TRACE]) ||
            sequence_insert(&w->keys, w->vectors.draft.item, w->vectors.draft.count, &is_new) == SEQUENCE_NONE ||
            (is_new && !vector_push(&w->place, place)))
            return false;
        place += HEAD + (size_t)at[COUNTS] + at[TRACE] + at[EXPLORED] + at[DISCHARGED];
    }
    return true;
}

/* The probe set with which the present vector was explored. */
static bool recall_set(struct vector_writer *w, size_t place)
{
    const uint32_t *at = w->record->vectors.item + place;
    const uint32_t *explored = list_of(w, place, EXPLORED), *discharged = list_of(w, place, DISCHARGED);
    w->set.keeper = at[LISTS];
    w->set.actions.count = w->set.discharged.count = 0;
    for (uint32_t i = 0; i < at[EXPLORED]; i++) {
        struct probed_action probed = {explored[i], (uint32_t)w->set.discharged.count, *discharged++};
        if (!vector_push(&w->set.actions, probed))
            return false;
        for (uint32_t j = 0; j < probed.count; j++)
            if (!vector_push(&w->set.discharged, *discharged++))
                return false;
    }
    return true;
}

static void write_set(const struct vector_writer *w, uint32_t number)
{
    fprintf(w->out, "v%" PRIu32, number);
    if (w->set.keeper == NO_KEEPER)
        fputs(" *", w->out);
    else
        fprintf(w->out, " %" PRIu32, w->set.keeper);
    for (size_t i = 0; i < w->set.actions.count; i++) {
        struct probed_action probed = w->set.actions.item[i];
        fprintf(w->out, " %" PRIu32, probed.action);
        for (uint32_t j = 0; j < probed.count; j++)
            fprintf(w->out, "%c%" PRIu32, j ? '.' : '/', w->set.discharged.item[probed.first + j]);
    }
    fputc('\n', w->out);
}

static enum portolan_status write_vector(struct vector_writer *w, uint32_t number)
{
    size_t length;
    uint32_t action = 0, recorded = w->keys.count;
    bool is_new;
    const uint32_t *key = sequence_get(&w->vectors.vectors, number, &length);
    uint32_t found = sequence_insert(&w->keys, key, length, &is_new);
    if (found == SEQUENCE_NONE)
        return fail_memory(w->error);
    if (found >= recorded)
        return fail(w->error, PORTOLAN_REFUSED, "vector %" PRIu32 " should have been explored and was not", number);
    if (!vectors_load(&w->vectors, number) || !recall_set(w, w->place.item[found]))
        return fail_memory(w->error);
    const char *wrong = vectors_judge(&w->vectors, &w->set, &action);
    if (wrong)
        return fail(w->error, PORTOLAN_REFUSED, "vector %" PRIu32 " cannot be certified: '%s' %s", number,
                    w->vectors.system->action_name ? w->vectors.system->action_name(w->vectors.system->model, action)
                                                   : "an action",
                    wrong);
    write_set(w, number);
    w->size->edges += w->set.actions.count;
    return vectors_follow(&w->vectors, &w->set) ? PORTOLAN_OK : fail_memory(w->error);
}

enum portolan_status write_vectors(const struct portolan_system *system, const struct record *record,
                                   const bool *visible, FILE *out, struct certificate_size *size,
                                   struct portolan_error *error)
{
    struct vector_writer w = {.record = record, .out = out, .size = size, .error = error};
    enum portolan_status status =
        vectors_make(&w.vectors, system, visible) && find_places(&w) ? PORTOLAN_OK : fail_memory(error);
    if (status == PORTOLAN_OK && w.vectors.ambiguous)
        status = fail(error, PORTOLAN_REFUSED,
                      "what an action does to entities depends on the state, so there are no probe sets");
    fputs("probe\n", out);
    for (uint32_t v = 0; status == PORTOLAN_OK && v < w.vectors.vectors.count; v++)
        status = write_vector(&w, v);
    size->vectors = w.vectors.vectors.count;
    fprintf(out, "end %" PRIu64 " %" PRIu64 "\n", size->vectors, size->edges);
    vectors_clear(&w.vectors);
    sequences_clear(&w.keys);
    free(w.place.item);
    probe_set_clear(&w.set);
    return status;
}
