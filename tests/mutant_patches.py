"""Changes to functions of modules that are imported already: quicker than importing them anew."""

import ast
import inspect
import sys
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutations import Mutant, mutated_tree


def module_name(path: str) -> str:
    """Return the name of a module of the library."""
    parts = Path(path).with_suffix("").parts
    parts = parts[len(parts) - parts[::-1].index("src") :]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of functions, by name and first line; those within others are part of them.

    The code of classes is not that of functions: it has no fast local variables.
    """
    found = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if "<" not in inner.co_qualname and inner.co_flags & inspect.CO_OPTIMIZED:
                found[inner.co_qualname, inner.co_firstlineno] = inner
            found |= codes(inner)
    return found


def function_at(module: ModuleType, name: str) -> FunctionType | None:
    """Return a function, or the one within a property or a decorated function."""
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    for _ in range(9):
        if isinstance(found, FunctionType) and not hasattr(found, "__wrapped__"):
            return found
        if isinstance(found, property):
            found = found.fget
        elif isinstance(found, cached_property):
            found = found.func
        else:
            found = getattr(found, "__wrapped__", None) or getattr(found, "__func__", None)
    return None


def difference(mutant: Mutant) -> tuple[str, CodeType] | None:
    """Return name and code of the function that a mutant changes; None if it changes none.

    Decorators, defaults and what else stands outside of functions are evaluated on import.
    """
    before = codes(compile(ast.parse(Path(mutant.path).read_text()), mutant.path, "exec"))
    after = codes(compile(mutated_tree(mutant), mutant.path, "exec"))
    differing = [name for name, code in before.items() if code != after[name]]
    if len(differing) != 1:
        return None
    return differing[0][0], after[differing[0]]


def is_in_function(mutant: Mutant) -> bool:
    """Return whether a mutant changes what a function does when it is called."""
    return difference(mutant) is not None


def changed_function(mutant: Mutant) -> tuple[FunctionType, CodeType] | None:
    """Return a function and its changed code; None if it cannot be found."""
    found = difference(mutant)
    function = found and function_at(sys.modules[module_name(mutant.path)], found[0])
    return (function, found[1]) if function else None
