// SPDX-License-Identifier: GPL-2.0-only
/* Style and script of the page, as they are in the source tree. */
#include "cmd/out/page/assets.h"

/* Whose path of build/ is not this one is told by the Makefile. */
#ifndef TD_PAGE_JS_HASH
#define TD_PAGE_JS_HASH "build/page.js.hash"
#endif

/* The assembler has a way to read files, which C has not yet. */
#define EMBED(symbol, path)                               \
	__asm__(".pushsection .rodata\n"                  \
		".global " symbol "\n"                    \
		".type " symbol ",@object\n" symbol ":\n" \
		".incbin \"" path "\"\n"                  \
		".byte 0\n"                               \
		".size " symbol ", . - " symbol "\n"      \
		".popsection\n")

EMBED("td_page_css", "cmd/out/page/page.css");
EMBED("td_page_js", "cmd/out/page/page.js");
EMBED("td_page_js_hash", TD_PAGE_JS_HASH);

/* What is linked with these objects has no executable stack. */
__asm__(".section .note.GNU-stack,\"\",@progbits");
