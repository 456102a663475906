// SPDX-License-Identifier: GPL-2.0-only
/* tdstat regions: counts the regions that a program marks with libtdstat. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/output/out.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"
#include "cmd/regions/region_sums.h"
#include "cmd/run/engine.h"
#include "cmd/sample/result.h"
#include "cmd/session.h"
#include "cmd/wing.h"
#include "lib/counter/probe.h"

/* --- notes on losses --------------------------------------------------------- */

/* The texts of enum td_region_loss. */
static const char *const texts[TD_REGION_NR_LOSSES] = {
	[TD_REGION_NO_ROOM] = "region(s) had no room: a file of 256 MiB, or its disk, is full",
	[TD_REGION_CLOSED] =
		"region(s) had no room: their process has closed the descriptor of its file",
	[TD_REGION_TOO_DEEP] =
		"call(s) were nested more than 64 deep, and are not counted separately",
	[TD_REGION_UNMATCHED] = "time(s) td_end named a region that was not open",
	[TD_REGION_UNENDED] =
		"call(s) had no td_end: they ended with the enclosing call, or with their thread",
	[TD_REGION_BUSY] =
		("mark(s) are left out: they came during another one, in a signal handler or a "
		 "child"),
};

/* Print the reason why the first thread was not counted. */
static void say_uncounted(const struct td_job *job, const struct td_region_files *files)
{
	uint64_t nr = files->losses[TD_REGION_NO_COUNTERS];
	const struct td_region_value *value = &files->values[0];
	int error = files->open_errno;
	struct td_err why = { 0 };

	if (error == EACCES || error == EPERM)
		td_open_error(&why, -error, &job->plan.events.v[value->event],
			      job->machine.pmus[value->pmu].name, &job->target);
	else
		td_err_set(&why, -error, "%s", strerror(error));
	if (error == EMFILE)
		td_err_hint(&why,
			    "half of the descriptors are the program's; ulimit -n allows more");
	td_job_say(job, "tdstat: %" PRIu64 " thread(s) were not counted: %s\n", nr, why.msg);
	if (why.hint[0])
		td_job_say(job, "tdstat: %s\n", why.hint);
}

static void say_losses(const struct td_job *job, const struct td_region_files *files)
{
	for (size_t i = 0; i < TD_REGION_NR_LOSSES; i++) {
		if (!files->losses[i])
			continue;
		if (i == TD_REGION_NO_COUNTERS)
			say_uncounted(job, files);
		else if (i == TD_REGION_UNMATCHED)
			td_job_say(job, "tdstat: %" PRIu64 " %s, first %s\n", files->losses[i],
				   texts[i], files->unmatched);
		else
			td_job_say(job, "tdstat: %" PRIu64 " %s\n", files->losses[i], texts[i]);
	}
}

static void say_lost_calls(const struct td_job *job, const struct td_region_files *files)
{
	uint64_t lost = 0, all = 0;

	td_for_each(const struct td_region, region, files->regions.v, files->regions.nr) {
		/* buckets contain the same calls as the region */
		if (region->own || region->timed)
			continue;
		lost += region->calls.lost;
		all += region->calls.lost + region->calls.counted;
	}
	if (lost)
		td_job_say(job,
			   "tdstat: %" PRIu64 " of %" PRIu64
			   " calls are not counted because their threads ran without counters%s\n",
			   lost, all,
			   job->request->cputype ? ", or on cores that --cputype leaves out"
						 : ": they are part of the enclosing region");
}

/* Print the number of calls of each region that had not ended. */
static void say_open(const struct td_job *job, const struct td_region_files *files)
{
	td_for_each(const struct td_region, region, files->regions.v, files->regions.nr) {
		if (!region->own && region->calls.open)
			td_job_say(job,
				   "tdstat: %s: %" PRIu64
				   " call(s) had not ended when their process did, and are not "
				   "counted\n",
				   region->name, region->calls.open);
	}
}

/* Return a parent directory that other users may not enter, or "". */
static const char *find_closed(char *path)
{
	struct stat st;

	while (strcmp(path, "/") != 0 && strcmp(path, ".") != 0) {
		path = dirname(path);
		if (stat(path, &st) == 0 && !(st.st_mode & S_IXOTH))
			return path;
	}
	return "";
}

/* Explain that no process has a file.  Programs of root may run as another user. */
static void say_none(const struct td_job *job, const char *directory)
{
	td_autofree char *path = geteuid() == 0 ? td_strdup(directory) : NULL;
	const char *closed = path ? find_closed(path) : "";

	td_job_say(job,
		   "tdstat: no process had regions: is %s, or what it runs, linked with libtdstat, "
		   "does it call td_begin, and can it write to %s?\n",
		   job->request->target.command[0], directory);
	if (*closed)
		td_job_say(
			job,
			"tdstat: a program of another user cannot: %s: %s; TMPDIR=/tmp is open to "
			"all\n",
			closed, strerror(EACCES));
}

static void say_buckets(const struct td_job *job, const struct td_region_files *files)
{
	unsigned int without = files->nr_processes - files->nr_with_buckets;

	if (job->request->calls.by_duration && without)
		td_job_say(
			job,
			"tdstat: %u process(es) have an older libtdstat, which does not separate "
			"calls by duration\n",
			without);
	if (files->elsewhere)
		td_job_say(job,
			   "tdstat: %" PRIu64
			   " call(s) are in the nearest row: a region has at most %d rows per "
			   "thread\n",
			   files->elsewhere, TD_REGION_PLACES);
}

/* If the program does not mark the region, list the marked ones. */
static void say_missing(const struct td_job *job, const struct td_region_files *files,
			const char *name, int len)
{
	td_autofree char *all = NULL;
	size_t size;
	FILE *fp;

	for (size_t i = 0; i < files->regions.nr; i++) {
		const char *marked = files->regions.v[i].name;

		if (strncmp(marked, name, (size_t)len) == 0 && !marked[len])
			return;
	}
	fp = td_open_memstream(&all, &size);
	for (size_t i = 0; i < files->regions.nr; i++) {
		if (!files->regions.v[i].timed)
			fprintf(fp, "%s%s", ftell(fp) ? ", " : "", files->regions.v[i].name);
	}
	td_text_close(fp, &all);
	td_job_say(job, "tdstat: %.*s: no such region; the marked regions are %s\n", len, name,
		   all);
}

static void say_all_missing(const struct td_job *job, const struct td_region_files *files)
{
	const char *name = files->names;

	while (name && *name) {
		int len = (int)strcspn(name, ",");

		say_missing(job, files, name, len);
		name += len + (name[len] == ',');
	}
}

/* Print once which counts were lost, and why.  directory: the directory of the files. */
static void regions_say(const struct td_job *job, const struct td_region_files *files,
			const char *directory)
{
	if (!files->nr_processes) {
		say_none(job, directory);
		return;
	}
	say_all_missing(job, files);
	say_losses(job, files);
	say_lost_calls(job, files);
	say_open(job, files);
	say_buckets(job, files);
	if (files->nr_user_only)
		td_job_say(
			job,
			"tdstat: counting user space only: kernel.perf_event_paranoid does not let "
			"this user count the kernel\n");
	if (files->nr_by_read && !job->request->calls.by_read)
		td_job_say(
			job,
			"tdstat: RDPMC could not be used: each begin and end is a system call\n");
}

/* --- the directory of the files ---------------------------------------------- */

/* The directory for the files of one run. */
struct directory {
	char *path; /* NULL: no directory */
	/* descriptor of the directory's lock file, which is locked while this process runs */
	int lock;
};

static void region_directory_remove(struct directory *directory);

#define PREFIX "tdstat-regions-"
#define LOCK   "lock"

/* --- removing --------------------------------------------------------------- */

/* Remove the entries of a directory, except directories that are not empty. */
static bool empty_directory(const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	bool removed = false;

	while (dir && (entry = readdir(dir)))
		removed |= unlinkat(dirfd(dir), entry->d_name, 0) == 0 ||
			   unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) == 0;
	if (dir)
		closedir(dir);
	return removed;
}

/*
 * Remove a directory.  Rename it first, because remaining processes of the command may still add
 * files to it.  A process that opened it before the renaming may add one more.
 */
static void remove_directory(const char *directory)
{
	td_autofree char *gone = td_aprintf("%s.end", directory);

	if (rename(directory, gone) == 0)
		directory = gone;
	while (empty_directory(directory) && rmdir(directory) != 0)
		;
	rmdir(directory);
}

/* --- directories of killed runs --------------------------------------------- */

/*
 * Lock a directory's lock file, whose lock the kernel drops when its owner ends.  Returns the
 * descriptor, or -1 if the owner is running or the directory belongs to another user.
 */
static int try_lock(const char *directory)
{
	td_autofree char *path = NULL;
	struct stat of_directory, of_file;
	int fd = -1;

	path = td_aprintf("%s/" LOCK, directory);
	if (lstat(directory, &of_directory) == 0 && S_ISDIR(of_directory.st_mode) &&
	    of_directory.st_uid == geteuid())
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &of_file) != 0 || of_file.st_uid != geteuid() ||
			flock(fd, LOCK_EX | LOCK_NB) != 0))
		td_close_fd(&fd);
	return fd;
}

static void remove_left(const char *tmp)
{
	DIR *dir = opendir(tmp);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		td_autofree char *path = NULL;
		int lock;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		path = td_aprintf("%s/%s", tmp, entry->d_name);
		lock = try_lock(path);
		if (lock < 0)
			continue;
		remove_directory(path);
		td_close_fd(&lock);
	}
	if (dir)
		closedir(dir);
}

/* --- making ----------------------------------------------------------------- */

static int make(struct directory *directory, const char *tmp, struct td_err *err)
{
	directory->path = td_aprintf("%s/" PREFIX "XXXXXX", tmp);
	if (mkdtemp(directory->path))
		return 0;
	td_err_set(err, -errno, "%s: %s", directory->path, strerror(errno));
	td_err_hint(err, "the variable TMPDIR names a directory that can be written to");
	free(directory->path);
	directory->path = NULL;
	return err->code;
}

/*
 * Lock the directory.  If files cannot be locked, no tdstat removes the directory of another.
 * Returns false if another tdstat found it without its lock, and removed it.
 */
static bool lock(struct directory *directory)
{
	td_autofree char *path = td_aprintf("%s/" LOCK, directory->path);

	directory->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return directory->lock < 0
		       ? access(directory->path, F_OK) == 0
		       : flock(directory->lock, LOCK_EX) != 0 || access(path, F_OK) == 0;
}

/*
 * Make a directory below TMPDIR.  First, remove those of this user whose tdstat was killed.  Call
 * region_directory_remove() on error as well.
 */
static int region_directory_make(struct directory *directory, struct td_err *err)
{
	const char *tmp = getenv("TMPDIR");
	bool locked = false;
	int rc = 0;

	tmp = tmp && *tmp ? tmp : "/tmp";
	*directory = (struct directory){ .lock = -1 };
	remove_left(tmp);
	while (!rc && !locked) {
		region_directory_remove(directory);
		rc = make(directory, tmp, err);
		locked = !rc && lock(directory);
	}
	return rc;
}

static void region_directory_remove(struct directory *directory)
{
	if (!directory->path)
		return;
	remove_directory(directory->path);
	free(directory->path);
	td_close_fd(&directory->lock);
	*directory = (struct directory){ .lock = -1 };
}

/* A run of the command with TDSTAT_REGIONS; outputs are opened before it starts. */
struct session {
	struct td_job *job;
	/* values that libtdstat counts, in the order of its files; files.nr_values of them */
	struct td_region_value values[TD_REGION_VALUES];
	struct td_region_files files;
	struct directory directory; /* directory of the files */
	char *prefix;               /* prefix of the files */
	char *left;                 /* processes that still run when it ends, or NULL */
	struct td_usage usage;
	int status; /* exit status as in a shell */
	bool over;  /* td_child_is_over() */
	struct td_region_result result;
};

/* --- the spec for libtdstat ------------------------------------------------ */

/* The event of the first field, retiring (arch/x86/events/intel/core.c) */
#define FIRST_FIELD 0x8000

static struct td_region_value value_of(const struct td_plan *plan, const struct td_group *group,
				       int g, size_t member)
{
	int event = group->members[member];

	return (struct td_region_value){
		.event = event,
		.pmu = group->pmu,
		.group = g,
		.field = td_event_is_metric(&plan->events.v[event]),
	};
}

/* Refuse modifiers that the library does not support. */
static int check_modifiers(const struct td_event *event, struct td_err *err)
{
	const struct td_modifiers *mods = &event->mods;

	if (!mods->hypervisor && !mods->guest && !mods->host && !mods->non_idle)
		return 0;
	return td_err_usage(err,
			    "%s: in regions an event takes the modifiers u and k, not h, G, "
			    "H or I",
			    event->name);
}

static int add_group(struct session *session, size_t g, struct td_err *err)
{
	const struct td_job *job = session->job;
	const struct td_group *group = &job->plan.groups[g];

	if ((size_t)group->pmu >= job->machine.nr_core)
		return td_err_usage(err,
				    "%s: in regions only events of the cores' PMUs are counted",
				    job->plan.events.v[group->members[0]].name);
	for (size_t i = 0; i < group->nr; i++) {
		if (session->files.nr_values == TD_REGION_VALUES)
			return td_err_usage(err, "more than %d events: regions count no more",
					    TD_REGION_VALUES);
		session->values[session->files.nr_values++] =
			value_of(&job->plan, group, (int)g, i);
		if (check_modifiers(&job->plan.events.v[group->members[i]], err))
			return err->code;
	}
	return 0;
}

/* Set the values of the job.  Returns an error if the library cannot count its events. */
static int set_values(struct session *session, struct td_err *err)
{
	size_t nr = session->job->plan.nr_groups;
	int rc = 0;

	if (nr > TD_REGION_GROUPS)
		return td_err_usage(err, "more than %d PMUs", TD_REGION_GROUPS);
	for (size_t g = 0; !rc && g < nr; g++)
		rc = add_group(session, g, err);
	if (!rc && !session->files.nr_values)
		return td_err_set(err, -ENODATA, "no event can be counted");
	return rc;
}

static void put_group(FILE *fp, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	fprintf(fp, "group %s %s\n", pmu->name, *cpus ? cpus : "0-8191");
	/* td_read() needs it if no event counts slots */
	if (td_uarch_width(pmu->uarch) > 0)
		fprintf(fp, "width %d\n", td_uarch_width(pmu->uarch));
}

static void put_kind(FILE *fp, const struct td_event *event)
{
	if (td_event_is_slots(event))
		fputs("event s ", fp);
	else if (td_event_is_metric(event))
		fprintf(fp, "event %u ",
			(((unsigned int)event->config[0] & 0xffff) - FIRST_FIELD) >> 8);
	else
		fputs("event c ", fp);
}

static void put_event(FILE *fp, const struct td_job *job, const struct td_group *group,
		      size_t member)
{
	const struct td_event *event = &job->plan.events.v[group->members[member]];
	const struct perf_event_attr attr = td_plan_attr(&job->plan, group, member, &job->target);

	put_kind(fp, event);
	fprintf(fp, "%u %#llx %#llx %#llx %c %s\n", event->type,
		(unsigned long long)event->config[0], (unsigned long long)event->config[1],
		(unsigned long long)event->config[2],
		attr.exclude_kernel ? 'u'
		: attr.exclude_user ? 'k'
				    : '-',
		event->name);
}

/*
 * Write the text that lib/region/parts.h describes, with the same events in the same order.
 * The caller checks fp for errors.
 */
static void spec_write(FILE *fp, const struct td_job *job)
{
	fputs("tdstat regions 1\n", fp);
	if (job->request->calls.by_read)
		fputs("read\n", fp);
	if (job->request->calls.by_duration)
		fputs("calls\n", fp);
	td_for_each(const struct td_group, group, job->plan.groups, job->plan.nr_groups) {
		put_group(fp, &job->machine.pmus[group->pmu]);
		for (size_t i = 0; i < group->nr; i++)
			put_event(fp, job, group, i);
	}
}

/*
 * Open the directory.  If root runs the program, open it for other users, because the program may
 * change its user, for example with setpriv(1).  Other users cannot list the directory, so only
 * processes that know its environment know the names of the files.  Files with other names are not
 * read.
 */
static int open_directory(struct session *session, struct td_err *err)
{
	const char *path = session->directory.path;
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret) ||
	    (geteuid() == 0 && chmod(path, 01733) != 0))
		return td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	session->prefix = td_aprintf("%s/%016" PRIx64 "%016" PRIx64, path, secret[0], secret[1]);
	return 0;
}

/* Write the spec, readable for other users whatever the umask is. */
static int write_spec(const struct session *session, struct td_err *err)
{
	FILE *fp = td_out_open(session->prefix, false, err);
	int rc;

	if (!fp)
		return err->code;
	fchmod(fileno(fp), 0644);
	spec_write(fp, session->job);
	rc = td_out_check(fp, session->prefix, err);
	fclose(fp);
	return rc;
}

/* --- the command ------------------------------------------------------------ */

#define MAX_NAMED 3 /* processes */

static void put_process(FILE *fp, const struct td_sysfs *fs, int pid, size_t before)
{
	char path[32], name[64];

	snprintf(path, sizeof(path), "%d/comm", pid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) < 0)
		strcpy(name, "(ended)");
	fprintf(fp, "%s%s-%d", before ? ", " : "", name, pid);
}

/* Set session->left, "sleep-4711, make-4712 and 3 more", if proc can be read. */
static void find_left(struct session *session)
{
	td_autofree char *variable = td_aprintf("TDSTAT_REGIONS=%s", session->prefix);
	const struct td_sysfs *fs = &session->job->fs;
	struct td_ints pids = { 0 };
	struct td_err unused;
	size_t size, said = 0;
	FILE *fp = NULL;

	if (td_tasks_add_with(fs, variable, &pids, &unused) == 0 && pids.nr)
		fp = td_open_memstream(&session->left, &size);
	for (; fp && said < pids.nr && said < MAX_NAMED; said++)
		put_process(fp, fs, pids.v[said], said);
	if (fp && said < pids.nr)
		fprintf(fp, " and %zu more", pids.nr - said);
	if (fp)
		td_text_close(fp, &session->left);
	td_ints_free(&pids);
}

static int run_command(struct session *session, struct td_engine *engine,
		       const struct td_inherited *inherited, struct td_err *err)
{
	char **command = session->job->request->target.command;
	struct td_child *child = &engine->child;
	struct td_err late = { 0 };
	uint64_t start_ns;
	int rc = td_engine_start(engine, command, inherited, err);

	if (rc)
		return rc;
	start_ns = td_now_ns();
	rc = td_child_release(child, command[0], err);
	/* even if waiting fails, the command runs to its end */
	if (!rc)
		td_engine_run(engine, NULL, NULL, &late);
	rc = rc ?: td_child_wait(child, &session->usage, err);
	session->usage.elapsed_ns = td_now_ns() - start_ns;
	session->status = child->status;
	session->over = td_child_is_over(child);
	td_child_end(child);
	return rc;
}

/*
 * Run the command of the job to its end.  Returns an error if it could not be run; the status
 * is then 126 or 127.  Call close_session(), which removes the directory, on error as well.
 */
static int run_program(struct session *session, struct td_inherited *inherited, struct td_err *err)
{
	const struct td_ints none = { 0 };
	struct td_engine engine = { .waiter = TD_WAITER_NONE };
	int nr = session->job->request->calls.every;
	char every[16];
	int rc = region_directory_make(&session->directory, err);

	rc = rc ?: open_directory(session, err);
	rc = rc ?: write_spec(session, err);
	rc = rc ?: td_waiter_open(&engine.waiter, &none, &none, err);
	snprintf(every, sizeof(every), "%d", nr);
	if (!rc && (setenv("TDSTAT_REGIONS", session->prefix, 1) ||
		    (nr && setenv("TDSTAT_EVERY", every, 1))))
		td_memory_fail();
	rc = rc ?: run_command(session, &engine, inherited, err);
	td_waiter_close(&engine.waiter);
	return rc;
}

/* --- counting --------------------------------------------------------------- */

static int open_session(struct session *session, struct td_job *job, struct td_err *err)
{
	int rc;

	*session = (struct session){ .job = job };
	session->files.wall_ns = td_wall_ns() - td_now_ns();
	session->files.names = job->request->calls.names;
	session->files.values = session->values;
	rc = set_values(session, err);
	return rc ?: td_region_result_open(&session->result, job, &session->files.regions, err);
}

static int close_session(struct session *session, int rc, struct td_err *err)
{
	rc = td_region_result_close(&session->result, rc, err);
	td_region_files_free(&session->files);
	/* the command may run once more without regions */
	unsetenv("TDSTAT_REGIONS");
	region_directory_remove(&session->directory);
	free(session->prefix);
	free(session->left);
	return rc;
}

static int count(struct td_job *job, struct td_inherited *inherited, struct td_attempt *attempt,
		 int *status, struct td_err *err)
{
	struct session session;
	int rc = open_session(&session, job, err);

	if (!rc) {
		td_job_say_notes(job);
		rc = run_program(&session, inherited, err);
		*status = session.status;
		attempt->over = session.over;
	}
	/* before the files are read, to include all processes whose marks are missing */
	if (!rc)
		find_left(&session);
	rc = rc ?: td_region_files_read(&session.files, session.prefix, err);
	if (!rc)
		rc = td_region_result_show(&session.result, &session.files.counts, &session.usage,
					   session.status, err);
	if (!rc)
		regions_say(job, &session.files, session.directory.path);
	if (!rc && session.left)
		td_job_say(
			job,
			"tdstat: %s: still running when %s ended; their marks since then are not "
			"counted\n",
			session.left, job->request->target.command[0]);
	if (!rc && job->request->calls.names)
		td_calls_suggest_next(job, &session.result.view.report);
	return close_session(&session, rc, err);
}

static int run_marked(const struct td_request *request, struct td_inherited *inherited, int *status,
		      struct td_err *err)
{
	struct td_attempt attempt = { 0 };
	struct td_job job;
	int rc = td_job_plan(&job, request, err);

	rc = rc ?: td_job_join(&job, err);
	if (!rc)
		rc = request->dry_run ? td_dry_run(&job, err)
				      : count(&job, inherited, &attempt, status, err);
	td_job_free(&job);
	return rc ? td_always_continue(request, inherited, &attempt, status, err) : 0;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };

	td_inherited_change(&inherited);
	return run_marked(&opts->request, &inherited, status, err);
}

#define MAX_LEVEL 2

/* --- the subcommand --------------------------------------------------------- */

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.target.command) {
		td_err_usage(err, "tdstat regions needs a command");
		return td_err_hint(err, "tdstat regions -- ./program");
	}
	if (opts->request.ask.level > MAX_LEVEL && !opts->request.ask.drill)
		return td_err_usage(
			err,
			"-l %d: regions are not multiplexed, and there is room for levels 1 and "
			"2",
			opts->request.ask.level);
	if (opts->request.ask.drill)
		return td_err_usage(
			err,
			"-l auto chooses while it counts: regions are counted at level 1 or 2");
	if (td_request_has_events(&opts->request) && td_ask_is_made(&opts->request.ask))
		return td_err_usage(
			err, "-e shows counts, --level and -M metrics: they exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option counting[] = {
	{ "metrics", 'M', "LIST", "metrics and metric groups: names, tma_*",
	  TD_OPTION_FUNCTION, .set = td_value_metrics },
	{ "event", 'e', "LIST",
	  "events, as in perf stat -e, instead of the tree",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "every", 0, "N", "count one in N calls of a region, at random",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.calls.every), 0, 1, INT_MAX },
	{ "calls", 0, NULL, "also show calls by duration",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.calls.by_duration) },
	{ "read", 0, NULL, "read with system calls instead of RDPMC",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.calls.by_read) },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "verbose", 'v', NULL, "also show the tree of each region",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_counting = { TD_SECTION_WHAT, counting };
static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&group_counting,
	&td_group_two_levels,
	&td_group_cores,
	&td_group_files,
	&group_showing,
	&td_group_region_rows,
	&td_group_formats,
	&td_group_output,
	&td_group_head,
	&td_group_stream,
	&td_group_require,
	&td_group_dry_run,
	NULL,
};

static const struct td_command command = {
	.name = "regions",
	.line = "measure regions that a program marks with libtdstat",
	.args = "[--] COMMAND [ARG...]",
	.doc = "Runs a command, and shows where the pipeline slots go in the regions that it marks "
	       "with td_begin() and td_end() of libtdstat; see tdstat-regions(3).",
	.what = "What to count:",
	.examples = "  tdstat regions -- ./program\n"
		    "  tdstat regions -l 2 -v -- ./program",
	.groups = groups,
	.does = { .regions = true, .always = true },
	.check = check,
	.counts = true,
	.run = run,
};

const struct td_wing td_wing_regions = {
	.name = "regions",
	.command = &command,
	.run_marked = run_marked,
};
