"""Every build gives the same bits: what is learned and what is said. Run by `make compilers`.

Builds by GCC and Clang, optimised and not, for machines with and without AVX2, with one thread and
with eight: each is compared with the committed digests. Clang may be missing.
"""

import json
import os
import subprocess
import sys

import pytest

import learned_bits
from native_builds import Build, build, found_compiler

pytestmark = pytest.mark.compilers

# The C library and NumPy choose code for the processor when they are loaded; this lets them take
# what they have for the oldest machines.
OLD_MACHINE = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX_Usable,-AVX2_Usable,-FMA_Usable",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3",
    "OPENBLAS_CORETYPE": "Nehalem",
}
# How it was built, threads, and variables of the process.
RUNS = {
    "g++ -O3, one thread": (Build("g++"), 1, {}),
    "g++ -O3, eight threads": (Build("g++"), 8, {}),
    "g++ -O3, as without AVX2": (Build("g++", portable=True), 1, OLD_MACHINE),
    "g++ -O0": (Build("g++", "-O0"), 1, {}),
    "clang++ -O3": (Build("clang++"), 1, {}),
    "clang++ -O3, as without AVX2": (Build("clang++", portable=True), 8, OLD_MACHINE),
    "clang++ -O0": (Build("clang++", "-O0"), 1, {}),
}


@pytest.mark.parametrize("name", RUNS)
def test_every_build_learns_and_predicts_the_committed_bits(name):
    how, n_jobs, variables = RUNS[name]
    if found_compiler(how.compiler) is None:
        pytest.skip(f"no {how.compiler} in the path")
    script = learned_bits.__file__
    command = [sys.executable, "-W", "ignore", script, "--core", str(build(how)), "--json"]
    command += ["--jobs", str(n_jobs), *(["--quick"] if how.optimize == "-O0" else [])]
    done = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) > 15
    assert not learned_bits.differences(found, learned_bits.pinned())
