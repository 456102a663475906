// SPDX-License-Identifier: GPL-2.0-only
/* Finds the names of containers from the paths of their cgroups. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/target/cgroup.h"

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
