"""A JSON array of rows in pieces → the texts of its rows, unchanged, so that no number loses a digit."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Optional

from ._errors import SluiceError, error_of, too_large
from ._values import encoded

_BLANK = re.compile(r"[ \t\r\n]*")
_decoder = json.JSONDecoder()


def array_rows(pieces: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """Raises INVALID_JSON for anything but an array, INVALID_ROWS for an element that is no object, PAYLOAD_TOO_LARGE for a long one."""
    reader = _Reader(pieces, most)
    if reader.next_character() != "[":
        raise _invalid("The JSON must be an array of rows; for one object on each line use format='ndjson'")
    reader.at += 1
    rows: list[bytes] = []
    count = 0
    if reader.next_character() == "]":
        reader.at += 1
    else:
        while True:
            count += 1
            rows.append(reader.element(count))
            if len(rows) >= 1000:
                yield rows
                rows = []
            after = reader.next_character()
            reader.at += 1
            if after == "]":
                break
            if after != ",":
                raise _invalid(f"Row {count} must be followed by a comma or the end of the array")
    if reader.next_character() is not None:
        raise _invalid("There is text after the end of the array")
    yield rows


class _Reader:
    """The text from `at` on, of which only what is needed is read."""

    def __init__(self, pieces: Iterable[bytes], most: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._pieces = _decoded(pieces, decoder)
        self._most = most
        self._text = ""
        self.at = 0

    def next_character(self) -> Optional[str]:
        """The next one that is not blank; None at the end."""
        while True:
            match = _BLANK.match(self._text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._more():
                return None

    def element(self, number: int) -> bytes:
        if self.next_character() != "{":
            raise error_of(f"Row {number} must be an object of fields and values", code="INVALID_ROWS")
        while True:
            try:
                _, end = _decoder.raw_decode(self._text, self.at)
            except (ValueError, RecursionError) as error:
                # It may be cut. The text doubles each time, so that a long row is not read over and over.
                if len(self._text) - self.at > self._most:
                    raise too_large(f"Row {number} has more than {self._most:,} bytes") from None
                if not self._more(len(self._text) - self.at):
                    raise _invalid(f"Row {number} is no JSON: {error}") from None
                continue
            text, self.at = self._text[self.at : end], end
            return encoded(text)

    def _more(self, at_least: int = 1) -> bool:
        parts = [self._text[self.at :]]
        got = 0
        for part in self._pieces:
            parts.append(part)
            got += len(part)
            if got >= at_least:
                break
        self._text, self.at = "".join(parts), 0
        return got > 0


def _decoded(pieces: Iterable[bytes], decoder: codecs.IncrementalDecoder) -> Iterator[str]:
    try:
        for piece in pieces:
            yield decoder.decode(piece)
        yield decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        raise error_of(f"The JSON is not UTF-8: {error.reason}", code="INVALID_ENCODING") from None


def _invalid(message: str) -> SluiceError:
    return error_of(message, code="INVALID_JSON")
