/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/opts/opts.h"

/* Kind of the value of an option, and where in struct td_opts it is stored. */
enum td_option_kind {
	TD_OPTION_IGNORED,  /* accepted, because it is the default */
	TD_OPTION_FLAG,     /* bool, set to true */
	TD_OPTION_COUNT,    /* int: the number of times that the option is given */
	TD_OPTION_BIT,      /* unsigned int: sets bit number min */
	TD_OPTION_TEXT,     /* const char * */
	TD_OPTION_FILE,     /* const char *, not empty */
	TD_OPTION_FORMAT,   /* bit min of show.formats, and its own_file */
	TD_OPTION_NUMBER,   /* int from min to max */
	TD_OPTION_LEVEL,    /* int from min to max; 0 is read as 1, as in perf */
	TD_OPTION_TIME,     /* int: milliseconds, at least min */
	TD_OPTION_LIST,     /* struct td_ints: numbers up to max */
	TD_OPTION_FUNCTION, /* set() reads the argument */
};

/* One option: how it is typed, its text in --help, and what it sets. */
struct td_option {
	const char *name; /* without dashes; NULL: the end of a group */
	int letter;       /* 0: none */
	const char *arg;  /* argument as shown in --help, or NULL */
	const char *help;
	enum td_option_kind kind;
	size_t offset; /* offset of the member of struct td_opts that it sets */
	size_t given;  /* offset of a bool that is set if the option is given, or 0 */
	int min, max;
	bool optional; /* the argument may be left out */
	int (*set)(struct td_opts *opts, const char *arg, struct td_err *err);
};

/* The headings of --help, in their order. */
enum td_option_section {
	TD_SECTION_WHAT = 1,
	TD_SECTION_WHEN,
	TD_SECTION_HOW,
};

/* Options that subcommands share.  Several groups may be in one section. */
struct td_option_group {
	enum td_option_section section;
	const struct td_option *rows;
};

/* Loop over all options; groups ends with NULL. */
#define td_for_each_option(groups, group, option)     \
	for ((group) = (groups); *(group); (group)++) \
		for ((option) = (*(group))->rows; (option)->name; (option)++)

/* Returns the option whose name is the first len letters of name, or NULL. */
const struct td_option *td_option_find(const struct td_option_group *const *groups,
				       const char *name, size_t len);
/* Returns the first option whose name begins with these letters, or NULL. */
const struct td_option *td_option_find_begin(const struct td_option_group *const *groups,
					     const char *name, size_t len);
const struct td_option *td_option_find_letter(const struct td_option_group *const *groups,
					      int letter);
/* Is the next word the argument?  True for "-aI" and "--cpu", not for "-I9" and "--cpu=1". */
bool td_option_takes_next(const struct td_option_group *const *groups, const char *word);

/*
 * A subcommand.  Each is defined in a file of its own, and has a line in the table of
 * cmd/commands.c. Texts are for --help.
 */
struct td_command {
	const char *name;
	const char *line; /* description in the list of subcommands */
	const char *args; /* arguments, each form on a line */
	const char *doc;
	const char *what;                            /* the heading of the first options */
	const char *examples;                        /* a line each */
	const char *status;                          /* exit status; NULL: the usual one */
	const struct td_option_group *const *groups; /* the last one is NULL */
	struct td_does does;
	/*
	 * Parses a word that is not an option; returns 1 if it begins a command to run.  NULL:
	 * each word does.
	 */
	int (*word)(struct td_opts *opts, const char *word, struct td_err *err);
	bool runs;   /* a word after "--" begins a command, even with word */
	bool counts; /* opens counters, unless it shows a recording */
	/* Checks options against each other, after the last; NULL: no check. */
	int (*check)(const struct td_opts *opts, struct td_err *err);
	/* Sets *status to the status of the command if one ran. */
	int (*run)(const struct td_opts *opts, int *status, struct td_err *err);
	/* Runs if the result cannot be written, because of *err; NULL: td_always_run_unseen(). */
	int (*unseen)(const struct td_opts *opts, int *status, struct td_err *err);
};

#define TD_TITLE_SIZE 48

/* Write "tdstat report" to title, or "tdstat" for the first command.  Returns title. */
const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands, char title[TD_TITLE_SIZE]);
/* Returns NULL if no subcommand has the name.  The first command has no name. */
const struct td_command *td_command_find(const struct td_command *const *commands,
					 const char *name);

/* Print the text of --help without exiting. */
void td_usage_show(const struct td_command *command, const struct td_command *const *commands);

struct td_addition;

/* Returns the addition of a wing that runs instead of the chosen subcommand, or NULL. */
const struct td_addition *td_addition_wanted(const struct td_opts *opts);
