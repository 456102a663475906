// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/hues.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/sample/where.h"
#include "lib/base/index.h"
#include "lib/base/util.h"

static enum td_part largest_part(const struct td_report *report,
				 const struct td_row *row)
{
	enum td_part largest = TD_NR_PARTS;
	double most = 0;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		double value = td_cell_value(&row->cells[node->column]);
		enum td_part part =
			td_part_of(report->columns[node->column].name);

		if (node->level != 1 || part == TD_NR_PARTS || !(value > most))
			continue;
		most = value;
		largest = part;
	}
	return largest;
}

/* slots: that a function's hue is of: it is that of the PMU with the most. */
static void take_row(int *hues, double *slots, const struct td_report *report,
		     const struct td_row *row, const struct td_spots *spots,
		     const struct td_index *by_name)
{
	enum td_part part = largest_part(report, row);
	uint64_t hash = td_hash_text(row->id);
	size_t step = 0, i;

	while (part != TD_NR_PARTS &&
	       (i = td_index_next(by_name, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(spots->functions[i].name, row->id) != 0 ||
		    !(row->slots > slots[i]))
			continue;
		hues[i] = (int)part;
		slots[i] = row->slots;
	}
}

/* Functions of several files may have one name.  Returns 0 or -ENOMEM. */
static int index_names(struct td_index *by_name, const struct td_spots *spots)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < spots->nr_functions; i++) {
		const char *name = spots->functions[i].name;

		rc = name ? td_index_add(by_name, td_hash_text(name), i) : 0;
	}
	return rc;
}

/*
 * Of each function the part of level 1 that most of its slots go to, by the row of
 * its name; TD_NR_PARTS: it is not known.  To be freed; NULL: memory ran out.
 */
static int *make_hues(const struct td_report *report,
		      const struct td_spots *spots)
{
	td_autofree double *slots =
		calloc(spots->nr_functions + 1, sizeof(*slots));
	int *hues = calloc(spots->nr_functions + 1, sizeof(*hues));
	struct td_index by_name = { 0 };

	if (!slots || !hues || index_names(&by_name, spots)) {
		td_index_free(&by_name);
		free(hues);
		return NULL;
	}
	for (size_t i = 0; i < spots->nr_functions; i++)
		hues[i] = TD_NR_PARTS;
	for (size_t i = 0; i < report->nr_rows; i++)
		take_row(hues, slots, report, &report->rows[i], spots,
			 &by_name);
	td_index_free(&by_name);
	return hues;
}

bool td_hues_want_stacks(const struct td_view *view,
			 const struct td_sample_files *files)
{
	return td_stack_files_any(files) || view->sink.writer.out->stacks;
}

int td_hues_put_stacks(struct td_view *view, const struct td_spots *spots,
		       const struct td_hits *hits,
		       const struct td_sample_files *files, struct td_err *err)
{
	struct td_writer *writer = &view->sink.writer;
	td_autofree int *hues = NULL;
	struct td_where where = { 0 };
	int rc;

	if (!td_hues_want_stacks(view, files))
		return 0;
	where.hues = hues = make_hues(&view->report, spots);
	rc = hues ? td_where_make(&where, view->source->plan,
				  view->source->machine, spots, hits, err)
		  : td_err_nomem(err);
	if (!rc && writer->out->stacks)
		writer->out->stacks(writer, &where);
	if (!rc)
		rc = td_stack_files_write(files, &where, writer->frame, err);
	td_where_free(&where);
	return rc;
}
