// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions by their names. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/sample/parts.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"
#include "lib/machine/kernel.h"

/* --- the file --------------------------------------------------------------- */

/* Where the dynamic linker looks for libraries of 64 bits, on the distributions. */
static const char *const folders[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/usr/local/lib",
	"/lib",
	"/usr/lib",
};

/* A file of that name in a folder, to be freed; NULL: there is none. */
static char *in_folder(const char *folder, size_t len, const char *name)
{
	char *path;

	if (asprintf(&path, "%.*s%s%s", (int)len, folder, len ? "/" : "",
		     name) < 0)
		return NULL;
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* In a list of folders with a colon between them. */
static char *in_list(const char *list, const char *name)
{
	char *path = NULL;

	while (list && !path) {
		size_t len = strcspn(list, ":");

		path = in_folder(list, len, name);
		list = list[len] ? list + len + 1 : NULL;
	}
	return path;
}

static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return strdup(name);
	return in_list(path ? path : "/bin:/usr/bin", name);
}

/* "libc.so.6", or "libc" of it. */
static bool is_library(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(name);

	return strncmp(base, name, len) == 0 &&
	       (!base[len] || base[len] == '.' || base[len] == '-');
}

/* What a process has mapped. */
static char *find_mapped(const struct td_job *job, int pid, const char *name)
{
	td_autofree char *line = NULL;
	char file[64], *found = NULL;
	size_t size = 0;
	FILE *fp;

	snprintf(file, sizeof(file), "%s/%d/maps", job->fs.proc_path, pid);
	fp = fopen(file, "re");
	while (fp && !found && getline(&line, &size, fp) > 0) {
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (path && is_library(path, name))
			found = strdup(path);
	}
	if (fp)
		fclose(fp);
	return found;
}

static char *find_library(const char *name)
{
	char *path = in_list(getenv("LD_LIBRARY_PATH"), name);

	for (size_t i = 0; !path && i < TD_ARRAY_SIZE(folders); i++)
		path = in_folder(folders[i], strlen(folders[i]), name);
	return path;
}

/* The process whose view of files counts, or 0: a command has ours. */
static int process_of(const struct td_job *job)
{
	const struct td_target *target = &job->target;

	if (target->pids.nr)
		return target->pids.v[0];
	return target->threads.nr ? target->threads.v[0] : 0;
}

static char *program_of(const struct td_job *job, int pid)
{
	char link[64], path[PATH_MAX];
	ssize_t nr;

	if (!pid)
		return find_program(job->request->target.command[0]);
	snprintf(link, sizeof(link), "%s/%d/exe", job->fs.proc_path, pid);
	nr = readlink(link, path, sizeof(path) - 1);
	if (nr < 0)
		return NULL;
	path[nr] = '\0';
	return strdup(path);
}

/* where: behind the @, or NULL. */
static char *find_named(const struct td_job *job, int pid, const char *where)
{
	if (!where)
		return program_of(job, pid);
	if (strchr(where, '/'))
		return strdup(where);
	return pid ? find_mapped(job, pid, where) : find_library(where);
}

/* Of ours, where the process has no view of its own. */
static char *find_file(const struct td_job *job, int pid, const char *where)
{
	char *path = find_named(job, pid, where), *absolute;

	if (!path || *path == '/')
		return path;
	absolute = realpath(path, NULL);
	free(path);
	return absolute;
}

static int no_file(const struct td_job *job, int pid, const char *where,
		   struct td_err *err)
{
	if (!where && pid)
		return td_err_set(err, -EACCES,
				  "process %d: its program is not known: %s",
				  pid, strerror(errno));
	if (!where || strchr(where, '/'))
		return td_err_set(err, -ENOENT, "%s: %s",
				  where ? where
					: job->request->target.command[0],
				  strerror(ENOENT));
	if (pid)
		return td_err_set(err, -ENOENT,
				  "process %d has no library %s mapped", pid,
				  where);
	td_err_set(err, -ENOENT, "there is no library %s in the usual folders",
		   where);
	return td_err_hint(err, "FUNCTION@/PATH/OF/LIBRARY says where it is");
}

/* --- names ------------------------------------------------------------------ */

/* Up to a comma that is not within a parenthesis, as of a name of C++. */
static size_t length_of_name(const char *text)
{
	int depth = 0;
	size_t i = 0;

	for (; text[i] && (depth > 0 || text[i] != ','); i++) {
		depth += strchr("(<[", text[i]) != NULL;
		depth -= strchr(")>]", text[i]) != NULL;
	}
	return i;
}

static int add_function(struct td_functions *functions, struct td_job *job,
			const char *name, char *path, struct td_err *err)
{
	const struct td_symbols symbols = { .fs = &job->fs,
					    .notes = &job->notes };
	const struct td_object object = { .path = path,
					  .pid = process_of(job) };
	struct td_entry_point *entry =
		td_array_add(&functions->v, functions->nr, sizeof(*entry));

	if (!entry)
		return td_err_nomem(err);
	functions->nr++;
	return td_entry_find(entry, &symbols, &object, name, err);
}

static bool is_double(const struct td_functions *functions)
{
	const struct td_entry_point *last = &functions->v[functions->nr - 1];

	for (size_t i = 0; i + 1 < functions->nr; i++) {
		const struct td_entry_point *one = &functions->v[i];

		if (last->kernel ? strcmp(one->name, last->name) == 0
				 : one->offset == last->offset)
			return true;
	}
	return false;
}

/* The kernel looks up its own; of its names, "module:name" is one. */
static int add_kernel(struct td_functions *functions, const char *name,
		      struct td_err *err)
{
	struct td_entry_point *entry =
		td_array_add(&functions->v, functions->nr, sizeof(*entry));

	if (!entry)
		return td_err_nomem(err);
	functions->nr++;
	*entry = (struct td_entry_point){ .kernel = true, .fd = -1 };
	entry->name = strdup(name);
	entry->path = strdup("the kernel");
	if (!entry->name || !entry->path)
		return td_err_nomem(err);
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("_.:", *name))
			return td_err_usage(err,
					    "-k %s: not a name of a function "
					    "of the kernel",
					    entry->name);
	}
	return 0;
}

/* path: NULL: they are the kernel's. */
static int find_all(struct td_functions *functions, struct td_job *job,
		    char *names, char *path, struct td_err *err)
{
	int rc = 0;

	while (!rc && *names) {
		size_t len = length_of_name(names);
		char *next = names + len + (names[len] == ',');

		names[len] = '\0';
		if (!len)
			return td_err_usage(err, "a function without a name");
		rc = path ? add_function(functions, job, names, path, err)
			  : add_kernel(functions, names, err);
		if (!rc && is_double(functions))
			rc = td_err_usage(
				err, "%s: the function is named twice", names);
		names = next;
	}
	return rc;
}

/* names: of functions, and of their file behind an @; is changed. */
static int find_in_file(struct td_functions *functions, struct td_job *job,
			char *names, struct td_err *err)
{
	td_autofree char *path = NULL;
	int pid = process_of(job);
	char *at = strrchr(names, '@');

	if (job->request->calls.engine == TD_BY_KPROBES)
		return find_all(functions, job, names, NULL, err);
	if (at)
		*at++ = '\0';
	if (!*names || (at && !*at))
		return td_err_usage(err, "not like FUNCTION@FILE");
	path = find_file(job, pid, at);
	return path ? find_all(functions, job, names, path, err)
		    : no_file(job, pid, at, err);
}

int td_functions_find(struct td_functions *functions, struct td_job *job,
		      const char *names, struct td_err *err)
{
	char *copy = strdup(names);
	int rc = copy ? find_in_file(functions, job, copy, err)
		      : td_err_nomem(err);

	free(copy);
	/* the copy is cut at commas and the @ */
	if (rc && err->usage && !err->hint[0])
		td_err_wrap(err, "%s", names);
	return rc;
}

/* --- what kernels do wrong -------------------------------------------------- */

static bool has_fault(const struct td_job *job, enum td_kernel_fault fault)
{
	return !job->request->show.force &&
	       td_kernel_has(job->machine.release, job->machine.kernel, fault);
}

static const char *whether(const struct td_job *job)
{
	return td_kernel_is_told(job->machine.kernel)
		       ? ""
		       : "; its number does not tell whether this one is";
}

static int refuse_chains(const struct td_job *job, struct td_err *err)
{
	td_err_set(
		err, -ENOTSUP,
		"Linux %s may crash when callers are found by frame pointers "
		"in a program with probes (Linux %s is fixed%s)",
		job->machine.release,
		td_kernel_fixed(job->machine.kernel, TD_FAULT_CHAINS),
		whether(job));
	return td_err_hint(err, "--call-graph dwarf finds callers in another "
				"way; --force takes the risk");
}

static int refuse_nop(const struct td_job *job,
		      const struct td_entry_point *entry, struct td_err *err)
{
	td_err_set(err, -ENOTSUP,
		   "%s in %s: begins with a NOP of five bytes: after a probe "
		   "there, Linux %s kills what the program forks (Linux %s is "
		   "fixed%s)",
		   entry->name, entry->path, job->machine.release,
		   td_kernel_fixed(job->machine.kernel, TD_FAULT_NOPS),
		   whether(job));
	return td_err_hint(err, "--force probes a program that forks nothing; "
				"tdstat calls --engine=pt needs no probes");
}

int td_functions_check(const struct td_functions *functions,
		       const struct td_job *job,
		       const struct td_record_format *format,
		       struct td_err *err)
{
	int rc = td_probes_check(functions->v, functions->nr, err);

	/* a copy of the stack takes the place of the chain */
	if (!rc && format->chain && !format->copied &&
	    !functions->v[0].kernel && has_fault(job, TD_FAULT_CHAINS))
		return refuse_chains(job, err);
	for (size_t i = 0; !rc && i < functions->nr; i++) {
		if (functions->v[i].nop_of_5 && has_fault(job, TD_FAULT_NOPS))
			rc = refuse_nop(job, &functions->v[i], err);
	}
	return rc;
}

void td_functions_free(struct td_functions *functions)
{
	for (size_t i = 0; i < functions->nr; i++)
		td_entry_free(&functions->v[i]);
	free(functions->v);
	*functions = (struct td_functions){ 0 };
}
