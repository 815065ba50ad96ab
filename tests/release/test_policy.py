"""Every cell of channel x pin x platform x index x row, against the table written out here."""

from __future__ import annotations

import itertools

import pytest
from packaging.requirements import Requirement

from release import extras_require
from release.data import load_delegate_version
from release.extras import extra_lines
from release.policy import decide
from release.refusal import Refusal
from release.versions import parse_version

from .support import (
    DELEGATE,
    NIGHTLY_PIN,
    RELEASE_PIN,
    VERSIONS,
    describe,
    policy,
    release,
    wheel,
)

LINUX = ("linux_x86_64", "linux_aarch64")
PLATFORMS = (*LINUX, "win_amd64")
INDEXES = ("pypi", "nightly", "test", "stable")
ROWS = ("cu130", "cu132", "cu134")

# The whole policy: (channel, pin, platform, index, row) whose extra requires the delegate.
NAMED = {
    *itertools.product(["nightly"], ["nightly"], LINUX, ["nightly"], ROWS),
    *itertools.product(["candidate"], ["release"], LINUX, ["test"], ROWS),
    *itertools.product(["release"], ["release"], LINUX, ["pypi"], ["cu132"]),
}
# Where an index carries the delegate although no extra names it.
CARRIED_ONLY = set(itertools.product(["release"], ["release"], LINUX, ["stable"], ROWS))
CELLS = list(itertools.product(VERSIONS, ["nightly", "release"], PLATFORMS, INDEXES, ROWS))
PINS = {"nightly": NIGHTLY_PIN, "release": RELEASE_PIN}


def test_the_table_covers_what_the_data_knows() -> None:
    known = policy()
    assert set(VERSIONS) == set(known.channels)
    assert set(PLATFORMS) == set(known.platforms)
    assert set(ROWS) == set(known.rows)
    assert len(CELLS) == 216
    assert len(NAMED) == 14
    assert set(CELLS) >= NAMED | CARRIED_ONLY


@pytest.mark.parametrize(("channel", "pin", "platform", "index", "row"), CELLS)
def test_cell(channel: str, pin: str, platform: str, index: str, row: str) -> None:
    cell = (channel, pin, platform, index, row)
    described = wheel(VERSIONS[channel], PINS[pin], row, platform, index)
    decision = decide(policy(), described)
    assert decision.named == (cell in NAMED)
    assert (decision.carried_by is not None) == (cell in NAMED | CARRIED_ONLY)
    assert bool(decision.reason) == (cell not in NAMED)

    lines = extra_lines(policy(), described, load_delegate_version())
    names = [Requirement(line).name for line in lines]
    assert names == ["executorch", DELEGATE][: 1 + decision.named]
    executorch = Requirement(lines[0])
    assert executorch.specifier.contains(PINS[pin], prereleases=True)
    assert executorch.specifier.contains("1.6.7")
    assert not executorch.specifier.contains("1.7.0")
    assert not executorch.specifier.contains("1.7.0.dev20270101", prereleases=True)
    assert not executorch.specifier.contains("1.5.1")


@pytest.mark.parametrize(
    "platform",
    ["macosx_14_0_arm64", "win_arm64", "win32", "musllinux_1_2_x86_64", "linux_riscv64"],
)
@pytest.mark.parametrize("channel", VERSIONS)
def test_no_other_platform_has_a_delegate(channel: str, platform: str) -> None:
    index = policy().channels[channel].extra_names_delegate_on
    pin = PINS[policy().channels[channel].pin]
    described = wheel(VERSIONS[channel], pin, "cu132", platform, index)
    assert decide(policy(), described).carried_by is None


@pytest.mark.parametrize(
    ("spelling", "same_as"),
    [
        ("manylinux_2_28_x86_64", "linux_x86_64"),
        ("linux-x86_64", "linux_x86_64"),
        ("manylinux2014_aarch64", "linux_aarch64"),
        ("win-amd64", "win_amd64"),
    ],
)
def test_platform_spellings(spelling: str, same_as: str) -> None:
    assert wheel(platform=spelling) == wheel(platform=same_as)


@pytest.mark.parametrize("channel", VERSIONS)
def test_pytorch_means_the_channels_own_index(channel: str) -> None:
    expected = {"nightly": "nightly", "candidate": "test", "release": "stable"}[channel]
    assert wheel(VERSIONS[channel], index="pytorch").index.name == expected


def test_a_released_delegate_may_be_a_later_fix_and_nothing_else() -> None:
    requirement = Requirement(
        extras_require("2.15.0", "cu132", "linux_x86_64", "pypi", "1.6.0")["executorch"][1]
    )
    base = load_delegate_version()
    later = f"{base.major}.{base.minor}.{base.micro + 1}"
    accepted = [
        v
        for v in ("0.1.0", str(base), later, base.next_minor + ".0")
        if requirement.specifier.contains(v)
    ]
    assert accepted == [str(base), later]


@pytest.mark.parametrize(
    ("version", "index", "expected"),
    [
        ("2.15.0.dev20261130", "nightly", "0.2.0.dev20261130+cu134"),
        ("2.15.0rc3", "test", "0.2.0rc3+cu134"),
        ("2.15.0", "stable", "0.2.0+cu134"),
        ("2.15.0", "pypi", "0.2.0"),
    ],
)
def test_the_delegate_follows_date_number_and_label(
    version: str, index: str, expected: str
) -> None:
    arguments = describe(version=version, index=index, row="cu134")
    ran = release("wheel-version", *arguments, "--delegate-version", "0.2.0")
    assert ran.lines == [expected]


def test_off_the_default_index_the_requirement_names_the_row() -> None:
    """Otherwise the highest label on offer wins, which may be another row's."""
    lines = extras_require("2.15.0rc3", "cu132", "linux_aarch64", "test", "1.6.0")["executorch"]
    assert Requirement(lines[1]).specifier.contains("0.2.0rc3+cu132", prereleases=True)
    assert not Requirement(lines[1]).specifier.contains("0.2.0rc3+cu134", prereleases=True)


def test_extras_on_the_command_line_prints_requirements_and_nothing_else() -> None:
    ran = release("extras", *describe())
    assert [Requirement(line).name for line in ran.lines] == ["executorch", DELEGATE]
    assert ran.err == ""
    told = release("extras", *describe(), "--json").json
    assert told["requirements"] == ran.lines
    assert told["delegate"] is True


def test_extras_says_beside_stdout_why_the_delegate_is_left_out() -> None:
    ran = release("extras", *describe(platform="win_amd64"))
    assert ran.lines == ["executorch>=1.6.0,<1.7"]
    assert "Windows" in ran.err
    assert "CPU build" in ran.err


def test_a_setup_py_gets_the_same_lines_as_the_command_line() -> None:
    made = extras_require("2.15.0", "cu132", "linux_x86_64", "pypi", "1.6.0")
    assert made == {"executorch": release("extras", *describe()).lines}


def test_the_recorded_pin_is_the_default() -> None:
    words = describe()
    at = words.index("--pin")
    version = release("pin").out.split()[0]
    without = release("extras", *words[:at], *words[at + 2 :])
    assert without.lines == release("extras", *describe(pin=version)).lines


@pytest.mark.parametrize(
    ("version", "row", "index"),
    [
        ("2.15.0+cu134", "cu132", "stable"),
        ("2.15.0+cu132", "cu132", "pypi"),
        ("2.15.0.dev20261130+cpu", "cu132", "nightly"),
    ],
)
def test_a_label_of_another_row_is_refused(version: str, row: str, index: str) -> None:
    with pytest.raises(Refusal, match="carries the label"):
        wheel(version, row=row, index=index)


def test_its_own_label_is_taken() -> None:
    assert wheel("2.15.0+cu134", row="cu134", index="stable").version == parse_version("2.15.0", "")
