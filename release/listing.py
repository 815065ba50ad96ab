"""What an index offers of one package, read from a recorded listing.

Three forms: a PEP 503 page (HTML), its PEP 691 form (JSON), or file names, one a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote

from .model import canonical_platform
from .refusal import Refusal
from .versions import Version, parse_version

_WHEEL = re.compile(
    r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)(?:-\d[^-]*)?"
    r"-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl"
)


@dataclass(frozen=True)
class Cell:
    """One build of a version: the row of its label ("" for none), platform, Python ("" for any)."""

    row: str
    platform: str
    python: str


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a" and values.get("href") and "data-yanked" not in values:
            self.names.append(_last_part(values["href"] or ""))


def _last_part(url: str) -> str:
    return unquote(url.split("#")[0].split("?")[0].rsplit("/", 1)[-1])


def file_names(text: str, subject: str) -> list[str]:
    """Names of the files a listing offers, without yanked ones."""
    start = text.lstrip()[:1]
    if start == "<":
        page = _Page()
        page.feed(text)
        return page.names
    if start == "{":
        try:
            files = json.loads(text)["files"]
            return [file["filename"] for file in files if not file.get("yanked")]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refusal(subject, f"not a PEP 691 listing: {error}", '{"files": [...]}') from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def offered(names: Iterable[str], package: str, subject: str) -> dict[Version, set[Cell]]:
    """Versions (without label) and their builds. Versions of another form are passed over.

    Refused: a listing that holds no wheel of the package, which is the wrong file.
    """
    found: dict[Version, set[Cell]] = {}
    seen = False
    for name in names:
        match = _WHEEL.fullmatch(name)
        if match is None or _normal(match["name"]) != _normal(package):
            continue
        seen = True
        try:
            version = parse_version(match["version"], subject)
        except Refusal:
            continue
        found.setdefault(version.labelled(""), set()).update(_cells(match, version.label))
    if not seen:
        raise Refusal(subject, f"no wheel of {package} in it", f"the index's page of {package}")
    return found


def _cells(match: re.Match[str], row: str) -> set[Cell]:
    pythons = {_python(tag, match["abi"]) for tag in match["python"].split(".")}
    platforms = {canonical_platform(tag) for tag in match["platform"].split(".")}
    return {Cell(row, platform, python) for platform in platforms if platform for python in pythons}


def _python(tag: str, abi: str) -> str:
    match = re.fullmatch(r"cp(\d)(\d+)", tag)
    if match is None:
        return ""
    free_threaded = "t" if re.fullmatch(r"cp\d+t", abi) else ""
    return f"{match[1]}.{match[2]}{free_threaded}"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
