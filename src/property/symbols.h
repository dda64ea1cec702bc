/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of expressions.  A language that has expressions inside makes
 * its lexer with a list that begins with EXPRESSION_SYMBOLS, and calls
 * expression_parse_atom where one may stand.
 */
#ifndef PROPERTY_SYMBOLS_H
#define PROPERTY_SYMBOLS_H

#include "base/lexer.h"
#include "property/expression.h"

#define EXPRESSION_SYMBOLS "+ - * / % ! = < > ( ) , == != <= >= && || -> <->"

/*
 * Compiles the comparison, or what else binds as tightly and is boolean, that starts at the current token, and reads
 * on to the token behind it.  On failure *out is NULL.
 */
enum portolan_status expression_parse_atom(const struct portolan_system *system, struct lexer *lexer,
                                           struct expression **out, struct portolan_error *error);

#endif
