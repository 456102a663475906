/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_REMARKS_H
#define TD_CMD_SAMPLE_REMARKS_H

#include "cmd/sample/gather.h"

/* Says, once each, what was lost. */
void td_gathering_say(const struct td_gathering *gathering);

#endif
