"""Other learning classifier systems, set up to do the same work: one function each.

Every function takes scaled data and the number of training steps; population and thresholds are the
article's. Packages are imported when they are needed, because any of them may be missing.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from fuzzyucs.experiment.peers import make_exstracs

POPULATION = 2000
THRESHOLDS = {"theta_GA": 50, "theta_del": 50, "theta_sub": 50}

Fit = Callable[[np.ndarray, np.ndarray, int], object]


def fit_xcsf(X: np.ndarray, y: np.ndarray, n_steps: int) -> object:
    import xcsf

    n_classes = int(y.max()) + 1
    model = xcsf.XCS(
        x_dim=X.shape[1],
        y_dim=n_classes,
        n_actions=1,
        omp_num_threads=1,
        random_state=0,
        pop_size=POPULATION,
        max_trials=n_steps,
        perf_trials=n_steps,
        loss_func="onehot",
        condition={"type": "hyperrectangle_ubr", "args": {"min": 0, "max": 1}},
        action={"type": "integer"},
        prediction={"type": "constant"},
    )
    return model.fit(X, np.eye(n_classes)[y], verbose=False)


def fit_exstracs(X: np.ndarray, y: np.ndarray, n_steps: int) -> object:
    return make_exstracs(n_steps, seed=0).fit(X, y)


def fit_elcs(X: np.ndarray, y: np.ndarray, n_steps: int) -> object:
    from skeLCS import eLCS

    return eLCS(
        learning_iterations=n_steps,
        N=POPULATION,
        p_spec=0.67,
        nu=1,
        theta_sel=0.4,
        do_correct_set_subsumption=True,
        random_state=0,
        **THRESHOLDS,
    ).fit(X, y)


def fit_xcs(X: np.ndarray, y: np.ndarray, n_steps: int) -> object:
    from skXCS import XCS

    return XCS(
        learning_iterations=n_steps,
        N=POPULATION,
        p_general=0.33,
        theta_select=0.4,
        do_action_set_subsumption=True,
        random_state=0,
        **THRESHOLDS,
    ).fit(X, y)


PEERS: dict[str, Fit] = {  # by the names of their packages
    "xcsf": fit_xcsf,
    "scikit-ExSTraCS": fit_exstracs,
    "scikit-eLCS": fit_elcs,
    "scikit-XCS": fit_xcs,
}


def installed(packages: list[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
