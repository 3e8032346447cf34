"""`timeout` is for all of a try: a server that drips bytes, or takes them slowly, is not waited for longer."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from conftest import KEY
from wire import VERDICT

from sluice import AsyncSluice, Sluice, SluiceError, Unavailable, _deadline
from sluice._deadline import Deadline

TIMEOUT = 0.3
#: Far more than the timeout, so that a busy machine is no failure. A server here drips for longer.
WAITED = 10.0
OK = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def dripping(begin: bytes, drip: bytes, *answers: bytes) -> Iterator[str]:
    """Answers whole at first, then begins an answer that never ends. Nothing of a request is read where it is empty."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                try:
                    for answer in answers:
                        connection.recv(1 << 20)
                        connection.sendall(answer)
                    if drip:
                        connection.recv(1 << 20)
                        connection.sendall(begin)
                    while not ended.wait(0.02):
                        connection.sendall(drip)
                except OSError:
                    pass

        serving = threading.Thread(target=serve)
        serving.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            serving.join()


def late(call: Any) -> None:
    began = time.monotonic()
    with pytest.raises(SluiceError) as caught:
        call()
    assert type(caught.value) is Unavailable
    assert caught.value.code == "UNREACHABLE"
    assert caught.value.message.endswith(f" does not answer: no whole answer within {TIMEOUT:g} s")
    assert TIMEOUT <= time.monotonic() - began < WAITED


CASES = [
    pytest.param(OK, b"X-A: b\r\n", id="header lines"),
    pytest.param(OK + b"X-A: ", b"b", id="the bytes of a header"),
    pytest.param(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", id="informational answers"),
    pytest.param(OK + b"Content-Length: 9999\r\n\r\n", b" ", id="the bytes of a body"),
    pytest.param(b"", b"", id="nothing, and takes nothing"),
]
#: More than the buffers of the system hold.
ROWS = [{"text": "x" * 3000}] * 9000


@pytest.mark.parametrize(("begin", "drip"), CASES)
def test_a_server_that_drips(begin: bytes, drip: bytes) -> None:
    with dripping(begin, drip) as url, Sluice(url, KEY, timeout=TIMEOUT, max_retries=0) as client:
        late(lambda: client.screen(ROWS[:1] if drip else ROWS, "s"))


@pytest.mark.parametrize(("begin", "drip"), CASES)
def test_a_server_that_drips_to_an_event_loop(begin: bytes, drip: bytes) -> None:
    async def screen(url: str) -> None:
        async with AsyncSluice(url, KEY, timeout=TIMEOUT, max_retries=0) as client:
            await client.screen(ROWS[:1] if drip else ROWS, "s")

    with dripping(begin, drip) as url:
        late(lambda: anyio.run(screen, url))


def test_a_connection_that_was_opened_by_an_earlier_try(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps(VERDICT).encode()
    whole = OK + b"Content-Length: %d\r\n\r\n" % len(body) + body
    server = dripping(OK, b"X-A: b\r\n", whole, whole)
    ahead = 0.0
    monkeypatch.setattr(_deadline, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead))
    with server as url, Sluice(url, KEY, timeout=WAITED, max_retries=0) as client:
        assert client.screen(ROWS[:1], "s").passed
        # The deadline of the first try is over.
        ahead = WAITED
        assert client.screen(ROWS[:1], "s").passed
        object.__setattr__(client._settings, "timeout", TIMEOUT)
        late(lambda: client.screen(ROWS[:1], "s"))


def test_each_thread_has_its_own_deadline() -> None:
    deadline = Deadline()
    seen = []
    with deadline.within(60):
        other = threading.Thread(target=lambda: seen.append(deadline.left()))
        other.start()
        other.join()
        assert 0 < (deadline.left() or 0) <= 60
    assert seen == [None]
    with deadline.within(0), pytest.raises(TimeoutError):
        deadline.left()
    assert deadline.left() is None
