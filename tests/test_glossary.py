"""The glossary names what exists, and the documentation uses its words in their sense."""

import ast
import dataclasses
import importlib
import inspect
import re

import pytest

import fuzzyucs
from documented import DOCS, PAGES, ROOT

GLOSSARY = (DOCS / "glossary.md").read_text()
ESTIMATORS = ("EvidentialRuleClassifier", "FuzzyUCSClassifier", "UCSClassifier")
HOMES = (
    "decisions",
    "evidence.profiles",
    "evidence.verdict",
    "explain",
    "linguistic",
    "metrics",
    "questions",
    "rules",
    "rules.fused",
    "streams",
    "support",
    "tempering",
    "variables.moving",
    "variables.views",
    "evidence.verdict_words",
    "weighting",
)
REFERENCE = sorted((DOCS / "api").glob("*.rst"))
# Words that have another meaning now, and wording that is not plain; see the glossary.
REPLACED = (
    r"\bsupport \d",  # the experience of a rule
    r"\.support\(entry\)",  # the contribution of an entry
    r"\.place\b",  # an index
    r"(?i)\bdoubt (about|in general|is)\b",  # uncertainty
    r"(?i)\bon the mean\b",
    r"(?i)\bas measured\b",
    r"(?i)\bhand(ed)? around\b",
)


def terms():
    """Return the terms of the glossary, each with its definition."""
    found = {}
    for names, text in re.findall(r"^((?:\*\*.+\*\*\n)+)((?:  .+\n)+)", GLOSSARY, re.MULTILINE):
        for name in re.findall(r"\*\*(.+)\*\*", names):
            assert name not in found, f"{name} is defined twice"
            found[name] = text
    return found


def python_names():
    """Yield the names in Python that the glossary gives for its terms."""
    for term, text in terms().items():
        for name in re.findall(r"`([^`]+)`", text.partition("*Python:*")[2]):
            if not name.startswith('"'):
                yield pytest.param(name, id=f"{term}: {name}")


def find(name):
    if name in fuzzyucs.__all__:
        return getattr(fuzzyucs, name)
    homes = [importlib.import_module(f"fuzzyucs.{home}") for home in HOMES]
    return next(getattr(home, name) for home in homes if name in home.__all__)


def has_member(owner, name):
    """Tell whether a class has or documents an attribute, a method or a field."""
    annotated = any(name in inspect.get_annotations(base) for base in inspect.getmro(owner))
    fields = dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ()
    is_documented = re.search(rf"^ *{name} : ", owner.__doc__, re.MULTILINE) is not None
    is_field = name in [field.name for field in fields]
    return hasattr(owner, name) or annotated or is_field or is_documented


@pytest.mark.parametrize("name", list(python_names()))
def test_names_in_the_glossary_exist(name):
    path, _, parameter = name.removesuffix(")").partition("(")
    first, _, member = path.partition(".")
    for owner in [find(known) for known in (ESTIMATORS if first == "clf" else (first,))]:
        assert not member or has_member(owner, member)
        if parameter:
            function = getattr(owner, member) if member else owner
            assert parameter in inspect.signature(function).parameters


def test_terms_that_pages_refer_to_are_in_the_glossary():
    text = "\n".join(page.read_text() for page in [*PAGES, *REFERENCE])
    roles = re.findall(r"(?::term:|\{term\})`(?:[^`<]+<)?([^`<>]+)>?`", text)
    referred = {" ".join(term.split()) for term in roles}
    assert referred
    assert referred <= set(terms())


@pytest.mark.parametrize("page", [*PAGES, *REFERENCE], ids=lambda path: path.name)
def test_pages_do_not_use_words_that_were_replaced(page):
    text = page.read_text()
    assert not [found[0] for pattern in REPLACED if (found := re.search(pattern, text))]


def wording(name):
    """Return the fixed parts of the page that a benchmark writes, without its figures."""
    scripts = [ROOT / "benchmarks" / f"{name}.py", ROOT / "benchmarks" / f"{name}_report.py"]
    trees = [ast.parse(script.read_text()) for script in scripts if script.exists()]
    reports = [node for tree in trees for node in ast.walk(tree) if is_report(node)]
    texts = [
        node.value
        for report in reports
        for node in ast.walk(report)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    parts = {part.strip() for text in texts for part in text.splitlines()}
    return sorted(part for part in parts if len(part) > 12)


def is_report(node):
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "DESIGN"
    return isinstance(node, ast.FunctionDef) and node.name == "report"


@pytest.mark.parametrize("name", ["flagship", "speed", "stability", "uncertainty"])
def test_pages_have_the_wording_of_the_programs_that_write_them(name):
    page = (DOCS / f"{name}.md").read_text()
    parts = wording(name)
    assert len(parts) > 6
    names_of_results = re.compile(r"[\w -]+/|scikit-learn$|greater_is_better")
    assert [p for p in parts if p not in page and not names_of_results.match(p)] == []
