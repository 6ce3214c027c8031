"""What ships besides the code."""

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import fuzzyucs
from documented import PAGES, ROOT


def test_stub_of_the_native_module_is_up_to_date(tmp_path):
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fuzzyucs._core", "-o", fresh],
        check=True,
    )
    committed = Path(fuzzyucs.__file__).with_name("_core.pyi")
    assert committed.read_text() == fresh.read_text(), "run `make stubs`"


def test_types_are_marked_as_shipped():
    assert Path(fuzzyucs.__file__).with_name("py.typed").is_file()


def test_version_is_the_same_everywhere():
    assert f'version = "{fuzzyucs.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"## {fuzzyucs.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    own = re.compile(
        rf"""version\w*\s*=\s*["']{re.escape(fuzzyucs.__version__)}["']""", re.IGNORECASE
    )
    assert not [path for path in (ROOT / "src").rglob("*.py") if own.search(path.read_text())]


def test_citation_is_of_this_version_and_of_the_article():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {
        "cff-version",
        "message",
        "title",
        "authors",
    } <= citation.keys()  # what the format asks for
    assert str(citation["version"]) == project["version"]
    assert citation["license"] == project["license"]
    assert citation["authors"] == project["authors"]
    (article,) = citation["references"]
    assert f"https://doi.org/{article['doi']}" in (ROOT / "README.md").read_text()


def test_upgraders_are_told_first_what_changed():
    newest, *older = re.findall(
        r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.M | re.S
    )
    before = older[0][0].rpartition(".")[0]
    assert newest[1].strip().startswith(f"### Upgrading from {before}\n")


def test_wheels_are_configured_for_every_supported_python_and_system():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheels = project["tool"]["cibuildwheel"]
    assert {"x86_64", "aarch64"} == set(wheels["linux"]["archs"])
    assert {"x86_64", "arm64"} == set(wheels["macos"]["archs"])
    # Visual C++ itself has no vectors; CMake says so.
    assert wheels["windows"]["environment"]["CXX"] == "clang-cl"
    oldest = project["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert wheels["build"][0] == f"cp{oldest}-*"
    assert (ROOT / wheels["test-command"].split("{project}/")[1].split()[0]).is_file()


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = [project["build-system"]["requires"], project["project"]["dependencies"]]
    groups += project["project"]["optional-dependencies"].values()
    needed = {canonicalize_name(Requirement(text).name) for group in groups for text in group}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {}
    for line in lines[1:]:
        name, version = line.split("==")
        pinned[canonicalize_name(name)] = Version(version)  # and nothing else: no paths, no links
    assert needed - {"fuzzyucs"} <= set(pinned), "run `make constraints`"
    for group in groups:
        for requirement in map(Requirement, group):
            if requirement.name != "fuzzyucs":
                assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


def test_public_names_exist_and_are_documented():
    for name in fuzzyucs.__all__:
        assert getattr(fuzzyucs, name).__doc__, name


def code_blocks():
    for page in PAGES:
        code = r"```python\n((?:(?!```).)*)```\n(?:\n```text\n(.*?)```)?"
        for i, found in enumerate(re.findall(code, page.read_text(), re.DOTALL)):
            yield pytest.param(*found, id=f"{page.relative_to(ROOT)} block {i + 1}")


@pytest.mark.parametrize(("block", "output"), list(code_blocks()))
def test_code_in_the_documentation_does_what_it_says(block, output, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})
    plt.close("all")
    if output:
        lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        if "..." in map(str.strip, output.splitlines()):  # stands for lines that are left out
            found, said = ("\n".join([*text, ""]) for text in (lines, output.splitlines()))
            assert doctest.OutputChecker().check_output(said, found, doctest.ELLIPSIS), found
        else:
            assert lines == output.splitlines()


@pytest.mark.parametrize(
    ("script", "title"),
    [
        ("report_page.py", "Breast cancer"),
        pytest.param("digits_pad.py", "Handwritten digits", marks=pytest.mark.soak),
    ],
)
def test_the_examples_of_reports_write_them(script, title, tmp_path):
    page = tmp_path / "report.html"
    command = [sys.executable, ROOT / "examples" / script, page]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"<title>{title}</title>" in page.read_text(encoding="utf-8")


# These have tests of their own.
EXAMPLES = {*(ROOT / "examples").glob("*.py")} - {
    ROOT / "examples" / name for name in ("report_page.py", "digits_pad.py", "drifting_sensor.py")
}
# `make docs` runs all of them for the gallery.
QUICK = {"quickstart.py", "hero.py"}


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, id=path.name, marks=[] if path.name in QUICK else pytest.mark.soak)
        for path in sorted(EXAMPLES)
    ],
)
def test_examples_run(script, tmp_path):
    picture = tmp_path / "picture.png"
    command = [sys.executable, script, *([picture] if "output.png" in script.read_text() else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if len(command) > 2:
        assert picture.read_bytes().startswith(b"\x89PNG")
    else:
        assert "Dempster-Shafer" in done.stdout
        assert "<= petal" in done.stdout


def test_novelty_gives_the_alarm_before_accuracy_falls(tmp_path):
    script, picture = ROOT / "examples" / "drifting_sensor.py", tmp_path / "drift.png"
    command = [sys.executable, script, picture]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert picture.read_bytes().startswith(b"\x89PNG")
    start, alarm, fallen = map(int, re.findall(r"batch (\d+)", done.stdout))
    assert start < alarm < fallen


def test_links_between_pages_lead_somewhere():
    for page in {*ROOT.glob("*.md"), *PAGES}:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
