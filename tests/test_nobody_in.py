"""Importing the library opens nothing and runs nothing, and its sources have no way to."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fuzzyucs

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "fuzzyucs").rglob("*.py"))

# An audit event is ours if the innermost frame that is not of Python itself is in a file of the
# library. What other packages do when they are imported is theirs: ctypes loads of NumPy, for
# example. Code that Python's own modules make of texts is theirs, too: of data classes and named
# tuples.
PROGRAM = """
import importlib, json, pkgutil, sys, sysconfig

FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn",
             "os.spawn", "os.startfile", "pickle.", "ctypes.dlopen", "urllib.", "ftplib.",
             "http.", "webbrowser.", "code.__new__", "marshal.loads")
CODE = ("compile", "exec")
found, ours = [], []

def is_pythons(name):
    return name.startswith("<frozen") or (name.startswith(LIBRARY) and "site-packages" not in name)

def is_ours(frame, own_code):
    while frame is not None and not own_code and is_pythons(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(ROOT)

def from_import(frame):
    return frame.f_code.co_filename.startswith("<frozen importlib")

def hook(event, args):
    if not event.startswith(FORBIDDEN) and event not in CODE:
        return
    frame = sys._getframe(1)
    if event in (*CODE, "marshal.loads", "code.__new__") and from_import(frame):
        return  # a module is imported
    if is_ours(frame, event in CODE):
        found.append([event, frame.f_code.co_filename, frame.f_lineno])

ROOT, LIBRARY = sys.argv[1], sysconfig.get_path("stdlib")
sys.addaudithook(hook)
package = importlib.import_module("fuzzyucs")
names = [m.name for m in pkgutil.walk_packages(package.__path__, "fuzzyucs.")]
missing = {}
for name in names:
    if name.endswith("__main__"):
        continue
    try:
        importlib.import_module(name)
    except ImportError as error:
        missing[name] = str(error)
if len(sys.argv) > 2:  # what the hook must notice
    exec(compile(sys.argv[2], ROOT + "/planted.py", "exec"))
print(json.dumps({"names": names, "found": found, "missing": missing}))
"""


def audited(*planted):
    folder = str(Path(fuzzyucs.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, *planted],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"MPLBACKEND": "agg"},
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_every_module_opens_and_runs_nothing():
    told = audited()
    assert len(told["names"]) > 250
    assert told["missing"] == {}
    assert told["found"] == []


@pytest.mark.parametrize(
    ("code", "event"),
    [
        ("import socket; socket.socket().close()", "socket.__new__"),
        ("import os; os.system('true')", "os.system"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import pickle; pickle.loads(pickle.dumps(Exception))", "pickle.find_class"),
        ("eval('1 + 1')", "compile"),
    ],
)
def test_the_hook_notices_what_it_looks_for(code, event):
    told = audited(code)
    assert event in {name for name, *_ in told["found"]}


CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
ATTRIBUTES = re.compile(
    r"(c?[Pp]ickle|dill|cloudpickle|marshal|shelve)\.(loads?|Unpickler|open)|os\.(system|popen|exec\w+|"
    r"spawn\w+|fork)|subprocess\.\w+|(joblib|torch)\.load|yaml\.(unsafe_)?load|pty\.\w+"
)


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def forbidden(tree):
    """Return what would run text, start processes or read pickles."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in names if ATTRIBUTES.fullmatch(name)]
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in CALLS or ATTRIBUTES.fullmatch(name):
            found.append(name)
        for option in node.keywords:
            is_true = isinstance(option.value, ast.Constant) and option.value.value is True
            if option.arg in ("shell", "allow_pickle") and is_true:
                found.append(f"{option.arg}=True")
        is_load = name.endswith((".load", "np.load")) and name.startswith(("np.", "numpy."))
        if is_load and "allow_pickle" not in {option.arg for option in node.keywords}:
            found.append(f"{name} without allow_pickle=False")
    return found


def test_sources_run_no_text_and_read_no_pickles():
    assert len(SOURCES) > 250
    found = {path: forbidden(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {str(path): calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "code",
    [
        "eval(x)",
        "exec(x)",
        "pickle.load(f)",
        "import pickle\npickle.Unpickler(f)",
        "from pickle import loads",
        "os.system(x)",
        "subprocess.run(x)",
        "run(x, shell=True)",
        "np.load(f)",
        "np.load(f, allow_pickle=True)",
        "joblib.load(f)",
    ],
)
def test_what_is_forbidden_is_found(code):
    assert forbidden(ast.parse(code))


def test_texts_for_users_read_and_write_no_pickles():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    assert len(pages) > 30
    pattern = re.compile(
        r"(import|from) +(pickle|dill|cloudpickle)\b|(pickle|joblib|dill)\.(loads?|dumps?)\b"
    )
    texts = {str(page): page.read_text(encoding="utf-8") for page in pages}
    assert [name for name, text in texts.items() if pattern.search(text)] == []
