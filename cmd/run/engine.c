// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/engine.h"

#include <signal.h>

#include "lib/base/util.h"

/* The time between SIGTERM and SIGKILL of --timeout. */
#define GRACE_NS (1000 * TD_NS_A_MS)

int td_engine_start(struct td_engine *engine, char **command,
		    const struct td_inherited *inherited, struct td_err *err)
{
	int rc = command ? td_child_start(&engine->child, command, inherited,
					  err)
			 : 0;

	if (!rc && command)
		engine->waiter.child = engine->child.pidfd;
	return rc;
}

static bool is_alive(const struct td_engine *engine)
{
	return engine->child.pid > 0 && !engine->waiter.child_ended;
}

static void take_signal(struct td_engine *engine,
			const struct td_signal *signal)
{
	engine->signal_ns = signal->time_ns;
	if (is_alive(engine))
		td_child_pass_on(&engine->child, signal);
	if (!is_alive(engine) || engine->child.signal_ns)
		engine->signals++;
}

/* Asks the command to end, and kills it a second later. */
static int end_command(struct td_engine *engine, struct td_err *err)
{
	bool again = engine->timed_out;

	engine->timed_out = true;
	if (!is_alive(engine))
		return 0;
	kill(engine->child.pid, again ? SIGKILL : SIGTERM);
	return again ? 0 : td_waiter_again(&engine->waiter, GRACE_NS, err);
}

static int take_wake(struct td_engine *engine, const struct td_wake *wake,
		     struct td_err *err)
{
	if (wake->what & TD_WAKE_SIGNAL)
		take_signal(engine, &wake->signal);
	/* a terminal tells us alone that it hangs up, if we are the first on it */
	if (wake->what & TD_WAKE_REOPEN && is_alive(engine) &&
	    !wake->signal.from_process)
		td_child_pass_on(&engine->child, &wake->signal);
	return wake->what & TD_WAKE_TIMEOUT ? end_command(engine, err) : 0;
}

/* step: 1 or an error, if what is served has come to its end. */
static bool is_over(const struct td_engine *engine, const struct td_wake *wake,
		    int step)
{
	if (engine->child.pid > 0)
		return engine->waiter.child_ended;
	return step || engine->signals || engine->timed_out ||
	       wake->what & TD_WAKE_TARGETS;
}

int td_engine_run(struct td_engine *engine, td_engine_serve *serve, void *ctx,
		  struct td_err *err)
{
	struct td_wake wake = { 0 };
	struct td_err late = { 0 };
	int rc = 0, step = 0;

	td_signals_over(false);
	do {
		struct td_err *to = rc ? &late : err;

		step = td_waiter_wait(&engine->waiter, &wake, to);
		if (step)
			break;
		step = take_wake(engine, &wake, to);
		if (!step && !rc && serve)
			step = serve(ctx, &wake, err);
		if (step < 0 && !rc)
			rc = step;
	} while (!is_over(engine, &wake, step));
	td_signals_over(true);
	return !rc && step < 0 ? step : rc;
}

int td_engine_reset(struct td_engine *engine, struct td_err *err)
{
	td_child_end(&engine->child);
	engine->child = (struct td_child){ 0 };
	engine->timed_out = false;
	return td_waiter_reset(&engine->waiter, err);
}
