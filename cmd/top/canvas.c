// SPDX-License-Identifier: GPL-2.0-only
/* A window's text with styles, cell by cell. */
#include <stdarg.h>

#include "cmd/top/parts.h"
#include "lib/base/printable.h"

static char *printable(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *fp;

	if (td_is_text(text))
		return td_strdup(text);
	fp = td_open_memstream(&copy, &size);
	td_put_printable(fp, text);
	td_text_close(fp, &copy);
	return copy;
}

/* Return the number of bytes of a character. */
static size_t glyph_length(const char *text)
{
	size_t len = 1;

	while (((unsigned char)text[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* Return the number of bytes of the first columns of a printable text. */
static size_t bytes_of(const char *text, int columns)
{
	size_t len = 0;

	for (; columns > 0 && text[len]; columns--)
		len += glyph_length(text + len);
	return len;
}

__attribute__((format(printf, 1, 0))) static char *format(const char *fmt, va_list ap)
{
	td_autofree char *text = NULL;

	td_vasprintf(&text, fmt, ap);
	return printable(text);
}

void td_canvas_put(struct td_canvas *canvas, int y, int x, int width, enum td_top_style style,
		   const char *fmt, ...)
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
	cell.text[bytes_of(cell.text, cell.width)] = '\0';
	td_array_push(&canvas->cells, &canvas->nr, &cell, sizeof(cell));
}

void td_canvas_fill(struct td_canvas *canvas, int y, int x, int width, enum td_top_style style,
		    char sign)
{
	td_autofree char *signs = NULL;

	if (width < 1)
		return;
	signs = td_malloc((size_t)width + 1);
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
