/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small classics, and the nets that two papers draw to explain themselves.
 *
 * philosophers         Dijkstra's dining philosophers, the left fork first.
 * philosophers-atomic  Evangelista and Pajault, "Solving the ignoring problem for partial order reduction",
 *                      figure 4: both forks at once.
 * readers-writers      a pool of permits: a reader takes one, a writer takes all.
 * kanban               Ciardo and Tilgner, "On the use of Kronecker operators for the solution of
 *                      generalized stochastic Petri nets", the kanban system of four cells.
 * unbounded            producers and a consumer around a buffer without a bound.
 *
 * figure2-002, figure3-002: Evangelista and Pajault, figures 2 and 3.  figure-003: Bokor, Kinder, Serafini and Suri,
 * "Supporting domain-specific state space reductions through local partial-order reduction" (LPOR), the Petri net of
 * section III.
 *
 * The drawings are rebuilt from the texts, which fix the relations between transitions but not every
 * place.  Our choices: in figure 2 both processes end after v; in figure 3 the system beside t is one
 * process that may fail; in figure-003, t1 and t2 compete for one token, t4 and t5 together enable t3,
 * and t3 enables t2, so that can-enable is {(t3,t2), (t4,t3), (t5,t3)}, the dependency
 * {(t1,t2), (t2,t1)}, and t1, t4, t5 are enabled at the start.
 */
#include "front/petri/generate/families.h"

void draw_philosophers(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, "fork_{i}=1");
    DRAW_EACH (d, i, 1, *n) {
        draw_let(d, 'j', i % *n + 1);
        draw_unit(d, "thinks_{i}=1 has_left_{i} eats_{i}");
        draw_step(d, "take_left_{i}: thinks_{i} fork_{i} -> has_left_{i}");
        draw_step(d, "take_right_{i}: has_left_{i} fork_{j} -> eats_{i}");
        draw_step(d, "put_back_{i}: eats_{i} -> thinks_{i} fork_{i} fork_{j}");
    }
}

void draw_philosophers_atomic(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n)
        draw_places(d, "fork_{i}=1");
    DRAW_EACH (d, i, 1, *n) {
        draw_let(d, 'j', i % *n + 1);
        draw_unit(d, "idle_{i}=1 eating_{i}");
        draw_step(d, "sit_{i}: idle_{i} fork_{i} fork_{j} -> eating_{i}");
        draw_step(d, "rise_{i}: eating_{i} -> idle_{i} fork_{i} fork_{j}");
    }
}

void draw_readers_writers(struct drawing *d, const long *n)
{
    draw_let(d, 'r', n[0]);
    draw_places(d, "permits={r}");
    DRAW_EACH (d, i, 1, n[0]) {
        draw_unit(d, "reader_idle_{i}=1 reading_{i}");
        draw_step(d, "begin_read_{i}: reader_idle_{i} permits -> reading_{i}");
        draw_step(d, "end_read_{i}: reading_{i} -> reader_idle_{i} permits");
    }
    DRAW_EACH (d, i, 1, n[1]) {
        draw_unit(d, "writer_idle_{i}=1 writing_{i}");
        draw_step(d, "begin_write_{i}: writer_idle_{i} permits*{r} -> writing_{i}");
        draw_step(d, "end_write_{i}: writing_{i} -> writer_idle_{i} permits*{r}");
    }
}

/* A cell has free tickets, parts in work, parts to redo, and parts that are finished. */
void draw_kanban(struct drawing *d, const long *n)
{
    draw_let(d, 't', *n);
    DRAW_EACH (d, i, 1, 4) {
        uint32_t first = names_count(&d->places);
        draw_places(d, "free_{i}={t} work_{i} redo_{i} finished_{i}");
        draw_step(d, "reject_{i}: work_{i} -> redo_{i}");
        draw_step(d, "return_{i}: redo_{i} -> work_{i}");
        draw_step(d, "accept_{i}: work_{i} -> finished_{i}");
        if (*n == 1) /* with more tickets a cell holds several tokens */
            draw_unit_from(d, first);
    }
    draw_step(d, "enter_1: free_1 -> work_1");
    draw_step(d, "split_1_to_2_3: finished_1 free_2 free_3 -> free_1 work_2 work_3");
    draw_step(d, "join_2_3_to_4: free_4 finished_2 finished_3 -> work_4 free_2 free_3");
    draw_step(d, "leave_4: finished_4 -> free_4");
}

void draw_unbounded(struct drawing *d, const long *n)
{
    draw_places(d, "buffer");
    DRAW_EACH (d, i, 1, *n) {
        draw_unit(d, "ready_{i}=1 made_{i}");
        draw_step(d, "make_{i}: ready_{i} -> made_{i}");
        draw_step(d, "put_{i}: made_{i} -> ready_{i} buffer");
    }
    draw_unit(d, "hungry=1 eating");
    draw_step(d, "take: hungry buffer -> eating");
    draw_step(d, "finish: eating -> hungry");
}

void draw_figure2_002(struct drawing *d, const long *n)
{
    (void)n;
    draw_unit(d, "p1=1 p2 p3 p4");
    draw_unit(d, "q1=1 q2 q3 q4");
    draw_step(d, "t1: p1 -> p2");
    draw_step(d, "t2: p2 -> p3");
    draw_step(d, "u1: q1 -> q2");
    draw_step(d, "u2: q2 -> q3");
    draw_step(d, "v: p3 q3 -> p4 q4");
}

void draw_figure3_002(struct drawing *d, const long *n)
{
    (void)n;
    draw_unit(d, "spin=1");
    draw_arcs(d, draw_step(d, "t: spin"), "-> spin"); /* a loop, no test */
    draw_unit(d, "ready=1 working bad");
    draw_step(d, "begin: ready -> working");
    draw_step(d, "end: working -> ready");
    draw_step(d, "fail: working -> bad");
}

void draw_figure_003(struct drawing *d, const long *n)
{
    (void)n;
    draw_unit(d, "shared=1 taken_by_t1 taken_by_t2");
    draw_places(d, "before_t4=1 after_t4 before_t5=1 after_t5 after_t3");
    draw_step(d, "t1: shared -> taken_by_t1");
    draw_step(d, "t2: shared after_t3 -> taken_by_t2");
    draw_step(d, "t3: after_t4 after_t5 -> after_t3");
    draw_step(d, "t4: before_t4 -> after_t4");
    draw_step(d, "t5: before_t5 -> after_t5");
}
