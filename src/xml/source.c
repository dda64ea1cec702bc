/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/source.h"

#include "base/input.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int xml_source_open(struct xml_source *source, const char *path)
{
    bool standard_input = strcmp(path, "-") == 0;
    *source = (struct xml_source){.name = standard_input ? "<stdin>" : path, .descriptor = -1, .start = -1};
    source->descriptor = standard_input ? STDIN_FILENO : input_open(path);
    if (source->descriptor < 0)
        return errno;
    source->owned = !standard_input;
    struct stat status;
    int failure = 0;
    if (fstat(source->descriptor, &status) != 0)
        failure = errno;
    else if (S_ISDIR(status.st_mode))
        failure = EISDIR;
    else if (S_ISREG(status.st_mode))
        source->start = lseek(source->descriptor, 0, SEEK_CUR);
    if (failure)
        xml_source_close(source);
    return failure;
}

void xml_source_memory(struct xml_source *source, const char *name, const char *text, size_t length)
{
    *source = (struct xml_source){.name = name, .descriptor = -1, .start = 0, .text = text, .length = length};
}

void xml_source_close(struct xml_source *source)
{
    if (source->owned)
        close(source->descriptor);
    source->owned = false;
    source->descriptor = -1;
}

static int read_file(struct xml_source *source, char *buffer, int size)
{
    ssize_t got = input_read(source->descriptor, buffer, (size_t)size);
    if (got < 0)
        source->failure = errno;
    return (int)got;
}

static int read_memory(struct xml_source *source, char *buffer, int size)
{
    size_t left = source->length - source->position;
    int got = left < (size_t)size ? (int)left : size;
    if (got > 0)
        memcpy(buffer, source->text + source->position, (size_t)got);
    source->position += (size_t)got;
    return got;
}

static int read_bytes(struct xml_source *source, char *buffer, int size)
{
    return source->descriptor >= 0 ? read_file(source, buffer, size) : read_memory(source, buffer, size);
}

static bool starts_name(char byte)
{
    return isalpha((unsigned char)byte) || byte == '_' || byte == ':' || ((unsigned char)byte & 0x80);
}

/* What begins at the byte after "<". */
static void begin_markup(struct xml_scanner *scanner, char byte)
{
    switch (byte) {
    case '/': scanner->region = XML_END_TAG; return;
    case '!': scanner->region = XML_DECLARATION; return;
    case '?': scanner->region = XML_INSTRUCTION; return;
    default: break;
    }
    scanner->region = XML_CONTENT;
    if (starts_name(byte)) {
        scanner->region = XML_START_TAG;
        scanner->elements++;
    }
}

/* Skips quoted values, which may hold ">"; true when byte is the ">" that ends a tag. */
static bool ends_tag(struct xml_scanner *scanner, char byte)
{
    if (scanner->quote) {
        if (byte == scanner->quote)
            scanner->quote = 0;
        return false;
    }
    if (byte == '"' || byte == '\'') {
        scanner->quote = byte;
        scanner->attributes++;
    }
    return byte == '>';
}

static bool ends_region(struct xml_scanner *scanner, char byte)
{
    switch (scanner->region) {
    case XML_START_TAG:
    case XML_DOCTYPE: return ends_tag(scanner, byte);
    case XML_REFERENCE: return byte == ';';
    case XML_END_TAG: return byte == '>';
    case XML_COMMENT: return byte == '>' && scanner->last == '-' && scanner->before == '-';
    case XML_CDATA: return byte == '>' && scanner->last == ']' && scanner->before == ']';
    case XML_INSTRUCTION: return byte == '>' && scanner->last == '?';
    default: return false;
    }
}

static void begin(struct xml_scanner *scanner, enum xml_region region)
{
    scanner->region = region;
    scanner->bytes = 0;
    scanner->attributes = 0;
}

void xml_scan_byte(struct xml_scanner *scanner, char byte)
{
    if (byte == '\0') /* half of an ASCII character in UTF-16 */
        return;
    scanner->bytes++;
    if (scanner->region == XML_CONTENT) {
        if (byte == '<' || byte == '&')
            begin(scanner, byte == '<' ? XML_MARKUP : XML_REFERENCE);
    } else if (scanner->region == XML_MARKUP) {
        begin_markup(scanner, byte);
    } else if (scanner->region == XML_DECLARATION) {
        scanner->region = byte == '-' ? XML_COMMENT : byte == '[' ? XML_CDATA : XML_DOCTYPE;
    } else if (ends_region(scanner, byte)) {
        scanner->region = XML_CONTENT;
    }
    scanner->before = scanner->last;
    scanner->last = byte;
}

int xml_source_read(void *context, char *buffer, int size)
{
    struct xml_source *source = context;
    struct xml_scanner *scanner = &source->scanner;
    int got = read_bytes(source, buffer, size);
    for (int i = 0; i < got; i++) {
        xml_scan_byte(scanner, buffer[i]);
        if (scanner->region != XML_CONTENT &&
            (scanner->bytes > XML_MAX_MARKUP_BYTES || scanner->attributes > XML_MAX_ATTRIBUTES)) {
            source->monstrous = true;
            return -1;
        }
    }
    if (got > 0)
        source->delivered += (uint64_t)got;
    return got;
}

static bool rewind_source(struct xml_source *source)
{
    source->position = 0;
    if (source->descriptor < 0)
        return true;
    return source->start >= 0 && lseek(source->descriptor, source->start, SEEK_SET) >= 0;
}

/* How many bytes of text may be kept without splitting a UTF-8 character at the cut. */
static size_t whole_characters(const char *text, size_t length)
{
    size_t end = length;
    while (end > 0 && length - end < 4 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
        end--;
    if (end == 0 || !((unsigned char)text[end - 1] & 0x80))
        return end;
    unsigned char lead = (unsigned char)text[end - 1];
    size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    return length - (end - 1) >= wanted ? end - 1 + wanted : end - 1;
}

static bool is_utf8(const char *text)
{
    size_t length = 1;
    for (; *text && length; text += length)
        length = utf8_length((const unsigned char *)text);
    return length;
}

void xml_clean_text(char *out, size_t size, const char *text, size_t length)
{
    size_t kept = length < size ? length : size - 1;
    if (kept < length)
        kept = whole_characters(text, kept);
    for (size_t i = 0; i < kept; i++)
        out[i] = text[i] != '\t' && iscntrl((unsigned char)text[i]) ? '?' : text[i];
    out[kept] = '\0';
    if (!is_utf8(out)) /* a line of a file in another encoding */
        for (size_t i = 0; i < kept; i++)
            out[i] = (unsigned char)out[i] & 0x80 ? '?' : out[i];
}

/* The beginning of the line that is being scanned. */
struct line {
    unsigned number, column;        /* of the byte that comes next */
    char head[XML_SHOWN_BYTES + 1]; /* the extra byte tells that there is more */
    size_t length;
};

/* Is the byte just stepped over the first of the name of the wanted tag? */
static bool at_element(const struct xml_scanner *scanner, int previous, uint32_t element)
{
    if (element == XML_DOCTYPE_ELEMENT)
        return previous == XML_DECLARATION && scanner->region == XML_DOCTYPE;
    return previous == XML_MARKUP && scanner->region == XML_START_TAG && scanner->elements == element;
}

static void count_byte(struct line *line, char byte)
{
    if (byte == '\n') {
        line->number++;
        line->column = 1;
        line->length = 0;
        return;
    }
    line->column++;
    if (line->length < sizeof line->head)
        line->head[line->length++] = byte;
}

/* What is looked for: the beginning of a line, or of the tag of an element. */
struct goal {
    unsigned line; /* 0 when looking for an element */
    uint32_t element;
};

/* Reads until the goal is met and its line is complete; the column of the goal, 0 when it was not met. */
static unsigned scan(struct xml_source *source, const struct goal *goal, struct line *line)
{
    char buffer[16384];
    struct xml_scanner scanner = {0};
    unsigned found = goal->line == 1;
    for (int got; (got = read_bytes(source, buffer, sizeof buffer)) > 0;) {
        for (int i = 0; i < got; i++) {
            if (found && (buffer[i] == '\n' || line->length == sizeof line->head))
                return found;
            count_byte(line, buffer[i]);
            if (found)
                continue;
            int previous = scanner.region;
            xml_scan_byte(&scanner, buffer[i]);
            if (goal->line)
                found = line->number == goal->line;
            else if (at_element(&scanner, previous, goal->element)) /* step back over "<" or "<!" */
                found = line->column - (goal->element == XML_DOCTYPE_ELEMENT ? 3 : 2);
        }
    }
    return found;
}

/* Shows the line when the column lies in the part that is shown. */
static void show_line(const struct line *line, struct xml_location *location)
{
    size_t length = line->length;
    if (memchr(line->head, '\0', length)) { /* UTF-16, or no text at all */
        location->column = 1;
        return;
    }
    if (length > 0 && line->head[length - 1] == '\r')
        length--;
    if (location->column <= length + 1 && location->column <= XML_SHOWN_BYTES)
        xml_clean_text(location->text, sizeof location->text, line->head, length);
}

void xml_locate_element(struct xml_source *source, struct xml_spot spot, struct xml_location *location)
{
    struct line line = {.number = 1, .column = 1};
    struct goal goal = {.element = spot.element};
    *location = (struct xml_location){.line = spot.line, .column = 1};
    if (!rewind_source(source))
        return;
    unsigned column = scan(source, &goal, &line);
    if (column) {
        location->line = line.number;
        location->column = column;
        show_line(&line, location);
    }
}

void xml_locate_line(struct xml_source *source, unsigned number, unsigned column, struct xml_location *location)
{
    struct line line = {.number = 1, .column = 1};
    struct goal goal = {.line = number};
    *location = (struct xml_location){.line = number, .column = column ? column : 1};
    if (rewind_source(source) && scan(source, &goal, &line)) {
        /* libxml2 counts in characters and may point beyond the end */
        if (line.length < sizeof line.head && location->column > line.length + 1)
            location->column = (unsigned)line.length + 1;
        show_line(&line, location);
    }
}
