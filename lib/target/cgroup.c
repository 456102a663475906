// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/cgroup.h"

#include <ctype.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/json.h"
#include "lib/base/regex.h"

#define ID_DIGITS    64
#define SHORT_DIGITS 12 /* as docker ps shows them */
#define UID_DIGITS   36 /* a pod's UID, with separators */
#define SHORT_UID    8
#define MAX_FILE     ((size_t)1 << 24)
#define MAX_DEPTH    64

/* The host's files, even if tdstat runs in a container that sees the host's processes. */
#define ROOT "1/root/"

/* --- files of runtimes ------------------------------------------------------- */

static const struct {
	const char *dir, *file; /* parts of the path before and after the id */
	const char *in;         /* member that contains the names, or NULL */
	/* members that contain the name; those that exist are joined with slashes */
	const char *names[3];
} runtimes[] = {
	{ "var/lib/docker/containers/", "/config.v2.json", NULL, { "Name" } },
	{ "run/containerd/io.containerd.runtime.v2.task/k8s.io/",
	  "/config.json",
	  "annotations",
	  { "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name",
	    "io.kubernetes.cri.container-name" } },
};

#define PODMAN "var/lib/containers/storage/overlay-containers/containers.json"

/* Returns NULL if the file does not exist or must not be read. */
static struct json_object *read_json(const struct td_sysfs *fs, const char *path)
{
	td_autofree char *text = td_malloc(MAX_FILE);
	struct json_object *json = NULL;
	struct td_json_fault fault;

	if (fs->proc < 0 || td_sysfs_read_at(fs->proc, path, text, MAX_FILE) < 0 ||
	    !td_json_text(text, MAX_DEPTH, 0, &json, &fault))
		return json;
	json_object_put(json);
	return NULL;
}

static char *name_in(struct json_object *json, size_t runtime)
{
	const char *const *names = runtimes[runtime].names;
	const char *in = runtimes[runtime].in;
	char *name = NULL;

	if (in)
		json = td_json_member(json, in, json_type_object);
	for (size_t i = 0; json && i < TD_ARRAY_SIZE(runtimes[0].names); i++) {
		const char *part = names[i] ? td_json_string(json, names[i]) : NULL;
		td_autofree char *before = part ? name : NULL;

		if (part)
			name = td_aprintf("%s%s%s", before ? before : "", before ? "/" : "",
					  part + (!before && *part == '/'));
	}
	return name;
}

static char *name_from_runtime(const struct td_sysfs *fs, size_t runtime, const char *id)
{
	td_autofree char *path = td_aprintf(ROOT "%s%.*s%s", runtimes[runtime].dir, ID_DIGITS, id,
					    runtimes[runtime].file);
	struct json_object *json = read_json(fs, path);
	char *name = json ? name_in(json, runtime) : NULL;

	json_object_put(json);
	return name;
}

/* Podman has one file for all containers. */
static char *name_from_podman(const struct td_sysfs *fs, const char *id)
{
	struct json_object *json = read_json(fs, ROOT PODMAN), *names;
	bool is_array = json_object_is_type(json, json_type_array);
	size_t nr = is_array ? json_object_array_length(json) : 0;
	char *name = NULL;

	for (size_t i = 0; !name && i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(json, i);
		const char *own = td_json_string(one, "id");

		names = own && !strncmp(own, id, ID_DIGITS)
				? td_json_member(one, "names", json_type_array)
				: NULL;
		names = names && json_object_array_length(names)
				? json_object_array_get_idx(names, 0)
				: NULL;
		if (json_object_is_type(names, json_type_string))
			name = td_strdup(json_object_get_string(names));
	}
	json_object_put(json);
	return name;
}

static char *name_of_id(const struct td_sysfs *fs, const char *id)
{
	char *name = NULL;

	for (size_t i = 0; !name && i < TD_ARRAY_SIZE(runtimes); i++)
		name = name_from_runtime(fs, i, id);
	if (!name)
		name = name_from_podman(fs, id);
	return name ? name : td_strndup(id, SHORT_DIGITS);
}

/* --- paths ------------------------------------------------------------------- */

/* Returns the text after the prefix; NULL without the prefix or text. */
static const char *after(const char *part, const char *start)
{
	size_t len = strlen(start);

	return !strncmp(part, start, len) && part[len] ? part + len : NULL;
}

static bool cut_end(char *part, const char *end)
{
	size_t len = strlen(part), cut = strlen(end);

	if (len <= cut || strcmp(part + len - cut, end) != 0)
		return false;
	part[len - cut] = '\0';
	return true;
}

/*
 * Finds the id in "docker-ID" or "ID".  Returns NULL if there is none, or if it belongs to the
 * monitor of a container.
 */
static const char *find_id(const char *part)
{
	size_t len = strlen(part);
	const char *id = len < ID_DIGITS ? part : part + len - ID_DIGITS;

	if (strspn(id, "0123456789abcdef") != ID_DIGITS || after(part, "libpod-conmon-") ||
	    after(part, "crio-conmon-"))
		return NULL;
	return id == part || id[-1] == '-' ? id : NULL;
}

/* Returns the short name in "kubepods-burstable-podUID" or "podUID", or NULL. */
static char *name_of_pod(const char *part)
{
	size_t len = strlen(part), end = strlen("pod") + UID_DIGITS;
	const char *pod = len < end ? "" : part + len - end;
	const char *uid = after(pod, "pod");

	if (!uid || strspn(uid, "0123456789abcdef") < SHORT_UID)
		return NULL;
	return td_strndup(pod, strlen("pod") + SHORT_UID);
}

/* Decodes systemd's "\x2d" for a dash. */
static char *unescape(const char *part)
{
	char *name = td_strdup(part), *to = name;
	unsigned int byte;

	for (const char *from = name; *from; from++, to++) {
		if (sscanf(from, "\\x%2x", &byte) == 1 && isxdigit((unsigned char)from[3])) {
			*to = (char)byte;
			from += 3;
		} else {
			*to = *from;
		}
	}
	*to = '\0';
	return name;
}

/* Returns NULL if the part of the path is not a container's. */
static char *name_of_part(const struct td_sysfs *fs, char *part, const char *above)
{
	bool scope = cut_end(part, ".scope") || cut_end(part, ".slice");
	const char *id = find_id(part), *name = NULL;
	char *pod = id ? NULL : name_of_pod(part);

	if (id)
		return name_of_id(fs, id);
	if (pod)
		return pod;
	if (strcmp(above, "lxc") == 0)
		name = part;
	else
		name = after(part, "lxc.payload.");
	if (!name && scope)
		name = after(part, "machine-");
	return name ? unescape(name) : NULL;
}

char *td_container_name(const struct td_sysfs *fs, const char *cgroup)
{
	td_autofree char *copy = td_strdup(cgroup);
	td_autofree char *name = NULL;
	const char *above = "", *rest = "";
	char *left = copy, *part;

	while ((part = strsep(&left, "/"))) {
		const char *end = cgroup + (part - copy) + strlen(part);
		char *found = name_of_part(fs, part, above);

		above = part;
		if (!found)
			continue;
		free(name);
		name = found;
		rest = end;
	}
	return name ? td_aprintf("%s%s", name, rest) : NULL;
}

void td_container_look(const struct td_cgroups *cgroups, size_t index, const struct td_sysfs *fs)
{
	const char *name = cgroups->names[index];

	free(cgroups->containers[index]);
	cgroups->containers[index] = name ? td_container_name(fs, name) : NULL;
}

bool td_cgroups_have_containers(const struct td_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++)
		if (cgroups->containers[i])
			return true;
	return false;
}

/* Finds the first mount of version 1 with perf_event, or else the last one of version 2. */
static int find_root(int proc, char **root)
{
	int fd = proc < 0 ? -1 : openat(proc, "self/mounts", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char line[4 * PATH_MAX];
	struct mntent mount;
	bool v1 = false;
	FILE *mounts;
	int rc;

	if (fd < 0)
		return proc < 0 ? -ENOENT : -errno;
	mounts = td_need(fdopen(fd, "r"));
	while (!v1 && getmntent_r(mounts, &mount, line, sizeof(line))) {
		v1 = strcmp(mount.mnt_type, "cgroup") == 0 && hasmntopt(&mount, "perf_event");
		if (!v1 && strcmp(mount.mnt_type, "cgroup2") != 0)
			continue;
		free(*root);
		*root = td_strdup(mount.mnt_dir);
	}
	rc = ferror(mounts) ? -errno : 0;
	fclose(mounts);
	return rc;
}

int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err)
{
	int rc;

	*root = NULL;
	rc = find_root(fs->proc, root);
	if (rc == 0 && *root)
		return 0;
	free(*root);
	*root = NULL;
	if (rc) {
		td_err_set(err, rc, "%s/self/mounts: %s", fs->proc_path, strerror(-rc));
	} else {
		rc = -ENOENT;
		td_err_set(err, rc, "no cgroup file system is mounted");
	}
	td_err_hint(err, "try 'mount -t cgroup2 none /sys/fs/cgroup'");
	return rc;
}

struct pattern {
	char *text;
	regex_t regex;
	bool matched;
};

/* Search for the cgroups of a list. */
struct cgroup_search {
	const char *root, *list;
	struct td_cgroups *out;
	struct td_notes *notes;
	struct td_err *err;
	struct pattern *patterns;
	size_t nr_patterns;
};

/* --- elements of a list --------------------------------------------------- */

/* Returns a copy.  *rest moves after the comma, or is NULL after the last element. */
static char *next_element(const char **rest)
{
	const char *element = *rest;
	size_t len = strcspn(element, ",");

	*rest = element[len] ? element + len + 1 : NULL;
	return td_strndup(element, len);
}

/* Reports an error and its place in the list; rest follows the element. */
static int wrong_element(const struct cgroup_search *search, const char *element, const char *rest,
			 const char *why)
{
	size_t len = strlen(element);
	const char *end = rest ? rest - 1 : strchr(search->list, '\0');

	td_err_usage(search->err, "cgroup '%s': %s", element, why);
	return td_err_point(search->err, search->list, (size_t)(end - search->list) - len, len);
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

/* Returns the shortest spelling of a path. */
static char *spell(const char *path)
{
	char *name = td_malloc(strlen(path) + sizeof("/")), *end = name;
	const char *part = path + strspn(path, "/");
	size_t len;

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

/* Returns the cgroup name of the next element, to be freed; NULL with err set. */
static char *next_name(const struct cgroup_search *search, const char **rest)
{
	td_autofree char *element = next_element(rest);

	if (has_parent(element)) {
		wrong_element(search, element, *rest, "'..' cannot be in a name");
		return NULL;
	}
	return spell(element);
}

/* --- opening -------------------------------------------------------------- */

static int open_name(const struct cgroup_search *search, const char *name)
{
	int fd = openat(search->out->root, strcmp(name, "/") == 0 ? "." : name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Adds the root to the error, or how to type a name given as a path of the file system. */
static int hint_at_root(const struct cgroup_search *search, const char *name)
{
	const char *root = search->root + strspn(search->root, "/");
	size_t len = strlen(root);

	name += strspn(name, "/");
	if (strncmp(name, root, len) == 0 && name[len] == '/')
		return td_err_hint(search->err, "names begin below %s: %s", search->root,
				   name + len + 1);
	return td_err_hint(search->err, "looked for in %s", search->root);
}

static int no_cgroup(const struct cgroup_search *search, const char *name, int code)
{
	td_err_set(search->err, code, "cgroup %s: %s", name, strerror(-code));
	if (code == -EMFILE || code == -ENFILE)
		return code; /* the name is not the cause */
	return hint_at_root(search, name);
}

/*
 * Skips a cgroup with a note.  A lack of descriptors or kernel memory is an error
 * because it concerns all cgroups.
 */
static int leave_out(const struct cgroup_search *search, const char *name, int code)
{
	if (code == -EMFILE || code == -ENFILE || code == -ENOMEM)
		return no_cgroup(search, name, code);
	td_notes_add(search->notes, "no access to cgroup %s: %s", name, strerror(-code));
	return 0;
}

/*
 * Adds a cgroup that is counted.  Takes ownership of its name, which may be NULL, and of its
 * descriptor.
 */
static void add(struct td_cgroups *cgroups, char *name, int fd)
{
	size_t nr = cgroups->nr;
	char **names = td_array_add(&cgroups->names, nr, sizeof(*names));
	int *fds = td_array_add(&cgroups->fds, nr, sizeof(*fds));

	td_array_add(&cgroups->gone, nr, sizeof(*cgroups->gone));
	td_array_add(&cgroups->containers, nr, sizeof(*cgroups->containers));
	if (name)
		td_index_add(&cgroups->index, td_hash_text(name), nr);
	*names = name;
	*fds = fd;
	cgroups->nr++;
}

static int add_if_there(const struct cgroup_search *search, const char *name)
{
	int fd = open_name(search, name);

	if (fd < 0)
		return leave_out(search, name, fd);
	add(search->out, td_strdup(name), fd);
	return 0;
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

static int compile(const struct cgroup_search *search, struct pattern *pattern, const char *rest)
{
	char why[128];
	int rc = td_regex_compile(&pattern->regex, *pattern->text ? pattern->text : "^/$", why,
				  sizeof(why));

	return rc ? wrong_element(search, pattern->text, rest, why) : 0;
}

static int read_patterns(struct cgroup_search *search)
{
	const char *rest = search->list;
	struct pattern *patterns;
	size_t nr = 1;

	for (const char *c = rest; *c; c++)
		nr += *c == ',';
	patterns = search->patterns = td_calloc(nr, sizeof(*patterns));
	for (size_t i = 0; rest; i++) {
		patterns[i].text = next_element(&rest);
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

	td_for_each(struct pattern, pattern, search->patterns, search->nr_patterns) {
		/* "a(1)" also matches the cgroup of that name */
		if (strcmp(name, pattern->text) != 0 && regexec(&pattern->regex, name, 0, NULL, 0))
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
	/*
	 * children of a directory that cannot be read are missed, unless it has just been removed
	 */
	if ((entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS) && entry->fts_errno != ENOENT)
		return leave_out(search, name, -entry->fts_errno);
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(const struct cgroup_search *search)
{
	td_autofree char *root = td_strdup(search->root);
	char *roots[] = { root, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT | FTS_XDEV, by_name);
	FTSENT *entry;
	int rc = 0;

	if (!tree)
		/* cppcheck-suppress memleak; root is freed on the way out */
		return td_err_set(search->err, -errno, "%s: %s", search->root, strerror(errno));
	while (rc == 0 && (entry = fts_read(tree)))
		rc = match_entry(search, entry);
	if (rc == 0 && errno)
		rc = td_err_set(search->err, -errno, "%s: %s", search->root, strerror(errno));
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
	for (size_t i = 0; i < search->nr_patterns; i++) {
		regfree(&search->patterns[i].regex);
		free(search->patterns[i].text);
	}
	free(search->patterns);
	return rc;
}

/* --- lists ---------------------------------------------------------------- */

static int run(struct cgroup_search *search, int (*fill)(struct cgroup_search *search))
{
	int rc;

	*search->out = (struct td_cgroups){ 0 };
	search->out->root = open(search->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (search->out->root < 0) {
		search->out->root = 0;
		return td_err_set(search->err, -errno, "%s: %s", search->root, strerror(errno));
	}
	rc = fill(search);
	if (rc)
		td_cgroups_free(search->out);
	return rc;
}

int td_cgroups_match(struct td_cgroups *out, const char *root, const char *list,
		     struct td_notes *notes, struct td_err *err)
{
	struct cgroup_search search = {
		.root = root, .list = list, .out = out, .notes = notes, .err = err
	};
	bool patterns = strpbrk(list, "{}[]()|*+?^$");
	int rc = run(&search, patterns ? add_matches : add_names);

	if (rc || out->nr)
		return rc;
	td_cgroups_free(out);
	td_err_set(err, -ENOENT, "no cgroup matched: %s", list);
	return hint_at_root(&search, list);
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
		add(search->out, empty ? NULL : td_strdup(name), fd);
	}
	return 0;
}

int td_cgroups_name(struct td_cgroups *out, const char *root, const char *list, struct td_err *err)
{
	struct cgroup_search search = { .root = root, .list = list, .out = out, .err = err };

	return run(&search, add_elements);
}

/* --- cgroups that are removed, or replaced with one of the same name ----------- */

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
	if (open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino)
		return 0;
	fd = openat(cgroups->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (dup3(fd, cgroups->fds[index], O_CLOEXEC) < 0)
		rc = -errno;
	td_close_fd(&fd);
	return rc ?: 1;
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

/* --- cgroups that appear after the start ------------------------------------- */

int td_new_cgroups_find(struct td_new_cgroups *new, const struct td_sysfs *fs, const char *list)
{
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	char *root;
	int rc;

	td_new_cgroups_free(new);
	rc = td_cgroup_root(fs, &root, &err);
	if (rc)
		return rc;
	/* cgroups that cannot be opened were reported at the start */
	rc = td_cgroups_match(&new->found, root, list, &notes, &err);
	td_notes_free(&notes);
	free(root);
	return rc;
}

static void rebuild_index(struct td_cgroups *cgroups)
{
	td_index_clear(&cgroups->index);
	for (size_t i = 0; i < cgroups->nr; i++)
		td_index_add(&cgroups->index, td_hash_text(cgroups->names[i]), i);
}

static int replace(struct td_cgroups *cgroups, size_t at, char **name, int fd)
{
	char *before = cgroups->names[at];

	if (dup3(fd, cgroups->fds[at], O_CLOEXEC) < 0)
		return -errno;
	cgroups->names[at] = *name;
	*name = before;
	rebuild_index(cgroups);
	return 0;
}

/* Closes the descriptors but keeps the names. */
static void close_found(struct td_cgroups *found)
{
	for (size_t i = 0; i < found->nr; i++)
		td_close_fd(&found->fds[i]);
	if (found->root)
		td_close_fd(&found->root);
	found->root = 0;
}

int td_new_cgroups_next(struct td_new_cgroups *new, struct td_cgroups *cgroups, size_t *index)
{
	struct td_cgroups *found = &new->found;

	for (; new->next < found->nr; new->next++) {
		char **name = &found->names[new->next];
		int *fd = &found->fds[new->next];

		if (td_cgroups_find(cgroups, *name) < cgroups->nr)
			continue;
		new->next++;
		*index = 0;
		while (*index < cgroups->nr && !cgroups->gone[*index])
			++*index;
		if (*index < cgroups->nr)
			return replace(cgroups, *index, name, *fd);
		add(cgroups, *name, *fd);
		td_cgroup_set_gone(cgroups, cgroups->nr - 1, true);
		*name = NULL;
		*fd = -1;
		return 0;
	}
	close_found(found);
	return 1;
}

void td_cgroups_drop_last(struct td_cgroups *cgroups)
{
	size_t last = cgroups->nr - 1;

	td_cgroup_set_gone(cgroups, last, false);
	free(cgroups->names[last]);
	free(cgroups->containers[last]);
	td_close_fd(&cgroups->fds[last]);
	cgroups->nr = last;
	rebuild_index(cgroups);
}

void td_new_cgroups_free(struct td_new_cgroups *new)
{
	td_cgroups_free(&new->found);
	*new = (struct td_new_cgroups){ 0 };
}

/* --- all cgroups, by their ids ------------------------------------------------- */

void td_cgroup_paths_add(struct td_cgroup_paths *paths, uint64_t id, const char *path)
{
	size_t at = td_index_find(&paths->by_id, td_hash(id));

	if (at != TD_NOT_FOUND)
		return;
	td_array_add(&paths->ids, paths->nr, sizeof(*paths->ids));
	td_array_add(&paths->names, paths->nr, sizeof(*paths->names));
	paths->ids[paths->nr] = id;
	paths->names[paths->nr] = spell(path);
	td_index_add(&paths->by_id, td_hash(id), paths->nr++);
}

/* A cgroup's id is the inode number of its directory. */
void td_cgroup_paths_read(struct td_cgroup_paths *paths, const char *root)
{
	td_autofree char *top = td_strdup(root);
	char *roots[] = { top, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT | FTS_XDEV, NULL);
	struct stat status;
	FTSENT *entry;

	td_cgroup_paths_free(paths);
	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_D && !stat(entry->fts_path, &status))
			td_cgroup_paths_add(paths, status.st_ino, entry->fts_path + strlen(root));
	}
	if (tree)
		fts_close(tree);
	paths->nr_read = paths->nr;
}

const char *td_cgroup_paths_find(const struct td_cgroup_paths *paths, uint64_t id)
{
	size_t at = td_index_find(&paths->by_id, td_hash(id));

	return at == TD_NOT_FOUND ? NULL : paths->names[at];
}

void td_cgroup_paths_free(struct td_cgroup_paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		free(paths->names[i]);
	free(paths->names);
	free(paths->ids);
	td_index_free(&paths->by_id);
	*paths = (struct td_cgroup_paths){ 0 };
}

/*
 * Returns the path in a line of /proc/self/cgroup, "0::/a" or "4:cpu,perf_event:/a", or NULL if the
 * line is of another hierarchy.  The text after the path is cut off.
 */
static char *own_path(char *line, bool v1)
{
	char *controllers = strchr(line, ':'), *path;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return NULL;
	*path = '\0';
	if (v1 ? !strstr(controllers, "perf_event") : controllers[1] != '\0')
		return NULL;
	return path + 1;
}

uint64_t td_cgroup_own(const struct td_sysfs *fs, const char *root)
{
	char text[4 * PATH_MAX], *rest, *line;

	for (int v1 = 1; v1 >= 0; v1--) {
		if (td_sysfs_read_at(fs->proc, "self/cgroup", text, sizeof(text)) <= 0)
			return 0;
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			const char *path = own_path(line, v1);
			td_autofree char *full = path ? td_aprintf("%s%s", root, path) : NULL;
			struct stat status;

			if (full)
				return stat(full, &status) ? 0 : status.st_ino;
		}
	}
	return 0;
}
