"""Stand-in wheels in folders, served as indexes on loopback, and installers that resolve there.

Each index of the policy has a folder of its own, row by row, and its address in any command is
replaced by the server's; the default index is set by the installer's own environment variable.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import subprocess
import sys
import threading
import urllib.parse
import venv
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from release.extras import extra_lines
from release.model import Policy
from release.policy import Wheel
from release.versions import Version

from .support import DELEGATE, policy

LINUX_TAG = "py3-none-manylinux_2_17_x86_64"


@dataclass(frozen=True)
class StandIn:
    """A wheel with nothing in it but its metadata."""

    name: str
    version: str
    requires: tuple[str, ...] = ()
    extras: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tag: str = "py3-none-any"
    files: dict[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}-{self.tag}.whl"

    def write(self, folder: Path) -> Path:
        info = f"{self.name.replace('-', '_')}-{self.version}.dist-info"
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}"]
        lines += [f"Requires-Dist: {line}" for line in self.requires]
        for extra, requirements in self.extras.items():
            lines.append(f"Provides-Extra: {extra}")
            lines += [f'Requires-Dist: {line} ; extra == "{extra}"' for line in requirements]
        files = {
            **self.files,
            f"{info}/METADATA": "\n".join(lines) + "\n",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {self.tag}\n",
        }
        record = [f"{name},{_hash(text)},{len(text)}" for name, text in files.items()]
        files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path


def _hash(text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
    return f"sha256={digest.decode().rstrip('=')}"


def main_wheel(wheel: Wheel, base: Version, torch: str) -> StandIn:
    """A torch-tensorrt whose extra is what the policy computes for it."""
    known = policy()
    return StandIn(
        known.main,
        str(wheel.labelled_version),
        (f"torch=={torch}", "tensorrt-cu13"),
        {known.extra: tuple(extra_lines(known, wheel, base))},
        LINUX_TAG,
    )


def delegate_wheel(version: str, executorch: str) -> StandIn:
    requires = (f"executorch=={executorch}", "tensorrt-cu13==11.4.0.106", "torch")
    return StandIn(DELEGATE, version, requires, tag=LINUX_TAG)


class Indexes:
    """Folders under a root; a folder is the part of an index's address after the server's own."""

    def __init__(self, root: Path, port: int) -> None:
        self.root, self.address = root, f"http://127.0.0.1:{port}"

    def add(self, index: str, row: str, *wheels: StandIn) -> None:
        for wheel in wheels:
            wheel.write(self.folder(index, row))

    def folder(self, index: str, row: str = "") -> Path:
        return self.root / index / row

    def remove(self, index: str, row: str, pattern: str) -> None:
        found = list(self.folder(index, row).glob(pattern))
        assert found, f"no {pattern} in {index} {row}"
        for path in found:
            path.unlink()

    def url(self, index: str, row: str) -> str:
        return f"{self.address}/{index}/{row}/"

    def localize(self, known: Policy, command: str) -> str:
        """The command with each address of the policy replaced; refuses one it does not know."""
        for name, index in known.indexes.items():
            for row in known.rows if index.url else ():
                place = self.url(name, row if "{row}" in index.url else "any")
                command = _replace_word(command, index.url_for(row), place)
        assert "https://" not in command, command
        return command


def _replace_word(command: str, word: str, by: str) -> str:
    return " ".join(by if part == word else part for part in command.strip().split(" "))


class _Handler(BaseHTTPRequestHandler):
    root: Path

    def do_GET(self) -> None:
        path = Path(urllib.parse.unquote(self.path.split("?")[0]).strip("/"))
        file = self.root / path
        if file.suffix == ".whl" and file.is_file():
            return self._reply(file.read_bytes(), "application/octet-stream")
        folder, project = self.root / path.parent, path.name
        names = sorted(
            found.name
            for found in folder.glob("*.whl")
            if found.name.split("-")[0].replace("_", "-").lower() == project.lower()
        )
        if not names:
            return self.send_error(404)
        links = "".join(
            f'<a href="../{urllib.parse.quote(name)}">{html.escape(name)}</a>' for name in names
        )
        return self._reply(
            f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html"
        )

    do_HEAD = do_GET

    def _reply(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def serve(root: Path) -> Iterator[Indexes]:
    handler = type("Handler", (_Handler,), {"root": root})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Indexes(root, server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Resolved:
    """What is installed afterwards; code and output are the installer's own."""

    code: int
    versions: dict[str, str]
    output: str


class Installers:
    """Runs install commands with the real pip, or the real uv, into fresh environments."""

    def __init__(self, indexes: Indexes, scratch: Path) -> None:
        self.indexes, self.scratch = indexes, scratch
        self.count = 0

    def environment(self) -> dict[str, str]:
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))
        }
        tools = str(Path(sys.executable).parent)
        return {
            **kept,
            "PATH": f"{tools}{os.pathsep}{kept['PATH']}",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": self.indexes.url("pypi", "any"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_CACHE_DIR": "1",
            "UV_NO_CONFIG": "1",
            "UV_DEFAULT_INDEX": self.indexes.url("pypi", "any"),
            "UV_NO_CACHE": "1",
        }

    def fresh(self) -> Path:
        self.count += 1
        folder = self.scratch / f"environment{self.count}"
        venv.EnvBuilder(symlinks=True).create(folder)
        return folder

    def run(self, tool: str, command: str, into: Path | None = None) -> Resolved:
        """command as in the docs, `python -m pip install ...`; uv takes the same arguments."""
        folder = into or self.fresh()
        text = self.indexes.localize(policy(), command)
        environment = self.environment()
        if tool == "uv":
            text = text.replace("python -m pip install", "uv pip install", 1)
            environment["VIRTUAL_ENV"] = str(folder)
        else:
            environment["PIP_PYTHON"] = str(folder)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        return Resolved(done.returncode, installed(folder), done.stdout + done.stderr)


def installed(environment: Path) -> dict[str, str]:
    found = {}
    for info in environment.glob("lib/python*/site-packages/*.dist-info"):
        name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
        found[name.replace("_", "-").lower()] = version
    return found


def freeze(versions: dict[str, str], names: Iterable[str] = ()) -> str:
    chosen = set(names) or set(versions)
    return "".join(f"{name}=={versions[name]}\n" for name in versions if name in chosen)
