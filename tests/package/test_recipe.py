"""Build recipes are expanded before they are read; one that mixes rows or leaves a variable is refused."""

from __future__ import annotations

import pytest
from packaging_checks.recipe import check_recipe, expand, read_recipes

GOOD = """
# the row is written once
export TRTET_CUDA_ROW=cu130
version=1.5.1
python -m pip install "executorch==${version}+${TRTET_CUDA_ROW}" \\
  --extra-index-url "https://index.invalid/whl/$TRTET_CUDA_ROW"
python -m pip install tensorrt-cu13 'nvidia-cuda-runtime==13.0.96'
TRTET_WHEEL_INDEX=${index:-pytorch}
"""


def problems(text: str) -> str:
    return "\n".join(finding.what for finding in check_recipe(expand("recipe", text)))


def test_a_good_recipe():
    assert problems(GOOD) == ""


def test_it_is_expanded_as_a_shell_would():
    recipe = expand("recipe", GOOD)
    assert any("executorch==1.5.1+cu130" in command for command in recipe.commands)
    assert recipe.variables["TRTET_WHEEL_INDEX"] == "pytorch"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("version=1.5.1\n", "", "leaves ${version}"),
        ("version=1.5.1", "version=$OTHER", "leaves $OTHER"),
        ("${version}", "$(cat version)", "leaves $(cat"),
        ("export TRTET_CUDA_ROW=cu130\n", "", "sets TRTET_CUDA_ROW to nothing"),
        ("ROW=cu130", "ROW=cuda", "sets TRTET_CUDA_ROW to cuda"),
        ("+${TRTET_CUDA_ROW}", "+cu132", "TRTET_CUDA_ROW=cu130 and uses cu132"),
        ("whl/$TRTET_CUDA_ROW", "whl/cu126", "TRTET_CUDA_ROW=cu130 and uses cu126"),
        ("tensorrt-cu13 ", "tensorrt-cu12 ", "uses tensorrt-cu12"),
        (
            "nvidia-cuda-runtime==13.0.96",
            "nvidia-cuda-runtime==12.9.79",
            "uses nvidia-cuda-runtime==12.9.79",
        ),
    ],
)
def test_a_bad_recipe(old, new, text):
    assert old in GOOD
    assert text in problems(GOOD.replace(old, new))


def test_single_quotes_keep_their_text():
    assert problems(GOOD + "echo '$HOME'\n") == ""


def test_recipes_are_found_in_markdown(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"text\n```bash\nother\n```\n```bash recipe\n{GOOD}```\n")
    (recipe,) = read_recipes(page)
    assert recipe.subject == "page.md line 5"
    assert recipe.variables["TRTET_CUDA_ROW"] == "cu130"
