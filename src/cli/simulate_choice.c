/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduction would explore and leave out in the present state of a simulation, and why. */
#include "base/diagnostic.h"
#include "cli/left_out.h"
#include "cli/simulate.h"
#include "property/property.h"
#include "report/columns.h"

#include <inttypes.h>
#include <string.h>

/* What stands for an action in sentences. */
static const char *name_of(const struct simulation *s, uint32_t action, char buffer[16])
{
    return step_name(s->job.system, action, buffer);
}

/* Properties of runs are no part of it: a simulation looks at states. */
static void keep_properties_of_states(struct job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < job->property_count; i++)
        if (property_is_temporal(job->properties[i]))
            portolan_property_free(job->properties[i]);
        else
            job->properties[kept++] = job->properties[i];
    job->property_count = job->options.property_count = kept;
}

enum portolan_status simulation_choose(struct simulation *s, uint32_t *count, struct portolan_error *error)
{
    if (!s->chooser) {
        keep_properties_of_states(&s->job);
        enum portolan_status status = chooser_new(s->job.system, &s->job.options, &s->chooser, error);
        if (status != PORTOLAN_OK)
            return status;
    }
    if (!vector_grow((void **)&s->chosen, &s->chosen_capacity, (size_t)s->stepper.enabled_count + 1, sizeof *s->chosen))
        return fail_memory(error);
    return chooser_choose(s->chooser, s->stepper.state, s->stepper.enabled, s->stepper.enabled_count, s->chosen, count,
                          error);
}

static bool is_chosen(const struct simulation *s, uint32_t count, uint32_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (s->chosen[i] == index)
            return true;
    return false;
}

/* ----------------------------------------------------------------------- listing */

/* What the step does, where agents tell: "x := 42". */
static bool agents_text(const struct simulation *s, uint32_t action, struct portolan_step *step, char *text,
                        size_t size)
{
    const struct portolan_system *system = s->job.system;
    const struct portolan_footprint *view = system->footprint;
    for (uint32_t agent = 0; has_columns(system) && agent < view->agents; agent++)
        if (view->next(system->model, s->stepper.state, agent, step) && step->action == action) {
            char name[100], what[LONGEST_TEXT - sizeof name - 2];
            view->agent_name(system->model, agent, name, sizeof name);
            view->step_text(system->model, s->stepper.state, agent, what, sizeof what);
            snprintf(text, size, "%s: %s", name, what);
            return true;
        }
    return system->action_text && system->action_text(system->model, action, text, size);
}

static int name_width(const struct simulation *s)
{
    enum { WIDEST_NAME = 32 };
    int widest = 0;
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++) {
        char buffer[16];
        int width = (int)strnlen(name_of(s, s->stepper.enabled[i], buffer), WIDEST_NAME);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_enabled(const struct simulation *s, uint32_t chosen, bool marks, struct portolan_step *step)
{
    const struct stepper *at = &s->stepper;
    int width = name_width(s), digits = snprintf(NULL, 0, "%" PRIu32, at->enabled_count);
    for (uint32_t i = 0; i < at->enabled_count; i++) {
        char buffer[16], text[LONGEST_TEXT];
        bool told = agents_text(s, at->enabled[i], step, text, sizeof text);
        bool left_out = marks && !is_chosen(s, chosen, i);
        fprintf(s->out, "  %*" PRIu32 "  %-*s", digits, i + 1, told || left_out ? width : 0,
                name_of(s, at->enabled[i], buffer));
        if (told)
            fprintf(s->out, "  %s", text);
        fprintf(s->out, "%s\n", left_out ? "  (left out)" : "");
    }
}

enum portolan_status simulation_list(struct simulation *s, struct portolan_error *error)
{
    const struct portolan_footprint *view = s->job.system->footprint;
    enum portolan_status status = PORTOLAN_OK;
    uint32_t chosen = 0;
    if (s->settings->reduction)
        status = simulation_choose(s, &chosen, error);
    struct portolan_step step = {.accesses =
                                     calloc((size_t)(view ? view->most_accesses : 0) + 1, sizeof *step.accesses)};
    if (status == PORTOLAN_OK && !step.accesses)
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        print_enabled(s, chosen, s->settings->reduction, &step);
    free(step.accesses);
    return status;
}

/* -------------------------------------------------------------------- explaining */

static enum portolan_status find_explanation(struct simulation *s, uint32_t *count, struct set_explanation *why,
                                             struct portolan_error *error)
{
    memset(why, 0, sizeof *why);
    enum portolan_status status = simulation_choose(s, count, error);
    if (status == PORTOLAN_OK)
        status = chooser_explain(s->chooser, s->stepper.state, s->stepper.enabled, s->stepper.enabled_count, s->chosen,
                                 count, why, error);
    return status;
}

static void print_members(const struct simulation *s, const struct set_explanation *why)
{
    enum { MOST_SHOWN = 40 };
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < why->members.count; i++) {
        char text[LONGEST_TEXT];
        if (shown == MOST_SHOWN && !why->members.item[i].is_enabled) {
            left++;
            continue;
        }
        shown += !why->members.item[i].is_enabled;
        set_member_text(s->job.system, why, i, text, sizeof text);
        fprintf(s->out, "  %s  %s\n", why->members.item[i].is_enabled ? "explored" : "disabled", text);
    }
    if (left)
        fprintf(s->out, "  and %zu more that are disabled\n", left);
}

static void describe_left_out(const struct simulation *s, uint32_t count, uint32_t action, char *text, size_t size)
{
    struct explored_set set = {s->job.system, s->stepper.state, s->stepper.enabled, s->chosen, count};
    left_out_text(&set, action, text, size);
}

static void print_left_out(const struct simulation *s, uint32_t count)
{
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++) {
        char buffer[16], text[LONGEST_TEXT];
        if (is_chosen(s, count, i))
            continue;
        describe_left_out(s, count, s->stepper.enabled[i], text, sizeof text);
        fprintf(s->out, "  left out  %s: %s\n", name_of(s, s->stepper.enabled[i], buffer), text);
    }
}

enum portolan_status simulation_explain(struct simulation *s, struct portolan_error *error)
{
    struct set_explanation why;
    uint32_t count, enabled = s->stepper.enabled_count;
    enum portolan_status status = find_explanation(s, &count, &why, error);
    if (status == PORTOLAN_OK) {
        fprintf(s->out, "reduction  %s explores %" PRIu32 " of %" PRIu32 " enabled actions here\n",
                chooser_name(s->chooser), count, enabled);
        if (count < enabled) {
            print_members(s, &why);
            print_left_out(s, count);
            fprintf(s->out, "  what is left out can wait: nothing outside the set can interfere with a member first\n");
            if (strcmp(chooser_proviso(s->chooser), "none") != 0)
                fprintf(s->out, "  in a search, proviso %s may ask for more\n", chooser_proviso(s->chooser));
        }
    }
    explanation_clear(&why);
    return status;
}

/* From this member back to the one with which the set begins. */
static void print_way_from(const struct simulation *s, const struct set_explanation *why, size_t i)
{
    char text[LONGEST_TEXT];
    for (;; i = why->members.item[i].on_behalf_of) {
        set_member_text(s->job.system, why, i, text, sizeof text);
        fprintf(s->out, "  %s\n", text);
        if (why->members.item[i].on_behalf_of == i)
            return;
    }
}

enum portolan_status simulation_explain_one(struct simulation *s, uint32_t action, struct portolan_error *error)
{
    struct set_explanation why;
    uint32_t count;
    char buffer[16];
    enum portolan_status status = find_explanation(s, &count, &why, error);
    size_t i = 0;
    while (i < why.members.count && why.members.item[i].action != action)
        i++;
    if (status == PORTOLAN_OK && i < why.members.count)
        print_way_from(s, &why, i);
    else if (status == PORTOLAN_OK && count == s->stepper.enabled_count)
        fprintf(s->out, "  every enabled action is explored\n");
    else if (status == PORTOLAN_OK) {
        char text[LONGEST_TEXT];
        describe_left_out(s, count, action, text, sizeof text);
        fprintf(s->out, "  %s is left out: no member of the set asks for it; %s\n", name_of(s, action, buffer), text);
    }
    explanation_clear(&why);
    return status;
}

enum portolan_status simulation_choice_json(struct simulation *s, struct json *json, struct portolan_error *error)
{
    struct set_explanation why;
    uint32_t count;
    char buffer[16], text[LONGEST_TEXT];
    enum portolan_status status = find_explanation(s, &count, &why, error);
    if (status != PORTOLAN_OK) {
        explanation_clear(&why);
        return status;
    }
    json_string(json, "reduction", chooser_name(s->chooser));
    json_open(json, "explored", '[');
    for (uint32_t i = 0; i < count; i++)
        json_string(json, NULL, name_of(s, s->stepper.enabled[s->chosen[i]], buffer));
    json_close(json, ']');
    json_open(json, "left_out", '[');
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++)
        if (!is_chosen(s, count, i))
            json_string(json, NULL, name_of(s, s->stepper.enabled[i], buffer));
    json_close(json, ']');
    json_open(json, "left_out_because", '{');
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++)
        if (!is_chosen(s, count, i)) {
            describe_left_out(s, count, s->stepper.enabled[i], text, sizeof text);
            json_string(json, name_of(s, s->stepper.enabled[i], buffer), text);
        }
    json_close(json, '}');
    json_open(json, "because", '[');
    for (size_t i = 0; i < why.members.count; i++) {
        set_member_text(s->job.system, &why, i, text, sizeof text);
        json_string(json, NULL, text);
    }
    json_close(json, ']');
    explanation_clear(&why);
    return PORTOLAN_OK;
}
