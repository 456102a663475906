// SPDX-License-Identifier: GPL-2.0-only
/* tdstat serve: count until stopped, and answer Prometheus. */
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/request.h"
#include "cmd/rights.h"
#include "cmd/say.h"
#include "cmd/serve/parts.h"
#include "cmd/session.h"
#include "cmd/version.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"
#include "cmd/wing.h"
#include "lib/base/number.h"
#include "lib/count/aggregation.h"
#include "lib/machine/cpu.h"
#include "lib/machine/uarch.h"

/* --- listen ------------------------------------------------------------ */

/* The socket that Prometheus connects to. */

#define BACKLOG   128
#define MAX_PORT  65535
#define UNIX      "unix:"
#define FIRST_FD  3    /* SD_LISTEN_FDS_START of systemd */
#define UNIX_MASK 0117 /* umask of a unix socket for the user and the group */
#define HOST_SIZE 256

#define LISTEN_DEFAULT "127.0.0.1:9878"
#define LISTEN_NAME    320

/* A listening socket. */
struct listener {
	int fd;           /* -1: none */
	const char *path; /* a unix socket created here; NULL: none */
	dev_t dev;        /* device and inode of that socket */
	ino_t ino;
};

#define LISTENER_NONE ((struct listener){ .fd = -1 })

static bool is_unix(const char *where)
{
	return strncmp(where, UNIX, strlen(UNIX)) == 0;
}

/* Returns the port in "HOST:PORT" or "[HOST]:PORT"; NULL if the text has another form. */
static const char *split(const char *where, char host[HOST_SIZE])
{
	const char *colon = strrchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;
	int port;

	if (!len || td_parse_int(colon + 1, 1, MAX_PORT, &port))
		return NULL;
	if (where[0] == '[' && where[len - 1] == ']') {
		where++;
		len -= 2;
	} else if (memchr(where, ':', len)) {
		return NULL; /* an IPv6 address without brackets: the port is ambiguous */
	}
	if (!len || len >= HOST_SIZE)
		return NULL;
	memcpy(host, where, len);
	host[len] = '\0';
	return colon + 1;
}

static int check_unix(const char *path, struct td_err *err)
{
	const struct sockaddr_un un = { 0 };

	if (!*path)
		return td_err_usage(err, "--listen unix: an empty name");
	if (strlen(path) < sizeof(un.sun_path))
		return 0;
	return td_err_usage(err, "--listen unix:%s: the name of a socket has at most %zu letters",
			    path, sizeof(un.sun_path) - 1);
}

/* Returns 0 if where could be opened, or a usage error. */
static int listener_check(const char *where, struct td_err *err)
{
	char host[HOST_SIZE];

	if (!where)
		return 0;
	if (is_unix(where))
		return check_unix(where + strlen(UNIX), err);
	if (split(where, host))
		return 0;
	td_err_usage(err, "--listen %s: not ADDR:PORT or unix:PATH", where);
	return td_err_hint(
		err, "for example 127.0.0.1:9878, [::1]:9878, 0.0.0.0:9878 for all addresses");
}

/* --- TCP ------------------------------------------------------------------ */

static int listen_on(int fd, const struct addrinfo *info)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG))
		return -1;
	return 0;
}

static int open_first(const struct addrinfo *info, int *fd)
{
	for (; info; info = info->ai_next) {
		*fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (*fd >= 0 && listen_on(*fd, info) == 0)
			return 0;
		if (!info->ai_next)
			return -errno;
		td_close_fd(fd);
	}
	return -EADDRNOTAVAIL;
}

static int open_tcp(int *fd, const char *where, struct td_err *err)
{
	const struct addrinfo wanted = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	char host[HOST_SIZE];
	const char *port = split(where, host);
	struct addrinfo *found;
	int rc;

	if (!port)
		return listener_check(where, err);
	rc = getaddrinfo(host, port, &wanted, &found);
	if (rc)
		return td_err_set(err, -EADDRNOTAVAIL, "--listen %s: %s", where, gai_strerror(rc));
	rc = open_first(found, fd);
	freeaddrinfo(found);
	if (!rc)
		return 0;
	td_err_set(err, rc, "cannot listen on %s: %s", where, strerror(-rc));
	return rc == -EADDRINUSE ? td_err_hint(err, "another port: --listen ADDR:PORT") : rc;
}

/* --- a unix socket -------------------------------------------------------- */

/* Remove the socket of a process that has ended.  Returns 0 or a negative errno. */
static int remove_stale(const struct sockaddr_un *un)
{
	struct stat st;
	int fd, rc;

	if (lstat(un->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	rc = connect(fd, (const struct sockaddr *)un, sizeof(*un)) ? errno : 0;
	td_close_fd(&fd);
	if (rc != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(un->sun_path) ? -errno : 0;
}

static int bind_unix(struct listener *listener, const struct sockaddr_un *un)
{
	mode_t before;
	struct stat st;
	int rc;

	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return -errno;
	before = umask(UNIX_MASK);
	rc = bind(listener->fd, (const struct sockaddr *)un, sizeof(*un));
	rc = rc ? -errno : 0;
	umask(before);
	if (rc || lstat(un->sun_path, &st))
		return rc ?: -errno;
	listener->dev = st.st_dev;
	listener->ino = st.st_ino;
	return listen(listener->fd, BACKLOG) ? -errno : 0;
}

static int open_unix(struct listener *listener, const char *path, struct td_err *err)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int rc = check_unix(path, err);

	if (rc)
		return rc;
	strcpy(un.sun_path, path);
	listener->path = path;
	rc = remove_stale(&un);
	rc = rc ?: bind_unix(listener, &un);
	if (rc)
		return td_err_set(err, rc, "cannot listen on %s: %s", path, strerror(-rc));
	return 0;
}

/* --- a socket of systemd -------------------------------------------------- */

/* Find the socket that systemd passed, like sd_listen_fds(3). */
static bool find_inherited(int *fd)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");
	int value;

	if (!pid || !nr || td_parse_int(pid, 1, INT32_MAX, &value) || value != getpid() ||
	    td_parse_int(nr, 1, INT32_MAX, &value) || fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) ||
	    fcntl(FIRST_FD, F_SETFL, O_NONBLOCK))
		return false;
	*fd = FIRST_FD;
	return true;
}

/*
 * Open "ADDR:PORT", "[ADDR]:PORT" or "unix:PATH".  If where is NULL, use the socket
 * that systemd passed (LISTEN_FDS), else LISTEN_DEFAULT.  A unix socket on which no
 * process listens is replaced.  If it fails, the listener still has to be closed.
 */
static int listener_open(struct listener *listener, const char *where, struct td_err *err)
{
	*listener = LISTENER_NONE;
	if (!where && find_inherited(&listener->fd))
		return 0;
	where = where ? where : LISTEN_DEFAULT;
	return is_unix(where) ? open_unix(listener, where + strlen(UNIX), err)
			      : open_tcp(&listener->fd, where, err);
}

/* Format the name for messages, "http://127.0.0.1:9878/metrics". */
static void listener_name(const struct listener *listener, const char *where,
			  char name[LISTEN_NAME])
{
	if (!where && listener->fd == FIRST_FD && getenv("LISTEN_FDS"))
		snprintf(name, LISTEN_NAME, "a socket of systemd");
	else if (where && is_unix(where))
		snprintf(name, LISTEN_NAME, "%s", where);
	else
		snprintf(name, LISTEN_NAME, "http://%s/metrics", where ? where : LISTEN_DEFAULT);
}

/* Is the file still this process's socket?  Another process may have replaced it. */
static bool is_ours(const struct listener *listener)
{
	struct stat st;

	return listener->path && lstat(listener->path, &st) == 0 && st.st_dev == listener->dev &&
	       st.st_ino == listener->ino;
}

/* --- exposed ----------------------------------------------------------- */

#define MAX_SERIES 2000 /* default of --max-series */

static void exposed_begin(struct td_counters *counters, const struct td_request *request,
			  const struct td_source *source)
{
	const struct td_machine *machine = source->machine;
	const struct td_aggregation_row *row = td_aggregation_row(source->how);

	*counters = (struct td_counters){
		.max_series = request->max_series ? (size_t)request->max_series : MAX_SERIES,
		.interval_ns = (uint64_t)request->when.interval_ms * TD_NS_A_MS,
		.always_enabled = !source->nr_cgroups && td_request_is_wide(request),
		.cgroups = source->live_cgroups,
		.version = td_version,
		.files = source->files_version,
		.model = machine->model ? machine->model->name : "",
	};
	/* CPUs get the label of node_exporter, cpu="5" */
	if (source->nr_cgroups) {
		counters->label = "cgroup";
	} else if (source->how != TD_AGGREGATE_ALL) {
		counters->label = row->name;
		counters->prefix = row->prefix;
	}
	td_cpuid_format(&machine->cpuid, counters->cpuid);
}

/* Add an interval that was just read.  Report once that not all series have room. */
static void exposed_add(struct td_counters *counters, const struct td_report *report)
{
	counters->read_s = (double)td_wall_ns() / TD_NS_A_SECOND;
	td_counters_add(counters, report);
	if (!counters->nr_left_out || counters->reported_left_out)
		return;
	counters->reported_left_out = true;
	td_say("tdstat: left out %zu series beyond the limit of %zu\n", counters->nr_left_out,
	       counters->max_series);
	td_say("tdstat: raise --max-series, or count fewer CPUs, cgroups or metrics\n");
}

/* Return the page; the caller frees it. */
static char *exposed_text(const struct td_counters *counters, enum td_exposition how, size_t *size)
{
	char *text = NULL;
	FILE *fp = td_open_memstream(&text, size);

	td_out_openmetrics(fp, how, counters);
	td_text_close(fp, &text);
	return text;
}

/* --- textfile ---------------------------------------------------------- */

/* tdstat --openmetrics: counters in a file that node_exporter reads. */

/* node_exporter reads the file at each scrape, rarely more often than every 15 s. */
#define TEXTFILE_INTERVAL_MS 15000

struct textfile {
	const struct td_request *request;
	char *path, *temporary; /* both in one directory, so that rename(2) works */
	enum td_exposition how;
	bool failed; /* the last write failed, and this was reported */
	struct td_counters counters;
};

static int fail(const struct textfile *file, int error, struct td_err *err)
{
	return td_err_set(err, -error, "cannot write %s: %s", file->path, strerror(error));
}

/* Write the temporary file.  A link with its name is not followed. */
static int write_temporary(const struct textfile *file, const char *text, size_t size)
{
	int fd, rc;

	unlink(file->temporary);
	fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	rc = -td_write_all(fd, text, size);
	return close(fd) && !rc ? errno : rc;
}

/* Replace the file atomically, so that readers never see a part of it. */
static int replace(const struct textfile *file, struct td_err *err)
{
	size_t size = 0;
	td_autofree char *text = exposed_text(&file->counters, file->how, &size);
	int rc = write_temporary(file, text, size);

	if (!rc && rename(file->temporary, file->path))
		rc = errno;
	if (!rc)
		return 0;
	unlink(file->temporary);
	return fail(file, rc, err);
}

/* Report a file that cannot be written before the command runs. */
static int check_place(const struct textfile *file, struct td_err *err)
{
	int rc = write_temporary(file, "", 0);

	if (rc)
		return fail(file, rc, err);
	unlink(file->temporary);
	return 0;
}

static int textfile_begin(void *ctx, const struct td_source *source, struct td_err *err)
{
	struct textfile *file = ctx;
	int rc;

	exposed_begin(&file->counters, file->request, source);
	rc = replace(file, err);
	file->failed = rc != 0;
	return rc;
}

/*
 * Write the file.  If this fails, for example because the disk is full, keep the old file, continue
 * counting, and report the failure once.
 */
static int textfile_report(void *ctx, const struct td_report *report, struct td_err *err)
{
	struct textfile *file = ctx;
	struct td_err failed = { 0 };

	(void)err;
	exposed_add(&file->counters, report);
	if (replace(file, &failed) && !file->failed)
		td_say_error(&failed);
	file->failed = failed.code;
	return 0;
}

/* Links are kept and their targets are replaced.  Devices must not be replaced. */
static int find_path(struct textfile *file, const char *name, struct td_err *err)
{
	struct stat st;

	file->path = realpath(name, NULL);
	if (file->path && stat(file->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		td_err_set(err, -EINVAL, "-o %s: it would be replaced, and is not a file", name);
		return -EINVAL;
	}
	if (!file->path)
		file->path = td_strdup(name);
	file->temporary = td_aprintf("%s.tmp", file->path);
	return 0;
}

/*
 * --openmetrics: count as tdstat does, and replace the file of -o at each interval.  It
 * is in Prometheus's text format if its name ends in ".prom", else in OpenMetrics.
 */
static int textfile_run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_request request = opts->request;
	struct textfile file = {
		.request = &request,
		.how = td_ends_with(request.show.output, ".prom") ? TD_EXPOSE_TEXT
								  : TD_EXPOSE_OPENMETRICS,
	};
	const struct td_viewer viewer = {
		.begin = textfile_begin, .report = textfile_report, .fd = -1, .ctx = &file
	};
	int rc = find_path(&file, request.show.output, err);

	if (!request.when.interval_ms)
		request.when.interval_ms = TEXTFILE_INTERVAL_MS;
	if (!rc && !request.dry_run)
		rc = check_place(&file, err);
	rc = rc ? td_always_run_unseen(&request, status, err)
		: td_always_run(&request, &viewer, NULL, status, err);
	if (!rc && file.failed && !*status)
		*status = EXIT_FAILURE;
	td_counters_free(&file.counters);
	free(file.path);
	free(file.temporary);
	return rc;
}

/* --- serve ------------------------------------------------------------- */

#define INTERVAL_MS 1000

struct server {
	const struct td_request *request;
	const char *listen;
	struct listener listener;
	struct td_http *http;
	struct td_counters counters;
	const struct td_machine *machine; /* NULL: counting has not begun */
	bool reported_start;
};

/*
 * Send a message such as "READY=1" to $NOTIFY_SOCKET, if it is set, as sd_notify(3) does.  Errors
 * are ignored.  In the name of an abstract socket, '@' stands for a zero byte.
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
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&un,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	td_close_fd(&fd);
}

/* Render once per interval, not once per request. */
static void set_pages(struct server *server)
{
	for (int how = 0; how < TD_NR_EXPOSITIONS; how++) {
		size_t size = 0;
		char *text = exposed_text(&server->counters, (enum td_exposition)how, &size);

		td_http_set_page(server->http, (enum td_exposition)how, text, size);
	}
}

/* Begin to serve.  The counters are open, so no more rights are needed. */
static int begin(void *ctx, const struct td_source *source, struct td_err *err)
{
	struct server *server = ctx;

	if (td_rights_drop(err))
		return err->code;
	exposed_begin(&server->counters, server->request, source);
	server->machine = source->machine;
	set_pages(server);
	if (td_http_start(server->http, server->listener.fd, err))
		return err->code;
	notify("READY=1");
	return 0;
}

/* Report the start, after the first interval, when the number of series is known. */
static void report_start(struct server *server)
{
	char name[LISTEN_NAME];
	td_autofree char *pmus = NULL;
	size_t size = 0;
	FILE *fp;
	bool first = true;

	if (server->reported_start)
		return;
	server->reported_start = true;
	fp = td_open_memstream(&pmus, &size);
	for (size_t i = 0; i < server->machine->nr_core; i++) {
		if (server->machine->pmus[i].skip)
			continue;
		fprintf(fp, "%s%s", first ? "" : ", ", server->machine->pmus[i].name);
		first = false;
	}
	td_text_close(fp, &pmus);
	listener_name(&server->listener, server->listen, name);
	td_say("tdstat: version %s answers on %s: %s, %zu series\n", td_version, name, pmus,
	       server->counters.nr_series);
}

static int report(void *ctx, const struct td_report *report, struct td_err *err)
{
	struct server *server = ctx;

	(void)err;
	exposed_add(&server->counters, report);
	set_pages(server);
	report_start(server);
	notify("WATCHDOG=1");
	return 0;
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
	struct td_viewer viewer = {
		.begin = begin, .report = report, .ready = look_at_guests, .ctx = server
	};

	server->http = td_http_new(err);
	if (!server->http || listener_open(&server->listener, server->listen, err))
		return err->code;
	viewer.fd = td_http_timer(server->http);
	return td_session_view(server->request, &viewer, status, err);
}

static int serve(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_request request = opts->request;
	struct server server = { .request = &request,
				 .listen = opts->listen,
				 .listener = LISTENER_NONE };
	int rc;

	if (request.dry_run)
		return td_session_run(&request, status, err);
	if (!request.when.interval_ms)
		request.when.interval_ms = INTERVAL_MS;
	rc = count(&server, status, err);
	notify("STOPPING=1");
	td_http_stop(server.http);
	if (is_ours(&server.listener))
		unlink(server.listener.path);
	td_close_fd(&server.listener.fd);
	server.listener = LISTENER_NONE;
	td_counters_free(&server.counters);
	return rc;
}

/* --- the subcommand ------------------------------------------------------- */

static int refuse_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	(void)opts;
	td_err_usage(err, "tdstat serve runs no command: '%s'", word);
	return td_err_hint(err, "for a command: tdstat --openmetrics -o FILE -- COMMAND");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	int rc = listener_check(opts->listen, err);

	return rc ?: td_opts_check_counting(opts, err);
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
	{ "by-events", 0, NULL,
	  "events for each cgroup and CPU, not for each CPU only",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.target.by_events) },
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

static const struct td_option series[] = {
	{ "max-series", 0, "N",
	  "for Prometheus: export at most N series (default: 2000)",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.max_series),
	  .min = 1, .max = INT_MAX },
	{ NULL },
};

static const struct td_option how[] = {
	{ "listen", 0, "ADDR:PORT|unix:PATH",
	  "address to listen on (default: " LISTEN_DEFAULT ")",
	  TD_OPTION_FILE, offsetof(struct td_opts, listen) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_target = { TD_SECTION_WHAT, target };
static const struct td_option_group group_tree = { TD_SECTION_WHAT, tree };
static const struct td_option_group group_when = { TD_SECTION_WHEN, when };
static const struct td_option_group group_how = { TD_SECTION_HOW, how };
static const struct td_option_group group_series = { TD_SECTION_HOW, series };

static const struct td_option_group *const groups[] = {
	&group_target, &td_group_cores,  &td_group_files, &group_tree,       &group_when,
	&group_how,    &td_group_places, &group_series,   &td_group_dry_run, &td_group_verbose,
	NULL,
};

static const struct td_command command = {
	.name = "serve",
	.line = "serve the counters to Prometheus over HTTP",
	.args = "",
	.doc = "Counts the whole machine until stopped, and serves the counters of pipeline slots "
	       "at /metrics in Prometheus text format.",
	.what = "What to count:",
	.examples = "  tdstat serve\n"
		    "  tdstat serve --listen unix:/run/tdstat.sock -A",
	.status = "Exit status: 0 after a signal; 64 for a wrong option; 1 if it cannot count, or "
		  "cannot listen.",
	.groups = groups,
	.does = { .exposes = true },
	.word = refuse_word,
	.check = check,
	.counts = true,
	.run = serve,
};

/* clang-format off */
static const struct td_option openmetrics[] = {
	{ "openmetrics", 0, NULL,
	  "with -o FILE: counters for Prometheus, rewritten at each interval",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.openmetrics) },
	{ NULL },
};

/* clang-format on */

static const struct td_option_group group_textfile = { TD_SECTION_HOW, openmetrics };

static bool wants_textfile(const struct td_opts *opts)
{
	return opts->request.openmetrics;
}

static const struct td_addition additions[] = {
	{ "stat", &group_textfile, wants_textfile, .run = textfile_run },
	{ "stat", &group_series },
	{ NULL },
};

const struct td_wing td_wing_serve = {
	.name = "serve",
	.command = &command,
	.additions = additions,
};
