/* SPDX-License-Identifier: Apache-2.0 */
/* portolan generate FAMILY N... */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "front/petri/generate/generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int list_families(void)
{
    size_t count;
    const struct family *families = generate_families(&count);
    for (size_t i = 0; i < count; i++) {
        char call[64];
        snprintf(call, sizeof call, "%s %s", families[i].name, families[i].parameters);
        printf("%-34s %s\n", call, families[i].summary);
    }
    return EXIT_HOLDS;
}

static enum portolan_status read_parameters(const struct settings *settings, long *parameters, size_t *count,
                                            struct portolan_error *error)
{
    *count = settings->words.count - 1;
    if (*count > 16)
        return fail(error, PORTOLAN_BAD_OPTION, "no family takes %zu parameters", *count);
    for (size_t i = 0; i < *count; i++) {
        const char *word = settings->words.item[i + 1];
        char *end;
        errno = 0;
        parameters[i] = strtol(word, &end, 10);
        if (end == word || *end || errno)
            return fail(error, PORTOLAN_BAD_OPTION, "'%s' is not a number", word);
    }
    return PORTOLAN_OK;
}

int command_generate(struct settings *settings)
{
    struct portolan_error error = {0};
    struct net *net = NULL;
    long parameters[16];
    size_t count;
    if (settings->words.count == 0)
        return list_families();
    if (read_parameters(settings, parameters, &count, &error) != PORTOLAN_OK ||
        generate_net(settings->words.item[0], parameters, count, &net, &error) != PORTOLAN_OK)
        return wrong(&error);
    FILE *out = open_output(settings->output, &error);
    bool fine = out != NULL;
    if (fine) {
        pnml_write(net, out);
        fine = close_output(out, settings->output, &error);
    }
    net_free(net);
    return fine ? EXIT_HOLDS : wrong(&error);
}
