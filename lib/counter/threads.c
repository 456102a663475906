// SPDX-License-Identifier: GPL-2.0-only
/* Counting each thread by itself, while threads begin and end. */
#include <errno.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"

/*
 * Adds a set for one thread.  The first thread settles the plan; a later
 * refusal for one thread is an error.
 */
static int open_thread(struct td_counter *counter, int tid, int life,
		       struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);
	struct td_counter_setup late = counter->setup;
	size_t index = 0, failed = 0;
	int rc;

	if (counter->began)
		late.target = &counter->late;
	if (!set || td_ints_add(&set->tids, tid) ||
	    td_index_set(&counter->by_tid, td_hash((uint32_t)tid),
			 counter->nr_sets - 1))
		return td_err_nomem(err);
	set->life = life;
	if (counter->nr_sets == 1)
		rc = td_counter_open_set(counter, set, err);
	else
		rc = td_open_set(set, &late, &index, &failed);
	/* the kernel's error for a thread whose process is exiting */
	if (rc == -ENODEV)
		rc = -ESRCH;
	if (!rc)
		return 0;
	td_counter_drop_set(counter);
	if (rc == -ESRCH)
		return td_err_set(err, rc, "thread %d has ended", tid);
	return rc == -ENOMEM           ? td_err_nomem(err)
	       : counter->nr_sets == 0 ? rc
				       : td_err_set(err, rc, "thread %d: %s",
						    tid, strerror(-rc));
}

int td_counter_open_threads(struct td_counter *counter, struct td_err *err)
{
	const struct td_ints *tids = &counter->setup.target->tids;
	int rc = 0;

	for (size_t i = 0; i < tids->nr; i++) {
		rc = open_thread(counter, tids->v[i], 0, err);
		if (rc && rc != -ESRCH)
			return rc;
	}
	return counter->nr_sets || !tids->nr ? 0 : -ESRCH;
}

/* Starts a set like the others, without disabled events. */
static int start_set(const struct td_counter *counter,
		     const struct td_open_set *set, struct td_err *err)
{
	for (size_t i = 0; i < set->nr_groups; i++) {
		const struct td_open_group *group = &set->groups[i];
		int rc = td_start_unit(counter, group, 0, 0);

		if (rc == -ENODEV) /* the task is exiting */
			rc = -ESRCH;
		if (rc)
			return td_err_set(err, rc,
					  "cannot start the counters: %s",
					  strerror(-rc));
	}
	return 0;
}

int td_counter_add_task(struct td_counter *counter, int tid, int life,
			struct td_err *err)
{
	int rc = open_thread(counter, tid, life, err);

	if (rc)
		return rc;
	rc = start_set(counter, &counter->sets[counter->nr_sets - 1], err);
	if (rc)
		td_counter_drop_set(counter);
	if (!rc && td_counter_read_sets(counter, counter->nr_sets - 1))
		rc = td_err_nomem(err);
	return rc;
}

void td_counter_end_task(struct td_counter *counter, int tid)
{
	size_t at = td_index_find(&counter->by_tid, td_hash((uint32_t)tid));

	/*
	 * it may have failed to open, or the index may hold another thread by
	 * now
	 */
	if (at < counter->nr_sets && counter->sets[at].tids.v[0] == tid)
		counter->sets[at].ended = true;
}

void td_counter_forget_ended(struct td_counter *counter)
{
	size_t kept = 0;

	td_index_clear(&counter->by_tid);
	for (size_t i = 0; i < counter->nr_sets; i++) {
		const struct td_open_set set = counter->sets[i];

		if (set.ended && !set.nr_groups) {
			td_ints_free(&counter->sets[i].tids);
			continue;
		}
		/*
		 * cannot fail: the index keeps its memory, and had room for
		 * more
		 */
		td_index_set(&counter->by_tid, td_hash((uint32_t)set.tids.v[0]),
			     kept);
		counter->sets[kept++] = set;
	}
	counter->nr_sets = kept;
	td_group_reader_forget_ended(&counter->reader);
}
