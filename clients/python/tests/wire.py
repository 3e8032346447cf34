"""A client whose answers are given, and whose pauses take no time."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from typing import Any, Optional, Union
from urllib.parse import unquote

from conftest import KEY

from sluice import Sluice
from sluice._http import httpx

Given = Union[httpx.Response, Exception, Callable[[httpx.Request], httpx.Response]]

VERDICT = {
    "request_id": "req_1",
    "status": "PASS",
    "health_score": 1,
    "decision": {"action": "PASS", "reason": "fine"},
    "schema": {},
    "stats": {"source": "s", "rows_received": 1},
}


def verdict(**members: Any) -> Callable[[httpx.Request], httpx.Response]:
    """A verdict on the rows that were sent."""
    return lambda request: httpx.Response(200, json={**VERDICT, "stats": _sent_in(request), **members})


def _sent_in(request: httpx.Request) -> dict[str, Any]:
    kind = request.headers.get("content-type", "")
    if kind == "application/json":
        body = json.loads(_text_of(request))
        if isinstance(body, list):
            return {"source": unquote(request.headers["x-source"]), "rows_received": len(body)}
        return {"source": body["source"], "rows_received": len(body["rows"])}
    source = unquote(request.headers["x-source"])
    if kind.endswith("arrow.stream"):
        return {"source": source, "rows_received": len(_arrow_rows(request))}
    lines = list(csv.reader(io.StringIO(_text_of(request), newline="")))
    return {"source": source, "rows_received": len(lines) - (kind.startswith("text/"))}


def _text_of(request: httpx.Request) -> str:
    content = request.content
    return (gzip.decompress(content) if request.headers.get("content-encoding") else content).decode()


def _arrow_rows(request: httpx.Request) -> list[Any]:
    import pyarrow

    rows: list[Any] = pyarrow.ipc.open_stream(request.content).read_all().to_pylist()
    return rows


def refusal(status: int, code: str, retry_after: Optional[str] = None) -> httpx.Response:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return httpx.Response(status, json={"code": code, "message": code}, headers=headers)


class Wire:
    """Answers come in turn, the last one for all that follow."""

    def __init__(self, *answers: Given, **settings: Any) -> None:
        self.answers = list(answers) or [verdict()]
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        transport = httpx.MockTransport(self._answer)
        given = {"key": KEY, "transport": transport, "sleep": self.pauses.append, **settings}
        self.client = Sluice("http://localhost/v1/", **given)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        request.read()
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)
        return answer(request)

    def body(self, index: int = 0) -> Any:
        """What was sent, as values; of Arrow its rows."""
        request = self.requests[index]
        if request.headers["content-type"].endswith("arrow.stream"):
            return {"rows": _arrow_rows(request)}
        return json.loads(self.text(index))

    def text(self, index: int = 0) -> str:
        """What was sent, in UTF-8."""
        return _text_of(self.requests[index])

    def rows(self, index: int = 0) -> str:
        """The rows of a JSON body, as they were written."""
        text = self.text(index)
        return text[text.index('"rows":') + len('"rows":') : -1]
