/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdout becomes a stream of its own that breaks lines and passes them on.  It is buffered by lines, so what comes
 * without an end of line is a prompt, or was flushed, and is shown at once.
 */
#include "cli/screen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40, WIDEST = 10000, LABEL = 10, WIDEST_LABEL = 36 };

static FILE *unwrapped;
static unsigned wrap_width;

unsigned screen_width(void)
{
    struct winsize size;
    const char *asked = getenv("COLUMNS");
    long columns = asked ? strtol(asked, NULL, 10) : 0;
    if (columns > 0)
        return columns < LEAST_WIDTH ? LEAST_WIDTH : columns > WIDEST ? WIDEST : (unsigned)columns;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
        return USUAL_WIDTH;
    return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

bool screen_has_colours(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    /* mpirun gives its processes a terminal even where its own output goes to a file */
    bool has_own = !getenv("OMPI_COMM_WORLD_SIZE");
    return has_own && isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

FILE *screen_unwrapped(void)
{
    fflush(stdout);
    return unwrapped ? unwrapped : stdout;
}

/* How many bytes the character, or the change of colour, at the beginning of a text takes, and how many columns. */
static size_t character(const char *text, size_t size, unsigned *columns)
{
    size_t length = 1;
    *columns = 1;
    if (text[0] == '\033') {
        while (length < size && text[length] != 'm')
            length++;
        *columns = 0;
        return length < size ? length + 1 : length;
    }
    while (length < size && ((unsigned char)text[length] & 0xC0) == 0x80)
        length++;
    return length;
}

/* Where a line is continued: behind its label ("property   ...", "  3  ..."), or a little further in than it begins. */
static unsigned indent_of(const char *line, size_t size)
{
    size_t start = 0, end;
    while (start < size && line[start] == ' ')
        start++;
    for (end = start; end < size && !(line[end] == ' ' && (start || end == LABEL || line[end + 1] == ' '));)
        end++;
    bool is_number = end > start && isdigit((unsigned char)line[start]);
    if (start == 0 && end == LABEL)
        return LABEL + 1;
    size_t text = end;
    while (text < size && line[text] == ' ')
        text++;
    if (text < end + 2 || text > WIDEST_LABEL)
        return (unsigned)start + 2;
    return (unsigned)text + (is_number ? 2 : 0);
}

/* How much of a text fits: up to the last gap of several blanks, or behind the last comma, if there is one far enough
 * to the right, else up to the last blank; a word that is too long by itself is broken behind a bar, if it has one. */
static size_t fitting(const char *text, size_t size, unsigned room)
{
    size_t at = 0, blank = 0, gap = 0, comma = 0, bar = 0;
    unsigned column = 0, width;
    while (at < size && (column <= room || !blank)) {
        size_t length = character(text + at, size - at, &width);
        if (text[at] == ' ' && column <= room && at) {
            blank = at;
            if (at + 1 < size && text[at + 1] == ' ' && text[at - 1] != ' ' && column > room / 2)
                gap = at;
            if (text[at - 1] == ',' && column > room * 2 / 3)
                comma = at;
        } else if (text[at] == ' ' && at && !blank) {
            blank = at;
        }
        column += width;
        at += length;
        if (text[at - 1] == '|' && column <= room)
            bar = at;
    }
    if (at == size && column <= room)
        return size;
    bool is_long = blank ? memchr(text, ' ', room < size ? room : size) == NULL : true;
    return gap ? gap : comma ? comma : bar && is_long ? bar : blank ? blank : size;
}

static bool write_line(const char *line, size_t size)
{
    unsigned indent = indent_of(line, size);
    if (indent > wrap_width / 2)
        indent = 4;
    size_t lead = strspn(line, " ") < size ? strspn(line, " ") : 0; /* no place to break at */
    size_t part = lead + fitting(line + lead, size - lead, wrap_width - (unsigned)lead);
    fwrite(line, 1, part, unwrapped);
    for (line += part, size -= part; size; line += part, size -= part) {
        while (size && *line == ' ')
            line++, size--;
        if (!size)
            break;
        part = fitting(line, size, wrap_width - indent);
        fprintf(unwrapped, "\n%*s", (int)indent, "");
        fwrite(line, 1, part, unwrapped);
    }
    return fputc('\n', unwrapped) != EOF;
}

static ssize_t write_wrapped(void *cookie, const char *text, size_t size)
{
    const char *end = text + size;
    (void)cookie;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline) {
            fwrite(text, 1, (size_t)(end - text), unwrapped);
            break;
        }
        write_line(text, (size_t)(newline - text));
        text = newline + 1;
    }
    return fflush(unwrapped) == 0 && !ferror(unwrapped) ? (ssize_t)size : 0;
}

void screen_wrap(void)
{
    enum { LONGEST = 1 << 16 };
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_wrapped});
    if (!stream)
        return; /* then lines are as long as they are */
    if (setvbuf(stream, NULL, _IOLBF, LONGEST) != 0) {
        fclose(stream);
        return;
    }
    wrap_width = screen_width();
    unwrapped = stdout;
    stdout = stream;
}

void screen_unwrap(void)
{
    if (!unwrapped)
        return;
    fclose(stdout); /* what went wrong is remembered by the stream below */
    stdout = unwrapped;
    unwrapped = NULL;
}
