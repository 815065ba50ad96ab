"""Wheels written by the tests: the product's, good or wrong in one respect, and stand-ins for other packages."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from packaging_checks.policy import PACKAGE, WHEEL_POLICY
from packaging_checks.rows import CUDA_MAJORS

__all__ = ["WheelSpec", "replace", "write_distribution", "write_wheel"]

ROW_VERSIONS = {"cu126": "12.6.77", "cu130": "13.0.96", "cu132": "13.2.86"}


@dataclass(frozen=True)
class WheelSpec:
    """One runtime wheel; the defaults describe one that every guard passes."""

    library: bytes
    row: str = "cu130"
    label: str = "cu130"  # of ExecuTorch's metadata; empty for none
    index: str = "pytorch"
    version: str = "0.2.0"
    platform: str = "manylinux_2_28_x86_64"
    python_abi: str = "py3-none"
    declared_tag: str = ""  # empty: as the file name
    purelib: str = "false"
    metadata_name: str = WHEEL_POLICY.distribution
    metadata_version: str = ""
    requirements: tuple[str, ...] | None = None  # None: the right ones
    extra_files: Mapping[str, bytes] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    python_backend_name: str = "TensorRTBackend"
    record_edit: tuple[str, str] = ("", "")
    build_record: Mapping[str, Any] | None = None
    executorch_platform_tag: str = "manylinux_2_28_x86_64"

    @property
    def executorch_version(self) -> str:
        return f"1.5.1+{self.label}" if self.label else "1.5.1"

    @property
    def right_requirements(self) -> tuple[str, ...]:
        cuda = CUDA_MAJORS[int(self.row[2:4])]
        executorch = "1.5.1" if self.index == "pypi" else self.executorch_version
        return (
            f"executorch=={executorch}",
            f"{cuda.tensorrt_distribution}==11.4.0.106",
            f"{cuda.cudart_distribution}=={ROW_VERSIONS[self.row]}",
            "torch",
        )

    @property
    def right_record(self) -> dict[str, Any]:
        major = int(self.row[2:4])
        return {
            "index": self.index,
            "cuda": {"row": self.row, "major": major},
            "executorch": {
                "version": self.executorch_version,
                "build_version": self.executorch_version,
                "platform_tags": [self.executorch_platform_tag],
            },
            "tensorrt": {"version": "11.4.0.106"},
            "cuda_runtime": {"version": ROW_VERSIONS[self.row]},
        }


def write_wheel(spec: WheelSpec, folder: Path) -> Path:
    """Writes ``spec`` as a wheel file into ``folder``."""
    dist_info = f"{PACKAGE}-{spec.version}.dist-info"
    tag = f"{spec.python_abi}-{spec.platform}"
    files = {name: b"x = 1\n" if name.endswith(".py") else b"" for name in WHEEL_POLICY.files}
    files[f"{PACKAGE}/lib/libexecutorch_backend_tensorrt.so"] = spec.library
    files[f"{PACKAGE}/_registration.py"] = f"BACKEND_NAME = {spec.python_backend_name!r}\n".encode()
    record = spec.right_record if spec.build_record is None else spec.build_record
    files[f"{PACKAGE}/build_record.json"] = json.dumps(record).encode()
    requirements = spec.right_requirements if spec.requirements is None else spec.requirements
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {spec.metadata_name}",
        f"Version: {spec.metadata_version or spec.version}",
    ]
    metadata += [f"Requires-Dist: {line}" for line in requirements]
    files[f"{dist_info}/METADATA"] = ("\n".join(metadata) + "\n").encode()
    lines = ["Wheel-Version: 1.0", f"Root-Is-Purelib: {spec.purelib}"]
    lines.append(f"Tag: {spec.declared_tag or tag}")
    files[f"{dist_info}/WHEEL"] = ("\n".join(lines) + "\n").encode()
    files[f"{dist_info}/entry_points.txt"] = b""
    files[f"{dist_info}/licenses/LICENSE"] = b"BSD\n"
    files = {name: data for name, data in files.items() if name not in spec.left_out}
    files.update(spec.extra_files)
    path = folder / f"{PACKAGE}-{spec.version}-{tag}.whl"
    return _zip(path, files, dist_info, spec.record_edit)


def write_distribution(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, bytes | Path],
    requirements: tuple[str, ...] = (),
) -> Path:
    """A wheel of any other project, installable on every Python, laid out as ``files`` says."""
    escaped = name.replace("-", "_")
    dist_info = f"{escaped}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Requires-Dist: {line}" for line in requirements]
    contents = {n: d.read_bytes() if isinstance(d, Path) else d for n, d in files.items()}
    contents[f"{dist_info}/METADATA"] = ("\n".join(metadata) + "\n").encode()
    contents[f"{dist_info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    return _zip(folder / f"{escaped}-{version}-py3-none-any.whl", contents, dist_info)


def _zip(
    path: Path, files: Mapping[str, bytes], dist_info: str, record_edit: tuple[str, str] = ("", "")
) -> Path:
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    record = "\n".join([*lines, f"{dist_info}/RECORD,,", ""])
    if record_edit[0]:
        assert record_edit[0] in record
        record = record.replace(*record_edit)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{dist_info}/RECORD", record)
    return path
