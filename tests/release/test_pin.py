"""The pin tracker on recorded listings: what it moves to, what it refuses, what it says."""

from __future__ import annotations

import itertools
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from .support import Ran, release

ROWS = ("cu130", "cu132", "cu134")
MACHINES = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64")
PYTHONS = ("310", "311", "312", "313", "314")
PINNED = "1.6.0.dev20261120"
OLD_COMMIT, NEW_COMMIT = "a" * 40, "b" * 40


def files(
    version: str,
    rows: Iterable[str] = ROWS,
    machines: Iterable[str] = MACHINES,
    pythons: Iterable[str] = PYTHONS,
) -> list[str]:
    return [
        f"executorch-{version}+{row}-cp{python}-cp{python}-{machine}.whl"
        for row, machine, python in itertools.product(rows, machines, pythons)
    ]


def page(names: Iterable[str]) -> str:
    links = "\n".join(
        f'<a href="/whl/nightly/{quote(name)}#sha256={"0" * 64}">{name}</a><br/>' for name in names
    )
    return f"<!DOCTYPE html><html><body><h1>Links for executorch</h1>{links}</body></html>"


class Tracker:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pin = folder / "pin.json"
        self.set(PINNED)

    def set(self, version: str) -> None:
        self.pin.write_text(json.dumps({"version": version, "commit": OLD_COMMIT}))

    def run(self, names: list[str], *flags: object, code: int = 0) -> Ran:
        listing = self.folder / "listing.html"
        listing.write_text(page(names), encoding="utf-8")
        return self.run_on([listing], *flags, code=code)

    def run_on(self, listings: list[Path], *flags: object, code: int = 0) -> Ran:
        return release("pin", "--listing", *listings, "--pin-file", self.pin, *flags, code=code)

    @property
    def pinned(self) -> tuple[str, str]:
        document = json.loads(self.pin.read_text(encoding="utf-8"))
        return document["version"], document["commit"]

    @property
    def unmoved(self) -> bool:
        return self.pinned == (PINNED, OLD_COMMIT)


@pytest.fixture
def tracker(tmp_path: Path) -> Tracker:
    return Tracker(tmp_path)


def executorch_wheel(folder: Path, version: str, commit: str = NEW_COMMIT) -> Path:
    path = folder / f"executorch-{version}-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "executorch/version.py",
            f"from typing import Optional\n__version__ = {version!r}\n"
            f"git_version: Optional[str] = {commit!r}\n",
        )
    return path


def test_it_moves_to_the_newest_nightly_with_its_commit(tracker: Tracker, tmp_path: Path) -> None:
    names = [*files(PINNED), *files("1.6.0.dev20261125"), *files("1.6.0.dev20261128")]
    wheel = executorch_wheel(tmp_path, "1.6.0.dev20261128+cu132")
    ran = tracker.run(names, "--wheel", wheel)
    assert tracker.pinned == ("1.6.0.dev20261128", NEW_COMMIT)
    assert ran.lines == [f"moved the pin from {PINNED} to 1.6.0.dev20261128 (commit {NEW_COMMIT})"]
    again = tracker.run(names)
    assert again.lines == ["kept the pin: 1.6.0.dev20261128 is the newest"]


@pytest.mark.parametrize(
    ("short", "lacks"),
    [
        (
            files("1.6.0.dev20261128", rows=("cu130", "cu132")),
            "lacks cu134 on linux_x86_64, cu134 on linux_aarch64",
        ),
        (
            files("1.6.0.dev20261128", machines=MACHINES[:1])
            + files("1.6.0.dev20261128", rows=("cu130", "cu134")),
            "lacks cu132 on linux_aarch64",
        ),
        (
            files("1.6.0.dev20261128", pythons=PYTHONS[:-1])
            + files("1.6.0.dev20261128", rows=("cu130", "cu132")),
            "lacks cu134 on linux_x86_64 for Python 3.14, cu134 on linux_aarch64 for Python 3.14",
        ),
        (
            [
                "executorch-1.6.0.dev20261128+cpu-cp311-cp311-manylinux_2_28_x86_64.whl",
                "executorch-1.6.0.dev20261128-cp311-cp311-macosx_12_0_arm64.whl",
            ],
            "has no CUDA build",
        ),
        (files("1.6.0.dev20261128", pythons=("314t",)), "has no CUDA build"),
    ],
)
def test_a_nightly_that_misses_a_build_is_passed_over(
    tracker: Tracker, short: list[str], lacks: str
) -> None:
    short = [name.replace("-cp314t-cp314t", "-cp314-cp314t") for name in short]
    names = [*files(PINNED), *files("1.6.0.dev20261125"), *short]
    ran = tracker.run(names, "--commit", NEW_COMMIT)
    assert tracker.pinned == ("1.6.0.dev20261125", NEW_COMMIT)
    assert f"not taken: 1.6.0.dev20261128: {lacks}" in ran.out


def test_nothing_newer_that_is_whole_keeps_the_pin(tracker: Tracker) -> None:
    names = [*files(PINNED), *files("1.6.0.dev20261128", rows=("cu134",))]
    ran = tracker.run(names)
    assert tracker.unmoved
    assert ran.lines[0] == f"kept the pin {PINNED}: nothing newer will do"
    assert "lacks cu130 on linux_x86_64, cu130 on linux_aarch64, cu132" in ran.lines[1]


def test_backwards_only_when_asked(tracker: Tracker) -> None:
    names = files("1.6.0.dev20261101")
    ran = tracker.run(names, "--commit", NEW_COMMIT, code=1)
    assert tracker.unmoved
    assert f"kept the pin {PINNED}: refused" in ran.out
    assert f"1.6.0.dev20261101: older than the pin {PINNED}; --allow-backwards" in ran.out
    tracker.run(names, "--commit", NEW_COMMIT, "--allow-backwards")
    assert tracker.pinned == ("1.6.0.dev20261101", NEW_COMMIT)


def test_across_a_minor_only_when_asked(tracker: Tracker) -> None:
    names = [*files(PINNED), *files("1.7.0.dev20261128")]
    ran = tracker.run(names, "--commit", NEW_COMMIT)
    assert tracker.unmoved
    assert "1.7.0.dev20261128: leaves 1.6 for 1.7; --allow-minor takes it" in ran.out
    tracker.run(names, "--commit", NEW_COMMIT, "--allow-minor")
    assert tracker.pinned == ("1.7.0.dev20261128", NEW_COMMIT)


def test_a_newer_minor_does_not_hide_the_newest_of_its_own(tracker: Tracker) -> None:
    names = [*files("1.6.0.dev20261125"), *files("1.7.0.dev20261128")]
    tracker.run(names, "--commit", NEW_COMMIT)
    assert tracker.pinned == ("1.6.0.dev20261125", NEW_COMMIT)


def test_candidates_and_releases_are_no_nightlies(tracker: Tracker) -> None:
    names = [*files(PINNED), *files("1.6.0rc1"), *files("1.6.0"), *files("1.6.0.post1")]
    assert tracker.run(names).lines == [f"kept the pin: {PINNED} is the newest"]


def test_a_release_is_taken_when_it_is_named(tracker: Tracker) -> None:
    names = [*files(PINNED), *files("1.6.0")]
    tracker.run(names, "--to", "1.6.0", "--commit", NEW_COMMIT)
    assert tracker.pinned == ("1.6.0", NEW_COMMIT)


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("1.6.0.dev20261101", "older than the pin"),
        ("1.7.0", "leaves 1.6 for 1.7"),
        ("1.6.1", "has no CUDA build"),
    ],
)
def test_a_named_version_meets_the_same_rules(tracker: Tracker, to: str, why: str) -> None:
    names = [*files("1.6.0.dev20261101"), *files("1.7.0")]
    ran = tracker.run(names, "--to", to, "--commit", NEW_COMMIT, code=1)
    assert tracker.unmoved
    assert f"not taken: {to}: {why}" in ran.out


def test_a_release_pin_is_not_left_for_an_older_nightly(tracker: Tracker) -> None:
    tracker.set("1.6.0")
    ran = tracker.run(files("1.6.0.dev20261128"), "--commit", NEW_COMMIT, code=1)
    assert tracker.pinned == ("1.6.0", OLD_COMMIT)
    assert "older than the pin 1.6.0" in ran.out


def test_version_and_commit_move_together_or_not_at_all(tracker: Tracker, tmp_path: Path) -> None:
    names = files("1.6.0.dev20261128")
    ran = tracker.run(names, code=2)
    assert tracker.unmoved
    assert "argument --wheel: the pin would move to 1.6.0.dev20261128 without its source" in ran.err
    wrong = executorch_wheel(tmp_path, "1.6.0.dev20261127+cu132")
    assert "is not 1.6.0.dev20261128" in tracker.run(names, "--wheel", wrong, code=2).err
    nameless = executorch_wheel(tmp_path, "1.6.0.dev20261128+cu130", "None")
    assert "'None' is not a commit" in tracker.run(names, "--wheel", nameless, code=2).err
    assert "'abc' is not a commit" in tracker.run(names, "--commit", "abc", code=2).err
    broken = tmp_path / "executorch-1.6.0.dev20261128-cp311-cp311-linux_x86_64.whl"
    broken.write_bytes(b"PK")
    assert "cannot be read" in tracker.run(names, "--wheel", broken, code=2).err
    other = tmp_path / "torch-1.0-py3-none-any.whl"
    assert "is no ExecuTorch wheel" in tracker.run(names, "--wheel", other, code=2).err
    assert tracker.unmoved
    assert not list(tmp_path.glob("*.new"))


def test_a_dry_run_says_what_would_be_done(tracker: Tracker) -> None:
    ran = tracker.run(files("1.6.0.dev20261128"), "--dry-run")
    assert tracker.unmoved
    assert ran.lines == [f"would move the pin from {PINNED} to 1.6.0.dev20261128"]
    document = tracker.run(files("1.6.0.dev20261128"), "--dry-run", "--json").json
    assert document == {
        "outcome": "moved",
        "from": PINNED,
        "to": "1.6.0.dev20261128",
        "commit": OLD_COMMIT,
        "written": False,
        "not_taken": [],
    }


def test_listings_of_rows_are_taken_together(tracker: Tracker, tmp_path: Path) -> None:
    """One page per row, in each form an index or a person may give."""
    names = {row: files("1.6.0.dev20261128", rows=(row,)) for row in ROWS}
    forms = [
        page(names["cu130"]),
        json.dumps({"files": [{"filename": name, "yanked": False} for name in names["cu132"]]}),
        "\n".join(names["cu134"]),
    ]
    listings = []
    for number, text in enumerate(forms):
        listings.append(tmp_path / f"listing{number}")
        listings[-1].write_text(text, encoding="utf-8")
    ran = tracker.run_on(listings[:2], "--commit", NEW_COMMIT, code=0)
    assert "lacks cu134" in ran.out
    assert tracker.unmoved
    tracker.run_on(listings, "--commit", NEW_COMMIT)
    assert tracker.pinned == ("1.6.0.dev20261128", NEW_COMMIT)


def test_yanked_files_are_not_on_offer(tracker: Tracker, tmp_path: Path) -> None:
    names = files("1.6.0.dev20261128")
    html = tmp_path / "yanked.html"
    html.write_text(page(names).replace("<a ", '<a data-yanked="bad" ', 1), encoding="utf-8")
    ran = tracker.run_on([html], "--commit", NEW_COMMIT)
    assert "lacks cu130 on linux_x86_64 for Python 3.10" in ran.out
    document: dict[str, Any] = {"files": [{"filename": name, "yanked": "bad"} for name in names]}
    document["files"] += [{"filename": name} for name in files(PINNED)]
    path = tmp_path / "yanked.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert tracker.run_on([path]).lines == [f"kept the pin: {PINNED} is the newest"]


@pytest.mark.parametrize("text", ["", "<html></html>", '{"files": []}', "torch-2.15.0-py3.whl"])
def test_the_wrong_listing_is_refused(tracker: Tracker, tmp_path: Path, text: str) -> None:
    path = tmp_path / "listing"
    path.write_text(text, encoding="utf-8")
    assert "no wheel of executorch in it" in tracker.run_on([path], code=2).err
    path.write_text('{"files": 3}', encoding="utf-8")
    assert "not a PEP 691 listing" in tracker.run_on([path], code=2).err


def test_no_nightly_at_all_is_refused(tracker: Tracker) -> None:
    ran = tracker.run(files("1.6.0"), code=1)
    assert "the listing offers no nightly" in ran.out
    assert tracker.unmoved


def test_without_a_listing_the_pin_is_shown(tracker: Tracker) -> None:
    ran = release("pin", "--pin-file", tracker.pin)
    assert ran.lines == [f"{PINNED} {OLD_COMMIT}"]
    assert release("pin", "--pin-file", tracker.pin, "--json").json["kind"] == "nightly"
