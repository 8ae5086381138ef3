"""Serves the bare repositories below a folder over HTTP, by git's own http-backend.

Prints the port that it listens on. A file `fault` in the folder says what is done instead, one
line for each: PREFIX STATUS [HEADER: VALUE] for an answer without a body. Each request is a line of
the file `requests`.
"""

import http.server
import os
import subprocess
import sys

ROOT = os.path.abspath(sys.argv[1])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def fault(self):
        try:
            with open(os.path.join(ROOT, "fault"), encoding="utf-8") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return None
        for line in lines:
            prefix, status, *header = line.split(" ", 2)
            if self.path.startswith(prefix):
                return int(status), header[0] if header else ""
        return None

    def answer(self):
        with open(os.path.join(ROOT, "requests"), "a", encoding="utf-8") as file:
            file.write(f"{self.command} {self.path}\n")
        body = self.body()
        fault = self.fault()
        if fault is not None:
            self.send_response(fault[0])
            if fault[1]:
                self.send_header(*fault[1].split(": ", 1))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": ROOT,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": self.client_address[0],
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        status = 200
        headers = []
        for line in head.decode("latin-1").split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Status":
                status = int(value.split()[0])
            elif name:
                headers.append((name, value))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def body(self):
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        out = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            out += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return out

    do_GET = answer
    do_POST = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
