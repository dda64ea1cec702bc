/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chart goes down the page.  A step is a box on the lifeline of its process, with what it does beside it and its
 * number in the margin: first what it receives, a row each, then what it sends.  An arrow starts where the message was
 * sent and ends where it is received; its colour is that of the sender.  A message that nobody has received at the end
 * is a short dashed arrow, a lost one ends in a cross.  Below what a step does stands what it changes; pointing at it
 * shows the state it leads to, and what is on its way then.  Texts are put where they cover the least.
 */
#include "report/msc.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "report/escape.h"
#include "report/step.h"
#include "report/words.h"
#include "system/stepper.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 100,
    APART = 190,
    WIDEST = 420,
    TOP = 70,
    ROW = 22,
    HALF_BOX = 5,
    LETTER = 6,
    LINE = 14,
    MOST_CHANGES = 4
};

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

static void print_actor(void *user, uint32_t process, const char *text, bool stops)
{
    const struct printing *p = user;
    (void)stops;
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

static void print_on_way(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    struct printing *p = user;
    const char *name = p->system->messages->process_name(p->system->model, to);
    (void)event;
    (void)from;
    if (!p->any)
        fprintf(p->out, "%*son their way:", p->indent, "");
    fprintf(p->out, "%s %s to %s", p->any ? "," : "", text, name);
    p->any = true;
}

void messages_on_way_print(const struct portolan_system *system, const void *state, int indent, FILE *out)
{
    struct printing printing = {.system = system, .out = out, .indent = indent};
    if (!system->messages->waiting)
        return;
    system->messages->waiting(system->model, state,
                              &(struct portolan_message_receiver){.user = &printing, .message = print_on_way});
    if (printing.any)
        fputc('\n', out);
}

/* ----------------------------------------------------------------------- chart */

struct arrow {
    uint32_t from, to;
    int sent_at, end_at; /* end_at 0: on its way */
    bool is_lost;
    char *text;
};

struct box { /* a step */
    uint32_t process;
    int top, received, bottom; /* below `received` it changes variables, at the bottom it sends */
    bool stops;
    char *text;
    char *changes; /* lines */
    char *tip;     /* the state afterwards */
};

struct area { /* that a text covers */
    int x, y, width;
};

struct chart {
    VECTOR(struct arrow) arrows;
    VECTOR(struct box) boxes;
    VECTOR(struct area) texts;
    int y, apart; /* lifelines */
    bool failed;
};

static void on_acts(void *user, uint32_t process, const char *text, bool stops)
{
    struct chart *c = user;
    struct box box = {.process = process, .top = c->y, .stops = stops, .text = strdup(text)};
    if (!box.text || !vector_push(&c->boxes, box)) {
        free(box.text);
        c->failed = true;
    }
    c->y += ROW;
}

/* Of equal messages the oldest on its way; when there is none, the last that arrived: it was duplicated. */
static struct arrow *find_sent(const struct chart *c, uint32_t from, uint32_t to, const char *text)
{
    struct arrow *match = NULL;
    for (size_t i = 0; i < c->arrows.count; i++) {
        struct arrow *a = &c->arrows.item[i];
        if (a->from == from && a->to == to && strcmp(a->text, text) == 0 && (!match || match->end_at))
            match = a;
    }
    return match;
}

static void on_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    struct chart *c = user;
    struct arrow *match = event == PORTOLAN_SENT ? NULL : find_sent(c, from, to, text);
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

/* --- texts */

static int width_of(const char *text)
{
    return LETTER * (int)strlen(text);
}

/* How much of the texts so far one here would cover. */
static int covered(const struct chart *c, int x, int y, int width)
{
    int sum = 0;
    for (size_t i = 0; i < c->texts.count; i++) {
        const struct area *a = &c->texts.item[i];
        int left = x > a->x ? x : a->x, right = x + width < a->x + a->width ? x + width : a->x + a->width;
        int above = abs(y - a->y);
        if (left < right && above < LINE)
            sum += (right - left) * (LINE - above);
    }
    return sum;
}

static const char *const colours[] = {"#1f5fa8", "#b3541e", "#2e7d32", "#7b1fa2",
                                      "#00838f", "#ad1457", "#5d4037", "#455a64"};
enum { COLOURS = sizeof colours / sizeof *colours };

static int lifeline(const struct chart *c, uint32_t process)
{
    return LEFT + c->apart * (int)process;
}

static void draw_tip(const struct box *box, FILE *out)
{
    fputs("<title>", out);
    write_escaped(out, box->tip ? box->tip : box->text);
    fputs("</title>", out);
}

/* On white, so that the lines below can be read past; others keep clear of it. */
static void draw_text(struct chart *c, int x, int y, const char *colour, const char *text, const struct box *box,
                      FILE *out)
{
    c->failed |= !vector_push(&c->texts, ((struct area){x, y, width_of(text)}));
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"white\" fill-opacity=\"0.85\"/>\n"
            "<text x=\"%d\" y=\"%d\" font-size=\"11\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\">",
            x - 1, y - 10, width_of(text) + 2, LINE - 1, x, y, width_of(text), colour);
    if (box)
        draw_tip(box, out);
    write_escaped(out, text);
    fprintf(out, "</text>\n");
}

/* What a step does, and what it changes. */
static void draw_words(struct chart *c, const struct box *box, FILE *out)
{
    int x = lifeline(c, box->process) + HALF_BOX + 4, y = box->received - LINE + 2;
    draw_text(c, x, box->top + 10, box->stops ? "#c00" : "#000", box->text, box, out);
    for (char *line = box->changes, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        *end++ = '\0';
        draw_text(c, x, y += LINE, "#667", line, box, out);
    }
}

/* --- lines */

struct line {
    int x1, y1, x2, y2;
};

static struct line line_of(const struct chart *c, const struct arrow *a)
{
    int from = lifeline(c, a->from), to = lifeline(c, a->to), side = from < to ? HALF_BOX : -HALF_BOX;
    struct line line = {from + side, a->sent_at, to - side, a->end_at ? a->end_at : a->sent_at + ROW};
    if (a->from == a->to) /* to itself: from right to right */
        line.x1 = line.x2 = from + HALF_BOX;
    if (a->is_lost)
        line.x2 = line.x1 + (line.x2 - line.x1) * 4 / 5;
    if (!a->end_at)
        line.x2 = line.x1 + (from > to ? -APART : APART) / 4;
    return line;
}

static void draw_line(const struct chart *c, const struct arrow *a, FILE *out)
{
    struct line l = line_of(c, a);
    int bend = a->from == a->to && a->end_at ? APART / 4 : 0;
    const char *colour = a->is_lost ? "#c00" : colours[a->from % COLOURS];
    fprintf(out, "<path d=\"M%d,%d C%d,%d %d,%d %d,%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" ", l.x1, l.y1,
            bend ? l.x1 + bend : l.x1, l.y1, bend ? l.x2 + bend : l.x2, l.y2, l.x2, l.y2, colour);
    if (!a->end_at)
        fprintf(out, "stroke-dasharray=\"5 3\" ");
    if (a->is_lost)
        fprintf(out, "/>\n<path d=\"M%d,%d l10,10 m0,-10 l-10,10\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", l.x2 - 5,
                l.y2 - 5, colour);
    else
        fprintf(out, "marker-end=\"url(#head%u)\"/>\n", a->from % COLOURS);
}

/* The place along the arrow, or of one on its way at the head, at which the least is covered. */
static void name_arrow(struct chart *c, const struct arrow *a, const char *text, FILE *out)
{
    static const int places[] = {72, 60, 50, 82, 40, 30, 20, 90, 10};
    struct line l = line_of(c, a);
    int width = width_of(text), best = -1, x = 0, y = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && best != 0; i++) {
        int left = l.x1 + (l.x2 - l.x1) * places[i] / 100 - width / 2, low = l.y1 + (l.y2 - l.y1) * places[i] / 100 + 4;
        if (a->from == a->to)
            left = l.x1 + APART / 5;
        if (!a->end_at) {
            left = l.x2 < l.x1 ? l.x2 - width - 3 : l.x2 + 3;
            low = l.y2 + 4 + (int)i * LINE / 2;
        }
        int cost = covered(c, left, low, width);
        if (best < 0 || cost < best) {
            best = cost;
            x = left;
            y = low;
        }
    }
    draw_text(c, x, y, a->is_lost ? "#c00" : colours[a->from % COLOURS], text, NULL, out);
}

/* Of one that is still on its way the head does not tell for whom it is. */
static void draw_arrow_text(const struct portolan_system *system, struct chart *c, const struct arrow *a, FILE *out)
{
    char text[320];
    snprintf(text, sizeof text, "%.200s to %.100s", a->text, system->messages->process_name(system->model, a->to));
    name_arrow(c, a, a->end_at && !a->is_lost ? a->text : text, out);
}

static void draw_box(struct chart *c, const struct box *box, size_t number, FILE *out)
{
    int x = lifeline(c, box->process);
    for (int y = box->top; y < box->bottom; y += LINE) /* no text goes over it */
        c->failed |= !vector_push(&c->texts, ((struct area){x - HALF_BOX, y + LINE, 2 * HALF_BOX}));
    fprintf(out, "<text x=\"12\" y=\"%d\" font-size=\"10\" fill=\"#888\">%zu</text>\n", box->top + 10, number);
    const char *colour = box->stops ? "#c00" : colours[box->process % COLOURS];
    fprintf(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\" fill-opacity=\"0.25\" stroke=\"%s\">",
        x - HALF_BOX, box->top, 2 * HALF_BOX, box->bottom - box->top, colour, colour);
    draw_tip(box, out);
    fputs("</rect>\n", out);
    if (box->stops)
        fprintf(out, "<path d=\"M%d,%d l16,16 m0,-16 l-16,16\" stroke=\"#c00\" stroke-width=\"2.5\"/>\n", x - 8,
                box->bottom - 8);
}

static void draw_name(FILE *out, int x, int y, const char *colour, const char *name)
{
    int width = width_of(name) + 2 * LETTER * 2;
    fprintf(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"26\" rx=\"4\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"2\"/>\n"
        "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" text-anchor=\"middle\">",
        x - width / 2, y, width, colour, x, y + 17);
    write_escaped(out, name);
    fprintf(out, "</text>\n");
}

/* A process that has stopped has no lifeline any more. */
static int end_of_life(const struct chart *c, uint32_t process)
{
    for (size_t i = 0; i < c->boxes.count; i++)
        if (c->boxes.item[i].process == process && c->boxes.item[i].stops)
            return c->boxes.item[i].bottom;
    return c->y;
}

/* --- the page */

static void draw_head(int width, int height, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\">\n<defs>\n",
            width, height, width, height);
    for (unsigned i = 0; i < COLOURS; i++)
        fprintf(out,
                "<marker id=\"head%u\" markerUnits=\"userSpaceOnUse\" markerWidth=\"10\" markerHeight=\"8\" refX=\"9\" "
                "refY=\"4\" orient=\"auto\"><path d=\"M0,0 L10,4 L0,8 z\" fill=\"%s\"/></marker>\n",
                i, colours[i]);
    fprintf(out, "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
}

static void draw_end(int width, int y, const char *end, FILE *out)
{
    fprintf(out,
            "<rect x=\"20\" y=\"%d\" width=\"%d\" height=\"30\" rx=\"4\" fill=\"#fee\" stroke=\"#c00\"/>\n"
            "<text x=\"%d\" y=\"%d\" fill=\"#900\" font-weight=\"bold\" text-anchor=\"middle\">",
            y, width - 40, width / 2, y + 19);
    write_escaped(out, end);
    fprintf(out, "</text>\n");
}

static void draw(const struct portolan_system *system, struct chart *c, const char *end, FILE *out)
{
    const struct portolan_messages *messages = system->messages;
    int width = lifeline(c, messages->processes) + LEFT - APART / 2, height = c->y + (end ? 70 : 20);
    draw_head(width, height, out);
    for (uint32_t p = 0; p < messages->processes; p++) {
        fprintf(out, "<line x1=\"%d\" y1=\"44\" x2=\"%d\" y2=\"%d\" stroke=\"#aaa\"/>\n", lifeline(c, p),
                lifeline(c, p), end_of_life(c, p));
        draw_name(out, lifeline(c, p), 18, colours[p % COLOURS], messages->process_name(system->model, p));
    }
    for (size_t i = 0; i < c->arrows.count; i++)
        draw_line(c, &c->arrows.item[i], out);
    for (size_t i = 0; i < c->boxes.count; i++)
        draw_box(c, &c->boxes.item[i], i + 1, out);
    for (size_t i = 0; i < c->boxes.count; i++)
        draw_words(c, &c->boxes.item[i], out);
    for (size_t i = 0; i < c->arrows.count; i++)
        draw_arrow_text(system, c, &c->arrows.item[i], out);
    if (end)
        draw_end(width, c->y + 20, end, out);
    fprintf(out, "</svg>\n");
}

/* --- states */

/* The name without that of the process, where it is one of its own. */
static const char *short_name(const struct portolan_system *system, uint32_t variable, uint32_t process)
{
    const char *name = system->variable_name(system->model, variable);
    const char *owner = system->messages->process_name(system->model, process);
    size_t length = strlen(owner);
    return strncmp(name, owner, length) == 0 && (name[length] == '.' || name[length] == ':') ? name + length + 1 : name;
}

/* What the step has changed, a line each. */
static unsigned write_changes(const struct stepper *stepper, const struct values *values, uint32_t action,
                              uint32_t process, FILE *out)
{
    const struct portolan_system *system = stepper->system;
    uint32_t count;
    unsigned lines = 0;
    const uint32_t *changed = changed_variables(values, action, &count);
    for (uint32_t i = 0; i < count && lines <= MOST_CHANGES && system->variable_name; i++) {
        struct value_text value;
        uint32_t v = changed[i];
        if (values->before[v] == values->after[v])
            continue;
        if (lines++ == MOST_CHANGES)
            fprintf(out, "...\n");
        else
            fprintf(out, "%.30s = %.30s\n", short_name(system, v, process),
                    value_word(system, v, values->after[v], &value));
    }
    return lines;
}

struct on_way {
    const struct portolan_system *system;
    FILE *out;
    unsigned count;
};

static void write_on_way(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    enum { MOST = 12 };
    struct on_way *w = user;
    const struct portolan_messages *messages = w->system->messages;
    (void)event;
    if (w->count++ == 0)
        fprintf(w->out, "on their way:\n");
    if (w->count <= MOST)
        fprintf(w->out, "  %s from %s to %s\n", text, messages->process_name(w->system->model, from),
                messages->process_name(w->system->model, to));
    else if (w->count == MOST + 1)
        fprintf(w->out, "  ...\n");
}

/* The state after the step: what is no longer as it was at the start, and what is on its way. */
static void write_tip(const struct stepper *stepper, const struct values *values, const struct box *box, FILE *out)
{
    enum { MOST = 24 };
    const struct portolan_system *system = stepper->system;
    unsigned lines = 0;
    fprintf(out, "after step %zu, %s %s:\n", stepper->steps,
            system->messages->process_name(system->model, box->process), box->text);
    for (uint32_t v = 0; v < values->variables && system->variable_name && lines < MOST; v++) {
        struct value_text value;
        if (values->after[v] == values->first[v])
            continue;
        fprintf(out, "  %s = %s\n", system->variable_name(system->model, v),
                value_word(system, v, values->after[v], &value));
        lines++;
    }
    if (lines == MOST)
        fprintf(out, "  ...\n");
    struct on_way way = {.system = system, .out = out};
    if (system->messages->waiting)
        system->messages->waiting(system->model, stepper->state,
                                  &(struct portolan_message_receiver){.user = &way, .message = write_on_way});
}

static char *make_tip(const struct stepper *stepper, const struct values *values, const struct box *box)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory)
        write_tip(stepper, values, box, memory);
    if (memory && fclose(memory) == 0)
        return text;
    free(text);
    return NULL;
}

/* Ends the box of the last step, with what it has changed, and leaves room for the next. */
static void end_step(struct chart *c, const struct stepper *stepper, const struct values *values, uint32_t action)
{
    struct box *box = c->boxes.count ? &c->boxes.item[c->boxes.count - 1] : NULL;
    if (box) {
        size_t size;
        FILE *memory = open_memstream(&box->changes, &size);
        int lines = memory ? (int)write_changes(stepper, values, action, box->process, memory) : 0;
        box->tip = make_tip(stepper, values, box);
        c->failed |= !memory || fclose(memory) != 0 || !box->tip;
        box->received = c->y;
        c->y += lines * LINE;
        box->bottom = c->y;
        for (size_t i = 0; i < c->arrows.count; i++)
            if (c->arrows.item[i].sent_at == box->received && !c->arrows.item[i].end_at)
                c->arrows.item[i].sent_at = box->bottom;
    }
    c->y += ROW;
}

/* So far apart that the longest text fits between two lifelines. */
static void set_apart(struct chart *c)
{
    int widest = 0;
    for (size_t i = 0; i < c->boxes.count; i++) {
        const struct box *box = &c->boxes.item[i];
        widest = width_of(box->text) > widest ? width_of(box->text) : widest;
        for (const char *line = box->changes; line && *line; line = strchr(line, '\n') + 1) {
            int width = LETTER * (int)strcspn(line, "\n");
            widest = width > widest ? width : widest;
        }
    }
    for (size_t i = 0; i < c->arrows.count; i++)
        widest = width_of(c->arrows.item[i].text) > widest ? width_of(c->arrows.item[i].text) : widest;
    widest += 2 * HALF_BOX + 24;
    c->apart = widest < APART ? APART : widest > WIDEST ? WIDEST : widest;
}

static enum portolan_status gather(struct chart *chart, struct portolan_system *system, const uint32_t *actions,
                                   size_t count, struct portolan_error *error)
{
    struct stepper stepper = {0};
    struct values values = {0};
    struct portolan_message_receiver receiver = {chart, on_acts, on_message};
    bool made = stepper_make(&stepper, system) && values_make(&values, system);
    enum portolan_status status = made ? PORTOLAN_OK : fail_memory(error);
    if (made)
        values_take_all(&values, &stepper);
    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++) {
        status = stepper_fire(&stepper, actions[i], error);
        if (status == PORTOLAN_OK) {
            values_take(&values, &stepper, actions[i]);
            system->messages->tell(system->model, stepper.before, actions[i], &receiver);
            end_step(chart, &stepper, &values, actions[i]);
        }
    }
    values_clear(&values);
    stepper_clear(&stepper);
    return status == PORTOLAN_OK && chart->failed ? fail_memory(error) : status;
}

enum portolan_status msc_write(struct portolan_system *system, const uint32_t *actions, size_t count, const char *end,
                               FILE *out, struct portolan_error *error)
{
    struct chart chart = {.y = TOP};
    enum portolan_status status = gather(&chart, system, actions, count, error);
    if (status == PORTOLAN_OK) {
        set_apart(&chart);
        draw(system, &chart, end, out);
    }
    for (size_t i = 0; i < chart.arrows.count; i++)
        free(chart.arrows.item[i].text);
    for (size_t i = 0; i < chart.boxes.count; i++) {
        free(chart.boxes.item[i].text);
        free(chart.boxes.item[i].changes);
        free(chart.boxes.item[i].tip);
    }
    free(chart.arrows.item);
    free(chart.boxes.item);
    free(chart.texts.item);
    return status;
}
