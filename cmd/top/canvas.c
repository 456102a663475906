// SPDX-License-Identifier: GPL-2.0-only
/* A window's text with styles, cell by cell. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/parts.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Returns NULL if out of memory. */
static char *printable(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *fp;

	if (td_is_text(text))
		return strdup(text);
	fp = open_memstream(&copy, &size);
	if (!fp)
		return NULL;
	td_put_printable(fp, text);
	td_text_close(fp, &copy);
	return copy;
}

/* The bytes of a character. */
static size_t glyph_length(const char *text)
{
	size_t len = 1;

	while (((unsigned char)text[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* The bytes of the first so many columns of a printable text. */
static size_t bytes_of(const char *text, int columns)
{
	size_t len = 0;

	for (; columns > 0 && text[len]; columns--)
		len += glyph_length(text + len);
	return len;
}

static void add(struct td_canvas *canvas, const struct td_top_cell *cell)
{
	struct td_top_cell *slot =
		td_array_add(&canvas->cells, canvas->nr, sizeof(*slot));

	if (!slot) {
		free(cell->text);
		canvas->no_memory = true;
		return;
	}
	*slot = *cell;
	canvas->nr++;
}

/* Returns NULL if out of memory. */
__attribute__((format(printf, 1, 0))) static char *format(const char *fmt,
							  va_list ap)
{
	td_autofree char *text = NULL;

	if (vasprintf(&text, fmt, ap) >= 0)
		return printable(text);
	text = NULL;
	return NULL;
}

void td_canvas_put(struct td_canvas *canvas, int y, int x, int width,
		   enum td_top_style style, const char *fmt, ...)
{
	struct td_top_cell cell = { y, x, width, style, NULL };
	va_list ap;

	if (y < 0 || y >= canvas->height || x < 0 || x >= canvas->width)
		return;
	if (cell.width > canvas->width - x)
		cell.width = canvas->width - x;
	if (cell.width <= 0)
		return;
	va_start(ap, fmt);
	cell.text = format(fmt, ap);
	va_end(ap);
	if (!cell.text) {
		canvas->no_memory = true;
		return;
	}
	cell.text[bytes_of(cell.text, cell.width)] = '\0';
	add(canvas, &cell);
}

void td_canvas_fill(struct td_canvas *canvas, int y, int x, int width,
		    enum td_top_style style, char sign)
{
	td_autofree char *signs = NULL;

	if (width < 1)
		return;
	signs = malloc((size_t)width + 1);
	if (!signs) {
		canvas->no_memory = true;
		return;
	}
	memset(signs, sign, (size_t)width);
	signs[width] = '\0';
	td_canvas_put(canvas, y, x, width, style, "%s", signs);
}

void td_canvas_clear(struct td_canvas *canvas, int width, int height)
{
	td_canvas_free(canvas);
	canvas->width = width;
	canvas->height = height;
}

void td_canvas_free(struct td_canvas *canvas)
{
	for (size_t i = 0; i < canvas->nr; i++)
		free(canvas->cells[i].text);
	free(canvas->cells);
	*canvas = (struct td_canvas){ 0 };
}
