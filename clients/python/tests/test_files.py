"""Files, bytes and file objects: their format is found, and large ones are read in pieces."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES
from wire import Wire

from sluice import InvalidInput, Sluice
from sluice._content import opened, unzipped
from sluice._csv import CsvScanner, EscapedScanner, records_of
from sluice._json import array_rows

CSV = b"id,name\n1,a\n2,b\n"


def format_of(data: Any, **given: Any) -> str:
    content = opened(data, format=None, encoding=None, **given)
    assert content is not None
    content.close()
    return content.format


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.csv", CSV, "csv"),
        ("a.csv.gz", gzip.compress(CSV), "csv"),
        ("a.TSV", b"a\tb\n", "tsv"),
        ("a.jsonl", b'{"a":1}\n', "ndjson"),
        ("a.json", b' [{"a":1}]', "json"),
        ("a.json", b'{"a":1}\n{"a":2}\n', "ndjson"),
        ("a.json", b'{\n"rows":[]}', "json"),
        ("a.json", b'{"source":"s","rows":[{"a":1}]}\n', "json"),
        ("a.json", b'{"source":"s","rows":[{"a":1}]}\n\n', "json"),
        ("a.json", b'{"rows":[1]}\n{"rows":[2]}\n', "ndjson"),
        ("a.json", b'{"rows":1}\n', "ndjson"),
        ("a", b'\xef\xbb\xbf[{"a":1}]', "json"),
        ("a.txt", CSV, "csv"),
        ("a.parquet", b"", "parquet"),
        ("a", b"PAR1....", "parquet"),
        ("a", b"ARROW1\0\0", "arrow"),
        ("a.gz", gzip.compress(b'{"a":1}\n'), "ndjson"),
    ],
)
def test_the_format_is_found_from_the_name_and_then_from_the_bytes(
    tmp_path: Path, name: str, content: bytes, format: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert format_of(tmp_path / name) == format
    assert format_of(str(tmp_path / name)) == format
    with (tmp_path / name).open("rb") as file:
        assert format_of(file) == format
        # It is the caller's file.
        assert not file.closed


def test_a_format_that_cannot_be_told_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.bz2").write_bytes(bz2.compress(CSV))
    with pytest.raises(ValueError, match="give format="):
        Wire().client.screen(tmp_path / "a.bz2", source="s")
    with pytest.raises(ValueError, match="one of csv"):
        Wire().client.screen(CSV, source="s", format="xlsx")
    with pytest.raises(TypeError, match="path of a file"):
        Wire().client.screen("id\n1\n", source="s")
    with pytest.raises(FileNotFoundError):
        Wire().client.screen("no such file.csv", source="s")


def test_csv_is_sent_as_it_is_with_its_headers() -> None:
    wire = Wire()
    zipped = gzip.compress(CSV)
    wire.client.screen(
        zipped, source="a/ü", format="csv", delimiter=";", encoding="windows-1252", options={"mode": "ä"}
    )
    (request,) = wire.requests
    assert request.content == zipped
    headers = {
        name: request.headers[name]
        for name in ("content-type", "content-encoding", "x-source", "x-csv-delimiter", "x-options")
    }
    assert headers == {
        "content-type": "text/csv; charset=windows-1252",
        "content-encoding": "gzip",
        "x-source": "a%2F%C3%BC",
        "x-csv-delimiter": ";",
        "x-options": '{"mode":"\\u00e4"}',
    }


@pytest.mark.parametrize("opened_as", ["rb", "r"])
def test_every_form_of_a_file_is_the_same_batch(gate: Sluice, opened_as: str) -> None:
    path = EXAMPLES / "orders-clean.csv"
    expected = gate.screen(path, source="a")
    with path.open(opened_as) as file:
        assert gate.screen(file, source="b").schema == expected.schema
    with path.open(opened_as) as file:
        (part,) = gate.screen_all(file, source="c")
    assert part.report.stats["rows_received"] == expected.stats["rows_received"] == 150
    utf16 = path.read_text().encode("utf-16")
    assert gate.screen(utf16, source="d", format="csv").schema == expected.schema
    assert next(iter(gate.screen_all(utf16, source="e", format="csv"))).report.schema == expected.schema
    json_file = EXAMPLES / "orders-clean.json"
    for source in ("f", "g"):
        stats = gate.screen(json_file, source=source, options={"full_scan": True}).stats
        assert (stats["rows_received"], stats["source"]) == (120, source)
    with pytest.raises(InvalidInput) as caught:
        gate.screen(b"{}", source="s", format="json")
    assert caught.value.code == "INVALID_ROWS"


def test_csv_in_another_encoding_is_converted() -> None:
    wire = Wire()
    list(wire.client.screen_all("größe\n1\n".encode("latin-1"), source="s", encoding="latin-1", format="csv"))
    assert wire.text() == "größe\n1\n"


def oracle(text: bytes, delimiter: bytes) -> list[bytes]:
    """Records, a byte at a time: as the service reads CSV."""
    records, record, state, at = [], b"", "begin", 0
    while at < len(text):
        byte = text[at : at + 1]
        at += 1
        record += byte
        if state == "quoted":
            if byte == b'"':
                if text[at : at + 1] == b'"':
                    record, at = record + b'"', at + 1
                else:
                    state = "rest"
        elif byte in b"\r\n":
            if byte == b"\r" and text[at : at + 1] == b"\n":
                record, at = record + b"\n", at + 1
            records.append(record)
            record, state = b"", "begin"
        elif byte == delimiter:
            state = "begin"
        else:
            state = "quoted" if byte == b'"' and state == "begin" else "rest"
    return [each for each in [*records, record] if each.strip(b"\r\n")]


ESCAPED = 'a,b\n1,"x\\"\n,y"\n2,p\\\nq\n3,"\\\\"\n4,\\"z\n'


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_a_backslash_takes_the_meaning_of_quotes_and_line_ends(size: int) -> None:
    text = ESCAPED.encode()
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    found = [record for some in records_of(pieces, EscapedScanner(b","), 10**6) for record in some]
    assert found == [b"a,b\n", b'1,"x\\"\n,y"\n', b"2,p\\\nq\n", b'3,"\\\\"\n', b'4,\\"z\n']


def test_escape_is_given_as_delimiter_is(gate: Sluice) -> None:
    given: dict[str, Any] = {"source": "escaped", "format": "csv", "escape": "\\"}
    assert gate.screen(ESCAPED.encode(), **given).stats["rows_received"] == 4
    assert gate.screen_whole(ESCAPED.encode(), **given).stats["rows_received"] == 4
    (part,) = gate.screen_all(ESCAPED.encode(), **given)
    assert part.report.stats["rows_received"] == 4
    with gate.batch("escaped") as batch:
        assert batch.add(ESCAPED.encode(), format="csv", escape="\\")["rows"] == 4
    with pytest.raises(ValueError, match="escape must be a backslash"):
        gate.screen(b"a\n1\n", source="s", escape="/")


@pytest.mark.parametrize("seed", range(40))
def test_records_of_any_csv_cut_anywhere_agree_with_an_oracle(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        delimiter = chance.choice([b",", b";", b"|", b"\t"])
        alphabet = [b"a", b'"', b'"', b"\n", b"\r", b"\r\n", delimiter, "ü".encode()]
        text = b"".join(chance.choice(alphabet) for _ in range(chance.randrange(40)))
        pieces = []
        rest = text
        while rest:
            cut = chance.randrange(1, 8)
            pieces.append(rest[:cut])
            rest = rest[cut:]
        found = [record for some in records_of(iter(pieces), CsvScanner(delimiter), 10**6) for record in some]
        assert found == oracle(text, delimiter), (text, pieces)


def test_a_quote_that_is_never_closed_does_not_fill_the_memory() -> None:
    def pieces() -> Any:
        yield b'id\n1\n"'
        while True:
            yield b"x\n" * 50_000

    with pytest.raises(InvalidInput, match="never closed"):
        list(records_of(pieces(), CsvScanner(b","), 1_000_000))


def rows_in(text: bytes, cut: int = 5) -> list[bytes]:
    pieces = [text[at : at + cut] for at in range(0, len(text), cut)]
    return [row for some in array_rows(iter(pieces), 10_000) for row in some]


def test_rows_of_a_json_array_keep_every_digit() -> None:
    text = b'\xef\xbb\xbf [ {"a": 9007199254740993.10, "b":"]\xc3\xa4\\u00e4"} ,{} ] \n'
    for cut in (1, 3, 7, 1000):
        assert rows_in(text, cut) == [b'{"a": 9007199254740993.10, "b":"]\xc3\xa4\\u00e4"}', b"{}"]
    assert rows_in(b"[]") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "INVALID_JSON"),
        (b'{"rows":[]}', "INVALID_JSON"),
        (b"[1]", "INVALID_ROWS"),
        (b'[{"a":1}', "INVALID_JSON"),
        (b'[{"a":1} {"a":2}]', "INVALID_JSON"),
        (b'[{"a":1}],"rows":[{}]', "INVALID_JSON"),
        (b'[{"a":}]', "INVALID_JSON"),
        (b'[{"a":"\xff"}]', "INVALID_ENCODING"),
        (b'[{"a":"' + b"x" * 30_000 + b'"}]', "PAYLOAD_TOO_LARGE"),
    ],
)
def test_what_is_no_json_array_of_rows_is_refused_with_its_place(text: bytes, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        rows_in(text)
    assert caught.value.code == code


def test_gzip_of_several_members_is_read_to_the_end_and_cut_gzip_is_an_error() -> None:
    both = gzip.compress(b"a" * 3_000_000) + gzip.compress(b"b")
    assert b"".join(unzipped(iter([both[:9], both[9:]]))) == b"a" * 3_000_000 + b"b"
    with pytest.raises(EOFError):
        list(unzipped(iter([gzip.compress(CSV)[:-4]])))


@pytest.mark.parametrize("rest", [b"more", b"\0" * 512])
def test_damaged_gzip_is_an_error_that_says_so(rest: bytes) -> None:
    with pytest.raises(ValueError, match="The gzip data is damaged"):
        list(unzipped(iter([gzip.compress(CSV) + rest])))


def test_parquet_and_arrow_files_are_read_in_batches(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table({"id": list(range(12_345)), "name": ["ä"] * 12_345})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=5000)
    pyarrow.feather.write_feather(table, str(tmp_path / "a.feather"))
    with pa.ipc.new_stream(str(tmp_path / "a.arrows"), table.schema) as writer:
        writer.write_table(table)
    for name in ("a.parquet", "a.feather", "a.arrows"):
        for data in (
            tmp_path / name,
            (tmp_path / name).read_bytes(),
            io.BytesIO((tmp_path / name).read_bytes()),
        ):
            wire = Wire()
            parts = list(wire.client.screen_all(data, source="s"))
            assert [part.last_row for part in parts] == [10_000, 12_345]
            assert wire.body(1)["rows"][-1] == {"id": 12_344, "name": "ä"}


MEMORY = """
import json, resource, sys
from sluice import Sluice
from sluice._http import httpx
verdict = {"request_id": "r", "status": "PASS", "health_score": 1, "decision": {"action": "PASS", "reason": ""}, "schema": {}}
def answer(request):
    first, last = request.headers["idempotency-key"].split(":")[1].split("-")
    stats = {"source": "s", "rows_received": int(last) - int(first) + 1}
    return httpx.Response(200, json={**verdict, "stats": stats})
client = Sluice("http://localhost", "k", transport=httpx.MockTransport(answer))
kind, pieces = sys.argv[1], int(sys.argv[2])
class Endless:
    name, sent = "endless." + kind, 0
    def read(self, size=-1):
        self.sent += 1
        if kind == "csv":
            return b"id,text\\n" if self.sent == 1 else b"7,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\n" * 20000 if self.sent < pieces else b""
        row = b'{"id":7,"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'
        if kind == "ndjson":
            return (row + b"\\n") * 20000 if self.sent < pieces else b""
        return b"[" if self.sent == 1 else (row + b",") * 20000 if self.sent < pieces else row + b"]" if self.sent == pieces else b""
rows = 0
for part in client.screen_all(Endless(), source="s"):
    rows = part.last_row
print(json.dumps([rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


@pytest.mark.parametrize("kind", ["csv", "ndjson", "json"])
def test_the_memory_does_not_grow_with_the_length(kind: str) -> None:
    def peak(pieces: int) -> tuple[int, int]:
        out = subprocess.run(
            [sys.executable, "-c", MEMORY, kind, str(pieces)], capture_output=True, check=True
        )
        rows, kilobytes = json.loads(out.stdout)
        return rows, kilobytes

    short, long = peak(4), peak(60)
    assert long[0] > 1_000_000 > short[0]
    assert long[1] - short[1] < 40_000
