/* SPDX-License-Identifier: MIT */
/* The file of a process: mapped, so that what is in it survives the process. */
#ifndef TD_REGION_STORE_H
#define TD_REGION_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/region/layout.h"

struct td_store {
	struct td_region_head *head;
	size_t size;
	uint64_t reserved; /* so far the disk has room */
	int fd;
	/* which file it is, as the program may close it and get the number again */
	dev_t dev;
	ino_t ino;
};

/*
 * Makes PREFIX.PID, or PREFIX.PID.1 and so on if that is of a program which the
 * process was before.  buckets: its records have them.  Returns 0 or a negative errno.
 */
int td_store_open(struct td_store *store, const char *prefix, const char *text,
		  size_t nr_values, bool buckets);
/* Sees to room for some records, so that to add them takes no system call. */
void td_store_reserve(struct td_store *store);
/* A new record, or NULL: there is no room, which is noted. */
struct td_region_record *td_store_add(struct td_store *store, const char *name,
				      int tid, enum td_region_kind kind);
void td_store_lose(struct td_store *store, enum td_region_loss why);
/* td_end() of a region that was not begun. */
void td_store_lose_end(struct td_store *store, const char *name);
/* For a child that has a file of its own. */
void td_store_forget(struct td_store *store);

/* Copies of what a call changes; they count for nothing until td_store_commit(). */
struct td_edit {
	struct td_region_record *record;
	struct td_region_calls *calls;
	struct td_region_sum *sum;
	struct td_region_bucket *bucket; /* NULL: none is changed */
	uint32_t side;                   /* of it, which is to hold */
	uint32_t pending;                /* of the record, meanwhile */
};

struct td_edit td_store_edit(const struct td_store *store,
			     struct td_region_record *record);
/*
 * Changes the bucket of calls that took so long, too: its other side is what it was
 * with one call more in its step, and still without a sum.
 */
void td_store_edit_bucket(const struct td_store *store, struct td_edit *edit,
			  uint64_t time_ns);
void td_store_commit(const struct td_store *store, const struct td_edit *edit);

#endif
