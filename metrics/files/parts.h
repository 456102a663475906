/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts that the readers of both formats share. */
#ifndef TD_METRICS_FILES_PARTS_H
#define TD_METRICS_FILES_PARTS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/files/pmu_events.h"

/*
 * A line of mapfile.csv that matches this processor.  "": the file has no such
 * column.
 */
struct td_map_row {
	const char *version;
	const char *file; /* a file; in the kernel tree a folder */
	const char *type; /* "core", "hybridcore", "uncore" */
	const char *core; /* perfmon's core type: "0x40" */
	const char *role; /* perfmon's name of the core: "LowPower_Atom" */
};

/* The state of reading a mapfile.csv. */
struct td_map {
	char *text, *path; /* of the file; the caller's */
	char *rest;        /* the unread lines; reading modifies them */
	size_t line;
	char whole[48]; /* the processor's identity */
	char model[48]; /* the same without the stepping */
	bool perfmon;   /* the file is intel/perfmon's, with seven columns */
};

/* text and path are set. */
void td_map_begin(struct td_map *map, const struct td_cpuid *cpuid);
/*
 * Reads the next line of this processor into *row: 1 if there is one, 0 at the
 * end, -EINVAL for a line that cannot be read.
 */
int td_map_next(struct td_map *map, struct td_map_row *row, struct td_err *err);
/* Sets the error for a map without a line of this processor: -ENOENT. */
int td_map_none(const struct td_map *map, struct td_err *err);

/*
 * Parses a file's text; path is for messages.  Release *out with
 * json_object_put() even after an error.
 */
int td_json_parse(const char *path, const char *text, struct json_object **out,
		  struct td_err *err);
/* Adds the events and metrics of a file in the kernel tree's form. */
int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err);

/* One object of a file's array. */
struct td_entry {
	struct json_object *object;
	const char *path;
	const char *topic;
	size_t nr; /* its number in the file, from 1 */
};

/* A number, and whether the file has it in hexadecimal. */
struct td_number {
	uint64_t value;
	bool hex;
};

/* Sets the error "FILE: NAME: KEY: WHAT" and returns -EINVAL. */
int td_entry_bad(const struct td_entry *entry, struct td_err *err,
		 const char *key, const char *what);
/*
 * Reads a text or number as text, borrowed from the entry; NULL if there is
 * none.
 */
int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err);
/*
 * Reads a text as one line, to be freed; NULL if there is none or it is empty.
 */
int td_entry_line(const struct td_entry *entry, const char *key, char **out,
		  struct td_err *err);
/*
 * Reads a number, of a list such as "0xB7, 0xBB" the first; 0 if there is none.
 */
int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err);
/* Reads a floating-point number; NaN if there is none. */
int td_entry_double(const struct td_entry *entry, const char *key, double *out,
		    struct td_err *err);
/* Writes the terms of an event; name is in lower case.  *out is to be freed. */
int td_entry_terms(const struct td_entry *entry, const char *name, char **out,
		   struct td_err *err);
/*
 * Adds what an entry in the kernel tree's form defines: an event, a metric,
 * both or neither.
 */
int td_entry_add(struct td_pmu_events *out, const struct td_entry *entry,
		 struct td_err *err);

/* Free the members of a metric or a file, not the struct. */
void td_model_metric_clear(struct td_model_metric *metric);
void td_events_file_clear(struct td_events_file *file);
/* Keeps the first ones of each kind and frees the others. */
void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events,
			size_t nr_metrics, size_t nr_unread);

/*
 * errata.c: adds to the metrics of to, from first on, the errata of those events that
 * their formulas have.  Returns 0 or -ENOMEM.
 */
int td_errata_spread(struct td_pmu_events *to, size_t first,
		     const struct td_pmu_events *from);
/*
 * The same of the model's own events: parses the files that have errata.  Those
 * that are packed have them with their metrics.
 */
int td_errata_find(struct td_pmu_events *events, size_t first,
		   struct td_err *err);

/* Parses the unread file at index and removes it from the unread ones. */
int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index,
			     struct td_err *err);
/* Sorts events and metrics, which the search by name needs. */
void td_pmu_events_sort(struct td_pmu_events *events);

/* --- packed.c ------------------------------------------------------------- */

/*
 * The form in which the files are installed: what is read of the kernel's, and
 * nothing else.  That is 6 MB, where the kernel's JSON has 20 without its blanks
 * (12 without the members that are never read), and a model's metrics are listed
 * with a third of the instructions.  The folders, and the names of the files, are the same.  A file
 * is one object, whose members may be missing:
 *
 * {"events":{"cpu_core":[["inst_retired.any","event=0xc0",1234], ...]},
 *  "metrics":[["tma_retiring","cpu_core","TopdownL1;tma_L1_group",5678,"100%",
 *              "FORMULA","THRESHOLD","A.B;C.D",0], ...]}
 *
 * An event has name, terms, description and, if known, the mean of its retire
 * latency; a metric what is in struct td_model_metric.  Errata come last, where there
 * are any.  null: there is none.  A description is the place in <root>/descriptions
 * where its line begins, as many models share it.
 */

#define TD_DESCRIPTIONS "descriptions"

/* Is it such a file, from its text? */
bool td_is_packed(const char *text);
/* Has it no metrics?  An escape could hide them. */
bool td_packed_has_only_events(const char *text);
/*
 * Adds the events and metrics of a file that was parsed; path, "<root>/MODEL/F",
 * is for messages, and where the descriptions are found.  Returns -EINVAL if it is
 * not of that form.
 */
int td_packed_add(struct td_pmu_events *out, const char *path,
		  const char *topic, struct json_object *file,
		  struct td_err *err);
void td_descriptions_close(struct td_pmu_events *events);

/* --- perfmon.c ------------------------------------------------------------ */

/*
 * Reads a checkout of intel/perfmon into the kernel tree's form: names as perf
 * spells them, formulas as metrics/formula/expr.h reads them.
 */

/*
 * Reads the files of the processor's cores; map was begun with td_map_begin().
 */
int td_perfmon_read(struct td_pmu_events *out, const char *root,
		    struct td_map *map, struct td_err *err);
/* Reads the files of the uncore units. */
int td_perfmon_read_uncore(struct td_pmu_events *out, const char *root,
			   struct td_map *map, struct td_err *err);

/* --- perfmon_event.c, perfmon_metric.c, perfmon_names.c ------------------- */

struct td_perfmon_file {
	const char *path;   /* "<root>/ADL/events/x.json" */
	const char *folder; /* "ADL" */
	const char *pmu;    /* "cpu_core"; "cpu": the only core PMU */
	const char *topic;  /* "core" */
};

/* Adds the events, the metrics or the retirement latencies of a file. */
int td_perfmon_parse(struct td_pmu_events *out,
		     const struct td_perfmon_file *file, const char *text,
		     struct td_err *err);

/* Converts an entry of Events into the kernel tree's form. */
int td_perfmon_event(const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err);
/*
 * Adds an entry of Metrics, or counts it as skipped if it cannot be translated.
 */
int td_perfmon_metric(struct td_pmu_events *out,
		      const struct td_perfmon_file *file,
		      const struct td_entry *entry, struct td_err *err);

/* A letter in a formula, and the text that replaces it. */
struct td_perfmon_alias {
	const char *alias; /* borrowed */
	char *text;
};

struct td_perfmon_aliases {
	struct td_perfmon_alias *v;
	size_t nr;
};

/*
 * Add the replacement for an event or a constant of a metric:
 * "UOPS_RETIRED.MS:c1:e1" becomes
 * "cpu_core@UOPS_RETIRED.MS\,cmask\=1\,edge\=1@".  tma: the metric is one of
 * the top-down method.  Return -EINVAL if there is no replacement.
 */
int td_perfmon_add_event(struct td_perfmon_aliases *aliases, const char *alias,
			 const char *name, const char *pmu, struct td_err *err);
int td_perfmon_add_constant(struct td_perfmon_aliases *aliases,
			    const char *alias, const char *name, bool tma,
			    struct td_err *err);
void td_perfmon_aliases_free(struct td_perfmon_aliases *aliases);

/*
 * corrections.c: replaces what is wrong in the formulas of the metrics from first on.
 * Does no harm to what is right.  Returns 0 or -ENOMEM.
 */
int td_pmu_events_correct(struct td_pmu_events *events, size_t first);

/*
 * Translates a formula into *out, to be freed.  Returns -EINVAL if it is not
 * one.
 */
int td_perfmon_formula(const struct td_perfmon_aliases *aliases,
		       const char *text, char **out, struct td_err *err);
/*
 * Translates a threshold, which names metrics: "metric_TMA_..Fetch_Latency(%) >
 * 10".  fractions: it compares percentages with fractions of one.
 */
int td_perfmon_threshold(const char *text, bool fractions, char **out,
			 struct td_err *err);
/*
 * Translates the name of a metric, len bytes of text:
 * "metric_TMA_..Fetch_Latency(%)" becomes "tma_fetch_latency".  *out is to be
 * freed.  Returns -EINVAL if it is no metric of the top-down method.
 */
int td_perfmon_name(const char *text, size_t len, char **out,
		    struct td_err *err);

#endif
