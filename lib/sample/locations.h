/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/sample: samples of programs, and the functions in which they were taken.
 *
 * In: events to sample (sampler.h), or a recording of samples.
 * Out: locations (this file) with their functions; hits (hits.h) and windows
 * (windows.h) refer to them.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/index.h"

#define TD_BUILD_ID_SIZE 20

struct td_build_id {
	uint8_t v[TD_BUILD_ID_SIZE];
	uint8_t size; /* 0: unknown */
};

bool td_build_id_same(const struct td_build_id *a, const struct td_build_id *b);
/* Formats an id in lower-case hexadecimal digits, as in names of debug files; "": unknown. */
#define TD_BUILD_ID_TEXT (2 * TD_BUILD_ID_SIZE + 1)
void td_build_id_text(char text[TD_BUILD_ID_TEXT], const struct td_build_id *id);

enum td_object_kind {
	TD_OBJECT_FILE,
	TD_OBJECT_KERNEL, /* including its modules */
	TD_OBJECT_VDSO,
	TD_OBJECT_MEMORY, /* without a file, usually code of a JIT compiler */
	TD_OBJECT_NR,
};

/* A file or other memory that is mapped into address spaces. */
struct td_object {
	enum td_object_kind kind;
	char *path; /* as in /proc/PID/maps: "/bin/ls", "[vdso]", "//anon" */
	int pid;    /* the first process that mapped it */
	struct td_build_id build_id;
	bool given_up; /* the search for its symbols crashed or took too long */
};

/* A function, or an address without a symbol. */
struct td_function {
	char *name; /* C++ names are demangled; NULL: there is no symbol */
	int object;
	/* address of the first byte of the object, or of the location, as in td_location */
	uint64_t address;
};

/* An address that was sampled. */
struct td_location {
	int object;
	/* offset in a file, or from the start of the vDSO; else the address in memory */
	uint64_t address;
	int function; /* -1: not resolved yet */
	int file;     /* source file; -1: unknown */
	int line;     /* 0: unknown */
};

/* Elements refer to each other by their indices, which never change. */
struct td_locations {
	struct td_location *v;
	size_t nr;
	struct td_object *objects;
	size_t nr_objects;
	struct td_function *functions;
	size_t nr_functions;
	char **files;
	size_t nr_files;
	/* A chain of callers.  Chains with the same outer callers share these callers. */
	struct td_call {
		int location; /* where the call was made; -1: unknown */
		int caller;   /* the next call of the chain; -1: none */
	} * calls;
	size_t nr_calls;
	struct td_index by_address, by_object, by_function, by_file, by_call;
};

/* Maximum number of calls.  With their index, they take about 100 MB. */
#define TD_MAX_CALLS ((size_t)1 << 21)

/* Return the index of an element; add it if it is new.  Texts are copied. */
int td_locations_add(struct td_locations *locations, int object, uint64_t address);
/*
 * Finds or adds an object.  JIT memory is identified by its pid, other objects by path and build
 * id.
 */
int td_locations_add_object(struct td_locations *locations, const struct td_object *object);
int td_locations_add_function(struct td_locations *locations, const struct td_function *function);
int td_locations_add_file(struct td_locations *locations, const char *path);
/* Gives each location without a function a nameless one, at the location's address. */
void td_locations_add_nameless(struct td_locations *locations);
/* Returns -E2BIG if there are TD_MAX_CALLS. */
int td_locations_add_call(struct td_locations *locations, int location, int caller);
/*
 * Returns the calling function, or -1.  The kernel does not call user space, nor the other way
 * round, although one may follow the other in a chain.
 */
int td_locations_caller(const struct td_locations *locations, int location, int call);
/*
 * Returns the indices of locations without a function, sorted by object.  Objects whose search has
 * failed are left out.  The caller frees the indices.
 */
int *td_locations_unknown(const struct td_locations *locations, size_t *nr);
void td_locations_free(struct td_locations *locations);
