/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as a page: dot draws all pictures in one go, and they are put beside each other as far as the page is wide.
 */
#include "report/pictures.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "report/dot.h"
#include "report/escape.h"
#include "system/stepper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 1100, MARGIN = 16, CAPTION = 26, LEGEND = 44, LETTER = 7 };

static bool write_picture(const struct portolan_system *system, const void *state, uint32_t action, size_t number,
                          FILE *out)
{
    fprintf(out,
            "digraph picture%zu {\ngraph [nodesep=0.35 ranksep=0.45 margin=0 rankdir=LR];\n"
            "node [fontname=\"Helvetica\" fontsize=11 height=0.3 margin=\"0.1,0.05\"];\n"
            "edge [fontname=\"Helvetica\" fontsize=10 arrowsize=0.7];\n",
            number);
    bool fine = picture_statements(system, state, action, "n", out);
    fputs("}\n", out);
    return fine;
}

static enum portolan_status write_statements(struct portolan_system *system, const uint32_t *actions, size_t count,
                                             FILE *out, struct portolan_error *error)
{
    struct stepper stepper;
    if (!stepper_make(&stepper, system))
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i <= count && status == PORTOLAN_OK; i++) {
        uint32_t action = i < count ? actions[i] : PORTOLAN_NO_ACTION;
        if (limits_reached() || !write_picture(system, stepper.state, action, i, out))
            status = fail_memory(error);
        if (i < count && status == PORTOLAN_OK)
            status = stepper_fire(&stepper, action, error);
    }
    stepper_clear(&stepper);
    return status;
}

enum portolan_status pictures_draw(struct portolan_system *system, const uint32_t *actions, size_t count, char **drawn,
                                   struct portolan_error *error)
{
    FILE *in = tmpfile();
    *drawn = NULL;
    if (!in)
        return fail(error, PORTOLAN_IO, "cannot create a temporary file: %s", strerror(errno));
    enum portolan_status status = write_statements(system, actions, count, in, error);
    if (status == PORTOLAN_OK)
        status = dot_draw(in, drawn, error);
    fclose(in);
    return status;
}

enum portolan_status picture_draw(const struct portolan_system *system, const void *state, char **drawn,
                                  struct portolan_error *error)
{
    FILE *in = tmpfile();
    *drawn = NULL;
    if (!in)
        return fail(error, PORTOLAN_IO, "cannot create a temporary file: %s", strerror(errno));
    enum portolan_status status =
        write_picture(system, state, PORTOLAN_NO_ACTION, 0, in) ? dot_draw(in, drawn, error) : fail_memory(error);
    fclose(in);
    return status;
}

/* ------------------------------------------------------------------ the page */

struct page {
    const struct portolan_system *system;
    const uint32_t *actions;
    size_t count;
    const char *end;
    bool is_html;
    FILE *out;
    double x, y, row_height, width;
};

/* "3  getLeft(p1)": the step that leads from this state. */
static void caption(const struct page *page, size_t number, char *text, size_t size)
{
    const struct portolan_system *system = page->system;
    const char *name =
        number < page->count && system->action_name ? system->action_name(system->model, page->actions[number]) : NULL;
    if (number == page->count)
        snprintf(text, size, "%s", page->count ? "then" : "the start");
    else
        snprintf(text, size, "%zu  %s", number + 1, name ? name : "");
}

/* A picture never is wider than the page. */
static double scale_of(const struct drawing *drawing)
{
    double room = PAGE_WIDTH - 2 * MARGIN;
    return drawing->width > room ? room / drawing->width : 1;
}

static void write_svg(FILE *out, const struct drawing *d, double x, double y, double scale)
{
    fprintf(out, "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%g %g %g %g\">", x, y,
            d->width * scale, d->height * scale, d->left, d->top, d->wide, d->high);
    fwrite(d->body, 1, (size_t)(d->end - d->body), out);
    fputs("</svg>\n", out);
}

/* Beside the last one, or in a new row; `out` NULL: only the place is taken. */
static void place(struct page *page, const struct drawing *d, size_t number, FILE *out)
{
    char text[256];
    caption(page, number, text, sizeof text);
    double scale = scale_of(d), width = d->width * scale, height = d->height * scale + CAPTION;
    if (width < (double)(LETTER * strlen(text)))
        width = (double)(LETTER * strlen(text));
    if (page->x > MARGIN && page->x + width > PAGE_WIDTH - MARGIN) {
        page->x = MARGIN;
        page->y += page->row_height + MARGIN;
        page->row_height = 0;
    }
    if (out) {
        fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">", page->x, page->y + CAPTION / 2.0);
        write_escaped(out, text);
        fputs("</text>\n", out);
        write_svg(out, d, page->x, page->y + CAPTION, scale);
    }
    page->x += width + 2 * MARGIN;
    if (height > page->row_height)
        page->row_height = height;
}

static const char *const legend[][2] = {
    {"found", "#1f5fa8"}, {"deleted", "#c62828"}, {"created", "#2e7d32"}, {"forbidden", "#8e24aa"}};

static void write_legend(FILE *out, bool is_html)
{
    for (unsigned i = 0; i < sizeof legend / sizeof *legend; i++)
        if (is_html)
            fprintf(out, "<span style=\"color:%s\">&#9632; %s</span>\n", legend[i][1], legend[i][0]);
        else
            fprintf(out, "<text x=\"%u\" y=\"24\" fill=\"%s\">&#9632; %s</text>\n", MARGIN + i * 100, legend[i][1],
                    legend[i][0]);
}

static void start_again(struct page *page)
{
    page->x = MARGIN;
    page->y = LEGEND;
    page->row_height = 0;
}

static void place_all(struct page *page, const char *drawn, FILE *out)
{
    struct drawing drawing;
    start_again(page);
    for (size_t i = 0; next_drawing(&drawn, &drawing); i++)
        place(page, &drawing, i, out);
}

static void write_end(const struct page *page, double y)
{
    fprintf(page->out, "<text x=\"%d\" y=\"%.0f\" fill=\"#900\" font-weight=\"bold\">", MARGIN, y);
    write_escaped(page->out, page->end);
    fputs("</text>\n", page->out);
}

static void write_svg_page(struct page *page, const char *drawn)
{
    place_all(page, drawn, NULL);
    double bottom = page->y + page->row_height + MARGIN, height = bottom + (page->end ? CAPTION + MARGIN : 0);
    fprintf(page->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%d\" "
            "height=\"%.0f\" viewBox=\"0 0 %d %.0f\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            PAGE_WIDTH, height, PAGE_WIDTH, height);
    write_legend(page->out, false);
    place_all(page, drawn, page->out);
    if (page->end)
        write_end(page, bottom + CAPTION / 2.0);
    fputs("</svg>\n", page->out);
}

static void write_html_page(struct page *page, const char *drawn)
{
    struct drawing drawing;
    char text[256];
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", page->out);
    write_escaped(page->out, page->system->name);
    fputs("</title>\n<style>body{font:14px Helvetica,Arial,sans-serif;margin:16px}main{display:flex;flex-wrap:wrap;"
          "gap:16px 32px}figure{margin:0;break-inside:avoid}figcaption{font-weight:bold;margin-bottom:6px}"
          "svg{max-width:100%;height:auto}span{margin-right:1em}.end{color:#900;font-weight:bold}</style></head>\n"
          "<body><p>",
          page->out);
    write_legend(page->out, true);
    fputs("</p>\n<main>\n", page->out);
    for (size_t i = 0; next_drawing(&drawn, &drawing); i++) {
        caption(page, i, text, sizeof text);
        fputs("<figure><figcaption>", page->out);
        write_escaped(page->out, text);
        fputs("</figcaption>\n", page->out);
        write_svg(page->out, &drawing, 0, 0, scale_of(&drawing));
        fputs("</figure>\n", page->out);
    }
    fputs("</main>\n", page->out);
    if (page->end) {
        fputs("<p class=\"end\">", page->out);
        write_escaped(page->out, page->end);
        fputs("</p>\n", page->out);
    }
    fputs("</body></html>\n", page->out);
}

enum portolan_status pictures_write(struct portolan_system *system, const uint32_t *actions, size_t count,
                                    const char *end, bool is_html, FILE *out, struct portolan_error *error)
{
    char *drawn;
    struct page page = {
        .system = system, .actions = actions, .count = count, .end = end, .is_html = is_html, .out = out};
    enum portolan_status status = pictures_draw(system, actions, count, &drawn, error);
    if (status != PORTOLAN_OK)
        return status;
    if (is_html)
        write_html_page(&page, drawn);
    else
        write_svg_page(&page, drawn);
    free(drawn);
    return PORTOLAN_OK;
}
