/* SPDX-License-Identifier: Apache-2.0 */
/* The PNML reader and writer: dialects, errors with their place, round trips, hostile and large input. */
#include "base/diagnostic.h"
#include "front/petri/net.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static enum portolan_status read_text(const char *text, struct net **net, struct portolan_error *error)
{
    memset(error, 0, sizeof *error);
    return pnml_read_memory("test.pnml", text, strlen(text), net, error);
}

/* Reads a net that must be fine. */
static struct net *must_read(const char *text)
{
    struct net *net;
    struct portolan_error error;
    if (read_text(text, &net, &error) != PORTOLAN_OK)
        diagnostic_write(&error, stderr);
    assert_non_null(net);
    return net;
}

/* The record of a transition and a place, all zero when they have nothing to do with each other. */
static struct net_arc arc_between(const struct net *net, uint32_t transition, uint32_t place)
{
    for (uint32_t i = net->arc_offset[transition]; i < net->arc_offset[transition + 1]; i++)
        if (net->arc[i].place == place)
            return net->arc[i];
    return (struct net_arc){0};
}

static void assert_arc(const struct net *net, uint32_t transition, uint32_t place, struct net_arc wanted)
{
    struct net_arc arc = arc_between(net, transition, place);
    assert_int_equal(arc.need, wanted.need);
    assert_int_equal(arc.inhibit, wanted.inhibit);
    assert_int_equal(arc.consume, wanted.consume);
    assert_int_equal(arc.produce, wanted.produce);
}

/* ---------------------------------------------------------------- dialects */

static void test_standard(void **state)
{
    (void)state;
    struct net *net =
        must_read("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                  "<net id=\"n1\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
                  "<name><text>two &amp; three</text></name>\n"
                  "<page id=\"page\"><name><text>a page</text></name>\n"
                  "<place id=\"p\"><name><graphics><offset x=\"1\" y=\"2\"/></graphics>\n"
                  "<text> first </text></name><graphics><position x=\"1\" y=\"1\"/></graphics>\n"
                  "<initialMarking><text> 12 </text></initialMarking></place>\n"
                  "<place id=\"q\"><name><text>q</text></name></place>\n"
                  "<transition id=\"t\"><name><text>go</text></name></transition>\n"
                  "<arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>2</text></inscription></arc>\n"
                  "<arc id=\"b\" source=\"t\" target=\"q\"/>\n"
                  "</page></net></pnml>\n");
    assert_string_equal(net->name, "two & three");
    assert_int_equal(net->places, 2);
    assert_int_equal(net->transitions, 1);
    assert_string_equal(net->place_id[0], "p");
    assert_string_equal(net->place_name[0], "first");
    assert_null(net->place_name[1]);
    assert_string_equal(net->transition_name[0], "go");
    assert_int_equal(net->initial[0], 12);
    assert_int_equal(net->initial[1], 0);
    assert_arc(net, 0, 0, (struct net_arc){.need = 2, .consume = 2});
    assert_arc(net, 0, 1, (struct net_arc){.produce = 1});
    assert_int_equal(net->units, 0);
    net_free(net);
}

static void test_pipe(void **state)
{
    (void)state;
    struct net *net = must_read(
        "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><pnml><net id=\"Net-One\" type=\"P/T net\">\n"
        "<token id=\"Default\" enabled=\"true\" red=\"0\"/>\n"
        "<place id=\"P0\"><name><value>\xE9t\xE9</value><graphics/></name>\n"
        "<initialMarking><value>Default,3</value><graphics/></initialMarking>\n"
        "<capacity><value>0</value></capacity></place>\n"
        "<transition id=\"T0\"><name><value>T0</value></name><rate><value>1.0</value></rate></transition>\n"
        "<arc id=\"P0 to T0\" source=\"P0\" target=\"T0\"><inscription><value>Default,2</value></inscription>\n"
        "<arcpath id=\"000\" x=\"1\" y=\"1\"/><type value=\"normal\"/></arc>\n"
        "<arc id=\"T0 to P0\" source=\"T0\" target=\"P0\"><inscription><value>1</value></inscription></arc>\n"
        "</net></pnml>");
    assert_string_equal(net->name, "Net-One");
    assert_string_equal(net->place_name[0], "\xC3\xA9t\xC3\xA9");
    assert_int_equal(net->initial[0], 3);
    assert_arc(net, 0, 0, (struct net_arc){.need = 2, .consume = 2, .produce = 1});
    net_free(net);
}

static void test_arc_types(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        struct net_arc wanted;
    } cases[] = {
        {"<type value=\"normal\"/>", {.need = 3, .consume = 3}},
        {"<type value=\"inhibitor\"/>", {.inhibit = 3}},
        {"<type value=\"test\"/>", {.need = 3}},
        {"<type value=\"read\"/>", {.need = 3}},
        {"<type><text>inhibitor</text></type>", {.inhibit = 3}},
        {"<arctype><text>normal</text></arctype>", {.need = 3, .consume = 3}},
        {"<arctype><text>inhibitor</text></arctype>", {.inhibit = 3}},
        {"<arctype><text> Test\n</text></arctype>", {.need = 3}},
        {"<arctype><text>read</text></arctype>", {.need = 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<pnml><net id='n'><place id='p'/><transition id='t'/><arc source='p' target='t'>"
                 "%s<inscription><text>3</text></inscription></arc></net></pnml>",
                 cases[i].label);
        struct net *net = must_read(text);
        assert_arc(net, 0, 0, cases[i].wanted);
        net_free(net);
    }
}

static void test_thresholds_default_to_one(void **state)
{
    (void)state;
    struct net *net = must_read("<pnml><net id='n'><place id='p'/><place id='q'/><transition id='t'/>"
                                "<arc source='p' target='t'><type value='inhibitor'/></arc>"
                                "<arc source='q' target='t'><type value='test'/></arc></net></pnml>");
    assert_arc(net, 0, 0, (struct net_arc){.inhibit = 1});
    assert_arc(net, 0, 1, (struct net_arc){.need = 1});
    net_free(net);
}

static void test_pages_references_and_order(void **state)
{
    (void)state;
    struct net *net =
        must_read("<x:pnml xmlns:x='urn:x'><x:net id='n'><x:arc source='r1' target='s'/><x:place id='outside'/>\n"
                  "<x:page id='g1'><x:referencePlace id='r1' ref='r2'/>\n"
                  "<x:page id='g2'><x:referencePlace id='r2' ref='r3'/><x:referencePlace id='r3' ref='inner'/>\n"
                  "<x:referenceTransition id='s' ref='t'/></x:page></x:page>\n"
                  "<x:page id='g3'><x:place id='inner'/><x:transition id='t'/>\n"
                  "<x:arc source='t' target='r2'/></x:page></x:net></x:pnml>\n");
    assert_int_equal(net->places, 2);
    assert_int_equal(net->transitions, 1);
    assert_string_equal(net->place_id[1], "inner");
    assert_arc(net, 0, 1, (struct net_arc){.need = 1, .consume = 1, .produce = 1});
    assert_arc(net, 0, 0, (struct net_arc){0});
    net_free(net);
}

static void test_prefix_without_declaration(void **state)
{
    (void)state;
    struct net *net = must_read("<q:pnml><q:net id='n'><q:place id='p'/></q:net></q:pnml>");
    assert_int_equal(net->places, 1);
    net_free(net);
}

static void test_net_types(void **state)
{
    (void)state;
    static const char *const types[] = {"http://www.pnml.org/version-2009/grammar/ptnet",
                                        "http://www.informatik.hu-berlin.de/top/pntd/ptNetb",
                                        "http://www.pnml.org/version-2009/grammar/pnmlcoremodel",
                                        "P/T net",
                                        "ptnet",
                                        "PTNet",
                                        ""};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[256];
        snprintf(text, sizeof text, "<pnml><net id='n' type='%s'><place id='p'/></net></pnml>", types[i]);
        net_free(must_read(text));
    }
    net_free(must_read("<pnml><net><place id='p'/></net></pnml>"));
}

#define NUPN(safe)                                                                                                     \
    "<pnml><net id='n'><toolspecific tool='nupn' version='1.1'><size places='3' transitions='0' arcs='0'/>\n"          \
    "<structure units='3' root='u0' safe='" safe "'>\n"                                                                \
    "<unit id='u0'><places/><subunits>u1 u2</subunits></unit>\n"                                                       \
    "<unit id='u1'><places>c\n a</places><subunits/></unit>\n"                                                         \
    "<unit id='u2'><places>b</places><subunits/></unit></structure></toolspecific>\n"                                  \
    "<place id='a'/><place id='b'/><place id='c'/></net></pnml>"

static void test_nupn(void **state)
{
    (void)state;
    struct net *net = must_read(NUPN("true"));
    assert_int_equal(net->units, 2);
    assert_int_equal(net->unit[0].count, 2);
    assert_int_equal(net->unit_places[net->unit[0].first], 2);
    assert_int_equal(net->unit_places[net->unit[0].first + 1], 0);
    assert_int_equal(net->unit[1].count, 1);
    assert_int_equal(net->unit_places[net->unit[1].first], 1);
    net_free(net);
    net = must_read(NUPN("false"));
    assert_int_equal(net->units, 2); /* the promise is not needed: units are proved before use */
    net_free(net);
}

static void test_what_is_ignored(void **state)
{
    (void)state;
    struct net *net = must_read("<!DOCTYPE pnml SYSTEM 'http://localhost:1/none.dtd'>\n"
                                "<pnml><?pi?><!-- c --><other/><net id='n'>\n"
                                "<declaration><text>sort</text></declaration><label><text>x</text></label>\n"
                                "<toolspecific tool='other'><place id='no'/><structure><unit><places>zz</places>\n"
                                "</unit></structure></toolspecific>\n"
                                "<place id='p'><toolspecific tool='x'><initialMarking><text>9</text></initialMarking>\n"
                                "</toolspecific><name><![CDATA[no]]><text><![CDATA[a<b]]></text></name></place>\n"
                                "</net></pnml>");
    assert_int_equal(net->places, 1);
    assert_int_equal(net->initial[0], 0);
    assert_string_equal(net->place_name[0], "a<b");
    net_free(net);
}

/* ------------------------------------------------------------------ errors */

#define NET(content) "<pnml>\n<net id='n'>\n" content "</net>\n</pnml>\n"
#define PT "<place id='p'/><transition id='t'/>\n"
#define WEIGHT(text) NET(PT "<arc source='p' target='t'>\n<inscription>\n <text>" text "</text></inscription></arc>\n")
#define MARKING(text) NET("<place id='p'>\n<initialMarking><text>" text "</text></initialMarking></place>\n")

static const struct wrong_input {
    const char *text;
    unsigned line, column; /* column 0: not looked at */
    const char *message;   /* a piece of it */
    const char *hint;      /* a piece of it, or NULL */
} wrong_inputs[] = {
    {"", 1, 1, "empty", "<pnml>"},
    {"not XML at all\n", 1, 1, "not well-formed XML", "<pnml>"},
    {"<pnml>\n<net id='n'>\n<place id='p'>", 3, 0, "ends before the root element", NULL},
    {"<pnml>\n<net id='n'></pnml>\n", 2, 0, "mismatch", NULL},
    {"<pnml>\n<net id='n'/></pnml>\n<more/>", 3, 0, "follows the root element", NULL},
    {"<pnml>\n<net id='\xFF'/></pnml>", 2, 0, "UTF-8", NULL},
    {"<html>\n<net id='n'/></html>", 1, 1, "the root element is <html>", "not PNML"},
    {"<pnml>\n</pnml>", 1, 1, "holds no <net>", NULL},
    {"<pnml>\n <net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>", 2, 2,
     "'http://www.pnml.org/version-2009/grammar/symmetricnet' is not supported", "unfold"},
    {"<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/highlevelnet'/></pnml>", 1, 7, "highlevelnet",
     NULL},
    {"<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/pt-hlpng'/></pnml>", 1, 7, "pt-hlpng", NULL},
    {"<pnml><net id='n' type='coloured'/></pnml>", 1, 7, "'coloured'", NULL},
    {"<pnml><net id='n'/>\n<net id='m'/></pnml>", 2, 1, "second net", "file of its own"},
    {NET("<place id='p'><hlinitialMarking/></place>\n"), 3, 15, "high-level", "unfold"},
    {NET("<transition id='t'><condition/></transition>\n"), 3, 20, "high-level", "unfold"},
    {NET(PT "<transition id='p'/>\n"), 4, 1, "the id 'p' is used twice", NULL},
    {NET(PT "<referencePlace id='t' ref='p'/>\n"), 4, 1, "the id 't' is used twice", NULL},
    {NET("<place/>\n"), 3, 1, "<place> has no id", NULL},
    {NET("<place id='p'/>\n  <transition id=''/>\n"), 4, 3, "<transition> has no id", NULL},
    {NET(PT "<arc target='t'/>\n"), 4, 1, "<arc> has no source", NULL},
    {NET(PT "<arc source='p'/>\n"), 4, 1, "<arc> has no target", NULL},
    {NET("<referencePlace id='r'/>\n"), 3, 1, "<referencePlace> has no ref", NULL},
    {NET(PT "<!-- <arc> -->\n<arc source='nowhere' target='t'/>\n"), 5, 1, "the source of an arc, 'nowhere'", NULL},
    {NET(PT " <arc source='p' target='nowhere'/>\n"), 4, 2, "the target of an arc, 'nowhere'", NULL},
    {NET(PT "<arc source='p' target='p'/>\n"), 4, 1, "from a place to a place", NULL},
    {NET(PT "<arc source='t' target='t'/>\n"), 4, 1, "from a transition to a transition", NULL},
    {NET(PT "<arc source='t' target='p'>\n<type value='inhibitor'/></arc>\n"), 4, 1, "an inhibitor arc leads from",
     NULL},
    {NET(PT "<arc source='t' target='p'>\n<type value='test'/></arc>\n"), 4, 1, "a read arc leads from", NULL},
    {NET(PT "<arc source='p' target='t'>\n<type value='timed'/></arc>\n"), 5, 1, "arc type 'timed'", "inhibitor"},
    {NET(PT "<arc source='p' target='t' type='tapn'/>\n"), 4, 1, "arc type 'tapn'", NULL},
    {NET(PT "<arc source='p' target='t'>\n<arctype><text>reset</text></arctype></arc>\n"), 5, 10, "'reset'", NULL},
    {NET(PT "<arc source='p' target='t'>\n<type/></arc>\n"), 5, 1, "<type> has no value", NULL},
    {NET(PT "<arc source='p' target='t'><type value='test'/>\n<type value='read'/></arc>\n"), 5, 1, "twice", NULL},
    {NET("<referencePlace id='r' ref='gone'/>\n"), 3, 1, "'r' refers to 'gone', which does not exist", NULL},
    {NET("<referencePlace id='a' ref='b'/>\n<referencePlace id='b' ref='gone'/>\n"), 4, 1, "'b' refers to 'gone'",
     NULL},
    {NET("<referencePlace id='a' ref='b'/>\n<referencePlace id='b' ref='a'/>\n"), 3, 1, "cycle", NULL},
    {NET("<referencePlace id='a' ref='b'/>\n<referencePlace id='b' ref='b'/>\n"), 3, 1, "cycle", NULL},
    {NET(PT "<referencePlace id='r' ref='t'/>\n"), 4, 1, "'r' refers to 't', which is not a place", NULL},
    {NET(PT "<referenceTransition id='r' ref='p'/>\n"), 4, 1, "which is not a transition", NULL},
    {WEIGHT("0"), 6, 2, "is zero", NULL},
    {WEIGHT("-1"), 6, 2, "is negative: '-1'", NULL},
    {WEIGHT("x"), 6, 2, "is not a number: 'x'", NULL},
    {WEIGHT("1.5"), 6, 2, "is not a number", NULL},
    {WEIGHT("2 2"), 6, 2, "is not a number", NULL},
    {WEIGHT(""), 6, 2, "is not a number", NULL},
    {WEIGHT("2147483648"), 6, 2, "is too large", NULL},
    {WEIGHT("99999999999999999999999999"), 6, 2, "is too large", NULL},
    {WEIGHT("2</text><text>2"), 6, 16, "two texts", NULL},
    {NET(PT "<arc source='p' target='t'><type value='inhibitor'/>\n<inscription><text>0</text></inscription></arc>\n"),
     5, 14, "is zero", NULL},
    {MARKING("-5"), 4, 17, "initial marking is negative", NULL},
    {MARKING("many"), 4, 17, "initial marking is not a number: 'many'", NULL},
    {MARKING("4294967296"), 4, 17, "initial marking is too large", NULL},
    {MARKING("Default,1,Red,1"), 4, 17, "not a number", "colour"},
    {MARKING("Red,1"), 4, 17, "not a number", "colour"},
    {NET("<place id='p'><initialMarking/>\n<initialMarking/></place>\n"), 4, 1, "initial marking is given twice", NULL},
    {NET("<place id='p'><capacity>\n<value>3</value></capacity></place>\n"), 4, 1, "capacity", NULL},
    {NET("<place id='p' initialMarking='1'/>\n"), 3, 1, "as an attribute", "TAPAAL"},
    {NET("<place id='p'/><toolspecific tool='nupn'><structure safe='true'><unit id='u'>\n"
         "<places>p gone</places></unit></structure></toolspecific>\n"),
     4, 1, "a NUPN unit names 'gone'", NULL},
    {NET("<place id='p'/><transition id='t'/><toolspecific tool='nupn'><structure><unit id='u'>\n"
         "<places>t</places></unit></structure></toolspecific>\n"),
     4, 1, "a NUPN unit names 't'", NULL},
    {"<?xml version='1.0'?>\n<!DOCTYPE pnml [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<pnml/>", 2, 1, "entities",
     "DOCTYPE"},
    {"<!DOCTYPE pnml SYSTEM 'none.dtd'>\n<pnml><net id='n&x;'/></pnml>", 2, 0, "'x'", NULL},
    {"<!DOCTYPE pnml SYSTEM 'none.dtd'>\n<pnml><net id='n'>&x;</net></pnml>", 2, 0, "'x'", NULL},
};

static void test_wrong_inputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_inputs / sizeof *wrong_inputs; i++) {
        const struct wrong_input *wrong = &wrong_inputs[i];
        struct portolan_error error;
        struct net *net;
        enum portolan_status status = read_text(wrong->text, &net, &error);
        bool as_claimed = status == PORTOLAN_BAD_INPUT && error.status == status && error.line == wrong->line &&
                          error.column && (!wrong->column || error.column == wrong->column) &&
                          strstr(error.message, wrong->message) && (!wrong->hint || strstr(error.hint, wrong->hint));
        if (!as_claimed) {
            diagnostic_write(&error, stderr);
            fail_msg("status %d for input %zu, expected %u:%u and '%s':\n%s", status, i, wrong->line, wrong->column,
                     wrong->message, wrong->text);
        }
        assert_null(net);
        assert_string_equal(error.file, "test.pnml");
        assert_int_equal(pnml_read_memory("x", wrong->text, strlen(wrong->text), &net, NULL), status);
    }
}

static void test_source_line(void **state)
{
    (void)state;
    struct portolan_error error;
    struct net *net;
    read_text(NET("\t<place id='p'/> <place id='p'/>\r\n"), &net, &error);
    assert_string_equal(error.source, "\t<place id='p'/> <place id='p'/>");
    assert_int_equal(error.column, 18);
    /* a tag far to the right in a long line: no line rather than one without the tag */
    char text[2048];
    snprintf(text, sizeof text, "<pnml><net id='n'>%1500s<place/></net></pnml>", "");
    read_text(text, &net, &error);
    assert_int_equal(error.column, 1519);
    assert_string_equal(error.source, "");
}

static void test_parallel_arcs_overflow(void **state)
{
    (void)state;
#define HEAVY "<arc source='p' target='t'><inscription><text>2147483647</text></inscription></arc>"
    struct portolan_error error;
    struct net *net;
    assert_int_equal(read_text(NET(PT HEAVY HEAVY), &net, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "parallel arcs"));
    net = must_read(NET(PT HEAVY));
    assert_arc(net, 0, 0, (struct net_arc){.need = INT32_MAX, .consume = INT32_MAX});
    net_free(net);
}

static void test_files(void **state)
{
    (void)state;
    struct portolan_error error;
    struct net *net;
    assert_int_equal(pnml_read("/nonexistent/net.pnml", &net, &error), PORTOLAN_IO);
    assert_string_equal(error.file, "/nonexistent/net.pnml");
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(pnml_read("/", &net, &error), PORTOLAN_IO);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(pnml_read("/", &net, NULL), PORTOLAN_IO);

    char path[] = "/tmp/test_pnml_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    for (int i = 0; i < 70000; i++) /* more lines than libxml2 counts */
        fputs(i ? "\n" : "<pnml><net id='n'>", file);
    fputs("\n  <place/></net></pnml>", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(pnml_read(path, &net, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(error.line, 70001);
    assert_int_equal(error.column, 3);
    assert_string_equal(error.source, "  <place/></net></pnml>");
    unlink(path);
}

/* Reads text from a pipe as standard input. */
static enum portolan_status read_piped(const char *text, struct net **net, struct portolan_error *error)
{
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    enum portolan_status status = pnml_read("-", net, error);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    return status;
}

static void test_standard_input(void **state)
{
    (void)state;
    struct portolan_error error;
    struct net *net;
    assert_int_equal(read_piped(NET(PT), &net, &error), PORTOLAN_OK);
    assert_int_equal(net->places, 1);
    net_free(net);
    assert_int_equal(read_piped(NET(PT "  <place id='p'/>\n"), &net, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.file, "<stdin>"); /* it cannot be read again: the line is known, its text is not */
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 1);
    assert_string_equal(error.source, "");
}

/* ----------------------------------------------------------------- hostile */

static void assert_refused_quickly(const char *text, const char *message)
{
    struct portolan_error error;
    struct net *net;
    clock_t start = clock();
    assert_int_equal(read_text(text, &net, &error), PORTOLAN_BAD_INPUT);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    if (!strstr(error.message, message))
        fail_msg("expected '%s', got '%s'", message, error.message);
}

static void test_entity_bombs(void **state)
{
    (void)state;
    static const char *const uses[] = {"<pnml><net id='&m;'/></pnml>", "<pnml a='&m;'><net id='n'/></pnml>",
                                       "<pnml><net id='n'><name><text>&m;</text></name></net></pnml>"};
    char declarations[4096] = "<!DOCTYPE pnml [<!ENTITY a 'lollollollol'>";
    for (char name = 'b'; name <= 'm'; name++) {
        char declaration[128] = "";
        int length = snprintf(declaration, sizeof declaration, "<!ENTITY %c '", name);
        for (int i = 0; i < 10; i++)
            length += snprintf(declaration + length, sizeof declaration - (size_t)length, "&%c;", name - 1);
        strcat(strcat(declarations, declaration), "'>\n");
    }
    strcat(declarations, "]>\n");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s", declarations, uses[i]);
        assert_refused_quickly(text, "entities");
    }
}

/* The opening, then numbered pieces, then the closing. */
static char *repeated(const char *opening, const char *before, const char *after, int count, const char *closing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(opening, out);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d%s", before, i, after);
    fputs(closing, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_monsters(void **state)
{
    (void)state;
    static const struct {
        const char *opening, *before, *after, *closing;
        int count;
        const char *message;
    } cases[] = {
        {"<pnml><net id='n'>", "<page id='g", "'>\n", "", 100000, "nested more than"},
        {"<pnml><net id='n' ", "a", "='' ", "/></pnml>", 2000, "attributes"},
        {"<pnml><net id='n' a='", ">", "", "", 500000, "markup longer than"},
        {"<pnml><net id='n'><![CDATA[", "]>", "", "]]></net></pnml>", 500000, "markup longer than"},
        {"<pnml><net id='n'>&", "a", "", "", 500000, "markup longer than"},
        {"<pnml><net id='n'><name><text>", " ", "", "</text></name></net></pnml>", 20000, "text is longer than"},
        {"<pnml><net id='", "n", "", "'/></pnml>", 20000, "text is longer than"},
        {"<pnml><net id='n'><toolspecific>", "n", "", "</toolspecific></net></pnml>", 3000000, "longer than 10 MB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].opening, cases[i].before, cases[i].after, cases[i].count, cases[i].closing);
        assert_refused_quickly(text, cases[i].message);
        free(text);
    }
}

static void test_long_chain_of_references(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("<pnml><net id='n'>", out);
    for (int i = 0; i < LENGTH; i++)
        fprintf(out, "<referencePlace id='r%d' ref='r%d'/>", i, i + 1);
    fprintf(out, "<place id='r%d'/><transition id='t'/><arc source='r0' target='t'/></net></pnml>", LENGTH);
    assert_int_equal(fclose(out), 0);
    struct net *net = must_read(text);
    assert_int_equal(net->places, 1);
    assert_arc(net, 0, 0, (struct net_arc){.need = 1, .consume = 1});
    net_free(net);
    free(text);
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 20 MB of graphics around a handful of nodes must not cost 20 MB. */
static void test_large_file_in_little_memory(void **state)
{
    (void)state;
    char path[] = "/tmp/test_pnml_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs("<pnml><net id='n'><page id='g'>\n", file);
    for (int p = 0; p < 100; p++) {
        fprintf(file, "<place id='p%d'><graphics>\n", p);
        for (int i = 0; i < 4000; i++)
            fprintf(file, "  <position x='%d' y='%d'/> <fill color='red'/>\n", i, p);
        fputs("</graphics><toolspecific tool='x'>", file);
        for (int i = 0; i < 2000; i++)
            fputs("some text<br/> ", file);
        fputs("</toolspecific></place>\n", file);
    }
    fputs("</page></net></pnml>\n", file);
    assert_true(ftell(file) > 20 * 1000 * 1000);
    assert_int_equal(fclose(file), 0);

    struct net *net;
    long before = peak_kilobytes();
    assert_int_equal(pnml_read(path, &net, NULL), PORTOLAN_OK);
    long growth = peak_kilobytes() - before;
    unlink(path);
    assert_int_equal(net->places, 100);
    net_free(net);
    if (!SANITIZED) /* which keep freed memory in quarantine */
        assert_true(growth < 4096);
}

/* -------------------------------------------------------------- round trip */

static void assert_same_text(const char *left, const char *right)
{
    assert_int_equal(!left, !right);
    if (left)
        assert_string_equal(left, right);
}

static void assert_same_net(const struct net *left, const struct net *right)
{
    assert_string_equal(left->name, right->name);
    assert_int_equal(left->places, right->places);
    assert_int_equal(left->transitions, right->transitions);
    for (uint32_t p = 0; p < left->places; p++) {
        assert_string_equal(left->place_id[p], right->place_id[p]);
        assert_same_text(left->place_name[p], right->place_name[p]);
        assert_int_equal(left->initial[p], right->initial[p]);
    }
    for (uint32_t t = 0; t < left->transitions; t++) {
        assert_string_equal(left->transition_id[t], right->transition_id[t]);
        assert_same_text(left->transition_name[t], right->transition_name[t]);
        assert_int_equal(left->arc_offset[t + 1], right->arc_offset[t + 1]);
    }
    uint32_t arcs = left->arc_offset[left->transitions];
    assert_memory_equal(left->arc, right->arc, arcs * sizeof *left->arc + !arcs);
    assert_int_equal(left->units, right->units);
    for (uint32_t u = 0; u < left->units; u++) {
        assert_int_equal(left->unit[u].count, right->unit[u].count);
        assert_memory_equal(left->unit_places + left->unit[u].first, right->unit_places + right->unit[u].first,
                            left->unit[u].count * sizeof *left->unit_places);
    }
}

static void assert_round_trip(const struct net *net)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(pnml_write(net, out));
    assert_int_equal(fclose(out), 0);
    struct net *back = must_read(text);
    assert_same_net(net, back);
    net_free(back);
    free(text);
}

static uint32_t next_random(uint32_t *seed, uint32_t bound)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % bound;
}

static const char *random_name(uint32_t *seed, char *out, size_t size)
{
    static const char *const pieces[] = {"a",        "<",    ">",    "&",    "\"",  "'",
                                         "\xC3\xA9", "x\ty", "x\ny", "x\ry", "]]>", "arc_"};
    out[0] = '\0';
    for (uint32_t i = 0; i <= next_random(seed, 6); i++)
        strncat(out, pieces[next_random(seed, sizeof pieces / sizeof *pieces)], size - strlen(out) - 1);
    return out;
}

static struct net *random_net(uint32_t seed)
{
    char name[64], id[96];
    struct net_builder *builder = net_builder_new(random_name(&seed, name, sizeof name));
    uint32_t places = next_random(&seed, 12), transitions = next_random(&seed, 12);
    for (uint32_t p = 0; p < places; p++) {
        snprintf(id, sizeof id, "%s%u", next_random(&seed, 2) ? "arc" : random_name(&seed, name, sizeof name), p);
        net_builder_place(builder, id, next_random(&seed, 2) ? random_name(&seed, name, sizeof name) : NULL,
                          next_random(&seed, 3) ? next_random(&seed, 3) : NET_MAX_TOKENS);
    }
    for (uint32_t t = 0; t < transitions; t++) {
        snprintf(id, sizeof id, "%s-%u", random_name(&seed, name, sizeof name), t);
        net_builder_transition(builder, id, next_random(&seed, 2) ? random_name(&seed, name, sizeof name) : NULL);
    }
    for (uint32_t i = next_random(&seed, 60); places && transitions && i > 0; i--)
        net_builder_arc(builder, (enum net_arc_kind)next_random(&seed, 4), next_random(&seed, places),
                        next_random(&seed, transitions), 1 + next_random(&seed, next_random(&seed, 2) ? 3 : 1000000));
    return net_builder_finish(builder, NULL);
}

static void test_random_nets_round_trip(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        struct net *net = random_net(seed);
        assert_non_null(net);
        assert_round_trip(net);
        net_free(net);
    }
}

static void test_units_round_trip(void **state)
{
    (void)state;
    struct net_builder *builder = net_builder_new("units");
    uint32_t order[100];
    for (uint32_t p = 0; p < 100; p++) {
        char id[16];
        snprintf(id, sizeof id, "p%u", p);
        net_builder_place(builder, id, NULL, 0);
        order[p] = 99 - p;
    }
    net_builder_unit(builder, order, 60);
    net_builder_unit(builder, order + 60, 1);
    net_builder_unit(builder, order + 61, 39);
    struct net *net = net_builder_finish(builder, NULL);
    assert_round_trip(net);
    net_free(net);
}

static void test_write_failure(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct net *net = must_read(NET(PT));
    assert_false(pnml_write(net, full));
    fclose(full);
    net_free(net);
}

/* ------------------------------------------------- Model Checking Contest */

/* Models are not part of the repository: looked for beside it. */
#define MODELS SOURCE_DIR "/../shared/models/mcc"

static void test_contest_models(void **state)
{
    (void)state;
    FILE *answers = fopen(MODELS "/answers.csv", "r");
    if (!answers) {
        print_message("no models at %s\n", MODELS);
        skip();
    }
    char row[512];
    unsigned read = 0;
    assert_non_null(fgets(row, sizeof row, answers));
    while (fgets(row, sizeof row, answers)) {
        char instance[128], path[1024];
        unsigned places, transitions;
        assert_int_equal(sscanf(row, "%127[^,],%u,%u", instance, &places, &transitions), 3);
        snprintf(path, sizeof path, "%s/%s.pnml", MODELS, instance);
        struct net *net;
        struct portolan_error error;
        if (pnml_read(path, &net, &error) != PORTOLAN_OK)
            fail_msg("%s: %s", path, error.message);
        assert_int_equal(net->places, places);
        assert_int_equal(net->transitions, transitions);
        assert_string_equal(net->name, instance);
        assert_round_trip(net);
        net_free(net);
        read++;
    }
    fclose(answers);
    print_message("%u models read\n", read);
}

static void test_corpus(void **state)
{
    (void)state;
    DIR *corpus = opendir(SOURCE_DIR "/tests/fuzz/corpus/pnml");
    assert_non_null(corpus);
    unsigned fine = 0;
    for (const struct dirent *entry; (entry = readdir(corpus));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SOURCE_DIR "/tests/fuzz/corpus/pnml", entry->d_name);
        struct net *net;
        fine += pnml_read(path, &net, NULL) == PORTOLAN_OK;
        net_free(net);
    }
    closedir(corpus);
    assert_true(fine >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_file_in_little_memory), /* first: it looks at the peak of the process */
        cmocka_unit_test(test_standard),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_arc_types),
        cmocka_unit_test(test_thresholds_default_to_one),
        cmocka_unit_test(test_pages_references_and_order),
        cmocka_unit_test(test_prefix_without_declaration),
        cmocka_unit_test(test_net_types),
        cmocka_unit_test(test_nupn),
        cmocka_unit_test(test_what_is_ignored),
        cmocka_unit_test(test_wrong_inputs),
        cmocka_unit_test(test_source_line),
        cmocka_unit_test(test_parallel_arcs_overflow),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_entity_bombs),
        cmocka_unit_test(test_monsters),
        cmocka_unit_test(test_long_chain_of_references),
        cmocka_unit_test(test_random_nets_round_trip),
        cmocka_unit_test(test_units_round_trip),
        cmocka_unit_test(test_write_failure),
        cmocka_unit_test(test_contest_models),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
