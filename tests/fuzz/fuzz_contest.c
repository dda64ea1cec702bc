/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the reader of contest properties returns questions, whose properties can be compiled, or an error.
 */
#include "front/contest/contest.h"
#include "front/petri/system.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct portolan_system *make_system(void)
{
    struct net_builder *builder = net_builder_new("n");
    struct portolan_system *system = NULL;
    net_builder_place(builder, "p", NULL, 1);
    net_builder_transition(builder, "t", NULL);
    net_builder_arc(builder, NET_CONSUME, 0, 0, 1);
    net_system_new(net_builder_finish(builder, NULL), &system, NULL);
    return system;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_system *system = make_system();
    struct questions questions = {0};
    struct portolan_error error;
    if (contest_read_memory("fuzz.xml", (const char *)data, size, system, &questions, &error) == PORTOLAN_OK)
        for (size_t i = 0; i < questions.list.count; i++) {
            const struct question *question = &questions.list.item[i];
            for (size_t j = 0; j < question->asked.count && j < 4; j++) {
                const struct asked_property *asked = &question->asked.item[j];
                struct portolan_property *property;
                if (asked->kind != PORTOLAN_LTL &&
                    portolan_property_new(system, asked->kind, asked->text, &property, &error) == PORTOLAN_OK)
                    portolan_property_free(property);
            }
        }
    questions_clear(&questions);
    portolan_system_free(system);
    return 0;
}
