/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Known faults of kernels, by release.
 *
 * Releases of kernel.org, such as 6.6.58, contain the patch level.  So do releases of Arch, Fedora,
 * Talos, Amazon, and Debian 13 and later.  Other distributions use .0 and a number of their own,
 * which does not show the fixes taken from later kernels:
 * - Debian 12 and earlier (6.1.0-31-amd64) names the patch level in /proc/sys/kernel/version.
 * - Ubuntu (6.8.0-51-generic) and SLES (6.4.0-150600.21) do not, and backport fixes, including
 * their faults, from neighbouring series.
 * - RHEL (5.14.0-503.el9) backports large parts of later series.
 * A kernel with an unknown patch level is assumed to have the faults of neighbouring series.
 */
#pragma once

#include <stdbool.h>

/* A version as a number that can be compared; patch levels are below TD_ANY_PATCH. */
#define TD_LINUX(major, minor, patch) \
	((unsigned int)(major) << 24 | (unsigned int)(minor) << 16 | (unsigned int)(patch))
#define TD_ANY_PATCH 0xffffu

enum td_kernel_fault {
	TD_FAULT_CHAINS,   /* user call chains in code with probes are unsafe */
	TD_FAULT_NOPS,     /* probes at NOPs of five bytes are unsafe */
	TD_FAULT_PREFIXES, /* instructions with some prefixes cannot be probed */
	TD_FAULT_GOLDEN,   /* some events of Golden Cove may use counters that miscount */
	TD_FAULT_PANTHER,  /* some events of Panther Cove may use counters that miscount */
	TD_NR_KERNEL_FAULTS
};

/*
 * Returns TD_LINUX() of a release, or 0 if it is not one.  The patch is TD_ANY_PATCH if neither
 * the release nor the build, which may be empty, contains it.
 */
unsigned int td_kernel_version(const char *release, const char *build);
/* Is the patch known?  If not, a fault of the series may have been fixed. */
static inline bool td_kernel_has_patch(unsigned int version)
{
	return (version & TD_ANY_PATCH) != TD_ANY_PATCH;
}

/*
 * Does the kernel of this release, with this td_kernel_version(), have the fault, or possibly have
 * it?  Version 0 does not.
 */
bool td_kernel_has(const char *release, unsigned int version, enum td_kernel_fault fault);
/* Returns the next release without the fault, such as "6.6.83". */
const char *td_kernel_fixed(unsigned int version, enum td_kernel_fault fault);
