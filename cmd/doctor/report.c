// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include "lib/base/util.h"

struct td_finding *td_doctor_add(struct td_doctor *doctor, const char *name,
				 enum td_finding_state state, const char *fmt, ...)
{
	struct td_finding *finding =
		td_array_add(&doctor->findings, doctor->nr_findings++, sizeof(*finding));
	va_list ap;

	*finding = (struct td_finding){ .name = name, .state = state };
	va_start(ap, fmt);
	td_vasprintf(&finding->text, fmt, ap);
	va_end(ap);
	return finding;
}

struct td_finding *td_doctor_add_error(struct td_doctor *doctor, const char *name,
				       enum td_finding_state state, const struct td_err *err)
{
	struct td_finding *finding = td_doctor_add(doctor, name, state, "%s", err->msg);

	if (err->hint[0])
		finding->remedy = td_strdup(err->hint);
	return finding;
}

void td_finding_set(char **member, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_vasprintf(member, fmt, ap);
	va_end(ap);
}

void td_doctor_add_notes(struct td_doctor *doctor, const char *name, struct td_notes *seen,
			 const struct td_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++) {
		size_t nr = seen->nr;

		td_notes_add(seen, "%s", notes->v[i]);
		if (seen->nr > nr)
			td_doctor_add(doctor, name, TD_FINDING_NOTE, "%s", notes->v[i]);
	}
}

const struct td_finding *td_doctor_failed(const struct td_doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_findings; i++) {
		if (doctor->findings[i].state == TD_FINDING_FAILED)
			return &doctor->findings[i];
	}
	return NULL;
}

void td_doctor_free(struct td_doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_findings; i++) {
		free(doctor->findings[i].text);
		free(doctor->findings[i].remedy);
		free(doctor->findings[i].command);
		free(doctor->findings[i].other);
	}
	free(doctor->findings);
	free(doctor->tests);
	*doctor = (struct td_doctor){ 0 };
}
