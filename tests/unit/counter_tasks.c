// SPDX-License-Identifier: GPL-2.0-only
/* On the running kernel: threads and processes that come and go. */
#include "lib/counter/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/task_watch.h"
#include "tests/unit/test.h"

/* The name of a tid in "+PID/TID<PARENT -PID/TID PID/TID=NAME". */
struct alias {
	int tid;
	const char *name;
};

static const char *name_of(const struct alias *aliases, int tid)
{
	for (; aliases->name; aliases++) {
		if (aliases->tid == tid)
			return aliases->name;
	}
	return "?";
}

static const char *describe(const struct alias *as, char text[512])
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < seen.nr && at < 400; i++) {
		const struct td_task_event *e = &seen.v[i];
		const char *pid = name_of(as, e->pid);
		const char *tid = name_of(as, e->tid);

		if (e->change == TD_TASK_BEGAN)
			at += (size_t)sprintf(text + at, "+%s/%s<%s ", pid, tid,
					      name_of(as, e->parent));
		else if (e->change == TD_TASK_ENDED)
			at += (size_t)sprintf(text + at, "-%s/%s ", pid, tid);
		else
			at += (size_t)sprintf(text + at, "%s/%s=%s%s", pid, tid, e->name,
					      e->exec ? "! " : " ");
	}
	return text;
}

/* --- one thread, step by step --------------------------------------------- */

struct worker {
	pthread_t thread;
	int tid;
	sem_t go, done;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = gettid();
	sem_post(&worker->done);
	sem_wait(&worker->go);
	prctl(PR_SET_NAME, "fifteen letters");
	sem_post(&worker->done);
	sem_wait(&worker->go);
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Expects one event since then, announced by the descriptor, and no other after it. */
static void expect_one(struct td_task_watch *watch, uint64_t before, const struct alias *as,
		       const char *want)
{
	char text[512];

	seen.nr = 0;
	ok(is_readable(watch, PATIENCE), "poll() returns for %s", want);
	take(watch);
	is_str(describe(as, text), want, "it is %s", want);
	ok(seen.nr && seen.v[0].time_ns >= before && seen.v[0].time_ns < now_ns(),
	   "its time is CLOCK_MONOTONIC's");
	ok(!is_readable(watch, 0), "nothing is left to read");
}

static void check_steps(void)
{
	struct td_task_watch *watch = begin();
	struct alias as[3] = { { getpid(), "me" } };
	uint64_t before = now_ns();
	struct worker worker;

	sem_init(&worker.go, 0, 0);
	sem_init(&worker.done, 0, 0);
	ok(!is_readable(watch, 20), "nothing has happened yet");
	pthread_create(&worker.thread, NULL, work, &worker);
	sem_wait(&worker.done);
	as[1] = (struct alias){ worker.tid, "worker" };
	expect_one(watch, before, as, "+me/worker<me ");
	before = now_ns();
	sem_post(&worker.go);
	sem_wait(&worker.done);
	expect_one(watch, before, as, "me/worker=fifteen letters ");
	before = now_ns();
	sem_post(&worker.go);
	pthread_join(worker.thread, NULL);
	expect_one(watch, before, as, "-me/worker ");
	ok(td_task_watch_lost(watch) == 0, "nothing is lost");
	td_task_watch_close(watch);
}

/* --- what they start ------------------------------------------------------ */

struct family {
	int child, grandchild, thread;
};

static void *note_tid(void *arg)
{
	*(int *)arg = gettid();
	return NULL;
}

static void *exec_true(void *arg)
{
	*(int *)arg = gettid();
	execlp("true", "true", NULL);
	_exit(127);
}

static void thread_then_exec(struct family *family)
{
	pthread_t thread;

	pthread_create(&thread, NULL, note_tid, &family->thread);
	pthread_join(thread, NULL);
	/* pthread_join(3) returns before the thread has ended */
	while (!tgkill(getpid(), family->thread, 0))
		usleep(1000);
	exec_true(&family->grandchild);
}

static void fork_then_exec(struct family *family)
{
	int pid;

	family->child = getpid();
	pid = fork();
	if (!pid)
		thread_then_exec(family);
	waitpid(pid, NULL, 0);
	_exit(0);
}

static void exec_in_thread(struct family *family)
{
	pthread_t thread;

	family->child = getpid();
	pthread_create(&thread, NULL, exec_true, &family->thread);
	pthread_join(thread, NULL);
	_exit(126);
}

static void check_family(const char *name, void (*run)(struct family *), const char *want,
			 size_t nr)
{
	struct family *family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct td_task_watch *watch = begin();
	char text[512];
	int pid = fork();

	if (!pid)
		run(family);
	waitpid(pid, NULL, 0);
	take_all(watch, nr);
	is_str(describe((struct alias[]){ { family->child, "C" },
					  { family->grandchild, "G" },
					  { family->thread, "T" },
					  { getpid(), "me" },
					  { 0, NULL } },
			text),
	       want, "%s", name);
	td_task_watch_close(watch);
	munmap(family, sizeof(*family));
}

/* Each thread starts the next one on another CPU. */
static void *chain(void *arg)
{
	int *left = arg;
	cpu_set_t set;
	pthread_t thread;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpus.v[(size_t)*left % cpus.nr], &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (!(*left)--)
		return NULL;
	pthread_create(&thread, NULL, chain, left);
	pthread_join(thread, NULL);
	return NULL;
}

static void check_chain(void)
{
	struct td_task_watch *watch = begin();
	int left = 20, last = gettid(), nr = 0;
	bool linked = true, ordered = true;
	uint64_t time = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, chain, &left);
	pthread_join(thread, NULL);
	take_all(watch, 42);
	for (size_t i = 0; i < seen.nr; i++) {
		if (seen.v[i].change != TD_TASK_BEGAN)
			continue;
		linked &= seen.v[i].parent == last;
		ordered &= seen.v[i].time_ns > time;
		last = seen.v[i].tid;
		time = seen.v[i].time_ns;
		nr++;
	}
	ok(nr == 21 && seen.nr == 42, "21 threads, one after the other: %d, %zu events", nr,
	   seen.nr);
	ok(linked, "each is started by the one before");
	ok(ordered, "the records of all CPUs are in order of time");
	td_task_watch_close(watch);
}

int main(void)
{
	if (!may_watch())
		return 0;
	check_steps();
	check_family("fork, fork, a thread, exec", fork_then_exec,
		     "+C/C<me +G/G<C +G/T<G -G/T G/G=true! -G/G -C/C ", 7);
	check_family("exec in a thread", exec_in_thread, "+C/C<me +C/T<C -C/C C/C=true! -C/C ", 5);
	check_chain();
	td_ints_free(&cpus);
	return done_testing();
}
