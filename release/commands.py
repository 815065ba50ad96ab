"""The sub-commands of `python3 -m release`. Each takes its arguments and returns a Result."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .arguments import read_text
from .checklist import checklist as make_checklist
from .data import PIN_FILE, commit_hash, load_delegate_version, load_pin, pin_version, read_json
from .extras import extra_lines
from .guide import guide as make_guide
from .indexes import build_indexes
from .install import install_words, shell
from .listing import Cell, file_names, offered
from .matrix import select
from .messages import delegate_message
from .model import Pin, Policy
from .pin import MOVED, REFUSED, choose, commit_of_wheel, explain, required_cells, write_pin
from .policy import Wheel, decide, delegate_version, describe_wheel
from .refusal import Refusal
from .verify import findings, read_resolution
from .versions import RELEASE, Version, parse_version


@dataclass(frozen=True)
class Result:
    """text goes to stdout, or document as JSON with --json; notes go to stderr."""

    text: str
    document: Any
    notes: tuple[str, ...] = ()
    code: int = 0


def _pin(options: argparse.Namespace) -> Pin:
    return load_pin() if options.pin is None else Pin(pin_version(options.pin, "--pin"))


def _wheel(policy: Policy, options: argparse.Namespace) -> Wheel:
    return describe_wheel(
        policy, options.version, _pin(options), options.row, options.platform, options.index
    )


def _base(options: argparse.Namespace) -> Version:
    if options.delegate_version is None:
        return load_delegate_version()
    version = parse_version(options.delegate_version, "--delegate-version")
    if version.channel != RELEASE or version.label:
        raise Refusal("--delegate-version", f"{version} found", "X.Y.Z", "the rest is derived")
    return version


def extras(policy: Policy, options: argparse.Namespace) -> Result:
    wheel, base = _wheel(policy, options), _base(options)
    lines, decision = extra_lines(policy, wheel, base), decide(policy, wheel)
    notes = (f"{policy.delegate} is not named: {decision.reason}",) if decision.reason else ()
    document = {
        "extra": policy.extra,
        "requirements": lines,
        "delegate": decision.named,
        "reason": decision.reason,
    }
    return Result("\n".join(lines), document, notes)


def wheel_version(policy: Policy, options: argparse.Namespace) -> Result:
    wheel = _wheel(policy, options)
    version = str(delegate_version(wheel, _base(options)))
    return Result(version, {"delegate": version, "main": str(wheel.labelled_version)})


def message(policy: Policy, options: argparse.Namespace) -> Result:
    installed = options.installed and parse_version(options.installed, "--installed")
    made = delegate_message(policy, _wheel(policy, options), _base(options), installed or None)
    return Result(made.text, asdict(made))


def install_command(policy: Policy, options: argparse.Namespace) -> Result:
    command = install_words(policy, _wheel(policy, options), _base(options))
    return Result(shell(command), {"command": command})


def indexes(policy: Policy, options: argparse.Namespace) -> Result:
    row = policy.row(options.row)
    channel = policy.channel(options.channel) if options.channel is not None else None
    found = build_indexes(policy, _pin(options), channel, options.inference_library)
    entries = [
        {"index": index.name, "title": index.title, "url": index.url_for(row.name)}
        for index in found
    ]
    return Result("\n".join(entry["url"] for entry in entries), {"indexes": entries})


def matrix(policy: Policy, options: argparse.Namespace) -> Result:
    kind = "wheel" if options.wheel_matrix is not None else "tarball"
    subject = f"--{kind}-matrix"
    path = options.wheel_matrix if kind == "wheel" else options.tarball_matrix
    channel = policy.channel(options.channel)
    drop = channel.drop_older_rows if options.drop_older_rows is None else options.drop_older_rows
    selection = select(
        policy,
        read_json(Path(path), subject),
        kind,
        channel,
        _pin(options),
        drop,
        policy.platform(options.platform),
        subject,
    )
    include = selection.include
    if options.delegate_only:
        include = [entry for entry in include if entry.get("build_delegate")]
    notes = [f"{subject}: the full matrix lacks {line}" for line in selection.missing]
    if not include:
        notes.append(f"{subject}: nothing is left to build")
    # No delegate at all is a state of the pin, not a mistake; no build at all is one.
    failed = not selection.include or (options.complete and bool(selection.missing))
    return Result("", {"include": include}, tuple(notes), 1 if failed else 0)


def guide(policy: Policy, options: argparse.Namespace) -> Result:
    text = make_guide(policy, _pin(options))
    if options.check is None:
        return Result(text.rstrip("\n"), {"path": policy.guide, "text": text})
    same = read_text(options.check, "--check") == text
    told = "is" if same else "is not"
    note = f"--check: {options.check} {told} what the data says"
    remedy = "" if same else f"; run: python3 -m release guide > {policy.guide}"
    return Result("", {"path": options.check, "same": same}, (note + remedy,), 0 if same else 1)


def checklist(policy: Policy, options: argparse.Namespace) -> Result:
    version = parse_version(options.version, "--version")
    if version.label:
        raise Refusal("--version", f"{version} carries a label", "a version of every row")
    made = make_checklist(policy, version, _pin(options), _base(options))
    return Result(made.text.rstrip("\n"), asdict(made), made.blocked, 1 if made.blocked else 0)


def verify(policy: Policy, options: argparse.Namespace) -> Result:
    found = read_resolution(read_text(options.resolution, "--resolution"), "--resolution")
    lines = findings(policy, _wheel(policy, options), _base(options), found)
    names = (policy.main, policy.delegate, policy.executorch, policy.torch)
    versions = {name: found[name] for name in names if name in found}
    good = "\n".join(f"{name} {version}" for name, version in versions.items())
    document = {"versions": versions, "findings": lines}
    return Result("" if lines else good, document, tuple(lines), 1 if lines else 0)


def pin(policy: Policy, options: argparse.Namespace) -> Result:
    path = Path(options.pin_file) if options.pin_file else PIN_FILE
    current = load_pin(path)
    if options.listing is None:
        return _show_pin(current, options)
    cells: dict[Version, set[Cell]] = {}
    for name in options.listing:
        names = file_names(read_text(name, "--listing"), f"--listing {name}")
        for version, more in offered(names, policy.executorch, f"--listing {name}").items():
            cells.setdefault(version, set()).update(more)
    wanted = None if options.to is None else pin_version(options.to, "--to")
    verdict = choose(
        current.version,
        cells,
        required_cells(policy),
        wanted,
        options.allow_backwards,
        options.allow_minor,
    )
    commit = _commit(options, verdict.target) if verdict.outcome == MOVED else ""
    written = verdict.outcome == MOVED and not options.dry_run
    if written:
        write_pin(Pin(verdict.target, commit), path)
    document = {
        "outcome": verdict.outcome,
        "from": str(current.version),
        "to": str(verdict.target),
        "commit": commit or current.commit,
        "written": written,
        "not_taken": list(verdict.reasons),
    }
    code = 1 if verdict.outcome == REFUSED else 0
    return Result(explain(verdict, current, commit, written), document, (), code)


def _show_pin(current: Pin, options: argparse.Namespace) -> Result:
    """Flags that move the pin say nothing without a listing to move it by."""
    for name in ("to", "wheel", "commit", "allow_backwards", "allow_minor", "dry_run"):
        if getattr(options, name):
            flag = f"--{name.replace('_', '-')}"
            raise Refusal(flag, "given without --listing", "with --listing FILE")
    document = {"version": str(current.version), "commit": current.commit, "kind": current.kind}
    return Result(f"{current.version} {current.commit}", document)


def _commit(options: argparse.Namespace, target: Version) -> str:
    if options.wheel is not None:
        return commit_of_wheel(Path(options.wheel), target, "--wheel")
    if options.commit is not None:
        return commit_hash(options.commit, "--commit")
    if options.dry_run:
        return ""
    raise Refusal(
        "--wheel",
        f"the pin would move to {target} without its source commit",
        f"--wheel FILE, an ExecuTorch wheel of {target}, or --commit HASH",
        "--dry-run only tells the version",
    )
