// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "lib/base/util.h"
#include "lib/machine/cpu.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define CPU(n) "devices/system/cpu/cpu" n "/topology/"
#define NODE   "devices/system/node/"

#define NO_CACHES              \
	{                      \
		-1, -1, -1, -1 \
	}

/* clang-format off */
static const struct {
	const char *path, *text;
} files[] = {
	{ CPU("0") "core_id", "0\n" }, { CPU("0") "cluster_id", "0\n" },
	{ CPU("0") "die_id", "0\n" }, { CPU("0") "physical_package_id", "0\n" },
	{ CPU("0") "core_cpus_list", "0,4\n" },
	{ CPU("1") "core_id", "4\n" }, { CPU("1") "cluster_id", "8\n" },
	{ CPU("1") "die_id", "0\n" }, { CPU("1") "physical_package_id", "1\n" },
	{ CPU("1") "core_cpus_list", "1,5\n" },
	{ CPU("4") "core_id", "0\n" }, { CPU("4") "cluster_id", "-1\n" },
	{ CPU("4") "die_id", "-1\n" }, { CPU("4") "physical_package_id", "0\n" },
	{ CPU("4") "core_cpus_list", "0,4\n" },
	{ CPU("1024") "core_id", "7\n" },
	{ CPU("1024") "core_cpus_list", "1024\n" },
	{ CPU("9") "core_id", "nine\n" }, { CPU("9") "core_cpus_list", "9-\n" },
	{ CPU("10") "die_id", "" }, { CPU("11") "physical_package_id/", "" },
	{ NODE "online", "0,2\n" },
	{ NODE "node0/cpulist", "0,4\n" },
	{ NODE "node2/cpulist", "1,1024\n" },
};

static const struct td_place places[] = {
	{ 0, 0, 0, 0, 0, 0, NO_CACHES },
	{ 1, 4, 8, 0, 1, 2, NO_CACHES },
	{ 4, 0, -1, -1, 0, 0, NO_CACHES },
	{ 7, -1, -1, -1, -1, -1, NO_CACHES }, /* not in sysfs */
	{ 1024, 7, -1, -1, -1, 2, NO_CACHES },
};

#define NEW(n) "devices/system/cpu/cpu" n "/cache/index0/"

/*
 * The files when CPUs 3 and 5 have come online: one of them shares the cache of
 * CPU 4, the other has one of its own.
 */
static const struct {
	const char *path, *text;
} new_files[] = {
	{ CPU("3") "core_id", "0\n" }, { CPU("3") "physical_package_id", "0\n" },
	{ NEW("3") "level", "1\n" }, { NEW("3") "shared_cpu_list", "3-4\n" },
	{ NEW("4") "level", "1\n" }, { NEW("4") "shared_cpu_list", "3-4\n" },
	{ CPU("5") "core_id", "6\n" }, { CPU("5") "physical_package_id", "1\n" },
	{ NEW("5") "level", "1\n" }, { NEW("5") "shared_cpu_list", "5\n" },
};

/* CPU 7 is offline now, and CPU 4 was in a core of another name. */
static const struct td_place places_before[] = {
	{ 4, 2, -1, -1, 0, 0, { 4, -1, -1, -1 } },
	{ 7, 3, 2, 1, 0, 0, { 7, 7, 0, 0 } },
};

static const struct td_place places_after[] = {
	{ 3, 0, -1, -1, 0, -1, { 4, -1, -1, -1 } },
	{ 4, 2, -1, -1, 0, 0, { 4, -1, -1, -1 } },
	{ 5, 6, -1, -1, 1, -1, { 5, -1, -1, -1 } },
	{ 7, 3, 2, 1, 0, 0, { 7, 7, 0, 0 } },
};

static const struct {
	const char *cpus, *want;
	const char *error; /* after the root; NULL: none */
	int code;
} siblings[] = {
	{ "", "" },
	{ "0", "0,4" },
	{ "4", "0,4" },
	{ "0,4", "0,4" },
	{ "0-1", "0-1,4-5" },
	{ "1024", "1024" },
	{ "0,7", .error = CPU("7") "core_cpus_list: No such file or directory",
	  .code = -ENOENT },
	{ "0,9", .error = CPU("9") "core_cpus_list: not a CPU list: 9-",
	  .code = -EINVAL },
};

/* Files with wrong content are errors, unlike files that do not exist. */
static const struct {
	int cpu;
	const char *error;
	int code;
} refused[] = {
	{ 9, CPU("9") "core_id: not a number: nine", -EINVAL },
	{ 10, CPU("10") "die_id: not a number: empty", -EINVAL },
	{ 11, CPU("11") "physical_package_id: Is a directory", -EISDIR },
};
/* clang-format on */

static void test_refused(const struct td_sysfs *fs)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(refused); i++) {
		struct td_place *got = NULL;
		struct td_ints cpus = { 0 };
		struct td_err err = { 0 };
		char want[PATH_MAX];

		td_ints_add(&cpus, refused[i].cpu);
		ok(td_places_read(fs, &cpus, &got, &err) == refused[i].code && !got,
		   "CPU %d is nowhere", refused[i].cpu);
		snprintf(want, sizeof(want), "%s/%s", fs->sys_path, refused[i].error);
		is_str(err.msg, want, "CPU %d: message", refused[i].cpu);
		td_ints_free(&cpus);
	}
}

static void test_places(const struct td_sysfs *fs)
{
	struct td_place *got = NULL;
	struct td_ints cpus = { 0 };
	struct td_err err = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		td_ints_add(&cpus, places[i].cpu);
	ok(td_places_read(fs, &cpus, &got, &err) == 0, "places");
	for (size_t i = 0; got && i < TD_ARRAY_SIZE(places); i++)
		ok(memcmp(&got[i], &places[i], sizeof(got[i])) == 0, "where CPU %d is",
		   places[i].cpu);
	free(got);
	td_ints_free(&cpus);
}

static void test_new(const struct td_sysfs *fs)
{
	struct td_place *got = NULL;
	struct td_ints cpus = { 0 };
	struct td_err err = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(places_after); i++)
		td_ints_add(&cpus, places_after[i].cpu);
	ok(td_places_read(fs, &cpus, &got, &err) == 0 &&
		   td_places_read_caches(fs, got, cpus.nr, &err) == 0,
	   "some are new%s", err.msg);
	td_places_keep(got, cpus.nr, places_before, TD_ARRAY_SIZE(places_before));
	for (size_t i = 0; got && i < TD_ARRAY_SIZE(places_after); i++)
		ok(memcmp(&got[i], &places_after[i], sizeof(got[i])) == 0,
		   "some are new: where CPU %d is", places_after[i].cpu);
	free(got);
	td_ints_free(&cpus);
}

static void test_siblings(const struct td_sysfs *fs)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(siblings); i++) {
		td_autofree char *text = NULL;
		struct td_ints cpus, got;
		struct td_err err = { 0 };
		char want[PATH_MAX];

		td_ints_parse(siblings[i].cpus, TD_MAX_CPU, &cpus);
		ok(td_cpu_siblings(fs, &cpus, &got, &err) == siblings[i].code, "siblings of '%s'",
		   siblings[i].cpus);
		text = td_ints_format(&got);
		is_str(text, siblings[i].want ? siblings[i].want : "", "siblings of '%s' are these",
		       siblings[i].cpus);
		snprintf(want, sizeof(want), "%s/%s", fs->sys_path,
			 siblings[i].error ? siblings[i].error : "");
		is_str(err.msg, siblings[i].error ? want : "", "siblings of '%s': message",
		       siblings[i].cpus);
		td_ints_free(&cpus);
		td_ints_free(&got);
	}
}

int main(void)
{
	char root[] = "/tmp/tdstat-topology-XXXXXX";
	struct td_err err = { 0 };
	struct td_sysfs fs;

	if (!mkdtemp(root) || td_sysfs_open(&fs, root, root, &err)) {
		ok(false, "a temporary folder");
		return done_testing();
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		test_file(root, files[i].path, files[i].text, strlen(files[i].text));
	test_places(&fs);
	test_refused(&fs);
	test_siblings(&fs);
	for (size_t i = 0; i < TD_ARRAY_SIZE(new_files); i++)
		test_file(root, new_files[i].path, new_files[i].text, strlen(new_files[i].text));
	test_new(&fs);
	td_sysfs_close(&fs);
	test_tree_remove(root);
	return done_testing();
}
