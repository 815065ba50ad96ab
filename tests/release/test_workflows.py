"""The workflows, run step by step on a copy of the repository and stand-in indexes."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.data import load_delegate_version

from .ci_matrix import full_matrix
from .local_indexes import LINUX_TAG, Indexes, StandIn, serve
from .published import OLDER_MAIN, PREDECESSOR, TENSORRT, executorch, torch
from .support import DELEGATE, NIGHTLY_PIN, RELEASE_PIN, ROOT
from .workflow_runner import StepFailed, scripts
from .workflow_site import GENERATOR, ROWS, Site, executorch_builds

WORKFLOWS = ROOT / ".github" / "workflows"
BASE = str(load_delegate_version())
BUILD_TOOLS = (
    "nvidia-cuda-runtime",
    "scikit-build-core",
    "auditwheel",
    "pyelftools",
    "packaging",
    "cmake",
    "ninja",
)

REACHED: set[tuple[str, str, str]] = set()
FLOWS = {
    "test_checks_are_what_ci_runs",
    "test_nightly_builds_every_row_once",
    "test_release_candidate",
    "test_release_from_checklist_to_what_a_user_installs",
    "test_the_pin_workflow_proposes_the_newest_whole_nightly",
}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve(tmp_path / "served") as indexes:
        indexes.add("pypi", "any", OLDER_MAIN, PREDECESSOR, executorch("1.5.1"), torch("2.14.0"))
        indexes.add("pypi", "any", *(StandIn(name, "13.0.96") for name in BUILD_TOOLS))
        indexes.add("inference_library", "any", TENSORRT)
        made = Site(tmp_path, indexes)
        yield made
        REACHED.update(made.runner.ran)


def add_pinned(indexes: Indexes, index: str, version: str, torch_version: str) -> None:
    for row in ROWS:
        indexes.add(index, row, executorch(f"{version}+{row}"), torch(f"{torch_version}+{row}"))


def wheels_of(site: Site) -> dict[str, list[str]]:
    artifacts = site.runner.artifacts.items()
    return {name: sorted(files) for name, files in artifacts if name != "extras"}


def wheel_file(version: str) -> str:
    return f"{DELEGATE.replace('-', '_')}-{version}-{LINUX_TAG}.whl"


def test_checks_are_what_ci_runs(site: Site) -> None:
    script = site.tree / ".ci" / "run"
    script.parent.mkdir()
    script.touch(mode=0o755)
    for code in (0, 1):
        script.write_text(f'#!/bin/sh\necho ran >> "$GITHUB_STEP_SUMMARY"\nexit {code}\n')
        if code == 0:
            site.runner.run("checks.yml", {})
        else:
            with pytest.raises(StepFailed, match="Lint and test"):
                site.runner.run("checks.yml", {})
    assert site.runner.summaries == "ran\nran\n"


def test_nightly_builds_every_row_once(site: Site) -> None:
    site.pin(NIGHTLY_PIN)
    add_pinned(site.indexes, "nightly", NIGHTLY_PIN, "2.16.0.dev20261130")
    site.runner.run("nightly.yml", {}, {"TORCH_TENSORRT_BASE_VERSION": "2.16.0"})
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
    assert wheels_of(site) == {
        f"delegate-nightly-{row}-linux_x86_64": [wheel_file(f"{BASE}.dev{today}+{row}")]
        for row in ROWS
    }
    assert site.extra("cu134-linux_aarch64-nightly") == [
        f"executorch>={NIGHTLY_PIN},<1.7",
        f"{DELEGATE}=={BASE}.dev{today}+cu134",
    ]


def test_nightly_with_a_release_pin_builds_no_delegate_and_asks_for_none(site: Site) -> None:
    site.pin(RELEASE_PIN)
    site.runner.run("nightly.yml", {"base-version": "2.16.0"})
    assert wheels_of(site) == {}
    assert site.extra("cu132-linux_x86_64-nightly") == ["executorch>=1.6.0,<1.7"]


def test_nightly_without_a_base_version_says_which_variable(site: Site) -> None:
    with pytest.raises(StepFailed, match="TORCH_TENSORRT_BASE_VERSION"):
        site.runner.run("nightly.yml", {})


def test_release_candidate(site: Site) -> None:
    site.pin(RELEASE_PIN)
    add_pinned(site.indexes, "test", RELEASE_PIN, "2.15.0")
    site.runner.run("release-candidate.yml", {"version": "2.15.0rc2"})
    assert wheels_of(site) == {
        f"delegate-test-{row}-linux_x86_64": [wheel_file(f"{BASE}rc2+{row}")]
        for row in ("cu132", "cu134")
    }
    assert site.extra("cu132-linux_x86_64-test")[1] == f"{DELEGATE}=={BASE}rc2+cu132"
    assert "# torch-tensorrt 2.15.0rc2 (candidate)" in site.runner.summaries


def test_a_build_does_not_fall_back_to_another_rows_executorch(site: Site) -> None:
    """The default index has that version too, which pip would take in silence."""
    site.pin(RELEASE_PIN)
    add_pinned(site.indexes, "test", RELEASE_PIN, "2.15.0")
    site.indexes.remove("test", "cu134", "executorch-*")
    site.indexes.add("pypi", "any", executorch("1.6.0"), torch("2.15.0"))
    with pytest.raises(StepFailed, match="Install what the delegate is built against"):
        site.runner.run("release-candidate.yml", {"version": "2.15.0rc2"})


def test_release_from_checklist_to_what_a_user_installs(site: Site) -> None:
    site.pin(RELEASE_PIN)
    add_pinned(site.indexes, "test", RELEASE_PIN, "2.15.0")
    site.indexes.add("pypi", "any", executorch("1.6.0"), torch("2.15.0"))
    site.runner.run("release.yml", {"version": "2.15.0"})
    assert wheels_of(site) == {
        "delegate-pypi-cu132-linux_x86_64": [wheel_file(BASE)],
        "delegate-stable-cu134-linux_x86_64": [wheel_file(f"{BASE}+cu134")],
    }
    published = {path.name for path in site.indexes.folder("pypi", "any").glob(f"*{BASE}*")}
    assert published == {wheel_file(BASE)}
    assert "Only cu132 wheels go to the default index" in site.runner.summaries

    extra = site.extra("cu132-linux_x86_64-pypi")
    main = StandIn(
        "torch-tensorrt",
        "2.15.0",
        ("torch==2.15.0", "tensorrt-cu13"),
        {"executorch": tuple(extra)},
        LINUX_TAG,
    )
    site.indexes.add("pypi", "any", main)
    given = {"version": "2.15.0", "row": "cu132", "index": "pypi"}
    site.runner.run("verify-published.yml", given)
    site.indexes.remove("pypi", "any", wheel_file(BASE))
    with pytest.raises(StepFailed, match="Resolve and compare"):
        site.runner.run("verify-published.yml", given)


def test_verify_published_tells_what_an_installer_does_not(site: Site) -> None:
    """Everything installs, but PyTorch is of another row than the rest."""
    site.pin(RELEASE_PIN)
    lines = ("executorch>=1.6.0,<1.7", f"{DELEGATE}>={BASE},<0.3")
    main = StandIn("torch-tensorrt", "2.15.0", ("torch==2.15.0",), {"executorch": lines})
    delegate = StandIn(DELEGATE, BASE, ("executorch==1.6.0",))
    site.indexes.add("pypi", "any", main, delegate, executorch("1.6.0"), torch("2.15.0+cu130"))
    given = {"version": "2.15.0", "row": "cu132", "index": "pypi"}
    with pytest.raises(StepFailed, match="CUDA rows are mixed"):
        site.runner.run("verify-published.yml", given)


def test_verify_published_on_the_stable_index(site: Site) -> None:
    row = "cu134"
    site.pin(RELEASE_PIN)
    add_pinned(site.indexes, "stable", RELEASE_PIN, "2.15.0")
    delegate = StandIn(DELEGATE, f"{BASE}+{row}", (f"executorch==1.6.0+{row}",), tag=LINUX_TAG)
    main = StandIn(
        "torch-tensorrt",
        f"2.15.0+{row}",
        (f"torch==2.15.0+{row}",),
        {"executorch": ("executorch>=1.6.0,<1.7",)},
        LINUX_TAG,
    )
    site.indexes.add("stable", row, delegate, main)
    given = {"version": "2.15.0", "row": row, "index": "stable"}
    site.runner.run("verify-published.yml", given)


@pytest.mark.parametrize(
    ("workflow", "version", "pin", "step"),
    [
        ("release.yml", "2.15.0", NIGHTLY_PIN, "Write the checklist"),
        ("release-candidate.yml", "2.15.0rc1", NIGHTLY_PIN, "Write the checklist"),
        ("release.yml", "2.15.0rc1", RELEASE_PIN, "is no release"),
        ("release-candidate.yml", "2.15.0", RELEASE_PIN, "is no release candidate"),
    ],
)
def test_what_must_not_be_released_stops_before_any_build(
    site: Site, workflow: str, version: str, pin: str, step: str
) -> None:
    site.pin(pin)
    with pytest.raises(StepFailed, match=step):
        site.runner.run(workflow, {"version": version})
    assert site.runner.artifacts == {}


def test_an_outdated_guide_stops_a_release(site: Site) -> None:
    site.pin(RELEASE_PIN)
    path = site.tree / "docs" / "install.md"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(StepFailed, match="is not what the data says"):
        site.runner.run("release.yml", {"version": "2.15.0"})


def test_a_row_that_the_ci_lost_stops_the_plan(site: Site) -> None:
    site.pin(RELEASE_PIN)
    kinds = (("cuda", "13.2"),)
    site.runner.workflows = {
        GENERATOR: lambda given: {"matrix": json.dumps(full_matrix(given["os"], kinds=kinds))}
    }
    with pytest.raises(StepFailed, match="lacks cu134 on Linux x86-64"):
        site.runner.run("release-candidate.yml", {"version": "2.15.0rc2"})


def test_a_labelled_wheel_does_not_reach_the_default_index(site: Site) -> None:
    site.pin(RELEASE_PIN)
    site.runner.artifacts["delegate-pypi-cu134"] = {wheel_file(f"{BASE}+cu134"): b""}
    publish = site.tree / ".github" / "workflows" / "release.yml"
    text = publish.read_text(encoding="utf-8")
    start, end = text.index("  checklist:\n"), text.index("  publish:\n")
    publish.write_text(
        (text[:start] + text[end:]).replace("    needs: wheels\n", ""), encoding="utf-8"
    )
    with pytest.raises(StepFailed, match="Only unlabelled wheels"):
        site.runner.run("release.yml", {"version": "2.15.0"})


def test_the_pin_workflow_proposes_the_newest_whole_nightly(site: Site) -> None:
    site.pin("1.6.0.dev20261101")
    builds = [
        *executorch_builds("1.6.0.dev20261128", "b" * 40, ROWS),
        *executorch_builds("1.6.0.dev20261129", "c" * 40, ROWS[:2]),
    ]
    for row, build in builds:
        site.indexes.add("nightly", row, build)
    site.runner.run("executorch-pin.yml", {})
    assert set(site.proposed) == {"release/pin.json"}
    assert json.loads(site.proposed["release/pin.json"]) == {
        "version": "1.6.0.dev20261128",
        "commit": "b" * 40,
    }


def test_the_pin_workflow_rewrites_the_guide_with_the_pin(site: Site) -> None:
    site.pin("1.5.1")
    for row, build in executorch_builds("1.5.2.dev20261128", "b" * 40, ROWS):
        site.indexes.add("nightly", row, build)
    site.runner.run("executorch-pin.yml", {})
    assert set(site.proposed) == {"release/pin.json", "docs/install.md"}
    assert "pinned to a nightly" in site.proposed["docs/install.md"]


def test_the_pin_workflow_proposes_nothing_when_nothing_is_newer(site: Site) -> None:
    site.pin("1.6.0.dev20261128")
    for row, build in executorch_builds("1.6.0.dev20261128", "b" * 40, ROWS):
        site.indexes.add("nightly", row, build)
    site.runner.run("executorch-pin.yml", {})
    assert site.proposed == {}


def test_every_script_is_run_by_a_test_above(request: pytest.FixtureRequest) -> None:
    selected = {item.name for item in request.session.items if item.path == request.path}
    if not selected >= FLOWS:
        pytest.skip(f"needs {', '.join(sorted(FLOWS - selected))} in the same run")
    assert scripts(WORKFLOWS) - REACHED == set()
