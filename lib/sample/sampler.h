/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/plan/plan.h"
#include "lib/sample/record.h"

/* How to sample an event of the plan. */
struct td_sampling {
	/* events between two samples; 0: the event is only counted, for its group */
	uint64_t period;
	bool frequency; /* period is the number of samples per second instead */
	/*
	 * As in perf_event_attr.precise_ip: the maximum to try; after opening, the value that the
	 * kernel has accepted.
	 */
	int precise;
	/* minimum precise_ip, above which higher values are tried, too; 0: there is no minimum */
	int min_precise;
};

#define TD_MAX_PRECISE 3 /* perf_event_attr.precise_ip */

/*
 * A software event or a tracepoint that is opened after the members of each group.  Its
 * samples contain the counts of the group and of the group's companions.
 */
struct td_companion {
	uint32_t type;
	uint64_t config;
	bool samples; /* a sample at each event; else it is only counted */
};

/* Setup of a sampler.  Everything that it points to must outlive the sampler. */
struct td_sampler_setup {
	/* groups that the kernel refuses are not opened; weak ones are broken up */
	struct td_plan *plan;
	struct td_sampling *how; /* one for each event of the plan */
	const struct td_machine *machine;
	struct td_target *target;
	struct td_notes *notes;
	struct td_record_format format;
	/*
	 * companions of each group; their event numbers follow those of the plan:
	 * td_sampler_companion()
	 */
	const struct td_companion *companions;
	size_t nr_companions;
	bool switches;     /* also record context switches */
	bool only_samples; /* no other records, and samples of a CPU in any order */
	int max_pages;     /* per ring; 0: the default */
	/*
	 * A PMU that traces user space into a separate ring on each CPU.  Companions and sampled
	 * events are then opened without groups, for user space only.  The clock is perf's.
	 */
	struct {
		uint32_t type; /* as in perf_event_attr; 0: no trace */
		uint64_t config;
		const char *filter; /* filter in the syntax of PERF_EVENT_IOC_SET_FILTER */
		int max_pages;      /* per ring of the trace, a power of two */
	} trace;
};

/* Returns the kernel's limit of samples per second; it refuses events with more. */
int td_sampler_max_rate(const struct td_sysfs *fs);

/* Events that are sampled into rings, one for each CPU. */
struct td_sampler;

/*
 * Opens the events, which are disabled at first.  Adds notes on events that this user may not
 * sample, and on rings that had to be smaller.
 */
int td_sampler_open(struct td_sampler **out, const struct td_sampler_setup *setup,
		    struct td_err *err);
void td_sampler_close(struct td_sampler *sampler); /* NULL is fine */
/*
 * Lists the CPUs whose events are gone because they went offline since the last call, which
 * should be a while ago.  They may be online again.  Free *cpus with td_ints_free().
 */
void td_sampler_list_dead(struct td_sampler *sampler, struct td_ints *cpus);
/*
 * Also samples on CPUs that have come online.  Read the rings first, because rings of dead CPUs may
 * be closed.  After an error, all open events remain open.
 */
int td_sampler_add_cpus(struct td_sampler *sampler, const struct td_ints *cpus, struct td_err *err);
/* Tasks that begin with an exec() enable the events themselves. */
void td_sampler_enable(struct td_sampler *sampler, bool on);
/* Enables or disables a group on a CPU, with its companions. */
void td_sampler_enable_group(const struct td_sampler *sampler, size_t group, int cpu, bool on);
/* Enables or disables one companion of all groups.  Its counts then have a gap. */
void td_sampler_enable_companion(struct td_sampler *sampler, size_t companion, bool on);
/* Returns the sum of the counts of the plan's sampled events so far. */
double td_sampler_counted(const struct td_sampler *sampler);
/*
 * Returns the time that the sampled tasks ran on the core type of this PMU, in % of their time; NAN
 * if none of its events was enabled.
 */
double td_sampler_ran_pct(const struct td_sampler *sampler, int pmu);
/* Returns a descriptor that is readable when a ring is half full. */
int td_sampler_fd(const struct td_sampler *sampler);
/* Returns the number of the event of a group's companion. */
static inline int td_sampler_companion(const struct td_sampler_setup *setup, size_t group,
				       size_t companion)
{
	return (int)(setup->plan->events.nr + group * setup->nr_companions + companion);
}

/* Returns the bytes of a TD_RECORD_TRACE that is being taken, or NULL if they are lost. */
uint8_t *td_sampler_trace(struct td_sampler *sampler, const struct td_record *record);
/* Returns the latest time at which the CPU of a record that is cut resumed tracing. */
uint64_t td_sampler_trace_on_ns(const struct td_sampler *sampler, const struct td_record *record);
void td_sampler_pause_trace(struct td_sampler *sampler);
/* Resumes with another filter. */
int td_sampler_resume_trace(struct td_sampler *sampler, const char *filter, struct td_err *err);
/*
 * Returns the percentage of the tasks' CPU time in which the events that are sampled beside
 * the trace had counters: the minimum of all events, or NAN if all always had them.
 */
double td_sampler_traced_pct(const struct td_sampler *sampler);
/* Converts the time stamp counter to the clock of a trace's records. */
uint64_t td_sampler_trace_ns(const struct td_sampler *sampler, uint64_t tsc);

/* Takes a record.  event is the plan's, or -1. */
typedef void td_take_record(void *ctx, const struct td_record *record, int event);
/*
 * Reads the counts of a group on a CPU, as a sample of its first companion would have them,
 * without time and task.  Takes nothing if it is not open there.
 */
void td_sampler_look(const struct td_sampler *sampler, size_t group, int cpu, td_take_record *take,
		     void *ctx);
/*
 * Reads all rings and passes on their records in order of time.  Without all, the records of
 * the last moments stay in a queue for the next call.
 */
void td_sampler_read(struct td_sampler *sampler, bool all, td_take_record *take, void *ctx);
