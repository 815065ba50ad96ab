"""channels.json and pin.json as values. A wrong file is refused with the key that is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .model import (
    DEFAULT_INDEX,
    INFERENCE_LIBRARY,
    Channel,
    Index,
    Pin,
    Platform,
    Policy,
    Row,
    Target,
)
from .refusal import Refusal
from .versions import CANDIDATE, NIGHTLY, RELEASE, Version, parse_version

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
CHANNELS_FILE = FOLDER / "channels.json"
PIN_FILE = FOLDER / "pin.json"
VERSION_FILE = ROOT / "version.txt"


class _Reader:
    """A JSON object whose keys are taken one by one; what is left over is a misspelling."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Refusal(where, f"{type(value).__name__} found", "an object")
        self.values, self.where = dict(value), where

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        value = self.values.pop(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            found = "nothing" if value is None else type(value).__name__
            raise Refusal(f"{self.where}: {key}", f"{found} found", kind.__name__)
        return value

    def names(self, key: str, known: Iterable[str] | None) -> tuple[str, ...]:
        values = tuple(self.take(key, list))
        for value in values:
            if not isinstance(value, str) or (known is not None and value not in known):
                raise Refusal(f"{self.where}: {key}", f"{value!r} found", known or "strings")
        if not values or len(set(values)) != len(values):
            raise Refusal(f"{self.where}: {key}", "an empty list or a repeated name", "names once")
        return values

    def name(self, key: str, known: Iterable[str]) -> str:
        value: str = self.take(key, str)
        if value not in known:
            raise Refusal(f"{self.where}: {key}", f"{value!r} found", known)
        return value

    def done(self) -> None:
        if self.values:
            raise Refusal(self.where, f"unknown key {', '.join(self.values)}", "", "remove it")


def _entries(reader: _Reader, key: str, naming: str) -> dict[str, _Reader]:
    entries: dict[str, _Reader] = {}
    for value in reader.take(key, list):
        entry = _Reader(value, f"{reader.where}: {key}")
        name: str = entry.take(naming, str)
        if name in entries:
            raise Refusal(entry.where, f"{name!r} twice", "each name once")
        entry.where += f" {name}"
        entries[name] = entry
    return entries


def _rows(reader: _Reader) -> dict[str, Row]:
    rows = {}
    for name, entry in _entries(reader, "rows", "row").items():
        row = Row(name, entry.take("cuda", str), entry.take("older", bool))
        entry.done()
        if name != "cu" + row.cuda.replace(".", ""):
            raise Refusal(entry.where, f"CUDA {row.cuda} found", "the CUDA version in the name")
        rows[name] = row
    return rows


def _platforms(reader: _Reader) -> dict[str, Platform]:
    platforms = {}
    for name, entry in _entries(reader, "platforms", "platform").items():
        delegate = entry.take("delegate", bool)
        why = entry.take("why", str, "")
        platforms[name] = Platform(name, entry.take("title", str), delegate, why)
        entry.done()
        if delegate == bool(why):
            raise Refusal(entry.where, f"why is {why!r}", "a reason where no delegate is built")
    return platforms


def _indexes(reader: _Reader) -> dict[str, Index]:
    indexes = {}
    for name, entry in _entries(reader, "indexes", "index").items():
        url = entry.take("url", str, "")
        indexes[name] = Index(name, entry.take("title", str), url)
        entry.done()
        if bool(url) == (name == DEFAULT_INDEX):
            raise Refusal(
                entry.where, f"url is {url!r}", "a URL for every index but the default one"
            )
    for name in (DEFAULT_INDEX, INFERENCE_LIBRARY):
        if name not in indexes:
            raise Refusal(f"{reader.where}: indexes", f"no {name!r}", f"an index {name}")
    return indexes


def _channels(reader: _Reader, indexes: dict[str, Index]) -> dict[str, Channel]:
    channels = {}
    for name, entry in _entries(reader, "channels", "channel").items():
        install = _Reader(entry.take("install", dict), f"{entry.where}: install")
        channels[name] = Channel(
            name,
            entry.take("title", str),
            entry.name("pin", (NIGHTLY, RELEASE)),
            entry.name("extra_names_delegate_on", indexes),
            entry.names("carried_on", indexes),
            entry.name("pytorch_index", indexes),
            install.names("indexes", [key for key in indexes if key != DEFAULT_INDEX]),
            install.take("pre", bool),
            entry.take("drop_older_rows", bool),
        )
        install.done()
        entry.done()
        if channels[name].extra_names_delegate_on not in channels[name].carried_on:
            raise Refusal(entry.where, "the extra names what is not carried", "an index that is")
    if set(channels) != {NIGHTLY, CANDIDATE, RELEASE}:
        raise Refusal(f"{reader.where}: channels", f"{', '.join(channels)}", "the three channels")
    return channels


def _targets(reader: _Reader, rows: Iterable[str], platforms: Iterable[str]) -> dict[str, Target]:
    targets = {}
    for name in ("wheel", "tarball"):
        entry = _Reader(reader.take(name, dict), f"{reader.where} {name}")
        targets[name] = Target(
            entry.names("rows", rows),
            entry.names("pythons", None),
            entry.take("every_python", bool),
            entry.names("platforms", platforms),
        )
        entry.done()
    reader.done()
    return targets


def parse_policy(document: Any, where: str = CHANNELS_FILE.name) -> Policy:
    reader = _Reader(document, where)
    reader.take("about", str, "")
    rows, platforms, indexes = _rows(reader), _platforms(reader), _indexes(reader)
    pins = _Reader(reader.take("pin_indexes", dict), f"{where}: pin_indexes")
    targets = _Reader(reader.take("targets", dict), f"{where}: targets")
    policy = Policy(
        **{
            key: reader.take(key, str)
            for key in ("main", "extra", "delegate", "executorch", "torch", "guide")
        },
        pypi_row=reader.name("pypi_row", rows),
        rows=rows,
        platforms=platforms,
        indexes=indexes,
        channels=_channels(reader, indexes),
        pin_indexes={kind: pins.names(kind, indexes) for kind in (NIGHTLY, RELEASE)},
        targets=_targets(targets, rows, platforms),
    )
    pins.done()
    reader.done()
    if rows[policy.pypi_row].older:
        raise Refusal(f"{where}: pypi_row", f"{policy.pypi_row} is an older row", "a current row")
    return policy


def read_json(path: Path, subject: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refusal(subject, f"{path} cannot be read: {error.strerror}", "a JSON file") from error
    except ValueError as error:
        raise Refusal(subject, f"{path} is not JSON: {error}", "a JSON file") from error


def load_policy(path: Path = CHANNELS_FILE) -> Policy:
    return parse_policy(read_json(path, path.name), path.name)


def pin_version(text: str, subject: str) -> Version:
    """An ExecuTorch pin: a nightly or a release, without a label, so that it serves every row."""
    version = parse_version(text, subject)
    if version.channel == CANDIDATE or version.label:
        raise Refusal(
            subject,
            f"{text!r} cannot be a pin",
            "a nightly X.Y.Z.devYYYYMMDD or a release X.Y.Z, without a label",
        )
    return version


def commit_hash(text: str, subject: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", text):
        raise Refusal(subject, f"{text!r} is not a commit", "forty hexadecimal digits")
    return text


def load_pin(path: Path = PIN_FILE) -> Pin:
    reader = _Reader(read_json(path, path.name), path.name)
    version = pin_version(reader.take("version", str), f"{path.name}: version")
    commit = commit_hash(reader.take("commit", str), f"{path.name}: commit")
    reader.done()
    return Pin(version, commit)


def load_delegate_version(path: Path = VERSION_FILE) -> Version:
    """The delegate's own version; nightlies and candidates are derived from it, never written."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise Refusal(path.name, f"cannot be read: {error.strerror}", "one line X.Y.Z") from error
    version = parse_version(text, path.name)
    if version.channel != RELEASE or version.label:
        raise Refusal(path.name, f"{text!r} found", "X.Y.Z")
    return version
