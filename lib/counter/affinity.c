// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves a thread from CPU to CPU.  Where a real-time task runs, the thread gets no time and cannot
 * leave either, so a second one, the watch, moves it away.
 */
#include "lib/counter/affinity.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"

/* A visitor that gets no time for this long is moved away: half as long after each such visit. */
#define PATIENCE_NS (200 * TD_NS_A_MS)
#define MAX_MISSES  4

enum {
	AT_HOME,
	VISITING,
	BEING_MOVED
};

static struct {
	atomic_int state;
	atomic_bool ends; /* the watch has to end */
	bool has_begun;
	int timer; /* wakes the watch twice in the time limit; -1: there is no watch */
	pthread_t watch;
	pid_t visitor;
	clockid_t clock;             /* CPU time of the visitor */
	uint8_t misses[CPU_SETSIZE]; /* visits that failed, since the last one that did not */
} visit = { .timer = -1 };

static bool change_state(int from, int to)
{
	return atomic_compare_exchange_strong(&visit.state, &from, to);
}

/* Moves the visitor to the CPU of the watch, which evidently gets time there. */
static void move_away(void)
{
	int cpu = sched_getcpu();
	cpu_set_t here;

	if (cpu < 0 || cpu >= CPU_SETSIZE || !change_state(VISITING, BEING_MOVED))
		return;
	CPU_ZERO(&here);
	CPU_SET((size_t)cpu, &here);
	sched_setaffinity(visit.visitor, sizeof(here), &here);
	atomic_store(&visit.state, VISITING);
}

static void *watch(void *unused)
{
	struct timespec before = { 0 }, now;
	uint64_t nr;

	while (read(visit.timer, &nr, sizeof(nr)) == sizeof(nr) && !visit.ends &&
	       clock_gettime(visit.clock, &now) == 0) {
		if (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec)
			move_away();
		before = now;
	}
	return unused;
}

/* Without a watch, which the system may refuse, visits have no time limit. */
static void begin_watch(void)
{
	sigset_t all, before;

	visit.has_begun = true;
	visit.visitor = gettid();
	if (pthread_getcpuclockid(pthread_self(), &visit.clock))
		return;
	visit.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (visit.timer < 0)
		return;
	/* signals are the visitor's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&visit.watch, NULL, watch, NULL))
		td_close_fd(&visit.timer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void set_timer(uint64_t ns)
{
	const struct timespec time = { 0, (long)ns };
	const struct itimerspec spec = { time, time };

	if (visit.timer >= 0)
		timerfd_settime(visit.timer, 0, &spec, NULL);
}

struct td_affinity td_affinity_now(void)
{
	struct td_affinity now = { .returns_to = 1 + sched_getcpu() };

	/* a visitor has saved them */
	now.is_known = visit.state == AT_HOME && !sched_getaffinity(0, sizeof(now.cpus), &now.cpus);
	return now;
}

bool td_go_to_cpu(int cpu)
{
	cpu_set_t there;
	bool is_there;

	/* with more CPUs than the set can contain, td_affinity_restore() could not restore them */
	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(there), &there))
		return false;
	if (!visit.has_begun)
		begin_watch();
	set_timer(PATIENCE_NS / 2 >> visit.misses[cpu]);
	/* the watch may be moving this thread, from the CPU before */
	while (!change_state(AT_HOME, VISITING) && !change_state(VISITING, VISITING))
		sched_yield();
	CPU_ZERO(&there);
	CPU_SET((size_t)cpu, &there);
	sched_setaffinity(0, sizeof(there), &there);
	is_there = sched_getcpu() == cpu;
	if (is_there)
		visit.misses[cpu] = 0;
	else if (visit.misses[cpu] < MAX_MISSES)
		visit.misses[cpu]++;
	return is_there;
}

void td_affinity_restore(const struct td_affinity *before)
{
	cpu_set_t all, online;

	if (!before->is_known || visit.state == AT_HOME)
		return;
	if (before->returns_to)
		td_go_to_cpu(before->returns_to - 1);
	sched_setaffinity(0, sizeof(before->cpus), &before->cpus);
	while (!change_state(VISITING, AT_HOME))
		sched_yield();
	set_timer(0);
	/* the watch may have moved this thread in the meantime */
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	if (sched_getaffinity(0, sizeof(online), &online) || !CPU_EQUAL(&online, &before->cpus))
		sched_setaffinity(0, sizeof(before->cpus), &before->cpus);
}

void td_affinity_end(void)
{
	if (visit.timer >= 0) {
		visit.ends = true;
		set_timer(1);
		pthread_join(visit.watch, NULL);
		td_close_fd(&visit.timer);
	}
	visit.has_begun = false;
	visit.ends = false;
}
