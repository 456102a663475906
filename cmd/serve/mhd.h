/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_MHD_H
#define TD_CMD_SERVE_MHD_H

#include <microhttpd.h>

#include "lib/base/err.h"

/*
 * The functions of libmicrohttpd, loaded when they are needed: linked, it would
 * bring a library for TLS into every start of tdstat.
 */
struct td_mhd {
	__typeof__(&MHD_start_daemon) start_daemon;
	__typeof__(&MHD_stop_daemon) stop_daemon;
	__typeof__(&MHD_create_response_from_buffer)
		create_response_from_buffer;
	__typeof__(&MHD_add_response_header) add_response_header;
	__typeof__(&MHD_queue_response) queue_response;
	__typeof__(&MHD_destroy_response) destroy_response;
	__typeof__(&MHD_lookup_connection_value) lookup_connection_value;
	__typeof__(&MHD_get_connection_info) get_connection_info;
};

int td_mhd_load(struct td_mhd *mhd, struct td_err *err);

#endif
