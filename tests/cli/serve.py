# SPDX-License-Identifier: GPL-2.0-only
"""What serve.bats needs of HTTP and sockets; each function below is a subcommand."""
import http.client
import os
import socket
import subprocess
import sys
import threading

REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
# For a loaded host; nothing here should take a tenth of it.
PATIENCE = 90


def connect(port):
    sock = socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE)
    return sock


def get(sock):
    """Asks, and returns all up to the end of the connection."""
    sock.sendall(REQUEST + b"Connection: close\r\n\r\n")
    answer = b""
    while part := sock.recv(65536):
        answer += part
    return answer


def still_answers(port):
    with connect(port) as sock:
        answer = get(sock)
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]


def port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        print(sock.getsockname()[1])


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.host)


def print_answer(connection, method, path, headers):
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    print("status", answer.status)
    for name, value in answer.getheaders():
        print(f"{name}: {value}")
    print()
    print(answer.read().decode(), end="")


def http_(method, url, *more):
    if url.startswith("unix:"):
        connection = Unix("localhost")
        connection.host = url[5:]
        path, *more = more
    else:
        host, path = url.removeprefix("http://").split("/", 1)
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        path = "/" + path
    headers = dict(line.split(": ", 1) for line in more)
    headers.setdefault("Accept", "*/*")
    print_answer(connection, method, path, headers)


def kept(port_):
    """Ten answers on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", int(port_), timeout=PATIENCE)
    connection.connect()
    first = connection.sock
    for _ in range(10):
        connection.request("GET", "/metrics")
        assert connection.getresponse().read()
        assert connection.sock is first


def garbage(port_):
    for text in (b"\0" * 5000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                 REQUEST + b"A: b\r\n" * 20000 + b"\r\n", b"GET " + b"/" * 100000,
                 REQUEST + b"Content-Length: 99999999999\r\n\r\n",
                 b"GET /\xff\xfe HTTP/1.1\r\nHost: \xff\r\n\r\n", b"\n" * 100000,
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nx"):
        with connect(port_) as sock:
            try:
                sock.sendall(text)
                sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has hung up
        still_answers(port_)


def crowd(port_, number):
    """Connections that say nothing."""
    socks = [socket.socket() for _ in range(int(number))]
    for sock in socks:
        sock.setblocking(False)
        sock.connect_ex(("127.0.0.1", int(port_)))
    still_answers(port_)
    for sock in socks:
        sock.close()
    still_answers(port_)


def slow(port_, number):
    """As many as are served at a time, which send a letter now and then."""
    socks = [connect(port_) for _ in range(int(number))]
    end = threading.Event()

    def drip():
        while not end.wait(0.5):
            for sock in socks:
                try:
                    sock.send(b"G")
                except OSError:
                    pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        still_answers(port_)
    finally:
        end.set()
        thread.join()


def insist(port_, end):
    """Keeps a connection and asks on it again and again, and comes back when it is ended."""
    while not end.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", int(port_), timeout=PATIENCE)
        try:
            while not end.is_set():
                connection.request("GET", "/metrics")
                connection.getresponse().read()
                end.wait(1)
        except (OSError, http.client.HTTPException):
            pass
        connection.close()


def polite(port_, number):
    """More than are served at a time, each of which asks sooner than it would be cut off."""
    end = threading.Event()
    threads = [threading.Thread(target=insist, args=(port_, end)) for _ in range(int(number))]
    for thread in threads:
        thread.start()
    try:
        end.wait(3)
        for _ in range(3):
            still_answers(port_)
    finally:
        end.set()
        for thread in threads:
            thread.join()


def notified(path):
    """Prints what systemd would be told, up to the end."""
    if os.path.exists(path):
        os.unlink(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(path)
        sock.settimeout(600)
        state = ""
        while state != "STOPPING=1":
            state = sock.recv(1000).decode()
            print(state, flush=True)


def activated(tdstat):
    """Hands over a socket as systemd does: descriptor 3, and the process's own id."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' % server.fileno(),
             "sh", tdstat, "serve", "-l", "1"], pass_fds=[server.fileno()], stderr=subprocess.DEVNULL)
        try:
            connection = http.client.HTTPConnection("127.0.0.1", number, timeout=PATIENCE)
            print_answer(connection, "GET", "/metrics", {})
        finally:
            process.terminate()
            assert process.wait() == 0


def series(path):
    """{name and labels in order: value} of what tdstat wrote"""
    found = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("tdstat_"):
            name, value = line.rsplit(" ", 1)
            name, _, labels = name.partition("{")
            found[name, tuple(sorted(labels.rstrip("}").split(",")))] = float(value)
    return found


def same(one, other):
    one, other = series(one), series(other)
    assert one and one == other, one.items() ^ other.items()


NAMES = {"http": http_}

if __name__ == "__main__":
    NAMES.get(sys.argv[1], globals().get(sys.argv[1]))(*sys.argv[2:])
