"""The checklist of a version: which row's wheels go where."""

from __future__ import annotations

import pytest

from .support import NIGHTLY_PIN, RELEASE_PIN, VERSIONS, describe, release


def uploads(version: str, pin: str) -> list[dict[str, str]]:
    words = ("checklist", "--version", version, "--pin", pin, "--json")
    found: list[dict[str, str]] = release(*words, "--delegate-version", "0.2.0").json["uploads"]
    return found


def test_a_release_puts_one_row_on_the_default_index() -> None:
    told = [
        (u["row"], u["platform"], u["index"], u["main"], u["delegate"])
        for u in uploads(VERSIONS["release"], RELEASE_PIN)
    ]
    assert told == [
        ("cu132", "linux_x86_64", "pypi", "2.15.0", "0.2.0"),
        ("cu132", "linux_aarch64", "pypi", "2.15.0", "0.2.0"),
        ("cu132", "win_amd64", "pypi", "2.15.0", ""),
        ("cu134", "linux_x86_64", "stable", "2.15.0+cu134", "0.2.0+cu134"),
        ("cu134", "linux_aarch64", "stable", "2.15.0+cu134", "0.2.0+cu134"),
        ("cu134", "win_amd64", "stable", "2.15.0+cu134", ""),
    ]


@pytest.mark.parametrize(
    ("channel", "pin", "rows", "index"),
    [
        ("nightly", NIGHTLY_PIN, 3, "nightly"),
        ("candidate", RELEASE_PIN, 2, "test"),
    ],
)
def test_other_channels_stay_on_their_own_index(
    channel: str, pin: str, rows: int, index: str
) -> None:
    told = uploads(VERSIONS[channel], pin)
    assert len({u["row"] for u in told}) == rows
    assert {u["index"] for u in told} == {index}


def test_extras_in_it_are_the_extras_command_s() -> None:
    for upload in uploads(VERSIONS["release"], RELEASE_PIN):
        arguments = describe(row=upload["row"], platform=upload["platform"], index=upload["index"])
        ran = release("extras", *arguments, "--delegate-version", "0.2.0")
        assert list(upload["extra"]) == ran.lines


def test_the_text_names_the_row_once_and_the_order() -> None:
    text = release("checklist", "--version", "2.15.0", "--pin", RELEASE_PIN).out
    assert "Only cu132 wheels go to the default index" in text
    steps = [line for line in text.splitlines() if line.startswith("- [ ] ")]
    order = [
        next(at for at, step in enumerate(steps) if word in step)
        for word in ("executorch 1.6.0 is on", "delegate wheels are uploaded", "uploaded last")
    ]
    assert order == sorted(order)
    candidate = release("checklist", "--version", VERSIONS["candidate"], "--pin", RELEASE_PIN).out
    assert "the default index" not in candidate


@pytest.mark.parametrize(
    ("channel", "pin", "blocked"),
    [
        ("release", NIGHTLY_PIN, True),
        ("candidate", NIGHTLY_PIN, True),
        ("nightly", RELEASE_PIN, True),
        ("release", RELEASE_PIN, False),
        ("candidate", RELEASE_PIN, False),
        ("nightly", NIGHTLY_PIN, False),
    ],
)
def test_the_wrong_pin_blocks_a_version(channel: str, pin: str, blocked: bool) -> None:
    words = ("checklist", "--version", VERSIONS[channel], "--pin", pin)
    ran = release(*words, code=int(blocked))
    assert ("**Blocked:**" in ran.out) == blocked
    assert ("release pin --to" in ran.err) == blocked
