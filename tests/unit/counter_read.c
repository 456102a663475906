// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of reading groups, with files in place of counters.  A read returns the bytes that were
 * written to the file.  An empty file is like a group that the kernel has given up.
 */
#include "lib/counter/read.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/pace.h"
#include "tests/unit/test.h"

#define NR_GROUPS 3
#define NR_LOOKS  5

/* Result of one read; all zero if the group is given up. */
struct look {
	uint64_t enabled, running, value;
};

/* clang-format off */
static const struct {
	const char *name;
	bool pinned, resume; /* the first group */
	/* two groups on one CPU, then one on another CPU */
	struct look looks[NR_GROUPS][NR_LOOKS];
	struct look want[NR_LOOKS]; /* differences of the first group */
	const char *note; /* a part of it; NULL: none */
	size_t nr_notes;
} rows[] = {
	{ "all the time", true, true,
	  { { { 10, 10, 100 }, { 20, 20, 250 }, { 30, 30, 300 },
	      { 40, 40, 310 }, { 50, 50, 400 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 10, 10, 150 }, { 10, 10, 50 }, { 10, 10, 10 },
	    { 10, 10, 90 } }, NULL, 0 },
	/* it continues with its old values, and its clock stood still */
	{ "a gap", true, true,
	  { { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 22, 22, 190 },
	      { 32, 32, 200 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 33, 15, 9 }, { 43, 20, 10 },
	      { 53, 25, 11 } },
	    { { 10, 10, 1 }, { 90, 20, 2 }, { 180, 30, 3 }, { 280, 40, 4 },
	      { 290, 50, 5 } } },
	  { { 10, 10, 100 }, { 10, 0, 0 }, { 13, 0, 0 }, { 12, 12, 90 },
	    { 10, 10, 10 } }, "first", 1 },
	/* such a CPU has another note */
	{ "a CPU that is somebody else's", true, true,
	  { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	      { 0, 0, 0 } },
	    { { 10, 0, 0 }, { 20, 0, 0 }, { 30, 0, 0 }, { 40, 0, 0 },
	      { 50, 0, 0 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 0, 0 }, { 10, 0, 0 }, { 10, 0, 0 }, { 10, 0, 0 },
	    { 10, 0, 0 } }, NULL, 0 },
	{ "from the beginning", true, true,
	  { { { 0, 0, 0 }, { 0, 0, 0 }, { 5, 5, 50 }, { 15, 15, 60 },
	      { 25, 25, 70 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 0, 0 }, { 10, 0, 0 }, { 5, 5, 50 }, { 10, 10, 10 },
	    { 10, 10, 10 } }, "first", 1 },
	{ "alone on its CPU, once, given up with its CPU", true, true,
	  { { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	      { 0, 0, 0 } },
	    { { 10, 5, 7 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	      { 0, 0, 0 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	    { 0, 0, 0 } }, "first", 2 },
	/* pinned by the user, so it is not started again */
	{ "pinned by the user", true, false,
	  { { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	      { 0, 0, 0 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	    { 0, 0, 0 } }, "a pinned group", 1 },
	/* later counts are used again */
	{ "backwards", false, false,
	  { { { 10, 10, 100 }, { 20, 20, 99 }, { 30, 30, 130 },
	      { 40, 40, 20 }, { 50, 50, 30 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 10, 0, 0 }, { 10, 10, 31 }, { 10, 0, 0 },
	    { 10, 10, 10 } }, "first", 1 },
	{ "past the end of 64 bits", false, false,
	  { { { 10, 10, 100 }, { 20, 20, UINT64_MAX - 9 }, { 30, 30, 10 },
	      { 40, 40, 20 }, { 50, 50, 30 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 10, 10, UINT64_MAX - 109 }, { 10, 10, 20 },
	    { 10, 10, 10 }, { 10, 10, 10 } }, NULL, 0 },
	{ "its CPU went away", false, false,
	  { { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	      { 0, 0, 0 } },
	    { { 10, 5, 7 }, { 20, 10, 8 }, { 30, 15, 9 }, { 40, 20, 10 },
	      { 50, 25, 11 } },
	    { { 10, 10, 1 }, { 20, 20, 2 }, { 30, 30, 3 }, { 40, 40, 4 },
	      { 50, 50, 5 } } },
	  { { 10, 10, 100 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	    { 0, 0, 0 } }, "CPU 0", 1 },
};
/* clang-format on */

/* Group 0 has two events, whose values differ by one. */
static const int members[NR_GROUPS][2] = { { 4, 2 }, { 1 }, { 3 } };
static const size_t nr_members[NR_GROUPS] = { 2, 1, 1 };

static void put_look(int fd, const struct look *look, size_t nr)
{
	uint64_t text[3 + 2 * 2] = { nr, look->enabled, look->running };
	size_t size = (3 + 2 * nr) * sizeof(*text);

	if (!look->enabled)
		return;
	for (size_t i = 0; i < nr; i++)
		text[3 + 2 * i] = look->value + i;
	/* append after the bytes that were already read */
	if (pwrite(fd, text, size, lseek(fd, 0, SEEK_CUR)) != (ssize_t)size)
		perror("pwrite");
}

static void add_steps(size_t r, struct td_group_reader *reader)
{
	static const char *const names[] = { "first", "second", "other" };

	for (int g = NR_GROUPS - 1; g >= 0; g--) {
		struct td_read_step *step = td_group_reader_add(reader);

		*step = (struct td_read_step){
			.fd = memfd_create(names[g], MFD_CLOEXEC),
			.group = g,
			.cpu = g / 2, /* 0, 0, 1 */
			.tid = -1,
			.members = members[g],
			.nr = nr_members[g],
			.name = names[g],
			.pinned = g < 2 && rows[r].pinned,
			.resume = g < 2 && rows[r].resume,
		};
	}
}

/* True if readings are in the order of CPUs, then of groups. */
static bool is_labelled(const struct td_readings *got)
{
	static const int events[] = { 4, 2, 1, 3 }, cpus[] = { 0, 0, 0, 1 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++) {
		if (got->nr != TD_ARRAY_SIZE(events) || got->v[i].event != events[i] ||
		    got->v[i].cpu != cpus[i] || got->v[i].tid != -1)
			return false;
	}
	return true;
}

static bool is_look(const struct td_readings *got, const struct look *want, bool first)
{
	for (size_t i = 0; i < 2; i++) {
		const struct td_reading *r = &got->v[i];
		/* the second event's values are larger by one */
		uint64_t more = first && i && want->value;

		if (r->enabled_ns != want->enabled || r->running_ns != want->running ||
		    r->value != want->value + more)
			return false;
	}
	return true;
}

static void test_row(size_t r)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_err err = { 0 };
	bool counted = false;

	add_steps(r, &reader);
	td_group_reader_begin(&reader);
	for (int look = 0; look < NR_LOOKS; look++) {
		const struct look *want = &rows[r].want[look];
		struct td_readings got;

		for (size_t s = 0; s < NR_GROUPS; s++) {
			int g = reader.steps[s].group;

			put_look(reader.steps[s].fd, &rows[r].looks[g][look], nr_members[g]);
		}
		ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && is_labelled(&got),
		   "%s: look %d", rows[r].name, look);
		ok(is_look(&got, want, !counted && want->value), "%s: look %d: what it counted",
		   rows[r].name, look);
		counted |= want->value > 0;
	}
	ok(notes.nr == rows[r].nr_notes && (!notes.nr || strstr(notes.v[0], rows[r].note)),
	   "%s: %s", rows[r].name, notes.nr ? notes.v[0] : "no note");
	for (size_t s = 0; s < NR_GROUPS; s++)
		close(reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* Counts of a die wait until the reader gets time on its CPU. */
static void test_die(void)
{
	const struct look looks[] = { { 10, 10, 100 }, { 30, 30, 150 } };
	const uint64_t want[] = { 100, 0, 50 };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err = { 0 };
	struct td_read_step *step = td_group_reader_add(&reader);

	*step = (struct td_read_step){
		.fd = memfd_create("group", MFD_CLOEXEC),
		.cpu = CPU_SETSIZE, /* no thread can run there */
		.tid = -1,
		.members = members[1],
		.nr = 1,
		.name = "event",
	};
	td_group_reader_begin(&reader);
	for (int look = 0; look < 3; look++) {
		step = &reader.steps[0];
		step->on_cpu = look == 1;
		put_look(step->fd, &looks[look / 2], 1);
		ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && !got.behind && !step->dead,
		   "die: look %d", look);
		ok(got.v[0].value == want[look], "die: what it counted");
	}
	ok(notes.nr == 1 && strstr(notes.v[0], "CPU 1024"), "die: a note");
	close(step->fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* The counts of a group whose CPU went offline are kept. */
static void test_apart(void)
{
	const struct look together = { 10, 10, 100 }, leader = { 30, 20, 150 };
	const struct look member = { 30, 20, 171 }, gone_on = { 40, 30, 160 };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err = { 0 };
	int *fds = calloc(2, sizeof(*fds));

	for (int i = 0; fds && i < 2; i++)
		fds[i] = memfd_create("member", MFD_CLOEXEC);
	*td_group_reader_add(&reader) = (struct td_read_step){
		.fd = fds[0],
		.fds = fds,
		.tid = -1,
		.members = members[0],
		.nr = 2,
		.name = "event",
	};
	td_group_reader_begin(&reader);
	put_look(fds[0], &together, 2);
	td_group_reader_read(&reader, 0, &got, &err);
	put_look(fds[0], &leader, 1);
	put_look(fds[1], &member, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.v[0].value == 50 &&
		   got.v[1].value == 70,
	   "apart: what each counted");
	ok(got.v[0].enabled_ns == 20 && got.v[1].running_ns == 10, "apart: and for how long");
	put_look(fds[0], &leader, 1);
	put_look(fds[1], &member, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.v[0].value == 0 &&
		   got.v[1].enabled_ns == 0,
	   "apart: and nothing from then on");
	put_look(fds[0], &gone_on, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.v[0].value == 0 &&
		   got.v[0].enabled_ns == 0,
	   "apart: a member that cannot be read: nor are the others");
	ok(reader.steps[0].dead && notes.nr == 0, "apart: its CPU went offline");
	for (int i = 0; i < 2; i++)
		close(fds[i]);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

static void test_failure(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err = { 0 };

	add_steps(0, &reader);
	td_group_reader_begin(&reader);
	close(reader.steps[1].fd);
	ok(td_group_reader_read(&reader, 0, &got, &err) == -EBADF && err.code == -EBADF,
	   "a read that fails");
	is_str(err.msg, "cannot read the counters of second on CPU 0: Bad file descriptor",
	       "a read that fails: message");
	close(reader.steps[0].fd);
	close(reader.steps[2].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* --- tasks that begin and end --------------------------------------------- */

/* Each task has two groups: of events 0 and 1, and of event 2. */
static const int task_members[2][2] = { { 0, 1 }, { 2 } };

/* Adds the groups of a task.  Tids may repeat; the ids of sets do not. */
static void add_task(struct td_group_reader *reader, int thread, int tid)
{
	static size_t set;

	set++;
	for (int g = 1; g >= 0; g--)
		*td_group_reader_add(reader) = (struct td_read_step){
			.fd = memfd_create("task", MFD_CLOEXEC),
			.group = g,
			.cpu = -1,
			.thread = thread,
			.tid = tid,
			.set = set,
			.members = task_members[g],
			.nr = g ? 1 : 2,
			.name = "task",
		};
}

/* Sets the counts of all groups of a task to value, counted in value ns. */
static void put_task(const struct td_group_reader *reader, int tid, uint64_t value)
{
	const struct look look = { value, value, value };

	for (size_t s = 0; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		if (step->tid == tid && !step->ended)
			put_look(step->fd, &look, step->nr);
	}
}

/* "70:e0=100,e1=101,e2=100 ...", in the order of the readings */
static char *describe(const struct td_readings *got)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int tid = 0;

	if (!fp)
		return NULL;
	for (size_t i = 0; i < got->nr; i++) {
		const struct td_reading *r = &got->v[i];

		if (r->tid != tid)
			fprintf(fp, "%s%d:", i ? " " : "", r->tid);
		fprintf(fp, "%se%d=%d%s", r->tid != tid ? "" : ",", r->event, (int)r->value,
			r->running_ns != r->enabled_ns || r->cpu != -1 ? "!" : "");
		tid = r->tid;
	}
	fclose(fp);
	return text;
}

static void look_at(struct td_group_reader *reader, const char *name, const char *want)
{
	struct td_readings got = { 0 };
	td_autofree char *text = NULL;
	struct td_err err = { 0 };

	ok(td_group_reader_read(reader, 0, &got, &err) == 0, "tasks: %s%s", name, err.msg);
	text = describe(&got);
	is_str(text, want, "tasks: %s: readings", name);
}

static void end_task(struct td_group_reader *reader, int tid)
{
	size_t set = 0;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		if (reader->steps[s].tid != tid)
			continue;
		close(reader->steps[s].fd);
		set = reader->steps[s].set;
	}
	td_group_reader_end_sets(reader, &set, 1);
}

static bool is_running_alone(const struct td_readings *readings, int tid)
{
	for (size_t i = 0; i < readings->nr; i++) {
		if (readings->v[i].tid != tid)
			return false;
	}
	return readings->nr == 3;
}

static void begin_tasks(struct td_group_reader *reader)
{
	add_task(reader, 1, 70);
	add_task(reader, 0, 80);
	td_group_reader_begin(reader);
	put_task(reader, 70, 100);
	put_task(reader, 80, 10);
	look_at(reader, "in the order of threads", "80:e0=10,e1=11,e2=10 70:e0=100,e1=101,e2=100");

	add_task(reader, 0, 60);
	add_task(reader, 0, 50);
	td_group_reader_begin(reader);
	put_task(reader, 70, 150);
	put_task(reader, 80, 11);
	put_task(reader, 60, 5);
	put_task(reader, 50, 6);
	look_at(reader, "new ones come last, and from their beginning on",
		"80:e0=1,e1=1,e2=1 70:e0=50,e1=50,e2=50 50:e0=6,e1=7,e2=6 60:e0=5,e1=6,e2=5");
}

static void end_tasks(struct td_group_reader *reader)
{
	end_task(reader, 80);
	end_task(reader, 50);
	put_task(reader, 70, 152);
	put_task(reader, 60, 9);
	look_at(reader, "those that ended count nothing more",
		"80:e0=0,e1=0,e2=0 70:e0=2,e1=2,e2=2 50:e0=0,e1=0,e2=0 60:e0=4,e1=4,e2=4");
	ok(reader->before.v[0].value == 11 && reader->before.v[0].enabled_ns == 11 &&
		   reader->before.v[6].value == 6,
	   "tasks: their values stay");
	put_task(reader, 70, 153);
	put_task(reader, 60, 10);
	look_at(reader, "nor later",
		"80:e0=0,e1=0,e2=0 70:e0=1,e1=1,e2=1 50:e0=0,e1=0,e2=0 60:e0=1,e1=1,e2=1");
}

static void forget_tasks(struct td_group_reader *reader)
{
	td_group_reader_forget_ended(reader);
	put_task(reader, 70, 253);
	put_task(reader, 60, 20);
	look_at(reader, "forgotten: the others go on where they were",
		"70:e0=100,e1=100,e2=100 60:e0=10,e1=10,e2=10");
	td_group_reader_forget_ended(reader);
	put_task(reader, 70, 254);
	put_task(reader, 60, 21);
	look_at(reader, "nobody to be forgotten", "70:e0=1,e1=1,e2=1 60:e0=1,e1=1,e2=1");

	/* the kernel reuses tids */
	end_task(reader, 70);
	td_group_reader_forget_ended(reader);
	add_task(reader, 0, 80);
	td_group_reader_begin(reader);
	put_task(reader, 60, 22);
	put_task(reader, 80, 3);
	look_at(reader, "with nothing of its namesake's", "60:e0=1,e1=1,e2=1 80:e0=3,e1=4,e2=3");
}

static void end_all_tasks(struct td_group_reader *reader)
{
	end_task(reader, 80);
	td_group_reader_forget_ended(reader);
	ok(is_running_alone(&reader->now, 60) && is_running_alone(&reader->before, 60),
	   "tasks: the last one");
	end_task(reader, 60);
	look_at(reader, "all have ended", "60:e0=0,e1=0,e2=0");
	td_group_reader_forget_ended(reader);
	look_at(reader, "and are forgotten", "");
}

/* Adds tasks at once and one by one, then ends half of them. */
static clock_t time_tasks(int nr, bool *right)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err;
	td_autofree size_t *ended = calloc((size_t)nr, sizeof(*ended));
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	clock_t began = clock();

	for (int i = 0; i < nr; i++) {
		*td_group_reader_add(&reader) = (struct td_read_step){
			.fd = fd,
			.cpu = -1,
			.tid = nr - i,
			.set = (size_t)i,
			.members = task_members[1],
			.nr = 1,
			.name = "task",
		};
		td_group_reader_begin(&reader);
		*right &= true;
	}
	*right &= td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == (size_t)nr;
	for (int i = 0; i < nr / 2; i++)
		ended[i] = (size_t)i * 2;
	td_group_reader_end_sets(&reader, ended, (size_t)nr / 2);
	td_group_reader_forget_ended(&reader);
	*right &= reader.now.nr == (size_t)(nr - nr / 2) && reader.now.v[0].tid == nr - 1;
	began = clock() - began;
	close(fd);
	td_group_reader_free(&reader);
	return began;
}

/* 9 s if each task were compared with all earlier ones, else a hundredth. */
static void test_many_tasks(void)
{
	bool right = true;
	clock_t took = time_tasks(60000, &right);

	ok(right && took < test_most_time(60000), "60,000 tasks in %ld us", (long)took);
}

static void test_tasks(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };

	begin_tasks(&reader);
	end_tasks(&reader);
	forget_tasks(&reader);
	end_all_tasks(&reader);
	ok(notes.nr == 0, "tasks: nothing to note");
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* Groups of one CPU are read in the order of the cgroups. */
static void test_cgroups(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got = { 0 };
	struct td_err err = { 0 };
	const struct look look = { 5, 5, 30 };
	bool fine;

	for (int cgroup = 2; cgroup >= 1; cgroup--)
		*td_group_reader_add(&reader) = (struct td_read_step){
			.fd = memfd_create("cgroup", MFD_CLOEXEC),
			.cpu = 0,
			.thread = cgroup - 1,
			.tid = -1,
			.cgroup = cgroup,
			.members = task_members[0],
			.nr = 2,
		};
	td_group_reader_begin(&reader);
	for (size_t s = 0; s < 2; s++)
		put_look(reader.steps[s].fd, &look, 2);
	fine = td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 4;
	for (size_t i = 0; fine && i < 4; i++)
		fine = got.v[i].cgroup == (int)i / 2 + 1 && got.v[i].event == (int)i % 2 &&
		       got.v[i].cpu == 0 && got.v[i].tid == -1 && got.v[i].value == 30 + i % 2;
	ok(fine, "cgroups: one after the other, and each by its number");
	for (size_t s = 0; s < 2; s++)
		close(reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* --- CPUs that stand still ------------------------------------------------ */

static const int own_event[] = { 0, 1 };

/* Adds groups of one event on each CPU; they have one of two events. */
static void add_cpus(struct td_group_reader *reader, int nr_cpus, int nr_groups)
{
	for (int i = 0; i < nr_cpus * nr_groups; i++)
		*td_group_reader_add(reader) = (struct td_read_step){
			.fd = -1,
			.group = i % nr_groups,
			.cpu = i / nr_groups,
			.tid = -1,
			.members = &own_event[i % nr_groups % 2],
			.nr = 1,
			.name = "event",
		};
}

/* clang-format off */
static const struct {
	const char *name;
	uint64_t enabled[2][2]; /* at the second read; [CPU][group] */
	bool off[2];            /* which groups were switched off */
	bool dead[2][2];
} stands[] = {
	{ "all go on", { { 20, 20 }, { 20, 20 } }, { 0 }, { { 0 } } },
	{ "all are switched off", { { 10, 10 }, { 10, 10 } }, { 1, 1 }, { { 0 } } },
	{ "a group is switched off", { { 20, 10 }, { 20, 10 } }, { 0, 1 }, { { 0 } } },
	{ "one CPU stands still", { { 20, 20 }, { 10, 10 } }, { 0 }, { { 0 }, { 1, 1 } } },
	{ "in one of its groups", { { 20, 10 }, { 20, 20 } }, { 0 }, { { 0, 1 } } },
	{ "one each", { { 20, 10 }, { 10, 20 } }, { 0 }, { { 0, 1 }, { 1, 0 } } },
	{ "all stand still", { { 10, 10 }, { 10, 10 } }, { 0 }, { { 1, 1 }, { 1, 1 } } },
};
/* clang-format on */

/* Sets times enabled; those that run grow by later. */
static void put_enabled(const struct td_group_reader *reader, const uint64_t enabled[2][2],
			uint64_t later)
{
	for (size_t s = 0; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];
		uint64_t ns = enabled[step->cpu][step->group];
		struct look look;

		ns += ns > 10 ? later : 0;
		look = (struct look){ ns, ns, ns };

		put_look(step->fd, &look, 1);
	}
}

static bool are_dead(const struct td_group_reader *reader, const bool dead[2][2])
{
	bool right = true;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		right = right && step->dead == dead[step->cpu][step->group];
	}
	return right;
}

static void test_stands(size_t r)
{
	static const bool none[2][2];
	static const uint64_t first[2][2] = { { 10, 10 }, { 10, 10 } };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes, .off = stands[r].off };
	struct td_readings got;
	struct td_err err;

	add_cpus(&reader, 2, 2);
	for (size_t s = 0; s < reader.nr_steps; s++)
		reader.steps[s].fd = memfd_create("stands", MFD_CLOEXEC);
	td_group_reader_begin(&reader);
	put_enabled(&reader, first, 0);
	td_group_reader_read(&reader, 0, &got, &err);
	ok(are_dead(&reader, none), "%s: not at first", stands[r].name);
	for (uint64_t later = 0; later < 2; later++) {
		put_enabled(&reader, stands[r].enabled, later);
		td_group_reader_read(&reader, 0, &got, &err);
	}
	ok(are_dead(&reader, stands[r].dead), "%s", stands[r].name);
	ok(notes.nr == 0, "%s: whoever knows why says so", stands[r].name);
	for (size_t s = 0; s < reader.nr_steps; s++)
		close(reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* The time in which a group rests is time in which it did not run. */
static void test_rests(void)
{
	static const bool off[] = { false, true };
	static const uint64_t first[2][2] = { { 10, 10 }, { 10, 10 } };
	/* on CPU 1, the group was awake for a part of the time */
	static const uint64_t then[2][2] = { { 50, 10 }, { 50, 25 } };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes, .off = off };
	struct td_readings got;
	struct td_err err;

	add_cpus(&reader, 2, 2);
	for (size_t s = 0; s < reader.nr_steps; s++) {
		reader.steps[s].fd = memfd_create("rests", MFD_CLOEXEC);
		reader.steps[s].may_be_off = reader.steps[s].group == 1;
	}
	td_group_reader_begin(&reader);
	put_enabled(&reader, first, 0);
	td_group_reader_read(&reader, 0, &got, &err);
	put_enabled(&reader, then, 0);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && notes.nr == 0,
	   "a group that rests is no CPU that stands still");
	for (size_t i = 0; i < got.nr; i++) {
		bool rests = got.v[i].event == 1;
		uint64_t ran = !rests ? 40 : got.v[i].cpu ? 15 : 0;

		ok(got.v[i].enabled_ns == 40 && got.v[i].running_ns == ran,
		   "CPU %d, event %d: %d of %d ns", got.v[i].cpu, got.v[i].event,
		   (int)got.v[i].running_ns, (int)got.v[i].enabled_ns);
	}
	for (size_t s = 0; s < reader.nr_steps; s++)
		close(reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* A step of one event in a task, whose counter is a file; -1: it is not open. */
static void add_in_task(struct td_group_reader *reader, int tid, int group, bool opens)
{
	static const int events[] = { 0, 1 };
	struct td_read_step *step = td_group_reader_add(reader);

	*step = (struct td_read_step){
		.fd = opens ? memfd_create("late", MFD_CLOEXEC) : -1,
		.group = group,
		.cpu = -1,
		.tid = tid,
		.members = events + group,
		.nr = 1,
		.may_be_off = group == 1,
		.name = "late",
	};
}

/* Counts of a group that is opened late are added to the reading that stood for it. */
static void test_late(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err;

	add_in_task(&reader, 7, 0, true);
	add_in_task(&reader, 7, 1, false);
	td_group_reader_begin(&reader);
	put_look(reader.steps[0].fd, &(struct look){ 10, 10, 100 }, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 2 &&
		   got.v[1].event == 1 && got.v[1].enabled_ns == 10 && got.v[1].running_ns == 0 &&
		   got.v[1].value == 0,
	   "a group that is not open yet rests");
	for (int tid = 8; tid < 10; tid++) {
		struct td_read_step *step;

		add_in_task(&reader, tid, 1, true);
		step = &reader.steps[reader.nr_steps - 1];
		step->may_be_off = false;
		step->late = true;
		step->into = 1;
		put_look(step->fd, &(struct look){ 6, 5, (uint64_t)tid }, 1);
	}
	td_group_reader_begin(&reader);
	put_look(reader.steps[0].fd, &(struct look){ 30, 30, 300 }, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 2 &&
		   got.v[0].value == 200 && got.v[1].enabled_ns == 20 &&
		   got.v[1].running_ns == 10 && got.v[1].value == 17 && got.v[1].tid == 7,
	   "two tasks are counted for the one that rests");
	put_look(reader.steps[2].fd, &(struct look){ 7, 6, 11 }, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 2 &&
		   got.v[1].running_ns == 1 && got.v[1].value == 3,
	   "and what they count later, once");
	add_in_task(&reader, 11, 0, true);
	put_look(reader.steps[4].fd, &(struct look){ 4, 4, 44 }, 1);
	put_look(reader.steps[3].fd, &(struct look){ 8, 8, 19 }, 1);
	td_group_reader_begin(&reader);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 3 &&
		   got.v[1].value == 10 && got.v[2].value == 44 && got.v[2].tid == 11,
	   "what comes behind them takes their place");
	for (size_t s = 0; s < reader.nr_steps; s++)
		td_close_fd(&reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

static struct td_read_step *add_kind(struct td_group_reader *reader, int kind, int group)
{
	static const int event;
	struct td_read_step *step = td_group_reader_add(reader);

	*step = (struct td_read_step){
		.fd = memfd_create("kind", MFD_CLOEXEC),
		.cpu = -1,
		.tid = 7,
		.group = group,
		.members = &event,
		.nr = 1,
		.name = "kind",
		.kind = kind,
		.at_once = kind,
	};
	return step;
}

static void look_at_kinds(struct td_group_reader *reader, uint64_t enabled_ns,
			  const uint64_t running_ns[3])
{
	struct td_readings got;
	struct td_err err;

	for (size_t s = 0; s < 3; s++)
		put_look(reader->steps[s].fd, &(struct look){ enabled_ns, running_ns[s], 1 }, 1);
	td_group_reader_read(reader, 0, &got, &err);
}

/*
 * A task on a hybrid: one group of the first core type; of the second one, two that are counted
 * at the same time.
 */
static void test_waits_of_kinds(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	const struct td_read_step *steps;

	for (int group = 0; group < 3; group++)
		add_kind(&reader, group ? 2 : 1, group);
	td_group_reader_begin(&reader);
	steps = reader.steps;
	look_at_kinds(&reader, 100, (const uint64_t[]){ 100, 0, 0 });
	ok(!steps[0].waits_ns && !steps[1].waits_ns && !steps[2].waits_ns,
	   "groups of the other core type do not wait");
	look_at_kinds(&reader, 200, (const uint64_t[]){ 140, 0, 0 });
	ok(!steps[0].waits_ns && steps[1].waits_ns == 60 && steps[2].waits_ns == 60 &&
		   !steps[1].beside,
	   "those of both do, if the task may have been there");
	look_at_kinds(&reader, 300, (const uint64_t[]){ 140, 50, 0 });
	ok(steps[0].waits_ns == 50 && !steps[1].waits_ns && steps[2].waits_ns == 160 &&
		   steps[2].beside,
	   "one waits beside another of its core type");
	look_at_kinds(&reader, 400, (const uint64_t[]){ 140, 130, 80 });
	ok(steps[0].waits_ns == 50, "two that are counted at the same time took all of the time");
	for (size_t s = 0; s < 3; s++)
		td_close_fd(&reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* A thread is forgotten while halves of another thread's group are counted. */
static void test_forget_beside_halves(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err;
	const size_t ended = 1;

	for (int tid = 6; tid < 8; tid++) {
		add_kind(&reader, 0, 0)->tid = tid;
		reader.steps[tid - 6].set = (size_t)(7 - tid);
	}
	td_group_reader_begin(&reader);
	for (size_t s = 0; s < 2; s++)
		put_look(reader.steps[s].fd, &(struct look){ 10, 10, 5 }, 1);
	add_kind(&reader, 0, 0)->late = true;
	reader.steps[2].into = 1;
	reader.steps[2].set = 2;
	put_look(reader.steps[2].fd, &(struct look){ 4, 4, 30 }, 1);
	td_group_reader_begin(&reader);
	td_group_reader_read(&reader, 0, &got, &err);
	ok(got.nr == 2 && got.v[0].value == 5 && got.v[1].value == 35, "two threads");
	td_close_fd(&reader.steps[0].fd);
	td_group_reader_end_sets(&reader, &ended, 1);
	td_group_reader_forget_ended(&reader);
	put_look(reader.steps[1].fd, &(struct look){ 8, 8, 37 }, 1);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 1 && got.v[0].tid == 7 &&
		   got.v[0].value == 7,
	   "the half still counts for its own thread");
	for (size_t s = 0; s < 2; s++)
		td_close_fd(&reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* A group that others keep from being counted is closed, and has its two halves. */
static void test_halves(void)
{
	static const int events[] = { 0, 1 };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err;
	int fd;

	*td_group_reader_add(&reader) = (struct td_read_step){
		.fd = memfd_create("whole", MFD_CLOEXEC),
		.cpu = 1,
		.tid = -1,
		.members = events,
		.nr = 2,
		.name = "whole",
	};
	fd = reader.steps[0].fd;
	td_group_reader_begin(&reader);
	put_look(fd, &(struct look){ 10, 5, 100 }, 2);
	td_group_reader_read(&reader, 0, &got, &err);
	ok(reader.steps[0].waits_ns == 0, "it had a turn");
	put_look(fd, &(struct look){ 30, 5, 100 }, 2);
	td_group_reader_read(&reader, 0, &got, &err);
	ok(reader.steps[0].waits_ns == 20, "it has waited for %d of 20 ns",
	   (int)reader.steps[0].waits_ns);
	reader.steps[0].fd = -1;
	for (size_t i = 0; i < 2; i++) {
		struct td_read_step *step = td_group_reader_add(&reader);

		*step = (struct td_read_step){
			.fd = memfd_create("half", MFD_CLOEXEC),
			.cpu = 1,
			.tid = -1,
			.group = (int)i,
			.members = events + i,
			.nr = 1,
			.name = "half",
			.late = true,
			.part = i,
		};
		put_look(step->fd, &(struct look){ 8, 3 + i, 7 + i }, 1);
	}
	td_group_reader_begin(&reader);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && got.nr == 2 &&
		   got.v[0].value == 7 && got.v[0].running_ns == 3 && got.v[1].value == 8 &&
		   got.v[1].running_ns == 4 && got.v[0].enabled_ns == 8 &&
		   got.v[1].enabled_ns == 8 && got.v[1].event == 1,
	   "each half is counted where the whole was");
	close(fd);
	for (size_t s = 0; s < reader.nr_steps; s++)
		td_close_fd(&reader.steps[s].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* Replacement of the C library's function, for files that are not counters. */
static size_t nr_enabled;

int ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	nr_enabled += request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

/* A group of one that is waiting for its task's first turn. */
static void put_no_time(int fd)
{
	const uint64_t text[5] = { 1 };

	if (pwrite(fd, text, sizeof(text), lseek(fd, 0, SEEK_CUR)) < 0)
		perror("pwrite");
}

/*
 * The kernel gives up a child's group without a word: it is started again with its
 * parent's, but not before they count at all.
 */
static void test_children(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes };
	struct td_readings got;
	struct td_err err;

	add_in_task(&reader, 10, 0, true);
	reader.steps[0].resume = reader.steps[0].inherited = true;
	td_group_reader_begin(&reader);
	put_no_time(reader.steps[0].fd);
	nr_enabled = 0;
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && !nr_enabled,
	   "a child: not started before its parent");
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && nr_enabled == 1,
	   "a parent that was given up is started again");
	put_no_time(reader.steps[0].fd);
	ok(td_group_reader_read(&reader, 0, &got, &err) == 0 && nr_enabled == 2,
	   "so are its children, while it waits for them and has no time");
	td_close_fd(&reader.steps[0].fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* The time of the same read(2) calls alone. */
static clock_t time_reads(const struct td_group_reader *reader)
{
	clock_t began = clock();
	uint64_t values[5];

	for (size_t s = 0; s < reader->nr_steps; s++) {
		if (read(reader->steps[s].fd, values, sizeof(values)) < 0)
			perror("read");
	}
	return clock() - began;
}

/*
 * Return how many times as long as the reads it takes to read counters that are off
 * or lost.  If each were compared with all others, it would be hundreds of times.
 */
static double time_many(const char *file, bool resume)
{
	static const bool off[] = { true, true };
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes, .off = off };
	struct td_readings got;
	struct td_err err;
	clock_t reads, look;
	int rc, fd = open(file, O_RDONLY | O_CLOEXEC);

	add_cpus(&reader, 1024, 64);
	for (size_t s = 0; s < reader.nr_steps; s++) {
		reader.steps[s].fd = fd;
		reader.steps[s].resume = resume;
	}
	td_group_reader_begin(&reader);
	reads = time_reads(&reader);
	look = clock();
	rc = td_group_reader_read(&reader, 0, &got, &err);
	look = clock() - look;
	close(fd);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
	return rc ? NAN : (double)look / (double)(reads ? reads : 1);
}

/* The shortest of several times, as something else may have slowed one down. */
static void test_many(const char *name, const char *file, bool resume)
{
	double least = time_many(file, resume);

	for (int try = 0; try < 4 && least >= 50; try++)
		least = fmin(least, time_many(file, resume));
	ok(least < 50, "%s: %.1f times as long as the reads", name, least);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	test_apart();
	test_die();
	test_failure();
	test_tasks();
	test_many_tasks();
	test_cgroups();
	for (size_t i = 0; i < TD_ARRAY_SIZE(stands); i++)
		test_stands(i);
	test_rests();
	test_late();
	test_halves();
	test_waits_of_kinds();
	test_forget_beside_halves();
	test_children();
	test_many("many that are off", "/dev/zero", false);
	test_many("many that are lost", "/dev/null", true);
	return done_testing();
}
