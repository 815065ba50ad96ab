"""Writes a C++ file with an aborting stub for each function of the real library not simulated.

Programs linked against the real library then load; a call says which function it was.
"""

import argparse
import pathlib

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection


def defined_functions(path: pathlib.Path, section: str) -> set[str]:
    with path.open("rb") as file:
        table = ELFFile(file).get_section_by_name(section)
        if not isinstance(table, SymbolTableSection):
            raise SystemExit(f"make_stubs: {path} has no {section}; give the real libcudart")
        return {
            symbol.name
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("objects", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    simulated: set[str] = set()
    for item in arguments.objects:
        simulated |= defined_functions(item, ".symtab")
    missing = sorted(defined_functions(arguments.real, ".dynsym") - simulated)
    lines = ['extern "C" {', "[[noreturn]] void standin_cuda_not_simulated(const char* name);"]
    lines += [f'void {name}() {{ standin_cuda_not_simulated("{name}"); }}' for name in missing]
    arguments.output.write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
