"""version.txt is the only place of the version, and nothing tracked knows the machine it was written on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "version.txt").read_text().strip()

# Code and configuration that is built, packed or released; tests and pages speak of versions that were.
SOURCES = (
    "CMakeLists.txt",
    "Makefile",
    "benchmarks",
    "cmake",
    "exporter",
    "include",
    "packaging",
    "programs",
    "pyproject.toml",
    "python",
    "release",
    "scripts",
    "src",
    "standins",
    "tools",
)
# A deprecation names the version that began it, which stays when the version moves on.
PAST = re.compile(r"deprecated since \S+")


def tracked(*folders: str) -> dict[str, str]:
    """Text of what git tracks; files that are not text are left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        data = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in data:
            found[name] = data.decode("utf-8", "replace")
    assert found
    return found


def lines_with(files: dict[str, str], pattern: str) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, PAST.sub("", line))
    ]


def test_the_version_is_one() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+|\.dev\d+)?", VERSION)


def test_no_source_repeats_the_version() -> None:
    assert not lines_with(tracked(*SOURCES), rf"(?<![\w.]){re.escape(VERSION)}(?![\w.])")


def test_the_project_takes_its_version_from_the_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert {"version.txt"} == {
        m["input"] for m in project["tool"]["dynamic-metadata"] if "input" in m
    }


def test_the_changelog_knows_the_version() -> None:
    assert re.search(rf"^## .*{re.escape(VERSION)}", (ROOT / "docs/changelog.md").read_text(), re.M)


def test_no_path_of_this_machine_is_tracked() -> None:
    """Of whichever machine the test runs on: the checkout, and the home of who runs it."""
    places = {str(ROOT), str(ROOT.parent), str(Path.home())} - {
        "/",
        "/root",
        "/home",
        "/tmp",
        "/src",
    }
    pattern = "|".join(rf"{re.escape(place)}(?![\w-])" for place in sorted(places))
    assert not pattern or not lines_with(tracked(), rf"(?<![\w.\-/])(?:{pattern})")


def test_index_hosts_are_written_in_the_release_data_only() -> None:
    """What installers are told comes from release/channels.json; locks and settings name no index."""
    indexes = json.loads((ROOT / "release/channels.json").read_text())["indexes"]
    hosts = {urlsplit(index["url"]).hostname for index in indexes if index.get("url")}
    assert hosts
    files = {
        name: text
        for name, text in tracked().items()
        if name != "release/channels.json"
        and name != "docs/install.md"  # generated from it
        and not name.startswith("tests/release/")  # compares what was generated
    }
    pattern = "|".join(re.escape(str(host)) for host in sorted(map(str, hosts)))
    assert not lines_with(files, pattern)


def test_locks_name_no_index() -> None:
    locks = tracked("requirements")
    assert not lines_with(locks, r"index-url|https?://")
