"""Every fenced block of every page is run here or by the test that the table names; links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRTET_BUILD_DIR", ROOT / "build" / "default"))
PAGES = [
    page
    for pattern in (
        "README.md",
        "docs/**/*.md",
        "examples/**/*.md",
        "packaging/**/*.md",
        "python/*.md",
    )
    for page in sorted(ROOT.glob(pattern))
]

# (page, language of the fence) -> the test that runs such blocks of that page.
ELSEWHERE = {
    ("docs/install.md", "bash"): (
        "tests/release/test_docs.py",
        "test_the_guides_commands_are_run_with_pip_and_uv",
    ),
    ("docs/release-channels.md", "bash"): (
        "tests/release/test_docs.py",
        "test_every_command_of_the_maintainers_page_runs",
    ),
    ("docs/release-channels.md", "text"): (
        "tests/release/test_docs.py",
        "test_every_command_of_the_maintainers_page_runs",
    ),
    ("examples/cpp/README.md", "sh"): ("tests/package/test_cpp_examples.py", "built"),
    ("examples/python/README.md", "sh"): (
        "tests/python/test_examples.py",
        "test_the_pages_command_runs",
    ),
    ("docs/trtet.md", "console"): (
        "tests/tools/test_documentation.py",
        "test_captures_are_current",
    ),
}


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def key(self) -> tuple[str, str]:
        return str(self.page.relative_to(ROOT)), self.language


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, without the indentation of a list they are in."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block(
            page,
            text.count("\n", 0, match.start()) + 1,
            match["language"].strip(),
            re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE),
        )
        for match in re.finditer(
            r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
            text,
            re.MULTILINE | re.DOTALL,
        )
    ]
    assert 2 * len(found) == len(re.findall(r"^ *```", text, re.MULTILINE)), f"{page}: unpaired ```"
    return found


HERE = [block for page in PAGES for block in blocks(page) if block.key not in ELSEWHERE]


def of(*languages: str) -> list[Block]:
    return [block for block in HERE if block.language in languages]


def commands() -> list[pytest.param]:
    return [
        pytest.param(shlex.split(line, comments=True), id=f"{block.where} {line.split('  ')[0]}")
        for block in of("sh", "bash")
        for line in block.text.splitlines()
        if line.strip()
    ]


@pytest.mark.parametrize("words", commands())
def test_a_command_works(words: list[str], tmp_path: Path) -> None:
    run = {
        "make": run_make,
        "trtet": run_trtet,
        "exporter/trtet-export": run_export,
        ".venv/bin/pre-commit": run_pre_commit,
    }
    assert words[0] in run, f"no test knows how to run {words[0]}"
    run[words[0]](words, tmp_path)


def run_make(words: list[str], _: Path) -> None:
    """Recipes themselves take minutes to hours and are CI's; here that make accepts the line."""
    done = checked(["make", "-n", *words[1:]], ROOT)
    assert done.stdout
    listed = {line.split()[0] for line in checked(["make", "help"], ROOT).stdout.splitlines()}
    assert {word for word in words[1:] if "=" not in word} <= listed


def run_trtet(words: list[str], folder: Path) -> None:
    """With model.pte in the current folder, on the stand-ins."""
    shutil.copy(built("programs/add_one.pte"), folder / "model.pte")
    checked([str(built("trtet")), *words[1:]], folder)


def run_export(words: list[str], _: Path) -> None:
    """Exports themselves are in tests/python/test_export_file.py; here that the options exist."""
    needs("torch")
    shown = checked([sys.executable, str(ROOT / words[0]), "--help"], ROOT).stdout
    assert {word for word in words if word.startswith("--")} <= set(re.findall(r"--[\w-]+", shown))


def run_pre_commit(words: list[str], folder: Path) -> None:
    """In a checkout of its own: this one's hooks are its owner's."""
    needs("pre_commit")
    checked(["git", "init", "--quiet"], folder)
    shutil.copy(ROOT / ".pre-commit-config.yaml", folder)
    checked([str(ROOT / words[0]), *words[1:]], folder, PRE_COMMIT_HOME=str(folder / "home"))
    assert (folder / ".git" / "hooks" / "pre-commit").exists()


@pytest.mark.parametrize("block", of("python"), ids=lambda block: block.where)
def test_python_runs(block: Block, tmp_path: Path) -> None:
    needs("torch")
    from tests.support.runtime_wheel import installed_runtime_wheel

    shutil.copy(built("programs/add_one.pte"), tmp_path / "model.pte")
    standins = built("standins").resolve()
    checked(
        [sys.executable, "-c", block.text + "\nprint(outputs)\n"],
        tmp_path,
        PYTHONPATH=str(installed_runtime_wheel()),
        LD_LIBRARY_PATH=str(standins),
        # PyTorch's libraries look for theirs by DT_RPATH, which LD_LIBRARY_PATH does not beat.
        LD_PRELOAD=str(standins / "libcudart.so.13"),
    )


@pytest.mark.parametrize("block", of("sh checkout"), ids=lambda block: block.where)
def test_a_checkouts_commands_run(block: Block, tmp_path: Path) -> None:
    """In a folder that looks like the checkout, with its page's Python as app.py; make is run_make's."""
    needs("torch")
    from tests.support.runtime_wheel import built_runtime_wheel

    (app,) = (b.text for b in of("python") if b.page == block.page)
    (tmp_path / "app.py").write_text(app + "\nprint(outputs)\n")
    shutil.copy(built("programs/add_one.pte"), tmp_path / "model.pte")
    for folder in ("build", "dist"):
        (tmp_path / folder).mkdir()
    (tmp_path / "build" / "standins").symlink_to(built("standins").resolve())
    shutil.copy(built_runtime_wheel(), tmp_path / "dist")
    venv.create(tmp_path / ".venv", symlinks=True)
    (site,) = (tmp_path / ".venv" / "lib").glob("python*/site-packages")
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for line in filter(lambda line: line.startswith("make "), block.text.splitlines()):
        run_make(shlex.split(line), tmp_path)
    script = re.sub(r"^make .*\n", "", block.text, flags=re.MULTILINE)
    done = checked(["bash", "-eu", "-c", script], tmp_path)
    assert "tensor([[2., 2., 2.]," in done.stdout
    assert list(site.glob("torch_tensorrt_executorch_runtime*")), "installed nowhere"


@pytest.mark.parametrize("block", of("cpp"), ids=lambda block: block.where)
def test_cpp_compiles(block: Block, tmp_path: Path) -> None:
    """Linking it as README.md says is test_cpp_is_built_as_the_pages_say."""
    (tmp_path / "main.cpp").write_text(block.text)
    package = importlib.util.find_spec("executorch")
    assert package is not None and package.submodule_search_locations
    headers = Path(next(iter(package.submodule_search_locations))) / "include"
    own = headers / "executorch" / "runtime" / "core" / "portable_type" / "c10"
    includes = [f"-I{folder}" for folder in (headers, own, ROOT / "include")]
    flags = [
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-DC10_USING_CUSTOM_GENERATED_MACROS",
    ]
    checked(["g++", *flags, *includes, "main.cpp"], tmp_path)


@pytest.mark.parametrize("block", of("cmake"), ids=lambda block: block.where)
def test_cpp_is_built_as_the_pages_say(block: Block, tmp_path: Path) -> None:
    """A page's CMake with the README's C++ as a project, against the delegate as it is installed."""
    (source,) = (b.text for b in HERE if b.page == ROOT / "README.md" and b.language == "cpp")
    cmake = block.text
    head = "cmake_minimum_required(VERSION 3.28)\nproject(app LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
    (tmp_path / "CMakeLists.txt").write_text(head + cmake)
    (tmp_path / "main.cpp").write_text(source)
    package = importlib.util.find_spec("executorch")
    assert package is not None and package.submodule_search_locations
    executorch = Path(next(iter(package.submodule_search_locations)))
    prefix = tmp_path / "installed"
    for component in ("runtime", "dev"):
        checked(
            ["cmake", "--install", str(BUILD), "--prefix", str(prefix), "--component", component],
            tmp_path,
        )
    path = f"-DCMAKE_PREFIX_PATH={prefix};{executorch};{executorch / 'share' / 'cmake'}"
    checked(["cmake", "-G", "Ninja", "-S", ".", "-B", "build", path], tmp_path)
    checked(["cmake", "--build", "build"], tmp_path)
    shutil.copy(built("programs/add_one_host.pte"), tmp_path / "model.pte")
    search = f"{built('standins').resolve()}:{executorch / 'lib'}:{prefix / 'lib'}"
    checked(["build/my_app"], tmp_path, LD_LIBRARY_PATH=search)


@pytest.mark.parametrize("block", of("toml"), ids=lambda block: block.where)
def test_a_mutation_shown_has_the_fields_of_real_ones(block: Block) -> None:
    from tests.mutations.entries import tomllib

    (shown,) = tomllib.loads(block.text)["mutation"]
    (real, *_) = tomllib.loads((ROOT / "tests/mutations/delegate.toml").read_text())["mutation"]
    assert set(shown) == set(real)


@pytest.mark.parametrize("block", of("bash recipe"), ids=lambda block: block.where)
def test_a_build_recipe_passes_the_guards(block: Block) -> None:
    """They expand it as a shell would; running it downloads a build environment, which is make wheel's."""
    needs("auditwheel")
    checked(
        [sys.executable, "-m", "packaging_checks", str(block.page)],
        ROOT,
        PYTHONPATH=str(ROOT / "packaging"),
    )


def test_every_block_is_covered() -> None:
    run_here = {"sh", "sh checkout", "bash", "bash recipe", "python", "cmake", "cpp", "toml"}
    uncovered = [
        f"{block.where}: ```{block.language}" for block in HERE if block.language not in run_here
    ]
    assert not uncovered, uncovered


@pytest.mark.parametrize(("key", "test"), ELSEWHERE.items(), ids=lambda value: str(value[0]))
def test_what_is_covered_elsewhere_is(key: tuple[str, str], test: tuple[str, str]) -> None:
    assert any(block.key == key for block in blocks(ROOT / key[0])), "no such block any more"
    path, function = test
    # A collection would need the other lane's set-up.
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {function}\(", text, re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken, broken


def test_the_way_of_the_data_is_that_of_the_files() -> None:
    """The table names what a reader opens, in order; the picture shows the same stages."""
    table = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    files = re.findall(r"^\| \d \| `([\w.]+)` \|", table, re.MULTILINE)
    assert 5 <= len(files) <= 8
    assert not [name for name in files if not (ROOT / "src" / name).is_file()]
    picture = (ROOT / "docs" / "data-way.svg").read_text("utf-8")
    boxes = re.findall(r'class="(?:box|run)"/><text [^>]*class="n">(\w+)<', picture)
    assert boxes == [Path(name).stem for name in files if name != "backend.cpp"]


def test_every_folder_has_a_place_in_the_table() -> None:
    table = (
        (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## What lives where")[2]
    )
    rows = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    listed = checked(["git", "ls-files"], ROOT).stdout.splitlines()
    folders = {name.partition("/")[0] for name in listed if "/" in name and name[0] != "."}
    assert set(re.findall(r"`(\w+)/`", rows)) == folders - {"docs"}


def test_the_errors_page_is_current() -> None:
    checked([sys.executable, str(ROOT / "scripts" / "errors_doc.py"), "--check"], ROOT)


def built(name: str) -> Path:
    path = BUILD / name
    assert path.exists(), f"{path} is missing; run make build"
    return path


def needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed; make setup brings it")


def checked(
    command: list[str], folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done
