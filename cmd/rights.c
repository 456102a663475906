// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/rights.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

#include "cmd/say.h"
#include "lib/base/util.h"
#include "lib/counter/affinity.h"
#include "lib/machine/privileges.h"

static int keep(uint64_t kept, struct td_err *err)
{
	int rc;

	td_affinity_end();
	/*
	 * Drop the capabilities that execve(2) could grant.  Without CAP_SETPCAP, the bounding set
	 * does not change, but no_new_privs has the same effect.
	 */
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		if (cap != CAP_PERFMON)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : td_capabilities_keep(kept);
	return rc ? td_err_set(err, rc, "cannot give up rights: %s", strerror(-rc)) : 0;
}

int td_rights_drop(struct td_err *err)
{
	return keep(TD_CAPABILITY(CAP_PERFMON), err);
}

int td_rights_drop_all(struct td_err *err)
{
	return keep(0, err);
}

/* --- lent rights ------------------------------------------------------------ */

/* AT_SECURE is set for a program whose file gives it rights: see ld.so(8). */
bool td_rights_exceed_user(void)
{
	return getauxval(AT_SECURE);
}

const char *td_rights_getenv(const char *name)
{
	return td_rights_exceed_user() ? NULL : getenv(name);
}

void td_rights_say_ignored(void)
{
	static const char *const names[] = { "SYSFS_PATH", "PROCFS_PATH", "PERF_CPUID",
					     "TDSTAT_METRICS" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (getenv(names[i]) && !td_rights_getenv(names[i]))
			td_say("tdstat: %s is ignored, because tdstat has privileges that its "
			       "user lacks\n",
			       names[i]);
	}
}

/* Hidden addresses are 0; a few are 0 or small even if none are hidden. */
static bool has_addresses(const char *symbols)
{
	for (const char *line = symbols; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strtoull(line, NULL, 16))
			return true;
	}
	return false;
}

bool td_rights_hide_kernel(const struct td_sysfs *fs, struct td_notes *notes)
{
	char text[4096];

	if (!td_rights_exceed_user() ||
	    (td_sysfs_read_at(fs->proc, "kallsyms", text, sizeof(text)) > 0 && has_addresses(text)))
		return false;
	td_notes_add(notes,
		     "the kernel is shown as one place, 0x0, because /proc/kallsyms hides its "
		     "addresses from this user");
	return true;
}
