"""Builds the fuzzers, runs them for some minutes and tells what they found.

``make fuzz`` runs it; ``MINUTES=60 make fuzz`` for an hour. Fuzzers of the engine need Clang with
libFuzzer, that of model files needs Atheris; what is missing is skipped. Each fuzzer begins with
its part of ``fuzz/corpus``, and goes on from what it found in earlier runs, in ``build/fuzz``.
``--keep`` packs the smallest inputs with the same coverage into ``fuzz/corpus``.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "fuzz"
ENGINE = ("learner", "stream", "growth", "rows", "forest")
MODELS = "model_files"
LONGEST = {**dict.fromkeys(ENGINE, 2048), MODELS: 60_000}  # bytes of an input


def clang() -> str | None:
    """Return a Clang that can link fuzzers."""
    names = [os.environ.get("CLANG", "clang++"), *(f"clang++-{n}" for n in range(25, 13, -1))]
    source = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'
    for name in filter(shutil.which, names):
        command = [name, "-x", "c++", "-", "-fsanitize=fuzzer,address", "-o", os.devnull]
        if subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0:
            return name
    return None


def build(compiler: str) -> None:
    """Build the fuzzers of the engine."""
    tools = Path(sys.executable).parent
    generate = [tools / "cmake", "-G", "Ninja", "-S", HERE, "-B", BUILD]
    options = [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"]
    subprocess.run([*generate, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tools / "ninja", "-C", BUILD, "--quiet"], check=True)


def seeds(target: str) -> Path:
    """Return a folder with the committed inputs of a fuzzer."""
    folder = BUILD / "seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    if target == MODELS:
        for path in (ROOT / "tests" / "models").glob("version-*/*.json"):
            shutil.copy(path, folder / f"{path.parent.name}-{path.name}")
    elif (packed := HERE / "corpus" / f"{target}.tar.xz").exists():
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return folder


def command(target: str) -> list[str]:
    """Return how a fuzzer is started."""
    if target == MODELS:
        return [sys.executable, str(HERE / "model_files.py")]
    return [str(BUILD / target)]


def fuzz(target: str, seconds: float, seed: int) -> dict[str, int]:
    """Run a fuzzer; return its executions, its coverage and how many inputs broke something."""
    corpus, found = BUILD / "corpus" / target, BUILD / "found" / target
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    options = {
        "max_total_time": round(seconds),
        "seed": seed,
        "max_len": LONGEST[target],
        "timeout": 120,
        "rss_limit_mb": 3000,
        "print_final_stats": 1,
        "artifact_prefix": f"{found}/",
    }
    words = [f"-{name}={value}" for name, value in options.items()]
    path = BUILD / f"{target}.txt"
    with path.open("w") as log:
        run = subprocess.run(
            [*command(target), *words, str(corpus), str(seeds(target))], stdout=log, stderr=log
        )
    text = path.read_text(errors="replace")

    def last(pattern: str) -> int:
        return int((re.findall(pattern, text) or [0])[-1])

    return {
        "executions": last(r"number_of_executed_units: (\d+)"),
        "covered": last(r"cov: (\d+)"),
        "places": last(r"\((\d+) PCs\)"),
        "broken": max(len(list(found.iterdir())), int(run.returncode != 0)),
    }


def keep(target: str) -> None:
    """Pack the smallest inputs that cover as much as all that were found."""
    smallest = BUILD / "smallest" / target
    shutil.rmtree(smallest, ignore_errors=True)
    smallest.mkdir(parents=True)
    folders = [str(smallest), str(BUILD / "corpus" / target), str(seeds(target))]
    subprocess.run([*command(target), "-merge=1", *folders], check=True, capture_output=True)
    packed = HERE / "corpus" / f"{target}.tar.xz"
    packed.parent.mkdir(exist_ok=True)
    with tarfile.open(packed, "w:xz", preset=9) as archive:
        for path in sorted(smallest.iterdir()):
            info = tarfile.TarInfo(path.name)  # without times and owners
            info.size = path.stat().st_size
            with path.open("rb") as content:
                archive.addfile(info, content)


def main() -> int:
    """Fuzz everything that can be fuzzed here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.5, help="of all fuzzers together")
    parser.add_argument("--only", nargs="+", choices=[*ENGINE, MODELS], default=[*ENGINE, MODELS])
    parser.add_argument(
        "--seed", type=int, default=1, help="of changes to inputs; 0: another each time"
    )
    parser.add_argument("--keep", action="store_true", help="renew fuzz/corpus and do nothing else")
    options = parser.parse_args()
    targets = [target for target in options.only if target in ENGINE]
    if targets and (compiler := clang()):
        build(compiler)
    elif targets:
        print("no Clang with libFuzzer: the engine is not fuzzed")
        targets = []
    if options.keep:
        for target in targets:
            keep(target)
        return 0
    if MODELS in options.only:
        if importlib.util.find_spec("atheris"):
            targets.append(MODELS)
        else:
            print("no Atheris: the reader of model files is not fuzzed")
    if not targets:
        return 0
    at_once = min(os.cpu_count() or 1, len(targets))
    seconds = 60 * options.minutes * at_once / len(targets)
    with ThreadPoolExecutor(at_once) as pool:
        results = dict(
            zip(targets, pool.map(lambda t: fuzz(t, seconds, options.seed), targets), strict=True)
        )
    print(f"{'fuzzer':12} {'executions':>10} {'covered':>8} {'of':>7} {'broken':>7}")
    for target, result in results.items():
        numbers = [result[name] for name in ("executions", "covered", "places", "broken")]
        print("{:12} {:10} {:8} {:7} {:7}".format(target, *numbers))
        if result["broken"]:
            print((BUILD / f"{target}.txt").read_text(errors="replace")[-4000:], file=sys.stderr)
    return int(any(result["broken"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
