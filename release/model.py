"""What the data says, as values: channels, indexes, rows, platforms, targets, the pin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from .refusal import Refusal
from .versions import Version

DEFAULT_INDEX = "pypi"
INFERENCE_LIBRARY = "inference_library"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Row:
    name: str
    cuda: str
    older: bool


@dataclass(frozen=True)
class Platform:
    """why says why no delegate is built; empty where one is."""

    name: str
    title: str
    delegate: bool
    why: str = ""


@dataclass(frozen=True)
class Index:
    """url is a template over {row}; empty for the default index, which is never spelled."""

    name: str
    title: str
    url: str = ""

    def url_for(self, row: str) -> str:
        return self.url.format(row=row)


@dataclass(frozen=True)
class Channel:
    name: str
    title: str
    pin: str
    extra_names_delegate_on: str
    carried_on: tuple[str, ...]
    pytorch_index: str
    install_indexes: tuple[str, ...]
    pre: bool
    drop_older_rows: bool


@dataclass(frozen=True)
class Target:
    """every_python: one build per Python; else one per row and platform, first Python present."""

    rows: tuple[str, ...]
    pythons: tuple[str, ...]
    every_python: bool
    platforms: tuple[str, ...]


@dataclass(frozen=True)
class Pin:
    """The ExecuTorch everything is built against; version and commit name the same build."""

    version: Version
    commit: str = ""

    @property
    def kind(self) -> str:
        return self.version.channel


@dataclass(frozen=True)
class Policy:
    main: str
    extra: str
    delegate: str
    executorch: str
    torch: str
    guide: str
    pypi_row: str
    rows: dict[str, Row]
    platforms: dict[str, Platform]
    indexes: dict[str, Index]
    channels: dict[str, Channel]
    pin_indexes: dict[str, tuple[str, ...]]
    targets: dict[str, Target]

    def row(self, name: str, subject: str = "--row") -> Row:
        return _known(self.rows, name, subject, "a CUDA row")

    def channel(self, name: str, subject: str = "--channel") -> Channel:
        return _known(self.channels, name, subject, "a channel")

    def index(self, name: str, channel: str, subject: str = "--index") -> Index:
        """name is an index a wheel can be for; "pytorch" is the channel's own PyTorch index."""
        if name == "pytorch":
            name = self.channels[channel].pytorch_index
        publishing = {i for c in self.channels.values() for i in (*c.carried_on, c.pytorch_index)}
        choices = {key: value for key, value in self.indexes.items() if key in publishing}
        if name not in choices:
            raise Refusal(
                subject, f"{name!r} is not an index a wheel can be for", [*choices, "pytorch"]
            )
        return choices[name]

    def platform(self, text: str, subject: str = "--platform") -> Platform:
        """text is a wheel's platform tag or what sysconfig.get_platform() says."""
        name = canonical_platform(text)
        if name is None:
            raise Refusal(
                subject,
                f"{text!r} is not a platform",
                [*self.platforms, "any other platform tag a wheel can carry"],
            )
        why = "no delegate is built for this platform"
        return self.platforms.get(name, Platform(name, name, False, why))


def _known(table: Mapping[str, _Value], name: str, subject: str, what: str) -> _Value:
    if name not in table:
        raise Refusal(subject, f"{name!r} is not {what}", table)
    return table[name]


_LINUX_ARCHES = "x86_64|aarch64|i686|armv7l|ppc64le|s390x|riscv64|loongarch64"
_PLATFORMS = (
    (re.compile(rf"(?:many)?linux(?:1|2010|2014|_\d+_\d+)?_({_LINUX_ARCHES})"), r"linux_\1"),
    (re.compile(rf"musllinux_\d+_\d+_({_LINUX_ARCHES})"), r"musllinux_\1"),
    (re.compile(r"win(?:dows)?_(?:amd64|x86_64)|windows"), "win_amd64"),
    (re.compile(r"win32"), "win32"),
    (re.compile(r"win(?:dows)?_arm64"), "win_arm64"),
    (re.compile(r"macosx_\d+_\d+_(x86_64|arm64|universal2)"), r"macosx_\1"),
)


def canonical_platform(text: str) -> str | None:
    spelled = re.sub(r"[-.]", "_", text.lower())
    for pattern, name in _PLATFORMS:
        match = pattern.fullmatch(spelled)
        if match:
            return match.expand(name)
    return None
