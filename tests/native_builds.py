"""Builds of the native module: by which compiler, how optimised, for which machine."""

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import nanobind

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "compilers"
# Newest first. Debian has versions of Clang that are not called clang++.
COMPILERS = {
    "g++": ("g++",),
    "clang++": ("clang++", *(f"clang++-{version}" for version in range(24, 13, -1))),
    "aarch64 g++": ("aarch64-linux-gnu-g++",),
}


@dataclass(frozen=True)
class Build:
    """A way to build the module; `portable` leaves out what only machines with AVX2 can do."""

    compiler: str
    optimize: str = "-O3"
    portable: bool = False
    settings: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        words = (self.compiler, self.optimize, "-portable" if self.portable else "")
        return FOLDER / "".join(words).replace(" ", "-")


def found_compiler(name: str) -> str | None:
    """Return the command of a compiler, None if there is none."""
    return next((path for path in map(shutil.which, COMPILERS[name]) if path), None)


def run(command: list[str]) -> None:
    """Run a command; what it said is the message if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def build(how: Build) -> Path:
    """Build the native module, warnings being errors, and return its file."""
    tools = Path(sysconfig.get_path("scripts"))
    cmake = str(tools / "cmake")
    configure = [
        *(cmake, "-S", str(ROOT), "-B", str(how.folder), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}",
        f"-DCMAKE_CXX_COMPILER={found_compiler(how.compiler)}",
        f"-DCMAKE_CXX_FLAGS={'-DFUZZYUCS_PORTABLE' if how.portable else ''}",
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DFUZZYUCS_OPTIMIZE={how.optimize}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_PREFIX_PATH={nanobind.cmake_dir()}",
        "-DFUZZYUCS_WERROR=ON",
        *how.settings,
    ]
    run(configure)
    run([cmake, "--build", str(how.folder)])
    (module,) = how.folder.glob("_core*.so")
    return module
