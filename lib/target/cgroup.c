// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/regex.h"
#include "lib/base/util.h"

/*
 * The first version 1 mount ends the search; a later one of version 2 wins over
 * an earlier one.
 */
static int find_root(FILE *mounts, char **root)
{
	char line[4 * PATH_MAX];
	struct mntent mount;
	bool v1 = false;

	while (!v1 && getmntent_r(mounts, &mount, line, sizeof(line))) {
		v1 = strcmp(mount.mnt_type, "cgroup") == 0 &&
		     hasmntopt(&mount, "perf_event");
		if (!v1 && strcmp(mount.mnt_type, "cgroup2") != 0)
			continue;
		free(*root);
		*root = strdup(mount.mnt_dir);
		if (!*root)
			return -ENOMEM;
	}
	return ferror(mounts) ? -errno : 0;
}

static int read_mounts(int proc, char **root)
{
	int fd = proc < 0 ? -1
			  : openat(proc, "self/mounts",
				   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *mounts;
	int rc;

	if (fd < 0)
		return proc < 0 ? -ENOENT : -errno;
	mounts = fdopen(fd, "r");
	if (!mounts) {
		close(fd);
		return -ENOMEM;
	}
	rc = find_root(mounts, root);
	fclose(mounts);
	return rc;
}

int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err)
{
	int rc;

	*root = NULL;
	rc = read_mounts(fs->proc, root);
	if (rc == 0 && *root)
		return 0;
	free(*root);
	*root = NULL;
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc)
		td_err_set(err, rc, "%s/self/mounts: %s", fs->proc_path,
			   strerror(-rc));
	else
		td_err_set(err, -ENOENT, "no cgroup file system is mounted");
	return td_err_hint(err, "try 'mount -t cgroup2 none /sys/fs/cgroup'");
}

struct pattern {
	char *text;
	regex_t regex;
	bool matched;
};

/* A list of cgroups that is taken apart, and what is needed to find them. */
struct cgroup_search {
	const char *root, *list;
	int dir; /* root, opened */
	struct td_cgroups *out;
	struct td_notes *notes;
	struct td_err *err;
	struct pattern *patterns; /* in place of names */
	size_t nr_patterns;
};

/* --- elements of a list --------------------------------------------------- */

/*
 * Returns a copy, or NULL if out of memory.  *rest moves behind the comma, or
 * is NULL after the last element.
 */
static char *next_element(const char **rest)
{
	const char *element = *rest;
	size_t len = strcspn(element, ",");

	*rest = element[len] ? element + len + 1 : NULL;
	return strndup(element, len);
}

/* Reports an error and its place in the list; rest is behind the element. */
static int wrong_element(const struct cgroup_search *search,
			 const char *element, const char *rest, const char *why)
{
	size_t len = strlen(element);
	const char *end = rest ? rest - 1 : strchr(search->list, '\0');

	td_err_usage(search->err, "cgroup '%s': %s", element, why);
	return td_err_point(search->err, search->list,
			    (size_t)(end - search->list) - len, len);
}

static bool has_parent(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && memcmp(path, "..", len) == 0)
			return true;
		path += len + strspn(path + len, "/");
	}
	return false;
}

/* The shortest spelling of a path; NULL if out of memory. */
static char *spell(const char *path)
{
	char *name = malloc(strlen(path) + sizeof("/")), *end = name;
	const char *part = path + strspn(path, "/");
	size_t len;

	if (!name)
		return NULL;
	for (; *part; part += len + strspn(part + len, "/")) {
		len = strcspn(part, "/");
		if (len == 1 && *part == '.')
			continue;
		if (end > name)
			*end++ = '/';
		end = mempcpy(end, part, len);
	}
	if (end == name)
		*end++ = '/';
	*end = '\0';
	return name;
}

/* The cgroup name of the next element, to be freed; NULL with err set. */
static char *next_name(const struct cgroup_search *search, const char **rest)
{
	td_autofree char *element = next_element(rest);
	char *name;

	if (element && has_parent(element)) {
		wrong_element(search, element, *rest,
			      "'..' cannot be in a name");
		return NULL;
	}
	name = element ? spell(element) : NULL;
	if (!name)
		td_err_nomem(search->err);
	return name;
}

/* --- opening -------------------------------------------------------------- */

static int open_name(const struct cgroup_search *search, const char *name)
{
	int fd = openat(search->dir, strcmp(name, "/") == 0 ? "." : name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Hints at how a name is to be typed that is a path of the file system. */
static int say_where(const struct cgroup_search *search, const char *name)
{
	const char *root = search->root + strspn(search->root, "/");
	size_t len = strlen(root);

	name += strspn(name, "/");
	if (strncmp(name, root, len) == 0 && name[len] == '/')
		return td_err_hint(search->err, "names begin below %s: %s",
				   search->root, name + len + 1);
	return td_err_hint(search->err, "looked for in %s", search->root);
}

static int no_cgroup(const struct cgroup_search *search, const char *name,
		     int code)
{
	td_err_set(search->err, code, "cgroup %s: %s", name, strerror(-code));
	if (code == -EMFILE || code == -ENFILE)
		return code; /* the name is not to blame */
	return say_where(search, name);
}

/*
 * Skips a cgroup with a note.  A lack of descriptors or memory is an error, as
 * it would hit all the others, too.
 */
static int leave_out(const struct cgroup_search *search, const char *name,
		     int code)
{
	if (code == -EMFILE || code == -ENFILE || code == -ENOMEM)
		return no_cgroup(search, name, code);
	td_notes_add(search->notes, "no access to cgroup %s: %s", name,
		     strerror(-code));
	return 0;
}

int td_cgroups_add(struct td_cgroups *cgroups, char *name, int fd)
{
	size_t nr = cgroups->nr;
	char **names = td_array_add(&cgroups->names, nr, sizeof(*names));
	int *fds = td_array_add(&cgroups->fds, nr, sizeof(*fds));

	if (!names || !fds ||
	    !td_array_add(&cgroups->gone, nr, sizeof(*cgroups->gone)) ||
	    !td_array_add(&cgroups->containers, nr,
			  sizeof(*cgroups->containers)) ||
	    (name && td_index_add(&cgroups->index, td_hash_text(name), nr)))
		return -ENOMEM;
	*names = name;
	*fds = fd;
	cgroups->nr++;
	return 0;
}

/* Takes fd and copies the name. */
static int add(const struct cgroup_search *search, const char *name, int fd)
{
	char *copy = name ? strdup(name) : NULL;

	if ((!name || copy) && !td_cgroups_add(search->out, copy, fd))
		return 0;
	free(copy);
	td_close_fd(&fd);
	return td_err_nomem(search->err);
}

static int add_if_there(const struct cgroup_search *search, const char *name)
{
	int fd = open_name(search, name);

	return fd < 0 ? leave_out(search, name, fd) : add(search, name, fd);
}

static int add_names(struct cgroup_search *search)
{
	const char *rest = search->list;

	while (rest) {
		td_autofree char *name = next_name(search, &rest);

		if (!name)
			return search->err->code;
		if (td_cgroups_find(search->out, name) < search->out->nr)
			continue;
		if (add_if_there(search, name))
			return search->err->code;
	}
	return 0;
}

/* --- regular expressions -------------------------------------------------- */

static void free_patterns(struct cgroup_search *search)
{
	for (size_t i = 0; i < search->nr_patterns; i++) {
		regfree(&search->patterns[i].regex);
		free(search->patterns[i].text);
	}
	free(search->patterns);
}

static int compile(const struct cgroup_search *search, struct pattern *pattern,
		   const char *rest)
{
	char why[128];
	int rc = td_regex_compile(&pattern->regex,
				  *pattern->text ? pattern->text : "^/$", why,
				  sizeof(why));

	if (rc == -ENOMEM)
		return td_err_nomem(search->err);
	return rc ? wrong_element(search, pattern->text, rest, why) : 0;
}

static int read_patterns(struct cgroup_search *search)
{
	const char *rest = search->list;
	struct pattern *patterns;
	size_t nr = 1;

	for (const char *c = rest; *c; c++)
		nr += *c == ',';
	patterns = search->patterns = calloc(nr, sizeof(*patterns));
	if (!patterns)
		return td_err_nomem(search->err);
	for (size_t i = 0; rest; i++) {
		patterns[i].text = next_element(&rest);
		if (!patterns[i].text)
			return td_err_nomem(search->err);
		if (compile(search, &patterns[i], rest)) {
			free(patterns[i].text);
			return search->err->code;
		}
		search->nr_patterns = i + 1;
	}
	return 0;
}

static bool matches(const struct cgroup_search *search, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < search->nr_patterns; i++) {
		struct pattern *pattern = &search->patterns[i];

		/* "a(1)" is the cgroup of that name, too */
		if (strcmp(name, pattern->text) != 0 &&
		    regexec(&pattern->regex, name, 0, NULL, 0))
			continue;
		pattern->matched = any = true;
	}
	return any;
}

static int match_entry(const struct cgroup_search *search, const FTSENT *entry)
{
	const char *name = entry->fts_path + strlen(search->root);

	name += strspn(name, "/");
	if (!*name)
		name = "/";
	if (entry->fts_info == FTS_D)
		return matches(search, name) ? add_if_there(search, name) : 0;
	/* Its children may be missed, unless it has just been removed. */
	if ((entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS) &&
	    entry->fts_errno != ENOENT)
		return leave_out(search, name, -entry->fts_errno);
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(const struct cgroup_search *search)
{
	td_autofree char *root = strdup(search->root);
	char *roots[] = { root, NULL };
	FTSENT *entry;
	FTS *tree;
	int rc = 0;

	if (!root)
		return td_err_nomem(search->err);
	tree = fts_open(roots,
			FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT | FTS_XDEV,
			by_name);
	if (!tree)
		/* cppcheck-suppress memleak; root is freed on the way out */
		return td_err_set(search->err, -errno, "%s: %s", search->root,
				  strerror(errno));
	while (rc == 0 && (entry = fts_read(tree)))
		rc = match_entry(search, entry);
	if (rc == 0 && errno)
		rc = td_err_set(search->err, -errno, "%s: %s", search->root,
				strerror(errno));
	fts_close(tree);
	return rc;
}

static int add_matches(struct cgroup_search *search)
{
	int rc = read_patterns(search);

	if (rc == 0)
		rc = walk(search);
	for (size_t i = 0; rc == 0 && i < search->nr_patterns; i++) {
		if (!search->patterns[i].matched)
			td_notes_add(search->notes, "no cgroup matched: %s",
				     search->patterns[i].text);
	}
	free_patterns(search);
	return rc;
}

/* --- lists ---------------------------------------------------------------- */

static int run(struct cgroup_search *search,
	       int (*fill)(struct cgroup_search *search))
{
	int rc;

	*search->out = (struct td_cgroups){ 0 };
	search->dir = open(search->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (search->dir < 0)
		return td_err_set(search->err, -errno, "%s: %s", search->root,
				  strerror(errno));
	search->out->root = search->dir;
	rc = fill(search);
	if (rc)
		td_cgroups_free(search->out);
	return rc;
}

int td_cgroups_match(struct td_cgroups *out, const char *root, const char *list,
		     struct td_notes *notes, struct td_err *err)
{
	struct cgroup_search search = {
		.root = root,
		.list = list,
		.dir = -1,
		.out = out,
		.notes = notes,
		.err = err,
	};
	bool patterns = strpbrk(list, "{}[]()|*+?^$");
	int rc = run(&search, patterns ? add_matches : add_names);

	if (rc || out->nr)
		return rc;
	td_cgroups_free(out);
	td_err_set(err, -ENOENT, "no cgroup matched: %s", list);
	return say_where(&search, list);
}

static int add_elements(struct cgroup_search *search)
{
	const char *rest = search->list;

	while (rest) {
		bool empty = !*rest || *rest == ',';
		td_autofree char *name = next_name(search, &rest);
		int fd = -1;

		if (!name)
			return search->err->code;
		if (!empty)
			fd = open_name(search, name);
		if (!empty && fd < 0)
			return no_cgroup(search, name, fd);
		if (add(search, empty ? NULL : name, fd))
			return search->err->code;
	}
	return 0;
}

int td_cgroups_name(struct td_cgroups *out, const char *root, const char *list,
		    struct td_err *err)
{
	struct cgroup_search search = {
		.root = root,
		.list = list,
		.dir = -1,
		.out = out,
		.err = err,
	};

	return run(&search, add_elements);
}

/* Cgroups that were found: they may be removed, and made anew with the same name. */

static bool same_folder(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int td_cgroup_look(const struct td_cgroups *cgroups, size_t index)
{
	const char *name = cgroups->names[index];
	struct stat open_one, there;
	int fd, rc = 0;

	if (!name || fstat(cgroups->fds[index], &open_one))
		return 0;
	name = strcmp(name, "/") == 0 ? "." : name;
	if (fstatat(cgroups->root, name, &there, 0))
		return -errno;
	if (same_folder(&open_one, &there))
		return 0;
	fd = openat(cgroups->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (dup3(fd, cgroups->fds[index], O_CLOEXEC) < 0)
		rc = -errno;
	td_close_fd(&fd);
	return rc ? rc : 1;
}

bool td_cgroup_set_gone(struct td_cgroups *cgroups, size_t index, bool gone)
{
	if (cgroups->gone[index] == gone)
		return false;
	cgroups->gone[index] = gone;
	cgroups->nr_gone += gone ? 1 : (size_t)-1;
	return true;
}

size_t td_cgroups_find(const struct td_cgroups *cgroups, const char *name)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&cgroups->index, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(cgroups->names[at], name) != 0);
	return at == TD_NOT_FOUND ? cgroups->nr : at;
}

void td_cgroups_free(struct td_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++) {
		free(cgroups->names[i]);
		free(cgroups->containers[i]);
		td_close_fd(&cgroups->fds[i]);
	}
	if (cgroups->root)
		td_close_fd(&cgroups->root);
	free(cgroups->gone);
	free(cgroups->names);
	free(cgroups->containers);
	free(cgroups->fds);
	td_index_free(&cgroups->index);
	*cgroups = (struct td_cgroups){ 0 };
}
