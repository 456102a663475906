// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that come: back, without the events that the kernel took off them when they
 * went offline (perf_event_exit_cpu_context() in kernel/events/core.c), or for the
 * first time.  They get a sampler of their own, a part of the first one.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/sampler_parts.h"

/* The watcher, which is enabled all the time, is the last event. */
static struct perf_evsel *watcher_of(const struct td_sampler *part)
{
	return perf_evlist__last(part->evlist);
}

/* How long it has been enabled: stands still while its CPU is offline. */
static uint64_t time_of(const struct perf_evsel *watcher, int index)
{
	const int *fd = xyarray__entry(watcher->fd, (size_t)index, 0);
	uint64_t values[8];

	/* the value, then the time */
	return fd && read(*fd, values, sizeof(values)) > 0 ? values[1] : 0;
}

static int look_at(struct td_sampler *part, struct td_ints *dead,
		   struct td_ints *alive)
{
	const struct perf_evsel *watcher = watcher_of(part);
	int nr = (int)perf_cpu_map__nr(watcher->cpus), rc = 0;

	if (!part->times_ns)
		part->times_ns = calloc((size_t)nr + 1, sizeof(uint64_t));
	if (!part->times_ns)
		return -ENOMEM;
	for (int i = 0; !rc && i < nr; i++) {
		uint64_t now_ns = time_of(watcher, i);
		int cpu = perf_cpu_map__cpu(watcher->cpus, (uint16_t)i).cpu;
		bool stands = now_ns == part->times_ns[i];

		part->times_ns[i] = now_ns;
		rc = td_ints_add(stands ? dead : alive, cpu);
	}
	return rc;
}

int td_sampler_list_dead(struct td_sampler *sampler, struct td_ints *cpus)
{
	struct td_ints alive = { 0 };
	int rc = 0;

	*cpus = (struct td_ints){ 0 };
	for (struct td_sampler *p = sampler; !rc && p; p = p->next)
		rc = look_at(p, cpus, &alive);
	/* what came back is dead in one part, and alive in another */
	if (!rc)
		rc = td_ints_remove(cpus, &alive);
	td_ints_free(&alive);
	if (rc)
		td_ints_free(cpus);
	return rc;
}

/* Parts without a CPU that is alive are of no use any more; the first one stays. */
static void drop_dead(struct td_sampler *sampler, const struct td_ints *dead)
{
	struct td_sampler **at = &sampler->next;

	while (*at) {
		struct td_sampler *part = *at;
		struct td_ints alive = { 0 };

		if (td_ints_copy(&alive, &part->target.cpus) ||
		    td_ints_remove(&alive, dead) || alive.nr) {
			at = &part->next;
		} else {
			*at = part->next;
			part->next = NULL;
			td_sampler_close(part);
		}
		td_ints_free(&alive);
	}
}

int td_sampler_add_cpus(struct td_sampler *sampler, const struct td_ints *cpus,
			struct td_err *err)
{
	struct td_sampler_setup setup = sampler->setup;
	struct td_target target = *sampler->setup.target;
	struct td_sampler *part;
	int rc;

	drop_dead(sampler, cpus);
	target.has_cpus = true;
	if (td_ints_copy(&target.cpus, cpus))
		return td_err_nomem(err);
	setup.target = &target;
	rc = td_sampler_open(&part, &setup, err);
	if (rc) {
		td_ints_free(&target.cpus);
		return rc;
	}
	part->target = target;
	part->setup.target = &part->target;
	part->next = sampler->next;
	sampler->next = part;
	rc = td_sampler_join(sampler, part, err);
	if (!rc)
		perf_evlist__enable(part->evlist);
	return rc;
}
