"""A real server on a free port, and clients of it. `SLUICE_BUN` is the program that runs it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sluice import Sluice

ROOT = Path(__file__).parents[3]
KEY = "sluice_live_" + "e2" * 16
EXAMPLES = ROOT / "examples"


class Server:
    def __init__(self, folder: str, port: int = 0, **environment: str) -> None:
        self.folder = folder
        own = {"DATA_DIR": folder, "BOOTSTRAP_API_KEY": KEY, "BOOTSTRAP_PLAN": "scale", "PORT": str(port)}
        self.process = subprocess.Popen(
            [os.environ.get("SLUICE_BUN", "bun"), str(ROOT / "src/main.ts")],
            env={**own, **environment, "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = ""
        for line in self.process.stdout:
            found = re.search(r'"url":"(http://[^"]*)"', line)
            if found:
                self.url = found[1]
                break

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        running = Server(folder)
        yield running
        running.kill()


@pytest.fixture
def gate(server: Server) -> Iterator[Sluice]:
    with Sluice(server.url, KEY) as client:
        client.reset_all_baselines()
        yield client


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
