"""What becomes of a value on its way into JSON."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import random
import uuid
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from wire import Wire

from sluice._values import day_text, encoded, instant_text, text_of

np = pytest.importorskip("numpy")


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: int
    y: decimal.Decimal


UTC = dt.timezone.utc
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))

CASES: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (0, "0"),
    (2**53 + 1, "9007199254740993"),
    (-(2**80), "-1208925819614629174706176"),
    (0.1, "0.1"),
    (1e300, "1e+300"),
    (-0.0, "-0.0"),
    (math.nan, "null"),
    (-math.inf, "null"),
    (decimal.Decimal("0.10"), "0.10"),
    (decimal.Decimal("12345678901234567890.123456789"), "12345678901234567890.123456789"),
    (decimal.Decimal("1E+2"), "1E+2"),
    (decimal.Decimal("NaN"), "null"),
    (decimal.Decimal("-Infinity"), "null"),
    (Fraction(1, 4), "0.25"),
    ('a"b\\\n\x01é😀', r'"a\"b\\\n\u0001é😀"'),
    (dt.datetime(2026, 1, 2, 3, 4, 5), '"2026-01-02T03:04:05"'),
    (dt.datetime(2026, 1, 2, 3, 4, 5, 600), '"2026-01-02T03:04:05.000600"'),
    (dt.datetime(2026, 1, 2, 3, 4, 5, 6000, UTC), '"2026-01-02T03:04:05.006Z"'),
    (dt.datetime(2026, 1, 2, 3, 4, tzinfo=EAST), '"2026-01-01T21:34:00Z"'),
    (dt.date(1, 1, 1), '"0001-01-01"'),
    (dt.time(3, 4, 5), '"03:04:05"'),
    (dt.timedelta(days=1, microseconds=500), "86400.0005"),
    (dt.timedelta(seconds=-1.5), "-1.5"),
    (dt.timedelta(0), "0"),
    (b"\x00\xff", '"AP8="'),
    (uuid.UUID(int=7), '"00000000-0000-0000-0000-000000000007"'),
    (Path("a/b"), '"a/b"'),
    (Colour.RED, '"red"'),
    (Level.HIGH, "3"),
    ([1, (2, [None])], "[1,[2,[null]]]"),
    ({3, 1, 2}, "[1,2,3]"),
    ({"a": {"b": [decimal.Decimal("1.0")]}, 5: None}, '{"a":{"b":[1.0]},"5":null}'),
    (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
    (Point(1, decimal.Decimal("2.50")), '{"x":1,"y":2.50}'),
    (np.int64(2**63 - 1), "9223372036854775807"),
    (np.uint64(2**64 - 1), "18446744073709551615"),
    (np.float32(0.5), "0.5"),
    (np.float64("nan"), "null"),
    (np.longdouble(0.25), "0.25"),
    (np.bool_(False), "false"),
    (np.str_("x"), '"x"'),
    (np.datetime64("2026-01-02T03:04:05.000000007"), '"2026-01-02T03:04:05.000000007"'),
    (np.datetime64("NaT", "s"), "null"),
    (np.timedelta64(1500, "ms"), "1.5"),
    (np.array([1.5, math.nan]), "[1.5,null]"),
    (np.array([[1, 2], [3, 4]]), "[[1,2],[3,4]]"),
    (np.array(["2026-01-02", "NaT"], "datetime64[D]"), '["2026-01-02T00:00:00",null]'),
    (np.array(7), "7"),
]


@pytest.mark.parametrize(
    ("value", "text"), CASES, ids=[f"{type(value).__name__} {text}" for value, text in CASES]
)
def test_each_value_has_one_text_which_is_json(value: Any, text: str) -> None:
    assert text_of(value) == text
    json.loads(text_of(value))


@pytest.mark.parametrize("value", [object(), 1j, print, object])
def test_what_has_no_json_form_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="JSON"):
        text_of(value)


def test_half_of_a_pair_stays_an_escape() -> None:
    assert encoded(text_of("a\ud800")) == b'"a\\ud800"'


def test_what_holds_itself_is_a_row_that_cannot_be_written() -> None:
    row: dict[str, Any] = {}
    row["self"] = row
    with pytest.raises(TypeError, match="Row 1 cannot be written"):
        Wire().client.screen([row], source="s")


def test_days_agree_with_the_calendar_of_numpy() -> None:
    chance = random.Random(7)
    for _ in range(2000):
        day = chance.randrange(-4_000_000, 40_000_000)
        expected = str(np.datetime64(day, "D"))
        assert _split(day_text(day)) == _split(expected), day


def _split(text: str) -> tuple[int, str]:
    """Year and the rest: the texts differ in how they fill the year up."""
    year, rest = text[:-6], text[-6:]
    return int(year), rest


def test_instants_before_1970_count_back() -> None:
    assert instant_text(-1, True) == '"1969-12-31T23:59:59.999999999Z"'
