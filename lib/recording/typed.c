// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/typed.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/base/json.h"

static void put_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		td_json_add(to, key, json_object_new_string(text));
}

static void put_flag(struct json_object *to, const char *key, bool flag)
{
	if (flag)
		td_json_add(to, key, json_object_new_boolean(true));
}

void td_typed_put(struct json_object *object, const struct td_event *event)
{
	td_json_add(object, "type", json_object_new_int64(event->type));
	td_json_add(object, "config", json_object_new_uint64(event->config[0]));
	td_json_add(object, "spec", json_object_new_int(event->spec));
	if (event->group >= 0)
		td_json_add(object, "braces",
			    json_object_new_int(event->group));
	if (event->tool)
		td_json_add(object, "tool",
			    json_object_new_int((int)event->tool));
	put_text(object, "unit", event->unit);
	put_text(object, "refused", event->refusal);
	put_flag(object, "hidden", event->hidden);
	put_flag(object, "merge", event->merge);
	put_flag(object, "user", event->mods.user);
	put_flag(object, "kernel", event->mods.kernel);
	put_flag(object, "hypervisor", event->mods.hypervisor);
	put_flag(object, "guest", event->mods.guest);
	put_flag(object, "host", event->mods.host);
	put_flag(object, "non_idle", event->mods.non_idle);
}

/* Returns -EINVAL if the value is no text; without the key, *out is unchanged. */
static int get_text(struct json_object *from, const char *key, char **out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return 0;
	if (!json_object_is_type(value, json_type_string))
		return -EINVAL;
	*out = strdup(json_object_get_string(value));
	return *out ? 0 : -ENOMEM;
}

static bool get_flag(struct json_object *from, const char *key, bool *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return true;
	*out = json_object_get_boolean(value);
	return json_object_is_type(value, json_type_boolean);
}

static bool get_int(struct json_object *from, const char *key, int64_t min,
		    int64_t max, int64_t *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return true;
	return td_json_whole(value, min, max, out);
}

int td_typed_get(struct json_object *object, struct td_event *event)
{
	int64_t type = event->type, spec = -1, braces = -1, tool = TD_TOOL_NONE;
	struct json_object *config;
	int rc = get_text(object, "unit", &event->unit);

	if (!rc)
		rc = get_text(object, "refused", &event->refusal);
	if (rc)
		return rc;
	if (json_object_object_get_ex(object, "config", &config)) {
		if (!json_object_is_type(config, json_type_int) ||
		    json_object_get_int64(config) < 0)
			return -EINVAL;
		event->config[0] = json_object_get_uint64(config);
	}
	if (!get_int(object, "type", 0, UINT32_MAX, &type) ||
	    !get_int(object, "spec", -1, INT_MAX, &spec) ||
	    !get_int(object, "braces", -1, INT_MAX, &braces) ||
	    !get_int(object, "tool", 0, TD_TOOL_SYSTEM_TIME, &tool) ||
	    !get_flag(object, "hidden", &event->hidden) ||
	    !get_flag(object, "merge", &event->merge) ||
	    !get_flag(object, "user", &event->mods.user) ||
	    !get_flag(object, "kernel", &event->mods.kernel) ||
	    !get_flag(object, "hypervisor", &event->mods.hypervisor) ||
	    !get_flag(object, "guest", &event->mods.guest) ||
	    !get_flag(object, "host", &event->mods.host) ||
	    !get_flag(object, "non_idle", &event->mods.non_idle))
		return -EINVAL;
	event->type = (uint32_t)type;
	event->spec = (int)spec;
	event->group = (int)braces;
	event->tool = (enum td_tool)tool;
	return 0;
}
