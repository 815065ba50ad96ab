"""Full build matrices in the form of PyTorch's generate_binary_build_matrix."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t", "3.15")
KINDS = (
    ("cpu", ""),
    ("cuda", "12.6"),
    ("cuda", "13.0"),
    ("cuda", "13.2"),
    ("cuda", "13.4"),
    ("rocm", "7.1"),
    ("xpu", ""),
)
_RUNNERS = {
    "linux": ("linux.2xlarge", "linux.g5.4xlarge.nvidia.gpu"),
    "linux-aarch64": ("linux.arm64.m7g.4xlarge", "linux.arm64.m7g.4xlarge"),
    "windows": ("windows.4xlarge", "windows.g4dn.xlarge"),
}


def entry(python: str, kind: str, version: str, system: str, channel: str) -> Entry:
    desired = {"cuda": f"cu{version.replace('.', '')}", "rocm": f"rocm{version}"}.get(kind, kind)
    arm = system == "linux-aarch64"
    package = "wheel" if system == "windows" else "manywheel"
    suffix = "-aarch64" if arm and kind in ("cpu", "cuda") else ""
    built = f"{package}-py{python}-{kind}{suffix}{version}".replace(".", "_")
    image = "manylinux2_28_aarch64-builder" if arm else "manylinux2_28-builder"
    return {
        "python_version": python,
        "gpu_arch_type": kind + suffix,
        "gpu_arch_version": version,
        "desired_cuda": desired,
        "container_image": f"pytorch/{image}:{kind}{version}",
        "package_type": package,
        "build_name": built,
        "validation_runner": _RUNNERS[system][kind == "cuda"],
        "channel": channel,
        "upload_to_base_bucket": "no",
        "stable_version": "2.14.0",
        "use_split_build": False,
    }


def full_matrix(
    *systems: str, channel: str = "nightly", kinds: tuple[tuple[str, str], ...] = KINDS
) -> dict[str, list[Entry]]:
    return {
        "include": [
            entry(python, kind, version, system, channel)
            for system in systems or ("linux",)
            for python in PYTHONS
            for kind, version in kinds
        ]
    }
