"""Advice of the service in the words of this client: the service speaks of HTTP headers, a caller gives arguments."""

from __future__ import annotations

import re

_FORMATS = {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/json": "json",
    "application/x-ndjson": "ndjson",
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.arrow.file": "arrow",
    "application/vnd.apache.parquet": "parquet",
}
_DELIMITER = re.compile(r"send X-CSV-Delimiter: (tab|[^\s,.:)]|,)")
_ENCODING = re.compile(r"name the charset, as in Content-Type: [\w/.+-]+; charset=([\w.:-]*\w)")
_FORMAT = re.compile(r"send Content-Type: ([\w/.+-]*\w)")
_HEADER_LINE = re.compile(r"send X-CSV-Header-Line: (\d+)")
_ESCAPE = re.compile(r"send X-CSV-Escape: \\")
_CODING = re.compile(r"send Content-Encoding: \w+")


def in_arguments(message: str) -> str:
    """The message, with `delimiter=`, `escape=`, `encoding=` and so on for the headers that say the same."""
    message = _DELIMITER.sub(lambda found: f'pass delimiter="{_delimiter(found[1])}"', message)
    message = _HEADER_LINE.sub(r"pass header_line=\1", message)
    message = _ESCAPE.sub(lambda _: 'pass escape="\\\\"', message)
    message = _ENCODING.sub(lambda found: f'pass encoding="{found[1]}"', message)
    message = _FORMAT.sub(lambda found: _format(found[1]) or found[0], message)
    return _CODING.sub("decompress it first, or pass the path of a file", message)


def _delimiter(name: str) -> str:
    return "\\t" if name == "tab" else name


def _format(content_type: str) -> str:
    name = _FORMATS.get(content_type)
    return f'pass format="{name}"' if name else ""
