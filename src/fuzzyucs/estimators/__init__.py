"""Classifiers in scikit-learn's convention."""
