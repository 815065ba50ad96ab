"""The command line is strict: whole names, each once, and an error that names its argument."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .support import ROOT, describe, release

COMMANDS = (
    "extras",
    "wheel-version",
    "install-command",
    "message",
    "indexes",
    "matrix",
    "guide",
    "checklist",
    "verify",
    "pin",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_flag_is_named(command: str) -> None:
    ran = release(command, "--bogus", "1", code=2)
    assert ran.out == ""
    assert "argument --bogus: unknown" in ran.err


@pytest.mark.parametrize("word", ["--vers", "--pi=1.6.0", "--plat"])
def test_a_shortened_flag_is_unknown(word: str) -> None:
    ran = release("extras", *describe(), word, code=2)
    assert f"argument {word.split('=')[0]}: unknown" in ran.err


@pytest.mark.parametrize("again", [["--row", "cu132"], ["--pin=1.6.0"], ["--json", "--json"]])
def test_a_repeated_flag_is_named(again: list[str]) -> None:
    ran = release("extras", *describe(), *again, code=2)
    assert ran.out == ""
    assert f"argument {again[0].split('=')[0]}: given more than once" in ran.err


@pytest.mark.parametrize("flag", ["--version", "--row", "--platform", "--index"])
def test_a_missing_argument_is_named(flag: str) -> None:
    words = describe()
    at = words.index(flag)
    ran = release("extras", *words[:at], *words[at + 2 :], code=2)
    assert flag in ran.err


@pytest.mark.parametrize(
    ("flag", "value", "allowed"),
    [
        ("version", "2.15", "X.Y.Z"),
        ("pin", "1.6.0rc1", "a nightly"),
        ("pin", "", "X.Y.Z"),
        ("row", "cu999", "cu130, cu132, cu134"),
        ("row", "CU132", "cu130, cu132, cu134"),
        ("platform", "linux", "linux_x86_64"),
        ("index", "inference_library", "pypi, nightly, test, stable, pytorch"),
        ("index", "", "pypi"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(flag: str, value: str, allowed: str) -> None:
    ran = release("extras", *describe(**{flag: value}), code=2)
    assert ran.out == ""
    assert f"error: argument --{flag}: {value!r}" in ran.err
    assert allowed in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_command_is_needed_and_a_wrong_one_is_named() -> None:
    assert "COMMAND" in release(code=2).err
    assert "'extra'" in release("extra", code=2).err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_there(command: str) -> None:
    assert "--json" in release(command, "--help").out


def test_the_two_matrices_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "full.json"
    path.write_text('{"include": []}')
    ran = release("matrix", "--wheel-matrix", path, "--tarball-matrix", path, code=2)
    assert "--tarball-matrix: not allowed with argument --wheel-matrix" in ran.err
    assert "--wheel-matrix" in release("matrix", code=2).err


def test_a_switch_and_its_opposite_are_one_argument() -> None:
    words = ("matrix", "--wheel-matrix", "x", "--drop-older-rows", "--no-drop-older-rows")
    assert "--no-drop-older-rows: given more than once" in release(*words, code=2).err


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        (("matrix", "--wheel-matrix", "nowhere.json"), "--wheel-matrix"),
        (("matrix", "--tarball-matrix", "nowhere.json"), "--tarball-matrix"),
        (("guide", "--check", "nowhere.md"), "--check"),
        (("verify", *describe(), "--resolution", "nowhere"), "--resolution"),
        (("pin", "--listing", "nowhere.html"), "--listing"),
        (("pin", "--pin-file", "nowhere.json"), "nowhere.json"),
        (("pin", "--dry-run"), "--dry-run"),
        (("pin", "--commit", "a" * 40), "--commit"),
        (("checklist", "--version", "2.15.0+cu132"), "--version"),
        (("extras", *describe(), "--delegate-version", "0.2.0rc1"), "--delegate-version"),
        (("message", *describe(), "--installed", "new"), "--installed"),
        (("indexes", "--row", "cu132", "--channel", "daily"), "--channel"),
    ],
)
def test_what_cannot_be_read_is_named(words: tuple[str, ...], subject: str) -> None:
    ran = release(*words, code=2)
    assert ran.out == ""
    assert f"error: argument {subject}: " in ran.err
    assert "Traceback" not in ran.err


def test_it_needs_nothing_but_a_standard_python() -> None:
    """A setup.py and a bare CI runner call it before anything is installed."""
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import runpy; "
        f"sys.argv[1:] = {['extras', *describe(), '--json']!r}; "
        "runpy.run_module('release', run_name='__main__')",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["delegate"] is True
