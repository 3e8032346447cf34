"""The HTTP library: httpx2, which continues httpx, or httpx itself where Python is older than 3.11. Both have the same interface."""

import sys

if sys.version_info >= (3, 11):
    import httpx2 as httpx
else:
    import httpx

__all__ = ["httpx"]
