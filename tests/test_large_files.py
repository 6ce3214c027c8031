"""Learning from files within a limit of memory: counts are those of all rows."""

import numpy as np
import pytest

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import file_learning, file_rows, row_sample
from fuzzyucs.variables.batches import Batches
from large_tables import N_SAMPLED, mixed, small_samples

pytest.importorskip("pyarrow")
ROWS = 2000  # that there is memory for


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    monkeypatch.setattr(file_learning, "N_SAMPLED", N_SAMPLED)
    monkeypatch.setattr(file_learning, "BATCH_BYTES", 2**15)
    monkeypatch.setattr(file_rows, "CHUNK", 700)
    with small_samples():
        yield


def memory_for(batches, n_rows):
    values = 2 * batches.row_bytes() + 2 * len(batches.names)
    of_row = file_learning.GROWTH_BYTES + 2 * file_learning.CLASS_BYTES + values
    return file_learning.FIXED_BYTES + n_rows * of_row


def saved(clf, path):
    clf.save(path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    mixed().to_parquet(tmp_path / "table.parquet", row_group_size=1000)
    return tmp_path / "table.parquet"


def limited(path, n_rows=ROWS, **options):
    return Batches(path, **options, memory=memory_for(Batches(path, "ill"), n_rows))


def test_it_says_in_how_many_rows_rules_grew(path):
    with pytest.warns(UserWarning, match=r"rules grew in 2,000 of the 6,000 rows of .*table"):
        clf = EvidentialRuleClassifier().fit(limited(path), "ill")
    assert clf.feature_names_in_.tolist() == ["town", "age", "since", "income"]
    frame = mixed(seed=1)
    whole = EvidentialRuleClassifier().fit(mixed().drop(columns="ill"), mixed()["ill"])
    score = clf.score(frame.drop(columns="ill"), frame["ill"])
    assert score > whole.score(frame.drop(columns="ill"), frame["ill"]) - 0.02


@pytest.mark.filterwarnings("ignore:memory")
def test_counts_are_those_of_all_rows(path):
    frame = mixed()
    X, y = frame.drop(columns="ill"), frame["ill"]
    clf = EvidentialRuleClassifier().fit(limited(path), "ill")
    rules = clf.rules_
    assert rules.class_rows.tolist() == y.value_counts()[["no", "yes"]].tolist()
    assert clf.base_rates_ == pytest.approx(rules.class_rows / 6000, abs=1e-15)
    holds = rules.variables.holds(rules.conditions, clf._records(X))
    for label, name in enumerate(clf.classes_):
        assert rules.applies[:, label].tolist() == holds[(y == name).to_numpy()].sum(0).tolist()
    assert clf.support_.known.maximum[1] == X["age"].max()
    degrees = rules.variables.degrees(
        rules.conditions, rules.variables.positions(clf.check_table(X)), rules.neutral
    )
    own = np.stack([degrees[(y == name).to_numpy()].sum(axis=0) for name in clf.classes_], axis=1)
    assert rules.class_experience == pytest.approx(own, abs=1e-6)


@pytest.mark.filterwarnings("ignore:memory")
def test_batches_row_groups_and_order_do_not_matter(path, tmp_path, monkeypatch):
    expected = saved(EvidentialRuleClassifier().fit(limited(path), "ill"), tmp_path / "a.json")
    shuffled = tmp_path / "shuffled.parquet"
    mixed().sample(frac=1, random_state=0).to_parquet(shuffled, row_group_size=130)
    monkeypatch.setattr(file_rows, "CHUNK", 90)
    clf = EvidentialRuleClassifier().fit(limited(shuffled), "ill")
    assert saved(clf, tmp_path / "b.json") == expected


def test_with_memory_for_all_rows_it_is_the_fit_in_memory(path, tmp_path):
    frame = mixed()
    labels = np.array(frame["ill"].tolist())
    in_memory = EvidentialRuleClassifier().fit(frame.drop(columns="ill"), labels)
    from_file = EvidentialRuleClassifier().fit(limited(path, 7000), "ill")
    assert saved(from_file, tmp_path / "a.json") == saved(in_memory, tmp_path / "b.json")


@pytest.mark.filterwarnings("ignore:memory")
def test_weights_count_and_rows_of_weight_0_do_not(tmp_path):
    frame = mixed()
    frame["w"] = np.random.default_rng(0).choice([0.0, 1.0, 2.0], len(frame))
    frame.to_parquet(tmp_path / "table.parquet")
    clf = EvidentialRuleClassifier().fit(
        limited(tmp_path / "table.parquet", sample_weight="w"), "ill", "w"
    )
    counted = frame[frame["w"] > 0]
    assert clf.rules_.class_rows.sum() == len(counted)
    share = counted.loc[counted["ill"] == "yes", "w"].sum() / counted["w"].sum()
    assert clf.base_rates_[1] == pytest.approx(share, abs=1e-12)


@pytest.mark.filterwarnings("ignore:memory")
def test_models_keep_to_constraints(path):
    wish = {"age": 1, "income": -1}
    clf = EvidentialRuleClassifier(monotonic_cst=wish, unused_features=["since"])
    clf.fit(limited(path), "ill")
    assert clf.constraints_.monotonic == (0, 1, 0, -1)
    assert clf.rules_.asks[:, 1].any()
    assert clf.constraints_.broken(clf.rules_) == []


def test_too_little_memory_is_refused(path):
    clf = EvidentialRuleClassifier()
    with pytest.raises(ValueError, match=r"memory must be at least .* to learn from"):
        clf.fit(limited(path, 10), "ill")
    assert not hasattr(clf, "classes_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(age=np.where(f.index == 5000, np.inf, f["age"])), "infinity"),
        (lambda f: f.assign(ill="yes"), "at least 2 classes"),
        (lambda f: f.assign(ill=f["income"].fillna(0.5) / 7), "continuous|Unknown label type"),
    ],
)
def test_bad_files_are_refused(change, message, tmp_path):
    path = tmp_path / "table.parquet"
    change(mixed()).to_parquet(path)
    clf = EvidentialRuleClassifier()
    with pytest.raises(ValueError, match=message):
        clf.fit(limited(path), "ill")
    assert not hasattr(clf, "rules_")


def test_a_sketch_of_more_rows_has_the_same_sample(monkeypatch):
    monkeypatch.setattr(row_sample, "FREQUENT", 50)
    frame = mixed()
    with small_samples():
        clf = EvidentialRuleClassifier().fit(frame.drop(columns="ill"), frame["ill"])
    data = clf._grown.data
    small, large = row_sample.RowSketch.of(data), row_sample.RowSketch.of(data, ROWS)
    samples = [sketch.sample(data.count_copies) for sketch in (small, large)]
    assert samples[0].rows.hashes.tolist() == samples[1].rows.hashes.tolist()
    assert samples[0].left_out.greatest == samples[1].left_out.greatest
    rows, hashes = large.training_rows()
    assert len(hashes) == ROWS
    assert rows.sample_weight.sum() == data.count_copies(hashes).sum()
