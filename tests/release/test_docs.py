"""The guide is what the data says, and every fenced command of both pages runs."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from release.data import load_pin, pin_version
from release.guide import guide
from release.model import Pin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from .local_indexes import Indexes, StandIn, serve
from .published import publish_default
from .support import NIGHTLY_PIN, RELEASE_PIN, ROOT, policy, release
from .test_policy import CARRIED_ONLY, CELLS, LINUX, NAMED
from .test_resolution import guide_commands
from .workflow_site import ROWS, Site, executorch_builds

INSTALL = ROOT / policy().guide
MAINTAINERS = ROOT / "docs" / "release-channels.md"


@dataclass(frozen=True)
class Block:
    """A fenced block of commands, and what the page says they print ("" where it says nothing)."""

    commands: str
    output: str


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    pattern = r"^```bash\n(.*?)^```\n(?:```text\n(.*?)^```\n)?"
    found = [Block(*groups) for groups in re.findall(pattern, text, re.MULTILINE | re.DOTALL)]
    assert len(found) == text.count("```bash")
    assert text.count("```") == 2 * (text.count("```bash") + text.count("```text"))
    return found


def test_the_guide_is_the_generators() -> None:
    assert INSTALL.read_text(encoding="utf-8") == guide(policy(), load_pin())
    assert "is what the data says" in release("guide", "--check", INSTALL).err
    assert release("guide").out == INSTALL.read_text(encoding="utf-8")


def test_an_edited_guide_is_told(tmp_path: Path) -> None:
    edited = tmp_path / "install.md"
    edited.write_text(INSTALL.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    ran = release("guide", "--check", edited, code=1)
    assert "is not what the data says; run: python3 -m release guide > docs/install.md" in ran.err


def test_one_command_per_channel_with_what_it_needs() -> None:
    commands = [block.commands.strip() for block in blocks(INSTALL)]
    assert len(commands) == len(policy().channels)
    plain, candidate, nightly = (command.split() for command in commands)
    for words, index in ((nightly, "nightly"), (candidate, "test")):
        assert "--pre" in words
        assert policy().indexes[index].url_for("cu132") in words
    assert "--pre" not in plain
    for words in (plain, candidate, nightly):
        assert policy().indexes["inference_library"].url in words
        assert '"torch-tensorrt[executorch]"' in words


@pytest.mark.parametrize("pin", [NIGHTLY_PIN, RELEASE_PIN])
def test_a_channel_whose_pin_does_not_fit_says_so(pin: str) -> None:
    text = guide(policy(), Pin(pin_version(pin, "")))
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    warned = {s.splitlines()[0] for s in sections if "does not name the delegate: it" in s}
    expected = {"Nightly"} if pin == RELEASE_PIN else {"Release", "Release candidate"}
    assert warned == expected


def test_no_address_but_the_datas_is_in_what_is_generated() -> None:
    known = {urlsplit(index.url).hostname for index in policy().indexes.values() if index.url}
    printed = "".join(
        release(*words, code=None).out
        for words in (("guide",), ("checklist", "--version", "2.15.0"), ("--help",))
    )
    hosts = {urlsplit(url).hostname for url in re.findall(r"https?://[^\s`|)]+", printed)}
    assert hosts
    assert hosts <= known


def test_the_maintainers_table_is_the_policy() -> None:
    rows = re.findall(
        r"^\| (\w+) \| (\w+) \| (\w+) \| (\w+) \| (\w+) \| ([\w ]+) \|$",
        MAINTAINERS.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    axes = [sorted({cell[axis] for cell in CELLS}) for axis in (0, 1, 3, 4, 2)]
    told: dict[str, set[tuple[str, ...]]] = {}
    for *words, verdict in rows:
        platforms = {"any": axes[4], "Linux": list(LINUX), "Windows": ["win_amd64"]}
        values = [axes[at] if word == "any" else [word] for at, word in enumerate(words[:4])]
        cells = itertools.product(*values, platforms[words[4]])
        told.setdefault(verdict, set()).update(
            (c, p, machine, i, r) for c, p, i, r, machine in cells
        )
    assert len(rows) == 8
    assert told["in the extra"] == NAMED
    assert told["by name"] == CARRIED_ONLY
    assert told["no"].isdisjoint(NAMED | CARRIED_ONLY)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve(tmp_path / "served") as indexes:
        publish_default(indexes)
        made = Site(tmp_path, indexes)
        made.pin("1.6.0.dev20261101")
        record_listings(made.tree, indexes)
        yield made


def record_listings(folder: Path, indexes: Indexes) -> None:
    """What a maintainer has at hand: one page per row, and a wheel of the newest nightly."""
    newest = list(executorch_builds("1.6.0.dev20261128", "b" * 40, ROWS))
    names = [build.file_name for _, build in newest]
    names += [build.file_name for _, build in executorch_builds("1.6.0", "c" * 40, ROWS)]
    for row in ROWS:
        links = "".join(f'<a href="{name}">{name}</a>' for name in names if f"+{row}-" in name)
        (folder / f"listing-{row}.html").write_text(f"<html>{links}</html>", encoding="utf-8")
    newest[0][1].write(folder)


@pytest.mark.parametrize(
    "block", [b for path in (MAINTAINERS,) for b in blocks(path)], ids=lambda b: b.commands[:60]
)
def test_every_command_of_the_maintainers_page_runs(site: Site, block: Block) -> None:
    environment = site.installers.environment()
    if "pip freeze" in block.commands:
        folder = site.installers.fresh()
        install = 'python -m pip install "torch-tensorrt[executorch]" --extra-index-url '
        site.installers.run("pip", install + policy().indexes["inference_library"].url, folder)
        environment["PIP_PYTHON"] = str(folder)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.commands],
        cwd=site.tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if block.output:
        assert done.stdout == block.output


def test_the_guides_commands_are_run_with_pip_and_uv() -> None:
    """Done in test_resolution.py; here only that it takes them from the same page."""
    assert list(guide_commands().values()) == [b.commands.strip() for b in blocks(INSTALL)]


def test_the_readme_of_the_delegates_wheel_links_to_the_guide() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = ROOT / str(project["readme"])
    links = re.findall(r"\]\(([^)#:]+)\)", readme.read_text(encoding="utf-8"))
    assert INSTALL in {(readme.parent / link).resolve() for link in links}


def test_a_stand_in_carries_its_metadata(tmp_path: Path) -> None:
    """The stand-in wheels are only worth something if installers read what is meant."""
    made = StandIn("a-b", "1.0", ("c>=1",), {"x": ("d==2",)}).write(tmp_path)
    with zipfile.ZipFile(made) as archive:
        text = archive.read("a_b-1.0.dist-info/METADATA").decode()
    metadata = Parser().parsestr(text)
    assert metadata.get_all("Requires-Dist") == ["c>=1", 'd==2 ; extra == "x"']
