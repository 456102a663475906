// SPDX-License-Identifier: GPL-2.0-only
/* The names of containers, by the paths of their cgroups. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/target/cgroup.h"

#define ID_DIGITS    64
#define SHORT_DIGITS 12 /* as docker ps shows them */
#define UID_DIGITS   36 /* of a pod, with what is between them */
#define SHORT_UID    8
#define MAX_FILE     ((size_t)1 << 24)
#define MAX_DEPTH    64

/* The host's files, also for who counts in a container that sees its processes. */
#define ROOT "1/root/"

/* --- the runtimes' files ----------------------------------------------------- */

static const struct {
	const char *dir, *file; /* the id stands between them */
	const char *in;       /* the member that holds the names; NULL: none */
	const char *names[3]; /* those that there are, joined by slashes */
} runtimes[] = {
	{ "var/lib/docker/containers/", "/config.v2.json", NULL, { "Name" } },
	{ "run/containerd/io.containerd.runtime.v2.task/k8s.io/",
	  "/config.json",
	  "annotations",
	  { "io.kubernetes.cri.sandbox-namespace",
	    "io.kubernetes.cri.sandbox-name",
	    "io.kubernetes.cri.container-name" } },
};

#define PODMAN "var/lib/containers/storage/overlay-containers/containers.json"

/* NULL: there is no such file, or none that may be read. */
static struct json_object *read_json(const struct td_sysfs *fs,
				     const char *path)
{
	td_autofree char *text = malloc(MAX_FILE);
	struct json_object *json = NULL;
	struct td_json_fault fault;

	if (fs->proc < 0 || !text ||
	    td_sysfs_read_at(fs->proc, path, text, MAX_FILE) < 0 ||
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
		const char *part =
			names[i] ? td_json_string(json, names[i]) : NULL;
		td_autofree char *before = part ? name : NULL;

		if (part && asprintf(&name, "%s%s%s", before ? before : "",
				     before ? "/" : "",
				     part + (!before && *part == '/')) < 0)
			name = NULL;
	}
	return name;
}

static char *ask_runtime(const struct td_sysfs *fs, size_t runtime,
			 const char *id)
{
	td_autofree char *path = NULL;
	struct json_object *json;
	char *name;

	if (asprintf(&path, ROOT "%s%.*s%s", runtimes[runtime].dir, ID_DIGITS,
		     id, runtimes[runtime].file) < 0) {
		path = NULL;
		return NULL;
	}
	json = read_json(fs, path);
	name = json ? name_in(json, runtime) : NULL;
	json_object_put(json);
	return name;
}

/* It has one file for all containers. */
static char *ask_podman(const struct td_sysfs *fs, const char *id)
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
			name = strdup(json_object_get_string(names));
	}
	json_object_put(json);
	return name;
}

static char *name_of_id(const struct td_sysfs *fs, const char *id)
{
	char *name = NULL;

	for (size_t i = 0; !name && i < TD_ARRAY_SIZE(runtimes); i++)
		name = ask_runtime(fs, i, id);
	if (!name)
		name = ask_podman(fs, id);
	return name ? name : strndup(id, SHORT_DIGITS);
}

/* --- paths ------------------------------------------------------------------- */

/* What stands behind this beginning; NULL: it has another, or nothing more. */
static const char *behind(const char *part, const char *start)
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

/* "docker-ID", "ID"; NULL: it has no id, or is of who watches a container. */
static const char *find_id(const char *part)
{
	size_t len = strlen(part);
	const char *id = len < ID_DIGITS ? part : part + len - ID_DIGITS;

	if (strspn(id, "0123456789abcdef") != ID_DIGITS ||
	    behind(part, "libpod-conmon-") || behind(part, "crio-conmon-"))
		return NULL;
	return id == part || id[-1] == '-' ? id : NULL;
}

/* "kubepods-burstable-podUID", "podUID" */
static char *name_of_pod(const char *part)
{
	size_t len = strlen(part), end = strlen("pod") + UID_DIGITS;
	const char *pod = len < end ? "" : part + len - end;
	const char *uid = behind(pod, "pod");

	if (!uid || strspn(uid, "0123456789abcdef") < SHORT_UID)
		return NULL;
	return strndup(pod, strlen("pod") + SHORT_UID);
}

/* systemd writes "\x2d" for a dash. */
static char *unescape(const char *part)
{
	char *name = strdup(part), *to = name;
	unsigned int byte;

	for (const char *from = name; from && *from; from++, to++) {
		if (sscanf(from, "\\x%2x", &byte) == 1 &&
		    isxdigit((unsigned char)from[3])) {
			*to = (char)byte;
			from += 3;
		} else {
			*to = *from;
		}
	}
	if (to)
		*to = '\0';
	return name;
}

/* NULL: it is none of a container. */
static char *name_of_part(const struct td_sysfs *fs, char *part,
			  const char *above)
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
		name = behind(part, "lxc.payload.");
	if (!name && scope)
		name = behind(part, "machine-");
	return name ? unescape(name) : NULL;
}

char *td_container_name(const struct td_sysfs *fs, const char *cgroup)
{
	td_autofree char *copy = strdup(cgroup);
	td_autofree char *name = NULL;
	const char *above = "", *rest = "";
	char *left = copy, *part, *all = NULL;

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
	return name && !td_text_join(&all, name, rest, "") ? all : NULL;
}

void td_container_look(const struct td_cgroups *cgroups, size_t index,
		       const struct td_sysfs *fs)
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
