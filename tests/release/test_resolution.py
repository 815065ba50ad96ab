"""What real pip and real uv install from stand-in indexes, with the policy's extras in the wheels.

The commands are the guide's and the messages', run as they are printed.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from .local_indexes import Indexes, Installers, StandIn, delegate_wheel, freeze, serve
from .published import (
    CANDIDATE,
    NIGHTLY,
    executorch,
    publish_candidate,
    publish_default,
    publish_nightly,
    publish_stable,
    write,
)
from .support import DELEGATE, NIGHTLY_PIN, Ran, describe, release

TOOLS = ("pip", "uv")
PARTS = ("torch-tensorrt", DELEGATE, "executorch", "torch")
EXPECTED = {
    "release": ("2.15.0", "0.2.1", "1.6.0", "2.15.0"),
    "candidate": ("2.16.0rc3+cu132", "0.2.0rc3+cu132", "1.6.0+cu132", "2.16.0+cu132"),
    "nightly": (
        "2.16.0.dev20261130+cu132",
        "0.2.0.dev20261130+cu132",
        f"{NIGHTLY_PIN}+cu132",
        "2.16.0.dev20261130+cu132",
    ),
}


@pytest.fixture
def indexes(tmp_path: Path) -> Iterator[Indexes]:
    with serve(tmp_path / "served") as served:
        publish_default(served)
        yield served


@pytest.fixture
def installers(indexes: Indexes, tmp_path: Path) -> Installers:
    return Installers(indexes, tmp_path)


def guide_commands() -> dict[str, str]:
    """The command under each channel's heading of the guide."""
    found, heading = {}, ""
    lines = iter(release("guide").lines)
    for line in lines:
        if line.startswith("## "):
            heading = line[3:]
        if line == "```bash":
            found[heading] = next(lines)
    return {
        "release": found["Release"],
        "candidate": found["Release candidate"],
        "nightly": found["Nightly"],
    }


def parts(versions: dict[str, str]) -> tuple[str | None, ...]:
    return tuple(versions.get(name) for name in PARTS)


def verify(tmp_path: Path, versions: dict[str, str], code: int, **described: str) -> Ran:
    path = write(tmp_path, freeze(versions))
    words = (*describe(**described), "--delegate-version", "0.2.0", "--resolution", path)
    return release("verify", *words, code=code)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("channel", EXPECTED)
def test_the_documented_command_of_each_channel(
    installers: Installers, tmp_path: Path, tool: str, channel: str
) -> None:
    publish_candidate(installers.indexes, "cu130", "cu132", "cu134")
    publish_nightly(installers.indexes, "cu130", "cu132", "cu134")
    publish_stable(installers.indexes, "cu134")
    resolved = installers.run(tool, guide_commands()[channel])
    assert resolved.code == 0, resolved.output
    assert parts(resolved.versions) == EXPECTED[channel]
    described = {
        "release": {},
        "candidate": {"version": CANDIDATE, "index": "test"},
        "nightly": {"version": NIGHTLY, "pin": NIGHTLY_PIN, "index": "nightly"},
    }[channel]
    assert verify(tmp_path, resolved.versions, 0, **described).err == ""


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("pattern", "named"),
    [("torch_tensorrt_executorch_runtime-0.2*", DELEGATE), ("executorch-1.6*", "executorch")],
)
def test_what_an_installer_does_when_one_wheel_is_missing(
    installers: Installers, tmp_path: Path, tool: str, pattern: str, named: str
) -> None:
    """It takes an older torch-tensorrt, and says nothing: the reason for this whole policy."""
    installers.indexes.remove("pypi", "any", pattern)
    resolved = installers.run(tool, guide_commands()["release"])
    assert resolved.code == 0
    assert parts(resolved.versions) == ("2.14.0", None, "1.5.1", "2.14.0")
    assert "ERROR" not in resolved.output
    caught = verify(tmp_path, resolved.versions, 1)
    assert "torch-tensorrt is 2.14.0, not 2.15.0" in caught.err
    assert f"{named} is " in caught.err
    exact = release("install-command", *describe()).out
    refused = installers.run(tool, exact)
    assert refused.code != 0
    assert refused.versions == {}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("channel", "index", "pin", "version"),
    [
        ("nightly", "nightly", "1.6.0", NIGHTLY),
        ("candidate", "test", "1.6.0.dev20261129", CANDIDATE),
    ],
)
def test_the_policy_leaves_out_what_its_index_lacks(
    installers: Installers, tool: str, channel: str, index: str, pin: str, version: str
) -> None:
    """The other pin kind has no delegate on the channel's index, so the extra must not ask."""
    row = "cu132"
    lines = release("extras", *describe(version=version, index=index, pin=pin)).lines
    main = StandIn(
        "torch-tensorrt", f"{version}+{row}", ("tensorrt-cu13",), {"executorch": tuple(lines)}
    )
    installers.indexes.add(index, row, main, executorch(f"{pin}+{row}"))
    command = guide_commands()[channel]
    resolved = installers.run(tool, command)
    assert resolved.code == 0, resolved.output
    assert parts(resolved.versions)[:2] == (f"{version}+{row}", None)
    assert resolved.versions["executorch"].startswith("1.6.0")

    naming = StandIn(
        main.name,
        main.version,
        main.requires,
        {"executorch": (*lines, f"{DELEGATE}==0.2.0.dev20261130+{row}")},
    )
    installers.indexes.add(index, row, naming)
    without_policy = installers.run(tool, command)
    assert without_policy.versions.get("torch-tensorrt") != f"{version}+{row}"


@pytest.mark.parametrize("tool", TOOLS)
def test_windows_from_the_default_index_stays_on_its_release(
    indexes: Indexes, installers: Installers, tool: str
) -> None:
    """Its extra is the Windows one; the delegate is not there for it, so it must not be named."""
    indexes.remove("pypi", "any", "torch_tensorrt_executorch_runtime-0.2*")
    indexes.remove("pypi", "any", "torch_tensorrt-2.15*")
    publish_default(indexes, platform="win_amd64")
    indexes.remove("pypi", "any", "torch_tensorrt_executorch_runtime-0.2*")
    resolved = installers.run(tool, guide_commands()["release"])
    assert parts(resolved.versions) == ("2.15.0", None, "1.6.0", "2.15.0")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_row_of_the_stable_index_gets_its_delegate_by_the_message_s_command(
    installers: Installers, tmp_path: Path, tool: str
) -> None:
    publish_stable(installers.indexes, "cu134")
    described = {"row": "cu134", "index": "stable"}
    environment = installers.fresh()
    main = (
        "python -m pip install torch-tensorrt[executorch]==2.15.0+cu134 --extra-index-url "
        "https://download.pytorch.org/whl/cu134 --extra-index-url https://pypi.nvidia.com"
    )
    before = installers.run(tool, main, environment)
    assert parts(before.versions) == ("2.15.0+cu134", None, "1.6.0+cu134", "2.15.0+cu134")
    command = release("install-command", *describe(**described), "--delegate-version", "0.2.0").out
    after = installers.run(tool, command, environment)
    assert parts(after.versions) == (
        "2.15.0+cu134",
        "0.2.0+cu134",
        "1.6.0+cu134",
        "2.15.0+cu134",
    )
    assert verify(tmp_path, after.versions, 0, **described).err == ""


@pytest.mark.parametrize("tool", TOOLS)
def test_two_rows_on_offer_do_not_mix(installers: Installers, tmp_path: Path, tool: str) -> None:
    """cu134 lost its delegate; an unlabelled requirement would have taken cu132's beside it."""
    publish_candidate(installers.indexes, "cu132", "cu134")
    installers.indexes.remove("test", "cu134", "torch_tensorrt_executorch_runtime*")
    command = guide_commands()["candidate"]
    both = command.replace(
        "--extra-index-url",
        "--extra-index-url https://download.pytorch.org/whl/test/cu134 --extra-index-url",
        1,
    )
    if tool == "uv":
        both += " --index-strategy unsafe-best-match"
    resolved = installers.run(tool, both)
    assert resolved.code == 0, resolved.output
    assert resolved.versions["torch-tensorrt"] == "2.16.0rc3+cu132"
    assert resolved.versions[DELEGATE] == "0.2.0rc3+cu132"


def test_mixed_rows_are_caught_afterwards(installers: Installers, tmp_path: Path) -> None:
    """A careless extra, without versions: the highest delegate is the default index's, of cu132."""
    publish_candidate(installers.indexes, "cu132", "cu134")
    installers.indexes.remove("test", "cu134", "torch_tensorrt_executorch_runtime*")
    careless = StandIn(
        "torch-tensorrt",
        "2.16.0rc3+cu134",
        ("torch", "tensorrt-cu13"),
        {"executorch": ("executorch>=1.6.0,<1.7", DELEGATE)},
        "py3-none-manylinux_2_17_x86_64",
    )
    installers.indexes.add("test", "cu134", careless)
    command = guide_commands()["candidate"].replace(
        "--extra-index-url",
        "--extra-index-url https://download.pytorch.org/whl/test/cu134 --extra-index-url",
        1,
    )
    resolved = installers.run("pip", command)
    assert resolved.versions["torch-tensorrt"] == "2.16.0rc3+cu134"
    assert resolved.versions[DELEGATE] == "0.2.1"
    described = {"version": CANDIDATE, "index": "test", "row": "cu134"}
    caught = verify(tmp_path, resolved.versions, 1, **described)
    assert "CUDA rows are mixed" in caught.err
    assert f"{DELEGATE} 0.2.1 is cu132" in caught.err


RIGHT = dict(zip(PARTS, EXPECTED["release"], strict=True))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ""),
        ({"torch-tensorrt": "2.14.0"}, "torch-tensorrt is 2.14.0, not 2.15.0"),
        ({"torch-tensorrt": ""}, "torch-tensorrt is absent, not 2.15.0"),
        ({"executorch": "1.5.1"}, "executorch is 1.5.1, not >=1.6.0,<1.7"),
        ({"executorch": "1.7.0.dev20261201"}, "executorch is 1.7.0.dev20261201, not"),
        ({"executorch": ""}, "executorch is absent"),
        ({"executorch": "strange"}, "executorch is strange, not"),
        ({DELEGATE: "0.1.0"}, f"{DELEGATE} is 0.1.0, and the extra names"),
        ({DELEGATE: ""}, f"{DELEGATE} is absent, and the extra names"),
        ({"executorch": "1.6.0+cpu"}, "executorch 1.6.0+cpu is cpu"),
        ({"torch": "2.15.0+cu130"}, "torch 2.15.0+cu130 is cu130"),
        ({"torch-tensorrt": "2.15.0+cu134"}, "torch-tensorrt 2.15.0+cu134 is cu134"),
    ],
)
def test_each_thing_that_verify_looks_at(tmp_path: Path, change: dict[str, str], told: str) -> None:
    versions = {name: version for name, version in {**RIGHT, **change}.items() if version}
    ran = verify(tmp_path, versions, 1 if told else 0)
    assert told in ran.err
    assert bool(ran.out) != bool(told)


def test_verify_reads_pip_s_report(installers: Installers, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    command = guide_commands()["release"] + f" --dry-run --report {shlex.quote(str(path))}"
    assert installers.run("pip", command).code == 0
    words = ("verify", *describe(), "--delegate-version", "0.2.0", "--resolution", path)
    document = release(*words, "--json").json
    assert document == {"versions": RIGHT, "findings": []}
    path.write_text(json.dumps({"install": [{}]}), encoding="utf-8")
    assert "no pip report" in release(*words, code=2).err
    path.write_text("# nothing\n", encoding="utf-8")
    assert "no package in it" in release(*words, code=2).err


def test_a_wheel_without_the_delegate_is_not_asked_for_one(tmp_path: Path) -> None:
    versions = {name: version for name, version in RIGHT.items() if name != DELEGATE}
    assert verify(tmp_path, versions, 0, platform="win_amd64").err == ""


@pytest.mark.parametrize("tool", TOOLS)
def test_folders_without_a_server_resolve_alike(
    installers: Installers, tmp_path: Path, tool: str
) -> None:
    """--find-links, the way a person tries a release on one machine."""
    installers.indexes.add("pypi", "any", StandIn("tensorrt-cu13", "11.4.0.106"))
    folder = shlex.quote(str(installers.indexes.folder("pypi", "any")))
    command = f"python -m pip install torch-tensorrt[executorch] --no-index --find-links {folder}"
    resolved = installers.run(tool, command)
    assert parts(resolved.versions) == EXPECTED["release"]
    later = delegate_wheel("0.3.0", "1.7.0")
    installers.indexes.add("pypi", "any", later, executorch("1.7.0"))
    assert parts(installers.run(tool, command).versions) == EXPECTED["release"]
