// SPDX-License-Identifier: GPL-2.0-only
/* The header of rows for programs: command, host and versions. */
#include <json-c/json.h>
#include <stdio.h>

#include "cmd/output/out.h"
#include "lib/base/identity.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/machine/machine.h"
#include "lib/target/target.h"

/* A line of the header; text is NULL if it is unknown. */
struct row {
	const char *key, *text;
};

enum {
	BEFORE_START = 5, /* number of facts before the start */
	NR_FACTS = 7,
};

static void take_facts(const struct td_frame *frame, struct row facts[NR_FACTS], char cpuid[48],
		       const char *target)
{
	static const struct td_identity unknown = { 0 };
	const struct td_identity *of = frame->identity ? frame->identity : &unknown;
	const struct td_machine *machine = frame->machine;

	if (machine && machine->cpuid.family)
		td_cpuid_format(&machine->cpuid, cpuid);
	else
		cpuid = NULL;
	facts[0] = (struct row){ "version", of->version };
	facts[1] = (struct row){ "files", frame->files };
	facts[2] = (struct row){ "host", of->unnamed ? NULL : of->host };
	facts[3] = (struct row){ "cpuid", cpuid };
	facts[4] = (struct row){ "kernel", of->kernel };
	facts[5] = (struct row){ "command", of->command };
	facts[6] = (struct row){ "target", target };
}

/* Return the target as in "Performance counter stats for"; NULL: none. */
static char *target_of(const struct td_frame *frame)
{
	if (!frame->target)
		return NULL;
	return td_aprintf("%s%s", td_target_words(frame->target_kind), frame->target);
}

static void add_facts(struct json_object *head, const struct row *facts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		td_json_add(head, facts[i].key,
			    facts[i].text ? json_object_new_string(facts[i].text) : NULL);
}

void td_out_json_head(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	struct json_object *head = td_json_line();
	td_autofree char *target = target_of(frame);
	struct row facts[NR_FACTS];
	char cpuid[48];

	take_facts(frame, facts, cpuid, target);
	td_json_put_int(head, "tdstat_rows", TD_ROWS_VERSION);
	add_facts(head, facts, BEFORE_START);
	if (frame->start_ns)
		td_json_put_seconds(head, "start", frame->start_ns);
	else
		td_json_add(head, "start", NULL);
	add_facts(head, facts + BEFORE_START, NR_FACTS - BEFORE_START);
	if (frame->held)
		td_json_add(head, "held", json_object_new_string(frame->held));
	if (frame->in)
		td_json_add(head, "in", json_object_new_string(frame->in));
	if (frame->slower_ns)
		td_json_put_seconds(head, "slower", frame->slower_ns);
	td_json_add(head, "labels",
		    frame->identity ? td_identity_labels(frame->identity)
				    : json_object_new_object());
	td_out_json_line(writer, head);
}

/* Write a comment line, which most readers of CSV can skip. */
static void put_line(FILE *fp, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(fp, "# %s: ", key);
	td_put_printable(fp, text);
	fputc('\n', fp);
}

static void put_lines(FILE *fp, const struct row *facts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_line(fp, facts[i].key, facts[i].text);
}

void td_out_csv_head(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	const struct td_identity *of = frame->identity;
	td_autofree char *target = target_of(frame);
	struct row facts[NR_FACTS];
	char cpuid[48], seconds[40];

	take_facts(frame, facts, cpuid, target);
	fprintf(writer->fp, "# tdstat_rows: %d\n", TD_ROWS_VERSION);
	put_lines(writer->fp, facts, BEFORE_START);
	if (frame->start_ns)
		put_line(writer->fp, "start", td_format_seconds(seconds, frame->start_ns));
	put_lines(writer->fp, facts + BEFORE_START, NR_FACTS - BEFORE_START);
	put_line(writer->fp, "held", frame->held);
	put_line(writer->fp, "in", frame->in);
	if (frame->slower_ns)
		put_line(writer->fp, "slower", td_format_seconds(seconds, frame->slower_ns));
	for (size_t i = 0; of && i < of->nr_labels; i++)
		put_line(writer->fp, "label", of->labels[i]);
}
