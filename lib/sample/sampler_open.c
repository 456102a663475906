// SPDX-License-Identifier: GPL-2.0-only
/* Opens the events to sample, as far as the kernel allows it. */
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "lib/sample/sampler_parts.h"

/* Bytes in a ring that wake the reader. */
#define WATERMARK (UINT32_C(64) << 10)

/* --- attributes ------------------------------------------------------------- */

static void set_common(const struct td_sampler *sampler, struct perf_event_attr *attr)
{
	/* only samples of a PMU have branches */
	attr->sample_type =
		td_record_sample_type(&sampler->setup.format) & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	attr->read_format = td_record_read_format();
	attr->sample_id_all = 1;
	attr->use_clockid = !sampler->setup.format.weights && !sampler->setup.trace.type;
	attr->clockid = attr->use_clockid ? CLOCK_MONOTONIC : 0;
	attr->watermark = 1;
	attr->wakeup_watermark = WATERMARK;
	attr->exclude_callchain_kernel = attr->exclude_kernel;
	attr->sample_regs_user = td_record_registers(&sampler->setup.format);
	attr->sample_stack_user = sampler->setup.format.copied;
	attr->exclude_callchain_user = sampler->setup.format.copied > 0;
}

/* Asks for callers from the processor's last branch records instead of frame pointers. */
static void set_branches(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
				   PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
	attr->exclude_callchain_user = 1;
}

/*
 * IBS cannot exclude the kernel or user space (PERF_PMU_CAP_NO_EXCLUDE), and perf_event_open()
 * refuses to try: the reader drops these samples.  That is Linux 6.12; in 7.2, IBS's interrupt
 * drops them if swfilt is set.  Modifiers that the user typed stay, and are refused.
 */
static void set_ibs(struct perf_event_attr *attr, const struct td_pmu *pmu,
		    const struct td_modifiers *mods)
{
	const struct td_format *filter = td_pmu_format(pmu, "swfilt");
	bool filters = filter && (attr->exclude_user || attr->exclude_kernel);
	uint64_t config[TD_NR_CONFIGS] = { 0 };

	if (mods->user || mods->kernel || mods->hypervisor || mods->guest || mods->host)
		return;
	attr->exclude_hv = attr->exclude_guest = attr->exclude_host = 0;
	if (filters && !td_format_pack(filter, 1, config)) {
		attr->config2 |= config[2];
		return;
	}
	attr->exclude_user = attr->exclude_kernel = 0;
}

struct perf_event_attr td_sampler_attr(const struct td_sampler *sampler,
				       const struct td_group *group, size_t i)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_sampling *how = &setup->how[group->members[i]];
	const struct td_pmu *pmu = &setup->machine->pmus[group->pmu];
	struct perf_event_attr attr = td_plan_attr(setup->plan, group, i, setup->target);

	set_common(sampler, &attr);
	/* a pinned event that cannot be scheduled once is never counted again */
	attr.pinned &= group->may_unpin;
	attr.freq = how->frequency;
	attr.sample_period = how->period;
	attr.precise_ip = (unsigned int)how->precise & 3U;
	if (setup->format.branches && how->period)
		set_branches(&attr);
	/* PEBS cannot distinguish a guest from its host (intel_pebs_enable()) */
	attr.exclude_guest |= how->precise > 0;
	if (pmu->kind == TD_PMU_IBS)
		set_ibs(&attr, pmu, &setup->plan->events.v[group->members[i]].mods);
	return attr;
}

struct perf_event_attr td_sampler_companion_attr(const struct td_sampler *sampler,
						 const struct td_companion *companion)
{
	struct perf_event_attr attr = {
		.type = companion->type,
		.size = sizeof(attr),
		.config = companion->config,
		.sample_period = companion->samples,
		.inherit = sampler->setup.target->inherit,
	};

	set_common(sampler, &attr);
	return attr;
}

/* Returns the attributes of the event that records mappings, forks and execs, on all CPUs. */
static struct perf_event_attr make_watcher(const struct td_sampler *sampler)
{
	const struct td_target *target = sampler->setup.target;
	bool tasks = !sampler->setup.format.cgroup;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.inherit = target->inherit,
		.exclude_kernel = 1,
		.mmap = tasks,
		.mmap2 = tasks,
		.build_id = tasks,
		.comm = tasks,
		.comm_exec = tasks,
		.task = tasks,
		.cgroup = !tasks,
		/* rare records, without which there are none of cgroups (is_sb_event()) */
		.bpf_event = !tasks,
		.context_switch = sampler->setup.switches,
	};

	set_common(sampler, &attr);
	/* without a group: the counts of a group do not include records lost in children */
	attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	attr.read_format |= PERF_FORMAT_LOST;
	return attr;
}

/* --- events ----------------------------------------------------------------- */

static struct perf_cpu_map *cpu_map(const struct td_sampler *sampler, const struct td_ints *cpus)
{
	const struct td_target *target = sampler->setup.target;
	td_autofree char *text = NULL;
	struct td_ints allowed;

	if (target->has_cpus)
		td_ints_and(&allowed, cpus, &target->cpus);
	else
		td_ints_copy(&allowed, cpus);
	text = td_ints_format(&allowed);
	td_ints_free(&allowed);
	return td_need(perf_cpu_map__new(text));
}

/*
 * Adds an event.  The list sets the CPUs of the event, which are replaced afterwards: the field for
 * an event's own CPUs has a different name in each libperf.
 */
struct perf_evsel *td_sampler_add_evsel(struct td_sampler *sampler, struct perf_event_attr *attr,
					const struct td_ints *cpus, int event)
{
	int nr = sampler->evlist->nr_entries;
	int *slot = td_array_add(&sampler->events, (size_t)nr, sizeof(*slot));
	struct perf_evsel *evsel = td_need(perf_evsel__new(attr));

	*slot = event;
	perf_evlist__add(sampler->evlist, evsel);
	perf_cpu_map__put(evsel->cpus);
	evsel->cpus = cpu_map(sampler, cpus);
	return evsel;
}

void td_sampler_free_parts(struct perf_evsel *evsel)
{
	perf_evsel__free_id(evsel);
	perf_cpu_map__put(evsel->cpus);
	perf_thread_map__put(evsel->threads);
	evsel->cpus = NULL;
	evsel->threads = NULL;
}

/*
 * Removes an event that could not be opened.  perf_evlist__add() has counted it, and merged its
 * CPUs, which is harmless.
 */
void td_sampler_drop_evsel(struct td_sampler *sampler, struct perf_evsel *evsel)
{
	perf_evsel__close(evsel);
	perf_evlist__remove(sampler->evlist, evsel);
	td_sampler_free_parts(evsel);
	perf_evsel__delete(evsel);
}

bool td_sampler_values(const struct perf_evsel *evsel, int x, int y,
		       uint64_t values[TD_SAMPLER_VALUES])
{
	ssize_t size = TD_SAMPLER_VALUES * sizeof(*values);

	memset(values, 0, (size_t)size);
	size = read(td_event_fd(evsel, x, y), values, (size_t)size);
	return size >= (ssize_t)(3 * sizeof(*values));
}

/* Opens an event on the CPUs of its group.  The first event of the group becomes the leader. */
static int open_event(struct td_sampler *sampler, const struct td_group *group,
		      struct perf_event_attr *attr, int event, struct perf_evsel **leader)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	struct perf_evsel *evsel =
		td_sampler_add_evsel(sampler, attr, &setup->machine->pmus[group->pmu].cpus, event);

	if (!*leader)
		*leader = evsel;
	evsel->leader = *leader;
	return perf_evsel__open(evsel, evsel->cpus, evsel->threads);
}

/* Sets *failed to the member that the kernel refused, or to the group's size for a companion. */
static int open_group(struct td_sampler *sampler, const struct td_group *group, size_t *failed)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	size_t index = (size_t)(group - setup->plan->groups);
	int before = sampler->evlist->nr_entries, rc = 0;
	struct perf_evsel *leader = NULL;
	struct perf_event_attr attr;

	for (*failed = 0; *failed < group->nr; ++*failed) {
		attr = td_sampler_attr(sampler, group, *failed);
		rc = open_event(sampler, group, &attr, group->members[*failed], &leader);
		if (rc)
			break;
	}
	for (size_t i = 0; !rc && i < setup->nr_companions; i++) {
		attr = td_sampler_companion_attr(sampler, &setup->companions[i]);
		rc = open_event(sampler, group, &attr, td_sampler_companion(setup, index, i),
				&leader);
	}
	while (rc && sampler->evlist->nr_entries > before)
		td_sampler_drop_evsel(sampler, perf_evlist__last(sampler->evlist));
	return rc;
}

/* --- what the kernel refuses ------------------------------------------------ */

static bool sample_user_only(const struct td_sampler_setup *setup)
{
	struct td_target *target = setup->target;

	if (target->exclude_kernel || target->all_kernel || target->all_user)
		return false;
	target->exclude_kernel = true;
	return true;
}

/*
 * Lowers the precision, because not every event can be as precise as its PMU can be, or raises
 * it for events with a minimum.  Returns false if there is nothing left to try.
 */
static bool change_precision(const struct td_sampler_setup *setup, const struct td_group *group)
{
	bool changed = false;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_sampling *how = &setup->how[group->members[i]];

		if (how->min_precise && how->precise < TD_MAX_PRECISE) {
			how->precise++;
			changed = true;
		} else if (!how->min_precise && how->precise > 0) {
			how->precise--;
			changed = true;
		}
	}
	return changed;
}

/*
 * Samples of inherited tasks have values since 7e8b255650fc, in Linux 6.12.  Older kernels
 * can sample the tasks that exist already.
 */
bool td_sampler_leave_children(const struct td_sampler_setup *setup)
{
	struct td_target *target = setup->target;

	if (!setup->format.values || !target->inherit)
		return false;
	target->inherit = false;
	td_notes_add(setup->notes,
		     "threads started later are left out: counts in their samples need Linux 6.12");
	return true;
}

/* Reduces a request that the kernel refused.  Returns false if there is nothing left to try. */
static bool relax(const struct td_sampler_setup *setup, const struct td_group *group, int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return sample_user_only(setup);
	if (rc != -EINVAL && rc != -EOPNOTSUPP)
		return false;
	return change_precision(setup, group) ||
	       (rc == -EINVAL && td_sampler_leave_children(setup));
}

static int refuse(const struct td_sampler_setup *setup, size_t at, size_t member, int rc,
		  struct td_err *err)
{
	const struct td_group *group = &setup->plan->groups[at];
	struct td_event event;

	/* the kernel's answer for a task that is exiting */
	if (rc == -ENODEV && setup->target->tids.nr)
		rc = -ESRCH;
	if (member == group->nr)
		return td_err_set(err, rc, "probes: %s", strerror(-rc));
	event = setup->plan->events.v[group->members[member]];
	/* opening without precise_ip has failed, too */
	event.mods.precise = 0;
	if (setup->format.branches && (rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENXIO)) {
		td_err_set(err, rc, "%s: %s does not record calls in last branch records (LBR)",
			   event.name, setup->machine->pmus[group->pmu].name);
		return td_err_hint(err, "--call-graph fp finds callers with frame pointers");
	}
	return td_open_error(err, rc, &event, setup->machine->pmus[group->pmu].name, setup->target);
}

/* Opens a group as the kernel allows. */
static int open_allowed(struct td_sampler *sampler, size_t at, struct td_err *err)
{
	const struct td_group *group = &sampler->setup.plan->groups[at];
	size_t failed = 0;
	int rc;

	/* the precision of members of a broken-up group may have been raised before */
	for (size_t i = 0; i < group->nr; i++) {
		struct td_sampling *how = &sampler->setup.how[group->members[i]];

		if (how->min_precise)
			how->precise = how->min_precise;
	}
	do {
		rc = open_group(sampler, group, &failed);
	} while (rc && relax(&sampler->setup, group, rc));
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	return rc ? refuse(&sampler->setup, at, failed, rc, err) : 0;
}

/* --- all of them ------------------------------------------------------------ */

static int open_watcher(struct td_sampler *sampler, struct td_err *err)
{
	struct perf_event_attr attr = make_watcher(sampler);
	struct perf_evsel *evsel =
		td_sampler_add_evsel(sampler, &attr, &sampler->setup.machine->online, -1);
	int rc;

	rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);
	/* lost records are counted since Linux 6.0, build ids are known since 5.12 */
	if (rc == -EINVAL) {
		evsel->attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);
	}
	if (rc == -EINVAL) {
		evsel->attr.build_id = 0;
		rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);
	}
	return rc ? td_err_set(err, rc, "what tasks map: %s", strerror(-rc)) : 0;
}

static void make_maps(struct td_sampler *sampler)
{
	const struct td_target *target = sampler->setup.target;
	int nr = (int)target->tids.nr;
	struct perf_cpu_map *cpus = cpu_map(sampler, &sampler->setup.machine->online);

	sampler->threads = target->system_wide ? td_need(perf_thread_map__new_dummy())
					       : td_need(perf_thread_map__new_array(nr, NULL));
	for (int i = 0; !target->system_wide && i < nr; i++)
		perf_thread_map__set_pid(sampler->threads, i, target->tids.v[i]);
	perf_evlist__set_maps(sampler->evlist, cpus, sampler->threads);
	perf_cpu_map__put(cpus);
}

/* Breaks up a weak group, whose members are then opened one by one. */
static bool break_up(struct td_sampler *sampler, size_t at, int rc)
{
	struct td_plan *plan = sampler->setup.plan;
	bool breaks = (rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENODEV) &&
		      td_plan_is_breakable(plan, at);

	if (breaks)
		td_plan_break(plan, at);
	return breaks;
}

/*
 * Returns true if the target has no CPUs of the group's core type.  Without a list of CPUs, returns
 * false, because such CPUs may come online later.
 */
static bool is_elsewhere(const struct td_sampler *sampler, const struct td_group *group)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_target *target = setup->target;
	struct td_ints both = { 0 };
	bool elsewhere;

	if (!target->system_wide || !target->has_cpus)
		return false;
	td_ints_and(&both, &setup->machine->pmus[group->pmu].cpus, &target->cpus);
	elsewhere = !both.nr;
	td_ints_free(&both);
	return elsewhere;
}

/* Fails only if no group could be opened, because PMUs support different features. */
int td_sampler_open_groups(struct td_sampler *sampler, struct td_err *err)
{
	const struct td_plan *plan = sampler->setup.plan;
	struct td_err first = { 0 };
	size_t nr_open = 0;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		struct td_err refused = { 0 };
		int rc;

		if (is_elsewhere(sampler, &plan->groups[i]))
			continue;
		rc = open_allowed(sampler, i, &refused);
		if (rc && break_up(sampler, i, rc))
			rc = open_allowed(sampler, i, &refused);
		nr_open += !rc;
		if (rc && !first.code)
			first = refused;
		if (rc == -ENOMEM || rc == -ESRCH)
			break;
	}
	if (first.code && (!nr_open || first.code == -ENOMEM || first.code == -ESRCH)) {
		*err = first;
		return err->code;
	}
	if (first.code)
		td_notes_add(sampler->setup.notes, "%s", first.msg);
	return 0;
}

int td_sampler_open_events(struct td_sampler *sampler,
			   int (*open)(struct td_sampler *, struct td_err *), struct td_err *err)
{
	int rc;

	make_maps(sampler);
	rc = open(sampler, err);
	if (rc || sampler->setup.only_samples)
		return rc;
	rc = open_watcher(sampler, err);
	if (!rc && sampler->setup.target->exclude_kernel)
		td_notes_add(
			sampler->setup.notes,
			"sampling user space only: kernel.perf_event_paranoid does not let this "
			"user sample the kernel");
	return rc;
}
