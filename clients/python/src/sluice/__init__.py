"""
The client of Sluice, a gate in front of a data store::

    from sluice import Blocked, Sluice

    gate = Sluice("http://127.0.0.1:8080", key)
    gate.gate(frame, source="orders")  # raises Blocked
"""

from ._async_client import AsyncSluice
from ._client import Sluice
from ._errors import (
    AuthError,
    InvalidInput,
    Place,
    PlanLimitExceeded,
    RateLimited,
    SluiceError,
    Unavailable,
)
from ._report import Blocked, Part, Report

__version__ = "1.0.0"

__all__ = [
    "AsyncSluice",
    "AuthError",
    "Blocked",
    "InvalidInput",
    "Part",
    "Place",
    "PlanLimitExceeded",
    "RateLimited",
    "Report",
    "Sluice",
    "SluiceError",
    "Unavailable",
]
