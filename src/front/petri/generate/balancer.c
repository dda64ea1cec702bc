/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-balancer: clients send requests to a balancer, which routes each to the least loaded server and moves
 * requests when a server that starts on one leaves the loads unequal.  The net is `load_balancer` of the
 * Helena distribution, unfolded; Evangelista and Pajault measure it as `lb` in "Solving the ignoring problem
 * for partial order reduction", table 2.
 *
 * The balancer knows how many requests each server has: a vector of loads.  It has one control place per
 * vector, so the vectors are numbered, those that leave room for one more request first.
 */
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SERVERS = 4 };

struct balancer {
    struct net_builder *b;
    uint32_t clients, servers;
    uint32_t codes;          /* (clients + 1) ^ servers: a vector is coded in that base */
    uint32_t *number;        /* code -> number of the vector */
    uint32_t *code;          /* the converse */
    uint32_t vectors, small; /* vectors with a sum of at most `clients`, and below that */
    uint32_t client_idle, client_waiting, request, answer;
    uint32_t server;       /* per server: idle, then waiting and processing for each client */
    uint32_t routed;       /* routed + client * servers + server */
    uint32_t notification; /* per server */
    uint32_t acknowledged; /* per server */
    uint32_t idle;         /* per vector */
    uint32_t routing;      /* per small vector and client */
    uint32_t balancing;    /* per small vector */
};

/* The weight of a server's load in the code. */
static uint32_t weight(const struct balancer *lb, uint32_t server)
{
    uint32_t power = 1;
    while (server--)
        power *= lb->clients + 1;
    return power;
}

static uint32_t load(const struct balancer *lb, uint32_t code, uint32_t server)
{
    return code / weight(lb, server) % (lb->clients + 1);
}

static uint32_t sum(const struct balancer *lb, uint32_t code)
{
    uint32_t total = 0;
    for (uint32_t s = 0; s < lb->servers; s++)
        total += load(lb, code, s);
    return total;
}

/* The first server with the least load, and the first with the most. */
static uint32_t least(const struct balancer *lb, uint32_t code)
{
    uint32_t found = 0;
    for (uint32_t s = 1; s < lb->servers; s++)
        if (load(lb, code, s) < load(lb, code, found))
            found = s;
    return found;
}

static uint32_t most(const struct balancer *lb, uint32_t code)
{
    uint32_t found = 0;
    for (uint32_t s = 1; s < lb->servers; s++)
        if (load(lb, code, s) > load(lb, code, found))
            found = s;
    return found;
}

static bool number_vectors(struct balancer *lb)
{
    lb->codes = weight(lb, lb->servers);
    lb->number = calloc(lb->codes, sizeof *lb->number);
    lb->code = calloc(lb->codes, sizeof *lb->code);
    if (!lb->number || !lb->code)
        return false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t code = 0; code < lb->codes; code++) {
            uint32_t total = sum(lb, code);
            if (pass ? total != lb->clients : total >= lb->clients)
                continue;
            lb->number[code] = lb->vectors;
            lb->code[lb->vectors++] = code;
        }
        if (pass == 0)
            lb->small = lb->vectors;
    }
    return true;
}

/* "2.0.1": the loads, for an id. */
static const char *loads(const struct balancer *lb, uint32_t vector, char *text, size_t size)
{
    int at = 0;
    for (uint32_t s = 0; s < lb->servers; s++)
        at += snprintf(text + at, size - (size_t)at, s ? ".%u" : "%u", load(lb, lb->code[vector], s));
    return text;
}

static void draw_client_places(struct balancer *lb)
{
    lb->client_idle = 0;
    lb->client_waiting = 1; /* idle and waiting of one client are neighbours */
    for (uint32_t c = 0; c < lb->clients; c++) {
        draw_place(lb->b, 1, "client_idle_%u", c + 1);
        draw_place(lb->b, 0, "client_waiting_%u", c + 1);
        draw_unit(lb->b, 2 * c, 2);
    }
    lb->request = draw_row(lb->b, lb->clients, 0, "request");
    lb->answer = draw_row(lb->b, lb->clients, 0, "answer");
}

static void draw_server_places(struct balancer *lb)
{
    lb->server = lb->answer + lb->clients;
    for (uint32_t s = 1; s <= lb->servers; s++) {
        uint32_t first = draw_place(lb->b, 1, "server_idle_%u", s);
        for (uint32_t c = 1; c <= lb->clients; c++) {
            draw_place(lb->b, 0, "server_waiting_%u_client_%u", s, c);
            draw_place(lb->b, 0, "server_processing_%u_client_%u", s, c);
        }
        draw_unit(lb->b, first, 1 + 2 * lb->clients);
    }
    lb->routed = lb->server + lb->servers * (1 + 2 * lb->clients);
    for (uint32_t c = 1; c <= lb->clients; c++)
        for (uint32_t s = 1; s <= lb->servers; s++)
            draw_place(lb->b, 0, "routed_%u_to_%u", c, s);
    lb->notification = draw_row(lb->b, lb->servers, 0, "notification");
    lb->acknowledged = draw_row(lb->b, lb->servers, 0, "acknowledged");
}

static void draw_balancer_places(struct balancer *lb)
{
    char text[64];
    lb->idle = lb->acknowledged + lb->servers;
    lb->routing = lb->idle + lb->vectors;
    lb->balancing = lb->routing + lb->small * lb->clients;
    for (uint32_t v = 0; v < lb->vectors; v++)
        draw_place(lb->b, v == lb->number[0], "balancer_idle_%s", loads(lb, v, text, sizeof text));
    for (uint32_t v = 0; v < lb->small; v++)
        for (uint32_t c = 1; c <= lb->clients; c++)
            draw_place(lb->b, 0, "routing_%u_at_%s", c, loads(lb, v, text, sizeof text));
    for (uint32_t v = 0; v < lb->small; v++)
        draw_place(lb->b, 0, "balancing_%s", loads(lb, v, text, sizeof text));
    draw_unit(lb->b, lb->idle, lb->vectors + lb->small * (lb->clients + 1));
}

static void draw_clients_and_servers(const struct balancer *lb)
{
    struct net_builder *b = lb->b;
    for (uint32_t c = 0; c < lb->clients; c++) {
        uint32_t idle = lb->client_idle + 2 * c, waiting = lb->client_waiting + 2 * c;
        draw_produce(b, draw_step(b, idle, waiting, "send_request_%u", c + 1), lb->request + c);
        draw_consume(b, draw_step(b, waiting, idle, "receive_answer_%u", c + 1), lb->answer + c);
        for (uint32_t s = 0; s < lb->servers; s++) {
            uint32_t at = lb->server + s * (1 + 2 * lb->clients), server_waiting = at + 1 + 2 * c;
            uint32_t notify = draw_step(b, at, server_waiting, "notify_%u_client_%u", s + 1, c + 1);
            draw_move(b, notify, lb->routed + c * lb->servers + s, lb->notification + s);
            uint32_t begin = draw_step(b, server_waiting, server_waiting + 1, "begin_%u_client_%u", s + 1, c + 1);
            draw_consume(b, begin, lb->acknowledged + s);
            uint32_t reply = draw_step(b, server_waiting + 1, at, "reply_%u_client_%u", s + 1, c + 1);
            draw_produce(b, reply, lb->answer + c);
        }
    }
}

/* A request comes while the loads are vector v, and goes to the least loaded server. */
static void draw_routing(const struct balancer *lb, uint32_t v, const char *text)
{
    struct net_builder *b = lb->b;
    uint32_t to = least(lb, lb->code[v]);
    uint32_t after = lb->number[lb->code[v] + weight(lb, to)];
    for (uint32_t c = 0; c < lb->clients; c++) {
        uint32_t routing = lb->routing + v * lb->clients + c;
        uint32_t accept = draw_step(b, lb->idle + v, routing, "accept_%u_at_%s", c + 1, text);
        draw_consume(b, accept, lb->request + c);
        uint32_t route = draw_step(b, routing, lb->idle + after, "route_%u_at_%s", c + 1, text);
        draw_produce(b, route, lb->routed + c * lb->servers + to);
    }
}

/* A server has started on a request; v are the loads after that. */
static void draw_balancing(const struct balancer *lb, uint32_t v, const char *text)
{
    struct net_builder *b = lb->b;
    uint32_t code = lb->code[v], from = most(lb, code), to = least(lb, code);
    for (uint32_t s = 0; s < lb->servers; s++) {
        uint32_t before = lb->number[code + weight(lb, s)];
        uint32_t note = draw_step(b, lb->idle + before, lb->balancing + v, "note_%u_to_%s", s + 1, text);
        draw_move(b, note, lb->notification + s, lb->acknowledged + s);
    }
    if (load(lb, code, from) - load(lb, code, to) <= 1) {
        draw_step(b, lb->balancing + v, lb->idle + v, "balanced_%s", text);
        return;
    }
    uint32_t after = lb->number[code - weight(lb, from) + weight(lb, to)];
    for (uint32_t c = 0; c < lb->clients; c++) {
        uint32_t redirect = draw_step(b, lb->balancing + v, lb->idle + after, "redirect_%u_at_%s", c + 1, text);
        draw_move(b, redirect, lb->routed + c * lb->servers + from, lb->routed + c * lb->servers + to);
    }
}

struct net *build_load_balancer(const long *parameter)
{
    struct balancer lb = {.clients = (uint32_t)parameter[0], .servers = (uint32_t)parameter[1]};
    _Static_assert(MOST_SERVERS * 4 < 64, "the loads fit the text of an id");
    struct net *net = NULL;
    lb.b = net_builder_new("load-balancer");
    if (!lb.b)
        return NULL;
    if (number_vectors(&lb)) {
        draw_client_places(&lb);
        draw_server_places(&lb);
        draw_balancer_places(&lb);
        draw_clients_and_servers(&lb);
        for (uint32_t v = 0; v < lb.small; v++) {
            char text[64];
            loads(&lb, v, text, sizeof text);
            draw_routing(&lb, v, text);
            draw_balancing(&lb, v, text);
        }
        net = net_builder_finish(lb.b, NULL);
    } else {
        net_builder_free(lb.b);
    }
    free(lb.number);
    free(lb.code);
    return net;
}
