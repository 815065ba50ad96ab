""".npy files: what NumPy writes is read, NumPy reads what is written, damage is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from .conftest import Trtet

Programs = Callable[[str], Path]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format(
    trtet: Trtet, programs: Programs, tmp_path: Path, version: tuple[int, int]
) -> None:
    with open(tmp_path / "x.npy", "wb") as file:
        numpy.lib.format.write_array(file, numpy.full((2, 3), 4, "float32"), version=version)
    report = trtet.json("run", programs("add"), "--input", f"x={tmp_path / 'x.npy'}")
    assert report["outputs"][0]["first_values"] == [5] * 6


DAMAGED = {
    "not an .npy file": b"hello",
    "empty": b"",
    "magic only": b"\x93NUMPY\x01\x00",
    "version 9": b"\x93NUMPY\x09\x00\x76\x00",
    "header cut": b"\x93NUMPY\x01\x00\xff\xff{'descr'",
    "not a dict": b"\x93NUMPY\x01\x00\x04\x00[1]\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_refused_with_the_file_name(
    trtet: Trtet, programs: Programs, tmp_path: Path, name: str
) -> None:
    (tmp_path / "x.npy").write_bytes(DAMAGED[name])
    done = trtet("run", programs("add"), "--input", f"x={tmp_path / 'x.npy'}")
    assert done.returncode == 1
    assert str(tmp_path / "x.npy") in done.stderr


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (numpy.ones((2, 3), ">f4"), "little-endian"),
        (numpy.asfortranarray(numpy.ones((2, 3), "float32")), "Fortran"),
        (numpy.ones((2, 3), "complex64"), "c8"),
        (numpy.array([["a"]]), "U1"),
    ],
)
def test_what_is_not_supported_is_said(
    trtet: Trtet, programs: Programs, tmp_path: Path, array: numpy.ndarray, word: str
) -> None:
    numpy.save(tmp_path / "x.npy", array)
    done = trtet("run", programs("add"), "--input", f"x={tmp_path / 'x.npy'}")
    assert done.returncode == 1
    assert word in done.stderr


@pytest.mark.parametrize("cut", [1, 24, 25, 60])
def test_missing_data(trtet: Trtet, programs: Programs, tmp_path: Path, cut: int) -> None:
    numpy.save(tmp_path / "x.npy", numpy.ones((2, 3), "float32"))
    whole = (tmp_path / "x.npy").read_bytes()
    for damaged in (whole[:-cut], whole + b"x"):
        (tmp_path / "x.npy").write_bytes(damaged)
        done = trtet("run", programs("add"), "--input", f"x={tmp_path / 'x.npy'}")
        assert done.returncode == 1
        assert "x.npy" in done.stderr


def test_a_shape_that_overflows(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    for shape in ("(2147483647, 2147483647, 2147483647)", "(99999999999,)", "(-1, 3)", "(2; 3)"):
        header = (
            f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode()
            + b"\n"
        )
        (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header + bytes(24))
        done = trtet("run", programs("add"), "--input", f"x={tmp_path / 'x.npy'}")
        assert done.returncode == 1, shape
        assert "x.npy" in done.stderr or "shape" in done.stderr


@pytest.mark.parametrize("program", ["add", "two_outputs", "add_int64", "add_half"])
def test_what_is_written_is_numpys_own_format(
    trtet: Trtet, programs: Programs, tmp_path: Path, program: str
) -> None:
    trtet("run", programs(program), "--output-dir", tmp_path)
    file = tmp_path / "output0.npy"
    array = numpy.load(file)
    numpy.save(tmp_path / "again.npy", array)
    assert file.read_bytes() == (tmp_path / "again.npy").read_bytes()


def test_an_output_folder_that_cannot_be_made(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = trtet("run", programs("add"), "--output-dir", tmp_path / "file" / "out")
    assert done.returncode == 1
    assert "--output-dir" in done.stderr
