"""Messages for a missing or mismatching delegate, and the indexes of the build jobs."""

from __future__ import annotations

import shlex

import pytest

from release import part_install_arguments
from release.data import load_delegate_version, parse_policy
from release.messages import Message, delegate_message
from release.versions import parse_version

from .support import DELEGATE, NIGHTLY_PIN, VERSIONS, describe, policy, release, wheel
from .test_data import RECORDED

PYTORCH = "https://download.pytorch.org/whl"
NVIDIA = "https://pypi.nvidia.com"


def made(installed: str | None = None, **described: str) -> Message:
    version = parse_version(installed, "") if installed else None
    return delegate_message(policy(), wheel(**described), parse_version("0.2.0", ""), version)


def urls(words: list[str]) -> list[str]:
    return [words[at + 1] for at, word in enumerate(words) if word == "--extra-index-url"]


@pytest.mark.parametrize(
    ("described", "indexes", "pre"),
    [
        ({"index": "pypi"}, [NVIDIA], False),
        (
            {"version": VERSIONS["candidate"], "index": "test", "row": "cu134"},
            [f"{PYTORCH}/test/cu134", NVIDIA],
            True,
        ),
        (
            {
                "version": VERSIONS["nightly"],
                "pin": NIGHTLY_PIN,
                "index": "nightly",
                "row": "cu130",
            },
            [f"{PYTORCH}/nightly/cu130", NVIDIA],
            True,
        ),
    ],
)
def test_a_missing_delegate_names_versions_indexes_and_one_command(
    described: dict[str, str], indexes: list[str], pre: bool
) -> None:
    message = made(**described)
    told = wheel(**described)
    assert message.problem == "missing"
    assert f"torch-tensorrt {told}" in message.text
    assert "At build time: delegate 0.2.0" in message.text
    assert f"executorch {told.pin.version}" in message.text
    assert message.text.splitlines()[-1] == f"Run: {message.command}"
    assert message.text.count("Run: ") == 1
    words = shlex.split(message.command)
    assert words[:4] == ["python", "-m", "pip", "install"]
    assert f"torch-tensorrt[executorch]=={told.labelled_version}" in words
    assert urls(words) == indexes
    assert ("--pre" in words) == pre
    own_index = indexes[0] if len(indexes) > 1 else "the default index"
    carrying = next(line for line in message.text.splitlines() if line.startswith("Both are on"))
    assert own_index in carrying
    assert NVIDIA in carrying


@pytest.mark.parametrize(
    ("installed", "problem"),
    [
        ("0.1.0", "mismatch"),
        ("0.2.0", ""),
        ("0.2.1", ""),
        ("0.2.1+cu132", ""),
        ("0.2.1+cu134", "mismatch"),
        ("0.3.0", "mismatch"),
        ("0.2.0.dev20261130", "mismatch"),
    ],
)
def test_a_release_matches_later_fixes_of_its_row(installed: str, problem: str) -> None:
    message = made(installed)
    assert message.problem == problem
    assert f"{DELEGATE} " in message.text
    assert installed in message.text
    assert bool(message.command) == bool(problem)


@pytest.mark.parametrize(
    ("installed", "problem"),
    [
        ("0.2.0.dev20261130+cu132", ""),
        ("0.2.0.dev20261129+cu132", "mismatch"),
        ("0.2.0.dev20261130+cu134", "mismatch"),
        ("0.2.0.dev20261130", "mismatch"),
    ],
)
def test_a_nightly_matches_its_own_night_and_row(installed: str, problem: str) -> None:
    described = {"version": VERSIONS["nightly"], "pin": NIGHTLY_PIN, "index": "nightly"}
    assert made(installed, **described).problem == problem


@pytest.mark.parametrize(
    ("described", "reason"),
    [
        ({"platform": "win_amd64"}, "CPU build"),
        ({"pin": NIGHTLY_PIN}, "needs a release pin"),
        ({"version": VERSIONS["nightly"], "index": "nightly"}, "needs a nightly pin"),
        ({"row": "cu134"}, "carries cu132 builds"),
    ],
)
def test_nobody_is_sent_to_an_index_that_has_none(described: dict[str, str], reason: str) -> None:
    message = made(**described)
    assert reason in message.text
    assert "does not name it" in message.text
    assert message.command == ""
    assert message.indexes == ()
    assert "http" not in message.text
    assert "index-url" not in message.text
    assert "docs/install.md" in message.text


def test_a_release_off_the_default_index_gets_its_delegate_by_name() -> None:
    message = made(row="cu134", index="stable")
    words = shlex.split(message.command)
    assert "does not name it" in message.text
    assert f"{DELEGATE}==0.2.0+cu134" in words
    assert urls(words) == [f"{PYTORCH}/cu134", NVIDIA]


def test_the_command_line_says_the_same() -> None:
    arguments = describe(row="cu134", index="stable")
    told = release("message", *arguments).out.rstrip("\n")
    expected = delegate_message(
        policy(), wheel(row="cu134", index="stable"), load_delegate_version(), None
    )
    assert told == expected.text
    document = release("message", *arguments, "--installed", "0.1.0", "--json").json
    assert document["problem"] == "mismatch"
    assert document["command"] == release("install-command", *arguments).out.rstrip("\n")


@pytest.mark.parametrize(
    ("pin", "channel", "expected"),
    [
        (NIGHTLY_PIN, None, ["nightly/cu132"]),
        (NIGHTLY_PIN, "nightly", ["nightly/cu132"]),
        ("1.6.0", None, ["cu132", "test/cu132"]),
        ("1.6.0", "candidate", ["test/cu132", "cu132"]),
        ("1.6.0", "release", ["cu132", "test/cu132"]),
        ("1.6.0", "nightly", ["nightly/cu132", "cu132", "test/cu132"]),
    ],
)
def test_build_jobs_search_the_test_index_for_a_release_pin(
    pin: str, channel: str | None, expected: list[str]
) -> None:
    words = [
        "indexes",
        "--pin",
        pin,
        "--row",
        "cu132",
        *(["--channel", channel] if channel else []),
    ]
    ran = release(*words)
    assert ran.lines == [f"{PYTORCH}/{path}" for path in expected]
    with_library = release(*words, "--inference-library")
    assert with_library.lines == [*ran.lines, NVIDIA]
    assert [e["url"] for e in release(*words, "--json").json["indexes"]] == ran.lines


@pytest.mark.parametrize(
    ("version", "row", "own"),
    [
        ("1.6.0", "cu132", []),
        ("1.5.1+cpu", "cu132", []),
        ("1.6.0+custom", "cu132", []),
        ("1.6.0a0+git1234567", "cu132", []),
        ("1.6.0+cu134", "cu134", [f"{PYTORCH}/cu134", f"{PYTORCH}/test/cu134"]),
        ("1.6.0+cu126", "cu126", []),
        (NIGHTLY_PIN + "+cu130", "cu130", [f"{PYTORCH}/nightly/cu130"]),
        (NIGHTLY_PIN, "cu130", [f"{PYTORCH}/nightly/cu130"]),
    ],
)
def test_arguments_that_find_the_parts_again(version: str, row: str, own: list[str]) -> None:
    made_arguments = part_install_arguments(version, row)
    assert urls(made_arguments["executorch"]) == own
    assert made_arguments["torch"] == made_arguments["executorch"]
    assert urls(made_arguments["tensorrt"]) == [NVIDIA]
    assert made_arguments["cuda_runtime"] == []


def test_addresses_are_the_datas() -> None:
    document = {**RECORDED, "indexes": [dict(entry) for entry in RECORDED["indexes"]]}
    document["indexes"][2]["url"] = "file:///mirror/{row}/test"
    moved = parse_policy(document)
    described = wheel(VERSIONS["candidate"], index="test")
    message = delegate_message(moved, described, parse_version("0.2.0", ""), None)
    assert urls(shlex.split(message.command))[0] == "file:///mirror/cu132/test"
