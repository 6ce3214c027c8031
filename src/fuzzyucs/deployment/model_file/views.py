"""Views of columns in a model file: the variables of a fused model."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.linguistic import (
    LinguisticFormat,
    read_beliefs,
    read_features,
    written_beliefs,
    written_feature,
)
from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.views import ViewedPartition

__all__ = ["ViewsFormat"]

MOST_VIEWS = 2**24


class ViewsFormat(LinguisticFormat):
    """How a `ViewedPartition` is written and read."""

    def write(self, variables: Any, clf: Any) -> Json:
        """Write columns and views; the names of columns are those of the classifier's features."""
        table = variables.table_variables
        if tuple(table.feature_names) != feature_names(clf):
            raise ValueError("a model file cannot hold two names of a feature")
        found: dict[str, Json] = {
            "features": [written_feature(table, f) for f in range(table.n_features)],
            "views": [
                {"feature": feature} | written_feature(variables, view)
                for view, feature in enumerate(variables.feature_of_view.tolist())
            ],
        }
        return found | written_beliefs(variables)

    def read(self, node: Node, clf: Any) -> ViewedPartition:
        """Read columns and views; names and categories are those of the classifier."""
        fields = node.fields(["features", "views"], ["beliefs"])
        names, columns = feature_names(clf), clf.columns_
        items = list(fields["features"].items(clf.n_features_in_))
        table = read_features(items, names, columns)
        views = list(fields["views"].items(range(1, MOST_VIEWS + 1)))
        features, rest = [], []
        for view in views:
            if not isinstance(view.value, dict) or "feature" not in view.value:
                view.refuse("an object with the key 'feature'")
            others = {key: value for key, value in view.value.items() if key != "feature"}
            own = Node(view.value["feature"], f"{view.path}.feature")
            features.append(own.integer(0, clf.n_features_in_ - 1))
            rest.append(Node(others, view.path))
        of_views = Columns(
            {v: columns.categories[f] for v, f in enumerate(features) if f in columns.categories},
            {v: columns.times[f] for v, f in enumerate(features) if f in columns.times},
        )
        found = read_features(rest, tuple(names[f] for f in features), of_views)
        forest, is_believed = None, None
        if "beliefs" in fields:
            forest, is_believed = read_beliefs(fields["beliefs"], found)
        plain = {name: getattr(found, name) for name in ("n_terms", "special", "borders")}
        return ViewedPartition(
            found.feature_names,
            found.minimum,
            found.maximum,
            **plain,
            forest=forest,
            is_believed=is_believed,
            columns=of_views,
            feature_of_view=np.array(features, dtype=np.intp),
            table_variables=table,
        )
