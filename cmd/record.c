// SPDX-License-Identifier: GPL-2.0-only
/* tdstat record: counts like tdstat and writes the counts to a file. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/run/run.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"

/* Refuses "-o -": unlike results, a recording needs a file. */
static int take_output(struct td_opts *opts, const char *arg, struct td_err *err)
{
	if (strcmp(arg, "-") != 0)
		return td_value_output(opts, arg, err);
	td_err_usage(err, "-o -: a recording needs the name of a file");
	return td_err_hint(err, "for standard output, give /dev/stdout");
}

/* Units of --rotate, as in perf record --switch-output. */
static const struct {
	char letter;
	bool size;
	uint64_t factor; /* bytes or ns */
} units[] = {
	{ 'K', true, 1 << 10 },
	{ 'M', true, 1 << 20 },
	{ 'G', true, 1 << 30 },
	{ 's', false, TD_NS_A_SECOND },
	{ 'm', false, 60 * TD_NS_A_SECOND },
	{ 'h', false, 3600 * TD_NS_A_SECOND },
	{ 'd', false, 86400 * TD_NS_A_SECOND },
};

/* Parse a time or a size.  If both are given, a file ends at the first limit that it reaches. */
static int take_rotate(struct td_opts *opts, const char *arg, struct td_err *err)
{
	size_t len = strspn(arg, "0123456789");
	char number[8];
	int n;

	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (arg[len] != units[i].letter || arg[len + 1])
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)len, arg);
		if (len >= sizeof(number) || td_parse_int(number, 1, 100000, &n))
			break;
		*(units[i].size ? &opts->request.when.rotate_bytes
				: &opts->request.when.rotate_ns) = (uint64_t)n * units[i].factor;
		return 0;
	}
	return td_err_usage(
		err,
		"--rotate %s: neither a time such as 90s, 10m, 1h or 1d nor a size such as 100M or "
		"1G",
		arg);
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	int rc = td_opts_check_counting(opts, err);

	if (rc || !td_when_rotates(&opts->request.when) || opts->request.when.interval_ms)
		return rc;
	return td_err_usage(err, "--rotate needs -I: a file has whole intervals");
}

/* Return the command that shows the recording; it needs no name for the default one. */
static char *format_report(const struct td_request *request)
{
	const char *name = request->show.output;
	int stem = (int)td_rotated_stem(name);
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fputs("tdstat report", fp);
	/* not quoted, so that the shell expands the pattern */
	if (td_when_rotates(&request->when)) {
		fprintf(fp, " %.*s.*%s", stem, name, name + stem);
	} else if (!request->does.unnamed) {
		fputc(' ', fp);
		td_put_shell_word(fp, name);
	}
	td_text_close(fp, &text);
	return text;
}

/*
 * Return true if the name is worth printing: a script knows the name that it gave, and a device
 * cannot be read later.
 */
static bool wants_name(const struct td_request *request)
{
	struct stat st;

	if (request->show.quiet || request->dry_run)
		return false;
	if (request->does.unnamed || !isatty(STDERR_FILENO))
		return request->does.unnamed;
	return td_when_rotates(&request->when) ||
	       (!stat(request->show.output, &st) && S_ISREG(st.st_mode));
}

static int record(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_request request = opts->request;
	bool counted;
	int rc;

	request.does.unnamed = !request.show.output;
	if (!request.show.output)
		request.show.output = TD_RECORDING_NAME;
	rc = td_always_run(&request, NULL, &counted, status, err);
	if (!rc && counted && wants_name(&request)) {
		td_autofree char *report = format_report(&request);

		if (td_when_rotates(&request.when))
			td_say("tdstat: wrote several files; view them with: %s\n", report);
		else
			td_say("tdstat: wrote %s; view it with: %s\n", request.show.output, report);
	}
	return rc;
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "output", 'o', "FILE", "the recording (default: " TD_RECORDING_NAME ")",
	  TD_OPTION_FUNCTION, .set = take_output },
	{ "rotate", 0, "TIME|SIZE", "start another file after TIME or SIZE: 90s, 10m, 1h, 1d; "
				    "100M, 1G",
	  TD_OPTION_FUNCTION, .set = take_rotate },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_recording = { TD_SECTION_HOW, recording };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,         &td_group_tasks,
	&td_group_cgroups,      &td_group_cores,
	&td_group_files,        &td_group_model,
	&td_group_tree,         &td_group_events,
	&td_group_scale,        &td_group_when,
	&td_group_require,      &td_group_rows,
	&td_group_aggregations, &td_group_processes,
	&td_group_formats,      &group_recording,
	&td_group_stream,       &td_group_head,
	&td_group_perf,         &td_group_dry_run,
	&td_group_verbose,      NULL,
};

const struct td_command td_command_record = {
	.name = "record",
	.line = "count, show the result and save the counts in a file",
	.args = "[-o FILE] [--] [COMMAND [ARG...]]",
	.doc = "Counts and shows the result as tdstat does without a subcommand, and writes the "
	       "counts to a file for tdstat report.",
	.what = "What to count:",
	.examples = "  tdstat record -- make\n"
		    "  tdstat record -o td.jsonl -a -I 1000 --interval-count 10",
	.groups = groups,
	.does = { .records = true, .latencies = true, .always = true, .reopens = true },
	.check = check,
	.counts = true,
	.run = record,
};
