// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor --evidence: what tdstat counts of programs that are known. */
#include "cmd/doctor/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor/evidence_parts.h"
#include "cmd/opts/opts.h"
#include "cmd/out/out.h"
#include "cmd/plan/select.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define FILE_NAME  "tdstat-evidence.jsonl"
#define MOST_BYTES 1000000

/* Five seconds in all, and one for others to compare with. */
#define ALONE_MS 300
#define PEER_MS  500
/* ... and more, if the verdict is not the one that is expected */
#define LONGER_MS 4000

enum {
	LEVEL_1,
	LEVEL_2,
	AUTO,
	LEVEL_6,
	RDPMC,
	READ,
	NR_WAYS,
	PERF = NR_WAYS,
	PERF_2,
	TOPLEV,
	NR_COUNTED
};

static const struct td_way ways[NR_WAYS] = {
	[LEVEL_1] = { .name = "level 1", .ask = { .level = 1 }, .ms = 500 },
	[LEVEL_2] = { .name = "level 2", .ask = { .level = 2 }, .ms = 500 },
	[AUTO] = { .name = "auto",
		   .ask = { .level = TD_MAX_LEVEL, .drill = true },
		   .ms = 1200 },
	[LEVEL_6] = { .name = "level 6",
		      .ask = { .level = TD_MAX_LEVEL },
		      .ms = 1200 },
	[RDPMC] = { .name = "rdpmc",
		    .ask = { .level = 1 },
		    .ms = 400,
		    .regions = true },
	[READ] = { .name = "read",
		   .ask = { .level = 1 },
		   .ms = 400,
		   .regions = true,
		   .by_read = true },
};

struct giving {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_surroundings around;
	cpu_set_t *home;
	const char *name; /* of the file; "-": standard output */
	FILE *fp;
	char *bytes; /* of standard output, which has all at the end */
	size_t nr_bytes;
	FILE *text; /* for people */
	char perf[TD_PEER_VERSION];
	const char *toplev;          /* NULL: there is none */
	size_t nr_counted, nr_agree; /* programs on this kind of core */
	size_t nr_all, nr_wrong;     /* on all */
};

/* --- the option --------------------------------------------------------------- */

#define DEFAULT_MS 1000
#define MOST_MS    3600000

/* NAME[:MS] */
static int parse_program(const struct td_opts *opts,
			 const struct td_known **program, int *ms,
			 struct td_err *err)
{
	td_autofree char *name = strdup(opts->doctor.program);
	char *colon = name ? strchr(name, ':') : NULL;

	if (!name)
		return td_err_nomem(err);
	*ms = DEFAULT_MS;
	if (colon) {
		*colon = '\0';
		if (td_parse_int(colon + 1, 1, MOST_MS, ms))
			/* cppcheck-suppress memleak; name is autofree */
			return td_err_usage(err,
					    "--program %s: no number of ms "
					    "from 1 to %d",
					    opts->doctor.program, MOST_MS);
	}
	*program = td_program_find(name);
	if (*program)
		return 0;
	td_err_usage(err, "--program %s: there is none of this name", name);
	return td_err_hint(err, "streams, chase, mispredict, ports, icache, "
				"divide, sharing, dtlb, stores, locks, "
				"aliasing or spin");
}

int td_evidence_check(const struct td_opts *opts, struct td_err *err)
{
	const struct td_known *unused;
	int ms;

	if (opts->doctor.one_line ||
	    opts->request.show.format == TD_FORMAT_JSON)
		return td_err_usage(err, "%s and %s exclude each other",
				    opts->doctor.evidence ? "--evidence"
							  : "--program",
				    opts->doctor.one_line ? "--ci" : "-j");
	if (opts->nr_patterns > opts->doctor.evidence)
		return td_err_usage(err, "one file is written: '%s'",
				    opts->patterns[opts->nr_patterns - 1]);
	return opts->doctor.program ? parse_program(opts, &unused, &ms, err)
				    : 0;
}

/* --- a program ------------------------------------------------------------------ */

static bool is_in_path(const struct td_focus *focus, const char *name)
{
	for (size_t i = 0; i < focus->nr; i++) {
		if (strcmp(td_node_short_name(focus->nodes[i]), name) == 0)
			return true;
	}
	return false;
}

static enum td_tree_kind kind_of(const struct td_values *values)
{
	if (td_values_find(values, "memory_bound"))
		return TD_TREE_CORE;
	if (td_values_find(values, "resource_bound"))
		return TD_TREE_ATOM;
	if (td_values_find(values, "backend_bound_memory"))
		return TD_TREE_ZEN;
	return TD_TREE_LEVEL_1;
}

/* The deepest node that is known beforehand, and that was looked for. */
static const char *expect(const struct td_known *program,
			  const struct td_values *values)
{
	enum td_tree_kind kind = kind_of(values);

	if (kind == TD_TREE_CORE && program->deep &&
	    td_values_find(values, program->deep))
		return program->deep;
	return program->nodes[kind];
}

/* The verdict is that of the way that looks deepest. */
static void judge(struct td_shown_program *found,
		  const struct td_measured *measured)
{
	if (measured->err.code) {
		found->err = measured->err;
		return;
	}
	found->err = (struct td_err){ 0 };
	found->focus = measured->focus;
	found->expected = expect(found->program, &measured->values);
	found->agrees = is_in_path(&measured->focus, found->expected);
}

/* Of a file of 1 MB.  The verdict needs the course; the others have their errors. */
static size_t room_of(const struct giving *g)
{
	return MOST_BYTES / 3 / TD_NR_PROGRAMS /
	       td_machine_count_kinds(&g->machine);
}

static int count(struct giving *g, const struct td_site *spot,
		 const struct td_shown_program *found, const struct td_way *way,
		 struct td_measured *measured, struct td_err *err)
{
	struct td_way fitting = *way;
	int rc;

	fitting.room = way->ask.drill ? room_of(g) : 0;
	rc = td_measured_make(measured, &g->opts->request, found->program,
			      &fitting, spot, err);
	if (!rc && measured->recording &&
	    (size_t)ftell(g->fp) + strlen(measured->recording) > MOST_BYTES) {
		free(measured->recording);
		measured->recording = NULL;
	}
	if (!rc && td_evidence_put_counts(g->fp, found->program, spot,
					  way->name, measured))
		rc = td_err_nomem(err);
	return rc;
}

/* Nodes far down need more time where there are many. */
static int look_longer(struct giving *g, const struct td_site *spot,
		       struct td_shown_program *found, struct td_err *err)
{
	const struct td_way longer = {
		.name = "longer",
		.ask = { .level = TD_MAX_LEVEL, .drill = true },
		.ms = LONGER_MS,
	};
	struct td_measured measured;
	int rc = count(g, spot, found, &longer, &measured, err);

	if (!rc)
		judge(found, &measured);
	td_measured_free(&measured);
	return rc;
}

/* AMD's files have names without it, and another name for the group. */
static bool has_prefix(const struct td_values *values)
{
	return !values->nr || strncmp(values->v[0].name, "tma_", 4) == 0;
}

/* The names of others, as in the file and in differences. */
#define PERF_NAME   "perf"
#define PERF_2_NAME "perf level 2"
#define TOPLEV_NAME "toplev"

static int ask_perf(struct giving *g, const struct td_site *spot,
		    const struct td_shown_program *found,
		    struct td_measured measured[NR_COUNTED])
{
	bool prefix = has_prefix(&measured[LEVEL_1].values);
	int rc;

	if (!g->perf[0])
		return 0;
	td_peer_perf(&measured[PERF], found->program, PEER_MS, spot,
		     prefix ? "TopdownL1" : "PipelineL1");
	rc = td_evidence_put_counts(g->fp, found->program, spot, PERF_NAME,
				    &measured[PERF]);
	td_peer_perf(&measured[PERF_2], found->program, PEER_MS, spot,
		     prefix ? "TopdownL2" : "PipelineL2");
	return rc ? rc
		  : td_evidence_put_counts(g->fp, found->program, spot,
					   PERF_2_NAME, &measured[PERF_2]);
}

/* Of the threads of a core it would count one. */
static int ask_toplev(struct giving *g, const struct td_site *spot,
		      const struct td_shown_program *found,
		      struct td_measured *measured)
{
	if (!g->toplev || spot->whole_core)
		return 0;
	td_peer_toplev(measured, g->toplev, found->program, PEER_MS);
	return td_evidence_put_counts(g->fp, found->program, spot, TOPLEV_NAME,
				      measured);
}

static void compare(struct td_shown_program *found,
		    const struct td_measured *measured)
{
	struct td_difference *of = found->differences;

	of[0] = td_values_compare(&measured[RDPMC].values,
				  &measured[READ].values, "read");
	of[1] = td_values_compare(&measured[LEVEL_1].values,
				  &measured[PERF].values, PERF_NAME);
	of[2] = td_values_compare(&measured[LEVEL_2].values,
				  &measured[PERF_2].values, PERF_2_NAME);
	of[3] = td_values_compare(&measured[LEVEL_2].values,
				  &measured[TOPLEV].values, TOPLEV_NAME);
	for (size_t i = 0; i < TD_NR_DIFFERENCES; i++)
		found->far |= td_difference_is_far(&of[i]);
}

static int measure(struct giving *g, const struct td_site *spot,
		   struct td_shown_program *found, struct td_err *err)
{
	struct td_measured measured[NR_COUNTED] = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < NR_WAYS; i++)
		rc = count(g, spot, found, &ways[i], &measured[i], err);
	if (!rc)
		judge(found, &measured[AUTO]);
	if (!rc && !found->err.code && !found->agrees)
		rc = look_longer(g, spot, found, err);
	if (!rc && (ask_perf(g, spot, found, measured) ||
		    ask_toplev(g, spot, found, &measured[TOPLEV])))
		rc = td_err_nomem(err);
	compare(found, measured);
	for (size_t i = 0; i < NR_COUNTED; i++)
		td_measured_free(&measured[i]);
	return rc;
}

/* --- what is shown ---------------------------------------------------------------- */

#define STATE_WIDTH 9
#define NAME_WIDTH  12

/* "24.1 ns a load (72.3 cycles)" */
static void put_time(FILE *fp, const struct td_shown_program *found)
{
	const struct td_program_took *took = &found->took;

	fprintf(fp, "%.1f ns, %.1f cycles per %s", took->ns,
		took->ns * took->ghz, found->program->unit);
	if (!td_program_in_range(found->program, took))
		fprintf(fp, ", and theory gives %g to %g %s",
			found->program->least, found->program->most,
			found->program->in_cycles ? "cycles" : "ns");
}

static void put_verdict(FILE *fp, const struct td_shown_program *found)
{
	if (found->err.code) {
		fprintf(fp, "; %s", found->err.msg);
		return;
	}
	fputs("; ", fp);
	if (!found->focus.nr)
		fprintf(fp, "no verdict: %s", td_focus_why(&found->focus));
	for (size_t i = 0; i < found->focus.nr; i++)
		fprintf(fp, "%s%s", i ? " of " : "",
			td_node_short_name(found->focus.nodes[i]));
	fprintf(fp, "; %s expected: %s", found->expected, found->program->why);
	for (size_t i = 0; i < TD_NR_DIFFERENCES; i++) {
		const struct td_difference *of = &found->differences[i];

		if (td_difference_is_far(of))
			fprintf(fp, "; %s is %.1f points %s than with %s",
				of->name, fabs(of->points),
				of->points < 0 ? "less" : "more", of->than);
	}
}

static const char *state_of(const struct td_shown_program *found)
{
	if (found->far)
		return "differs";
	if (found->err.code || !found->focus.nr)
		return "none";
	return found->agrees ? "ok" : "differs";
}

static int show_program(const struct giving *g,
			const struct td_shown_program *found,
			struct td_err *err)
{
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return td_err_nomem(err);
	put_time(fp, found);
	put_verdict(fp, found);
	if (td_text_close(fp, &text))
		return td_err_nomem(err);
	fprintf(g->text, "%-*s%-*s", STATE_WIDTH, state_of(found), NAME_WIDTH,
		found->program->name);
	td_put_wrapped(g->text, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH, text);
	return td_out_check(
		g->text,
		g->text == stdout ? "standard output" : "standard error", err);
}

/* --- a kind of core --------------------------------------------------------------- */

static int give_program(struct giving *g, const struct td_known *program,
			const struct td_site *spot, struct td_err *err)
{
	struct td_shown_program found = { .program = program };
	int rc = td_stay_on_kind(spot->pmu, g->home, err);

	if (rc)
		return rc;
	td_err_set(&found.err, -ENODATA, "not counted");
	if (td_program_run(program, ALONE_MS * TD_NS_A_MS, &found.took,
			   &found.err) == 0) {
		rc = td_stay_on_kind(spot->pmu, g->home, err);
		if (!rc)
			rc = measure(g, spot, &found, err);
	}
	if (!rc && td_evidence_put_program(g->fp, spot, &found))
		rc = td_err_nomem(err);
	if (!rc)
		rc = td_out_check(g->fp, g->name, err);
	g->nr_counted += !found.err.code;
	g->nr_agree += !found.err.code && found.agrees;
	g->nr_wrong += !found.err.code && (!found.agrees || found.far);
	return rc || g->opts->request.show.quiet ? rc
						 : show_program(g, &found, err);
}

/* Can threads be counted, or their CPUs only? */
static bool needs_whole_core(const struct td_opts *opts, const char *pmu)
{
	struct td_err why = { 0 };

	td_levels_plan_task(&opts->request, pmu, &why);
	return why.code == -ENOTSUP;
}

static int give_kind(struct giving *g, const struct td_pmu *pmu,
		     struct td_err *err)
{
	struct td_site spot = { .pmu = pmu,
				.cpu = td_cpus_choose(pmu, g->home) };
	const struct td_known *only = NULL;
	int unused, rc = 0;

	if (spot.cpu < 0)
		return 0;
	spot.whole_core = needs_whole_core(g->opts, pmu->name);
	g->nr_counted = g->nr_agree = 0;
	if (g->opts->doctor.program)
		rc = parse_program(g->opts, &only, &unused, err);
	if (!g->opts->request.show.quiet)
		fprintf(g->text, "%s, CPU %d, %s\n", pmu->name, spot.cpu,
			td_uarch_name(pmu->uarch));
	for (size_t i = 0; !rc && i < TD_NR_PROGRAMS; i++) {
		if (!only || only == &td_programs[i])
			rc = give_program(g, &td_programs[i], &spot, err);
	}
	if (!g->opts->request.show.quiet)
		fprintf(g->text, "%zu of %zu as expected on %s\n\n",
			g->nr_agree, only ? (size_t)1 : (size_t)TD_NR_PROGRAMS,
			pmu->name);
	g->nr_all += g->nr_counted;
	return rc;
}

/* --- all ---------------------------------------------------------------------------- */

static int open_file(struct giving *g, struct td_err *err)
{
	g->text = stdout;
	if (strcmp(g->name, "-") != 0) {
		g->fp = td_out_open(g->name, false, err);
		if (!g->fp)
			return err->code;
		td_out_empty(g->fp);
		return 0;
	}
	g->text = stderr;
	g->fp = open_memstream(&g->bytes, &g->nr_bytes);
	return g->fp ? 0 : td_err_nomem(err);
}

static int open_giving(struct giving *g, struct td_err *err)
{
	int rc = td_select_machine(&g->fs, &g->machine, &g->opts->request, err);

	if (!rc)
		rc = td_surroundings_read(&g->around, &g->fs, &g->machine, err);
	if (!rc && !g->machine.nr_core)
		rc = td_err_set(err, -ENODEV,
				"no core PMU: tdstat doctor says "
				"why nothing can be counted");
	g->home = td_cpus_home();
	if (!rc && !g->home)
		rc = td_err_nomem(err);
	if (rc)
		return rc;
	if (open_file(g, err))
		return err->code;
	td_peer_perf_version(g->perf);
	g->toplev = td_peer_toplev_find();
	return td_evidence_put_machine(g->fp, &g->fs, &g->machine, &g->around,
				       g->perf)
		       ? td_err_nomem(err)
		       : 0;
}

static void close_giving(struct giving *g)
{
	if (g->fp)
		fclose(g->fp);
	free(g->bytes);
	if (g->home)
		td_cpus_go_home(g->home);
	CPU_FREE(g->home);
	td_surroundings_free(&g->around);
	td_machine_free(&g->machine);
	td_sysfs_close(&g->fs);
}

int td_evidence_give(const struct td_opts *opts, int *status,
		     struct td_err *err)
{
	struct giving g = {
		.opts = opts,
		.fs = { .sys = -1, .proc = -1 },
		.name = opts->nr_patterns ? opts->patterns[0] : FILE_NAME,
	};
	int rc = open_giving(&g, err);

	for (size_t i = 0; !rc && i < g.machine.nr_core; i++) {
		if (!g.machine.pmus[i].skip && g.machine.pmus[i].cpus.nr)
			rc = give_kind(&g, &g.machine.pmus[i], err);
	}
	if (!rc && g.text == stderr)
		rc = td_out_put(stdout, "standard output", g.bytes, g.nr_bytes,
				err);
	else if (!rc && !opts->request.show.quiet)
		printf("%s has it all: please attach it to an issue where you "
		       "got tdstat from\n",
		       g.name);
	*status = rc || g.nr_wrong || !g.nr_all;
	close_giving(&g);
	return rc;
}

int td_evidence_run(const struct td_opts *opts, struct td_err *err)
{
	const struct td_known *program;
	struct td_program_took took;
	int ms, rc = parse_program(opts, &program, &ms, err);

	if (!rc)
		rc = td_program_run(program, (uint64_t)ms * TD_NS_A_MS, &took,
				    err);
	if (rc || opts->request.show.quiet)
		return rc;
	printf("%s: %.2f ns per %s, %.1f cycles at %.2f GHz, and theory "
	       "gives %g to %g %s%s\n",
	       program->name, took.ns, program->unit, took.ns * took.ghz,
	       took.ghz, program->least, program->most,
	       program->in_cycles ? "cycles" : "ns",
	       td_program_in_range(program, &took) ? "" : ": it differs");
	return td_out_check(stdout, "standard output", err);
}
