// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: how long the calls of a function took, and why the slow ones did. */
#include <json-c/json.h>
#include <math.h>

#include "cmd/out/out.h"
#include "lib/base/json_put.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"

static void put_number(struct json_object *to, const char *key, double value)
{
	td_json_add(to, key, isnan(value) ? NULL : td_out_json_number(value));
}

static void put_ns(struct json_object *to, const char *key, double ns)
{
	put_number(to, key, ns / 1e9);
}

static struct json_object *cause_object(const struct td_slow_cause *cause)
{
	static const char *const kinds[] = {
		[TD_SLOW_WAITED] = "waited",
		[TD_SLOW_PREEMPTED] = "preempted",
		[TD_SLOW_OFF] = "not running",
		[TD_SLOW_INTERRUPT] = "interrupts",
		[TD_SLOW_CORE] = "other core",
		[TD_SLOW_NODE] = "node",
		[TD_SLOW_CLOCK] = "clock",
		[TD_SLOW_REST] = "rest",
	};
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "cause", kinds[cause->kind]);
	td_json_add(o, "node",
		    cause->node ? json_object_new_string(cause->node) : NULL);
	put_number(o, "share", cause->share_pct);
	put_number(o, "error", cause->error_pct);
	td_json_add(o, "clear",
		    json_object_new_boolean(td_slow_is_clear(cause)));
	return o;
}

static struct json_object *slow_object(const struct td_slow *slow)
{
	struct json_object *o = json_object_new_object();
	struct json_object *causes = json_object_new_array();

	put_ns(o, "from", (double)td_region_bucket_ns(slow->slow->bucket));
	put_number(o, "calls", slow->calls_pct);
	put_number(o, "time", slow->time_pct);
	put_ns(o, "longer", slow->extra_ns);
	for (size_t i = 0; i < slow->nr; i++)
		td_json_append(causes, cause_object(&slow->causes[i]));
	td_json_add(o, "causes", causes);
	return o;
}

static struct json_object *call_object(const struct td_slow_call *call)
{
	struct json_object *o = json_object_new_object();

	td_json_put_seconds(o, "seconds", call->time_ns);
	td_json_put_seconds(o, "start", call->start_ns);
	td_json_put_int(o, "tid", call->tid);
	td_json_put_int(o, "cpu", call->cpu);
	return o;
}

static void put_quantiles(struct json_object *o,
			  const struct td_durations *durations)
{
	put_ns(o, "p50", td_durations_quantile(durations, 0.5));
	put_ns(o, "p90", td_durations_quantile(durations, 0.9));
	put_ns(o, "p99", td_durations_quantile(durations, 0.99));
	put_ns(o, "p99_9", td_durations_quantile(durations, 0.999));
	put_ns(o, "max", durations->nr ? (double)durations->max_ns : NAN);
}

void td_out_json_durations(struct td_writer *writer,
			   const struct td_timed *timed,
			   const struct td_slow *slow)
{
	struct json_object *line = td_json_line();
	struct json_object *o = json_object_new_object();
	struct json_object *slowest = json_object_new_array();
	uint64_t nr = timed->durations.nr;

	td_json_put_string(o, "function", timed->name);
	td_json_add(o, "engine",
		    timed->engine ? json_object_new_string(
					    td_timed_engine(timed->engine))
				  : NULL);
	td_json_put_int(o, "calls", (int64_t)nr);
	if (timed->counting_ns)
		td_json_add(o, "all", NULL);
	else
		td_json_put_int(o, "all",
				(int64_t)(timed->all ? timed->all : nr));
	put_number(o, "traced", td_timed_traced_pct(timed));
	put_quantiles(o, &timed->durations);
	td_json_add(o, "slow", slow->slow ? slow_object(slow) : NULL);
	for (size_t i = 0; i < timed->nr_slowest; i++)
		td_json_append(slowest, call_object(&timed->slowest[i]));
	td_json_add(o, "slowest", slowest);
	td_json_add(line, "durations", o);
	td_out_json_line(writer, line);
}
