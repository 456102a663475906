/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_NAME_H
#define TD_LIB_TARGET_NAME_H

/* What is counted, as the title of a result says it. */
enum td_target_kind {
	TD_TARGET_COMMAND,
	TD_TARGET_SYSTEM, /* all CPUs */
	TD_TARGET_CPUS,
	TD_TARGET_PROCESSES,
	TD_TARGET_THREADS,
	TD_TARGET_FILE, /* unknown: a file that perf stat wrote does not say */
};

struct td_target_name {
	enum td_target_kind kind;
	/* the command's words, a list of numbers or a path; system: empty */
	char *text;
};

/* What stands before the text: "process id "; of the system, all of it. */
const char *td_target_words(enum td_target_kind kind);
/* The words and the text, to be freed; NULL if memory ran out. */
char *td_target_name_format(const struct td_target_name *name);
/*
 * Reads what td_target_name_format() wrote.  A command that begins with the
 * words of another kind is taken for one.  Returns 0 or -ENOMEM; free
 * name->text even then.
 */
int td_target_name_parse(struct td_target_name *name, const char *text);

#endif
