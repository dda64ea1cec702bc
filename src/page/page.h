/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One page per answer: an HTML file that needs nothing else.  What it shows are data in JSON, gathered here; answer.js
 * lays them out, and the answer as text stands below for those who have no scripts.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "portolan/portolan.h"
#include "report/json.h"
#include "report/step.h"

struct html_page {
    struct json json; /* an open object */
    FILE *memory;
    char *data;
    size_t size;
    char no_picture[512]; /* why one is missing */
};

/* page_clear is due after each of these, also after a failure. */
enum portolan_status page_begin(struct html_page *page, struct portolan_error *error);
/* Writes the whole page: of an answer, with its text, or (text NULL) of a model that is walked through. */
enum portolan_status page_write(struct html_page *page, const char *title, const char *text, FILE *out,
                                struct portolan_error *error);
void page_clear(struct html_page *page);

/* Gathers what a page shows. */
typedef enum portolan_status tell_function(struct html_page *page, void *what, struct portolan_error *error);
/* All of these for the page of an answer. */
enum portolan_status page_of(tell_function *tell, void *what, const char *title, const char *text, FILE *out,
                             struct portolan_error *error);

/* A picture that could not be drawn is no reason to do without the rest: the page says why, and all is well again. */
enum portolan_status page_without_picture(struct html_page *page, enum portolan_status status,
                                          const struct portolan_error *error);

/* "trace": the steps with what they change, the chart of messages or the pictures of graphs.  Fires each step again. */
enum portolan_status page_trace(struct html_page *page, struct portolan_system *system, const uint32_t *actions,
                                size_t count, size_t cycle_start, struct portolan_error *error);
/* "values" of the present state, as texts. */
enum portolan_status page_values(struct json *json, const struct portolan_system *system, const struct values *values,
                                 struct portolan_error *error);
/* "waiting", the messages on their way, and "graph", a picture of the state, where there are any. */
enum portolan_status page_present(struct json *json, const struct portolan_system *system, const void *state,
                                  struct portolan_error *error);
/* "net": a picture with a name for each node, of a net that is small enough; else nothing. */
enum portolan_status page_net(struct html_page *page, const struct portolan_system *system,
                              struct portolan_error *error);
/* "source": the text of the model, where it is one; else nothing. */
enum portolan_status page_source(struct html_page *page, const struct portolan_system *system, const char *path,
                                 struct portolan_error *error);

#endif
