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
 * parser gets keys for td_usage_option() and ARGP_KEY_...; state->input must
 * begin with a struct td_usage_page *.  Free with td_usage_close().
 */
int td_usage_open(struct td_usage_page *page, const struct td_command *command,
		  const struct td_command *const *commands,
		  argp_parser_t parser, struct td_err *err);
void td_usage_close(struct td_usage_page *page);

/* The option that has the key, or NULL. */
const struct td_option *td_usage_option(const struct td_usage_page *page,
					int key);

/*
 * Prints --help or --usage, by key; exits unless ARGP_NO_EXIT is set.  all:
 * with options that few people use.
 */
void td_usage_put(struct td_usage_page *page, struct argp_state *state, int key,
		  bool all);
/* Prints the text of --help without exiting. */
int td_usage_show(const struct td_command *command,
		  const struct td_command *const *commands, struct td_err *err);

#endif
