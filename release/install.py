"""Install commands: the guide's, one per channel, and the messages', for one exact wheel."""

from __future__ import annotations

import contextlib
import shlex

from .data import load_policy
from .model import INFERENCE_LIBRARY, Channel, Policy
from .policy import Wheel, decide, delegate_version
from .refusal import Refusal
from .versions import NIGHTLY, Version, parse_version

_PIP = ("python", "-m", "pip", "install")


def _arguments(
    policy: Policy, what: list[str], indexes: tuple[str, ...], row: str, pre: bool
) -> list[str]:
    return [*_PIP, *(["--pre"] if pre else []), *what, *_index_arguments(policy, indexes, row)]


def _index_arguments(policy: Policy, indexes: tuple[str, ...], row: str) -> list[str]:
    words: list[str] = []
    for name in indexes:
        words += ["--extra-index-url", policy.indexes[name].url_for(row)]
    return words


def channel_command(policy: Policy, channel: Channel) -> list[str]:
    """The guide's command of a channel, for the row that goes to the default index."""
    what = [f"{policy.main}[{policy.extra}]"]
    return _arguments(policy, what, channel.install_indexes, policy.pypi_row, channel.pre)


def install_words(policy: Policy, wheel: Wheel, base: Version) -> list[str]:
    """The one command for a wheel. The delegate comes by the extra, or by name where only an index has it."""
    what = [f"{policy.main}[{policy.extra}]=={wheel.labelled_version}"]
    decision = decide(policy, wheel)
    if decision.carried_by is not None and not decision.named:
        what.append(f"{policy.delegate}=={delegate_version(wheel, base)}")
    indexes = wheel.channel.install_indexes
    if wheel.index.url and wheel.index.name not in indexes:
        indexes = (wheel.index.name, *indexes)
    return _arguments(policy, what, indexes, wheel.row.name, wheel.channel.pre)


def part_install_arguments(executorch_version: str, row: str) -> dict[str, list[str]]:
    """pip arguments that find again each part a delegate was built against, by part name.

    For the delegate's build to record in its wheel. executorch_version: as the wheel requires it; a
    release without the row's label is the default index's, and what the policy does not know, such
    as a build of one's own, is on none, so that neither needs arguments. row: the wheel's.
    """
    policy = load_policy()
    names: tuple[str, ...] = ()
    with contextlib.suppress(Refusal):
        version = parse_version(executorch_version, "the ExecuTorch built against")
        if row in policy.rows and (version.label == row or version.channel == NIGHTLY):
            names = policy.pin_indexes.get(version.channel, ())
    own = _index_arguments(policy, names, row)
    library = _index_arguments(policy, (INFERENCE_LIBRARY,), row)
    return {"executorch": own, "torch": own, "tensorrt": library, "cuda_runtime": []}


def shell(words: list[str]) -> str:
    # Double quotes, because they are read alike by POSIX shells, cmd and PowerShell.
    return " ".join(word if shlex.quote(word) == word else f'"{word}"' for word in words)
