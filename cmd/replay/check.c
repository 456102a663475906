// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/replay/check.h"

#include <errno.h>

#include "lib/count/aggregation.h"

static int check_aggregation(const struct td_recording *rec,
			     enum td_aggregation how, struct td_err *err)
{
	if (rec->info.sums && how == TD_AGGREGATE_CPU && how != rec->info.how)
		return td_err_set(err, -ENODATA,
				  "-A: %s has %s, not single "
				  "CPUs",
				  rec->path,
				  rec->info.how == TD_AGGREGATE_ALL
					  ? "one sum"
					  : "sums of more than one CPU");
	if (td_aggregation_wants_places(how) && !rec->places)
		return td_err_set(err, -ENODATA,
				  "%s does not have the topology of its CPUs",
				  rec->path);
	return 0;
}

static int check_time(const struct td_recording *rec,
		      enum td_time_format format, struct td_err *err)
{
	const char *name = td_time_format_name(format);

	if (!rec->info.interval_ms)
		return td_err_set(
			err, -ENODATA,
			"--time-format %s: %s was recorded without -I", name,
			rec->path);
	if (rec->info.start_ns)
		return 0;
	td_err_set(err, -ENODATA,
		   "--time-format %s: %s does not say when it was started",
		   name, rec->path);
	return td_err_hint(err, "recordings of an older tdstat, and what perf "
				"stat wrote, do not");
}

static int check_perfetto(const struct td_recording *rec, struct td_err *err)
{
	if (rec->info.interval_ms)
		return 0;
	return td_err_set(err, -ENODATA,
			  "--perfetto: %s was recorded without -I", rec->path);
}

int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_opts *opts, struct td_err *err)
{
	int rc = check_aggregation(rec, how, err);

	if (!rc && opts->show.format == TD_FORMAT_PERFETTO)
		rc = check_perfetto(rec, err);
	return rc || !opts->show.time ? rc
				      : check_time(rec, opts->show.time, err);
}

static int check_readings(const struct td_recording *rec,
			  enum td_aggregation how,
			  const struct td_readings *delta, struct td_err *err)
{
	bool tasks = delta->nr && delta->v[0].cpu < 0;

	if (!delta->nr || how == TD_AGGREGATE_ALL)
		return 0;
	if (how == TD_AGGREGATE_REGION)
		return rec->regions.nr
			       ? 0
			       : td_err_set(err, -ENODATA,
					    "--per-region: %s has no regions",
					    rec->path);
	if (how == TD_AGGREGATE_THREAD)
		return tasks && delta->v[0].tid >= 0
			       ? 0
			       : td_err_usage(err,
					      "--per-thread: %s was recorded "
					      "on CPUs, not in threads",
					      rec->path);
	return tasks ? td_err_usage(err,
				    "%s: %s was recorded in tasks, not "
				    "on CPUs",
				    td_aggregation_option(how), rec->path)
		     : 0;
}

int td_recorded_next(struct td_recording *rec, enum td_aggregation how,
		     uint64_t *time_ns, struct td_readings *delta,
		     struct td_err *err)
{
	int rc = td_recording_next(rec, time_ns, delta, err);

	return rc ? rc : check_readings(rec, how, delta, err);
}
