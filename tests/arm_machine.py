"""Debian's Python for aarch64 in a folder, with our wheels, to be run under qemu. Needs no root.

Packages come from the sources that apt knows, by lists of its own: the system stays as it is.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution

from native_builds import ROOT, Build

FOLDER = ROOT / "build" / "aarch64"
SYSTEM, PACKAGES = FOLDER / "root", FOLDER / "packages"
QEMU = ("qemu-aarch64", "qemu-aarch64-static")
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
WANTED = ("numpy", "scipy", "scikit-learn", "pandas")


def missing_tool() -> str | None:
    """Return what the machine lacks, None if nothing."""
    for package, names in {
        "g++-aarch64-linux-gnu": ("aarch64-linux-gnu-g++",),
        "qemu-user": QEMU,
        "apt": ("apt-get",),
        "dpkg": ("dpkg",),
    }.items():
        if not any(map(shutil.which, names)):
            return f"{names[0]} (Debian's package {package})"
    return None


def apt(*words: str) -> subprocess.CompletedProcess[str]:
    """Run apt for the other architecture, with state of its own."""
    state = FOLDER / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    return subprocess.run(
        ["apt-get", "-qq", *options, *words], capture_output=True, text=True, check=False
    )


def prepare() -> str | None:
    """Make the folder unless it is complete; return what apt does not have, if anything."""
    if (FOLDER / "complete").exists():
        return None
    apt("update")
    wanted = (PYTHON, f"lib{PYTHON}-dev", "libgomp1", "libstdc++6")
    done = apt("install", "--yes", "--download-only", *wanted)
    if done.returncode != 0:
        return f"{PYTHON} for arm64 from apt: {done.stderr.strip()}"
    for archive in sorted((FOLDER / "apt/cache/archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", archive, SYSTEM], check=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    pip += ["--only-binary", ":all:", "--constraint", str(ROOT / "constraints.txt")]
    for glibc in ("2_28", "2_27", "2_24", "2_17"):
        pip += ["--platform", f"manylinux_{glibc}_aarch64"]
    subprocess.run([*pip, "--dest", FOLDER / "wheels", *WANTED], check=True)
    for wheel in (FOLDER / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(PACKAGES)
    # The package itself is taken from src; it asks for its version.
    metadata = PACKAGES / f"fuzzyucs-{distribution('fuzzyucs').version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(distribution("fuzzyucs").read_text("METADATA") or "")
    (FOLDER / "complete").touch()
    return None


def build_for_arm() -> Build:
    """Return how the native module is built for it."""
    headers = SYSTEM / "usr" / "include"
    return Build(
        "aarch64 g++",
        settings=(
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            f"-DPython_INCLUDE_DIR={headers / PYTHON}",
            f"-DCMAKE_CXX_FLAGS=-isystem {headers}",
        ),
    )


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run its Python."""
    qemu = next(filter(None, map(shutil.which, QEMU)))
    variables = {"PYTHONPATH": f"{ROOT / 'src'}:{PACKAGES}", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [qemu, "-L", str(SYSTEM), str(SYSTEM / "usr" / "bin" / PYTHON), *words],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
