/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/request.h"
#include "lib/machine/machine.h"
#include "lib/recording/recording.h"

struct td_notes;

/* State of a file of perf stat that is shown as a recording. */
struct td_imported {
	bool tree;        /* the recording was turned into one of a tree */
	bool no_files;    /* the model has no metric files, or is unknown */
	bool smt_unknown; /* unknown whether cores have two threads */
	char *misfit;     /* why the model cannot be that of the file; NULL: it can */
	char **names;     /* names of the events, as perf wrote them */
	size_t nr;
};

/* Turns files of perf stat into recordings of trees; part of a wing. */
struct td_importer {
	const struct td_foreign *file;
	/*
	 * Turns rec into a recording of a tree if it has top-down events, or if --model
	 * names the processor; else it remains one of events.  Returns the usage error of
	 * --model.  Call free() on error as well.
	 */
	int (*tree)(struct td_imported *imported, struct td_recording *rec,
		    const struct td_request *request, struct td_err *err);
	/* Notes missing corrections and what is not shown.  Called after the PMUs were selected. */
	void (*note)(const struct td_imported *imported, struct td_recording *rec,
		     struct td_notes *notes);
	/* Notes which counts are missing for a tree.  err: why it could not be built. */
	void (*why)(const struct td_imported *imported, const struct td_recording *rec,
		    const struct td_err *err, struct td_notes *notes);
	/* Turns rec back into one of events, because counts are missing. */
	void (*undo)(struct td_imported *imported, struct td_recording *rec);
	void (*free)(struct td_imported *imported);
};
