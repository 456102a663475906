// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/pictures/page.h"

#include <math.h>
#include <string.h>

#include "cmd/output/out.h"
#include "cmd/version.h"
#include "lib/base/printable.h"
#include "lib/machine/machine.h"

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

static void put_json(FILE *fp, const char *letter)
{
	const char *instead = of_json(*letter);

	if (instead)
		fputs(instead, fp);
	else
		fputc(*letter, fp);
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
			sign && value > 0 ? "+" : "", td_out_format(buf, decimals, value));
	fputs("</td>", fp);
}

/* --- the beginning and the end of a page, and its heading ----------------- */

#define LONG_TARGET 80 /* characters */

/* C cannot include the bytes of a file; the assembler can. */
#define EMBED(symbol, path)                               \
	__asm__(".pushsection .rodata\n"                  \
		".global " symbol "\n"                    \
		".type " symbol ",@object\n" symbol ":\n" \
		".incbin \"" path "\"\n"                  \
		".byte 0\n"                               \
		".size " symbol ", . - " symbol "\n"      \
		".popsection\n")

extern const char td_page_css[], td_page_js[], td_page_js_hash[];
EMBED("td_page_css", "cmd/pictures/page.css");
EMBED("td_page_js", "cmd/pictures/page.js");
/* The base64 of the script's SHA-256; a page runs no other script. */
EMBED("td_page_js_hash", "build/page.js.hash");

void td_page_begin(FILE *fp, const char *title)
{
	fprintf(fp,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action "
		"'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"generator\" content=\"tdstat %s\">\n<title>",
		td_page_js_hash, td_version);
	td_put_html(fp, title);
	fprintf(fp, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", td_page_css);
}

void td_page_end(FILE *fp)
{
	fprintf(fp,
		"</main>\n<footer>tdstat %s. Percentages are of slots unless stated; \302\261 "
		"half of the 95\302\240%% confidence interval; * above threshold, ? impossible, "
		"~ may be 0. In charts, children measured in cycles are scaled to fill their "
		"parent.</footer>\n<script>%s</script>\n</body>\n</html>\n",
		td_version, td_page_js);
}

static void put_machine(FILE *fp, const struct td_machine *machine)
{
	char cpuid[48];

	/* a file of perf stat does not contain it */
	if (!machine || !machine->cpuid.family)
		return;
	td_cpuid_format(&machine->cpuid, cpuid);
	fputs("<dt>Processor</dt><dd>", fp);
	if (machine->model)
		fprintf(fp, "%s, ", machine->model->name);
	td_put_html(fp, cpuid);
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
	fprintf(fp, "<dt>Started</dt><dd>%s</dd>\n", td_out_time(buf, &wall, 0));
}

static void put_target(FILE *fp, const struct td_frame *frame)
{
	td_put_html(fp, td_target_words(frame->target_kind));
	td_put_html(fp, frame->target ? frame->target : "");
}

void td_page_put_facts(const struct td_writer *writer, bool with_target)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	fputs("<dl>\n", fp);
	if (with_target && frame->target) {
		fputs("<dt>Target</dt><dd>", fp);
		put_target(fp, frame);
		fputs("</dd>\n", fp);
	}
	put_machine(fp, frame->machine);
	put_when(fp, frame);
	if (frame->runs > 1)
		fprintf(fp, "<dt>Runs</dt><dd>%d; values are means</dd>\n", frame->runs);
	fputs("</dl>\n", fp);
}

void td_page_heading(const struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	/* a long command is shown as text, not as a title */
	fprintf(fp, "<header>\n<h1%s>",
		frame->target && strlen(frame->target) > LONG_TARGET ? " class=\"long\"" : "");
	put_target(fp, frame);
	fputs("</h1>\n", fp);
	td_page_put_facts(writer, false);
	fputs("</header>\n", fp);
}
