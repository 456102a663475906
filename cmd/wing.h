/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/wing.h: the interface between the core and a wing.
 *
 * A wing is a feature that the core does not need: a directory below cmd with all its files.
 * The core is lib, metrics and the remainder of cmd.  A wing includes the core; the core does
 * not include wings, and wings do not include each other (make lint).
 *
 * cmd/NAME/words contains the subcommand and options of the wing; one of its files defines
 * td_wing_NAME.  The Makefile generates the table of wings in the build: all, or those that
 * WINGS= names.
 */
#pragma once

#include "lib/base/err.h"

struct td_command;
struct td_doctor;
struct td_importer;
struct td_inherited;
struct td_option_group;
struct td_opts;
struct td_out;
struct td_system;
struct td_request;
struct td_sample_filter;
struct td_stack_kind;

/* Options that a wing adds to a subcommand of the core. */
struct td_addition {
	const char *command; /* name of the subcommand */
	const struct td_option_group *group;
	/* returns true if the wing runs instead of the subcommand; NULL: never */
	bool (*is_wanted)(const struct td_opts *opts);
	/* replaces check() of the subcommand; NULL: check() is not replaced */
	int (*check)(const struct td_opts *opts, struct td_err *err);
	/* replaces run() of the subcommand */
	int (*run)(const struct td_opts *opts, int *status, struct td_err *err);
	/* replace args and examples of the subcommand in --help; NULL: unchanged */
	const char *args, *examples;
};

/* A wing.  Each member may be NULL. */
struct td_wing {
	const char *name;
	const struct td_command *command;
	const struct td_addition *additions; /* ends with command NULL */
	/* TD_NR_NAMED_FORMATS formats, by enum td_format_kind; NULL: not in this wing */
	const struct td_out *const *outs;
	const struct td_stack_kind *stack_kinds; /* TD_NR_STACK_FILES kinds of files of stacks */
	const struct td_importer *importer;
	const struct td_sample_filter *filter;
	/*
	 * Runs the command of the request, and shows the regions that it marks; if calls.names is
	 * set, only those.  Arguments as for run() of struct td_command.
	 */
	int (*run_marked)(const struct td_request *request, struct td_inherited *inherited,
			  int *status, struct td_err *err);
	/* Adds findings for doctor. */
	void (*judge)(struct td_doctor *doctor, const struct td_system *system);
};

/* The wings in the build, sorted by name, then NULL. */
extern const struct td_wing *const td_wings[];

/* The wings that were left out of the build; ends with name NULL. */
extern const struct td_wing_left_out {
	const char *name;
	const char *words; /* its subcommand and options: "calls --in --slower" */
} td_wings_left_out[];

/* --- wings.c --------------------------------------------------------------- */

const struct td_out *td_wing_out(size_t format);
const struct td_stack_kind *td_wing_stack_kinds(void);
const struct td_importer *td_wing_importer(void);
const struct td_sample_filter *td_wing_filter(void);
/* Call run_marked() of the wing that has this function.  Returns a usage error if none has it. */
int td_wing_run_marked(const struct td_request *request, struct td_inherited *inherited,
		       int *status, struct td_err *err);
bool td_wing_has_marked(void);
/*
 * Return a usage error if the first len letters of word are an option or a subcommand of a
 * wing that was left out of the build; else 0.
 */
int td_wing_refuse(const char *word, size_t len, struct td_err *err);
