"""Facts of one ELF file, read once; checks never open it again."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection, GNUVerSymSection
from elftools.elf.sections import Section, SymbolTableSection

_MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}
_ALLOCATED = 0x2  # SHF_ALLOC
_HIDDEN_VERSION = 0x8000


class UnreadableFile(Exception):
    """The file is not what its name says; the message names the subject and what was seen."""


@dataclass(frozen=True)
class Import:
    """A symbol the library takes from elsewhere, with the version node it insists on."""

    name: str
    version: str | None = None
    library: str | None = None


@dataclass(frozen=True)
class ElfFacts:
    """What the guards need to know of a shared library."""

    name: str
    machine: str
    soname: str | None
    needed: tuple[str, ...]
    rpath: str | None
    runpath: str | None
    imports: tuple[Import, ...]
    exports: frozenset[str]
    hidden: frozenset[str]  # defined, and not visible from outside
    stripped_size_bytes: int
    image: bytes = field(repr=False)

    def import_named(self, name: str) -> bool:
        return any(symbol.name == name for symbol in self.imports)


def read_elf(name: str, image: bytes) -> ElfFacts:
    """Facts of ``image``. Raises UnreadableFile for anything that is no complete 64-bit ELF file."""
    try:
        return _read(name, image)
    except (ELFError, KeyError, UnicodeDecodeError, AttributeError) as error:
        raise UnreadableFile(f"{name}: not a readable ELF library ({error})") from error


def _read(name: str, image: bytes) -> ElfFacts:
    elf = ELFFile(io.BytesIO(image))
    dynamic = next((s for s in elf.iter_sections() if isinstance(s, DynamicSection)), None)
    if dynamic is None:
        raise UnreadableFile(f"{name}: has no dynamic section, so it is no shared library")
    tags = list(dynamic.iter_tags())

    def one(tag: str, attribute: str) -> str | None:
        return next((getattr(t, attribute) for t in tags if t.entry.d_tag == tag), None)

    imports, exports, hidden = _symbols(elf)
    return ElfFacts(
        name=name,
        machine=_MACHINES.get(elf["e_machine"], str(elf["e_machine"])),
        soname=one("DT_SONAME", "soname"),
        needed=tuple(getattr(t, "needed") for t in tags if t.entry.d_tag == "DT_NEEDED"),  # noqa: B009
        rpath=one("DT_RPATH", "rpath"),
        runpath=one("DT_RUNPATH", "runpath"),
        imports=imports,
        exports=exports,
        hidden=hidden,
        stripped_size_bytes=len(image) - _unallocated_bytes(elf),
        image=image,
    )


def _unallocated_bytes(elf: ELFFile) -> int:
    """What strip would drop: sections that are never mapped, the names of sections kept."""
    return sum(
        int(section["sh_size"])
        for section in elf.iter_sections()
        if not section["sh_flags"] & _ALLOCATED
        and section["sh_type"] not in ("SHT_NULL", "SHT_NOBITS")
        and section.name != ".shstrtab"
    )


def _symbols(elf: ELFFile) -> tuple[tuple[Import, ...], frozenset[str], frozenset[str]]:
    imports: list[Import] = []
    exports: set[str] = set()
    hidden: set[str] = set()
    versions = dict(_version_nodes(elf))
    version_of = elf.get_section_by_name(".gnu.version")
    table = elf.get_section_by_name(".dynsym")
    symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
    for index, symbol in enumerate(symbols):
        if not symbol.name or symbol["st_info"]["bind"] == "STB_LOCAL":
            continue
        if symbol["st_shndx"] == "SHN_UNDEF":
            node = versions.get(_version_index(version_of, index))
            library, version = node if node else (None, None)
            imports.append(Import(symbol.name, version, library))
        elif symbol["st_other"]["visibility"] in ("STV_DEFAULT", "STV_PROTECTED"):
            exports.add(symbol.name)
        else:
            hidden.add(symbol.name)
    full = elf.get_section_by_name(".symtab")
    for symbol in full.iter_symbols() if isinstance(full, SymbolTableSection) else ():
        if symbol.name and symbol["st_shndx"] != "SHN_UNDEF" and symbol.name not in exports:
            hidden.add(symbol.name)
    return tuple(imports), frozenset(exports), frozenset(hidden)


def _version_index(section: Section | None, index: int) -> int:
    if not isinstance(section, GNUVerSymSection):
        return 0
    number = section.get_symbol(index)["ndx"]
    return number & ~_HIDDEN_VERSION if isinstance(number, int) else 0


def _version_nodes(elf: ELFFile) -> Iterator[tuple[int, tuple[str, str]]]:
    section = elf.get_section_by_name(".gnu.version_r")
    if not isinstance(section, GNUVerNeedSection):
        return
    for needed, nodes in section.iter_versions():
        for node in nodes:
            yield node["vna_other"] & ~_HIDDEN_VERSION, (str(needed.name), node.name)
