// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/cpu_times.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"

static uint64_t ticks_to_ns(uint64_t ticks)
{
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Reads a whole file.  The caller frees it; NULL with errno on failure. */
static char *read_whole(int dir, const char *path)
{
	size_t size = 4096;

	for (;; size *= 4) {
		char *text = malloc(size);
		ssize_t len = text ? td_sysfs_read_at(dir, path, text, size)
				   : -ENOMEM;

		/* a full buffer may mean that the file is longer */
		if (len >= 0 && (size_t)len < size - 1)
			return text;
		free(text);
		if (len < 0) {
			errno = (int)-len;
			return NULL;
		}
	}
}

/* proc(5): "cpu3 user nice system idle iowait irq softirq ..." */
static void add_cpu_line(const char *line, const struct td_ints *cpus,
			 struct td_cpu_times *out)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq;
	int cpu;

	/* not the "cpu " line, which sums all CPUs */
	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return;
	if (sscanf(line,
		   "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &cpu, &user, &nice, &system, &idle, &iowait, &irq,
		   &softirq) != 8 ||
	    (cpus && !td_ints_has(cpus, cpu)))
		return;
	out->user_ns += ticks_to_ns(user + nice);
	out->system_ns += ticks_to_ns(system + irq + softirq);
}

int td_cpu_times_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		      struct td_cpu_times *out, struct td_err *err)
{
	td_autofree char *text = read_whole(fs->proc, "stat");
	char *rest = text, *line;

	*out = (struct td_cpu_times){ 0 };
	if (!text)
		return td_err_set(err, -errno, "%s/stat: %s", fs->proc_path,
				  strerror(errno));
	while ((line = strsep(&rest, "\n")))
		add_cpu_line(line, cpus, out);
	return 0;
}

/* In proc(5)'s stat, utime stime cutime cstime are fields 14 to 17. */
static bool add_pid(const struct td_sysfs *fs, int pid,
		    struct td_cpu_times *out)
{
	uint64_t user, system, child_user, child_system;
	char text[1024];
	const char *rest = td_proc_stat(fs, pid, text, sizeof(text));

	if (!rest ||
	    sscanf(rest,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &user, &system, &child_user, &child_system) != 4)
		return false;
	out->user_ns += ticks_to_ns(user + child_user);
	out->system_ns += ticks_to_ns(system + child_system);
	return true;
}

bool td_cpu_times_read_pids(const struct td_sysfs *fs,
			    const struct td_ints *pids,
			    struct td_cpu_times *out)
{
	bool all = true;

	*out = (struct td_cpu_times){ 0 };
	for (size_t i = 0; i < pids->nr; i++)
		all &= add_pid(fs, pids->v[i], out);
	return all;
}
