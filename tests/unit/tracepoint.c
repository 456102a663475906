// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests with a tracefs made here, and with that of the running kernel if it is
 * readable.
 */
#include "lib/event/tracepoint.h"

#include <errno.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/library.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "tests/unit/test.h"

/* from libtracefs, whose header only lib/event/tracepoint.c may include */
int tracefs_set_tracing_dir(char *dir);

TD_LIBRARY_FUNCTION(tracefs_set_tracing_dir)

static bool load(void)
{
	static const struct td_library_function functions[] = { TD_LIBRARY_ROW(
		tracefs_set_tracing_dir) };
	struct td_err err;

	return td_library_load("libtracefs.so.1", functions, 1, &err) == 0;
}

/* clang-format off */
static const struct {
	const char *path, *text;
} files[] = {
	{ "events/enable", "0\n" },
	{ "events/header_page", "" },
	{ "events/sched/enable", "0\n" },
	{ "events/sched/filter", "" },
	{ "events/sched/sched_switch/id", "310\n" },
	{ "events/sched/sched_wakeup/id", "313\n" },
	{ "events/sched/sched_wakeup_new/id", "312\n" },
	{ "events/syscalls/sys_enter_openat/id", "749\n" },
	{ "events/syscalls/sys_exit_openat/id", "748\n" },
	{ "events/ftrace/print/format", "" }, /* no event: it has no id */
	{ "events/broken/id_is_text/id", "many\n" },
	{ "events/large/largest/id", "18446744073709551615\n" },
};

static const struct {
	const char *name, *system, *tracepoint;
	const char *want; /* "system:name=id" ... */
	int code;
	const char *msg, *hint; /* a part of each */
} finds[] = {
	{ "by name", "sched", "sched_switch", "sched:sched_switch=310 " },
	{ "a glob", "sched", "sched_wakeup*",
	  "sched:sched_wakeup=313 sched:sched_wakeup_new=312 " },
	{ "a glob of systems", "s*", "*_openat",
	  "syscalls:sys_enter_openat=749 syscalls:sys_exit_openat=748 " },
	{ "one letter of several", "sched", "sched_[rs]????h",
	  "sched:sched_switch=310 " },
	{ "globs of both, in their order", "sched*", "sched_*",
	  "sched:sched_switch=310 sched:sched_wakeup=313 sched:sched_wakeup_new=312 " },
	{ "an id of 64 bits", "large", "largest",
	  "large:largest=18446744073709551615 " },
	{ "a letter left out", "sched", "sched_swich", "", -ENOENT,
	  "no tracepoint is called 'sched:sched_swich'",
	  "did you mean 'sched:sched_switch'?" },
	{ "of another system", "syscall", "sys_enter_openat", "", -ENOENT,
	  "'syscall:sys_enter_openat'",
	  "did you mean 'syscalls:sys_enter_openat'?" },
	{ "nothing like it", "sched", "rhubarb", "", -ENOENT,
	  "'sched:rhubarb'", "tdstat list 'sched:*' " },
	{ "a glob of nothing", "sched", "xy*", "", -ENOENT, "'sched:xy*'",
	  "tdstat list 'sched:*' " },
	{ "a system that there is not", "vegetables", "rhubarb", "", -ENOENT,
	  "'vegetables:rhubarb'", "tdstat list '*:*' " },
	{ "case matters", "sched", "SCHED_SWITCH", "", -ENOENT,
	  "'sched:SCHED_SWITCH'", "did you mean 'sched:sched_switch'?" },
	{ "a folder without an id", "ftrace", "print", "", -ENOENT,
	  "'ftrace:print'", "" },
	{ "a file among the folders", "enable", "*", "", -ENOENT,
	  "'enable:*'", "" },
	{ "no name", "", "", "", -ENOENT, "':'", "tdstat list" },
	{ "an id that is none", "broken", "id_is_text", "", -EIO,
	  "/events/broken/id_is_text/id: 'many' is not an id", "" },
};
/* clang-format on */

static char root[] = "/tmp/tracepoint-test-XXXXXX";

static bool write_file(const char *path, const char *text)
{
	char full[256];
	FILE *fp;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *c = full + sizeof(root); (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(full, 0755);
		*c = '/';
	}
	fp = fopen(full, "w");
	if (!fp)
		return false;
	fputs(text, fp);
	return fclose(fp) == 0;
}

static bool make_tree(void)
{
	bool made = load() && mkdtemp(root) && chmod(root, 0755) == 0;

	for (size_t i = 0; made && i < TD_ARRAY_SIZE(files); i++)
		made = write_file(files[i].path, files[i].text);
	return made && tracefs_set_tracing_dir(root) == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void write_found(const struct td_tracepoints *found, char *buf, size_t size)
{
	FILE *fp = fmemopen(buf, size, "w");

	buf[0] = '\0';
	for (size_t i = 0; fp && i < found->nr; i++)
		fprintf(fp, "%s:%s=%llu ", found->v[i].system, found->v[i].name,
			(unsigned long long)found->v[i].id);
	if (fp)
		fclose(fp);
}

static void test_find(size_t i)
{
	struct td_tracepoints found;
	struct td_err err = { 0 };
	char text[512];
	int rc = td_tracepoints_find(&found, finds[i].system, finds[i].tracepoint, &err);

	ok(rc == finds[i].code && err.code == rc, "find: %s", finds[i].name);
	write_found(&found, text, sizeof(text));
	is_str(text, finds[i].want, "find: %s: what", finds[i].name);
	if (finds[i].code)
		ok(strstr(err.msg, finds[i].msg) && strstr(err.hint, finds[i].hint),
		   "find: %s: %s (%s)", finds[i].name, err.msg, err.hint);
	td_tracepoints_free(&found);
	ok(!found.v && found.nr == 0, "find: %s: freed", finds[i].name);
}

/* No event was requested by name, so the message contains no name. */
static void expect_no_name(const char *what, int code, const char *begins)
{
	struct td_tracepoints found;
	struct td_err err = { 0 };

	ok(td_tracepoints_find_all(&found, &err) == code &&
		   strncmp(err.msg, begins, strlen(begins)) == 0,
	   "%s: all of them: %s", what, err.msg);
	td_tracepoints_free(&found);
	ok(td_tracepoints_find(&found, "sched", "*", &err) == code &&
		   strncmp(err.msg, "sched:*: ", 9) == 0 &&
		   strncmp(err.msg + 9, begins, strlen(begins)) == 0,
	   "%s: those of one system: %s", what, err.msg);
	td_tracepoints_free(&found);
}

static void expect_refusal(const char *what)
{
	struct td_tracepoints found;
	struct td_err err = { 0 };
	char want[128];

	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) == -EACCES && found.nr == 0,
	   "%s: not 'unknown', but: %s", what, err.msg);
	snprintf(want, sizeof(want), "mode=750,gid=%u %s", (unsigned int)getegid(), root);
	ok(strstr(err.msg, root) && strstr(err.hint, want), "%s: hint: %s", what, err.hint);
	td_tracepoints_free(&found);
	ok(td_tracepoints_find(&found, "sched", "sched_wakeu*", &err) == -EACCES, "%s: a glob",
	   what);
	td_tracepoints_free(&found);
}

static void expect_closed(const char *what)
{
	expect_refusal(what);
	expect_no_name(what, -EACCES, "this user may not read ");
}

static bool set_mode(const char *path, mode_t mode)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	return chmod(full, mode) == 0;
}

/* Refusals for files that the user may not read; root becomes another user. */
static void test_rights(void)
{
	bool is_root = geteuid() == 0;

	if (is_root && seteuid(65534)) {
		printf("ok %d - rights # SKIP cannot become another user\n", ++test_nr);
		return;
	}
	if (is_root && seteuid(0) == 0 && chmod(root, 0700) == 0 && seteuid(65534) == 0)
		expect_closed("a folder that is root's");
	if (!is_root && chmod(root, 0) == 0)
		expect_closed("a folder that is closed");
	if (is_root && seteuid(0))
		return;
	chmod(root, 0755);
	set_mode("events/sched/sched_switch/id", 0);
	set_mode("events/sched/sched_wakeup/id", 0);
	if (!is_root || seteuid(65534) == 0)
		expect_refusal("files that are root's");
	ok(!is_root || seteuid(0) == 0, "back again");
}

static void test_none(const char *dir, const char *what)
{
	struct td_tracepoints found;
	struct td_err err = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, dir);
	tracefs_set_tracing_dir(path);
	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) == -ENODEV &&
		   strstr(err.hint, "mount -t tracefs"),
	   "%s: %s", what, err.msg);
	td_tracepoints_free(&found);
	expect_no_name(what, -ENODEV, "tracefs is not mounted");
}

#define SWITCH "/sys/kernel/tracing/events/sched/sched_switch/"

static bool opens(uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_running_kernel(void)
{
	static const char *const refused[] = {
		"prev_pit == 1",
		"prev_pid ==",
		"prev_pid",
	};
	struct td_tracepoints found;
	struct td_err err = { 0 };
	unsigned long long id = 0;
	FILE *fp = fopen(SWITCH "id", "r");

	if (!fp || fscanf(fp, "%llu", &id) != 1 || !opens(id)) {
		printf("ok %d - the running kernel # SKIP no tracepoints\n", ++test_nr);
		if (fp)
			fclose(fp);
		return;
	}
	fclose(fp);
	tracefs_set_tracing_dir(NULL);
	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) == 0 && found.nr == 1 &&
		   found.v[0].id == id,
	   "the running kernel: its id");
	td_tracepoints_free(&found);
	ok(td_tracepoint_ask(id, "prev_pid == 0") == 0, "a filter");
	for (size_t i = 0; i < TD_ARRAY_SIZE(refused); i++)
		ok(td_tracepoint_ask(id, refused[i]) == -EINVAL, "the kernel refuses '%s'",
		   refused[i]);
}

int main(void)
{
	bool made = make_tree();

	ok(made, "a folder like tracefs");
	for (size_t i = 0; made && i < TD_ARRAY_SIZE(finds); i++)
		test_find(i);
	if (made) {
		test_rights();
		test_none("nowhere", "no tracefs");
		test_none("events", "a folder that is none");
	}
	test_running_kernel();
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	tracefs_set_tracing_dir(NULL);
	return done_testing();
}
