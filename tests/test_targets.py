"""The engine compiles for other systems. Run by `make targets`; zig brings their libraries."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from native_builds import ROOT

pytestmark = pytest.mark.compilers
pytest.importorskip("ziglang", reason="no zig: pip install ziglang")

TARGETS = ("aarch64-macos", "x86_64-macos", "x86_64-windows-gnu", "aarch64-linux-gnu")
# What needs Python's headers for the other system, is only nanobind's business.
SOURCES = sorted((ROOT / "cpp").glob("*.cpp"))
OPTIONS = (
    "-std=c++20",
    "-O0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-Wall",
    "-Wextra",
    "-Werror",
)


def compiled(target, source, folder):
    """Compile one file; return what the compiler says if it fails."""
    command = [sys.executable, "-m", "ziglang", "c++", "-target", target, *OPTIONS, "-c"]
    command += [str(source), "-o", str(folder / f"{source.stem}.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{source.name}:\n{done.stderr}"


@pytest.mark.parametrize("target", TARGETS)
def test_sources_compile_for_other_systems(target, tmp_path):
    assert len(SOURCES) > 20
    with ThreadPoolExecutor(2) as workers:
        said = list(workers.map(lambda source: compiled(target, source, tmp_path), SOURCES))
    assert not "".join(said)
    assert len(list(tmp_path.glob("*.o"))) == len(SOURCES)


def test_a_source_that_does_not_compile_is_told(tmp_path):
    """Otherwise the test above would test nothing."""
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text("int main() { return undeclared; }\n")
    assert "undeclared" in compiled(TARGETS[0], wrong, tmp_path)
