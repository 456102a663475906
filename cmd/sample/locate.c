// SPDX-License-Identifier: GPL-2.0-only
/* tdstat locate: the functions that lose slots to a node of the tree. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/value.h"
#include "cmd/out/advice.h"
#include "cmd/plan/dry_run.h"
#include "cmd/sample/parts.h"
#include "cmd/say.h"
#include "lib/base/util.h"

/* --- the node to locate ---------------------------------------------------- */

/* How long the whole machine, or a process, is counted before it is sampled. */
#define COUNT_MS 2000

/* --- the node --------------------------------------------------------------- */

static int no_node(const struct td_focus *focus, struct td_err *err)
{
	td_err_set(err, -ENODATA, "what to locate is not known: %s",
		   td_focus_why(focus));
	return td_err_hint(err, "tdstat shows the tree; tdstat locate NODE "
				"takes any node of it");
}

static void say_climbed(const char *from, const char *to)
{
	td_say("tdstat: %s: no event is known to sample for it: %s, which it is "
	       "a part of, is sampled\n",
	       from, to);
}

static const char *next_step(const struct td_request *request)
{
	return request->target.command
		       ? "the command runs once more, to be sampled"
		       : "now it is sampled";
}

static void say_found(const struct td_focus *focus, const char *node,
		      const struct td_request *request)
{
	const char *first = focus->nodes[0];
	char share[32] = "";

	if (request->show.quiet)
		return;
	if (!isnan(focus->slots_pct))
		snprintf(share, sizeof(share), ", %.0f %% of its slots",
			 focus->slots_pct);
	if (focus->unsure)
		td_say("tdstat: %s: no node matters most for sure: %s is a "
		       "guess%s; %s\n",
		       focus->pmu, first, share, next_step(request));
	else
		td_say("tdstat: %s loses most to %s%s; %s\n", focus->pmu, first,
		       share, next_step(request));
	if (strcmp(first, node) != 0)
		say_climbed(first, node);
}

/* --- finding ---------------------------------------------------------------- */

/* Of what has no end of its own. */
static int counting_ms(const struct td_request *request)
{
	if (request->target.command)
		return request->when.timeout_ms;
	return request->when.timeout_ms &&
			       request->when.timeout_ms < 2 * COUNT_MS
		       ? request->when.timeout_ms / 2
		       : COUNT_MS;
}

static int choose_found(struct td_choice *choice, const struct td_focus *focus,
			const struct td_request *request, struct td_err *err)
{
	const char *nodes[TD_VERDICT_DEPTH + 1];
	int rc;

	if (focus->interrupted)
		return td_err_set(err, -EINTR,
				  "interrupted while it was counted: nothing "
				  "was sampled");
	if (!focus->nr)
		return no_node(focus, err);
	for (size_t i = 0; i < focus->nr; i++)
		nodes[i] = focus->nodes[i];
	rc = td_choose_events(choice, request, nodes, focus->nr, err);
	snprintf(choice->pmu, sizeof(choice->pmu), "%s", focus->pmu);
	if (!rc)
		say_found(focus, choice->node, request);
	return rc;
}

/* The counters do not hold the whole tree and what to sample for it at once. */
static int count_first(struct td_choice *choice,
		       const struct td_request *request,
		       const struct td_inherited *inherited,
		       struct td_reached *reached, int *status,
		       struct td_err *err)
{
	struct td_progress progress = td_progress_make(request, 1);
	struct td_request counting = *request;
	struct td_focus focus;
	int rc;

	counting.when.timeout_ms = counting_ms(request);
	td_progress_stage(&progress, "finding the node");
	rc = td_session_find(&counting, inherited, &focus, reached, status,
			     err);
	td_progress_clear(&progress);
	return rc ? rc : choose_found(choice, &focus, request, err);
}

static int take_named(struct td_choice *choice,
		      const struct td_request *request, struct td_err *err)
{
	const char *name = request->sampling.node, *node = choice->node;
	size_t prefix = strncasecmp(name, "tma_", 4) == 0 ? 0 : 4;
	int rc = td_choose_events(choice, request, &request->sampling.node, 1,
				  err);

	if (!rc && !request->show.quiet &&
	    strcasecmp(name, node + prefix) != 0 && strcasecmp(name, node) != 0)
		say_climbed(name, node);
	return rc;
}

/* Did the user name a node, not auto? */
static bool node_is_named(const struct td_request *request)
{
	return request->sampling.node &&
	       strcmp(request->sampling.node, "auto") != 0;
}

/*
 * Chooses the events of the node that the request names, or else counts the tree
 * first and takes the node that matters most; says what was not as asked.
 * *status and *reached are those of a command that was counted.  Free choice even after an
 * error.
 */
static int node_find(struct td_choice *choice, const struct td_request *request,
		     const struct td_inherited *inherited,
		     struct td_reached *reached, int *status,
		     struct td_err *err)
{
	*choice = (struct td_choice){ 0 };
	return node_is_named(request) ? take_named(choice, request, err)
				      : count_first(choice, request, inherited,
						    reached, status, err);
}

#define USUAL_RATE 1000
/* Of operations or fetches, most of which have not waited. */
#define IBS_RATE 4000

/* --- choosing --------------------------------------------------------------- */

static int choose(struct td_locating *l, const struct td_inherited *inherited,
		  int *status, struct td_err *err)
{
	const struct td_request *request = l->request;
	int rc;

	l->sampled = *request;
	if (request->nr_events)
		return 0;
	rc = node_find(&l->choice, request, inherited, &l->reached, status,
		       err);
	l->arg.list = l->choice.events;
	l->sampled.events = &l->arg;
	l->sampled.nr_events = 1;
	return rc;
}

/* --- sampling --------------------------------------------------------------- */

static int take(void *ctx, const struct td_record *record, int event, int spot,
		int caller)
{
	struct td_locating *l = ctx;

	if (l->request->calls.in)
		return td_within_take(l, record, event, spot, caller);
	return record->kind == TD_RECORD_SAMPLE
		       ? td_hits_add(&l->hits, event, spot, caller,
				     record->period)
		       : 0;
}

/* By cycles: what is sampled for a node may be rare. */
static int limit(struct td_locating *l, struct td_err *err)
{
	struct td_event_arg cycles = { .list = "cycles" };
	struct td_request request = l->sampled;
	td_autofree struct td_sampling *how = NULL;
	struct td_job by;
	int rc;

	if (!l->request->nr_events)
		request.events = &cycles;
	rc = td_job_plan(&by, &request, err);
	if (!rc) {
		how = td_rate_make(&by, USUAL_RATE);
		rc = how ? td_overhead_limit(&l->job, l->gathering.how, &by,
					     how, &l->gathering.format, err)
			 : td_err_nomem(err);
	}
	td_job_free(&by);
	return rc;
}

static int plan(struct td_locating *l, struct td_err *err)
{
	struct td_gathering *g = &l->gathering;
	bool waits;
	int rc = td_job_plan(&l->job, &l->sampled, err);

	if (rc)
		return rc;
	if (l->choice.without && *l->choice.without)
		td_notes_add(
			&l->job.notes,
			"%s: no event is known to sample for %s: what runs "
			"there is not shown",
			l->choice.without, l->choice.node);
	/* samples of IBS tell for how long they waited */
	waits = !l->request->nr_events && td_job_has_kind(&l->job, TD_PMU_IBS);
	g->job = &l->job;
	g->how = td_rate_make(&l->job, waits ? IBS_RATE : USUAL_RATE);
	td_gathering_want(g, l->request);
	g->format.raw = waits;
	g->lines = l->request->verbose || l->request->sampling.files.samples ||
		   l->request->sampling.files.pprof;
	g->node = l->request->nr_events ? NULL : l->choice.node;
	g->take = take;
	g->ctx = l;
	if (!g->how)
		return td_err_nomem(err);
	if (l->request->calls.in && td_within_open(l, err))
		return err->code;
	return l->request->sampling.overhead_pct > 0 && !l->request->dry_run
		       ? limit(l, err)
		       : 0;
}

/* --- what the samples do not tell ------------------------------------------- */

/* The scheduler may take the second run of a command to the other kind of core. */
static bool say_elsewhere(const struct td_locating *l)
{
	const struct td_machine *machine = &l->job.machine;
	int pmu = td_machine_find_pmu(machine, l->choice.pmu);
	td_autofree char *cpus = NULL;
	double pct;

	if (pmu < 0 || machine->nr_core < 2 || !l->request->target.command ||
	    l->job.target.system_wide)
		return false;
	pct = td_sampler_ran_pct(l->gathering.sampler, pmu);
	cpus = td_ints_format(&machine->pmus[pmu].cpus);
	if (!(pct < 50) || !cpus)
		return false;
	td_job_say(
		&l->job,
		"tdstat: the node is that of %s, where this run was for "
		"%.0f %% of its time: taskset -c %s before the command keeps "
		"both runs there\n",
		l->choice.pmu, pct, cpus);
	return true;
}

/* With fewer, a share of 50 % has an error above 18 %. */
#define FEW_SAMPLES 30

static void say_few(const struct td_locating *l)
{
	uint64_t nr =
		l->request->calls.in ? l->in.within : l->gathering.losses.kept;
	const char *longer = l->request->target.command ? "run" : "--timeout";

	if (!nr)
		td_job_say(&l->job,
			   "tdstat: no sample was taken: a longer %s may take "
			   "some, and -F takes more\n",
			   longer);
	else if (nr < FEW_SAMPLES)
		td_job_say(&l->job,
			   "tdstat: too few samples to tell functions apart, "
			   "%" PRIu64
			   ": a longer %s takes more, and so does -F\n",
			   nr, longer);
}

/* --- showing ---------------------------------------------------------------- */

static int open_sink(struct td_locating *l, struct td_err *err)
{
	const struct td_frame frame = {
		.big_num = !l->request->show.no_big_num,
		.runs = 1,
		.target = l->job.target.name.text,
		.target_kind = l->job.target.name.kind,
		.identity = &l->job.identity,
		.machine = &l->job.machine,
		.in = l->request->calls.in,
		.slower_ns = l->request->calls.slower_ns,
	};

	const struct td_sheet sheet = td_out_where_sheet();
	int rc;

	l->files = l->request->sampling.files;
	l->sink.unseen = td_where_is_displaced(l->request);
	rc = td_sink_open(&l->sink, &l->sampled, &frame, err);
	if (!rc)
		rc = td_append_check(&l->sink, NULL, &sheet, err);
	return rc ? rc : td_stack_files_open(&l->files, err);
}

static int show(struct td_locating *l, struct td_err *err)
{
	struct td_writer *writer = &l->sink.writer;
	struct td_where *where = &l->where;
	int rc;

	where->node = l->request->nr_events ? NULL : l->choice.node;
	where->in = l->request->calls.in;
	where->slower_ns = l->request->calls.slower_ns;
	td_where_want(where, l->request);
	rc = td_where_make(where, &l->job.plan, &l->job.machine,
			   &l->gathering.spots, &l->hits, err);
	if (!rc)
		rc = td_sink_begin(&l->sink, err);
	if (!rc)
		writer->out->where(writer, &l->where);
	return rc ? rc
		  : td_stack_files_write(&l->files, where, writer->frame, err);
}

static int sample(struct td_locating *l, struct td_inherited *inherited,
		  int *status, struct td_err *err)
{
	struct td_gathering *g = &l->gathering;
	int rc = open_sink(l, err);

	l->sink.frame.start_ns = td_wall_ns();
	if (!rc) {
		rc = td_gather(g, inherited, err);
		*status = g->status;
		l->reached.over = l->reached.over || g->over;
	}
	td_gathering_say(g);
	if (!rc && l->request->calls.in)
		td_within_say(l);
	if (!rc && !say_elsewhere(l))
		say_few(l);
	return rc ? rc : show(l, err);
}

static int close_all(struct td_locating *l, int rc, struct td_err *err)
{
	rc = td_sink_end(&l->sink, rc, err);
	td_stack_files_close(&l->files, !rc);
	td_where_free(&l->where);
	td_hits_free(&l->hits);
	free(l->gathering.how);
	rc = td_gathering_close(&l->gathering, rc, err);
	td_within_close(l);
	td_job_free(&l->job);
	td_choice_free(&l->choice);
	return rc;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_locating l = { .request = &opts->request,
				 .job.fs = { -1, -1 },
				 .in.probes.events = -1 };
	int rc;

	td_inherited_change(&inherited);
	rc = choose(&l, &inherited, status, err);
	if (!rc)
		rc = plan(&l, err);
	if (!rc)
		rc = opts->request.dry_run
			     ? td_dry_run(&l.job, err)
			     : sample(&l, &inherited, status, err);
	rc = close_all(&l, rc, err);
	return rc ? td_always_go_on(&opts->request, &inherited, &l.reached,
				    status, err)
		  : 0;
}

/* --- the subcommand --------------------------------------------------------- */

/* The first word is the node, unless it is a program; the next one is one. */
static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	(void)err;
	if (opts->request.sampling.node ||
	    (opts->request.nr_events && strncmp(word, "tma_", 4) != 0) ||
	    td_choose_is_command(word))
		return 1;
	opts->request.sampling.node = word;
	return 0;
}

static int set_slower(struct td_opts *opts, const char *arg, struct td_err *err)
{
	return td_duration_parse(arg, &opts->request.calls.slower_ns)
		       ? td_err_usage(err,
				      "--slower %s: not like 500us, 2ms "
				      "or 1.5s",
				      arg)
		       : 0;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->request.sampling.node && opts->request.nr_events)
		return td_err_usage(err,
				    "-e %s: it is sampled in place of a "
				    "node, so %s cannot be named",
				    opts->request.events[0].list,
				    opts->request.sampling.node);
	if (opts->request.calls.in && td_request_is_wide(&opts->request))
		return td_err_usage(err, "--in: calls are of threads: it needs "
					 "a command, -p or -t");
	if (opts->request.calls.in && opts->request.sampling.files.samples)
		return td_err_usage(err, "--samples keeps all samples: --in "
					 "excludes it");
	if (opts->request.calls.slower_ns && !opts->request.calls.in)
		return td_err_usage(err, "--slower is of calls of a function: "
					 "it needs --in");
	if (opts->request.dry_run && !opts->request.nr_events &&
	    !node_is_named(&opts->request))
		return td_err_usage(err,
				    "--dry-run: which node it is, is known "
				    "when it was counted: name one");
	return td_stack_files_check(&opts->request.sampling.files, err);
}

/* clang-format off */
static const struct td_option sampling[] = {
	{ "event", 'e', "LIST",
	  "sample these events, in the syntax of perf record -e, for no node",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "in", 0, "FUNCTION[@FILE]", "only samples within calls of a function",
	  TD_OPTION_TEXT, offsetof(struct td_opts, request.calls.in) },
	{ "slower", 0, "TIME",
	  "with --in: only calls that took so long: 500us, 2ms, 1s",
	  TD_OPTION_FUNCTION, .set = set_slower },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "samples", 0, "FILE",
	  "keep every sample, too, for tdstat report --locate",
	  TD_OPTION_FILE, offsetof(struct td_opts, request.sampling.files.samples) },
	{ "callers", 0, NULL,
	  "from where each function was called, by frame pointers",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.sampling.callers) },
	{ "all", 0, NULL, "show all functions, also those with small shares",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.all_nodes) },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  TD_OPTION_FUNCTION, .set = td_value_no_big_num },
	{ "verbose", 'v', NULL,
	  "show source lines and what is opened, too",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_sampling = { TD_SECTION_WHAT,
						       sampling };
static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,  &td_group_tasks,  &td_group_cores,   &td_group_files,
	&group_sampling, &td_group_rate,   &td_group_timeout, &td_group_require,
	&group_showing,  &td_group_stacks, &td_group_formats, &td_group_output,
	&td_group_head,  &td_group_stream, &td_group_dry_run, NULL,
};

const struct td_command td_command_locate = {
	.name = "locate",
	.line = "show which functions lose slots to a node of the tree",
	.args = "[NODE|auto] [--] [COMMAND [ARG...]]",
	.doc = "Samples the event that the processor's files name for a node "
	       "of the tree, and shows the functions in which it happens.  "
	       "Without a node, or with auto, the tree is counted first, by a "
	       "run of its own, and the node that matters most is taken.",
	.what = "What to sample:",
	.examples = "  tdstat locate -- ./program\n"
		    "  tdstat locate tma_dram_bound -v -- ./program\n"
		    "  tdstat locate tma_lock_latency -p 1234 --timeout 10s",
	.groups = groups,
	.does = { .samples = true, .always = true },
	.word = take_word,
	.runs = true,
	.check = check,
	.counts = true,
	.run = run,
};
