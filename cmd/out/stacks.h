/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_STACKS_H
#define TD_CMD_OUT_STACKS_H

#include "cmd/out/frame.h"
#include "cmd/out/where.h"

/* folded.c: "main;f 12", a stack a line.  0 or -ENOMEM. */
int td_folded_write(FILE *fp, const struct td_where *where,
		    const struct td_frame *frame);
/* pprof.c: profile.proto in gzip, after td_gzip_load().  0 or -ENOMEM. */
int td_pprof_write(FILE *fp, const struct td_where *where,
		   const struct td_frame *frame);
/* page/html.c: a page with flame graphs.  0 or -ENOMEM. */
int td_flame_write(FILE *fp, const struct td_where *where,
		   const struct td_frame *frame);
/* page/flame.c: the graphs as a picture in SVG.  0 or -ENOMEM. */
int td_flame_write_svg(FILE *fp, const struct td_where *where,
		       const struct td_frame *frame);

#endif
