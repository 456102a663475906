/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_READ_H
#define TD_LIB_RECORDING_READ_H

#include "lib/recording/recording.h"

#endif
