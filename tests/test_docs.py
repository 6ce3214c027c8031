"""The sources of the documentation are complete and consistent; `make docs` builds it."""

import ast
import importlib.util
import json
import re

import pytest

import fuzzyucs
from documented import DOCS, ROOT

NO_PAGES = {"_templates", "gallery", "generated"}
PUBLIC = [
    "combination",
    "datasets",
    "decisions",
    "evidence",
    "evidence.profiles",
    "evidence.verdict",
    "explain",
    "flips",
    "frames",
    "linguistic",
    "metrics",
    "model_file",
    "numpy_model",
    "onnx",
    "plots",
    "progress",
    "report",
    "rules",
    "support",
    "tempering",
    "weighting",
]


def sources():
    found = [path for suffix in ("md", "rst") for path in DOCS.rglob(f"*.{suffix}")]
    return [path for path in found if not NO_PAGES & set(path.parts)]


def page_name(path):
    return path.relative_to(DOCS).with_suffix("").as_posix()


def public_names():
    yield from ((None, name) for name in fuzzyucs.__all__)
    for module in PUBLIC:
        names = importlib.import_module(f"fuzzyucs.{module}").__all__
        yield from ((module, name) for name in names)


@pytest.mark.parametrize(("module", "name"), list(public_names()))
def test_public_names_are_in_the_reference(module, name):
    reference = "\n".join(page.read_text() for page in (DOCS / "api").glob("*.rst"))
    is_module = name in PUBLIC
    pattern = rf"automodule:: fuzzyucs\.{name}$" if is_module else rf"(^|[\s.`]){name}($|[\s`])"
    assert re.search(pattern, reference, re.MULTILINE), f"{module}.{name}"


def test_public_names_have_a_line_each_in_the_index():
    spec = importlib.util.spec_from_file_location("api_overview", DOCS / "api_overview.py")
    overview = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(overview)
    pages = [page for page in (DOCS / "api").glob("*.rst") if page.stem != "index"]
    lines = dict(line for page in pages for line in overview.entries(page.read_text()))
    assert all(lines.values())
    listed = {name.rpartition(".")[2] for name in lines}
    modules = {"datasets", "metrics", "plots"}
    assert {name for _, name in public_names()} - listed == modules


def test_the_version_is_among_those_to_choose_from():
    versions = json.loads((DOCS / "switcher.json").read_text())
    assert [entry["url"] for entry in versions if entry["version"] == fuzzyucs.__version__] == ["."]


def entries(page):
    """Return the names of the pages in the toctrees of a page."""
    text = page.read_text()
    blocks = re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL)
    blocks += re.findall(r"^\.\. toctree::\n((?:[ \t]+.*\n|\n)*)", text, re.MULTILINE)
    for line in "\n".join(blocks).splitlines():
        entry = line.strip()
        if entry and not entry.startswith(":"):
            target = entry[entry.index("<") + 1 : -1] if entry.endswith(">") else entry
            yield (page.parent / target).relative_to(DOCS).as_posix()


def test_every_page_is_reachable_from_a_toctree():
    pages = {page_name(path): path for path in sources()}
    reached, ahead = set(), ["index"]
    while ahead:
        name = ahead.pop()
        if name in pages and name not in reached:
            reached.add(name)
            ahead += entries(pages[name])
    assert reached == set(pages)


def test_toctrees_name_pages_that_exist():
    pages = {page_name(path) for path in sources()} | {"gallery/index"}
    named = {entry for page in sources() for entry in entries(page)}
    assert named <= pages


@pytest.mark.parametrize("page", [*sources(), ROOT / "README.md"], ids=lambda path: path.name)
def test_pages_mention_the_project_alone(page):
    text = page.read_text()
    unwanted = r"\bTODO\b|\bFIXME\b|\bXXX\b|\.\./shared|/work/|/home/|/tmp/|file://"
    assert not re.findall(unwanted, text)


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_begin_with_a_heading_for_the_gallery(script):
    title, line = ast.get_docstring(ast.parse(script.read_text())).splitlines()[:2]
    assert line == "=" * len(title)


def test_links_to_sections_lead_somewhere():
    for page in [*sources(), ROOT / "README.md"]:
        for target, section in re.findall(r"\]\(([^)#:\s]*\.md)?#([^)\s]+)\)", page.read_text()):
            text = (page.parent / target).read_text() if target else page.read_text()
            headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
            assert section in slugs, f"{page.name}: {target}#{section}"
