"""Explain the score of a query, or the difference of two runs: ``explain``.

A score is explained by ``rankmark.results.explanations``; two runs differ by document or by query
(``difference``).
"""
