"""channels.json and pin.json: read whole, or refused with the key that is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from release.data import CHANNELS_FILE, load_delegate_version, load_pin, parse_policy
from release.model import canonical_platform
from release.refusal import Refusal

from .support import policy

Document = dict[str, Any]
RECORDED: Document = json.loads(CHANNELS_FILE.read_text(encoding="utf-8"))


def changed(change: Callable[[Document], object]) -> Document:
    document = copy.deepcopy(RECORDED)
    change(document)
    return document


def set_at(path: str, value: object) -> Callable[[Document], object]:
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]

    def change(document: Document) -> None:
        node: Any = document
        for part in way:
            node = node[part]
        node[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (set_at("pypi_row", "cu999"), "pypi_row: 'cu999' found; allowed: cu130, cu132, cu134"),
        (set_at("pypi_row", "cu130"), "pypi_row: cu130 is an older row"),
        (set_at("pypi_row", ["cu132"]), "pypi_row: list found"),
        (set_at("rows.0.cuda", "13.1"), "rows cu130: CUDA 13.1 found"),
        (set_at("rows.0.older", "yes"), "rows cu130: older: str found; allowed: bool"),
        (set_at("rows.1.row", "cu130"), "rows: 'cu130' twice"),
        (set_at("rows.1.color", "red"), "rows cu132: unknown key color"),
        (set_at("platforms.2.why", ""), "platforms win_amd64: why is ''"),
        (set_at("platforms.0.why", "no"), "platforms linux_x86_64: why is 'no'"),
        (set_at("indexes.0.url", "x"), "indexes pypi: url is 'x'"),
        (set_at("indexes.1.url", ""), "indexes nightly: url is ''"),
        (set_at("indexes.4.index", "nvidia"), "indexes: no 'inference_library'"),
        (set_at("channels.0.pin", "candidate"), "channels nightly: pin: 'candidate' found"),
        (set_at("channels.0.carried_on", ["test"]), "names what is not carried"),
        (set_at("channels.0.carried_on", []), "carried_on: an empty list"),
        (set_at("channels.0.channel", "daily"), "channels: daily, candidate, release"),
        (set_at("channels.0.install.indexes", ["pypi"]), "install: indexes: 'pypi' found"),
        (set_at("targets.wheel.rows", ["cu126"]), "targets wheel: rows: 'cu126' found"),
        (set_at("targets.wheel.pythons", [3.11]), "targets wheel: pythons: 3.11 found"),
        (set_at("targets.image", {}), "targets: unknown key image"),
        (set_at("pin_indexes.nightly", ["night"]), "pin_indexes: nightly: 'night' found"),
        (set_at("note", "?"), "channels.json: unknown key note"),
        (lambda document: document.pop("torch"), "channels.json: torch: nothing found"),
    ],
)
def test_a_wrong_file_is_refused_by_its_key(
    change: Callable[[Document], object], told: str
) -> None:
    with pytest.raises(Refusal) as caught:
        parse_policy(changed(change))
    assert told in str(caught.value)


@pytest.mark.parametrize("document", [[], "x", None])
def test_what_is_no_object_is_refused(document: object) -> None:
    with pytest.raises(Refusal, match="allowed: an object"):
        parse_policy(document)


def test_moving_the_row_of_the_default_index_is_one_line() -> None:
    lines = CHANNELS_FILE.read_text(encoding="utf-8").splitlines()
    moved = [line.replace('"pypi_row": "cu132"', '"pypi_row": "cu134"') for line in lines]
    assert sum(a != b for a, b in zip(lines, moved, strict=True)) == 1
    assert parse_policy(json.loads("\n".join(moved))).pypi_row == "cu134"


def test_only_the_default_index_has_no_address() -> None:
    assert [name for name, index in policy().indexes.items() if not index.url] == ["pypi"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"version": "1.6.0"}', "commit: nothing found"),
        ('{"version": "1.6.0", "commit": "abc"}', "'abc' is not a commit"),
        ('{"version": "1.6.0rc1", "commit": "%s"}' % ("a" * 40), "cannot be a pin"),
        ('{"version": "1.6.0", "commit": "%s", "x": 1}' % ("a" * 40), "unknown key x"),
        ("{", "is not JSON"),
    ],
)
def test_a_wrong_pin_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "pin.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Refusal) as caught:
        load_pin(path)
    assert told in str(caught.value)


def test_a_version_file_holds_a_plain_version(tmp_path: Path) -> None:
    path = tmp_path / "version.txt"
    path.write_text("0.2.0.dev20261130\n", encoding="utf-8")
    with pytest.raises(Refusal, match=r"version\.txt"):
        load_delegate_version(path)
    with pytest.raises(Refusal, match="cannot be read"):
        load_delegate_version(tmp_path / "nowhere.txt")


@pytest.mark.parametrize("text", ["", "linux", "x86_64", "linux_x86-46", "win", "linux_x86_64_"])
def test_what_is_no_platform(text: str) -> None:
    assert canonical_platform(text) is None
