// SPDX-License-Identifier: GPL-2.0-only
#include <sys/resource.h>

#include "lib/base/util.h"
#include "lib/target/cgroup.h"
#include "tests/unit/fds.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define V1(path, options) "cgroup " path " cgroup " options " 0 0\n"
#define V2(path)          "cgroup2 " path " cgroup2 rw,relatime 0 0\n"
#define OTHERS                                  \
	"proc /proc proc rw,nosuid 0 0\n"       \
	"tmpfs /sys/fs/cgroup tmpfs rw 0 0\n\n" \
	"# a comment\nnonsense\n"
#define V1_CPU V1("/sys/fs/cgroup/cpu", "rw,relatime,cpu")

/* clang-format off */
static const struct {
	const char *name, *mounts; /* NULL: the file does not exist */
	const char *want;          /* NULL: an error */
	const char *error;
} mounts[] = {
	{ "version 2", OTHERS V2("/sys/fs/cgroup"), "/sys/fs/cgroup" },
	{ "version 1",
	  OTHERS V1_CPU V1("/sys/fs/cgroup/perf_event", "rw,perf_event"),
	  "/sys/fs/cgroup/perf_event" },
	{ "both, version 2 first",
	  V2("/sys/fs/cgroup/unified") V1("/one", "rw,perf_event"), "/one" },
	{ "both, version 1 first",
	  V1("/one", "rw,perf_event") V2("/sys/fs/cgroup/unified"), "/one" },
	{ "both, version 1 without perf_event",
	  V1_CPU V2("/sys/fs/cgroup/unified"), "/sys/fs/cgroup/unified" },
	{ "several controllers in one",
	  V1("/sys/fs/cgroup/net", "rw,net_cls,perf_event,net_prio"),
	  "/sys/fs/cgroup/net" },
	{ "options that only look like it",
	  V1("/a", "rw,perf_events") V1("/b", "rw,xperf_event")
		  V1("/c", "rw,name=perf_event") V2("/two"), "/two" },
	{ "types that only look like it",
	  "x /a cgroup3 rw,perf_event 0 0\nx /b cgroups rw,perf_event 0 0\n"
	  "x /c mycgroup rw,perf_event 0 0\n" V2("/two"), "/two" },
	{ "version 1 twice: the first", V1("/a", "rw,perf_event")
	  V1("/b", "rw,perf_event"), "/a" },
	{ "version 2 twice: the last", V2("/a") V2("/b"), "/b" },
	{ "escapes", V2("/my\\040groups\\011of\\012all\\134kinds"),
	  "/my groups\tof\nall\\kinds" },
	{ "no line end", "cgroup2 /two cgroup2 rw 0 0", "/two" },
	{ "none", OTHERS V1_CPU, NULL, "no cgroup file system is mounted" },
	{ "an empty file", "", NULL, "no cgroup file system is mounted" },
	{ "no file", NULL, NULL,
	  "proc/self/mounts: No such file or directory" },
};

/* All cgroups, in the order in which they are found. */
#define ALL "/,a,a/z,a-,b c,new\nline,old,old/web,p(1),system.slice," \
	    "system.slice/ssh.service,w\033[1m,web,web/api,web/api/v1,web/db"

static const char *const folders[] = {
	"web/db/", "web/api/v1/", "a/z/", "a-/", "b c/", "new\nline/",
	"old/web/", "p(1)/", "system.slice/ssh.service/", "w\033[1m/",
};

static const struct row {
	const char *list;
	const char *want;  /* with commas between; NULL: an error */
	const char *notes; /* each with a line feed */
	const char *error, *place;
} matches[] = {
	/* names */
	{ "web", "web" },
	{ "web/api,old/web,web", "web/api,old/web,web" },
	{ "", "/" },
	{ "/", "/" },
	{ "web,", "web,/" },
	{ ",web,,/", "/,web" },
	{ "web,web,a,web", "web,a" },
	{ "/web", "web" },
	{ "//web///api/", "web/api" },
	{ "web/,/web,./web/.,web", "web" },
	{ ".", "/" },
	{ "system.slice", "system.slice" },
	{ "b c,new\nline", "b c,new\nline" },
	{ "web,nowhere,nowhere,a", "web,a",
	  "no access to cgroup nowhere: No such file or directory\n" },
	{ "web/cgroup.procs,web", "web",
	  "no access to cgroup web/cgroup.procs: Not a directory\n" },
	{ "web/cgroup.procs/x,web", "web",
	  "no access to cgroup web/cgroup.procs/x: Not a directory\n" },
	{ "loop,web", "web",
	  "no access to cgroup loop: Too many levels of symbolic links\n" },
	{ "nowhere", NULL,
	  "no access to cgroup nowhere: No such file or directory\n",
	  "no cgroup matched: nowhere" },
	{ "web,a/../web", NULL, "",
	  "cgroup 'a/../web': '..' cannot be in a name",
	  "web,a/../web\n    ^~~~~~~~" },
	{ "..,web", NULL, "", "cgroup '..': '..' cannot be in a name",
	  "..,web\n^~" },
	{ "a/..", NULL, "", "cgroup 'a/..': '..' cannot be in a name",
	  "a/..\n^~~~" },
	{ "..web", NULL,
	  "no access to cgroup ..web: No such file or directory\n",
	  "no cgroup matched: ..web" },

	/* extended regular expressions, anywhere in a name */
	{ ".*", ALL },
	{ "^web$", "web" },
	{ "web$", "old/web,web" },
	{ "^web/", "web/api,web/api/v1,web/db" },
	{ "^/$", "/" },
	{ "^web$,", "/,web" },
	{ ",^web$", "/,web" },
	{ "^a,/z$", "a,a/z,a-" },
	{ "db$,^web", "web,web/api,web/api/v1,web/db" },
	{ "^[ab]$,^b c$", "a,b c" },
	{ "^new$", NULL, "no cgroup matched: ^new$\n",
	  "no cgroup matched: ^new$" },
	{ "^w.\\[", "w\033[1m" },
	{ "(a)pi$", "web/api" },
	{ "p(1),^web$", "p(1),web" }, /* with a name, because p1 alone would match */
	{ "\\(a\\)pi$", NULL, "no cgroup matched: \\(a\\)pi$\n",
	  "no cgroup matched: \\(a\\)pi$" },
	{ "^we+b$", "web" },
	{ "^(web|old)$", "old,web" },
	{ "^a$,nothing,^old$", "a,old", "no cgroup matched: nothing\n" },
	{ "^cgroup.procs$,procs,loop,^a$", "a",
	  "no cgroup matched: ^cgroup.procs$\nno cgroup matched: procs\n"
	  "no cgroup matched: loop\n" },
	{ "web*,a[b,c", NULL, "",
	  "cgroup 'a[b': Unmatched [, [^, [:, [., or [=",
	  "web*,a[b,c\n     ^~~" },
	{ "a{1,2}", NULL, "", "cgroup 'a{1': Unmatched \\{",
	  "a{1,2}\n^~~" },
	{ "^a$,(", NULL, "", "cgroup '(': Unmatched ( or \\(",
	  "^a$,(\n    ^" },
	{ "^a$,(web){200}{200}", NULL, "",
	  "cgroup '(web){200}{200}': too many repetitions or anchors",
	  "^a$,(web){200}{200}\n    ^~~~~~~~~~~~~~~" },
	{ "^we{1}b$", "web" },
}, names[] = {
	{ "web", "web" },
	{ "web,,a", "web,-,a" },
	{ ",web,", "-,web,-" },
	{ "", "-" },
	{ "/", "/" },
	{ "web,web", "web,web" },
	{ "/web//api/", "web/api" },
	{ "w\033[1m", "w\033[1m" },
	{ "web,we.*", NULL, "", "cgroup we.*: No such file or directory" },
	{ "web,nowhere/api,a", NULL, "",
	  "cgroup nowhere/api: No such file or directory" },
	{ "web/cgroup.procs", NULL, "",
	  "cgroup web/cgroup.procs: Not a directory" },
	{ "a,../a", NULL, "", "cgroup '../a': '..' cannot be in a name",
	  "a,../a\n  ^~~~" },
};
/* clang-format on */

static void test_mounts(size_t i, const char *root)
{
	char proc[256], error[512];
	struct td_err err = { 0 };
	struct td_sysfs fs;
	td_autofree char *got = NULL;
	int rc;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	if (mounts[i].mounts)
		test_file(root, "proc/self/mounts", mounts[i].mounts, strlen(mounts[i].mounts));
	if (td_sysfs_open(&fs, root, proc, &err)) {
		ok(false, "%s: %s", mounts[i].name, err.msg);
		return;
	}
	rc = td_cgroup_root(&fs, &got, &err);
	td_sysfs_close(&fs);
	if (mounts[i].want) {
		ok(rc == 0, "%s", mounts[i].name);
		is_str(got, mounts[i].want, "%s: where", mounts[i].name);
		return;
	}
	snprintf(error, sizeof(error), "%s%s%s", mounts[i].mounts ? "" : root,
		 mounts[i].mounts ? "" : "/", mounts[i].error);
	ok(rc == -ENOENT && err.code == rc && !got, "%s", mounts[i].name);
	is_str(err.msg, error, "%s: message", mounts[i].name);
	ok(strstr(err.hint, "mount -t cgroup2"), "%s: hint", mounts[i].name);
}

static void test_unreadable(const char *root)
{
	struct td_sysfs fs = { -1, -1, "sys", "proc" };
	struct td_err err = { 0 };
	char *got;

	test_file(root, "self/mounts/", "", 0);
	fs.proc = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ok(td_cgroup_root(&fs, &got, &err) == -EISDIR && !got, "mounts that cannot be read");
	is_str(err.msg, "proc/self/mounts: Is a directory", "mounts that cannot be read: message");
	td_sysfs_close(&fs);
}

static void test_all_mounts(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(mounts); i++) {
		char root[] = "/tmp/tdstat-cgroup-XXXXXX";

		if (!mkdtemp(root)) {
			ok(false, "%s: no temporary folder", mounts[i].name);
			continue;
		}
		test_file(root, "proc/", "", 0);
		test_mounts(i, root);
		test_tree_remove(root);
	}
}

/* Return true if fd is the directory, open for reading, with FD_CLOEXEC. */
static bool is_open(int fd, const char *root, const char *name)
{
	char path[1024];
	struct stat want, got;
	int flags = fcntl(fd, F_GETFL);

	if (!name)
		return fd == -1;
	snprintf(path, sizeof(path), "%s/%s", root, name);
	return stat(path, &want) == 0 && fstat(fd, &got) == 0 && want.st_dev == got.st_dev &&
	       want.st_ino == got.st_ino && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) &&
	       (fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* The list, printable in a line of TAP. */
static const char *shown(const struct row *row)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s", row->list);
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = '?';
	}
	return text;
}

static void check_cgroups(const struct td_cgroups *got, const char *root, const struct row *row)
{
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	bool all_open = true;

	for (size_t i = 0; i < got->nr; i++) {
		fprintf(fp, "%s%s", i ? "," : "", got->names[i] ? got->names[i] : "-");
		all_open = all_open && is_open(got->fds[i], root, got->names[i]);
	}
	fclose(fp);
	is_str(text, row->want, "'%s': names", shown(row));
	ok(all_open, "'%s': descriptors", shown(row));
	free(text);
}

static void check_error(const struct td_err *err, int rc, const char *root, const struct row *row)
{
	char hint[256];
	bool usage = row->place;

	snprintf(hint, sizeof(hint), "looked for in %s", root);
	ok(rc < 0 && rc == err->code && err->usage == usage, "'%s': refused", shown(row));
	is_str(err->msg, row->error, "'%s': message", shown(row));
	is_str(err->place, usage ? row->place : "", "'%s': place", shown(row));
	is_str(err->hint, usage ? "" : hint, "'%s': hint", shown(row));
}

static void check_notes(const struct td_notes *notes, const struct row *row)
{
	char text[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < notes->nr && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", notes->v[i]);
	is_str(text, row->notes ? row->notes : "", "'%s': notes", shown(row));
}

static void test_row(const struct row *row, const char *root, bool match)
{
	struct td_cgroups got;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	int rc, fds = count_fds();

	rc = match ? td_cgroups_match(&got, root, row->list, &notes, &err)
		   : td_cgroups_name(&got, root, row->list, &err);
	if (row->want) {
		ok(rc == 0 && !err.code, "'%s'", shown(row));
		check_cgroups(&got, root, row);
	} else {
		check_error(&err, rc, root, row);
	}
	check_notes(&notes, row);
	if (rc == 0)
		td_cgroups_free(&got);
	ok(!got.nr && !got.names && !got.fds && count_fds() == fds, "'%s': freed", shown(row));
	td_notes_free(&notes);
}

static void test_no_root(void)
{
	struct td_cgroups got;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };

	ok(td_cgroups_match(&got, "/nowhere", "^a$", &notes, &err) == -ENOENT, "no such mount");
	is_str(err.msg, "/nowhere: No such file or directory", "no such mount: message");
	ok(td_cgroups_name(&got, "/proc", "/proc/no/where", &err) == -ENOENT,
	   "a path of the file system");
	is_str(err.hint, "names begin below /proc: no/where", "a path of the file system: hint");
	ok(td_cgroups_name(&got, "/dev/null", "a", &err) == -ENOTDIR, "a file for a mount");
	ok(!got.nr && !notes.nr, "no cgroups of no mount");
}

/* Running out of descriptors is an error without a hint, and closes all. */
static void test_limit(const char *root, const char *list)
{
	struct td_cgroups got;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	struct rlimit old, few;
	int rc, next = dup(0), fds = count_fds();

	getrlimit(RLIMIT_NOFILE, &old);
	few = old;
	few.rlim_cur = (rlim_t)next + 5;
	setrlimit(RLIMIT_NOFILE, &few);
	rc = td_cgroups_match(&got, root, list, &notes, &err);
	setrlimit(RLIMIT_NOFILE, &old);
	ok(rc == -EMFILE && strstr(err.msg, ": Too many open files") && !err.hint[0] && !notes.nr,
	   "'%s': out of descriptors", list);
	ok(!got.nr && count_fds() == fds, "'%s': nothing stays open", list);
	close(next);
}

#define DEPTH 50

/* Create a directory in a directory, because the path is longer than PATH_MAX. */
static void make_deep(const char *root, int fds[DEPTH], const char *name)
{
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < DEPTH; i++) {
		mkdirat(dir, name, 0755);
		fds[i] = dir;
		dir = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	close(dir);
}

static void remove_deep(int fds[DEPTH], const char *name)
{
	for (int i = DEPTH - 1; i >= 0; i--) {
		unlinkat(fds[i], name, AT_REMOVEDIR);
		close(fds[i]);
	}
}

/* Cgroups within PATH_MAX are found; a note mentions deeper ones. */
static void test_deep(const char *root)
{
	int fds[DEPTH], want = 0;
	struct td_cgroups got;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	char name[101];

	memset(name, 'd', 100);
	name[100] = '\0';
	for (size_t len = strlen(root) + 101; len < 4096; len += 101)
		want++;
	make_deep(root, fds, name);
	ok(td_cgroups_match(&got, root, "^ddd", &notes, &err) == 0 && got.nr == (size_t)want,
	   "a deep tree: %d of %d", want, DEPTH);
	ok(notes.nr == 1 && strncmp(notes.v[0], "no access to cgroup ddd", 23) == 0 &&
		   strstr(notes.v[0], ": File name too long"),
	   "a deep tree: a note of the rest");
	td_cgroups_free(&got);
	td_notes_free(&notes);
	remove_deep(fds, name);
}

/* A name that is longer than messages. */
static void test_long(const char *root)
{
	struct td_cgroups got;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	char list[6001];

	memset(list, 'x', 6000);
	list[6000] = '\0';
	ok(td_cgroups_match(&got, root, list, &notes, &err) == -ENOENT && notes.nr == 1,
	   "a name too long to match");
	ok(td_cgroups_name(&got, root, list, &err) == -ENAMETOOLONG, "a name too long");
	list[5999] = '(';
	ok(td_cgroups_match(&got, root, list, &notes, &err) == -EINVAL && err.usage &&
		   strstr(err.place, "..."),
	   "a long expression that is none");
	td_notes_free(&notes);
}

static void make_tree(const char *root)
{
	char path[256];

	for (size_t i = 0; i < TD_ARRAY_SIZE(folders); i++)
		test_file(root, folders[i], "", 0);
	test_file(root, "web/cgroup.procs", "1\n", 2);
	snprintf(path, sizeof(path), "%s/loop", root);
	if (symlink("loop", path))
		perror(path);
	/* links are not followed: the target is found by its own name */
	snprintf(path, sizeof(path), "%s/link", root);
	if (symlink("web", path))
		perror(path);
}

static uint64_t id_of(const char *root, const char *name)
{
	td_autofree char *path = td_aprintf("%s/%s", root, name);
	struct stat status = { 0 };

	stat(path, &status);
	return status.st_ino;
}

static bool is_named(const struct td_cgroup_paths *paths, uint64_t id, const char *want)
{
	const char *name = td_cgroup_paths_find(paths, id);

	return name && strcmp(name, want) == 0;
}

static void test_ids(const char *root)
{
	struct td_cgroup_paths paths = { 0 };

	td_cgroup_paths_read(&paths, root);
	ok(is_named(&paths, id_of(root, "."), "/") && is_named(&paths, id_of(root, "web"), "web") &&
		   is_named(&paths, id_of(root, "web/api/v1"), "web/api/v1"),
	   "the ids of cgroups");
	ok(paths.nr == paths.nr_read && !td_cgroup_paths_find(&paths, UINT64_MAX), "unknown ids");
	td_cgroup_paths_add(&paths, UINT64_MAX, "/web/new");
	td_cgroup_paths_add(&paths, id_of(root, "web"), "/other");
	ok(is_named(&paths, UINT64_MAX, "web/new") && is_named(&paths, id_of(root, "web"), "web") &&
		   paths.nr == paths.nr_read + 1,
	   "a new cgroup, and a known one");
	td_cgroup_paths_free(&paths);
}

static void test_own(const char *root)
{
	static const struct {
		const char *name, *text, *want;
	} own[] = {
		{ "version 2", "0::/web/api\n", "web/api" },
		{ "the root", "0::/\n", "." },
		{ "version 1", "5:cpu:/old\n4:net_cls,perf_event:/web\n0::/a\n", "web" },
		{ "version 2 beside others", "5:cpu:/old\n1:name=systemd:/old\n0::/a\n", "a" },
		{ "another namespace", "0::/../tdstat-none\n", "none" },
		{ "no cgroups", "", "none" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(own); i++) {
		char proc[] = "/tmp/tdstat-proc-XXXXXX";
		struct td_sysfs fs = { -1, -1 };

		if (!mkdtemp(proc))
			return;
		test_file(proc, "self/cgroup", own[i].text, strlen(own[i].text));
		fs.proc = open(proc, O_RDONLY | O_DIRECTORY);
		ok(td_cgroup_own(&fs, root) == id_of(root, own[i].want), "this process: %s",
		   own[i].name);
		close(fs.proc);
		test_tree_remove(proc);
	}
}

int main(void)
{
	char root[] = "/tmp/tdstat-cgroup-XXXXXX";

	test_all_mounts();
	test_no_root();
	if (!mkdtemp(root)) {
		ok(false, "no temporary folder");
		return done_testing();
	}
	make_tree(root);
	for (size_t i = 0; i < TD_ARRAY_SIZE(matches); i++)
		test_row(&matches[i], root, true);
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		test_row(&names[i], root, false);
	test_ids(root);
	test_own(root);
	test_limit(root, ".*");
	test_limit(root, "web,web/api,web/db,a,a/z,old,old/web");
	test_deep(root);
	test_long(root);
	test_unreadable(root);
	test_tree_remove(root);
	return done_testing();
}
