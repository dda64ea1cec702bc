/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tester of certificates of simplified nets.  Random nets are simplified and searched, and whatever holds is
 * certified: the checker must accept it.  Then certificates and nets are changed at random: whatever the checker
 * accepts must be true by naive exploration of the net.
 *
 *     certificates_simplified [--nets N] [--seed S] [--first K]
 */
#include "certify/certify.h"
#include "differential_formula.h"
#include "differential_naive.h"
#include "front/petri/system.h"
#include "search/search_system.h"
#include "simplify/search.h"
#include "stretched_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKINGS = 400, ATTACKS = 12, ENOUGH_NETS = 2000 };

static uint64_t certified, with_steps, decided, attacked, accepted, of_changed_nets;

/* What is asked of a net: a formula, that there is no deadlock, or both. */
struct question {
    struct formula formula;
    bool states, deadlocks;
};

struct text {
    char *item;
    size_t length;
};

/* ------------------------------------------------------------------- systems */

static struct portolan_system *system_of(const struct draft *draft)
{
    struct portolan_system *system = NULL;
    net_system_new(draft_net(draft, "random"), &system, NULL);
    return system;
}

static size_t properties_of(const struct question *question, struct portolan_system *system,
                            struct portolan_property **properties)
{
    char text[FORMULA_TEXT];
    size_t count = 0;
    formula_text(&question->formula, net_of_system(system), text, sizeof text);
    if (question->states &&
        portolan_property_new(system, question->formula.kind, text, &properties[count], NULL) == PORTOLAN_OK)
        count++;
    if (question->deadlocks &&
        portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &properties[count], NULL) == PORTOLAN_OK)
        count++;
    return count;
}

/* ------------------------------------------------------------------- writing */

static bool nothing_was_found(const struct portolan_result *result)
{
    bool nothing = result->stop == PORTOLAN_COMPLETE;
    for (size_t i = 0; i < result->answer_count; i++)
        nothing = nothing && !result->answers[i].has_trace;
    return nothing;
}

static bool write_text(struct portolan_system *system, struct portolan_property **properties, size_t count,
                       const struct simplify_proof *proof, struct record *record, struct text *text)
{
    char *claims[2] = {0};
    const char *open[2];
    size_t open_count = 0;
    struct certificate_size size;
    struct portolan_error error = {0};
    for (size_t i = 0; i < count; i++) {
        claims[i] = certificate_claim(properties[i]);
        if (!proof->text || proof->open[i])
            open[open_count++] = claims[i];
    }
    struct certificate_prelude prelude = {
        .model = system->name, .text = proof->text, .claims = (const char *const *)claims, .claim_count = count};
    FILE *out = open_memstream(&text->item, &text->length);
    bool fine = certificate_write(proof->text ? proof->system : system, record, proof->text ? &prelude : NULL, open,
                                  open_count, out, &size, &error) == PORTOLAN_OK;
    fclose(out);
    if (!fine)
        printf("not written: %s\n", error.message);
    certified++;
    with_steps += size.steps > 0;
    decided += size.decided;
    for (size_t i = 0; i < count; i++)
        free(claims[i]);
    return fine;
}

/* Leaves no text where something was found; false when a certificate could not be written. */
static bool certify(const struct draft *draft, const struct question *question, bool think_first, struct text *text)
{
    struct portolan_system *system = system_of(draft);
    struct portolan_property *properties[2] = {0};
    size_t count = properties_of(question, system, properties);
    struct record record = {0};
    struct simplify_proof proof = {.again = record_restart, .user = &record};
    struct simplify_report report;
    struct portolan_result result;
    struct portolan_options options = {.properties = (const struct portolan_property *const *)properties,
                                       .property_count = count,
                                       .certifiable = true,
                                       .callbacks = record_callbacks(&record),
                                       .state_limit = 5 * MOST_MARKINGS};
    bool fine = true;
    if (search_simplified(system, &options, think_first, &report, &proof, &result, NULL) == PORTOLAN_OK) {
        record.directed = strstr(result.reduction, "goal");
        if (nothing_was_found(&result))
            fine = write_text(system, properties, count, &proof, &record, text);
        result_clear(&result);
    }
    for (size_t i = 0; i < count; i++)
        portolan_property_free(properties[i]);
    record_clear(&record);
    simplify_proof_clear(&proof);
    portolan_system_free(system);
    return fine;
}

/* ------------------------------------------------------------------ checking */

/* Does the checker accept it?  tell: prints why not. */
static bool is_accepted(const struct draft *draft, const struct text *text, const struct question *question, bool tell)
{
    struct portolan_system *system = system_of(draft);
    struct portolan_property *properties[2] = {0};
    size_t count = properties_of(question, system, properties);
    struct certificate_report report;
    struct portolan_error error = {0};
    FILE *in = fmemopen(text->item, text->length, "r");
    bool fine = certificate_check(system, "certificate", in, &report, &error) == PORTOLAN_OK;
    fclose(in);
    if (!fine && tell)
        printf("line %u: %s\n", error.line, error.message);
    if (fine) { /* a change of a claim is another claim */
        bool same = report.claim_count == count;
        for (size_t i = 0; same && i < count; i++) {
            char *claim = certificate_claim(properties[i]);
            same = strcmp(claim, report.claims[i]) == 0;
            free(claim);
        }
        fine = same;
        certificate_report_clear(&report);
    }
    for (size_t i = 0; i < count; i++)
        portolan_property_free(properties[i]);
    portolan_system_free(system);
    return fine;
}

/* False when some marking contradicts what is claimed, as far as they were looked at. */
static bool is_true(const struct draft *draft, const struct question *question)
{
    static const struct formula no_deadlock = {.kind = PORTOLAN_NO_DEADLOCK};
    struct net *net = draft_net(draft, "random");
    struct naive naive;
    bool holds = true;
    naive_explore(&naive, net, MOST_MARKINGS);
    for (uint32_t s = 0; s + 1 < naive.edge_offset.count; s++)
        holds = holds && !(question->states && formula_is_decided_by(&question->formula, &naive, s)) &&
                !(question->deadlocks && formula_is_decided_by(&no_deadlock, &naive, s));
    naive_clear(&naive);
    net_free(net);
    return holds;
}

/* ------------------------------------------------------------------- attacks */

/* Copies the text without a line, with a line twice, or with one number changed. */
static struct text change_text(const struct text *text, struct random *random)
{
    struct text changed = {.item = malloc(2 * text->length + 32)};
    uint32_t at = random_below(random, (uint32_t)text->length);
    size_t first = at, last = at;
    while (first > 0 && text->item[first - 1] != '\n')
        first--;
    while (last < text->length && text->item[last] != '\n')
        last++;
    last += last < text->length;
    size_t number = at;
    while (number < last && (text->item[number] < '0' || text->item[number] > '9'))
        number++;
    size_t behind = number + strspn(text->item + number, "0123456789");
    switch (random_below(random, 4)) {
    case 0: changed.length = (size_t)sprintf(changed.item, "%.*s%s", (int)first, text->item, text->item + last); break;
    case 1: changed.length = (size_t)sprintf(changed.item, "%.*s%s", (int)last, text->item, text->item + first); break;
    default:
        changed.length = (size_t)sprintf(changed.item, "%.*s%u%s", (int)number, text->item, random_below(random, 12),
                                         text->item + behind);
        break;
    }
    return changed;
}

static void change_net(struct draft *draft, struct random *random)
{
    uint32_t t = random_below(random, draft->transitions), p = random_below(random, draft->places);
    struct draft_arc *arc = &draft->arc[t][p];
    uint8_t weight = (uint8_t)random_below(random, 3);
    switch (random_below(random, 5)) {
    case 0: arc->consume = weight; break;
    case 1: arc->produce = weight; break;
    case 2: arc->read = weight; break;
    case 3: arc->inhibit = weight; break;
    default: draft->tokens[p] = weight; break;
    }
}

/* False when the checker believes something false. */
static bool withstands(const struct draft *draft, const struct question *question, const struct text *text,
                       struct random *random)
{
    struct draft other = *draft;
    bool changes_net = draft->places && draft->transitions && random_chance(random, 60);
    if (changes_net)
        change_net(&other, random);
    struct text changed = {0};
    if (!changes_net || random_chance(random, 40))
        changed = change_text(text, random);
    const struct text *given = changed.item ? &changed : text;
    bool believed = is_accepted(&other, given, question, false);
    attacked++;
    accepted += believed;
    of_changed_nets += believed && changes_net;
    bool fine = !believed || is_true(&other, question);
    if (!fine) {
        struct net *net = draft_net(&other, "failed");
        printf("FAILED: accepted, and false\n%s\n", given->item);
        pnml_write(net, stdout);
        net_free(net);
    }
    free(changed.item);
    return fine;
}

/* ---------------------------------------------------------------- the command */

static bool check(uint64_t number, uint64_t seed)
{
    struct random random = random_from(seed, number);
    struct draft draft;
    struct question question = {.states = number % 3 != 0, .deadlocks = number % 3 != 1};
    struct text text = {0};
    draft_stretched(&draft, &random);
    formula_random(&question.formula, &random, draft.places, draft.transitions);
    bool fine = certify(&draft, &question, random_chance(&random, 60), &text);
    if (fine && text.item && !is_accepted(&draft, &text, &question, true)) {
        printf("FAILED: a certificate is refused\n%s\n", text.item);
        fine = false;
    }
    for (int i = 0; fine && text.item && i < ATTACKS; i++)
        fine = withstands(&draft, &question, &text, &random);
    free(text.item);
    if (!fine)
        printf("net %" PRIu64 " of seed %" PRIu64 "\n", number, seed);
    return fine;
}

int main(int count, char **words)
{
    uint64_t nets = 3000, seed = 1, first = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        uint64_t *field = strcmp(words[i], "--nets") == 0 ? &nets : strcmp(words[i], "--seed") == 0 ? &seed : &first;
        *field = strtoull(words[i + 1], NULL, 10);
    }
    bool fine = true;
    for (uint64_t number = first; number < first + nets && fine; number++)
        fine = check(number, seed);
    printf("%" PRIu64 " certificates, %" PRIu64 " with steps, %" PRIu64 " claims decided by the structure; of %" PRIu64
           " attacks %" PRIu64 " accepted and true, %" PRIu64 " of them of changed nets\n",
           certified, with_steps, decided, attacked, accepted, of_changed_nets);
    if (fine && nets >= ENOUGH_NETS && (!with_steps || !decided || !accepted)) {
        printf("FAILED: nothing was tested\n");
        fine = false;
    }
    return fine ? 0 : 1;
}
