/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any text is a certificate that is valid, one that is not, or refused with a place in the text. */
#include "certify/certify.h"
#include "front/petri/generate/generate.h"
#include "front/petri/system.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

/* A long formula may take its time to become an automaton; that is not what is looked for here. */
static bool has_long_formula(const uint8_t *data, size_t size)
{
    static const char word[] = "claim ltl ";
    enum { LONGEST = 60 };
    for (size_t i = 0; i + sizeof word < size; i++)
        if (memcmp(data + i, word, sizeof word - 1) == 0) {
            const uint8_t *end = memchr(data + i, '\n', size - i);
            if (!end || (size_t)(end - (data + i)) > LONGEST)
                return true;
        }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct portolan_system *system;
    long stations = 2;
    struct net *net;
    struct certificate_report report;
    struct portolan_error error = {0};
    if (!system && (generate_net("token-ring", &stations, 1, &net, NULL) != PORTOLAN_OK ||
                    net_system_new(net, &system, NULL) != PORTOLAN_OK))
        abort();
    if (size == 0 || has_long_formula(data, size))
        return 0;
    FILE *in = fmemopen((void *)data, size, "r");
    if (!in)
        return 0;
    enum portolan_status status = certificate_check(system, "fuzz", in, &report, &error);
    fclose(in);
    if (status == PORTOLAN_OK)
        certificate_report_clear(&report);
    else
        require(error.status == status && error.message[0] &&
                (status == PORTOLAN_OVERFLOW ||
                 ((status == PORTOLAN_REFUSED || status == PORTOLAN_BAD_INPUT) && error.line)));
    return 0;
}
