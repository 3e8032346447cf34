"""The examples of docs/columns.md: pandas, polars and DuckDB, each to the gate in under ten lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KEY, ROOT, Server
from test_docs import EXAMPLE

EXAMPLES = EXAMPLE.findall((ROOT / "docs/columns.md").read_text())


def test_there_is_an_example_of_each() -> None:
    libraries = [
        library for library in ("pandas", "polars", "duckdb") for code, _ in EXAMPLES if library in code
    ]
    assert libraries == ["pandas", "polars", "duckdb"]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_it_prints_what_the_document_shows(server: Server, tmp_path: Path, code: str, output: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "SLUICE_URL": server.url, "SLUICE_KEY": KEY},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == (output, "")
    assert len([line for line in code.splitlines() if line.strip()]) < 10
