/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the record of a C program: whatever a program that went wrong leaves there can be reported. */
#include "account/account.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(const struct account *account)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    print_account(account, &(struct page){.out = out, .width = 80});
    json_account(account, out);
    junit_account(account, out);
    sarif_account(account, out);
    fclose(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct run_settings settings = {.all = true};
    static const struct suppressed suppressed;
    static const struct coverage coverage;
    struct account account = {.program = "program",
                              .settings = &settings,
                              .suppressed = &suppressed,
                              .coverage = &coverage,
                              .slices = size % 2};
    if (account_read(&account, data, size))
        report(&account);
    account_clear(&account);
    return 0;
}
