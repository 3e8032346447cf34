"""Checks a CSV file by the rules of bench/rule-peers.ts with other libraries: for each name on standard input one run, its milliseconds of the processor and the rows that fail each rule."""
import json
import os
import sys
import time
from datetime import datetime

os.environ["POLARS_MAX_THREADS"] = "1"
os.environ["GX_ANALYTICS_ENABLED"] = "false"
os.environ["DISABLE_PANDERA_IMPORT_WARNING"] = "True"

import duckdb  # noqa: E402
import great_expectations as gx  # noqa: E402
import great_expectations.expectations as gxe  # noqa: E402
import pandas  # noqa: E402
import pandera.polars as pa  # noqa: E402
import polars as pl  # noqa: E402

FILE, RULES = sys.argv[1], json.loads(sys.argv[2])


def pandera() -> dict:
    frame = pl.read_csv(FILE)
    columns = {}
    for each in RULES:
        check = each["check"]
        column = columns.setdefault(each["field"], pa.Column(nullable=True, checks=[]))
        name = each["rule"]
        if check == "not_null":
            column.nullable = False
        elif check == "unique":
            column.checks.append(unique(name))
        elif check == "range":
            low, high = each["low"], each["high"]
            column.checks.append(pa.Check.in_range(low, high, error=name))
        elif check == "pattern":
            column.checks.append(pa.Check(lambda data, p=each["pattern"]: data.lazyframe.select(pl.col(data.key).str.contains(p)), name=name))
        elif check == "set":
            column.checks.append(pa.Check.isin(each["values"], error=name))
        elif check == "length":
            column.checks.append(pa.Check(lambda data, n=each["most"]: data.lazyframe.select(pl.col(data.key).str.len_chars() <= n), name=name))
        elif check == "least":
            column.checks.append(pa.Check.greater_than_or_equal_to(each["value"], error=name))
        elif check == "pair":
            column.checks.append(pa.Check(lambda data, o=each["other"]: data.lazyframe.select(pl.col(data.key) <= pl.col(o)), name=name))
    try:
        pa.DataFrameSchema(columns).validate(frame, lazy=True)
        return {}
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases
    names = {f"{each['field']}.not_null": each["rule"] for each in RULES if each["check"] == "not_null"}
    found: dict = {}
    for column, check, index in cases.select("column", "check", "index").iter_rows():
        rule = names.get(f"{column}.{check}", check) if check == "not_nullable" else check
        rule = names[f"{column}.not_null"] if check == "not_nullable" else rule
        found.setdefault(rule, []).append(index)
    return found


def unique(name: str) -> pa.Check:
    def check(data):
        column = pl.col(data.key)
        return data.lazyframe.select(column.is_null() | ~column.is_duplicated())

    return pa.Check(check, name=name)


def expectation(each: dict):
    column, check, meta = each["field"], each["check"], {"rule": each["rule"]}
    if check == "not_null":
        return gxe.ExpectColumnValuesToNotBeNull(column=column, meta=meta)
    if check == "unique":
        return gxe.ExpectColumnValuesToBeUnique(column=column, meta=meta)
    if check == "range":
        return gxe.ExpectColumnValuesToBeBetween(column=column, min_value=each["low"], max_value=each["high"], meta=meta)
    if check == "pattern":
        return gxe.ExpectColumnValuesToMatchRegex(column=column, regex=each["pattern"], meta=meta)
    if check == "set":
        return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=each["values"], meta=meta)
    if check == "length":
        return gxe.ExpectColumnValueLengthsToBeBetween(column=column, max_value=each["most"], meta=meta)
    if check == "least":
        return gxe.ExpectColumnValuesToBeBetween(column=column, min_value=datetime.fromisoformat(each["value"]), meta=meta)
    return gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A=each["other"], column_B=column, or_equal=True, ignore_row_if="either_value_is_missing", meta=meta
    )


class GreatExpectations:
    """Context and suite are made once, as a service would."""

    def __init__(self) -> None:
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False, "metric_calculations": False}
        asset = context.data_sources.add_pandas("rows").add_dataframe_asset("rows")
        self.batch = asset.add_batch_definition_whole_dataframe("all")
        self.suite = gx.ExpectationSuite(name="rules", expectations=[expectation(each) for each in RULES])
        context.suites.add(self.suite)

    def __call__(self) -> dict:
        frame = pandas.read_csv(FILE, keep_default_na=False, na_values=[""], parse_dates=["shipped_at"])
        frame["shipped_at"] = frame["shipped_at"].dt.tz_localize(None)
        batch = self.batch.get_batch({"dataframe": frame})
        result = batch.validate(self.suite, result_format={"result_format": "COMPLETE"})
        found = {each.expectation_config.meta["rule"]: each.result["unexpected_index_list"] for each in result.results}
        return {rule: rows for rule, rows in found.items() if rows}


def condition(each: dict) -> str:
    column, check = f'"{each["field"]}"', each["check"]
    if check == "not_null":
        return f"{column} IS NULL"
    if check == "unique":
        return f"{column} IN (SELECT {column} FROM t GROUP BY {column} HAVING count(*) > 1)"
    if check == "range":
        return f"{column} < {each['low']} OR {column} > {each['high']}"
    if check == "pattern":
        return f"NOT regexp_matches({column}, '{each['pattern']}')"
    if check == "set":
        return f"{column} NOT IN ({', '.join(repr(value) for value in each['values'])})"
    if check == "length":
        return f"length({column}) > {each['most']}"
    if check == "least":
        return f"{column} < '{each['value']}'"
    return f'{column} > "{each["other"]}"'


def sql() -> dict:
    base = duckdb.connect()
    base.execute("SET threads = 1")
    texts = "{'placed_at': 'VARCHAR', 'shipped_at': 'VARCHAR'}"
    base.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () - 1 AS row_id FROM read_csv('{FILE}', types = {texts})")
    found = {}
    for each in RULES:
        rows = base.execute(f"SELECT row_id FROM t WHERE {condition(each)} ORDER BY row_id").fetchall()
        if rows:
            found[each["rule"]] = [row for (row,) in rows]
    return found


PEERS = {"pandera": pandera, "great_expectations": GreatExpectations(), "duckdb": sql}

for line in sys.stdin:
    begun = time.process_time()
    failing = PEERS[line.strip()]()
    took = (time.process_time() - begun) * 1000
    print(json.dumps({"ms": took, "failing": {rule: sorted(rows) for rule, rows in failing.items()}}), flush=True)
