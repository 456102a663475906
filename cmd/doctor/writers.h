/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_WRITERS_H
#define TD_CMD_DOCTOR_WRITERS_H

#include <stdio.h>

#include "cmd/doctor/report.h"

/* Write a finished report; check the stream afterwards. */
void td_doctor_put_text(FILE *fp, const struct td_doctor *doctor);
/* An object on one line; its members are in tdstat-doctor(1). */
/* -ENOMEM: not all of it was put. */
int td_doctor_put_json(FILE *fp, const struct td_doctor *doctor);

#endif
