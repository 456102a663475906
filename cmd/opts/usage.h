/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_USAGE_H
#define TD_CMD_OPTS_USAGE_H

#include <argp.h>
#include <stdio.h>

#include "cmd/opts/option.h"

/* The key of --usage; --help has '?' and 'h'. */
#define TD_USAGE_SHORT 255

/* argp's description of a subcommand. */
struct td_usage_page {
	const struct td_command *command;
	const struct td_command *const *commands;
	char title[TD_TITLE_SIZE];
	struct argp_option *options;
	size_t nr_hidden; /* options that --help leaves out */
	struct argp argp;
};

/*
 * Make the page of a subcommand.  parser gets keys for td_usage_option() and ARGP_KEY_...;
 * state->input must begin with a struct td_usage_page *.
 */
void td_usage_open(struct td_usage_page *page, const struct td_command *command,
		   const struct td_command *const *commands, argp_parser_t parser);
void td_usage_close(struct td_usage_page *page);

/* Returns the option with the key, or NULL. */
const struct td_option *td_usage_option(const struct td_usage_page *page, int key);

/*
 * Print --help or --usage, depending on key; exit unless ARGP_NO_EXIT is set.  all: include
 * rarely used options.
 */
void td_usage_put(struct td_usage_page *page, struct argp_state *state, int key, bool all);
/* Print the text of --help without exiting. */
void td_usage_show(const struct td_command *command, const struct td_command *const *commands);

#endif
