/* SPDX-License-Identifier: Apache-2.0 */
#include "report/junit.h"

#include "base/utf8.h"

#include <string.h>

static void write_text(const char *text, size_t size, FILE *out)
{
    const unsigned char *end = (const unsigned char *)text + size;
    for (const unsigned char *c = (const unsigned char *)text; c < end;) {
        size_t length = utf8_length(c);
        if (length == 0)
            fprintf(out, "\\x%02x", *c);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else
            fwrite(c, 1, length, out);
        c += length ? length : 1;
    }
}

static void attribute(const char *name, const char *value, FILE *out)
{
    fprintf(out, " %s=\"", name);
    write_text(value, strlen(value), out);
    fputc('"', out);
}

static size_t count(const struct junit_suite *suite, enum junit_outcome outcome)
{
    size_t found = 0;
    for (size_t i = 0; i < suite->case_count; i++)
        found += suite->cases[i].outcome == outcome;
    return found;
}

static void write_case(const struct junit_suite *suite, const struct junit_case *one, FILE *out)
{
    static const char *const elements[] = {
        [JUNIT_FAILED] = "failure", [JUNIT_ERROR] = "error", [JUNIT_SKIPPED] = "skipped"};
    fputs("    <testcase", out);
    attribute("classname", suite->name, out);
    attribute("name", one->name, out);
    fprintf(out, " time=\"%.3f\"", suite->seconds);
    if (one->outcome == JUNIT_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", elements[one->outcome]);
    if (one->outcome != JUNIT_SKIPPED)
        attribute("type", one->type, out);
    attribute("message", one->message, out);
    fputc('>', out);
    if (one->text)
        write_text(one->text, one->text_size, out);
    fprintf(out, "</%s>\n    </testcase>\n", elements[one->outcome]);
}

void junit_write(const struct junit_suite *suite, FILE *out)
{
    enum { MOST = sizeof suite->properties / sizeof *suite->properties };
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    attribute("name", suite->name, out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n    <properties>\n",
            suite->case_count, count(suite, JUNIT_FAILED), count(suite, JUNIT_ERROR), count(suite, JUNIT_SKIPPED),
            suite->seconds);
    for (size_t i = 0; i < MOST && suite->properties[i].name; i++) {
        fputs("      <property", out);
        attribute("name", suite->properties[i].name, out);
        attribute("value", suite->properties[i].value, out);
        fputs("/>\n", out);
    }
    fputs("    </properties>\n", out);
    for (size_t i = 0; i < suite->case_count; i++)
        write_case(suite, &suite->cases[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
