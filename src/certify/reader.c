/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/reader.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status reader_line(struct reader *r)
{
    if (limits_reached())
        return fail_memory(r->error);
    errno = 0;
    ssize_t length = getline(&r->line, &r->capacity, r->in);
    if (length < 0 && limits_stop() != PORTOLAN_COMPLETE)
        return fail_memory(r->error);
    if (length < 0 && errno)
        return fail(r->error, errno == ENOMEM ? PORTOLAN_NO_MEMORY : PORTOLAN_IO, "cannot read '%s': %s", r->name,
                    strerror(errno));
    if (length < 0)
        return fail_at(r->error, r->name, r->number, 0, NULL, "the certificate ends early: 'end' is missing");
    r->number++;
    if (length > 0 && r->line[length - 1] == '\n')
        r->line[--length] = '\0';
    r->next = r->line;
    if (strlen(r->line) != (size_t)length)
        return fail_at(r->error, r->name, r->number, 1, NULL,
                       "a certificate is text and cannot contain NUL characters");
    return PORTOLAN_OK;
}

void reader_clear(struct reader *r)
{
    free(r->line);
}

bool reader_take(struct reader *r, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(r->next, text, length) != 0)
        return false;
    r->next += length;
    return true;
}

bool reader_at_end(const struct reader *r)
{
    return *r->next == '\0';
}

enum portolan_status reader_end(struct reader *r)
{
    if (fgetc(r->in) == EOF)
        return ferror(r->in) ? fail(r->error, PORTOLAN_IO, "cannot read '%s': %s", r->name, strerror(errno))
                             : PORTOLAN_OK;
    return fail_at(r->error, r->name, r->number + 1, 1, NULL, "'end' is the last line of a certificate");
}

bool reader_number(struct reader *r, uint32_t *number)
{
    uint64_t value = 0;
    const char *digit = r->next;
    for (; *digit >= '0' && *digit <= '9' && value < UINT32_MAX; digit++)
        value = 10 * value + (uint64_t)(*digit - '0');
    if (digit == r->next || value >= UINT32_MAX)
        return false;
    r->next += digit - r->next;
    *number = (uint32_t)value;
    return true;
}

bool reader_large(struct reader *r, int64_t *number)
{
    const int64_t most = INT64_C(1) << 58;
    const char *digit = r->next;
    for (*number = 0; *digit >= '0' && *digit <= '9' && *number < most / 10; digit++)
        *number = 10 * *number + (*digit - '0');
    bool fine = digit > r->next && (*digit < '0' || *digit > '9');
    r->next += digit - r->next;
    return fine;
}

const char *reader_text(struct reader *r)
{
    char *start = r->next, *to = start;
    for (const char *from = start; *from; from++) {
        bool escaped = *from == '\\' && from[1];
        from += escaped;
        *to++ = escaped && *from == 'n' ? '\n' : *from;
    }
    *to = '\0';
    r->next = to;
    return start;
}

enum portolan_status reader_expected(const struct reader *r, const char *what)
{
    return fail_at(r->error, r->name, r->number, (unsigned)(r->next - r->line) + 1, r->line, "expected %s", what);
}
