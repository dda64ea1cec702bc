/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric nets in PNML: known sizes, errors with their place, random nets against a naive interpreter. */
#include "base/diagnostic.h"
#include "front/symmetric/symmetric.h"
#include "highlevel/system.h"
#include "random_net.h"
#include "search/search_system.h"
#include "system/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ known sizes */

struct size {
    uint64_t states, deadlocks;
};

static struct size size_of(struct portolan_system *system)
{
    struct portolan_result result;
    struct portolan_error error;
    struct portolan_options options = {.reduction = "none"};
    enum portolan_status status = search_system(system, &options, &result, &error);
    if (status != PORTOLAN_OK)
        diagnostic_write(&error, stderr);
    assert_int_equal(status, PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_COMPLETE);
    struct size size = {result.statistics.states, result.statistics.deadlocks};
    result_clear(&result);
    return size;
}

/* Those of the contest's families have the published sizes, the others those of a model of theirs in another language.
 */
static void test_known_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        struct size size;
    } nets[] = {{"philosophers-coloured", {243, 2}},
                {"shared-memory", {1863, 0}},
                {"token-ring", {166, 0}},
                {"peterson", {20754, 0}},
                {"database", {849, 114}},
                {"resources", {19, 0}},
                {"vehicles", {720, 0}}};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int ground = 0; ground < 2; ground++) {
            char path[400];
            const char *definition = ground ? "ground=1" : "ground=0";
            snprintf(path, sizeof path, "%s/examples/nets/%s.pnml", SOURCE_DIR, nets[i].file);
            struct portolan_system *system;
            assert_int_equal(portolan_open_with(path, &definition, 1, &system, NULL), PORTOLAN_OK);
            assert_string_equal(system->format, "pnml");
            struct size size = size_of(system);
            assert_int_equal(size.states, nets[i].size.states);
            assert_int_equal(size.deadlocks, nets[i].size.deadlocks);
            portolan_system_free(system);
        }
}

/* ------------------------------------------------------------------ pieces of nets */

#define NET(declarations, page)                                                                                        \
    "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\">\n"                            \
    "<declaration><structure><declarations>\n" declarations "\n</declarations></structure></declaration>\n" page       \
    "\n</net></pnml>"
#define SORT_C                                                                                                         \
    "<namedsort id=\"C\" name=\"C\"><cyclicenumeration><feconstant id=\"r\" name=\"red\"/><feconstant id=\"g\" "       \
    "name=\"green\"/><feconstant id=\"b\" name=\"blue\"/></cyclicenumeration></namedsort>"
#define SORT_CC                                                                                                        \
    "<namedsort id=\"CC\" name=\"CC\"><productsort><usersort declaration=\"C\"/><usersort "                            \
    "declaration=\"C\"/></productsort></namedsort>"
#define VARIABLE(v, sort)                                                                                              \
    "<variabledecl id=\"" v "\" name=\"" v "\"><usersort declaration=\"" sort "\"/></variabledecl>"
#define USER_SORT(sort) "<usersort declaration=\"" sort "\"/>"
#define PLACE(id, sort, marking)                                                                                       \
    "<place id=\"" id "\"><type><structure>" sort "</structure></type><hlinitialMarking><structure>" marking           \
    "</structure></hlinitialMarking></place>"
#define EMPTY_PLACE(id, sort) "<place id=\"" id "\"><type><structure>" sort "</structure></type></place>"
#define TRANSITION(id) "<transition id=\"" id "\"/>"
#define GUARDED(id, guard)                                                                                             \
    "<transition id=\"" id "\"><condition><structure>" guard "</structure></condition></transition>"
#define ARC(from, to, term)                                                                                            \
    "<arc id=\"" from "-" to "\" source=\"" from "\" target=\"" to "\"><hlinscription><structure>" term                \
    "</structure></hlinscription></arc>"
#define VAR(v) "<variable refvariable=\"" v "\"/>"
#define CONSTANT(c) "<useroperator declaration=\"" c "\"/>"
#define SUB(t) "<subterm>" t "</subterm>"
#define ALL(sort) "<all>" USER_SORT(sort) "</all>"
#define PAGE(objects) "<page id=\"g\">" objects "</page>"

static enum portolan_status read_text(const char *text, struct colour_net **coloured, struct portolan_error *error)
{
    struct net *net;
    memset(error, 0, sizeof *error);
    enum portolan_status status = pnml_read_any_memory("test.pnml", text, strlen(text), &net, coloured, error);
    assert_null(net);
    return status;
}

static struct portolan_system *must_open(const char *text, enum grounding grounding)
{
    struct colour_net *coloured;
    struct portolan_error error;
    struct portolan_system *system = NULL;
    if (read_text(text, &coloured, &error) != PORTOLAN_OK ||
        colour_system_new(coloured, grounding, &system, &error) != PORTOLAN_OK)
        diagnostic_write(&error, stderr);
    assert_non_null(system);
    return system;
}

static void assert_states(const char *text, uint64_t states)
{
    static const enum grounding both[] = {GROUND_ALWAYS, GROUND_NEVER};
    for (size_t i = 0; i < 2; i++) {
        struct portolan_system *system = must_open(text, both[i]);
        assert_int_equal(size_of(system).states, states);
        portolan_system_free(system);
    }
}

static void test_meaning(void **state)
{
    (void)state;
    /* a variable whose sort is a product: each of the nine tokens moves or not */
    assert_states(NET(SORT_C SORT_CC VARIABLE("v", "CC"),
                      PAGE(PLACE("p", USER_SORT("CC"), ALL("CC")) EMPTY_PLACE("q", USER_SORT("CC")) TRANSITION("t")
                               ARC("p", "t", VAR("v")) ARC("t", "q", VAR("v")))),
                  512);
    /* tuples of a sum: (red + green) x blue is two tokens; what is equal in both components does not move */
    assert_states(
        NET(SORT_C SORT_CC VARIABLE("v", "CC") VARIABLE("x", "C"),
            PAGE(PLACE("p", USER_SORT("CC"),
                       "<tuple>" SUB("<add>" SUB(CONSTANT("r")) SUB(CONSTANT("b")) "</add>")
                           SUB(CONSTANT("b")) "</tuple>") EMPTY_PLACE("q", USER_SORT("CC"))
                     GUARDED("t",
                             "<not>" SUB("<equality>" SUB("<tuple>" SUB(VAR("x")) SUB(CONSTANT("b")) "</tuple>") SUB(
                                 "<tuple>" SUB(CONSTANT("b")) SUB(CONSTANT("b")) "</tuple>") "</equality>") "</not>")
                         ARC("p", "t", "<tuple>" SUB(VAR("x")) SUB(CONSTANT("b")) "</tuple>")
                             ARC("t", "q", "<tuple>" SUB(VAR("x")) SUB(CONSTANT("b")) "</tuple>"))),
        2);
    /* a variable on an output arc alone: any of three colours */
    assert_states(NET(SORT_C VARIABLE("x", "C"),
                      PAGE(PLACE("p", "<dot/>", "<dotconstant/>") EMPTY_PLACE("q", USER_SORT("C")) TRANSITION("t")
                               ARC("p", "t", "<dotconstant/>") ARC("t", "q", VAR("x")))),
                  4);
    /* pages in each other, references, and declarations of a page; by order: the transition moves red and green */
    assert_states(
        NET(SORT_C,
            PAGE(PLACE("p", USER_SORT("C"), ALL("C")) "<page id=\"h\"><declaration><structure><declarations>" VARIABLE(
                "x", "C") "</declarations></structure></declaration>"
                          "<referencePlace id=\"p2\" ref=\"p\"/>" EMPTY_PLACE("q", USER_SORT("C"))
                              GUARDED("t", "<lessthan>" SUB(VAR("x")) SUB(CONSTANT("b")) "</lessthan>")
                                  ARC("p2", "t", VAR("x")) ARC("t", "q", VAR("x")) "</page>")),
        4);
    /* two of one colour are taken, and one that is not: all without x */
    assert_states(NET(SORT_C VARIABLE("x", "C"),
                      PAGE(PLACE("p", USER_SORT("C"),
                                 "<numberof>" SUB("<numberconstant value=\"1\"><positive/></numberconstant>")
                                     SUB(ALL("C")) "</numberof>") EMPTY_PLACE("q", USER_SORT("C")) TRANSITION("t")
                               ARC("p", "t", "<subtract>" SUB(ALL("C")) SUB(VAR("x")) "</subtract>")
                                   ARC("t", "q", "<successor>" SUB(VAR("x")) "</successor>"))),
                  4);
}

/* ------------------------------------------------------------------ each construct by itself */

#define RANGE_N "<namedsort id=\"N\" name=\"N\"><finiteintrange start=\"1\" end=\"3\"/></namedsort>"
#define NUMBER(n)                                                                                                      \
    "<finiteintrangeconstant value=\"" n "\"><finiteintrange start=\"1\" end=\"3\"/></finiteintrangeconstant>"
#define TIMES(n, t)                                                                                                    \
    "<numberof>" SUB("<numberconstant value=\"" n "\"><positive/></numberconstant>") SUB(t) "</numberof>"
#define TWO(element, a, b) "<" element ">" SUB(a) SUB(b) "</" element ">"
#define ONE(element, a) "<" element ">" SUB(a) "</" element ">"

/* Tokens of the sort that move from p to q one by one, where the guard allows it: two to the power of how many. */
#define MOVES(declarations, sort, marking, guard)                                                                      \
    NET(declarations VARIABLE("x", sort),                                                                              \
        PAGE(PLACE("p", USER_SORT(sort), marking) EMPTY_PLACE("q", USER_SORT(sort)) GUARDED("t", guard)                \
                 ARC("p", "t", VAR("x")) ARC("t", "q", VAR("x"))))
#define GUARDED_BY(guard) MOVES(RANGE_N, "N", ALL("N"), guard)
#define TRUTH(t) "<booleanconstant value=\"" t "\"/>"
#define TURNS(term)                                                                                                    \
    NET(SORT_C VARIABLE("x", "C"),                                                                                     \
        PAGE(PLACE("p", USER_SORT("C"), CONSTANT("r")) TRANSITION("t") ARC("p", "t", VAR("x")) ARC("t", "p", term)))
#define PARTITION                                                                                                      \
    "<partition id=\"P\" name=\"P\">" USER_SORT("C") "<partitionelement id=\"warm\" name=\"warm\">" CONSTANT(          \
        "r") "</partitionelement>"                                                                                     \
             "<partitionelement id=\"cold\" name=\"cold\">" CONSTANT("g")                                              \
                 CONSTANT("b") "</partitionelement></partition>"
#define PART(t) "<partitionelementof refpartition=\"P\">" SUB(t) "</partitionelementof>"
#define AFTER                                                                                                          \
    "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\">" PAGE(                        \
        PLACE("p", USER_SORT("C"), ALL("C")) TRANSITION("t")                                                           \
            ARC("p", "t", VAR("x"))) "<declaration><structure><declarations>" SORT_C                                   \
        VARIABLE("x", "C") "</declarations></structure></declaration></net></pnml>"

static void test_constructs(void **state)
{
    (void)state;
    static const struct {
        const char *construct, *text;
        uint64_t states;
    } cases[] = {
        {"a cyclic enumeration", TURNS(ONE("successor", VAR("x"))), 3},
        {"predecessor", TURNS(ONE("predecessor", VAR("x"))), 3},
        {"back and forth", TURNS(ONE("predecessor", ONE("successor", VAR("x")))), 1},
        {"a finite range", GUARDED_BY(TRUTH("true")), 8},
        {"dots",
         NET("", PAGE(PLACE("p", "<dot/>", TIMES("2", "<dotconstant/>")) EMPTY_PLACE("q", "<dot/>") TRANSITION("t")
                          ARC("p", "t", "<dotconstant/>") ARC("t", "q", TIMES("3", "<dotconstant/>")))),
         3},
        {"a product", MOVES(SORT_C SORT_CC, "CC", TWO("tuple", CONSTANT("r"), ALL("C")), TRUTH("true")), 8},
        {"a product of other sorts",
         MOVES(SORT_C RANGE_N "<namedsort id=\"CN\" name=\"CN\"><productsort>" USER_SORT("C")
                   USER_SORT("N") "</productsort></namedsort>",
               "CN", TWO("tuple", CONSTANT("r"), TWO("add", NUMBER("1"), NUMBER("3"))), TRUTH("true")),
         4},
        {"a part of a partition",
         MOVES(SORT_C PARTITION, "C", ALL("C"), TWO("equality", PART(VAR("x")), CONSTANT("cold"))), 4},
        {"all", MOVES(SORT_C, "C", ALL("C"), TRUTH("true")), 8},
        {"numberof", MOVES(SORT_C, "C", TIMES("5", CONSTANT("g")), TRUTH("true")), 6},
        {"numberof all", MOVES(SORT_C, "C", TIMES("2", ALL("C")), TRUTH("true")), 27},
        {"add", MOVES(SORT_C, "C", TWO("add", CONSTANT("r"), TIMES("2", CONSTANT("b"))), TRUTH("true")), 6},
        {"subtract", MOVES(SORT_C, "C", TWO("subtract", ALL("C"), CONSTANT("r")), TRUTH("true")), 4},
        {"a guard that is false", GUARDED_BY(TRUTH("false")), 1},
        {"equality", GUARDED_BY(TWO("equality", VAR("x"), NUMBER("2"))), 2},
        {"inequality", GUARDED_BY(TWO("inequality", VAR("x"), NUMBER("2"))), 4},
        {"less", GUARDED_BY(TWO("lessthan", VAR("x"), NUMBER("2"))), 2},
        {"at most", GUARDED_BY(TWO("lessthanorequal", VAR("x"), NUMBER("2"))), 4},
        {"greater", GUARDED_BY(TWO("greaterthan", VAR("x"), NUMBER("1"))), 4},
        {"at least", GUARDED_BY(TWO("greaterthanorequal", VAR("x"), NUMBER("3"))), 2},
        {"and",
         GUARDED_BY(TWO("and", TWO("greaterthan", VAR("x"), NUMBER("1")), TWO("lessthan", VAR("x"), NUMBER("3")))), 2},
        {"or", GUARDED_BY(TWO("or", TWO("equality", VAR("x"), NUMBER("1")), TWO("equality", VAR("x"), NUMBER("3")))),
         4},
        {"imply", GUARDED_BY(TWO("imply", TWO("equality", VAR("x"), NUMBER("1")), TRUTH("false"))), 4},
        {"not", GUARDED_BY(ONE("not", TWO("equality", VAR("x"), NUMBER("1")))), 4},
        {"declarations behind the page", AFTER, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("%s\n", cases[i].construct);
        assert_states(cases[i].text, cases[i].states);
    }
}

/* The successor is the next one, the predecessor the one before: the first step leads there, and not elsewhere. */
static void test_neighbours(void **state)
{
    (void)state;
    static const struct {
        const char *text, *goal;
        enum portolan_verdict verdict;
    } cases[] = {
        {TURNS(ONE("successor", VAR("x"))), "X \"p<(green)>\" = 1", PORTOLAN_HOLDS},
        {TURNS(ONE("successor", VAR("x"))), "X \"p<(blue)>\" = 1", PORTOLAN_VIOLATED},
        {TURNS(ONE("predecessor", VAR("x"))), "X \"p<(blue)>\" = 1", PORTOLAN_HOLDS},
        {TURNS(ONE("predecessor", VAR("x"))), "X \"p<(green)>\" = 1", PORTOLAN_VIOLATED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_system *system = must_open(cases[i].text, GROUND_ALWAYS);
        struct portolan_property *property;
        struct portolan_result result;
        assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, cases[i].goal, &property, NULL), PORTOLAN_OK);
        struct portolan_options options = {.properties = (const struct portolan_property *const *)&property,
                                           .property_count = 1};
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
        assert_int_equal(result.answers[0].verdict, cases[i].verdict);
        result_clear(&result);
        portolan_property_free(property);
        portolan_system_free(system);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct portolan_system *system = must_open(
        NET(SORT_C VARIABLE("x", "C"),
            PAGE("<place id=\"p1\"><name><text>queue</text></name><type><structure>" USER_SORT(
                "C") "</structure></type><hlinitialMarking><structure>" ALL("C") "</structure></hlinitialMarking></"
                                                                                 "place>"
                                                                                 "<transition "
                                                                                 "id=\"t1\"><name><text>take</text></"
                                                                                 "name></transition>" ARC("p1", "t1",
                                                                                                          VAR("x")))),
        GROUND_ALWAYS);
    struct portolan_property *property;
    struct portolan_error error;
    static const char *const texts[] = {"queue == 3",
                                        "p1 == 3",
                                        "fireable(take)",
                                        "fireable(t1)",
                                        "\"queue<(green)>\" == 1",
                                        "fireable(\"take(x=red)\")"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        enum portolan_status status = portolan_property_new(system, PORTOLAN_REACH, texts[i], &property, &error);
        if (status != PORTOLAN_OK)
            diagnostic_write(&error, stderr);
        assert_int_equal(status, PORTOLAN_OK);
        portolan_property_free(property);
    }
    portolan_system_free(system);
}

/* ------------------------------------------------------------------ errors */

#define SIMPLE(term)                                                                                                   \
    NET(SORT_C VARIABLE("x", "C"), PAGE(PLACE("p", USER_SORT("C"), ALL("C")) TRANSITION("t") "\n" ARC("p", "t", term)))

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line; /* all stand in a column behind the first but one */
    } cases[] = {
        {SIMPLE(VAR("y")), "the variable 'y' is not declared", 6},
        {SIMPLE(CONSTANT("x")), "'x' is a variable, not a constant", 6},
        {SIMPLE("<dotconstant/>"), "found a value of the sort dot where one of C is expected", 6},
        {SIMPLE("<tuple>" SUB(VAR("x")) SUB(VAR("x")) "</tuple>"), "a token has 2 parts, but its place has tokens of 1",
         6},
        {SIMPLE("<successor/>"), "<successor> has 0 operands, not 1", 6},
        {SIMPLE("<append/>"), "<append> is not supported here", 6},
        {SIMPLE("<numberof>" SUB(VAR("x")) SUB(VAR("x")) "</numberof>"),
         "found <variable> where <numberconstant> is expected", 6},
        {SIMPLE("<numberof>" SUB("<numberconstant value=\"-1\"/>") SUB(VAR("x")) "</numberof>"),
         "a number of tokens is negative", 6},
        {SIMPLE("<numberof>" SUB("<numberconstant value=\"many\"/>") SUB(VAR("x")) "</numberof>"),
         "'many' is not a number of at most 2147483647", 6},
        {SIMPLE(""), "the inscription of an arc has no <structure> with a term in it", 6},
        {SIMPLE(VAR("x") VAR("x")), "the inscription of an arc has two terms", 6},
        {NET(SORT_C, PAGE(TRANSITION("t") "<place id=\"p\"/>")), "the place 'p' has no type", 5},
        {NET(SORT_C, PAGE(PLACE("p", USER_SORT("C"), VAR("x")))), "the variable 'x' is not declared", 5},
        {NET(SORT_C VARIABLE("x", "C"), PAGE(PLACE("p", USER_SORT("C"), VAR("x")))),
         "a variable has no value in an initial marking", 5},
        {NET(SORT_C "\n" SORT_C, ""), "the id 'C' is declared twice", 4},
        {NET(" <namedsort id=\"S\"><usersort declaration=\"S\"/></namedsort>", ""), "the sort 'S' is defined by itself",
         3},
        {NET(" <namedsort id=\"S\"><list><dot/></list></namedsort>", ""),
         "the sort <list> is not supported: it does not belong to symmetric nets", 3},
        {NET(" <namedsort id=\"S\"><string/></namedsort>", ""),
         "the sort <string> is not supported: it does not belong to symmetric nets", 3},
        {NET(" <namedoperator id=\"S\"/>", ""),
         "<namedoperator> is not supported: it does not belong to symmetric nets", 3},
        {NET(" <arbitrarysort id=\"S\"/>", ""),
         "<arbitrarysort> is not supported: it does not belong to symmetric nets", 3},
        {NET(" <namedsort id=\"S\"><finiteintrange start=\"3\" end=\"2\"/></namedsort>", ""),
         "a range from 3 to 2 is empty", 3},
        {NET(SORT_C "\n<partition id=\"P\"><usersort declaration=\"C\"/><partitionelement id=\"e\">" CONSTANT(
                 "r") "</partitionelement></partition>",
             ""),
         "a value of the sort is in no part of the partition", 4},
        {NET(SORT_C "\n<partition id=\"P\"><usersort declaration=\"C\"/><partitionelement id=\"e\">" CONSTANT("r")
                 CONSTANT("r") "</partitionelement></partition>",
             ""),
         "a value is in two parts of the partition", 4},
        {NET(SORT_C VARIABLE("x", "C"), PAGE(GUARDED("t", VAR("x")))),
         "found a value of the sort C where a boolean is expected", 5},
        {NET(SORT_C VARIABLE("x", "C"),
             PAGE(GUARDED("t", "<equality>" SUB(VAR("x")) SUB("<dotconstant/>") "</equality>"))),
         "values of the sorts C and dot are compared", 5},
        {NET(SORT_C, PAGE(TRANSITION("t") "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place>")),
         "<initialMarking> does not belong to a symmetric net", 5},
        {NET(SORT_C, PAGE(TRANSITION("t") "<arc id=\"a\" source=\"t\" target=\"u\"/>")),
         "the target of an arc, 'u', does not exist", 5},
        {NET(SORT_C, PAGE(EMPTY_PLACE("p", "<dot/>") TRANSITION("t") "<arc id=\"a\" source=\"t\" target=\"p\"/>")),
         "an arc has no inscription", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct colour_net *coloured;
        struct portolan_error error;
        enum portolan_status status = read_text(cases[i].text, &coloured, &error);
        assert_null(coloured);
        assert_int_equal(status, PORTOLAN_BAD_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
        assert_true(error.column >= 1);
        assert_string_equal(error.file, "test.pnml");
    }
}

/* What breaks off anywhere is an error, and nothing is left behind. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    const char *text = SIMPLE("<add>" SUB(VAR("x")) SUB("<successor>" SUB(VAR("x")) "</successor>") "</add>");
    for (size_t length = 0; length < strlen(text); length++) {
        struct net *net;
        struct colour_net *coloured;
        assert_int_not_equal(pnml_read_any_memory("cut", text, length, &net, &coloured, NULL), PORTOLAN_OK);
        assert_null(net);
        assert_null(coloured);
    }
}

/* ------------------------------------------------------------------ random nets */

/*
 * Two sorts, A (cyclic: 0 1 2) and B (a range: 0 1), and their product.  Places are of A, B or A x B, variables x and y
 * of A, z of B.  The naive interpreter tries all values of all variables.
 */
enum { RANDOM_NETS = 1000, PLACES = 3, TRANSITIONS = 3, TERMS = 2, VALUES = 6, MOST_STATES = 3000, MOST_TOKENS = 3 };
enum part_kind { PART_CONSTANT, PART_VARIABLE, PART_SUCCESSOR, PART_PREDECESSOR, PART_ALL, PART_OTHERS, PART_KINDS };
enum { A = 3, B = 2 }; /* how many values */

struct part {
    enum part_kind kind;
    uint32_t which; /* the constant, or the variable */
};

struct term {
    uint32_t number; /* 0: none */
    struct part a, b;
};

struct guard { /* x and a neighbour of y, or z and a constant */
    bool is_there, of_b, is_equal, is_negated;
    uint32_t constant;
};

struct drawn {
    unsigned sort[PLACES]; /* 0: A, 1: B, 2: A x B */
    struct term initial[PLACES][TERMS], in[TRANSITIONS][PLACES][TERMS], out[TRANSITIONS][PLACES][TERMS];
    struct guard guard[TRANSITIONS];
};

typedef uint8_t marking[PLACES][VALUES];

static struct part draw_part(struct random *random, bool has_variables, uint32_t values)
{
    enum part_kind kind = has_variables               ? random_below(random, PART_KINDS)
                          : random_chance(random, 60) ? PART_CONSTANT
                                                      : PART_ALL;
    if (values == B && (kind == PART_SUCCESSOR || kind == PART_PREDECESSOR))
        kind = PART_VARIABLE;
    if (has_variables && random_chance(random, 50))
        kind = PART_VARIABLE;
    return (struct part){kind, kind == PART_CONSTANT ? random_below(random, values)
                                                     : random_below(random, values == A ? 2 : 1)};
}

static void draw_terms(struct random *random, struct term *terms, bool has_variables, uint32_t chance)
{
    for (int i = 0; i < TERMS; i++)
        terms[i] =
            (struct term){.number = random_chance(random, i ? chance / 3 : chance) ? 1 + random_chance(random, 15) : 0,
                          .a = draw_part(random, has_variables, A),
                          .b = draw_part(random, has_variables, B)};
}

static void draw(struct drawn *net, struct random *random)
{
    for (int p = 0; p < PLACES; p++) {
        net->sort[p] = random_below(random, 3);
        draw_terms(random, net->initial[p], false, 90);
        for (int t = 0; t < TRANSITIONS; t++) {
            draw_terms(random, net->in[t][p], true, 35);
            draw_terms(random, net->out[t][p], true, 30);
        }
    }
    for (int t = 0; t < TRANSITIONS; t++)
        net->guard[t] = (struct guard){random_chance(random, 50), random_chance(random, 30), random_chance(random, 50),
                                       random_chance(random, 30), random_below(random, 2)};
}

/* --- as PNML */

static const char *const variables_of_a[] = {"x", "y"};

static void write_part(FILE *out, const struct part *part, bool of_b)
{
    const char *variable = of_b ? "z" : variables_of_a[part->which % 2];
    switch (part->kind) {
    case PART_CONSTANT:
        if (of_b)
            fprintf(
                out,
                "<finiteintrangeconstant value=\"%u\"><finiteintrange start=\"0\" end=\"1\"/></finiteintrangeconstant>",
                part->which);
        else
            fprintf(out, "<useroperator declaration=\"a%u\"/>", part->which);
        break;
    case PART_SUCCESSOR:
        fprintf(out, "<successor><subterm><variable refvariable=\"%s\"/></subterm></successor>", variable);
        break;
    case PART_PREDECESSOR:
        fprintf(out, "<predecessor><subterm><variable refvariable=\"%s\"/></subterm></predecessor>", variable);
        break;
    case PART_ALL: fprintf(out, "<all><usersort declaration=\"%s\"/></all>", of_b ? "B" : "A"); break;
    case PART_OTHERS:
        fprintf(out,
                "<subtract><subterm><all><usersort declaration=\"%s\"/></all></subterm><subterm><variable "
                "refvariable=\"%s\"/></subterm></subtract>",
                of_b ? "B" : "A", variable);
        break;
    default: fprintf(out, "<variable refvariable=\"%s\"/>", variable);
    }
}

static void write_terms(FILE *out, const struct term *terms, unsigned sort)
{
    fputs("<structure><add><subterm><empty/></subterm>", out);
    for (int i = 0; i < TERMS; i++) {
        if (!terms[i].number)
            continue;
        fprintf(out, "<subterm><numberof><subterm><numberconstant value=\"%u\"/></subterm><subterm>", terms[i].number);
        if (sort == 2)
            fputs("<tuple><subterm>", out);
        if (sort != 1)
            write_part(out, &terms[i].a, false);
        if (sort == 2)
            fputs("</subterm><subterm>", out);
        if (sort != 0)
            write_part(out, &terms[i].b, true);
        fputs(sort == 2 ? "</subterm></tuple></subterm></numberof></subterm>" : "</subterm></numberof></subterm>", out);
    }
    fputs("</add></structure>", out);
}

static void write_guard(FILE *out, const struct guard *guard)
{
    const char *element = guard->is_equal ? "equality" : guard->of_b ? "lessthan" : "inequality";
    fprintf(out, "<condition><structure>%s<%s>", guard->is_negated ? "<not><subterm>" : "", element);
    if (guard->of_b)
        fprintf(out,
                "<subterm><variable refvariable=\"z\"/></subterm><subterm><finiteintrangeconstant "
                "value=\"%u\"><finiteintrange start=\"0\" end=\"1\"/></finiteintrangeconstant></subterm>",
                guard->constant);
    else
        fputs("<subterm><variable refvariable=\"x\"/></subterm><subterm><successor><subterm><variable "
              "refvariable=\"y\"/></subterm></successor></subterm>",
              out);
    fprintf(out, "</%s>%s</structure></condition>", element, guard->is_negated ? "</subterm></not>" : "");
}

static bool has_terms(const struct term *terms)
{
    return terms[0].number || terms[1].number;
}

static char *write_net(const struct drawn *net)
{
    static const char *const sorts[] = {"A", "B", "AB"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("<pnml><net type=\"symmetricnet\"><page id=\"g\">", out);
    for (int p = 0; p < PLACES; p++) {
        fprintf(
            out,
            "<place id=\"p%d\"><type><structure><usersort declaration=\"%s\"/></structure></type><hlinitialMarking>", p,
            sorts[net->sort[p]]);
        write_terms(out, net->initial[p], net->sort[p]);
        fputs("</hlinitialMarking></place>", out);
    }
    for (int t = 0; t < TRANSITIONS; t++) {
        fprintf(out, "<transition id=\"t%d\">", t);
        if (net->guard[t].is_there)
            write_guard(out, &net->guard[t]);
        fputs("</transition>", out);
        for (int p = 0; p < PLACES; p++)
            for (int is_in = 0; is_in < 2; is_in++) {
                const struct term *terms = is_in ? net->in[t][p] : net->out[t][p];
                if (!has_terms(terms))
                    continue;
                fprintf(out,
                        is_in ? "<arc id=\"i%d%d\" source=\"p%d\" target=\"t%d\"><hlinscription>"
                              : "<arc id=\"o%d%d\" target=\"p%d\" source=\"t%d\"><hlinscription>",
                        p, t, p, t);
                write_terms(out, terms, net->sort[p]);
                fputs("</hlinscription></arc>", out);
            }
    }
    fputs("</page><declaration><structure><declarations>" VARIABLE("x", "A") VARIABLE("y", "A") VARIABLE(
              "z",
              "B") "<namedsort id=\"AB\" name=\"AB\"><productsort><usersort declaration=\"A\"/><usersort "
                   "declaration=\"B\"/></productsort></namedsort>"
                   "<namedsort id=\"A\" name=\"A\"><cyclicenumeration><feconstant id=\"a0\" name=\"a0\"/><feconstant "
                   "id=\"a1\" name=\"a1\"/><feconstant id=\"a2\" name=\"a2\"/></cyclicenumeration></namedsort>"
                   "<namedsort id=\"B\" name=\"B\"><finiteintrange start=\"0\" end=\"1\"/></namedsort>"
                   "</declarations></structure></declaration></net></pnml>",
          out);
    fclose(out);
    return text;
}

/* --- as it is meant */

static bool part_has(const struct part *part, uint32_t value, uint32_t values, const uint32_t *variables)
{
    uint32_t variable = variables[values == A ? part->which % 2 : 2];
    const bool has[] = {[PART_CONSTANT] = value == part->which,
                        [PART_VARIABLE] = value == variable,
                        [PART_SUCCESSOR] = value == (variable + 1) % values,
                        [PART_PREDECESSOR] = value == (variable + values - 1) % values,
                        [PART_ALL] = true,
                        [PART_OTHERS] = value != variable};
    return has[part->kind];
}

static void count_terms(const struct term *terms, unsigned sort, const uint32_t *variables, uint32_t *count)
{
    memset(count, 0, VALUES * sizeof *count);
    for (int i = 0; i < TERMS; i++)
        for (uint32_t v = 0; terms[i].number && v < (sort == 0 ? A : sort == 1 ? B : A * B); v++) {
            bool has_a = sort == 1 || part_has(&terms[i].a, sort == 2 ? v / B : v, A, variables);
            bool has_b = sort == 0 || part_has(&terms[i].b, sort == 2 ? v % B : v, B, variables);
            count[v] += has_a && has_b ? terms[i].number : 0;
        }
}

static bool guard_holds(const struct guard *guard, const uint32_t *variables)
{
    if (!guard->is_there)
        return true;
    bool equal = guard->of_b ? variables[2] == guard->constant : variables[0] == (variables[1] + 1) % A;
    bool holds = guard->is_equal ? equal : guard->of_b ? variables[2] < guard->constant : !equal;
    return holds != guard->is_negated;
}

/* 1: fired, 0: not enabled, -1: too many tokens to go on. */
static int fire_naively(const struct drawn *net, int t, const uint32_t *variables, const marking *from, marking *to)
{
    uint32_t count[VALUES];
    if (!guard_holds(&net->guard[t], variables))
        return 0;
    memcpy(to, from, sizeof *to);
    for (int p = 0; p < PLACES; p++) {
        count_terms(net->in[t][p], net->sort[p], variables, count);
        for (int v = 0; v < VALUES; v++) {
            if ((*to)[p][v] < count[v])
                return 0;
            (*to)[p][v] = (uint8_t)((*to)[p][v] - count[v]);
        }
    }
    int fired = 1;
    for (int p = 0; p < PLACES; p++) {
        count_terms(net->out[t][p], net->sort[p], variables, count);
        for (int v = 0; v < VALUES; v++) {
            (*to)[p][v] = (uint8_t)((*to)[p][v] + count[v]);
            fired = (*to)[p][v] > MOST_TOKENS ? -1 : fired;
        }
    }
    return fired;
}

static bool is_known(const marking *known, uint64_t count, const marking *one)
{
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(&known[i], one, sizeof *one) == 0)
            return true;
    return false;
}

/* False when there are too many states or tokens. */
static bool explore_naively(const struct drawn *net, marking *known, struct size *size)
{
    static const uint32_t none[3];
    *size = (struct size){1, 0};
    memset(known, 0, sizeof *known);
    for (int p = 0; p < PLACES; p++) {
        uint32_t count[VALUES];
        count_terms(net->initial[p], net->sort[p], none, count);
        for (int v = 0; v < VALUES; v++)
            known[0][p][v] = (uint8_t)count[v];
    }
    for (uint64_t i = 0; i < size->states; i++) {
        bool is_dead = true;
        for (uint32_t binding = 0; binding < TRANSITIONS * A * A * B; binding++) {
            uint32_t variables[] = {binding / B % A, binding / B / A % A, binding % B};
            marking next;
            int fired = fire_naively(net, (int)(binding / B / A / A), variables, (const marking *)&known[i], &next);
            if (fired < 0 || (fired && size->states == MOST_STATES))
                return false;
            is_dead &= !fired;
            if (fired && !is_known((const marking *)known, size->states, (const marking *)&next))
                memcpy(&known[size->states++], &next, sizeof next);
        }
        size->deadlocks += is_dead;
    }
    return true;
}

static void test_random(void **state)
{
    (void)state;
    marking *known = calloc(MOST_STATES + 1, sizeof *known);
    unsigned compared = 0, larger = 0;
    for (uint64_t i = 0; i < RANDOM_NETS; i++) {
        struct random random = random_from(5, i);
        struct drawn net;
        struct size expected;
        memset(&net, 0, sizeof net);
        draw(&net, &random);
        if (!explore_naively(&net, known, &expected))
            continue;
        char *text = write_net(&net);
        for (int ground = 0; ground < 2; ground++) {
            struct portolan_system *system = must_open(text, ground ? GROUND_ALWAYS : GROUND_NEVER);
            struct size size = size_of(system);
            if (size.states != expected.states || size.deadlocks != expected.deadlocks)
                fail_msg("net %" PRIu64 " has %" PRIu64 " states, %" PRIu64 " deadlocks, not %" PRIu64 ", %" PRIu64
                         ": %s",
                         i, expected.states, expected.deadlocks, size.states, size.deadlocks, text);
            portolan_system_free(system);
        }
        free(text);
        compared++;
        larger += expected.states > 4;
    }
    free(known);
    assert_true(compared > RANDOM_NETS / 5);
    assert_true(larger > RANDOM_NETS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sizes),  cmocka_unit_test(test_meaning), cmocka_unit_test(test_constructs),
        cmocka_unit_test(test_neighbours),   cmocka_unit_test(test_names),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
