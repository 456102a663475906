// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/report.h"

#include <stdlib.h>

void td_report_drop_absent(struct td_report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->nr_rows; i++) {
		if (report->rows[i].absent)
			free(report->rows[i].cells);
		else
			report->rows[kept++] = report->rows[i];
	}
	report->nr_rows = kept;
}

void td_report_free(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		free(report->rows[i].cells);
	free(report->rows);
	*report = (struct td_report){ 0 };
}

void td_event_report_free(struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_names; i++)
		free(report->names[i]);
	free(report->names);
	free(report->rows);
	*report = (struct td_event_report){ 0 };
}
