// SPDX-License-Identifier: GPL-2.0-only

#include "metrics/sets/sets.h"
#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"
#include "metrics/formula/expr.h"
#include "metrics/sets/set.h"

/* --- sets that are built at run time ------------------------------------------ */

/* A set that is built at run time. */
struct td_made_set {
	struct td_metric_set set;
	struct td_metric_def *defs; /* its metrics */
	size_t nr;
};

/* Appends a copy of def. */
static void made_add(struct td_made_set *made, const struct td_metric_def *def)
{
	td_index_add(&made->set.names, td_hash_any_case(def->name), made->nr);
	td_array_push(&made->defs, &made->nr, def, sizeof(*def));
	made->set.metrics = made->defs;
	made->set.nr_metrics = made->nr;
}

/* Appends the metrics of a built-in set, and copies its other members. */
static void made_copy(struct td_made_set *made, const struct td_metric_set *from)
{
	struct td_metric_set own;

	for (size_t i = 0; i < from->nr_metrics; i++)
		made_add(made, &from->metrics[i]);
	own = made->set;
	made->set = *from;
	made->set.metrics = own.metrics;
	made->set.nr_metrics = own.nr_metrics;
	made->set.names = own.names;
}

/* --- group L2Requests: requests to the L2 cache, by origin and outcome ---------- */

/* clang-format off */

/*
 * L2_RQSTS, event 0x24, of Skylake and its descendants.  Its umask has
 * bits for the origin of a request and bits for its outcome; several bits of a
 * kind count all of these.
 *
 *	origin	0x01 demand read	0x02 RFO	0x04 code read
 *		0x08 and 0x10 prefetches, see below
 *	outcome	0x20 miss	0x40 hit in state E or S	0x80 hit in state M
 *
 * Intel's event lists contain sums of these bits: DEMAND_DATA_RD_MISS is 0x21,
 * DEMAND_DATA_RD_HIT 0xc1, RFO_HIT 0xc2, CODE_RD_HIT 0xc4, REFERENCES 0xff.  They do
 * not explain the hit bits.  But hits in the lists were 0x4n before they became 0xcn to
 * include modified lines, and where events name states, the bits ascend from miss over S
 * and E to M (Sandy Bridge's L2_L1D_WB_RQSTS).
 */
#define REQUEST(name_, umask, desc_)                                    \
	{ .name = (name_), .formula = "cpu@event\\=0x24\\,umask\\=" umask "@", \
	  .unit = "", .factor = 1, .groups = TD_L2_REQUESTS,     \
	  .desc = (desc_) }

#define REQUESTS(name, who, hit, hit_m, hit_es, miss)                          \
	REQUEST("l2_" name "_hit", hit, who " that hit the L2 cache, in any state"), \
	REQUEST("l2_" name "_hit_m", hit_m,                                    \
		who " that hit a modified line (state M) in the L2 cache"),    \
	REQUEST("l2_" name "_hit_es", hit_es,                                  \
		who " that hit a clean line (state E or S) in the L2 cache"),  \
	REQUEST("l2_" name "_miss", miss, who " that missed the L2 cache")

#define DEMAND                                                                 \
	REQUESTS("demand_read", "Demand data reads", "0xc1", "0x81", "0x41", "0x21"), \
	REQUESTS("rfo", "Reads for ownership (stores)", "0xc2", "0x82", "0x42", "0x22"), \
	REQUESTS("code", "Code reads", "0xc4", "0x84", "0x44", "0x24")

#define NR_DEMAND TD_ARRAY_SIZE(((const struct td_metric_def[]){ DEMAND }))

static const struct td_metric_def skylake_l2_metrics[] = {
	DEMAND,
	REQUESTS("l1_prefetch", "Prefetches of the L1 data cache", "0xc8", "0x88", "0x48", "0x28"),
	REQUESTS("l2_prefetch", "Prefetches of the L2 cache", "0xd0", "0x90", "0x50", "0x30"),
};

/* In Ice Lake and later, Intel's event lists name 0x08 SWPF and 0x10 HWPF. */
static const struct td_metric_def later_l2_metrics[] = {
	DEMAND,
	REQUESTS("sw_prefetch", "Software prefetches", "0xc8", "0x88", "0x48", "0x28"),
	REQUESTS("hw_prefetch", "Hardware prefetches of the L1 and L2 "
	"caches", "0xd0", "0x90", "0x50", "0x30"),
};

static const struct td_metric_set
	skylake_l2 = { .metrics = skylake_l2_metrics,
		       .nr_metrics = TD_ARRAY_SIZE(skylake_l2_metrics) },
	later_l2 = { .metrics = later_l2_metrics,
		     .nr_metrics = TD_ARRAY_SIZE(later_l2_metrics) };

/* clang-format on */

/* Return the metrics of group L2Requests; NULL if the core has no such event. */
static const struct td_metric_set *find_l2_requests(enum td_uarch uarch)
{
	if (td_uarch_has(uarch, TD_CORE_FIELDS))
		return &later_l2;
	return uarch == TD_SKYLAKE ? &skylake_l2 : NULL;
}

const struct td_metric_def *td_l2_request_at(size_t i, const char **cores)
{
	const size_t nr = TD_ARRAY_SIZE(later_l2_metrics);

	*cores = i < NR_DEMAND ? "Skylake, and P-cores of Ice Lake and later"
		 : i < nr      ? "P-cores of Ice Lake and later"
			       : "Skylake";
	if (i < nr)
		return &later_l2_metrics[i];
	i -= nr - NR_DEMAND;
	return i < TD_ARRAY_SIZE(skylake_l2_metrics) ? &skylake_l2_metrics[i] : NULL;
}

/* --- metrics apart ------------------------------------------------------------ */

#define MAX_DEPTH 64 /* maximum depth of metrics that refer to other metrics */

struct search {
	const struct td_metric_set *set;
	const struct td_metric_def *self;
	int depth;
	bool cores; /* an event of the cores was found */
};

static void search_formula(struct search *search, const struct td_metric_def *def);

static int look_at_name(void *ctx, const char *name)
{
	struct search *search = ctx;
	const struct td_metric_def *def = td_set_find(search->set, name);

	/* in the formula of a metric that has the name of an event, this name means the event */
	if (def && def != search->self)
		search_formula(search, def);
	else if (td_is_core_event(name))
		search->cores = true;
	return 0;
}

static void search_formula(struct search *search, const struct td_metric_def *def)
{
	struct search inner = { search->set, def, search->depth + 1, search->depth == MAX_DEPTH };
	struct td_expr *formula = NULL;
	struct td_err unused = { 0 };

	/* an invalid formula is reported when the metric is requested */
	if (!inner.cores && td_expr_parse(&formula, def->formula, look_at_name, &inner, &unused))
		inner.cores = true;
	td_expr_free(formula);
	search->cores |= inner.cores;
}

/*
 * Mark the metrics of a hybrid that do not count events of its cores: idle time, C-states, power,
 * memory.  They do not belong to a core type, whatever PMU the files name.
 */
static void find_apart(struct td_made_set *made)
{
	td_for_each(struct td_metric_def, def, made->defs, made->nr) {
		struct search search = { .set = &made->set };

		if (def->level || def->part)
			continue;
		search_formula(&search, def);
		def->apart = !search.cores;
	}
}

/* --- sets -------------------------------------------------------------- */

/* Parse a ScaleUnit: "100%" is the factor 100 and the unit "%"; the default is 1 and "". */
static void read_unit(struct td_metric_def *def, const char *text)
{
	char *end;
	double factor;

	def->unit = "";
	def->factor = 1;
	if (!text)
		return;
	factor = strtod(text, &end);
	def->factor = end != text ? factor : 1;
	def->unit = end + strspn(end, " ");
}

/* The metric for TOPDOWN.SLOTS, the slots of a thread, in the kernel's files. */
#define FILES_SLOTS "tma_info_thread_slots"

/*
 * Return the formula of a metric.  general: the set for general counters, or NULL.  Its formulas of
 * levels 1 and 2 and of the slots replace the formulas in the files; deeper levels use them by
 * name.
 */
static const char *formula_of(const struct td_model_metric *metric,
			      const struct td_metric_set *general)
{
	const struct td_metric_def *own = general ? td_set_find(general, metric->name) : NULL;

	if (own)
		return own->formula;
	return general && strcmp(metric->name, FILES_SLOTS) == 0 ? TD_SLOTS : metric->formula;
}

static void add_model_metric(struct td_made_set *made, const struct td_model_metric *metric,
			     const struct td_metric_set *general)
{
	struct td_metric_def def = {
		.name = metric->name,
		.formula = formula_of(metric, general),
		.threshold = metric->threshold,
		.level = metric->level,
		.parent = metric->parent,
		.groups = metric->groups,
		.desc = metric->desc,
		.split = metric->split,
	};

	if (def.formula == metric->formula)
		def.errata = metric->errata;
	read_unit(&def, metric->unit);
	made_add(made, &def);
}

/* Return the first core PMU that is not excluded by --cputype or -C. */
static size_t first_pmu(const struct td_machine *machine)
{
	size_t i = 0;

	while (i + 1 < machine->nr_core && machine->pmus[i].skip)
		i++;
	return i;
}

/*
 * Does the metric belong to this core PMU?  Metrics of uncore units and of a hybrid's whole package
 * are shown once, with the first PMU.
 */
static bool is_of(const struct td_model_metric *metric, const struct td_machine *machine,
		  size_t pmu)
{
	int index = td_machine_find_pmu(machine, metric->pmu);

	if (strcmp(metric->pmu, TD_EACH_CORE) == 0)
		return true;
	if (!machine->nr_core)
		return strcmp(metric->pmu, TD_NO_CORE) == 0;
	if (index >= 0 && index < (int)machine->nr_core)
		return index == (int)pmu;
	return pmu == first_pmu(machine) && strncmp(metric->pmu, "cpu_", 4) != 0;
}

/* Do the files have a tree for this core PMU? */
static bool has_tree(const struct td_machine *machine, size_t pmu,
		     const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (files->metrics[i].level && is_of(&files->metrics[i], machine, pmu))
			return true;
	}
	return false;
}

/* Common metrics; the files have other names (tma_info_thread_ipc), or only cpi. */
static const struct td_metric_def rates[] = {
	{ .name = "ipc",
	  .formula = "instructions / cpu\\-cycles",
	  .unit = "",
	  .factor = 1,
	  .desc = "Instructions per cycle of the core" },
	{ .name = "cpi",
	  .formula = "cpu\\-cycles / instructions",
	  .unit = "",
	  .factor = 1,
	  .desc = "Cycles of the core per instruction" },
};

static const struct td_metric_set rates_set = { .metrics = rates,
						.nr_metrics = TD_ARRAY_SIZE(rates) };

static bool is_in(const struct td_metric_set *set, const char *name)
{
	for (size_t i = 0; set && i < set->nr_metrics; i++) {
		if (td_ask_matches(name, &set->metrics[i]))
			return true;
	}
	return false;
}

/* Does td_sets_from_files() add a metric with this name to the core PMU's set? */
static bool has_name(const char *name, const struct td_machine *machine, size_t pmu,
		     const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_metric_def def = {
			.name = files->metrics[i].name,
			.groups = files->metrics[i].groups,
		};

		if (td_ask_matches(name, &def) && is_of(&files->metrics[i], machine, pmu))
			return true;
	}
	return is_in(&rates_set, name) || is_in(find_l2_requests(machine->pmus[pmu].uarch), name) ||
	       (!has_tree(machine, pmu, files) &&
		is_in(td_builtin_find(machine, &machine->pmus[pmu]), name));
}

bool td_sets_lack_name(const struct td_ask *ask, const struct td_machine *machine,
		       const struct td_pmu_events *files)
{
	for (size_t i = 0; i < ask->nr_names; i++) {
		bool found = false;

		for (size_t pmu = 0; !found && pmu < machine->nr_core; pmu++)
			found = !machine->pmus[pmu].skip &&
				has_name(ask->names[i], machine, pmu, files);
		if (!found)
			return true;
	}
	return false;
}

/* Add the number of slots as a metric, which the files lack or do not use in formulas. */
static void add_slots(struct td_made_set *made, const struct td_pmu *pmu)
{
	struct td_metric_def slots = { .name = TD_SLOTS, .unit = "", .factor = 1, .part = true };

	/* the sets of general counters contain TD_SLOTS */
	if (!made->set.files || made->set.general)
		return;
	if (td_pmu_has_slots(pmu))
		slots.formula = "slots";
	else if (td_uarch_width(pmu->uarch))
		slots.formula = "#width * CPU_CLK_UNHALTED.CORE";
	if (slots.formula)
		made_add(made, &slots);
}

/* Add the metrics of a set, which may be NULL, that the files lack. */
static void add_set(struct td_made_set *made, const struct td_metric_set *set)
{
	for (size_t i = 0; set && i < set->nr_metrics; i++) {
		if (!td_set_find(&made->set, set->metrics[i].name))
			made_add(made, &set->metrics[i]);
	}
}

/* Start a set of metrics from files, with members of the built-in set, which may be NULL. */
static struct td_metric_set files_set(const struct td_metric_set *builtin)
{
	struct td_metric_set set = { .name = "metric files of its model", .files = true };

	/* per_core: the events count slots of a core, not of a thread */
	set.per_core = builtin && builtin->per_core;
	if (builtin && builtin->general) {
		set.name = "metric files of its model, on general counters";
		set.general = true;
		set.events = builtin->events;
		set.nr_events = builtin->nr_events;
	}
	return set;
}

static void add_model_metrics(struct td_made_set *made, const struct td_machine *machine,
			      size_t index, const struct td_pmu_events *files,
			      const struct td_metric_set *general)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (is_of(&files->metrics[i], machine, index))
			add_model_metric(made, &files->metrics[i], general);
	}
	if (td_machine_count_kinds(machine) > 1 && index == first_pmu(machine))
		find_apart(made);
	for (size_t i = 0; i < made->nr; i++) {
		if (made->defs[i].level > made->set.levels)
			made->set.levels = made->defs[i].level;
	}
	add_set(made, made->set.levels ? general : NULL);
}

static void fill_set(struct td_made_set *made, const struct td_machine *machine, size_t index,
		     const struct td_pmu_events *files)
{
	const struct td_pmu *pmu = &machine->pmus[index];
	const struct td_metric_set *builtin = td_builtin_find(machine, pmu);

	made->set = files_set(builtin);
	add_model_metrics(made, machine, index, files, made->set.general ? builtin : NULL);
	if (made->set.levels == 0 && builtin)
		made_copy(made, builtin);
	add_slots(made, pmu);
	add_set(made, find_l2_requests(pmu->uarch));
	/* a machine without cores has no cycles */
	add_set(made, machine->nr_core ? &rates_set : NULL);
}

/* Do the files have metrics in addition to those that all models have in common? */
static bool has_own_metrics(const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const char *pmu = files->metrics[i].pmu;

		if (strcmp(pmu, TD_EACH_CORE) != 0 && strcmp(pmu, TD_NO_CORE) != 0)
			return true;
	}
	return false;
}

static void note_fallback(struct td_notes *notes, const struct td_pmu *pmu,
			  const struct td_metric_set *set, bool any_files)
{
	if (!set->files && set->levels)
		td_notes_add(
			notes,
			"%s (%s): %s: the tree is the built-in one, of %d level%s (%s may have "
			"more)",
			pmu->name, td_uarch_name(pmu->uarch),
			any_files ? "its metric files have no tree"
				  : "there are no metric files for it",
			set->levels, set->levels == 1 ? "" : "s",
			any_files ? "the kernel's, which tdstat comes with,"
				  : "--metrics-dir with newer files");
}

static void make_room(struct td_sets *sets, size_t nr)
{
	*sets = (struct td_sets){ 0 };
	sets->v = td_calloc(nr + 1, sizeof(const void *));
	sets->made = td_calloc(nr + 1, sizeof(*sets->made));
	sets->nr = nr;
}

void td_sets_from_files(struct td_sets *sets, const struct td_machine *machine,
			const struct td_pmu_events *files, struct td_notes *notes)
{
	/* without core PMUs, the first PMU gets the metrics of software events */
	make_room(sets, machine->nr_core || !machine->nr_pmus ? machine->nr_core : 1);
	for (size_t i = 0; i < sets->nr; i++) {
		struct td_made_set *made = &sets->made[i];

		if (machine->pmus[i].skip)
			continue;
		fill_set(made, machine, i, files);
		if (!made->nr)
			continue;
		sets->v[i] = &made->set;
		note_fallback(notes, &machine->pmus[i], &made->set, has_own_metrics(files));
	}
}

void td_sets_builtin(struct td_sets *sets, const struct td_machine *machine)
{
	make_room(sets, machine->nr_core);
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip)
			sets->v[i] = td_builtin_find(machine, &machine->pmus[i]);
	}
}

void td_sets_free(struct td_sets *sets)
{
	for (size_t i = 0; sets->made && i < sets->nr; i++) {
		free(sets->made[i].defs);
		td_index_free(&sets->made[i].set.names);
	}
	free(sets->made);
	free(sets->v);
	*sets = (struct td_sets){ 0 };
}

/* --- why no PMU has a tree -------------------------------------------------- */

static int no_pmu(const struct td_machine *machine, struct td_err *err)
{
	td_err_set(err, -ENODEV,
		   "no top-down events: the kernel shows no PMU of the processor's cores");
	if (machine->cpuid.hypervisor)
		return td_err_hint(
			err, "this is a virtual machine: its host has to give it a virtual PMU");
	return td_err_hint(err, "dmesg | grep -i 'performance events' shows what the kernel found");
}

/* Compare kernel releases: "6.1.0-56-amd64" is older than "6.12"; 7.2.13 than TD_LATER_LINUX. */
static bool is_older(const char *release, const char *than)
{
	unsigned int a_major = 0, a_minor = 0, b_major = 0, b_minor = 0;
	bool later = sscanf(than, "newer than %u.%u", &b_major, &b_minor) == 2;

	if (sscanf(release, "%u.%u", &a_major, &a_minor) != 2 ||
	    (!later && sscanf(than, "%u.%u", &b_major, &b_minor) != 2))
		return false;
	return a_major != b_major ? a_major < b_major : a_minor < b_minor + later;
}

const char *td_kernel_too_old(const struct td_machine *machine)
{
	const struct td_model *model = machine->model;
	const char *since = model ? model->linux_since : NULL;

	return since && is_older(machine->release, since) ? since : NULL;
}

bool td_kernel_lacks_core(const struct td_machine *machine)
{
	return machine->nr_core && machine->pmus[0].uarch == TD_UARCH_UNKNOWN &&
	       td_model_uarch(machine->model, "cpu") != TD_UARCH_UNKNOWN;
}

int td_why_no_tree(const struct td_machine *machine, struct td_err *err)
{
	const char *pmu, *since = td_kernel_too_old(machine);

	if (machine->nr_core == 0)
		return no_pmu(machine, err);
	pmu = machine->pmus[first_pmu(machine)].name;
	/* a kernel that does not know the processor shows one PMU called cpu */
	if ((since || td_kernel_lacks_core(machine)) && strcmp(pmu, "cpu") == 0) {
		td_err_set(err, -ENODEV,
			   "no top-down events: Linux %s does not know this processor (%s)",
			   machine->release, machine->model->name);
		return since ? td_err_hint(err, "it needs Linux %s", since)
			     : td_err_hint(err, "it needs a newer Linux");
	}
	if (strcmp(pmu, "cpu") == 0 && td_model_is_hybrid(machine->model)) {
		td_err_set(err, -ENODEV,
			   "no top-down events: one PMU for both core types of this processor (%s)",
			   machine->model->name);
		return td_err_hint(
			err, "%s",
			machine->cpuid.hypervisor
				? "this is a virtual machine, which hides them: measure on the host"
				: "a kernel that knows it shows cpu_core and cpu_atom");
	}
	td_err_set(err, -ENODEV,
		   "no top-down events: PMU %s has neither slots nor topdown-* in sysfs", pmu);
	if (!td_builtin_is_for(machine))
		return td_err_hint(
			err, "this is not an Intel processor: of AMD's, only Zen 4 and Zen 5 are "
			     "supported");
	if (machine->cpuid.hypervisor)
		return td_err_hint(
			err,
			"this is a virtual machine on a core that tdstat does not know: measure on "
			"the host");
	return td_err_hint(
		err, "Intel processors have them since Sandy Bridge, Atom cores since Goldmont");
}

/* --- the metrics of --energy ------------------------------------------------ */

#define MAIN_ENERGY "energy_pkg"
#define UNKNOWN     "td_memory_bandwidth" /* replaced by the formula of the files */
#define BANDWIDTH   "memory_bandwidth"

/* clang-format off */
#define DOMAIN(name_, event_, desc_)                                         \
	{ .name = "energy_" name_, .unit = "J", .factor = 1,                 \
	  .formula = "power@energy\\-" event_ "@",                           \
	  .package = true, .desc = "Energy of " desc_ },                     \
	{ .name = "power_" name_, .unit = "W", .factor = 1,                  \
	  .formula = "power@energy\\-" event_ "@ / duration_time",           \
	  .package = true, .desc = "Mean power of " desc_ }

const struct td_metric_def td_package_metrics[] = {
	DOMAIN("pkg", "pkg", "the package"),
	DOMAIN("cores", "cores", "all cores of the package"),
	DOMAIN("ram", "ram", "the memory"),
	{ .name = BANDWIDTH, .unit = "GB/s", .factor = 1,
	  .formula = UNKNOWN,
	  .package = true, .desc = "Reads and writes of the memory" },
};
/* clang-format on */

const size_t td_nr_package_metrics = TD_ARRAY_SIZE(td_package_metrics);

bool td_package_is_main(const struct td_metric_def *def)
{
	return def->package &&
	       (strcmp(def->name, MAIN_ENERGY) == 0 || strcmp(def->name, BANDWIDTH) == 0);
}

bool td_package_lacks_formula(const struct td_metric_def *def)
{
	return strcmp(def->formula, UNKNOWN) == 0;
}

/* Names in Intel's files.  The second one is in MB/s, for servers without P-cores. */
static const struct {
	const char *name;
	double factor;
} bandwidths[] = {
	{ "tma_info_system_dram_bw_use", 1 },
	{ "memory_bandwidth_total", 1e-3 },
};

/* Replace the formula with the one in the files, which may belong to another PMU. */
static void find_bandwidth(struct td_metric_def *def, const struct td_pmu_events *files)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(bandwidths); i++) {
		td_for_each(const struct td_model_metric, metric, files->metrics,
			    files->nr_metrics) {
			if (strcmp(metric->name, bandwidths[i].name) != 0)
				continue;
			def->formula = metric->formula;
			def->factor = bandwidths[i].factor;
			return;
		}
	}
}

/* Add the metric for duration_time if the formula uses it and the set lacks it. */
static void add_time(struct td_made_set *made, const char *formula)
{
	static const struct td_metric_def time = {
		.name = "tma_info_system_time",
		.formula = "duration_time",
		.factor = 1,
	};

	if (!strstr(formula, time.name) || td_set_find(&made->set, time.name))
		return;
	made_add(made, &time);
}

/* Replace a PMU's set by a copy that can grow, if it is a built-in one. */
static void own(struct td_sets *sets, size_t pmu)
{
	struct td_made_set *made = &sets->made[pmu];
	const struct td_metric_set *builtin = sets->v[pmu];

	if (builtin == &made->set)
		return;
	sets->v[pmu] = &made->set;
	made_copy(made, builtin);
}

void td_sets_add_package(struct td_sets *sets, const struct td_pmu_events *files)
{
	size_t pmu = 0;

	while (pmu < sets->nr && !sets->v[pmu])
		pmu++;
	if (pmu == sets->nr)
		return;
	own(sets, pmu);
	for (size_t i = 0; i < td_nr_package_metrics; i++) {
		struct td_metric_def def = td_package_metrics[i];

		if (strcmp(def.name, BANDWIDTH) == 0)
			find_bandwidth(&def, files);
		add_time(&sets->made[pmu], def.formula);
		made_add(&sets->made[pmu], &def);
	}
}
