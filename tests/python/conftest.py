"""The installed wheel, and what programs gave through it."""

from __future__ import annotations

from pathlib import Path

import pytest
from trtet_export.runner import Runner

from programs import index, refresh
from programs.running import Outcome, run_python
from tests.support.runtime_wheel import installed_runtime_wheel


def pytest_configure(config: pytest.Config) -> None:
    # Warnings of ExecuTorch's exporter about itself.
    config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning:executorch.*")
    config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning:importlib.*")
    config.addinivalue_line("filterwarnings", "ignore:Mutation on a buffer:UserWarning")


@pytest.fixture(scope="session")
def runtime_site() -> Path:
    """The runtime wheel of this tree, installed where PYTHONPATH finds it."""
    return installed_runtime_wheel()


@pytest.fixture(scope="session")
def runner(build_folder: Path, runtime_site: Path) -> Runner:
    """The installed wheel on the stand-ins."""
    return Runner(None, build_folder / "standins", {"PYTHONPATH": str(runtime_site)})


@pytest.fixture(scope="session")
def decoders_folder(build_folder: Path) -> Path:
    """The same folder, where only the decoders are needed."""
    folder = build_folder / "programs" / "networks"
    refresh.refresh("networks", folder, ("decoder", "decoder_forgetful"))
    return folder


@pytest.fixture(scope="session")
def python_outcomes(
    runner: Runner, samples_folder: Path, networks_folder: Path
) -> dict[tuple[str, str], Outcome]:
    """Every program run through ExecuTorch's Python API, by program and case."""
    programs = [
        (folder, entry)
        for folder in (samples_folder, networks_folder)
        for entry in index.read(folder)
    ]
    outcomes = run_python(runner, programs)
    return {(outcome.program, outcome.case): outcome for outcome in outcomes}


_SHOWN: list[Outcome] = []


@pytest.fixture(scope="session")
def shown_outcomes() -> list[Outcome]:
    """What is added here appears in the table at the end of the run."""
    return _SHOWN


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures per program and lane: the largest difference from eager over its cases."""
    worst: dict[tuple[str, str], Outcome] = {}
    for outcome in _SHOWN:
        key = (outcome.program, outcome.lane)
        # A NaN is kept whichever side it comes from.
        if key not in worst or not outcome.max_error <= worst[key].max_error:
            worst[key] = outcome
    if worst:
        terminalreporter.section("maximum error against eager PyTorch")
    for (program, lane), outcome in worst.items():
        terminalreporter.write_line(
            f"{program:<20} {lane:<7} {outcome.max_error:>9.2e}   allowed "
            f"{outcome.tolerance:g} * max(1, |eager|)"
        )
