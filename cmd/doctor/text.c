// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "cmd/doctor/writers.h"
#include "cmd/out/wrap.h"
#include "lib/base/printable.h"

#define STATE_WIDTH 9
#define NAME_WIDTH  12

/* Not wrapped, to be pasted. */
static void put_command(FILE *fp, const char *label, const char *command)
{
	if (!command)
		return;
	fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, label);
	td_put_printable(fp, command);
	fputc('\n', fp);
}

/* "warning  watchdog    the NMI watchdog ..." */
static void put_finding(FILE *fp, const struct td_finding *finding,
			const char *above)
{
	bool same = strcmp(finding->name, above) == 0;

	fprintf(fp, "%-*s%-*s", STATE_WIDTH,
		td_finding_state_name(finding->state), NAME_WIDTH,
		same ? "" : finding->name);
	td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, finding->text);
	put_command(fp, "try:", finding->command);
	put_command(fp, "or:", finding->other);
	if (finding->remedy) {
		fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, "");
		td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, finding->remedy);
	}
}

static const char *conclude(const struct td_doctor *doctor)
{
	if (doctor->level_1)
		return "level 1 works";
	return td_doctor_has_failed(doctor)
		       ? "level 1 does not work: see what failed"
		       : "level 1 was not tried";
}

void td_doctor_put_text(FILE *fp, const struct td_doctor *doctor)
{
	const char *above = "";

	for (size_t i = 0; i < doctor->nr_findings; i++) {
		put_finding(fp, &doctor->findings[i], above);
		above = doctor->findings[i].name;
	}
	fprintf(fp, "\n%s\n", conclude(doctor));
}
