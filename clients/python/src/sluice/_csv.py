"""Bytes in pieces → the records in them: lines of NDJSON, and records of CSV, whose quoted cells may have line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Union

from ._errors import too_large


def lines_of(pieces: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """For each piece the lines that it completes, without blank ones. The last line needs no line end."""
    open_: list[bytes] = []
    length = 0
    for piece in pieces:
        head, end, rest = piece.rpartition(b"\n")
        if not end:
            open_.append(piece)
            length += len(piece)
            _check(length, most)
            continue
        whole = b"".join(open_) + head
        yield [line + b"\n" for line in whole.split(b"\n") if line.strip(b"\r \t")]
        open_, length = [rest], len(rest)
    last = b"".join(open_)
    yield [last] if last.strip(b"\r \t") else []


class CsvScanner:
    """
    Finds where records end, as the service reads CSV: at LF, CRLF or CR outside quotes, and only a quote at the start of a cell opens a
    quoted cell. Broken CSV is passed on: the service refuses it.
    """

    def __init__(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        cell = b'(?:"[^"]*(?:""[^"]*)*"(?!")|[^"\r\n%s][^\r\n%s]*|)' % (delimiter, delimiter)
        self._whole = re.compile(b"%s(?:%s%s)*(?:\r\n|\r|\n)?\\Z" % (cell, re.escape(delimiter), cell))
        self._inside = False

    def ends(self, line: bytes) -> bool:
        """Whether a record ends with this line. It begins one, or goes on with the cell that the previous line left open."""
        if not self._inside and (b'"' not in line or self._whole.match(line)):
            return True
        self._inside = self._left_inside(line)
        return not self._inside

    def _left_inside(self, line: bytes) -> bool:
        inside = self._inside or line.startswith(b'"')
        at = 0 if self._inside else int(inside)
        while True:
            if inside:
                at = _closing(line, at)
                if at < 0:
                    return True
            # The rest of the cell after its closing quote, or a cell without quotes.
            at = line.find(self._delimiter, at) + 1
            if at == 0:
                return False
            inside = line.startswith(b'"', at)
            at += inside


class EscapedScanner:
    """The same where a backslash takes the meaning of the byte behind it, of a quote or a line end too."""

    def __init__(self, delimiter: bytes) -> None:
        self._plain = CsvScanner(delimiter)
        self._open = b""

    def ends(self, line: bytes) -> bool:
        plain = self._open + _ESCAPED.sub(b"xx", line)
        if not plain.endswith((b"\n", b"\r")):
            self._open = plain
            return False
        self._open = b""
        return self._plain.ends(plain)


_ESCAPED = re.compile(rb"\\[\s\S]")


def _closing(line: bytes, at: int) -> int:
    """The offset after the quote that closes the cell; -1 if none does."""
    while True:
        at = line.find(b'"', at)
        if at < 0:
            return -1
        if not line.startswith(b'"', at + 1):
            return at + 1
        at += 2


def from_line(pieces: Iterable[bytes], line: int) -> Iterator[bytes]:
    """What stands from a line on. LF, CRLF and CR each end a line."""
    left = line - 1
    behind_return = False
    for piece in pieces:
        at = 0
        while at < len(piece) and (left > 0 or behind_return):
            byte = piece[at : at + 1]
            if behind_return and byte != b"\n" and left == 0:
                break
            if byte == b"\r" or (byte == b"\n" and not behind_return):
                left -= 1
            behind_return = byte == b"\r"
            at += 1
        if left == 0 and at < len(piece):
            behind_return = False
            yield piece[at:]


def records_of(
    pieces: Iterable[bytes], scanner: Union[CsvScanner, EscapedScanner], most: int
) -> Iterator[list[bytes]]:
    """
    For each piece the CSV records that it completes, without blank ones. Raises PAYLOAD_TOO_LARGE for a record of more than `most`
    bytes, such as one with a quote that is never closed.
    """
    rest = b""
    open_: list[bytes] = []
    length = 0
    for piece in pieces:
        lines = (rest + piece).splitlines(keepends=True)
        # A CR at the end may be the first half of a line end, and a quote there half of an escaped one.
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        _check(len(rest) + length, most)
        records: list[bytes] = []
        for line in lines:
            length += len(line)
            if scanner.ends(line):
                records.append(b"".join([*open_, line]) if open_ else line)
                open_, length = [], 0
            else:
                open_.append(line)
                _check(length, most)
        yield [record for record in records if record.strip(b"\r\n")]
    # Lines after the last LF may still end at CR.
    records = []
    for line in rest.splitlines(keepends=True):
        if scanner.ends(line):
            records.append(b"".join([*open_, line]))
            open_ = []
        else:
            open_.append(line)
    yield [record for record in [*records, b"".join(open_)] if record.strip(b"\r\n")]


def _check(length: int, most: int) -> None:
    if length > most:
        raise too_large(
            f"A row has more than {most:,} bytes; if this is CSV, is there a quote that is never closed?"
        )


def headed(records: Iterator[list[bytes]]) -> tuple[bytes, Iterator[list[bytes]]]:
    """The header, and the rows without it: every batch begins with the header."""
    for some in records:
        if some:
            header = some[0]
            return header if header.endswith((b"\n", b"\r")) else header + b"\n", _after(some[1:], records)
    return b"", records


def _after(first: list[bytes], rest: Iterator[list[bytes]]) -> Iterator[list[bytes]]:
    yield first
    yield from rest
