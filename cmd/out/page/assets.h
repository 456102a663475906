/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_PAGE_ASSETS_H
#define TD_CMD_OUT_PAGE_ASSETS_H

/* The files that are a part of each page, and of this program. */
extern const char td_page_css[], td_page_js[];
/* The base64 of the script's SHA-256, by which a page lets this script run only. */
extern const char td_page_js_hash[];

#endif
