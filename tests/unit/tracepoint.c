// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests with a tracefs made here, and with that of the running kernel if it is
 * readable.  Linux 6.12 has told which filters are valid; where tracepoints can
 * be opened, the running kernel is asked, too.
 */
#include "lib/event/tracepoint.h"

#include <errno.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/library.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

/* of libtracefs, whose header only lib/event/tracepoint.c may include */
int tracefs_set_tracing_dir(char *dir);

TD_LIBRARY_FUNCTION(tracefs_set_tracing_dir)

static bool load(void)
{
	static const struct td_library_function functions[] = { TD_LIBRARY_ROW(
		tracefs_set_tracing_dir) };
	struct td_err err;

	return td_library_load("libtracefs.so.1", functions, 1, &err) == 0;
}

#define FIELD(type, name, size, is_signed)                  \
	"\tfield:" type " " name ";\toffset:0;\tsize:" size \
	";\tsigned:" is_signed ";\n"

#define COMMON                                                              \
	"format:\n" FIELD("unsigned short", "common_type", "2", "0")        \
		FIELD("unsigned char", "common_flags", "1", "0")            \
			FIELD("unsigned char", "common_preempt_count", "1", \
			      "0") FIELD("int", "common_pid", "4", "1") "\n"

#define SCHED_SWITCH                                                         \
	"name: sched_switch\nID: 310\n" COMMON FIELD(                        \
		"char", "prev_comm[16]", "16",                               \
		"0") FIELD("pid_t", "prev_pid", "4",                         \
			   "1") FIELD("int", "prev_prio", "4",               \
				      "1") FIELD("long", "prev_state", "8",  \
						 "1") FIELD("char",          \
							    "next_comm[16]", \
							    "16", "0")       \
		FIELD("pid_t", "next_pid", "4", "1") FIELD(                  \
			"int", "next_prio", "4",                             \
			"1") "\nprint fmt: \"prev_pid=%d\", REC->prev_pid\n"

/* a field of each other kind */
#define OTHERS                                                                \
	"name: kinds\nID: 7\n" COMMON FIELD("__data_loc char[]", "file", "4", \
					    "0") FIELD("__data_loc u8[]",     \
						       "bytes", "4", "0")     \
		FIELD("__data_loc cpumask_t", "cpus", "4",                    \
		      "0") FIELD("const char *", "user", "8",                 \
				 "0") FIELD("void *", "site", "8", "0")       \
			FIELD("__u8", "addr[16]", "16", "0")                  \
				FIELD("bool", "done", "1",                    \
				      "0") "\nprint fmt: \"%d\", REC->done\n"

/* clang-format off */
static const struct {
	const char *path, *text;
} files[] = {
	{ "events/enable", "0\n" },
	{ "events/header_page", "" },
	{ "events/sched/enable", "0\n" },
	{ "events/sched/filter", "" },
	{ "events/sched/sched_switch/id", "310\n" },
	{ "events/sched/sched_switch/format", SCHED_SWITCH },
	{ "events/sched/sched_wakeup/id", "313\n" },
	{ "events/sched/sched_wakeup_new/id", "312\n" },
	{ "events/syscalls/sys_enter_openat/id", "749\n" },
	{ "events/syscalls/sys_exit_openat/id", "748\n" },
	{ "events/ftrace/print/format", "" }, /* no event: it has no id */
	{ "events/broken/id_is_text/id", "many\n" },
	{ "events/broken/no_format/id", "9\n" },
	{ "events/large/largest/id", "18446744073709551615\n" },
	{ "events/other/kinds/id", "7\n" },
	{ "events/other/kinds/format", OTHERS },
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
	  "sched:sched_switch=310 sched:sched_wakeup=313 "
	  "sched:sched_wakeup_new=312 " },
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

/* Filters for sched:sched_switch; msg is NULL if they are valid. */
static const struct {
	const char *filter;
	const char *msg; /* a part of it */
	int column; /* of the caret, from 0 */
	bool varies; /* depends on the kernel and the number of CPUs */
} filters[] = {
	{ "prev_pid == 0" },
	{ "prev_pid==0&&next_pid==0" },
	{ "prev_pid\t==\t1 " },
	{ "prev_pid == 0x10" },
	{ "prev_pid == 010" },
	{ "prev_pid == -1" },
	{ "prev_pid < 0" },
	{ "prev_pid >= 1 && prev_pid <= 10 && next_prio > 1" },
	{ "prev_state & 0x2" },
	{ "prev_state & -1" },
	{ "prev_pid == 0 && next_comm ~ \"cc*\"" },
	{ "next_comm != \"x\"" },
	{ "next_comm == 'bash'" },
	{ "next_comm == \"a,b\"" },
	{ "next_comm == \"a:b\"" },
	{ "next_comm == \"it's\"" },
	{ "next_comm == \"\"" },
	{ "next_comm ~ \"[a\"" },
	{ "next_comm.ustring == \"x\"" },
	{ "!(prev_pid == 0)" },
	{ "!prev_pid == 0" },
	{ "!!(prev_pid == 0)" },
	{ "( ( (prev_pid == 0) ) )" },
	{ "prev_pid != 0 && (next_pid != 0 || !(prev_prio == 1))" },
	{ "common_pid == 1 || common_type == 1" },
	{ "CPU == 1 || cpu == 1 || common_cpu == 1" },
	{ "comm == \"x\" || COMM ~ \"x*\"" },
	{ "CPU & CPUS{0-3,5}", .varies = true },
	{ "stacktrace == 1" },

	{ "", "expected a field", 0 },
	{ " ", "expected a field", 1 },
	{ "()", "expected a field", 1 },
	{ "!", "expected a field", 1 },
	{ "== 0", "expected a field", 0 },
	{ "\"x\" == next_comm", "expected a field", 0 },
	{ "prev_pid == 0 &&", "expected a field", 16, true },
	{ "prev_pid == 1 || ", "expected a field", 17, true },
	{ "prev_pid == 1 &&& prev_pid == 2", "expected a field", 16 },
	{ "0 == prev_pid", "it has no field '0'; its fields are ", 0 },
	{ "nope == 0", "it has no field 'nope'; its fields are prev_comm, prev_pid, "
	  "prev_prio, prev_state, next_comm, next_pid, next_prio, "
	  "common_type, common_flags, common_preempt_count, common_pid", 0 },
	{ "prev_pid == 0 || prevpid == 1", "it has no field 'prevpid'", 17 },
	{ "prev_pi == 1", "it has no field 'prev_pi'", 0 },
	{ "PREV_PID == 1", "it has no field 'PREV_PID'", 0 },
	{ "prev_pid", "expected an operator", 8 },
	{ "prev_pid 1", "expected an operator", 9 },
	{ "prev_pid = 0", "expected an operator", 9 },
	{ "prev_pid ! 0", "expected an operator", 9 },
	{ "prev_pid + 1 == 2", "expected an operator", 9 },
	{ "prev_pid && next_pid", "expected an operator", 9 },
	{ "prev_pid.string == 1", "expected an operator", 8 },
	{ "prev_pid == ", "expected a number", 12 },
	{ "prev_pid === 1", "expected a number", 11 },
	{ "prev_pid <> 1", "expected a number", 10 },
	{ "prev_pid == +1", "expected a number", 12 },
	{ "prev_pid == nope", "expected a number", 12 },
	{ "prev_pid == 5abc", "expected a number", 12 },
	{ "prev_pid == 08", "expected a number", 12 },
	{ "prev_pid == 99999999999999999999", "expected a number", 12 },
	{ "prev_pid == - 1", "expected a number", 12 },
	{ "prev_pid == \"x\"", "the field is a number, but this is a text", 12 },
	{ "prev_pid == 'a'", "the field is a number, but this is a text", 12 },
	{ "prev_pid ~ 1", "~ is for texts, but the field is a number", 9 },
	{ "next_comm == 5", "expected a text in quotes", 13 },
	{ "next_comm == bash", "expected a text in quotes", 13 },
	{ "next_comm ~ cc*", "expected a text in quotes", 12 },
	{ "next_comm < \"x\"", "a text can only be compared with ==, != or ~", 10 },
	{ "next_comm !~ \"x\"", "expected an operator", 10 },
	{ "next_comm == \"unterminated", "the quotes are not closed", 13 },
	{ "next_comm == 'it\"", "the quotes are not closed", 13 },
	{ "CPU & CPUS{0-3", "CPUS{ is not closed", 6 },
	{ "prev_pid == 1.5", "expected && or ||", 13 },
	{ "prev_pid == 1;", "expected && or ||", 13 },
	{ "prev_pid == 1 & 2", "expected && or ||", 14 },
	{ "prev_pid == 1 | 1", "expected && or ||", 14 },
	{ "prev_pid == 1 + 1", "expected && or ||", 14 },
	{ "prev_pid == 0 and 1", "expected && or ||", 14 },
	{ "prev_pid == 1 prev_pid == 2", "expected && or ||", 14 },
	{ "(prev_pid == 0", "expected a ')'", 14 },
	{ "prev_pid == 0)", "no '(' opens this", 13 },
	{ "prev_pid == 0) (", "no '(' opens this", 13 },
	{ "(prev_pid == 0))", "no '(' opens this", 15 },
};

/* Filters for the fields of other:kinds. */
static const struct {
	const char *filter;
	bool good;
} kinds[] = {
	{ "file ~ \"/etc/*\"", true },
	{ "file == 5", false },
	{ "cpus & CPUS{1,2}", true },
	{ "bytes == 5", true }, /* unknown, so it is left to the kernel */
	{ "addr == \"x\"", true },
	{ "user.ustring ~ \"/etc/*\"", true },
	{ "user.ustring == 1", false },
	{ "user == \"x\"", true },
	{ "site == 0xffffffff81000000", true },
	{ "site == \"schedule\"", false },
	{ "site.function == schedule", true },
	{ "site.function == ", false },
	{ "site == schedule", false },
	{ "done == 1", true },
	{ "done == \"x\"", false },
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

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void write_found(const struct td_tracepoints *found, char *buf,
			size_t size)
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
	int rc = td_tracepoints_find(&found, finds[i].system,
				     finds[i].tracepoint, &err);

	ok(rc == finds[i].code && err.code == rc, "find: %s", finds[i].name);
	write_found(&found, text, sizeof(text));
	is_str(text, finds[i].want, "find: %s: what", finds[i].name);
	if (finds[i].code)
		ok(strstr(err.msg, finds[i].msg) &&
			   strstr(err.hint, finds[i].hint),
		   "find: %s: %s (%s)", finds[i].name, err.msg, err.hint);
	td_tracepoints_free(&found);
	ok(!found.v && found.nr == 0, "find: %s: freed", finds[i].name);
}

/* The column of the caret, or -1. */
static int caret(const struct td_err *err)
{
	const char *line = strchr(err->place, '\n');

	return line ? (int)strcspn(line + 1, "^") : -1;
}

static void test_filter(size_t i)
{
	struct td_err err = { 0 };
	int rc = td_tracepoint_check_filter("sched", "sched_switch",
					    filters[i].filter, &err);

	if (!filters[i].msg) {
		ok(rc == 0 && err.code == 0, "filter: '%s'%s",
		   filters[i].filter, err.msg);
		return;
	}
	ok(rc == -EINVAL && err.code == rc && err.usage,
	   "filter: '%s' is refused", filters[i].filter);
	ok(strstr(err.msg, filters[i].msg) &&
		   strncmp(err.msg, "the filter of sched:sched_switch: ", 34) ==
			   0,
	   "filter: '%s': %s", filters[i].filter, err.msg);
	ok(caret(&err) == filters[i].column, "filter: '%s': column %d",
	   filters[i].filter, caret(&err));
}

static void test_filters(void)
{
	struct td_err err = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++)
		test_filter(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++)
		ok((td_tracepoint_check_filter("other", "kinds",
					       kinds[i].filter, &err) == 0) ==
			   kinds[i].good,
		   "filter: '%s' is %s", kinds[i].filter,
		   kinds[i].good ? "good" : "refused");
	td_tracepoint_check_filter("sched", "sched_switch", "prev_pit == 1",
				   &err);
	is_str(err.hint, "did you mean 'prev_pid'?", "a field that is close");
	ok(td_tracepoint_check_filter("broken", "no_format", "a == 1", &err) ==
		   -ENOENT,
	   "no format: %s", err.msg);
}

/* A list of fields that is longer than a message. */
static void test_many_fields(void)
{
	static const char head[] = "name: many\nID: 8\n" COMMON;
	char text[8192];
	size_t used = sizeof(head) - 1;
	struct td_err err = { 0 };

	memcpy(text, head, sizeof(head));
	for (int i = 0; i < 100; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 FIELD("int", "number_%d", "4", "1"),
					 i);
	snprintf(text + used, sizeof(text) - used, "\nprint fmt: \"\"\n");
	ok(write_file("events/other/many/id", "8\n") &&
		   write_file("events/other/many/format", text),
	   "a hundred fields");
	ok(td_tracepoint_check_filter("other", "many", "number_99 == 1",
				      &err) == 0,
	   "the last one of them");
	ok(td_tracepoint_check_filter("other", "many", "x == 1", &err) ==
			   -EINVAL &&
		   strstr(err.msg, "its fields are number_0, number_1, ") &&
		   strcmp(err.msg + strlen(err.msg) - 5, ", ...") == 0,
	   "not all of them: %s", err.msg);
}

/* Nothing was asked for by name, so the message names nothing. */
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

	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) ==
			   -EACCES &&
		   found.nr == 0,
	   "%s: not 'unknown', but: %s", what, err.msg);
	snprintf(want, sizeof(want), "mode=750,gid=%u %s",
		 (unsigned int)getegid(), root);
	ok(strstr(err.msg, root) && strstr(err.hint, want), "%s: hint: %s",
	   what, err.hint);
	td_tracepoints_free(&found);
	ok(td_tracepoints_find(&found, "sched", "sched_wakeu*", &err) ==
		   -EACCES,
	   "%s: a glob", what);
	td_tracepoints_free(&found);
	ok(td_tracepoint_check_filter("sched", "sched_switch", "prev_pid == 1",
				      &err) == -EACCES,
	   "%s: a filter", what);
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
		printf("ok %d - rights # SKIP cannot become another user\n",
		       ++test_nr);
		return;
	}
	if (is_root && seteuid(0) == 0 && chmod(root, 0700) == 0 &&
	    seteuid(65534) == 0)
		expect_closed("a folder that is root's");
	if (!is_root && chmod(root, 0) == 0)
		expect_closed("a folder that is closed");
	if (is_root && seteuid(0))
		return;
	chmod(root, 0755);
	set_mode("events/sched/sched_switch/id", 0);
	set_mode("events/sched/sched_wakeup/id", 0);
	set_mode("events/sched/sched_switch/format", 0);
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
	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) ==
			   -ENODEV &&
		   strstr(err.hint, "mount -t tracefs"),
	   "%s: %s", what, err.msg);
	td_tracepoints_free(&found);
	ok(td_tracepoint_check_filter("sched", "sched_switch", "a == 1",
				      &err) == -ENODEV,
	   "%s: a filter", what);
	expect_no_name(what, -ENODEV, "tracefs is not mounted");
}

#define SWITCH "/sys/kernel/tracing/events/sched/sched_switch/"

/* Asks the kernel whether a filter is valid; -1 if there are no events. */
static int kernel_takes(uint64_t id, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	int taken;

	if (fd < 0)
		return -1;
	taken = ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) == 0;
	close(fd);
	return taken;
}

static void test_running_kernel(void)
{
	struct td_tracepoints found;
	struct td_err err = { 0 };
	unsigned long long id = 0;
	FILE *fp = fopen(SWITCH "id", "r");

	if (!fp || fscanf(fp, "%llu", &id) != 1 || kernel_takes(id, "") < 0) {
		printf("ok %d - the running kernel # SKIP no tracepoints\n",
		       ++test_nr);
		if (fp)
			fclose(fp);
		return;
	}
	fclose(fp);
	tracefs_set_tracing_dir(NULL);
	ok(td_tracepoints_find(&found, "sched", "sched_switch", &err) == 0 &&
		   found.nr == 1 && found.v[0].id == id,
	   "the running kernel: its id");
	td_tracepoints_free(&found);
	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++) {
		const char *filter = filters[i].filter;
		bool taken;

		if (filters[i].varies)
			continue;
		taken = td_tracepoint_check_filter("sched", "sched_switch",
						   filter, &err) == 0;

		ok(taken == !filters[i].msg &&
			   taken == (kernel_takes(id, filter) == 1),
		   "the running kernel: '%s'", filter);
	}
}

int main(void)
{
	bool made = make_tree();

	ok(made, "a folder like tracefs");
	for (size_t i = 0; made && i < TD_ARRAY_SIZE(finds); i++)
		test_find(i);
	if (made) {
		test_filters();
		test_many_fields();
		test_rights();
		test_none("nowhere", "no tracefs");
		test_none("events", "a folder that is none");
	}
	test_running_kernel();
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	tracefs_set_tracing_dir(NULL);
	return done_testing();
}
