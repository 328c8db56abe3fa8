"""Explain the score of a query, or the difference of two runs: ``explain``."""
