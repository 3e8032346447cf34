"""What a caller gives → the rows of requests: one request for a whole input, or groups of rows for any number of them."""

from __future__ import annotations

import dataclasses
import gzip
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Optional
from urllib.parse import quote

from ._arrow import stream_of
from ._content import Content, columnar_batches, in_utf8, opened, unzipped
from ._csv import CsvScanner, EscapedScanner, from_line, headed, lines_of, records_of
from ._frames import Slice, reader_slices, slices_of
from ._json import array_rows
from ._values import encoded, object_text, text_of

#: The service's limit.
MAX_ROWS = 10_000
DELIMITERS = {
    **{mark: mark.encode() for mark in ",;|^~"},
    "tab": b"\t",
    "\t": b"\t",
    "0x01": b"\x01",
    "\x01": b"\x01",
}
_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "ndjson": "application/x-ndjson",
    "json": "application/json",
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
}
#: Longer options do not fit into the head of a request.
_HEADER_CHARACTERS = 12_000
_NOT_PRINTABLE = re.compile(r"[^ -~]")
#: Enough for `batch_index` and `total_batches`.
CHUNK_BYTES = 100

Options = Mapping[str, Any]
#: Rows in the bytes of their format, or a record batch of Arrow, which has a length and parts too.
Group = Any


def with_mode(options: Optional[Options]) -> Options:
    """Mode `auto`, unless the caller chose one."""
    if options is None or isinstance(options, Mapping):
        return {"mode": "auto", **(options or {})}
    return options


@dataclass(frozen=True)
class Named:
    source: str
    options: Options

    @staticmethod
    def of(source: str, options: Optional[Options]) -> Named:
        return Named(source, with_mode(options))


@dataclass(frozen=True)
class Reading:
    """How to read what a caller gives."""

    format: Optional[str] = None
    delimiter: Optional[str] = None
    encoding: Optional[str] = None
    header_line: Optional[int] = None
    escape: Optional[str] = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise ValueError("delimiter must be ',', ';', '|', '^', '~', 'tab' or '0x01'")
        if self.header_line is not None and self.header_line < 1:
            raise ValueError("header_line counts from 1")
        if self.escape not in (None, "\\"):
            raise ValueError("escape must be a backslash")


@dataclass(frozen=True)
class Body:
    headers: Mapping[str, str]
    content: bytes
    source: str
    #: None for text that is sent as it is: only the service counts its rows.
    rows: Optional[int] = None

    def compressed(self) -> Body:
        if "Content-Encoding" in self.headers:
            return self
        # Without the time: a repeated call must send the same bytes.
        headers = {**self.headers, "Content-Encoding": "gzip"}
        return replace(self, headers=headers, content=gzip.compress(self.content, 6, mtime=0))


@dataclass(frozen=True)
class Records:
    """Rows in groups of any size, and what comes before them in each body."""

    format: str
    groups: Iterator[Group]
    header: bytes = b""
    delimiter: Optional[str] = None
    content: Optional[Content] = None
    #: Of each body, where the caller names the line of the header; what stands before it is left out.
    header_line: Optional[int] = None
    escape: Optional[str] = None

    def body(self, rows: Group, named: Named) -> Body:
        if not isinstance(rows, list):
            headers, content = headers_of("arrow", named, None, None), stream_of(rows)
        elif self.format == "json":
            headers, content = {"Content-Type": _TYPES["json"]}, _enveloped(named, b",".join(rows))
        else:
            headers = headers_of(self.format, named, self.delimiter, None, self.header_line, self.escape)
            content = b"".join([self.header, *rows])
        return Body(headers, content, named.source, len(rows))

    def close(self) -> None:
        if self.content is not None:
            self.content.close()


def _enveloped(named: Named, rows: bytes) -> bytes:
    options = b'"options":' + encoded(object_text(named.options)) + b","
    return b'{"source":' + encoded(text_of(named.source)) + b"," + options + b'"rows":[' + rows + b"]}"


def headers_of(
    format: str,
    named: Optional[Named],
    delimiter: Optional[str],
    encoding: Optional[str],
    header_line: Optional[int] = None,
    escape: Optional[str] = None,
) -> dict[str, str]:
    """`named` is None for a part of a batch."""
    headers = {"Content-Type": _TYPES[format] + (f"; charset={encoding}" if encoding else "")}
    if named is not None:
        headers["X-Source"] = quote(named.source, safe="")
    if named is not None:
        headers["X-Options"] = _ascii(object_text(named.options))
    if delimiter is not None and format == "csv":
        headers["X-CSV-Delimiter"] = {"\t": "tab", "\x01": "0x01"}.get(delimiter, delimiter)
    if header_line is not None and format in ("csv", "tsv"):
        headers["X-CSV-Header-Line"] = str(header_line)
    if escape is not None and format in ("csv", "tsv"):
        headers["X-CSV-Escape"] = escape
    return headers


def _ascii(json_text: str) -> str:
    """The same JSON, with escapes for what no header holds."""
    return _NOT_PRINTABLE.sub(
        lambda found: _escapes(found[0].encode("utf-16-be", "surrogatepass")), json_text
    )


def _escapes(units: bytes) -> str:
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _fits_headers(named: Named) -> bool:
    try:
        headers = headers_of("arrow", named, None, None)
    except (TypeError, ValueError):
        return False
    return sum(map(len, headers.values())) <= _HEADER_CHARACTERS


# ---- rows ----

GROUP_SIZE = 256


def row_bytes(row: Any, number: int) -> bytes:
    """Raises `TypeError` for what is no row or has no JSON form, with its number from 1."""
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        row = {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    if not isinstance(row, Mapping):
        raise TypeError(f"Row {number} must be a mapping of fields and values, not {type(row).__name__}")
    try:
        return encoded(object_text(row))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"Row {number} cannot be written as JSON: {error}") from error


def row_groups(rows: Iterable[Any]) -> Iterator[Group]:
    group: Group = []
    for number, row in enumerate(rows, 1):
        group.append(row_bytes(row, number))
        if len(group) == GROUP_SIZE:
            yield group
            group = []
    yield group


# ---- any input ----

_WHAT = "a frame, rows, a path, bytes or a file object"


def records_in(data: Any, named: Named, reading: Reading, most: int) -> Records:
    """The rows of an input. Raises `TypeError` for what is none."""
    slices = slices_of(data)
    if slices is not None:
        return Records("json", _slice_groups(slices, named))
    content = opened(data, format=reading.format, encoding=reading.encoding)
    if content is not None:
        return _content_records(content, named, reading, most)
    what_is_screened(data)
    return Records("json", row_groups(data))


def what_is_screened(data: Any) -> None:
    """Raises `TypeError` for what has no rows."""
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise TypeError(f"There is nothing to screen: give {_WHAT}, not {type(data).__name__}")


def _slice_groups(slices: Iterator[Slice], named: Named) -> Iterator[Group]:
    for each in slices:
        yield slice_group(each, named)


def slice_group(each: Slice, named: Named) -> Group:
    batch = each.batch() if _fits_headers(named) else None
    return each.rows() if batch is None else batch


def _content_records(content: Content, named: Named, reading: Reading, most: int) -> Records:
    if content.format in ("parquet", "arrow"):
        slices = reader_slices(columnar_batches(content, MAX_ROWS))
        return Records("json", _slice_groups(slices, named), content=content)
    check_coding(content)
    pieces = unzipped(content.pieces()) if content.coding else content.pieces()
    pieces = in_utf8(pieces, content.encoding)
    if content.format == "json":
        return Records("json", array_rows(pieces, most), content=content)
    if content.format == "ndjson":
        return Records("ndjson", lines_of(pieces, most), content=content)
    byte = b"\t" if content.format == "tsv" else DELIMITERS[reading.delimiter or ","]
    scanner = CsvScanner(byte) if reading.escape is None else EscapedScanner(byte)
    try:
        header, rows = headed(records_of(from_line(pieces, reading.header_line or 1), scanner, most))
    except BaseException:
        content.close()
        raise
    line = None if reading.header_line is None else 1
    return Records(content.format, rows, header, reading.delimiter, content, line, reading.escape)


def check_coding(content: Content) -> None:
    """Of an input whose rows are read. Raises `ValueError`."""
    if content.coding not in (None, "gzip"):
        content.close()
        raise ValueError(
            f"screen_all and gate_all read gzip; decompress {content.coding} first, or send it with screen or gate"
        )


def request_object(given: bytes, named: Named) -> Body:
    """A request object as POST /v1/screen takes it. Of two members with one name the last counts: so source and options come at the end."""
    text = given.strip()
    if not text.endswith(b"}"):
        # The service says where it ends.
        return Body({"Content-Type": _TYPES["json"]}, text, named.source)
    members = _enveloped(named, b"")[1 : -len(b',"rows":[]}')]
    is_empty = text[1:-1].strip() == b""
    whole = text[:-1] + (b"" if is_empty else b",") + members + b"}"
    return Body({"Content-Type": _TYPES["json"]}, whole, named.source)


def check_source(source: Any) -> None:
    if not isinstance(source, str):
        raise TypeError("source must be the name of the pipeline or table")


# ---- groups that fit a request ----


class Grouper:
    """Rows into groups that fit a request."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._group: Group = []
        self._bytes = 0
        self._is_first = True

    def add(self, row: bytes) -> Optional[Group]:
        """The group that is full without this row, if one is."""
        full = None
        size = len(row) + 1
        if self._group and (len(self._group) == MAX_ROWS or self._bytes + size > self._most):
            full, self._group, self._bytes, self._is_first = self._group, [], 0, False
        self._group.append(row)
        self._bytes += size
        return full

    def batch(self, batch: Any) -> Iterator[Group]:
        """Parts of a record batch that fit, after the rows before it."""
        if self._group:
            yield self._group
        self._group, self._bytes, self._is_first = [], 0, False
        parts = [batch]
        while parts:
            part = parts.pop()
            if part.nbytes <= self._most or len(part) == 1:
                yield part
                continue
            middle = (len(part) + 1) // 2
            parts += [part[middle:], part[:middle]]

    def rest(self) -> Optional[Group]:
        """The last group. Empty input gives an empty group, which the service refuses: it must not pass."""
        return self._group if self._group or self._is_first else None


def grouper_for(records: Records, named: Named, most: int) -> Grouper:
    around = len(records.body([], named).content) + CHUNK_BYTES
    return Grouper(max(0, most - around))


def groups_of(records: Records, named: Named, most: int) -> Generator[Group, None, None]:
    """Each group is read when it is asked for."""
    grouper = grouper_for(records, named, most)
    try:
        for some in records.groups:
            if not isinstance(some, list):
                yield from grouper.batch(some)
                continue
            for row in some:
                full = grouper.add(row)
                if full is not None:
                    yield full
        rest = grouper.rest()
        if rest is not None:
            yield rest
    finally:
        records.close()
