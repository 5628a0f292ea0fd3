"""`parley` without the wait for its imports and patterns: a host that has them, forked for a call.

What runs is the command line's own entry point in a process of its own, with the
caller's arguments, directory, environment and standard streams. Only the half
second of imports, and another of compiling the patterns of the language packs,
is not paid again by each of the hundreds of calls of a page.

`python -m tests.support.servers.warm SOCKET` is the host; the script that `warm` puts beside it is
what is called. Two forks a call: the first waits for the second and tells its end.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import NoReturn

from parley.server.cli.main import main

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "server" / "data" / "demo.jsonl"
_SCRIPT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as host:
    host.connect({address!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(host, [len(request).to_bytes(4, "big")], [0, 1, 2])
    host.sendall(request)
    ended = host.recv(1)
sys.exit(ended[0] if ended else 70)
"""


@contextmanager
def warm() -> Iterator[Path]:
    """A directory to put on PATH, whose `parley` is quick to start."""
    with tempfile.TemporaryDirectory(prefix="parley-warm-") as made:
        directory = Path(made)  # not pytest's: a unix socket's path may have 107 bytes at most
        address = str(directory / "s")
        script = directory / "parley"
        script.write_text(_SCRIPT.format(python=sys.executable, address=address))
        script.chmod(0o755)
        host = subprocess.Popen(
            [sys.executable, "-m", "tests.support.servers.warm", address],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert host.stdin
        assert host.stdout
        try:
            assert host.stdout.readline() == b"warm\n"
            yield directory
        finally:
            os.killpg(host.pid, signal.SIGKILL)  # with what a call that was given up left behind
            host.wait()
            host.stdin.close()
            host.stdout.close()


def _serve(address: str) -> None:
    """Answer calls until whoever wants them is gone; returns in a process that is one call."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("warm", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
        while True:
            ready, _, _ = select.select([listening, sys.stdin], [], [])
            if sys.stdin in ready:  # it is written to by nobody, and was closed
                os._exit(0)
            caller, _ = listening.accept()
            with caller:
                if os.fork() == 0:
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    listening.close()
                    _answer(caller)
                    return


def _answer(caller: socket.socket) -> None:
    """Become the call, in a child; the process that forked it tells its end, and is gone."""
    size, streams, _, _ = socket.recv_fds(caller, 4, 3)
    with caller.makefile("rb") as request:
        args, directory, environment = json.loads(request.read(int.from_bytes(size, "big")))
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        caller.sendall(bytes([code if code >= 0 else 128 - code]))
        os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = args


def _call(args: list[str]) -> NoReturn:
    """Run the command line to its end, all but taking apart what was imported."""
    code: object = 70
    try:
        main(args)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _everything() -> None:
    """Import what any call may need, without waiting for a call to need it."""
    for name in ("parley",):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            # No command needs an adapter, and its framework is not installed.
            if not module.name.endswith("__main__") and ".integrations." not in module.name:
                importlib.import_module(module.name)


if __name__ == "__main__":
    _everything()
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), suppress(SystemExit):
        main(["session", "ls", "--help"])  # what typer makes on first use
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), suppress(SystemExit):
        main(["analyze", str(DEMO), "--format", "memory"])  # and whoever reads a message
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page it looks at
    _serve(sys.argv[1])
    _call(sys.argv[1:])
