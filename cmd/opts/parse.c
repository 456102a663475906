// SPDX-License-Identifier: GPL-2.0-only
/* The words of the command line -> what is wanted. */
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/check.h"
#include "cmd/opts/meant.h"
#include "cmd/opts/opts.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/table.h"
#include "cmd/say.h"
#include "lib/base/util.h"

#ifndef TDSTAT_VERSION
#define TDSTAT_VERSION "unknown"
#endif

/* argp's callback has room for one pointer. */
struct parser {
	struct td_opts *opts;
	struct td_err *err;
};

static const struct {
	const char *name;
	enum td_subcommand subcommand;
} subcommands[] = {
	{ "record", TD_RECORD },
	{ "report", TD_REPORT },
	{ "list", TD_LIST },
};

/* The first word: a subcommand, unless it stands behind "--". */
static bool take_subcommand(struct td_opts *opts, struct argp_state *state)
{
	const char *word = state->argv[state->next];
	bool behind = state->next > 0 &&
		      strcmp(state->argv[state->next - 1], "--") == 0;

	if (opts->subcommand != TD_STAT || behind)
		return false;
	for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]);
	     i++) {
		if (strcmp(word, subcommands[i].name) == 0) {
			opts->subcommand = subcommands[i].subcommand;
			return true;
		}
	}
	return false;
}

static int add_pattern(struct parser *p, const char *pattern)
{
	struct td_opts *opts = p->opts;
	const char **place = td_array_add(&opts->patterns, opts->nr_patterns,
					  sizeof(*place));

	if (!place)
		return td_err_nomem(p->err);
	*place = pattern;
	opts->nr_patterns++;
	return 0;
}

/* A word that is no option: state->next is behind it. */
static int parse_word(struct parser *p, struct argp_state *state)
{
	struct td_opts *opts = p->opts;

	state->next--; /* seen from the word itself */
	if (take_subcommand(opts, state)) {
		state->next++;
		return 0;
	}
	if (opts->subcommand == TD_LIST)
		return add_pattern(p, state->argv[state->next++]);
	if (opts->subcommand == TD_REPORT && !opts->input)
		return td_opts_set_value(opts, OPT_INPUT,
					 state->argv[state->next++], p->err);
	opts->command = state->argv + state->next;
	state->next = state->argc;
	return 0;
}

static int set_option(struct parser *p, int key, const char *arg)
{
	int rc = td_opts_set_row(p->opts, key, arg, p->err);

	if (rc != ARGP_ERR_UNKNOWN)
		return rc;
	if (arg)
		return td_opts_set_value(p->opts, key, arg, p->err);
	return td_opts_set_flag(p->opts, key);
}

/* target__validate() in tools/perf/util/target.c */
static void override_cpus(struct td_opts *opts)
{
	if (!td_opts_attaches(opts) || !(opts->all_cpus || opts->has_cpus))
		return;
	opts->overridden = opts->has_cpus ? "-C" : "-a";
	opts->all_cpus = opts->has_cpus = false;
	td_ints_free(&opts->cpus);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parser *p = state->input;
	struct td_opts *opts = p->opts;

	switch (key) {
	case ARGP_KEY_ARG:
		return parse_word(p, state);
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_END:
		override_cpus(opts);
		/* perf 6.1 takes it for tasks, too: there is nothing to merge */
		if (opts->not_merged && td_opts_system_wide(opts))
			opts->aggregations |= 1U << TD_AGGREGATE_CPU;
		return td_opts_check(opts, p->err);
	default:
		return set_option(p, key, arg);
	}
}

/* glibc's getopt() and argp quote what they do not know as it is. */
static int parse_guarded(const struct argp *argp, int argc, char **argv,
			 struct parser *parser)
{
	FILE *real = stderr, *guard = td_say_open();
	int rc;

	if (!guard)
		return td_err_nomem(parser->err);
	stderr = guard;
	rc = argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, parser);
	stderr = real;
	fclose(guard);
	return rc;
}

static void print_version(FILE *fp, struct argp_state *state)
{
	(void)state;
	fprintf(fp, "tdstat %s\n", TDSTAT_VERSION);
}

/* The first word that is no option: of report, -i is a file. */
static bool is_report(const struct argp_option *options, char **argv)
{
	for (argv++; *argv && **argv == '-'; argv++) {
		if (strcmp(*argv, "--") == 0)
			return false;
		if (td_option_takes_next(options, *argv) && !*++argv)
			return false;
	}
	return *argv && strcmp(*argv, "report") == 0;
}

/* Its entry of no-inherit keeps the long name. */
static void replace_input(struct argp_option *options, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (options[i].key == 'i')
			options[i].key = OPT_NO_INHERIT;
	}
	options[nr] = td_option_input;
}

/* Those of the other tables stand behind ours.  NULL: no memory. */
static struct argp_option *make_options(char **argv)
{
	size_t nr = td_options_size() / sizeof(*td_options) - 1;
	size_t nr_rows = td_opts_nr_rows();
	struct argp_option *options =
		calloc(nr + nr_rows + 2, sizeof(*options)); /* -i, the end */

	if (!options)
		return NULL;
	memcpy(options, td_options, nr * sizeof(*options));
	td_opts_rows(options + nr);
	if (is_report(options, argv))
		replace_input(options, nr + nr_rows);
	return options;
}

int td_opts_parse(struct td_opts *opts, int argc, char **argv,
		  struct td_err *err)
{
	td_autofree struct argp_option *options = make_options(argv);
	const struct argp argp = { options, parse_option, td_options_args,
				   td_options_doc };
	struct parser parser = { opts, err };
	int rc;

	*opts = (struct td_opts){ .repeat = 1 };
	if (!options)
		return td_err_nomem(err);
	argp_program_version_hook = print_version;
	rc = td_meant_options(argv, options, err);
	if (!rc)
		rc = parse_guarded(&argp, argc, argv, &parser);
	/* a report's is what was recorded */
	if (!opts->level && !opts->only_level && !opts->nr_metrics &&
	    opts->subcommand != TD_REPORT)
		opts->level = 1;
	if (rc)
		td_opts_free(opts);
	return rc;
}
