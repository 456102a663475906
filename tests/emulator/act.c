// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: act [-n THREADS] [-c CPU,...] [-r TIMES] [-w FILE]
 *            TIME:SCENARIO[,SCENARIO]... [-- COMMAND [ARGUMENT]...]
 *        act -u SCENARIO
 *        act -s | -i
 *
 * Runs scenarios of the emulated machine's truth file one after the other, each
 * for its time ("2s", "300ms" of the clock on the wall), in every thread.  Of a
 * list, the first thread runs the first, and so on, the rest the last.  Each
 * is worked off in a function of its own, scenario_NAME, where samples find it.
 * "usual" is what the machine counts where nobody chose; "inherited" is what this
 * program inherited, for so much CPU time.  With -c each thread is on one CPU of the
 * list, likewise, and called "on" and its number.  With -w all end once there is a file.  A
 * command at the end takes this program's place and inherits the last scenario.  -u
 * makes a scenario the usual one of each CPU, idle ones too.
 * -r runs all of it so many times, by the clock: what is late ends no later, so that
 * the period of it all is that of its times.
 * -s prints what happened since it was last called (README.md, The truth of a run),
 * -i how long each CPU, its core and its package have slept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LEAF = 0x54444d43,
	FORGET = 0,
	BY_HASH = 3,
	USUAL_BY_HASH = 4,
	TELL_SUMS = 5,
	TELL_IDLE = 6,
	WORK_FOR = 7,
}; /* qemu/threads.c */

/* The thread's CPU time, or the time on the wall. */
static _Thread_local clockid_t clock_id = CLOCK_MONOTONIC;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(clock_id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static const char *last_file;

static bool is_over(void)
{
	return last_file && access(last_file, F_OK) == 0;
}

/* Some of the time until then passes, in which the CPU works; the host need not. */
static void work_until(uint64_t end)
{
	uint64_t now = now_ns(), left = end > now ? end - now : 0;
	uint32_t a = LEAF, c = WORK_FOR, d;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(left), "+c"(c), "=d"(d));
}

/* Each has a variable of its own, or the compiler would make them one function. */
#define SCENARIO(name)                                               \
	void scenario_##name(uint64_t end);                          \
	__attribute__((noinline)) void scenario_##name(uint64_t end) \
	{                                                            \
		static volatile uint64_t work;                       \
                                                                     \
		do {                                                 \
			work_until(end);                             \
			for (unsigned int i = 0; i < 2000; i++)      \
				work += i;                           \
		} while (now_ns() < end && !is_over());              \
	}

SCENARIO(usual)
SCENARIO(balanced)
SCENARIO(dram_latency)
SCENARIO(dram_bandwidth)
SCENARIO(l2_bound)
SCENARIO(store_bound)
SCENARIO(icache)
SCENARIO(decode)
SCENARIO(mispredict)
SCENARIO(divider)
SCENARIO(ports)
SCENARIO(retiring_vector)
SCENARIO(page_walks)
SCENARIO(other)

static const struct {
	const char *name;
	void (*run)(uint64_t end);
} functions[] = {
	{ "usual", scenario_usual },
	{ "balanced", scenario_balanced },
	{ "dram_latency", scenario_dram_latency },
	{ "dram_bandwidth", scenario_dram_bandwidth },
	{ "l2_bound", scenario_l2_bound },
	{ "store_bound", scenario_store_bound },
	{ "icache", scenario_icache },
	{ "decode", scenario_decode },
	{ "mispredict", scenario_mispredict },
	{ "divider", scenario_divider },
	{ "ports", scenario_ports },
	{ "retiring_vector", scenario_retiring_vector },
	{ "page_walks", scenario_page_walks },
};

struct part {
	uint64_t ns;
	const char *list;
};

static struct part *parts;
static int nr_parts, nr_times;

/* FNV-1a: the emulator knows a scenario by the hash of its name. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 0x100000001b3;
	return hash;
}

/* False: this is not the emulated machine, or its truth file has none. */
static bool tell(uint32_t what, const char *name)
{
	uint64_t hash = hash_of(name);
	uint32_t a = LEAF, d;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(hash), "+c"(what), "=d"(d));
	return a == LEAF;
}

static bool choose(const char *name)
{
	return tell(strcmp(name, "usual") ? BY_HASH : FORGET, name);
}

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "act: %s: %s\n", what, why);
	exit(1);
}

static uint64_t duration(const char *text)
{
	char *unit;
	double number = strtod(text, &unit);

	if (number > 0 && !strncmp(unit, "ms:", 3))
		return (uint64_t)(number * 1e6);
	if (number > 0 && !strncmp(unit, "s:", 2))
		return (uint64_t)(number * 1e9);
	fail(text, "not like 2s:dram_latency");
}

static struct part read_part(const char *text)
{
	struct part part = { .ns = duration(text) };

	part.list = strchr(text, ':') + 1;
	return part;
}

/* The thread's own of a list; the last is for all that come after it. */
static void name_of(const char *list, long thread, char name[60])
{
	while (thread-- && strchr(list, ','))
		list = strchr(list, ',') + 1;
	snprintf(name, 60, "%.*s", (int)strcspn(list, ","), list);
}

__attribute__((noinline)) static void run(const char *name, uint64_t end)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i].name, name)) {
			functions[i].run(end);
			return;
		}
	}
	scenario_other(end);
}

static const char *cpus;

static void go_to_cpu(long thread)
{
	char name[64] = "on", *number = name + 2;
	cpu_set_t set;

	name_of(cpus, thread, number);
	CPU_ZERO(&set);
	CPU_SET((size_t)atoi(number), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail(number, "no CPU of this machine");
	pthread_setname_np(pthread_self(), name);
}

static void *act(void *thread)
{
	uint64_t end = now_ns();
	char name[64];

	if (cpus)
		go_to_cpu((long)(intptr_t)thread);

	for (int i = 0; i < nr_parts * (nr_times ? nr_times : 1); i++) {
		const struct part *part = &parts[i % nr_parts];

		name_of(part->list, (long)(intptr_t)thread, name);
		if (!strcmp(name, "inherited"))
			clock_id = CLOCK_THREAD_CPUTIME_ID;
		else if (!choose(name))
			fail(name, "the machine has no such scenario");
		end = (nr_times ? end : now_ns()) + part->ns;
		run(name, end);
	}
	return NULL;
}

static void act_in_threads(int nr)
{
	pthread_t threads[256];

	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, act, (void *)(intptr_t)(i + 1)))
			fail("threads", "cannot make one more");
	act(NULL);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

/* A CPU lists only its own counters. */
static void make_usual(const char *name)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	for (size_t cpu = 0; cpu < (size_t)nr; cpu++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue; /* it is offline */
		if (!tell(USUAL_BY_HASH, name))
			fail(name, "the machine has no such scenario");
	}
}

/* The emulator writes them to a file of the host's. */
static void print_sums(void)
{
	const char *path = getenv("MACHINE_SUMS");
	char line[4096];
	size_t size;
	FILE *file;

	if (!tell(TELL_SUMS, ""))
		fail("-s", "the machine does not tell it");
	file = path ? fopen(path, "r") : NULL;
	if (!file)
		fail("MACHINE_SUMS", strerror(errno));
	while ((size = fread(line, 1, sizeof(line), file)))
		fwrite(line, 1, size, stdout);
	fclose(file);
}

/* In ns, as JSON, a line for each CPU. */
static void print_idle(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	for (uint64_t cpu = 0; cpu < (uint64_t)nr; cpu++) {
		uint64_t a = LEAF, b = cpu, c = TELL_IDLE, d = 0;

		__asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
		if (a != LEAF)
			fail("-i", "the machine does not tell it");
		printf("{\"cpu\": %" PRIu64 ", \"time\": %" PRIu64 ", \"thread\": %" PRIu64
		       ", \"core\": %" PRIu64 ", \"package\": %" PRIu64 "}\n",
		       cpu, now_ns(), b, c, d);
	}
}

/* How many words are scenarios: those before "--". */
static int count_parts(char **words)
{
	int nr = 0;

	while (words[nr] && strcmp(words[nr], "--"))
		nr++;
	return nr;
}

int main(int argc, char **argv)
{
	int nr_threads = 1, option;
	char **command;

	/* the C library has no frame pointers: a stack ends where it called this */
	*(void *volatile *)__builtin_frame_address(0) = NULL;
	while ((option = getopt(argc, argv, "+n:c:r:w:u:si")) != -1 && option != '?') {
		if (option == 'n') {
			nr_threads = atoi(optarg);
			continue;
		}
		if (option == 'c') {
			cpus = optarg;
			continue;
		}
		if (option == 'r') {
			nr_times = atoi(optarg);
			continue;
		}
		if (option == 'w') {
			last_file = optarg;
			continue;
		}
		if (option == 'u')
			make_usual(optarg);
		else if (option == 's')
			print_sums();
		else
			print_idle();
		return 0;
	}
	nr_parts = count_parts(argv + optind);
	if (option != -1 || nr_threads < 1 || nr_threads > 256 || !nr_parts) {
		fprintf(stderr, "usage: act [-n THREADS] [-c CPU,...] [-r TIMES] "
				"[-w FILE] TIME:SCENARIO[,SCENARIO]... "
				"[-- COMMAND [ARGUMENT]...]\n"
				"       act -u SCENARIO\n"
				"       act -s | -i\n");
		return 64;
	}
	parts = calloc((size_t)nr_parts, sizeof(*parts));
	if (!parts)
		fail("parts", strerror(errno));
	for (int i = 0; i < nr_parts; i++)
		parts[i] = read_part(argv[optind + i]);
	act_in_threads(nr_threads - 1);
	command = argv + optind + nr_parts;
	if (!command[0] || !command[1])
		return 0;
	execvp(command[1], command + 1);
	fail(command[1], strerror(errno));
}
