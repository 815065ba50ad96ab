"""docs/install.md, written from the data: one install command per channel."""

from __future__ import annotations

from .install import channel_command, shell
from .model import DEFAULT_INDEX, Channel, Pin, Policy
from .versions import NIGHTLY, RELEASE

_WHO = {
    RELEASE: "For everyone, unless one of the reasons below applies.",
    "candidate": "For trying the next release before it is out.",
    NIGHTLY: "For changes of the last days, at your own risk.",
}


def guide(policy: Policy, pin: Pin) -> str:
    sections = [_section(policy, policy.channels[name], pin) for name in _WHO]
    return "\n".join([_HEAD.format(p=policy), *sections, _tail(policy)])


def _cuda(policy: Policy) -> str:
    return policy.rows[policy.pypi_row].cuda


def _section(policy: Policy, channel: Channel, pin: Pin) -> str:
    lines = [f"## {channel.title}", "", _WHO[channel.name], ""]
    lines += ["```bash", shell(channel_command(policy, channel)), "```", ""]
    lines.append(_explanation(policy, channel))
    if pin.kind != channel.pin:
        lines.append(
            f"\n> ExecuTorch is now pinned to a {pin.kind}, so the extra of a "
            f"{channel.name} wheel built today does not name the delegate: it needs a "
            f"{channel.pin} pin."
        )
    lines.append("")
    return "\n".join(lines)


def _explanation(policy: Policy, channel: Channel) -> str:
    names = [policy.indexes[name] for name in channel.install_indexes]
    library = names[-1].title
    if channel.name == RELEASE:
        return (
            f"{policy.indexes[DEFAULT_INDEX].title.capitalize()} carries the CUDA {_cuda(policy)} "
            f"builds; {library} has TensorRT as wheels, where the default one has source stubs."
        )
    return (
        f"`--pre` is needed: without it pip passes over every {channel.name} and takes an older "
        f"release, without saying so. {names[0].title} has one address per CUDA row: put your row "
        f"in the place of `{policy.pypi_row}`. TensorRT comes from {library}."
    )


def _tail(policy: Policy) -> str:
    stable = policy.indexes[policy.channels[RELEASE].pytorch_index]
    rows = [
        f"| {row.name} | {row.cuda} | {_where(policy, row.name)} |" for row in policy.rows.values()
    ]
    platforms = [
        f"| {platform.title} | {'yes' if platform.delegate else 'no: ' + platform.why} |"
        for platform in policy.platforms.values()
    ]
    return _TAIL.format(
        p=policy,
        stable=stable.title,
        rows="\n".join(rows),
        platforms="\n".join(platforms),
    )


def _where(policy: Policy, row: str) -> str:
    if row == policy.pypi_row:
        return f"{policy.indexes[DEFAULT_INDEX].title}: the command above"
    dropped = policy.channels[RELEASE].drop_older_rows and policy.rows[row].older
    stable = policy.indexes[policy.channels[RELEASE].pytorch_index]
    return "nightlies only" if dropped else f"`{stable.url_for(row)}`"


_HEAD = """\
<!-- Written by `python3 -m release guide`; change release/channels.json, not this file. -->
# Installing the TensorRT delegate for ExecuTorch

The extra `{p.extra}` of `{p.main}` brings the delegate (`{p.delegate}`), the ExecuTorch it was
built for, and PyTorch. Choose a channel and run its one command in a fresh virtual environment.
`uv pip install` takes the same arguments as `python -m pip install`.
"""

_TAIL = """\
## CUDA rows

Every package of one environment must be of one CUDA row.

| row | CUDA | where its releases are |
| --- | --- | --- |
{rows}

The extra names the delegate only in releases for the default index. With a row from {stable},
add that address with `--extra-index-url` and name `{p.delegate}` with the row's label, as
`==X.Y.Z+cuNNN`; the error message of a missing delegate prints that command in full.

## Platforms

| platform | delegate |
| --- | --- |
{platforms}

## When it went wrong quietly

An index that lacks the delegate, or the ExecuTorch it needs, does not make pip fail: pip goes back
to an older `{p.main}` that never asked for it. Ask what is there, and what is missing, with
`python -m torch_tensorrt_executorch_runtime`.
"""
