"""The general mutation tool: which edits it makes, and what it says about the survivors."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip(
    "clang.cindex", reason="libclang is not installed: it is in requirements/full.txt"
)

from tests.mutants import run
from tests.mutants.generate import Mutant, generate

SOURCE = """\
template <typename T> struct Box { T* value; };
enum class Color { kRed, kGreen };
constexpr int kTable[] = {0, 7};
int add(int);
bool is_small(int n, const Box<int>& box) {
  if (n < 3 && box.value != nullptr) {
    add(n);
    return true;
  }
  Color color = Color::kGreen;
  return color == Color::kRed;
}
"""


@pytest.fixture
def mutants(tmp_path: Path) -> list[Mutant]:
    (tmp_path / "sample.cpp").write_text(SOURCE)
    return generate(tmp_path, "sample.cpp", ["-std=c++17", "-x", "c++"])


def edits(mutants: list[Mutant], line: int) -> set[str]:
    return {mutant.edit for mutant in mutants if mutant.line == line}


def test_conditions_operators_and_operands(mutants: list[Mutant]) -> None:
    condition = "n < 3 && box.value != nullptr"
    assert edits(mutants, 6) == {
        f"{condition} -> true",
        f"{condition} -> false",
        f"{condition} -> n < 3",
        f"{condition} -> box.value != nullptr",
        "&& -> ||",
        "< -> <=",
        "!= -> ==",
        "3 -> 2",
        "3 -> 4",
    }


def test_statements_and_returned_flags(mutants: list[Mutant]) -> None:
    assert edits(mutants, 7) == {"add(n) -> (void)0"}
    assert edits(mutants, 8) == {"return true -> (void)0", "true -> !(true)", "true -> false"}


def test_enumerators_and_constants(mutants: list[Mutant]) -> None:
    assert edits(mutants, 3) == {"0 -> 1", "7 -> 6", "7 -> 8"}
    assert edits(mutants, 10) == {"kGreen -> kRed"}
    assert "kRed -> kGreen" in edits(mutants, 11)


def test_types_and_the_last_return_stay(mutants: list[Mutant]) -> None:
    assert edits(mutants, 1) == set() and edits(mutants, 5) == set()
    assert not [edit for edit in edits(mutants, 11) if edit.endswith("(void)0")]


def test_the_same_source_has_the_same_mutants(mutants: list[Mutant], tmp_path: Path) -> None:
    assert generate(tmp_path, "sample.cpp", ["-std=c++17", "-x", "c++"]) == mutants


def test_an_edit_replaces_its_bytes_only(mutants: list[Mutant]) -> None:
    flipped = next(m for m in mutants if m.edit == "&& -> ||")
    assert flipped.apply(SOURCE.encode()).decode() == SOURCE.replace("&&", "||")
    assert flipped.function == "is_small"


def test_a_source_that_clang_refuses_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.cpp").write_text("int f( {")
    with pytest.raises(ValueError, match=r"bad\.cpp: clang does not take it"):
        generate(tmp_path, "bad.cpp", [])


@pytest.fixture
def conclude(mutants: list[Mutant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Concludes with so many killed and the first mutants surviving, the first `explained` of them explained."""
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "SURVIVORS", tmp_path / "survivors.toml")

    def conclude(killed: int, survived: int, explained: int, *, is_whole: bool = True) -> int:
        entries = [
            run.entry_text(m).replace('why = ""', 'why = "equal"') for m in mutants[:explained]
        ]
        run.SURVIVORS.write_text("\n".join(entries))
        verdicts = [(mutant, "survived") for mutant in mutants[:survived]]
        return run.conclude(verdicts + [(mutants[-1], "killed")] * killed, is_whole)

    return conclude


@pytest.mark.parametrize(
    ("killed", "survived", "explained", "code"),
    [
        (20, 0, 0, 0),
        (19, 1, 1, 0),
        (19, 1, 0, 1),  # not explained
        (20, 0, 1, 1),  # explained for nothing
        (9, 1, 1, 0),  # just enough
        (8, 1, 1, 1),  # too many survive
        (0, 0, 0, 1),  # nothing killed
    ],
)
def test_the_verdict(conclude, killed: int, survived: int, explained: int, code: int) -> None:
    assert conclude(killed, survived, explained) == code


def test_an_explanation_of_another_file_is_not_stale(conclude) -> None:
    assert conclude(20, 0, 1, is_whole=False) == 0


def test_the_last_line_is_the_score(conclude, capsys: pytest.CaptureFixture[str]) -> None:
    conclude(19, 1, 0)
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "19 killed, 1 survived (95.0 %)"
    assert "NOT EXPLAINED" in out and "[[survivor]]" in out
