"""Samples and networks give eager PyTorch's answers from C++ and from Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from programs import index
from programs.definition import Definition
from programs.networks import networks
from programs.running import Outcome, run_cpp
from programs.samples import samples

NETWORKS = networks()
SAMPLES = samples()


def cases(definitions: list[Definition]) -> list[tuple[str, str]]:
    return [(d.name, case.name) for d in definitions for case in d.cases]


def fresh_cases(definitions: list[Definition]) -> list[tuple[str, str]]:
    return [(d.name, c.name) for d in definitions for c in d.cases if not c.continues]


def entry_and_case(folder: Path, program: str, case: str) -> tuple[index.Entry, index.CaseFiles]:
    entry = next(e for e in index.read(folder) if e.name == program)
    return entry, next(c for c in entry.cases if c.name == case)


@pytest.mark.parametrize(("program", "case"), cases(SAMPLES + NETWORKS))
def test_python_gives_eagers_answer(
    python_outcomes: dict[tuple[str, str], Outcome],
    shown_outcomes: list[Outcome],
    program: str,
    case: str,
) -> None:
    outcome = python_outcomes[program, case]
    shown_outcomes.append(outcome)
    assert outcome.passed, outcome.problem


@pytest.mark.parametrize(("program", "case"), fresh_cases(NETWORKS))
def test_cpp_gives_eagers_answer(
    build_folder: Path,
    networks_folder: Path,
    shown_outcomes: list[Outcome],
    program: str,
    case: str,
) -> None:
    entry, files = entry_and_case(networks_folder, program, case)
    outcome = run_cpp(build_folder / "trtet", networks_folder, entry, files)
    shown_outcomes.append(outcome)
    assert outcome.passed, outcome.problem


def kv_check(build_folder: Path, program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [build_folder / "trtet", "kv-check", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_kv_check_passes_the_decoder(build_folder: Path, decoders_folder: Path) -> None:
    done = kv_check(build_folder, decoders_folder / "decoder.pte")
    assert done.returncode == 0, done.stdout + done.stderr


def test_kv_check_fails_the_decoder_that_forgets(build_folder: Path, decoders_folder: Path) -> None:
    done = kv_check(build_folder, decoders_folder / "decoder_forgetful.pte")
    assert done.returncode == 1, done.stdout + done.stderr


def test_the_decoder_remembers_only_where_it_should(decoders_folder: Path) -> None:
    """The two decoders differ from position 1 on, so the comparison with eager sees the cache."""
    import numpy

    def logits(name: str, position: int) -> bytes:
        array = numpy.load(decoders_folder / f"{name}.position_{position}.expected0.npy")
        return bytes(array.round(4).tobytes())

    assert logits("decoder", 0) == logits("decoder_forgetful", 0)
    assert logits("decoder", 1) != logits("decoder_forgetful", 1)
