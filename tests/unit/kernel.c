// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stable releases with cfa7f3d2c526 and b583ef82b671 are from kernel.org's
 * ChangeLogs of 6.1.113, 6.1.131, 6.6.55, 6.6.83, 6.11.3 and 6.12.19; which
 * Debian kernels of 6.17 to 7.3 replace a NOP by a call was tried, and the
 * constraints were read in them.
 */
#include "lib/machine/kernel.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* MAY: the number does not show it. */
enum answer {
	NO,
	YES,
	MAY
};

#define DEBIAN(version) "#1 SMP PREEMPT_DYNAMIC Debian " version " (2025-03-04)"
#define UBUNTU          "#52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024"

/* clang-format off */
static const struct {
	const char *release, *build;
	unsigned int version;
	enum answer chains, nops, golden;
	const char *fixed; /* release that fixes TD_FAULT_CHAINS */
} kernels[] = {
	/* kernel.org, Arch, Talos, Amazon, Fedora: the version contains the patch */
	{ "5.4.0", "", TD_LINUX(5, 4, 0), NO, NO, NO },
	{ "5.15.180", "", TD_LINUX(5, 15, 180), NO, NO, YES },
	{ "6.1.112-124.190.amzn2023.x86_64", "", TD_LINUX(6, 1, 112), NO, NO, YES },
	{ "6.1.113", "", TD_LINUX(6, 1, 113), YES, NO, YES, "6.1.131" },
	{ "6.1.131", "", TD_LINUX(6, 1, 131), NO, NO, YES },
	{ "6.6.54", "", TD_LINUX(6, 6, 54), NO, NO, YES },
	{ "6.6.58-talos", "#1 SMP Tue Oct 22", TD_LINUX(6, 6, 58), YES, NO, YES, "6.6.83" },
	{ "6.6.83", "", TD_LINUX(6, 6, 83), NO, NO, YES },
	{ "6.8.12", "", TD_LINUX(6, 8, 12), NO, NO, YES },
	{ "6.11.2-arch1-1", "", TD_LINUX(6, 11, 2), NO, NO, YES },
	{ "6.11.10-300.fc41.x86_64", "", TD_LINUX(6, 11, 10), YES, NO, YES, "6.12.19" },
	{ "6.12.0", "", TD_LINUX(6, 12, 0), YES, NO, YES, "6.12.19" },
	{ "6.12.0-rc1", "", TD_LINUX(6, 12, 0), YES, NO, YES, "6.12.19" },
	{ "6.12.0-0.rc1.20241002git.fc42", "", TD_LINUX(6, 12, 0), YES, NO, YES, "6.12.19" },
	{ "6.12.18-1-lts", "", TD_LINUX(6, 12, 18), YES, NO, YES, "6.12.19" },
	{ "6.12.19", "", TD_LINUX(6, 12, 19), NO, NO, YES },
	{ "6.13.0", "", TD_LINUX(6, 13, 0), NO, NO, YES },
	{ "6.17.13", "", TD_LINUX(6, 17, 13), NO, NO, YES },
	{ "6.18.0-rc2", "", TD_LINUX(6, 18, 0), NO, YES, YES },
	{ "7.1.13-arch1-1", "", TD_LINUX(7, 1, 13), NO, YES, YES },
	{ "7.2.0", "", TD_LINUX(7, 2, 0), NO, NO, NO },
	{ "10.0", "", TD_LINUX(10, 0, 0), NO, NO, NO },
	/* Debian: releases of 13 contain the patch, earlier ones only in the build */
	{ "6.12.43+deb13-amd64", DEBIAN("6.12.43-1"), TD_LINUX(6, 12, 43), NO, NO, YES },
	{ "6.18.15+deb13-amd64", "", TD_LINUX(6, 18, 15), NO, YES, YES },
	{ "6.1.0-31-amd64", DEBIAN("6.1.128-1"), TD_LINUX(6, 1, 128), YES, NO, YES, "6.1.131" },
	{ "6.1.0-50-amd64", DEBIAN("6.1.187-1"), TD_LINUX(6, 1, 187), NO, NO, YES },
	{ "6.1.0-31-amd64", "", TD_LINUX(6, 1, TD_ANY_PATCH), MAY, NO, MAY, "6.1.131" },
	{ "6.1.0-31-amd64", "#1 SMP Debian not a "
	"number", TD_LINUX(6, 1, TD_ANY_PATCH), MAY, NO, MAY, "6.1.131" },
	{ "5.10.0-32-amd64", DEBIAN("5.10.223-1"), TD_LINUX(5, 10, 223), NO, NO, YES },
	/* Ubuntu */
	{ "5.15.0-130-generic", UBUNTU, TD_LINUX(5, 15, TD_ANY_PATCH), NO, NO, MAY },
	{ "6.8.0-51-generic", UBUNTU, TD_LINUX(6, 8, TD_ANY_PATCH), MAY, NO, MAY, "6.12.19" },
	{ "6.11.0-19-generic", UBUNTU, TD_LINUX(6, 11, TD_ANY_PATCH), MAY, NO, MAY, "6.12.19" },
	{ "6.14.0-24-generic", UBUNTU, TD_LINUX(6, 14, TD_ANY_PATCH), NO, NO, MAY },
	{ "7.0.0-22-generic", UBUNTU, TD_LINUX(7, 0, TD_ANY_PATCH), NO, MAY, MAY },
	/* RHEL: what later kernels have, and of 8 nothing that new */
	{ "4.18.0-553.el8_10.x86_64", "", TD_LINUX(4, 18, TD_ANY_PATCH), NO, NO, NO },
	{ "5.14.0-503.11.1.el9_5.x86_64", "", TD_LINUX(5, 14, TD_ANY_PATCH), MAY, MAY, MAY, "6.1.131" },
	{ "6.12.0-55.9.1.el10_0.x86_64", "", TD_LINUX(6, 12, TD_ANY_PATCH), MAY, MAY, MAY, "6.12.19" },
	/* SLES */
	{ "5.14.21-150500.55.83-default", "", TD_LINUX(5, 14, 21), NO, NO, YES },
	{ "6.4.0-150600.23.47-default", "", TD_LINUX(6, 4, TD_ANY_PATCH), MAY, NO, MAY, "6.6.83" },
	{ "6.12.0-160000.5-default", "", TD_LINUX(6, 12, TD_ANY_PATCH), MAY, NO, MAY, "6.12.19" },
	/* no version */
	{ "", "", 0, NO, NO, NO },
	{ "linux", UBUNTU, 0, NO, NO, NO },
	{ "6", "", 0, NO, NO, NO },
	{ "6.1.99999999", "", TD_LINUX(6, 1, TD_ANY_PATCH - 1), NO, NO, YES },
	{ "4294967295.1.2", "", 0, NO, NO, NO },
};
/* clang-format on */

static enum answer answer(const char *release, const char *build, enum td_kernel_fault fault)
{
	unsigned int version = td_kernel_version(release, build);

	if (!td_kernel_has(release, version, fault))
		return NO;
	return td_kernel_has_patch(version) ? YES : MAY;
}

static void test_kernel(size_t i)
{
	const char *release = kernels[i].release, *build = kernels[i].build;
	unsigned int version = td_kernel_version(release, build);
	enum answer chains = answer(release, build, TD_FAULT_CHAINS);
	enum answer nops = answer(release, build, TD_FAULT_NOPS);
	enum answer golden = answer(release, build, TD_FAULT_GOLDEN);

	ok(version == kernels[i].version, "'%s': %#x", release, version);
	ok(chains == kernels[i].chains && nops == kernels[i].nops && golden == kernels[i].golden,
	   "its faults: %d %d %d", (int)chains, (int)nops, (int)golden);
	if (kernels[i].fixed)
		is_str(td_kernel_fixed(version, TD_FAULT_CHAINS), kernels[i].fixed,
		       "the next without");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(kernels); i++)
		test_kernel(i);
	is_str(td_kernel_fixed(TD_LINUX(6, 18, 3), TD_FAULT_NOPS), "7.2", "of one row");
	ok(answer("7.2.8", "", TD_FAULT_PANTHER) == YES &&
		   answer("7.2.9", "", TD_FAULT_PANTHER) == NO,
	   "within a series");
	return done_testing();
}
