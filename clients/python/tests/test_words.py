"""Errors of the service say what to pass to this client, not what to send over HTTP."""

from __future__ import annotations

import pytest

from sluice._errors import error_in
from sluice._words import in_arguments


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("send X-CSV-Delimiter: ;", 'pass delimiter=";"'),
        ("send X-CSV-Delimiter: ,", 'pass delimiter=","'),
        ("send X-CSV-Delimiter: |", 'pass delimiter="|"'),
        ("send X-CSV-Delimiter: tab", 'pass delimiter="\\t"'),
        (
            "send X-CSV-Delimiter: ; if that is the delimiter, or send X-CSV-Delimiter: , if it is text",
            'pass delimiter=";" if that is the delimiter, or pass delimiter="," if it is text',
        ),
        (
            "Line 2 holds bytes that are not utf-8; name the charset, as in Content-Type: text/csv; charset=windows-1252",
            'Line 2 holds bytes that are not utf-8; pass encoding="windows-1252"',
        ),
        ("name the charset, as in Content-Type: text/csv; charset=utf-16le", 'pass encoding="utf-16le"'),
        ("if it is CSV, send Content-Type: text/csv", 'if it is CSV, pass format="csv"'),
        ("send Content-Type: application/vnd.apache.parquet", 'pass format="parquet"'),
        (
            "send Content-Type: application/json, or if each line is one object, send Content-Type: application/x-ndjson",
            'pass format="json", or if each line is one object, pass format="ndjson"',
        ),
        (
            "The body is gzip data; send Content-Encoding: gzip",
            "The body is gzip data; decompress it first, or pass the path of a file",
        ),
        ("send X-CSV-Header-Line: 3", "pass header_line=3"),
        ("send X-CSV-Escape: \\", 'pass escape="\\\\"'),
        ("send Content-Type: text/plain", "send Content-Type: text/plain"),
        ("rows must have at least one row", "rows must have at least one row"),
    ],
)
def test_headers_are_said_as_arguments(said: str, shown: str) -> None:
    assert in_arguments(said) == shown


def test_an_error_has_these_words() -> None:
    body = b'{"message": "The CSV has one column: send X-CSV-Delimiter: ;", "code": "INVALID_ROWS"}'
    assert str(error_in(400, {}, body)) == 'The CSV has one column: pass delimiter=";"'
