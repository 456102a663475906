// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/identity.h"

#include <json-c/json.h>
#include <sys/utsname.h>

#include "lib/base/json.h"
#include "lib/base/printable.h"

void td_identity_of_machine(struct td_identity *identity, bool named)
{
	struct utsname names;

	if (uname(&names))
		return;
	identity->kernel = td_strdup(names.release);
	if (named)
		identity->host = td_strdup(names.nodename);
}

void td_identity_forget_machine(struct td_identity *identity)
{
	free(identity->host);
	free(identity->kernel);
	identity->host = identity->kernel = NULL;
}

void td_identity_set_command(struct td_identity *identity, char *const *words)
{
	size_t size;
	FILE *fp = td_open_memstream(&identity->command, &size);

	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			fputc(' ', fp);
		td_put_shell_word(fp, words[i]);
	}
	td_text_close(fp, &identity->command);
}

size_t td_label_name(const char *label)
{
	const char *end = strchr(label, '=');

	return end ? (size_t)(end - label) : 0;
}

void td_identity_label(struct td_identity *identity, const char *label)
{
	size_t len = td_label_name(label) + 1; /* with the '=' */
	char *copy = td_strdup(label);

	for (size_t i = 0; i < identity->nr_labels; i++) {
		if (strncmp(identity->labels[i], label, len) == 0) {
			free(identity->labels[i]);
			identity->labels[i] = copy;
			return;
		}
	}
	td_array_push(&identity->labels, &identity->nr_labels, &copy, sizeof(copy));
}

struct json_object *td_identity_labels(const struct td_identity *identity)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < identity->nr_labels; i++) {
		const char *label = identity->labels[i];
		size_t len = td_label_name(label);
		td_autofree char *name = td_strndup(label, len);

		td_json_put_string(object, name, label + len + 1);
	}
	return object;
}

void td_identity_free(struct td_identity *identity)
{
	free(identity->version);
	free(identity->host);
	free(identity->kernel);
	free(identity->command);
	for (size_t i = 0; i < identity->nr_labels; i++)
		free(identity->labels[i]);
	free(identity->labels);
	*identity = (struct td_identity){ 0 };
}
