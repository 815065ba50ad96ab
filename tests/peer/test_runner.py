"""The predecessor's runner gives the same answers on the same stand-ins and programs.

It was compiled from the vendor's headers, so it also shows that the stand-ins speak that interface.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from programs import index
from programs.definition import Definition
from programs.networks import networks
from programs.running import Peer, peer_process, run_peer
from programs.samples import samples

SAMPLES, NETWORKS = samples(), networks()


def names(definitions: list[Definition]) -> list[str]:
    return [definition.name for definition in definitions if not definition.peer]


def entry(folder: Path, name: str) -> index.Entry:
    return next(e for e in index.read(folder) if e.name == name)


@pytest.mark.parametrize("name", names(SAMPLES))
def test_samples(peer: Peer, build_folder: Path, samples_folder: Path, name: str) -> None:
    outcome = run_peer(peer, build_folder / "standins", samples_folder, entry(samples_folder, name))
    assert outcome.passed, outcome.problem


@pytest.mark.parametrize("name", names(NETWORKS))
def test_networks(peer: Peer, build_folder: Path, networks_folder: Path, name: str) -> None:
    outcome = run_peer(
        peer, build_folder / "standins", networks_folder, entry(networks_folder, name)
    )
    print(f"{name}: maximum error {outcome.max_error:.3g} of the values it prints")
    assert outcome.passed, outcome.problem


@pytest.mark.parametrize(
    ("name", "missing"), [("decoder", "aten::copy_"), ("two_parts", "aten::expm1.out")]
)
def test_what_it_cannot_run_is_for_the_reason_given(
    peer: Peer, build_folder: Path, networks_folder: Path, name: str, missing: str
) -> None:
    done = peer_process(peer, build_folder / "standins", networks_folder / f"{name}.pte")
    assert done.returncode != 0
    assert "Missing operator: " in done.stdout + done.stderr
    assert missing in done.stdout + done.stderr


def test_the_comparison_can_fail(peer: Peer, build_folder: Path, samples_folder: Path) -> None:
    """multiply's expected values beside add's program: the lane must say so."""
    add, multiply = entry(samples_folder, "add"), entry(samples_folder, "multiply")
    wrong = index.Entry(**{**vars(add), "cases": multiply.cases})
    outcome = run_peer(peer, build_folder / "standins", samples_folder, wrong)
    assert outcome.problem == "differs by 1"
