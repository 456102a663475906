// SPDX-License-Identifier: MIT
#include <sched.h>
#include <stddef.h>

#include "lib/region/parts.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <linux/rseq.h>

/* defined in glibc 2.35 and later; weak, so that older versions work */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static bool is_registered(void)
{
	/* negative: not registered, or the registration failed */
	return &__rseq_offset && &__rseq_size && __rseq_size > 0 && (int32_t)area()->cpu_id >= 0;
}

/* SDM volume 2, CPUID */
#define RDTSCP_LEAF 0x80000001
#define RDTSCP_EDX  (1u << 27)

bool td_rseq_works(void)
{
	unsigned int eax, ebx, ecx, edx;

	return is_registered() && __get_cpuid(RDTSCP_LEAF, &eax, &ebx, &ecx, &edx) &&
	       edx & RDTSCP_EDX;
}

uint32_t td_rseq_cpu(void)
{
	if (!is_registered())
		return (uint32_t)sched_getcpu();
	return __atomic_load_n(&area()->cpu_id, __ATOMIC_RELAXED);
}

uint64_t td_rseq_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * If the thread is preempted, moved or signalled between 1 and 2, the kernel continues at 4
 * (kernel/rseq.c).  The word before 4 is the RSEQ_SIG of x86, which glibc has registered.  The rseq
 * area describes the task that registered it.  RDTSCP returns the CPU of this task in the low 12
 * bits of a value that Linux sets (vdso_encode_cpunode()).
 */
static int try_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		    uint64_t *values, uint64_t nr)
{
	struct rseq *rseq = area();
	uint64_t i = 0;

	asm goto volatile(
		".pushsection __rseq_cs, \"aw\"\n"
		".balign 32\n"
		"3: .long 0, 0; .quad 1f, 2f - 1f, 4f\n"
		".popsection\n"
		"leaq 3b(%%rip), %%rax\n"
		"movq %%rax, %c[cs](%[rseq])\n"
		"1: rdtscp\n"
		"movl %c[cpu](%[rseq]), %%eax\n"
		"xorl %%eax, %%ecx; testl $0xfff, %%ecx; jne 6f\n"
		"movb (%[map], %%rax), %%al\n"
		"cmpb %[group], %%al\n"
		"jne 6f\n"
		"5: movl (%[selectors], %[i], 4), %%ecx\n"
		"rdpmc\n"
		"shlq $32, %%rdx; orq %%rdx, %%rax\n"
		"movq %%rax, (%[values], %[i], 8)\n"
		"incq %[i]\n"
		"cmpq %[nr], %[i]\n"
		"jb 5b\n"
		"2:\n"
		/* otherwise the kernel would access it after dlclose() */
		"movq $0, %c[cs](%[rseq])\n"
		"jmp 7f\n"
		"6: movq $0, %c[cs](%[rseq])\n"
		"jmp %l[elsewhere]\n"
		".pushsection __rseq_failure, \"ax\"\n"
		".long 0x53053053\n"
		"4: jmp %l[interrupted]\n"
		".popsection\n"
		"7:\n"
		: [i] "+r"(i)
		: [rseq] "r"(rseq), [cs] "i"(offsetof(struct rseq, rseq_cs)),
		  [cpu] "i"(offsetof(struct rseq, cpu_id)), [map] "r"(group_of_cpu),
		  [group] "r"(group), [selectors] "r"(selectors), [values] "r"(values), [nr] "r"(nr)
		: "rax", "rcx", "rdx", "cc", "memory"
		: elsewhere, interrupted);
	return 0;
elsewhere:
	return 1;
interrupted:
	return -1;
}

bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		  uint64_t *values, uint64_t nr)
{
	int rc;

	do {
		rc = try_read(group_of_cpu, group, selectors, values, nr);
	} while (rc < 0);
	return rc == 0;
}

#else

bool td_rseq_works(void)
{
	return false;
}

uint32_t td_rseq_cpu(void)
{
	return (uint32_t)sched_getcpu();
}

uint64_t td_rseq_cycles(void)
{
	return 0;
}

bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		  uint64_t *values, uint64_t nr)
{
	(void)group_of_cpu;
	(void)group;
	(void)selectors;
	(void)values;
	(void)nr;
	return false;
}

#endif
