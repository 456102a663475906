// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * Maximum number of readings with a timeline (256 CPUs and 256 events).  A larger timeline would
 * need more than 50 MB.
 */
#define MAX_READINGS 65536

/* Maximum number of sums (6 MB), unless this leaves fewer points than TD_TIMELINE_FEW. */
#define MAX_SUMS 262144

static void set_point(struct td_timeline_point *point, const struct td_readings *sum,
		      uint64_t time_ns)
{
	struct td_timeline_sum *v = td_reallocarray(point->v, sum->nr + 1, sizeof(*v));

	point->v = v;
	point->nr = sum->nr;
	point->time_ns = time_ns;
	for (size_t i = 0; i < sum->nr; i++) {
		const struct td_reading *r = &sum->v[i];

		v[i] = (struct td_timeline_sum){ r->value, r->enabled_ns, r->running_ns };
	}
}

static void swap_points(struct td_timeline_point *a, struct td_timeline_point *b)
{
	struct td_timeline_point saved = *a;

	*a = *b;
	*b = saved;
}

/* Joins pairs of batches; the memory of dropped points is reused. */
static void thin_out(struct td_timeline *timeline)
{
	const struct td_timeline_point *points = timeline->points;

	for (size_t i = 0; i < timeline->nr / 2; i++)
		swap_points(&timeline->points[i], &timeline->points[2 * i + 1]);
	timeline->nr /= 2;
	timeline->spacing_ns = points[1].time_ns - points[0].time_ns;
}

static size_t max_points(size_t nr_readings)
{
	size_t max = MAX_SUMS / (nr_readings + 1) / 2 * 2;

	if (max > TD_TIMELINE_POINTS)
		return TD_TIMELINE_POINTS;
	return max > TD_TIMELINE_FEW ? max : TD_TIMELINE_FEW;
}

static uint64_t since_last(const struct td_timeline *timeline, uint64_t time_ns)
{
	return timeline->nr ? time_ns - timeline->points[timeline->nr - 1].time_ns : UINT64_MAX;
}

static void push(struct td_timeline *timeline, const struct td_readings *sum, uint64_t time_ns)
{
	if (timeline->nr >= max_points(sum->nr))
		thin_out(timeline);
	set_point(&timeline->points[timeline->nr], sum, time_ns);
	timeline->nr++;
}

void td_timeline_add(struct td_timeline *timeline, const struct td_readings *sum, uint64_t time_ns)
{
	uint64_t spacing_ns = timeline->spacing_ns;

	if (sum->nr > MAX_READINGS) {
		/* batches of only the beginning do not represent the rest */
		td_timeline_clear(timeline);
		return;
	}
	timeline->nr_reads++;
	/* a read may come a little early */
	timeline->behind = since_last(timeline, time_ns) < spacing_ns - spacing_ns / 10;
	if (!timeline->behind)
		push(timeline, sum, time_ns);
}

void td_timeline_end(struct td_timeline *timeline, const struct td_readings *sum, uint64_t time_ns)
{
	if (!timeline->behind)
		return;
	timeline->behind = false;
	/* less than half a batch belongs to the one before */
	if (since_last(timeline, time_ns) < timeline->spacing_ns / 2) {
		set_point(&timeline->points[timeline->nr - 1], sum, time_ns);
		return;
	}
	push(timeline, sum, time_ns);
}

/* Returns the sum of a reading at a point; 0 before the first one. */
static struct td_timeline_sum sum_at(const struct td_timeline *timeline, size_t end, size_t reading)
{
	static const struct td_timeline_sum none;
	const struct td_timeline_point *point;

	if (!end)
		return none;
	point = &timeline->points[end - 1];
	return reading < point->nr ? point->v[reading] : none;
}

/* Subtracts the difference of two sums. */
static void subtract_sums(struct td_reading *r, struct td_timeline_sum from,
			  struct td_timeline_sum to)
{
	r->value -= to.value - from.value;
	r->enabled_ns -= to.enabled_ns - from.enabled_ns;
	r->running_ns -= to.running_ns - from.running_ns;
}

void td_timeline_leave_out(const struct td_timeline *timeline, size_t batch, const bool *events,
			   const struct td_readings *sum, struct td_readings *rest)
{
	td_readings_copy(rest, sum);
	for (size_t i = 0; i < rest->nr; i++) {
		struct td_reading *r = &rest->v[i];
		uint64_t enabled_ns = r->enabled_ns;

		if (events && !events[r->event])
			continue;
		subtract_sums(r, sum_at(timeline, batch, i), sum_at(timeline, batch + 1, i));
		if (events)
			r->enabled_ns = enabled_ns;
	}
}

void td_timeline_cut_out(const struct td_timeline *timeline, size_t batch,
			 const struct td_readings *sum, struct td_readings *part)
{
	static const struct td_timeline_sum none;
	bool last = batch + 1 >= timeline->nr;

	td_readings_copy(part, sum);
	for (size_t i = 0; i < part->nr; i++) {
		struct td_reading *r = &part->v[i];
		const struct td_timeline_sum whole = { r->value, r->enabled_ns, r->running_ns };

		subtract_sums(r, none, sum_at(timeline, batch, i));
		if (!last)
			subtract_sums(r, sum_at(timeline, batch + 1, i), whole);
	}
}

void td_timeline_join(struct td_timeline *few, const struct td_timeline *timeline)
{
	size_t each = (timeline->nr + TD_TIMELINE_FEW - 1) / TD_TIMELINE_FEW;

	*few = (struct td_timeline){ .nr_reads = timeline->nr_reads,
				     .spacing_ns = timeline->spacing_ns * each,
				     .behind = timeline->behind,
				     .samples = timeline->samples };
	for (size_t end = each; few->nr * each < timeline->nr; end += each) {
		size_t last = end < timeline->nr ? end : timeline->nr;

		few->points[few->nr++] = timeline->points[last - 1];
	}
}

uint64_t td_timeline_batch_ns(const struct td_timeline *timeline, size_t batch, uint64_t start_ns)
{
	uint64_t from = batch ? timeline->points[batch - 1].time_ns : start_ns;

	return timeline->points[batch].time_ns - from;
}

static void copy_point(struct td_timeline_point *to, const struct td_timeline_point *from)
{
	to->v = td_calloc(from->nr + 1, sizeof(*to->v));
	memcpy(to->v, from->v, from->nr * sizeof(*to->v));
	to->nr = from->nr;
	to->time_ns = from->time_ns;
}

void td_timeline_copy(struct td_timeline *to, const struct td_timeline *from)
{
	*to = (struct td_timeline){ .nr_reads = from->nr_reads,
				    .spacing_ns = from->spacing_ns,
				    .behind = from->behind,
				    .samples = from->samples };
	for (; to->nr < from->nr; to->nr++)
		copy_point(&to->points[to->nr], &from->points[to->nr]);
}

void td_timeline_clear(struct td_timeline *timeline)
{
	timeline->nr = 0;
	timeline->nr_reads = 0;
	timeline->spacing_ns = 0;
	timeline->behind = false;
}

void td_timeline_free(struct td_timeline *timeline)
{
	for (size_t i = 0; i < TD_TIMELINE_POINTS; i++)
		free(timeline->points[i].v);
	*timeline = (struct td_timeline){ 0 };
}

/* --- the error of a value over all batches --------------------------------- */

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

/* Returns the exact quantile for 1 degree (Cauchy's distribution) or 2. */
static double few_degrees(double degrees)
{
	return degrees < 2 ? tan(0.475 * M_PI) : 0.95 * sqrt(2 / (1 - 0.9025));
}

/*
 * Cornish and Fisher's expansion around the normal quantile (M. Abramowitz, I.  Stegun, Handbook of
 * Mathematical Functions, 26.7.5): within 0.5 % for 3 or more degrees, and too small below.
 */
double td_student(double degrees)
{
	double n = degrees, x = NORMAL;
	double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
	double x9 = x7 * x * x;

	if (n < 3)
		return few_degrees(n);
	return x + (x3 + x) / (4 * n) + (5 * x5 + 16 * x3 + 3 * x) / (96 * n * n) +
	       (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * n * n * n) +
	       (79 * x9 + 776 * x7 + 1482 * x5 - 1920 * x3 - 945 * x) / (92160 * n * n * n * n);
}

void td_jackknife_add(struct td_jackknife *jackknife, double difference)
{
	if (jackknife->nr)
		jackknife->products += jackknife->last * difference;
	else
		jackknife->first = difference;
	jackknife->last = difference;
	jackknife->sum += difference;
	jackknife->squares += difference * difference;
	jackknife->nr++;
}

/*
 * Returns the correlation of consecutive batches, without the bias of short series (F. H. C.
 * Marriott, J. A. Pope, Bias in the estimation of autocorrelations, Biometrika 41, 1954).
 */
static double correlation(const struct td_jackknife *j, double mean, double squares)
{
	double n = j->nr, r;

	if (!(squares > 0))
		return 0;
	r = j->products - mean * (2 * j->sum - j->first - j->last) + (n - 1) * mean * mean;
	r /= squares;
	r += (1 + 3 * r) / n;
	return fmin(fmax(r, 0), 0.9);
}

/* Minimum, because the estimated correlation may leave too few degrees of freedom. */
#define MIN_DEGREES 3

struct td_jackknifed td_jackknife_end(const struct td_jackknife *j)
{
	double n = j->nr, mean = j->sum / n;
	double squares = fmax(j->squares - n * mean * mean, 0);
	double r = correlation(j, mean, squares);
	double longer = (1 + r) / (1 - r);

	return (struct td_jackknifed){
		.variance = (n - 1) / n * squares * longer,
		.degrees = fmax(j->nr_counted / longer - 1, MIN_DEGREES),
		.of_batch = (n - 1) * squares,
	};
}

double td_stands_out(double before, double middle, double after)
{
	double low = fmin(before, after), high = fmax(before, after);

	return fmax(fmax(middle - high, low - middle), 0);
}

/* --- groups that are in step with the program --------------------------------- */

/*
 * Limits of td_timeline_in_step().  DIFFERENCE: small differences have other causes, such as the
 * cost of switching groups.  CORRELATION of consecutive batches, and SIGMAS of its random variation,
 * which a program without a period exceeds in less than one of 10,000 runs.  MARGIN: noise between
 * neighbours is known to about half.
 */
#define DIFFERENCE  0.005
#define CORRELATION 0.5
#define SIGMAS      4
#define MARGIN      2

/* The instructions of a group in the batches so far, compared with those of all groups. */
struct compared {
	int instructions, reference; /* events of the group; -1: none */
	double sum, expected;        /* sums of differences, and of expected instructions */
	double last, before;         /* the last two differences */
	double noise;                /* sum of squared deviations from neighbours */
};

/* All groups of a PMU that count instructions. */
struct comparison {
	const struct td_plan *plan;
	struct compared *v;
	size_t nr;
	int whole; /* instructions that are counted all the time; -1: none */
	/* sums over groups and batches: of products with the difference before, and of powers */
	double products, squares, fourths;
	unsigned int nr_batches;
	double *values, *ns; /* sums of each event in the current batch */
};

/* Returns the group's member that is event, or has its name and PMU; -1: none. */
static int member_like(const struct td_plan *plan, const struct td_group *group, int event)
{
	const struct td_event *events = plan->events.v;

	for (size_t i = 0; event >= 0 && i < group->nr; i++) {
		int member = group->members[i];

		if (events[member].pmu == events[event].pmu &&
		    strcmp(events[member].name, events[event].name) == 0)
			return member;
	}
	return -1;
}

static void find_compared(struct comparison *c, int pmu, int instructions)
{
	for (size_t g = 0; g < c->plan->nr_groups; g++) {
		const struct td_group *group = &c->plan->groups[g];
		struct compared one = { .instructions = -1 };

		if (group->pmu != pmu || group->family)
			continue;
		one.reference = member_like(c->plan, group, group->reference);
		one.instructions = member_like(c->plan, group, instructions);
		if (one.reference >= 0)
			c->v[c->nr++] = one;
		else if (one.instructions >= 0)
			c->whole = one.instructions;
	}
}

static void sum_events(const struct comparison *c, const struct td_readings *readings)
{
	for (size_t i = 0; i < c->plan->events.nr; i++)
		c->values[i] = c->ns[i] = 0;
	for (size_t i = 0; i < readings->nr; i++) {
		c->values[readings->v[i].event] += (double)readings->v[i].value;
		c->ns[readings->v[i].event] += (double)readings->v[i].running_ns;
	}
}

/* Returns the instructions per reference event of all groups in the batch. */
static double all_groups(const struct comparison *c)
{
	double instructions = 0, ns = 0, reference = 0, reference_ns = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct compared *one = &c->v[i];

		if (c->whole < 0 && one->instructions < 0)
			continue;
		reference += c->values[one->reference];
		reference_ns += c->ns[one->reference];
		if (one->instructions < 0)
			continue;
		instructions += c->values[one->instructions];
		ns += c->ns[one->instructions];
	}
	if (c->whole >= 0) {
		instructions = c->values[c->whole];
		ns = c->ns[c->whole];
	}
	return instructions / ns / (reference / reference_ns);
}

static void compare_batch(struct comparison *c)
{
	double all = all_groups(c);

	if (!isfinite(all))
		return;
	for (size_t i = 0; i < c->nr; i++) {
		struct compared *one = &c->v[i];
		double expected, difference, random;

		if (one->instructions < 0)
			continue;
		expected = all * c->values[one->reference];
		difference = c->values[one->instructions] - expected;
		random = td_stands_out(one->before, one->last, difference);
		one->sum += difference;
		one->expected += expected;
		one->noise += c->nr_batches > 1 ? random * random : 0;
		c->squares += difference * difference;
		c->fourths += pow(difference, 4);
		c->products += difference * one->last;
		one->before = one->last;
		one->last = difference;
	}
	c->nr_batches++;
}

/*
 * Returns the number of independent differences.  A few large ones count more than many small ones,
 * and the differences of all groups from their own sum depend on each other.
 */
static double nr_independent(const struct comparison *c)
{
	double nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		nr += c->v[i].instructions >= 0;
	nr = c->whole < 0 ? (nr - 1) / nr : 1;
	return c->fourths > 0 ? nr * c->squares * c->squares / c->fourths : 0;
}

static bool is_in_step(const struct comparison *c)
{
	double n = c->nr_batches, independent = nr_independent(c);
	bool differs = false;

	for (size_t i = 0; i < c->nr; i++) {
		const struct compared *one = &c->v[i];
		double noise = sqrt(one->noise / TD_STANDS_OUT * n / (n - 2));

		if (one->instructions >= 0)
			differs |=
				fabs(one->sum) > fmax(DIFFERENCE * one->expected, MARGIN * noise);
	}
	return differs && n >= TD_MIN_BATCHES && independent > 0 &&
	       c->products > c->squares * fmax(CORRELATION, SIGMAS / sqrt(independent));
}

bool td_timeline_in_step(const struct td_timeline *timeline, const struct td_readings *sum,
			 const struct td_plan *plan, int pmu, int instructions)
{
	td_autofree struct compared *v = td_calloc(plan->nr_groups + 1, sizeof(*v));
	td_autofree double *sums = td_calloc(2 * plan->events.nr + 1, sizeof(*sums));
	struct comparison c = {
		.plan = plan, .v = v, .whole = -1, .values = sums, .ns = sums + plan->events.nr
	};
	struct td_readings batch = { 0 };

	find_compared(&c, pmu, instructions);
	for (size_t i = 0; c.nr > 1 && i < timeline->nr; i++) {
		td_timeline_cut_out(timeline, i, sum, &batch);
		sum_events(&c, &batch);
		compare_batch(&c);
	}
	free(batch.v);
	return is_in_step(&c);
}
