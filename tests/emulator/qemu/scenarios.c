/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scenarios that there are: those of the truth file, and made-up ones. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/error-report.h"
#include "qemu/thread.h"

static GPtrArray *all;       /* struct tdemu_scenario: of the truth file, or one */
static GHashTable *of_bytes; /* eight bytes -> struct tdemu_scenario */
static QemuMutex lock;
static const struct tdemu_scenario *chosen_at_start;

static struct tdemu_scenario *made_up(const char *name)
{
	struct tdemu_scenario *scenario = g_new0(struct tdemu_scenario, 1);

	scenario->made_up = true;
	g_strlcpy(scenario->name, name, sizeof(scenario->name));
	return scenario;
}

static const struct tdemu_scenario *named(const char *name)
{
	for (guint i = 0; i < all->len; i++) {
		const struct tdemu_scenario *s = g_ptr_array_index(all, i);

		if (!strcmp(s->name, name))
			return s;
	}
	error_report("no scenario '%s' in %s", name, tdemu_settings()->truth);
	exit(1);
}

static void load(void)
{
	const struct tdemu_settings *settings = tdemu_settings();

	qemu_mutex_init(&lock);
	all = g_ptr_array_new();
	of_bytes = g_hash_table_new(g_int64_hash, g_int64_equal);
	if (settings->truth) {
		tdemu_truth_load(settings->truth, all);
	} else {
		struct tdemu_scenario *usual = made_up("usual");

		usual->phased = true;
		g_ptr_array_add(all, usual);
	}
	chosen_at_start = settings->truth && settings->scenario ? named(settings->scenario)
								: g_ptr_array_index(all, 0);
}

const struct tdemu_scenario *tdemu_scenario_default(void)
{
	static gsize once;

	if (g_once_init_enter(&once)) {
		load();
		g_once_init_leave(&once, 1);
	}
	return chosen_at_start;
}

const struct tdemu_scenario *tdemu_scenario_at(uint32_t index)
{
	return index < all->len ? g_ptr_array_index(all, index) : NULL;
}

/* FNV-1a, which a guest program computes as easily. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 0x100000001b3;
	return hash;
}

const struct tdemu_scenario *tdemu_scenario_hashed(uint64_t hash)
{
	for (guint i = 0; i < all->len; i++) {
		const struct tdemu_scenario *s = g_ptr_array_index(all, i);

		if (hash_of(s->name) == hash)
			return s;
	}
	return NULL;
}

/* Kept for good, because counters of any CPU may use it. */
const struct tdemu_scenario *tdemu_scenario_of_bytes(uint64_t bytes)
{
	struct tdemu_scenario *scenario;
	gint64 *key;

	qemu_mutex_lock(&lock);
	scenario = g_hash_table_lookup(of_bytes, &bytes);
	if (!scenario) {
		scenario = made_up("bytes");
		for (int i = 0; i < TDEMU_FIELDS; i++)
			scenario->fields[i] = (bytes >> 8 * i & 255) / 255.;
		key = g_new(gint64, 1);
		*key = (gint64)bytes;
		g_hash_table_insert(of_bytes, key, scenario);
	}
	qemu_mutex_unlock(&lock);
	return scenario;
}
