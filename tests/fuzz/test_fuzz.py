"""The fuzzer's verdicts on small programs that behave like libFuzzer's, and a bounded run of the real ones."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import run

ROOT = Path(__file__).resolve().parents[2]
# The inspector takes a minute to build with clang; `make fuzz` has it, and its corpus is replayed here as well.
QUICK = ["blob", "metadata", "plan_tag"]
SECONDS_EACH = 4

FINISHED = """
print("#1 NEW    cov: 3 ft: 4 corp: 1/1b")
print("#9 DONE   cov: 12 ft: 34 corp: 1/1b")
print("stat::number_of_executed_units: 1234")
"""


def fake(folder: Path, name: str, body: str) -> Path:
    """A program that is called as libFuzzer's are; `artifact` is the prefix that it was given."""
    program = folder / f"fuzz_{name}"
    program.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        "artifact = [a for a in sys.argv if a.startswith('-artifact_prefix=')][0].split('=')[1]\n"
        f"{body}\n"
    )
    program.chmod(0o755)
    return program


def finds(kind: str, code: int) -> str:
    return f"{FINISHED}\nopen(artifact + '{kind}-0a', 'w').close()\nsys.exit({code})"


def test_a_sound_run_tells_what_it_did(tmp_path: Path) -> None:
    outcome = run.run_target(fake(tmp_path, "sound", FINISHED), 1, tmp_path)
    assert outcome.failure == ""
    assert (outcome.executions, outcome.coverage) == (1234, (12, 34))
    assert "1,234 executions" in outcome.line() and outcome.line().endswith("ok")


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [
        ("crash", 77, "crash"),
        ("leak", 77, "leak"),
        ("timeout", 70, "hang"),
        ("oom", 71, "too much memory"),
    ],
)
def test_a_find_is_a_failure_that_names_its_input(
    tmp_path: Path, kind: str, code: int, said: str
) -> None:
    outcome = run.run_target(fake(tmp_path, "bad", finds(kind, code)), 1, tmp_path)
    assert outcome.failure.startswith(f"{said} (ended with {code})")
    assert str(tmp_path / "fuzz-findings" / "bad" / f"{kind}-0a") in outcome.failure
    assert "FAILED" in outcome.line()


def test_an_older_find_is_not_this_runs(tmp_path: Path) -> None:
    run.run_target(fake(tmp_path, "one", finds("crash", 77)), 1, tmp_path)
    outcome = run.run_target(fake(tmp_path, "one", finds("oom", 71)), 1, tmp_path)
    assert outcome.failure.startswith("too much memory (")


def test_ending_badly_without_a_find_is_a_failure(tmp_path: Path) -> None:
    outcome = run.run_target(fake(tmp_path, "dead", f"{FINISHED}\nsys.exit(1)"), 1, tmp_path)
    assert outcome.failure.startswith("no artifact (ended with 1)")


def test_executing_nothing_is_a_failure(tmp_path: Path) -> None:
    assert run.run_target(fake(tmp_path, "idle", "pass"), 1, tmp_path).failure.startswith(
        "executed nothing"
    )


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    program = fake(tmp_path, "stuck", f"{FINISHED}\nsys.stdout.flush()\ntime.sleep(600)")
    outcome = run.run_target(program, 1, tmp_path, grace=1)
    assert outcome.failure.startswith("did not end")
    assert outcome.half_time == (12, 34)


def test_one_bad_target_fails_the_whole_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(tmp_path, "bad", finds("crash", 77))
    fake(tmp_path, "good", FINISHED)
    arguments = ["--programs", str(tmp_path), "--out", str(tmp_path / "out"), "--seconds", "2"]
    assert run.main(arguments) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2,468 executions of 2 targets, 1 failed"
    assert run.main([*arguments, "good"]) == 0


def test_no_target_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        run.main(["--programs", str(tmp_path)])
    assert ended.value.code == 2


@pytest.mark.timeout(600)
def test_a_bounded_run_finds_nothing(tmp_path: Path) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed: apt-get install clang libclang-rt-dev")
    targets = [f"fuzz_{name}" for name in QUICK]
    subprocess.run([ROOT / "scripts" / "build.sh", "fuzz", *targets], check=True)
    command = [sys.executable, "-m", "tests.fuzz.run", "--out", str(tmp_path), "--jobs", "1"]
    seconds = ["--seconds", str(SECONDS_EACH * len(QUICK))]
    done = subprocess.run(
        [*command, *seconds, *QUICK], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    total, _, rest = done.stdout.splitlines()[-1].partition(" ")
    assert int(total.replace(",", "")) > 1000
    assert rest == f"executions of {len(QUICK)} targets, 0 failed"
