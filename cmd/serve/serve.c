// SPDX-License-Identifier: GPL-2.0-only
/* tdstat serve: counts until it is told to end, and answers Prometheus. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/value.h"
#include "cmd/rights.h"
#include "cmd/say.h"
#include "cmd/serve/parts.h"
#include "cmd/session.h"
#include "cmd/version.h"
#include "cmd/view/exposed.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

#define INTERVAL_MS 1000

struct server {
	const struct td_request *request;
	const char *listen;
	struct td_listener listener;
	struct td_http *http;
	struct td_exposed exposed;
	const struct td_machine *machine; /* NULL: counting has not begun */
	bool said_start;
};

/*
 * Sends "READY=1" and the like to $NOTIFY_SOCKET, as sd_notify(3) does; nothing
 * if there is none.  Nobody is told of an error.  A name that begins with '@' is
 * abstract: a zero byte stands for it.
 */
static void notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(un.sun_path))
		return;
	memcpy(un.sun_path, path, len);
	if (un.sun_path[0] == '@')
		un.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	       (const struct sockaddr *)&un,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	td_close_fd(&fd);
}

/* Renders once an interval, not once a request. */
static int set_pages(struct server *server, struct td_err *err)
{
	int rc = 0;

	for (int how = 0; !rc && how < TD_NR_EXPOSITIONS; how++) {
		size_t size = 0;
		char *text = td_exposed_text(&server->exposed,
					     (enum td_exposition)how, &size);

		rc = td_http_set_page(server->http, (enum td_exposition)how,
				      text, size, err);
	}
	return rc;
}

/* The counters are open: from here on no other rights are needed. */
static int begin(void *ctx, const struct td_source *source, struct td_err *err)
{
	struct server *server = ctx;
	int rc = td_rights_drop(err);

	td_exposed_begin(&server->exposed, server->request, source);
	server->machine = source->machine;
	if (!rc)
		rc = set_pages(server, err);
	if (!rc)
		rc = td_http_start(server->http, server->listener.fd, err);
	if (!rc)
		notify("READY=1");
	return rc;
}

/* "cpu_core, cpu_atom" */
static void put_pmus(FILE *fp, const struct td_machine *machine)
{
	bool first = true;

	for (size_t i = 0; i < machine->nr_core; i++) {
		if (machine->pmus[i].skip)
			continue;
		fprintf(fp, "%s%s", first ? "" : ", ", machine->pmus[i].name);
		first = false;
	}
}

/* After the first interval, when it is known how many series there are. */
static void say_start(struct server *server)
{
	char name[TD_LISTEN_NAME];
	char *pmus = NULL;
	size_t size = 0;
	FILE *fp = server->said_start ? NULL : open_memstream(&pmus, &size);

	server->said_start = true;
	if (!fp)
		return;
	put_pmus(fp, server->machine);
	td_text_close(fp, &pmus);
	td_listener_name(&server->listener, server->listen, name);
	td_say("tdstat: version %s answers on %s: %s, %zu series\n",
	       TDSTAT_VERSION, name, pmus ? pmus : "",
	       server->exposed.counters.nr_series);
	free(pmus);
}

static int report(void *ctx, const struct td_report *report, struct td_err *err)
{
	struct server *server = ctx;
	int rc = td_exposed_add(&server->exposed, report, err);

	if (!rc)
		rc = set_pages(server, err);
	if (!rc)
		say_start(server);
	if (!rc)
		notify("WATCHDOG=1");
	return rc;
}

static int look_at_guests(void *ctx, bool *ends, struct td_err *err)
{
	struct server *server = ctx;

	(void)ends;
	(void)err;
	td_http_cut_off(server->http);
	return 0;
}

static int count(struct server *server, int *status, struct td_err *err)
{
	struct td_viewer viewer = { .begin = begin,
				    .report = report,
				    .ready = look_at_guests,
				    .ctx = server };

	server->http = td_http_new(err);
	if (!server->http ||
	    td_listener_open(&server->listener, server->listen, err))
		return err->code;
	viewer.fd = td_http_timer(server->http);
	return td_session_view(server->request, &viewer, status, err);
}

/* Remarks are for the journal; rows are nobody's. */
static int serve(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_request request = opts->request;
	struct server server = { .request = &request,
				 .listen = opts->listen,
				 .listener = TD_LISTENER_NONE };
	int rc;

	if (request.dry_run)
		return td_session_run(&request, status, err);
	if (!request.when.interval_ms)
		request.when.interval_ms = INTERVAL_MS;
	rc = count(&server, status, err);
	notify("STOPPING=1");
	td_http_stop(server.http);
	td_listener_close(&server.listener);
	td_exposed_free(&server.exposed);
	return rc;
}

/* --- the subcommand ------------------------------------------------------- */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	(void)opts;
	td_err_usage(err, "tdstat serve runs no command: '%s'", word);
	return td_err_hint(err, "for a command: tdstat --openmetrics -o FILE "
				"-- COMMAND");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	int rc = td_listener_check(opts->listen, err);

	return rc ? rc : td_opts_check_counting(opts, err);
}

/* clang-format off */
static const struct td_option target[] = {
	{ "all-cpus", 'a', NULL, "the whole machine (the default)",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.target.all_cpus) },
	{ "cpu", 'C', "LIST", "whole CPUs: 0-3,8",
	  TD_OPTION_LIST, offsetof(struct td_opts, request.target.cpus),
	  offsetof(struct td_opts, request.target.has_cpus), .max = TD_MAX_CPU },
	{ "for-each-cgroup", 0, "LIST",
	  "a series for each cgroup: names or regular expressions",
	  TD_OPTION_TEXT, offsetof(struct td_opts, request.target.each_cgroup) },
	{ NULL },
};

static const struct td_option tree[] = {
	{ "level", 'l', "N",
	  "the tree down to level N (default: 2, if no metric is named)",
	  TD_OPTION_FUNCTION, .set = td_value_level },
	{ "metrics", 'M', "LIST",
	  "metrics and groups of them: names, tma_*",
	  TD_OPTION_FUNCTION, .set = td_value_metrics },
	{ NULL },
};

static const struct td_option when[] = {
	{ "interval-print", 'I', "TIME",
	  "read every TIME: 500 or 500ms, 2s (default: 1s)",
	  TD_OPTION_TIME, offsetof(struct td_opts, request.when.interval_ms), .min = 100 },
	{ NULL },
};

static const struct td_option how[] = {
	{ "listen", 0, "ADDR:PORT|unix:PATH",
	  "where to answer (default: " TD_LISTEN_DEFAULT ")",
	  TD_OPTION_FILE, offsetof(struct td_opts, listen) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_target = { TD_SECTION_WHAT, target };
static const struct td_option_group group_tree = { TD_SECTION_WHAT, tree };
static const struct td_option_group group_when = { TD_SECTION_WHEN, when };
static const struct td_option_group group_how = { TD_SECTION_HOW, how };

static const struct td_option_group *const groups[] = {
	&group_target,
	&td_group_cores,
	&td_group_files,
	&group_tree,
	&group_when,
	&group_how,
	&td_group_places,
	&td_group_series,
	&td_group_dry_run,
	&td_group_verbose,
	NULL,
};

const struct td_command td_command_serve = {
	.name = "serve",
	.line = "count, and answer Prometheus over HTTP",
	.args = "",
	.doc = "Counts the whole machine until it is told to end, and answers "
	       "GET /metrics with counters of pipeline slots, for Prometheus "
	       "and what reads the same text.",
	.what = "What to count:",
	.examples = "  tdstat serve\n"
		    "  tdstat serve --listen unix:/run/tdstat.sock -A",
	.status = "Exit status: 0 after a signal; 64 for a wrong option; 1 if "
		  "it cannot count, or cannot listen.",
	.groups = groups,
	.does = { .exposes = true },
	.word = take_word,
	.check = check,
	.counts = true,
	.run = serve,
};
