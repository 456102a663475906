/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_MHD_H
#define TD_CMD_SERVE_MHD_H

#include <microhttpd.h>

#include "lib/base/err.h"

/*
 * The functions of libmicrohttpd, loaded when they are needed: linked, it would
 * bring a library for TLS into every start of tdstat.
 */
#define TD_MHD_FUNCTIONS(row)                                               \
	row(start_daemon) row(stop_daemon) row(create_response_from_buffer) \
		row(add_response_header) row(queue_response)                \
			row(destroy_response) row(lookup_connection_value)  \
				row(get_connection_info)

#define TD_MHD_MEMBER(name) __typeof__(&MHD_##name) name;

struct td_mhd {
	TD_MHD_FUNCTIONS(TD_MHD_MEMBER)
};

int td_mhd_load(struct td_mhd *mhd, struct td_err *err);

#endif
