"""The samples kept in the repository are what the present sources write."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs import index, refresh
from programs.samples import samples

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "programs" / "data"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    refresh.write("samples", folder)
    return folder


REMEDY = "write them again: .venv/bin/python -m programs.refresh samples programs/data --force"


def test_the_same_files(written: Path) -> None:
    assert sorted(p.name for p in KEPT.iterdir()) == sorted(p.name for p in written.iterdir()), (
        REMEDY
    )


@pytest.mark.parametrize("name", [definition.name for definition in samples()])
def test_the_same_bytes(written: Path, name: str) -> None:
    entry = next(e for e in index.read(written) if e.name == name)
    files = [entry.file, *(f for c in entry.cases for f in (*c.inputs, *c.expected))]
    differing = [f for f in files if (KEPT / f).read_bytes() != (written / f).read_bytes()]
    assert not differing, REMEDY


def test_the_same_index(written: Path) -> None:
    assert (KEPT / index.NAME).read_text() == (written / index.NAME).read_text(), REMEDY


def test_the_build_has_them(samples_folder: Path) -> None:
    for kept in KEPT.iterdir():
        assert (samples_folder / kept.name).read_bytes() == kept.read_bytes(), kept.name
