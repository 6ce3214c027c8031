"""The article's numbers, on the data sets that come with scikit-learn."""

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs.datasets import load_embedded

SCHEMES = ("ds", "vote", "swin")

# Training accuracy in percent under each scheme and number of macro-rules after 10 epochs: means
# over 30 runs, from the article's tables of standard accuracy and ruleset size.
PUBLISHED = {
    "iris": ([94.35, 93.68, 94.07], 88.5),
    "wine": ([97.56, 97.12, 97.48], 350.0),
    "breast_cancer": ([94.03, 93.91, 94.00], 1081.0),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_training_accuracy_and_ruleset_size(name):
    data = load_embedded(name)
    scores, sizes = [], []
    splits = ShuffleSplit(20, test_size=0.1, random_state=0).split(data.data)
    for seed, (train, _) in enumerate(splits):
        X, y = data.data[train], data.target[train]
        clf = FuzzyUCSClassifier(epochs=10, random_state=seed).fit(X, y)
        scores.append([100 * clf.set_params(inference=s).score(X, y) for s in SCHEMES])
        sizes.append(len(clf.rules_))
    accuracy, size = PUBLISHED[name]
    np.testing.assert_allclose(np.mean(scores, axis=0), accuracy, rtol=0, atol=1.5)
    np.testing.assert_allclose(np.mean(sizes), size, rtol=0.10)
