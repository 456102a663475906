// SPDX-License-Identifier: GPL-2.0-only
/*
 * Levels 1 and 2 of TMA, which are built in, from events that every kernel
 * exports.  Formulas and encodings are Intel's, taken from the *-metrics.json of
 * each model in tools/perf/pmu-events/arch/x86 of Linux 6.12, so that values
 * equal those of perf stat -M TopdownL1,TopdownL2.
 */

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "metrics/sets/set.h"

/* clang-format off */

/* A metric in percent of the slots; level 0: only an operand of other formulas. */
#define NODE(name_, parent_, level_, formula_, threshold_)                   \
	NODE_ERRATA(name_, parent_, level_, formula_, threshold_, NULL)

/* A metric whose events have errata. */
#define NODE_ERRATA(name_, parent_, level_, formula_, threshold_, errata_)   \
	{ .name = (name_), .parent = (parent_), .level = (level_), \
	  .formula = (formula_), .threshold = (threshold_), \
	  .unit = "%", .factor = 100, .part = (level_) == 0, \
	  .errata = (errata_) }

/* --- perf-metrics, eight fields: Golden Cove and later -------------------- */

#define METRIC_EVENTS_4                                   \
	{ "slots", "slots", NULL }, \
	{ "retiring", "topdown-retiring", NULL }, \
	{ "bad_spec", "topdown-bad-spec", NULL }, \
	{ "fe_bound", "topdown-fe-bound", NULL }, \
	{ "be_bound", "topdown-be-bound", NULL }

#define METRIC_EVENTS_8                                   \
	METRIC_EVENTS_4, \
	{ "heavy_ops", "topdown-heavy-ops", NULL }, \
	{ "br_mispredict", "topdown-br-mispredict", NULL }, \
	{ "fetch_lat", "topdown-fetch-lat", NULL }, \
	{ "mem_bound", "topdown-mem-bound", NULL }

static const struct td_event_def golden_cove_events[] = {
	METRIC_EVENTS_8,
	{ "uop_dropping", "INT_MISC.UOP_DROPPING", "event=0xad,umask=0x10" },
};

static const struct td_event_def metrics_8_events[] = { METRIC_EVENTS_8 };
static const struct td_event_def metrics_4_events[] = { METRIC_EVENTS_4 };

/*
 * The kernel returns SLOTS multiplied by a field, so a share is relative to the
 * sum of the four level-1 fields.
 */
#define PERF_METRICS_PARTS                                \
	NODE(TD_SLOTS, NULL, 0, "slots", NULL), \
	NODE("td_sum", NULL, 0, "retiring + bad_spec + fe_bound + be_bound", NULL)

/* Formulas for general counters, with shares of the slots. */
#define GENERAL_PARTS                                     \
	NODE(TD_SLOTS, NULL, 0, "slots", NULL), \
	NODE("td_sum", NULL, 0, "slots", NULL)

#define CORE_RETIRING                                                        \
	NODE("tma_retiring", NULL, 1, "retiring / td_sum", \
	  "tma_retiring > 0.7 | tma_heavy_operations > 0.1")

#define CORE_LIGHT                                                           \
	NODE("tma_light_operations", "tma_retiring", 2, \
	  "max(0, tma_retiring - tma_heavy_operations)", \
	  "tma_light_operations > 0.6")

#define CORE_BACKEND(formula)                                                \
	NODE("tma_backend_bound", NULL, 1, formula, "tma_backend_bound > 0.2")

#define CORE_MEMORY(formula)                                                 \
	NODE("tma_memory_bound", "tma_backend_bound", 2, formula, \
	  "tma_memory_bound > 0.2 & tma_backend_bound > 0.2")

#define CORE_CORE(formula)                                                   \
	NODE("tma_core_bound", "tma_backend_bound", 2, formula, \
	  "tma_core_bound > 0.1 & tma_backend_bound > 0.2")

#define CORE_FRONTEND(formula)                                               \
	NODE("tma_frontend_bound", NULL, 1, formula, "tma_frontend_bound > 0.15")

#define CORE_FETCH_LATENCY(formula)                                          \
	NODE("tma_fetch_latency", "tma_frontend_bound", 2, formula, \
	  "tma_fetch_latency > 0.1 & tma_frontend_bound > 0.15")

#define CORE_FETCH_BANDWIDTH(formula)                                        \
	NODE("tma_fetch_bandwidth", "tma_frontend_bound", 2, formula, "tma_fetch_bandwidth > 0.2")

#define CORE_BAD_SPECULATION(formula)                                        \
	NODE("tma_bad_speculation", NULL, 1, formula, "tma_bad_speculation > 0.15")

#define CORE_MISPREDICTS(formula)                                            \
	NODE("tma_branch_mispredicts", "tma_bad_speculation", 2, formula, \
	  "tma_branch_mispredicts > 0.1 & tma_bad_speculation > 0.15")

#define CORE_CLEARS(formula)                                                 \
	NODE("tma_machine_clears", "tma_bad_speculation", 2, formula, \
	  "tma_machine_clears > 0.1 & tma_bad_speculation > 0.15")

#define BAD_IS_THE_REST                                                      \
	"max(1 - (tma_frontend_bound + tma_backend_bound + tma_retiring), 0)"

#define METRICS_8_RETIRING                                                   \
	CORE_RETIRING, CORE_LIGHT, \
	NODE("tma_heavy_operations", "tma_retiring", 2, "heavy_ops / td_sum", \
	  "tma_heavy_operations > 0.1")

#define METRICS_8_BACKEND                                                    \
	CORE_BACKEND("be_bound / td_sum"), \
	CORE_MEMORY("mem_bound / td_sum"), \
	CORE_CORE("max(0, tma_backend_bound - tma_memory_bound)")

#define METRICS_8_BAD_CHILDREN                                               \
	CORE_MISPREDICTS("br_mispredict / td_sum"), \
	CORE_CLEARS("max(0, tma_bad_speculation - tma_branch_mispredicts)")

#define BANDWIDTH_IS_THE_REST                                                \
	CORE_FETCH_BANDWIDTH("max(0, tma_frontend_bound - tma_fetch_latency)")

/*
 * The fields count uops that were dropped between front end and back end as
 * frontend-bound; UOP_DROPPING corrects that.
 */
static const struct td_metric_def golden_cove_metrics[] = {
	PERF_METRICS_PARTS,
	METRICS_8_RETIRING,
	METRICS_8_BACKEND,
	CORE_FRONTEND("fe_bound / td_sum - uop_dropping / slots"),
	CORE_FETCH_LATENCY("fetch_lat / td_sum - uop_dropping / slots"),
	BANDWIDTH_IS_THE_REST,
	CORE_BAD_SPECULATION(BAD_IS_THE_REST),
	METRICS_8_BAD_CHILDREN,
};

/* Lion Cove and later, and unknown cores. */
static const struct td_metric_def metrics_8_metrics[] = {
	PERF_METRICS_PARTS,
	METRICS_8_RETIRING,
	METRICS_8_BACKEND,
	CORE_FRONTEND("fe_bound / td_sum"),
	CORE_FETCH_LATENCY("fetch_lat / td_sum"),
	BANDWIDTH_IS_THE_REST,
	CORE_BAD_SPECULATION("bad_spec / td_sum"),
	METRICS_8_BAD_CHILDREN,
};

/* --- perf-metrics, four fields: Ice Lake's class -------------------------- */

/* Events with the same encoding in level 2 of Ice Lake and Skylake. */
#define MISPREDICT_AND_STALL_EVENTS                                          \
	{ "mispredicts", "BR_MISP_RETIRED.ALL_BRANCHES", "event=0xc5" }, \
	{ "machine_clears", "MACHINE_CLEARS.COUNT", "event=0xc3,umask=0x01,cmask=1,edge=1" }, \
	{ "stalls_mem", "CYCLE_ACTIVITY.STALLS_MEM_ANY", "event=0xa3,umask=0x14,cmask=20" }, \
	{ "stalls_total", "CYCLE_ACTIVITY.STALLS_TOTAL", "event=0xa3,umask=0x04,cmask=4" }, \
	{ "one_port", "EXE_ACTIVITY.1_PORTS_UTIL", "event=0xa6,umask=0x02" }, \
	{ "two_ports", "EXE_ACTIVITY.2_PORTS_UTIL", "event=0xa6,umask=0x04" }

#define SUNNY_COVE_EVENTS                                                    \
	{ "uop_dropping", "INT_MISC.UOP_DROPPING", "event=0x0d,umask=0x10" }, \
	{ "clears", "INT_MISC.CLEARS_COUNT", "event=0x0d,umask=0x01,cmask=1,edge=1" }, \
	{ "no_uops", "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE", \
	  "event=0x9c,umask=0x01,cmask=5" }, \
	MISPREDICT_AND_STALL_EVENTS, \
	{ "on_stores", "EXE_ACTIVITY.BOUND_ON_STORES", "event=0xa6,umask=0x40,cmask=2" }, \
	{ "uops_retired", "UOPS_RETIRED.SLOTS", "event=0xc2,umask=0x02" }, \
	{ "uops_issued", "UOPS_ISSUED.ANY", "event=0x0e,umask=0x01" }, \
	{ "ms_uops", "IDQ.MS_UOPS", "event=0x79,umask=0x30" }, \
	{ "decoder_0", "UOPS_DECODED.DEC0", "event=0x56,umask=0x01" }, \
	{ "decoder_0_cycles", "UOPS_DECODED.DEC0,cmask=1", "event=0x56,umask=0x01,cmask=1" }, \
	{ "mite_uops", "IDQ.MITE_UOPS", "event=0x79,umask=0x04" }

static const struct td_event_def sunny_cove_events[] = {
	METRIC_EVENTS_4, SUNNY_COVE_EVENTS,
};

#define STALLS_MEMORY                                                        \
	"(stalls_mem + on_stores) / (stalls_total + (one_port + " \
	"tma_retiring * two_ports) + on_stores) * tma_backend_bound"

#define MISPREDICTS_BY_COUNT                                                 \
	"mispredicts / (mispredicts + machine_clears) * tma_bad_speculation"

#define SUNNY_COVE_NODES                                                     \
	CORE_RETIRING, CORE_LIGHT, \
	NODE("tma_heavy_operations", "tma_retiring", 2, \
	  "uops_retired / uops_issued * ms_uops / slots + " \
	  "tma_retiring * (decoder_0 - decoder_0_cycles) / mite_uops", \
	  "tma_heavy_operations > 0.1"), \
	CORE_BACKEND("be_bound / td_sum + 5 * clears / slots"), \
	CORE_MEMORY(STALLS_MEMORY), \
	CORE_CORE("max(0, tma_backend_bound - tma_memory_bound)"), \
	CORE_FRONTEND("fe_bound / td_sum - uop_dropping / slots"), \
	CORE_FETCH_LATENCY("(5 * no_uops - uop_dropping) / slots"), \
	BANDWIDTH_IS_THE_REST, \
	CORE_BAD_SPECULATION(BAD_IS_THE_REST), \
	CORE_MISPREDICTS(MISPREDICTS_BY_COUNT), \
	CORE_CLEARS("max(0, tma_bad_speculation - tma_branch_mispredicts)")

static const struct td_metric_def sunny_cove_metrics[] = {
	PERF_METRICS_PARTS, SUNNY_COVE_NODES,
};

/* Level 1 only, without corrections. */
#define LEVEL_1_NODES(bad_speculation)                                       \
	NODE("tma_retiring", NULL, 1, "retiring / td_sum", "tma_retiring > 0.7"), \
	CORE_BACKEND("be_bound / td_sum"), CORE_FRONTEND("fe_bound / td_sum"), \
	CORE_BAD_SPECULATION(bad_speculation)

static const struct td_metric_def metrics_4_metrics[] = {
	PERF_METRICS_PARTS, LEVEL_1_NODES("bad_spec / td_sum"),
};

/* --- these cores on general counters, without PERF_METRICS ------------------ */

/*
 * A hypervisor may lack PERF_METRICS, or another program may use them.  Events and formulas are
 * those of intel/PerfSpect, {spr,icx}_alt_tma_metrics.json, except that Ice Lake's backend includes
 * the slots of clears, as with PERF_METRICS: bad speculation does not include them, and the four
 * nodes must sum to 100 %.  Lion Cove has the same events.  Slots are exact, not in 255ths.
 */
#define GENERAL_EVENTS(not_delivered)                                        \
	{ "slots", "TOPDOWN.SLOTS_P", "event=0xa4,umask=0x01" }, \
	{ "retiring", "UOPS_RETIRED.SLOTS", "event=0xc2,umask=0x02" }, \
	{ "be_bound", "TOPDOWN.BACKEND_BOUND_SLOTS", "event=0xa4,umask=0x02" }, \
	{ "fe_bound", not_delivered, "event=0x9c,umask=0x01" }

/*
 * TOPDOWN.BAD_SPEC_SLOTS and BR_MISPREDICT_SLOTS need the same counter, so bad speculation
 * is the remainder.
 */
#define GENERAL_EVENTS_8                                                     \
	GENERAL_EVENTS("IDQ_BUBBLES.CORE"), \
	{ "heavy_ops", "UOPS_RETIRED.HEAVY", "event=0xc2,umask=0x01" }, \
	{ "br_mispredict", "TOPDOWN.BR_MISPREDICT_SLOTS", "event=0xa4,umask=0x08" }, \
	{ "mem_bound", "TOPDOWN.MEMORY_BOUND_SLOTS", "event=0xa4,umask=0x10" }

static const struct td_event_def golden_cove_general_events[] = {
	GENERAL_EVENTS_8,
	{ "no_uops", "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", "event=0x9c,umask=0x01,cmask=6" },
	{ "uop_dropping", "INT_MISC.UOP_DROPPING", "event=0xad,umask=0x10" },
};

static const struct td_event_def lion_cove_general_events[] = {
	GENERAL_EVENTS_8,
	{ "no_uops", "IDQ_BUBBLES.STARVATION_CYCLES", "event=0x9c,umask=0x01,cmask=8" },
};

static const struct td_event_def general_level_1_events[] = {
	GENERAL_EVENTS("IDQ_BUBBLES.CORE"),
};

static const struct td_event_def sunny_cove_general_events[] = {
	GENERAL_EVENTS("IDQ_UOPS_NOT_DELIVERED.CORE"), SUNNY_COVE_EVENTS,
};

#define GENERAL_8_NODES(frontend, fetch_latency)                             \
	GENERAL_PARTS, METRICS_8_RETIRING, METRICS_8_BACKEND, \
	CORE_FRONTEND(frontend), CORE_FETCH_LATENCY(fetch_latency), \
	BANDWIDTH_IS_THE_REST, \
	CORE_BAD_SPECULATION(BAD_IS_THE_REST), METRICS_8_BAD_CHILDREN

static const struct td_metric_def golden_cove_general_metrics[] = {
	GENERAL_8_NODES("(fe_bound - uop_dropping) / slots",
			"(6 * no_uops - uop_dropping) / slots"),
};

static const struct td_metric_def lion_cove_general_metrics[] = {
	GENERAL_8_NODES("fe_bound / slots", "8 * no_uops / slots"),
};

/* The width is not published, so cycles without uops cannot be converted to slots. */
static const struct td_metric_def general_level_1_metrics[] = {
	GENERAL_PARTS, LEVEL_1_NODES(BAD_IS_THE_REST),
};

static const struct td_metric_def sunny_cove_general_metrics[] = {
	GENERAL_PARTS, SUNNY_COVE_NODES,
};

/* --- Atom cores: no SLOTS, slots are width times cycles ------------------- */

#define ATOM_EVENTS(retiring_terms)                                          \
	{ "cycles", "cycles", "event=0x3c" }, \
	{ "retiring", "topdown-retiring", retiring_terms }, \
	{ "be_bound", "topdown-be-bound", NULL }, \
	{ "fe_bound", "topdown-fe-bound", NULL }, \
	{ "bad_spec", "topdown-bad-spec", NULL }

#define ATOM_LEVEL_2_EVENTS                                                  \
	{ "core_bound", "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS", "event=0x74,umask=0x01" }, \
	{ "latency", "TOPDOWN_FE_BOUND.FRONTEND_LATENCY", "event=0x71,umask=0x72" }, \
	{ "bandwidth", "TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH", "event=0x71,umask=0x8d" }, \
	{ "mispredicts", "TOPDOWN_BAD_SPECULATION.MISPREDICT", "event=0x73,umask=0x04" }

#define ATOM_CLEARS_EVENT(mask)                                              \
	{ "machine_clears", "TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS", "event=0x73,umask=" mask }

static const struct td_event_def tremont_events[] = {
	ATOM_EVENTS(NULL), ATOM_LEVEL_2_EVENTS, ATOM_CLEARS_EVENT("0x02"),
};

static const struct td_event_def atom_events[] = {
	ATOM_EVENTS(NULL), ATOM_LEVEL_2_EVENTS, ATOM_CLEARS_EVENT("0x03"),
};

/*
 * sysfs of hybrid Crestmont has Gracemont's event 0xc2 (all retired uops) for topdown-retiring.
 * Intel's event lists give 0x72 for TOPDOWN_RETIRING.ALL_P, and Sierra Forest's sysfs agrees.
 */
static const struct td_event_def crestmont_events[] = {
	ATOM_EVENTS("event=0x72"), ATOM_LEVEL_2_EVENTS,
	ATOM_CLEARS_EVENT("0x03"),
};

static const struct td_event_def atom_level_1_events[] = { ATOM_EVENTS(NULL) };

/* The required events if bad speculation is the remainder. */
static const struct td_event_def atom_three_events[] = {
	{ "retiring", "topdown-retiring", NULL },
	{ "be_bound", "topdown-be-bound", NULL },
	{ "fe_bound", "topdown-fe-bound", NULL },
};

#define ATOM_SLOTS NODE(TD_SLOTS, NULL, 0, "#width * cycles", NULL)

#define ATOM_RETIRING                                                        \
	NODE("tma_retiring", NULL, 1, "retiring / " TD_SLOTS, "tma_retiring > 0.75")
#define ATOM_BACKEND                                                         \
	NODE("tma_backend_bound", NULL, 1, "be_bound / " TD_SLOTS, "tma_backend_bound > 0.1")
#define ATOM_FRONTEND                                                        \
	NODE("tma_frontend_bound", NULL, 1, "fe_bound / " TD_SLOTS, "tma_frontend_bound > 0.2")
#define ATOM_BAD_SPECULATION(formula)                                        \
	NODE("tma_bad_speculation", NULL, 1, formula, "tma_bad_speculation > 0.15")

#define ATOM_BACKEND_CHILDREN                                                \
	NODE("tma_core_bound", "tma_backend_bound", 2, "core_bound / " TD_SLOTS, \
	  "tma_core_bound > 0.1 & tma_backend_bound > 0.1"), \
	NODE("tma_resource_bound", "tma_backend_bound", 2, "tma_backend_bound - tma_core_bound", \
	  "tma_resource_bound > 0.2 & tma_backend_bound > 0.1")
#define ATOM_FRONTEND_CHILDREN                                               \
	NODE("tma_ifetch_latency", "tma_frontend_bound", 2, "latency / " TD_SLOTS, \
	  "tma_ifetch_latency > 0.15 & tma_frontend_bound > 0.2"), \
	NODE("tma_ifetch_bandwidth", "tma_frontend_bound", 2, "bandwidth / " TD_SLOTS, \
	  "tma_ifetch_bandwidth > 0.1 & tma_frontend_bound > 0.2")
#define ATOM_BAD_CHILDREN                                                    \
	NODE("tma_branch_mispredicts", "tma_bad_speculation", 2, "mispredicts / " TD_SLOTS, \
	  "tma_branch_mispredicts > 0.05 & tma_bad_speculation > 0.15"), \
	NODE("tma_machine_clears", "tma_bad_speculation", 2, "machine_clears / " TD_SLOTS, \
	  "tma_machine_clears > 0.05 & tma_bad_speculation > 0.15")

#define ATOM_METRICS(bad_formula)                                            \
	ATOM_SLOTS, ATOM_RETIRING, \
	ATOM_BACKEND, ATOM_BACKEND_CHILDREN, \
	ATOM_FRONTEND, ATOM_FRONTEND_CHILDREN, \
	ATOM_BAD_SPECULATION(bad_formula), ATOM_BAD_CHILDREN

/*
 * Tremont and Gracemont: topdown-bad-spec in sysfs lacks some machine clears
 * (nukes), so bad speculation is the remainder.
 */
static const struct td_metric_def gracemont_metrics[] = {
	ATOM_METRICS("(" TD_SLOTS " - (fe_bound + be_bound + retiring)) / " TD_SLOTS),
};

static const struct td_metric_def atom_metrics[] = {
	ATOM_METRICS("bad_spec / " TD_SLOTS),
};

/* The width is not published, so the sum of the four events is used for all slots. */
static const struct td_metric_def atom_level_1_metrics[] = {
	NODE(TD_SLOTS, NULL, 0, "retiring + bad_spec + fe_bound + be_bound", NULL),
	ATOM_RETIRING, ATOM_BACKEND, ATOM_FRONTEND,
	ATOM_BAD_SPECULATION("bad_spec / " TD_SLOTS),
};

/* --- before Ice Lake: per core, both threads summed ----------------------- */

#define OLD_EVENTS                                                           \
	{ "total_slots", "topdown-total-slots", NULL }, \
	{ "fetch_bubbles", "topdown-fetch-bubbles", NULL }, \
	{ "retired", "topdown-slots-retired", NULL }, \
	{ "issued", "topdown-slots-issued", NULL }, \
	{ "recovery", "topdown-recovery-bubbles", NULL }

static const struct td_event_def old_events[] = { OLD_EVENTS };

static const struct td_event_def skylake_events[] = {
	OLD_EVENTS,
	{ "no_uops", "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE",
	  "event=0x9c,umask=0x01,cmask=4" },
	MISPREDICT_AND_STALL_EVENTS,
	{ "on_stores", "EXE_ACTIVITY.BOUND_ON_STORES", "event=0xa6,umask=0x40" },
	{ "macro_fused", "UOPS_RETIRED.MACRO_FUSED", "event=0xc2,umask=0x04" },
	{ "instructions", "INST_RETIRED.ANY", "event=0xc0" },
};

#define OLD_SLOTS NODE(TD_SLOTS, NULL, 0, "total_slots", NULL)
#define OLD_FRONTEND CORE_FRONTEND("fetch_bubbles / " TD_SLOTS)
#define OLD_RETIRING                                                         \
	NODE("tma_retiring", NULL, 1, "retired / " TD_SLOTS, "tma_retiring > 0.7")
#define OLD_BAD_SPECULATION                                                  \
	CORE_BAD_SPECULATION("(issued - retired + recovery) / " TD_SLOTS)
#define OLD_BACKEND                                                          \
	CORE_BACKEND("1 - tma_frontend_bound - (issued + recovery) / " TD_SLOTS)

static const struct td_metric_def old_metrics[] = {
	OLD_SLOTS,
	OLD_RETIRING, OLD_BACKEND, OLD_FRONTEND, OLD_BAD_SPECULATION,
};

/* topdown-fetch-bubbles is IDQ_UOPS_NOT_DELIVERED.CORE */
static const struct td_metric_def haswell_metrics[] = {
	OLD_SLOTS, OLD_RETIRING, OLD_BACKEND,
	NODE_ERRATA("tma_frontend_bound", NULL, 1, "fetch_bubbles / " TD_SLOTS,
	  "tma_frontend_bound > 0.15", "HSD135"),
	OLD_BAD_SPECULATION,
};

static const struct td_metric_def skylake_metrics[] = {
	OLD_SLOTS,
	NODE("tma_retiring", NULL, 1, "retired / " TD_SLOTS,
	  "tma_retiring > 0.7 | tma_heavy_operations > 0.1"),
	NODE("tma_light_operations", "tma_retiring", 2,
	  "tma_retiring - tma_heavy_operations", "tma_light_operations > 0.6"),
	NODE("tma_heavy_operations", "tma_retiring", 2,
	  "(retired + macro_fused - instructions) / " TD_SLOTS,
	  "tma_heavy_operations > 0.1"),
	OLD_BACKEND,
	CORE_MEMORY(STALLS_MEMORY),
	CORE_CORE("tma_backend_bound - tma_memory_bound"),
	OLD_FRONTEND,
	CORE_FETCH_LATENCY("4 * no_uops / " TD_SLOTS),
	CORE_FETCH_BANDWIDTH("tma_frontend_bound - tma_fetch_latency"),
	OLD_BAD_SPECULATION,
	CORE_MISPREDICTS(MISPREDICTS_BY_COUNT),
	CORE_CLEARS("tma_bad_speculation - tma_branch_mispredicts"),
};

#define SET(events_, metrics_)                                               \
	.events = (events_), .nr_events = TD_ARRAY_SIZE(events_), \
	.metrics = (metrics_), .nr_metrics = TD_ARRAY_SIZE(metrics_)

static const struct td_metric_set
	golden_cove = { "PERF_METRICS, 8 fields, corrected for dropped uops",
			SET(golden_cove_events, golden_cove_metrics),
			.levels = 2, .one_group = true },
	metrics_8 = { "PERF_METRICS, 8 fields", SET(metrics_8_events, metrics_8_metrics),
		      .levels = 2, .one_group = true },
	sunny_cove = { "PERF_METRICS, 4 fields, Ice Lake's corrections",
		       SET(sunny_cove_events, sunny_cove_metrics),
		       .levels = 2 },
	metrics_4 = { "PERF_METRICS, 4 fields", SET(metrics_4_events, metrics_4_metrics),
		      .levels = 1, .one_group = true },
	golden_cove_general = { "general counters, corrected for dropped uops",
				SET(golden_cove_general_events, golden_cove_general_metrics),
				.levels = 2, .reference = "slots", .general = true },
	lion_cove_general = { "general counters",
			      SET(lion_cove_general_events, lion_cove_general_metrics),
			      .levels = 2, .reference = "slots", .general = true },
	general_level_1 = { "general counters, of a core of unknown width",
			    SET(general_level_1_events, general_level_1_metrics),
			    .levels = 1, .reference = "slots", .general = true },
	sunny_cove_general = { "general counters, Ice Lake's corrections",
			       SET(sunny_cove_general_events, sunny_cove_general_metrics),
			       .levels = 2, .reference = "slots", .general = true },
	tremont = { "Atom, bad speculation is the rest",
		    SET(tremont_events, gracemont_metrics), .levels = 2, .reference = "cycles" },
	gracemont = { "Atom, bad speculation is the rest",
		      SET(atom_events, gracemont_metrics), .levels = 2, .reference = "cycles" },
	crestmont = { "Atom, retiring from event 0x72",
		      SET(crestmont_events, atom_metrics), .levels = 2, .reference = "cycles" },
	skymont = { "Atom", SET(atom_events, atom_metrics), .levels = 2, .reference = "cycles" },
	atom_level_1 = { "Atom of unknown width, over the sum of the four",
			 SET(atom_level_1_events, atom_level_1_metrics),
			 .levels = 1, .one_group = true },
	skylake = { "topdown-total-slots, Skylake", SET(skylake_events, skylake_metrics),
		    .levels = 2, .reference = "total_slots",
		    .per_core = true },
	haswell = { "topdown-total-slots", SET(old_events, haswell_metrics),
		    .levels = 1, .reference = "total_slots",
		    .per_core = true },
	old = { "topdown-total-slots", SET(old_events, old_metrics),
		.levels = 1, .reference = "total_slots",
		.per_core = true };

/* E-cores with other formulas than Skymont. */
static const struct td_metric_set *const atoms[TD_NR_UARCHS] = {
	[TD_TREMONT] = &tremont,
	[TD_GRACEMONT] = &gracemont,
	[TD_CRESTMONT] = &crestmont,
};

const struct td_metric_def td_builtin_columns[] = {
	{ "tma_retiring", NULL, 1 },
	{ "tma_light_operations", "tma_retiring", 2 },
	{ "tma_heavy_operations", "tma_retiring", 2 },
	{ "tma_backend_bound", NULL, 1 },
	{ "tma_memory_bound", "tma_backend_bound", 2 },
	{ "tma_core_bound", "tma_backend_bound", 2 },
	{ "tma_resource_bound", "tma_backend_bound", 2 },
	{ "tma_frontend_bound", NULL, 1 },
	{ "tma_fetch_latency", "tma_frontend_bound", 2 },
	{ "tma_fetch_bandwidth", "tma_frontend_bound", 2 },
	{ "tma_ifetch_latency", "tma_frontend_bound", 2 },
	{ "tma_ifetch_bandwidth", "tma_frontend_bound", 2 },
	{ "tma_bad_speculation", NULL, 1 },
	{ "tma_branch_mispredicts", "tma_bad_speculation", 2 },
	{ "tma_machine_clears", "tma_bad_speculation", 2 },
};

const size_t td_nr_builtin_columns = TD_ARRAY_SIZE(td_builtin_columns);

/* clang-format on */

/* Is id a field of PERF_METRICS, which cannot be counted without SLOTS? */
static bool is_metric_field(const struct td_pmu *pmu, const char *id)
{
	struct td_event event;
	struct td_err ignored;
	bool metric = td_event_init(&event, pmu, 0, id, NULL, &ignored) == 0 &&
		      td_event_is_metric(&event);

	td_event_free(&event);
	return metric;
}

static bool has_all(const struct td_pmu *pmu, const struct td_event_def *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!events[i].terms && !td_pmu_has_event(pmu, events[i].name))
			return false;
	}
	return true;
}

#define HAS_ALL(pmu, events) has_all(pmu, events, TD_ARRAY_SIZE(events))

static const struct td_metric_set *find_atom(const struct td_pmu *pmu)
{
	const struct td_metric_set *own = NULL;

	if (td_uarch_width(pmu->uarch))
		own = atoms[pmu->uarch] ? atoms[pmu->uarch] : &skymont;
	/* recordings of Darkmont from before its width was published */
	if (own == &skymont && pmu->nr_recorded && !td_pmu_has_event(pmu, "cycles"))
		own = NULL;
	if (HAS_ALL(pmu, atom_level_1_events))
		return own ? own : &atom_level_1;
	/* three events are enough if bad speculation is the remainder */
	return own && own->metrics == gracemont_metrics && HAS_ALL(pmu, atom_three_events) ? own
											   : NULL;
}

/* Find the set of a core whose PERF_METRICS are not available on this machine. */
static const struct td_metric_set *find_general(const struct td_pmu *pmu)
{
	/* in recordings, other PMUs may be among core PMUs */
	if (td_pmu_kind(pmu->name) != TD_PMU_CORE || td_pmu_has_slots(pmu))
		return NULL;
	if (td_uarch_has(pmu->uarch, TD_CORE_FIELDS_4))
		return &sunny_cove_general;
	if (!td_uarch_has(pmu->uarch, TD_CORE_FIELDS_8))
		return NULL;
	if (td_uarch_has(pmu->uarch, TD_CORE_DROPS))
		return &golden_cove_general;
	return td_uarch_width(pmu->uarch) ? &lion_cove_general : &general_level_1;
}

const struct td_metric_set *td_builtin_find(const struct td_machine *machine,
					    const struct td_pmu *pmu)
{
	const struct td_metric_set *general, *atom;

	/* one PMU for two core types: no formula is right for both */
	if (strcmp(pmu->name, "cpu") == 0 && td_model_is_hybrid(machine->model))
		return NULL;
	if (HAS_ALL(pmu, metrics_8_events))
		return td_uarch_has(pmu->uarch, TD_CORE_DROPS) ? &golden_cove : &metrics_8;
	if (HAS_ALL(pmu, metrics_4_events))
		return td_uarch_has(pmu->uarch, TD_CORE_CLEARS) ? &sunny_cove : &metrics_4;
	general = find_general(pmu);
	if (general)
		return general;
	if (is_metric_field(pmu, "topdown-retiring"))
		return NULL;
	atom = find_atom(pmu);
	if (atom)
		return atom;
	if (!HAS_ALL(pmu, old_events))
		return NULL;
	if (pmu->uarch == TD_SKYLAKE)
		return &skylake;
	return pmu->uarch == TD_HASWELL ? &haswell : &old;
}

bool td_builtin_is_for(const struct td_machine *machine)
{
	return td_vendor_of(&machine->cpuid)->architectural;
}
