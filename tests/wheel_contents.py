"""Check that a wheel has all files of the package and no others: run as a script."""

import re
import sys
import zipfile
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src"


def main(wheel: str) -> str | None:
    """Compare the wheel with the folder; return what is wrong, None if nothing is."""
    files = {path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*") if path.is_file()}
    expected = {name for name in files if not name.endswith((".pyc", ".so"))}
    with zipfile.ZipFile(wheel) as archive:
        found = {
            name
            for name in archive.namelist()
            if ".dist-info/" not in name and not name.endswith("/")
        }
    native = {name for name in found if re.fullmatch(r"fuzzyucs/_core\.[\w.-]+", name)} - expected
    missing, surplus = sorted(expected - found), sorted(found - expected - native)
    if missing or surplus or len(native) != 1:
        return f"{wheel}: missing {missing}, too many {surplus}, native {sorted(native)}"
    print(f"{wheel} has all {len(found)} files")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
