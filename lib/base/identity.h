/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_IDENTITY_H
#define TD_LIB_BASE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/*
 * Who counted, where and for whom: what tells the rows and recordings of one run
 * from those of another.  A member is NULL if it is not known, or not to be told.
 */
struct td_identity {
	char *version; /* of the tdstat that counted */
	char *host, *kernel;
	bool unnamed;  /* the host is known, but not to be shown */
	char *command; /* its words, as a shell reads them; NULL: none, too */
	char **labels; /* NAME=VALUE */
	size_t nr_labels;
};

/* What the kernel tells of this machine; its host if it is to be named. */
int td_identity_of_machine(struct td_identity *identity, bool named);
void td_identity_forget_machine(struct td_identity *identity);
/* NULL-terminated. */
int td_identity_set_command(struct td_identity *identity, char *const *words);
/* A label of the same name is replaced. */
int td_identity_label(struct td_identity *identity, const char *label);
/* The length of the name of a label; 0: it is none. */
size_t td_label_name(const char *label);
/* An object with a text for each label. */
struct json_object *td_identity_labels(const struct td_identity *identity);
/* The others return 0 or -ENOMEM; free even then. */
void td_identity_free(struct td_identity *identity);

#endif
