"""Evaluation of classifiers as in the article: plan, run, store, statistics, report."""
