// SPDX-License-Identifier: GPL-2.0-only
/* Opens the events to sample, as far as the kernel allows it. */
#include <linux/perf_event.h>
#include <math.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

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

/* Returns the attributes of the i-th member of a group. */
static struct perf_event_attr sampler_attr(const struct td_sampler *sampler,
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

/* Returns the attributes of a companion, which also counts in the kernel for any target. */
static struct perf_event_attr sampler_companion_attr(const struct td_sampler *sampler,
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
static struct perf_evsel *sampler_add_evsel(struct td_sampler *sampler,
					    struct perf_event_attr *attr,
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
static void sampler_drop_evsel(struct td_sampler *sampler, struct perf_evsel *evsel)
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
		sampler_add_evsel(sampler, attr, &setup->machine->pmus[group->pmu].cpus, event);

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
		attr = sampler_attr(sampler, group, *failed);
		rc = open_event(sampler, group, &attr, group->members[*failed], &leader);
		if (rc)
			break;
	}
	for (size_t i = 0; !rc && i < setup->nr_companions; i++) {
		attr = sampler_companion_attr(sampler, &setup->companions[i]);
		rc = open_event(sampler, group, &attr, td_sampler_companion(setup, index, i),
				&leader);
	}
	while (rc && sampler->evlist->nr_entries > before)
		sampler_drop_evsel(sampler, perf_evlist__last(sampler->evlist));
	return rc;
}

/* --- what the kernel refuses ------------------------------------------------ */

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
static bool sampler_leave_children(const struct td_sampler_setup *setup)
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
	if (rc == -EACCES || rc == -EPERM) {
		struct td_target *target = setup->target;

		if (target->exclude_kernel || target->all_kernel || target->all_user)
			return false;
		target->exclude_kernel = true;
		return true;
	}
	if (rc != -EINVAL && rc != -EOPNOTSUPP)
		return false;
	return change_precision(setup, group) || (rc == -EINVAL && sampler_leave_children(setup));
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
		sampler_add_evsel(sampler, &attr, &sampler->setup.machine->online, -1);
	int rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);

	/* lost records are counted since Linux 6.0, build ids are known since 5.12 */
	if (rc == -EINVAL) {
		evsel->attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);
	}
	if (rc == -EINVAL) {
		evsel->attr.build_id = 0;
		rc = perf_evsel__open(evsel, evsel->cpus, evsel->threads);
	}
	return rc ? td_err_set(err, rc, "cannot record which files tasks map: %s", strerror(-rc))
		  : 0;
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
	const struct td_target *target = sampler->setup.target;
	int nr = (int)target->tids.nr;
	struct perf_cpu_map *cpus = cpu_map(sampler, &sampler->setup.machine->online);

	sampler->threads = target->system_wide ? td_need(perf_thread_map__new_dummy())
					       : td_need(perf_thread_map__new_array(nr, NULL));
	for (int i = 0; !target->system_wide && i < nr; i++)
		perf_thread_map__set_pid(sampler->threads, i, target->tids.v[i]);
	perf_evlist__set_maps(sampler->evlist, cpus, sampler->threads);
	perf_cpu_map__put(cpus);
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

/* --- opening ---------------------------------------------------------------- */

/* Excludes the kernel, because tracing it needs more rights. */
static struct perf_event_attr make_attr(const struct td_sampler *sampler)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_companion none = { 0 };
	struct perf_event_attr attr = sampler_companion_attr(sampler, &none);

	attr.type = setup->trace.type;
	attr.config = setup->trace.config;
	attr.disabled = 1;
	attr.enable_on_exec = setup->target->enable_on_exec;
	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static int no_trace(int rc, const char *what, struct td_err *err)
{
	td_err_set(err, rc, "Processor Trace: %s%s", what, strerror(-rc));
	return rc == -EBUSY ? td_err_hint(err, "another program uses Processor Trace") : rc;
}

static int open_evsel(struct td_sampler *sampler, struct perf_event_attr *attr,
		      const struct td_ints *cpus, int event, struct perf_evsel **evsel,
		      struct td_err *err)
{
	int rc;

	*evsel = sampler_add_evsel(sampler, attr, cpus, event);
	rc = perf_evsel__open(*evsel, (*evsel)->cpus, (*evsel)->threads);
	if (rc)
		no_trace(rc, "", err);
	return rc == -EACCES || rc == -EPERM
		       ? td_err_hint(err,
				     "sysctl kernel.perf_event_paranoid=2 allows it for your own "
				     "programs")
		       : rc;
}

/*
 * Inherited events with PERF_SAMPLE_READ keep the kernel from handing one thread's open events
 * to the next thread on the CPU (nr_no_switch_fast in kernel/events/core.c).  So everything
 * that a CPU traced up to a record belongs to one thread.
 */
static int open_tracer(struct td_sampler *sampler, struct perf_evsel **evsel, struct td_err *err)
{
	const struct td_ints *cpus = &sampler->setup.machine->online;
	struct perf_event_attr attr = make_attr(sampler);
	int rc = open_evsel(sampler, &attr, cpus, -1, evsel, err);

	if (rc != -EINVAL || !sampler_leave_children(&sampler->setup))
		return rc;
	sampler_drop_evsel(sampler, *evsel);
	attr = make_attr(sampler);
	return open_evsel(sampler, &attr, cpus, -1, evsel, err);
}

/* Refuses an event that the kernel refuses.  It is an error only if a thread has just ended. */
static int open_sampled(struct td_sampler *sampler, const struct td_group *group, size_t i,
			struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	struct perf_event_attr attr = sampler_attr(sampler, group, i);
	int at = group->members[i];
	struct td_event *event = &setup->plan->events.v[at];
	struct perf_evsel *evsel;
	int rc;

	attr.disabled = 1;
	attr.enable_on_exec = setup->target->enable_on_exec;
	attr.exclude_kernel = attr.exclude_hv = 1;
	rc = open_evsel(sampler, &attr, &setup->machine->pmus[group->pmu].cpus, at, &evsel, err);
	if (!rc || rc == -ESRCH)
		return rc;
	*err = (struct td_err){ 0 };
	sampler_drop_evsel(sampler, evsel);
	td_event_refuse(event, strerror(-rc), setup->notes);
	return 0;
}

static int open_all_sampled(struct td_sampler *sampler, struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_plan *plan = setup->plan;
	int rc = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; !rc && i < plan->groups[g].nr; i++) {
			if (setup->how[plan->groups[g].members[i]].period)
				rc = open_sampled(sampler, &plan->groups[g], i, err);
		}
	}
	return rc;
}

int td_sampler_open_trace(struct td_sampler *sampler, struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	struct perf_event_attr attr;
	struct perf_evsel *evsel;
	int rc = open_tracer(sampler, &evsel, err);

	if (!rc && perf_evsel__apply_filter(evsel, setup->trace.filter))
		rc = no_trace(-errno, "the address filter: ", err);
	for (size_t i = 0; !rc && i < setup->nr_companions; i++) {
		attr = sampler_companion_attr(sampler, &setup->companions[i]);
		attr.exclude_kernel = attr.exclude_hv = 1;
		rc = open_evsel(sampler, &attr, &setup->machine->online,
				td_sampler_companion(setup, 0, i), &evsel, err);
	}
	return rc ?: open_all_sampled(sampler, err);
}

/* --- turns ------------------------------------------------------------------ */

void td_sampler_pause_trace(struct td_sampler *sampler)
{
	sampler->paused = true;
	perf_evsel__disable(perf_evlist__first(sampler->evlist));
}

int td_sampler_resume_trace(struct td_sampler *sampler, const char *filter, struct td_err *err)
{
	struct perf_evsel *evsel = perf_evlist__first(sampler->evlist);

	if (perf_evsel__apply_filter(evsel, filter))
		return no_trace(-errno, "the address filter: ", err);
	sampler->paused = false;
	perf_evsel__enable(evsel);
	return 0;
}

/* Returns how long an event counted on some of its CPUs. */
static uint64_t ran_ns(const struct perf_evsel *evsel, const struct perf_cpu_map *cpus)
{
	uint64_t values[TD_SAMPLER_VALUES], sum = 0;

	for (int x = 0; x < xyarray__max_x(evsel->fd); x++) {
		if (!perf_cpu_map__has(cpus, perf_cpu_map__cpu(evsel->cpus, x)))
			continue;
		for (int y = 0; y < xyarray__max_y(evsel->fd); y++) {
			/* value, time enabled, time running */
			if (td_sampler_values(evsel, x, y, values))
				sum += values[2];
		}
	}
	return sum;
}

/*
 * At a command's exec(), the counters on its CPU start a few milliseconds late (4 to 14 on
 * Linux 6.12).
 */
#define LATE_NS (50 * TD_NS_A_MS)

double td_sampler_traced_pct(const struct td_sampler *sampler)
{
	const struct perf_evsel *software = NULL;
	struct perf_evsel *evsel;
	double min_pct = NAN;
	size_t i = 0;

	perf_evlist__for_each_evsel(sampler->evlist, evsel) {
		int event = sampler->events[i++];
		uint64_t all_ns, counted_ns;

		if (event == td_sampler_companion(&sampler->setup, 0, 0))
			software = evsel;
		if (!software || event < 0 || !evsel->fd ||
		    event >= (int)sampler->setup.plan->events.nr)
			continue;
		all_ns = ran_ns(software, evsel->cpus);
		counted_ns = ran_ns(evsel, evsel->cpus);
		if (td_since(all_ns, counted_ns) > LATE_NS)
			min_pct = fmin(min_pct, 100 * (double)counted_ns / (double)all_ns);
	}
	return min_pct;
}

/* --- rings ------------------------------------------------------------------ */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int map_area(struct td_sampler *sampler, struct perf_mmap *map, size_t size)
{
	struct perf_event_mmap_page *page = map->base;
	size_t at = sampler->nr_traces;
	void *area;

	page->aux_offset = page_size() + (size_t)map->mask + 1;
	page->aux_size = size;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd,
		    (off_t)page->aux_offset);
	if (area == MAP_FAILED)
		return -errno;
	td_array_add(&sampler->traces, at, sizeof(*sampler->traces));
	sampler->traces[at].map = map;
	sampler->traces[at].area = area;
	sampler->traces[at].size = size;
	sampler->nr_traces++;
	return 0;
}

static void unmap_areas(struct td_sampler *part)
{
	for (size_t i = 0; i < part->nr_traces; i++) {
		munmap(part->traces[i].area, part->traces[i].size);
		free(part->traces[i].bytes);
	}
	part->nr_traces = 0;
}

static int map_areas(struct td_sampler *sampler, size_t size)
{
	struct perf_mmap *map;

	perf_evlist__for_each_mmap(sampler->evlist, map, false)
	{
		int rc = map_area(sampler, map, size);

		if (rc) {
			unmap_areas(sampler);
			return rc;
		}
	}
	return 0;
}

static bool knows_time(const struct td_sampler *sampler)
{
	const struct perf_event_mmap_page *page;

	if (!sampler->nr_traces)
		return false;
	page = sampler->traces[0].map->base;
	return page->cap_user_time && page->cap_user_time_zero;
}

int td_sampler_map_trace(struct td_sampler *sampler, struct td_err *err)
{
	int max = sampler->setup.trace.max_pages, pages = max, rc = 0;

	if (!sampler->setup.trace.type)
		return 0;
	for (; pages; pages /= 2) {
		rc = map_areas(sampler, (size_t)pages * page_size());
		if (rc != -EPERM && rc != -ENOMEM)
			break;
	}
	if (rc)
		return no_trace(rc, "its rings: ", err);
	if (!knows_time(sampler))
		return no_trace(-ENOTSUP,
				"the time stamp counter is not a clock of the kernel: ", err);
	if (pages < max)
		td_notes_add(
			sampler->setup.notes,
			"rings of %d pages a CPU for the trace, not %d: kernel.perf_event_mlock_kb "
			"does not allow more",
			pages, max);
	return 0;
}

void td_sampler_close_trace(struct td_sampler *part)
{
	unmap_areas(part);
	free(part->traces);
	part->traces = NULL;
}

/* --- reading ---------------------------------------------------------------- */

/* Drops the bytes that were taken. */
static void drop_used(struct td_sampler *part, size_t at)
{
	uint64_t used = td_since(part->traces[at].used, part->traces[at].from);

	if (used > part->traces[at].nr)
		used = part->traces[at].nr;
	/* drops at least half of the bytes, so that no byte is moved twice */
	if (used < part->traces[at].nr - used)
		return;
	part->traces[at].nr -= used;
	part->traces[at].from += used;
	if (used)
		memmove(part->traces[at].bytes, part->traces[at].bytes + used, part->traces[at].nr);
}

static void keep(struct td_sampler *part, size_t at, uint64_t tail, uint64_t head)
{
	size_t size = part->traces[at].size, nr = (size_t)(head - tail);
	size_t begin = (size_t)tail % size, room = size - begin;
	uint8_t *bytes = td_realloc(part->traces[at].bytes, part->traces[at].nr + nr);

	part->traces[at].bytes = bytes;
	bytes += part->traces[at].nr;
	if (room > nr)
		room = nr;
	memcpy(bytes, part->traces[at].area + begin, room);
	memcpy(bytes + room, part->traces[at].area, nr - room);
	part->traces[at].nr += nr;
}

/* Bytes that are kept per CPU.  If decoding is slower than tracing, the rest is lost. */
#define MAX_KEPT ((size_t)64 << 20)

/*
 * Restarts tracing after the ring was full: the PMU has stopped, although the event may still
 * be enabled (intel_pt_interrupt() in arch/x86/events/intel/pt.c).
 */
static void switch_on(const struct td_sampler *part, size_t at)
{
	struct perf_evsel *evsel = perf_evlist__first(part->evlist);
	int cpu = perf_cpu_map__idx(evsel->cpus, part->traces[at].map->cpu);

	part->traces[at].cut = false;
	if (part->off || part->paused || cpu < 0)
		return;
	perf_evsel__disable_cpu(evsel, cpu);
	perf_evsel__enable_cpu(evsel, cpu);
	part->traces[at].on_ns[part->traces[at].nr_on++ % TD_SWITCHED_ON] =
		td_sampler_trace_ns(part, __rdtsc());
}

void td_sampler_note_trace(struct td_sampler *part, const struct perf_mmap *map,
			   const struct td_record *record)
{
	for (size_t i = 0; i < part->nr_traces; i++)
		part->traces[i].cut |= record->cut && part->traces[i].map == map;
}

static void read_one(struct td_sampler *part, size_t at)
{
	struct perf_event_mmap_page *page = part->traces[at].map->base;
	uint64_t head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->aux_tail;

	drop_used(part, at);
	if (head == tail || part->traces[at].nr > MAX_KEPT)
		return;
	keep(part, at, tail, head);
	__atomic_store_n(&page->aux_tail, head, __ATOMIC_RELEASE);
}

void td_sampler_read_trace(struct td_sampler *part)
{
	for (size_t i = 0; i < part->nr_traces; i++) {
		read_one(part, i);
		/* without room, tracing would stop again without a record */
		if (part->traces[i].cut && part->traces[i].nr <= MAX_KEPT)
			switch_on(part, i);
	}
}

/*
 * Returns the bytes of a record.  Only tasks are traced, so there are no further samplers for CPUs
 * that come online.
 */
uint8_t *td_sampler_trace(struct td_sampler *sampler, const struct td_record *record)
{
	for (size_t i = 0; i < sampler->nr_traces; i++) {
		uint64_t at = record->offset - sampler->traces[i].from;

		if (sampler->traces[i].map->cpu.cpu != record->cpu ||
		    record->offset < sampler->traces[i].from || at > sampler->traces[i].nr ||
		    record->length > sampler->traces[i].nr - at)
			continue;
		sampler->traces[i].used = record->offset + record->length;
		return sampler->traces[i].bytes + at;
	}
	return NULL;
}

uint64_t td_sampler_trace_on_ns(const struct td_sampler *sampler, const struct td_record *record)
{
	uint64_t first_ns = td_sampler_trace_ns(sampler, __rdtsc());

	for (size_t i = 0; i < sampler->nr_traces; i++) {
		if (sampler->traces[i].map->cpu.cpu != record->cpu)
			continue;
		for (size_t j = 0; j < TD_SWITCHED_ON; j++) {
			uint64_t on_ns = sampler->traces[i].on_ns[j];

			if (on_ns > record->time_ns && on_ns < first_ns)
				first_ns = on_ns;
		}
	}
	return first_ns;
}

/*
 * Converts a time as documented at perf_event_mmap_page.  The factors do not change while the TSC
 * is stable.
 */
uint64_t td_sampler_trace_ns(const struct td_sampler *sampler, uint64_t tsc)
{
	const struct perf_event_mmap_page *page = sampler->traces[0].map->base;
	uint64_t whole = tsc >> page->time_shift;
	uint64_t rest = tsc - (whole << page->time_shift);

	return page->time_zero + whole * page->time_mult +
	       ((rest * page->time_mult) >> page->time_shift);
}
