"""Errors of calls, by what to do about them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Optional

from ._words import in_arguments


@dataclass(frozen=True)
class Place:
    """Rows of the input, from 1, both included."""

    first_row: int
    last_row: int


class SluiceError(Exception):
    """A call that failed, after all retries. The message is for people and says what to do."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: For programs: a code of the service, or UNREACHABLE, or UNEXPECTED_ANSWER (not from Sluice).
        self.code = code
        #: HTTP status; 0 without an answer.
        self.status = status
        #: Find the request in the service's log by this id.
        self.request_id = request_id
        #: Seconds after which to try again; None if the service does not say.
        self.retry_after = retry_after
        #: Other members of the answer, such as `url` of SUBSCRIPTION_EXISTS.
        self.details: Mapping[str, Any] = details or {}
        #: `screen_all`: the rows of the batch that failed. All rows before it were screened.
        self.place: Optional[Place] = None

    def __reduce__(self) -> Any:
        # The default calls the class with the message alone. Workers of a pool send errors pickled.
        return (_restored, (type(self), self.message, self.__dict__))


class AuthError(SluiceError):
    """The key is missing or not valid."""


class InvalidInput(SluiceError):
    """The batch, an option or a parameter is refused: sending it again does not help."""


class RateLimited(SluiceError):
    """Too many requests; `retry_after` says when to go on."""


class PlanLimitExceeded(SluiceError):
    """A bound of the plan is reached; the message says which."""


class Unavailable(SluiceError):
    """No answer, or the service cannot serve the request now."""


def _restored(kind: type[SluiceError], message: str, members: dict[str, Any]) -> SluiceError:
    error = kind(message, code=members["code"])
    error.__dict__.update(members)
    return error


_BY_CODE: dict[str, type[SluiceError]] = {
    "AUTH_INVALID": AuthError,
    "RATE_LIMITED": RateLimited,
    "PLAN_LIMIT_EXCEEDED": PlanLimitExceeded,
    "UNREACHABLE": Unavailable,
    "SERVICE_UNAVAILABLE": Unavailable,
    "BILLING_NOT_CONFIGURED": Unavailable,
    "REQUEST_TIMEOUT": Unavailable,
    "INTERNAL": Unavailable,
    "MISSING_SOURCE": InvalidInput,
    "PAYLOAD_TOO_LARGE": InvalidInput,
    "UNSUPPORTED_MEDIA_TYPE": InvalidInput,
}


def _class_of(code: str, status: int) -> type[SluiceError]:
    """The class of a code. One that is not known, of a newer service or a proxy, goes by its status."""
    known = _BY_CODE.get(code)
    if known is not None:
        return known
    if code.startswith("INVALID_") or status in (400, 413, 415):
        return InvalidInput
    if status in (401, 403):
        return AuthError
    return Unavailable if status >= 500 or status == 408 else SluiceError


def error_of(message: str, *, code: str, status: int = 0, **facts: Any) -> SluiceError:
    return _class_of(code, status)(message, code=code, status=status, **facts)


def too_large(message: str) -> SluiceError:
    """Raised by the client itself: every service would refuse the request."""
    return error_of(message, code="PAYLOAD_TOO_LARGE")


def unexpected(status: int, headers: Mapping[str, str], message: str) -> SluiceError:
    return error_of(message, code="UNEXPECTED_ANSWER", status=status, request_id=headers.get("x-request-id"))


def object_in(body: bytes) -> Optional[dict[str, Any]]:
    """The members of a JSON object; None if the body is not one."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def error_in(status: int, headers: Mapping[str, str], body: bytes) -> SluiceError:
    """The error of an unsuccessful answer. The answer of a proxy has neither message nor code."""
    members = object_in(body) or {}
    message, code = members.pop("message", None), members.pop("code", None)
    if not (isinstance(message, str) and isinstance(code, str)):
        message, code, members = _foreign_message(status, headers), "UNEXPECTED_ANSWER", {}
    return error_of(
        in_arguments(message),
        code=code,
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after=_retry_after(headers.get("retry-after")),
        details=members,
    )


def _foreign_message(status: int, headers: Mapping[str, str]) -> str:
    if 300 <= status < 400:
        to = headers.get("location")
        where = f" to {to}" if to else ""
        return f"The address redirects{where}, and the client does not send a key there; use that address instead"
    return f"The answer has status {status} and gives no reason; is this the address of a Sluice server?"


def _retry_after(given: Optional[str]) -> Optional[float]:
    """Seconds, or a date (RFC 9110, section 10.2.3)."""
    if given is None:
        return None
    if given.strip().isascii() and given.strip().isdigit():
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
