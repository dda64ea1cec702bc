/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all: the reader of GROOVE's graphs returns a grammar whose parts refer to each other, or an error that
 * says where.  The first byte tells what the graph is; if it is an 'l', the rest is a label in a rule.
 */
#include "front/groove/groove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void check_rule(const struct grammar *grammar, const struct rule *rule)
{
    for (size_t i = 0; i < rule->nodes.count; i++) {
        const struct rule_node *node = &rule->nodes.item[i];
        require(node->level < rule->levels.count);
        require((node->role == ROLE_EMBARGO) == (node->embargo < rule->embargoes.count));
        require(node->value == NO_NUMBER || node->value < grammar->values.count);
    }
    for (size_t i = 0; i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        require(edge->from < rule->nodes.count && edge->to < rule->nodes.count && edge->level < rule->levels.count);
        require((edge->role == ROLE_EMBARGO) == (edge->embargo < rule->embargoes.count));
        require(edge->kind != EDGE_LABEL || edge->label < grammar->labels.count);
        require(edge->kind != EDGE_CHOICE || edge->choice < rule->choices.count);
        require(edge->kind != EDGE_PATH || edge->path < rule->paths.count);
    }
    for (size_t i = 0; i < rule->operations.count; i++)
        for (uint32_t k = 0; k < rule->operations.item[i].operand_count; k++)
            require(rule->operations.item[i].operand[k] < rule->nodes.count);
    for (size_t i = 0; i < rule->paths.count; i++)
        for (size_t k = 0; k < rule->paths.item[i].steps.count; k++)
            require(rule->paths.item[i].steps.item[k].to < rule->paths.item[i].states);
}

static void check(const struct grammar *grammar)
{
    for (size_t i = 0; i < grammar->start.edges.count; i++) {
        const struct host_edge *edge = &grammar->start.edges.item[i];
        require(edge->from < grammar->start.nodes.count && edge->to < grammar->start.nodes.count);
        require(edge->label < grammar->labels.count);
    }
    for (size_t i = 0; i < grammar->rules.count; i++)
        check_rule(grammar, &grammar->rules.item[i]);
}

static void parse(enum groove_part part, const char *text, size_t length)
{
    struct grammar *grammar;
    struct portolan_error error = {0};
    if (groove_parse(part, text, length, "fuzz.gpr", &grammar, &error) != PORTOLAN_OK) {
        require(!grammar && error.message[0] && (error.line || error.status != PORTOLAN_BAD_INPUT));
        return;
    }
    check(grammar);
    grammar_free(grammar);
}

/* The bytes as the label of a loop and of an edge. */
static void parse_label(const char *label, size_t length)
{
    static const char form[] =
        "<gxl><graph><node id=\"a\"/><node id=\"b\"/>"
        "<edge from=\"a\" to=\"%s\"><attr name=\"label\"><string><![CDATA[%.*s]]></string></attr></edge>"
        "</graph></gxl>";
    char text[sizeof form + 1000];
    for (int loop = 0; loop < 2 && length < 900; loop++) {
        snprintf(text, sizeof text, form, loop ? "a" : "b", (int)length, label);
        parse(GROOVE_RULE, text, strlen(text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    switch (data[0]) {
    case 'h': parse(GROOVE_HOST, text, size - 1); break;
    case 't': parse(GROOVE_TYPES, text, size - 1); break;
    case 'l': parse_label(text, size - 1); break;
    default: parse(GROOVE_RULE, text, size - 1); break;
    }
    return 0;
}
