"""The expressions of workflows, as the runner of these tests evaluates them."""

from __future__ import annotations

import pytest

from .workflow_runner import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("a-${{ matrix.row }}-b", "a-cu132-b"),
        ("${{ inputs.none || vars.base }}", "2.16.0"),
        ("${{ matrix.row == 'cu132' && 'yes' || 'no' }}", "yes"),
        ("${{ matrix.row == 'cu134' && 'yes' || 'no' }}", "no"),
        ("${{ fromJSON(inputs.list) }}", [1]),
    ],
)
def test_the_runner_evaluates_as_the_service_does(text: str, value: object) -> None:
    context = {"matrix": {"row": "cu132"}, "vars": {"base": "2.16.0"}, "inputs": {"list": "[1]"}}
    assert evaluate(text, context) == value
