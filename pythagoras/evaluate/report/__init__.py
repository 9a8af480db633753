"""The report: one HTML file about one or several runs, to be opened from disk."""

from pythagoras.evaluate.report.page import write_page

__all__ = ["write_page"]
