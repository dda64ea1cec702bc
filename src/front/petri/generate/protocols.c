/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocols.  The last two follow nets of the Helena distribution that Evangelista and Pajault measure in
 * "Solving the ignoring problem for partial order reduction", table 2.
 *
 * slotted-ring  Pastor, Roig, Cortadella and Badia, "Petri net analysis using Boolean manipulation", with eight
 *               places and eight transitions per node.
 * token-ring    stations that pass one token round and enter their critical section with it.
 * allocation    clients that get and release resources through a server, or do internal work, forever.
 * peer-to-peer  sites that exchange a message in pairs, which a server puts together.
 */
#include "front/petri/generate/families.h"

/* The output side of a node holds a slot to pass on, or none; the input side is idle or deals with a slot. */
void draw_slotted_ring(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n) {
        draw_unit(d, "holds_free_{i}=1 holds_used_{i} empty_{i}");
        draw_unit(d, "link_idle_{i}=1 free_arrived_{i} used_arrived_{i} keep_free_{i} keep_used_{i}");
    }
    DRAW_EACH (d, i, 1, *n) {
        draw_let(d, 'j', i % *n + 1);
        draw_step(d, "other_{i}: used_arrived_{i} -> keep_used_{i}");
        draw_step(d, "owner_{i}: used_arrived_{i} -> free_arrived_{i}");
        draw_step(d, "go_{i}: free_arrived_{i} -> keep_free_{i}");
        draw_step(d, "write_{i}: free_arrived_{i} -> keep_used_{i}");
        draw_step(d, "load_free_{i}: keep_free_{i} empty_{i} -> link_idle_{i} holds_free_{i}");
        draw_step(d, "load_used_{i}: keep_used_{i} empty_{i} -> link_idle_{i} holds_used_{i}");
        draw_step(d, "give_free_{i}: holds_free_{i} link_idle_{j} -> empty_{i} free_arrived_{j}");
        draw_step(d, "give_used_{i}: holds_used_{i} link_idle_{j} -> empty_{i} used_arrived_{j}");
    }
}

void draw_token_ring(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, i == 1 ? "token_{i}=1" : "token_{i}");
    DRAW_EACH (d, i, 1, *n) {
        draw_let(d, 'j', i % *n + 1);
        draw_unit(d, "idle_{i}=1 wants_{i} critical_{i}");
        draw_step(d, "want_{i}: idle_{i} -> wants_{i}");
        draw_step(d, "enter_{i}: wants_{i} token_{i} -> critical_{i}");
        draw_step(d, "leave_{i}: critical_{i} -> idle_{i} token_{j}");
        draw_step(d, "pass_{i}: token_{i} -> token_{j} test idle_{i}");
    }
}

/* share_{i} is what the server may still grant to client i. */
static void draw_client(struct drawing *d)
{
    draw_unit(d, "ready_{i}=1 working_{i} await_get_{i} after_get_{i} await_release_{i} after_release_{i}");
    draw_places(d, "wishes_{i}={l} held_{i} share_{i}={l}");
    draw_places(d, "get_request_{i} release_request_{i} got_answer_{i} released_answer_{i}");
    draw_step(d, "begin_work_{i}: ready_{i} -> working_{i}");
    draw_step(d, "end_work_{i}: working_{i} -> ready_{i}");
    draw_step(d, "send_get_{i}: ready_{i} wishes_{i} -> await_get_{i} get_request_{i}");
    draw_step(d, "receive_get_{i}: await_get_{i} got_answer_{i} -> after_get_{i} held_{i}");
    draw_step(d, "end_get_{i}: after_get_{i} -> ready_{i}");
    draw_step(d, "send_release_{i}: ready_{i} held_{i} -> await_release_{i} release_request_{i}");
    draw_step(d, "receive_release_{i}: await_release_{i} released_answer_{i} -> after_release_{i}");
    draw_step(d, "end_release_{i}: after_release_{i} -> ready_{i} wishes_{i}");
    /* the server takes a request, grants or takes back a resource, and answers */
    draw_step(d, "grant_{i}: server get_request_{i} resources share_{i} -> serving_get_{i}");
    draw_step(d, "answer_get_{i}: serving_get_{i} -> server got_answer_{i}");
    draw_step(d, "take_back_{i}: server release_request_{i} -> serving_release_{i} resources share_{i}");
    draw_step(d, "answer_release_{i}: serving_release_{i} -> server released_answer_{i}");
}

void draw_allocation(struct drawing *d, const long *n)
{
    draw_let(d, 'r', n[1]);
    draw_let(d, 'l', n[2]);
    draw_places(d, "resources={r}");
    draw_places(d, "server=1");
    DRAW_EACH (d, i, 1, n[0])
        draw_places(d, "serving_get_{i} serving_release_{i}");
    draw_unit_from(d, 1);
    DRAW_EACH (d, i, 1, n[0])
        draw_client(d);
}

static void draw_site_places(struct drawing *d, long i, long n)
{
    uint32_t first = names_count(&d->places);
    draw_places(d, "site_idle_{i}=1 awaits_peer_{i} awaits_message_{i}");
    DRAW_EACH (d, j, 1, n)
        if (j != i)
            draw_places(d, "sends_{i}_to_{j}");
    draw_unit_from(d, first);
}

/* A site, and the server that takes it as the first of two and tells both. */
static void draw_site(struct drawing *d, long i, long n)
{
    draw_step(d, "ask_{i}: site_idle_{i} -> awaits_peer_{i} asked_{i}");
    DRAW_EACH (d, j, 1, n)
        if (j != i) {
            draw_step(d, "learn_{i}_of_{j}: awaits_peer_{i} told_{i}_of_{j} -> sends_{i}_to_{j}");
            draw_step(d, "send_{i}_to_{j}: sends_{i}_to_{j} -> awaits_message_{i} mail_{j}");
        }
    draw_step(d, "receive_{i}: awaits_message_{i} mail_{i} -> site_idle_{i}");
    draw_step(d, "first_{i}: server_idle asked_{i} -> server_waits_{i}");
    DRAW_EACH (d, j, 1, n)
        if (j != i)
            draw_step(d,
                      "match_{i}_with_{j}: server_waits_{i} asked_{j} -> server_idle told_{i}_of_{j} told_{j}_of_{i}");
}

void draw_peer_to_peer(struct drawing *d, const long *n)
{
    draw_places(d, "server_idle=1");
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, "server_waits_{i}");
    draw_unit_from(d, 0);
    DRAW_EACH (d, i, 1, *n)
        draw_site_places(d, i, *n);
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, "asked_{i}");
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, "mail_{i}");
    DRAW_EACH (d, i, 1, *n)
        DRAW_EACH (d, j, 1, *n)
            if (j != i)
                draw_places(d, "told_{i}_of_{j}");
    DRAW_EACH (d, i, 1, *n)
        draw_site(d, i, *n);
}
