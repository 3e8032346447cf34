"""
Python values → JSON texts, exactly: an integer of any size and a Decimal keep every digit, NaN, NaT and infinities are null, and times
are RFC 3339 (with a zone: in UTC). `json.dumps` can write neither a Decimal nor an integer of numpy, and writes NaN, which is not JSON.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import ipaddress
import math
import os
import re
import uuid
from collections.abc import Mapping, Set
from fractions import Fraction
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Callable

Writer = Callable[[Any], str]

quoted: Writer = encode_basestring

#: Nanoseconds of the units that numpy, Arrow and polars name.
UNITS = {
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1000,
    "ns": 1,
}
SECOND = UNITS["s"]
DAY = UNITS["D"]
_EPOCH_ORDINAL = dt.date(1970, 1, 1).toordinal()


def text_of(value: Any) -> str:
    """Raises `TypeError` for a value that has no JSON form."""
    writer = _writers.get(type(value))
    if writer is None:
        writer = _writers[type(value)] = _writer_for(value)
    return writer(value)


_SURROGATE = re.compile("[\ud800-\udfff]")


def encoded(text: str) -> bytes:
    """JSON text in UTF-8. Half of a surrogate pair has no UTF-8 and stays an escape."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def number_text(value: float) -> str:
    return float.__repr__(value) if math.isfinite(value) else "null"


@lru_cache(maxsize=4096)
def day_text(days: int) -> str:
    """The date that many days after 1970-01-01; beyond the years 1 to 9999 with a sign and six digits, as in ISO 8601."""
    try:
        return dt.date.fromordinal(days + _EPOCH_ORDINAL).isoformat()
    except (ValueError, OverflowError):
        # Howard Hinnant, chrono-compatible low-level date algorithms (2013), civil_from_days.
        era, day_of_era = divmod(days + 719_468, 146_097)
        year = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
        day = day_of_era - (365 * year + year // 4 - year // 100)
        month = (5 * day + 2) // 153
        civil_month = month + 3 if month < 10 else month - 9
        civil_year = year + era * 400 + (civil_month <= 2)
        return f"{civil_year:+07d}-{civil_month:02d}-{day - (153 * month + 2) // 5 + 1:02d}"


def fraction_text(nanoseconds: int) -> str:
    """The part after the second: nothing, or three, six or nine digits."""
    if nanoseconds == 0:
        return ""
    if nanoseconds % 1000:
        return f".{nanoseconds:09d}"
    return f".{nanoseconds // 1000:06d}" if nanoseconds % 1_000_000 else f".{nanoseconds // 1_000_000:03d}"


def clock_text(nanoseconds: int) -> str:
    """Time of day, from nanoseconds since midnight."""
    seconds, rest = divmod(nanoseconds, SECOND)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction_text(rest)}"


def instant_text(nanoseconds: int, zoned: bool) -> str:
    """A time from nanoseconds since 1970; with a zone in UTC."""
    days, rest = divmod(nanoseconds, DAY)
    return f'"{day_text(days)}T{clock_text(rest)}{"Z" if zoned else ""}"'


def duration_text(nanoseconds: int) -> str:
    """A duration as a number of seconds."""
    seconds, rest = divmod(abs(nanoseconds), SECOND)
    sign = "-" if nanoseconds < 0 else ""
    return f"{sign}{seconds}.{rest:09d}".rstrip("0").rstrip(".")


def object_text(value: Mapping[Any, Any]) -> str:
    return "{" + ",".join([f"{_name(name)}:{text_of(each)}" for name, each in value.items()]) + "}"


@lru_cache(maxsize=8192)
def _quoted_name(name: str) -> str:
    return quoted(name)


def _name(name: Any) -> str:
    return _quoted_name(name_of(name))


def name_of(name: Any) -> str:
    """The name of a field or column; of several levels with dots between."""
    if type(name) is str:
        return name
    if isinstance(name, tuple):
        return ".".join(map(name_of, name))
    if isinstance(name, enum.Enum):
        return name_of(name.value)
    return str(name)


def _array(value: Any) -> str:
    return "[" + ",".join([text_of(each) for each in value]) + "]"


def _decimal(value: decimal.Decimal) -> str:
    return str(value) if value.is_finite() else "null"


def _datetime(value: dt.datetime) -> str:
    # NaT of pandas is an instance of datetime, and not equal to itself.
    if value != value:
        return "null"
    zoned = value.utcoffset() is not None
    # A Timestamp of pandas has nanoseconds too.
    nanoseconds = value.microsecond * 1000 + getattr(value, "nanosecond", 0)
    if zoned:
        value = value.astimezone(dt.timezone.utc)
    seconds = value.hour * 3600 + value.minute * 60 + value.second
    return instant_text((value.toordinal() - _EPOCH_ORDINAL) * DAY + seconds * SECOND + nanoseconds, zoned)


def _timedelta(value: dt.timedelta) -> str:
    if value != value:
        return "null"
    rest = getattr(value, "nanoseconds", 0)
    microseconds = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    return duration_text(microseconds * 1000 + rest)


def _time(value: dt.time) -> str:
    return quoted(value.isoformat())


def _bytes(value: Any) -> str:
    return f'"{base64.b64encode(value).decode()}"'


def _quoted_str(value: Any) -> str:
    return quoted(str(value))


def _null(_: Any) -> str:
    return "null"


def _set(value: Set[Any]) -> str:
    # The order of a set differs from process to process, and a repeated call must send the same bytes.
    return "[" + ",".join(sorted(map(text_of, value))) + "]"


def _dataclass(value: Any) -> str:
    return object_text({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})


def _numpy_scalar(value: Any) -> str:
    if value.dtype.kind in "Mm":
        return numpy_texts(value.reshape(1))[0]
    plain = value.item()
    # `item` of a long double is the long double.
    return text_of(float(plain) if type(plain) is type(value) else plain)


def _numpy_array(value: Any) -> str:
    if value.ndim == 0:
        return text_of(value[()])
    if value.ndim > 1:
        return _array(value)
    return "[" + ",".join(numpy_texts(value)) + "]"


def numpy_texts(array: Any) -> list[str]:
    """The values of an array of one dimension. Raises `TypeError`."""
    kind = array.dtype.kind
    if kind in "iu":
        return list(map(str, array.tolist()))
    if kind == "b":
        return ["true" if value else "false" for value in array.tolist()]
    if kind in "Mm":
        return _numpy_times(array)
    return list(map(text_of, array.tolist()))


def _numpy_times(array: Any) -> list[str]:
    import numpy as np

    unit, step = np.datetime_data(array.dtype)
    if unit not in UNITS:
        # Weeks, months and years, and what is finer than a nanosecond: numpy converts them.
        array, (unit, step) = array.astype(f"{array.dtype.kind}8[ns]"), ("ns", 1)
    size = UNITS[unit] * step
    missing = np.isnat(array).tolist()
    values = array.astype("int64").tolist()
    if array.dtype.kind == "m":
        return ["null" if none else duration_text(value * size) for value, none in zip(values, missing)]
    return ["null" if none else instant_text(value * size, False) for value, none in zip(values, missing)]


_BY_CLASS: tuple[tuple[Any, Writer], ...] = (
    (enum.Enum, lambda value: text_of(value.value)),
    (bool, lambda value: "true" if value else "false"),
    (int, int.__repr__),
    (str, _quoted_str),
    (decimal.Decimal, _decimal),
    (dt.datetime, _datetime),
    (dt.date, lambda value: f'"{value.isoformat()}"'),
    (dt.time, _time),
    (dt.timedelta, _timedelta),
    (Mapping, object_text),
    ((list, tuple), _array),
    (Set, _set),
    ((bytes, bytearray, memoryview), _bytes),
    ((uuid.UUID, os.PathLike, ipaddress.IPv4Address, ipaddress.IPv6Address), _quoted_str),
    (Fraction, lambda value: number_text(float(value))),
)


def _writer_for(value: Any) -> Writer:
    """How to write values of this one's type. Raises `TypeError`."""
    kind = type(value)
    module, name = kind.__module__.partition(".")[0], kind.__name__
    if module == "numpy" and hasattr(value, "dtype"):
        return _numpy_array if hasattr(value, "ndim") and name == "ndarray" else _numpy_scalar
    if module == "pandas" and name == "NAType":
        return _null
    if module == "pandas" and name in ("Period", "Interval"):
        return _quoted_str
    if module in ("pandas", "polars") and hasattr(value, "to_list"):
        return lambda each: _array(each.to_list())
    for classes, writer in _BY_CLASS:
        if isinstance(value, classes):
            return writer
    if isinstance(value, float):
        return lambda each: number_text(float(each))
    if dataclasses.is_dataclass(kind):
        return _dataclass
    raise TypeError(f"a value of type {kind.__name__} has no JSON form")


_writers: dict[type, Writer] = {
    str: quoted,
    int: int.__repr__,
    float: number_text,
    bool: lambda value: "true" if value else "false",
    type(None): _null,
    dict: object_text,
    list: _array,
    tuple: _array,
}
