// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: unwinds HOW [FILE]
 * Calls leave(), and is left by other ways than a return.  Prints what it found, which
 * has to be the same whoever watches, and exits with status 7.  With FILE it creates the
 * file, and does the same again until the file is gone.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <stdexcept>

static const int rounds = 50;
static volatile long sum;
static int destroyed, caught, frames;
static jmp_buf target;
static ucontext_t outside, inside;

struct guard {
	~guard() { destroyed++; }
};

static void spin()
{
	for (long i = 0; i < 20000; i++)
		sum = sum + i;
}

/* What all of these are left by; a round in ten has another way than a return. */
extern "C" __attribute__((noinline)) int leave(const char *how, int round)
{
	guard g;
	void *found[64];

	spin();
	if (round % 10 == 3 && strcmp(how, "throw") == 0)
		throw std::runtime_error("bad input");
	if (round % 10 == 3 && strcmp(how, "longjmp") == 0)
		longjmp(target, 1);
	if (strcmp(how, "exit") == 0)
		pthread_exit(NULL);
	for (; strcmp(how, "cancel") == 0; spin())
		pthread_testcancel();
	if (strcmp(how, "backtrace") == 0)
		frames = backtrace(found, 64);
	if (strcmp(how, "signal") == 0)
		raise(SIGUSR1);
	if (strcmp(how, "switch") == 0)
		swapcontext(&inside, &outside);
	return round + sum % 2;
}

__attribute__((noinline)) static int enclose(const char *how, int round)
{
	guard g;

	return leave(how, round) + 1;
}

/* A computed jump and a call at the end, which compilers make a jump of. */
extern "C" __attribute__((noinline)) int choose(int round)
{
	switch (round % 7) {
	case 0: return usleep(1);
	case 1: spin(); return 5;
	case 2: return getpid() > 0;
	case 3: spin(); spin(); return 8;
	case 4: return 13;
	case 5: sum = sum + 3; return 1;
	default: return fflush(NULL);
	}
}

static void *one_thread(void *how)
{
	enclose(static_cast<const char *>(how), 1);
	return NULL;
}

static void in_threads(const char *how)
{
	for (int i = 0; i < 5; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, one_thread, const_cast<char *>(how));
		if (strcmp(how, "cancel") == 0) {
			usleep(2000);
			pthread_cancel(thread);
		}
		pthread_join(thread, NULL);
	}
}

static void handle(int)
{
	/* from within itself */
	leave("return", 0);
}

static void coroutine()
{
	for (int i = 0;; i++)
		leave("switch", i);
}

static void switch_stacks()
{
	static char stack[1 << 16];

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	makecontext(&inside, coroutine, 0);
	for (int i = 0; i < rounds; i++) {
		swapcontext(&outside, &inside);
		leave("return", i);
	}
}

static void in_rounds(const char *how)
{
	for (volatile int i = 0; i < rounds; i = i + 1) {
		try {
			if (strcmp(how, "choose") == 0)
				choose(i);
			else if (setjmp(target) == 0)
				enclose(how, i);
		} catch (const std::exception &) {
			caught++;
		}
	}
}

static void go(const char *how)
{
	destroyed = caught = frames = 0;
	if (strcmp(how, "cancel") == 0 || strcmp(how, "exit") == 0)
		in_threads(how);
	else if (strcmp(how, "switch") == 0)
		switch_stacks();
	else
		in_rounds(how);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	signal(SIGUSR1, handle);
	if (argc > 2)
		fclose(fopen(argv[2], "w"));
	do
		go(how);
	while (argc > 2 && access(argv[2], F_OK) == 0);
	printf("%s: %d caught, %d destroyed, %d frames\n", how, caught, destroyed, frames);
	return 7;
}
