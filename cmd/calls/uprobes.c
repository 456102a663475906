// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/uprobes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/event/tracepoint.h"

/* Where tracefs is mounted: since Linux 4.1, and before. */
static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

#define GROUP "tdstat_%d" /* name of the probes' group in tracefs: our pid */
/* The name of an event also contains the pid, because the kernel lists hits without the group. */
#define NAME "%c%zu_%d"

/* --- tracefs ---------------------------------------------------------------- */

static int no_rights(struct td_err *err)
{
	td_err_set(err, -EACCES, "probes at functions need root (CAP_SYS_ADMIN)");
	return td_err_hint(
		err, "regions that a program marks with libtdstat need no rights: tdstat regions");
}

static const char *kind_of(const struct td_probes *probes)
{
	return probes->kernel ? "kprobe" : "uprobe";
}

static int open_events(struct td_probes *probes, struct td_err *err)
{
	int rc = -ENOENT;

	for (size_t i = 0; i < TD_ARRAY_SIZE(roots); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s_events", roots[i], kind_of(probes));
		probes->root = roots[i];
		probes->events = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
		if (probes->events >= 0)
			return 0;
		rc = errno == EACCES || errno == EPERM ? -EACCES : rc;
	}
	if (rc == -EACCES || geteuid() != 0)
		return no_rights(err);
	td_err_set(err, -ENODEV, "tracefs, or the kernel, has no %ss", kind_of(probes));
	return td_err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
}

static int write_line(const struct td_probes *probes, const char *line)
{
	return write(probes->events, line, strlen(line)) < 0 ? -errno : 0;
}

/* --- probes of a tdstat that was killed ------------------------------------- */

/* Removes a probe such as "p:tdstat_77/e0 /bin/ls:0x1000".  The kernel keeps those in use. */
static void remove_left(const struct td_probes *probes, const char *line)
{
	char name[64], remove[80];
	int pid;

	if (sscanf(line, "%*c:%63[^ ]", name) != 1 || sscanf(name, GROUP "/", &pid) != 1 ||
	    pid == getpid() || kill(pid, 0) == 0 || errno != ESRCH)
		return;
	snprintf(remove, sizeof(remove), "-:%s\n", name);
	write_line(probes, remove);
}

static void remove_all_left(const struct td_probes *probes)
{
	td_autofree char *line = NULL;
	int copy = dup(probes->events);
	FILE *fp = copy < 0 ? NULL : fdopen(copy, "r");
	size_t size = 0;

	while (fp && getline(&line, &size, fp) > 0)
		remove_left(probes, line);
	if (fp)
		fclose(fp);
	else
		td_close_fd(&copy);
}

/* --- probes ----------------------------------------------------------------- */

static int read_id(const struct td_probes *probes, char kind, size_t number, uint64_t *id)
{
	char path[128], text[32];
	int fd;
	ssize_t nr;

	snprintf(path, sizeof(path), "%s/events/" GROUP "/" NAME "/id", probes->root, (int)getpid(),
		 kind, number, (int)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	nr = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[nr > 0 ? nr : 0] = '\0';
	return sscanf(text, "%" SCNu64, id) == 1 ? 0 : -EIO;
}

/*
 * Maximum number of simultaneous calls of a kernel function.  The kernel's default is a few per
 * CPU, but more threads may sleep in a system call.
 */
#define MAX_OPEN "512"

static int define_kernel(const struct td_probes *probes, const struct td_entry_point *entry,
			 char kind, size_t number)
{
	int pid = (int)getpid();
	char line[256];

	snprintf(line, sizeof(line), "%c%s:" GROUP "/" NAME " %.120s\n", kind,
		 kind == 'r' ? MAX_OPEN : "", pid, kind, number, pid, entry->name);
	return write_line(probes, line);
}

/*
 * Defines one event for several offsets, with a line for each (since Linux 5.5).  The file is
 * named by its descriptor, because its path may contain blanks or be below another root.
 */
static int define_file(const struct td_probes *probes, const struct td_entry_point *entry,
		       char kind, size_t number)
{
	const uint64_t *offsets = kind == 'p' ? &entry->offset : entry->exits;
	size_t nr = kind == 'p' ? 1 : entry->nr_exits;
	int pid = (int)getpid(), rc = 0;
	char line[256];

	for (size_t i = 0; !rc && i < nr; i++) {
		snprintf(line, sizeof(line), "p:" GROUP "/" NAME " /proc/%d/fd/%d:0x%" PRIx64 "\n",
			 pid, kind, number, pid, pid, entry->fd, offsets[i]);
		rc = write_line(probes, line);
	}
	return rc;
}

static int define(const struct td_probes *probes, const struct td_entry_point *entry, char kind,
		  size_t number, uint64_t *id)
{
	int rc = (entry->kernel ? define_kernel : define_file)(probes, entry, kind, number);

	return rc ?: read_id(probes, kind, number, id);
}

static int not_taken(const struct td_entry_point *entry, int rc, struct td_err *err)
{
	td_err_set(err, rc, "%s in %s: the kernel refuses a probe: %s", entry->name, entry->path,
		   rc == -EADDRNOTAVAIL ? "several functions have this name" : strerror(-rc));
	return entry->kernel
		       ? td_err_hint(
				 err,
				 "/sys/kernel/tracing/available_filter_functions lists those that "
				 "can be probed")
		       : rc;
}

static int add_probe(struct td_probes *probes, const struct td_entry_point *entry,
		     struct td_err *err)
{
	struct td_probe *probe = td_array_add(&probes->v, probes->nr++, sizeof(*probe));
	int rc;

	rc = define(probes, entry, 'p', probes->nr - 1, &probe->entry);
	rc = rc ?: define(probes, entry, 'r', probes->nr - 1, &probe->exit);
	if (rc == -EACCES || rc == -EPERM)
		return no_rights(err);
	return rc ? not_taken(entry, rc, err) : 0;
}

int td_probes_check(const struct td_entry_point *entries, size_t nr, struct td_err *err)
{
	td_for_each(const struct td_entry_point, entry, entries, nr) {
		if (entry->moves)
			return td_err_set(
				err, -EINVAL,
				"%s: no probes in Go programs, whose goroutines change stacks and "
				"threads",
				entry->path);
		if (entry->no_probes)
			return td_err_set(err, -EINVAL, "%s in %s: no probes where it returns: %s",
					  entry->name, entry->path, entry->no_probes);
	}
	return 0;
}

int td_probes_open(struct td_probes *probes, const struct td_entry_point *entries, size_t nr,
		   struct td_err *err)
{
	int rc;

	*probes = (struct td_probes){ .events = -1, .kernel = nr && entries[0].kernel };
	rc = td_probes_check(entries, nr, err);
	rc = rc ?: open_events(probes, err);
	if (rc)
		return rc;
	remove_all_left(probes);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_probe(probes, &entries[i], err);
	return rc;
}

/*
 * Parses a line of uprobe_profile, "  /proc/77/fd/5 p0_77   1234", for the hits; or of
 * kprobe_profile, "  p0_77   1234   5", for the hits and the missed ones.
 */
static bool read_profile(const struct td_probes *probes, const char *line, const char *wanted,
			 uint64_t *hits, uint64_t *missed)
{
	char name[64];

	*missed = 0;
	return sscanf(line, probes->kernel ? "%63s %" SCNu64 " %" SCNu64 : "%*s %63s %" SCNu64,
		      name, hits, missed) >= 2 &&
	       strcmp(name, wanted) == 0;
}

static bool find_profile(const struct td_probes *probes, char kind, size_t number, uint64_t *hits,
			 uint64_t *missed)
{
	td_autofree char *line = NULL;
	char path[64], wanted[64];
	bool found = false;
	size_t size = 0;
	FILE *fp;

	if (!probes->root)
		return false;
	snprintf(path, sizeof(path), "%s/%s_profile", probes->root, kind_of(probes));
	snprintf(wanted, sizeof(wanted), NAME, kind, number, (int)getpid());
	fp = fopen(path, "re");
	while (fp && !found && getline(&line, &size, fp) > 0)
		found = read_profile(probes, line, wanted, hits, missed);
	if (fp)
		fclose(fp);
	return found;
}

uint64_t td_probes_hits(const struct td_probes *probes, size_t number)
{
	uint64_t hits, missed;

	return find_profile(probes, 'p', number, &hits, &missed) ? hits : 0;
}

uint64_t td_probes_missed(const struct td_probes *probes, size_t number)
{
	uint64_t hits, missed;

	return find_profile(probes, 'r', number, &hits, &missed) ? missed : 0;
}

static void undefine(const struct td_probes *probes, char kind, size_t number)
{
	char line[80];

	snprintf(line, sizeof(line), "-:" GROUP "/" NAME "\n", (int)getpid(), kind, number,
		 (int)getpid());
	write_line(probes, line);
}

void td_probes_close(struct td_probes *probes)
{
	for (size_t i = 0; probes->events >= 0 && i < probes->nr; i++) {
		undefine(probes, 'p', i);
		undefine(probes, 'r', i);
	}
	td_close_fd(&probes->events);
	free(probes->v);
	*probes = (struct td_probes){ .events = -1 };
}

/* --- the tracepoints of interrupts ---------------------------------------- */

/*
 * See include/trace/events/irq.h and arch/x86/include/asm/trace/irq_vectors.h.  Softirqs that
 * ksoftirqd runs do not count as interrupts: the calling thread has lost its CPU to ksoftirqd.
 */
static const struct {
	const char *system, *name;
} kinds[TD_NR_INTERRUPTS] = {
	{ "irq", "irq_handler" },           { "irq", "softirq" },
	{ "irq_vectors", "local_timer" },   { "irq_vectors", "reschedule" },
	{ "irq_vectors", "call_function" }, { "irq_vectors", "call_function_single" },
};

static int find(const char *system, const char *name, const char *end, uint64_t *id,
		struct td_err *err)
{
	struct td_tracepoints found = { 0 };
	char full[64];
	int rc;

	snprintf(full, sizeof(full), "%s_%s", name, end);
	rc = td_tracepoints_find(&found, system, full, err);
	if (!rc)
		*id = found.v[0].id;
	td_tracepoints_free(&found);
	return rc;
}

int td_interrupts_find(struct td_probe out[TD_NR_INTERRUPTS], struct td_err *err)
{
	for (size_t i = 0; i < TD_NR_INTERRUPTS; i++) {
		if (find(kinds[i].system, kinds[i].name, "entry", &out[i].entry, err) ||
		    find(kinds[i].system, kinds[i].name, "exit", &out[i].exit, err))
			return err->code;
	}
	return 0;
}

void td_probe_companions(struct td_companion at[2], const struct td_probe *probe)
{
	at[0] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->entry, true };
	at[1] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->exit, true };
}
