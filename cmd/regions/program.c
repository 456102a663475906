// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/out/out.h"
#include "cmd/run/engine.h"
#include "lib/base/util.h"

/* --- the folder ------------------------------------------------------------- */

static int make_folder(struct td_program *program, struct td_err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (asprintf(&program->folder, "%s/tdstat-regions-XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") < 0) {
		program->folder = NULL;
		return td_err_nomem(err);
	}
	if (!mkdtemp(program->folder)) {
		td_err_set(err, -errno, "%s: %s", program->folder,
			   strerror(errno));
		td_err_hint(err, "the variable TMPDIR names a folder that can "
				 "be written to");
		free(program->folder);
		program->folder = NULL;
		return err->code;
	}
	return 0;
}

/*
 * A program that root runs may become another user, as by setpriv(1), and has to
 * write its file then: anybody can, but only who knows the program's environment
 * knows of what name, as nobody else may list the folder.  What is of another name
 * is not read.
 */
static int open_folder(struct td_program *program, struct td_err *err)
{
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret) ||
	    (geteuid() == 0 && chmod(program->folder, 01733) != 0))
		return td_err_set(err, -errno, "%s: %s", program->folder,
				  strerror(errno));
	if (asprintf(&program->prefix, "%s/%016" PRIx64 "%016" PRIx64,
		     program->folder, secret[0], secret[1]) < 0) {
		program->prefix = NULL;
		return td_err_nomem(err);
	}
	return 0;
}

/* Others may read it, whatever the umask says. */
static int write_spec(const struct td_program *program,
		      const struct td_job *job, struct td_err *err)
{
	FILE *fp = td_out_open(program->prefix, false, err);
	int rc;

	if (!fp)
		return err->code;
	fchmod(fileno(fp), 0644);
	td_region_spec_write(fp, job);
	rc = td_out_check(fp, program->prefix, err);
	fclose(fp);
	return rc;
}

/* Removes what is in it, but not folders with something of somebody else's. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (unlinkat(dirfd(dir), entry->d_name, 0) != 0)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void td_program_free(struct td_program *program)
{
	if (program->folder)
		remove_folder(program->folder);
	free(program->folder);
	free(program->prefix);
	*program = (struct td_program){ 0 };
}

/* --- the command ------------------------------------------------------------ */

static int run(struct td_program *program, struct td_engine *engine,
	       const struct td_job *job, const struct td_inherited *inherited,
	       struct td_err *err)
{
	char **command = job->opts->target.command;
	struct td_child *child = &engine->child;
	struct td_err late = { 0 };
	uint64_t start_ns;
	int rc = td_engine_start(engine, command, inherited, err);

	if (rc)
		return rc;
	start_ns = td_now_ns();
	rc = td_child_release(child, command[0], err);
	/* whatever happens to the waiting, the command runs to its end */
	if (!rc)
		td_engine_run(engine, NULL, NULL, &late);
	if (!rc)
		rc = td_child_wait(child, &program->usage, err);
	program->usage.elapsed_ns = td_now_ns() - start_ns;
	program->status = child->status;
	td_child_end(child);
	return rc;
}

int td_program_run(struct td_program *program, const struct td_job *job,
		   struct td_inherited *inherited, struct td_err *err)
{
	const struct td_ints none = { 0 };
	struct td_engine engine = { .waiter = TD_WAITER_NONE };
	char every[16];
	int rc;

	*program = (struct td_program){ 0 };
	rc = make_folder(program, err);
	if (!rc)
		rc = open_folder(program, err);
	if (!rc)
		rc = write_spec(program, job, err);
	if (!rc)
		rc = td_waiter_open(&engine.waiter, &none, &none, err);
	snprintf(every, sizeof(every), "%d", job->opts->every);
	if (!rc && (setenv("TDSTAT_REGIONS", program->prefix, 1) ||
		    (job->opts->every && setenv("TDSTAT_EVERY", every, 1))))
		rc = td_err_nomem(err);
	if (!rc)
		rc = run(program, &engine, job, inherited, err);
	td_waiter_close(&engine.waiter);
	return rc;
}
