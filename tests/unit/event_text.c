// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the grammar of -e (lib/event/spec.h), which is that of perf
 * (tools/perf/util/parse-events.l and .y; perf-list(1), EVENT MODIFIERS).
 */
#include "lib/event/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

/*
 * An event as text: its kind, its terms between slashes (a number's value after
 * #), its modifiers in the order of perf-list(1), and @group.
 */
/* clang-format off */
static const struct {
	const char *text, *want;
} rows[] = {
	/* names */
	{ "cycles", "cycles" },
	{ "cycles,instructions", "cycles instructions" },
	{ "L1-dcache-load-misses", "L1-dcache-load-misses" },
	{ "INST_RETIRED.ANY", "INST_RETIRED.ANY" },
	{ "duration_time", "duration_time" },
	{ "cyclesu", "cyclesu" }, /* not a modifier: nothing separates it */
	{ "uuu", "uuu" },
	{ "b", "b" },

	/* modifiers */
	{ "cycles:", "cycles" }, /* sep_slash_slash_dc */
	{ "cycles:u", "cycles:u" },
	{ "cycles:k", "cycles:k" },
	{ "cycles:h", "cycles:h" },
	{ "cycles:G", "cycles:G" },
	{ "cycles:H", "cycles:H" },
	{ "cycles:I", "cycles:I" },
	{ "cycles:p", "cycles:p" },
	{ "cycles:pp", "cycles:pp" },
	{ "cycles:ppp", "cycles:ppp" },
	{ "cycles:P", "cycles:P" },
	{ "cycles:S", "cycles:S" },
	{ "cycles:D", "cycles:D" },
	{ "cycles:e", "cycles:e" },
	{ "cycles:R", "cycles:R" },
	{ "cycles:X", "cycles:X" },
	{ "cycles:ku", "cycles:uk" },
	{ "cycles:pupkp", "cycles:ukppp" },
	{ "cycles:ukhGHIpppPSDeRX", "cycles:ukhGHIpppPSDeRX" },
	{ "cpu/cycles/u", "cpu/cycles#1/:u" },
	{ "cpu/cycles/:u", "cpu/cycles#1/:u" },
	{ "cycles//k", "cycles//:k" },

	/* raw */
	{ "r1a8", "raw 1a8" },
	{ "r0", "raw 0" },
	{ "rFF", "raw ff" },
	{ "r0x1a8", "raw 1a8" },
	{ "rffffffffffffffff", "raw ffffffffffffffff" },
	{ "rfffffffffffffffff", "rfffffffffffffffff" }, /* 68 bits */
	{ "r1a8:u", "raw 1a8:u" },
	{ "r1a8/name=x/k", "raw 1a8/name=x/:k" },
	{ "r", "r" },
	{ "r0x", "r0x" },
	{ "r1g", "r1g" },
	{ "R1A8", "R1A8" },
	{ "ref-cycles", "ref-cycles" },

	/* numeric */
	{ "0:0", "numeric 0 0" },
	{ "3:0x10002", "numeric 3 10002" },
	{ "0:0x400000000", "numeric 0 400000000" },
	{ "0x4:0x3c", "numeric 4 3c" },
	{ "4294967295:1", "numeric ffffffff 1" },
	{ "1:18446744073709551615", "numeric 1 ffffffffffffffff" },
	{ "0:0:u", "numeric 0 0:u" },
	{ "0:0/name=x/k", "numeric 0 0/name=x/:k" },

	/* tracepoints */
	{ "sched:sched_switch", "tracepoint sched sched_switch" },
	{ "sched:sched_*", "tracepoint sched sched_*" },
	{ "*:*exit*", "tracepoint * *exit*" },
	{ "sched:sched_[ps]*", "tracepoint sched sched_[ps]*" },
	{ "xhci-hcd:xhci_dbg_quirks", "tracepoint xhci-hcd xhci_dbg_quirks" },
	{ "sched:sched_switch:u", "tracepoint sched sched_switch:u" },
	{ "sched:sched_switch/name=x/k",
	  "tracepoint sched sched_switch/name=x/:k" },
	{ "cycles:x", "tracepoint cycles x" }, /* the system may exist */

	/* breakpoints */
	{ "mem:0x1000", "mem 1000" },
	{ "mem:4096", "mem 1000" },
	{ "mem:0", "mem 0" },
	{ "mem:0xffffffffff600000", "mem ffffffffff600000" },
	{ "mem:0x1000:r", "mem 1000 r" },
	{ "mem:0x1000:w", "mem 1000 w" },
	{ "mem:0x1000:x", "mem 1000 x" },
	{ "mem:0x1000:rw", "mem 1000 rw" },
	{ "mem:0x1000:wr", "mem 1000 rw" },
	{ "mem:0x1000:rwx", "mem 1000 rwx" },
	{ "mem:0x1000/8", "mem 1000 len 8" },
	{ "mem:0x1000/0x2:w", "mem 1000 len 2 w" },
	{ "mem:0x1000:u", "mem 1000:u" },
	{ "mem:0x1000u", "mem 1000:u" },
	{ "mem:4096k,faults", "mem 1000:k faults" },
	{ "mem:0x1000:w:u", "mem 1000 w:u" },
	{ "mem:0x1000/4:rw:k", "mem 1000 len 4 rw:k" },
	{ "mem:0x1000/name=x/", "mem 1000/name=x/" },
	{ "mem:0x1000:w/name=x/u", "mem 1000 w/name=x/:u" },
	{ "mem:0x1000/4:w/name=x/", "mem 1000 len 4 w/name=x/" },
	{ "mem:0x1000/4/name=x/", "mem 1000 len 4/name=x/" },
	{ "memory", "memory" },

	/* terms */
	{ "cpu//", "cpu//" },
	{ "cpu/event=0x3c/", "cpu/event=0x3c#60/" },
	{ "cpu/event=0x3c,umask=17/", "cpu/event=0x3c#60,umask=17#17/" },
	{ "cpu/event=0xc3,edge,cmask=1/", "cpu/event=0xc3#195,edge#1,cmask=1#1/" },
	{ "cpu/config=0xffffffffffffffff/",
	  "cpu/config=0xffffffffffffffff#18446744073709551615/" },
	{ "cpu/config=18446744073709551616/",
	  "cpu/config=18446744073709551616/" }, /* not a number */
	{ "cpu/config=0x/", "cpu/config=0x/" },
	{ "cpu/config=-1/", "cpu/config=-1/" },
	{ "cpu/name=abc/", "cpu/name=abc/" },
	{ "cpu/name='a,b/c=d:{e}'/", "cpu/name=a,b/c=d:{e}/" },
	{ "cpu/name='a b'/u", "cpu/name=a b/:u" },
	{ "cpu/name='1'/", "cpu/name=1/" }, /* a text, not a number */
	{ "cpu/name=a:b/", "cpu/name=a:b/" },
	{ "cpu/name=a=b/", "cpu/name=a=b/" },
	{ "cpu/r1a8,cmask=1/", "cpu/r1a8#1,cmask=1#1/" },
	{ "INST_RETIRED.ANY/cmask=1/", "INST_RETIRED.ANY/cmask=1#1/" },
	{ "cpu/INST_RETIRED.ANY,cmask=1/u",
	  "cpu/INST_RETIRED.ANY#1,cmask=1#1/:u" },
	{ "cpu_*/cycles/", "cpu_*/cycles#1/" },
	{ "uncore_imc_[01]/event=1/", "uncore_imc_[01]/event=1#1/" },
	{ "cpu/topdown-retiring/,cpu/slots/",
	  "cpu/topdown-retiring#1/ cpu/slots#1/" },

	/* groups */
	{ "{cycles}", "cycles@0" },
	{ "{cycles,instructions}", "cycles@0 instructions@0" },
	{ "cycles,{instructions,branches},faults",
	  "cycles instructions@0 branches@0 faults" },
	{ "{cycles},{instructions}", "cycles@0 instructions@1" },
	{ "name{cycles,instructions}", "cycles@0 instructions@0" },
	{ "cycles,a-b.c{instructions}", "cycles instructions@0" },
	{ "{cpu/event=1,umask=2/,r1}", "cpu/event=1#1,umask=2#2/@0 raw 1@0" },
	{ "{mem:0x1000/4:w,sched:*}", "mem 1000 len 4 w@0 tracepoint sched *@0" },
	{ "{cycles,instructions}:u", "cycles:u@0 instructions:u@0" },
	{ "{cycles,instructions}:W", "cycles:W@0 instructions:W@0" },
	{ "{cycles,instructions}:Wu", "cycles:uW@0 instructions:uW@0" },
	{ "{cycles:k,instructions}:u", "cycles:uk@0 instructions:u@0" },
	{ "{cycles:u,instructions}:u", "cycles:u@0 instructions:u@0" },
	{ "{cycles:p,instructions}:pp", "cycles:ppp@0 instructions:pp@0" },
	{ "{cycles:G,instructions:S}:HIPRX",
	  "cycles:GHIPRX@0 instructions:HIPSRX@0" },
	{ "{cycles,instructions}:D", "cycles:D@0 instructions:D@0" },
	{ "{cycles,instructions}:e", "cycles:e@0 instructions:e@0" },
	{ "{cycles:D,instructions}:De", "cycles:De@0 instructions:De@0" },
	{ "{cycles,instructions}:W,branches", "cycles:W@0 instructions:W@0 branches" },

	/* blanks and line ends */
	{ " cycles ", "cycles" },
	{ "\n cycles ,\n\tinstructions\n", "cycles instructions" },
	{ "{ cycles , instructions } :u , faults",
	  "cycles:u@0 instructions:u@0 faults" },
	{ "{\n\tcycles,\n\tinstructions\n}:\nW", "cycles:W@0 instructions:W@0" },
	{ "name {cycles}", "cycles@0" },
	{ "cycles :u", "cycles:u" },
	{ "cycles: u", "cycles:u" },
	{ "cpu / event = 0x3c , umask = 1 / u",
	  "cpu/event=0x3c#60,umask=1#1/:u" },
	{ "cpu/\n\tevent=0x3c,\n\tname='x'\n/", "cpu/event=0x3c#60,name=x/" },
	{ "cpu/ /", "cpu//" },
};

/* The error, and the line with the caret. */
static const struct {
	const char *name, *text, *marks;
} errors[] = {
	{ "nothing", "",
		      "^" },
	{ "blanks", "  ",
		      "  ^" },
	{ "a comma first", ",cycles",
			    "^" },
	{ "a trailing comma", "cycles,",
			       "       ^" },
	{ "two commas", "cycles,,faults",
			 "       ^" },
	{ "a comma before the brace", "{cycles,}",
				       "        ^" },
	{ "an empty group", "{}",
			     " ^" },
	{ "an empty group with blanks", "{ }",
					 "  ^" },
	{ "no brace", "faults,{cycles,instructions",
		       "       ^" },
	{ "no brace behind the terms", "{cpu/cycles/,faults:u",
					"^" },
	{ "a group in a group", "{cycles,{faults}}",
				 "        ^" },
	{ "a group at once in a group", "{{cycles}}",
					 " ^" },
	{ "a group with a name in a group", "{cycles,x{faults}}",
	  "         ^" },
	{ "a brace too many", "cycles}",
			       "      ^" },
	{ "no comma", "{cycles}{faults}",
		       "        ^" },

	{ "no such modifier of terms", "cpu/cycles/uz",
					"            ^" },
	{ "no such modifier of a group", "{cycles}:uz",
					  "          ^" },
	{ "uu", "cycles:uu",
		 "        ^" },
	{ "kuk", "cycles:kuk",
		  "         ^" },
	{ "uu of a group", "{cycles}:uu",
			    "          ^" },
	{ "pppp", "cycles:pppp",
		   "          ^" },
	{ "pppp of a group", "{cycles}:pppp",
			      "            ^" },
	{ "pppp, two by two", "{faults,cycles:pp}:pp",
			       "        ^~~~~~~~~" },
	{ "b", "cycles:b",
		"       ^" },
	{ "ub", "cycles:ub",
		 "        ^" },
	{ "b of a group", "{cycles}:b",
			   "         ^" },
	{ "W outside a group", "cycles:W",
				"       ^" },
	{ "W of a member", "{cycles:W}",
			    "        ^" },
	{ "D of a later member", "{cycles,instructions:D}",
				  "        ^~~~~~~~~~~~~~" },
	{ "e of a later member", "{cycles,faults,cpu/cycles/e}",
				  "               ^~~~~~~~~~~~" },
	{ "modifiers twice", "cycles:u:k",
			      "        ^" },
	{ "two colons", "cycles::u",
			 "       ^" },
	{ "a group's modifiers without a colon", "{cycles}u",
						  "        ^" },

	{ "no slash", "cpu/event=0x3c",
		       "   ^" },
	{ "no slash in a group", "{cpu/event=0x3c}",
				  "    ^" },
	{ "no slash and no term", "cpu/",
				   "    ^" },
	{ "no slash behind a comma", "cpu/event=0x3c,",
				      "               ^" },
	{ "a comma before the slash", "cpu/event=0x3c,/",
				       "               ^" },
	{ "no comma in terms", "cpu/event=1 umask=2/",
	  "            ^" },
	{ "behind a quote", "cpu/name='a'b,event=1/",
	  "            ^" },
	{ "an empty quote", "cpu/name='',event=1/",
	  "         ^~" },
	{ "two commas in terms", "cpu/event=0x3c,,umask=1/",
				  "               ^" },
	{ "no name", "cpu/=1/",
		      "    ^" },
	{ "no value", "cpu/event=/",
		       "          ^" },
	{ "no value before a comma", "cpu/event=,umask=1/",
				      "          ^" },
	{ "no quote", "cpu/event=1,name='abc/,cycles",
		       "                 ^" },
	{ "nothing before the slash", "/event=1/",
				       "^" },
	{ "a third slash", "cpu/cycles//",
			    "           ^" },

	{ "a type without a config", "0:",
				      "  ^" },
	{ "a config that is none", "0:abc",
				    "  ^~~" },
	{ "a config of 65 bits", "0:0x10000000000000000",
				  "  ^~~~~~~~~~~~~~~~~~~" },
	{ "a type of 33 bits", "cycles,4294967296:0",
				"       ^~~~~~~~~~" },
	{ "no address", "mem:",
			 "    ^" },
	{ "an address that is none", "mem:main:w",
				      "    ^~~~" },
	{ "a length that is none", "mem:0x1000/4x:w",
				    "            ^" },
	{ "an access twice", "mem:0x1000:rr",
			      "            ^" },
	{ "a colon first", ":u",
			    "^" },
};
/* clang-format on */

static const struct {
	char letter;
	size_t offset;
} flags[] = {
#define FLAG(letter, field)                                  \
	{                                                    \
		letter, offsetof(struct td_modifiers, field) \
	}
	FLAG('u', user),           FLAG('k', kernel),       FLAG('h', hypervisor),
	FLAG('G', guest),          FLAG('H', host),         FLAG('I', non_idle),
	FLAG('p', precise),        FLAG('P', precise_max),  FLAG('S', sample_read),
	FLAG('D', pinned),         FLAG('W', weak),         FLAG('e', exclusive),
	FLAG('R', retire_latency), FLAG('X', dont_regroup),
};

static void put_modifiers(FILE *fp, const struct td_modifiers *mods)
{
	const char *colon = ":";

	for (size_t i = 0; i < TD_ARRAY_SIZE(flags); i++) {
		const char *at = (const char *)mods + flags[i].offset;
		int nr = flags[i].letter == 'p' ? mods->precise : *(const bool *)at;

		for (; nr > 0; nr--, colon = "")
			fprintf(fp, "%s%c", colon, flags[i].letter);
	}
}

static void put_what(FILE *fp, const struct td_spec *spec)
{
	switch (spec->kind) {
	case TD_SPEC_NAME:
		fprintf(fp, "%s", spec->name);
		break;
	case TD_SPEC_RAW:
		fprintf(fp, "raw %" PRIx64, spec->config);
		break;
	case TD_SPEC_NUMERIC:
		fprintf(fp, "numeric %x %" PRIx64, spec->type, spec->config);
		break;
	case TD_SPEC_TRACEPOINT:
		fprintf(fp, "tracepoint %s %s", spec->system, spec->tracepoint);
		break;
	case TD_SPEC_BREAKPOINT:
		fprintf(fp, "mem %" PRIx64, spec->config);
		if (spec->length)
			fprintf(fp, " len %" PRIu64, spec->length);
		fprintf(fp, "%s%s%s%s", spec->type ? " " : "",
			spec->type & HW_BREAKPOINT_R ? "r" : "",
			spec->type & HW_BREAKPOINT_W ? "w" : "",
			spec->type & HW_BREAKPOINT_X ? "x" : "");
		break;
	}
}

static void put_terms(FILE *fp, const struct td_spec *spec)
{
	if (!spec->slashes)
		return;
	for (size_t i = 0; i < spec->nr_terms; i++) {
		const struct td_term *term = &spec->terms[i];

		fprintf(fp, "%s%s", i ? "," : "/", term->name);
		if (term->value)
			fprintf(fp, "=%s", term->value);
		if (term->is_number || !term->value)
			fprintf(fp, "#%" PRIu64, term->number);
	}
	fprintf(fp, "%s/", spec->nr_terms ? "" : "/");
}

static char *describe(const struct td_event_text *events)
{
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	for (size_t i = 0; fp && i < events->nr_specs; i++) {
		const struct td_spec *spec = &events->specs[i];

		fprintf(fp, "%s", i ? " " : "");
		put_what(fp, spec);
		put_terms(fp, spec);
		put_modifiers(fp, &spec->mods);
		if (spec->group >= 0)
			fprintf(fp, "@%d", spec->group);
	}
	if (fp)
		fclose(fp);
	return fp ? text : NULL;
}

/* The text as one line, for the name of a check. */
static const char *one_line(const char *text)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%s", text);
	for (char *c = buf; *c; c++) {
		if (*c == '\n' || *c == '\t')
			*c = '~';
	}
	return buf;
}

static void test_row(const char *text, const char *want)
{
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	td_autofree char *got = NULL;
	int rc = td_event_text_parse(&events, text, &err);

	ok(rc == 0, "'%s' is taken", one_line(text));
	if (rc)
		printf("# %s\n", err.msg);
	got = describe(&events);
	is_str(got, want, "'%s': what it says", one_line(text));
	td_event_text_free(&events);
}

static void test_error(size_t i)
{
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	td_autofree char *want = NULL;
	int rc = td_event_text_parse(&events, errors[i].text, &err);

	ok(rc == -EINVAL && err.code == rc && err.usage && err.msg[0], "%s is refused",
	   errors[i].name);
	if (asprintf(&want, "%s\n%s", errors[i].text, errors[i].marks) < 0)
		want = NULL;
	is_str(err.place, want, "%s: where", errors[i].name);
	td_event_text_free(&events);
}

/* clang-format off */
/* Errors show and point to an event without the blanks around it. */
static const struct {
	const char *text, *spans, *suffixes, *terms, *compact;
} spans[] = {
	{ "cycles:u,instructions", "cycles:u;instructions;", "u;;", "",
	  "cycles:u;instructions;" },
	{ " cycles , instructions\n", "cycles;instructions;", ";;", "",
	  "cycles;instructions;" },
	{ "{ cycles:k , cpu/event=1/u }:S", "cycles:k;cpu/event=1/u;", "k;u;",
	  "event=1;", "cycles:k;cpu/event=1/u;" },
	{ "cpu/event=0x3c, name='a b' ,\nedge/:ppp , faults",
	  "cpu/event=0x3c, name='a b' ,\nedge/:ppp;faults;", "ppp;;",
	  "event=0x3c;name='a b';edge;",
	  "cpu/event=0x3c,name='a b',edge/:ppp;faults;" },
	{ "mem:0x1000/4:rw:u,sched:*:k,0:0:G,r1:H",
	  "mem:0x1000/4:rw:u;sched:*:k;0:0:G;r1:H;", "u;k;G;H;", "",
	  "mem:0x1000/4:rw:u;sched:*:k;0:0:G;r1:H;" },
	{ "cycles: u", "cycles: u;", "u;", "", "cycles:u;" },
	{ "cpu / event = 1 / u ", "cpu / event = 1 / u;", "u;", "event = 1;",
	  "cpu/event=1/u;" },
};
/* clang-format on */

static void put_span(FILE *fp, const struct td_span *span)
{
	fprintf(fp, "%.*s;", (int)span->len, span->text + span->at);
}

static void test_spans(size_t row)
{
	char got[4][256] = { "" };
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	FILE *fp[4];

	for (int i = 0; i < 4; i++)
		fp[i] = fmemopen(got[i], sizeof(got[i]), "w");
	td_event_text_parse(&events, spans[row].text, &err);
	for (size_t i = 0; i < events.nr_specs; i++) {
		const struct td_spec *spec = &events.specs[i];

		put_span(fp[0], &spec->span);
		fprintf(fp[1], "%s;", spec->suffix);
		fprintf(fp[3], "%s;", spec->text);
		for (size_t j = 0; j < spec->nr_terms; j++)
			put_span(fp[2], &spec->terms[j].span);
	}
	for (int i = 0; i < 4; i++)
		fclose(fp[i]);
	is_str(got[0], spans[row].spans, "'%s': the events", one_line(spans[row].text));
	is_str(got[1], spans[row].suffixes, "'%s': their letters", one_line(spans[row].text));
	is_str(got[3], spans[row].compact, "'%s': without blanks", one_line(spans[row].text));
	is_str(got[2], spans[row].terms, "'%s': the terms", one_line(spans[row].text));
	td_event_text_free(&events);
}

/* Messages have names as they were typed. */
static void test_names(void)
{
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };

	td_event_text_parse(
		&events, "sched:sched_switch:u,0:0x1:k,mem:0x1000/4:w:u,r1a:p,cpu/event=1/", &err);
	ok(events.nr_specs == 5, "five events");
	is_str(events.specs[0].name, "sched:sched_switch", "a tracepoint's");
	is_str(events.specs[1].name, "0:0x1", "a numeric one's");
	is_str(events.specs[2].name, "mem:0x1000/4:w", "a breakpoint's");
	is_str(events.specs[3].name, "r1a", "a raw one's");
	is_str(events.specs[4].name, "cpu", "up to the terms");
	td_event_text_free(&events);
}

/* Several -e are one list; each event knows its own text. */
static void test_several(void)
{
	static const char first[] = "{cycles}", second[] = "faults,{cs,dummy}:u";
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	td_autofree char *got = NULL;

	ok(td_event_text_parse(&events, first, &err) == 0 &&
		   td_event_text_parse(&events, second, &err) == 0,
	   "two -e are taken");
	got = describe(&events);
	is_str(got, "cycles@0 faults cs:u@1 dummy:u@1", "both, each group its own");
	ok(events.nr_groups == 2, "so many groups");
	ok(events.specs[0].span.text == first && events.specs[3].span.text == second,
	   "each points into its own text");
	ok(td_event_text_parse(&events, "cycles,", &err) == -EINVAL, "a third one is wrong");
	td_event_text_free(&events);
	ok(!events.specs && !events.nr_specs && !events.nr_groups, "nothing is left");
}

/* True if the mark is below word in the line shown. */
static bool points_at(const struct td_err *err, const char *word)
{
	const char *line_end = strchr(err->place, '\n');
	size_t column = line_end ? strspn(line_end + 1, " ") : 0;

	return line_end && line_end[1 + column] == '^' && err->place + column < line_end &&
	       strncmp(err->place + column, word, strlen(word)) == 0;
}

/* For a long text, only the part around the error that fits on a terminal line is shown. */
static void test_long(size_t before, size_t behind)
{
	char text[1024] = ""; /* up to 120 events */
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	const char *line_end;

	for (size_t i = 0; i < before; i++)
		strcat(text, "cycles,\n");
	strcat(text, "page:zz:u");
	for (size_t i = 0; i < behind; i++)
		strcat(text, ",cycles\t");
	/* zz could be a tracepoint: it is the second colon's letters */
	memcpy(strstr(text, "zz:u"), "zz:q", 4);
	ok(td_event_text_parse(&events, text, &err) == -EINVAL,
	   "%zu events, a wrong one, %zu more: refused", before, behind);
	line_end = strchr(err.place, '\n');
	ok(line_end && !strchr(line_end + 1, '\n') && line_end - err.place <= 80 &&
		   strlen(line_end + 1) <= 80,
	   "%zu, %zu: two short lines", before, behind);
	ok(points_at(&err, "q"), "%zu, %zu: the mark is below the letter", before, behind);
	ok(strncmp(err.place, "...", 3) == 0 || before < 4, "%zu, %zu: what was cut in front",
	   before, behind);
	ok(behind < 9 || (line_end && strncmp(line_end - 3, "...", 3) == 0),
	   "%zu, %zu: what was cut behind", before, behind);
	ok(strstr(err.place, "page:zz:q"), "%zu, %zu: the word itself", before, behind);
	td_event_text_free(&events);
}

/* A mark as long as the text ends where the shown part ends. */
static void test_long_mark(void)
{
	char text[256] = "cpu/";
	struct td_event_text events = { 0 };
	struct td_err err = { 0 };
	const char *line_end;

	memset(text + 4, 'a', 200);
	ok(td_event_text_parse(&events, text, &err) == -EINVAL, "a long term without a slash");
	line_end = strchr(err.place, '\n');
	ok(line_end && strlen(line_end + 1) <= (size_t)(line_end - err.place),
	   "the mark ends with the line");
	ok(points_at(&err, "/aaa"), "and starts at the slash");
	td_event_text_free(&events);
}

/* td_err_point() with every place in a text. */
static void test_places(void)
{
	char text[200] = "";
	bool fits = true;

	for (size_t size = 0; size < sizeof(text) - 1; size++) {
		for (size_t at = 0; at <= size; at++) {
			struct td_err err = { .code = -EINVAL };
			const char *line_end, *mark;

			td_err_point(&err, text, at, size - at);
			line_end = strchr(err.place, '\n');
			mark = line_end ? strchr(line_end, '^') : NULL;
			fits &= mark && mark - line_end - 1 <= line_end - err.place &&
				strlen(err.place) < sizeof(err.place) - 1;
		}
		text[size] = (char)('a' + size % 26);
	}
	ok(fits, "every place of texts of every length has its mark");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(rows[i].text, rows[i].want);
	for (size_t i = 0; i < TD_ARRAY_SIZE(errors); i++)
		test_error(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(spans); i++)
		test_spans(i);
	test_names();
	test_several();
	for (size_t behind = 0; behind < 20; behind += 19) {
		test_long(0, behind);
		test_long(3, behind);
		test_long(100, behind);
	}
	test_long_mark();
	test_places();
	return done_testing();
}
