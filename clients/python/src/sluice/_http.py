"""The HTTP library: httpx2, which continues httpx, or httpx itself where Python is older than 3.11. Both have the same interface."""

import sys

if sys.version_info >= (3, 11):
    import httpcore2 as httpcore
    import httpx2 as httpx
else:
    import httpcore
    import httpx

__all__ = ["httpcore", "httpx"]
