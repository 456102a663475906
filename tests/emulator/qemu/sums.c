/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What really happened: all events of each CPU in each scenario of the truth file
 * while any counter of its PMU was on, whether anybody counted these events or not.
 * The guest asks for them (threads.c) when a run is over, and so knows what an ideal
 * processor, one with a counter for every event, would have shown of it.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/thread.h"

/* One scenario on one CPU. */
struct sum {
	const struct tdemu_scenario *scenario;
	int64_t waiting; /* ns of the step that is not over, in none of the sums */
	double ns, fields[TDEMU_FIELDS], fixed[TDEMU_FIXED];
	double *events; /* in the order of the truth file */
};

/* Of one CPU; only whoever asks for them is another thread than the CPU's. */
static struct sums {
	QemuMutex lock;
	GArray *all;       /* struct sum */
	struct sum *last;  /* the scenario that ran last */
	int64_t step_ends; /* up to where no rate walks on */
} sums_of[TDEMU_CPUS];

static void __attribute__((constructor)) init(void)
{
	for (int i = 0; i < TDEMU_CPUS; i++) {
		qemu_mutex_init(&sums_of[i].lock);
		sums_of[i].all = g_array_new(false, true, sizeof(struct sum));
	}
}

static const struct tdemu_truth *truth_of(const struct tdemu_pmu *pmu, const struct sum *sum)
{
	return &sum->scenario->kinds[tdemu_kind(pmu->cpu)];
}

static struct sum *sum_of(struct tdemu_pmu *pmu, struct sums *sums)
{
	struct sum new = { .scenario = pmu->scenario };

	if (sums->last && sums->last->scenario == pmu->scenario)
		return sums->last;
	for (guint i = 0; i < sums->all->len; i++) {
		sums->last = &g_array_index(sums->all, struct sum, i);
		if (sums->last->scenario == pmu->scenario)
			return sums->last;
	}
	new.events = g_new0(double, truth_of(pmu, &new)->events->len);
	g_array_append_val(sums->all, new);
	sums->last = &g_array_index(sums->all, struct sum, sums->all->len - 1);
	return sums->last;
}

static void add_fields(struct tdemu_pmu *pmu, struct sum *sum, double cycles, int64_t at)
{
	const struct tdemu_truth *truth = truth_of(pmu, sum);
	double fields[TDEMU_FIELDS];

	memcpy(fields, truth->fields, sizeof(fields));
	tdemu_noise_fields(pmu, at, fields);
	for (int i = 0; i < TDEMU_FIELDS; i++)
		sum->fields[i] += fields[i] * cycles * pmu->core->width;
}

/* What waited: no rate changed meanwhile. */
static void add_step(struct tdemu_pmu *pmu, struct sum *sum, int64_t at)
{
	const struct tdemu_truth *truth = truth_of(pmu, sum);
	double cycles = (double)sum->waiting * truth->ghz;

	sum->ns += (double)sum->waiting;
	add_fields(pmu, sum, cycles, at);
	for (int i = 0; i < TDEMU_FIXED; i++)
		sum->fixed[i] += cycles * tdemu_true_fixed(pmu, truth, i, at);
	for (guint i = 0; i < truth->events->len; i++) {
		const struct tdemu_event *event =
			&g_array_index(truth->events, struct tdemu_event, i);

		sum->events[i] += cycles * event->rate * tdemu_walk(pmu, event->config, at);
	}
	sum->waiting = 0;
}

static void end_step(struct tdemu_pmu *pmu, struct sums *sums)
{
	for (guint i = 0; i < sums->all->len; i++) {
		struct sum *sum = &g_array_index(sums->all, struct sum, i);

		if (sum->waiting)
			add_step(pmu, sum, sums->step_ends - 1);
	}
}

/* So many ns from pmu->at on, in which no rate changes. */
void tdemu_sum(struct tdemu_pmu *pmu, int64_t ns)
{
	struct sums *sums = &sums_of[pmu->cpu];
	int64_t ends = tdemu_noise_until(pmu->at);

	if (pmu->scenario->made_up || !pmu->scenario->kinds[tdemu_kind(pmu->cpu)].named)
		return;
	qemu_mutex_lock(&sums->lock);
	if (ends != sums->step_ends)
		end_step(pmu, sums);
	sums->step_ends = ends;
	sum_of(pmu, sums)->waiting += ns;
	qemu_mutex_unlock(&sums->lock);
}

static void write_numbers(FILE *out, const char *name, const double *numbers, int nr)
{
	fprintf(out, ", \"%s\": [", name);
	for (int i = 0; i < nr; i++)
		fprintf(out, "%s%.17g", i ? ", " : "", numbers[i]);
	fprintf(out, "]");
}

static void write_events(FILE *out, const struct tdemu_truth *truth, const struct sum *sum)
{
	fprintf(out, ", \"events\": [");
	for (guint i = 0; i < truth->events->len; i++) {
		const struct tdemu_event *event =
			&g_array_index(truth->events, struct tdemu_event, i);

		fprintf(out, "%s[\"%" PRIx64 "\", ", i ? ", " : "", event->config);
		if (event->extra == TDEMU_NO_EXTRA)
			fprintf(out, "null");
		else
			fprintf(out, "\"%" PRIx64 "\"", event->extra);
		fprintf(out, ", %.17g]", sum->events[i]);
	}
	fprintf(out, "]}\n");
}

static void write_sum(FILE *out, const struct tdemu_pmu *pmu, const struct sum *sum)
{
	const struct tdemu_truth *truth = truth_of(pmu, sum);
	double cycles = sum->ns * truth->ghz;

	fprintf(out, "{\"cpu\": %d, \"kind\": %d, \"scenario\": \"%s\", ", pmu->cpu,
		tdemu_kind(pmu->cpu), sum->scenario->name);
	fprintf(out, "\"ns\": %.17g, \"cycles\": %.17g, \"slots\": %.17g", sum->ns, cycles,
		cycles * pmu->core->width);
	write_numbers(out, "fields", sum->fields, TDEMU_FIELDS);
	write_numbers(out, "fixed", sum->fixed, TDEMU_FIXED);
	write_events(out, truth, sum);
}

/* Writes a CPU's sums and begins them anew. */
static void tell(FILE *out, struct tdemu_pmu *pmu)
{
	struct sums *sums = &sums_of[pmu->cpu];

	qemu_mutex_lock(&sums->lock);
	end_step(pmu, sums);
	for (guint i = 0; i < sums->all->len; i++) {
		struct sum *sum = &g_array_index(sums->all, struct sum, i);

		if (sum->ns > 0)
			write_sum(out, pmu, sum);
		g_free(sum->events);
	}
	g_array_set_size(sums->all, 0);
	sums->last = NULL;
	qemu_mutex_unlock(&sums->lock);
}

bool tdemu_tell_sums(void)
{
	const char *path = tdemu_settings()->sums;
	FILE *out = path ? fopen(path, "w") : NULL;
	CPUState *cpu;

	if (!out)
		return false;
	CPU_FOREACH(cpu)
	{
		struct tdemu_pmu *pmu = tdemu_pmu(&X86_CPU(cpu)->env);

		if (pmu)
			tell(out, pmu);
	}
	return !fclose(out);
}
