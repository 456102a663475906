/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels are known to do wrong, by their release.
 *
 * A release of kernel.org, as 6.6.58, tells its patches, and so do those of Arch,
 * Fedora, Talos and Amazon, and of Debian from 13 on.  Others end with .0 and a number
 * of the distribution's own, which says nothing of what was taken over from later
 * kernels.  Of these, Debian to 12 (6.1.0-31-amd64) tells it in the time of the build,
 * /proc/sys/kernel/version.  Ubuntu (6.8.0-51-generic) and SLES (6.4.0-150600.21) do
 * not, and take fixes with their faults from series beside their own; RHEL
 * (5.14.0-503.el9) takes whole parts of later series.  Such a kernel is taken to have a
 * fault of the series around its own, whatever has been fixed in it.
 */
#ifndef TD_LIB_MACHINE_KERNEL_H
#define TD_LIB_MACHINE_KERNEL_H

#include <stdbool.h>

/* In their order; a patch is below TD_ANY_PATCH. */
#define TD_LINUX(major, minor, patch)                                \
	((unsigned int)(major) << 24 | (unsigned int)(minor) << 16 | \
	 (unsigned int)(patch))
#define TD_ANY_PATCH 0xffffu

enum td_kernel_fault {
	TD_FAULT_CHAINS,  /* user call chains of what has probes */
	TD_FAULT_NOPS,    /* probes at NOPs of five bytes */
	TD_FAULT_GOLDEN,  /* events of Golden Cove on any counter */
	TD_FAULT_PANTHER, /* of Panther Cove */
	TD_NR_KERNEL_FAULTS
};

/*
 * TD_LINUX() of a release, with TD_ANY_PATCH if neither that nor the build, which may be
 * empty, tells the patch; 0: it is none.
 */
unsigned int td_kernel_version(const char *release, const char *build);
/* False if a fault that the kernel has by its series may have been fixed. */
static inline bool td_kernel_is_told(unsigned int version)
{
	return (version & TD_ANY_PATCH) != TD_ANY_PATCH;
}

/*
 * Has the kernel of this release and td_kernel_version() the fault, or may have it?  Pure.
 * Version 0 has none.
 */
bool td_kernel_has(const char *release, unsigned int version,
		   enum td_kernel_fault fault);
/* The next release without the fault: "6.6.83". */
const char *td_kernel_fixed(unsigned int version, enum td_kernel_fault fault);

#endif
