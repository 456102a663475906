// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/page/page.h"

#include <math.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/version.h"
#include "lib/base/printable.h"
#include "lib/machine/machine.h"

static const char *of_html(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* "</script>" and "<!--" would end or change the element around it. */
static const char *of_json(char c)
{
	switch (c) {
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '&':
		return "\\u0026";
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

static void put(FILE *fp, char c, const char *instead)
{
	if (instead)
		fputs(instead, fp);
	else
		fputc(c, fp);
}

static void put_html(FILE *fp, const char *letter)
{
	put(fp, *letter, of_html(*letter));
}

static void put_json(FILE *fp, const char *letter)
{
	put(fp, *letter, of_json(*letter));
}

void td_page_put(FILE *fp, const char *text)
{
	td_put_escaped(fp, text, put_html, "\\x");
}

void td_page_put_json(FILE *fp, const char *text)
{
	fputc('"', fp);
	td_put_escaped(fp, text, put_json, "\\\\x");
	fputc('"', fp);
}

void td_page_put_number(FILE *fp, double value)
{
	if (isfinite(value))
		fprintf(fp, "%.6g", value == 0 ? 0 : value);
	else
		fputs("null", fp);
}

void td_page_put_cell(FILE *fp, double value, int decimals, bool sign)
{
	char buf[64];

	fputs("<td class=\"number\">", fp);
	if (!isnan(value))
		fprintf(fp, "<data value=\"%.12g\">%s%s</data>", value,
			sign && value > 0 ? "+" : "",
			td_out_format(buf, decimals, value));
	fputs("</td>", fp);
}

/* --- the beginning and the end of a page, and its heading ----------------- */

#define LONG_TARGET 80 /* characters */

/* The assembler has a way to read files, which C has not yet. */
#define EMBED(symbol, path)                               \
	__asm__(".pushsection .rodata\n"                  \
		".global " symbol "\n"                    \
		".type " symbol ",@object\n" symbol ":\n" \
		".incbin \"" path "\"\n"                  \
		".byte 0\n"                               \
		".size " symbol ", . - " symbol "\n"      \
		".popsection\n")

extern const char td_page_css[], td_page_js[], td_page_js_hash[];
EMBED("td_page_css", "cmd/out/page/page.css");
EMBED("td_page_js", "cmd/out/page/page.js");
/* The base64 of the script's SHA-256: a page lets no other script run. */
EMBED("td_page_js_hash", "build/page.js.hash");

void td_page_begin(FILE *fp, const char *title)
{
	fprintf(fp,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"generator\" content=\"tdstat %s\">\n<title>",
		td_page_js_hash, TDSTAT_VERSION);
	td_page_put(fp, title);
	fprintf(fp, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
		td_page_css);
}

void td_page_end(FILE *fp)
{
	fprintf(fp,
		"</main>\n<footer>tdstat %s. A share is of the slots unless its "
		"unit says otherwise; \302\261 is half of the 95\302\240%% "
		"interval; * is over its threshold, ? cannot be, ~ is lost in a "
		"correction. In the pictures, children that are more than the "
		"node above, as they are shares of cycles, fill it."
		"</footer>\n<script>%s</script>\n</body>\n</html>\n",
		TDSTAT_VERSION, td_page_js);
}

static void put_machine(FILE *fp, const struct td_machine *machine)
{
	char cpuid[48];

	/* a file of perf stat does not tell it */
	if (!machine || !machine->cpuid.family)
		return;
	td_cpuid_format(&machine->cpuid, cpuid);
	fputs("<dt>Processor</dt><dd>", fp);
	if (machine->model)
		fprintf(fp, "%s, ", machine->model->name);
	td_page_put(fp, cpuid);
	fputs("</dd>\n", fp);
	if (machine->online.nr)
		fprintf(fp, "<dt>CPUs</dt><dd>%zu</dd>\n", machine->online.nr);
}

static void put_when(FILE *fp, const struct td_frame *frame)
{
	struct td_frame wall = *frame;
	char buf[TD_CLOCK_SIZE];

	if (!frame->start_ns)
		return;
	wall.time = TD_TIME_WALL;
	fprintf(fp, "<dt>Started</dt><dd>%s</dd>\n",
		td_out_time(buf, &wall, 0));
}

static void put_target(FILE *fp, const struct td_frame *frame)
{
	td_page_put(fp, td_target_words(frame->target_kind));
	td_page_put(fp, frame->target ? frame->target : "");
}

void td_page_put_facts(const struct td_writer *writer, bool with_target)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	fputs("<dl>\n", fp);
	if (with_target && frame->target) {
		fputs("<dt>Of</dt><dd>", fp);
		put_target(fp, frame);
		fputs("</dd>\n", fp);
	}
	put_machine(fp, frame->machine);
	put_when(fp, frame);
	if (frame->runs > 1)
		fprintf(fp,
			"<dt>Runs</dt><dd>%d, of which these are means</dd>\n",
			frame->runs);
	fputs("</dl>\n", fp);
}

void td_page_heading(const struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	/* the words of a long command are text, not a title */
	fprintf(fp, "<header>\n<h1%s>",
		frame->target && strlen(frame->target) > LONG_TARGET
			? " class=\"long\""
			: "");
	put_target(fp, frame);
	fputs("</h1>\n", fp);
	td_page_put_facts(writer, false);
	fputs("</header>\n", fp);
}
