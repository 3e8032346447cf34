"""What pyarrow reads of Arrow and Parquet files: a line of JSON for each file named on standard input."""
import gzip, io, json, sys
import pyarrow as pa, pyarrow.compute as pc, pyarrow.ipc as ipc, pyarrow.parquet as pq

def table(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:4] == b"PAR1":
        return pq.ParquetFile(io.BytesIO(data)).read()
    if data[:6] == b"ARROW1":
        return ipc.open_file(pa.BufferReader(data)).read_all()
    return ipc.open_stream(pa.BufferReader(data)).read_all()

def plain(column):
    while pa.types.is_dictionary(column.type):
        if pa.types.is_nested(column.type.value_type):
            return column
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_decimal(column.type) and column.type.bit_width < 128:
        return pc.cast(column, pa.decimal128(38, column.type.scale))
    return pc.cast(column, pa.float32()) if pa.types.is_float16(column.type) else column

def bounds(column):
    t = column.type
    if not (pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t)):
        return None
    if pa.types.is_floating(t):
        column = column.filter(pc.is_finite(column))
    ends = pc.min_max(column)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return None if low is None else [float(low), float(high)]

def nulls(column):
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    return pc.sum(pc.is_null(column, nan_is_null=pa.types.is_floating(column.type))).as_py() or 0

for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        t = table(path)
        columns = [{"name": f.name, "type": str(f.type), "nulls": nulls(plain(c)), "bounds": bounds(plain(c))} for f, c in zip(t.schema, t.columns)]
        print(json.dumps({"file": path, "rows": t.num_rows, "columns": columns}), flush=True)
    except Exception as e:
        print(json.dumps({"file": path, "error": f"{type(e).__name__}: {e}"[:200].split("\n")[0]}), flush=True)
