"""The examples of docs/python.md and of the README print what stands below them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from conftest import KEY, ROOT, Server

from sluice import Sluice

EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(str(tmp_path_factory.mktemp("data")))
    yield running
    running.kill()


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_every_example_prints_what_the_document_shows(fresh: Server, name: str) -> None:
    document = (ROOT / name).read_text()
    examples = EXAMPLE.findall(document)
    assert len(examples) == document.count("```python\n") >= 1
    for code, output in examples:
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "SLUICE_URL": fresh.url, "SLUICE_KEY": KEY},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.stdout, ran.stderr) == (output, "")


def test_the_examples_for_a_blocked_batch_read_and_accept_it(fresh: Server) -> None:
    with Sluice(fresh.url, KEY) as gate:
        gate.screen([{"amount": i} for i in range(20)], source="orders")
        blocked = gate.screen([{"amount": "x"}] * 20, source="orders")
    environment = {**os.environ, "SLUICE_URL": fresh.url, "SLUICE_KEY": KEY, "JOB": blocked.request_id}
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "docs/blocked.md").read_text(), re.DOTALL)
    printed = [
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for code in examples
    ]
    assert printed[0] == blocked.reason + "\n"
    assert printed[1].startswith("The batch is the normal of 'orders' now")
    assert len(printed) == 2


def test_the_first_example_of_the_readme_has_six_lines() -> None:
    code, _ = EXAMPLE.findall((ROOT / "README.md").read_text())[0]
    assert len(code.strip().splitlines()) == 6
