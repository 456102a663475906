// SPDX-License-Identifier: GPL-2.0-only
/* Text: durations of the calls of a function, and causes of slow ones. */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "lib/count/regions.h"

#define MIN_SHARE 0.5 /* percent: smaller shares are not shown */

/* --- above the table -------------------------------------------------------- */

void td_out_text_quantiles(const struct td_writer *writer, const struct td_timed *timed)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };
	const struct td_durations *durations = &timed->durations;
	char text[TD_DURATION_NAME];
	FILE *fp = writer->fp;

	fputc(' ', fp);
	td_put_printable(fp, timed->name);
	fputs(": ", fp);
	td_out_count(writer, 0, 0, (double)durations->nr);
	if (timed->all > durations->nr) {
		fputs(" of ", fp);
		td_out_count(writer, 0, 0, (double)timed->all);
	}
	fprintf(fp, " call%s", durations->nr == 1 ? "" : "s");
	if (timed->engine)
		fprintf(fp, " by %s", td_timed_engine(timed->engine));
	if (timed->counting_ns)
		fprintf(fp, " in %.0f %% of the time", td_timed_traced_pct(timed));
	for (size_t i = 0; i < TD_ARRAY_SIZE(quantiles); i++) {
		td_duration_text(text, td_durations_quantile(durations, quantiles[i].share));
		fprintf(fp, "  %s %s", quantiles[i].name, text);
	}
	td_duration_text(text, (double)durations->max_ns);
	fprintf(fp, "  max %s\n", text);
}

/* --- below it --------------------------------------------------------------- */

static const char *name_of(const struct td_slow_cause *cause)
{
	switch (cause->kind) {
	case TD_SLOW_WAITED:
		return "waiting";
	case TD_SLOW_PREEMPTED:
		return "preempted";
	case TD_SLOW_OFF:
		return "not running";
	case TD_SLOW_INTERRUPT:
		return "interrupts";
	case TD_SLOW_CORE:
		return "on another core type";
	case TD_SLOW_NODE:
		return td_node_short_name(cause->node);
	case TD_SLOW_CLOCK:
		return "a slower clock (fewer slots in the same time)";
	case TD_SLOW_REST:
		break;
	}
	return "unknown";
}

static bool is_named(const struct td_slow_cause *cause)
{
	return cause->kind != TD_SLOW_REST && td_slow_is_clear(cause) &&
	       cause->share_pct >= MIN_SHARE;
}

/* Put "Of that: 81 % dram_bound (±3), 9 % not running, ...; 10 % is unexplained." */
static void put_causes(FILE *fp, const struct td_slow *slow)
{
	double named = 0;
	const char *comma = "Of that: ";

	td_for_each(const struct td_slow_cause, cause, slow->causes, slow->nr) {
		if (!is_named(cause))
			continue;
		named += cause->share_pct;
		fprintf(fp, "%s%.0f %% %s", comma, cause->share_pct, name_of(cause));
		if (cause->error_pct >= MIN_SHARE)
			fprintf(fp, " (\u00b1%.0f)", ceil(cause->error_pct));
		comma = ", ";
	}
	if (named == 0)
		fputs("No part of it is larger than its error.", fp);
	else if (fabs(named - 100) >= MIN_SHARE)
		fprintf(fp, "; %.0f %% is unexplained.", 100 - named);
	else
		fputs(".", fp);
}

/* Format the duration of typical calls, "25.6 - 38.4 us". */
static void format_typical(char text[TD_DURATION_NAME], const struct td_slow *slow)
{
	unsigned int first = slow->middle.bucket, last = slow->middle_end;
	char from[TD_DURATION_NAME], to[TD_DURATION_NAME];

	if (first == last) {
		td_duration_bucket_name(text, first);
		return;
	}
	td_duration_text(from, (double)td_region_bucket_ns(first));
	td_duration_text(to, (double)td_region_bucket_ns(last + 1));
	snprintf(text, TD_DURATION_NAME, "%.20s - %.20s", from, to);
}

static void put_slow(FILE *fp, const struct td_slow *slow)
{
	char from[TD_DURATION_NAME], middle[TD_DURATION_NAME], extra[TD_DURATION_NAME];

	td_duration_text(from, (double)td_region_bucket_ns(slow->slow->bucket));
	format_typical(middle, slow);
	td_duration_text(extra, slow->extra_ns);
	fprintf(fp,
		"The slowest %.2g %% of the calls (%s and up) take %.0f %% of the time. On "
		"average, each takes %s longer than a typical call (%s). ",
		slow->calls_pct, from, slow->time_pct, extra, middle);
	put_causes(fp, slow);
	if (slow->no_interrupts)
		fputs(" Interrupts were not counted.", fp);
}

/* Put the mean per slow and typical call if it is higher in slow ones. */
static void put_often(FILE *fp, const char **comma, const char *what, double slow, double middle)
{
	if (isnan(slow) || isnan(middle) || slow < 0.05 || slow < 1.5 * middle)
		return;
	fprintf(fp, "%s%.1f vs %.1f %s", *comma, slow, middle, what);
	*comma = ", ";
}

static void put_facts(FILE *fp, const struct td_region_facts *slow,
		      const struct td_region_facts *middle)
{
	const char *comma = " Slow vs typical call: ";
	const char *first = comma;

	put_often(fp, &comma, "page faults", slow->faults, middle->faults);
	put_often(fp, &comma, "context switches", slow->switches, middle->switches);
	put_often(fp, &comma, "migrations", slow->migrations, middle->migrations);
	if (comma != first)
		fputs(".", fp);
}

static void put_sentences(const struct td_writer *writer, const struct td_slow *slow)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	put_slow(fp, slow);
	put_facts(fp, slow->slow, &slow->middle);
	fclose(fp);
	if (text) {
		fputc(' ', writer->fp);
		td_put_wrapped(writer->fp, 1, TD_LINE_WIDTH, text);
	}
	free(text);
}

/* Put the duration of a slow call, and its start in local time, like logs. */
static void put_slow_call(FILE *fp, const struct td_slow_call *call)
{
	time_t seconds = (time_t)(call->start_ns / TD_NS_A_SECOND);
	char took[TD_DURATION_NAME], when[32] = "";
	struct tm tm;

	td_duration_text(took, (double)call->time_ns);
	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	fprintf(fp, "   %10s at %s.%06" PRIu64 ", thread %d, CPU %d\n", took, when,
		call->start_ns % TD_NS_A_SECOND / 1000, call->tid, call->cpu);
}

void td_out_text_slow(const struct td_writer *writer, const struct td_report *report, size_t at)
{
	const struct td_timed *timed = &report->timed[at];
	const struct td_slow *slow = &report->slow[at];
	bool few = timed->durations.nr < TD_MIN_CALLS;
	FILE *fp = writer->fp;

	if (slow->slow)
		put_sentences(writer, slow);
	else if (few && timed->durations.nr)
		fprintf(fp,
			" Fewer than %d calls: too few to compare the slow ones with the others.\n",
			TD_MIN_CALLS);
	else if (timed->durations.nr)
		fputs(" No calls are much slower than typical ones.\n", fp);
	fputs(few ? " The calls:\n" : " The slowest calls:\n", fp);
	for (size_t i = 0; i < timed->nr_slowest; i++)
		put_slow_call(fp, &timed->slowest[i]);
	fputc('\n', fp);
}
