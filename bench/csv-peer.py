"""Reads a CSV file with polars and describes it: what a data engineer would type. The file is the only argument."""
import sys

import polars as pl

table = pl.read_csv(sys.argv[1])
print(table.describe(), table.null_count(), table.select(pl.all().approx_n_unique()))
