/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a model, step by step: at random, after a trace, or as the user says. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "base/random.h"
#include "cli/command.h"
#include "report/json.h"
#include "report/step.h"
#include "search/chooser.h"

struct simulation {
    struct job job;
    const struct settings *settings;
    FILE *out; /* where steps are told */
    struct stepper stepper;
    struct values values;
    VECTOR(uint32_t) actions; /* from the initial state to the present one */
    uint64_t random;
    struct chooser *chooser; /* NULL: nobody has asked yet */
    uint32_t *chosen;        /* by it, in the present state */
    size_t chosen_capacity;
    bool went_wrong; /* a state was met that violates a property */
};

/* Opens the model and stands in its initial state; simulation_end is due, also after a failure. */
enum portolan_status simulation_begin(struct simulation *simulation, struct settings *settings,
                                      struct portolan_error *error);
void simulation_end(struct simulation *simulation);
/* Takes a step. */
enum portolan_status simulation_fire(struct simulation *simulation, uint32_t action, struct portolan_error *error);
/* Goes to where the first `steps` of the steps taken lead. */
enum portolan_status simulation_rewind(struct simulation *simulation, size_t steps, struct portolan_error *error);
/* A random step; false when nothing is enabled, or after a failure. */
bool simulation_wander(struct simulation *simulation, enum portolan_status *status, struct portolan_error *error);
/* Does the present state violate a property, or reach what is looked for?  A line on each is written to out, which may
 * be NULL. */
bool simulation_judge(struct simulation *simulation, FILE *out);
/* The same as "properties" in JSON, and "end", when nothing is enabled. */
void simulation_judge_json(const struct simulation *simulation, struct json *json);
/* Writes the steps so far for 'portolan replay'. */
enum portolan_status simulation_save(const struct simulation *simulation, const char *path,
                                     struct portolan_error *error);

/* --- simulate_choice.c: what a reduction would do */

/* Makes the chooser if there is none: for the reduction asked for, or that which a search would take. */
enum portolan_status simulation_choose(struct simulation *simulation, uint32_t *count, struct portolan_error *error);
/* The enabled actions, numbered from 1; with a reduction asked for by name, those that it leaves out are marked. */
enum portolan_status simulation_list(struct simulation *simulation, struct portolan_error *error);
/* What the reduction explores here and why. */
enum portolan_status simulation_explain(struct simulation *simulation, struct portolan_error *error);
/* Why one action would be explored or not. */
enum portolan_status simulation_explain_one(struct simulation *simulation, uint32_t action,
                                            struct portolan_error *error);
/* The same of the present state, in JSON. */
enum portolan_status simulation_choice_json(struct simulation *simulation, struct json *json,
                                            struct portolan_error *error);

/* --- simulate_session.c */

/* Does what the lines on standard input say. */
enum portolan_status simulation_obey(struct simulation *simulation, struct portolan_error *error);

#endif
