"""Facts of one wheel, read once: names, sizes, RECORD, tags, metadata, build record, the library inside."""

from __future__ import annotations

import base64
import csv
import email.parser
import hashlib
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from .elf_facts import ElfFacts, UnreadableFile, read_elf


@dataclass(frozen=True)
class RecordLine:
    """One line of RECORD; hash and size are empty for RECORD itself."""

    path: str
    digest: str
    size: str


@dataclass(frozen=True)
class WheelFacts:
    """What the guards need to know of a wheel. ``files`` maps each member to its sha256 as RECORD writes it."""

    filename: str
    size_bytes: int
    distribution: str
    version: str
    filename_tags: frozenset[str]
    declared_tags: frozenset[str]  # of the WHEEL file
    purelib: bool
    dist_info: str
    files: dict[str, tuple[str, int]]
    duplicates: tuple[str, ...]
    record: tuple[RecordLine, ...]
    metadata_name: str
    metadata_version: str
    requirements: tuple[Requirement, ...]
    unreadable_requirements: tuple[str, ...]
    build_record: dict[str, Any]
    library: ElfFacts | None
    sources: dict[str, str]  # Python files, for constants they hold

    @property
    def platform_tags(self) -> tuple[str, ...]:
        return tuple(sorted(tag.split("-", 2)[2] for tag in self.filename_tags))


def read_wheel(path: Path, library_name: str, record_name: str) -> WheelFacts:
    """Facts of the wheel at ``path``. Raises UnreadableFile when it is no wheel at all."""
    try:
        name, version, _, tags = parse_wheel_filename(path.name)
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive, str(name), str(version), tags, library_name, record_name)
    except (InvalidWheelFilename, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UnreadableFile(f"{path.name}: not a readable wheel ({error})") from error


def _read(
    path: Path,
    archive: zipfile.ZipFile,
    name: str,
    version: str,
    tags: Any,
    library_name: str,
    record_name: str,
) -> WheelFacts:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    dist_infos = {n.split("/")[0] for n in names if n.split("/")[0].endswith(".dist-info")}
    if len(dist_infos) != 1:
        raise UnreadableFile(f"{path.name}: holds {len(dist_infos)} .dist-info folders, not one")
    dist_info = dist_infos.pop()
    contents = {n: archive.read(n) for n in names}
    wheel_file = _headers(contents.get(f"{dist_info}/WHEEL", b""))
    metadata = _headers(contents.get(f"{dist_info}/METADATA", b""))
    requirements, unreadable = _requirements(metadata.get_all("Requires-Dist", []))
    library = next((n for n in names if n.rsplit("/", 1)[-1] == library_name), None)
    return WheelFacts(
        filename=path.name,
        size_bytes=path.stat().st_size,
        distribution=name,
        version=version,
        filename_tags=frozenset(str(tag) for tag in tags),
        declared_tags=frozenset(wheel_file.get_all("Tag", [])),
        purelib=wheel_file.get("Root-Is-Purelib", "").strip().lower() == "true",
        dist_info=dist_info,
        files={n: (_digest(data), len(data)) for n, data in contents.items()},
        duplicates=tuple(sorted({n for n in names if names.count(n) > 1})),
        record=_record(contents.get(f"{dist_info}/RECORD", b"")),
        metadata_name=metadata.get("Name", ""),
        metadata_version=metadata.get("Version", ""),
        requirements=requirements,
        unreadable_requirements=unreadable,
        build_record=json.loads(contents.get(record_name, b"{}")),
        library=read_elf(library, contents[library]) if library else None,
        sources={n: d.decode() for n, d in contents.items() if n.endswith(".py")},
    )


def _headers(data: bytes) -> Any:
    return email.parser.Parser().parsestr(data.decode())


def _digest(data: bytes) -> str:
    encoded = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={encoded.decode()}"


def _record(data: bytes) -> tuple[RecordLine, ...]:
    rows = csv.reader(data.decode().splitlines())
    return tuple(RecordLine(*[*row, "", "", ""][:3]) for row in rows if row)


def _requirements(lines: list[str]) -> tuple[tuple[Requirement, ...], tuple[str, ...]]:
    good: list[Requirement] = []
    bad: list[str] = []
    for line in lines:
        try:
            good.append(Requirement(line))
        except InvalidRequirement:
            bad.append(line)
    return tuple(good), tuple(bad)
