/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that --html FILE promises. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/command.h"
#include "cli/compare_table.h"
#include "page/page.h"
#include "report/graph.h"

enum { MOST_DRAWN_STATES = 150 }; /* a larger state space cannot be looked at */

/* The answers of check, with their text. */
enum portolan_status write_answer_page(struct job *job, const char *model, const char *text, const char *path,
                                       struct portolan_error *error);
/* What was explored, with its graph, if it is small. */
enum portolan_status write_exploration_page(struct job *job, const char *model, struct graph *graph, const char *path,
                                            struct portolan_error *error);
enum portolan_status write_comparison_page(const row_list *rows, const char *model, const char *path,
                                           struct portolan_error *error);
/* Writes the page of what is told, and the answer as text, into a file. */
enum portolan_status write_page(tell_function *tell, void *what, const char *title, const char *text, const char *path,
                                struct portolan_error *error);
/* The page on which a model is walked through. */
enum portolan_status write_walk_page(const struct job *job, const char *model, FILE *out, struct portolan_error *error);

#endif
