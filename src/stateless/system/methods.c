/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/system/methods.h"

const struct method *const system_methods[] = {&method_none,
                                               &method_dpor,
                                               &method_dpor_plain,
                                               &method_source,
                                               &method_lazy,
                                               &method_lazy_printed,
                                               &method_lazy_printed_stateful,
                                               &method_optimal,
                                               &method_bounded,
                                               NULL};
