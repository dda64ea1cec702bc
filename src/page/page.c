/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include "base/diagnostic.h"
#include "page/pack.h"
#include "page_texts.h"
#include "report/escape.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PLAIN = 200000 }; /* what is longer is packed */

enum portolan_status page_begin(struct html_page *page, struct portolan_error *error)
{
    *page = (struct html_page){0};
    page->memory = open_memstream(&page->data, &page->size);
    if (!page->memory)
        return fail_memory(error);
    json_start(&page->json, page->memory);
    json_open(&page->json, NULL, '{');
    return PORTOLAN_OK;
}

enum portolan_status page_without_picture(struct html_page *page, enum portolan_status status,
                                          const struct portolan_error *error)
{
    if (status != PORTOLAN_IO)
        return status;
    snprintf(page->no_picture, sizeof page->no_picture, "%s", error->message);
    return PORTOLAN_OK;
}

/* A '<' stands in strings only, and could end the script there. */
static void write_plain(const char *data, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(data[i], out);
}

static bool write_packed(const char *data, size_t size, FILE *out)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return false;
    write_plain(data, size, memory);
    bool fine = fclose(memory) == 0;
    if (fine) {
        fprintf(out, "<script type=\"text/plain\" id=\"data\" data-size=\"%zu\">", length);
        fine = pack(text, length, out);
    }
    free(text);
    return fine;
}

static bool write_data(const char *data, size_t size, FILE *out)
{
    if (size > LONGEST_PLAIN)
        return write_packed(data, size, out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    write_plain(data, size, out);
    return true;
}

enum portolan_status page_write(struct html_page *page, const char *title, const char *text, FILE *out,
                                struct portolan_error *error)
{
    if (page->no_picture[0])
        json_string(&page->json, "no_picture", page->no_picture);
    json_close(&page->json, '}');
    bool fine = fclose(page->memory) == 0;
    page->memory = NULL;
    if (!fine)
        return fail_memory(error);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    write_escaped(out, title);
    fputs(" - Portolan</title>\n<style>\n" TEXT_PAGE_CSS "</style></head>\n<body>\n<main id=\"page\"></main>\n", out);
    if (text) {
        fputs("<details id=\"text\" open><summary>The answer as text</summary><pre>", out);
        write_escaped(out, text);
        fputs("</pre></details>\n", out);
    }
    if (!write_data(page->data, page->size, out))
        return fail_memory(error);
    fputs("</script>\n<script>\n" TEXT_PARTS_JS, out);
    fputs(text ? TEXT_ANSWER_JS : TEXT_SERVE_JS, out);
    fputs("</script>\n</body></html>\n", out);
    return PORTOLAN_OK;
}

void page_clear(struct html_page *page)
{
    if (page->memory)
        fclose(page->memory);
    free(page->data);
    *page = (struct html_page){0};
}

enum portolan_status page_of(tell_function *tell, void *what, const char *title, const char *text, FILE *out,
                             struct portolan_error *error)
{
    struct html_page page;
    enum portolan_status status = page_begin(&page, error);
    if (status == PORTOLAN_OK) {
        json_string(&page.json, "title", title);
        status = tell(&page, what, error);
    }
    if (status == PORTOLAN_OK)
        status = page_write(&page, title, text, out, error);
    page_clear(&page);
    return status;
}
