/*
 * A chart goes down the page: each step has a label at the lifeline of its process, arrows end where the message is
 * received and start where it was sent.  A message that nobody has received at the end is a short dashed arrow, a lost
 * one ends in a cross.
 */
#include "report/msc.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "system/stepper.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = 100, APART = 190, TOP = 60, ROW = 20, AFTER = 22 };

bool has_chart(const struct portolan_system *system, struct portolan_error *error)
{
    if (system->messages)
        return true;
    fail(error, PORTOLAN_REFUSED, "a message sequence chart needs processes that exchange messages");
    hint(error, "protocols in .mp files have them");
    return false;
}

/* ------------------------------------------------------------------------ text */

struct printing {
    const struct portolan_system *system;
    FILE *out;
    int indent;
    bool any;
    enum portolan_message_event last;
    char text[256];
};

static void print_actor(void *user, uint32_t process, const char *text)
{
    const struct printing *p = user;
    fprintf(p->out, "%s %s", p->system->messages->process_name(p->system->model, process), text);
}

/* The same text to several processes is one line. */
static void print_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    static const char *const words[] = {"receives", "sends", "loses"};
    struct printing *p = user;
    const struct portolan_messages *messages = p->system->messages;
    const char *other = messages->process_name(p->system->model, event == PORTOLAN_SENT ? to : from);
    if (p->any && p->last == event && strcmp(p->text, text) == 0) {
        fprintf(p->out, ", %s", other);
        return;
    }
    fprintf(p->out, "\n%*s%s %s %s %s", p->indent, "", words[event], text, event == PORTOLAN_SENT ? "to" : "from",
            other);
    p->any = true;
    p->last = event;
    snprintf(p->text, sizeof p->text, "%s", text);
}

void messages_print(const struct portolan_system *system, const void *state, uint32_t action, int indent, FILE *out)
{
    struct printing printing = {.system = system, .out = out, .indent = indent};
    struct portolan_message_receiver receiver = {&printing, print_actor, print_message};
    system->messages->tell(system->model, state, action, &receiver);
}

/* ----------------------------------------------------------------------- chart */

struct arrow {
    uint32_t from, to;
    int sent_at, end_at; /* end_at 0: on its way */
    bool is_lost;
    char *text;
};

struct label {
    uint32_t process;
    int at;
    char *text;
};

struct chart {
    VECTOR(struct arrow) arrows;
    VECTOR(struct label) labels;
    int y;
    bool failed;
};

static void on_acts(void *user, uint32_t process, const char *text)
{
    struct chart *c = user;
    struct label label = {process, c->y, strdup(text)};
    if (!label.text || !vector_push(&c->labels, label)) {
        free(label.text);
        c->failed = true;
    }
    c->y += ROW;
}

static void on_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    struct chart *c = user;
    struct arrow *match = NULL;
    for (size_t i = 0; event != PORTOLAN_SENT && i < c->arrows.count; i++) {
        struct arrow *a = &c->arrows.item[i];
        if (a->from == from && a->to == to && strcmp(a->text, text) == 0 && (!match || match->end_at))
            match = a; /* the oldest on its way; when there is none, the last that arrived: it was duplicated */
    }
    struct arrow arrow = {.from = from, .to = to, .sent_at = match ? match->sent_at : c->y};
    if (event != PORTOLAN_SENT) {
        arrow.end_at = c->y;
        arrow.is_lost = event == PORTOLAN_LOST;
        c->y += ROW;
        if (match && !match->end_at) {
            match->end_at = arrow.end_at;
            match->is_lost = arrow.is_lost;
            return;
        }
    }
    arrow.text = strdup(text);
    if (!arrow.text || !vector_push(&c->arrows, arrow)) {
        free(arrow.text);
        c->failed = true;
    }
}

static void escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static int lifeline(uint32_t process)
{
    return LEFT + APART * (int)process;
}

static void text_at(FILE *out, int x, int y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" %s>", x, y, style);
    escape(out, text);
    fprintf(out, "</text>\n");
}

static void draw_arrow(FILE *out, const struct arrow *a)
{
    int from = lifeline(a->from), to = lifeline(a->to), start = a->sent_at, end = a->end_at ? a->end_at : start + ROW;
    if (a->from == a->to) /* to itself: a small detour */
        from += 30;
    if (!a->end_at || a->is_lost)
        to = from + (to - from) * (a->is_lost ? 4 : 1) / 5;
    fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" %smarker-end=\"url(#head)\"/>\n", from,
            start, to, end, a->is_lost ? "#c00" : "#246", a->end_at ? "" : "stroke-dasharray=\"4 3\" ");
    if (a->is_lost)
        text_at(out, to, end + 5, "fill=\"#c00\" font-size=\"16\" text-anchor=\"middle\"", "x");
    /* near the head, where arrows that were sent together have come apart */
    text_at(out, to + (from - to) * 3 / 10, end + (start - end) * 3 / 10 - 4, "font-size=\"10\" text-anchor=\"middle\"",
            a->text);
}

static void draw(const struct portolan_system *system, const struct chart *c, const char *end, FILE *out)
{
    const struct portolan_messages *messages = system->messages;
    int width = lifeline(messages->processes) - APART + LEFT, height = c->y + 70;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
            "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"#246\"/></marker></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    for (uint32_t p = 0; p < messages->processes; p++) {
        fprintf(out, "<line x1=\"%d\" y1=\"40\" x2=\"%d\" y2=\"%d\" stroke=\"#999\"/>\n", lifeline(p), lifeline(p),
                c->y);
        text_at(out, lifeline(p), 30, "font-weight=\"bold\" text-anchor=\"middle\"",
                messages->process_name(system->model, p));
    }
    for (size_t i = 0; i < c->arrows.count; i++)
        draw_arrow(out, &c->arrows.item[i]);
    for (size_t i = 0; i < c->labels.count; i++) {
        fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"#246\"/>\n", lifeline(c->labels.item[i].process),
                c->labels.item[i].at);
        text_at(out, lifeline(c->labels.item[i].process) + 6, c->labels.item[i].at + 4,
                "font-size=\"11\" fill=\"#070\"", c->labels.item[i].text);
    }
    if (end) {
        fprintf(out, "<rect x=\"20\" y=\"%d\" width=\"%d\" height=\"30\" fill=\"#fee\" stroke=\"#c00\"/>\n", c->y + 15,
                width - 40);
        text_at(out, width / 2, c->y + 35, "text-anchor=\"middle\"", end);
    }
    fprintf(out, "</svg>\n");
}

enum portolan_status msc_write(struct portolan_system *system, const uint32_t *actions, size_t count, const char *end,
                               FILE *out, struct portolan_error *error)
{
    struct chart chart = {.y = TOP};
    struct stepper stepper;
    struct portolan_message_receiver receiver = {&chart, on_acts, on_message};
    enum portolan_status status = stepper_make(&stepper, system) ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++) {
        status = stepper_fire(&stepper, actions[i], error);
        if (status == PORTOLAN_OK) {
            system->messages->tell(system->model, stepper.before, actions[i], &receiver);
            chart.y += AFTER;
        }
    }
    if (status == PORTOLAN_OK && chart.failed)
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        draw(system, &chart, end, out);
    stepper_clear(&stepper);
    for (size_t i = 0; i < chart.arrows.count; i++)
        free(chart.arrows.item[i].text);
    for (size_t i = 0; i < chart.labels.count; i++)
        free(chart.labels.item[i].text);
    free(chart.arrows.item);
    free(chart.labels.item);
    return status;
}
