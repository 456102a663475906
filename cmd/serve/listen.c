// SPDX-License-Identifier: GPL-2.0-only
/* The socket that Prometheus connects to. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/serve/parts.h"
#include "lib/base/number.h"
#include "lib/base/util.h"

#define BACKLOG   128
#define MAX_PORT  65535
#define UNIX      "unix:"
#define FIRST_FD  3    /* SD_LISTEN_FDS_START of systemd */
#define UNIX_MASK 0117 /* of a unix socket: for the user and the group */
#define HOST_SIZE 256

static bool is_unix(const char *where)
{
	return strncmp(where, UNIX, strlen(UNIX)) == 0;
}

/*
 * Returns the port of "HOST:PORT" or "[HOST]:PORT", in the text; NULL if it is not
 * of that form.
 */
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
		return NULL; /* of an IPv6 address, which part is the port? */
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
	return td_err_usage(err,
			    "--listen unix:%s: the name of a socket has at "
			    "most %zu letters",
			    path, sizeof(un.sun_path) - 1);
}

int td_listener_check(const char *where, struct td_err *err)
{
	char host[HOST_SIZE];

	if (!where)
		return 0;
	if (is_unix(where))
		return check_unix(where + strlen(UNIX), err);
	if (split(where, host))
		return 0;
	td_err_usage(err, "--listen %s: not ADDR:PORT or unix:PATH", where);
	return td_err_hint(err, "for example 127.0.0.1:9878, [::1]:9878, "
				"0.0.0.0:9878 for all addresses");
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
		*fd = socket(info->ai_family,
			     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
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
	const struct addrinfo wanted = { .ai_flags = AI_PASSIVE,
					 .ai_socktype = SOCK_STREAM };
	char host[HOST_SIZE];
	const char *port = split(where, host);
	struct addrinfo *found;
	int rc;

	if (!port)
		return td_listener_check(where, err);
	rc = getaddrinfo(host, port, &wanted, &found);
	if (rc)
		return td_err_set(err, -EADDRNOTAVAIL, "--listen %s: %s", where,
				  gai_strerror(rc));
	rc = open_first(found, fd);
	freeaddrinfo(found);
	if (!rc)
		return 0;
	td_err_set(err, rc, "cannot listen on %s: %s", where, strerror(-rc));
	return rc == -EADDRINUSE
		       ? td_err_hint(err, "another port: --listen ADDR:PORT")
		       : rc;
}

/* --- a unix socket -------------------------------------------------------- */

/* Removes a socket of a process that has ended.  0, or a negative errno. */
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

static int bind_unix(struct td_listener *listener, const struct sockaddr_un *un)
{
	mode_t before;
	struct stat st;
	int rc;

	listener->fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return -errno;
	before = umask(UNIX_MASK);
	rc = bind(listener->fd, (const struct sockaddr *)un, sizeof(*un));
	rc = rc ? -errno : 0;
	umask(before);
	if (rc || lstat(un->sun_path, &st))
		return rc ? rc : -errno;
	listener->dev = st.st_dev;
	listener->ino = st.st_ino;
	return listen(listener->fd, BACKLOG) ? -errno : 0;
}

static int open_unix(struct td_listener *listener, const char *path,
		     struct td_err *err)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int rc = check_unix(path, err);

	if (rc)
		return rc;
	strcpy(un.sun_path, path);
	listener->path = path;
	rc = remove_stale(&un);
	if (!rc)
		rc = bind_unix(listener, &un);
	if (rc)
		return td_err_set(err, rc, "cannot listen on %s: %s", path,
				  strerror(-rc));
	return 0;
}

/* --- a socket of systemd -------------------------------------------------- */

/* sd_listen_fds(3) */
static bool take_inherited(int *fd)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");
	int value;

	if (!pid || !nr || td_parse_int(pid, 1, INT32_MAX, &value) ||
	    value != getpid() || td_parse_int(nr, 1, INT32_MAX, &value) ||
	    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) ||
	    fcntl(FIRST_FD, F_SETFL, O_NONBLOCK))
		return false;
	*fd = FIRST_FD;
	return true;
}

int td_listener_open(struct td_listener *listener, const char *where,
		     struct td_err *err)
{
	*listener = TD_LISTENER_NONE;
	if (!where && take_inherited(&listener->fd))
		return 0;
	where = where ? where : TD_LISTEN_DEFAULT;
	return is_unix(where) ? open_unix(listener, where + strlen(UNIX), err)
			      : open_tcp(&listener->fd, where, err);
}

void td_listener_name(const struct td_listener *listener, const char *where,
		      char name[TD_LISTEN_NAME])
{
	if (!where && listener->fd == FIRST_FD && getenv("LISTEN_FDS"))
		snprintf(name, TD_LISTEN_NAME, "a socket of systemd");
	else if (where && is_unix(where))
		snprintf(name, TD_LISTEN_NAME, "%s", where);
	else
		snprintf(name, TD_LISTEN_NAME, "http://%s/metrics",
			 where ? where : TD_LISTEN_DEFAULT);
}

/* Another process may have put its own in the place of ours. */
static bool is_ours(const struct td_listener *listener)
{
	struct stat st;

	return listener->path && lstat(listener->path, &st) == 0 &&
	       st.st_dev == listener->dev && st.st_ino == listener->ino;
}

void td_listener_close(struct td_listener *listener)
{
	if (is_ours(listener))
		unlink(listener->path);
	td_close_fd(&listener->fd);
	*listener = TD_LISTENER_NONE;
}
