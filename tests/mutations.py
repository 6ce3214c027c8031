"""Small changes to source files, such as ``<`` in place of ``<=``, which tests ought to notice."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NATIVE = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ",
    " && ": " || ", " || ": " && ", " 0;": " 1;", " 1;": " 0;", "(!": "(", "true": "false",
    "false": "true",
}  # fmt: skip


class Mutant(NamedTuple):
    """A changed place of a file; ``number`` tells changes of one file apart."""

    path: str
    line: int
    number: int
    change: str


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare):
        for i, operator in enumerate(new.ops):
            new.ops[i] = SWAPPED[type(operator)]()
            yield copy.deepcopy(new)
            new.ops[i] = operator
    elif isinstance(new, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(new.op) in SWAPPED:
        new.op = SWAPPED[type(new.op)]()
        yield new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub):
        yield new.operand
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool | int | float):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1
        yield new
    elif isinstance(new, ast.Return) and not (
        new.value is None or (isinstance(new.value, ast.Constant) and new.value.value is None)
    ):
        new.value = ast.copy_location(ast.Constant(None), new.value)
        yield new
    elif (
        isinstance(new, ast.If | ast.IfExp | ast.While)
        and not isinstance(new.test, ast.Compare)
        and "TYPE_CHECKING" not in ast.unparse(new.test)
    ):
        new.test = ast.copy_location(ast.UnaryOp(ast.Not(), new.test), new.test)
        yield new


def is_run(node: ast.AST, field: str) -> bool:
    """Return whether part of a node says what is done: no type, text of an error or name.

    ``stacklevel`` belongs to the text of a warning: it says which line is shown beside it.
    """
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom):
        return False
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return False
    if isinstance(node, ast.keyword) and node.arg == "stacklevel":
        return False
    return field not in ("annotation", "returns", "decorator_list", "type_params")


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, ast.AST]]:
    """Yield parent, field, index, old and new node of each change to a module."""
    for field, value in ast.iter_fields(tree):
        if not is_run(tree, field):
            continue
        for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                for new in replacements(child):
                    yield tree, field, i, child, new
                yield from places(child)


def words(node: ast.AST) -> str:
    """Return the first line of a node's code."""
    return ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]


def python_mutants(path: Path) -> list[Mutant]:
    """Return all changes to a Python file."""
    found = enumerate(places(ast.parse(path.read_text())))
    return [
        Mutant(str(path), old.lineno, i, f"{words(old)}  ->  {words(new)}")
        for i, (_, _, _, old, new) in found
    ]


def mutated_tree(mutant: Mutant) -> ast.Module:
    """Return the module of a mutant."""
    tree = ast.parse(Path(mutant.path).read_text())
    parent, field, i, _, new = list(places(tree))[mutant.number]
    if i is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[i] = new
    return ast.fix_missing_locations(tree)


def native_places(text: str) -> list[tuple[int, str]]:
    """Return where operators stand in C++ code, without comments, templates and includes."""
    pattern = re.compile("|".join(map(re.escape, sorted(NATIVE, key=len, reverse=True))))
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        code = line.partition("//")[0]
        if not code.lstrip().startswith(("#", "template", "static_assert", "*", "/*")):
            found += [(start + match.start(), match.group()) for match in pattern.finditer(code)]
        start += len(line)
    return found


def native_mutants(path: Path) -> list[Mutant]:
    """Return all changes to a C++ file."""
    text = path.read_text()
    return [
        Mutant(
            str(path),
            text.count("\n", 0, at) + 1,
            i,
            f"{text[text.rfind(chr(10), 0, at) + 1 : text.find(chr(10), at)].strip()}: "
            f"{old.strip()}  ->  {NATIVE[old].strip() or 'nothing'}",
        )
        for i, (at, old) in enumerate(native_places(text))
    ]


def mutated_text(mutant: Mutant) -> str:
    """Return the C++ code of a mutant."""
    text = Path(mutant.path).read_text()
    at, old = native_places(text)[mutant.number]
    return text[:at] + NATIVE[old] + text[at + len(old) :]
