/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/sample: samples of what ran, and the functions that they are of.
 *
 * In: events to sample (sampler.h), or a recording of samples.
 * Out: spots (this file) with their functions, hits (locations.h) and windows
 * (windows.h) that refer to them.
 */
#ifndef TD_LIB_SAMPLE_SPOTS_H
#define TD_LIB_SAMPLE_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/index.h"

#define TD_BUILD_ID_SIZE 20

struct td_build_id {
	uint8_t v[TD_BUILD_ID_SIZE];
	uint8_t size; /* 0: not known */
};

bool td_build_id_same(const struct td_build_id *a, const struct td_build_id *b);
/* In small hexadecimal digits, as files of debug data are named; "": none. */
#define TD_BUILD_ID_TEXT (2 * TD_BUILD_ID_SIZE + 1)
void td_build_id_text(char text[TD_BUILD_ID_TEXT],
		      const struct td_build_id *id);

enum td_object_kind {
	TD_OBJECT_FILE,
	TD_OBJECT_KERNEL, /* its modules, too */
	TD_OBJECT_VDSO,
	TD_OBJECT_MEMORY, /* without a file: of a JIT compiler, mostly */
	TD_OBJECT_NR,
};

/* How recordings call it. */
const char *td_object_kind_name(enum td_object_kind kind);
/* TD_OBJECT_NR: there is none of that name. */
enum td_object_kind td_object_kind_find(const char *name);

/* What is mapped into address spaces. */
struct td_object {
	enum td_object_kind kind;
	char *path; /* as the kernel tells it: "/bin/ls", "[vdso]", "//anon" */
	int pid;    /* of the process that was seen first to map it */
	struct td_build_id build_id;
	bool given_up; /* a search for its symbols crashed, or took too long */
};

/* A function, or what is known of the place of an address without one. */
struct td_function {
	char *name; /* C++ names are demangled; NULL: there is no symbol */
	int object;
	uint64_t address; /* of its first byte, as in td_spot; or a spot's */
};

/* An address that was sampled. */
struct td_spot {
	int object;
	/*
	 * In files the offset in the file, in the vDSO that from its begin, else
	 * the address in memory.
	 */
	uint64_t address;
	int function; /* -1: not resolved yet */
	int file;     /* of the source, or -1 */
	int line;     /* 0: not known */
};

/* Elements refer to each other by their indices, which never change. */
struct td_spots {
	struct td_spot *v;
	size_t nr;
	struct td_object *objects;
	size_t nr_objects;
	struct td_function *functions;
	size_t nr_functions;
	char **files;
	size_t nr_files;
	/*
	 * Chains of callers, which share what they have in common: from where a
	 * spot was called, and that from where.
	 */
	struct td_call {
		int spot;   /* -1: it is not known what comes here */
		int caller; /* the next call of the chain; -1: it ends */
	} * calls;
	size_t nr_calls;
	struct td_index by_address, by_object, by_function, by_file, by_call;
};

/* More are not kept: with their index, these take 100 MB or so. */
#define TD_MOST_CALLS ((size_t)1 << 21)

/*
 * The index of the element, which is added if there is none; texts are copied.
 * -ENOMEM if memory ran out.
 */
int td_spots_add(struct td_spots *spots, int object, uint64_t address);
/* JIT memory is told apart by pid, all else by path and build id. */
int td_spots_add_object(struct td_spots *spots, const struct td_object *object);
int td_spots_add_function(struct td_spots *spots,
			  const struct td_function *function);
int td_spots_add_file(struct td_spots *spots, const char *path);
/* Also -E2BIG: there are TD_MOST_CALLS of them. */
int td_spots_add_call(struct td_spots *spots, int spot, int caller);
/*
 * The function that a call comes from, or -1.  What the kernel does for a spot of
 * user space is in its chain, but nothing that it called.
 */
int td_spots_caller(const struct td_spots *spots, int spot, int call);
/*
 * The indices of the spots that have no function yet, and whose objects are not
 * given up, sorted by object.  The caller frees them; NULL: memory ran out.
 */
int *td_spots_unknown(const struct td_spots *spots, size_t *nr);
void td_spots_free(struct td_spots *spots);

#endif
