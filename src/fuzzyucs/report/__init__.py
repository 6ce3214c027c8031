"""The report: one HTML file about a model, with a form to try it, that needs nothing else."""

from fuzzyucs.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
