// SPDX-License-Identifier: GPL-2.0-only
/* Looks up lists of names and expressions among some cgroups. */
#include "tests/fuzz/replay.h"

#include <dirent.h>
#include <stdbool.h>

#include "lib/target/cgroup.h"
#include "tests/fuzz/cheap.h"
#include "tests/fuzz/folder.h"

static const char *const groups[] = {
	"web/api/", "web/a b/", "db/", "system.slice/ssh.service/", "x+y/[z]/",
};

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct td_cgroups *cgroups, bool unnamed)
{
	for (size_t i = 0; i < cgroups->nr; i++) {
		const char *name = cgroups->names[i];

		demand(name ? *name && !strchr(name, ',') && cgroups->fds[i] >= 0
			    : unnamed && cgroups->fds[i] == -1);
	}
}

static void check_error(const struct td_cgroups *cgroups, const struct td_err *err, int rc)
{
	demand(rc < 0 && rc == err->code && err->msg[0]);
	demand(!cgroups->nr && !cgroups->names && !cgroups->fds);
}

static void match(const char *list)
{
	struct td_cgroups cgroups;
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	int rc = td_cgroups_match(&cgroups, folder, list, &notes, &err);

	if (rc)
		check_error(&cgroups, &err, rc);
	demand(rc || cgroups.nr);
	check(&cgroups, false);
	td_cgroups_free(&cgroups);
	td_notes_free(&notes);
}

static void name(const char *list)
{
	struct td_cgroups cgroups;
	struct td_err err = { 0 };
	int rc = td_cgroups_name(&cgroups, folder, list, &err);

	if (rc)
		check_error(&cgroups, &err, rc);
	check(&cgroups, true);
	td_cgroups_free(&cgroups);
}

/* The lowest free descriptor must not change: none may stay open. */
static void look_up(const char *list)
{
	int next = dup(0);

	close(next);
	match(list);
	name(list);
	demand(dup(0) == next);
	close(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = strndup((const char *)data, size);

	if (folder_fd < 0)
		make_folder(groups, TD_ARRAY_SIZE(groups));
	if (list && is_cheap(list))
		look_up(list);
	free(list);
	return 0;
}
