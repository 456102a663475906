// SPDX-License-Identifier: GPL-2.0-only
/* tdstat regions: counts the regions that a program marks with libtdstat. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/plan/dry_run.h"
#include "cmd/regions/result.h"
#include "cmd/run/engine.h"
#include "cmd/session.h"
#include "lib/base/util.h"

/* --- what libtdstat is to count ------------------------------------------- */

/* What libtdstat is to count, in the order of its files. */
struct spec {
	struct td_region_value values[TD_REGION_VALUES];
	size_t nr;
};

/* Of the fields' events; the first one is retiring: intel/core.c */
#define FIRST_FIELD 0x8000

static struct td_region_value value_of(const struct td_plan *plan,
				       const struct td_group *group, int g,
				       size_t member)
{
	int event = group->members[member];

	return (struct td_region_value){
		.event = event,
		.pmu = group->pmu,
		.group = g,
		.field = td_event_is_metric(&plan->events.v[event]),
	};
}

/* What the library cannot ask the kernel for. */
static int check_modifiers(const struct td_event *event, struct td_err *err)
{
	const struct td_modifiers *mods = &event->mods;

	if (!mods->hypervisor && !mods->guest && !mods->host && !mods->non_idle)
		return 0;
	return td_err_usage(err,
			    "%s: in regions an event may be of u or k, not of "
			    "h, G, H or I",
			    event->name);
}

static int add_group(struct spec *spec, const struct td_job *job, size_t g,
		     struct td_err *err)
{
	const struct td_group *group = &job->plan.groups[g];

	if ((size_t)group->pmu >= job->machine.nr_core)
		return td_err_usage(err,
				    "%s: in regions only events of the cores' "
				    "PMUs are counted",
				    job->plan.events.v[group->members[0]].name);
	for (size_t i = 0; i < group->nr; i++) {
		if (spec->nr == TD_REGION_VALUES)
			return td_err_usage(
				err,
				"more than %d events, which are all "
				"that regions count",
				TD_REGION_VALUES);
		spec->values[spec->nr++] =
			value_of(&job->plan, group, (int)g, i);
		if (check_modifiers(&job->plan.events.v[group->members[i]],
				    err))
			return err->code;
	}
	return 0;
}

/* An error if it cannot count what the job plans. */
static int spec_make(struct spec *spec, const struct td_job *job,
		     struct td_err *err)
{
	int rc = 0;

	*spec = (struct spec){ 0 };
	if (job->plan.nr_groups > TD_REGION_GROUPS)
		return td_err_usage(err, "more than %d PMUs", TD_REGION_GROUPS);
	for (size_t g = 0; !rc && g < job->plan.nr_groups; g++)
		rc = add_group(spec, job, g, err);
	if (!rc && !spec->nr)
		return td_err_set(err, -ENODATA, "no event can be counted");
	return rc;
}

static void put_group(FILE *fp, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	fprintf(fp, "group %s %s\n", pmu->name,
		cpus && *cpus ? cpus : "0-8191");
	/* for td_read(), where no event counts slots */
	if (td_uarch_width(pmu->uarch) > 0)
		fprintf(fp, "width %d\n", td_uarch_width(pmu->uarch));
}

static void put_kind(FILE *fp, const struct td_event *event)
{
	if (td_event_is_slots(event))
		fputs("event s ", fp);
	else if (td_event_is_metric(event))
		fprintf(fp, "event %u ",
			(((unsigned int)event->config[0] & 0xffff) -
			 FIRST_FIELD) >>
				8);
	else
		fputs("event c ", fp);
}

static void put_event(FILE *fp, const struct td_job *job,
		      const struct td_group *group, size_t member)
{
	const struct td_event *event =
		&job->plan.events.v[group->members[member]];
	const struct perf_event_attr attr =
		td_plan_attr(&job->plan, group, member, &job->target);

	put_kind(fp, event);
	fprintf(fp, "%u %#llx %#llx %#llx %c %s\n", event->type,
		(unsigned long long)event->config[0],
		(unsigned long long)event->config[1],
		(unsigned long long)event->config[2],
		attr.exclude_kernel ? 'u'
		: attr.exclude_user ? 'k'
				    : '-',
		event->name);
}

/*
 * Writes the text that lib/region/parts.h describes, with the same events in the
 * same order.  The caller checks fp for errors.
 */
static void spec_write(FILE *fp, const struct td_job *job)
{
	fputs("tdstat regions 1\n", fp);
	if (job->request->calls.by_read)
		fputs("read\n", fp);
	if (job->request->calls.by_duration)
		fputs("calls\n", fp);
	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		const struct td_group *group = &job->plan.groups[g];

		put_group(fp, &job->machine.pmus[group->pmu]);
		for (size_t i = 0; i < group->nr; i++)
			put_event(fp, job, group, i);
	}
}

/* A program that runs with TDSTAT_REGIONS, and a folder for what it counts. */
struct td_program {
	char *folder;
	char *prefix; /* of the files */
	char *left;   /* the processes that its end left behind, or NULL */
	struct td_usage usage;
	int status; /* as in the shell */
	bool over;  /* td_child_is_over() */
};

/* --- the folder ------------------------------------------------------------- */

static int make_folder(struct td_program *program, struct td_err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (asprintf(&program->folder, "%s/tdstat-regions-XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") < 0) {
		program->folder = NULL;
		return td_err_nomem(err);
	}
	if (!mkdtemp(program->folder)) {
		td_err_set(err, -errno, "%s: %s", program->folder,
			   strerror(errno));
		td_err_hint(err, "the variable TMPDIR names a folder that can "
				 "be written to");
		free(program->folder);
		program->folder = NULL;
		return err->code;
	}
	return 0;
}

/*
 * A program that root runs may become another user, as by setpriv(1), and has to
 * write its file then: anybody can, but only who knows the program's environment
 * knows of what name, as nobody else may list the folder.  What is of another name
 * is not read.
 */
static int open_folder(struct td_program *program, struct td_err *err)
{
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret) ||
	    (geteuid() == 0 && chmod(program->folder, 01733) != 0))
		return td_err_set(err, -errno, "%s: %s", program->folder,
				  strerror(errno));
	if (asprintf(&program->prefix, "%s/%016" PRIx64 "%016" PRIx64,
		     program->folder, secret[0], secret[1]) < 0) {
		program->prefix = NULL;
		return td_err_nomem(err);
	}
	return 0;
}

/* Others may read it, whatever the umask says. */
static int write_spec(const struct td_program *program,
		      const struct td_job *job, struct td_err *err)
{
	FILE *fp = td_out_open(program->prefix, false, err);
	int rc;

	if (!fp)
		return err->code;
	fchmod(fileno(fp), 0644);
	spec_write(fp, job);
	rc = td_out_check(fp, program->prefix, err);
	fclose(fp);
	return rc;
}

/* Removes what is in it, but not folders with something of somebody else's. */
static bool empty_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool removed = false;

	while (dir && (entry = readdir(dir)))
		removed |=
			unlinkat(dirfd(dir), entry->d_name, 0) == 0 ||
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) == 0;
	if (dir)
		closedir(dir);
	return removed;
}

/*
 * Processes that the command left may make files as long as they find the folder, and
 * those that have just found it, one more.
 */
static void remove_folder(const char *folder)
{
	td_autofree char *gone = NULL;

	if (asprintf(&gone, "%s.end", folder) < 0)
		gone = NULL;
	if (gone && rename(folder, gone) == 0)
		folder = gone;
	while (empty_folder(folder) && rmdir(folder) != 0)
		;
	rmdir(folder);
}

/* A command that runs without must not look for what is gone. */
static void program_free(struct td_program *program)
{
	unsetenv("TDSTAT_REGIONS");
	if (program->folder)
		remove_folder(program->folder);
	free(program->folder);
	free(program->prefix);
	free(program->left);
	*program = (struct td_program){ 0 };
}

/* --- the command ------------------------------------------------------------ */

#define MOST_LEFT 3 /* that are named */

static void put_process(FILE *fp, const struct td_sysfs *fs, int pid,
			size_t before)
{
	char path[32], name[64];

	snprintf(path, sizeof(path), "%d/comm", pid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) < 0)
		strcpy(name, "(ended)");
	fprintf(fp, "%s%s-%d", before ? ", " : "", name, pid);
}

/* "sleep-4711, make-4712 and 3 more"; no more is known without memory, or proc. */
static void find_left(struct td_program *program, const struct td_job *job)
{
	td_autofree char *variable = NULL;
	struct td_ints pids = { 0 };
	struct td_err unused;
	size_t size, said = 0;
	FILE *fp = NULL;

	if (asprintf(&variable, "TDSTAT_REGIONS=%s", program->prefix) < 0)
		variable = NULL;
	if (variable &&
	    td_tasks_add_with(&job->fs, variable, &pids, &unused) == 0 &&
	    pids.nr)
		fp = open_memstream(&program->left, &size);
	for (; fp && said < pids.nr && said < MOST_LEFT; said++)
		put_process(fp, &job->fs, pids.v[said], said);
	if (fp && said < pids.nr)
		fprintf(fp, " and %zu more", pids.nr - said);
	if (fp && td_text_close(fp, &program->left))
		program->left = NULL;
	td_ints_free(&pids);
}

static int run_command(struct td_program *program, struct td_engine *engine,
		       const struct td_job *job,
		       const struct td_inherited *inherited, struct td_err *err)
{
	char **command = job->request->target.command;
	struct td_child *child = &engine->child;
	struct td_err late = { 0 };
	uint64_t start_ns;
	int rc = td_engine_start(engine, command, inherited, err);

	if (rc)
		return rc;
	start_ns = td_now_ns();
	rc = td_child_release(child, command[0], err);
	/* whatever happens to the waiting, the command runs to its end */
	if (!rc)
		td_engine_run(engine, NULL, NULL, &late);
	if (!rc)
		rc = td_child_wait(child, &program->usage, err);
	program->usage.elapsed_ns = td_now_ns() - start_ns;
	program->status = child->status;
	program->over = td_child_is_over(child);
	td_child_end(child);
	return rc;
}

/*
 * Runs the command of the job to its end.  An error is that it could not be run;
 * then the status is 126 or 127.  Free it, which removes the folder, even then.
 */
static int program_run(struct td_program *program, const struct td_job *job,
		       struct td_inherited *inherited, struct td_err *err)
{
	const struct td_ints none = { 0 };
	struct td_engine engine = { .waiter = TD_WAITER_NONE };
	char every[16];
	int rc;

	*program = (struct td_program){ 0 };
	rc = make_folder(program, err);
	if (!rc)
		rc = open_folder(program, err);
	if (!rc)
		rc = write_spec(program, job, err);
	if (!rc)
		rc = td_waiter_open(&engine.waiter, &none, &none, err);
	snprintf(every, sizeof(every), "%d", job->request->calls.every);
	if (!rc &&
	    (setenv("TDSTAT_REGIONS", program->prefix, 1) ||
	     (job->request->calls.every && setenv("TDSTAT_EVERY", every, 1))))
		rc = td_err_nomem(err);
	if (!rc)
		rc = run_command(program, &engine, job, inherited, err);
	td_waiter_close(&engine.waiter);
	return rc;
}

/* --- counting --------------------------------------------------------------- */

/* What a run of the program needs; outputs are opened before it begins. */
struct session {
	struct td_job *job;
	struct spec spec;
	struct td_region_files files;
	struct td_program program;
	struct td_region_result result;
};

static int open_session(struct session *session, struct td_job *job,
			struct td_err *err)
{
	int rc;

	*session = (struct session){ .job = job };
	session->files.wall_ns = td_wall_ns() - td_now_ns();
	session->files.names = job->request->calls.names;
	rc = spec_make(&session->spec, job, err);
	session->files.values = session->spec.values;
	session->files.nr_values = session->spec.nr;
	return rc ? rc
		  : td_region_result_open(&session->result, job,
					  &session->files.regions, err);
}

static int close_session(struct session *session, int rc, struct td_err *err)
{
	rc = td_region_result_close(&session->result, rc, err);
	td_region_files_free(&session->files);
	program_free(&session->program);
	return rc;
}

static int count(struct td_job *job, struct td_inherited *inherited,
		 struct td_reached *reached, int *status, struct td_err *err)
{
	struct session session;
	int rc = open_session(&session, job, err);

	if (!rc) {
		td_job_say_notes(job);
		rc = program_run(&session.program, job, inherited, err);
		*status = session.program.status;
		reached->over = session.program.over;
	}
	/* first, so that none is missing of those whose marks are */
	if (!rc)
		find_left(&session.program, job);
	if (!rc)
		rc = td_region_files_read(&session.files,
					  session.program.prefix, err);
	if (!rc)
		rc = td_region_result_show(
			&session.result, &session.files.counts,
			&session.program.usage, session.program.status, err);
	if (!rc)
		td_regions_say(job, &session.files, session.program.folder);
	if (!rc && session.program.left)
		td_job_say(job,
			   "tdstat: %s: still running when %s ended; their "
			   "marks since then are not counted\n",
			   session.program.left,
			   job->request->target.command[0]);
	if (!rc && job->request->calls.names)
		td_calls_say_next(job, &session.result.view.report);
	return close_session(&session, rc, err);
}

int td_regions_run(const struct td_request *request,
		   struct td_inherited *inherited, int *status,
		   struct td_err *err)
{
	struct td_reached reached = { 0 };
	struct td_job job;
	int rc = td_job_plan(&job, request, err);

	if (!rc)
		rc = td_job_join(&job, err);
	if (!rc)
		rc = request->dry_run
			     ? td_dry_run(&job, err)
			     : count(&job, inherited, &reached, status, err);
	td_job_free(&job);
	return rc ? td_always_go_on(request, inherited, &reached, status, err)
		  : 0;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };

	td_inherited_change(&inherited);
	return td_regions_run(&opts->request, &inherited, status, err);
}

#define MOST_LEVELS 2

/* --- the subcommand --------------------------------------------------------- */

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.target.command) {
		td_err_usage(err, "tdstat regions needs a command");
		return td_err_hint(err, "tdstat regions -- ./program");
	}
	if (opts->request.ask.level > MOST_LEVELS && !opts->request.ask.drill)
		return td_err_usage(err,
				    "-l %d: nothing takes turns in "
				    "regions, and there is room for levels "
				    "1 and 2",
				    opts->request.ask.level);
	if (opts->request.ask.drill)
		return td_err_usage(err, "-l auto chooses while it counts: "
					 "regions are counted at level 1 or 2");
	if (td_request_has_events(&opts->request) &&
	    td_ask_is_made(&opts->request.ask))
		return td_err_usage(err, "-e shows counts, --level and -M "
					 "metrics: they exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option counting[] = {
	{ "metrics", 'M', "LIST", "metrics and groups of them: names, tma_*",
	  TD_OPTION_FUNCTION, .set = td_value_metrics },
	{ "event", 'e', "LIST",
	  "events, as for perf stat -e, instead of the tree",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "every", 0, "N", "count one of N calls of a region, by chance",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.calls.every), 0, 1, INT_MAX },
	{ "calls", 0, NULL, "calls by how long they took, too",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.calls.by_duration) },
	{ "read", 0, NULL, "by system calls, not by RDPMC",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.calls.by_read) },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "verbose", 'v', NULL, "the tree of each region, too",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_counting = { TD_SECTION_WHAT,
						       counting };
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

const struct td_command td_command_regions = {
	.name = "regions",
	.line = "count the regions that a program marks with libtdstat",
	.args = "[--] COMMAND [ARG...]",
	.doc = "Runs a command, and shows where the pipeline slots go in the "
	       "regions that it marks with td_begin() and td_end() of "
	       "libtdstat; see tdstat-regions(3).",
	.what = "What to count:",
	.examples = "  tdstat regions -- ./program\n"
		    "  tdstat regions -l 2 -v -- ./program",
	.groups = groups,
	.does = { .regions = true, .always = true },
	.check = check,
	.counts = true,
	.run = run,
};
