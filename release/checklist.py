"""The checklist of one version: what is built, which row's wheels go where, in which order."""

from __future__ import annotations

from dataclasses import dataclass

from .extras import extra_lines
from .matrix import rows_of, target_index
from .model import DEFAULT_INDEX, Channel, Pin, Policy
from .policy import Wheel, decide, delegate_version
from .versions import Version


@dataclass(frozen=True)
class Upload:
    """delegate is the version of the delegate wheel to upload beside it, or "" for none."""

    row: str
    platform: str
    index: str
    main: str
    delegate: str
    extra: tuple[str, ...]


@dataclass(frozen=True)
class Checklist:
    """blocked: why this version must not be published as things are; empty when it may."""

    version: str
    channel: str
    pin: str
    blocked: tuple[str, ...]
    uploads: tuple[Upload, ...]
    text: str


def checklist(policy: Policy, version: Version, pin: Pin, base: Version) -> Checklist:
    channel = policy.channels[version.channel]
    target = policy.targets["wheel"]
    uploads = tuple(
        _upload(policy, version.labelled(""), pin, channel, base, row, platform)
        for row in rows_of(policy, target, channel.drop_older_rows)
        for platform in target.platforms
    )
    blocked: tuple[str, ...] = ()
    if pin.kind != channel.pin:
        blocked = (
            f"ExecuTorch is pinned to the {pin.kind} {pin.version}; a {channel.name} needs a "
            f"{channel.pin}. Move it with `python3 -m release pin --to VERSION`, or no wheel's "
            f"extra will name the delegate",
        )
    text = _render(policy, version, channel, pin, blocked, uploads)
    return Checklist(version.public, channel.name, str(pin.version), blocked, uploads, text)


def _upload(
    policy: Policy,
    version: Version,
    pin: Pin,
    channel: Channel,
    base: Version,
    row: str,
    platform: str,
) -> Upload:
    index = policy.indexes[target_index(policy, channel, row)]
    wheel = Wheel(version, pin, policy.rows[row], policy.platforms[platform], index, channel)
    carried = decide(policy, wheel).carried_by is not None
    return Upload(
        row,
        platform,
        index.name,
        str(wheel.labelled_version),
        str(delegate_version(wheel, base)) if carried else "",
        tuple(extra_lines(policy, wheel, base)),
    )


def _render(
    policy: Policy,
    version: Version,
    channel: Channel,
    pin: Pin,
    blocked: tuple[str, ...],
    uploads: tuple[Upload, ...],
) -> str:
    lines = [f"# {policy.main} {version.public} ({channel.name})", ""]
    lines += [f"**Blocked:** {reason}.\n" for reason in blocked]
    lines += ["| row | platform | goes to | main | delegate | extra |", "| --- " * 6 + "|"]
    lines += [_line(policy, upload) for upload in uploads]
    lines += ["", *_steps(policy, version, channel, pin, uploads), ""]
    return "\n".join(lines)


def _line(policy: Policy, upload: Upload) -> str:
    index = policy.indexes[upload.index]
    place = f"{index.title}, {upload.row}" if index.url else index.title
    cells = (
        upload.row,
        policy.platforms[upload.platform].title,
        place,
        upload.main,
        upload.delegate or "none",
        "<br>".join(f"`{line}`" for line in upload.extra),
    )
    return f"| {' | '.join(cells)} |"


def _steps(
    policy: Policy,
    version: Version,
    channel: Channel,
    pin: Pin,
    uploads: tuple[Upload, ...],
) -> list[str]:
    places = list(dict.fromkeys(upload.index for upload in uploads))
    steps = [
        f"{policy.executorch} {pin.version} is on "
        + " and ".join(policy.indexes[place].title for place in places)
        + ", for every row and platform above.",
        "The delegate wheels are uploaded next, one per row and Linux platform.",
        f"The {policy.main} wheels are uploaded last: an index never offers an extra that it "
        "cannot satisfy.",
    ]
    if DEFAULT_INDEX in places:
        steps.insert(
            0,
            f"Only {policy.pypi_row} wheels go to {policy.indexes[DEFAULT_INDEX].title}, without a "
            "label; the other rows stay on PyTorch's.",
        )
    steps.append(
        f"In a fresh environment the {channel.name} command of {policy.guide} resolves to "
        f"{policy.main} {version.public}, checked by `python3 -m release verify`."
    )
    return [f"- [ ] {step}" for step in steps]
