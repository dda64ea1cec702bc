/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/generate/draw.h"

#include <stdio.h>
#include <string.h>

bool draw_begin(struct drawing *d, const char *name)
{
    *d = (struct drawing){.builder = net_builder_new(name)};
    return d->builder;
}

struct net *draw_finish(struct drawing *d)
{
    names_clear(&d->places);
    if (!d->failed)
        return net_builder_finish(d->builder, NULL);
    net_builder_free(d->builder);
    return NULL;
}

bool draw_let(struct drawing *d, char letter, long value)
{
    d->value[letter - 'a'] = value;
    d->word[letter - 'a'] = NULL;
    return true;
}

void draw_let_word(struct drawing *d, char letter, const char *word)
{
    d->word[letter - 'a'] = word;
}

/* The value of what stands behind an open brace, as text; moves to the brace that closes it. */
static size_t put_value(const struct drawing *d, char *to, size_t size, const char **at)
{
    unsigned letter = (unsigned)(**at - 'a');
    char *end;
    long offset = strtol(*at + 1, &end, 10);
    *at = end;
    if (d->word[letter])
        return (size_t)snprintf(to, size, "%s", d->word[letter]);
    return (size_t)snprintf(to, size, "%ld", d->value[letter] + offset);
}

/* Writes the text with its values into d->text. */
static char *fill(struct drawing *d, const char *text)
{
    size_t length = 0;
    for (; *text && length + 1 < sizeof d->text; text++) {
        if (*text != '{') {
            d->text[length++] = *text;
            continue;
        }
        text++;
        length += put_value(d, d->text + length, sizeof d->text - length, &text);
    }
    if (*text || length >= sizeof d->text) {
        d->failed = true;
        length = 0;
    }
    d->text[length] = '\0';
    return d->text;
}

/* Cuts "name=3" or "name*3" behind the name and returns the number. */
static uint32_t cut_number(char *word, const char *sign, uint32_t usual)
{
    char *at = strpbrk(word, sign);
    if (!at)
        return usual;
    *at = '\0';
    return (uint32_t)strtoul(at + 1, NULL, 10);
}

void draw_places(struct drawing *d, const char *text)
{
    char *rest = fill(d, text), *word;
    while ((word = strtok_r(rest, " ", &rest))) {
        uint32_t tokens = cut_number(word, "=", 0), number;
        d->failed |= !names_add(&d->places, word, &number);
        net_builder_place(d->builder, word, NULL, tokens);
    }
}

void draw_unit(struct drawing *d, const char *text)
{
    uint32_t first = names_count(&d->places);
    draw_places(d, text);
    draw_unit_from(d, first);
}

void draw_unit_from(struct drawing *d, uint32_t first)
{
    uint32_t count = names_count(&d->places) - first;
    uint32_t *places = malloc(count * sizeof *places);
    if (!places)
        return; /* a unit only adds what is known of the net, which is right without it */
    for (uint32_t i = 0; i < count; i++)
        places[i] = first + i;
    net_builder_unit(d->builder, places, count);
    free(places);
}

void draw_variable(struct drawing *d, const char *name, long largest)
{
    uint32_t first = names_count(&d->places);
    for (long value = 0; value <= largest; value++) {
        char place[DRAW_TEXT_BYTES];
        snprintf(place, sizeof place, "%s_is_%ld%s", name, value, value ? "" : "=1");
        draw_places(d, place);
    }
    draw_unit_from(d, first);
}

uint32_t draw_step(struct drawing *d, const char *text)
{
    const char *arcs = strchr(text, ':');
    char *name = fill(d, text);
    name[strcspn(name, ":")] = '\0';
    uint32_t transition = net_builder_transition(d->builder, name, NULL);
    draw_arcs(d, transition, arcs + 1);
    return transition;
}

struct drawn_arc {
    enum net_arc_kind kind;
    uint32_t place, weight;
};

/* The arc of a place on the right of the arrow makes a test of the one that has its place on the left. */
static bool is_test(struct drawn_arc *left, const struct drawn_arc *right)
{
    if (left->kind != NET_CONSUME || left->place != right->place)
        return false;
    left->kind = NET_READ;
    return true;
}

/* Reads arcs as they stand in d->text; returns how many. */
static size_t read_arcs(struct drawing *d, struct drawn_arc *arcs, size_t most)
{
    char *rest = d->text, *word;
    size_t count = 0, put = 0;
    enum net_arc_kind kind = NET_CONSUME;
    while (count < most && (word = strtok_r(rest, " ", &rest))) {
        struct drawn_arc arc = {.kind = kind};
        if (strcmp(word, "->") == 0)
            kind = NET_PRODUCE;
        else if (strcmp(word, "test") == 0)
            kind = NET_READ;
        else if (strcmp(word, "unless") == 0)
            kind = NET_INHIBIT;
        else {
            arc.weight = cut_number(word, "*", 1);
            d->failed |= !names_find(&d->places, word, &arc.place);
            if (kind != NET_PRODUCE || put++ >= count || !is_test(&arcs[put - 1], &arc))
                arcs[count++] = arc;
        }
    }
    d->failed |= count == most;
    return count;
}

void draw_arcs(struct drawing *d, uint32_t transition, const char *text)
{
    struct drawn_arc arcs[16];
    fill(d, text);
    size_t count = read_arcs(d, arcs, sizeof arcs / sizeof arcs[0]);
    for (size_t i = 0; i < count; i++)
        net_builder_arc(d->builder, arcs[i].kind, arcs[i].place, transition, arcs[i].weight);
}
