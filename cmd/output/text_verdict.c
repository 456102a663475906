// SPDX-License-Identifier: GPL-2.0-only
/* Text: the verdict below the trees, seven lines and one per further core type. */
#include <math.h>

#include "cmd/output/advice.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"

#define MAX_LINES 7

struct lines {
	FILE *fp;
	const struct td_report *report;
	const struct td_verdict *verdict;
	int nr;
	bool inside; /* the line has already begun */
};

/* Put "31.4 ±0.6 %". */
static void put_value(const struct lines *lines, const struct td_found *found)
{
	const struct td_column *column = &lines->report->columns[found->node->column];
	char value[TD_VALUE_SIZE], error[TD_VALUE_SIZE];

	fprintf(lines->fp, "%s", td_out_value(value, column, found->value, TD_READER_HUMAN));
	if (!isnan(found->error))
		fprintf(lines->fp, " \u00b1%s",
			td_out_error(error, column, found->value, found->error));
	/* write "%" for "%slots" of Zen 5 */
	fputc(' ', lines->fp);
	td_put_printable(lines->fp, column->unit[0] == '%' ? "%" : column->unit);
}

/* Put "tma_core_bound, 18.4 ±0.5 %". */
static void put_node(const struct lines *lines, const struct td_found *found)
{
	td_put_printable(lines->fp, found->name);
	fputs(", ", lines->fp);
	put_value(lines, found);
}

/* Put "memory" for "tma_memory_bound". */
static void put_short(FILE *fp, const char *name)
{
	static const char before[] = "tma_", behind[] = "_bound";
	size_t skip = strlen(before), end = strlen(behind), len;

	if (strncmp(name, before, skip) == 0)
		name += skip;
	len = strlen(name);
	if (len > end && strcmp(name + len - end, behind) == 0)
		len -= end;
	td_put_printable_n(fp, name, len);
}

/* Put " (backend > memory > l3)", if there is more than the node itself. */
static void put_path(const struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;

	for (size_t i = 0; v->nr_path > 1 && i < v->nr_path; i++) {
		fputs(i ? " > " : " (", lines->fp);
		put_short(lines->fp, v->path[i].name);
	}
	if (v->nr_path > 1)
		fputc(')', lines->fp);
}

/* Put the unit of a share: the slots, or the cycles and, if it is known, the share of slots. */
static void put_of_what(const struct lines *lines, const struct td_found *found)
{
	FILE *fp = lines->fp;

	/* both numbers are equal if the value is a share of slots */
	if (!isnan(found->slots_pct) && found->slots_pct != found->value) {
		fputs(" of the cycles, about ", fp);
		td_out_number(fp, 0, 0, found->slots_pct);
		fputs(" %", fp);
	} else if (isnan(found->slots_pct)) {
		fputs(" of the cycles", fp);
	}
	if (!isnan(found->slots_pct))
		fputs(" of the slots", fp);
	if (lines->report->nr_rows > 1 && !lines->inside) {
		fputs(" of ", fp);
		td_put_printable(fp, lines->verdict->row->pmu);
	}
}

static void end_line(struct lines *lines)
{
	fputc('\n', lines->fp);
	lines->nr++;
}

static void put_sentence(struct lines *lines, const char *sentence)
{
	fputs(sentence, lines->fp);
	end_line(lines);
}

static void put_one(struct lines *lines, const char *words, const struct td_found *one)
{
	fputs(words, lines->fp);
	put_node(lines, one);
	end_line(lines);
}

static void put_two(struct lines *lines, const char *words, const struct td_found *two)
{
	fputs(words, lines->fp);
	put_node(lines, &two[0]);
	fputs("; ", lines->fp);
	put_node(lines, &two[1]);
	end_line(lines);
}

static void put_idle(struct lines *lines)
{
	fputs(": ", lines->fp);
	if (!lines->inside && lines->verdict->row) {
		td_put_printable(lines->fp, lines->verdict->row->pmu);
		fputs(" was ", lines->fp);
	} else if (!lines->inside) {
		fputs("the CPUs were ", lines->fp);
	}
	fputs("busy ", lines->fp);
	td_out_number(lines->fp, 0, 1, lines->verdict->busy_pct);
	put_sentence(lines, " % of the time");
}

/* Begin a line with a capital letter, or continue it. */
static void put_first(const struct lines *lines, const char *words)
{
	fprintf(lines->fp, " %c%s", lines->inside ? *words : *words - 'a' + 'A', words + 1);
}

/* Advice that the next command carries out. */
#define MEASURE_MORE "; measure more runs or longer"

static void put_too_short(struct lines *lines)
{
	if (lines->verdict->waits)
		return; /* a command that sleeps would not be measured longer */
	put_first(lines, lines->verdict->held ? "cannot rank these nodes: " TD_HELD_WORDS
					      : "too short to rank these nodes" MEASURE_MORE);
	end_line(lines);
}

/* Put a line that begins with the words of the situation. */
static void put_words(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;
	const char *words = td_situation_words(v->situation);

	put_first(lines, words);
	if (v->situation == TD_SITUATION_IDLE)
		put_idle(lines);
	else if (v->situation == TD_SITUATION_NEAR)
		put_one(lines, " ", &v->runner_up);
	else if (v->situation == TD_SITUATION_TIE)
		put_two(lines, " ", v->tied);
	else
		end_line(lines);
}

static void put_sum(struct lines *lines)
{
	put_first(lines, "cannot rank these nodes: level 1 adds up to ");
	td_out_number(lines->fp, 0, 1, lines->verdict->sum_pct);
	put_sentence(lines, " % of the slots");
	if (!lines->inside)
		put_sentence(lines, " What next:  tdstat doctor looks for the cause");
}

/* Put the line of the situation. */
static void put_situation(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;

	switch (v->situation) {
	case TD_SITUATION_NONE:
	case TD_SITUATION_NOT_COUNTED: /* the trees show that */
	case TD_SITUATION_CLEAR:
	case TD_SITUATION_RETIRING:
		return;
	case TD_SITUATION_SHORT:
		put_too_short(lines);
		return;
	case TD_SITUATION_UNKNOWN:
	case TD_SITUATION_UNLIKE:
		put_first(lines, td_situation_words(v->situation));
		end_line(lines);
		return;
	case TD_SITUATION_SUM:
		put_sum(lines);
		return;
	case TD_SITUATION_IDLE:
	case TD_SITUATION_NOTHING:
	case TD_SITUATION_NEAR:
	case TD_SITUATION_TIE:
		put_words(lines);
		return;
	}
}

/* Put the biggest loss, or the most work. */
static void put_last(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;
	const struct td_found *last = td_verdict_last(v);

	if (!last)
		return;
	put_first(lines, v->situation == TD_SITUATION_RETIRING ? "most slots did work: "
							       : "biggest loss: ");
	td_put_printable(lines->fp, last->name);
	put_path(lines);
	fputs(", ", lines->fp);
	put_value(lines, last);
	put_of_what(lines, last);
	end_line(lines);
}

/* Put children that cannot be ranked. */
static void put_over(struct lines *lines)
{
	const struct td_found *over = lines->verdict->over;

	if (over[1].node)
		put_two(lines, " Children above their thresholds: ", over);
	else
		put_one(lines, " Child above its threshold: ", over);
}

/* The runner-up is the sibling of a node of the path. */
static void put_runner_up(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;
	const struct td_found *beside = td_verdict_sibling(v);

	if (beside == td_verdict_last(v)) {
		put_one(lines, " Runner-up: ", &v->runner_up);
		return;
	}
	fputs(" Runner-up to ", lines->fp);
	put_node(lines, beside);
	put_one(lines, ": ", &v->runner_up);
}

/* Put siblings or children of the node. */
static void put_others(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;
	bool work = v->situation == TD_SITUATION_RETIRING;

	if (!v->nr_path)
		return;
	if (v->tied[0].node) {
		put_two(lines, work ? " Biggest losses: " : " Below it, several causes: ", v->tied);
	} else if (v->over[0].node) {
		put_over(lines);
	} else if (v->short_below && v->waits && !v->held) {
		return; /* a command that sleeps would not be measured longer */
	} else if (v->short_below) {
		put_sentence(lines, v->held ? " Cannot go deeper: " TD_HELD_WORDS
					    : " Too short to go deeper" MEASURE_MORE);
	} else if (v->no_loss) {
		put_sentence(lines, " Biggest loss: no node is above its threshold");
	} else if (v->runner_up.node && work) {
		put_one(lines, " Biggest loss: ", &v->runner_up);
	} else if (v->runner_up.node) {
		put_runner_up(lines);
	}
}

/* Put the nodes that dominated parts of the run. */
static void put_phases(struct lines *lines)
{
	const struct td_phases *phases;
	const struct td_column *columns = lines->report->columns;

	if (!lines->verdict->changed)
		return;
	phases = &lines->verdict->row->phases;
	fputs(" Phases: mostly ", lines->fp);
	td_put_printable(lines->fp, columns[phases->first].name);
	fputs(" (", lines->fp);
	td_out_number(lines->fp, 0, 0, phases->first_pct);
	fputs(" % of the time); second: ", lines->fp);
	td_put_printable(lines->fp, columns[phases->second].name);
	end_line(lines);
}

static void put_loser(FILE *fp, const struct td_row *loser, const char *of_what)
{
	char id[TD_SHOWN_SIZE];

	td_put_printable(fp, td_row_shown(loser, id));
	fputs(" (", fp);
	td_out_number(fp, 0, 1, loser->lost_pct);
	fprintf(fp, " %%%s)", of_what);
}

/* Put one loss for several rows that lost equal parts, without their names. */
static void put_all_alike(struct lines *lines)
{
	fputs(lines->verdict->nr_tied == 2 ? " Neither row lost more than the other: "
					   : " No row lost more than the others: ",
	      lines->fp);
	td_out_number(lines->fp, 0, 1, lines->verdict->losers[0].lost_pct);
	fputs(" % of all slots at most", lines->fp);
	if (!lines->verdict->common)
		return;
	fputs("; the biggest loss of each is ", lines->fp);
	td_put_printable(lines->fp, lines->verdict->common);
}

static void put_two_losers(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;

	fprintf(lines->fp, " Biggest loser%s%s: ", v->losers[1].id ? "s" : "",
		v->nr_tied > 1 ? ", alike" : "");
	put_loser(lines->fp, &v->losers[0], " of all slots");
	if (v->losers[1].id) {
		fputs(", ", lines->fp);
		put_loser(lines->fp, &v->losers[1], "");
	}
	if (v->nr_tied > 2)
		fprintf(lines->fp, " and %zu more", v->nr_tied - 2);
}

static void put_between(struct lines *lines)
{
	double pct = lines->verdict->between_pct;

	if (!(pct > 0))
		return;
	fputs(lines->verdict->losers[0].id ? "; not attributed to a function: "
					   : " Not attributed to a function: ",
	      lines->fp);
	td_out_number(lines->fp, 0, 1, pct);
	fputs(lines->verdict->losers[0].id ? " %" : " % of all slots", lines->fp);
}

/* Put the CPUs, cgroups, threads or functions that lost most. */
static void put_losers(struct lines *lines)
{
	const struct td_verdict *v = lines->verdict;

	if (!v->losers[0].id && !(v->between_pct > 0))
		return;
	if (v->nr_tied > 1 && v->nr_tied == v->nr_losers)
		put_all_alike(lines);
	else if (v->losers[0].id)
		put_two_losers(lines);
	put_between(lines);
	end_line(lines);
}

/* Put the verdict of another core type in a line. */
static void put_other(struct lines *lines, const struct td_verdict *other)
{
	struct lines of_other = { lines->fp, lines->report, other, 0, .inside = true };

	fputs(" On ", lines->fp);
	td_put_printable(lines->fp, other->row->pmu);
	fputc(':', lines->fp);
	if (other->nr_path)
		put_last(&of_other);
	else
		put_situation(&of_other);
}

/* Put the named nodes whose events have errata. */
static void put_in_doubt(struct lines *lines, const struct td_advice *advice)
{
	const char *before = " In doubt: ";

	for (size_t i = 0; i <= advice->nr_others; i++) {
		const struct td_verdict *v = i ? &advice->others[i - 1] : advice->verdict;
		const struct td_found *found;
		size_t at = 0;

		while ((found = td_verdict_in_doubt(v, &at))) {
			fputs(before, lines->fp);
			td_put_printable(lines->fp, found->name);
			before = ", ";
		}
	}
	if (*before == ',')
		put_sentence(lines, " (events with errata; -v names them)");
}

/* Put a command, which can be pasted. */
static void put_command(struct lines *lines, const char *words, const char *command)
{
	if (!command || lines->nr >= MAX_LINES)
		return;
	fputs(words, lines->fp);
	td_put_printable(lines->fp, command);
	end_line(lines);
}

/* Add the number of runs, for example 70 for -r 10 --no-multiplex. */
static void put_next(struct lines *lines, const struct td_advice *advice)
{
	char words[64] = " What next:  ";

	if (advice->next_runs)
		snprintf(words, sizeof(words), " What next, %lld runs:  ", advice->next_runs);
	put_command(lines, words, advice->next);
}

void td_out_text_verdict(struct td_writer *writer, const struct td_report *report,
			 const struct td_advice *advice)
{
	struct lines lines = { writer->fp, report, advice->verdict, 0 };

	put_losers(&lines);
	put_situation(&lines);
	put_last(&lines);
	put_others(&lines);
	if (lines.verdict->by_size && (lines.verdict->nr_path || lines.verdict->tied[0].node))
		put_sentence(&lines, " By size only: this tree has no thresholds");
	put_phases(&lines);
	for (size_t i = 0; i < advice->nr_others; i++)
		put_other(&lines, &advice->others[i]);
	put_in_doubt(&lines, advice);
	put_command(&lines, " Over time:  ", advice->when);
	put_next(&lines, advice);
	put_command(&lines, " Where:      ", advice->where);
	put_command(&lines,
		    advice->above ? " Explain (parent): " : " Explain:    ", advice->explain);
	if (lines.nr)
		fputc('\n', writer->fp);
}
