"""Batches of any length: an input as one request where it fits, and as a body that is read while it is sent."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Callable, Optional

from ._content import Content, columnar_batches, in_utf8, opened, unzipped
from ._errors import SluiceError
from ._frames import Slice, is_frame_in_memory, reader_slices, slices_of
from ._input import (
    MAX_ROWS,
    Body,
    Group,
    Named,
    Reading,
    Records,
    check_coding,
    headers_of,
    request_object,
    row_groups,
    slice_group,
    what_is_screened,
)
from ._json import array_rows

Groups = Iterable[list[bytes]]


class Sending:
    """The rows that are sent, as pieces of a JSON array, and their count."""

    def __init__(self) -> None:
        self.rows = 0

    def piece(self, rows: list[bytes]) -> bytes:
        begin = b"," if self.rows else b"["
        self.rows += len(rows)
        return begin + b",".join(rows)

    def end(self) -> bytes:
        return b"]" if self.rows else b"[]"

    def pieces(self, groups: Groups) -> Iterator[bytes]:
        for rows in groups:
            if rows:
                yield self.piece(rows)
        yield self.end()


@dataclass(frozen=True)
class Long:
    """A body of any length. `open` gives its pieces, each time from the beginning, and how many rows the last ones had."""

    headers: Mapping[str, str]
    #: An iterator; of an async iterable of rows an async one.
    open: Callable[[Sending], Any]
    #: Whether `open` can be called again.
    again: bool
    #: Whether the client counts the rows. Those of text only the service counts.
    counts: bool

    def compressed(self) -> Long:
        if "Content-Encoding" in self.headers:
            return self
        headers = {**self.headers, "Content-Encoding": "gzip"}
        return replace(self, headers=headers, open=lambda sending: _zipped(self.open(sending)))


def _zipped(pieces: Any) -> Any:
    return _zipped_async(pieces) if hasattr(pieces, "__aiter__") else _zipped_here(pieces)


def _zipped_here(pieces: Iterable[bytes]) -> Iterator[bytes]:
    # gzip, without the time: a repeated call must send the same bytes.
    machine = zlib.compressobj(6, zlib.DEFLATED, 31)
    for piece in pieces:
        yield machine.compress(piece)
    yield machine.flush()


async def _zipped_async(pieces: Any) -> Any:
    machine = zlib.compressobj(6, zlib.DEFLATED, 31)
    async for piece in pieces:
        yield machine.compress(piece)
    yield machine.flush()


@dataclass(frozen=True)
class Sized:
    #: None for more than one request may have.
    one: Optional[Body]
    long: Long


def reads_again(data: Any) -> bool:
    """Whether it has the same rows each time. A generator, a reader and a file object have them once."""
    in_memory = (list, tuple, bytes, bytearray, memoryview, str, os.PathLike)
    return isinstance(data, in_memory) or is_frame_in_memory(data) or _opens(data)


def _opens(data: Any) -> bool:
    """Whether it is a function that opens the input."""
    return callable(data) and not any(hasattr(data, name) for name in ("read", "__iter__", "__aiter__"))


def given(data: Any) -> Any:
    return data() if _opens(data) else data


# ---- a body of any length ----


def long_body(data: Any, named: Optional[Named], reading: Reading, most: int) -> Long:
    """Reads nothing but the beginning of a file. Raises `TypeError`, `ValueError` and `OSError`."""
    again = reads_again(data)
    first = given(data)
    if slices_of(first) is not None:
        return _long_rows(lambda: _rows_of(slices_of(given(data))), named, again)
    content = opened(first, format=reading.format, encoding=reading.encoding)
    if content is None:
        what_is_screened(first)
        return _long_rows(lambda: row_groups(given(data)), named, again)

    def open_() -> Content:
        other = opened(given(data), format=reading.format, encoding=reading.encoding) if again else content
        assert other is not None
        return other

    if again:
        content.close()
    return _long_text(content, lambda: _text_of(open_()), named, reading, again)


def _long_rows(groups: Callable[[], Groups], named: Optional[Named], again: bool) -> Long:
    headers = headers_of("json", named, None, None)
    return Long(headers, lambda sending: sending.pieces(groups()), again, True)


def _long_text(
    content: Content,
    pieces: Callable[[], Iterable[bytes]],
    named: Optional[Named],
    reading: Reading,
    again: bool,
) -> Long:
    check_json_coding(content)
    return Long(_text_headers(content, named, reading), lambda _: pieces(), again, False)


def check_json_coding(content: Content) -> None:
    if content.format == "json":
        check_coding(content)


def _text_headers(content: Content, named: Optional[Named], reading: Reading) -> dict[str, str]:
    if content.format == "json":
        return headers_of("json", named, None, None)
    headers = headers_of(
        content.format, named, reading.delimiter, content.encoding, reading.header_line, reading.escape
    )
    if content.coding is not None:
        headers["Content-Encoding"] = content.coding
    return headers


def _text_of(content: Content) -> Iterator[bytes]:
    """As they are; JSON in UTF-8."""
    with content.file:
        if content.format != "json":
            yield from content.pieces()
            return
        pieces = unzipped(content.pieces()) if content.coding else content.pieces()
        yield from filter(None, in_utf8(pieces, content.encoding))


def _rows_of(slices: Optional[Iterable[Slice]]) -> Groups:
    return (each.rows() for each in slices or ())


# ---- one request, if it fits ----


def sized_body(data: Any, named: Named, whole: Named, reading: Reading, most: int) -> Sized:
    """`named` has the options of up to 10,000 rows, `whole` those of more. Reads no more than one request may have. What can be read once is read on from there."""
    again = reads_again(data)
    first = given(data)

    def long(otherwise: Callable[[Named], Long]) -> Long:
        return long_body(data, whole, reading, most) if again else otherwise(whole)

    slices = slices_of(first)
    if slices is not None:
        return _sized_slices(slices, named, most, long)
    content = opened(first, format=reading.format, encoding=reading.encoding)
    if content is None:
        what_is_screened(first)
        return _sized_groups(row_groups(first), Records("json", iter(())), named, most, long)
    try:
        if content.format in ("parquet", "arrow"):
            return _sized_slices(reader_slices(columnar_batches(content, MAX_ROWS)), named, most, long)
        if content.format == "json" and content.is_object:
            return _sized_object(content, named, reading, most, long)
        if content.format == "json":
            check_coding(content)
            pieces = unzipped(content.pieces()) if content.coding else content.pieces()
            rows = array_rows(in_utf8(pieces, content.encoding), most)
            return _sized_groups(rows, Records("json", iter(())), named, most, long)
        return _sized_text(content, named, reading, most, long)
    finally:
        if again:
            content.close()


Otherwise = Callable[[Callable[[Named], Long]], Long]


def _fitting(body: Body, most: int) -> Optional[Body]:
    return body if len(body.content) <= most else None


def _sized_slices(slices: Iterator[Slice], named: Named, most: int, long: Otherwise) -> Sized:
    begin = [each for each in (next(slices, None), next(slices, None)) if each is not None]
    body = long(lambda whole: _long_rows(lambda: _rows_of(chain(begin, slices)), whole, len(begin) < 2))
    if len(begin) > 1:
        return Sized(None, body)
    rows: Group = slice_group(begin[0], named) if begin else []
    return Sized(_fitting(Records("json", iter(())).body(rows, named), most), body)


def _sized_groups(
    groups: Iterator[list[bytes]], records: Records, named: Named, most: int, long: Otherwise
) -> Sized:
    rows, is_all = _begun(groups, most)
    rest: Groups = () if is_all else groups
    body = long(lambda whole: _long_rows(lambda: chain([rows], rest), whole, is_all))
    return Sized(_fitting(records.body(rows, named), most) if is_all else None, body)


def _begun(groups: Groups, most: int) -> tuple[list[bytes], bool]:
    """The first rows, and whether they are all. If not, they are more than one request may have."""
    rows: list[bytes] = []
    size = 0
    for group in groups:
        rows += group
        size += sum(map(len, group))
        if len(rows) > MAX_ROWS or size > most:
            return rows, False
    return rows, True


def _sized_text(content: Content, named: Named, reading: Reading, most: int, long: Otherwise) -> Sized:
    begin = content.file.read(most + 1)
    is_all = len(begin) <= most
    rest = content.pieces()
    body = long(lambda whole: _long_text(content, lambda: chain([begin], rest), whole, reading, is_all))
    one = Body(_text_headers(content, named, reading), begin, named.source) if is_all else None
    return Sized(one, body)


def _sized_object(content: Content, named: Named, reading: Reading, most: int, long: Otherwise) -> Sized:
    check_coding(content)
    text = b"".join(_text_of(content))
    body = long(lambda whole: _long_text(content, lambda: [text], whole, reading, True))
    return Sized(_fitting(request_object(text, named), most), body)


def is_too_large(error: SluiceError) -> bool:
    """A proxy answers with the status, not with our code."""
    return error.status == 413
