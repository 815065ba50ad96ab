"""Every small edit of a C++ source file that a test ought to notice, from clang's view of it.

Deterministic: the same file gives the same mutants in the same order. An edit is one of: an operator for its
neighbour, a literal or enumerator for the next, a condition for true or false, an operand of && or || alone, a
returned bool negated, a statement left out.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, Token, TokenKind, TranslationUnit, TypeKind

# One neighbour each: the opposite of a comparison is what its condition's true and false find.
OPERATORS = {
    "<": ["<="],
    "<=": ["<"],
    ">": [">="],
    ">=": [">"],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "/": ["*"],
    "%": ["*"],
    "<<": [">>"],
    ">>": ["<<"],
    "|": ["&"],
    "&": ["|"],
    "|=": ["&="],
    "+=": ["-="],
    "++": ["--"],
    "--": ["++"],
    "!": [""],
}
# What clang calls the cursor of an operator's token; anywhere else `<`, `&` and `*` belong to types.
OPERATOR_CURSORS = {
    CursorKind.BINARY_OPERATOR,
    CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
    CursorKind.UNARY_OPERATOR,
    CursorKind.CALL_EXPR,
    CursorKind.DECL_REF_EXPR,
    CursorKind.OVERLOADED_DECL_REF,
    CursorKind.UNEXPOSED_EXPR,
}
FUNCTIONS = {
    CursorKind.CONSTRUCTOR,
    CursorKind.CXX_METHOD,
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
}


@dataclass(frozen=True)
class Mutant:
    file: str  # from the root of the repository
    line: int
    function: str
    begin: int  # bytes of the file that are replaced
    end: int
    before: str
    after: str
    nth: int = 1  # among equal edits of equal lines in one function

    @property
    def edit(self) -> str:
        return f"{' '.join(self.before.split())} -> {self.after or '(nothing)'}"

    def apply(self, source: bytes) -> bytes:
        return source[: self.begin] + self.after.encode() + source[self.end :]


def read_source(root: Path, file: str, arguments: list[str]) -> TranslationUnit:
    """Parses with the compiler's own flags; raises ValueError when clang does not understand the file."""
    resources = subprocess.run(
        ["clang++", "-print-resource-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    unit = Index.create().parse(str(root / file), [*arguments, "-resource-dir", resources])
    errors = [str(d) for d in unit.diagnostics if d.severity >= d.Error]
    if errors:
        raise ValueError(f"{file}: clang does not take it: {errors[0]}")
    return unit


def generate(root: Path, file: str, arguments: list[str]) -> list[Mutant]:
    unit = read_source(root, file, arguments)
    source = (root / file).read_bytes()
    cursors = list(walk(unit.cursor, unit.spelling))
    functions = [c for c, _ in cursors if c.kind in FUNCTIONS]
    constants = [c for c, _ in cursors if c.kind in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL)]
    edits = [edit for cursor, parent in cursors for edit in cursor_edits(cursor, parent, source)]
    for token in unit.get_tokens(extent=unit.cursor.extent):
        if within(functions, token.extent.start.offset) or within(
            constants, token.extent.start.offset
        ):
            edits += token_edits(token)
    mutants = []
    for begin, end, after in sorted(set(edits)):
        before = source[begin:end].decode()
        if before != after:
            line = source.count(b"\n", 0, begin) + 1
            function = within(functions, begin)
            mutants.append(Mutant(file, line, function, begin, end, before, after))
    return number(mutants, source)


def within(cursors: list[Cursor], offset: int) -> str:
    """The name of the innermost of `cursors` around a byte, empty for none."""
    around = [c for c in cursors if c.extent.start.offset <= offset < c.extent.end.offset]
    return around[-1].spelling if around else ""


def number(mutants: list[Mutant], source: bytes) -> list[Mutant]:
    lines = source.decode().splitlines()
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for mutant in mutants:
        key = (mutant.function, lines[mutant.line - 1].strip(), mutant.edit)
        seen[key] += 1
        numbered.append(replace(mutant, nth=seen[key]))
    return numbered


Edit = tuple[int, int, str]


def walk(cursor: Cursor, file: str) -> Iterator[tuple[Cursor, Cursor]]:
    """Each cursor of the file itself, outer ones first, with the one around it."""
    for child in cursor.get_children():
        if child.location.file is not None and child.location.file.name == file:
            yield child, cursor
            yield from walk(child, file)


def token_edits(token: Token) -> Iterator[Edit]:
    text = token.spelling
    begin, end = token.extent.start.offset, token.extent.end.offset
    if token.kind == TokenKind.PUNCTUATION and token.cursor.kind in OPERATOR_CURSORS:
        for other in OPERATORS.get(text, []):
            yield begin, end, other
    elif token.kind == TokenKind.KEYWORD and text in ("true", "false"):
        yield begin, end, "false" if text == "true" else "true"
    elif token.kind == TokenKind.LITERAL and text[0] == '"':
        yield begin, end, '""' if text != '""' else '"x"'
    elif token.kind == TokenKind.LITERAL and text[0] == "'":
        yield begin, end, "'\\1'"
    elif token.kind == TokenKind.LITERAL and text.isdigit():
        yield begin, end, str(int(text) + 1)
        if int(text) > 0:
            yield begin, end, str(int(text) - 1)


def cursor_edits(cursor: Cursor, parent: Cursor, source: bytes) -> Iterator[Edit]:
    kind = cursor.kind
    children = list(cursor.get_children())
    if kind in (CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR):
        if children[0].kind.is_expression():
            yield from (whole(children[0], text) for text in ("true", "false"))
    elif kind == CursorKind.WHILE_STMT:
        yield whole(children[0], "false")
    elif kind == CursorKind.BINARY_OPERATOR and operator(cursor) in ("&&", "||"):
        for operand in children:
            yield whole(cursor, text_of(operand, source))
    elif kind == CursorKind.DECL_REF_EXPR and is_enumerator(cursor.referenced):
        yield cursor.location.offset, cursor.extent.end.offset, next_enumerator(cursor)
    elif kind == CursorKind.RETURN_STMT and children and is_bool(children[0]):
        yield whole(children[0], f"!({text_of(children[0], source)})")
    elif kind == CursorKind.COMPOUND_STMT:
        # A function without its last return would run off its end.
        is_body = parent.kind in FUNCTIONS or parent.kind == CursorKind.LAMBDA_EXPR
        for child in children:
            is_return = child.kind == CursorKind.RETURN_STMT
            is_other = child.kind.is_expression() or child.kind == CursorKind.BREAK_STMT
            if is_other or (is_return and not (is_body and child == children[-1])):
                yield whole(child, "(void)0")


def whole(cursor: Cursor, after: str) -> Edit:
    return cursor.extent.start.offset, cursor.extent.end.offset, after


def text_of(cursor: Cursor, source: bytes) -> str:
    return source[cursor.extent.start.offset : cursor.extent.end.offset].decode()


def operator(cursor: Cursor) -> str:
    left = next(iter(cursor.get_children()), None)
    if left is None:
        return ""
    end = left.extent.end.offset
    return next((t.spelling for t in cursor.get_tokens() if t.extent.start.offset >= end), "")


def is_bool(cursor: Cursor) -> bool:
    return bool(cursor.type.get_canonical().kind == TypeKind.BOOL)


def is_enumerator(cursor: Cursor | None) -> bool:
    return cursor is not None and cursor.kind == CursorKind.ENUM_CONSTANT_DECL


def next_enumerator(cursor: Cursor) -> str:
    names: list[str] = [c.spelling for c in cursor.referenced.semantic_parent.get_children()]
    names = [name for name in names if name]
    return names[(names.index(cursor.spelling) + 1) % len(names)]
