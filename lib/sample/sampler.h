/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SAMPLER_H
#define TD_LIB_SAMPLE_SAMPLER_H

#include "lib/base/err.h"
#include "lib/plan/plan.h"
#include "lib/sample/record.h"

/* How an event of the plan is sampled. */
struct td_sampling {
	/* events between two samples; 0: it only counts, for its group */
	uint64_t period;
	bool frequency; /* period is the number of samples a second instead */
	/*
	 * As in perf_event_attr.precise_ip: the most that is wanted; once it is
	 * open, what the kernel has accepted.
	 */
	int precise;
	int at_least; /* the least, from which more is tried; 0: any will do */
};

/*
 * A software event or a tracepoint, which is opened behind the members of each
 * group: its samples have the counts of the group, and those of its companions.
 */
struct td_companion {
	uint32_t type;
	uint64_t config;
	bool samples; /* each time; else it only counts */
};

/* All of it must outlive the sampler. */
struct td_sampler_setup {
	/* groups that the kernel refuses are not opened, weak ones broken up */
	struct td_plan *plan;
	struct td_sampling *how; /* one for each event of the plan */
	const struct td_machine *machine;
	/* its tasks: what they start is sampled, too, if it says so */
	struct td_target *target;
	struct td_notes *notes;
	struct td_record_format format;
	/*
	 * The event of a group's companion has a number behind those of the plan:
	 * td_sampler_companion().
	 */
	const struct td_companion *companions;
	size_t nr_companions;
	bool switches; /* tell when tasks lose their CPU */
	/* tell nothing but samples, and those of a CPU in any order */
	bool only_samples;
	int most_pages; /* of a ring; 0: the usual number */
	/*
	 * Instead of the groups: user space, by a PMU that writes into a ring of its
	 * own on each CPU.  Companions are alone then, and so are the events that are
	 * sampled, of user space, too; the clock is perf's.
	 */
	struct {
		uint32_t type; /* perf_event_attr's; 0: nothing is traced */
		uint64_t config;
		const char *filter; /* as PERF_EVENT_IOC_SET_FILTER takes it */
		int most_pages;     /* of such a ring, a power of two */
	} trace;
};

/* The most samples a second that the kernel allows; with more, it refuses events. */
int td_sampler_most_rate(const struct td_sysfs *fs);

/* Events that are sampled into rings, one for each CPU. */
struct td_sampler;

/*
 * Opens the events, disabled.  Notes tell what this user may not sample, and that
 * the rings had to be smaller.
 */
int td_sampler_open(struct td_sampler **out,
		    const struct td_sampler_setup *setup, struct td_err *err);
void td_sampler_close(struct td_sampler *sampler); /* NULL is fine */
/*
 * The CPUs on which nothing is sampled any more, because they went offline since
 * the last call, which is better some time ago; they may be back already.  Returns
 * 0 or -ENOMEM; free *cpus with td_ints_free().
 */
int td_sampler_list_dead(struct td_sampler *sampler, struct td_ints *cpus);
/*
 * Samples on CPUs that have come online, from now on.  On an error what was open
 * stays so; read the rings before, as those of dead CPUs may go.
 */
int td_sampler_add_cpus(struct td_sampler *sampler, const struct td_ints *cpus,
			struct td_err *err);
/* Tasks that begin with an exec() enable the events themselves. */
void td_sampler_enable(struct td_sampler *sampler, bool on);
/*
 * Only one companion of all groups, while the rest stays as it is: what it counts has
 * a gap.
 */
void td_sampler_enable_companion(struct td_sampler *sampler, size_t companion,
				 bool on);
/* What the sampled events of the plan have counted so far, whatever was sampled. */
double td_sampler_counted(const struct td_sampler *sampler);
/*
 * For how much of their time the tasks that are sampled were on this kind of core, in
 * per cent; NAN: it has no event that was enabled.
 */
double td_sampler_ran_pct(const struct td_sampler *sampler, int pmu);
/* Readable when a ring is half full: read the rings then. */
int td_sampler_fd(const struct td_sampler *sampler);
/* The number of the event of a group's companion. */
static inline int td_sampler_companion(const struct td_sampler_setup *setup,
				       size_t group, size_t companion)
{
	return (int)(setup->plan->events.nr + group * setup->nr_companions +
		     companion);
}

/*
 * The bytes of a record of the kind TD_RECORD_TRACE, while it is taken.  NULL: they
 * are lost.
 */
uint8_t *td_sampler_trace(struct td_sampler *sampler,
			  const struct td_record *record);
/* When the CPU of a record that is cut went on tracing at the latest. */
uint64_t td_sampler_trace_on_ns(const struct td_sampler *sampler,
				const struct td_record *record);
/* Nothing is traced until it goes on with another filter, of what runs by then, too. */
void td_sampler_rest_trace(struct td_sampler *sampler);
int td_sampler_go_on_trace(struct td_sampler *sampler, const char *filter,
			   struct td_err *err);
/*
 * For how much of the time that the tasks ran the events that are sampled beside the
 * trace had counters, in per cent: the event that had the least.  NAN: all had them.
 */
double td_sampler_traced_pct(const struct td_sampler *sampler);
/* What the time stamp counter says, in the clock of the records of a trace. */
uint64_t td_sampler_trace_ns(const struct td_sampler *sampler, uint64_t tsc);

/* event is the plan's, or -1.  An error ends the reading. */
typedef int td_take_record(void *ctx, const struct td_record *record,
			   int event);
/*
 * Reads all rings, and gives their records in the order of time, those of the
 * last moments later: with all, also these.  Returns 0, -ENOMEM, or what take
 * returned.
 */
int td_sampler_read(struct td_sampler *sampler, bool all, td_take_record *take,
		    void *ctx);

#endif
