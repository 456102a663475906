// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: regions WHAT [CALLS [MICROSECONDS [THREADS]]]
 *
 * Regions with scenarios of the emulated machine, for regions.bats.  A call of "outer" contains CALLS calls of "dram" and of "icache",
 * which last MICROSECONDS each.  WHAT selects the rest, see the table at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/region/tdstat.h"
#include "tests/machine/scenario.h"

#define MAX_THREADS 64

static unsigned int calls = 1000, microseconds = 50, nr_threads = 1;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static _Thread_local volatile unsigned int sum;

/* Returns how long it took, in ns. */
static uint64_t work_for(unsigned int us)
{
	uint64_t start = now_ns(), end = start + us * UINT64_C(1000), now;

	do {
		for (unsigned int i = 0; i < 100; i++)
			sum += i;
		now = now_ns();
	} while (now < end);
	return now - start;
}

static void work(void)
{
	work_for(microseconds);
}

/* Choosing takes a few microseconds, so it is not done for each call. */
#define CALLS_OF_A_CHOICE 16

static void do_block(const char *name, const char *scenario, unsigned int nr)
{
	choose(scenario);
	for (unsigned int i = 0; i < nr; i++) {
		td_begin(name);
		work();
		td_end(name);
	}
}

/* calls of each */
static void do_both(void)
{
	for (unsigned int i = 0; i < calls; i += CALLS_OF_A_CHOICE) {
		unsigned int left = calls - i;
		unsigned int nr = left < CALLS_OF_A_CHOICE ? left : CALLS_OF_A_CHOICE;

		do_block("dram", "dram_latency", nr);
		do_block("icache", "icache", nr);
	}
	choose(NULL);
}

static void do_calls(void)
{
	td_begin("outer");
	do_both();
	td_end("outer");
}

/* --- the kinds of work ------------------------------------------------------- */

static void *run_thread(void *arg)
{
	(void)arg;
	do_calls();
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[MAX_THREADS];

	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

static void move_to(unsigned int nr)
{
	unsigned int nr_cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(nr % nr_cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *run_moving(void *arg)
{
	unsigned int at = (unsigned int)(uintptr_t)arg;

	for (unsigned int i = 0; i < calls; i += CALLS_OF_A_CHOICE) {
		move_to(at++);
		do_block("dram", "dram_latency", CALLS_OF_A_CHOICE);
		move_to(at++);
		do_block("icache", "icache", CALLS_OF_A_CHOICE);
	}
	return NULL;
}

/* Each thread goes round all CPUs. */
static void run_moving_threads(void)
{
	pthread_t threads[MAX_THREADS];

	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, run_moving, (void *)(uintptr_t)i);
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

/* The child is forked within a region of the parent. */
static void run_fork(void)
{
	pid_t pid;

	td_begin("parent");
	pid = fork();
	if (pid == 0) {
		do_calls();
		td_end("parent");
		exit(0);
	}
	waitpid(pid, NULL, 0);
	td_end("parent");
}

/*
 * Run each region in a separate process, in whose scenario it measures the cost of counting: the
 * library's code is in the scenario of the code around it.
 */
static void run_apart(void)
{
	const char *const of[][2] = { { "dram", "dram_latency" }, { "icache", "icache" } };

	for (size_t i = 0; i < 2; i++) {
		if (fork() == 0) {
			do_block(of[i][0], of[i][1], calls);
			exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void run_exec(void)
{
	char number[16], length[16];

	do_calls();
	snprintf(number, sizeof(number), "%u", calls);
	snprintf(length, sizeof(length), "%u", microseconds);
	execl("/proc/self/exe", "regions", "calls", number, length, NULL);
	perror("exec");
}

static void run_exit(void)
{
	do_calls();
	td_begin("never");
	_exit(7);
}

static void run_kill(void)
{
	do_calls();
	td_begin("never");
	kill(getpid(), SIGKILL);
}

static void run_return(void)
{
	td_begin("main");
	do_calls();
	exit(3);
}

/* Closes what it does not know, as daemons do; its own files are not to be touched. */
static void run_close(void)
{
	char name[] = "later0";
	int fd;

	do_both();
	close_range(3, ~0U, 0);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (int i = 4; i < 8192; i++)
		dup2(fd, i);
	do_both();
	for (; name[5] <= 'z'; name[5]++) {
		td_begin(name);
		td_end(name);
	}
	if (fd < 0 || lseek(fd, 0, SEEK_CUR) != 0)
		exit(9);
}

static void recur(unsigned int depth)
{
	td_begin("recur");
	work();
	if (depth > 1)
		recur(depth - 1);
	td_end("recur");
}

static void run_recursion(void)
{
	for (unsigned int i = 0; i < calls; i++)
		recur(4);
}

static void run_faults(void)
{
	td_end("nothing");
	td_begin("forgotten");
	for (int i = 0; i < 70; i++)
		td_begin("deep");
	for (int i = 0; i < 70; i++)
		td_end("deep");
	td_begin("outer");
	td_begin("inner");
	td_end("outer");
}

/* The slow calls of "mixed" and "asleep" take this many times as long as the others. */
#define TIMES_AS_LONG 8

/* Calls that took at least that long, for whatever reason. */
static struct {
	unsigned int calls;
	uint64_t ns;
} fast, slow;
static uint64_t slept_ns;

/* Print the number of each kind, and the time asleep, by the program's own clock. */
static void print_both(void)
{
	printf("fast %u %.9f\nslow %u %.9f\nslept %.9f\n", fast.calls, (double)fast.ns / 1e9,
	       slow.calls, (double)slow.ns / 1e9, (double)slept_ns / 1e9);
}

/* With 490 us, by the bounds of a bucket: 409.6 and 614.4 us, or 8 times that. */
static bool is_near(uint64_t ns, unsigned int us)
{
	return ns >= us * UINT64_C(836) && ns < us * UINT64_C(1254);
}

static void call_one(uint64_t (*call)(void))
{
	uint64_t ns;

	td_begin("one");
	ns = call();
	td_end("one");
	if (is_near(ns, microseconds)) {
		fast.calls++;
		fast.ns += ns;
	}
	if (is_near(ns, TIMES_AS_LONG * microseconds)) {
		slow.calls++;
		slow.ns += ns;
	}
}

static uint64_t do_fast(void)
{
	return work_for(microseconds);
}

/* One in 4 calls is slow, and is in a scenario of its own. */
static void do_mixed(uint64_t (*slow_call)(void), const char *scenario)
{
	for (unsigned int i = 0; i < calls; i++) {
		if (i % 4 == 1)
			choose("icache");
		if (i % 4 == 0)
			choose(scenario);
		call_one(i % 4 ? do_fast : slow_call);
	}
	choose(NULL);
	print_both();
}

static uint64_t do_slow(void)
{
	return work_for(TIMES_AS_LONG * microseconds);
}

static void run_mixed(void)
{
	do_mixed(do_slow, "dram_latency");
}

/* As long, but mostly without a CPU. */
static uint64_t do_asleep(void)
{
	struct timespec pause = { 0, (TIMES_AS_LONG - 1) * microseconds * INT64_C(1000) };
	uint64_t ns = work_for(microseconds / 2), start = now_ns(), slept;

	nanosleep(&pause, NULL);
	slept = now_ns() - start;
	slept_ns += slept;
	return ns + slept + work_for(microseconds / 2);
}

static void run_asleep(void)
{
	do_mixed(do_asleep, "icache");
}

static const char *const pmus[TD_NR_CORES] = { "cpu_core", "cpu_atom", "cpu_lowpower" };

/* As tdstat -j has it. */
static void print_value(const char *name, const char *pmu, const char *metric, double value,
			double error)
{
	printf("{\"id\":\"%s\",\"pmu\":\"%s\",\"metric\":\"%s\"", name, pmu, metric);
	if (value == value)
		printf(",\"value\":%.6f,\"error\":%.6f}\n", value, error);
	else
		puts(",\"value\":null,\"error\":null}");
}

static void print_interval(const char *name, const struct td_interval *i)
{
	double error = 100 * i->rounding / i->slots;
	const char *pmu = pmus[TD_CORE];

	for (int core = 0; core < TD_NR_CORES; core++) {
		if (i->slots_of[core] > i->slots / 2)
			pmu = pmus[core];
	}
	print_value(name, pmu, "tma_retiring", 100 * i->retiring / i->slots, error);
	print_value(name, pmu, "tma_bad_speculation", 100 * i->bad_speculation / i->slots, error);
	print_value(name, pmu, "tma_frontend_bound", 100 * i->frontend_bound / i->slots, error);
	print_value(name, pmu, "tma_backend_bound", 100 * i->backend_bound / i->slots, error);
	printf("{\"id\":\"%s\",\"ns\":%.0f", name, i->time_ns);
	if (i->slots > 0)
		printf(",\"slots\":%.0f", i->slots);
	if (i->slots_of[TD_CORE_ATOM] >= 0)
		printf(",\"atom\":%.0f", i->slots_of[TD_CORE_ATOM]);
	if (i->cycles > 0 && i->instructions > 0)
		printf(",\"ipc\":%.3f", i->instructions / i->cycles);
	puts("}");
}

static void add_interval(struct td_interval *total, const struct td_interval *i)
{
	total->slots += i->slots;
	total->retiring += i->retiring;
	total->bad_speculation += i->bad_speculation;
	total->frontend_bound += i->frontend_bound;
	total->backend_bound += i->backend_bound;
	total->rounding = i->rounding;
	total->cycles += i->cycles;
	total->instructions += i->instructions;
	total->time_ns += i->time_ns;
	for (int core = 0; core < TD_NR_CORES; core++)
		total->slots_of[core] += i->slots_of[core];
}

/* The sum of all that were counted; of the first one there is nothing yet. */
static void read_calls(const char *name, const char *scenario)
{
	struct td_interval interval = { 0 }, total = { 0 };
	unsigned int lost = 0, still = 0;
	int rc;

	choose(scenario);
	rc = td_read(&interval);
	for (unsigned int i = 0; i < calls; i++) {
		work();
		rc = td_read(&interval);
		if (rc)
			lost++;
		else
			add_interval(&total, &interval);
		still += !rc && interval.cycles == 0;
	}
	if (lost)
		printf("{\"id\":\"%s\",\"lost\":%u,\"why\":\"%s\"}\n", name, lost, strerror(-rc));
	if (still)
		printf("{\"id\":\"%s\",\"still\":%u}\n", name, still);
	flockfile(stdout);
	if (lost < calls)
		print_interval(name, &total);
	funlockfile(stdout);
}

static void run_read(void)
{
	read_calls("dram", "dram_latency");
	read_calls("icache", "icache");
	choose(NULL);
}

static void *read_in_thread(void *arg)
{
	(void)arg;
	read_calls("dram", "dram_latency");
	return NULL;
}

static void run_readers(void)
{
	pthread_t threads[MAX_THREADS];

	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, read_in_thread, NULL);
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

/* Half of the time on each core type: the first CPU, and the last one. */
static void run_read_moving(void)
{
	struct td_interval interval = { 0 };

	choose("dram_latency");
	move_to(0);
	td_read(&interval);
	work();
	move_to((unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	work();
	if (td_read(&interval) == 0)
		print_interval("both", &interval);
}

/* In a child, and in an interval that another thread has begun. */
static void run_read_fork(void)
{
	struct td_interval interval = { 0 };

	td_read(&interval);
	if (fork() == 0) {
		choose("icache");
		if (td_read(&interval) != 0 || interval.slots == interval.slots)
			exit(1);
		work();
		if (td_read(&interval) == 0)
			print_interval("child", &interval);
		exit(0);
	}
	choose("dram_latency");
	work();
	if (td_read(&interval) == 0)
		print_interval("parent", &interval);
	wait(NULL);
}

/* Print the cost of a call. */
static void run_read_empty(void)
{
	struct td_interval interval = { 0 };
	uint64_t start;

	if (td_read(&interval) != 0)
		return;
	start = now_ns();
	for (unsigned int i = 0; i < calls; i++)
		td_read(&interval);
	printf("%.1f\n", (double)(now_ns() - start) / calls);
}

/* Print the cost of a pair. */
static void run_empty(void)
{
	uint64_t start = now_ns();

	for (unsigned int i = 0; i < calls; i++) {
		td_begin("empty");
		td_end("empty");
	}
	printf("%.1f\n", (double)(now_ns() - start) / calls);
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {
	{ "calls", do_calls },
	{ "threads", run_threads },
	{ "moving", run_moving_threads },
	{ "fork", run_fork },
	{ "apart", run_apart },
	{ "exec", run_exec },
	{ "exit", run_exit },
	{ "close", run_close },
	{ "kill", run_kill },
	{ "return", run_return },
	{ "recursion", run_recursion },
	{ "faults", run_faults },
	{ "mixed", run_mixed },
	{ "asleep", run_asleep },
	{ "empty", run_empty },
	{ "read", run_read },
	{ "readers", run_readers },
	{ "read-moving", run_read_moving },
	{ "read-fork", run_read_fork },
	{ "read-empty", run_read_empty },
};

static void set(unsigned int *number, int argc, char **argv, int i)
{
	if (i < argc)
		*number = (unsigned int)strtoul(argv[i], NULL, 10);
}

int main(int argc, char **argv)
{
	set(&calls, argc, argv, 2);
	set(&microseconds, argc, argv, 3);
	set(&nr_threads, argc, argv, 4);
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(argv[1], table[i].name) == 0 && nr_threads <= MAX_THREADS) {
			table[i].run();
			return 0;
		}
	}
	fputs("usage: regions WHAT [CALLS [MICROSECONDS [THREADS]]]\n", stderr);
	return 2;
}
