"""Settings of a client, checked once."""

from __future__ import annotations

import os
import random
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional
from urllib.parse import quote, urlsplit

from ._retry import RetryPolicy

#: The server's limit for a body.
MAX_BODY_BYTES = 32 * 1024 * 1024

_NOT_IN_A_HEADER = re.compile(r"[^\x20-\x7e]")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")


@dataclass(frozen=True)
class Settings:
    base: str
    credentials: Mapping[str, str] = field(repr=False)
    policy: RetryPolicy
    #: Seconds, for each try.
    timeout: float
    max_body_bytes: int


def settings_of(
    url: Optional[str],
    key: Optional[str],
    *,
    token: Optional[str],
    max_retries: int,
    max_pause: float,
    timeout: float,
    max_body_bytes: int,
) -> Settings:
    """Raises `ValueError` for an invalid address, key or token, without its value."""
    url = url or os.environ.get("SLUICE_URL")
    if not url:
        raise ValueError("Give the address of the server, or set SLUICE_URL")
    if key is None and token is None:
        key = os.environ.get("SLUICE_KEY") or None
    credentials = {}
    if token is not None:
        credentials["Authorization"] = f"Bearer {token}"
    if key is not None:
        credentials["X-API-Key"] = key
    for name, value in credentials.items():
        check_header(name, value)
    policy = RetryPolicy(max_retries, max_pause, random.random)
    return Settings(_base_of(url), credentials, policy, timeout, max_body_bytes)


def _base_of(url: str) -> str:
    """`https://host/v1/` becomes `https://host`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("url must be the address of a server, as in http://127.0.0.1:8080")
    return f"{parts.scheme}://{parts.netloc}{re.sub(r'/(v1/?)?$', '', parts.path)}"


def check_header(name: str, value: str) -> None:
    """Raises `ValueError` without the value, which may be the key."""
    if not isinstance(value, str) or not value or _NOT_IN_A_HEADER.search(value):
        raise ValueError(f"{name} is empty or has a character that a header cannot hold")


def key_of(given: Optional[str]) -> str:
    """Raises `ValueError`. An empty one would be shared by all calls of a program."""
    if given is None:
        return secrets.token_hex(16)
    check_header("idempotency_key", given)
    return given


def trace_headers(given: Optional[str]) -> dict[str, str]:
    """W3C Trace Context: the given `traceparent`. Raises `ValueError`."""
    if given is None:
        return {}
    if not _TRACEPARENT.fullmatch(given):
        raise ValueError(
            "traceparent must be as in W3C Trace Context: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>"
        )
    return {"traceparent": given}


#: Path segments that addresses drop or resolve, even when they are encoded.
_UNUSABLE = frozenset({"", ".", ".."})


def address_of(path: str, names: Mapping[str, str], query: Mapping[str, Any]) -> str:
    """Fills the names into a path of the contract and adds the query. Raises `ValueError` for a name that no address can have."""
    for key, name in names.items():
        if not isinstance(name, str) or name in _UNUSABLE:
            raise ValueError(f"No address can have {name!r} as its {key}")
        path = path.replace(f"{{{key}}}", quote(name, safe=""))
    given = "&".join(
        f"{name}={quote(_query_text(value), safe='')}" for name, value in query.items() if value is not None
    )
    return f"{path}?{given}" if given else path


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
