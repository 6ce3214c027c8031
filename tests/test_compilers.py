"""Every compiler gives the same bits: what is learned and what is said. Run by `make compilers`."""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest

pytestmark = pytest.mark.compilers

ROOT = Path(__file__).parent.parent
GCC = "g++"
# Compiler and further options. Without vectors of four is how machines without AVX2 compute.
BUILDS = {
    GCC: ("g++", ""),
    "clang++": ("clang++", ""),
    "clang++, no vectors of four": ("clang++", "-DFUZZYUCS_PORTABLE"),
}


def build(name: str) -> Path:
    """Build the native module, warnings being errors, and return its file."""
    compiler, options = BUILDS[name]
    folder = ROOT / "build" / "compilers" / name.replace(", ", "-").replace(" ", "-")
    tools = Path(sysconfig.get_path("scripts"))
    configure = [
        *(str(tools / "cmake"), "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_CXX_FLAGS={options}",
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_PREFIX_PATH={nanobind.cmake_dir()}",
        "-DFUZZYUCS_WERROR=ON",
    ]
    for command in (configure, [str(tools / "cmake"), "--build", str(folder)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}:\n{done.stdout}\n{done.stderr}"
    (module,) = folder.glob("_core*.so")
    return module


@pytest.fixture(scope="module")
def digests():
    """Return what each build learns: digests by case and part. They learn side by side."""
    for compiler in {compiler for compiler, _ in BUILDS.values()}:
        if shutil.which(compiler) is None:
            pytest.skip(f"no {compiler} in the path: there is nothing to compare with")
    modules = {name: build(name) for name in BUILDS}
    script = str(Path(__file__).with_name("learned_bits.py"))
    learners = {
        name: subprocess.Popen(
            [sys.executable, "-W", "ignore", script, str(module)], stdout=subprocess.PIPE, text=True
        )
        for name, module in modules.items()
    }
    said = {name: learner.communicate()[0] for name, learner in learners.items()}
    failed = [name for name, learner in learners.items() if learner.returncode != 0]
    assert not failed, f"these builds could not learn: {failed}"
    return {name: json.loads(text) for name, text in said.items()}


@pytest.mark.parametrize("name", [name for name in BUILDS if name != GCC])
def test_all_builds_learn_and_predict_the_same_bits(name, digests):
    differ = [
        f"{case}: {part}"
        for case, parts in digests[GCC].items()
        for part, digest in parts.items()
        if digests[name][case][part] != digest
    ]
    assert not differ


def test_digests_tell_learners_and_parts_apart(digests):
    """Otherwise the comparison above would compare nothing."""
    found = digests[GCC]
    assert len(found) > 20
    names = ("iris", "wine", "digits", "missing values", "weighted rows", "40 classes")
    assert len({found[name]["rules_.profile"] for name in names}) == len(names)
    assert found["8,000 rows"] == found["8,000 rows, two threads"]
    assert found["8,000 rows"]["rules_.profile"] != found["8,000 weighted rows"]["rules_.profile"]
    assert all({"predict_proba", "evidence.mass"} <= parts.keys() for parts in found.values())
