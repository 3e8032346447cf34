"""Describes a Parquet file with DuckDB and polars, one thread each. The first line is the JSON of a request: its rows become the file, whose name is the answer."""
import json
import sys
import tempfile

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/rows.parquet"
    pq.write_table(pa.Table.from_pylist(json.loads(sys.stdin.readline())["rows"]), path, compression="snappy")
    print(path, flush=True)
    connection = duckdb.connect(config={"threads": 1})
    for line in sys.stdin:
        if line.strip() == "duckdb":
            connection.sql(f"SUMMARIZE FROM '{path}'").fetchall()
        else:
            pl.read_parquet(path).describe()
        print("done", flush=True)
