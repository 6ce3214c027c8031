"""The article's numbers as they ship, and its statistics computed from them."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests

from fuzzyucs.experiment.measured import Measured
from fuzzyucs.experiment.published import load_published, published_means
from fuzzyucs.experiment.statistics import (
    average_ranks,
    compare,
    holm,
    mark,
    positions,
    signed_rank,
)

# Printed below the article's tables: ranks and positions of all systems, p-values of those that are
# compared with the last, without and with Holm's correction.
PRINTED = {
    ("f1_10", "train"): (
        ["2.93", "2.77", "2.40", "1.90"],
        [4, 3, 2, 1],
        ["0.0327", "0.000928", "0.360"],
        ["0.0654", "0.00278", "0.360"],
    ),
    ("f1_10", "test"): (
        ["3.20", "2.32", "2.63", "1.85"],
        [4, 2, 3, 1],
        ["0.00322", "0.0332", "0.00578"],
        ["0.00967", "0.0332", "0.0116"],
    ),
    ("f1_50", "train"): (
        ["2.10", "2.90", "2.97", "2.03"],
        [2, 3, 4, 1],
        ["0.821", "0.000471", "0.000593"],
        ["0.821", "0.00141", "0.00141"],
    ),
    ("f1_50", "test"): (
        ["2.50", "2.47", "3.07", "1.97"],
        [3, 2, 4, 1],
        ["0.221", "0.0368", "0.000110"],
        ["0.221", "0.0736", "0.000331"],
    ),
    ("acc_10", "train"): (
        ["3.05", "2.75", "2.35", "1.85"],
        [4, 3, 2, 1],
        ["0.00683", "0.000479", "0.120"],
        ["0.0137", "0.00144", "0.120"],
    ),
    ("acc_10", "test"): (
        ["3.43", "2.25", "2.55", "1.77"],
        [4, 2, 3, 1],
        ["0.000209", "0.0143", "0.00917"],
        ["0.000627", "0.0183", "0.0183"],
    ),
    ("acc_50", "train"): (
        ["2.10", "2.98", "2.93", "1.98"],
        [2, 4, 3, 1],
        ["0.968", "0.0000480", "0.00148"],
        ["0.968", "0.000144", "0.00297"],
    ),
    ("acc_50", "test"): (
        ["2.72", "2.50", "2.93", "1.85"],
        [3, 2, 4, 1],
        ["0.0483", "0.0121", "0.000529"],
        ["0.0483", "0.0243", "0.00159"],
    ),
    ("artificial_10", "train"): (["3.00", "3.33", "1.67", "2.00"], [3, 4, 1, 2], None, None),
    ("artificial_10", "test"): (["3.33", "3.00", "1.67", "2.00"], [4, 3, 1, 2], None, None),
    ("artificial_50", "train"): (["1.00", "3.67", "2.67", "2.67"], [1, 4, 2.5, 2.5], None, None),
    ("artificial_50", "test"): (["1.00", "3.33", "3.33", "2.33"], [1, 3.5, 3.5, 2], None, None),
    ("large_10", "train"): (["2.50", "3.50", "2.25", "1.75"], [3, 4, 2, 1], None, None),
    ("large_10", "test"): (["4.00", "2.50", "2.25", "1.25"], [4, 3, 2, 1], None, None),
    ("large_50", "train"): (["2.50", "3.50", "1.75", "2.25"], [3, 4, 1, 2], None, None),
    ("large_50", "test"): (["4.00", "2.50", "2.50", "1.00"], [4, 2.5, 2.5, 1], None, None),
    ("exstracs_10", "train"): (
        ["2.30", "3.82", "3.42", "3.02", "2.45"],
        [1, 5, 4, 3, 2],
        ["0.503", "0.00683", "0.000479", "0.120"],
        ["0.503", "0.0205", "0.00192", "0.241"],
    ),
    ("exstracs_10", "test"): (
        ["1.97", "4.30", "3.00", "3.28", "2.45"],
        [1, 5, 3, 4, 2],
        ["0.0920", "0.000209", "0.0143", "0.00917"],
        ["0.0920", "0.000837", "0.0285", "0.0275"],
    ),
    ("exstracs_50", "train"): (
        ["2.37", "2.63", "3.68", "3.67", "2.65"],
        [1, 2, 5, 4, 3],
        ["0.229", "0.968", "0.0000480", "0.00148"],
        ["0.457", "0.968", "0.000192", "0.00445"],
    ),
    ("exstracs_50", "test"): (
        ["1.98", "3.55", "3.22", "3.70", "2.55"],
        [1, 4, 3, 5, 2],
        ["0.0185", "0.0483", "0.0121", "0.000529"],
        ["0.0371", "0.0483", "0.0364", "0.00211"],
    ),
    ("sota_50", "train"): (
        ["1.38", "1.65", "4.10", "4.98", "4.90", "3.98"],
        [1, 2, 4, 6, 5, 3],
        ["0.00000000186", "0.00000000186", "0.968", "0.0000480", "0.00148"],
        ["0.00000000931", "0.00000000931", "0.968", "0.000144", "0.00297"],
    ),
    ("sota_50", "test"): (
        ["1.63", "2.77", "4.42", "4.07", "4.70", "3.42"],
        [1, 2, 5, 4, 6, 3],
        ["0.0000107", "0.00385", "0.0483", "0.0121", "0.000529"],
        ["0.0000537", "0.0116", "0.0483", "0.0243", "0.00211"],
    ),
}


def to_printed_digits(values):
    return [float(f"{value:.3g}") for value in values]


@pytest.mark.parametrize("key", PRINTED, ids=" ".join)
def test_statistics_of_the_published_means_are_the_published_ones(key):
    ranks, places, p, p_holm = PRINTED[key]
    comparison = compare(published_means(*key))
    assert [f"{rank:.2f}" for rank in comparison.ranks] == ranks
    assert comparison.positions.tolist() == places
    if p is not None:
        assert to_printed_digits(comparison.p) == [float(value) for value in p]
        assert to_printed_digits(comparison.p_holm) == [float(value) for value in p_holm]


@pytest.mark.parametrize("epochs", [10, 50])
def test_ruleset_sizes_are_compared_the_other_way_round(epochs):
    means = published_means("ruleset_size", "model", epochs)
    printed = {
        10: (["2.27", "1.93", "1.80"], [0.490, 0.221], [0.490, 0.441]),
        50: (["2.38", "1.93", "1.68"], [0.0195, 0.0262], [0.0390, 0.0390]),
    }
    ranks, p, p_holm = printed[epochs]
    comparison = compare(means, "FuzzyUCS", greater_is_better=False)
    assert [f"{rank:.2f}" for rank in comparison.ranks] == ranks
    assert to_printed_digits(comparison.p) == p
    assert to_printed_digits(comparison.p_holm) == p_holm


def test_variants_are_compared_in_pairs():
    published = published_means("fitness_range", "test")
    runs = pd.concat({0: published}, names=["seed"]).swaplevel()
    comparison = Measured("fitness_range", "test", runs, published).comparison
    ranks = ["1.47", "1.53", "1.32", "1.68", "1.27", "1.73"]
    assert [f"{rank:.2f}" for rank in comparison.ranks] == ranks
    assert to_printed_digits(comparison.p) == [0.329, 0.0385, 0.0341]


@pytest.mark.parametrize(("epochs", "p"), [(5, 0.0285), (10, 0.137), (50, 0.245)])
def test_ignorance_on_training_and_test_data(epochs, p):
    train, test = (published_means("idk", split, epochs)["DS"] for split in ("train", "test"))
    assert float(f"{signed_rank(test, train):.3g}") == p


def test_two_systems_are_compared_without_a_ranking_of_many():
    means = published_means("fitness_range", "test")[["DS (-1,1]", "DS (0,1]"]]
    comparison = compare(means, "DS (-1,1]")
    assert f"{comparison.ranks['DS (0,1]']:.2f}" == "1.73"
    assert to_printed_digits(comparison.p) == [0.0341]
    assert np.isnan(comparison.p_friedman)


def test_statistics_equal_an_independent_library():
    means = published_means("acc_10", "test")
    comparison = compare(means)
    long = means.reset_index().melt(id_vars="dataset")
    theirs = scikit_posthocs.posthoc_wilcoxon(
        long, val_col="value", group_col="system", correction=True, p_adjust=None, sort=False
    )
    np.testing.assert_allclose(theirs.loc["DS", ["UCS", "VOTE", "SWIN"]], comparison.p)
    ranks = stats.rankdata(-means.to_numpy(), axis=1).mean(axis=0)
    np.testing.assert_allclose(comparison.ranks, ranks)


def brute_force_signed_rank(differences):
    """All signs are equally likely: count the sums of ranks that are as extreme."""
    ranks = stats.rankdata(np.abs(differences))
    total = ranks.sum()
    sums = np.array([0.0])
    for rank in ranks:
        sums = np.concatenate([sums, sums + rank])
    extreme = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    return min(1.0, np.mean((sums <= extreme) | (sums >= total - extreme)))


@pytest.mark.parametrize("seed", range(5))
def test_exact_signed_rank_test_equals_brute_force(seed):
    differences = np.random.default_rng(seed).normal(0.3, 1, 12)
    assert signed_rank(differences, np.zeros(12)) == pytest.approx(
        brute_force_signed_rank(differences)
    )


@pytest.mark.parametrize("seed", range(5))
def test_holms_correction_equals_an_independent_library(seed):
    rng = np.random.default_rng(seed)
    p = pd.Series(rng.random(8) ** 3, index=list("abcdefgh"))
    p["c"] = p["f"]  # equal ones get equal corrections
    theirs = multipletests(p, method="holm")[1]
    pd.testing.assert_series_equal(holm(p), pd.Series(theirs, index=p.index))


def test_equal_scores_are_no_evidence():
    assert signed_rank([1, 2, 3], [1, 2, 3]) == 1
    equal = compare(pd.DataFrame({"A": [1.0, 2.0], "B": [1.0, 2.0], "C": [1.0, 2.0]}), "A")
    assert equal.p_friedman == 1
    assert equal.p_holm.tolist() == [1, 1]
    assert mark([0.5] * 30, [0.5] * 30) == "~"


def test_marks():
    rng = np.random.default_rng(0)
    reference = rng.random(30)
    assert mark(reference + 0.1 + rng.random(30) / 100, reference) == "+"
    assert mark(reference - 0.1 - rng.random(30) / 100, reference) == "-"
    assert mark(reference + rng.normal(0, 0.01, 30), reference) == "~"


def test_ranks_share_what_is_equal():
    means = pd.DataFrame({"A": [3.0, 1.0], "B": [3.0, 2.0], "C": [1.0, 3.0]})
    assert average_ranks(means).tolist() == [2.25, 1.75, 2.0]
    assert average_ranks(means, greater_is_better=False).tolist() == [1.75, 2.25, 2.0]
    assert positions(average_ranks(means)).tolist() == [3, 1, 2]


def test_errata_are_applied_and_marked():
    """The mended test column of the larger data sets goes with the training column."""
    table = load_published()
    mended = table[table["erratum"] != ""]
    assert set(mended["table"]) == {"large_10"}
    assert set(mended["split"]) == {"test"}
    assert len(mended) == 16
    early, late = published_means("large_10", "test"), published_means("large_50", "test")
    assert (early - late).abs().max().max() < 8
    assert early.loc["lib", "UCS"] == 28.61


def test_every_table_is_complete():
    table = load_published()
    assert len(table) == 3360
    assert table["value"].notna().all()
    for name in ("f1_10", "f1_50", "acc_10", "acc_50"):
        for split in ("train", "test"):
            assert published_means(name, split).shape == (30, 4)


def test_unknown_tables_are_named():
    with pytest.raises(ValueError, match="table must be one of"):
        published_means("f1_11", "test")
    with pytest.raises(ValueError, match="no single value"):
        published_means("ruleset_size", "model")
    with pytest.raises(ValueError, match="reference must be one of"):
        compare(published_means("f1_10", "test"), "XCS")
