"""
Which requests are sent again, and when: never before `Retry-After`, else after exponential backoff. Both have jitter, so that clients
that failed together do not come back together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional

from ._errors import SluiceError

FIRST_PAUSE = 0.25
#: Statuses of failures that pass, of the service or of a proxy.
TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
#: Codes of failures that a short wait does not resolve.
PERMANENT = frozenset({"PLAN_LIMIT_EXCEEDED", "BILLING_NOT_CONFIGURED"})


@dataclass(frozen=True)
class RetryPolicy:
    #: Tries after the first one.
    max_retries: int
    #: Seconds. A longer `Retry-After` is an error at once.
    max_pause: float
    #: At least 0, below 1.
    random: Callable[[], float]


def pause_after(error: SluiceError, attempt: int, repeatable: bool, policy: RetryPolicy) -> Optional[float]:
    """
    Seconds to wait after try number `attempt` (from 1); None if there is no next one. A request that is not `repeatable` may have been
    carried out although its answer never came: it is sent again only if it surely was not.
    """
    if attempt > policy.max_retries or not is_temporary(error, repeatable):
        return None
    backoff = min(FIRST_PAUSE * 2.0 ** (attempt - 1), policy.max_pause)
    if error.retry_after is None:
        return backoff * (0.5 + policy.random() / 2)
    if error.retry_after > policy.max_pause:
        return None
    return error.retry_after + policy.random() * backoff


def is_temporary(error: SluiceError, repeatable: bool) -> bool:
    """Whether a later try may succeed."""
    if error.code == "RATE_LIMITED":
        return True
    if not repeatable or error.code in PERMANENT:
        return False
    if error.code == "IDEMPOTENCY_CONFLICT":
        # Without the header another request owns the key for good.
        return error.retry_after is not None
    return error.code == "UNREACHABLE" or error.status in TEMPORARY
