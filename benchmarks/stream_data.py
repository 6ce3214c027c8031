"""Streams with known drifts: generators of river, and what changes in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from river.datasets import synth

Example = tuple[dict[Any, Any], Any]
Make = Callable[[int, int], Any]


def switched(first: Any, second: Any, n: int, seed: int, width: int) -> Any:
    """Return a stream that goes over from one concept to another in its middle."""
    return synth.ConceptDriftStream(first, second, position=n // 2, width=width, seed=seed)


def _sea(n: int, seed: int) -> Any:
    concepts = (synth.SEA(variant=v, noise=0.1, seed=seed + v) for v in (1, 3))
    return switched(*concepts, n, seed, 500)


def _agrawal(first: int, second: int) -> Make:
    def make(n: int, seed: int) -> Any:
        concepts = (
            synth.Agrawal(classification_function=f, perturbation=0.05, seed=seed + f)
            for f in (first, second)
        )
        return switched(*concepts, n, seed, 500)

    return make


def _hyperplane(_: int, seed: int) -> Any:
    return synth.Hyperplane(
        n_features=10, n_drift_features=5, mag_change=0.001, noise_percentage=0.05, seed=seed
    )


def _rbf(_: int, seed: int) -> Any:
    return synth.RandomRBFDrift(
        seed_model=seed,
        seed_sample=seed + 1,
        n_classes=4,
        n_features=10,
        n_centroids=20,
        change_speed=0.001,
        n_drift_centroids=10,
    )


def _led(n: int, seed: int) -> Any:
    noise: dict[str, Any] = {"noise_percentage": 0.1, "irrelevant_features": True}
    concepts = (synth.LEDDrift(seed=seed + d, n_drift_features=d, **noise) for d in (0, 5))
    return switched(*concepts, n, seed, 500)


def _stagger(n: int, seed: int) -> Any:
    concepts = (synth.STAGGER(classification_function=f, seed=seed + f) for f in (1, 2))
    return switched(*concepts, n, seed, 100)


def _sine(n: int, seed: int) -> Any:
    concepts = (synth.Sine(classification_function=f, seed=seed + f) for f in (2, 3))
    return switched(*concepts, n, seed, 500)


def _mixed(n: int, seed: int) -> Any:
    concepts = (synth.Mixed(classification_function=f, seed=seed + f) for f in (0, 1))
    return switched(*concepts, n, seed, 500)


STREAMS: dict[str, tuple[str, Make]] = {
    "SEA": ("sum of two features against a threshold that jumps; 10 % of labels wrong", _sea),
    "Agrawal 2 to 5": ("loans, another formula; 5 % of values disturbed", _agrawal(1, 4)),
    "Agrawal 8 to 10": ("loans, another formula; 5 % of values disturbed", _agrawal(7, 9)),
    "Hyperplane": ("a plane in ten dimensions that turns all the time; 5 % noise", _hyperplane),
    "RBF": ("clusters of four classes, half of which wander all the time", _rbf),
    "LED": ("digits of seven segments among 24 features, which swap places; 10 % noise", _led),
    "STAGGER": ("three symbols, another formula at once", _stagger),
    "Sine": ("one side of a curve, then the other", _sine),
    "Mixed": ("two truth values and two numbers, classes swapped", _mixed),
}


def examples(name: str, n: int, seed: int) -> Iterator[Example]:
    """Return the examples of a stream."""
    found: Iterator[Example] = STREAMS[name][1](n, seed).take(n)
    return found
