/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocols.  The last two follow nets of the Helena distribution that Evangelista and Pajault measure in
 * "Solving the ignoring problem for partial order reduction", table 2.
 *
 * slotted-ring  Pastor, Roig, Cortadella and Badia, "Petri net analysis using Boolean manipulation", with eight
 *               places and eight transitions per node.
 * token-ring    stations that pass one token round and enter their critical section with it.
 * allocation    clients that get and release resources through a server, or do internal work, for ever.
 * peer-to-peer  sites that exchange a message in pairs, which a server puts together.
 */
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

/* ------------------------------------------------------------ slotted ring */

/* The output side of a node holds a slot to pass on, or none; the input side is idle or deals with a slot. */
enum { HOLDS_FREE, HOLDS_USED, EMPTY, OUTPUT_STATES };
enum { LINK_IDLE, FREE_ARRIVED, USED_ARRIVED, KEEP_FREE, KEEP_USED, INPUT_STATES };

struct net *build_slotted_ring(const long *parameter)
{
    static const char *const output_state[] = {"holds_free", "holds_used", "empty"};
    static const char *const input_state[] = {"link_idle", "free_arrived", "used_arrived", "keep_free", "keep_used"};
    uint32_t n = (uint32_t)parameter[0], width = OUTPUT_STATES + INPUT_STATES;
    struct net_builder *b = net_builder_new("slotted-ring");
    if (!b)
        return NULL;
    for (uint32_t i = 1; i <= n; i++) {
        draw_states(b, output_state, OUTPUT_STATES, i);
        draw_states(b, input_state, INPUT_STATES, i);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t output = i * width, input = output + OUTPUT_STATES;
        uint32_t following = (i + 1) % n * width + OUTPUT_STATES;
        draw_step(b, input + USED_ARRIVED, input + KEEP_USED, "other_%u", i + 1);
        draw_step(b, input + USED_ARRIVED, input + FREE_ARRIVED, "owner_%u", i + 1);
        draw_step(b, input + FREE_ARRIVED, input + KEEP_FREE, "go_%u", i + 1);
        draw_step(b, input + FREE_ARRIVED, input + KEEP_USED, "write_%u", i + 1);
        uint32_t load_free = draw_step(b, input + KEEP_FREE, input + LINK_IDLE, "load_free_%u", i + 1);
        draw_move(b, load_free, output + EMPTY, output + HOLDS_FREE);
        uint32_t load_used = draw_step(b, input + KEEP_USED, input + LINK_IDLE, "load_used_%u", i + 1);
        draw_move(b, load_used, output + EMPTY, output + HOLDS_USED);
        uint32_t give_free = draw_step(b, output + HOLDS_FREE, output + EMPTY, "give_free_%u", i + 1);
        draw_move(b, give_free, following + LINK_IDLE, following + FREE_ARRIVED);
        uint32_t give_used = draw_step(b, output + HOLDS_USED, output + EMPTY, "give_used_%u", i + 1);
        draw_move(b, give_used, following + LINK_IDLE, following + USED_ARRIVED);
    }
    return net_builder_finish(b, NULL);
}

/* -------------------------------------------------------------- token ring */

struct net *build_token_ring(const long *parameter)
{
    static const char *const state[] = {"idle", "wants", "critical"};
    enum { IDLE, WANTS, CRITICAL, STATES };
    uint32_t n = (uint32_t)parameter[0];
    struct net_builder *b = net_builder_new("token-ring");
    if (!b)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        draw_place(b, i == 0, "token_%u", i + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = draw_states(b, state, STATES, i + 1), token = i, following = (i + 1) % n;
        draw_step(b, at + IDLE, at + WANTS, "want_%u", i + 1);
        draw_consume(b, draw_step(b, at + WANTS, at + CRITICAL, "enter_%u", i + 1), token);
        draw_produce(b, draw_step(b, at + CRITICAL, at + IDLE, "leave_%u", i + 1), following);
        draw_test(b, draw_step(b, token, following, "pass_%u", i + 1), at + IDLE);
    }
    return net_builder_finish(b, NULL);
}

/* -------------------------------------------------------------- allocation */

enum { READY, WORKING, AWAIT_GET, AFTER_GET, AWAIT_RELEASE, AFTER_RELEASE, CLIENT_STATES };

struct allocation {
    struct net_builder *b;
    uint32_t limit; /* resources a client may hold */
    uint32_t server, resources;
    uint32_t serving; /* of client i: a get at serving + 2 * i, a release at serving + 2 * i + 1 */
};

/* The server takes a request, grants or takes back a resource, and answers. */
static void draw_service(const struct allocation *allocation, uint32_t i, const uint32_t *request,
                         const uint32_t *answer, uint32_t share)
{
    struct net_builder *b = allocation->b;
    uint32_t get = allocation->serving + 2 * (i - 1), release = get + 1;
    uint32_t grant = draw_step(b, allocation->server, get, "grant_%u", i);
    draw_consume(b, grant, request[0]);
    draw_consume(b, grant, allocation->resources);
    draw_consume(b, grant, share);
    draw_produce(b, draw_step(b, get, allocation->server, "answer_get_%u", i), answer[0]);
    uint32_t take_back = draw_step(b, allocation->server, release, "take_back_%u", i);
    draw_consume(b, take_back, request[1]);
    draw_produce(b, take_back, allocation->resources);
    draw_produce(b, take_back, share);
    draw_produce(b, draw_step(b, release, allocation->server, "answer_release_%u", i), answer[1]);
}

static void draw_client(const struct allocation *allocation, uint32_t i)
{
    static const char *const state[] = {"ready", "working", "await_get", "after_get", "await_release", "after_release"};
    struct net_builder *b = allocation->b;
    uint32_t at = draw_states(b, state, CLIENT_STATES, i);
    uint32_t wishes = draw_place(b, allocation->limit, "wishes_%u", i);
    uint32_t held = draw_place(b, 0, "held_%u", i);
    uint32_t share = draw_place(b, allocation->limit, "share_%u", i); /* what the server may still grant */
    const uint32_t request[] = {draw_place(b, 0, "get_request_%u", i), draw_place(b, 0, "release_request_%u", i)};
    const uint32_t answer[] = {draw_place(b, 0, "got_answer_%u", i), draw_place(b, 0, "released_answer_%u", i)};
    draw_step(b, at + READY, at + WORKING, "begin_work_%u", i);
    draw_step(b, at + WORKING, at + READY, "end_work_%u", i);
    uint32_t get = draw_step(b, at + READY, at + AWAIT_GET, "send_get_%u", i);
    draw_move(b, get, wishes, request[0]);
    uint32_t got = draw_step(b, at + AWAIT_GET, at + AFTER_GET, "receive_get_%u", i);
    draw_move(b, got, answer[0], held);
    draw_step(b, at + AFTER_GET, at + READY, "end_get_%u", i);
    uint32_t release = draw_step(b, at + READY, at + AWAIT_RELEASE, "send_release_%u", i);
    draw_move(b, release, held, request[1]);
    uint32_t released = draw_step(b, at + AWAIT_RELEASE, at + AFTER_RELEASE, "receive_release_%u", i);
    draw_consume(b, released, answer[1]);
    draw_produce(b, draw_step(b, at + AFTER_RELEASE, at + READY, "end_release_%u", i), wishes);
    draw_service(allocation, i, request, answer, share);
}

struct net *build_allocation(const long *parameter)
{
    struct allocation allocation = {.b = net_builder_new("allocation"), .limit = (uint32_t)parameter[2]};
    uint32_t clients = (uint32_t)parameter[0];
    if (!allocation.b)
        return NULL;
    allocation.resources = draw_place(allocation.b, (uint32_t)parameter[1], "resources");
    allocation.server = draw_place(allocation.b, 1, "server");
    allocation.serving = allocation.server + 1;
    for (uint32_t i = 1; i <= clients; i++) {
        draw_place(allocation.b, 0, "serving_get_%u", i);
        draw_place(allocation.b, 0, "serving_release_%u", i);
    }
    draw_unit(allocation.b, allocation.server, 1 + 2 * clients);
    for (uint32_t i = 1; i <= clients; i++)
        draw_client(&allocation, i);
    return net_builder_finish(allocation.b, NULL);
}

/* ------------------------------------------------------------ peer to peer */

/* Site i has places idle, awaits_peer, awaits_message, then one "sending to j" for each site j but itself. */
enum { SITE_IDLE, SITE_AWAITS_PEER, SITE_AWAITS_MESSAGE, SITE_SENDS };

struct peers {
    struct net_builder *b;
    uint32_t n;
    uint32_t server; /* idle, then "waits for a partner of i" for each site */
    uint32_t sites;  /* the first site's first place */
    uint32_t asked, mail;
    uint32_t told; /* per site: the server has told it which other site is its peer */
};

/* Among the n - 1 sites but i, where j stands. */
static uint32_t rank(uint32_t i, uint32_t j)
{
    return j < i ? j : j - 1;
}

static uint32_t told_of(const struct peers *peers, uint32_t i, uint32_t j)
{
    return peers->told + i * (peers->n - 1) + rank(i, j);
}

static void draw_site_places(const struct peers *peers, uint32_t i)
{
    struct net_builder *b = peers->b;
    uint32_t first = draw_place(b, 1, "site_idle_%u", i + 1);
    draw_place(b, 0, "awaits_peer_%u", i + 1);
    draw_place(b, 0, "awaits_message_%u", i + 1);
    for (uint32_t j = 0; j < peers->n; j++)
        if (j != i)
            draw_place(b, 0, "sends_%u_to_%u", i + 1, j + 1);
    draw_unit(b, first, SITE_SENDS + peers->n - 1);
}

static void draw_site(const struct peers *peers, uint32_t i)
{
    struct net_builder *b = peers->b;
    uint32_t n = peers->n, at = peers->sites + i * (SITE_SENDS + n - 1);
    draw_produce(b, draw_step(b, at + SITE_IDLE, at + SITE_AWAITS_PEER, "ask_%u", i + 1), peers->asked + i);
    for (uint32_t j = 0; j < n; j++) {
        if (j == i)
            continue;
        uint32_t sends = at + SITE_SENDS + rank(i, j);
        uint32_t learn = draw_step(b, at + SITE_AWAITS_PEER, sends, "learn_%u_of_%u", i + 1, j + 1);
        draw_consume(b, learn, told_of(peers, i, j));
        draw_produce(b, draw_step(b, sends, at + SITE_AWAITS_MESSAGE, "send_%u_to_%u", i + 1, j + 1), peers->mail + j);
    }
    draw_consume(b, draw_step(b, at + SITE_AWAITS_MESSAGE, at + SITE_IDLE, "receive_%u", i + 1), peers->mail + i);
}

/* The server: a first site, then a second one, and both are told. */
static void draw_matching(const struct peers *peers, uint32_t first)
{
    struct net_builder *b = peers->b;
    uint32_t waits = peers->server + 1 + first;
    draw_consume(b, draw_step(b, peers->server, waits, "first_%u", first + 1), peers->asked + first);
    for (uint32_t second = 0; second < peers->n; second++) {
        if (second == first)
            continue;
        uint32_t match = draw_step(b, waits, peers->server, "match_%u_with_%u", first + 1, second + 1);
        draw_consume(b, match, peers->asked + second);
        draw_produce(b, match, told_of(peers, first, second));
        draw_produce(b, match, told_of(peers, second, first));
    }
}

struct net *build_peer_to_peer(const long *parameter)
{
    struct peers peers = {.b = net_builder_new("peer-to-peer"), .n = (uint32_t)parameter[0]};
    struct net_builder *b = peers.b;
    if (!b)
        return NULL;
    peers.server = draw_place(b, 1, "server_idle");
    draw_row(b, peers.n, 0, "server_waits");
    draw_unit(b, peers.server, 1 + peers.n);
    peers.sites = peers.server + 1 + peers.n;
    for (uint32_t i = 0; i < peers.n; i++)
        draw_site_places(&peers, i);
    peers.asked = draw_row(b, peers.n, 0, "asked");
    peers.mail = draw_row(b, peers.n, 0, "mail");
    peers.told = peers.mail + peers.n;
    for (uint32_t i = 0; i < peers.n; i++)
        for (uint32_t j = 0; j < peers.n; j++)
            if (j != i)
                draw_place(b, 0, "told_%u_of_%u", i + 1, j + 1);
    for (uint32_t i = 0; i < peers.n; i++) {
        draw_site(&peers, i);
        draw_matching(&peers, i);
    }
    return net_builder_finish(b, NULL);
}
