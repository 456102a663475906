/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/*
 * The version of tdstat, the machine, the command and labels: they distinguish the rows and
 * recordings of one run from those of another.  NULL: the member is unknown or omitted.
 */
struct td_identity {
	char *version; /* version of tdstat */
	char *host, *kernel;
	bool unnamed;  /* the host is known, but must not be shown */
	char *command; /* the command, quoted for a shell */
	char **labels; /* NAME=VALUE */
	size_t nr_labels;
};

/* Sets the kernel of this machine and, if named is set, its host. */
void td_identity_of_machine(struct td_identity *identity, bool named);
void td_identity_forget_machine(struct td_identity *identity);
/* Sets the command to the quoted and joined words, a list that ends with NULL. */
void td_identity_set_command(struct td_identity *identity, char *const *words);
/* Adds a label, or replaces the one with the same name. */
void td_identity_label(struct td_identity *identity, const char *label);
/* Returns the length of a label's name; 0 if text is not a label. */
size_t td_label_name(const char *label);
/* Returns an object with a string for each label. */
struct json_object *td_identity_labels(const struct td_identity *identity);
void td_identity_free(struct td_identity *identity);
