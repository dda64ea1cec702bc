/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-balancer: clients send requests to a balancer, which routes each to the least loaded server and moves
 * requests when a server that starts on one leaves the loads unequal.  The net is `load_balancer` of the
 * Helena distribution, unfolded; Evangelista and Pajault measure it as `lb` in "Solving the ignoring problem
 * for partial order reduction", table 2.
 *
 * The balancer knows how many requests each server has: a vector of loads, "2.0.1" in a name, which is coded as a
 * number in base clients + 1.  It has one control place per vector.  Small vectors leave room for one more request.
 */
#include "front/petri/generate/families.h"

#include <stdio.h>

enum { MOST_SERVERS = 4 };

struct balancer {
    struct drawing *d;
    long clients, servers;
    long codes;                                             /* (clients + 1) ^ servers */
    char here[16 * MOST_SERVERS], other[16 * MOST_SERVERS]; /* loads in names */
};

/* The weight of a server's load in the code. */
static long weight(const struct balancer *lb, long server)
{
    long power = 1;
    while (server--)
        power *= lb->clients + 1;
    return power;
}

static long load(const struct balancer *lb, long code, long server)
{
    return code / weight(lb, server) % (lb->clients + 1);
}

static long sum(const struct balancer *lb, long code)
{
    long total = 0;
    for (long s = 0; s < lb->servers; s++)
        total += load(lb, code, s);
    return total;
}

/* The first server whose load none exceeds when `sign` is 1, and none falls below when it is -1. */
static long extreme(const struct balancer *lb, long code, long sign)
{
    long found = 0;
    for (long s = 1; s < lb->servers; s++)
        if (sign * load(lb, code, s) > sign * load(lb, code, found))
            found = s;
    return found;
}

static void let_loads(const struct balancer *lb, char letter, long code, char *text)
{
    draw_let_word(lb->d, letter, text);
    for (long s = 0; s < lb->servers; s++)
        text += sprintf(text, s ? ".%ld" : "%ld", load(lb, code, s));
}

/* Whether the vector is small; {v} is then the vector in names. */
static bool let_small(struct balancer *lb, long code)
{
    let_loads(lb, 'v', code, lb->here);
    return sum(lb, code) < lb->clients;
}

static void draw_balancer_places(struct balancer *lb)
{
    uint32_t first = names_count(&lb->d->places);
    for (long code = 0; code < lb->codes; code++)
        if (let_small(lb, code))
            draw_places(lb->d, code == 0 ? "balancer_idle_{v}=1" : "balancer_idle_{v}");
    for (long code = 0; code < lb->codes; code++)
        if (!let_small(lb, code) && sum(lb, code) == lb->clients)
            draw_places(lb->d, "balancer_idle_{v}");
    for (long code = 0; code < lb->codes; code++)
        DRAW_EACH (lb->d, c, 1, let_small(lb, code) ? lb->clients : 0)
            draw_places(lb->d, "routing_{c}_at_{v}");
    for (long code = 0; code < lb->codes; code++)
        if (let_small(lb, code))
            draw_places(lb->d, "balancing_{v}");
    draw_unit_from(lb->d, first);
}

static void draw_other_places(struct drawing *d, long clients, long servers)
{
    DRAW_EACH (d, c, 1, clients)
        draw_unit(d, "client_idle_{c}=1 client_waiting_{c}");
    DRAW_EACH (d, c, 1, clients)
        draw_places(d, "request_{c}");
    DRAW_EACH (d, c, 1, clients)
        draw_places(d, "answer_{c}");
    DRAW_EACH (d, s, 1, servers) {
        uint32_t first = names_count(&d->places);
        draw_places(d, "server_idle_{s}=1");
        DRAW_EACH (d, c, 1, clients)
            draw_places(d, "server_waiting_{s}_client_{c} server_processing_{s}_client_{c}");
        draw_unit_from(d, first);
    }
    DRAW_EACH (d, c, 1, clients)
        DRAW_EACH (d, s, 1, servers)
            draw_places(d, "routed_{c}_to_{s}");
    DRAW_EACH (d, s, 1, servers)
        draw_places(d, "notification_{s}");
    DRAW_EACH (d, s, 1, servers)
        draw_places(d, "acknowledged_{s}");
}

static void draw_clients_and_servers(struct drawing *d, long clients, long servers)
{
    DRAW_EACH (d, c, 1, clients) {
        draw_step(d, "send_request_{c}: client_idle_{c} -> client_waiting_{c} request_{c}");
        draw_step(d, "receive_answer_{c}: client_waiting_{c} answer_{c} -> client_idle_{c}");
        DRAW_EACH (d, s, 1, servers) {
            draw_step(d, "notify_{s}_client_{c}: server_idle_{s} routed_{c}_to_{s} -> "
                         "server_waiting_{s}_client_{c} notification_{s}");
            draw_step(d, "begin_{s}_client_{c}: server_waiting_{s}_client_{c} acknowledged_{s} -> "
                         "server_processing_{s}_client_{c}");
            draw_step(d, "reply_{s}_client_{c}: server_processing_{s}_client_{c} -> server_idle_{s} answer_{c}");
        }
    }
}

/* A request comes while the loads are v, and goes to the least loaded server. */
static void draw_routing(struct balancer *lb, long code)
{
    long to = extreme(lb, code, -1);
    draw_let(lb->d, 't', to + 1);
    let_loads(lb, 'w', code + weight(lb, to), lb->other);
    DRAW_EACH (lb->d, c, 1, lb->clients) {
        draw_step(lb->d, "accept_{c}_at_{v}: balancer_idle_{v} request_{c} -> routing_{c}_at_{v}");
        draw_step(lb->d, "route_{c}_at_{v}: routing_{c}_at_{v} -> balancer_idle_{w} routed_{c}_to_{t}");
    }
}

/* A server has started on a request; v are the loads after that. */
static void draw_balancing(struct balancer *lb, long code)
{
    long from = extreme(lb, code, 1), to = extreme(lb, code, -1);
    DRAW_EACH (lb->d, s, 1, lb->servers) {
        let_loads(lb, 'w', code + weight(lb, s - 1), lb->other);
        draw_step(lb->d, "note_{s}_to_{v}: balancer_idle_{w} notification_{s} -> balancing_{v} acknowledged_{s}");
    }
    if (load(lb, code, from) - load(lb, code, to) <= 1) {
        draw_step(lb->d, "balanced_{v}: balancing_{v} -> balancer_idle_{v}");
        return;
    }
    let_loads(lb, 'w', code - weight(lb, from) + weight(lb, to), lb->other);
    draw_let(lb->d, 'f', from + 1);
    draw_let(lb->d, 't', to + 1);
    DRAW_EACH (lb->d, c, 1, lb->clients)
        draw_step(lb->d, "redirect_{c}_at_{v}: balancing_{v} routed_{c}_to_{f} -> balancer_idle_{w} routed_{c}_to_{t}");
}

void draw_load_balancer(struct drawing *d, const long *n)
{
    struct balancer lb = {.d = d, .clients = n[0], .servers = n[1]};
    lb.codes = weight(&lb, lb.servers);
    draw_other_places(d, n[0], n[1]);
    draw_balancer_places(&lb);
    draw_clients_and_servers(d, n[0], n[1]);
    for (long code = 0; code < lb.codes; code++)
        if (let_small(&lb, code)) {
            draw_routing(&lb, code);
            draw_balancing(&lb, code);
        }
}
