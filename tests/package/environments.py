"""Virtual environments as users have them, filled with the wheel and with stand-ins for what it needs.

Wheels are unpacked rather than installed where installing is not what a test is about: that takes
no time.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from wheels import write_distribution

PACKAGE = "torch_tensorrt_executorch_runtime"
VENV_SITE = Path(sysconfig.get_path("purelib")).resolve()


@dataclass(frozen=True)
class Done:
    """What a process left."""

    code: int
    out: str
    err: str

    @property
    def command(self) -> str:
        """The one command that an error names."""
        line = next(x for x in self.err.splitlines() if x.startswith("Fix it with: "))
        return line.removeprefix("Fix it with: ")


@dataclass(frozen=True)
class Environment:
    """A virtual environment; everything in it is run with an empty set of variables."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def site(self) -> Path:
        return next(self.folder.glob("lib/python3.*/site-packages"))

    def unpack(self, wheels: Iterable[Path], site: Path | None = None) -> Environment:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(site or self.site)
                for member in archive.infolist():
                    if member.external_attr >> 16 & 0o111:
                        ((site or self.site) / member.filename).chmod(0o755)
        return self

    def remove(self, *patterns: str) -> Environment:
        """Deletes files or folders of site-packages; a pattern that matches none is an error."""
        for pattern in patterns:
            found = list(self.site.glob(pattern))
            assert found, pattern
            for path in found:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        return self

    def run(self, *arguments: object, variables: Mapping[str, str] | None = None) -> Done:
        # Without the loader's cache: a CUDA toolkit of this machine must not stand in for a package.
        start = [program_interpreter(self.python), "--inhibit-cache", self.python]
        return run(*start, *arguments, variables=variables, cwd=self.folder)

    def load(self, code: str = "", variables: Mapping[str, str] | None = None) -> Done:
        """Imports the package in a fresh process, then runs ``code``."""
        return self.run(
            "-c", f"import torch_tensorrt_executorch_runtime\n{code}", variables=variables
        )

    def report(self, variables: Mapping[str, str] | None = None) -> tuple[Done, dict]:
        done = self.run("-m", "torch_tensorrt_executorch_runtime", "--json", variables=variables)
        return done, json.loads(done.out)


def program_interpreter(program: Path) -> Path:
    """The loader that starts ``program``."""
    with program.resolve().open("rb") as file:
        segments = ELFFile(file).iter_segments("PT_INTERP")
        return Path(next(segments).get_interp_name())


def run(
    *command: object, variables: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Done:
    """Runs a command with no variables but those given."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env=dict(variables or {}),
        cwd=cwd,
        check=False,
        timeout=300,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def make_environment(
    folder: Path, python: Path | None = None, with_pip: bool = False
) -> Environment:
    command: list[object] = [sys.executable, "-m", "virtualenv", "-q", "--no-download"]
    command += ["--no-periodic-update", "--symlink-app-data"]
    command += [] if with_pip else ["--no-pip"]
    command += ["-p", python or sys.executable, folder]
    # virtualenv would find an outer environment by its variables, so it gets those of the tests.
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    return Environment(folder)


def interpreters() -> dict[str, Path]:
    """Every CPython from 3.10 on that this machine has, by minor version."""
    candidates: list[Path] = []
    folders = {Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for root in (pyenv / "versions", Path("/opt/python"), Path.home() / ".local/share/uv/python"):
        folders |= {child / "bin" for child in root.glob("*") if child.is_dir()}
    for folder in sorted(folders):
        candidates += sorted(folder.glob("python3.[0-9]*"))
    found: dict[str, Path] = {}
    for candidate in candidates:
        minor = candidate.name.removeprefix("python3.")
        if minor.isdigit() and int(minor) >= 10 and f"3.{minor}" not in found:
            with contextlib.suppress(OSError):
                if run(candidate, "-c", "import venv, ctypes").code == 0:
                    found[f"3.{minor}"] = candidate
    return found


@dataclass(frozen=True)
class Parts:
    """Stand-in distributions laid out as the real ones, in one folder that pip can search."""

    folder: Path
    standins: Path

    def executorch(self, version: str = "1.5.1", build: str = "1.5.1+cpu") -> Path:
        library = VENV_SITE / "executorch" / "lib" / "libexecutorch.so"
        files: dict[str, bytes | Path] = {
            "executorch/version.py": f'__version__ = "{build}"\n'.encode(),
            "executorch/lib/libexecutorch.so": library,
        }
        return write_distribution(self.folder, "executorch", version, files)

    def torch(self, version: str = "2.14.0") -> Path:
        code = f'__version__ = "{version}"\n'.encode()
        return write_distribution(self.folder, "torch", version, {"torch/__init__.py": code})

    def tensorrt(
        self,
        version: str = "11.4.0.106",
        name: str = "libnvinfer.so.11",
        library: Path | None = None,
    ) -> list[Path]:
        source = library or self.standins / "libnvinfer.so.11"
        libs = write_distribution(
            self.folder, "tensorrt-cu13-libs", version, {f"tensorrt_libs/{name}": source}
        )
        meta = write_distribution(
            self.folder, "tensorrt-cu13", version, {}, (f"tensorrt-cu13-libs=={version}",)
        )
        return [meta, libs]

    def cudart(
        self,
        version: str = "13.0.96",
        path: str = "nvidia/cu13/lib/libcudart.so.13",
        library: Path | None = None,
    ) -> Path:
        source = library or self.standins / "libcudart.so.13"
        return write_distribution(self.folder, "nvidia-cuda-runtime", version, {path: source})

    def all(self) -> list[Path]:
        return [self.executorch(), self.torch(), *self.tensorrt(), self.cudart()]

    def elsewhere(self) -> Parts:
        """The same stand-ins, written to a folder of their own that pip does not search."""
        return Parts(Path(tempfile.mkdtemp(dir=self.folder)), self.standins)

    @property
    def pip_variables(self) -> dict[str, str]:
        return {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.folder),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }


def with_executorch(environment: Environment) -> Environment:
    """The real ExecuTorch's C++ side, as pip leaves it."""
    target = environment.site / "executorch"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for folder in ("include", "lib", "share"):
        shutil.copytree(VENV_SITE / "executorch" / folder, target / folder)
    shutil.copy(VENV_SITE / "executorch" / "version.py", target)
    return environment


def cmake(*arguments: object, cwd: Path | None = None) -> Done:
    """CMake with nothing of this machine's variables but the tools' folder."""
    tools = Path(sys.executable).parent
    return run(tools / "cmake", *arguments, variables={"PATH": f"{tools}:/usr/bin:/bin"}, cwd=cwd)
