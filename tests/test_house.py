"""The architecture in CONTRIBUTING.md is kept: layers, private members, sizes of files."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fuzzyucs"
DOORS = {"save", "report", "plot"}  # methods that may import from a higher layer
LONGEST_FILE, LONGEST_CLASS = 500, 300
LONG_FILES = {"_core.pyi", "numpy_model.py"}  # generated; a file to be copied as a whole
OWN_ESTIMATORS_AND_RULES = {
    "EvidentialRuleClassifier",
    "EvolvedRuleSet",
    "FuzzyUCSClassifier",
    "ProfiledRuleSet",
    "RejectOption",
    "RuleClassifier",
    "RuleLearner",
    "RuleSet",
    "UCSClassifier",
    "WeightedRuleSet",
}


def layers():
    """Return the number of each part's layer, as the table in CONTRIBUTING.md lists them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.partition("| layer |")[2].partition("\n\n")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ")]
    found = {}
    for number, row in enumerate(rows):
        for name in re.findall(r"`([a-z_]+)(?:/|\.py)?`", row.split("|")[1]):
            found[name] = number
    return found


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py"))


def part_of(path):
    """Return the package or module right below fuzzyucs that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_other_name(tree):
    return (ast.get_docstring(tree) or "").startswith("Another name of")


def imports(tree):
    """Yield what a module imports from ours at run time, with the functions around it."""

    def visit(node, around):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.FunctionDef):
            around = [*around, node.name]
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fuzzyucs":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole.split(".")[1], alias.name, around
        for child in ast.iter_child_nodes(node):
            yield from visit(child, around)

    yield from visit(tree, [])


def test_the_table_lists_every_part_of_the_package_once():
    parts = {part_of(path) for path in modules() if not is_other_name(ast.parse(path.read_text()))}
    assert set(layers()) == parts - {"__init__"} | {"_core"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    level = layers()
    tree = ast.parse(path.read_text())
    own = part_of(path)
    if own == "__init__" or is_other_name(tree):
        return
    upward = [
        f"{'.'.join(around) or 'top'}: {part}"
        for part, _, around in imports(tree)
        if level.get(part, -1) > level[own] and not DOORS & set(around)
    ]
    assert not upward


@cache
def private_names(part):
    """Return the private names that a part of the package defines."""
    found = set()
    for path in modules():
        if part_of(path) != part:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_private_member_of_another_package_is_used(path):
    own = part_of(path)
    if path == PACKAGE / "_util" / "sklearn_compat.py":
        return  # its members are scikit-learn's, which estimators define, too
    elsewhere = set().union(*(private_names(part) for part in layers() if part != own))
    tree = ast.parse(path.read_text())
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value) not in ("self", "cls", "super()")
    }
    used |= {name for part, name, _ in imports(tree) if part != own}
    assert not (used & elsewhere) - private_names(own)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_estimators_and_rule_sets_are_not_asked_for_their_class(path):
    tree = ast.parse(path.read_text())
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    asked = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        for name in ast.walk(node.args[1])
        if isinstance(name, ast.Name)
    }
    assert not (asked & OWN_ESTIMATORS_AND_RULES) - defined


def sources():
    found = [
        path
        for folder in ("src", "tests", "benchmarks", "examples", "docs", "cpp")
        for suffix in ("py", "pyi", "js", "css", "html", "h", "cpp")
        for path in (ROOT / folder).rglob(f"*.{suffix}")
        if "gallery" not in path.parts and "generated" not in path.parts
    ]
    return sorted(path for path in found if path.name not in LONG_FILES)


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_classes_are_short(path):
    text = path.read_text()
    n_lines = text.count("\n")
    assert n_lines <= LONGEST_FILE
    if path.suffix == ".py":
        classes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
        lengths = {node.name: node.end_lineno - node.lineno + 1 for node in classes}
        assert not {name: n for name, n in lengths.items() if n > LONGEST_CLASS}


def test_private_parts_of_scikit_learn_are_used_in_one_module():
    homes = {
        str(path.relative_to(PACKAGE))
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        if re.search(r"\._", node.module) or any(a.name.startswith("_") for a in node.names)
    }
    assert homes == {"_util/sklearn_compat.py"}


def included(name):
    """Return the files of the engine that a file includes, also by way of others."""
    found, ahead = set(), [name]
    while ahead:
        text = (ROOT / "cpp" / ahead.pop()).read_text()
        new = set(re.findall(r'^#include "([a-z_]+\.h)"', text, re.MULTILINE)) - found
        found |= new
        ahead += new
    return found


def test_training_knows_nothing_of_missing_values_and_their_forest():
    assert "linguistic_matcher.h" in included("learner.cpp")
    assert not {"term_forest.h", "missing_values.h", "inference.h"} & included("learner.cpp")


def test_only_the_bindings_know_python():
    with_python = {
        path.parent.name
        for path in (ROOT / "cpp").rglob("*.*")
        if re.search(r"nanobind|Python\.h", path.read_text())
    }
    assert with_python == {"bindings"}
