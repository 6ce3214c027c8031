"""Model files: what is no model is refused, and the message says what is wrong, and where."""

import json
import pickle

import pytest

import fuzzyucs
from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs.deployment.model_file import save_load
from fuzzyucs.deployment.model_file.save_load import VERSION
from model_files import SMALL, fitted_models, table


@pytest.fixture(scope="module")
def fitted():
    return fitted_models()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def test_files_that_are_no_models(path):
    with pytest.raises(FileNotFoundError):
        fuzzyucs.load(path)
    cases = {
        b"": "must be JSON",
        b"\xff\xfe": "UTF-8",
        b"[1, 2]": '"format": "fuzzyucs model"',
        b'{"format": "fuzzyucs rules", "version": 1}': '"format": "fuzzyucs model"',
        b'{"format": "fuzzyucs model"}': "version must be a whole number from 1 to 2, got null",
        b'{"format": "fuzzyucs model", "version": true}': "version must be",
        b'{"format": "fuzzyucs model", "version": 1}': "estimator must be one of .*, got null",
        b'{"format": "fuzzyucs model", "version": 1, "estimator": "UCSClassifier"}': "keys .'para",
        b'{"a": NaN}': "finite, got NaN",
        b'{"a": 1, "a": 2}': 'key "a" occurs twice',
        b"[" * 200_000: "nested too deeply",
        b'{"a":' * 200_000: "nested too deeply",
        b"1" * 10_000: "digits",
        pickle.dumps({"a": 1}): "UTF-8",
    }
    for content, message in cases.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message) as caught:
            fuzzyucs.load(path)
        assert str(path) in str(caught.value)


def test_a_newer_version_asks_for_a_newer_library(path):
    path.write_text(json.dumps({"format": "fuzzyucs model", "version": VERSION + 1}))
    with pytest.raises(ValueError, match=r"version 3 .* up to 2; install a newer fuzzyucs"):
        fuzzyucs.load(path)


def test_size_is_limited_before_reading(fitted, path):
    fitted["fuzzy"].save(path)
    size = path.stat().st_size
    fuzzyucs.load(path, max_size=size)
    with pytest.raises(ValueError, match=r"at most .* bytes \(max_size\)"):
        fuzzyucs.load(path, max_size=size - 1)
    with pytest.raises(ValueError, match="at most 1,000 bytes"):
        fuzzyucs.load("/dev/zero", max_size=1000)
    with open(path, "r+b") as file:
        file.truncate(2**40)  # takes no room on the disk
    with pytest.raises(ValueError, match=r"has 1,099,511,627,776"):
        fuzzyucs.load(path)


def at(document, way):
    """Return what holds a value, and its key."""
    *way, last = [int(part) if part.isdecimal() else part for part in way.split("/")]
    for part in way:
        document = document[part]
    return document, last


DELETED = object()
PEAK = {"peaks": [4.0], "terms": ["4"], "is_nominal": True, "takes_nearest": False}
WRONG = [
    ("fuzzy", "estimator", "RandomForestClassifier", "estimator must be one of"),
    ("fuzzy", "estimator", "os.system", "estimator must be one of"),
    ("fuzzy", "surprise", 1, r"it has unknown keys: .*surprise"),
    ("fuzzy", "penalty", 1.0, "unknown keys.*penalty"),
    ("fuzzy", "learner", DELETED, "must have the key 'learner'"),
    ("fuzzy", "columns", DELETED, "must have the key 'columns'"),
    ("fuzzy", "parameters/epochs", 0, "parameters are not valid.*epochs"),
    ("fuzzy", "parameters/mood", 0, "parameters has unknown keys.*mood"),
    ("fuzzy", "parameters/random_state", {"generator": 1}, "parameters.random_state"),
    ("fuzzy", "parameters/population_size", 2**80, "parameters.population_size"),
    ("fuzzy", "classes/labels", ["b", "a", "c"], "different labels in ascending order"),
    ("fuzzy", "classes/labels", ["a", "a", "c"], "different labels in ascending order"),
    ("fuzzy", "classes/labels", ["a"], "classes.labels must be an array of 2 to 10000"),
    ("fuzzy", "classes/labels/1", "\ud800", "half characters"),
    ("fuzzy", "classes/labels/2", "virgínica\0", "fit into str"),
    ("fuzzy", "classes/dtype", "datetime64", "classes.dtype must be one of"),
    ("fuzzy", "n_features", 10**12, "n_features must be a whole number from 1"),
    ("fuzzy", "n_features", 10**6, "feature_names must be an array of 1000000"),
    ("fuzzy", "feature_names/1", 7, r"feature_names\[1\] must be a string, got 7"),
    ("fuzzy", "rule_set/rules/3/weights", [1.0], r"rules\[3\].weights must be an array of 3"),
    ("fuzzy", "rule_set/rules/3/weights/1", None, r"rules\[3\].weights\[1\] must be a number"),
    ("fuzzy", "rule_set/rules/3/weights/1", 1.5, r"from 0 to 1, got 1.5"),
    ("fuzzy", "rule_set/rules/3/weights", [0.9, 0.9, 0.9], r"rules\[3\].weights must be shares"),
    ("fuzzy", "rule_set/rules/3/experience", 1e9, r"rules\[3\].experience must be"),
    ("fuzzy", "rule_set/rules/3/conditions/0", 0, r"rules\[3\].conditions\[0\]"),
    ("fuzzy", "rule_set/rules/3/conditions/0", 32, r"conditions\[0\] must be a set of 5 terms"),
    ("fuzzy", "rule_set/rules/3/consequent", 3, r"rules\[3\].consequent"),
    ("fuzzy", "rule_set/rules/3/numerosity", 0, r"rules\[3\].numerosity"),
    ("fuzzy", "rule_set/rules/3/numerosity", 1.0, r"rules\[3\].numerosity"),
    ("fuzzy", "rule_set/rules/3/numerosity", 2**23, "at most 8388609 micro-rules"),
    ("fuzzy", "rule_set/rules/3/set_size", 0.5, r"rules\[3\].set_size"),
    ("fuzzy", "rule_set/rules/3/set_count", -1, r"rules\[3\].set_count"),
    ("fuzzy", "rule_set/rules/3/time_stamp", 2**62, r"rules\[3\].time_stamp"),
    ("fuzzy", "rule_set/rules/3/fitness", -1.5, r"rules\[3\].fitness"),
    ("fuzzy", "rule_set/rules/3/fitness", True, r"rules\[3\].fitness"),
    ("fuzzy", "rule_set/rules/3/mood", 1, r"rules\[3\] has unknown keys"),
    ("fuzzy", "rule_set/rules/3", None, r"rules\[3\] must be an object, got null"),
    ("fuzzy", "rule_set/variables/features", [], "features must be an array of 5"),
    ("fuzzy", "rule_set/variables/features/0/n_terms", 65, r"features\[0\].n_terms"),
    ("fuzzy", "rule_set/variables/features/0/maximum", -1e9, r"features\[0\].maximum"),
    ("fuzzy", "rule_set/variables/features/0/maximum", None, r"features\[0\].maximum"),
    (
        "fuzzy",
        "rule_set/variables/features/0/borders/at_most",
        [1.0],
        r"at_most must be an array of 4",
    ),
    ("fuzzy", "rule_set/variables/features/0/borders/at_least/0", 1e9, "numbers that do not fall"),
    (
        "fuzzy",
        "rule_set/variables/features/0/borders/at_most/0",
        None,
        r"at_most\[0\] must be a num",
    ),
    ("fuzzy", "rule_set/variables/features/0/borders", {}, r"borders must have the keys"),
    ("fuzzy", "learner/seed", 5, "learner.seed must be a string with a whole number"),
    ("fuzzy", "learner/seed", str(2**64), "learner.seed"),
    ("fuzzy", "learner/seed", "٣", "learner.seed"),
    ("fuzzy", "learner/random_state", ["0"] * 4, "not all 0"),
    ("fuzzy", "learner/time", -1, "learner.time"),
    ("full", "rule_set/variables/features/0/special/peaks", [1.0, 1.0, 2.0], "ascending"),
    ("full", "rule_set/variables/features/0/special/peaks", [1.0, 2.0], "n_terms must be 2"),
    (
        "full",
        "rule_set/variables/features/0/special/ends",
        [5.0, 6.0],
        "ends must be an array of 3",
    ),
    ("full", "rule_set/variables/features/0/special/ends", [5.0, 7.5, 8.0], "below the next one"),
    ("full", "rule_set/variables/features/0/special/ends", [4.0, 6.0, 8.0], "below the next one"),
    ("full", "rule_set/variables/features/4/special/ends", [5.0, 7.5, 8.0], "absent for a nominal"),
    (
        "full",
        "rule_set/variables/features/0/special/groups",
        [0, 1, 1],
        "absent unless the feature",
    ),
    ("full", "rule_set/variables/features/4/special/groups", [0, 2, 2], "no group is left out"),
    ("full", "rule_set/variables/features/4/special/groups", [0, 0, 1], "n_terms must be 2, as"),
    (
        "full",
        "rule_set/variables/features/4/special/groups",
        [0, 0],
        "groups must be an array of 3",
    ),
    ("full", "rule_set/variables/features/4/special/counts", [0], "counts must be an array of 3"),
    ("full", "rule_set/variables/features/4/special/counts", [0, 1, -1], r"counts\[2\] must be"),
    ("full", "rule_set/variables/features/0/special/terms", ["a"], "terms must be an array of 3"),
    ("full", "rule_set/variables/features/0/special/takes_nearest", True, "takes_nearest"),
    ("full", "rule_set/variables/beliefs/is_believed", [True], "is_believed must be an array of 5"),
    ("full", "rule_set/variables/beliefs/forest/parent/0", 0, r"parent\[0\] must be no descendant"),
    ("full", "rule_set/variables/beliefs/forest/parent/0", 5, r"parent\[0\] must be a whole"),
    ("full", "rule_set/variables/beliefs/forest/marginal/0", 0.9, r"sum to 1 from \[0\] on"),
    ("full", "rule_set/variables/beliefs/forest/marginal/0", 0.0, r"marginal\[0\] must be a num"),
    ("full", "rule_set/variables/beliefs/forest/joint", [], "joint must be an array of"),
    ("full", "rule_set/variables/beliefs/forest/joint/0", 0.9, "joint must have probabilities"),
    ("full", "rule_set/variables/features/4/special", PEAK, "n_terms must be 2"),
    ("full", "support/forest/n_terms/0", 2, r"support.forest.n_terms\[0\] must be"),
    ("full", "support/scores/3", -1e9, "support.scores must be an array of numbers that do not"),
    ("full", "support/levels", [0.5], "support.levels must be an array of 101"),
    ("full", "support/levels/0", 0.9, "support.levels must be"),
    ("full", "support/tail", 0.0, "support.tail"),
    ("full", "support/typical/0", 1e308, r"support.typical\[0\]"),
    ("full", "support/typical_alone/0", 1e308, r"support.typical_alone\[0\]"),
    ("full", "support/typical_alone", [0.0], "support.typical_alone must be an array of 5"),
    ("full", "support/values/4", [5.0, 4.0], r"support.values\[4\]"),
    ("full", "support", DELETED, "parameters.support must be null"),
    ("full", "tempering", DELETED, "parameters.calibrate must be false"),
    ("full", "tempering/temperature", 0.5, "tempering.temperature"),
    ("full", "tempering/discount", 1.5, "tempering.discount"),
    ("full", "columns", [{"feature": 0, "labels": ["a"], "is_ordered": False}], r"features\[0\]"),
    ("weighted", "weighted_rule_set", DELETED, "parameters.inference must not be weighted"),
    ("weighted", "weighted_rule_set/prior/0", 1e300, r"weighted_rule_set.prior\[0\]"),
    ("weighted", "weighted_rule_set/doubt", 0, "weighted_rule_set.doubt"),
    ("weighted", "weighted_rule_set/rules/0/strength", -1, r"rules\[0\].strength"),
    ("ucs", "rule_set/rules/2/conditions/1", [0.5], r"rules\[2\].conditions\[1\] must be an array"),
    ("ucs", "rule_set/rules/2/conditions/1/0", 1.5, r"rules\[2\].conditions\[1\] must be a number"),
    ("ucs", "rule_set/variables/features/0/decimals", 15, r"features\[0\].decimals"),
    ("ucs", "rule_set/variables/features/0/maximum", 1e300, r"features\[0\].decimals"),
    ("evidential", "rule_set/form", 4, "rule_set.form must be a whole number from 1 to 3, got 4"),
    ("evidential", "rule_set/form", "2", "rule_set.form must be"),
    ("evidential", "rule_set/form", 1, r"rule_set must have the keys .'prior', 'doubt'"),
    ("evidential", "rule_set/form", DELETED, r"rule_set must have the keys .'prior', 'doubt'"),
    ("evidential", "rule_set/prior", [0, 0, 0], "rule_set has unknown keys.*prior"),
    ("evidential", "rule_set", None, "rule_set must be an object"),
    ("evidential", "rule_set/base_rates", DELETED, r"rule_set must have the keys .'base_rates'"),
    ("evidential", "rule_set/base_rates", [0.5, 0.5], "base_rates must be an array of 3"),
    ("evidential", "rule_set/base_rates", [0.5, 0.6, -0.1], r"base_rates\[2\] must be a number"),
    ("evidential", "rule_set/base_rates", [0.5, 0.5, 1e-9], "base_rates must be shares that sum"),
    ("evidential", "rule_set/class_rows", [0, 0, 0], "class_rows must be numbers of rows"),
    ("evidential", "rule_set/class_rows", [2**53] * 3, "class_rows must be numbers of rows"),
    ("evidential", "rule_set/class_rows/0", 25.0, r"class_rows\[0\] must be a whole number"),
    ("evidential", "rule_set/class_rows/0", -1, r"class_rows\[0\] must be a whole number"),
    ("evidential", "rule_set/class_rows", [1, 1, 1], r"rules\[0\].applies must be at most class_r"),
    ("evidential", "rule_set/answer_threshold", 1.1, "answer_threshold must be a number from 0"),
    ("evidential", "rule_set/answer_threshold", None, "answer_threshold must be a number from 0"),
    ("evidential", "rule_set/rules/0/applies/1", 10**6, r"rules\[0\].applies must be at most"),
    ("evidential", "rule_set/rules/0/applies/1", -1, r"rules\[0\].applies\[1\] must be a whole"),
    ("evidential", "rule_set/rules/0/applies/1", 1.5, r"rules\[0\].applies\[1\] must be a whole"),
    ("evidential", "rule_set/rules/0/applies", [1], r"rules\[0\].applies must be an array of 3"),
    ("evidential", "rule_set/rules/0/profile/1", 1e7, r"rules\[0\].profile\[1\] must be a number"),
    ("evidential", "rule_set/rules/0/profile/1", "1", r"rules\[0\].profile\[1\] must be a number"),
    ("evidential", "rule_set/rules/0/profile", [0, 0], r"rules\[0\].profile must be an array of 3"),
    (
        "evidential",
        "rule_set/rules/0/neutral",
        1.5,
        r"rules\[0\].neutral must be a number from 0 to 1",
    ),
    (
        "evidential",
        "rule_set/rules/0/neutral",
        -0.1,
        r"rules\[0\].neutral must be a number from 0 to 1",
    ),
    (
        "evidential",
        "rule_set/rules/0/neutral",
        DELETED,
        r"rules\[0\] must have the keys .'neutral'",
    ),
    ("evidential", "rule_set/rules/0/strength", 1, r"rules\[0\] has unknown keys.*strength"),
    ("evidential", "rule_set/rules/0/evidence", -1, r"rules\[0\].evidence must be a number"),
    ("evidential", "parameters/missing", "match", "parameters.missing must not be 'match'"),
    ("evidential", "parameters/missing", "guess", "parameters are not valid.*'missing'"),
    ("evidential", "parameters/base_rates", 3, "parameters are not valid.*'base_rates'"),
    ("fuzzy", "parameters/missing", "guess", "parameters are not valid.*'missing'"),
    ("evidential", "informative_gaps", ["mood"], r"informative_gaps\[0\] must be the name of a"),
    ("evidential", "informative_gaps", ["petals"] * 9, "informative_gaps must be an array of 0 to"),
    ("evidential", "informative_gaps", None, "informative_gaps must be an array"),
    ("evidential", "penalty", 0, "penalty must be a number above 0"),
    ("evidential", "penalty", DELETED, "must have the key 'penalty'"),
    ("evidential", "path", [], "path must be an object"),
    ("evidential", "path/n_rules", DELETED, "path must have the keys .'n_rules'"),
    ("evidential", "path/n_rules", [1.0], "path.n_rules must be an array of"),
    ("evidential", "path/n_rules/0", -1, r"path.n_rules\[0\] must be a number from 0"),
    ("evidential", "path/accuracy/0", 1.1, r"path.accuracy\[0\] must be a number from"),
    ("evidential", "path/log_loss/0", None, r"path.log_loss\[0\] must be a number from"),
    ("evidential", "path/penalty", [], "path.penalty must be an array of 1 to"),
    ("evidential", "path/penalty", [3.0], "path.penalty must be an array with the penalty of"),
    ("evidential", "learner", {}, "unknown keys.*learner"),
]


@pytest.mark.parametrize(("name", "way", "value", "message"), WRONG)
def test_what_is_wrong_is_named(fitted, name, way, value, message, path):
    name = {"full": "fuzzy with everything"}.get(name, name)
    document = json.loads(fitted[name].save(path).read_text(encoding="utf-8"))
    holder, key = at(document, way)
    if value is DELETED:
        del holder[key]
    else:
        holder[key] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message) as caught:
        fuzzyucs.load(path)
    assert str(caught.value).startswith(f"{path} is no model file")
    assert len(str(caught.value)) < 600


def test_features_that_vary_and_those_that_never_did(path):
    X, _, y = table()
    X["constant"] = 3.0
    clf = FuzzyUCSClassifier(missing="belief", nominal_features=[4, 5], **SMALL).fit(X, y)
    text = clf.save(path).read_text(encoding="utf-8")
    constant = "rule_set/variables/features/5"
    beliefs = "rule_set/variables/beliefs"
    for way, value, message in [
        (f"{constant}/maximum", 4.0, r"features\[5\].special must be with more than one peak"),
        (f"{beliefs}/is_believed/5", True, r"is_believed\[5\] must be false"),
        (f"{beliefs}/forest/parent/5", 0, r"parent\[5\] must be -1"),
        (f"{beliefs}/forest/n_terms/5", 2, r"n_terms\[5\] must be 0"),
    ]:
        document = json.loads(text)
        holder, key = at(document, way)
        holder[key] = value
        path.write_text(json.dumps(document))
        with pytest.raises(ValueError, match=message):
            fuzzyucs.load(path)


def test_cycles_of_parents(fitted, path):
    document = json.loads(fitted["fuzzy with everything"].save(path).read_text(encoding="utf-8"))
    forest = document["rule_set"]["variables"]["beliefs"]["forest"]
    n_terms = forest["n_terms"]
    forest["parent"] = [1, 2, 0, -1, -1]
    sizes = [n_terms[0] * n_terms[1], n_terms[1] * n_terms[2], n_terms[2] * n_terms[0]]
    forest["joint"] = [1 / size for size in sizes for _ in range(size)]
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"forest.parent\[\d\] must be no descendant"):
        fuzzyucs.load(path)
    forest["parent"] = [1, 2, -1, -1, -1]
    forest["joint"] = forest["joint"][: sizes[0] + sizes[1]]
    path.write_text(json.dumps(document))
    fuzzyucs.load(path).predict_evidence(table()[1])


def test_nothing_is_imported_by_name(fitted, path, monkeypatch):
    """Whatever a file says, no code is looked up by it."""
    fitted["fuzzy"].save(path)
    text = path.read_text(encoding="utf-8").replace('"FuzzyUCSClassifier"', '"RejectOption"')
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr("importlib.import_module", None)
    with pytest.raises(ValueError, match="estimator must be one of"):
        fuzzyucs.load(path)


def test_arrays_are_counted_before_they_need_memory(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    text = clf.save(path).read_text()
    n_parts = text.count("[") + text.count("{")
    monkeypatch.setattr(save_load, "MAX_PARTS", n_parts)
    monkeypatch.setattr(save_load, "parse", lambda _: pytest.fail("parsed"))
    path.write_text(text + "[]")
    expected = f"at most {n_parts:,} arrays and objects, has {n_parts + 1:,}"
    with pytest.raises(ValueError, match=f"model.json is no model file .*{expected}"):
        fuzzyucs.load(path)
    monkeypatch.setattr(save_load, "MAX_PARTS", n_parts - 1)
    with pytest.raises(ValueError, match="this model cannot be saved: it must have at most"):
        clf.save(path)
    assert path.read_text() == text + "[]"
