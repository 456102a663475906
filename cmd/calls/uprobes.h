/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/sample/sampler.h"
#include "lib/sample/symbols.h"

/* --- entry.c -------------------------------------------------------------- */

/* Where probes of a function are placed: its start and its exits. */
struct td_entry_point {
	char *name;      /* as the user typed it */
	char *path;      /* the program or library with the function */
	uint64_t offset; /* offset of its first instruction in that file */
	uint64_t size;   /* size of its code in bytes */
	uint64_t *exits; /* offsets of returns and of jumps to other functions (td_exits_find()) */
	size_t nr_exits;
	char *no_probes; /* why the exits cannot be probed, or NULL */
	int fd;          /* the file, open for reading */
	bool stepped;    /* the kernel single-steps its first instruction */
	bool nop_of_5;   /* its first instruction is a NOP of five bytes */
	/* the entry or an exit has a prefix described at TD_FAULT_PREFIXES */
	bool prefixed_entry, prefixed_exit;
	bool kernel; /* a function of the kernel: there is no file */
	bool moves;  /* a goroutine may change its stack and thread during a call */
	bool marked; /* the file has marks of libtdstat, and at most one function of this name */
};

/*
 * Finds a function in a file of a process by its linker or source name, with or without parameters.
 * A confined process reads the file.  Returns a usage error if no function or more than one has the
 * name, and -ENOENT if the file has no symbols.  Adds notes on parts of the function that are
 * elsewhere.  On error, too, call td_entry_free().
 */
int td_entry_find(struct td_entry_point *entry, const struct td_symbols *symbols,
		  const struct td_object *object, const char *name, struct td_err *err);
void td_entry_free(struct td_entry_point *entry);

/* --- exits of a function, also in entry.c ---------------------------------- */

/*
 * Finds where a function of x86 is left: its return instructions, and its jumps to other
 * functions.  A probe there sees calls end without changing the stack, so exceptions,
 * cancellation and backtrace(3) find the return addresses that the program has put there.
 *
 * A probe within an instruction would break the program.  So a function whose code is not
 * fully understood gets a reason instead of exits.
 */

/* A function, or a part of it that the compiler has put elsewhere. */
struct td_code {
	uint64_t address;
	size_t size;
	const uint8_t *bytes;
};

/*
 * Finds the exits of a function.  Its first part begins with its entry.  wide: 64-bit code.
 * Returns why they are unknown, or NULL.  Sets *exits, which the caller frees, to their addresses,
 * ascending within each part.
 */
const char *td_exits_find(const struct td_code *parts, size_t nr, bool wide, uint64_t **exits,
			  size_t *nr_exits);

/* --- uprobes.c ------------------------------------------------------------ */

/*
 * Probes at the start and the exits of functions: dynamic events of the kernel.  They change
 * neither the stack nor the code that the program sees, so exceptions can pass them.  Return probes
 * would replace the return address on the stack, which unwinders do not expect; they are only used
 * for functions of the kernel.  The uprobes of perf_event_open(2) cannot be inherited: the kernel
 * reads their path in the memory of the forking process, and the fork fails (perf_uprobe_init() in
 * kernel/trace/trace_event_perf.c).
 */
struct td_probes {
	struct td_probe {
		uint64_t entry, exit; /* perf_event_attr.config of tracepoints */
	} * v;
	size_t nr;
	const char *root; /* directory of tracefs */
	int events;       /* descriptor of the file in tracefs; -1: none */
	bool kernel;      /* the functions are the kernel's */
};

/* Returns -EINVAL, with the reason, if the exits of a function are unknown. */
int td_probes_check(const struct td_entry_point *entries, size_t nr, struct td_err *err);
/*
 * Defines probes: all in files, or all in the kernel.  Removes those of a tdstat that was killed.
 * Returns -EACCES if this user may not, or an error of td_probes_check().  On error, too, call
 * td_probes_close(), after all events that use them are closed.
 */
int td_probes_open(struct td_probes *probes, const struct td_entry_point *entries, size_t nr,
		   struct td_err *err);
/* Returns how many returns of a kernel function the kernel has missed. */
uint64_t td_probes_missed(const struct td_probes *probes, size_t number);
/*
 * Returns the number of calls since an event was opened on the probe, including those while the
 * event was disabled; 0 if it is unknown.  Calls of a kernel function by other programs
 * are included.  Before Linux 6.11, some simultaneous calls are missing.
 */
uint64_t td_probes_hits(const struct td_probes *probes, size_t number);
void td_probes_close(struct td_probes *probes);

/* Sets the companions of a probe: entry and exit. */
void td_probe_companions(struct td_companion at[2], const struct td_probe *probe);

#define TD_NR_INTERRUPTS 6

/*
 * Finds the tracepoints at the start and the end of interrupts: devices, softirqs, the local
 * timer, and inter-processor interrupts.  Returns -EACCES if this user may not read tracefs,
 * -ENODEV or -ENOENT if the kernel lacks one of them.
 */
int td_interrupts_find(struct td_probe out[TD_NR_INTERRUPTS], struct td_err *err);
