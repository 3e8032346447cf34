"""Files, bytes and file objects: their format, and their content in pieces."""

from __future__ import annotations

import codecs
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Optional

from ._frames import pyarrow_for

PIECE_BYTES = 1024 * 1024
#: Enough to tell the format.
HEAD_BYTES = 64 * 1024

FORMATS = ("csv", "tsv", "ndjson", "json", "parquet", "arrow")
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_CODINGS = {".gz": "gzip", ".zst": "zstd", ".br": "br"}
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))
_REQUEST = re.compile(rb'"rows"\s*:\s*\[')
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))


@dataclass(frozen=True)
class Content:
    """An opened input. Its pieces can be read once."""

    format: str
    #: How the bytes are compressed: gzip, zstd, br; None if they are not.
    coding: Optional[str]
    #: The encoding of text, where it is not UTF-8.
    encoding: Optional[str]
    file: BinaryIO
    #: Whether JSON begins an object: a request, not an array of rows.
    is_object: bool

    def pieces(self) -> Iterator[bytes]:
        return iter(lambda: self.file.read(PIECE_BYTES), b"")

    def close(self) -> None:
        self.file.close()


def opened(data: Any, *, format: Optional[str], encoding: Optional[str]) -> Optional[Content]:
    """None if `data` is no file, bytes or path. Raises `OSError`, `TypeError` and `ValueError`."""
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    name, file = _file_of(data)
    if file is None:
        return None
    try:
        head = file.peek(HEAD_BYTES)[:HEAD_BYTES]
        suffixes = Path(name).suffixes
        coding = _CODINGS.get(suffixes[-1].lower()) if suffixes else None
        if coding is not None:
            suffixes.pop()
        coding = coding or next((coding for magic, coding in _MAGIC if head.startswith(magic)), None)
        if coding == "gzip":
            head = _unzipped_head(head)
        suffix = suffixes[-1].lower() if suffixes else ""
        found = format or _format_of(suffix, head, coding)
        mark = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
        return Content(found, coding, encoding or mark, file, _begin(head).startswith(b"{"))
    except BaseException:
        file.close()
        raise


def _file_of(data: Any) -> tuple[str, Optional[io.BufferedReader]]:
    if isinstance(data, str) and ("\n" in data or "\r" in data):
        raise TypeError("A str is the path of a file; for text itself give its bytes: text.encode()")
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data), io.BufferedReader(io.FileIO(data, "r"), PIECE_BYTES)
    if isinstance(data, (bytes, bytearray, memoryview)):
        return "", io.BufferedReader(io.BytesIO(data), HEAD_BYTES)
    if callable(getattr(data, "read", None)):
        name = getattr(data, "name", "")
        return name if isinstance(name, str) else "", io.BufferedReader(_Reading(data), PIECE_BYTES)
    return "", None


class _Reading(io.RawIOBase):
    """Any object with `read`, of bytes or text. It stays open: it is the caller's."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            piece = self._given.read(len(buffer))
            self._rest = piece.encode() if isinstance(piece, str) else bytes(piece or b"")
        some = self._rest[: len(buffer)]
        buffer[: len(some)] = some
        self._rest = self._rest[len(some) :]
        return len(some)


def _unzipped_head(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def _begin(head: bytes) -> bytes:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()


def _format_of(suffix: str, head: bytes, coding: Optional[str]) -> str:
    """By its name, then by its bytes. Raises `ValueError`."""
    named = _BY_SUFFIX.get(suffix)
    if named is not None:
        return named
    begin = _begin(head)
    if begin.startswith(b"PAR1"):
        return "parquet"
    if begin.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if begin.startswith(b"["):
        return "json"
    if begin.startswith(b"{"):
        # Many files named .json have one object on each line. One line alone may be a request.
        first, *others = begin.rstrip().splitlines()
        is_request = not others and _REQUEST.search(first)
        return "ndjson" if first.rstrip().endswith(b"}") and not is_request else "json"
    if suffix == ".json":
        return "json"
    if coding in (None, "gzip") and begin and suffix in ("", ".txt"):
        return "csv"
    raise ValueError(
        f"The format cannot be told from the name or the first bytes: give format=, one of {', '.join(FORMATS)}"
    )


def unzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """gzip, of one or more members. Raises `ValueError` where it is damaged, `EOFError` where it is cut."""
    machine = zlib.decompressobj(31)
    for piece in pieces:
        while piece:
            if machine.eof:
                machine = zlib.decompressobj(31)
            try:
                part = machine.decompress(piece, PIECE_BYTES)
            except zlib.error as error:
                raise ValueError(f"The gzip data is damaged: {error}") from error
            if part:
                yield part
            piece = machine.unused_data if machine.eof else machine.unconsumed_tail
    part = machine.flush()
    if part:
        yield part
    if not machine.eof:
        raise EOFError("The gzip data ends before its end mark")


def in_utf8(pieces: Iterable[bytes], encoding: Optional[str]) -> Iterator[bytes]:
    """Raises `UnicodeDecodeError` and `LookupError`. Without a byte order mark."""
    decode = codecs.getincrementaldecoder(encoding)() if encoding else None
    begin: Optional[bytes] = b""
    for piece in pieces:
        part = piece if decode is None else decode.decode(piece).encode()
        if begin is not None:
            begin += part
            if len(begin) < len(codecs.BOM_UTF8):
                continue
            part, begin = begin.removeprefix(codecs.BOM_UTF8), None
        yield part
    if decode is not None:
        yield decode.decode(b"", True).encode()
    if begin:
        yield begin


def columnar_batches(content: Content, rows: int) -> Iterator[Any]:
    """Record batches of a Parquet or Arrow file, one after the other."""
    pa = pyarrow_for(f"A {content.format} file")
    source = content.file if content.file.seekable() else io.BytesIO(content.file.read())
    if content.format == "parquet":
        import pyarrow.parquet

        yield from pyarrow.parquet.ParquetFile(source).iter_batches(batch_size=rows)
        return
    head = source.read(6)
    source.seek(0)
    if head == b"ARROW1":
        with pa.ipc.open_file(source) as reader:
            for index in range(reader.num_record_batches):
                yield reader.get_batch(index)
    else:
        yield from pa.ipc.open_stream(source)
