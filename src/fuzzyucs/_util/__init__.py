"""Helpers without knowledge of rules: checks, files, optional packages, scikit-learn."""
