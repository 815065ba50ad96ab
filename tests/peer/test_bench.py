"""`make bench`: one table, one file, and nothing lost when one part fails."""

from __future__ import annotations

import json

from benchmarks import run
from benchmarks.peer import Unavailable
from benchmarks.rows import Row


def broken() -> list[Row]:
    raise RuntimeError("no such figure")


def absent() -> list[Row]:
    raise Unavailable("no peer here")


def test_a_part_that_fails_loses_nothing_of_the_others(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run.imports, "rows", broken)
    monkeypatch.setattr(run.sizes, "rows", lambda: [Row("wheel", 2.0, "kB", peer=8.0)])
    output = tmp_path / "bench.json"
    assert run.main(["import", "size", "--output", str(output)]) == 1
    (row,) = json.loads(output.read_text())
    assert (row["name"], row["ours"], row["peer"], row["unit"]) == ("wheel", 2.0, 8.0, "kB")
    assert row["ratio"] == 0.25
    assert "import FAILED: no such figure" in capsys.readouterr().err


def test_a_part_without_its_peer_is_skipped_with_the_reason(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run.sizes, "rows", absent)
    assert run.main(["size", "--output", str(tmp_path / "bench.json")]) == 0
    assert "size skipped: no peer here" in capsys.readouterr().err
