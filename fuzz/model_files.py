"""Model files with changes that the fuzzer picks by the code that they reach.

Reading a file either succeeds or raises ValueError; a model that was read answers, and its masses
sum to 1. Run by ``make fuzz``, with Atheris, or alone: ``python fuzz/model_files.py corpus/``.
"""

import os
import random
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

# Atheris sees imports before the path is searched; an editable installation comes even earlier.
sys.meta_path.sort(key=lambda finder: type(finder).__module__.startswith("_editable"))
with atheris.instrument_imports(include=["fuzzyucs"], enable_loader_override=False):
    import fuzzyucs
    from fuzzyucs.deployment.numpy_model import NumpyModel
    from model_changes import mutated

    for model in (Path(__file__).parent.parent / "tests" / "models").glob("version-2/*.json"):
        fuzzyucs.load(model)  # imports what models need

PATH = Path(tempfile.mkdtemp()) / "model.json"
LARGEST = 60_000  # bytes of a file


def rows_for(clf):
    """Return two rows of the kind that a model asks for, one of them with gaps."""
    rows = np.full((2, clf.n_features_in_), 0.5, dtype=object)
    rows[1, ::2] = np.nan
    columns = getattr(clf, "columns_", None)
    for feature in range(rows.shape[1]) if columns is not None else ():
        with suppress(IndexError, KeyError):
            rows[0, feature] = columns.label(feature, 0.0)
    return rows


@atheris.instrument_func
def check(content: bytes) -> None:
    """Read a file and ask the model in it."""
    PATH.write_bytes(content)
    try:
        clf = fuzzyucs.load(PATH)
    except ValueError as error:
        if not str(error).startswith(f"{PATH} is no model file"):
            raise AssertionError("an error that does not name the file") from error
        return
    if clf.n_features_in_ > 1000:
        return
    try:
        rows = rows_for(clf)
        evidence = clf.predict_evidence(rows)
    except ValueError:  # rows that this model has no use for
        return
    everything = np.column_stack([evidence.mass, evidence.ignorance])
    assert np.isfinite(everything).all()
    assert everything.min() >= 0
    np.testing.assert_allclose(everything.sum(axis=1), 1.0, rtol=1e-9)
    assert np.isfinite(clf.predict_proba(rows)).all()
    clf.rules_.to_text()
    with suppress(ValueError):  # models that it does not support
        NumpyModel.load(PATH)


def changed(content: bytes, longest: int, seed: int) -> bytes:
    """Return a file with changes: most often a value of the document, sometimes bytes."""
    rng = random.Random(seed)
    with suppress(ValueError, IndexError, KeyError, TypeError, RecursionError):
        found = mutated(content.decode(), rng)
        if len(found) <= min(longest, LARGEST):
            return found
    return atheris.Mutate(content, min(longest, LARGEST))


def main() -> None:
    """Fuzz until the time given by libFuzzer's options is over."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("PYTHONHASHSEED", "0")
    atheris.Setup(sys.argv, check, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
