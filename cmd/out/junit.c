// SPDX-License-Identifier: GPL-2.0-only
/*
 * What became of each limit of a comparison, in the XML that continuous integration
 * reads (JUnit's, as in https://github.com/testmoapp/junitxml).
 */
#include "cmd/out/out.h"

#include <string.h>

#include "cmd/out/page/page.h"
#include "metrics/diff/limits.h"

/* The element within a test case that did not pass; NULL: it passed. */
static const char *element_of(const struct td_limit *limit)
{
	switch (limit->gate) {
	case TD_GATE_EXCEEDED:
		return "failure";
	case TD_GATE_TROUBLE:
		return "error";
	default:
		/* it grew by more, and whether by chance is not known */
		return limit->found.nr ? "skipped" : NULL;
	}
}

static size_t count(const struct td_limits *limits, const char *element)
{
	size_t nr = 0;

	for (size_t i = 0; i < limits->nr; i++) {
		const char *of = element_of(&limits->v[i]);

		nr += of && strcmp(of, element) == 0;
	}
	return nr;
}

static void put_message(FILE *fp, const char *element,
			const struct td_notes *found)
{
	fprintf(fp, "      <%s message=\"%s", element,
		found->nr ? "" : "not compared");
	for (size_t i = 0; i < found->nr; i++) {
		fputs(i ? "; " : "", fp);
		td_page_put(fp, found->v[i]);
	}
	fputs("\"/>\n", fp);
}

static void put_limit(FILE *fp, const struct td_limit *limit)
{
	const char *element = element_of(limit);

	fputs("    <testcase classname=\"tdstat.diff\" name=\"", fp);
	td_page_put(fp, limit->name);
	fprintf(fp, ":%g\"%s>\n", limit->most, element ? "" : "/");
	if (!element)
		return;
	put_message(fp, element, &limit->found);
	fputs("    </testcase>\n", fp);
}

static void put_trouble(FILE *fp, const char *why)
{
	fputs("    <testcase classname=\"tdstat.diff\" name=\"comparison\">\n"
	      "      <error message=\"",
	      fp);
	td_page_put(fp, why);
	fputs("\"/>\n    </testcase>\n", fp);
}

void td_out_junit(FILE *fp, const struct td_limits *limits, const char *why)
{
	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"tdstat diff\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\" skipped=\"%zu\">\n",
		limits->nr + (why != NULL), count(limits, "failure"),
		count(limits, "error") + (why != NULL),
		count(limits, "skipped"));
	if (why)
		put_trouble(fp, why);
	for (size_t i = 0; i < limits->nr; i++)
		put_limit(fp, &limits->v[i]);
	fputs("  </testsuite>\n</testsuites>\n", fp);
}
