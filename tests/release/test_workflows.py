"""The workflows, run step by step on a copy of the repository and stand-in indexes.

Only three things are changed in the copy: the addresses in release/channels.json, the pin, and the
project that is built, which is a stand-in with the delegate's name.
"""

from __future__ import annotations

import datetime
import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.data import load_delegate_version

from .ci_matrix import full_matrix
from .local_indexes import LINUX_TAG, Indexes, Installers, StandIn, serve
from .published import OLDER_MAIN, PREDECESSOR, TENSORRT, executorch, torch
from .support import DELEGATE, NIGHTLY_PIN, RELEASE_PIN, ROOT, policy
from .workflow_runner import (
    Context,
    Job,
    Runner,
    StepFailed,
    checkout,
    download_artifact,
    evaluate,
    nothing,
    scripts,
    upload_artifact,
)

WORKFLOWS = ROOT / ".github" / "workflows"
BASE = str(load_delegate_version())
ROWS = ("cu130", "cu132", "cu134")
BUILD_TOOLS = (
    "nvidia-cuda-runtime",
    "scikit-build-core",
    "auditwheel",
    "pyelftools",
    "packaging",
    "cmake",
    "ninja",
)

BACKEND = """
import base64, hashlib, importlib.metadata, os, pathlib, zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    version = pathlib.Path("version.txt").read_text().strip()
    pinned = importlib.metadata.version("executorch")
    assert pinned.endswith("+" + os.environ["TRTET_CUDA_ROW"]), pinned
    if os.environ["TRTET_WHEEL_INDEX"] == "pypi":
        pinned = pinned.partition("+")[0]
    name = "torch_tensorrt_executorch_runtime"
    info = f"{name}-{version}.dist-info"
    file = f"{name}-{version}-TAG.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / file, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: NAME\\n"
            f"Version: {version}\\nRequires-Dist: executorch=={pinned}\\nRequires-Dist: torch\\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: TAG\\n")
        archive.writestr(f"{info}/RECORD", "")
    return file
""".replace("TAG", LINUX_TAG).replace("NAME", DELEGATE)


def make_tree(folder: Path, indexes: Indexes) -> Path:
    for name in ("release", ".github"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "version.txt", folder)
    (folder / "docs").mkdir()
    shutil.copy(ROOT / policy().guide, folder / "docs")
    data = json.loads((folder / "release" / "channels.json").read_text(encoding="utf-8"))
    for entry in data["indexes"]:
        if "url" in entry:
            row = "{row}" if "{row}" in entry["url"] else "any"
            entry["url"] = indexes.url(entry["index"], row).rstrip("/")
    (folder / "release" / "channels.json").write_text(json.dumps(data), encoding="utf-8")
    backend = folder / "standin"
    backend.mkdir()
    (backend / "standin_backend.py").write_text(BACKEND, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "standin_backend"\n'
        'backend-path = ["standin"]\n',
        encoding="utf-8",
    )
    return folder


REACHED: set[tuple[str, str, str]] = set()
FLOWS = {
    "test_nightly_builds_every_row_once",
    "test_release_candidate",
    "test_release_from_checklist_to_what_a_user_installs",
    "test_the_pin_workflow_proposes_the_newest_whole_nightly",
}
GENERATOR = "pytorch/test-infra/.github/workflows/generate_binary_build_matrix.yml"


def whole_matrix(given: Context) -> Context:
    return {"matrix": json.dumps(full_matrix(given["os"], channel=given["channel"]))}


class Site:
    """The copy, the indexes and a runner on them."""

    def __init__(self, folder: Path, indexes: Indexes) -> None:
        self.indexes = indexes
        self.installers = Installers(indexes, folder)
        self.tree = make_tree(folder / "tree", indexes)
        self.proposed: dict[str, str] = {}
        self.runner = Runner(
            self.tree,
            folder / "jobs",
            self._fresh,
            {
                "actions/checkout": checkout,
                "actions/setup-python": nothing,
                "actions/upload-artifact": upload_artifact,
                "actions/download-artifact": download_artifact,
                "pypa/gh-action-pypi-publish": self._publish,
                "peter-evans/create-pull-request": self._propose,
            },
            {GENERATOR: whole_matrix},
            choose=lambda entry: entry.get("platform", "linux_x86_64") == "linux_x86_64",
        )

    def _fresh(self) -> dict[str, str]:
        return {**self.installers.environment(), "PIP_PYTHON": str(self.installers.fresh())}

    def _publish(self, job: Job, given: Context) -> None:
        for path in (job.workspace / given["packages-dir"]).glob("*"):
            shutil.copy(path, self.indexes.folder("pypi", "any"))

    def _propose(self, job: Job, _: Context) -> None:
        for path in job.workspace.rglob("*"):
            name = str(path.relative_to(job.workspace))
            own = self.tree / name
            if (
                path.is_file()
                and "__pycache__" not in name
                and (not own.is_file() or own.read_bytes() != path.read_bytes())
            ):
                self.proposed[name] = path.read_text(encoding="utf-8")

    def pin(self, version: str) -> None:
        path = self.tree / "release" / "pin.json"
        path.write_text(json.dumps({"version": version, "commit": "a" * 40}), encoding="utf-8")
        self.refresh_guide()

    def refresh_guide(self) -> None:
        from release.data import load_pin, load_policy
        from release.guide import guide

        data = load_policy(self.tree / "release" / "channels.json")
        text = guide(data, load_pin(self.tree / "release" / "pin.json"))
        (self.tree / "docs" / "install.md").write_text(text, encoding="utf-8")

    def extra(self, cell: str) -> list[str]:
        return self.runner.artifacts["extras"][f"{cell}.txt"].decode().splitlines()


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


def executorch_builds(
    version: str, commit: str, rows: tuple[str, ...]
) -> Iterator[tuple[str, StandIn]]:
    provenance = {"executorch/version.py": f"git_version: str = {commit!r}\n"}
    machines = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64")
    pythons = ("310", "311", "312", "313", "314")
    for row, machine, python in itertools.product(rows, machines, pythons):
        tag = f"cp{python}-cp{python}-{machine}"
        yield row, StandIn("executorch", f"{version}+{row}", tag=tag, files=provenance)


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
