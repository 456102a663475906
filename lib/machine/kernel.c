// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/kernel.h"

#include "lib/base/util.h"

/*
 * A row for each series, or for several consecutive ones.
 *
 * CHAINS: cfa7f3d2c526 reads the data of a task's probes, which an ending task frees before
 * clearing the pointer; b583ef82b671 reverses the order.  Stable series have both commits.
 * NOPS: since 6.18, the kernel replaces such a probe by a call, which writes below the stack
 * pointer, and whose target is missing in a child; 554ba38456da and d9a48e77f6fe fix that.
 * 6.18.44 and 7.1.13 were checked and have neither fix.
 * PREFIXES: is_prefix_bad() in arch/x86/kernel/uprobes.c, as long as there are probes.
 * GOLDEN, PANTHER: intel_glc_event_constraints[] and intel_pnc_event_constraints[] in
 * arch/x86/events/intel/core.c: rows of intel/cores.c with the same releases.
 */
static const struct {
	enum td_kernel_fault fault;
	/* first version with the fault, and first later version without it */
	unsigned int from, to;
	const char *fixed; /* the next release without the fault */
} rows[] = {
	{ TD_FAULT_CHAINS, TD_LINUX(6, 1, 113), TD_LINUX(6, 1, 131), "6.1.131" },
	{ TD_FAULT_CHAINS, TD_LINUX(6, 6, 55), TD_LINUX(6, 6, 83), "6.6.83" },
	{ TD_FAULT_CHAINS, TD_LINUX(6, 10, 14), TD_LINUX(6, 11, 0), "6.12.19" },
	{ TD_FAULT_CHAINS, TD_LINUX(6, 11, 3), TD_LINUX(6, 12, 19), "6.12.19" },
	{ TD_FAULT_NOPS, TD_LINUX(6, 18, 0), TD_LINUX(7, 2, 0), "7.2" },
	{ TD_FAULT_PREFIXES, TD_LINUX(3, 5, 0), TD_LINUX(7, 2, 0), "7.2" },
	{ TD_FAULT_GOLDEN, TD_LINUX(5, 10, 0), TD_LINUX(7, 2, 0), "7.2" },
	{ TD_FAULT_PANTHER, TD_LINUX(6, 18, 0), TD_LINUX(7, 2, 9), "7.2.9" },
};

/* Does the text after the number hide the patch?  "-31-amd64" does; "-rc3" and "-0.rc3" do not. */
static bool hides_patch(const char *rest)
{
	return rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9' && strncmp(rest, "-0.", 3) != 0;
}

unsigned int td_kernel_version(const char *release, const char *build)
{
	const char *debian = strstr(build, " Debian ");
	unsigned int major, minor, patch = 0;
	int end = 0;

	if (sscanf(release, "%u.%u%n.%u%n", &major, &minor, &end, &patch, &end) < 2 ||
	    major > 0x7f || minor > 0xff)
		return 0;
	if (patch >= TD_ANY_PATCH)
		patch = TD_ANY_PATCH - 1;
	if (!patch && hides_patch(release + end) &&
	    (!debian || sscanf(debian, " Debian %*u.%*u.%u", &patch) != 1 || patch >= TD_ANY_PATCH))
		patch = TD_ANY_PATCH;
	return TD_LINUX(major, minor, patch);
}

#define SERIES(version) ((version) >> 16)

/* Is it a kernel of RHEL 9 or later, which may have faults of later series? */
static bool is_older_outside(const char *release, unsigned int version)
{
	return strstr(release, ".el") && version >= TD_LINUX(5, 14, 0);
}

bool td_kernel_has(const char *release, unsigned int version, enum td_kernel_fault fault)
{
	bool begun = is_older_outside(release, version), ended = true;

	for (size_t i = 0; version && i < TD_ARRAY_SIZE(rows); i++) {
		if (rows[i].fault != fault)
			continue;
		if (td_kernel_has_patch(version) && version >= rows[i].from && version < rows[i].to)
			return true;
		begun |= SERIES(version) >= SERIES(rows[i].from);
		ended = (version & ~TD_ANY_PATCH) >= rows[i].to;
	}
	return !td_kernel_has_patch(version) && begun && !ended;
}

const char *td_kernel_fixed(unsigned int version, enum td_kernel_fault fault)
{
	const char *fixed = "";

	if (!td_kernel_has_patch(version))
		version &= ~TD_ANY_PATCH;
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		if (rows[i].fault != fault)
			continue;
		fixed = rows[i].fixed;
		if (version < rows[i].to)
			break;
	}
	return fixed;
}
