/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing random graph grammars, writing them as GROOVE grammars, making them smaller. */
#include "random_graph.h"

#include <stdio.h>
#include <string.h>

static const char *const label_texts[GRAPH_LABELS] = {"a", "b", "c", "flag:p", "flag:q"};
static const char *const expressions[] = {"a.b", "a|b",  "a*",  "a+", "-a.b",   "(a|b)*.c", "b*.c",
                                          "=|a", "-a|b", "?.b", "-a", "-(a.b)", "(-a|b)*",  "a.-b.c"};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

/* ------------------------------------------------------------------------ drawing */

static uint8_t draw_label(struct random *random, bool loop)
{
    return (uint8_t)random_below(random, loop ? GRAPH_LABELS : GRAPH_BINARY);
}

/* What the ends allow; an edge at a node that is not only read has that node's role. */
static bool choose_role(const struct rule_draft *rule, struct draft_rule_edge *edge, struct random *random)
{
    enum draft_role from = rule->role[edge->from], to = rule->role[edge->to];
    bool forbids = from == DRAFT_FORBID || to == DRAFT_FORBID, creates = from == DRAFT_CREATE || to == DRAFT_CREATE;
    bool deletes = from == DRAFT_DELETE || to == DRAFT_DELETE;
    if (creates && (forbids || deletes))
        return false;
    edge->role = random_chance(random, 30)
                     ? DRAFT_READ
                     : (enum draft_role)(random_chance(random, 80) ? 1 + random_below(random, 2) : 3);
    if (forbids)
        edge->role = DRAFT_FORBID;
    else if (creates)
        edge->role = DRAFT_CREATE;
    else if (deletes && edge->role != DRAFT_FORBID)
        edge->role = DRAFT_DELETE;
    return true;
}

static bool binds_variable(const struct rule_draft *rule)
{
    for (unsigned i = 0; i < rule->edges; i++)
        if (rule->edge[i].kind == DRAFT_VARIABLE && rule->edge[i].role != DRAFT_CREATE &&
            rule->edge[i].role != DRAFT_FORBID)
            return true;
    return false;
}

static void choose_kind(const struct rule_draft *rule, struct draft_rule_edge *edge, struct random *random)
{
    bool reads = edge->role == DRAFT_READ || edge->role == DRAFT_DELETE;
    edge->kind = DRAFT_LABEL;
    edge->label = draw_label(random, edge->from == edge->to);
    if (random_chance(random, 80))
        return;
    if (edge->role == DRAFT_READ && random_chance(random, 30))
        edge->kind = DRAFT_ANY;
    else if ((reads || binds_variable(rule)) && random_chance(random, 40))
        edge->kind = DRAFT_VARIABLE;
    else if ((edge->role == DRAFT_READ || edge->role == DRAFT_FORBID) && random_chance(random, 60)) {
        edge->kind = DRAFT_PATH;
        edge->label = (uint8_t)random_below(random, EXPRESSIONS);
    } else if (edge->role == DRAFT_FORBID && edge->from != edge->to)
        edge->kind = DRAFT_EQUAL;
}

/* One rule merges two nodes that it reads, and deletes nothing. */
static void make_merger(struct rule_draft *rule)
{
    *rule = (struct rule_draft){.nodes = 2, .edges = 2};
    rule->edge[0] = (struct draft_rule_edge){.from = 0, .to = 1, .kind = DRAFT_LABEL, .label = 2};
    rule->edge[1] = (struct draft_rule_edge){.from = 0, .to = 1, .role = DRAFT_CREATE, .kind = DRAFT_EQUAL};
}

/* Two nodes with an edge between them go, and what else is at them; or one node. */
static void make_eraser(struct rule_draft *rule, struct random *random)
{
    *rule = (struct rule_draft){.nodes = 2, .edges = 1, .role = {DRAFT_DELETE, DRAFT_DELETE}};
    rule->edge[0] = (struct draft_rule_edge){.from = 0, .to = 1, .role = DRAFT_DELETE};
    rule->edge[0].label = draw_label(random, false);
    if (random_chance(random, 50))
        *rule = (struct rule_draft){.nodes = 1, .role = {DRAFT_DELETE}};
}

/* A path to a node that is easier to find than the one where it begins. */
static void make_path(struct rule_draft *rule, struct random *random)
{
    *rule = (struct rule_draft){.nodes = 2, .edges = 3};
    rule->edge[0] = (struct draft_rule_edge){.from = 1, .to = 1, .label = (uint8_t)(3 + random_below(random, 2))};
    rule->edge[1] = (struct draft_rule_edge){.from = 0, .to = 1, .kind = DRAFT_PATH};
    rule->edge[1].label = (uint8_t)random_below(random, EXPRESSIONS);
    rule->edge[2] = (struct draft_rule_edge){.from = 0, .to = random_chance(random, 50) ? 1 : 0, .label = 2};
    rule->edge[2].role = random_chance(random, 50) ? DRAFT_CREATE : DRAFT_DELETE;
    if (rule->edge[2].to == 0)
        rule->edge[2].label = (uint8_t)(3 + random_below(random, 2));
}

static bool changes_something(const struct rule_draft *rule)
{
    for (unsigned i = 0; i < rule->nodes; i++)
        if (rule->role[i] == DRAFT_DELETE || rule->role[i] == DRAFT_CREATE)
            return true;
    for (unsigned i = 0; i < rule->edges; i++)
        if (rule->edge[i].role == DRAFT_DELETE || rule->edge[i].role == DRAFT_CREATE)
            return true;
    return rule->value.used && (rule->value.deletes || rule->value.adds);
}

static bool same_edge(const struct draft_rule_edge *a, const struct draft_rule_edge *b)
{
    return a->from == b->from && a->to == b->to && a->kind == b->kind && a->label == b->label;
}

/* What a quantified edge is connected with must be there for each match: new nodes are at one level. */
static void settle_levels(struct rule_draft *rule)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < rule->edges; i++)
            for (unsigned k = 0; k < 2 && is_inner_edge(rule, i); k++) {
                unsigned end = k ? rule->edge[i].to : rule->edge[i].from;
                bool moves = rule->role[end] == DRAFT_CREATE && !rule->inner[end];
                rule->inner[end] |= moves;
                more |= moves;
            }
    }
}

static void draw_quantifier(struct rule_draft *rule, struct random *random)
{
    rule->quantifier = (enum draft_quantifier)(random_chance(random, 40) ? DRAFT_FORALL : 1 + random_below(random, 4));
    for (unsigned i = 0; i < rule->nodes; i++)
        rule->inner[i] = random_chance(random, i == 0 ? 20 : 60);
    for (unsigned i = 0; i < rule->edges; i++) {
        rule->edge[i].inner = random_chance(random, 15);
        if (rule->edge[i].kind == DRAFT_VARIABLE)
            rule->edge[i].kind = DRAFT_LABEL;
    }
    settle_levels(rule);
}

static void draw_value(struct rule_draft *rule, struct random *random)
{
    struct draft_value *v = &rule->value;
    v->node = (uint8_t)random_below(random, rule->nodes);
    v->target = random_chance(random, 60) ? v->node : (uint8_t)random_below(random, rule->nodes);
    enum draft_role role = rule->role[v->node];
    v->used = (role == DRAFT_READ || role == DRAFT_DELETE) && !rule->inner[v->node];
    v->deletes = role == DRAFT_DELETE || random_chance(random, 60);
    v->adds = rule->role[v->target] == DRAFT_READ && !rule->inner[v->target] && random_chance(random, 70);
    v->bound = (uint8_t)(v->adds || random_chance(random, 50) ? 1 + random_below(random, 3) : 0);
    v->more = (uint8_t)(1 + random_below(random, 2));
}

/* Plain rules are those for which there is a list of applications. */
static void draw_rule(struct rule_draft *rule, bool plain, bool typed, bool valued, struct random *random)
{
    bool small = random_chance(random, 75); /* so that it applies often */
    *rule = (struct rule_draft){.nodes = (uint8_t)(1 + random_below(random, small ? 3 : GRAPH_RULE_NODES - 1)),
                                .injective = random_chance(random, 20)};
    for (unsigned i = 0; i < rule->nodes; i++)
        rule->role[i] = i == 0 || random_chance(random, 65) ? DRAFT_READ : (enum draft_role)random_below(random, 4);
    unsigned wanted = 2 + random_below(random, small ? 3 : GRAPH_RULE_EDGES - 2);
    for (unsigned i = 0; i < wanted; i++) {
        struct draft_rule_edge edge = {.from = (uint8_t)random_below(random, rule->nodes)};
        edge.to = random_chance(random, 35) ? edge.from : (uint8_t)random_below(random, rule->nodes);
        bool fits = choose_role(rule, &edge, random);
        if (fits)
            choose_kind(rule, &edge, random);
        for (unsigned k = 0; k < rule->edges && fits; k++)
            fits = !same_edge(&rule->edge[k], &edge);
        if (fits)
            rule->edge[rule->edges++] = edge;
    }
    if (random_chance(random, 12))
        make_eraser(rule, random);
    else if (!plain && !typed && random_chance(random, 12))
        make_merger(rule);
    else if (!plain && random_chance(random, 12))
        make_path(rule, random);
    else if (!plain && random_chance(random, 40))
        draw_quantifier(rule, random);
    if (random_chance(random, valued ? 60 : 0))
        draw_value(rule, random);
    for (unsigned i = 0; i < rule->nodes; i++)
        rule->type[i] = (uint8_t)(random_chance(random, 50) ? 0 : random_below(random, GRAPH_TYPES));
    rule->priority = changes_something(rule) && random_chance(random, 15) ? 1 : 0;
}

static void add_start_edge(struct graph_draft *draft, unsigned from, unsigned label, unsigned to)
{
    struct draft_edge edge = {.from = (uint16_t)from, .label = (uint16_t)label, .to = (uint16_t)to};
    for (unsigned k = 0; k < draft->edges; k++)
        if (memcmp(&draft->edge[k], &edge, sizeof edge) == 0)
            return;
    draft->edge[draft->edges++] = edge;
}

/* Cycles that look alike everywhere: of six nodes, or two of three, or three of two; with one or two flags. */
static void draw_cycles(struct graph_draft *draft, struct random *random)
{
    static const uint8_t sizes[] = {6, 3, 2, 4, 5};
    unsigned size = sizes[random_below(random, 5)], label = draw_label(random, false);
    draft->nodes = size > 3 ? (uint8_t)size : 6;
    for (unsigned i = 0; i < draft->nodes; i++) {
        unsigned next = i % size == size - 1 ? i + 1 - size : i + 1;
        add_start_edge(draft, i, label, next);
        if (random_chance(random, 15))
            add_start_edge(draft, i, 3 + random_below(random, 2), i);
    }
}

static void draw_start(struct graph_draft *draft, struct random *random)
{
    if (random_chance(random, 20)) {
        draw_cycles(draft, random);
        return;
    }
    draft->nodes = (uint8_t)(2 + random_below(random, 3));
    unsigned wanted = 4 + random_below(random, 8);
    for (unsigned i = 0; i < wanted; i++) {
        unsigned from = random_below(random, draft->nodes);
        unsigned to = random_chance(random, 30) ? from : random_below(random, draft->nodes);
        add_start_edge(draft, from, draw_label(random, from == to), to);
    }
    draft->nodes = (uint8_t)(draft->nodes + random_chance(random, 40)); /* one without edges */
}

/* A node cannot be deleted as long as an edge dangles; one step removes the edge, another takes the flag away that the
 * deletion needs, so a reduction that sees the deletion only where it is enabled may never see it. */
static void draw_release(struct graph_draft *draft, struct random *random)
{
    uint8_t edge = draw_label(random, false), flag = (uint8_t)(3 + random_below(random, 2)),
            other = (uint8_t)(7 - flag);
    draft->isomorphism = draft->injective = draft->typed = draft->creator_edges = draft->rhs_is_nac = false;
    draft->dangling = true;
    draft->rules = 3;
    draft->rule[0] = (struct rule_draft){.nodes = 2, .edges = 1};
    draft->rule[0].edge[0] = (struct draft_rule_edge){.from = 0, .to = 1, .role = DRAFT_DELETE, .label = edge};
    draft->rule[1] = (struct rule_draft){.nodes = 1, .edges = 1};
    draft->rule[1].edge[0] = (struct draft_rule_edge){.role = DRAFT_DELETE, .label = flag};
    draft->rule[2] = (struct rule_draft){.nodes = 2, .edges = 2, .role = {DRAFT_READ, DRAFT_DELETE}};
    draft->rule[2].edge[0] = (struct draft_rule_edge){.label = flag};
    draft->rule[2].edge[1] = (struct draft_rule_edge){.from = 1, .to = 1, .role = DRAFT_DELETE, .label = other};
    draft->nodes = (uint8_t)(3 + random_below(random, 2));
    add_start_edge(draft, 0, flag, 0);
    add_start_edge(draft, 1, other, 1);
    add_start_edge(draft, 2, edge, 1);
    for (unsigned i = random_below(random, 3); i > 0; i--)
        add_start_edge(draft, random_below(random, draft->nodes), draw_label(random, false), 2);
}

/* A variable that only creators or embargoes use has no value. */
static void settle_variables(struct graph_draft *draft)
{
    for (unsigned r = 0; r < draft->rules; r++)
        for (unsigned i = 0; i < draft->rule[r].edges && !binds_variable(&draft->rule[r]); i++)
            if (draft->rule[r].edge[i].kind == DRAFT_VARIABLE) {
                draft->rule[r].edge[i].kind = DRAFT_LABEL;
                draft->rule[r].edge[i].label = 0;
            }
}

static void draw_multiplicity(struct draft_multiplicity *m, struct random *random)
{
    *m = (struct draft_multiplicity){.used = true, .is_in = random_chance(random, 50)};
    m->label = draw_label(random, false);
    m->most = (uint8_t)(1 + random_below(random, 3));
    m->least = random_chance(random, 25) ? 1 : 0;
}

void graph_draft_random(struct graph_draft *draft, struct random *random)
{
    memset(draft, 0, sizeof *draft);
    draft->isomorphism = random_chance(random, 50);
    draft->injective = random_chance(random, 20);
    draft->dangling = random_chance(random, 25);
    draft->creator_edges = random_chance(random, 25);
    draft->rhs_is_nac = !draft->creator_edges && random_chance(random, 20);
    draft->rules = (uint8_t)(2 + random_below(random, GRAPH_RULES - 1));
    draft->typed = random_chance(random, 25);
    bool plain = random_chance(random, 50), valued = random_chance(random, 25);
    for (unsigned i = 0; i < draft->rules; i++)
        draw_rule(&draft->rule[i], plain, draft->typed, valued, random);
    draw_start(draft, random);
    for (unsigned i = 0; i < draft->nodes; i++) {
        draft->type[i] = (uint8_t)random_below(random, GRAPH_TYPES);
        draft->value[i] = (uint8_t)(valued ? random_below(random, 3) : 0);
    }
    settle_variables(draft);
    if (draft->typed && random_chance(random, 50))
        draw_multiplicity(&draft->multiplicity, random);
    if (random_chance(random, 5)) {
        memset(draft, 0, sizeof *draft);
        draw_release(draft, random);
    }
}

/* ------------------------------------------------------------------------ writing */

static const char *role_text(enum draft_role role)
{
    static const char *const texts[] = {"", "del:", "new:", "not:"};
    return texts[role];
}

static void edge_text(const struct draft_rule_edge *edge, char *text, size_t size)
{
    static const char *const of_level[] = {"use=l:", "del=l:", "new=l:", "not=l:"};
    const char *role = edge->inner ? of_level[edge->role] : role_text(edge->role);
    switch (edge->kind) {
    case DRAFT_LABEL: snprintf(text, size, "%s%s", role, label_texts[edge->label]); break;
    case DRAFT_ANY: snprintf(text, size, "%s?", role); break;
    case DRAFT_VARIABLE: snprintf(text, size, "%s?x", role); break;
    case DRAFT_PATH: snprintf(text, size, "%s{%s}", role, expressions[edge->label]); break;
    case DRAFT_EQUAL: snprintf(text, size, "%s=", role); break;
    }
}

static void write_edge(FILE *out, unsigned from, unsigned to, const char *label)
{
    fprintf(out, "<edge from=\"n%u\" to=\"n%u\"><attr name=\"label\"><string>%s</string></attr></edge>\n", from, to,
            label);
}

static FILE *begin_graph(const char *directory, const char *name, const char *role)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    if (out)
        fprintf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gxl>\n<graph role=\"%s\" edgeids=\"false\" "
                "edgemode=\"directed\" id=\"g\">\n",
                role);
    return out;
}

static bool end_graph(FILE *out)
{
    fprintf(out, "</graph>\n</gxl>\n");
    return fclose(out) == 0;
}

/* A node behind those of the graph, with what it is. */
static void write_extra(FILE *out, unsigned node, const char *what)
{
    fprintf(out, "<node id=\"n%u\"/>\n", node);
    write_edge(out, node, node, what);
}

static void write_constant(FILE *out, unsigned node, unsigned value)
{
    char text[20];
    snprintf(text, sizeof text, "int:%u", value);
    write_extra(out, node, text);
}

/* product: result = operation(value, constant); nodes product to product + 1 are its own. */
static void write_product(FILE *out, unsigned product, unsigned value, unsigned constant, const char *operation,
                          unsigned result)
{
    write_extra(out, product, "prod:");
    write_constant(out, product + 1, constant);
    write_edge(out, product, value, "arg:0");
    write_edge(out, product, product + 1, "arg:1");
    write_edge(out, product, result, operation);
}

static void write_value(FILE *out, const struct draft_value *v)
{
    enum { VALUE = 100, TRUTH, SUM, TEST, ADDITION = TEST + 2 };
    if (!v->used)
        return;
    write_extra(out, VALUE, "int:");
    write_edge(out, v->node, VALUE, v->deletes ? "del:v" : "v");
    if (v->bound) {
        write_extra(out, TRUTH, "bool:true");
        write_product(out, TEST, VALUE, v->bound, "int:lt", TRUTH);
    }
    if (v->adds) {
        write_extra(out, SUM, "int:");
        write_product(out, ADDITION, VALUE, v->more, "int:add", SUM);
        write_edge(out, v->target, SUM, "new:v");
    }
}

static const char *const type_labels[GRAPH_TYPES] = {"type:T", "type:A", "type:B"};

static void multiplicity_text(const struct draft_multiplicity *m, char *text, size_t size)
{
    snprintf(text, size, "%s=%u..%u:", m->is_in ? "in" : "out", m->least, m->most);
}

/* A and B are subtypes of T, which has all labels. */
static bool write_types(const struct draft_multiplicity *m, const char *directory)
{
    char text[40];
    FILE *out = begin_graph(directory, "types.gty", "type");
    if (!out)
        return false;
    for (unsigned i = 0; i < GRAPH_TYPES; i++)
        write_extra(out, i, type_labels[i]);
    write_edge(out, 1, 0, "sub:");
    write_edge(out, 2, 0, "sub:");
    for (unsigned i = 0; i < GRAPH_LABELS; i++) {
        text[0] = '\0';
        if (m->used && m->label == i)
            multiplicity_text(m, text, sizeof text);
        strcat(text, label_texts[i]);
        write_edge(out, 0, 0, text);
    }
    write_extra(out, GRAPH_TYPES, "int:");
    write_edge(out, 0, GRAPH_TYPES, "v");
    return end_graph(out);
}

static const char *const quantifiers[] = {"", "forall=l:", "forallx=l:", "exists=l:", "existsx=l:"};

static bool write_rule(const struct rule_draft *rule, bool typed, unsigned number, const char *directory)
{
    char name[40], text[60];
    snprintf(name, sizeof name, "r%u.gpr", number);
    FILE *out = begin_graph(directory, name, "rule");
    if (!out)
        return false;
    fprintf(out, "<attr name=\"priority\"><int>%u</int></attr>\n", rule->priority);
    if (rule->injective)
        fprintf(out, "<attr name=\"injective\"><string>true</string></attr>\n");
    for (unsigned i = 0; i < rule->nodes; i++)
        fprintf(out, "<node id=\"n%u\"/>\n", i);
    for (unsigned i = 0; i < rule->nodes; i++)
        if (rule->role[i] != DRAFT_READ)
            write_edge(out, i, i, role_text(rule->role[i]));
    for (unsigned i = 0; i < rule->nodes && typed; i++)
        write_edge(out, i, i, type_labels[rule->type[i]]);
    write_value(out, &rule->value);
    if (rule->quantifier)
        fprintf(out, "<node id=\"n%u\"/>\n", rule->nodes);
    for (unsigned i = 0; i < rule->nodes && rule->quantifier; i++)
        if (rule->inner[i])
            write_edge(out, i, rule->nodes, "at");
    if (rule->quantifier)
        write_edge(out, rule->nodes, rule->nodes, quantifiers[rule->quantifier]);
    for (unsigned i = 0; i < rule->edges; i++) {
        edge_text(&rule->edge[i], text, sizeof text);
        write_edge(out, rule->edge[i].from, rule->edge[i].to, text);
    }
    return end_graph(out);
}

static bool write_start(const struct graph_draft *draft, const char *directory)
{
    FILE *out = begin_graph(directory, "start.gst", "graph");
    if (!out)
        return false;
    for (unsigned i = 0; i < draft->nodes; i++)
        fprintf(out, "<node id=\"n%u\"/>\n", i);
    for (unsigned i = 0; i < draft->edges; i++)
        write_edge(out, draft->edge[i].from, draft->edge[i].to, label_texts[draft->edge[i].label]);
    for (unsigned i = 0; i < draft->nodes; i++) {
        if (draft->typed)
            write_edge(out, i, i, type_labels[draft->type[i]]);
        if (draft->value[i] == 0)
            continue;
        write_constant(out, 100 + i, draft->value[i] - 1U);
        write_edge(out, i, 100 + i, "v");
    }
    return end_graph(out);
}

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

bool graph_draft_write(const struct graph_draft *draft, const char *directory)
{
    char path[300];
    snprintf(path, sizeof path, "%s/system.properties", directory);
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(out,
            "grammarVersion=3.2\nstartGraph=start\ncheckIsomorphism=%s\nmatchInjective=%s\ncheckDangling=%s\n"
            "checkCreatorEdges=%s\nrhsIsNAC=%s\n%s",
            yes(draft->isomorphism), yes(draft->injective), yes(draft->dangling), yes(draft->creator_edges),
            yes(draft->rhs_is_nac), draft->typed ? "typeGraph=types\n" : "");
    bool fine = fclose(out) == 0 && write_start(draft, directory) && write_types(&draft->multiplicity, directory);
    for (unsigned i = 0; i < draft->rules && fine; i++)
        fine = write_rule(&draft->rule[i], draft->typed, i, directory);
    return fine;
}

void graph_draft_print(const struct graph_draft *draft)
{
    char text[60];
    printf(
        "isomorphism %d, injective %d, dangling %d, creator edges %d, right-hand side %d, typed %d\nstart, %u nodes:",
        draft->isomorphism, draft->injective, draft->dangling, draft->creator_edges, draft->rhs_is_nac, draft->typed,
        draft->nodes);
    for (unsigned i = 0; i < draft->nodes; i++) {
        if (draft->typed)
            printf(" %u:%s", i, type_labels[draft->type[i]] + 5);
        if (draft->value[i])
            printf("  %u -v-> %u", i, draft->value[i] - 1U);
    }
    for (unsigned i = 0; i < draft->edges; i++)
        printf("  %u -%s-> %u", draft->edge[i].from, label_texts[draft->edge[i].label], draft->edge[i].to);
    multiplicity_text(&draft->multiplicity, text, sizeof text);
    if (draft->multiplicity.used)
        printf("  multiplicity %s%s", text, label_texts[draft->multiplicity.label]);
    for (unsigned r = 0; r < draft->rules; r++) {
        const struct rule_draft *rule = &draft->rule[r];
        printf("\nr%u, priority %u%s%s%s:", r, rule->priority, rule->injective ? ", injective" : "",
               rule->quantifier ? ", " : "", quantifiers[rule->quantifier]);
        for (unsigned i = 0; i < rule->nodes; i++)
            printf(" %s%u%s", role_text(rule->role[i]), i, rule->inner[i] ? " at l" : "");
        for (unsigned i = 0; i < rule->nodes && draft->typed; i++)
            printf(" %u:%s", i, type_labels[rule->type[i]] + 5);
        if (rule->value.used)
            printf("  %u -%sv-> x", rule->value.node, rule->value.deletes ? "del:" : "");
        if (rule->value.used && rule->value.bound)
            printf(" < %u", rule->value.bound);
        if (rule->value.used && rule->value.adds)
            printf("  %u -new:v-> x + %u", rule->value.target, rule->value.more);
        for (unsigned i = 0; i < rule->edges; i++) {
            edge_text(&rule->edge[i], text, sizeof text);
            printf("  %u -%s-> %u", rule->edge[i].from, text, rule->edge[i].to);
        }
    }
    printf("\n");
}

/* ---------------------------------------------------------------------- shrinking */

static void drop_rule_node(struct rule_draft *rule, unsigned node)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < rule->edges; i++) {
        struct draft_rule_edge edge = rule->edge[i];
        if (edge.from == node || edge.to == node)
            continue;
        edge.from = (uint8_t)(edge.from - (edge.from > node));
        edge.to = (uint8_t)(edge.to - (edge.to > node));
        rule->edge[kept++] = edge;
    }
    rule->edges = (uint8_t)kept;
    rule->nodes--;
    memmove(rule->role + node, rule->role + node + 1, sizeof *rule->role * (rule->nodes - node));
    memmove(rule->type + node, rule->type + node + 1, sizeof *rule->type * (rule->nodes - node));
    memmove(rule->inner + node, rule->inner + node + 1, sizeof *rule->inner * (rule->nodes - node));
}

static void drop_from_value(struct draft_value *v, unsigned node)
{
    v->used &= v->node != node;
    v->adds &= v->target != node;
    v->node = (uint8_t)(v->node - (v->node > node));
    v->target = (uint8_t)(v->target - (v->target > node));
}

static void drop_quantifier(struct rule_draft *rule)
{
    rule->quantifier = DRAFT_PLAIN;
    memset(rule->inner, 0, sizeof rule->inner);
    for (unsigned i = 0; i < rule->edges; i++)
        rule->edge[i].inner = false;
}

static bool drop_of_rule(struct rule_draft *rule, unsigned *part)
{
    if (*part < rule->edges) {
        rule->edge[*part] = rule->edge[--rule->edges];
        return true;
    }
    *part -= rule->edges;
    if (*part < rule->nodes && rule->nodes > 1) {
        drop_rule_node(rule, *part);
        drop_from_value(&rule->value, *part);
        return true;
    }
    *part -= rule->nodes;
    if ((*part)-- == 0) {
        drop_quantifier(rule);
        return true;
    }
    if ((*part)-- == 0) {
        rule->value.used = false;
        return true;
    }
    return false;
}

bool graph_draft_without(const struct graph_draft *draft, unsigned part, struct graph_draft *less)
{
    bool *const flags[] = {&less->isomorphism, &less->injective,         &less->dangling, &less->creator_edges,
                           &less->rhs_is_nac,  &less->multiplicity.used, &less->typed};
    *less = *draft;
    bool found = false;
    if (part < 7) {
        *flags[part] = false;
        less->multiplicity.used &= less->typed;
        found = true;
    } else if ((part -= 7) < draft->rules) {
        less->rule[part] = less->rule[--less->rules];
        found = true;
    } else if ((part -= draft->rules) < draft->edges) {
        less->edge[part] = less->edge[--less->edges];
        found = true;
    } else if ((part -= draft->edges) < draft->nodes) {
        less->value[part] = 0;
        found = true;
    } else {
        part -= draft->nodes;
        for (unsigned r = 0; r < draft->rules && !found; r++)
            found = drop_of_rule(&less->rule[r], &part);
    }
    settle_variables(less);
    for (unsigned r = 0; r < less->rules; r++)
        if (!changes_something(&less->rule[r]))
            less->rule[r].priority = 0;
    return found;
}
