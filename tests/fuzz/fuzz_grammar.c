/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the reader of .gg files returns a grammar, which can be written and read again, or an error that
 * says where. */
#include "front/grammar/grammar_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void write_and_read(const struct grammar *grammar)
{
    char *text = NULL;
    size_t size;
    struct grammar *again = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    enum portolan_status status = gg_write(grammar, out, NULL);
    fclose(out);
    require(status == PORTOLAN_OK || status == PORTOLAN_REFUSED);
    if (status == PORTOLAN_OK) {
        require(gg_parse(text, size, "again.gg", NULL, &again, NULL) == PORTOLAN_OK);
        require(again->rules.count == grammar->rules.count && again->start.edges.count == grammar->start.edges.count);
    }
    grammar_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct grammar *grammar;
    struct portolan_error error = {0};
    if (gg_parse((const char *)data, size, "fuzz.gg", NULL, &grammar, &error) != PORTOLAN_OK) {
        require(!grammar && error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
        return 0;
    }
    write_and_read(grammar);
    grammar_free(grammar);
    return 0;
}
