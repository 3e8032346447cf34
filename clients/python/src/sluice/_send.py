"""
Requests as steps, without input and output: a flow yields what to do, and is sent what came of it. `_client.py` and `_async_client.py`
carry the steps out, so that both behave alike.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Union
from urllib.parse import urlsplit

from ._errors import SluiceError, error_in, error_of, object_in, unexpected
from ._retry import RetryPolicy, pause_after

#: An answer names each field of a batch a few times. A longer one is an attempt to fill the memory.
MAX_ANSWER_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    #: Bytes, or an input that is read while it is sent.
    content: Any
    #: Whether carrying it out twice has the same effect as once.
    repeatable: bool


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Answer:
    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    body: bytes


T = TypeVar("T")
#: Requests are answered with an `Answer`, or with the `SluiceError` that says why there is none.
Flow = Generator[Union[Request, Pause], Any, T]


def sent(request: Request, policy: RetryPolicy) -> Flow[Answer]:
    """The successful answer. Raises `SluiceError`."""
    attempt = 0
    while True:
        attempt += 1
        outcome = yield request
        if isinstance(outcome, Answer) and 200 <= outcome.status < 300:
            return outcome
        error = (
            outcome
            if isinstance(outcome, SluiceError)
            else error_in(outcome.status, outcome.headers, outcome.body)
        )
        pause = pause_after(error, attempt, request.repeatable, policy)
        if pause is None:
            raise error
        yield Pause(pause)


def object_of(answer: Answer) -> dict[str, Any]:
    """Raises `SluiceError` if the answer is no JSON object, for example the page of a proxy."""
    members = object_in(answer.body)
    if members is None:
        raise unexpected(
            answer.status,
            answer.headers,
            "The answer is no JSON object; is this the address of a Sluice server?",
        )
    return members


def check_answer(status: int, headers: Mapping[str, str], length: int) -> None:
    """Raises `SluiceError` for an answer that does not end."""
    if length > MAX_ANSWER_BYTES:
        message = f"The answer is longer than {MAX_ANSWER_BYTES} bytes; is this a Sluice server?"
        raise unexpected(status, headers, message)


def unreachable(url: str, error: Exception) -> SluiceError:
    parts = urlsplit(url)
    # Some errors of the library have no words of their own.
    reason = str(error) or type(error).__name__
    failed = error_of(f"{parts.scheme}://{parts.netloc} does not answer: {reason}", code="UNREACHABLE")
    failed.__cause__ = error
    return failed
