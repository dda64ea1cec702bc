/* SPDX-License-Identifier: Apache-2.0 */
#include "system/result.h"

#include <stdlib.h>
#include <string.h>

void result_clear(struct portolan_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; result->answers && i < result->answer_count; i++)
        free(result->answers[i].trace);
    free(result->answers);
    free(result->fired);
    memset(result, 0, sizeof *result);
}
