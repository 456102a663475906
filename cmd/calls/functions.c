// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions by their names. */
#include <ctype.h>
#include <limits.h>
#include <unistd.h>

#include "cmd/calls/parts.h"
#include "lib/count/regions.h"
#include "lib/machine/kernel.h"

/* --- the file --------------------------------------------------------------- */

/* Directories where the dynamic linkers of distributions look for 64-bit libraries. */
#define LIBRARIES                                                                           \
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/usr/local/lib:" \
	"/lib:/usr/lib"

/* Returns true if path is the library: both "libc.so.6" and "libc" are names of it. */
static bool is_library(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(name);

	return strncmp(base, name, len) == 0 &&
	       (!base[len] || base[len] == '.' || base[len] == '-');
}

/* Looks for a library that a process has mapped. */
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
			found = td_strdup(path);
	}
	if (fp)
		fclose(fp);
	return found;
}

static char *find_library(const char *name)
{
	char *path = td_find_file(getenv("LD_LIBRARY_PATH"), name, R_OK);

	return path ? path : td_find_file(LIBRARIES, name, R_OK);
}

/* Returns the process in whose root directory the files are, or 0 for a command. */
static int process_of(const struct td_job *job)
{
	const struct td_target *target = &job->target;

	if (target->pids.nr)
		return target->pids.v[0];
	return target->threads.nr ? target->threads.v[0] : 0;
}

/* Finds a file by the text after the @; NULL: the program of the process or command. */
static char *find_named(const struct td_job *job, int pid, const char *where)
{
	if (!where) {
		char link[64], path[PATH_MAX];
		ssize_t nr;

		if (!pid)
			return td_find_program(job->request->target.command[0], R_OK);
		snprintf(link, sizeof(link), "%s/%d/exe", job->fs.proc_path, pid);
		nr = readlink(link, path, sizeof(path) - 1);
		if (nr < 0)
			return NULL;
		path[nr] = '\0';
		return td_strdup(path);
	}
	if (strchr(where, '/'))
		return td_strdup(where);
	return pid ? find_mapped(job, pid, where) : find_library(where);
}

/* Returns an absolute path. */
static char *find_file(const struct td_job *job, int pid, const char *where)
{
	char *path = find_named(job, pid, where), *absolute;

	if (!path || *path == '/')
		return path;
	absolute = realpath(path, NULL);
	free(path);
	return absolute;
}

static int no_file(const struct td_job *job, int pid, const char *where, struct td_err *err)
{
	if (!where && pid)
		return td_err_set(err, -EACCES, "process %d: its program is not known: %s", pid,
				  strerror(errno));
	if (!where || strchr(where, '/'))
		return td_err_set(err, -ENOENT, "%s: %s",
				  where ? where : job->request->target.command[0],
				  strerror(ENOENT));
	if (pid)
		return td_err_set(err, -ENOENT, "process %d has no library %s mapped", pid, where);
	td_err_set(err, -ENOENT, "there is no library %s in the usual directories", where);
	return td_err_hint(err, "FUNCTION@/PATH/OF/LIBRARY names its path");
}

/* --- names ------------------------------------------------------------------ */

/* Returns the length up to a comma that is not in parentheses, as in C++ names. */
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

static int add_function(struct td_functions *functions, struct td_job *job, const char *name,
			char *path, struct td_err *err)
{
	const struct td_symbols symbols = { .fs = &job->fs, .notes = &job->notes };
	const struct td_object object = { .path = path, .pid = process_of(job) };
	struct td_entry_point *entry = td_array_add(&functions->v, functions->nr++, sizeof(*entry));

	return td_entry_find(entry, &symbols, &object, name, err);
}

static bool is_double(const struct td_functions *functions)
{
	const struct td_entry_point *last = &functions->v[functions->nr - 1];

	for (size_t i = 0; i + 1 < functions->nr; i++) {
		const struct td_entry_point *one = &functions->v[i];

		if (last->kernel ? strcmp(one->name, last->name) == 0 : one->offset == last->offset)
			return true;
	}
	return false;
}

/* Adds a kernel function.  The kernel looks up the name, which may be "module:name". */
static int add_kernel(struct td_functions *functions, const char *name, struct td_err *err)
{
	struct td_entry_point *entry = td_array_add(&functions->v, functions->nr++, sizeof(*entry));

	*entry = (struct td_entry_point){ .kernel = true, .fd = -1 };
	entry->name = td_strdup(name);
	entry->path = td_strdup("the kernel");
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("_.:", *name))
			return td_err_usage(err, "-k %s: not the name of a kernel function",
					    entry->name);
	}
	return 0;
}

/* Finds the functions in a file; path is NULL for functions of the kernel. */
static int find_all(struct td_functions *functions, struct td_job *job, char *names, char *path,
		    struct td_err *err)
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
			rc = td_err_usage(err, "%s: the function is named twice", names);
		names = next;
	}
	return rc;
}

/* Finds functions in the file named after their @.  names is modified. */
static int find_in_file(struct td_functions *functions, struct td_job *job, char *names,
			struct td_err *err)
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
	return path ? find_all(functions, job, names, path, err) : no_file(job, pid, at, err);
}

int td_functions_find(struct td_functions *functions, struct td_job *job, const char *names,
		      struct td_err *err)
{
	char *copy = td_strdup(names);
	int rc = find_in_file(functions, job, copy, err);

	free(copy);
	if (rc && err->usage && !err->hint[0])
		td_err_wrap(err, "%s", names);
	return rc;
}

/* --- faults of kernels ------------------------------------------------------ */

static bool has_fault(const struct td_job *job, enum td_kernel_fault fault)
{
	return !job->request->show.force &&
	       td_kernel_has(job->machine.release, job->machine.kernel, fault);
}

#define WHETHER_SIZE 160

/* Writes that the release number does not show whether this kernel is fixed; "" if it does. */
static const char *whether(const struct td_job *job, char text[WHETHER_SIZE])
{
	text[0] = '\0';
	if (!td_kernel_has_patch(job->machine.kernel))
		snprintf(text, WHETHER_SIZE,
			 "; the version %.64s does not show whether this one is",
			 job->machine.release);
	return text;
}

static int refuse_chains(const struct td_job *job, struct td_err *err)
{
	char text[WHETHER_SIZE];

	td_err_set(err, -ENOTSUP,
		   "Linux %s may crash when callers are found with frame pointers in a program "
		   "with probes (Linux %s is fixed%s)",
		   job->machine.release, td_kernel_fixed(job->machine.kernel, TD_FAULT_CHAINS),
		   whether(job, text));
	return td_err_hint(
		err, "--call-graph dwarf finds callers in another way; --force takes the risk");
}

static int refuse_nop(const struct td_job *job, const struct td_entry_point *entry,
		      struct td_err *err)
{
	char text[WHETHER_SIZE];

	td_err_set(err, -ENOTSUP,
		   "%s in %s: begins with a NOP of five bytes: after a probe there, Linux %s "
		   "kills the child processes of the program (Linux %s is fixed%s)",
		   entry->name, entry->path, job->machine.release,
		   td_kernel_fixed(job->machine.kernel, TD_FAULT_NOPS), whether(job, text));
	return td_err_hint(
		err,
		"--force probes a program that has no child processes; tdstat calls --engine=pt "
		"needs no probes");
}

/*
 * Refuses prefixed instructions.  The kernel sets no probe at them and returns no error, so all
 * calls would seem to begin before counting.
 */
static int refuse_prefix(const struct td_job *job, const struct td_entry_point *entry,
			 struct td_err *err)
{
	char text[WHETHER_SIZE];

	td_err_set(
		err, -ENOTSUP,
		"%s in %s: %s with an instruction that has a segment or LOCK prefix, where Linux "
		"%s sets no probe (Linux %s does%s)",
		entry->name, entry->path, entry->prefixed_entry ? "begins" : "returns",
		job->machine.release, td_kernel_fixed(job->machine.kernel, TD_FAULT_PREFIXES),
		whether(job, text));
	return td_err_hint(err, "tdstat calls --engine=pt needs no probes");
}

static int check_first(const struct td_job *job, const struct td_entry_point *entry,
		       struct td_err *err)
{
	/* also with --force, because there would be no result */
	if ((entry->prefixed_entry || entry->prefixed_exit) &&
	    td_kernel_has(job->machine.release, job->machine.kernel, TD_FAULT_PREFIXES))
		return refuse_prefix(job, entry, err);
	return entry->nop_of_5 && has_fault(job, TD_FAULT_NOPS) ? refuse_nop(job, entry, err) : 0;
}

int td_functions_check(const struct td_functions *functions, const struct td_job *job,
		       const struct td_record_format *format, struct td_err *err)
{
	int rc = td_probes_check(functions->v, functions->nr, err);

	/* if it copies the stack, the kernel does not follow frame pointers */
	if (!rc && format->chain && !format->copied && !functions->v[0].kernel &&
	    has_fault(job, TD_FAULT_CHAINS))
		return refuse_chains(job, err);
	for (size_t i = 0; !rc && i < functions->nr; i++)
		rc = check_first(job, &functions->v[i], err);
	return rc;
}

void td_functions_free(struct td_functions *functions)
{
	for (size_t i = 0; i < functions->nr; i++)
		td_entry_free(&functions->v[i]);
	free(functions->v);
	*functions = (struct td_functions){ 0 };
}
