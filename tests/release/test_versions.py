"""Version forms, and their order beside the one that installers use."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version as Standard

from release.data import pin_version
from release.refusal import Refusal
from release.versions import in_minor_range, minor_range, parse_version

small = st.integers(0, 2)
suffixes = st.one_of(
    st.just(""),
    st.integers(1, 30).map("rc{}".format),
    st.dates(min_value=datetime.date(1000, 1, 1)).map(".dev{:%Y%m%d}".format),
)
texts = st.builds("{}.{}.{}{}".format, small, small, small, suffixes)


@given(texts, texts)
def test_order_is_the_standards(left: str, right: str) -> None:
    ours = parse_version(left, "").order < parse_version(right, "").order
    assert ours == (Standard(left) < Standard(right))


def test_order_within_one_version() -> None:
    """The forms of one X.Y.Z, which random ones seldom are."""
    texts_in_order = ["1.6.0.dev20261128", "1.6.0.dev20261129", "1.6.0rc2", "1.6.0rc10", "1.6.0"]
    parsed = [parse_version(text, "") for text in reversed(texts_in_order)]
    assert [str(version) for version in sorted(parsed, key=lambda v: v.order)] == texts_in_order


@given(texts)
def test_text_survives(text: str) -> None:
    assert str(parse_version(text, "")) == text
    assert str(parse_version(text + "+cu132", "")) == text + "+cu132"


@given(texts, texts)
def test_ranges_are_the_standards(lowest: str, text: str) -> None:
    specifiers = SpecifierSet(minor_range(parse_version(lowest, "")), prereleases=True)
    ours = in_minor_range(parse_version(text, ""), parse_version(lowest, ""))
    assert ours == specifiers.contains(text)


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("2.15.0.dev20261130", "nightly"),
        ("2.15.0.dev20261130+cu132", "nightly"),
        ("2.15.0rc1", "candidate"),
        ("2.15.0", "release"),
    ],
)
def test_a_version_tells_its_channel(text: str, channel: str) -> None:
    assert parse_version(text, "").channel == channel


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "2.15",
        "2.15.0.0",
        "v2.15.0",
        "2.15.0a0",
        "2.15.0b1",
        "2.15.0.post1",
        "2.15.0rc",
        "2.15.0rc0",
        "2.15.0-rc1",
        "2.15.0.dev",
        "2.15.0.dev1",
        "2.15.0.dev20261131",
        "2.15.0.dev202611300",
        "02.15.0",
        " 2.15.0",
        "2.15.0\n",
        "2.15.0+",
        "2.15.0+cu132.1",
        "٢.15.0",
    ],
)
def test_any_other_form_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_version(text, "--version")
    assert str(caught.value).startswith(f"--version: {text!r}")
    assert "X.Y.ZrcN" in caught.value.allowed


@pytest.mark.parametrize("text", ["1.6.0rc1", "1.6.0+cu132", "1.6"])
def test_a_pin_is_a_nightly_or_a_release_for_every_row(text: str) -> None:
    with pytest.raises(Refusal, match="--pin"):
        pin_version(text, "--pin")
