// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/plan/catalog.h"
#include "lib/base/suggest.h"

/* perf's form, or the same without a stepping, which is then 0. */
static bool is_identity(const char *name, struct td_cpuid *out)
{
	struct td_err unused = { 0 };
	char whole[64];

	if (td_cpuid_parse(name, out, &unused) == 0)
		return true;
	unused = (struct td_err){ 0 };
	return snprintf(whole, sizeof(whole), "%s-0", name) <
		       (int)sizeof(whole) &&
	       td_cpuid_parse(whole, out, &unused) == 0;
}

static bool is_in_table(const char *name, struct td_suggest *near,
			struct td_cpuid *out)
{
	const struct td_model *model;
	struct td_cpuid cpuid;

	for (size_t i = 0; (model = td_model_at(i, &cpuid)); i++) {
		td_suggest_offer(near, model->name, NULL);
		if (strcasecmp(model->name, name) != 0)
			continue;
		*out = cpuid;
		return true;
	}
	return false;
}

static int unknown(const char *name, const struct td_suggest *near,
		   struct td_err *err)
{
	char names[sizeof(err->hint) / 2];

	td_err_usage(err, "--model %s: no such processor", name);
	td_suggest_format(near, names, sizeof(names));
	if (names[0])
		return td_err_hint(err, "did you mean %s?", names);
	return td_err_hint(err, "names are such as alderlake, 'Alder Lake' and "
				"GenuineIntel-6-97");
}

static int find_model(const struct td_opts *opts, struct td_cpuid *out,
		      struct td_err *err)
{
	struct td_suggest near = { .wanted = opts->model };
	struct td_err unused = { 0 };
	char root[PATH_MAX];

	if (is_identity(opts->model, out) ||
	    is_in_table(opts->model, &near, out))
		return 0;
	/* a folder without a map has no names of models */
	if (td_pmu_events_find_model(td_catalog_root(opts->metrics_dir, root),
				     opts->model, &near, out, &unused) == 0)
		return 0;
	return unused.code == -ENOMEM ? td_err_nomem(err)
				      : unknown(opts->model, &near, err);
}

int td_select_model(struct td_sysfs *fs, struct td_machine *machine,
		    const struct td_opts *opts, struct td_err *err)
{
	struct td_cpuid cpuid;
	int rc = find_model(opts, &cpuid, err);

	*fs = (struct td_sysfs){ -1, -1, "/sys", "/proc" };
	return rc ? rc : td_machine_make_up(&cpuid, machine, err);
}
