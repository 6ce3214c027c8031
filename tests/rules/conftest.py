"""Fitted models of all kinds, for the tests of rule sets."""

import pytest

from rule_models import KINDS, X, Y, make_model


@pytest.fixture(scope="session")
def models():
    return {kind: make_model(kind).fit(X, Y) for kind in KINDS}


@pytest.fixture(params=KINDS)
def clf(request, models):
    return models[request.param]


@pytest.fixture
def rules(clf):
    return clf.deciding_rules
