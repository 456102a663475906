/* SPDX-License-Identifier: MIT */
/*
 * What is counted: a text of lines, which tdstat writes, or the library from
 * sysfs.
 *
 *   tdstat regions 1
 *   read                            RDPMC is not wanted
 *   calls                           in buckets by how long they took, too
 *   group PMU CPUS                  as in sysfs: cpu_core 0-7
 *   width N                         slots in a cycle, of the group above
 *   event KIND TYPE CONFIG CONFIG1 CONFIG2 FLAGS NAME
 *
 * Events belong to the group above them, and the first one leads it.  KIND is s
 * for SLOTS, 0 to 7 for a field of PERF_METRICS, c for any other event; FLAGS
 * has u if only user space is counted, k if only the kernel is, else it is -.
 */
#ifndef TD_REGION_SPEC_H
#define TD_REGION_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/region/layout.h"

#define TD_GROUP_SPEC_FIRST_LINE "tdstat regions 1"
#define TD_GROUP_SPEC_CPUS       8192

/* Kinds of events. */
enum {
	TD_GROUP_SPEC_PLAIN = -2,
	TD_GROUP_SPEC_SLOTS = -1,
	TD_GROUP_SPEC_FIELD = 0, /* and the next seven */
};

/* What td_read() needs, by the names of events. */
enum {
	TD_READ_SLOTS,
	TD_READ_RETIRING,
	TD_READ_BAD_SPECULATION,
	TD_READ_FRONTEND_BOUND,
	TD_READ_BACKEND_BOUND,
	TD_READ_CYCLES,
	TD_READ_INSTRUCTIONS,
	TD_READ_UOP_DROPPING, /* slots that the frontend did not lose */
	TD_NR_READ,
};

struct td_group_spec_event {
	int kind;
	uint32_t type;
	uint64_t config[3];
	bool user_only, kernel_only;
};

struct td_group_spec_group {
	size_t first, nr; /* of the events */
	bool has_fields;
	int core;           /* TD_CORE and others of tdstat.h */
	unsigned int width; /* slots in a cycle; 0: unknown */
	/* 1 + the event; 0: none.  All count user space only, or none does. */
	uint8_t parts[TD_NR_READ];
	bool parts_user_only;
};

struct td_group_spec {
	struct td_group_spec_event events[TD_REGION_VALUES];
	size_t nr_events;
	struct td_group_spec_group groups[TD_REGION_GROUPS];
	size_t nr_groups;
	bool read_only; /* no RDPMC */
	bool buckets;   /* of calls by how long they took */
	char *text;     /* owned */
	/* 1 + the group of a CPU's kind; 0: none */
	uint8_t group_of_cpu[TD_GROUP_SPEC_CPUS];
};

/* 1 + the group of a CPU's kind; 0: none, or the CPU is not known. */
static inline uint32_t td_group_spec_group_of(const struct td_group_spec *spec,
					      uint32_t cpu)
{
	return cpu < TD_GROUP_SPEC_CPUS ? spec->group_of_cpu[cpu] : 0;
}

/* Parses a text, which it takes.  Returns -1 if it is not one. */
int td_group_spec_parse(struct td_group_spec *spec, char *text);
/*
 * Cycles, instructions and, where sysfs has its events, level 1 of every core PMU,
 * and level 2 where PERF_METRICS has it.  Returns -1 if there is no core PMU.
 */
int td_group_spec_default(struct td_group_spec *spec);

#endif
