"""Writes tables as Parquet: each line of standard input is {"file", "columns": {name: {"type", "cells"}}, "options"}; the answer is its file."""
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

TYPES = {
    "text": pa.string(), "large": pa.large_string(), "few": pa.dictionary(pa.int32(), pa.string()), "float": pa.float64(), "price": pa.float64(), "integer": pa.int32(), "long": pa.int64(),
    "flag": pa.bool_(), "list": pa.list_(pa.int32()), "object": pa.struct([("a", pa.int32()), ("b", pa.string())]),
}

def cells(column):
    is_float = column["type"] in ("float", "price")
    return [float(x) if is_float and x is not None else x for x in column["cells"]]


for line in sys.stdin:
    told = json.loads(line)
    columns = {name: pa.array(cells(column), TYPES[column["type"]]) for name, column in told["columns"].items()}
    pq.write_table(pa.table(columns), told["file"], **told["options"])
    print(told["file"], flush=True)
