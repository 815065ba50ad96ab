"""A copy of the repository and stand-in indexes on which the workflows run, step by step.

Only three things are changed in the copy: the addresses in release/channels.json, the pin, and the
project that is built, which is a stand-in with the delegate's name.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from .ci_matrix import full_matrix
from .local_indexes import LINUX_TAG, Indexes, Installers, StandIn
from .support import DELEGATE, ROOT, policy
from .workflow_runner import (
    Context,
    Job,
    Runner,
    checkout,
    download_artifact,
    nothing,
    upload_artifact,
)

GENERATOR = "pytorch/test-infra/.github/workflows/generate_binary_build_matrix.yml"
ROWS = ("cu130", "cu132", "cu134")

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


def executorch_builds(
    version: str, commit: str, rows: tuple[str, ...]
) -> Iterator[tuple[str, StandIn]]:
    provenance = {"executorch/version.py": f"git_version: str = {commit!r}\n"}
    machines = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64")
    pythons = ("310", "311", "312", "313", "314")
    for row, machine, python in itertools.product(rows, machines, pythons):
        tag = f"cp{python}-cp{python}-{machine}"
        yield row, StandIn("executorch", f"{version}+{row}", tag=tag, files=provenance)
